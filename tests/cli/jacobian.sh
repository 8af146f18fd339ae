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
PY
check "a true pattern" 0 'Jacobian values +directional' "$acausal" simulate "$dir/vdp_2.fmu" --solver radau5 --stats
check "without derivatives" 0 'Jacobian values +coloured differences, in 2 evaluations' "$acausal" simulate "$dir/plain.fmu" --solver radau5 --stats
for name in wrong wrong_plain; do
    check "$name: it is told" 0 'sparsity pattern of vdp is wrong: the derivative of x[01] depends on more' \
        "$acausal" simulate "$dir/$name.fmu" --solver radau5 --stats
    also "$name: dense instead" 'Jacobian values +dense differences, in 2 evaluations'
done
check "an FMU without derivatives has an extrapolated reference" 0 'against an extrapolated Jacobian' \
    "$acausal" jacobian "$dir/plain.fmu" --runs radau5

check_end
