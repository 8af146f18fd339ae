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
