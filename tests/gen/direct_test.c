/* The Jacobian by one pass: gradients that cross functions and blocks come out right; models whose code would grow too much
 * keep directions, with the same result; the residual form agrees with what its columns say; what changed from outside at the same
 * point is not overlooked. */
#include "gen/world.h"

#include "gen/inside.h"

static double entry(Model *m, double t, const double *y, MatrixShape *shape, double *values, int row,
                    int column)
{
    memset(values, 0, shape->size * sizeof *values);
    CHECK(m->type->jacobian(m, t, y, shape, values) == EVAL_OK);
    return values[matrix_place(shape, row, column)];
}

/* q_i = (x_i-1 - x_i) x_i, der(x_i) = q_i - q_i+1: rows of three entries, in more than one function. */
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

/* Every product depends on all states: der(x_i) = p_M, p_k = p_k-1 x_k. Code for all gradients would be as long as there are products
 * times states. */
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

/* Guessed unknowns as unknowns of the integrator: columns against central differences. */
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
    test_form();
    return test_end();
}
