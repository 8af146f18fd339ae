package Circuit "A resistor, an inductor, a capacitor and a source, and what they are made of"
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
  equation
    v = amplitude * sin(2 * 3.141592653589793 * frequency * time);
  end SineVoltage;

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
end Circuit;
