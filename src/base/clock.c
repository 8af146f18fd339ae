/* clock.c: time, memory and processors as the operating system counts them.
 * Tests: tests/cli/parse.sh. */
#include "base/base.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

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

/* The number after a key in a file of lines, or the first one; SIZE_MAX: there is none. */
static size_t number_in_file(const char *path, const char *key)
{
    char line[200];
    size_t found = SIZE_MAX;
    FILE *file = fopen(path, "r");
    while (file && found == SIZE_MAX && fgets(line, sizeof line, file)) {
        char *end, *at = line + strlen(key);
        if (strncmp(line, key, strlen(key)) != 0) continue;
        unsigned long long value = strtoull(at, &end, 10);
        if (end > at) found = (size_t)value;
    }
    if (file) fclose(file);
    return found;
}

size_t memory_available(void)
{
    struct rlimit limit;
    size_t here = number_in_file("/proc/meminfo", "MemAvailable:");
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t free = here < SIZE_MAX / 1024 ? here * 1024 : pages > 0 ? (size_t)pages * (size_t)page : SIZE_MAX;
    size_t most = number_in_file("/sys/fs/cgroup/memory.max", ""),
           used = number_in_file("/sys/fs/cgroup/memory.current", "");
    if (most != SIZE_MAX && used != SIZE_MAX) free = size_min(free, most > used ? most - used : 0);
    size_t mapped = number_in_file("/proc/self/statm", "");
    mapped = mapped < SIZE_MAX / (size_t)page ? mapped * (size_t)page : 0;
    if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
        free = size_min(free, limit.rlim_cur > mapped ? (size_t)limit.rlim_cur - mapped : 0);
    return free;
}

unsigned cpu_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set)) return 1;
    int n = CPU_COUNT(&set);
    return n < 1 ? 1 : (unsigned)n;
}
