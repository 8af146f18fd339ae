/* event.c: initial values and events of a compiled model.
 *
 * At an event continuous variables, relations and discrete variables are computed until they agree, with pre values
 * held (relations first all at once; if that goes on, only the first that is wrong, which ends for ideal diodes and
 * friction: Murty's least index rule); then reinits act, pre values take the new ones, and it starts anew until nothing changes. When-clauses compare
 * with pre values, so what a round on the way believed leaves no trace. Time events: relations with time and samples
 * say when the next one is. Tests: tests/gen/event_test.c. */
#include "gen/inside.h"

#include <math.h>

enum { MOST_ROUNDS = 200, MOST_PASSES = 2000, TOGETHER = 20 };

/* Whether relations have changed; they take their new value: all of them, or the first one only. */
static bool take_relations(Instance *i, bool only_first)
{
    for (uint32_t k = 0; k < i->c->s->relations.n; k++) {
        if (i->memory[MEM_RELATION][k] == i->memory[MEM_LIVE][k]) continue;
        i->memory[MEM_RELATION][k] = i->memory[MEM_LIVE][k];
        i->flipped = k;
        if (only_first) return true;
        for (uint32_t m = k + 1; m < i->c->s->relations.n; m++)
            i->memory[MEM_RELATION][m] = i->memory[MEM_LIVE][m];
        return true;
    }
    return false;
}

/* Whether a discrete variable differs from `kept`; takes the values over. */
static bool take_discrete(Instance *i, double *kept)
{
    const System *s = i->c->s;
    bool changed = false;
    for (uint32_t k = 0; k < s->discrete.n; k++) {
        uint32_t v = s->discrete.at[k].var;
        changed |= kept[v] != i->memory[MEM_VALUE][v];
        kept[v] = i->memory[MEM_VALUE][v];
    }
    return changed;
}

static EvalStatus not_settled(Instance *i)
{
    const System *s = i->c->s;
    double t = i->memory[MEM_MODE][MODE_TIME];
    if (!s->relations.n) return gen_fail(i, EVAL_FATAL, "at time %.10g: discrete variables keep changing", t);
    return gen_fail(i, EVAL_FATAL,
                    "at time %.10g: relations keep changing, the last one about '%s'; no values agree", t,
                    i->c->relation_about[i->flipped]);
}

/* Continuous variables, relations and discrete ones until they agree; pre values stay. */
static EvalStatus settle(Instance *i, bool is_initial, bool *changed)
{
    const Compiled *c = i->c;
    *changed = false;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        EvalStatus status = is_initial ? gen_run(i, &c->initial, true) : gen_everything(i, true);
        if (status == EVAL_OK) status = gen_call(i, c->relations);
        if (status != EVAL_OK) return status;
        bool again = take_relations(i, pass >= TOGETHER);
        take_discrete(i, i->memory[MEM_TANGENT]);
        if ((status = gen_call(i, c->discrete)) != EVAL_OK) return status;
        again |= take_discrete(i, i->memory[MEM_TANGENT]);
        if (!again) return EVAL_OK;
        *changed = true;
    }
    return not_settled(i);
}

static bool take_pre(Instance *i)
{
    const System *s = i->c->s;
    bool changed = take_discrete(i, i->memory[MEM_PRE]);
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
        i->memory[MEM_VALUE][s->reinits.at[k].var] = i->memory[MEM_FIRE][2 * k + 1];
        changed = true;
    }
    for (uint32_t k = 0; k < s->checks.n; k++) {
        const DaeCheck *check = &s->checks.at[k];
        if (check->is_assert || i->memory[MEM_FIRE][2 * s->reinits.n + k] == 0) continue;
        info->terminate = true;
        info->message = check->message;
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
        if (++info->iterations > MOST_ROUNDS) return not_settled(i);
        EvalStatus status = settle(i, false, &moved);
        if (status == EVAL_OK) status = gen_call(i, i->c->fire);
        if (status != EVAL_OK) return status;
        info->rhs_changed |= moved;
        again = act(i, info);
        info->y_changed |= again;
        again |= take_pre(i);
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
    info->y_changed |= info->states_selected;
    return info->states_selected ? gen_everything(i, true) : EVAL_OK;
}

static EvalStatus finish(Instance *i, double t, double *y, EventInfo *info)
{
    EvalStatus status = end_samples(i);
    if (status == EVAL_OK) status = gen_everything(i, true);
    if (status == EVAL_OK) status = reselect(i, info);
    if (status == EVAL_OK) status = gen_check(i, EVAL_FATAL);
    if (status == EVAL_OK) status = find_next_time(i, t, info);
    gen_keep_guesses(i);
    write_states(i, y);
    if (!info->message && i->message[0]) info->message = i->message;
    return status;
}

EvalStatus gen_event(Model *model, double t, double *y, EventInfo *info)
{
    Instance *i = model->data;
    *info = (EventInfo){ .next_time = INFINITY };
    i->message[0] = 0;
    gen_set_point(i, t, y);
    EvalStatus status = gen_everything(i, false);
    take_pre(i);
    fire_samples(i, t);
    if (status == EVAL_OK) status = iterate(i, info);
    if (status == EVAL_OK) status = finish(i, t, y, info);
    return status;
}

/* Start values and nominals that are numbers, or were set. */
static void put_numbers(Instance *i)
{
    const System *s = i->c->s;
    for (uint32_t v = 0; v < s->vars.n; v++) {
        i->memory[MEM_NOMINAL][v] = fabs(i->c->nominal_number[v]);
        if (!gen_has_start(&s->vars.at[v])) continue;
        double start = i->memory[MEM_SET][v] != 0 ? i->memory[MEM_GIVEN][v] : i->c->start_number[v];
        i->memory[MEM_VALUE][v] = i->memory[MEM_PRE][v] = start;
    }
}

EvalStatus gen_initialise(Model *model, double t, double *y, EventInfo *info)
{
    Instance *i = model->data;
    const Compiled *c = i->c;
    *info = (EventInfo){ .next_time = INFINITY };
    i->message[0] = 0;
    i->is_started = true;
    i->memory[MEM_MODE][MODE_TIME] = t;
    i->memory[MEM_MODE][MODE_INITIAL] = 1;
    EvalStatus status = gen_call(i, c->parameters);
    put_numbers(i);
    if (status == EVAL_OK) status = gen_call(i, c->start);
    if (status == EVAL_OK) status = gen_call(i, c->relations);
    take_relations(i, false);
    if (status == EVAL_OK) status = gen_call(i, c->discrete_initial);
    if (status == EVAL_OK) status = gen_call(i, c->times);
    bool moved;
    if (status == EVAL_OK) status = settle(i, true, &moved);
    take_pre(i);
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
    info->terminate |= first.terminate;
    info->message = first.message;
    info->iterations += first.iterations;
    return status;
}
