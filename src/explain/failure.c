/* failure.c: what failed in a run as a diagnostic: where, for which component of the user's model,
 * with the values that the equation reads, and what to do next.
 *
 * In: an instance after a failure, and the message of the run. Out: a note. The place in the model
 * itself comes before places in libraries. Cost: that of the equation. Tests: tests/diagnose. */
#include "explain/inside.h"

#include <math.h>
#include <stdio.h>

enum { MOST_READS = 12, MOST_UNKNOWNS = 8, MOST_OTHERS = 8, MOST_CALLERS = 4 };

static void hint_values(const ExplainModel *what, const RunFailure *f, const Reads *reads, Diag *diag,
                        Note *note)
{
    Text text = { .arena = what->arena };
    text_printf(&text, "with time = %.9g", f->t);
    for (uint32_t k = 0; k < reads->n && k < MOST_READS; k++)
        text_printf(&text, ", %s", words_of_value(what, reads->at[k], f->values));
    diag_hint(diag, note, "%s%s", text.at, reads->n > MOST_READS ? ", ..." : "");
}

/* What of the expressions has no value. */
static bool hint_domain(const ExplainModel *what, const RunFailure *f, const Sym *e, size_t n, Diag *diag,
                        Note *note)
{
    for (size_t k = 0; k < n; k++) {
        const char *words = words_of_domain(what, e[k], f->values, f->t);
        if (!words) continue;
        diag_hint(diag, note, "there it is %s; limit what it is applied to, or find out why it gets there",
                  words);
        return true;
    }
    return false;
}

const char *explain_guess(const ExplainModel *what, RunInstance *run, uint32_t var)
{
    const System *s = gen_system(what->compiled);
    const DaeVar *v = &s->vars.at[var];
    if (run_memory(run, MEM_SET)[var] != 0) return "set for this run";
    if (!v->has_start) return "no start value: a guess";
    const char *place = words_of_place(what, v->span);
    return *place ? arena_printf(what->arena, "start value of its declaration, %s", place) : "start value";
}

/* The unknowns of a block, with where they began. */
static void hint_block(const ExplainModel *what, RunInstance *run, const RunFailure *f, const RunBlock *b,
                       Diag *diag, Note *note)
{
    static const char *const why[][2] = { { "", "" },
                                          { "does not converge", "do not converge" },
                                          { "is singular there", "are singular there" },
                                          { "is not defined there", "are not defined there" } };
    const System *s = gen_system(what->compiled);
    Text text = { .arena = what->arena };
    for (int k = 0; k < b->n && k < MOST_UNKNOWNS; k++)
        text_printf(&text, "%s%s = %.6g (%s)", k ? ", " : "", s->vars.at[b->vars[k]].name, f->guess[k],
                    explain_guess(what, run, b->vars[k]));
    const char *them = b->n > 1 ? arena_printf(what->arena, "it and %d others", b->n - 1) : "it";
    if (b->is_linear)
        diag_hint(diag, note, "%s %s, a linear block of equations", them,
                  b->n > 1 ? "are solved together" : "is solved");
    else
        diag_hint(diag, note, "%s %s solved by iteration%s, and %s; that began at %s%s", them,
                  b->n > 1 ? "are" : "is", b->n > 1 ? " together" : "", why[f->why][b->n > 1], text.at,
                  b->n > MOST_UNKNOWNS ? ", ..." : "");
    for (int k = 0; k < b->n && k < MOST_OTHERS; k++)
        if (b->eqs[k] != f->source && s->eqs.at[b->eqs[k]].span.n)
            diag_label(diag, note, s->eqs.at[b->eqs[k]].span, "solved together with this one");
}

/* What is read and lies outside of its own bounds. */
static void hint_bounds(const ExplainModel *what, const RunFailure *f, const Reads *reads, Diag *diag,
                        Note *note)
{
    System *s = gen_system(what->compiled);
    for (uint32_t k = 0; k < reads->n && k < MOST_READS; k++) {
        const DaeVar *v = &s->vars.at[reads->at[k]];
        double value = f->values[reads->at[k]];
        double low = v->has_min ? dae_evaluate_at(s->pool, v->min, f->values, f->t) : -INFINITY;
        double high = v->has_max ? dae_evaluate_at(s->pool, v->max, f->values, f->t) : INFINITY;
        if (!(value < low || value > high)) continue;
        diag_hint(diag, note, "'%s' is %.6g, but its %s is %.6g", v->name, value, value < low ? "min" : "max",
                  value < low ? low : high);
        diag_label(diag, note, dae_place(s, reads->at[k]), "it is given here");
    }
}

static const double QUICK_SEARCH = 0.5; /* seconds */

/* Conditions at the start that are more than there are unknowns. */
static bool label_conditions(const ExplainModel *what, uint32_t eq, Diag *diag, Note *note)
{
    const System *s = gen_system(what->compiled);
    for (uint32_t k = 0; k < s->redundant.n; k++) {
        if (s->redundant.at[k] != eq) continue;
        const DaeOthers *others = &s->redundant_with.at[k];
        for (uint32_t j = 0; j < others->n && j < MOST_OTHERS; j++) {
            const DaeEq *other = &s->eqs.at[s->conditions.at[others->first + j]];
            diag_label(diag, note, other->span, "this %s says otherwise",
                       other->is_start ? "fixed start value" : "initial equation");
        }
        diag_hint(diag, note,
                  "one of these conditions is too many: leave one out, or fixed = false at a start value");
        return true;
    }
    return false;
}

static void explain_equation(const ExplainModel *what, RunInstance *run, const RunFailure *f, Diag *diag,
                             Note *note)
{
    const RunModel *m = run_model(run);
    const System *s = gen_system(what->compiled);
    const DaeEq *eq = &s->eqs.at[f->source];
    Sym sides[] = { eq->left, eq->right };
    Reads reads = { 0 };
    if (label_conditions(what, f->source, diag, note)) return;
    words_reads(what, eq->left, &reads, MOST_READS + 1);
    words_reads(what, eq->right, &reads, MOST_READS + 1);
    hint_values(what, f, &reads, diag, note);
    hint_bounds(what, f, &reads, diag, note);
    hint_domain(what, f, sides, 2, diag, note);
    if (f->block != NONE) hint_block(what, run, f, &m->blocks[f->block], diag, note);
}

/* An assignment that gives a variable its value. */
static Sym value_of(const System *s, uint32_t var)
{
    const Sequence *all[] = { &s->continuous, &s->initial, &s->parameters };
    for (size_t q = 0; q < COUNT_OF(all); q++)
        for (uint32_t k = 0; k < all[q]->assigns.n; k++)
            if (all[q]->assigns.at[k].var == var) return all[q]->assigns.at[k].value;
    for (uint32_t k = 0; k < s->discrete.n; k++)
        if (s->discrete.at[k].var == var) return s->discrete.at[k].value;
    return SYM_ZERO;
}

static void explain_value(const ExplainModel *what, const RunFailure *f, Sym value, Diag *diag, Note *note)
{
    Reads reads = { 0 };
    words_reads(what, value, &reads, MOST_READS + 1);
    hint_values(what, f, &reads, diag, note);
    hint_bounds(what, f, &reads, diag, note);
    hint_domain(what, f, &value, 1, diag, note);
}

/* What messages say of the equation stands below as text. */
static const char *without_text(const ExplainModel *what, const char *message)
{
    const char *at = strstr(message, " in `"), *end = at ? strstr(at, "), for '") : NULL;
    const char *close = at ? strrchr(at, ')') : NULL;
    if (!at) return message;
    const char *rest = end ? end + 1 : close ? close + 1 : "";
    return arena_printf(what->arena, "%.*s%s", (int)(at - message), message, rest);
}

static uint32_t relation_of(const RunModel *m, int indicator)
{
    for (uint32_t k = 0; k < m->relation_count; k++)
        if (m->indicator_of[k] == (uint32_t)indicator) return k;
    return NONE;
}

/* A relation that switches without end, or the unknown on which the integrator gave up. */
static Note *explain_integration(const ExplainModel *what, const RunModel *m, const SimReport *report,
                                 Diag *diag)
{
    const System *s = gen_system(what->compiled);
    uint32_t relation = report->indicator >= 0 ? relation_of(m, report->indicator) : NONE;
    uint32_t state = report->component >= 0 && (uint32_t)report->component < m->state_count
                         ? m->states[report->component]
                         : NONE;
    Span span = relation != NONE ? s->relations.at[relation].span : (Span){ 0 };
    Span user = state == NONE ? (Span){ 0 } : dae_user_place(s, state);
    if (state != NONE) span = s->vars.at[state].span;
    Note *note = diag_add(diag, E_RUN_FAILED, user.n ? user : span, "%s", report->message);
    if (user.n) diag_label(diag, note, span, "declared here");
    if (state == NONE) return note;
    for (uint32_t k = 0; k < s->continuous.assigns.n; k++) {
        const DaeAssign *a = &s->continuous.assigns.at[k];
        if (a->var == m->rates[report->component] && a->eq != NONE)
            diag_label(diag, note, s->eqs.at[a->eq].span, "its derivative comes from here");
    }
    return note;
}

/* What `acausal explain start` would find, if that is quick. */
static void hint_start(const ExplainModel *what, const Model *model, double t, Diag *diag, Note *note)
{
    ExplainModel like = *what;
    ExplainStart options = { .t = t, .time_limit = QUICK_SEARCH };
    like.like = model;
    const char *values = explain_start_values(&like, &options);
    if (values)
        diag_hint(diag, note, "it starts with %s", values);
    else
        diag_hint(diag, note, "'acausal explain start' shows all of it and looks for start values longer");
}

/* The statement of a function that a failure is in, or an assertion in one. */
static uint32_t statement_of(const System *s, uint32_t source)
{
    if (source == NONE) return NONE;
    if (source & SOURCE_STATEMENT) return source & 0x0fffffff;
    if (!(source & SOURCE_CHECK)) return NONE;
    Span span = s->checks.at[source & 0x0fffffff].span;
    for (uint32_t k = 0; k < s->flat->stmts.n; k++)
        if (s->flat->stmts.at[k].kind == S_ASSERT && s->flat->stmts.at[k].span.at == span.at) return k;
    return NONE;
}

Note *explain_failure(const ExplainModel *what, const Model *model, const SimReport *report, Diag *diag)
{
    const System *s = gen_system(what->compiled);
    RunInstance *run = gen_running(model);
    const RunFailure *f = run_failure(run);
    uint32_t var;
    bool is_known = report->in_model && f->source != NONE && f->values;
    if (!is_known) return explain_integration(what, run_model(run), report, diag);
    Span span = words_of_source(what, f->source, &var);
    Span user = var == NONE ? (Span){ 0 } : dae_user_place(s, var), callers[MOST_CALLERS];
    uint32_t statement = statement_of(s, f->source), called = 0;
    if (statement != NONE) called = explain_callers(what, statement, callers, MOST_CALLERS);
    if (called) user = callers[0];
    Note *note =
        diag_add(diag, E_RUN_FAILED, user.n ? user : span, "%s", without_text(what, report->message));
    if (user.n && span.n)
        diag_label(diag, note, span, "%s",
                   called ? "called from there, this fails" : "the equation that fails is here");
    for (uint32_t k = 1; k < called; k++) diag_label(diag, note, callers[k], "it is called here, too");
    if (f->source & SOURCE_STATEMENT) return note;
    if (f->source & SOURCE_CHECK)
        explain_value(what, f, s->checks.at[f->source & 0x0fffffff].when, diag, note);
    else if (f->source & SOURCE_VARIABLE)
        explain_value(what, f, value_of(s, var), diag, note);
    else
        explain_equation(what, run, f, diag, note);
    if (f->at_start && f->block != NONE) hint_start(what, model, f->t, diag, note);
    return note;
}
