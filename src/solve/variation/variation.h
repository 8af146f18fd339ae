/* variation.h: vectors that are linear once the first one is known: simultaneous sensitivity
 * systems (variation.c). */
#ifndef ACAUSAL_SOLVE_VARIATION_H
#define ACAUSAL_SOLVE_VARIATION_H

#include "solve/jacobian/jacobian.h"
#include "solve/nonlinear/newton.h"
#include "solve/tables/collocation.h"

typedef struct {
    Solver *s;
    Jacobian *jac;
    Model *whole;   /* while narrow */
    bool is_there;  /* the model has such vectors, and can say so */
    bool from_zero; /* iterations need no guess: the last ones ended at once */
    int n, m;       /* of a vector; vectors beside the first */
    double *values[COLLOCATION_STAGES], *g[COLLOCATION_STAGES]; /* by stage: J, and m vectors */
    /* a group of vectors */
    double *z[COLLOCATION_STAGES], *r[COLLOCATION_STAGES], *own[COLLOCATION_STAGES];
    double *start, *weight, *x, *slope, *pairs;
    /* by number of stages: of all of them; NULL: too many unknowns */
    Lu *at_once[COLLOCATION_STAGES + 1];
    double *matrix, *together; /* likewise */
    int *places;               /* of the entries of J in `values`, by columns; -1: none */
} Variation;

/* A step of a collocation method from (t, y), all vectors; the first one's part of z is right. */
typedef struct {
    const Collocation *method;
    double t, h;
    const double *y, *weight;
    double *const *z;
    Lu *real, *const *pair;
    Newton *newton;
} VariationStep;

void variation_setup(Variation *v, Solver *s, Jacobian *jac, int stages);
/* The first vector is worked on as if it were all; or all of them are again. */
void variation_narrow(Variation *v, bool to_first);
/* J and g at a point of the first vector. */
EvalStatus variation_at(Variation *v, int stage, double t, const double *y);
TryResult variation_solve(Variation *v, const VariationStep *step);
/* For methods with one stage at a time: c L y - J y = g + L from, with J and g of stage 0 and
 * factors of its own. */
TryResult variation_direct(Variation *v, Lu *lu, double *matrix, double c, const double *from, double *y);
/* f of all vectors but the first, with J and g of a stage. */
void variation_slopes(Variation *v, int stage, const double *y, double *f);

#endif
