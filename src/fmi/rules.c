/* rules.c: the rules of the FMI standard that reading forgives.
 *
 * In: a description that could be read. Out: an error for each broken rule, at its place. One
 * function a rule, in a table. Cost: linear. Tests: tests/cli/fmu.sh. */
#include "fmi/inside.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    Fmu *fmu;
    const FmuDescription *d;
    Diag *diag;
    NameIndex units, types;
} Checking;

static void broken(Checking *c, Span span, const char *format, ...) PRINTF_LIKE(3, 4);

static void broken(Checking *c, Span span, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add(c->diag, E_FMU_RULE, span, "%s", text);
}

static void check_names(Checking *c)
{
    NameIndex names = { 0 };
    for (uint32_t k = 0; k < c->d->variables.n; k++) {
        const FmuVariable *v = &c->d->variables.at[k];
        if (!index_add(&names, c->fmu->arena, v->name, k))
            broken(c, v->span, "two variables are called '%s'", v->name);
    }
}

static void check_root(Checking *c)
{
    static const char *const versions[] = { "", "1.0", "2.0", "3.0" };
    const FmuDescription *d = c->d;
    Span top = { c->fmu->source->base, 1 };
    if (!*d->model_name) broken(c, top, "the description has no modelName");
    if (!*d->token)
        broken(c, top, "the description has no %s", d->version < FMI_3 ? "guid" : "instantiationToken");
    if (strncmp(d->fmi_version, versions[d->version], 3) != 0)
        broken(c, top, "fmiVersion is '%s'", d->fmi_version);
    if (strcmp(d->naming, "flat") != 0 && strcmp(d->naming, "structured") != 0)
        broken(c, top, "variableNamingConvention should be flat or structured");
    if (d->version > FMI_1 && !d->has_structure) broken(c, top, "there is no ModelStructure");
    if (!isnan(d->start) && !isnan(d->stop) && d->stop < d->start)
        broken(c, top, "the experiment ends before it starts");
    if (d->stated_tolerance <= 0) broken(c, top, "the experiment's tolerance is not positive");
}

/* The identifier becomes the name of a file and, in version 1, the beginning of C names. */
static void check_identifiers(Checking *c)
{
    for (int k = 0; k < FMU_KINDS; k++) {
        const FmuInterface *kind = &c->d->kind[k];
        if (!kind->there) continue;
        for (const char *p = kind->identifier; *p; p++)
            if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' ||
                  (*p >= '0' && *p <= '9' && p > kind->identifier))) {
                broken(c, kind->span, "the identifier '%s' is not a name of C", kind->identifier);
                break;
            }
    }
}

static void check_causality(Checking *c, const FmuVariable *v)
{
    bool is_parameter = v->causality <= FMU_STRUCTURAL_PARAMETER;
    if (is_parameter && v->variability != FMU_FIXED && v->variability != FMU_TUNABLE)
        broken(c, v->span, "the parameter '%s' should be fixed or tunable, not %s", v->name,
               fmu_variabilities[v->variability]);
    if (v->causality == FMU_INPUT && v->variability < FMU_DISCRETE)
        broken(c, v->span, "the input '%s' should be discrete or continuous", v->name);
    if (v->causality == FMU_OUTPUT && (v->variability == FMU_FIXED || v->variability == FMU_TUNABLE))
        broken(c, v->span, "the output '%s' should be constant, discrete or continuous", v->name);
    if (v->causality == FMU_INDEPENDENT && (v->variability != FMU_CONTINUOUS || v->start || v->has_initial))
        broken(c, v->span, "the independent variable '%s' is continuous and has neither initial nor start",
               v->name);
    if (v->variability == FMU_CONTINUOUS && v->base > FMU_FLOAT64)
        broken(c, v->span, "'%s' cannot be continuous: it is not a real number", v->name);
}

/* What `initial` is where it is not given, by causality and variability (the table of the
 * standard). */
static FmuInitial default_initial(const FmuVariable *v)
{
    if (v->causality == FMU_PARAMETER || v->causality == FMU_STRUCTURAL_PARAMETER) return FMU_EXACT;
    if (v->causality == FMU_INPUT || v->causality == FMU_INDEPENDENT) return FMU_NO_INITIAL;
    if (v->variability == FMU_CONSTANT) return FMU_EXACT;
    return FMU_CALCULATED;
}

static void check_initial(Checking *c, const FmuVariable *v)
{
    FmuInitial initial = v->has_initial ? (FmuInitial)v->initial : default_initial(v);
    bool needs = initial == FMU_EXACT || initial == FMU_APPROX || v->causality == FMU_INPUT;
    if (v->base == FMU_CLOCK || v->is_alias_entry) return;
    if (needs && !v->start) broken(c, v->span, "'%s' needs a start value", v->name);
    if (initial == FMU_CALCULATED && v->start)
        broken(c, v->span, "'%s' is calculated and so has no start value", v->name);
    if (v->has_initial && (v->causality == FMU_INPUT || v->causality == FMU_INDEPENDENT))
        broken(c, v->span, "'%s' is %s and so has no initial", v->name, fmu_causalities[v->causality]);
}

static void check_numbers(Checking *c, const FmuVariable *v)
{
    if (!isnan(v->min) && !isnan(v->max) && v->max < v->min)
        broken(c, v->span, "the max of '%s' is below its min", v->name);
    if (v->nominal <= 0) broken(c, v->span, "the nominal value of '%s' is not positive", v->name);
    if (v->start && v->elements == 1 && v->base <= FMU_UINT64) {
        char *end;
        double value = strtod(v->start, &end);
        if (end == v->start || *end)
            broken(c, v->span, "the start value '%.40s' of '%s' is no number", v->start, v->name);
        else if (value < v->min || value > v->max)
            broken(c, v->span, "the start value of '%s' is outside of min and max", v->name);
    }
    if (v->derivative_of != NONE_VARIABLE && v->variability != FMU_CONTINUOUS)
        broken(c, v->span, "'%s' is a derivative and so should be continuous", v->name);
}

static void check_references(Checking *c, const FmuVariable *v)
{
    uint32_t at;
    bool has_unit = !*v->unit || index_find(&c->units, v->unit, &at);
    bool has_type = !*v->declared_type || index_find(&c->types, v->declared_type, &at);
    if (!has_unit && c->d->version > FMI_1)
        broken(c, v->span, "the unit '%s' of '%s' is not defined", v->unit, v->name);
    if (!has_type) broken(c, v->span, "the type '%s' of '%s' is not defined", v->declared_type, v->name);
    if (v->base == FMU_ENUMERATION && !*v->declared_type)
        broken(c, v->span, "the enumeration '%s' has no type", v->name);
}

static void check_variables(Checking *c)
{
    uint32_t independents = 0;
    for (uint32_t k = 0; k < c->d->units.n; k++)
        index_add(&c->units, c->fmu->arena, c->d->units.at[k].name, k);
    for (uint32_t k = 0; k < c->d->types.n; k++)
        index_add(&c->types, c->fmu->arena, c->d->types.at[k].name, k);
    for (uint32_t k = 0; k < c->d->variables.n; k++) {
        const FmuVariable *v = &c->d->variables.at[k];
        independents += v->causality == FMU_INDEPENDENT && !v->is_alias_entry;
        check_numbers(c, v);
        check_references(c, v);
        if (c->d->version == FMI_1) continue;
        check_causality(c, v);
        check_initial(c, v);
    }
    if (independents > 1)
        broken(c, (Span){ c->fmu->source->base, 1 }, "there are %u independent variables",
               (unsigned)independents);
}

/* All outputs, and all derivatives of states, are listed in the structure, each once. */
static void check_structure(Checking *c)
{
    const FmuDescription *d = c->d;
    uint8_t *listed = NEW_ARRAY(c->fmu->arena, uint8_t, d->variables.n);
    if (d->version == FMI_1 || !d->has_structure) return;
    for (uint32_t k = 0; k < d->outputs.n; k++) listed[d->outputs.at[k].variable] |= 1;
    for (uint32_t k = 0; k < d->derivatives.n; k++) {
        const FmuVariable *v = &d->variables.at[d->derivatives.at[k].variable];
        if (v->derivative_of == NONE_VARIABLE)
            broken(c, d->derivatives.at[k].span,
                   "'%s' is listed as a derivative, but does not say of which variable", v->name);
        if (listed[d->derivatives.at[k].variable] & 2)
            broken(c, d->derivatives.at[k].span, "the derivative '%s' is listed twice", v->name);
        listed[d->derivatives.at[k].variable] |= 2;
    }
    for (uint32_t k = 0; k < d->variables.n; k++) {
        const FmuVariable *v = &d->variables.at[k];
        if (v->causality == FMU_OUTPUT && !(listed[k] & 1) && !v->is_alias_entry && v->base != FMU_CLOCK)
            broken(c, v->span, "the output '%s' is not listed in the model structure", v->name);
    }
}

static void check_files(Checking *c)
{
    Text platforms = { .arena = c->fmu->arena };
    fmu_list_platforms(c->fmu, &platforms);
    bool has_sources = false;
    for (size_t k = 0; k < archive_count(c->fmu->archive); k++)
        has_sources |= !strncmp(archive_name(c->fmu->archive, k), "sources/", 8);
    if (!platforms.n && !has_sources)
        diag_add_file(c->diag, E_FMU_RULE, c->fmu->path, "it holds neither binaries nor sources");
    for (uint32_t k = 0; k < c->d->source_files.n; k++) {
        const char *name = path_join(c->fmu->arena, "sources", c->d->source_files.at[k]);
        if (!archive_has(c->fmu->archive, name))
            diag_add_file(c->diag, E_FMU_RULE, c->fmu->path, "there is no '%s' in it", name);
    }
}

void fmu_validate(Fmu *fmu, Diag *diag)
{
    static void (*const rules[])(Checking *) = { check_root,      check_identifiers, check_names,
                                                 check_variables, check_structure,   check_files };
    Checking c = { .fmu = fmu, .d = fmu->d, .diag = diag };
    for (size_t k = 0; k < COUNT_OF(rules); k++) rules[k](&c);
}
