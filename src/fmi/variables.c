/* variables.c: the variables of an FMU as those of a Model.
 *
 * In: a description. Out: names, types and slots; the elements of an array are variables of their own, x[1,2]. Variables
 * with the same reference and type share a slot. Values are got by one call a type. Strings, binaries and the independent
 * variable are not shown. Always: no allocation after the making. Cost: linear. Tests: tests/fmi/exchange_test.c. */
#include "fmi/inside.h"

#include <stdlib.h>

static VariableType type_of(FmuBase base)
{
    switch (base) {
    case FMU_FLOAT32:
    case FMU_FLOAT64: return VARIABLE_REAL;
    case FMU_BOOLEAN:
    case FMU_CLOCK: return VARIABLE_BOOLEAN;
    case FMU_ENUMERATION: return VARIABLE_ENUMERATION;
    default: return VARIABLE_INTEGER;
    }
}

static bool is_shown(const FmuVariable *v)
{
    return v->base != FMU_STRING && v->base != FMU_BINARY && v->causality != FMU_INDEPENDENT;
}

/* Version 2 and 3: exact or approximate start values, inputs and parameters; version 1: whatever has a start value. */
static bool is_settable(const FmuVariable *v)
{
    if (v->variability == FMU_CONSTANT || v->causality == FMU_CALCULATED_PARAMETER) return false;
    if (v->causality == FMU_INPUT || v->causality == FMU_PARAMETER) return true;
    return v->causality != FMU_STRUCTURAL_PARAMETER && v->start && v->initial != FMU_CALCULATED;
}

/* "x[2,1]" for element k, counted in rows. */
static const char *element_name(Arena *arena, const FmuDescription *d, const FmuVariable *v, uint32_t k)
{
    if (!v->dimension_count) return v->name;
    uint64_t index[16], rest = k;
    uint32_t n = v->dimension_count < 16 ? v->dimension_count : 16;
    uint64_t total = v->elements;
    Text text = { .arena = arena };
    for (uint32_t j = 0; j < n; j++) {
        const FmuDimension *dimension = &d->dimensions.at[v->dimension_first + j];
        uint64_t size = dimension->is_variable ? 0 : dimension->value;
        if (n == 1) size = v->elements;
        for (uint32_t w = 0; dimension->is_variable && n > 1 && w < d->variables.n; w++)
            if (d->variables.at[w].vr == dimension->value && d->variables.at[w].start)
                size = (uint64_t)strtoull(d->variables.at[w].start, NULL, 10);
        total = size ? total / size : 0;
        index[j] = total ? rest / total : 0;
        rest = total ? rest % total : 0;
    }
    text_printf(&text, "%s[", v->name);
    for (uint32_t j = 0; j < n; j++)
        text_printf(&text, "%s%llu", j ? "," : "", (unsigned long long)index[j] + 1);
    text_add_char(&text, ']');
    return text.at;
}

static ModelVariable shown_variable(const FmuVariable *v, const char *name, uint32_t slot)
{
    static const VariableKind kinds[] = { VARIABLE_CONSTANT, VARIABLE_PARAMETER, VARIABLE_PARAMETER,
                                          VARIABLE_DISCRETE, VARIABLE_CONTINUOUS };
    return (ModelVariable){ .name = name,
                            .unit = v->unit,
                            .display_unit = v->display_unit,
                            .description = v->description,
                            .type = type_of((FmuBase)v->base),
                            .kind = kinds[v->variability],
                            .slot = (int)slot,
                            .negated = v->alias == FMU_NEGATED_ALIAS,
                            .is_input = v->causality == FMU_INPUT,
                            .is_output = v->causality == FMU_OUTPUT,
                            .is_settable = is_settable(v) };
}

void variables_make(VariableTable *t, const FmuDescription *d, Arena *arena)
{
    uint32_t references[FMU_TYPES] = { 0 }, shown = 0;
    *t = (VariableTable){ .largest = 1 };
    for (uint32_t k = 0; k < d->variables.n; k++) {
        const FmuVariable *v = &d->variables.at[k];
        if (!is_shown(v)) continue;
        shown += v->elements;
        references[v->base]++;
        if (v->elements > t->largest) t->largest = v->elements;
    }
    t->variables = NEW_ARRAY(arena, ModelVariable, shown);
    t->from = NEW_ARRAY(arena, uint32_t, shown);
    t->element = NEW_ARRAY(arena, uint32_t, shown);
    t->given = NEW_ARRAY(arena, double, shown);
    for (int base = 0; base < FMU_TYPES; base++) {
        ValueGroup *g = &t->groups[base];
        Map seen = { .arena = arena };
        g->vr = NEW_ARRAY(arena, uint32_t, references[base]);
        g->first = t->slots;
        for (uint32_t k = 0; k < d->variables.n; k++) {
            const FmuVariable *v = &d->variables.at[k];
            if (!is_shown(v) || v->base != base) continue;
            bool is_new;
            uint64_t *slot = map_put(&seen, v->vr, &is_new);
            if (is_new) {
                *slot = t->slots;
                t->slots += v->elements;
                g->vr[g->n++] = v->vr;
                g->m += v->elements;
            }
            for (uint32_t e = 0; e < v->elements; e++) {
                t->variables[t->count] = shown_variable(v, element_name(arena, d, v, e), (uint32_t)*slot + e);
                t->from[t->count] = k;
                t->element[t->count] = e;
                t->given[t->count++] = NAN;
            }
        }
        if (g->m > t->largest) t->largest = g->m;
    }
    for (uint32_t k = 0; k < d->variables.n; k++) {
        uint32_t of = d->variables.at[k].derivative_of;
        for (uint32_t s = 0; of != NONE_VARIABLE && s < t->count; s++)
            if (t->from[s] == of) t->variables[s].is_state = true;
    }
    t->row = NEW_ARRAY(arena, double, t->slots);
}

CallStatus variables_get(VariableTable *t, Instance *i, double *values)
{
    CallStatus worst = CALL_OK;
    for (int base = 0; base < FMU_TYPES; base++) {
        const ValueGroup *g = &t->groups[base];
        if (!g->n) continue;
        CallStatus status = i->calls->get(i, (FmuBase)base, g->vr, g->n, values + g->first, g->m);
        if (status > worst) worst = status;
    }
    return worst;
}

/* An element of an array is set with the others as they are. */
CallStatus variables_set(VariableTable *t, Instance *i, uint32_t shown, double value)
{
    const FmuVariable *v = &i->d->variables.at[t->from[shown]];
    double sign = t->variables[shown].negated ? -1 : 1, whole = sign * value;
    if (v->elements == 1) return i->calls->set(i, (FmuBase)v->base, &v->vr, 1, &whole, 1);
    double *all = t->row + t->variables[shown].slot - t->element[shown];
    CallStatus status = i->calls->get(i, (FmuBase)v->base, &v->vr, 1, all, v->elements);
    all[t->element[shown]] = whole;
    return status <= CALL_WARNING ? i->calls->set(i, (FmuBase)v->base, &v->vr, 1, all, v->elements) : status;
}

bool variables_give(VariableTable *t, const FmuDescription *d, uint32_t shown, double value, const char **why)
{
    const FmuVariable *v = &d->variables.at[t->from[shown]];
    if (!t->variables[shown].is_settable) {
        *why = v->causality == FMU_STRUCTURAL_PARAMETER ? "sizes of an FMU's arrays stay as they are"
               : v->variability == FMU_CONSTANT         ? "it is a constant"
                                                        : "the FMU computes it";
        return false;
    }
    t->given[shown] = value;
    return true;
}

CallStatus variables_apply(VariableTable *t, Instance *i, bool inputs)
{
    for (uint32_t s = 0; s < t->count; s++) {
        if (isnan(t->given[s]) || t->variables[s].is_input != inputs) continue;
        CallStatus status = variables_set(t, i, s, t->given[s]);
        if (status > CALL_WARNING) return status;
    }
    return CALL_OK;
}
