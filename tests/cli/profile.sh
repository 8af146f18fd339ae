# `acausal profile`: counts that are known, shares that add up, a page that is well-formed.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

cat > "$dir/P.mo" <<'END_OF_MODEL'
model P
  Real x(start = 0, fixed = true), y(start = 1), s;
  Real fast(start = 1, fixed = true);
equation
  s = if sin(200*time) > 0 then 1 else -1;
  der(x) = s - x;
  1e-5*der(fast) = x - fast;
  y^3 + y = 2 + 0.1*x;
  annotation(experiment(StopTime = 1));
end P;
END_OF_MODEL
check "advice first" 0 'most worth changing' "$acausal" profile "$dir/P.mo"
check "crossings of sin(200 t) up to 1: 63, and leaving zero at the start" 0 ' 64  by .*P.mo:5' "$acausal" profile "$dir/P.mo"
check "the block and what it costs" 0 "1 unknown, 'y': [0-9]+ residuals, [0-9]+ Jacobians.*P.mo:8" "$acausal" profile "$dir/P.mo"
check "time constants" 0 "'fast' settles with a time constant of 1e-05 s" "$acausal" profile "$dir/P.mo"
check "a page" 0 '' "$acausal" profile "$dir/P.mo" --html "$dir/p.html" --stop 0.1
check "with graphs" 0 '<svg' cat "$dir/p.html"
check "a page that cannot be written" 1 'cannot be written' "$acausal" profile "$dir/P.mo" --html "$dir/none/p.html" --stop 0.1
check "a run that fails still tells" 3 'the run failed' sh -c "printf 'model F\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -1/sqrt(x);\nend F;\n' > '$dir/F.mo'; '$acausal' profile '$dir/F.mo'"
check "an option that is none" 2 'there is no option' "$acausal" profile "$dir/P.mo" --flames
if command -v python3 > /dev/null; then
    "$acausal" profile "$dir/P.mo" --json > "$dir/p.json"
    check "JSON whose phases add up to one" 0 '^1\.0 64 1$' python3 -c "
import json
p = json.load(open('$dir/p.json'))
print(round(sum(p['phases'].values()), 3), p['relations'][0]['events'], len(p['blocks']) and 1)"
    check "well-formed SVG" 0 '^2 graphs' python3 -c "
import re, xml.dom.minidom
graphs = re.findall('<svg.*?</svg>', open('$dir/p.html').read(), re.S)
for graph in graphs: xml.dom.minidom.parseString(graph)
print(len(graphs), 'graphs')"
fi
check_end
