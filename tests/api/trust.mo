package trust "Models with one thing each that must be right, or be said: see trust_test.c, which has what must come out."
  // ---- what waits for initial equations ----
  model LateStart "parameters that initial equations give, and all that depends on them"
    parameter Real a(fixed = false), c = 3*a;
    parameter Integer k = integer(c);
    parameter Boolean big = c > 5;
    parameter String word = if big then "big" else "small";
    Real x(start = a, fixed = true, nominal = c, max = 100*c), y(start = c);
    discrete Real d(start = c, fixed = true);
    Integer n(start = k, fixed = true);
    Integer w = if word == "big" then 1 else 0;
  initial equation
    a = 2;
    der(y) = 0;
  equation
    der(x) = a - 2;
    der(y) = c - y;
    when time > 0.5 then
      d = pre(d) + a;
      n = pre(n) + k;
    end when;
  end LateStart;

  model LateClock "start and interval of a sample from initial sections; a period that time relations wait for"
    parameter Real first(fixed = false), every(fixed = false), until = first + 2.5*every;
    Integer n(start = 0, fixed = true), m(start = 0, fixed = true);
    Boolean early = time < until;
  initial algorithm
    first := 0.125;
    every := 0.25;
  equation
    when sample(first, every) then
      n = pre(n) + 1;
    end when;
    when not early then
      m = n;
    end when;
  end LateClock;

  model Shared "a value of an initial section, by way of inner and a conditional binding"
    parameter Integer base = 5;
    final parameter Integer seed(fixed = false);
  initial equation
    seed = base + 1;
  end Shared;
  model User
    outer Shared shared;
    parameter Integer own[2] = {shared.seed, 2*shared.seed};
    Real y(start = own[2], fixed = true);
  equation
    der(y) = own[1];
  end User;
  model Inner
    inner Shared shared(base = 6);
    User user;
  end Inner;

  // ---- the language ----
  model Otherwise "branches that parameters decide, in an algorithm"
    parameter Integer i = 7;
    Integer p, q, r;
  algorithm
    if i == 1 then p := 1; elseif i == 2 then p := 2; else p := 3; end if;
    if i == 1 then q := 1; elseif i == 7 then q := 2; else q := 3; end if;
    r := 9;
    if i == 7 then r := 4; else r := 5; end if;
  end Otherwise;

  record Inside parameter Real a = 1, b = 2; end Inside;
  record Around parameter Inside r(a = 10); parameter Real c = 20; end Around;
  model Owner parameter Around s(c = 21, r(b = 11)); Real x = s.c + s.r.a + s.r.b; end Owner;
  model Records "a record given as a whole goes before modifiers from further in, and behind those from further out"
    parameter Around whole(c = 100, r(a = 200, b = 300));
    Owner plain, given(s = whole), part(s.r = Inside(5, 6)), both(s(r(a = 7)) = whole);
  end Records;

  model Constrained "modifiers behind constrainedby hold for the class as declared; those of the declaration are stronger"
    model Gain parameter Real k, c = 1; Real y = k*c*time; end Gain;
    model Other extends Gain(c = 3); end Other;
    model Holder
      replaceable Gain g constrainedby Gain(k = 2);
      replaceable Gain h(k = 5) constrainedby Gain(k = 2);
      replaceable model M = Gain(c = 4) constrainedby Gain(c = 7, k = 2);
      M m;
    end Holder;
    Holder a, b(redeclare Other g, redeclare model M = Other(c = 5));
  end Constrained;

  model Reductions "of enumerations"
    type E = enumeration(a, b, c);
    E high = max(e for e in {E.b, E.a}), low = min({E.c, E.b});
    Integer n = Integer(high) + 10*Integer(low);
  end Reductions;

  model Words "start values and changes of Strings"
    String s(start = "begin", fixed = true), t(start = "x");
    Integer n = if s == "begin" then 1 else 2, m = if t == "x" then 1 else 3;
  initial equation
    pre(t) = "y";
  equation
    when time > 0.5 then s = t + "z"; t = "x"; end when;
  end Words;

  model AtEnd "terminal() in an equation of a continuous variable"
    Real x = if terminal() then 10 + s else 0, s(start = 0, fixed = true);
  equation
    der(s) = 1;
  end AtEnd;

  model FromStart "relations with time are false at the start, and true from there on"
    Boolean y = time > 0, z = time <= 0, u = time >= 0, v = time < 0;
    Integer n(start = 0, fixed = true), m(start = 0, fixed = true), k(start = 0, fixed = true);
  equation
    when time > 0 then n = pre(n) + 1; end when;
    when time > 0.3*pre(k) then k = pre(k) + 1; end when;
    when not z then m = pre(m) + 1; end when;
  end FromStart;

  // ---- when-clauses ----
  model WhenLoop "a when-equation and a continuous one with each other; their iteration would not end"
    Real x, y(start = 1, fixed = true), z;
  equation
    when sample(0.1, 0.2) then
      y = 7 - 2*x + time;
    end when;
    x + y = 5;
    z = 3*pre(y) + y;
  end WhenLoop;

  model WhenLoops "two when-equations with each other and one with itself; one that is nonlinear"
    discrete Real a(start = 0), b(start = 0), c(start = 0), d(start = 1);
    Real w;
  equation
    when time > 0.5 then
      a = 3 - 2*b;
      b = 4*a - 3;
      c = 3 - 2*c;
    end when;
    when sample(0.25, 0.5) then
      d = 2 - w^2/4;
    end when;
    w = d^3 + d;
  end WhenLoops;

  model WhenInside "relations, whole numbers and divisions inside of when-clauses make no events"
    Real x(start = 0, fixed = true);
    discrete Real y(start = 0, fixed = true);
    Integer k(start = 0, fixed = true);
  equation
    der(x) = cos(10*time);
    when sample(0, 0.1) then
      y = if x < 0.05 then 1 elseif x > pre(x) then 3 else 2;
      k = integer(10*x) + div(integer(100*x), 3);
    end when;
  end WhenInside;

  // ---- what must fail ----
  model RealToInteger Integer i; equation i = 1.5; end RealToInteger;
  model RealToIntegers Integer i[2]; equation i = {1, 2.5}; end RealToIntegers;
  model RealInWhen discrete Integer n(start = 0); equation when sample(0, 0.1) then n = pre(n)/2; end when; end RealInWhen;
  model RealInAlgorithm Integer n; algorithm n := 2*time; end RealInAlgorithm;
  function half input Real x; output Integer y; algorithm y := x/2; end half;
  model RealInFunction Real y = half(3); end RealInFunction;
  model RealIsFound "an Integer side of an equation that gives a Real is fine"
    Real x; Integer i = 3;
  equation
    i = 2*x;
  end RealIsFound;
  model TooWhole parameter Integer i = 9007199254740993; Real x = i*time; end TooWhole;
  model GrowsTooWhole
    Integer n(start = 1, fixed = true);
  equation
    when sample(0, 0.01) then n = 3*pre(n); end when;
  end GrowsTooWhole;

  model ReadOutside
    parameter Real a[3] = {1, 2, 3}; Integer i(start = 1, fixed = true); Real x = a[i];
  equation
    when time > 0.5 then i = 4; end when;
  end ReadOutside;
  model ReadOutsideOne
    parameter Real a[1] = {1}; Integer i(start = 1, fixed = true); Real x = a[i];
  equation
    when time > 0.5 then i = 0; end when;
  end ReadOutsideOne;
  model ReadOutsideMatrix
    Real a[2,2] = {{time, 1}, {2, 3}}; Integer i(start = 1, fixed = true); Real x, y(start = 1, fixed = true);
  equation
    x = a[2,i]; der(y) = -x*y;
    when time > 0.5 then i = 3; end when;
  end ReadOutsideMatrix;
  model WriteOutside
    Integer i(start = 1, fixed = true); Real v[3];
  equation
    when time > 0.5 then i = 4; end when;
  algorithm
    v := {1, 2, 3};
    v[i] := 9;
  end WriteOutside;
  model Guarded "what is not asked for need not be there"
    parameter Real a[3] = {1, 2, 3}; parameter Boolean b[3] = {true, false, true};
    Integer i(start = 3, fixed = true); Real x, y(start = 1, fixed = true), v[3]; Boolean c;
  equation
    x = if i <= 3 then a[i]*y else 7;
    c = i <= 3 and b[i];
    der(y) = -x*y;
    when time > 0.5 then i = 4; end when;
  algorithm
    v := {1, 2, 3};
    if i <= 3 then v[i] := 9; end if;
  end Guarded;

  model NoRoot "x has no value from 0.5 on"
    Real x(start = 0.7);
  equation
    x^2 = 0.5 - time;
  end NoRoot;
  model NoRootBeside "beside a state that does not need it"
    Real x(start = 0.7), s(start = 1, fixed = true);
  equation
    x^2 = 0.5 - time; der(s) = -s;
  end NoRootBeside;
  function drop input Real q; output Real dp; algorithm assert(q >= 0, "backwards"); dp := q^2; end drop;
  model InFunction Real s(start = 1, fixed = true), q = 1 - 2*time, dp = drop(q); equation der(s) = -s; end InFunction;

  model Assert parameter AssertionLevel level = AssertionLevel.error; Real x = time; equation assert(x < 0.5, "too large", level); end Assert;
  model AssertWithState extends Assert; Real s(start = 1, fixed = true); equation der(s) = -s; end AssertWithState;
  model AssertInWhen Real s(start = 0, fixed = true); equation der(s) = 1; when s > 0.5 then assert(s < 0.4, "in a when"); end when; end AssertInWhen;
  model AssertInWhenFine Real s(start = 0, fixed = true); equation der(s) = 1; when s > 0.5 then assert(s < 0.6, "in a when"); end when; end AssertInWhenFine;
  model WarnInWhen
    Integer n(start = 0, fixed = true);
  equation
    when sample(0.1, 0.2) then n = pre(n) + 1; assert(n < 4, "n is " + String(n), AssertionLevel.warning); end when;
  end WarnInWhen;
  model AssertInAlgorithm Real y; algorithm y := 2*time; if time > 0.25 then assert(y < 1, "in an algorithm"); end if; y := 0; end AssertInAlgorithm;
  model AssertAtStart parameter Real p = 1; parameter Real t(fixed = false); Real x = time; initial algorithm t := 0.5; assert(p < 2 and time < t, "at the start"); end AssertAtStart;
  model AssertAtStartToo parameter Real p = 1; Real x(start = 0, fixed = true); initial equation assert(p < 2 and x < 0.5, "at the start"); equation der(x) = 1; end AssertAtStartToo;

  model LongDelay Real x, y; equation x = sin(10*time); y = delay(x, if time > 0.7 then 0.6 else 0.1, 0.5); end LongDelay;
  model NoClock parameter Real p = 0; Integer n(start = 0, fixed = true); equation when sample(0, p) then n = pre(n) + 1; end when; end NoClock;

  model Settings "which start values count"
    Real computed = 3*time, state(start = 1), root(start = 2);
    Boolean above = state > 0.5, was(start = true);
    parameter Real p = 1, q(fixed = false, start = 4), r = 2*p, late = 2*q;
    discrete Real d(start = 5);
  initial equation
    q^2 = 16;
  equation
    der(state) = -p;
    root^3 + root = 10 + time;
    was = if sample(0.5, 1) then above else pre(was);
    when above then d = pre(d) + late; end when;
  end Settings;
end trust;
