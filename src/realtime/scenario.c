/* scenario.c: runs of a model offline, from which everything else is learnt.
 *
 * In: a compiled model, a step, a span of time. Out: a reference trajectory by an integrator of
 * high accuracy; the linearisations along a run of the method with its exact Jacobian that differ
 * from all kept before, where the difference is measured by the criterion itself (DeltaJ = Df_old -
 * Df_new); outcomes of runs with other Jacobians. How: events are handled at grid points, as the
 * stepper does. Always: linearisations stay in order of time, the first is that of the start. Cost:
 * one QZ for each linearisation kept; one pass over all clusters and entries a step. Tests:
 * tests/realtime/sparsing_test.c. */
#include "realtime/inside.h"

#include "sim/sim.h"

#include <math.h>
#include <stdio.h>

enum { MOST_SEEN = 100, MOST_ROWS = 2000, MOST_ORDER = 3, DENSE_LARGEST = 160 };
static const double REFERENCE_TOLERANCE = 1e-8, SAME_TIME = 1e-9;
static const double OFFLINE_TOLERANCE = 1e-4, OFFLINE_SECONDS = 20;
static const double LARGEST_DIFFERENCE = 0.5; /* beyond it a warning is due */
/* a range below this share of the largest value: the state does not move */
static const double QUIET = 1e-9;

RtOptions rt_options(double step, double start, double stop)
{
    return (RtOptions){ .step = step,
                        .start = start,
                        .stop = stop,
                        .most = 16,
                        .different = 0.03,
                        .margin = 1e-4,
                        .error = 0.01,
                        .tries = 150 };
}

Model *scenario_instance(const RtScenario *s)
{
    return s->options.residual_form ? gen_residual_instance(s->compiled) : gen_instance(s->compiled);
}

/* ---- stepping -------------------------------------------------------------------------------- */

typedef struct {
    RtScenario *s;
    Arena *arena;
    Model *model;
    MatrixShape *shape;
    int *place, *diagonal; /* by entry of the pattern: in the shape */
    double *jacobian, *df, *matrix, *f, *dx, *g, *g_next;
    double *y, *column[MOST_ORDER];
    Lu *lu;
    EventInfo info;
    double used; /* entries, summed over steps */
    char *why;
} Stepper;

static bool stepper_open(Stepper *st, RtScenario *s, Arena *arena)
{
    const Pattern *p = s->system.pattern;
    size_t n = (size_t)s->system.n, count = (size_t)pattern_count(p);
    *st = (Stepper){ .s = s, .arena = arena, .model = scenario_instance(s), .why = s->message };
    if (!st->model) return false;
    st->shape = matrix_shape_as(arena, MATRIX_SPARSE, s->system.n, p);
    st->place = NEW_ARRAY(arena, int, count + 1);
    for (int j = 0; j < p->columns; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++)
            st->place[e] = matrix_place(st->shape, p->row[e], j);
    st->jacobian = NEW_ARRAY(arena, double, st->shape->size + 1);
    st->matrix = NEW_ARRAY(arena, double, st->shape->size + 1);
    st->df = NEW_ARRAY(arena, double, count + 1);
    st->f = NEW_ARRAY(arena, double, n + 1);
    st->dx = NEW_ARRAY(arena, double, n + 1);
    st->y = NEW_ARRAY(arena, double, n + 1);
    st->g = NEW_ARRAY(arena, double, (size_t)s->shape->indicators + 1);
    st->g_next = NEW_ARRAY(arena, double, (size_t)s->shape->indicators + 1);
    for (int k = 0; k < MOST_ORDER; k++) st->column[k] = NEW_ARRAY(arena, double, n + 1);
    st->lu = lu_new(arena, st->shape, false);
    return st->lu != NULL;
}

static void stepper_close(Stepper *st)
{
    lu_free(st->lu);
    gen_instance_free(st->model);
}

static bool fail(Stepper *st, double t, const char *what)
{
    const char *cause = st->model->type->failure(st->model);
    snprintf(st->why, sizeof st->s->message, "at time %.6g: %s%s%s", t, what, cause && *cause ? ": " : "",
             cause ? cause : "");
    return false;
}

static bool start(Stepper *st)
{
    Model *m = st->model;
    double t = st->s->options.start;
    if (m->type->initialise(m, t, st->y, &st->info) != EVAL_OK) return fail(st, t, "no initial values");
    if (m->shape.indicators && m->type->indicators(m, t, st->y, st->g) != EVAL_OK)
        return fail(st, t, "relations cannot be computed");
    return true;
}

static bool linearise(Stepper *st, double t)
{
    Model *m = st->model;
    memset(st->jacobian, 0, st->shape->size * sizeof(double));
    if (m->type->jacobian(m, t, st->y, st->shape, st->jacobian) != EVAL_OK) return fail(st, t, "no Jacobian");
    for (int e = 0; e < pattern_count(st->s->system.pattern); e++) st->df[e] = st->jacobian[st->place[e]];
    return true;
}

/* L - h J */
static bool factor(Stepper *st, double t, double h, const RtUse *use)
{
    const RtSystem *s = &st->s->system;
    memset(st->matrix, 0, st->shape->size * sizeof(double));
    for (int i = 0; i < s->n; i++) st->matrix[st->shape->diagonal[i]] = s->mass[i];
    for (int e = 0; e < pattern_count(s->pattern); e++) {
        if ((use->kept && !use->kept[e]) || fabs(s->tau * st->df[e]) < use->least) continue;
        st->matrix[st->place[e]] -= h * st->df[e];
        st->used += 1;
    }
    return lu_factor(st->lu, st->matrix) == LU_OK || fail(st, t, "L - tau J is singular");
}

/* y += h (L - h J)^-1 f(y, t), `parts` times with steps h / parts, into `out`. */
static bool substeps(Stepper *st, double t, double h, int parts, const RtUse *use, double *out)
{
    const RtSystem *s = &st->s->system;
    memcpy(out, st->y, (size_t)s->n * sizeof *out);
    if (!factor(st, t, h / parts, use)) return false;
    for (int k = 0; k < parts; k++) {
        if (st->model->type->derivatives(st->model, t + k * h / parts, out, st->f) != EVAL_OK)
            return fail(st, t, "no derivatives");
        lu_solve(st->lu, st->f);
        for (int i = 0; i < s->n; i++) out[i] += h / parts * st->f[i];
    }
    return true;
}

/* Aitken and Neville with steps h, h/2, h/3; `y` gets the last one. */
static bool step(Stepper *st, double t, const RtUse *use)
{
    int n = st->s->system.n, order = use->extrapolate > 1 ? use->extrapolate : 1;
    for (int k = 0; k < order; k++)
        if (!substeps(st, t, st->s->system.tau, k + 1, use, st->column[k])) return false;
    for (int level = 1; level < order; level++)
        for (int k = order - 1; k >= level; k--)
            for (int i = 0; i < n; i++)
                st->column[k][i] +=
                    (st->column[k][i] - st->column[k - 1][i]) / ((double)(k + 1) / (k + 1 - level) - 1);
    memcpy(st->y, st->column[order - 1], (size_t)n * sizeof *st->y);
    for (int i = 0; i < n; i++)
        if (!isfinite(st->y[i])) return fail(st, t, "values are not finite: the step is not stable");
    return true;
}

/* Relations that changed and times that came, at a grid point. */
static bool handle_events(Stepper *st, double t)
{
    Model *m = st->model;
    bool is_due = t >= st->info.next_time - SAME_TIME * st->s->system.tau;
    if (m->shape.indicators && m->type->indicators(m, t, st->y, st->g_next) != EVAL_OK)
        return fail(st, t, "relations cannot be computed");
    for (int k = 0; k < m->shape.indicators; k++) is_due |= (st->g[k] > 0) != (st->g_next[k] > 0);
    if (is_due) {
        if (m->type->event(m, t, st->y, &st->info) != EVAL_OK)
            return fail(st, t, "the event iteration did not converge");
        st->s->events++;
        if (m->shape.indicators && m->type->indicators(m, t, st->y, st->g_next) != EVAL_OK)
            return fail(st, t, "relations cannot be computed");
    } else {
        m->type->accepted(m, t, st->y);
    }
    double *other = st->g;
    st->g = st->g_next;
    st->g_next = other;
    return true;
}

/* ---- linearisations -------------------------------------------------------------------------- */

static void warn(RtScenario *s, const char *text) { vec_push(s->arena, &s->warnings, text); }

static bool take(Stepper *st, double t)
{
    RtScenario *s = st->s;
    size_t n = (size_t)s->system.n, count = (size_t)pattern_count(s->system.pattern);
    Linearisation *l = &s->at[s->count];
    double *y = NEW_ARRAY(s->arena, double, n + 1), *df = NEW_ARRAY(s->arena, double, count + 1);
    memcpy(y, st->y, n * sizeof *y);
    memcpy(df, st->df, count * sizeof *df);
    *l = (Linearisation){ .t = t, .y = y, .df = df };
    CriterionStatus status = criterion_new(s->arena, &s->system, df, n > DENSE_LARGEST, &l->criterion);
    if (status == CRITERION_SINGULAR)
        return fail(st, t,
                    s->options.residual_form
                        ? "L - tau Df is singular: the step is too large, or the index is above 1"
                        : "L - tau Df is singular: the step is too large for a growing mode");
    if (status == CRITERION_FAILED) return fail(st, t, "the QZ algorithm did not converge");
    if (l->criterion.radius > s->largest_radius) {
        s->largest_radius = l->criterion.radius;
        s->largest_time = t;
    }
    s->count++;
    return true;
}

static double nearest(const RtScenario *s, int count, const double *df)
{
    double least = INFINITY;
    int which;
    for (int k = 0; k < count; k++)
        least = fmin(least, criterion_distance(&s->system, &s->at[k].criterion, s->at[k].df, df, &which));
    return least;
}

/* More room, by asking for twice the difference: of two that are nearer the later one goes. */
static void thin_out(RtScenario *s)
{
    int kept = 0;
    s->different *= 2;
    for (int k = 0; k < s->count; k++)
        if (nearest(s, kept, s->at[k].df) >= s->different) s->at[kept++] = s->at[k];
    s->count = kept;
}

static bool consider(Stepper *st, double t)
{
    RtScenario *s = st->s;
    if (nearest(s, s->count, st->df) < s->different) return true;
    while (s->count == s->options.most) thin_out(s);
    return take(st, t);
}

static void look(Stepper *st, long k)
{
    RtScenario *s = st->s;
    size_t count = (size_t)pattern_count(s->system.pattern);
    if (k % (1 + (s->steps - 1) / MOST_SEEN) != 0) return;
    s->seen[s->seen_count] = NEW_ARRAY(s->arena, double, count + 1);
    memcpy(s->seen[s->seen_count++], st->df, count * sizeof *st->df);
}

static bool explore(RtScenario *s)
{
    Arena *arena = arena_new();
    Stepper st;
    RtUse use = { 0 };
    bool ok = arena && stepper_open(&st, s, arena);
    if (!ok) return false;
    ok = start(&st);
    for (long k = 0; k < s->steps && ok; k++) {
        double t = s->options.start + (double)k * s->system.tau;
        ok = linearise(&st, t) && consider(&st, t);
        if (ok) look(&st, k);
        ok = ok && step(&st, t, &use) && handle_events(&st, t + s->system.tau);
    }
    stepper_close(&st);
    arena_free(arena);
    return ok;
}

/* ---- the reference --------------------------------------------------------------------------- */

static bool wants_state(void *arg, const ModelVariable *v)
{
    (void)arg;
    return v->is_state;
}

static bool copy_reference(RtScenario *s, const ResultTable *table)
{
    size_t n = (size_t)s->system.n;
    RtTrace *r = &s->reference;
    for (size_t i = 0; i < n; i++) {
        const Signal *signal = result_find(table, s->names[i]);
        double low = INFINITY, high = -INFINITY, largest = 0;
        for (int k = 0; k < r->rows && signal; k++) {
            double t = s->options.start + (double)(k * r->stride) * s->system.tau;
            double value = r->at[(size_t)k * n + i] = result_value_at(table, signal, t);
            low = fmin(low, value);
            high = fmax(high, value);
            largest = fmax(largest, fabs(value));
        }
        s->range[i] = signal && high - low > QUIET * largest ? high - low : 0;
    }
    return true;
}

static bool run_reference(RtScenario *s)
{
    Model *model = gen_instance(s->compiled);
    ResultSink *sink = sink_memory();
    SimOptions options = sim_options(s->options.start, s->options.stop, REFERENCE_TOLERANCE);
    SimReport report = { 0 };
    options.interval = (double)s->reference.stride * s->system.tau;
    options.sink = sink;
    options.wants = wants_state;
    bool ok = model && sink && sim_run(model, &options, &report);
    if (!ok) snprintf(s->message, sizeof s->message, "the reference run failed: %s", report.message);
    ResultTable *table = sink ? sink_table(sink) : NULL;
    if (ok && table) copy_reference(s, table);
    result_free(table);
    sink_free(sink);
    gen_instance_free(model);
    return ok;
}

/* ---- a run with another Jacobian ------------------------------------------------------------- */

static void compare(const RtScenario *s, const double *y, long row, RtOutcome *o)
{
    size_t n = (size_t)s->system.n;
    for (size_t i = 0; i < n; i++) {
        if (s->range[i] <= 0) continue;
        double error = fabs(y[i] - s->reference.at[(size_t)row * n + i]) / s->range[i];
        o->error_all = fmax(o->error_all, error);
        if (!s->watched[i] || error <= o->error) continue;
        o->error = error;
        o->worst = (int)i;
    }
}

RtOutcome scenario_run(RtScenario *s, const RtUse *use)
{
    RtOutcome o = { .worst = -1 };
    Arena *arena = arena_new();
    Stepper st;
    long events = s->events;
    if (!arena || !stepper_open(&st, s, arena)) return o;
    char why[sizeof s->message];
    st.why = why;
    bool ok = start(&st);
    for (long k = 0; k < s->steps && ok; k++) {
        double t = s->options.start + (double)k * s->system.tau;
        if (k % s->reference.stride == 0 && k / s->reference.stride < s->reference.rows)
            compare(s, st.y, k / s->reference.stride, &o);
        ok = linearise(&st, t) && step(&st, t, use) && handle_events(&st, t + s->system.tau);
    }
    o.finished = ok;
    o.mean_count = st.used / (double)s->steps;
    s->events = events;
    stepper_close(&st);
    arena_free(arena);
    return o;
}

/* ---- offline --------------------------------------------------------------------------------- */

/* An instance whose Jacobian lacks entries. The model comes first, so that its functions find the
 * rest. */
typedef struct {
    Model model;
    const ModelType *inner;
    const Pattern *pattern;
    const unsigned char *kept;
} Masked;

static EvalStatus masked_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                  double *values)
{
    const Masked *m = (const Masked *)(const void *)model;
    EvalStatus status = m->inner->jacobian(model, t, y, order, values);
    for (int j = 0; j < m->pattern->columns; j++)
        for (int e = m->pattern->start[j]; e < m->pattern->start[j + 1]; e++) {
            int place = m->kept[e] ? -1 : matrix_place(order, m->pattern->row[e], j);
            if (place >= 0) values[place] = 0;
        }
    return status;
}

RtOffline scenario_offline(RtScenario *s, const unsigned char *kept)
{
    RtOffline o = { 0 };
    Model *instance = scenario_instance(s);
    if (!instance) return o;
    ModelType type = *instance->type;
    Masked masked = { *instance, instance->type, s->system.pattern, kept };
    type.jacobian = masked_jacobian;
    if (kept) masked.model.type = &type;
    SimOptions options = sim_options(s->options.start, s->options.stop, OFFLINE_TOLERANCE);
    SimReport report = { 0 };
    options.solver = solver_find("seulex");
    options.time_limit = OFFLINE_SECONDS;
    double start = clock_wall();
    o.finished = sim_run(&masked.model, &options, &report);
    o.seconds = clock_wall() - start;
    o.steps = report.stats.work.steps;
    o.f = report.stats.work.f;
    o.factors = report.stats.work.factors;
    gen_instance_free(instance);
    return o;
}

/* ---- warnings -------------------------------------------------------------------------------- */

static void warn_of_modes(RtScenario *s)
{
    double span = s->options.stop - s->options.start;
    const Criterion *c = &s->at[0].criterion;
    bool moved = false;
    for (int i = 0; i < s->system.n; i++) moved |= s->range[i] > 0;
    if (!moved) warn(s, "no state moves in this scenario: the linearisation of the start is all there is");
    for (int k = 0; k < c->count; k++) {
        const Cluster *q = &c->clusters[k];
        double rate = hypot(1 - q->re, q->im) / s->system.tau;
        if (q->kind == CLUSTER_STIFF || rate < 1e-6 / span || rate * span > 3 || q->im < 0) continue;
        warn(s, arena_printf(
                    s->arena,
                    "the scenario of %.4g s is too short to excite the %s cluster of %d near %.5f%+.5fi: "
                    "its time constant is %.3g s",
                    span, cluster_kinds[q->kind], q->m, q->re, q->im, 1 / rate));
    }
    for (int k = 0; k < s->count; k++)
        if (s->at[k].criterion.radius > 1 + 1e-9) {
            warn(
                s,
                arena_printf(
                    s->arena,
                    "the model itself is unstable at time %.4g: an eigenvalue of the step has the size %.6f; "
                    "sparsing keeps to that",
                    s->at[k].t, s->at[k].criterion.radius));
            break;
        }
    if (s->different > LARGEST_DIFFERENCE)
        warn(s, arena_printf(s->arena,
                             "the Jacobian changes so much that only linearisations which differ by %.2g of "
                             "a cluster's scale "
                             "could be kept",
                             s->different));
}

/* ---- the door -------------------------------------------------------------------------------- */

/* Whether a state is an output of the model, perhaps by another name. */
static bool is_output(const ModelShape *shape, const char *state)
{
    int slot = -1;
    for (int k = 0; k < shape->variable_count; k++)
        if (!strcmp(shape->variables[k].name, state)) slot = shape->variables[k].slot;
    for (int k = 0; k < shape->variable_count; k++)
        if (shape->variables[k].is_output && shape->variables[k].slot == slot) return true;
    return false;
}

/* By pattern; without one the outputs among the states, and where there are none all of them. */
static void find_watched(RtScenario *s)
{
    size_t n = (size_t)s->system.n, any = 0;
    s->watched = NEW_ARRAY(s->arena, unsigned char, n + 1);
    for (size_t i = 0; i < n; i++) {
        s->watched[i] = s->options.watch ? result_name_fits(s->options.watch, s->names[i])
                                         : is_output(s->shape, s->names[i]);
        any += s->watched[i];
    }
    if (!any) memset(s->watched, 1, n);
    if (!any && s->options.watch)
        warn(s, arena_printf(s->arena, "no state fits '%s': all are watched", s->options.watch));
}

static void describe(RtScenario *s, const Model *model)
{
    ModelShape *shape = NEW(s->arena, ModelShape);
    *shape = model->shape; /* what it points to is the compiled model's */
    s->shape = shape;
    size_t n = (size_t)shape->n;
    double *mass = NEW_ARRAY(s->arena, double, n + 1);
    for (size_t i = 0; i < n; i++) mass[i] = shape->mass ? shape->mass[i] : 1;
    const Pattern *p = shape->pattern;
    if (!p) {
        Entry *all = NEW_ARRAY(s->arena, Entry, n * n + 1);
        for (size_t k = 0; k < n * n; k++) all[k] = (Entry){ (int)(k % n), (int)(k / n) };
        p = pattern_of_entries(s->arena, (int)n, (int)n, all, n * n);
    }
    s->system = (RtSystem){ (int)n, s->options.step, mass, p };
    s->names = shape->names;
    find_watched(s);
    s->range = NEW_ARRAY(s->arena, double, n + 1);
    s->steps = lround((s->options.stop - s->options.start) / s->options.step);
    s->reference.n = (int)n;
    s->reference.stride = 1 + (s->steps - 1) / MOST_ROWS;
    s->reference.rows = (int)(s->steps / s->reference.stride) + 1;
    s->reference.at = NEW_ARRAY(s->arena, double, n *(size_t)s->reference.rows + 1);
    s->seen = NEW_ARRAY(s->arena, double *, MOST_SEEN + 2);
    s->at = NEW_ARRAY(s->arena, Linearisation, (size_t)s->options.most + 1);
}

RtScenario *scenario_new(Compiled *compiled, const RtOptions *options)
{
    Arena *arena = arena_new();
    if (!arena) return NULL;
    RtScenario *s = NEW(arena, RtScenario);
    s->arena = arena;
    s->compiled = compiled;
    s->options = *options;
    s->different = options->different;
    Model *model = scenario_instance(s);
    if (!model) {
        snprintf(s->message, sizeof s->message, "out of memory");
        return s;
    }
    describe(s, model);
    bool ok = s->steps > 0 && s->system.n > 0;
    if (!ok)
        snprintf(s->message, sizeof s->message,
                 s->system.n ? "the span has no step" : "the model has no states");
    ok = ok && run_reference(s) && explore(s);
    if (ok) warn_of_modes(s);
    gen_instance_free(model);
    return s;
}

void scenario_free(RtScenario *s)
{
    if (s) arena_free(s->arena);
}
