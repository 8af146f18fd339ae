# `acausal realtime` as a user calls it: the report, JSON, a short run with its books, a peer over shared memory, bad input.
acausal=$1
here=$(dirname "$0")
. "$here/check.sh"
models=$here/../../models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/M.mo" <<'M'
model M
  input Real u(start = 1);
  output Real y;
  Real x(start = 1, fixed = true), fast(start = 1, fixed = true), faster(start = 1, fixed = true);
equation
  der(x) = -x + u + 1e-3 * fast;
  der(fast) = 800 * (x - fast);
  der(faster) = 5000 * (fast - faster) + 1e-3 * x;
  y = x;
end M;
M
cat > "$work/Bad.mo" <<'M'
package Bad
  model Late Real x(start = 1, fixed = true); equation der(x) = -delay(x, 0.1); end Late;
  model Grows Real x(start = 1, fixed = true); equation der(x) = 1000 * x; end Grows;
  model Loop Real x(start = 1, fixed = true), z(start = 1); equation der(x) = -z; z + 0.1 * z ^ 3 = x; end Loop;
end Bad;
M
check report 0 "factors and solve: .* than LAPACK" "$acausal" realtime "$work/M.mo" --step 2e-3 --analyze
check chosen 0 "chosen +[0-9] of 7 entries" "$acausal" realtime "$work/M.mo" --step 2e-3 --analyze
check "keeps all" 0 "chosen +7 of 7 entries" "$acausal" realtime "$work/M.mo" --step 2e-3 --full
check json 0 '"chosen":\{"entries"' "$acausal" realtime "$work/M.mo" --step 2e-3 --json
check order 0 "order 3" "$acausal" realtime "$work/M.mo" --step 2e-3 --order 3 --analyze
check dae 0 "2 \(1 algebraic\)" "$acausal" realtime "$work/Bad.mo" Bad.Loop --step 1e-2 --dae
check run 0 "50 steps of 0.002 s" "$acausal" realtime "$work/M.mo" --step 2e-3 --run 0.1 --deadline 60 --log "$work/log.csv"
check log 0 "^49,[0-9.]+,[0-9.]+,[0-9.e-]+,0,0,0,0,0$" cat "$work/log.csv"
check late 3 "stopped at an overrun" "$acausal" realtime "$work/M.mo" --step 2e-3 --run 0.1 --deadline 1e-9 --overrun stop
check drive 0 "unknowns +13" "$acausal" realtime "$models/Drive.mo" --step 1e-4 --stop 0.1 --tries 0

# what it writes
check files 0 "chosen" "$acausal" realtime "$work/M.mo" --step 2e-3 --svg "$work/svg" --code "$work/code" --fmu "$work/M.fmu"
check picture 0 "eigenvalues of a step" cat "$work/svg/sparsing.svg"
check trade-off 0 "nonzeros of the factors" cat "$work/svg/trade-off.svg"
check header 0 "M_STATES = 3, M_INPUTS = 1, M_OUTPUTS = 1" cat "$work/code/M.h"
check "no heap" 1 "^$" grep -E "alloc|free" "$work/code/M.c"
check "an FMU" 0 "follows the standard" "$acausal" fmu validate "$work/M.fmu"
if command -v cc > /dev/null; then
    check "that runs" 0 "t = 1 " "$acausal" simulate "$work/M.fmu" --kind cs --stop 1 --interval 0.02 -o "$work/M.csv"
    check "and agrees" 0 "^1,0\\.99[0-9]*,|^1,1\\.0" tail -n 1 "$work/M.csv"
fi
check "no such place" 1 "could not be written" "$acausal" realtime "$work/M.mo" --step 2e-3 --fmu "$work/none/M.fmu"
cat > "$work/When.mo" <<'M'
model When
  Real x(start = 1, fixed = true);
  discrete Real k(start = 1, fixed = true);
equation
  der(x) = -k * x;
  when x < 0.5 then
    k = 2 * pre(k);
  end when;
end When;
M
check "events run" 0 "events" "$acausal" realtime "$work/When.mo" --step 1e-2 --run 0.05 --deadline 1
check "but are not exported" 3 "discrete variables" "$acausal" realtime "$work/When.mo" --step 1e-2 --code "$work/code"

# both ends of a channel
name=/acausal-cli-$$
"$acausal" realtime "$work/M.mo" --step 2e-3 --run 2 --deadline 60 --channel shm:$name > "$work/run.txt" 2>&1 &
run=$!
tries=0
until "$acausal" realtime --peer shm:$name --run 0.2 > "$work/peer.txt" 2>&1 || [ $tries = 100 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
wait $run
check peer 0 "[1-9][0-9]* records answered" cat "$work/peer.txt"
check received 0 "[1-9][0-9]* records received" cat "$work/run.txt"

check "no step" 2 "step is missing" "$acausal" realtime "$work/M.mo"
check "step of nothing" 2 "positive" "$acausal" realtime "$work/M.mo" --step 0
check "run's options" 2 "belong to --run" "$acausal" realtime "$work/M.mo" --step 1e-3 --priority
check policy 2 "did you mean 'skip'" "$acausal" realtime "$work/M.mo" --step 1e-3 --run 1 --overrun skp
check "short" 1 "less than two steps" "$acausal" realtime "$work/M.mo" --step 1 --stop 1
check channel 1 "expected udp:HOST:PORT or shm:/NAME" "$acausal" realtime "$work/M.mo" --step 1e-2 --run 0.1 --channel tcp:1
check outputs 1 "no continuous variable that fits 'q\*'" "$acausal" realtime "$work/M.mo" --step 1e-2 --outputs 'q*'
check delays 3 "delays" "$acausal" realtime "$work/Bad.mo" Bad.Late --step 1e-2
check singular 3 "singular" "$acausal" realtime "$work/Bad.mo" Bad.Grows --step 1e-3 --stop 0.01
check_end
