/* debug_why.c: what computes a variable, from which values, and these from which: upward along its
 * causes.
 *
 * In: values at a point. Out: lines, indented by how far up they are. Each variable is explained
 * once. Cost: that of what is shown. Tests: tests/cli/debug.sh. */
#include "explain/debug.h"

enum { MOST_SHOWN = 60, MOST_READ = 12 };

typedef struct {
    Debug *d;
    Text *out;
    uint8_t *seen;
    int shown;
} Why;

static void line(Why *w, int up, const char *text, Span span)
{
    const char *place = words_of_place(w->d->what, span);
    text_printf(w->out, "%*s%s%s%s\n", 2 * up, "", text, *place ? "   " : "", place);
}

static void explain_var(Why *w, uint32_t var, int up, int depth);

static void explain_reads(Why *w, const Reads *reads, uint32_t but, int up, int depth)
{
    for (uint32_t k = 0; k < reads->n; k++)
        if (reads->at[k] != but) explain_var(w, reads->at[k], up, depth);
}

static void explain_block(Why *w, const DaeBlock *b, uint32_t var, int up, int depth)
{
    const System *s = w->d->s;
    const Sequence *q = &s->continuous;
    Reads reads = { 0 };
    Text names = { .arena = w->d->what->arena };
    for (uint32_t k = 0; k < b->tear_n && k < MOST_READ; k++)
        text_printf(&names, "%s%s", k ? ", " : "", s->vars.at[q->tears.at[b->tear_first + k]].name);
    line(w, up,
         arena_printf(w->d->what->arena, "solved together with %u equations, %s, iterating on %s",
                      (unsigned)(b->n + b->tear_n), b->kind == BLOCK_LINEAR ? "linear" : "by Newton's method",
                      names.at ? names.at : "nothing"),
         (Span){ 0 });
    for (uint32_t k = 0; k < b->tear_n && k < MOST_READ; k++) {
        uint32_t eq = q->residuals.at[b->tear_first + k];
        line(w, up, words_of_equation(w->d->what, eq), s->eqs.at[eq].span);
        words_reads(w->d->what, s->eqs.at[eq].left, &reads, MOST_READ);
        words_reads(w->d->what, s->eqs.at[eq].right, &reads, MOST_READ);
    }
    explain_reads(w, &reads, var, up + 1, depth);
}

/* True: an equation of this sequence gives it. */
static bool explain_assign(Why *w, uint32_t var, int up, int depth)
{
    const System *s = w->d->s;
    const Sequence *q = &s->continuous;
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        for (uint32_t j = 0; j < b->tear_n; j++)
            if (q->tears.at[b->tear_first + j] == var) return explain_block(w, b, var, up, depth), true;
        for (uint32_t j = 0; j < b->n; j++) {
            const DaeAssign *a = &q->assigns.at[b->first + j];
            Reads reads = { 0 };
            if (a->var != var) continue;
            if (a->eq != NONE) line(w, up, words_of_equation(w->d->what, a->eq), s->eqs.at[a->eq].span);
            words_reads(w->d->what, a->value, &reads, MOST_READ);
            explain_reads(w, &reads, var, up + 1, depth);
            return true;
        }
    }
    return false;
}

static void explain_var(Why *w, uint32_t var, int up, int depth)
{
    const System *s = w->d->s;
    const DaeVar *v = &s->vars.at[var];
    Arena *a = w->d->what->arena;
    const char *value = words_of_value(w->d->what, var, w->d->values);
    if (w->shown++ >= MOST_SHOWN) return;
    if (v->role <= ROLE_PARAMETER) {
        line(w, up, arena_printf(a, "%s   a parameter", value), v->span);
        return;
    }
    if (v->role == ROLE_INPUT) {
        line(w, up, arena_printf(a, "%s   an input", value), v->span);
        return;
    }
    bool was_seen = w->seen[var]++;
    if (v->role == ROLE_STATE && v->der != NONE && up > 0) {
        line(w, up,
             arena_printf(a, "%s   a state: %s", value, words_of_value(w->d->what, v->der, w->d->values)),
             v->span);
        return;
    }
    line(w, up, was_seen ? arena_printf(a, "%s   (above)", value) : value, (Span){ 0 });
    if (was_seen || depth <= 0) return;
    if (v->role == ROLE_STATE && v->der != NONE) {
        line(w, up + 1, "a state; its derivative:", v->span);
        explain_var(w, v->der, up + 1, depth - 1);
    } else if (v->role == ROLE_DISCRETE) {
        Span span = dae_definition(s, var);
        line(w, up + 1, arena_printf(a, "changes at events only: %s", words_of_span(w->d->what, span)), span);
        for (uint32_t k = 0; k < s->discrete.n; k++) {
            Reads reads = { 0 };
            if (s->discrete.at[k].var != var) continue;
            words_reads(w->d->what, s->discrete.at[k].value, &reads, MOST_READ);
            explain_reads(w, &reads, var, up + 1, depth - 1);
        }
    } else if (!explain_assign(w, var, up + 1, depth - 1)) {
        line(w, up + 1, "nothing computes it after the start", v->span);
    }
}

void debug_why(Debug *d, uint32_t var, int depth, Text *out)
{
    Why w = { .d = d, .out = out, .seen = NEW_ARRAY(d->what->arena, uint8_t, d->s->vars.n + 1) };
    explain_var(&w, var, 0, depth);
    if (w.shown > MOST_SHOWN) text_add_literal(out, "  ...\n");
}
