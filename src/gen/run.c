/* run.c: instances of a compiled model as Models. All they do is in run/, which exported FMUs
 * share.
 *
 * Tests: tests/gen/model_test.c. */
#include "ext/ext.h"
#include "gen/inside.h"

#include <math.h>
#include <stdlib.h>

_Static_assert((int)RUN_OK == EVAL_OK && (int)RUN_RETRY == EVAL_RETRY && (int)RUN_FATAL == EVAL_FATAL,
               "the same status");
_Static_assert((int)RUN_MAP_INITIAL == MAP_INITIAL && (int)RUN_MAP_COUNT == MAP_COUNT, "the same maps");

static RunInstance *run_of(const Model *model) { return ((const Instance *)model->data)->run; }

RunInstance *gen_running(const Model *model) { return run_of(model); }

static void take_event(const RunEvent *from, EventInfo *to)
{
    *to = (EventInfo){ .y_changed = from->y_changed,
                       .states_selected = from->states_selected,
                       .rhs_changed = from->rhs_changed,
                       .terminate = from->terminate,
                       .next_time = from->next_time,
                       .max_step = from->max_step,
                       .iterations = from->iterations,
                       .message = from->message };
}

/* What integrators may know of their unknowns: before the start only what is a number. A nominal
 * value that is taken from a start value is not the user's. */
static void describe_unknowns(Instance *i, bool started)
{
    const Compiled *c = i->c;
    const double *nominal = started ? run_memory(i->run, MEM_NOMINAL) : c->run.nominal;
    const double *low = started ? run_memory(i->run, MEM_MIN) : c->run.min;
    const double *high = started ? run_memory(i->run, MEM_MAX) : c->run.max;
    uint32_t n = c->form ? c->form->n : c->s->states.n;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t v = c->form ? c->form->unknowns[k] : c->s->states.at[k];
        double size = c->run.nominal[v] == 1.0 ? 1.0 : fabs(nominal[v]);
        i->known[k] = size > 0.0 && isfinite(size) ? size : 1.0;
        i->known[n + k] = low[v];
        i->known[2 * n + k] = high[v];
    }
}

static EvalStatus initialise(Model *model, double t, double *y, EventInfo *info)
{
    RunEvent event;
    EvalStatus status = (EvalStatus)run_initialise(run_of(model), t, y, &event);
    describe_unknowns(model->data, true);
    take_event(&event, info);
    return status;
}

static void set_interrupt(Model *model, bool (*interrupt)(void *arg), void *arg)
{
    run_set_interrupt(run_of(model), interrupt, arg);
}

static void cut_short(Model *model) { run_cut_short(run_of(model)); }

static EvalStatus event(Model *model, double t, double *y, EventInfo *info)
{
    RunEvent event;
    EvalStatus status = (EvalStatus)run_event(run_of(model), t, y, &event);
    take_event(&event, info);
    return status;
}

static EvalStatus terminal(Model *model, double t, double *y, EventInfo *info)
{
    RunEvent event;
    EvalStatus status = (EvalStatus)run_terminal(run_of(model), t, y, &event);
    take_event(&event, info);
    return status;
}

static EvalStatus derivatives(Model *model, double t, const double *y, double *f)
{
    return (EvalStatus)run_derivatives(run_of(model), t, y, f);
}

static EvalStatus indicators(Model *model, double t, const double *y, double *g)
{
    return (EvalStatus)run_indicators(run_of(model), t, y, g);
}

static bool accepted(Model *model, double t, const double *y) { return run_accepted(run_of(model), t, y); }

static double extrapolation_error(Model *model, double t, const double *y)
{
    return run_extrapolation_error(run_of(model), t, y);
}

static EvalStatus all_values(Model *model, double t, const double *y, double *values)
{
    RunInstance *run = run_of(model);
    EvalStatus status = (EvalStatus)run_values(run, t, y);
    memcpy(values, run_values_now(run), run_model(run)->var_count * sizeof *values);
    return status;
}

enum { SHORT = 8 }; /* a stretch that is copied entry by entry */

/* Entries come in the same order every time, so their places are looked up once for a storage. */
typedef struct {
    const MatrixShape *order;
    double *values;
    int *places;
    size_t next;
    bool known;
} Target;

static void put(void *arg, int row, int column, double value)
{
    Target *to = arg;
    if (!to->known) to->places[to->next] = matrix_place(to->order, row, column);
    int place = to->places[to->next++];
    if (place >= 0) to->values[place] += value;
}

static bool same_storage(const MatrixShape *a, const MatrixShape *b)
{
    return a->kind == b->kind && a->n == b->n && a->size == b->size && a->lower == b->lower &&
           a->upper == b->upper;
}

static void find_stretches(Instance *i, const Pattern *pattern, const MatrixShape *order)
{
    Stretch now = { 0 };
    i->stretch_count = 0;
    for (int j = 0; j < pattern->columns; j++)
        for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++) {
            int place = matrix_place(order, pattern->row[e], j);
            if (place < 0) continue;
            if (now.n && now.entry + now.n == e && now.place + now.n == place) {
                now.n++;
                continue;
            }
            if (now.n) i->stretches[i->stretch_count++] = now;
            now = (Stretch){ e, place, 1 };
        }
    if (now.n) i->stretches[i->stretch_count++] = now;
}

void gen_put_entries(Instance *i, const Pattern *pattern, const MatrixShape *order, double *values)
{
    const double *entries = run_memory(i->run, MEM_ENTRIES);
    if (!same_storage(order, &i->placed_in)) find_stretches(i, pattern, order);
    i->placed_in = *order;
    for (int k = 0; k < i->stretch_count; k++) {
        Stretch s = i->stretches[k];
        if (s.n > SHORT)
            memcpy(values + s.place, entries + s.entry, (size_t)s.n * sizeof *values);
        else
            for (int j = 0; j < s.n; j++) values[s.place + j] = entries[s.entry + j];
    }
}

static EvalStatus state_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                 double *values)
{
    Instance *i = model->data;
    if (i->c->gradients.n) {
        EvalStatus status = (EvalStatus)run_entries(i->run, t, y);
        if (status == EVAL_OK) gen_put_entries(i, i->c->pattern, order, values);
        return status;
    }
    Target to = { order, values, i->places, 0, same_storage(order, &i->placed_in) };
    i->placed_in.n = -1; /* until all places are known */
    EvalStatus status = (EvalStatus)run_jacobian(i->run, t, y, put, &to);
    if (status == EVAL_OK || to.known) i->placed_in = *order;
    return status;
}

static bool set_variable(Model *model, int variable, double value, const char **why)
{
    return run_set(run_of(model), (uint32_t)variable, value, why);
}

static const char *failure(const Model *model)
{
    const char *message = run_message(run_of(model));
    return message[0] ? message : NULL;
}

static const char *notice(Model *model) { return run_notice(run_of(model)); }

static EvalStatus linearise(Model *model, ModelMap map, double t, const double *y)
{
    return (EvalStatus)run_linearise(run_of(model), (RunMap)map, t, y);
}

static RunChange change_of(const ModelChange *c)
{
    return (RunChange){ .t = c->t, .y = c->y, .count = c->count, .variables = c->variables, .p = c->p };
}

/* They are the same but for the rooms they belong to. */
_Static_assert(sizeof(RunChange) == sizeof(ModelChange) &&
                   offsetof(RunChange, p) == offsetof(ModelChange, p) &&
                   offsetof(RunChange, count) == offsetof(ModelChange, count),
               "the same changes");

/* A plan for changes of parameters and held values alone; NULL: there is none, or more changes. */
static RunPlan *plan_for(Instance *i, int count, const ModelChange *changes)
{
    if (i->has_no_plan || run_map(i->run) != RUN_MAP_DERIVATIVES) return NULL;
    for (int k = 0; k < count; k++)
        if (changes[k].y || changes[k].t != 0) return NULL;
    if (count && !run_plan_serves(i->plan, changes->count, changes->variables, count)) {
        run_plan_free(i->plan);
        i->plan = run_plan_new(run_model(i->run), changes->count, changes->variables, count);
        i->has_no_plan = !i->plan;
    }
    return i->plan;
}

static EvalStatus jvp(Model *model, int count, const ModelChange *changes, double *const *results)
{
    RunPlan *plan = plan_for(model->data, count, changes);
    if (plan) {
        run_plan_jvp(run_of(model), plan, count, (const RunChange *)(const void *)changes, results);
        return EVAL_OK;
    }
    return (EvalStatus)run_jvp(run_of(model), count, (const RunChange *)(const void *)changes, results);
}

static bool slopes(const Model *model, double *f) { return run_slopes(run_of(model), f); }

static EvalStatus vjp(Model *model, const double *weights, ModelChange *gradient)
{
    RunChange c = change_of(gradient);
    EvalStatus status = (EvalStatus)run_vjp(run_of(model), weights, &c);
    gradient->t = c.t;
    return status;
}

static bool is_saved_whole(const RunModel *m)
{
    for (uint32_t v = 0; v < m->var_count; v++)
        if (m->traits[v] & RUN_IS_OBJECT) return false;
    return m->history_count == 0;
}

/* Histories grow, so that their models have no size. */
static size_t save_size(const Model *model)
{
    RunInstance *run = run_of(model);
    return is_saved_whole(run_model(run)) ? run_save_size(run) : 0;
}

static void save(const Model *model, void *to) { run_save(run_of(model), to); }

static void restore(Model *model, const void *from)
{
    run_restore(run_of(model), from, run_save_size(run_of(model)));
}

/* What a model has of objects of the system is made anew by `initialise`. */
static size_t portable_size(const Model *model) { return run_save_size(run_of(model)); }

static bool load(Model *model, const void *from, size_t n) { return run_restore(run_of(model), from, n); }

#define COMMON_FUNCTIONS                                                                                    \
    .derivatives = derivatives, .jacobian = state_jacobian, .indicators = indicators, .accepted = accepted, \
    .initialise = initialise, .set_interrupt = set_interrupt, .cut_short = cut_short, .event = event,       \
    .values = all_values, .set = set_variable, .failure = failure, .notice = notice, .terminal = terminal,  \
    .extrapolation_error = extrapolation_error, .save_size = save_size, .save = save, .restore = restore,   \
    .portable_size = portable_size, .load = load
const ModelType gen_model_type = { COMMON_FUNCTIONS };
const ModelType gen_products_type = { COMMON_FUNCTIONS, .linearise = linearise, .slopes = slopes, .jvp = jvp,
                                      .vjp = vjp };

void gen_listen(Model *model, void (*say)(void *arg, const char *text), void *arg)
{
    run_listen(run_of(model), say, arg);
}

Model *gen_instance(const Compiled *c)
{
    Instance *i = calloc(1, sizeof *i);
    if (!i) return NULL;
    i->c = c;
    i->model.data = i;
    i->run = run_new(&c->run);
    uint32_t n = c->form ? c->form->n : c->s->states.n;
    i->known = calloc(4 * (size_t)n + (size_t)c->shape.discrete_count + 1, sizeof *i->known);
    const char *why = NULL;
    ModelShape shape = c->shape;
    shape.nominal = i->known;
    shape.low = i->known ? i->known + n : NULL;
    shape.high = i->known ? i->known + 2 * n : NULL;
    size_t entries = c->form ? (size_t)pattern_count(c->form->pattern) : (size_t)c->stats.jacobian_entries;
    bool has_pass = c->form ? c->form->code != NULL : c->gradients.n > 0;
    if (has_pass)
        i->stretches = calloc(entries + 1, sizeof *i->stretches);
    else
        i->places = calloc(entries + 1, sizeof *i->places);
    i->placed_in.n = -1;
    bool has_memory = i->run && i->known && (i->places || i->stretches);
    if (has_memory) describe_unknowns(i, false);
    if (has_memory) model_init(&i->model, c->tape ? &gen_products_type : &gen_model_type, &shape, i, &why);
    if (!has_memory || why) {
        gen_instance_free(&i->model);
        return NULL;
    }
    ext_attach(run_rt(i->run));
    return &i->model;
}

void gen_instance_free(Model *model)
{
    if (!model) return;
    Instance *i = model->data;
    run_free(i->run);
    run_plan_free(i->plan);
    free(i->known);
    free(i->places);
    free(i->stretches);
    free(i);
}
