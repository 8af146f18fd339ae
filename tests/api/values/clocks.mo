// Clocks whose interval varies, and differential equations with a clock (specification 16.3, 16.8).
package clocks
  //! ExplicitEuler x=0.3486784401~1e-9 y=0.6973568802~1e-9
  model ExplicitEuler "x' = -x, ten steps of 0.1"
    Real x(start = 1), u, y = hold(2 * x);
  equation
    u = sample(0, Clock(Clock(1, 10), solverMethod = "ExplicitEuler"));
    der(x) = u - x;
  end ExplicitEuler;
  //! ImplicitEuler x=0.38554328943~1e-9 y=0.771086578859~1e-9
  model ImplicitEuler "x' = -x, ten steps of 0.1"
    Real x(start = 1), u, y = hold(2 * x);
  equation
    u = sample(0, Clock(Clock(1, 10), solverMethod = "ImplicitEuler"));
    der(x) = u - x;
  end ImplicitEuler;
  //! ImplicitTrapezoid x=0.367572542383~1e-9 y=0.735145084766~1e-9
  model ImplicitTrapezoid "x' = -x, ten steps of 0.1"
    Real x(start = 1), u, y = hold(2 * x);
  equation
    u = sample(0, Clock(Clock(1, 10), solverMethod = "ImplicitTrapezoid"));
    der(x) = u - x;
  end ImplicitTrapezoid;
  //! External x=0.367572542383~1e-9 y=0.735145084766~1e-9
  model External "x' = -x, ten steps of 0.1"
    Real x(start = 1), u, y = hold(2 * x);
  equation
    u = sample(0, Clock(Clock(1, 10), solverMethod = "External"));
    der(x) = u - x;
  end External;
  //! ExplicitMidPoint2 x=0.368540984834~1e-9 y=0.737081969667~1e-9
  model ExplicitMidPoint2 "x' = -x, ten steps of 0.1"
    Real x(start = 1), u, y = hold(2 * x);
  equation
    u = sample(0, Clock(Clock(1, 10), solverMethod = "ExplicitMidPoint2"));
    der(x) = u - x;
  end ExplicitMidPoint2;
  //! ExplicitRungeKutta4 x=0.367879774412~1e-9 y=0.735759548825~1e-9
  model ExplicitRungeKutta4 "x' = -x, ten steps of 0.1"
    Real x(start = 1), u, y = hold(2 * x);
  equation
    u = sample(0, Clock(Clock(1, 10), solverMethod = "ExplicitRungeKutta4"));
    der(x) = u - x;
  end ExplicitRungeKutta4;
  //! LinearInput a=0.5~1e-9 b=0.45~1e-9 c=0.5~1e-9 d=0.55~1e-9 e=0.5~1e-9
  model LinearInput "x' = t: the input is between the last tick and this one"
    partial model Base
      Real u = sample(time);
      Real x(start = 0);
    equation
      der(x) = u;
    end Base;
    model Clocked
      extends Base;
      parameter String method;
      Clock c = Clock(Clock(1, 10), solverMethod = method);
      Real v = sample(0, c) + u;
      Real y = hold(x);
    end Clocked;
    Clocked m1(method = "ExplicitMidPoint2"), m2(method = "ExplicitEuler"), m3(method = "ExplicitRungeKutta4"),
      m4(method = "ImplicitEuler"), m5(method = "ImplicitTrapezoid");
    Real a = m1.y, b = m2.y, c = m3.y, d = m4.y, e = m5.y;
  end LinearInput;
  //! Controller xd=0.70402192~1e-6
  model Controller "PI control of two integrators with damping, with implicit equations"
    Real vd, e, xd(start = 0), u, x1(start = 0, fixed = true), x2(start = 0, fixed = true);
    Real f = hold(u);
  equation
    vd = sample(x2, Clock(Clock(1, 50), solverMethod = "ImplicitEuler"));
    e = 1 - vd;
    der(xd) = e * 2;
    u = 5 * (e + xd);
    der(x1) = x2;
    der(x2) = f - 5 * x2;
  end Controller;
  //! Inferred x=1.1 z=0.6
  model Inferred "z has the method of x, at half the rate"
    Real x(start = 0), z(start = 0);
  equation
    der(x) = 1 + sample(0.1, Clock(Clock(1, 10), solverMethod = "ExplicitEuler"));
    der(z) = 0.6 + 0 * subSample(x, 2);
  end Inferred;
  //! Coupled x=0.3486784401~1e-9 y=0.6513215599~1e-9
  model Coupled "an algebraic equation of states, and an algorithm"
    Real x(start = 1), y(start = 0), w;
  equation
    der(x) = w;
    der(y) = -w;
    x + w = sample(0, Clock(Clock(1, 10), solverMethod = "ExplicitEuler"));
  end Coupled;
  //! Intervals n=7 y=5 last=0.9
  model Intervals "ticks at 0, 0.15, 0.35, 0.6, 0.9"
    Integer n(start = 2);
    Real y(start = 0);
    discrete Real last(start = 0);
    Boolean odd(start = false);
  equation
    when Clock(n, 20) then
      n = previous(n) + 1;
      y = previous(y) + 1;
      odd = not previous(odd);
    end when;
    when change(b) then
      last = time;
    end when;
    b = hold(odd);
  public
    Boolean b;
  end Intervals;
  //! RealIntervals y=4 d=0.8
  model RealIntervals "ticks at 0, 0.1, 0.3, 0.7"
    Real d(start = 0.05), y(start = 0), t;
  equation
    when Clock(d) then
      d = 2 * previous(d);
      y = previous(y) + 1;
      t = interval();
    end when;
  end RealIntervals;
  //! Inverse u=1.1610612736~1e-9
  model Inverse "the input of x' = u - x that makes x follow a filter: x is no state of its own"
    Real filter(start = 0), x(start = 0), u;
  equation
    der(filter) = (sample(1, Clock(Clock(1, 10), solverMethod = "ExplicitEuler")) - filter) / 0.5;
    der(x) = u - x;
    x = filter;
  end Inverse;
  //! OwnClock n=5 x=0.9
  model OwnClock "the interval has the clock that it makes: ticks at 0, 0.2, 0.5, 0.9"
    Integer n(start = 1);
    Clock c = Clock(n, 10);
    Real x = sample(time, c);
  equation
    n = previous(n) + 1;
  end OwnClock;
end clocks;
