/* start.h: what is found out about a problem before a method knows it: a first step (start.c) and
 * the size of the largest eigenvalue (spectral.c). */
#ifndef ACAUSAL_SOLVE_START_H
#define ACAUSAL_SOLVE_START_H

#include "solve/core/vectors.h"

/* A first step for a method of this order: f0 = f(t, y), weights as above. Two vectors of scratch.
 * Positive; at most the way to t_end. One evaluation of f. Hairer, Norsett, Wanner, II.4. */
double start_step(Solver *s, int order, const double *f0, const double *w, double *scratch1,
                  double *scratch2);

/* |lambda|, or 0; f0 = f(t, y), weights w; three vectors of scratch. */
double spectral_radius(Solver *s, const double *f0, const double *w, double *v, double *y, double *f);

#endif
