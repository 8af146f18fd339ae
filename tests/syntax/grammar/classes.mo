within Outer.Inner;
final class A "a class" end A;
encapsulated partial model B "b" + " and more"
  extends C(x = 1, break y, break connect(p, q), redeclare Real z = 2) annotation(Evaluate = true);
  import M = Modelica.Math;
  import Modelica.Units.SI;
  import Modelica.Constants.*;
  import Modelica.Icons.{Example, Package} "some of them";
  import .Top.Level "global";
  class extends D(each final w.v = 3) "extended class"
    Real u;
  equation
    u = 1;
  end D;
  annotation(Icon(graphics = {Line(points = {{-1, 2.5}, {3e3, 4}})}), uses(X(version = "1.0")));
end B;
expandable connector Bus end Bus;
operator record Complex
  Real re;
  encapsulated operator 'constructor'
    function fromReal
      input Real re;
      output Complex result = Complex(re = re);
    algorithm
      return;
    end fromReal;
  end 'constructor';
  encapsulated operator function '+'
    input Complex a, b;
    output Complex c;
  algorithm
    c := Complex(a.re + b.re);
  end '+';
end Complex;
type Angle = Real(final quantity = "Angle", unit = "rad", min = -1e-3, displayUnit = "deg") "an angle";
type Axis = enumeration(x "first" annotation(Dialog(tab = "t")), y, z);
type Any = enumeration(:);
type None = enumeration();
connector RealInput = input Real;
connector Outs = output Real[3, :](each start = 0) "several" annotation(Placement());
function df = der(f, x, y) "partial derivative";
pure function F end F;
impure function G end G;
block K
  replaceable package Medium = Water constrainedby Fluid(redeclare type T = Real) "medium" annotation(choicesAllMatching = true);
  replaceable model Part
    Real x;
  end Part constrainedby Base "long form" annotation(Dialog());
end K;
record R
  redeclare final replaceable Real x[3](each fixed = true) = {1, 2, 3} constrainedby Real "x";
  inner outer World w, v(g = 9.81) if use_world "two of them";
  inner replaceable Part part;
  flow Real i;
  stream Real h;
  discrete input Integer n;
  parameter output Boolean b = true;
  constant String s = "a \"quoted\" \\ text\twith\nescapes";
  .Global.Type[2] t[size(x, 1), :];
protected
  Real p;
public
  Real q;
end R;
