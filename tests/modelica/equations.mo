// Equations and algorithms (specification, chapters 8 and 11).

//! ForEquation
//=   final parameter Integer n = 3;
//=   Real 'x[1]';
//=   Real 'x[2]';
//=   Real 'x[3]';
//= equation
//=   'x[1]' = time;
//=   'x[2]' = 2 * 'x[1]';
//=   'x[3]' = 3 * 'x[2]';
model ForEquation
  parameter Integer n = 3;
  Real x[n];
equation
  x[1] = time;
  for i in 2:n loop
    x[i] = i * x[i - 1];
  end for;
end ForEquation;

//! NestedFor
//=   Real 'A[1,1]';
//=   Real 'A[1,2]';
//=   Real 'A[2,1]';
//=   Real 'A[2,2]';
//= equation
//=   'A[1,2]' = 12 + time;
//=   'A[1,1]' = 11 + time;
//=   'A[2,2]' = 22 + time;
//=   'A[2,1]' = 21 + time;
model NestedFor
  Real A[2, 2];
equation
  for i in 1:2, j in {2, 1} loop
    A[i, j] = 10 * i + j + time;
  end for;
end NestedFor;

//! IfOnParameter
//=   final parameter Boolean fast = true;
//=   Real x;
//= equation
//=   x = 1.0;
model IfOnParameter
  parameter Boolean fast = true;
  Real x;
equation
  if fast then
    x = 1;
  else
    x = 2;
    x = 3;
  end if;
end IfOnParameter;

//! IfOnVariable
//=   Real x;
//= equation
//=   if time > 1 then
//=     x = 1.0;
//=   elseif time > 0.5 then
//=     x = 2.0;
//=   else
//=     x = 3.0;
//=   end if;
model IfOnVariable
  Real x;
equation
  if time > 1 then
    x = 1;
  elseif time > 0.5 then
    x = 2;
  else
    x = 3;
  end if;
end IfOnVariable;

//! WhenEquation
//=   discrete Real y(start = 1.0);
//=   Integer n(start = 0);
//= equation
//=   when sample(0, 0.1) then
//=     y = pre(y) / 2;
//=     n = pre(n) + 1;
//=   elsewhen initial() then
//=     y = 1.0;
//=     n = 0;
//=   end when;
model WhenEquation
  discrete Real y(start = 1);
  Integer n(start = 0);
equation
  when sample(0, 0.1) then
    y = pre(y) / 2;
    n = pre(n) + 1;
  elsewhen initial() then
    y = 1;
    n = 0;
  end when;
end WhenEquation;

//! BouncingBall
//=   parameter Real e = 0.8;
//=   Real h(start = 1.0, fixed = true);
//=   Real v;
//= equation
//=   der(h) = v;
//=   der(v) = -9.81;
//=   when h <= 0 then
//=     reinit(v, -e * pre(v));
//=   end when;
model BouncingBall
  parameter Real e = 0.8;
  Real h(start = 1, fixed = true), v;
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -e * pre(v));
  end when;
end BouncingBall;

//! Pendulum
//=   parameter Real L = 1.0;
//=   parameter Real g = 9.81;
//=   parameter Real m = 1.0;
//=   Real x(start = L);
//=   Real y;
//=   Real vx;
//=   Real vy;
//=   Real F;
//= equation
//=   der(x) = vx;
//=   der(y) = vy;
//=   m * der(vx) = -x / L * F;
//=   m * der(vy) = -y / L * F - m * g;
//=   x^2 + y^2 = L^2;
model Pendulum
  parameter Real L = 1, g = 9.81, m = 1;
  Real x(start = L), y, vx, vy, F;
equation
  der(x) = vx;
  der(y) = vy;
  m * der(vx) = -x / L * F;
  m * der(vy) = -y / L * F - m * g;
  x^2 + y^2 = L^2;
end Pendulum;

//! InitialEquation
//=   Real x;
//=   parameter Real p(fixed = false);
//= initial equation
//=   x = 1.0;
//=   p = 2 * x;
//= equation
//=   der(x) = -p * x;
model InitialEquation
  Real x;
  parameter Real p(fixed = false);
initial equation
  x = 1;
  p = 2 * x;
equation
  der(x) = -p * x;
end InitialEquation;

//! Algorithm
//=   Real x;
//=   Real y;
//= algorithm
//=   x := time;
//=   x := x + 1;
//=   x := x + 2;
//=   if x > 2 then
//=     y := 1.0;
//=   else
//=     y := x;
//=   end if;
model Algorithm
  Real x, y;
algorithm
  x := time;
  for i in 1:2 loop
    x := x + i;
  end for;
  if x > 2 then
    y := 1;
  else
    y := x;
  end if;
end Algorithm;

//! AlgorithmWithWhen
//=   Integer n(start = 0);
//= algorithm
//=   when time > 1 then
//=     n := pre(n) + 1;
//=   end when;
model AlgorithmWithWhen
  Integer n(start = 0);
algorithm
  when time > 1 then
    n := pre(n) + 1;
  end when;
end AlgorithmWithWhen;

//! AssertAndTerminate
//=   Real x = time;
//= equation
//=   assert(x < 10, "x is too large", AssertionLevel.warning);
//=   when x > 5 then
//=     terminate("done");
//=   end when;
model AssertAndTerminate
  Real x = time;
equation
  assert(x < 10, "x is too large", AssertionLevel.warning);
  when x > 5 then
    terminate("done");
  end when;
end AssertAndTerminate;

//! ConditionalComponent
//=   final parameter Boolean use = false;
//=   Real 'b.y' = 1.0;
model Option
  Real y = 1;
end Option;
model ConditionalComponent
  parameter Boolean use = false;
  Option a if use;
  Option b if not use;
end ConditionalComponent;

//! DisabledIsNotThere E0507
model DisabledIsNotThere
  Option a if false;
  Real x = a.y;
end DisabledIsNotThere;

//! ArrayOfComponents
//=   Real 'a[1].y' = 1.0;
//=   Real 'a[2].y' = 1.0;
//=   Real s = 'a[1].y' + 'a[2].y';
//=   Real t = 'a[2].y';
model ArrayOfComponents
  Option a[2];
  Real s = sum(a.y);
  Real t = a[2].y;
end ArrayOfComponents;

//! AssignToConstant E0510
model AssignToConstant
  constant Real x = 1;
algorithm
  x := 2;
end AssignToConstant;

//! EquationTypes E0501
model EquationTypes
  Boolean b;
  Real x = 1;
equation
  b = x;
end EquationTypes;

//! TupleAgainstValue E0501
model TupleAgainstValue
  Real a, b;
equation
  (a, b) = 1;
end TupleAgainstValue;

//! LoopOverVariable E0603
model LoopOverVariable
  Real x[2];
  Integer n = if time > 1 then 1 else 2;
equation
  for i in 1:n loop
    x[i] = 1;
  end for;
end LoopOverVariable;

//! DerivativeOfArray
//=   Real 'x[1]'(start = 1.0, fixed = true);
//=   Real 'x[2]'(start = 2.0, fixed = true);
//= equation
//=   der('x[1]') = -'x[1]';
//=   der('x[2]') = -'x[2]';
model DerivativeOfArray
  Real x[2](start = {1, 2}, each fixed = true);
equation
  der(x) = -x;
end DerivativeOfArray;

//! StartAttributes
//=   parameter Real x0 = 2.0;
//=   Real x(quantity = "Length", displayUnit = "mm", start = x0, nominal = 10.0, stateSelect = StateSelect.prefer);
//= equation
//=   der(x) = 1.0;
model StartAttributes
  parameter Real x0 = 2;
  Real x(start = x0, nominal = 10, stateSelect = StateSelect.prefer, quantity = "Length", displayUnit = "mm");
equation
  der(x) = 1;
end StartAttributes;

//! BranchesDiffer E0705
model BranchesDiffer
  Real x, y;
equation
  if time > 1 then
    x = 1;
    y = 2;
  else
    x = 2;
  end if;
end BranchesDiffer;

//! NoElse E0705
model NoElse
  Real x;
equation
  if time > 1 then
    x = 1;
  end if;
end NoElse;

//! ArrayAssignment
//=   Real 'x[1]';
//=   Real 'x[2]';
//= algorithm
//=   'x[1]' := time;
//=   'x[2]' := 2.0;
model ArrayAssignment
  Real x[2];
algorithm
  x := {time, 2};
end ArrayAssignment;

//! ImplicitRange
//=   parameter Real 'a[1]' = 1.0;
//=   parameter Real 'a[2]' = 2.0;
//=   parameter Real 'a[3]' = 3.0;
//=   Real 'x[1]';
//=   Real 'x[2]';
//=   Real 'x[3]';
//=   Real s = 'a[1]' * 'x[1]' + 'a[2]' * 'x[2]' + 'a[3]' * 'x[3]';
//= equation
//=   'x[1]' = 'a[1]' + 1;
//=   'x[2]' = 'a[2]' + 2;
//=   'x[3]' = 'a[3]' + 3;
model ImplicitRange
  parameter Real a[3] = {1, 2, 3};
  Real x[3];
  Real s = sum(a[j] * x[j] for j);
equation
  for i loop
    x[i] = a[i] + i;
  end for;
end ImplicitRange;

//! NoRange E0706
model NoRange
  Real x;
equation
  for i loop
    x = i;
  end for;
end NoRange;
