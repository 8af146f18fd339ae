// Operator records and overloaded operators (specification, chapter 14). The records are our own.

operator record Pair
  replaceable Real x;
  replaceable Real y;
  encapsulated operator 'constructor'
    function fromReal
      import Pair;
      input Real x;
      input Real y = 0;
      output Pair result(x = x, y = y);
    algorithm
    end fromReal;
  end 'constructor';
  encapsulated operator function '0'
    import Pair;
    output Pair result;
  algorithm
    result := Pair(0);
  end '0';
  encapsulated operator function '+'
    import Pair;
    input Pair a;
    input Pair b;
    output Pair c;
  algorithm
    c := Pair(a.x + b.x, a.y + b.y);
  end '+';
  encapsulated operator '-'
    function negate
      import Pair;
      input Pair a;
      output Pair c;
    algorithm
      c := Pair(-a.x, -a.y);
    end negate;
    function subtract
      import Pair;
      input Pair a;
      input Pair b;
      output Pair c;
    algorithm
      c := Pair(a.x - b.x, a.y - b.y);
    end subtract;
  end '-';
  encapsulated operator function '*'
    import Pair;
    input Pair a;
    input Pair b;
    output Pair c;
  algorithm
    c := Pair(a.x*b.x, a.y*b.y);
  end '*';
  encapsulated operator function '=='
    import Pair;
    input Pair a;
    input Pair b;
    output Boolean same;
  algorithm
    same := a.x == b.x and a.y == b.y;
  end '==';
  encapsulated operator function 'String'
    import Pair;
    input Pair a;
    input String between = ", ";
    output String text;
  algorithm
    text := String(a.x) + between + String(a.y);
  end 'String';
end Pair;
operator record Bare
  Real x;
  encapsulated operator function '+'
    import Bare;
    input Bare a;
    input Bare b;
    output Bare c;
  algorithm
    c.x := a.x + b.x;
  end '+';
end Bare;
type Length = Real(unit = "m");
operator record Lengths = Pair(redeclare Length x, redeclare Length y);
connector PairOutput = output Pair;

//! Arithmetic
//=   Real 'a.x' = time;
//=   Real 'a.y' = 1.0;
//=   Real 'b.x';
//=   Real 'b.y';
//=   Real 'c.x';
//=   Real 'c.y';
//= equation
//=   'b.x' = 'a.x' - 2.0;
//=   'b.y' = 'a.y' - 3.0;
//=   'c.x' = -'a.x' * 'b.x';
//=   'c.y' = -'a.y' * 'b.y';
model Arithmetic
  Pair a = Pair(time, 1), b, c;
equation
  b = a - Pair(y = 3, x = 2);
  c = -a*b;
end Arithmetic;

// A Real is converted by the constructor that takes one argument.
//! Conversion
//=   Real 'a.x';
//=   Real 'a.y';
//=   Real 'b.x';
//=   Real 'b.y';
//= equation
//=   'a.x' = time;
//=   'a.y' = 0.0;
//=   'b.x' = 2.0 + 'a.x' * 3.0;
//=   'b.y' = 0.0 + 'a.y' * 0.0;
model Conversion
  Pair a, b;
equation
  a = Pair(time);
  b = 2 + a*3;
end Conversion;

//! Modified
//=   Real 'a.x'(unit = "m");
//=   Real 'a.y'(unit = "m");
//=   Real 'b.x';
//=   Real 'b.y';
//= equation
//=   'a.x' = time;
//=   'a.y' = 0.0;
//=   'b.x' = 'a.x' + 'a.x';
//=   'b.y' = 'a.y' + 'a.y';
model Modified
  Lengths a;
  Pair b;
equation
  a = Lengths(time);
  b = a + a;
end Modified;

//! Arrays
//=   Real 'v[1].x';
//=   Real 'v[1].y';
//=   Real 'v[2].x';
//=   Real 'v[2].y';
//=   Real 's.x';
//=   Real 's.y';
//=   Real 'p.x';
//=   Real 'p.y';
//=   Real 'none.x' = 0.0;
//=   Real 'none.y' = 0.0;
//= equation
//=   'v[1].x' = time * 2.0;
//=   'v[1].y' = 0.0;
//=   'v[2].x' = 2.0;
//=   'v[2].y' = 0.0;
//=   's.x' = 'v[1].x' + 'v[2].x';
//=   's.y' = 'v[1].y' + 'v[2].y';
//=   'p.x' = 'v[1].x' * 'v[1].x' + 'v[2].x' * 'v[2].x';
//=   'p.y' = 'v[1].y' * 'v[1].y' + 'v[2].y' * 'v[2].y';
model Arrays
  Pair v[2], s, p;
  Pair empty[0];
  Pair none = sum(empty);
equation
  v = {Pair(time, 1), Pair(1)}*2;
  s = sum(v);
  p = v*v;
end Arrays;

//! Choice
//=   Real 'a.x';
//=   Real 'a.y';
//= equation
//=   'a.x' = if time > 1 then time else -1.0;
//=   'a.y' = if time > 1 then 0.0 else 2.0;
model Choice
  Pair a;
equation
  a = if time > 1 then Pair(time) else Pair(-1, 2);
end Choice;

//! Text
//=   constant String text = "1; 2";
model Text
  constant String text = String(Pair(1, 2), between = "; ");
end Text;

//! Value
//=   parameter Real 'p.x' = 3.0;
//=   parameter Real 'p.y' = 4.0;
//=   constant Boolean same = true;
model Value
  parameter Pair p = Pair(1, 2)*Pair(3, 2);
  constant Boolean same = Pair(1, 2) == Pair(1) + Pair(0, 2);
end Value;

//! Connector
//=   Real 'a.y.x';
//=   Real 'a.y.y';
//=   Real 'b.x';
//=   Real 'b.y';
//= equation
//=   'a.y.x' = time;
//=   'a.y.y' = 0.0;
//=   'b.x' = 'a.y.x' + 'a.y.x';
//=   'b.y' = 'a.y.y' + 'a.y.y';
model Connector
  block Source
    PairOutput y;
  equation
    y = Pair(time);
  end Source;
  Source a;
  Pair b;
equation
  b = a.y + a.y;
end Connector;

//! InFunction
//=   record Pair
//=     Real x;
//=     Real y;
//=   end Pair;
//=   function power
//=     input Pair a;
//=     input Integer n;
//=     output Pair b;
//=   algorithm
//=     b := Pair(1.0, 1.0);
//=     for i in 1:n loop
//=       b := Pair(b.x * a.x, b.y * a.y);
//=     end for;
//=   end power;
//=   Real 'p.x';
//=   Real 'p.y';
//= equation
//=   'p.x' = (power(Pair(time, 2.0), 3)).x;
//=   'p.y' = (power(Pair(time, 2.0), 3)).y;
model InFunction
  function power
    input Pair a;
    input Integer n;
    output Pair b;
  algorithm
    b := Pair(1, 1);
    for i in 1:n loop
      b := b*a;
    end for;
  end power;
  Pair p;
equation
  p = power(Pair(time, 2), 3);
end InFunction;

//! NoOperator E0502
model NoOperator
  Pair a = Pair(1), b;
equation
  b = a/a;
end NoOperator;

//! NoConversion E0502
model NoConversion
  Bare a, b;
equation
  a.x = 1;
  b = a + 1;
end NoConversion;

//! WrongArguments E0501
model WrongArguments
  Pair a;
equation
  a = Pair("one");
end WrongArguments;

//! TooManyArguments E0504
model TooManyArguments
  Pair a;
equation
  a = Pair(1, 2, 3);
end TooManyArguments;

//! NoZero E0502
model NoZero
  Bare none[0];
  Bare a = sum(none);
end NoZero;

//! NoText E0501
model NoText
  Bare a;
  String text = String(a);
equation
  a.x = 1;
end NoText;

//! OtherSizes E0503
model OtherSizes
  Pair a[2], b[3];
  Pair c[2];
equation
  c = a + b;
end OtherSizes;

// The text of expressions on results of calls, on arrays and on nothing reads back.
//! Texts
//=   record Pair
//=     Real x;
//=     Real y;
//=   end Pair;
//=   function f
//=     input Real u;
//=     output Pair[2] p;
//=     protected Integer[0] none := fill(0, 0);
//=     protected Real[2] v;
//=   algorithm
//=     v := u .+ {1, 2};
//=     p := {Pair(v[1], -0.0), Pair(v[2], 0.0)};
//=   end f;
//=   Real 'q[1].x';
//=   Real 'q[1].y';
//=   Real 'q[2].x';
//=   Real 'q[2].y';
//=   Real a;
//=   Real b;
//= equation
//=   'q[1].x' = ((f(time))[1]).x;
//=   'q[1].y' = ((f(time))[1]).y;
//=   'q[2].x' = ((f(time))[2]).x;
//=   'q[2].y' = ((f(time))[2]).y;
//=   a = 'q[2].x';
//=   b = a - (-0.0);
model Texts
  function f
    input Real u;
    output Pair p[2];
  protected
    Integer none[0] = fill(0, 0);
    Real v[2];
  algorithm
    v := u .+ {1, 2};
    p := {Pair(v[1], -0.0), Pair(v[2], size(none, 1))};
  end f;
  Pair q[2];
  Real a, b;
equation
  q = f(time);
  a = q[2].x;
  b = a - (-0.0);
end Texts;
