// Kinds of classes, prefixes, what may extend what (specification, chapters 4.4 to 4.7 and 7.1.3), balance (4.8, 9.3.1).

//! RecordWithEquation E0452
//~ record
record RecordWithEquationType
  Real x;
equation
  x = 1;
end RecordWithEquationType;
model RecordWithEquation
  RecordWithEquationType r;
end RecordWithEquation;

//! RecordWithModel E0452
//~ 'm'
model Tool
  Real x = 1;
end Tool;
record RecordWithModelType
  Tool m;
end RecordWithModelType;
model RecordWithModel
  RecordWithModelType r;
end RecordWithModel;

//! RecordWithInput E0452
//~ 'u'
record RecordWithInputType
  input Real u;
end RecordWithInputType;
model RecordWithInput
  RecordWithInputType r(u = 1);
end RecordWithInput;

//! RecordWithProtected E0452
//~ 'p'
record RecordWithProtectedType
  Real x = 1;
protected
  Real p = 2;
end RecordWithProtectedType;
model RecordWithProtected
  RecordWithProtectedType r;
end RecordWithProtected;

//! ConnectorWithEquation E0452
//~ connector
connector ConnectorWithEquationType
  Real v;
  flow Real i;
equation
  v = i;
end ConnectorWithEquationType;
model ConnectorWithEquation
  ConnectorWithEquationType c;
end ConnectorWithEquation;

//! ConnectorWithProtected E0452
//~ 'p'
connector ConnectorWithProtectedType
  Real v;
  flow Real i;
protected
  parameter Real p = 1;
end ConnectorWithProtectedType;
model ConnectorWithProtected
  ConnectorWithProtectedType c;
equation
  c.v = 1;
end ConnectorWithProtected;

//! PackageWithVariable E0452
//~ 'x'
package PackageWithVariableType
  Real x = 1;
  constant Real c = 1;
end PackageWithVariableType;
model PackageWithVariable
  Real y = PackageWithVariableType.c;
end PackageWithVariable;

//! PackageWithEquation E0452
//~ package
package PackageWithEquationType
  constant Real c = 1;
equation
  c = 2;
end PackageWithEquationType;
model PackageWithEquation
  Real y = PackageWithEquationType.c;
end PackageWithEquation;

//! TypeWithElements E0452
//~ type
type TypeWithElementsType
  extends Real;
  Real x;
end TypeWithElementsType;
model TypeWithElements
  TypeWithElementsType t = 1;
end TypeWithElements;

//! BlockNeedsCausality E0452
//~ 'p'
connector Flange
  Real s;
  flow Real f;
end Flange;
block BlockNeedsCausalityType
  Flange p;
equation
  p.s = 1;
end BlockNeedsCausalityType;
model BlockNeedsCausality
  BlockNeedsCausalityType b;
end BlockNeedsCausality;

//! BlockWithSignals ok
connector In = input Real;
connector Out = output Real;
block BlockWithSignals
  In u;
  Out y = 2 * u;
end BlockWithSignals;

//! FunctionWithModel E0452
//~ 'm'
function FunctionWithModelType
  input Real u;
  output Real y = u;
protected
  Tool m;
algorithm
end FunctionWithModelType;
model FunctionWithModel
  Real x = FunctionWithModelType(time);
end FunctionWithModel;

//! FunctionWithPublicVariable E0452
//~ 'k'
function FunctionWithPublicVariableType
  input Real u;
  output Real y;
  Real k;
algorithm
  k := 2;
  y := k * u;
end FunctionWithPublicVariableType;
model FunctionWithPublicVariable
  Real x = FunctionWithPublicVariableType(time);
end FunctionWithPublicVariable;

//! FunctionWithProtectedInput E0452
//~ 'u'
function FunctionWithProtectedInputType
  output Real y = 1;
protected
  input Real u;
algorithm
end FunctionWithProtectedInputType;
model FunctionWithProtectedInput
  Real x = FunctionWithProtectedInputType(time);
end FunctionWithProtectedInput;

//! FunctionWithTwoAlgorithms E0452
//~ algorithm
function FunctionWithTwoAlgorithmsType
  input Real u;
  output Real y;
algorithm
  y := u;
algorithm
  y := 2 * y;
end FunctionWithTwoAlgorithmsType;
model FunctionWithTwoAlgorithms
  Real x = FunctionWithTwoAlgorithmsType(time);
end FunctionWithTwoAlgorithms;

//! ExternalWithAlgorithm E0452
//~ external
function ExternalWithAlgorithmType
  input Real u;
  output Real y;
algorithm
  y := u;
  external "C" y = sin(u);
end ExternalWithAlgorithmType;
model ExternalWithAlgorithm
  Real x = ExternalWithAlgorithmType(time);
end ExternalWithAlgorithm;

//! FunctionWithInitialAlgorithm E0452
function FunctionWithInitialAlgorithmType
  input Real u;
  output Real y;
initial algorithm
  y := u;
end FunctionWithInitialAlgorithmType;
model FunctionWithInitialAlgorithm
  Real x = FunctionWithInitialAlgorithmType(time);
end FunctionWithInitialAlgorithm;

// Base classes.

//! ModelExtendsFunction E0453
//~ 'sine'
function sine
  input Real u;
  output Real y = sin(u);
algorithm
end sine;
model ModelExtendsFunction
  extends sine;
end ModelExtendsFunction;

//! FunctionExtendsModel E0453
function FunctionExtendsModelType
  extends Tool;
  output Real y = 1;
algorithm
end FunctionExtendsModelType;
model FunctionExtendsModel
  Real x = FunctionExtendsModelType();
end FunctionExtendsModel;

//! RecordExtendsModel E0453
//~ 'Tool'
record RecordExtendsModelType
  extends Tool;
end RecordExtendsModelType;
model RecordExtendsModel
  RecordExtendsModelType r;
end RecordExtendsModel;

//! PackageExtendsModel E0453
package PackageExtendsModelType
  extends Tool;
  constant Real c = 1;
end PackageExtendsModelType;
model PackageExtendsModel
  Real x = PackageExtendsModelType.c;
end PackageExtendsModel;

//! ModelExtendsPackage E0453
package Constants
  constant Real c = 1;
end Constants;
model ModelExtendsPackage
  extends Constants;
end ModelExtendsPackage;

//! BlockExtendsModel E0453
block BlockExtendsModelType
  extends Tool;
end BlockExtendsModelType;
model BlockExtendsModel
  BlockExtendsModelType b;
end BlockExtendsModel;

//! ModelExtendsConnector E0453
model ModelExtendsConnector
  extends Flange;
end ModelExtendsConnector;

//! ModelExtendsBlock ok
block Twice
  input Real u;
  output Real y = 2 * u;
end Twice;
model ModelExtendsBlock
  extends Twice;
end ModelExtendsBlock;

//! ModelExtendsRecord
//+ Real x = 1.0;
record Point
  Real x = 1;
end Point;
model ModelExtendsRecord
  extends Point;
end ModelExtendsRecord;

//! ConnectorExtendsRecord ok
connector Port
  extends PortData;
  flow Real f;
end Port;
record PortData
  Real e;
end PortData;
model ConnectorExtendsRecord
  Port p;
equation
  p.e = 1;
end ConnectorExtendsRecord;

//! ModelExtendsType E0453
model ModelExtendsType
  extends Real;
end ModelExtendsType;

//! ShortModelOfRecord E0453
model ShortModelOfRecord
  record Bad = Tool;
  Bad b;
end ShortModelOfRecord;

// Prefixes.

//! FlowOfInteger E0454
//~ 'n'
connector FlowOfIntegerType
  Integer v;
  flow Integer n;
end FlowOfIntegerType;
model FlowOfInteger
  FlowOfIntegerType c;
equation
  c.v = 1;
end FlowOfInteger;

//! FlowOutsideOfConnector E0454
//~ 'i'
model FlowOutsideOfConnector
  flow Real i = 1;
end FlowOutsideOfConnector;

//! StreamOutsideOfConnector E0454
//~ 'h'
model StreamOutsideOfConnector
  stream Real h = 1;
end StreamOutsideOfConnector;

//! FlowTwice E0454
//~ 'r'
record Amount
  Real q;
end Amount;
connector FlowTwiceInner
  flow Real q;
end FlowTwiceInner;
connector FlowTwiceType
  Real v;
  flow FlowTwiceInner r;
end FlowTwiceType;
model FlowTwice
  FlowTwiceType c;
equation
  c.v = 1;
end FlowTwice;

//! FlowRecord
//+ Real 'c.r.q';
connector FlowRecordType
  Real v;
  flow Amount r;
end FlowRecordType;
model FlowRecord
  FlowRecordType c;
equation
  c.v = 1;
end FlowRecord;

//! ParameterModel E0454
//~ 't'
model ParameterModel
  parameter Tool t;
end ParameterModel;

//! InputModel E0454
model InputModel
  input Tool t;
end InputModel;

//! ParameterRecord
//+ parameter Real 'p.x' = 1.0;
model ParameterRecord
  parameter Point p;
end ParameterRecord;

//! ConstantRecord
//+ Real y = 2.0;
model ConstantRecord
  constant Point p(x = 2);
  Real y = p.x;
end ConstantRecord;

//! DiscreteVariable ok
model DiscreteVariable
  discrete Real x(start = 0);
equation
  when time > 1 then
    x = pre(x) + 1;
  end when;
end DiscreteVariable;

//! DiscreteIsContinuous E0509
//~ 'x'
model DiscreteIsContinuous
  discrete Real x = time;
end DiscreteIsContinuous;

//! BooleanFromReal E0501
model BooleanFromReal
  Boolean b = time;
end BooleanFromReal;

//! IntegerFromContinuous ok
model IntegerFromContinuous
  Integer n = integer(time);
end IntegerFromContinuous;

//! ConstantFromParameter E0509
//~ 'c'
model ConstantFromParameter
  parameter Real p = 1;
  constant Real c = p;
end ConstantFromParameter;

//! ConstantWithoutValue E0601
//~ 'c'
model ConstantWithoutValue
  constant Real c;
  Real x = c;
end ConstantWithoutValue;

//! ParameterFromTime E0509
model ParameterFromTime
  parameter Real p = time;
end ParameterFromTime;

//! ParameterFromDiscrete E0509
model ParameterFromDiscrete
  Integer n = integer(time);
  parameter Integer p = n;
end ParameterFromDiscrete;

//! ParameterFromParameter
//+ parameter Real q = 2 * p;
model ParameterFromParameter
  parameter Real p = 1;
  parameter Real q = 2 * p;
end ParameterFromParameter;

//! NamesOfPredefined E0405
model NamesOfPredefined
  Real x = 1;
  Real x = 2;
end NamesOfPredefined;

//! PartialModelOfComponent E0411
//~ 'p'
partial model Half
  Real x = 1;
end Half;
model PartialModelOfComponent
  Half p;
end PartialModelOfComponent;

//! ReplaceablePartialNotReplaced E0411
//~ 'm.part'
model ReplaceablePartialNotReplaced
  model M
    replaceable Half part;
  end M;
  M m;
end ReplaceablePartialNotReplaced;

//! ReplaceablePartialReplaced
//+ Real 'm.part.x' = 1.0;
model Whole
  extends Half;
end Whole;
model ReplaceablePartialReplaced
  model M
    replaceable Half part;
  end M;
  M m(redeclare Whole part);
end ReplaceablePartialReplaced;

//! FlattenConnector E0414
connector FlattenConnector
  Real e;
  flow Real f;
end FlattenConnector;

//! FlattenRecord E0414
record FlattenRecord
  Real x = 1;
end FlattenRecord;

//! FlattenPackage E0414
package FlattenPackage
end FlattenPackage;

//! FlattenType E0414
type FlattenType = Real;

// Balance.

//! ConnectorNotBalanced E0742
//~ 1 flow
//~ 2
connector ThreeWires
  Real a;
  Real b;
  flow Real f;
end ThreeWires;
model ConnectorNotBalanced
  ThreeWires w;
equation
  w.a = 1;
  w.b = 2;
end ConnectorNotBalanced;

//! ConnectorWithCausality ok
connector MixedPort
  Real e;
  flow Real f;
  input Real u;
  output Real y;
end MixedPort;
model ConnectorWithCausality
  MixedPort p;
equation
  p.e = p.u;
  p.y = 2;
end ConnectorWithCausality;

//! MissingEquation E0703
//~ 'y' is in no equation
model MissingEquation
  Real x = 1;
  Real y;
end MissingEquation;

//! GivenTwice E0703
//~ 'x'
model GivenTwice
  Real x = 1;
equation
  x = 2;
end GivenTwice;

//! SolvedTwice E0703
//~ 'x'
model SolvedTwice
  Real x;
equation
  x = 1;
  x = time;
end SolvedTwice;

//! TopInputIsKnown ok
model TopInputIsKnown
  input Real u;
  output Real y = 2 * u;
end TopInputIsKnown;

//! UnconnectedInput E0703
//~ 'b.u'
model UnconnectedInput
  Twice b;
end UnconnectedInput;

//! InputGivenByModifier ok
model InputGivenByModifier
  Twice b(u = time);
end InputGivenByModifier;

//! ComponentWithoutEquation E0703
//~ 'half.y' is in no equation
model ComponentWithoutEquation
  model HalfDone
    Real x, y;
  equation
    x = time;
  end HalfDone;
  HalfDone half;
  Tool t;
end ComponentWithoutEquation;

//! ComponentOfFunction E0413
model ComponentOfFunction
  function f
    input Real u;
    output Real y = u;
  end f;
  f g;
end ComponentOfFunction;

//! ComponentOfPackage E0413
model ComponentOfPackage
  package P
    constant Real c = 1;
  end P;
  P g;
  Real x = g.c;
end ComponentOfPackage;
