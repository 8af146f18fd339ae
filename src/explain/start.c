/* start.c: why the initial equations are not solved, and which start values would help.
 *
 * In: a compiled model. Out: a report of each block that fails, with its equations, values, guesses
 * and what the worst residual depends on most; then, if something was found, start values that make
 * it start, as few and as round as possible. How: the first block that fails gets other guesses for
 * its tearing variables, one at a time by influence (nominal values, bounds, values of variables of
 * the same unit), then all of them at random; where it is solved, the next one that fails, if any.
 * What was found is rounded and thinned out as long as it starts. Cost: a start a try, until the
 * time limit. Tests: tests/explain/start.sh, tests/diagnose. */
#include "explain/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_ROUNDS = 6,
    MOST_SETTINGS = 60,
    MOST_CANDIDATES = 12,
    RANDOM_TRIES = 400,
    MOST_NEIGHBOURS = 6,
    MOST_VALUES = 60
};
static const double BESIDE = 0.01; /* of a value that is read: how far from it a root is looked for */
static const double LEAST_INFLUENCE_STEP = 1e-4; /* of an unknown's size: its change for the influence */

/* A start value that is given: a variable of the shape. */
typedef struct {
    int variable;
    double value;
} Setting;

typedef struct {
    const ExplainModel *what;
    const ExplainStart *options;
    System *s;
    const RunModel *m;
    Text *out;
    double deadline;
    Setting settings[MOST_SETTINGS];
    int count;
    int tries;
    uint64_t random;
    Model *failed; /* the instance of the last failure; freed with the next one */
    double *y;
    double *solved; /* by variable: values of the last start that went on farther */
} Search;

/* ---- tries ----------------------------------------------------------------------------------- */

static bool is_over(void *arg)
{
    const Search *x = arg;
    return clock_wall() > x->deadline || (x->options->interrupt && *x->options->interrupt);
}

/* What was set by hand stays. */
static void give_values(const Search *x, Model *m)
{
    RunInstance *from = x->what->like ? gen_running(x->what->like) : NULL;
    const char *why;
    for (int i = 0; from && i < m->shape.variable_count; i++) {
        const ModelVariable *v = &m->shape.variables[i];
        if (v->is_settable && !v->negated && run_memory(from, MEM_SET)[v->slot] != 0)
            m->type->set(m, i, run_memory(from, MEM_GIVEN)[v->slot], &why);
    }
}

/* An instance that was asked to start with these values; *ok says whether it did. */
static Model *start_with(Search *x, const Setting *settings, int n, bool *ok)
{
    Model *m = gen_instance(x->what->compiled);
    EventInfo info = { .next_time = INFINITY };
    const char *why;
    *ok = false;
    x->tries++;
    if (!m) return NULL;
    give_values(x, m);
    for (int k = 0; k < n; k++) m->type->set(m, settings[k].variable, settings[k].value, &why);
    m->type->set_interrupt(m, is_over, x);
    *ok = m->type->initialise(m, x->options->t, x->y, &info) == EVAL_OK;
    m->type->set_interrupt(m, NULL, NULL);
    for (int k = 0; k < m->shape.n && *ok; k++) *ok = isfinite(x->y[k]);
    return m;
}

static bool starts_with(Search *x, const Setting *settings, int n)
{
    bool ok;
    Model *m = start_with(x, settings, n, &ok);
    if (ok) memcpy(x->solved, run_values_now(gen_running(m)), x->m->var_count * sizeof(double));
    gen_instance_free(m);
    return ok;
}

/* What stands for a variable of the system in the model's shape; -1 if it cannot be set. */
static int settable(const Search *x, uint32_t var, bool *negated)
{
    const ModelShape *shape = gen_shape(x->what->compiled);
    int found = -1;
    for (int i = 0; i < shape->variable_count; i++) {
        const ModelVariable *v = &shape->variables[i];
        if (v->slot != (int)var || !v->is_settable || v->type != VARIABLE_REAL) continue;
        if (found < 0 || (!v->is_protected && (shape->variables[found].is_protected || *negated)))
            found = i, *negated = v->negated;
    }
    return found;
}

/* ---- what fails ------------------------------------------------------------------------------ */

static double size_of_unknown(const Model *m, uint32_t var, double value)
{
    double nominal = run_memory(gen_running(m), MEM_NOMINAL)[var];
    return fabs(value) + (nominal > 0 ? nominal : 1);
}

/* Residuals of a block with these values of its unknowns; false: they are not defined. */
static bool residuals_at(Search *x, Model *m, const RunBlock *b, const double *z, double *r)
{
    RunInstance *run = gen_running(m);
    double *values = run_memory(run, MEM_VALUE);
    for (int k = 0; k < b->n; k++) values[b->vars[k]] = z[k];
    bool ok = x->m->call(x->m->code, b->residual, run_rt(run)) == RT_OK;
    memcpy(r, run_memory(run, MEM_RESIDUAL), (size_t)b->n * sizeof *r);
    for (int k = 0; k < b->n; k++) ok &= isfinite(r[k]);
    return ok;
}

/* How much the residuals move with each unknown, at the guess: relative changes. */
static void find_influence(Search *x, Model *m, const RunBlock *b, const double *guess, double *influence)
{
    Arena *a = x->what->arena;
    double *z = NEW_ARRAY(a, double, (size_t)b->n + 1), *r = NEW_ARRAY(a, double, (size_t)b->n + 1);
    double *moved = NEW_ARRAY(a, double, (size_t)b->n + 1);
    memcpy(z, guess, (size_t)b->n * sizeof *z);
    bool is_defined = residuals_at(x, m, b, z, r);
    for (int k = 0; k < b->n; k++) {
        influence[k] = 0;
        double h = LEAST_INFLUENCE_STEP * size_of_unknown(m, b->vars[k], z[k]), kept = z[k];
        z[k] += h;
        bool ok = residuals_at(x, m, b, z, moved) && is_defined;
        for (int j = 0; j < b->n && ok; j++)
            influence[k] =
                fmax(influence[k], fabs(moved[j] - r[j]) / (LEAST_INFLUENCE_STEP * (fabs(r[j]) + 1e-300)));
        z[k] = kept;
    }
}

static void write_block(Search *x, Model *m, const RunFailure *f, const RunBlock *b)
{
    static const char *const why[] = { "", "Newton's method does not converge", "its Jacobian is singular",
                                       "its equations are not defined at the guess" };
    double *influence = NEW_ARRAY(x->what->arena, double, (size_t)b->n + 1);
    double *r = NEW_ARRAY(x->what->arena, double, (size_t)b->n + 1), largest = 0;
    text_printf(x->out, "  %s block of %d unknown%s: %s, after %d iterations\n",
                b->is_linear ? "a linear" : "a nonlinear", b->n, b->n == 1 ? "" : "s", why[f->why],
                f->iterations);
    residuals_at(x, m, b, f->guess, r);
    find_influence(x, m, b, f->guess, influence);
    residuals_at(x, m, b, f->guess, r);
    for (int k = 0; k < b->n && k < MOST_CANDIDATES; k++) {
        const char *place = words_of_place(x->what, x->s->eqs.at[b->eqs[k]].span);
        text_printf(x->out, "    equation %-3d %s%s%s\n      residual %.6g at the guess\n", k + 1,
                    words_of_equation(x->what, b->eqs[k]), *place ? "   " : "", place,
                    isnan(r[k]) ? NAN : r[k]);
        largest = fmax(largest, influence[k]);
    }
    for (int k = 0; k < b->n && k < MOST_CANDIDATES; k++)
        text_printf(x->out, "    unknown  %-3s %s began at %.6g (%s), ended at %.6g%s\n", "",
                    x->s->vars.at[b->vars[k]].name, f->guess[k],
                    explain_guess(x->what, gen_running(x->failed), b->vars[k]), f->values[b->vars[k]],
                    b->n > 1 && influence[k] > 0 && influence[k] == largest
                        ? "; the residuals depend most on it"
                        : "");
    if (b->n > MOST_CANDIDATES) text_printf(x->out, "    ... and %d more\n", b->n - MOST_CANDIDATES);
}

static void write_failure(Search *x, Model *m)
{
    const RunFailure *f = run_failure(gen_running(m));
    const char *message = run_message(gen_running(m));
    text_printf(x->out, "%s\n", message);
    if (f->source == NONE || !f->values) return;
    if (f->block != NONE) {
        write_block(x, m, f, &x->m->blocks[f->block]);
        return;
    }
    uint32_t var;
    Reads reads = { 0 };
    Span span = words_of_source(x->what, f->source, &var);
    text_printf(x->out, "  %s   %s\n", words_of_span(x->what, span), words_of_place(x->what, span));
    if (f->source >= x->s->eqs.n) return;
    words_reads(x->what, x->s->eqs.at[f->source].left, &reads, MOST_CANDIDATES);
    words_reads(x->what, x->s->eqs.at[f->source].right, &reads, MOST_CANDIDATES);
    for (uint32_t k = 0; k < reads.n; k++)
        text_printf(x->out, "    %s (%s)\n", words_of_value(x->what, reads.at[k], f->values),
                    explain_guess(x->what, gen_running(x->failed), reads.at[k]));
}

/* ---- where start values come from ------------------------------------------------------------ */

/* Whose start values may be changed for what failed: the tearing variables of its block, or those
 * start values that the values it reads were computed from. */
typedef VEC(uint32_t) Vars;

static void add_upward(Search *x, Sym e, uint8_t *seen, Vars *vars);

static void add_cause(Search *x, uint32_t var, uint8_t *seen, Vars *vars)
{
    const Sequence *q = &x->s->initial;
    if (seen[var]++ || vars->n >= MOST_CANDIDATES) return;
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        for (uint32_t j = 0; j < b->tear_n; j++)
            if (q->tears.at[b->tear_first + j] == var) vec_push(x->what->arena, vars, var);
        for (uint32_t j = 0; j < b->n; j++) {
            const DaeAssign *a = &q->assigns.at[b->first + j];
            if (a->var != var) continue;
            bool is_start = a->eq != NONE && x->s->eqs.at[a->eq].is_start;
            if (is_start && !x->s->vars.at[var].is_fixed)
                vec_push(x->what->arena, vars, var);
            else if (!is_start)
                add_upward(x, a->value, seen, vars);
        }
    }
}

static void add_upward(Search *x, Sym e, uint8_t *seen, Vars *vars)
{
    Reads reads = { 0 };
    words_reads(x->what, e, &reads, MOST_CANDIDATES);
    for (uint32_t k = 0; k < reads.n; k++) add_cause(x, reads.at[k], seen, vars);
}

static Vars candidates_of(Search *x, Model *m, double **guess)
{
    const RunFailure *f = run_failure(gen_running(m));
    Vars vars = { 0 };
    *guess = NEW_ARRAY(x->what->arena, double, MOST_SETTINGS);
    if (f->source == NONE || !f->values) return vars;
    if (f->block == NONE) {
        uint8_t *seen = NEW_ARRAY(x->what->arena, uint8_t, x->s->vars.n + 1);
        if (f->source & SOURCE_VARIABLE) add_cause(x, f->source & 0x0fffffff, seen, &vars);
        if (f->source >= x->s->eqs.n) return vars;
        add_upward(x, x->s->eqs.at[f->source].left, seen, &vars);
        add_upward(x, x->s->eqs.at[f->source].right, seen, &vars);
        for (uint32_t k = 0; k < vars.n; k++) (*guess)[k] = f->values[vars.at[k]];
        return vars;
    }
    const RunBlock *b = &x->m->blocks[f->block];
    double *influence = NEW_ARRAY(x->what->arena, double, (size_t)b->n + 1);
    double *began = NEW_ARRAY(x->what->arena, double, (size_t)b->n + 1);
    memcpy(began, f->guess, (size_t)b->n * sizeof *began);
    find_influence(x, m, b, began, influence);
    for (int n = 0; n < b->n && vars.n < MOST_SETTINGS; n++) { /* the most influential first */
        int best = -1;
        for (int k = 0; k < b->n; k++)
            if (influence[k] >= 0 && (best < 0 || influence[k] > influence[best])) best = k;
        (*guess)[vars.n] = began[best];
        vec_push(x->what->arena, &vars, b->vars[best]);
        influence[best] = -1;
    }
    return vars;
}

/* Values that the equations which fail read, and a little beside them: a root is often near one. */
static int list_read(const Search *x, const Model *m, double *values)
{
    const RunFailure *f = run_failure(gen_running(m));
    const RunBlock *b = f->block != NONE ? &x->m->blocks[f->block] : NULL;
    Reads reads = { 0 };
    int n = 0;
    for (int k = 0; b && f->values && k < b->n && reads.n < MOST_NEIGHBOURS; k++) {
        words_reads(x->what, x->s->eqs.at[b->eqs[k]].left, &reads, MOST_NEIGHBOURS);
        words_reads(x->what, x->s->eqs.at[b->eqs[k]].right, &reads, MOST_NEIGHBOURS);
    }
    for (uint32_t k = 0; k < reads.n; k++) {
        double value = f->values[reads.at[k]];
        bool is_unknown = false;
        for (int j = 0; j < b->n; j++) is_unknown |= b->vars[j] == reads.at[k];
        if (is_unknown || value == 0 || !isfinite(value)) continue;
        values[n++] = value, values[n++] = value + fabs(value) * BESIDE,
        values[n++] = value - fabs(value) * BESIDE;
    }
    return n;
}

/* Values to try for a variable. */
static int list_values(const Search *x, const Model *m, uint32_t var, double guess, double *values)
{
    static const double shares[] = { 1, -1, 0.1, -0.1, 10, -10, 0.5, 2, 100 };
    const double *low = run_memory(gen_running(m), MEM_MIN), *high = run_memory(gen_running(m), MEM_MAX);
    const DaeVar *v = &x->s->vars.at[var];
    double nominal = run_memory(gen_running(m), MEM_NOMINAL)[var];
    int n = 0, neighbours = 0;
    Str unit = v->flat == NONE ? (Str){ 0 } : x->s->flat->vars.at[v->flat].unit;
    if (isfinite(low[var]) && isfinite(high[var]) && fabs(low[var]) < 1e50 && fabs(high[var]) < 1e50)
        values[n++] = (low[var] + high[var]) / 2;
    for (uint32_t k = 0; k < x->s->vars.n && unit.n && neighbours < MOST_NEIGHBOURS; k++) {
        const DaeVar *other = &x->s->vars.at[k];
        double start;
        if (k == var || other->flat == NONE || !other->has_start || other->role <= ROLE_CONSTANT) continue;
        if (!str_equal(x->s->flat->vars.at[other->flat].unit, unit)) continue;
        start = run_memory(gen_running(m), MEM_PRE)[k];
        if (start == 0 || start == guess) continue;
        values[n++] = start, neighbours++;
    }
    n += list_read(x, m, values + n);
    for (size_t k = 0; k < COUNT_OF(shares); k++) values[n++] = shares[k] * nominal;
    if (guess != 0)
        values[n++] = 2 * guess, values[n++] = guess / 2, values[n++] = -guess, values[n++] = 10 * guess;
    return n;
}

/* ---- the search ------------------------------------------------------------------------------ */

static double next_random(Search *x) /* in 0..1 */
{
    x->random ^= x->random << 13, x->random ^= x->random >> 7, x->random ^= x->random << 17;
    return (double)(x->random >> 11) * 0x1p-53;
}

/* Another start is better when it works, or when another block fails, behind this one. */
typedef enum { WORSE, FARTHER, STARTS } Outcome;

static Outcome judge(Search *x, const RunFailure *before, const Setting *settings, int n, Model **instance)
{
    bool ok;
    *instance = start_with(x, settings, n, &ok);
    if (ok) {
        memcpy(x->solved, run_values_now(gen_running(*instance)), x->m->var_count * sizeof(double));
        return STARTS;
    }
    const RunFailure *now = *instance ? run_failure(gen_running(*instance)) : NULL;
    bool is_farther = now && before->block != NONE && now->block != NONE && now->block > before->block;
    return is_farther ? FARTHER : WORSE;
}

static void take(Search *x, const Setting *settings, int n, Model *instance)
{
    memcpy(x->settings, settings, (size_t)n * sizeof *settings);
    x->count = n;
    gen_instance_free(x->failed);
    x->failed = instance;
}

static double random_value(Search *x, const Model *m, uint32_t var, double guess)
{
    double values[MOST_VALUES];
    int n = list_values(x, m, var, guess, values);
    double value = next_random(x) < 0.25 ? guess : values[(int)(next_random(x) * n) % n];
    value *= pow(10, 2 * next_random(x) - 1);
    const double *low = run_memory(gen_running(m), MEM_MIN), *high = run_memory(gen_running(m), MEM_MAX);
    return fmin(fmax(value, low[var]), high[var]);
}

/* Other start values for what fails now; in x->settings. */
static Outcome improve(Search *x)
{
    double *guess, values[MOST_VALUES];
    RunFailure before = *run_failure(gen_running(x->failed));
    Vars vars = candidates_of(x, x->failed, &guess);
    Setting settings[MOST_SETTINGS];
    Model *instance;
    int room = MOST_SETTINGS - x->count, usable = 0;
    Setting base[MOST_SETTINGS];
    uint32_t of[MOST_SETTINGS];
    memcpy(settings, x->settings, sizeof settings);
    for (uint32_t k = 0; k < vars.n && usable < room; k++) {
        bool negated = false;
        base[usable].variable = settable(x, vars.at[k], &negated);
        if (base[usable].variable < 0 || negated) continue;
        base[usable].value = guess[k];
        of[usable++] = vars.at[k];
    }
    for (int k = 0; k < usable && k < MOST_CANDIDATES && !is_over(x); k++) {
        int n = list_values(x, x->failed, of[k], base[k].value, values);
        for (int j = 0; j < n && !is_over(x); j++) {
            settings[x->count] = (Setting){ base[k].variable, values[j] };
            Outcome outcome = judge(x, &before, settings, x->count + 1, &instance);
            if (outcome != WORSE) return take(x, settings, x->count + 1, instance), outcome;
            gen_instance_free(instance);
        }
    }
    for (int t = 0; t < RANDOM_TRIES && usable && !is_over(x); t++) {
        for (int k = 0; k < usable; k++)
            settings[x->count + k] =
                (Setting){ base[k].variable, random_value(x, x->failed, of[k], base[k].value) };
        Outcome outcome = judge(x, &before, settings, x->count + usable, &instance);
        if (outcome != WORSE) return take(x, settings, x->count + usable, instance), outcome;
        gen_instance_free(instance);
    }
    return WORSE;
}

/* To this many digits. */
static double rounded(double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL);
}

/* As few start values as possible, near to the solution and round. */
static void thin_out(Search *x)
{
    Setting kept[MOST_SETTINGS];
    const ModelShape *shape = gen_shape(x->what->compiled);
    for (int k = x->count; k-- > 0;) {
        memcpy(kept, x->settings, sizeof kept);
        memmove(kept + k, kept + k + 1, (size_t)(x->count - k - 1) * sizeof *kept);
        if (is_over(x) || !starts_with(x, kept, x->count - 1)) continue;
        memcpy(x->settings, kept, sizeof kept);
        x->count--;
    }
    starts_with(x, x->settings, x->count);
    for (int k = 0; k < x->count; k++) {
        const ModelVariable *v = &shape->variables[x->settings[k].variable];
        double solution = (v->negated ? -1 : 1) * x->solved[v->slot];
        for (int digits = 1; digits <= 6; digits++) {
            memcpy(kept, x->settings, sizeof kept);
            kept[k].value = rounded(solution, digits);
            if (fabs(kept[k].value - solution) > 0.2 * fabs(solution) || is_over(x)) continue;
            if (!starts_with(x, kept, x->count)) continue;
            memcpy(x->settings, kept, sizeof kept);
            break;
        }
    }
}

/* ---- reports --------------------------------------------------------------------------------- */

/* "T(start = 350)", with the component's own name in front: a.b.T becomes a(b(T(start = 350))). */
static void write_modifier(const char *name, double value, Text *out)
{
    int depth = 1;
    for (const char *at = name; *at; at++) {
        bool is_dot = *at == '.';
        depth += is_dot;
        text_add_char(out, is_dot ? '(' : *at);
    }
    text_add_literal(out, "(start = ");
    text_add_real(out, value);
    text_add_repeat(out, ')', (size_t)depth);
}

static void write_proposal(Search *x)
{
    const ModelShape *shape = gen_shape(x->what->compiled);
    text_printf(x->out, "It starts with %s start value%s:\n", x->count == 1 ? "this" : "these",
                x->count == 1 ? "" : "s");
    for (int k = 0; k < x->count; k++) {
        const ModelVariable *v = &shape->variables[x->settings[k].variable];
        const DaeVar *u = &x->s->vars.at[v->slot];
        Span user = dae_user_place(x->s, (uint32_t)v->slot);
        const char *place = words_of_place(x->what, user.n ? user : u->span);
        text_add_literal(x->out, "  ");
        write_modifier(v->name, x->settings[k].value, x->out);
        text_printf(x->out, "%s%s\n", *place ? "   declared at " : "", place);
    }
    text_add_literal(x->out, "or, to try it: ");
    for (int k = 0; k < x->count; k++) {
        text_printf(x->out, " --set '%s=", shape->variables[x->settings[k].variable].name);
        text_add_real(x->out, x->settings[k].value);
        text_add_literal(x->out, "'");
    }
    text_add_literal(x->out, "\n");
}

static void write_guesses(Search *x)
{
    const Sequence *q = &x->s->initial;
    uint32_t shown = 0, total = 0;
    for (uint32_t k = 0; k < q->blocks.n; k++)
        if (q->blocks.at[k].kind == BLOCK_NONLINEAR) total += q->blocks.at[k].tear_n;
    text_printf(x->out, "%u unknown%s solved by iteration at the start%s\n", (unsigned)total,
                total == 1 ? " is" : "s are", total ? ":" : "");
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        for (uint32_t j = 0; j < b->tear_n && b->kind == BLOCK_NONLINEAR && shown < MOST_CANDIDATES;
             j++, shown++) {
            uint32_t v = q->tears.at[b->tear_first + j];
            text_printf(x->out, "  %s (%s)\n", x->s->vars.at[v].name,
                        explain_guess(x->what, gen_running(x->failed), v));
        }
    }
    if (total > shown) text_printf(x->out, "  ... and %u more\n", (unsigned)(total - shown));
}

static void write_json(const Search *x, bool ok, const Text *text, Text *out)
{
    const ModelShape *shape = gen_shape(x->what->compiled);
    text_printf(out, "{\"starts\":%s,\"tries\":%d,\"found\":%s,\"proposal\":[",
                ok && !x->count ? "true" : "false", x->tries, ok ? "true" : "false");
    for (int k = 0; k < x->count && ok; k++) {
        text_printf(out, "%s{\"name\":", k ? "," : "");
        text_add_json(out, str_of(shape->variables[x->settings[k].variable].name));
        text_add_literal(out, ",\"start\":");
        text_add_real(out, x->settings[k].value);
        text_add_literal(out, "}");
    }
    text_add_literal(out, "],\"report\":");
    text_add_json(out, (Str){ text->at, text->n });
    text_add_literal(out, "}\n");
}

/* Tries the model as it is, then looks for start values; what fails goes to x->out. */
static Outcome search(Search *x)
{
    bool ok;
    x->s = gen_system(x->what->compiled);
    x->m = gen_run_model(x->what->compiled);
    x->random = 88172645463325252u;
    x->deadline = clock_wall() + x->options->time_limit;
    x->y = NEW_ARRAY(x->what->arena, double, x->s->states.n + 1);
    x->solved = NEW_ARRAY(x->what->arena, double, x->s->vars.n + 1);
    x->failed = start_with(x, NULL, 0, &ok);
    Outcome outcome = ok ? STARTS : FARTHER;
    for (int round = 0; round < MOST_ROUNDS && outcome == FARTHER && x->failed; round++) {
        write_failure(x, x->failed);
        outcome = improve(x);
    }
    if (outcome == STARTS && x->count) thin_out(x);
    return outcome;
}

bool explain_start(const ExplainModel *what, const ExplainStart *options, bool json, Text *out)
{
    Text own = { .arena = what->arena };
    Search x = { .what = what, .options = options, .out = json ? &own : out };
    bool ok = search(&x) == STARTS;
    if (ok && !x.count) {
        text_add_literal(x.out, "It starts.\n");
        write_guesses(&x);
    } else if (ok) {
        write_proposal(&x);
    } else {
        text_printf(
            x.out,
            "No start value was found that helps, in %d tries: the equations may have no solution. Look at "
            "signs and parameters of those above, and at conditions that fix too much.\n",
            x.tries);
    }
    gen_instance_free(x.failed);
    if (json) write_json(&x, ok, &own, out);
    return ok;
}

const char *explain_start_values(const ExplainModel *what, const ExplainStart *options)
{
    Text unread = { .arena = what->arena }, found = { .arena = what->arena };
    Search x = { .what = what, .options = options, .out = &unread };
    bool ok = search(&x) == STARTS && x.count;
    for (int k = 0; k < x.count && ok; k++) {
        if (k) text_add_literal(&found, ", ");
        write_modifier(gen_shape(what->compiled)->variables[x.settings[k].variable].name, x.settings[k].value,
                       &found);
    }
    gen_instance_free(x.failed);
    return ok ? found.at : NULL;
}
