// Types, operators and arrays (specification, chapters 3, 6 and 10).

//! IntegerBecomesReal
//=   Real x = 1.0;
//=   parameter Integer n = 2;
//=   Real y = n / 4;
model IntegerBecomesReal
  Real x = 1;
  parameter Integer n = 2;
  Real y = n / 4;
end IntegerBecomesReal;

//! RealIsNoInteger E0501
model RealIsNoInteger
  Integer n = 1.5;
end RealIsNoInteger;

//! StringIsNoReal E0501
model StringIsNoReal
  Real x = "one";
end StringIsNoReal;

//! AddBoolean E0502
model AddBoolean
  Real x = 1 + true;
end AddBoolean;

//! NotNumber E0502
model NotNumber
  Boolean b = not 1;
end NotNumber;

//! ConditionIsBoolean E0501
model ConditionIsBoolean
  Real x;
equation
  if time then
    x = 1;
  else
    x = 2;
  end if;
end ConditionIsBoolean;

//! SizesDiffer E0503
model SizesDiffer
  Real x[2], y[3];
equation
  x = {1, 2};
  y = {1, 2, 3};
  x = y;
end SizesDiffer;

//! SumOfSizes E0503
model SumOfSizes
  parameter Real a[2] = {1, 2}, b[3] = {1, 2, 3};
  Real x[2] = a + b;
end SumOfSizes;

//! ScalarPlusArray E0502
model ScalarPlusArray
  parameter Real a[2] = {1, 2};
  Real x[2] = 1 + a;
end ScalarPlusArray;

//! ElementwiseOperators
//=   parameter Real 'a[1]' = 1.0;
//=   parameter Real 'a[2]' = 2.0;
//=   Real 'x[1]' = 1 + 'a[1]';
//=   Real 'x[2]' = 1 + 'a[2]';
//=   Real 'y[1]' = 'a[1]' * 'a[1]';
//=   Real 'y[2]' = 'a[2]' * 'a[2]';
//=   Real 'z[1]' = -'a[1]' / 2;
//=   Real 'z[2]' = -'a[2]' / 2;
model ElementwiseOperators
  parameter Real a[2] = {1, 2};
  Real x[2] = 1 .+ a;
  Real y[2] = a .* a;
  Real z[2] = -a / 2;
end ElementwiseOperators;

//! MatrixProduct
//=   parameter Real 'A[1,1]' = 1.0;
//=   parameter Real 'A[1,2]' = 2.0;
//=   parameter Real 'A[2,1]' = 3.0;
//=   parameter Real 'A[2,2]' = 4.0;
//=   Real 'x[1]';
//=   Real 'x[2]';
//=   Real 'y[1]';
//=   Real 'y[2]';
//= equation
//=   'x[1]' = 'A[1,1]' * 'y[1]' + 'A[1,2]' * 'y[2]';
//=   'x[2]' = 'A[2,1]' * 'y[1]' + 'A[2,2]' * 'y[2]';
//=   'y[1]' = time * 'A[1,1]' + 1.0 * 'A[2,1]';
//=   'y[2]' = time * 'A[1,2]' + 1.0 * 'A[2,2]';
model MatrixProduct
  parameter Real A[2, 2] = [1, 2; 3, 4];
  Real x[2], y[2];
equation
  x = A * y;
  y = {time, 1} * A;
end MatrixProduct;

//! DotProduct
//=   Real 'x[1]' = time;
//=   Real 'x[2]' = 2.0;
//=   Real s = 'x[1]' * 'x[1]' + 'x[2]' * 'x[2]';
model DotProduct
  Real x[2] = {time, 2};
  Real s = x * x;
end DotProduct;

//! MixedArray E0501
model MixedArray
  Real x[2] = {1, "two"};
end MixedArray;

//! SubscriptOutside E0506
model SubscriptOutside
  parameter Real a[2] = {1, 2};
  Real x = a[3];
end SubscriptOutside;

//! TooManySubscripts E0506
model TooManySubscripts
  parameter Real a[2] = {1, 2};
  Real x = a[1, 1];
end TooManySubscripts;

//! RealSubscript E0506
model RealSubscript
  parameter Real a[2] = {1, 2};
  Real x = a[1.0];
end RealSubscript;

//! Slices
//=   parameter Real 'A[1,1]' = 1.0;
//=   parameter Real 'A[1,2]' = 2.0;
//=   parameter Real 'A[1,3]' = 3.0;
//=   parameter Real 'A[2,1]' = 4.0;
//=   parameter Real 'A[2,2]' = 5.0;
//=   parameter Real 'A[2,3]' = 6.0;
//=   Real 'row[1]' = 'A[2,1]';
//=   Real 'row[2]' = 'A[2,2]';
//=   Real 'row[3]' = 'A[2,3]';
//=   Real 'part[1]' = 'A[1,2]';
//=   Real 'part[2]' = 'A[1,3]';
//=   Real 'picked[1]' = 'A[1,3]';
//=   Real 'picked[2]' = 'A[1,1]';
model Slices
  parameter Real A[2, 3] = [1, 2, 3; 4, 5, 6];
  Real row[3] = A[2, :];
  Real part[2] = A[1, 2:end];
  Real picked[2] = A[1, {3, 1}];
end Slices;

//! OpenSizes
//=   parameter Real 'a[1]' = 1.0;
//=   parameter Real 'a[2]' = 2.0;
//=   parameter Real 'a[3]' = 3.0;
//=   final parameter Integer n = 3;
//=   Real 'x[1]';
//=   Real 'x[2]';
//=   Real 'x[3]';
//= equation
//=   'x[1]' = 'a[1]';
//=   'x[2]' = 'a[2]';
//=   'x[3]' = 'a[3]';
model OpenSizes
  parameter Real a[:] = {1, 2, 3};
  parameter Integer n = size(a, 1);
  Real x[n];
equation
  x = a;
end OpenSizes;

//! OpenSizeWithoutValue E0601
model OpenSizeWithoutValue
  parameter Real a[:];
end OpenSizeWithoutValue;

//! NegativeSize E0604
model NegativeSize
  parameter Integer n = -1;
  Real x[n];
end NegativeSize;

//! SizeDependsOnItself E0602
model SizeDependsOnItself
  parameter Real x[size(x, 1)] = {1};
end SizeDependsOnItself;

//! EmptyArrays
//=   final parameter Integer n = 0;
//=   Real s = 0.0;
//=   Real p = 1.0;
model EmptyArrays
  parameter Integer n = 0;
  Real x[n];
  Real s = sum(x);
  Real p = product(x);
equation
  x = zeros(n);
end EmptyArrays;

//! ArrayBuiltins
//=   Real 'x[1]' = time;
//=   Real 'x[2]' = 1.0;
//=   Real 'x[3]' = 2.0;
//=   Real 'c[1]' = 'x[2]' * 0 - 'x[3]' * 0;
//=   Real 'c[2]' = 'x[3]' * 1 - 'x[1]' * 0;
//=   Real 'c[3]' = 'x[1]' * 0 - 'x[2]' * 1;
//=   Real s = 'x[1]' + 'x[2]' + 'x[3]' + max(max('x[1]', 'x[2]'), 'x[3]') + min('x[1]', 'x[2]');
//=   Real 't[1,1]' = time;
//=   Real 't[2,1]' = 2.0;
//=   Real 'i[1,1]' = 1.0;
//=   Real 'i[1,2]' = 0.0;
//=   Real 'i[2,1]' = 0.0;
//=   Real 'i[2,2]' = 1.0;
//=   Real 'd[1,1]' = time;
//=   Real 'd[1,2]' = 0.0;
//=   Real 'd[2,1]' = 0.0;
//=   Real 'd[2,2]' = 3.0;
//=   Real 'l[1]' = 0.0;
//=   Real 'l[2]' = 0.5;
//=   Real 'l[3]' = 1.0;
//=   Real 'v[1]' = time;
//=   Real 'v[2]' = 1.0;
//=   Real 'f[1]' = time;
//=   Real 'f[2]' = time;
//=   Real 'k[1]' = time;
//=   Real 'k[2]' = 1.0;
//=   Real 'k[3]' = 2.0;
model ArrayBuiltins
  Real x[3] = {time, 1, 2};
  Real c[3] = cross(x, {1, 0, 0});
  Real s = sum(x) + max(x) + min(x[1], x[2]);
  Real t[2, 1] = transpose([time, 2]);
  Real i[2, 2] = identity(2);
  Real d[2, 2] = diagonal({time, 3});
  Real l[3] = linspace(0, 1, 3);
  Real v[2] = vector([time; 1]);
  Real f[2] = fill(time, 2);
  Real k[3] = cat(1, {time}, {1, 2});
end ArrayBuiltins;

//! Comprehensions
//=   Real 'x[1,1]' = 1 * time + 1;
//=   Real 'x[1,2]' = 1 * time + 2;
//=   Real 'x[2,1]' = 2 * time + 1;
//=   Real 'x[2,2]' = 2 * time + 2;
//=   Real s = 1.0 * time + 4.0 * time + 9.0 * time;
model Comprehensions
  Real x[2, 2] = {i * time + j for j in 1:2, i in 1:2};
  Real s = sum(i^2 * time for i in 1:3);
end Comprehensions;

//! Records
//=   Real 'a.x' = 1.0;
//=   Real 'a.y' = 2.0;
//=   Real 'b.x' = time;
//=   Real 'b.y' = 0.0;
//=   Real 'c[1].x' = time;
//=   Real 'c[1].y' = 0.0;
//=   Real 'c[2].x' = 'a.x';
//=   Real 'c[2].y' = 'a.y';
//=   Real r = 'c[1].x';
record Point
  Real x;
  Real y = 0;
end Point;
model Records
  Point a = Point(1, 2);
  Point b(x = time);
  Point c[2] = {Point(time), a};
  Real r = c[1].x;
end Records;

//! RecordEquation
//=   Real 'a.x';
//=   Real 'a.y';
//=   Real 'b.x';
//=   Real 'b.y';
//= equation
//=   'a.x' = 'b.x';
//=   'a.y' = 'b.y';
//=   'b.x' = time;
//=   'b.y' = 1.0;
record Pair
  Real x;
  Real y;
end Pair;
model RecordEquation
  Pair a, b;
equation
  a = b;
  b = Pair(time, 1);
end RecordEquation;

//! BranchTypes E0501
model BranchTypes
  Real x = if time > 1 then 1 else "two";
end BranchTypes;

//! DeadBranchMayBeWrong
//=   final parameter Integer n = 0;
//=   Real x = 7.0;
model DeadBranchMayBeWrong
  parameter Integer n = 0;
  Real a[n] = zeros(n);
  Real x = if n > 0 then a[1] else 7;
end DeadBranchMayBeWrong;

//! StringsJoin
//=   parameter String s = "ab";
//=   parameter String t = s + "3";
model StringsJoin
  parameter String s = "a" + "b";
  parameter String t = s + String(3);
end StringsJoin;

//! VectorisedBuiltin
//=   Real 'x[1]' = sin(time);
//=   Real 'x[2]' = 0.9092974268256817;
model VectorisedBuiltin
  Real x[2] = sin({time, 2});
end VectorisedBuiltin;

//! ParameterFromVariable E0509
model ParameterFromVariable
  Real x = time;
  parameter Real p = x;
end ParameterFromVariable;

//! ArgumentCount E0504
model ArgumentCount
  Real x = sin(1, 2);
end ArgumentCount;

//! EnumsDiffer E0502
type A = enumeration(one, two);
type B = enumeration(one, three);
model EnumsDiffer
  parameter Boolean b = A.one == B.one;
end EnumsDiffer;

//! VectorisedOperators
//=   Real m = time;
//=   Real 'x[1]' = semiLinear(m, 1, 3);
//=   Real 'x[2]' = semiLinear(m, 2, 4);
//=   Real 'y[1]' = homotopy(m, 0);
//=   Real 'y[2]' = 1.0;
//=   Real 'z[1]' = delay(m, 0.1);
//=   Real 'z[2]' = delay(2 * m, 0.1);
model VectorisedOperators
  Real m = time;
  Real x[2] = semiLinear(m, {1, 2}, {3, 4});
  Real y[2] = homotopy(actual = {m, 1}, simplified = {0, 0});
  Real z[2] = delay({m, 2 * m}, 0.1);
end VectorisedOperators;

//! HugeArray E0604
model HugeArray
  Real x[70000, 70000];
end HugeArray;

//! HugeConstant E0607
model HugeConstant
  Real x[integer(sum(fill(1, 20000, 20000)))];
end HugeConstant;

//! HugeValue E0607
model HugeValue
  Real x = sum(fill(time, 20000, 20000));
end HugeValue;

//! ReportedWhenNeeded E0601
model ReportedWhenNeeded
  parameter Integer n;
  parameter String unit_text = if n > 1 then "m" else "s";
  Real a(unit = unit_text) = 1;
  Real x[n];
end ReportedWhenNeeded;
