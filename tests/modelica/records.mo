// Sizes and values of records: by members, by functions that return them, by constructors, by modifiers on
// several levels (specification 7.2.5, 12.4.4, 12.6).

record Mat
  parameter Real x;
  parameter Real c;
  parameter Real d;
  parameter Integer nSta = max(1, integer(ceil(nReal)));
  parameter Boolean steady = c < 1e-9;
  parameter Real nReal = if steady then 1 else x*c;
end Mat;
record Gen = Mat;
record Conc = Mat(c = 10, d = 1);
record Layers
  parameter Integer nLay;
  parameter Mat material[nLay];
  parameter Integer nSta[nLay] = material.nSta;
end Layers;
model Multi
  parameter Layers layers;
  Real T[sum(layers.nSta)];
equation
  T = fill(time, sum(layers.nSta));
end Multi;

// A default of a member is calculated from the members of the call.
//! ConstructorDefaults balanced 5
model ConstructorDefaults
  parameter Layers l(nLay = 2, material = {Gen(x = 0.1, c = 30, d = 1), Conc(x = 0.2)});
  Multi m(layers = l);
end ConstructorDefaults;

//! ConstructorInModifier balanced 5
model ConstructorInModifier
  Multi m(layers(nLay = 2, material = {Gen(x = 0.1, c = 30, d = 1), Conc(x = 0.2)}));
end ConstructorInModifier;

//! ConstructorDefaultGiven balanced 4
model ConstructorDefaultGiven
  parameter Mat a = Gen(x = 0.5, c = 10, d = 1, nSta = 4);
  Real y[a.nSta] = fill(time, a.nSta);
end ConstructorDefaultGiven;

//! ConstructorNested
//+   parameter Real 'b.twice' = 6.0;
model ConstructorNested
  record In
    Real k;
  end In;
  record Out
    In one;
    Real twice = 2*one.k;
  end Out;
  parameter Out b = Out(one = In(3));
end ConstructorNested;

//! ConstructorDefaultsInCircle E0602
model ConstructorDefaultsInCircle
  record R
    Real a = b;
    Real b = a;
  end R;
  R r = R();
end ConstructorDefaultsInCircle;

// Sizes of a record that a function returns.
record Curve
  parameter Real y[:];
  parameter Real eta[size(y, 1)];
end Curve;
function curve
  input Real P;
  output Curve e(y = {0, 0.5, 1}, eta = {0, 0, 0});
algorithm
  e.eta := {P, P, P};
end curve;
function otherCurve
  input Real P;
  output Curve e;
algorithm
  e.y := {0, 0.5};
  e.eta := {P, P};
end otherCurve;

//! SizesFromModifiers
//+   parameter Real 'e.eta[3]'
model SizesFromModifiers
  parameter Real P = 2;
  final parameter Curve e = curve(P);
  Real x = e.eta[1]*time;
end SizesFromModifiers;

//! SizesFromStatements
//+   parameter Real 'e.eta[2]'
model SizesFromStatements
  parameter Real P = 2;
  final parameter Curve e = otherCurve(P);
  Real x = e.eta[1]*time;
end SizesFromStatements;

//! SizesOfVariable E0604
model SizesOfVariable
  Curve e = otherCurve(time);
end SizesOfVariable;

record Sized
  parameter Integer n;
  Real L[n];
  Real M[n, n];
end Sized;
function sized
  input Real x[:];
  output Sized c(n = m);
protected
  parameter Integer m = size(x, 1);
algorithm
  c.L := 2*x;
  c.M := ones(m, m);
end sized;

//! SizesByMember
//+   parameter Real 'L[2]' = 'c.L[2]';
model SizesByMember
  final parameter Sized c = sized({3, 4});
  parameter Real L[c.n] = c.L;
end SizesByMember;

// A value for the whole record and modifiers of members: of the outermost record the strongest one decides.
record Points
  parameter Real v[:];
end Points;
record Data
  parameter Points p(v = {0, 0});
end Data;
record Data3
  extends Data(p(v = {1, 2, 3}));
end Data3;
model Inside
  parameter Data per;
  Real x[size(per.p.v, 1)] = per.p.v*time;
end Inside;

//! WholeBeatsDefault balanced 3
model WholeBeatsDefault
  model Around
    parameter Data per;
    Inside i(per(final p = per.p));
  end Around;
  Around c(per(p(v = {1, 2, 3})));
end WholeBeatsDefault;

//! WholeOfModifiedRecord balanced 4
model WholeOfModifiedRecord
  parameter Data q(p(v = {4, 5, 6, 7}));
  Inside i(per = q);
end WholeOfModifiedRecord;

//! WholeOfDerivedRecord balanced 3
model WholeOfDerivedRecord
  parameter Data3 q;
  Inside i(per = q);
end WholeOfDerivedRecord;

//! ConstructorBeatsExtends
//+   parameter Real 'per.p.v[1]' = 9.0;
model ConstructorBeatsExtends
  parameter Data3 per = Data(p = Points(v = {9}));
end ConstructorBeatsExtends;

//! MemberBesidesWhole
//+   parameter Real 'per.p.v[3]' = 6.0;
model MemberBesidesWhole
  parameter Data q;
  parameter Data per(p(v = {4, 5, 6})) = q;
end MemberBesidesWhole;

// Enumerations are of one type if they have the same literals (6.4).
//! EnumerationsAlike ok
model EnumerationsAlike
  type A = enumeration(P, PI);
  type B = enumeration(P, PI);
  model C
    parameter A a = A.P;
    Real x = if a == A.P then time else 0;
  end C;
  parameter B b = B.PI;
  C c(a = b);
end EnumerationsAlike;

//! EnumerationsOtherOrder E0501
model EnumerationsOtherOrder
  type A = enumeration(P, PI);
  type B = enumeration(PI, P);
  parameter B b = B.PI;
  parameter A a = b;
end EnumerationsOtherOrder;

function firstOf
  input Integer n;
  input EnumerationsTwo e[:];
  output Integer y;
protected
  EnumerationsTwo k[2*n];
algorithm
  k := cat(1, {e[i] for i in 1:n}, fill(EnumerationsTwo.b, n));
  y := 10*Integer(k[1]) + Integer(k[2*n]);
end firstOf;
type EnumerationsTwo = enumeration(a, b);

//! EnumerationsInFunction
//+   parameter Integer y = 12;
model EnumerationsInFunction
  constant Integer c = firstOf(2, {EnumerationsTwo.a, EnumerationsTwo.b});
  parameter Integer y = c;
end EnumerationsInFunction;

// Branches of other sizes are left out where the condition is known; empty comprehensions keep their sizes.
//! BranchInFunction balanced 3
model BranchInFunction
  package P
    constant Integer nX = 2;
    constant Boolean reducedX = false;
    record S
      Real X[nX];
    end S;
    function g
      input S s;
      output Real X[nX];
    algorithm
      X := if reducedX then cat(1, s.X, {1 - sum(s.X)}) else s.X;
    end g;
    function h
      input Real X[nX];
      output Real y;
    protected
      Real Xf[nX] = if size(X, 1) == nX then X else cat(1, X, {1 - sum(X)});
    algorithm
      y := Xf[nX];
    end h;
  end P;
  Real a[2] = P.g(P.S({time, 1}));
  Real b = P.h({time, 0});
end BranchInFunction;

//! BranchOpen E0501
model BranchOpen
  function f
    input Boolean b;
    output Real y[2];
  algorithm
    y := if b then {1, 2, 3} else {1, 2};
  end f;
  Real x[2] = f(time > 1);
end BranchOpen;

//! ComprehensionOfNothing ok
model ComprehensionOfNothing
  parameter Integer n = 0;
  parameter Real a[n, 3] = {{0, 0, 0} for i in 1:n};
  parameter Real b[n, 3, 2] = {{{i, k} for k in 1:3} for i in 1:n};
  Real x = time;
end ComprehensionOfNothing;

// Element by element an operator is that of the elements, even where the record has one for vectors.
operator record Pair
  Real re;
  Real im;
  encapsulated operator '*'
    import Pair;
    function multiply
      input Pair a;
      input Pair b;
      output Pair c;
    algorithm
      c := Pair(a.re*b.re, a.im*b.im);
    end multiply;
    function scalarProduct
      input Pair a[:];
      input Pair b[:];
      output Pair c;
    algorithm
      c := a[1];
    end scalarProduct;
  end '*';
end Pair;

//! ProductOfElements balanced 8
model ProductOfElements
  Pair v[2] = {Pair(k, time) for k in 1:2};
  Pair s[2] = v .* v;
end ProductOfElements;
