/* fmi_values.h: values of one type, one after the other, for a list of value references: part of
 * fmi.h. */
#ifndef ACAUSAL_UNIT_FMI_VALUES_H
#define ACAUSAL_UNIT_FMI_VALUES_H

#include "unit/unit.h"

typedef struct {
    unsigned types; /* of variables */
    void (*take)(UnitInstance *u, const UnitVariable *v, uint32_t element, void *values, size_t k);
    UnitStatus (*give)(UnitInstance *u, const UnitVariable *v, uint32_t element, const void *values,
                       size_t k);
} ValueType;

static int too_many(UnitInstance *u, const char *function)
{
    return (int)unit_fail(u, UNIT_ERROR, "%s: the number of values is not that of the variables' elements",
                          function);
}

static int get(UnitInstance *u, const unsigned *vr, size_t n, void *values, size_t count,
               const ValueType *type, const char *function)
{
    size_t k = 0;
    UnitStatus status = UNIT_OK;
    if (!unit_may(u, READS, function)) return UNIT_ERROR;
    for (size_t j = 0; j < n && status <= UNIT_WARNING; j++) {
        const UnitVariable *v = unit_variable(u, vr[j], type->types, function);
        if (!v) return UNIT_ERROR;
        if (v->n > count - k) return too_many(u, function);
        if (!unit_is_at_hand(u, v)) status = unit_prepare_get(u);
        if (status > UNIT_WARNING) break;
        if (v->flags & UNIT_INDICATOR) status = unit_indicators(u, u->work, unit_model.run->indicator_count);
        for (uint32_t e = 0; e < v->n; e++) type->take(u, v, e, values, k++);
    }
    return k == count || status > UNIT_WARNING ? (int)status : too_many(u, function);
}

static int set(UnitInstance *u, const unsigned *vr, size_t n, const void *values, size_t count,
               const ValueType *type, const char *function)
{
    size_t k = 0;
    UnitStatus status = UNIT_OK;
    if (!unit_may(u, WRITES, function)) return UNIT_ERROR;
    for (size_t j = 0; j < n && status <= UNIT_WARNING; j++) {
        const UnitVariable *v = unit_variable(u, vr[j], type->types, function);
        if (!v) return UNIT_ERROR;
        if (v->n > count - k) return too_many(u, function);
        for (uint32_t e = 0; e < v->n && status <= UNIT_WARNING; e++)
            status = type->give(u, v, e, values, k++);
    }
    return k == count || status > UNIT_WARNING ? (int)status : too_many(u, function);
}

/* Between variables of the model and a C type. */
#define VALUES(name, c_type, of_types, to, from)                                                          \
    static void take_##name(UnitInstance *u, const UnitVariable *v, uint32_t e, void *values, size_t k)   \
    {                                                                                                     \
        double value = unit_get(u, v, e);                                                                 \
        ((c_type *)values)[k] = to;                                                                       \
    }                                                                                                     \
    static UnitStatus give_##name(UnitInstance *u, const UnitVariable *v, uint32_t e, const void *values, \
                                  size_t k)                                                               \
    {                                                                                                     \
        c_type value = ((const c_type *)values)[k];                                                       \
        return unit_set(u, v, e, from);                                                                   \
    }                                                                                                     \
    static const ValueType name##_values = { of_types, take_##name, give_##name };

static void take_real(UnitInstance *u, const UnitVariable *v, uint32_t e, void *values, size_t k)
{
    ((double *)values)[k] =
        v->flags & UNIT_INDICATOR ? u->work[unit_model.elements[v->first + e]] : unit_get(u, v, e);
}

static UnitStatus give_real(UnitInstance *u, const UnitVariable *v, uint32_t e, const void *values, size_t k)
{
    return unit_set(u, v, e, ((const double *)values)[k]);
}

static void take_string(UnitInstance *u, const UnitVariable *v, uint32_t e, void *values, size_t k)
{
    ((const char **)values)[k] = unit_get_string(u, v, e);
}

static UnitStatus give_string(UnitInstance *u, const UnitVariable *v, uint32_t e, const void *values,
                              size_t k)
{
    return unit_set_string(u, v, e, ((const char *const *)values)[k]);
}

static const ValueType real_values = { 1u << UNIT_REAL, take_real, give_real };
static const ValueType string_values = { 1u << UNIT_STRING, take_string, give_string };

#endif
