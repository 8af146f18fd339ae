#!/bin/sh
# The sums that make increments representable survive optimisation: increment.c is compiled at -O3, also with the licence to
# reorder sums that would fold (y + d) - y into d, by every compiler that is here, and has to give the same increments.
here=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat > "$dir/main.c" <<'END'
#include "solve/core/solver.h"
#include <stdio.h>
double norm_rms(int n, const double *v, const double *w) { return n ? fabs(v[0] * w[0]) : 0.0; }
int main(void)
{
    static const double y[] = { 5432.1, -3.7, 1e-9, 123456.789 };
    enum { N = COUNT_OF(y) };
    double weight[N] = { 1e6, 1e6, 1e6, 1e6 }, f[N] = { 1, 1, 1, 1 };
    IncrementInput in = { .n = N, .y = y, .f = f, .weight = weight, .h = 1.0, .rtol = 1e-6 };
    int wrong = 0;
    for (int post = POST_1; post <= POST_3; post++)
        for (size_t rule = 0; rule < increment_type_count; rule++) {
            double raw[N], delta[N];
            increment_choose(&increment_types[rule], POST_NONE, &in, raw);
            increment_choose(&increment_types[rule], (IncrementPost)post, &in, delta);
            for (int i = 0; i < N; i++) {
                volatile double sum = y[i] + delta[i];
                volatile double back = sum - y[i];
                wrong += back != delta[i];
            }
        }
    printf("%d\n", wrong);
    return wrong != 0;
}
END
failed=0 tried=0
for compiler in gcc clang cc; do
    command -v "$compiler" > /dev/null || continue
    for flags in "-O3" "-O3 -fno-math-errno -fassociative-math -fno-signed-zeros -fno-trapping-math"; do
        tried=$((tried + 1))
        # shellcheck disable=SC2086
        if ! "$compiler" -std=gnu11 $flags -I"$here/src" -o "$dir/fold" "$dir/main.c" "$here/src/solve/jacobian/increment.c" -lm ||
            ! "$dir/fold" > "$dir/out"; then
            failed=$((failed + 1))
            echo "failed: $compiler $flags: $(cat "$dir/out") increments are not representable"
        fi
    done
done
[ "$tried" -gt 0 ] || { echo "skipped: no compiler"; exit 77; }
echo "$tried checks, $failed failed"
[ "$failed" -eq 0 ]
