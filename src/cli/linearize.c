/* linearize.c: `acausal linearize`: a model near a point as a linear system. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 1024 };

static void show_matrix(const char *name, size_t rows, size_t columns, const double *at)
{
    printf("%s = %zu x %zu\n", name, rows, columns);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) printf(" %14.7g", at[i * columns + j]);
        putchar('\n');
    }
}

static void show_points(const char *what, size_t n, const char *const *names, const double *values)
{
    for (size_t i = 0; i < n; i++) printf("%s %-24s %16.9g\n", what, names[i], values[i]);
}

static void show_complex(const char *what, size_t n, const double *re, const double *im)
{
    for (size_t i = 0; i < n; i++) {
        printf("%s %16.9g", what, re[i]);
        if (im[i] != 0.0)
            printf(" %+.9g i   damping %.4g, %.6g rad/s", im[i], 0.0 - re[i] / hypot(re[i], im[i]),
                   hypot(re[i], im[i]));
        putchar('\n');
    }
}

static void show_text(const AcausalLinear *l)
{
    enum { MOST_SHOWN = 12 };
    printf("at t = %.9g, %s", l->t, l->is_exact ? "exact derivatives" : "derivatives by differences");
    if (l->iterations) printf(", steady after %d steps of Newton's method", l->iterations);
    printf("\n%zu states, %zu inputs, %zu outputs\n", l->states, l->inputs, l->outputs);
    show_points("x", l->states, l->state_names, l->x);
    show_points("u", l->inputs, l->input_names, l->u);
    show_points("y", l->outputs, l->output_names, l->y);
    if (l->states <= MOST_SHOWN && l->inputs <= MOST_SHOWN) {
        show_matrix("A", l->states, l->states, l->a);
        show_matrix("B", l->states, l->inputs, l->b);
        show_matrix("C", l->outputs, l->states, l->c);
        show_matrix("D", l->outputs, l->inputs, l->d);
    } else {
        puts("the matrices are large: -o FILE.mat or --json gives them");
    }
    show_complex("pole", l->states, l->pole_re, l->pole_im);
    show_complex("zero", l->zeros, l->zero_re, l->zero_im);
    if (!l->is_square && l->inputs && l->outputs)
        puts("zeros are computed of systems with as many outputs as inputs only");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_numbers(FILE *out, const char *key, size_t n, const double *at)
{
    fprintf(out, "\"%s\":[", key);
    for (size_t i = 0; i < n; i++) fprintf(out, isfinite(at[i]) ? "%s%.17g" : "%snull", i ? "," : "", at[i]);
    fputc(']', out);
}

static void json_matrix(FILE *out, const char *key, size_t rows, size_t columns, const double *at)
{
    fprintf(out, ",\"%s\":[", key);
    for (size_t i = 0; i < rows; i++) {
        fputs(i ? ",[" : "[", out);
        for (size_t j = 0; j < columns; j++) fprintf(out, "%s%.17g", j ? "," : "", at[i * columns + j]);
        fputc(']', out);
    }
    fputc(']', out);
}

static void json_names(FILE *out, const char *key, size_t n, const char *const *names)
{
    fprintf(out, "\"%s\":[", key);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ",\"" : "\"", out);
        for (const char *c = names[i]; *c; c++) fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        fputc('"', out);
    }
    fputs("],", out);
}

static void write_json(FILE *out, const AcausalLinear *l)
{
    fprintf(out, "{\"t\":%.17g,\"exact\":%s,\"iterations\":%d,", l->t, l->is_exact ? "true" : "false",
            l->iterations);
    json_names(out, "states", l->states, l->state_names);
    json_names(out, "inputs", l->inputs, l->input_names);
    json_names(out, "outputs", l->outputs, l->output_names);
    json_numbers(out, "x", l->states, l->x), fputc(',', out);
    json_numbers(out, "dx", l->states, l->rates), fputc(',', out);
    json_numbers(out, "u", l->inputs, l->u), fputc(',', out);
    json_numbers(out, "y", l->outputs, l->y);
    json_matrix(out, "A", l->states, l->states, l->a);
    json_matrix(out, "B", l->states, l->inputs, l->b);
    json_matrix(out, "C", l->outputs, l->states, l->c);
    json_matrix(out, "D", l->outputs, l->inputs, l->d);
    fputs(",\"poles\":{", out);
    json_numbers(out, "re", l->states, l->pole_re), fputc(',', out);
    json_numbers(out, "im", l->states, l->pole_im);
    fputs("},\"zeros\":", out);
    if (l->is_square) {
        fputc('{', out);
        json_numbers(out, "re", l->zeros, l->zero_re), fputc(',', out);
        json_numbers(out, "im", l->zeros, l->zero_im);
        fputc('}', out);
    } else {
        fputs("null", out);
    }
    fputs("}\n", out);
}

/* ---- MAT v4 ---------------------------------------------------------------------------------- */

/* A matrix by rows; MAT holds columns. Version 4 is what MATLAB, SciPy and Octave all read. */
static void mat_matrix(FILE *out, const char *name, size_t rows, size_t columns, const double *at)
{
    int32_t head[5] = { 0, (int32_t)rows, (int32_t)columns, 0, (int32_t)strlen(name) + 1 };
    fwrite(head, sizeof head, 1, out);
    fwrite(name, 1, strlen(name) + 1, out);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++) fwrite(&at[i * columns + j], sizeof *at, 1, out);
}

static void mat_names(FILE *out, const char *name, size_t n, const char *const *names)
{
    size_t width = 1;
    for (size_t i = 0; i < n; i++)
        if (strlen(names[i]) > width) width = strlen(names[i]);
    int32_t head[5] = { 51, (int32_t)n, (int32_t)width, 0, (int32_t)strlen(name) + 1 }; /* bytes, text */
    fwrite(head, sizeof head, 1, out);
    fwrite(name, 1, strlen(name) + 1, out);
    for (size_t j = 0; j < width; j++)
        for (size_t i = 0; i < n; i++) fputc(j < strlen(names[i]) ? names[i][j] : ' ', out);
}

static void write_mat(FILE *out, const AcausalLinear *l)
{
    mat_matrix(out, "A", l->states, l->states, l->a);
    mat_matrix(out, "B", l->states, l->inputs, l->b);
    mat_matrix(out, "C", l->outputs, l->states, l->c);
    mat_matrix(out, "D", l->outputs, l->inputs, l->d);
    mat_matrix(out, "x", l->states, 1, l->x);
    mat_matrix(out, "u", l->inputs, 1, l->u);
    mat_matrix(out, "y", l->outputs, 1, l->y);
    mat_matrix(out, "t", 1, 1, &l->t);
    mat_names(out, "x_names", l->states, l->state_names);
    mat_names(out, "u_names", l->inputs, l->input_names);
    mat_names(out, "y_names", l->outputs, l->output_names);
}

static bool ends_with(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n > m && !strcmp(text + n - m, suffix);
}

static AcausalStatus write_file(const char *path, const AcausalLinear *l)
{
    FILE *out = fopen(path, "wb");
    if (out) (ends_with(path, ".mat") ? write_mat : write_json)(out, l);
    bool ok = out && !ferror(out);
    if ((out && fclose(out)) || !ok) {
        fprintf(stderr, "acausal linearize: '%s' cannot be written\n", path);
        return ACAUSAL_WRONG;
    }
    return ACAUSAL_DONE;
}

/* ---- pictures -------------------------------------------------------------------------------- */

static AcausalStatus draw(const Args *args, const AcausalLinear *l)
{
    static const char *const bode[] = { "gain*", "/", "phase*" }, *const step[] = { "*" };
    const char *path = args_value(args, "--bode");
    char why[400], title[120];
    title_of(args, title, sizeof title);
    AcausalStatus status = ACAUSAL_DONE;
    if ((path || args_has(args, "--step")) && !l->bode) {
        fputs(
            "acausal linearize: without inputs and outputs there is nothing to draw: --inputs and --outputs "
            "name them\n",
            stderr);
        return ACAUSAL_WRONG;
    }
    AcausalPlot plot = {
        .size = sizeof plot, .names = bode, .count = 3, .x = "frequency", .log_x = true, .title = title
    };
    if (path) status = draw_plot(path, l->bode, &plot, why, sizeof why);
    plot = (AcausalPlot){
        .size = sizeof plot, .names = step, .count = 1, .title = title, .panels = ACAUSAL_PANEL_ONE
    };
    if (status == ACAUSAL_DONE && (path = args_value(args, "--step")))
        status = draw_plot(path, l->step, &plot, why, sizeof why);
    if (status != ACAUSAL_DONE) fprintf(stderr, "acausal linearize: %s\n", why);
    return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static AcausalStatus show(const Args *args, const AcausalLinear *l)
{
    const char *path = args_value(args, "-o");
    if (args->json)
        write_json(stdout, l);
    else if (!args->quiet)
        show_text(l);
    fflush(stdout);
    AcausalStatus status = path ? write_file(path, l) : ACAUSAL_DONE;
    AcausalStatus drawn = draw(args, l);
    return status == ACAUSAL_DONE ? drawn : status;
}

static AcausalStatus on_session(const Args *args, AcausalSession *session, const char *source,
                                const char *class_name, AcausalLinearize *what)
{
    AcausalLinear linear = { .size = sizeof linear, .message = "" };
    AcausalModel *model = acausal_compile(session, source, class_name);
    AcausalStatus status = model ? acausal_linearize(model, what, &linear) : ACAUSAL_WRONG;
    show_diagnostics(args, session);
    if (linear.message[0]) fprintf(stderr, "acausal linearize: %s\n", linear.message);
    if (status == ACAUSAL_DONE) status = show(args, &linear);
    acausal_result_free(linear.bode);
    acausal_result_free(linear.step);
    acausal_model_free(model);
    return status;
}

static AcausalStatus work(const Args *args, AcausalSession *session, const char *source,
                          const char *class_name)
{
    AcausalSimulation run = acausal_simulation();
    AcausalLinearize what = { .size = sizeof what, .run = &run, .time = NAN };
    const char *inputs[MOST_NAMES], *outputs[MOST_NAMES], *given = args_value(args, "--inputs"),
                                                          *wanted = args_value(args, "--outputs");
    char *input_list = strdup(given ? given : ""), *output_list = strdup(wanted ? wanted : "");
    AcausalStatus status = ACAUSAL_USAGE;
    if (input_list && output_list && read_values(args, &run) && read_run_options(args, &run) &&
        args_real(args, "--time", &what.time)) {
        run.output = NULL;
        run.progress = NULL;
        what.steady = args_has(args, "--steady");
        what.respond = args_has(args, "--bode") || args_has(args, "--step");
        if (given) what.input_count = split_names(input_list, inputs, MOST_NAMES), what.inputs = inputs;
        if (wanted) what.output_count = split_names(output_list, outputs, MOST_NAMES), what.outputs = outputs;
        tell_pulse(args, &run);
        status = on_session(args, session, source, class_name, &what);
    }
    free((void *)run.set);
    free((void *)run.solver_options);
    free(input_list);
    free(output_list);
    return status;
}

static AcausalStatus run_linearize(const Args *args)
{
    const char *path = args_value(args, "-o");
    if (path && !ends_with(path, ".mat") && !ends_with(path, ".json"))
        return usage_error(args->command, "'-o %s' should end in .mat or .json", path);
    return run_on_model(args, work);
}

static const Option options[] = {
    OPTION_LIB,
    OPTION_ISOLATE,
    { "--time", "T", "after a run to this time; without it, after the initial equations" },
    { "--steady", NULL, "from there to a steady state (x' = 0) by Newton's method" },
    { "--inputs", "U1,U2", "inputs; without it, those of the model that are Real" },
    { "--outputs", "Y1,Y2", "variables; without it, the outputs of the model that are Real" },
    { "--start", "T", "where time begins; the model's experiment annotation says it, or 0" },
    { "--tol", "R", "relative tolerance of the run; likewise, or 1e-6" },
    { "--solver", "NAME", "the integrator (see 'acausal solvers'; auto chooses)" },
    { "--option", "KEY=VALUE", "of the integrator, as for simulate" },
    OPTION_SET,
    { "--input", "FILE.csv", "inputs over time" },
    { "--init", "RESULT[@T]", "start from a saved result" },
    { "-o", "FILE", "the matrices, the point and names, as .mat (version 4) or .json" },
    { "--bode", "FILE.svg", "a picture of gain and phase over frequency, .svg or .png" },
    { "--step", "FILE.svg", "a picture of outputs after a step of each input, .svg or .png" },
    OPTION_LARGE,
};

const Command command_linearize = {
    .name = "linearize",
    .usage = "SOURCE [CLASS]",
    .summary = "Gives the linear system that a model is near a point: A, B, C, D, poles, zeros",
    .about =
        "SOURCE is a .mo file, a library's directory, a .fmu file for model exchange, or a class found in\n"
        "the libraries. Relations and discrete variables are held as they are at the point.\n\n"
        "  acausal linearize models/Pendulum.mo --outputs x,y\n"
        "  acausal linearize models/VanDerPol.mo --time 2 --outputs y1,y2 -o near.mat\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_linearize,
};
