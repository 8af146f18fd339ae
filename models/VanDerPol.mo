model VanDerPol "An oscillator that creeps and leaps: very stiff"
  parameter Real mu(min = 0) = 1e6 "The larger, the stiffer";
  parameter Real y_nom(min = 0) = 1 "What both states are said to be like";
  Real y1(start = 2, fixed = true, nominal = y_nom) "Leaps when y2 passes 2/3";
  Real y2(start = -2 / 3, fixed = true, nominal = y_nom) "Creeps";
equation
  der(y1) = mu * (y1 - y1 ^ 3 / 3 - y2);
  der(y2) = y1 / mu;
  annotation(experiment(StopTime = 2e6, Tolerance = 1e-9));
end VanDerPol;
