/* The shared machinery keeps its rules: increments are exact sums, difference Jacobians agree with
 * exact ones in every storage, residuals follow from the mass form, controllers shrink after errors
 * and grow after none, Newton's monitor stops when the rate says so, a model that contradicts
 * itself is refused. */
#include "solve/core/control.h"
#include "solve/jacobian/jacobian.h"
#include "solve/nonlinear/newton.h"
#include "test.h"

enum { SIZE = 60 };

/* A ring of cubic springs: row i depends on i-1, i, i+1 (around the ends). */
static EvalStatus ring_f(Model *model, double t, const double *y, double *f)
{
    int n = model->shape.n;
    for (int i = 0; i < n; i++) {
        double left = y[(i + n - 1) % n], right = y[(i + 1) % n];
        f[i] = left - 2.0 * y[i] + right * right * y[i] + t;
    }
    return EVAL_OK;
}

static EvalStatus ring_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                double *values)
{
    int n = model->shape.n;
    (void)t;
    for (int i = 0; i < n; i++) {
        double right = y[(i + 1) % n];
        model_put(order, values, i, (i + n - 1) % n, 1.0);
        model_put(order, values, i, i, -2.0 + right * right);
        model_put(order, values, i, (i + 1) % n, 2.0 * right * y[i]);
    }
    return EVAL_OK;
}

static const ModelType ring = { .derivatives = ring_f, .jacobian = ring_jacobian };

/* Exact and difference values, and c L - J against the residual's own matrix, for dense and sparse
 * storage. */
static void check_jacobians(Arena *arena)
{
    Entry entries[3 * SIZE];
    double mass[SIZE], y[SIZE], f[SIZE], r[SIZE], yp[SIZE];
    for (int i = 0; i < SIZE; i++) {
        entries[3 * i] = (Entry){ i, i };
        entries[3 * i + 1] = (Entry){ i, (i + 1) % SIZE };
        entries[3 * i + 2] = (Entry){ i, (i + SIZE - 1) % SIZE };
        mass[i] = i % 3;
        y[i] = sin(i + 1.0);
        yp[i] = cos(i);
    }
    for (int sparse = 0; sparse < 2; sparse++) {
        ModelShape shape = { .name = "ring", .n = SIZE, .mass = mass };
        if (sparse) shape.pattern = pattern_of_entries(arena, SIZE, SIZE, entries, 3 * SIZE);
        Model model;
        const char *why;
        CHECK(model_init(&model, &ring, &shape, NULL, &why));
        Solver s = { .arena = arena, .model = &model, .n = SIZE, .options = solver_options(1e-6, 1e-6) };
        s.atol = solver_vector(&s);
        for (int i = 0; i < SIZE; i++) s.atol[i] = 1e-6;
        Jacobian exact = { 0 }, rough = { 0 }, whole = { 0 };
        CHECK(jacobian_setup(&s, &exact) && exact.exact);
        s.options.jacobian = JACOBIAN_DIFFERENCES;
        CHECK(jacobian_setup(&s, &rough) && !rough.exact && jacobian_setup(&s, &whole));
        CHECK(exact.shape->kind == (sparse ? MATRIX_SPARSE : MATRIX_DENSE));
        ring_f(&model, 0.5, y, f);
        model_residual(&model, 0.5, y, yp, r);
        CHECK_NEAR(r[7], mass[7] * yp[7] - f[7], 1e-15);
        CHECK(jacobian_f(&s, &exact, 0.5, y, f, 0.1) == EVAL_OK);
        CHECK(jacobian_f(&s, &rough, 0.5, y, f, 0.1) == EVAL_OK);
        if (sparse) CHECK(s.stats.f_jacobian <= 13 * s.stats.colours && s.stats.colours <= 4);
        CHECK(jacobian_residual(&s, &whole, 0.5, y, yp, r, 7.0, 0.1) == EVAL_OK);
        double worst = 0.0, *shifted = NEW_ARRAY(arena, double, exact.shape->size);
        jacobian_shift(&exact, 7.0, shifted);
        for (size_t k = 0; k < exact.shape->size; k++) {
            worst = fmax(worst, fabs(exact.values[k] - rough.values[k]));
            worst = fmax(worst, fabs(shifted[k] - whole.values[k]));
        }
        CHECK_NEAR(worst, 0.0, 1e-6);
    }
}

static void check_control(void)
{
    for (int kind = CONTROL_INTEGRAL; kind <= CONTROL_FILTER; kind++) {
        Control c = { .kind = (ControlKind)kind,
                      .k = 4.0,
                      .safety = 0.9,
                      .beta = 0.04,
                      .least = 0.2,
                      .most = 5.0,
                      .hold_low = 1.0,
                      .hold_high = 1.1 };
        CHECK(control_accepted(&c, 1.0, 1e-8, 0.0) > 1.0);
        CHECK(control_accepted(&c, 1.0, 1e-8, 0.0) <= 5.0);
        CHECK(control_rejected(&c, 1.0, 100.0, 0.0) < 0.4);
        CHECK(control_accepted(&c, 1.0, 1e-8, 0.0) <= 1.0); /* no growth right after a rejection */
        CHECK(control_rejected(&c, -1.0, 1e30, 0.0) == -0.2);
        control_restart(&c);
        CHECK(control_accepted(&c, 1.0, pow(0.9 / 1.05, 4.0), 0.0) ==
              1.0); /* held: 1.05 is not worth new factors */
    }
}

static void check_newton(void)
{
    Newton newton = { .kappa = 1e-3, .most = 7, .enough = 1e-12, .eta = 1.0 };
    newton_start(&newton);
    CHECK(newton_watch(&newton, 1.0) == NEWTON_GO_ON);
    CHECK(newton_watch(&newton, 1e-2) == NEWTON_DONE);
    newton.eta = 1.0;
    newton_start(&newton);
    newton_watch(&newton, 1.0);
    CHECK(newton_watch(&newton, 1.5) == NEWTON_DIVERGES);
    newton.eta = 1.0;
    newton_start(&newton);
    newton_watch(&newton, 1.0);
    CHECK(newton_watch(&newton, 0.9) == NEWTON_SLOW);
    CHECK(newton.suggestion > 0.0 && newton.suggestion < 1.0);
    newton_start(&newton);
    CHECK(newton_watch(&newton, NAN) == NEWTON_DIVERGES);
}

static void check_refusals(Arena *arena)
{
    Model model;
    const char *why;
    ModelShape shape = { .name = "wrong", .n = 3 };
    CHECK(!model_init(&model, &(ModelType){ 0 }, &shape, NULL, &why) && why);
    shape.indicators = 1;
    CHECK(!model_init(&model, &ring, &shape, NULL, &why) && why);
    shape.indicators = 0;
    Entry entry = { 0, 0 };
    shape.pattern = pattern_of_entries(arena, 2, 2, &entry, 1);
    CHECK(!model_init(&model, &ring, &shape, NULL, &why) && why);
}

int main(void)
{
    Arena *arena = arena_new();
    check_jacobians(arena);
    check_control();
    check_newton();
    check_refusals(arena);
    arena_free(arena);
    return test_end();
}
