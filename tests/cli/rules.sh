# rules.sh: what `acausal check` says besides errors: units, frozen parameters, who is to blame for a missing equation.
acausal=$1
. "$(dirname "$0")/check.sh"
models=$(dirname "$0")/../modelica

check "units are compared" 0 'warning.E0743.*J .*N ' "$acausal" check "$models/units.mo" ForceIsNoEnergy
check "units are not compared if that is not wanted" 0 '^unknowns 2  equations 2.*errors 0' \
    "$acausal" check --no-unit-check --quiet "$models/units.mo" ForceIsNoEnergy
check "frozen parameters and why" 0 "note\[E0744\]: 'fast' is built into the model" \
    "$acausal" check --frozen "$models/evaluation.mo" IfEquationFreezes
check "frozen parameters are counted" 0 '"frozen":1' "$acausal" check --json "$models/evaluation.mo" IfEquationFreezes
check "an input without connection" 1 "'b.u' is an input that nothing is connected to" \
    "$acausal" check "$models/kinds.mo" UnconnectedInput

check_end
