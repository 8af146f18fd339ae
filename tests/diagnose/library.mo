package Parts "what broken models are made of: electrical, mechanical, thermal, signals, fluid"
  connector Pin
    Real v(unit = "V");
    flow Real i(unit = "A");
  end Pin;
  partial model TwoPin
    Pin p;
    Pin n;
    Real u(unit = "V");
    Real i(unit = "A");
  equation
    u = p.v - n.v;
    i = p.i;
    p.i + n.i = 0;
  end TwoPin;
  model Resistor
    extends TwoPin;
    parameter Real R(unit = "Ohm") = 1;
  equation
    u = R*i;
  end Resistor;
  model Conductor
    extends TwoPin;
    parameter Real G(unit = "S") = 1;
  equation
    i = G*u;
  end Conductor;
  model Capacitor
    extends TwoPin;
    parameter Real C(unit = "F") = 1;
  equation
    i = C*der(u);
  end Capacitor;
  model Inductor
    extends TwoPin;
    parameter Real L(unit = "H") = 1;
  equation
    u = L*der(i);
  end Inductor;
  model Voltage
    extends TwoPin;
    parameter Real V(unit = "V") = 1;
  equation
    u = V;
  end Voltage;
  model Current
    extends TwoPin;
    parameter Real I(unit = "A") = 1;
  equation
    i = I;
  end Current;
  model Diode "an exponential one"
    extends TwoPin;
  equation
    i = 1e-9*(exp(u/0.025) - 1);
  end Diode;
  model Ground
    Pin p;
  equation
    p.v = 0;
  end Ground;
  connector Flange
    Real s(unit = "m");
    flow Real f(unit = "N");
  end Flange;
  model Mass
    Flange a;
    Real v(unit = "m/s");
    parameter Real m(unit = "kg") = 1;
  equation
    der(a.s) = v;
    m*der(v) = a.f;
  end Mass;
  model Spring
    Flange a;
    Flange b;
    parameter Real c = 1;
  equation
    a.f = c*(a.s - b.s);
    a.f + b.f = 0;
  end Spring;
  model Wall
    Flange a;
  equation
    a.s = 0;
  end Wall;
  connector Heat
    Real T(unit = "K");
    flow Real Q(unit = "W");
  end Heat;
  model Radiator "T^4 law"
    Heat a;
    Heat b;
    parameter Real k = 5.67e-8;
  equation
    a.Q = k*(a.T^4 - b.T^4);
    a.Q + b.Q = 0;
  end Radiator;
  model Body
    Heat a;
    parameter Real c = 1;
  equation
    c*der(a.T) = a.Q;
  end Body;
  connector RealInput = input Real;
  connector RealOutput = output Real;
  connector BooleanInput = input Boolean;
  block Gain
    RealInput u;
    RealOutput y;
    parameter Real k = 1;
  equation
    y = k*u;
  end Gain;
  block Integrator
    RealInput u;
    RealOutput y(start = 0);
    parameter Real k = 1;
  equation
    der(y) = k*u;
  end Integrator;
  block Switch
    RealInput a;
    BooleanInput on;
    RealOutput y;
  equation
    y = if on then a else 0;
  end Switch;
  model Valve "turbulent"
    RealInput dp;
    RealOutput m;
    parameter Real k = 1;
  equation
    m = k*sqrt(dp);
  end Valve;
  function density
    input Real T;
    output Real d;
  algorithm
    assert(T > 0, "the temperature " + String(T) + " is not above zero");
    d := 1e5/(287*T);
  end density;
end Parts;
