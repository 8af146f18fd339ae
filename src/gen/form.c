/* form.c: a compiled model in residual form: what blocks would solve for belongs to the integrator.
 */
#include "gen/function.h"
#include "gen/inside.h"

#include <math.h>

/* The unknowns are y = (x, z): states, and the tearing variables of the blocks that derivatives
 * need. The model is
 *     x' = f(t, x, z),   0 = r(t, x, z)
 * as a system L y' = f with L = diag(1, ..., 1, 0, ..., 0); F(t, y, y') = L y' - f is its residual.
 * Evaluating f solves no block. The Jacobian comes by one pass (direct.c), or is that of the tape
 * with z given, sparse, by colours. Indicators, values and events solve blocks from z, which leaves
 * nothing to do where the integrator has solved them. Always: f is a function of its arguments
 * alone. Cost of a Jacobian: one pass, or a sweep over the tape for each colour. Tests:
 * tests/gen/form_test.c. */

/* ---- the pattern ----------------------------------------------------------------------------- */

typedef struct {
    const uint32_t *at;
    uint32_t n;
} Set; /* of unknowns */

typedef struct {
    System *s;
    Arena *a;
    Set *of; /* by variable */
    uint32_t *seen, round;
    VEC(uint32_t) found;
} Dependence;

static Set set_of(Dependence *d, const Gradient *g)
{
    Set largest = { 0 };
    d->round++;
    d->found.n = 0;
    for (uint32_t k = 0; k < g->n; k++) {
        const Set *s = &d->of[g->at[k].var];
        if (s->n > largest.n) largest = *s;
        for (uint32_t j = 0; j < s->n; j++) {
            if (d->seen[s->at[j]] == d->round) continue;
            d->seen[s->at[j]] = d->round;
            vec_push(d->a, &d->found, s->at[j]);
        }
    }
    if (largest.n == d->found.n) return largest; /* shared, not copied */
    uint32_t *copy = NEW_ARRAY(d->a, uint32_t, d->found.n);
    memcpy(copy, d->found.at, d->found.n * sizeof *copy);
    return (Set){ copy, d->found.n };
}

typedef VEC(Entry) Entries;

static void add_entries(Arena *a, Entries *entries, uint32_t row, Set set)
{
    for (uint32_t k = 0; k < set.n; k++) {
        Entry e = { (int)row, (int)set.at[k] };
        vec_push(a, entries, e);
    }
}

/* The blocks that derivatives need while time goes on, in the order of run/'s program of them. */
static bool is_integrated(const DaeBlock *b)
{
    return (b->flags & (BLOCK_FOR_DERIVATIVES | BLOCK_CONSTANT)) == BLOCK_FOR_DERIVATIVES;
}

static void find_pattern(Compiled *c, GenForm *f, Arena *scratch)
{
    System *s = c->s;
    const Sequence *q = &s->continuous;
    Dependence d = { .s = s,
                     .a = scratch,
                     .of = NEW_ARRAY(scratch, Set, s->vars.n + 1),
                     .seen = NEW_ARRAY(scratch, uint32_t, f->n + 1) };
    uint32_t *own = NEW_ARRAY(scratch, uint32_t, f->n + 1), next = s->states.n;
    for (uint32_t k = 0; k < f->n; k++) {
        own[k] = k;
        d.of[f->unknowns[k]] = (Set){ own + k, 1 };
    }
    Entries entries = { 0 };
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        for (uint32_t i = 0; i < b->n && is_integrated(b); i++) {
            Gradient g = dae_gradient(s, q->assigns.at[b->first + i].value);
            d.of[q->assigns.at[b->first + i].var] = set_of(&d, &g);
        }
        for (uint32_t i = 0; i < b->tear_n && is_integrated(b); i++)
            add_entries(scratch, &entries, next++,
                        set_of(&d, &s->eqs.at[q->residuals.at[b->tear_first + i]].gradient));
    }
    for (uint32_t k = 0; k < s->states.n; k++)
        add_entries(scratch, &entries, k, d.of[s->vars.at[s->states.at[k]].der]);
    f->pattern = pattern_of_entries(c->arena, (int)f->n, (int)f->n, entries.at, entries.n);
    f->colouring = pattern_colour(c->arena, f->pattern);
}

/* ---- making it ------------------------------------------------------------------------------- */

/* Code that writes all entries in one pass, in a module of its own. Without it there is the
 * tape. */
static void add_code(Compiled *c, GenForm *f, Arena *scratch, Diag *diag)
{
    Direct *direct = gen_direct_plan(c, scratch, f->pattern, true);
    if (!direct) return;
    Compiled other = *c;
    other.module = ir_module_new(c->arena);
    other.pattern = f->pattern;
    other.gradient_memory = gen_direct_memory(direct);
    gen_add_memories(&other);
    Lower l = { .c = &other, .scratch = scratch };
    l.functions = gen_functions(&other, scratch, diag);
    gen_direct_lower(direct, &l, NULL, &f->gradients);
    if (!gen_functions_failed(l.functions)) f->code = gen_code(&other, c->stats.backend, diag);
    if (f->code && ir_code_stack(f->code) > c->run.stack) c->run.stack = ir_code_stack(f->code);
    gen_widen_memories(c, &other);
}

static unsigned char times_differentiated(const System *s, uint32_t v)
{
    unsigned char times = 0;
    while ((v = s->vars.at[v].der_of) != NONE) times++;
    return times;
}

static void describe(Compiled *c, GenForm *f)
{
    const System *s = c->s;
    const char **names = NEW_ARRAY(c->arena, const char *, f->n + 1);
    double *mass = NEW_ARRAY(c->arena, double, f->n + 1);
    unsigned char *rates = NEW_ARRAY(c->arena, unsigned char, f->n + 1);
    for (uint32_t k = 0; k < f->n; k++) {
        if (k >= s->states.n) rates[k] = times_differentiated(s, f->unknowns[k]);
        names[k] = s->vars.at[f->unknowns[k]].name;
        mass[k] = k < s->states.n;
    }
    f->shape = c->shape;
    f->shape.n = (int)f->n;
    f->shape.names = names;
    f->shape.mass = mass;
    f->shape.rates = rates;
    f->shape.pattern = f->pattern;
    f->shape.jacobian_colours = f->code ? 1 : f->colouring->count;
}

bool gen_add_residual_form(Compiled *c, Diag *diag)
{
    if (c->form) return true;
    Arena *scratch = arena_part(c->arena);
    const Sequence *q = &c->s->continuous;
    GenForm *f = NEW(c->arena, GenForm);
    f->n = c->s->states.n;
    for (uint32_t k = 0; k < q->blocks.n; k++)
        if (is_integrated(&q->blocks.at[k])) f->n += q->blocks.at[k].tear_n;
    uint32_t *unknowns = NEW_ARRAY(c->arena, uint32_t, f->n + 1), next = c->s->states.n;
    for (uint32_t k = 0; k < next; k++) unknowns[k] = c->s->states.at[k];
    for (uint32_t k = 0; k < q->blocks.n; k++)
        for (uint32_t j = 0; j < q->blocks.at[k].tear_n && is_integrated(&q->blocks.at[k]); j++)
            unknowns[next++] = q->tears.at[q->blocks.at[k].tear_first + j];
    f->unknowns = unknowns;
    find_pattern(c, f, scratch);
    add_code(c, f, scratch, diag);
    describe(c, f);
    arena_free(scratch);
    if (!f->code && !gen_add_products(c, diag)) return false;
    c->form = f;
    return true;
}

/* Whether df/dx of the states alone fills up: an implicit method is better off with the residual
 * form, whose Jacobian has FEWER times fewer entries. An explicit method may do without any, but
 * not without solving blocks: linear ones of few states cost it little. */
bool gen_prefers_residual_form(const Compiled *c)
{
    enum { LEAST = 100000, LEAST_LINEAR = 4000000, FEWER = 10 };
    const Sequence *q = &c->s->continuous;
    uint64_t entries = 4 * (uint64_t)c->s->states.n;
    bool is_linear = true, is_sparse = false;
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        if (!is_integrated(b) || b->kind == BLOCK_ASSIGN) continue;
        const GenTorn *torn = c->torn[1][k];
        entries += torn ? (uint64_t)torn->pattern.start[torn->pattern.n] : (uint64_t)b->tear_n * b->tear_n;
        if (torn && b->kind == BLOCK_NONLINEAR) is_linear = false;
        is_sparse |= torn != NULL;
    }
    uint64_t own = c->stats.jacobian_entries;
    return is_sparse && own >= (is_linear ? LEAST_LINEAR : LEAST) && own / FEWER >= entries;
}

/* ---- the functions of the model -------------------------------------------------------------- */

/* The point; blocks that are solved start from z. */
static void put_point(Instance *i, double t, const double *y)
{
    const GenForm *f = i->c->form;
    const RunModel *m = run_model(i->run);
    double *value = run_memory(i->run, MEM_VALUE), *guess = run_tearing(i->run);
    run_set_point(i->run, t, y);
    for (uint32_t k = m->state_count; k < f->n; k++) value[f->unknowns[k]] = y[k];
    uint32_t at = m->state_count;
    for (uint32_t k = 0; k < m->derivatives.n; k++) {
        if (m->derivatives.at[k].block == NONE) continue;
        const RunBlock *b = &m->blocks[m->derivatives.at[k].block];
        for (int j = 0; j < b->n; j++) guess[b->tearing + (uint32_t)j] = y[at++];
    }
}

static void write_unknowns(const Instance *i, double *y)
{
    const GenForm *f = i->c->form;
    const double *value = run_values_now(i->run);
    for (uint32_t k = i->c->s->states.n; k < f->n; k++) y[k] = value[f->unknowns[k]];
}

/* All that derivatives need, z given; r gets the residuals if it is not NULL. */
static EvalStatus run_given(Instance *i, double *r)
{
    const RunModel *m = run_model(i->run);
    const RunProgram *p = &m->derivatives;
    RunStatus status = RUN_OK;
    for (uint32_t k = 0; k < p->n && status == RUN_OK; k++) {
        const RunBlock *b = p->at[k].block == NONE ? NULL : &m->blocks[p->at[k].block];
        status = run_call(i->run, b ? b->residual : p->at[k].run);
        for (int j = 0; b && r && j < b->n; j++) *r++ = run_memory(i->run, MEM_RESIDUAL)[j];
    }
    return (EvalStatus)status;
}

static EvalStatus form_derivatives(Model *model, double t, const double *y, double *f)
{
    Instance *i = model->data;
    const RunModel *m = run_model(i->run);
    put_point(i, t, y);
    EvalStatus status = run_given(i, f + m->state_count);
    for (uint32_t k = 0; k < m->state_count; k++) f[k] = run_values_now(i->run)[m->rates[k]];
    for (uint32_t k = 0; k < i->c->form->n && status == EVAL_OK; k++)
        if (!isfinite(f[k]))
            status = (EvalStatus)run_fail(i->run, RUN_RETRY, "at time %.10g: %s '%s' is not finite", t,
                                          k < m->state_count ? "the derivative of" : "the equation for",
                                          m->name[i->c->form->unknowns[k]]);
    return status;
}

/* One column for each unknown of the colour; rows that two of them share do not exist. */
static void put_colour(Instance *i, int colour, const MatrixShape *order, double *values)
{
    const GenForm *f = i->c->form;
    const RunModel *m = run_model(i->run);
    double *d = run_changes(i->run), *r = run_residuals(i->run);
    const int *from = f->colouring->column + f->colouring->start[colour];
    int n = f->colouring->start[colour + 1] - f->colouring->start[colour];
    for (int k = 0; k < n; k++) d[f->unknowns[from[k]]] = 1;
    run_forward_given(i->run, r);
    for (int k = 0; k < n; k++) {
        for (int e = f->pattern->start[from[k]]; e < f->pattern->start[from[k] + 1]; e++) {
            uint32_t row = (uint32_t)f->pattern->row[e];
            double value = row < m->state_count ? d[m->rates[row]] : r[row - m->state_count];
            model_put(order, values, (int)row, from[k], value);
        }
    }
    for (int k = 0; k < n; k++) d[f->unknowns[from[k]]] = 0;
}

static EvalStatus run_pass(Instance *i)
{
    const GenForm *f = i->c->form;
    Rt *rt = run_rt(i->run);
    run_forget(i->run); /* what it keeps of the states' own Jacobian is written over */
    for (uint32_t k = 0; k < f->gradients.n; k++)
        if (i->c->run.call(f->code, f->gradients.at[k].run, rt) != RT_OK)
            return (EvalStatus)run_fail(i->run, RUN_RETRY, "at time %.10g: derivatives: %s",
                                        run_memory(i->run, MEM_MODE)[MODE_TIME],
                                        rt_status_text(rt->error.status));
    return EVAL_OK;
}

static EvalStatus form_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                double *values)
{
    Instance *i = model->data;
    put_point(i, t, y);
    EvalStatus status = run_given(i, NULL);
    if (status == EVAL_OK && i->c->form->code) status = run_pass(i);
    if (status == EVAL_OK && i->c->form->code) gen_put_entries(i, i->c->form->pattern, order, values);
    if (status != EVAL_OK || i->c->form->code) return status;
    status = (EvalStatus)run_partials(i->run, SECTION_DERIVATIVES);
    if (status != EVAL_OK) return status;
    memset(run_changes(i->run), 0, i->c->tape->columns * sizeof(double));
    for (int colour = 0; colour < i->c->form->colouring->count; colour++)
        put_colour(i, colour, order, values);
    return EVAL_OK;
}

static EvalStatus form_indicators(Model *model, double t, const double *y, double *g)
{
    put_point(model->data, t, y);
    return gen_model_type.indicators(model, t, y, g);
}

static bool form_accepted(Model *model, double t, const double *y)
{
    put_point(model->data, t, y);
    return gen_model_type.accepted(model, t, y);
}

static double form_extrapolation_error(Model *model, double t, const double *y)
{
    put_point(model->data, t, y);
    return gen_model_type.extrapolation_error(model, t, y);
}

static EvalStatus form_values(Model *model, double t, const double *y, double *values)
{
    put_point(model->data, t, y);
    return gen_model_type.values(model, t, y, values);
}

static EvalStatus form_initialise(Model *model, double t, double *y, EventInfo *info)
{
    EvalStatus status = gen_model_type.initialise(model, t, y, info);
    write_unknowns(model->data, y);
    return status;
}

static void form_set_interrupt(Model *model, bool (*interrupt)(void *arg), void *arg)
{
    gen_model_type.set_interrupt(model, interrupt, arg);
}

static void form_cut_short(Model *model) { gen_model_type.cut_short(model); }

/* What a relation switches moves z, too: for the integrator that is a jump. */
static EvalStatus form_event(Model *model, double t, double *y, EventInfo *info)
{
    Instance *i = model->data;
    put_point(i, t, y);
    EvalStatus status = gen_model_type.event(model, t, y, info);
    write_unknowns(i, y);
    info->y_changed |= info->rhs_changed && i->c->form->n > i->c->s->states.n;
    return status;
}

static bool form_set(Model *model, int variable, double value, const char **why)
{
    return gen_model_type.set(model, variable, value, why);
}

/* ---- products -------------------------------------------------------------------------------- */

/* Of f and r with z given; of all other maps z is eliminated, as the model itself does it: they
 * depend on states only. */
static bool gives_states(const Instance *i)
{
    return run_map(i->run) == RUN_MAP_INITIAL || run_map(i->run) == RUN_MAP_RESET;
}

static double *residuals_of(const Instance *i) { return i->known + (size_t)3 * i->c->form->n; }

static EvalStatus form_linearise(Model *model, ModelMap map, double t, const double *y)
{
    Instance *i = model->data;
    if (map == MAP_VALUES || map == MAP_INDICATORS || map == MAP_DERIVATIVES) put_point(i, t, y);
    if (map != MAP_DERIVATIVES) return gen_products_type.linearise(model, map, t, y);
    EvalStatus status = run_given(i, residuals_of(i));
    return status == EVAL_OK ? (EvalStatus)run_linearise_given(i->run) : status;
}

static bool form_slopes(const Model *model, double *f)
{
    const Instance *i = model->data;
    uint32_t states = i->c->s->states.n;
    memcpy(f + states, residuals_of(i), (i->c->form->n - states) * sizeof *f);
    return run_slopes(i->run, f);
}

static EvalStatus form_jvp(Model *model, int count, const ModelChange *changes, double *const *results)
{
    const Instance *i = model->data;
    uint32_t states = i->c->s->states.n, own = i->c->form->n - states;
    size_t discrete = (size_t)model->shape.discrete_count;
    EvalStatus status = gen_products_type.jvp(model, count, changes, results);
    if (!gives_states(i)) return status;
    for (int q = 0; q < count; q++) { /* z is left to the integrator */
        memmove(results[q] + states + own, results[q] + states, discrete * sizeof(double));
        memset(results[q] + states, 0, own * sizeof(double));
    }
    return status;
}

static EvalStatus form_vjp(Model *model, const double *weights, ModelChange *gradient)
{
    const Instance *i = model->data;
    uint32_t states = i->c->s->states.n, own = i->c->form->n - states;
    size_t discrete = (size_t)model->shape.discrete_count;
    double *room = residuals_of(i);
    if (gradient->y) memset(gradient->y + states, 0, own * sizeof(double));
    if (gives_states(i)) {
        memcpy(room, weights, states * sizeof(double));
        memcpy(room + states, weights + states + own, discrete * sizeof(double));
        weights = room;
    }
    return gen_products_type.vjp(model, weights, gradient);
}

/* ---- the rest is that of the model ----------------------------------------------------------- */

static const char *form_notice(Model *model) { return gen_model_type.notice(model); }

static EvalStatus form_terminal(Model *model, double t, double *y, EventInfo *info)
{
    put_point(model->data, t, y);
    EvalStatus status = gen_model_type.terminal(model, t, y, info);
    write_unknowns(model->data, y);
    return status;
}

static size_t form_save_size(const Model *model) { return gen_model_type.save_size(model); }
static void form_save(const Model *model, void *to) { gen_model_type.save(model, to); }
static size_t form_portable_size(const Model *model) { return gen_model_type.portable_size(model); }
static bool form_load(Model *model, const void *from, size_t n)
{
    return gen_model_type.load(model, from, n);
}
static void form_restore(Model *model, const void *from) { gen_model_type.restore(model, from); }

static const char *form_failure(const Model *model) { return gen_model_type.failure(model); }

#define FORM_FUNCTIONS                                                                                  \
    .derivatives = form_derivatives, .jacobian = form_jacobian, .indicators = form_indicators,          \
    .accepted = form_accepted, .extrapolation_error = form_extrapolation_error,                         \
    .initialise = form_initialise, .set_interrupt = form_set_interrupt, .cut_short = form_cut_short,    \
    .event = form_event, .values = form_values, .set = form_set, .notice = form_notice,                 \
    .terminal = form_terminal, .save_size = form_save_size, .save = form_save, .restore = form_restore, \
    .failure = form_failure, .portable_size = form_portable_size, .load = form_load
static const ModelType form_type = { FORM_FUNCTIONS };
static const ModelType form_products_type = { FORM_FUNCTIONS, .linearise = form_linearise,
                                              .slopes = form_slopes, .jvp = form_jvp, .vjp = form_vjp };

Model *gen_residual_instance(const Compiled *c)
{
    Model *model = gen_instance(c);
    const char *why;
    if (!model) return NULL;
    ModelShape shape = c->form->shape;
    shape.nominal = model->shape.nominal;
    shape.low = model->shape.low;
    shape.high = model->shape.high;
    if (!model_init(model, c->tape ? &form_products_type : &form_type, &shape, model->data, &why)) {
        gen_instance_free(model);
        return NULL;
    }
    return model;
}
