package Robot "An arm with six axes; each has an elastic gear, a motor, its electronics and a cascade of controllers"
  function turn "The matrix that turns from the part before a joint to the part behind it"
    input Real n[3] "Axis of the joint";
    input Real q(unit = "rad") "Angle";
    output Real T[3, 3];
  algorithm
    T := cos(q) * identity(3) + (1 - cos(q)) * matrix(n) * transpose(matrix(n)) - sin(q) * skew(n);
  end turn;

  model Mechanism "Six rigid parts, each turning on the one before; all vectors in the directions of the part itself"
    parameter Real n[6, 3] = [0, 1, 0; 1, 0, 0; 1, 0, 0; 0, 1, 0; 1, 0, 0; 0, 1, 0] "Axes";
    parameter Real r[6, 3](each unit = "m") = [0, 0.35, 0; 0, 0.5, 0; 0, 0.05, 0; 0, 0.73, 0; 0, 0.1, 0; 0, 0.1, 0]
      "From a joint to the next";
    parameter Real c[6, 3](each unit = "m") = [0, 0.2, 0; 0.17, 0.2, 0; 0.06, 0.03, 0; 0, 0.3, 0; 0, 0.03, 0; 0, 0.15, 0]
      "From a joint to the part's centre of mass";
    parameter Real m[6](each unit = "kg") = {120, 56.5, 26.4, 28.7, 5.2, 15} "Masses; the last with its load";
    parameter Real I[6, 3](each unit = "kg.m2") = [3, 1.16, 3; 2.58, 2.73, 0.64; 0.279, 0.413, 0.245; 1.67, 0.081, 1.67; 1.25, 0.81, 1.53; 0.2, 0.1, 0.2]
      "Moments of inertia about the centres of mass";
    parameter Real g(unit = "m/s2") = 9.81 "Gravity, against y of the base";
    input Real tau[6](each unit = "N.m") "Torques that drive the joints";
    Real q[6](each unit = "rad", each fixed = true, each stateSelect = StateSelect.always) "Angles";
    Real w[6](each unit = "rad/s", each fixed = true, each stateSelect = StateSelect.always) "Speeds";
    Real a[6](each unit = "rad/s2") "Accelerations";
    Real T[6, 3, 3] "Turns from the part before";
    Real omega[6, 3](each unit = "rad/s") "Angular velocity of each part";
    Real alpha[6, 3](each unit = "rad/s2") "Angular acceleration";
    Real speed[6, 3](each unit = "m/s") "Of the joint";
    Real acc[6, 3](each unit = "m/s2") "Of the joint, gravity taken as an acceleration upwards";
    Real f[6, 3](each unit = "N"), t[6, 3](each unit = "N.m") "What the part before does to each part, at the joint";
    Real energy(unit = "J") "Of motion and of height";
    Real hand[3](each unit = "m") "Where the tool is, seen from the base";
  protected
    Real F[6, 3](each unit = "N"), M[6, 3](each unit = "N.m") "What each part needs for its own motion";
    Real E[6, 3, 3] "Turns from the base";
    Real height[6](each unit = "m") "Of the centres of mass";
    Real place[7, 3](each unit = "m") "Of the joints, seen from the base";
  equation
    for i in 1:6 loop
      der(q[i]) = w[i];
      der(w[i]) = a[i];
      T[i] = turn(n[i], q[i]);
      if i == 1 then
        E[i] = T[i];
        omega[i] = n[i] * w[i];
        alpha[i] = n[i] * a[i];
        speed[i] = zeros(3);
        acc[i] = T[i] * {0, g, 0};
        place[i] = zeros(3);
      else
        E[i] = T[i] * E[i - 1];
        omega[i] = T[i] * omega[i - 1] + n[i] * w[i];
        alpha[i] = T[i] * alpha[i - 1] + n[i] * a[i] + cross(T[i] * omega[i - 1], n[i] * w[i]);
        speed[i] = T[i] * (speed[i - 1] + cross(omega[i - 1], r[i - 1]));
        acc[i] = T[i] * (acc[i - 1] + cross(alpha[i - 1], r[i - 1]) + cross(omega[i - 1], cross(omega[i - 1], r[i - 1])));
        place[i] = place[i - 1] + transpose(E[i - 1]) * r[i - 1];
      end if;
      F[i] = m[i] * (acc[i] + cross(alpha[i], c[i]) + cross(omega[i], cross(omega[i], c[i])));
      M[i] = I[i] .* alpha[i] + cross(omega[i], I[i] .* omega[i]) + cross(c[i], F[i]);
      if i == 6 then
        f[i] = F[i];
        t[i] = M[i];
      else
        f[i] = F[i] + transpose(T[i + 1]) * f[i + 1];
        t[i] = M[i] + transpose(T[i + 1]) * t[i + 1] + cross(r[i], transpose(T[i + 1]) * f[i + 1]);
      end if;
      tau[i] = n[i] * t[i];
      height[i] = {0, 1, 0} * (place[i] + transpose(E[i]) * c[i]);
    end for;
    place[7] = place[6] + transpose(E[6]) * r[6];
    hand = place[7];
    energy = sum(m[i] * g * height[i] + (omega[i] * (I[i] .* omega[i])
      + m[i] * (speed[i] + cross(omega[i], c[i])) * (speed[i] + cross(omega[i], c[i]))) / 2 for i in 1:6);
  end Mechanism;

  model Drive "Motor, elastic gear, power electronics and the controllers of one axis: 11 states"
    parameter Real ratio = 100 "Of the gear";
    parameter Real J(unit = "kg.m2") = 1.3e-3 "Rotor";
    parameter Real k(unit = "N.m/rad") = 43 "Stiffness of the gear, on the side of the motor", d(unit = "N.m.s/rad") = 5e-3;
    parameter Real friction(unit = "N.m.s/rad") = 1e-3;
    parameter Real R(unit = "Ohm") = 1, L(unit = "H") = 5e-3, km(unit = "N.m/A") = 1.16;
    parameter Real kp(unit = "1/s") = 5 "Position", kv(unit = "A.s/rad") = 0.3, Tv(unit = "s") = 0.05 "Speed", kc(unit = "Ohm") = 20, Tc(unit = "s") = 0.01 "Current";
    parameter Real fast(unit = "s") = 5e-4 "Lag of the power electronics", sense(unit = "s") = 2e-4 "Lag of the current sensor";
    parameter Real tacho(unit = "rad/s") = 2000 "Bandwidth of the speed sensor", shape(unit = "rad/s") = 15 "Of the set point filter";
    input Real q(unit = "rad"), w(unit = "rad/s") "Joint";
    input Real set(unit = "rad") "Where the joint should be";
    output Real tau(unit = "N.m") "On the joint";
    Real phi(unit = "rad", fixed = true), v(unit = "rad/s", start = 0, fixed = true) "Rotor";
    Real i(unit = "A", start = 0, fixed = true) "Current";
    Real u(unit = "V", start = 0, fixed = true) "Voltage of the power electronics";
    Real i_sensed(unit = "A", start = 0, fixed = true);
    Real v_sensed(unit = "rad/s", start = 0, fixed = true), v_lag(unit = "rad/s2", start = 0, fixed = true);
    Real i_sum(unit = "A.s", start = 0, fixed = true), v_sum(unit = "rad", start = 0, fixed = true) "Integrators of the controllers";
    Real goal(unit = "rad", fixed = true), goal_v(unit = "rad/s", start = 0, fixed = true) "Filtered set point";
    Real twist(unit = "N.m") "Torque in the gear, on the side of the motor";
    Real v_set(unit = "rad/s"), i_set(unit = "A"), u_set(unit = "V");
  equation
    twist = k * (phi - ratio * q) + d * (v - ratio * w);
    tau = ratio * twist;
    der(phi) = v;
    J * der(v) = km * i - friction * v - twist;
    L * der(i) = u - R * i - km * v;
    fast * der(u) = u_set - u;
    sense * der(i_sensed) = i - i_sensed;
    der(v_sensed) = v_lag;
    der(v_lag) = tacho ^ 2 * (v - v_sensed) - 1.4 * tacho * v_lag;
    der(goal) = goal_v;
    der(goal_v) = shape ^ 2 * (set - goal) - 2 * shape * goal_v;
    v_set = ratio * (kp * (goal - q) + goal_v);
    der(v_sum) = v_set - v_sensed;
    i_set = kv * (v_set - v_sensed + v_sum / Tv);
    der(i_sum) = i_set - i_sensed;
    u_set = kc * (i_set - i_sensed + i_sum / Tc) + km * v_sensed;
  end Drive;

  model Arm "All six axes move to a new place and stay there: 78 states"
    parameter Real from[6](each unit = "rad") = {-0.35, 0.35, 1.57, 0.8, 2.2, -1.5}, to[6](each unit = "rad") = {0.8, 1.0, 0.6, 1.4, 1.1, 0.9};
    parameter Real begin(unit = "s") = 0.1, last(unit = "s") = 1.2 "When the motion begins, and how long it takes";
    parameter Real pi = 3.141592653589793;
    Mechanism arm(q(start = from), w(each start = 0));
    Drive drive[6](ratio = {105, 210, 60, 99, 79, 99}, phi(start = {105, 210, 60, 99, 79, 99} .* from), goal(start = from));
    Real way "Share of the way, from 0 to 1";
  equation
    way = if time < begin then 0 else if time < begin + last then (1 - cos(pi * (time - begin) / last)) / 2 else 1;
    for i in 1:6 loop
      drive[i].q = arm.q[i];
      drive[i].w = arm.w[i];
      drive[i].set = from[i] + (to[i] - from[i]) * way;
      arm.tau[i] = drive[i].tau;
    end for;
    annotation(experiment(StopTime = 2, Tolerance = 1e-6));
  end Arm;

  model Free "The mechanism alone, let go: its energy stays"
    Mechanism arm(q(start = {-0.35, 0.35, 1.57, 0.8, 2.2, -1.5}), w(each start = 0.5), tau = zeros(6));
    annotation(experiment(StopTime = 2, Tolerance = 1e-9));
  end Free;
end Robot;
