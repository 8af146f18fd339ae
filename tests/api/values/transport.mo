// spatialDistribution (specification 3.7.4.2): transport at a speed that varies, against closed forms.
package transport
  //! Forward y=0.5 early=1~1e-6
  model Forward "x = 2 time: out1 is what went in 0.5 before; before that the profile 1 - xi"
    Real x(start = 0, fixed = true), y, unused, early(start = 0, fixed = true);
  equation
    der(x) = 2;
    (unused, y) = spatialDistribution(time, 0, x, true, {0.0, 1.0}, {1.0, 0.0});
    der(early) = if time < 0.5 then 4 * y else 0 "the integral of 4*2*t up to 0.5 is 1";
  end Forward;
  //! Backward y=0.6~1e-4
  model Backward "x = -2.5 time: out0 is what went in at 1, 0.4 before"
    Real x(start = 0, fixed = true), y;
  equation
    der(x) = -2.5;
    (y, ) = spatialDistribution(0, time, x, false);
  end Backward;
  //! Turn a=0.5~1e-3 b=0.3~1e-3
  model Turn "out and back: at 0.5 the flow turns, and what went in last comes out first"
    Real x(start = 0, fixed = true), v = if time < 0.5 then 1 else -1;
    Real a, b, c;
    discrete Real seen(start = 0);
  equation
    der(x) = v;
    (c, b) = spatialDistribution(time, 0.3, x, v >= 0, {0.0, 1.0}, {0.5, 0.5});
    when time > 0.75 then
      seen = c "went in at 0.25";
    end when;
    a = if time > 0.75 then 2 * seen else 0.5;
  end Turn;
  //! Jump hit=0.7~1e-6 y=1
  model Jump "a step that goes in at 0.2 comes out after half a second, at an event"
    Real x(start = 0, fixed = true), y;
    discrete Real hit(start = 0);
  equation
    der(x) = 2;
    (, y) = spatialDistribution(if time > 0.2 then 1 else 0, 0, x, true);
    when y > 0.5 then
      hit = time;
    end when;
  end Jump;
  //! Vector y[1]=0.5 y[2]=1
  model Vector
    Real x(start = 0, fixed = true), y[2], z[2];
  equation
    der(x) = 2;
    (z, y) = spatialDistribution({time, 2 * time}, {0, 0}, x, true, initialValues = {0.0, 0.0});
  end Vector;
  //! Slope d=2~1e-3
  model Slope "the derivative of what leaves: d/dt (t - 0.5)^2 * 2 at 1"
    Real x(start = 0, fixed = true), y, z, d;
  equation
    der(x) = 2;
    (z, y) = spatialDistribution(2 * time ^ 2, 0, x, true);
    d = der(y);
  end Slope;
end transport;
