// Inner and outer, connections (specification 5.4, 9). Each case breaks one rule.


//! OuterWithModification E0451
//@ 5.4 Outer with modification
//~ is outer, and cannot be modified here
model OuterWithModification
  inner parameter Real p = 1;
  model A outer parameter Real p = 2; Real x = p; end A;
  A a;
end OuterWithModification;

//! InnerOfAnotherType E0501
//@ 5.4 Inner of another type
//~ is of another type than where it is outer
model InnerOfAnotherType
  inner Integer p = 1;
  model A outer Real p; Real x = p; end A;
  A a;
end InnerOfAnotherType;

//! InnerOfAnotherSize E0501
//@ 5.4 Inner of another size
//~ has another size than where it is outer
model InnerOfAnotherSize
  inner Real p[3] = {1,2,3};
  model A outer Real p[2]; Real x[2] = p; end A;
  A a;
end InnerOfAnotherSize;

//! InnerScalarOuterArray E0501
//@ 5.4 Inner scalar, outer array
//~ has other dimensions than where it is outer
model InnerScalarOuterArray
  inner Real p = 1;
  model A outer Real p[2]; Real x = p[1]; end A;
  A a;
end InnerScalarOuterArray;

//! InnerVariability E0501
//@ 5.4 Inner variability
//~ changes more often than where it is outer
model InnerVariability
  inner Real p = time;
  model A outer parameter Real p; Real x = p; end A;
  A a;
end InnerVariability;

//! InnerClassNotSubtypeOfOuterClass E0501
//@ 5.4 Inner class not subtype of outer class
//~ which is expected where it is outer
model InnerClassNotSubtypeOfOuterClass
  inner model M Real x = 1; end M;
  model A outer model M Real x; Real y; end M; M m; end A;
  A a;
end InnerClassNotSubtypeOfOuterClass;

//! OuterInput E0454
//@ 5.4 Outer input
//~ is outer, and cannot be an input: it is only a reference
model OuterInput
  inner Real p = 1;
  model A outer input Real p; Real x = p; end A;
  A a;
end OuterInput;

//! InnerFunctionOfOtherInputs E0504
//@ 5.4 Inner function of other inputs
//~ needs a value for
model InnerFunctionOfOtherInputs
  inner function f input Real u; input Real v; output Real y = u; end f;
  model A
    outer function f input Real u; output Real y; end f;
    Real x = f(time);
  end A;
  A a;
end InnerFunctionOfOtherInputs;

//! MissingInnerOfPartialType E0412
//@ 5.4 Missing inner of partial type
//~ in any component around this one
model MissingInnerOfPartialType
  partial model M Real x = 1; end M;
  model A outer M m; Real y = m.x; end A;
  A a;
end MissingInnerOfPartialType;

//! TwoOutersDifferentClassesNoInner E0412 E0501
//@ 5.4 Two outers, different classes, no inner
//~ in any component around this one: one is made, with the values of its class
model TwoOutersDifferentClassesNoInner
  model M Real x = 1; end M;
  model N Real x = 1; Real z = 1; end N;
  model A outer M m; Real y = m.x; end A;
  model B outer N m; Real y = m.x; end B;
  A a;
  B b;
end TwoOutersDifferentClassesNoInner;

//! InnerIsProtectedConnector E0501
//@ 5.4 Inner is protected connector
//~ is of another type than where it is outer
model InnerIsProtectedConnector
  model A
    model B outer Real q; Real z = q; end B;
    inner Boolean q = true;
    B b;
  end A;
  inner Real q = 2;
  A a;
end InnerIsProtectedConnector;
connector C1 Real v; flow Real i; end C1;

//! ConnectOfDifferentNames E0702
//@ 9.3 Connect of different names
//~ only one of the connectors has
connector C2A Real v; flow Real i; end C2A;
connector C2B Real w; flow Real i; end C2B;
model ConnectOfDifferentNames
  C2A a; C2B b;
equation
  connect(a, b);
  a.v = 1;
end ConnectOfDifferentNames;

//! FlowToNonflow E0702
//@ 9.3 Flow to nonflow
//~ is a flow on one side only
connector C3B flow Real v; Real i; end C3B;
model FlowToNonflow
  C2A a; C3B b;
equation
  connect(a, b);
  a.v = 1;
end FlowToNonflow;

//! Sizes E0702
//@ 9.3 Sizes
//~ the two sides are arrays of different sizes
connector C4A Real v[2]; flow Real i[2]; end C4A;
connector C4B Real v[3]; flow Real i[3]; end C4B;
model Sizes
  C4A a; C4B b;
equation
  connect(a, b);
  a.v = {1,2};
end Sizes;

//! Types E0702
//@ 9.3 Types
//~ has different types on the two sides
connector RIn = input Real;
connector IIn = input Integer;
connector ROut = output Real;
connector BIn = input Boolean;
block C5S ROut y = 1; end C5S;
block C5T IIn u; end C5T;
block C5U BIn u; end C5U;
model Types
  C5S s; C5T t;
equation
  connect(s.y, t.u);
end Types;

//! Types2 E0702
//@ 9.3 Types
//~ has different types on the two sides
model Types2
  C5S s; C5U t;
equation
  connect(s.y, t.u);
end Types2;

//! TwoSources E0723
//@ 9.3 Two sources
//~ are connected, and both give the signal a value
block C7T RIn u; end C7T;
model TwoSources
  C5S s, s2; C7T t;
equation
  connect(s.y, t.u);
  connect(s2.y, t.u);
end TwoSources;
connector C8C parameter Integer n = 1; Real v; flow Real i; end C8C;
connector C9C constant Integer n = 1; Real v; flow Real i; end C9C;
connector C10A parameter Real n = 1; Real v; flow Real i; end C10A;
connector C10B Real n; Real v; flow Real i; end C10B;

//! ConnectOfNonConnectors E0701
//@ 9.1 Connect of non-connectors
//~ only connectors can be connected, and this is none
model ConnectOfNonConnectors
  Real x = 1, y;
equation
  connect(x, y);
end ConnectOfNonConnectors;

//! ConnectOfAModel E0701
//@ 9.1 Connect of a model
//~ only connectors can be connected, and this is none
model ConnectOfAModel
  model A C2A c; equation c.v = 1; end A;
  A a, b;
equation
  connect(a, b);
end ConnectOfAModel;

//! ConnectSubscriptsNotEvaluable E0603
//@ 9.1 Connect subscripts not evaluable
//~ which connectors are connected must be known when the model is built
model ConnectSubscriptsNotEvaluable
  C2A a[2], b;
  Integer k = if time > 1 then 1 else 2;
equation
  connect(a[k], b);
  b.v = 1;
end ConnectSubscriptsNotEvaluable;

//! ConnectABCTooDeep E0701
//@ 9.1 Connect a.b.c too deep
//~ cannot be connected
model ConnectABCTooDeep
  model A model B C2A c; equation c.v = 1; end B; B b; end A;
  A a;
  C2A d;
equation
  connect(a.b.c, d);
end ConnectABCTooDeep;

//! ConnectToProtected E0415
//@ 4.1 Connect to protected
//~ is protected
model ConnectToProtected
  model A protected C2A c; equation c.v = 1; end A;
  A a;
  C2A d;
equation
  connect(a.c, d);
end ConnectToProtected;

//! OutputToOutputWithin E0723
//@ 9.3 Output to output within
model OutputToOutputWithin
  block A ROut y = 1; end A;
  A a, b;
equation
  connect(a.y, b.y);
end OutputToOutputWithin;

//! ConnectOfOutputOfThisModelWithInputOfItWithoutSource E0723
//@ 9.3 Connect of output of this model with input of it without source
//~ are connected, and both give the signal a value
block ConnectOfOutputOfThisModelWithInputOfItWithoutSource
  RIn u; RIn v;
equation
  connect(u, v);
end ConnectOfOutputOfThisModelWithInputOfItWithoutSource;
connector C18A Real v(quantity = "A"); flow Real i; end C18A;
connector C18B Real v(quantity = "B"); flow Real i; end C18B;

//! CausalWithAcausal E0702
//@ 9.3 Causal with acausal
//~ one side has members, the other is a simple variable
connector C19B Real v; end C19B;
model CausalWithAcausal
  model A C19B c; end A;
  C5S s; A a;
equation
  connect(s.y, a.c);
end CausalWithAcausal;

//! ConnectInWhen E0740
//@ 8.3.3 Connect in when
//~ cannot stand inside of a
model ConnectInWhen
  C2A a, b;
equation
  when time > 1 then connect(a, b); end when;
  a.v = 1; b.v = 1;
end ConnectInWhen;

//! ConnectInIfWithVariableCondition E0740 E0705
//@ 8.3.3 Connect in if with variable condition
//~ whose condition changes with time
model ConnectInIfWithVariableCondition
  C2A a, b;
equation
  if time > 1 then connect(a, b); else a.v = 1; end if;
  b.v = 1;
end ConnectInIfWithVariableCondition;

//! ConnectInInitial E0740
//@ 8.3.3 Connect in initial
//~ cannot stand in an initial section
model ConnectInInitial
  C2A a, b;
initial equation
  connect(a, b);
end ConnectInInitial;

//! ExpandableToNonExpandable E0720 E0702
//@ 9.1.3 Expandable to non expandable
//~ an expandable connector can only be connected with another one
expandable connector EX Real v; end EX;
model ExpandableToNonExpandable
  EX e; C2A a;
equation
  connect(e, a);
end ExpandableToNonExpandable;

//! BothUndeclared E0720
//@ 9.1.3 Both undeclared
//~ of the expandable connector has no type: nothing that has one is connected to it
model BothUndeclared
  EX e, f;
equation
  connect(e.p, f.q);
end BothUndeclared;

//! ReadsUndeclaredOfBus E0401
//@ 9.1.3 Reads undeclared of bus
//~ there is no
model ReadsUndeclaredOfBus
  EX e;
  Real x = e.q;
end ReadsUndeclaredOfBus;

//! ArraySizesOfConnectors E0702
//@ 9.1 Array sizes of connectors
//~ the two sides are arrays of different sizes
model ArraySizesOfConnectors
  C2A a[2], b[3];
equation
  connect(a, b);
  for i in 1:2 loop a[i].v = 1; end for;
end ArraySizesOfConnectors;

//! ConditionalComponentAccessed E0507
//@ 4.4.5 Conditional component accessed
//~ is not there, since its condition is false
model ConditionalComponentAccessed
  model A Real x = 1; end A;
  A a if false;
  Real y = a.x;
end ConditionalComponentAccessed;

//! ConditionalComponentWithNonParameterCondition E0603
//@ 4.4.5 Conditional component with non parameter condition
//~ this is known only while the model runs
model ConditionalComponentWithNonParameterCondition
  model A Real x = 1; end A;
  A a if time > 1;
end ConditionalComponentWithNonParameterCondition;

//! ConditionalWithInteger E0501
//@ 4.4.5 Conditional with Integer
//~ a Boolean is needed here, not Integer
model ConditionalWithInteger
  model A Real x = 1; end A;
  A a if 1;
end ConditionalWithInteger;

//! ConditionalWithArray E0501
//@ 4.4.5 Conditional with array
//~ a Boolean is needed here, not Boolean[2]
model ConditionalWithArray
  model A Real x = 1; end A;
  A a if {true, false};
end ConditionalWithArray;

//! ConditionalComponentAccessedThoughTrue E0507
//@ 4.4.5 Conditional component accessed though true
//~ is not there, since its condition is false
model ConditionalComponentAccessedThoughTrue
  parameter Boolean b = false;
  Real x = 1 if b;
  Real y = x;
end ConditionalComponentAccessedThoughTrue;

//! ConditionalEquation E0507
//@ 4.4.5 Conditional equation
//~ is not there, since its condition is false
model ConditionalEquation
  parameter Boolean b = false;
  model A RIn u; end A;
  A a if b;
equation
  a.u = 1;
end ConditionalEquation;

//! RecordConnectorWithDifferent E0702
//@ 9.3 Record connector with different
//~ only one of the connectors has
model RecordConnectorWithDifferent
  connector X Real a; flow Real i; end X;
  connector Y Real a; Real b; flow Real i; flow Real j; end Y;
  X x; Y y;
equation
  connect(x, y);
  y.a = 1; y.b = 1;
end RecordConnectorWithDifferent;

//! ConnectElementThatDoesNotExist E0401
//@ 9.1 Connect element that does not exist
//~ there is no
model ConnectElementThatDoesNotExist
  C2A a, b;
equation
  connect(a, c);
  a.v = 1; b.v = 1;
end ConnectElementThatDoesNotExist;

//! InsideInputsUnconnected E0703
//@ 4.8 Inside inputs unconnected
//~ has 2 unknowns and 1 equation: nothing determines
model InsideInputsUnconnected
  block B RIn u; Real y = u; end B;
  B b;
end InsideInputsUnconnected;

//! EnumerationTypes E0702
//@ 9.3 Enumeration types
//~ has different types on the two sides
model EnumerationTypes
  type E = enumeration(a, b);
  type F = enumeration(a, c);
  connector CE = input E;
  connector CF = output F;
  block S CF y = F.a; end S;
  block T CE u; end T;
  S s; T t;
equation
  connect(s.y, t.u);
end EnumerationTypes;
