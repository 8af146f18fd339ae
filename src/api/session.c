/* session.c: a session of the library: its names, sources, libraries and diagnostics. Tests:
 * tests/api. */
#include "api/inside.h"

#include <stdlib.h>

AcausalSession *acausal_session_new(void)
{
    AcausalSession *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->arena = arena_new();
    s->names = syntax_names_new();
    s->sources = sources_new();
    if (s->arena && s->names && s->sources) s->libraries = libraries_new(s->names, s->sources);
    if (s->libraries) {
        diag_init(&s->diag, s->arena);
        s->permit.arena = s->arena;
        s->switches[ACAUSAL_CHECK_UNITS] = s->switches[ACAUSAL_TRUST_SOURCE] = true;
        return s;
    }
    acausal_session_free(s);
    return NULL;
}

void acausal_session_free(AcausalSession *s)
{
    if (!s) return;
    libraries_free(s->libraries);
    sources_free(s->sources);
    names_free(s->names);
    arena_free(s->arena);
    free(s);
}

AcausalStatus acausal_add_library_path(AcausalSession *s, const char *directory)
{
    libraries_add_path(s->libraries, directory);
    if (s->switches[ACAUSAL_TRUST_SOURCE])
        vec_push(s->arena, &s->named, arena_copy(s->arena, str_of(directory)));
    return ACAUSAL_DONE;
}

AcausalStatus acausal_add_library_path_list(AcausalSession *s, const char *list)
{
    libraries_add_path_list(s->libraries, list);
    return ACAUSAL_DONE;
}

AcausalStatus acausal_set(AcausalSession *s, const char *name_and_value)
{
    vec_push(s->arena, &s->set, arena_copy(s->arena, str_of(name_and_value)));
    return ACAUSAL_DONE;
}

void acausal_switch(AcausalSession *s, AcausalSwitch what, bool on)
{
    if ((size_t)what < COUNT_OF(s->switches)) s->switches[what] = on;
    if (what == ACAUSAL_STRICT_LANGUAGE) s->diag.strict_language = on;
}

/* ---- diagnostics ----------------------------------------------------------------------------- */

size_t acausal_error_count(const AcausalSession *s) { return s->diag.errors; }
size_t acausal_warning_count(const AcausalSession *s) { return s->diag.warnings; }
void acausal_clear_diagnostics(AcausalSession *s) { diag_init(&s->diag, s->arena); }

void acausal_write_diagnostics(const AcausalSession *s, AcausalFormat format, AcausalWrite write, void *arg)
{
    Arena *scratch = arena_scratch();
    for (uint32_t i = 0; i < s->diag.notes.n; i++) {
        ArenaMark mark = arena_mark(scratch);
        Text text = { .arena = scratch };
        if (format == ACAUSAL_JSON)
            diag_render_json(s->diag.notes.at[i], s->sources, &text);
        else
            diag_render(s->diag.notes.at[i], s->sources, (RenderStyle){ .colour = format == ACAUSAL_COLOUR },
                        &text);
        if (format == ACAUSAL_JSON) text_add_char(&text, '\n');
        write(arg, text.at, text.n);
        arena_rewind(scratch, mark);
    }
    if (s->diag.dropped && format != ACAUSAL_JSON) {
        Text text = { .arena = scratch };
        text_printf(&text, "and %u more of the same kinds\n", (unsigned)s->diag.dropped);
        write(arg, text.at, text.n);
    }
    arena_free(scratch);
}

const char *acausal_first_error(AcausalSession *s)
{
    for (uint32_t i = 0; i < s->diag.notes.n; i++) {
        const Note *note = s->diag.notes.at[i];
        Place place;
        if (note->severity != SEVERITY_ERROR) continue;
        if (source_place(s->sources, note->span, &place))
            return arena_printf(s->arena, "%s:%u:%u: %s", place.path, (unsigned)place.line,
                                (unsigned)place.column, note->text);
        return note->path ? arena_printf(s->arena, "%s: %s", note->path, note->text) : note->text;
    }
    return NULL;
}

void tell_memory(AcausalSession *s)
{
    if (!s->diag.errors) wrong(s, E_OUT_OF_MEMORY, "out of memory");
}

AcausalStatus session_status(const AcausalSession *s)
{
    return s->diag.errors ? ACAUSAL_WRONG : ACAUSAL_DONE;
}

/* ---- parsing --------------------------------------------------------------------------------- */

AcausalStatus acausal_parse(AcausalSession *s, const char *const *paths, size_t n, unsigned threads,
                            AcausalParseReport *report)
{
    double wall = clock_wall(), cpu = clock_cpu();
    SurveyReport survey;
    if (!is_sized(s, report)) return ACAUSAL_USAGE;
    libraries_survey(s->libraries, paths, n, threads ? threads : cpu_count(), &s->diag, &survey);
    AcausalParseReport r = { .files = survey.files,
                             .classes = survey.classes,
                             .lines = survey.lines,
                             .bytes = survey.bytes,
                             .seconds = clock_wall() - wall,
                             .cpu_seconds = clock_cpu() - cpu,
                             .peak_bytes = memory_peak() };
    GIVE(report, r);
    return session_status(s);
}

AcausalStatus acausal_print(AcausalSession *s, const char *path, AcausalWrite write, void *arg)
{
    Tree *tree = libraries_parse_file(s->libraries, path, &s->diag);
    if (!tree || s->diag.errors) return ACAUSAL_WRONG;
    Text text = { .arena = s->arena };
    syntax_print(tree, &text);
    if (text.n) write(arg, text.at, text.n);
    return ACAUSAL_DONE;
}

const char *acausal_resolve_uri(AcausalSession *s, const char *uri)
{
    return libraries_resolve_uri(s->libraries, uri, s->arena, &s->diag);
}
