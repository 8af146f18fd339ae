/* bench.c: `acausal bench NAME`: the table of benchmarks, and their rows as a table or as CSV. */
#include "cli/bench.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const Bench *const benches[] = {
    &bench_parse, &bench_start,  &bench_code,       &bench_scale,    &bench_large,
    &bench_ivp,   &bench_hybrid, &bench_increments, &bench_realtime, &bench_sensitivity,
};
enum { BENCH_COUNT = sizeof benches / sizeof benches[0], NARROWEST = 10, LONGEST_CELL = 200 };

struct BenchOut {
    FILE *csv;                    /* NULL: a table on stdout */
    const char *columns, *column; /* all, and the one that comes next */
};

/* The width of the column that comes next, and a step to the one after it. */
static int next_width(BenchOut *out)
{
    size_t n = strcspn(out->column, ",");
    out->column += n + (out->column[n] == ',');
    return n + 2 > NARROWEST ? (int)n + 2 : NARROWEST;
}

void bench_cell(BenchOut *out, const char *format, ...)
{
    char cell[LONGEST_CELL];
    bool first = out->column == out->columns;
    va_list args;
    va_start(args, format);
    vsnprintf(cell, sizeof cell, format, args);
    va_end(args);
    int width = next_width(out);
    if (out->csv)
        fprintf(out->csv, "%s%s", first ? "" : ",", cell);
    else if (first)
        printf("%-24s", cell);
    else
        printf(" %*s", width, cell);
}

void bench_end_row(BenchOut *out)
{
    FILE *file = out->csv ? out->csv : stdout;
    out->column = out->columns;
    fputc('\n', file);
    fflush(file);
}

void bench_row(void *out, const char *const *cells, size_t n)
{
    for (size_t i = 0; i < n; i++) bench_cell(out, "%s", cells[i]);
    bench_end_row(out);
}

void bench_remark(BenchOut *out, const char *format, ...)
{
    if (out->csv) return;
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
}

static void write_header(BenchOut *out)
{
    for (const char *c = out->columns; *c;) {
        size_t n = strcspn(c, ",");
        bench_cell(out, "%.*s", (int)n, c);
        c += n + (c[n] == ',');
    }
    bench_end_row(out);
}

static const char *bench_name(size_t i) { return i < BENCH_COUNT ? benches[i]->name : NULL; }

static const Bench *find_bench(const Args *args)
{
    for (size_t i = 0; i < BENCH_COUNT; i++)
        if (!strcmp(benches[i]->name, args->words[0])) return benches[i];
    unknown_word(args->command, "benchmark", args->words[0], bench_name);
    return NULL;
}

static void list_benches(void)
{
    for (size_t i = 0; i < BENCH_COUNT; i++) printf("  %-12s %s\n", benches[i]->name, benches[i]->about);
}

static AcausalStatus run_bench(const Args *args)
{
    if (args->word_count == 0) {
        list_benches();
        return ACAUSAL_DONE;
    }
    const Bench *bench = find_bench(args);
    const char *path = args_value(args, "--csv");
    if (!bench) return ACAUSAL_USAGE;
    BenchOut out = { .columns = bench->columns, .column = bench->columns };
    if (path && !(out.csv = fopen(path, "w"))) {
        fprintf(stderr, "acausal bench: %s: %s\n", path, strerror(errno));
        return ACAUSAL_WRONG;
    }
    write_header(&out);
    AcausalStatus status = bench->run(args, &out);
    if (out.csv && fclose(out.csv)) {
        fprintf(stderr, "acausal bench: %s: %s\n", path, strerror(errno));
        status = ACAUSAL_WRONG;
    }
    return status;
}

static const Option options[] = {
    { "--csv", "FILE", "write the rows there instead of a table" },
    { "--models", "DIR", "realtime: where the models are (models)" },
    { "--only", "NAME", "restrict to one problem, model or library" },
    OPTION_LIB,
    { "--most", "N", "scale: equations of the largest model (1000000); large: largest size" },
    { "--solver", "NAME", "ivp, step, large: one integrator; ivp also where it would not be chosen" },
    { "--loosest", "RTOL", "ivp: first tolerance (1e-2)" },
    { "--tightest", "RTOL", "ivp: last tolerance (1e-10); step: the tolerance (1e-6)" },
    { "--per-decade", "N", "ivp: so many tolerances (1); slopes of errors are fitted to all" },
    { "--time-limit", "SECONDS",
      "ivp, increments: processor time a run may take (10; one model of increments: 60)" },
    { "--models", "DIR", "increments: where the models are (models)" },
    { "--peers", "FILE", "ivp: CSV file with runs of other programs to compare with" },
    { "--from", "FILE", "ivp: take the runs from an earlier CSV file instead of making them" },
    { "--svg", "DIRECTORY", "ivp: write a work-precision diagram of each problem there" },
};

const Command command_bench = {
    .name = "bench",
    .usage = "[NAME]",
    .summary = "Runs a benchmark, or lists them",
    .about = "  acausal bench parse --lib ModelicaStandardLibrary\n  acausal bench ivp --only robertson "
             "--csv ivp.csv\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_bench,
    .word = bench_name,
};
