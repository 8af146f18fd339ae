# Time limits and interrupts end runs wherever they are: in loops without end, at the start, in a step, at an event. Rows so far
# stay; exit code 3.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

cat > "$dir/L.mo" <<'END'
package L
  function forever
    input Real x;
    input Real from;
    output Real y;
  algorithm
    y := x;
    while x >= from loop
      y := -y;
    end while;
  end forever;
  model AtStart
    Real x = forever(time, -1);
  end AtStart;
  model InStep
    Real x(start = 0, fixed = true);
  equation
    der(x) = 1 + 0*forever(time, 0.5);
  end InStep;
  model AtEvent
    Real x(start = 0, fixed = true);
    discrete Real n(start = 0, fixed = true);
  equation
    der(x) = 1;
    when x > 0.5 then
      n = forever(time, 0.4);
    end when;
  end AtEvent;
  model NoInterval
    Integer n(start = 0, fixed = true);
  equation
    when sample(0, 0) then
      n = pre(n) + 1;
    end when;
  end NoInterval;
end L;
END

limited() {
    timeout -s KILL 200 "$acausal" simulate "$dir/L.mo" "L.$1" --time-limit 0.5 -o "$dir/r.csv"
}

interrupted() {
    "$acausal" simulate "$dir/L.mo" "L.$1" -o "$dir/r.csv" &
    run=$!
    sleep 1
    kill -INT $run
    wait $run
}

check "a loop without end at the start" 3 'the time limit of 0\.5 s was reached at t = 0' limited AtStart
check "in a step" 3 'the time limit of 0\.5 s was reached at t = 0\.[0-5]' limited InStep
check "its rows" 0 '^0\.[0-4]' tail -n 1 "$dir/r.csv"
check "at an event" 3 'the time limit of 0\.5 s was reached at t = 0\.5' limited AtEvent
check "its rows, too" 0 '^0\.5' tail -n 1 "$dir/r.csv"
check "a clock without an interval" 3 'the interval must be positive' limited NoInterval
check "an interrupt at the start" 3 'interrupted at t = 0' interrupted AtStart
check "an interrupt in a step" 3 'interrupted at t = 0\.[0-5]' interrupted InStep

check "rows closer than numbers are" 1 'rows every 1e-300 s are closer than numbers for times near 0\.9' \
    "$acausal" simulate "$dir/L.mo" L.InStep --stop 0.9 --interval 1e-300 -o "$dir/r.csv"
check "rows without end" 3 'the time limit of 0\.5 s was reached' \
    timeout -s KILL 200 "$acausal" simulate "$dir/L.mo" L.InStep --stop 0.4 --interval 1e-13 --time-limit 0.5 -o "$dir/r.csv"

check_end
