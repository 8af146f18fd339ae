/* The default chooses by what it meets: explicit where nothing is stiff, radau where stability
 * would limit the steps; it changes on the way and back, says so, and does not swing. Algebraic
 * equations, residuals, high index and many unknowns get a method for them at once. An explicit
 * method that fails gives the run to the implicit one. Nothing is handed over where the rest is
 * cheaper than a Jacobian. */
#include "solve/core/solver.h"
#include "solve/core/start.h"
#include "solve/core/vectors.h"
#include "solve/methods/auto/auto.h"
#include "solve/methods/erk/erk.h"
#include "test.h"

#include <stdlib.h>

/* Stiff for t below 10, mild afterwards. */
static EvalStatus fading_f(Model *model, double t, const double *y, double *f)
{
    const double *rate = model->data;
    double lambda = t < 10.0 ? rate[0] : rate[1];
    f[0] = -lambda * (y[0] - cos(t)) - sin(t);
    f[1] = y[0];
    return EVAL_OK;
}

static const struct {
    const char *name;
    double rates[2];
    bool dae;
    const char *says; /* the last choice */
    int least, most;  /* changes */
    long f;           /* evaluations, at most */
} cases[] = {
    { "never stiff", { 1.0, 1.0 }, false, "switching since t = 0:", 0, 0, 900 },
    { "always stiff", { 1e5, 1e5 }, false, "radau since", 1, 1, 2300 },
    { "stiff at first", { 1e4, 0.1 }, false, "switching since", 2, 2, 1400 },
    { "algebraic", { 1.0, 1.0 }, true, "bdf: algebraic equations, n = 2", -1, -1, 950 },
};

/* Many copies of y' = -y, so that size alone decides; as f, and as a residual. */
static EvalStatus many_f(Model *model, double t, const double *y, double *f)
{
    (void)t;
    for (int i = 0; i < model->shape.n; i++) f[i] = -y[i];
    return EVAL_OK;
}

static EvalStatus many_residual(Model *model, double t, const double *y, const double *yp, double *r)
{
    (void)t;
    for (int i = 0; i < model->shape.n; i++) r[i] = yp[i] + y[i];
    return EVAL_OK;
}

static const struct {
    const char *name;
    int n;
    bool residual, diagonal;
    unsigned char index;
    double rtol;
    const char *says;
} forms[] = {
    { "few", 3, false, false, 1, 1e-3, "dopri5 since" },
    { "many, rough", 300, false, false, 1, 1e-2, "dopri5 since" },
    { "many", 300, false, false, 1, 1e-6, "switching: many unknowns, n = 300" },
    { "many, tight", 300, false, false, 1, 1e-10, "switching since" },
    { "residual", 3, true, false, 1, 1e-6, "dassl: equations in residual form" },
    { "residual, tight", 3, true, false, 1, 1e-10, "radau: accuracy" },
    { "mass, rough", 3, false, true, 1, 1e-3, "bdf: algebraic equations" },
    { "index 3", 3, false, true, 3, 1e-6, "radau: unknowns of index 2 or 3" },
};

static void check_forms(void)
{
    static const ModelType plain = { .derivatives = many_f }, implicit = { .residual = many_residual };
    enum { MOST = 300 };
    double ones[MOST], y0[MOST];
    unsigned char index[MOST];
    for (size_t k = 0; k < COUNT_OF(forms); k++) {
        int n = forms[k].n;
        Model model;
        const char *wrong;
        SolverFailure why;
        for (int i = 0; i < n; i++) ones[i] = y0[i] = 1.0, index[i] = forms[k].index;
        Entry *diagonal = malloc((size_t)n * sizeof *diagonal);
        for (int i = 0; i < n; i++) diagonal[i] = (Entry){ i, i };
        Arena *arena = arena_new();
        ModelShape shape = { .name = "many",
                             .n = n,
                             .mass = forms[k].diagonal ? ones : NULL,
                             .index = index,
                             .pattern = pattern_of_entries(arena, n, n, diagonal, (size_t)n) };
        CHECK_ROW(model_init(&model, forms[k].residual ? &implicit : &plain, &shape, NULL, &wrong),
                  forms[k].name);
        Problem problem = { &model, 0.0, 1.0, y0, NULL };
        SolverOptions o = solver_options(forms[k].rtol, forms[k].rtol);
        CHECK_ROW(solver_default(&model, &o) == &solver_auto, forms[k].name);
        Solver *s = solver_create(&solver_auto, &problem, &o, &why);
        while (s && solver_step(s, 1.0) == STEP_TAKEN) continue;
        bool ok = CHECK_ROW(s && fabs(solver_y(s)[0] - exp(-1.0)) < 300.0 * forms[k].rtol, forms[k].name);
        ok &= CHECK_ROW(s && !strncmp(solver_stats(s).choice, forms[k].says, strlen(forms[k].says)),
                        forms[k].name);
        if (!ok && s) printf("  %s\n", solver_stats(s).choice);
        solver_destroy(s);
        o.fixed_step = 0.1;
        CHECK_ROW(solver_default(&model, &o)->can & SOLVE_FIXED, forms[k].name);
        free(diagonal);
        arena_free(arena);
    }
}

/* Oscillators y'' = -omega^2 y and a chain of heat: the spectral radius is known. */
static EvalStatus oscillators_f(Model *model, double t, const double *y, double *f)
{
    (void)t;
    int n = model->shape.n / 2;
    for (int i = 0; i < n; i++) {
        double omega = 1.0 + 999.0 * i / (n - 1);
        f[i] = y[n + i];
        f[n + i] = -omega * omega * y[i];
    }
    return EVAL_OK;
}

static EvalStatus heat_f(Model *model, double t, const double *y, double *f)
{
    (void)t;
    int n = model->shape.n;
    for (int i = 0; i < n; i++)
        f[i] = 250.0 * ((i ? y[i - 1] : 0.0) - 2.0 * y[i] + (i + 1 < n ? y[i + 1] : 0.0));
    return EVAL_OK;
}

/* The power method sees fast modes that the solution does not show, so no explicit step is wasted
 * on them. */
static void check_spectral_radius(void)
{
    static const ModelType types[] = { { .derivatives = oscillators_f }, { .derivatives = heat_f } };
    enum { N = 20 };
    for (size_t k = 0; k < COUNT_OF(types); k++) {
        ModelShape shape = { .name = "modes", .n = N };
        Model model;
        const char *wrong;
        SolverFailure why;
        double y0[N] = { 1.0 }, f0[N], w[N], v[N], y[N], f[N];
        CHECK(model_init(&model, &types[k], &shape, NULL, &wrong));
        Problem problem = { &model, 0.0, 1.0, y0, NULL };
        SolverOptions o = solver_options(1e-6, 1e-6);
        Solver *s = solver_create(&solver_dop853, &problem, &o, &why);
        CHECK(solver_weights(s, s->y, w) && solver_f(s, 0.0, s->y, f0) == EVAL_OK);
        double radius = spectral_radius(s, f0, w, v, y, f);
        if (!CHECK(radius > 600.0 && radius < 1500.0)) printf("  %g\n", radius);
        solver_destroy(s);
    }
}

/* Stability limits explicit steps on a chain of heat, but in a short run they cost less than the
 * first Jacobian, which has no pattern here; in a long one they do not. */
static void check_short_runs(void)
{
    static const ModelType type = { .derivatives = heat_f };
    static const double ends[] = { 0.05, 5.0 };
    enum { N = 150 };
    for (size_t k = 0; k < COUNT_OF(ends); k++) {
        ModelShape shape = { .name = "heat", .n = N };
        Model model;
        const char *wrong;
        SolverFailure why;
        double y0[N];
        for (int i = 0; i < N; i++) y0[i] = sin(3.14159265358979 * (i + 1) / (N + 1));
        CHECK(model_init(&model, &type, &shape, NULL, &wrong));
        Problem problem = { &model, 0.0, ends[k], y0, NULL };
        SolverOptions o = solver_options(1e-3, 1e-3);
        Solver *s = solver_create(&solver_auto, &problem, &o, &why);
        while (solver_step(s, ends[k]) == STEP_TAKEN) continue;
        SolverStats stats = solver_stats(s);
        if (!CHECK((stats.jacobians > 0) == (ends[k] > 1.0)))
            printf("  to %g: %s, %ld Jacobians, %ld evaluations\n", ends[k], stats.choice, stats.jacobians,
                   stats.f);
        solver_destroy(s);
    }
}

int main(void)
{
    check_forms();
    check_spectral_radius();
    check_short_runs();
    static const ModelType type = { .derivatives = fading_f };
    static const double mass[] = { 1.0, 1.0 };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Model model;
        const char *wrong;
        SolverFailure why;
        double y0[] = { 1.0, 0.0 }, rates[2] = { cases[i].rates[0], cases[i].rates[1] };
        ModelShape shape = { .name = "fading", .n = 2, .mass = cases[i].dae ? mass : NULL };
        CHECK_ROW(model_init(&model, &type, &shape, rates, &wrong), cases[i].name);
        Problem problem = { &model, 0.0, 60.0, y0, NULL };
        SolverOptions o = solver_options(1e-6, 1e-6);
        o.max_step = 0.5;
        Solver *s = solver_create(&solver_auto, &problem, &o, &why);
        while (solver_step(s, 60.0) == STEP_TAKEN) continue;
        SolverStats stats = solver_stats(s);
        int changes = -1;
        const char *count = strrchr(stats.choice, ';');
        if (count) sscanf(count, "; %d changes", &changes);
        bool ok = CHECK_ROW(fabs(solver_y(s)[0] - cos(60.0)) < 1e-4, cases[i].name);
        ok &= CHECK_ROW(!strncmp(stats.choice, cases[i].says, strlen(cases[i].says)), cases[i].name);
        ok &= CHECK_ROW(changes >= cases[i].least && changes <= cases[i].most, cases[i].name);
        ok &= CHECK_ROW(stats.f <= cases[i].f, cases[i].name);
        if (!ok) printf("  %s, %ld evaluations\n", stats.choice, stats.f);
        solver_destroy(s);
    }
    return test_end();
}
