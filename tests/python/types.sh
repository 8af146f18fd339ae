# The annotations of the package are complete, and mypy agrees with them.
top=$(cd "$(dirname "$0")/../.." && pwd)
if ! /usr/bin/python3 -c 'import mypy' 2>/dev/null; then
    echo "skipped: mypy is not installed (scripts/setup-python)"
    exit 77
fi
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
cd "$top" && /usr/bin/python3 -m mypy --cache-dir "$cache"
