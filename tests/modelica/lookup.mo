// Scoping, name lookup, imports, inner and outer (specification, chapters 5 and 13).

//! PackageConstant
//=   Real y = 19.0;
//=   Real 'm.x[1]' = 9.5;
//=   Real 'm.x[2]' = 9.5;
//=   Real 'm.x[3]' = 9.5;
package Lib
  constant Real g = 9.5;
  constant Real twice = 2 * g;
  package Sub
    constant Integer n = 3;
    model M
      Real x[n] = fill(g, n);
    end M;
  end Sub;
  type Colour = enumeration(red, green, blue);
end Lib;
model PackageConstant
  Real y = Lib.twice;
  Lib.Sub.M m;
end PackageConstant;

//! QualifiedImport
//=   Real x = 15.5;
model QualifiedImport
  import Lib.Sub;
  import k = Lib.g;
  import Lib.Sub.{n};
  Real x = Sub.n + k + n;
end QualifiedImport;

//! UnqualifiedImport
//=   type 'Lib.Colour' = enumeration(red, green, blue);
//=   'Lib.Colour' c = 'Lib.Colour'.green;
//=   Real x = 9.5;
model UnqualifiedImport
  import Lib.*;
  Colour c = Colour.green;
  Real x = g;
end UnqualifiedImport;

//! ImportsAreNotInherited E0401
model ImportsAreNotInherited
  extends QualifiedImport;
  Real z = k;
end ImportsAreNotInherited;

//! BadImport E0404
model BadImport
  import Lib.Nothing;
  Nothing x;
end BadImport;

//! GlobalName
//=   Real inner_g = 1.0;
//=   Real outer_g = 9.5;
model GlobalName
  package Lib
    constant Real g = 1;
  end Lib;
  Real inner_g = Lib.g;
  Real outer_g = .Lib.g;
end GlobalName;

//! EncapsulatedStopsLookup E0401
model EncapsulatedStopsLookup
  constant Real c = 1;
  encapsulated model Inside
    Real x = c;
  end Inside;
  Inside i;
end EncapsulatedStopsLookup;

//! EnumerationLiteral
//=   type 'Lib.Colour' = enumeration(red, green, blue);
//=   parameter 'Lib.Colour' c = 'Lib.Colour'.blue;
//=   parameter Boolean is_blue = c == 'Lib.Colour'.blue;
//=   parameter Real 'w[1]' = 1.0;
//=   parameter Real 'w[2]' = 2.0;
//=   parameter Real 'w[3]' = 3.0;
//=   Real x = 'w[2]';
model EnumerationLiteral
  parameter Lib.Colour c = Lib.Colour.blue;
  parameter Boolean is_blue = c == Lib.Colour.blue;
  parameter Real w[Lib.Colour] = {1, 2, 3};
  Real x = w[Lib.Colour.green];
end EnumerationLiteral;

//! UnknownLiteral E0401
model UnknownLiteral
  parameter Lib.Colour c = Lib.Colour.pink;
end UnknownLiteral;

//! InnerOuter
//=   parameter Real 'world.g' = 1.6;
//=   Real 'body.a' = 'world.g';
model World
  parameter Real g = 9.81;
end World;
model Body
  outer World world;
  Real a = world.g;
end Body;
model InnerOuter
  inner World world(g = 1.6);
  Body body;
end InnerOuter;

//! MissingInner E0412
model MissingInner
  Body body;
end MissingInner;

//! UnknownName E0401
model UnknownName
  Real speed = spede;
end UnknownName;

//! UnknownMember E0401
model UnknownMember
  World w;
  Real x = w.h;
end UnknownMember;

//! ClassIsNoValue E0507
model ClassIsNoValue
  Real x = World;
end ClassIsNoValue;

//! TimeIsPredefined
//=   Real x = time;
model TimeIsPredefined
  Real x = time;
end TimeIsPredefined;

//! ProtectedAccess E0415
model Secret
protected
  Real s = 1;
end Secret;
model ProtectedAccess
  Secret a;
  Real x = a.s;
end ProtectedAccess;

//! ProtectedInherited
//= protected
//=   Real s = 1.0;
//= public
//=   Real x = s;
model ProtectedInherited
  extends Secret;
  Real x = s;
end ProtectedInherited;

//! ProtectedModified E0415
model ProtectedModified
  Secret a(s = 2);
end ProtectedModified;

//! ProtectedModifiedByExtends
//= protected
//=   Real s = 2.0;
model ProtectedModifiedByExtends
  extends Secret(s = 2);
end ProtectedModifiedByExtends;

//! ConstantInComponent
//=   Real x = 7.0;
model Holder
  package Values
    constant Real seven = 7;
  end Values;
end Holder;
model ConstantInComponent
  Holder h;
  Real x = h.Values.seven;
end ConstantInComponent;

//! ClassOfComponentIsNoValue E0507
model ClassOfComponentIsNoValue
  Holder h;
  Real x = h.Values;
end ClassOfComponentIsNoValue;
