// Rules that libraries break and other tools let pass: warnings, and errors with --strict=language. docs/language.md
// has their table.

//! IconOfPackage.P.M E0453
//@ 7.1.3 A class extends one of another kind, which holds annotations only
//~ warning[E0453]
package IconOfPackage
  partial model Icon
    annotation(Icon(graphics={}));
  end Icon;
  package P
    extends Icon;
    model M
      Real x = time;
    end M;
  end P;
end IconOfPackage;

//! RedeclaredTwice E0409
//@ 7.3 What a redeclaration made, without saying replaceable, is redeclared again
//~ warning[E0409]
model RedeclaredTwice
  model A
    Real x = 1;
  end A;
  model B
    Real x = 2;
  end B;
  model C
    replaceable model X = A;
    X x;
  end C;
  model D
    C c(redeclare model X = B);
  end D;
  D d(c(redeclare model X = A));
end RedeclaredTwice;

//! MissingInner E0412
//@ 5.4 An inner component is missing: it is made, with the values of its class
//~ warning[E0412]
model MissingInner
  model World
    parameter Real g = 9.81;
  end World;
  model Body
    outer World world;
    Real x = world.g*time;
  end Body;
  Body body;
end MissingInner;

//! InputParameter E0454
//@ 4.4.2 A parameter is an input as well
//~ warning[E0454]
block InputParameter
  parameter input Integer n = 2;
  output Real y = n*time;
end InputParameter;

//! NamedTime E0457
//@ 2.3.3 A component is called time, which is a keyword since 3.7
//~ warning[E0457]
model NamedTime
  Real time = 1;
end NamedTime;

//! TypeOfModel E0458
//@ 5.3.2 A class, or a constant, is looked up in a class that is no package, and is not encapsulated
//~ warning[E0458]
model TypeOfModel
  model Tank
    type Level = Real(unit = "m");
    Level h = 1;
  end Tank;
  Tank.Level h = 2;
end TypeOfModel;

//! ConstantOfPartial E0458
//@ 5.3.2 A constant, or a function, is looked up in a partial package
//~ warning[E0458]
model ConstantOfPartial
  partial package Base
    constant Real k = 2;
  end Base;
  Real x = Base.k*time;
end ConstantOfPartial;

//! ReplaceableElsewhere E0459
//@ 7.1.4 A class of a package elsewhere is extended, which is replaceable there
//~ warning[E0459]
model ReplaceableElsewhere
  package Data
    replaceable record Gas
      Real m = 1;
    end Gas;
  end Data;
  model Use
    record Oxygen
      extends Data.Gas(m = 2);
    end Oxygen;
    Oxygen o;
  end Use;
  Use use;
end ReplaceableElsewhere;

//! WhenInForLoop E0740
//@ 11.2.7 A when-statement stands in a for loop of an algorithm
//~ warning[E0740]
model WhenInForLoop
  discrete Real x(start = 0);
algorithm
  for i in 1:2 loop
    when time > i then
      x := i;
    end when;
  end for;
end WhenInForLoop;
