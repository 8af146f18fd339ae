/* study.c: `acausal study`: many runs into one file, which a killed study resumes from. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAMES = 1024 };
static const double LOG_SECONDS = 10;

static bool has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n > m && !strcmp(text + n - m, suffix);
}

/* ---- how far it is --------------------------------------------------------------------------- */

typedef struct {
    bool terminal;
    double began, told;
} Show;

static void print_seconds(FILE *out, double seconds)
{
    if (seconds < 120)
        fprintf(out, "%.0f s", seconds);
    else if (seconds < 7200)
        fprintf(out, "%.0f min", seconds / 60);
    else
        fprintf(out, "%.1f h", seconds / 3600);
}

/* On a terminal a line that changes, elsewhere one from time to time. */
static void show_progress(void *arg, const AcausalStudyStatus *s)
{
    Show *show = arg;
    double now = wall_seconds();
    size_t ended = s->done + s->failed;
    if (!show->terminal && now - show->told < LOG_SECONDS) return;
    show->told = now;
    fprintf(stderr, "%sstudy: %zu of %zu runs (%.0f %%)", show->terminal ? "\r" : "", ended, s->total,
            s->total ? 100.0 * (double)ended / (double)s->total : 100.0);
    if (s->failed) fprintf(stderr, ", %zu failed", s->failed);
    fprintf(stderr, ", %.0f a second", s->runs_a_second);
    if (isfinite(s->seconds_left) && s->seconds_left > 0.5) {
        fputs(", ", stderr);
        print_seconds(stderr, s->seconds_left);
        fputs(" left", stderr);
    }
    fputs(show->terminal ? "\033[K" : "\n", stderr);
    fflush(stderr);
}

static void print_status(const Args *args, const char *path, const AcausalStudyStatus *s)
{
    if (args->json) {
        printf("{\"file\":");
        print_json_text(path);
        printf(",\"done\":%zu,\"failed\":%zu,\"total\":%zu,\"missing\":%zu,\"shard\":%zu,\"shards\":%zu,"
               "\"first_failure\":",
               s->done, s->failed, s->total, s->total - s->done - s->failed, s->shard, s->shards);
        print_json_text(s->message);
        printf(",\"settings\":%s}\n", s->settings);
        return;
    }
    printf("%s: %zu of %zu runs done, %zu failed, %zu missing", path, s->done, s->total, s->failed,
           s->total - s->done - s->failed);
    if (s->shards > 1) printf(" (shard %zu of %zu)", s->shard, s->shards);
    putchar('\n');
    if (*s->message) printf("first failure: %s\n", s->message);
}

/* ---- running --------------------------------------------------------------------------------- */

static bool read_shard(const Args *args, AcausalStudyWork *work)
{
    const char *text = args_value(args, "--shard");
    char rest;
    if (!text || (sscanf(text, "%zu/%zu%c", &work->shard, &work->shards, &rest) == 2 && work->shard >= 1 &&
                  work->shard <= work->shards))
        return true;
    usage_error(args->command, "'--shard %s' should be i/n with 1 <= i <= n", text);
    return false;
}

static AcausalStatus run_file(const Args *args, AcausalSession *session, const char *path)
{
    Show show = { .terminal = isatty(STDERR_FILENO) != 0, .told = wall_seconds() };
    AcausalStudyWork work = { .size = sizeof work,
                              .retry = args_has(args, "--retry"),
                              .interrupt = catch_interrupts() };
    AcausalStudyStatus status = { .size = sizeof status };
    size_t threads = 0;
    if (!read_shard(args, &work) || !args_size(args, "--threads", 1, &threads)) return ACAUSAL_USAGE;
    work.threads = (unsigned)threads;
    if (!args->quiet && !args->json) {
        work.progress = show_progress;
        work.progress_arg = &show;
    }
    AcausalStatus end;
    bool elsewhere = study_engine(args, session, path, &end);
    if (!elsewhere) end = acausal_study_run(session, path, &work);
    if (show.terminal && work.progress) fputs("\r\033[K", stderr);
    show_diagnostics(args, session);
    if (end != ACAUSAL_DONE && end != ACAUSAL_FAILED) return end;
    if (acausal_study_status(session, path, &status) != ACAUSAL_DONE) return ACAUSAL_WRONG;
    if (!args->quiet || args->json) print_status(args, path, &status);
    fflush(stdout);
    if (end == ACAUSAL_FAILED)
        fprintf(stderr, "acausal study: not finished: 'acausal study resume %s' goes on\n", path);
    return end;
}

static AcausalStatus from_command(const Args *args, AcausalSession *session, const char *path)
{
    AcausalSimulation run = acausal_simulation();
    AcausalStudy study = { .size = sizeof study, .run = &run };
    const char *names[MOST_NAMES], *given = args_value(args, "--of");
    char *copy = strdup(given ? given : "");
    size_t seed = 1;
    AcausalStatus status = ACAUSAL_USAGE;
    run.set = collect_values(args, "--set", &run.set_count);
    run.solver_options = collect_values(args, "--option", &run.solver_option_count);
    study.vary = collect_values(args, "--vary", &study.vary_count);
    study.correlate = collect_values(args, "--correlate", &study.correlate_count);
    study.design = args_value(args, "--design");
    study.table = args_value(args, "--table");
    study.of = names;
    if (copy && run.set && run.solver_options && study.vary && study.correlate &&
        read_run_options(args, &run) && args_size(args, "--samples", 1, &study.samples) &&
        args_size(args, "--seed", 1, &seed) && args_size(args, "--rows", 1, &study.rows)) {
        run.output = NULL; /* -o is the store */
        study.of_count = split_names(copy, names, MOST_NAMES);
        study.seed = (unsigned)seed;
        status = acausal_study_new(session, args->words[0], args->word_count > 1 ? args->words[1] : NULL,
                                   &study, path);
        if (status != ACAUSAL_DONE) show_diagnostics(args, session);
    }
    free((void *)run.set);
    free((void *)run.solver_options);
    free((void *)study.vary);
    free((void *)study.correlate);
    free(copy);
    return status;
}

static AcausalStatus begin(const Args *args, AcausalSession *session)
{
    const char *path = args_value(args, "-o"), *made = path;
    AcausalStatus status;
    if (has_suffix(args->words[0], ".toml") || has_suffix(args->words[0], ".json")) {
        status = acausal_study_from_file(session, args->words[0], path, &made);
        if (status != ACAUSAL_DONE) show_diagnostics(args, session);
    } else {
        if (!path) return usage_error(args->command, "-o says which file the runs go to");
        if (!args_has(args, "--of"))
            return usage_error(args->command, "--of says what is wanted of each run");
        if (!args_has(args, "--vary") && !args_has(args, "--table"))
            return usage_error(args->command,
                               "--vary says which parameters take which values, or --table does");
        status = from_command(args, session, path);
    }
    if (status == ACAUSAL_DONE && !args_has(args, "--prepare")) status = run_file(args, session, made);
    return status;
}

/* ---- words ----------------------------------------------------------------------------------- */

static AcausalStatus do_status(const Args *args, AcausalSession *session)
{
    AcausalStudyStatus status = { .size = sizeof status };
    if (args->word_count != 2) return usage_error(args->command, "expected 'status FILE.db'");
    AcausalStatus end = acausal_study_status(session, args->words[1], &status);
    if (end == ACAUSAL_DONE) print_status(args, args->words[1], &status);
    return end;
}

static AcausalStatus do_resume(const Args *args, AcausalSession *session)
{
    if (args->word_count != 2) return usage_error(args->command, "expected 'resume FILE.db'");
    return run_file(args, session, args->words[1]);
}

static AcausalStatus do_merge(const Args *args, AcausalSession *session)
{
    const char *path = args_value(args, "-o");
    if (!path || args->word_count < 2)
        return usage_error(args->command, "expected 'merge -o FILE.db PART.db...'");
    AcausalStatus end = acausal_study_merge(session, path, args->words + 1, args->word_count - 1);
    AcausalStudyStatus status = { .size = sizeof status };
    if (end == ACAUSAL_DONE && (end = acausal_study_status(session, path, &status)) == ACAUSAL_DONE &&
        !args->quiet)
        print_status(args, path, &status);
    return end;
}

static AcausalStatus do_export(const Args *args, AcausalSession *session)
{
    const char *to = args_value(args, "-o");
    if (!to || args->word_count != 2)
        return usage_error(args->command, "expected 'export FILE.db -o FILE.csv'");
    return acausal_study_export(session, args->words[1], to);
}

static AcausalStatus do_analyze(const Args *args, AcausalSession *session)
{
    AcausalStudyAnalysis analysis = { .size = sizeof analysis, .page = args_value(args, "--page") };
    size_t degree = 0;
    if (args->word_count != 2) return usage_error(args->command, "expected 'analyze FILE.db'");
    if (!args_real(args, "--confidence", &analysis.confidence) || !args_size(args, "--degree", 1, &degree) ||
        !args_size(args, "--resamples", 2, &analysis.resamples))
        return ACAUSAL_USAGE;
    analysis.degree = degree > 100 ? 100 : (int)degree;
    return acausal_study_analyze(session, args->words[1], &analysis, args->json ? ACAUSAL_JSON : ACAUSAL_TEXT,
                                 write_to_file, stdout);
}

static AcausalStatus do_work(const Args *args, AcausalSession *session)
{
    (void)session;
    return engine_work(args);
}

static const struct {
    const char *name;
    AcausalStatus (*run)(const Args *args, AcausalSession *session);
    bool shows; /* its own diagnostics */
} words[] = { { "status", do_status, false }, { "resume", do_resume, true },    { "merge", do_merge, false },
              { "export", do_export, false }, { "analyze", do_analyze, false }, { "work", do_work, true } };

static const char *word_at(size_t i) { return i < sizeof words / sizeof *words ? words[i].name : NULL; }

static AcausalStatus run_study(const Args *args)
{
    if (args->word_count < 1)
        return usage_error(args->command,
                           "expected a study file, a source, or status, resume, merge, export, analyze");
    AcausalSession *session = session_for(args);
    if (!session) return ACAUSAL_BUG;
    size_t k = 0;
    while (k < sizeof words / sizeof *words && strcmp(words[k].name, args->words[0]) != 0) k++;
    AcausalStatus status;
    if (k < sizeof words / sizeof *words) {
        status = words[k].run(args, session);
        if (!words[k].shows) show_diagnostics(args, session);
    } else if (args->word_count > 2)
        status = usage_error(args->command, "expected a source and, perhaps, a class");
    else
        status = begin(args, session);
    fflush(stdout);
    show_outcome(args, session);
    acausal_session_free(session);
    return status;
}

static const Option options[] = {
    OPTION_LIB,
    { "--vary", "P=VALUES",
      "1,2,5 or FROM:TO:COUNT for a grid; FROM:TO, normal(0,1), uniform, lognormal, loguniform, triangular, "
      "truncnormal, exponential, weibull with --samples; structural parameters take lists" },
    { "--design", "NAME", "grid, lhs, sobol, random, morris, saltelli (lhs with --samples, else grid)" },
    { "--samples", "N",
      "points; trajectories of morris; rows of saltelli, each of which is N + 2 runs of N parameters" },
    { "--seed", "N", "for the samples (1)" },
    { "--table", "FILE.csv", "the values of all runs: a row of names, then a row a run" },
    { "--correlate", "A,B=R", "of two that are varied: the correlation of their normal scores" },
    { "--of", "Y1,Y2",
      "variables or expressions at the end; min(x), max(x), mean(x), integral(x), when(x > 1), count(x > 1), "
      "curve(x)" },
    { "--rows", "N", "intervals of curves (100)" },
    { "-o", "FILE.db", "the store; of export, a .csv file" },
    { "--shard", "i/n",
      "only every n-th run from the i-th, into a file of its own; merge puts them together" },
    { "--engine", "NAME", "local, mpi (Open MPI), slurm (an array job) or dask" },
    { "--workers", "N", "of an engine: ranks, tasks of the array, or tasks of Dask (2)" },
    { "--scheduler", "ADDRESS", "of Dask; workers on this machine if not given" },
    { "--parts", "N", "of work, which engines start: how many parts there are" },
    { "--threads", "N", "runs at a time; one a processor if not given" },
    { "--retry", NULL, "of resume: runs that failed are run again" },
    { "--page", "FILE.html", "of analyze: a page with histograms, convergence, tables" },
    { "--confidence", "P", "of analyze: of all intervals (0.95)" },
    { "--degree", "N", "of analyze: of polynomials; what fits best, up to 5" },
    { "--resamples", "N", "of analyze: of the bootstrap for indices (400)" },
    { "--prepare", NULL, "make the store, and run nothing" },
    { "--start", "T", "where time begins; the model's experiment annotation says it, or 0" },
    { "--stop", "T", "where it ends; likewise, or 1" },
    { "--tol", "R", "relative tolerance; likewise, or 1e-6" },
    { "--points", "N", "intervals at whose ends extremes are looked for (500)" },
    { "--solver", "NAME", "the integrator (see 'acausal solvers'; auto chooses)" },
    { "--option", "KEY=VALUE", "of the integrator, as for simulate" },
    OPTION_SET,
    { "--input", "FILE.csv", "inputs over time that each run follows; the first column is time" },
    { "--interval", "H", "instead of --points" },
    { "--time-limit", "SECONDS", "ends each run then, as a failed one" },
};

const Command command_study = {
    .name = "study",
    .usage = "FILE.toml | SOURCE [CLASS] | status FILE.db | resume FILE.db | merge PART.db... | export "
             "FILE.db | analyze FILE.db",
    .summary = "Many runs into one file, which a killed study resumes from",
    .about =
        "The file is an SQLite database: table runs has a row a run, failed ones too, with the reason.\n\n"
        "  acausal study models/BouncingBall.mo --vary e=0.5:0.9:9 --vary h=1,2 --of 'max(v),when(h < 0)' -o "
        "b.db\n"
        "  acausal study models/Pendulum.mo --vary 'L=normal(1,0.05)' --samples 1000 --of x,F -o p.db\n"
        "  acausal study status p.db --json\n"
        "  acausal study resume p.db\n"
        "  acausal study export p.db -o p.csv\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_study,
    .word = word_at,
};
