/* report.c: gathers what a report shows: the result, the run, and what translation made of the
 * model.
 *
 * Tests: tests/cli/report.sh, tests/browser/report.mjs. */
#include "api/inside.h"
#include "page/page.h"

static void add_text(void *text, const char *piece, size_t n) { text_add(text, (Str){ piece, n }); }

/* All diagnostics of a session as one JSON array. */
static const char *diagnostics_json(const AcausalSession *session, Arena *arena)
{
    Text lines = { .arena = arena }, out = { .arena = arena };
    text_add_literal(&lines, "");
    acausal_write_diagnostics(session, ACAUSAL_JSON, add_text, &lines);
    text_add_char(&out, '[');
    for (size_t i = 0; i < lines.n; i++)
        if (lines.at[i] != '\n')
            text_add_char(&out, lines.at[i]);
        else if (i + 1 < lines.n)
            text_add_char(&out, ',');
    text_add_char(&out, ']');
    return out.at;
}

AcausalStatus acausal_report(AcausalSession *session, const AcausalReport *given, AcausalWrite write,
                             void *arg)
{
    AcausalReport own = { 0 }, *r = &own;
    if (!TAKE(session, own, given)) return ACAUSAL_USAGE;
    jmp_buf escape;
    Arena *arena = arena_new();
    AcausalStatus status = ACAUSAL_BUG;
    if (!arena) return status;
    if (!setjmp(escape)) {
        arena->escape = &escape;
        Text analysis = { .arena = arena }, structure = { .arena = arena }, out = { .arena = arena };
        const AcausalModel *m = r->model;
        PageReport page = { .title = r->title,
                            .file = r->file,
                            .version = acausal_version(),
                            .result = (const ResultTable *)r->result,
                            .steps = (const ResultTable *)r->steps,
                            .stats = r->stats,
                            .message = r->message && *r->message ? r->message : NULL };
        if (m && m->t.system && m->t.model) {
            analysis_json(m->session, &m->t, &analysis);
            draw_structure_json(m->t.system, m->session->sources, &structure);
            page.analysis = analysis.at;
            page.structure = structure.at;
        }
        if (m) page.diagnostics = diagnostics_json(m->session, arena);
        page_report(&page, &out);
        write(arg, out.at, out.n);
        status = ACAUSAL_DONE;
    }
    arena_free(arena);
    return status;
}
