/* Every source gives the same Jacobian and says what it is; a difference a colour is enough; a
 * pattern that is wrong is found out; differences do not cross roots or bounds, go to the other
 * side where f is not defined, and learn how curved f is; columns of exact ones that are no numbers
 * are differences. Digits that f lost are no curvature. Solutions keep slow directions of stiff
 * matrices. */
#include "solve/jacobian/inside.h"
#include "test.h"

enum { SIZE = 40 };

/* A chain: row i depends on i - 1, i, i + 1. */
static EvalStatus chain_f(Model *model, double t, const double *y, double *f)
{
    int n = model->shape.n;
    (void)t;
    for (int i = 0; i < n; i++)
        f[i] = (i ? y[i - 1] : 1.0) - 2.0 * y[i] * y[i] + (i + 1 < n ? sin(y[i + 1]) : 0.0);
    return EVAL_OK;
}

static EvalStatus chain_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                 double *values)
{
    int n = model->shape.n;
    (void)t;
    for (int i = 0; i < n; i++) {
        if (i) model_put(order, values, i, i - 1, 1.0);
        model_put(order, values, i, i, -4.0 * y[i]);
        if (i + 1 < n) model_put(order, values, i, i + 1, cos(y[i + 1]));
    }
    return EVAL_OK;
}

static const ModelType chain = { .derivatives = chain_f },
                       chain_exact = { .derivatives = chain_f, .jacobian = chain_jacobian };

static Pattern *band(Arena *arena, int n, int width)
{
    VEC(Entry) entries = { 0 };
    for (int i = 0; i < n; i++)
        for (int j = i - width; j <= i + width; j++)
            if (j >= 0 && j < n) vec_push(arena, &entries, ((Entry){ i, j }));
    return pattern_of_entries(arena, n, n, entries.at, entries.n);
}

/* The common part of an integrator, as far as Jacobians need it. */
static Solver bare(Arena *arena, Model *model, const double *y)
{
    Solver s = { .arena = arena, .model = model, .n = model->shape.n, .options = solver_options(1e-6, 1e-6) };
    s.atol = solver_vector(&s);
    s.y = solver_vector(&s);
    memcpy(s.y, y, (size_t)s.n * sizeof *y);
    for (int i = 0; i < s.n; i++) s.atol[i] = 1e-6;
    s.options.increment_memory = MEMORY_ON;
    return s;
}

static double worst_against(const Jacobian *jac, const double *y)
{
    double worst = 0.0;
    for (int j = 0; j < SIZE; j++)
        for (int i = 0; i < SIZE; i++) {
            double want = i == j ? -4.0 * y[i] : i == j + 1 ? 1.0 : i == j - 1 ? cos(y[j]) : 0.0;
            int place = matrix_place(jac->shape, i, j);
            worst = fmax(worst, fabs((place < 0 ? 0.0 : jac->values[place]) - want));
        }
    return worst;
}

static void check_sources(Arena *arena)
{
    static const struct {
        JacobianSource source;
        bool pattern, exact; /* that the model has */
        ModelJacobian kind;
        const char *name; /* NULL: refused */
        int evaluations;
    } rows[] = {
        { JACOBIAN_AUTO, true, true, MODEL_EXACT, "exact", 0 },
        { JACOBIAN_AUTO, true, true, MODEL_DIRECTIONAL, "directional derivatives", 0 },
        { JACOBIAN_AUTO, true, true, MODEL_MIXED, "exact, with differences in external functions", 0 },
        { JACOBIAN_AUTO, true, false, MODEL_EXACT, "coloured differences", 3 },
        { JACOBIAN_AUTO, false, false, MODEL_EXACT, "dense differences", SIZE },
        { JACOBIAN_EXACT, true, true, MODEL_EXACT, "exact", 0 },
        { JACOBIAN_EXACT, true, true, MODEL_DIRECTIONAL, NULL, 0 },
        { JACOBIAN_EXACT, true, false, MODEL_EXACT, NULL, 0 },
        { JACOBIAN_DIRECTIONAL, true, true, MODEL_DIRECTIONAL, "directional derivatives", 0 },
        { JACOBIAN_DIRECTIONAL, true, true, MODEL_EXACT, NULL, 0 },
        { JACOBIAN_MIXED, true, true, MODEL_MIXED, "exact, with differences in external functions", 0 },
        { JACOBIAN_DIFFERENCES, true, true, MODEL_EXACT, "coloured differences", 3 },
        { JACOBIAN_DENSE, true, true, MODEL_EXACT, "dense differences", SIZE },
        { JACOBIAN_BANDED, true, true, MODEL_EXACT, "banded differences", 3 },
        { JACOBIAN_COLOURED, true, false, MODEL_EXACT, "coloured differences", 3 },
        { JACOBIAN_BANDED, false, true, MODEL_EXACT, NULL, 0 },
        { JACOBIAN_COLOURED, false, true, MODEL_EXACT, NULL, 0 },
    };
    double y[SIZE], f[SIZE];
    const char *why;
    for (int i = 0; i < SIZE; i++) y[i] = 1.5 + cos(3.0 * i);
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        const char *name = rows[k].name ? rows[k].name : "refused";
        ModelShape shape = { .name = "chain", .n = SIZE, .jacobian_kind = rows[k].kind };
        if (rows[k].pattern) shape.pattern = band(arena, SIZE, 1);
        Model model;
        CHECK(model_init(&model, rows[k].exact ? &chain_exact : &chain, &shape, NULL, &why));
        Solver s = bare(arena, &model, y);
        Jacobian jac = { 0 };
        s.options.jacobian = rows[k].source;
        CHECK_ROW(jacobian_setup(&s, &jac) == (rows[k].name != NULL), name);
        if (!rows[k].name) {
            CHECK(s.failure.kind == FAIL_WRONG_INPUT && s.failure.text[0]);
            continue;
        }
        chain_f(&model, 0.0, y, f);
        CHECK_ROW(jacobian_f(&s, &jac, 0.0, y, f, 0.1) == EVAL_OK, name);
        CHECK_TEXT(s.stats.jacobian_source, rows[k].name);
        CHECK_ROW(s.stats.f_jacobian >= 2 * rows[k].evaluations &&
                      s.stats.f_jacobian <= 13 * rows[k].evaluations,
                  name);
        CHECK_ROW(jac.exact || s.stats.colours == rows[k].evaluations, name);
        CHECK_ROW(worst_against(&jac, y) < (jac.exact ? 1e-15 : 1e-9), name);
    }
}

/* Every rule with every post-processing gives the Jacobian of a well-scaled model. */
static void check_rules(Arena *arena)
{
    double y[SIZE], f[SIZE];
    const char *why;
    ModelShape shape = { .name = "chain", .n = SIZE, .pattern = band(arena, SIZE, 1) };
    Model model;
    CHECK(model_init(&model, &chain, &shape, NULL, &why));
    for (int i = 0; i < SIZE; i++) y[i] = 1.0 + cos(3.0 * i);
    chain_f(&model, 0.0, y, f);
    for (size_t rule = 0; rule < increment_type_count; rule++)
        for (int post = POST_NONE; post <= POST_3; post++) {
            Solver s = bare(arena, &model, y);
            Jacobian jac = { 0 };
            s.options.increment = &increment_types[rule];
            s.options.increment_post = (IncrementPost)post;
            CHECK(jacobian_setup(&s, &jac) && jacobian_f(&s, &jac, 0.0, y, f, 0.1) == EVAL_OK);
            CHECK_TEXT(s.stats.increment, increment_types[rule].name);
            CHECK_ROW(worst_against(&jac, y) < 1e-3, increment_types[rule].name);
        }
}

/* A diagonal that is claimed for a chain is found out, whoever makes the values; the true pattern
 * is believed. */
static void check_claims(Arena *arena)
{
    double y[SIZE], f[SIZE];
    const char *why;
    for (int i = 0; i < SIZE; i++) y[i] = i % 4 ? 1.5 + cos(3.0 * i) : 0.0;
    for (int k = 0; k < 4; k++) {
        bool right = k & 1, exact = k & 2;
        ModelShape shape = { .name = "chain",
                             .n = SIZE,
                             .pattern = band(arena, SIZE, right ? 1 : 0),
                             .pattern_is_claimed = true };
        Model model;
        CHECK(model_init(&model, exact ? &chain_exact : &chain, &shape, NULL, &why));
        Solver s = bare(arena, &model, y);
        Jacobian jac = { 0 };
        CHECK(jacobian_setup(&s, &jac));
        CHECK((s.stats.warning[0] == '\0') == right);
        CHECK(right || (jac.shape->kind == MATRIX_DENSE && strstr(s.stats.warning, "y[")));
        chain_f(&model, 0.0, y, f);
        CHECK(jacobian_f(&s, &jac, 0.0, y, f, 0.1) == EVAL_OK && worst_against(&jac, y) < 2e-5);
    }
}

/* Two unknowns: sqrt(y0) stops at 0, and after y1 = 1.5 everything is different; both have a root
 * there. */
static EvalStatus edge_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    if (y[0] < 0.0) return EVAL_RETRY;
    f[0] = sqrt(y[0]);
    f[1] = y[1] > 1.5 ? 1e9 : y[1];
    return EVAL_OK;
}

static EvalStatus edge_indicators(Model *model, double t, const double *y, double *g)
{
    (void)model, (void)t;
    g[0] = y[1] - 1.5;
    return EVAL_OK;
}

static const ModelType edge = { .derivatives = edge_f, .indicators = edge_indicators },
                       cliff = { .derivatives = edge_f };

static double slope_at(Arena *arena, const ModelType *type, const ModelShape *shape, const double *far,
                       const double *y, int j, bool looks_for_jumps)
{
    Model model;
    const char *why;
    double f[2];
    CHECK(model_init(&model, type, shape, NULL, &why));
    Solver s = bare(arena, &model, y);
    Jacobian jac = { 0 };
    CHECK(jacobian_setup(&s, &jac));
    if (!looks_for_jumps) jac.jump = NULL;
    for (int k = 0; k < 2; k++) { /* the first shows how large indicators get */
        edge_f(&model, 0.0, k ? y : far, f);
        if (jacobian_f(&s, &jac, 0.0, k ? y : far, f, 0.1) != EVAL_OK) return NAN;
    }
    return jac.values[matrix_place(jac.shape, j, j)];
}

static void check_edges(Arena *arena)
{
    static const double far[] = { 1.0, 0.25 }, near[] = { 1.0, 1.5 - 1e-12 }, low[] = { -INFINITY, 0.0 },
                        high[] = { INFINITY, 1.5 };
    ModelShape shape = { .name = "edge", .n = 2, .indicators = 1 };
    CHECK_NEAR(slope_at(arena, &edge, &shape, far, near, 1, false), 1.0, 1e-6); /* the kink guard */
    shape.indicators = 0;
    CHECK(slope_at(arena, &cliff, &shape, far, near, 1, false) > 1e10); /* without it */
    /* which jump.c saves */
    CHECK_NEAR(slope_at(arena, &cliff, &shape, far, near, 1, true), 1.0, 1e-6);
    shape.low = low;
    shape.high = high;
    CHECK_NEAR(slope_at(arena, &cliff, &shape, far, near, 1, false), 1.0, 1e-6); /* max = 1.5 */
    /* at the end of what f is defined for, differences go to the other side */
    static const double end[] = { 0.0, 0.25 };
    double slope = slope_at(arena, &cliff, &shape, far, end, 0, true);
    CHECK(slope > 1.0 && isfinite(slope));
    static const double nothing[] = { NAN, 0.25 };
    CHECK(isnan(slope_at(arena, &cliff, &shape, far, nothing, 0, true)));
}

/* exp(1e6 y): the curvature scale is 1e-6, not |y|. The first Jacobian finds that out, so that
 * those that can afford one evaluation only are good, too; it is looked for again when Newton's
 * method failed, and with several evaluations, as far as the run affords them, also long after. */
static EvalStatus steep_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = exp(1e6 * (y[0] - 1.0));
    return EVAL_OK;
}

static void check_learning(Arena *arena)
{
    static const ModelType steep = { .derivatives = steep_f };
    static const ModelShape shape = { .name = "steep", .n = 1 };
    static const double y[] = { 1.0 }, f[] = { 1.0 };
    Model model;
    const char *why;
    CHECK(model_init(&model, &steep, &shape, NULL, &why));
    Solver s = bare(arena, &model, y);
    Jacobian jac = { 0 };
    CHECK(jacobian_setup(&s, &jac));
    long learnt = 0;
    for (int k = 0; k < 100; k++) {
        s.stats.steps += 2;
        if (k == 20) s.stats.rejected_newton++;
        CHECK(jacobian_f(&s, &jac, 0.0, y, f, 0.1) == EVAL_OK);
        double error = fabs(jac.values[0] - 1e6) / 1e6;
        CHECK(error < 1e-4);
        if (k == 0 || k == 20) learnt++;
        CHECK(s.stats.learnt == learnt || (k > 64 && s.stats.learnt <= 4));
    }
    /* the last one may begin with all but one spent */
    CHECK(s.stats.f_jacobian < 12 + 100 * 4 / 3 + 13 + 8);
}

/* A column with entries that are linear, curved and steep: no increment suits all. Several
 * increments are good for each, stay between bounds, and need fewer evaluations the second time; an
 * entry that is linear needs only one. */
static EvalStatus uneven_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = 3.0 * y[0] - 7.0;
    f[1] = sqrt(y[0]) - 2.0 * y[1];
    f[2] = exp(200.0 * (y[0] - 1.0));
    return y[0] > 2.5 ? EVAL_FATAL : EVAL_OK;
}

static void check_careful(Arena *arena)
{
    static const ModelType uneven = { .derivatives = uneven_f };
    static const double low[] = { 0.5, -1.0, -1.0 }, high[] = { 2.5, 1.0, 1.0 };
    static const ModelShape shape = { .name = "uneven", .n = 3, .low = low, .high = high };
    static const double y[] = { 1.0, 0.25, 0.0 }, want[] = { 3.0, 0.5, 200.0 };
    double f[3];
    Model model;
    const char *why;
    CHECK(model_init(&model, &uneven, &shape, NULL, &why));
    uneven_f(&model, 0.0, y, f);
    Solver s = bare(arena, &model, y);
    Jacobian jac = { 0 };
    CHECK(jacobian_setup(&s, &jac));
    s.stats.f = 10000;
    for (int again = 0, before = 0; again < 2; again++, before = (int)s.stats.f_jacobian) {
        s.stats.steps += 2;
        CHECK(jacobian_f(&s, &jac, 0.0, y, f, 0.1) == EVAL_OK);
        long spent = s.stats.f_jacobian - before;
        CHECK(again ? spent > 6 && spent <= 12 : spent > 6 && spent <= 3 * 13);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(jac.values[matrix_place(jac.shape, i, 0)], want[i], 1e-10 * want[i]);
        CHECK_NEAR(jac.values[matrix_place(jac.shape, 1, 1)], -2.0, 1e-14);
    }
}

/* Columns that do not change cost one evaluation together, whatever else there is; and are looked
 * at again when one of them does. */
static EvalStatus steady_f(Model *model, double t, const double *y, double *f)
{
    int n = model->shape.n;
    for (int i = 0; i < n; i++) f[i] = (t < 10.0 || i != 1 ? 3.0 : 4.0) * y[i] - y[(i + 1) % n];
    f[n - 1] += y[0] * y[0];
    return EVAL_OK;
}

static void check_kept(Arena *arena)
{
    enum { N = 6 };
    static const ModelType steady = { .derivatives = steady_f };
    static const ModelShape shape = { .name = "steady", .n = N };
    double y[N] = { 1.0, -0.5, 2.0, 0.25, 3.0, -1.5 }, f[N];
    Model model;
    const char *why;
    CHECK(model_init(&model, &steady, &shape, NULL, &why));
    Solver s = bare(arena, &model, y);
    Jacobian jac = { 0 };
    CHECK(jacobian_setup(&s, &jac));
    s.stats.f = 10000;
    for (int time = 0; time < 16; time++) {
        long before = s.stats.f_jacobian;
        s.stats.steps += 2;
        for (int i = 0; i < N; i++) y[i] *= 1.01;
        steady_f(&model, time, y, f);
        CHECK(jacobian_f(&s, &jac, time, y, f, 0.1) == EVAL_OK);
        long spent = s.stats.f_jacobian - before;
        /* column 0 is curved */
        CHECK(time < 4 || time == 10 || time == 11 || time == 12 || spent <= 6);
        CHECK(time != 10 || spent > N);
        CHECK_NEAR(jac.values[matrix_place(jac.shape, N - 1, 0)], 2.0 * y[0] - 1.0, 1e-10);
        for (int i = 1; i < N; i++)
            CHECK_NEAR(jac.values[matrix_place(jac.shape, i, i)], i == 1 && time >= 10 ? 4.0 : 3.0, 1e-12);
    }
}

/* Sizes that leave no room above or below, and nominal values that say nothing. */
static EvalStatus double_f(Model *model, double t, const double *y, double *f)
{
    (void)t;
    for (int i = 0; i < model->shape.n; i++) f[i] = 2.0 * y[i];
    return EVAL_OK;
}

static void check_extremes(Arena *arena)
{
    enum { N = 7 };
    static const ModelType doubles = { .derivatives = double_f };
    static const double y[N] = { 0.0, 4.9e-324, 1e300, -1e300, 1e-300, -4.9e-324, 8e307 },
                        nominal[N] = { 0.0, -1.0, INFINITY, NAN, 1e300, 1e-300, 1.0 };
    static const ModelShape shape = { .name = "extremes", .n = N, .nominal = nominal };
    double f[N];
    Model model;
    const char *why;
    CHECK(model_init(&model, &doubles, &shape, NULL, &why));
    double_f(&model, 0.0, y, f);
    for (int rich = 0; rich < 2; rich++) {
        Solver s = bare(arena, &model, y);
        Jacobian jac = { 0 };
        CHECK(jacobian_setup(&s, &jac));
        s.stats.f = rich ? 100000 : 0;
        CHECK(jacobian_f(&s, &jac, 0.0, y, f, 0.1) == EVAL_OK);
        for (int j = 0; j < N; j++) CHECK_NEAR(jac.values[matrix_place(jac.shape, j, j)], 2.0, 1e-7);
    }
}

/* f = (1 - sqrt(y0), y0 y1), from where the derivative of the root is infinite */
static EvalStatus root_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = 1.0 - sqrt(y[0]);
    f[1] = y[0] * y[1];
    return EVAL_OK;
}

static EvalStatus root_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                double *values)
{
    (void)model, (void)t;
    model_put(order, values, 0, 0, -0.5 / sqrt(y[0]));
    model_put(order, values, 1, 0, y[1]);
    model_put(order, values, 1, 1, y[0]);
    return EVAL_OK;
}

static void check_undefined(Arena *arena)
{
    static const ModelType type = { .derivatives = root_f, .jacobian = root_jacobian };
    const double y[2] = { 0.0, 3.0 }, f[2] = { 1.0, 0.0 };
    Model model = { .type = &type, .can = MODEL_DERIVATIVES | MODEL_JACOBIAN, .shape = { .n = 2 } };
    Solver s = bare(arena, &model, y);
    Jacobian jac = { 0 };
    CHECK(jacobian_setup(&s, &jac) && jac.exact);
    CHECK(jacobian_f(&s, &jac, 0.0, y, f, 0.1) == EVAL_OK);
    CHECK(isfinite(jac.values[matrix_place(jac.shape, 0, 0)]) &&
          jac.values[matrix_place(jac.shape, 0, 0)] < -1.0);
    CHECK_NEAR(jac.values[matrix_place(jac.shape, 1, 0)], 3.0, 1e-9);
    CHECK(jac.values[matrix_place(jac.shape, 1, 1)] == 0.0 && s.stats.f_jacobian <= 2);

    SolverOptions options = solver_options(1e-8, 1e-10);
    Problem problem = { .model = &model, .t0 = 0.0, .t_end = 1.0, .y0 = y };
    static const char *const names[] = { "radau5", "rodas", "bdf", "esdirk4" };
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        SolverFailure failure;
        Solver *run = solver_create(solver_find(names[k]), &problem, &options, &failure);
        StepStatus status = STEP_TAKEN;
        while (run && status == STEP_TAKEN) status = solver_step(run, 1.0);
        /* u = sqrt(y0) has 2 (-u - log(1 - u)) = t */
        double u = status == STEP_LIMIT ? sqrt(solver_y(run)[0]) : 0.0;
        CHECK_ROW(fabs(-2.0 * (u + log(1.0 - u)) - 1.0) < 1e-4, names[k]);
        solver_destroy(run);
    }
}

/* Digits that f lost and that none of its terms shows: differences that look for curvature must not
 * find it there. Row 0 is smooth, row 1 the same after losing 15 bits, row 2 has a jump next to
 * y. */
static EvalStatus noisy_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    double lost = 32768.0 * (1.0 + 0.1 * sin(y[1]));
    f[0] = exp(y[0]) * cos(y[1]) + y[2];
    f[1] = ((exp(y[0]) + lost) - lost) * cos(y[1]) + y[2];
    f[2] = y[2] + (y[0] > 1.0 + 0x1p-35 ? 1.0 : 0.0);
    return EVAL_OK;
}

static void check_noise(Arena *arena)
{
    static const ModelType type = { .derivatives = noisy_f };
    static const ModelShape shape = { .name = "noisy", .n = 3 };
    double y[] = { 1.0, 0.7, 0.3 }, f[3], noise[4];
    Model model;
    const char *why;
    CHECK(model_init(&model, &type, &shape, NULL, &why));
    Solver s = bare(arena, &model, y);
    Jacobian jac = { 0 };
    CHECK(jacobian_setup(&s, &jac));
    noisy_f(&model, 0.0, y, f);
    DifferencePoint p = { .t = 0.0, .y = y };
    for (int i = 0; i < 3; i++) jac.delta[i] = 1e-8;
    CHECK(noise_measure(&s, &jac, &p, f, noise));
    CHECK(noise[0] < 4.0 * UROUND * f[0] && noise[2] < 4.0 * UROUND);
    CHECK(noise[1] > 32768.0 * UROUND / 8.0 && noise[1] < 32768.0 * UROUND * 8.0);
    double worst = 0.0;
    for (int k = 0; k < 50; k++) {
        s.stats.steps += 2;
        y[0] = 1.0 + 0.013 * k, y[1] = 0.7 - 0.011 * k;
        noisy_f(&model, 0.0, y, f);
        CHECK(jacobian_f(&s, &jac, 0.0, y, f, 0.1) == EVAL_OK);
        double want = exp(y[0]) * cos(y[1]);
        for (int i = 0; i < 2; i++)
            worst = fmax(worst, fabs(jac.values[matrix_place(jac.shape, i, 0)] - want) / want);
    }
    if (!CHECK(worst < 3e-4)) printf("  %g\n", worst);
}

/* Where f lost digits, what is added to plain differences makes them right along the solution, and
 * changes nothing in rows that are exact. */
static void check_secant(Arena *arena)
{
    static const ModelType type = { .derivatives = noisy_f };
    static const ModelShape shape = { .name = "noisy", .n = 3 };
    double y[] = { 1.0, 0.7, 0.3 }, f[3], e[10] = { 0.0 };
    Model model;
    const char *why;
    CHECK(model_init(&model, &type, &shape, NULL, &why));
    Solver s = bare(arena, &model, y);
    Jacobian jac = { 0 };
    Secant secant = { 0 };
    CHECK(jacobian_setup(&s, &jac));
    secant_setup(&s, &secant);
    noisy_f(&model, 0.0, y, f);
    for (int k = 0; k < 9; k++) { /* until one is by plain differences */
        s.stats.steps += 2;
        CHECK(jacobian_f(&s, &jac, 0.0, y, f, 0.1) == EVAL_OK);
        CHECK(secant_measure(&s, &jac, &secant, 0.0, y, f, 0.1) == EVAL_OK);
        CHECK(secant.active == (jacobian_noise(&jac) != NULL));
    }
    CHECK(secant.active);
    secant_apply(&secant, &jac, e);
    const double v = exp(y[0]), want = v * cos(y[1]) * f[0] - v * sin(y[1]) * f[1] + f[2];
    double plain = 0.0, better = 0.0;
    for (int j = 0; j < 3; j++) {
        int at = matrix_place(jac.shape, 1, j), exact = matrix_place(jac.shape, 0, j);
        plain += jac.values[at] * f[j];
        better += (jac.values[at] - e[at]) * f[j];
        CHECK(e[exact] == 0.0);
    }
    if (!CHECK(fabs(better - want) < 1e-6 && fabs(better - want) < 0.3 * fabs(plain - want)))
        printf("  %g %g\n", plain - want, better - want);
}

/* A slow direction of a stiff system: the sum of both rows is d0 + d1 = h b, whatever J does; plain
 * elimination keeps half of its digits. */
static void check_refined(Arena *arena)
{
    static const ModelType type = { .derivatives = double_f };
    static const ModelShape shape = { .name = "refined", .n = 2 };
    static const double y[] = { 1.0, 1.0 }, b[] = { 0.3, 0.1 };
    Model model;
    const char *why;
    CHECK(model_init(&model, &type, &shape, NULL, &why));
    Solver s = bare(arena, &model, y);
    Jacobian jac = { 0 };
    CHECK(jacobian_setup(&s, &jac));
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++)
            jac.values[matrix_place(jac.shape, i, j)] = (j ? 7e8 / 3.0 : 1e8 / 7.0) * (i == j ? -1.0 : 1.0);
    double c = 1.0 / 3.0, matrix[5], d[4], high[4], low[4];
    Lu *lu = lu_new(arena, jac.shape, false);
    jacobian_shift(&jac, c, matrix);
    CHECK(lu_factor(lu, matrix) == LU_OK);
    vector_copy(2, b, d);
    lu_solve(lu, d);
    double plain = fabs(c * (d[0] + d[1]) - (b[0] + b[1]));
    refine_solution(&jac, c, lu, b, d, high, low);
    CHECK(plain > 1e-10 && fabs(c * (d[0] + d[1]) - (b[0] + b[1])) < 1e-15);
    lu_free(lu);
}

int main(void)
{
    Arena *arena = arena_new();
    check_undefined(arena);
    check_careful(arena);
    check_kept(arena);
    check_extremes(arena);
    check_sources(arena);
    check_rules(arena);
    check_claims(arena);
    check_edges(arena);
    check_learning(arena);
    check_noise(arena);
    check_secant(arena);
    check_refined(arena);
    arena_free(arena);
    return test_end();
}
