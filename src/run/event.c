/* event.c: initial values and events of a compiled model.
 *
 * At an event continuous variables, relations and discrete variables are computed until they agree,
 * with pre values held (event_iteration.c); then reinits act, pre values take the new ones, and it
 * starts anew until nothing changes. When-clauses compare with pre values, so what a round on the
 * way believed leaves no trace. Time events: relations with time and samples say when the next one
 * is. Tests: tests/gen/event_test.c. */
#include "run/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 200, MOST_START_ROUNDS = 20 };
static const double REDUNDANT = 1e-6; /* what may be between two sides that should be equal */
/* times the rounding of time: an event there repeats the last one */
static const double NEAR_EVENT = 8;
static const double SHORT_STEP = 1e-6; /* seconds; for the start, before steps say what is short */
static const double CROWDED = 1e-5;    /* of the longest step: an event is next to the last one */
enum { CROWD = 8 };                    /* so many of these are no accident */
static const double FIRST_SHARE = 0.25, LEAST_SHARE = 1e-4; /* steps of homotopy */
static const double LEAST_NOMINAL = 1e-6;                   /* once values may pass through zero */

static bool take_pre(RunInstance *i)
{
    bool changed = run_take_discrete(i, i->memory[MEM_PRE]);
    for (uint32_t k = 0; k < i->varying_count; k += 2) {
        uint32_t v = i->varying[k];
        memcpy(i->memory[MEM_PRE] + v, i->memory[MEM_VALUE] + v, (i->varying[k + 1] - v) * sizeof(double));
    }
    return changed;
}

static bool act(RunInstance *i, RunEvent *info)
{
    const RunModel *m = i->m;
    bool changed = false;
    for (uint32_t k = 0; k < m->reinit_count; k++) {
        if (i->memory[MEM_FIRE][2 * k] == 0) continue;
        i->memory[MEM_VALUE][m->reinit_vars[k]] = i->memory[MEM_FIRE][2 * k + 1];
        changed = true;
    }
    for (uint32_t k = 0; k < m->check_count; k++) {
        const RunCheck *check = &m->checks[k];
        if ((check->flags & RUN_CHECK_ASSERT) || i->memory[MEM_FIRE][2 * m->reinit_count + k] == 0) continue;
        info->terminate = true;
        info->message = run_check_text(i, k);
    }
    return changed;
}

/* ---- time events ----------------------------------------------------------------------------- */

static double sample_time(const RunInstance *i, uint32_t k)
{
    const double *at = i->memory[MEM_TIMES] + i->m->relation_count + 2 * k;
    return at[0] + i->sample_count[k] * at[1];
}

static RunStatus check_samples(RunInstance *i)
{
    for (uint32_t k = 0; k < i->m->sample_count; k++) {
        const double *at = i->memory[MEM_TIMES] + i->m->relation_count + 2 * k;
        if (!isfinite(at[0]) || !(at[1] > 0))
            return run_fail(
                i, RUN_FATAL,
                "sample() with the start %.10g and the interval %.10g: the interval must be positive", at[0],
                at[1]);
    }
    return RUN_OK;
}

static void start_samples(RunInstance *i, double t)
{
    const RunModel *m = i->m;
    for (uint32_t k = 0; k < m->sample_count; k++) {
        const double *at = i->memory[MEM_TIMES] + m->relation_count + 2 * k;
        double passed = ceil((t - at[0]) / at[1] - 1e-9);
        i->sample_count[k] = passed > 0 ? passed : 0;
    }
}

static double rounding(double t) { return 8 * 2.220446049250313e-16 * fabs(t); }

static void note_repetition(RunInstance *i, double t)
{
    double passed = fabs(t - i->now.t_event);
    i->now.repeats = passed <= NEAR_EVENT * rounding(t);
    i->now.crowd = passed <= CROWDED * fmax(i->now.longest_step, SHORT_STEP) ? i->now.crowd + 1 : 0;
    i->now.t_event = t;
    memcpy(i->before, i->memory[MEM_RELATION], i->m->relation_count * sizeof *i->before);
    if (i->now.crowd < CROWD) return;
    i->now.crowd = 0;
    i->now.held++;
}

static void fire_samples(RunInstance *i, double t)
{
    for (uint32_t k = 0; k < i->m->sample_count; k++) {
        bool fires = t >= sample_time(i, k) - rounding(t);
        i->memory[MEM_SAMPLE][k] = fires;
        while (fires && t >= sample_time(i, k) - rounding(t)) i->sample_count[k] += 1;
    }
}

/* Notes what is due now: a relation with time, or a sample. */
static void note_event(RunInstance *i, double t)
{
    const RunModel *m = i->m;
    uint32_t timed = NONE;
    double count = 0;
    for (uint32_t k = 0; k < m->relation_count; k++)
        if (m->relation_is_time[k] && fabs(i->memory[MEM_TIMES][k] - t) <= rounding(t)) timed = k;
    for (uint32_t k = 0; k < m->sample_count; k++)
        if (fabs(sample_time(i, k) - t) <= rounding(t)) {
            timed = m->relation_count + 2 * k;
            count = i->sample_count[k];
        }
    run_note_event(i, timed, count);
}

static RunStatus find_next_time(RunInstance *i, double t, RunEvent *info)
{
    const RunModel *m = i->m;
    RunStatus status = run_call(i, i->m->times);
    info->next_time = INFINITY;
    for (uint32_t k = 0; k < m->relation_count; k++)
        if (m->relation_is_time[k] && i->memory[MEM_TIMES][k] > t)
            info->next_time = fmin(info->next_time, i->memory[MEM_TIMES][k]);
    for (uint32_t k = 0; k < m->sample_count; k++) info->next_time = fmin(info->next_time, sample_time(i, k));
    return status;
}

/* After the first event: `time > t` was false at t, and is true from there on. */
static RunStatus end_start(RunInstance *i, double t, RunEvent *info)
{
    const RunModel *m = i->m;
    if (i->memory[MEM_MODE][MODE_START] == 0) return RUN_OK;
    i->memory[MEM_MODE][MODE_START] = 0;
    RunStatus status = run_call(i, m->relations);
    for (uint32_t k = 0; k < m->relation_count; k++)
        if (m->relation_is_time[k] && i->memory[MEM_LIVE][k] != i->memory[MEM_RELATION][k])
            info->next_time = t;
    return status;
}

/* ---- the two doors --------------------------------------------------------------------------- */

static RunStatus iterate(RunInstance *i, RunEvent *info)
{
    bool again = true;
    while (again) {
        bool moved;
        if (++info->iterations > MOST_ROUNDS) return run_not_converged(i);
        RunStatus status = run_iterate_event(i, false, &moved);
        if (status == RUN_OK) status = run_call(i, i->m->fire);
        if (status == RUN_OK) status = run_check_event(i);
        if (status == RUN_OK && i->m->effect_count) status = run_call(i, i->m->effects);
        if (status != RUN_OK) return status;
        info->rhs_changed |= moved;
        run_note_round(i);
        again = act(i, info);
        info->y_changed |= again;
        again |= take_pre(i);
        again |= i->now.is_open;
        info->rhs_changed |= again;
    }
    return RUN_OK;
}

/* A sample is over when its event is: what it was part of must not be an edge next time. */
static RunStatus end_samples(RunInstance *i)
{
    const RunModel *m = i->m;
    bool any = false;
    for (uint32_t k = 0; k < m->sample_count; k++) any |= i->memory[MEM_SAMPLE][k] != 0;
    if (!any) return RUN_OK;
    memset(i->memory[MEM_SAMPLE], 0, m->sample_count * sizeof(double));
    RunStatus status = run_call(i, i->m->discrete);
    if (status == RUN_OK) take_pre(i);
    return status;
}

static void write_states(const RunInstance *i, double *y)
{
    const RunModel *m = i->m;
    for (uint32_t k = 0; k < m->state_count; k++) y[k] = i->memory[MEM_VALUE][m->states[k]];
}

/* Other states where the present ones became poor; the values of the model stay what they are. */
static RunStatus reselect(RunInstance *i, RunEvent *info)
{
    info->states_selected = run_select_states(i);
    i->now.reselected |= info->states_selected;
    info->y_changed |= info->states_selected;
    return info->states_selected ? run_everything(i, true) : RUN_OK;
}

static RunStatus finish(RunInstance *i, double t, double *y, RunEvent *info)
{
    RunStatus status = end_samples(i);
    if (status == RUN_OK) status = run_everything(i, true);
    if (status == RUN_OK) status = reselect(i, info);
    if (status == RUN_OK) status = run_set_bias(i);
    if (status == RUN_OK) status = run_check_values(i, RUN_FATAL);
    if (status == RUN_OK) status = run_check(i, RUN_FATAL);
    if (status == RUN_OK) status = run_histories_note(i, RT_NOTE_JUMP);
    if (status == RUN_OK) status = find_next_time(i, t, info);
    run_histories_plan(i, info);
    if (status == RUN_OK) status = end_start(i, t, info);
    run_keep_initial_guesses(i);
    i->now.t_kept = t;
    write_states(i, y);
    if (!info->message && i->message[0]) info->message = i->message;
    return status;
}

RunStatus run_event(RunInstance *i, double t, double *y, RunEvent *info)
{
    *info = (RunEvent){ .next_time = INFINITY };
    i->message[0] = 0;
    i->now.ties_hold = false;
    note_repetition(i, t);
    i->memory[MEM_MODE][MODE_EVENT] += 1;
    run_set_point(i, t, y);
    RunStatus status = run_everything(i, false);
    if (status == RUN_OK) status = run_histories_note(i, RT_NOTE_POINT);
    take_pre(i);
    note_event(i, t);
    fire_samples(i, t);
    bool came_out = run_histories_pass(i);
    if (status == RUN_OK) status = iterate(i, info);
    bool is_new = info->rhs_changed || info->y_changed; /* or only an old kink that came out */
    info->rhs_changed |= came_out;
    if (status == RUN_OK) status = run_histories_note(i, is_new ? RT_NOTE_BREAK : RT_NOTE_JUMP);
    if (status == RUN_OK) status = finish(i, t, y, info);
    return status;
}

/* Start values and nominals that are numbers, or were set. */
static void put_numbers(RunInstance *i)
{
    const RunModel *m = i->m;
    for (uint32_t v = 0; v < m->var_count; v++) {
        i->memory[MEM_NOMINAL][v] = fabs(m->nominal[v]);
        i->memory[MEM_MIN][v] = m->min[v];
        i->memory[MEM_MAX][v] = m->max[v];
        if (!(m->traits[v] & RUN_STARTS)) continue;
        double start = i->memory[MEM_SET][v] != 0 ? i->memory[MEM_GIVEN][v] : m->start[v];
        i->memory[MEM_VALUE][v] = i->memory[MEM_PRE][v] = start;
    }
}

/* Variables without a nominal value, but with a small start value, are of its size: Newton's method
 * measures with it. */
static void scale_by_starts(RunInstance *i, double least)
{
    const RunModel *m = i->m;
    for (uint32_t v = 0; v < m->var_count; v++) {
        double start = fabs(i->memory[MEM_PRE][v]);
        if (m->nominal[v] == 1 && (m->traits[v] & RUN_START_SAID) && start > 0 && start < 1)
            i->memory[MEM_NOMINAL][v] = fmax(start, least);
    }
}

/* Conditions at the start that were left out, since others imply them by structure, have to
 * hold. */
static RunStatus check_redundant(RunInstance *i)
{
    const RunModel *m = i->m;
    RunStatus status = m->redundant_count ? run_call(i, m->redundant) : RUN_OK;
    for (uint32_t k = 0; k < m->redundant_count && status == RUN_OK; k++) {
        const RunRedundant *eq = &m->redundants[k];
        const uint32_t *vars = m->redundant_vars + eq->first;
        double left = i->memory[MEM_REDUNDANT][2 * k], right = i->memory[MEM_REDUNDANT][2 * k + 1], size = 0;
        for (uint32_t j = 0; j < eq->n; j++) size = fmax(size, i->memory[MEM_NOMINAL][vars[j]]);
        if (fabs(left - right) <= REDUNDANT * fmax(size, fmax(fabs(left), fabs(right)))) continue;
        const char *name = eq->name == NONE ? "time" : m->name[eq->name];
        status = run_fail(
            i, RUN_FATAL,
            "there are more conditions at the start than unknowns, and they contradict each other: "
            "%s '%s' asks for %.9g, the others give %.9g;",
            eq->is_start ? "the fixed start value of" : "the initial equation with", name, right, left);
        run_add_source(i, eq->eq);
    }
    return status;
}

/* Discrete variables that initial equations give from continuous values, until both agree. */
static RunStatus iterate_start(RunInstance *i)
{
    const RunModel *m = i->m;
    bool moved, again = true;
    RunStatus status = RUN_OK;
    for (int round = 0; round < MOST_START_ROUNDS && again && status == RUN_OK; round++) {
        status = run_iterate_event(i, true, &moved);
        again = false;
        if (status != RUN_OK || !m->discrete_initial_count) break;
        for (uint32_t k = 0; k < m->discrete_initial_count; k++)
            i->kept[k] = i->memory[MEM_PRE][m->discrete_initial_vars[k]];
        status = run_call(i, m->discrete_initial);
        for (uint32_t k = 0; k < m->discrete_initial_count; k++)
            again |= i->kept[k] != i->memory[MEM_PRE][m->discrete_initial_vars[k]];
    }
    return status;
}

/* Homotopy: from the simplified equations, whose share is 1 - lambda, to the actual ones, as far at
 * a time as Newton's method goes. */
static RunStatus follow_homotopy(RunInstance *i)
{
    size_t size = i->m->var_count * sizeof(double);
    double *reached = malloc(size + 1), *lambda = &i->memory[MEM_MODE][MODE_LAMBDA], from = 0,
           step = FIRST_SHARE;
    if (!reached) return run_fail(i, RUN_FATAL, "out of memory");
    *lambda = 0;
    RunStatus status = iterate_start(i);
    while (status == RUN_OK && from < 1) {
        memcpy(reached, i->memory[MEM_VALUE], size);
        *lambda = fmin(from + step, 1);
        status = iterate_start(i);
        if (status == RUN_OK) {
            from = *lambda;
            step *= 2;
        } else if (step > LEAST_SHARE) {
            memcpy(i->memory[MEM_VALUE], reached, size);
            step /= 4;
            status = RUN_OK;
        }
    }
    free(reached);
    *lambda = 1;
    return status;
}

/* As run_prepare leaves it: what a try that failed has changed is taken back. */
static RunStatus begin_again(RunInstance *i)
{
    RunStatus status = run_call(i, i->m->first);
    return status == RUN_OK ? run_set_relations(i) : status;
}

/* First the actual equations; where these have no solution near the start values, by way of the
 * simplified ones; then both with all patterns of relations, which may take long. */
static RunStatus solve_start(RunInstance *i)
{
    static RunStatus (*const ways[])(RunInstance *) = { iterate_start, follow_homotopy };
    char first[sizeof i->message];
    RunStatus status = RUN_RETRY;
    for (int k = 0; k < 4 && status != RUN_OK && status != RUN_FATAL; k++) {
        i->now.is_quick = k < 2;
        status = k ? begin_again(i) : RUN_OK;
        if (status == RUN_OK) status = ways[k % 2](i);
        if (k == 0) memcpy(first, i->message, sizeof first);
        i->keeps_failure = true;
    }
    i->keeps_failure = i->now.is_quick = false;
    memcpy(i->message, status == RUN_OK ? "" : first, status == RUN_OK ? 1 : sizeof first);
    return status;
}

RunStatus run_prepare(RunInstance *i, double t)
{
    run_forget(i);
    i->rt->steps = RT_STEP_LIMIT;
    i->message[0] = 0;
    i->now.ties_hold = false;
    i->now.t_event = NAN;
    i->now.is_started = true;
    i->memory[MEM_MODE][MODE_TIME] = t;
    i->memory[MEM_MODE][MODE_INITIAL] = 1;
    i->memory[MEM_MODE][MODE_LAMBDA] = 1;
    i->memory[MEM_MODE][MODE_START] = 1;
    i->memory[MEM_MODE][MODE_TERMINAL] = 0;
    i->memory[MEM_MODE][MODE_EVENT] += 1;
    run_destroy_objects(i);
    RunStatus status = run_call(i, i->m->parameters);
    if (status == RUN_OK) status = run_check_parameters(i);
    put_numbers(i);
    return status == RUN_OK ? run_call(i, i->m->first) : status;
}

RunStatus run_begin(RunInstance *i, double t, double *y)
{
    const RunModel *m = i->m;
    RunStatus status = run_prepare(i, t);
    scale_by_starts(i, 0);
    if (status == RUN_OK) status = run_set_relations(i);
    /* it may need parameters that the initial equations give, and comes again after them */
    if (status == RUN_OK) run_call(i, m->discrete_initial);
    if (status == RUN_OK) status = run_call(i, m->times);
    if (status == RUN_OK) {
        status = solve_start(i);
        /* says more than what followed from it */
        if (run_check_divisors(i) != RUN_OK) status = RUN_FATAL;
    }
    if (status == RUN_OK) status = check_redundant(i);
    if (status == RUN_OK) status = run_note_initial(i);
    /* what waits for parameters that the initial equations give */
    if (status == RUN_OK) status = run_call(i, m->late);
    if (status == RUN_OK) status = run_call(i, m->times);
    if (status == RUN_OK) status = check_samples(i);
    scale_by_starts(i, LEAST_NOMINAL);
    take_pre(i);
    if (status == RUN_OK && m->check_count) status = run_call(i, m->fire);
    if (status == RUN_OK) status = run_check_event(i);
    if (status == RUN_OK && m->effect_count) status = run_call(i, m->effects);
    i->memory[MEM_MODE][MODE_INITIAL] = 0;
    if (status == RUN_OK) status = run_program(i, &m->constants, true);
    run_forget(i);
    if (status != RUN_OK) return status == RUN_RETRY ? RUN_FATAL : status;
    run_select_states(i);
    start_samples(i, t);
    run_keep_initial_guesses(i);
    write_states(i, y);
    return RUN_OK;
}

RunStatus run_initialise(RunInstance *i, double t, double *y, RunEvent *info)
{
    RunEvent first;
    *info = (RunEvent){ .next_time = INFINITY };
    RunStatus status = run_begin(i, t, y);
    if (status != RUN_OK) return status;
    status = run_event(i, t, y, &first);
    info->next_time = first.next_time;
    info->max_step = first.max_step;
    info->terminate = first.terminate;
    info->message = first.message;
    info->iterations = first.iterations;
    return status;
}

RunStatus run_terminal(RunInstance *i, double t, double *y, RunEvent *info)
{
    *info = (RunEvent){ .next_time = INFINITY };
    if (!i->m->has_terminal) return RUN_OK;
    i->memory[MEM_MODE][MODE_TERMINAL] = 1;
    RunStatus status = run_event(i, t, y, info);
    info->rhs_changed = true; /* terminal() holds from here on: values at the end are computed with it */
    return status;
}
