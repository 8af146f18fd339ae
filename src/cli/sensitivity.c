/* sensitivity.c: `acausal sensitivity`: derivatives of a run in parameters and start values. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 1024 };

static void show_table(const AcausalSensitivityReport *r)
{
    size_t of = 2, wrt = 3;
    for (size_t i = 0; i < r->count; i++) {
        if (strlen(r->derivatives[i]->of) > of) of = strlen(r->derivatives[i]->of);
        if (strlen(r->derivatives[i]->wrt) > wrt) wrt = strlen(r->derivatives[i]->wrt);
    }
    printf("%-*s  %20s  %-*s  %14s  %24s\n", (int)of, "of", "value", (int)wrt, "wrt", "at", "derivative");
    for (size_t i = 0; i < r->count; i++) {
        const AcausalDerivative *d = r->derivatives[i];
        printf("%-*s  %20.12g  %-*s  %14.8g  %24.15g", (int)of, d->of, d->value, (int)wrt, d->wrt,
               d->parameter, d->derivative);
        printf(isnan(d->time) ? "\n" : "  (input at t = %.6g)\n", d->time);
    }
}

static void show_json(const AcausalSensitivityReport *r)
{
    printf("{\"t\":%.17g,\"cpu_s\":%.6g,\"checkpoints\":%ld,\"recomputed\":%ld,\"derivatives\":[", r->run->t,
           r->cpu_seconds, r->checkpoints, r->recomputed);
    for (size_t i = 0; i < r->count; i++) {
        const AcausalDerivative *d = r->derivatives[i];
        printf("%s{\"of\":\"%s\",\"wrt\":\"%s\",\"value\":%.17g,\"at\":%.17g,\"derivative\":%.17g",
               i ? "," : "", d->of, d->wrt, d->value, d->parameter, d->derivative);
        printf(isnan(d->time) ? "}" : ",\"time\":%.17g}", d->time);
    }
    printf("]}\n");
}

static bool is_adjoint(const Args *args)
{
    const char *method = args_value(args, "--method");
    return method && !strcmp(method, "adjoint");
}

/* The derivatives over time, or the weights lambda. */
static AcausalStatus draw(const Args *args, const AcausalResult *result)
{
    static const char *const all[] = { "d(*", NULL }, *const weights[] = { "lambda(*", NULL };
    const char *file = args_value(args, "--plot");
    char why[400], title[120];
    title_of(args, title, sizeof title);
    AcausalPlot plot = {
        .size = sizeof plot, .names = is_adjoint(args) ? weights : all, .count = 1, .title = title
    };
    if (!strcmp(file, "-")) {
        plot.title = NULL;
        return draw_picture(result, &plot, ACAUSAL_TERMINAL, stdout, why, sizeof why);
    }
    FILE *out = fopen(file, "wb");
    AcausalStatus status =
        out ? draw_picture(result, &plot, ACAUSAL_SVG, out, why, sizeof why) : ACAUSAL_WRONG;
    if (!out || fclose(out)) {
        fprintf(stderr, "acausal sensitivity: '%s' cannot be written\n", file);
        return ACAUSAL_WRONG;
    }
    if (status != ACAUSAL_DONE) fprintf(stderr, "acausal sensitivity: %s\n", why);
    return status;
}

static AcausalStatus differentiate(const Args *args, AcausalSession *session, const char *source,
                                   const char *class_name, AcausalSensitivity *what)
{
    AcausalSensitivityReport report = { .size = sizeof report };
    AcausalStatus status = acausal_differentiate(session, source, class_name, what, &report);
    show_diagnostics(args, session);
    const char *file = args_value(args, "-o");
    if (report.run->result && file && is_adjoint(args) && status == ACAUSAL_DONE)
        status = acausal_result_write(session, report.run->result, file);
    if (report.run->result && args_has(args, "--plot") && status == ACAUSAL_DONE)
        status = draw(args, report.run->result);
    acausal_result_free(report.run->result);
    if (report.count && args->json)
        show_json(&report);
    else if (report.count)
        show_table(&report);
    if (report.count && !args->quiet && !args->json)
        printf("%s, t = %.6g, %.1f ms\n", what->method ? what->method : "forward", report.run->t,
               1e3 * report.cpu_seconds);
    if (report.recomputed && !args->quiet && !args->json)
        printf("%ld checkpoints, %ld steps taken again\n", report.checkpoints, report.recomputed);
    fflush(stdout);
    if (report.run->message[0] && (status != ACAUSAL_DONE || !args->quiet))
        fprintf(stderr, "%s%s\n", status != ACAUSAL_DONE ? "acausal sensitivity: " : "", report.run->message);
    return status;
}

static AcausalStatus work(const Args *args, AcausalSession *session, const char *source,
                          const char *class_name)
{
    AcausalSimulation run = acausal_simulation();
    AcausalSensitivity what = { .size = sizeof what, .run = &run };
    const char *wrt[MOST_NAMES], *of[MOST_NAMES], *wrt_given = args_value(args, "--wrt"),
                                                  *of_given = args_value(args, "--of");
    char *wrt_copy = strdup(wrt_given), *of_copy = strdup(of_given ? of_given : "");
    AcausalStatus status = ACAUSAL_USAGE;
    run.set = collect_values(args, "--set", &run.set_count);
    run.solver_options = collect_values(args, "--option", &run.solver_option_count);
    what.wrt = wrt;
    what.of = of;
    what.objective = args_value(args, "--objective");
    what.method = args_value(args, "--method");
    what.backend = args_value(args, "--backend");
    bool ok = wrt_copy && of_copy && run.set && run.solver_options;
    ok = ok && read_run_options(args, &run) && args_real(args, "--memory", &what.memory);
    if (ok) {
        what.wrt_count = split_names(wrt_copy, wrt, MOST_NAMES);
        what.of_count = split_names(of_copy, of, MOST_NAMES);
        run.progress = NULL;
        if (is_adjoint(args) && run.output) run.keep = true, run.output = NULL;
        tell_pulse(args, &run);
        status = differentiate(args, session, source, class_name, &what);
    }
    free((void *)run.set);
    free((void *)run.solver_options);
    free(wrt_copy);
    free(of_copy);
    return status;
}

/* Curves come from methods that carry derivatives along, or weights back. */
static bool has_curves(const Args *args)
{
    const char *method = args_value(args, "--method"), *backend = args_value(args, "--backend");
    bool carries =
        !method || !strcmp(method, "forward") || !strcmp(method, "ad") || !strcmp(method, "adjoint");
    return carries && (!backend || !strcmp(backend, "own"));
}

static AcausalStatus run_sensitivity(const Args *args)
{
    if ((args_has(args, "-o") || args_has(args, "--plot")) && !has_curves(args))
        return usage_error(
            args->command,
            "-o and --plot are for forward, ad and adjoint: others give derivatives at the end only");
    if (!args_has(args, "--wrt")) return usage_error(args->command, "--wrt says what to differentiate in");
    if (args_has(args, "--of") == args_has(args, "--objective"))
        return usage_error(args->command, "either --of or --objective says what to differentiate");
    return run_on_model(args, work);
}

static const Option options[] = {
    OPTION_LIB,
    OPTION_ISOLATE,
    { "--wrt", "P1,P2",
      "parameters; a variable stands for its start value, an input that --input drives for each row" },
    { "--of", "Y1,Y2", "variables: their values at the end, and with forward and ad over time" },
    { "--objective", "EXPR", "or a Modelica expression at the end; integral(e) in it is over the run" },
    { "--method", "NAME", "forward (default), adjoint, ad, ad-adjoint, ind or end" },
    { "--start", "T", "where time begins; the model's experiment annotation says it, or 0" },
    { "--stop", "T", "where it ends; likewise, or 1" },
    { "--tol", "R", "relative tolerance; likewise, or 1e-6" },
    { "--interval", "H", "time between rows of the result" },
    { "--points", "N", "or N intervals (500); 0: the integrator's own steps" },
    { "--solver", "NAME", "the integrator (see 'acausal solvers'; auto chooses)" },
    { "--option", "KEY=VALUE", "of the integrator, as for simulate" },
    OPTION_SET,
    { "--input", "FILE.csv", "inputs over time" },
    { "-o", "FILE",
      "the result with columns d(y)/d(p) (forward, ad), or lambda(x) over time (adjoint), .csv or .mat" },
    { "--vars", "REGEX", "what the result holds; everything if not given" },
    { "--plot", "FILE.svg", "a picture of the derivatives over time; - draws in the terminal" },
    { "--backend", "NAME",
      "forward, adjoint: own (default), or sundials for CVODES and IDAS, without events" },
    { "--memory", "MB",
      "for steps of the run (256): adjoint takes others again from checkpoints, ad and ind refuse more" },
    { "--time-limit", "SECONDS", "ends the run then" },
};

const Command command_sensitivity = {
    .name = "sensitivity",
    .usage = "SOURCE [CLASS]",
    .summary = "Differentiates a run in parameters and start values",
    .about = "Events are passed as they should be: their times move with the parameters.\n\n"
             "  acausal sensitivity models/BouncingBall.mo --wrt e,h --of h,v --stop 1\n"
             "  acausal sensitivity models/HeatRod.mo --wrt a,L --objective \"integral(T[5]^2)\" --method "
             "adjoint\n"
             "  acausal sensitivity models/VanDerPol.mo --set mu=10 --stop 20 --wrt mu,y1 --of y1 --plot "
             "slopes.svg -o run.csv\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_sensitivity,
};
