/* unit_test.c: units read from text are what SI says, and calculate as physics does. */
#include "flat/inside.h"

#include "test.h"

static const struct {
    const char *a, *b;
    bool same;
} pairs[] = {
    { "N", "kg.m/s2", true },  { "N", "J", false },        { "J", "N.m", true },
    { "W", "J/s", true },      { "V.A", "W", true },       { "Pa", "N/m2", true },
    { "kPa", "Pa", false },    { "kPa", "1e", false },     { "Hz", "1/s", true },
    { "rad/s", "1/s", true },  { "Ohm", "V/A", true },     { "S", "1/Ohm", true },
    { "F", "A.s/V", true },    { "H", "V.s/A", true },     { "Wb", "V.s", true },
    { "T", "Wb/m2", true },    { "l/min", "m3/s", false }, { "ml", "cm3", true },
    { "km/h", "m/s", false },  { "mm2", "m2", false },     { "J/(kg.K)", "m2/(s2.K)", true },
    { "degC", "K", false },    { "min", "s", false },      { "1", "rad", true },
    { "mN/mm2", "kPa", true }, { "kat", "mol/s", true },   { "m-2", "1/m2", true },
    { "s-1", "Hz", true },     { "deg", "rad", false },    { "bar", "Pa", false },
};

static void check_products(Arena *arena)
{
    Units units;
    Text text = { .arena = arena };
    units_init(&units, arena);
    UnitId m = unit_read(&units, STR("m")), s = unit_read(&units, STR("s"));
    UnitId speed = unit_multiply(&units, m, s, -1);
    CHECK(speed == unit_read(&units, STR("m/s")));
    CHECK(unit_power(&units, unit_read(&units, STR("m2")), 0.5) == m);
    CHECK(unit_multiply(&units, m, UNIT_UNKNOWN, 1) == UNIT_UNKNOWN);
    CHECK(unit_is_number(&units, unit_read(&units, STR("deg"))));
    CHECK(!unit_is_number(&units, speed));
    unit_write(&units, unit_read(&units, STR("W/(m2.K)")), &text);
    CHECK_TEXT(text.at, "kg/(s3.K)");
}

int main(void)
{
    static const char *const wrong[] = { "", "sheep", "m/", "m2/", "/s", "m s", "(m", "kkg", "m..s" };
    Arena *arena = arena_new();
    Units units;
    units_init(&units, arena);
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        UnitId a = unit_read(&units, str_of(pairs[i].a)), b = unit_read(&units, str_of(pairs[i].b));
        CHECK_ROW((a == b) == pairs[i].same && a != UNIT_UNKNOWN, pairs[i].a);
    }
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        CHECK_ROW(unit_read(&units, str_of(wrong[i])) == UNIT_UNKNOWN, wrong[i]);
    check_products(arena);
    arena_free(arena);
    return test_end();
}
