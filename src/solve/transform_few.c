/* transform_few.c: Newton's iteration of collocation methods of few unknowns in one go.
 *
 * In: right-hand sides at the stages, z, and inverses of lambda/h - J, the real one, if there is one, before those of pairs. Out: new z and stages, and
 * how far they moved. How: what transform.c does in loops around solutions with factors, with all components of a stage in one register and
 * products with inverses between the transformations, so that no number passes through memory from f to the next stage. An inverse is good enough
 * here, since defects are made anew in each iteration. Always: z of what lies behind the last component stays as it is. Cost: 3 s^2 + 2 s n products of
 * registers. Tests: tests/solve/collocation_test.c, methods_test.c. */
#include "solve/inside.h"

enum { STAGES = COLLOCATION_STAGES };

/* v = T^-1 (r - A^-1 z / h), then the solutions. */
INLINE void solve_systems(int s, int n, const FewWork *w, const Four *z, Four *u)
{
    const Collocation *m = w->method;
    Four d[STAGES];
    for (int i = 0; i < s; i++)
        d[i] = fresh_four_at(w->r[i]) - w->inverse_h * four_row_times(s, m->four.inverse[i], z);
    if (s % 2) u[0] = few_times(n, w->inverse, four_row_times(s, m->four.ti[0], d));
    for (int p = 0, at = s % 2; p < s / 2; p++, at += 2) {
        u[at] = four_row_times(s, m->four.ti[at], d);
        u[at + 1] = four_row_times(s, m->four.ti[at + 1], d);
        few_times_complex(n, w->inverse + s % 2 + p, &u[at], &u[at + 1]);
    }
}

INLINE double iterate(bool is_wide, int s, int n, const FewWork *w)
{
    Four z[STAGES], u[STAGES], y = four_at(w->y), weight = four_at(w->weight), change = { 0.0 };
    Bits kept = four_in_range(n);
    Sum sum = { 0 };
    for (int i = 0; i < s; i++) z[i] = four_at(w->z[i]);
    solve_systems(s, n, w, z, u);
    for (int i = 0; i < s; i++) {
        change = (Four)((Bits)four_row_times(s, w->method->four.t[i], u) & kept);
        Four weighted = change * weight; /* squares of either may overflow */
        z[i] += change;
        group_to(is_wide, w->z[i], z[i]);
        group_to(is_wide, w->stage[i], y + z[i]);
        sum_add(is_wide, &sum, weighted * weighted);
    }
    group_to(is_wide, w->change, change);
    return four_sum(sum_so_far(is_wide, &sum)) * (1.0 / (n * s));
}

INLINE double iterate_stages(bool is_wide, int s, const FewWork *w)
{
    switch (w->n) {
    case 2: return iterate(is_wide, s, 2, w);
    case 3: return iterate(is_wide, s, 3, w);
    default: return iterate(is_wide, s, 4, w);
    }
}

INLINE double iterate_any(bool is_wide, const FewWork *w)
{
    switch (w->method->s) {
    case 2: return iterate_stages(is_wide, 2, w);
    case 3: return iterate_stages(is_wide, 3, w);
    case 5: return iterate_stages(is_wide, 5, w);
    default: return iterate_stages(is_wide, 7, w);
    }
}

static double iterate_plain(const FewWork *w) { return iterate_any(false, w); }
WIDE_LOOP static double iterate_wide(const FewWork *w) { return iterate_any(true, w); }

bool transform_is_few(int stages, int n) { return stages >= 2 && stages != 4 && stages != 6 && n >= 2 && n <= LU_FEW; }

double transform_iterate(const FewWork *w) { return (PROCESSOR_IS_WIDE ? iterate_wide : iterate_plain)(w); }
