package PneumaticLock "A cylinder that two piloted check valves hold in place; SI units, from 1e-14 to 6e5"
  constant Real R(unit = "J/(kg.K)") = 287 "Gas constant of air";
  constant Real cv(unit = "J/(kg.K)") = 718, cp(unit = "J/(kg.K)") = 1005;
  constant Real kappa = 1.4;
  constant Real pa(unit = "Pa") = 1e5, Ta(unit = "K") = 293.15 "Of the room";

  function flow_rate "Mass flow through a nozzle, choked when the pressure ratio is below b"
    input Real C(unit = "m3/(s.Pa)") "Sonic conductance";
    input Real p1(unit = "Pa"), T1(unit = "K"), p2(unit = "Pa"), T2(unit = "K");
    output Real w(unit = "kg/s") "From 1 to 2";
  protected
    constant Real rho(unit = "kg/m3") = 1.185 "At the reference, 293.15 K and 1e5 Pa";
    constant Real b = 0.3, linear = 0.99 "Ratio from which the flow is proportional to the difference";
    Real p, T, r, psi;
  algorithm
    p := if p1 > p2 then p1 else p2;
    T := if p1 > p2 then T1 else T2;
    r := (if p1 > p2 then p2 else p1) / p;
    psi := if r <= b then 1 else if r < linear then sqrt(1 - ((r - b) / (1 - b)) ^ 2)
      else sqrt(1 - ((linear - b) / (1 - b)) ^ 2) * (1 - r) / (1 - linear);
    w := (if p1 > p2 then 1 else -1) * C * rho * p * psi * sqrt(Ta / T);
  end flow_rate;

  function stop "Force of a stop that is pressed in by x"
    input Real x(unit = "m"), v(unit = "m/s"), k(unit = "N/m");
    output Real f(unit = "N");
  algorithm
    f := if x > 0 then k * x * (1 + 5 * v) else 0;
  end stop;

  model Volume "Air in a chamber, with heat through its wall"
    parameter Real hA(unit = "W/K") = 2 "Heat through the wall, by difference of temperature";
    parameter Real p0(unit = "Pa") = pa "At the start";
    Real p(unit = "Pa", start = p0, fixed = true, nominal = 1e5);
    Real T(unit = "K", start = Ta, fixed = true, nominal = 293);
    Real V(unit = "m3"), dV(unit = "m3/s") "Size, and how fast it grows";
    Real m(unit = "kg") "Air inside";
    Real w(unit = "kg/s") "Air that comes in, less what goes out";
    Real H(unit = "W") "Enthalpy it brings";
  equation
    m = p * V / (R * T);
    m * cv * der(T) = H - cv * T * w - p * dV - hA * (T - Ta);
    V / (R * T) * der(p) = w - p * dV / (R * T) + p * V / (R * T ^ 2) * der(T);
  end Volume;

  model CheckValve "Opens by its own pressure difference, or by the pilot that pushes it open"
    parameter Real C(unit = "m3/(s.Pa)") = 3e-8 "Open";
    parameter Real lift(unit = "m") = 1e-2;
    parameter Real mass(unit = "kg") = 0.02, c(unit = "N/m") = 600, preload(unit = "N") = 4, d(unit = "N.s/m") = 12;
    parameter Real seat(unit = "m2") = 1e-4, push(unit = "m2") = 4e-4;
    parameter Real dead(unit = "m3") = 2e-6 "Volume of the pilot line";
    input Real p_in(unit = "Pa"), T_in(unit = "K"), p_out(unit = "Pa"), T_out(unit = "K"), p_pilot(unit = "Pa");
    Real x(unit = "m", start = 0, fixed = true) "Lift", v(unit = "m/s", start = 0, fixed = true);
    Real p(unit = "Pa", start = pa, fixed = true, nominal = 1e5) "In the pilot line, at room temperature";
    Real passed(unit = "kg", start = 1e-14, fixed = true) "Air that crept through the closed seat";
    Real creep(unit = "kg/s"), w(unit = "kg/s") "Through the closed seat, and all; both from inside to outside";
  equation
    der(x) = v;
    mass * der(v) = seat * (p_in - p_out) + push * (p - pa) - preload - c * x - d * v + stop(-x, -v, 1e6) - stop(x - lift, v, 1e6);
    dead / (R * Ta) * der(p) = flow_rate(2e-10, p_pilot, Ta, p, Ta);
    creep = flow_rate(1e-16, p_in, T_in, p_out, T_out);
    w = creep + flow_rate(C * (x + sqrt(x ^ 2 + 1e-14)) / (2 * lift), p_in, T_in, p_out, T_out);
    der(passed) = creep;
  end CheckValve;

  model Lock "Lifts a load, locks it, lowers it: 21 states"
    parameter Real area(unit = "m2") = 2e-3, stroke(unit = "m") = 0.3, mass(unit = "kg") = 30, friction(unit = "N.s/m") = 150;
    parameter Real lag(unit = "s") = 0.01 "Of the switching valves";
    parameter Real port(unit = "m3/(s.Pa)") = 1.5e-8 "Conductance of a switching valve";
    Volume tank(p0 = 6.2e5, hA = 10), below, above;
    Real line_a(unit = "Pa", start = pa, fixed = true, nominal = 1e5) "Pressure between switching valve and lock, at room temperature";
    Real line_b(unit = "Pa", start = pa, fixed = true, nominal = 1e5);
    CheckValve lock_a(p_in = line_a, T_in = Ta, p_out = below.p, T_out = below.T, p_pilot = line_b);
    CheckValve lock_b(p_in = line_b, T_in = Ta, p_out = above.p, T_out = above.T, p_pilot = line_a);
    Real x(unit = "m", start = 0.05, fixed = true) "Height of the load", v(unit = "m/s", start = 0, fixed = true);
    Real lifting(start = 0, fixed = true) "Switching valves: 0 closed, 1 open", lowering(start = 0, fixed = true), venting(start = 1, fixed = true);
    Real up, down "What the driver wants";
    Real total(unit = "kg") "All the air inside";
    Real in_a(unit = "kg/s"), in_b(unit = "kg/s"), out_a(unit = "kg/s"), out_b(unit = "kg/s");
  protected
    constant Real tube(unit = "m3") = 2e-5 "Volume of a line";
    constant Real room(unit = "m3") = 3e-5 "Of a chamber at the end of the stroke";
  equation
    up = if time > 1 and time < 3 then 1 else 0;
    down = if time > 8 and time < 10 then 1 else 0;
    lag * der(lifting) = up - lifting;
    lag * der(lowering) = down - lowering;
    lag * der(venting) = 1 - up - down - venting;
    in_a = flow_rate(port * lifting, tank.p, tank.T, line_a, Ta);
    in_b = flow_rate(port * lowering, tank.p, tank.T, line_b, Ta);
    out_a = flow_rate(port * (venting + lowering), line_a, Ta, pa, Ta);
    out_b = flow_rate(port * (venting + lifting), line_b, Ta, pa, Ta);
    tube / (R * Ta) * der(line_a) = in_a - out_a - lock_a.w;
    tube / (R * Ta) * der(line_b) = in_b - out_b - lock_b.w;
    tank.V = 0.02;
    tank.dV = 0;
    tank.w = -in_a - in_b;
    tank.H = -cp * tank.T * (in_a + in_b);
    below.V = room + area * x;
    below.dV = area * v;
    below.w = lock_a.w;
    below.H = cp * (if lock_a.w > 0 then Ta else below.T) * lock_a.w;
    above.V = room + area * (stroke - x);
    above.dV = -area * v;
    above.w = lock_b.w;
    above.H = cp * (if lock_b.w > 0 then Ta else above.T) * lock_b.w;
    der(x) = v;
    mass * der(v) = area * (below.p - above.p) - 9.81 * mass - friction * v + stop(-x, -v, 1e6) - stop(x - stroke, v, 1e6);
    total = tank.m + below.m + above.m + tube / (R * Ta) * (line_a + line_b);
    annotation(experiment(StopTime = 12, Tolerance = 1e-8));
  end Lock;
end PneumaticLock;
