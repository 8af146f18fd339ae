/* unit.c: one instance of an exported FMU: its modes, its variables, initialisation, model
 * exchange, its state.
 *
 * Values are computed when they are asked for: setting time, states or inputs only marks them as
 * outdated, so that an importer that reads nothing pays for nothing. In initialisation mode the
 * initial equations are solved when something is read, or at its end. Always: a call that is not
 * allowed now changes nothing. Tests: tests/cli/export.sh. */
#include "unit/unit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const unit_categories[UNIT_LOG_COUNT] = { "logStatusOK",      "logStatusWarning",
                                                      "logStatusDiscard", "logStatusError",
                                                      "logStatusFatal",   "logEvents" };

static void tell(UnitInstance *u, UnitStatus status, int category, const char *text)
{
    if (u->log && (u->logged >> category & 1 || (status >= UNIT_ERROR && category != UNIT_LOG_EVENTS)))
        u->log(u, status, unit_categories[category], text);
}

UnitStatus unit_fail(UnitInstance *u, UnitStatus status, const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tell(u, status, (int)status, text);
    return status;
}

UnitStatus unit_set_logging(UnitInstance *u, int on, size_t n, const char *const *categories)
{
    unsigned chosen = n ? 0 : UNIT_LOG_ALL;
    for (size_t k = 0; k < n; k++) {
        int found = 0;
        while (found < UNIT_LOG_COUNT && strcmp(unit_categories[found], categories[k]) != 0) found++;
        if (found == UNIT_LOG_COUNT)
            return unit_fail(u, UNIT_ERROR, "there is no log category '%s'", categories[k]);
        chosen |= 1u << found;
    }
    u->logged = on ? u->logged | chosen : u->logged & ~chosen;
    return UNIT_OK;
}

int unit_may(UnitInstance *u, unsigned modes, const char *function)
{
    if (u->mode & modes) return 1;
    unit_fail(u, UNIT_ERROR, "%s may not be called now", function);
    return 0;
}

static UnitStatus failed(UnitInstance *u, RunStatus status)
{
    if (status == RUN_OK) return UNIT_OK;
    return unit_fail(u, status == RUN_RETRY ? UNIT_DISCARD : UNIT_ERROR, "%s", run_message(u->run));
}

void unit_outdate(UnitInstance *u)
{
    u->is_current = u->is_linear = 0;
    unit_forget_directions(u);
    u->asked = 0;
}

/* What the model prints and warns of. */
static void say(void *arg, const char *text)
{
    UnitInstance *u = arg;
    tell(u, UNIT_OK, UNIT_LOG_EVENTS, text);
}

static void tell_warnings(UnitInstance *u)
{
    for (const char *text = run_notice(u->run); text; text = run_notice(u->run))
        tell(u, UNIT_WARNING, UNIT_WARNING, text);
}

/* ---- making and ending ----------------------------------------------------------------------- */

static char *copy(const char *text)
{
    char *to = malloc(strlen(text) + 1);
    return to ? strcpy(to, text) : NULL;
}

static int make_run(UnitInstance *u)
{
    u->run = run_new(unit_model.run);
    if (!u->run) return 0;
    Rt *rt = run_rt(u->run);
    run_listen(u->run, say, u);
    rt->resources = u->resources;
    rt->read_matrix = unit_read_matrix;
    rt->find_file = unit_find_file;
    return 1;
}

UnitInstance *unit_new(const char *name, const char *token, const char *resources, int is_slave, UnitLog log,
                       void *environment, void *logger, int is_logging)
{
    const RunModel *m = unit_model.run;
    UnitInstance *u = calloc(1, sizeof *u);
    if (!u) return NULL;
    u->log = log, u->environment = environment, u->logger = logger;
    u->is_slave = is_slave != 0, u->logged = is_logging ? UNIT_LOG_ALL : 0;
    u->mode = MODE_INSTANTIATED;
    u->name = copy(name ? name : "");
    u->resources = copy(resources ? resources : "");
    u->y = calloc((size_t)m->state_count + 1, sizeof *u->y);
    u->past = calloc(unit_past_room(), sizeof *u->past);
    u->work = calloc((size_t)m->var_count + 2 * m->state_count + m->indicator_count + 1, sizeof *u->work);
    u->seeds = calloc(2 * (size_t)m->state_count + m->variable_count + 1, sizeof *u->seeds);
    u->seeded = calloc((size_t)m->variable_count + 1, sizeof *u->seeded);
    u->event.next_time = INFINITY;
    u->stop = INFINITY;
    const char *why = NULL;
    if (!u->name || !u->name[0])
        why = "the instance has no name";
    else if (!token || strcmp(token, unit_model.token) != 0)
        why = "the description is not that of this binary: the tokens differ";
    else if (!u->resources || !u->y || !u->past || !u->work || !u->seeds || !u->seeded ||
             !unit_list_targets(u) || !make_run(u))
        why = "no memory for an instance";
    if (!why) return u;
    unit_fail(u, UNIT_ERROR, "%s", why);
    unit_free(u);
    return NULL;
}

void unit_free(UnitInstance *u)
{
    if (!u) return;
    unit_integrator_free(u->integrator);
    run_free(u->run);
    free(u->name);
    free(u->resources);
    free(u->y);
    free(u->past);
    free(u->work);
    free(u->seeds);
    free(u->seeded);
    free(u->state_of);
    free(u->rate_of);
    free(u->target_of);
    free(u->unknowns.references);
    free(u->unknowns.elements);
    free(u->knowns.references);
    free(u->knowns.elements);
    free(u);
}

UnitStatus unit_reset(UnitInstance *u)
{
    run_free(u->run);
    unit_integrator_free(u->integrator);
    u->integrator = NULL;
    u->is_begun = u->is_terminated = 0;
    unit_outdate(u);
    u->event.next_time = INFINITY;
    u->stop = INFINITY;
    u->mode = MODE_INSTANTIATED;
    if (make_run(u)) return UNIT_OK;
    u->mode = MODE_BROKEN;
    return unit_fail(u, UNIT_FATAL, "no memory for an instance");
}

/* ---- initialisation -------------------------------------------------------------------------- */

UnitStatus unit_enter_initialization(UnitInstance *u, int has_tolerance, double tolerance, double start,
                                     int has_stop, double stop)
{
    u->tolerance = has_tolerance && tolerance > 0 ? tolerance : unit_model.tolerance;
    u->t = u->start = start;
    u->stop = has_stop ? stop : INFINITY;
    u->is_begun = 0;
    unit_outdate(u);
    u->mode = MODE_INITIALIZATION;
    return UNIT_OK;
}

static UnitStatus begin(UnitInstance *u)
{
    if (u->is_begun) return UNIT_OK;
    RunStatus status = run_begin(u->run, u->t, u->y);
    if (status != RUN_OK) return unit_fail(u, UNIT_ERROR, "%s", run_message(u->run));
    tell_warnings(u);
    u->is_begun = 1;
    return UNIT_OK;
}

/* The event at the start, or any later one. */
UnitStatus unit_update_discrete(UnitInstance *u)
{
    /* an importer may come here without having completed the step */
    if (!u->is_slave) unit_note_step(u);
    RunStatus status = run_event(u->run, u->t, u->y, &u->event);
    unit_outdate(u);
    u->is_current = status == RUN_OK;
    u->inputs_moved = 0;
    if (status != RUN_OK) return failed(u, status == RUN_RETRY ? RUN_FATAL : status);
    tell_warnings(u);
    if (!u->is_slave) unit_keep_point(u);
    if (u->event.terminate && !u->is_terminated) {
        u->is_terminated = 1;
        snprintf(u->end_message, sizeof u->end_message, "%s", u->event.message ? u->event.message : "");
        say(u, u->end_message);
    }
    return UNIT_OK;
}

UnitStatus unit_exit_initialization(UnitInstance *u)
{
    UnitStatus status = begin(u);
    if (status != UNIT_OK) return status;
    u->mode = MODE_EVENT_MODE;
    if (!u->is_slave) {
        u->event = (RunEvent){ .next_time = INFINITY };
        unit_keep_point(u);
        return UNIT_OK;
    }
    u->integrator = unit_integrator_new(u->run, u->tolerance, unit_model.solver, unit_model.step);
    if (!u->integrator) return unit_fail(u, UNIT_FATAL, "no memory for the integrator");
    if (u->wants_events) return UNIT_OK;
    status = unit_update_discrete(u);
    if (status != UNIT_OK) return status;
    unit_integrator_restart(u->integrator, u->t, u->y, &u->event);
    u->mode = MODE_STEP;
    return UNIT_OK;
}

UnitStatus unit_terminate(UnitInstance *u)
{
    RunEvent last;
    RunStatus status = RUN_OK;
    if (u->is_begun && u->mode != MODE_BROKEN) status = run_terminal(u->run, u->t, u->y, &last);
    u->mode = MODE_TERMINATED;
    unit_outdate(u);
    return status == RUN_OK ? UNIT_OK : failed(u, status);
}

/* ---- variables ------------------------------------------------------------------------------- */

const UnitVariable *unit_variable(UnitInstance *u, uint32_t reference, unsigned types, const char *function)
{
    static const char *const names[] = { "Real", "Integer", "Boolean", "String", "enumeration", "clock" };
    if (reference >= unit_model.variable_count) {
        unit_fail(u, UNIT_ERROR, "%s: there is no variable with value reference %u", function,
                  (unsigned)reference);
        return NULL;
    }
    const UnitVariable *v = &unit_model.variables[reference];
    if (types >> v->type & 1) return v;
    unit_fail(u, UNIT_ERROR, "%s: the variable with value reference %u is of type %s", function,
              (unsigned)reference, names[v->type]);
    return NULL;
}

UnitStatus unit_prepare_get(UnitInstance *u)
{
    if (u->mode == MODE_INITIALIZATION) return begin(u);
    if (u->is_current || u->mode == MODE_TERMINATED) return UNIT_OK;
    if (u->mode == MODE_INSTANTIATED) { /* parameters and start values, from what is set so far */
        RunStatus status = run_prepare(u->run, u->start);
        run_reopen(u->run);
        u->is_current = status == RUN_OK;
        return failed(u, status == RUN_RETRY ? RUN_FATAL : status);
    }
    unit_forget_directions(u);
    RunStatus status = run_values(u->run, u->t, u->y);
    u->is_current = status == RUN_OK;
    return failed(u, status);
}

enum { RUNNING = MODE_EVENT_MODE | MODE_CONTINUOUS | MODE_STEP };

int unit_is_at_hand(const UnitInstance *u, const UnitVariable *v)
{
    if (!(u->mode & RUNNING) || v->flags & UNIT_INDICATOR) return 0;
    for (uint32_t k = 0; k < v->n && !(v->flags & UNIT_INDEPENDENT); k++) {
        uint32_t var = unit_model.run->variables[unit_model.elements[v->first + k]].var;
        if (!u->state_of[var] && unit_model.run->role[var] > RUN_DISCRETE) return 0;
    }
    return 1;
}

double unit_get(const UnitInstance *u, const UnitVariable *v, uint32_t element)
{
    if (v->flags & UNIT_INDEPENDENT) return u->t;
    const RunVariable *r = &unit_model.run->variables[unit_model.elements[v->first + element]];
    uint32_t state = u->mode & RUNNING ? u->state_of[r->var] : 0;
    double value = state ? u->y[state - 1] : run_values_now(u->run)[r->var];
    return r->flags & RUN_NEGATED ? -value : value;
}

const char *unit_get_string(UnitInstance *u, const UnitVariable *v, uint32_t element)
{
    RtCell cells[2] = { { .r = unit_get(u, v, element) }, { .s = "" } };
    rt_string_at(run_rt(u->run), cells);
    return cells[1].s;
}

static UnitStatus tune(UnitInstance *u, uint32_t variable, double value)
{
    const char *why;
    RunStatus status = run_tune(u->run, variable, value, &why);
    unit_outdate(u);
    u->inputs_moved = 2;
    return status == RUN_OK ? UNIT_OK : unit_fail(u, UNIT_ERROR, "a parameter was not set: %s", why);
}

UnitStatus unit_set(UnitInstance *u, const UnitVariable *v, uint32_t element, double value)
{
    const char *why;
    if (v->flags & UNIT_INDEPENDENT) return unit_fail(u, UNIT_ERROR, "time is set by other functions");
    uint32_t variable = unit_model.elements[v->first + element];
    int is_early = u->mode == MODE_INSTANTIATED || u->mode == MODE_INITIALIZATION;
    if (is_early && !(v->flags & (UNIT_PARAMETER | UNIT_START | UNIT_INPUT)))
        return unit_fail(u, UNIT_ERROR, "'%s' cannot be set",
                         unit_model.run->name[unit_model.run->variables[variable].var]);
    if (!is_early && v->flags & UNIT_TUNABLE) return tune(u, variable, value);
    if (!is_early && !(v->flags & UNIT_INPUT))
        return unit_fail(u, UNIT_ERROR, "'%s' cannot be set now",
                         unit_model.run->name[unit_model.run->variables[variable].var]);
    if (!is_early && unit_get(u, v, element) == value) return UNIT_OK;
    if (u->is_begun && is_early) run_reopen(u->run);
    if (!run_set(u->run, variable, value, &why))
        return unit_fail(u, UNIT_ERROR, "a value was not set: %s", why);
    unit_outdate(u);
    if (is_early) u->is_begun = 0;
    if (u->inputs_moved < 2) u->inputs_moved = v->flags & UNIT_DISCRETE ? 2 : 1;
    return UNIT_OK;
}

/* A string is the number that the instance knows its text by. */
UnitStatus unit_set_string(UnitInstance *u, const UnitVariable *v, uint32_t element, const char *text)
{
    RtCell cells[2] = { { .s = text ? text : "" }, { .r = 0 } };
    if (rt_string_id(run_rt(u->run), cells) != RT_OK)
        return unit_fail(u, UNIT_ERROR, "no memory for a string");
    return unit_set(u, v, element, cells[1].r);
}

/* ---- model exchange -------------------------------------------------------------------------- */

UnitStatus unit_set_time(UnitInstance *u, double t)
{
    if (t != u->t) unit_outdate(u);
    u->t = t;
    return UNIT_OK;
}

static UnitStatus check_count(UnitInstance *u, size_t n, size_t want, const char *what)
{
    if (n == want) return UNIT_OK;
    return unit_fail(u, UNIT_ERROR, "there are %u %s, not %u", (unsigned)want, what, (unsigned)n);
}

UnitStatus unit_set_states(UnitInstance *u, const double *y, size_t n)
{
    UnitStatus status = check_count(u, n, unit_model.run->state_count, "states");
    if (status != UNIT_OK || !n) return status;
    if (memcmp(u->y, y, n * sizeof *y) != 0) unit_outdate(u);
    memcpy(u->y, y, n * sizeof *y);
    return UNIT_OK;
}

UnitStatus unit_derivatives(UnitInstance *u, double *f, size_t n)
{
    UnitStatus status = check_count(u, n, unit_model.run->state_count, "states");
    if (status == UNIT_OK && u->mode == MODE_INITIALIZATION) status = begin(u);
    if (status != UNIT_OK) return status;
    u->is_current = 0; /* what is not needed for f is not computed */
    unit_forget_directions(u);
    return failed(u, run_derivatives(u->run, u->t, u->y, f));
}

UnitStatus unit_indicators(UnitInstance *u, double *g, size_t n)
{
    UnitStatus status = check_count(u, n, unit_model.run->indicator_count, "event indicators");
    if (status == UNIT_OK && u->mode == MODE_INITIALIZATION) status = begin(u);
    if (status != UNIT_OK || !n) return status;
    unit_forget_directions(u);
    return failed(u, run_indicators(u->run, u->t, u->y, g));
}

UnitStatus unit_nominals(UnitInstance *u, double *nominal, size_t n)
{
    const RunModel *m = unit_model.run;
    UnitStatus status = check_count(u, n, m->state_count, "states");
    for (size_t k = 0; k < n && status == UNIT_OK; k++) nominal[k] = run_nominal(u->run, m->states[k]);
    return status;
}

UnitStatus unit_completed(UnitInstance *u, int *wants_event, int *wants_end)
{
    unit_note_step(u);
    unit_forget_directions(u);
    *wants_event = run_accepted(u->run, u->t, u->y);
    *wants_end = 0;
    unit_keep_point(u);
    tell_warnings(u);
    return UNIT_OK;
}

/* ---- the whole state ------------------------------------------------------------------------- */

typedef struct {
    double t, start, stop, tolerance;
    int32_t mode, is_begun, is_terminated, inputs_moved, has_integrator;
    RunEvent event;
    uint64_t run, integrator; /* bytes */
} Saved;

enum { SAVED_ROOM = (sizeof(Saved) + 15) / 16 * 16 };

size_t unit_save_size(const UnitInstance *u)
{
    size_t count = 0;
    if (u->integrator) unit_integrator_store(u->integrator, &count);
    return SAVED_ROOM + (unit_model.run->state_count + unit_past_room() + count) * sizeof(double) +
           run_save_size(u->run);
}

void unit_save(const UnitInstance *u, void *to)
{
    char *at = to;
    Saved s;
    size_t count = 0, states = unit_model.run->state_count * sizeof(double);
    size_t past = unit_past_room() * sizeof(double);
    const double *store = u->integrator ? unit_integrator_store(u->integrator, &count) : NULL;
    memset(&s, 0, sizeof s);
    s.t = u->t, s.start = u->start, s.stop = u->stop, s.tolerance = u->tolerance;
    s.mode = (int32_t)u->mode, s.is_begun = u->is_begun, s.is_terminated = u->is_terminated;
    s.inputs_moved = u->inputs_moved, s.has_integrator = u->integrator != NULL;
    s.event = u->event;
    s.event.message = NULL;
    s.run = run_save_size(u->run), s.integrator = count * sizeof(double);
    memset(at, 0, SAVED_ROOM);
    memcpy(at, &s, sizeof s);
    at += SAVED_ROOM;
    memcpy(at, u->y, states);
    memcpy(at + states, u->past, past);
    at += states + past;
    if (count) memcpy(at, store, count * sizeof(double));
    run_save(u->run, at + count * sizeof(double));
}

int unit_restore(UnitInstance *u, const void *from, size_t size)
{
    const char *at = from;
    Saved s;
    size_t count = 0, states = unit_model.run->state_count * sizeof(double);
    size_t past = unit_past_room() * sizeof(double);
    if (size < SAVED_ROOM) return 0;
    memcpy(&s, at, sizeof s);
    if (s.run > size || s.integrator > size || SAVED_ROOM + states + past + s.integrator + s.run != size)
        return 0;
    if (s.has_integrator && !u->integrator)
        u->integrator = unit_integrator_new(u->run, s.tolerance, unit_model.solver, unit_model.step);
    double *store = u->integrator ? unit_integrator_store(u->integrator, &count) : NULL;
    if (s.has_integrator && (!store || s.integrator != count * sizeof(double))) return 0;
    at += SAVED_ROOM;
    if (!run_restore(u->run, at + states + past + s.integrator, (size_t)s.run)) return 0;
    memcpy(u->y, at, states);
    memcpy(u->past, at + states, past);
    if (s.has_integrator && count) memcpy(store, at + states + past, count * sizeof(double));
    u->t = s.t, u->start = s.start, u->stop = s.stop, u->tolerance = s.tolerance;
    u->mode = (UnitMode)s.mode, u->is_begun = (uint8_t)s.is_begun,
    u->is_terminated = (uint8_t)s.is_terminated;
    u->inputs_moved = (uint8_t)s.inputs_moved;
    u->event = s.event;
    unit_outdate(u);
    return 1;
}
