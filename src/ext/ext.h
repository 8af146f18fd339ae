/* ext.h: the door of ext/: external functions, by the name of the C function: the standard ones
 * that come with the program, LAPACK, and those of shared libraries that a model names.
 *
 * What a model may take along in an exported FMU (tables, strings, random numbers) is in rt/; what
 * needs files, directories, LAPACK or the loader of the system is here. Everything is found as an
 * IrExternal, so that the interpreter, machine code, C text and calls while a model is built run
 * the same function. Nothing here keeps a state: libraries stay loaded, everything else belongs to
 * an instance.
 *
 * ext/functions.def lists the standard external functions by their C name, each with an adapter
 * that takes cells: found, called and checked in the same way by the interpreter, machine code, C
 * text, and by sema/ while a model is built. What an exported FMU may take along (tables, strings,
 * random numbers, FFT) is in rt/; what needs files, LAPACK or the system's loader is a room of its
 * own, so that rt/ stays C99 with libc and libm. An external function becomes a function of the IR
 * (gen/extern.c) around one extern instruction, so equations and other functions call it like any.
 * Its derivative is what the derivative annotation says (of order 1 or 2), put into the form that
 * ir_differentiate looks for; without one it is a central difference, and the statistics count it.
 * Strings and external objects are numbers in memory (rt/names.c), so that a variable of any type
 * is a Real, pre and event iteration need no special cases, and comparing numbers compares
 * strings. C text of Include annotations, and records of anything but Reals, which C has as
 * structures, are compiled together by the system's compiler when the model is (ext/bridge.c): one
 * visible function a call, which takes members one by one; the same text goes into an exported
 * FMU. function g = der(f, x) is code around the differentiated IR of f (gen/function.c). Objects
 * are made with the parameters at each initialisation and destroyed before the next one or with
 * the instance. C functions of users may call ModelicaError: it jumps back to the gate of the call
 * (rt/guard.c) and becomes a failure of the instance, with a place. */
#ifndef ACAUSAL_EXT_H
#define ACAUSAL_EXT_H

#include "base/base.h"
#include "ir/ir.h"
#include "trust/trust.h"

/* An argument as the declaration of an external function has it, in the order of the C function;
 * what the function returns comes last. */
typedef struct {
    uint8_t type; /* IrType */
    bool is_array, is_output, is_result;
    bool is_size; /* size(x, k): a size_t for C */
    /* A member of a structure: the C function takes the structures' addresses, and each member is a
     * parameter here. Members of one follow each other and have its number, from 1; `field` is the
     * name, with dots in inner structures. */
    uint16_t record;
    const char *field;
    uint32_t count; /* elements of a member that is an array; 0: it is none */
    /* In front of the members of an array of structures: how many there are. Each member is an
     * array then, of that many times `count` elements. */
    bool is_count;
} ExtParam;

typedef struct ExtUnit ExtUnit;

typedef struct {
    const char *symbol;
    Str language; /* "C" or "FORTRAN 77" */
    const ExtParam *params;
    uint32_t n;
    const char *const *libraries; /* names, as the Library annotation has them */
    uint32_t library_count;
    const char *directory;         /* where the libraries are; NULL: not said */
    const char *include;           /* C text in front of it; NULL: none */
    const char *include_directory; /* where files are that it includes; NULL: not said */
    ExtUnit *unit;                 /* what has text or structures becomes part of it */
    const char *origin;            /* the library or file that declares it; NULL: not known */
    Permit *permit;                /* whose code may run; NULL: nobody's but the program's own */
} ExtRequest;

/* bridge.c: functions with C text of the model, or with structures, are compiled together. What
 * ext_find gives of them has no address before the unit is built and they are resolved. */
ExtUnit *ext_unit_new(Arena *arena);
bool ext_needs_bridge(const ExtRequest *request);
bool ext_unit_build(ExtUnit *unit, const char **why); /* what was added since it was built last */
bool ext_unit_resolve(const ExtUnit *unit, IrExternal *external);
/* whether a function of that name is in it */
bool ext_unit_makes(const ExtUnit *unit, const char *name);
/* C; NULL: nothing is in it */
const char *ext_unit_text(const ExtUnit *unit, uint32_t first, Arena *arena);
const char *ext_unit_header(void); /* the text of ModelicaUtilities.h */
/* of files to include */
uint32_t ext_unit_directories(const ExtUnit *unit, const char *const **out);

/* Whether a permit lets the code of a function run; false: *why says how it would, in the arena. */
bool ext_may_run(const ExtRequest *request, Arena *arena, const char **why);

/* The function that a declaration means; false if there is none, or its code may not run: *why says
 * so, in the arena. Where a permit only looks, such a function is put off: it fails when it is
 * called. */
bool ext_find(const ExtRequest *request, Arena *arena, IrExternal *out, const char **why);
bool ext_is_standard(const char *symbol);
/* The text to include for a mathematical function of C itself, which needs no library; or
 * NULL. */
const char *ext_of_c(const char *symbol);
/* The derivative of a standard function of scalars: it takes the same arguments, then the
 * derivative of each that is marked d in `moves`. NULL: none is known. */
typedef struct {
    const char *symbol, *moves;
} ExtDerivative;
const ExtDerivative *ext_derivative(const char *symbol);
/* of a standard function: the name of its adapter; NULL */
const char *ext_adapter(const char *symbol);
bool ext_is_fortran(Str language);
bool ext_is_lapack(const char *symbol, Str language); /* that the library itself is linked with */

/* `n` values at `at`, a scalar is one. Outputs are written there; strings of outputs are in the
 * arena. */
typedef struct {
    RtCell *at;
    uint32_t n;
} ExtValue;

/* Calls a function now, with one value for each parameter of the request. False if it fails; *why
 * is what it said. */
bool ext_call(const ExtRequest *request, const IrExternal *function, ExtValue *values, Arena *arena,
              const char **why);

/* Calls a function of rt/ that code may call (see ir_builtin), with cells as its table has them.
 * The last cell is the result; a string, in the arena, is returned too, and "" for numbers; NULL if
 * it fails. */
const char *ext_builtin(const char *name, const char *cells, RtCell *values, Arena *arena);

/* Gives an instance what functions of rt/ ask the system for: matrices on files. */
void ext_attach(Rt *rt);

/* matrix.c: a matrix on a file: text, MAT (v4, v6, v7), CSV. False, with *why in the arena. */
typedef struct {
    double *at; /* row by row */
    size_t rows, columns;
} ExtMatrix;
bool ext_read_matrix(const char *file, const char *name, const char *delimiter, int64_t header_lines,
                     Arena *arena, ExtMatrix *out, const char **why);
/* write_matrix.c: into a MAT file of version "4", "6" or "7". */
bool ext_write_matrix(const char *file, const char *name, const ExtMatrix *m, bool append,
                      const char *version, const char **why);

#endif
