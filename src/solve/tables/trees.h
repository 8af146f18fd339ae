/* trees.h: order conditions of Runge-Kutta methods (trees.c). */
#ifndef ACAUSAL_SOLVE_TREES_H
#define ACAUSAL_SOLVE_TREES_H

#include "base/base.h"

#include <math.h>

enum { TREES_ORDER = 9, TREES_MOST = 600, TREES_CHILDREN = 8, TREES_STAGES = 17 };

/* A rooted tree: its subtrees as indices into the list, not rising; density gamma. */
typedef struct {
    int order, children, child[TREES_CHILDREN];
    long double gamma;
} Tree;

typedef struct {
    Tree tree[TREES_MOST];
    int n, first[TREES_ORDER + 2]; /* trees of order r: first[r] .. first[r+1]-1 */
} Forest;

/* A method as a full matrix, with the elementary weights of its stages. */
typedef struct {
    int n;
    long double a[TREES_STAGES][TREES_STAGES], phi[TREES_MOST][TREES_STAGES];
} TreeMethod;

/* All rooted trees up to TREES_ORDER. */
void trees_plant(Forest *forest);
/* Fills phi. */
void trees_weigh(const Forest *forest, TreeMethod *method);
/* The largest violation by weights w at the point x of the step over trees of this order. */
double trees_violation(const Forest *forest, const TreeMethod *method, const long double *w, int order,
                       long double x);
double trees_violation_up_to(const Forest *forest, const TreeMethod *method, const long double *w, int order,
                             long double x);

#endif
