# acausal verify as a user meets it: right and wrong runs, references, noise, failing runs, exit codes.
acausal=$1
top=$(dirname "$0")/../..
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

cat >"$dir/M.mo" <<'EOF'
package M
  model Lag "der(x) = -x: what is said of it can be checked by hand"
    parameter Real k = 1;
    Real x(start = 1, fixed = true);
    Real small = 1e-9 * x "never above the absolute tolerance";
  equation
    der(x) = -k * x;
    annotation (experiment(StopTime = 2));
  end Lag;
  model Stiff
    Real x(start = 1, fixed = true), y(start = 0, fixed = true);
  equation
    der(x) = -1e5 * (x - cos(time));
    der(y) = x - y;
    annotation (experiment(StopTime = 20));
  end Stiff;
  model Lorenz
    Real x(start = 1, fixed = true), y(start = 1, fixed = true), z(start = 1, fixed = true);
  equation
    der(x) = 10 * (y - x);
    der(y) = x * (28 - z) - y;
    der(z) = x * y - 8 / 3 * z;
    annotation (experiment(StopTime = 60));
  end Lorenz;
  model Mostly "chaos in a few of many signals"
    extends Lorenz;
    Real s[80] = {sin(i * time / 10) for i in 1:80};
    annotation (experiment(StopTime = 60));
  end Mostly;
  model Ends "has no solution from t = 1 on"
    Real x(start = 1, fixed = true);
  equation
    der(x) = x ^ 2;
    annotation (experiment(StopTime = 2));
  end Ends;
end M;
EOF

check "a run that is right" 0 '^verified: all [0-9]+ signals agree with radau5' "$acausal" verify "$dir/M.mo" M.Lag
check "both runs are told" 0 '^B: radau5, tol = 1e-08' "$acausal" verify "$dir/M.mo" M.Lag
check "after an implicit method another family" 0 'agree with bdf' "$acausal" verify "$dir/M.mo" M.Lag --solver radau5
check "after a multistep method a one-step method" 0 'agree with radau5' "$acausal" verify "$dir/M.mo" M.Lag --solver bdf
check "also where auto changed over" 0 'agree with bdf' "$acausal" verify "$dir/M.mo" M.Stiff
check "a method by name" 0 'agree with rodas' "$acausal" verify "$dir/M.mo" M.Lag --second-solver rodas
check "a wrong run" 1 '^x +different' "$acausal" verify "$dir/M.mo" M.Lag --solver euler --option fixed-step=0.1
check "the last line says why" 1 "^acausal verify: different: .* differ from radau5; the worst: '" "$acausal" verify "$dir/M.mo" M.Lag --solver euler --option fixed-step=0.1
check "a wide tube" 0 '^verified' "$acausal" verify "$dir/M.mo" M.Lag --solver euler --option fixed-step=0.01 --tube 0.01
check "a narrow one" 1 'different' "$acausal" verify "$dir/M.mo" M.Lag --solver euler --option fixed-step=0.01 --tube 1e-4
check "what is below the tolerance" 0 '^verified' "$acausal" verify "$dir/M.mo" M.Lag --solver euler --option fixed-step=0.1 --vars small
check "is judged on request" 1 'small +different' "$acausal" verify "$dir/M.mo" M.Lag --solver euler --option fixed-step=0.1 --vars small --absolute 0
check "chaos is no verdict" 1 'undetermined: .*do not agree either' "$acausal" verify "$dir/M.mo" M.Lorenz
check "a little noise" 0 'verified but for noise: [345678] of [0-9]+ signals' "$acausal" verify "$dir/M.mo" M.Mostly
check "a run that fails" 3 'verify: first run failed: ' "$acausal" verify "$dir/M.mo" M.Ends
check "a second run that fails" 3 'verify: no second run: .*radau5: .*bdf: ' "$acausal" verify "$dir/M.mo" M.Lag --second-tol 1e-17
check "a model that is wrong" 1 'there is no class|no class' "$acausal" verify "$dir/M.mo" M.None
check "a method that is not there" 1 "did you mean 'radau5'" "$acausal" verify "$dir/M.mo" M.Lag --second-solver radau55

awk 'BEGIN { print "time,x,other"; for (i = 0; i <= 200; i++) printf "%.12g,%.12g,1\n", i / 100, exp(-i / 100) }' >"$dir/exact.csv"
awk 'BEGIN { print "time,x"; for (i = 0; i <= 100; i++) printf "%.12g,%.12g\n", i / 100, exp(-i / 100) }' >"$dir/short.csv"
printf 'time,z\n0,1\n2,1\n' >"$dir/alien.csv"
check "against the closed form" 0 'verified: all 1 signals agree' "$acausal" verify "$dir/M.mo" M.Lag --reference "$dir/exact.csv"
check "what only one of them has is counted" 0 ' 1 only in B' "$acausal" verify "$dir/M.mo" M.Lag --reference "$dir/exact.csv"
check "another model" 1 '^x +different' "$acausal" verify "$dir/M.mo" M.Lag --set k=1.1 --reference "$dir/exact.csv"
check "a shorter reference ends the run" 0 'verified' "$acausal" verify "$dir/M.mo" M.Lag --reference "$dir/short.csv"
check "unless a stop time is given" 1 'the run goes from 0 to 2, .* from 0 to 1' "$acausal" verify "$dir/M.mo" M.Lag --reference "$dir/short.csv" --stop 2
check "nothing in common" 1 'no signal in common' "$acausal" verify "$dir/M.mo" M.Lag --reference "$dir/alien.csv"
check "a reference that is not there" 1 'no reference: .*No such file' "$acausal" verify "$dir/M.mo" M.Lag --reference "$dir/none.csv"
check "a reference and a second run" 2 'stands in place of the second run' "$acausal" verify "$dir/M.mo" M.Lag --reference "$dir/exact.csv" --second-tol 1e-9

check "a picture" 0 '^verified' "$acausal" verify "$dir/M.mo" M.Lag --plot "$dir/p.svg" --names x
check "of both" 0 'x \(B\)' cat "$dir/p.svg"
check "of the worst" 1 'different' "$acausal" verify "$dir/M.mo" M.Lag --set k=1.1 --reference "$dir/exact.csv" --plot "$dir/w.svg"
check "is drawn" 0 'x \(A\)' cat "$dir/w.svg"
check "another suffix" 2 'should end in .svg or .png' "$acausal" verify "$dir/M.mo" M.Lag --plot "$dir/p.gif"
check "JSON" 1 '^\{"signals":\[\{"name":"x","verdict":"different".*"verdict":"different".*"worst":"' "$acausal" verify "$dir/M.mo" M.Lag --set k=1.1 --reference "$dir/exact.csv" --json
check "the run is kept" 0 'verified' "$acausal" verify "$dir/M.mo" M.Lag -o "$dir/run.csv"
check "as a file" 0 '^time,' cat "$dir/run.csv"
check "quiet" 0 '^$' "$acausal" verify "$dir/M.mo" M.Lag --quiet
check "tolerances" 2 'should be positive' "$acausal" verify "$dir/M.mo" M.Lag --tube -1
check "FMUs that integrate themselves need a file" 0 'co-simulation' "$acausal" help verify

check_end
