/* solvers.c: what of acausal.h is about integrators: their list. Tests: tests/cli/help.sh,
 * tests/cli/simulate.sh. */
#include "api/inside.h"

#include <stdio.h>

static const struct {
    unsigned bit;
    const char *text;
} properties[] = {
    { SOLVE_STIFF, "stiff" },
    { SOLVE_A_STABLE, "A-stable" },
    { SOLVE_L_STABLE, "L-stable" },
    { SOLVE_SYMPLECTIC, "symplectic" },
    { SOLVE_MASS, "mass matrix" },
    { SOLVE_RESIDUAL, "F(t,y,y')=0" },
    { SOLVE_HIGH_INDEX, "index 2 and 3" },
    { SOLVE_ADAPTIVE, "error control" },
    { SOLVE_FIXED, "fixed steps" },
    { SOLVE_VARIABLE_ORDER, "variable order" },
    { SOLVE_RESTART_HIGH, "restarts at full order" },
    { SOLVE_REPLAY, "replay" },
    { SOLVE_SPLIT, "split models" },
};

size_t acausal_solver_count(void) { return solver_type_count; }

bool acausal_solver_info(size_t i, AcausalSolverInfo *info)
{
    if (i >= solver_type_count || !is_sized(NULL, info)) return false;
    const SolverType *type = solver_types[i];
    AcausalSolverInfo own = { .name = type->name,
                              .family = type->family,
                              .summary = type->summary,
                              .reference = type->reference,
                              .order = type->order,
                              .order_most = type->order_most,
                              .dense_order = type->dense_order,
                              .lacks = type->can & SOLVE_FOREIGN
                                           ? "replay of steps that their own control would not take"
                                           : "" };
    size_t used = 0, room = sizeof own.properties;
    for (size_t k = 0; k < COUNT_OF(properties) && used < room; k++)
        if (type->can & properties[k].bit) {
            int n =
                snprintf(own.properties + used, room - used, "%s%s", used ? ", " : "", properties[k].text);
            used += n > 0 ? (size_t)n : 0;
        }
    GIVE(info, own);
    return true;
}
