/* describe_3.c: modelDescription.xml of version 3.0: types by name of the element, arrays, clocks,
 * alias entries.
 *
 * The size of an array is the product of its dimensions, with the start values of structural
 * parameters. Tests: tests/fmi/describe_test.c. */
#include "fmi/inside.h"

#include <stdlib.h>

static const char *const base_names[FMU_TYPES] = { "Float32", "Float64", "Int8",   "UInt8",       "Int16",
                                                   "UInt16",  "Int32",   "UInt32", "Int64",       "UInt64",
                                                   "Boolean", "String",  "Binary", "Enumeration", "Clock" };

const char *fmu_base_name(FmuBase base, FmiVersion version)
{
    if (version < FMI_3 && base == FMU_FLOAT64) return "Real";
    if (version < FMI_3 && base == FMU_INT32) return "Integer";
    return base_names[base];
}

/* Of an element of ModelVariables ("Float64") or TypeDefinitions ("Float64Type"). */
static bool base_of(const char *name, const char *suffix, FmuBase *base)
{
    for (int i = 0; i < FMU_TYPES; i++) {
        size_t n = strlen(base_names[i]);
        if (!strncmp(name, base_names[i], n) && !strcmp(name + n, suffix)) return *base = (FmuBase)i, true;
    }
    return false;
}

static const Field kind_fields[] = {
    TEXT_FIELD(FmuInterface, "modelIdentifier", identifier),
    BOOL_FIELD(FmuInterface, "needsExecutionTool", needs_tool),
    BOOL_FIELD(FmuInterface, "canBeInstantiatedOnlyOncePerProcess", only_once),
    BOOL_FIELD(FmuInterface, "canGetAndSetFMUState", can_save),
    BOOL_FIELD(FmuInterface, "canSerializeFMUState", can_serialize),
    BOOL_FIELD(FmuInterface, "providesDirectionalDerivatives", directional),
    BOOL_FIELD(FmuInterface, "providesAdjointDerivatives", adjoint),
    BOOL_FIELD(FmuInterface, "providesPerElementDependencies", per_element),
    BOOL_FIELD(FmuInterface, "canHandleVariableCommunicationStepSize", variable_step),
    REAL_FIELD(FmuInterface, "fixedInternalStepSize", fixed_step),
    UINT_FIELD(FmuInterface, "maxOutputDerivativeOrder", max_output_derivative),
    BOOL_FIELD(FmuInterface, "providesIntermediateUpdate", intermediate_update),
    BOOL_FIELD(FmuInterface, "mightReturnEarlyFromDoStep", early_return),
    BOOL_FIELD(FmuInterface, "hasEventMode", event_mode),
};

static const Field type_fields[] = {
    TEXT_FIELD(FmuType, "name", name),
    TEXT_FIELD(FmuType, "description", description),
    TEXT_FIELD(FmuType, "quantity", quantity),
    TEXT_FIELD(FmuType, "unit", unit),
    TEXT_FIELD(FmuType, "displayUnit", display_unit),
    REAL_FIELD(FmuType, "min", min),
    REAL_FIELD(FmuType, "max", max),
    REAL_FIELD(FmuType, "nominal", nominal),
};

static void describe_types(Describing *r, const XmlNode *root)
{
    const XmlNode *list = xml_child(root, "TypeDefinitions");
    for (const XmlNode *n = list ? list->first : NULL; n; n = n->next) {
        FmuType type = { "", "", "", "", "", FMU_FLOAT64, NAN, NAN, NAN, r->d->items.n, 0 };
        if (!base_of(n->name, "Type", &type.base)) continue;
        describe_fields(r, n, type_fields, COUNT_OF(type_fields), &type);
        for (const XmlNode *c = n->first; c; c = c->next) {
            const char *name = xml_attribute(c, "name"), *value = xml_attribute(c, "value");
            const char *about = xml_attribute(c, "description");
            if (strcmp(c->name, "Item") != 0) continue;
            FmuItem item = { name ? name : "", about ? about : "", value ? strtoll(value, NULL, 10) : 0 };
            vec_push(r->arena, &r->d->items, item);
            type.item_count++;
        }
        describe_add_type(r, type);
    }
}

/* ---- variables ------------------------------------------------------------------------------- */

/* `derivative` is a value reference here; it is resolved when all variables are there. */
static const Field variable_fields[] = {
    TEXT_FIELD(FmuVariable, "name", name),
    TEXT_FIELD(FmuVariable, "description", description),
    UINT_FIELD(FmuVariable, "valueReference", vr),
    { "causality", FIELD_CHOICE, offsetof(FmuVariable, causality), offsetof(FmuVariable, has_causality),
      fmu_causalities },
    { "variability", FIELD_CHOICE, offsetof(FmuVariable, variability), offsetof(FmuVariable, has_variability),
      fmu_variabilities },
    { "initial", FIELD_CHOICE, offsetof(FmuVariable, initial), offsetof(FmuVariable, has_initial),
      fmu_initials },
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
    REAL_FIELD(FmuVariable, "intervalDecimal", interval),
    REAL_FIELD(FmuVariable, "shiftDecimal", shift),
    REAL_FIELD(FmuVariable, "resolution", resolution),
    REAL_FIELD(FmuVariable, "intervalCounter", interval_counter),
    REAL_FIELD(FmuVariable, "shiftCounter", shift_counter),
    TEXT_FIELD(FmuVariable, "intervalVariability", interval_variability),
};

static void describe_dimension(Describing *r, const XmlNode *n, uint32_t variable)
{
    const char *size = xml_attribute(n, "start"), *of = xml_attribute(n, "valueReference");
    FmuDimension dimension = { .is_variable = of != NULL };
    char *end = NULL;
    if (size || of) dimension.value = strtoull(size ? size : of, &end, 10);
    if (!end || *end || (size && of)) {
        diag_add(r->diag, E_FMU_RULE, n->span, "a dimension has either a start or a value reference");
        return;
    }
    FmuVariable *v = &r->d->variables.at[variable];
    if (!v->dimension_count) v->dimension_first = r->d->dimensions.n;
    v->dimension_count++;
    vec_push(r->arena, &r->d->dimensions, dimension);
}

/* <Alias name=...>: another name of the same variable. */
static void describe_alias(Describing *r, const XmlNode *n, uint32_t variable)
{
    const char *name = xml_attribute(n, "name"), *about = xml_attribute(n, "description"),
               *display = xml_attribute(n, "displayUnit");
    FmuVariable alias = r->d->variables.at[variable];
    if (!name || alias.elements > MOST_ELEMENTS - r->elements) return;
    r->elements += alias.elements;
    alias.name = name;
    alias.description = about ? about : "";
    if (display) alias.display_unit = display;
    alias.span = n->span;
    alias.alias = FMU_ALIAS;
    alias.is_alias_entry = true;
    alias.derivative_of = NONE_VARIABLE;
    vec_push(r->arena, &r->d->variables, alias);
}

static void describe_variable(Describing *r, const XmlNode *node, FmuBase base)
{
    uint32_t index = r->d->variables.n;
    FmuVariable *v = describe_new_variable(r, node);
    v->base = (uint8_t)base;
    describe_fields(r, node, variable_fields, COUNT_OF(variable_fields), v);
    if (v->resolution > 0 && isnan(v->interval)) v->interval = v->interval_counter / v->resolution;
    if (v->resolution > 0 && isnan(v->shift)) v->shift = v->shift_counter / v->resolution;
    if (base > FMU_FLOAT64 && !v->has_variability) v->variability = FMU_DISCRETE;
    if (v->causality <= FMU_STRUCTURAL_PARAMETER && !v->has_variability) v->variability = FMU_FIXED;
    if (!*v->name || !xml_attribute(node, "valueReference"))
        diag_add(r->diag, E_FMU_RULE, node->span, "a variable needs a name and a value reference");
    describe_from_type(r, v);
    bool is_new;
    uint64_t *at = map_put(&r->by_vr, v->vr, &is_new);
    if (is_new)
        *at = index + 1;
    else
        diag_add(r->diag, E_FMU_RULE, node->span, "'%s' has the value reference of '%s'", v->name,
                 r->d->variables.at[*at - 1].name);
    for (const XmlNode *c = node->first; c; c = c->next)
        if (!strcmp(c->name, "Dimension")) describe_dimension(r, c, index);
    for (const XmlNode *c = node->first; c; c = c->next)
        if (!strcmp(c->name, "Start") && !r->d->variables.at[index].start)
            r->d->variables.at[index].start = xml_attribute(c, "value");
}

static uint64_t size_of(Describing *r, const FmuDimension *dimension, Span span)
{
    if (!dimension->is_variable) return dimension->value;
    uint32_t at = describe_find(r, (uint32_t)dimension->value);
    const FmuVariable *v = at == NONE_VARIABLE ? NULL : &r->d->variables.at[at];
    if (v && v->start && v->base == FMU_UINT64) return strtoull(v->start, NULL, 10);
    diag_add(r->diag, E_FMU_RULE, span, "the size of an array has to be a UInt64 with a start value");
    return 1;
}

static void count_elements(Describing *r, FmuVariable *v)
{
    uint64_t elements = 1;
    for (uint32_t k = 0; k < v->dimension_count; k++) {
        FmuDimension *dimension = &r->d->dimensions.at[v->dimension_first + k];
        uint64_t size = dimension->size = size_of(r, dimension, v->span);
        elements = size && elements > UINT32_MAX / size ? UINT32_MAX : elements * size;
    }
    if (elements > MOST_ELEMENTS - r->elements) {
        diag_add(r->diag, E_FMU_RULE, v->span, "'%s' has too many elements: there may be %d in all", v->name,
                 MOST_ELEMENTS);
        elements = 0;
    }
    r->elements += elements;
    v->elements = (uint32_t)elements;
}

static void describe_variables(Describing *r, const XmlNode *root)
{
    const XmlNode *list = xml_child(root, "ModelVariables");
    FmuBase base;
    describe_reserve(r, list);
    for (const XmlNode *n = list ? list->first : NULL; n; n = n->next)
        if (base_of(n->name, "", &base)) describe_variable(r, n, base);
    for (uint32_t i = 0; i < r->d->variables.n; i++) {
        FmuVariable *v = &r->d->variables.at[i];
        count_elements(r, v);
        if (v->derivative_of == NONE_VARIABLE) continue;
        uint32_t of = describe_find(r, v->derivative_of);
        if (of == NONE_VARIABLE)
            diag_add(r->diag, E_FMU_RULE, v->span,
                     "'%s' is the derivative of %u, which is no value reference", v->name,
                     (unsigned)v->derivative_of);
        v->derivative_of = of;
    }
    uint32_t index = 0;
    for (const XmlNode *n = list ? list->first : NULL; n; n = n->next) {
        if (!base_of(n->name, "", &base)) continue;
        for (const XmlNode *c = n->first; c; c = c->next)
            if (!strcmp(c->name, "Alias")) describe_alias(r, c, index);
        index++;
    }
}

/* ---- structure ------------------------------------------------------------------------------- */

static bool describe_unknown(Describing *r, const XmlNode *n, FmuUnknown *u)
{
    const char *vr = xml_attribute(n, "valueReference"), *on = xml_attribute(n, "dependencies");
    char *end = NULL;
    unsigned long long value = vr ? strtoull(vr, &end, 10) : 0;
    *u = (FmuUnknown){ .variable = NONE_VARIABLE, .span = n->span, .first = r->d->dependencies.n };
    if (vr && end != vr && !*end && value <= UINT32_MAX) u->variable = describe_find(r, (uint32_t)value);
    if (u->variable == NONE_VARIABLE) {
        diag_add(r->diag, E_FMU_RULE, n->span, "<%s> needs the value reference of a variable", n->name);
        return false;
    }
    if (!on) return true;
    uint32_t room = (uint32_t)strlen(on) / 2 + 1, count;
    uint64_t *numbers = NEW_ARRAY(r->arena, uint64_t, room);
    u->has_dependencies = describe_numbers(r, n, "dependencies", numbers, &count, room);
    for (uint32_t k = 0; k < count && u->has_dependencies; k++) {
        uint32_t at = numbers[k] <= UINT32_MAX ? describe_find(r, (uint32_t)numbers[k]) : NONE_VARIABLE;
        if (at == NONE_VARIABLE) {
            diag_add(r->diag, W_FMU_RULE, n->span, "a dependency is no value reference");
            u->has_dependencies = false;
            u->count = 0;
            return true;
        }
        vec_push(r->arena, &r->d->dependencies, at);
        u->count++;
    }
    return true;
}

static void describe_structure(Describing *r, const XmlNode *root)
{
    const XmlNode *structure = xml_child(root, "ModelStructure");
    FmuDescription *d = r->d;
    FmuUnknown u;
    d->has_structure = structure != NULL;
    for (const XmlNode *n = structure ? structure->first : NULL; n; n = n->next) {
        if (!strcmp(n->name, "Annotations") || !describe_unknown(r, n, &u)) continue;
        if (!strcmp(n->name, "Output"))
            vec_push(r->arena, &d->outputs, u);
        else if (!strcmp(n->name, "ContinuousStateDerivative"))
            vec_push(r->arena, &d->derivatives, u);
        else if (!strcmp(n->name, "InitialUnknown"))
            vec_push(r->arena, &d->initial_unknowns, u);
        else if (!strcmp(n->name, "EventIndicator"))
            vec_push(r->arena, &d->event_indicators, u);
        else if (!strcmp(n->name, "ClockedState"))
            vec_push(r->arena, &d->clocked_states, u);
    }
    d->states = d->indicators = 0;
    for (uint32_t i = 0; i < d->derivatives.n; i++)
        d->states += (long)d->variables.at[d->derivatives.at[i].variable].elements;
    for (uint32_t i = 0; i < d->event_indicators.n; i++)
        d->indicators += (long)d->variables.at[d->event_indicators.at[i].variable].elements;
}

void describe_3(Describing *r, const XmlNode *root)
{
    static const char *const kinds[] = { "ModelExchange", "CoSimulation", "ScheduledExecution" };
    for (int k = 0; k < FMU_KINDS; k++)
        describe_kind(r, xml_child(root, kinds[k]), kind_fields, COUNT_OF(kind_fields), &r->d->kind[k]);
    describe_types(r, root);
    describe_variables(r, root);
    describe_structure(r, root);
}
