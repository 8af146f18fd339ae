/* bench_increments.c: `acausal bench increments` as a function: steps of integrators under rules of increments.
 *
 * In: a model or all, limits. Out: rows as text; remarks with ratios to the exact Jacobian. The experiments of Renstroem's study: 1, nominal
 * values with the three post-processings; 2 to 5, rules with a constant c0 over a ladder of it; on a stiff oscillator, a pneumatic lock, a
 * hydraulic axis and a suspension. Then the default rule against exact Jacobians on the oscillator for nominal values from
 * 1e-6 to 1e9, on all other models of the directory and on the problems of bench/ivp, where an extrapolated Jacobian stands for one that is
 * not there, and how many entries of its Jacobians come near to the best, at points of a run. Without a model the oscillator is integrated by three
 * methods only for its nominal values. Tests: tests/cli/bench.sh. */
#include "api/inside.h"

#include "bench/ivp/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 20 }; /* of a run, where entries are looked at */
enum { CELLS = 11, CELL_ROOM = 40, LADDER = 10 };

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
} Variant;

typedef struct {
    long steps, nfev, njev;
    bool finished;
    double error;
} Outcome;

typedef struct {
    const AcausalIncrements *options;
    AcausalRow row;
    void (*remark)(void *user, const char *line);
    void *user;
    AcausalSession *session;
    AcausalModel *model;
    const BenchModel *about;
    Arena *arena; /* of the model: */
    double *end, *reference, *nominal;
    int n;
    double log_sum, worst; /* steps of the default rule over those with exact Jacobians */
    char worst_at[80];
    long compared;
    long near[2],
        seen[2]; /* entries that the default rule gives nearly as well as can be, of all; where it takes wider
                            * differences, and where it does not */
} Table;

const char *acausal_increments_model(size_t i)
{
    if (i < COUNT_OF(models)) return models[i].name;
    i -= COUNT_OF(models);
    return i < ivp_problem_count ? ivp_problems[i]->name : NULL;
}

static const char *const post_words[] = { "none", "1", "2", "3" };

static void add_row(Table *t, const char *name, const Variant *v, const Outcome *o)
{
    char text[CELLS][CELL_ROOM];
    const char *cells[CELLS];
    for (int i = 0; i < CELLS; i++) cells[i] = text[i], text[i][0] = '\0';
    snprintf(text[0], CELL_ROOM, "%s", name);
    snprintf(text[1], CELL_ROOM, "%s", v->solver);
    if (v->nominal > 0.0) snprintf(text[2], CELL_ROOM, "%g", v->nominal);
    snprintf(text[3], CELL_ROOM, "%s", v->rule ? v->rule->name : "exact");
    snprintf(text[4], CELL_ROOM, "%s", v->rule ? post_words[v->post] : "");
    if (v->c0 > 0.0) snprintf(text[5], CELL_ROOM, "%g", v->c0);
    snprintf(text[6], CELL_ROOM, "%ld", o->steps);
    snprintf(text[7], CELL_ROOM, "%ld", o->nfev);
    snprintf(text[8], CELL_ROOM, "%ld", o->njev);
    snprintf(text[9], CELL_ROOM, "%s", o->finished ? "yes" : "did not finish");
    if (o->finished && !isnan(o->error)) snprintf(text[10], CELL_ROOM, "%.2g", o->error);
    t->row(t->user, cells, CELLS);
}

/* Steps are chaotic: a tolerance that differs by a tenth moves them as much as rounding does. So ratios are means over these shares of
 * the tolerance; the first one is shown. */
static const double shares[] = { 1.0, 0.9, 1.1 };

/* The default rule's steps over those with the exact Jacobian; where both finish. */
static void compare(Table *t, const char *name, const char *solver, const Outcome *exact, const Outcome *own)
{
    double sum = 0.0;
    int n = 0;
    for (size_t k = 0; k < COUNT_OF(shares); k++) {
        if (!exact[k].finished || !own[k].finished || exact[k].steps == 0) continue;
        sum += log((double)own[k].steps / (double)exact[k].steps);
        n++;
    }
    if (n == 0) return;
    double ratio = exp(sum / n);
    t->log_sum += log(ratio);
    t->compared++;
    if (ratio <= t->worst) return;
    t->worst = ratio;
    snprintf(t->worst_at, sizeof t->worst_at, "%s with %s", name, solver);
}

static void tell_comparison(Table *t, const char *what)
{
    char line[240];
    if (t->compared)
        snprintf(
            line, sizeof line,
            "  %s: steps of the default rule over exact: geometric mean %.3f, at most %.3f (%s), %ld runs",
            what, exp(t->log_sum / (double)t->compared), t->worst, t->worst_at, t->compared);
    if (t->compared) t->remark(t->user, line);
    t->log_sum = t->worst = 0.0;
    t->compared = 0;
}

/* ---- entries --------------------------------------------------------------------------------------------- */

static void tell_entries(Table *t, const char *name, const char *solver, const JacobianLook *look)
{
    char line[200];
    long near = 0, seen = 0, kind[2] = { 0 }, of[2] = { 0 };
    for (int k = 0; k < 2 && look->audit; k++) {
        const AuditRule *rule = audit_of_made(look->audit, k);
        near += kind[k] = rule->near;
        seen += of[k] = rule->entries;
        t->near[k] += rule->near;
        t->seen[k] += rule->entries;
    }
    if (seen)
    snprintf(line, sizeof line, "  %s by %s: %ld of %ld Jacobians, %ld entries: %.2f %% near (ladders %.2f %% of %ld, plans %.2f %% of %ld)", name, solver,
             look->looked, look->seen, seen, 100.0 * (double)near / (double)seen, 100.0 * (double)kind[1] / (double)(of[1] ? of[1] : 1), of[1],
             100.0 * (double)kind[0] / (double)(of[0] ? of[0] : 1), of[0]);
    if (seen) t->remark(t->user, line);
    audit_free(look->audit);
}

static void tell_all_entries(Table *t)
{
    char line[160];
    if (!t->seen[0] || !t->seen[1]) return;
    snprintf(line, sizeof line,
             "  all: of %ld entries %.2f %% are within 10 times of the best, between them %.2f %%",
             t->seen[0], 100.0 * (double)t->near[0] / (double)t->seen[0],
             100.0 * (double)t->near[1] / (double)t->seen[1]);
    t->remark(t->user, line);
}

/* ---- Modelica -------------------------------------------------------------------------------------------- */

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
    if (clock_cpu() > d->end) d->over = 1;
}

/* share: of the tolerance. */
static Outcome run_variant(Table *t, const Variant *v, double share)
{
    AcausalSimulation s = acausal_simulation();
    AcausalSimulationReport report;
    char texts[8][64];
    const char *list[8], *set[1];
    size_t n = 0;
    double rtol = t->about->rtol * share;
    for (size_t k = 0; k < COUNT_OF(texts); k++) list[k] = texts[k];
    snprintf(texts[n++], 64, "max-steps=%ld", t->options->max_steps);
    snprintf(texts[n++], 64, "jacobian=%s", v->rule ? "differences" : "auto");
    if (v->rule) snprintf(texts[n++], 64, "increment=%s", v->rule->name);
    if (v->rule) snprintf(texts[n++], 64, "increment-post=%s", post_words[v->post]);
    if (v->c0 > 0.0) snprintf(texts[n++], 64, "increment-c0=%.17g", v->c0);
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
    Deadline deadline = { .end = clock_cpu() + t->options->seconds };
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

/* Exact against the default. */
static void run_pair(Table *t, const char *solver, double nominal)
{
    Outcome o[2][COUNT_OF(shares)];
    for (int own = 0; own < 2; own++) {
        Variant v = { .solver = solver, .rule = own ? &increment_types[0] : NULL, .nominal = nominal };
        o[own][0] = run_and_show(t, &v);
        for (size_t k = 1; k < COUNT_OF(shares); k++) o[own][k] = run_variant(t, &v, shares[k]);
    }
    compare(t, t->about->name, solver, o[0], o[1]);
}

static void look_at_model(Table *t, const char *solver)
{
    Variant v = { .solver = solver, .rule = &increment_types[0] };
    JacobianLook look = { .every = 1 };
    Outcome o = run_variant(t, &v, 1.0);
    look.every = 1 + o.njev / POINTS;
    t->model->made = jacobian_look;
    t->model->made_arg = &look;
    run_variant(t, &v, 1.0);
    t->model->made = NULL;
    tell_entries(t, t->about->name, solver, &look);
}

/* The end of the run with the exact Jacobian at a hundredth of the tolerance, by another kind of method than most that are measured. */
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
    run_pair(t, solver, t->about->value);
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

/* The default rule does not depend on nominal values. */
static void vary_nominal(Table *t, bool all)
{
    static const char *const names[] = { "radau5",    "radau", "bdf",    "dassl",
                                         "cvode-bdf", "rodas", "sdirk4", "switching" };
    for (size_t k = 0; k < (all ? COUNT_OF(names) : COUNT_OF(solvers)); k++)
        for (int power = -6; power <= 9; power += 3)
            run_pair(t, all ? names[k] : solvers[k], pow(10.0, power));
    tell_comparison(t, "nominal values from 1e-6 to 1e9");
}

static AcausalStatus run_model(Table *t, const BenchModel *about, bool all)
{
    const char *path = arena_printf(t->session->arena, "%s/%s", t->options->directory, about->file);
    t->about = about;
    t->model = acausal_compile(t->session, path, about->class_name);
    if (!t->model) return ACAUSAL_WRONG;
    t->arena = t->model->t.arena;
    t->n = 0;
    t->end = NULL;
    if (getenv("JACLOOK")) { for (size_t k = 0; k < 2; k++) look_at_model(t, solvers[k]); acausal_model_free(t->model); return ACAUSAL_DONE; }
    find_reference(t);
    for (size_t k = 0; k < COUNT_OF(solvers); k++) {
        if (about->is_experiment) {
            first_experiment(t, solvers[k]);
            other_experiments(t, solvers[k]);
        } else {
            run_pair(t, solvers[k], 0.0);
        }
    }
    if (about->is_experiment && !all) tell_comparison(t, about->name);
    if (about->nominal) vary_nominal(t, all);
    for (size_t k = 0; k < 2; k++) look_at_model(t, solvers[k]);
    acausal_model_free(t->model);
    return ACAUSAL_DONE;
}

/* ---- problems in C --------------------------------------------------------------------------------------- */

static void look_at_problem(Table *t, const IvpProblem *p, const char *solver)
{
    const SolverType *type = solver_find(solver);
    SolverOptions usual = { .jacobian = JACOBIAN_DIFFERENCES };
    JacobianLook look = { .every = 1 };
    IvpRun run;
    if (!ivp_suits(p, type)) return;
    ivp_run_once(p, type, 1e-6, t->options->seconds, &usual, &run);
    look.every = 1 + run.stats.jacobians / POINTS;
    usual.made = jacobian_look;
    usual.made_arg = &look;
    ivp_run_once(p, type, 1e-6, 10.0 * t->options->seconds, &usual, &run);
    tell_entries(t, p->name, solver, &look);
}

static void run_problem(Table *t, const IvpProblem *p)
{
    for (size_t k = 0; k < 2; k++) look_at_problem(t, p, solvers[k]);
    if (getenv("JACLOOK")) return;
    for (size_t k = 0; k < COUNT_OF(solvers); k++) {
        const SolverType *type = solver_find(solvers[k]);
        if (!ivp_suits(p, type)) continue;
        Outcome o[2][COUNT_OF(shares)];
        for (int own = 0; own < 2; own++) {
            SolverOptions more = { .jacobian = own                ? JACOBIAN_DIFFERENCES
                                               : p->type.jacobian ? JACOBIAN_AUTO
                                                                  : JACOBIAN_EXTRAPOLATED };
            for (size_t i = 0; i < COUNT_OF(shares); i++) {
                IvpRun run;
                ivp_run_once(p, type, 1e-6 * shares[i], t->options->seconds, &more, &run);
                o[own][i] = (Outcome){ run.stats.steps, run.stats.f + run.stats.f_jacobian,
                                       run.stats.jacobians, run.finished, pow(10.0, -run.digits) };
            }
            Variant v = { .solver = solvers[k], .rule = own ? &increment_types[0] : NULL };
            add_row(t, p->name, &v, &o[own][0]);
        }
        compare(t, p->name, solvers[k], o[0], o[1]);
    }
}

AcausalStatus acausal_bench_increments(const AcausalIncrements *options, AcausalRow row,
                                       void (*remark)(void *user, const char *line), void *user)
{
    Table t = {
        .options = options, .row = row, .remark = remark, .user = user, .session = acausal_session_new()
    };
    const char *only = options->only;
    AcausalStatus status = ACAUSAL_USAGE;
    if (!t.session) return ACAUSAL_BUG;
    for (size_t i = 0; i < COUNT_OF(models) && (status == ACAUSAL_USAGE || status == ACAUSAL_DONE); i++)
        if (!only || !strcmp(only, models[i].name)) status = run_model(&t, &models[i], only != NULL);
    for (size_t i = 0; i < ivp_problem_count && (status == ACAUSAL_USAGE || status == ACAUSAL_DONE); i++) {
        if (only && strcmp(only, ivp_problems[i]->name) != 0) continue;
        run_problem(&t, ivp_problems[i]);
        status = ACAUSAL_DONE;
    }
    tell_comparison(&t, "models and problems");
    if (!only) tell_all_entries(&t);
    if (status == ACAUSAL_WRONG) remark(user, acausal_first_error(t.session));
    acausal_session_free(t.session);
    return status;
}
