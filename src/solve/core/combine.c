/* combine.c: sums of stages with weights, out = y + h sum w_j k_j, for methods whose weights are a
 * table. Always: columns of weight zero are not read. Cost: O(terms n). Tests:
 * tests/solve/combine_test.c, methods_test.c. */
#include "solve/core/combine.h"

void terms_make(Terms *terms, int m, const double *w, const double *v, double *const *k)
{
    *terms = (Terms){ 0 };
    for (int j = 0; j < m; j++)
        if (w[j] != 0.0 || (v && v[j] != 0.0))
            terms->term[terms->count++] = (Term){ .weight = w[j], .second = v ? v[j] : 0.0, .k = k[j] };
}

void terms_combine(int n, const double *y, double h, const Terms *terms, double *out)
{
    const Term *end = terms->term + terms->count;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (const Term *m = terms->term; m != end; m++) sum += m->weight * m->k[i];
        out[i] = (y ? y[i] : 0.0) + h * sum;
    }
}

void terms_combine_two(int n, const double *y, double h, const Terms *terms, double *out, double *second)
{
    const Term *end = terms->term + terms->count;
    for (int i = 0; i < n; i++) {
        double sum = 0.0, other = 0.0;
        for (const Term *m = terms->term; m != end; m++) {
            sum += m->weight * m->k[i];
            other += m->second * m->k[i];
        }
        out[i] = (y ? y[i] : 0.0) + h * sum;
        second[i] = other;
    }
}
