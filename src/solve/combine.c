/* combine.c: sums of stages with weights, out = y + h sum w_j k_j, for methods whose weights are a table.
 *
 * In: vectors with room for whole groups of four components (solver_vector), weights. Out: the sum. How: few unknowns
 * in registers, a group at a time; many in streams of four columns, part by part, so that sums stay in the nearest
 * cache while columns go by. Always: columns of weight zero are not read, but for the one that fills up. Cost: O(terms n).
 * Tests: tests/solve/combine_test.c, methods_test.c. */
#include "solve/inside.h"

enum { FEW_UNKNOWNS = 16, PART = 512 };

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

/* Four columns of stages with their weights. */
typedef struct {
    const double *k[4];
    double w[4];
} Columns;

static void begin_sum(int n, const double *restrict y, const Columns *columns, double *restrict out)
{
    const double *restrict a = columns->k[0], *restrict b = columns->k[1], *restrict c = columns->k[2],
                           *restrict d = columns->k[3];
    double wa = columns->w[0], wb = columns->w[1], wc = columns->w[2], wd = columns->w[3];
    if (y)
        for (int i = 0; i < n; i++) out[i] = y[i] + wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
    else
        for (int i = 0; i < n; i++) out[i] = wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
}

static void add_sum(int n, const Columns *columns, double *restrict out)
{
    const double *restrict a = columns->k[0], *restrict b = columns->k[1], *restrict c = columns->k[2],
                           *restrict d = columns->k[3];
    double wa = columns->w[0], wb = columns->w[1], wc = columns->w[2], wd = columns->w[3];
    for (int i = 0; i < n; i++) out[i] += wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
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
        to[0] = two_at(y + i) + h * a + h * m->weight * k;
        to[1] = two_at(y + i + 2) + h * b + h * m->weight * l;
        also[0] = c + m->second * k;
        also[1] = d + m->second * l;
    }
}

/* Components first .. first + n - 1; a group that is not full gets its first column again, with weight 0. */
static void combine_part(int first, int n, const double *y, double h, const Terms *terms, bool is_second,
                         double *out)
{
    for (int c = 0; c < terms->count; c += 4) {
        Columns columns;
        for (int j = 0; j < 4; j++) {
            bool is_there = c + j < terms->count;
            const Term *term = &terms->term[is_there ? c + j : c];
            columns.k[j] = term->k + first;
            columns.w[j] = is_there ? h * (is_second ? term->second : term->weight) : 0.0;
        }
        if (c == 0)
            begin_sum(n, y, &columns, out);
        else
            add_sum(n, &columns, out);
    }
}

static void combine_many(int n, const double *y, double h, const Terms *terms, bool is_second, double *out)
{
    for (int first = 0; first < n; first += PART) {
        int here = n - first < PART ? n - first : PART;
        combine_part(first, here, y ? y + first : NULL, h, terms, is_second, out + first);
    }
}

void terms_combine(int n, const double *y, double h, const Terms *terms, double *out)
{
    if (n <= FEW_UNKNOWNS)
        combine_few(n, y, h, terms, out);
    else
        combine_many(n, y, h, terms, false, out);
}

void terms_combine_two(int n, const double *y, double h, const Terms *terms, double *out, double *second)
{
    if (n <= FEW_UNKNOWNS) {
        combine_few_two(n, y, h, terms, out, second);
        return;
    }
    combine_many(n, y, h, terms, false, out);
    combine_many(n, NULL, 1.0, terms, true, second);
}
