/* inside.h: what the files of the api room share. */
#ifndef ACAUSAL_API_INSIDE_H
#define ACAUSAL_API_INSIDE_H

#include "acausal.h"

#include "syntax/syntax.h"

struct AcausalSession {
    Arena *arena;
    Names *names;
    Sources *sources;
    Libraries *libraries;
    Diag diag;
};

AcausalStatus session_status(const AcausalSession *session);

#endif
