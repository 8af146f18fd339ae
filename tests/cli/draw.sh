# acausal draw as a user meets it: icons and diagrams by the annotations of the instance; what cannot be drawn is told and left out.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

mkdir -p "$dir/G/Pictures"
printf 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGP4z8DAAMQACf4B/wXJ1xYAAAAASUVORK5CYII=' | base64 -d >"$dir/G/Pictures/two.png"
cp "$dir/G/Pictures/two.png" "$dir/outside.png"
cat >"$dir/G/package.mo" <<'END'
package G
  connector Pin
    Real v;
    flow Real i;
    annotation(Icon(graphics = {Rectangle(extent = {{-100, -100}, {100, 100}}, lineColor = {0, 0, 255}, fillColor = {0, 0, 255}, fillPattern = FillPattern.Solid)}));
  end Pin;
  partial model Shape
    parameter Boolean round = false;
    Pin a annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Pin b if round annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    annotation(Icon(coordinateSystem(extent = {{-100, -50}, {100, 50}}), graphics = {
      Rectangle(visible = not round, extent = {{-80, -40}, {80, 40}}, fillColor = {255, 0, 0}, fillPattern = FillPattern.HorizontalCylinder),
      Ellipse(visible = round, extent = {{-80, -40}, {80, 40}}, fillColor = {1, 2, 3}, fillPattern = FillPattern.Sphere),
      Text(extent = {{-100, 90}, {100, 50}}, textString = "%name", textColor = {0, 0, 255})}));
  end Shape;
  model Part
    extends Shape;
    type Kind = enumeration(small, large);
    parameter Real length(unit = "m", displayUnit = "mm") = 0.25;
    parameter Kind kind = Kind.large;
    annotation(Icon(graphics = {
      Text(extent = {{-100, -60}, {100, -90}}, textString = "%length & %kind, %class, 100%%, %{a.v}"),
      Line(points = {{-50, 0}, {0, 30}, {50, 0}}, smooth = Smooth.Bezier, arrow = {Arrow.None, Arrow.Filled}, pattern = LinePattern.Dash, thickness = 0.5)}));
  end Part;
  model Whole
    Part left(length = 0.1) annotation(Placement(transformation(origin = {-50, 0}, extent = {{-20, -20}, {20, 20}}, rotation = 180)));
    Part right(round = true) annotation(Placement(transformation(extent = {{60, -20}, {20, 20}})));
    Part hidden annotation(Placement(visible = false, transformation(extent = {{60, -20}, {20, 20}})));
    Part row[3] annotation(Placement(transformation(extent = {{-20, 60}, {20, 80}})));
    Part off if right.length > 5 annotation(Placement(transformation(extent = {{-20, -80}, {20, -60}})));
  equation
    connect(left.a, right.a) annotation(Line(points = {{-30, 0}, {20, 0}}, color = {0, 0, 255}),
      Text(string = "%first", index = -1, extent = {{-6, 3}, {-6, 7}}));
    annotation(Diagram(graphics = {Polygon(points = {{0, 0}, {10, 0}, {10, 10}}, fillPattern = FillPattern.Cross, fillColor = {9, 9, 9})}));
  end Whole;
  model Picture
    annotation(Icon(graphics = {Bitmap(extent = {{-100, -100}, {100, 100}}, fileName = "modelica://G/Pictures/two.png")}));
  end Picture;
  model Escape
    annotation(Icon(graphics = {Bitmap(extent = {{-100, -100}, {100, 100}}, fileName = "modelica://G/../outside.png")}));
  end Escape;
  model Odd
    Missing m annotation(Placement(transformation(extent = {{0, 0}, {10, 10}})));
    Part good annotation(Placement(transformation(extent = {{0, 0}, {10, 10}})));
    annotation(Diagram(graphics = {Line(points = somewhere), Text(textString = "x"), 7, Rectangle(extent = {{0, 0}, {1, 1}})}), Icon(graphics = nothing));
  end Odd;
  model Script
    Real '<script>' annotation(Placement(transformation(extent = {{0, 0}, {10, 10}})));
    annotation(Icon(graphics = {Text(extent = {{-100, 90}, {100, 50}}, textString = "</text><script>alert(1)</script>")}));
  end Script;
end G;
END
draw() { "$acausal" draw "$dir/G" "$@"; }

check "SVG" 0 '^<svg xmlns="http://www.w3.org/2000/svg" viewBox="-111 -88.24 212 170.3" width="636"' draw G.Part --icon
check "inherited graphics" 0 'linearGradient' draw G.Part --icon
check "macros stay in a class" 0 '>%length &amp; %kind, Part, 100%, %\{a.v\}<' draw G.Part --icon
check "values of an instance, in the unit to show" 0 '>100 mm &amp; large, Part, 100%, a.v<' draw G.Whole
check "names of instances" 0 '>left<' draw G.Whole
check "arrays" 0 '>row\[3\]<' draw G.Whole
check "what a parameter makes visible" 0 'radialGradient' draw G.Whole
check "what is not visible" 0 '^0$' sh -c '"$0" draw "$1" G.Whole | grep -c ">hidden<" || true' "$acausal" "$dir/G"
check "what is not there now, pale" 0 'opacity="0.3"' draw G.Whole
check "texts of connections" 0 '>a</text>' draw G.Whole
check "lines" 0 'stroke="#0000ff" stroke-width="0.25" d="M-30 0L20 0"' draw G.Whole
check "hatching" 0 'clip-path=' draw G.Whole
check "curves and dashes" 0 'stroke-dasharray="2 1" d="M-50 0L-25 -15C' draw G.Part --icon
check "a component" 0 '<linearGradient' draw G.Whole --component left --icon
check "a picture of the library" 0 'href="data:image/png;base64,iVBOR' draw G.Picture --icon
check "no picture from elsewhere" 0 "the picture 'modelica://G/../outside.png' is not there" draw G.Escape --icon
check "what is wrong is told" 1 "there is no class 'Missing'" draw G.Odd
check "and what cannot be drawn" 1 'the points of this Line cannot be found out' draw G.Odd
check "or is no graphic at all" 1 'this is no graphic item' draw G.Odd
check "or has no place" 1 'the extent of this text cannot be found out' draw G.Odd
check "the rest is drawn" 1 '>good<' draw G.Odd
check "graphics without a value" 1 'these graphics cannot be found out' draw G.Odd --icon
check "no scripts" 0 '&lt;script&gt;' draw G.Script --icon
check "a PNG" 0 '^fine$' sh -c '"$0" draw "$1" G.Whole -o "$2/w.png" && head -c 8 "$2/w.png" | grep -q PNG && echo fine' "$acausal" "$dir/G" "$dir"
check "a PNG with a picture" 0 '^fine$' sh -c '"$0" draw "$1" G.Picture --icon -o "$2/p.png" && echo fine' "$acausal" "$dir/G" "$dir"
check "another suffix" 2 'should end with .svg or .png' draw G.Whole -o "$dir/w.gif"
check "a place that cannot be written" 1 'cannot be written: No such file' draw G.Whole -o "$dir/none/w.svg"
check "well-formed" 0 '^fine$' sh -c 'for c in Part Whole Script Odd Picture; do "$0" draw "$1" G.$c 2>/dev/null | python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.stdin)" || exit 1; done; echo fine' "$acausal" "$dir/G"

check_end
