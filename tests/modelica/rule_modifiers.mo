// Modifiers and redeclarations (specification 6, 7.2, 7.3). Each case breaks one rule.


//! RedeclareConstant E0409
//@ 7.3 Redeclare constant
//~ is a constant, and cannot be redeclared
model RedeclareConstant
  model A replaceable constant Real k = 1; Real x = k; end A;
  A a(redeclare constant Real k = 2);
end RedeclareConstant;

//! RedeclareFinal E0410
//@ 7.3 Redeclare final
//~ is final
model RedeclareFinal
  model A final replaceable parameter Real k = 1; Real x = k; end A;
  A a(redeclare parameter Real k = 2);
end RedeclareFinal;

//! RedeclareNotReplaceable E0409
//@ 7.3 Redeclare not replaceable
//~ is not replaceable
model RedeclareNotReplaceable
  model A parameter Real k = 1; Real x = k; end A;
  A a(redeclare parameter Real k = 2);
end RedeclareNotReplaceable;

//! ModifyFinalByNested E0410
//@ 7.2.6 Modify final by nested
//~ is final
model ModifyFinalByNested
  model A final parameter Real k = 1; Real x = k; end A;
  model B A a; end B;
  B b(a(k = 3));
end ModifyFinalByNested;

//! ModifyAttributeOfAFinal E0410
//@ 7.2.6 Modify attribute of a final
//~ is final
model ModifyAttributeOfAFinal
  model A final parameter Real k = 1; Real x = k; end A;
  A a(k(min = 3));
end ModifyAttributeOfAFinal;

//! FinalInExtendsThenModified E0410
//@ 7.2.6 Final in extends, then modified
//~ is final
model FinalInExtendsThenModified
  model A parameter Real k = 1; Real x = k; end A;
  model B extends A(final k = 2); end B;
  B b(k = 3);
end FinalInExtendsThenModified;

//! FinalStartAttribute E0410
//@ 7.2.6 Final start attribute
//~ is final
model FinalStartAttribute
  model A Real x(final start = 1, fixed = true); equation der(x) = -x; end A;
  A a(x(start = 2));
end FinalStartAttribute;

//! ModifyingTwoTimes E0416
//@ 7.2.4 Modifying two times
//~ is modified twice
model ModifyingTwoTimes
  model A parameter Real k = 1; Real x = k; end A;
  A a(k = 1, k = 2);
end ModifyingTwoTimes;

//! ModifyingAttributeTwice E0416
//@ 7.2.4 Modifying attribute twice
//~ is modified twice
model ModifyingAttributeTwice
  Real x(start = 1, start = 2);
equation
  der(x) = 1;
end ModifyingAttributeTwice;

//! NestedAndDotted E0416
//@ 7.2.4 Nested and dotted
//~ is modified twice
model NestedAndDotted
  model A Real x(start = 1); equation der(x) = 1; end A;
  A a(x.start = 2, x(start = 3));
end NestedAndDotted;

//! UnitTwice E0416
//@ 7.2.4 Unit twice
//~ is modified twice
model UnitTwice
  Real x(unit = "m", unit = "s") = 1;
end UnitTwice;

//! RedeclareClassAsComponent E0409
//@ 7.3 Redeclare class as component
//~ is a class, and cannot become a component
model RedeclareClassAsComponent
  model A replaceable model B = C; B b; end A;
  model C Real x = 1; end C;
  A a(redeclare C B);
end RedeclareClassAsComponent;

//! ConstrainedbyBroken E0420
//@ 6.4 Constrainedby broken
//~ does not fit: there is no public
model ConstrainedbyBroken
  model P Real x; end P;
  model C extends P; Real y = 1; equation x = 1; end C;
  model D Real y = 1; end D;
  model A replaceable model B = C constrainedby P; B b; end A;
  A a(redeclare model B = D);
end ConstrainedbyBroken;

//! DefaultNotASubtypeOfConstraint E0420
//@ 7.3.2 Default not a subtype of constraint
//~ does not fit: there is no public
model DefaultNotASubtypeOfConstraint
  model P Real x = 1; Real z = 2; end P;
  model C Real x = 1; end C;
  replaceable model B = C constrainedby P;
  B b;
end DefaultNotASubtypeOfConstraint;

//! DefaultComponentIsNotASubtypeOfConstraint E0420
//@ 7.3.2 Default component is not a subtype of constraint
//~ does not fit: there is no public
model DefaultComponentIsNotASubtypeOfConstraint
  model P Real x = 1; Real z = 2; end P;
  model C Real x = 1; end C;
  replaceable C c constrainedby P;
end DefaultComponentIsNotASubtypeOfConstraint;

//! Causality E0420
//@ 7.3 Causality
//~ cannot change input and output
model Causality
  block A replaceable input Real k; Real x = k; end A;
  A a(redeclare output Real k = 2);
end Causality;

//! ArrayDimension E0420
//@ 7.3 Array dimension
//~ cannot change the number of dimensions
model ArrayDimension
  model A replaceable Real k = 1; end A;
  A a(redeclare Real k[2] = {1, 2});
end ArrayDimension;

//! ExtendsReplaceableClass E0459
//@ 7.1.4 Extends replaceable class
//~ is replaceable, and cannot be extended
model ExtendsReplaceableClass
  replaceable model A Real x = 1; end A;
  model B extends A; end B;
  B b;
end ExtendsReplaceableClass;

//! ExtendsReplaceableClassDirectly E0459
//@ 7.1.4 Extends replaceable class, directly
//~ is replaceable, and cannot be extended
model ExtendsReplaceableClassDirectly
  replaceable model A Real x = 1; end A;
  extends A;
end ExtendsReplaceableClassDirectly;

//! RedeclareOfWhatIsNotInherited E0408
//@ 7.3 Redeclare of what is not inherited
//~ there is no inherited
model RedeclareOfWhatIsNotInherited
  redeclare model A Real x = 1; end A;
  A a;
end RedeclareOfWhatIsNotInherited;

//! RedeclareModelExtendsNonReplaceable E0409
//@ 7.3 Redeclare model extends non replaceable
//~ is not replaceable
model RedeclareModelExtendsNonReplaceable
  model P model M Real x = 1; end M; M m; end P;
  extends P;
  redeclare model extends M Real y = 1; end M;
end RedeclareModelExtendsNonReplaceable;

//! RedeclareByAModelWithExtraInputConnector E0747 E0420
//@ 6.5 Redeclare by a model with extra input connector (plug)
//~ would have to be connected
connector RI = input Real;
model RedeclareByAModelWithExtraInputConnector
  model C Real x = 1; end C;
  model D Real x = 1; RI u; end D;
  model A replaceable model B = C; B b; end A;
  A a(redeclare model B = D);
end RedeclareByAModelWithExtraInputConnector;

//! ExtraParameterWithoutValue E0504
//@ 6.6 Extra parameter without value
//~ needs a value for
model ExtraParameterWithoutValue
  function f0 input Real u; output Real y = u; end f0;
  function f1 input Real u; input Real v; output Real y = u + v; end f1;
  model A replaceable function f = f0; Real y = f(time); end A;
  A a(redeclare function f = f1);
end ExtraParameterWithoutValue;

//! ModifierOfEnumerationClassElement E0408
//@ 7.2 Modifier of enumeration class element
//~ there is no
model ModifierOfEnumerationClassElement
  model A Real x = 1; end A;
  A a(z = 3);
end ModifierOfEnumerationClassElement;

//! ModifierOfAClassElementWithValue E0507
//@ 7.2 Modifier of a class element with value
//~ is a class, and has no value
model ModifierOfAClassElementWithValue
  model A model B Real x = 1; end B; B b; end A;
  A a(B = 3);
end ModifierOfAClassElementWithValue;

//! ModifyingRealWithUnknownAttribute E0408
//@ 4.9 Modifying Real with unknown attribute
//~ Real has no attribute
model ModifyingRealWithUnknownAttribute
  Real x(foo = 3) = 1;
end ModifyingRealWithUnknownAttribute;

//! EachOnAScalar E0508
//@ 7.2.5 Each on a scalar
//~ is for arrays, and
model EachOnAScalar
  model A parameter Real k = 1; Real x = k; end A;
  A a(each k = 3);
end EachOnAScalar;

//! NoEach E0508
//@ 7.2.5 No each
//~ this modifies an array of components, but is one value only
model NoEach
  model A parameter Real k = 1; Real x = k; end A;
  A a[2](k = 3);
end NoEach;

//! Sizes E0503
//@ 7.2.5 Sizes
//~ this has 3 elements, but the array of components 2
model Sizes
  model A parameter Real k = 1; Real x = k; end A;
  A a[2](k = {1, 2, 3});
end Sizes;

//! RedeclarationThatIsSplit E0420
//@ 7.3 Redeclaration that is split
//~ cannot change the number of dimensions
model RedeclarationThatIsSplit
  model A replaceable Real x; end A;
  A a[2](redeclare Real x[2] = {1, 2});
end RedeclarationThatIsSplit;

//! FinalRedeclareAgainRedeclared E0410
//@ 7.3 Final redeclare, again redeclared
//~ is final
model FinalRedeclareAgainRedeclared
  model M1 Real x = 1; end M1;
  model M2 Real x = 2; end M2;
  model A replaceable model M = M1; M m; end A;
  model B extends A(redeclare final replaceable model M = M2); end B;
  B b(redeclare model M = M1);
end FinalRedeclareAgainRedeclared;

//! ModifiesConstantThatIsFinal E0410
//@ 7.2.6 Modifies constant that is final
//~ is final
model ModifiesConstantThatIsFinal
  model A final constant Real k = 1; Real x = k; end A;
  A a(k = 3);
end ModifiesConstantThatIsFinal;

//! TypeOfAModifier E0501
//@ 7.2 Type of a modifier
//~ is Integer, but its value is Real
model TypeOfAModifier
  model A parameter Integer k = 1; Real x = k; end A;
  A a(k = 1.5);
end TypeOfAModifier;

//! TypeOfAModifier2 E0501
//@ 7.2 Type of a modifier
//~ is Boolean, but its value is Integer
model TypeOfAModifier2
  model A parameter Boolean k = true; Real x = if k then 1 else 2; end A;
  A a(k = 1);
end TypeOfAModifier2;

//! RedeclarationUsesAPartialInSimulation E0411
//@ 4.6 Redeclaration uses a partial in simulation
//~ cannot be made from it
model RedeclarationUsesAPartialInSimulation
  partial model P Real x = 1; end P;
  model A replaceable model B = C; B b; end A;
  model C Real x = 1; end C;
  A a(redeclare model B = P);
end RedeclarationUsesAPartialInSimulation;

//! RedeclareOfPackageByModel E0420
//@ 7.3 Redeclare of package by model
//~ cannot become
model RedeclareOfPackageByModel
  model M constant Real c = 1; end M;
  package Q constant Real c = 1; end Q;
  model A replaceable package B = Q; Real x = B.c; end A;
  A a(redeclare model B = M);
end RedeclareOfPackageByModel;

//! RedeclareTypeByOtherBase E0420
//@ 7.3 Redeclare type by other base
//~ cannot become
model RedeclareTypeByOtherBase
  model A replaceable type T = Real; T x = 1; end A;
  A a(redeclare type T = Integer);
end RedeclareTypeByOtherBase;

//! RedeclareFunctionOutputs E0420
//@ 6.6 Redeclare function outputs
//~ has another type
model RedeclareFunctionOutputs
  function f0 input Real u; output Real y = u; end f0;
  function f1 input Real u; output Integer y = 1; end f1;
  model A replaceable function f = f0; Real y = f(time); end A;
  A a(redeclare function f = f1);
end RedeclareFunctionOutputs;

//! ConstrainedbyReplaceable E0459
//@ 7.1.4 Constrainedby replaceable
//~ is replaceable, and cannot be a constraint
model ConstrainedbyReplaceable
  replaceable model P Real x = 1; end P;
  model C Real x = 1; end C;
  replaceable model B = C constrainedby P;
  B b;
end ConstrainedbyReplaceable;

//! RedeclareWithConstrainedTypeThatWidens E0420
//@ 7.3 Redeclare with constrained type that widens
//~ does not fit: there is no public
model RedeclareWithConstrainedTypeThatWidens
  model P Real x = 1; Real z = 2; end P;
  model C extends P; end C;
  model W Real x = 1; end W;
  model A replaceable model B = C constrainedby P; B b; end A;
  A a(redeclare replaceable model B = C constrainedby W);
end RedeclareWithConstrainedTypeThatWidens;

//! ModifierAndRedeclareInExtendsOfTheSame E0416
//@ 7.3 Modifier and redeclare in extends of the same
//~ is redeclared here, and modified in the extends clause
model ModifierAndRedeclareInExtendsOfTheSame
  model M1 Real x = 1; end M1;
  model M2 Real x = 2; end M2;
  model A replaceable model M = M1; M m; end A;
  model B
    extends A(redeclare model M = M2);
    redeclare model M = M1;
  end B;
  B b;
end ModifierAndRedeclareInExtendsOfTheSame;

//! Visibility E0415
//@ 7.3 Visibility
//~ is protected
model Visibility
  model A
    replaceable Real x = 1;
  protected
    replaceable Real y = 2;
  end A;
  A a(redeclare Real y = 3);
end Visibility;

//! ModifyAComponentThatIsAFunctionS E0703
//@ 4.8 Modify a component that is a function's
//~ has 1 unknown and 2 equations: 2 equations for 1 unknown: a.x
model ModifyAComponentThatIsAFunctionS
  model A Real x; equation x = 1; end A;
  A a(x = 2);
end ModifyAComponentThatIsAFunctionS;

//! BreakOfNonExisting E0408
//@ 7.4 Break of non existing
//~ there is no such element in
model BreakOfNonExisting
  model A Real x = 1; end A;
  extends A(break y);
end BreakOfNonExisting;

//! ModificationOfWholeComponent E0501
//@ 7.2 Modification of whole component
//~ is a whole component, and has no value
model ModificationOfWholeComponent
  model A Real x = 1; end A;
  A b;
  A a = b;
end ModificationOfWholeComponent;

//! InheritedFinalRedeclaredInClass E0410
//@ 7.3 Inherited final redeclared in class
//~ is final
model InheritedFinalRedeclaredInClass
  model M1 Real x = 1; end M1;
  model A final replaceable model M = M1; M m; end A;
  extends A;
  redeclare model M Real x = 2; end M;
end InheritedFinalRedeclaredInClass;

//! ConstantModified E0509
//@ 4.5 Constant modified
//~ is a constant, but this changes from run to run
model ConstantModified
  model A constant Real k = 1; Real x = k; end A;
  parameter Real p = 2;
  A a(k = p);
end ConstantModified;

//! RedeclareInnerOuterMismatch E0420
//@ 7.3 Redeclare inner/outer mismatch: enumerations
//~ cannot become
model RedeclareInnerOuterMismatch
  type E1 = enumeration(a, b);
  type E2 = enumeration(a, c);
  model A replaceable type T = E1; T x = T.a; end A;
  A a(redeclare type T = E2);
end RedeclareInnerOuterMismatch;
