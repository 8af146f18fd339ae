/* libraries.h: what library.c, install.c, test.c and test_reference.c share. */
#ifndef ACAUSAL_API_LIBRARIES_H
#define ACAUSAL_API_LIBRARIES_H

#include "api/inside.h"

/* The class of a library's directory or file, parsed by itself; NULL if it is none. */
const Class *library_head(AcausalSession *session, const char *path);
const char *library_version(AcausalSession *session, const Class *head, const char *path); /* "": none */

typedef struct {
    const char *file;
    const char *signals; /* a regular expression for those that count; NULL: all */
    double start, stop;  /* of the run; NAN: as the model says */
    long points;         /* likewise; -1 */
    const char *made;    /* a file that reference_remove removes; NULL: none */
    const char *origin;  /* what that was made from */
    const char *scratch;
} Reference;

/* False if there is none. */
bool reference_find(Arena *arena, const char *directory, const char *class_name, Reference *out);
void reference_remove(const Reference *reference);

#endif
