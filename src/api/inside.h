/* inside.h: what the files of the api room share. */
#ifndef ACAUSAL_API_INSIDE_H
#define ACAUSAL_API_INSIDE_H

#include "acausal.h"

#include "gen/gen.h"
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

/* translate.c: a model on its way; each stage lives as long as the one made from it. */
typedef struct {
    Arena *arena;
    Class *cls;
    Flat *flat;
    System *system;
    Compiled *compiled;
    Model *model;
} Translation;

/* False after an error; all stages up to it are there. Free it in any case. */
bool translate(AcausalSession *session, const char *source, const char *class_name, Translation *t);
void translation_free(Translation *t);

/* draw.c: pictures of a sorted system as SVG. */
void draw_incidence(const System *system, bool is_sorted, Text *out);
void draw_blocks(const System *system, Text *out);

#endif
