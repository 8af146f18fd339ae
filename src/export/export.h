/* export.h: the door of the export room: a compiled model becomes an FMU: FMI 2.0 or 3.0, model
 * exchange, co-simulation or both.
 *
 * An FMU holds a description, a binary made by the system's C compiler from the C text of the model
 * and a prebuilt archive of rt/, run/ and unit/, resources, and, if asked for, all sources. What
 * the archive and the sources are made of is part of this library (embedded.h), so that nothing has
 * to be found on the machine but a compiler.
 *
 * CMake compiles rt/, run/ and unit/ to a position-independent archive with hidden symbols and
 * embeds it, and the sources, into the library (cmake/embed.cmake): export needs a compiler and
 * nothing of ours on the machine. The numbers of a description come from a trial instance at the
 * start values; while it is made, matrices and texts that it reads are noted for the resources.
 * Dependencies come from one pass through the sorted blocks (export/structure.c). The archive is
 * written beside its target and renamed.
 *
 * Directional derivatives have code of their own in an FMU (gen_add_directions): the plan of the
 * pass for the Jacobian with one seed, once for derivatives of states and once for outputs, along
 * states and inputs. What is asked along parameters or time, of other variables, and backward runs
 * over the tape.
 *
 * unit/fmi.h holds what the functions of FMI 2.0 and 3.0 have in common, export/describe.c both
 * descriptions: versions are tables of words. */
#ifndef ACAUSAL_EXPORT_H
#define ACAUSAL_EXPORT_H

#include "gen/gen.h"

typedef struct {
    int version; /* 2 or 3 */
    bool exchange, cosimulation;
    bool sources; /* put them into it */
    bool binary;  /* for this machine */
    /* of co-simulation; NULL: chosen by what the model looks like */
    const char *solver;
    const char *compiler;                    /* NULL: CC, or cc */
    double start, stop, tolerance, interval; /* NAN: nothing is said */
    const char *about;                       /* of the model; "" */
} ExportOptions;

typedef struct {
    size_t variables, states, inputs, outputs, resources;
    size_t bytes, binary_bytes, source_bytes;
    double describe_seconds, compile_seconds, pack_seconds;
    const char *identifier, *solver; /* in the arena */
} ExportReport;

/* Files of an archive. */
typedef struct {
    const char *name; /* in the archive */
    const char *at;
    size_t n;
} PackedFile;
typedef VEC(PackedFile) Package;

/* Writes an archive of files to `path`: all of it or nothing; *bytes is its size. False after an
 * error, which is in `diag`. */
bool export_pack(const Package *package, const char *path, Diag *diag, size_t *bytes);
/* All of a file; false if it cannot be read. */
bool export_read_file(Arena *arena, const char *path, Str *out);

/* Whether a method of that name is there for co-simulation; *names lists those that are. */
bool export_has_solver(const char *name, const char **names);

/* Writes the FMU to `path`: all of it or nothing. False after an error, which is in `diag`. Adds
 * derivatives to the compiled model. */
bool export_fmu(Compiled *compiled, const char *path, const ExportOptions *options, Arena *arena, Diag *diag,
                ExportReport *report);

#endif
