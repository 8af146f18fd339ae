/* describe.c: what the descriptions of FMI 2.0 and 3.0 have in common: words, attributes, units, start values. */
#include "export/inside.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

const char *const causality_words[] = { "parameter", "calculatedParameter", "input", "output",
                                        "local",     "independent" };
const char *const variability_words[] = { "constant", "fixed", "tunable", "discrete", "continuous" };
const char *const initial_words[] = { "", "exact", "approx", "calculated" };

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

const char *export_time(Arena *arena)
{
    char text[64];
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return arena_copy(arena, str_of(text));
}

static void add_value(const ExportVariable *v, double value, Text *out)
{
    switch (v->type) {
    case VARIABLE_BOOLEAN: text_printf(out, "%s", value != 0 ? "true" : "false"); break;
    case VARIABLE_INTEGER:
    case VARIABLE_ENUMERATION: text_printf(out, "%.0f", value); break;
    default: text_add_real(out, value); break;
    }
}

void export_start(Exporting *x, const ExportVariable *v, Text *out)
{
    bool has_start =
        v->initial == INITIAL_EXACT || v->initial == INITIAL_APPROX || v->causality == CAUSALITY_INPUT;
    if (!has_start || v->type == VARIABLE_STRING) return;
    text_add_literal(out, " start=\"");
    for (uint32_t k = 0; k < v->n; k++) {
        if (k) text_add_char(out, ' ');
        add_value(v, x->starts.at[v->first + k], out);
    }
    text_add_char(out, '"');
}

uint32_t export_known_variable(const Exporting *x, const Structure *s, uint32_t known)
{
    if (known < x->s->states.n) return x->state_variable[known];
    uint32_t found = s->variable_of[s->inputs[known - x->s->states.n]];
    return found ? found - 1 : NONE;
}

/* Those of unit/: one a status, and what the model says. */
void export_categories(Text *out)
{
    static const char *const names[] = { "logEvents",        "logStatusOK",    "logStatusWarning",
                                         "logStatusDiscard", "logStatusError", "logStatusFatal" };
    for (size_t k = 0; k < COUNT_OF(names); k++) text_printf(out, "    <Category name=\"%s\"/>\n", names[k]);
}

/* ---- units ---- */

static const char *const base_words[] = { "m", "kg", "s", "A", "K", "mol", "cd" };

static void add_display(Exporting *x, const char *name, const FlatUnit *of, Text *out)
{
    FlatUnit d;
    text_add_literal(out, "      <DisplayUnit");
    export_attribute(out, "name", name);
    if (of && flat_unit(x->arena, str_of(name), &d) && d.factor != 0 &&
        !memcmp(d.exponent, of->exponent, sizeof d.exponent)) {
        double factor = of->factor / d.factor, offset = (of->offset - d.offset) / d.factor;
        if (factor != 1) export_number(out, "factor", factor);
        if (offset != 0) export_number(out, "offset", offset);
    }
    text_add_literal(out, "/>\n");
}

static void add_base(const char *name, const FlatUnit *u, Text *out)
{
    text_add_literal(out, "      <BaseUnit");
    for (int k = 0; k < 7; k++)
        if (u->exponent[k] != 0) text_printf(out, " %s=\"%d\"", base_words[k], (int)lround(u->exponent[k]));
    bool is_angle = !strncmp(name, "rad", 3) && (!name[3] || name[3] == '/');
    if (is_angle) text_add_literal(out, " rad=\"1\"");
    if (u->factor != 1) export_number(out, "factor", u->factor);
    if (u->offset != 0) export_number(out, "offset", u->offset);
    text_add_literal(out, "/>\n");
}

static bool has_whole_exponents(const FlatUnit *u)
{
    for (int k = 0; k < 7; k++)
        if (u->exponent[k] != round(u->exponent[k])) return false;
    return true;
}

static void add_unit(Exporting *x, const char *name, Text *out)
{
    FlatUnit u;
    bool is_known = flat_unit(x->arena, str_of(name), &u);
    text_add_literal(out, "    <Unit");
    export_attribute(out, "name", name);
    text_add_literal(out, ">\n");
    if (is_known && has_whole_exponents(&u)) add_base(name, &u, out);
    Map seen = { .arena = x->arena };
    Names *names = names_new();
    for (uint32_t k = 0; names && k < x->variables.n; k++) {
        const ExportVariable *v = &x->variables.at[k];
        bool is_new = false;
        if (!*v->display_unit || strcmp(v->unit, name) != 0) continue;
        map_put(&seen, map_key(name_of(names, str_of(v->display_unit))), &is_new);
        if (is_new) add_display(x, v->display_unit, is_known ? &u : NULL, out);
    }
    if (names) names_free(names);
    text_add_literal(out, "    </Unit>\n");
}

void export_units(Exporting *x, Text *out)
{
    Map seen = { .arena = x->arena };
    Names *names = names_new();
    bool any = false;
    for (uint32_t k = 0; names && k < x->variables.n; k++) {
        const char *unit = x->variables.at[k].unit;
        bool is_new = false;
        if (!*unit || x->variables.at[k].type != VARIABLE_REAL) continue;
        map_put(&seen, map_key(name_of(names, str_of(unit))), &is_new);
        if (!is_new) continue;
        if (!any) text_add_literal(out, "  <UnitDefinitions>\n");
        any = true;
        add_unit(x, unit, out);
    }
    if (names) names_free(names);
    if (any) text_add_literal(out, "  </UnitDefinitions>\n");
}
