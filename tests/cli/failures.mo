package failures "Most of these fail while they run, or warn."
  model Log
    Real x(start=1,fixed=true), y;
  equation
    der(x) = -1;
    y = log(x);
  end Log;

  model Sqrt
    Real x(start=1,fixed=true), y;
  equation
    der(x) = -2 + 0*y;
    y = sqrt(x - 0.3);
  end Sqrt;
  model Zero
    parameter Real p = 0;
    Real y = 1/p;
  end Zero;
  model Swallowed
    parameter Real p = 0;
    Real x(start=1, fixed=true);
  equation
    der(x) = -x/(1 + 1/p);
  end Swallowed;
  model Parameter
    parameter Real p = 0;
    parameter Real q = 1/p;
    Real y = 1/q;
  end Parameter;
  model Guarded "divides by nothing that is zero"
    parameter Real p = 0;
    parameter Real q = if p > 0 then 1/p else 2;
    Real x(start=1, fixed=true);
  equation
    der(x) = if p > 0 then -x/p else -q*x;
  end Guarded;
  model ZeroState
    Real x(start=0, fixed=true), y;
  equation
    der(x) = 1;
    y = 1/x;
  end ZeroState;
  model Plain "an external function without a derivative, where the index is reduced"
    class Table
      extends ExternalObject;
      function constructor
        input Real points[:, :];
        input Integer columns[:];
        output Table table;
        external "C" table = ModelicaStandardTables_CombiTable1D_init3("NoName", "NoName", points, size(points, 1), size(points, 2), columns, size(columns, 1), 1, 2, false, ",", 0);
      end constructor;
      function destructor
        input Table table;
        external "C" ModelicaStandardTables_CombiTable1D_close(table);
      end destructor;
    end Table;
    function look
      input Table table;
      input Real u;
      output Real y;
      external "C" y = ModelicaStandardTables_CombiTable1D_getValue(table, 1, u);
    end look;
    Table table = Table([0, 0; 2, 4], {2});
    Real x, y;
  equation
    x = look(table, time);
    der(x) = y;
  end Plain;
  model Assert
    Real x(start=1,fixed=true);
  equation
    der(x) = -1;
    assert(x > 0.5, "x is too small: " + String(x));
  end Assert;
  model Warn
    Real x(start=1,fixed=true);
  equation
    der(x) = -1;
    assert(x > 0.5, "x is small: " + String(x, significantDigits=3), AssertionLevel.warning);
  end Warn;
  model InFunction
    function g input Real x; output Real y; algorithm assert(x > 0.25, "g(" + String(x, significantDigits=2) + ")"); y := x^2; end g;
    Real x(start=1,fixed=true);
  equation
    der(x) = -g(x) - 1;
  end InFunction;
  model Loop
    Real x(start=1, fixed=true), z(start=1);
  equation
    der(x) = -1;
    z^2 + exp(z) = 2*x - 1.5;
  end Loop;
  model Index
    function pick
      input Real v[:]; input Integer k; output Real y;
    algorithm
      y := v[k];
    end pick;
    Real y = pick({1, 2, 3}, integer(1 + 10*time));
  end Index;

  model Domain "a function of numbers gives none, inside of a loop"
    Real x(start=1, fixed=true), z(start=1);
  equation
    der(x) = -1;
    z + log(z - 0.5 + x - x) = x + log(x - 1.5);
  end Domain;

  model Reinit "an event sets a state to what is no number"
    Real x(start=1, fixed=true), v(start=0, fixed=true);
  equation
    der(x) = -1;
    der(v) = x;
    when x < 0.5 then
      reinit(v, sqrt(x - 1));
    end when;
  end Reinit;
  model ReinitInfinite "the same with infinity, from a function of the library"
    Real x(start=1, fixed=true), v(start=0, fixed=true);
  equation
    der(x) = -1;
    der(v) = x;
    when x < 0.5 then
      reinit(v, exp(2000*pre(x)));
    end when;
  end ReinitInfinite;

  model Whole "an unknown that only a whole number shows: nothing to differentiate"
    Real x(start = 1), z;
  equation
    floor(x) = time;
    z = der(x);
  end Whole;

  model Constant "a division that no parameter can mend"
    constant Real c = 1 - 1;
    Real y = 1 + time/c;
  end Constant;

  model InBlock "a parameter that is zero, in equations that are solved together"
    parameter Real p = 0;
    Real x(start = 1, fixed = true), y, z;
  equation
    der(x) = -y;
    y + z = x;
    y - z*(1/p) = 2;
  end InBlock;
end failures;
