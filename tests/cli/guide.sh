# Every command of README.md and docs/guide.md does what the page says, in the order of the page.
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/guide.py" "$1" "$here/../../README.md" "$here/../../docs/guide.md"
