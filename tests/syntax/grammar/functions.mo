function f
  input Real x[:];
  output Real y;
  external "C" y = c_f(x, size(x, 1), 1 + 2) annotation(Include = "#include <f.h>", Library = {"f", "m"});
  annotation(derivative(order = 1, noDerivative = n) = df, Inline = true);
end f;
function g
  external;
end g;
function h
  external "FORTRAN 77" dgesv(n, a);
end h;
function k
  external "builtin" annotation(__Vendor(x = 1));
end k;
class Obj extends ExternalObject;
  function constructor output Obj o; external "C" o = make(); end constructor;
  function destructor input Obj o; external "C" unmake(o); end destructor;
end Obj;
