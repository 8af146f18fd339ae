/* event.c: initial values and events of a compiled model.
 *
 * At an event continuous variables, relations and discrete variables are computed until they agree, with pre values
 * held (settle.c); then reinits act, pre values take the new ones, and it starts anew until nothing changes. When-clauses
 * compare with pre values, so what a round on the way believed leaves no trace. Time events: relations with time and
 * samples say when the next one is. Tests: tests/gen/event_test.c. */
#include "gen/inside.h"

#include <math.h>

enum { MOST_ROUNDS = 200, MOST_START_ROUNDS = 20 };
static const double REDUNDANT = 1e-6; /* what may be between two sides that should be equal */
static const double NEAR_EVENT = 8;   /* times the rounding of time: an event there repeats the last one */
static const double LEAST_NOMINAL = 1e-6; /* once values may pass through zero */

static bool take_pre(Instance *i)
{
    const System *s = i->c->s;
    bool changed = gen_take_discrete(i, i->memory[MEM_PRE]);
    for (uint32_t v = 0; v < s->vars.n; v++)
        if (s->vars.at[v].role >= ROLE_STATE) i->memory[MEM_PRE][v] = i->memory[MEM_VALUE][v];
    return changed;
}

static bool act(Instance *i, EventInfo *info)
{
    const System *s = i->c->s;
    bool changed = false;
    for (uint32_t k = 0; k < s->reinits.n; k++) {
        if (i->memory[MEM_FIRE][2 * k] == 0) continue;
        if (!changed) gen_note_reset(i);
        i->memory[MEM_VALUE][s->reinits.at[k].var] = i->memory[MEM_FIRE][2 * k + 1];
        changed = true;
    }
    for (uint32_t k = 0; k < s->checks.n; k++) {
        const DaeCheck *check = &s->checks.at[k];
        if (check->is_assert || i->memory[MEM_FIRE][2 * s->reinits.n + k] == 0) continue;
        info->terminate = true;
        info->message = gen_check_text(i, k);
    }
    return changed;
}

/* ---- time events ---- */

static double sample_time(const Instance *i, uint32_t k)
{
    const double *at = i->memory[MEM_TIMES] + i->c->s->relations.n + 2 * k;
    return at[0] + i->sample_count[k] * at[1];
}

static void start_samples(Instance *i, double t)
{
    const System *s = i->c->s;
    for (uint32_t k = 0; k < s->samples.n; k++) {
        const double *at = i->memory[MEM_TIMES] + s->relations.n + 2 * k;
        double passed = ceil((t - at[0]) / at[1] - 1e-9);
        i->sample_count[k] = passed > 0 ? passed : 0;
    }
}

static double rounding(double t) { return 8 * 2.220446049250313e-16 * fabs(t); }

static void note_repetition(Instance *i, double t)
{
    i->repeats = fabs(t - i->t_event) <= NEAR_EVENT * rounding(t);
    i->t_event = t;
    memcpy(i->before, i->memory[MEM_RELATION], i->c->s->relations.n * sizeof *i->before);
}

static void fire_samples(Instance *i, double t)
{
    for (uint32_t k = 0; k < i->c->s->samples.n; k++) {
        bool fires = t >= sample_time(i, k) - rounding(t);
        i->memory[MEM_SAMPLE][k] = fires;
        while (fires && t >= sample_time(i, k) - rounding(t)) i->sample_count[k] += 1;
    }
}

static EvalStatus find_next_time(Instance *i, double t, EventInfo *info)
{
    const System *s = i->c->s;
    EvalStatus status = gen_call(i, i->c->times);
    info->next_time = INFINITY;
    for (uint32_t k = 0; k < s->relations.n; k++)
        if (s->relations.at[k].is_time && i->memory[MEM_TIMES][k] > t)
            info->next_time = fmin(info->next_time, i->memory[MEM_TIMES][k]);
    for (uint32_t k = 0; k < s->samples.n; k++) info->next_time = fmin(info->next_time, sample_time(i, k));
    return status;
}

/* ---- the two doors ---- */

static EvalStatus iterate(Instance *i, EventInfo *info)
{
    bool again = true;
    while (again) {
        bool moved;
        if (++info->iterations > MOST_ROUNDS) return gen_not_settled(i);
        EvalStatus status = gen_settle(i, false, &moved);
        if (status == EVAL_OK) status = gen_call(i, i->c->fire);
        if (status == EVAL_OK && i->c->s->effects.n) status = gen_call(i, i->c->effects);
        if (status != EVAL_OK) return status;
        info->rhs_changed |= moved;
        again = act(i, info);
        info->y_changed |= again;
        again |= take_pre(i);
        again |= i->is_open;
        info->rhs_changed |= again;
    }
    return EVAL_OK;
}

/* A sample is over when its event is: what it was part of must not be an edge next time. */
static EvalStatus end_samples(Instance *i)
{
    const System *s = i->c->s;
    bool any = false;
    for (uint32_t k = 0; k < s->samples.n; k++) any |= i->memory[MEM_SAMPLE][k] != 0;
    if (!any) return EVAL_OK;
    memset(i->memory[MEM_SAMPLE], 0, s->samples.n * sizeof(double));
    EvalStatus status = gen_call(i, i->c->discrete);
    if (status == EVAL_OK) take_pre(i);
    return status;
}

static void write_states(const Instance *i, double *y)
{
    const System *s = i->c->s;
    for (uint32_t k = 0; k < s->states.n; k++) y[k] = i->memory[MEM_VALUE][s->states.at[k]];
}

/* Other states where the present ones became poor; the values of the model stay what they are. */
static EvalStatus reselect(Instance *i, EventInfo *info)
{
    info->states_selected = gen_select_states(i);
    if (i->products) i->products->reselected |= info->states_selected;
    info->y_changed |= info->states_selected;
    return info->states_selected ? gen_everything(i, true) : EVAL_OK;
}

static EvalStatus finish(Instance *i, double t, double *y, EventInfo *info)
{
    EvalStatus status = end_samples(i);
    if (status == EVAL_OK) status = gen_everything(i, true);
    if (status == EVAL_OK) status = reselect(i, info);
    if (status == EVAL_OK) status = gen_set_bias(i);
    if (status == EVAL_OK) status = gen_check_values(i, EVAL_FATAL);
    if (status == EVAL_OK) status = gen_check(i, EVAL_FATAL);
    if (status == EVAL_OK) status = gen_delays_note(i, DELAY_JUMP);
    if (status == EVAL_OK) status = find_next_time(i, t, info);
    gen_delays_plan(i, info);
    gen_keep_guesses(i);
    i->t_kept = t;
    write_states(i, y);
    if (!info->message && i->message[0]) info->message = i->message;
    return status;
}

EvalStatus gen_event(Model *model, double t, double *y, EventInfo *info)
{
    Instance *i = model->data;
    *info = (EventInfo){ .next_time = INFINITY };
    i->message[0] = 0;
    i->ties_hold = false;
    note_repetition(i, t);
    i->memory[MEM_MODE][MODE_EVENT] += 1;
    gen_set_point(i, t, y);
    EvalStatus status = gen_everything(i, false);
    if (status == EVAL_OK) status = gen_delays_note(i, DELAY_POINT);
    take_pre(i);
    gen_note_event(i);
    fire_samples(i, t);
    bool came_out = gen_delays_pass(i);
    if (status == EVAL_OK) status = iterate(i, info);
    bool is_new = info->rhs_changed || info->y_changed; /* or only an old kink that came out */
    info->rhs_changed |= came_out;
    if (status == EVAL_OK) status = gen_delays_note(i, is_new ? DELAY_BREAK : DELAY_JUMP);
    if (status == EVAL_OK) status = finish(i, t, y, info);
    return status;
}

/* Start values and nominals that are numbers, or were set. */
static void put_numbers(Instance *i)
{
    const System *s = i->c->s;
    for (uint32_t v = 0; v < s->vars.n; v++) {
        i->memory[MEM_NOMINAL][v] = fabs(i->c->nominal_number[v]);
        i->memory[MEM_MIN][v] = i->c->min_number[v];
        i->memory[MEM_MAX][v] = i->c->max_number[v];
        if (!gen_has_start(&s->vars.at[v])) continue;
        double start = i->memory[MEM_SET][v] != 0 ? i->memory[MEM_GIVEN][v] : i->c->start_number[v];
        i->memory[MEM_VALUE][v] = i->memory[MEM_PRE][v] = start;
    }
}

/* What integrators may know of their unknowns. */
static void describe_unknowns(Instance *i)
{
    const System *s = i->c->s;
    const GenForm *form = i->c->form;
    for (uint32_t k = 0; k < (form ? form->n : s->states.n); k++) {
        uint32_t v = form ? form->unknowns[k] : s->states.at[k];
        i->state_nominal[k] = i->memory[MEM_NOMINAL][v];
        i->state_low[k] = i->memory[MEM_MIN][v];
        i->state_high[k] = i->memory[MEM_MAX][v];
    }
}

/* Variables without a nominal value, but with a small start value, are of its size: Newton's method measures with it. */
static void scale_by_starts(Instance *i, double least)
{
    const System *s = i->c->s;
    for (uint32_t v = 0; v < s->vars.n; v++) {
        double start = fabs(i->memory[MEM_PRE][v]);
        if (i->c->nominal_number[v] == 1 && s->vars.at[v].has_start && start > 0 && start < 1)
            i->memory[MEM_NOMINAL][v] = fmax(start, least);
    }
}

/* Conditions at the start that were left out, since others imply them by structure, have to hold. */
static EvalStatus check_redundant(Instance *i)
{
    const System *s = i->c->s;
    EvalStatus status = s->redundant.n ? gen_call(i, i->c->redundant) : EVAL_OK;
    for (uint32_t k = 0; k < s->redundant.n && status == EVAL_OK; k++) {
        const DaeEq *eq = &s->eqs.at[s->redundant.at[k]];
        double left = i->memory[MEM_REDUNDANT][2 * k], right = i->memory[MEM_REDUNDANT][2 * k + 1], size = 0;
        for (uint32_t j = 0; j < eq->gradient.n; j++)
            size = fmax(size, i->memory[MEM_NOMINAL][eq->gradient.at[j].var]);
        if (fabs(left - right) <= REDUNDANT * fmax(size, fmax(fabs(left), fabs(right)))) continue;
        const char *name = "time";
        for (uint32_t j = eq->gradient.n; j-- > 0;)
            if (s->vars.at[eq->gradient.at[j].var].role > ROLE_PARAMETER)
                name = s->vars.at[eq->gradient.at[j].var].name;
        status = gen_fail(
            i, EVAL_FATAL,
            "there are more conditions at the start than unknowns, and they contradict each other: "
            "%s '%s' asks for %.9g, the others give %.9g",
            eq->is_start ? "the fixed start value of" : "the initial equation with", name, right, left);
    }
    return status;
}

/* Discrete variables that initial equations give from continuous values, until both agree. */
static EvalStatus settle_start(Instance *i)
{
    const Compiled *c = i->c;
    bool moved, again = true;
    EvalStatus status = EVAL_OK;
    for (int round = 0; round < MOST_START_ROUNDS && again && status == EVAL_OK; round++) {
        status = gen_settle(i, true, &moved);
        again = false;
        if (status != EVAL_OK || !c->s->discrete_initial.n) break;
        for (uint32_t k = 0; k < c->s->discrete_initial.n; k++)
            i->kept[k] = i->memory[MEM_PRE][c->s->discrete_initial.at[k].var];
        status = gen_call(i, c->discrete_initial);
        for (uint32_t k = 0; k < c->s->discrete_initial.n; k++)
            again |= i->kept[k] != i->memory[MEM_PRE][c->s->discrete_initial.at[k].var];
    }
    return status;
}

EvalStatus gen_initialise(Model *model, double t, double *y, EventInfo *info)
{
    Instance *i = model->data;
    const Compiled *c = i->c;
    *info = (EventInfo){ .next_time = INFINITY };
    i->message[0] = 0;
    i->ties_hold = false;
    i->t_event = NAN;
    i->is_started = true;
    i->memory[MEM_MODE][MODE_TIME] = t;
    i->memory[MEM_MODE][MODE_INITIAL] = 1;
    i->memory[MEM_MODE][MODE_EVENT] += 1;
    gen_destroy_objects(i);
    EvalStatus status = gen_call(i, c->parameters);
    if (status == EVAL_OK) status = gen_check_parameters(i);
    put_numbers(i);
    if (status == EVAL_OK) status = gen_call(i, c->start);
    describe_unknowns(i);
    scale_by_starts(i, 0);
    if (status == EVAL_OK) status = gen_guess_relations(i);
    if (status == EVAL_OK) status = gen_call(i, c->discrete_initial);
    if (status == EVAL_OK) status = gen_call(i, c->times);
    if (status == EVAL_OK) status = settle_start(i);
    if (status == EVAL_OK) status = gen_check_divisors(i);
    if (status == EVAL_OK) status = check_redundant(i);
    if (status == EVAL_OK) status = gen_note_initial(i);
    scale_by_starts(i, LEAST_NOMINAL);
    take_pre(i);
    if (status == EVAL_OK && c->s->effects.n) status = gen_call(i, c->effects);
    i->memory[MEM_MODE][MODE_INITIAL] = 0;
    if (status == EVAL_OK) status = gen_run(i, &c->constants, true);
    if (status != EVAL_OK) return status == EVAL_RETRY ? EVAL_FATAL : status;
    gen_select_states(i);
    start_samples(i, t);
    gen_keep_guesses(i);
    write_states(i, y);
    EventInfo first;
    status = gen_event(model, t, y, &first);
    info->next_time = first.next_time;
    info->max_step = first.max_step;
    info->terminate |= first.terminate;
    info->message = first.message;
    info->iterations += first.iterations;
    return status;
}

EvalStatus gen_terminal(Model *model, double t, double *y, EventInfo *info)
{
    Instance *i = model->data;
    *info = (EventInfo){ .next_time = INFINITY };
    if (!i->c->has_terminal) return EVAL_OK;
    i->memory[MEM_MODE][MODE_TERMINAL] = 1;
    EvalStatus status = gen_event(model, t, y, info);
    i->memory[MEM_MODE][MODE_TERMINAL] = 0;
    info->rhs_changed = true;
    return status;
}
