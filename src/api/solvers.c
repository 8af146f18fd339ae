/* solvers.c: what of acausal.h is about integrators: their list. */
#include "acausal.h"

#include "solve/solve.h"

#include <stdio.h>

static const struct {
    unsigned bit;
    const char *text;
} properties_[] = {
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

void acausal_solver_info(size_t i, AcausalSolverInfo *info, char *properties, size_t room)
{
    const SolverType *type = solver_types[i];
    *info = (AcausalSolverInfo){ type->name,
                                 type->family,
                                 type->summary,
                                 type->reference,
                                 type->order,
                                 type->order_most,
                                 type->dense_order,
                                 properties,
                                 type->can & SOLVE_FOREIGN
                                     ? "replay of steps that their own control would not take"
                                     : "" };
    size_t used = 0;
    if (room) *properties = '\0';
    for (size_t k = 0; k < COUNT_OF(properties_) && used < room; k++)
        if (type->can & properties_[k].bit) {
            int n = snprintf(properties + used, room - used, "%s%s", used ? ", " : "", properties_[k].text);
            used += n > 0 ? (size_t)n : 0;
        }
}
