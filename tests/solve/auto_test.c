/* The default chooses by what it meets: explicit where nothing is stiff, radau where stability would limit
 * the steps and for algebraic equations; it changes on the way and back, says so, and does not swing. */
#include "solve/inside.h"
#include "test.h"

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
    long steps;       /* at most */
} cases[] = {
    { "never stiff", { 1.0, 1.0 }, false, "dop853 since t = 0:", 0, 0, 130 },
    { "always stiff", { 1e5, 1e5 }, false, "radau since", 1, 1, 300 },
    { "stiff at first", { 1e4, 0.1 }, false, "dop853 since", 2, 2, 1500 },
    { "algebraic", { 1.0, 1.0 }, true, "radau since t = 0:", 0, 0, 300 },
};

int main(void)
{
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
        ok &= CHECK_ROW(stats.steps <= cases[i].steps, cases[i].name);
        if (!ok) printf("  %s, %ld steps\n", stats.choice, stats.steps);
        solver_destroy(s);
    }
    return test_end();
}
