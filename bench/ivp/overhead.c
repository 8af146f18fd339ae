/* overhead.c: what a step costs outside of the equations and of linear algebra. */
#include "bench/ivp/problems.h"
#include "bench/ivp/run.h"

/* In: a problem with a Jacobian, of three unknowns or of many, a method. Out: time of an attempted
 * step (accepted or not), split. How: the second of two runs with one solver is measured. Of few
 * unknowns whole runs are timed; the statistics say how often f, its Jacobian, factors and solves
 * were called, and each of these is timed by itself on the same model, one call waiting for the
 * last one's result, as in a run. Of many unknowns these calls take so long that a clock around
 * each of them, in the run itself, costs nothing beside; a sum of calls timed elsewhere, of which
 * nearly all of a step consists, would be wrong by as much as what is looked for. What is left, c L
 * - J and all loops over vectors included, is the overhead. Methods that have inverses of few
 * unknowns instead of factors are priced twice: as if they had factors, and as they are. All times
 * are the least of many, so that other load does not count: of whole runs, or of each step of runs
 * that are all alike. */

enum { ROUNDS = 15, RUNS = 20, BLOCKS = 10, CALLS = 1000 };
enum { MANY = 1000, LONG_RUNS = 5 }; /* unknowns from which on calls are timed in place */
enum { ROD = 10000 };
static const double LONG_ENOUGH = 0.02; /* seconds of the runs of a round */

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
    double *b[2]; /* each of two times n */
    const MatrixShape *shape;
    double *values;
    Lu *lu;
    bool is_complex;
} Kernel;

/* Seconds of one call: work makes CALLS of them. */
static double least_seconds(void (*work)(Kernel *k), Kernel *kernel)
{
    double least = INFINITY;
    for (int k = 0; k < BLOCKS; k++) {
        double start = clock_thread();
        work(kernel);
        least = fmin(least, clock_thread() - start);
    }
    return least / CALLS;
}

static void call_f(Kernel *k)
{
    double *from = k->b[0];
    for (int i = 0; i < k->model->shape.n; i++) from[i] = k->y0[i];
    for (int c = 1; c <= CALLS; c++) {
        double *to = k->b[c % 2];
        k->model->type->derivatives(k->model, k->t, from, to);
        from = to;
    }
}

static void call_jacobian(Kernel *k)
{
    for (int i = 0; i < k->model->shape.n; i++) k->y[i] = k->y0[i];
    for (int c = 0; c < CALLS; c++) {
        k->model->type->jacobian(k->model, k->t, k->y, k->shape, k->values);
        for (int i = 0; i < k->model->shape.n; i++) k->y[i] = k->y0[i] + 0.0 * k->values[i];
    }
}

static void call_factor_and_solve(Kernel *k)
{
    double first = k->values[0], *b = k->b[0];
    for (int c = 0; c < CALLS; c++) {
        lu_factor(k->lu, k->values);
        lu_solve(k->lu, b);
        k->values[0] = first + 0.0 * b[0];
    }
}

static void call_solve(Kernel *k)
{
    for (int c = 0; c < CALLS; c++) lu_solve(k->lu, k->b[0]);
}

static void call_invert(Kernel *k)
{
    FewShifts c = { .re = { 1.0, 2.0, 3.0, 4.0 }, .count = LU_LANES, .is_complex = k->is_complex };
    if (k->is_complex) c.im = (Four){ 0.0, 1.0, 2.0, 3.0 };
    Four first = c.re;
    FewInverse inverse[LU_LANES];
    for (int i = 0; i < CALLS; i++) {
        few_invert(k->shape->n, k->values, &c, inverse);
        c.re = first + 0.0 * inverse[0].re[0][0];
    }
}

/* Of each kind of call. */
typedef struct {
    double f, jacobian, both[2], solve[2]; /* both: factors and a solve; real, complex */
    /* of few unknowns: up to four inverses at once, likewise; with a real one */
    double invert[2], product;
} Costs;

/* Factors of I - J/c, with c so large that repeated solves change right-hand sides slowly. */
static void cost_of_matrix(Kernel *k, Arena *arena, bool is_complex, Costs *costs)
{
    size_t size = k->shape->size, parts = is_complex ? 2 : 1;
    double *matrix = NEW_ARRAY(arena, double, size *parts), most = 1.0;
    for (size_t m = 0; m < size; m++) most = fmax(most, fabs(k->values[m]));
    for (size_t m = 0; m < size; m++) matrix[parts * m] = -k->values[m] / (most * 1e6);
    for (int i = 0; i < k->shape->n; i++) matrix[parts * (size_t)matrix_place(k->shape, i, i)] += 1.0;
    for (size_t i = 0; i < 2 * (size_t)k->shape->n; i++) k->b[0][i] = 1.0;
    Kernel own = *k;
    own.values = matrix;
    own.lu = lu_new(arena, k->shape, is_complex);
    costs->both[is_complex] = fmin(costs->both[is_complex], least_seconds(call_factor_and_solve, &own));
    costs->solve[is_complex] = fmin(costs->solve[is_complex], least_seconds(call_solve, &own));
    lu_free(own.lu);
}

/* A complex product takes one and a half times as long as a real one (three unknowns, timed
 * apart). */
static const double COMPLEX_PRODUCT = 1.5;

static void cost_of_inverses(const Kernel *k, Arena *arena, Costs *costs)
{
    if (!lu_can_be_inverse(k->shape)) return;
    Kernel own = *k;
    for (int c = 0; c < 2; c++) {
        own.is_complex = c;
        costs->invert[c] = fmin(costs->invert[c], least_seconds(call_invert, &own));
    }
    double *unit = NEW_ARRAY(arena, double, k->shape->size);
    for (int i = 0; i < k->shape->n; i++) unit[matrix_place(k->shape, i, i)] = 1.0;
    own.lu = lu_new_inverse(arena, k->shape);
    lu_factor(own.lu, unit);
    costs->product = fmin(costs->product, least_seconds(call_solve, &own));
}

/* Each the least of these and of what is there. */
static void measure_costs(const IvpProblem *p, Costs *costs)
{
    Arena *arena = arena_new();
    double *y0;
    Model *model = ivp_model(p, arena, &y0);
    size_t n = (size_t)p->n;
    MatrixShape *shape = matrix_shape(arena, p->n, model->shape.pattern);
    Kernel k = { .model = model,
                 .t = p->t0,
                 .y0 = y0,
                 .y = NEW_ARRAY(arena, double, n),
                 .b = { NEW_ARRAY(arena, double, 2 * n), NEW_ARRAY(arena, double, 2 * n) },
                 .shape = shape,
                 .values = NEW_ARRAY(arena, double, shape->size + n) };
    costs->f = fmin(costs->f, least_seconds(call_f, &k));
    costs->jacobian = fmin(costs->jacobian, least_seconds(call_jacobian, &k));
    cost_of_matrix(&k, arena, false, costs);
    cost_of_matrix(&k, arena, true, costs);
    cost_of_inverses(&k, arena, costs);
    arena_free(arena);
}

static long attempts_of(const SolverStats *s)
{
    return s->steps + s->rejected_error + s->rejected_model + s->rejected_newton;
}

/* Seconds of a step. */
typedef struct {
    double f, linear, rest, own; /* own: with inverses priced as such */
} StepTimes;

/* What is known of runs, all of which take the same steps. */
typedef struct {
    double last, all;    /* seconds of the last run, and of all of a round */
    double columns;      /* of an attempted step in the mean */
    VEC(StepTimes) step; /* the least of runs that are timed step by step */
    /* the clocks of calls of the run at work: */
    const ModelType *type;
    double f;
    LuTimes linear;
    SolverStats first, both; /* after the first run, and after the second one */
} Meter;

/* Ends with the run. */
typedef bool (*Walk)(const IvpProblem *p, Solver *s, Arena *arena, Meter *meter);

static bool time_run(const IvpProblem *p, Solver *s, Arena *arena, Meter *meter)
{
    StepStatus status;
    double start = clock_thread();
    (void)arena;
    do status = solver_step(s, p->t_end);
    while (status == STEP_TAKEN);
    meter->last = clock_thread() - start;
    return status == STEP_LIMIT;
}

/* Columns: of a method with a history those that it has with this order, of others evaluations. It
 * is the method that took a step that counts, not one that chose it. */
static bool count_columns(const IvpProblem *p, Solver *s, Arena *arena, Meter *meter)
{
    StepStatus status;
    SolverStats before = solver_stats(s);
    long first = attempts_of(&before);
    double sum = 0.0;
    (void)arena;
    do {
        status = solver_step(s, p->t_end);
        SolverStats now = solver_stats(s);
        double attempts = (double)(attempts_of(&now) - attempts_of(&before));
        sum +=
            now.method->can & SOLVE_MULTISTEP ? attempts * (now.order_last + 1) : (double)(now.f - before.f);
        before = now;
    } while (status == STEP_TAKEN);
    meter->columns = sum / (double)(attempts_of(&before) - first);
    return status == STEP_LIMIT;
}

static double linear_seconds(const Meter *meter) { return meter->linear.factors + meter->linear.solves; }

static bool time_steps(const IvpProblem *p, Solver *s, Arena *arena, Meter *meter)
{
    StepStatus status = STEP_TAKEN;
    for (uint32_t k = 0; status == STEP_TAKEN; k++) {
        double f = meter->f, linear = linear_seconds(meter), start = clock_wall();
        status = solver_step(s, p->t_end);
        StepTimes now = { .rest = clock_wall() - start,
                          .f = meter->f - f,
                          .linear = linear_seconds(meter) - linear };
        now.rest -= now.f + now.linear;
        if (k == meter->step.n) vec_push(arena, &meter->step, now);
        StepTimes *least = &meter->step.at[k];
        *least = (StepTimes){ fmin(least->f, now.f), fmin(least->linear, now.linear),
                              fmin(least->rest, now.rest), 0.0 };
    }
    return status == STEP_LIMIT;
}

/* The second of two runs with one solver, so that what is made when it is first needed does not
 * count. */
static bool walk_second(const IvpProblem *p, const SolverType *type, double rtol, Walk walk, Arena *keeps,
                        Meter *meter)
{
    Arena *arena = arena_new();
    double *y0, *atol = NEW_ARRAY(arena, double, (size_t)p->n);
    Model *model = ivp_model(p, arena, &y0);
    for (int i = 0; i < p->n; i++) atol[i] = ivp_atol(p, i, rtol);
    SolverOptions options = solver_options(rtol, 0.0);
    options.atol_each = atol;
    if (walk == time_steps) model->data = meter, options.times = &meter->linear;
    Problem problem = { model, p->t0, p->t_end, y0, NULL };
    SolverFailure failure;
    Solver *s = solver_create(type, &problem, &options, &failure);
    bool ok = s && time_run(p, s, arena, meter);
    if (ok) meter->first = solver_stats(s);
    meter->all += meter->last;
    ok = ok && solver_restart(s, p->t0, y0, NULL, RESTART_JUMP) && walk(p, s, keeps, meter);
    if (ok) meter->both = solver_stats(s);
    meter->all += meter->last;
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

/* Whole runs, and calls by themselves: in turns, as a processor that others use as well is not as
 * fast at all times. */
static bool split_run(const IvpProblem *p, const SolverType *type, double rtol, Meter *meter, StepTimes *sum)
{
    Costs costs = {
        INFINITY, INFINITY, { INFINITY, INFINITY }, { INFINITY, INFINITY }, { INFINITY, INFINITY }, INFINITY
    };
    double seconds = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        measure_costs(p, &costs);
        meter->all = 0.0;
        for (int k = 0; k < RUNS && meter->all < LONG_ENOUGH; k++) {
            if (!walk_second(p, type, rtol, time_run, NULL, meter)) return false;
            seconds = fmin(seconds, meter->last);
        }
    }
    const SolverStats *a = &meter->first, *b = &meter->both;
    double pair_solves = (double)(b->complex_solves - a->complex_solves);
    sum->f = costs.f * (double)(b->f + b->f_jacobian - a->f - a->f_jacobian) +
             costs.jacobian * (double)(b->jacobians - a->jacobians);
    sum->linear = (costs.both[0] - costs.solve[0]) * (double)(b->factors - a->factors) +
                  (costs.both[1] - costs.solve[1]) * (double)(b->complex_factors - a->complex_factors) +
                  costs.solve[0] * ((double)(b->solves - a->solves) - pair_solves) +
                  costs.solve[1] * pair_solves;
    sum->rest = seconds - sum->f - sum->linear;
    sum->own = sum->rest;
    if (b->inverses > a->inverses) {
        double solves = (double)(b->solves - a->solves);
        sum->own = seconds - sum->f - costs.invert[pair_solves > 0.0] * (double)(b->inverses - a->inverses) -
                   costs.product * (solves + (COMPLEX_PRODUCT - 1.0) * pair_solves);
    }
    return true;
}

static EvalStatus timed_f(Model *model, double t, const double *y, double *f)
{
    Meter *meter = model->data;
    double start = clock_wall();
    EvalStatus status = meter->type->derivatives(model, t, y, f);
    meter->f += clock_wall() - start;
    return status;
}

static EvalStatus timed_jacobian(Model *model, double t, const double *y, const MatrixShape *order, double *v)
{
    Meter *meter = model->data;
    double start = clock_wall();
    EvalStatus status = meter->type->jacobian(model, t, y, order, v);
    meter->f += clock_wall() - start;
    return status;
}

/* All in one run. Its time is not that of a processor, since that clock is slow; so of each step
 * the least counts. */
static bool split_steps(const IvpProblem *p, const SolverType *type, double rtol, Meter *meter,
                        StepTimes *sum)
{
    Arena *arena = arena_new();
    IvpProblem timed = *p;
    timed.type.derivatives = timed_f;
    timed.type.jacobian = timed_jacobian;
    meter->type = &p->type;
    bool ok = true;
    for (int k = 0; k < LONG_RUNS && ok; k++) ok = walk_second(&timed, type, rtol, time_steps, arena, meter);
    for (uint32_t k = 0; k < meter->step.n; k++) {
        sum->f += meter->step.at[k].f;
        sum->linear += meter->step.at[k].linear;
        sum->rest += meter->step.at[k].rest;
    }
    sum->own = sum->rest;
    arena_free(arena);
    return ok;
}

bool ivp_overhead(const IvpProblem *problem, const SolverType *type, double rtol, IvpOverhead *out)
{
    IvpProblem p = *problem;
    Meter meter = { 0 };
    StepTimes sum = { 0 };
    if (!p.type.jacobian) p.type.jacobian = lorenz_jacobian;
    if (!walk_second(&p, type, rtol, count_columns, NULL, &meter)) return false;
    if (!(p.n < MANY ? split_run : split_steps)(&p, type, rtol, &meter, &sum)) return false;
    const SolverStats *a = &meter.first, *b = &meter.both;
    long attempts = attempts_of(b) - attempts_of(a);
    double each = 1.0 / (double)attempts;
    *out = (IvpOverhead){ .steps = b->steps - a->steps,
                          .attempts = attempts,
                          .f = each * (double)(b->f + b->f_jacobian - a->f - a->f_jacobian),
                          .solves = each * (double)(b->solves - a->solves),
                          .step_ns = 1e9 * each * (sum.f + sum.linear + sum.rest),
                          .f_ns = 1e9 * each * sum.f,
                          .linear_ns = 1e9 * each * sum.linear,
                          .overhead_ns = 1e9 * each * sum.rest,
                          .own_ns = 1e9 * each * sum.own,
                          .columns = meter.columns };
    out->number_ns = out->overhead_ns / (p.n * out->columns);
    return true;
}
