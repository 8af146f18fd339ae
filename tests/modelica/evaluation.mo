// Evaluation while the model is built (specification, chapters 3.8, 4.5, 12.4 and 18.3).

//! ConstantChain
//+ Real x = 6.0;
model ConstantChain
  constant Real a = 1, b = a + 1, c = a + b + 3;
  Real x = c;
end ConstantChain;

//! CyclicConstantsOfThree E0602
//~ 'a'
model CyclicConstantsOfThree
  constant Real a = b;
  constant Real b = c;
  constant Real c = a;
  Real x = a;
end CyclicConstantsOfThree;

//! CyclicParameters E0602
//~ 'a'
//~ 'b'
model CyclicParameters
  parameter Real a = b;
  parameter Real b = 2 * a;
end CyclicParameters;

//! CyclicParametersOfComponents E0602
model CyclicParametersOfComponents
  model M
    parameter Real p = 1;
    parameter Real q = p;
  end M;
  M m(p = m.q);
end CyclicParametersOfComponents;

//! ParameterOfItself E0602
//~ 'p'
model ParameterOfItself
  parameter Real p = p + 1;
end ParameterOfItself;

//! NoCycleThroughElements
//+ parameter Real 'a[2]' = 'a[1]';
model NoCycleThroughElements
  parameter Real a[2] = {1, a[1]};
end NoCycleThroughElements;

//! CyclicSizes E0602
model CyclicSizes
  parameter Integer n = size(x, 1);
  parameter Real x[n] = {1, 2};
end CyclicSizes;

//! CyclicInPackage E0602
package Cyclic
  constant Integer a = b + 1;
  constant Integer b = a - 1;
end Cyclic;
model CyclicInPackage
  Real x = Cyclic.a;
end CyclicInPackage;

//! StructuralParameter
//+ final parameter Integer n = 2;
model StructuralParameter
  parameter Integer n = 2;
  Real x[n] = zeros(n);
end StructuralParameter;

//! ParameterStaysFree
//+ parameter Integer n = 2;
//+ Real x = n * time;
model ParameterStaysFree
  parameter Integer n = 2;
  Real x = n * time;
end ParameterStaysFree;

//! EvaluateAnnotation
//+ parameter Real k = 2.0 annotation(Evaluate = true);
model EvaluateAnnotation
  parameter Real k = 2 annotation(Evaluate = true);
  Real x = k * time;
end EvaluateAnnotation;

//! IfEquationFreezes
//+ final parameter Boolean fast = true;
model IfEquationFreezes
  parameter Boolean fast = true;
  Real x;
equation
  if fast then
    x = 1;
  else
    x = 2;
  end if;
end IfEquationFreezes;

//! FibonacciAtCompileTime
//+ Real x = 21.0;
function fibonacci
  input Integer n;
  output Integer f;
algorithm
  if n < 2 then
    f := n;
  else
    f := fibonacci(n - 1) + fibonacci(n - 2);
  end if;
end fibonacci;
model FibonacciAtCompileTime
  constant Integer f = fibonacci(8);
  Real x = f;
end FibonacciAtCompileTime;

//! MutualRecursionWithoutEnd E0606
function ping
  input Integer n;
  output Integer m;
algorithm
  m := pong(n);
end ping;
function pong
  input Integer n;
  output Integer m;
algorithm
  m := ping(n);
end pong;
model MutualRecursionWithoutEnd
  Real x[ping(1)];
end MutualRecursionWithoutEnd;

//! LoopWithoutEnd E0606
//~ 'endless'
function endless
  input Integer n;
  output Integer m = n;
algorithm
  while m > 0 loop
    m := m + 1;
    if m > 100 then
      m := 1;
    end if;
  end while;
end endless;
model LoopWithoutEnd
  Real x[endless(1)];
end LoopWithoutEnd;

//! ArraysAtCompileTime
//+ Real x = 30.0;
function squares
  input Integer n;
  output Integer s[n];
algorithm
  for i in 1:n loop
    s[i] := i * i;
  end for;
end squares;
model ArraysAtCompileTime
  constant Integer s[4] = squares(4);
  Real x = sum(s);
end ArraysAtCompileTime;

//! RecordsAtCompileTime
//+ Real x = 12.0;
record Box
  Real w;
  Real h;
end Box;
function grow
  input Box b;
  input Real f;
  output Box c;
algorithm
  c := Box(f * b.w, f * b.h);
end grow;
model RecordsAtCompileTime
  constant Box b = grow(Box(1, 3), 2);
  Real x = b.w * b.h;
end RecordsAtCompileTime;

//! NestedLoopsWithBreak
//+ Real x = 7.0;
function first_pair
  input Integer target;
  output Integer s;
algorithm
  s := 0;
  for i in 1:5 loop
    for j in i:5 loop
      if i * j == target then
        s := i + j;
        break;
      end if;
    end for;
    if s > 0 then
      break;
    end if;
  end for;
end first_pair;
model NestedLoopsWithBreak
  constant Integer s = first_pair(12);
  Real x = s;
end NestedLoopsWithBreak;

//! ReturnEndsFunction
//+ Real x = 1.0;
function early
  input Integer n;
  output Integer m = 1;
algorithm
  if n > 0 then
    return;
  end if;
  m := 2;
end early;
model ReturnEndsFunction
  constant Integer m = early(3);
  Real x = m;
end ReturnEndsFunction;

//! SubscriptOutsideAtCompileTime E0605
function wrong_place
  input Integer v[3];
  output Integer y;
algorithm
  y := v[size(v, 1) + 1];
end wrong_place;
model SubscriptOutsideAtCompileTime
  Real x[wrong_place({1, 2, 3})];
end SubscriptOutsideAtCompileTime;

//! AssertAtCompileTime E0605
//~ too small
function guarded
  input Integer n;
  output Integer m = n;
algorithm
  assert(n > 5, "too small: " + String(n));
end guarded;
model AssertAtCompileTime
  Real x[guarded(2)];
end AssertAtCompileTime;

//! WarningAtCompileTime
//+ Real 'x[2]' = 1.0;
function warned
  input Integer n;
  output Integer m = n;
algorithm
  assert(n > 5, "rather small", AssertionLevel.warning);
end warned;
model WarningAtCompileTime
  Real x[warned(2)] = {0, 1};
end WarningAtCompileTime;

//! ExternalAtCompileTime E0650
//~ no_such_function_anywhere
function outside
  input Integer n;
  output Integer m;
  external "C" m = no_such_function_anywhere(n);
end outside;
model ExternalAtCompileTime
  Real x[outside(2)];
end ExternalAtCompileTime;

//! StructureFromFreeParameter E0603
//~ 'n'
model StructureFromFreeParameter
  parameter Integer n(fixed = false);
  Real x[n];
initial equation
  n = 3;
end StructureFromFreeParameter;

//! StructureFromStart
//+ Real 'x[2]' = 0.0;
model StructureFromStart
  parameter Integer n(start = 2);
  Real x[n] = zeros(n);
end StructureFromStart;

//! StringAtCompileTime
//+ parameter String s = "n = 3";
model StringAtCompileTime
  constant Integer n = 3;
  parameter String s = "n = " + String(n);
end StringAtCompileTime;

//! LogOfZero E0605
model LogOfZero
  constant Real c = log(0);
  Real x = c;
end LogOfZero;

//! ShortCircuit
//+ parameter Boolean b = false;
model ShortCircuit
  constant Integer n = 0;
  parameter Boolean b = n > 0 and div(1, n) > 0;
end ShortCircuit;

//! IfTakesOneBranch
//+ Real x = 5.0;
model IfTakesOneBranch
  constant Integer n = 0;
  constant Real c = if n == 0 then 5 else 1 / n;
  Real x = c;
end IfTakesOneBranch;

//! LargeRange E0607
model LargeRange
  Real x = sum(i for i in 1:100000000);
end LargeRange;

//! EmptyLoopWithoutEnd E0606
function emptyLoop
  input Integer n;
  output Integer m = n;
algorithm
  while true loop
  end while;
end emptyLoop;
model EmptyLoopWithoutEnd
  Real x[emptyLoop(1)];
end EmptyLoopWithoutEnd;

//! BrokenFunctionIsNotRun E0501
function broken
  input Integer n;
  output Integer m = n;
algorithm
  while true loop
    m := m > 1;
  end while;
end broken;
model BrokenFunctionIsNotRun
  Real x[broken(1)];
end BrokenFunctionIsNotRun;

//! FoldedBranches
//=   final parameter Integer n = 3 annotation(Evaluate = true);
//=   final parameter Real k = 1.0;
//=   Real x = 7 * time;
model FoldedBranches
  final parameter Integer n = 3 annotation(Evaluate = true);
  final parameter Real k = if n == 3 then 1 else -1;
  Real x = (if n == 1 then 5 else if n == 2 then 6 else 7)*time;
end FoldedBranches;

//! MixedMatrix
//=   Real 'm[1,1]' = 0.0;
//=   Real 'm[1,2]' = 0.0;
//=   Real 'm[2,1]' = 3.0;
//=   Real 'm[2,2]' = time;
model MixedMatrix
  Real m[2, 2] = [0, 0; 3, time];
end MixedMatrix;

//! TooLargeForAnInteger E0605
model TooLargeForAnInteger
  constant Integer n = integer(1e300);
  Real x[n];
end TooLargeForAnInteger;

//! LocalsInAnyOrder
//+ Real x = 7.0;
model LocalsInAnyOrder
  function f
    input Real v[:];
    output Real y[max(n, 2) + 1] = cat(1, v, fill(s, max(n, 2) + 1 - n));
  protected
    Real s = sum(w);
    Real w[n] = 2 * v;
    Integer n = size(v, 1);
  algorithm
    y[1] := y[1] + 0;
  end f;
  constant Real z[3] = f({1.5, 2});
  Real x = z[3];
end LocalsInAnyOrder;

//! LocalsOfThemselves E0602
//~ depends on itself
model LocalsOfThemselves
  function f
    output Real y = 2 * a;
  protected
    Real a = b;
    Real b = a;
  end f;
  constant Real z = f();
  Real x = z;
end LocalsOfThemselves;
