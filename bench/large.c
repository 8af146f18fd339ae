/* large.c: `acausal bench large`: families of models at three sizes each, every run in a process of
 * its own; how time and memory grow from one size to the next. */
#include "bench/large/large.h"
#include "cli/bench.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    const char *solver; /* NULL: auto */
    double limit;       /* seconds of a run */
    BenchOut *out;
} Wish;

static AcausalStatus run_apart(const LargeFamily *family, unsigned size, const Wish *wish, LargeRow *row)
{
    int ends[2], ended = 0;
    if (pipe(ends)) return ACAUSAL_BUG;
    pid_t child = fork();
    if (child == 0) {
        AcausalStatus status = run_large_bench(family, size, wish->solver, wish->limit, row);
        bool written = write(ends[1], row, sizeof *row) == (ssize_t)sizeof *row;
        _exit(written ? (int)status : ACAUSAL_BUG);
    }
    close(ends[1]);
    bool got = child > 0 && read(ends[0], row, sizeof *row) == (ssize_t)sizeof *row;
    close(ends[0]);
    if (child < 0 || waitpid(child, &ended, 0) < 0 || !WIFEXITED(ended) || !got) return ACAUSAL_BUG;
    return (AcausalStatus)WEXITSTATUS(ended);
}

/* Of growth in the size of the text: n where there are n cells, n^2 where there are n x n. */
static void show_exponent(BenchOut *out, double now, double before, double cells)
{
    if (before > 0 && now > 0)
        bench_cell(out, "%.2f", log(now / before) / log(cells));
    else
        bench_cell(out, "-");
}

static void show_row(const LargeFamily *family, unsigned size, const LargeRow *row, const LargeRow *before,
                     double cells, const Wish *wish)
{
    BenchOut *out = wish->out;
    bench_cell(out, "%s", family->name);
    bench_cell(out, "%s", wish->solver ? wish->solver : "auto");
    bench_cell(out, "%u", size);
    bench_cell(out, "%zu", row->states);
    bench_cell(out, "%.3f", row->translate_seconds);
    if (row->finished)
        bench_cell(out, "%.3f", row->run_seconds);
    else
        bench_cell(out, "over %.0f", row->run_seconds);
    bench_cell(out, "%ld", row->steps);
    bench_cell(out, "%.1f", (double)row->peak_bytes / 1e6);
    show_exponent(out, row->translate_seconds, before->translate_seconds, cells);
    show_exponent(out, row->finished ? row->run_seconds : 0, before->finished ? before->run_seconds : 0,
                  cells);
    show_exponent(out, (double)row->peak_bytes, (double)before->peak_bytes, cells);
    bench_end_row(out);
}

static AcausalStatus run_family(const LargeFamily *family, size_t most, const Wish *wish)
{
    LargeRow before = { 0 };
    bool is_square = strstr(family->text, "[n,n]") != NULL;
    AcausalStatus status = ACAUSAL_DONE;
    for (size_t k = 0; k < LARGE_SIZES && status == ACAUSAL_DONE; k++) {
        LargeRow row;
        unsigned size = family->sizes[k];
        if (size > most) break;
        double cells = k ? (double)size / family->sizes[k - 1] : 1;
        status = run_apart(family, size, wish, &row);
        if (status == ACAUSAL_BUG || !(row.translate_seconds > 0)) return status;
        show_row(family, size, &row, &before, is_square ? cells * cells : cells, wish);
        before = row;
        if (status == ACAUSAL_FAILED) status = ACAUSAL_DONE; /* too late: the row says so */
    }
    return status;
}

static AcausalStatus run_large(const Args *args, BenchOut *out)
{
    const char *only = args_value(args, "--only");
    AcausalStatus status = ACAUSAL_DONE;
    bool known = false;
    size_t most = 1000000;
    Wish wish = { args_value(args, "--solver"), 120, out };
    if (!args_size(args, "--most", 1, &most)) return ACAUSAL_USAGE;
    for (size_t i = 0; bench_large_family(i) && status == ACAUSAL_DONE; i++) {
        if (only && strcmp(only, bench_large_family(i)->name) != 0) continue;
        known = true;
        status = run_family(bench_large_family(i), most, &wish);
    }
    if (!known) return usage_error(args->command, "there is no family '%s'", only);
    return status;
}

const Bench bench_large = {
    .name = "large",
    .about = "families of large models, three sizes each: translation, run, memory, and how they grow",
    .columns = "family,solver,size,states,translate_s,run_s,steps,peak_mb,translate_exponent,run_exponent,"
               "memory_exponent",
    .run = run_large,
};
