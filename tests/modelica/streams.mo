// Stream connectors (specification, chapter 15).

connector Port
  Real p;
  flow Real m;
  stream Real h;
end Port;
model Vessel
  Port a;
  parameter Real h0 = 1;
  Real arriving = inStream(a.h);
equation
  a.p = 1;
  a.h = h0;
end Vessel;
model Drain
  Port a(m(min = 0));
  Real arriving = inStream(a.h);
equation
  a.m = 1;
  a.h = 0;
end Drain;

// Nothing is connected: what would flow in is what flows out.
//! Alone
//=   Real 'v.a.p';
//=   Real 'v.a.m';
//=   Real 'v.a.h';
//=   parameter Real 'v.h0' = 1.0;
//=   Real 'v.arriving' = 'v.a.h';
//= equation
//=   'v.a.p' = 1.0;
//=   'v.a.h' = 'v.h0';
//=   'v.a.m' = 0.0;
model Alone
  Vessel v;
end Alone;

// A drain never sends anything back.
//! Two
//=   Real 'v.a.p';
//=   Real 'v.a.m';
//=   Real 'v.a.h';
//=   parameter Real 'v.h0' = 1.0;
//=   Real 'v.arriving' = 'v.a.h';
//=   Real 'd.a.p';
//=   Real 'd.a.m'(min = 0.0);
//=   Real 'd.a.h';
//=   Real 'd.arriving' = 'v.a.h';
//= equation
//=   'v.a.p' = 1.0;
//=   'v.a.h' = 'v.h0';
//=   'd.a.m' = 1.0;
//=   'd.a.h' = 0.0;
//=   'v.a.p' = 'd.a.p';
//=   'v.a.m' + 'd.a.m' = 0.0;
model Two
  Vessel v;
  Drain d;
equation
  connect(v.a, d.a);
end Two;

// Of three, one cannot send: the others get each other's value, and the third a mean.
//! Mixing
//=   Real 'v.a.p';
//=   Real 'v.a.m';
//=   Real 'v.a.h';
//=   parameter Real 'v.h0' = 1.0;
//=   Real 'v.arriving' = 'w.a.h';
//=   Real 'w.a.p';
//=   Real 'w.a.m';
//=   Real 'w.a.h';
//=   parameter Real 'w.h0' = 3.0;
//=   Real 'w.arriving' = 'v.a.h';
//=   Real 'd.a.p';
//=   Real 'd.a.m'(min = 0.0);
//=   Real 'd.a.h';
//=   Real 'd.arriving' = 'inStream(d.a.h)';
//=   Real 'mixing(d.a.h)';
//=   Real 'inStream(d.a.h)';
//= equation
//=   'v.a.p' = 1.0;
//=   'v.a.h' = 'v.h0';
//=   'w.a.p' = 1.0;
//=   'w.a.h' = 'w.h0';
//=   'd.a.m' = 1.0;
//=   'd.a.h' = 0.0;
//=   'v.a.p' = 'w.a.p';
//=   'v.a.p' = 'd.a.p';
//=   'v.a.m' + 'w.a.m' + 'd.a.m' = 0.0;
//=   'mixing(d.a.h)' = noEvent(if max(-'v.a.m', 0.0) + max(-'w.a.m', 0.0) > 1e-6 then 1.0 elseif max(-'v.a.m', 0.0) + max(-'w.a.m', 0.0) > 0.0 then ((max(-'v.a.m', 0.0) + max(-'w.a.m', 0.0)) / 1e-6)^2 * (3.0 - 2.0 * ((max(-'v.a.m', 0.0) + max(-'w.a.m', 0.0)) / 1e-6)) else 0.0);
//=   'inStream(d.a.h)' = ('mixing(d.a.h)' * (max(-'v.a.m', 0.0) * 'v.a.h' + max(-'w.a.m', 0.0) * 'w.a.h') + (1.0 - 'mixing(d.a.h)') * 1e-6 * ('v.a.h' + 'w.a.h')) / ('mixing(d.a.h)' * (max(-'v.a.m', 0.0) + max(-'w.a.m', 0.0)) + (1.0 - 'mixing(d.a.h)') * 1e-6 * 2.0);
model Mixing
  Vessel v, w(h0 = 3);
  Drain d;
equation
  connect(v.a, w.a);
  connect(v.a, d.a);
end Mixing;

// A connector of a component around passes through, in both directions.
//! Through
//=   Real 'c.a.p';
//=   Real 'c.a.m';
//=   Real 'c.a.h';
//=   Real 'c.v.a.p';
//=   Real 'c.v.a.m';
//=   Real 'c.v.a.h';
//=   parameter Real 'c.v.h0' = 1.0;
//=   Real 'c.v.arriving' = 'w.a.h';
//=   Real 'w.a.p';
//=   Real 'w.a.m';
//=   Real 'w.a.h';
//=   parameter Real 'w.h0' = 1.0;
//=   Real 'w.arriving' = 'c.a.h';
//= equation
//=   'c.v.a.p' = 1.0;
//=   'c.v.a.h' = 'c.v.h0';
//=   'w.a.p' = 1.0;
//=   'w.a.h' = 'w.h0';
//=   'c.a.p' = 'w.a.p';
//=   'c.a.p' = 'c.v.a.p';
//=   'c.a.m' + 'w.a.m' = 0.0;
//=   -'c.a.m' + 'c.v.a.m' = 0.0;
//=   'c.a.h' = 'c.v.a.h';
model Through
  model Container
    Port a;
    Vessel v;
  equation
    connect(a, v.a);
  end Container;
  Container c;
  Vessel w;
equation
  connect(c.a, w.a);
end Through;

//! Actual
//=   Real 'v.a.p';
//=   Real 'v.a.m';
//=   Real 'v.a.h';
//=   parameter Real 'v.h0' = 1.0;
//=   Real 'v.arriving' = 'r.a.h';
//=   Real 'r.a.p';
//=   Real 'r.a.m';
//=   Real 'r.a.h';
//=   Real 'r.h' = if 'r.a.m' > 0.0 then 'v.a.h' else 'r.a.h';
//= equation
//=   'v.a.p' = 1.0;
//=   'v.a.h' = 'v.h0';
//=   'r.a.m' = time;
//=   'r.a.h' = 2.0;
//=   'v.a.p' = 'r.a.p';
//=   'v.a.m' + 'r.a.m' = 0.0;
model Actual
  model Reader
    Port a;
    Real h = actualStream(a.h);
  equation
    a.m = time;
    a.h = 2;
  end Reader;
  Vessel v;
  Reader r;
equation
  connect(v.a, r.a);
end Actual;

//! NotAStream E0722
model NotAStream
  Vessel v;
  Real x = inStream(v.a.p);
end NotAStream;

//! TwoFlows E0722
model TwoFlows
  connector Bad
    Real p;
    flow Real m, n;
    stream Real h;
  end Bad;
  Bad b;
  Real x;
equation
  x = 1;
  b.p = 1;
  b.h = 1;
end TwoFlows;

//! OneSide E0702
model OneSide
  connector Plain
    Real p;
    flow Real m;
    input Real h;
  end Plain;
  Vessel v;
  Plain q;
equation
  connect(v.a, q);
end OneSide;
