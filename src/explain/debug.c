/* debug.c: a run that stops where a person wants it, is looked at, and goes on, also from an
 * earlier point.
 *
 * In: an instance, commands. Out: answers. How: the run calls back after each step and event, and
 * waits there. Each accepted point is kept, the last DEBUG_KEPT of them; going back and setting a
 * value leave the run and begin another one at the point, as FMUs that save their state do. Between
 * steps breakpoints are located on the interpolant. Tests: tests/cli/debug.sh. */
#include "explain/debug.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const size_t MOST_KEPT_BYTES = (size_t)64 << 20;
enum { BISECTIONS = 50, WHY_DEPTH = 4, MOST_PRINTED = 40 };

void debug_say(Debug *d, const char *format, ...)
{
    Text text = { .arena = d->what->arena };
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    d->io->write(d->io->arg, text.at, text.n);
}

int debug_byte(Debug *d)
{
    if (d->in_from == d->in_to) {
        d->in_from = 0;
        d->in_to = d->io->read(d->io->arg, d->in, sizeof d->in);
        if (!d->in_to) return -1;
    }
    return (unsigned char)d->in[d->in_from++];
}

uint32_t debug_find(const Debug *d, Str name, bool *is_negated)
{
    const ModelShape *shape = gen_shape(d->what->compiled);
    *is_negated = false;
    for (int i = 0; i < shape->variable_count; i++) {
        if (!str_is(name, shape->variables[i].name)) continue;
        *is_negated = shape->variables[i].negated;
        return (uint32_t)shape->variables[i].slot;
    }
    for (uint32_t v = 0; v < d->s->vars.n; v++)
        if (str_is(name, d->s->vars.at[v].name)) return v;
    return NONE;
}

double debug_value(const Debug *d, uint32_t var, bool is_negated)
{
    return is_negated ? -d->values[var] : d->values[var];
}

/* All values at a point become those that are shown. */
static bool look(Debug *d, double t, const double *y)
{
    bool ok = run_values(d->run, t, y) == RUN_OK;
    memcpy(d->values, run_values_now(d->run), d->m->var_count * sizeof *d->values);
    d->t = t;
    if (y != d->y) memcpy(d->y, y, d->m->state_count * sizeof *y);
    return ok;
}

static bool is_past(const Breakpoint *b, const double *values)
{
    double value = b->is_negated ? -values[b->var] : values[b->var];
    return b->is_above ? value > b->value : value < b->value;
}

static bool is_beyond(const Debug *d, const Breakpoint *b) { return is_past(b, d->values); }

/* ---- points to go back to -------------------------------------------------------------------- */

static long most_points(const Debug *d)
{
    size_t size = d->model->type->save_size(d->model) + d->m->var_count * sizeof(double);
    return size * DEBUG_KEPT > MOST_KEPT_BYTES ? (long)(MOST_KEPT_BYTES / size) + 1 : DEBUG_KEPT;
}

static bool fill_point(Debug *d, DebugPoint *p)
{
    size_t size = d->model->type->save_size(d->model), n = d->m->state_count + 1;
    free(p->state), free(p->y), free(p->values);
    p->state = malloc(size + 1);
    p->y = malloc(n * sizeof *p->y);
    p->values = malloc((d->m->var_count + 1) * sizeof *p->values);
    if (!p->state || !p->y || !p->values) return false;
    p->t = d->t;
    memcpy(p->y, d->y, (n - 1) * sizeof *p->y);
    memcpy(p->values, d->values, d->m->var_count * sizeof *p->values);
    d->model->type->save(d->model, p->state);
    return true;
}

static void free_point(DebugPoint *p) { free(p->state), free(p->y), free(p->values); }

static void keep_point(Debug *d)
{
    if (fill_point(d, &d->kept[d->points % most_points(d)])) d->points++;
}

static void go_back(Debug *d, long steps, Text *out)
{
    /* the last point is the stop itself, unless that lies inside of a step */
    long most = most_points(d), last = d->points - 1, first = d->points > most ? d->points - most : 0;
    if (last >= 0 && d->kept[last % most].t >= d->t) last--;
    long to = last - steps + 1;
    if (to < first) {
        text_printf(out, "there are only %ld earlier points\n", last - first + 1);
        return;
    }
    const DebugPoint *p = &d->kept[to % most];
    memcpy(d->y, p->y, d->m->state_count * sizeof *d->y);
    memcpy(d->values, p->values, d->m->var_count * sizeof *d->values);
    d->t = p->t;
    d->restore = p->state;
    d->points = to + 1;
    d->setting_count = 0;
    d->restarts = true;
    d->has_ended = d->failed = false;
    for (int k = 0; k < DEBUG_BREAKS; k++)
        if (d->breaks[k].kind == BREAK_BOUND) d->breaks[k].holds = is_beyond(d, &d->breaks[k]);
    text_printf(out, "back at t = %.9g\n", d->t);
}

/* ---- commands -------------------------------------------------------------------------------- */

/* The next word of a line; "" at its end. */
static Str next_word(const char **at)
{
    while (**at == ' ' || **at == '\t') ++*at;
    const char *from = *at;
    int open = 0;
    for (; **at && (open > 0 || (**at != ' ' && **at != '\t')); ++*at) open += (**at == '[') - (**at == ']');
    return (Str){ from, (size_t)(*at - from) };
}

static bool read_number(Str word, double *value)
{
    char text[64], *end;
    snprintf(text, sizeof text, "%.*s", (int)word.n, word.at);
    *value = strtod(text, &end);
    return end != text && !*end;
}

static bool find_or_say(const Debug *d, Str name, uint32_t *var, bool *is_negated, Text *out)
{
    const ModelShape *shape = gen_shape(d->what->compiled);
    *var = debug_find(d, name, is_negated);
    if (*var != NONE) return true;
    const char **names = NEW_ARRAY(d->what->arena, const char *, (size_t)shape->variable_count + 1);
    for (int i = 0; i < shape->variable_count; i++) names[i] = shape->variables[i].name;
    const char *near = text_nearest(name, names, (size_t)shape->variable_count);
    text_printf(out, "there is no variable '%.*s'", (int)name.n, name.at);
    if (near) text_printf(out, "; did you mean '%s'?", near);
    text_add_literal(out, "\n");
    return false;
}

static bool do_break(Debug *d, const char *rest, Text *out)
{
    const char *at = rest;
    Str first = next_word(&at), second = next_word(&at), third = next_word(&at);
    Breakpoint b = { .kind = BREAK_NONE };
    double number;
    snprintf(b.text, sizeof b.text, "%s", rest);
    if (str_is(first, "event")) {
        b.kind = BREAK_EVENT;
    } else if (str_is(first, "relation") && read_number(second, &number)) {
        b.kind = BREAK_RELATION, b.line = (uint32_t)number;
        bool is_there = false;
        for (uint32_t k = 0; k < d->s->relations.n; k++) {
            Place place;
            is_there |= d->what->sources &&
                        source_place(d->what->sources, d->s->relations.at[k].span, &place) &&
                        place.line == b.line;
        }
        if (!is_there)
            text_printf(out, "no relation that makes events begins in line %u\n", (unsigned)b.line);
        if (!is_there) return false;
    } else if ((str_is(first, "time") && read_number(second, &b.value)) || read_number(first, &b.value)) {
        b.kind = BREAK_TIME;
    } else if ((str_is(second, ">") || str_is(second, "<")) && read_number(third, &b.value)) {
        if (!find_or_say(d, first, &b.var, &b.is_negated, out)) return false;
        b.kind = BREAK_BOUND, b.is_above = str_is(second, ">");
        b.holds = is_beyond(d, &b);
    } else {
        text_add_literal(out,
                         "expected `break time T`, `break event`, `break relation LINE`, or `break x > 5`\n");
        return false;
    }
    for (int k = 0; k < DEBUG_BREAKS; k++) {
        if (d->breaks[k].kind != BREAK_NONE) continue;
        d->breaks[k] = b;
        text_printf(out, "breakpoint %d: %s\n", k + 1, b.text);
        return false;
    }
    text_add_literal(out, "there are too many breakpoints\n");
    return false;
}

static bool do_delete(Debug *d, const char *rest, Text *out)
{
    double number;
    Str word = next_word(&rest);
    if (read_number(word, &number) && number >= 1 && number <= DEBUG_BREAKS)
        d->breaks[(int)number - 1].kind = BREAK_NONE;
    else
        text_add_literal(out, "expected the number of a breakpoint\n");
    return false;
}

static bool do_print(Debug *d, const char *rest, Text *out)
{
    const ModelShape *shape = gen_shape(d->what->compiled);
    const char *at = rest;
    Str name = next_word(&at);
    int shown = 0;
    for (int i = 0; !name.n && i < shape->variable_count && shown < MOST_PRINTED; i++) {
        const ModelVariable *v = &shape->variables[i];
        if (!v->is_state) continue;
        text_printf(out, "%s = %.9g%s%s\n", v->name, debug_value(d, (uint32_t)v->slot, v->negated),
                    *v->unit ? " " : "", v->unit);
        shown++;
    }
    if (!name.n && !shown) text_add_literal(out, "the model has no states; say which variable\n");
    for (; name.n; name = next_word(&at)) {
        uint32_t var;
        bool is_negated;
        if (str_is(name, "time"))
            text_printf(out, "time = %.9g\n", d->t);
        else if (find_or_say(d, name, &var, &is_negated, out))
            text_printf(out, "%.*s = %.9g\n", (int)name.n, name.at, debug_value(d, var, is_negated));
    }
    return false;
}

static bool do_why(Debug *d, const char *rest, Text *out)
{
    uint32_t var;
    bool is_negated;
    double depth = WHY_DEPTH;
    Str name = next_word(&rest), more = next_word(&rest);
    if (more.n) read_number(more, &depth);
    if (find_or_say(d, name, &var, &is_negated, out)) debug_why(d, var, (int)depth, out);
    return false;
}

static bool do_set(Debug *d, const char *rest, Text *out)
{
    const ModelShape *shape = gen_shape(d->what->compiled);
    Str name = next_word(&rest), word = next_word(&rest);
    uint32_t var;
    bool is_negated;
    double value;
    const char *why = "it is neither a state, an input, nor a parameter that may be changed";
    if (str_is(word, "=")) word = next_word(&rest);
    if (!find_or_say(d, name, &var, &is_negated, out)) return false;
    if (!read_number(word, &value)) {
        text_add_literal(out, "expected `set NAME NUMBER`\n");
        return false;
    }
    bool is_done = false;
    if (is_negated) value = -value;
    for (uint32_t k = 0; k < d->m->state_count; k++)
        if (d->m->states[k] == var) d->y[k] = value, is_done = true;
    for (int i = 0; i < shape->variable_count && !is_done; i++) {
        const ModelVariable *v = &shape->variables[i];
        bool is_open = d->m->role[var] == RUN_INPUT || (d->m->role[var] == RUN_PARAMETER && v->is_settable);
        if (!str_is(name, v->name) || !is_open || d->setting_count == DEBUG_BREAKS) continue;
        d->settings[d->setting_count++] = (DebugSetting){ (uint32_t)i, is_negated ? -value : value };
        is_done = true;
    }
    if (!is_done) {
        text_printf(out, "'%.*s' cannot be set: %s\n", (int)name.n, name.at, why);
        return false;
    }
    d->restarts = true;
    d->has_ended = d->failed = false;
    d->values[var] = value;
    if (!d->restore) d->restore = d->here.state;
    text_printf(out, "%.*s = %.9g from here on\n", (int)name.n, name.at, debug_value(d, var, is_negated));
    return false;
}

static bool do_step(Debug *d, const char *rest, Text *out)
{
    double n = 1;
    Str word = next_word(&rest);
    (void)out;
    if (word.n && (!read_number(word, &n) || n < 1)) n = 1;
    d->steps_wanted = (long)n;
    return true;
}

static bool do_back(Debug *d, const char *rest, Text *out)
{
    double n = 1;
    Str word = next_word(&rest);
    if (word.n && (!read_number(word, &n) || n < 1)) n = 1;
    go_back(d, (long)n, out);
    return false;
}

static bool do_continue(Debug *d, const char *rest, Text *out)
{
    (void)rest, (void)out;
    d->steps_wanted = 0;
    return true;
}

static bool do_quit(Debug *d, const char *rest, Text *out)
{
    (void)rest, (void)out;
    d->quits = true;
    d->leaves = 1;
    return true;
}

static bool do_info(Debug *d, const char *rest, Text *out)
{
    (void)rest;
    text_printf(out, "t = %.9g, %ld points to go back to\n", d->t, d->points);
    for (int k = 0; k < DEBUG_BREAKS; k++)
        if (d->breaks[k].kind != BREAK_NONE)
            text_printf(out, "breakpoint %d: %s\n", k + 1, d->breaks[k].text);
    if (d->message) text_printf(out, "%s\n", d->message);
    return false;
}

static bool do_help(Debug *d, const char *rest, Text *out);

static const struct {
    const char *name, *letter;
    bool (*run)(Debug *d, const char *rest, Text *out);
    const char *about;
} commands[] = {
    { "break", "b", do_break, "time T | event | relation LINE | x > 5 | x < 5: where the run stops" },
    { "delete", "d", do_delete, "N: breakpoint N" },
    { "continue", "c", do_continue, "goes on to the next breakpoint, or the end" },
    { "step", "s", do_step, "[N]: accepted steps of the integrator" },
    { "back", "r", do_back, "[N]: accepted steps" },
    { "print", "p", do_print, "[NAME...]: values; without names the states" },
    { "why", "w", do_why, "NAME [DEPTH]: what computes it, from which values, upward" },
    { "set", "=", do_set, "NAME VALUE: a state, a parameter, an input; the run goes on from there" },
    { "info", "i", do_info, "where the run is, and the breakpoints" },
    { "quit", "q", do_quit, "ends the run" },
    { "help", "h", do_help, "this list" },
};

static bool do_help(Debug *d, const char *rest, Text *out)
{
    (void)d, (void)rest;
    for (size_t k = 0; k < COUNT_OF(commands); k++)
        text_printf(out, "%-9s %s  %s\n", commands[k].name, commands[k].letter, commands[k].about);
    return false;
}

bool debug_command(Debug *d, const char *line, Text *out)
{
    const char *at = line;
    Str word = next_word(&at);
    while (*at == ' ' || *at == '\t') at++;
    if (!word.n || word.at[0] == '#') return false;
    for (size_t k = 0; k < COUNT_OF(commands); k++)
        if (str_is(word, commands[k].name) || str_is(word, commands[k].letter))
            return commands[k].run(d, at, out);
    const char *names[COUNT_OF(commands)];
    for (size_t k = 0; k < COUNT_OF(commands); k++) names[k] = commands[k].name;
    const char *near = text_nearest(word, names, COUNT_OF(names));
    text_printf(out, "there is no command '%.*s'%s%s%s\n", (int)word.n, word.at,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "; `help` lists them");
    return false;
}

/* ---- stops ----------------------------------------------------------------------------------- */

/* A line of the input; false at its end. */
static bool read_line(Debug *d, char *line, size_t room)
{
    size_t n = 0;
    int c;
    while ((c = debug_byte(d)) >= 0 && c != '\n')
        if (c != '\r' && n + 1 < room) line[n++] = (char)c;
    line[n] = 0;
    return c >= 0 || n > 0;
}

static void ask(Debug *d)
{
    char line[DEBUG_LINE];
    for (bool goes = false; !goes;) {
        Text out = { .arena = d->what->arena };
        if (!d->io->echoes) debug_say(d, "> ");
        if (!read_line(d, line, sizeof line)) {
            do_quit(d, "", &out);
            return;
        }
        if (d->io->echoes && *line) debug_say(d, "> %s\n", line);
        goes = debug_command(d, line, &out);
        if (out.n) d->io->write(d->io->arg, out.at, out.n);
    }
}

static void stop(Debug *d, DebugStop why)
{
    d->steps_wanted = 0;
    d->restore = NULL;
    fill_point(d, &d->here);
    if (d->io->is_protocol) {
        debug_serve(d, why);
    } else {
        debug_say(d, "t = %.9g: %s\n", d->t, d->reason);
        ask(d);
    }
    if (d->restarts) d->leaves = 1;
}

/* The first point of [from, to] where a bound is passed; the run is shown there. */
static void locate(Debug *d, const Solver *solver, const Breakpoint *b, double from, double to)
{
    double *y = NEW_ARRAY(d->what->arena, double, d->m->state_count + 1);
    for (int k = 0; k < BISECTIONS && from < to; k++) {
        double middle = from + (to - from) / 2;
        if (middle <= from || middle >= to) break;
        solver_interpolate(solver, middle, y);
        if (run_values(d->run, middle, y) == RUN_OK && is_past(b, run_values_now(d->run)))
            to = middle;
        else
            from = middle;
    }
    solver_interpolate(solver, to, y);
    look(d, to, y);
}

static void on_step(void *arg, const Solver *solver, double from, double to)
{
    Debug *d = arg;
    double *y = NEW_ARRAY(d->what->arena, double, d->m->state_count + 1);
    if (d->quits || d->leaves) return;
    for (int k = 0; k < DEBUG_BREAKS; k++) {
        Breakpoint *b = &d->breaks[k];
        if (b->kind != BREAK_TIME || !(b->value > from && b->value <= to)) continue;
        solver_interpolate(solver, b->value, y);
        look(d, b->value, y);
        snprintf(d->reason, sizeof d->reason, "breakpoint %d, %s", k + 1, b->text);
        stop(d, STOP_BREAK);
        if (d->leaves) return;
    }
    solver_interpolate(solver, to, y);
    look(d, to, y);
    for (int k = 0; k < DEBUG_BREAKS; k++) {
        Breakpoint *b = &d->breaks[k];
        if (b->kind != BREAK_BOUND) continue;
        bool is_new = is_beyond(d, b) && !b->holds;
        b->holds = is_beyond(d, b);
        if (!is_new) continue;
        locate(d, solver, b, from, to);
        snprintf(d->reason, sizeof d->reason, "breakpoint %d, %s", k + 1, b->text);
        stop(d, STOP_BREAK);
        if (d->leaves) return;
        look(d, to, y);
    }
    keep_point(d);
    if (d->steps_wanted > 0 && --d->steps_wanted == 0) {
        snprintf(d->reason, sizeof d->reason, "a step of %.3g s", to - from);
        stop(d, STOP_STEP);
    }
}

/* The breakpoint that an event is for; -1: none. */
static int wanted_event(const Debug *d, const EventInfo *info)
{
    for (int k = 0; k < DEBUG_BREAKS; k++) {
        if (d->breaks[k].kind == BREAK_EVENT) return k;
        if (d->breaks[k].kind != BREAK_RELATION) continue;
        for (uint32_t r = 0; r < d->m->relation_count; r++) {
            Place place;
            uint32_t at = d->m->indicator_of[r];
            if (!source_place(d->what->sources, d->s->relations.at[r].span, &place)) continue;
            if (place.line != d->breaks[k].line) continue;
            bool is_timed = at == RUN_NONE && !info->roots;
            if (is_timed || (at != RUN_NONE && info->roots && info->roots[at])) return k;
        }
    }
    return -1;
}

static void on_event(void *arg, EventKind kind, double t, const EventInfo *info)
{
    static const char *const kinds[] = { "state event", "time event", "an input jumps", "other states" };
    Debug *d = arg;
    double *y = NEW_ARRAY(d->what->arena, double, d->m->state_count + 1);
    int at = d->leaves ? -1 : wanted_event(d, info);
    if (d->leaves) return;
    for (uint32_t k = 0; k < d->m->state_count; k++) y[k] = run_values_now(d->run)[d->m->states[k]];
    look(d, t, y);
    keep_point(d);
    if (at < 0) return;
    size_t used = (size_t)snprintf(d->reason, sizeof d->reason, "breakpoint %d, %s: %s", at + 1,
                                   d->breaks[at].text, kinds[kind]);
    for (uint32_t r = 0; r < d->m->relation_count && used < sizeof d->reason; r++) {
        uint32_t root = d->m->indicator_of[r];
        if (root == RUN_NONE || !info->roots || !info->roots[root]) continue;
        const char *text = words_of_place(d->what, d->s->relations.at[r].span);
        used += (size_t)snprintf(d->reason + used, sizeof d->reason - used, ", %s", text);
    }
    stop(d, STOP_BREAK);
}

/* What was set while the run stood still. */
static bool apply_settings(Debug *d)
{
    const char *why = NULL;
    bool ok = true;
    for (int k = 0; k < d->setting_count && ok; k++) {
        const DebugSetting *s = &d->settings[k];
        bool is_input = d->m->role[d->m->variables[s->variable].var] == RUN_INPUT;
        ok = is_input ? run_set(d->run, s->variable, s->value, &why)
                      : run_tune(d->run, s->variable, s->value, &why) == RUN_OK;
    }
    d->setting_count = 0;
    if (!ok) snprintf(d->reason, sizeof d->reason, "this value cannot be set: %.100s", why ? why : "");
    return ok;
}

/* A part of the run, until its end or until it is left for another one. */
static bool run_part(Debug *d, SimReport *report)
{
    if (d->restore) d->model->type->restore(d->model, d->restore);
    d->restore = NULL;
    d->leaves = 0;
    if (!apply_settings(d)) return stop(d, STOP_FAILED), false;
    d->options->t0 = d->t;
    d->options->y = d->run_y;
    memcpy(d->run_y, d->y, d->m->state_count * sizeof *d->y);
    bool ok = sim_run(d->model, d->options, report);
    d->options->goes_on = true;
    if (d->leaves) return true;
    d->t = report->t;
    d->failed = !ok;
    d->has_ended = true;
    if (ok) look(d, d->t, d->run_y);
    d->message = *report->message ? arena_copy(d->what->arena, str_of(report->message)) : NULL;
    const RunFailure *f = run_failure(d->run);
    if (!ok && f->values) memcpy(d->values, f->values, d->m->var_count * sizeof *d->values);
    snprintf(d->reason, sizeof d->reason, "%s%.140s",
             ok ? "the run has ended" : "the run failed: ", ok || !d->message ? "" : d->message);
    stop(d, ok ? STOP_END : STOP_FAILED);
    return ok;
}

bool explain_debug(const ExplainModel *what, Model *model, SimOptions *options, const DebugIo *io)
{
    Arena *a = what->arena;
    Debug *d = NEW(a, Debug);
    SimReport report;
    d->what = what, d->io = io, d->model = model, d->options = options;
    d->s = gen_system(what->compiled);
    d->m = gen_run_model(what->compiled);
    d->run = gen_running(model);
    d->y = NEW_ARRAY(a, double, d->m->state_count + 2);
    d->values = NEW_ARRAY(a, double, d->m->var_count + 1);
    options->on_step = on_step, options->on_event = on_event, options->on_step_arg = d;
    options->interrupt = &d->leaves;
    double end = options->t_end;
    options->t_end = options->t0;
    d->run_y = NEW_ARRAY(a, double, d->m->state_count + 2);
    options->y = d->run_y;
    d->t = options->t0;
    bool ok = sim_run(model, options, &report);
    options->t_end = end;
    options->goes_on = true;
    if (ok) {
        look(d, d->t, d->run_y);
        keep_point(d);
        snprintf(d->reason, sizeof d->reason, "the start");
    } else {
        d->failed = d->has_ended = true;
        d->message = report.message;
        const RunFailure *f = run_failure(d->run);
        if (f->values) memcpy(d->values, f->values, d->m->var_count * sizeof *d->values);
        snprintf(d->reason, sizeof d->reason, "the run failed: %.140s", report.message);
    }
    stop(d, ok ? STOP_START : STOP_FAILED);
    while (!d->quits && (!d->has_ended || d->restarts)) {
        d->restarts = false;
        run_part(d, &report);
    }
    bool failed = d->failed;
    for (int k = 0; k < DEBUG_KEPT; k++) free_point(&d->kept[k]);
    free_point(&d->here);
    return !failed;
}
