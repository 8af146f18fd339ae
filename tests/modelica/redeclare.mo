// Redeclaration within a constraint, what an extends clause leaves out, sources of connected signals
// (specification 6, 7.3, 7.4, 9.3).

connector RealInput = input Real;
connector RealOutput = output Real;
partial model TwoValues
  parameter Real k = 1;
  Real x;
end TwoValues;
model First
  extends TwoValues;
equation
  x = k;
end First;
model Second
  extends TwoValues;
  Real more = 2*x;
equation
  x = -k;
end Second;
model OnlyOne
  parameter Real k = 1;
end OnlyOne;
model OtherType
  parameter Integer k = 1;
  Real x = k;
end OtherType;
model Hidden
  parameter Real k = 1;
protected
  Real x = k;
end Hidden;

model Holder
  replaceable First part constrainedby TwoValues(k = 5);
end Holder;

//! Fits
//=   parameter Real 'h.part.k' = 5.0;
//=   Real 'h.part.x';
//=   Real 'h.part.more' = 2 * 'h.part.x';
//= equation
//=   'h.part.x' = -'h.part.k';
model Fits
  Holder h(redeclare Second part);
end Fits;

//! Missing E0420
model Missing
  Holder h(redeclare OnlyOne part);
end Missing;

//! AnotherType E0420
model AnotherType
  Holder h(redeclare OtherType part);
end AnotherType;

//! NotPublic E0420
model NotPublic
  Holder h(redeclare Hidden part);
end NotPublic;

// Without 'constrainedby' the original declaration is the constraint.
//! OriginalConstrains E0420
model OriginalConstrains
  model Plain
    replaceable Second part;
  end Plain;
  Plain p(redeclare First part);
end OriginalConstrains;

//! Simple E0420
model Simple
  model Plain
    replaceable Real value = 1;
  end Plain;
  Plain p(redeclare Boolean value = true);
end Simple;

//! Kind E0420
model Kind
  model Plain
    replaceable model M = First;
    M m;
  end Plain;
  package P
  end P;
  function f
    input Real u;
    output Real y = u;
  end f;
  Plain p(redeclare function M = f);
end Kind;

//! FunctionFits
//=   function twice
//=     input Real u;
//=     output Real y;
//=   algorithm
//=     y := 2 * u;
//=   end twice;
//=   Real 'c.x' = twice(time);
partial function OneToOne
  input Real u;
  output Real y;
end OneToOne;
model Caller
  replaceable function f = OneToOne;
  Real x = f(time);
end Caller;
model FunctionFits
  function twice
    extends OneToOne;
  algorithm
    y := 2*u;
  end twice;
  Caller c(redeclare function f = twice);
end FunctionFits;

//! FunctionInputs E0420
model FunctionInputs
  function other
    input Real v;
    output Real y = v;
  end other;
  Caller c(redeclare function f = other);
end FunctionInputs;

// A redeclaration without sizes keeps those of the original.
//! Sizes
//=   parameter Real 'h.part[1].k' = 1.0;
//=   Real 'h.part[1].x';
//=   parameter Real 'h.part[2].k' = 2.0;
//=   Real 'h.part[2].x';
//= equation
//=   'h.part[1].x' = 'h.part[1].k';
//=   'h.part[2].x' = 'h.part[2].k';
model Sizes
  model Several
    replaceable TwoValues part[2];
  end Several;
  Several h(redeclare First part(k = {1, 2}));
end Sizes;

block Gain
  RealInput u;
  RealOutput y = 2*u;
end Gain;
model Chain
  Gain a, b;
  RealInput u;
equation
  connect(u, a.u);
  connect(a.y, b.u);
end Chain;

//! BreakConnection
//=   Real 'a.u';
//=   Real 'a.y' = 2 * 'a.u';
//=   Real 'b.u';
//=   Real 'b.y' = 2 * 'b.u';
//=   input Real u;
//= equation
//=   'b.u' = 7.0;
//=   'a.u' = u;
model BreakConnection
  extends Chain(break connect(a.y, b.u));
equation
  b.u = 7;
end BreakConnection;

// With a component its connections are left out.
//! BreakComponent
//=   Real 'a.u';
//=   Real 'a.y' = 2 * 'a.u';
//=   input Real u;
//= equation
//=   'a.u' = u;
model BreakComponent
  extends Chain(break b);
end BreakComponent;

//! BreakNothing E0408
model BreakNothing
  extends Chain(break c);
end BreakNothing;

//! BreakNoConnection E0408
model BreakNoConnection
  extends Chain(break connect(b.u, a.y));
end BreakNoConnection;

//! TwoOutputs E0723
model TwoOutputs
  Gain a, b, c;
equation
  a.u = 1;
  b.u = 1;
  connect(a.y, c.u);
  connect(b.y, c.u);
end TwoOutputs;

//! InputAndOutput E0723
model InputAndOutput
  RealInput u;
  Gain a, b;
equation
  a.u = 1;
  connect(u, b.u);
  connect(a.y, b.u);
end InputAndOutput;

//! ParametersDiffer E0702
model ParametersDiffer
  connector Plug
    parameter Integer n = 1;
    Real v[n];
    flow Real i[n];
  end Plug;
  connector Sized
    parameter Integer n = 1;
    Real v;
    flow Real i;
  end Sized;
  model End
    parameter Integer n = 2;
    Sized p(final n = n);
    Real x[n] = ones(p.n);
  equation
    p.v = 1;
  end End;
  End a, b(n = 3);
equation
  connect(a.p, b.p);
end ParametersDiffer;

// Functions of packages that two components redeclare alike are emitted once, also where they name each other.
//! Shared
//=   function 'Medium.enthalpy'
//=     input Real T;
//=     output Real h;
//=   algorithm
//=     h := 4.0 * T;
//=     annotation(inverse(T = 'Medium.temperature'(h)));
//=   end 'Medium.enthalpy';
//=   function 'Medium.enthalpy#3'
//=     input Real T;
//=     output Real h;
//=   algorithm
//=     h := 5.0 * T;
//=     annotation(inverse(T = 'Medium.temperature#3'(h)));
//=   end 'Medium.enthalpy#3';
//=   function 'Medium.temperature'
//=     input Real h;
//=     output Real T;
//=   algorithm
//=     T := h / 4.0;
//=     annotation(inverse(h = 'Medium.enthalpy'(T)));
//=   end 'Medium.temperature';
//=   function 'Medium.temperature#3'
//=     input Real h;
//=     output Real T;
//=   algorithm
//=     T := h / 5.0;
//=     annotation(inverse(h = 'Medium.enthalpy#3'(T)));
//=   end 'Medium.temperature#3';
//=   Real 'a.h' = 'Medium.enthalpy'(time);
//=   Real 'b.h' = 'Medium.enthalpy'(time);
//=   Real 'c.h' = 'Medium.enthalpy#3'(time);
package Medium
  constant Real c = 4;
  function enthalpy
    input Real T;
    output Real h;
  algorithm
    h := c*T;
    annotation(inverse(T = temperature(h)));
  end enthalpy;
  function temperature
    input Real h;
    output Real T;
  algorithm
    T := h/c;
    annotation(inverse(h = enthalpy(T)));
  end temperature;
end Medium;
model Volume
  replaceable package M = Medium;
  Real h = M.enthalpy(time);
end Volume;
model Shared
  Volume a(redeclare package M = Medium(c = 4)), b(redeclare package M = Medium(c = 4)),
    c(redeclare package M = Medium(c = 5));
end Shared;

// A redeclaration says nothing of when the component is there: the original's condition stays.
//! Conditional
//=   final parameter Boolean 'a.use' = false;
//=   Real 'a.part.more' = 2.0;
//=   final parameter Boolean 'b.use' = true;
model Thing
end Thing;
model LargerThing
  Real more = 2;
end LargerThing;
model MayHave
  parameter Boolean use = false;
  replaceable Thing part if not use;
end MayHave;
model HasMore
  extends MayHave(redeclare final LargerThing part);
end HasMore;
model Conditional
  HasMore a, b(use = true);
end Conditional;
