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
also "the default finishes" "^radau5 +adaptive +(9[0-9]|10[0-9]|110) .* $"
check "for machines" 0 '"rule":"adaptive","exact_sums":1,' "$acausal" jacobian "$models/Pendulum.mo" --no-runs --json
check "pictures" 0 "points, against" "$acausal" jacobian "$models/VanDerPol.mo" --runs radau5 --stop 10 --svg "$dir"
check "of ratios" 0 "limit of radau5" cat "$dir/ratio.svg"
check "of steps" 0 "constant-curvature" cat "$dir/steps-radau5.svg"
check "a place for pictures is made" 0 "points, against" "$acausal" jacobian "$models/VanDerPol.mo" --no-runs --svg "$dir/new"
check "of ratios there, too" 0 "limit of radau5" cat "$dir/new/ratio.svg"
check "no place for pictures" 1 "cannot be made" "$acausal" jacobian "$models/VanDerPol.mo" --no-runs --svg "$dir/a.csv/none"
check "no source" 2 "expected a source" "$acausal" jacobian
check "a wrong option" 1 "did you mean 'radau5'" "$acausal" jacobian "$models/VanDerPol.mo" --option increment=radau --no-runs


# An FMU that claims too few dependencies is found out, whether it gives derivatives or not; one that tells the truth is believed.
python3 "$(dirname "$0")/../fmus/make.py" "$dir" || exit 1
python3 - "$dir" <<'PY'
import os, re, sys, zipfile
with zipfile.ZipFile(os.path.join(sys.argv[1], 'vdp_2.fmu')) as z:
    entries = [(name, z.read(name)) for name in z.namelist()]
def fmu(name, change):
    with zipfile.ZipFile(os.path.join(sys.argv[1], name), 'w') as z:
        for path, data in entries:
            z.writestr(path, change(data.decode()) if path == 'modelDescription.xml' else data)
plain = lambda xml: xml.replace('providesDirectionalDerivative="true"', '')
def wrong(xml):
    begin, end = xml.index('<Derivatives>'), xml.index('</Derivatives>')
    place = iter('23')
    return xml[:begin] + re.sub(r'dependencies="(\d+) (\d+)"', lambda m: 'dependencies="%s"' % m.group(int(next(place)) - 1), xml[begin:end]) + xml[end:]
fmu('plain.fmu', plain)
fmu('wrong.fmu', wrong)
fmu('wrong_plain.fmu', lambda xml: wrong(plain(xml)))
fmu('silent.fmu', lambda xml: re.sub(r' dependencies="[^"]*"| dependenciesKind="[^"]*"', '', xml))
PY
check "a true pattern" 0 'Jacobian values +directional' "$acausal" simulate "$dir/vdp_2.fmu" --solver radau5 --stats
check "without derivatives" 0 'Jacobian values +coloured differences, in 2 evaluations' "$acausal" simulate "$dir/plain.fmu" --solver radau5 --stats
check "derivatives without dependencies" 0 'Jacobian values +directional derivatives, in 2 evaluations' \
    "$acausal" simulate "$dir/silent.fmu" --solver radau5 --stats
for name in wrong wrong_plain; do
    check "$name: it is told" 0 'sparsity pattern of vdp is wrong: the derivative of x[01] depends on more' \
        "$acausal" simulate "$dir/$name.fmu" --solver radau5 --stats
    also "$name: dense instead" 'Jacobian values +dense differences, in 2 evaluations'
done
check "an FMU without derivatives has an extrapolated reference" 0 'against an extrapolated Jacobian' \
    "$acausal" jacobian "$dir/plain.fmu" --runs radau5

# States that are arrays of an FMU have directional derivatives, element by element, and the run is the same as that of the model.
cat > "$dir/Rod.mo" <<'MO'
model Rod
  parameter Real k = 40;
  Real T[5](start = {1, 2, 3, 4, 5}, each fixed = true), w(start = 2, fixed = true);
equation
  der(T[1]) = k*(T[2] - T[1]) - w*T[1]^2;
  for i in 2:4 loop
    der(T[i]) = k*(T[i - 1] - 2*T[i] + T[i + 1]);
  end for;
  der(T[5]) = k*(T[4] - T[5]);
  der(w) = T[3] - w;
end Rod;
MO
check "an FMU with arrays" 0 '6 states' "$acausal" export "$dir/Rod.mo" -o "$dir/rod.fmu" --fmi 3
check "its derivatives" 0 'Jacobian values +directional derivatives' "$acausal" simulate "$dir/rod.fmu" --solver radau5 --stop 1 --interval 0.1 \
    -o "$dir/rod_fmu.csv" --stats
check "the model" 0 'Jacobian values +exact, in 1 evaluation' "$acausal" simulate "$dir/Rod.mo" --solver radau5 --stop 1 --interval 0.1 \
    -o "$dir/rod.csv" --stats
check "the same run" 0 ', 0 different' "$acausal" compare "$dir/rod_fmu.csv" "$dir/rod.csv" --tol 1e-12

# External functions without a derivative: differences there, rules elsewhere, and that is said.
cat > "$dir/Outside.mo" <<'MO'
model Outside
  function g
    input Real u;
    output Real y;
    external "C" y = cube(u) annotation(Include = "static double cube(double u) { return u*u*u; }");
  end g;
  Real x(start = 1, fixed = true), z(start = 0.5, fixed = true);
equation
  der(x) = -g(x);
  der(z) = -1000*(z - x^2);
end Outside;
MO
check "mixed" 0 'Jacobian values +exact, with differences in external functions, in 1 evaluation' \
    "$acausal" simulate "$dir/Outside.mo" --solver radau5 --stop 1 --stats
check "all by differences" 0 'Jacobian values +coloured differences, in 2 evaluations' \
    "$acausal" simulate "$dir/Outside.mo" --solver radau5 --stop 1 --stats --option jacobian=differences
check "not all is exact" 1 'no exact Jacobian' "$acausal" simulate "$dir/Outside.mo" --solver radau5 --stop 1 --option jacobian=exact

# States and nominal values at the ends of what a double holds: runs end, or say why not.
cat > "$dir/Ends.mo" <<'MO'
model Ends
  parameter Real x0 = 0, size = 1;
  Real x(start = x0, fixed = true, nominal = size), y(start = 1, fixed = true);
equation
  der(x) = -x;
  der(y) = -1000*(y - cos(time)) + 1e-3*x/(1 + abs(x));
end Ends;
MO
for solver in radau5 bdf cvode-bdf; do
    for x0 in 0 5e-324 1e-320 1e300 -1e300; do
        check "$solver from $x0" 0 '^t = 1 ' "$acausal" simulate "$dir/Ends.mo" --solver $solver --stop 1 --option jacobian=differences --set x0=$x0
    done
    for size in 0 -1 -1e6 1e400; do
        check "$solver with nominal $size" 0 '^t = 1 ' "$acausal" simulate "$dir/Ends.mo" --solver $solver --stop 1 --option jacobian=differences \
            --set size=$size
    done
done
check "no number" 3 "'x' is not a number" "$acausal" simulate "$dir/Ends.mo" --solver radau5 --stop 1 --set x0=NaN

check_end
