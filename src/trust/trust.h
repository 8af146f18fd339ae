/* trust.h: whose foreign code may run: C text, shared libraries and functions that change the
 * system, which come with models of other people.
 *
 * Code belongs to the library, or the file, that declares it: its origin, a path. A Permit says
 * which origins may have their code compiled, loaded and run. Some are named for one call; others
 * stand in the user's store, by path and by content, so that code that changed since has to be
 * looked at again. What is known of no origin may not run. */
#ifndef ACAUSAL_TRUST_H
#define ACAUSAL_TRUST_H

#include "base/base.h"

typedef struct Permit {
    Arena *arena;
    VEC(const char *) allowed; /* real paths: a file, or a directory with all below it */
    VEC(const char *) refused; /* origins that were asked for and are not to be trusted */
    /* Functions of the standard library that change files or start programs may run. */
    bool effects;
    /* Nothing is run: a function that may not run is put off until somebody calls it. */
    bool looks_only;
    /* Asks a person; true: from now on. NULL: nobody is there to ask. */
    bool (*ask)(void *arg, const char *origin);
    void *ask_arg;
} Permit;

/* Makes code of this file, or below this directory, run. A path that is not there allows
 * nothing. */
void permit_allow(Permit *permit, const char *path);
/* Whether code of an origin may run: it was allowed, the store has it as it is now, or the person
 * who is asked says so. NULL permits nothing. */
bool permit_origin(Permit *permit, const char *origin);
bool permit_effects(const Permit *permit);

/* ---- store.c: what a user trusts for good ---------------------------------------------------- */

typedef enum { TRUST_UNKNOWN, TRUST_SAME, TRUST_CHANGED } TrustState;

typedef struct {
    const char *path, *digest;
} TrustRow;

typedef VEC(TrustRow) TrustRows;

/* The rows of the store, in the order they were made. False: it cannot be read; *why says so. */
bool trust_rows(Arena *arena, TrustRows *rows, const char **why);
/* Whether a path is in the store, and with the content that it has now. */
TrustState trust_state(Arena *arena, const char *path);
/* False: *why says why not. The path is resolved first. */
bool trust_add(Arena *arena, const char *path, const char **why);
/* The same; a path that is not in the store is a mistake. */
bool trust_remove(Arena *arena, const char *path, const char **why);

/* ---- sha256.c -------------------------------------------------------------------------------- */

enum { SHA256_BYTES = 32 };

typedef struct {
    uint32_t h[8];
    uint64_t n; /* bytes so far */
    unsigned char block[64];
} Sha256;

void sha256_begin(Sha256 *hash);
void sha256_add(Sha256 *hash, const void *bytes, size_t n);
void sha256_end(Sha256 *hash, unsigned char digest[SHA256_BYTES]);

#endif
