model Pendulum "For the demo: three mistakes that people make"
  parameter Real m = 1
  parameter Real L = 1;
  Real x, y, F;
equation
  m * der(der(x)) = -F * x / L +;
  if x > 0 then
    y = sqrt(L ^ 2 - x ^ 2);
  else
    y = 0;
end Pendulum;
