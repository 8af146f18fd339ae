// Further rules of several chapters (specification 4, 8, 9, 11, 12). Each case breaks one rule.


//! F103 E0602
//@ 12.4.4 F103
//~ depends on itself
model F103
  function f
    input Real u;
    output Real y;
  protected
    Real a = b;
    Real b = a;
  algorithm
    y := a;
  end f;
  Real s = f(time);
end F103;

//! ConstantsDiffer E0702
//@ 9.3 Constants differ
//~ has different values on the two sides
connector C9C constant Integer n = 1; Real v; flow Real i; end C9C;
model ConstantsDiffer
  model P C9C c; equation c.v = 1; end P;
  model Q C9C c; equation c.v = 1 + c.i; end Q;
  P a(c(n = 2)); Q b(c(n = 3));
equation
  connect(a.c, b.c);
end ConstantsDiffer;

//! ParametersDiffer E0702
//@ 9.3 Parameters differ
//~ has different values on the two sides
connector C8C parameter Integer n = 1; Real v; flow Real i; end C8C;
model ParametersDiffer
  model P C8C c; equation c.v = 1; end P;
  model Q C8C c; equation c.v = 1 + c.i; end Q;
  P a(c(n = 2)); Q b(c(n = 3));
equation
  connect(a.c, b.c);
end ParametersDiffer;

//! ParameterWithVariable E0702
//@ 9.3 Parameter with variable
//~ is a constant, a parameter or a variable on one side only
connector C10B Real n; Real v; flow Real i; flow Real m; end C10B;
connector C10A parameter Real n = 1; Real v; flow Real i; flow Real m; Real z; end C10A;
model ParameterWithVariable
  model P C8C c; equation c.v = 1; end P;
  connector D Integer n; Real v; flow Real i; flow Real j; end D;
  model Q D c; equation c.v = 1 + c.i; c.n = 2; c.j = 0; end Q;
  P a(c(n = 2)); Q b;
equation
  connect(a.c, b.c);
end ParameterWithVariable;

//! Quantity E0702
//@ 9.3 Quantity
//~ is a quantity "B", and connected with "A"
connector C18A Real v(quantity = "A"); flow Real i; end C18A;
connector C18B Real v(quantity = "B"); flow Real i; end C18B;
model Quantity
  model P C18A c; equation c.v = 1; end P;
  model Q C18B c; equation c.v = 1 + c.i; end Q;
  P a; Q b;
equation
  connect(a.c, b.c);
end Quantity;

//! TwoOuters E0702
//@ 9.3 Two outers
//~ two outer connectors cannot be connected
connector C1 Real v; flow Real i; end C1;
model TwoOuters
  inner C1 c; inner C1 d;
  model A outer C1 c; outer C1 d; equation connect(c, d); end A;
  A a;
equation
  c.v = 1;
end TwoOuters;

//! InputAssignedInAnAlgorithm E0510
//@ 11.2.1 Input assigned in an algorithm
//~ is an input, and gets its value from outside
block InputAssignedInAnAlgorithm input Real u; output Real y; algorithm u := 2; y := u; end InputAssignedInAnAlgorithm;

//! TwoWhens E0703
//@ 8.4 Two whens
//~ has 2 unknowns and 3 equations: a second equation for
model TwoWhens
  discrete Real x(start=0);
  Integer y;
equation
  when time > 1 then x = 1; end when;
  when time > 2 then x = 2; y = 1; end when;
end TwoWhens;

//! ReinitTwiceInABranch E0748
//@ 8.3.6 Reinit twice in a branch
//~ is set anew by reinit a second time
model ReinitTwiceInABranch
  Real x(start=0, fixed=true);
equation
  der(x) = 1;
  when time > 1 then reinit(x, 0); reinit(x, 1); end when;
end ReinitTwiceInABranch;

//! DiscreteNeverInWhen E0509
//@ 4.5.2 Discrete never in when
//~ is declared discrete, and so it is for a when-clause to determine it
model DiscreteNeverInWhen
  discrete Real x;
equation
  x = 2*time;
end DiscreteNeverInWhen;

//! FlowCannotBeInput E0454
//@ 4.4.2 Flow cannot be input
//~ cannot be
model FlowCannotBeInput
  connector C flow input Real x; Real i; end C;
  model A C a; equation a.i = 1; end A;
  A a;
end FlowCannotBeInput;
