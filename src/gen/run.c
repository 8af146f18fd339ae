/* run.c: a compiled model as a Model: evaluation, blocks, Jacobian.
 *
 * Always: f is pure. Guesses of nonlinear blocks are those of the last accepted step or event, linear blocks start at
 * zero; both are solved to rounding level. Events are in event.c. Cost of a Jacobian: one evaluation and one sweep
 * of tangents for each colour. Tests: tests/gen/model_test.c. */
#include "ext/ext.h"
#include "gen/inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const double LEAST_LEAP = 1e-8;
static const double UNSETTLED = 1e-6; /* of a nominal value: rounding where a solution passes zero is less */

EvalStatus gen_fail(Instance *i, EvalStatus status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(i->message, sizeof i->message, format, args);
    va_end(args);
    return status;
}

static EvalStatus fail_code(Instance *i)
{
    const RtError *e = &i->rt->error;
    gen_fail(i, EVAL_RETRY, "at time %.10g: %s%s%s", i->memory[MEM_MODE][MODE_TIME],
             rt_status_text(e->status), e->message ? ": " : "", e->message ? e->message : "");
    if (e->status == RT_INDEX || e->status == RT_SIZE) {
        size_t used = strlen(i->message);
        snprintf(i->message + used, sizeof i->message - used,
                 e->status == RT_INDEX ? " (%lld, not in 1..%lld)" : " (%lld, %lld)", (long long)e->value,
                 (long long)e->bound);
    }
    gen_add_source(i, e->source);
    return EVAL_RETRY;
}

EvalStatus gen_call(Instance *i, IrFun f)
{
    RtCell none;
    return ir_run(i->c->code, f, i->rt, &none) == RT_OK ? EVAL_OK : fail_code(i);
}

/* ---- blocks ---- */

typedef struct {
    Instance *i;
    const GenBlock *b;
} BlockCall;

static void put_unknowns(const BlockCall *k, const double *z)
{
    for (int j = 0; j < k->b->n; j++) k->i->memory[MEM_VALUE][k->b->vars[j]] = z[j];
}

static RtStatus residual(void *user, const double *z, double *r)
{
    const BlockCall *k = user;
    put_unknowns(k, z);
    RtCell none;
    RtStatus status = ir_run(k->i->c->code, k->b->residual, k->i->rt, &none);
    memcpy(r, k->i->memory[MEM_RESIDUAL], (size_t)k->b->n * sizeof *r);
    return status;
}

/* Called behind residual() at the same place, so that the assignments inside hold. */
static RtStatus jacobian(void *user, const double *z, double *j)
{
    const BlockCall *k = user;
    (void)z;
    RtCell none;
    memset(k->i->memory[MEM_JACOBIAN], 0, (size_t)(k->b->n * k->b->n) * sizeof *j);
    RtStatus status = ir_run(k->i->c->code, k->b->jacobian, k->i->rt, &none);
    memcpy(j, k->i->memory[MEM_JACOBIAN], (size_t)(k->b->n * k->b->n) * sizeof *j);
    return status;
}

static const char *unknown_name(const Instance *i, const GenBlock *b, int k)
{
    return i->c->s->vars.at[b->vars[k]].name;
}

static void load_guesses(Instance *i, const GenBlock *b, bool from_values, double *z)
{
    for (int j = 0; j < b->n; j++)
        z[j] = from_values ? i->memory[MEM_VALUE][b->vars[j]] : i->guess[b->guess + (uint32_t)j];
}

static EvalStatus fail_singular(Instance *i, const GenBlock *b, int column)
{
    return gen_fail(i, EVAL_RETRY, "at time %.10g: the linear equations for '%s' and %d others are singular",
                    i->memory[MEM_MODE][MODE_TIME], unknown_name(i, b, column), b->n - 1);
}

/* Factors a singular matrix as if each unknown that nothing determines were held where it is: with A' = A + e_i e_j' for
 * each row i that depends on others and each such unknown j, A' d = r has d_j = 0 wherever A d = r has a solution.
 * That is what a node without flow means: any enthalpy will do. False: not even A' is regular. */
static bool factor_singular(BlockCall *k, const double *z, double *lu, int *pivot)
{
    int n = k->b->n, *rows = (int *)(void *)(k->i->work + n), *cols = rows + n;
    if (jacobian(k, z, lu) != RT_OK) return false;
    int rank = rt_lu_rank(lu, n, rows, cols);
    if (jacobian(k, z, lu) != RT_OK) return false;
    for (int q = rank; q < n; q++) lu[rows[q] * n + cols[q]] += 1;
    return rt_lu_factor(lu, n, pivot) == 0;
}

/* ---- factors, dense or sparse ---- */

/* Called behind residual(). 0, or the first column without a pivot, counted from 1; -1: the code failed. */
static int factor_linear(BlockCall *k, double *lu, int *pivot)
{
    Instance *i = k->i;
    if (!k->b->torn) return jacobian(k, NULL, lu) == RT_OK ? rt_lu_factor(lu, k->b->n, pivot) : -1;
    RtCell none;
    memset(i->memory[MEM_JACOBIAN], 0, (size_t)k->b->torn->pattern.start[k->b->n] * sizeof *lu);
    if (ir_run(i->c->code, k->b->jacobian, i->rt, &none) != RT_OK) return -1;
    return rt_sparse_factor(i->sparse[k->b->sparse], i->memory[MEM_JACOBIAN]);
}

static void solve_factored(const Instance *i, const GenBlock *b, double *r)
{
    if (b->torn)
        rt_sparse_solve(i->sparse[b->sparse], r);
    else
        rt_lu_solve(i->lu + b->lu, b->n, i->pivot + b->guess, r);
}

/* Linear equations need no guess, but for unknowns that they leave open: those stay where they were. */
static EvalStatus solve_linear(BlockCall *k, bool from_values, double *z, double *lu, int *pivot)
{
    Instance *i = k->i;
    const GenBlock *b = k->b;
    double *r = i->work;
    int singular = 0;
    memset(z, 0, (size_t)b->n * sizeof *z);
    if ((singular = factor_linear(k, lu, pivot)) < 0) return fail_code(i);
    if (singular) {
        load_guesses(i, b, from_values, z);
        if (b->torn || !factor_singular(k, z, lu, pivot)) return fail_singular(i, b, singular - 1);
    }
    for (int round = 0; round < 3; round++) {
        if (residual(k, z, r) != RT_OK) return fail_code(i);
        solve_factored(i, b, r);
        double change = 0, size = 0, nominal = 0;
        for (int j = 0; j < b->n; j++) {
            change = fmax(change, fabs(r[j]));
            size = fmax(size, fabs(z[j]));
            nominal = fmax(nominal, i->memory[MEM_NOMINAL][b->vars[j]]);
        }
        if (round && change <= 1e-14 * size) return EVAL_OK;
        if (round == 2 && singular && change > fmax(1e-9 * size, 1e-12 * nominal))
            return fail_singular(i, b, singular - 1);
        if (round == 2 && b->n > 1 && change > fmax(1e-3 * size, UNSETTLED * nominal))
            return fail_singular(i, b, 0);
        for (int j = 0; j < b->n; j++) z[j] -= r[j];
        if (!isfinite(change))
            return gen_fail(i, EVAL_RETRY,
                            "at time %.10g: the linear equations for '%s' have no finite solution",
                            i->memory[MEM_MODE][MODE_TIME], unknown_name(i, b, 0));
    }
    return residual(k, z, r) == RT_OK ? EVAL_OK : fail_code(i);
}

static EvalStatus solve_nonlinear(BlockCall *k, bool from_values, double *z, double *lu, int *pivot)
{
    Instance *i = k->i;
    const GenBlock *b = k->b;
    static const char *const why[] = { "", "do not converge", "have a singular Jacobian", "are not defined" };
    for (int j = 0; j < b->n; j++) {
        i->nominal[j] = fmax(i->memory[MEM_NOMINAL][b->vars[j]], 1e-300);
        i->low[j] = i->memory[MEM_MIN][b->vars[j]];
        i->high[j] = i->memory[MEM_MAX][b->vars[j]];
    }
    RtNewton newton = { .n = b->n,
                        .residual = residual,
                        .jacobian = jacobian,
                        .user = k,
                        .nominal = i->nominal,
                        .low = i->low,
                        .high = i->high,
                        .work = i->work,
                        .lu = lu,
                        .pivot = pivot };
    RtSolve solved = rt_newton(&newton, z);
    i->newton_iterations += newton.iterations;
    if (solved == RT_SOLVED) return EVAL_OK;
    if (b->n <= LARGEST_PATH && !i->must_stay) {
        RtNewton second = newton;
        memcpy(i->path_room, z, (size_t)b->n * sizeof *z);
        load_guesses(i, b, from_values, z);
        if (rt_continue(&second, z, i->path_room + b->n, i->path_pivot) == RT_SOLVED) return EVAL_OK;
        memcpy(z, i->path_room, (size_t)b->n * sizeof *z);
    }
    gen_fail(
        i, EVAL_RETRY,
        "at time %.10g: the equations for '%s'%s %s after %d iterations; '%s' is %.6g, worst residual %.3g",
        i->memory[MEM_MODE][MODE_TIME], unknown_name(i, b, 0), b->n > 1 ? " and others" : "", why[solved],
        newton.iterations, unknown_name(i, b, newton.worst), z[newton.worst], newton.worst_value);
    if (solved == RT_NOT_DEFINED)
        gen_add_cause(i, b->residual);
    else
        gen_add_source(i, b->eqs[newton.worst]);
    return EVAL_RETRY;
}

static EvalStatus solve_block(Instance *i, const GenBlock *b, bool from_values)
{
    BlockCall k = { i, b };
    double *z = i->unknowns, *lu = i->lu + b->lu;
    int *pivot = i->pivot + b->guess;
    if (b->is_linear) return solve_linear(&k, from_values, z, lu, pivot);
    load_guesses(i, b, from_values, z);
    return solve_nonlinear(&k, from_values, z, lu, pivot);
}

EvalStatus gen_run(Instance *i, const GenProgram *p, bool from_values)
{
    for (uint32_t k = 0; k < p->n; k++) {
        const GenStep *step = &p->at[k];
        EvalStatus status = step->block == NONE ? gen_call(i, step->run)
                                                : solve_block(i, &i->c->blocks.at[step->block], from_values);
        if (status != EVAL_OK) return status;
    }
    return EVAL_OK;
}

static void keep_guesses(Instance *i, const GenProgram *p)
{
    for (uint32_t k = 0; k < p->n; k++) {
        if (p->at[k].block == NONE) continue;
        const GenBlock *b = &i->c->blocks.at[p->at[k].block];
        for (int j = 0; j < b->n; j++) i->guess[b->guess + (uint32_t)j] = i->memory[MEM_VALUE][b->vars[j]];
    }
}

void gen_keep_guesses(Instance *i)
{
    keep_guesses(i, &i->c->derivatives);
    keep_guesses(i, &i->c->rest);
}

/* ---- the maps ---- */

void gen_set_point(Instance *i, double t, const double *y)
{
    const System *s = i->c->s;
    i->memory[MEM_MODE][MODE_TIME] = t;
    for (uint32_t k = 0; k < s->states.n; k++) i->memory[MEM_VALUE][s->states.at[k]] = y[k];
}

EvalStatus gen_everything(Instance *i, bool from_values)
{
    EvalStatus status = gen_run(i, &i->c->derivatives, from_values);
    return status == EVAL_OK ? gen_run(i, &i->c->rest, from_values) : status;
}

static EvalStatus derivatives(Model *model, double t, const double *y, double *f)
{
    Instance *i = model->data;
    const System *s = i->c->s;
    gen_set_point(i, t, y);
    i->must_stay = s->states.n && fabs(t - i->t_kept) > LEAST_LEAP * i->longest_step;
    EvalStatus status = i->c->asserts ? gen_everything(i, false) : gen_run(i, &i->c->derivatives, false);
    i->must_stay = false;
    if (status == EVAL_OK) status = gen_check(i, EVAL_RETRY);
    if (status != EVAL_OK) return status;
    for (uint32_t k = 0; k < s->states.n; k++) {
        f[k] = i->memory[MEM_VALUE][s->vars.at[s->states.at[k]].der];
        if (isfinite(f[k])) continue;
        gen_fail(i, EVAL_RETRY, "at time %.10g: der(%s) is not finite", t, s->vars.at[s->states.at[k]].name);
        gen_add_cause(i, IR_NONE);
        return EVAL_RETRY;
    }
    return EVAL_OK;
}

/* Changes of all variables for the changes of states in MEM_TANGENT. */
static EvalStatus run_tangents(Instance *i)
{
    const GenProgram *p = &i->c->derivatives;
    for (uint32_t k = 0; k < p->n; k++) {
        const GenStep *step = &p->at[k];
        if (step->block == NONE) {
            if (gen_call(i, step->tangent) != EVAL_OK) return EVAL_RETRY;
            continue;
        }
        const GenBlock *b = &i->c->blocks.at[step->block];
        double *d = i->memory[MEM_TANGENT], *r = i->memory[MEM_RESIDUAL];
        for (int j = 0; j < b->n; j++) d[b->vars[j]] = 0;
        if (gen_call(i, b->tangent) != EVAL_OK) return EVAL_RETRY;
        solve_factored(i, b, r);
        for (int j = 0; j < b->n; j++) d[b->vars[j]] = -r[j];
        if (gen_call(i, b->tangent) != EVAL_OK) return EVAL_RETRY;
    }
    return EVAL_OK;
}

static EvalStatus factor_blocks(Instance *i)
{
    const GenProgram *p = &i->c->derivatives;
    for (uint32_t k = 0; k < p->n; k++) {
        if (p->at[k].block == NONE) continue;
        const GenBlock *b = &i->c->blocks.at[p->at[k].block];
        if (b->is_linear) continue;
        BlockCall call = { i, b };
        if (jacobian(&call, NULL, i->lu + b->lu) != RT_OK ||
            rt_lu_factor(i->lu + b->lu, b->n, i->pivot + b->guess))
            return gen_fail(i, EVAL_RETRY, "the equations for '%s' have a singular Jacobian",
                            unknown_name(i, b, 0));
    }
    return EVAL_OK;
}

static void put_column(const Instance *i, int column, const MatrixShape *order, double *values)
{
    const System *s = i->c->s;
    const Pattern *p = i->c->pattern;
    const double *d = i->memory[MEM_TANGENT];
    int from = p ? p->start[column] : 0, to = p ? p->start[column + 1] : (int)s->states.n;
    for (int e = from; e < to; e++) {
        int row = p ? p->row[e] : e;
        model_put(order, values, row, column, d[s->vars.at[s->states.at[row]].der]);
    }
}

/* The columns of one colour, by one sweep. */
static EvalStatus put_columns(Instance *i, int colour, const MatrixShape *order, double *values)
{
    const Colouring *c = i->c->colouring;
    const uint32_t *states = i->c->s->states.at;
    double *d = i->memory[MEM_TANGENT];
    int from = c ? c->start[colour] : colour, to = c ? c->start[colour + 1] : colour + 1;
    for (int k = from; k < to; k++) d[states[c ? c->column[k] : k]] = 1;
    EvalStatus status = run_tangents(i);
    for (int k = from; k < to; k++) {
        int column = c ? c->column[k] : k;
        put_column(i, column, order, values);
        d[states[column]] = 0;
    }
    return status;
}

static EvalStatus state_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                 double *values)
{
    Instance *i = model->data;
    const Compiled *c = i->c;
    const System *s = c->s;
    gen_set_point(i, t, y);
    EvalStatus status = gen_run(i, &c->derivatives, false);
    if (status == EVAL_OK) status = factor_blocks(i);
    for (uint32_t k = 0; k < s->states.n; k++) i->memory[MEM_TANGENT][s->states.at[k]] = 0;
    int colours = c->colouring ? c->colouring->count : (int)s->states.n;
    for (int colour = 0; colour < colours && status == EVAL_OK; colour++)
        status = put_columns(i, colour, order, values);
    return status;
}

static EvalStatus indicators(Model *model, double t, const double *y, double *g)
{
    Instance *i = model->data;
    gen_set_point(i, t, y);
    EvalStatus status = gen_everything(i, false);
    if (status == EVAL_OK) status = gen_call(i, i->c->indicators);
    for (uint32_t k = 0; k < i->c->indicator_count; k++) g[k] = i->memory[MEM_INDICATOR][k] + i->bias[k];
    return status;
}

static bool accepted(Model *model, double t, const double *y)
{
    Instance *i = model->data;
    if (!i->c->guesses && !i->c->s->delays.n && !i->c->warnings) return false;
    gen_set_point(i, t, y);
    if (gen_everything(i, false) != EVAL_OK || gen_delays_note(i, DELAY_POINT) != EVAL_OK) return false;
    gen_keep_guesses(i);
    i->longest_step = fmax(i->longest_step, fabs(t - i->t_kept));
    i->t_kept = t;
    if (i->c->indicator_count && gen_call(i, i->c->indicators) == EVAL_OK) gen_note_reach(i);
    return gen_states_are_poor(i);
}

static EvalStatus all_values(Model *model, double t, const double *y, double *values)
{
    Instance *i = model->data;
    gen_set_point(i, t, y);
    EvalStatus status = gen_everything(i, false);
    if (status == EVAL_OK) status = gen_check_values(i, EVAL_FATAL);
    memcpy(values, i->memory[MEM_VALUE], i->c->s->vars.n * sizeof *values);
    /* No smaller step will help: this is a point of the solution. */
    return status == EVAL_RETRY && i->rt->error.status == RT_EXTERNAL ? EVAL_FATAL : status;
}

static bool set_variable(Model *model, int variable, double value, const char **why)
{
    Instance *i = model->data;
    *why = "there is no such variable";
    if (variable < 0 || variable >= model->shape.variable_count) return false;
    const ModelVariable *v = &model->shape.variables[variable];
    *why = v->kind <= VARIABLE_PARAMETER ? "its value is final, or was used to build the model"
                                         : "it has no start value of its own";
    if (!v->is_settable) return false;
    *why = "parameters and start values are set before the start";
    if (i->is_started && !v->is_input) return false;
    double own = v->negated ? -value : value;
    i->memory[MEM_SET][v->slot] = 1;
    i->memory[MEM_GIVEN][v->slot] = own;
    if (v->is_input) i->memory[MEM_VALUE][v->slot] = own;
    *why = NULL;
    return true;
}

static const char *failure(const Model *model)
{
    const Instance *i = model->data;
    return i->message[0] ? i->message : NULL;
}

#define COMMON_FUNCTIONS                                                                                    \
    .derivatives = derivatives, .jacobian = state_jacobian, .indicators = indicators, .accepted = accepted, \
    .initialise = gen_initialise, .event = gen_event, .values = all_values, .set = set_variable,            \
    .failure = failure, .notice = gen_notice, .terminal = gen_terminal
const ModelType gen_model_type = { COMMON_FUNCTIONS };
const ModelType gen_products_type = { COMMON_FUNCTIONS, .linearise = gen_linearise, .jvp = gen_jvp,
                                      .vjp = gen_vjp };

/* ---- instances ---- */

static void print(void *user, const char *text)
{
    Instance *i = user;
    if (i->say) i->say(i->say_arg, text);
}

void gen_listen(Model *model, void (*say)(void *arg, const char *text), void *arg)
{
    Instance *i = model->data;
    i->say = say;
    i->say_arg = arg;
}

Model *gen_instance(const Compiled *c)
{
    Arena *arena = arena_new();
    if (!arena) return NULL;
    Instance *i = NEW(arena, Instance);
    i->arena = arena;
    i->c = c;
    i->rt = rt_new(0);
    if (!i->rt || !rt_delays_new(i->rt, c->s->delays.n)) {
        rt_free(i->rt);
        arena_free(arena);
        return NULL;
    }
    for (int m = 0; m < MEM_COUNT; m++) {
        i->memory[m] = NEW_ARRAY(arena, double, c->memory_size[m]);
        i->arrays[c->memory[m]] = (RtArray){ i->memory[m], c->memory_size[m] };
    }
    i->rt->memory = i->arrays;
    i->rt->user = i;
    i->rt->print = print;
    i->rt->warn = gen_warn;
    i->warned = NEW_ARRAY(arena, uint8_t, c->s->checks.n + 1);
    ext_attach(i->rt);
    i->guess = NEW_ARRAY(arena, double, c->guesses + 1);
    i->pivot = NEW_ARRAY(arena, int, c->guesses + 1);
    i->lu = NEW_ARRAY(arena, double, c->lus + 1);
    i->sparse = NEW_ARRAY(arena, RtSparse *, c->sparse_count + 1);
    bool has_memory = true;
    for (uint32_t k = 0; k < c->blocks.n; k++) {
        const GenBlock *b = &c->blocks.at[k];
        if (b->torn) has_memory &= (i->sparse[b->sparse] = rt_sparse_new(&b->torn->pattern)) != NULL;
    }
    i->unknowns = NEW_ARRAY(arena, double, c->largest + 1);
    i->nominal = NEW_ARRAY(arena, double, c->largest + 1);
    i->low = NEW_ARRAY(arena, double, c->largest + 1);
    i->high = NEW_ARRAY(arena, double, c->largest + 1);
    i->work = NEW_ARRAY(arena, double, 4 * c->largest + 1);
    uint32_t set_room = 1, set_columns = 1;
    for (uint32_t k = 0; k < c->s->sets.n; k++) {
        const DaeStateSet *set = &c->s->sets.at[k];
        set_room = set->rows * set->columns > set_room ? set->rows * set->columns : set_room;
        set_columns = set->columns > set_columns ? set->columns : set_columns;
    }
    int path = (int)c->largest < LARGEST_PATH ? (int)c->largest : LARGEST_PATH;
    i->path_room = NEW_ARRAY(arena, double, rt_continue_room(path) + (size_t)path);
    i->path_pivot = NEW_ARRAY(arena, int, (size_t)path + 1);
    i->set_work = NEW_ARRAY(arena, double, set_room);
    i->set_dropped = NEW_ARRAY(arena, uint8_t, set_columns);
    uint32_t relations = c->s->relations.n;
    i->reach = NEW_ARRAY(arena, double, relations + 1);
    i->bias = NEW_ARRAY(arena, double, relations + 1);
    i->moved = NEW_ARRAY(arena, uint8_t, relations + 1);
    i->kept = NEW_ARRAY(arena, double, c->s->vars.n + 1);
    i->sided = NEW_ARRAY(arena, double, relations + 1);
    i->before = NEW_ARRAY(arena, double, relations + 1);
    i->sample_count = NEW_ARRAY(arena, double, c->s->samples.n + 1);
    if (c->tape) i->products = gen_products(i);
    const char *why;
    ModelShape shape = c->shape;
    uint32_t unknowns = c->form ? c->form->n : c->s->states.n;
    shape.nominal = i->state_nominal = NEW_ARRAY(arena, double, unknowns + 1);
    shape.low = i->state_low = NEW_ARRAY(arena, double, unknowns + 1);
    shape.high = i->state_high = NEW_ARRAY(arena, double, unknowns + 1);
    model_init(&i->model, c->tape ? &gen_products_type : &gen_model_type, &shape, i, &why);
    if (why || !has_memory) {
        gen_instance_free(&i->model);
        return NULL;
    }
    return &i->model;
}

/* External objects live from one initialisation to the next. */
void gen_destroy_objects(Instance *i)
{
    const System *s = i->c->s;
    gen_call(i, i->c->destroy);
    rt_forget_objects(i->rt);
    for (uint32_t v = 0; v < s->vars.n; v++)
        if (s->vars.at[v].type == BASE_OBJECT) i->memory[MEM_VALUE][v] = 0;
}

void gen_instance_free(Model *model)
{
    if (!model) return;
    Instance *i = model->data;
    gen_destroy_objects(i);
    rt_delays_free(i->rt);
    for (uint32_t k = 0; k < i->c->sparse_count; k++) rt_sparse_free(i->sparse[k]);
    rt_free(i->rt);
    arena_free(i->arena);
}
