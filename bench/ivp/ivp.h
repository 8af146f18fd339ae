/* ivp.h: the initial value problems that integrators are measured on, each written from its
 * equations.
 *
 * A problem is a row: equations as a ModelType, a shape, initial values, an interval, tolerances in
 * relation, and the solution at the end that two independent methods agree on (docs/methods.md says
 * which). */
#ifndef ACAUSAL_BENCH_IVP_H
#define ACAUSAL_BENCH_IVP_H

#include "model/model.h"

typedef struct {
    const char *name;
    int n;
    double t0, t_end;
    /* times between where the right-hand side jumps; a run restarts there, and model->data is an
     * int that counts them */
    const double *stops;
    int stop_count;
    bool stiff;
    /* of an error made on the way until the end, at worst, as ivp_growth says; 0: at most 1 */
    double growth;
    double atol_share;         /* atol = atol_share * rtol */
    double atol_fixed;         /* or this, whatever rtol is; then errors are measured relatively */
    const double *atol_shares; /* n of them instead; NULL: the one above */
    const double *reference;   /* values at t_end; NAN: the component is not measured */
    int reference_stride;      /* the reference holds every so many-th component; 0: each */
    int reference_count;       /* only so many leading components have one; 0: all */
    ModelType type;
    const double *mass; /* diagonal, or values of mass_entries; NULL: identity */
    const Entry *mass_entries;
    int mass_count;
    const unsigned char *index;
    const Pattern *(*pattern)(Arena *arena);
    void (*start)(double *y0);
} IvpProblem;

extern const IvpProblem *const ivp_problems[];
extern const size_t ivp_problem_count;

/* Makes the model and its initial values; all lives in the arena. */
Model *ivp_model(const IvpProblem *problem, Arena *arena, double **y0);
/* -log10 max |y - ref| / (|ref| + atol/rtol) over the components with a reference. */
double ivp_digits(const IvpProblem *problem, const double *y);
/* max |y - ref| / (rtol |ref| + atol) over them. */
double ivp_error(const IvpProblem *problem, const double *y, double rtol);
/* growth.c: by how much the largest of some changes on the way is larger at the end, both in
 * tolerances; NAN: a run failed. */
double ivp_growth(const IvpProblem *problem);
/* Problems that grow by more excuse methods, and are not judged. */
static const double IVP_MOST_GROWTH = 30.0;
double ivp_atol(const IvpProblem *problem, int i, double rtol);

#endif
