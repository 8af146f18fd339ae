/* registry.c: the table of integrators. A method is in it when every cell of
 * tests/solve/methods_test.c holds. */
#include "solve/methods/adams_bdf/adams_bdf.h"
#include "solve/methods/auto/auto.h"
#include "solve/methods/dassl/dassl.h"
#include "solve/methods/dirk/dirk.h"
#include "solve/methods/erk/erk.h"
#include "solve/methods/irk/irk.h"
#include "solve/methods/rosenbrock/rosenbrock.h"
#include "solve/methods/seulex/seulex.h"
#include "solve/methods/sundials/sundials.h"
#include "solve/nonlinear/algebra.h"

const SolverType *const solver_types[] = {
    &solver_auto,
    &solver_euler,
    &solver_rk4,
    &solver_rkf45,
    &solver_dopri5,
    &solver_dop853,
    &solver_trbdf2,
    &solver_sdirk4,
    &solver_esdirk3,
    &solver_esdirk4,
    &solver_esdirk5,
    &solver_rodas,
    &solver_seulex,
    &solver_implicit_euler,
    &solver_radau3,
    &solver_radau5,
    &solver_radau,
    &solver_gauss2,
    &solver_gauss4,
    &solver_gauss6,
    /* multistep */
    &solver_adams,
    &solver_adams_newton,
    &solver_adams_bashforth,
    &solver_bdf,
    &solver_switching,
    &solver_dassl,
    /* SUNDIALS */
    &solver_cvode_adams,
    &solver_cvode_bdf,
    &solver_ida,
    &solver_arkode_erk,
    &solver_arkode_esdirk,
    &solver_arkode_imex,
};
const size_t solver_type_count = COUNT_OF(solver_types);

const AlgebraicType *const algebraic_types[] = { &algebraic_newton, &algebraic_kinsol };
const size_t algebraic_type_count = COUNT_OF(algebraic_types);

const AlgebraicType *algebraic_find(const char *name)
{
    for (size_t i = 0; i < algebraic_type_count; i++)
        if (!strcmp(algebraic_types[i]->name, name)) return algebraic_types[i];
    return NULL;
}
