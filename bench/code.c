/* code.c: `acausal bench code`: how soon code is there, and how fast it runs, for every way of
 * running it. */
#include "cli/bench.h"

#include "bench/runs/runs.h"

static AcausalStatus run_code(const Args *args, BenchOut *out)
{
    return run_code_bench(args_value(args, "--only"), bench_row, out);
}

const Bench bench_code = {
    .name = "code",
    .about = "machine code, interpreter and C compilers on straight-line model code, array loops and a media "
             "property",
    .columns = "statements,backend,code_ms,ns_per_statement",
    .run = run_code,
};
