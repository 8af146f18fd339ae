/* parse_fuzz.c: the libFuzzer target for lexer, parser, printer and diagnostics.
 *
 * Any bytes are parsed and their diagnostics rendered. What parses without an error must print to
 * text that parses to an equal tree. Run by scripts/fuzz. */
#include "syntax/syntax.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round_trip(Reader *reader, Sources *sources, const Tree *tree, Arena *arena)
{
    Diag diag;
    Text text = { .arena = arena };
    diag_init(&diag, arena);
    text_add_literal(&text, "");
    syntax_print(tree, &text);
    const Source *source = source_add_text(sources, "printed", (Str){ text.at, text.n });
    Tree *again = syntax_parse(reader, source, arena, &diag);
    if (diag.errors || !syntax_equal(tree, again)) abort();
}

static void render(const Diag *diag, const Sources *sources, Arena *arena)
{
    Text text = { .arena = arena };
    for (uint32_t i = 0; i < diag->notes.n; i++) {
        diag_render(diag->notes.at[i], sources, (RenderStyle){ .colour = true }, &text);
        diag_render_json(diag->notes.at[i], sources, &text);
    }
}

/* The table of names is kept over many runs, since making it takes longer than parsing. */
typedef struct {
    Names *names;
    Reader *reader;
    unsigned runs;
} Kept;

static Reader *kept_reader(Kept *kept)
{
    enum { RUNS_PER_TABLE = 5000 };
    if (kept->runs++ % RUNS_PER_TABLE == 0) {
        reader_free(kept->reader);
        names_free(kept->names);
        kept->names = syntax_names_new();
        kept->reader = reader_new(kept->names);
    }
    return kept->reader;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Kept kept;
    Reader *reader = kept_reader(&kept);
    Sources *sources = sources_new();
    Arena *arena = arena_new();
    Diag diag;
    diag_init(&diag, arena);
    const Source *source = source_add_text(sources, "fuzz.mo", (Str){ (const char *)data, size });
    Tree *tree = syntax_parse(reader, source, arena, &diag);
    render(&diag, sources, arena);
    if (!diag.errors) check_round_trip(reader, sources, tree, arena);
    arena_free(arena);
    sources_free(sources);
    return 0;
}
