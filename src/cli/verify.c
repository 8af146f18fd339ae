/* verify.c: `acausal verify SOURCE [CLASS]`: whether a run is right. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CURVES = 6 };

/* The table of signals, and those that are drawn: the worst ones. */
typedef struct {
    SignalTable table;
    const char *names[MOST_CURVES];
    double excess[MOST_CURVES];
    size_t count;
} Shown;

static void take_signal(void *arg, const AcausalSignalReport *r)
{
    Shown *shown = arg;
    bool different = !strcmp(r->verdict, "different");
    if (!shown->table.args->json || different || shown->table.all || !strcmp(r->verdict, "noise"))
        print_signal(&shown->table, r);
    if (!different) return;
    size_t at = shown->count < MOST_CURVES ? shown->count++ : MOST_CURVES;
    for (; at > 0 && r->excess > shown->excess[at - 1]; at--)
        if (at < MOST_CURVES)
            shown->names[at] = shown->names[at - 1], shown->excess[at] = shown->excess[at - 1];
    if (at < MOST_CURVES) shown->names[at] = r->name, shown->excess[at] = r->excess;
}

static bool read_tube(const Args *args, AcausalVerify *v, AcausalCompareOptions *tube)
{
    double tolerance = NAN;
    if (!args_real(args, "--tube", &tube->value) || !args_real(args, "--tube-time", &tube->time) ||
        !args_real(args, "--absolute", &tube->absolute) || !args_real(args, "--second-tol", &tolerance))
        return false;
    if (tube->value <= 0.0 || tube->time < 0.0 || tube->absolute < 0.0 || tolerance <= 0.0)
        return usage_error(args->command, "tolerances should be positive"), false;
    v->reference = args_value(args, "--reference");
    v->solver = args_value(args, "--second-solver");
    if (!isnan(tolerance)) v->tolerance = tolerance;
    if (v->reference && (v->solver || !isnan(tolerance)))
        return usage_error(args->command, "a reference stands in place of the second run: "
                                          "--second-solver and --second-tol have no meaning"),
               false;
    return true;
}

static void print_json_report(const AcausalVerifyReport *r)
{
    const AcausalCompareReport *c = r->compare;
    fputs("],\"verdict\":", stdout);
    print_json_text(r->verdict);
    fputs(",\"message\":", stdout);
    print_json_text(r->message);
    printf(",\"first\":{\"solver\":\"%s\",\"tol\":%g,\"seconds\":%.3g,\"events\":%ld}", r->first_solver,
           r->first_tolerance, r->seconds[0], r->events);
    printf(",\"second\":{\"solver\":\"%s\",\"tol\":%g,\"seconds\":%.3g}", r->second_solver,
           r->second_tolerance, r->seconds[1]);
    if (r->tube)
        printf(",\"tube\":{\"value\":%g,\"time\":%g,\"absolute\":%g}", r->tube->value, r->tube->time,
               r->tube->absolute);
    printf(",\"signals_same\":%zu,\"signals_different\":%zu,\"noise\":%zu,\"only_a\":%zu,\"only_b\":%zu,"
           "\"spans_differ\":%s,\"worst\":",
           c->signals_same, c->signals_different, r->noise, c->only_a, c->only_b,
           c->spans_differ ? "true" : "false");
    print_json_text(r->worst);
    if (isfinite(r->deviation)) printf(",\"deviation\":%.9g", r->deviation);
    puts("}");
}

static void print_report(const Args *args, const AcausalVerifyReport *r)
{
    const AcausalCompareReport *c = r->compare;
    if (args->quiet) return;
    if (*r->first_solver)
        printf("A: %s, tol = %g, %.3g s\n", r->first_solver, r->first_tolerance, r->seconds[0]);
    if (args_has(args, "--reference") && r->other)
        printf("B: %s\n", args_value(args, "--reference"));
    else if (*r->second_solver)
        printf("B: %s, tol = %g, %.3g s\n", r->second_solver, r->second_tolerance, r->seconds[1]);
    if (c->signals_same + c->signals_different + r->noise == 0) return;
    printf("%zu same, %zu different, %zu noise, %zu only in A, %zu only in B\n", c->signals_same,
           c->signals_different, r->noise, c->only_a, c->only_b);
    if (*r->worst) printf("worst: %s, %.3g of its range\n", r->worst, r->deviation);
}

/* Both results with the tube: what is asked for, or the signals that differ most. */
static AcausalStatus draw_both(const Args *args, const AcausalVerifyReport *r, const Shown *shown)
{
    const char *file = args_value(args, "--plot"), *asked = args_value(args, "--names"), *names[64];
    char why[400], title[600], *copy = strdup(asked ? asked : "");
    size_t n = copy && asked ? split_names(copy, names, 64) : 0;
    for (size_t i = 0; !asked && i < shown->count; i++) names[n++] = shown->names[i];
    if (!n && *r->worst) names[n++] = r->worst;
    title_of(args, title, 120);
    size_t end = strlen(title);
    snprintf(title + end, sizeof title - end, ": %s (A: %s, B: %s)", r->verdict, r->first_solver,
             args_has(args, "--reference") ? "the reference" : r->second_solver);
    AcausalPlot plot = { .size = sizeof plot,
                         .names = names,
                         .count = n,
                         .title = title,
                         .panels = ACAUSAL_PANEL_EACH,
                         .other = r->other,
                         .tube = r->tube };
    AcausalStatus status = draw_plot(file, r->result, &plot, why, sizeof why);
    free(copy);
    if (status != ACAUSAL_DONE) fprintf(stderr, "acausal verify: %s\n", why);
    return status;
}

static AcausalStatus verify_model(const Args *args, AcausalSession *session, AcausalModel *model,
                                  const AcausalVerify *v)
{
    AcausalVerifyReport report = { .size = sizeof report };
    Shown shown = { .table = { args, args_has(args, "--all"), 0, 24 } };
    if (args->json) printf("{\"signals\":[");
    AcausalStatus status = acausal_verify(model, v, take_signal, &shown, &report);
    if (v->run->progress) fputs("\r\033[K", stderr);
    show_diagnostics(args, session);
    if (args->json)
        print_json_report(&report);
    else
        print_report(args, &report);
    AcausalStatus drawn = ACAUSAL_DONE;
    if (args_has(args, "--plot") && report.result && report.other) drawn = draw_both(args, &report, &shown);
    fflush(stdout);
    if (status != ACAUSAL_DONE)
        fprintf(stderr, "acausal verify: %s: %s\n", report.verdict, report.message);
    else if (!args->quiet && !args->json)
        printf("%s: %s\n", report.verdict, report.message);
    acausal_result_free(report.result);
    acausal_result_free(report.other);
    return status == ACAUSAL_DONE ? drawn : status;
}

static AcausalStatus verify(const Args *args, AcausalSession *session, const char *source,
                            const char *class_name)
{
    AcausalSimulation run = acausal_simulation();
    AcausalCompareOptions tube = { .size = sizeof tube, .value = NAN, .time = NAN, .absolute = NAN };
    AcausalVerify v = { .size = sizeof v, .run = &run, .tube = &tube };
    AcausalStatus status = ACAUSAL_USAGE;
    if (!read_values(args, &run)) {
        status = ACAUSAL_BUG;
    } else if (read_run_options(args, &run) && read_tube(args, &v, &tube)) {
        AcausalModel *model = acausal_compile(session, source, class_name);
        status = ACAUSAL_WRONG;
        if (model)
            status = verify_model(args, session, model, &v);
        else
            show_diagnostics(args, session);
        acausal_model_free(model);
    }
    free((void *)run.set);
    free((void *)run.solver_options);
    return status;
}

static AcausalStatus run_verify(const Args *args)
{
    const char *picture = args_value(args, "--plot");
    size_t n = picture ? strlen(picture) : 0;
    if (picture && (n < 5 || (strcmp(picture + n - 4, ".svg") != 0 && strcmp(picture + n - 4, ".png") != 0)))
        return usage_error(args->command, "'--plot %s' should end in .svg or .png", picture);
    return run_on_model(args, verify);
}

static const Option options[] = {
    OPTION_LIB,
    { "--reference", "FILE", "hold the run against this result (.csv, .mat) instead of a second run" },
    { "--tube", "R", "half height of the tube, as a share of each signal's range; 10 tol, at least 1e-3" },
    { "--tube-time", "R", "half width of the tube, as a share of the span; 1e-4 if not given" },
    { "--absolute", "D", "differences up to this are none; tol / 100 if not given" },
    { "--second-solver", "NAME", "of the second run; one of another family if not given" },
    { "--second-tol", "R", "of the second run; tol / 100 if not given" },
    { "--all", NULL, "lists signals that are the same, too" },
    { "--plot", "FILE.svg", "both runs and the tube, .svg or .png: the signals that differ most" },
    { "--names", "A,B", "what the picture shows instead, with * and ?" },
    { "--start", "T", "of the run; the model's experiment annotation says it, or 0" },
    { "--stop", "T", "likewise, or 1; with a reference where that ends" },
    { "--tol", "R", "relative tolerance; likewise, or 1e-6" },
    { "--interval", "H", "time between rows that are compared" },
    { "--points", "N", "or N intervals (500)" },
    { "--solver", "NAME", "the integrator that is judged" },
    { "--option", "KEY=VALUE", "for that integrator" },
    OPTION_SET,
    { "--input", "FILE.csv", "inputs over time; the first column is time" },
    { "--init", "RESULT[@T]", "start both runs from a saved result" },
    { "-o", "FILE", "the run that is judged, as .csv or .mat" },
    { "--vars", "REGEX", "what is compared; everything if not given" },
    { "--glob", "A,*.B", "the same by patterns with * and ?" },
    { "--kind", "me|cs", "of an FMU that is for both" },
    OPTION_LARGE,
    { "--time-limit", "SECONDS", "for each run" },
};

const Command command_verify = {
    .name = "verify",
    .usage = "SOURCE [CLASS]",
    .summary = "Judges a run by a second one of another family, or by a file",
    .about =
        "Runs the model, then again with an integrator of another family at a hundredth of the tolerance, "
        "and holds\neach signal against a tube around its namesake. What two fine runs by different methods "
        "do not agree on is\nnoise. An FMU for co-simulation brings its own integrator and needs a file. "
        "Exit code 0: verified; 1: signals differ; 3: a run failed.\n\n"
        "  acausal verify models/BouncingBall.mo\n"
        "  acausal verify models/Pendulum.mo --solver rk4 --option fixed-step=0.01 --plot rk4.svg\n"
        "  acausal verify models/Circuit.mo Circuit.RLC --reference measured.csv --tube 0.01\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_verify,
};
