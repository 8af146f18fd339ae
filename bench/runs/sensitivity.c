/* bench_sensitivity.c: `acausal bench sensitivity` as a function: all methods on all models,
 * accuracy against cost.
 *
 * In: a model or all. Out: rows as text; remarks with what forward and adjoint differ by, and
 * ratios to CVODES. The reference is the forward method a thousand times tighter, or a closed form.
 * CPU time is the least of several runs; a plain run is the unit of runs_equivalent. Tests:
 * tests/cli/bench.sh. */
#include "api/inside.h"
#include "bench/runs/runs.h"

#include "bench/sensitivity/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 6, CELL_ROOM = 48, MOST_PARAMETERS = 128, REPEATS = 3 };
static const double LONG_RUN = 0.3, REFERENCE_SHARE = 1e-3, LEAST_TOLERANCE = 1e-12, SMALL = 1e-3,
                    MOST_SHARE = 50,
                    /* of a plain run: what takes longer is slow; of the time of explicit methods */
    STIFF = 0.8;
enum { FORWARD, ADJOINT, AD, AD_ADJOINT, IND };
static const char *const methods[] = { "forward", "adjoint", "ad", "ad-adjoint", "ind", "end" };

typedef struct {
    BenchRow row;
    void (*remark)(void *user, const char *line);
    void *user;
    double logs;
    int compared;
    double costliest, apart, back,
        /* the largest of all models: a parameter of a stiff one; forward and adjoint; on steps */
        ind;
} Table;

typedef struct {
    const SensitivityProblem *problem;
    AcausalSession *session;
    AcausalModel *m;
    AcausalSimulation run;
    AcausalSensitivity what;
    const char *wrt[MOST_PARAMETERS], *option[1];
    char names[MOST_PARAMETERS][24], option_text[32];
    double size[MOST_PARAMETERS]; /* of parameters */
    double reference[MOST_PARAMETERS], by[COUNT_OF(methods)][MOST_PARAMETERS];
    double seconds[COUNT_OF(methods)], plain;
    bool ok[COUNT_OF(methods)];
} Bench;

const char *bench_sensitivity_model(size_t i)
{
    return i < sensitivity_problem_count ? sensitivity_problems[i].name : NULL;
}

/* Names; "k[1:100]" is a hundred of them. */
static void list_names(Bench *b)
{
    size_t n = 0;
    for (const char *at = b->problem->wrt; *at && n < MOST_PARAMETERS;) {
        size_t length = strcspn(at, ",");
        const char *colon = memchr(at, ':', length), *bracket = memchr(at, '[', length);
        int first = colon ? atoi(bracket + 1) : 1, last = colon ? atoi(colon + 1) : 1;
        for (int k = first; k <= last && n < MOST_PARAMETERS; k++, n++) {
            if (colon)
                snprintf(b->names[n], sizeof b->names[n], "%.*s[%d]", (int)(bracket - at), at, k);
            else
                snprintf(b->names[n], sizeof b->names[n], "%.*s", (int)length, at);
            b->wrt[n] = b->names[n];
        }
        at += length + (at[length] == ',');
    }
    b->what.wrt = b->wrt;
    b->what.wrt_count = n;
}

static bool open_problem(Bench *b, const SensitivityProblem *p)
{
    *b = (Bench){ .problem = p, .session = acausal_session_new(), .run = acausal_simulation() };
    b->what.run = &b->run;
    Class *cls = b->session
                     ? libraries_open_text(b->session->libraries, p->name, str_of(p->text), &b->session->diag)
                     : NULL;
    b->m = cls ? model_of_class(b->session, cls) : NULL;
    if (!b->m) return false;
    list_names(b);
    b->what.of = &p->of;
    b->what.of_count = 1;
    b->run.start = 0.0;
    b->run.stop = p->stop;
    b->run.tolerance = p->tol;
    b->run.points = 1; /* as the plain run */
    if (p->max_step > 0.0) {
        snprintf(b->option_text, sizeof b->option_text, "max-step=%g", p->max_step);
        b->option[0] = b->option_text;
        b->run.solver_options = b->option;
        b->run.solver_option_count = 1;
    }
    return true;
}

static bool differentiate(Bench *b, const char *method, const char *backend, double tol, double *out,
                          double *seconds)
{
    AcausalSensitivityReport report = { .size = sizeof report };
    b->what.method = method;
    b->what.backend = backend;
    b->run.tolerance = tol;
    *seconds = INFINITY;
    for (int k = 0; k < REPEATS; k++) {
        report = (AcausalSensitivityReport){ 0 };
        AcausalSimulationReport run = { .message = "" };
        arena_rewind(b->m->texts, b->m->empty);
        if (differentiate_model(b->m, &b->what, &report, &run) != ACAUSAL_DONE) return false;
        *seconds = fmin(*seconds, report.cpu_seconds);
        if (report.cpu_seconds > LONG_RUN) break;
    }
    for (size_t j = 0; j < report.count; j++) {
        double size = fabs(report.derivatives[j]->parameter);
        out[j] = report.derivatives[j]->derivative;
        b->size[j] = size > 0.0 ? size : 1.0;
    }
    return true;
}

static void ignore_row(void *arg, double t, const double *values) { (void)arg, (void)t, (void)values; }

/* Seconds of a run without derivatives, by auto (NULL) or a method; INFINITY: it takes longer than
 * `most`, or cannot. */
static double plain_seconds(Bench *b, const char *solver, double most)
{
    double least = INFINITY;
    for (int k = 0; k < REPEATS; k++) {
        Vary vary;
        SimReport sim;
        arena_rewind(b->m->texts, b->m->empty);
        b->run.tolerance = b->problem->tol;
        if (!vary_open(&vary, b->m, &b->run, true)) return NAN;
        double start = clock_cpu();
        if (!vary_take(&vary, NULL)) return NAN;
        RowSink sink = row_sink(ignore_row, NULL);
        vary.options.sink = &sink.sink;
        vary.options.points = 1;
        if (solver) vary.options.solver = solver_find(solver);
        if (isfinite(most)) vary.options.time_limit = most;
        if (!sim_run(b->m->model, &vary.options, &sim)) return INFINITY;
        least = fmin(least, clock_cpu() - start);
    }
    return least;
}

/* A model is stiff where an implicit method does the plain run in clearly less time than an
 * explicit one: the best of each. */
static double stiffness_of(Bench *b)
{
    static const char *const implicit[] = { "radau5", "radau", "bdf" }, *const explicit[] = { "dopri5",
                                                                                              "dop853" };
    double most = fmax(LONG_RUN, MOST_SHARE * b->plain), slow = INFINITY, fast = INFINITY;
    for (size_t k = 0; k < COUNT_OF(implicit); k++) slow = fmin(slow, plain_seconds(b, implicit[k], most));
    for (size_t k = 0; k < COUNT_OF(explicit); k++) fast = fmin(fast, plain_seconds(b, explicit[k], most));
    return slow / fast;
}

/* The largest error, over the size of the derivative and a little of the largest one; parameters
 * count by their size. */
static double error_of(const Bench *b, const double *got, const double *want)
{
    double largest = 0.0, error = 0.0;
    for (size_t j = 0; j < b->what.wrt_count; j++) largest = fmax(largest, fabs(want[j] * b->size[j]));
    for (size_t j = 0; j < b->what.wrt_count; j++)
        error =
            fmax(error, fabs(got[j] - want[j]) * b->size[j] / (fabs(want[j]) * b->size[j] + SMALL * largest));
    return error;
}

static void add_row(Table *t, const Bench *b, const char *method, bool ok, double seconds, double error)
{
    char text[CELLS][CELL_ROOM];
    const char *cells[CELLS];
    for (int i = 0; i < CELLS; i++) cells[i] = text[i];
    snprintf(text[0], CELL_ROOM, "%s", b->problem->name);
    snprintf(text[1], CELL_ROOM, "%s", method);
    snprintf(text[2], CELL_ROOM, "%zu", b->what.wrt_count);
    snprintf(text[3], CELL_ROOM, "%.3g", seconds / b->plain);
    snprintf(text[4], CELL_ROOM, "%.4g", 1e3 * seconds);
    if (ok)
        snprintf(text[5], CELL_ROOM, "%.3g", error);
    else
        snprintf(text[5], CELL_ROOM, "FAIL");
    t->row(t->user, cells, CELLS);
}

static void compare_with_cvodes(Table *t, Bench *b)
{
    double out[MOST_PARAMETERS] = { 0 }, seconds = INFINITY;
    char line[160];
    for (int k = 1; k >= 0; k--) { /* forward last: its time is compared */
        bool ok = differentiate(b, methods[k], "sundials", b->problem->tol, out, &seconds);
        add_row(t, b, k ? "cvodes-adjoint" : "cvodes", ok, seconds, error_of(b, out, b->reference));
        if (!ok) return;
    }
    double ratio = b->seconds[FORWARD] / seconds;
    t->logs += log(ratio);
    t->compared++;
    snprintf(line, sizeof line, "  %s: forward takes %.2f of CVODES' time", b->problem->name, ratio);
    t->remark(t->user, line);
}

static AcausalStatus run_problem(Table *t, const SensitivityProblem *p)
{
    Bench *b = calloc(1, sizeof *b);
    double seconds;
    char line[240];
    bool ok = b && open_problem(b, p) &&
              differentiate(b, "forward", NULL, fmax(LEAST_TOLERANCE, REFERENCE_SHARE * p->tol), b->reference,
                            &seconds);
    if (ok && p->form) p->form(b->reference);
    if (ok) b->plain = plain_seconds(b, NULL, INFINITY);
    for (size_t k = 0; k < COUNT_OF(methods) && ok; k++) {
        b->ok[k] = differentiate(b, methods[k], NULL, p->tol, b->by[k], &b->seconds[k]);
        add_row(t, b, methods[k], b->ok[k], b->seconds[k], error_of(b, b->by[k], b->reference));
    }
    if (ok && b->ok[FORWARD] && b->ok[ADJOINT]) {
        double stiffness = stiffness_of(b),
               cost = (b->seconds[FORWARD] / b->plain - 1.0) / (double)b->what.wrt_count;
        snprintf(line, sizeof line,
                 "  %s: forward and adjoint differ by %.2g; forward costs %.2f plain runs a parameter; "
                 "implicit methods take %.2g of the "
                 "time of explicit ones: %s",
                 p->name, error_of(b, b->by[ADJOINT], b->by[FORWARD]), cost, stiffness,
                 stiffness < STIFF ? "stiff" : "not stiff");
        t->remark(t->user, line);
        if (!p->is_smooth) t->apart = fmax(t->apart, error_of(b, b->by[ADJOINT], b->by[FORWARD]));
        if (stiffness < STIFF) t->costliest = fmax(t->costliest, cost);
    }
    if (ok && b->ok[AD] && b->ok[AD_ADJOINT] && b->ok[IND]) {
        snprintf(line, sizeof line, "  %s: from ad, ad-adjoint differs by %.2g, ind by %.2g", p->name,
                 error_of(b, b->by[AD_ADJOINT], b->by[AD]), error_of(b, b->by[IND], b->by[AD]));
        t->remark(t->user, line);
        t->back = fmax(t->back, error_of(b, b->by[AD_ADJOINT], b->by[AD]));
        t->ind = fmax(t->ind, error_of(b, b->by[IND], b->by[AD]));
    }
    if (ok && p->is_smooth) compare_with_cvodes(t, b);
    if (b) {
        acausal_model_free(b->m);
        acausal_session_free(b->session);
    }
    free(b);
    return ok ? ACAUSAL_DONE : ACAUSAL_FAILED;
}

AcausalStatus run_sensitivity_bench(const char *only, BenchRow row,
                                    void (*remark)(void *user, const char *line), void *user)
{
    Table t = { .row = row, .remark = remark, .user = user };
    AcausalStatus status = ACAUSAL_USAGE;
    char line[240];
    for (size_t i = 0; i < sensitivity_problem_count; i++) {
        if (only && strcmp(only, sensitivity_problems[i].name) != 0) continue;
        AcausalStatus one = run_problem(&t, &sensitivity_problems[i]);
        if (status == ACAUSAL_USAGE || one != ACAUSAL_DONE) status = one;
    }
    if (t.compared > 1) {
        snprintf(line, sizeof line,
                 "  all models: forward costs at most %.2f plain runs a parameter of stiff ones; forward and "
                 "adjoint differ by at "
                 "most %.2g where there are events",
                 t.costliest, t.apart);
        remark(user, line);
        snprintf(line, sizeof line, "  all models: from ad, ad-adjoint differs by at most %.2g, ind by %.2g",
                 t.back, t.ind);
        remark(user, line);
        snprintf(line, sizeof line, "  geometric mean: forward takes %.2f of CVODES' time",
                 exp(t.logs / t.compared));
        remark(user, line);
    }
    return status;
}
