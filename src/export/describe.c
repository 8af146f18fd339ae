/* describe.c: modelDescription.xml of FMI 2.0 and 3.0.
 *
 * The versions differ in words (the tables below), in the place of types, in what numbers variables
 * (by their place in 2.0, by value reference in 3.0), and in that 3.0 has arrays as variables with
 * dimensions, aliases inside of what they share their value with, and each event indicator as a
 * variable. Tests: tests/cli/export.sh, by the rules that `acausal fmu validate` knows. */
#include "export/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *const causality_words[] = { "parameter", "calculatedParameter", "input", "output",
                                               "local",     "independent" };
static const char *const variability_words[] = { "constant", "fixed", "tunable", "discrete", "continuous" };
static const char *const initial_words[] = { "", "exact", "approx", "calculated" };

/* By version: 2.0, 3.0. */
static const char *const type_words[][5] = { { "Real", "Integer", "Boolean", "Enumeration", "String" },
                                             { "Float64", "Int32", "Boolean", "Enumeration", "String" } };
static const char *const token_words[] = { "guid", "instantiationToken" };
static const char *const state_words[] = { " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"",
                                           " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"" };
static const char *const product_words[] = {
    " providesDirectionalDerivative=\"true\"",
    " providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\""
};
static const char *const completed_words[][2] = { { " completedIntegratorStepNotNeeded=\"true\"", "" },
                                                  { " needsCompletedIntegratorStep=\"false\"",
                                                    " needsCompletedIntegratorStep=\"true\"" } };
static const char *const always_words[] = { " canNotUseMemoryManagementFunctions=\"true\"", "" };
static const char *const step_words[] = {
    " canHandleVariableCommunicationStepSize=\"true\"",
    " canHandleVariableCommunicationStepSize=\"true\" hasEventMode=\"true\""
};

static int version(const Exporting *x) { return x->options->version == 2 ? 0 : 1; }

void export_attribute(Text *out, const char *name, const char *value)
{
    if (!*value) return;
    text_printf(out, " %s=\"", name);
    text_add_xml(out, value);
    text_add_char(out, '"');
}

void export_number(Text *out, const char *name, double value)
{
    if (isnan(value)) return;
    text_printf(out, " %s=\"", name);
    text_add_real(out, value);
    text_add_char(out, '"');
}

/* ---- what it can do -------------------------------------------------------------------------- */

static void add_kind(Exporting *x, bool is_slave, Text *out)
{
    const RunModel *m = x->run;
    const char *names[200], *word = is_slave ? "CoSimulation" : "ModelExchange";
    uint32_t n = x->options->sources && version(x) == 0 ? export_source_files(x, names, 200) : 0;
    bool completes = m->tearing_count || m->history_count || m->warnings;
    text_printf(out, "  <%s", word);
    export_attribute(out, "modelIdentifier", x->identifier);
    if (!is_slave) text_printf(out, "%s", completed_words[version(x)][completes]);
    if (is_slave) text_printf(out, "%s", step_words[version(x)]);
    if (!x->has_objects) text_printf(out, "%s", state_words[version(x)]);
    text_printf(out, "%s", always_words[version(x)]);
    if (x->has_products) text_printf(out, "%s", product_words[version(x)]);
    if (n) text_add_literal(out, ">\n    <SourceFiles>\n");
    for (uint32_t k = 0; k < n; k++) text_printf(out, "      <File name=\"%s\"/>\n", names[k]);
    if (n)
        text_printf(out, "    </SourceFiles>\n  </%s>\n", word);
    else
        text_add_literal(out, "/>\n");
}

/* ---- types ----------------------------------------------------------------------------------- */

static void add_type(Exporting *x, const ExportType *t, Text *out)
{
    int v = version(x);
    const char *word = arena_printf(x->arena, "%s%s", type_words[v][t->type], v ? "Type" : "");
    text_printf(out, "    <%s", v ? word : "SimpleType");
    export_attribute(out, "name", t->name);
    if (!v) text_printf(out, "><%s", word);
    if (t->type == VARIABLE_REAL) {
        export_attribute(out, "quantity", t->quantity);
        export_attribute(out, "unit", t->unit);
        if (*t->unit) export_attribute(out, "displayUnit", t->display_unit);
    }
    if (t->type == VARIABLE_REAL || t->type == VARIABLE_INTEGER) {
        export_number(out, "min", t->min);
        export_number(out, "max", t->max);
    }
    if (t->def == NONE) {
        text_printf(out, v ? "/>\n" : "/></SimpleType>\n");
        return;
    }
    text_add_literal(out, ">\n");
    for (uint32_t k = 0; k < x->s->flat->defs.at[t->def].fields.n; k++) {
        text_add_literal(out, "      <Item");
        export_attribute(out, "name", x->s->flat->defs.at[t->def].fields.at[k].name);
        text_printf(out, " value=\"%u\"/>\n", (unsigned)k + 1);
    }
    text_printf(out, "    </%s>%s", word, v ? "\n" : "</SimpleType>\n");
}

static void add_types(Exporting *x, Text *out)
{
    if (x->types.n) text_add_literal(out, "  <TypeDefinitions>\n");
    for (uint32_t k = 0; k < x->types.n; k++) add_type(x, &x->types.at[k], out);
    if (x->types.n) text_add_literal(out, "  </TypeDefinitions>\n");
}

/* ---- variables ------------------------------------------------------------------------------- */

static void add_value(const ExportVariable *v, double value, Text *out)
{
    switch (v->type) {
    case VARIABLE_BOOLEAN: text_printf(out, "%s", value != 0 ? "true" : "false"); break;
    case VARIABLE_INTEGER:
    case VARIABLE_ENUMERATION: text_printf(out, "%.0f", value); break;
    default: text_add_real(out, value); break;
    }
}

static bool has_start(const ExportVariable *v)
{
    return v->initial == INITIAL_EXACT || v->initial == INITIAL_APPROX || v->causality == CAUSALITY_INPUT;
}

static void add_start(Exporting *x, const ExportVariable *v, Text *out)
{
    bool is_text = v->type == VARIABLE_STRING;
    if (!has_start(v) || (is_text && version(x))) return;
    text_add_literal(out, " start=\"");
    for (uint32_t k = 0; k < v->n; k++) {
        if (k) text_add_char(out, ' ');
        if (is_text)
            text_add_xml(out, x->texts.at[v->first + k]);
        else
            add_value(v, x->starts.at[v->first + k], out);
    }
    text_add_char(out, '"');
}

/* What 2.0 says in the element of the variable, and 3.0 too. */
static void add_head(const ExportVariable *v, Text *out)
{
    export_attribute(out, "name", v->name);
    text_printf(out, " valueReference=\"%u\"", (unsigned)v->reference);
    export_attribute(out, "description", v->about);
    export_attribute(out, "causality", causality_words[v->causality]);
    export_attribute(out, "variability", variability_words[v->variability]);
    if (v->causality != CAUSALITY_INDEPENDENT) export_attribute(out, "initial", initial_words[v->initial]);
}

/* And in that of its type. */
static void add_rest(Exporting *x, const ExportVariable *v, Text *out)
{
    if (v->declared != NONE) export_attribute(out, "declaredType", x->types.at[v->declared].name);
    if (v->type == VARIABLE_REAL) {
        export_attribute(out, "quantity", v->quantity);
        export_attribute(out, "unit", v->unit);
        if (*v->unit) export_attribute(out, "displayUnit", v->display_unit);
    }
    export_number(out, "min", v->min);
    export_number(out, "max", v->max);
    export_number(out, "nominal", v->nominal);
    add_start(x, v, out);
    if (v->derivative_of == NONE) return;
    text_printf(out, " derivative=\"%u\"",
                version(x) ? (unsigned)x->variables.at[v->derivative_of].reference
                           : (unsigned)v->derivative_of + 1);
}

static void add_aliases(Exporting *x, uint32_t k, const uint32_t *next, Text *out)
{
    for (uint32_t a = next[k]; a; a = next[a - 1]) {
        const ExportVariable *v = &x->variables.at[a - 1];
        text_add_literal(out, "<Alias");
        export_attribute(out, "name", v->name);
        export_attribute(out, "description", v->about);
        if (v->type == VARIABLE_REAL && *v->display_unit && !strcmp(v->unit, x->variables.at[k].unit))
            export_attribute(out, "displayUnit", v->display_unit);
        text_add_literal(out, "/>");
    }
}

static void add_scalar(Exporting *x, uint32_t k, Text *out)
{
    const ExportVariable *v = &x->variables.at[k];
    text_add_literal(out, "    <ScalarVariable");
    add_head(v, out);
    text_printf(out, "><%s", type_words[0][v->type]);
    add_rest(x, v, out);
    text_add_literal(out, "/></ScalarVariable>\n");
}

static void add_variable(Exporting *x, uint32_t k, const uint32_t *next, Text *out)
{
    const ExportVariable *v = &x->variables.at[k];
    const char *word = type_words[1][v->type];
    text_printf(out, "    <%s", word);
    add_head(v, out);
    add_rest(x, v, out);
    bool has_text = v->type == VARIABLE_STRING && has_start(v);
    if (!v->rank && !next[k] && !has_text) {
        text_add_literal(out, "/>\n");
        return;
    }
    text_add_char(out, '>');
    for (uint32_t d = 0; d < v->rank; d++) text_printf(out, "<Dimension start=\"%d\"/>", (int)v->sizes[d]);
    for (uint32_t e = 0; has_text && e < v->n; e++) {
        text_add_literal(out, "<Start value=\"");
        text_add_xml(out, x->texts.at[v->first + e]);
        text_add_literal(out, "\"/>");
    }
    add_aliases(x, k, next, out);
    text_printf(out, "</%s>\n", word);
}

/* By variable: the next alias of the same one + 1. */
static uint32_t *list_aliases(Exporting *x)
{
    uint32_t *next = NEW_ARRAY(x->arena, uint32_t, x->variables.n + 1);
    for (uint32_t k = x->variables.n; k-- > 0;) {
        uint32_t of = x->variables.at[k].alias_of;
        if (of == NONE) continue;
        next[k] = next[of];
        next[of] = k + 1;
    }
    return next;
}

static void add_variables(Exporting *x, Text *out)
{
    const uint32_t *next = version(x) ? list_aliases(x) : NULL;
    text_add_literal(out, "  <ModelVariables>\n");
    for (uint32_t k = 0; k < x->variables.n; k++)
        if (!next)
            add_scalar(x, k, out);
        else if (x->variables.at[k].alias_of == NONE)
            add_variable(x, k, next, out);
    text_add_literal(out, "  </ModelVariables>\n");
}

/* ---- structure ------------------------------------------------------------------------------- */

/* The number by which the structure names a variable. */
static uint32_t number_of(const Exporting *x, uint32_t k)
{
    return version(x) ? x->variables.at[k].reference : k + 1;
}

static uint32_t known_variable(const Exporting *x, const Structure *s, uint32_t known)
{
    if (known < x->s->states.n) return x->state_variable[known];
    uint32_t found = s->variable_of[s->inputs[known - x->s->states.n]];
    return found ? found - 1 : NONE;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] < y[0] ? -1 : x[0] > y[0];
}

/* What the elements of a variable depend on; the strongest kind counts. */
static void add_dependencies(Exporting *x, const Structure *s, const ExportVariable *v, Text *out)
{
    uint32_t total = 0, n = 0, m = 0;
    for (uint32_t e = 0; e < v->n; e++) total += s->of[x->extended.at[x->elements.at[v->first + e]].var].n;
    uint32_t(*list)[2] = arena_alloc(x->arena, ((size_t)total + 1) * sizeof *list);
    for (uint32_t e = 0; e < v->n; e++) {
        const Dependences *d = &s->of[x->extended.at[x->elements.at[v->first + e]].var];
        for (uint32_t j = 0; j < d->n; j++) {
            uint32_t known = known_variable(x, s, d->at[j].known);
            if (known == NONE) continue;
            list[n][0] = number_of(x, known), list[n++][1] = d->at[j].kind;
        }
    }
    if (n) qsort(list, n, sizeof *list, by_number);
    for (uint32_t k = 0; k < n; k++) {
        if (m && list[m - 1][0] == list[k][0]) {
            if (list[k][1] > list[m - 1][1]) list[m - 1][1] = list[k][1];
            continue;
        }
        list[m][0] = list[k][0], list[m++][1] = list[k][1];
    }
    text_add_literal(out, " dependencies=\"");
    for (uint32_t k = 0; k < m; k++) text_printf(out, "%s%u", k ? " " : "", (unsigned)list[k][0]);
    text_add_literal(out, "\"");
    if (m) text_add_literal(out, " dependenciesKind=\"");
    for (uint32_t k = 0; k < m; k++) text_printf(out, "%s%s", k ? " " : "", export_kinds[list[k][1]]);
    if (m) text_add_literal(out, "\"");
}

/* The lists of a structure, in the order of both versions. */
typedef enum { LIST_OUTPUTS, LIST_DERIVATIVES, LIST_INITIAL, LIST_INDICATORS, LIST_COUNT } List;
static const struct {
    const char *around, *unknown; /* 2.0: the list; 3.0: each of its elements */
    bool has_dependencies;
} lists[LIST_COUNT] = { { "Outputs", "Output", true },
                        { "Derivatives", "ContinuousStateDerivative", true },
                        { "InitialUnknowns", "InitialUnknown", false },
                        { NULL, "EventIndicator", false } };

static bool is_in(const ExportVariable *v, List list)
{
    bool is_calculated = v->initial == INITIAL_CALCULATED || v->initial == INITIAL_APPROX;
    switch (list) {
    case LIST_OUTPUTS: return v->causality == CAUSALITY_OUTPUT;
    case LIST_INITIAL:
        return is_calculated && v->alias_of == NONE &&
               (v->causality == CAUSALITY_OUTPUT || v->causality == CAUSALITY_CALCULATED ||
                v->state != NONE || v->derivative_of != NONE);
    case LIST_INDICATORS: return v->is_indicator;
    default: return false;
    }
}

static void add_unknown(Exporting *x, const Structure *s, List list, uint32_t k, Text *out)
{
    const ExportVariable *v = &x->variables.at[k];
    if (version(x))
        text_printf(out, "    <%s valueReference=\"%u\"", lists[list].unknown, (unsigned)number_of(x, k));
    else
        text_printf(out, "      <Unknown index=\"%u\"", (unsigned)number_of(x, k));
    if (lists[list].has_dependencies && v->variability == IS_CONTINUOUS) add_dependencies(x, s, v, out);
    text_add_literal(out, "/>\n");
}

static void add_list(Exporting *x, const Structure *s, List list, Text *out)
{
    Text inner = { .arena = x->arena };
    if (list == LIST_DERIVATIVES) /* in the order of states */
        for (uint32_t k = 0; k < x->s->states.n; k += x->variables.at[x->rate_variable[k]].n)
            add_unknown(x, s, list, x->rate_variable[k], &inner);
    for (uint32_t k = 0; k < x->variables.n; k++)
        if (is_in(&x->variables.at[k], list)) add_unknown(x, s, list, k, &inner);
    if (!inner.n) return;
    if (!version(x)) text_printf(out, "    <%s>\n", lists[list].around);
    text_add(out, (Str){ inner.at, inner.n });
    if (!version(x)) text_printf(out, "    </%s>\n", lists[list].around);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The clock is not asked, so that a model makes the same FMU tomorrow; who wants a date gives
 * it, as usual for builds that can be repeated. */
static void add_date(Text *out)
{
    char date[64], *end;
    const char *given = getenv("SOURCE_DATE_EPOCH");
    struct tm parts;
    if (!given || !*given) return;
    time_t clock = (time_t)strtoll(given, &end, 10);
    if (*end || !gmtime_r(&clock, &parts)) return;
    if (strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts))
        export_attribute(out, "generationDateAndTime", date);
}

static void add_opening(Exporting *x, Text *out)
{
    text_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%d.0\"",
                x->options->version);
    export_attribute(out, "modelName", x->shape->name);
    export_attribute(out, token_words[version(x)], x->token);
    export_attribute(out, "description", x->options->about);
    export_attribute(out, "generationTool", "Acausal " ACAUSAL_VERSION);
    add_date(out);
    text_add_literal(out, " variableNamingConvention=\"structured\"");
    if (!version(x)) text_printf(out, " numberOfEventIndicators=\"%u\"", (unsigned)x->run->indicator_count);
    text_add_literal(out, ">\n");
}

/* Those of unit/: one a status, and what the model says. */
static void add_categories(Text *out)
{
    static const char *const names[] = { "logEvents",        "logStatusOK",    "logStatusWarning",
                                         "logStatusDiscard", "logStatusError", "logStatusFatal" };
    text_add_literal(out, "  <LogCategories>\n");
    for (size_t k = 0; k < COUNT_OF(names); k++) text_printf(out, "    <Category name=\"%s\"/>\n", names[k]);
    text_add_literal(out, "  </LogCategories>\n");
}

void export_describe(Exporting *x, const Structure *s, Text *out)
{
    const ExportOptions *o = x->options;
    add_opening(x, out);
    if (o->exchange) add_kind(x, false, out);
    if (o->cosimulation) add_kind(x, true, out);
    export_units(x, out);
    add_types(x, out);
    add_categories(out);
    text_add_literal(out, "  <DefaultExperiment");
    export_number(out, "startTime", o->start);
    export_number(out, "stopTime", o->stop);
    export_number(out, "tolerance", o->tolerance);
    export_number(out, "stepSize", o->interval);
    text_add_literal(out, "/>\n");
    add_variables(x, out);
    text_add_literal(out, "  <ModelStructure>\n");
    for (int list = 0; list < (version(x) ? LIST_COUNT : LIST_INDICATORS); list++)
        add_list(x, s, (List)list, out);
    text_add_literal(out, "  </ModelStructure>\n</fmiModelDescription>\n");
}
