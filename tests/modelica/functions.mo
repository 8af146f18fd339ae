// Functions (specification, chapter 12) and compile-time evaluation.

//! CallStaysCall
//=   function square
//=     input Real u;
//=     output Real y;
//=   algorithm
//=     y := u * u;
//=   end square;
//=   Real x = square(time);
function square
  input Real u;
  output Real y;
algorithm
  y := u * u;
end square;
model CallStaysCall
  Real x = square(time);
end CallStaysCall;

//! ConstantCallIsEvaluated
//=   constant Real c = 9.0;
//=   Real 'x[1]' = 9.0;
//=   Real 'x[2]' = 9.0;
//=   Real 'x[3]' = 9.0;
//=   Real 'x[4]' = 9.0;
model ConstantCallIsEvaluated
  constant Real c = square(3);
  Real x[integer(square(2))] = fill(c, 4);
end ConstantCallIsEvaluated;

//! NamedAndDefaultArguments
//=   function blend
//=     input Real a;
//=     input Real b = 2 * a;
//=     input Real c = 1.0;
//=     output Real y;
//=   algorithm
//=     y := a + 10 * b + 100 * c;
//=   end blend;
//=   Real x = 121.0;
//=   Real y = 321.0;
//=   Real z = blend(time, 2 * time, 2.0);
function blend
  input Real a;
  input Real b = 2 * a;
  input Real c = 1;
  output Real y;
algorithm
  y := a + 10 * b + 100 * c;
end blend;
model NamedAndDefaultArguments
  Real x = blend(1);
  Real y = blend(c = 3, a = 1);
  Real z = blend(time, c = 2);
end NamedAndDefaultArguments;

//! MissingArgument E0504
model MissingArgument
  Real x = blend(b = 1);
end MissingArgument;

//! UnknownArgument E0504
model UnknownArgument
  Real x = square(u = 1, w = 2);
end UnknownArgument;

//! ArgumentTwice E0504
model ArgumentTwice
  Real x = square(1, u = 2);
end ArgumentTwice;

//! TooManyArguments E0504
model TooManyArguments
  Real x = square(1, 2);
end TooManyArguments;

//! ArgumentType E0501
model ArgumentType
  Real x = square("two");
end ArgumentType;

//! UnknownFunction E0401
model UnknownFunction
  Real x = sqare(2);
end UnknownFunction;

//! NotAFunction E0505
model Thing
end Thing;
model NotAFunction
  Real x = Thing(2);
end NotAFunction;

//! Vectorised
//=   function square
//=     input Real u;
//=     output Real y;
//=   algorithm
//=     y := u * u;
//=   end square;
//=   Real 'x[1]' = square(time);
//=   Real 'x[2]' = square(2 * time);
model Vectorised
  Real x[2] = square({time, 2 * time});
end Vectorised;

//! SeveralResults
//=   function both
//=     input Real u;
//=     output Real s;
//=     output Real c;
//=   algorithm
//=     s := sin(u);
//=     c := cos(u);
//=   end both;
//=   Real a;
//=   Real b;
//= equation
//=   (a, b) = both(time);
function both
  input Real u;
  output Real s;
  output Real c;
algorithm
  s := sin(u);
  c := cos(u);
end both;
model SeveralResults
  Real a, b;
equation
  (a, b) = both(time);
end SeveralResults;

//! LoopsAndWhile
//=   constant Integer n = 74;
//=   Real x = 74.0;
function count
  input Integer n;
  output Integer s = 0;
protected
  Integer k = 1;
algorithm
  for i in 1:n loop
    s := s + i;
  end for;
  while k < 100 loop
    k := 2 * k;
    if k > 60 then
      break;
    end if;
  end while;
  s := s + k;
end count;
model LoopsAndWhile
  constant Integer n = count(4);
  Real x = n;
end LoopsAndWhile;

//! ArraysInFunctions
//=   function reversed
//=     input Real[:] v;
//=     output Real[size(v, 1)] w;
//=   algorithm
//=     for i in 1:size(v, 1) loop
//=       w[i] := v[size(v, 1) + 1 - i];
//=     end for;
//=   end reversed;
//=   constant Real 'a[1]' = 3.0;
//=   constant Real 'a[2]' = 2.0;
//=   constant Real 'a[3]' = 1.0;
//=   Real 'x[1]' = 3.0;
//=   Real 'x[2]' = 2.0;
//=   Real 'x[3]' = 1.0;
//=   Real 'y[1]' = (reversed({time, 1.0}))[1];
//=   Real 'y[2]' = (reversed({time, 1.0}))[2];
function reversed
  input Real v[:];
  output Real w[size(v, 1)];
algorithm
  for i in 1:size(v, 1) loop
    w[i] := v[end + 1 - i];
  end for;
end reversed;
model ArraysInFunctions
  constant Real a[3] = reversed({1, 2, 3});
  Real x[3] = a;
  Real y[2] = reversed({time, 1});
end ArraysInFunctions;

//! MatricesInFunctions
//=   constant Real t = 5.0;
//=   Real x = 5.0;
function trace
  input Real A[:, size(A, 1)];
  output Real t;
algorithm
  t := sum(A[i, i] for i in 1:size(A, 1));
end trace;
model MatricesInFunctions
  constant Real t = trace([1, 2; 3, 4] * identity(2) + transpose([0, 1; 2, 0]));
  Real x = t;
end MatricesInFunctions;

//! RecordsInFunctions
//=   constant Real 'k.re' = -5.0;
//=   constant Real 'k.im' = 10.0;
//=   Real x = -5.0;
//=   Real y = 10.0;
record Complex
  Real re;
  Real im = 0;
end Complex;
function times
  input Complex a;
  input Complex b;
  output Complex c;
algorithm
  c.re := a.re * b.re - a.im * b.im;
  c.im := a.re * b.im + a.im * b.re;
end times;
model RecordsInFunctions
  constant Complex k = times(Complex(1, 2), Complex(3, 4));
  Real x = k.re;
  Real y = k.im;
end RecordsInFunctions;

//! Recursion
//=   constant Integer f = 120;
//=   Real 'x[1]' = 1.0;
//=   Real 'x[2]' = 120.0;
function factorial
  input Integer n;
  output Integer f;
algorithm
  f := if n <= 1 then 1 else n * factorial(n - 1);
end factorial;
model Recursion
  constant Integer f = factorial(5);
  Real x[f - 118] = {1, f};
end Recursion;

//! RecursionWithoutEnd E0606
function forever
  input Integer n;
  output Integer f;
algorithm
  f := forever(n + 1);
end forever;
model RecursionWithoutEnd
  Real x[forever(1)];
end RecursionWithoutEnd;

//! DivisionByZero E0605
model DivisionByZero
  parameter Integer n = integer(1 / 0);
  Real x[n];
end DivisionByZero;

//! AssertInFunction E0605
function checked
  input Integer n;
  output Integer m = n;
algorithm
  assert(n > 0, "n must be positive");
end checked;
model AssertInFunction
  Real x[checked(-1)];
end AssertInFunction;

//! SubscriptInFunction E0605
function third
  input Integer v[:];
  output Integer y;
algorithm
  y := v[3];
end third;
model SubscriptInFunction
  Real x[third({1, 2})];
end SubscriptInFunction;

//! CyclicConstants E0602
model CyclicConstants
  constant Integer a = b;
  constant Integer b = a;
  Real x[a];
end CyclicConstants;

//! StructuralWithoutValue E0601
model StructuralWithoutValue
  parameter Integer n;
  Real x[n];
end StructuralWithoutValue;

//! SizeFromVariable E0603
model SizeFromVariable
  Integer n = if time > 1 then 1 else 2;
  Real x[n];
end SizeFromVariable;

//! EquationInFunction E0704
function wrong
  input Real u;
  output Real y;
equation
  y = u;
end wrong;
model EquationInFunction
  Real x = wrong(time);
end EquationInFunction;

//! External
//=   function external_sine
//=     input Real u;
//=     output Real y;
//=   external "C" y = sin(u);
//=   end external_sine;
//=   Real x = external_sine(time);
function external_sine
  input Real u;
  output Real y;
  external "C" y = sin(u);
end external_sine;
model External
  Real x = external_sine(time);
end External;

//! ReplaceableFunction
//=   function cube
//=     input Real u;
//=     output Real y;
//=   algorithm
//=     y := u * u;
//=     y := y * u;
//=   end cube;
//=   function square
//=     input Real u;
//=     output Real y;
//=   algorithm
//=     y := u * u;
//=   end square;
//=   Real 'a.y' = square(time);
//=   Real 'b.y' = cube(time);
model Curve
  replaceable function f = square;
  Real y = f(time);
end Curve;
function cube
  extends square;
algorithm
  y := y * u;
end cube;
model ReplaceableFunction
  Curve a;
  Curve b(redeclare function f = cube);
end ReplaceableFunction;

//! NamesStayUnique
//=   function 'Cold.enthalpy'
//=     input Real T;
//=     output Real h;
//=   algorithm
//=     h := 2.0 * T;
//=   end 'Cold.enthalpy';
//=   function 'Cold.enthalpy#2'
//=     input Real T;
//=     output Real h;
//=   algorithm
//=     h := 4.0 * T;
//=   end 'Cold.enthalpy#2';
//=   function cube
//=     input Real u;
//=     output Real y;
//=   algorithm
//=     y := u * u;
//=     y := y * u;
//=   end cube;
//=   function square
//=     input Real u;
//=     output Real y;
//=   algorithm
//=     y := u * u;
//=   end square;
//=   Real 'a.y' = cube(time);
//=   Real 'b.y' = square(time);
//=   Real 'cold.h' = 'Cold.enthalpy'(time);
//=   Real 'warm.h' = 'Cold.enthalpy#2'(time);
model NamesStayUnique
  Curve a(redeclare function f = cube);
  Curve b(redeclare function f = square);
  model Pipe
    replaceable package Medium = Cold;
    Real h = Medium.enthalpy(time);
  end Pipe;
  Pipe cold, warm(redeclare package Medium = Warm);
end NamesStayUnique;
package Cold
  constant Real c = 2;
  function enthalpy
    input Real T;
    output Real h;
  algorithm
    h := c * T;
  end enthalpy;
end Cold;
package Warm
  extends Cold(c = 4);
end Warm;

//! VectorisedInFunction
//=   function square
//=     input Real u;
//=     output Real y;
//=   algorithm
//=     y := u * u;
//=   end square;
//=   function squares
//=     input Real[:] v;
//=     output Real[size(v, 1)] w;
//=   algorithm
//=     w := {square(v[i_2]) for i_2 in 1:size(v, 1)};
//=   end squares;
//=   constant Real 'a[1]' = 4.0;
//=   constant Real 'a[2]' = 9.0;
//=   Real 'x[1]' = 4.0;
//=   Real 'x[2]' = 9.0;
//=   Real 'y[1]' = (squares({time}))[1];
function squares
  input Real v[:];
  output Real w[size(v, 1)];
algorithm
  w := square(v);
end squares;
model VectorisedInFunction
  constant Real a[2] = squares({2, 3});
  Real x[2] = a;
  Real y[1] = squares({time});
end VectorisedInFunction;

//! AssignToInput E0510
function overwrites
  input Real u;
  output Real y;
algorithm
  u := 2;
  y := u;
end overwrites;
model AssignToInput
  Real x = overwrites(time);
end AssignToInput;

//! FunctionsAsArguments
//=   partial function curve
//=     input Real u;
//=     output Real y;
//=   end curve;
//=   function parabola
//=     input Real u;
//=     input Real a;
//=     input Real b = 1.0;
//=     output Real y;
//=   algorithm
//=     y := a * u^2 + b;
//=   end parabola;
//=   function trapezoid
//=     input curve f;
//=     input Real to;
//=     output Real area;
//=   algorithm
//=     area := to * (f(0.0) + f(to)) / 2;
//=   end trapezoid;
//=   constant Real a = 10.0;
//=   Real x = 10.0;
//=   Real y = trapezoid(function parabola(a = time, b = 0), 1.0);
partial function curve
  input Real u;
  output Real y;
end curve;
function parabola
  extends curve;
  input Real a;
  input Real b = 1;
algorithm
  y := a * u^2 + b;
end parabola;
function trapezoid
  input curve f;
  input Real to;
  output Real area;
algorithm
  area := to * (f(0) + f(to)) / 2;
end trapezoid;
model FunctionsAsArguments
  constant Real a = trapezoid(function parabola(a = 2, b = 1), 2);
  Real x = a;
  Real y = trapezoid(function parabola(a = time, b = 0), 1);
end FunctionsAsArguments;

//! FunctionByName
//=   partial function curve
//=     input Real u;
//=     output Real y;
//=   end curve;
//=   function square
//=     input Real u;
//=     output Real y;
//=   algorithm
//=     y := u * u;
//=   end square;
//=   function trapezoid
//=     input curve f;
//=     input Real to;
//=     output Real area;
//=   algorithm
//=     area := to * (f(0.0) + f(to)) / 2;
//=   end trapezoid;
//=   Real y = trapezoid(square, time);
model FunctionByName
  Real y = trapezoid(square, time);
end FunctionByName;

//! PartialOfNothing E0505
model PartialOfNothing
  Real y = trapezoid(function Thing(a = 1), 1);
end PartialOfNothing;

//! FunctionUsesModelVariable E0456
model FunctionUsesModelVariable
  Real z = time;
  function f
    input Real u;
    output Real y;
  algorithm
    y := u * z;
  end f;
  Real x = f(time);
end FunctionUsesModelVariable;

//! WhileWithoutEnd E0606
function spins
  input Integer n;
  output Integer m = n;
algorithm
  while true loop
    m := m + 1;
  end while;
end spins;
model WhileWithoutEnd
  Real x[spins(1)];
end WhileWithoutEnd;

//! PartialDerivatives
//+   function partials_x = der(partials, x);
//+   function partials_xy = der(partials, x, y);
//+   Real a = partials_x(time, 2.0);
function partials
  input Real x;
  input Real y;
  output Real z;
algorithm
  z := x^3 * y;
end partials;
function partials_x = der(partials, x);
function partials_xy = der(partials, x, y);
model PartialDerivatives
  Real a = partials_x(time, 2), b = partials_xy(time, 2);
end PartialDerivatives;

//! PartialByUnknown E0543
//~ 'q' is no input of 'partials'
function partials_q = der(partials, q);
model PartialByUnknown
  Real a = partials_q(time, 2);
end PartialByUnknown;

//! PartialByArray E0543
//~ 'u' is not a scalar Real input of 'partials_array'
function partials_array
  input Real u[:];
  output Real z = sum(u);
end partials_array;
function partials_u = der(partials_array, u);
model PartialByArray
  Real a = partials_u({time, 2});
end PartialByArray;

//! PartialOfInteger E0543
//~ the output 'k' of 'partials_integer' is no Real
function partials_integer
  input Real x;
  output Integer k = integer(x);
end partials_integer;
function partials_k = der(partials_integer, x);
model PartialOfInteger
  Real a = partials_k(time);
end PartialOfInteger;

//! PartialWhileBuilt E0603
model PartialWhileBuilt
  parameter Integer n = integer(partials_x(1, 2));
  Real x[n] = fill(time, n);
end PartialWhileBuilt;
