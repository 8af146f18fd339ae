// More rules that libraries break and other tools let pass, each with a neighbour that stays wrong; and rules of the
// language that their models need.

// ---- redeclaring what is not replaceable (7.3): the same type, with other sizes, variability or value

record Matrix
  Real A[:, 2];
end Matrix;

//! SameTypeAgain E0409
//~ warning[E0409]: 'A' is not replaceable
model SameTypeAgain
  parameter Matrix m(redeclare Real A[3, 2] = ones(3, 2));
  Real x = m.A[3, 2]*time;
end SameTypeAgain;

//! ParameterOfExtended E0409
//~ warning[E0409]: 'mu' is not replaceable
model ParameterOfExtended
  partial model Fluid
    Real mu;
    Real y = mu*time;
  end Fluid;
  model Fixed
    extends Fluid(redeclare parameter Real mu = 2);
  end Fixed;
  Fixed f;
end ParameterOfExtended;

//! OtherType E0409
//~ error[E0409]: 'x' is not replaceable
model OtherType
  model A
    Real r = 1;
  end A;
  model B
    Real r = 2;
  end B;
  model C
    A x;
  end C;
  C c(redeclare B x);
end OtherType;

// ---- each (7.2.5)

model Part
  parameter Real k = 1;
  parameter Real v[2] = {1, 2};
  Real x = k*time;
end Part;

//! OneValueForAll E0508
//~ warning[E0508]: this modifies an array of components, but is one value only
model OneValueForAll
  parameter Real k = 3;
  Part p[2](k = k);
end OneValueForAll;

//! OneListForAll E0503
//~ error[E0503]
model OneListForAll
  Part p[3](k = {1, 2});
end OneListForAll;

// ---- attributes of other types (4.9)

//! UnitOfInteger E0408 E0408
//~ warning[E0408]: Integer has no attribute 'unit'
model UnitOfInteger
  parameter Integer n(unit = "1", nominal = 2.5) = 3;
end UnitOfInteger;

//! AttributeOfNothing E0408
//~ error[E0408]: Integer has no attribute 'unti'
model AttributeOfNothing
  parameter Integer n(unti = "1") = 3;
end AttributeOfNothing;

// ---- declared twice with types that differ in their units only (7.1)

//! OtherMembers E0417
//~ warning[E0417]: 's' is also declared differently
record Pair
  Real a, b;
end Pair;
partial model HasPair
  Pair s;
end HasPair;
model OtherMembers
  extends HasPair;
  Pair s(a, b(start = 2));
equation
  s.a = 1;
  s.b = 2;
end OtherMembers;

//! OtherUnit E0417
//~ warning[E0417]: 'g' is also declared differently
model OtherUnit
  type Acceleration = Real(unit = "m/s2");
  model A
    constant Real g = 9.81;
  end A;
  model B
    constant Acceleration g = 9.81;
  end B;
  extends A;
  extends B;
end OtherUnit;

//! OtherBase E0417
//~ error[E0417]: 'g' is also declared differently
model OtherBase
  model A
    constant Real g = 9.81;
  end A;
  model B
    constant Integer g = 9;
  end B;
  extends A;
  extends B;
end OtherBase;

// ---- protected members of records (4.6)

//! ProtectedInRecord E0452
//~ warning[E0452]: a record may not have the protected component 'b'
model ProtectedInRecord
  record R
    Real a = 1;
  protected
    Real b = 2;
  end R;
  R r;
end ProtectedInRecord;

// ---- constructors of external objects may be impure (12.9.7)

class Handle
  extends ExternalObject;
  impure function constructor
    output Handle handle;
    external "C" handle = make_handle();
  end constructor;
  function destructor
    input Handle handle;
    external "C" free_handle(handle);
  end destructor;
end Handle;

//! ImpureConstructor ok
model ImpureConstructor
  Handle handle = Handle();
end ImpureConstructor;

// ---- two sources of one signal (9.3): wrong where one value too many is given, as in TwoOutputs of redeclare.mo

connector RealOutput = output Real;
model Node
  RealOutput s;
end Node;

//! TwoSourcesOneValue E0723 E0745
//~ warning[E0723]
model TwoSourcesOneValue
  Node a, b;
equation
  connect(a.s, b.s);
  a.s = 1;
end TwoSourcesOneValue;

// ---- inputs that nothing uses

connector RealInput = input Real;
block Choice
  RealInput u(start = 4);
  Real y = 1;
end Choice;
block Uses
  RealInput u;
  Real y = 2*u;
end Uses;
block Around
  RealInput u;
  Choice inner_one;
equation
  connect(u, inner_one.u);
end Around;

//! IdleInput E0747
//~ warning[E0747]: 1 input of components is used by no equation and connected to nothing: 'c.u'
model IdleInput
  Choice c;
end IdleInput;

//! IdleInputsThatAreConnected E0747
//~ warning[E0747]: 1 input of components
model IdleInputsThatAreConnected
  Around a;
end IdleInputsThatAreConnected;

//! UsedInputIsMissing E0703
//~ 'c.u' is an input that nothing is connected to
model UsedInputIsMissing
  Uses c;
end UsedInputIsMissing;

//! UnusedInputOfTheModel ok
model UnusedInputOfTheModel
  extends Choice;
end UnusedInputOfTheModel;

// ---- flows that connections around a component add to its bus (9.1.3)

expandable connector Bus
end Bus;
connector Flange
  Real phi;
  flow Real tau;
end Flange;
model Fixed
  Flange f;
equation
  f.phi = time;
end Fixed;
model Gives
  Bus bus;
  Fixed wheel, pedal;
equation
  connect(wheel.f, bus.wheel);
  connect(pedal.f, bus.pedal);
end Gives;
model Spring
  Flange f;
equation
  f.tau = f.phi;
end Spring;
model Takes
  Bus bus;
  Spring pedal;
equation
  connect(bus.pedal, pedal.f);
end Takes;

//! FlowOfBusUnusedWithin balanced 14
model FlowOfBusUnusedWithin
  Gives a;
  Takes b;
equation
  connect(a.bus, b.bus);
end FlowOfBusUnusedWithin;

// ---- connections that others say already (9.4): no equation of the constraint

record Frame
  Real t[2];
  function equalityConstraint
    input Frame a;
    input Frame b;
    output Real residue[1];
  algorithm
    residue := {a.t[1] - b.t[1]};
  end equalityConstraint;
end Frame;
connector Joint
  Frame r;
  flow Real f[1];
end Joint;
model Base
  Joint j;
equation
  Connections.root(j.r);
  j.r.t = {time, 1};
end Base;
model End
  Joint j;
equation
  j.f = {0};
end End;

//! SameConnectionThreeTimes balanced 9
model SameConnectionThreeTimes
  Base a;
  End b, c;
equation
  connect(a.j, b.j);
  connect(b.j, c.j);
  connect(c.j, a.j);
end SameConnectionThreeTimes;

// ---- sums of arrays (10.3.4.1), also of none

//! SumOfColumns
//+   Real 'a[1]' = 'x[1,1]' + 'x[1,2]';
//+   Real 'b[1]' = 0.0;
model SumOfColumns
  parameter Integer none = 0 annotation(Evaluate = true);
  Real x[2, 2] = {{i*j*time for j in 1:2} for i in 1:2};
  Real a[2] = sum(x[:, i] for i in 1:2);
  Real b[2] = sum(x[:, i] for i in 1:none);
end SumOfColumns;

//! EmptyListOfAList ok
model EmptyListOfAList
  constant Real names[0] = fill(1.0, 0);
  constant Integer s[:] = {if names[i] > 1 then 1 else 0 for i in 1:0};
  parameter Real r[:] = {if names[i] > 1 then 1 else 0 for i in 1:0};
end EmptyListOfAList;

// ---- sizes of arrays of components (10.3.1)

//! SizeOfComponents balanced 5
model SizeOfComponents
  Fixed walls[2];
  Real n = size(walls, 1)*time;
end SizeOfComponents;

// ---- negative sizes (10.4.3)

//! SizeBelowZero E0604
//~ warning[E0604]: the size -1 is not possible: zero is taken
model SizeBelowZero
  constant Integer n = 0;
  parameter Real v[:] = zeros(n - 1);
end SizeBelowZero;

//! SizeOfADeclaration E0604
//~ error[E0604]
model SizeOfADeclaration
  constant Integer n = 0;
  Real v[n - 1];
end SizeOfADeclaration;

// ---- subscripts of arrays that are empty here, in what a function does for others

function second
  input Real v[:];
  output Real y;
protected
  constant Real table[0] = fill(1.0, 0);
algorithm
  if size(v, 1) > 1 then
    y := v[2];
  else
    y := table[1];
  end if;
end second;

//! SubscriptNeverReached E0506
//~ warning[E0506]: the subscript 1 is not in 1 to 0
model SubscriptNeverReached
  Real y = second({time, 2*time});
end SubscriptNeverReached;

//! SubscriptOfAModel E0506
//~ error[E0506]
model SubscriptOfAModel
  Real v[2] = {time, 1};
  Real y = v[3];
end SubscriptOfAModel;

// ---- calls for their effect (12.3)

impure function tell
  input Real x;
algorithm
  assert(x < 100, "large");
end tell;

//! ImpureCallForItsEffect E0541
//~ warning[E0541]: the impure function 'tell' cannot be called here
model ImpureCallForItsEffect
  Real x = time;
equation
  tell(x);
end ImpureCallForItsEffect;

// ---- connections of what is no connector (9.1)

block Watch
  output Real t;
equation
  t = time;
end Watch;

//! OutputToInput E0701
//~ warning[E0701]: 'c.t' cannot be connected: 't' is not a connector
model OutputToInput
  Watch c;
  Uses u;
equation
  connect(c.t, u.u);
end OutputToInput;

//! VariableToBus E0701
//~ warning[E0701]
model VariableToBus
  Real x = time;
  Bus bus;
equation
  connect(x, bus.x);
end VariableToBus;

//! VariableToVariable E0701
//~ error[E0701]
model VariableToVariable
  Real x = time, y;
equation
  connect(x, y);
end VariableToVariable;

// ---- values of annotations (18)

//! NoValueForAnAnnotation E0749
//~ warning[E0749]
model NoValueForAnAnnotation
  parameter Real k = 2 annotation(Evaluate = True);
  Real x = k*time;
end NoValueForAnAnnotation;
