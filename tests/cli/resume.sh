# Checkpoints: killed and interrupted runs go on to the same bytes of result, with each kind of integrator, events, delays, inputs; what does not fit is refused.
acausal=$1
models=$(cd "$(dirname "$0")/../../models" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/check.sh"
cd "$dir" || exit 1

# many events, a nonlinear block, a delay, a when-counter, an input, a text
cat >Busy.mo <<'MO'
model Busy
  input Real u(start = 0);
  parameter Integer n = 1;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true), w(start = 0.5), late;
  discrete Real hits(start = 0, fixed = true);
  Boolean up = x > 0;
equation
  der(x) = v;
  der(v) = -x*(1 + 0.1*n) - 0.1*(x^2 - 1)*v + 0.2*u + 0.01*late;
  w^3 + w = x + sin(time);
  late = delay(x, 0.3);
  when x > 0 then
    hits = pre(hits) + 1;
  end when;
  when sample(0.5, 0.5) then
    reinit(v, 0.9*v);
  end when;
  annotation(experiment(StopTime = 3000, Interval = 10));
end Busy;
MO
printf 'time,u\n0,0\n5,1\n5,-1\n100000,1\n' >u.csv
cat >kill.py <<'PY'
import os, random, signal, subprocess, sys, time
acausal, suffix, solver = sys.argv[1:4]
random.seed(1)
words = [acausal, 'simulate', 'Busy.mo', '--input', 'u.csv', '--quiet', '--solver', solver, '-o', 'k' + suffix] + sys.argv[4:]
subprocess.run(words[:-2 - len(sys.argv[4:])] + ['-o', 'ref' + suffix] + sys.argv[4:], check=True)
began = time.time()
run = subprocess.Popen(words + ['--checkpoint', 'c', '--every', '0.005s'])
kills = 0
while kills < 3:
    while not os.path.exists('c') and run.poll() is None:
        time.sleep(0.002)
    if kills: # the first one comes with the first checkpoint, so that there is one
        time.sleep(0.01 + 0.05 * random.random())
    run.send_signal(signal.SIGKILL if kills != 1 else signal.SIGTERM)
    if run.wait() == 0:
        break
    kills += 1
    run = subprocess.Popen(words + ['--checkpoint', 'c', '--every', '0.005s', '--resume', 'c'], stderr=subprocess.DEVNULL)
assert run.wait() == 0, 'it did not end well'
assert open('k' + suffix, 'rb').read() == open('ref' + suffix, 'rb').read(), 'other bytes'
assert not os.path.exists('k' + suffix + '.before')
print('the same bytes after', kills, 'kills')
PY
for solver in auto radau5 dopri5; do
    rm -f c
    check "$solver" 0 'the same bytes after [123]' python3 kill.py "$acausal" .csv $solver
done
rm -f c
check "a MAT file" 0 'the same bytes' python3 kill.py "$acausal" .mat bdf
rm -f c
check "the residual form" 0 'the same bytes' python3 kill.py "$acausal" .csv ida --option form=dae

check "a checkpoint at the time limit" 3 "time limit" "$acausal" simulate Busy.mo --input u.csv --checkpoint c2 --time-limit 0.2 -o l.csv --stop 1e6
check "with another parameter" 1 'other values' "$acausal" simulate Busy.mo --input u.csv --resume c2 --set x=2 -o l.csv --stop 1e6
check "with another stop" 1 'other values, times' "$acausal" simulate Busy.mo --input u.csv --resume c2 -o l.csv --stop 2e6
check "the result stays where it was" 0 '' test -s l.csv
check "without its rows" 1 'is not there' "$acausal" simulate Busy.mo --input u.csv --resume c2 -o m.csv --stop 1e6
sed 's/0.2\*u/0.3*u/' Busy.mo >Other.mo
check "another model" 1 'another model' "$acausal" simulate Other.mo --input u.csv --resume c2 -o l.csv --stop 1e6
head -c 2000 c2 >c3
check "a file that is cut off" 1 'is no checkpoint of a run, or is cut off' "$acausal" simulate Busy.mo --input u.csv --resume c3 -o l.csv --stop 1e6
check "no file" 1 'cannot be read' "$acausal" simulate Busy.mo --input u.csv --resume c4 -o l.csv --stop 1e6
check "a place that is none" 1 'cannot be written' "$acausal" simulate Busy.mo --input u.csv --checkpoint no/c --every 0.001s --stop 2000
check "a time that is none" 2 'such as 60s' "$acausal" simulate Busy.mo --checkpoint c --every often
check_end
