/* inside.h: what the files of the api room share. */
#ifndef ACAUSAL_API_INSIDE_H
#define ACAUSAL_API_INSIDE_H

#include "acausal.h"

#include "flat/flat.h"
#include "syntax/syntax.h"

struct AcausalSession {
    Arena *arena;
    Names *names;
    Sources *sources;
    Libraries *libraries;
    Diag diag;
};

AcausalStatus session_status(const AcausalSession *session);
/* The class that a user means by a source and, perhaps, a name. NULL after an error. */
Class *session_find_class(AcausalSession *session, const char *source, const char *class_name);
Flat *session_flatten(AcausalSession *session, Arena *arena, Class *cls); /* NULL after an error */

#endif
