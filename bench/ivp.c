/* ivp.c: `acausal bench ivp`: every integrator on the classic initial value problems; then costs at
 * equal digits and delivered accuracy in tables, and work-precision diagrams. `--from` takes the
 * runs from an earlier CSV file. */
#include "cli/bench.h"

#include "bench/runs/runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    BenchOut *out;
    IvpStudy *study;
} Sink;

static void add_row(void *arg, const IvpRow *row)
{
    Sink *sink = arg;
    BenchOut *out = sink->out;
    ivp_study_add(sink->study, row);
    bench_cell(out, "%s", row->problem);
    bench_cell(out, "%d", row->n);
    bench_cell(out, "%s", row->solver);
    bench_cell(out, "%g", row->rtol);
    bench_cell(out, "%s", row->atol);
    bench_cell(out, "%ld", row->steps);
    bench_cell(out, "%ld", row->nfev);
    bench_cell(out, "%ld", row->njev);
    bench_cell(out, "%ld", row->nlu);
    bench_cell(out, "%.4g", row->cpu_ms);
    if (row->finished) {
        bench_cell(out, "%.2f", row->digits);
        bench_cell(out, "%.3g", row->error);
    } else {
        bench_cell(out, "FAIL");
        bench_cell(out, "%s", "");
    }
    bench_end_row(out);
    if (!row->finished) bench_remark(out, "  %s\n", row->why);
}

/* Says which of the two names is not there, and what it may have been meant for. */
static AcausalStatus refuse_name(const Args *args, const IvpOptions *options)
{
    const char *names[64], *near = NULL;
    size_t n = 0;
    while (n < 64 && (names[n] = bench_ivp_problem_name(n))) n++;
    for (size_t i = 0; options->problem && i < n; i++)
        if (!strcmp(names[i], options->problem))
            return usage_error(args->command, "there is no integrator '%s'",
                               options->solver ? options->solver : "");
    if (options->problem) near = acausal_nearest(options->problem, names, n);
    if (near)
        return usage_error(args->command, "there is no problem '%s'; did you mean '%s'?", options->problem,
                           near);
    return usage_error(args->command, "there is no such problem or integrator");
}

/* A whole file into memory that the caller frees; NULL: errno says why. */
static char *read_all(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0, got = 1;
    *n = 0;
    while (file && got > 0) {
        if (*n == room) {
            char *more = realloc(text, room = room ? 2 * room : 65536);
            if (!more) break;
            text = more;
        }
        *n += got = fread(text + *n, 1, room - *n, file);
    }
    bool failed = !file || ferror(file) || got > 0;
    if (file) fclose(file);
    if (!failed) return text;
    free(text);
    return NULL;
}

static AcausalStatus read_rows(const Args *args, const char *option, bool peers, IvpStudy *study)
{
    const char *path = args_value(args, option), *why;
    size_t n;
    if (!path) return ACAUSAL_DONE;
    char *text = read_all(path, &n);
    AcausalStatus status = text ? ivp_study_read(study, text, n, peers, &why) : ACAUSAL_WRONG;
    if (status != ACAUSAL_DONE)
        fprintf(stderr, "acausal bench: %s: %s\n", path, text ? why : strerror(errno));
    free(text);
    return status;
}

static AcausalStatus draw(const char *directory, const IvpStudy *study)
{
    const char *problem;
    for (size_t i = 0; (problem = bench_ivp_problem_name(i)); i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.svg", directory, problem);
        FILE *file = fopen(path, "wb");
        AcausalStatus drawn = file ? ivp_study_svg(study, problem, write_to_file, file) : ACAUSAL_WRONG;
        if (!file || fclose(file)) {
            fprintf(stderr, "acausal bench: %s: %s\n", path, strerror(errno));
            return ACAUSAL_WRONG;
        }
        if (drawn == ACAUSAL_WRONG) remove(path);
    }
    return ACAUSAL_DONE;
}

static void write_remark(void *arg, const char *text, size_t n) { bench_remark(arg, "%.*s", (int)n, text); }

static AcausalStatus fill_study(const Args *args, Sink *sink)
{
    IvpOptions options = { args_value(args, "--only"), args_value(args, "--solver"), 1e-2, 1e-10, 10.0, 1 };
    if (!args_real(args, "--loosest", &options.loosest) ||
        !args_real(args, "--tightest", &options.tightest) ||
        !args_real(args, "--time-limit", &options.seconds) ||
        !args_size(args, "--per-decade", 1, &options.per_decade))
        return ACAUSAL_USAGE;
    if (!(options.tightest > 0.0) || !(options.loosest <= 1.0))
        return usage_error(args->command, "tolerances lie between 0 and 1");
    AcausalStatus status = read_rows(args, "--peers", true, sink->study);
    if (status != ACAUSAL_DONE) return status;
    if (args_value(args, "--from")) return read_rows(args, "--from", false, sink->study);
    status = run_ivp_bench(&options, add_row, sink);
    return status == ACAUSAL_USAGE ? refuse_name(args, &options) : status;
}

static AcausalStatus run_ivp(const Args *args, BenchOut *out)
{
    Sink sink = { out, ivp_study_new() };
    const char *directory = args_value(args, "--svg");
    if (!sink.study) return ACAUSAL_BUG;
    AcausalStatus status = fill_study(args, &sink);
    if (status == ACAUSAL_DONE) ivp_study_report(sink.study, write_remark, out);
    if (status == ACAUSAL_DONE && directory) status = draw(directory, sink.study);
    ivp_study_free(sink.study);
    return status;
}

const Bench bench_ivp = {
    .name = "ivp",
    .about = "integrators on the classic initial value problems",
    .columns = "problem,n,solver,rtol,atol,steps,nfev,njev,nlu,cpu_ms,digits,error",
    .run = run_ivp,
};
