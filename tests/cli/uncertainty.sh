# Ishigami's function by simulation: indices against their closed form, effects, surrogates, pages; what is missing is said.
acausal=$1
models=$(cd "$(dirname "$0")/../../models" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/check.sh"
cd "$dir" || exit 1

# y = f(x1, x2, x3) at the end of a run
cat >Ishigami.mo <<'MO'
model Ishigami
  parameter Real x1 = 0, x2 = 0, x3 = 0, a = 7, b = 0.1;
  Real y(start = 0, fixed = true);
equation
  der(y) = sin(x1) + a*sin(x2)^2 + b*x3^4*sin(x1);
end Ishigami;
MO
range='-3.141592653589793:3.141592653589793'
study() { "$acausal" study Ishigami.mo --vary "x1=$range" --vary "x2=$range" --vary "x3=$range" --of y "$@"; }
check "Saltelli's design" 0 '5120 of 5120' study --design saltelli --samples 1024 -o s.db
check "Morris' design" 0 '80 of 80' study --design morris --samples 20 -o m.db
check "a sample" 0 '1000 of 1000' study --design sobol --samples 1000 -o p.db
"$acausal" study analyze s.db --json >s.json
"$acausal" study analyze p.db --json >p.json
"$acausal" study analyze m.db --json >m.json
cat >check.py <<'PY'
import json, math
A, B = 7, 0.1
v1, v2, v13 = 0.5 * (1 + B * math.pi**4 / 5)**2, A * A / 8, B * B * math.pi**8 * (1 / 18 - 1 / 50)
v = v1 + v2 + v13
first, total = [v1 / v, v2 / v, 0], [(v1 + v13) / v, v2 / v, v13 / v]
s, = json.load(open('s.json'))['outputs']
for j, q in enumerate(s['parameters']):
    assert abs(q['first'][0] - first[j]) < 0.02 and abs(q['total'][0] - total[j]) < 0.02, q
    assert q['first'][1] <= first[j] <= q['first'][2] and q['total'][1] <= total[j] <= q['total'][2], q
p, = json.load(open('p.json'))['outputs']
assert p['mean'][1] <= A / 2 <= p['mean'][2] and abs(p['mean'][0] - A / 2) < 0.05, p['mean']
assert abs(p['deviation'][0] - math.sqrt(v)) < 0.1, p['deviation']
assert p['surrogate']['degree'] >= 4 and 0.05 < p['surrogate']['error'] < 0.6 and p['surrogate']['held_out'] > 150, p['surrogate']
m, = json.load(open('m.json'))['outputs']
sizes = {q['name']: q['effect_size'][0] for q in m['parameters']}
assert all(size > 1 for size in sizes.values()), sizes
print('indices agree')
PY
check "against the closed form" 0 'indices agree' python3 check.py
check "for people" 0 'indices from 1024 of 1024 rows' "$acausal" study analyze s.db
check "effects" 0 'effects over the range, 20 of 20' "$acausal" study analyze m.db
check "a page" 0 'polynomial of degree' "$acausal" study analyze p.db --page p.html
check "with a histogram" 0 'histogram' cat p.html
check "a sample too small for a surrogate" 0 'no surrogate: a polynomial needs more runs' sh -c "'$acausal' study Ishigami.mo --vary x1=0:1 --samples 3 --of y -o t.db --quiet && '$acausal' study analyze t.db"
check "runs that are missing are said" 0 '1000 of 1000 runs are missing' sh -c "'$acausal' study Ishigami.mo --vary x1=0:1 --samples 1000 --of y -o e.db --prepare && '$acausal' study analyze e.db"
check "a confidence that is none" 2 'between 0 and 1' "$acausal" study analyze p.db --confidence 2
check_end
