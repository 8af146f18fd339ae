# Debian packages made of the build: lintian finds nothing to complain about, what is unpacked runs. $1: the program.
build=$(cd "$(dirname "$1")" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
if grep -q 'ACAUSAL_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then
    echo "skipped: sanitized programs are not packaged"
    exit 77
fi
for tool in lintian dpkg-shlibdeps dpkg-deb; do
    command -v $tool >/dev/null || { echo "skipped: $tool is not installed (scripts/setup-python)"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
set -e
"$top/scripts/package-deb" "$build" "$dir"
as=""
[ "$(id -u)" != 0 ] || as="--allow-root"
said=$(lintian $as "$dir"/*.deb)
[ -z "$said" ] || { echo "$said"; exit 1; }
for package in "$dir"/*.deb; do dpkg-deb -x "$package" "$dir/root"; done
lib=$(dirname "$(find "$dir/root" -name 'libacausal.so')")
LD_LIBRARY_PATH=$lib "$dir/root/usr/bin/acausal" check "$top/models/BouncingBall.mo"
LD_LIBRARY_PATH=$lib PYTHONPATH=$dir/root/usr/lib/python3/dist-packages /usr/bin/python3 -c "
import acausal, sys
assert acausal.__file__.startswith(sys.argv[1]), acausal.__file__
print(acausal.load(sys.argv[2]).get('e'))" "$dir/root" "$top/models/BouncingBall.mo"
mkdir "$dir/project"
printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(user C)' 'find_package(acausal 0.1 REQUIRED)' \
    "add_executable(user $top/examples/embed.c)" 'target_link_libraries(user acausal::acausal)' >"$dir/project/CMakeLists.txt"
cmake -S "$dir/project" -B "$dir/project/build" "-Dacausal_DIR=$lib/cmake/acausal" >/dev/null
cmake --build "$dir/project/build" >/dev/null
LD_LIBRARY_PATH=$lib "$dir/project/build/user" "$top/models/BouncingBall.mo"
