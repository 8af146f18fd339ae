# Where a result comes from, and values from files: acausal result info, --params.
acausal=$1
models=$(cd "$(dirname "$0")/../../models" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/check.sh"
cd "$dir" || exit 1
cp "$models/BouncingBall.mo" .

check "a run" 0 '' "$acausal" simulate BouncingBall.mo --set e=0.7 --tol 1e-7 -o ball.csv
check "its result" 0 'rows of [0-9]+ signals, t = 0 to 3' "$acausal" result info ball.csv
check "its values" 0 '^set +\{e=0.7\}' "$acausal" result info ball.csv
check "its state" 0 '^state +done' "$acausal" result info ball.csv
"$acausal" result info ball.csv --json >info.json
cat >info.py <<'PY'
import hashlib, json
i = json.load(open('info.json'))
p = i['provenance']
assert p['tolerance'] == 1e-7 and p['stop'] == 3 and p['set'] == ['e=0.7'] and p['state'] == 'done' and p['rows'] == i['rows'], p
assert len(p['model_sha256']) == 64 and p['version'] and p['machine']['processors'] >= 1
library, = [l for l in p['libraries'] if l['path'].endswith('BouncingBall.mo')]
text = open('BouncingBall.mo', 'rb').read()
assert library['sha256'] == hashlib.sha256(b'\0' + text).hexdigest()
print('all there')
PY
check "for machines" 0 'all there' python3 info.py
check "a run that fails says so" 3 '' "$acausal" simulate BouncingBall.mo --option max-steps=3 -o bad.csv
check "in its provenance" 0 '^state +failed' "$acausal" result info bad.csv
check "a result of others" 0 'is not known' sh -c "cp ball.csv other.csv; '$acausal' result info other.csv"
check "a study" 0 'study: 3 runs done, 0 failed, of 3' sh -c "'$acausal' study BouncingBall.mo --vary e=0.5,0.6,0.7 --of h -o s.db --quiet; '$acausal' result info s.db"
check "no result" 1 'nothing.csv' "$acausal" result info nothing.csv
check "no word" 2 "did you mean 'info'" "$acausal" result inof ball.csv

# values from files are those of --set
"$acausal" simulate BouncingBall.mo --set e=0.6 --set h=2 -o want.csv --quiet
printf 'e = 0.6\nh = 2\n' >p.toml
printf '{"e": 0.6, "h": 2}' >p.json
printf 'name,value\ne,0.6\nh,2\n' >p.csv
for kind in toml json csv; do
    check "--params of $kind" 0 '' sh -c "'$acausal' simulate BouncingBall.mo --params p.$kind -o got.csv --quiet && cmp got.csv want.csv"
done
check "what comes later counts" 0 '' sh -c "'$acausal' simulate BouncingBall.mo --set e=0.9 --params p.toml --set h=2 -o got.csv --quiet && cmp got.csv want.csv"
check "arrays and names with dots" 0 "Real 'a.k\\[2\\]' = 5" sh -c "printf 'model M\n model A parameter Real k[2] = {1, 2}; end A;\n A a;\nend M;' >M.mo; printf '[a]\nk = [4, 5]\n' >a.toml; '$acausal' flatten M.mo --params a.toml | sed 's/parameter //'"
check "of a sweep" 0 '^1,0.59999999999999998,' "$acausal" sweep BouncingBall.mo --params p.toml --vary e=0.6,0.7 --of h
check "of a fit, beside its names" 0 'e ' sh -c "'$acausal' simulate BouncingBall.mo --set h=2 --vars h --interval 0.05 -o d.csv --quiet; printf 'h = 2\n' >h.toml; '$acausal' fit BouncingBall.mo --data d.csv --params h.toml --params 'e=0.75[0.5,1]'"
check "a file that is wrong" 1 'line 1: expected a value' sh -c "echo 'x = = 1' >bad.toml; '$acausal' simulate BouncingBall.mo --params bad.toml"
check "a file that is not there" 1 'cannot be read' "$acausal" simulate BouncingBall.mo --params none.toml
check "a name that is none" 1 "no variable 'nu'" sh -c "echo 'nu = 1' >nu.toml; '$acausal' simulate BouncingBall.mo --params nu.toml"
check_end
