model BouncingBall "A ball that loses part of its speed at each bounce"
  parameter Real e(min = 0, max = 1) = 0.8 "Coefficient of restitution";
  constant Real g(unit = "m/s2") = 9.81 "Acceleration of gravity";
  Real h(unit = "m", start = 1, fixed = true) "Height";
  Real v(unit = "m/s", start = 0, fixed = true) "Speed, upwards";
  Boolean flying(start = true, fixed = true) "False when the ball has come to rest";
equation
  der(h) = v;
  der(v) = if flying then -g else 0;
  when h < 0 then
    flying = -e * pre(v) > 1e-3;
    reinit(v, if flying then -e * pre(v) else 0);
    reinit(h, 0);
  end when;
  annotation(experiment(StopTime = 3, Tolerance = 1e-6));
end BouncingBall;
