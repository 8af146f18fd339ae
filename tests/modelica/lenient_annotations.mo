// Two annotations of a class count as one (specification 18.1): a warning, at each opening of the file.

//! TwoAnnotations E0205
//@ 18.1 A class has two annotations of its own
//~ warning[E0205]: a second annotation of the same class
model TwoAnnotations
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
  annotation(Documentation(info = "x"));
  annotation(experiment(StopTime = 2));
end TwoAnnotations;
