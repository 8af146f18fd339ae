# `acausal linearize`: matrices, poles and zeros that are known; steady states; after a run; files; FMUs; mistakes.
acausal=$1
here=$(cd "$(dirname "$0")" && pwd)
models=$here/../../models
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/check.sh"
also() { check "$1" 0 "$2" printf '%s\n' "$out"; }

cat >"$dir/L.mo" <<'END'
model Lead "zero at -1, poles at -2 and -3"
  input Real u; output Real y; Real a(start = 0, fixed = true), b(start = 0, fixed = true);
equation
  der(a) = b; der(b) = -6*a - 5*b + u; y = a + b;
end Lead;
model Tank "steady where h = (u / k)^2 = 4"
  parameter Real k = 0.5; input Real u(start = 1); output Real q; Real h(start = 1, fixed = true);
equation
  der(h) = u - k*sqrt(h); q = k*sqrt(h);
end Tank;
model Never "has no steady state"
  Real x(start = 0, fixed = true);
equation
  der(x) = 1 + x^2;
end Never;
model Switch "another slope after 1"
  Real x(start = 1, fixed = true);
equation
  der(x) = if time < 1 then -x else -3*x;
end Switch;
END
check "poles and zeros" 0 '^pole +-3' "$acausal" linearize "$dir/L.mo" Lead
also "the zero" '^zero +-1$'
also "A" '^ +-6 +-5$'
check "a steady state" 0 'x h +4$' "$acausal" linearize "$dir/L.mo" Tank --steady
also "its pole" '^pole +-0.125$'
check "none" 3 'no steady' "$acausal" linearize "$dir/L.mo" Never --steady
check "after an event" 0 '"A":\[\[-3\]\]' "$acausal" linearize "$dir/L.mo" Switch --time 1.5 --json
check "before it" 0 '"A":\[\[-1\]\]' "$acausal" linearize "$dir/L.mo" Switch --time 0.5 --json
printf 'time,u\n0,2\n1,2\n' >"$dir/u.csv"
check "inputs from a file" 0 'x h +16$' "$acausal" linearize "$dir/L.mo" Tank --steady --input "$dir/u.csv"
check "files and pictures" 0 '^$' "$acausal" linearize "$dir/L.mo" Lead --quiet -o "$dir/l.mat" --bode "$dir/b.svg" --step "$dir/s.svg"
check "of gain and phase" 0 'phase\(y/u\)' cat "$dir/b.svg"
check "of steps" 0 'for a step of u' cat "$dir/s.svg"
check "the file is as MATLAB's" 0 '^A 2 2 0.0 -6.0 1.0 -5.0$' python3 -c "
import struct, sys
data = open(sys.argv[1], 'rb').read()
kind, rows, columns, imaginary, n = struct.unpack_from('<5i', data)
print(data[20:20 + n - 1].decode(), rows, columns, *struct.unpack_from('<%dd' % (rows * columns), data, 20 + n))" "$dir/l.mat"
check "an FMU" 0 'fmu' "$acausal" export "$dir/L.mo" Tank -o "$dir/tank.fmu"
check "is linearised by differences" 0 'by differences' "$acausal" linearize "$dir/tank.fmu" --steady
also "to the same pole" '^pole +-0.125'
check "an unknown output" 1 "did you mean 'y'" "$acausal" linearize "$dir/L.mo" Lead --outputs yy
check "no input" 1 "'a' is no input" "$acausal" linearize "$dir/L.mo" Lead --inputs a
check "nothing to draw" 1 'nothing to draw' "$acausal" linearize "$models/VanDerPol.mo" --bode "$dir/b.svg"
check "another suffix" 2 'should end in .mat or .json' "$acausal" linearize "$dir/L.mo" Lead -o "$dir/l.txt"

check_end
