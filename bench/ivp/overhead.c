/* overhead.c: what a step costs outside of the equations and of linear algebra.
 *
 * In: a problem with a Jacobian, of three unknowns or of many, a method. Out: processor time of an attempted step (accepted or not), split. How: whole runs
 * are timed, the second of two with one solver; the statistics say how often f, its Jacobian, factors and solves were called, and
 * each of these is timed by itself on the same model. One call waits for the last one's result, as in a run. What is left, c L - J and all loops over vectors included, is the
 * overhead. All times are the least of many, so that other load does not count; of long vectors each call takes others, since in a run
 * they are not in the nearest cache either. */
#include "bench/ivp/problems.h"
#include "bench/ivp/run.h"

enum { FEWEST_RUNS = 3, RUNS = 300, BLOCKS = 100, CALLS = 1000 };
enum { LONG = 1000, LONG_VECTORS = 16, LONG_CALLS = 32, LONG_BLOCKS = 10 }; /* where n is at least LONG */
enum { ROD = 10000 };
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

/* A rod that conducts and radiates heat: mild, so that all methods can be asked. */
static EvalStatus rod_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    f[0] = f[ROD - 1] = 0.0;
    for (int i = 1; i < ROD - 1; i++) f[i] = y[i - 1] - 2.0 * y[i] + y[i + 1] - 0.1 * y[i] * y[i] * y[i];
    return EVAL_OK;
}

static EvalStatus rod_jacobian(Model *m, double t, const double *y, const MatrixShape *order, double *v)
{
    (void)m, (void)t;
    for (int i = 1; i < ROD - 1; i++) {
        model_put(order, v, i, i - 1, 1.0);
        model_put(order, v, i, i, -2.0 - 0.3 * y[i] * y[i]);
        model_put(order, v, i, i + 1, 1.0);
    }
    return EVAL_OK;
}

static const Pattern *rod_pattern(Arena *arena)
{
    VEC(Entry) entries = { 0 };
    for (int i = 0; i < ROD; i++)
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < ROD; j++)
            vec_push(arena, &entries, ((Entry){ i, j }));
    return pattern_of_entries(arena, ROD, ROD, entries.at, entries.n);
}

static void rod_start(double *y)
{
    for (int i = 0; i < ROD; i++) y[i] = 1.0 + sin(0.02 * i) + (i % 50 == 0 ? 1.0 : 0.0);
}

static const IvpProblem rod = { .name = "rod",
                                .n = ROD,
                                .t_end = 100.0,
                                .atol_share = 1.0,
                                .type = { .derivatives = rod_f, .jacobian = rod_jacobian },
                                .pattern = rod_pattern,
                                .start = rod_start };

typedef struct {
    Model *model;
    double t, *y0, *y;
    int calls, blocks, vectors;
    double *ring[LONG_VECTORS]; /* vectors, each of two times n */
    const MatrixShape *shape;
    double *values;
    Lu *lu;
} Kernel;

/* Seconds of one call: work makes so many of them. */
static double least_seconds(void (*work)(Kernel *k), Kernel *kernel)
{
    double least = INFINITY;
    for (int k = 0; k < kernel->blocks; k++) {
        double start = clock_thread();
        work(kernel);
        least = fmin(least, clock_thread() - start);
    }
    return least / kernel->calls;
}

static void call_f(Kernel *k)
{
    double *from = k->ring[0];
    for (int i = 0; i < k->model->shape.n; i++) from[i] = k->y0[i];
    for (int c = 1; c <= k->calls; c++) {
        double *to = k->ring[c % k->vectors];
        k->model->type->derivatives(k->model, k->t, from, to);
        from = to;
    }
}

static void call_jacobian(Kernel *k)
{
    for (int i = 0; i < k->model->shape.n; i++) k->y[i] = k->y0[i];
    for (int c = 0; c < k->calls; c++) {
        k->model->type->jacobian(k->model, k->t, k->y, k->shape, k->values);
        for (int i = 0; i < k->model->shape.n; i++) k->y[i] = k->y0[i] + 0.0 * k->values[i];
    }
}

/* Of few unknowns it is always the same right-hand side. */
static double *next_side(const Kernel *k, int call)
{
    return k->ring[k->vectors == LONG_VECTORS ? call % k->vectors : 0];
}

static void call_factor_and_solve(Kernel *k)
{
    double first = k->values[0];
    for (int c = 0; c < k->calls; c++) {
        double *b = next_side(k, c);
        lu_factor(k->lu, k->values);
        lu_solve(k->lu, b);
        k->values[0] = first + 0.0 * b[0];
    }
}

static void call_solve(Kernel *k)
{
    for (int c = 0; c < k->calls; c++) lu_solve(k->lu, next_side(k, c));
}

/* Of each kind of call. */
typedef struct {
    double f, jacobian, factor[2], solve[2]; /* real, complex */
} Costs;

/* Factors of I - J/c, with c so large that repeated solves change right-hand sides slowly. */
static void cost_of_matrix(Kernel *k, Arena *arena, bool is_complex, Costs *costs)
{
    size_t size = k->shape->size, parts = is_complex ? 2 : 1;
    double *matrix = NEW_ARRAY(arena, double, size *parts), most = 1.0;
    for (size_t m = 0; m < size; m++) most = fmax(most, fabs(k->values[m]));
    for (size_t m = 0; m < size; m++) matrix[parts * m] = -k->values[m] / (most * 1e6);
    for (int i = 0; i < k->shape->n; i++) matrix[parts * (size_t)matrix_place(k->shape, i, i)] += 1.0;
    for (int v = 0; v < k->vectors; v++)
        for (size_t i = 0; i < 2 * (size_t)k->shape->n; i++) k->ring[v][i] = 1.0;
    Kernel own = *k;
    own.values = matrix;
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
    bool is_long = p->n >= LONG;
    MatrixShape *shape = matrix_shape(arena, p->n, model->shape.pattern);
    Kernel k = { .model = model,
                 .t = p->t0,
                 .y0 = y0,
                 .y = NEW_ARRAY(arena, double, n),
                 .calls = is_long ? LONG_CALLS : CALLS,
                 .blocks = is_long ? LONG_BLOCKS : BLOCKS,
                 .vectors = is_long ? LONG_VECTORS : 2,
                 .shape = shape,
                 .values = NEW_ARRAY(arena, double, shape->size + n) };
    for (int v = 0; v < k.vectors; v++) k.ring[v] = NEW_ARRAY(arena, double, 2 * n);
    Costs costs = { 0 };
    costs.f = least_seconds(call_f, &k);
    costs.jacobian = least_seconds(call_jacobian, &k);
    cost_of_matrix(&k, arena, false, &costs);
    cost_of_matrix(&k, arena, true, &costs);
    arena_free(arena);
    return costs;
}

static long attempts_of(const SolverStats *s)
{
    return s->steps + s->rejected_error + s->rejected_model + s->rejected_newton;
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

/* A run to the end, and the columns of an attempted step in the mean: of a method with a history those that it has with this order, of others
 * evaluations. It is the method that took a step that counts, not one that chose it. */
static bool count_columns(const IvpProblem *p, Solver *s, double *columns)
{
    StepStatus status;
    SolverStats before = solver_stats(s);
    long first = attempts_of(&before);
    double sum = 0.0;
    do {
        status = solver_step(s, p->t_end);
        SolverStats now = solver_stats(s);
        double attempts = (double)(attempts_of(&now) - attempts_of(&before));
        sum +=
            now.method->can & SOLVE_MULTISTEP ? attempts * (now.order_last + 1) : (double)(now.f - before.f);
        before = now;
    } while (status == STEP_TAKEN);
    *columns = sum / (double)(attempts_of(&before) - first);
    return status == STEP_LIMIT;
}

/* The second of two runs with one solver, so that what is made when it is first needed does not count; its work is in *both without *first. Timed,
 * or, where they are asked for, with its columns. */
static bool time_second(const IvpProblem *p, const SolverType *type, double rtol, SolverStats *first,
                        SolverStats *both, double *seconds, double *columns)
{
    Arena *arena = arena_new();
    double *y0, *atol = NEW_ARRAY(arena, double, (size_t)p->n);
    Model *model = ivp_model(p, arena, &y0);
    for (int i = 0; i < p->n; i++) atol[i] = ivp_atol(p, i, rtol);
    SolverOptions options = solver_options(rtol, 0.0);
    options.atol_each = atol;
    Problem problem = { model, p->t0, p->t_end, y0, NULL };
    SolverFailure failure;
    Solver *s = solver_create(type, &problem, &options, &failure);
    bool ok = s && time_run(p, s, seconds);
    if (ok) *first = solver_stats(s);
    ok = ok && solver_restart(s, p->t0, y0, NULL, RESTART_JUMP) &&
         (columns ? count_columns(p, s, columns) : time_run(p, s, seconds));
    if (ok) *both = solver_stats(s);
    solver_destroy(s);
    arena_free(arena);
    return ok;
}

static const IvpProblem *const problems[] = { &ivp_robertson, &ivp_orego, &ivp_lorenz, &rod };

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
    double seconds = INFINITY, all = 0.0, now, columns;
    if (!time_second(&p, type, rtol, &a, &b, &now, &columns)) return false;
    for (int k = 0; k < RUNS && (k < FEWEST_RUNS || all < LONG_ENOUGH); k++) {
        if (!time_second(&p, type, rtol, &a, &b, &now, NULL)) return false;
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
    out->columns = columns;
    out->number_ns = out->overhead_ns / (p.n * out->columns);
    return true;
}
