model HeatRod "Heat conduction along a rod with N cells, both ends kept cold"
  parameter Integer N(min = 2) = 100 "Number of cells";
  parameter Real L(unit = "m") = 1 "Length";
  parameter Real a(unit = "m2/s") = 1e-2 "Thermal diffusivity";
  parameter Real pi = 3.141592653589793;
  final parameter Real dx(unit = "m") = L / N "Length of a cell";
  Real T[N](each unit = "K", start = {sin(pi * (i - 0.5) / N) for i in 1:N}, each fixed = true) "Temperature above that of the ends";
  Real stored(unit = "K.m") "Heat in the rod over heat capacity and cross section";
  Real lost(unit = "K.m", start = 0, fixed = true) "Heat that left through the ends";
equation
  der(T[1]) = a / dx ^ 2 * (T[2] - T[1] - 2 * T[1]) "Half a cell to the end";
  for i in 2:N - 1 loop
    der(T[i]) = a / dx ^ 2 * (T[i - 1] - 2 * T[i] + T[i + 1]);
  end for;
  der(T[N]) = a / dx ^ 2 * (T[N - 1] - T[N] - 2 * T[N]);
  stored = sum(T) * dx;
  der(lost) = 2 * a / dx * (T[1] + T[N]);
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end HeatRod;
