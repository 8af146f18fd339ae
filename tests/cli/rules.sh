# rules.sh: what `acausal check` says besides errors: units, structural parameters, who is to blame for a missing equation.
acausal=$1
. "$(dirname "$0")/check.sh"
models=$(dirname "$0")/../modelica

check "units are compared" 0 'warning.E0743.*J .*N ' "$acausal" check "$models/units.mo" ForceIsNoEnergy
check "units are not compared if that is not wanted" 0 '^unknowns 2  equations 2.*errors 0' \
    "$acausal" check --no-unit-check --quiet "$models/units.mo" ForceIsNoEnergy
check "structural parameters and why" 0 "note\[E0744\]: 'fast' is structural: the equations depend on its value" \
    "$acausal" check --structural "$models/evaluation.mo" IfEquationFreezes
check "structural parameters are counted" 0 '"structural":1' "$acausal" check --json "$models/evaluation.mo" IfEquationFreezes
check "an input without connection" 1 "'b.u' is an input that nothing is connected to" \
    "$acausal" check "$models/kinds.mo" UnconnectedInput

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/Net.mo" <<'END'
package Net
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Resistor
    Pin p, n;
  equation
    p.v - n.v = p.i;
    p.i + n.i = 0;
  end Resistor;
  model Half
    Pin p, n;
  equation
    p.v - n.v = p.i;
  end Half;
  model DeclaredTwice
    Resistor r;
    Resistor r;
  end DeclaredTwice;
  model OpenPin
    Pin a;
    Real y = a.v;
  end OpenPin;
  model Forgotten
    Half h;
  end Forgotten;
end Net;
END
check "a component declared twice" 1 "'r' is declared twice in this class" "$acausal" check "$dir/Net.mo" Net.DeclaredTwice
check "both places of it" 1 "the first time here" "$acausal" check "$dir/Net.mo" Net.DeclaredTwice
check "a connector that nothing is connected to" 1 "nothing is connected to 'a'" "$acausal" check "$dir/Net.mo" Net.OpenPin
check "a component that is not balanced by itself" 1 "'h' of class 'Half' has 4 unknowns and 3 equations by itself" \
    "$acausal" check "$dir/Net.mo" Net.Forgotten

check_end
