package language "Constructs of the language that need a run: each model ends at time 1 with the values the test says."
  model While
    function f input Real x; output Real y; algorithm y := 1; while y < x loop y := 2*y; end while; end f;
    Real y = f(10*(1 + time));
  end While;

  model WhileInLoop "the derivative of a loop, inside of a nonlinear equation"
    function f
      input Real x; output Real y;
    protected
      Integer k;
    algorithm
      y := x; k := 0;
      while k < 2.5 + x/1000 loop y := y + y^3/10; k := k + 1; end while;
    end f;
    Real x(start=1, fixed=true), z(start=1.2);
  equation
    der(x) = 1;
    f(z) = f(x);
  end WhileInLoop;

  model Arrays "sizes and bounds known only while it runs"
    function f
      input Real u[:]; input Integer n; output Real y[size(u, 1)];
    protected
      Real s[size(u, 1)]; Integer i;
    algorithm
      i := 1;
      while i <= n loop s[i] := i*u[i]; i := i + 1; end while;
      y := s + u;
    end f;
    parameter Integer n = 3;
    Real u[3] = {time, 2*time, 3};
    Real y[3] = f(u, n);
  end Arrays;

  model Results "several results, one left out, one an array"
    function f
      input Real x; output Real a; output Real b[2]; output Real c;
    algorithm
      a := x;
      while a > 3 loop a := a - 1; end while;
      b := {a, 2*a};
      c := sum(b);
    end f;
    Real b[2], c, d;
  equation
    (, b, c) = f(5.5 + time);
  algorithm
    (d, , ) := f(7.25 + time);
  end Results;

  model Records
    record R Real p; Real v[2]; end R;
    function f
      input R r; input Integer n; output R y;
    algorithm
      y.p := r.p;
      for i in 1:n loop y.p := y.p + i; end for;
      y.v := r.v*2;
    end f;
    parameter Integer n = 2;
    R r(p=time, v={1, 2 + time});
    R s = f(r, n);
  end Records;

  model RecordArrays
    record R Real p; Integer k; end R;
    function f
      input Integer n; input Real x; output Real y;
    protected
      R r[n];
    algorithm
      for i in 1:n loop r[i].p := i*x; r[i].k := i; end for;
      r[2] := R(100*x, 7);
      y := sum(r[i].p*r[i].k for i in 1:n);
    end f;
    parameter Integer n = 3;
    Real y = f(n, 1 + time);
  end RecordArrays;

  model Matrices
    function f
      input Real A[:, :]; input Integer n; output Real y;
    protected
      Real B[size(A, 2), size(A, 1)], C[size(A, 1) + size(A, 2), size(A, 2)];
    algorithm
      B := transpose(A);
      y := 0;
      for i in 1:n loop y := y + sum(A[i, :]*B) + B[2, i]; end for;
      B[:, 1] := {10, 20};
      C := [A; B];
      y := y + sum(B[:, 1]) + sum(B*B) + sum(C[2:3, 1]);
    end f;
    parameter Integer n = 2;
    Real y = f({{1, 1 + time}, {3, 4}}, n);
  end Matrices;

  model Functional "a function as argument, with an argument of its own bound"
    partial function F input Real x; output Real y; end F;
    function g extends F; input Real k; algorithm y := k*x^2; end g;
    function integral
      input F f; input Real a; input Real b; input Integer n; output Real y;
    algorithm
      y := 0;
      for i in 1:n loop y := y + f(a + (i - 0.5)*(b - a)/n)*(b - a)/n; end for;
    end integral;
    parameter Integer n = 400;
    Real y = integral(function g(k=3 + time), 0, 1, n);
  end Functional;

  model Leave "break and return"
    function f
      input Real x; output Integer y;
    algorithm
      y := 0;
      for i in 1:1000 loop
        if i > x then return; end if;
        if i == 7 then break; end if;
        y := i;
      end for;
      y := -y;
    end f;
    Integer a, b;
  equation
    when time > 0.5 then a = f(4*time + 1.5); b = f(40*time); end when;
  end Leave;

  model Branch "only the branch that is taken is called: the other would fail"
    function f
      input Real x; output Real y;
    algorithm
      assert(x > 0, "x is " + String(x));
      y := sqrt(x);
    end f;
    Real y = if noEvent(time > 0.5) then 2*f(8 + time) else f(0.75 - time);
  end Branch;

  model Shared "many results of a call under a condition; a condition below itself"
    function f
      input Real v[12]; output Real s; output Real w[12];
    algorithm
      assert(v[1] > 0.25, "called too early");
      s := sum(v);
      w := 2*v;
    end f;
    function g
      input Real x; output Real y;
    algorithm
      assert(x > 0.25, "x is " + String(x));
      y := sqrt(x);
    end g;
    Real s(start = 3), w[12], z(start = 1), u;
  algorithm
    when time > 0.5 then
      (s, w) := f({i*time for i in 1:12});
      z := w[12];
    end when;
  equation
    u = if noEvent(time > 0.5) then g(time)*(1 + (if noEvent(time > 0.5) then g(4*time) else 7)) else
      (if noEvent(time > 0.5) then g(time) else g(1 - time) + time);
  end Shared;

  model Recursive
    function f input Real n; output Real y; algorithm if n < 2 then y := 1; else y := n*f(n - 1); end if; end f;
    Real y = f(4 + time);
  end Recursive;

  model Index "the total derivative of a call, twice"
    function f
      input Real x; output Real y;
    protected
      Integer k;
    algorithm
      y := 1; k := 0;
      while k < 2 + x - x loop y := y*x; k := k + 1; end while;
    end f;
    Real x(start=1), v, a;
  equation
    f(x) = (1 + time)^2;
    v = der(x);
    a = der(v);
  end Index;

  model Reductions
    function f
      input Integer n; output Real y;
    algorithm
      y := sum(i^2 for i in 1:n) + max({i*(5 - i) for i in 1:n}) + product({1.5, 2}) + sum(0.5*i for i in 1:0.5:n/2);
    end f;
    discrete Integer n(start=2, fixed=true);
    Real y = f(n);
  equation
    when time > 0.5 then n = 4; end when;
  end Reductions;

  model ShortCircuit "what is behind `and` is not looked at where it does not count"
    function f
      input Real v[:]; input Real x; output Integer i;
    algorithm
      i := 1;
      while i <= size(v, 1) and v[i] < x loop i := i + 1; end while;
    end f;
    Integer i(start=0), j(start=0);
  equation
    when time > 0.5 then i = f({1, 2, 3}, 5*time); j = f({1, 2, 3}, 20*time); end when;
  end ShortCircuit;

  model Unread "a result that nobody reads may have any size"
    function f
      input Integer n; input Real x; output Real y; output Real z[n];
    algorithm
      z := fill(x, n);
      y := sum(z);
    end f;
    parameter Integer n = 3;
    Real y = f(n, time);
  end Unread;

  model Break "loops of algorithms in models: break, while"
    Real a, b, c;
    Integer n(start=0, fixed=true);
  algorithm
    when sample(0, 0.25) then n := pre(n) + 1; end when;
  algorithm
    a := 0; b := 0;
    for i in 1:10 loop
      if i > n then break; end if;
      a := a + i;
      for j in 1:3 loop
        if j == 2 then break; end if;
        b := b + 1;
      end for;
    end for;
    c := 0;
    while c < 4.5 loop c := c + 1; end while;
    if n <= 4 then a := -1; end if;
  end Break;

  model RunTimeIndex "the element that is assigned depends on the run"
    Real v[3](each start=0, each fixed=true), w[2, 2](each start=0, each fixed=true), u[4](each start=0, each fixed=true);
    Integer k(start=0, fixed=true);
  algorithm
    when sample(0.1, 0.2) then
      k := mod(pre(k), 3) + 1;
      v[k] := v[k] + k*time;
      w[min(k, 2), :] := {k, time};
      u[{k, 4}] := {10*k, time};
    end when;
  end RunTimeIndex;

  model Delays "a smooth signal, one with jumps, and one from before the start"
    Real x(start=1, fixed=true), y, z, w, u, e;
    Real j(start=0, fixed=true);
    parameter Real T = 0.3;
  equation
    der(x) = -x;
    y = delay(x, T);                                  // x(t - T) = exp(-(t - T))
    z = delay(if time < 0.25 then 1 else 2 + time, T);  // 2.7 at the end
    w = delay(x + 1, 5);
    der(j) = delay(if time < 0.5 then 0 else 1, 0.25);  // an event at 0.75 by way of the delay
    u = delay(time, 0.1 + 0.2*time, 1);
    e = delay(sin(10*time), 0.05) - (if time < 0.05 then 0 else sin(10*(time - 0.05)));
  end Delays;

  model DelayLoop "x' = -x(t - 1/2): the method of steps gives x(1) = 1/8"
    Real x(start=1, fixed=true);
    Real d = delay(x, 0.5);
  equation
    der(x) = -d;
  end DelayLoop;

  model DelayedCounter "whole numbers that come out of a delay make events when they change"
    Integer n(start=0, fixed=true), m;
    Integer k(start=0, fixed=true);
  equation
    when sample(0.1, 0.2) then n = pre(n) + 1; end when;
    m = integer(delay(n, 0.15) + 0.5);
    when change(m) then k = pre(k) + 1; end when;
  end DelayedCounter;

  model Terminal "when terminal() acts in a last event"
    Real x(start=1, fixed=true), s(start=0, fixed=true);
  equation
    der(x) = -x;
    when terminal() then s = 2*x; end when;
  end Terminal;

  model NoFlow "between two volumes, where nothing flows any more, the upstream side counts"
    Real m = max(0, 1 - 2*time), h, q1, q2, ha = 3 + time, hb = 7;
  equation
    q1 = semiLinear(m, ha, h);
    q2 = semiLinear(-m, hb, h);
    q1 + q2 = 0;
  end NoFlow;

  model SteepDelay "a front that no state makes the integrator see"
    Real y = delay(tanh((time - 0.5)*1e5), 0.500002);
  end SteepDelay;

  model Homotopy "start values from which only the simplified equations lead to a solution"
    Real x(start=-5), y = homotopy(actual=log(x) - 2, simplified=x - 4);
  equation
    y = 0;
  end Homotopy;

  model DelayNeighbours "two events at neighbouring times, between which there is nothing to note"
    Real y = delay(sin(time), 0.1);
    Boolean a = time >= 0.5, b = time >= 0.5000000000000002;
  end DelayNeighbours;

  model LateSize "a size that a later declaration gives"
    function f
      input Integer n; output Real y[m];
    protected
      parameter Integer m = 2; Real s;
    algorithm
      s := 0;
      for i in 1:n loop s := s + i; end for;
      y := {s, 2*s};
    end f;
    parameter Integer n = 4;
    Real y[2] = f(n + integer(time));
  end LateSize;

  model RecordList "an array of records written out; a call as an equation"
    record R Real a; Real v[2]; end R;
    function f
      input Real x; input Integer n; output Real y;
    protected
      R r[2];
    algorithm
      r := {R(x, {1, 2}), R(2*x, {3, x})};
      y := 0;
      for i in 1:n loop y := y + r[i].a*r[i].v[2]; end for;
    end f;
    function check input Real x; algorithm assert(x > -1, "x is too small"); end check;
    parameter Integer n = 2;
    Real y = f(1 + time, n);
  equation
    check(y);
  end RecordList;

  model WhileInModel "only the run can end these loops; what they assign is read before and behind them"
    record R Real a; Real b; end R;
    Real x(start = 2.2, fixed = true), y, v[2,3], s[4];
    R r, q[2];
    Integer n;
    discrete Real d[3](start = {5, 6, 7}, each fixed = true);
  equation
    der(x) = -0.2;
    when time > 0.5 then d = pre(d) + {1, 1, 1}; end when;
  algorithm
    y := 2*x;
    n := 0;
    s := zeros(4);
    v := fill(1, 2, 3);
    r := R(1, 2);
    q := {R(0, 0), R(0, 0)};
    while y > 0.6 loop
      y := y/2;
      n := n + 1;
      s[n] := y + pre(d[n]) + time;
      v[2, n] := 10*n;
      v[1, :] := v[1, {3, 2, 1}] + v[2, :];
      v[{1, min(n, 2)}, 1] := {n, v[1, n]};
      q[min(n, 2)] := R(n, s[n]);
      r.a := r.a + q[1].b;
    end while;
    r.b := n + r.b;
  end WhileInModel;

  model WhileTrue "a loop that only its break leaves; one inside of another; results of calls"
    function f
      input Real x; output Real a; output Real b;
    algorithm
      a := x/2; b := x + 1;
    end f;
    Real x(start = 10, fixed = true), a, b, z, m;
    Integer n;
  equation
    der(x) = -2.5;
  algorithm
    n := 0; m := 0; b := 0; a := x;
    while true loop
      (a, b) := f(a);
      n := n + 1;
      z := a;
      while z > 1 loop
        z := z - 1;
        m := m + 1;
        if m > 100 then break; end if;
      end while;
      if a < 1 then break; end if;
    end while;
  end WhileTrue;

  model WhileRoot "Newton's method by hand, in a loop of equations, so that its derivative counts"
    Real x(start = 2, fixed = true), r, e, g(start = 1);
    Integer k;
  equation
    der(x) = g;
    g + r = x;
  algorithm
    r := 1; e := 1; k := 0;
    while noEvent(abs(e) > 1e-13 and k < 50) loop
      e := (r*r - g)/(2*r);
      r := r - e;
      k := k + 1;
    end while;
  end WhileRoot;

  model SharedFriction "Two frictions hold one load: nothing says how they share it, and neither slips before both have to"
    model Friction
      parameter Real most;
      input Real w, a;
      output Real f;
      Real sa;
      Boolean forward(start = false, fixed = true), backward(start = false, fixed = true), locked;
      Integer mode(start = 0, fixed = true);
    equation
      forward = pre(mode) == 0 and sa > most;
      backward = pre(mode) == 0 and sa < -most;
      locked = not (pre(mode) == 1 or forward or pre(mode) == -1 or backward);
      a = if locked then 0 else if pre(mode) == 1 or forward then sa - most else sa + most;
      f = if locked then sa else if pre(mode) == 1 or forward then most else -most;
      mode = if (pre(mode) == 1 or forward) and w > 0 then 1 else if (pre(mode) == -1 or backward) and w < 0 then -1 else 0;
    end Friction;
    Real w(start = 0, fixed = true);
    Friction large(most = 4, w = w, a = der(w)), small(most = 0.5, w = w, a = der(w));
  equation
    der(w) = 5*time - large.f - small.f;
  end SharedFriction;

  model Partials "Derivatives of functions by inputs: mixed, of each other, of arrays, and by time again"
    function f input Real x; input Real y; output Real z; algorithm z := x^3*y + sin(y); end f;
    function fx = der(f, x);
    function fxy = der(f, x, y);
    function fxx = der(fx, x);
    function v
      input Real x; input Real u[:]; output Real w[size(u, 1)]; output Real s;
    algorithm
      w := x*x*u;
      s := sum(u)*sin(x);
      for i in 1:3 loop s := s + x^i; end for;
    end v;
    function vx = der(v, x);
    Real a = fx(time, 2), b = fxy(time, 2), c = fxx(time, 2), r = der(a), w[2], t;
  equation
    (w, t) = vx(time, {1, 2*time});
  end Partials;

  model Directions "The direction of a constraint comes from calls that stay calls, since their assertions may fail"
    function unit
      input Real a[3]; output Real b[3];
    algorithm
      assert(a*a > 0, "no direction");
      b := a/sqrt(a*a);
    end unit;
    parameter Real n[3] = {0, 0, 1}, d[3] = {1, 0.5, 0}, e[3] = unit(n), u[3] = unit(cross(e, d)), w[3] = cross(u, e);
    Real r[3](start = {0.1, 0.2, 0.3}), v[3], F, c = w*r;
  equation
    der(r) = v;
    der(v) = F*w - {0, 0, 9.81};
    c = 0.3;
  end Directions;
  model LargeTable "Elements of an array that a function gives: it is run once"
    function f
      input Integer n;
      output Real y[n, n];
    algorithm
      for i in 1:n loop
        for j in 1:n loop
          y[i, j] := i + n*j;
        end for;
      end for;
    end f;
    parameter Integer n = 100;
    parameter Real t[n, n] = f(n);
    Real x = t[3, 7];
  end LargeTable;
end language;
