/* A diagnostic shows its place as a person sees it, and tells a machine the same. */
#include "base/base.h"
#include "test.h"

static const struct {
    const char *text;
    uint32_t at, n; /* bytes from the beginning of the text */
    const char *want;
} cases[] = {
    { "x = 1 +;\n", 7, 1, "error[E0201]: wrong\n --> f.mo:1:8\n1 | x = 1 +;\n  |        ^\n" },
    { "a\nbb\nccc\n", 2, 2, "error[E0201]: wrong\n --> f.mo:2:1\n2 | bb\n  | ^^\n" },
    { "\ty\n", 1, 1, "error[E0201]: wrong\n --> f.mo:1:2\n1 |     y\n  |     ^\n" },
    { "ü = 1\r\n", 3, 1, "error[E0201]: wrong\n --> f.mo:1:3\n1 | ü = 1\n  |   ^\n" },
    { "abc", 3, 0, "error[E0201]: wrong\n --> f.mo:1:4\n1 | abc\n  |    ^\n" },
    { "", 0, 0, "error[E0201]: wrong\n --> f.mo:1:1\n1 | \n  | ^\n" },
    { "a\nb", 0, 3, "error[E0201]: wrong\n --> f.mo:1:1\n1 | a\n  | ^\n" },
    { "\033[31m\x01", 5, 1, "error[E0201]: wrong\n --> f.mo:1:6\n1 | ·[31m·\n  |      ^\n" },
};

static void check_rendering(Arena *arena)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Sources *sources = sources_new();
        Diag diag;
        Text out = { .arena = arena };
        diag_init(&diag, arena);
        source_add_text(sources, "other.mo", STR("something\nbefore\n"));
        const Source *source = source_add_text(sources, "f.mo", str_of(cases[i].text));
        diag_render(diag_add(&diag, E_EXPECTED, (Span){ source->base + cases[i].at, cases[i].n }, "wrong"),
                    sources, (RenderStyle){ 0 }, &out);
        CHECK_TEXT(out.at, cases[i].want);
        sources_free(sources);
    }
}

/* A line of millions of characters is shown as a window around the place. */
static void check_long_line(Arena *arena)
{
    Sources *sources = sources_new();
    Text line = { .arena = arena }, out = { .arena = arena };
    Diag diag;
    diag_init(&diag, arena);
    text_add_repeat(&line, 'x', 3000000);
    const Source *source = source_add_text(sources, "f.mo", (Str){ line.at, line.n });
    diag_render(diag_add(&diag, E_EXPECTED, (Span){ source->base + 1500000, 3 }, "wrong"), sources,
                (RenderStyle){ 0 }, &out);
    CHECK(out.n < 500 && strstr(out.at, "f.mo:1:1500001") && strstr(out.at, "^^^\n"));
    sources_free(sources);
}

static void check_json_and_labels(Arena *arena)
{
    Sources *sources = sources_new();
    const Source *source = source_add_text(sources, "f.mo", STR("one\ntwo\n"));
    Text json = { .arena = arena }, text = { .arena = arena };
    Diag diag;
    diag_init(&diag, arena);
    Note *note = diag_add(&diag, E_EXPECTED, (Span){ source->base + 4, 3 }, "say \"%s\"", "it");
    diag_label(&diag, note, (Span){ source->base, 3 }, "here");
    diag_hint(&diag, note, "try");
    diag_render_json(note, sources, &json);
    CHECK_TEXT(json.at, "{\"severity\":\"error\",\"code\":\"E0201\",\"message\":\"say "
                        "\\\"it\\\"\",\"file\":\"f.mo\",\"line\":2,\"column\":1,"
                        "\"end_line\":2,\"end_column\":4,\"labels\":[{\"file\":\"f.mo\",\"line\":1,"
                        "\"column\":1,\"end_line\":1,"
                        "\"end_column\":4,\"message\":\"here\"}],\"hints\":[\"try\"]}");
    diag_render(note, sources, (RenderStyle){ 0 }, &text);
    CHECK_TEXT(text.at, "error[E0201]: say \"it\"\n --> f.mo:2:1\n2 | two\n  | ^^^\n ::: f.mo:1:1\n1 | one\n "
                        " | ^^^ here\n  = hint: try\n");
    sources_free(sources);
}

/* Of one code a collector keeps so many and counts the rest. */
static void check_limits(Arena *arena)
{
    Diag diag, all;
    diag_init(&diag, arena);
    diag_init(&all, arena);
    for (int i = 0; i < 50; i++) diag_add(&diag, E_EXPECTED, (Span){ 0 }, "n %d", i);
    diag_add_file(&diag, E_ORDER_MISSING, "p", "one warning");
    CHECK(diag.errors == 50 && diag.warnings == 1 && diag.notes.n == 21 && diag.dropped == 30);
    diag_merge(&all, &diag);
    CHECK(all.errors == 50 && all.warnings == 1 && all.notes.n == 21 && all.dropped == 30);
    CHECK_TEXT(all.notes.at[0]->text, "n 0");
}

/* Codes are stable: each is there once, and each is explained. */
static void check_codes(void)
{
    for (unsigned i = 0; i < CODE_COUNT; i++) {
        Code found;
        CHECK_ROW(code_find(str_of(code_text((Code)i)), &found) && found == (Code)i, code_text((Code)i));
        CHECK_ROW(strlen(code_about((Code)i)) > 20, code_text((Code)i));
    }
    Code none;
    CHECK(!code_find(STR("E9999"), &none));
}

int main(void)
{
    Arena *arena = arena_new();
    check_rendering(arena);
    check_long_line(arena);
    check_json_and_labels(arena);
    check_limits(arena);
    check_codes();
    arena_free(arena);
    return test_end();
}
