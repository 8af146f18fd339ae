package scale "Shapes that make a careless pass quadratic; n is their size"
  model Aliases "one long chain of names for the same thing"
    parameter Integer n = 10;
    Real a[n], x(start = 2, fixed = true);
  equation
    der(x) = a[n];
    a[1] = x;
    for i in 2:n loop a[i] = -a[i-1]; end for;
  end Aliases;

  model Blocks "equations of one unknown each, none of them solved by a formula"
    parameter Integer n = 10;
    Real b[n](each start = 1), x(start = 1, fixed = true);
  equation
    der(x) = b[n];
    for i in 1:n loop b[i]^3 + b[i] = x + (if i == n then 9 else i); end for;
  end Blocks;

  model Sum "one equation with everything in it"
    parameter Integer n = 10;
    Real s[n], x(start = 1, fixed = true);
  equation
    der(x) = sum(s);
    for i in 1:n loop s[i] = i*x; end for;
  end Sum;

  model Block "all equations in one linear block"
    parameter Integer n = 10;
    Real c[n+1], x(start = 1, fixed = true);
  equation
    der(x) = c[2];
    c[1] = x;
    c[n+1] = 0;
    for i in 2:n loop 3*c[i] = c[i-1] + c[i+1]; end for;
  end Block;

  model Curved "all equations in one block that is not linear; c[i] is 1"
    parameter Integer n = 10;
    Real c[n+1](each start = 0.5), x(start = 1, fixed = true);
  equation
    der(x) = c[2];
    c[1] = x;
    c[n+1] = 1;
    for i in 2:n loop 3*c[i] + c[i]^3 = c[i-1] + c[i+1] + 2; end for;
  end Curved;
end scale;
