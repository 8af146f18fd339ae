/* describe_3.c: modelDescription.xml of FMI 3.0. Arrays are variables with dimensions, aliases are listed inside of what they share their value
 * with, and each event indicator is a variable.
 *
 * Tests: tests/cli/export.sh, by the rules that `acausal fmu validate` knows. */
#include "export/inside.h"

#include <math.h>
#include <stdlib.h>

static void add_kind(Exporting *x, bool is_slave, Text *out)
{
    const RunModel *m = x->run;
    text_printf(out, "  <%s", is_slave ? "CoSimulation" : "ModelExchange");
    export_attribute(out, "modelIdentifier", x->identifier);
    if (!x->has_objects)
        text_add_literal(out, " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"");
    if (x->has_products)
        text_add_literal(out, " providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"");
    if (!is_slave && (m->guesses || m->delay_count || m->warnings))
        text_add_literal(out, " needsCompletedIntegratorStep=\"true\"");
    if (!is_slave && !m->guesses && !m->delay_count && !m->warnings)
        text_add_literal(out, " needsCompletedIntegratorStep=\"false\"");
    if (is_slave)
        text_add_literal(out, " canHandleVariableCommunicationStepSize=\"true\" hasEventMode=\"true\"");
    text_add_literal(out, "/>\n");
}

static void add_types(Exporting *x, Text *out)
{
    const Flat *flat = x->s->flat;
    uint8_t *is_used = NEW_ARRAY(x->arena, uint8_t, flat->defs.n + 1), any = 0;
    for (uint32_t k = 0; k < x->variables.n; k++)
        if (x->variables.at[k].def != NONE) is_used[x->variables.at[k].def] = any = 1;
    if (!any) return;
    text_add_literal(out, "  <TypeDefinitions>\n");
    for (DefId d = 0; d < flat->defs.n; d++) {
        if (!is_used[d]) continue;
        text_add_literal(out, "    <EnumerationType");
        export_attribute(out, "name", flat->defs.at[d].name);
        text_add_literal(out, ">\n");
        for (uint32_t k = 0; k < flat->defs.at[d].fields.n; k++) {
            text_add_literal(out, "      <Item");
            export_attribute(out, "name", flat->defs.at[d].fields.at[k].name);
            text_printf(out, " value=\"%u\"/>\n", (unsigned)k + 1);
        }
        text_add_literal(out, "    </EnumerationType>\n");
    }
    text_add_literal(out, "  </TypeDefinitions>\n");
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

static void add_variable(Exporting *x, uint32_t k, const uint32_t *next, Text *out)
{
    static const char *const types[] = { "Float64", "Int32", "Boolean", "Enumeration", "String" };
    const ExportVariable *v = &x->variables.at[k];
    text_printf(out, "    <%s", types[v->type]);
    export_attribute(out, "name", v->name);
    text_printf(out, " valueReference=\"%u\"", (unsigned)v->reference);
    export_attribute(out, "description", v->about);
    export_attribute(out, "causality", causality_words[v->causality]);
    export_attribute(out, "variability", variability_words[v->variability]);
    if (v->causality != CAUSALITY_INDEPENDENT) export_attribute(out, "initial", initial_words[v->initial]);
    if (v->def != NONE) export_attribute(out, "declaredType", x->s->flat->defs.at[v->def].name);
    if (v->type == VARIABLE_REAL) {
        export_attribute(out, "quantity", v->quantity);
        export_attribute(out, "unit", v->unit);
        if (*v->unit) export_attribute(out, "displayUnit", v->display_unit);
    }
    export_number(out, "min", v->min);
    export_number(out, "max", v->max);
    export_number(out, "nominal", v->nominal);
    export_start(x, v, out);
    if (v->derivative_of != NONE)
        text_printf(out, " derivative=\"%u\"", (unsigned)x->variables.at[v->derivative_of].reference);
    bool has_text = v->type == VARIABLE_STRING && v->initial == INITIAL_EXACT;
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
    text_printf(out, "</%s>\n", types[v->type]);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] < y[0] ? -1 : x[0] > y[0];
}

/* What the elements of a variable depend on, by value reference; the strongest kind counts. */
static void add_dependencies(Exporting *x, const Structure *s, const ExportVariable *v, Text *out)
{
    uint32_t total = 0, n = 0, m = 0;
    for (uint32_t e = 0; e < v->n; e++) total += s->of[x->extended.at[x->elements.at[v->first + e]].var].n;
    uint32_t(*list)[2] = arena_alloc(x->arena, ((size_t)total + 1) * sizeof *list);
    for (uint32_t e = 0; e < v->n; e++) {
        const Dependences *d = &s->of[x->extended.at[x->elements.at[v->first + e]].var];
        for (uint32_t j = 0; j < d->n; j++) {
            uint32_t known = export_known_variable(x, s, d->at[j].known);
            if (known == NONE) continue;
            list[n][0] = x->variables.at[known].reference, list[n++][1] = d->at[j].kind;
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

static bool is_unknown_at_start(const ExportVariable *v)
{
    if (v->initial != INITIAL_CALCULATED && v->initial != INITIAL_APPROX) return false;
    return v->causality == CAUSALITY_OUTPUT || v->causality == CAUSALITY_CALCULATED || v->state != NONE ||
           v->derivative_of != NONE;
}

static void add_unknown(Exporting *x, const Structure *s, const char *word, uint32_t k, Text *out)
{
    const ExportVariable *v = &x->variables.at[k];
    text_printf(out, "    <%s valueReference=\"%u\"", word, (unsigned)v->reference);
    if (s && v->variability == IS_CONTINUOUS) add_dependencies(x, s, v, out);
    text_add_literal(out, "/>\n");
}

static void add_structure(Exporting *x, const Structure *s, Text *out)
{
    text_add_literal(out, "  <ModelStructure>\n");
    for (uint32_t k = 0; k < x->variables.n; k++)
        if (x->variables.at[k].causality == CAUSALITY_OUTPUT) add_unknown(x, s, "Output", k, out);
    for (uint32_t k = 0; k < x->s->states.n; k += x->variables.at[x->rate_variable[k]].n)
        add_unknown(x, s, "ContinuousStateDerivative", x->rate_variable[k], out);
    for (uint32_t k = 0; k < x->variables.n; k++)
        if (is_unknown_at_start(&x->variables.at[k]) && x->variables.at[k].alias_of == NONE)
            add_unknown(x, NULL, "InitialUnknown", k, out);
    for (uint32_t k = 0; k < x->variables.n; k++)
        if (x->variables.at[k].is_indicator) add_unknown(x, NULL, "EventIndicator", k, out);
    text_add_literal(out, "  </ModelStructure>\n");
}

void export_describe_3(Exporting *x, const Structure *s, Text *out)
{
    const ExportOptions *o = x->options;
    text_add_literal(out,
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"3.0\"");
    export_attribute(out, "modelName", x->shape->name);
    export_attribute(out, "instantiationToken", x->token);
    export_attribute(out, "description", o->about);
    text_printf(out,
                " generationTool=\"Acausal %s\" generationDateAndTime=\"%s\" "
                "variableNamingConvention=\"structured\">\n",
                ACAUSAL_VERSION, export_time(x->arena));
    if (o->exchange) add_kind(x, false, out);
    if (o->cosimulation) add_kind(x, true, out);
    export_units(x, out);
    add_types(x, out);
    text_add_literal(out, "  <LogCategories>\n");
    export_categories(out);
    text_add_literal(out, "  </LogCategories>\n  <DefaultExperiment");
    export_number(out, "startTime", o->start);
    export_number(out, "stopTime", o->stop);
    export_number(out, "tolerance", o->tolerance);
    export_number(out, "stepSize", o->interval);
    text_add_literal(out, "/>\n  <ModelVariables>\n");
    uint32_t *next =
        NEW_ARRAY(x->arena, uint32_t, x->variables.n + 1); /* lists of aliases, by variable + 1 */
    for (uint32_t k = x->variables.n; k-- > 0;) {
        uint32_t of = x->variables.at[k].alias_of;
        if (of == NONE) continue;
        next[k] = next[of];
        next[of] = k + 1;
    }
    for (uint32_t k = 0; k < x->variables.n; k++)
        if (x->variables.at[k].alias_of == NONE) add_variable(x, k, next, out);
    text_add_literal(out, "  </ModelVariables>\n");
    add_structure(x, s, out);
    text_add_literal(out, "</fmiModelDescription>\n");
}
