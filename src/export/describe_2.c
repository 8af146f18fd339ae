/* describe_2.c: modelDescription.xml of FMI 2.0.
 *
 * Tests: tests/cli/export.sh, by the rules that `acausal fmu validate` knows. */
#include "export/inside.h"

#include <math.h>
#include <stdlib.h>

static void add_kind(Exporting *x, bool is_slave, Text *out)
{
    const RunModel *m = x->run;
    const char *names[200];
    uint32_t n = x->options->sources ? export_source_files(x, names, 200) : 0;
    text_printf(out, "  <%s", is_slave ? "CoSimulation" : "ModelExchange");
    export_attribute(out, "modelIdentifier", x->identifier);
    if (!is_slave && !m->guesses && !m->delay_count && !m->warnings)
        text_add_literal(out, " completedIntegratorStepNotNeeded=\"true\"");
    if (is_slave) text_add_literal(out, " canHandleVariableCommunicationStepSize=\"true\"");
    if (!x->has_objects)
        text_add_literal(out, " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"");
    text_add_literal(out, " canNotUseMemoryManagementFunctions=\"true\"");
    if (x->has_products) text_add_literal(out, " providesDirectionalDerivative=\"true\"");
    if (n) text_add_literal(out, ">\n    <SourceFiles>\n");
    for (uint32_t k = 0; k < n; k++) text_printf(out, "      <File name=\"%s\"/>\n", names[k]);
    if (n)
        text_printf(out, "    </SourceFiles>\n  </%s>\n", is_slave ? "CoSimulation" : "ModelExchange");
    else
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
        text_add_literal(out, "    <SimpleType");
        export_attribute(out, "name", flat->defs.at[d].name);
        text_add_literal(out, ">\n      <Enumeration>\n");
        for (uint32_t k = 0; k < flat->defs.at[d].fields.n; k++) {
            text_add_literal(out, "        <Item");
            export_attribute(out, "name", flat->defs.at[d].fields.at[k].name);
            text_printf(out, " value=\"%u\"/>\n", (unsigned)k + 1);
        }
        text_add_literal(out, "      </Enumeration>\n    </SimpleType>\n");
    }
    text_add_literal(out, "  </TypeDefinitions>\n");
}

static void add_variable(Exporting *x, const ExportVariable *v, Text *out)
{
    static const char *const types[] = { "Real", "Integer", "Boolean", "Enumeration", "String" };
    text_add_literal(out, "    <ScalarVariable");
    export_attribute(out, "name", v->name);
    text_printf(out, " valueReference=\"%u\"", (unsigned)v->reference);
    export_attribute(out, "description", v->about);
    export_attribute(out, "causality", causality_words[v->causality]);
    export_attribute(out, "variability", variability_words[v->variability]);
    export_attribute(out, "initial", initial_words[v->initial]);
    text_printf(out, "><%s", types[v->type]);
    if (v->def != NONE) export_attribute(out, "declaredType", x->s->flat->defs.at[v->def].name);
    if (v->type == VARIABLE_REAL) {
        export_attribute(out, "quantity", v->quantity);
        export_attribute(out, "unit", v->unit);
        if (*v->unit) export_attribute(out, "displayUnit", v->display_unit);
    }
    export_number(out, "min", v->min);
    export_number(out, "max", v->max);
    export_number(out, "nominal", v->nominal);
    if (v->type == VARIABLE_STRING && v->initial == INITIAL_EXACT) {
        text_add_literal(out, " start=\"");
        text_add_xml(out, x->texts.at[v->first]);
        text_add_char(out, '"');
    }
    export_start(x, v, out);
    if (v->derivative_of != NONE) text_printf(out, " derivative=\"%u\"", (unsigned)v->derivative_of + 1);
    text_add_literal(out, "/></ScalarVariable>\n");
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] < y[0] ? -1 : x[0] > y[0];
}

static void add_unknown(Exporting *x, const Structure *s, uint32_t k, bool with_dependencies, Text *out)
{
    const ExportVariable *v = &x->variables.at[k];
    const Dependences *d = &s->of[x->extended.at[x->elements.at[v->first]].var];
    text_printf(out, "      <Unknown index=\"%u\"", (unsigned)k + 1);
    if (with_dependencies && v->variability == IS_CONTINUOUS) {
        uint32_t(*list)[2] = arena_alloc(x->arena, (d->n + 1) * sizeof *list), n = 0;
        for (uint32_t j = 0; j < d->n; j++) {
            uint32_t known = export_known_variable(x, s, d->at[j].known);
            if (known == NONE) continue;
            list[n][0] = known + 1, list[n++][1] = d->at[j].kind;
        }
        if (n) qsort(list, n, sizeof *list, by_number);
        text_add_literal(out, " dependencies=\"");
        for (uint32_t j = 0; j < n; j++) text_printf(out, "%s%u", j ? " " : "", (unsigned)list[j][0]);
        text_add_literal(out, "\"");
        if (n) text_add_literal(out, " dependenciesKind=\"");
        for (uint32_t j = 0; j < n; j++) text_printf(out, "%s%s", j ? " " : "", export_kinds[list[j][1]]);
        if (n) text_add_literal(out, "\"");
    }
    text_add_literal(out, "/>\n");
}

static bool is_unknown_at_start(const ExportVariable *v)
{
    if (v->initial != INITIAL_CALCULATED && v->initial != INITIAL_APPROX) return false;
    return v->causality == CAUSALITY_OUTPUT || v->causality == CAUSALITY_CALCULATED || v->state != NONE ||
           v->derivative_of != NONE;
}

static void add_structure(Exporting *x, const Structure *s, Text *out)
{
    uint32_t outputs = 0, starts = 0;
    text_add_literal(out, "  <ModelStructure>\n");
    for (uint32_t k = 0; k < x->variables.n; k++) {
        if (x->variables.at[k].causality != CAUSALITY_OUTPUT) continue;
        if (!outputs++) text_add_literal(out, "    <Outputs>\n");
        add_unknown(x, s, k, true, out);
    }
    if (outputs) text_add_literal(out, "    </Outputs>\n");
    if (x->s->states.n) text_add_literal(out, "    <Derivatives>\n");
    for (uint32_t k = 0; k < x->s->states.n; k++) add_unknown(x, s, x->rate_variable[k], true, out);
    if (x->s->states.n) text_add_literal(out, "    </Derivatives>\n");
    for (uint32_t k = 0; k < x->variables.n; k++) {
        if (!is_unknown_at_start(&x->variables.at[k]) || x->variables.at[k].alias_of != NONE) continue;
        if (!starts++) text_add_literal(out, "    <InitialUnknowns>\n");
        add_unknown(x, s, k, false, out);
    }
    if (starts) text_add_literal(out, "    </InitialUnknowns>\n");
    text_add_literal(out, "  </ModelStructure>\n");
}

void export_describe_2(Exporting *x, const Structure *s, Text *out)
{
    const ExportOptions *o = x->options;
    text_add_literal(out,
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\"");
    export_attribute(out, "modelName", x->shape->name);
    export_attribute(out, "guid", x->token);
    export_attribute(out, "description", o->about);
    text_printf(out, " generationTool=\"Acausal %s\" generationDateAndTime=\"%s\"", ACAUSAL_VERSION,
                export_time(x->arena));
    text_printf(out, " variableNamingConvention=\"structured\" numberOfEventIndicators=\"%u\">\n",
                (unsigned)x->run->indicator_count);
    if (o->exchange) add_kind(x, false, out);
    if (o->cosimulation) add_kind(x, true, out);
    export_units(x, out);
    add_types(x, out);
    text_add_literal(out, "  <LogCategories>\n");
    export_categories(out);
    text_add_literal(out, "  </LogCategories>\n");
    text_add_literal(out, "  <DefaultExperiment");
    export_number(out, "startTime", o->start);
    export_number(out, "stopTime", o->stop);
    export_number(out, "tolerance", o->tolerance);
    export_number(out, "stepSize", o->interval);
    text_add_literal(out, "/>\n  <ModelVariables>\n");
    for (uint32_t k = 0; k < x->variables.n; k++) add_variable(x, &x->variables.at[k], out);
    text_add_literal(out, "  </ModelVariables>\n");
    add_structure(x, s, out);
    text_add_literal(out, "</fmiModelDescription>\n");
}
