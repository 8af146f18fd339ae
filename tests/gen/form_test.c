/* The residual form: its f and Jacobian agree with differences entry by entry, entries outside of
 * its pattern are zero, and at its solution it is the same system as the other form: residuals
 * vanish and derivatives agree. */
#include "gen/world.h"

static const struct {
    const char *text;
    int unknowns; /* states and tearing variables */
} rows[] = {
    { "Real x(start=1, fixed=true); equation der(x) = -x;", 1 },
    { "Real x(start=1.5, fixed=true), y(start=0.7, fixed=true), a(start=1), b(start=1); equation a^3 + b = "
      "x; b^3 + a*y "
      "= 2; der(x) = a*b; der(y) = a - b;",
      4 },
    { "parameter Real R=2; Real x(start=1.5, fixed=true), y(start=0.7, fixed=true), a, b; equation a + x*b = "
      "R*y; a - "
      "y*b = exp(-x); der(x) = a; der(y) = b*x;",
      3 },
    { "Real x(start=0.8, fixed=true), y(start=0.6), vx(start=0, fixed=true), vy, F; equation der(x) = vx; "
      "der(y) = vy; "
      "der(vx) = -F*x; der(vy) = -F*y - 9.81; x^2 + y^2 = 1;",
      7 },
};

static bool open(Run *r, const char *text)
{
    if (!run_open(r, text, IR_AUTO)) return false;
    gen_instance_free(r->model);
    r->model = NULL;
    if (!gen_add_residual_form(r->compiled, &r->mini->diag)) return false;
    r->model = gen_residual_instance(r->compiled);
    return r->model;
}

static void test_jacobian(Run *r, const char *text)
{
    Model *m = r->model;
    int n = m->shape.n;
    double J[64] = { 0 }, up[8], down[8];
    MatrixShape *shape = matrix_shape_as(r->mini->arena, MATRIX_DENSE, n, NULL);
    CHECK_ROW(m->type->jacobian(m, r->t, r->y, shape, J) == EVAL_OK, text);
    for (int j = 0; j < n; j++) {
        double keep = r->y[j], h = 1e-5;
        r->y[j] = keep + h;
        m->type->derivatives(m, r->t, r->y, up);
        r->y[j] = keep - h;
        m->type->derivatives(m, r->t, r->y, down);
        r->y[j] = keep;
        for (int i = 0; i < n; i++) {
            double difference = (up[i] - down[i]) / (2 * h);
            if (!CHECK_NEAR(J[j * n + i], difference, 1e-7 * (1 + fabs(difference))))
                printf("  entry %d %d of %s\n", i, j, text);
            CHECK_ROW(pattern_find(m->shape.pattern, i, j) >= 0 || difference == 0, text);
        }
    }
}

static void test_row(size_t row)
{
    Run r, other;
    const char *text = rows[row].text;
    if (!CHECK_ROW(open(&r, text), text) || !CHECK_ROW(run_open(&other, text, IR_AUTO), text)) return;
    double f[8], g[8];
    CHECK_ROW(run_start(&r, 0) && run_start(&other, 0), text);
    CHECK_ROW(r.model->shape.n >= other.model->shape.n && r.model->shape.n <= rows[row].unknowns, text);
    CHECK_ROW(r.model->type->derivatives(r.model, 0, r.y, f) == EVAL_OK, text);
    CHECK_ROW(other.model->type->derivatives(other.model, 0, other.y, g) == EVAL_OK, text);
    for (int k = 0; k < r.model->shape.n; k++) CHECK_NEAR(f[k], k < other.model->shape.n ? g[k] : 0, 1e-10);
    /* where nothing is solved */
    for (int k = 0; k < r.model->shape.n; k++) r.y[k] += 0.01 * (k + 1);
    test_jacobian(&r, text);
    run_close(&r);
    run_close(&other);
}

int main(void)
{
    for (size_t row = 0; row < COUNT_OF(rows); row++) test_row(row);
    return test_end();
}
