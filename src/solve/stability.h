/* stability.h: what methods make of y' = lambda y (stability.c). */
#ifndef ACAUSAL_SOLVE_STABILITY_H
#define ACAUSAL_SOLVE_STABILITY_H

#include "solve/solve.h"

/* With z = h lambda: a step multiplies y by R(z); of a multistep method the largest root of the
 * characteristic polynomial counts. */
typedef struct Stability Stability;

/* Of a method with fixed steps; `order` of those that have several, 0: the first. How R is known:
 * "tableau", "polynomial", or "steps", one of them for each z. NULL: *why says why not. */
Stability *stability_new(Arena *arena, const SolverType *type, int order, const char **why);
/* The factor, or the root of largest size, at z = (re, im); in `value` if not NULL. Returns its
 * size. */
double stability_at(const Stability *stability, double re, double im, double value[2]);
const char *stability_source(const Stability *stability);
bool stability_is_one_step(const Stability *stability);
int stability_order(const Stability *stability);
/* The orders that a linear multistep method has; 1: it is none. */
int stability_orders(const SolverType *type);

/* rho and sigma of a linear multistep method of q steps: sum rho_j y_j = h sum sigma_j f_j, the
 * oldest first, rho_k = 1; k: how many steps. */
typedef enum { LINEAR_BASHFORTH, LINEAR_MOULTON, LINEAR_BDF } LinearFamily;
enum { LINEAR_MOST = 12 };
typedef struct {
    int k;
    double rho[LINEAR_MOST + 1], sigma[LINEAR_MOST + 1];
} LinearMethod;
void linear_method(LinearFamily family, int order, LinearMethod *method);

#endif
