/* The audit tells what is wrong with increments: too large ones by truncation, too small ones by
 * cancellation; its reference is exact with and without the model's derivatives; it finds the
 * default rule good where it is, and names the entries where it is not. */
#include "solve/audit.h"
#include "test.h"

/* f0 = exp(y0) y1, f1 = -3.7 y0: curved in y0, linear in y1. */
static EvalStatus curve_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = exp(y[0]) * y[1];
    f[1] = -3.7 * y[0];
    return EVAL_OK;
}

static EvalStatus curve_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                 double *values)
{
    (void)model, (void)t;
    model_put(order, values, 0, 0, exp(y[0]) * y[1]);
    model_put(order, values, 0, 1, exp(y[0]));
    model_put(order, values, 1, 0, -3.7);
    return EVAL_OK;
}

typedef struct {
    AuditCell cells[2][16];
} Seen;

static void keep(void *arg, int unknown, size_t rule, const AuditCell *cell)
{
    ((Seen *)arg)->cells[unknown][rule] = *cell;
}

static size_t rule_index(const char *name) { return (size_t)(increment_find(name) - increment_types); }

static void check_audit(bool has_own)
{
    static const double y[] = { 0.7, 1.3 }, nominal[] = { 1e6, 1e6 };
    static const ModelType plain = { .derivatives = curve_f },
                           own = { .derivatives = curve_f, .jacobian = curve_jacobian };
    ModelShape shape = { .name = "curve", .n = 2, .nominal = nominal };
    SolverOptions options = solver_options(1e-6, 1e-6);
    Model model;
    const char *why = "";
    Seen seen = { 0 };
    CHECK(model_init(&model, has_own ? &own : &plain, &shape, NULL, &why));
    Audit *a = audit_new(&model, &options, 0.0, y, &why);
    if (!CHECK(a != NULL)) return;
    CHECK((strstr(audit_reference(a), "own") != NULL) == has_own);
    CHECK(audit_point(a, 0.0, y, 0.1, keep, &seen));
    const AuditCell *large = &seen.cells[0][rule_index("pyfmi")],
                    *small = &seen.cells[0][rule_index("constant-curvature")];
    CHECK(large->truncation > large->cancellation && large->truncation > large->data);
    CHECK(small->cancellation > small->truncation);
    /* the bounds are those of the formulas */
    double second = exp(0.7) * 1.3;
    CHECK_NEAR(large->truncation / (0.5 * second * large->delta), 1.0, 1e-3);
    CHECK(large->error > 0.3 * large->truncation && large->error < 3.0 * large->truncation);
    CHECK(seen.cells[0][0].is_exact && seen.cells[0][0].error < 1e-6 && seen.cells[0][0].nominal == 1e6);
    CHECK(!seen.cells[0][rule_index("radau5")].is_exact);
    const AuditRule *first = audit_rule(a, 0), *pyfmi = audit_rule(a, rule_index("pyfmi"));
    CHECK(first->entries == 3 && first->sums == 2 && first->exact_sums == 2);
    CHECK(first->worst < 1e-6 && pyfmi->worst > 1e-3 && !audit_rule(a, increment_type_count));
    const AuditEntry *worst;
    int count = audit_worst(a, &worst);
    for (int k = 1; k < count; k++) CHECK(worst[k].ratio <= worst[k - 1].ratio);
    audit_free(a);
}

/* A model without explicit derivatives has nothing to audit. */
static EvalStatus residual(Model *model, double t, const double *y, const double *yp, double *r)
{
    (void)model, (void)t;
    r[0] = yp[0] + y[0];
    return EVAL_OK;
}

static void check_refusal(void)
{
    static const ModelType type = { .residual = residual };
    static const ModelShape shape = { .name = "residual", .n = 1 };
    static const double y[] = { 1.0 };
    SolverOptions options = solver_options(1e-6, 1e-6);
    Model model;
    const char *why = "";
    CHECK(model_init(&model, &type, &shape, NULL, &why));
    CHECK(!audit_new(&model, &options, 0.0, y, &why) && strstr(why, "derivatives"));
}

int main(void)
{
    check_audit(true);
    check_audit(false);
    check_refusal();
    return test_end();
}
