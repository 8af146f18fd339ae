/* fit.c: `acausal fit`: parameters of a model from measured data. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256 };

static void show_parameters(const AcausalFitReport *r, bool has_data)
{
    size_t width = 9;
    for (size_t j = 0; j < r->count; j++)
        if (strlen(r->parameters[j]->name) > width) width = strlen(r->parameters[j]->name);
    printf("%-*s  %14s  %18s", (int)width, "parameter", "start", "estimate");
    if (has_data) printf("  %12s  %31s", "deviation", "95 % interval");
    printf("\n");
    for (size_t j = 0; j < r->count; j++) {
        const AcausalFitParameter *p = r->parameters[j];
        printf("%-*s  %14.8g  %18.12g", (int)width, p->name, p->start, p->value);
        if (has_data) printf("  %12.4g  %14.8g .. %13.8g", p->deviation, p->low, p->high);
        printf("%s\n", p->at_bound ? "  at its bound" : "");
        if (has_data && !isnan(p->profile_low))
            printf("%-*s  %14s  %18s  %12s  %14.8g .. %13.8g\n", (int)width, "", "", "", "profile",
                   p->profile_low, p->profile_high);
    }
}

/* What the data cannot tell: parameters with a large share in the weakest direction. */
static void show_identifiability(const AcausalFitReport *r)
{
    double most = r->parameters[0]->singular, least = r->parameters[r->count - 1]->singular;
    printf("singular values of the scaled sensitivities:");
    for (size_t j = 0; j < r->count; j++) printf(" %.3g", r->parameters[j]->singular);
    printf("\n");
    if (least > 1e-6 * most || r->count < 2) return;
    printf("the data hardly tell apart:");
    for (size_t j = 0; j < r->count; j++)
        if (fabs(r->parameters[j]->weakest) > 0.1)
            printf(" %s (%+.2f)", r->parameters[j]->name, r->parameters[j]->weakest);
    printf("\n");
    for (size_t i = 0; i < r->count; i++)
        for (size_t j = i + 1; j < r->count; j++)
            if (fabs(r->correlation[i * r->count + j]) > 0.99)
                printf("%s and %s are correlated: %.4f\n", r->parameters[i]->name, r->parameters[j]->name,
                       r->correlation[i * r->count + j]);
}

static void show_text(const AcausalFitReport *r, bool has_data)
{
    show_parameters(r, has_data);
    if (has_data) {
        show_identifiability(r);
        printf("%zu values, sum of squares %.6g, standard deviation of a residual %.6g\n", r->measured,
               r->sum, r->noise);
    } else {
        printf("objective %.12g\n", r->sum);
    }
    printf("%s after %d iterations, %d runs, %.1f ms\n", r->converged ? "converged" : "not converged",
           r->iterations, r->evaluations, 1e3 * r->cpu_seconds);
}

static void show_number(const char *name, double value)
{
    if (isfinite(value))
        printf(",\"%s\":%.17g", name, value);
    else
        printf(",\"%s\":null", name);
}

static void show_json(const AcausalFitReport *r)
{
    printf("{\"converged\":%s,\"iterations\":%d,\"runs\":%d,\"measured\":%zu",
           r->converged ? "true" : "false", r->iterations, r->evaluations, r->measured);
    show_number("sum", r->sum);
    show_number("noise", r->noise);
    printf(",\"parameters\":[");
    for (size_t j = 0; j < r->count; j++) {
        const AcausalFitParameter *p = r->parameters[j];
        printf("%s{\"name\":\"%s\",\"at_bound\":%s", j ? "," : "", p->name, p->at_bound ? "true" : "false");
        show_number("start", p->start);
        show_number("value", p->value);
        show_number("deviation", p->deviation);
        show_number("low", p->low);
        show_number("high", p->high);
        show_number("singular", p->singular);
        show_number("profile_low", p->profile_low);
        show_number("profile_high", p->profile_high);
        printf("}");
    }
    printf("]}\n");
}

static AcausalStatus draw(const Args *args, const AcausalResult *result)
{
    static const char *const all[] = { "*" };
    const char *file = args_value(args, "--plot");
    char why[400] = "", title[120];
    title_of(args, title, sizeof title);
    AcausalPlot plot = { .size = sizeof plot, .names = all, .count = 1, .title = title };
    AcausalStatus status = ACAUSAL_WRONG;
    if (!strcmp(file, "-")) {
        plot.title = NULL;
        status = draw_picture(result, &plot, ACAUSAL_TERMINAL, stdout, why, sizeof why);
    } else {
        FILE *out = fopen(file, "wb");
        if (out) status = draw_picture(result, &plot, ACAUSAL_SVG, out, why, sizeof why);
        if (!out || fclose(out)) {
            snprintf(why, sizeof why, "'%s' cannot be written", file);
            status = ACAUSAL_WRONG;
        }
    }
    if (status != ACAUSAL_DONE) fprintf(stderr, "acausal fit: %s\n", why);
    return status;
}

static AcausalStatus fit_model(const Args *args, AcausalSession *session, const char *source,
                               const char *class_name, const AcausalFit *fit)
{
    AcausalFitReport report = { .size = sizeof report };
    AcausalStatus status = acausal_fit(session, source, class_name, fit, &report);
    show_diagnostics(args, session);
    if (status == ACAUSAL_DONE && args->json)
        show_json(&report);
    else if (status == ACAUSAL_DONE)
        show_text(&report, report.measured > 0);
    if (report.result && args_has(args, "--plot")) status = draw(args, report.result);
    acausal_result_free(report.result);
    fflush(stdout);
    if (status == ACAUSAL_FAILED)
        fprintf(stderr, "acausal fit: no run succeeds where the search begins: %s\n", report.message);
    return status;
}

static AcausalStatus work(const Args *args, AcausalSession *session, const char *source,
                          const char *class_name)
{
    AcausalSimulation run = acausal_simulation();
    AcausalFit fit = { .size = sizeof fit, .run = &run };
    const char *names[MOST_NAMES];
    char *copy = strdup(args_value(args, "--params"));
    size_t starts = 0, seed = 1;
    AcausalStatus status = ACAUSAL_USAGE;
    run.set = collect_values(args, "--set", &run.set_count);
    run.solver_options = collect_values(args, "--option", &run.solver_option_count);
    fit.data = collect_values(args, "--data", &fit.data_count);
    fit.sigmas = collect_values(args, "--sigma", &fit.sigma_count);
    fit.priors = collect_values(args, "--prior", &fit.prior_count);
    fit.profile = args_has(args, "--profile");
    fit.objective = args_value(args, "--objective");
    fit.algorithm = args_value(args, "--algorithm");
    fit.parameters = names;
    if (copy && run.set && run.solver_options && fit.data && fit.sigmas && fit.priors &&
        args_real(args, "--huber", &fit.huber) && read_run_options(args, &run) &&
        args_size(args, "--starts", 0, &starts) && args_size(args, "--seed", 0, &seed)) {
        fit.parameter_count = split_names(copy, names, MOST_NAMES);
        fit.starts = (int)starts;
        fit.seed = (unsigned)seed;
        run.progress = NULL;
        tell_pulse(args, &run);
        status = fit_model(args, session, source, class_name, &fit);
    }
    free((void *)run.set);
    free((void *)run.solver_options);
    free((void *)fit.data);
    free((void *)fit.sigmas);
    free((void *)fit.priors);
    free(copy);
    return status;
}

static AcausalStatus run_fit(const Args *args)
{
    if (!args_has(args, "--params")) return usage_error(args->command, "--params says what to fit");
    if (args_has(args, "--data") == args_has(args, "--objective"))
        return usage_error(args->command, "either --data or --objective says what to fit to");
    return run_on_model(args, work);
}

static const Option options[] = {
    OPTION_LIB,
    OPTION_ISOLATE,
    { "--data", "FILE.csv",
      "measured values: time and names of variables; inputs drive the model. May be given several times; "
      "FILE:NAME=VALUE gives an experiment a value of its own" },
    { "--params", "P1[MIN,MAX],P2",
      "what is fitted; P=START[MIN,MAX] begins elsewhere; a variable stands for its start value" },
    { "--sigma", "NAME=DEVIATION",
      "standard deviation of a measured variable: its residuals are divided by it" },
    { "--huber", "K", "residuals beyond K deviations count linearly, so that outliers do not decide" },
    { "--prior", "P=MEAN,DEVIATION", "what is known of a parameter before; with --sigma" },
    { "--profile", NULL,
      "intervals by profile likelihood, too: the fit is repeated with each parameter held" },
    { "--objective", "EXPR",
      "or a Modelica expression that is made least; integral(e) in it is over the run" },
    { "--algorithm", "NAME", "lm (for data), or of NLopt: slsqp (for objectives), lbfgs, mma, tnewton" },
    { "--starts", "N", "further starting points, spread over the bounds" },
    { "--seed", "N", "for them (1)" },
    { "--start", "T", "where time begins; the model's experiment annotation says it, or 0" },
    { "--stop", "T", "where it ends; with data: at their last row" },
    { "--tol", "R", "relative tolerance (1e-8)" },
    { "--solver", "NAME", "the integrator (see 'acausal solvers'; auto chooses)" },
    { "--option", "KEY=VALUE", "of the integrator, as for simulate" },
    OPTION_SET_ONE,
    { "--plot", "FILE.svg",
      "measured and fitted values with their 95 % band, residuals, of the first experiment; - draws in the "
      "terminal" },
};

const Command command_fit = {
    .name = "fit",
    .usage = "SOURCE [CLASS]",
    .summary = "Finds parameters from measured data",
    .about =
        "Exact derivatives, Levenberg and Marquardt, 95 % intervals, and what the data cannot tell.\n\n"
        "  acausal fit models/BouncingBall.mo --data drops.csv --params 'e[0,1],h=0.9'\n"
        "  acausal fit models/BouncingBall.mo --data drops.csv --data drops.csv:h=1 --params e --starts 3\n"
        "  acausal fit models/Pendulum.mo --params 'L[0.5,2]' --objective 'integral((x - 0.2)^2)' --stop 1\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_fit,
};
