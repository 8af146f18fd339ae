/* What methods make of y' = lambda y: known functions and intervals; tableaux against their own
 * steps; R(z) - e^z has the order of the method; roots of multistep methods against published
 * intervals. */
#include "solve/stability.h"
#include "test.h"

#include <math.h>

static const double points[][2] = { { -0.5, 0 }, { -2, 1.5 }, { 0.3, 0.4 }, { -10, 3 }, { 0, 1 } };

static double size_of(const SolverType *type, int order, double re, double im)
{
    Arena *arena = arena_new();
    const char *why = "";
    Stability *s = stability_new(arena, type, order, &why);
    double size = CHECK_ROW(s != NULL, type->name) ? stability_at(s, re, im, NULL) : NAN;
    arena_free(arena);
    return size;
}

/* One fixed step on the real form of the equation. */
static double data[2];
static EvalStatus equation(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = data[0] * y[0] - data[1] * y[1];
    f[1] = data[1] * y[0] + data[0] * y[1];
    return EVAL_OK;
}

static void check_steps(const SolverType *type)
{
    static const ModelType kind = { .derivatives = equation };
    Arena *arena = arena_new();
    const char *why = "";
    Stability *s = stability_new(arena, type, 0, &why);
    for (size_t k = 0; k < COUNT_OF(points) && s && !strcmp(stability_source(s), "tableau"); k++) {
        double y0[2] = { 1, 0 }, value[2];
        ModelShape shape = { .name = "equation", .n = 2 };
        Model model;
        SolverOptions o = solver_options(1e-6, 1e-6);
        SolverFailure failure;
        memcpy(data, points[k], sizeof data);
        CHECK(model_init(&model, &kind, &shape, NULL, &why));
        o.fixed_step = 1.0;
        Solver *solver = solver_create(type, &(Problem){ &model, 0, 1, y0, NULL }, &o, &failure);
        CHECK_ROW(solver_step(solver, 1.0) == STEP_LIMIT, type->name);
        double size = stability_at(s, points[k][0], points[k][1], value), allowed = 1e-6 * (1 + size);
        CHECK_ROW(fabs(value[0] - solver_y(solver)[0]) < allowed, type->name);
        CHECK_ROW(fabs(value[1] - solver_y(solver)[1]) < allowed, type->name);
        solver_destroy(solver);
    }
    arena_free(arena);
}

static void check_order(const SolverType *type)
{
    Arena *arena = arena_new();
    const char *why = "";
    Stability *s = stability_new(arena, type, 0, &why);
    if (s && stability_is_one_step(s) && stability_order(s) < 7) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            double value[2], x = (stability_order(s) < 5 ? 0.1 : 0.25) / (k + 1);
            stability_at(s, -x, 0, value);
            error[k] = fabs(value[0] - exp(-x));
        }
        double order = log2(error[0] / error[1]) - 1;
        if (!CHECK_ROW(order > stability_order(s) - 0.4, type->name)) printf("  observed %g\n", order);
    }
    arena_free(arena);
}

/* Ends of intervals on the negative real axis. */
static void check_intervals(void)
{
    static const struct {
        const char *name;
        int order;
        double end;
    } rows[] = { { "euler", 0, 2 },
                 { "rk4", 0, 2.785293563 },
                 { "adams-bashforth", 1, 2 },
                 { "adams-bashforth", 2, 1 },
                 { "adams-bashforth", 3, 6.0 / 11 },
                 { "adams-bashforth", 4, 0.3 },
                 { "adams-bashforth", 5, 90.0 / 551 },
                 { "adams", 3, 6 },
                 { "adams", 4, 3 } };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const SolverType *type = solver_find(rows[i].name);
        CHECK_ROW(size_of(type, rows[i].order, -0.999 * rows[i].end, 0) < 1, rows[i].name);
        CHECK_ROW(size_of(type, rows[i].order, -1.001 * rows[i].end, 0) > 1, rows[i].name);
    }
    for (int q = 1; q <= 5; q++) CHECK(size_of(solver_find("bdf"), q, -1e4, 0) < 1e-0);
    CHECK(size_of(solver_find("bdf"), 2, 0, 3) < 1 && size_of(solver_find("bdf"), 3, -0.02, 1) > 1);
}

int main(void)
{
    Arena *arena = arena_new();
    const char *why = "";
    for (size_t i = 0; i < solver_type_count; i++) {
        if (solver_types[i]->can & SOLVE_FOREIGN) continue;
        check_steps(solver_types[i]);
        check_order(solver_types[i]);
    }
    check_intervals();
    CHECK(!stability_new(arena, solver_find("auto"), 0, &why) && strstr(why, "changes between"));
    CHECK(!stability_new(arena, solver_find("bdf"), 9, &why) && strstr(why, "1 to 5"));
    arena_free(arena);
    return test_end();
}
