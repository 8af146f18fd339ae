// Clocks (specification, chapter 16). Each base clock becomes one when-equation; clocked equations become plain ones.

//! Sampled
//=   Real u = time;
//=   Real y(start = 3.0);
//=   Real z;
//=   discrete Real 'sample(u)'(start = 0.0, fixed = true);
//=   discrete Real 'previous(y)'(start = 3.0, fixed = true);
//=   Boolean 'ticked(clock)'(start = false, fixed = true);
//=   discrete Real 'hold(y)'(start = 3.0, fixed = true);
//= equation
//=   y = 'sample(u)' + 'previous(y)' + 0.1;
//=   z = 'hold(y)';
//=   when sample(0.0, 0.1) then
//=     'sample(u)' = pre(u);
//=     'ticked(clock)' = true;
//=     'previous(y)' = if pre('ticked(clock)') then pre(y) else 3.0;
//=     'hold(y)' = y;
//=   end when;
model Sampled
  Real u = time;
  Real y(start = 3);
  Real z;
equation
  y = sample(u, Clock(1, 10)) + previous(y) + interval();
  z = hold(y);
end Sampled;

// The clock of the second equation follows from the first through the factor.
//! Factors
//=   Real x;
//=   Real y;
//=   Real z;
//=   Real w;
//=   discrete Real 'sample(time)'(start = 0.0, fixed = true);
//=   Integer 'ticks(clock)'(start = -1, fixed = true);
//=   discrete Real 'hold(x)'(start = 0.0, fixed = true);
//=   discrete Real 'subSample(hold(x))'(start = 0.0, fixed = true);
//=   discrete Real 'shiftSample(hold(x))'(start = 0.0, fixed = true);
//=   discrete Real 'superSample(hold(x))'(start = 0.0, fixed = true);
//= equation
//=   x = 'sample(time)';
//=   y = 'subSample(hold(x))';
//=   z = 'shiftSample(hold(x))' + 1.0;
//=   w = 'superSample(hold(x))' + 0.5;
//=   when sample(0.0, 0.5) then
//=     'ticks(clock)' = pre('ticks(clock)') + 1;
//=     'sample(time)' = if mod('ticks(clock)' - 0, 2) == 0 then time else pre('sample(time)');
//=     'hold(x)' = if mod('ticks(clock)' - 0, 2) == 0 then x else pre('hold(x)');
//=     'subSample(hold(x))' = if mod('ticks(clock)' - 0, 6) == 0 then 'hold(x)' else pre('subSample(hold(x))');
//=     'shiftSample(hold(x))' = if 'ticks(clock)' >= 3 and mod('ticks(clock)' - 3, 2) == 0 then 'hold(x)' else pre('shiftSample(hold(x))');
//=     'superSample(hold(x))' = 'hold(x)';
//=   end when;
model Factors
  Clock c = Clock(1.0);
  Real x, y, z, w;
equation
  x = sample(time, c);
  y = subSample(x, 3);
  z = shiftSample(x, 3, 2) + interval(z);
  w = superSample(x, 2) + interval();
end Factors;

//! When
//=   Integer n(start = 0);
//=   Boolean first;
//=   Integer 'previous(n)'(start = 0, fixed = true);
//=   Boolean 'ticked(clock)'(start = false, fixed = true);
//=   Boolean 'firstTick(clock)'(start = false, fixed = true);
//= equation
//=   n = 'previous(n)' + 1;
//=   first = 'firstTick(clock)';
//=   when sample(0.0, 2.0) then
//=     'ticked(clock)' = true;
//=     'previous(n)' = if pre('ticked(clock)') then pre(n) else 0;
//=     'firstTick(clock)' = not pre('ticked(clock)');
//=   end when;
model When
  Integer n(start = 0);
  Boolean first;
equation
  when Clock(2) then
    n = previous(n) + 1;
    first = firstTick();
  end when;
end When;

//! Event
//=   Real x;
//=   Boolean 'ticked(clock)'(start = false, fixed = true);
//=   discrete Real 'last(clock)'(start = 0.0, fixed = true);
//=   discrete Real 'interval(clock)'(start = 0.0, fixed = true);
//=   Boolean 'event(clock)';
//= equation
//=   x = 'interval(clock)';
//=   'event(clock)' = sin(time) > 0;
//=   when pre('event(clock)') then
//=     'ticked(clock)' = true;
//=     'interval(clock)' = if pre('ticked(clock)') then time - pre('last(clock)') else 0.0;
//=     'last(clock)' = time;
//=   end when;
model Event
  Real x;
equation
  when Clock(sin(time) > 0) then
    x = interval();
  end when;
end Event;

connector ClockInput = input Clock;
connector ClockOutput = output Clock;

//! Connected
//=   final parameter Real 's.period' = 0.5;
//=   Real 'k.y' = 'sample(time)';
//=   discrete Real 'sample(time)'(start = 0.0, fixed = true);
//= equation
//=   when sample(0.0, 0.5) then
//=     'sample(time)' = time;
//=   end when;
model Connected
  block Source
    parameter Real period = 0.5;
    ClockOutput y = Clock(period);
  end Source;
  block Sink
    ClockInput c;
    Real y = sample(time, c);
  end Sink;
  Source s;
  Sink k;
equation
  connect(s.y, k.c);
end Connected;

//! Mixed E0724
model Mixed
  Real u = time;
  Real y;
equation
  y = u + sample(u, Clock(0.1));
end Mixed;

//! TwoClocks E0724
model TwoClocks
  Real y;
equation
  y = sample(time, Clock(0.1)) + sample(time, Clock(0.3));
end TwoClocks;

//! WrongFactor E0724
model WrongFactor
  Real x, y;
equation
  x = sample(time, Clock(1, 10));
  y = subSample(x, 2) + sample(time, Clock(3, 10));
end WrongFactor;

//! NegativeFactor E0724
model NegativeFactor
  Real x, y;
equation
  x = sample(time, Clock(1, 10));
  y = subSample(x, -2);
end NegativeFactor;

//! NoInterval E0724
model NoInterval
  Real x;
equation
  x = sample(time, Clock(-0.5));
end NoInterval;

//! NotPrevious E0724
model NotPrevious
  Real x(start = 1);
equation
  when Clock(1) then
    x = previous(2*x);
  end when;
end NotPrevious;

//! NotAClock E0501
model NotAClock
  Real x;
equation
  x = sample(time, Clock("now"));
end NotAClock;

//! InFunction E0724
model InFunction
  function f
    input Real u;
    output Real y = hold(u);
  end f;
  Real x = f(time);
end InFunction;

//! EventSuper E0724
model EventSuper
  Real x, y;
equation
  x = sample(time, Clock(time > 1));
  y = superSample(x, 2);
end EventSuper;

//! Derivative E0724
//~ solver method
model Derivative
  Real x;
equation
  der(x) = sample(time, Clock(1));
end Derivative;

//! NoSuchMethod E0724
//~ did you mean 'ExplicitEuler'?
model NoSuchMethod
  Real x(start = 1);
equation
  der(x) = -x + sample(0, Clock(Clock(1, 10), solverMethod = "ExplicitEuller"));
end NoSuchMethod;

//! TwoMethods E0724
model TwoMethods
  Real x(start = 1), y(start = 1);
equation
  der(x) = -x + y + sample(0, Clock(Clock(1, 10), solverMethod = "ExplicitEuler"));
  der(y) = -y + sample(0, Clock(Clock(1, 10), solverMethod = "ImplicitEuler"));
end TwoMethods;
