/* trees.c: the order conditions of Runge-Kutta methods, by rooted trees.
 *
 * A method with weights w has order p if sum_i w_i phi_i(tree) = 1/gamma(tree) for every rooted
 * tree of order up to p. phi of a tree is the product over its subtrees of A phi. In extended
 * precision. Cost: trees x stages^2; there are 486 trees up to order 9. Tests:
 * tests/solve/erk_test.c, dirk_test.c, tableau_test.c. */
#include "solve/tables/trees.h"

/* Adds subtrees with indices up to `most` until the order is used up. */
static void grow(Forest *f, Tree tree, int left, int most)
{
    if (left == 0) {
        tree.gamma = tree.order;
        for (int c = 0; c < tree.children; c++) tree.gamma *= f->tree[tree.child[c]].gamma;
        f->tree[f->n++] = tree;
        return;
    }
    for (int k = 0; k <= most; k++) {
        if (f->tree[k].order > left) break;
        Tree larger = tree;
        larger.child[larger.children++] = k;
        grow(f, larger, left - f->tree[k].order, k);
    }
}

void trees_plant(Forest *f)
{
    f->n = 0;
    f->first[1] = 0;
    for (int order = 1; order <= TREES_ORDER; order++) {
        int most = f->n - 1;
        grow(f, (Tree){ .order = order }, order - 1, most);
        f->first[order + 1] = f->n;
    }
}

void trees_weigh(const Forest *f, TreeMethod *m)
{
    for (int t = 0; t < f->n; t++)
        for (int i = 0; i < m->n; i++) {
            m->phi[t][i] = 1.0L;
            for (int c = 0; c < f->tree[t].children; c++) {
                long double sum = 0.0L;
                for (int j = 0; j < m->n; j++) sum += m->a[i][j] * m->phi[f->tree[t].child[c]][j];
                m->phi[t][i] *= sum;
            }
        }
}

double trees_violation(const Forest *f, const TreeMethod *m, const long double *w, int order, long double x)
{
    long double worst = 0.0L;
    for (int t = f->first[order]; t < f->first[order + 1]; t++) {
        long double sum = -powl(x, order) / f->tree[t].gamma;
        for (int i = 0; i < m->n; i++) sum += w[i] * m->phi[t][i];
        worst = fmaxl(worst, fabsl(sum));
    }
    return (double)worst;
}

double trees_violation_up_to(const Forest *f, const TreeMethod *m, const long double *w, int order,
                             long double x)
{
    double worst = 0.0;
    for (int r = 1; r <= order; r++) worst = fmax(worst, trees_violation(f, m, w, r, x));
    return worst;
}
