/* Errors count as often as they come together: those of an oscillation again and again, those of a
 * decay once. What is forgotten counts once, and an estimate that says nothing about oscillations
 * makes no error count more. */
#include "solve/core/memory.h"
#include "test.h"

#include <math.h>

/* Only its size matters. */
static EvalStatus still_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t, (void)y;
    f[0] = f[1] = 0.0;
    return EVAL_OK;
}

static const ModelType still = { .derivatives = still_f };
static const ModelShape shape = { .name = "still", .n = 2 };

typedef struct {
    Model model;
    Solver *s;
    Memory memory;
    Damping f;
} Rig;

/* Factors of c - J at step size 1, J = (-decay, -turn; turn, -decay). */
static void set_up(Rig *r, double decay, double turn)
{
    static const double y0[] = { 1.0, 0.0 };
    const char *why;
    SolverFailure failure;
    double c = 4.0, matrix[] = { c + decay, -turn, turn, c + decay };
    SolverOptions options = solver_options(1e-6, 1e-6);
    CHECK(model_init(&r->model, &still, &shape, NULL, &why));
    Problem problem = { &r->model, 0.0, 1.0, y0, NULL };
    r->s = solver_create(solver_find("esdirk4"), &problem, &options, &failure);
    r->f = (Damping){ .lu = lu_new(r->s->arena, matrix_shape(r->s->arena, 2, NULL), false), .c = c };
    CHECK(lu_factor(r->f.lu, matrix) == LU_OK);
    r->memory = (Memory){ 0 };
    memory_setup(&r->memory, r->s, 3, 0, 1.0);
}

static void tear_down(Rig *r)
{
    lu_free(r->f.lu);
    solver_destroy(r->s);
}

static double count_after(Rig *r, int steps)
{
    static const double error[] = { 1e-7, 0.0, 0.0, 0.0 }, weight[] = { 1e6, 1e6, 1e6, 1e6 };
    for (int k = 0; k < steps; k++) memory_note(&r->memory, r->s, &r->f, error, weight);
    return memory_count(&r->memory, 0);
}

static void check_lives(void)
{
    static const struct {
        const char *name;
        double decay, turn, least, most;
    } rows[] = {
        { "oscillation", 0.0, 0.5, 100.0, 400.0 },   { "slow decay", 0.05, 0.0, 20.0, 200.0 },
        { "decay in a step", 2.0, 0.0, 1.0, 5.0 },   { "stiff", 1e4, 0.0, 1.0, 1.0 },
        { "stiff oscillation", 0.0, 1e3, 1.0, 1.0 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Rig r;
        set_up(&r, rows[i].decay, rows[i].turn);
        double count = count_after(&r, 1000);
        if (!CHECK_ROW(count >= rows[i].least && count <= rows[i].most, rows[i].name))
            printf("  counts %.3g times\n", count);
        tear_down(&r);
    }
}

static void check_forgetting(void)
{
    Rig r;
    set_up(&r, 0.0, 0.5);
    CHECK(count_after(&r, 1000) > 100.0);
    CHECK(memory_count(&r.memory, VAIN_FAILURES + 1) == 1.0);
    memory_forget(&r.memory, r.s);
    CHECK(memory_count(&r.memory, 0) == 1.0);
    CHECK(count_after(&r, 9) < 10.0);
    tear_down(&r);
}

static MemorySizes says_nothing(const void *method, double z)
{
    (void)method;
    return (MemorySizes){ z * z, 0.0 };
}

static void check_silence(void)
{
    Rig r;
    set_up(&r, 0.0, 0.5);
    memory_setup_tested(&r.memory, r.s, 0.25, says_nothing, NULL);
    CHECK(isfinite(r.memory.worth) && r.memory.gap >= 0);
    CHECK(count_after(&r, 1000) == 1.0);
    tear_down(&r);
}

int main(void)
{
    check_lives();
    check_forgetting();
    check_silence();
    return test_end();
}
