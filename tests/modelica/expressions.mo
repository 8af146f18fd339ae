// Operators and their types, conversions, literals, enumerations (specification, chapters 3, 4.9 and 6).

//! IntegerArithmetic
//+ parameter Integer a = 7;
//+ parameter Integer b = a - 2 * a;
model IntegerArithmetic
  parameter Integer a = 3 + 4;
  parameter Integer b = a - 2 * a;
end IntegerArithmetic;

//! DivisionGivesReal E0501
//~ 'n' is Integer
model DivisionGivesReal
  parameter Integer n = 4 / 2;
end DivisionGivesReal;

//! PowerGivesReal E0501
//~ 'n' is Integer
model PowerGivesReal
  parameter Integer n = 2^3;
end PowerGivesReal;

//! MixedArithmeticIsReal E0501
model MixedArithmeticIsReal
  parameter Integer n = 2 * 1.5;
end MixedArithmeticIsReal;

//! IntegerDivision
//+ Real x = -3.0;
//+ Real y = 1.0;
//+ Real z = -1.0;
model IntegerDivision
  constant Integer q = div(-7, 2), m = mod(-7, 2), r = rem(-7, 2);
  Real x = q;
  Real y = m;
  Real z = r;
end IntegerDivision;

//! ModOfReals
//+ Real y = 1.5;
//+ Real z = -0.5;
model ModOfReals
  constant Real m = mod(-6.5, 2), r = rem(-6.5, 2);
  Real y = m;
  Real z = r;
end ModOfReals;

//! DivisionByZeroInteger E0605
model DivisionByZeroInteger
  parameter Integer n = div(1, 0);
  Real x[n];
end DivisionByZeroInteger;

//! RoundingFunctions
//+ Real a = -3.0;
//+ Real b = -2.0;
//+ Real c = -3.0;
model RoundingFunctions
  constant Integer n = integer(-2.5);
  Real a = floor(-2.5);
  Real b = ceil(-2.5);
  Real c = n;
end RoundingFunctions;

//! SignAndAbs
//+ parameter Integer a = 3;
//+ parameter Integer b = -1;
//+ parameter Real c = 2.5;
model SignAndAbs
  parameter Integer a = abs(-3);
  parameter Integer b = sign(-0.5);
  parameter Real c = abs(-2.5);
end SignAndAbs;

//! AbsOfString E0501
model AbsOfString
  Real x = abs("one");
end AbsOfString;

//! SqrtOfBoolean E0501
model SqrtOfBoolean
  Real x = sqrt(true);
end SqrtOfBoolean;

//! SqrtOfNegativeConstant E0605
model SqrtOfNegativeConstant
  constant Real c = sqrt(-1);
  Real x = c;
end SqrtOfNegativeConstant;

//! PrecedenceOfPower
//+ Real x = -9.0;
//+ Real y = 512.0;
model PrecedenceOfPower
  constant Real a = -3^2, b = 2^(3^2);
  Real x = a;
  Real y = b;
end PrecedenceOfPower;

//! StringPlusNumber E0502
//~ String and Integer
model StringPlusNumber
  parameter String s = "a" + 1;
end StringPlusNumber;

//! StringMinusString E0502
model StringMinusString
  parameter String s = "a" - "b";
end StringMinusString;

//! MinusBoolean E0502
model MinusBoolean
  Real x = -true;
end MinusBoolean;

//! AndOfNumbers E0502
//~ 'and'
model AndOfNumbers
  Boolean b = 1 and true;
end AndOfNumbers;

//! OrOfArrays
//+ parameter Boolean 'b[1]' = true;
//+ parameter Boolean 'b[2]' = false;
model OrOfArrays
  parameter Boolean b[2] = {true, false} or {false, false};
end OrOfArrays;

//! AndOfArraySizes E0503
model AndOfArraySizes
  parameter Boolean b[2] = {true, false} and {true, false, true};
end AndOfArraySizes;

//! NotOfArray
//+ parameter Boolean 'b[1]' = false;
model NotOfArray
  parameter Boolean b[2] = not {true, false};
end NotOfArray;

//! CompareStrings
//+ parameter Boolean b = true;
model CompareStrings
  parameter Boolean b = "abc" < "abd";
end CompareStrings;

//! CompareBooleans
//+ parameter Boolean b = true;
model CompareBooleans
  parameter Boolean b = false < true;
end CompareBooleans;

//! CompareStringWithNumber E0502
model CompareStringWithNumber
  parameter Boolean b = "1" == 1;
end CompareStringWithNumber;

//! CompareArrays E0502
model CompareArrays
  parameter Boolean b = {1, 2} < {3, 4};
end CompareArrays;

//! EqualityOfReals E0502
//~ '=='
model EqualityOfReals
  Real x = time;
  Boolean b = x == 1.0;
end EqualityOfReals;

//! InequalityOfReals E0502
//~ '<>'
model InequalityOfReals
  Real x = time;
  Boolean b = x <> 1.0;
end InequalityOfReals;

//! EqualityOfIntegers ok
model EqualityOfIntegers
  Integer n = integer(time);
  Boolean b = n == 1;
end EqualityOfIntegers;

//! EqualityOfRealsInFunction
//+ parameter Boolean b = true;
model EqualityOfRealsInFunction
  function same
    input Real a, b;
    output Boolean y;
  algorithm
    y := a == b;
  end same;
  parameter Boolean b = same(1, 1.0);
end EqualityOfRealsInFunction;

//! IfNeedsBoolean E0501
//~ Boolean
model IfNeedsBoolean
  Real x = if 1 then 2 else 3;
end IfNeedsBoolean;

//! IfMixesIntegerAndReal
//+ Real x = if time > 1.0 then 1.0 else 2.5;
model IfMixesIntegerAndReal
  Real x = if time > 1.0 then 1 else 2.5;
end IfMixesIntegerAndReal;

//! IfOfArraySizes E0501
model IfOfArraySizes
  Real x[2] = if time > 1 then {1, 2} else {1, 2, 3};
end IfOfArraySizes;

//! IfElseif
//+ Real x = 
model IfElseif
  Real x = if time > 2 then 3 elseif time > 1 then 2 else 1;
end IfElseif;

//! StringOfValues
//+ parameter String a = "3";
//+ parameter String b = "true";
//+ parameter String c = "low";
//+ parameter String d = "  7";
//+ parameter String e = "7  ";
//+ parameter String f = "3.14";
model StringOfValues
  parameter String a = String(3);
  parameter String b = String(true);
  parameter String c = String(Level.low);
  parameter String d = String(7, minimumLength = 3, leftJustified = false);
  parameter String e = String(7, minimumLength = 3);
  parameter String f = String(3.14159, significantDigits = 3);
end StringOfValues;

//! StringOfFormat
//+ parameter String a = "003.50";
model StringOfFormat
  parameter String a = String(3.5, format = "06.2f");
end StringOfFormat;

//! StringUnknownArgument E0504
//~ 'digits'
model StringUnknownArgument
  parameter String a = String(3.5, digits = 3);
end StringUnknownArgument;

// Enumerations.

type Level = enumeration(low, middle, high);
type Size = enumeration(small, large);

//! IntegerOfEnumeration
//+ parameter Integer n = 3;
model IntegerOfEnumeration
  parameter Integer n = Integer(Level.high);
end IntegerOfEnumeration;

//! EnumerationOfInteger
//+ = Level.middle;
model EnumerationOfInteger
  parameter Level l = Level(2);
end EnumerationOfInteger;

//! EnumerationOfIntegerOutside E0605
//~ 4
//~ 'Level'
model EnumerationOfIntegerOutside
  parameter Level l = Level(4);
end EnumerationOfIntegerOutside;

//! IntegerIsNoEnumeration E0501
//~ Level
model IntegerIsNoEnumeration
  parameter Level l = 2;
end IntegerIsNoEnumeration;

//! EnumerationIsNoInteger E0501
model EnumerationIsNoInteger
  parameter Integer n = Level.low;
end EnumerationIsNoInteger;

//! EnumerationOfOtherType E0501
model EnumerationOfOtherType
  parameter Level l = Size.small;
end EnumerationOfOtherType;

//! EnumerationArithmetic E0502
model EnumerationArithmetic
  parameter Integer n = Level.low + 1;
end EnumerationArithmetic;

//! EnumerationOrder
//+ parameter Boolean b = true;
//+ parameter Boolean c = false;
model EnumerationOrder
  parameter Boolean b = Level.low < Level.high;
  parameter Boolean c = Level.low == Level.middle;
end EnumerationOrder;

//! EnumerationMinMax
//+ = Level.high;
model EnumerationMinMax
  parameter Level l = max(Level.low, Level.high);
end EnumerationMinMax;

//! EnumerationRange
//+ Real x = 2.0;
model EnumerationRange
  constant Integer n = size(Level.middle:Level.high, 1);
  Real x = n;
end EnumerationRange;

//! EnumerationRangeOfTwoTypes E0501
model EnumerationRangeOfTwoTypes
  constant Integer n = size(Level.low:Size.large, 1);
  Real x = n;
end EnumerationRangeOfTwoTypes;

//! EnumerationSize
//+ Real 'w[3]' = 3.0;
model EnumerationSize
  Real w[Level] = {1, 2, 3};
  Real x = w[Level.middle];
end EnumerationSize;

//! EnumerationLoop ok
model EnumerationLoop
  Real w[Level];
equation
  for l in Level loop
    w[l] = Integer(l) * time;
  end for;
end EnumerationLoop;

//! BooleanLoop ok
model BooleanLoop
  Real w[Boolean];
equation
  for b in Boolean loop
    w[b] = if b then 1 else 2;
  end for;
end BooleanLoop;

//! IntegerOfReal E0501
//~ 'Integer'
model IntegerOfReal
  parameter Integer n = Integer(2.5);
end IntegerOfReal;

//! RealArrayFromIntegers
//+ parameter Real 'a[2]' = 2.0;
model RealArrayFromIntegers
  parameter Real a[2] = {1, 2};
end RealArrayFromIntegers;

//! IntegerArrayFromReals E0501
model IntegerArrayFromReals
  parameter Integer a[2] = {1, 2.5};
end IntegerArrayFromReals;

//! BooleanIsNoNumber E0501
model BooleanIsNoNumber
  parameter Real a = true;
end BooleanIsNoNumber;

//! RecordFieldsByName
//+ parameter Real 'a.x' = 1.0;
//+ parameter Real 'a.y' = 2.0;
record Place
  Real x;
  Real y;
end Place;
model RecordFieldsByName
  parameter Place a = Place(y = 2, x = 1);
end RecordFieldsByName;

//! RecordFieldMissing E0504
//~ 'y'
model RecordFieldMissing
  parameter Place a = Place(1);
end RecordFieldMissing;

//! RecordFieldUnknown E0504
//~ 'z'
model RecordFieldUnknown
  parameter Place a = Place(1, z = 2);
end RecordFieldUnknown;

//! RecordFieldType E0501
//~ 'y'
model RecordFieldType
  parameter Place a = Place(1, "two");
end RecordFieldType;

//! RecordOfOtherType E0501
//~ Place
record Span
  Real from;
  Real to;
end Span;
model RecordOfOtherType
  parameter Place a = Span(1, 2);
end RecordOfOtherType;

//! RecordOfEqualFields
//+ parameter Real 'a.y' = 2.0;
record Location
  Real x;
  Real y;
end Location;
model RecordOfEqualFields
  parameter Place a = Location(1, 2);
end RecordOfEqualFields;

//! RecordPlusRecord E0502
model RecordPlusRecord
  Place a = Place(1, 2);
  Place b = a + a;
end RecordPlusRecord;

//! RecordArrayField
//+ Real s = 'p[1].x' + 'p[2].x';
model RecordArrayField
  Place p[2] = {Place(time, 1), Place(2, time)};
  Real s = sum(p.x);
end RecordArrayField;

//! RecordAgainstNumber E0501
model RecordAgainstNumber
  Place a;
equation
  a = 1;
end RecordAgainstNumber;

//! NumbersOfAllForms
//+ parameter Real a = 1000.0;
//+ parameter Real b = 0.5;
//+ parameter Real c = 0.015;
model NumbersOfAllForms
  parameter Real a = 1e3;
  parameter Real b = .5;
  parameter Real c = 1.5E-2;
end NumbersOfAllForms;

//! IntegerOverflow E0605
model IntegerOverflow
  parameter Integer n = 2147483647 * 2147483647 * 4;
  Real x[n];
end IntegerOverflow;

//! EscapesInStrings
//+ parameter String s = "a\"b\\c";
model EscapesInStrings
  parameter String s = "a\"b\\c";
end EscapesInStrings;

//! MatrixPower
//+ Real 'B[1,1]' = 7.0;
//+ Real 'B[2,2]' = 22.0;
model MatrixPower
  constant Real A[2, 2] = [1, 2; 3, 4];
  Real B[2, 2] = A^2;
end MatrixPower;

//! MatrixPowerZero
//+ Real 'B[1,1]' = 1.0;
//+ Real 'B[1,2]' = 0.0;
model MatrixPowerZero
  constant Real A[2, 2] = [1, 2; 3, 4];
  Real B[2, 2] = A^0;
end MatrixPowerZero;

//! MatrixPowerNotSquare E0502
model MatrixPowerNotSquare
  parameter Real A[2, 3] = [1, 2, 3; 4, 5, 6];
  Real B[2, 3] = A^2;
end MatrixPowerNotSquare;

//! MatrixPowerReal E0502
model MatrixPowerReal
  parameter Real A[2, 2] = [1, 2; 3, 4];
  Real B[2, 2] = A^0.5;
end MatrixPowerReal;

//! VectorDividedByVector E0502
model VectorDividedByVector
  parameter Real a[2] = {1, 2};
  Real x[2] = a / a;
end VectorDividedByVector;

//! ElementwiseDivision
//+ Real 'x[2]' = 'a[2]' / 'a[2]';
model ElementwiseDivision
  parameter Real a[2] = {1, 2};
  Real x[2] = a ./ a;
end ElementwiseDivision;

//! ElementwisePower
//+ Real 'x[2]' = 'a[2]'^2;
model ElementwisePower
  parameter Real a[2] = {1, 2};
  Real x[2] = a .^ 2;
end ElementwisePower;

//! ScalarByVector
//+ Real 'x[2]' = 3 * 'a[2]';
model ScalarByVector
  parameter Real a[2] = {1, 2};
  Real x[2] = 3 * a;
end ScalarByVector;

//! ScalarDividedByVector E0502
model ScalarDividedByVector
  parameter Real a[2] = {1, 2};
  Real x[2] = 3 / a;
end ScalarDividedByVector;

//! MatrixProductSizes E0503
model MatrixProductSizes
  parameter Real A[2, 3] = [1, 2, 3; 4, 5, 6];
  Real B[2, 3] = A * A;
end MatrixProductSizes;

//! StringsAddedElementwise
//+ parameter String 's[2]' = "bd";
model StringsAddedElementwise
  parameter String s[2] = {"a", "b"} + {"c", "d"};
end StringsAddedElementwise;
