/* api.c: every function of acausal.h at work, a group of them a function.
 *
 *   cc api.c $(pkg-config --cflags --libs acausal) -o api && ./api models OUT
 *
 * OUT is a directory for what is written. Ends with 0 if every call did what it says. */
#include <acausal.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *models, *out;
static int failed;

/* Says which call did not do what it should. */
static void check(bool good, const char *what)
{
    if (!good) fprintf(stderr, "api: %s\n", what);
    failed += !good;
    fflush(stdout);
}

static const char *in(const char *directory, const char *name)
{
    static char paths[8][1000];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

/* An AcausalWrite: counts what comes, or prints it where `arg` is a FILE. */
static void count(void *arg, const char *text, size_t n)
{
    (void)text;
    *(size_t *)arg += n;
}

static void print(void *file, const char *text, size_t n) { fwrite(text, 1, n, file); }

/* ---- sessions, diagnostics ------------------------------------------------------------------- */

static void sessions(void)
{
    const char *words[] = { "simulate", "flatten" };
    AcausalSession *s = acausal_session_new();
    size_t written = 0;
    printf("version %s\n", acausal_version());
    check(!strcmp(acausal_nearest("simluate", words, 2), "simulate"), "acausal_nearest");
    check(acausal_explain("E0201") != NULL, "acausal_explain");

    check(acausal_add_library_path(s, models) == ACAUSAL_DONE, "acausal_add_library_path");
    check(acausal_add_library_path_list(s, models) == ACAUSAL_DONE, "acausal_add_library_path_list");
    acausal_switch(s, ACAUSAL_CHECK_UNITS, false);

    AcausalParseReport parsed = { .size = sizeof parsed };
    const char *paths[] = { models };
    check(acausal_parse(s, paths, 1, 0, &parsed) == ACAUSAL_DONE && parsed.files > 5, "acausal_parse");
    check(acausal_print(s, in(models, "BouncingBall.mo"), count, &written) == ACAUSAL_DONE && written > 50,
          "acausal_print");
    check(acausal_resolve_uri(s, "modelica://Pendulum/picture.png") != NULL, "acausal_resolve_uri");

    AcausalCheckReport report = { .size = sizeof report };
    check(acausal_check(s, in(models, "None.mo"), NULL, &report) == ACAUSAL_WRONG,
          "a file that is not there");
    check(acausal_error_count(s) == 1 && acausal_warning_count(s) == 0, "counts of diagnostics");
    printf("%s\n", acausal_first_error(s));
    acausal_write_diagnostics(s, ACAUSAL_TEXT, print, stdout);
    acausal_clear_diagnostics(s);
    check(acausal_error_count(s) == 0, "acausal_clear_diagnostics");
    acausal_session_free(s);
}

/* ---- trust ----------------------------------------------------------------------------------- */

static bool ask(void *arg, const char *origin)
{
    (void)arg;
    printf("is the foreign code of %s trusted? no\n", origin);
    return false;
}

static void trusted(void *arg, const char *path, const char *digest, bool changed)
{
    (void)digest, (void)changed;
    *(bool *)arg |= strstr(path, "BouncingBall.mo") != NULL;
}

static void trust(void)
{
    AcausalSession *s = acausal_session_new();
    const char *ball = in(models, "BouncingBall.mo");
    bool is_there = false;
    acausal_switch(s, ACAUSAL_TRUST_SOURCE, false);
    acausal_ask_trust(s, ask, NULL);
    check(acausal_trust(s, ball) == ACAUSAL_DONE, "acausal_trust");
    check(acausal_trust_store(s, ball, true) == ACAUSAL_DONE, "acausal_trust_store"); /* for good */
    check(acausal_trust_list(s, trusted, &is_there) == ACAUSAL_DONE && is_there, "acausal_trust_list");
    check(acausal_trust_store(s, ball, false) == ACAUSAL_DONE, "acausal_trust_store"); /* and no longer */
    acausal_session_free(s);
}

/* ---- looking at models ----------------------------------------------------------------------- */

static void see_class(void *arg, const AcausalClass *c) { *(bool *)arg |= !strcmp(c->name, "Circuit.RLC"); }

static void look(void)
{
    AcausalSession *s = acausal_session_new();
    const char *circuit = in(models, "Circuit.mo");
    AcausalCheckReport report = { .size = sizeof report };
    size_t flat = 0, system = 0, analysis = 0;
    bool is_there = false;
    check(acausal_classes(s, circuit, see_class, &is_there) == ACAUSAL_DONE && is_there, "acausal_classes");
    check(acausal_check(s, circuit, "Circuit.RLC", &report) == ACAUSAL_DONE, "acausal_check");
    check(report.equations == report.unknowns, "as many equations as unknowns");
    check(acausal_flatten(s, circuit, "Circuit.RLC", count, &flat) == ACAUSAL_DONE && flat,
          "acausal_flatten");
    check(acausal_dump(s, circuit, "Circuit.RLC", "blt", count, &system) == ACAUSAL_DONE && system,
          "acausal_dump");
    check(acausal_analyze(s, circuit, "Circuit.RLC", ACAUSAL_JSON, NULL, count, &analysis) == ACAUSAL_DONE &&
              analysis,
          "acausal_analyze");
    acausal_session_free(s);
}

/* ---- classes, their pictures, changes of them ------------------------------------------------ */

static void see_inner(void *arg, const AcausalClass *c) { *(bool *)arg |= strstr(c->name, "RLC") != NULL; }

static void see_library(void *arg, const AcausalLibrary *library)
{
    *(bool *)arg |= !strcmp(library->name, "Circuit") && !library->use_count;
}

static void see_tested(void *arg, const AcausalTestRow *row)
{
    *(size_t *)arg += !strcmp(row->verdict, "checks");
}

static void libraries(void)
{
    AcausalSession *s = acausal_session_new();
    const char *circuit = in(models, "Circuit.mo");
    AcausalInstall install = { .size = sizeof install, .from = circuit, .into = out, .replace = true };
    AcausalTest test = { .size = sizeof test, .library = circuit, .only_check = true };
    AcausalTestReport report = { .size = sizeof report };
    bool is_there = false;
    size_t good = 0;
    check(acausal_library_install(s, &install, NULL, NULL) == ACAUSAL_DONE, "acausal_library_install");
    acausal_add_library_path(s, out);
    check(!strcmp(acausal_library_directory(s, 0), out), "acausal_library_directory");
    check(acausal_libraries(s, "Circuit", see_library, &is_there) == ACAUSAL_DONE && is_there,
          "acausal_libraries");
    printf("your own libraries: %s\n", acausal_library_folder(s) ? acausal_library_folder(s) : "nowhere");
    /* before there are other threads: each model is checked in a process of its own */
    check(acausal_test(s, &test, see_tested, &good, &report) == ACAUSAL_DONE && report.checked == good,
          "acausal_test");
    acausal_session_free(s);
}

static void classes(void)
{
    AcausalSession *s = acausal_session_new();
    const char *circuit = in(models, "Circuit.mo");
    const char *two = "model Two\n  Real x = 1; // one\nend Two;\n";
    AcausalDrawing drawing = { .size = sizeof drawing, .icon = true };
    AcausalEdit rename = { .size = sizeof rename, .kind = ACAUSAL_EDIT_RENAME, .name = "x", .other = "y" };
    size_t described = 0, drawn = 0, documented = 0, edited = 0;
    bool is_there = false;
    check(acausal_describe(s, circuit, "Circuit.RLC", NULL, ACAUSAL_JSON, count, &described) ==
                  ACAUSAL_DONE &&
              described,
          "acausal_describe");
    check(acausal_inner_classes(s, "Circuit", see_inner, &is_there) == ACAUSAL_DONE && is_there,
          "acausal_inner_classes");
    check(acausal_draw(s, circuit, "Circuit.RLC", &drawing, ACAUSAL_SVG, count, &drawn) == ACAUSAL_DONE &&
              drawn,
          "acausal_draw");
    check(acausal_documentation(s, circuit, "Circuit.RLC", false, count, &documented) == ACAUSAL_DONE,
          "acausal_documentation");
    check(!acausal_why_not_connect(s, circuit, "Circuit.RLC", "resistor.p", "capacitor.n"),
          "acausal_why_not_connect");
    check(acausal_edit(s, two, "Two", &rename, count, &edited) == ACAUSAL_DONE && edited == strlen(two),
          "acausal_edit");
    AcausalConvertOptions convert = {
        .size = sizeof convert, .library = "Modelica", .to = "0.0", .look_only = true
    };
    check(acausal_convert(s, "models/Circuit.mo", &convert, NULL) == ACAUSAL_WRONG, "acausal_convert");
    acausal_session_free(s);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void see_start(void *arg, size_t i, const AcausalStartValue *value)
{
    (void)i;
    *(int *)arg += value->value == value->value; /* not NaN: known */
}

/* A model is translated once and run many times. The result is for others to look at. */
static AcausalResult *runs(AcausalSession *s)
{
    AcausalModel *model = acausal_compile(s, in(models, "BouncingBall.mo"), NULL);
    AcausalExperiment experiment = { .size = sizeof experiment };
    AcausalVariable variable = { .size = sizeof variable };
    size_t structure = 0, n = acausal_model_variables(model);
    int known = 0;
    acausal_model_experiment(model, &experiment);
    check(experiment.stop > 0, "acausal_model_experiment");
    for (size_t i = 0; i < n && acausal_model_variable(model, i, &variable); i++)
        if (variable.is_settable) printf("%s [%s] may be set\n", variable.name, variable.unit);
    check(acausal_model_state(model, 0) != NULL && !acausal_model_state(model, 99), "acausal_model_state");
    check(acausal_model_start_values(model, see_start, &known) == ACAUSAL_DONE && known,
          "acausal_model_start_values");
    check(acausal_structure(model, count, &structure) == ACAUSAL_DONE && structure, "acausal_structure");

    const char *set[] = { "e=0.7" };
    AcausalSimulation simulation =
        acausal_simulation(); /* = acausal_simulation_init(&simulation, sizeof simulation) */
    AcausalSimulationReport report = { .size = sizeof report };
    simulation.set = set;
    simulation.set_count = 1;
    simulation.keep = true;
    check(acausal_run(model, &simulation, &report) == ACAUSAL_DONE && report.result, "acausal_run");
    acausal_model_free(model);
    return report.result;
}

/* The same in one call, from values that hold for all models of the session, to a file. */
static void one_run(void)
{
    AcausalSession *s = acausal_session_new();
    AcausalSimulation simulation;
    AcausalSimulationReport report = { .size = sizeof report };
    acausal_simulation_init(&simulation, sizeof simulation);
    simulation.output = in(out, "ball.csv");
    simulation.variables = "h|v";
    check(acausal_set(s, "e=0.9") == ACAUSAL_DONE, "acausal_set");
    check(acausal_simulate(s, in(models, "BouncingBall.mo"), NULL, &simulation, &report) == ACAUSAL_DONE,
          "acausal_simulate");
    printf("%s", report.stats);
    acausal_session_free(s);
}

/* ---- results --------------------------------------------------------------------------------- */

static void see_signal(void *arg, const AcausalSignalReport *report)
{
    *(int *)arg += !strcmp(report->verdict, "different");
}

static void results(AcausalSession *s, AcausalResult *result)
{
    AcausalResult *file = acausal_result_read(s, in(out, "ball.csv"));
    AcausalSignal signal = { .size = sizeof signal };
    size_t rows = acausal_result_rows(result), n = acausal_result_count(result), drawn = 0, page = 0;
    double *h = malloc(rows * sizeof *h);
    check(h && acausal_result_values(result, "h", h) && h[0] == 1, "acausal_result_values");
    free(h);
    size_t stride = 0;
    double sign = 0.0;
    const double *view = acausal_result_view(result, "h", &stride, &sign);
    check(view && sign * view[0] == 1, "acausal_result_view");
    check(n && acausal_result_signal(result, 0, &signal) && !acausal_result_signal(result, n, &signal),
          "acausal_result_signal");
    check(!acausal_result_is_cut(file), "acausal_result_is_cut");
    check(acausal_result_write(s, result, in(out, "ball.mat")) == ACAUSAL_DONE, "acausal_result_write");

    const char *names[] = { "h", "v" };
    AcausalPlot plot = { .size = sizeof plot, .names = names, .count = 2 };
    check(acausal_plot(s, result, &plot, ACAUSAL_SVG, count, &drawn) == ACAUSAL_DONE && drawn,
          "acausal_plot");
    AcausalReport report = { .size = sizeof report, .result = result, .title = "A ball" };
    check(acausal_report(s, &report, count, &page) == ACAUSAL_DONE && page, "acausal_report");

    AcausalCompareOptions tube = acausal_compare_options(); /* = acausal_compare_init(&tube, sizeof tube) */
    AcausalCompareReport compared = { .size = sizeof compared };
    int different = 0;
    acausal_compare_init(&tube, sizeof tube);
    tube.value = 1e-2;
    /* balls that bounce differently: ACAUSAL_WRONG, and the report says where */
    check(acausal_compare(s, result, file, &tube, see_signal, &different, &compared) == ACAUSAL_WRONG &&
              different && !compared.same,
          "acausal_compare");
    acausal_result_free(file);
}

static void verify(AcausalSession *s)
{
    AcausalModel *model = acausal_compile(s, in(models, "VanDerPol.mo"), NULL);
    AcausalVerify options = { .size = sizeof options };
    AcausalVerifyReport report = { .size = sizeof report };
    check(acausal_verify(model, &options, NULL, NULL, &report) != ACAUSAL_USAGE, "acausal_verify");
    printf("%s: %s\n", report.verdict, report.message);
    acausal_result_free(report.result);
    acausal_result_free(report.other);
    acausal_model_free(model);
}

/* ---- derivatives, fits, sweeps --------------------------------------------------------------- */

static void see_row(void *arg, const AcausalSweepRow *row) { *(size_t *)arg += row->message[0] == 0; }

static void study(AcausalSession *s)
{
    const char *ball = in(models, "BouncingBall.mo"), *e[] = { "e" }, *h[] = { "h" };
    AcausalSensitivity what = { .size = sizeof what, .wrt = e, .wrt_count = 1, .of = h, .of_count = 1 };
    AcausalSensitivityReport derivatives = { .size = sizeof derivatives };
    check(acausal_differentiate(s, ball, NULL, &what, &derivatives) == ACAUSAL_DONE && derivatives.count == 1,
          "acausal_differentiate");
    printf("d(h)/d(e) = %g\n", derivatives.derivatives[0]->derivative);

    const char *data[] = { in(out, "ball.csv") }, *parameters[] = { "e=0.85[0.5,1]" };
    AcausalSimulation simulation = acausal_simulation();
    AcausalFit fit = { .size = sizeof fit,
                       .run = &simulation,
                       .data = data,
                       .data_count = 1,
                       .parameters = parameters,
                       .parameter_count = 1 };
    AcausalFitReport fitted = { .size = sizeof fitted };
    AcausalStatus status = acausal_fit(s, ball, NULL, &fit, &fitted);
    check(status != ACAUSAL_USAGE && fitted.count == 1, "acausal_fit");
    printf("e = %g\n", fitted.count ? fitted.parameters[0]->value : 0);
    acausal_result_free(fitted.result);

    const char *vary[] = { "e=0.5:0.9:5" };
    AcausalSweep sweep = {
        .size = sizeof sweep, .run = &simulation, .vary = vary, .vary_count = 1, .of = h, .of_count = 1
    };
    size_t good = 0;
    check(acausal_sweep(s, ball, NULL, &sweep, see_row, &good) == ACAUSAL_DONE && good == 5, "acausal_sweep");
}

static void count_value(void *arg, const char *name_and_value) { *(size_t *)arg += name_and_value[0] != 0; }

static void drop(void *arg, const char *text, size_t n) { (void)text, *(size_t *)arg += n; }

/* A study in two parts, as on two machines, put together. */
static void many_runs(AcausalSession *s)
{
    const char *vary[] = { "e=0.5:0.9:6" }, *of[] = { "max(v)", "when(h < 0.1)" }, *made = NULL;
    const char *parts[2] = { in(out, "part1.db"), in(out, "part2.db") }, *all = in(out, "all.db");
    AcausalStudy plan = { .size = sizeof plan, .vary = vary, .vary_count = 1, .of = of, .of_count = 2 };
    AcausalStudyStatus status = { .size = sizeof status };
    for (size_t k = 0; k < 2; k++) {
        AcausalStudyWork work = { .size = sizeof work, .shard = k + 1, .shards = 2 };
        check(acausal_study_new(s, in(models, "BouncingBall.mo"), NULL, &plan, parts[k]) == ACAUSAL_DONE,
              "acausal_study_new");
        check(acausal_study_run(s, parts[k], &work) == ACAUSAL_DONE, "acausal_study_run");
    }
    check(acausal_study_merge(s, all, parts, 2) == ACAUSAL_DONE, "acausal_study_merge");
    check(acausal_study_status(s, all, &status) == ACAUSAL_DONE && status.done == 6, "acausal_study_status");
    check(acausal_study_export(s, all, in(out, "all.csv")) == ACAUSAL_DONE, "acausal_study_export");
    check(acausal_study_from_file(s, in(out, "none.toml"), NULL, &made) == ACAUSAL_WRONG,
          "acausal_study_from_file");
    size_t values = 0, written = 0;
    check(acausal_read_values(s, in(out, "none.toml"), count_value, &values) == ACAUSAL_WRONG && !values,
          "acausal_read_values");
    AcausalStudyAnalysis analysis = { .size = sizeof analysis, .confidence = 0.9 };
    check(acausal_study_analyze(s, all, &analysis, ACAUSAL_JSON, drop, &written) == ACAUSAL_DONE && written,
          "acausal_study_analyze");
    check(acausal_result_info(s, all, ACAUSAL_JSON, drop, &written) == ACAUSAL_DONE && written,
          "acausal_result_info");
    acausal_clear_diagnostics(s);
}

/* One interval of a run as a map, for optimal control. */
static void map(AcausalSession *s)
{
    AcausalModel *model = acausal_compile(s, in(models, "VanDerPol.mo"), NULL);
    const char *set[] = { "mu=1" };
    AcausalInterval interval = { .size = sizeof interval, .steps = 10, .set = set, .set_count = 1 };
    AcausalMap *m = model ? acausal_map_new(model, &interval) : NULL;
    size_t n = m ? acausal_map_states(m) : 0;
    double end[8], derivatives[64], gradient[8], weights[8] = { 1 };
    check(m && n <= 8 && acausal_map_state(m, 0), "acausal_map_new");
    if (m && n <= 8) {
        check(acausal_map_forward(m, 0, 0.01, acausal_map_start(m), NULL, NULL, end, derivatives) ==
                  ACAUSAL_DONE,
              "acausal_map_forward");
        check(acausal_map_back(m, weights, gradient) == ACAUSAL_DONE, "acausal_map_back");
        for (size_t i = 0; i < n; i++) /* the first row of the Jacobian, both ways */
            check(gradient[i] - derivatives[i * n] < 1e-9 && derivatives[i * n] - gradient[i] < 1e-9,
                  "a gradient");
    }
    acausal_map_free(m);
    acausal_model_free(model);
}

/* ---- FMUs, Jacobians, real time -------------------------------------------------------------- */

static void fmus(AcausalSession *s)
{
    const char *path = in(out, "Ball.fmu");
    AcausalExport options = acausal_export_options(); /* = acausal_export_init(&options, sizeof options) */
    AcausalExportReport report = { .size = sizeof report };
    size_t info = 0;
    acausal_export_init(&options, sizeof options);
    options.fmi = 3;
    check(acausal_export(s, in(models, "BouncingBall.mo"), NULL, path, &options, &report) == ACAUSAL_DONE,
          "acausal_export");
    check(acausal_fmu_info(s, path, ACAUSAL_JSON, count, &info) == ACAUSAL_DONE && info, "acausal_fmu_info");
    check(acausal_fmu_validate(s, path) == ACAUSAL_DONE, "acausal_fmu_validate");
}

static void steps(AcausalSession *s)
{
    const char *oscillator = in(models, "VanDerPol.mo");
    AcausalSimulation simulation = acausal_simulation();
    AcausalJacobian jacobian = { .size = sizeof jacobian, .simulation = &simulation, .solvers = &oscillator };
    AcausalRealtime realtime =
        acausal_realtime_options(); /* = acausal_realtime_init(&realtime, sizeof realtime) */
    size_t text = 0;
    long records = 0;
    simulation.points = 3;
    check(acausal_jacobian(s, oscillator, NULL, &jacobian, ACAUSAL_TEXT, count, &text) == ACAUSAL_DONE &&
              text,
          "acausal_jacobian");
    acausal_realtime_init(&realtime, sizeof realtime);
    realtime.step = 1e-3;
    realtime.stop = 0.1;
    realtime.tries = 0;
    text = 0;
    check(acausal_realtime(s, oscillator, NULL, &realtime, ACAUSAL_JSON, count, &text) != ACAUSAL_USAGE &&
              text,
          "acausal_realtime");
    check(acausal_realtime_peer(s, "udp:127.0.0.1:9", 0.01, &records) == ACAUSAL_DONE && records == 0,
          "acausal_realtime_peer");
}

/* ---- equations of the program itself --------------------------------------------------------- */

/* y' = -y */
static int decay(void *arg, double t, const double *y, double *f)
{
    (void)arg, (void)t;
    f[0] = -y[0];
    return 0;
}

static void integrate(AcausalSession *s)
{
    const double y0[] = { 1 };
    AcausalProblem problem = {
        .size = sizeof problem, .n = 1, .t_end = 1, .y0 = y0, .f = decay, .rtol = 1e-8
    };
    AcausalAdvance advance = { .size = sizeof advance, .until = 1 };
    AcausalPath path = { .size = sizeof path };
    AcausalWork work = { .size = sizeof work };
    AcausalIntegrator *integrator = acausal_integrator_new(s, &problem);
    double y = 0;
    check(integrator && acausal_integrator_run(integrator, &advance, &path) == ACAUSAL_DONE,
          "acausal_integrator_run");
    check(path.y && fabs(path.y[0] - exp(-1)) < 1e-6, "the value of exp(-1)");
    if (path.rows) acausal_integrator_interpolate(integrator, path.times[path.rows - 1], &y);
    check(y > 0, "acausal_integrator_interpolate");
    check(acausal_integrator_restart(integrator, 1, y0, NULL, true) == ACAUSAL_DONE,
          "acausal_integrator_restart");
    acausal_integrator_work(integrator, &work);
    acausal_integrator_free(integrator);
}

/* The commands of a person: there are none, which ends the run. */
static size_t command(void *arg, char *to, size_t n)
{
    (void)arg, (void)to, (void)n;
    return 0;
}

/* Why initial values are what they are, or cannot be found. */
static void start(AcausalSession *s)
{
    AcausalModel *model = acausal_compile(s, in(models, "Pendulum.mo"), NULL);
    AcausalExplainStart options = { .size = sizeof options };
    size_t said = 0;
    check(acausal_explain_start(model, &options, ACAUSAL_TEXT, count, &said) == ACAUSAL_DONE && said,
          "acausal_explain_start");
    AcausalProfile profile = { .size = sizeof profile };
    said = 0;
    check(acausal_profile(model, &profile, ACAUSAL_JSON, count, &said) == ACAUSAL_DONE && said,
          "acausal_profile");
    AcausalDebug debug = { .size = sizeof debug, .read = command };
    said = 0;
    check(acausal_debug(model, &debug, count, &said) == ACAUSAL_DONE && said, "acausal_debug");
    acausal_model_free(model);
}

/* ---- linear systems -------------------------------------------------------------------------- */

static void linear_system(AcausalSession *s)
{
    AcausalModel *model = acausal_compile(s, in(models, "VanDerPol.mo"), NULL);
    static const char *const outputs[] = { "y1" };
    AcausalLinearize what = { .size = sizeof what, .time = 0.5, .outputs = outputs, .output_count = 1 };
    AcausalLinear linear = { .size = sizeof linear };
    check(acausal_linearize(model, &what, &linear) == ACAUSAL_DONE && linear.states == 2,
          "acausal_linearize");
    /* its derivative at the end in mu, as often as wanted: translated once */
    static const char *const wrt[] = { "mu" };
    AcausalSensitivity gradient = {
        .size = sizeof gradient, .wrt = wrt, .wrt_count = 1, .of = outputs, .of_count = 1
    };
    AcausalSensitivityReport report = { .size = sizeof report };
    check(acausal_gradient(model, &gradient, &report) == ACAUSAL_DONE && report.count == 1,
          "acausal_gradient");
    acausal_result_free(report.run->result);
    acausal_model_free(model);
}

/* A run in parts, and back to a state that was kept. */
static void parts(AcausalSession *s)
{
    AcausalModel *model = acausal_compile(s, in(models, "BouncingBall.mo"), NULL);
    AcausalStepper *stepper = acausal_stepper_new(model, NULL);
    double t = 0.0, value = 0.0, again = 0.0;
    size_t h = 0;
    AcausalVariable variable = { .size = sizeof variable };
    for (size_t i = 0; acausal_model_variable(model, i, &variable); i++)
        if (!strcmp(variable.name, "h")) h = i;
    check(stepper && acausal_stepper_keep(stepper) == ACAUSAL_DONE, "acausal_stepper_keep");
    check(acausal_stepper_advance(stepper, 0.2, &t) == ACAUSAL_DONE && t == 0.2, "acausal_stepper_advance");
    check(acausal_stepper_get(stepper, &h, 1, &value) == ACAUSAL_DONE, "acausal_stepper_get");
    check(acausal_stepper_back(stepper) == ACAUSAL_DONE, "acausal_stepper_back");
    check(acausal_stepper_advance(stepper, 0.2, &t) == ACAUSAL_DONE, "acausal_stepper_advance");
    check(acausal_stepper_get(stepper, &h, 1, &again) == ACAUSAL_DONE && again == value, "the same again");
    check(acausal_stepper_set(stepper, &h, 1, &value) == ACAUSAL_WRONG, "acausal_stepper_set: h is no input");
    acausal_clear_diagnostics(s);
    acausal_stepper_free(stepper);
    acausal_model_free(model);
}

/* ---- isolation, the studio, integrators ------------------------------------------------------ */

static AcausalStatus work(void *arg, const AcausalPulse *pulse)
{
    (void)arg;
    acausal_pulse(pulse, 0.5); /* alive, and come to time 0.5 */
    return ACAUSAL_DONE;
}

static void isolation(AcausalSession *s)
{
    AcausalIsolation limits = { .size = sizeof limits, .cpu_seconds = 10 };
    AcausalIsolationReport report = { .size = sizeof report };
    check(acausal_is_model_text("M.mo") && !acausal_is_model_text("M.fmu"), "acausal_is_model_text");
    AcausalStatus status = acausal_isolate(s, &limits, work, NULL, &report);
    check(status == ACAUSAL_DONE || report.why[0], "acausal_isolate");
    if (report.missing[0]) printf("without %s\n", report.missing);
}

static volatile sig_atomic_t interrupt;

static void ready(void *arg, const char *address)
{
    (void)arg;
    printf("the studio is at %.24s...\n", address);
    interrupt = 1; /* that is enough */
}

static void studio(AcausalSession *s)
{
    AcausalServe serve = {
        .size = sizeof serve, .directory = models, .read_only = true, .interrupt = &interrupt, .ready = ready
    };
    check(acausal_serve(s, &serve) == ACAUSAL_DONE && interrupt, "acausal_serve");
}

static void integrators(void)
{
    AcausalSolverInfo info = { .size = sizeof info };
    for (size_t i = 0; i < acausal_solver_count(); i++)
        if (acausal_solver_info(i, &info)) printf("%s: %s\n", info.name, info.properties);
    AcausalSession *s = acausal_session_new();
    AcausalStability what = { .size = sizeof what, .solver = "radau5" };
    size_t bytes = 0;
    check(acausal_draw_stability(s, &what, ACAUSAL_SVG, count, &bytes) == ACAUSAL_DONE && bytes, "stability");
    acausal_session_free(s);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s MODELS OUT\n", argv[0]);
        return ACAUSAL_USAGE;
    }
    models = argv[1], out = argv[2];
    AcausalSession *s = acausal_session_new();
    if (!s) return ACAUSAL_BUG;
    isolation(s); /* first: while there are no other threads */
    sessions();
    trust();
    look();
    libraries();
    classes();
    AcausalResult *result = runs(s);
    one_run();
    if (result) results(s, result);
    acausal_result_free(result);
    verify(s);
    study(s);
    many_runs(s);
    map(s);
    fmus(s);
    steps(s);
    integrate(s);
    start(s);
    linear_system(s);
    parts(s);
    studio(s);
    integrators();
    if (failed) acausal_write_diagnostics(s, ACAUSAL_TEXT, print, stderr);
    acausal_session_free(s);
    printf("%d calls failed\n", failed);
    return failed ? ACAUSAL_FAILED : ACAUSAL_DONE;
}
