/* Every explicit tableau satisfies the order conditions of all rooted trees up to its order and
 * misses one of the next order; its embedded formula has the order the controller relies on; its
 * dense output satisfies the conditions of its order at every point of the step. */
#include "solve/methods/erk/erk.h"
#include "solve/tables/tables.h"
#include "solve/tables/trees.h"
#include "test.h"

/* The tableau with f at the new point as its last stage. */
static void expand(const ErkTableau *tab, const Forest *f, TreeMethod *m)
{
    memset(m, 0, sizeof *m);
    m->n = tab->dense_stages;
    for (int i = 1; i < m->n; i++)
        for (int j = 0; j < i; j++) m->a[i][j] = (long double)tab->a[i * (i - 1) / 2 + j];
    if (!tab->fsal) {
        for (int j = 0; j < tab->stages; j++) m->a[m->n][j] = (long double)tab->b[j];
        m->n++;
    }
    trees_weigh(f, m);
}

/* The weights of the stages in y(x), by the formula in inside.h with h = 1. */
static void dense_weights(const ErkTableau *tab, int n, long double x, long double *w)
{
    int end = tab->fsal ? tab->stages - 1 : n - 1;
    for (int i = 0; i < n; i++) {
        long double f1 = i < tab->stages ? (long double)tab->b[i] : 0.0L, f0 = i == 0, fend = i == end,
                    inner = 0.0L;
        for (int r = tab->dense_rows - 1; r >= 0; r--) {
            long double d = i < tab->dense_stages ? (long double)tab->d[r * tab->dense_stages + i] : 0.0L;
            inner = (r % 2 ? x : 1.0L - x) * (d + inner);
        }
        w[i] = x * (f1 + (1.0L - x) * (f0 - f1 + x * (2.0L * f1 - f0 - fend + inner)));
    }
}

static void check_tableau(const SolverType *type, const ErkTableau *tab, const Forest *f)
{
    static TreeMethod m;
    long double w[ERK_STAGES + 1] = { 0 };
    expand(tab, f, &m);
    for (int i = 0; i < tab->dense_stages; i++) {
        long double sum = 0.0L;
        for (int j = 0; j < i; j++) sum += m.a[i][j];
        CHECK_ROW(fabsl(sum - (long double)tab->c[i]) < 1e-14L, tab->name);
    }
    for (int i = 0; i < tab->stages; i++) w[i] = (long double)tab->b[i];
    CHECK_ROW(trees_violation_up_to(f, &m, w, type->order, 1.0L) < 1e-14, tab->name);
    CHECK_ROW(trees_violation(f, &m, w, type->order + 1, 1.0L) > 1e-7, tab->name);
    for (int i = 0; i < tab->stages; i++) w[i] = (long double)tab->b[i] - (long double)tab->e[i];
    int embedded = tab->e2 ? 5 : (int)tab->k - 1;
    CHECK_ROW(trees_violation_up_to(f, &m, w, embedded, 1.0L) < 1e-14, tab->name);
    CHECK_ROW(trees_violation(f, &m, w, embedded + 1, 1.0L) > 1e-7, tab->name);
    for (int i = 0; i < tab->stages && tab->e2; i++) w[i] = (long double)tab->b[i] - (long double)tab->e2[i];
    if (tab->e2) CHECK_ROW(trees_violation_up_to(f, &m, w, 3, 1.0L) < 1e-14, tab->name);
    int dense = type->dense_order < type->order ? type->dense_order : type->order;
    for (int k = 0; k <= 10; k++) {
        dense_weights(tab, m.n, 0.1L * k, w);
        CHECK_ROW(trees_violation_up_to(f, &m, w, dense, 0.1L * k) < 1e-13, tab->name);
    }
}

/* x' = -50 (x - cos t): Euler's method decays, rings, and just keeps its oscillation (|1 - 50 h| =
 * 0.1, 0.9, 1). */
static EvalStatus lecture_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = -50.0 * (y[0] - cos(t));
    return EVAL_OK;
}

static void check_lecture(void)
{
    static const struct {
        double h, growth;
    } cases[] = { { 0.018, 0.1 }, { 0.038, 0.9 }, { 0.04, 1.0 } };
    static const ModelType type = { .derivatives = lecture_f };
    static const ModelShape shape = { .name = "lecture", .n = 1 };
    for (size_t c = 0; c < COUNT_OF(cases); c++) {
        double h = cases[c].h, y0 = 0.0, y1 = 1e-3, t_end = 40.0 * h;
        double end[2];
        for (int run = 0; run < 2; run++) {
            Model model;
            const char *why;
            SolverFailure failure;
            SolverOptions o = { .fixed_step = h };
            CHECK(model_init(&model, &type, &shape, NULL, &why));
            Problem problem = { &model, 0.0, t_end, run ? &y1 : &y0, NULL };
            Solver *s = solver_create(&solver_euler, &problem, &o, &failure);
            while (solver_step(s, t_end) == STEP_TAKEN) continue;
            end[run] = solver_y(s)[0];
            /* one evaluation a step */
            CHECK(solver_stats(s).steps == 40 && solver_stats(s).f <= 42);
            solver_destroy(s);
        }
        CHECK_NEAR((end[1] - end[0]) / 1e-3, pow(cases[c].growth, 40), 1e-8);
    }
}

int main(void)
{
    static Forest forest;
    static const int counts[] = { 1, 1, 2, 4, 9, 20, 48, 115, 286 };
    trees_plant(&forest);
    for (int order = 1; order <= TREES_ORDER; order++)
        CHECK(forest.first[order + 1] - forest.first[order] == counts[order - 1]);
    for (size_t i = 0; i < solver_type_count; i++)
        if (!strcmp(solver_types[i]->family, "explicit Runge-Kutta"))
            check_tableau(solver_types[i], solver_types[i]->data, &forest);
    check_lecture();
    return test_end();
}
