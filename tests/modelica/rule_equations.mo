// Equations, statements, variability, arrays (specification 3.8, 4.5, 8, 10, 11). Each case breaks one rule.


//! WhenInWhen E0740
//@ 8.3.5 When in when
//~ cannot stand inside of another
model WhenInWhen
  Real x(start=0);
equation
  when time > 1 then when time > 2 then x = 1; end when; end when;
end WhenInWhen;

//! WhenInInitialEquation E0740
//@ 8.3.5 When in initial equation
//~ cannot stand in an initial section
model WhenInInitialEquation
  discrete Real x(start=0);
initial equation
  when time > 1 then x = 1; end when;
equation
  when time > 1 then x = 1; end when;
end WhenInInitialEquation;

//! WhenConditionContinuousReal E0501
//@ 8.3.5 When condition continuous Real
//~ a condition is a Boolean, not Real
model WhenConditionContinuousReal
  discrete Real x(start=0);
equation
  when time then x = 1; end when;
end WhenConditionContinuousReal;

//! WhenConditionIsNotDiscreteTime E0509
//@ 8.3.5 When condition is not discrete-time
//~ the condition of a when-clause changes at events only, and this without one
model WhenConditionIsNotDiscreteTime
  discrete Real x(start=0);
equation
  when noEvent(time > 1) then x = 1; end when;
end WhenConditionIsNotDiscreteTime;

//! WhenWithExpressionLeft E0704
//@ 8.3.5 When with expression left
//~ an equation in a when-clause has a variable alone on its left side
model WhenWithExpressionLeft
  discrete Real x(start=0);
equation
  when time > 1 then 2*x = 1; end when;
end WhenWithExpressionLeft;

//! DifferentVariablesInElsewhen E0705
//@ 8.3.5 Different variables in elsewhen
//~ the branches of a when-clause determine different variables
model DifferentVariablesInElsewhen
  discrete Real x(start=0), y(start=0);
equation
  when time > 1 then x = 1; elsewhen time > 2 then y = 2; end when;
end DifferentVariablesInElsewhen;

//! TwoWhensDetermineOneVariable E0703
//@ 8.4 Two whens determine one variable
//~ has 1 unknown and 2 equations: a second equation for
model TwoWhensDetermineOneVariable
  discrete Real x(start=0);
equation
  when time > 1 then x = 1; end when;
  when time > 2 then x = 2; end when;
end TwoWhensDetermineOneVariable;

//! ReinitTwice E0748
//@ 8.3.6 Reinit twice
//~ is set anew by reinit in two when-clauses
model ReinitTwice
  Real x(start=0, fixed=true);
equation
  der(x) = 1;
  when time > 1 then reinit(x, 0); end when;
  when time > 2 then reinit(x, 1); end when;
end ReinitTwice;

//! ReinitOutsideOfWhen E0740
//@ 8.3.6 Reinit outside of when
//~ stands in when-equations only
model ReinitOutsideOfWhen
  Real x(start=0, fixed=true);
equation
  der(x) = 1;
  reinit(x, 0);
end ReinitOutsideOfWhen;

//! ReinitOfANonState E0510
//@ 8.3.6 Reinit of a non-state
//~ is not differentiated
model ReinitOfANonState
  Real x = time;
equation
  when time > 1 then reinit(x, 0); end when;
end ReinitOfANonState;

//! ReinitInAlgorithm E0740
//@ 8.3.6 Reinit in algorithm
//~ stands in when-equations only
model ReinitInAlgorithm
  Real x(start=0, fixed=true);
equation
  der(x) = 1;
algorithm
  when time > 1 then reinit(x, 0); end when;
end ReinitInAlgorithm;

//! ReinitOfInteger E0501
//@ 8.3.6 Reinit of Integer
//~ is for a Real, not Integer
model ReinitOfInteger
  Integer x(start=0, fixed=true);
equation
  when time > 1 then reinit(x, 0); x = 1; end when;
end ReinitOfInteger;

//! ReinitWithABoolean E0501
//@ 8.3.6 Reinit with a Boolean
//~ the new value of a state is a Real, not Boolean
model ReinitWithABoolean
  Real x(start=0, fixed=true);
equation
  der(x) = 1;
  when time > 1 then reinit(x, true); end when;
end ReinitWithABoolean;

//! ReinitOfAnExpression E0510
//@ 8.3.6 Reinit of an expression
//~ is for a variable
model ReinitOfAnExpression
  Real x(start=0, fixed=true);
equation
  der(x) = 1;
  when time > 1 then reinit(2*x, 1); end when;
end ReinitOfAnExpression;

//! IfEquationsUnequal E0705
//@ 8.3.4 If equations unequal
//~ the branches have different numbers of equations
model IfEquationsUnequal
  Real x, y;
equation
  if time > 1 then x = 1; y = 2; else x = 3; end if;
end IfEquationsUnequal;

//! IfConditionNotBoolean E0501
//@ 8.3.4 If condition not Boolean
//~ a condition is a Boolean, not Integer
model IfConditionNotBoolean
  Real x;
equation
  if 1 then x = 1; else x = 3; end if;
end IfConditionNotBoolean;

//! IfConditionVector E0501
//@ 8.3.4 If condition vector
//~ a condition is a Boolean, not Boolean[2]
model IfConditionVector
  Real x;
equation
  if {true, false} then x = 1; else x = 3; end if;
end IfConditionVector;

//! ForRangeVarying E0603
//@ 8.3.2 For range varying
//~ changes with time, but its value is needed while the model is built
model ForRangeVarying
  Real x[3];
  Integer n = if time > 1 then 3 else 2;
equation
  for i in 1:n loop x[i] = 1; end for;
end ForRangeVarying;

//! ForRangeScalar E0501
//@ 8.3.2 For range scalar
//~ the range of a loop is a vector, not Integer
model ForRangeScalar
  Real x;
equation
  for i in 3 loop x = 1; end for;
end ForRangeScalar;

//! AssignmentToTheLoopVariableInAnEquation E0510
//@ 8.3.2 Assignment to the loop variable in an equation
//~ the index of a loop cannot be assigned to
model AssignmentToTheLoopVariableInAnEquation
  Real x[3];
equation
  for i in 1:3 loop i = 1; x[i] = 1; end for;
end AssignmentToTheLoopVariableInAnEquation;

//! AssertLevel E0501
//@ 8.3.7 Assert level
//~ the level of an assertion is an AssertionLevel, not Integer
model AssertLevel
  Real x = 1;
equation
  assert(x > 0, "x", 3);
end AssertLevel;

//! AssertCondition E0501
//@ 8.3.7 Assert condition
//~ a condition is a Boolean, not Real
model AssertCondition
  Real x = 1;
equation
  assert(x, "x");
end AssertCondition;

//! AssertMessage E0501
//@ 8.3.7 Assert message
//~ the message of an assertion is a String, not Integer
model AssertMessage
  Real x = 1;
equation
  assert(x > 0, 3);
end AssertMessage;

//! AssertWithoutMessage E0504
//@ 8.3.7 Assert without message
//~ takes 2 arguments
model AssertWithoutMessage
  Real x = 1;
equation
  assert(x > 0);
end AssertWithoutMessage;

//! TerminateWithoutString E0501
//@ 8.3.8 Terminate without string
//~ the message is a String, not Integer
model TerminateWithoutString
  Real x = 1;
equation
  when time > 1 then terminate(1); end when;
end TerminateWithoutString;

//! TerminateInFunction E0740
//@ 11.2.8 Terminate in function
//~ cannot stand in a function
model TerminateInFunction
  function f input Real u; output Real y = u; algorithm terminate("x"); end f;
  Real x = f(time);
end TerminateInFunction;

//! EquationsOfDifferentTypes E0501
//@ 8.3.1 Equations of different types
//~ the left side is Real, the right side Boolean
model EquationsOfDifferentTypes
  Real x;
equation
  x = true;
end EquationsOfDifferentTypes;

//! AssignmentOfDifferentTypes E0501
//@ 11.2.1 Assignment of different types
//~ Real is assigned to Integer
model AssignmentOfDifferentTypes
  Integer x;
algorithm
  x := 1.5;
end AssignmentOfDifferentTypes;

//! EquationOfRecordsOfOtherShape E0503
//@ 8.3.1 Equation of records of other shape
//~ the left side is R, the right side S
model EquationOfRecordsOfOtherShape
  record R Real x; end R;
  record S Real y; end S;
  R r; S s;
equation
  r = s;
  s.y = 1;
end EquationOfRecordsOfOtherShape;

//! WhenInIfInAlgorithm E0740
//@ 11.2.7 When in if in algorithm
//~ cannot stand inside of an
model WhenInIfInAlgorithm
  discrete Real x(start=0);
  parameter Boolean b = true;
algorithm
  if b then when time > 1 then x := 1; end when; end if;
end WhenInIfInAlgorithm;

//! WhenInForInAlgorithm E0740
//@ 11.2.7 When in for in algorithm
//~ cannot stand inside of a
model WhenInForInAlgorithm
  discrete Real x(start=0);
algorithm
  for i in 1:2 loop when time > 1 then x := i; end when; end for;
end WhenInForInAlgorithm;

//! WhenInWhile E0740
//@ 11.2.7 When in while
//~ cannot stand inside of a
model WhenInWhile
  discrete Real x(start=0);
algorithm
  while x < 1 loop when time > 1 then x := 1; end when; end while;
end WhenInWhile;

//! WhenInFunction E0740
//@ 11.2.7 When in function
//~ cannot stand in a function
model WhenInFunction
  function f input Real u; output Real y; algorithm when u > 1 then y := 1; end when; end f;
  Real x = f(time);
end WhenInFunction;

//! WhenInInitialAlgorithm E0740
//@ 11.2.7 When in initial algorithm
//~ cannot stand in an initial section
model WhenInInitialAlgorithm
  discrete Real x(start=0);
initial algorithm
  when time > 1 then x := 1; end when;
equation
  x = 1;
end WhenInInitialAlgorithm;

//! BreakOutsideOfLoop E0740
//@ 11.2.4 Break outside of loop
//~ leaves a loop, and there is none here
model BreakOutsideOfLoop
  function f input Real u; output Real y = u; algorithm break; end f;
  Real x = f(time);
end BreakOutsideOfLoop;

//! ReturnInAModel E0740
//@ 11.2.5 Return in a model
//~ leaves a function, and this is none
model ReturnInAModel
  Real x;
algorithm
  x := 1;
  return;
end ReturnInAModel;

//! WhileCondition E0501
//@ 11.2.3 While condition
//~ a condition is a Boolean, not Real
model WhileCondition
  Real x;
algorithm
  x := 1;
  while x loop x := 0; end while;
end WhileCondition;

//! IfConditionInAlgorithm E0501
//@ 11.2.6 If condition in algorithm
//~ a condition is a Boolean, not Integer
model IfConditionInAlgorithm
  Real x;
algorithm
  if 1 then x := 1; end if;
end IfConditionInAlgorithm;

//! BooleanNotInWhenDiscreteRealAssignedByEquation E0509
//@ 4.5.2 Boolean not in when, discrete Real assigned by equation
//~ is declared discrete, and so it is for a when-clause to determine it
model BooleanNotInWhenDiscreteRealAssignedByEquation
  discrete Real x;
equation
  x = sin(time);
end BooleanNotInWhenDiscreteRealAssignedByEquation;

//! IntegerContinuous E0501
//@ 4.5.2 Integer continuous
//~ a Real where an Integer is needed
model IntegerContinuous
  Integer x;
equation
  x = time;
end IntegerContinuous;

//! DerOfDiscrete E0741
//@ 4.5.2 Der of discrete
//~ which changes at events only
model DerOfDiscrete
  discrete Real x(start=0);
  Real y;
equation
  when time > 1 then x = 1; end when;
  y = der(x);
end DerOfDiscrete;

//! DerOfInteger E0741
//@ 3.7.4 Der of Integer
//~ which changes at events only
model DerOfInteger
  Integer x = 1;
  Real y = der(x);
end DerOfInteger;

//! DerOfBoolean E0501
//@ 3.7.4 Der of Boolean
//~ takes a Real here, not Boolean
model DerOfBoolean
  Boolean x = true;
  Real y = der(x);
end DerOfBoolean;

//! PreOfContinuousOutsideOfWhen E0741
//@ 3.7.5 Pre of continuous outside of when
//~ which changes continuously
model PreOfContinuousOutsideOfWhen
  Real x = time;
  Real y = pre(x);
end PreOfContinuousOutsideOfWhen;

//! EdgeOfReal E0501
//@ 3.7.5 Edge of Real
//~ takes a Boolean here, not Real
model EdgeOfReal
  Real x = time;
  Boolean y = edge(x);
end EdgeOfReal;

//! ChangeOfAContinuousReal E0741
//@ 3.7.5 Change of a continuous Real
//~ which changes continuously
model ChangeOfAContinuousReal
  Real x = time;
  Boolean y = change(x);
end ChangeOfAContinuousReal;

//! PreOfExpression E0741
//@ 3.7.5 Pre of expression
//~ is for a variable, not for an expression
model PreOfExpression
  Integer x = 1;
  Integer y = pre(x + 1);
end PreOfExpression;

//! EdgeOfExpression E0741
//@ 3.7.5 Edge of expression
//~ is for a variable, not for an expression
model EdgeOfExpression
  Boolean y = edge(time > 1);
end EdgeOfExpression;

//! SampleWithVariableInterval E0509
//@ 3.7.5 Sample with variable interval
//~ may not change with time
model SampleWithVariableInterval
  Real p = time;
  Boolean b = sample(0, p);
end SampleWithVariableInterval;

//! SampleWithABoolean E0501
//@ 3.7.5 Sample with a Boolean
//~ takes a number here, not Boolean
model SampleWithABoolean
  Boolean b = sample(true, 1);
end SampleWithABoolean;

//! DelayWithAVariableDelayWithoutMax E0816
//@ 3.7.4 Delay with a variable delay without max
//~ this changes with time: delay needs a largest delay then
model DelayWithAVariableDelayWithoutMax
  Real x = delay(time, time);
end DelayWithAVariableDelayWithoutMax;

//! DelayWithNegative E0816
//@ 3.7.4 Delay with negative
//~ a delay cannot be negative
model DelayWithNegative
  Real x = delay(time, -1);
end DelayWithNegative;

//! DelayOfString E0501
//@ 3.7.4 Delay of String
//~ takes a number here, not String
model DelayOfString
  String x = delay("x", 1);
end DelayOfString;

//! CardinalityOfAReal E0501
//@ 3.7.4 Cardinality of a Real
//~ takes a connector here, not Real
model CardinalityOfAReal
  Real x = 1;
  Integer n = cardinality(x);
end CardinalityOfAReal;

//! DerWithTwoArguments E0504
//@ 3.7.4 Der with two arguments
//~ takes 1 argument, not 2
model DerWithTwoArguments
  Real x = time;
  Real y = der(x, x);
end DerWithTwoArguments;

//! DerWithString E0501
//@ 3.7.4 Der with String
//~ takes a Real here, not String
model DerWithString
  String x = "a";
  Real y = der(x);
end DerWithString;

//! TupleWithWrongNumber E0501
//@ 12.4.3 Tuple with wrong number
//~ only a call with as many results can stand opposite a list
model TupleWithWrongNumber
  function f input Real u; output Real a = u; output Real b = u; end f;
  Real x, y, z;
equation
  (x, y, z) = f(time);
end TupleWithWrongNumber;

//! TupleOfExpression E0704
//@ 12.4.3 Tuple of expression
//~ a list of results holds variables only, or nothing
model TupleOfExpression
  function f input Real u; output Real a = u; output Real b = u; end f;
  Real x, y;
equation
  (x, y + 1) = f(time);
end TupleOfExpression;

//! TupleTypes E0501
//@ 12.4.3 Tuple types
//~ is Boolean, but this is Real
model TupleTypes
  function f input Real u; output Real a = u; output Boolean b = u > 1; end f;
  Real x, y;
equation
  (x, y) = f(time);
end TupleTypes;

//! TupleRightSideIsNoFunction E0501
//@ 12.4.3 Tuple right side is no function
//~ only a call with as many results can stand opposite a list
model TupleRightSideIsNoFunction
  Real x, y;
equation
  (x, y) = (1, 2);
end TupleRightSideIsNoFunction;

//! VariableAssignedInAlgorithmAndEquation E0703
//@ 8.4 Variable assigned in algorithm and equation
//~ has 1 unknown and 2 equations: 2 equations for 1 unknown: x
model VariableAssignedInAlgorithmAndEquation
  Real x;
equation
  x = 1;
algorithm
  x := 2;
end VariableAssignedInAlgorithmAndEquation;

//! TooFewEquations E0703
//@ 8.4 Too few equations
//~ has 2 unknowns and 1 equation: nothing determines
model TooFewEquations
  Real x, y;
equation
  x = 1;
end TooFewEquations;

//! TooMany E0703
//@ 8.4 Too many
//~ has 1 unknown and 2 equations: 2 equations for 1 unknown: x
model TooMany
  Real x;
equation
  x = 1;
  x = 2;
end TooMany;

//! ParameterDependsOnVariable E0509
//@ 3.8 Parameter depends on variable
//~ is a parameter, but this changes continuously
model ParameterDependsOnVariable
  Real x = time;
  parameter Real p = x;
end ParameterDependsOnVariable;

//! ConstantDependsOnAParameter E0509
//@ 3.8 Constant depends on a parameter
//~ is a constant, but this changes from run to run
model ConstantDependsOnAParameter
  parameter Real p = 1;
  constant Real c = p;
end ConstantDependsOnAParameter;

//! ConstantWithoutValueUsed E0601
//@ 4.5 Constant without value used
//~ the constant
model ConstantWithoutValueUsed
  constant Real c;
  Real x = c;
end ConstantWithoutValueUsed;

//! ConstantWithoutValue E0601
//@ 4.5 Constant without value
//~ the constant
model ConstantWithoutValue
  constant Real c;
  Real x = 1;
end ConstantWithoutValue;

//! CyclicParameter E0602
//@ 4.4.3 Cyclic parameter
//~ depends on itself
model CyclicParameter
  parameter Real p = q;
  parameter Real q = p;
end CyclicParameter;

//! DiscreteBoundToContinuous E0509
//@ 3.8 Discrete bound to continuous
//~ is a discrete variable, but this changes continuously
model DiscreteBoundToContinuous
  discrete Real x = time;
end DiscreteBoundToContinuous;

//! BooleanVaryingByNoEvent E0509
//@ 4.5.2 Boolean varying by noEvent
//~ is a discrete variable, but this changes continuously
model BooleanVaryingByNoEvent
  Boolean b = noEvent(time > 1);
end BooleanVaryingByNoEvent;

//! IntegerFromReal E0501
//@ 6.7 Integer from Real
//~ is Integer, but its value is Real
model IntegerFromReal
  Integer i = 2.5;
end IntegerFromReal;

//! StartAttributeVariable E0509
//@ 4.9 Start attribute variable
//~ may not depend on what changes with time
model StartAttributeVariable
  Real y = time;
  Real x(start = y);
equation
  der(x) = 1;
end StartAttributeVariable;

//! FixedIsNotBoolean E0501
//@ 4.9 Fixed is not Boolean
//~ cannot be Integer
model FixedIsNotBoolean
  Real x(start = 1, fixed = 1);
equation
  der(x) = 1;
end FixedIsNotBoolean;

//! UnitIsReal E0501
//@ 4.9 Unit is Real
//~ cannot be Integer
model UnitIsReal
  Real x(unit = 3) = 1;
end UnitIsReal;

//! StateSelectWrongLiteral E0501
//@ 4.9 StateSelect wrong literal
//~ cannot be Integer
model StateSelectWrongLiteral
  Real x(stateSelect = 3) = 1;
end StateSelectWrongLiteral;

//! MinIsVariable E0509
//@ 4.9 Min is variable
//~ may not depend on what changes with time
model MinIsVariable
  Real y = time;
  Real x(min = y) = 1;
end MinIsVariable;

//! DimensionNegative E0604
//@ 10.1 Dimension negative
//~ is not possible
model DimensionNegative
  parameter Integer n = -1;
  Real x[n];
end DimensionNegative;

//! DimensionReal E0501
//@ 10.1 Dimension Real
//~ an Integer is needed here, not Real
model DimensionReal
  Real x[2.5];
end DimensionReal;

//! DimensionVariable E0603
//@ 10.1 Dimension variable
//~ changes with time, but its value is needed while the model is built
model DimensionVariable
  Integer n = 2;
  Real x[n] = {1, 2};
end DimensionVariable;

//! DimensionType E0507
//@ 10.1 Dimension type
//~ is a class, not a value
model DimensionType
  Real x[Real];
end DimensionType;

//! DimensionVector E0501
//@ 10.1 Dimension vector
//~ an Integer is needed here, not Integer[2]
model DimensionVector
  Real x[{1,2}];
end DimensionVector;

//! ColonWithoutBinding E0604
//@ 10.1 Colon without binding
//~ cannot be found
model ColonWithoutBinding
  Real x[:];
end ColonWithoutBinding;

//! SubscriptOutOfRange E0506
//@ 10.5 Subscript out of range
//~ the subscript 3 is not in 1 to 2
model SubscriptOutOfRange
  Real x[2] = {1, 2};
  Real y = x[3];
end SubscriptOutOfRange;

//! SubscriptReal E0506
//@ 10.5 Subscript Real
//~ a subscript is an Integer, not Real
model SubscriptReal
  Real x[2] = {1, 2};
  Real y = x[1.0];
end SubscriptReal;

//! TooManySubscripts E0506
//@ 10.5 Too many subscripts
//~ 2 subscripts for an array of 1 dimensions
model TooManySubscripts
  Real x[2] = {1, 2};
  Real y = x[1, 1];
end TooManySubscripts;

//! BooleanSubscriptOfIntegerDimension E0506
//@ 10.5 Boolean subscript of Integer dimension
//~ takes Integer, not Boolean
model BooleanSubscriptOfIntegerDimension
  Real x[2] = {1, 2};
  Real y = x[true];
end BooleanSubscriptOfIntegerDimension;

//! IntegerSubscriptOfBooleanDimension E0506
//@ 10.5 Integer subscript of Boolean dimension
//~ takes Boolean, not Integer
model IntegerSubscriptOfBooleanDimension
  Real x[Boolean] = {1, 2};
  Real y = x[1];
end IntegerSubscriptOfBooleanDimension;

//! IntegerSubscriptOfEnumerationDimension E0506
//@ 10.5 Integer subscript of enumeration dimension
//~ takes E, not Integer
model IntegerSubscriptOfEnumerationDimension
  type E = enumeration(a, b);
  Real x[E] = {1, 2};
  Real y = x[1];
end IntegerSubscriptOfEnumerationDimension;

//! EnumerationOfAnotherTypeAsSubscript E0506
//@ 10.5 Enumeration of another type as subscript
//~ this dimension of
model EnumerationOfAnotherTypeAsSubscript
  type E = enumeration(a, b);
  type F = enumeration(c, d);
  Real x[E] = {1, 2};
  Real y = x[F.c];
end EnumerationOfAnotherTypeAsSubscript;

//! ArraySizes E0501
//@ 10.6 Array sizes
//~ is Real[2], but its value is Integer[3]
model ArraySizes
  Real x[2] = {1, 2, 3};
end ArraySizes;

//! WhenInAnIfWithVaryingCondition E0740 E0705
//@ 8.3.5 When in an if with varying condition
//~ whose condition changes with time
model WhenInAnIfWithVaryingCondition
  discrete Real x(start=0);
equation
  if time > 1 then when time > 2 then x = 1; end when; else x = 1; end if;
end WhenInAnIfWithVaryingCondition;

//! DiscreteRealOfAComponentAssignedInWhenOfAnother E0704
//@ 4.5.2 Discrete Real of a component assigned in when of another
//~ which is inside of a component
model DiscreteRealOfAComponentAssignedInWhenOfAnother
  model A discrete Real x(start=0); end A;
  A a;
equation
  when time > 1 then a.x = 1; end when;
end DiscreteRealOfAComponentAssignedInWhenOfAnother;
