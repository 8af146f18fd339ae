// Annotations that translation uses (specification 12.7, 12.8, 18.3).

function square
  input Real u;
  input Real scale = 1;
  output Real y;
algorithm
  y := scale*u*u;
  annotation(derivative(zeroDerivative = scale) = square_der, inverse(u = root(y, scale)), smoothOrder = 5);
end square;
function square_der
  input Real u;
  input Real scale;
  input Real du;
  output Real dy;
algorithm
  dy := 2*scale*u*du;
  annotation(Inline = true, derivative(order = 2, noDerivative = scale) = square_der2);
end square_der;
function square_der2
  input Real u;
  input Real scale;
  input Real du;
  input Real ddu;
  output Real dy;
algorithm
  dy := 2*scale*(du*du + u*ddu);
  annotation(LateInline = true);
end square_der2;
function root
  input Real y;
  input Real scale;
  output Real u;
algorithm
  u := sqrt(y/scale);
  annotation(Inline = false, GenerateEvents = true);
end root;

//! Derivative
//=   function root
//=     input Real y;
//=     input Real scale;
//=     output Real u;
//=   algorithm
//=     u := sqrt(y / scale);
//=     annotation(Inline = false, GenerateEvents = true);
//=   end root;
//=   function square
//=     input Real u;
//=     input Real scale = 1.0;
//=     output Real y;
//=   algorithm
//=     y := scale * u * u;
//=     annotation(smoothOrder = 5, derivative(zeroDerivative = scale) = square_der, inverse(u = root(y, scale)));
//=   end square;
//=   function square_der
//=     input Real u;
//=     input Real scale;
//=     input Real du;
//=     output Real dy;
//=   algorithm
//=     dy := 2 * scale * u * du;
//=     annotation(Inline = true, derivative(order = 2, noDerivative = scale) = square_der2);
//=   end square_der;
//=   function square_der2
//=     input Real u;
//=     input Real scale;
//=     input Real du;
//=     input Real ddu;
//=     output Real dy;
//=   algorithm
//=     dy := 2 * scale * (du * du + u * ddu);
//=     annotation(LateInline = true);
//=   end square_der2;
//=   Real x = square(time, 1.0);
model Derivative
  Real x = square(time);
end Derivative;

//! Short
//=   function simple
//=     input Real u;
//=     output Real y;
//=   algorithm
//=     y := u * u;
//=     annotation(smoothOrder = 3);
//=   end simple;
//=   Real x;
//= equation
//=   x = simple(time);
model Short
  function simple
    input Real u;
    output Real y;
  algorithm
    y := u*u;
    annotation(smoothOrder = 3);
  end simple;
  function cube = simple;
  Real x;
equation
  x = cube(time);
end Short;

//! Evaluated
//=   parameter Real p = 3.0 annotation(Evaluate = true);
//=   parameter Real q = 4.0;
model Evaluated
  parameter Real p = 3 annotation(Evaluate = true);
  parameter Real q = 4 annotation(Evaluate = false);
end Evaluated;

//! NoSuchInput E0504
function wrong
  input Real u;
  output Real y = 2*u;
  annotation(derivative(noDerivative = v) = square_der);
end wrong;
model NoSuchInput
  Real x = wrong(time);
end NoSuchInput;

//! NoSuchFunction E0402
function lost
  input Real u;
  output Real y = 2*u;
  annotation(derivative = lost_der);
end lost;
model NoSuchFunction
  Real x = lost(time);
end NoSuchFunction;

//! NotInverse E0505
function odd
  input Real u;
  output Real y = 2*u;
  annotation(inverse(u = y));
end odd;
model NotInverse
  Real x = odd(time);
end NotInverse;

// A condition that asks to be evaluated decides now: what would be a loop of parameters is none.
//! Decided
//=   final parameter Boolean use_T = true annotation(Evaluate = true);
//=   parameter Real T = 300.0;
//=   parameter Real h = 4 * T;
model Decided
  parameter Boolean use_T = true annotation(Evaluate = true);
  parameter Real T = if use_T then 300 else h/4;
  parameter Real h = if use_T then 4*T else 1200;
end Decided;
