/* variables.c: the variables of an FMU as those of a Model.
 *
 * In: a description. Out: names, types and slots; the elements of an array are variables of their
 * own, x[1,2]. Variables with the same reference and type share a slot. Values are got by one call
 * a type. The value of a string or binary is its place in the table's texts, binaries in
 * hexadecimal. The independent variable is not shown. Always: no allocation after the making, but
 * for texts that were not there before. Cost: linear. Tests: tests/cli/fmu.sh. */
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
    case FMU_STRING:
    case FMU_BINARY: return VARIABLE_STRING;
    default: return VARIABLE_INTEGER;
    }
}

static bool is_shown(const FmuVariable *v) { return v->causality != FMU_INDEPENDENT; }

/* Version 2 and 3: exact or approximate start values, inputs and parameters; version 1: whatever
 * has a start value. */
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
        uint64_t size = dimension->size;
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
                            .is_settable = is_settable(v),
                            .is_tunable = v->causality == FMU_PARAMETER && v->variability == FMU_TUNABLE };
}

void variables_make(VariableTable *t, const FmuDescription *d, Arena *arena)
{
    uint32_t references[FMU_TYPES] = { 0 }, shown = 0;
    *t = (VariableTable){ .largest = 1, .arena = arena };
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
    t->given = NEW_ARRAY(arena, Raw, shown);
    t->is_given = NEW_ARRAY(arena, bool, shown);
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
                if (v->causality == FMU_INPUT || t->variables[t->count].is_tunable)
                    vec_push(arena, &t->inputs, t->count);
                t->from[t->count] = k;
                t->element[t->count++] = e;
            }
        }
        if (g->m > t->largest) t->largest = g->m;
    }
    bool *is_state = NEW_ARRAY(arena, bool, d->variables.n);
    for (uint32_t k = 0; k < d->variables.n; k++)
        if (d->variables.at[k].derivative_of != NONE_VARIABLE)
            is_state[d->variables.at[k].derivative_of] = true;
    for (uint32_t s = 0; s < t->count; s++) t->variables[s].is_state = is_state[t->from[s]];
    t->row = NEW_ARRAY(arena, Raw, t->largest + 1);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* an FMU that says something new in every row does not fill the memory */
enum { MOST_TEXTS = 1 << 20 };

static double place_of_text(VariableTable *t, FmuBase base, const Raw *raw)
{
    uint32_t at;
    ArenaMark mark = arena_mark(t->arena);
    const char *text = storage_text(base, raw, t->arena);
    if (index_find(&t->texts, text, &at) || t->texts.names.n == MOST_TEXTS) {
        if (base == FMU_BINARY) arena_rewind(t->arena, mark);
        return t->texts.names.n == MOST_TEXTS ? 0 : at;
    }
    at = t->texts.names.n;
    index_add(&t->texts, t->arena, base == FMU_STRING ? arena_copy(t->arena, str_of(text)) : text, at);
    return at;
}

static CallStatus get_texts(VariableTable *t, Instance *i, FmuBase base, double *values)
{
    const ValueGroup *g = &t->groups[base];
    CallStatus status = raw_get(i, base, g->vr, g->n, t->row, g->m);
    for (uint32_t k = 0; k < g->m && status <= CALL_WARNING; k++) {
        Raw raw;
        memcpy(&raw, (const char *)t->row + k * storage_size(base), storage_size(base));
        values[k] = place_of_text(t, base, &raw);
    }
    return status;
}

CallStatus variables_get(VariableTable *t, Instance *i, double *values)
{
    CallStatus worst = CALL_OK;
    for (int base = 0; base < FMU_TYPES; base++) {
        const ValueGroup *g = &t->groups[base];
        if (!g->n) continue;
        CallStatus status = base == FMU_STRING || base == FMU_BINARY
                                ? get_texts(t, i, (FmuBase)base, values + g->first)
                                : values_get(i, (FmuBase)base, g->vr, g->n, values + g->first, g->m);
        if (status > worst) worst = status;
    }
    return worst;
}

/* An element of an array is set with the others as they are. */
CallStatus variables_put(VariableTable *t, Instance *i, uint32_t shown, const Raw *value)
{
    const FmuVariable *v = &i->d->variables.at[t->from[shown]];
    FmuBase base = (FmuBase)v->base;
    size_t size = storage_size(storage_of(i->d->version, base));
    if (v->elements == 1) return raw_set(i, base, &v->vr, 1, value, 1);
    CallStatus status = raw_get(i, base, &v->vr, 1, t->row, v->elements);
    memcpy((char *)t->row + t->element[shown] * size, value, size);
    return status <= CALL_WARNING ? raw_set(i, base, &v->vr, 1, t->row, v->elements) : status;
}

CallStatus variables_take(VariableTable *t, Instance *i, uint32_t shown, Raw *value)
{
    const FmuVariable *v = &i->d->variables.at[t->from[shown]];
    FmuBase base = (FmuBase)v->base;
    size_t size = storage_size(storage_of(i->d->version, base));
    CallStatus status = raw_get(i, base, &v->vr, 1, t->row, v->elements);
    if (status <= CALL_WARNING) memcpy(value, (const char *)t->row + t->element[shown] * size, size);
    return status;
}

bool variables_give(VariableTable *t, const FmuDescription *d, uint32_t shown, const Raw *value,
                    const char **why)
{
    const FmuVariable *v = &d->variables.at[t->from[shown]];
    if (!t->variables[shown].is_settable) {
        *why = v->causality == FMU_STRUCTURAL_PARAMETER ? "sizes of an FMU's arrays stay as they are"
               : v->variability == FMU_CONSTANT         ? "it is a constant"
                                                        : "the FMU computes it";
        return false;
    }
    t->given[shown] = *value;
    t->is_given[shown] = true;
    return true;
}

/* Texts of parameters are told even where nobody gave them: some FMUs have none of their own until
 * then, and read what is not there. One that refuses keeps what it has. */
static void tell_text(Instance *i, const FmuVariable *v)
{
    Raw raw = { .text = v->start };
    if (v->base == FMU_STRING && v->causality == FMU_PARAMETER && v->start && v->elements == 1)
        raw_set(i, FMU_STRING, &v->vr, 1, &raw, 1);
}

CallStatus variables_apply(VariableTable *t, Instance *i, Apply what)
{
    for (uint32_t s = 0; s < t->count && what == APPLY_START; s++)
        if (!t->is_given[s]) tell_text(i, &i->d->variables.at[t->from[s]]);
    for (uint32_t s = 0; s < t->count; s++) {
        const ModelVariable *v = &t->variables[s];
        bool wanted =
            what == APPLY_START ? !v->is_input : v->is_input || (v->is_tunable && what == APPLY_CHANGES);
        if (!t->is_given[s] || !wanted) continue;
        CallStatus status = variables_put(t, i, s, &t->given[s]);
        if (status > CALL_WARNING) return status;
    }
    return CALL_OK;
}

void variables_of_real(const VariableTable *t, const FmuDescription *d, uint32_t shown, double value,
                       Raw *raw)
{
    const FmuVariable *v = &d->variables.at[t->from[shown]];
    if (t->variables[shown].negated) value = v->base == FMU_BOOLEAN ? value == 0 : -value;
    storage_narrow(storage_of(d->version, (FmuBase)v->base), &value, raw, 1);
}

/* The value of an enumeration's item of this name. */
static bool find_item(const FmuDescription *d, const FmuVariable *v, const char *name, double *value)
{
    for (uint32_t k = 0; k < d->types.n; k++) {
        const FmuType *type = &d->types.at[k];
        if (strcmp(type->name, v->declared_type) != 0) continue;
        for (uint32_t e = 0; e < type->item_count; e++) {
            const FmuItem *item = &d->items.at[type->item_first + e];
            if (!strcmp(item->name, name)) return *value = (double)item->value, true;
        }
    }
    return false;
}

bool variables_of_text(const VariableTable *t, const FmuDescription *d, uint32_t shown, const char *text,
                       Arena *arena, Raw *raw)
{
    const FmuVariable *v = &d->variables.at[t->from[shown]];
    FmuBase storage = storage_of(d->version, (FmuBase)v->base);
    double value;
    if (v->base == FMU_ENUMERATION && find_item(d, v, text, &value)) {
        storage_narrow(storage, &value, raw, 1);
        return true;
    }
    if (!storage_of_text(storage, text, arena, raw)) return false;
    if (!t->variables[shown].negated) return true;
    storage_widen(storage, raw, &value, 1);
    variables_of_real(t, d, shown, value, raw);
    return true;
}
