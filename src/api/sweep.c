/* sweep.c: many runs of one model over grids or samples of its parameters.
 *
 * In: a model, ranges of parameters. Out: for each run values at the end, least and largest ones.
 * How: the model is translated once; each run has an instance of its own, on one of several
 * threads. Always: rows come in the order of the grid, whatever the threads did; a run that fails
 * does not stop the others. Cost: the runs. Tests: tests/cli/sweep.sh. */
#include "api/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_RUNS = 10000000, MESSAGE = 200 };

typedef struct {
    double *values; /* count of them; of a sample: from, to */
    size_t count;
} Range;

typedef struct {
    double t, cpu;
    char message[MESSAGE];
} Outcome;

typedef struct {
    Vary vary;
    AcausalModel *m;
    const AcausalSweep *sweep;
    Range *ranges;
    int *of;
    size_t runs;
    double *p;                      /* runs x count */
    double *last, *least, *largest; /* runs x of_count */
    Outcome *outcomes;
} Work;

/* ---- ranges ---------------------------------------------------------------------------------- */

static bool add_range(Work *w, const char *text, Range *r)
{
    Arena *arena = w->m->texts;
    char *end;
    double from = strtod(text, &end), to, count = 2.0;
    bool ok = end != text;
    if (ok && *end == ':') {
        to = strtod(end + 1, &end);
        if (*end == ':') count = strtod(end + 1, &end);
        if (*end || !isfinite(from) || !isfinite(to) || !(count >= 1.0) || count > MOST_RUNS ||
            count != floor(count))
            return wrong(w->m->session, E_OPTION, "'%s' should be FROM:TO:COUNT", text);
        r->count = (size_t)count;
        r->values = NEW_ARRAY(arena, double, r->count + 1);
        for (size_t k = 0; k < r->count; k++)
            r->values[k] = r->count > 1 ? from + (to - from) * (double)k / (double)(r->count - 1) : from;
        return true;
    }
    size_t room = 1;
    for (const char *c = text; *c; c++) room += *c == ',';
    r->values = NEW_ARRAY(arena, double, room);
    for (const char *at = text; ok; at = end + 1) {
        r->values[r->count] = strtod(at, &end);
        ok = end != at && isfinite(r->values[r->count++]);
        if (*end != ',') break;
    }
    if (!ok || *end)
        return wrong(w->m->session, E_OPTION, "'%s' should be VALUE,VALUE... or FROM:TO:COUNT", text);
    return true;
}

static bool find_ranges(Work *w)
{
    const AcausalSweep *s = w->sweep;
    Arena *arena = w->m->texts;
    const char **names = NEW_ARRAY(arena, const char *, s->vary_count + 1);
    w->ranges = NEW_ARRAY(arena, Range, s->vary_count + 1);
    w->runs = s->samples ? s->samples : 1;
    for (size_t j = 0; j < s->vary_count; j++) {
        const char *equal = strchr(s->vary[j], '=');
        if (!equal) return wrong(w->m->session, E_OPTION, "'%s' should be NAME=VALUES", s->vary[j]);
        names[j] = arena_copy(arena, (Str){ s->vary[j], (size_t)(equal - s->vary[j]) });
        if (!add_range(w, equal + 1, &w->ranges[j])) return false;
        if (s->samples && w->ranges[j].count < 2)
            return wrong(w->m->session, E_OPTION, "samples of '%s' need a range FROM:TO", names[j]);
        if (!s->samples) w->runs *= w->ranges[j].count;
        if (w->runs > MOST_RUNS) return wrong(w->m->session, E_OPTION, "more than %d runs", MOST_RUNS);
    }
    return vary_in(&w->vary, names, s->vary_count);
}

/* The values of all runs; in a grid the last parameter changes fastest. */
static void fill_points(Work *w)
{
    size_t m = w->sweep->vary_count;
    Random random = { w->sweep->seed ? w->sweep->seed : 1 };
    if (w->sweep->samples) sample_latin(&random, (int)m, (int)w->runs, w->p);
    for (size_t i = 0; i < w->runs; i++) {
        size_t rest = i;
        for (size_t j = m; j-- > 0;) {
            const Range *r = &w->ranges[j];
            double *p = &w->p[i * m + j];
            if (w->sweep->samples) {
                *p = r->values[0] + *p * (r->values[r->count - 1] - r->values[0]);
            } else {
                *p = r->values[rest % r->count];
                rest /= r->count;
            }
        }
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct {
    Work *w;
    double *last, *least, *largest;
} Watch;

static void take_row(void *arg, double t, const double *values)
{
    const Watch *watch = arg;
    const Work *w = watch->w;
    (void)t;
    for (size_t k = 0; k < w->sweep->of_count; k++) {
        const ModelVariable *v = &w->m->model->shape.variables[w->of[k]];
        double value = v->negated ? -values[v->slot] : values[v->slot];
        watch->last[k] = value;
        watch->least[k] = fmin(watch->least[k], value);
        watch->largest[k] = fmax(watch->largest[k], value);
    }
}

static void run_one(void *arg, size_t i, unsigned worker)
{
    Work *w = arg;
    size_t n = w->sweep->of_count;
    Outcome *out = &w->outcomes[i];
    Watch watch = { w, w->last + i * n, w->least + i * n, w->largest + i * n };
    SimOptions o = w->vary.options;
    SimReport sim;
    (void)worker;
    for (size_t k = 0; k < n; k++) watch.last[k] = watch.least[k] = watch.largest[k] = NAN;
    Model *model = vary_instance(&w->vary, w->p + i * w->sweep->vary_count, NULL, 0, out->message, MESSAGE);
    if (!model) return;
    RowSink sink = row_sink(take_row, &watch);
    o.sink = &sink.sink;
    double start = clock_wall();
    bool ok = sim_run(model, &o, &sim);
    out->cpu = clock_wall() - start;
    out->t = sim.t;
    if (!ok) {
        for (size_t k = 0; k < n; k++) watch.last[k] = NAN;
        snprintf(out->message, MESSAGE, "%.*s", MESSAGE - 1, sim.message);
    }
    gen_instance_free(model);
}

static AcausalStatus hand_out(Work *w, void (*row)(void *arg, const AcausalSweepRow *row), void *arg)
{
    size_t n = w->sweep->of_count, m = w->sweep->vary_count, failed = 0;
    for (size_t i = 0; i < w->runs; i++) {
        AcausalSweepRow r = { .size = sizeof r,
                              .run = i + 1,
                              .runs = w->runs,
                              .parameters = w->p + i * m,
                              .last = w->last + i * n,
                              .least = w->least + i * n,
                              .largest = w->largest + i * n,
                              .t = w->outcomes[i].t,
                              .cpu_seconds = w->outcomes[i].cpu,
                              .message = w->outcomes[i].message };
        failed += w->outcomes[i].message[0] != 0;
        row(arg, &r);
    }
    return failed ? ACAUSAL_FAILED : ACAUSAL_DONE;
}

static AcausalStatus sweep_model(Work *w, void (*row)(void *arg, const AcausalSweepRow *row), void *arg)
{
    const AcausalSweep *s = w->sweep;
    Arena *arena = w->m->texts;
    if (!vary_open(&w->vary, w->m, s->run, false)) return ACAUSAL_WRONG;
    w->of = NEW_ARRAY(arena, int, s->of_count + 1);
    bool known = vary_find(&w->vary, s->of, s->of_count, false, w->of);
    if (!find_ranges(w) || !known) return ACAUSAL_WRONG;
    w->p = NEW_ARRAY(arena, double, w->runs * s->vary_count + 1);
    double **results[] = { &w->last, &w->least, &w->largest };
    for (size_t k = 0; k < COUNT_OF(results); k++)
        *results[k] = NEW_ARRAY(arena, double, w->runs * s->of_count + 1);
    w->outcomes = NEW_ARRAY(arena, Outcome, w->runs + 1);
    fill_points(w);
    pool_each(s->threads ? s->threads : cpu_count(), w->runs, run_one, w);
    return hand_out(w, row, arg);
}

AcausalStatus acausal_sweep(AcausalSession *s, const char *source, const char *class_name,
                            const AcausalSweep *sweep, void (*row)(void *arg, const AcausalSweepRow *row),
                            void *arg)
{
    AcausalSweep own = { 0 };
    AcausalSimulation run;
    if (!TAKE(s, own, sweep) || !take_simulation(s, &run, own.run)) return ACAUSAL_USAGE;
    own.run = &run;
    AcausalModel *m = acausal_compile(s, source, class_name);
    if (!m) return ACAUSAL_WRONG;
    Work w = { .m = m, .sweep = &own };
    AcausalStatus status = ACAUSAL_WRONG;
    if (m->fmu)
        wrong(s, E_OPTION, "a sweep runs Modelica models; this is an FMU");
    else
        status = sweep_model(&w, row, arg);
    acausal_model_free(m);
    return status;
}
