package Parts "A small library of rotating parts" annotation(Icon(graphics = {Rectangle(extent = {{-100, -100}, {100, 100}}, fillColor = {220, 230, 240}, fillPattern = FillPattern.Solid, radius = 25)}),
  Documentation(info = "<html><p>Parts that turn. Begin with <a href=\"modelica://Parts.Inertia\">Inertia</a>.</p><script>document.title = 'taken over'</script><img src=\"modelica://Parts/dot.png\" onerror=\"document.title = 'taken over'\"><p onclick=\"x()\">Safe.</p></html>"));

  connector Flange "A shaft's end"
    Real phi(unit = "rad");
    flow Real tau(unit = "N.m");
    annotation(Icon(graphics = {Ellipse(extent = {{-100, -100}, {100, 100}}, fillColor = {95, 95, 95}, fillPattern = FillPattern.Solid)}));
  end Flange;
  connector RealInput = input Real "A signal that comes" annotation(Icon(graphics = {Polygon(points = {{-100, 100}, {100, 0}, {-100, -100}}, lineColor = {0, 0, 127}, fillColor = {0, 0, 127}, fillPattern = FillPattern.Solid)}));
  connector RealOutput = output Real "A signal that goes" annotation(Icon(graphics = {Polygon(points = {{-100, 100}, {100, 0}, {-100, -100}}, lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid)}));

  partial model TwoFlanges
    Flange a annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Flange b annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    annotation(Icon(graphics = {Text(extent = {{-100, 90}, {100, 60}}, textString = "%name", textColor = {0, 0, 255})}));
  end TwoFlanges;

  model Inertia "A body that turns"
    extends TwoFlanges;
    parameter Real J(unit = "kg.m2", min = 0) = 1 "Moment of inertia";
    parameter Real w0(unit = "rad/s") = 0 "Speed at the start" annotation(Dialog(tab = "Initialisation", group = "Start"));
    Real w(unit = "rad/s", start = w0, fixed = true);
    Real phi(unit = "rad", start = 0, fixed = true);
  equation
    phi = a.phi;
    phi = b.phi;
    w = der(phi);
    J * der(w) = a.tau + b.tau;
    annotation(Icon(graphics = {Rectangle(extent = {{-90, -10}, {90, 10}}, fillColor = {192, 192, 192}, fillPattern = FillPattern.HorizontalCylinder),
      Rectangle(extent = {{-50, -50}, {50, 50}}, fillColor = {192, 192, 192}, fillPattern = FillPattern.HorizontalCylinder), Text(extent = {{-100, -60}, {100, -90}}, textString = "J=%J")}));
  end Inertia;

  model Gear "A gear without losses"
    extends TwoFlanges;
    type Kind = enumeration(spur, worm);
    parameter Real ratio = 1 "a.phi over b.phi";
    parameter Kind kind = Kind.spur "How it is built";
    parameter Boolean stiff = true;
    parameter Real slack(unit = "rad") = 0 annotation(Dialog(enable = not stiff));
  equation
    a.phi = ratio * b.phi;
    0 = ratio * a.tau + b.tau;
    annotation(Icon(graphics = {Rectangle(extent = {{-40, 20}, {-10, 80}}, fillColor = {160, 160, 160}, fillPattern = FillPattern.HorizontalCylinder), Rectangle(extent = {{10, -80}, {40, 80}}, fillColor = {160, 160, 160}, fillPattern = FillPattern.HorizontalCylinder),
      Text(extent = {{-100, -84}, {100, -104}}, textString = "ratio=%ratio")}));
  end Gear;

  model Torque "A torque by a signal"
    RealInput tau annotation(Placement(transformation(extent = {{-140, -20}, {-100, 20}})));
    Flange b annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
  equation
    b.tau = -tau;
    annotation(Icon(graphics = {Line(points = {{-80, 0}, {-40, 60}, {40, 60}, {80, 0}}, smooth = Smooth.Bezier, thickness = 0.5, arrow = {Arrow.None, Arrow.Filled}, arrowSize = 20), Text(extent = {{-100, -60}, {100, -90}}, textString = "%name")}));
  end Torque;

  model Step "A step over time"
    parameter Real height = 1;
    parameter Real startTime(unit = "s") = 0;
    RealOutput y annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
  equation
    y = if time < startTime then 0 else height;
    annotation(Icon(graphics = {Rectangle(extent = {{-100, -100}, {100, 100}}, lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid), Line(points = {{-80, -60}, {0, -60}, {0, 60}, {80, 60}}),
      Text(extent = {{-90, 100}, {90, 60}}, textString = DynamicSelect("y", String(y, significantDigits = 3))),
      Ellipse(extent = {{50, -90}, {90, -50}}, fillPattern = FillPattern.Solid, fillColor = DynamicSelect({200, 200, 200}, if y > 0.5 then {0, 255, 0} else {255, 0, 0}))}));
  end Step;

  model Shape "What animations draw"
    parameter String shapeType = "box";
    record Orientation
      Real T[3, 3];
    end Orientation;
    input Orientation R;
    input Real r[3];
    input Real r_shape[3] = {0, 0, 0};
    input Real lengthDirection[3] = {1, 0, 0};
    input Real widthDirection[3] = {0, 1, 0};
    input Real length = 1;
    input Real width = 0.2;
    input Real height = 0.2;
    input Real extra = 0;
    input Real color[3] = {255, 0, 0};
  end Shape;

  model Arm "An arm that turns"
    Real phi(start = 0, fixed = true);
    Shape arm(shapeType = "cylinder", R(T = {{cos(phi), sin(phi), 0}, {-sin(phi), cos(phi), 0}, {0, 0, 1}}), r = {0, 0, 0});
    Shape tip(shapeType = "sphere", R(T = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), r = {cos(phi), sin(phi), 0}, length = 0.3, width = 0.3, height = 0.3, color = {0, 0, 255});
    Shape wheel(shapeType = "gearwheel", R(T = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), r = {0, -0.6, 0}, extra = 12, length = 0.1, width = 0.5, height = 0.5);
    Shape coil(shapeType = "spring", R(T = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), r = {0, 0.6, 0}, extra = 5, length = 1 + 0.5 * sin(phi), width = 0.3, height = 0.02);
  equation
    der(phi) = 3;
    annotation(experiment(StopTime = 1));
  end Arm;

  partial model Incomplete
  end Incomplete;
end Parts;
