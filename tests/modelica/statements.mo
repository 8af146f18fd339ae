// Rules of equations, statements and events (specification, chapters 3.7, 8 and 11), and of connections (9.1).

//! WhenInWhen E0740
//~ when
model WhenInWhen
  Real x(start = 0);
equation
  when time > 1 then
    when time > 2 then
      x = 1;
    end when;
  end when;
end WhenInWhen;

//! WhenInInitialEquation E0740
model WhenInInitialEquation
  Real x(start = 0);
initial equation
  when time > 1 then
    x = 1;
  end when;
equation
  der(x) = 1;
end WhenInInitialEquation;

//! WhenInInitialAlgorithm E0740
model WhenInInitialAlgorithm
  Real x(start = 0);
initial algorithm
  when time > 1 then
    x := 1;
  end when;
equation
  der(x) = 1;
end WhenInInitialAlgorithm;

//! WhenInWhenStatement E0740
model WhenInWhenStatement
  discrete Real x(start = 0);
algorithm
  when time > 1 then
    when time > 2 then
      x := 1;
    end when;
  end when;
end WhenInWhenStatement;

//! WhenInFor ok
model WhenInFor
  discrete Real x[2](each start = 0);
equation
  for i in 1:2 loop
    when time > i then
      x[i] = i;
    end when;
  end for;
end WhenInFor;

//! WhenInIf E0740 E0740
//~ if
model WhenInIf
  discrete Real x(start = 0);
equation
  if time > 1 then
    when time > 2 then
      x = 1;
    end when;
  else
    when time > 3 then
      x = 1;
    end when;
  end if;
end WhenInIf;

//! WhenInParameterIf ok
model WhenInParameterIf
  parameter Boolean use = true;
  discrete Real x(start = 0);
equation
  if use then
    when time > 2 then
      x = 1;
    end when;
  else
    x = 2;
  end if;
end WhenInParameterIf;

//! WhenInForStatement E0740
//~ warning[E0740]
model WhenInForStatement
  discrete Real x(start = 0);
algorithm
  for i in 1:2 loop
    when time > i then
      x := i;
    end when;
  end for;
end WhenInForStatement;

//! WhenInWhile E0740
model WhenInWhile
  discrete Real x(start = 0);
  Integer n;
algorithm
  n := 0;
  while n < 2 loop
    n := n + 1;
    when time > 1 then
      x := n;
    end when;
  end while;
end WhenInWhile;

//! WhenNeedsVariableOnLeft E0704
//~ variable
model WhenNeedsVariableOnLeft
  discrete Real x(start = 0);
equation
  when time > 1 then
    2 * x = time;
  end when;
end WhenNeedsVariableOnLeft;

//! WhenConditionIsBoolean E0501
model WhenConditionIsBoolean
  discrete Real x(start = 0);
equation
  when time then
    x = 1;
  end when;
end WhenConditionIsBoolean;

//! WhenWithSeveralConditions
//+ when {time > 1, time > 2} then
model WhenWithSeveralConditions
  Integer n(start = 0);
equation
  when {time > 1, time > 2} then
    n = pre(n) + 1;
  end when;
end WhenWithSeveralConditions;

//! WhenBranchesDiffer E0705
//~ 'y'
model WhenBranchesDiffer
  discrete Real x(start = 0), y(start = 0);
equation
  when time > 1 then
    x = 1;
    y = 1;
  elsewhen time > 2 then
    x = 2;
  end when;
end WhenBranchesDiffer;

//! TwoWhensForOneVariable E0703
//~ 'x'
model TwoWhensForOneVariable
  discrete Real x(start = 0);
equation
  when time > 1 then
    x = 1;
  end when;
  when time > 2 then
    x = 2;
  end when;
end TwoWhensForOneVariable;

//! ElsewhenForOneVariable ok
model ElsewhenForOneVariable
  discrete Real x(start = 0);
equation
  when time > 1 then
    x = 1;
  elsewhen time > 2 then
    x = 2;
  end when;
end ElsewhenForOneVariable;

//! WhenAssignsTuple ok
model WhenAssignsTuple
  function two
    input Real u;
    output Real a = u;
    output Real b = 2 * u;
  algorithm
  end two;
  discrete Real x(start = 0), y(start = 0);
equation
  when time > 1 then
    (x, y) = two(time);
  end when;
end WhenAssignsTuple;

//! IfInWhen ok
model IfInWhen
  parameter Boolean up = true;
  Integer n(start = 0);
equation
  when time > 1 then
    if up then
      n = pre(n) + 1;
    else
      n = pre(n) - 1;
    end if;
  end when;
end IfInWhen;

//! ConnectInWhen E0740
//~ connect
connector Pin
  Real v;
  flow Real i;
end Pin;
model Source
  Pin p;
equation
  p.v = 1;
end Source;
model Load
  Pin p;
equation
  p.v = p.i;
end Load;
model ConnectInWhen
  Source a;
  Load b;
equation
  when time > 1 then
    connect(a.p, b.p);
  end when;
end ConnectInWhen;

//! ConnectInVariableIf E0740
//~ connect
model ConnectInVariableIf
  Source a;
  Load b;
equation
  if time > 1 then
    connect(a.p, b.p);
  end if;
end ConnectInVariableIf;

//! ConnectInParameterIf ok
model ConnectInParameterIf
  parameter Boolean use = true;
  Source a;
  Load b;
equation
  if use then
    connect(a.p, b.p);
  end if;
end ConnectInParameterIf;

//! ConnectInInitial E0740
model ConnectInInitial
  Source a;
  Load b;
initial equation
  connect(a.p, b.p);
end ConnectInInitial;

//! ConnectWithVariableSubscript E0603
model ConnectWithVariableSubscript
  Source a;
  Load b[2];
  Integer n = integer(time);
equation
  connect(a.p, b[n].p);
end ConnectWithVariableSubscript;

//! ConnectTooDeep E0701
//~ 'w.l.p'
model Wrapper
  Load l;
end Wrapper;
model ConnectTooDeep
  Source a;
  Wrapper w;
equation
  connect(a.p, w.l.p);
end ConnectTooDeep;

//! ConnectNestedConnectors ok
connector Plug
  Pin plus;
  Pin minus;
end Plug;
model Socket
  Plug plug;
equation
  plug.plus.v = 1;
  plug.minus.v = 0;
end Socket;
model ConnectNestedConnectors
  Socket s;
  Load l;
equation
  connect(s.plug.plus, l.p);
end ConnectNestedConnectors;

//! ConnectVariables E0701
model ConnectVariables
  Real x = 1;
  Real y;
equation
  connect(x, y);
end ConnectVariables;

//! ConnectMembersOfConnector E0701
model ConnectMembersOfConnector
  Source a;
  Load b;
equation
  connect(a.p.v, b.p.v);
end ConnectMembersOfConnector;

//! ConnectFlowWithPotential E0702
//~ flow
connector Reversed
  flow Real v;
  Real i;
end Reversed;
model Odd
  Reversed r;
equation
  r.i = 1;
end Odd;
model ConnectFlowWithPotential
  Source a;
  Odd o;
equation
  connect(a.p, o.r);
end ConnectFlowWithPotential;

//! ConnectTypes E0702
connector IntegerOut = output Integer;
connector RealIn = input Real;
connector RealOut = output Real;
model ConnectTypes
  model A
    IntegerOut y = 1;
  end A;
  model B
    RealIn u;
  end B;
  A a;
  B b;
equation
  connect(a.y, b.u);
end ConnectTypes;

//! ConnectTwoOutputs E0723
//~ both give the signal a value
model Signal
  RealOut y = time;
end Signal;
model ConnectTwoOutputs
  Signal a, b;
equation
  connect(a.y, b.y);
end ConnectTwoOutputs;

//! ConnectInputOutside ok
model ConnectInputOutside
  model Gain
    RealIn u;
    RealOut y = 2 * u;
  end Gain;
  RealIn u;
  RealOut y;
  Gain g;
equation
  connect(u, g.u);
  connect(g.y, y);
end ConnectInputOutside;

//! ConnectToItself ok
model ConnectToItself
  Source a;
equation
  connect(a.p, a.p);
end ConnectToItself;

// Operators of events.

//! PreOfContinuous E0741
//~ 'x'
model PreOfContinuous
  Real x = time;
  Real y = pre(x);
end PreOfContinuous;

//! PreOfContinuousInWhen ok
model PreOfContinuousInWhen
  Real x;
  discrete Real y(start = 0);
equation
  der(x) = 1;
  when x > 1 then
    y = pre(x);
  end when;
end PreOfContinuousInWhen;

//! PreOfExpression E0741
model PreOfExpression
  Integer n = integer(time);
  Integer m = pre(n + 1);
end PreOfExpression;

//! EdgeOfInteger E0501
//~ 'edge'
model EdgeOfInteger
  Integer n = integer(time);
  Boolean b = edge(n);
end EdgeOfInteger;

//! ChangeOfContinuous E0741
model ChangeOfContinuous
  Real x = time;
  Boolean b = change(x);
end ChangeOfContinuous;

//! EdgeAndChange ok
model EdgeAndChange
  Boolean b = time > 1;
  Integer n = integer(time);
  Boolean e = edge(b), c = change(n);
end EdgeAndChange;

//! DerivativeOfInteger E0741
model DerivativeOfInteger
  Integer n = integer(time);
  Real x = der(n);
end DerivativeOfInteger;

//! DerivativeOfDiscrete E0741
//~ 'x'
model DerivativeOfDiscrete
  discrete Real x(start = 0);
  Real y = der(x);
equation
  when time > 1 then
    x = 1;
  end when;
end DerivativeOfDiscrete;

//! DerivativeOfBoolean E0501
model DerivativeOfBoolean
  Boolean b = time > 1;
  Real x = der(b);
end DerivativeOfBoolean;

//! DerivativeOfParameter
//+ Real y = 0.0;
model DerivativeOfParameter
  parameter Real p = 1;
  Real y = der(p);
end DerivativeOfParameter;

//! DerivativeOfExpression ok
model DerivativeOfExpression
  Real x;
equation
  der(x^2) = 1;
end DerivativeOfExpression;

//! ReinitOutsideOfWhen E0740
//~ reinit
model ReinitOutsideOfWhen
  Real x;
equation
  der(x) = 1;
  reinit(x, 0);
end ReinitOutsideOfWhen;

//! ReinitInAlgorithm E0740
model ReinitInAlgorithm
  Real x;
equation
  der(x) = 1;
algorithm
  when x > 1 then
    reinit(x, 0);
  end when;
end ReinitInAlgorithm;

//! ReinitOfExpression E0510
model ReinitOfExpression
  Real x;
equation
  der(x) = 1;
  when x > 1 then
    reinit(2 * x, 0);
  end when;
end ReinitOfExpression;

//! ReinitOfNoState E0510
//~ 'y'
model ReinitOfNoState
  Real x, y = 2 * x;
equation
  der(x) = 1;
  when x > 1 then
    reinit(y, 0);
  end when;
end ReinitOfNoState;

//! ReinitOfInteger E0501
model ReinitOfInteger
  Integer n = integer(time);
equation
  when time > 1 then
    reinit(n, 0);
  end when;
end ReinitOfInteger;

//! ReinitValue E0501
model ReinitValue
  Real x;
equation
  der(x) = 1;
  when x > 1 then
    reinit(x, "zero");
  end when;
end ReinitValue;

//! SampleArguments E0501
//~ 'sample'
model SampleArguments
  Boolean b = sample("0", 1);
end SampleArguments;

//! InitialHasNoArguments E0504
model InitialHasNoArguments
  Boolean b = initial(1);
end InitialHasNoArguments;

//! EventOperators ok
model EventOperators
  Boolean a = initial(), b = terminal(), c = sample(0, 0.5);
  Real x = noEvent(if time > 1 then 1 else 2);
  Real y = smooth(0, if time > 1 then 1 else 2);
  Real z = delay(time, 1) + delay(time, 0.5, 1);
end EventOperators;

//! SmoothOrder E0501
//~ 'smooth'
model SmoothOrder
  Real y = smooth(0.5, time);
end SmoothOrder;

//! NoEventOfTwo E0504
model NoEventOfTwo
  Real y = noEvent(time, 1);
end NoEventOfTwo;

//! DelayOfString E0501
model DelayOfString
  Real y = delay("time", 1);
end DelayOfString;

//! HomotopyByName
//+ Real y = homotopy(time, 0);
model HomotopyByName
  Real y = homotopy(simplified = 0, actual = time);
end HomotopyByName;

//! HomotopyUnknownName E0504
//~ 'simple'
model HomotopyUnknownName
  Real y = homotopy(actual = time, simple = 0);
end HomotopyUnknownName;

//! AssertCondition E0501
//~ Boolean
model AssertCondition
equation
  assert(1, "wrong");
end AssertCondition;

//! AssertMessage E0501
//~ String
model AssertMessage
equation
  assert(time < 1, 5);
end AssertMessage;

//! AssertLevel E0501
//~ AssertionLevel
model AssertLevel
equation
  assert(time < 1, "late", 2);
end AssertLevel;

//! AssertOneArgument E0504
model AssertOneArgument
equation
  assert(time < 1);
end AssertOneArgument;

//! AssertFourArguments E0504
model AssertFourArguments
equation
  assert(time < 1, "late", AssertionLevel.error, 1);
end AssertFourArguments;

//! AssertIsNoValue E0507
model AssertIsNoValue
  Real x = assert(true, "a");
end AssertIsNoValue;

//! TerminateMessage E0501
model TerminateMessage
equation
  when time > 1 then
    terminate(1);
  end when;
end TerminateMessage;

// Equations.

//! IfConditionIsBoolean E0501
model IfConditionIsBoolean
  Real x;
equation
  if 1 then
    x = 1;
  else
    x = 2;
  end if;
end IfConditionIsBoolean;

//! ElseifBranchDiffers E0705
model ElseifBranchDiffers
  Real x, y;
equation
  if time > 2 then
    x = 1;
    y = 1;
  elseif time > 1 then
    x = 2;
  else
    x = 3;
    y = 3;
  end if;
end ElseifBranchDiffers;

//! IfWithoutElseAndAssert ok
model IfWithoutElseAndAssert
  Real x = time;
equation
  if x > 1 then
    assert(x < 2, "too large", AssertionLevel.warning);
  end if;
end IfWithoutElseAndAssert;

//! ForOverReal ok
model ForOverReal
  Real s[2];
  constant Real a[2] = {0.5, 1.5};
equation
  for i in 1:2 loop
    s[i] = a[i] * time;
  end for;
end ForOverReal;

//! ForOverScalar E0501
model ForOverScalar
  Real x;
equation
  for i in 3 loop
    x = i;
  end for;
end ForOverScalar;

//! ForIndexIsNotAVariable E0510
model ForIndexIsNotAVariable
  Real x;
algorithm
  for i in 1:3 loop
    i := 2;
    x := i;
  end for;
end ForIndexIsNotAVariable;

//! ForIndexIsLocal E0401
//~ 'i'
model ForIndexIsLocal
  Real x[2], y = i;
equation
  for i in 1:2 loop
    x[i] = i;
  end for;
end ForIndexIsLocal;

//! EquationOfClass E0507
model EquationOfClass
  Load l;
  Source s;
equation
  l = s;
  connect(l.p, s.p);
end EquationOfClass;

//! EquationOfStrings ok
model EquationOfStrings
  String s;
equation
  s = if time > 1 then "late" else "early";
end EquationOfStrings;

//! TupleTooLong E0501
model TupleTooLong
  function one
    input Real u;
    output Real y = u;
  algorithm
  end one;
  Real a, b;
equation
  (a, b) = one(time);
end TupleTooLong;

//! TupleTypes E0501
//~ 'n'
model TupleTypes
  function two
    input Real u;
    output Real x = u;
    output Integer n = 1;
  algorithm
  end two;
  Real a;
  Boolean b;
equation
  (a, b) = two(time);
end TupleTypes;

//! TupleLeavesOut ok
model TupleLeavesOut
  function two
    input Real u;
    output Real a = u;
    output Real b = 2 * u;
  algorithm
  end two;
  Real y;
equation
  (, y) = two(time);
end TupleLeavesOut;

//! InitialEquationTypes E0501
model InitialEquationTypes
  Real x;
initial equation
  x = "zero";
equation
  der(x) = 1;
end InitialEquationTypes;

//! InitialAlgorithm ok
model InitialAlgorithm
  Real x;
  parameter Real p(fixed = false);
initial algorithm
  p := 3;
initial equation
  x = p;
equation
  der(x) = 1;
end InitialAlgorithm;

//! CallWithoutUse ok
model CallWithoutUse
  impure function note
    input Real u;
  algorithm
    assert(u < 10, "u is too large");
  end note;
  Real x = time;
equation
  when x > 1 then
    note(x);
  end when;
end CallWithoutUse;

// Algorithms.

//! AssignParameter E0510
//~ 'p'
model AssignParameter
  parameter Real p = 1;
algorithm
  p := 2;
end AssignParameter;

//! AssignType E0501
model AssignType
  Boolean b;
algorithm
  b := 1;
end AssignType;

//! AssignIntegerToReal ok
model AssignIntegerToReal
  Real x;
algorithm
  x := 1;
end AssignIntegerToReal;

//! AssignRealToInteger E0501
model AssignRealToInteger
  Integer n;
algorithm
  n := 1.5;
end AssignRealToInteger;

//! AssignSizes E0501
model AssignSizes
  Real x[2];
algorithm
  x := {1, 2, 3};
end AssignSizes;

//! AssignTupleTypes E0501
//~ 'n'
model AssignTupleTypes
  function two
    input Real u;
    output Real x = u;
    output Integer n = 1;
  algorithm
  end two;
  Real a;
  Boolean b;
algorithm
  (a, b) := two(time);
end AssignTupleTypes;

//! AssignTupleTooLong E0501
model AssignTupleTooLong
  function one
    input Real u;
    output Real y = u;
  algorithm
  end one;
  Real a, b;
algorithm
  (a, b) := one(time);
end AssignTupleTooLong;

//! IfStatementCondition E0501
model IfStatementCondition
  Real x;
algorithm
  x := 0;
  if 1 then
    x := 2;
  end if;
end IfStatementCondition;

//! WhileCondition E0501
model WhileCondition
  Real x;
algorithm
  x := 0;
  while x loop
    x := 2;
  end while;
end WhileCondition;

//! BreakOutsideOfLoop E0740
//~ break
model BreakOutsideOfLoop
  Real x;
algorithm
  x := 1;
  break;
end BreakOutsideOfLoop;

//! ReturnOutsideOfFunction E0740
//~ return
model ReturnOutsideOfFunction
  Real x;
algorithm
  x := 1;
  return;
end ReturnOutsideOfFunction;

//! ForStatementUnrolls
//+ x := x + 3;
model ForStatementUnrolls
  Real x;
algorithm
  x := time;
  for i in 1:3 loop
    x := x + i;
  end for;
end ForStatementUnrolls;

//! AlgorithmOfArrayElements ok
model AlgorithmOfArrayElements
  Real x[3];
algorithm
  for i in 1:3 loop
    x[i] := i * time;
  end for;
end AlgorithmOfArrayElements;

//! AlgorithmCountsOnce ok
model AlgorithmCountsOnce
  Real x;
algorithm
  x := 1;
  x := x + time;
  if x > 2 then
    x := 2;
  end if;
end AlgorithmCountsOnce;

//! AlgorithmAndEquation E0703
//~ 'x'
model AlgorithmAndEquation
  Real x;
equation
  x = 1;
algorithm
  x := time;
end AlgorithmAndEquation;
