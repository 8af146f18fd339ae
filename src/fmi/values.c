/* values.c: values of an FMU's variables in the types that its version has for them.
 *
 * In: value references of one type. Out: values as the FMU holds them, or as doubles. How: a type
 * has a storage, by the version: a Boolean is a char in version 1, an int in 2, a bool in 3;
 * conversions are by storage. A number that the storage cannot hold becomes its nearest one.
 * Always: 64-bit integers, strings and binaries that are passed on never go through a double; a
 * string that is NULL is empty. Cost: linear, nothing is allocated but for texts. Tests:
 * tests/fmi/values_test.c. */
#include "fmi/inside.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

FmuBase storage_of(FmiVersion version, FmuBase base)
{
    static const FmuBase booleans[] = { 0, FMU_INT8, FMU_INT32, FMU_BOOLEAN };
    if (base == FMU_BOOLEAN) return booleans[version];
    if (base == FMU_ENUMERATION) return version == FMI_3 ? FMU_INT64 : FMU_INT32;
    return base == FMU_CLOCK ? FMU_BOOLEAN : base;
}

size_t storage_size(FmuBase storage)
{
    static const uint8_t sizes[FMU_TYPES] = { [FMU_FLOAT32] = sizeof(float),
                                              [FMU_FLOAT64] = sizeof(double),
                                              [FMU_INT8] = 1,
                                              [FMU_UINT8] = 1,
                                              [FMU_INT16] = 2,
                                              [FMU_UINT16] = 2,
                                              [FMU_INT32] = 4,
                                              [FMU_UINT32] = 4,
                                              [FMU_INT64] = 8,
                                              [FMU_UINT64] = 8,
                                              [FMU_BOOLEAN] = sizeof(bool),
                                              [FMU_STRING] = sizeof(char *),
                                              [FMU_BINARY] = sizeof(Bytes) };
    return sizes[storage];
}

/* ---- conversion ------------------------------------------------------------------------------ */

#define WIDEN(T)                                                      \
    do {                                                              \
        const T *typed_ = raw;                                        \
        for (size_t k = 0; k < m; k++) values[k] = (double)typed_[k]; \
    } while (0)
/* NaN becomes the least value: the comparison fails. */
#define NARROW(T, least, most)                                       \
    do {                                                             \
        T *typed_ = raw;                                             \
        for (size_t k = 0; k < m; k++)                               \
            typed_[k] = values[k] >= (double)(most)   ? (T)(most)    \
                        : values[k] > (double)(least) ? (T)values[k] \
                                                      : (T)(least);  \
    } while (0)

void storage_widen(FmuBase storage, const void *raw, double *values, size_t m)
{
    switch (storage) {
    case FMU_FLOAT64: memcpy(values, raw, m * sizeof *values); break;
    case FMU_FLOAT32: WIDEN(float); break;
    case FMU_INT8: WIDEN(int8_t); break;
    case FMU_UINT8: WIDEN(uint8_t); break;
    case FMU_INT16: WIDEN(int16_t); break;
    case FMU_UINT16: WIDEN(uint16_t); break;
    case FMU_INT32: WIDEN(int32_t); break;
    case FMU_UINT32: WIDEN(uint32_t); break;
    case FMU_INT64: WIDEN(int64_t); break;
    case FMU_UINT64: WIDEN(uint64_t); break;
    case FMU_BOOLEAN: WIDEN(bool); break;
    default: break;
    }
}

void storage_narrow(FmuBase storage, const double *values, void *raw, size_t m)
{
    switch (storage) {
    case FMU_FLOAT64: memcpy(raw, values, m * sizeof *values); break;
    case FMU_FLOAT32:
        for (size_t k = 0; k < m; k++) ((float *)raw)[k] = (float)values[k];
        break;
    case FMU_INT8: NARROW(int8_t, INT8_MIN, INT8_MAX); break;
    case FMU_UINT8: NARROW(uint8_t, 0, UINT8_MAX); break;
    case FMU_INT16: NARROW(int16_t, INT16_MIN, INT16_MAX); break;
    case FMU_UINT16: NARROW(uint16_t, 0, UINT16_MAX); break;
    case FMU_INT32: NARROW(int32_t, INT32_MIN, INT32_MAX); break;
    case FMU_UINT32: NARROW(uint32_t, 0, UINT32_MAX); break;
    case FMU_INT64: NARROW(int64_t, INT64_MIN, INT64_MAX); break;
    case FMU_UINT64: NARROW(uint64_t, 0, UINT64_MAX); break;
    case FMU_BOOLEAN:
        for (size_t k = 0; k < m; k++) ((bool *)raw)[k] = values[k] != 0;
        break;
    default: break;
    }
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool bytes_of_text(const char *text, Arena *arena, Bytes *bytes)
{
    size_t n = strlen(text);
    uint8_t *at = arena_zero(arena, n / 2);
    for (size_t k = 0; k < n / 2; k++) {
        int high = hex_digit(text[2 * k]), low = hex_digit(text[2 * k + 1]);
        if (high < 0 || low < 0) return false;
        at[k] = (uint8_t)(16 * high + low);
    }
    *bytes = (Bytes){ at, n / 2 };
    return n % 2 == 0;
}

/* Whole numbers of 64 bits, exactly. */
static bool whole_of_text(FmuBase storage, const char *text, Raw *raw)
{
    char *end;
    errno = 0;
    if (storage == FMU_INT64)
        raw->i64 = strtoll(text, &end, 10);
    else
        raw->u64 = strtoull(text, &end, 10);
    return end != text && !*end && !errno && (storage == FMU_INT64 || *text != '-');
}

bool storage_of_text(FmuBase storage, const char *text, Arena *arena, Raw *raw)
{
    char *end;
    double value, again;
    if (storage == FMU_STRING) return raw->text = arena_copy(arena, str_of(text)), true;
    if (storage == FMU_BINARY) return bytes_of_text(text, arena, &raw->bytes);
    if ((storage == FMU_INT64 || storage == FMU_UINT64) && whole_of_text(storage, text, raw)) return true;
    if (!strcmp(text, "true") || !strcmp(text, "false"))
        value = *text == 't';
    else {
        value = strtod(text, &end);
        if (end == text || *end) return false;
    }
    storage_narrow(storage, &value, raw, 1);
    storage_widen(storage, raw, &again, 1);
    return again == value || storage <= FMU_FLOAT64 || storage == FMU_BOOLEAN;
}

const char *storage_text(FmuBase storage, const Raw *raw, Arena *arena)
{
    Text text = { .arena = arena };
    double value;
    if (storage == FMU_STRING) return raw->text ? raw->text : "";
    text_add_literal(&text, "");
    if (storage == FMU_BINARY) {
        for (size_t k = 0; k < raw->bytes.n; k++) text_printf(&text, "%02x", raw->bytes.at[k]);
        return text.at;
    }
    storage_widen(storage, raw, &value, 1);
    text_add_real(&text, value);
    return text.at;
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef int (*GetOld)(void *c, const uint32_t *vr, size_t n, void *values);
typedef int (*GetNew)(void *c, const uint32_t *vr, size_t n, void *values, size_t m);
typedef int (*SetOld)(void *c, const uint32_t *vr, size_t n, const void *values);
typedef int (*SetNew)(void *c, const uint32_t *vr, size_t n, const void *values, size_t m);
typedef int (*GetBinary)(void *c, const uint32_t *vr, size_t n, size_t *sizes, const uint8_t **values,
                         size_t m);
typedef int (*SetBinary)(void *c, const uint32_t *vr, size_t n, const size_t *sizes,
                         const uint8_t *const *values, size_t m);

static bool has_lengths(const Instance *i, FmuBase base)
{
    return i->d->version == FMI_3 && base != FMU_CLOCK;
}

static CallStatus get_binaries(Instance *i, const uint32_t *vr, size_t n, Bytes *raw, size_t m)
{
    size_t *sizes = i->scratch;
    const uint8_t **at = (const uint8_t **)(sizes + m);
    FMU_FUNCTION(GetBinary, f, i, FN_GET + FMU_BINARY);
    CallStatus status = f ? (CallStatus)f(i->component, vr, n, sizes, at, m) : CALL_ERROR;
    for (size_t k = 0; k < m && status <= CALL_WARNING; k++) raw[k] = (Bytes){ at[k], at[k] ? sizes[k] : 0 };
    return status;
}

/* One by one: some FMUs put the values of all references to the same place. */
static CallStatus get_each_binary(Instance *i, const uint32_t *vr, size_t n, Bytes *raw)
{
    CallStatus worst = CALL_OK;
    for (size_t k = 0; k < n && worst <= CALL_WARNING; k++) {
        CallStatus status = get_binaries(i, &vr[k], 1, &raw[k], 1);
        if (status > worst) worst = status;
    }
    return worst;
}

static CallStatus set_binaries(Instance *i, const uint32_t *vr, size_t n, const Bytes *raw, size_t m)
{
    size_t *sizes = i->scratch;
    const uint8_t **at = (const uint8_t **)(sizes + m);
    for (size_t k = 0; k < m; k++) {
        sizes[k] = raw[k].n;
        at[k] = raw[k].at;
    }
    FMU_FUNCTION(SetBinary, f, i, FN_SET + FMU_BINARY);
    return f ? (CallStatus)f(i->component, vr, n, sizes, at, m) : CALL_ERROR;
}

CallStatus raw_get(Instance *i, FmuBase base, const uint32_t *vr, size_t n, void *raw, size_t m)
{
    CallId id = (CallId)(FN_GET + (int)base);
    if (base == FMU_BINARY && n == m) return get_each_binary(i, vr, n, raw);
    if (base == FMU_BINARY) return get_binaries(i, vr, n, raw, m);
    if (has_lengths(i, base)) {
        FMU_FUNCTION(GetNew, f, i, id);
        return f ? (CallStatus)f(i->component, vr, n, raw, m) : CALL_ERROR;
    }
    FMU_FUNCTION(GetOld, f, i, id);
    return f ? (CallStatus)f(i->component, vr, n, raw) : CALL_ERROR;
}

CallStatus raw_set(Instance *i, FmuBase base, const uint32_t *vr, size_t n, const void *raw, size_t m)
{
    CallId id = (CallId)(FN_SET + (int)base);
    if (base == FMU_BINARY) return set_binaries(i, vr, n, raw, m);
    if (has_lengths(i, base)) {
        FMU_FUNCTION(SetNew, f, i, id);
        return f ? (CallStatus)f(i->component, vr, n, raw, m) : CALL_ERROR;
    }
    FMU_FUNCTION(SetOld, f, i, id);
    return f ? (CallStatus)f(i->component, vr, n, raw) : CALL_ERROR;
}

CallStatus values_get(Instance *i, FmuBase base, const uint32_t *vr, size_t n, double *values, size_t m)
{
    FmuBase storage = storage_of(i->d->version, base);
    if (storage == FMU_FLOAT64) return raw_get(i, base, vr, n, values, m);
    CallStatus status = raw_get(i, base, vr, n, i->scratch, m);
    if (status <= CALL_WARNING) storage_widen(storage, i->scratch, values, m);
    return status;
}

CallStatus values_set(Instance *i, FmuBase base, const uint32_t *vr, size_t n, const double *values, size_t m)
{
    FmuBase storage = storage_of(i->d->version, base);
    if (storage == FMU_FLOAT64) return raw_set(i, base, vr, n, values, m);
    storage_narrow(storage, values, i->scratch, m);
    return raw_set(i, base, vr, n, i->scratch, m);
}
