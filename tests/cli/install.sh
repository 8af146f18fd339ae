# What `make install` leaves is enough to build a program that embeds the library, and shows nothing but its interface.
acausal=$1
here=$(cd "$(dirname "$0")" && pwd)
build=$(dirname "$acausal")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/check.sh"
top=$here/../..

check "the example runs as it is built" 0 '^e = 0.7071 makes it jump 0.5000 m high \(20 runs, one translation\)' "$build/embed" "$top/models/BouncingBall.mo"
check "and says what is wrong with a model" 1 "E0001.*none.mo" "$build/embed" none.mo
check "installing" 0 'acausal.pc' cmake --install "$build" --prefix "$dir"
for file in bin/acausal include/acausal.h share/man/man1/acausal.1 share/bash-completion/completions/acausal share/zsh/site-functions/_acausal; do
    check "$file is there" 0 '^$' test -s "$dir/$file"
done
lib=$(dirname "$(find "$dir" -name libacausal.so)")
check "nothing of the inside is shown" 1 '^$' sh -c "nm -D --defined-only '$lib/libacausal.so' | awk '{ print \$3 }' | grep -vE '^(acausal_|Modelica)'"
check "all of the header is there" 0 '^$' sh -c "
    grep -v 'static inline' '$dir/include/acausal.h' | grep -oE '\\bacausal_[a-z_]+\\(' | tr -d '(' | sort -u >'$dir/declared'
    nm -D --defined-only '$lib/libacausal.so' | awk '{ print \$3 }' | sort -u >'$dir/defined'
    comm -23 '$dir/declared' '$dir/defined'"
check "C++ takes the header" 0 '^$' sh -c "echo '#include <acausal.h>' | c++ -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I'$dir/include' -"

package=$(dirname "$(find "$dir" -name __init__.py)")
check "the Python package is there" 0 'site-packages/acausal/acausal.h' ls "$package/acausal.h"
if grep -q 'ACAUSAL_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then
    echo "skipped: a program cannot be linked with a sanitized library just so"
elif command -v pkg-config >/dev/null; then
    flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs acausal)
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror "$top/examples/embed.c" $flags -o "$dir/embed" || failed=$((failed + 1))
    check "the example, with what is installed" 0 '^e = 0.7071' env LD_LIBRARY_PATH="$lib" "$dir/embed" "$top/models/BouncingBall.mo"
    flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs --static acausal | sed "s|-lacausal|$lib/libacausal.a|")
    cc -std=c11 "$top/examples/embed.c" $flags -o "$dir/static" || failed=$((failed + 1))
    check "Python, with what is installed" 0 '^0.7$' env PYTHONPATH="$(dirname "$package")" /usr/bin/python3 -c "
import acausal
model = acausal.load('$top/models/BouncingBall.mo')
model.set('e', 0.7)
print(model.get('e'))"
    mkdir "$dir/project"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(user C)' 'find_package(acausal 0.1 REQUIRED)' \
        "add_executable(user $top/examples/embed.c)" 'target_link_libraries(user acausal::acausal)' >"$dir/project/CMakeLists.txt"
    check "CMake finds it" 0 'user' sh -c "cmake -S '$dir/project' -B '$dir/project/build' -DCMAKE_PREFIX_PATH='$dir' && cmake --build '$dir/project/build'"
    check "and its example runs" 0 '^e = 0.7071' "$dir/project/build/user" "$top/models/BouncingBall.mo"
    check "the same with the archive" 0 '^e = 0.7071' "$dir/static" "$top/models/BouncingBall.mo"
else
    echo "skipped: no pkg-config"
fi

check_end
