// State machines (specification, chapter 17): what is wrong with them. What is right runs in tests/api/values/machines.mo.

//! NoInitialState E0725
//~ initialState
model NoInitialState
  block S
  end S;
  S a, b;
equation
  transition(a, b, sample(true, Clock(1, 10)));
end NoInitialState;

//! TwoInitialStates E0725
model TwoInitialStates
  block S
  end S;
  S a, b;
equation
  initialState(a);
  initialState(b);
  transition(a, b, sample(true, Clock(1, 10)));
end TwoInitialStates;

//! SamePriority E0725
//~ priority
model SamePriority
  block S
  end S;
  S a, b, c;
equation
  initialState(a);
  transition(a, b, sample(true, Clock(1, 10)));
  transition(a, c, sample(true, Clock(1, 10)));
end SamePriority;

//! StateIsNoBlock E0725
model StateIsNoBlock
  block S
  end S;
  S a;
  Real x = 1;
equation
  initialState(a);
  transition(a, x, true);
end StateIsNoBlock;

//! PriorityThatVaries E0725
model PriorityThatVaries
  block S
  end S;
  S a, b;
  Integer n = integer(time);
equation
  initialState(a);
  transition(a, b, true, priority = n);
end PriorityThatVaries;

//! PriorityZero E0725
model PriorityZero
  block S
  end S;
  S a, b;
equation
  initialState(a);
  transition(a, b, true, priority = 0);
end PriorityZero;

//! TransitionInWhen E0725
model TransitionInWhen
  block S
  end S;
  S a, b;
equation
  initialState(a);
  when time > 1 then
    transition(a, b, true);
  end when;
end TransitionInWhen;

//! NoSuchArgument E0504
model NoSuchArgument
  block S
  end S;
  S a, b;
equation
  initialState(a);
  transition(a, b, true, speed = 3);
end NoSuchArgument;

//! NotAState E0725
model NotAState
  block S
  end S;
  S a, b, c;
  Boolean x = activeState(c);
equation
  initialState(a);
  transition(a, b, sample(true, Clock(1, 10)));
end NotAState;

//! TicksOutside E0725
model TicksOutside
  Integer n = ticksInState();
end TicksOutside;

//! TicksInFunction E0741
model TicksInFunction
  function f
    output Integer n = ticksInState();
  algorithm
  end f;
  Integer n = f();
end TicksInFunction;

//! ConditionIsNoBoolean E0501
model ConditionIsNoBoolean
  block S
  end S;
  S a, b;
equation
  initialState(a);
  transition(a, b, 1);
end ConditionIsNoBoolean;
