/* combine.c: sums of stages with weights, out = y + h sum w_j k_j, for methods whose weights are a table.
 *
 * In: vectors with room for whole groups of four components (solver_vector), weights. Out: the sum. How: a
 * group of four components at a time in registers, all columns of it. Always: columns of weight zero are not read, but for the one that fills up. Cost: O(terms n).
 * Tests: tests/solve/combine_test.c, methods_test.c. */
#include "solve/inside.h"

enum { FEW_UNKNOWNS = 16 };

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

/* Four at a time in registers, and two sums for each, so that additions do not wait. The last term is that of the newest
 * stage, so everything else is done before it. */
static void combine_few(int n, const double *y, double h, const Terms *terms, double *out)
{
    const Two zero = { 0.0, 0.0 };
    double newest = h * terms->end->weight;
    for (int i = 0; i < n; i += 4) {
        Two a = zero, b = zero, c = zero, d = zero, *to = (Two *)(out + i);
        for (const Term *m = terms->term; m != terms->end; m += 2) {
            const double *k = m[0].k + i, *l = m[1].k + i;
            a += m[0].weight * two_at(k), b += m[0].weight * two_at(k + 2);
            c += m[1].weight * two_at(l), d += m[1].weight * two_at(l + 2);
        }
        a = h * (a + c), b = h * (b + d);
        if (y) a += two_at(y + i), b += two_at(y + i + 2);
        to[0] = a + newest * fresh_at(terms->end->k + i);
        to[1] = b + newest * fresh_at(terms->end->k + i + 2);
    }
}

static void combine_few_two(int n, const double *y, double h, const Terms *terms, double *out, double *second)
{
    const Two zero = { 0.0, 0.0 };
    for (int i = 0; i < n; i += 4) {
        Two a = zero, b = zero, c = zero, d = zero, *to = (Two *)(out + i), *also = (Two *)(second + i);
        const Term *m = terms->term;
        for (; m != terms->end; m++) {
            Two k = two_at(m->k + i), l = two_at(m->k + i + 2);
            a += m->weight * k, b += m->weight * l;
            c += m->second * k, d += m->second * l;
        }
        Two k = fresh_at(m->k + i), l = fresh_at(m->k + i + 2);
        a *= h, b *= h;
        if (y) a += two_at(y + i), b += two_at(y + i + 2);
        to[0] = a + h * m->weight * k;
        to[1] = b + h * m->weight * l;
        also[0] = c + m->second * k;
        also[1] = d + m->second * l;
    }
}

/* A group at a time for all terms, of which there are fewer than streams that a processor fetches ahead; second NULL: without it. */
INLINE void combine_many(int n, const double *y, double h, const Terms *terms, double *out, double *second)
{
    for (int i = 0; i < n; i += 4) {
        Four a = { 0.0 }, b = { 0.0 };
        for (const Term *m = terms->term; m <= terms->end; m++) {
            Four k = four_at(m->k + i);
            a += m->weight * k;
            if (second) b += m->second * k;
        }
        a *= h;
        if (y) a += four_at(y + i);
        four_to(out + i, a);
        if (second) four_to(second + i, b);
    }
}

static void combine_plain(int n, const double *y, double h, const Terms *terms, double *out, double *second)
{
    combine_many(n, y, h, terms, out, second);
}

WIDE_LOOP static void combine_wide(int n, const double *y, double h, const Terms *terms, double *out,
                                   double *second)
{
    if (second)
        combine_many(n, y, h, terms, out, second);
    else
        combine_many(n, y, h, terms, out, NULL);
}

void terms_combine(int n, const double *y, double h, const Terms *terms, double *out)
{
    if (n <= FEW_UNKNOWNS)
        combine_few(n, y, h, terms, out);
    else
        (PROCESSOR_IS_WIDE ? combine_wide : combine_plain)(n, y, h, terms, out, NULL);
}

void terms_combine_two(int n, const double *y, double h, const Terms *terms, double *out, double *second)
{
    if (n <= FEW_UNKNOWNS)
        combine_few_two(n, y, h, terms, out, second);
    else
        (PROCESSOR_IS_WIDE ? combine_wide : combine_plain)(n, y, h, terms, out, second);
}
