/* coefficients.c: the coefficients of Runge-Kutta methods of all families as one full tableau, for
 * those that differentiate their steps.
 *
 * Of a method with a variable number of stages it is that of its fixed steps: the first. Tests:
 * tests/sens/interval_test.c. */
#include "solve/methods/dirk/dirk.h"
#include "solve/methods/erk/erk.h"
#include "solve/methods/irk/irk.h"
#include "solve/tables/tables.h"

static void of_explicit(const ErkTableau *from, RkTableau *to)
{
    const double *row = from->a;
    to->stages = from->stages;
    for (int i = 0; i < from->stages; row += i, i++) {
        for (int j = 0; j < i; j++) to->a[i][j] = row[j];
        to->b[i] = from->b[i];
        to->c[i] = from->c[i];
    }
}

static void of_diagonal(const DirkTableau *from, RkTableau *to)
{
    to->stages = from->stages;
    for (int i = 0; i < from->stages; i++) {
        const double *row = from->a + i * (i + 1) / 2;
        for (int j = 0; j <= i; j++) to->a[i][j] = row[j];
        to->c[i] = from->c[i];
    }
    /* of methods that are not stiffly accurate b is no row of A */
    for (int i = 0; i < from->stages; i++) to->b[i] = from->b ? from->b[i] : to->a[from->stages - 1][i];
}

static void of_collocation(const Collocation *from, RkTableau *to)
{
    to->stages = from->s;
    for (int i = 0; i < from->s; i++) {
        for (int j = 0; j < from->s; j++) to->a[i][j] = from->a[i][j];
        to->b[i] = from->b[i];
        to->c[i] = from->c[i];
    }
}

bool solver_tableau(const SolverType *type, RkTableau *to)
{
    *to = (RkTableau){ 0 };
    if (!(type->can & SOLVE_FIXED)) return false;
    if (type->setup == solver_dopri5.setup) {
        of_explicit(type->data, to);
    } else if (type->setup == solver_esdirk4.setup) {
        of_diagonal(type->data, to);
    } else if (type->setup == solver_radau5.setup) {
        Collocation method;
        irk_coefficients(type, &method);
        of_collocation(&method, to);
    }
    return to->stages > 0;
}

bool solver_fixed_tableau(const SolverType *type, RkTableau *to)
{
    const ErkTableau *own = type->setup == solver_dopri5.setup ? type->data : NULL;
    if (!own || !own->fixed) return solver_tableau(type, to);
    *to = (RkTableau){ 0 };
    of_explicit(own->fixed, to);
    return true;
}
