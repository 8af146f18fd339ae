// External objects (specification 12.9.7): constructor and destructor stand in the class.

//! Object
//=   class Table
//=     extends ExternalObject;
//=     function destructor
//=       input Table table;
//=     external "C" closeTable(table);
//=     end destructor;
//=     function constructor
//=       input Real size;
//=       output Table table;
//=     external "C" table = openTable(size);
//=     end constructor;
//=   end Table;
//=   function look
//=     input Table table;
//=     input Real u;
//=     output Real y;
//=   external "C" y = lookTable(table, u);
//=   end look;
//=   parameter Table t = Table(3.0);
//=   Real x = look(t, time);
model Object
  class Table
    extends ExternalObject;
    function constructor
      input Real size;
      output Table table;
    external "C" table = openTable(size);
    end constructor;
    function destructor
      input Table table;
    external "C" closeTable(table);
    end destructor;
  end Table;
  function look
    input Table table;
    input Real u;
    output Real y;
  external "C" y = lookTable(table, u);
  end look;
  parameter Table t = Table(3);
  Real x = look(t, time);
end Object;

// Objects that connections and equations pass on: each use is bound to the one that is made.
package Passed
  class Handle
    extends ExternalObject;
    function constructor
      input Real x;
      output Handle h;
      external "C" h = make_handle(x);
    end constructor;
    function destructor
      input Handle h;
      external "C" free_handle(h);
    end destructor;
  end Handle;
  function value
    input Handle h;
    input Real t;
    output Real y;
    external "C" y = handle_value(h, t);
  end value;
  connector In
    input Handle h;
    input Real t;
  end In;
  connector Out
    output Handle h;
    output Real t;
  end Out;
  block Maker
    Out o(h = Handle(5));
  equation
    o.t = time;
  end Maker;
  block Pass
    In i;
    Out o[2];
  equation
    o.h = fill(i.h, 2);
    o.t = fill(i.t, 2);
  end Pass;
  block User
    In i;
    Real y = value(i.h, i.t);
  end User;
end Passed;

//! ObjectsThroughConnectors balanced 8
model ObjectsThroughConnectors
  Passed.Maker m;
  Passed.Pass p;
  Passed.User u, v;
equation
  connect(m.o, p.i);
  connect(p.o[1], u.i);
  connect(p.o[2], v.i);
end ObjectsThroughConnectors;

//! ObjectOfNobody E0455
//~ 'u.i.h' is an external object, and must be made in its declaration
model ObjectOfNobody
  Passed.User u;
equation
  u.i.t = time;
end ObjectOfNobody;

//! TwoObjectsConnected E0723 E0723 E0455
//~ 'm.o.h' and 'n.o.h' are connected, and each is an object of its own
model TwoObjectsConnected
  Passed.Maker m, n;
equation
  connect(m.o, n.o);
end TwoObjectsConnected;
