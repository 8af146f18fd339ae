# acausal fit as a user meets it: estimates with intervals, several experiments, objectives, pictures, and data that are wrong.
acausal=$1
models=$(dirname "$0")/../../models
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

cat >"$dir/Decay.mo" <<'EOF'
model Decay
  parameter Real a = 1;
  parameter Real b = 1;
  parameter Real x0 = 1;
  input Real u(start = 0);
  Real x(start = x0, fixed = true);
  Real y = 2*x;
equation
  der(x) = -a*b*x + u;
end Decay;
EOF
# exp(-0.7 t) with small errors
printf 'time,x\n0,1.001\n0.5,0.704\n1,0.497\n1.5,0.349\n2,0.2470\n2.5,0.1735\n3,0.1222\n' >"$dir/a.csv"
printf 'time,x\n0,2.001\n0.5,1.41\n1,0.992\n2,0.4935\n3,\n' >"$dir/b.csv"
printf 'time,x,u\n0,1,0\n1,0.4966,0\n2,0.2466,0\n' >"$dir/driven.csv"

check "an estimate with its interval" 0 '^a +1 +0\.70[0-9]+ +[0-9.e-]+ +0\.6[0-9]+ \.\. +0\.7' "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params a
check "bounds hold" 0 'at its bound' "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params 'a=0.3[0,0.5]'
check "two experiments, one with a value of its own" 0 '^11 values' "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --data "$dir/b.csv:x0=2" --params a
check "what cannot be told apart" 0 'hardly tell apart: a .* b' "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params a,b
check "weights" 0 'converged' "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params a --sigma x=0.002
check "columns of inputs drive the model" 0 '^3 values' "$acausal" fit "$dir/Decay.mo" --data "$dir/driven.csv" --params a
check "start values" 0 '^x0 +1 +1\.00' "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params a,x0
for algorithm in slsqp lbfgs mma tnewton; do
    check "by $algorithm" 0 '^a +1 +0\.70' "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params 'a[0.1,3]' --algorithm $algorithm
done
# an outlier decides with squares, not with Huber's bound; exp(-0.7 t) otherwise
printf 'time,x\n0,1\n0.5,0.7047\n1,0.4966\n1.5,0.9\n2,0.2466\n2.5,0.1738\n3,0.1225\n' >"$dir/outlier.csv"
check "an outlier" 0 '^a +1 +0\.[56][0-9]' "$acausal" fit "$dir/Decay.mo" --data "$dir/outlier.csv" --params a --sigma x=0.001
check "bounded" 0 '^a +1 +0\.(69[89]|70[01])' "$acausal" fit "$dir/Decay.mo" --data "$dir/outlier.csv" --params a --sigma x=0.001 --huber 1.5
check "a prior decides what data do not tell" 0 '^b +1 +(1\.99999|2\.00000)' "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params a,b --sigma x=0.002 --prior b=2,0.01
check "a prior of what is not fitted" 1 "'b' is not fitted" "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params a --prior b=2,0.01
check "a prior that is none" 1 'P=MEAN,DEVIATION' "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params a --prior a=2
# near the minimum the model is nearly linear in a: the profile is the usual interval
cat >"$dir/profile.py" <<'PY'
import json, subprocess, sys
acausal, dir = sys.argv[1:]
out = json.loads(subprocess.check_output([acausal, 'fit', dir + '/Decay.mo', '--data', dir + '/a.csv', '--params', 'a,x0', '--profile', '--json']))
for p in out['parameters']:
    width = p['high'] - p['low']
    assert abs(p['profile_low'] - p['low']) < 0.02 * width and abs(p['profile_high'] - p['high']) < 0.02 * width, p
out = json.loads(subprocess.check_output([acausal, 'fit', dir + '/Decay.mo', '--data', dir + '/a.csv', '--params', 'a,b', '--profile', '--json']))
assert all(p['profile_low'] is None or p['profile_high'] is None for p in out['parameters']), out # a*b alone is known
print('profiles agree')
PY
check "profiles" 0 'profiles agree' python3 "$dir/profile.py" "$acausal" "$dir"
check "an objective" 0 '^objective' "$acausal" fit "$dir/Decay.mo" --params 'a[0.1,3]' --objective 'integral((x - 0.5)^2)' --stop 2
check "several starts" 0 'converged' "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params 'a[0.1,5]' --starts 4
check "a picture" 0 'converged' "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params a --plot "$dir/fit.svg"
check "of fit and residuals" 0 'residual of x' cat "$dir/fit.svg"
check "JSON" 0 '^\{"converged":true,.*"name":"a".*"high":' "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params a --json

printf 'time,x\n0,1\n2,0.3\n1,0.5\n' >"$dir/unsorted.csv"
printf 'time,z\n0,1\n' >"$dir/unknown.csv"
printf 'time,x\n0,\n1,\n' >"$dir/empty.csv"
printf 'time,x\n-1,1\n1,0.5\n' >"$dir/early.csv"
check "times that fall" 1 'time is not increasing in row 3' "$acausal" fit "$dir/Decay.mo" --data "$dir/unsorted.csv" --params a
check "columns that are no variables" 1 "there is no variable 'z'" "$acausal" fit "$dir/Decay.mo" --data "$dir/unknown.csv" --params a
check "nothing measured" 1 'nothing is measured' "$acausal" fit "$dir/Decay.mo" --data "$dir/empty.csv" --params a
check "data before the start" 1 'before the run begins' "$acausal" fit "$dir/Decay.mo" --data "$dir/early.csv" --params a
check "no such file" 1 'nowhere' "$acausal" fit "$dir/Decay.mo" --data "$dir/nowhere.csv" --params a
check "bounds that are none" 1 'should be \[MIN,MAX\]' "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params 'a[2,1]'
check "no such parameter" 1 "there is no parameter or variable 'c'" "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params c
check "a deviation of what is not measured" 1 "'y' is not measured" "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params a --sigma y=1
check "no such algorithm" 1 "did you mean 'slsqp'" "$acausal" fit "$dir/Decay.mo" --data "$dir/a.csv" --params a --algorithm slsq
check "neither data nor objective" 2 'either --data or --objective' "$acausal" fit "$dir/Decay.mo" --params a
check_end
