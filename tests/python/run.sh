# run.sh TEST LIBRARY SANITIZED [ARGUMENT...]: a test of the Python package with the library of this build.
if [ "$3" = 1 ]; then
    echo "skipped: Python cannot load a library that is built with AddressSanitizer"
    exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
python=$(command -v /usr/bin/python3 || command -v python3)
test=$1 library=$2
shift 3
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/../../python ACAUSAL_LIBRARY=$library exec "$python" "$test" "$@"
