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

  model LateIndex "subscripts that wait, by way of a binding"
    parameter Boolean b(fixed = false);
    parameter Integer k = if b then 3 else 1;
    parameter Real v[3] = {1, 2, 3};
    Real w[3] = {time, 5, 7}, x = w[k], y = v[k];
  initial equation
    b = true;
  end LateIndex;

  model FixedBy "attributes that parameters give"
    parameter Boolean f[2] = {true, false}; parameter Real s = 3;
    parameter StateSelect select = if f[1] then StateSelect.always else StateSelect.default;
    Real x[2](each start = s, fixed = f), y(start = 7), z(start = 1, stateSelect = select), w;
  initial equation
    if not f[2] then x[2] = 1; end if;
  equation
    x[1] = 2*y;
    der(y) = 0;
    der(x[2]) = 0;
    w = z/2;
    der(w) = 0;
  end FixedBy;
  model FixedLate parameter Boolean f(fixed = false); Real x(start = 1, fixed = f); initial equation f = true; equation der(x) = 0; end FixedLate;
  impure function draw input Integer id; output Real y; external "C" y = ModelicaRandom_impureRandom_xorshift1024star(id); end draw;
  function seeded "calls an impure function, and does not say so"
    input Integer seed; output Integer id;
    impure function keep input Integer s[33]; input Integer id; external "C" ModelicaRandom_setInternalState_xorshift1024star(s, size(s, 1), id); end keep;
  protected
    Integer s[33] = {seed + 7*i for i in 1:33};
  algorithm
    s[33] := 0; keep(s, seed); id := seed;
  end seeded;
  model DrawnOnce "the generator is set once, for a constant, in a binding, and in an initial equation"
    parameter Integer id = seeded(3);
    Real y, z; discrete Real was(start = 0, fixed = true);
    Boolean same(start = false, fixed = true), always(start = true, fixed = true);
  equation
    when {initial(), sample(0.1, 0.1)} then
      y = draw(id);
      z = y;
      was = pre(y);
      same = abs(y - was) < 1e-9;
      always = pre(always) and y > 0 and y < 1 and not same;
    end when;
  end DrawnOnce;
  model DrawnLate
    parameter Integer id(fixed = false); Real y; Integer n(start = 0, fixed = true);
  initial equation
    id = seeded(3);
  equation
    when {initial(), sample(0.1, 0.1)} then y = draw(id); n = if abs(y - pre(y)) < 1e-9 then 100 else pre(n) + 1; end when;
  end DrawnLate;

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

  type Colour = enumeration(red, green, blue);
  function coloured input Integer i; output Colour c; algorithm c := Colour(i); end coloured;
  model FromNumbers "enumerations of numbers that only the run knows"
    Colour c = Colour(integer(1.5 + time)), d = coloured(3);
    Integer n = Integer(c), m = Integer(d);
  end FromNumbers;

  model EitherSide "an equation of two discrete variables gives the one that no other equation gives"
    Integer n, a, b; discrete Real w, v;
  equation
    n = w;
    a = b;
    v = b;
    n = integer(6.5*time);
    b = -integer(2.5*time);
  end EitherSide;

  function both input Real u; output Real a, b; algorithm a := u; b := 4*u; end both;
  function sumOfBoth output Real x; protected Real a, b; algorithm (a, b) := both(1); x := a + b; end sumOfBoth;
  model Results "all results of a call that is constant"
    Real x, y, z = sumOfBoth();
    discrete Real u(start = 0, fixed = true), v(start = 0, fixed = true);
    parameter Real p(fixed = false), q(fixed = false);
  initial equation
    (p, q) = both(3);
  equation
    (x, y) = both(1);
    when time > 0.5 then (u, v) = both(2); end when;
  end Results;

  model Before "pre() is of the variable, whatever statements have made of it; of an element by a subscript that changes"
    Integer n(start = 0, fixed = true), v[2](start = {1, 2}, each fixed = true), i = if time > 0.7 then 2 else 1;
    Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 0, fixed = true), u(start = 0, fixed = true);
    Boolean b(start = false, fixed = true), bs[2] = {time > 0.3, time > 0.8};
    Integer k(start = 0, fixed = true), m(start = 0, fixed = true);
  algorithm
    when time > 0.5 then
      n := 1;
      x := pre(n) + 2;
      v[i] := 3;
      y := pre(v[i]);
      z := sum(pre(v)) + v[i];
      b := true;
      u := if edge(b) then 5 else 6;
    end when;
  equation
    when edge(bs[i]) then k = pre(k) + 1; end when;
    m = pre(m) + (if change(bs[i]) then 1 else 0);
  end Before;

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

  function demand input Real x; algorithm assert(x < 0.5, "demanded"); end demand;
  function demanded input Real x; output Real y; algorithm assert(x < 0.5, "demanded"); y := x; end demanded;
  function demandedOnce input Real x; output Real y; algorithm demand(x); assert(x < 1, "too large", AssertionLevel.error); y := x; end demandedOnce;
  model CallAtBuild "a call within a call that is constant" Real y = demandedOnce(0.7); end CallAtBuild;
  model CallForCheck "calls without a use of their results" Real x(start = 0, fixed = true); equation der(x) = 1; demand(x); end CallForCheck;
  model CallForCheckToo Real y; algorithm y := time; demanded(y); end CallForCheckToo;
  model CallsForCheck Real y = time; equation for i in 1:2 loop demand(y*i); end for; end CallsForCheck;
  model NoColour Colour c = coloured(integer(1.5 + 4*time)); end NoColour;
  model RealByName "an Integer takes no discrete Real" Integer n; discrete Real w(start = 1.5, fixed = true); equation n = w; when time > 0.5 then w = 2.5; end when; end RealByName;

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
    parameter Integer whole = 1; parameter Boolean yes = true; Integer counted(start = 1);
    discrete Real d(start = 5);
  initial equation
    q^2 = 16;
  equation
    der(state) = -p;
    root^3 + root = 10 + time;
    was = if sample(0.5, 1) then above else pre(was);
    when above then d = pre(d) + late; counted = pre(counted) + whole + (if yes then 1 else 0); end when;
  end Settings;
end trust;
