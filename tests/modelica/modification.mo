// Modifiers, redeclaration, selective extension (specification, chapter 7).

model Spring
  parameter Real c = 1;
  parameter Real s0 = 0;
  Real f(start = 1, min = 0) = c * s0;
end Spring;
model Damper
  parameter Real d = 1;
end Damper;
model Strut
  Spring spring(c = 10);
  Damper damper;
end Strut;

//! NestedModifiers
//+ parameter Real 's.spring.c' = 20.0;
//+ parameter Real 's.spring.s0' = 3.0;
//+ Real 's.spring.f'(start = 4.0, min = 0.0)
model NestedModifiers
  Strut s(spring(c = 20, s0 = 3, f(start = 4)));
end NestedModifiers;

//! ModifiersOfSeveralLevelsMerge
//+ parameter Real 's.spring.c' = 30.0;
//+ parameter Real 's.spring.s0' = 5.0;
//+ parameter Real 's.damper.d' = 6.0;
model StiffStrut
  extends Strut(spring(c = 30), damper(d = 6));
end StiffStrut;
model ModifiersOfSeveralLevelsMerge
  StiffStrut s(spring(s0 = 5));
end ModifiersOfSeveralLevelsMerge;

//! OutermostModifierOfThree
//+ parameter Real 's.spring.c' = 40.0;
model OutermostModifierOfThree
  StiffStrut s(spring(c = 40));
end OutermostModifierOfThree;

//! ModifierOfUnknownNested E0408
//~ 'k'
//~ did you mean
model ModifierOfUnknownNested
  Strut s(spring(k = 1));
end ModifierOfUnknownNested;

//! ModifierInExtendsUnknown E0408
//~ 'nothing'
model ModifierInExtendsUnknown
  extends Strut(nothing = 1);
end ModifierInExtendsUnknown;

//! ModifierOfShortClassUnknown E0408
//~ 'k'
model ModifierOfShortClassUnknown
  model Soft = Spring(k = 1);
  Soft s;
end ModifierOfShortClassUnknown;

//! DoubleNestedModifier E0416
//~ 'c'
//~ the first time here
model DoubleNestedModifier
  Strut s(spring(c = 1, c = 2));
end DoubleNestedModifier;

//! DoubleDottedModifier E0416
//~ the first time here
model DoubleDottedModifier
  Strut s(spring.c = 1, spring(c = 2));
end DoubleDottedModifier;

//! DottedBesidesNested
//+ parameter Real 's.spring.c' = 1.0;
//+ parameter Real 's.spring.s0' = 2.0;
model DottedBesidesNested
  Strut s(spring.c = 1, spring(s0 = 2));
end DottedBesidesNested;

//! DoubleAttribute E0416
//~ 'start'
model DoubleAttribute
  Real x(start = 1, start = 2);
equation
  der(x) = 1;
end DoubleAttribute;

//! DoubleInExtends E0416
model DoubleInExtends
  extends Spring(c = 1, c = 2);
end DoubleInExtends;

//! ValueAndAttributes
//+ Real x(start = 2.0, min = 0.0) = 3.0;
model ValueAndAttributes
  Real x(start = 2, min = 0) = 3;
end ValueAndAttributes;

//! ValueInModifierAndDeclaration
//+ Real 's.f'(start = 1.0, min = 0.0) = 7.0;
model ValueInModifierAndDeclaration
  Spring s(f = 7);
end ValueInModifierAndDeclaration;

//! ModifierTypeMismatch E0501
//~ 'c'
//~ in the component 's'
model ModifierTypeMismatch
  Spring s(c = "stiff");
end ModifierTypeMismatch;

//! ModifierOfWholeModel E0501
model ModifierOfWholeModel
  Spring s = 1;
end ModifierOfWholeModel;

//! BreakRemovesBinding ok
model BreakRemovesBinding
  extends Spring(f = break);
equation
  f = 5;
end BreakRemovesBinding;

//! FinalOfParameter E0410
//~ 'c'
//~ made final here
model FinalStrut
  Strut s(spring(final c = 3));
end FinalStrut;
model FinalOfParameter
  FinalStrut f(s(spring(c = 4)));
end FinalOfParameter;

//! FinalInExtends E0410
model FixedSpring
  extends Spring(final c = 2);
end FixedSpring;
model FinalInExtends
  FixedSpring s(c = 3);
end FinalInExtends;

//! FinalAttribute E0410
//~ 'start'
model FinalAttributeBase
  Real x(final start = 1);
equation
  der(x) = 1;
end FinalAttributeBase;
model FinalAttribute
  FinalAttributeBase b(x(start = 2));
end FinalAttribute;

//! FinalWholeElement E0410
//~ 'spring'
model FinalWholeBase
  final Spring spring;
end FinalWholeBase;
model FinalWholeElement
  FinalWholeBase b(spring(c = 2));
end FinalWholeElement;

//! FinalRedeclared E0410
model FinalRedeclaredBase
  replaceable Spring part;
end FinalRedeclaredBase;
model FinalRedeclaredMiddle
  extends FinalRedeclaredBase(final part(c = 2));
end FinalRedeclaredMiddle;
model FinalRedeclared
  FinalRedeclaredMiddle b(part(c = 3));
end FinalRedeclared;

//! FinalLeavesOthersFree
//+ parameter Real 's.s0' = 9.0;
model FinalLeavesOthersFree
  FixedSpring s(s0 = 9);
end FinalLeavesOthersFree;

//! EachForArrayOfModels
//+ parameter Real 's[1].c' = 5.0;
//+ parameter Real 's[2].c' = 5.0;
model EachForArrayOfModels
  Spring s[2](each c = 5);
end EachForArrayOfModels;

//! EachOnScalar E0508
//~ 'each'
model EachOnScalar
  Spring s(each c = 5);
end EachOnScalar;

//! EachOnScalarAttribute E0508
//~ 'each'
model EachOnScalarAttribute
  Real x(each start = 5);
equation
  der(x) = 1;
end EachOnScalarAttribute;

//! EachAttributeOfArray
//+ Real 'x[1]'(start = 5.0) = 1.0;
//+ Real 'x[2]'(start = 5.0) = 2.0;
model EachAttributeOfArray
  Real x[2](each start = 5) = {1, 2};
end EachAttributeOfArray;

//! ArrayAttributeOfArray
//+ Real 'x[1]'(start = 5.0) = 1.0;
//+ Real 'x[2]'(start = 6.0) = 2.0;
model ArrayAttributeOfArray
  Real x[2](start = {5, 6}) = {1, 2};
end ArrayAttributeOfArray;

//! ScalarAttributeOfArray E0508
model ScalarAttributeOfArray
  Real x[2](start = 5) = {1, 2};
end ScalarAttributeOfArray;

//! ArrayAttributeTooShort E0503
model ArrayAttributeTooShort
  Real x[3](start = {5, 6}) = {1, 2, 3};
end ArrayAttributeTooShort;

//! EachInsideOfArray
//+ parameter Real 's[1].spring.c' = 7.0;
//+ parameter Real 's[2].spring.c' = 7.0;
model EachInsideOfArray
  Strut s[2](each spring(c = 7));
end EachInsideOfArray;

//! ArrayThroughNested
//+ parameter Real 's[1].spring.c' = 7.0;
//+ parameter Real 's[2].spring.c' = 8.0;
model ArrayThroughNested
  Strut s[2](spring(c = {7, 8}));
end ArrayThroughNested;

//! ArrayTooLongForModels E0503
model ArrayTooLongForModels
  Spring s[2](c = {1, 2, 3});
end ArrayTooLongForModels;

//! MatrixOfModels
//+ parameter Real 's[2,1].c' = 3.0;
model MatrixOfModels
  Spring s[2, 2](c = [1, 2; 3, 4]);
end MatrixOfModels;

//! RecordModifiedAndBound
//+ parameter Real 'p.a' = 1.0;
//+ parameter Real 'p.b' = 2.0;
record Pair
  parameter Real a = 1;
  parameter Real b = 0;
end Pair;
model RecordModifiedAndBound
  Pair p(b = 2);
end RecordModifiedAndBound;

//! AttributeOfWrongType E0501
//~ 'start'
model AttributeOfWrongType
  Real x(start = true);
equation
  der(x) = 1;
end AttributeOfWrongType;

//! UnitIsString E0501
//~ 'unit'
model UnitIsString
  Real x(unit = 3) = 1;
end UnitIsString;

//! FixedIsBoolean E0501
//~ 'fixed'
model FixedIsBoolean
  Real x(fixed = 1);
equation
  der(x) = 1;
end FixedIsBoolean;

//! StateSelectIsEnumeration E0501
//~ 'stateSelect'
model StateSelectIsEnumeration
  Real x(stateSelect = 2);
equation
  der(x) = 1;
end StateSelectIsEnumeration;

//! StartIsNotContinuous E0509
//~ 'start'
model StartIsNotContinuous
  Real x(start = time);
equation
  der(x) = 1;
end StartIsNotContinuous;

//! BooleanHasNoUnit E0408
//~ 'unit'
model BooleanHasNoUnit
  Boolean b(unit = "1") = true;
end BooleanHasNoUnit;

//! IntegerHasNoNominal E0408
//~ 'nominal'
model IntegerHasNoNominal
  Integer n(nominal = 1) = 2;
end IntegerHasNoNominal;

//! StringHasNoMinimum E0408
//~ 'min'
model StringHasNoMinimum
  parameter String s(min = "a") = "b";
end StringHasNoMinimum;

//! IntegerAttributes
//+ Integer n(start = 1, min = 0, max = 9) = 3;
model IntegerAttributes
  Integer n(start = 1, min = 0, max = 9) = 3;
end IntegerAttributes;

//! EnumerationAttributes
//+ (start = Shade.dark)
type Shade = enumeration(light, dark);
model EnumerationAttributes
  Shade s(start = Shade.dark) = Shade.light;
end EnumerationAttributes;

// Redeclaration (7.3).

partial model Joint
  parameter Real q = 0;
end Joint;
model Hinge
  extends Joint(q = 1);
  parameter Real friction = 0.5;
end Hinge;
model Slider
  extends Joint(q = 2);
  parameter Real length = 4;
end Slider;
model Arm
  replaceable Hinge joint constrainedby Joint;
end Arm;

//! RedeclareDropsOldModifiers
//+ parameter Real 'a.joint.q' = 2.0;
//+ parameter Real 'a.joint.length' = 4.0;
model RedeclareDropsOldModifiers
  Arm a(redeclare Slider joint);
end RedeclareDropsOldModifiers;

//! RedeclareInDerived
//+ parameter Real 'joint.length' = 6.0;
model RedeclareInDerived
  extends Arm(redeclare Slider joint(length = 6));
end RedeclareInDerived;

//! RedeclareElementInDerived
//+ parameter Real 'joint.length' = 7.0;
model RedeclareElementInDerived
  extends Arm;
  redeclare Slider joint(length = 7);
end RedeclareElementInDerived;

//! RedeclareOfRedeclared
//+ parameter Real 'b.joint.friction' = 0.25;
model OpenArm
  extends Arm(redeclare replaceable Slider joint constrainedby Joint);
end OpenArm;
model RedeclareOfRedeclared
  OpenArm b(redeclare Hinge joint(friction = 0.25));
end RedeclareOfRedeclared;

//! RedeclaredIsNotReplaceableAnyMore E0409
//~ 'joint'
model ClosedArm
  extends Arm(redeclare Slider joint);
end ClosedArm;
model RedeclaredIsNotReplaceableAnyMore
  ClosedArm b(redeclare Hinge joint);
end RedeclaredIsNotReplaceableAnyMore;

//! RedeclareUnknown E0408
//~ 'wheel'
model RedeclareUnknown
  Arm a(redeclare Slider wheel);
end RedeclareUnknown;

//! RedeclareWithUnknownType E0402
//~ 'Sliders'
model RedeclareWithUnknownType
  Arm a(redeclare Sliders joint);
end RedeclareWithUnknownType;

//! RedeclareComponentAsClass E0409
//~ 'joint'
model RedeclareComponentAsClass
  Arm a(redeclare model joint = Slider);
end RedeclareComponentAsClass;

//! RedeclareElementNotInherited E0408
//~ 'joint'
model RedeclareElementNotInherited
  redeclare Slider joint;
end RedeclareElementNotInherited;

//! RedeclareElementNotReplaceable E0409
//~ 'spring'
model RedeclareElementNotReplaceable
  extends Strut;
  redeclare Spring spring(c = 5);
end RedeclareElementNotReplaceable;

//! RedeclareTwice E0416
model RedeclareTwice
  Arm a(redeclare Slider joint, redeclare Hinge joint);
end RedeclareTwice;

//! RedeclareArray
//+ parameter Real 'r.joints[2].length' = 4.0;
model Robot
  replaceable Hinge joints[2] constrainedby Joint;
end Robot;
model RedeclareArray
  Robot r(redeclare Slider joints[2]);
end RedeclareArray;

//! RedeclareVariability
//+ parameter Real 'm.k' = 3.0;
model RedeclareVariability
  model M
    replaceable Real k = 1;
  end M;
  M m(redeclare parameter Real k = 3);
end RedeclareVariability;

//! RedeclareModelUsedTwice
//+ parameter Real 't.a.length' = 4.0;
//+ parameter Real 't.b.length' = 5.0;
model RedeclareModelUsedTwice
  model Twin
    replaceable model J = Hinge constrainedby Joint;
    J a, b(q = 9);
  end Twin;
  Twin t(redeclare model J = Slider, b(length = 5));
end RedeclareModelUsedTwice;

//! RedeclareModelNotReplaceable E0409
model RedeclareModelNotReplaceable
  model Twin
    model J = Hinge;
    J a;
  end Twin;
  Twin t(redeclare model J = Slider);
end RedeclareModelNotReplaceable;

//! RedeclareFunction
//+ parameter Real 'u.y' = 9.0;
model RedeclareFunction
  function line
    input Real u;
    output Real y = u;
  algorithm
  end line;
  function parabola
    input Real u;
    output Real y = u * u;
  algorithm
  end parabola;
  model Uses
    replaceable function f = line;
    parameter Real y = f(3);
  end Uses;
  Uses u(redeclare function f = parabola);
end RedeclareFunction;

//! RedeclarePackageConstantsFollow
//+ Real 'p.x' = 30.0;
package Steel
  constant Real k = 10;
end Steel;
package Copper
  constant Real k = 30;
end Copper;
model RedeclarePackageConstantsFollow
  model Pipe
    replaceable package Wall = Steel;
    Real x = Wall.k;
  end Pipe;
  Pipe p(redeclare package Wall = Copper);
end RedeclarePackageConstantsFollow;

//! RedeclareRecord
//+ parameter Real 'm.d.extra' = 5.0;
model RedeclareRecord
  record Data
    parameter Real a = 1;
  end Data;
  record More
    extends Data;
    parameter Real extra = 5;
  end More;
  model M
    replaceable Data d;
  end M;
  M m(redeclare More d);
end RedeclareRecord;

//! RedeclareType
//+ Real 'm.x'(unit = "m", min = 0.0) = 1.0;
model RedeclareType
  type Length = Real(unit = "m");
  model M
    replaceable type T = Real;
    T x(min = 0) = 1;
  end M;
  M m(redeclare type T = Length);
end RedeclareType;

//! ExtendsRedeclaredClass
//+ Real 'd.x' = 3.0;
package Kit
  replaceable model Core
    Real x = 1;
  end Core;
  model Device
    extends Core;
  end Device;
end Kit;
package OtherKit
  extends Kit;
  redeclare model Core
    Real x = 3;
  end Core;
end OtherKit;
model ExtendsRedeclaredClass
  OtherKit.Device d;
end ExtendsRedeclaredClass;

//! ClassExtendsModifies
//+ Real 'c.x' = 4.0;
//+ Real 'c.y' = 5.0;
package ThirdKit
  extends Kit;
  redeclare model extends Core(x = 4)
    Real y = 5;
  end Core;
end ThirdKit;
model ClassExtendsModifies
  ThirdKit.Core c;
end ClassExtendsModifies;

//! ClassExtendsNothing E0402
//~ 'Shell'
package FourthKit
  extends Kit;
  redeclare model extends Shell
    Real y = 5;
  end Shell;
end FourthKit;
model ClassExtendsNothing
  FourthKit.Shell s;
end ClassExtendsNothing;

//! ClassExtendsNotReplaceable E0409 E0459
//~ 'Device'
package FifthKit
  extends Kit;
  redeclare model extends Device
    Real y = 5;
  end Device;
end FifthKit;
model ClassExtendsNotReplaceable
  FifthKit.Device s;
end ClassExtendsNotReplaceable;

//! BreakUnknown E0408
//~ there is no such element in 'Strut'
model BreakUnknown
  extends Strut(break wheel);
end BreakUnknown;

//! BreakThenModify E0408
//~ 'damper'
model BreakThenModify
  extends Strut(break damper, damper(d = 1));
end BreakThenModify;

//! BreakInModifierOfComponent
//+ parameter Real 'spring.c' = 10.0;
model BreakInModifierOfComponent
  extends Strut(break damper);
end BreakInModifierOfComponent;

//! ConditionOfParameter
//+ parameter Real 'a.c' = 1.0;
model ConditionOfParameter
  parameter Integer n = 2;
  Spring a if n > 1;
  Spring b if n > 2;
end ConditionOfParameter;

//! ConditionIsNoBoolean E0501
model ConditionIsNoBoolean
  Spring a if 1;
end ConditionIsNoBoolean;

//! ConditionOfVariable E0603
model ConditionOfVariable
  Boolean b = time > 1;
  Spring a if b;
end ConditionOfVariable;

//! ConditionalUsed E0507
//~ 'a'
model ConditionalUsed
  parameter Boolean use = false;
  Spring a if use;
  Real y = a.f;
end ConditionalUsed;

//! ConditionalArray
//+ parameter Real 'a[2].c' = 1.0;
model ConditionalArray
  Spring a[2] if true;
  Spring b[2] if false;
end ConditionalArray;

//! ExtendsOfComponent E0403
model ExtendsOfComponent
  Real x = 1;
  extends x;
end ExtendsOfComponent;

//! CyclicExtendsByShortClass E0406
model CyclicExtendsByShortClass = CyclicShortPartner;
model CyclicShortPartner = CyclicExtendsByShortClass;

//! CyclicExtendsOfInner E0406
//~ extends itself
model CyclicExtendsOfInner
  extends CyclicExtendsOfInner.Part;
  model Part
    extends CyclicExtendsOfInner;
  end Part;
end CyclicExtendsOfInner;

//! SelfContainingByArray E0407
//~ 'Chain'
model SelfContainingByArray
  model Chain
    Chain next[2];
  end Chain;
  Chain c;
end SelfContainingByArray;

//! SelfContainingRecord E0407
model SelfContainingRecord
  record List
    Real x = 1;
    List rest;
  end List;
  List l;
end SelfContainingRecord;

//! SelfContainingByExtends E0407
model SelfContainingByExtends
  model A
    B b;
  end A;
  model B
    extends A;
  end B;
  A a;
end SelfContainingByExtends;

//! TypeErrorDeepInside E0501
//~ in the component 'rows[1].cells[1]'
//~ in the component 'rows[1]'
model TypeErrorDeepInside
  record Cell
    Real value = "empty";
  end Cell;
  record Row
    Cell cells[3];
  end Row;
  Row rows[2];
end TypeErrorDeepInside;

//! SizeErrorDeepInside E0501
//~ in the component 'racks[2].shelf'
model SizeErrorDeepInside
  model Shelf
    parameter Integer n = 2;
    parameter Real load[n] = {1, 2};
  end Shelf;
  model Rack
    parameter Integer n = 2;
    Shelf shelf(n = n);
  end Rack;
  Rack racks[2](n = {2, 3});
end SizeErrorDeepInside;

//! InheritedDeclaredAgain E0417
//~ 'c'
//~ the other declaration
model InheritedDeclaredAgain
  extends Spring;
  Integer c = 3;
end InheritedDeclaredAgain;

//! InheritedDeclaredTheSame
//+ parameter Real c = 1.0;
model InheritedDeclaredTheSame
  extends Spring;
  parameter Real c = 1;
end InheritedDeclaredTheSame;

//! RedeclareKeepsSizes
//+ parameter Real 'r.joints[2].length' = 5.0;
model RedeclareKeepsSizes
  Robot r(redeclare Slider joints(each length = 5));
end RedeclareKeepsSizes;
