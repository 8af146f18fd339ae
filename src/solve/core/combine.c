/* combine.c: sums of stages with weights, out = y + h sum w_j k_j, for methods whose weights are a
 * table.
 *
 * In: vectors with room for whole groups of four components (solver_vector), weights. Out: the sum.
 * How: a group of four components at a time in registers, all columns of it. Always: columns of
 * weight zero are not read, but for the one that fills up. Cost: O(terms n). Tests:
 * tests/solve/combine_test.c, methods_test.c. */
#include "solve/core/combine.h"

void terms_make(Terms *terms, int m, const double *w, const double *v, double *const *k, const double *filler)
{
    *terms = (Terms){ 0 };
    for (int j = 0; j < m; j++)
        if (w[j] != 0.0 || (v && v[j] != 0.0))
            terms->term[terms->count++] = (Term){ .weight = w[j], .second = v ? v[j] : 0.0, .k = k[j] };
    Term last = terms->term[terms->count ? terms->count - 1 : 0];
    if (terms->count == 0) last.k = filler, terms->count = 1;
    if (terms->count % 2 == 0) terms->term[terms->count - 1] = (Term){ .k = filler }, terms->count++;
    terms->term[terms->count - 1] = last;
    terms->end = terms->term + terms->count - 1;
}

/* A group at a time for all terms, of which there are fewer than streams that a processor fetches
 * ahead; two sums, so that additions do not wait. The last term is that of the newest stage, so
 * everything else is done before it; of few unknowns it is read one by one, as it was written just
 * before. second NULL: without it. */
INLINE void combine(bool is_wide, int n, const double *y, double h, const Terms *terms, bool is_fresh,
                    double *out, double *second)
{
    double newest = h * terms->end->weight;
    for (int i = 0; i < n; i += 4) {
        Sum a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
        for (const Term *m = terms->term; m != terms->end; m += 2) {
            Four k = four_at(m[0].k + i), l = four_at(m[1].k + i);
            sum_add(is_wide, &a, m[0].weight * k);
            sum_add(is_wide, &b, m[1].weight * l);
            if (!second) continue;
            sum_add(is_wide, &c, m[0].second * k);
            sum_add(is_wide, &d, m[1].second * l);
        }
        Four sum = h * (sum_so_far(is_wide, &a) + sum_so_far(is_wide, &b));
        if (y) sum += four_at(y + i);
        const double *last = terms->end->k + i;
        Four k = is_fresh ? fresh_four_at(last) : four_at(last);
        group_to(is_wide, out + i, sum + newest * k);
        if (!second) continue;
        sum = sum_so_far(is_wide, &c) + sum_so_far(is_wide, &d);
        group_to(is_wide, second + i, sum + terms->end->second * k);
    }
}

INLINE void combine_any(bool is_wide, int n, const double *y, double h, const Terms *terms, double *out,
                        double *second)
{
    if (n > FRESH_UNKNOWNS)
        combine(is_wide, n, y, h, terms, false, out, second);
    else
        combine(is_wide, n, y, h, terms, true, out, second);
}

static void one_plain(int n, const double *y, double h, const Terms *terms, double *out)
{
    combine_any(false, n, y, h, terms, out, NULL);
}

WIDE_LOOP static void one_wide(int n, const double *y, double h, const Terms *terms, double *out)
{
    combine_any(true, n, y, h, terms, out, NULL);
}

void terms_combine(int n, const double *y, double h, const Terms *terms, double *out)
{
    (PROCESSOR_IS_WIDE ? one_wide : one_plain)(n, y, h, terms, out);
}

static void two_plain(int n, const double *y, double h, const Terms *terms, double *out, double *second)
{
    combine_any(false, n, y, h, terms, out, second);
}

WIDE_LOOP static void two_wide(int n, const double *y, double h, const Terms *terms, double *out,
                               double *second)
{
    combine_any(true, n, y, h, terms, out, second);
}

void terms_combine_two(int n, const double *y, double h, const Terms *terms, double *out, double *second)
{
    (PROCESSOR_IS_WIDE ? two_wide : two_plain)(n, y, h, terms, out, second);
}
