/* sensitivity.c: derivatives of runs, from names to numbers.
 *
 * In: a model, what to differentiate, in what, how. Out: a derivative for each pair; with "forward" and "ad" columns of the
 * result, too. How: a table of methods over the rooms sens and sim; an objective becomes a variable of a model made for
 * it. Always: every run begins with an instance of its own; names that are wrong come back with the nearest one.
 * Cost: that of the method, docs/methods.md. Tests: tests/sens/derivatives_test.c, tests/cli/sensitivity.sh. */
#include "api/inside.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    AcausalModel *m;
    const AcausalSensitivity *what;
    AcausalSensitivityReport *report;
    Vary vary;
    int *of, of_count;
    double *values; /* of the model at the end */
    long events;    /* of the last run */
    double *d;      /* of_count x wrt_count */
} Work;

AcausalSensitivity acausal_sensitivity(void) { return (AcausalSensitivity){ .run = acausal_simulation() }; }

/* ---- runs ---- */

/* The values at the end of a run of the present instance. */
static bool run_to_end(Work *w, SimOptions *o, double *values)
{
    LastRow last = { values, (size_t)w->m->model->shape.value_count };
    RowSink sink = row_sink(keep_row, &last);
    SimReport sim;
    o->sink = &sink.sink;
    o->points = 1;
    o->interval = 0.0;
    bool ok = sim_run(w->m->model, o, &sim);
    w->events = sim.stats.state_events + sim.stats.time_events;
    w->report->run.t = sim.t;
    w->report->run.message = arena_copy(w->m->texts, str_of(sim.message));
    return ok;
}

static double value_of(const Work *w, const double *values, int variable)
{
    const ModelVariable *v = &w->m->model->shape.variables[variable];
    return v->negated ? -values[v->slot] : values[v->slot];
}

/* ---- the methods ---- */

/* The result of a run that carries derivatives, which go to w->d. */
static AcausalStatus run_carrying(Work *w, SimOptions *o)
{
    AcausalModel *m = w->m;
    char why[240];
    Model *inner = m->model;
    Model *forward =
        sens_forward_new(inner, w->vary.wrt, w->vary.count, w->vary.p, w->of, w->of_count, why, sizeof why);
    if (!forward) return wrong(m->session, E_OPTION, "%s", why), ACAUSAL_WRONG;
    double *values = NEW_ARRAY(m->texts, double, (size_t)forward->shape.value_count + 1);
    LastRow last = { values, (size_t)forward->shape.value_count };
    RowSink sink = row_sink(keep_row, &last);
    AcausalSimulation run = w->what->run;
    m->model = forward;
    AcausalStatus status = simulate_model(m, &run, o, &sink.sink, &w->report->run);
    m->model = inner;
    for (int i = 0; i < w->of_count; i++)
        for (int j = 0; j < w->vary.count; j++)
            w->d[i * w->vary.count + j] = values[sens_forward_slot(forward, i, j)];
    memcpy(w->values, values, (size_t)inner->shape.value_count * sizeof *values);
    sens_forward_free(forward);
    return status;
}

static AcausalStatus method_forward(Work *w)
{
    SimOptions o = w->vary.options;
    return vary_take(&w->vary, NULL) ? run_carrying(w, &o) : ACAUSAL_WRONG;
}

/* An instance with another value of one parameter. */
static bool take_moved(Work *w, int j, double value)
{
    double *p = NEW_ARRAY(w->m->texts, double, (size_t)w->vary.count + 1);
    memcpy(p, w->vary.p, (size_t)w->vary.count * sizeof *p);
    p[j] = value;
    return vary_take(&w->vary, p);
}

/* A size for increments: values may be zero. */
static double size_of(const Work *w, int j) { return w->vary.p[j] != 0.0 ? fabs(w->vary.p[j]) : 1.0; }

/* A power of two, so that p + h is exact more often than not; the difference as it is counts. */
static double increment(const Work *w, int j, double relative)
{
    return copysign(exp2(round(log2(relative * size_of(w, j)))), w->vary.p[j] >= 0.0 ? 1.0 : -1.0);
}

/* One-sided differences of whole runs: errors of the runs are about tol, so the increment is sqrt(tol). */
static AcausalStatus method_end(Work *w)
{
    SimOptions o = w->vary.options;
    double *values = NEW_ARRAY(w->m->texts, double, (size_t)w->m->model->shape.value_count + 1);
    if (!vary_take(&w->vary, NULL)) return ACAUSAL_WRONG;
    if (!run_to_end(w, &o, w->values)) return ACAUSAL_FAILED;
    for (int j = 0; j < w->vary.count; j++) {
        double moved = w->vary.p[j] + increment(w, j, sqrt(w->vary.options.tol));
        if (!take_moved(w, j, moved)) return ACAUSAL_WRONG;
        if (!run_to_end(w, &o, values)) return ACAUSAL_FAILED;
        for (int i = 0; i < w->of_count; i++)
            w->d[i * w->vary.count + j] =
                (value_of(w, values, w->of[i]) - value_of(w, w->values, w->of[i])) / (moved - w->vary.p[j]);
    }
    return ACAUSAL_DONE;
}

/* ---- on the steps of one run ---- */

/* A one-step method that has steps of given ends: the one asked for, or one that suits what auto chose. */
static const SolverType *frozen_solver(Work *w, const StepLog *log)
{
    const SolverType *asked = w->vary.options.solver;
    bool is_stiff = false;
    if (asked && (asked->can & SOLVE_FIXED) && !(asked->can & (SOLVE_MULTISTEP | SOLVE_EXACT_JACOBIAN)))
        return asked;
    if (asked && strcmp(asked->name, "auto") != 0) {
        wrong(w->m->session, E_OPTION, "'%s' is no one-step method, or takes no given steps", asked->name);
        return NULL;
    }
    for (uint32_t i = 0; i < log->steps.n; i++)
        is_stiff |= (log->steps.at[i].flags & (RECORD_STIFF | RECORD_FACTORS)) != 0;
    return solver_find(is_stiff ? "radau5" : "dop853");
}

/* A run of the method that will be differentiated, with error control: its steps are the grid. */
static AcausalStatus freeze(Work *w, StepLog *log, SimOptions *frozen)
{
    for (int round = 0; round < 2; round++) {
        SimOptions o = w->vary.options;
        log->steps.n = 0;
        o.solver_options.record = log;
        if (round) o.solver = frozen->solver;
        if (!vary_take(&w->vary, NULL)) return ACAUSAL_WRONG;
        if (!run_to_end(w, &o, w->values)) return ACAUSAL_FAILED;
        const SolverType *type = frozen_solver(w, log);
        if (!type) return ACAUSAL_WRONG;
        *frozen = w->vary.options;
        frozen->solver = type;
        if (round || type == w->vary.options.solver) break;
    }
    frozen->solver_options.fixed_step = 1.0;
    frozen->solver_options.grid = log;
    return ACAUSAL_DONE;
}

/* Differences of runs with p_j moved by h and 2 h to both sides: of fourth order from two of second order, whose difference tells how
 * much bends there; its square is about what is left. */
static AcausalStatus differences_of(Work *w, SimOptions *frozen, int j, double h, double *bend)
{
    static const double at[] = { 1, -1, 2, -2 };
    size_t n = (size_t)w->of_count;
    double *values = NEW_ARRAY(w->m->texts, double, (size_t)w->m->model->shape.value_count + 1),
           *near = NEW_ARRAY(w->m->texts, double, n + 1), *far = NEW_ARRAY(w->m->texts, double, n + 1);
    for (int k = 0; k < 4; k++) {
        SimOptions o = *frozen;
        if (!take_moved(w, j, w->vary.p[j] + at[k] * h)) return ACAUSAL_WRONG;
        if (!run_to_end(w, &o, values)) return ACAUSAL_FAILED;
        for (size_t i = 0; i < n; i++)
            (k < 2 ? near : far)[i] += value_of(w, values, w->of[i]) / (2.0 * at[k] * h);
    }
    *bend = 0.0;
    for (size_t i = 0; i < n; i++) {
        w->d[i * (size_t)w->vary.count + (size_t)j] = (4.0 * near[i] - far[i]) / 3.0;
        if (near[i] != 0.0) *bend = fmax(*bend, fabs((near[i] - far[i]) / near[i]) / 3.0);
    }
    return ACAUSAL_DONE;
}

/* The map is smooth to rounding, so increments may be wide: rounding errors of the run, over the increment, are what is left. They
 * shrink while too much bends, or the steps do not serve a run that is moved so far; events are moved little from the beginning. */
static AcausalStatus ind_on(Work *w, SimOptions *frozen)
{
    static const double widest = 2e-4, with_events = 1e-6, straight = 3e-5;
    AcausalStatus status = ACAUSAL_DONE;
    long events = w->events;
    for (int j = 0; j < w->vary.count && status == ACAUSAL_DONE; j++) {
        double width = events ? with_events : widest, bend = 1.0;
        for (; bend > straight && status != ACAUSAL_WRONG && width >= 0.5 * with_events; width *= 0.25) {
            status = differences_of(w, frozen, j, increment(w, j, width), &bend);
            if (status == ACAUSAL_FAILED) bend = 1.0;
        }
    }
    return status;
}

/* The equations of the derivatives, solved by the same method on the same grid without error tests, are the
 * derivative of its steps: differentiating and discretising commute for Runge-Kutta methods. */
static AcausalStatus ad_on(Work *w, SimOptions *frozen)
{
    return vary_take(&w->vary, NULL) ? run_carrying(w, frozen) : ACAUSAL_WRONG;
}

static AcausalStatus on_grid(Work *w, AcausalStatus (*method)(Work *w, SimOptions *frozen))
{
    StepLog log = { .arena = arena_new() };
    SimOptions frozen;
    if (!log.arena) return ACAUSAL_BUG;
    AcausalStatus status = freeze(w, &log, &frozen);
    if (status == ACAUSAL_DONE) status = method(w, &frozen);
    arena_free(log.arena);
    return status;
}

static AcausalStatus method_ind(Work *w) { return on_grid(w, ind_on); }
static AcausalStatus method_ad(Work *w) { return on_grid(w, ad_on); }

static AcausalStatus run_back(Work *w, SimOptions *options, bool of_steps)
{
    AcausalModel *m = w->m;
    SimOptions o = *options;
    SimReport sim;
    SensAdjointStats stats;
    double value;
    AcausalStatus status = ACAUSAL_DONE;
    for (int i = 0; i < w->of_count && status == ACAUSAL_DONE; i++) {
        SensAdjoint job = { .of = w->of[i],
                            .wrt = w->vary.wrt,
                            .count = w->vary.count,
                            .of_steps = of_steps,
                            .memory = (size_t)(w->what->memory * 1048576.0) };
        if (!vary_take(&w->vary, NULL)) return ACAUSAL_WRONG;
        sens_adjoint(m->model, &o, &job, &value, w->d + (ptrdiff_t)i * w->vary.count, &sim, &stats);
        status = simulate_status(sim.end);
        w->report->run.t = sim.t;
        w->report->steps_back += stats.steps_back;
        w->report->checkpoints = stats.checkpoints;
        w->report->recomputed += stats.recomputed;
        if (status == ACAUSAL_DONE && sim.message[0])
            diag_add(&m->session->diag, E_MODEL_WARNING, (Span){ 0 }, "%s", sim.message);
        else
            w->report->run.message = arena_copy(m->texts, str_of(sim.message));
        const ModelVariable *v = &m->model->shape.variables[w->of[i]];
        w->values[v->slot] = v->negated ? -value : value;
    }
    return status;
}

static AcausalStatus method_adjoint(Work *w) { return run_back(w, &w->vary.options, false); }
static AcausalStatus ad_back_on(Work *w, SimOptions *frozen) { return run_back(w, frozen, true); }
static AcausalStatus method_ad_back(Work *w) { return on_grid(w, ad_back_on); }

/* ---- by CVODES or IDAS ---- */

/* Derivatives of values follow from those of unknowns at the end. */
static AcausalStatus foreign_forward(Work *w)
{
    Model *model = w->m->model;
    size_t n = (size_t)model->shape.n, m = (size_t)w->vary.count;
    Arena *arena = w->m->texts;
    double *y = NEW_ARRAY(arena, double, n + 1), *s = NEW_ARRAY(arena, double, n *m + 1),
           *p = NEW_ARRAY(arena, double, m + 1),
           *d = NEW_ARRAY(arena, double, (size_t)model->shape.value_count + 1), t = w->vary.options.t_end;
    char why[240];
    SensForeign job = { model, &w->vary.options, w->vary.wrt, w->vary.count, w->vary.p };
    if (!sens_foreign_forward(&job, y, s, why, sizeof why))
        return wrong(w->m->session, E_OPTION, "%s", why), ACAUSAL_WRONG;
    if (model->type->values(model, t, y, w->values) != EVAL_OK ||
        model->type->linearise(model, MAP_VALUES, t, y) != EVAL_OK)
        return ACAUSAL_FAILED;
    for (size_t j = 0; j < m; j++) {
        ModelChange change = { .y = s + j * n, .count = (int)m, .variables = w->vary.wrt, .p = p };
        p[j] = 1.0;
        if (model->type->jvp(model, 1, &change, &d) != EVAL_OK) return ACAUSAL_FAILED;
        p[j] = 0.0;
        for (int i = 0; i < w->of_count; i++) w->d[(size_t)i * m + j] = value_of(w, d, w->of[i]);
    }
    w->report->run.t = t;
    return ACAUSAL_DONE;
}

static AcausalStatus foreign_adjoint(Work *w)
{
    char why[240];
    double value;
    SensForeign job = { w->m->model, &w->vary.options, w->vary.wrt, w->vary.count, w->vary.p };
    for (int i = 0; i < w->of_count; i++) {
        const ModelVariable *v = &w->m->model->shape.variables[w->of[i]];
        if (i && !vary_take(&w->vary, NULL)) return ACAUSAL_WRONG;
        job.model = w->m->model;
        if (!sens_foreign_adjoint(&job, w->of[i], &value, w->d + (ptrdiff_t)i * w->vary.count, why,
                                  sizeof why))
            return wrong(w->m->session, E_OPTION, "%s", why), ACAUSAL_WRONG;
        w->values[v->slot] = v->negated ? -value : value;
    }
    w->report->run.t = w->vary.options.t_end;
    return ACAUSAL_DONE;
}

/* The method by the backend that was asked for; NULL: there is none. */
static AcausalStatus (*by_backend(AcausalSession *s, const AcausalSensitivity *what,
                                  AcausalStatus (*own)(Work *w)))(Work *w)
{
    static const char *const names[] = { "own", "sundials" };
    if (!what->backend || !strcmp(what->backend, "own")) return own;
    if (strcmp(what->backend, "sundials") != 0) {
        unknown(s, "backend", what->backend, text_nearest(str_of(what->backend), names, COUNT_OF(names)));
        return NULL;
    }
    if (own == method_forward) return foreign_forward;
    if (own == method_adjoint) return foreign_adjoint;
    wrong(s, E_OPTION, "SUNDIALS serves forward and adjoint only");
    return NULL;
}

static const struct {
    const char *name;
    AcausalStatus (*run)(Work *w);
} methods[] = {
    { "forward", method_forward },    { "adjoint", method_adjoint }, { "ad", method_ad },
    { "ad-adjoint", method_ad_back }, { "ind", method_ind },         { "end", method_end },
};

static AcausalStatus (*find_method(AcausalSession *s, const char *name))(Work *w)
{
    const char *names[COUNT_OF(methods)];
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        if (!name || !strcmp(name, methods[i].name)) return methods[i].run;
        names[i] = methods[i].name;
    }
    unknown(s, "method", name, text_nearest(str_of(name), names, COUNT_OF(methods)));
    return NULL;
}

/* ---- all of it ---- */

static void note_independence(Work *w)
{
    for (int i = 0; i < w->of_count; i++) {
        bool all_zero = true;
        for (int j = 0; j < w->vary.count; j++) all_zero &= w->d[i * w->vary.count + j] == 0.0;
        const char *name = w->m->model->shape.variables[w->of[i]].name;
        if (all_zero)
            diag_add(&w->m->session->diag, E_MODEL_WARNING, (Span){ 0 },
                     "'%s' does not depend on what it is differentiated in: all derivatives are zero", name);
    }
}

static void fill_report(Work *w)
{
    int n = w->of_count * w->vary.count;
    AcausalDerivative *rows = NEW_ARRAY(w->m->texts, AcausalDerivative, (size_t)n + 1);
    const ModelVariable *variables = w->m->model->shape.variables;
    for (int k = 0; k < n; k++) {
        int i = k / w->vary.count, j = k % w->vary.count;
        rows[k] = (AcausalDerivative){ arena_copy(w->m->texts, str_of(variables[w->of[i]].name)),
                                       arena_copy(w->m->texts, str_of(variables[w->vary.wrt[j]].name)),
                                       value_of(w, w->values, w->of[i]), w->vary.p[j], w->d[k] };
    }
    w->report->derivatives = rows;
    w->report->count = (size_t)n;
}

static bool prepare(Work *w)
{
    AcausalModel *m = w->m;
    const AcausalSensitivity *what = w->what;
    static const char *const objective[] = { OBJECTIVE_NAME };
    const char *const *of = what->objective ? objective : what->of;
    size_t of_count = what->objective ? 1 : what->of_count;
    if (!vary_open(&w->vary, m, &what->run, true)) return false;
    w->of_count = (int)of_count;
    w->of = NEW_ARRAY(m->texts, int, of_count + 1);
    w->d = NEW_ARRAY(m->texts, double, what->wrt_count *of_count + 1);
    w->values = NEW_ARRAY(m->texts, double, (size_t)m->model->shape.value_count + 1);
    bool ok = vary_find(&w->vary, of, of_count, false, w->of) && vary_inputs(m, what->run.inputs != NULL);
    return vary_in(&w->vary, what->wrt, what->wrt_count) && ok;
}

AcausalStatus differentiate_model(AcausalModel *m, const AcausalSensitivity *what,
                                  AcausalSensitivityReport *report)
{
    Work w = { .m = m, .what = what, .report = report };
    AcausalStatus (*method)(Work *) = find_method(m->session, what->method);
    if (method) method = by_backend(m->session, what, method);
    if (!method || !prepare(&w)) return ACAUSAL_WRONG;
    double start = clock_cpu();
    AcausalStatus status = method(&w);
    report->cpu_seconds = clock_cpu() - start;
    if (status == ACAUSAL_DONE) note_independence(&w);
    if (status == ACAUSAL_DONE) fill_report(&w);
    return status;
}

/* Keeps the texts of a report in the session. */
static void keep_texts(AcausalSession *s, AcausalSensitivityReport *r)
{
    AcausalDerivative *rows = NEW_ARRAY(s->arena, AcausalDerivative, r->count + 1);
    for (size_t i = 0; i < r->count; i++) {
        rows[i] = r->derivatives[i];
        rows[i].of = arena_copy(s->arena, str_of(rows[i].of));
        rows[i].wrt = arena_copy(s->arena, str_of(rows[i].wrt));
    }
    r->derivatives = rows;
    r->run.message = arena_copy(s->arena, str_of(r->run.message));
    r->run.stats = arena_copy(s->arena, str_of(r->run.stats));
    r->run.stats_json = arena_copy(s->arena, str_of(r->run.stats_json));
}

AcausalStatus acausal_differentiate(AcausalSession *s, const char *source, const char *class_name,
                                    const AcausalSensitivity *what, AcausalSensitivityReport *report)
{
    *report = (AcausalSensitivityReport){ .run = { .message = "", .stats = "", .stats_json = "{}" } };
    if (!(what->memory >= 0.0 && what->memory < 1e9))
        return wrong(s, E_OPTION, "%g megabytes are no amount of memory", what->memory), ACAUSAL_WRONG;
    if (!what->wrt_count || (!what->of_count && !what->objective))
        return wrong(s, E_OPTION, "nothing to differentiate, or nothing to differentiate in"), ACAUSAL_WRONG;
    AcausalModel *m = model_with_objective(s, source, class_name, what->objective);
    if (!m) return ACAUSAL_WRONG;
    if (m->fmu) {
        acausal_model_free(m);
        return wrong(s, E_OPTION, "derivatives need the equations of a model; an FMU gives none"),
               ACAUSAL_WRONG;
    }
    AcausalStatus status = differentiate_model(m, what, report);
    keep_texts(s, report);
    acausal_model_free(m);
    return status;
}
