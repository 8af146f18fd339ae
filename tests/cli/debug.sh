# `acausal debug --batch`: stops where closed forms say, causes upward, back to earlier points, values set.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

cat > "$dir/D.mo" <<'END_OF_MODEL'
model D "falls from 1 with g = 2: h = 1 - t^2, at 0.25 at sqrt(0.75) = 0.866025, at 0 at 1"
  parameter Real g = 2;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Real energy, ring(start = 1);
  Integer hits(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -g;
  energy = v*v/2 + g*h;
  ring^3 + ring = 2 + energy*0;
  when h < 0 then
    reinit(v, -pre(v));
    hits = pre(hits) + 1;
  end when;
  annotation(experiment(StopTime = 2.5));
end D;
END_OF_MODEL
debug() {
    printf '%s\n' "$@" > "$dir/commands"
    "$acausal" debug "$dir/D.mo" --batch "$dir/commands"
}
check "a time" 0 '^h = 0\.75$' debug 'break time 0.5' c 'print h'
check "a bound that is passed downward" 0 '^t = 0\.86602540' debug 'break h < 0.25' c
check "each time anew: up again at 2 - 0.866" 0 '^t = 1\.133974' debug 'break h > 0.25' c
check "an event" 0 '^t = 1(\.0000000[0-9]*)?: breakpoint 1, event: state event, .*D.mo:11' debug 'break event' c
check "after which values are the new ones" 0 '^v = (2|1\.9999999[0-9]*)$' debug 'break event' c 'p v'
check "a relation by its line" 0 'breakpoint 1, relation 11' debug 'break relation 11' c
check "a line without one" 0 'no relation that makes events begins in line 8' debug 'break relation 8'
check "steps" 0 'a step of' debug 'step 3'
check "why: the equation and its place" 0 'energy = v\*v/2 \+ g\*h   .*D.mo:9' debug 'why energy'
check "why: upward" 0 '  +h = 1   a state: der\(h\) = 0' debug 'why energy'
check "why: a block" 0 'solved together with|ring' debug 'why ring'
check "back" 0 '^back at t = 0$' debug 'step 4' 'back 4' 'p h'
check "and on: the same bound at the same time" 0 '^t = 0\.86602540' debug 'step 5' 'back 5' 'break h < 0.25' c
check "too far back" 0 'there are only [0-9]+ earlier points' debug 'step 2' 'back 9'
check "a state is set: from 0.5625, v = -1 at 0.5 to 0 in (sqrt(1+4*0.5625)-1)/2" 0 '^t = 0\.901387' debug 'break time 0.5' c 'set h 0.5625' 'break h < 0' c
check "a parameter is set: h = 0.75 - s - 4 s^2 at 0.25 after s = 0.25" 0 '^t = 0\.75(0000[0-9]*)?: breakpoint 2' debug 'break time 0.5' c 'set g 8' 'break h < 0.25' c
check "what cannot be set" 0 "'energy' cannot be set" debug 'set energy 3'
check "a name that is almost one" 0 "did you mean 'energy'" debug 'print enery'
check "a command that is none" 0 "there is no command 'prnt'; did you mean 'print'" debug prnt
check "the end" 0 'the run has ended' debug c
check "values at the end" 0 '^hits = 1$' debug c 'p hits'
cat > "$dir/F.mo" <<'END_OF_MODEL'
model F
  Real x(start = 1, fixed = true);
equation
  der(x) = -1/sqrt(x);
end F;
END_OF_MODEL
check "a failure is a stop, too, with its values" 3 'the run failed' sh -c "printf 'c\np x\n' | '$acausal' debug '$dir/F.mo'"
check "a batch that is not there" 1 'cannot be read' "$acausal" debug "$dir/D.mo" --batch "$dir/none"
check_end
