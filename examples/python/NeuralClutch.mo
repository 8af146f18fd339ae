model NeuralClutch "Two shafts and a clutch that slips, by a law that a small network is, and then sticks"
  parameter Integer n = 4 "Neurons";
  parameter Real a[n] = fill(0, n), b[n] = fill(0, n), c[n] = fill(0, n), d = 5 "Weights";
  parameter Boolean neural = true;
  parameter Real J1 = 1, J2 = 2, engaged = 0.2 "When the clutch closes";
  Real w1(start = 10, fixed = true), w2(start = 0, fixed = true), slip, torque, law;
  Boolean sticks(start = false, fixed = true);
equation
  slip = w1 - w2;
  law = if neural then c * tanh(a * slip + b) + d else 4 + 6 * exp(-slip / 2) "Measured: Stribeck's";
  torque = if time < engaged or sticks then 0 else law;
  J1 * der(w1) = -torque;
  J2 * der(w2) = torque;
  when slip <= 0 then
    sticks = true;
    reinit(w1, (J1 * pre(w1) + J2 * pre(w2)) / (J1 + J2));
    reinit(w2, (J1 * pre(w1) + J2 * pre(w2)) / (J1 + J2));
  end when;
end NeuralClutch;
