// Functions: arguments, results, purity, external functions and objects (specification, chapter 12).

function add
  input Real a;
  input Real b = 1;
  output Real y = a + b;
algorithm
end add;

//! PositionalThenNamed
//+ Real x = add(time, 2.0);
model PositionalThenNamed
  Real x = add(time, b = 2);
end PositionalThenNamed;

//! AllNamed
//+ Real x = add(time, 3.0);
model AllNamed
  Real x = add(b = 3, a = time);
end AllNamed;

//! DefaultUsed
//+ Real x = add(time, 1
model DefaultUsed
  Real x = add(time);
end DefaultUsed;

//! NamedTwice E0504
//~ 'a'
model NamedTwice
  Real x = add(a = 1, a = 2);
end NamedTwice;

//! OutputByName E0504
//~ 'y'
model OutputByName
  Real x = add(1, y = 2);
end OutputByName;

//! NoArguments E0504
//~ 'a'
model NoArguments
  Real x = add();
end NoArguments;

//! DefaultFromOther
//+ Real x = 9.0;
model DefaultFromOther
  function f
    input Real a;
    input Real b = 2 * a;
    output Real y = a + b;
  algorithm
  end f;
  constant Real c = f(3);
  Real x = c;
end DefaultFromOther;

//! CyclicDefaults E0602
model CyclicDefaults
  function f
    input Real a = b;
    input Real b = a;
    output Real y = a + b;
  algorithm
  end f;
  Real x = f();
end CyclicDefaults;

//! IntegerArgumentForReal
//+ Real x = 
model IntegerArgumentForReal
  parameter Integer n = 2;
  Real x = add(n, time);
end IntegerArgumentForReal;

//! RealArgumentForInteger E0501
//~ 'n'
model RealArgumentForInteger
  function f
    input Integer n;
    output Integer m = n;
  algorithm
  end f;
  Integer k = f(1.5);
end RealArgumentForInteger;

//! ArrayArgumentSize E0501
//~ Real[3]
model ArrayArgumentSize
  function f
    input Real v[3];
    output Real y = v[1];
  algorithm
  end f;
  Real x = f({1, 2});
end ArrayArgumentSize;

//! ArraySizeFromInput
//+ Real x = 
model ArraySizeFromInput
  function f
    input Integer n;
    input Real v[n];
    output Real y = sum(v);
  algorithm
  end f;
  Real x = f(2, {time, 1});
end ArraySizeFromInput;

//! ScalarForArrayArgument E0501
model ScalarForArrayArgument
  function f
    input Real v[:];
    output Real y = sum(v);
  algorithm
  end f;
  Real x = f(1);
end ScalarForArrayArgument;

//! VectorisedCall
//+ Real 'x[2]' = add(2 * time, 1.0);
model VectorisedCall
  Real x[2] = add({time, 2 * time}, 1);
end VectorisedCall;

//! VectorisedOverMatrix
//+ Real 'x[2,2]' = add(4.0, time);
model VectorisedOverMatrix
  Real x[2, 2] = add([1, 2; 3, 4], time);
end VectorisedOverMatrix;

//! VectorisedTwoArguments
//+ Real 'x[2]' = add(2.0, time);
model VectorisedTwoArguments
  Real x[2] = add({1, 2}, {3, time});
end VectorisedTwoArguments;

//! VectorisedSizesDiffer E0503
//~ add
model VectorisedSizesDiffer
  Real x[2] = add({1, 2}, {1, 2, time});
end VectorisedSizesDiffer;

//! PartialFunctionCalled E0411
//~ 'shape'
partial function shape
  input Real u;
  output Real y;
end shape;
model PartialFunctionCalled
  Real x = shape(time);
end PartialFunctionCalled;

//! OutputNotAssigned E0540
//~ 'y'
model OutputNotAssigned
  function f
    input Real u;
    output Real y;
  algorithm
  end f;
  Real x = f(time);
end OutputNotAssigned;

//! OneOfTwoNotAssigned E0540
//~ 'b'
model OneOfTwoNotAssigned
  function f
    input Real u;
    output Real a;
    output Real b;
  algorithm
    a := u;
  end f;
  Real x, y;
equation
  (x, y) = f(time);
end OneOfTwoNotAssigned;

//! OutputAssignedInBranch ok
model OutputAssignedInBranch
  function f
    input Real u;
    output Real y;
  algorithm
    if u > 0 then
      y := u;
    else
      y := -u;
    end if;
  end f;
  Real x = f(time);
end OutputAssignedInBranch;

//! AssignToElementOfInput E0510
model AssignToElementOfInput
  function f
    input Real v[2];
    output Real y;
  algorithm
    v[1] := 2;
    y := v[1];
  end f;
  Real x = f({time, 1});
end AssignToElementOfInput;

//! AssignInputInTuple E0510
model AssignInputInTuple
  function g
    input Real u;
    output Real a = u;
    output Real b = u;
  algorithm
  end g;
  function f
    input Real u;
    output Real y;
  algorithm
    (u, y) := g(2);
  end f;
  Real x = f(time);
end AssignInputInTuple;

//! WhenInFunction E0740
//~ when
model WhenInFunction
  function f
    input Real u;
    output Real y;
  algorithm
    y := 0;
    when u > 1 then
      y := 1;
    end when;
  end f;
  Real x = f(time);
end WhenInFunction;

//! DerInFunction E0741
//~ 'der'
model DerInFunction
  function f
    input Real u;
    output Real y;
  algorithm
    y := der(u);
  end f;
  Real x = f(time);
end DerInFunction;

//! PreInFunction E0741
//~ 'pre'
model PreInFunction
  function f
    input Real u;
    output Real y;
  algorithm
    y := pre(u);
  end f;
  Real x = f(time);
end PreInFunction;

//! InitialInFunction E0741
//~ 'initial'
model InitialInFunction
  function f
    input Real u;
    output Real y;
  algorithm
    y := if initial() then u else 0;
  end f;
  Real x = f(time);
end InitialInFunction;

//! SampleInFunction E0741
model SampleInFunction
  function f
    input Real u;
    output Real y;
  algorithm
    y := if sample(0, 1) then u else 0;
  end f;
  Real x = f(time);
end SampleInFunction;

//! DelayInFunction E0741
model DelayInFunction
  function f
    input Real u;
    output Real y;
  algorithm
    y := delay(u, 1);
  end f;
  Real x = f(time);
end DelayInFunction;

//! ReinitInFunction E0740
model ReinitInFunction
  function f
    input Real u;
    output Real y;
  algorithm
    y := u;
    reinit(y, 1);
  end f;
  Real x = f(time);
end ReinitInFunction;

//! TimeInFunction E0741
//~ 'time'
model TimeInFunction
  function f
    input Real u;
    output Real y;
  algorithm
    y := u * time;
  end f;
  Real x = f(2);
end TimeInFunction;

//! BreakInFunctionOutsideLoop E0740
model BreakInFunctionOutsideLoop
  function f
    input Real u;
    output Real y;
  algorithm
    y := u;
    break;
  end f;
  Real x = f(time);
end BreakInFunctionOutsideLoop;

//! CallOfComponent E0505
//~ 'r'
model CallOfComponent
  Real r = 1;
  Real x = r(1);
end CallOfComponent;

//! CallOfPackage E0505
package Tools
end Tools;
model CallOfPackage
  Real x = Tools(1);
end CallOfPackage;

//! FunctionWithoutResultAsValue E0501
model FunctionWithoutResultAsValue
  function nothing
    input Real u;
  algorithm
  end nothing;
  Real x = nothing(1);
end FunctionWithoutResultAsValue;

//! FirstOfSeveralResults
//+ Real x = 2.0;
model FirstOfSeveralResults
  function two
    output Real a = 2;
    output Real b = 3;
  algorithm
  end two;
  Real x = two();
end FirstOfSeveralResults;

// Purity.

impure function tick
  output Real y = 1;
algorithm
end tick;

//! ImpureInEquation E0541
//~ 'x'
model ImpureInEquation
  Real x = tick();
end ImpureInEquation;

//! ImpureInWhen ok
model ImpureInWhen
  discrete Real x(start = 0);
equation
  when time > 1 then
    x = tick();
  end when;
end ImpureInWhen;

//! ImpureInInitialEquation ok
model ImpureInInitialEquation
  parameter Real p(fixed = false);
  Real x = p * time;
initial equation
  p = tick();
end ImpureInInitialEquation;

//! ImpureInPureFunction E0541
//~ 'tick'
model ImpureInPureFunction
  pure function f
    output Real y;
  algorithm
    y := tick();
  end f;
  Real x = f();
end ImpureInPureFunction;

//! ImpureInImpureFunction ok
model ImpureInImpureFunction
  impure function f
    output Real y;
  algorithm
    y := 2 * tick();
  end f;
  discrete Real x(start = 0);
equation
  when time > 1 then
    x = f();
  end when;
end ImpureInImpureFunction;

//! PureOfImpure ok
model PureOfImpure
  Real x = pure(tick());
end PureOfImpure;

//! ImpureParameter ok
model ImpureParameter
  parameter Real p = tick();
end ImpureParameter;

// Functions as arguments.

//! FunctionArgument
//+ Real y = 
function apply
  input shape f;
  input Real u;
  output Real y;
algorithm
  y := f(u);
end apply;
function double
  extends shape;
algorithm
  y := 2 * u;
end double;
model FunctionArgument
  Real y = apply(double, time);
end FunctionArgument;

//! FunctionArgumentIsNumber E0501
//~ 'f'
model FunctionArgumentIsNumber
  Real y = apply(1, time);
end FunctionArgumentIsNumber;

//! FunctionArgumentOfWrongShape E0501
//~ 'f'
function noInput
  output Real y = 1;
algorithm
end noInput;
model FunctionArgumentOfWrongShape
  Real y = apply(noInput, time);
end FunctionArgumentOfWrongShape;

//! PartialApplication
//+ Real y = 
function scaled
  input Real u;
  input Real k;
  output Real y;
algorithm
  y := k * u;
end scaled;
model PartialApplication
  Real y = apply(function scaled(k = 3), time);
end PartialApplication;

//! PartialApplicationUnknownName E0504
//~ 'm'
model PartialApplicationUnknownName
  Real y = apply(function scaled(m = 3), time);
end PartialApplicationUnknownName;

//! PartialApplicationType E0501
//~ 'k'
model PartialApplicationType
  Real y = apply(function scaled(k = "3"), time);
end PartialApplicationType;

//! TooManyOpenInputs E0501
//~ 'f'
model TooManyOpenInputs
  Real y = apply(scaled, time);
end TooManyOpenInputs;

// External functions.

//! ExternalDefaultMapping
//+ external "C"
model ExternalDefaultMapping
  function hypot
    input Real x;
    input Real y;
    output Real h;
    external "C";
  end hypot;
  Real x = hypot(3, time);
end ExternalDefaultMapping;

//! ExternalWithArrays
//+ external "C"
model ExternalWithArrays
  function norm
    input Real v[:];
    output Real n;
    external "C" n = my_norm(v, size(v, 1));
  end norm;
  Real x = norm({time, 1});
end ExternalWithArrays;

//! ExternalOutputArguments
//+ external "C"
model ExternalOutputArguments
  function both
    input Real u;
    output Real s;
    output Real c;
    external "C" my_both(u, s, c);
  end both;
  Real a, b;
equation
  (a, b) = both(time);
end ExternalOutputArguments;

//! ExternalFortran
//+ external "FORTRAN 77"
model ExternalFortran
  function solve
    input Real A[:, size(A, 1)];
    input Real b[size(A, 1)];
    output Real x[size(A, 1)] = b;
    external "FORTRAN 77" my_solve(A, x, size(A, 1));
  end solve;
  Real x[2] = solve([1, 0; 0, 2], {time, 1});
end ExternalFortran;

//! ExternalStrings
//+ external "C"
model ExternalStrings
  function length
    input String s;
    output Integer n;
    external "C" n = strlen(s);
  end length;
  parameter String s = "abc";
  Integer n = length(s);
end ExternalStrings;

//! ExternalLanguage E0542
//~ "Pascal"
model ExternalLanguage
  function f
    input Real u;
    output Real y;
    external "Pascal" y = f(u);
  end f;
  Real x = f(time);
end ExternalLanguage;

//! ExternalArgumentIsExpression E0542
model ExternalArgumentIsExpression
  function f
    input Real u;
    output Real y;
    external "C" y = g(2 * u);
  end f;
  Real x = f(time);
end ExternalArgumentIsExpression;

//! ExternalConstantArgument ok
model ExternalConstantArgument
  function f
    input Real u;
    output Real y;
    external "C" y = pow(u, 2.0);
  end f;
  Real x = f(time);
end ExternalConstantArgument;

//! ExternalUnknownArgument E0401
//~ 'w'
model ExternalUnknownArgument
  function f
    input Real u;
    output Real y;
    external "C" y = g(w);
  end f;
  Real x = f(time);
end ExternalUnknownArgument;

//! ExternalResultIsInput E0542
//~ 'u'
model ExternalResultIsInput
  function f
    input Real u;
    output Real y = u;
    external "C" u = g(y);
  end f;
  Real x = f(time);
end ExternalResultIsInput;

//! ExternalResultIsArray E0542
//~ 'y'
model ExternalResultIsArray
  function f
    input Real u;
    output Real y[2];
    external "C" y = g(u);
  end f;
  Real x[2] = f(time);
end ExternalResultIsArray;

// External objects.

class Store
  extends ExternalObject;
  function constructor
    input Real size;
    output Store s;
    external "C" s = store_new(size);
  end constructor;
  function destructor
    input Store s;
    external "C" store_free(s);
  end destructor;
end Store;
function level
  input Store s;
  input Real t;
  output Real y;
  external "C" y = store_level(s, t);
end level;

//! ExternalObjectUsed ok
model ExternalObjectUsed
  Store s = Store(3);
  Real x = level(s, time);
end ExternalObjectUsed;

//! ExternalObjectArguments E0504
//~ 'size'
model ExternalObjectArguments
  Store s = Store();
  Real x = level(s, time);
end ExternalObjectArguments;

//! ExternalObjectOfOtherClass E0501
class Shelf
  extends ExternalObject;
  function constructor
    output Shelf s;
    external "C" s = shelf_new();
  end constructor;
  function destructor
    input Shelf s;
    external "C" shelf_free(s);
  end destructor;
end Shelf;
model ExternalObjectOfOtherClass
  Shelf s = Shelf();
  Real x = level(s, time);
end ExternalObjectOfOtherClass;

//! ExternalObjectWithoutDestructor E0455
//~ destructor
class Leaking
  extends ExternalObject;
  function constructor
    output Leaking s;
    external "C" s = leaking_new();
  end constructor;
end Leaking;
model ExternalObjectWithoutDestructor
  Leaking s = Leaking();
end ExternalObjectWithoutDestructor;

//! ExternalObjectWithComponent E0455
//~ 'x'
class Laden
  extends ExternalObject;
  Real x = 1;
  function constructor
    output Laden s;
    external "C" s = laden_new();
  end constructor;
  function destructor
    input Laden s;
    external "C" laden_free(s);
  end destructor;
end Laden;
model ExternalObjectWithComponent
  Laden s = Laden();
end ExternalObjectWithComponent;

//! ExternalObjectWithoutValue E0455
//~ 's'
model ExternalObjectWithoutValue
  Store s;
  Real x = level(s, time);
end ExternalObjectWithoutValue;

//! ConstructorCalledByName E0455
//~ constructor
model ConstructorCalledByName
  Store s = Store.constructor(1);
end ConstructorCalledByName;

//! ExternalObjectInEquation E0501
model ExternalObjectInEquation
  Store s = Store(1);
  Real x;
equation
  x = s;
end ExternalObjectInEquation;

// Inheritance and types of functions.

//! FunctionInherits
//+ Real x = 8.0;
model FunctionInherits
  function base
    input Real u;
    output Real y;
  protected
    Real k = 4;
  end base;
  function derived
    extends base;
  algorithm
    y := k * u;
  end derived;
  constant Real c = derived(2);
  Real x = c;
end FunctionInherits;

//! FunctionModified
//+ Real x = 10.0;
model FunctionModified
  function base
    input Real u;
    input Real k = 4;
    output Real y = k * u;
  algorithm
  end base;
  function five = base(k = 5);
  constant Real c = five(2);
  Real x = c;
end FunctionModified;

//! RecordArgument
//+ Real x = 
model RecordArgument
  record R
    Real a;
    Real b;
  end R;
  function f
    input R r;
    output Real y = r.a * r.b;
  algorithm
  end f;
  R r(a = time, b = 2);
  Real x = f(r);
end RecordArgument;

//! RecordArgumentOfOtherType E0501
//~ 'r'
model RecordArgumentOfOtherType
  record R
    Real a;
  end R;
  record S
    Real b;
  end S;
  function f
    input R r;
    output Real y = r.a;
  algorithm
  end f;
  S s(b = time);
  Real x = f(s);
end RecordArgumentOfOtherType;

//! EnumerationArgument
//+ Real x = 2.0;
model EnumerationArgument
  type E = enumeration(one, two);
  function f
    input E e;
    output Real y = Integer(e);
  algorithm
  end f;
  constant Real c = f(E.two);
  Real x = c;
end EnumerationArgument;

//! LocalVariableUnassigned E0605
//~ before it has a value
model LocalVariableUnassigned
  function f
    input Real u;
    output Real y;
  protected
    Real k;
  algorithm
    y := k * u;
  end f;
  constant Real c = f(2);
  Real x = c;
end LocalVariableUnassigned;

//! InitialValuesInOrder
//+ Real x = 12.0;
model InitialValuesInOrder
  function f
    input Real u;
    output Real y;
  protected
    Real a = u + 1;
    Real b = 4 * a;
  algorithm
    y := b;
  end f;
  constant Real c = f(2);
  Real x = c;
end InitialValuesInOrder;

//! VectorisedSizesDiffer E0503
model VectorisedSizesDiffer
  Real y[2] = homotopy(actual = {time, 1}, simplified = {0});
end VectorisedSizesDiffer;

//! SemiLinearSizesDiffer E0503
model SemiLinearSizesDiffer
  Real y[2] = semiLinear(time, {1, 2}, {1, 2, 3});
end SemiLinearSizesDiffer;
