/* describe.c: modelDescription.xml of versions 1.0 and 2.0, and what all versions share.
 *
 * In: a source. Out: an FmuDescription. How: the XML tree is read by tables of fields, one table an
 * element. What would make running impossible is an error; what is odd but harmless is a warning,
 * so that FMUs from anywhere run. Always: every index into variables is valid, strings are never
 * NULL but for `start`. Cost: linear. Tests: tests/fmi/describe_test.c. */
#include "fmi/inside.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

const char *const fmu_causalities[] = {
    "parameter", "calculatedParameter", "structuralParameter", "input", "output", "local", "independent", NULL
};
const char *const fmu_variabilities[] = { "constant", "fixed", "tunable", "discrete", "continuous", NULL };
const char *const fmu_initials[] = { "exact", "approx", "calculated", NULL };

/* ---- fields ---------------------------------------------------------------------------------- */

static void odd_value(Describing *r, const XmlNode *node, const char *name, const char *value,
                      const char *want)
{
    diag_add(r->diag, W_FMU_RULE, node->span, "%s of <%s> should be %s, not '%.60s'", name, node->name, want,
             value);
}

static bool read_real(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    while (*end == ' ' || *end == '\n' || *end == '\t') end++;
    return end != text && !*end;
}

static bool read_bool(const char *text, bool *value)
{
    *value = !strcmp(text, "true") || !strcmp(text, "1");
    return *value || !strcmp(text, "false") || !strcmp(text, "0");
}

static bool read_long(const char *text, long least, long most, long *value)
{
    char *end;
    errno = 0;
    *value = strtol(text, &end, 10);
    return end != text && !*end && !errno && *value >= least && *value <= most;
}

static bool read_choice(const char *text, const char *const *choices, uint8_t *value)
{
    for (uint8_t i = 0; choices[i]; i++)
        if (!strcmp(choices[i], text)) return *value = i, true;
    return false;
}

/* False if the text is not what the field wants; the field stays as it is. */
static bool read_field(const Field *f, const char *text, char *at, const char **want)
{
    long number;
    double real;
    bool truth;
    switch (f->kind) {
    case FIELD_TEXT: memcpy(at, &text, sizeof text); return true;
    case FIELD_REAL:
        if (!read_real(text, &real)) return *want = "a number", false;
        memcpy(at, &real, sizeof real);
        return true;
    case FIELD_BOOL:
        if (!read_bool(text, &truth)) return *want = "true or false", false;
        memcpy(at, &truth, sizeof truth);
        return true;
    case FIELD_UINT:
        if (!read_long(text, 0, UINT32_MAX, &number)) return *want = "a whole number, not negative", false;
        memcpy(at, &(uint32_t){ (uint32_t)number }, sizeof(uint32_t));
        return true;
    case FIELD_LONG:
        if (!read_long(text, -LONG_MAX, LONG_MAX, &number)) return *want = "a whole number", false;
        memcpy(at, &number, sizeof number);
        return true;
    case FIELD_CHOICE: *want = "one of those that the standard lists"; break;
    }
    return read_choice(text, f->choices, (uint8_t *)at);
}

void describe_fields(Describing *r, const XmlNode *node, const Field *fields, size_t n, void *object)
{
    for (uint32_t i = 0; i < node->count; i++) {
        const XmlAttribute *a = &node->attributes[i];
        for (size_t k = 0; k < n; k++) {
            const char *want = "";
            if (fields[k].name[0] != a->name[0] || strcmp(fields[k].name, a->name) != 0) continue;
            if (!read_field(&fields[k], a->value, (char *)object + fields[k].at, &want))
                odd_value(r, node, a->name, a->value, want);
            else if (fields[k].given)
                *((bool *)object + fields[k].given) = true;
            break;
        }
    }
}

bool describe_numbers(Describing *r, const XmlNode *node, const char *name, uint64_t *out, uint32_t *n,
                      uint32_t room)
{
    const char *p = xml_attribute(node, name);
    *n = 0;
    while (p && *p) {
        char *end;
        while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') p++;
        if (!*p) break;
        unsigned long long value = strtoull(p, &end, 10);
        if (end == p || (*end && !strchr(" \n\t\r", *end)) || *n == room) {
            odd_value(r, node, name, p, "whole numbers with blanks between them");
            return false;
        }
        out[(*n)++] = value;
        p = end;
    }
    return true;
}

uint32_t describe_find(const Describing *r, uint32_t vr)
{
    uint64_t at;
    return map_get(&r->by_vr, vr, &at) ? (uint32_t)(at - 1) : NONE_VARIABLE;
}

/* ---- what versions share --------------------------------------------------------------------- */

typedef struct {
    long exponent[8];
    double factor, offset;
} BaseUnit;

static const Field base_unit_fields[] = {
    { "kg", FIELD_LONG, offsetof(BaseUnit, exponent[0]), 0, NULL },
    { "m", FIELD_LONG, offsetof(BaseUnit, exponent[1]), 0, NULL },
    { "s", FIELD_LONG, offsetof(BaseUnit, exponent[2]), 0, NULL },
    { "A", FIELD_LONG, offsetof(BaseUnit, exponent[3]), 0, NULL },
    { "K", FIELD_LONG, offsetof(BaseUnit, exponent[4]), 0, NULL },
    { "mol", FIELD_LONG, offsetof(BaseUnit, exponent[5]), 0, NULL },
    { "cd", FIELD_LONG, offsetof(BaseUnit, exponent[6]), 0, NULL },
    { "rad", FIELD_LONG, offsetof(BaseUnit, exponent[7]), 0, NULL },
    REAL_FIELD(BaseUnit, "factor", factor),
    REAL_FIELD(BaseUnit, "offset", offset),
};
static const Field display_fields[] = {
    TEXT_FIELD(FmuDisplayUnit, "name", name),     TEXT_FIELD(FmuDisplayUnit, "displayUnit", name),
    REAL_FIELD(FmuDisplayUnit, "factor", factor), REAL_FIELD(FmuDisplayUnit, "gain", factor),
    REAL_FIELD(FmuDisplayUnit, "offset", offset), BOOL_FIELD(FmuDisplayUnit, "inverse", inverse),
};

void describe_units(Describing *r, const XmlNode *root)
{
    const XmlNode *list = xml_child(root, "UnitDefinitions");
    for (const XmlNode *n = list ? list->first : NULL; n; n = n->next) {
        const char *name = xml_attribute(n, r->d->version == FMI_1 ? "unit" : "name");
        FmuUnit unit = { .name = name ? name : "", .factor = 1, .display_first = r->d->display_units.n };
        for (const XmlNode *c = n->first; c; c = c->next) {
            if (!strcmp(c->name, "BaseUnit")) {
                BaseUnit base = { .factor = 1 };
                describe_fields(r, c, base_unit_fields, COUNT_OF(base_unit_fields), &base);
                for (int k = 0; k < 8; k++) unit.exponent[k] = (int)base.exponent[k];
                unit.factor = base.factor;
                unit.offset = base.offset;
                unit.has_base = true;
            } else if (!strncmp(c->name, "DisplayUnit", 11)) {
                FmuDisplayUnit display = { .name = "", .factor = 1 };
                describe_fields(r, c, display_fields, COUNT_OF(display_fields), &display);
                vec_push(r->arena, &r->d->display_units, display);
                unit.display_count++;
            }
        }
        vec_push(r->arena, &r->d->units, unit);
    }
}

static const Field experiment_fields[] = {
    REAL_FIELD(FmuDescription, "startTime", start),
    REAL_FIELD(FmuDescription, "stopTime", stop),
    REAL_FIELD(FmuDescription, "tolerance", tolerance),
    REAL_FIELD(FmuDescription, "stepSize", step),
};

void describe_experiment(Describing *r, const XmlNode *root)
{
    const XmlNode *node = xml_child(root, "DefaultExperiment");
    if (node) describe_fields(r, node, experiment_fields, COUNT_OF(experiment_fields), r->d);
}

void describe_categories(Describing *r, const XmlNode *root)
{
    const XmlNode *list = xml_child(root, "LogCategories");
    for (const XmlNode *n = list ? list->first : NULL; n; n = n->next) {
        const char *name = xml_attribute(n, "name");
        if (name) vec_push(r->arena, &r->d->log_categories, name);
    }
}

FmuVariable *describe_new_variable(Describing *r, const XmlNode *node)
{
    FmuVariable v = { .name = "",
                      .description = "",
                      .unit = "",
                      .display_unit = "",
                      .declared_type = "",
                      .quantity = "",
                      .interval_variability = "",
                      .min = NAN,
                      .max = NAN,
                      .nominal = NAN,
                      .interval = NAN,
                      .shift = NAN,
                      .resolution = NAN,
                      .interval_counter = NAN,
                      .shift_counter = 0,
                      .span = node->span,
                      .derivative_of = NONE_VARIABLE,
                      .elements = 1,
                      .causality = FMU_LOCAL,
                      .variability = FMU_CONTINUOUS,
                      .initial = FMU_NO_INITIAL };
    vec_push(r->arena, &r->d->variables, v);
    return &r->d->variables.at[r->d->variables.n - 1];
}

/* ---- types of versions 1 and 2 --------------------------------------------------------------- */

static const struct {
    const char *name;
    FmuBase base;
} old_bases[] = { { "Real", FMU_FLOAT64 },
                  { "Integer", FMU_INT32 },
                  { "Boolean", FMU_BOOLEAN },
                  { "String", FMU_STRING },
                  { "Enumeration", FMU_ENUMERATION } };

/* By the beginning of the name: RealType and Real are one. */
static bool old_base(const char *name, FmuBase *base)
{
    for (size_t i = 0; i < COUNT_OF(old_bases); i++)
        if (!strncmp(name, old_bases[i].name, strlen(old_bases[i].name)))
            return *base = old_bases[i].base, true;
    return false;
}

static const Field type_fields[] = {
    TEXT_FIELD(FmuType, "quantity", quantity),
    TEXT_FIELD(FmuType, "unit", unit),
    TEXT_FIELD(FmuType, "displayUnit", display_unit),
    REAL_FIELD(FmuType, "min", min),
    REAL_FIELD(FmuType, "max", max),
    REAL_FIELD(FmuType, "nominal", nominal),
};

static void describe_items(Describing *r, const XmlNode *node, FmuType *type)
{
    type->item_first = r->d->items.n;
    for (const XmlNode *c = node->first; c; c = c->next) {
        const char *name = xml_attribute(c, "name"), *value = xml_attribute(c, "value"),
                   *about = xml_attribute(c, "description");
        if (strcmp(c->name, "Item") != 0) continue;
        FmuItem item = { name ? name : "", about ? about : "", type->item_count + 1 };
        if (value) item.value = strtoll(value, NULL, 10);
        vec_push(r->arena, &r->d->items, item);
        type->item_count++;
    }
}

static void describe_old_types(Describing *r, const XmlNode *root)
{
    const XmlNode *list = xml_child(root, "TypeDefinitions");
    for (const XmlNode *n = list ? list->first : NULL; n; n = n->next) {
        const char *name = xml_attribute(n, "name"), *about = xml_attribute(n, "description");
        FmuType type = { name ? name : "", about ? about : "", "", "", "", FMU_FLOAT64, NAN, NAN, NAN, 0, 0 };
        for (const XmlNode *c = n->first; c; c = c->next)
            if (old_base(c->name, &type.base)) {
                describe_fields(r, c, type_fields, COUNT_OF(type_fields), &type);
                describe_items(r, c, &type);
            }
        describe_add_type(r, type);
    }
}

/* ---- variables of versions 1 and 2 ----------------------------------------------------------- */

static const char *const old_causalities[] = { "input", "output", "internal", "none", NULL };
static const char *const old_variabilities[] = { "constant", "parameter", "discrete", "continuous", NULL };
static const char *const old_aliases[] = { "noAlias", "alias", "negatedAlias", NULL };

static const Field variable_1_fields[] = {
    TEXT_FIELD(FmuVariable, "name", name),
    TEXT_FIELD(FmuVariable, "description", description),
    UINT_FIELD(FmuVariable, "valueReference", vr),
    { "causality", FIELD_CHOICE, offsetof(FmuVariable, causality), offsetof(FmuVariable, has_causality),
      old_causalities },
    { "variability", FIELD_CHOICE, offsetof(FmuVariable, variability), offsetof(FmuVariable, has_variability),
      old_variabilities },
    { "alias", FIELD_CHOICE, offsetof(FmuVariable, alias), 0, old_aliases },
};
static const Field variable_2_fields[] = {
    TEXT_FIELD(FmuVariable, "name", name),
    TEXT_FIELD(FmuVariable, "description", description),
    UINT_FIELD(FmuVariable, "valueReference", vr),
    { "causality", FIELD_CHOICE, offsetof(FmuVariable, causality), offsetof(FmuVariable, has_causality),
      fmu_causalities },
    { "variability", FIELD_CHOICE, offsetof(FmuVariable, variability), offsetof(FmuVariable, has_variability),
      fmu_variabilities },
    { "initial", FIELD_CHOICE, offsetof(FmuVariable, initial), offsetof(FmuVariable, has_initial),
      fmu_initials },
};
/* `derivative` is an index from 1 here; it is resolved when all variables are there. */
static const Field old_type_fields[] = {
    TEXT_FIELD(FmuVariable, "declaredType", declared_type),
    TEXT_FIELD(FmuVariable, "quantity", quantity),
    TEXT_FIELD(FmuVariable, "unit", unit),
    TEXT_FIELD(FmuVariable, "displayUnit", display_unit),
    TEXT_FIELD(FmuVariable, "start", start),
    REAL_FIELD(FmuVariable, "min", min),
    REAL_FIELD(FmuVariable, "max", max),
    REAL_FIELD(FmuVariable, "nominal", nominal),
    UINT_FIELD(FmuVariable, "derivative", derivative_of),
    BOOL_FIELD(FmuVariable, "reinit", reinit),
    BOOL_FIELD(FmuVariable, "fixed", is_fixed_start),
};

/* Version 1's words as those of version 2. */
static void modernise(FmuVariable *v)
{
    static const uint8_t causality[] = { FMU_INPUT, FMU_OUTPUT, FMU_LOCAL, FMU_LOCAL };
    static const uint8_t variability[] = { FMU_CONSTANT, FMU_FIXED, FMU_DISCRETE, FMU_CONTINUOUS };
    v->causality = v->has_causality ? causality[v->causality] : FMU_LOCAL;
    v->variability = v->has_variability ? variability[v->variability] : FMU_CONTINUOUS;
    if (v->variability == FMU_FIXED && v->causality == FMU_LOCAL)
        v->causality = v->start ? FMU_PARAMETER : FMU_CALCULATED_PARAMETER;
    if (v->start) v->initial = v->is_fixed_start || v->variability <= FMU_FIXED ? FMU_EXACT : FMU_APPROX;
}

void describe_add_type(Describing *r, FmuType type)
{
    index_add(&r->types, r->arena, type.name, r->d->types.n);
    vec_push(r->arena, &r->d->types, type);
}

void describe_from_type(const Describing *r, FmuVariable *v)
{
    uint32_t at;
    if (!*v->declared_type || !index_find(&r->types, v->declared_type, &at)) return;
    const FmuType *t = &r->d->types.at[at];
    if (!*v->unit) v->unit = t->unit;
    if (!*v->display_unit) v->display_unit = t->display_unit;
    if (!*v->quantity) v->quantity = t->quantity;
    if (isnan(v->min)) v->min = t->min;
    if (isnan(v->max)) v->max = t->max;
    if (isnan(v->nominal)) v->nominal = t->nominal;
}

static void describe_old_variable(Describing *r, const XmlNode *node)
{
    bool first = r->d->version == FMI_1;
    FmuVariable *v = describe_new_variable(r, node);
    FmuBase base = FMU_FLOAT64;
    const XmlNode *type = node->first;
    if (first) v->is_fixed_start = true;
    describe_fields(r, node, first ? variable_1_fields : variable_2_fields,
                    first ? COUNT_OF(variable_1_fields) : COUNT_OF(variable_2_fields), v);
    while (type && !old_base(type->name, &base)) type = type->next;
    if (type)
        describe_fields(r, type, old_type_fields, COUNT_OF(old_type_fields), v);
    else
        diag_add(r->diag, W_FMU_RULE, node->span, "the variable '%s' has no type", v->name);
    v->base = (uint8_t)base;
    if (base != FMU_FLOAT64 && v->variability == FMU_CONTINUOUS && !v->has_variability)
        v->variability = FMU_DISCRETE;
    if (first) {
        v->derivative_of = NONE_VARIABLE;
        modernise(v);
    }
    if (!*v->name || !xml_attribute(node, "valueReference"))
        diag_add(r->diag, E_FMU_RULE, node->span, "a variable needs a name and a value reference");
    describe_from_type(r, v);
}

void describe_reserve(Describing *r, const XmlNode *list)
{
    uint32_t n = 0;
    for (const XmlNode *c = list ? list->first : NULL; c; c = c->next) n++;
    vec_reserve(r->arena, &r->d->variables, n);
}

static void describe_old_variables(Describing *r, const XmlNode *root)
{
    const XmlNode *list = xml_child(root, "ModelVariables");
    describe_reserve(r, list);
    for (const XmlNode *n = list ? list->first : NULL; n; n = n->next)
        if (!strcmp(n->name, "ScalarVariable")) describe_old_variable(r, n);
    for (uint32_t i = 0; i < r->d->variables.n; i++) {
        FmuVariable *v = &r->d->variables.at[i];
        if (v->derivative_of == NONE_VARIABLE) continue;
        uint32_t of = v->derivative_of - 1;
        if (v->derivative_of == 0 || of >= r->d->variables.n) {
            diag_add(r->diag, E_FMU_RULE, v->span, "'%s' is the derivative of variable %u, but there are %u",
                     v->name, (unsigned)v->derivative_of, (unsigned)r->d->variables.n);
            of = NONE_VARIABLE;
        }
        v->derivative_of = of;
    }
}

/* ---- the structure of version 2 -------------------------------------------------------------- */

static void describe_unknown_2(Describing *r, const XmlNode *n, FmuUnknown *u)
{
    const char *index = xml_attribute(n, "index"), *on = xml_attribute(n, "dependencies");
    long at = 0;
    *u = (FmuUnknown){ .variable = NONE_VARIABLE, .span = n->span, .first = r->d->dependencies.n };
    if (!index || !read_long(index, 1, (long)r->d->variables.n, &at)) {
        diag_add(r->diag, E_FMU_RULE, n->span,
                 "an unknown of the model structure needs the index of a variable");
        return;
    }
    u->variable = (uint32_t)at - 1;
    if (!on) return;
    uint32_t room = (uint32_t)strlen(on) / 2 + 1, count;
    uint64_t *numbers = NEW_ARRAY(r->arena, uint64_t, room);
    u->has_dependencies = describe_numbers(r, n, "dependencies", numbers, &count, room);
    for (uint32_t k = 0; k < count && u->has_dependencies; k++)
        u->has_dependencies = numbers[k] >= 1 && numbers[k] <= r->d->variables.n;
    if (!u->has_dependencies) {
        diag_add(r->diag, W_FMU_RULE, n->span, "dependencies of '%s' are not indices of variables",
                 r->d->variables.at[u->variable].name);
        return;
    }
    for (uint32_t k = 0; k < count; k++) vec_push(r->arena, &r->d->dependencies, (uint32_t)numbers[k] - 1);
    u->count = count;
}

static void describe_structure_2(Describing *r, const XmlNode *root)
{
    const XmlNode *structure = xml_child(root, "ModelStructure");
    r->d->has_structure = structure != NULL;
    for (const XmlNode *list = structure ? structure->first : NULL; list; list = list->next)
        for (const XmlNode *n = list->first; n; n = n->next) {
            FmuUnknown u;
            describe_unknown_2(r, n, &u);
            if (u.variable == NONE_VARIABLE) continue;
            if (!strcmp(list->name, "Outputs"))
                vec_push(r->arena, &r->d->outputs, u);
            else if (!strcmp(list->name, "Derivatives"))
                vec_push(r->arena, &r->d->derivatives, u);
            else if (!strcmp(list->name, "InitialUnknowns"))
                vec_push(r->arena, &r->d->initial_unknowns, u);
        }
}

/* ---- kinds of interface of versions 1 and 2 -------------------------------------------------- */

static const Field kind_2_fields[] = {
    TEXT_FIELD(FmuInterface, "modelIdentifier", identifier),
    BOOL_FIELD(FmuInterface, "needsExecutionTool", needs_tool),
    BOOL_FIELD(FmuInterface, "completedIntegratorStepNotNeeded", no_completed_step),
    BOOL_FIELD(FmuInterface, "canBeInstantiatedOnlyOncePerProcess", only_once),
    BOOL_FIELD(FmuInterface, "canNotUseMemoryManagementFunctions", no_memory_functions),
    BOOL_FIELD(FmuInterface, "canGetAndSetFMUstate", can_save),
    BOOL_FIELD(FmuInterface, "canSerializeFMUstate", can_serialize),
    BOOL_FIELD(FmuInterface, "providesDirectionalDerivative", directional),
    BOOL_FIELD(FmuInterface, "canHandleVariableCommunicationStepSize", variable_step),
    BOOL_FIELD(FmuInterface, "canInterpolateInputs", interpolates_inputs),
    BOOL_FIELD(FmuInterface, "canRunAsynchronuously", asynchronous),
    UINT_FIELD(FmuInterface, "maxOutputDerivativeOrder", max_output_derivative),
};

void describe_kind(Describing *r, const XmlNode *node, const Field *fields, size_t n, FmuInterface *kind)
{
    if (!node) return;
    *kind = (FmuInterface){ .there = true, .identifier = "", .fixed_step = NAN, .span = node->span };
    describe_fields(r, node, fields, n, kind);
    kind->source_first = r->d->source_files.n;
    const XmlNode *files = xml_child(node, "SourceFiles");
    for (const XmlNode *f = files ? files->first : NULL; f; f = f->next) {
        const char *name = xml_attribute(f, "name");
        if (!name) continue;
        vec_push(r->arena, &r->d->source_files, name);
        kind->source_count++;
    }
    if (!*kind->identifier)
        diag_add(r->diag, E_FMU_RULE, node->span, "<%s> has no modelIdentifier", node->name);
}

static void describe_2(Describing *r, const XmlNode *root)
{
    describe_kind(r, xml_child(root, "ModelExchange"), kind_2_fields, COUNT_OF(kind_2_fields),
                  &r->d->kind[FMU_ME]);
    describe_kind(r, xml_child(root, "CoSimulation"), kind_2_fields, COUNT_OF(kind_2_fields),
                  &r->d->kind[FMU_CS]);
    describe_old_types(r, root);
    describe_old_variables(r, root);
    describe_structure_2(r, root);
    r->d->states = (long)r->d->derivatives.n;
}

static const Field capability_1_fields[] = {
    BOOL_FIELD(FmuInterface, "canHandleVariableCommunicationStepSize", variable_step),
    BOOL_FIELD(FmuInterface, "canInterpolateInputs", interpolates_inputs),
    BOOL_FIELD(FmuInterface, "canRunAsynchronuously", asynchronous),
    BOOL_FIELD(FmuInterface, "canBeInstantiatedOnlyOncePerProcess", only_once),
    BOOL_FIELD(FmuInterface, "canNotUseMemoryManagementFunctions", no_memory_functions),
    UINT_FIELD(FmuInterface, "maxOutputDerivativeOrder", max_output_derivative),
};

/* Version 1 is for co-simulation if it says how that is implemented, else for model exchange. */
static void describe_1(Describing *r, const XmlNode *root)
{
    const XmlNode *implementation = xml_child(root, "Implementation");
    const char *identifier = xml_attribute(root, "modelIdentifier");
    FmuInterface *kind = &r->d->kind[implementation ? FMU_CS : FMU_ME];
    *kind = (FmuInterface){
        .there = true, .identifier = identifier ? identifier : "", .fixed_step = NAN, .span = root->span
    };
    if (!identifier) diag_add(r->diag, E_FMU_RULE, root->span, "the description has no modelIdentifier");
    const XmlNode *how = implementation ? implementation->first : NULL;
    if (how) {
        const XmlNode *capabilities = xml_child(how, "Capabilities");
        kind->needs_tool = !strcmp(how->name, "CoSimulation_Tool");
        if (capabilities)
            describe_fields(r, capabilities, capability_1_fields, COUNT_OF(capability_1_fields), kind);
    }
    describe_old_types(r, root);
    describe_old_variables(r, root);
    if (r->d->states < 0) r->d->states = 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static const Field root_fields[] = {
    TEXT_FIELD(FmuDescription, "fmiVersion", fmi_version),
    TEXT_FIELD(FmuDescription, "modelName", model_name),
    TEXT_FIELD(FmuDescription, "guid", token),
    TEXT_FIELD(FmuDescription, "instantiationToken", token),
    TEXT_FIELD(FmuDescription, "description", description),
    TEXT_FIELD(FmuDescription, "author", author),
    TEXT_FIELD(FmuDescription, "version", model_version),
    TEXT_FIELD(FmuDescription, "copyright", copyright),
    TEXT_FIELD(FmuDescription, "license", license),
    TEXT_FIELD(FmuDescription, "generationTool", tool),
    TEXT_FIELD(FmuDescription, "generationDateAndTime", date),
    TEXT_FIELD(FmuDescription, "variableNamingConvention", naming),
    { "numberOfEventIndicators", FIELD_LONG, offsetof(FmuDescription, indicators), 0, NULL },
    { "numberOfContinuousStates", FIELD_LONG, offsetof(FmuDescription, states), 0, NULL },
};

/* A relative tolerance of 1 or more, or of nothing, is none. */
static void check_tolerance(Describing *r, const XmlNode *root)
{
    FmuDescription *d = r->d;
    d->stated_tolerance = d->tolerance;
    if (isnan(d->tolerance) || (d->tolerance > 0 && d->tolerance < 1)) return;
    diag_add(r->diag, W_FMU_RULE, root->span,
             "the tolerance %g of its experiment should be between 0 and 1; it is left out of account",
             d->tolerance);
    d->tolerance = NAN;
}

FmuDescription *fmu_describe(const Source *source, Arena *arena, Diag *diag)
{
    static void (*const versions[])(Describing *, const XmlNode *) = { NULL, describe_1, describe_2,
                                                                       describe_3 };
    uint32_t errors = diag->errors;
    XmlNode *root = xml_read(source, arena, diag);
    if (!root) return NULL;
    FmuDescription *d = NEW(arena, FmuDescription);
    *d = (FmuDescription){ .fmi_version = "",
                           .model_name = "",
                           .token = "",
                           .description = "",
                           .author = "",
                           .model_version = "",
                           .copyright = "",
                           .license = "",
                           .tool = "",
                           .date = "",
                           .naming = "flat",
                           .start = NAN,
                           .stop = NAN,
                           .tolerance = NAN,
                           .step = NAN,
                           .indicators = -1,
                           .states = -1 };
    Describing r = { .arena = arena, .diag = diag, .d = d, .by_vr.arena = arena };
    describe_fields(&r, root, root_fields, COUNT_OF(root_fields), d);
    char major = d->fmi_version[0];
    if (strcmp(root->name, "fmiModelDescription") != 0 || major < '1' || major > '3' ||
        d->fmi_version[1] != '.') {
        diag_add(diag, E_FMU_RULE, root->span,
                 "this is not the description of an FMU of version 1.0, 2.0 or 3.0");
        return NULL;
    }
    d->version = (FmiVersion)(major - '0');
    if (d->indicators < -1) d->indicators = -1;
    if (d->states > MOST_ELEMENTS || d->indicators > MOST_ELEMENTS) {
        diag_add(diag, E_FMU_RULE, root->span, "this many states or event indicators cannot be");
        return NULL;
    }
    describe_units(&r, root);
    describe_experiment(&r, root);
    check_tolerance(&r, root);
    describe_categories(&r, root);
    versions[d->version](&r, root);
    if (!d->kind[FMU_ME].there && !d->kind[FMU_CS].there && !d->kind[FMU_SE].there)
        diag_add(diag, E_FMU_RULE, root->span,
                 "the description offers neither model exchange nor co-simulation");
    return diag->errors == errors ? d : NULL;
}
