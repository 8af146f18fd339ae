/* units.c: the units of a description, with exponents of base units, and display units.
 *
 * Units whose exponents are no whole numbers, or that nobody knows, are listed by name alone.
 * Tests: tests/cli/export.sh. */
#include "export/inside.h"

#include <math.h>

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
