# Both forms of a model, with blocks solved inside and with tearing variables given to the integrator, give the same
# results, by DASSL, IDA and Radau, through events as well.
acausal=$1
models=$(dirname "$0")/../../models
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

cat >"$dir/Blocks.mo" <<'END'
model Blocks "A source that is switched, a nonlinear resistor, a loop of equations, a reset"
  Real v(start = 0, fixed = true);
  Real w(start = 1, fixed = true);
  Real i(start = 0.5);
  Real a, b;
  Boolean on(start = true, fixed = true);
equation
  on = time < 0.7 or v > 0.8;
  i + i^3 = (if on then 1 else 0) - v;
  a + 2*b = v + w;
  a - b*(1 + w^2) = i;
  der(v) = 3*i - 0.2*a;
  der(w) = -w + b;
  when v > 0.6 then
    reinit(w, pre(w) + 0.5*a);
  end when;
end Blocks;
END
for solver in dassl ida radau5 gauss6; do
    for model in Pendulum BouncingBall Circuit; do
        class=
        [ "$model" = Circuit ] && class=Circuit.RLC
        for form in ode dae; do
            check "$model by $solver as $form" 0 '^t = ' "$acausal" simulate "$models/$model.mo" $class --solver $solver --tol 1e-8 --option form=$form -o "$dir/$form.csv"
        done
        check "$model by $solver: both agree" 0 ' 0 different' "$acausal" compare "$dir/ode.csv" "$dir/dae.csv"
    done
    for form in ode dae; do
        check "blocks by $solver as $form" 0 '^t = 2' "$acausal" simulate "$dir/Blocks.mo" --stop 2 --solver $solver --tol 1e-8 --option form=$form -o "$dir/$form.csv"
    done
    check "blocks by $solver: both agree" 0 ' 0 different' "$acausal" compare "$dir/ode.csv" "$dir/dae.csv"
done
check "a form that explicit methods cannot solve" 1 'cannot solve models with a mass matrix' \
    "$acausal" simulate "$dir/Blocks.mo" --stop 2 --solver dopri5 --option form=dae
check "no such form" 1 'should be ode or dae' "$acausal" simulate "$dir/Blocks.mo" --option form=sparse

check_end
