// Calls, functions, operators (specification 3, 10, 12, 15, 16). Each case breaks one rule.


//! TooManyArguments E0504
//@ 12.4.1 Too many arguments
//~ takes only 1 argument
model TooManyArguments
  function f input Real u; output Real y = u; end f;
  Real x = f(1, 2);
end TooManyArguments;

//! TooFewArguments E0504
//@ 12.4.1 Too few arguments
//~ needs a value for
model TooFewArguments
  function f input Real u; input Real v; output Real y = u; end f;
  Real x = f(1);
end TooFewArguments;

//! UnknownNamedArgument E0504
//@ 12.4.1 Unknown named argument
//~ has no input
model UnknownNamedArgument
  function f input Real u; output Real y = u; end f;
  Real x = f(v = 1);
end UnknownNamedArgument;

//! NamedTwice E0504
//@ 12.4.1 Named twice
//~ is given twice
model NamedTwice
  function f input Real u; input Real v; output Real y = u; end f;
  Real x = f(u = 1, u = 2);
end NamedTwice;

//! PositionalAndNamed E0504
//@ 12.4.1 Positional and named
//~ is given twice
model PositionalAndNamed
  function f input Real u; input Real v; output Real y = u; end f;
  Real x = f(1, u = 2);
end PositionalAndNamed;

//! ArgumentType E0501
//@ 12.4.1 Argument type
//~ is Real, not String
model ArgumentType
  function f input Real u; output Real y = u; end f;
  Real x = f("a");
end ArgumentType;

//! ArgumentTypeIntegerFromReal E0501
//@ 12.4.1 Argument type Integer from Real
//~ is Integer, not Real
model ArgumentTypeIntegerFromReal
  function f input Integer u; output Real y = u; end f;
  Real x = f(1.5);
end ArgumentTypeIntegerFromReal;

//! ArgumentRecordOfOtherType E0501
//@ 12.4.1 Argument record of other type
//~ is R, not S
model ArgumentRecordOfOtherType
  record R Real x; end R;
  record S Real y; end S;
  function f input R r; output Real y = r.x; end f;
  Real x = f(S(1));
end ArgumentRecordOfOtherType;

//! PartialFunctionCalled E0411
//@ 12.2 Partial function called
//~ is partial, and cannot be called
model PartialFunctionCalled
  partial function f input Real u; output Real y; end f;
  Real x = f(1);
end PartialFunctionCalled;

//! OutputNeverAssigned E0540
//@ 12.2 Output never assigned
//~ never gets a value
model OutputNeverAssigned
  function f input Real u; output Real y; algorithm end f;
  Real x = f(1);
end OutputNeverAssigned;

//! DerInFunction E0741
//@ 12.2 Der in function
//~ cannot be used in a function
model DerInFunction
  function f input Real u; output Real y = der(u); end f;
  Real x = f(time);
end DerInFunction;

//! TimeInFunction E0741
//@ 12.2 Time in function
//~ pass it as an argument
model TimeInFunction
  function f input Real u; output Real y = time; end f;
  Real x = f(time);
end TimeInFunction;

//! SampleInFunction E0741
//@ 12.2 Sample in function
//~ cannot be used in a function
model SampleInFunction
  function f input Real u; output Boolean y = sample(0, 1); end f;
  Boolean x = f(time);
end SampleInFunction;

//! PreInFunction E0741
//@ 12.2 Pre in function
//~ cannot be used in a function
model PreInFunction
  function f input Integer u; output Integer y = pre(u); end f;
  Integer x = f(1);
end PreInFunction;

//! InitialInFunction E0741
//@ 12.2 Initial in function
//~ cannot be used in a function
model InitialInFunction
  function f input Integer u; output Boolean y = initial(); end f;
  Boolean x = f(1);
end InitialInFunction;

//! TerminalInFunction E0741
//@ 12.2 Terminal in function
//~ cannot be used in a function
model TerminalInFunction
  function f input Integer u; output Boolean y = terminal(); end f;
  Boolean x = f(1);
end TerminalInFunction;

//! EdgeInFunction E0741
//@ 12.2 Edge in function
//~ cannot be used in a function
model EdgeInFunction
  function f input Boolean u; output Boolean y = edge(u); end f;
  Boolean x = f(true);
end EdgeInFunction;

//! ChangeInFunction E0741
//@ 12.2 Change in function
//~ cannot be used in a function
model ChangeInFunction
  function f input Boolean u; output Boolean y = change(u); end f;
  Boolean x = f(true);
end ChangeInFunction;

//! ReinitInFunction E0740
//@ 12.2 Reinit in function
//~ stands in when-equations only
model ReinitInFunction
  function f input Real u; output Real y = u; algorithm reinit(y, 1); end f;
  Real x = f(time);
end ReinitInFunction;

//! DelayInFunction E0741
//@ 12.2 Delay in function
//~ cannot be used in a function
model DelayInFunction
  function f input Real u; output Real y = delay(u, 1); end f;
  Real x = f(time);
end DelayInFunction;

//! CardinalityInFunction E0741
//@ 12.2 Cardinality in function
//~ cannot be used in a function
model CardinalityInFunction
  function f input Real u; output Integer y = cardinality(u); end f;
  Integer x = f(time);
end CardinalityInFunction;

//! InStreamInFunction E0722
//@ 12.2 InStream in function
//~ is about a stream variable of a connector
model InStreamInFunction
  function f input Real u; output Real y = inStream(u); end f;
  Real x = f(time);
end InStreamInFunction;

//! ImpureInAPureFunction E0541
//@ 12.3 Impure in a pure function
//~ cannot be called here
model ImpureInAPureFunction
  impure function g input Real u; output Real y = u; end g;
  pure function f input Real u; output Real y; algorithm y := g(u); end f;
  Real x = f(time);
end ImpureInAPureFunction;

//! ImpureAtAllTimes E0541
//@ 12.3 Impure at all times
//~ an impure function cannot give the value of
model ImpureAtAllTimes
  impure function g input Real u; output Real y = u; end g;
  Real x = g(time);
end ImpureAtAllTimes;

//! ExtendsImpureWithoutImpure E0541
//@ 12.3 Extends impure without impure
//~ extends an impure function, and has to say
model ExtendsImpureWithoutImpure
  partial impure function g input Real u; output Real y; end g;
  function f extends g; algorithm y := u; end f;
  Real x;
equation
  when time > 1 then x = f(time); end when;
end ExtendsImpureWithoutImpure;

//! FunctionAsValue E0501
//@ 12.4.2 Function as value
//~ is Real, but its value is f
model FunctionAsValue
  function f input Real u; output Real y = u; end f;
  Real x = f;
end FunctionAsValue;

//! RecordConstructorMissing E0504
//@ 12.6 Record constructor missing
//~ needs a value for
model RecordConstructorMissing
  record R Real x; Real y; end R;
  R r = R(1);
end RecordConstructorMissing;

//! RecordConstructorUnknown E0504
//@ 12.6 Record constructor unknown
//~ has no input
model RecordConstructorUnknown
  record R Real x; Real y; end R;
  R r = R(x = 1, z = 2);
end RecordConstructorUnknown;

//! RecordConstructorType E0501
//@ 12.6 Record constructor type
//~ is Real, not String
model RecordConstructorType
  record R Real x; Real y; end R;
  R r = R(1, "a");
end RecordConstructorType;

//! ConstructorWithConstant E0504
//@ 12.6 Constructor with constant
//~ and no argument of its constructor
model ConstructorWithConstant
  record R constant Real x = 1; Real y; end R;
  R r = R(x = 2, y = 1);
end ConstructorWithConstant;

//! ConstructorOfPartialRecord E0411
//@ 12.6 Constructor of partial record
//~ is partial, and cannot be called
model ConstructorOfPartialRecord
  partial record R Real x = 1; Real y; end R;
  R z = R(x = 2, y = 1);
end ConstructorOfPartialRecord;

//! FunctionalArgumentNotFitting E0501
//@ 12.4.2 Functional argument not fitting
//~ is P, not g
model FunctionalArgumentNotFitting
  partial function P input Real u; output Real y; end P;
  function h input P p; input Real u; output Real y = p(u); end h;
  function g input Real u; input Real v; output Real y = u + v; end g;
  Real x = h(g, 1);
end FunctionalArgumentNotFitting;

//! PartialApplicationWithoutAllNames E0504
//@ 12.4.2 Partial application without all names
//~ has no input
model PartialApplicationWithoutAllNames
  partial function P input Real u; output Real y; end P;
  function h input P p; input Real u; output Real y = p(u); end h;
  function g input Real u; input Real v; output Real y = u + v; end g;
  Real x = h(function g(w = 2), 1);
end PartialApplicationWithoutAllNames;

//! RecordConstructorAsFunctionalArgument E0501
//@ 12.4.2 Record constructor as functional argument
//~ is P, not Integer
model RecordConstructorAsFunctionalArgument
  partial function P input Real u; output Real y; end P;
  function h input P p; input Real u; output Real y = p(u); end h;
  Real x = h(3, 1);
end RecordConstructorAsFunctionalArgument;

//! VectorisedWithDifferentSizes E0503
//@ 12.4.6 Vectorised with different sizes
//~ is called for each element of Integer[2] and of Integer[3], whose sizes differ
model VectorisedWithDifferentSizes
  function f input Real u; input Real v; output Real y = u + v; end f;
  Real x[2] = f({1, 2}, {1, 2, 3});
end VectorisedWithDifferentSizes;

//! BuiltInWithNamedArguments E0504
//@ 12.4.1 Built-in with named arguments
//~ has no argument
model BuiltInWithNamedArguments
  Real x = sin(u = 1);
end BuiltInWithNamedArguments;

//! SizeWithWrongDimension E0506
//@ 10.3 Size with wrong dimension
//~ there is no dimension 2 in Real[2]
model SizeWithWrongDimension
  Real a[2] = {1, 2};
  Integer n = size(a, 2);
end SizeWithWrongDimension;

//! SizeWith0 E0506
//@ 10.3 Size with 0
//~ there is no dimension 0 in Real[2]
model SizeWith0
  Real a[2] = {1, 2};
  Integer n = size(a, 0);
end SizeWith0;

//! NdimsWithoutArguments E0504
//@ 10.3 Ndims without arguments
//~ takes 1 argument, not 0
model NdimsWithoutArguments
  Integer n = ndims();
end NdimsWithoutArguments;

//! FillRealSize E0501
//@ 10.3 Fill Real size
//~ an Integer is needed here, not Real
model FillRealSize
  Real a[2] = fill(1, 2.0);
end FillRealSize;

//! ZerosNegative E0604
//@ 10.3 Zeros negative
//~ the size -1 is not possible
model ZerosNegative
  Real a[:] = zeros(-1);
end ZerosNegative;

//! Linspace1 E0504
//@ 10.3 Linspace 1
//~ is not defined for these arguments
model Linspace1
  Real a[:] = linspace(0, 1, 1);
end Linspace1;

//! ScalarOfMore E0504
//@ 10.3 Scalar of more
//~ is not defined for these arguments
model ScalarOfMore
  Real a = scalar({1, 2});
end ScalarOfMore;

//! VectorOfMatrix E0504
//@ 10.3 Vector of matrix
//~ is not defined for these arguments
model VectorOfMatrix
  Real a[4] = vector([1, 2; 3, 4]);
end VectorOfMatrix;

//! MatrixOf3d E0504
//@ 10.3 Matrix of 3d
//~ is not defined for these arguments
model MatrixOf3d
  Real a[2,2] = matrix({{{1,2},{1,2}},{{1,2},{1,2}}});
end MatrixOf3d;

//! TransposeOfVector E0504
//@ 10.3 Transpose of vector
//~ is not defined for these arguments
model TransposeOfVector
  Real a[2] = transpose({1, 2});
end TransposeOfVector;

//! CrossOf2 E0504
//@ 10.3 Cross of 2
//~ is not defined for these arguments
model CrossOf2
  Real a[2] = cross({1, 2}, {1, 2});
end CrossOf2;

//! SkewOf2 E0504
//@ 10.3 Skew of 2
//~ is not defined for these arguments
model SkewOf2
  Real a[3,3] = skew({1, 2});
end SkewOf2;

//! CatSizes E0504
//@ 10.3 Cat sizes
//~ is not defined for these arguments
model CatSizes
  Real a[:,:] = cat(1, [1, 2], [1, 2, 3]);
end CatSizes;

//! CatDimension E0504
//@ 10.3 Cat dimension
//~ is not defined for these arguments
model CatDimension
  Real a[:] = cat(2, {1, 2}, {1, 2, 3});
end CatDimension;

//! Ragged E0501
//@ 10.4 Ragged
//~ the elements of an array have one type, not Integer[2] and Integer[3]
model Ragged
  Real a[2,2] = {{1, 2}, {1, 2, 3}};
end Ragged;

//! MixedTypesInArray E0501
//@ 10.4 Mixed types in array
//~ the elements of an array have one type, not Integer and String
model MixedTypesInArray
  Real a[2] = {1, "a"};
end MixedTypesInArray;

//! MixedBooleanInArray E0501
//@ 10.4 Mixed Boolean in array
//~ the elements of an array have one type, not Integer and Boolean
model MixedBooleanInArray
  Real a[2] = {1, true};
end MixedBooleanInArray;

//! EmptyArrayConstructor E0504
//@ 10.4 Empty array constructor
//~ an array of nothing has no type
model EmptyArrayConstructor
  Real a[0] = {};
end EmptyArrayConstructor;

//! RangeOfString E0501
//@ 10.4 Range of String
//~ a range goes from number to number, or between literals of one enumeration, not from String to String
model RangeOfString
  Real a[:] = "a":"b";
end RangeOfString;

//! RangeBooleanWithStep E0501
//@ 10.4 Range Boolean with step
//~ a range goes from number to number, or between literals of one enumeration, not from Boolean to Boolean
model RangeBooleanWithStep
  Boolean a[:] = false:true:true;
end RangeBooleanWithStep;

//! AddSizes E0503
//@ 10.6 Add sizes
//~ the sizes of Integer[2] and Integer[3] do not fit
model AddSizes
  Real a[2] = {1, 2} + {1, 2, 3};
end AddSizes;

//! ScalarVector E0502
//@ 10.6 Scalar + vector
//~ is not defined for Integer and Integer[2]
model ScalarVector
  Real a[2] = 1 + {1, 2};
end ScalarVector;

//! Of1Vector E0502
//@ 10.6 1/vector
//~ is not defined for Integer and Integer[2]
model Of1Vector
  Real a[2] = 1 / {1, 2};
end Of1Vector;

//! MatrixMul E0503
//@ 10.6 Matrix mul
//~ the sizes of Integer[2, 2] and Integer[1, 3] do not fit
model MatrixMul
  Real a[2,2] = [1, 2; 3, 4] * [1, 2, 3];
end MatrixMul;

//! VectorPower E0502
//@ 10.6.7 Vector power
//~ is not defined for Integer[2] and Integer
model VectorPower
  Real a[2] = {1, 2}^2;
end VectorPower;

//! MatrixPowerNonSquare E0502
//@ 10.6.8 Matrix power non-square
//~ is not defined for Integer[1, 2] and Integer
model MatrixPowerNonSquare
  Real a[1,2] = [1, 2]^2;
end MatrixPowerNonSquare;

//! MatrixPowerReal E0502
//@ 10.6.8 Matrix power Real
//~ is not defined for Integer[2, 2] and Real
model MatrixPowerReal
  Real a[2,2] = [1, 2; 3, 4]^1.5;
end MatrixPowerReal;

//! NotInteger E0502
//@ 3.5 Not Integer
//~ is not defined for Integer
model NotInteger
  Boolean b = not 1;
end NotInteger;

//! AndReal E0502
//@ 3.5 And Real
//~ is not defined for Boolean and Integer
model AndReal
  Boolean b = true and 1;
end AndReal;

//! RelationOfArrays E0502
//@ 3.5 Relation of arrays
//~ is not defined for Integer[2] and Integer[2]
model RelationOfArrays
  Boolean b = {1, 2} < {2, 3};
end RelationOfArrays;

//! RelationOfMixedTypes E0502
//@ 3.5 Relation of mixed types
//~ is not defined for Integer and String
model RelationOfMixedTypes
  Boolean b = 1 < "a";
end RelationOfMixedTypes;

//! RelationBooleanAndInteger E0502
//@ 3.5 Relation Boolean and Integer
//~ is not defined for Boolean and Integer
model RelationBooleanAndInteger
  Boolean b = true == 1;
end RelationBooleanAndInteger;

//! OnRealOutsideOfFunctions E0502
//@ 3.5 == on Real outside of functions (deprecated)
//~ of Real is for functions only: here it would depend on rounding
model OnRealOutsideOfFunctions
  Boolean b = time == 1;
end OnRealOutsideOfFunctions;

//! RelationOfEnumerations E0502
//@ 3.5 Relation of enumerations
//~ is not defined for E and F
model RelationOfEnumerations
  type E = enumeration(a, b);
  type F = enumeration(c, d);
  Boolean b = E.a < F.c;
end RelationOfEnumerations;

//! RelationOfRecords E0502
//@ 3.5 Relation of records
//~ is not defined for R and R
model RelationOfRecords
  record R Real x; end R;
  Boolean b = R(1) == R(2);
end RelationOfRecords;

//! StringPlusReal E0502
//@ 3.5 String plus Real
//~ is not defined for String and Integer
model StringPlusReal
  String s = "a" + 1;
end StringPlusReal;

//! StringMinus E0502
//@ 3.5 String minus
//~ is not defined for String and String
model StringMinus
  String s = "a" - "b";
end StringMinus;

//! UnaryMinusOnBoolean E0502
//@ 3.5 Unary minus on Boolean
//~ is not defined for Boolean
model UnaryMinusOnBoolean
  Real s = -true;
end UnaryMinusOnBoolean;

//! EnumerationArithmetic E0502
//@ 3.5 Enumeration arithmetic
//~ is not defined for E and Integer
model EnumerationArithmetic
  type E = enumeration(a, b);
  Real s = E.a + 1;
end EnumerationArithmetic;

//! IfBranches E0501
//@ 3.6.5 If branches
//~ the branches have different types: Integer and String
model IfBranches
  Real s = if time > 1 then 1 else "a";
end IfBranches;

//! IfSizes E0501
//@ 3.6.5 If sizes
//~ the branches have different types: Integer[2] and Integer[3]
model IfSizes
  Real s[2] = if time > 1 then {1, 2} else {1, 2, 3};
end IfSizes;

//! IfCondition E0501
//@ 3.6.5 If condition
//~ a condition is a Boolean, not Integer
model IfCondition
  Real s = if 1 then 1 else 2;
end IfCondition;

//! Integer E0501
//@ 3.7 Integer()
//~ takes an enumeration here, not Real
model Integer
  Integer i = Integer(2.5);
end Integer;

//! IntegerWrong E0605
//@ 3.7 Integer(E) wrong
//~ has 2 literals, there is none of number 3
model IntegerWrong
  type E = enumeration(a, b);
  E e = E(3);
end IntegerWrong;

//! StringOfNothing E0504
//@ 3.7 String of nothing
//~ takes 1 argument, not 0
model StringOfNothing
  String s = String();
end StringOfNothing;

//! DivOfStrings E0501
//@ 3.7 Div of Strings
//~ takes a number here, not String
model DivOfStrings
  Real s = div("a", 1);
end DivOfStrings;

//! AbsOfBoolean E0501
//@ 3.7 Abs of Boolean
//~ takes a number here, not Boolean
model AbsOfBoolean
  Real s = abs(true);
end AbsOfBoolean;

//! SqrtOfString E0501
//@ 3.7 Sqrt of String
//~ takes a Real here, not String
model SqrtOfString
  Real s = sqrt("a");
end SqrtOfString;

//! SumOfString E0501
//@ 10.3.4 Sum of String
//~ takes numbers here, not String[2]
model SumOfString
  String s = sum({"a", "b"});
end SumOfString;

//! ReductionName E0507
//@ 10.3.4 Reduction name
//~ this is not a value
model ReductionName
  Real s = f(i for i in 1:3);
  function f input Real x; output Real y = x; end f;
end ReductionName;

//! ReductionOverScalar E0501
//@ 10.3.4 Reduction over scalar
//~ an index runs over a vector, not over Integer
model ReductionOverScalar
  Real s = sum(i for i in 3);
end ReductionOverScalar;

//! MinOfOne E0501
//@ 10.3.4 Min of one
//~ takes an array here, not Integer
model MinOfOne
  Real s = min(3);
end MinOfOne;

//! ProductBoolean E0501
//@ 10.3.4 Product Boolean
//~ takes numbers here, not Boolean[2]
model ProductBoolean
  Real s = product({true, false});
end ProductBoolean;

//! HomotopyArgs E0504
//@ 3.7.4 Homotopy args
//~ takes 2 arguments, not 1
model HomotopyArgs
  Real s = homotopy(1);
end HomotopyArgs;

//! SemiLinearArgs E0504
//@ 3.7.4 SemiLinear args
//~ takes 3 arguments, not 2
model SemiLinearArgs
  Real s = semiLinear(1, 2);
end SemiLinearArgs;

//! SmoothOrderNotLiteral E0509
//@ 3.7.5 Smooth order not literal
//~ may not change with time
model SmoothOrderNotLiteral
  Real p = time;
  Integer n = 1;
  Real s = smooth(n, p);
end SmoothOrderNotLiteral;

//! NoEventArgCount E0504
//@ 3.7.5 NoEvent arg count
//~ takes 1 argument, not 2
model NoEventArgCount
  Real s = noEvent(1, 2);
end NoEventArgCount;

//! ModString E0501
//@ 3.7 Mod String
//~ takes a number here, not String
model ModString
  Real s = mod("a", 2);
end ModString;

//! IntegerOfString E0501
//@ 3.7 Integer of String
//~ takes a number here, not String
model IntegerOfString
  Integer s = integer("a");
end IntegerOfString;

//! Atan2Args E0504
//@ 3.7 Atan2 args
//~ takes 2 arguments, not 1
model Atan2Args
  Real s = atan2(1);
end Atan2Args;

//! ExternalLanguage E0542
//@ 12.9 External language
//~ "Java" is not a language that can be called
model ExternalLanguage
  function f input Real u; output Real y; external "Java" y = f(u); end f;
  Real s = f(1);
end ExternalLanguage;

//! UndefinedFunction E0401
//@ 12.4 Undefined function
//~ there is no function
model UndefinedFunction
  Real s = foo(1);
end UndefinedFunction;

//! AClassCalledAsFunction E0505
//@ 12.4 A class called as function
//~ is not a function
model AClassCalledAsFunction
  model A Real x = 1; end A;
  Real s = A();
end AClassCalledAsFunction;

//! OutputColon E0501
//@ 12.4.6 Output colon
//~ is Real, but its value is Real[2]
model OutputColon
  function f input Real u[:]; output Real y = u[1]; end f;
  Real s = f([1, 2; 3, 4]);
end OutputColon;

//! DefaultOfAnInputDependsOnLocal E0504
//@ 12.4.1 Default of an input depends on local
//~ the value of an input cannot depend on
model DefaultOfAnInputDependsOnLocal
  function f input Real u; input Real v = a; output Real y; protected Real a = 1; algorithm y := u + v; end f;
  Real s = f(1);
end DefaultOfAnInputDependsOnLocal;

//! DerivativeFunctionMissing E0402
//@ 12.7 Derivative function missing
//~ there is no class
model DerivativeFunctionMissing
  function f input Real u; output Real y; algorithm y := u; annotation(derivative = g); end f;
  Real x = time;
  Real s = f(x);
  Real z = der(s);
end DerivativeFunctionMissing;

//! ActualStreamOfANonStream E0722
//@ 15.3 ActualStream of a non-stream
//~ is about a stream variable of a connector
model ActualStreamOfANonStream
  Real x = 1;
  Real y = actualStream(x);
end ActualStreamOfANonStream;

//! InStreamOfANonStream E0722
//@ 15.2 InStream of a non-stream
//~ is about a stream variable of a connector
model InStreamOfANonStream
  connector C Real p; flow Real m; stream Real h; end C;
  C c;
  Real y = inStream(c.p);
equation
  c.h = 1; c.p = 1;
end InStreamOfANonStream;

//! FunctionComponentNotCalledInAModel E0413
//@ 12.4.2 Function component not called in a model
//~ a function cannot be the type of
model FunctionComponentNotCalledInAModel
  function f input Real u; output Real y = u; end f;
  f g;
  Real x = g(1);
end FunctionComponentNotCalledInAModel;

//! CallAFunctionWithOutputAsInputOnly E0501
//@ 12.4 Call a function with output as input only
//~ is Real, but its value is something wrong
model CallAFunctionWithOutputAsInputOnly
  function f input Real u; end f;
  Real x = f(1);
end CallAFunctionWithOutputAsInputOnly;

//! PureNotACall E0504
//@ 12.3 Pure(…) not a call
//~ takes the call of a function
model PureNotACall
  Real x = pure(3);
end PureNotACall;

//! FunctionByInputOfRecordNotMatched E0501
//@ 12.4.1 Function by input of record not matched
//~ is Real[2], not Integer[3]
model FunctionByInputOfRecordNotMatched
  function f input Real u[2]; output Real y = u[1]; end f;
  Real x = f({1,2,3});
end FunctionByInputOfRecordNotMatched;

//! StreamInEquations E0506
//@ 10.5 Stream in equations: sub-scripted string
//~ 1 subscripts for an array of 0 dimensions
model StreamInEquations
  String s = "abc";
  String t = s[1];
end StreamInEquations;

//! SliceOfNonArray E0506
//@ 10.5 Slice of non array
//~ 1 subscripts for an array of 0 dimensions
model SliceOfNonArray
  Real x = 1;
  Real y = x[1];
end SliceOfNonArray;

//! FieldOfAReal E0401
//@ 5.3.2 Field of a Real
//~ there is no
model FieldOfAReal
  Real x = 1;
  Real y = x.z;
end FieldOfAReal;

//! AttributeAccess E0401
//@ 4.9 Attribute access
//~ there is no
model AttributeAccess
  Real x(start = 1) = 1;
  Real y = x.start;
end AttributeAccess;

//! ArrayEquationSizes E0503
//@ 10.6 Array equation sizes
//~ the left side is Real[2], the right side Real[3]
model ArrayEquationSizes
  Real x[2], y[3];
equation
  x = y;
  y = {1,2,3};
end ArrayEquationSizes;

//! AssignmentSizes E0501
//@ 10.6 Assignment sizes
//~ Integer[3] is assigned to Real[2]
model AssignmentSizes
  Real x[2];
algorithm
  x := {1,2,3};
end AssignmentSizes;

//! ClockInExpression E0502
//@ 16.2 Clock in expression
//~ is not defined for Clock and Integer
model ClockInExpression
  Clock c = Clock(0.1);
  Real x = c + 1;
end ClockInExpression;

//! SampleOfAClockedWithoutClock E0724
//@ 16.4 Sample of a clocked without clock
//~ is about a variable
model SampleOfAClockedWithoutClock
  Real x = previous(time);
end SampleOfAClockedWithoutClock;
