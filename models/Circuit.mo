package Circuit "Resistors, inductors, capacitors, diodes and sources, and what they are made of"
  connector Pin "Where components touch"
    Real v(unit = "V") "Potential";
    flow Real i(unit = "A") "Current into the component";
  end Pin;

  partial model TwoPin "What a component with two pins has in common with all others"
    Pin p "Positive pin";
    Pin n "Negative pin";
    Real v(unit = "V") "Voltage";
    Real i(unit = "A") "Current from p to n";
  equation
    v = p.v - n.v;
    i = p.i;
    p.i + n.i = 0;
  end TwoPin;

  model Resistor
    extends TwoPin;
    parameter Real R(unit = "Ohm") = 1;
  equation
    v = R * i;
  end Resistor;

  model Inductor
    extends TwoPin(i(start = 0, fixed = true));
    parameter Real L(unit = "H") = 1;
  equation
    v = L * der(i);
  end Inductor;

  model Capacitor
    extends TwoPin(v(start = 0, fixed = true));
    parameter Real C(unit = "F") = 1;
  equation
    i = C * der(v);
  end Capacitor;

  model SineVoltage
    extends TwoPin;
    parameter Real amplitude(unit = "V") = 220;
    parameter Real frequency(unit = "Hz") = 50;
    parameter Real phase(unit = "rad") = 0;
  equation
    v = amplitude * sin(2 * 3.141592653589793 * frequency * time + phase);
  end SineVoltage;

  model IdealDiode "Conducts or blocks, with nearly no resistance and nearly no leak"
    extends TwoPin;
    parameter Real Ron(unit = "Ohm", min = 0) = 1e-5 "Resistance while it conducts";
    parameter Real Goff(unit = "S", min = 0) = 1e-5 "Conductance while it blocks";
    Boolean off(start = true) "It blocks";
    Real s "Along the characteristic: a voltage while it blocks, a current while it conducts";
  protected
    constant Real one_volt(unit = "V") = 1;
    constant Real one_ampere(unit = "A") = 1;
  equation
    off = s < 0;
    v = s * one_volt * (if off then 1 else Ron * one_ampere / one_volt);
    i = s * one_ampere * (if off then Goff * one_volt / one_ampere else 1);
  end IdealDiode;

  model Ground
    Pin p;
  equation
    p.v = 0;
  end Ground;

  model RLC "All of them in one loop"
    Resistor resistor(R = 10);
    Inductor inductor(L = 0.1);
    Capacitor capacitor(C = 1e-4);
    SineVoltage source;
    Ground ground;
  equation
    connect(source.p, resistor.p);
    connect(resistor.n, inductor.p);
    connect(inductor.n, capacitor.p);
    connect(capacitor.n, source.n);
    connect(source.n, ground.p);
    annotation(experiment(StopTime = 0.1));
  end RLC;

  model Rectifier "Six ideal diodes turn three phases into a direct voltage"
    constant Real third(unit = "rad") = 2 * 3.141592653589793 / 3 "A third of a turn";
    SineVoltage phase[3](each amplitude = 325, phase = {0, -third, third});
    Inductor line[3](each L = 1e-3, i(fixed = {true, true, false}));
    Resistor wire[3](each R = 0.1);
    IdealDiode upper[3];
    IdealDiode lower[3];
    Capacitor capacitor(C = 5e-3);
    Resistor load(R = 20);
    Ground ground;
  equation
    for k in 1:3 loop
      connect(phase[k].p, wire[k].p);
      connect(wire[k].n, line[k].p);
      connect(line[k].n, upper[k].p);
      connect(lower[k].n, upper[k].p);
      connect(phase[k].n, phase[1].n);
      connect(upper[k].n, capacitor.p);
      connect(lower[k].p, capacitor.n);
    end for;
    connect(load.p, capacitor.p);
    connect(load.n, capacitor.n);
    connect(ground.p, capacitor.n);
    annotation(experiment(StopTime = 0.1, Tolerance = 1e-6));
  end Rectifier;
end Circuit;
