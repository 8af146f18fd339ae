// Visibility, imports, encapsulation, inner and outer (specification, chapters 4.1, 5 and 13.2).

package Stock
  constant Real pi = 3.25;
  constant Integer many = 4;
  package Parts
    model Wheel
      parameter Real r = 1;
    end Wheel;
    constant Real weight = 2.5;
  end Parts;
  function half
    input Real u;
    output Real y;
  algorithm
    y := u / 2;
  end half;
protected
  constant Real hidden = 7;
  model HiddenModel
    Real x = 1;
  end HiddenModel;
end Stock;
package Depot
  constant Integer many = 5;
  constant Real depth = 1.5;
end Depot;

//! ImportOfClass
//+ parameter Real 'w.r' = 1.0;
model ImportOfClass
  import Stock.Parts.Wheel;
  Wheel w;
end ImportOfClass;

//! ImportRenamesPackage
//+ Real x = 2.5;
model ImportRenamesPackage
  import P = Stock.Parts;
  Real x = P.weight;
end ImportRenamesPackage;

//! ImportHidesFullNameOfRenamed E0401
//~ 'pi'
model ImportHidesFullNameOfRenamed
  import ratio = Stock.pi;
  Real x = pi;
end ImportHidesFullNameOfRenamed;

//! ImportList
//+ Real x = 7.25;
model ImportList
  import Stock.{pi, many};
  Real x = pi + many;
end ImportList;

//! ImportListUnknown E0404
model ImportListUnknown
  import Stock.{pi, none};
  Real x = pi + none;
end ImportListUnknown;

//! ImportFunction
//+ Real x = 'Stock.half'(time);
model ImportFunction
  import Stock.half;
  Real x = half(time);
end ImportFunction;

//! ImportAllOfPackage
//+ Real x = 5.75;
model ImportAllOfPackage
  import Stock.*;
  Real x = pi + Parts.weight;
end ImportAllOfPackage;

//! OwnElementBeforeImport
//+ Real x = 1.0;
model OwnElementBeforeImport
  import Stock.*;
  constant Real pi = 1;
  Real x = pi;
end OwnElementBeforeImport;

//! QualifiedImportBeforeUnqualified
//+ Real x = 5.0;
model QualifiedImportBeforeUnqualified
  import Stock.*;
  import Depot.many;
  Real x = many;
end QualifiedImportBeforeUnqualified;

//! ImportedNameIsNotVisibleByDots E0401
//~ 'Wheel'
package Imports
  import Stock.Parts.Wheel;
end Imports;
model ImportedNameIsNotVisibleByDots
  Real x = Imports.Wheel.r;
end ImportedNameIsNotVisibleByDots;

//! AmbiguousImport E0450
//~ 'many'
//~ Stock
//~ Depot
model AmbiguousImport
  import Stock.*;
  import Depot.*;
  Real x = many;
end AmbiguousImport;

//! TwoOpenImports
//+ Real x = 4.75;
model TwoOpenImports
  import Stock.*;
  import Depot.*;
  Real x = pi + depth;
end TwoOpenImports;

//! SameImportTwice E0405
//~ 'many'
//~ the first time here
model SameImportTwice
  import Stock.many;
  import Depot.many;
  Real x = many;
end SameImportTwice;

//! ImportFromModel E0404
//~ package
model NotAPackage
  constant Real c = 1;
end NotAPackage;
model ImportFromModel
  import NotAPackage.c;
  Real x = c;
end ImportFromModel;

//! ImportIsFromTheRoot E0404
model ImportIsFromTheRoot
  package Local
    constant Real c = 1;
  end Local;
  import Local.c;
  Real x = c;
end ImportIsFromTheRoot;

//! EncapsulatedSeesImports
//+ Real 'i.x' = 3.25;
model EncapsulatedSeesImports
  encapsulated model Inside
    import Stock.pi;
    Real x = pi;
  end Inside;
  Inside i;
end EncapsulatedSeesImports;

//! EncapsulatedSeesPredefined
//+ Real 'i.x' = sin(time);
model EncapsulatedSeesPredefined
  encapsulated model Inside
    Real x = sin(time);
  end Inside;
  Inside i;
end EncapsulatedSeesPredefined;

//! EncapsulatedHidesClasses E0402
//~ 'Part'
model EncapsulatedHidesClasses
  model Part
    Real x = 1;
  end Part;
  encapsulated model Inside
    Part p;
  end Inside;
  Inside i;
end EncapsulatedHidesClasses;

//! DotsEnterEncapsulated
//+ Real x = 6.5;
encapsulated package Sealed
  constant Real c = 6.5;
end Sealed;
model DotsEnterEncapsulated
  Real x = Sealed.c;
end DotsEnterEncapsulated;

//! ConstantOfEnclosingClass
//+ Real 'p.x' = 4.0;
model ConstantOfEnclosingClass
  constant Real c = 4;
  model Part
    Real x = c;
  end Part;
  Part p;
end ConstantOfEnclosingClass;

//! VariableOfEnclosingClass E0456
//~ 'speed'
model VariableOfEnclosingClass
  Real speed = time;
  model Part
    Real x = speed;
  end Part;
  Part p;
end VariableOfEnclosingClass;

//! ParameterOfEnclosingClass E0456
//~ 'k'
model ParameterOfEnclosingClass
  parameter Real k = 2;
  model Part
    Real x = k;
  end Part;
  Part p;
end ParameterOfEnclosingClass;

//! TypeOfEnclosingClass
//+ Real 'p.x'(unit = "m") = 1.0;
model TypeOfEnclosingClass
  type Length = Real(unit = "m");
  model Part
    Length x = 1;
  end Part;
  Part p;
end TypeOfEnclosingClass;

//! NearestDeclarationWins
//+ Real 'p.x' = 2.0;
model NearestDeclarationWins
  constant Real c = 1;
  model Part
    constant Real c = 2;
    Real x = c;
  end Part;
  Part p;
end NearestDeclarationWins;

//! InheritedBeforeEnclosing
//+ Real 'p.x' = 3.0;
model HasC
  constant Real c = 3;
end HasC;
model InheritedBeforeEnclosing
  constant Real c = 1;
  model Part
    extends HasC;
    Real x = c;
  end Part;
  Part p;
end InheritedBeforeEnclosing;

//! GlobalNameOfType
//+ parameter Real 'w.r' = 1.0;
model GlobalNameOfType
  package Stock
    model Wheel
    end Wheel;
  end Stock;
  .Stock.Parts.Wheel w;
end GlobalNameOfType;

//! GlobalNameUnknown E0402
//~ 'Part'
model GlobalNameUnknown
  model Part
  end Part;
  .Part p;
end GlobalNameUnknown;

//! GlobalFunction
//+ Real x = 'Stock.half'(time);
model GlobalFunction
  Real x = .Stock.half(time);
end GlobalFunction;

//! UnknownPackage E0401
//~ 'Stok'
model UnknownPackage
  Real x = Stok.pi;
end UnknownPackage;

//! UnknownConstantInPackage E0401
//~ did you mean 'pi'
model UnknownConstantInPackage
  Real x = Stock.pie;
end UnknownConstantInPackage;

//! UnknownClassInPackage E0402
//~ 'Weel'
//~ did you mean 'Wheel'
model UnknownClassInPackage
  Stock.Parts.Weel w;
end UnknownClassInPackage;

//! ProtectedConstantOfPackage E0415
//~ 'hidden'
model ProtectedConstantOfPackage
  Real x = Stock.hidden;
end ProtectedConstantOfPackage;

//! ProtectedClassOfPackage E0415
//~ 'HiddenModel'
model ProtectedClassOfPackage
  Stock.HiddenModel m;
end ProtectedClassOfPackage;

//! ProtectedSeenFromWithin
//+ Real x = 7.0;
package Outside
  model User
    Real x = secret;
  end User;
protected
  constant Real secret = 7;
end Outside;
model ProtectedSeenFromWithin
  extends Outside.User;
end ProtectedSeenFromWithin;

//! MemberOfNumber E0401
//~ 'y'
model MemberOfNumber
  Real x = 1;
  Real z = x.y;
end MemberOfNumber;

//! MemberOfArrayOfComponents
//+ Real s = 'w[1].r' + 'w[2].r';
model MemberOfArrayOfComponents
  Stock.Parts.Wheel w[2];
  Real s = sum(w.r);
end MemberOfArrayOfComponents;

//! ComponentIsNoValue E0501
model ComponentIsNoValue
  Stock.Parts.Wheel w;
  Real x = w;
end ComponentIsNoValue;

//! FunctionOfComponent
//+ Real x = 'Machine.f'(time);
model Machine
  function f
    input Real u;
    output Real y = 2 * u;
  algorithm
  end f;
end Machine;
model FunctionOfComponent
  Machine m;
  Real x = m.f(time);
end FunctionOfComponent;

// Inner and outer (5.4).

model Surroundings
  parameter Real T = 293;
  Real p = 1;
end Surroundings;
model Heated
  outer Surroundings air;
  Real y = air.T + air.p;
end Heated;

//! OuterFindsNearestInner
//+ Real 'b.h.y' = 'b.air.T' + 'b.air.p';
model Box
  inner Surroundings air(T = 300);
  Heated h;
end Box;
model OuterFindsNearestInner
  inner Surroundings air(T = 280);
  Box b;
end OuterFindsNearestInner;

//! OuterThroughLevels
//+ Real 'm.h.y' = 'air.T' + 'air.p';
model OuterThroughLevels
  model Middle
    Heated h;
  end Middle;
  inner Surroundings air;
  Middle m;
end OuterThroughLevels;

//! InnerOuter2
//+ Real 'b.h.y' = 'b.air.T' + 'b.air.p';
//+ Real 'b.z' = 'b.air.T';
model InnerOuter2
  model Wrapped
    inner Surroundings air(T = 1);
    Heated h;
    Real z = air.T;
  end Wrapped;
  Wrapped b;
end InnerOuter2;

//! InnerOuterBoth
//+ Real 'b.h.y' = 'b.air.T' + 'b.air.p';
model InnerOuterBoth
  model Both
    inner outer Surroundings air(T = 5);
    Heated h;
  end Both;
  inner Surroundings air;
  Both b;
end InnerOuterBoth;

//! InnerOuterLocal
//+ Real 'b.z' = 'air.T';
//+ Real 'b.h.y' = 'b.air.T' + 'b.air.p';
//+ Real 'b.c.z' = 'b.air.T';
//+ Real 'b.c.h.y' = 'b.c.air.T' + 'b.c.air.p';
model InnerOuterLocal
  model Inside
    inner outer Surroundings air(T = 7);
    Real z = air.T;
    Heated h;
  end Inside;
  model Both
    inner outer Surroundings air(T = 5);
    Real z = air.T;
    Heated h;
    Inside c;
  end Both;
  inner Surroundings air;
  Both b;
end InnerOuterLocal;

//! InnerTypeDiffers E0501
//~ 'air'
//~ 'p'
model Bare
  parameter Real T = 1;
end Bare;
model InnerTypeDiffers
  inner Bare air;
  Heated h;
end InnerTypeDiffers;

//! OuterModified E0451
//~ 'air'
model OuterModified
  model Wrong
    outer Surroundings air(T = 5);
    Real y = air.T;
  end Wrong;
  inner Surroundings air;
  Wrong w;
end OuterModified;

//! MissingInnerDeep E0412
//~ 'inner air'
model MissingInnerDeep
  model Holder
    Heated h;
  end Holder;
  Holder b;
end MissingInnerDeep;

//! InnerIsNotBesides E0412
model InnerIsNotBesides
  model Holder
    inner Surroundings air;
  end Holder;
  Holder a;
  Heated h;
end InnerIsNotBesides;

//! InnerParameter
//+ Real 'p.x' = k;
model InnerParameter
  model Part
    outer parameter Real k;
    Real x = k;
  end Part;
  inner parameter Real k = 3;
  Part p;
end InnerParameter;

//! InnerVariableEquation ok
model InnerVariableEquation
  model Source
    outer Real level;
  equation
    level = time;
  end Source;
  inner Real level;
  Source s;
end InnerVariableEquation;

//! InnerFunction
//+ parameter Real 'p.y' = 4.0;
model InnerFunction
  model Part
    outer function f = shape;
    parameter Real y = f(2);
  end Part;
  partial function shape
    input Real u;
    output Real y;
  end shape;
  inner function f
    extends shape;
  algorithm
    y := 2 * u;
  end f;
  Part p;
end InnerFunction;

//! DuplicateClass E0405
//~ 'Part'
model DuplicateClass
  model Part
  end Part;
  record Part
  end Part;
end DuplicateClass;

//! DuplicateLiteral E0405
//~ 'red'
type TwiceRed = enumeration(red, green, red);
model DuplicateLiteral
  parameter TwiceRed c = TwiceRed.green;
end DuplicateLiteral;

//! ComponentNamedLikeClass E0405
model ComponentNamedLikeClass
  model part
  end part;
  Real part = 1;
end ComponentNamedLikeClass;

//! ComponentNamedLikeItsType E0403
model ComponentNamedLikeItsType
  Wheel Wheel;
  import Stock.Parts.Wheel;
end ComponentNamedLikeItsType;

//! QuotedIdentifier
//+ Real 'a b' = 1.0;
//+ Real c = 'a b';
model QuotedIdentifier
  Real 'a b' = 1;
  Real c = 'a b';
end QuotedIdentifier;

//! InstanceName
//+ parameter String 'm.s' = "InstanceName.m";
model InstanceName
  model M
    parameter String s = getInstanceName();
  end M;
  M m;
end InstanceName;

//! TimeIsNoLocalName
//+ Real x = time;
model TimeIsNoLocalName
  Real x = time;
end TimeIsNoLocalName;
