# `acausal explain start`, and what a start or a run that fails says: the equation, its values, start values that help.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

cat > "$dir/M.mo" <<'END'
package M
  model Root
    Real T(start = 1);
    Real z;
  equation
    log(T - 200) + z^3/1000 = 4.9;
    log(z - 3) + T^2/1e5 + z = 5;
  end Root;
  model Fine
    Real x(start = 1);
  equation
    x^2 + x = 3;
  end Fine;
  model Never
    Real x(start = 1);
  equation
    x^2 = -1;
  end Never;
  model Part
    Real v(start = -1), w(start = 0.1);
  equation
    log(v) + v*exp(w/10) = 3;
    exp(w) + w*v^2 = 4;
  end Part;
  model Whole
    Part inside;
  end Whole;
  model Twice
    Real x(start = 1, fixed = true);
    Real y;
  initial equation
    y = 3;
  equation
    der(x) = -x;
    y = 2*x + time;
  end Twice;
end M;
END
check "the block that fails" 0 'nonlinear block of 2 unknowns: its equations are not defined' "$acausal" explain start "$dir/M.mo" M.Root
check "its equation, with its place" 0 'log\(T - 200\) \+ z\^3/1000 = 4.9 .*M.mo:6' "$acausal" explain start "$dir/M.mo" M.Root
check "where guesses came from" 0 'z began at 0 \(no start value: a guess\)' "$acausal" explain start "$dir/M.mo" M.Root
check "a proposal" 0 'T\(start = [0-9.]+\)' "$acausal" explain start "$dir/M.mo" M.Root
check "as JSON" 0 '"found":true,"proposal":\[\{"name":"T","start":[0-9.]+\}' "$acausal" explain start "$dir/M.mo" M.Root --json
proposal=$("$acausal" explain start "$dir/M.mo" M.Root | sed -n 's/^or, to try it: //p')
check "which makes it start" 0 '^t = 1' sh -c "'$acausal' simulate '$dir/M.mo' M.Root $proposal"
check "a model that starts" 0 'It starts' "$acausal" explain start "$dir/M.mo" M.Fine
check "one without a solution" 3 'No start value was found' "$acausal" explain start "$dir/M.mo" M.Never --time-limit 1
check "a part of the model" 0 '^  inside\(v\(start = [0-9.]+\)\) .*M.mo:26' "$acausal" explain start "$dir/M.mo" M.Whole
check "a failed start proposes them, too" 3 'hint: it starts with inside\(v\(start = ' "$acausal" simulate "$dir/M.mo" M.Whole
check "and shows the user's component first" 3 'error\[E0831\].*' "$acausal" simulate "$dir/M.mo" M.Whole
check "what the equation reads" 3 'hint: with time = 0, inside.v = -1' "$acausal" simulate "$dir/M.mo" M.Whole
check "what has no value" 3 'it is log\(.*\), where .* is -1' "$acausal" simulate "$dir/M.mo" M.Whole
check "as JSON" 3 '^\{"severity":"error","code":"E0831",.*M.mo","line":26' "$acausal" simulate "$dir/M.mo" M.Whole --json
check "conditions that contradict each other" 3 'M.mo:29.*' "$acausal" simulate "$dir/M.mo" M.Twice
check "with the other one" 3 'this (fixed start value|initial equation) says otherwise' "$acausal" simulate "$dir/M.mo" M.Twice
check "wrong words" 2 "expected 'start'" "$acausal" explain "$dir/M.mo"
check_end
