model Pendulum "A point mass on a rod, in Cartesian coordinates: a DAE of index 3"
  parameter Real m(unit = "kg", min = 0) = 1 "Mass";
  parameter Real L(unit = "m", min = 0) = 1 "Length of the rod";
  constant Real g(unit = "m/s2") = 9.81 "Acceleration of gravity";
  Real x(unit = "m", start = 0.6 * L, fixed = true) "To the right";
  Real y(unit = "m", start = -0.8 * L) "Upwards";
  Real vx(unit = "m/s", start = 0, fixed = true);
  Real vy(unit = "m/s");
  Real F(unit = "N") "Force along the rod";
equation
  vx = der(x);
  vy = der(y);
  m * der(vx) = -F * x / L;
  m * der(vy) = -F * y / L - m * g;
  x ^ 2 + y ^ 2 = L ^ 2 "The rod does not stretch";
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end Pendulum;
