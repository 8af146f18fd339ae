# What a run that fails tells: the time, the equation as it was written, its file and line, what it is about; exit code 3, and
# the rows so far.
acausal=$1
file=$(dirname "$0")/failures.mo
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

run() {
    model=$1
    shift
    "$acausal" simulate "$file" "failures.$model" -o "$dir/r.csv" "$@"
}

check "a root of a negative number" 3 "^acausal simulate: .*at t = 0.352.*'y' is not a number in .y = sqrt\(x - 0\.3\). \(.*failures.mo:[0-9]+\), for 'y'" run Sqrt
check "its rows so far" 0 '^0\.35,' tail -n 1 "$dir/r.csv"
check "a division by a parameter that is zero" 3 "division by the parameter 'p', which is zero, in .*failures.mo:[0-9]+\), for 'y'" run Zero
check "one whose infinity would not be seen" 3 "division by the parameter 'p', which is zero, in .der\(x\) = -x/\(1 \+ 1/p\). \(.*failures.mo:[0-9]+\), for 'der\(x\)'" run Swallowed
check "one in another parameter" 3 "the parameter 'q' is infinite in .*failures.mo:[0-9]+\), for 'q'" run Parameter
check "a parameter that was set to infinity" 0 '^t = 1' "$acausal" simulate "$file" failures.Parameter --set q=inf -o "$dir/r.csv"
check "one that is not computed" 0 '^t = 1' run Guarded
check "a division by zero at the start" 3 "'y' is infinite in .y = 1/x. \(.*failures.mo:[0-9]+\)" run ZeroState
check "one by a constant" 1 'error\[E0813\]: division by a constant that is zero' run Constant
check "one in a block, instead of what follows from it" 3 "division by the parameter 'p', which is zero, in .y - z\*\(1/p\) = 2. \(.*failures.mo:[0-9]+\)" run InBlock
check "an unknown that cannot be differentiated" 1 "hint: 'x' is in it, but only by way of a condition, a whole number or a text" run Whole
check "a function without derivative, by a difference quotient" 0 '^t = 1' run Plain
check "its slope" 0 '^1,2,2(\.0|,|$)' tail -n 1 "$dir/r.csv"
check "an assertion, with a text that is computed" 3 'at time 0\.5.*: assertion failed: x is too small: 0\.5; in .assert\(x > 0\.5' run Assert
check "one inside of a function" 3 'assertion failed: g\(0\.25\) in .assert\(x > 0\.25.*failures.mo:[0-9]+\)' run InFunction
check "a warning, once" 0 '^1$' sh -c "'$acausal' simulate '$file' failures.Warn -o '$dir/r.csv' 2>&1 | grep -c 'E0817.*at time 0.502: warning: x is small: 0.498'"
check "equations without a solution" 3 'do not converge .* in .z\^2 \+ exp\(z\) = 2\*x - 1\.5. \(.*failures.mo:[0-9]+\)' run Loop
check "a function that is not defined, in a loop" 3 'not defined.* in .z \+ log.*failures.mo:[0-9]+\)' run Domain
check "an index out of range" 3 'index out of range \(4, not in 1\.\.3\) in .y := v\[k\]. \(.*failures.mo:[0-9]+\)' run Index
check "a state that an event sets to what is no number" 3 "after the event at t = 0\.5.*'v' is not a number" run Reinit
check "the rows before it" 0 '^0\.5[0-9]*,0\.4[0-9]*,0\.3[0-9]*' tail -n 1 "$dir/r.csv"
for solver in adams bdf dassl dopri5 radau5; do
    check "one that is infinite, $solver" 3 "after the event at t = 0\.5.*'v' is infinite" run ReinitInfinite --solver $solver
done
check_end
