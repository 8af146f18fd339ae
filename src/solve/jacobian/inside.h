/* inside.h: what files of difference Jacobians share: groups of columns that are moved together,
 * several increments (ladder.c), jumps of f (jump.c), its rounding errors (noise.c), increments
 * (increment.c). */
#ifndef ACAUSAL_SOLVE_JACOBIAN_INSIDE_H
#define ACAUSAL_SOLVE_JACOBIAN_INSIDE_H

#include "solve/core/vectors.h"
#include "solve/jacobian/jacobian.h"

/* Where a difference is taken: f(t, y), or F(t, y, y' + c (y - y0)). */
typedef struct {
    double t, c;
    const double *y, *yp; /* yp NULL: f */
} DifferencePoint;

/* Columns that are moved together: group *k; a column of its own where there are no colours. */
typedef struct {
    const int *column;
    int n;
} Group;

int group_count(const Jacobian *jacobian);
Group group_of(const Jacobian *jacobian, const int *k);
void group_move(Jacobian *jacobian, const DifferencePoint *p, Group g, const double *delta);
void group_back(Jacobian *jacobian, const DifferencePoint *p, Group g);
/* f with a group moved by jacobian->delta, into jacobian->f; a trial that fails is repeated on the
 * other side. near: an indicator is near a root, so that increments that cross it are turned or
 * shortened. */
EvalStatus group_trial(Solver *s, Jacobian *jacobian, const DifferencePoint *p, Group g, bool near);
/* Fills the columns of a group from that. */
EvalStatus group_differences(Solver *s, Jacobian *jacobian, const DifferencePoint *p, Group g,
                             const double *f0, bool near);
/* f or the residual at jacobian->y; counted. */
EvalStatus difference_f(Solver *s, Jacobian *jacobian, const DifferencePoint *p, double *out);
/* Whether jacobian->y lies beyond a root of an indicator, as seen from the point. */
bool difference_crosses(Solver *s, Jacobian *jacobian, const DifferencePoint *p);

/* Differences of the default rule, which compare several increments now and then and remember what
 * suits each entry. */
Jump *jump_new(Solver *s);
EvalStatus jump_mend(Solver *s, Jacobian *jacobian, const DifferencePoint *p, const double *f0);
/* Rounding errors of f at a point, by row; false, and nothing, where f cannot be evaluated. */
Noise *noise_new(Solver *s);
bool noise_measure(Solver *s, Jacobian *jacobian, const DifferencePoint *p, const double *f0, double *noise);
Ladder *ladder_new(Solver *s, Jacobian *jacobian);
void ladder_remember(Jacobian *jacobian); /* before values are overwritten */
EvalStatus ladder_differences(Solver *s, Jacobian *jacobian, const DifferencePoint *p, const double *f0,
                              const IncrementInput *in, bool near);

/* df/dy by differences with these increments; where f is not defined there, with the opposite
 * ones. */
EvalStatus jacobian_by(Solver *s, Jacobian *jacobian, double t, const double *y, const double *f,
                       const double *delta);
/* df/dy by extrapolated central differences, for a Jacobian that was set up so. */
Extrapolation *extrapolation_new(Solver *s);
EvalStatus jacobian_extrapolated(Solver *s, Jacobian *jacobian, double t, const double *y, const double *f);
/* What rules look at, at a point; the default rule's memory takes notice of it. */
IncrementInput jacobian_point(Solver *s, Jacobian *jacobian, const double *y, const double *f, double h);
/* What the default rule takes for the size of a component: |y|, or a floor below. f_norm: |h|
 * ||f||, weighted. */
/* The largest that an unknown may be thought to become. */
double increment_reach(const IncrementInput *in, int i);
double increment_size(const IncrementInput *input, int i, double f_norm);

#endif
