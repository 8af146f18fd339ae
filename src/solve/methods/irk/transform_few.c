/* transform_few.c: Newton's iteration of collocation methods of few unknowns in one go.
 *
 * In: right-hand sides at the stages, z, and inverses of lambda/h - J, the real one, if there is
 * one, before those of pairs. Out: new z and stages, and how far they moved. How: what transform.c
 * does in loops around solutions with factors, with all components of a stage in one register and
 * products with inverses between the transformations, so that no number passes through memory from
 * f to the next stage. An inverse is good enough here, since defects are made anew in each
 * iteration. Always: z of what lies after the last component stays as it is. Cost: 3 s^2 + 2 s n
 * products of registers. Tests: tests/solve/collocation_test.c, methods_test.c. */
#include "solve/methods/irk/inside.h"

enum { STAGES = COLLOCATION_STAGES };

/* v = T^-1 (r - A^-1 z / h), then the solutions. */
INLINE void solve_systems(bool is_wide, int s, int n, const FewWork *w, const Four *z, Four *u)
{
    const Collocation *m = w->method;
    Four d[STAGES];
    for (int i = 0; i < s; i++)
        d[i] = fresh_four_at(w->r[i]) - w->inverse_h * four_row_times(is_wide, s, m->four.inverse[i], z);
    if (s % 2) u[0] = few_times(is_wide, n, w->inverse, four_row_times(is_wide, s, m->four.ti[0], d));
    for (int p = 0, at = s % 2; p < s / 2; p++, at += 2) {
        u[at] = four_row_times(is_wide, s, m->four.ti[at], d);
        u[at + 1] = four_row_times(is_wide, s, m->four.ti[at + 1], d);
        few_times_complex(is_wide, n, w->inverse + s % 2 + p, &u[at], &u[at + 1]);
    }
}

INLINE double iterate(bool is_wide, int s, int n, const FewWork *w, const FewEstimate *none)
{
    (void)none;
    Four z[STAGES], u[STAGES], y = four_at(w->y), weight = four_at(w->weight), change = { 0.0 };
    Bits kept = four_in_range(n);
    Sum sum = { 0 };
    for (int i = 0; i < s; i++) z[i] = four_at(w->z[i]);
    solve_systems(is_wide, s, n, w, z, u);
    for (int i = 0; i < s; i++) {
        change = (Four)((Bits)four_row_times(is_wide, s, w->method->four.t[i], u) & kept);
        Four weighted = change * weight; /* squares of either may overflow */
        z[i] += change;
        group_to(is_wide, w->z[i], z[i]);
        group_to(is_wide, w->stage[i], y + z[i]);
        sum_add(is_wide, &sum, weighted * weighted);
    }
    group_to(is_wide, w->change, change);
    return four_sum(sum_so_far(is_wide, &sum)) * (1.0 / (n * s));
}

INLINE double mean_square(int n, Four v, Four weight)
{
    Four weighted = v * weight;
    weighted *= weighted;
    return (n < 4 ? (weighted[0] + weighted[1]) + (n < 3 ? 0.0 : weighted[2]) : four_sum(weighted)) *
           (1.0 / n);
}

/* The estimate e of a step and (1 - F)^k e, F = c (c - J)^-1. */
INLINE double estimate(bool is_wide, int s, int n, const FewWork *w, const FewEstimate *to)
{
    const Collocation *m = w->method;
    const FewInverse *inverse = w->inverse + (s % 2 ? 0 : s / 2);
    double c = m->gamma * w->inverse_h;
    Four sum = m->e[0] * four_at(w->z[0]), weight = four_at(w->weight);
    for (int i = 1; i < s; i++) sum += m->e[i] * four_at(w->z[i]);
    Four e = few_times(is_wide, n, inverse, fresh_four_at(to->f0) + c * sum);
    group_to(is_wide, to->error, e);
    to->square[0] = mean_square(n, e, weight);
    for (int k = 1; k <= to->rounds; k++) {
        e -= few_times(is_wide, n, inverse, c * e);
        to->square[k] = mean_square(n, e, weight);
    }
    group_to(is_wide, to->rest, e);
    return 0.0;
}

/* loop(w, to) calls group(is_wide, s, n, w, to) with constants. */
#define FEW_LOOP(loop, group)                                                                                \
    INLINE double loop##_stages(bool is_wide, int s, const FewWork *w, const FewEstimate *to)                \
    {                                                                                                        \
        switch (w->n) {                                                                                      \
        case 2: return group(is_wide, s, 2, w, to);                                                          \
        case 3: return group(is_wide, s, 3, w, to);                                                          \
        default: return group(is_wide, s, 4, w, to);                                                         \
        }                                                                                                    \
    }                                                                                                        \
    INLINE double loop##_any(bool is_wide, const FewWork *w, const FewEstimate *to)                          \
    {                                                                                                        \
        switch (w->method->s) {                                                                              \
        case 2: return loop##_stages(is_wide, 2, w, to);                                                     \
        case 3: return loop##_stages(is_wide, 3, w, to);                                                     \
        case 5: return loop##_stages(is_wide, 5, w, to);                                                     \
        default: return loop##_stages(is_wide, 7, w, to);                                                    \
        }                                                                                                    \
    }                                                                                                        \
    static double loop##_plain(const FewWork *w, const FewEstimate *to) { return loop##_any(false, w, to); } \
    WIDE_LOOP static double loop##_wide(const FewWork *w, const FewEstimate *to)                             \
    {                                                                                                        \
        return loop##_any(true, w, to);                                                                      \
    }                                                                                                        \
    static double loop(const FewWork *w, const FewEstimate *to)                                              \
    {                                                                                                        \
        return (PROCESSOR_IS_WIDE ? loop##_wide : loop##_plain)(w, to);                                      \
    }
FEW_LOOP(iterate_any, iterate)
FEW_LOOP(estimate_any, estimate)

double transform_iterate(const FewWork *w) { return iterate_any(w, NULL); }
void transform_estimate(const FewWork *w, const FewEstimate *to) { estimate_any(w, to); }

bool transform_has_few(int stages) { return stages >= 2 && stages != 4 && stages != 6; }
