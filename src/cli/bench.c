/* bench.c: `acausal bench NAME`: the benchmarks as tables and as CSV. One line of the table below a bench. */
#include "cli/cli.h"

#include <string.h>

typedef struct {
    const char *name, *columns;
    AcausalStatus (*run)(const char *only, AcausalRow row, void *user);
} Bench;

static const Bench benches[] = {
    { "code", "statements,backend,code_ms,ns_per_statement", acausal_bench_code },
};
enum { BENCH_COUNT = sizeof benches / sizeof benches[0] };

typedef struct {
    FILE *csv, *table;
} Sink;

static void print_row(FILE *out, const char *const *cells, size_t n, const char *format, const char *between)
{
    for (size_t k = 0; k < n; k++) {
        if (k) fputs(between, out);
        fprintf(out, format, cells[k]);
    }
    fputc('\n', out);
    fflush(out);
}

static void take_row(void *user, const char *const *cells, size_t n)
{
    Sink *sink = user;
    if (sink->csv) print_row(sink->csv, cells, n, "%s", ",");
    if (sink->table) print_row(sink->table, cells, n, "%-16s", " ");
}

static void print_columns(const Bench *bench, Sink *sink)
{
    char copy[256];
    const char *cells[16];
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", bench->columns);
    for (char *at = strtok(copy, ","); at && n < 16; at = strtok(NULL, ",")) cells[n++] = at;
    take_row(sink, cells, n);
}

static const Bench *bench_find(const char *name)
{
    for (size_t k = 0; k < BENCH_COUNT; k++)
        if (!strcmp(benches[k].name, name)) return &benches[k];
    return NULL;
}

static AcausalStatus run_bench(const Args *args)
{
    if (args->word_count != 1) return usage_error(args->command, "name one bench");
    const Bench *bench = bench_find(args->words[0]);
    const char *path = args_value(args, "--csv");
    Sink sink = { NULL, path || args->quiet ? NULL : stdout };
    if (!bench) {
        const char *names[BENCH_COUNT];
        for (size_t k = 0; k < BENCH_COUNT; k++) names[k] = benches[k].name;
        const char *near = acausal_nearest(args->words[0], names, BENCH_COUNT);
        if (near)
            return usage_error(args->command, "there is no bench '%s'; did you mean '%s'?", args->words[0],
                               near);
        return usage_error(args->command, "there is no bench '%s'", args->words[0]);
    }
    if (path && !(sink.csv = fopen(path, "w"))) {
        fprintf(stderr, "acausal: %s cannot be written\n", path);
        return ACAUSAL_WRONG;
    }
    print_columns(bench, &sink);
    AcausalStatus status = bench->run(args_value(args, "--only"), take_row, &sink);
    if (sink.csv && (ferror(sink.csv) | fclose(sink.csv))) {
        fprintf(stderr, "acausal: %s could not be written\n", path);
        return ACAUSAL_WRONG;
    }
    return status;
}

static const Option options[] = {
    { "--csv", "FILE", "write the rows there instead of printing a table" },
    { "--only", "NAME", "restrict the bench to one problem, model or backend" },
};

const Command command_bench = {
    .name = "bench",
    .usage = "NAME",
    .summary = "Runs a benchmark and prints its figures",
    .about = "Benches: code (machine code, interpreter and C compilers on model code).\n\n"
             "  acausal bench code --csv code.csv\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_bench,
};
