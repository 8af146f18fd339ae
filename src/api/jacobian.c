/* jacobian.c: `acausal jacobian` as a function: difference Jacobians of a model against a
 * reference, along a run and by their effect on runs.
 *
 * In: a source, what a run shall do. Out: tables (text or JSON), rows of a CSV file, pictures. How:
 * a first run visits points of the trajectory, where the audit of solve/ compares every rule; then
 * each integrator runs with the reference and with every rule. Always: a run that does not finish
 * within its limits is told as such. Tests: tests/cli/jacobian.sh. */
#include "api/inside.h"

#include <math.h>
#include <stdio.h>

enum { USUAL_POINTS = 20, USUAL_SECONDS = 10, MOST_STEPS = 200000 };
static const char *const usual_solvers[] = { "radau5", "bdf", "cvode-bdf" };

static const double COST_SECONDS = 0.02; /* that f and J are measured for, at least */

/* ---- points of a trajectory ------------------------------------------------------------------ */

static const char *const errors[] = { "truncation", "cancellation", "data" };

static int dominating(const AuditCell *c)
{
    if (c->truncation >= c->cancellation && c->truncation >= c->data) return 0;
    return c->cancellation >= c->data ? 1 : 2;
}

static void take_cell(void *arg, int unknown, size_t rule, const AuditCell *cell)
{
    JacobianWork *w = arg;
    char name[64];
    w->cells[(size_t)unknown * increment_type_count + rule] = *cell;
    if (!w->csv) return;
    fprintf(w->csv, "%.17g,\"%s\",%.17g,%g,%s,%.17g,%d,%.3g,%.3g,%.3g,%s,%.3g\n", cell->t,
            model_name(w->model->model, unknown, name, sizeof name), cell->y, cell->nominal,
            increment_types[rule].name, cell->delta, cell->is_exact, cell->truncation, cell->cancellation,
            cell->data, errors[dominating(cell)], cell->error);
}

static void keep_ratios(JacobianWork *w, const SimPoint *p)
{
    int n = p->model->shape.n;
    vec_push(w->arena, &w->times, p->t);
    for (int i = 0; i < n; i++) {
        double nominal = p->model->shape.nominal ? fabs(p->model->shape.nominal[i]) : 1.0;
        double ratio = fabs(p->y[i]) / (nominal > 0.0 && isfinite(nominal) ? nominal : 1.0);
        vec_push(w->arena, &w->ratios, ratio);
    }
}

/* Processor time of many evaluations, by one: of f, or of the model's own Jacobian. Two times take
 * turns, since what is needed at the last point need not be computed again. */
static double time_of(const SimPoint *p, const MatrixShape *shape, double *values, double *f)
{
    const ModelType *type = p->model->type;
    double begin = 0.0, spent = 0.0;
    long count = 0;
    for (long batch = 0; spent < COST_SECONDS; batch = 2 * batch + 1, spent = clock_cpu() - begin)
        for (long k = 0; k <= batch; k++, count++) {
            double t = k % 2 ? p->t : nextafter(p->t, INFINITY);
            EvalStatus status = shape ? type->jacobian(p->model, t, p->y, shape, values)
                                      : type->derivatives(p->model, t, p->y, f);
            if (status != EVAL_OK) return NAN;
            /* the first one finds places and fills caches */
            if (!batch) begin = clock_cpu(), count = -1;
        }
    return spent / (double)count;
}

static double cost_of(JacobianWork *w, const SimPoint *p)
{
    const ModelShape *m = &p->model->shape;
    MatrixShape *shape = matrix_shape(w->arena, m->n, m->pattern);
    double *values = arena_zero(w->arena, (shape->size + 1) * sizeof *values);
    double *f = arena_zero(w->arena, ((size_t)m->n + 1) * sizeof *f);
    double cost = time_of(p, shape, values, f) / time_of(p, NULL, NULL, f);
    return isfinite(cost) ? cost : 0.0;
}

static void visit(void *arg, const SimPoint *p)
{
    JacobianWork *w = arg;
    const char *why = "";
    if (w->failed) return;
    if (!w->audit) {
        w->audit = audit_new(p->model, p->options, p->t, p->y, &why);
        w->failed = !w->audit;
        w->n = p->model->shape.n;
        w->cells = arena_zero(w->arena, ((size_t)w->n * increment_type_count + 1) * sizeof *w->cells);
        if (w->failed) wrong(w->session, E_OPTION, "the model has no Jacobian to look at: %s", why);
    }
    if (w->points == 1 && (p->model->can & MODEL_JACOBIAN)) w->cost = cost_of(w, p);
    keep_ratios(w, p);
    if (w->audit && audit_point(w->audit, p->t, p->y, p->h, take_cell, w)) w->points++;
}

static bool walk(JacobianWork *w)
{
    AcausalSimulation s = *w->options->simulation;
    AcausalSimulationReport report;
    s.keep = true;
    w->model->visit = visit;
    w->model->visit_arg = w;
    AcausalStatus status = model_run(w->model, &s, &report);
    w->model->visit = NULL;
    acausal_result_free(report.result);
    w->message = arena_copy(w->arena, str_of(report.message));
    w->status = status;
    return status != ACAUSAL_WRONG && !w->failed;
}

/* ---- effect on runs -------------------------------------------------------------------------- */

JacobianRun jacobian_run(JacobianWork *w, const char *solver, const IncrementType *rule, double c0)
{
    const AcausalJacobian *o = w->options;
    AcausalSimulation s = *o->simulation;
    AcausalSimulationReport report;
    char texts[4][64];
    size_t n = 0, given = s.solver_option_count;
    const char **list = NEW_ARRAY(w->arena, const char *, given + 4);
    for (; n < given; n++) list[n] = s.solver_options[n];
    snprintf(texts[0], sizeof texts[0], "max-steps=%ld", o->max_steps);
    snprintf(texts[1], sizeof texts[1], "jacobian=%s",
             rule         ? "differences"
             : w->has_own ? "auto"
                          : "extrapolated");
    snprintf(texts[2], sizeof texts[2], "increment=%s", rule ? rule->name : increment_types[0].name);
    snprintf(texts[3], sizeof texts[3], "increment-c0=%.17g", c0);
    for (size_t k = 0; k < (c0 > 0.0 ? 4u : 3u); k++) list[n++] = texts[k];
    s.solver_options = list;
    s.solver_option_count = n;
    s.solver = solver;
    s.points = 0;
    s.keep = false;
    s.output = NULL;
    model_run(w->model, &s, &report);
    bool finished = w->model->last_end == SIM_DONE || w->model->last_end == SIM_TERMINATED;
    return (JacobianRun){ w->model->last.work, finished };
}

void jacobian_look(void *arg, Model *model, const SolverOptions *options, const JacobianMade *made)
{
    JacobianLook *look = arg;
    const char *why;
    if (look->seen++ % look->every) return;
    if (!look->audit) look->audit = audit_new(model, options, made->t, made->y, &why);
    if (look->audit) look->looked += audit_made(look->audit, made);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static double share(long part, long whole) { return whole ? 100.0 * (double)part / (double)whole : 100.0; }

static void write_rule(const AuditRule *r, const char *name, Text *out)
{
    text_printf(out, "%-20s %10.1f %% %12.1f %% %12.1f %% %8.1f %12.2g\n", name,
                share(r->exact_sums, r->sums), share(r->near, r->entries), share(r->near_columns, r->sums),
                r->entries ? -r->log_error / (double)r->entries : 0.0, r->worst);
}

static void write_rules(JacobianWork *w, Text *out)
{
    const AuditRule *r;
    text_printf(out, "\n%-20s %12s %14s %14s %8s %12s\n", "rule", "exact sums", "entries near",
                "columns near", "digits", "worst error");
    for (size_t k = 0; (r = audit_rule(w->audit, k)); k++) {
        write_rule(r, r->type->name, out);
    }
}

static void write_states(JacobianWork *w, Text *out)
{
    char name[64];
    text_printf(
        out,
        "\nIncrements at the last point; t, c, d: truncation, cancellation or data error dominates; ~: y + "
        "increment is not exact\n%-24s %10s %9s",
        "state", "y", "nominal");
    for (size_t r = 0; r < increment_type_count; r++) text_printf(out, " %11.11s", increment_types[r].name);
    text_add_literal(out, "\n");
    for (int j = 0; j < w->n; j++) {
        const AuditCell *c = &w->cells[(size_t)j * increment_type_count];
        text_printf(out, "%-24.24s %10.3g %9.3g", model_name(w->model->model, j, name, sizeof name), c->y,
                    c->nominal);
        for (size_t r = 0; r < increment_type_count; r++)
            text_printf(out, " %8.1e%c%c ", c[r].delta, errors[dominating(&c[r])][0],
                        c[r].is_exact ? ' ' : '~');
        text_add_literal(out, "\n");
    }
}

static void write_worst(JacobianWork *w, Text *out)
{
    const AuditEntry *e;
    char row[64], column[64];
    int n = audit_worst(w->audit, &e);
    if (!n) return;
    text_printf(out, "\nThe worst entries of the default rule\n%-28s %-28s %12s %15s %15s %10s %8s\n",
                "derivative of", "by", "t", "reference", "difference", "increment", "ratio");
    for (int k = 0; k < n; k++)
        text_printf(out, "%-28.28s %-28.28s %12.6g %15.8g %15.8g %10.1e %8.3g\n",
                    model_name(w->model->model, e[k].row, row, sizeof row),
                    model_name(w->model->model, e[k].column, column, sizeof column), e[k].t, e[k].want,
                    e[k].got, e[k].delta, e[k].ratio);
}

static void write_run(const char *solver, const char *rule, const JacobianRun *run, Text *out)
{
    text_printf(out, "%-12s %-20s %9ld %10ld %10ld %8ld %8ld  %s\n", solver, rule, run->work.steps,
                run->work.f, run->work.f_jacobian, run->work.jacobians, run->work.factors,
                run->finished ? "" : "did not finish");
}

static void write_runs(JacobianWork *w, Text *out)
{
    const AcausalJacobian *o = w->options;
    text_printf(out, "\n%-12s %-20s %9s %10s %10s %8s %8s\n", "solver", "rule", "steps", "f", "f for J", "J",
                "LU");
    for (size_t k = 0; k < o->solver_count; k++) {
        JacobianRun run = jacobian_run(w, o->solvers[k], NULL, 0.0);
        write_run(o->solvers[k], w->has_own ? "(model's own)" : "(extrapolated)", &run, out);
        for (size_t r = 0; r < increment_type_count; r++) {
            run = jacobian_run(w, o->solvers[k], &increment_types[r], 0.0);
            write_run(o->solvers[k], increment_types[r].name, &run, out);
        }
    }
}

/* Jacobians that integrators get in runs with the default rule, about as many as points: all in
 * turn, by one increment or by several. */
static void write_made(JacobianWork *w, Text *out)
{
    const AcausalJacobian *o = w->options;
    text_printf(out, "\n%-12s %10s %10s %14s %14s\n", "solver", "J", "looked at", "by several",
                "entries near");
    for (size_t k = 0; k < o->solver_count; k++) {
        long near = 0, entries = 0, several = 0;
        JacobianRun run = jacobian_run(w, o->solvers[k], &increment_types[0], 0.0);
        JacobianLook look = { .every = 1 + run.work.jacobians /
                                               (o->simulation->points > 0 ? o->simulation->points : 1) };
        w->model->made = jacobian_look;
        w->model->made_arg = &look;
        jacobian_run(w, o->solvers[k], &increment_types[0], 0.0);
        w->model->made = NULL;
        for (int kind = 0; kind < 2 && look.audit; kind++) {
            const AuditRule *r = audit_of_made(look.audit, kind);
            near += r->near;
            entries += r->entries;
            several += kind ? r->entries : 0;
        }
        text_printf(out, "%-12s %10ld %10ld %12.1f %% %12.1f %%\n", o->solvers[k], look.seen, look.looked,
                    share(several, entries), share(near, entries));
        audit_free(look.audit);
    }
}

static void json_rule(const AuditRule *r, const char *name, bool is_first, Text *out)
{
    text_printf(out,
                "%s{\"rule\":\"%s\",\"exact_sums\":%.6g,\"entries\":%ld,\"near_best\":%.6g,"
                "\"near_columns\":%.6g,\"digits\":%.6g,\"worst\":%.6g}",
                is_first ? "" : ",", name, share(r->exact_sums, r->sums) / 100.0, r->entries,
                share(r->near, r->entries) / 100.0, share(r->near_columns, r->sums) / 100.0,
                r->entries ? -r->log_error / (double)r->entries : 0.0, r->worst);
}

/* The same for machines. */
static void write_json(JacobianWork *w, Text *out)
{
    const AcausalJacobian *o = w->options;
    const AuditRule *r;
    text_printf(out, "{\"unknowns\":%d,\"points\":%ld,\"reference\":\"%s\",\"cost\":%.3g,\"rules\":[", w->n,
                w->points, audit_reference(w->audit), w->cost);
    for (size_t k = 0; (r = audit_rule(w->audit, k)); k++) {
        json_rule(r, r->type->name, k == 0, out);
    }
    text_add_literal(out, "],\"runs\":[");
    for (size_t k = 0, first = 1; k < o->solver_count; k++)
        for (size_t i = 0; i <= increment_type_count; i++, first = 0) {
            JacobianRun run = jacobian_run(w, o->solvers[k], i ? &increment_types[i - 1] : NULL, 0.0);
            text_printf(out,
                        "%s{\"solver\":\"%s\",\"rule\":\"%s\",\"steps\":%ld,\"f\":%ld,\"f_jacobian\":%ld,"
                        "\"jacobians\":%ld,"
                        "\"factors\":%ld,\"finished\":%s}",
                        first ? "" : ",", o->solvers[k], i ? increment_types[i - 1].name : "reference",
                        run.work.steps, run.work.f, run.work.f_jacobian, run.work.jacobians, run.work.factors,
                        run.finished ? "true" : "false");
        }
    text_add_literal(out, "]}\n");
}

static void write_text(JacobianWork *w, Text *out)
{
    text_printf(out, "%d unknowns, %ld points, against %s%s%s\n", w->n, w->points, audit_reference(w->audit),
                *w->message ? "; the run said: " : "", w->message);
    if (w->cost > 0.0)
        text_printf(out, "The model's own Jacobian costs %.2g right-hand sides, differences %d\n", w->cost,
                    w->model->model->shape.pattern ? audit_colours(w->audit) : w->n);
    write_rules(w, out);
    write_states(w, out);
    write_worst(w, out);
    if (w->options->solver_count) write_runs(w, out), write_made(w, out);
}

static bool open_csv(JacobianWork *w)
{
    if (!w->options->csv) return true;
    w->csv = fopen(w->options->csv, "w");
    if (!w->csv) return wrong(w->session, E_OUTPUT, "'%s' cannot be written", w->options->csv);
    fputs("time,state,y,nominal,rule,increment,exact_sum,truncation,cancellation,data,dominates,error\n",
          w->csv);
    return true;
}

static void fill_defaults(AcausalJacobian *o, AcausalSimulation *run)
{
    if (run->points < 0) run->points = USUAL_POINTS;
    if (run->time_limit == 0.0) run->time_limit = USUAL_SECONDS;
    if (!o->solvers) o->solvers = usual_solvers, o->solver_count = COUNT_OF(usual_solvers);
    if (!o->max_steps) o->max_steps = MOST_STEPS;
    o->simulation = run;
}

AcausalStatus acausal_jacobian(AcausalSession *s, const char *source, const char *class_name,
                               const AcausalJacobian *given, AcausalFormat format, AcausalWrite write,
                               void *arg)
{
    AcausalJacobian own = { 0 }, *options = &own;
    AcausalSimulation run;
    if (!TAKE(s, own, given) || !take_simulation(s, &run, own.simulation)) return ACAUSAL_USAGE;
    fill_defaults(&own, &run);
    JacobianWork w = { .session = s, .options = options, .arena = arena_new() };
    if (!w.arena) return ACAUSAL_BUG;
    AcausalStatus status = ACAUSAL_WRONG;
    w.model = acausal_compile(s, source, class_name);
    if (w.model && open_csv(&w) && walk(&w)) {
        Text out = { .arena = w.arena };
        status = w.status;
        if (!w.audit || !w.points)
            wrong(s, E_OPTION, "no point of the run has a Jacobian%s%s", *w.message ? ": " : "", w.message);
        w.has_own = w.model->model->can & MODEL_JACOBIAN;
        if (w.points) (format == ACAUSAL_JSON ? write_json : write_text)(&w, &out);
        if (w.points) write(arg, out.at, out.n);
        if (!w.points || (options->svg_directory && !jacobian_draw(&w))) status = ACAUSAL_WRONG;
    }
    if (w.csv && fclose(w.csv)) wrong(s, E_OUTPUT, "'%s' cannot be written", options->csv);
    audit_free(w.audit);
    acausal_model_free(w.model);
    arena_free(w.arena);
    return session_status(s) == ACAUSAL_DONE ? status : ACAUSAL_WRONG;
}
