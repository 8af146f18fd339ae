// Names that may be declared, and what a name may find (specification 2.3, 4.1, 5.3). Each case breaks one rule.


//! ProtectedElementByDot E0415
//@ 4.1 Protected element by dot
//~ is protected
model ProtectedElementByDot
  model A
  protected
    Real x = 1;
  end A;
  A a;
  Real y = a.x;
end ProtectedElementByDot;

//! ProtectedModified E0415
//@ 4.1 Protected modified
//~ is protected
model ProtectedModified
  model A
  protected
    parameter Real x = 1;
  end A;
  A a(x = 2);
end ProtectedModified;

//! ProtectedClassByDot E0415
//@ 4.1 Protected class by dot
//~ is protected
model ProtectedClassByDot
  package A
  protected
    model B Real x = 1; end B;
  end A;
  A.B b;
end ProtectedClassByDot;

//! ProtectedRedeclaredInComponentModifier E0415
//@ 4.1 Protected redeclared in component modifier
//~ is protected
model ProtectedRedeclaredInComponentModifier
  model A
  protected
    replaceable model B = C;
    B b;
  end A;
  model C Real x = 1; end C;
  model D Real x = 2; end D;
  A a(redeclare model B = D);
end ProtectedRedeclaredInComponentModifier;

//! ProtectedElementModifiedInNestedModifierOfABase E0415
//@ 4.1 Protected element modified in nested modifier of a base
//~ is protected
model ProtectedElementModifiedInNestedModifierOfABase
  model A
    B b;
  end A;
  model B
  protected
    parameter Real x = 1;
  end B;
  extends A(b(x = 2));
end ProtectedElementModifiedInNestedModifierOfABase;

//! ShortClassModifiesProtected E0415
//@ 4.1 Short class modifies protected
//~ is protected
model ShortClassModifiesProtected
  model A
  protected
    parameter Real x = 1;
  end A;
  model B = A;
  B b(x = 3);
end ShortClassModifiesProtected;

//! ProtectedConstantOfPackageByDot E0415
//@ 4.1 Protected constant of package by dot
//~ is protected
model ProtectedConstantOfPackageByDot
  package A
  protected
    constant Real x = 1;
  end A;
  Real y = A.x;
end ProtectedConstantOfPackageByDot;

//! ProtectedFunction E0415
//@ 4.1 Protected function
//~ is protected
model ProtectedFunction
  package A
  protected
    function f input Real u; output Real y = u; end f;
  end A;
  Real y = A.f(time);
end ProtectedFunction;

//! ComponentNamedAsItsType E0405
//@ 5.3.1 Component named as its type
//~ is declared twice in this class
model ComponentNamedAsItsType
  model A Real x = 1; end A;
  A A;
end ComponentNamedAsItsType;

//! RealAsAClassName E0457
//@ 2.3.3 Real as a class name
//~ is a name of the language itself
model RealAsAClassName
  type Real = Integer;
  Real x = 1;
end RealAsAClassName;

//! ComponentNamedReal E0457
//@ 2.3.3 Component named Real
//~ is a name of the language itself
model ComponentNamedReal
  Integer Real = 1;
end ComponentNamedReal;

//! ComponentNamedInteger E0457
//@ 2.3.3 Component named Integer
//~ is a name of the language itself
model ComponentNamedInteger
  parameter Real Integer = 1;
end ComponentNamedInteger;

//! ComponentNamedBoolean E0457
//@ 2.3.3 Component named Boolean
//~ is a name of the language itself
model ComponentNamedBoolean
  Real Boolean = 1;
end ComponentNamedBoolean;

//! ComponentNamedString E0457
//@ 2.3.3 Component named String
//~ is a name of the language itself
model ComponentNamedString
  Real String = 1;
end ComponentNamedString;

//! ComponentNamedTime E0457
//@ 2.3.3 Component named time
//~ is a name of the language itself
model ComponentNamedTime
  Real time = 1;
end ComponentNamedTime;

//! LiteralReal E0457
//@ 2.3.3 Literal Real
//~ is a name of the language itself
model LiteralReal
  type E = enumeration(Real, b);
  E e = E.b;
end LiteralReal;

//! ForIndexThatIsAssigned E0510
//@ 11.2.2 For index that is assigned
//~ the index of a loop cannot be assigned to
function fN12
  input Integer n;
  output Integer y = 0;
algorithm
  for i in 1:n loop
    i := i + 1;
    y := y + i;
  end for;
end fN12;
model ForIndexThatIsAssigned
  Integer y = fN12(3);
end ForIndexThatIsAssigned;

//! ClassAndComponentOfOneName E0405
//@ 4.3 Class and component of one name
//~ is declared twice in this class
model ClassAndComponentOfOneName
  model A Real x = 1; end A;
  Real A = 1;
end ClassAndComponentOfOneName;

//! InheritedAndDeclaredClassAndComponent E0417
//@ 7.1 Inherited and declared class and component
//~ is also declared differently
model InheritedAndDeclaredClassAndComponent
  model B
    Real x = 1;
  end B;
  extends B;
  model x Real y = 1; end x;
end InheritedAndDeclaredClassAndComponent;

//! InheritedTwiceWithOtherValues E0417
//@ 7.1 Inherited twice with other values
//~ is also declared differently
model InheritedTwiceWithOtherValues
  model A parameter Real x = 1; end A;
  model B parameter Real x = 2; end B;
  extends A;
  extends B;
end InheritedTwiceWithOtherValues;

//! InheritedTwiceWithDifferentTypes E0417
//@ 7.1 Inherited twice with different types
//~ is also declared differently
model InheritedTwiceWithDifferentTypes
  model A Real x = 1; end A;
  model B Integer x = 1; end B;
  extends A;
  extends B;
end InheritedTwiceWithDifferentTypes;

//! ClassViaComponent E0403
//@ 5.3.2 Class via component
//~ is a component, not a class
model ClassViaComponent
  model A
    model B Real x = 1; end B;
    Real z = 1;
  end A;
  A a;
  a.B b;
end ClassViaComponent;

//! ComponentOfAClassThatIsNotAPackage E0458
//@ 5.3.2 Component of a class that is not a package
//~ is a model, not a package to look for
model ComponentOfAClassThatIsNotAPackage
  model A
    parameter Real x = 1;
  end A;
  Real y = A.x;
end ComponentOfAClassThatIsNotAPackage;

//! Encapsulated E0401
//@ 5.3.1 Encapsulated
//~ there is no
model Encapsulated
  constant Real k = 2;
  encapsulated model A
    Real x = k;
  end A;
  A a;
end Encapsulated;

//! VariableOfEnclosingClass E0456
//@ 5.3.1 Variable of enclosing class
//~ belongs to the class around
model VariableOfEnclosingClass
  Real k = time;
  model A
    Real x = k;
  end A;
  A a;
end VariableOfEnclosingClass;

//! ParameterOfEnclosingClass E0456
//@ 5.3.1 Parameter of enclosing class
//~ belongs to the class around
model ParameterOfEnclosingClass
  parameter Real k = 1;
  model A
    Real x = k;
  end A;
  A a;
end ParameterOfEnclosingClass;

//! UndeclaredClassNameInAnotherSScope E0402
//@ 5.3.1 Undeclared class name in another's scope
//~ there is no class
model UndeclaredClassNameInAnotherSScope
  B b;
  model A
    model B Real x = 1; end B;
  end A;
end UndeclaredClassNameInAnotherSScope;
