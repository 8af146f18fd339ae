/* history.c: the memory of operators with a history in an instance: what is noted when, and what
 * follows for steps and events.
 *
 * A point is noted at the start, at accepted steps and at both sides of events. Where the key is
 * time, jumps, and kinks that events make, come out as time events, and no step is longer than the
 * shortest span, so that what is read is always past. A span that varies (delay() with three
 * arguments) has neither: where it becomes shorter than a step, the last slope goes on. Where the
 * key is a distance, relations with the next fronts make the events. Tests:
 * tests/api/language_test.c. */
#include "run/inside.h"

#include <math.h>

/* The inputs of history k, and what lies between its ends at the start. */
static double *part(const RunInstance *i, uint32_t k)
{
    return i->memory[MEM_HISTORY] + (size_t)RT_HISTORY_PARTS * k;
}

static RunStatus out_of_memory(RunInstance *i)
{
    return run_fail(i, RUN_FATAL, "no memory for what delay() and spatialDistribution() remember");
}

static RunStatus check_start(RunInstance *i, double t, uint32_t k, const double *profile)
{
    const double *in = part(i, k), span = in[RT_HISTORY_SPAN];
    uint8_t flags = i->m->history_flags[k];
    uint32_t n = i->m->history_points[k];
    if (!(span >= 0) || (!(flags & RT_HISTORY_FREE) && !(span > 0)))
        return run_fail(i, RUN_FATAL, "at time %.10g: the time of a delay() is %.10g; it must be positive", t,
                        span);
    bool ascends = n == 0 || (profile[0] == 0 && profile[n - 1] == 1);
    for (uint32_t j = 1; j < n; j++) ascends &= profile[j] >= profile[j - 1];
    if (ascends) return RUN_OK;
    return run_fail(i, RUN_FATAL, "the initialPoints of a spatialDistribution() must ascend from 0 to 1");
}

RunStatus run_histories_start(RunInstance *i)
{
    const RunModel *m = i->m;
    double t = i->memory[MEM_MODE][MODE_TIME];
    if (!m->history_count) return RUN_OK;
    RunStatus status = run_call(i, i->m->histories);
    const double *profile = part(i, m->history_count);
    for (uint32_t k = 0; k < m->history_count && status == RUN_OK; k++) {
        uint32_t n = m->history_points[k];
        status = check_start(i, t, k, profile);
        if (status != RUN_OK) return status;
        if (!rt_history_start(i->rt, k, t, part(i, k), profile, n, m->history_flags[k]))
            return out_of_memory(i);
        rt_history_fronts(i->rt, k, part(i, k));
        profile += 2 * (size_t)n;
    }
    return status;
}

RunStatus run_histories_note(RunInstance *i, RtNote what)
{
    const RunModel *m = i->m;
    double t = i->memory[MEM_MODE][MODE_TIME];
    if (!m->history_count) return RUN_OK;
    RunStatus status = run_call(i, i->m->histories);
    for (uint32_t k = 0; k < m->history_count && status == RUN_OK; k++) {
        if (!rt_history_note(i->rt, k, t, part(i, k), what)) return out_of_memory(i);
        if (what != RT_NOTE_POINT) rt_history_fronts(i->rt, k, part(i, k));
    }
    return status;
}

double run_histories_deviation(RunInstance *i)
{
    const RunModel *m = i->m;
    double most = 0;
    if (!m->history_count || run_call(i, m->histories) != RUN_OK) return 0;
    for (uint32_t k = 0; k < m->history_count; k++)
        if (!(m->history_flags[k] & RT_HISTORY_DISCRETE))
            most = fmax(most, rt_history_deviation(i->rt, k, part(i, k)));
    return most;
}

bool run_histories_pass(RunInstance *i)
{
    bool passed = false;
    for (uint32_t k = 0; k < i->m->history_count; k++) {
        passed |= rt_history_pass(i->rt, k, part(i, k));
        rt_history_fronts(i->rt, k, part(i, k));
    }
    return passed;
}

/* No step may be longer than what a history can bridge. */
static double longest_step(const RunInstance *i, uint32_t k)
{
    uint8_t flags = i->m->history_flags[k];
    double span = part(i, k)[RT_HISTORY_SPAN], rate = rt_history_rate(i->rt, k);
    if (flags & RT_HISTORY_BOTH) return rate > 0 ? span / rate : INFINITY;
    return flags & RT_HISTORY_DISCRETE ? 0 : span; /* what is to come is known */
}

void run_histories_plan(const RunInstance *i, RunEvent *info)
{
    for (uint32_t k = 0; k < i->m->history_count; k++) {
        if (i->m->history_flags[k] & RT_HISTORY_FREE) continue;
        info->next_time = fmin(info->next_time, rt_history_next_time(i->rt, k, part(i, k)));
        double longest = longest_step(i, k);
        if (longest > 0) info->max_step = info->max_step > 0 ? fmin(info->max_step, longest) : longest;
    }
}
