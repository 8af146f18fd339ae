/* Unknowns that stand still change no step of those beside them. Lost digits of 1/h do not show. A
 * model without a value, or a row whose matrix is singular, makes a shorter step. */
#include "solve/solve.h"
#include "test.h"

enum { MOST = 8 };

static int wanted = 0; /* unknowns of the problem proper; others stand still */
static long calls, bad_call;
static EvalStatus bad_status;
static bool saw_nan;

/* Two and more of a turning, forced, decaying chain. */
static EvalStatus chain_f(Model *model, double t, const double *y, double *f)
{
    for (int i = 0; i < model->shape.n; i++) {
        saw_nan |= !isfinite(y[i]);
        f[i] = 0.0;
    }
    f[0] = y[1] - 0.1 * y[0] * y[0] * y[0] + sin(t);
    f[1] = -3.0 * y[0] - 0.2 * y[1];
    for (int i = 2; i < wanted; i++) f[i] = (i == 2 ? 1.0 : 400.0) * (y[i - 1] * y[0] - y[i]);
    if (++calls == bad_call) {
        if (bad_status == EVAL_OK) f[1] = NAN;
        return bad_status;
    }
    return EVAL_OK;
}

/* Slow in the sum, which 1e9 times as fast an exchange hides; y' of the sum is -sum/3. */
static EvalStatus exchange_f(Model *model, double t, const double *y, double *f)
{
    double flow = 1e9 / 7.0 * y[0] - 7e9 / 3.0 * y[1];
    (void)t;
    for (int i = 0; i < model->shape.n; i++) f[i] = 0.0;
    f[0] = -flow - y[0] / 3.0;
    f[1] = flow - y[1] / 3.0;
    return EVAL_OK;
}

static EvalStatus grow_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = y[0];
    f[1] = y[1];
    return EVAL_OK;
}

static EvalStatus grow_jacobian(Model *model, double t, const double *y, const MatrixShape *order, double *v)
{
    (void)model, (void)t, (void)y;
    for (int i = 0; i < 2; i++) model_put(order, v, i, i, 1.0);
    return EVAL_OK;
}

static const ModelType grow = { .derivatives = grow_f, .jacobian = grow_jacobian };
static const ModelType chain = { .derivatives = chain_f }, exchange = { .derivatives = exchange_f };

static Solver *make(Model *model, const ModelType *type, int n, SolverOptions options, double t_end)
{
    static const double y0[MOST] = { 1.0, 0.5, 0.25, 0.125 };
    ModelShape shape = { .name = "few", .n = n };
    const char *why;
    SolverFailure failure;
    CHECK(model_init(model, type, &shape, NULL, &why));
    Problem problem = { model, 0.0, t_end, y0, NULL };
    calls = 0;
    return solver_create(solver_find("seulex"), &problem, &options, &failure);
}

static StepStatus run(Solver *s, double t_end)
{
    StepStatus status;
    do status = solver_step(s, t_end);
    while (status == STEP_TAKEN);
    return status;
}

/* Of dense output, too, in a first step and in a later one. */
static void check_beside_others(void)
{
    SolverOptions options = solver_options(1e-6, 1e-6);
    options.fixed_step = 0.125;
    for (wanted = 2; wanted <= 4; wanted++) {
        Model few_model, many_model;
        Solver *few = make(&few_model, &chain, wanted, options, 4.0),
               *many = make(&many_model, &chain, 5, options, 4.0);
        for (int k = 1; k <= 32; k++) {
            double at = 0.125 * k - 0.05, y[MOST], want[MOST];
            StepStatus status = solver_step(few, 4.0);
            CHECK(status == solver_step(many, 4.0) && status == (k < 32 ? STEP_TAKEN : STEP_LIMIT));
            solver_interpolate(few, at, y);
            solver_interpolate(many, at, want);
            for (int i = 0; i < wanted; i++) {
                CHECK_NEAR(solver_y(few)[i], solver_y(many)[i], 1e-12);
                CHECK_NEAR(y[i], want[i], 1e-11);
            }
        }
        SolverStats a = solver_stats(few), b = solver_stats(many);
        CHECK(a.f == b.f && a.factors == b.factors && a.solves == b.solves);
        solver_destroy(few);
        solver_destroy(many);
    }
}

static void check_lost_digits(void)
{
    Model model;
    Solver *s = make(&model, &exchange, 2, solver_options(1e-9, 1e-9), 3.0);
    CHECK(run(s, 3.0) == STEP_LIMIT);
    CHECK_NEAR(solver_y(s)[0] + solver_y(s)[1], 1.5 * exp(-1.0), 1e-9);
    CHECK(solver_stats(s).steps < 60);
    solver_destroy(s);
}

static void check_failures(void)
{
    static const struct {
        const char *name;
        EvalStatus status;
        long call;
        StepStatus end;
        long rejected;
    } rows[] = { { "no value", EVAL_RETRY, 40, STEP_LIMIT, 1 },
                 { "no value at first", EVAL_RETRY, 14, STEP_LIMIT, 1 },
                 { "no number", EVAL_OK, 40, STEP_LIMIT, 1 },
                 { "no number at first", EVAL_OK, 14, STEP_LIMIT, 1 },
                 { "given up", EVAL_FATAL, 40, STEP_FAILED, 1 } };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Model model;
        wanted = 3;
        bad_call = rows[i].call;
        bad_status = rows[i].status;
        Solver *s = make(&model, &chain, 3, solver_options(1e-6, 1e-6), 4.0);
        CHECK_ROW(run(s, 4.0) == rows[i].end, rows[i].name);
        SolverStats stats = solver_stats(s);
        CHECK_ROW(stats.rejected_model + stats.rejected_newton == rows[i].rejected, rows[i].name);
        CHECK_ROW(stats.f + stats.f_jacobian == calls, rows[i].name);
        CHECK_ROW(!saw_nan, rows[i].name);
        solver_destroy(s);
    }
    bad_call = 0;
}

/* y' = y with a step of 3: the second row has 1/h_2 = 1 and a singular matrix, so the step is
 * refused until it is shorter. */
static void check_singular(void)
{
    Model model;
    SolverOptions options = solver_options(1e-2, 1e-2);
    options.initial_step = 3.0;
    Solver *s = make(&model, &grow, 2, options, 6.0);
    CHECK(run(s, 6.0) == STEP_LIMIT);
    CHECK(solver_stats(s).rejected_newton > 0);
    CHECK_NEAR(solver_y(s)[0] * exp(-6.0), 1.0, 0.05);
    solver_destroy(s);
}

int main(void)
{
    check_beside_others();
    check_lost_digits();
    check_failures();
    check_singular();
    return test_end();
}
