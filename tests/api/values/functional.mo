// Functions as arguments of functions (specification 12.4.2).
package functional
  partial function Curve
    input Real x;
    output Real y;
  end Curve;
  partial function Surface
    input Real x;
    input Real y;
    output Real z;
  end Surface;
  function trapezoid
    input Curve f;
    input Real a;
    input Real b;
    output Real s;
  algorithm
    s := (b - a) * (f(a) + f(b)) / 2;
  end trapezoid;
  function stepped "by n steps, in a loop that only the run ends"
    input Curve f;
    input Real a;
    input Real b;
    output Real s = 0;
  protected
    Real x = a;
  algorithm
    while x < b - 1e-9 loop
      s := s + 0.25 * f(x);
      x := x + 0.25;
    end while;
  end stepped;
  function alongDiagonal
    input Surface f;
    input Real a;
    input Real b;
    output Real s;
  algorithm
    s := trapezoid(function f(y = a), a, b);
  end alongDiagonal;
  function steppedDiagonal
    input Surface f;
    input Real a;
    input Real b;
    output Real s;
  algorithm
    s := stepped(function f(y = a), a, b);
  end steppedDiagonal;
  function times
    extends Surface;
    input Real k = 1;
  algorithm
    z := k * x * y;
  end times;
  function composed
    extends Curve;
    input Curve f;
    input Curve g;
  algorithm
    y := f(g(x));
  end composed;
  function line
    extends Curve;
    input Real k;
  algorithm
    y := k * x;
  end line;
  function power
    extends Curve;
    input Real p;
  algorithm
    y := x ^ p;
  end power;
  //! Nested a=3 b=1.5 c=2.75 d=1
  model Nested
    Real a = alongDiagonal(function times(k = time + 1), 1, 2);
    Real b = alongDiagonal(times, 1, 2);
    Real c = steppedDiagonal(function times(k = 2 * time), 1, 1 + time);
    Real d = trapezoid(function composed(f = function line(k = 2), g = function power(p = 2)), 0, 1);
  end Nested;
  //! Predefined a=0.42073549 b=0.75 c=0.59
  model Predefined "functions of the language itself as arguments"
    Real a = trapezoid(sin, 0, time), b = stepped(sqrt, 0, 0 * time + 0.25) + 0.75;
    Real c = trapezoid(function composed(f = abs, g = function line(k = -1.18)), 0, time);
  end Predefined;
end functional;
