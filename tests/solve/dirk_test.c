/* Every diagonally implicit tableau satisfies the order conditions of all rooted trees up to its
 * order and misses one of the next; its embedded formula has the order the controller relies on; it
 * is A- and L-stable. Whatever f gives that is not finite, and of however few unknowns, is tried
 * again with a smaller step and in the end blamed on its component. */
#include "solve/solve.h"
#include "solve/tables/tables.h"
#include "solve/tables/trees.h"
#include "test.h"

#include <complex.h>

static double coefficient(const DirkTableau *tab, int i, int j)
{
    return j <= i ? tab->a[i * (i + 1) / 2 + j] : 0.0;
}

/* R(z) = last component of (I - z A)^-1 1, since the method is stiffly accurate. */
static double complex stability(const DirkTableau *tab, double complex z)
{
    double complex y[DIRK_STAGES];
    for (int i = 0; i < tab->stages; i++) {
        y[i] = 1.0;
        for (int j = 0; j < i; j++) y[i] += z * coefficient(tab, i, j) * y[j];
        y[i] /= 1.0 - z * coefficient(tab, i, i);
    }
    return y[tab->stages - 1];
}

static void check_tableau(const SolverType *type, const DirkTableau *tab, const Forest *f)
{
    static TreeMethod m;
    long double w[TREES_STAGES] = { 0 };
    memset(&m, 0, sizeof m);
    m.n = tab->stages;
    for (int i = 0; i < m.n; i++) {
        double sum = 0.0;
        for (int j = 0; j <= i; j++) {
            m.a[i][j] = (long double)coefficient(tab, i, j);
            sum += coefficient(tab, i, j);
        }
        CHECK_ROW(fabs(sum - tab->c[i]) < 1e-14, tab->name);
        CHECK_ROW(i == 0 || coefficient(tab, i, i) == tab->gamma, tab->name);
    }
    trees_weigh(f, &m);
    for (int j = 0; j < m.n; j++) w[j] = m.a[m.n - 1][j];
    CHECK_ROW(trees_violation_up_to(f, &m, w, type->order, 1.0L) < 1e-13, tab->name);
    CHECK_ROW(trees_violation(f, &m, w, type->order + 1, 1.0L) > 1e-6, tab->name);
    /* an estimate O(h^k) is the difference of formulas of which the worse has order k - 1 */
    for (int j = 0; j < m.n; j++) w[j] = (long double)tab->b_hat[j];
    int embedded = (int)tab->k - 1 < type->order ? (int)tab->k - 1 : (int)tab->k;
    CHECK_ROW(trees_violation_up_to(f, &m, w, embedded, 1.0L) < 1e-13, tab->name);
    double most = 0.0;
    for (int k = -500; k <= 500; k++) most = fmax(most, cabs(stability(tab, I * (double)k * 0.1)));
    CHECK_ROW(most < 1.0 + 1e-9, tab->name);
    CHECK_ROW(cabs(stability(tab, -1e9)) < 1e-6, tab->name);
}

/* f of component `bad` is `value` from t = 0.5 on, so many times. */
typedef struct {
    int n, bad;
    double value;
    long left;
} Fault;

static EvalStatus fault_f(Model *model, double t, const double *y, double *f)
{
    Fault *fault = model->data;
    for (int i = 0; i < fault->n; i++) f[i] = y[(i + 1) % fault->n] - (i + 2.0) * y[i];
    if (t <= 0.5 || fault->left == 0) return EVAL_OK;
    fault->left--;
    f[fault->bad] = fault->value;
    return EVAL_OK;
}

static EvalStatus fault_jacobian(Model *model, double t, const double *y, const MatrixShape *order, double *v)
{
    const Fault *fault = model->data;
    (void)t, (void)y;
    for (int i = 0; i < fault->n; i++) {
        model_put(order, v, i, (i + 1) % fault->n, 1.0);
        model_put(order, v, i, i, -(i + 2.0) + (fault->n == 1 ? 1.0 : 0.0));
    }
    return EVAL_OK;
}

static void check_fault(const SolverType *type, Fault fault)
{
    const ModelType model_type = { .derivatives = fault_f, .jacobian = fault_jacobian };
    const ModelShape shape = { .name = "fault", .n = fault.n };
    const double y0[] = { 1.0, 2.0, 3.0, 4.0, 5.0 };
    bool passes = fault.left > 0;
    long times = fault.left;
    Model model;
    const char *why;
    SolverFailure failure;
    SolverOptions o = solver_options(1e-5, 1e-5);
    CHECK(model_init(&model, &model_type, &shape, &fault, &why));
    Problem problem = { &model, 0.0, 1.0, y0, NULL };
    Solver *s = solver_create(type, &problem, &o, &failure);
    StepStatus status;
    while ((status = solver_step(s, 1.0)) == STEP_TAKEN) continue;
    SolverStats stats = solver_stats(s);
    if (passes) {
        CHECK_ROW(status == STEP_LIMIT && stats.rejected_model == times, type->name);
    } else {
        const SolverFailure *f = solver_failure(s);
        CHECK_ROW(status == STEP_FAILED && f->kind == FAIL_MODEL, type->name);
        CHECK_ROW(f->component == fault.bad && solver_t(s) <= 0.5, type->name);
    }
    /* it is not Newton that is blamed */
    CHECK_ROW(stats.rejected_newton == 0, type->name);
    solver_destroy(s);
}

static void check_faults(const SolverType *type)
{
    static const double none[] = { NAN, INFINITY, -INFINITY };
    for (int n = 1; n <= 5; n++)
        for (int bad = 0; bad < n; bad++)
            for (size_t k = 0; k < COUNT_OF(none); k++) {
                check_fault(type, (Fault){ n, bad, none[k], 3 });
                check_fault(type, (Fault){ n, bad, none[k], -1 });
            }
}

int main(void)
{
    static Forest forest;
    trees_plant(&forest);
    for (size_t i = 0; i < solver_type_count; i++)
        if (!strcmp(solver_types[i]->family, "diagonally implicit Runge-Kutta")) {
            check_tableau(solver_types[i], solver_types[i]->data, &forest);
            check_faults(solver_types[i]);
        }
    return test_end();
}
