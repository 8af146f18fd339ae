// Units of equations (specification, chapter 19): warnings where both units are known and differ.

type Length = Real(unit = "m");
type Mass = Real(unit = "kg");
type Time = Real(unit = "s");
type Velocity = Real(unit = "m/s");
type Acceleration = Real(unit = "m/s2");
type Force = Real(unit = "N");
type Energy = Real(unit = "J");
type Torque = Real(unit = "N.m");

//! NewtonsLaw ok
model NewtonsLaw
  parameter Mass m = 2;
  Length s;
  Velocity v;
  Acceleration a;
  Force f = 3;
equation
  v = der(s);
  a = der(v);
  m * a = f;
end NewtonsLaw;

//! ForceAsBaseUnits ok
model ForceAsBaseUnits
  Force f = 1;
  Real g(unit = "kg.m/s2");
equation
  g = f;
end ForceAsBaseUnits;

//! ForceIsNoEnergy E0743
//~ N
//~ J
model ForceIsNoEnergy
  Force f = 1;
  Energy e;
equation
  e = f;
end ForceIsNoEnergy;

//! EnergyIsTorque ok
model EnergyIsTorque
  Energy e = 1;
  Torque t;
equation
  t = e;
end EnergyIsTorque;

//! SumOfUnits E0743
//~ sum
//~ m/s
model SumOfUnits
  Length s = 1;
  Velocity v = 2;
  Real x;
equation
  x = s + v;
end SumOfUnits;

//! ComparisonOfUnits E0743
model ComparisonOfUnits
  Length s = 1;
  Mass m = 2;
  Boolean b = s > m;
end ComparisonOfUnits;

//! BindingOfUnits E0743
//~ 'm'
model BindingOfUnits
  Length s = 1;
  Mass m = s;
end BindingOfUnits;

//! ModifierOfUnits E0743
model ModifierOfUnits
  model Part
    parameter Length l = 1;
  end Part;
  parameter Mass m = 1;
  Part p(l = m);
end ModifierOfUnits;

//! ConnectionOfUnits E0743
//~ connection
connector LengthOut = output Real(unit = "m");
connector MassIn = input Real(unit = "kg");
model ConnectionOfUnits
  model A
    LengthOut y = 1;
  end A;
  model B
    MassIn u;
  end B;
  A a;
  B b;
equation
  connect(a.y, b.u);
end ConnectionOfUnits;

//! UnitlessFitsAll ok
model UnitlessFitsAll
  Real u = 1;
  Length s;
  Mass m;
equation
  s = u;
  m = 3 * u + 2;
end UnitlessFitsAll;

//! LiteralFitsAll ok
model LiteralFitsAll
  Length s = 1;
  Boolean b = s > 3;
  Length t = s + 0.5;
end LiteralFitsAll;

//! NumbersInProducts E0743
model NumbersInProducts
  Length s = 1;
  Mass m;
equation
  m = 2 * s;
end NumbersInProducts;

//! PowersAndRoots ok
model PowersAndRoots
  Length a = 1, b = 2, c;
  Real area(unit = "m2");
equation
  c = sqrt(a^2 + b^2);
  area = a * b;
end PowersAndRoots;

//! RootOfWrong E0743
model RootOfWrong
  Length a = 1;
  Length b;
equation
  b = sqrt(a);
end RootOfWrong;

//! Prefixes E0743
//~ mm
model Prefixes
  Real a(unit = "mm") = 1;
  Length b;
equation
  b = a;
end Prefixes;

//! PrefixedForce ok
model PrefixedForce
  Real p(unit = "kPa") = 1;
  Real q(unit = "mN/mm2");
equation
  q = p;
end PrefixedForce;

//! AnglesAreNumbers ok
model AnglesAreNumbers
  Real phi(unit = "rad");
  Real w(unit = "rad/s") = 1;
  Real f(unit = "Hz");
  Real y;
equation
  der(phi) = w;
  w = 2 * 3.141592653589793 * f;
  y = sin(phi);
end AnglesAreNumbers;

//! SineOfLength E0743
model SineOfLength
  Length s = 1;
  Real y = sin(s);
end SineOfLength;

//! DerivativeOfUnits E0743
//~ m/s
model DerivativeOfUnits
  Length s;
  Mass m = 1;
equation
  der(s) = m;
end DerivativeOfUnits;

//! ElectricUnits ok
model ElectricUnits
  Real v(unit = "V"), i(unit = "A"), p(unit = "W"), q(unit = "C"), l(unit = "H"), r(unit = "Ohm"), c(unit = "F");
equation
  p = v * i;
  i = der(q);
  v = r * i;
  q = c * v;
  v = l * der(i);
  l = 2;
  c = 3;
end ElectricUnits;

//! Celsius E0743
//~ degC
model Celsius
  Real a(unit = "degC") = 20;
  Real b(unit = "K");
equation
  b = a;
end Celsius;

//! ParenthesesInUnits ok
model ParenthesesInUnits
  Real cp(unit = "J/(kg.K)") = 4000;
  Real T(unit = "K") = 300;
  Real h(unit = "J/kg");
equation
  h = cp * T;
end ParenthesesInUnits;

//! UnknownUnitsFit ok
model UnknownUnitsFit
  Real a(unit = "sheep") = 1;
  Length s;
equation
  s = a;
end UnknownUnitsFit;

//! ChoiceOfUnits E0743
model ChoiceOfUnits
  Length s = 1;
  Mass m = 1;
  Real x = if time > 1 then s else m;
end ChoiceOfUnits;

//! SineOfTime ok
model SineOfTime
  Real x = sin(2 * time) + exp(-time);
end SineOfTime;

//! SineOfProduct E0743
//~ in the argument of a function: the units s2 and 1 do not fit
model SineOfProduct
  Real T(unit = "s") = 1;
  Real x = sin(T * time);
end SineOfProduct;
