/* Every diagonally implicit tableau satisfies the order conditions of all rooted trees up to its order and
 * misses one of the next; its embedded formula has the order the controller relies on; it is A- and
 * L-stable. */
#include "solve/inside.h"
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

int main(void)
{
    static Forest forest;
    trees_plant(&forest);
    for (size_t i = 0; i < solver_type_count; i++)
        if (!strcmp(solver_types[i]->family, "diagonally implicit Runge-Kutta"))
            check_tableau(solver_types[i], solver_types[i]->data, &forest);
    return test_end();
}
