// Overconstrained connections (specification 9.4): an angle as a point on the unit circle.

record Direction
  Real c;
  Real s;
  function equalityConstraint
    input Direction a;
    input Direction b;
    output Real residue[1];
  algorithm
    residue := {a.c*b.s - a.s*b.c};
  end equalityConstraint;
end Direction;
connector Flange
  Direction d;
  flow Real t;
end Flange;
model Fixed
  Flange f;
equation
  Connections.root(f.d);
  f.d.c = 1;
  f.d.s = 0;
end Fixed;
model Bar
  Flange a, b;
  Boolean a_first = Connections.rooted(a.d);
equation
  Connections.branch(a.d, b.d);
  b.d = a.d;
  a.t + b.t = 0;
end Bar;
model Free
  parameter Integer priority = 0;
  Flange f;
  Real phi;
equation
  Connections.potentialRoot(f.d, priority);
  if Connections.isRoot(f.d) then
    f.d.c = cos(phi);
    f.d.s = sin(phi);
  else
    phi = 0;
  end if;
  f.t = 0;
end Free;

// Only the connection that closes the loop is broken.
//! Loop
//=   record Direction
//=     Real c;
//=     Real s;
//=   end Direction;
//=   function 'Direction.equalityConstraint'
//=     input Direction a;
//=     input Direction b;
//=     output Real[1] residue;
//=   algorithm
//=     residue := {a.c * b.s - a.s * b.c};
//=   end 'Direction.equalityConstraint';
//=   Real 'fixed_.f.d.c';
//=   Real 'fixed_.f.d.s';
//=   Real 'fixed_.f.t';
//=   Real 'x.a.d.c';
//=   Real 'x.a.d.s';
//=   Real 'x.a.t';
//=   Real 'x.b.d.c';
//=   Real 'x.b.d.s';
//=   Real 'x.b.t';
//=   Boolean 'x.a_first' = true;
//= equation
//=   'fixed_.f.d.c' = 1.0;
//=   'fixed_.f.d.s' = 0.0;
//=   'x.b.d.c' = 'x.a.d.c';
//=   'x.b.d.s' = 'x.a.d.s';
//=   'x.a.t' + 'x.b.t' = 0.0;
//=   ('Direction.equalityConstraint'(Direction('x.b.d.c', 'x.b.d.s'), Direction('fixed_.f.d.c', 'fixed_.f.d.s')))[1] = 0.0;
//=   'fixed_.f.d.c' = 'x.a.d.c';
//=   'fixed_.f.d.s' = 'x.a.d.s';
//=   'fixed_.f.t' + 'x.a.t' + 'x.b.t' = 0.0;
model Loop
  Fixed fixed_;
  Bar x;
equation
  connect(fixed_.f, x.a);
  connect(x.b, fixed_.f);
end Loop;

// The potential root of least priority is the root where there is no definite one.
//! Potential
//=   final parameter Integer 'p.priority' = 5;
//=   Real 'p.f.d.c';
//=   Real 'p.f.d.s';
//=   Real 'p.f.t';
//=   Real 'p.phi';
//=   final parameter Integer 'q.priority' = 3;
//=   Real 'q.f.d.c';
//=   Real 'q.f.d.s';
//=   Real 'q.f.t';
//=   Real 'q.phi';
//= equation
//=   'p.phi' = 0.0;
//=   'p.f.t' = 0.0;
//=   'q.f.d.c' = cos('q.phi');
//=   'q.f.d.s' = sin('q.phi');
//=   'q.f.t' = 0.0;
//=   'p.f.d.c' = 'q.f.d.c';
//=   'p.f.d.s' = 'q.f.d.s';
//=   'p.f.t' + 'q.f.t' = 0.0;
model Potential
  Free p(priority = 5), q(priority = 3);
equation
  connect(p.f, q.f);
end Potential;

// Which end of a branch is nearer to the root depends on how it is built in.
//! Backwards
//=   Real 'r.f.d.c';
//=   Real 'r.f.d.s';
//=   Real 'r.f.t';
//=   Real 'x.a.d.c';
//=   Real 'x.a.d.s';
//=   Real 'x.a.t';
//=   Real 'x.b.d.c';
//=   Real 'x.b.d.s';
//=   Real 'x.b.t';
//=   Boolean 'x.a_first' = false;
//= equation
//=   'r.f.d.c' = 1.0;
//=   'r.f.d.s' = 0.0;
//=   'x.b.d.c' = 'x.a.d.c';
//=   'x.b.d.s' = 'x.a.d.s';
//=   'x.a.t' + 'x.b.t' = 0.0;
//=   'r.f.d.c' = 'x.b.d.c';
//=   'r.f.d.s' = 'x.b.d.s';
//=   'r.f.t' + 'x.b.t' = 0.0;
//=   'x.a.t' = 0.0;
model Backwards
  Fixed r;
  Bar x;
equation
  connect(x.b, r.f);
end Backwards;

// Two definite roots: the second connection is broken.
//! TwoRoots balanced 13
model TwoRoots
  Fixed a, b;
  Bar x;
equation
  connect(a.f, x.a);
  connect(x.b, b.f);
end TwoRoots;

//! NoRoot E0721
model NoRoot
  Bar x, y;
equation
  connect(x.b, y.a);
end NoRoot;

//! BranchLoop E0721
model BranchLoop
  Fixed r;
  Bar x;
  Bar y;
equation
  connect(r.f, x.a);
  Connections.branch(x.b.d, y.a.d);
  Connections.branch(y.a.d, x.a.d);
  x.b.d = y.a.d;
end BranchLoop;

//! NotOverconstrained E0721
model NotOverconstrained
  Fixed r;
equation
  Connections.root(r.f);
end NotOverconstrained;

//! NoOperator E0401
model NoOperator
  Fixed r;
equation
  Connections.brunch(r.f.d, r.f.d);
end NoOperator;

//! Missing E0504
model Missing
  Fixed r;
equation
  Connections.branch(r.f.d);
end Missing;

// A type may have the constraint, for arrays of it, too. Without results it is called for its assertions.
type Angle
  extends Real(unit = "rad");
  function equalityConstraint
    input Angle a[:];
    input Angle b[:];
    output Real residue[0];
  algorithm
    for i in 1:size(a, 1) loop
      assert(abs(a[i] - b[i]) < 1e-6, "the angles differ");
    end for;
  end equalityConstraint;
end Angle;
connector AngleTerminal
  Real v;
  flow Real i;
  Angle theta[2];
end AngleTerminal;
model AngleSource
  AngleTerminal t;
equation
  Connections.potentialRoot(t.theta);
  if Connections.isRoot(t.theta) then
    t.theta = {time, 0};
  end if;
  t.v = 1;
end AngleSource;
model AngleLine
  AngleTerminal p, n;
equation
  Connections.branch(p.theta, n.theta);
  p.theta = n.theta;
  p.i + n.i = 0;
  p.v - n.v = p.i;
end AngleLine;

//! TypeOneRoot balanced 16
model TypeOneRoot
  AngleSource a, b;
  AngleLine r;
equation
  connect(a.t, r.p);
  connect(r.n, b.t);
end TypeOneRoot;

//! TypeLoop
//+   'Angle.equalityConstraint'({'r.n.theta[1]', 'r.n.theta[2]'}, {'s.n.theta[1]', 's.n.theta[2]'});
model TypeLoop
  AngleSource a;
  AngleLine r, s;
equation
  connect(a.t, r.p);
  connect(a.t, s.p);
  connect(r.n, s.n);
end TypeLoop;

//! TypeWithoutConstraint E0721
//~ a record or type of a connector
model TypeWithoutConstraint
  connector C
    Real v;
    flow Real i;
  end C;
  C c;
equation
  Connections.root(c.v);
end TypeWithoutConstraint;
