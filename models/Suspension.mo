package Suspension "A front axle with double wishbones, seen from the front: two closed loops"
  connector Frame "A place and a direction in the plane, and what acts there"
    Real y(unit = "m") "To the left";
    Real z(unit = "m") "Upwards";
    Real phi(unit = "rad") "Turned by, from y towards z";
    flow Real fy(unit = "N");
    flow Real fz(unit = "N");
    flow Real t(unit = "N.m");
  end Frame;

  model Body "A rigid body; the frame is at its centre of mass"
    Frame a;
    parameter Real m(unit = "kg") = 1 "Mass";
    parameter Real I(unit = "kg.m2") = 1 "Moment of inertia";
    constant Real g(unit = "m/s2") = 9.81;
    Real vy(unit = "m/s"), vz(unit = "m/s"), w(unit = "rad/s");
  equation
    vy = der(a.y);
    vz = der(a.z);
    w = der(a.phi);
    m * der(vy) = a.fy;
    m * der(vz) = a.fz - m * g;
    I * der(w) = a.t;
  end Body;

  model Rod "Two frames of one rigid part"
    Frame a, b;
    parameter Real ry(unit = "m") = 0 "From a to b, in the part's own directions";
    parameter Real rz(unit = "m") = 0;
  equation
    b.y = a.y + cos(a.phi) * ry - sin(a.phi) * rz;
    b.z = a.z + sin(a.phi) * ry + cos(a.phi) * rz;
    b.phi = a.phi;
    a.fy + b.fy = 0;
    a.fz + b.fz = 0;
    a.t + b.t + (b.y - a.y) * b.fz - (b.z - a.z) * b.fy = 0;
  end Rod;

  model Joint "Two parts turn about a common point"
    Frame a, b;
    parameter StateSelect select = StateSelect.default "Of the angle and its speed";
    Real q(unit = "rad", stateSelect = select) "Angle of b against a";
    Real w(unit = "rad/s", stateSelect = select);
  equation
    a.y = b.y;
    a.z = b.z;
    b.phi = a.phi + q;
    w = der(q);
    a.fy + b.fy = 0;
    a.fz + b.fz = 0;
    a.t = 0;
    b.t = 0;
  end Joint;

  model Strut "A spring, and beside it a damper on an elastic mount"
    Frame a, b;
    parameter Real c(unit = "N/m") = 6e4 "Stiffness of the spring";
    parameter Real free(unit = "m") = 0.61 "Length without load";
    parameter Real d(unit = "N.s/m") = 3e3 "Of the damper";
    parameter Real mount(unit = "N/m") = 4e5 "Stiffness of the mount";
    Real length(unit = "m", start = 0.5);
    Real f(unit = "N") "Pushes apart";
    Real x(unit = "m", start = 0, fixed = true) "Deflection of the mount";
    Real ey, ez "Direction from a to b";
  equation
    length = sqrt((b.y - a.y) ^ 2 + (b.z - a.z) ^ 2);
    ey = (b.y - a.y) / length;
    ez = (b.z - a.z) / length;
    mount * x = d * (-der(length) - der(x)) "The same force in mount and damper";
    f = c * (free - length) + mount * x;
    b.fy = -f * ey;
    b.fz = -f * ez;
    a.fy + b.fy = 0;
    a.fz + b.fz = 0;
    a.t = 0;
    b.t = 0;
  end Strut;

  model Tyre "Carries while it touches the road; its side force builds up over a short way"
    Frame a "Centre of the wheel";
    parameter Real radius(unit = "m") = 0.3;
    parameter Real c(unit = "N/m") = 2e5 "Vertical stiffness";
    parameter Real d(unit = "N.s/m") = 100 "Vertical damping";
    parameter Real side(unit = "N.s/m") = 4e3 "Side force by sliding speed";
    parameter Real lag(unit = "s") = 0.02 "Of the side force";
    input Real road(unit = "m") "Height";
    Real dent(unit = "m") "How far the tyre is pressed in";
    Real load(unit = "N") "Vertical force";
    Real grip(unit = "N", start = 0, fixed = true) "Side force";
    Boolean touches(start = true);
  equation
    dent = road + radius - a.z;
    touches = dent > 0;
    load = if touches then c * dent + d * der(dent) else 0;
    lag * der(grip) + grip = if touches then -side * der(a.y) else 0;
    a.fy = -grip;
    a.fz = -load;
    a.t = 0;
  end Tyre;

  model Corner "Two arms, the upright between them, strut and wheel; the mirror image with side = -1"
    Frame chassis "Same place as the centre of the car body";
    parameter Real side = 1 "1 left, -1 right";
    input Real road(unit = "m");
    Rod to_lower(ry = side * 0.35, rz = -0.25), to_upper(ry = side * 0.42, rz = -0.02);
    Rod to_strut(ry = side * 0.45, rz = 0.25);
    Joint lower(select = StateSelect.always, q(start = 0, fixed = true), w(start = 0, fixed = true)), upper(q(start = 0));
    Rod lower_half(ry = side * 0.2), lower_rest(ry = side * 0.2), upper_half(ry = side * 0.15), upper_rest(ry = side * 0.15);
    Body lower_arm(m = 5, I = 0.08), upper_arm(m = 3, I = 0.03), upright(m = 30, I = 0.8);
    Joint ball_low(q(start = 0)), ball_up(q(start = 0));
    Rod up(ry = side * 0.03, rz = 0.1), down(ry = -side * 0.06, rz = 0.13);
    Strut strut;
    Tyre tyre(road = road);
  equation
    connect(chassis, to_lower.a);
    connect(chassis, to_upper.a);
    connect(chassis, to_strut.a);
    connect(to_lower.b, lower.a);
    connect(lower.b, lower_half.a);
    connect(lower_half.b, lower_arm.a);
    connect(lower_half.b, lower_rest.a);
    connect(lower_rest.b, ball_low.a);
    connect(ball_low.b, up.a);
    connect(up.b, upright.a);
    connect(up.b, tyre.a);
    connect(up.b, down.a);
    connect(down.b, ball_up.a);
    connect(ball_up.b, upper_rest.b);
    connect(upper_rest.a, upper_half.b);
    connect(upper_half.b, upper_arm.a);
    connect(upper_half.a, upper.b);
    connect(upper.a, to_upper.b);
    connect(strut.a, lower_half.b);
    connect(strut.b, to_strut.b);
  end Corner;

  model Axle "Both corners and the car body above them run over a bump on the left"
    Body car(m = 600, I = 220, a(
      y(start = 0, fixed = true, stateSelect = StateSelect.always),
      z(start = 0.52, fixed = true, stateSelect = StateSelect.always),
      phi(start = 0, fixed = true, stateSelect = StateSelect.always)),
      vy(start = 0, fixed = true, stateSelect = StateSelect.always),
      vz(start = 0, fixed = true, stateSelect = StateSelect.always),
      w(start = 0, fixed = true, stateSelect = StateSelect.always));
    Corner left(side = 1), right(side = -1);
    parameter Real height(unit = "m") = 0.08 "Of the bump";
    Real mass(unit = "kg") = car.m + 2 * (left.lower_arm.m + left.upper_arm.m + left.upright.m);
  equation
    left.road = if time > 3 and time < 3.2 then height / 2 * (1 - cos(2 * 3.141592653589793 * (time - 3) / 0.2)) else 0;
    right.road = 0;
    connect(car.a, left.chassis);
    connect(car.a, right.chassis);
    annotation(experiment(StopTime = 10, Tolerance = 1e-6));
  end Axle;
end Suspension;
