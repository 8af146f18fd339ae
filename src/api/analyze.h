/* analyze.h: what the files analyze*.c of the api room share. */
#ifndef ACAUSAL_API_ANALYZE_H
#define ACAUSAL_API_ANALYZE_H

#include "api/inside.h"

typedef struct {
    AcausalSession *session;
    const Translation *t;
    const System *s;
    GenStats code;
    /* by variable that is a derivative: the equation that constrains it; NONE */
    uint32_t *constraint;
    /* by equation that was made by differentiation: the constraint that it was made for; NONE */
    uint32_t *group;
    Text *out;
    Arena *arena;
} Report;

const char *analysis_place(const Report *r, Span span); /* "M.mo:12", or "" for what is in no text */
const char *analysis_relation(const Report *r, const DaeRelation *relation);
uint32_t analysis_times_differentiated(const System *s, uint32_t eq);
bool analysis_gives_up(const System *s, uint32_t var); /* differentiated, but not a state */

/* analyze_page.c: a page with all of it, into out; `analysis` is JSON. */
void analysis_write_page(const Report *r, const char *analysis);

#endif
