/* The Jacobian by one pass: gradients that cross functions and blocks come out right; models whose
 * code would grow too much keep directions, with the same result; what depends on parameters alone
 * is kept and never stale; the residual form agrees with what its columns say; what changed from
 * outside at the same point is not overlooked. */
#include "gen/world.h"

#include "gen/inside.h"

static double entry(Model *m, double t, const double *y, MatrixShape *shape, double *values, int row,
                    int column)
{
    memset(values, 0, shape->size * sizeof *values);
    CHECK(m->type->jacobian(m, t, y, shape, values) == EVAL_OK);
    return values[matrix_place(shape, row, column)];
}

/* q_i = (x_i-1 - x_i) x_i, der(x_i) = q_i - q_i+1: rows of three entries, in more than one
 * function. */
static void test_chain(void)
{
    enum { N = 3000 };
    Arena *a = arena_new();
    Text text = { .arena = a };
    Run r;
    for (int i = 0; i <= N; i++) text_printf(&text, "Real q%d;\n", i);
    for (int i = 0; i < N; i++) text_printf(&text, "Real x%d(start=%d, fixed=true);\n", i, 1 + i % 7);
    text_printf(&text, "equation q0 = -x0*x0; q%d = x%d;\n", N, N - 1);
    for (int i = 1; i < N; i++) text_printf(&text, "q%d = (x%d - x%d)*x%d;\n", i, i - 1, i, i);
    for (int i = 0; i < N; i++) text_printf(&text, "der(x%d) = q%d - q%d;\n", i, i, i + 1);
    if (!CHECK(run_open(&r, text.at, IR_AUTO))) return;
    CHECK(r.compiled->gradients.n > 1);
    Model *m = r.model;
    double *y = NEW_ARRAY(a, double, N + 1), *values;
    CHECK(m->type->initialise(m, 0, y, &r.info) == EVAL_OK);
    MatrixShape *shape = matrix_shape(a, N, m->shape.pattern);
    values = NEW_ARRAY(a, double, shape->size + 1);
    CHECK(m->type->jacobian(m, 0, y, shape, values) == EVAL_OK);
    for (int i = 1; i + 1 < N; i++) {
        CHECK(values[matrix_place(shape, i, i - 1)] == y[i]);
        CHECK(values[matrix_place(shape, i, i)] == y[i - 1] - 2 * y[i] - y[i + 1]);
        CHECK(values[matrix_place(shape, i, i + 1)] == -(y[i] - 2 * y[i + 1]));
    }
    run_close(&r);
    arena_free(a);
}

/* Every product depends on all states: der(x_i) = p_M, p_k = p_k-1 x_k. Code for all gradients
 * would be as long as there are products times states. */
static void test_dense(void)
{
    enum { N = 60, M = 60 };
    Arena *a = arena_new();
    Text text = { .arena = a };
    Run r;
    for (int i = 0; i < N; i++) text_printf(&text, "Real x%d(start=1, fixed=true), p%d;\n", i, i);
    text_printf(&text, "equation p0 = x0;\n");
    for (int i = 1; i < N; i++) text_printf(&text, "p%d = p%d*x%d + sin(p%d);\n", i, i - 1, i, i - 1);
    for (int i = 0; i < N; i++) text_printf(&text, "der(x%d) = p%d*x%d;\n", i, N - 1, i);
    if (!CHECK(run_open(&r, text.at, IR_AUTO))) return;
    CHECK(r.compiled->gradients.n == 0);
    Model *m = r.model;
    CHECK(run_start(&r, 0));
    MatrixShape *shape = matrix_shape_as(a, MATRIX_DENSE, N, NULL);
    double *values = NEW_ARRAY(a, double, shape->size + 1), f[N], g[N], h = 1e-7;
    double got = entry(m, 0, r.y, shape, values, 3, 17);
    m->type->derivatives(m, 0, r.y, f);
    r.y[17] += h;
    m->type->derivatives(m, 0, r.y, g);
    CHECK_NEAR(got, (g[3] - f[3]) / h, 1e-5 * fabs(got));
    run_close(&r);
    arena_free(a);
}

/* der(x) = u x: an input that changes at the same point changes the entry. */
static void test_input(void)
{
    Run r;
    const char *why;
    double values[1], f[1];
    if (!CHECK(run_open(&r, "input Real u(start=2); Real x(start=3, fixed=true); equation der(x) = u*x;",
                        IR_AUTO)))
        return;
    Model *m = r.model;
    int u = 0;
    while (strcmp(m->shape.variables[u].name, "u") != 0) u++;
    CHECK(run_start(&r, 0));
    MatrixShape *shape = matrix_shape_as(r.mini->arena, MATRIX_DENSE, 1, NULL);
    for (int k = 2; k < 5; k++) {
        CHECK(m->type->set(m, u, k, &why));
        CHECK(entry(m, 0, r.y, shape, values, 0, 0) == k);
        CHECK(m->type->derivatives(m, 0, r.y, f) == EVAL_OK && f[0] == 3.0 * k);
    }
    run_close(&r);
}

/* Entries that depend on parameters alone are kept: as long as these stay, whatever is done with
 * the instance, and no longer. They are right beside entries that vary and read them. */
static void check_mixed(Run *r, MatrixShape *shape, double p, double x, double z)
{
    double values[4], y[2] = { x, z }, c = 2 * p, q = c * x - z;
    CHECK(entry(r->model, 0, y, shape, values, 0, 0) == 2 * q * c + p + c);
    CHECK(values[2] == -2 * q - 1 && values[1] == c && values[3] == -p);
}

static void test_constants(void)
{
    Run r;
    const char *why;
    if (!CHECK(run_open(&r,
                        "parameter Real p = 2; Real c, q, w, x(start=3, fixed=true), z(start=1, fixed=true); "
                        "equation c = 2*p; q = c*x - z; w = q*q + p*x; der(x) = w + q; der(z) = c*x - p*z;",
                        IR_AUTO)))
        return;
    Model *m = r.model;
    RunInstance *run = ((Instance *)m->data)->run;
    CHECK(r.compiled->constant_gradients.n > 0 && r.compiled->gradients_need_values);
    uint32_t p = 0;
    while (strcmp(m->shape.variables[p].name, "p") != 0) p++;
    CHECK(run_start(&r, 0));
    MatrixShape *shape = matrix_shape_as(r.mini->arena, MATRIX_DENSE, 2, NULL);
    check_mixed(&r, shape, 2, 3, 1);
    check_mixed(&r, shape, 2, -1, 4);
    size_t size = run_save_size(run);
    void *saved = NEW_ARRAY(r.mini->arena, char, size);
    run_save(run, saved);
    CHECK(run_tune(run, p, 5, &why) == RUN_OK);
    check_mixed(&r, shape, 5, -1, 4);
    CHECK(run_restore(run, saved, size));
    check_mixed(&r, shape, 2, -1, 4);
    run_reopen(run);
    CHECK(m->type->set(m, (int)p, 3, &why) && run_start(&r, 0));
    check_mixed(&r, shape, 3, 0.5, 2);
    run_close(&r);
}

/* Where entries need states alone, f is not evaluated for them, and is right where it is next asked
 * for. */
static void test_states_alone(void)
{
    Run r;
    double values[4], f[2], y[2] = { 2, 3 };
    if (!CHECK(run_open(&r,
                        "Real q, x(start=1, fixed=true), z(start=1, fixed=true); equation q = x*x*z; "
                        "der(x) = q - 3*x; der(z) = if x > 1.5 then 2*q else q;",
                        IR_AUTO)))
        return;
    Model *m = r.model;
    CHECK(!r.compiled->gradients_need_values && run_start(&r, 0));
    MatrixShape *shape = matrix_shape_as(r.mini->arena, MATRIX_DENSE, 2, NULL);
    for (int k = 0; k < 2; k++) {
        /* the relation is what it was at the last event: x <= 1.5, then not */
        CHECK(entry(m, 0, y, shape, values, 0, 0) == 2 * y[0] * y[1] - 3 && values[2] == y[0] * y[0]);
        CHECK(values[1] == (1 + k) * 2 * y[0] * y[1] && values[3] == (1 + k) * y[0] * y[0]);
        CHECK(m->type->derivatives(m, 0, y, f) == EVAL_OK && f[0] == 12 - 6 && f[1] == 12 * (1 + k));
        CHECK(entry(m, 0, y, shape, values, 0, 0) == 9);
        CHECK(m->type->event(m, 0, y, &r.info) == EVAL_OK);
    }
    run_close(&r);
}

/* Tearing variables as unknowns of the integrator: columns against central differences. */
static void test_form(void)
{
    Run r;
    if (!CHECK(run_open(&r,
                        "Real x(start=1.5, fixed=true), y(start=0.7, fixed=true), a(start=1), b(start=1), c; "
                        "equation a^3 "
                        "+ b = x; b^3 + a*y = 2; c = a*x; der(x) = c*b; der(y) = a - c;",
                        IR_AUTO)))
        return;
    CHECK(gen_add_residual_form(r.compiled, &r.mini->diag));
    CHECK(r.compiled->form->code);
    Model *m = gen_residual_instance(r.compiled);
    int n = m->shape.n;
    double y[8], up[8], down[8], values[64] = { 0 };
    CHECK(n > 2 && m->type->initialise(m, 0, y, &r.info) == EVAL_OK);
    MatrixShape *shape = matrix_shape_as(r.mini->arena, MATRIX_DENSE, n, NULL);
    CHECK(m->type->jacobian(m, 0, y, shape, values) == EVAL_OK);
    for (int j = 0; j < n; j++) {
        double keep = y[j], h = 1e-5;
        y[j] = keep + h;
        m->type->derivatives(m, 0, y, up);
        y[j] = keep - h;
        m->type->derivatives(m, 0, y, down);
        y[j] = keep;
        for (int i = 0; i < n; i++) CHECK_NEAR(values[j * n + i], (up[i] - down[i]) / (2 * h), 1e-8);
    }
    gen_instance_free(m);
    run_close(&r);
}

int main(void)
{
    test_chain();
    test_dense();
    test_input();
    test_constants();
    test_states_alone();
    test_form();
    return test_end();
}
