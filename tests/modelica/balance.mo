// Rules of balanced models (specification, chapter 4.8): each component has as many equations as unknowns by itself.

connector Pin
  Real v;
  flow Real i;
end Pin;
connector In = input Real;
connector Out = output Real;
connector Port
  Real p;
  flow Real m;
  stream Real h;
end Port;
model Ground
  Pin p;
equation
  p.v = 0;
end Ground;
model Resistor
  Pin p, n;
equation
  p.v - n.v = p.i;
  p.i + n.i = 0;
end Resistor;
model Source
  Pin p, n;
  Real v = p.v - n.v;
equation
  v = 1;
  p.i + n.i = 0;
end Source;
model HalfResistor
  Pin p, n;
equation
  p.v - n.v = p.i;
end HalfResistor;
model OneTooMany
  Pin p, n;
equation
  p.v - n.v = p.i;
  p.i + n.i = 0;
  p.v = 1;
end OneTooMany;
block Twice
  In u;
  Out y = 2 * u;
end Twice;

//! ForgottenLaw E0703
//~ 'r' of class 'HalfResistor' has 4 unknowns and 3 equations by itself
model ForgottenLaw
  HalfResistor r;
  Source s;
  Ground g;
equation
  connect(s.p, r.p);
  connect(r.n, s.n);
  connect(s.n, g.p);
end ForgottenLaw;

//! ForgottenLawInMany E0703
//~ 'r[1]' of class 'HalfResistor' has 4 unknowns and 3 equations by itself; 2 more of this class are like it
model ForgottenLawInMany
  HalfResistor r[3];
  Ground g;
equation
  for i in 1:2 loop
    connect(r[i].n, r[i + 1].p);
  end for;
  connect(r[1].p, g.p);
end ForgottenLawInMany;

//! LawTooMuch E0703
//~ 'r' of class 'OneTooMany' has 4 unknowns and 5 equations by itself
model LawTooMuch
  OneTooMany r;
  Source s;
  Ground g;
equation
  connect(s.p, r.p);
  connect(r.n, s.n);
  connect(s.n, g.p);
end LawTooMuch;

//! OthersMakeUpForIt E0745
//~ 'r' of class 'HalfResistor' has 4 unknowns and 3 equations by itself
model OthersMakeUpForIt
  HalfResistor r;
  Source s;
  Ground g;
equation
  connect(s.p, r.p);
  connect(r.n, s.n);
  connect(s.n, g.p);
  r.p.i + r.n.i = 0;
end OthersMakeUpForIt;

//! DeepInside E0703
//~ 'c.b' of class 'Lazy' has 2 unknowns and 1 equations by itself
model DeepInside
  block Lazy
    In u;
    Out y;
  end Lazy;
  block Chain
    In u;
    Out y;
    Lazy b;
    Twice a;
  equation
    connect(u, a.u);
    connect(a.y, b.u);
    connect(b.y, y);
  end Chain;
  Chain c(u = time);
end DeepInside;

//! InputLeftOpenInside E0703
//~ 'c' of class 'Open' has 2 unknowns and 1 equations by itself
model InputLeftOpenInside
  block Open
    Twice a;
    Twice b;
  equation
    connect(a.y, b.u);
  end Open;
  Open c;
end InputLeftOpenInside;

//! BalancedHierarchy ok
model BalancedHierarchy
  model Inner
    Pin p, n;
    Resistor r;
    parameter Boolean grounded = true;
    Ground g if grounded;
  protected
    Pin between;
    Resistor q;
  equation
    connect(p, r.p);
    connect(r.n, between);
    connect(between, q.p);
    connect(q.n, n);
    connect(n, g.p);
  end Inner;
  Inner a;
  Source s;
equation
  connect(a.p, s.p);
  connect(a.n, s.n);
end BalancedHierarchy;

//! InputWithValueAndConnection ok
model InputWithValueAndConnection
  block Conditional
    parameter Boolean given = true;
    In u = inner_u if given;
    Out y = inner_u;
  protected
    Real inner_u;
  equation
    if not given then
      inner_u = 1;
    end if;
  end Conditional;
  Conditional c, d(given = false);
  Twice t(u = time);
equation
  connect(t.y, c.u);
end InputWithValueAndConnection;

//! UnconnectedPinOfComponent ok
model UnconnectedPinOfComponent
  Resistor r;
  Ground g;
equation
  connect(r.n, g.p);
end UnconnectedPinOfComponent;

//! StreamsAreGivenInside ok
model StreamsAreGivenInside
  model Volume
    Port a, b;
  equation
    a.m + b.m = 0;
    a.p = b.p;
    a.h = inStream(b.h);
    b.h = inStream(a.h);
  end Volume;
  model Shell
    Port a, b;
    Volume v;
  equation
    connect(a, v.a);
    connect(v.b, b);
  end Shell;
  model Boundary
    Port a;
    parameter Real p = 1;
  equation
    a.p = p;
    a.h = 3;
  end Boundary;
  model Flow
    Port a;
  equation
    a.m = -1;
    a.h = 2;
  end Flow;
  Boundary left;
  Flow right;
  Shell s;
equation
  connect(left.a, s.a);
  connect(s.b, right.a);
end StreamsAreGivenInside;

//! BranchesThatAllFailed E0507 E0401 E0401
model BranchesThatAllFailed
  parameter Boolean fast = BranchesThatAllFailed;
equation
  if fast then
    x = 1;
  else
    x = 2;
  end if;
end BranchesThatAllFailed;

//! NoGround E0746 E0801
//~ nothing fixes the potentials 's.p.v', 's.n.v', 'r.p.v', 'r.n.v'
//~ no ground
model NoGround
  Source s;
  Resistor r;
equation
  connect(s.p, r.p);
  connect(s.n, r.n);
end NoGround;

//! NoGroundBehindDiode E0746 E0801
//~ 'd.n.v'
model NoGroundBehindDiode
  model Diode
    Pin p, n;
  equation
    p.i = if p.v - n.v > 0 then exp(p.v - n.v) - 1 else 0;
    p.i + n.i = 0;
  end Diode;
  Source s;
  Diode d;
equation
  connect(s.p, d.p);
  connect(s.n, d.n);
end NoGroundBehindDiode;

//! SecondCircuitWithoutGround E0746 E0801
//~ 't.p.v'
model SecondCircuitWithoutGround
  Source s, t;
  Resistor r, q;
  Ground g;
equation
  connect(s.p, r.p);
  connect(s.n, r.n);
  connect(s.n, g.p);
  connect(t.p, q.p);
  connect(t.n, q.n);
end SecondCircuitWithoutGround;

//! MeansAreFixed ok
model MeansAreFixed
  model Mean
    Pin p, n, m;
  equation
    m.v = (p.v + n.v) / 2;
    p.i + n.i + m.i = 0;
    p.i = n.i;
  end Mean;
  Mean a;
  Source s;
  Ground g;
equation
  connect(a.p, s.p);
  connect(a.n, s.n);
  connect(s.n, g.p);
end MeansAreFixed;

//! StateFixesPotential ok
model StateFixesPotential
  model Node
    Pin p;
  equation
    der(p.v) = p.i;
  end Node;
  Node a, b;
  Resistor r;
equation
  connect(a.p, r.p);
  connect(b.p, r.n);
end StateFixesPotential;

//! NoGroundButAverage E0746 E0801 E0801
//~ 'a.m.v'
model NoGroundButAverage
  model Mean
    Pin p, n, m;
  equation
    m.v = (p.v + n.v) / 2;
    p.i + n.i + m.i = 0;
    p.i = n.i;
  end Mean;
  Mean a;
  Source s;
equation
  connect(a.p, s.p);
  connect(a.n, s.n);
end NoGroundButAverage;
