package HydraulicAxis "A cylinder that follows a set point: pump, relief valve, accumulator, servo valve; pressures in bar"
  function orifice "Flow through a sharp edge, laminar for small differences of pressure"
    input Real area(unit = "m2");
    input Real dp(unit = "bar");
    output Real q(unit = "l/min");
  protected
    constant Real cd = 0.7 "Contraction";
    constant Real rho(unit = "kg/m3") = 860;
    constant Real small(unit = "bar") = 0.5 "Below this the flow is nearly proportional";
  algorithm
    q := 6e4 * cd * area * sqrt(2 * 1e5 / rho) * dp / (dp ^ 2 + small ^ 2) ^ 0.25;
  end orifice;

  function stop "Force of a soft end stop, smooth in its first derivative"
    input Real x(unit = "m") "How far beyond the stop, if positive";
    input Real k(unit = "N/m");
    input Real edge(unit = "m");
    output Real f(unit = "N");
  algorithm
    f := if x <= 0 then 0 else if x < edge then k * x ^ 2 / (2 * edge) else k * (x - edge / 2);
  end stop;

  model Axis "12 states"
    parameter Real K(unit = "bar") = 1.4e4 "Bulk modulus of oil";
    parameter Real A1(unit = "m2") = 2e-3, A2(unit = "m2") = 1.2e-3 "Piston areas";
    parameter Real stroke(unit = "m") = 0.5;
    parameter Real mass(unit = "kg") = 400, load(unit = "N") = 5000, friction(unit = "N.s/m") = 2e4;
    parameter Real pump(unit = "l/min") = 60 "Flow of the pump";
    parameter Real setting(unit = "bar") = 200 "Of the relief valve";
    parameter Real gas(unit = "bar") = 80 "Filling of the accumulator", size(unit = "l") = 1.0 "Its volume";
    parameter Real kp(unit = "1/m") = 5, ki(unit = "1/(m.s)") = 4 "Controller";
    Real ps(unit = "bar", start = 1, fixed = true, nominal = 100) "Supply line";
    Real pt(unit = "bar", start = 1, fixed = true) "Return line";
    Real p1(unit = "bar", start = 5, fixed = true, nominal = 100) "Chamber 1";
    Real p2(unit = "bar", start = 5, fixed = true, nominal = 100) "Chamber 2";
    Real x(unit = "m", start = 0.1, fixed = true), v(unit = "m/s", start = 0, fixed = true) "Piston";
    Real oil(unit = "l", start = 1e-3, fixed = true) "In the accumulator";
    Real spool(start = 0, fixed = true) "Opening of the servo valve, from -1 to 1", spool_v(unit = "1/s", start = 0, fixed = true);
    Real poppet(unit = "mm", start = 0, fixed = true) "Lift of the relief valve", poppet_v(unit = "mm/s", start = 0, fixed = true);
    Real integral(unit = "m.s", start = 0, fixed = true) "Of the control error";
    Real set(unit = "m") "Where the piston should be";
    Real command;
    Real q1(unit = "l/min"), q2(unit = "l/min"), qr(unit = "l/min"), qa(unit = "l/min"), qt(unit = "l/min");
    Real pg(unit = "bar") "Gas in the accumulator";
    Real F(unit = "N") "On the piston, from both sides";
  protected
    constant Real full(unit = "m2") = 3e-5 "Servo valve, fully open";
    Real sink, source "Openings of chamber 1 to supply and to return";
  equation
    set = 0.1 + 0.25 * (if time < 0.5 then 0 else if time < 1.5 then time - 0.5 else if time < 3 then 1 else if time < 3.5 then 1 - (time - 3) else 0.5);
    der(integral) = set - x;
    command = kp * (set - x) + ki * integral;
    der(spool) = spool_v;
    der(spool_v) = 400 ^ 2 * (tanh(command) - spool) - 2 * 0.8 * 400 * spool_v;
    source = (spool + sqrt(spool ^ 2 + 1e-6)) / 2;
    sink = (-spool + sqrt(spool ^ 2 + 1e-6)) / 2;
    q1 = orifice(full * source, ps - p1) - orifice(full * sink, p1 - pt);
    q2 = orifice(full * sink, ps - p2) - orifice(full * source, p2 - pt);
    (A1 * x + 1e-4) / K * der(p1) = q1 / 6e4 - A1 * v;
    (A2 * (stroke - x) + 1e-4) / K * der(p2) = q2 / 6e4 + A2 * v;
    F = 1e5 * (A1 * p1 - A2 * p2);
    der(x) = v;
    mass * der(v) = F - load - friction * v - stop(x - stroke, 1e8, 1e-4) + stop(-x, 1e8, 1e-4);
    qr = orifice(0.03 * 1e-3 * (poppet + sqrt(poppet ^ 2 + 1e-8)) / 2, ps - pt);
    der(poppet) = poppet_v;
    0.05 * der(poppet_v) = 1e3 * (1e5 * 5e-5 * (ps - setting)) - 2e4 * poppet - 60 * poppet_v
      + 1e3 * stop(-1e-3 * poppet, 1e8, 1e-6) - 1e3 * stop(1e-3 * (poppet - 3), 1e8, 1e-6);
    pg = gas * (size / (size - oil)) ^ 1.3;
    qa = orifice(2e-5 * oil / (oil + 1e-3), ps - pg) "Its valve closes before the last oil is out";
    der(oil) = qa / 60;
    0.5e-3 / K * der(ps) = (pump - qr - qa - orifice(full * source, ps - p1) - orifice(full * sink, ps - p2)) / 6e4;
    qt = orifice(1e-4, pt - 1);
    1e-3 / K * der(pt) = (qr + orifice(full * sink, p1 - pt) + orifice(full * source, p2 - pt) - qt) / 6e4;
    annotation(experiment(StopTime = 5, Tolerance = 1e-6));
  end Axis;
end HydraulicAxis;
