/* store.h: many runs in one file, an SQLite database that everybody can read.
 *
 *     study(name, value)      what the study is: settings, model, program
 *     columns(position, name, kind, expression, unit)    kind: parameter, output, curve
 *     runs(run, state, message, time, seconds, steps, events, PARAMETERS..., OUTPUTS...)
 *     curves(run, time, CURVES...)
 *
 * A run is a row from the moment it ended: state is 'done' or 'failed', with a message. Always: a
 * transaction is whole or not there, whatever kills the program; a run is there once. NaN is NULL.
 * Who writes holds a lock, so that no two programs do the same work. Nothing here knows what a
 * model is. */
#ifndef ACAUSAL_STORE_H
#define ACAUSAL_STORE_H

#include "base/base.h"

typedef enum { STORE_PARAMETER, STORE_OUTPUT, STORE_CURVE } StoreKind;

typedef struct {
    const char *name; /* of the column; made unlike all others by store_name_columns */
    StoreKind kind;
    const char *expression, *unit;
    bool is_text;
} StoreColumn;

typedef struct {
    uint64_t run; /* from 1 */
    bool failed;
    const char *message; /* "" for none */
    double t, seconds;
    long steps, events;
    const double *p, *y;       /* parameters, outputs */
    const char *const *p_text; /* of parameters that are texts, else NULL in it; may be NULL */
    const double *curve;       /* time_count rows of curves; NULL: none */
} StoreRow;

typedef struct {
    uint64_t done, failed;
} StoreCounts;

typedef struct Store Store;

/* Gives each column a name of its own, "x#2" for a second x; SQLite takes no difference of case. */
void store_name_columns(Arena *arena, StoreColumn *columns, size_t n);
/* A new file; `times` are those of curves. NULL: `why` says why not, as when it is there. */
Store *store_create(const char *path, const StoreColumn *columns, size_t n, const double *times,
                    size_t time_count, char *why, size_t room);
/* One that is there; to write, which one program at a time may do, or to look. */
Store *store_open(const char *path, bool writes, char *why, size_t room);
/* The last transaction is committed. False: it could not be. NULL is fine. */
bool store_close(Store *store);
const char *store_why(const Store *store); /* what went wrong last */

bool store_set(Store *store, const char *name, const char *value);
/* NULL: there is none. */
const char *store_get(Store *store, Arena *arena, const char *name);
const StoreColumn *store_columns(const Store *store, size_t *n);
const double *store_times(const Store *store, size_t *n);

/* Adds a run unless it is there; rows are committed together now and then, and by store_flush. */
bool store_add(Store *store, const StoreRow *row);
bool store_flush(Store *store);
bool store_counts(Store *store, StoreCounts *counts);
/* Failed runs are forgotten, to be run again. */
bool store_forget_failed(Store *store);
/* Runs in the order of their numbers; `each` returns false to stop. Values are valid in the call;
 * with `curves` NULL no curves are read. */
bool store_each(Store *store, bool with_curves, bool (*each)(void *arg, const StoreRow *row), void *arg);
bool store_each_number(Store *store, void (*each)(void *arg, uint64_t run), void *arg);
/* Takes all runs of another file that are not here. The caller sees to it that they belong
 * together. */
bool store_take(Store *store, const char *path);

#endif
