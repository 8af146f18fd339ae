/* trees.h: all rooted trees up to order 9, for the order conditions of Runge-Kutta methods: a method with
 * weights w has order p if sum_i w_i phi_i(tree) = 1/gamma(tree) for every tree of order up to p. */
#ifndef ACAUSAL_TESTS_TREES_H
#define ACAUSAL_TESTS_TREES_H

#include <math.h>

enum { MOST_ORDER = 9, MOST_TREES = 600, MOST_CHILDREN = 8, MOST_STAGES = 17 };

/* A rooted tree: its subtrees as indices into the list, not rising; density gamma. */
typedef struct {
    int order, children, child[MOST_CHILDREN];
    long double gamma;
} Tree;

typedef struct {
    Tree tree[MOST_TREES];
    int n, first[MOST_ORDER + 2]; /* trees of order r: first[r] .. first[r+1]-1 */
} Forest;

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

static void plant(Forest *f)
{
    f->n = 0;
    f->first[1] = 0;
    for (int order = 1; order <= MOST_ORDER; order++) {
        int most = f->n - 1;
        grow(f, (Tree){ .order = order }, order - 1, most);
        f->first[order + 1] = f->n;
    }
}

/* A method as a full matrix, with the elementary weights of its stages. */
typedef struct {
    int n;
    long double a[MOST_STAGES][MOST_STAGES], phi[MOST_TREES][MOST_STAGES];
} Method;

static void weigh(const Forest *f, Method *m)
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

/* The largest violation by weights w at the point x of the step over trees of this order. */
static double violation(const Forest *f, const Method *m, const long double *w, int order, long double x)
{
    long double worst = 0.0L;
    for (int t = f->first[order]; t < f->first[order + 1]; t++) {
        long double sum = -powl(x, order) / f->tree[t].gamma;
        for (int i = 0; i < m->n; i++) sum += w[i] * m->phi[t][i];
        worst = fmaxl(worst, fabsl(sum));
    }
    return (double)worst;
}

static double violation_up_to(const Forest *f, const Method *m, const long double *w, int order,
                              long double x)
{
    double worst = 0.0;
    for (int r = 1; r <= order; r++) worst = fmax(worst, violation(f, m, w, r, x));
    return worst;
}

#endif
