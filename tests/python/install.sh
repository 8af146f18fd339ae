# A wheel made of the build holds the library with all that it needs, and works where nothing else of Acausal is: in a virtual environment.
# $1: the program; its directory is the build.
build=$(cd "$(dirname "$1")" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
if grep -q 'ACAUSAL_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then
    echo "skipped: a sanitized library cannot be loaded by Python"
    exit 77
fi
python=/usr/bin/python3
if ! $python -c 'import setuptools, wheel, venv, numpy, pip' 2>/dev/null; then
    echo "skipped: python3-pip, -venv, -setuptools, -wheel or -numpy is not installed (scripts/setup-python)"
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
set -e
ACAUSAL_BUILD=$build $python -m pip -q wheel --no-deps --no-build-isolation --no-index -w "$dir" "$top"
$python -m venv --system-site-packages "$dir/env"
"$dir/env/bin/python" -m pip -q install --no-index --no-deps "$dir"/acausal-*.whl
cd "$dir"
"$dir/env/bin/python" - "$top" <<'END'
import os, sys
import acausal
place = os.path.dirname(acausal.__file__)
assert place.startswith(sys.prefix), place
for name in ('py.typed', 'acausal.h', 'libacausal.so'):
    assert os.path.exists(os.path.join(place, name)), name
result = acausal.simulate(sys.argv[1] + '/models/BouncingBall.mo', stop=0.4, tolerance=1e-9)
assert abs(result['h'][-1] - (1 - 9.81 * 0.16 / 2)) < 1e-7
# whatever is not part of the C library comes from the wheel
of_the_system = ('libc.', 'libm.', 'libdl.', 'librt.', 'libpthread.', 'ld-linux')
wheel = set(os.listdir(place))
elsewhere = set()
for line in open('/proc/self/maps'):
    path = line.split()[-1]
    if '.so' in path and os.path.basename(path) in wheel and not path.startswith(place):
        elsewhere.add(path)
ours = [l.split()[-1] for l in open('/proc/self/maps') if l.split()[-1].startswith(place)]
assert any('libacausal' in p for p in ours) and any('libklu' in p for p in ours), ours
print('the wheel works; from elsewhere, loaded before by NumPy or Python:', sorted(elsewhere) or 'nothing')
END
