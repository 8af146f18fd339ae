/* outputs.c: derivatives as values of a model, under the names d(of)/d(wrt).
 *
 * In: a model, what of it is differentiated, in what. Out: a shape with more variables, and their
 * values V_y s + V_p at a point. Serves models that carry derivatives of equations (forward.c) and
 * of steps (steps_ahead.c). Tests: tests/sens/derivatives_test.c. */
#include "sens/inside.h"

int *outputs_variables(Arena *arena, const Model *inner, const int *wrt, int count)
{
    int discrete = inner->shape.discrete_count;
    int *variables = NEW_ARRAY(arena, int, (size_t)(count + discrete) + 1);
    memcpy(variables, wrt, (size_t)count * sizeof *wrt);
    if (discrete) memcpy(variables + count, inner->shape.discrete, (size_t)discrete * sizeof *wrt);
    return variables;
}

static ModelVariable derivative_of(Arena *arena, const ModelVariable *a, const ModelVariable *b, int slot)
{
    bool has_units = *a->unit || *b->unit;
    return (ModelVariable){
        .name = arena_printf(arena, "d(%s)/d(%s)", a->name, b->name),
        .unit = has_units
                    ? arena_printf(arena, "(%s)/(%s)", *a->unit ? a->unit : "1", *b->unit ? b->unit : "1")
                    : "",
        .display_unit = "",
        .description = "",
        .type = VARIABLE_REAL,
        .kind = VARIABLE_CONTINUOUS,
        .slot = slot,
    };
}

void outputs_init(Outputs *w, Arena *arena, Model *inner, const int *of, int of_count, const int *wrt, int m,
                  ModelShape *shape)
{
    const ModelShape *from = &inner->shape;
    int n = from->variable_count;
    int *copy = NEW_ARRAY(arena, int, (size_t)of_count + 1);
    if (of_count) memcpy(copy, of, (size_t)of_count * sizeof *of);
    *w = (Outputs){ inner, copy, of_count, m, from->value_count };
    ModelVariable *variables = NEW_ARRAY(arena, ModelVariable, (size_t)(n + of_count * m) + 1);
    memcpy(variables, from->variables, (size_t)n * sizeof *variables);
    for (int i = 0; i < of_count; i++)
        for (int j = 0; j < m; j++)
            variables[n + i * m + j] = derivative_of(arena, &from->variables[of[i]], &from->variables[wrt[j]],
                                                     outputs_slot(w, i, j));
    shape->variables = variables;
    shape->variable_count = n + of_count * m;
    shape->value_count = from->value_count + of_count * m;
}

int outputs_slot(const Outputs *w, int i, int j) { return w->value_count + i * w->m + j; }

EvalStatus outputs_values(const Outputs *w, double t, const double *y, const ModelChange *changes,
                          double *const *out, double *values)
{
    const ModelType *type = w->inner->type;
    EvalStatus status = type->values(w->inner, t, y, values);
    if (status != EVAL_OK || !w->of_count) return status;
    status = type->linearise(w->inner, MAP_VALUES, t, y);
    if (status != EVAL_OK) return status;
    status = type->jvp(w->inner, w->m, changes, out);
    for (int i = 0; i < w->of_count; i++) {
        const ModelVariable *v = &w->inner->shape.variables[w->of[i]];
        for (int j = 0; j < w->m; j++)
            values[outputs_slot(w, i, j)] = v->negated ? -out[j][v->slot] : out[j][v->slot];
    }
    return status;
}
