/* rosenbrock.c: linearly implicit (Rosenbrock) methods: each stage one linear system, no Newton
 * iteration. */
#include "solve/methods/rosenbrock/rosenbrock.h"
#include "solve/core/combine.h"
#include "solve/core/onestep.h"
#include "solve/core/start.h"
#include "solve/core/vectors.h"
#include "solve/nonlinear/algebra.h"
#include "solve/nonlinear/newton.h"

/* In: L y' = f(t, y), index 1 at most. Out: steps with error control and dense output. How: with E
 * = L/(h gamma) - J
 *   E u_i = f(t + alpha_i h, y + sum_j<i a_ij u_j) + L sum_j<i c_ij u_j / h + gamma_i h df/dt,
 * the last two stages add u to the argument (stiffly accurate pair), the result is y + sum a_5j u_j
 * + u_5
 * + u_6, its error u_6. The Jacobian must be that of (t, y), so it is new in every step; df/dt is a
 *   difference. Always: the stages of a rejected step leave the Jacobian, which the smaller step
 *   uses again. Cost a step: 6 evaluations, a Jacobian, factors, 6 solves. Source: Hairer and
 *   Wanner, Solving ODEs II, IV.7 and VI.4 (RODAS). Tests: tests/solve/methods_test.c,
 * dae_test.c. */

enum { STAGES = 6 };

static const double GAMMA = 0.25;
static const double ALPHA[STAGES] = { 0, 0.386, 0.21, 0.63, 1, 1 };
static const double GAMMA_SUM[STAGES] = { 0.25, -0.1043, 0.1035, -0.0362, 0, 0 };
static const double A[STAGES][STAGES] = {
    { 0 },
    { 1.544 },
    { 0.9466785280815826, 0.2557011698983284 },
    { 3.314825187068521, 2.896124015972201, 0.9986419139977817 },
    { 1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895 },
    { 1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1 },
};
static const double C[STAGES][STAGES] = {
    { 0 },
    { -5.6688 },
    { -2.430093356833875, -0.2063599157091915 },
    { -0.1073529058151375, -9.594562251023355, -20.47028614809616 },
    { 7.496443313967647, -10.24680431464352, -33.99990352819905, 11.7089089320616 },
    { 8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054 },
};
/* y(x) = (1-x) y0 + x (y1 + (1-x) (sum D0 u + x sum D1 u)) */
static const double D[2][STAGES] = {
    { 10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662, 0 },
    { -0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872, 0 },
};

typedef struct {
    OneStep one;
    Jacobian jac;
    Lu *lu;
    Consistent consistent;
    Secant secant;
    double *matrix, *f0, *ft, *stage, *sum, *u[STAGES], *drift; /* drift: h^2 df/dt */
    double *dense[2];
    Terms start[STAGES],
        ends[1]; /* of the argument and of the sum of stages from the second on; of dense output */
    struct {
        double t_old, h_old;
        bool jacobian_fresh;
    } state;
} Rosenbrock;

/* f, its Jacobian and its derivative in time at the start of the step. */
static EvalStatus evaluate_start(Rosenbrock *ros, double h)
{
    Solver *s = &ros->one.base;
    if (ros->state.jacobian_fresh) return EVAL_OK;
    double t = s->core.t, dt = s->core.direction * sqrt(UROUND * fmax(1e-5, fabs(t)));
    volatile double moved = t + dt;
    dt = moved - t;
    EvalStatus status = solver_f(s, t, s->y, ros->f0);
    if (status == EVAL_OK) status = jacobian_f(s, &ros->jac, t, s->y, ros->f0, h);
    if (status == EVAL_OK && !(s->model->can & MODEL_MASS))
        status = secant_measure(s, &ros->jac, &ros->secant, t, s->y, ros->f0, h);
    if (status == EVAL_OK) {
        s->stats.f--; /* belongs to the derivatives */
        s->stats.f_jacobian++;
        status = solver_f(s, moved, s->y, ros->ft);
    }
    for (int i = 0; i < s->n && status == EVAL_OK; i++) ros->ft[i] = (ros->ft[i] - ros->f0[i]) / dt;
    ros->state.jacobian_fresh = status == EVAL_OK;
    return status;
}

static TryResult make_factors(Rosenbrock *ros, double h)
{
    Solver *s = &ros->one.base;
    jacobian_shift(&ros->jac, 1.0 / (h * GAMMA), ros->matrix);
    secant_apply(&ros->secant, &ros->jac, ros->matrix);
    s->stats.factors++;
    if (lu_factor(ros->lu, ros->matrix) == LU_OK) return TRY_OK;
    s->blamed = lu_singular_column(ros->lu);
    ros->one.retry_factor = 0.5;
    return TRY_SINGULAR;
}

/* The right-hand side of the first stage, which has no others before it; whether all of it are
 * numbers. */
static bool first_side(const Rosenbrock *ros, double h, double *u)
{
    int n = ros->one.base.n;
    if (ros->one.base.model->can & MODEL_MASS) return vector_sum(n, ros->f0, GAMMA_SUM[0] * h, ros->ft, u);
    vector_scale(n, GAMMA_SUM[0], ros->drift, ros->sum);
    return vector_sum(n, ros->f0, 1.0 / h, ros->sum, u);
}

/* Those of the others. The argument of f, and sum c_ij u_j with gamma_i h^2 df/dt, are sums of the
 * same columns. Of the latter L takes the first part only. */
static EvalStatus other_side(Rosenbrock *ros, int i, double h, double *u, bool *is_finite)
{
    Solver *s = &ros->one.base;
    terms_combine_two(s->n, s->y, 1.0, &ros->start[i], ros->stage, ros->sum);
    EvalStatus status = solver_f_unseen(s, s->core.t + ALPHA[i] * h, ros->stage, u);
    if (status != EVAL_OK) return status;
    bool has_mass = s->model->can & MODEL_MASS;
    if (has_mass) model_add_mass(s->model, 1.0 / h, ros->sum, u);
    *is_finite =
        has_mass ? vector_add(s->n, GAMMA_SUM[i] * h, ros->ft, u) : vector_add(s->n, 1.0 / h, ros->sum, u);
    return EVAL_OK;
}

static TryResult one_stage(Rosenbrock *ros, int i, double h)
{
    Solver *s = &ros->one.base;
    double *u = ros->u[i];
    bool is_finite = i == 0 && first_side(ros, h, u);
    EvalStatus status = i == 0 ? EVAL_OK : other_side(ros, i, h, u, &is_finite);
    if (status == EVAL_OK && !is_finite) status = solver_blame(s, u);
    if (status != EVAL_OK) return of_eval(status);
    lu_solve(ros->lu, u);
    s->stats.solves++;
    return TRY_OK;
}

static TryResult ros_attempt(OneStep *one, double h, double *error)
{
    Rosenbrock *ros = (Rosenbrock *)one;
    Solver *s = &one->base;
    TryResult result = of_eval(evaluate_start(ros, h));
    if (result == TRY_OK) result = make_factors(ros, h);
    if (result == TRY_OK) vector_scale(s->n, h * h, ros->ft, ros->drift);
    for (int i = 0; i < STAGES && result == TRY_OK; i++) result = one_stage(ros, i, h);
    if (result != TRY_OK) return result;
    vector_swap(&ros->stage, &one->y_new);
    bool is_finite = vector_add(s->n, 1.0, one->error, one->y_new);
    one->order = s->type->order;
    one->flags = RECORD_JACOBIAN | RECORD_FACTORS;
    if (!is_finite) return TRY_MODEL;
    if (s->options.fixed_step > 0.0) return TRY_OK;
    if (!solver_weights_of_two(s, s->y, one->y_new, one->weight)) return TRY_FATAL;
    *error = norm_rms(s->n, one->error, one->weight);
    return TRY_OK;
}

static TryResult ros_accept(OneStep *one, double h)
{
    Rosenbrock *ros = (Rosenbrock *)one;
    int n = one->base.n;
    terms_combine_two(n, NULL, 1.0, ros->ends, ros->dense[0], ros->dense[1]);
    ros->state.t_old = one->base.core.t;
    ros->state.h_old = h;
    ros->state.jacobian_fresh = false;
    return TRY_OK;
}

static EvalStatus ros_begin(OneStep *one)
{
    Rosenbrock *ros = (Rosenbrock *)one;
    Solver *s = &one->base;
    ros->state.jacobian_fresh = false;
    if (s->model->can & MODEL_MASS) {
        if (s->options.fixed_step > 0.0)
            fixed_weights(s, one->weight);
        else if (!solver_weights(s, s->y, one->weight))
            return EVAL_FATAL;
        if (!consistent_solve(&ros->consistent, one->weight)) return EVAL_FATAL;
    }
    if (s->options.fixed_step > 0.0 || s->options.initial_step > 0.0 || one->state.h != 0.0) return EVAL_OK;
    EvalStatus status = solver_f(s, s->core.t, s->y, ros->f0);
    if (status != EVAL_OK) return status;
    if (!solver_weights(s, s->y, one->weight)) return EVAL_FATAL;
    if (s->model->can & MODEL_MASS)
        one->state.h = onestep_first_of_mass(s);
    else
        one->state.h = start_step(s, s->type->order - 1, ros->f0, one->weight, ros->stage, ros->sum);
    return EVAL_OK;
}

/* The last factors are those of the last step. */
static double ros_filter(const Solver *s, double *v)
{
    const Rosenbrock *ros = (const Rosenbrock *)s;
    if (s->core.t == s->core.t_old) return 0.0;
    if (v) lu_solve(ros->lu, v);
    return 1.0 / ((s->core.t - s->core.t_old) * GAMMA);
}

static void ros_interpolate(const Solver *s, double t, double *y)
{
    const Rosenbrock *ros = (const Rosenbrock *)s;
    if (ros->state.h_old == 0.0) {
        memcpy(y, s->y, (size_t)s->n * sizeof(double));
        return;
    }
    double x = (t - ros->state.t_old) / ros->state.h_old, x1 = 1.0 - x;
    for (int k = 0; k < s->n; k++)
        y[k] = x1 * ros->one.y_start[k] + x * (s->y[k] + x1 * (ros->dense[0][k] + x * ros->dense[1][k]));
}

static bool ros_restart(Solver *s, RestartHint hint)
{
    ((Rosenbrock *)s)->state.h_old = 0.0;
    return onestep_restart(s, hint);
}

static void ros_destroy(Solver *s) { lu_free(((Rosenbrock *)s)->lu); }

static void make_terms(Rosenbrock *ros)
{
    bool has_mass = ros->one.base.model->can & MODEL_MASS;
    double *column[STAGES + 1] = { ros->drift };
    for (int j = 0; j < STAGES; j++) column[j + 1] = ros->u[j];
    for (int i = 1; i < STAGES; i++) {
        double of_stage[STAGES + 1] = { 0.0 }, of_sum[STAGES + 1] = { has_mass ? 0.0 : GAMMA_SUM[i] };
        for (int j = 0; j < i; j++) of_stage[j + 1] = A[i][j], of_sum[j + 1] = C[i][j];
        terms_make(&ros->start[i], i + 1, of_stage, of_sum, column);
    }
    terms_make(ros->ends, STAGES - 1, D[0], D[1], ros->u);
}

static bool ros_setup(Solver *s)
{
    Rosenbrock *ros = (Rosenbrock *)s;
    if (!jacobian_setup(s, &ros->jac)) return false;
    ros->matrix = NEW_ARRAY(s->arena, double, ros->jac.shape->size + 1);
    ros->lu = lu_new(s->arena, ros->jac.shape, false);
    consistent_setup(s, &ros->jac, ros->lu, false, &ros->consistent);
    secant_setup(s, &ros->secant);
    double **kept[] = { &ros->f0, &ros->ft, &ros->dense[0], &ros->dense[1] };
    for (size_t i = 0; i < COUNT_OF(kept); i++) *kept[i] = solver_kept_vector(s);
    ros->stage = solver_vector(s);
    ros->sum = solver_vector(s);
    ros->drift = solver_vector(s);
    solver_keep(s, &ros->state, sizeof ros->state);
    static const OneStepOps ops = { ros_begin, ros_attempt, ros_accept, NULL };
    Control control = { .kind = CONTROL_PREDICTIVE,
                        .k = 4.0,
                        .safety = 0.9,
                        .least = 0.2,
                        .most = 6.0,
                        .hold_low = 1.0,
                        .hold_high = 1.0 };
    if (!onestep_setup(&ros->one, &ops, control)) return false;
    for (int i = 0; i < STAGES; i++) ros->u[i] = i < STAGES - 1 ? solver_vector(s) : ros->one.error;
    make_terms(ros);
    return true;
}

double rosenbrock_stiffness(const Solver *s)
{
    const Rosenbrock *ros = (const Rosenbrock *)s;
    return fabs(ros->state.h_old) * matrix_norm(ros->jac.shape, ros->jac.values);
}

const SolverType solver_rodas = {
    .name = "rodas",
    .family = "Rosenbrock",
    .summary = "RODAS 4(3), six stages, stiffly accurate",
    .reference = "Hairer, Wanner, Solving ODEs II, VI.4",
    .order = 4,
    .order_most = 4,
    .dense_order = 3,
    .can = SOLVE_STIFF | SOLVE_EXACT_JACOBIAN | SOLVE_MASS | SOLVE_ADAPTIVE | SOLVE_FIXED |
           SOLVE_RESTART_HIGH | SOLVE_REPLAY | SOLVE_A_STABLE | SOLVE_L_STABLE,
    .size = sizeof(Rosenbrock),
    .setup = ros_setup,
    .step = onestep_step,
    .interpolate = ros_interpolate,
    .filter = ros_filter,
    .restart = ros_restart,
    .destroy = ros_destroy,
};
