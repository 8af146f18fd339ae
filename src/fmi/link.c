/* link.c: values that go from one FMU to another.
 *
 * In their own types where these are the same, so that 64-bit integers, strings and binaries arrive
 * as they were; numbers of different types are converted. Tests: tests/cli/system.sh. */
#include "fmi/inside.h"

static FmuBase storage_at(const FmuModel *m, int variable)
{
    return storage_of(m->i.d->version, (FmuBase)m->i.d->variables.at[m->table.from[variable]].base);
}

const FmuDescription *fmu_model_description(const Model *model)
{
    return ((const FmuModel *)model->data)->i.d;
}

uint32_t fmu_described(const Model *model, int variable)
{
    return ((const FmuModel *)model->data)->table.from[variable];
}

static bool is_text(FmuBase storage) { return storage == FMU_STRING || storage == FMU_BINARY; }

bool fmu_fits(const Model *from, int source, const Model *to, int target)
{
    FmuBase a = storage_at(from->data, source), b = storage_at(to->data, target);
    return a == b || (!is_text(a) && !is_text(b));
}

static double real_of(const FmuModel *m, int variable, const Raw *raw)
{
    double value;
    storage_widen(storage_at(m, variable), raw, &value, 1);
    return m->table.variables[variable].negated ? -value : value;
}

bool fmu_real(Model *model, int variable, double *value)
{
    FmuModel *m = model->data;
    Raw raw;
    if (is_text(storage_at(m, variable)) ||
        variables_take(&m->table, &m->i, (uint32_t)variable, &raw) > CALL_WARNING)
        return false;
    *value = real_of(m, variable, &raw);
    return true;
}

/* Whether a target has this value already. */
static bool is_same(const FmuModel *m, int variable, FmuBase storage, const Raw *raw)
{
    const Raw *old = &m->table.given[variable];
    if (!m->table.is_given[variable]) return false;
    if (storage == FMU_STRING) return !strcmp(old->text, raw->text ? raw->text : "");
    if (storage == FMU_BINARY)
        return old->bytes.n == raw->bytes.n &&
               (!raw->bytes.n || !memcmp(old->bytes.at, raw->bytes.at, raw->bytes.n));
    return !memcmp(old, raw, storage_size(storage));
}

/* The source's memory may change with its next call. */
static void keep_text(FmuModel *m, FmuBase storage, Raw *raw)
{
    if (storage == FMU_STRING) raw->text = arena_copy(m->i.arena, str_of(raw->text ? raw->text : ""));
    if (storage == FMU_BINARY && raw->bytes.n)
        raw->bytes.at =
            (const uint8_t *)arena_copy(m->i.arena, (Str){ (const char *)raw->bytes.at, raw->bytes.n });
}

bool fmu_pass(Model *from, int source, Model *to, int target, double factor, double offset, bool *changed)
{
    FmuModel *a = from->data, *b = to->data;
    FmuBase storage = storage_at(b, target);
    const char *why;
    Raw raw = { 0 };
    if (variables_take(&a->table, &a->i, (uint32_t)source, &raw) > CALL_WARNING) return false;
    bool as_it_is = storage_at(a, source) == storage && factor == 1 && offset == 0 &&
                    !a->table.variables[source].negated && !b->table.variables[target].negated;
    if (!as_it_is)
        variables_of_real(&b->table, b->i.d, (uint32_t)target, factor * real_of(a, source, &raw) + offset,
                          &raw);
    *changed = !is_same(b, target, storage, &raw);
    if (!*changed) return true;
    keep_text(b, storage, &raw);
    return common_give(b, target, &raw, &why);
}
