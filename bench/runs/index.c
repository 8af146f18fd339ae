/* index.c: what it takes to list a library without reading its files. */
#include "api/inside.h"
#include "bench/runs/runs.h"

AcausalStatus run_index(AcausalSession *s, const char *path, AcausalParseReport *report)
{
    double cpu = clock_cpu(), wall = clock_wall();
    Unit *root = libraries_open_directory(s->libraries, path, &s->diag);
    report->files = root ? libraries_index(s->libraries, root, &s->diag) : 0;
    report->seconds = clock_wall() - wall;
    report->cpu_seconds = clock_cpu() - cpu;
    report->peak_bytes = memory_peak();
    return session_status(s);
}
