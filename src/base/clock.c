/* clock.c: time, memory and processors as the operating system counts them.
 * Tests: tests/cli/parse.sh. */
#include "base/base.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>

static double seconds(clockid_t which)
{
    struct timespec t;
    if (clock_gettime(which, &t)) return 0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_wall(void) { return seconds(CLOCK_MONOTONIC); }
double clock_cpu(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }
double clock_thread(void) { return seconds(CLOCK_THREAD_CPUTIME_ID); }

size_t memory_peak(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : (size_t)usage.ru_maxrss * 1024;
}

unsigned cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set)) return 1;
    int n = CPU_COUNT(&set);
    return n < 1 ? 1 : (unsigned)n;
}
