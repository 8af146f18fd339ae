/* increments.c: `acausal bench increments` as a function: steps of integrators under rules of
 * increments. */
#include "api/inside.h"
#include "bench/runs/runs.h"

#include "bench/ivp/run.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

/* In: a model or all, limits. Out: rows as text; remarks with ratios to the exact Jacobian. The
 * experiments of Renstroem's study: 1, nominal values with the three post-processings; 2 to 5,
 * rules with a constant c0 over a ladder of it; on a stiff oscillator, a pneumatic lock, a
 * hydraulic axis and a suspension. Then the default rule against exact Jacobians on the oscillator
 * for nominal values from 1e-6 to 1e9, on all other models of the directory and on the problems of
 * bench/ivp, where an extrapolated Jacobian stands for one that is not there, and how many entries
 * of its Jacobians come near to the best: of Jacobians that integrators got in runs, all in turn.
 * Without a model the oscillator is integrated by three methods only for its nominal values. Models
 * and problems with each integrator are jobs of their own, done side by side; rows come out in the
 * order of jobs. Tests: tests/cli/bench.sh. */

enum { POINTS = 20 }; /* of a run, where entries are looked at */
enum { CELLS = 11, CELL_ROOM = 40, REMARK_ROOM = 512, LADDER = 10 };

typedef struct {
    const char *name, *file, *class_name;
    const char *nominal; /* a parameter that all nominal values follow; NULL: none */
    double value;        /* that the experiments give it */
    double rtol;         /* 0: as the model says */
    bool is_experiment;
} BenchModel;

static const BenchModel models[] = {
    { "VanDerPol", "VanDerPol.mo", NULL, "y_nom", 1e6, 1e-9, true },
    { "PneumaticLock", "PneumaticLock.mo", "PneumaticLock.Lock", NULL, 0, 0, true },
    { "HydraulicAxis", "HydraulicAxis.mo", "HydraulicAxis.Axis", NULL, 0, 0, true },
    { "Suspension", "Suspension.mo", "Suspension.Axle", NULL, 0, 0, true },
    { "Clutch", "Clutch.mo", "Clutch.Start", NULL, 0, 0, false },
    { "HeatRod", "HeatRod.mo", NULL, NULL, 0, 0, false },
    { "Pendulum", "Pendulum.mo", NULL, NULL, 0, 0, false },
    { "Rectifier", "Circuit.mo", "Circuit.Rectifier", NULL, 0, 0, false },
    { "RLC", "Circuit.mo", "Circuit.RLC", NULL, 0, 0, false },
    { "BouncingBall", "BouncingBall.mo", NULL, NULL, 0, 0, false },
    { "Robertson", "Robertson.mo", "Robertson.ODE", NULL, 0, 0, false },
    { "Robot", "Robot.mo", "Robot.Arm", NULL, 0, 0, false },
};

/* One run of a table. rule NULL: with the reference. */
typedef struct {
    const char *solver;
    const IncrementType *rule;
    IncrementPost post;
    double c0, nominal;
    double share; /* of evaluations; 0: as usual */
} Variant;

typedef struct {
    long steps, nfev, njev;
    bool finished;
    double error;
} Outcome;

/* Steps of the default rule over those with exact Jacobians. */
typedef struct {
    double log_sum, worst;
    char worst_at[80];
    long compared;
} Comparison;

/* Entries that are nearly as good as can be, of all: by one increment, by several, and by several
 * in all Jacobians. */
enum { SEEN_PLAIN, SEEN_SEVERAL, SEEN_UNLIMITED, SEEN_KINDS };
typedef struct {
    long near[SEEN_KINDS], all[SEEN_KINDS];
} Seen;

typedef struct {
    char cells[CELLS][CELL_ROOM]; /* or, without a first one: */
    char remark[REMARK_ROOM];
} Line;

typedef enum { DO_EXPERIMENT, DO_NOMINALS, DO_PAIR, DO_PROBLEM, DO_LOOK } Task;

/* What one thread does: a model or a problem with an integrator. */
typedef struct {
    Task task;
    const BenchModel *about;
    const IvpProblem *problem;
    const char *solver;
    const IncrementsOptions *options;
    VEC(Line) lines;
    Comparison comparison;
    Seen seen;
    AcausalStatus status;
    bool is_done;
    Arena *arena; /* of lines and of the model's ends */
    AcausalSession *session;
    AcausalModel *model;
    double *end, *reference, *nominal;
    int n;
} Table;

const char *bench_increments_model(size_t i)
{
    if (i < COUNT_OF(models)) return models[i].name;
    i -= COUNT_OF(models);
    return i < ivp_problem_count ? ivp_problems[i]->name : NULL;
}

static const char *const post_words[] = { "none", "1", "2", "3" };

static void add_row(Table *t, const char *name, const Variant *v, const Outcome *o)
{
    Line line = { .remark = "" };
    snprintf(line.cells[0], CELL_ROOM, "%s", name);
    snprintf(line.cells[1], CELL_ROOM, "%s", v->solver);
    if (v->nominal > 0.0) snprintf(line.cells[2], CELL_ROOM, "%g", v->nominal);
    snprintf(line.cells[3], CELL_ROOM, "%s", v->rule ? v->rule->name : "exact");
    snprintf(line.cells[4], CELL_ROOM, "%s", v->rule ? post_words[v->post] : "");
    if (v->c0 > 0.0) snprintf(line.cells[5], CELL_ROOM, "%g", v->c0);
    snprintf(line.cells[6], CELL_ROOM, "%ld", o->steps);
    snprintf(line.cells[7], CELL_ROOM, "%ld", o->nfev);
    snprintf(line.cells[8], CELL_ROOM, "%ld", o->njev);
    snprintf(line.cells[9], CELL_ROOM, "%s", o->finished ? "yes" : "did not finish");
    if (o->finished && !isnan(o->error)) snprintf(line.cells[10], CELL_ROOM, "%.2g", o->error);
    vec_push(t->arena, &t->lines, line);
}

static void add_remark(Table *t, const char *text)
{
    Line line = { .remark = "" };
    snprintf(line.remark, sizeof line.remark, "%s", text);
    vec_push(t->arena, &t->lines, line);
}

/* Steps are chaotic: a tolerance that differs by a tenth moves them as much as rounding does. So
 * ratios are means over shares of the tolerance; the first one is shown. Few are enough but for the
 * oscillator's nominal values: with 1e9 the tolerance is as large as the solution, and steps differ
 * by half from one tolerance to the next. */
enum { FEW_SHARES = 3, MANY_SHARES = 41 };
static double share_of(int k, int count)
{
    static const double few[FEW_SHARES] = { 1.0, 0.9, 1.1 };
    if (count == FEW_SHARES) return few[k];
    return 1.0 + (k % 2 ? 0.4 : -0.4) * ((k + 1) / 2) / (count - 1);
}

/* Means of steps of runs that finished, one after the other. */
typedef struct {
    double log_sum;
    int n;
} StepRatio;

static void add_ratio(StepRatio *r, const Outcome *exact, const Outcome *own)
{
    if (!exact->finished || !own->finished || exact->steps == 0) return;
    r->log_sum += log((double)own->steps / (double)exact->steps);
    r->n++;
}

/* The default rule's steps over those with the exact Jacobian; where both finish. */
static void compare(Table *t, const char *name, const char *solver, const StepRatio *r)
{
    if (r->n == 0) return;
    double ratio = exp(r->log_sum / r->n);
    Comparison *c = &t->comparison;
    c->log_sum += log(ratio);
    c->compared++;
    if (ratio <= c->worst) return;
    c->worst = ratio;
    snprintf(c->worst_at, sizeof c->worst_at, "%s with %s", name, solver);
}

static void join_comparisons(Comparison *all, const Comparison *c)
{
    all->log_sum += c->log_sum;
    all->compared += c->compared;
    if (c->worst <= all->worst) return;
    all->worst = c->worst;
    memcpy(all->worst_at, c->worst_at, sizeof all->worst_at);
}

static const char *comparison_text(const Comparison *c, const char *what, char *line)
{
    snprintf(line, REMARK_ROOM,
             "  %s: steps of the default rule over exact: geometric mean %.3f, at most %.3f (%s), %ld runs",
             what, exp(c->log_sum / (double)c->compared), c->worst, c->worst_at, c->compared);
    return line;
}

/* ---- entries --------------------------------------------------------------------------------- */

static double percent(long part, long whole) { return whole ? 100.0 * (double)part / (double)whole : 100.0; }

/* Adds what was seen in a run; with no limit to the evaluations it is a kind of its own. */
static void count_entries(Table *t, const JacobianLook *look, bool unlimited, char *text)
{
    long near = 0, all = 0;
    for (int k = 0; k < 2 && look->audit; k++) {
        const AuditRule *rule = audit_of_made(look->audit, k);
        int kind = unlimited ? SEEN_UNLIMITED : k;
        t->seen.near[kind] += rule->near;
        t->seen.all[kind] += rule->entries;
        near += rule->near;
        all += rule->entries;
    }
    snprintf(text, 100, "%.2f %% of %ld in %ld of %ld Jacobians", percent(near, all), all, look->looked,
             look->seen);
    audit_free(look->audit);
}

static void tell_entries(Table *t, const char *name, char text[2][100])
{
    char line[REMARK_ROOM];
    snprintf(line, sizeof line, "  %s with %s, entries near the best: %s; without a limit %s", name,
             t->solver, text[0], text[1]);
    if (t->seen.all[SEEN_UNLIMITED]) add_remark(t, line);
}

static void tell_all_entries(const Seen *s, const char *what, void (*remark)(void *user, const char *line),
                             void *user)
{
    char line[REMARK_ROOM];
    long near = s->near[SEEN_PLAIN] + s->near[SEEN_SEVERAL], all = s->all[SEEN_PLAIN] + s->all[SEEN_SEVERAL];
    if (!all) return;
    snprintf(line, sizeof line,
             "  %s, entries near the best: %.2f %% of %ld in runs (%.2f %% where several increments were "
             "compared, %.2f %% where "
             "one was taken); without a limit to evaluations %.2f %% of %ld",
             what, percent(near, all), all, percent(s->near[SEEN_SEVERAL], s->all[SEEN_SEVERAL]),
             percent(s->near[SEEN_PLAIN], s->all[SEEN_PLAIN]),
             percent(s->near[SEEN_UNLIMITED], s->all[SEEN_UNLIMITED]), s->all[SEEN_UNLIMITED]);
    remark(user, line);
}

/* ---- Modelica -------------------------------------------------------------------------------- */

static void keep_end(void *arg, const SimPoint *p)
{
    Table *t = arg;
    if (t->n != p->model->shape.n) {
        t->n = p->model->shape.n;
        t->end = NEW_ARRAY(t->arena, double, (size_t)t->n + 1);
        t->nominal = NEW_ARRAY(t->arena, double, (size_t)t->n + 1);
    }
    memcpy(t->end, p->y, (size_t)t->n * sizeof(double));
    for (int i = 0; i < t->n; i++)
        t->nominal[i] = p->model->shape.nominal ? fabs(p->model->shape.nominal[i]) : 1.0;
}

static double end_error(const Table *t)
{
    double worst = 0.0;
    if (!t->reference || !t->end) return NAN;
    for (int i = 0; i < t->n; i++)
        worst = fmax(worst,
                     fabs(t->end[i] - t->reference[i]) / (fabs(t->reference[i]) + fmin(t->nominal[i], 1.0)));
    return worst;
}

/* Processor time, since the machine may be busy with other things. */
typedef struct {
    double end;
    volatile sig_atomic_t over;
} Deadline;

static void watch(void *arg, double t, double start, double stop)
{
    Deadline *d = arg;
    (void)t, (void)start, (void)stop;
    if (clock_thread() > d->end) d->over = 1;
}

/* share: of the tolerance. */
static Outcome run_variant(Table *t, const Variant *v, double share)
{
    AcausalSimulation s = acausal_simulation();
    AcausalSimulationReport report = { .size = sizeof report };
    char texts[9][64];
    const char *list[9], *set[1];
    size_t n = 0;
    double rtol = t->about->rtol * share;
    for (size_t k = 0; k < COUNT_OF(texts); k++) list[k] = texts[k];
    snprintf(texts[n++], 64, "max-steps=%ld", t->options->max_steps);
    snprintf(texts[n++], 64, "jacobian=%s", v->rule ? "differences" : "auto");
    if (v->rule) snprintf(texts[n++], 64, "increment=%s", v->rule->name);
    if (v->rule) snprintf(texts[n++], 64, "increment-post=%s", post_words[v->post]);
    if (v->c0 > 0.0) snprintf(texts[n++], 64, "increment-c0=%.17g", v->c0);
    if (v->share > 0.0) snprintf(texts[n++], 64, "increment-share=%.17g", v->share);
    if (rtol > 0.0) snprintf(texts[n++], 64, "rtol=%.17g", rtol);
    if (rtol > 0.0) snprintf(texts[n++], 64, "atol=%.17g", rtol * (v->nominal > 0.0 ? v->nominal : 1.0));
    char given[80];
    set[0] = given;
    if (t->about->nominal && v->nominal > 0.0) {
        snprintf(given, sizeof given, "%s=%.17g", t->about->nominal, v->nominal);
        s.set = set;
        s.set_count = 1;
    }
    s.solver = v->solver;
    s.solver_options = list;
    s.solver_option_count = n;
    if (rtol == 0.0) {
        double tolerance = model_experiment(t->model).tolerance;
        s.tolerance = share * (isnan(tolerance) ? 1e-6 : tolerance);
    }
    s.points = 1;
    s.keep = true; /* rows are what is visited */
    Deadline deadline = { .end = clock_thread() + t->options->seconds };
    s.interrupt = &deadline.over;
    s.progress = watch;
    s.progress_arg = &deadline;
    t->model->visit = keep_end;
    t->model->visit_arg = t;
    acausal_run(t->model, &s, &report);
    acausal_result_free(report.result);
    const SolverStats *w = &t->model->last.work;
    bool finished = t->model->last_end == SIM_DONE || t->model->last_end == SIM_TERMINATED;
    return (Outcome){ w->steps, w->f + w->f_jacobian, w->jacobians, finished, end_error(t) };
}

static Outcome run_and_show(Table *t, const Variant *v)
{
    Outcome o = run_variant(t, v, 1.0);
    add_row(t, t->about->name, v, &o);
    return o;
}

/* Exact against the default, over this many shares of the tolerance. */
static void run_pair(Table *t, const char *solver, double nominal, int count)
{
    StepRatio ratio = { 0 };
    for (int k = 0; k < count; k++) {
        Outcome o[2];
        for (int own = 0; own < 2; own++) {
            Variant v = { .solver = solver, .rule = own ? &increment_types[0] : NULL, .nominal = nominal };
            o[own] = run_variant(t, &v, share_of(k, count));
            if (k == 0) add_row(t, t->about->name, &v, &o[own]);
        }
        add_ratio(&ratio, &o[0], &o[1]);
    }
    char name[80];
    snprintf(name, sizeof name, nominal > 0.0 ? "%s, nominal %g," : "%s", t->about->name, nominal);
    compare(t, name, solver, &ratio);
}

static void look_at_model(Table *t)
{
    char text[2][100];
    for (int unlimited = 0; unlimited < 2; unlimited++) {
        Variant v = { .solver = t->solver, .rule = &increment_types[0], .share = unlimited };
        Outcome o = run_variant(t, &v, 1.0);
        JacobianLook look = { .every = 1 + o.njev / POINTS };
        t->model->made = jacobian_look;
        t->model->made_arg = &look;
        run_variant(t, &v, 1.0);
        t->model->made = NULL;
        count_entries(t, &look, unlimited, text[unlimited]);
    }
    tell_entries(t, t->about->name, text);
}

/* The end of the run with the exact Jacobian at a hundredth of the tolerance, by another kind of
 * method than most that are measured. */
static void find_reference(Table *t)
{
    Variant v = { .solver = "radau", .nominal = t->about->nominal ? 1.0 : 0.0 };
    t->reference = NULL;
    if (t->about->rtol == 0.0) v.nominal = 0.0;
    Outcome o = run_variant(t, &v, 1e-2);
    if (!o.finished || !t->end) return;
    t->reference = NEW_ARRAY(t->arena, double, (size_t)t->n + 1);
    memcpy(t->reference, t->end, (size_t)t->n * sizeof(double));
}

static const char *const solvers[] = { "radau5", "bdf", "cvode-bdf" };

static void first_experiment(Table *t, const char *solver)
{
    bool multistep = solver_find(solver)->can & SOLVE_MULTISTEP;
    Variant v = { .solver = solver,
                  .rule = increment_find(multistep ? "cvode" : "radau5"),
                  .nominal = t->about->value };
    run_pair(t, solver, t->about->value, FEW_SHARES);
    run_and_show(t, &v);
    v.rule = increment_find("pyfmi");
    for (int post = POST_NONE; post <= POST_3; post++) {
        v.post = (IncrementPost)post;
        run_and_show(t, &v);
    }
    v.rule = increment_find("nominal-if-set");
    v.post = POST_NONE;
    run_and_show(t, &v);
}

/* Rules with a constant, over its ladder. */
static void other_experiments(Table *t, const char *solver)
{
    for (size_t r = 0; r < increment_type_count; r++) {
        if (increment_types[r].c0 == 0.0) continue;
        bool binary = !strcmp(increment_types[r].name, "power-of-two");
        for (int k = 0; k < LADDER; k++) {
            Variant v = { .solver = solver, .rule = &increment_types[r], .nominal = t->about->value };
            v.c0 = binary ? ldexp(1.0, 3 * (k + 1 - LADDER)) : pow(10.0, k + 1 - LADDER);
            run_and_show(t, &v);
        }
    }
}

static const char *const all_solvers[] = { "radau5",    "radau", "bdf",    "dassl",
                                           "cvode-bdf", "rodas", "sdirk4", "switching" };

/* The default rule does not depend on nominal values. */
static void vary_nominal(Table *t)
{
    for (int power = -6; power <= 9; power += 3) run_pair(t, t->solver, pow(10.0, power), MANY_SHARES);
}

static void run_model(Table *t)
{
    const char *path = arena_printf(t->arena, "%s/%s", t->options->directory, t->about->file);
    t->model = acausal_compile(t->session, path, t->about->class_name);
    t->status = t->model ? ACAUSAL_DONE : ACAUSAL_WRONG;
    if (!t->model) {
        add_remark(t, acausal_first_error(t->session));
        return;
    }
    if (t->task != DO_LOOK) find_reference(t);
    if (t->task == DO_EXPERIMENT) first_experiment(t, t->solver), other_experiments(t, t->solver);
    if (t->task == DO_NOMINALS) vary_nominal(t);
    if (t->task == DO_PAIR) run_pair(t, t->solver, 0.0, FEW_SHARES);
    if (t->task == DO_LOOK) look_at_model(t);
    acausal_model_free(t->model);
}

/* ---- problems in C --------------------------------------------------------------------------- */

static void look_at_problem(Table *t, const IvpProblem *p)
{
    const SolverType *type = solver_find(t->solver);
    char text[2][100];
    for (int unlimited = 0; unlimited < 2; unlimited++) {
        SolverOptions usual = { .jacobian = JACOBIAN_DIFFERENCES, .increment_share = unlimited };
        IvpRun run;
        ivp_run_once(p, type, 1e-6, t->options->seconds, &usual, &run);
        JacobianLook look = { .every = 1 + run.stats.jacobians / POINTS };
        usual.made = jacobian_look;
        usual.made_arg = &look;
        ivp_run_once(p, type, 1e-6, 10.0 * t->options->seconds, &usual, &run);
        count_entries(t, &look, unlimited, text[unlimited]);
    }
    tell_entries(t, p->name, text);
}

static Outcome run_problem_once(const Table *t, const IvpProblem *p, bool own, double share)
{
    SolverOptions more = { .jacobian = own                ? JACOBIAN_DIFFERENCES
                                       : p->type.jacobian ? JACOBIAN_AUTO
                                                          : JACOBIAN_EXTRAPOLATED };
    IvpRun run;
    ivp_run_once(p, solver_find(t->solver), 1e-6 * share, t->options->seconds, &more, &run);
    return (Outcome){ run.stats.steps, run.stats.f + run.stats.f_jacobian, run.stats.jacobians, run.finished,
                      pow(10.0, -run.digits) };
}

static void run_problem(Table *t, const IvpProblem *p)
{
    StepRatio ratio = { 0 };
    for (int k = 0; k < FEW_SHARES; k++) {
        Outcome o[2];
        for (int own = 0; own < 2; own++) {
            Variant v = { .solver = t->solver, .rule = own ? &increment_types[0] : NULL };
            o[own] = run_problem_once(t, p, own, share_of(k, FEW_SHARES));
            if (k == 0) add_row(t, p->name, &v, &o[own]);
        }
        add_ratio(&ratio, &o[0], &o[1]);
    }
    compare(t, p->name, t->solver, &ratio);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

typedef struct {
    Arena *arena;
    const IncrementsOptions *options;
    VEC(Table) jobs;
    pthread_mutex_t lock; /* of what follows */
    BenchRow row;
    void (*remark)(void *user, const char *line);
    void *user;
    uint32_t shown;
} Work;

static void add_job(Work *w, Task task, const BenchModel *about, const IvpProblem *problem,
                    const char *solver)
{
    Table t = { .task = task, .about = about, .problem = problem, .solver = solver, .options = w->options };
    if (problem && !ivp_suits(problem, solver_find(solver))) return;
    t.comparison.worst = 0.0;
    vec_push(w->arena, &w->jobs, t);
}

static void list_jobs(Work *w)
{
    const char *only = w->options->only;
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        const BenchModel *m = &models[i];
        if (only && strcmp(only, m->name) != 0) continue;
        for (size_t k = 0; k < COUNT_OF(solvers); k++)
            add_job(w, m->is_experiment ? DO_EXPERIMENT : DO_PAIR, m, NULL, solvers[k]);
        for (size_t k = 0; k < (only ? COUNT_OF(all_solvers) : COUNT_OF(solvers)) && m->nominal; k++)
            add_job(w, DO_NOMINALS, m, NULL, only ? all_solvers[k] : solvers[k]);
        for (size_t k = 0; k < 2; k++) add_job(w, DO_LOOK, m, NULL, solvers[k]);
    }
    for (size_t i = 0; i < ivp_problem_count; i++) {
        const IvpProblem *p = ivp_problems[i];
        if (only && strcmp(only, p->name) != 0) continue;
        for (size_t k = 0; k < COUNT_OF(solvers); k++) add_job(w, DO_PROBLEM, NULL, p, solvers[k]);
        for (size_t k = 0; k < 2; k++) add_job(w, DO_LOOK, NULL, p, solvers[k]);
    }
}

static void show_job(Work *w, const Table *t)
{
    for (uint32_t i = 0; i < t->lines.n; i++) {
        const Line *line = &t->lines.at[i];
        const char *cells[CELLS];
        for (int c = 0; c < CELLS; c++) cells[c] = line->cells[c];
        if (line->cells[0][0])
            w->row(w->user, cells, CELLS);
        else
            w->remark(w->user, line->remark);
    }
}

static void do_job(void *arg, size_t i, unsigned worker)
{
    Work *w = arg;
    Table *t = &w->jobs.at[i];
    (void)worker;
    t->arena = arena_new();
    t->session = acausal_session_new();
    t->status = t->arena && t->session ? ACAUSAL_DONE : ACAUSAL_BUG;
    if (t->status == ACAUSAL_DONE && t->about) run_model(t);
    if (t->status == ACAUSAL_DONE && t->problem)
        (t->task == DO_LOOK ? look_at_problem : run_problem)(t, t->problem);
    acausal_session_free(t->session);
    pthread_mutex_lock(&w->lock);
    t->is_done = true;
    for (; w->shown < w->jobs.n && w->jobs.at[w->shown].is_done; w->shown++)
        show_job(w, &w->jobs.at[w->shown]);
    pthread_mutex_unlock(&w->lock);
}

static void tell_all(Work *w)
{
    Comparison nominals = { .worst = 0.0 }, all = { .worst = 0.0 };
    Seen seen[2] = { 0 };
    char line[REMARK_ROOM];
    for (uint32_t i = 0; i < w->jobs.n; i++) {
        const Table *t = &w->jobs.at[i];
        join_comparisons(t->task == DO_NOMINALS ? &nominals : &all, &t->comparison);
        for (int k = 0; k < SEEN_KINDS; k++) {
            seen[t->problem != NULL].near[k] += t->seen.near[k];
            seen[t->problem != NULL].all[k] += t->seen.all[k];
        }
    }
    if (nominals.compared)
        w->remark(w->user, comparison_text(&nominals, "nominal values from 1e-6 to 1e9", line));
    if (all.compared) w->remark(w->user, comparison_text(&all, "models and problems", line));
    tell_all_entries(&seen[0], "models", w->remark, w->user);
    tell_all_entries(&seen[1], "problems", w->remark, w->user);
}

AcausalStatus run_increments_bench(const IncrementsOptions *options, BenchRow row,
                                   void (*remark)(void *user, const char *line), void *user)
{
    Work w = { .arena = arena_new(), .options = options, .row = row, .remark = remark, .user = user };
    if (!w.arena) return ACAUSAL_BUG;
    list_jobs(&w);
    AcausalStatus status = w.jobs.n ? ACAUSAL_DONE : ACAUSAL_USAGE;
    pthread_mutex_init(&w.lock, NULL);
    pool_each(cpu_count(), w.jobs.n, do_job, &w);
    pthread_mutex_destroy(&w.lock);
    tell_all(&w);
    for (uint32_t i = 0; i < w.jobs.n; i++) {
        if (w.jobs.at[i].status != ACAUSAL_DONE) status = w.jobs.at[i].status;
        arena_free(w.jobs.at[i].arena);
    }
    arena_free(w.arena);
    return status;
}
