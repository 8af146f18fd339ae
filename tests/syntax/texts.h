/* texts.h: what the tests of the syntax room share: a text parsed, in a world of its own. */
#ifndef ACAUSAL_TEST_TEXTS_H
#define ACAUSAL_TEST_TEXTS_H

#include "syntax/syntax.h"

typedef struct {
    Names *names;
    Sources *sources;
    Reader *reader;
    Arena *arena;
} World;

static inline World world_new(void)
{
    Names *names = syntax_names_new();
    return (World){ names, sources_new(), reader_new(names), arena_new() };
}

static inline void world_free(World *w)
{
    reader_free(w->reader);
    sources_free(w->sources);
    names_free(w->names);
    arena_free(w->arena);
}

static inline Tree *world_parse(World *w, Str text, Diag *diag)
{
    diag_init(diag, w->arena);
    diag->limit_per_code = 0;
    return syntax_parse(w->reader, source_add_text(w->sources, "t.mo", text), w->arena, diag);
}

static inline const char *world_print(World *w, const Tree *tree)
{
    Text out = { .arena = w->arena };
    text_add_literal(&out, "");
    syntax_print(tree, &out);
    return out.at;
}

/* "1:8 E0201 expected ...; 3:1 E0202 ...", in the order of the report. */
static inline const char *world_errors(World *w, const Diag *diag)
{
    Text out = { .arena = w->arena };
    text_add_literal(&out, "");
    for (uint32_t i = 0; i < diag->notes.n; i++) {
        Place place = { 0 };
        source_place(w->sources, diag->notes.at[i]->span, &place);
        text_printf(&out, "%s%u:%u %s", i ? "; " : "", (unsigned)place.line, (unsigned)place.column,
                    code_text(diag->notes.at[i]->code));
    }
    return out.at;
}

#endif
