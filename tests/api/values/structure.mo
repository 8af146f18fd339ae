// What classes are made of: redeclarations, breaks, expandable connectors, records at the top.
package structure
  connector RI = input Real;
  connector RO = output Real;
  model Base
    Real x = 1;
    Real z = 2;
  end Base;
  //! BreakAndNew x=5 z=2
  model BreakAndNew
    extends Base(break x);
    parameter Integer x = 5;
  end BreakAndNew;
  partial block Gain
    replaceable input Real u;
    replaceable output Real y;
  end Gain;
  type Voltage = Real(unit = "V");
  block Twice
    extends Gain(redeclare Voltage u, redeclare Voltage y);
  equation
    y = 2 * u;
  end Twice;
  block Thrice
    extends Gain;
    redeclare Voltage u;
  equation
    y = 3 * u;
  end Thrice;
  //! KeptPrefixes a=2 b=3
  model KeptPrefixes
    Twice twice(u = time);
    Thrice thrice(u = time);
    Real a = twice.y, b = thrice.y;
  end KeptPrefixes;
  //! TopInput u=0 y=0
  block TopInput
    extends Twice;
  end TopInput;
  partial package AnyKind
    replaceable type T = enumeration(:);
  end AnyKind;
  package Kinds
    extends AnyKind(redeclare type T = enumeration(a, b, c));
  end Kinds;
  //! OpenEnumeration i=2
  model OpenEnumeration
    Kinds.T t = Kinds.T.b;
    Integer i = Integer(t);
  end OpenEnumeration;
  model Loop
    replaceable type E = enumeration(:);
    Real v[E];
  equation
    for k in E loop
      v[k] = Integer(k);
    end for;
  end Loop;
  //! OpenEnumerationLoop v[1]=1 v[2]=2
  model OpenEnumerationLoop
    extends Loop(redeclare type E = enumeration(one, two));
  end OpenEnumerationLoop;
  record Signals
    Real a;
    Real b[2];
    Integer i;
  end Signals;
  //! RecordInput y.a=1 y.b[2]=0 y.i=0
  block RecordInput
    input Signals u;
    output Signals y;
  equation
    y.a = u.a + time;
    y.b = 2 * u.b;
    y.i = u.i;
  end RecordInput;
  expandable connector Bus
    Real x[:];
  end Bus;
  block Source
    parameter Real k = 1;
    RO y = k * time;
  end Source;
  block Sink
    RI u;
    Real z = u;
  end Sink;
  //! BusOfScalars k1.z=1 k2.z=7
  model BusOfScalars
    Bus b;
    Source s1, s2(k = 7);
    Sink k1, k2;
  equation
    connect(s1.y, b.x[1]);
    connect(s2.y, b.x[2]);
    connect(b.x[1], k1.u);
    connect(b.x[2], k2.u);
  end BusOfScalars;
  block Three
    RO y[3] = {1, 2, 3};
  end Three;
  //! BusOfVector k.z=2
  model BusOfVector
    Bus b;
    Three s;
    Sink k;
  equation
    connect(s.y, b.x);
    connect(b.x[2], k.u);
  end BusOfVector;
  expandable connector Empty
  end Empty;
  model Out
    Empty d;
    Source s(k = 5);
  equation
    connect(s.y, d.m);
  end Out;
  model In
    Empty d;
    Sink k;
  equation
    connect(d.m, k.u);
  end In;
  //! BusFromSink b.k.z=5
  model BusFromSink
    Out a;
    In b;
  equation
    connect(b.d, a.d);
  end BusFromSink;
  //! BusToNothing x=1
  model BusToNothing
    Empty bus;
    Sink k if false;
    Real x = time;
  equation
    connect(bus.h, k.u);
  end BusToNothing;
  record Sized
    parameter Integer n = 2;
    parameter Real v[n] = fill(1.0, n);
  end Sized;
  //! SizedByArgument y[3]=3
  model SizedByArgument
    parameter Sized q = Sized(n = 3, v = {1, 2, 3});
    Real y[q.n] = q.v * time;
  end SizedByArgument;
  //! GlobalClock x=64
  model GlobalClock
    Real x(start = 1);
  equation
    when .Clock(0.2) then
      x = previous(x) * 2;
    end when;
  end GlobalClock;
  function step
    input Real u;
    output Integer y;
  algorithm
    y := if u > 0.5 then 2 else 1;
  end step;
  //! IntegerCopies j=1 k=1
  model IntegerCopies "what a function gives is asked for at events"
    Integer i, j, k;
  equation
    i = step(0.3 * time);
    j = i;
    i = k;
  end IntegerCopies;
end structure;
