/* realtime_report.c: what the analysis for real time found, and how a run went, as lines for people
 * or as JSON.
 *
 * In: the report's parts. Out: text. Cost: linear. Tests: tests/cli/realtime.sh. */
#include "api/inside.h"

#include <math.h>
#include <stdio.h>

enum { MOST_CLUSTERS = 24 };

static void add_line(Text *out, const char *label, const char *format, ...) PRINTF_LIKE(3, 4);

static void add_line(Text *out, const char *label, const char *format, ...)
{
    va_list args;
    text_printf(out, "%-22s ", label);
    va_start(args, format);
    text_vprintf(out, format, args);
    va_end(args);
    text_add_literal(out, "\n");
}

static const char *state_name(const RealtimeReport *r, int state)
{
    return state >= 0 ? r->scenario->names[state] : "-";
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void text_linearisations(const RealtimeReport *r, Text *out)
{
    const RtScenario *s = r->scenario;
    add_line(out, "linearisations", "%d", s->count);
    for (int k = 0; k < s->count; k++) {
        const Criterion *c = &s->at[k].criterion;
        text_printf(out, "  t = %-10.4g radius %.6f, %d clusters:", s->at[k].t, c->radius, c->count);
        for (int kind = 0; kind < CLUSTER_KINDS; kind++) {
            int count = 0, m = 0;
            for (int q = 0; q < c->count; q++) {
                count += c->clusters[q].kind == (ClusterKind)kind;
                m += c->clusters[q].kind == (ClusterKind)kind ? c->clusters[q].m : 0;
            }
            if (count) text_printf(out, " %d %s (%d)", count, cluster_kinds[kind], m);
        }
        text_add_literal(out, "\n");
    }
    const Criterion *c = &s->at[0].criterion;
    text_add_literal(out, "clusters at the start (eigenvalues of a step; their number)\n");
    int shown = 0;
    for (int q = 0; q < c->count && shown < MOST_CLUSTERS; q++) {
        if (c->clusters[q].im < -1e-12) continue;
        text_printf(out, "  %-14s %9.5f%+.5fi  %d\n", cluster_kinds[c->clusters[q].kind], c->clusters[q].re,
                    fabs(c->clusters[q].im) < 1e-12 ? 0 : c->clusters[q].im, c->clusters[q].m);
        shown++;
    }
}

static void text_point(const RealtimeReport *r, const char *label, const RtPoint *p, const char *mark,
                       Text *out)
{
    text_printf(out, "  %-12s %7d %7d %7d  ", label, p->entries, p->count, p->count_lu);
    if (p->radius < 100)
        text_printf(out, "%9.6f %9.5f", p->radius, p->deviation);
    else
        text_printf(out, "%9s %9s", "large", "");
    if (p->stable && p->outcome.finished)
        text_printf(out, " %9.3f %% %s", 100 * p->outcome.error, state_name(r, p->outcome.worst));
    else
        text_printf(out, "  %s", p->stable ? "the run failed" : "not stable");
    text_printf(out, "%s\n", mark);
}

static void text_curve(const RealtimeReport *r, Text *out)
{
    const RtSparsing *s = r->sparsing;
    char label[32];
    text_add_literal(out,
                     "trade-off\n  threshold    entries     nnz  nnz LU     radius deviation     error of\n");
    text_point(r, "exact", &s->exact, "", out);
    for (int k = 0; k < s->count; k++) {
        snprintf(label, sizeof label, "%.3g", s->curve[k].threshold);
        text_point(r, label, &s->curve[k], k == s->recommended ? "  <- best of the curve" : "", out);
    }
    if (s->refined) text_point(r, "one by one", s->refined, "  <- recommended", out);
    text_point(r, "by size", &s->magnitude, "", out);
    if (s->dynamic.finished)
        text_printf(out, "  by size in every step anew (Nowak): %.1f entries in the mean, error %.3f %%\n",
                    s->dynamic.mean_count, 100 * s->dynamic.error);
    else
        text_add_literal(out, "  by size in every step anew (Nowak): the run failed\n");
}

static void text_choice(const RealtimeReport *r, Text *out)
{
    const RtPoint *p = r->choice;
    const RtMatrix *m = stepper_matrix(r->stepper);
    const RtPoint *exact = &r->sparsing->exact;
    add_line(out, "chosen", "%d of %d entries; L - tau J %d of %d nonzeros, factors %d of %d", p->entries,
             exact->entries, p->count, exact->count, p->count_lu, exact->count_lu);
    add_line(out, "stable",
             "%s: largest eigenvalue %.6f on the linearisations (exact: %.6f), %.6f at %d points of the run "
             "(%.6f)",
             p->stable && !r->sparsing->verified_bad ? "yes" : "not everywhere", p->radius, exact->radius,
             r->sparsing->verified, r->sparsing->verified_points, r->sparsing->verified_exact);
    add_line(out, "accuracy", "%.3f %% of the range at worst (%s); exact Jacobian %.3f %%; any state %.3f %%",
             100 * p->outcome.error, state_name(r, p->outcome.worst), 100 * exact->outcome.error,
             100 * p->outcome.error_all);
    for (int k = 0; k < 2; k++)
        if (r->sparsing->extrapolated[k].finished)
            add_line(out, k ? "extrapolated, order 3" : "extrapolated, order 2", "%.4f %%",
                     100 * r->sparsing->extrapolated[k].error);
    for (int k = 0; k < 2; k++) {
        const RtOffline *o = &r->sparsing->offline[k];
        add_line(out, k ? "  with the kept entries" : "offline, by seulex",
                 "%ld steps, %ld f, %ld factorisations%s", o->steps, o->f, o->factors,
                 o->finished ? "" : "; it did not finish");
    }
    add_line(out, "pivots", "at least %.3g of their columns, growth %.3g", m->plan->least, m->plan->growth);
}

static void text_code(const RealtimeReport *r, Text *out)
{
    RtOperations o = stepper_operations(r->stepper), m = stepper_matrix_operations(r->stepper);
    add_line(out, "worst case of a step", "%ld operations%s", operations_total(&o),
             o.calls ? ", and what functions of the model do" : "");
    text_printf(
        out,
        "  %ld additions, %ld products, %ld divisions, %ld roots, %ld functions, %ld comparisons, %ld loads, "
        "%ld stores, %ld branches, %ld calls\n",
        o.adds, o.products, o.divisions, o.roots, o.functions, o.comparisons, o.loads, o.stores, o.branches,
        o.calls);
    add_line(out, "factors and solve", "%ld operations", operations_total(&m));
    for (size_t k = 0; stepper_block(r->stepper, k); k++) {
        const LuPlan *plan = stepper_block(r->stepper, k);
        text_printf(out, "  block of the model: %d unknowns, %d nonzeros of factors, pivots at least %.3g\n",
                    plan->n, plan->count, plan->least);
    }
    add_line(out, "code", "%s, %zu bytes",
             stepper_backend(r->stepper) == IR_NATIVE ? "native" : "interpreter",
             stepper_code_size(r->stepper));
}

static void text_rows(const RealtimeReport *r, Text *out)
{
    if (!r->has_rows) return;
    text_add_literal(
        out, "times                  nnz    nnz LU   factor ns    solve ns     both ns     step ns\n");
    for (int k = 0; k < RT_VARIANTS; k++) {
        const RtMeasurement *m = &r->rows[k];
        text_printf(out, "  %-15s %8d %9d %11.1f %11.1f %11.1f %11.1f\n", m->variant, m->count, m->count_lu,
                    1e9 * m->factor_s, 1e9 * m->solve_s, 1e9 * m->both_s, 1e9 * m->step_s);
    }
    text_printf(out,
                "  factors and solve: %.1f times faster than LAPACK, %.1f than KLU; step: %.1f times faster "
                "than with "
                "LAPACK\n",
                r->rows[3].both_s / r->rows[0].both_s, r->rows[2].both_s / r->rows[0].both_s,
                r->rows[3].step_s / r->rows[0].step_s);
}

static void text_histogram(const RtRunReport *run, Text *out)
{
    long most = 1;
    for (int k = 0; k < RT_BUCKETS; k++) most = run->histogram[k] > most ? run->histogram[k] : most;
    for (int k = 0; k < RT_BUCKETS; k++) {
        if (!run->histogram[k]) continue;
        text_printf(out, "  < %9.2f us %8ld ", 0.1 * pow(2, (k + 1) / 2.0), run->histogram[k]);
        text_add_repeat(out, '#', (size_t)(1 + 40 * run->histogram[k] / most));
        text_add_literal(out, "\n");
    }
}

static void text_run(const RealtimeReport *r, Text *out)
{
    const RtRunReport *run = r->run;
    const AcausalRealtime *o = r->options;
    if (!run) return;
    double deadline = isnan(o->deadline) ? o->step : o->deadline;
    add_line(out, "run", "%ld steps of %g s, deadline %g s%s", run->steps, o->step, deadline,
             run->is_stopped       ? "; stopped at an overrun"
             : run->is_interrupted ? "; interrupted"
                                   : "");
    if (o->priority)
        add_line(out, "rights", "SCHED_FIFO %s, locked memory %s", run->has_priority ? "granted" : "denied",
                 run->has_lock ? "granted" : "denied");
    if (o->cpu >= 0) add_line(out, "processor", "%d %s", o->cpu, run->has_cpu ? "granted" : "denied");
    add_line(out, "busy", "median %.2f us, mean %.2f, 99 %% %.2f, 99.9 %% %.2f, worst %.2f",
             1e6 * run->median, 1e6 * run->mean, 1e6 * run->p99, 1e6 * run->p999, 1e6 * run->worst);
    add_line(out, "late to begin", "%.2f us at worst; late to end %.2f us", 1e6 * run->worst_latency,
             1e6 * run->worst_response);
    text_histogram(run, out);
    add_line(out, "overruns", "%ld (%s), %ld steps left out", run->overruns, o->overrun, run->skipped);
    for (long k = 0; k < run->overruns && k < RT_PLACES; k++)
        text_printf(out, "  step %ld at %.4g s: %.1f us\n", run->place[k], (double)run->place[k] * o->step,
                    1e6 * (double)run->log[run->place[k]].response);
    add_line(out, "flags",
             "%ld events (%ld whose iteration did not converge), %ld poor pivots, %ld steps held, error "
             "estimate %.3g at worst",
             run->events, run->not_converged, run->poor_pivots, run->held, run->worst_estimate);
    if (o->channel) add_line(out, "channel", "%ld records received", run->received);
}

void realtime_text(const RealtimeReport *r, Text *out)
{
    const RtScenario *s = r->scenario;
    int algebraic = 0;
    for (int i = 0; i < s->system.n; i++) algebraic += s->system.mass[i] == 0;
    add_line(out, "model", "%s", s->shape->name);
    add_line(out, "unknowns", "%d (%d algebraic)", s->system.n, algebraic);
    add_line(out, "step", "%g s, order %d", s->options.step, r->options->order);
    add_line(out, "scenario", "%g to %g s, %ld steps, %ld events, analysed in %.1f s", s->options.start,
             s->options.stop, s->steps, s->events, r->analysis_seconds);
    text_linearisations(r, out);
    text_curve(r, out);
    text_choice(r, out);
    text_code(r, out);
    text_rows(r, out);
    text_run(r, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_number(Text *out, const char *key, double value)
{
    text_printf(out, ",\"%s\":", key);
    if (isfinite(value))
        text_add_real(out, value);
    else
        text_add_literal(out, "null");
}

static void json_point(const RealtimeReport *r, const RtPoint *p, Text *out)
{
    text_printf(out, "{\"entries\":%d,\"nnz\":%d,\"nnz_lu\":%d,\"stable\":%s", p->entries, p->count,
                p->count_lu, p->stable ? "true" : "false");
    json_number(out, "threshold", p->threshold);
    json_number(out, "radius", p->radius);
    json_number(out, "deviation", p->deviation);
    json_number(out, "error", p->stable ? p->outcome.error : INFINITY);
    json_number(out, "error_all", p->stable ? p->outcome.error_all : INFINITY);
    text_add_literal(out, ",\"worst\":");
    text_add_json(out, str_of(state_name(r, p->outcome.worst)));
    text_add_literal(out, "}");
}

static void json_linearisations(const RealtimeReport *r, Text *out)
{
    const RtScenario *s = r->scenario;
    text_add_literal(out, ",\"linearisations\":[");
    for (int k = 0; k < s->count; k++) {
        text_printf(out, "%s{\"t\":", k ? "," : "");
        text_add_real(out, s->at[k].t);
        json_number(out, "radius", s->at[k].criterion.radius);
        text_add_literal(out, ",\"clusters\":[");
        for (int q = 0; q < s->at[k].criterion.count; q++) {
            const Cluster *c = &s->at[k].criterion.clusters[q];
            text_printf(out, "%s{\"kind\":\"%s\",\"count\":%d", q ? "," : "", cluster_kinds[c->kind], c->m);
            json_number(out, "re", c->re);
            json_number(out, "im", c->im);
            text_add_literal(out, "}");
        }
        text_add_literal(out, "]}");
    }
    text_add_literal(out, "]");
}

static void json_rows(const RealtimeReport *r, Text *out)
{
    text_add_literal(out, ",\"times\":[");
    for (int k = 0; k < RT_VARIANTS && r->has_rows; k++) {
        const RtMeasurement *m = &r->rows[k];
        text_printf(out, "%s{\"variant\":\"%s\",\"nnz\":%d,\"nnz_lu\":%d", k ? "," : "", m->variant, m->count,
                    m->count_lu);
        json_number(out, "factor_s", m->factor_s);
        json_number(out, "solve_s", m->solve_s);
        json_number(out, "both_s", m->both_s);
        json_number(out, "step_s", m->step_s);
        text_add_literal(out, "}");
    }
    text_add_literal(out, "]");
}

static void json_run(const RealtimeReport *r, Text *out)
{
    const RtRunReport *run = r->run;
    if (!run) return;
    text_printf(out,
                ",\"run\":{\"steps\":%ld,\"overruns\":%ld,\"skipped\":%ld,\"events\":%ld,\"poor_pivots\":%ld,"
                "\"held\":%ld,\"received\":%ld",
                run->steps, run->overruns, run->skipped, run->events, run->poor_pivots, run->held,
                run->received);
    json_number(out, "median_s", run->median);
    json_number(out, "p99_s", run->p99);
    json_number(out, "p999_s", run->p999);
    json_number(out, "worst_s", run->worst);
    json_number(out, "worst_response_s", run->worst_response);
    json_number(out, "worst_latency_s", run->worst_latency);
    json_number(out, "worst_estimate", run->worst_estimate);
    text_printf(out, ",\"priority\":%s,\"locked\":%s,\"stopped\":%s}", run->has_priority ? "true" : "false",
                run->has_lock ? "true" : "false", run->is_stopped ? "true" : "false");
}

void realtime_json(const RealtimeReport *r, Text *out)
{
    const RtScenario *s = r->scenario;
    RtOperations o = stepper_operations(r->stepper);
    text_add_literal(out, "{\"model\":");
    text_add_json(out, str_of(s->shape->name));
    text_printf(out, ",\"unknowns\":%d,\"steps\":%ld,\"order\":%d", s->system.n, s->steps, r->options->order);
    json_number(out, "step", s->options.step);
    json_linearisations(r, out);
    text_add_literal(out, ",\"exact\":");
    json_point(r, &r->sparsing->exact, out);
    text_add_literal(out, ",\"curve\":[");
    for (int k = 0; k < r->sparsing->count; k++) {
        if (k) text_add_literal(out, ",");
        json_point(r, &r->sparsing->curve[k], out);
    }
    text_add_literal(out, "],\"chosen\":");
    json_point(r, r->choice, out);
    text_add_literal(out, ",\"by_size\":");
    json_point(r, &r->sparsing->magnitude, out);
    json_number(out, "verified_radius", r->sparsing->verified);
    text_printf(out, ",\"operations\":%ld,\"calls\":%ld", operations_total(&o), o.calls);
    json_rows(r, out);
    json_run(r, out);
    text_add_literal(out, "}\n");
}
