// What each kind of class may hold and extend, and its prefixes (specification 4.4 to 4.7, 7.1.3). Each case breaks one rule.


//! RecordWithModel E0452
//@ 4.7 Record with model
//~ a record may not have a model or connector as a component
model RecordWithModel
  model A Real x = 1; end A;
  record R A a; end R;
  R r;
end RecordWithModel;

//! RecordWithProtected E0452
//@ 4.7 Record with protected
//~ a record may not have the protected component
model RecordWithProtected
  record R Real x = 1; protected Real y = 2; end R;
  R r;
end RecordWithProtected;

//! RecordWithFlow E0452
//@ 4.7 Record with flow
//~ a record may not have the flow or stream
model RecordWithFlow
  record R flow Real x; end R;
  R r;
equation
  r.x = 1;
end RecordWithFlow;

//! RecordWithInner E0452
//@ 4.7 Record with inner
//~ a record may not have the inner
model RecordWithInner
  record R inner Real x = 1; end R;
  R r;
end RecordWithInner;

//! RecordWithOuter E0452
//@ 4.7 Record with outer
//~ a record may not have the outer
model RecordWithOuter
  inner Real x = 1;
  record R outer Real x; end R;
  R r;
end RecordWithOuter;

//! RecordWithEquation E0452
//@ 4.7 Record with equation
//~ a record may not have equations
model RecordWithEquation
  record R Real x; equation x = 1; end R;
  R r;
end RecordWithEquation;

//! RecordWithStream E0452
//@ 4.7 Record with stream
//~ a record may not have the flow or stream
model RecordWithStream
  record R stream Real x; end R;
  R r;
equation
  r.x = 1;
end RecordWithStream;

//! ConnectorWithInner E0452
//@ 4.7 Connector with inner
//~ a connector may not have the inner
model ConnectorWithInner
  connector C inner Real x; flow Real i; end C;
  C r;
equation
  r.x = 1;
end ConnectorWithInner;

//! ConnectorWithAModel E0452
//@ 4.7 Connector with a model
//~ a connector may not have a model or block as a component
model ConnectorWithAModel
  model A Real x = 1; end A;
  connector C Real x; flow Real i; A a; end C;
  C r;
equation
  r.x = 1;
end ConnectorWithAModel;

//! ConnectorWithProtected E0452
//@ 4.7 Connector with protected
//~ a connector may not have the protected component
model ConnectorWithProtected
  connector C Real x; flow Real i; protected Real z; end C;
  C r;
equation
  r.x = 1;
end ConnectorWithProtected;

//! ConnectorWithEquation E0452
//@ 4.7 Connector with equation
//~ a connector may not have equations
model ConnectorWithEquation
  connector C Real x; flow Real i; equation x = 1; end C;
  C r;
end ConnectorWithEquation;

//! PackageWithParameter E0452
//@ 4.7 Package with parameter
//~ a package may not have a component that is not constant
model PackageWithParameter
  package P parameter Real x = 1; end P;
  Real y = P.x;
end PackageWithParameter;

//! PackageWithEquation E0452
//@ 4.7 Package with equation
//~ a package may not have equations
model PackageWithEquation
  package P constant Real x = 1; equation assert(true, ""); end P;
  Real y = P.x;
end PackageWithEquation;

//! FunctionWithEquation E0704
//@ 12.2 Function with equation
//~ a function has algorithm sections, no equations
model FunctionWithEquation
  function f input Real u; output Real y; equation y = u; end f;
  Real y = f(time);
end FunctionWithEquation;

//! FunctionWithModel E0452
//@ 12.2 Function with model
//~ a function may not have a model or connector as a component
model FunctionWithModel
  model A Real x = 1; end A;
  function f input Real u; output Real y = u; protected A a; end f;
  Real y = f(time);
end FunctionWithModel;

//! FunctionWithConnector E0452
//@ 12.2 Function with connector
//~ a function may not have a model or connector as a component
model FunctionWithConnector
  connector C Real x; end C;
  function f input Real u; output Real y = u; protected C a; end f;
  Real y = f(time);
end FunctionWithConnector;

//! FunctionWithInner E0452
//@ 12.2 Function with inner
//~ a function may not have the inner
model FunctionWithInner
  function f input Real u; output Real y = u; protected inner Real a = 1; end f;
  Real y = f(time);
end FunctionWithInner;

//! FunctionWithOuter E0452
//@ 12.2 Function with outer
//~ a function may not have the outer
model FunctionWithOuter
  inner Real a = 1;
  function f input Real u; output Real y = u; protected outer Real a; end f;
  Real y = f(time);
end FunctionWithOuter;

//! FunctionWithPublicLocal E0452
//@ 12.2 Function with public local
//~ a function may not have a public variable that is neither input nor output
model FunctionWithPublicLocal
  function f input Real u; output Real y = u; Real a; end f;
  Real y = f(time);
end FunctionWithPublicLocal;

//! FunctionWithInitialAlgorithm E0452
//@ 12.2 Function with initial algorithm
//~ a function may not have an initial algorithm
model FunctionWithInitialAlgorithm
  function f input Real u; output Real y; initial algorithm y := u; end f;
  Real y = f(time);
end FunctionWithInitialAlgorithm;

//! FunctionWithTwoAlgorithms E0452
//@ 12.2 Function with two algorithms
//~ a function may not have a second algorithm section
model FunctionWithTwoAlgorithms
  function f input Real u; output Real y; algorithm y := u; algorithm y := y + 1; end f;
  Real y = f(time);
end FunctionWithTwoAlgorithms;

//! AssignmentToAnInput E0510
//@ 12.2 Assignment to an input
//~ an input of a function cannot be assigned to
model AssignmentToAnInput
  function f input Real u; output Real y; algorithm u := 1; y := u; end f;
  Real y = f(time);
end AssignmentToAnInput;

//! AssignmentToAConstant E0510
//@ 11.2.1 Assignment to a constant
//~ this cannot be assigned to
model AssignmentToAConstant
  function f input Real u; output Real y; protected constant Real k = 1; algorithm k := 2; y := u; end f;
  Real y = f(time);
end AssignmentToAConstant;

//! AssignmentToParameterOfFunction E0510
//@ 11.2.1 Assignment to parameter of function
//~ a parameter of a function cannot be assigned to
model AssignmentToParameterOfFunction
  function f input Real u; output Real y; protected parameter Real k = 1; algorithm k := 2; y := u; end f;
  Real y = f(time);
end AssignmentToParameterOfFunction;

//! AssignmentToElementOfAnInput E0510
//@ 12.2 Assignment to element of an input
//~ an input of a function cannot be assigned to
model AssignmentToElementOfAnInput
  function f input Real u[2]; output Real y; algorithm u[1] := 1; y := u[2]; end f;
  Real y = f({time,1});
end AssignmentToElementOfAnInput;

//! AssignmentToAParameterInAlgorithm E0510
//@ 11.2.1 Assignment to a parameter in algorithm
//~ is a parameter, and cannot be assigned to
model AssignmentToAParameterInAlgorithm
  parameter Real p = 1;
algorithm
  p := 2;
end AssignmentToAParameterInAlgorithm;

//! AssignmentToAConstantInAlgorithm E0510
//@ 11.2.1 Assignment to a constant in algorithm
//~ this cannot be assigned to
model AssignmentToAConstantInAlgorithm
  constant Real p = 1;
algorithm
  p := 2;
end AssignmentToAConstantInAlgorithm;

//! AssignmentToTime E0510
//@ 11.2.1 Assignment to time
//~ this cannot be assigned to
model AssignmentToTime
  Real x = 1;
algorithm
  time := 2;
end AssignmentToTime;

//! TypeWithComponent E0452
//@ 4.7 Type with component
//~ a type may not have a component
model TypeWithComponent
  type T extends Real; Real y; end T;
  T x = 1;
end TypeWithComponent;

//! ExtendsRealWithOtherElements E0452
//@ 7.1.3 Extends Real with other elements
//~ a connector may not have elements besides the simple type that it extends
model ExtendsRealWithOtherElements
  connector C extends Real; Real y; end C;
  C x = 1;
end ExtendsRealWithOtherElements;

//! ExtendsArrayWithElements E0453
//@ 7.1.3 Extends array with elements
//~ a model cannot extend
model ExtendsArrayWithElements
  type V = Real[3];
  model M extends V; Real y = 1; end M;
  M m;
end ExtendsArrayWithElements;

//! ModelExtendsConnector E0453
//@ 7.1.3 Model extends connector
//~ a model cannot extend
model ModelExtendsConnector
  connector C Real x; end C;
  model M extends C; equation x = 1; end M;
  M m;
end ModelExtendsConnector;

//! ModelExtendsFunction E0453
//@ 7.1.3 Model extends function
//~ a model cannot extend
model ModelExtendsFunction
  function f input Real u; output Real y = u; end f;
  model M extends f; end M;
  M m(u = 1);
end ModelExtendsFunction;

//! BlockExtendsModel E0453
//@ 7.1.3 Block extends model
//~ a block cannot extend
model BlockExtendsModel
  model A Real x = 1; end A;
  block M extends A; end M;
  M m;
end BlockExtendsModel;

//! RecordExtendsModel E0453
//@ 7.1.3 Record extends model
//~ a record cannot extend
model RecordExtendsModel
  model A Real x = 1; end A;
  record M extends A; end M;
  M m;
end RecordExtendsModel;

//! FunctionExtendsRecord E0453
//@ 7.1.3 Function extends record
//~ a function cannot extend
model FunctionExtendsRecord
  record A Real x = 1; end A;
  function M extends A; input Real u; output Real y = u; end M;
  Real y = M(time);
end FunctionExtendsRecord;

//! PackageExtendsModel E0453 E0401
//@ 7.1.3 Package extends model
//~ a package cannot extend
model PackageExtendsModel
  model A constant Real x = 1; end A;
  package M extends A; end M;
  Real y = M.x;
end PackageExtendsModel;

//! TypeExtendsRecord E0453
//@ 7.1.3 Type extends record
//~ a type cannot extend
model TypeExtendsRecord
  record A Real x = 1; end A;
  type M extends A; end M;
  M m;
end TypeExtendsRecord;

//! ExpandableExtendsConnector E0453
//@ 7.1.3 Expandable extends connector
//~ an expandable connector cannot extend
model ExpandableExtendsConnector
  connector C Real x; end C;
  expandable connector M extends C; end M;
  M m;
end ExpandableExtendsConnector;

//! ConnectorExtendsExpandable E0453
//@ 7.1.3 Connector extends expandable
//~ which is an expandable connector
model ConnectorExtendsExpandable
  expandable connector C Real x; end C;
  connector M extends C; end M;
  M m;
end ConnectorExtendsExpandable;

//! ExtendsOperatorRecord E0453
//@ 4.7 Extends operator record
//~ which is an operator record
model ExtendsOperatorRecord
  operator record C Real x; Real y; end C;
  record M extends C; Real z; end M;
  M m(x=1,y=2,z=3);
end ExtendsOperatorRecord;

//! OperatorRecordExtendsRecord E0453
//@ 4.7 Operator record extends record
//~ an operator record cannot extend
model OperatorRecordExtendsRecord
  record C Real x; Real y; end C;
  operator record M extends C; end M;
  M m(x=1,y=2);
end OperatorRecordExtendsRecord;

//! FlowOnBoolean E0454
//@ 4.4.2 Flow on Boolean
//~ cannot be a flow or stream: that is for Real
model FlowOnBoolean
  connector C Real v; flow Boolean i; end C;
  C m;
equation
  m.v = 1;
end FlowOnBoolean;

//! FlowOutsideOfConnector E0454
//@ 4.4.2 Flow outside of connector
//~ cannot be a flow or stream outside of a connector
model FlowOutsideOfConnector
  flow Real x = 1;
end FlowOutsideOfConnector;

//! StreamOutsideOfConnector E0454
//@ 15.1 Stream outside of connector
//~ cannot be a flow or stream outside of a connector
model StreamOutsideOfConnector
  stream Real x = 1;
end StreamOutsideOfConnector;

//! FlowOnAModel E0454 E0452
//@ 4.4.2 Flow on a model
//~ is a whole component: flow, stream, parameter, constant, discrete, input and output are not for it
model FlowOnAModel
  model A Real x = 1; end A;
  connector C flow A a; end C;
  C c;
end FlowOnAModel;

//! FlowAndFlow E0454
//@ 4.4.2 Flow and flow
//~ is a flow, so its member
model FlowAndFlow
  record R Real x; end R;
  connector D flow Real x; Real v; end D;
  connector C flow D a; Real u; end C;
  C c;
equation
  c.u = 1; c.a.v = 1;
end FlowAndFlow;

//! ParameterAndInput E0454
//@ 4.4.2 Parameter and input
//~ cannot be
model ParameterAndInput
  parameter input Real x = 1;
end ParameterAndInput;

//! ConstantAndOutput E0454
//@ 4.4.2 Constant and output
//~ cannot be
model ConstantAndOutput
  constant input Real x = 1;
end ConstantAndOutput;

//! DiscreteInteger E0509
//@ 4.5.2 Discrete Integer
//~ is declared discrete, and so it is for a when-clause to determine it
model DiscreteInteger
  discrete Real x;
equation
  x = time;
end DiscreteInteger;

//! ParameterModel E0454
//@ 4.4.2 Parameter model
//~ is a whole component: flow, stream, parameter, constant, discrete, input and output are not for it
model ParameterModel
  model A Real x = 1; end A;
  parameter A a;
end ParameterModel;

//! ParameterConnector E0454
//@ 9.3 Parameter connector
//~ is a connector, and cannot be a parameter or constant
model ParameterConnector
  connector C Real x; flow Real i; end C;
  parameter C a(x = 1, i = 2);
end ParameterConnector;

//! ConstantConnector E0454
//@ 9.3 Constant connector
//~ is a connector, and cannot be a parameter or constant
model ConstantConnector
  connector C Real x; flow Real i; end C;
  constant C a(x = 1, i = 2);
end ConstantConnector;

//! InputAndFlow E0454
//@ 4.4.2 Input and flow
//~ cannot be
model InputAndFlow
  connector C flow input Real x; Real i; end C;
  C a;
equation
  a.i = 1;
end InputAndFlow;

//! FlowParameter E0454
//@ 4.4.2 Flow parameter
//~ cannot be
model FlowParameter
  connector C flow parameter Real x = 1; Real i; end C;
  C a;
equation
  a.i = 1;
end FlowParameter;

//! InputInRecordWithinInput E0454
//@ 4.4.2 Input in record within input
//~ is input or output, so its member
model InputInRecordWithinInput
  connector D input Real x; end D;
  connector C output D d; end C;
  C a;
end InputInRecordWithinInput;

//! StreamWithoutFlow E0722
//@ 15.1 Stream without flow
//~ a connector with a stream variable has one flow variable, a scalar
model StreamWithoutFlow
  connector C stream Real x; Real i; end C;
  C a;
equation
  a.i = 1; a.x = 1;
end StreamWithoutFlow;

//! TwoFlowsAndStream E0722
//@ 15.1 Two flows and stream
//~ a connector with a stream variable has one flow variable, a scalar
model TwoFlowsAndStream
  connector C stream Real x; flow Real i; flow Real j; Real p; Real q; end C;
  C a;
equation
  a.p = 1; a.x = 1; a.q = 1;
end TwoFlowsAndStream;

//! FlowVectorAndStream E0722
//@ 15.1 Flow vector and stream
//~ a connector with a stream variable has one flow variable, a scalar
model FlowVectorAndStream
  connector C stream Real x; flow Real i[2]; Real p[2]; end C;
  C a;
equation
  a.p = {1,1}; a.x = 1;
end FlowVectorAndStream;

//! StreamInteger E0454
//@ 15.1 Stream Integer
//~ cannot be a flow or stream: that is for Real
model StreamInteger
  connector C stream Integer x; flow Real i; Real p; end C;
  C a;
equation
  a.p = 1; a.x = 1;
end StreamInteger;

//! OperatorInModel E0452
//@ 4.7 Operator in model
//~ a model may not have an operator, which belongs into an operator record
model OperatorInModel
  operator '+' function f input Real a; input Real b; output Real c = a; end f; end '+';
  Real x = 1;
end OperatorInModel;

//! OperatorFunctionInModel E0452
//@ 4.7 Operator function in model
//~ a model may not have an operator, which belongs into an operator record
model OperatorFunctionInModel
  operator function '+' input Real a; input Real b; output Real c = a; end '+';
  Real x = 1;
end OperatorFunctionInModel;

//! OperatorWithAComponent E0452
//@ 4.7 Operator with a component
//~ a operator may not have components, but functions only
model OperatorWithAComponent
  operator record R
    Real x;
    encapsulated operator '+' constant Real z = 1; end '+';
  end R;
  R r(x = 1);
end OperatorWithAComponent;

//! ConnectorUnbalanced E0742
//@ 9.3.1 Connector unbalanced
//~ has 2 flows and 1 potential
model ConnectorUnbalanced
  connector C flow Real x; flow Real y; Real i; end C;
  C a;
equation
  a.i = 1;
end ConnectorUnbalanced;

//! BlockWithConnector E0452
//@ 4.7 Block with connector
//~ a block may not have a connector that is neither input nor output
model BlockWithConnector
  connector C flow Real x; Real i; end C;
  block B C c; equation c.i = 1; end B;
  B b;
end BlockWithConnector;

//! BlockWithAConnectorWithoutDirection E0452
//@ 4.7 Block with a connector without direction
//~ a block may not have a connector that is neither input nor output
model BlockWithAConnectorWithoutDirection
  connector C Real i; end C;
  block B C c; equation c.i = 1; end B;
  B b;
end BlockWithAConnectorWithoutDirection;

//! PartialComponent E0411
//@ 4.4 Partial component
//~ cannot be made from it
model PartialComponent
  partial model A Real x = 1; end A;
  A a;
end PartialComponent;

//! SimulatePartial E0411
//@ 4.4 Simulate partial
//~ is partial: it is there to be extended
partial model SimulatePartial
  Real x = 1;
end SimulatePartial;

//! ExpandableWithFlow E0452
//@ 9.1.3 Expandable with flow
//~ a connector may not have a flow if it is expandable
model ExpandableWithFlow
  expandable connector C flow Real x; end C;
  C c;
end ExpandableWithFlow;

//! ClassWithEquationUsedAsRecordValue E0501
//@ 6.7 Class with equation used as record value
//~ is Real, but its value is E
model ClassWithEquationUsedAsRecordValue
  type T = Real;
  type E = enumeration(a, b);
  T t = E.a;
end ClassWithEquationUsedAsRecordValue;

//! ExternalInAModel E0452
//@ 12.9 External in a model
//~ a model may not have an external clause
model ExternalInAModel
  Real x = 1;
external "C";
end ExternalInAModel;

//! ModelInAnOperatorRecord E0452
//@ 4.7 Model in an operator record
//~ a record may not have a model or connector as a component
model ModelInAnOperatorRecord
  model A Real x = 1; end A;
  operator record R A a; end R;
  R r;
end ModelInAnOperatorRecord;

//! ShortClass E0453
//@ 4.6 Short class: record = model
//~ a record cannot extend
model ShortClass
  model A Real x = 1; end A;
  record R = A;
  R r;
end ShortClass;

//! ShortClass2 E0453
//@ 4.6 Short class: type = model
//~ a type cannot extend
model ShortClass2
  model A Real x = 1; end A;
  type R = A;
  R r;
end ShortClass2;

//! ShortClass3 E0453
//@ 4.6 Short class: function = model
//~ a function cannot extend
model ShortClass3
  model A Real x = 1; end A;
  function R = A;
  Real y = R();
end ShortClass3;

//! RecordComponentThatIsConnector E0452
//@ 4.7 Record component that is connector
//~ a record may not have a model or connector as a component
model RecordComponentThatIsConnector
  connector C Real v; end C;
  record R C c; end R;
  R r;
equation
  r.c.v = 1;
end RecordComponentThatIsConnector;

//! InputPrefixOfAModel E0454
//@ 4.4.2 Input prefix of a model
//~ is a whole component: flow, stream, parameter, constant, discrete, input and output are not for it
model InputPrefixOfAModel
  model A Real x = 1; end A;
  input A a;
end InputPrefixOfAModel;

//! ClockInRecord E0724
//@ 12.2 Clock in record
//~ cannot stand in a function
model ClockInRecord
  function f input Real u; output Real y = u; protected Clock c = Clock(0.1); end f;
  Real y = f(time);
end ClockInRecord;
