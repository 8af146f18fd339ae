/* unit.c: units as values: read from text, multiplied, compared, written.
 *
 * In: texts as "kg.m/s2" (specification, chapter 19). Out: exponents of the SI base units, and the
 * factor to them. rad and sr are numbers; degC and degF have an offset besides their factor. Every
 * different unit is kept once, so that a unit is an index. Always: unit 0 is the unknown one, which
 * fits everything, unit 1 the number 1. Cost: one hash probe an operation. Tests:
 * tests/flat/unit_test.c. */
#include "flat/inside.h"

#include <math.h>

enum { METRE, KILOGRAM, SECOND, AMPERE, KELVIN, MOLE, CANDELA };

static const char *const base_names[UNIT_BASES] = { "m", "kg", "s", "A", "K", "mol", "cd" };

/* Symbols without prefix: exponents of the base units, factor, offset, whether SI prefixes go with
 * it. */
static const struct {
    const char *name;
    int8_t e[UNIT_BASES];
    bool takes_prefix;
    double factor, offset;
} symbols[] = {
    { "m", { 1 }, true, 1, 0 },
    { "g", { 0, 1 }, true, 1e-3, 0 },
    { "s", { 0, 0, 1 }, true, 1, 0 },
    { "A", { 0, 0, 0, 1 }, true, 1, 0 },
    { "K", { 0, 0, 0, 0, 1 }, true, 1, 0 },
    { "mol", { 0, 0, 0, 0, 0, 1 }, true, 1, 0 },
    { "cd", { 0, 0, 0, 0, 0, 0, 1 }, true, 1, 0 },
    { "rad", { 0 }, true, 1, 0 },
    { "sr", { 0 }, false, 1, 0 },
    { "Hz", { 0, 0, -1 }, true, 1, 0 },
    { "N", { 1, 1, -2 }, true, 1, 0 },
    { "Pa", { -1, 1, -2 }, true, 1, 0 },
    { "J", { 2, 1, -2 }, true, 1, 0 },
    { "W", { 2, 1, -3 }, true, 1, 0 },
    { "var", { 2, 1, -3 }, true, 1, 0 },
    { "C", { 0, 0, 1, 1 }, true, 1, 0 },
    { "V", { 2, 1, -3, -1 }, true, 1, 0 },
    { "F", { -2, -1, 4, 2 }, true, 1, 0 },
    { "Ohm", { 2, 1, -3, -2 }, true, 1, 0 },
    { "ohm", { 2, 1, -3, -2 }, true, 1, 0 },
    { "S", { -2, -1, 3, 2 }, true, 1, 0 },
    { "Wb", { 2, 1, -2, -1 }, true, 1, 0 },
    { "T", { 0, 1, -2, -1 }, true, 1, 0 },
    { "H", { 2, 1, -2, -2 }, true, 1, 0 },
    { "lm", { 0, 0, 0, 0, 0, 0, 1 }, true, 1, 0 },
    { "lx", { -2, 0, 0, 0, 0, 0, 1 }, true, 1, 0 },
    { "Bq", { 0, 0, -1 }, true, 1, 0 },
    { "Gy", { 2, 0, -2 }, true, 1, 0 },
    { "Sv", { 2, 0, -2 }, true, 1, 0 },
    { "kat", { 0, 0, -1, 0, 0, 1 }, true, 1, 0 },
    { "eV", { 2, 1, -2 }, true, 1.602176634e-19, 0 },
    { "bar", { -1, 1, -2 }, true, 1e5, 0 },
    { "atm", { -1, 1, -2 }, false, 101325, 0 },
    { "l", { 3 }, true, 1e-3, 0 },
    { "L", { 3 }, true, 1e-3, 0 },
    { "t", { 0, 1 }, true, 1e3, 0 },
    { "min", { 0, 0, 1 }, false, 60, 0 },
    { "h", { 0, 0, 1 }, false, 3600, 0 },
    { "d", { 0, 0, 1 }, false, 86400, 0 },
    { "deg", { 0 }, false, 0.017453292519943295, 0 },
    { "rev", { 0 }, false, 6.283185307179586, 0 },
    { "rpm", { 0, 0, -1 }, false, 0.10471975511965977, 0 },
    { "degC", { 0, 0, 0, 0, 1 }, false, 1, 273.15 },
    { "degF", { 0, 0, 0, 0, 1 }, false, 5.0 / 9, 255.37222222222223 },
    { "degRk", { 0, 0, 0, 0, 1 }, false, 5.0 / 9, 0 },
};

static const struct {
    const char *name;
    double factor;
} prefixes[] = {
    { "da", 1e1 },  { "Y", 1e24 },  { "Z", 1e21 },  { "E", 1e18 },  { "P", 1e15 },
    { "T", 1e12 },  { "G", 1e9 },   { "M", 1e6 },   { "k", 1e3 },   { "h", 1e2 },
    { "d", 1e-1 },  { "c", 1e-2 },  { "m", 1e-3 },  { "u", 1e-6 },  { "n", 1e-9 },
    { "p", 1e-12 }, { "f", 1e-15 }, { "a", 1e-18 }, { "z", 1e-21 }, { "y", 1e-24 },
};

/* ---- the table of units ---------------------------------------------------------------------- */

static bool same_unit(const UnitValue *a, const UnitValue *b)
{
    for (int i = 0; i < UNIT_BASES; i++)
        if (fabs(a->e[i] - b->e[i]) > 1e-6) return false;
    return fabs(a->factor - b->factor) <= 1e-6 * fabs(b->factor) && fabs(a->offset - b->offset) < 1e-6;
}

UnitId unit_keep(Units *units, UnitValue u)
{
    uint64_t key = 1469598103934665603u;
    for (int i = 0; i < UNIT_BASES; i++)
        key = (key ^ (uint64_t)(int64_t)lround(u.e[i] * 12)) * 1099511628211u;
    key = (key ^ (uint64_t)(int64_t)lround(log10(u.factor) * 100)) * 1099511628211u + (u.offset > 0);
    bool is_new;
    uint64_t *at;
    for (; at = map_put(&units->map, key, &is_new), !is_new; key++)
        if (same_unit(&units->all.at[*at], &u)) return (UnitId)*at;
    *at = units->all.n;
    vec_push(units->arena, &units->all, u);
    return units->all.n - 1;
}

void units_init(Units *units, Arena *arena)
{
    *units = (Units){ .arena = arena, .map.arena = arena };
    vec_push(arena, &units->all, ((UnitValue){ .factor = -1 }));
    unit_keep(units, (UnitValue){ .factor = 1 });
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool find_symbol(Str text, bool with_prefix, UnitValue *u)
{
    for (size_t i = 0; i < COUNT_OF(symbols); i++) {
        if (!str_is(text, symbols[i].name) || (with_prefix && !symbols[i].takes_prefix)) continue;
        for (int k = 0; k < UNIT_BASES; k++) u->e[k] = symbols[i].e[k];
        u->factor = symbols[i].factor;
        u->offset = symbols[i].offset;
        return true;
    }
    return false;
}

static bool read_symbol(Str text, UnitValue *u)
{
    if (find_symbol(text, false, u)) return true;
    for (size_t i = 0; i < COUNT_OF(prefixes); i++) {
        Str p = str_of(prefixes[i].name);
        if (text.n <= p.n || memcmp(text.at, p.at, p.n) != 0) continue;
        if (!find_symbol((Str){ text.at + p.n, text.n - p.n }, true, u)) continue;
        u->factor *= prefixes[i].factor;
        return true;
    }
    return false;
}

static void multiply(UnitValue *a, const UnitValue *b, double power)
{
    for (int i = 0; i < UNIT_BASES; i++) a->e[i] += power * b->e[i];
    a->factor *= pow(b->factor, power);
}

typedef struct {
    Str text;
    size_t at;
} UnitText;

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static char peek(const UnitText *t) { return t->at < t->text.n ? t->text.at[t->at] : 0; }

static double read_power(UnitText *t)
{
    double sign = 1, n = 0;
    bool any = false;
    if (peek(t) == '+' || peek(t) == '-') sign = t->text.at[t->at++] == '-' ? -1 : 1;
    for (; is_digit(peek(t)); any = true) n = 10 * n + (t->text.at[t->at++] - '0');
    return any ? sign * n : 1;
}

static bool read_product(UnitText *t, UnitValue *u, int depth);

/* "1", a symbol with its exponent, or a product in parentheses. */
static bool read_factor(UnitText *t, UnitValue *u, int depth)
{
    *u = (UnitValue){ .factor = 1 };
    if (peek(t) == '(' && depth < 8) {
        t->at++;
        if (!read_product(t, u, depth + 1) || peek(t) != ')') return false;
        t->at++;
        return true;
    }
    if (peek(t) == '1') {
        t->at++;
        return true;
    }
    size_t from = t->at;
    while (is_letter(peek(t))) t->at++;
    UnitValue symbol = { .factor = 1 };
    if (t->at == from || !read_symbol((Str){ t->text.at + from, t->at - from }, &symbol)) return false;
    double power = read_power(t);
    if (power == 1) {
        *u = symbol;
        return true;
    }
    multiply(u, &symbol, power);
    return true;
}

static bool read_product(UnitText *t, UnitValue *u, int depth)
{
    if (!read_factor(t, u, depth)) return false;
    while (peek(t) == '.' || peek(t) == '/') {
        bool divide = t->text.at[t->at++] == '/';
        UnitValue next;
        if (!read_factor(t, &next, depth)) return false;
        multiply(u, &next, divide ? -1 : 1);
        u->offset = 0;
    }
    return true;
}

UnitId unit_read(Units *units, Str text)
{
    UnitText t = { text, 0 };
    UnitValue u;
    if (!text.n || !read_product(&t, &u, 0) || t.at != text.n) return UNIT_UNKNOWN;
    return unit_keep(units, u);
}

/* ---- calculating ----------------------------------------------------------------------------- */

UnitId unit_multiply(Units *units, UnitId a, UnitId b, double power)
{
    if (a == UNIT_UNKNOWN || b == UNIT_UNKNOWN) return UNIT_UNKNOWN;
    UnitValue u = units->all.at[a];
    u.offset = 0;
    multiply(&u, &units->all.at[b], power);
    return unit_keep(units, u);
}

UnitId unit_power(Units *units, UnitId a, double power) { return unit_multiply(units, UNIT_ONE, a, power); }

bool unit_is_number(const Units *units, UnitId a)
{
    for (int i = 0; i < UNIT_BASES; i++)
        if (fabs(units->all.at[a].e[i]) > 1e-6) return false;
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_base(Text *out, const char *name, double power, bool *first)
{
    if (!*first) text_add_char(out, '.');
    *first = false;
    text_add(out, str_of(name));
    if (power == 1) return;
    if (power == floor(power))
        text_printf(out, "%d", (int)power);
    else
        text_printf(out, "(%g)", power);
}

void unit_write(const Units *units, UnitId a, Text *out)
{
    const UnitValue *u = &units->all.at[a];
    bool first = true, any = false;
    if (fabs(u->factor - 1) > 1e-6) text_printf(out, "%g ", u->factor);
    for (int i = 0; i < UNIT_BASES; i++)
        if (u->e[i] > 1e-6) write_base(out, base_names[i], u->e[i], &first);
    if (first) text_add_char(out, '1');
    for (int i = 0; i < UNIT_BASES; i++) any |= u->e[i] < -1e-6;
    if (!any) return;
    int below = 0;
    for (int i = 0; i < UNIT_BASES; i++) below += u->e[i] < -1e-6;
    text_add(out, below > 1 ? STR("/(") : STR("/"));
    first = true;
    for (int i = 0; i < UNIT_BASES; i++)
        if (u->e[i] < -1e-6) write_base(out, base_names[i], -u->e[i], &first);
    if (below > 1) text_add_char(out, ')');
}

bool flat_unit(Arena *arena, Str text, FlatUnit *out)
{
    Units units;
    units_init(&units, arena);
    UnitId id = unit_read(&units, text);
    if (id == UNIT_UNKNOWN) return false;
    const UnitValue *u = &units.all.at[id];
    memcpy(out->exponent, u->e, sizeof out->exponent);
    out->factor = u->factor;
    out->offset = u->offset;
    return true;
}
