/* registry.c: the table of integrators. A method is in it when every cell of
 * tests/solve/methods_test.c holds. */
#include "solve/inside.h"

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
