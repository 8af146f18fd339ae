/* scale.c: `acausal bench scale`: translation of models of 1e3 to 1e6 equations, each in a process
 * of its own. */
#include "cli/bench.h"

#include "bench/runs/runs.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static AcausalStatus show_row(const char *family, size_t equations, BenchOut *out)
{
    ScaleRow row;
    int ends[2];
    if (pipe(ends)) return ACAUSAL_BUG;
    pid_t child = fork();
    if (child == 0) {
        AcausalStatus status = run_scale_bench(family, equations, &row);
        bool written = write(ends[1], &row, sizeof row) == (ssize_t)sizeof row;
        _exit(written ? (int)status : ACAUSAL_BUG);
    }
    close(ends[1]);
    bool got = child > 0 && read(ends[0], &row, sizeof row) == (ssize_t)sizeof row;
    int ended = 0;
    close(ends[0]);
    if (child < 0 || waitpid(child, &ended, 0) < 0 || !WIFEXITED(ended) || !got) return ACAUSAL_BUG;
    if (WEXITSTATUS(ended) != ACAUSAL_DONE) return (AcausalStatus)WEXITSTATUS(ended);
    bench_cell(out, "%s", family);
    bench_cell(out, "%zu", row.equations);
    bench_cell(out, "%.4g", 1e3 * row.translate_seconds);
    bench_cell(out, "%.4g", 1e3 * row.flat_seconds);
    bench_cell(out, "%.4g", (double)row.peak_bytes / 1e6);
    bench_cell(out, "%.4g", 1e9 * row.rhs_seconds);
    bench_cell(out, "%.4g", 1e9 * row.jacobian_seconds);
    bench_end_row(out);
    return ACAUSAL_DONE;
}

static AcausalStatus run_scale(const Args *args, BenchOut *out)
{
    static const size_t sizes[] = { 1000, 10000, 100000, 1000000 };
    const char *only = args_value(args, "--only");
    AcausalStatus status = ACAUSAL_DONE;
    bool known = false;
    size_t most = 1000000;
    if (!args_size(args, "--most", 1, &most)) return ACAUSAL_USAGE;
    for (size_t i = 0; bench_scale_family(i); i++) {
        const char *family = bench_scale_family(i);
        if (only && strcmp(only, family) != 0) continue;
        known = true;
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && status == ACAUSAL_DONE; k++)
            if (sizes[k] <= most && (sizes[k] < 1000000 || !strcmp(family, "ladder")))
                status = show_row(family, sizes[k], out);
    }
    if (!known) return usage_error(args->command, "there is no family '%s'", only);
    return status;
}

const Bench bench_scale = {
    .name = "scale",
    .about = "translation of a chain of masses, an RC ladder, a plate, a rod and a Brusselator of 1e3 to 1e6 "
             "equations",
    .columns = "family,equations,translate_ms,flat_ms,peak_mb,rhs_ns,jacobian_ns",
    .run = run_scale,
};
