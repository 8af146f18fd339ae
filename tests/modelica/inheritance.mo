// Inheritance and modification (specification, chapter 7).

//! ExtendsBringsElements
//=   parameter Real k = 1.0;
//=   Real x;
//= equation
//=   der(x) = k;
partial model Base
  parameter Real k = 1;
  Real x;
equation
  der(x) = k;
end Base;
model ExtendsBringsElements
  extends Base;
end ExtendsBringsElements;

//! ExtendsModifies
//=   parameter Real k = 2.0;
//=   Real x(start = 3.0);
//= equation
//=   der(x) = k;
model ExtendsModifies
  extends Base(k = 2, x(start = 3));
end ExtendsModifies;

//! OuterModifierWins
//=   parameter Real 'm.b.k' = 3.0;
//=   Real 'm.b.x'(start = 1.0);
//= equation
//=   der('m.b.x') = 'm.b.k';
model Middle
  Base2 b(k = 2, x(start = 1));
end Middle;
model Base2
  extends Base(k = 5);
end Base2;
model OuterModifierWins
  Middle m(b(k = 3));
end OuterModifierWins;

//! DottedModifier
//=   parameter Real 'm.b.k' = 4.0;
//=   Real 'm.b.x'(start = 7.0);
//= equation
//=   der('m.b.x') = 'm.b.k';
model DottedModifier
  Middle m(b.k = 4, b.x.start = 7);
end DottedModifier;

//! ModifierScopeIsWhereItIsWritten
//=   parameter Real k = 9.0;
//=   parameter Real 'b.k' = k;
//=   Real 'b.x';
//= equation
//=   der('b.x') = 'b.k';
model ModifierScopeIsWhereItIsWritten
  parameter Real k = 9;
  Base2 b(k = k);
end ModifierScopeIsWhereItIsWritten;

//! BaseDoesNotSeeDerivedNames E0401
model UsesUnknown
  Real y = hidden;
end UsesUnknown;
model BaseDoesNotSeeDerivedNames
  extends UsesUnknown;
  Real hidden = 1;
end BaseDoesNotSeeDerivedNames;

//! ShortClass
//=   Real u(unit = "V", min = 1000.0) = 2000.0;
//=   Real v(unit = "kV", min = 0.0) = 1.0;
type Voltage = Real(unit = "V", min = 0);
type HighVoltage = Voltage(min = 1000);
model ShortClass
  HighVoltage u = 2000;
  Voltage v(unit = "kV") = 1;
end ShortClass;

//! ArrayType
//=   Real 'v[1,1]' = 1.0;
//=   Real 'v[1,2]' = 2.0;
//=   Real 'v[1,3]' = 3.0;
//=   Real 'v[2,1]' = 4.0;
//=   Real 'v[2,2]' = 5.0;
//=   Real 'v[2,3]' = 6.0;
type Vector = Real[3];
model ArrayType
  Vector v[2] = {{1, 2, 3}, {4, 5, 6}};
end ArrayType;

//! EachElementGetsItsSlice
//=   parameter Real 'a[1].p' = 1.0;
//=   parameter Real 'a[1].q[1]' = 3.0;
//=   parameter Real 'a[1].q[2]' = 4.0;
//=   parameter Real 'a[2].p' = 2.0;
//=   parameter Real 'a[2].q[1]' = 3.0;
//=   parameter Real 'a[2].q[2]' = 4.0;
//=   parameter Real 'b[1].p' = 0.0;
//=   parameter Real 'b[1].q[1]' = 5.0;
//=   parameter Real 'b[1].q[2]' = 6.0;
//=   parameter Real 'b[2].p' = 0.0;
//=   parameter Real 'b[2].q[1]' = 7.0;
//=   parameter Real 'b[2].q[2]' = 8.0;
model Leaf
  parameter Real p = 0;
  parameter Real q[2] = {0, 0};
end Leaf;
model EachElementGetsItsSlice
  Leaf a[2](p = {1, 2}, each q = {3, 4});
  Leaf b[2](q = {{5, 6}, {7, 8}});
end EachElementGetsItsSlice;

//! MissingEach E0508
model MissingEach
  Leaf a[2](p = 1);
end MissingEach;

//! SliceTooShort E0503
model SliceTooShort
  Leaf a[3](p = {1, 2});
end SliceTooShort;

//! ModifiesNothing E0408
model ModifiesNothing
  Leaf a(r = 1);
end ModifiesNothing;

//! UnknownAttribute E0408
model UnknownAttribute
  Real x(strat = 1) = 1;
end UnknownAttribute;

//! RedeclareComponent
//=   parameter Real 'p.part.T' = 5.0;
//=   parameter Real 'p.part.gain' = 7.0;
model Slow
  parameter Real T = 1;
end Slow;
model Fast
  extends Slow(T = 0.1);
  parameter Real gain = 2;
end Fast;
model Plant
  replaceable Slow part constrainedby Slow(T = 5);
end Plant;
model RedeclareComponent
  Plant p(redeclare Fast part(gain = 7));
end RedeclareComponent;

//! RedeclareClass
//=   parameter Real 't.left.T' = 0.1;
//=   parameter Real 't.left.gain' = 3.0;
//=   parameter Real 't.right.T' = 8.0;
//=   parameter Real 't.right.gain' = 3.0;
model Tank
  replaceable model Wall = Slow;
  Wall left, right(T = 8);
end Tank;
model RedeclareClass
  Tank t(redeclare model Wall = Fast(gain = 3));
end RedeclareClass;

//! RedeclareInBody
//=   parameter Real 'left.T' = 0.1;
//=   parameter Real 'left.gain' = 2.0;
//=   parameter Real 'right.T' = 8.0;
//=   parameter Real 'right.gain' = 2.0;
model RedeclareInBody
  extends Tank;
  redeclare model Wall = Fast;
end RedeclareInBody;

//! RedeclarePackage
//=   Real 'a.d' = 980.0;
//=   parameter Real 'a.r' = 1000.0;
//=   Real 'b.d' = 780.0;
//=   parameter Real 'b.r' = 800.0;
package Water
  constant Real rho = 1000;
  function density
    input Real T;
    output Real d;
  algorithm
    d := rho - T;
  end density;
end Water;
package Oil
  extends Water(rho = 800);
end Oil;
model Pipe
  replaceable package Medium = Water;
  Real d = Medium.density(20);
  parameter Real r = Medium.rho;
end Pipe;
model RedeclarePackage
  Pipe a;
  Pipe b(redeclare package Medium = Oil);
end RedeclarePackage;

//! NotReplaceable E0409
model FixedPart
  Slow part;
end FixedPart;
model NotReplaceable
  FixedPart p(redeclare Fast part);
end NotReplaceable;

//! CyclicExtends E0406
model CyclicExtends
  extends CyclicPartner;
end CyclicExtends;
model CyclicPartner
  extends CyclicExtends;
end CyclicPartner;

//! SelfContaining E0407
model SelfContaining
  SelfContaining inside;
end SelfContaining;

//! UnknownBase E0402
model UnknownBase
  extends Nowhere;
end UnknownBase;

//! DoubleElement E0405
model DoubleElement
  Real x = 1;
  Integer x = 2;
end DoubleElement;

//! PartialComponent E0411
model PartialComponent
  Base b;
end PartialComponent;

//! PackageAsType E0413
model PackageAsType
  Water w;
end PackageAsType;

//! ComponentAsType E0403
model ComponentAsType
  Real a = 1;
  a b;
end ComponentAsType;

//! BreakRemovesComponent
//=   Real a = 1.0;
model Two
  Real a = 1;
  Real b = 2;
end Two;
model BreakRemovesComponent
  extends Two(break b);
end BreakRemovesComponent;

//! ClassExtends
//=   Real 'p.x' = 1.0;
//=   Real 'p.y' = 2.0;
package Basic
  replaceable model Part
    Real x = 1;
  end Part;
end Basic;
package Special
  extends Basic;
  redeclare model extends Part
    Real y = 2;
  end Part;
end Special;
model ClassExtends
  Special.Part p;
end ClassExtends;

//! FinalElement E0410
model Sealed
  final parameter Real k = 1;
end Sealed;
model FinalElement
  Sealed s(k = 2);
end FinalElement;

//! FinalModifier E0410
model HasFinalModifier
  Leaf l(final p = 1);
end HasFinalModifier;
model FinalModifier
  HasFinalModifier h(l(p = 2));
end FinalModifier;

//! FinalIsKept
//=   final parameter Real 'h.l.p' = 1.0;
//=   parameter Real 'h.l.q[1]' = 0.0;
//=   parameter Real 'h.l.q[2]' = 0.0;
model FinalIsKept
  HasFinalModifier h;
end FinalIsKept;

//! TypeExtendsArrayType
//=   Real 'T[1,1]'(unit = "1") = 1.0;
//=   Real 'T[1,2]'(unit = "1") = 0.0;
//=   Real 'T[2,1]'(unit = "1") = 0.0;
//=   Real 'T[2,2]'(unit = "1") = 1.0;
type Matrix = Real[2, 2];
type Orientation
  extends Matrix(each unit = "1");
end Orientation;
model TypeExtendsArrayType
  Orientation T = {{1, 0}, {0, 1}};
end TypeExtendsArrayType;

//! DoubleModifier E0416
model DoubleModifier
  Leaf a(p = 1, p = 2);
end DoubleModifier;

//! InheritedTwiceTheSame
//=   Real speed = 1.0;
partial model HasSpeed
  Real speed = 1;
end HasSpeed;
model InheritedTwiceTheSame
  extends HasSpeed;
  extends HasSpeed;
end InheritedTwiceTheSame;

//! InheritedTwiceDifferently E0417
partial model HasSpeedLevel
  Integer speed = 1;
end HasSpeedLevel;
model InheritedTwiceDifferently
  extends HasSpeed;
  extends HasSpeedLevel;
end InheritedTwiceDifferently;

//! FlattenPartial E0411
partial model FlattenPartial
  Real x = 1;
end FlattenPartial;

//! FlattenFunction E0414
function FlattenFunction
  input Real u;
  output Real y = u;
algorithm
end FlattenFunction;

//! SelfContainingManyTimes E0407
model SelfContainingManyTimes
  SelfContainingManyTimes a, b, c, d;
end SelfContainingManyTimes;

//! ContainEachOther E0407
model ContainEachOther
  Partner p, q;
end ContainEachOther;
model Partner
  ContainEachOther a, b;
end Partner;

//! DoublingBases E0607
model D0
  Real x = 1;
end D0;
model D1
  extends D0;
  extends D0;
end D1;
model D2
  extends D1;
  extends D1;
end D2;
model D3
  extends D2;
  extends D2;
end D3;
model D4
  extends D3;
  extends D3;
end D4;
model D5
  extends D4;
  extends D4;
end D5;
model D6
  extends D5;
  extends D5;
end D6;
model D7
  extends D6;
  extends D6;
end D7;
model D8
  extends D7;
  extends D7;
end D8;
model D9
  extends D8;
  extends D8;
end D9;
model D10
  extends D9;
  extends D9;
end D10;
model D11
  extends D10;
  extends D10;
end D11;
model D12
  extends D11;
  extends D11;
end D12;
model D13
  extends D12;
  extends D12;
end D13;
model D14
  extends D13;
  extends D13;
end D14;
model D15
  extends D14;
  extends D14;
end D15;
model D16
  extends D15;
  extends D15;
end D16;
model D17
  extends D16;
  extends D16;
end D17;
model D18
  extends D17;
  extends D17;
end D18;
model D19
  extends D18;
  extends D18;
end D19;
model D20
  extends D19;
  extends D19;
end D20;
model D21
  extends D20;
  extends D20;
end D21;
model D22
  extends D21;
  extends D21;
end D22;
model D23
  extends D22;
  extends D22;
end D23;
model D24
  extends D23;
  extends D23;
end D24;
model D25
  extends D24;
  extends D24;
end D25;
model D26
  extends D25;
  extends D25;
end D26;
model D27
  extends D26;
  extends D26;
end D27;
model D28
  extends D27;
  extends D27;
end D28;
model D29
  extends D28;
  extends D28;
end D29;
model D30
  extends D29;
  extends D29;
end D30;
model DoublingBases
  extends D30;
end DoublingBases;
