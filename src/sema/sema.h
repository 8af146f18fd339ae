/* sema.h: the door of the sema room: a class of a library in, a flat model out.
 *
 * A node of the instance tree is a class seen from an enclosing instance with its modifiers;
 * elements are made when first asked for. Equations become scalar at the end, with the array and
 * group they come from. Functions called at compile time are run by sema/run.c, on the typed tree;
 * the IR's interpreter is to take its place.
 *
 * Rules of the language that a text breaks whatever is done with it (kinds of classes, prefixes,
 * where statements stand) are in rules.c, asked once a class; those that need types stand where
 * types are found, and what der, pre and reinit may be applied to is told from the flat model
 * (discrete.c). The same mistake at the same place is reported once, however many instances it
 * has. In flat/, unit_check.c gives each expression a unit in one loop, balance.c explains counts
 * that differ.
 *
 * Connections are made in this order. expandable.c gives expandable connectors their members
 * before variables are numbered; walk.c goes through all connect equations ahead of the others,
 * for it, for cardinality.c and for the graph of overconstrained connections (overconstrained.c,
 * made when a root is first asked for). Equations are flattened, then connect.c joins variables to
 * sets (two faces a variable: as its component's surroundings see it, and from within), and
 * stream.c turns inStream into what the sets say. Last, clock.c takes clocks out: partitions by
 * union-find, clocks as base, factor and shift in exact ratios; a base clock becomes one
 * when-equation that counts ticks and updates sampled, held and previous values, and clocked
 * equations stay as plain equations between these, so that dae/ solves them as it solves others. A
 * flat variable and equation keep their clock's number as partition. An operator or constructor
 * that a later pass must replace becomes a variable in place, so arguments stay before their
 * expressions.
 *
 * Operators of operator records are looked up in the class as the library has it, not in the
 * modified component: all components share its functions. Those that are one expression are
 * written in place of the call (operator.c). Redeclarations are compared with their constraint
 * after a model was built without errors (subtype.c). Annotations of functions (annotate.c:
 * derivative, inverse, smoothOrder, Inline) stand in the flat model, and the functions they name
 * are emitted with them. */
#ifndef ACAUSAL_SEMA_H
#define ACAUSAL_SEMA_H

#include "flat/flat.h"
#include "syntax/syntax.h"

/* Elaborates a class as the model to simulate. What is wrong is reported; the model is NULL when
 * nothing could be made of the class, and incomplete when there were errors. It lives in `arena`.
 * `permit` says whose foreign code may run for it, now and in its runs. */
Flat *sema_flatten(Libraries *libraries, Class *cls, Arena *arena, Sources *sources, Permit *permit,
                   Diag *diag);

#endif
