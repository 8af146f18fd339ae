/* deadline.c: steps at fixed instants of the clock, each of which has to be done in time.
 *
 * In: a stepper that was started, a span, a deadline. Out: how long steps took, which were late,
 * what they said. How: absolute times of CLOCK_MONOTONIC; inputs are taken, the step is computed,
 * outputs are sent, then the loop sleeps until the next instant. A step is late when it ends later
 * than the deadline after its instant. Then, by policy, the loop goes on at once until it has
 * caught up; or leaves out instants, and the model's time with them; or stops. SCHED_FIFO, locked
 * memory and a processor of its own are asked for, and said where they are denied. Always: no
 * allocation and, but for the clock, sleep and the channel, no system call in the loop. Tests:
 * tests/realtime/stepper_test.c. */
#include "realtime/inside.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

const char *const overrun_policies[OVERRUN_KINDS] = { "catch-up", "skip", "stop" };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_until(double at)
{
    struct timespec t = { .tv_sec = (time_t)at };
    t.tv_nsec = (long)((at - (double)t.tv_sec) * 1e9);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) continue;
}

/* What has to be given back. */
typedef struct {
    int policy;
    struct sched_param parameters;
    cpu_set_t cpus;
} Before;

static void ask_for_rights(const RtRun *run, RtRunReport *report, Before *before)
{
    before->policy = sched_getscheduler(0);
    sched_getparam(0, &before->parameters);
    sched_getaffinity(0, sizeof before->cpus, &before->cpus);
    if (run->cpu >= 0 && run->cpu < CPU_SETSIZE) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET((unsigned)run->cpu, &one);
        report->has_cpu = sched_setaffinity(0, sizeof one, &one) == 0;
    }
    if (!run->priority) return;
    struct sched_param high = { .sched_priority = sched_get_priority_max(SCHED_FIFO) - 1 };
    report->has_priority = sched_setscheduler(0, SCHED_FIFO, &high) == 0;
    report->has_lock = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
}

static void give_rights_back(const RtRunReport *report, const Before *before)
{
    if (report->has_priority) sched_setscheduler(0, before->policy, &before->parameters);
    if (report->has_cpu) sched_setaffinity(0, sizeof before->cpus, &before->cpus);
    if (report->has_lock) munlockall();
}

/* ---- one step -------------------------------------------------------------------------------- */

typedef struct {
    RtStepper *stepper;
    const RtRun *run;
    RtRunReport *report;
    double *values; /* of the channel */
} Loop;

static void take_inputs(Loop *l)
{
    double t;
    unsigned flags;
    if (!l->run->channel) return;
    size_t n = channel_receive(l->run->channel, &t, &flags, l->values, RT_MOST_VALUES);
    for (size_t k = 0; k < n && k < l->run->input_count; k++)
        if (isfinite(l->values[k])) stepper_set_input(l->stepper, l->run->inputs[k], l->values[k]);
    l->report->received += n > 0;
}

static void note_step(Loop *l, const RtStepInfo *info, double busy, double response, double latency)
{
    RtRunReport *r = l->report;
    bool late = response > l->run->deadline;
    unsigned flags = (late ? RT_FLAG_LATE : 0u) | (info->event ? RT_FLAG_EVENT : 0u) |
                     (info->poor_pivot ? RT_FLAG_PIVOT : 0u) | (info->held ? RT_FLAG_HELD : 0u) |
                     (info->event_converged ? 0u : RT_FLAG_NOT_CONVERGED);
    r->log[r->steps] = (RtStepLog){ (float)busy, (float)response, (float)info->estimate, flags };
    if (late && r->overruns < RT_PLACES) r->place[r->overruns] = r->steps;
    r->overruns += late;
    r->events += info->event;
    r->poor_pivots += info->poor_pivot;
    r->held += info->held;
    r->not_converged += !info->event_converged;
    r->worst = fmax(r->worst, busy);
    r->mean += busy;
    r->worst_response = fmax(r->worst_response, response);
    r->worst_latency = fmax(r->worst_latency, latency);
    r->worst_estimate = fmax(r->worst_estimate, info->estimate);
    int bucket = busy > 1e-7 ? (int)(2 * log2(busy / 1e-7)) : 0;
    r->histogram[bucket < RT_BUCKETS ? bucket : RT_BUCKETS - 1]++;
    r->steps++;
}

static void run_loop(Loop *l, long count, double tau)
{
    const RtRun *run = l->run;
    RtRunReport *r = l->report;
    double start = now() + tau;
    for (long k = 0; r->steps + r->skipped < count; k++) {
        double at = start + (double)k * tau;
        RtStepInfo info;
        sleep_until(at);
        double begin = now();
        take_inputs(l);
        stepper_step(l->stepper, &info);
        if (run->channel)
            channel_send(run->channel, stepper_time(l->stepper),
                         r->steps && r->log[r->steps - 1].flags & RT_FLAG_LATE, stepper_outputs(l->stepper),
                         stepper_output_count(l->stepper));
        double end = now();
        note_step(l, &info, end - begin, end - at, begin - at);
        if (run->interrupt && *run->interrupt) r->is_interrupted = true;
        bool late = end - at > run->deadline;
        if (late && run->policy == OVERRUN_STOP) r->is_stopped = true;
        if (r->is_interrupted || r->is_stopped) return;
        if (!late || run->policy != OVERRUN_SKIP) continue;
        long behind = (long)((end - at) / tau);
        k += behind;
        r->skipped += behind;
    }
}

/* ---- the door -------------------------------------------------------------------------------- */

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void find_quantiles(RtRunReport *r)
{
    size_t n = (size_t)r->steps;
    float *sorted = NEW_ARRAY(r->arena, float, n + 1);
    for (size_t k = 0; k < n; k++) sorted[k] = r->log[k].busy;
    qsort(sorted, n, sizeof *sorted, compare_floats);
    if (!n) return;
    r->mean /= (double)n;
    r->median = (double)sorted[n / 2];
    r->p99 = (double)sorted[(size_t)(0.99 * (double)(n - 1))];
    r->p999 = (double)sorted[(size_t)(0.999 * (double)(n - 1))];
}

bool deadline_run(RtStepper *stepper, const RtRun *run, RtRunReport *report)
{
    double tau = stepper_tau(stepper);
    long count = lround(run->seconds / tau);
    *report = (RtRunReport){ .arena = arena_new() };
    if (!report->arena) return false;
    report->log = NEW_ARRAY(report->arena, RtStepLog, (size_t)count + 1);
    Loop loop = { stepper, run, report, NEW_ARRAY(report->arena, double, RT_MOST_VALUES + 1) };
    /* so that its pages are there */
    memset(report->log, 0xff, (size_t)count * sizeof *report->log);
    Before before;
    ask_for_rights(run, report, &before);
    run_loop(&loop, count, tau);
    give_rights_back(report, &before);
    find_quantiles(report);
    return true;
}

void deadline_free(RtRunReport *report) { arena_free(report->arena); }
