/* delay.c: the memory of delay() in an instance: what is noted when, and what follows for steps and events.
 *
 * A point is noted at the start, at accepted steps and at both sides of events. With a constant delay time jumps, and kinks that
 * events make, come out as time events; no step is longer than the shortest delay, so that what is looked up is always past. A delay time that may
 * vary (three arguments) has neither: where it becomes shorter than a step, the last slope goes on. Tests: tests/api/language_test.c. */
#include "gen/inside.h"

#include <math.h>

enum { PARTS = 3 }; /* of a delay in MEM_DELAY: value, time, longest time */

static const double *part(const Instance *i, uint32_t k) { return i->memory[MEM_DELAY] + PARTS * k; }

void gen_lower_delays(Lower *l)
{
    System *s = l->c->s;
    lower_begin(l, "delays");
    for (uint32_t k = 0; k < s->delays.n; k++) {
        const DaeDelay *d = &s->delays.at[k];
        lower_store(l, MEM_DELAY, PARTS * k, lower_real(l, d->value));
        lower_store(l, MEM_DELAY, PARTS * k + 1, lower_real(l, d->time));
        lower_store(l, MEM_DELAY, PARTS * k + 2, lower_real(l, d->longest));
    }
    l->c->delays = lower_end(l);
}

static EvalStatus out_of_memory(Instance *i)
{
    return gen_fail(i, EVAL_FATAL, "no memory for what delay() remembers");
}

EvalStatus gen_delays_start(Instance *i)
{
    const System *s = i->c->s;
    double t = i->memory[MEM_MODE][MODE_TIME];
    if (!s->delays.n) return EVAL_OK;
    EvalStatus status = gen_call(i, i->c->delays);
    for (uint32_t k = 0; k < s->delays.n && status == EVAL_OK; k++) {
        const double *d = part(i, k);
        bool is_free = s->delays.at[k].is_free;
        if (!(d[2] >= 0) || (!is_free && !(d[1] > 0)))
            return gen_fail(i, EVAL_FATAL,
                            "at time %.10g: the time of a delay() is %.10g; it must be positive", t,
                            is_free ? d[2] : d[1]);
        if (!rt_delay_start(i->rt, k, t, d[0], is_free)) return out_of_memory(i);
    }
    return status;
}

EvalStatus gen_delays_note(Instance *i, DelayNote what)
{
    const System *s = i->c->s;
    double t = i->memory[MEM_MODE][MODE_TIME];
    if (!s->delays.n) return EVAL_OK;
    EvalStatus status = gen_call(i, i->c->delays);
    for (uint32_t k = 0; k < s->delays.n && status == EVAL_OK; k++) {
        const double *d = part(i, k);
        bool is_kink = what == DELAY_BREAK && !s->delays.at[k].is_discrete;
        bool ok = what == DELAY_POINT ? rt_delay_push(i->rt, k, t, d[0])
                                      : rt_delay_jump(i->rt, k, t, d[0], is_kink);
        if (!ok) return out_of_memory(i);
        rt_delay_forget(i->rt, k, t - d[2]);
    }
    return status;
}

double gen_delays_surprise(Instance *i)
{
    const System *s = i->c->s;
    double most = 0, t = i->memory[MEM_MODE][MODE_TIME];
    if (!s->delays.n || gen_call(i, i->c->delays) != EVAL_OK) return 0;
    for (uint32_t k = 0; k < s->delays.n; k++)
        if (!s->delays.at[k].is_discrete) most = fmax(most, rt_delay_surprise(i->rt, k, t, part(i, k)[0]));
    return most;
}

bool gen_delays_pass(Instance *i)
{
    double t = i->memory[MEM_MODE][MODE_TIME];
    bool passed = false;
    for (uint32_t k = 0; k < i->c->s->delays.n; k++) passed |= rt_delay_pass(i->rt, k, t, part(i, k)[1]);
    return passed;
}

void gen_delays_plan(const Instance *i, EventInfo *info)
{
    for (uint32_t k = 0; k < i->c->s->delays.n; k++) {
        if (i->c->s->delays.at[k].is_free) continue;
        double time = part(i, k)[1];
        info->next_time = fmin(info->next_time, rt_delay_next(i->rt, k, time));
        if (i->c->s->delays.at[k].is_discrete) continue; /* what is to come is known */
        info->max_step = info->max_step > 0 ? fmin(info->max_step, time) : time;
    }
}
