/* inside.h: what the files of the flat room share: units. */
#ifndef ACAUSAL_FLAT_INSIDE_H
#define ACAUSAL_FLAT_INSIDE_H

#include "flat/flat.h"

enum { UNIT_BASES = 7 };

typedef uint32_t UnitId;
enum { UNIT_UNKNOWN, UNIT_ONE };

typedef struct {
    double e[UNIT_BASES]; /* of m, kg, s, A, K, mol, cd */
    double factor;        /* of the unit, in these */
    double offset;        /* where its zero lies, in K */
} UnitValue;

typedef struct {
    Arena *arena;
    VEC(UnitValue) all;
    Map map;
} Units;

void units_init(Units *units, Arena *arena);
UnitId unit_keep(Units *units, UnitValue u);
UnitId unit_read(Units *units, Str text); /* UNIT_UNKNOWN if it says nothing, or nothing known */
UnitId unit_multiply(Units *units, UnitId a, UnitId b, double power); /* a * b^power */
UnitId unit_power(Units *units, UnitId a, double power);
bool unit_is_number(const Units *units, UnitId a); /* without base units, whatever its factor */
void unit_write(const Units *units, UnitId a, Text *out);

/* base.c: whether a variable is written as a constant: one that nobody may set, and whose value is
 * known from the text alone. */
bool base_is_constant(const Flat *flat, VarId v);
/* Whether it is a field of a record that is no variable, but the value of a call. */
bool base_takes_field(const Flat *flat, const FlatExpr *e);

/* print.c: a variable with fields and subscripts */
bool flat_is_reference(const Flat *flat, const FlatExpr *e);

#endif
