/* vectors.h: weights from tolerances, the weighted root-mean-square norm (norm.c), and loops over
 * vectors that all methods share. */
#ifndef ACAUSAL_SOLVE_VECTORS_H
#define ACAUSAL_SOLVE_VECTORS_H

#include "solve/core/solver.h"

/* w[i] = 1 / (rtol |y[i]| + atol[i]). False, and s->failure set, when a weight is not finite. */
bool solver_weights(Solver *s, const double *y, double *w);
/* the same times scale */
bool solver_weights_scaled(Solver *s, const double *y, double scale, double *w);
/* Weights from the larger of two vectors, as error tests of one-step methods want them. */
bool solver_weights_of_two(Solver *s, const double *a, const double *b, double *w);
/* After a step that is not much longer than the spacing of time: a component that passes through 0
 * is as large as it was a step ago, or will be. Else a value that happens to lie near 0 would ask
 * for steps that time cannot take. Does nothing after other steps. `scale`: as above. */
bool solver_weights_of_tiny_step(Solver *s, double h, const double *change, double scale, double *w);
bool is_tiny_step(double t, double h);
/* sqrt(1/n sum (v w)^2), its square, and the component with the largest term. */
double norm_rms(int n, const double *v, const double *w);
double norm_square(int n, const double *v, const double *w);
int norm_worst(int n, const double *v, const double *w);
/* out = a - b, and the square of that; out may be a or b. */
double norm_square_of_difference(int n, const double *a, const double *b, const double *w, double *out);
int vector_first_bad(int n, const double *v); /* -1 if all are finite */
/* 0 times a finite number is 0, times anything else NaN. */
static inline bool vector_is_finite(int n, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += v[i] * 0.0;
    return sum == 0.0;
}

/* Blames the component that is not finite; EVAL_RETRY. */
EvalStatus solver_blame(Solver *s, const double *v);
/* f(t, y), counted; who calls this looks at the numbers. */
static inline EvalStatus solver_f_unseen(Solver *s, double t, const double *y, double *f)
{
    s->stats.f++;
    return s->model->type->derivatives(s->model, t, y, f);
}
/* The same, looked at. */
static inline EvalStatus solver_f(Solver *s, double t, const double *y, double *f)
{
    EvalStatus status = solver_f_unseen(s, t, y, f);
    return status != EVAL_OK || vector_is_finite(s->n, f) ? status : solver_blame(s, f);
}

/* v = from + c u; whether all of v are numbers then. */
static inline bool vector_sum(int n, const double *from, double c, const double *u, double *v)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += (v[i] = from[i] + c * u[i]) * 0.0;
    return sum == 0.0;
}
static inline bool vector_add(int n, double c, const double *u, double *v)
{
    return vector_sum(n, v, c, u, v);
}

/* v = c u */
static inline void vector_scale(int n, double c, const double *u, double *v)
{
    for (int i = 0; i < n; i++) v[i] = c * u[i];
}

static inline void vector_copy(int n, const double *from, double *to)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

static inline double vector_largest(size_t n, const double *v)
{
    double most = 0.0;
    for (size_t k = 0; k < n; k++) most = most > fabs(v[k]) ? most : fabs(v[k]);
    return most;
}
static inline void vector_clear(int n, double *v) { memset(v, 0, (size_t)n * sizeof *v); }

/* Of numbers that are not NaN; fmax and fmin are calls. */
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }
/* c x^k; pow would be slower. */
static inline double times_power(double c, double x, int k)
{
    for (; k > 0; k--) c *= x;
    return c;
}

/* How many unknowns the error test looks at: they come first. */
static inline int solver_counted(const Solver *s)
{
    return s->options.error_test == ERRORS_OF_FIRST ? model_system_size(s->model) : s->n;
}

#endif
