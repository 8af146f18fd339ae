/* A Butcher tableau given as text becomes a method like any other: it has its order with fixed
 * steps, keeps to a tolerance, and is refused, with what is wrong, when its shape or an order
 * condition is. */
#include "solve/solve.h"
#include "test.h"

static const char bogacki[] =
    "# Bogacki and Shampine 3(2)\nstages 4\norder 3 2\na 1/2\na 0 3/4\na 2/9 1/3 4/9\n"
    "b 2/9 1/3 4/9 0\nbhat 7/24 1/4 1/3 1/8\n";
/* gamma = 1 - sqrt(2)/2, order 2, with the first stage alone as embedded formula of order 1 */
static const char sdirk2[] =
    "stages 2\norder 2 1\na 0.2928932188134524\na 0.7071067811865476 0.2928932188134524\n"
    "b 0.7071067811865476 0.2928932188134524\nbhat 1 0\n";

/* two numbers on the diagonal */
static const char dirk2[] = "stages 2\norder 2 1\na 1/4\na 2/3 1/3\nb 2/3 1/3\nbhat 1 0\n";
/* Crouzeix: gamma = (3 + sqrt(3))/6, the result is no stage */
static const char crouzeix[] =
    "stages 2\norder 3 1\na 0.7886751345948129\na -0.5773502691896257 0.7886751345948129\n"
    "b 1/2 1/2\nbhat 1 0\n";
/* Butcher's Lobatto III, whose last stage is explicit */
static const char lobatto[] = "stages 3\norder 4 2\na 0\na 1/4 1/4\na 0 1 0\nb 1/6 2/3 1/6\nbhat 0 1 0\n";

static EvalStatus riccati_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = y[0] * y[0] * cos(t); /* y = 1/(2 - sin t) */
    return EVAL_OK;
}

/* The same with z = y^2 as an unknown. */
static EvalStatus riccati_dae(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = y[1] * cos(t);
    f[1] = y[1] - y[0] * y[0];
    return EVAL_OK;
}

static double error_of(const SolverType *type, bool has_mass, double rtol, double fixed)
{
    static const double mass[] = { 1.0, 0.0 };
    static const ModelType types[] = { { .derivatives = riccati_f }, { .derivatives = riccati_dae } };
    static const ModelShape shapes[] = { { .name = "riccati", .n = 1 },
                                         { .name = "riccati as DAE", .n = 2, .mass = mass } };
    Model model;
    const char *why;
    SolverFailure failure;
    double y0[] = { 0.5, 0.25 };
    CHECK(model_init(&model, &types[has_mass], &shapes[has_mass], NULL, &why));
    Problem problem = { &model, 0.0, 2.0, y0, NULL };
    SolverOptions o = solver_options(rtol, rtol);
    o.fixed_step = fixed;
    Solver *s = solver_create(type, &problem, &o, &failure);
    StepStatus status;
    while ((status = solver_step(s, 2.0)) == STEP_TAKEN) continue;
    CHECK_ROW(status == STEP_LIMIT, type->name);
    double error = fabs(solver_y(s)[0] - 1.0 / (2.0 - sin(2.0)));
    solver_destroy(s);
    return error;
}

static const char *by_arkode(Arena *arena, const char *text)
{
    return arena_printf(arena, "%sby arkode\n", text);
}

static const struct {
    const char *text, *says;
} bad[] = {
    { "stages 2\norder 2 1\nby nobody\n", "arkode" },
    { "", "stages" },
    { "stages 2\norder 2 1\na 1/2\nb 0 1\n", "bhat" },
    { "stages 2\norder 2 1\na 1/2\nb 0 1\nbhat 1 0 0\n", "bhat" },
    { "stages 2\norder 3 1\na 1/2\nb 0 1\nbhat 1 0\n", "b misses a condition of order 3" },
    { "stages 2\norder 2 2\na 1/2\nb 0 1\nbhat 1 0\n", "bhat misses a condition of order 2" },
    { "stages 2\norder 2 1\na 1/x\nb 0 1\nbhat 1 0\n", "no number" },
    { "stages 2\norder 2 1\na 1/2 3\nb 0 1\nbhat 1 0\n", "more numbers" },
    { "stages 2\nnonsense 1\n", "none of" },
    { "stages 2\norder 2 1\na -1/4\na 1/2 1/3\nb 1/2 1/3\nbhat 1 0\n", "diagonal" },
    { "stages 2\norder 2 1\na 0\na 1/2 0\nb 0 1\nbhat 1 0\n", "leave it out" },
    { "stages 40\norder 2 1\n", "stages" },
};

int main(void)
{
    Arena *arena = arena_new();
    const struct {
        const char *name, *text;
        int order;
        bool stiff, mass;
    } good[] = { { "bogacki", bogacki, 3, false, false },
                 { "sdirk2", sdirk2, 2, true, true },
                 { "dirk2", dirk2, 2, true, true },
                 { "crouzeix", crouzeix, 3, true, false },
                 { "lobatto", lobatto, 4, true, false },
                 { "bogacki by ARKODE", by_arkode(arena, bogacki), 3, false, false },
                 { "sdirk2 by ARKODE", by_arkode(arena, sdirk2), 2, true, false },
                 { "lobatto by ARKODE", by_arkode(arena, lobatto), 4, true, false } };
    const char *why;
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        const SolverType *type = solver_of_tableau(arena, good[i].name, str_of(good[i].text), &why);
        if (!CHECK_ROW(type && type->order == good[i].order, good[i].name)) continue;
        CHECK_ROW(((type->can & SOLVE_STIFF) != 0) == good[i].stiff, good[i].name);
        CHECK_ROW(((type->can & SOLVE_MASS) != 0) == good[i].mass, good[i].name);
        double h = good[i].order < 4 ? 1.0 / 64 : 1.0 / 16;
        for (int mass = 0; mass <= good[i].mass; mass++) {
            double slope = log2(error_of(type, mass, 1e-3, h) / error_of(type, mass, 1e-3, 0.5 * h));
            if (!CHECK_ROW(fabs(slope - good[i].order) < 0.15, good[i].name)) printf("  order %g\n", slope);
            CHECK_ROW(error_of(type, mass, 1e-6, 0.0) < 1e-4, good[i].name);
        }
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (!CHECK_ROW(!solver_of_tableau(arena, "bad", str_of(bad[i].text), &why) &&
                           strstr(why, bad[i].says),
                       bad[i].says))
            printf("  %s\n", why ? why : "accepted");
    arena_free(arena);
    return test_end();
}
