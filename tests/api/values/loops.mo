// Loops, ranges and slices of a model's algorithms that vary while it runs (specification 11.2).
package loops
  //! Range s=10 m=14
  model Range
    Integer n = integer(3 * time) + 1;
    Real s, m;
  algorithm
    s := 0;
    for j in 1:n loop
      s := s + j;
    end for;
    m := s;
    for j in n:-1:1 loop
      m := m + 1;
    end for;
  end Range;
  //! SlicesOnTheLeft t[1]=2 t[3]=5 t[4]=5
  model SlicesOnTheLeft
    Integer n = integer(2.9 * time) + 1;
    Real t[4];
  algorithm
    t := zeros(4);
    t[1:n] := fill(2.0, n);
    t[n:4] := fill(5, 5 - n);
  end SlicesOnTheLeft;
  //! SlicesOnTheRight a=10 b=8 c=2.5 d=30 e=10
  model SlicesOnTheRight
    function mean
      input Real x[:];
      output Real y;
    algorithm
      y := sum(x) / size(x, 1);
    end mean;
    Integer n = integer(3 * time) + 1;
    Real v[4] = {1, 2, 3, 4};
    Real a, b, c, d, e = sum(v[1:n]);
  algorithm
    a := sum(v[1:n]);
    b := max(v[1:n]) + min(v[n:4]);
    c := mean(v[1:n]);
    d := sum(v[i] * i for i in 1:n);
  end SlicesOnTheRight;
  //! OverValues s=5 t=10
  model OverValues
    Integer n = integer(3 * time) + 1;
    Real x = time, v[4] = {1, 2, 3, 4}, s, t;
  algorithm
    s := 0;
    for r in {1.5, x, 2.5} loop
      s := s + r;
    end for;
    t := 0;
    for r in v[1:n] loop
      t := t + r;
    end for;
  end OverValues;
  //! AtEvents n=6 s=21
  model AtEvents
    Integer n(start = 1, fixed = true);
    Real s(start = 0, fixed = true);
  algorithm
    when sample(0, 0.25) then
      n := pre(n) + 1;
      s := 0;
      for j in 1:n loop
        s := s + j;
      end for;
    end when;
  end AtEvents;
  //! InWhile s=20 k=5
  model InWhile
    Real s;
    Integer k;
  algorithm
    k := 1;
    s := 0;
    while k < 5 loop
      for j in 1:k loop
        s := s + j;
      end for;
      k := k + 1;
    end while;
  end InWhile;
  //! Nested m[1]=0 m[4]=3 q=60
  model Nested
    Integer n = integer(3 * time) + 1;
    Real m[4], q;
  algorithm
    m := zeros(4);
    m[n:4] := 2 * ones(5 - n);
    for i in n:4 loop
      m[i:4] := m[i:4] .+ 1;
    end for;
    q := 0;
    for i in 1:n, j in 1:3 loop
      q := q + i * j;
    end for;
  end Nested;
  //! WithBreak m=3
  model WithBreak
    Integer n = integer(3 * time) + 1;
    Real m;
  algorithm
    m := 0;
    if n > 2 then
      for i in 1:n loop
        m := i;
        if i == 3 then
          break;
        end if;
      end for;
    end if;
  end WithBreak;
  //! State x=0.36787944~1e-5 s=1.1036383~1e-4
  model State
    Real x(start = 1);
    Integer n = if x > 0.5 then 2 else 3;
    Real s;
  algorithm
    s := 0;
    for i in 1:n loop
      s := s + x;
    end for;
  equation
    der(x) = -x;
  end State;
  model Part
    parameter Real k;
    Real y = k * time;
  end Part;
  //! Components s=6
  model Components
    Part p[3](k = {1, 2, 3});
    Integer n = integer(2.5 * time) + 1;
    Real s;
  algorithm
    s := 0;
    for i in 1:n loop
      s := s + p[i].y;
    end for;
  end Components;
  //! StopInWhile stops 0.6
  model StopInWhile
    Integer k, n = integer(10 * time);
  algorithm
    k := 0;
    while k < n loop
      k := k + 1;
      if k > 5 then
        terminate("enough");
      end if;
    end while;
  end StopInWhile;
  //! StopInFor stops 0.25
  model StopInFor
    Integer n = integer(4 * time);
    Real y;
  algorithm
    y := 0;
    for i in 1:n loop
      y := y + i;
      terminate("at the first event");
    end for;
  end StopInFor;
  //! OnlyChecks y=1
  model OnlyChecks
    Integer n = integer(4 * time);
    Real y = time;
  algorithm
    for i in 1:n loop
      assert(i < 10, "too many");
    end for;
  end OnlyChecks;
  //! Kinds a=0.6 b=65 c=6 d=12
  model Kinds "ranges of Reals, of enumerations, of one loop in the other; columns"
    type E = enumeration(a, b, c);
    Integer n = integer(3 * time) + 1, b, c;
    E e = if time > 0.5 then E.c else E.a;
    Real x = 0.35, a, m[3, 4] = fill(time, 3, 4), d;
  algorithm
    a := 0;
    for r in 0:0.1:x * time loop
      a := a + r;
    end for;
    b := 0;
    for i in 1:n, j in i:n loop
      b := b + i * j;
    end for;
    c := 0;
    for k in E.a:e loop
      c := c + Integer(k);
    end for;
    d := sum(m[:, 1:n]);
  end Kinds;
  //! Results a[4]=4 b[3]=6 y[4]=1 z=6
  model Results "several results in a loop; a value whose parts vary; a parameter that initialisation gives"
    function f
      input Real x;
      output Real a;
      output Real b;
    algorithm
      a := x;
      b := 2 * x;
    end f;
    Integer n = integer(3 * time) + 1;
    parameter Integer k(fixed = false);
    Real a[4], b[4], y[4], z;
  initial equation
    k = 3;
  algorithm
    a := zeros(4);
    b := zeros(4);
    for i in 1:n loop
      (a[i], b[i]) := f(i * time);
    end for;
    y := cat(1, ones(n), zeros(4 - n));
    z := 0;
    for i in 1:k loop
      z := z + i;
    end for;
  end Results;
end loops;
