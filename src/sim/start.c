/* start.c: start values of a run from a result of an earlier one, at any time of it.
 *
 * In: a model before `initialise`, a result. Out: its settable variables have the values that the
 * result holds under their names; those the result lacks, or that the model will not have set,
 * stay. Cost: variables times signals. Tests: tests/sim/inputs_test.c. */
#include "sim/inside.h"

#include <math.h>
#include <stdio.h>

size_t sim_start_from(Model *model, const ResultTable *result, double t, char *why, size_t room)
{
    size_t count = 0;
    snprintf(why, room, "the result holds no variable that the model starts from");
    if (result->rows == 0) {
        snprintf(why, room, "the result has no rows");
        return 0;
    }
    for (int i = 0; model->type->set && i < model->shape.variable_count; i++) {
        const ModelVariable *v = &model->shape.variables[i];
        const Signal *signal = v->is_settable ? result_find(result, v->name) : NULL;
        const char *refused;
        if (!signal) continue;
        double value = result_value_at(result, signal, t);
        if (!isfinite(value)) {
            snprintf(why, room, "'%s' is %g at t = %.9g", v->name, value, t);
            return 0;
        }
        count += model->type->set(model, i, value, &refused);
    }
    return count;
}
