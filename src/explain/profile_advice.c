/* profile_advice.c: what of a model is most worth changing, in the words of who wrote it.
 *
 * In: counts and shares of a run. Out: sentences with a line and a rough gain, best first. Each
 * rule is one function; thresholds are shares below which nothing is said. Tests: tests/diagnose
 * (slow.cases). */
#include "explain/profile.h"

#include <math.h>
#include <stdlib.h>

static const double LEAST_GAIN = 0.05;    /* of the time: what is worth a sentence */
static const double MANY_EVENTS = 50;     /* in a run: fewer are no nuisance */
static const double MOST_LIMITS = 0.4;    /* of the steps, by one state */
static const double FAST = 1e-3;          /* of the run: a time constant that is short */
static const double MANY_REJECTED = 0.25; /* of the steps */

typedef struct {
    const Profile *p;
    const ProfileShares *shares;
    const System *s;
    ProfileAdvice *at;
    uint32_t n, most;
} Advice;

static double phase_share(const Profile *p, Phase phase)
{
    return p->samples ? (double)p->phase_samples[phase] / (double)p->samples : 0;
}

static void advise(Advice *a, double gain, Span span, const char *format, ...) PRINTF_LIKE(4, 5);
static void advise(Advice *a, double gain, Span span, const char *format, ...)
{
    Text text = { .arena = a->p->what->arena };
    va_list args;
    if (a->n >= a->most) return;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    a->at[a->n++] = (ProfileAdvice){ gain, text.at, span };
}

static double total_events(const Profile *p)
{
    return (double)(p->kinds[EVENT_STATE] + p->kinds[EVENT_TIME] + p->kinds[EVENT_INPUT]);
}

/* What events take: their own equations, and steps of the integrator that begin anew. */
static double event_share(const Profile *p)
{
    double restarts = (double)p->steps > 0 ? fmin(1, 3 * total_events(p) / (double)p->steps) : 0;
    double own = phase_share(p, PHASE_EVENTS);
    return fmin(1, own + restarts * (1 - own) * 0.8);
}

static Span relation_span(const Advice *a, uint32_t indicator, uint32_t *relation)
{
    for (uint32_t k = 0; k < a->p->run->relation_count; k++)
        if (a->p->run->indicator_of[k] == indicator) return *relation = k, a->s->relations.at[k].span;
    return *relation = NONE, (Span){ 0 };
}

static void look_at_relations(Advice *a)
{
    const Profile *p = a->p;
    for (uint32_t k = 0; k < p->run->indicator_count; k++) {
        double count = (double)p->crossings[k], gain = event_share(p) * count / fmax(1, total_events(p));
        uint32_t relation;
        if (count < MANY_EVENTS || gain < LEAST_GAIN) continue;
        Span span = relation_span(a, k, &relation);
        const DaeRelation *r = relation == NONE ? NULL : &a->s->relations.at[relation];
        Text words = { .arena = p->what->arena };
        if (r) dae_print_expr(a->s, r->left, &words);
        if (r) text_printf(&words, "%s", r->op == SYM_LT ? " < " : " <= ");
        if (r) dae_print_expr(a->s, r->right, &words);
        advise(a, gain, span,
               "the relation `%.100s` switched %.0f times, and each time the integrator begins anew: "
               "give it a hysteresis, or write noEvent() or smooth() if what depends on it does not jump",
               words.at ? words.at : "?", count);
    }
}

/* The statement in which sample() stands. */
static Span sample_span(const Flat *f, Arena *arena)
{
    uint8_t *is_in = NEW_ARRAY(arena, uint8_t, f->exprs.n + 1);
    for (ExprId id = 0; id < f->exprs.n; id++) {
        const FlatExpr *e = &f->exprs.at[id];
        is_in[id] = e->kind == X_BUILTIN && e->op == BUILTIN_SAMPLE;
        for (uint32_t k = 0; k < e->n; k++) is_in[id] |= is_in[f->ids.at[e->first + k]];
    }
    for (StmtId k = 0; k < f->stmts.n; k++) {
        const FlatStmt *st = &f->stmts.at[k];
        if ((st->left != NONE && is_in[st->left]) || (st->right != NONE && is_in[st->right])) return st->span;
        for (uint32_t j = 0; j < st->n; j++) {
            ExprId condition = f->branches.at[st->first + j].condition;
            if (condition != NONE && is_in[condition]) return st->span;
        }
    }
    for (VarId v = 0; v < f->vars.n; v++)
        if (f->vars.at[v].binding != NONE && is_in[f->vars.at[v].binding]) return f->vars.at[v].span;
    return (Span){ 0 };
}

static void look_at_time_events(Advice *a)
{
    const Profile *p = a->p;
    double count = (double)p->kinds[EVENT_TIME], gain = event_share(p) * count / fmax(1, total_events(p));
    if (count < MANY_EVENTS || gain < LEAST_GAIN) return;
    Span span = a->s->samples.n ? sample_span(a->s->flat, p->what->arena) : (Span){ 0 };
    for (uint32_t k = 0; !span.n && k < a->s->relations.n; k++)
        if (a->s->relations.at[k].is_time) span = a->s->relations.at[k].span;
    advise(a, gain, span,
           "%.0f time events, one every %.3g s: a longer interval, or a continuous form of what is sampled, "
           "lets the integrator take longer steps",
           count, (p->report.t - 0) / fmax(1, count));
}

/* The equation that gives the derivative of a state. */
static Span rate_span(const Advice *a, uint32_t state)
{
    const System *s = a->s;
    uint32_t rate = a->p->run->rates[state];
    for (uint32_t k = 0; k < s->continuous.assigns.n; k++) {
        const DaeAssign *x = &s->continuous.assigns.at[k];
        if (x->var == rate && x->eq != NONE) return dae_equation_place(s, x->eq);
    }
    return dae_place(s, a->p->run->states[state]);
}

/* 1 / |df_i/dx_i| at the end of the run; INFINITY: its own value does not matter. */
static double time_constant(const Profile *p, uint32_t state)
{
    Model *m = p->model;
    uint32_t n = p->run->state_count;
    double *y = NEW_ARRAY(p->what->arena, double, n + 1), *f = NEW_ARRAY(p->what->arena, double, n + 1);
    double *g = NEW_ARRAY(p->what->arena, double, n + 1);
    for (uint32_t k = 0; k < n; k++) y[k] = run_values_now(gen_running(m))[p->run->states[k]];
    if (m->type->derivatives(m, p->report.t, y, f) != EVAL_OK) return INFINITY;
    double h = 1e-6 * (fabs(y[state]) + 1e3 * p->weight[state]);
    y[state] += h;
    if (m->type->derivatives(m, p->report.t, y, g) != EVAL_OK) return INFINITY;
    double rate = fabs(g[state] - f[state]) / h;
    return rate > 0 ? 1 / rate : INFINITY;
}

static void look_at_states(Advice *a)
{
    const Profile *p = a->p;
    double span = p->trail.n ? p->trail.at[p->trail.n - 1].t - p->trail.at[0].t + p->trail.at[0].h : 0;
    double stepping = 1 - phase_share(p, PHASE_START);
    for (uint32_t k = 0; k < p->run->state_count && p->steps > 20; k++) {
        double share = (double)p->limits[k] / (double)p->steps, tau = INFINITY;
        const char *name = a->s->vars.at[p->run->states[k]].name;
        if (share < MOST_LIMITS && p->run->state_count > 60) continue;
        tau = time_constant(p, k);
        if (tau < FAST * span && tau * 100 < span) {
            double gain = stepping * fmax(share, 0.2);
            advise(a, gain * fmin(1, 0.3 + (double)p->steps / 2000), rate_span(a, k),
                   "'%s' settles with a time constant of %.2g s in a run of %.3g s%s: if nobody needs how, "
                   "write the equation it settles to instead of its derivative, or make it slower",
                   name, tau, span, share > MOST_LIMITS ? ", and it limits most steps" : "");
        } else if (share > MOST_LIMITS && p->steps > 500 && p->run->state_count > 1) {
            advise(
                a, stepping * share * 0.5, rate_span(a, k),
                "'%s' limits %.0f %% of the steps: it moves fastest, and all other equations are computed as "
                "often as it needs",
                name, 100 * share);
        } else if (share > MOST_LIMITS && p->steps > 500) {
            advise(a, stepping * share * 0.3, rate_span(a, k),
                   "'%s' limits %.0f %% of %llu steps: it keeps moving over the whole run", name, 100 * share,
                   (unsigned long long)p->steps);
        }
    }
}

/* Steps that are thrown away without an event: a jump or kink that nobody announces. */
static void look_at_rejections(Advice *a)
{
    const SolverStats *w = &a->p->report.stats.work;
    double rejected = (double)(w->rejected_error + w->rejected_newton + w->rejected_model);
    double share = rejected / fmax(1, (double)w->steps + rejected);
    uint32_t worst = NONE;
    if (share < MANY_REJECTED || rejected < 20) return;
    for (uint32_t k = 0; k < a->p->run->state_count; k++)
        if (worst == NONE || a->p->limits[k] > a->p->limits[worst]) worst = k;
    if (worst == NONE) return;
    advise(
        a, share * 0.7, rate_span(a, worst),
        "%.0f of %.0f trial steps failed, most for '%s': what it depends on jumps or bends without an event; "
        "look for noEvent(), tables, functions with branches",
        rejected, (double)w->steps + rejected, a->s->vars.at[a->p->run->states[worst]].name);
}

static void look_at_blocks(Advice *a)
{
    const Profile *p = a->p;
    for (uint32_t k = 0; k < p->run->block_count; k++) {
        const RunBlock *b = &p->run->blocks[k];
        double gain = 0.8 * a->shares->by_block[k];
        uint64_t failed = 0;
        for (int c = 0; c < PROFILE_CAUSES; c++) failed += p->failures[k * PROFILE_CAUSES + (uint32_t)c];
        if (gain < 3 * LEAST_GAIN && failed < 10) continue;
        uint32_t eq = b->eqs[0];
        advise(a, gain + (failed > 10 ? 0.1 : 0), dae_equation_place(a->s, eq),
               "%d unknown%s with '%s' %s%s at each evaluation, %.0f %% of the time%s: %s", b->n,
               b->n > 1 ? "s" : "", a->s->vars.at[b->vars[0]].name,
               b->n > 1 ? "are solved together" : "is solved",
               b->is_linear ? ", a linear system," : " by Newton's method", 100 * a->shares->by_block[k],
               failed ? arena_printf(p->what->arena, ", failing %llu times", (unsigned long long)failed) : "",
               b->is_linear ? "a state between its parts (a small volume, capacity, inertia) would cut it"
                            : "solve the equation for its unknown by hand, make it linear, or put a state "
                              "between its parts");
    }
}

static void look_at_functions(Advice *a)
{
    const IrModule *m = gen_module(a->p->what->compiled);
    const Flat *f = a->s->flat;
    for (uint32_t k = 0; k < f->functions.n; k++) {
        double share = 0;
        Span at = { 0 };
        for (uint32_t j = 0; j < m->functions.n; j++) {
            const char *name = m->functions.at[j]->name;
            size_t n = strlen(f->functions.at[k].name);
            if (name && !strncmp(name, f->functions.at[k].name, n) &&
                (!name[n] || name[n] == '.' || name[n] == '$'))
                share += a->shares->by_function[j];
        }
        if (share < 3 * LEAST_GAIN) continue;
        if (f->functions.at[k].n) explain_callers(a->p->what, f->ids.at[f->functions.at[k].first], &at, 1);
        advise(a, 0.7 * share, at.n ? at : f->functions.at[k].span,
               "calls of the function %s take %.0f %% of the time: make it cheaper, or a table of its values",
               f->functions.at[k].name, 100 * share);
    }
}

static void look_at_equations(Advice *a)
{
    if (!a->shares->n) return;
    const ProfileShare *e = &a->shares->at[0];
    double next = a->shares->n > 1 ? a->shares->at[1].share : 0;
    uint32_t var;
    Span span = words_of_source(a->p->what, e->source, &var);
    if (e->share < 4 * LEAST_GAIN || e->share < 3 * next) return;
    if (e->source < a->s->eqs.n) span = dae_equation_place(a->s, e->source);
    advise(a, 0.5 * e->share, span, "this equation alone takes %.0f %% of the time", 100 * e->share);
}

static void look_at_output(Advice *a)
{
    const SimStats *s = &a->p->report.stats;
    double share = s->output_s / fmax(1e-12, s->total_s);
    double start = s->initialise_s / fmax(1e-12, s->total_s);
    if (share > 0.3 && s->rows > 2000)
        advise(a, 0.9 * share, (Span){ 0 },
               "%ld rows of output take %.0f %% of the time: fewer points, or fewer variables (--vars)",
               s->rows, 100 * share);
    if (start > 0.3 && s->initialise_s > 0.05)
        advise(a, 0.9 * start, (Span){ 0 },
               "initial equations take %.0f %% of the time: `acausal explain start` shows which guesses they "
               "begin with",
               100 * start);
}

static int descending(const void *x, const void *y)
{
    double a = ((const ProfileAdvice *)x)->gain, b = ((const ProfileAdvice *)y)->gain;
    return (a < b) - (a > b);
}

uint32_t profile_advice(const Profile *p, const ProfileShares *shares, ProfileAdvice *advice, uint32_t most)
{
    enum { ALL = 64 };
    ProfileAdvice all[ALL];
    Advice a = { .p = p, .shares = shares, .s = gen_system(p->what->compiled), .at = all, .most = ALL };
    static void (*const rules[])(Advice *) = { look_at_relations, look_at_time_events, look_at_rejections,
                                               look_at_states,    look_at_blocks,      look_at_functions,
                                               look_at_equations, look_at_output };
    for (size_t k = 0; k < COUNT_OF(rules); k++) rules[k](&a);
    qsort(all, a.n, sizeof *all, descending);
    uint32_t n = 0;
    for (uint32_t k = 0; k < a.n && n < most; k++)
        if (all[k].gain >= LEAST_GAIN) advice[n++] = all[k];
    return n;
}
