/* simulate.c: `acausal simulate`: the main job. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void show_progress(void *arg, double t, double start, double stop)
{
    (void)arg;
    fprintf(stderr, "\r%3.0f %%  t = %g ", 100 * (t - start) / (stop - start), t);
    fflush(stderr);
}

/* What the model says; stdout may be the result. */
static void show_line(void *arg, const char *line)
{
    (void)arg;
    fprintf(stderr, "%s\n", line);
}

/* The values of an option that may be given several times. */
const char **collect_values(const Args *args, const char *name, size_t *n)
{
    const char **values = calloc(args->given_count + 1, sizeof *values);
    *n = 0;
    for (size_t i = 0; values && i < args->given_count; i++)
        if (!strcmp(args->given[i]->name, name)) values[(*n)++] = args->values[i];
    return values;
}

static bool has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n > m && !strcmp(text + n - m, suffix);
}

/* "60s", "5min", "2h", or seconds. */
static bool read_seconds(const Args *args, const char *name, double *seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = { { "", 1 }, { "s", 1 }, { "min", 60 }, { "h", 3600 } };
    const char *value = args_value(args, name);
    char *end = NULL;
    double number = value ? strtod(value, &end) : 0;
    if (!value) return true;
    for (size_t k = 0; end != value && k < sizeof units / sizeof *units; k++)
        if (!strcmp(end, units[k].unit) && number > 0 && isfinite(number)) {
            *seconds = number * units[k].seconds;
            return true;
        }
    usage_error(args->command, "'%s %s' should be a time such as 60s, 5min or 2h", name, value);
    return false;
}

bool read_run_options(const Args *args, AcausalSimulation *s)
{
    size_t points = SIZE_MAX;
    if (!args_real(args, "--start", &s->start) || !args_real(args, "--stop", &s->stop) ||
        !args_real(args, "--tol", &s->tolerance) || !args_real(args, "--interval", &s->interval) ||
        !args_size(args, "--points", 0, &points) || !args_real(args, "--time-limit", &s->time_limit) ||
        !read_seconds(args, "--every", &s->checkpoint_seconds))
        return false;
    s->checkpoint = args_value(args, "--checkpoint");
    s->resume = args_value(args, "--resume");
    if (points != SIZE_MAX) s->points = points > 100000000 ? 100000000 : (long)points;
    s->solver = args_value(args, "--solver");
    s->output = args_value(args, "-o");
    s->variables = args_value(args, "--vars");
    s->patterns = args_value(args, "--glob");
    s->inputs = args_value(args, "--input");
    s->init = args_value(args, "--init");
    s->save_state = args_value(args, "--save-state");
    s->keep = args_has(args, "--plot") || args_has(args, "--report");
    s->keep_steps = args_has(args, "--plot-steps") || args_has(args, "--report");
    if (isatty(STDERR_FILENO) && !args->quiet && !args->json) s->progress = show_progress;
    if (!args->quiet || args_has(args, "--log")) s->say = show_line;
    return true;
}

bool read_values(const Args *args, AcausalSimulation *s)
{
    s->set = collect_values(args, "--set", &s->set_count);
    s->kind = args_value(args, "--kind");
    s->compile = args_has(args, "--compile");
    s->log = args_has(args, "--log");
    s->solver_options = collect_values(args, "--option", &s->solver_option_count);
    s->interrupt = catch_interrupts();
    if (!s->set || !s->solver_options) fputs("acausal: out of memory\n", stderr);
    return s->set && s->solver_options;
}

/* The class or file without its path and suffix, for the head of a picture. */
void title_of(const Args *args, char *title, size_t room)
{
    const char *name = args->words[args->word_count - 1], *slash = strrchr(name, '/');
    snprintf(title, room, "%s", slash && slash[1] ? slash + 1 : name);
    if (has_suffix(title, ".mo")) title[strlen(title) - 3] = 0;
}

/* Cuts a list at its commas, but for those in brackets: "x[1,2],max(y,z)" holds two. */
size_t split_names(char *list, const char **names, size_t room)
{
    size_t n = 0;
    int open = 0;
    bool fresh = true;
    for (char *at = list; *at; at++) {
        open += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
        if (*at == ',' && open <= 0) {
            *at = 0;
            fresh = true;
        } else if (fresh && n < room) {
            names[n++] = at;
            fresh = false;
        }
    }
    return n;
}

AcausalPicture picture_for(const char *path)
{
    return has_suffix(path, ".png") ? ACAUSAL_PNG : has_suffix(path, ".pdf") ? ACAUSAL_PDF : ACAUSAL_SVG;
}

AcausalStatus draw_plot(const char *file, const AcausalResult *result, const AcausalPlot *plot, char *why,
                        size_t room)
{
    FILE *out = fopen(file, "wb");
    AcausalStatus status = ACAUSAL_DONE;
    if (out) status = draw_picture(result, plot, picture_for(file), out, why, room);
    if (out && !fclose(out)) return status;
    snprintf(why, room, "'%s' cannot be written", file);
    return ACAUSAL_WRONG;
}

/* Draws what --names asks for, to a file or to the terminal. */
static AcausalStatus show_plot(const Args *args, const AcausalResult *result)
{
    const char *file = args_value(args, "--plot"), *names_given = args_value(args, "--names");
    const char *names[64];
    char why[400], *copy = strdup(names_given ? names_given : "*");
    size_t n = copy ? split_names(copy, names, 64) : 0;
    char title[120];
    title_of(args, title, sizeof title);
    AcausalPlot plot = { .size = sizeof plot, .names = names, .count = n, .title = title };
    AcausalStatus status = ACAUSAL_DONE;
    if (strcmp(file, "-") != 0) {
        status = draw_plot(file, result, &plot, why, sizeof why);
    } else {
        plot.title = NULL;
        status = draw_picture(result, &plot, ACAUSAL_TERMINAL, stdout, why, sizeof why);
    }
    free(copy);
    if (status != ACAUSAL_DONE) fprintf(stderr, "acausal simulate: %s\n", why);
    return status;
}

/* Size and order of steps over time, where a new Jacobian was made and where an event was. */
static AcausalStatus plot_steps(const Args *args, const AcausalResult *steps)
{
    static const char *const names[] = { "log10_step", "order", "jacobian", "restart" };
    const char *file = args_value(args, "--plot-steps");
    char why[400], title[120];
    title_of(args, title, sizeof title);
    AcausalPlot plot = { .size = sizeof plot, .names = names, .count = 4, .title = title };
    AcausalStatus status = draw_plot(file, steps, &plot, why, sizeof why);
    if (status != ACAUSAL_DONE) fprintf(stderr, "acausal simulate: %s\n", why);
    return status;
}

/* Who runs a model for the first time may wonder where its result is. */
static bool keeps_nothing(const Args *args)
{
    static const char *const keeping[] = { "-o", "--plot", "--plot-steps", "--report", "--stats" };
    for (size_t i = 0; i < sizeof keeping / sizeof keeping[0]; i++)
        if (args_has(args, keeping[i])) return false;
    return isatty(STDOUT_FILENO);
}

static void show_report(const Args *args, const AcausalSimulationReport *r)
{
    const char *stats = args_value(args, "--stats");
    if (args->json || (stats && !strcmp(stats, "json")))
        printf("%s\n", r->stats_json);
    else if (stats)
        fputs(r->stats, stdout);
    else if (!args->quiet)
        printf("t = %.6g  states %zu  translated in %.1f ms  simulated in %.1f ms\n", r->t, r->states,
               1e3 * r->translate_seconds, 1e3 * r->simulate_seconds);
    if (!args->quiet && !args->json && keeps_nothing(args))
        puts("(-o FILE.csv keeps the result, --plot - draws it here)");
}

/* The pictures and pages that are asked for. What was computed is shown even when the run
 * failed. */
static AcausalStatus show_pictures(const Args *args, AcausalModel *model, const AcausalSimulationReport *r,
                                   AcausalStatus status)
{
    AcausalStatus ends[3] = { ACAUSAL_DONE, ACAUSAL_DONE, ACAUSAL_DONE };
    if (status != ACAUSAL_DONE && status != ACAUSAL_FAILED) return status;
    if (args_has(args, "--plot") && r->result) ends[0] = show_plot(args, r->result);
    if (args_has(args, "--plot-steps") && r->steps) ends[1] = plot_steps(args, r->steps);
    if (args_has(args, "--report") && r->result) {
        char title[120];
        title_of(args, title, sizeof title);
        AcausalReport page = { .size = sizeof page,
                               .result = r->result,
                               .steps = r->steps,
                               .title = title,
                               .file = args_value(args, "-o"),
                               .stats = r->stats,
                               .message = r->message,
                               .model = model };
        ends[2] = write_report(args, &page, args_value(args, "--report"));
    }
    for (int i = 0; i < 3 && status == ACAUSAL_DONE; i++) status = ends[i];
    return status;
}

/* What FMUs print is no part of what this program says: it goes to stderr. Returns where stdout is
 * kept; -1: it stays. */
static int hide_stdout(const char *source)
{
    static const char *const suffixes[] = { ".fmu", ".ssd", ".ssp", ".system" };
    bool runs_fmus = false;
    for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++)
        runs_fmus |= has_suffix(source, suffixes[k]);
    if (!runs_fmus) return -1;
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    if (kept >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
    return kept;
}

static void show_stdout(int kept)
{
    if (kept < 0) return;
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

static AcausalStatus run_translated(const Args *args, AcausalSession *session, const char *source,
                                    const char *class_name, const AcausalSimulation *simulation)
{
    AcausalSimulationReport report = { .size = sizeof report,
                                       .message = "",
                                       .stats = "",
                                       .stats_json = "{}",
                                       .failure = "",
                                       .failure_json = "" };
    double began = wall_seconds();
    int kept = hide_stdout(source);
    AcausalModel *model = acausal_compile(session, source, class_name);
    double seconds = wall_seconds() - began;
    AcausalStatus status = model ? acausal_run(model, simulation, &report) : ACAUSAL_WRONG;
    show_stdout(kept);
    report.translate_seconds += seconds;
    if (simulation->progress && isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    show_diagnostics(args, session);
    bool ran = report.stats[0] != 0;
    if (ran) show_report(args, &report);
    status = show_pictures(args, model, &report, status);
    acausal_result_free(report.result);
    acausal_result_free(report.steps);
    fflush(stdout);
    if (status == ACAUSAL_FAILED && args->json)
        fprintf(stderr, "%s\n", report.failure_json);
    else if (status == ACAUSAL_FAILED && !args->quiet)
        fputs(report.failure, stderr);
    if (status == ACAUSAL_FAILED && simulation->checkpoint && !acausal_error_count(session))
        fprintf(stderr, "('--resume %s' with the same options goes on)\n", simulation->checkpoint);
    if (status != ACAUSAL_DONE && report.message[0])
        fprintf(stderr, "acausal simulate: %s\n", report.message);
    else if (ran && report.message[0] && !args->quiet)
        fprintf(stderr, "%s\n", report.message);
    acausal_model_free(model);
    return status;
}

static AcausalStatus simulate(const Args *args, AcausalSession *session, const char *source,
                              const char *class_name)
{
    AcausalSimulation simulation = acausal_simulation();
    AcausalStatus status = ACAUSAL_USAGE;
    if (!read_values(args, &simulation)) {
        status = ACAUSAL_BUG;
    } else if (read_run_options(args, &simulation)) {
        tell_pulse(args, &simulation);
        status = run_translated(args, session, source, class_name, &simulation);
    }
    free((void *)simulation.set);
    free((void *)simulation.solver_options);
    return status;
}

static AcausalStatus run_simulate(const Args *args)
{
    const char *output = args_value(args, "-o"), *picture = args_value(args, "--plot");
    if (output && !has_suffix(output, ".csv") && !has_suffix(output, ".csv.gz") &&
        !has_suffix(output, ".mat"))
        return usage_error(args->command, "'-o %s' should end in .csv, .csv.gz or .mat", output);
    if (picture && strcmp(picture, "-") != 0 && !has_suffix(picture, ".svg") && !has_suffix(picture, ".png"))
        return usage_error(args->command, "'--plot %s' should end in .svg or .png, or be -", picture);
    picture = args_value(args, "--plot-steps");
    if (picture && !has_suffix(picture, ".svg") && !has_suffix(picture, ".png"))
        return usage_error(args->command, "'--plot-steps %s' should end in .svg or .png", picture);
    return run_on_model(args, args_has(args, "--dump") ? dump_pass : simulate);
}

static const Option options[] = {
    OPTION_LIB,
    { "--start", "T", "where time begins; the model's experiment annotation says it, or 0" },
    { "--stop", "T", "where it ends; likewise, or 1" },
    { "--tol", "R", "relative tolerance; likewise, or 1e-6" },
    { "--interval", "H", "time between rows of the result" },
    { "--points", "N", "or N intervals (500); 0: the integrator's own steps" },
    { "--solver", "NAME", "the integrator (see 'acausal solvers'; auto chooses), or a file with a tableau" },
    { "--option", "KEY=VALUE",
      "max-steps, max-step, min-step, initial-step, fixed-step, max-order, jacobian, restart, ..." },
    OPTION_SET,
    { "--input", "FILE.csv", "inputs over time; the first column is time" },
    { "--init", "RESULT[@T]", "start from a saved result, at its end or at T; or from the state of an FMU" },
    { "--save-state", "FILE", "the state of an FMU at the end, to go on from by --init" },
    { "--checkpoint", "FILE", "the whole state of the run from time to time, to go on from by --resume" },
    { "--every", "60s", "how often that is (60s); s, min or h" },
    { "--resume", "FILE", "the same command goes on from a checkpoint: the same bits; -o keeps its rows" },
    { "-o", "FILE", "the result, as .csv, .csv.gz or .mat" },
    { "--vars", "REGEX", "what the result holds; everything if not given" },
    { "--glob", "A,*.B", "the same by patterns with * and ?" },
    { "--plot", "FILE.svg", "a picture of the result, .svg or .png; - draws curves in the terminal" },
    { "--report", "FILE.html",
      "a page with curves, steps, events and structure (see 'acausal help report')" },
    { "--plot-steps", "FILE.svg",
      "a picture of the integrator's steps, .svg or .png: size and order over time" },
    { "--names", "A,B", "what the picture shows, with * and ?; everything if not given" },
    { "--kind", "me|cs", "of an FMU that is for both: model exchange (the default) or co-simulation" },
    { "--compile", NULL, "an FMU without a binary for this machine: build it from its sources" },
    OPTION_LARGE,
    { "--log", NULL, "show what an FMU logs" },
    OPTION_ISOLATE,
    { "--stats", "=json", "what the run cost" },
    { "--time-limit", "SECONDS", "ends the run then, with all rows so far" },
    OPTION_DUMP,
};

const Command command_simulate = {
    .name = "simulate",
    .usage = "SOURCE [CLASS]",
    .summary = "Translates a model and runs it",
    .about =
        "SOURCE is a .mo file, a library's directory, a class found in the libraries, an FMU, or a system "
        "of\n"
        "FMUs: SystemStructure.ssd, an .ssp archive, or a list with lines fmu, connect and set (.system).\n\n"
        "  acausal simulate models/Pendulum.mo -o pendulum.csv\n"
        "  acausal simulate BouncingBall.fmu --kind cs --interval 0.01\n"
        "  acausal simulate loop.ssp --option master=jacobi -o loop.csv\n"
        "  acausal simulate models/BouncingBall.mo --plot - --names h,v --set e=0.7\n"
        "  acausal simulate models/Circuit.mo Circuit.RLC --solver radau5 --tol 1e-8 --stats\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_simulate,
};
