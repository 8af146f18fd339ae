/* fit.c: parameters from measured data, from names and files to numbers.
 *
 * In: a model, CSV files, parameters with bounds. Out: estimates, their intervals, what the data
 * cannot tell. How: residuals and their exact derivatives come from runs that carry derivatives
 * (sens/forward.c) with rows at the times of the data; study/ does the rest. Objectives go to NLopt
 * with gradients forward or, for many parameters, back in time. Always: what is wrong with data is
 * told with file, row and column. Cost: one run an experiment and iteration. Tests:
 * tests/cli/fit.sh, tests/cli/fit.sh. */
#include "api/made.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANY_PARAMETERS = 20 };
static const double USUAL_TOLERANCE = 1e-8;

/* A column of the data. */
typedef struct {
    const Signal *signal;
    int output; /* among Work.of */
    double sigma;
} Measured;

typedef struct {
    const char *path;
    ResultTable *table, inputs;
    double *times;
    size_t *offset; /* by row: where its residuals begin; one more at the end */
    VEC(Measured) measured;
    VEC(VarySetting) set;
} Trial;

typedef struct {
    Vary vary;
    AcausalModel *m;
    const AcausalFit *fit;
    AcausalFitReport *report;
    VEC(Trial) experiments;
    VEC(int) of;
    double *start, *low, *high, *size;
    int residual_count, prior_count; /* residuals of priors are the last ones */
    int *prior_of;
    double *prior_mean, *prior_deviation;
    char why[640]; /* of the last run that failed */
} Work;

/* ---- parameters: NAME=START[MIN,MAX] --------------------------------------------------------- */

static bool read_bounds(Work *w, const char *text, double *low, double *high)
{
    char *end = NULL;
    const char *at = text + 1;
    *low = strtod(at, &end);
    if (end == at && *at == ',') *low = -INFINITY;
    bool ok = *end == ',';
    at = end + 1;
    if (ok) *high = strtod(at, &end);
    if (ok && end == at && *at == ']') *high = INFINITY;
    if (!ok || strcmp(end, "]") != 0 || !(*low < *high))
        return wrong(w->m->session, E_OPTION, "the bounds '%s' should be [MIN,MAX]", text);
    return true;
}

/* The name; *start stays if none is given. */
static const char *read_parameter(Work *w, const char *text, double *start, double *low, double *high)
{
    AcausalSession *s = w->m->session;
    const char *equal = strchr(text, '='), *bracket = strrchr(equal ? equal : text, '[');
    *low = -INFINITY;
    *high = INFINITY;
    if (!equal && model_find_variable(w->m->model, str_of(text))) return text;
    if (!equal && bracket && !strchr(bracket, ',')) bracket = NULL;
    if (bracket && !read_bounds(w, bracket, low, high)) return NULL;
    size_t n = equal ? (size_t)(equal - text) : bracket ? (size_t)(bracket - text) : strlen(text);
    if (equal) {
        const char *value = arena_copy(
            w->m->texts, (Str){ equal + 1, bracket ? (size_t)(bracket - equal - 1) : strlen(equal + 1) });
        if (!read_value(value, start)) {
            wrong(s, E_OPTION, "'%s' should be NAME=START[MIN,MAX]", text);
            return NULL;
        }
    }
    return arena_copy(w->m->texts, (Str){ text, n });
}

static bool find_parameters(Work *w)
{
    const AcausalFit *f = w->fit;
    size_t m = f->parameter_count;
    Arena *arena = w->m->texts;
    const char **names = NEW_ARRAY(arena, const char *, m + 1);
    double **arrays[] = { &w->start, &w->low, &w->high, &w->size };
    for (size_t k = 0; k < COUNT_OF(arrays); k++) *arrays[k] = NEW_ARRAY(arena, double, m + 1);
    for (size_t j = 0; j < m; j++) {
        w->start[j] = NAN;
        names[j] = read_parameter(w, f->parameters[j], &w->start[j], &w->low[j], &w->high[j]);
        if (!names[j]) return false;
    }
    if (!vary_in(&w->vary, names, m)) return false;
    for (size_t j = 0; j < m; j++) {
        if (isnan(w->start[j])) w->start[j] = fmin(fmax(w->vary.p[j], w->low[j]), w->high[j]);
        if (w->start[j] < w->low[j] || w->start[j] > w->high[j])
            return wrong(w->m->session, E_OPTION, "'%s' starts at %g, outside of its bounds", names[j],
                         w->start[j]);
        double span = w->high[j] - w->low[j];
        w->size[j] = w->start[j] != 0.0 ? fabs(w->start[j]) : isfinite(span) ? 0.1 * span : 1.0;
    }
    return true;
}

/* ---- data ------------------------------------------------------------------------------------ */

static int add_output(Work *w, int variable)
{
    for (uint32_t k = 0; k < w->of.n; k++)
        if (w->of.at[k] == variable) return (int)k;
    vec_push(w->m->texts, &w->of, variable);
    return (int)w->of.n - 1;
}

static double sigma_of(Work *w, const char *name)
{
    for (size_t k = 0; k < w->fit->sigma_count; k++) {
        const char *text = w->fit->sigmas[k], *equal = strchr(text, '=');
        size_t n = equal ? (size_t)(equal - text) : 0;
        if (equal && strlen(name) == n && !strncmp(text, name, n)) return strtod(equal + 1, NULL);
    }
    return 1.0;
}

static bool check_sigmas(Work *w)
{
    for (size_t k = 0; k < w->fit->sigma_count; k++) {
        const char *text = w->fit->sigmas[k], *equal = strchr(text, '=');
        double value;
        bool is_known = false;
        if (!equal || !read_value(equal + 1, &value) || !(value > 0.0))
            return wrong(w->m->session, E_OPTION, "'%s' should be NAME=DEVIATION, above 0", text);
        for (uint32_t i = 0; i < w->of.n; i++)
            is_known |=
                str_is((Str){ text, (size_t)(equal - text) }, w->m->model->shape.variables[w->of.at[i]].name);
        if (!is_known)
            return wrong(w->m->session, E_OPTION, "'%.*s' is not measured", (int)(equal - text), text);
    }
    return true;
}

static bool check_times(Work *w, Trial *e)
{
    AcausalSession *s = w->m->session;
    size_t n = e->table->rows;
    if (!n) return wrong(s, E_OPTION, "%s: there are no rows of data", e->path);
    e->times = NEW_ARRAY(w->m->texts, double, n + 1);
    for (size_t i = 0; i < n; i++) {
        e->times[i] = signal_at(&e->table->time, i);
        if (!isfinite(e->times[i])) return wrong(s, E_OPTION, "%s: row %zu has no time", e->path, i + 1);
        if (i && e->times[i] < e->times[i - 1])
            return wrong(s, E_OPTION, "%s: times should not fall: row %zu is at %g, the one before it at %g",
                         e->path, i + 1, e->times[i], e->times[i - 1]);
    }
    if (e->times[0] < w->vary.options.t0)
        return wrong(s, E_OPTION, "%s: row 1 is at %g, before the run begins at %g", e->path, e->times[0],
                     w->vary.options.t0);
    return true;
}

/* Columns are measured variables, or inputs that drive the model. */
static bool sort_columns(Work *w, Trial *e)
{
    AcausalSession *s = w->m->session;
    const Model *model = w->m->model;
    ResultTable *t = e->table;
    e->inputs = *t;
    e->inputs.signals = NEW_ARRAY(w->m->texts, Signal, t->count + 1);
    e->inputs.count = 0;
    size_t values = 0;
    for (size_t k = 0; k < t->count; k++) {
        const ModelVariable *v = model_find_variable(model, str_of(t->signals[k].name));
        if (!v)
            return unknown(s, "variable", t->signals[k].name,
                           model_nearest_variable(s, model, str_of(t->signals[k].name)));
        if (v->is_input) {
            e->inputs.signals[e->inputs.count++] = t->signals[k];
            continue;
        }
        if (v->type != VARIABLE_REAL)
            return wrong(s, E_OPTION, "%s: '%s' is no Real and cannot be fitted", e->path, v->name);
        Measured m = { &t->signals[k], add_output(w, (int)(v - model->shape.variables)),
                       sigma_of(w, v->name) };
        vec_push(w->m->texts, &e->measured, m);
        for (size_t i = 0; i < t->rows; i++) values += isfinite(signal_at(&t->signals[k], i)) != 0;
    }
    if (!values)
        return wrong(s, E_OPTION, "%s: nothing is measured: all columns are inputs or empty", e->path);
    w->residual_count += (int)values;
    return vary_inputs(w->m, e->inputs.count > 0);
}

/* FILE or FILE:NAME=VALUE,NAME=VALUE */
static bool open_experiment(Work *w, const char *text)
{
    char why[400];
    Arena *arena = w->m->texts;
    const char *equal = strchr(text, '='), *colon = equal ? memrchr(text, ':', (size_t)(equal - text)) : NULL;
    Trial e = { .path = arena_copy(arena, (Str){ text, colon ? (size_t)(colon - text) : strlen(text) }) };
    for (const char *at = colon ? colon + 1 : ""; *at;) {
        size_t n = strcspn(at, ",");
        VarySetting setting;
        if (!vary_setting(&w->vary, arena_copy(arena, (Str){ at, n }), &setting)) return false;
        vec_push(arena, &e.set, setting);
        at += n + (at[n] == ',');
    }
    e.table = result_read_data(e.path, why, sizeof why);
    if (!e.table) return wrong(w->m->session, E_OPTION, "%s", why);
    vec_push(arena, &w->experiments, e);
    Trial *kept = &w->experiments.at[w->experiments.n - 1];
    return check_times(w, kept) && sort_columns(w, kept);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Where rows of a run become residuals. */
typedef struct {
    Work *w;
    const Trial *e;
    const Model *forward;
    size_t next; /* row of the data */
    double slack;
    double *r, *J;  /* of this experiment's first residual */
    double *fitted; /* by row and column; NULL: not wanted */
} Rows;

static void write_residuals(Rows *rows, size_t i, const double *values)
{
    Work *w = rows->w;
    const ModelVariable *variables = w->m->model->shape.variables;
    size_t at = rows->e->offset[i];
    for (uint32_t k = 0; k < rows->e->measured.n; k++) {
        const Measured *m = &rows->e->measured.at[k];
        const ModelVariable *v = &variables[w->of.at[m->output]];
        double data = signal_at(m->signal, i), y = v->negated ? -values[v->slot] : values[v->slot];
        if (rows->fitted) rows->fitted[i * rows->e->measured.n + k] = y;
        if (!isfinite(data)) continue;
        rows->r[at] = (y - data) / m->sigma;
        for (int j = 0; j < w->vary.count; j++)
            rows->J[(size_t)j * (size_t)w->residual_count + at] =
                values[sens_forward_slot(rows->forward, m->output, j)] / m->sigma;
        at++;
    }
}

/* At an event the row after it counts: it comes second and writes over the first. */
static void take_row(void *arg, double t, const double *values)
{
    Rows *rows = arg;
    const double *times = rows->e->times;
    size_t n = rows->e->table->rows;
    while (rows->next < n && times[rows->next] < t - rows->slack) rows->next++;
    for (size_t i = rows->next; i < n && times[i] <= t + rows->slack; i++) write_residuals(rows, i, values);
}

static bool run_experiment(Work *w, Trial *e, const double *p, double *r, double *J, double *fitted)
{
    SimOptions o = w->vary.options;
    SimReport sim;
    size_t n = e->table->rows;
    Model *inner = vary_instance(&w->vary, p, e->set.at, e->set.n, w->why, sizeof w->why);
    Model *forward = inner ? sens_forward_new(inner, w->vary.wrt, w->vary.count, w->size, w->of.at,
                                              (int)w->of.n, w->why, sizeof w->why)
                           : NULL;
    bool ok = forward;
    if (ok) {
        o.t_end = isnan(w->fit->run->stop) ? e->times[n - 1] : w->fit->run->stop;
        Rows rows = { .w = w, .e = e, .forward = forward, .r = r, .J = J, .fitted = fitted };
        RowSink sink = row_sink(take_row, &rows);
        rows.slack = 1e-12 * fmax(fabs(o.t_end - o.t0), fabs(o.t_end));
        o.sink = &sink.sink;
        o.times = e->times;
        o.time_count = n;
        while (o.time_count && e->times[o.time_count - 1] > o.t_end) o.time_count--;
        if (e->inputs.count) o.inputs = &e->inputs;
        ok = sim_run(forward, &o, &sim);
        if (!ok) snprintf(w->why, sizeof w->why, "%s", sim.message);
    }
    sens_forward_free(forward);
    gen_instance_free(inner);
    return ok;
}

/* sum of min(r^2, 2 k |r| - k^2) as a sum of squares. */
static void bound_outliers(const Work *w, size_t count, double *r, double *J)
{
    double k = w->fit->huber;
    size_t n = (size_t)w->residual_count;
    for (size_t i = 0; i < count && k > 0.0; i++) {
        double size = fabs(r[i]);
        if (size <= k) continue;
        double bounded = sqrt(k * (2.0 * size - k));
        for (int j = 0; j < w->vary.count; j++) J[(size_t)j * n + i] *= k / bounded;
        r[i] = copysign(bounded, r[i]);
    }
}

static void add_priors(const Work *w, const double *p, double *r, double *J)
{
    size_t n = (size_t)w->residual_count, first = n - (size_t)w->prior_count;
    for (int k = 0; k < w->prior_count; k++) {
        int j = w->prior_of[k];
        r[first + (size_t)k] = (p[j] - w->prior_mean[k]) / w->prior_deviation[k];
        J[(size_t)j * n + first + (size_t)k] = 1.0 / w->prior_deviation[k];
    }
}

static bool all_residuals(void *arg, const double *p, double *r, double *J)
{
    Work *w = arg;
    size_t at = 0;
    memset(r, 0, (size_t)w->residual_count * sizeof *r);
    memset(J, 0, (size_t)w->residual_count * (size_t)w->vary.count * sizeof *J);
    for (uint32_t k = 0; k < w->experiments.n; k++) {
        Trial *e = &w->experiments.at[k];
        if (!run_experiment(w, e, p, r + at, J + at, NULL)) return false;
        at += e->offset[e->table->rows];
    }
    bound_outliers(w, at, r, J);
    add_priors(w, p, r, J);
    return true;
}

/* ---- objectives ------------------------------------------------------------------------------ */

typedef struct {
    Work *w;
    double *r, *J; /* with data */
} General;

static bool objective_value(void *arg, const double *p, double *value, double *gradient)
{
    Work *w = ((General *)arg)->w;
    SimReport sim;
    SimOptions o = w->vary.options;
    Model *inner = vary_instance(&w->vary, p, NULL, 0, w->why, sizeof w->why);
    bool ok = inner;
    if (ok && w->vary.count > MANY_PARAMETERS) {
        SensAdjoint job = { .of = w->of.at[0], .wrt = w->vary.wrt, .count = w->vary.count };
        SensAdjointStats stats;
        ok = sens_adjoint(inner, &o, &job, value, gradient, &sim, &stats);
        if (!ok) snprintf(w->why, sizeof w->why, "%s", sim.message);
    } else if (ok) {
        Model *forward =
            sens_forward_new(inner, w->vary.wrt, w->vary.count, w->size, w->of.at, 1, w->why, sizeof w->why);
        ok = forward;
        LastRow last = { NULL, 0 };
        if (ok)
            last = (LastRow){ NEW_ARRAY(w->m->texts, double, (size_t)forward->shape.value_count + 1),
                              (size_t)forward->shape.value_count };
        RowSink sink = row_sink(keep_row, &last);
        o.sink = &sink.sink;
        o.points = 1;
        o.interval = 0.0;
        if (ok && !(ok = sim_run(forward, &o, &sim))) snprintf(w->why, sizeof w->why, "%s", sim.message);
        const ModelVariable *v = &inner->shape.variables[w->of.at[0]];
        if (ok) *value = v->negated ? -last.values[v->slot] : last.values[v->slot];
        for (int j = 0; j < w->vary.count && ok; j++)
            gradient[j] = last.values[sens_forward_slot(forward, 0, j)];
        sens_forward_free(forward);
    }
    gen_instance_free(inner);
    return ok;
}

/* Half the sum of squares, for NLopt. */
static bool squares_value(void *arg, const double *p, double *value, double *gradient)
{
    General *g = arg;
    int n = g->w->residual_count;
    if (!all_residuals(g->w, p, g->r, g->J)) return false;
    *value = 0.0;
    for (int i = 0; i < n; i++) *value += 0.5 * g->r[i] * g->r[i];
    for (int j = 0; j < g->w->vary.count; j++) {
        gradient[j] = 0.0;
        for (int i = 0; i < n; i++) gradient[j] += g->J[(ptrdiff_t)j * n + i] * g->r[i];
    }
    return true;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Starting points: the first is the user's, others are spread over the bounds, or over a tenth to
 * ten times the value. */
static void spread(Work *w, const double *share, double *p)
{
    for (int j = 0; j < w->vary.count; j++) {
        double low = w->low[j], high = w->high[j], start = w->start[j];
        if (!isfinite(low) || !isfinite(high)) {
            double factor = pow(10.0, 2.0 * share[j] - 1.0);
            p[j] = fmin(fmax(start != 0.0 ? start * factor : 2.0 * share[j] - 1.0, low), high);
        } else {
            p[j] = low > 0.0 && high / low > 100.0 ? low * pow(high / low, share[j])
                                                   : low + share[j] * (high - low);
        }
    }
}

static bool search_general(Work *w, const double *from, FitResult *out)
{
    size_t m = (size_t)w->vary.count, n = (size_t)w->residual_count;
    Arena *arena = w->m->texts;
    General g = { w, NEW_ARRAY(arena, double, n + 1), NEW_ARRAY(arena, double, n *m + 1) };
    MinimiseProblem f = { .m = (int)m,
                          .value = w->fit->objective ? objective_value : squares_value,
                          .arg = &g,
                          .low = w->low,
                          .high = w->high,
                          .size = w->size,
                          .algorithm = w->fit->algorithm };
    *out = (FitResult){ .end = FIT_DONE, .p = NEW_ARRAY(arena, double, m + 1) };
    memcpy(out->p, from, m * sizeof *from);
    char why[240];
    if (minimise(&f, out->p, &out->sum, &out->evaluations, why, sizeof why)) {
        out->iterations = out->evaluations;
        return true;
    }
    if (!w->why[0]) snprintf(w->why, sizeof w->why, "%s", why);
    out->end = FIT_NO_START;
    return false;
}

static bool search_once(Work *w, const double *from, FitResult *out)
{
    bool is_lm = !w->fit->objective && (!w->fit->algorithm || !strcmp(w->fit->algorithm, "lm"));
    FitProblem f = { .n = w->residual_count,
                     .m = w->vary.count,
                     .residuals = all_residuals,
                     .arg = w,
                     .low = w->low,
                     .high = w->high,
                     .size = w->size,
                     .interrupt = w->fit->run->interrupt };
    if (!is_lm) {
        if (!search_general(w, from, out) || w->fit->objective) return out->end != FIT_NO_START;
        f.most_iterations = 1; /* only to learn what the data tell */
        int evaluations = out->evaluations;
        double *p = out->p;
        fit_least_squares(&f, p, w->m->texts, out);
        out->iterations = evaluations;
        out->evaluations += evaluations;
        if (out->end == FIT_STOPPED) out->end = FIT_DONE;
        return out->end != FIT_NO_START;
    }
    fit_least_squares(&f, from, w->m->texts, out);
    return out->end != FIT_NO_START;
}

static bool search(Work *w, FitResult *best)
{
    int m = w->vary.count, starts = w->fit->starts > 0 ? w->fit->starts : 0, evaluations = 0;
    Random random = { w->fit->seed ? w->fit->seed : 1 };
    double *shares = NEW_ARRAY(w->m->texts, double, (size_t)(starts * m) + 1);
    double *p = NEW_ARRAY(w->m->texts, double, (size_t)m + 1);
    sample_latin(&random, m, starts, shares);
    bool found = search_once(w, w->start, best);
    evaluations = best->evaluations;
    for (int k = 0; k < starts; k++) {
        FitResult other;
        spread(w, shares + (ptrdiff_t)k * m, p);
        bool ok = search_once(w, p, &other);
        evaluations += other.evaluations;
        if (ok && (!found || other.sum < best->sum)) *best = other, found = true;
    }
    best->evaluations = evaluations;
    return found;
}

/* ---- profiles -------------------------------------------------------------------------------- */

/* The fit with one parameter held. */
typedef struct {
    Work *w;
    int held;
    double value;
    double *p, *q, *J, *low, *high, *size; /* all parameters; the others, and what belongs to them */
} Slice;

static bool slice_residuals(void *arg, const double *q, double *r, double *J)
{
    Slice *s = arg;
    size_t n = (size_t)s->w->residual_count;
    for (int j = 0, k = 0; j < s->w->vary.count; j++) s->p[j] = j == s->held ? s->value : q[k++];
    if (!all_residuals(s->w, s->p, r, s->J)) return false;
    for (int j = 0, k = 0; j < s->w->vary.count; j++)
        if (j != s->held) memcpy(J + (size_t)k++ * n, s->J + (size_t)j * n, n * sizeof *J);
    return true;
}

/* The least sum of squares with the parameter at a value; the others begin where they were. */
static double slice_sum(Slice *s, double value)
{
    Work *w = s->w;
    Arena *arena = w->m->texts;
    FitResult out;
    s->value = value;
    if (w->vary.count == 1) {
        double sum = 0, *r = NEW_ARRAY(arena, double, (size_t)w->residual_count + 1);
        if (!slice_residuals(s, NULL, r, NULL)) return INFINITY;
        for (int i = 0; i < w->residual_count; i++) sum += r[i] * r[i];
        return sum;
    }
    FitProblem f = { .n = w->residual_count,
                     .m = w->vary.count - 1,
                     .residuals = slice_residuals,
                     .arg = s,
                     .low = s->low,
                     .high = s->high,
                     .size = s->size,
                     .interrupt = w->fit->run->interrupt };
    fit_least_squares(&f, s->q, arena, &out);
    if (out.end == FIT_NO_START) return INFINITY;
    memcpy(s->q, out.p, (size_t)(w->vary.count - 1) * sizeof *s->q);
    return out.sum;
}

/* Where the sum has grown by `rise`, to one side of the best value; infinite: nowhere. Steps double
 * until it has; then the root of the growth, nearly linear, is taken between two points. */
static double profile_end(Slice *s, const FitResult *best, int j, double sign, double rise)
{
    enum { DOUBLINGS = 7, ROUNDS = 12 };
    Work *w = s->w;
    double limit = sign > 0 ? w->high[j] : w->low[j], step = best->deviation[j], at = best->p[j];
    double inner = at, inner_growth = 0, outer = at, growth = 0;
    if (!isfinite(step) || !(step > 0)) step = 0.1 * w->size[j];
    for (int i = 0, k = 0; i < w->vary.count; i++)
        if (i != j) s->q[k++] = best->p[i];
    for (int k = 0; k < DOUBLINGS && growth < 1.0; k++, step *= 2.0) {
        if (outer == limit) return sign * INFINITY;
        inner = outer, inner_growth = growth;
        outer = sign > 0 ? fmin(at + step, limit) : fmax(at - step, limit);
        growth = sqrt(fmax(slice_sum(s, outer) - best->sum, 0.0) / rise);
    }
    if (growth < 1.0) return sign * INFINITY;
    for (int k = 0; k < ROUNDS && fabs(outer - inner) > 1e-4 * fabs(outer - at); k++) {
        double share = isfinite(growth) ? (1.0 - inner_growth) / (growth - inner_growth) : 0.5;
        double middle = inner + fmin(0.95, fmax(0.05, share)) * (outer - inner);
        double here = sqrt(fmax(slice_sum(s, middle) - best->sum, 0.0) / rise);
        if (fabs(here - 1.0) < 1e-3) return middle;
        if (here < 1.0)
            inner = middle, inner_growth = here;
        else
            outer = middle, growth = here;
    }
    return 0.5 * (inner + outer);
}

static void find_profiles(Work *w, const FitResult *best, double *low, double *high)
{
    Arena *arena = w->m->texts;
    size_t m = (size_t)w->vary.count, n = (size_t)w->residual_count;
    double t = student_quantile(0.975, (double)n - (double)m), rise = t * t * best->noise * best->noise;
    Slice s = { .w = w, .J = NEW_ARRAY(arena, double, n *m + 1) };
    double **arrays[] = { &s.p, &s.q, &s.low, &s.high, &s.size };
    for (size_t k = 0; k < COUNT_OF(arrays); k++) *arrays[k] = NEW_ARRAY(arena, double, m + 1);
    for (size_t j = 0; j < m; j++) {
        s.held = (int)j;
        for (size_t i = 0, k = 0; i < m; i++) {
            if (i == j) continue;
            s.low[k] = w->low[i], s.high[k] = w->high[i], s.size[k++] = w->size[i];
        }
        low[j] = rise > 0 && n > m ? profile_end(&s, best, (int)j, -1.0, rise) : -INFINITY;
        high[j] = rise > 0 && n > m ? profile_end(&s, best, (int)j, 1.0, rise) : INFINITY;
    }
}

/* ---- the report ------------------------------------------------------------------------------ */

static void fill_report(Work *w, const FitResult *f)
{
    int m = w->vary.count;
    AcausalFitReport *r = w->report;
    AcausalFitParameter *rows = NEW_ARRAY(w->m->texts, AcausalFitParameter, (size_t)m + 1);
    const AcausalFitParameter **list = NEW_ARRAY(w->m->texts, const AcausalFitParameter *, (size_t)m + 1);
    double *low = NEW_ARRAY(w->m->texts, double, (size_t)m + 1),
           *high = NEW_ARRAY(w->m->texts, double, (size_t)m + 1);
    bool has_profiles = w->fit->profile && !w->fit->objective;
    if (has_profiles) find_profiles(w, f, low, high);
    for (int j = 0; j < m; j++) {
        rows[j] = (AcausalFitParameter){
            .size = sizeof *rows,
            .name = w->m->model->shape.variables[w->vary.wrt[j]].name,
            .start = w->start[j],
            .value = f->p[j],
            .deviation = f->deviation ? f->deviation[j] : NAN,
            .low = f->low ? f->low[j] : NAN,
            .high = f->high ? f->high[j] : NAN,
            .weakest = f->direction ? f->direction[j] : NAN,
            .singular = f->singular ? f->singular[j] : NAN,
            .at_bound = f->p[j] <= w->low[j] || f->p[j] >= w->high[j],
            .profile_low = has_profiles ? low[j] : NAN,
            .profile_high = has_profiles ? high[j] : NAN,
        };
        list[j] = &rows[j];
    }
    r->parameters = list;
    r->correlation = f->correlation;
    r->count = (size_t)m;
    r->measured = (size_t)(w->residual_count - w->prior_count);
    r->sum = f->sum;
    r->noise = f->noise;
    r->converged = f->end == FIT_DONE;
    r->iterations = f->iterations;
    r->evaluations = f->evaluations;
}

/* Half the width of the 95 % band of a fitted value, from its derivatives; NAN where nothing was
 * measured, or the data do not tell. */
static double band_of(const Work *w, const FitResult *f, const double *J, double sigma)
{
    size_t m = (size_t)w->vary.count, n = (size_t)w->residual_count;
    double variance = 0;
    for (size_t i = 0; i < m && f->correlation; i++)
        for (size_t j = 0; j < m; j++)
            variance += J[i * n] * J[j * n] * f->correlation[i * m + j] * f->deviation[i] * f->deviation[j];
    bool is_known = f->correlation && isfinite(variance) && n > m;
    return is_known ? student_quantile(0.975, (double)(n - m)) * sigma * sqrt(fmax(variance, 0.0)) : NAN;
}

static const struct {
    const char *suffix;
    bool is_residual;
} fit_columns[] = {
    { "measured", false }, { "fitted", false }, { "low", false }, { "high", false }, { "residual", true }
};

/* Measured and fitted values, the band of the latter, and residuals of the first experiment. */
static void make_result(Work *w, const FitResult *f)
{
    enum { KINDS = COUNT_OF(fit_columns) };
    Trial *e = &w->experiments.at[0];
    Arena *arena = w->m->texts;
    size_t n = e->measured.n, rows = e->table->rows;
    double *fitted = NEW_ARRAY(arena, double, rows *n + 1), *values = NEW_ARRAY(arena, double, KINDS *n + 1);
    double *r = NEW_ARRAY(arena, double, (size_t)w->residual_count + 1);
    double *J = NEW_ARRAY(arena, double, (size_t)w->residual_count *(size_t)w->vary.count + 1);
    Column *columns = NEW_ARRAY(arena, Column, KINDS * n + 1);
    ResultSink *sink = sink_memory();
    if (!sink || !run_experiment(w, e, f->p, r, J, fitted)) {
        sink_free(sink);
        return;
    }
    for (size_t c = 0; c < n * KINDS; c++) {
        const Measured *measured = &e->measured.at[c / KINDS];
        const char *name = measured->signal->name, *suffix = fit_columns[c % KINDS].suffix;
        const char *unit = w->m->model->shape.variables[w->of.at[measured->output]].unit;
        columns[c] = (Column){ .name = arena_printf(arena, "%s %s", name, suffix),
                               .unit = unit,
                               .description = "",
                               .kind = COLUMN_CONTINUOUS,
                               .slot = (int)c };
        if (fit_columns[c % KINDS].is_residual) columns[c].unit = arena_printf(arena, "residual of %s", name);
    }
    sink_begin(sink, columns, KINDS * n, values);
    for (size_t i = 0; i < rows; i++) {
        const double *derivatives = J + e->offset[i];
        for (size_t k = 0; k < n; k++) {
            double data = signal_at(e->measured.at[k].signal, i), y = fitted[i * n + k],
                   *to = values + KINDS * k;
            double half = isfinite(data) ? band_of(w, f, derivatives++, e->measured.at[k].sigma) : NAN;
            to[0] = data, to[1] = y, to[2] = y - half, to[3] = y + half, to[4] = data - y;
        }
        sink_row(sink, e->times[i], values);
    }
    sink_end(sink);
    w->report->result = (AcausalResult *)sink_table(sink);
    sink_free(sink);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool check_algorithm(Work *w)
{
    const char *name = w->fit->algorithm, *names[16] = { "lm" };
    size_t n = 1;
    for (size_t k = 0; k < minimise_algorithm_count; k++) names[n++] = minimise_algorithms[k];
    for (size_t k = 0; k < n; k++)
        if (!name || !strcmp(name, names[k])) return true;
    return unknown(w->m->session, "algorithm", name, text_nearest(str_of(name), names, n));
}

static void count_offsets(Work *w)
{
    for (uint32_t k = 0; k < w->experiments.n; k++) {
        Trial *e = &w->experiments.at[k];
        e->offset = NEW_ARRAY(w->m->texts, size_t, e->table->rows + 1);
        for (size_t i = 0; i < e->table->rows; i++) {
            e->offset[i + 1] = e->offset[i];
            for (uint32_t c = 0; c < e->measured.n; c++)
                e->offset[i + 1] += isfinite(signal_at(e->measured.at[c].signal, i)) != 0;
        }
    }
}

/* "P=MEAN,DEVIATION" */
static bool read_priors(Work *w)
{
    const AcausalFit *f = w->fit;
    AcausalSession *s = w->m->session;
    Arena *arena = w->m->texts;
    w->prior_of = NEW_ARRAY(arena, int, f->prior_count + 1);
    w->prior_mean = NEW_ARRAY(arena, double, f->prior_count + 1);
    w->prior_deviation = NEW_ARRAY(arena, double, f->prior_count + 1);
    for (size_t k = 0; k < f->prior_count; k++) {
        const char *text = f->priors[k], *equal = strchr(text, '=');
        char *end = NULL;
        Str name = { text, equal ? (size_t)(equal - text) : 0 };
        int j = 0;
        if (equal) w->prior_mean[k] = strtod(equal + 1, &end);
        if (equal && *end == ',') w->prior_deviation[k] = strtod(end + 1, &end);
        if (!equal || *end || !isfinite(w->prior_mean[k]) || !(w->prior_deviation[k] > 0.0))
            return wrong(s, E_OPTION, "'%s' should be P=MEAN,DEVIATION", text);
        while (j < w->vary.count && !str_is(name, w->m->model->shape.variables[w->vary.wrt[j]].name)) j++;
        if (j == w->vary.count)
            return wrong(s, E_OPTION, "'%.*s' is not fitted: nothing can be known of it before", (int)name.n,
                         text);
        w->prior_of[k] = j;
    }
    w->prior_count = (int)f->prior_count;
    w->residual_count += w->prior_count;
    return true;
}

static bool prepare(Work *w)
{
    const AcausalFit *f = w->fit;
    if (!check_algorithm(w) || !vary_open(&w->vary, w->m, f->run, true)) return false;
    if (isnan(f->run->tolerance)) w->vary.options.tol = fmin(w->vary.options.tol, USUAL_TOLERANCE);
    if (!find_parameters(w)) return false;
    if (f->objective && (f->prior_count || f->huber != 0.0 || f->profile))
        return wrong(w->m->session, E_OPTION, "priors, bounds of residuals and profiles are for data");
    if (f->objective) {
        static const char *const objective[] = { OBJECTIVE_NAME };
        int found;
        if (!vary_find(&w->vary, objective, 1, false, &found)) return false;
        add_output(w, found);
        return true;
    }
    for (size_t k = 0; k < f->data_count; k++)
        if (!open_experiment(w, f->data[k])) return false;
    count_offsets(w);
    if (!check_sigmas(w) || !read_priors(w)) return false;
    if (f->huber < 0.0) return wrong(w->m->session, E_OPTION, "the bound of residuals should be positive");
    if (w->residual_count < w->vary.count)
        return wrong(w->m->session, E_OPTION, "%d values are measured: too few for %d parameters",
                     w->residual_count, w->vary.count);
    return true;
}

static AcausalStatus fit_model(Work *w)
{
    FitResult found;
    if (!prepare(w)) return ACAUSAL_WRONG;
    double start = clock_cpu();
    bool ok = search(w, &found);
    if (ok && !w->fit->objective) make_result(w, &found);
    w->report->cpu_seconds = clock_cpu() - start;
    if (!ok) {
        w->report->message = arena_copy(w->m->session->arena, str_of(w->why));
        return ACAUSAL_FAILED;
    }
    fill_report(w, &found);
    return ACAUSAL_DONE;
}

/* Keeps what a report points to in the session. */
static void keep_report(AcausalSession *s, AcausalFitReport *r)
{
    AcausalFitParameter *rows = NEW_ARRAY(s->arena, AcausalFitParameter, r->count + 1);
    const AcausalFitParameter **list = NEW_ARRAY(s->arena, const AcausalFitParameter *, r->count + 1);
    double *correlation = NEW_ARRAY(s->arena, double, r->count * r->count + 1);
    for (size_t j = 0; j < r->count; j++) {
        rows[j] = *r->parameters[j];
        rows[j].name = arena_copy(s->arena, str_of(rows[j].name));
        list[j] = &rows[j];
    }
    if (r->correlation) memcpy(correlation, r->correlation, r->count * r->count * sizeof *correlation);
    r->parameters = list;
    r->correlation = correlation;
}

static AcausalStatus fit_source(AcausalSession *s, const char *source, const char *class_name,
                                const AcausalFit *fit, AcausalFitReport *report)
{
    if (!fit->parameter_count || (!fit->data_count && !fit->objective))
        return wrong(s, E_OPTION, "no parameters to fit, or nothing to fit them to"), ACAUSAL_WRONG;
    AcausalModel *m = model_with_objective(s, source, class_name, fit->objective);
    if (!m) return ACAUSAL_WRONG;
    Work w = { .m = m, .fit = fit, .report = report };
    AcausalStatus status = ACAUSAL_WRONG;
    if (m->fmu)
        wrong(s, E_OPTION, "a fit needs the equations of a model; an FMU gives none");
    else
        status = fit_model(&w);
    keep_report(s, report);
    for (uint32_t k = 0; k < w.experiments.n; k++) result_free(w.experiments.at[k].table);
    acausal_model_free(m);
    return status;
}

AcausalStatus acausal_fit(AcausalSession *s, const char *source, const char *class_name,
                          const AcausalFit *fit, AcausalFitReport *report)
{
    AcausalFit own = { 0 };
    AcausalSimulation run;
    AcausalFitReport r = { .message = "" };
    if (!is_sized(s, report) || !TAKE(s, own, fit) || !take_simulation(s, &run, own.run))
        return ACAUSAL_USAGE;
    own.run = &run;
    AcausalStatus status = fit_source(s, source, class_name, &own, &r);
    GIVE(report, r);
    return status;
}
