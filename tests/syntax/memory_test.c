/* Memory that runs out while a file is parsed becomes a diagnostic, wherever it happens. */
#include "syntax/texts.h"
#include "test.h"

int main(void)
{
    World w = world_new();
    const Source *source;
    int why;
    size_t whole = 0, cut = 0;
    CHECK(source_open(w.sources, TEST_SOURCE_DIR "/syntax/grammar/classes.mo", &source, &why) == SOURCE_OK);
    for (size_t limit = 4096; limit <= 64 * 1024; limit += 512) {
        Arena *arena = arena_new();
        Diag diag;
        diag_init(&diag, w.arena);
        arena->limit = limit;
        const Tree *tree = syntax_parse(w.reader, source, arena, &diag);
        bool is_whole = diag.errors == 0 && tree->n > 0;
        bool is_cut = diag.errors == 1 && diag.notes.at[0]->code == E_OUT_OF_MEMORY;
        CHECK(is_whole || is_cut);
        CHECK(arena->limit == limit && arena->escape == NULL && arena->total <= limit);
        whole += is_whole;
        cut += is_cut;
        arena_free(arena);
    }
    CHECK(whole > 0 && cut > 0);
    world_free(&w);
    return test_end();
}
