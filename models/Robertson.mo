package Robertson "Three chemical species, rates that differ by nine orders of magnitude"
  partial model Rates "What both forms have in common"
    parameter Real k1 = 0.04 "A to B";
    parameter Real k2 = 1e4 "B and C to A and C";
    parameter Real k3 = 3e7 "two B to B and C";
    Real y1(start = 1, fixed = true) "Share of A";
    Real y2(start = 0, fixed = true, nominal = 1e-5) "Share of B";
    Real y3 "Share of C";
  equation
    der(y1) = -k1 * y1 + k2 * y2 * y3;
    der(y2) = k1 * y1 - k2 * y2 * y3 - k3 * y2 ^ 2;
  end Rates;

  model ODE "Three differential equations"
    extends Rates(y3(start = 0, fixed = true));
  equation
    der(y3) = k3 * y2 ^ 2;
    annotation(experiment(StopTime = 4e10, Tolerance = 1e-8));
  end ODE;

  model DAE "Two differential equations, and nothing is lost"
    extends Rates;
  equation
    y1 + y2 + y3 = 1;
    annotation(experiment(StopTime = 4e10, Tolerance = 1e-8));
  end DAE;
end Robertson;
