/* inside.h: what files of collocation methods share: loops of Newton's iteration (transform.c),
 * the method itself (irk.c), its estimates (irk_estimate.c), and where steps end
 * (irk_end.c). */
#ifndef ACAUSAL_SOLVE_IRK_INSIDE_H
#define ACAUSAL_SOLVE_IRK_INSIDE_H

#include "solve/core/damping.h"
#include "solve/core/onestep.h"
#include "solve/methods/irk/irk.h"
#include "solve/nonlinear/algebra.h"
#include "solve/nonlinear/newton.h"
#include "solve/variation/variation.h"

/* ---- transform.c: loops of Newton's iteration of collocation methods ------------------------- */

/* Vectors by stage, and the right-hand sides and solutions of the systems: one real, if the number
 * of stages is odd, and pairs. */
typedef struct {
    Collocation *method;
    int n;
    double *const *z, *const *r, *const *stage, *real, *const *pairs;
} TransformWork;

/* v = A^-1 z, by component. */
void transform_slopes(const TransformWork *work, double *const *v);
/* z at c_i h after the end of a step of another method, whose z is given, as the polynomial goes
 * on; ratio: of the steps. Stages are y + z. */
void transform_predict(const TransformWork *work, const Collocation *old, double *const *z_old, double ratio,
                       const double *y);
/* out = from + scale sum_i weight_i z_i; from NULL: without it. */
void transform_sum(const TransformWork *work, const double *weight, double scale, const double *from,
                   double *out);
/* Right-hand sides from f(stages) in r, whose defects are r - A^-1 z / h; with 0 for 1/h the
 * defects are in r. False: a number of r is not finite; then that component of `real` is not
 * either. */
bool transform_project(const TransformWork *work, double inverse_h);
/* From the solutions: z moves, the stages are y + z; returns the mean square of the change,
 * weighted. */
double transform_apply(const TransformWork *work, const double *y, const double *weight);
/* By how much that of the last stage moves; out may be any r. */
void transform_change_of_end(const TransformWork *work, double *out);

/* Radau IIA and Gauss methods: irk.c, their estimates: irk_estimate.c, and where steps end:
 * irk_end.c. */
/* A method: stages from `first` to `last` in steps of 2. */
typedef struct {
    CollocationFamily family;
    int first, last;
} IrkSpec;

/* Of Gauss methods with algebraic equations. */
typedef struct {
    bool is_there;
    Lu *lu;
    double *bend;  /* what algebraic equations add to the polynomial at the end of the last step */
    double *slope; /* there */
} IrkEnd;

typedef struct {
    OneStep one;
    const IrkSpec *spec;
    Collocation *method[COLLOCATION_STAGES + 1];                         /* by number of stages */
    double inner[COLLOCATION_STAGES + 1], kappa[COLLOCATION_STAGES + 1]; /* likewise: tolerances */
    Jacobian jac;
    Variation variation;
    bool residual;
    int index_most; /* of an unknown */
    Lu *real, *pair[COLLOCATION_PAIRS];
    Consistent consistent;
    double *matrix; /* pairs */
    double *z[COLLOCATION_STAGES], *r[COLLOCATION_STAGES], *z_old[COLLOCATION_STAGES],
        *stages[COLLOCATION_STAGES];
    double *slopes[COLLOCATION_STAGES]; /* of the stages; not where L is the identity */
    double *f0, *stage, *slope, *pairs[COLLOCATION_PAIRS];
    double first_error;       /* of the first vector */
    Newton newton, following; /* following: of the vectors that depend on the first one */
    IrkEnd end;
    struct {
        int s, s_old;        /* stages now, and of the polynomial z_old */
        double h_old, t_old; /* step of that polynomial; 0: none */
        double h_factored;   /* 0: no factors for the next step */
        double c_real;       /* c of the factors of c - J in `real`; 0: none */
        double eta, theta, theta_mean;
        double h_accepted;
        double eta_following;
        bool have_f0, jacobian_fresh, want_jacobian, factored;
        bool at_end;    /* the last stage of `variation` is the present point */
        unsigned flags; /* what was done since the last accepted step */
        int since_change;
        bool newton_failed;
        double second, t_second, h_second; /* estimate of the last attempt, and where it began */
        double first, first_accepted;      /* of the last attempt, and of the last step */
        double rough_end;                  /* up to here f is not smooth */
    } state;
} Irk;

static inline bool irk_is_plain(const Irk *irk)
{
    return !irk->residual && !(irk->one.base.model->can & MODEL_MASS);
}
static inline bool irk_is_fixed(const Irk *irk) { return irk->one.base.options.fixed_step > 0.0; }
static inline TransformWork irk_work(Irk *irk)
{
    return (TransformWork){
        irk->method[irk->state.s], irk->one.base.n, irk->z, irk->r, irk->stages, irk->r[0], irk->pairs
    };
}
/* After matrices and `consistent`. */
void irk_end_setup(Irk *irk);
double irk_end_shift(const Irk *irk, double h); /* c of the factors of c L - J in end.lu */
TryResult irk_end_step(Irk *irk, double h);     /* y_new */
/* y' of residual models, when the step is accepted */
void irk_end_slope(Irk *irk, double h);
/* What dense output of the last step gets at x of it, 0 to 1. */
void irk_end_bend(const Irk *irk, double x, double *y);
/* f(t, y), or the residual at (t, y, y') for residual models, if it is not known. */
EvalStatus irk_evaluate_start(Irk *irk);
/* Whether there is a second estimate with so many stages. */
bool irk_refines(const Irk *irk, int stages);
Damping irk_damping(const Irk *irk, double c);
/* The weighted error of the step that was solved for; the controller learns which power of h it
 * follows. */
TryResult irk_estimate(Irk *irk, double h, double *error);

#endif
