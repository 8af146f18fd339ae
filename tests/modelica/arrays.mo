// Arrays: declarations, sizes, built-in functions, construction, ranges, subscripts (specification, chapter 10).

//! SizeFromFunction
//+ Real 'x[3]' = 3.0;
function three
  output Integer n = 3;
algorithm
end three;
model SizeFromFunction
  Real x[three()] = {1, 2, 3};
end SizeFromFunction;

//! SizeFromParameterExpression
//+ Real 'x[2,4]' = 0.0;
model SizeFromParameterExpression
  parameter Integer n = 2;
  Real x[n, 2 * n] = zeros(n, 2 * n);
end SizeFromParameterExpression;

//! SizeFromOtherArray
//+ Real 'y[2]' = 2.0;
model SizeFromOtherArray
  parameter Real a[:] = {1, 2};
  Real y[size(a, 1)] = {1, 2};
end SizeFromOtherArray;

//! SizeOnType
//+ Real 'x[2,3]' = 6.0;
model SizeOnType
  Real[3] x[2] = {{1, 2, 3}, {4, 5, 6}};
end SizeOnType;

//! SizeIsReal E0501
model SizeIsReal
  Real x[2.0] = {1, 2};
end SizeIsReal;

//! SizeIsString E0501
model SizeIsString
  Real x["2"] = {1, 2};
end SizeIsString;

//! BindingOfWrongSize E0501
//~ 'x' is Real[3]
model BindingOfWrongSize
  Real x[3] = {1, 2};
end BindingOfWrongSize;

//! BindingOfWrongRank E0501
model BindingOfWrongRank
  Real x[2, 2] = {1, 2};
end BindingOfWrongRank;

//! ScalarForArray E0501
model ScalarForArray
  Real x[2] = 1;
end ScalarForArray;

//! ArrayForScalar E0501
model ArrayForScalar
  Real x = {1};
end ArrayForScalar;

//! NegativeSizeOfFill E0604
model NegativeSizeOfFill
  parameter Integer n = -2;
  Real x[:] = fill(1, n);
end NegativeSizeOfFill;

//! SizesDependOnEachOther E0602
model SizesDependOnEachOther
  parameter Real x[size(y, 1)] = {1};
  parameter Real y[size(x, 1)] = {1};
end SizesDependOnEachOther;

//! OpenSizeOfVariable E0604
model OpenSizeOfVariable
  Real x[:];
equation
  x = {1, 2};
end OpenSizeOfVariable;

//! Ndims
//+ parameter Integer n = 2;
model Ndims
  parameter Integer n = ndims([1, 2; 3, 4]);
end Ndims;

//! SizeOfAll
//+ parameter Integer 's[1]' = 2;
//+ parameter Integer 's[2]' = 3;
model SizeOfAll
  parameter Integer s[2] = size([1, 2, 3; 4, 5, 6]);
end SizeOfAll;

//! SizeOfMissingDimension E0506
//~ dimension 3
model SizeOfMissingDimension
  parameter Integer n = size([1, 2; 3, 4], 3);
end SizeOfMissingDimension;

//! SizeOfScalar E0506
model SizeOfScalar
  parameter Integer n = size(1.0, 1);
end SizeOfScalar;

//! ScalarOfArray
//+ Real x = time;
model ScalarOfArray
  Real x = scalar([time]);
end ScalarOfArray;

//! ScalarOfMany E0504
//~ 'scalar'
model ScalarOfMany
  Real x = scalar({1, 2});
end ScalarOfMany;

//! VectorOfMatrix
//+ Real 'x[2]' = 2.0;
model VectorOfMatrix
  Real x[2] = vector([1; 2]);
end VectorOfMatrix;

//! VectorOfScalar
//+ Real 'x[1]' = time;
model VectorOfScalar
  Real x[1] = vector(time);
end VectorOfScalar;

//! VectorOfTrueMatrix E0504
//~ 'vector'
model VectorOfTrueMatrix
  Real x[4] = vector([1, 2; 3, 4]);
end VectorOfTrueMatrix;

//! MatrixOfVector
//+ Real 'x[2,1]' = 2.0;
model MatrixOfVector
  Real x[2, 1] = matrix({1, 2});
end MatrixOfVector;

//! MatrixOfThreeDimensions
//+ Real 'x[2,1]' = 3.0;
model MatrixOfThreeDimensions
  Real x[2, 2] = matrix({{{1}, {2}}, {{3}, {4}}});
end MatrixOfThreeDimensions;

//! MatrixOfThickArray E0504
//~ 'matrix'
model MatrixOfThickArray
  Real x[1, 1] = matrix({{{1, 2}}});
end MatrixOfThickArray;

//! TransposeOfMatrix
//+ Real 'x[3,1]' = 3.0;
model TransposeOfMatrix
  Real x[3, 1] = transpose([1, 2, 3]);
end TransposeOfMatrix;

//! TransposeOfThreeDimensions
//+ Real 'x[2,1,2]' = 4.0;
model TransposeOfThreeDimensions
  Real x[2, 1, 2] = transpose({{{1, 2}, {3, 4}}});
end TransposeOfThreeDimensions;

//! TransposeOfVector E0504
//~ 'transpose'
model TransposeOfVector
  Real x[2] = transpose({1, 2});
end TransposeOfVector;

//! OuterProduct
//+ Real 'x[2,3]' = 10.0;
model OuterProduct
  Real x[2, 3] = outerProduct({1, 2}, {3, 4, 5});
end OuterProduct;

//! OuterProductOfMatrix E0504
model OuterProductOfMatrix
  Real x[2, 2] = outerProduct([1, 2; 3, 4], {1, 2});
end OuterProductOfMatrix;

//! Symmetric
//+ Real 'x[2,1]' = 2.0;
model Symmetric
  Real x[2, 2] = symmetric([1, 2; 3, 4]);
end Symmetric;

//! SymmetricNotSquare E0504
//~ 'symmetric'
model SymmetricNotSquare
  Real x[2, 3] = symmetric([1, 2, 3; 4, 5, 6]);
end SymmetricNotSquare;

//! CrossProduct
//+ Real 'x[3]' = 1.0;
model CrossProduct
  Real x[3] = cross({1, 0, 0}, {0, 1, 0});
end CrossProduct;

//! CrossOfTwo E0504
//~ 'cross'
model CrossOfTwo
  Real x[2] = cross({1, 0}, {0, 1});
end CrossOfTwo;

//! Skew
//+ Real 'x[1,2]' = -3.0;
//+ Real 'x[3,2]' = 1.0;
model Skew
  Real x[3, 3] = skew({1, 2, 3});
end Skew;

//! SkewOfFour E0504
model SkewOfFour
  Real x[3, 3] = skew({1, 2, 3, 4});
end SkewOfFour;

//! IdentityIsInteger
//+ parameter Integer 'n[2,2]' = 1;
model IdentityIsInteger
  parameter Integer n[2, 2] = identity(2);
end IdentityIsInteger;

//! IdentityOfReal E0501
model IdentityOfReal
  Real x[2, 2] = identity(2.0);
end IdentityOfReal;

//! DiagonalOfVector
//+ Real 'x[2,2]' = 2.0;
//+ Real 'x[1,2]' = 0.0;
model DiagonalOfVector
  Real x[2, 2] = diagonal({1, 2});
end DiagonalOfVector;

//! DiagonalOfMatrix E0504
model DiagonalOfMatrix
  Real x[2, 2] = diagonal([1, 2; 3, 4]);
end DiagonalOfMatrix;

//! ZerosAndOnes
//+ Real 'x[2]' = 0.0;
//+ Real 'y[1,2]' = 1.0;
model ZerosAndOnes
  Real x[2] = zeros(2);
  Real y[1, 2] = ones(1, 2);
end ZerosAndOnes;

//! ZerosOfNothing E0504
//~ 'zeros'
model ZerosOfNothing
  Real x = zeros();
end ZerosOfNothing;

//! FillWithString
//+ parameter String 's[2]' = "a";
model FillWithString
  parameter String s[2] = fill("a", 2);
end FillWithString;

//! FillWithArray
//+ Real 'x[2,2]' = 2.0;
model FillWithArray
  Real x[2, 2] = fill({1, 2}, 2);
end FillWithArray;

//! FillWithoutSize E0504
//~ 'fill'
model FillWithoutSize
  Real x = fill(1);
end FillWithoutSize;

//! Linspace
//+ Real 'x[2]' = 1.5;
model Linspace
  Real x[3] = linspace(1, 2, 3);
end Linspace;

//! LinspaceOfOne E0504
//~ 'linspace'
model LinspaceOfOne
  Real x[1] = linspace(1, 2, 1);
end LinspaceOfOne;

//! MinMaxOfArray
//+ parameter Real a = -2.0;
//+ parameter Integer b = 7;
model MinMaxOfArray
  parameter Real a = min([1.5, -2; 3, 4]);
  parameter Integer b = max({3, 7, 5});
end MinMaxOfArray;

//! MinOfStrings E0501
//~ 'min'
model MinOfStrings
  parameter String s = min({"a", "b"});
end MinOfStrings;

//! MaxOfThree E0504
model MaxOfThree
  Real x = max(1, 2, 3);
end MaxOfThree;

//! SumOfIntegers
//+ parameter Integer n = 6;
model SumOfIntegers
  parameter Integer n = sum({1, 2, 3});
end SumOfIntegers;

//! SumOfBooleans E0501
//~ 'sum'
model SumOfBooleans
  parameter Integer n = sum({true, false});
end SumOfBooleans;

//! SumOfScalar E0501
model SumOfScalar
  Real x = sum(1);
end SumOfScalar;

//! ProductOfEmpty
//+ parameter Real p = 1.0;
//+ parameter Real s = 0.0;
model ProductOfEmpty
  parameter Real p = product(zeros(0));
  parameter Real s = sum(zeros(0));
end ProductOfEmpty;

//! CatAlongFirst
//+ Real 'x[3,2]' = 6.0;
model CatAlongFirst
  Real x[3, 2] = cat(1, [1, 2], [3, 4; 5, 6]);
end CatAlongFirst;

//! CatAlongSecond
//+ Real 'x[2,3]' = 6.0;
model CatAlongSecond
  Real x[2, 3] = cat(2, [1; 4], [2, 3; 5, 6]);
end CatAlongSecond;

//! CatSizes E0504
model CatSizes
  Real x[3, 2] = cat(1, [1, 2], [3, 4, 5]);
end CatSizes;

//! CatDimension E0504
model CatDimension
  Real x[2] = cat(2, {1}, {2});
end CatDimension;

//! CatTypes E0501
model CatTypes
  Real x[2] = cat(1, {1}, {"a"});
end CatTypes;

//! MatrixOfRows E0503
model MatrixOfRows
  Real x[2, 2] = [1, 2; 3];
end MatrixOfRows;

//! MatrixOfBlocks
//+ Real 'x[2,3]' = 9.0;
model MatrixOfBlocks
  Real x[2, 3] = [identity(2), {8, 9}];
end MatrixOfBlocks;

//! ArrayFunction
//+ Real 'x[2]' = time;
model ArrayFunction
  Real x[2] = array(1, time);
end ArrayFunction;

//! NestedArraysDiffer E0501
model NestedArraysDiffer
  Real x[2, 2] = {{1, 2}, {3}};
end NestedArraysDiffer;

// Ranges.

//! RangeOfIntegers
//+ parameter Integer 'n[3]' = 4;
model RangeOfIntegers
  parameter Integer n[3] = 2:4;
end RangeOfIntegers;

//! RangeWithStep
//+ parameter Integer 'n[3]' = 1;
model RangeWithStep
  parameter Integer n[3] = 5:-2:1;
end RangeWithStep;

//! RangeOfReals
//+ parameter Real 'x[3]' = 2.0;
model RangeOfReals
  parameter Real x[3] = 1.0:0.5:2.0;
end RangeOfReals;

//! EmptyRange
//+ parameter Integer n = 0;
model EmptyRange
  parameter Integer n = size(2:1, 1);
end EmptyRange;

//! RangeStepZero E0605
//~ zero
model RangeStepZero
  parameter Integer n = size(1:0:3, 1);
end RangeStepZero;

//! RangeOfStrings E0501
model RangeOfStrings
  parameter Integer n = size("a":"b", 1);
end RangeOfStrings;

//! RangeOfArrays E0501
model RangeOfArrays
  parameter Integer n = size({1, 2}:3, 1);
end RangeOfArrays;

//! BooleanRange
//+ parameter Integer n = 2;
model BooleanRange
  parameter Integer n = size(false:true, 1);
end BooleanRange;

// Comprehensions and reductions.

//! ComprehensionInBraces
//+ Real 'x[3]' = 9.0;
model ComprehensionInBraces
  Real x[3] = {i^2 for i in 1:3};
end ComprehensionInBraces;

//! ComprehensionOverArray
//+ Real 'x[2]' = 40.0;
model ComprehensionOverArray
  constant Real a[2] = {10, 20};
  Real x[2] = {2 * v for v in a};
end ComprehensionOverArray;

//! ReductionMax
//+ parameter Integer n = 6;
model ReductionMax
  parameter Integer n = max(i * (5 - i) for i in 1:4);
end ReductionMax;

//! ReductionProduct
//+ parameter Integer n = 24;
model ReductionProduct
  parameter Integer n = product(i for i in 1:4);
end ReductionProduct;

//! ReductionOverTwo
//+ parameter Integer n = 18;
model ReductionOverTwo
  parameter Integer n = sum(i * j for i in 1:2, j in 1:3);
end ReductionOverTwo;

//! ReductionOfEmpty
//+ parameter Real s = 0.0;
model ReductionOfEmpty
  parameter Real s = sum(1.0 * i for i in 1:0);
end ReductionOfEmpty;

//! ComprehensionOverVariable E0604
model ComprehensionOverVariable
  Integer n = integer(time);
  Real x[2] = {i for i in 1:n};
end ComprehensionOverVariable;

//! ComprehensionOverScalar E0501
model ComprehensionOverScalar
  Real x[1] = {i for i in 3};
end ComprehensionOverScalar;

//! IndexIsLocal E0401
//~ 'i'
model IndexIsLocal
  Real x = sum(i for i in 1:3) + i;
end IndexIsLocal;

//! IndexHidesComponent
//+ Real x = 6.0;
model IndexHidesComponent
  Real i = 100;
  Real x = sum(i for i in 1:3);
end IndexHidesComponent;

// Subscripts.

//! EndInSubscript
//+ Real y = 'a[3]';
//+ Real z = 'a[2]';
model EndInSubscript
  parameter Real a[3] = {1, 2, 3};
  Real y = a[end];
  Real z = a[end - 1];
end EndInSubscript;

//! EndNested
//+ Real y = 'a[2]';
model EndNested
  parameter Real a[3] = {1, 2, 3};
  parameter Integer n[2] = {1, 2};
  Real y = a[n[end]];
end EndNested;

//! SubscriptZero E0506
//~ 0
model SubscriptZero
  parameter Real a[3] = {1, 2, 3};
  Real y = a[0];
end SubscriptZero;

//! SubscriptInSecondDimension E0506
//~ 4
model SubscriptInSecondDimension
  parameter Real A[2, 3] = [1, 2, 3; 4, 5, 6];
  Real y = A[1, 4];
end SubscriptInSecondDimension;

//! SubscriptOfScalar E0506
model SubscriptOfScalar
  Real x = 1;
  Real y = x[1];
end SubscriptOfScalar;

//! SubscriptIsString E0506
model SubscriptIsString
  parameter Real a[2] = {1, 2};
  Real y = a["1"];
end SubscriptIsString;

//! SubscriptIsMatrix E0506
model SubscriptIsMatrix
  parameter Real a[2] = {1, 2};
  Real y = sum(a[[1, 2; 2, 1]]);
end SubscriptIsMatrix;

//! SliceByVector
//+ Real 'y[2]' = 'a[1]';
model SliceByVector
  parameter Real a[3] = {1, 2, 3};
  Real y[2] = a[{3, 1}];
end SliceByVector;

//! SliceOutside E0506
model SliceOutside
  parameter Real a[3] = {1, 2, 3};
  Real y[2] = a[3:4];
end SliceOutside;

//! ColonTakesAll
//+ Real 'y[2]' = 'A[2,2]';
model ColonTakesAll
  parameter Real A[2, 2] = [1, 2; 3, 4];
  Real y[2] = A[:, 2];
end ColonTakesAll;

//! FewerSubscriptsGiveRows
//+ Real 'y[2]' = 'A[1,2]';
model FewerSubscriptsGiveRows
  parameter Real A[2, 2] = [1, 2; 3, 4];
  Real y[2] = A[1];
end FewerSubscriptsGiveRows;

//! SubscriptOfVariable ok
model SubscriptOfVariable
  parameter Real a[3] = {1, 2, 3};
  Integer n = if time > 1 then 2 else 3;
  Real y = a[n];
end SubscriptOfVariable;

//! BooleanSubscript
//+ Real y = 'a[2]';
model BooleanSubscript
  parameter Real a[Boolean] = {1, 2};
  Real y = a[true];
end BooleanSubscript;

//! SliceOfComponents
//+ Real 'y[2]' = 'p[3].r';
model Wheel
  parameter Real r = 1;
end Wheel;
model SliceOfComponents
  Wheel p[3];
  Real y[2] = p[{1, 3}].r;
end SliceOfComponents;

//! SubscriptOfComponents E0506
//~ 4
model SubscriptOfComponents
  Wheel p[3];
  Real y = p[4].r;
end SubscriptOfComponents;

//! ArrayEquation ok
model ArrayEquation
  Real A[2, 2];
equation
  A = [time, 2; 3, 4];
end ArrayEquation;

//! ArrayEquationRank E0501
model ArrayEquationRank
  Real A[2, 2];
equation
  A = {1, 2};
end ArrayEquationRank;

//! EmptyConstructor E0504
model EmptyConstructor
  Real x[0] = {};
end EmptyConstructor;

//! Promote
//+ Real 'x[2,1]' = 2.0;
model Promote
  Real x[2, 1] = promote({1, 2}, 2);
end Promote;

//! VectorisedWithScalar
//+ Real 'x[2]' = atan2(2, time);
model VectorisedWithScalar
  Real x[2] = atan2({1, 2}, time);
end VectorisedWithScalar;

//! VectorisedSizes E0503
model VectorisedSizes
  Real x[2] = atan2({1, 2}, {1, 2, time});
end VectorisedSizes;
