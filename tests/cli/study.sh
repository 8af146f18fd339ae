# acausal study as a user meets it: designs, outputs against closed forms, structural parameters, failed runs, kills, shards, changed models.
acausal=$1
models=$(cd "$(dirname "$0")/../../models" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/check.sh"
cd "$dir" || exit 1
study() { "$acausal" study "$@"; }
table() { study export "$1" -o t.csv && cat t.csv; }

# x = x0 exp(-a t): all that can be wanted of a run has a closed form
cat >Decay.mo <<'MO'
model Decay
  parameter Real a = 1;
  parameter Integer N = 1;
  parameter Real limit = 100;
  Real x(start = 2, fixed = true);
  Real y[N](each start = 1, each fixed = true);
equation
  der(x) = -a*x;
  for i in 1:N loop
    der(y[i]) = -i*y[i];
  end for;
  assert(a < limit, "a is too large");
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end Decay;
MO
check "all outputs" 0 '5 of 5 runs done, 0 failed, 0 missing' study Decay.mo --vary a=0.5,1,2,3,4 --rows 2 \
    --of 'x,min(x),max(2*x),mean(x),integral(x^2),when(x < 1),count(x < 1),curve(x),time*x' -o all.db
table all.db >/dev/null
cat >closed.py <<'PY'
import csv, math
rows = list(csv.DictReader(open('t.csv')))
assert len(rows) == 5
for r in rows:
    a = float(r['a'])
    e = math.exp(-a)
    never = 2 * e >= 1
    want = {'x': 2 * e, 'min(x)': 2 * e, 'max(2*x)': 4, 'mean(x)': 2 * (1 - e) / a, 'integral(x^2)': 2 * (1 - e * e) / a,
            'when(x < 1)': None if never else math.log(2) / a, 'count(x < 1)': 0 if never else 1, 'time*x': 2 * e,
            'curve(x)@0': 2, 'curve(x)@0.5': 2 * math.exp(-a / 2), 'curve(x)@1': 2 * e}
    for name, value in want.items():
        if value is None:
            assert r[name] == '', (name, r[name])
        else:
            assert abs(float(r[name]) - value) < 2e-7, (a, name, r[name], value)
print('closed forms hold')
PY
check "outputs are those of the closed form" 0 'closed forms hold' python3 closed.py
check "an event that holds from the start" 0 '^1,1,0,1,' sh -c "'$acausal' study Decay.mo --vary a=1 --of 'when(x > 1),time' -o w.db --quiet && '$acausal' study export w.db -o w.csv && cat w.csv"
check "structural parameters" 0 '^6,3,3,0\.0497' sh -c "'$acausal' study Decay.mo --vary N=1,2,3 --vary a=2,3 --of 'y[N]' -o n.db --quiet && '$acausal' study export n.db -o n.csv && cat n.csv"
check "runs that fail are rows with a reason" 0 '2 of 3 runs done, 1 failed' study Decay.mo --set limit=3 --vary a=1,3,2 --of x -o f.db
check "which says why" 0 '^2,3,,.*failed,.*a is too large' table f.db
check "and machines read it" 0 '"done":2,"failed":1,"total":3' study status f.db --json
check "resume does not run them again" 0 '2 of 3 runs done, 1 failed' study resume f.db
check "a sample with correlation" 0 '100 of 100' study Decay.mo --vary 'a=normal(1,0.1)' --vary 'limit=uniform(5,6)' --samples 100 --correlate a,limit=0.5 --of x -o c.db
printf 'a,limit\n1,10\n2.5,20\n' >table.csv
check "a given table" 0 '^2,2\.5,20,0\.164' sh -c "'$acausal' study Decay.mo --table table.csv --of x -o g.db --quiet && '$acausal' study export g.db -o g.csv && cat g.csv"

cat >s.toml <<'TOML'
model = "Decay.mo"
store = "toml.db"
design = "sobol"
samples = 64
of = ["x", "max(x)"]
[vary]
a = "uniform(1, 2)"
[set]
x = 3
TOML
check "a study file" 0 'toml.db: 64 of 64' study s.toml
check "with its values" 0 '^1,1\.[0-9]*,[01]\.[0-9]*,3(\.0*)?[0-9]*,' table toml.db
sed 's/samples/sampels/' s.toml >bad.toml
check "a setting that is none" 1 "did you mean 'samples'" study bad.toml
printf 'x = = 1\n' >bad.toml
check "a file that is none" 1 'line 1: expected a value' study bad.toml

# inputs that all runs follow: x' = k u with u = t up to 1 and 1 from there, so x(2) = 1.5 k
mkdir -p driven
cat >driven/Driven.mo <<'MO'
model Driven
  parameter Real k = 1;
  parameter Integer N = 1;
  input Real u;
  Real x[N](each start = 0, each fixed = true);
equation
  der(x) = fill(k*u, N);
  annotation(experiment(StopTime = 2, Tolerance = 1e-9));
end Driven;
MO
printf 'time,u\n0,0\n1,1\n2,1\n' >driven/u.csv
printf 'time,u\n0,0\n1,2\n2,2\n' >other.csv
printf 'time,v\n0,0\n1,1\n' >wrong.csv
printf 'time,k\n0,0\n1,1\n' >k.csv
check "inputs" 0 '^4,2,2,(3|3\.000000[0-9]*|2\.999999[0-9]*),' sh -c "'$acausal' study driven/Driven.mo --vary N=1,2 --vary k=1,2 --of 'x[N]' --input driven/u.csv -o in.db --quiet && '$acausal' study export in.db -o in.csv && cat in.csv"
cat >driven/in.toml <<'TOML'
model = "Driven.mo"
input = "u.csv"
of = ["x[1]"]
[vary]
k = [1, 3]
TOML
check "inputs of a study file" 0 '^2,3,(4\.5|4\.500000[0-9]*|4\.499999[0-9]*),' sh -c "'$acausal' study driven/in.toml -o in2.db --quiet && '$acausal' study export in2.db -o in2.csv && cat in2.csv"
study driven/in.toml -o in3.db --prepare
check "from another directory" 0 '2 of 2 runs done' sh -c "cd driven && '$acausal' study resume ../in3.db"
study driven/Driven.mo --vary k=1,2 --of 'x[1]' --input driven/u.csv -o in4.db --prepare
cp driven/u.csv kept.csv && cp other.csv driven/u.csv
check "inputs that changed" 1 'the inputs in .* are not those' study resume in4.db
cp kept.csv driven/u.csv
check "inputs that the model has not" 1 "no input 'v'; did you mean 'u'" study driven/Driven.mo --vary k=1,2 --of 'x[1]' --input wrong.csv -o e.db
check "inputs that are not there" 1 'nowhere.csv' study driven/Driven.mo --vary k=1,2 --of 'x[1]' --input nowhere.csv -o e.db

# shards: each run in one of them, and together what one study is
check "a whole" 0 '' study Decay.mo --vary a=1:2 --samples 50 --of x -o whole.db --quiet
for i in 1 2 3; do
    check "shard $i" 0 "shard $i of 3" study Decay.mo --vary a=1:2 --samples 50 --of x -o part$i.db --shard $i/3
done
check "merged" 0 '50 of 50 runs done, 0 failed, 0 missing' study merge -o merged.db part1.db part2.db part3.db
check "again: the same" 0 '50 of 50 runs done, 0 failed, 0 missing' study merge -o merged.db part2.db
table whole.db | sed 's/,[^,]*\(,[^,]*,[^,]*,[^,]*,[^,]*\)$/\1/' >a
table merged.db | sed 's/,[^,]*\(,[^,]*,[^,]*,[^,]*,[^,]*\)$/\1/' >b
check "the same rows" 0 '' cmp a b
check "another shard in the same file" 1 'for shard 1/3' study resume part1.db --shard 2/3
check "runs of another study" 1 'of another study' study merge -o merged.db c.db

# kills: nothing is lost, nothing doubled
cat >kill.py <<'PY'
import random, signal, sqlite3, subprocess, sys, time
acausal, models = sys.argv[1:]
random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
words = [acausal, 'study', models + '/BouncingBall.mo', '--vary', 'e=0.5:0.9', '--samples', '6000', '--of', 'h,max(v),curve(h)', '--rows', '2', '--quiet']
subprocess.run(words + ['-o', 'ref.db'], check=True)
subprocess.run(words + ['-o', 'k.db', '--prepare'], check=True)
kept, kills = 0, 0
while kills < 8:
    run = subprocess.Popen([acausal, 'study', 'resume', 'k.db', '--quiet', '--threads', '2'])
    time.sleep(random.random())
    run.send_signal(signal.SIGKILL)
    if run.wait() == 0:
        break
    kills += 1
    now = sqlite3.connect('k.db').execute('select count(*) from runs').fetchone()[0]
    assert now >= kept, 'rows were lost'
    kept = now
subprocess.run([acausal, 'study', 'resume', 'k.db', '--quiet'], check=True)
rows = lambda path: sqlite3.connect(path).execute('select run, state, e, h, "max(v)" from runs order by run').fetchall()
curves = lambda path: sqlite3.connect(path).execute('select * from curves order by run, time').fetchall()
assert len(rows('k.db')) == 6000 and rows('k.db') == rows('ref.db') and curves('k.db') == curves('ref.db')
print('nothing lost, nothing doubled')
PY
check "kills" 0 'nothing lost, nothing doubled' python3 kill.py "$acausal" "$models"

cp Decay.mo kept.mo
sed 's/-a\*x/-a*x*x/' kept.mo >Decay.mo
check "a changed model" 1 "der\(x\) = -a \* x;' is now '  der\(x\) = -a \* x \* x" study resume f.db --retry
check "which changes nothing" 0 '2 of 3 runs done, 1 failed' study status f.db
cp kept.mo Decay.mo
check "one program writes at a time" 1 'another program' flock f.db "$acausal" study resume f.db

check "no such parameter" 1 "did you mean 'limit'" study Decay.mo --vary limt=1,2 --of x -o e.db
check "no such output" 1 "no variable 'xx'" study Decay.mo --vary a=1,2 --of xx -o e.db
check "an expression that is none" 1 'expected' study Decay.mo --vary a=1,2 --of 'x +* 2' -o e.db
check "no such distribution" 1 "no distribution 'normall'" study Decay.mo --vary 'a=normall(1,2)' --samples 3 --of x -o e.db
check "no such design" 1 "did you mean 'sobol'" study Decay.mo --vary a=1:2 --samples 3 --design sobl --of x -o e.db
check "a distribution in a grid" 1 'a grid needs lists' study Decay.mo --vary 'a=normal(1,2)' --of x -o e.db
check "a parameter twice" 1 'named twice' study Decay.mo --vary a=1,2 --vary a=3 --of x -o e.db
check "a structural distribution" 1 "'N' is structural" study Decay.mo --vary 'N=normal(3,1)' --samples 3 --of x -o e.db
check "nothing is left behind" 1 '' test -e e.db
check "a store that is there" 1 'there already' study Decay.mo --vary a=1,2 --of x -o f.db
check "a store that is none" 1 'is no study' study status Decay.mo
check "no store" 1 'there is no study' study status nothing.db
check "no output" 2 '--of' study Decay.mo --vary a=1 -o e.db
check "a shard that is none" 2 '1 <= i <= n' study resume f.db --shard 4/3
check "an FMU" 1 '.' study nothing.fmu --vary a=1 --of x -o e.db
check_end
