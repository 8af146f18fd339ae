# acausal report as a user meets it: from a result alone, with a model, of a run; what cannot be read or written is told.
acausal=$1
models=$(dirname "$0")/../../models
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

"$acausal" simulate "$models/BouncingBall.mo" -o "$dir/ball.csv" --quiet
check "beside the result" 0 "ball.html" "$acausal" report "$dir/ball.csv"
check "a page" 0 '^<!DOCTYPE html>' head -n 1 "$dir/ball.html"
check "events are told" 0 '"event_count":6' cat "$dir/ball.html"
check "without the model no structure" 1 '^$' grep -o '"structure":{' "$dir/ball.html"
check "with the model" 0 "x.html" "$acausal" report "$dir/ball.csv" "$models/BouncingBall.mo" -o "$dir/x.html"
check "its structure" 0 '"structure":{' grep -o '"structure":{' "$dir/x.html"
check "of a run" 0 '^$' "$acausal" simulate "$models/Pendulum.mo" --report "$dir/p.html" --quiet
check "with its steps" 0 '"steps":{' grep -o '"steps":{' "$dir/p.html"
check "and statistics" 0 'factorisations' grep -o 'factorisations' "$dir/p.html"
check "a class that is not there" 1 'there is no class' "$acausal" report "$dir/ball.csv" "$models/Clutch.mo" Clutch.None
check "a missing result" 1 'No such file' "$acausal" report "$dir/none.csv"
check "no result" 2 'expected a result' "$acausal" report
check "a place that cannot be written" 1 'cannot be written: No such file' "$acausal" report "$dir/ball.csv" -o "$dir/none/x.html"
printf 'time,x\n' >"$dir/empty.csv"
check "a result without rows" 0 'empty.html' "$acausal" report "$dir/empty.csv"
head -c 700 "$dir/ball.csv" >"$dir/cut.csv"
check "a result that is cut" 0 'ends inside a row|cut.html' "$acausal" report "$dir/cut.csv"

check_end
