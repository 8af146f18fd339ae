// Rules that libraries break and that are told as warnings (specification 4.7, 5.4, 7.1.3, 7.3), and what comes close
// to them and stays wrong.

model One
  Real x = 1;
end One;
model Two
  Real x = 2;
end Two;
model Holder
  replaceable model X = One;
  X x;
end Holder;

//! RedeclaredAgain E0409
//~ warning[E0409]: 'X' has been redeclared without 'replaceable' before
model RedeclaredAgain
  model Middle
    Holder c(redeclare model X = Two);
  end Middle;
  Middle d(c(redeclare model X = One));
end RedeclaredAgain;

//! NeverReplaceable E0409
//~ error[E0409]: 'X' is not replaceable
model NeverReplaceable
  model Fixed
    model X = One;
    X x;
  end Fixed;
  Fixed f(redeclare model X = Two);
end NeverReplaceable;

// What a constraining clause says is for all that may stand there, less strong than what a redeclaration says.
model Gained
  parameter Real k = 1;
  Real x = k*time;
end Gained;
model Constrained
  replaceable model M = Gained constrainedby Gained(k = 2);
  M m;
end Constrained;

//! ConstraintHoldsByItself
//=   parameter Real 'm.k' = 2.0;
//=   Real 'm.x' = 'm.k' * time;
model ConstraintHoldsByItself
  extends Constrained;
end ConstraintHoldsByItself;

//! ConstraintHoldsForOthers
//+   parameter Real 'c.m.k' = 2.0;
model ConstraintHoldsForOthers
  Constrained c(redeclare model M = Gained);
end ConstraintHoldsForOthers;

//! RedeclarationIsStronger
//+   parameter Real 'c.m.k' = 3.0;
model RedeclarationIsStronger
  Constrained c(redeclare model M = Gained(k = 3));
end RedeclarationIsStronger;

//! ComponentIsStrongest
//+   parameter Real 'c.m.k' = 5.0;
model ComponentIsStrongest
  Constrained c(redeclare model M = Gained(k = 3), m(k = 5));
end ComponentIsStrongest;

//! ConstraintOfComponent
//+   parameter Real 'p.k' = 7.0;
model ConstraintOfComponent
  replaceable Gained p constrainedby Gained(k = 7);
end ConstraintOfComponent;

// A redeclaration in a constraining clause and one in what takes the place do not exclude each other.
package Fluids
  partial package PM
    constant Real c;
  end PM;
  package Med
    extends PM(c = 2);
  end Med;
  partial function pf
    replaceable package Medium = PM;
    input Real x;
    output Real y;
  end pf;
  function f
    extends pf;
  algorithm
    y := Medium.c*x;
  end f;
  partial model Base
    replaceable package Medium = PM;
    replaceable function g = f constrainedby pf(redeclare package Medium = Medium);
    Real y = g(time);
  end Base;
  model Comp
    extends Base(redeclare function g = h);
    replaceable function h = f constrainedby pf(redeclare package Medium = Medium);
  end Comp;
end Fluids;

//! ConstraintRedeclares
//+   y := 2.0 * x;
//+   Real 'c.y' =
model ConstraintRedeclares
  Fluids.Comp c(redeclare package Medium = Fluids.Med, redeclare function h = Fluids.f);
end ConstraintRedeclares;

// A declaration's own modifier carries over to what takes its place, which has redeclared that already.
package Phases
  package PS0
    constant Integer n = 1;
  end PS0;
  package PS2
    extends PS0(n = 2);
  end PS2;
  connector Term
    replaceable package PS = PS0;
    Real v[PS.n];
    flow Real i[PS.n];
  end Term;
  connector Term_p
    extends Term(redeclare package PS = PS2);
  end Term_p;
  partial model Source
    replaceable package PS = PS0;
    replaceable Term terminal(redeclare final replaceable package PS = PS);
  end Source;
  model V
    extends Source(redeclare package PS = PS2, redeclare Term_p terminal);
  equation
    terminal.v = {1, 2};
  end V;
end Phases;

//! DeclarationRedeclares E0409
//~ warning[E0409]
model DeclarationRedeclares
  Phases.V v;
end DeclarationRedeclares;

// Icons.
package Icons
  partial model Framed
    annotation(Icon(graphics = {}));
  end Framed;
  model Deeper
    extends Framed;
  end Deeper;
  package Package
    extends Deeper;
    model M
      Real x = time;
    end M;
  end Package;
  function f
    extends Framed;
    input Real u;
    output Real y = 2*u;
  end f;
  record R
    extends Framed;
    Real x;
  end R;
  package WithContent
    extends One;
    model M
      Real x = time;
    end M;
  end WithContent;
end Icons;

//! PackageWithIcon E0453
//~ warning[E0453]: a package cannot extend 'Deeper', which is a model
model PackageWithIcon
  extends Icons.Package.M;
end PackageWithIcon;

//! FunctionWithIcon E0453
//~ warning[E0453]
model FunctionWithIcon
  Real x = Icons.f(time);
end FunctionWithIcon;

//! RecordWithIcon E0453
//~ warning[E0453]
model RecordWithIcon
  Icons.R r(x = time);
end RecordWithIcon;

//! PackageWithContent E0453
//~ error[E0453]
model PackageWithContent
  extends Icons.WithContent.M;
end PackageWithContent;

// An inner component that nobody declared is made (5.4), where its class allows that.
model World
  parameter Real g = 9.81;
  Real t = time;
  annotation(missingInnerMessage = "no world: the default one is used");
end World;
model Falling
  outer World world;
  Real x = world.g*world.t;
end Falling;

//! InnerIsMade E0412
//~ warning[E0412]: there is no 'inner world'
//~ no world: the default one is used
model InnerIsMade
  Falling a, b;
end InnerIsMade;

//! InnerIsMadeOnce E0412
model InnerIsMadeOnce
  model Deep
    Falling a;
  end Deep;
  Deep d[2];
  Falling c;
end InnerIsMadeOnce;

partial model SomeWorld
  parameter Real g = 9.81;
end SomeWorld;

//! InnerOfPartialClass E0412
//~ error[E0412]
model InnerOfPartialClass
  model Falling
    outer SomeWorld world;
    Real x = world.g*time;
  end Falling;
  Falling a;
end InnerOfPartialClass;

//! InnerNameIsTaken E0412
//~ error[E0412]
model InnerNameIsTaken
  Falling a;
  World world;
end InnerNameIsTaken;

//! InnerOfSimpleType E0412
//~ error[E0412]
model InnerOfSimpleType
  model A
    outer Real T;
    Real x = T;
  end A;
  A a;
end InnerOfSimpleType;
