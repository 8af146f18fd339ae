# `acausal jacobian` compares rules with the exact Jacobian, at points and by their effect on runs; files are written;
# mistakes are answered.
acausal=$1
models=$(cd "$(dirname "$0")/../../models" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

# What the last command said fits another pattern, too.
also() { check "$1" 0 "$2" printf '%s\n' "$out"; }

check "rules are compared" 0 "^adaptive +100.0 %" "$acausal" jacobian "$models/VanDerPol.mo" --no-runs --csv "$dir/a.csv"
also "the reference is told" "2 unknowns, 20 points, against the model's own"
check "cells are written" 0 '^[0-9.e+]+,"y1",.*,pyfmi,.*,(truncation|cancellation|data),' cat "$dir/a.csv"
check "runs are compared, and ends told" 0 "^radau5 +pyfmi .*did not finish" "$acausal" jacobian "$models/VanDerPol.mo" \
    --set y_nom=1e6 --option rtol=1e-9 --option atol=1e-3 --runs radau5 --max-steps 1000
also "the default finishes" "^radau5 +adaptive +1[01][0-9] .* $"
check "for machines" 0 '"rule":"adaptive","exact_sums":1,' "$acausal" jacobian "$models/Pendulum.mo" --no-runs --json
check "pictures" 0 "points, against" "$acausal" jacobian "$models/VanDerPol.mo" --runs radau5 --stop 10 --svg "$dir"
check "of ratios" 0 "limit of radau5" cat "$dir/ratio.svg"
check "of steps" 0 "constant-curvature" cat "$dir/steps-radau5.svg"
check "no place for pictures" 1 "cannot be written" "$acausal" jacobian "$models/VanDerPol.mo" --no-runs --svg "$dir/none"
check "no source" 2 "expected a source" "$acausal" jacobian
check "a wrong option" 1 "did you mean 'radau5'" "$acausal" jacobian "$models/VanDerPol.mo" --option increment=radau --no-runs

check_end
