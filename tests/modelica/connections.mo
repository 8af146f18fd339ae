// Connectors and connections (specification, chapter 9).

connector Pin
  Real v;
  flow Real i;
end Pin;
connector RealInput = input Real;
connector RealOutput = output Real;
connector Other
  Real p;
  flow Real q;
end Other;

partial model OnePort
  Pin p, n;
  Real v, i;
equation
  v = p.v - n.v;
  i = p.i;
  0 = p.i + n.i;
end OnePort;
model Resistor
  extends OnePort;
  parameter Real R = 1;
equation
  v = R * i;
end Resistor;
model Capacitor
  extends OnePort;
  parameter Real C = 1;
equation
  i = C * der(v);
end Capacitor;
model Source
  extends OnePort;
equation
  v = 1;
end Source;
model Ground
  Pin p;
equation
  p.v = 0;
end Ground;

//! TwoPins
//=   Real 'a.p.v';
//=   Real 'a.p.i';
//=   Real 'b.p.v';
//=   Real 'b.p.i';
//= equation
//=   'a.p.v' = 1.0;
//=   'b.p.i' = 'b.p.v';
//=   'a.p.v' = 'b.p.v';
//=   'a.p.i' + 'b.p.i' = 0.0;
model End
  Pin p;
equation
  p.v = 1;
end End;
model Load
  Pin p;
equation
  p.i = p.v;
end Load;
model TwoPins
  End a;
  Load b;
equation
  connect(a.p, b.p);
end TwoPins;

//! Unconnected
//=   Real 'a.p.v';
//=   Real 'a.p.i';
//= equation
//=   'a.p.v' = 1.0;
//=   'a.p.i' = 0.0;
model Unconnected
  End a;
end Unconnected;

//! InsideAndOutside
//=   Real 'a.p.v';
//=   Real 'a.p.i';
//=   Real 'w.p.v';
//=   Real 'w.p.i';
//=   Real 'w.l.p.v';
//=   Real 'w.l.p.i';
//= equation
//=   'a.p.v' = 1.0;
//=   'w.l.p.i' = 'w.l.p.v';
//=   'a.p.v' = 'w.p.v';
//=   'a.p.i' + 'w.p.i' = 0.0;
//=   'w.p.v' = 'w.l.p.v';
//=   -'w.p.i' + 'w.l.p.i' = 0.0;
model Wrapper
  Pin p;
  Load l;
equation
  connect(p, l.p);
end Wrapper;
model InsideAndOutside
  End a;
  Wrapper w;
equation
  connect(a.p, w.p);
end InsideAndOutside;

//! Circuit balanced 20
model Circuit
  Source s;
  Resistor r(R = 10);
  Capacitor c(C = 0.1);
  Ground g;
equation
  connect(s.p, r.p);
  connect(r.n, c.p);
  connect(c.n, s.n);
  connect(s.n, g.p);
end Circuit;

//! TooFewEquations E0703
model TooFewEquations
  Resistor r;
  Real x;
end TooFewEquations;

//! TooManyEquations E0703
model TooManyEquations
  End a;
equation
  a.p.i = 1;
end TooManyEquations;

//! Cardinality
//=   Real 'a.p.v';
//=   Real 'a.p.i';
//=   Real 'a.n' = 1.0;
//=   Real 'b.p.v';
//=   Real 'b.p.i';
//=   Real 'b.n' = 1.0;
//=   Real 'c.p.v';
//=   Real 'c.p.i';
//=   Real 'c.n' = 0.0;
//= equation
//=   'a.p.v' = 1.0;
//=   'b.p.v' = 1.0;
//=   'c.p.v' = 0.0;
//=   'b.n' = 'c.n';
//=   'a.p.v' = 'b.p.v';
//=   'a.p.i' + 'b.p.i' = 0.0;
//=   'c.p.i' = 0.0;
model Counted
  Pin p;
  Real n = cardinality(p);
equation
  if cardinality(p) == 0 then
    p.v = 0;
  else
    p.v = 1;
  end if;
end Counted;
model Cardinality
  Counted a, b, c;
equation
  connect(a.p, b.p);
  b.n = c.n;
end Cardinality;

//! Signals
//=   input Real u;
//=   Real 'a.u';
//=   Real 'a.y' = 2 * 'a.u';
//=   Real 'b.u';
//=   Real 'b.y' = 2 * 'b.u';
//= equation
//=   u = 'a.u';
//=   'a.y' = 'b.u';
model Gain
  RealInput u;
  RealOutput y = 2 * u;
end Gain;
model Signals
  RealInput u;
  Gain a, b;
equation
  connect(u, a.u);
  connect(a.y, b.u);
end Signals;

//! ArraysOfConnectors
//=   Real 'g[1].u' = time;
//=   Real 'g[1].y' = 2 * 'g[1].u';
//=   Real 'g[2].u' = 1.0;
//=   Real 'g[2].y' = 2 * 'g[2].u';
//=   Real 'm.u[1]';
//=   Real 'm.u[2]';
//=   Real 'm.s' = 'm.u[1]' + 'm.u[2]';
//= equation
//=   'g[1].y' = 'm.u[1]';
//=   'g[2].y' = 'm.u[2]';
model Mux
  RealInput u[2];
  Real s = u[1] + u[2];
end Mux;
model ArraysOfConnectors
  Gain g[2](u = {time, 1});
  Mux m;
equation
  connect(g.y, m.u);
end ArraysOfConnectors;

//! ConnectInLoop
//=   Real 'l[1].p.v';
//=   Real 'l[1].p.i';
//=   Real 'l[2].p.v';
//=   Real 'l[2].p.i';
//=   Real 'l[3].p.v';
//=   Real 'l[3].p.i';
//=   Real 'e.p.v';
//=   Real 'e.p.i';
//= equation
//=   'l[1].p.i' = 'l[1].p.v';
//=   'l[2].p.i' = 'l[2].p.v';
//=   'l[3].p.i' = 'l[3].p.v';
//=   'e.p.v' = 1.0;
//=   'l[1].p.v' = 'l[2].p.v';
//=   'l[1].p.v' = 'l[3].p.v';
//=   'l[1].p.v' = 'e.p.v';
//=   'l[1].p.i' + 'l[2].p.i' + 'l[3].p.i' + 'e.p.i' = 0.0;
model ConnectInLoop
  Load l[3];
  End e;
equation
  connect(e.p, l[1].p);
  for k in 1:2 loop
    connect(l[k].p, l[k + 1].p);
  end for;
end ConnectInLoop;

//! ConditionalConnector
//=   final parameter Boolean 'c.use' = false;
//=   Real 'c.y';
//= protected
//=   Real 'c.inside';
//= equation
//=   'c.inside' = 5.0;
//=   'c.y' = 'c.inside';
model Choice
  parameter Boolean use = false;
  RealInput u if use;
  RealOutput y;
protected
  RealOutput inside;
equation
  connect(u, inside);
  if not use then
    inside = 5;
  end if;
  y = inside;
end Choice;
model ConditionalConnector
  Choice c;
end ConditionalConnector;

//! NotAConnector E0701
model NotAConnector
  Load a, b;
equation
  connect(a, b.p);
end NotAConnector;

//! ConnectMismatch E0702
model Plug
  Other o;
equation
  o.p = 1;
end Plug;
model ConnectMismatch
  Load a;
  Plug b;
equation
  connect(a.p, b.o);
end ConnectMismatch;

//! ConnectSizes E0702
model ConnectSizes
  Gain g[3](u = {1, 2, 3});
  Mux m;
equation
  connect(g.y, m.u);
end ConnectSizes;

//! ConnectUnknown E0401
model ConnectUnknown
  Load a;
equation
  connect(a.p, a.q);
end ConnectUnknown;

// A composite that hands on what is around it: its own name of the component that is inner and outer means the one around, in connections too.
model Channel
  Pin port;
  Real u;
equation
  port.v = u;
end Channel;
model Listener
  outer Channel channel;
  Pin ear;
equation
  connect(ear, channel.port);
end Listener;

//! InnerOuterConnected
//+ 'channel.port.v' = 'c.own.v';
//+ 'c.channel.port.v' = 'c.inside.ear.v';
model InnerOuterConnected
  model Composite
    inner outer Channel channel(u = 1 + own.v);
    Pin own;
    Listener inside;
  equation
    connect(own, channel.port);
  end Composite;
  inner Channel channel(u = 2);
  Composite c;
end InnerOuterConnected;
