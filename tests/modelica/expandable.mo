// Expandable connectors (specification 9.1.3).

connector RealInput = input Real;
connector RealOutput = output Real;
connector Pin
  Real v;
  flow Real i;
end Pin;
expandable connector Bus
end Bus;
expandable connector DeclaredBus
  Real speed;
  Real unused;
  Bus sub;
end DeclaredBus;
block Source
  RealOutput y = time;
end Source;
block Sink
  RealInput u;
end Sink;

//! Member
//=   Real 'bus.speed';
//=   Real 'source.y' = time;
//=   Real 'sink.u';
//= equation
//=   'bus.speed' = 'source.y';
//=   'bus.speed' = 'sink.u';
model Member
  Bus bus;
  Source source;
  Sink sink;
equation
  connect(source.y, bus.speed);
  connect(bus.speed, sink.u);
end Member;

//! Unused
//=   Real 'bus.speed';
//=   Real 'source.y' = time;
//= equation
//=   'bus.speed' = 'source.y';
model Unused
  DeclaredBus bus;
  Source source;
equation
  connect(source.y, bus.speed);
end Unused;

// Both have the member, though only one of them is connected to something that has a type.
//! Through
//=   Real 'inner_.bus.speed';
//=   Real 'inner_.sink.u';
//=   Real 'bus.speed';
//=   Real 'source.y' = time;
//= equation
//=   'inner_.bus.speed' = 'bus.speed';
//=   'inner_.bus.speed' = 'source.y';
//=   'inner_.bus.speed' = 'inner_.sink.u';
model Through
  model Inside
    Bus bus;
    Sink sink;
  equation
    connect(bus.speed, sink.u);
  end Inside;
  Inside inner_;
  Bus bus;
  Source source;
equation
  connect(inner_.bus, bus);
  connect(bus.speed, source.y);
end Through;

//! Nested
//=   Real 'a.sub.x';
//=   Real 'b.sub.x';
//=   Real 'source.y' = time;
//=   Real 'sink.u';
//= equation
//=   'a.sub.x' = 'b.sub.x';
//=   'a.sub.x' = 'source.y';
//=   'a.sub.x' = 'sink.u';
model Nested
  DeclaredBus a;
  Bus b;
  Source source;
  Sink sink;
equation
  connect(a, b);
  connect(a.sub.x, source.y);
  connect(b.sub.x, sink.u);
end Nested;

// The largest subscript is the size.
//! Elements
//=   Real 'bus.v[1]';
//=   Real 'bus.v[2]';
//=   Real 'a.y' = time;
//=   Real 'b.y' = time;
//= equation
//=   'bus.v[1]' = 'b.y';
//=   'bus.v[2]' = 'a.y';
model Elements
  Bus bus;
  Source a, b;
equation
  connect(bus.v[2], a.y);
  connect(bus.v[1], b.y);
end Elements;

//! Whole
//=   Real 'bus.v[1]';
//=   Real 'bus.v[2]';
//=   Real 'a[1].y' = time;
//=   Real 'a[2].y' = time;
//= equation
//=   'bus.v[1]' = 'a[1].y';
//=   'bus.v[2]' = 'a[2].y';
model Whole
  Bus bus;
  Source a[2];
equation
  connect(bus.v, a.y);
end Whole;

//! Flow
//=   Real 'bus.pin.v';
//=   Real 'bus.pin.i';
//=   Real 'p.pin.v';
//=   Real 'p.pin.i';
//=   Real 'q.pin.v';
//=   Real 'q.pin.i';
//= equation
//=   'p.pin.v' = 1.0;
//=   'q.pin.v' = 1.0;
//=   'bus.pin.v' = 'p.pin.v';
//=   'bus.pin.v' = 'q.pin.v';
//=   'bus.pin.i' = 0.0;
//=   -'bus.pin.i' + 'p.pin.i' + 'q.pin.i' = 0.0;
model Flow
  model Part
    Pin pin;
  equation
    pin.v = 1;
  end Part;
  Bus bus;
  Part p, q;
equation
  connect(bus.pin, p.pin);
  connect(bus.pin, q.pin);
end Flow;

//! BusArray
//=   Real 'bus[1].x';
//=   Real 'bus[2].x';
//=   Real 'other[1].x';
//=   Real 'other[2].x';
//=   Real 'source.y' = time;
//= equation
//=   'bus[1].x' = 'bus[2].x';
//=   'bus[1].x' = 'other[1].x';
//=   'bus[1].x' = 'other[2].x';
//=   'bus[1].x' = 'source.y';
model BusArray
  Bus bus[2], other[2];
  Source source;
equation
  connect(bus, other);
  for i in 1:2 loop
    connect(bus[i].x, source.y);
  end for;
end BusArray;

//! NoType E0720
model NoType
  Bus a, b;
equation
  connect(a.x, b.x);
end NoType;

//! NotExpandable E0720 E0702
model NotExpandable
  Bus a;
  Pin p;
equation
  connect(a, p);
end NotExpandable;

//! NotConnected E0507
model NotConnected
  DeclaredBus bus;
  Real x = bus.unused;
end NotConnected;

// What equations use of a bus that is connected with another one is there on both sides.
package Used
  expandable connector Props
    Real load;
    Real unused;
  end Props;
  model Wall
    Props props;
  equation
    props.load = time;
  end Wall;
  model Room
    Props props[2];
    Real sum_of_loads = sum(props.load);
  end Room;
end Used;

//! MembersOfEquations balanced 5
model MembersOfEquations
  Used.Wall a, b;
  Used.Room room;
equation
  connect(a.props, room.props[1]);
  connect(b.props, room.props[2]);
end MembersOfEquations;

// A connection of a slice is about the member of each bus.
package Slices
  expandable connector Open
  end Open;
  model Reader
    Open bus[3];
    Real v[3];
  equation
    connect(v, bus[1:3].x);
  end Reader;
  model Giver
    Open bus;
    Real x = time;
  equation
    connect(x, bus.x);
  end Giver;
end Slices;

//! SlicesOfBuses E0701 E0701
//~ warning[E0701]
model SlicesOfBuses
  Slices.Giver g[3];
  Slices.Reader r;
equation
  connect(g.bus, r.bus);
end SlicesOfBuses;
