# Models whose equations are wrong: one message each, with source lines and what to do about it.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

cat >"$dir/Net.mo" <<'END'
package Net
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Resistor
    Pin p, n;
    parameter Real R = 1;
  equation
    p.v - n.v = R * p.i;
    p.i + n.i = 0;
  end Resistor;
  model Source
    Pin p, n;
  equation
    p.v - n.v = 1;
    p.i + n.i = 0;
  end Source;
  model Loop
    Resistor a;
    Source s;
  equation
    connect(a.p, s.p);
    connect(a.n, s.n);
  end Loop;
  model Parallel
    Resistor a, b, c;
    Source s;
  equation
    connect(a.p, s.p);
    connect(a.n, b.p);
    connect(a.n, c.p);
    connect(b.n, s.n);
    connect(c.n, s.n);
  end Parallel;
end Net;
END
check "no ground, seen by check" 1 "E0746.*nothing fixes the potentials 'a.p.v'" "$acausal" check "$dir/Net.mo" Net.Loop
check "no ground, seen by simulate" 1 'hint: no ground' "$acausal" simulate "$dir/Net.mo" Net.Loop
check "no ground, seen by counting" 1 'hint: no ground' "$acausal" analyze "$dir/Net.mo" Net.Loop
check "no ground, seen by numbers" 0 'hint: no ground' "$acausal" analyze "$dir/Net.mo" Net.Parallel

model() { printf 'model M\n%s\nend M;\n' "$2" >"$dir/$1.mo"; }
model few 'Real x, y;
equation
  der(x) = y;'
check "too few equations" 1 '^ *2 . Real x, y;' "$acausal" analyze "$dir/few.mo"
model many 'Real x;
equation
  x = 1;
  x = 2;'
check "too many equations" 1 '^ *4 .   x = 1;' "$acausal" analyze "$dir/many.mo"
model infinite 'Real x, y;
equation
  der(x) + der(y) = 1;
  x + y = sin(time);'
check "a contradiction after derivatives" 1 'E0810' "$acausal" analyze "$dir/infinite.mo"
check "its lines" 1 '^ *5 .   x . y = sin.time' "$acausal" analyze "$dir/infinite.mo"
model start 'Real x(start = 1, fixed = true);
parameter Real p(fixed = false);
equation
  der(x) = -p*x;'
check "nothing determines it at the start" 1 'hint: start value missing' "$acausal" analyze "$dir/start.mo"

check_end
