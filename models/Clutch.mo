package Clutch "Rotating masses and a clutch with dry friction"
  connector Flange "Where a shaft ends"
    Real phi(unit = "rad") "Angle";
    flow Real tau(unit = "N.m") "Torque into the component";
  end Flange;

  model Inertia "A mass that turns"
    Flange a, b;
    parameter Real J(unit = "kg.m2", min = 0) = 1 "Moment of inertia";
    Real phi(unit = "rad", start = 0, fixed = true, stateSelect = StateSelect.prefer) "Angle";
    Real w(unit = "rad/s", start = 0, fixed = true, stateSelect = StateSelect.prefer) "Speed";
  equation
    phi = a.phi;
    phi = b.phi;
    w = der(phi);
    J * der(w) = a.tau + b.tau;
  end Inertia;

  model FrictionClutch "Slips with a torque of known size, or sticks with one as large as is needed"
    Flange a, b;
    parameter Real torque(unit = "N.m") = 10 "While it slips, fully engaged";
    parameter Real peak(min = 1) = 1.1 "How much more it takes to break loose";
    parameter Real settle(unit = "s") = 0.05 "How soon the last of the slip is gone";
    parameter Real still(unit = "rad/s") = 1e-5 "Slip that is none: more than the errors of a run";
    input Real engage(min = 0, max = 1) "0 open, 1 closed";
    Real w(unit = "rad/s") "Slip";
    Real tau(unit = "N.m") "Torque from a to b";
    Real limit(unit = "N.m") "Torque while slipping";
    discrete Integer slips(start = 0, fixed = true) "1 forward, -1 backward, 0 not";
  equation
    w = der(a.phi) - der(b.phi);
    a.tau = tau;
    b.tau = -tau;
    limit = torque * engage;
    0 = if slips == 0 then der(w) + w / settle else tau - slips * limit;
  algorithm
    when initial() then
      slips := if w > still then 1 elseif w < -still then -1 else 0;
    elsewhen pre(slips) == 1 and w < -still or pre(slips) == -1 and w > still then
      slips := 0;
    elsewhen pre(slips) == 0 and tau > peak * limit then
      slips := 1;
    elsewhen pre(slips) == 0 and tau < -peak * limit then
      slips := -1;
    end when;
  end FrictionClutch;

  model Start "A turning mass takes another one along: momentum is kept, energy becomes heat"
    Inertia engine(J = 2, w(start = 100));
    Inertia wheel(J = 1);
    FrictionClutch clutch;
    Real momentum(unit = "N.m.s") = engine.J * engine.w + wheel.J * wheel.w;
    Real energy(unit = "J") = (engine.J * engine.w ^ 2 + wheel.J * wheel.w ^ 2) / 2;
    Real heat(unit = "J", start = 0, fixed = true) "Made in the clutch";
  equation
    clutch.engage = if time < 1 then time else 1;
    connect(engine.b, clutch.a);
    connect(clutch.b, wheel.a);
    der(heat) = clutch.tau * clutch.w;
    annotation(experiment(StopTime = 12, Tolerance = 1e-8));
  end Start;
end Clutch;
