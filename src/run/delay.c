/* delay.c: the memory of delay() in an instance: what is noted when, and what follows for steps and
 * events.
 *
 * A point is noted at the start, at accepted steps and at both sides of events. With a constant
 * delay time jumps, and kinks that events make, come out as time events; no step is longer than the
 * shortest delay, so that what is looked up is always past. A delay time that may vary (three
 * arguments) has neither: where it becomes shorter than a step, the last slope goes on. Tests:
 * tests/api/language_test.c. */
#include "run/inside.h"

#include <math.h>

enum { PARTS = 3 }; /* of a delay in MEM_DELAY: value, time, longest time */

static const double *part(const RunInstance *i, uint32_t k) { return i->memory[MEM_DELAY] + PARTS * k; }

static RunStatus out_of_memory(RunInstance *i)
{
    return run_fail(i, RUN_FATAL, "no memory for what delay() remembers");
}

RunStatus run_delays_start(RunInstance *i)
{
    const RunModel *m = i->m;
    double t = i->memory[MEM_MODE][MODE_TIME];
    if (!m->delay_count) return RUN_OK;
    RunStatus status = run_call(i, i->m->delays);
    for (uint32_t k = 0; k < m->delay_count && status == RUN_OK; k++) {
        const double *d = part(i, k);
        bool is_free = (m->delay_flags[k] & RUN_DELAY_FREE) != 0;
        if (!(d[2] >= 0) || (!is_free && !(d[1] > 0)))
            return run_fail(i, RUN_FATAL,
                            "at time %.10g: the time of a delay() is %.10g; it must be positive", t,
                            is_free ? d[2] : d[1]);
        if (!rt_delay_start(i->rt, k, t, d[0], is_free)) return out_of_memory(i);
    }
    return status;
}

RunStatus run_delays_note(RunInstance *i, DelayNote what)
{
    const RunModel *m = i->m;
    double t = i->memory[MEM_MODE][MODE_TIME];
    if (!m->delay_count) return RUN_OK;
    RunStatus status = run_call(i, i->m->delays);
    for (uint32_t k = 0; k < m->delay_count && status == RUN_OK; k++) {
        const double *d = part(i, k);
        bool is_kink = what == DELAY_BREAK && !(m->delay_flags[k] & RUN_DELAY_DISCRETE);
        bool ok = what == DELAY_POINT ? rt_delay_push(i->rt, k, t, d[0])
                                      : rt_delay_jump(i->rt, k, t, d[0], is_kink);
        if (!ok) return out_of_memory(i);
        rt_delay_forget(i->rt, k, t - d[2]);
    }
    return status;
}

double run_delays_surprise(RunInstance *i)
{
    const RunModel *m = i->m;
    double most = 0, t = i->memory[MEM_MODE][MODE_TIME];
    if (!m->delay_count || run_call(i, m->delays) != RUN_OK) return 0;
    for (uint32_t k = 0; k < m->delay_count; k++)
        if (!(m->delay_flags[k] & RUN_DELAY_DISCRETE))
            most = fmax(most, rt_delay_surprise(i->rt, k, t, part(i, k)[0]));
    return most;
}

bool run_delays_pass(RunInstance *i)
{
    double t = i->memory[MEM_MODE][MODE_TIME];
    bool passed = false;
    for (uint32_t k = 0; k < i->m->delay_count; k++) passed |= rt_delay_pass(i->rt, k, t, part(i, k)[1]);
    return passed;
}

void run_delays_plan(const RunInstance *i, RunEvent *info)
{
    for (uint32_t k = 0; k < i->m->delay_count; k++) {
        if (i->m->delay_flags[k] & RUN_DELAY_FREE) continue;
        double time = part(i, k)[1];
        info->next_time = fmin(info->next_time, rt_delay_next(i->rt, k, time));
        if (i->m->delay_flags[k] & RUN_DELAY_DISCRETE) continue; /* what is to come is known */
        info->max_step = info->max_step > 0 ? fmin(info->max_step, time) : time;
    }
}
