# acausal sweep as a user meets it: grids, lists, samples, threads that do not change the table, runs that fail.
acausal=$1
models=$(dirname "$0")/../../models
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

check "all combinations" 0 '^6,0\.90000000000000002,2,' "$acausal" sweep "$models/BouncingBall.mo" --vary e=0.5:0.9:3 --vary h=1,2 --of h
check "the header" 0 '^run,e,h,h.min,h.max,seconds,status' "$acausal" sweep "$models/BouncingBall.mo" --vary e=0.5 --of h --extremes
check "samples" 0 '^20,0\.[5-9]' "$acausal" sweep "$models/BouncingBall.mo" --vary e=0.5:0.9 --samples 20 --of h
check "on one thread" 0 '' "$acausal" sweep "$models/BouncingBall.mo" --vary e=0.5:0.9:20 --of h,v --threads 1 -o "$dir/one.csv"
check "on four" 0 '' "$acausal" sweep "$models/BouncingBall.mo" --vary e=0.5:0.9:20 --of h,v --threads 4 -o "$dir/four.csv"
cut -d, -f1-4 "$dir/one.csv" >"$dir/a"
cut -d, -f1-4 "$dir/four.csv" >"$dir/b"
check "the same table" 0 '' cmp "$dir/a" "$dir/b"
check "structural values" 0 '^1,0.5,' "$acausal" sweep "$models/HeatRod.mo" --set N=10 --vary a=0.5 --of stored --stop 0.01

printf 'model Log\n  parameter Real a = 1;\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = log(a - time);\nend Log;\n' >"$dir/Log.mo"
check "a run that fails does not stop the others" 3 '^3,3,.*done' "$acausal" sweep "$dir/Log.mo" --vary a=0.5,2,3 --of x
check "and is told" 3 '1 runs failed; the first, run 1' "$acausal" sweep "$dir/Log.mo" --vary a=0.5,2,3 --of x
check "no such parameter" 1 "did you mean 'mu'" "$acausal" sweep "$models/VanDerPol.mo" --vary nu=1,2 --of y1
check "structural parameters" 1 "'N' is" "$acausal" sweep "$models/HeatRod.mo" --vary N=1,2 --of stored
check "values that are none" 1 'should be' "$acausal" sweep "$models/VanDerPol.mo" --vary mu=1,,2 --of y1
check "ranges that are none" 1 'FROM:TO:COUNT' "$acausal" sweep "$models/VanDerPol.mo" --vary mu=1:2:x --of y1
check "nothing to vary" 2 '--vary' "$acausal" sweep "$models/VanDerPol.mo" --of y1
check_end
