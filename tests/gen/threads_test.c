/* Instances of one compiled model in several threads at once give, bit by bit, what one gives
 * alone: runs with events, Jacobians and products. Built with -fsanitize=thread (CONTRIBUTING.md
 * says how) it also shows that they share nothing that changes. */
#include "gen/world.h"

static const char *const rows[] = {
    "parameter Real a=0.7; Real x(start=1, fixed=true), y(start=2, fixed=true); equation der(x) = sin(x)*y^a "
    "+ time; "
    "der(y) = x^3/(1 + y^2) - x^2 + abs(x - 2)*sqrt(y);",
    "Real x(start=1.5, fixed=true), y(start=0.7, fixed=true), a, b; equation a + x*b = y; a - y*b = exp(-x); "
    "der(x) = a; "
    "der(y) = b*x;",
    "Real x(start=1.5, fixed=true), y(start=0.7, fixed=true), a(start=1), b(start=1); equation a^3 + b = x; "
    "b^3 + a*y = 2; "
    "der(x) = a*b; der(y) = a - b;",
    "Real x(start=0.8, fixed=true), y(start=0.6), vx(start=0, fixed=true), vy, F; equation der(x) = vx; "
    "der(y) = vy; der(vx) "
    "= -F*x; der(vy) = -F*y - 9.81; x^2 + y^2 = 1;",
    "parameter Real e=0.8; Real h(start=1, fixed=true), v(start=0, fixed=true); Integer n(start=0, "
    "fixed=true); equation "
    "der(h) = v; der(v) = if h < 0.5 and v > 0 then -9 else -9.81; when h < 0 then reinit(v, -e*pre(v)); n = "
    "pre(n) + 1; end "
    "when;",
    "function f input Real x; input Real a; output Real y; algorithm y := a; while y < x loop y := y*2; end "
    "while; end f; "
    "Real x(start=0.3, fixed=true), z(start=1); equation der(x) = 1 + f(x, 0.01); z^3 + z = x + delay(x, "
    "0.1);",
};

enum { THREADS = 4, INSTANCES = 8, MOST = 8 };

/* All that an instance is asked for, as numbers. */
typedef struct {
    double y[MOST], f[MOST], J[MOST * MOST], along[MOST], back[MOST];
} Answers;

typedef struct {
    const Compiled *compiled;
    Answers answers[INSTANCES];
} Shared;

static void ask(Run *r, Answers *out)
{
    Model *m = r->model;
    double change_of[MOST];
    Arena *arena = arena_new();
    MatrixShape *shape = matrix_shape_as(arena, MATRIX_DENSE, m->shape.n, NULL);
    memset(out, 0, sizeof *out);
    if (!run_start(r, 0) || !run_to(r, 0.6)) return;
    for (int k = 0; k < MOST; k++) change_of[k] = 1 + k;
    ModelChange along = { 1, change_of, 0, NULL, NULL }, back = { 0, out->back, 0, NULL, NULL };
    memcpy(out->y, r->y, (size_t)m->shape.n * sizeof(double));
    m->type->derivatives(m, r->t, r->y, out->f);
    m->type->jacobian(m, r->t, r->y, shape, out->J);
    m->type->linearise(m, MAP_DERIVATIVES, r->t, r->y);
    m->type->jvp(m, 1, &along, &(double *){ out->along });
    m->type->vjp(m, change_of, &back);
    arena_free(arena);
}

static void run_instance(void *arg, size_t i, unsigned worker)
{
    Shared *shared = arg;
    Run r = { .model = gen_instance(shared->compiled) };
    (void)worker;
    ask(&r, &shared->answers[i]);
    gen_instance_free(r.model);
}

static void test_row(size_t row)
{
    Run r;
    Answers alone;
    if (!CHECK_ROW(run_open(&r, rows[row], IR_AUTO), rows[row])) return;
    CHECK_ROW(gen_add_products(r.compiled, &r.mini->diag), rows[row]);
    gen_instance_free(r.model);
    r.model = gen_instance(r.compiled);
    Shared shared = { .compiled = r.compiled };
    pool_each(THREADS, INSTANCES, run_instance, &shared);
    ask(&r, &alone);
    CHECK_ROW(alone.f[0] != 0, rows[row]);
    for (int k = 0; k < INSTANCES; k++)
        CHECK_ROW(!memcmp(&shared.answers[k], &alone, sizeof alone), rows[row]);
    run_close(&r);
}

int main(void)
{
    for (size_t row = 0; row < COUNT_OF(rows); row++) test_row(row);
    return test_end();
}
