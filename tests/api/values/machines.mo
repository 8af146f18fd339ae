// State machines (specification, chapter 17). Clocks tick 20 times a second, at 0, 0.05, ..., 1: 21 ticks.
package machines
  block Empty
  end Empty;
  //! Toggle i=3 n=21
  model Toggle "from 0 up to 4 by twos, down to 0 by ones: 2 4 3 2 1 0 2 4 3 2 1 0 2 4 3 2 1 0 2 4 3"
    inner Integer i(start = 0);
    Integer n(start = 0);
    block Up
      outer output Integer i;
    equation
      i = previous(i) + 2;
    end Up;
    block Down
      outer output Integer i;
    equation
      i = previous(i) - 1;
    end Down;
    Up up;
    Down down;
    Integer last = hold(i) + 1;
  equation
    initialState(up);
    transition(up, down, i >= 4, immediate = false);
    transition(down, up, i <= 0 and n >= 0, immediate = false);
    n = previous(n) + sample(1, Clock(1, 20));
  end Toggle;
  //! TicksInState first=0.1 last=0.35
  model TicksInState "a1 is active from the tick after 0.0951 on, for 5 ticks"
    Empty a0, a1, a2;
    Boolean b = activeState(a1), c = activeState(a2);
    discrete Real first(start = 0), last(start = 0);
  equation
    initialState(a0);
    transition(a0, a1, sample(time, Clock(1, 20)) > 0.0951);
    transition(a1, a2, ticksInState() >= 5, immediate = false);
    when hold(b) then
      first = time;
    end when;
    when hold(c) then
      last = time;
    end when;
  end TicksInState;
  //! Priorities toHigh=0 toLow=1
  model Priorities "the transition with the smallest number fires"
    Empty s, high, low;
    Integer toHigh = hold(if activeState(high) then 1 else 0);
    Integer toLow = hold(if activeState(low) then 1 else 0);
    Boolean go = sample(time, Clock(1, 20)) > 0.3;
  equation
    initialState(s);
    transition(s, high, go, priority = 2);
    transition(s, low, go, priority = 1);
  end Priorities;
  block Counter
    Integer i(start = 0);
    Real t = timeInState();
    Integer k = ticksInState();
  equation
    i = previous(i) + 1;
  end Counter;
  //! Reset a.i=10 b.i=6 a.k=5 b.k=6 b.t=0.25
  model Reset "5 ticks each: a, b, a goes on, b is reset"
    Counter a, b;
    Integer n(start = 0) = previous(n) + sample(1, Clock(1, 20));
  equation
    initialState(a);
    transition(a, b, n == 5, immediate = false, reset = false);
    transition(b, a, n == 10, immediate = false, reset = false);
    transition(a, b, n == 15, immediate = false, reset = true, priority = 2);
  end Reset;
  //! Immediate y=3 z=1
  model Immediate "an immediate transition counts at its own tick, a delayed one at the next"
    Empty a, b, c, d;
    Integer n(start = 0) = previous(n) + sample(1, Clock(1, 20));
    Integer y(start = 0) "the tick at which b is active first", z(start = 0);
  equation
    initialState(a);
    transition(a, b, n == 3);
    transition(b, c, n == 3 or n == 4, immediate = false);
    transition(c, d, true);
    y = if activeState(b) and previous(y) == 0 then n else previous(y);
    z = if activeState(b) then previous(z) + 1 else previous(z);
  end Immediate;
  //! Hold x.v=5 x.w=10 x.u=15 n=21
  model Hold "what a state that is not active any more has keeps its values; equations of all forms"
    block Part
      outer input Integer n;
      Integer v;
      Real w, u;
    equation
      v = n;
      0 = 2 * v - w;
    algorithm
      u := v + w;
    end Part;
    inner Integer n(start = 0) = previous(n) + sample(1, Clock(1, 20));
    Part x;
    Empty y;
  equation
    initialState(x);
    transition(x, y, n == 5, immediate = false);
  end Hold;
  //! Synchronize done=7
  model Synchronize "the state is left when both machines in it are in their final states"
    inner Integer n(start = 0) = previous(n) + sample(1, Clock(1, 20));
    block Both
      outer input Integer n;
      Empty a, b, c, d;
    equation
      initialState(a);
      transition(a, b, n == 2, immediate = false);
      initialState(c);
      transition(c, d, n == 5, immediate = false);
    end Both;
    Both both;
    Empty after;
    Integer done(start = 0) "the tick of after";
  equation
    initialState(both);
    transition(both, after, true, synchronize = true, immediate = false);
    done = if activeState(after) and previous(done) == 0 then n else previous(done);
  end Synchronize;
  connector Out = output Integer;
  connector In = input Integer;
  block Give
    parameter Integer k;
    Out y;
    Integer j(start = 0) = previous(j) + 1;
  equation
    y = k * j;
  end Give;
  block Take
    In u;
    Integer z = u + 1;
  end Take;
  //! Connected take.z=161
  model Connected "outputs of states that are connected are one source"
    Give a(k = 1), b(k = 10);
    Take take;
    Integer n(start = 0) = previous(n) + sample(1, Clock(1, 20));
  equation
    initialState(a);
    transition(a, b, n >= 5, immediate = false);
    connect(a.y, take.u);
    connect(b.y, take.u);
  end Connected;
  //! Nested v=13
  model Nested "ten ticks of +1 and -1 by turns, then +2 for those that are left, but one"
    inner Integer v(start = 0);
    block Outer
      inner outer output Integer v;
      block Plus
        outer output Integer v;
      equation
        v = previous(v) + 1;
      end Plus;
      block Minus
        outer output Integer v;
      equation
        v = previous(v) - 1;
      end Minus;
      Plus plus;
      Minus minus;
    equation
      initialState(plus);
      transition(plus, minus, true, immediate = false);
      transition(minus, plus, true, immediate = false);
    end Outer;
    block Twice
      outer output Integer v;
    equation
      v = previous(v) + 2;
    end Twice;
    Outer around;
    Twice twice;
    Integer n(start = 0) = previous(n) + sample(1, Clock(1, 20));
  equation
    initialState(around);
    transition(around, twice, n == 15, immediate = false);
  end Nested;
  block Ramp
    Real x(start = 0);
  equation
    der(x) = 1;
  end Ramp;
  //! Integrated a.x=0.5 b.x=0.4 c.x=0.2
  model Integrated "differential equations go on from tick to tick while their state is active; c is reset"
    Ramp a, b, c;
    Clock clock = Clock(Clock(1, 10), solverMethod = "ExplicitEuler");
    Real t = sample(time, clock);
    Empty d;
  equation
    initialState(a);
    transition(a, b, t > 0.45, immediate = false);
    initialState(c);
    transition(c, c, t > 0.25 and t < 0.35, immediate = false, priority = 1);
    transition(c, c, t > 0.65 and t < 0.75, immediate = false, priority = 2);
  end Integrated;
  block Counting
    output Integer n(start = 0);
    input Integer by;
    Boolean done;
  equation
    n = previous(n) + by;
    done = n >= 6;
  end Counting;
  //! Inputs a.n=3 b.n=6 c=21
  model Inputs "6 ticks of a, 3 of b, 6 of a, 3 of b, 3 of a: each begins anew"
    Counting a(by = 1 + 0 * c), b(by = 2);
    Integer c(start = 0) = previous(c) + sample(1, Clock(1, 20));
  equation
    initialState(a);
    transition(a, b, a.done, immediate = false);
    transition(b, a, b.done, immediate = false);
  end Inputs;
end machines;
