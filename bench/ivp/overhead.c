/* overhead.c: what a step costs outside of the equations and of linear algebra.
 *
 * In: a small problem with a Jacobian, a method. Out: processor time of an attempted step (accepted or not), split. How: whole runs
 * are timed, the second of two with one solver; the statistics say how often f, its Jacobian, factors and solves were called, and
 * each of these is timed by itself on the same model. One call waits for the last one's result, as in a run. What is left, c L - J and all loops over vectors included, is the
 * overhead. All times are the least of many, so that other load does not count. */
#include "bench/ivp/problems.h"
#include "bench/ivp/run.h"

enum { UNKNOWNS = 3, FEWEST_RUNS = 3, RUNS = 300, BLOCKS = 100, CALLS = 1000 };
static const double LONG_ENOUGH = 0.3; /* seconds of all runs of a method */

static EvalStatus lorenz_jacobian(Model *m, double t, const double *y, const MatrixShape *order, double *v)
{
    (void)m, (void)t;
    const double rows[3][3] = { { -10.0, 10.0, 0.0 },
                                { 28.0 - y[2], -1.0, -y[0] },
                                { y[1], y[0], -8.0 / 3.0 } };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) model_put(order, v, i, j, rows[i][j]);
    return EVAL_OK;
}

/* Seconds of one call: work(arg) makes CALLS of them. */
static double least_seconds(void (*work)(void *arg), void *arg)
{
    double least = INFINITY;
    for (int k = 0; k < BLOCKS; k++) {
        double start = clock_thread();
        work(arg);
        least = fmin(least, clock_thread() - start);
    }
    return least / CALLS;
}

typedef struct {
    Model *model;
    double t, *y0, *y, *f;
    const MatrixShape *shape;
    double *values, *b;
    Lu *lu;
} Kernel;

static void call_f(void *arg)
{
    Kernel *k = arg;
    double *from = k->y, *to = k->f;
    for (int i = 0; i < k->model->shape.n; i++) from[i] = k->y0[i];
    for (int c = 0; c < CALLS; c++) {
        k->model->type->derivatives(k->model, k->t, from, to);
        double *next = to;
        to = from, from = next;
    }
}

static void call_jacobian(void *arg)
{
    Kernel *k = arg;
    for (int i = 0; i < k->model->shape.n; i++) k->y[i] = k->y0[i];
    for (int c = 0; c < CALLS; c++) {
        k->model->type->jacobian(k->model, k->t, k->y, k->shape, k->values);
        for (int i = 0; i < k->model->shape.n; i++) k->y[i] = k->y0[i] + 0.0 * k->values[i];
    }
}

static void call_factor_and_solve(void *arg)
{
    Kernel *k = arg;
    double first = k->values[0];
    for (int c = 0; c < CALLS; c++) {
        lu_factor(k->lu, k->values);
        lu_solve(k->lu, k->b);
        k->values[0] = first + 0.0 * k->b[0];
    }
}

static void call_solve(void *arg)
{
    Kernel *k = arg;
    for (int c = 0; c < CALLS; c++) lu_solve(k->lu, k->b);
}

/* Of each kind of call. */
typedef struct {
    double f, jacobian, factor[2], solve[2]; /* real, complex */
} Costs;

/* Factors of I - J/c, with c so large that repeated solves change b slowly. */
static void cost_of_matrix(Kernel *k, Arena *arena, bool is_complex, Costs *costs)
{
    size_t n = (size_t)k->shape->n, parts = is_complex ? 2 : 1;
    double *dense = NEW_ARRAY(arena, double, n *n *parts), most = 1.0;
    for (size_t m = 0; m < n * n; m++) most = fmax(most, fabs(k->values[m]));
    for (size_t m = 0; m < n * n; m++)
        dense[parts * m] = (m % (n + 1) == 0 ? 1.0 : 0.0) - k->values[m] / (most * 1e6);
    Kernel own = *k;
    own.values = dense;
    own.b = NEW_ARRAY(arena, double, n *parts);
    for (size_t i = 0; i < n * parts; i++) own.b[i] = 1.0;
    own.lu = lu_new(arena, k->shape, is_complex);
    double both = least_seconds(call_factor_and_solve, &own);
    costs->solve[is_complex] = least_seconds(call_solve, &own);
    costs->factor[is_complex] = both - costs->solve[is_complex];
    lu_free(own.lu);
}

static Costs measure_costs(const IvpProblem *p)
{
    Arena *arena = arena_new();
    double *y0;
    Model *model = ivp_model(p, arena, &y0);
    size_t n = (size_t)p->n;
    MatrixShape *shape = matrix_shape_as(arena, MATRIX_DENSE, p->n, NULL);
    Kernel k = { .model = model,
                 .t = p->t0,
                 .y0 = y0,
                 .y = NEW_ARRAY(arena, double, n),
                 .f = NEW_ARRAY(arena, double, n),
                 .shape = shape,
                 .values = NEW_ARRAY(arena, double, n *n) };
    Costs costs = { 0 };
    costs.f = least_seconds(call_f, &k);
    costs.jacobian = least_seconds(call_jacobian, &k);
    cost_of_matrix(&k, arena, false, &costs);
    cost_of_matrix(&k, arena, true, &costs);
    arena_free(arena);
    return costs;
}

/* A run to the end, timed. */
static bool time_run(const IvpProblem *p, Solver *s, double *seconds)
{
    StepStatus status;
    double start = clock_thread();
    do status = solver_step(s, p->t_end);
    while (status == STEP_TAKEN);
    *seconds = clock_thread() - start;
    return status == STEP_LIMIT;
}

/* The second of two runs with one solver, so that what is made when it is first needed does not count; its work is in *stats. */
static bool time_second(const IvpProblem *p, const SolverType *type, double rtol, SolverStats *first,
                        SolverStats *both, double *seconds)
{
    Arena *arena = arena_new();
    double *y0, atol[UNKNOWNS];
    Model *model = ivp_model(p, arena, &y0);
    for (int i = 0; i < p->n; i++) atol[i] = ivp_atol(p, i, rtol);
    SolverOptions options = solver_options(rtol, 0.0);
    options.atol_each = atol;
    Problem problem = { model, p->t0, p->t_end, y0, NULL };
    SolverFailure failure;
    Solver *s = solver_create(type, &problem, &options, &failure);
    bool ok = s && time_run(p, s, seconds);
    if (ok) *first = solver_stats(s);
    ok = ok && solver_restart(s, p->t0, y0, NULL, RESTART_JUMP) && time_run(p, s, seconds);
    if (ok) *both = solver_stats(s);
    solver_destroy(s);
    arena_free(arena);
    return ok;
}

static long attempts_of(const SolverStats *s)
{
    return s->steps + s->rejected_error + s->rejected_model + s->rejected_newton;
}

static const IvpProblem *const problems[] = { &ivp_robertson, &ivp_orego, &ivp_lorenz };

const IvpProblem *ivp_overhead_problem(size_t i) { return i < COUNT_OF(problems) ? problems[i] : NULL; }

bool ivp_overhead_suits(const IvpProblem *p, const SolverType *type)
{
    return !(type->can & SOLVE_FOREIGN) && (type->can & SOLVE_ADAPTIVE) &&
           (!p->stiff || (type->can & SOLVE_STIFF));
}

bool ivp_overhead(const IvpProblem *problem, const SolverType *type, double rtol, IvpOverhead *out)
{
    IvpProblem p = *problem;
    if (!p.type.jacobian) p.type.jacobian = lorenz_jacobian;
    Costs costs = measure_costs(&p);
    SolverStats a, b;
    double seconds = INFINITY, all = 0.0, now;
    for (int k = 0; k < RUNS && (k < FEWEST_RUNS || all < LONG_ENOUGH); k++) {
        if (!time_second(&p, type, rtol, &a, &b, &now)) return false;
        seconds = fmin(seconds, now);
        all += 2.0 * now;
    }
    long attempts = attempts_of(&b) - attempts_of(&a);
    double each = 1.0 / (double)attempts, f = (double)(b.f + b.f_jacobian - a.f - a.f_jacobian);
    double pair_solves = (double)(b.complex_solves - a.complex_solves),
           solves = (double)(b.solves - a.solves);
    double linear = costs.factor[0] * (double)(b.factors - a.factors) +
                    costs.factor[1] * (double)(b.complex_factors - a.complex_factors) +
                    costs.solve[0] * (solves - pair_solves) + costs.solve[1] * pair_solves;
    *out = (IvpOverhead){
        .steps = b.steps - a.steps, .attempts = attempts, .f = f * each, .solves = solves * each
    };
    out->step_ns = 1e9 * each * seconds;
    out->f_ns = 1e9 * each * (costs.f * f + costs.jacobian * (double)(b.jacobians - a.jacobians));
    out->linear_ns = 1e9 * each * linear;
    out->overhead_ns = out->step_ns - out->f_ns - out->linear_ns;
    return true;
}
