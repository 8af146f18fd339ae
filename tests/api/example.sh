# example.sh API_EXAMPLE MODELS: examples/api.c runs, with what it writes in a directory of its own.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
XDG_CONFIG_HOME=$dir/config "$1" "$2" "$dir"
