/* bench.h: how a benchmark describes itself. Each is a folder or file of bench/, registered in
 * cli/bench.c; it writes rows of cells, and whether they become a table or CSV is not its
 * business. */
#ifndef ACAUSAL_CLI_BENCH_H
#define ACAUSAL_CLI_BENCH_H

#include "cli/cli.h"

typedef struct BenchOut BenchOut;

typedef struct {
    const char *name, *about;
    const char *columns; /* separated by commas, as written to the CSV file */
    AcausalStatus (*run)(const Args *args, BenchOut *out);
} Bench;

void bench_cell(BenchOut *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_end_row(BenchOut *out);
/* A whole row: a BenchRow, the argument is a BenchOut. */
void bench_row(void *out, const char *const *cells, size_t n);
/* A remark below the table; not in the CSV file. */
void bench_remark(BenchOut *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

extern const Bench bench_code, bench_hybrid, bench_increments, bench_ivp, bench_large, bench_parse,
    bench_realtime, bench_scale, bench_sensitivity, bench_start;

#endif
