# acausal describe as a user meets it: components with values, units and places, annotations evaluated in the instance; classes with
# mistakes are shown as far as they are understood.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

cat >"$dir/M.mo" <<'END'
package M "A library"
  connector Pin
    Real v(unit = "V");
    flow Real i(unit = "A");
  end Pin;
  model Part "A part"
    parameter Real length(unit = "m", displayUnit = "mm", min = 0) = 0.25 "How long" annotation(Dialog(group = "Sizes", enable = heated));
    parameter Boolean heated = false;
    parameter Integer n = 2;
    Pin a annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Pin extra[n] if heated;
    Real u = 2 * length;
  end Part;
  type Kind = enumeration(small, large);
  model Whole
    extends Base(k = 3);
    Part p(length = 2 * k, n = 3) annotation(Placement(visible = k > 2, transformation(extent = {{-10, -10}, {10 + k, 10}})));
    Part q(heated = true, final length = 1);
    parameter Kind kind = Kind.large;
    Missing m;
  equation
    connect(p.a, q.a) annotation(Line(points = {{0, 0}, {k, 1}}, color = {0, 0, 255}));
  end Whole;
  partial model Base
    parameter Real k = 1;
  end Base;
end M;
END
describe() { "$acausal" describe --json "$dir/M.mo" "$@"; }

check "text" 0 '^  parameter Real length = 0.25  "How long"' "$acausal" describe "$dir/M.mo" M.Part
check "an array" 0 '^  M.Pin extra\[n\]|M.Pin extra\[:\]  \(not there now\)' "$acausal" describe "$dir/M.mo" M.Part
check "units" 0 '"unit":"m","displayUnit":"mm","min":0' describe M.Part
check "a dialog, with what it depends on" 0 '"Dialog":\{"group":"Sizes","enable":false\}' describe M.Part
check "a condition" 0 '"condition":"heated","disabled":true' describe M.Part
check "places" 0 '"place":\{"file":"[^"]*M.mo","line":6,"column":3,"from":1' describe M.Part
check "what is wrong is told" 1 "there is no class 'Missing'" describe M.Whole
check "and the rest is there" 1 '"name":"m","type":"Missing","missing":true' describe M.Whole
check "a modifier of a base" 1 '"name":"k","type":"Real","basis":"Real","kind":"type","variability":"parameter","binding":"3","value":3' describe M.Whole
check "bases" 1 '"bases":\[\{"class":"M.Base","depth":1\}\]' describe M.Whole
check "annotations see parameters" 1 '"visible":true,"transformation":\{"extent":\[\[-10,-10\],\[13,10\]\]\}' describe M.Whole
check "connections" 1 '"from":"p.a","to":"q.a","annotation":\{"Line":\{"points":\[\[0,0\],\[3,1\]\],"color":\[0,0,255\]\}\}' describe M.Whole
check "enumerations" 1 '"literals":\["small","large"\],"enumeration":"M.Kind"' describe M.Whole
check "a component" 1 '"name":"length".*"binding":"2 \* k","value":6' describe M.Whole --component p
check "what a parameter makes there" 1 '"name":"extra","type":"M.Pin","basis":"class","kind":"connector","connector":true,"sizes":\[2\]' describe M.Whole --component q
check "deeper" 1 '"name":"i","type":"Real".*"flow":"flow"' describe M.Whole --component p.a
check "a component that is not there" 1 "no component 'p.z'" describe M.Whole --component p.z
check "a class that is not there" 1 "there is no class 'Nix'" describe M.Nix
printf 'model Broken\n  Real x = ;\n  parameter Real y = 2;\nend Broken;\n' >"$dir/Broken.mo"
check "a file with mistakes" 1 '"name":"y"' "$acausal" describe --json "$dir/Broken.mo"
printf 'model L Real x annotation(Icon(graphics = {Line(points = {{0, z}, {1, 1}}), Text(textString = DynamicSelect("0", String(x)))})); end L;' >"$dir/L.mo"
check "no value stays text" 0 '\{"expression":"z"\}' "$acausal" describe --json "$dir/L.mo"
check "what follows time" 0 '\{"static":"0","dynamic":"String\(x\)"\}' "$acausal" describe --json "$dir/L.mo"
check "JSON is JSON" 0 '^fine$' sh -c '"$0" describe --json "$1" M.Part | python3 -c "import json, sys; json.load(sys.stdin); print(\"fine\")"' "$acausal" "$dir/M.mo"

check_end
