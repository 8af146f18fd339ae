/* stepper.c: one step of the linearly implicit Euler method as straight code, and higher orders by
 * extrapolation.
 *
 * Cost: what stepper_operations says. Tests: tests/realtime/stepper_test.c. */
#include "realtime/inside.h"

#include <math.h>
#include <stdio.h>

/* In: a model, the entries of its Jacobian to be kept, a plan for L - tau J. Out: functions of
 * the IR. For order 1 one function does it all: f, entries, factors, solve, x + tau d. For
 * orders 2 and 3 parts work on static memory: f and entries once, f alone at the inner points,
 * factors for tau/k, solves; then Aitken and Neville (a W-method keeps its expansion in powers
 * of the step for any J that is fixed within it). Events: before a step, relations are compared
 * with what they are held to be; where one differs, event mode of the model runs, with a bounded
 * number of rounds, and the step is computed anew. Invariant: no allocation, no system call, no
 * branch on data but the model's and that one; a pivot that degrades is told, a result that is
 * not finite leaves the states where they were. */

enum { NEWTON_ROUNDS = 2 };
static const double POOR_PIVOT = 1e3;
static const double SAME_TIME = 1e-9;

/* ---- emitting -------------------------------------------------------------------------------- */

static IrReg at_entry(const RtStepper *s, int place, const IrReg *entries)
{
    int from = s->matrix.entry[place];
    return from < 0 ? IR_NONE : entries[s->entry_of[from]];
}

/* L - tau J by place of its pattern. */
static IrReg *matrix_registers(const RtStepper *s, IrBuilder *b, const IrReg *entries, IrReg tau)
{
    const Pattern *p = s->matrix.pattern;
    IrReg *a = NEW_ARRAY(s->arena, IrReg, (size_t)pattern_count(p) + 1);
    for (int j = 0; j < p->columns; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            IrReg entry = at_entry(s, e, entries);
            IrReg product = entry == IR_NONE ? IR_NONE : ir_two(b, IR_MUL, tau, entry);
            double mass = p->row[e] == j ? s->system.mass[j] : 0;
            if (mass != 0)
                a[e] = product == IR_NONE ? ir_real(b, mass) : ir_two(b, IR_SUB, ir_real(b, mass), product);
            else
                a[e] = product == IR_NONE ? IR_NONE : ir_one(b, IR_NEG, product);
        }
    return a;
}

static void store(const RtStepper *s, IrBuilder *b, MemoryKind kind, int32_t i, IrReg value)
{
    ir_store(b, ir_array_memory(b, s->memory[kind]), IR_NONE, i, value == IR_NONE ? ir_real(b, 0) : value);
}

static IrReg load(const RtStepper *s, IrBuilder *b, MemoryKind kind, int32_t i)
{
    return ir_load(b, ir_array_memory(b, s->memory[kind]), IR_NONE, i);
}

/* How much smaller than ever seen the worst pivot is. Pivots that are constants were seen. */
static IrReg pivot_quality(const RtStepper *s, IrBuilder *b, const StraightLu *lu)
{
    IrReg worst = ir_real(b, 0);
    for (int k = 0; k < s->system.n; k++) {
        double constant;
        if (ir_is_real(b, lu->inverse[k], &constant)) continue;
        IrReg share =
            ir_two(b, IR_MUL, ir_one(b, IR_ABS, lu->inverse[k]), ir_real(b, s->matrix.plan->smallest[k]));
        worst = ir_two(b, IR_MAX, worst, share);
    }
    return worst;
}

/* tau/2 |d_n - d_{n-1}|, the local error of Euler's method with differences for the second
 * derivative. */
static IrReg error_estimate(const RtStepper *s, IrBuilder *b, const IrReg *d)
{
    IrReg worst = ir_real(b, 0);
    for (int i = 0; i < s->system.n; i++) {
        if (s->system.mass[i] == 0 || s->weight[i] == 0) continue;
        IrReg now = d[i] == IR_NONE ? ir_real(b, 0) : d[i];
        IrReg change = ir_two(b, IR_SUB, now, load(s, b, MEMORY_PREVIOUS, i));
        IrReg share =
            ir_two(b, IR_MUL, ir_one(b, IR_ABS, change), ir_real(b, s->weight[i] * s->system.tau / 2));
        worst = ir_two(b, IR_MAX, worst, share);
        store(s, b, MEMORY_PREVIOUS, i, now);
    }
    return worst;
}

static void store_switched(const RtStepper *s, const GenParts *parts)
{
    IrBuilder *b = parts->b;
    store(s, b, MEMORY_STATUS, STATUS_SWITCHED,
          parts->switched == IR_NONE ? ir_real(b, 0) : ir_one(b, IR_TO_REAL, parts->switched));
    for (size_t k = 0; k < s->options.output_count; k++) {
        IrReg value = parts->values[s->slots[k]];
        if (value == IR_NONE) continue; /* a parameter or input: it was written when it was set */
        store(s, b, MEMORY_OUTPUTS, (int32_t)k, s->signs[k] < 0 ? ir_one(b, IR_NEG, value) : value);
    }
}

static void finish_step(void *arg, const GenParts *parts)
{
    RtStepper *s = arg;
    IrBuilder *b = parts->b;
    size_t n = (size_t)s->system.n;
    IrReg tau = ir_real(b, s->system.tau), *d = NEW_ARRAY(s->arena, IrReg, n + 1);
    StraightLu *lu =
        straight_factor(s->arena, b, s->matrix.plan, matrix_registers(s, b, parts->entries, tau));
    memcpy(d, parts->f, n * sizeof *d);
    straight_solve(b, lu, d);
    for (size_t i = 0; i < n; i++)
        store(s, b, MEMORY_NEXT, (int32_t)i,
              d[i] == IR_NONE ? parts->x[i] : ir_two(b, IR_ADD, parts->x[i], ir_two(b, IR_MUL, tau, d[i])));
    store(s, b, MEMORY_STATUS, STATUS_PIVOT, pivot_quality(s, b, lu));
    store(s, b, MEMORY_STATUS, STATUS_ESTIMATE, error_estimate(s, b, d));
    store_switched(s, parts);
}

static void finish_relations(void *arg, const GenParts *parts)
{
    const RtStepper *s = arg;
    IrArr to = ir_array_memory(parts->b, gen_straight_relation_memory(s->code));
    for (uint32_t k = 0; k < gen_straight_relations(s->code); k++)
        ir_store(parts->b, to, IR_NONE, (int32_t)k, ir_one(parts->b, IR_TO_REAL, parts->live[k]));
}

static void finish_f(void *arg, const GenParts *parts)
{
    RtStepper *s = arg;
    for (int i = 0; i < s->system.n; i++) store(s, parts->b, MEMORY_F, i, parts->f[i]);
}

static void finish_evaluate(void *arg, const GenParts *parts)
{
    RtStepper *s = arg;
    finish_f(arg, parts);
    for (size_t k = 0; k < s->entry_count; k++)
        store(s, parts->b, MEMORY_ENTRIES, (int32_t)k, parts->entries[k]);
    store_switched(s, parts);
}

static StraightLu *emit_factors(RtStepper *s, IrBuilder *b)
{
    IrReg *entries = NEW_ARRAY(s->arena, IrReg, s->entry_count + 1);
    for (size_t k = 0; k < s->entry_count; k++) entries[k] = load(s, b, MEMORY_ENTRIES, (int32_t)k);
    return straight_factor(s->arena, b, s->matrix.plan,
                           matrix_registers(s, b, entries, load(s, b, MEMORY_TAU, 0)));
}

/* Factors from the entries in memory into memory. */
static IrFun emit_factor(RtStepper *s, IrModule *module)
{
    IrBuilder b = ir_begin(module, "factor");
    StraightLu *lu = emit_factors(s, &b);
    int count = s->matrix.plan->count;
    for (int e = 0; e < count; e++) store(s, &b, MEMORY_LU, e, lu->at[e]);
    for (int k = 0; k < s->system.n; k++) store(s, &b, MEMORY_LU, count + k, lu->inverse[k]);
    store(s, &b, MEMORY_STATUS, STATUS_PIVOT, pivot_quality(s, &b, lu));
    ir_optimize(module, b.id);
    return b.id;
}

static void emit_solution(RtStepper *s, IrBuilder *b, const StraightLu *lu)
{
    IrReg *d = NEW_ARRAY(s->arena, IrReg, (size_t)s->system.n + 1);
    for (int i = 0; i < s->system.n; i++) d[i] = load(s, b, MEMORY_F, i);
    straight_solve(b, lu, d);
    for (int i = 0; i < s->system.n; i++) store(s, b, MEMORY_D, i, d[i]);
}

static IrFun emit_solve(RtStepper *s, IrModule *module)
{
    IrBuilder b = ir_begin(module, "solve");
    const LuPlan *plan = s->matrix.plan;
    StraightLu lu = { plan, NEW_ARRAY(s->arena, IrReg, (size_t)plan->count + 1),
                      NEW_ARRAY(s->arena, IrReg, (size_t)plan->n + 1) };
    for (int e = 0; e < plan->count; e++) lu.at[e] = load(s, &b, MEMORY_LU, e);
    for (int k = 0; k < plan->n; k++) lu.inverse[k] = load(s, &b, MEMORY_LU, plan->count + k);
    emit_solution(s, &b, &lu);
    ir_optimize(module, b.id);
    return b.id;
}

/* Both at once, for what is solved only once. */
static IrFun emit_factor_solve(RtStepper *s, IrModule *module)
{
    IrBuilder b = ir_begin(module, "factor_solve");
    StraightLu *lu = emit_factors(s, &b);
    emit_solution(s, &b, lu);
    ir_optimize(module, b.id);
    return b.id;
}

/* ---- making it ------------------------------------------------------------------------------- */

static void list_entries(RtStepper *s, const unsigned char *kept)
{
    const Pattern *p = s->system.pattern;
    s->entries = NEW_ARRAY(s->arena, Entry, (size_t)pattern_count(p) + 1);
    s->entry_of = NEW_ARRAY(s->arena, int, (size_t)pattern_count(p) + 1);
    for (int j = 0; j < p->columns; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            s->entry_of[e] = kept[e] ? (int)s->entry_count : -1;
            if (kept[e]) s->entries[s->entry_count++] = (Entry){ p->row[e], j };
        }
}

static int state_at(const RtStepper *s, int slot)
{
    for (int k = 0; k < s->shape->variable_count; k++) {
        const ModelVariable *v = &s->shape->variables[k];
        if (v->slot != slot || v->negated) continue;
        for (int i = 0; i < s->system.n; i++)
            if (!strcmp(v->name, s->names[i])) return i;
    }
    return -1;
}

static void list_outputs(RtStepper *s)
{
    s->output_state = NEW_ARRAY(s->arena, int, s->options.output_count + 1);
    int *outputs = NEW_ARRAY(s->arena, int, s->options.output_count + 1);
    if (s->options.output_count)
        memcpy(outputs, s->options.outputs, s->options.output_count * sizeof *outputs);
    s->options.outputs = outputs;
    s->slots = NEW_ARRAY(s->arena, int, s->options.output_count + 1);
    s->signs = NEW_ARRAY(s->arena, double, s->options.output_count + 1);
    for (size_t k = 0; k < s->options.output_count; k++) {
        const ModelVariable *v = &s->shape->variables[s->options.outputs[k]];
        s->slots[k] = v->slot;
        s->signs[k] = v->negated ? -1 : 1;
        s->output_state[k] = state_at(s, v->slot);
    }
}

static void make_memory(RtStepper *s)
{
    static const char *const names[MEMORY_KINDS] = { "next",    "previous", "status", "f",      "entries",
                                                     "factors", "tau",      "d",      "outputs" };
    uint32_t n = (uint32_t)s->system.n;
    const uint32_t sizes[MEMORY_KINDS] = { n,
                                           n,
                                           STATUS_COUNT,
                                           n,
                                           (uint32_t)s->entry_count,
                                           (uint32_t)s->matrix.plan->count + n,
                                           1,
                                           n,
                                           (uint32_t)s->options.output_count };
    gen_straight_bind(s->model, s->arrays);
    for (int k = 0; k < MEMORY_KINDS; k++) {
        s->size[k] = sizes[k] ? sizes[k] : 1;
        s->memory[k] = gen_straight_memory(s->code, names[k], s->size[k]);
        s->at[k] = NEW_ARRAY(s->arena, double, s->size[k]);
        s->arrays[s->memory[k]] = (RtArray){ s->at[k], s->size[k] };
    }
    s->x = NEW_ARRAY(s->arena, double, n + 1);
    s->arrays[gen_straight_x(s->code)] = (RtArray){ s->x, n };
    for (int k = 0; k < STEPPER_MOST_ORDER; k++) s->column[k] = NEW_ARRAY(s->arena, double, n + 1);
    s->at[MEMORY_TAU][0] = s->system.tau;
}

static bool make_code(RtStepper *s, const RtScenario *scenario, char *why, size_t room)
{
    GenPoint *points = NEW_ARRAY(s->arena, GenPoint, (size_t)scenario->count + 1);
    EventInfo info;
    for (int k = 0; k < scenario->count; k++) points[k] = (GenPoint){ scenario->at[k].t, scenario->at[k].y };
    double *y = NEW_ARRAY(s->arena, double, (size_t)s->system.n + 1);
    if (s->model->type->initialise(s->model, scenario->options.start, y, &info) != EVAL_OK) {
        snprintf(why, room, "no initial values: %s", s->model->type->failure(s->model));
        return false;
    }
    GenWish wish = {
        scenario->options.residual_form, NEWTON_ROUNDS, s->model, points, (size_t)scenario->count, s->slots,
        s->options.output_count
    };
    s->code = gen_straight_new(scenario->compiled, &wish, why, room);
    if (!s->code) return false;
    make_memory(s);
    s->step = gen_straight_function(s->code, "step", s->entries, s->entry_count, finish_step, s);
    s->evaluate = gen_straight_function(s->code, "evaluate", s->entries, s->entry_count, finish_evaluate, s);
    s->f = gen_straight_function(s->code, "f", NULL, 0, finish_f, s);
    s->relations = gen_straight_function(s->code, "relations", NULL, 0, finish_relations, s);
    s->factor = emit_factor(s, gen_straight_module(s->code));
    s->solve = emit_solve(s, gen_straight_module(s->code));
    s->factor_solve = emit_factor_solve(s, gen_straight_module(s->code));
    if (gen_straight_compile(s->code, s->options.backend)) return true;
    snprintf(why, room, "no code could be made for this machine");
    return false;
}

RtStepper *stepper_new(const RtScenario *scenario, const unsigned char *kept, const RtStepperOptions *options,
                       char *why, size_t room)
{
    Arena *arena = arena_new();
    if (!arena) return NULL;
    RtStepper *s = NEW(arena, RtStepper);
    size_t n = (size_t)scenario->system.n;
    double *weight = NEW_ARRAY(arena, double, n + 1);
    *s = (RtStepper){ .arena = arena,
                      .system = scenario->system,
                      .names = scenario->names,
                      .options = *options,
                      .weight = weight };
    for (size_t i = 0; i < n; i++) weight[i] = scenario->range[i] > 0 ? 1 / scenario->range[i] : 0;
    s->model = scenario_instance(scenario);
    bool ok = s->model != NULL;
    if (ok) s->shape = &s->model->shape;
    if (ok) list_entries(s, kept);
    if (ok) list_outputs(s);
    if (ok && !(ok = sparsing_matrix(arena, scenario, kept, &s->matrix)))
        snprintf(why, room, "L - tau J has no order of pivots that suits all linearisations");
    if (ok && make_code(s, scenario, why, room)) return s;
    stepper_free(s);
    return NULL;
}

void stepper_free(RtStepper *s)
{
    if (!s) return;
    gen_straight_free(s->code);
    gen_instance_free(s->model);
    arena_free(s->arena);
}

/* ---- running --------------------------------------------------------------------------------- */

bool stepper_start(RtStepper *s, double t)
{
    s->t0 = t;
    s->n = 0;
    memset(s->at[MEMORY_PREVIOUS], 0, s->size[MEMORY_PREVIOUS] * sizeof(double));
    return s->model->type->initialise(s->model, t, s->x, &s->info) == EVAL_OK;
}

const char *stepper_failure(const RtStepper *s)
{
    const char *why = s->model->type->failure(s->model);
    return why ? why : "";
}

double stepper_time(const RtStepper *s) { return s->t0 + (double)s->n * s->system.tau; }
const double *stepper_states(const RtStepper *s) { return s->x; }
const double *stepper_outputs(const RtStepper *s) { return s->at[MEMORY_OUTPUTS]; }
size_t stepper_output_count(const RtStepper *s) { return s->options.output_count; }
double stepper_tau(const RtStepper *s) { return s->system.tau; }
Model *stepper_model(RtStepper *s) { return s->model; }

bool stepper_set_input(RtStepper *s, int variable, double value)
{
    const char *why;
    return s->model->type->set(s->model, variable, value, &why);
}

static void run(RtStepper *s, double t, IrFun f)
{
    if (gen_straight_run(s->code, s->model, s->arrays, t, f) != RT_OK) s->at[MEMORY_NEXT][0] = NAN;
}

/* Orders 2 and 3: s->column[k] gets k + 1 steps of tau / (k + 1). The Jacobian is that of the
 * step's beginning. */
static void extrapolate(RtStepper *s, double t)
{
    size_t n = (size_t)s->system.n;
    double *x = s->arrays[gen_straight_x(s->code)].at, pivot = 0;
    int order = s->options.order;
    run(s, t, s->evaluate);
    for (int k = 0; k < order; k++) memcpy(s->column[k], x, n * sizeof *x);
    double *first = s->at[MEMORY_PREVIOUS]; /* f at the beginning serves all */
    memcpy(first, s->at[MEMORY_F], n * sizeof *first);
    for (int k = 0; k < order; k++) {
        double h = s->at[MEMORY_TAU][0] = s->system.tau / (k + 1);
        run(s, t, s->factor);
        pivot = fmax(pivot, s->at[MEMORY_STATUS][STATUS_PIVOT]);
        memcpy(s->at[MEMORY_F], first, n * sizeof *first);
        for (int part = 0; part <= k; part++) {
            s->arrays[gen_straight_x(s->code)].at = s->column[k];
            if (part) run(s, t + part * h, s->f);
            run(s, t, s->solve);
            for (size_t i = 0; i < n; i++) s->column[k][i] += h * s->at[MEMORY_D][i];
        }
    }
    s->arrays[gen_straight_x(s->code)].at = x;
    s->at[MEMORY_STATUS][STATUS_PIVOT] = pivot;
}

static void combine(RtStepper *s)
{
    size_t n = (size_t)s->system.n;
    int order = s->options.order;
    double worst = 0;
    for (int level = 1; level < order; level++)
        for (int k = order - 1; k >= level; k--) {
            double factor = 1 / ((double)(k + 1) / (k + 1 - level) - 1);
            for (size_t i = 0; i < n; i++) {
                double change = factor * (s->column[k][i] - s->column[k - 1][i]);
                if (k == order - 1 && level == order - 1) worst = fmax(worst, fabs(change) * s->weight[i]);
                s->column[k][i] += change;
            }
        }
    s->at[MEMORY_STATUS][STATUS_ESTIMATE] = worst;
    memcpy(s->at[MEMORY_NEXT], s->column[order - 1], n * sizeof(double));
}

static void compute(RtStepper *s, double t)
{
    if (s->options.order == 1) {
        run(s, t, s->step);
        return;
    }
    extrapolate(s, t);
    combine(s);
}

/* The step that was computed stands unless relations changed: then event mode, and once more. */
void stepper_step(RtStepper *s, RtStepInfo *info)
{
    double t = stepper_time(s);
    size_t n = (size_t)s->system.n;
    bool is_due = t >= s->info.next_time - SAME_TIME * s->system.tau;
    *info = (RtStepInfo){ .event_converged = true };
    if (!is_due) compute(s, t);
    if (is_due || s->at[MEMORY_STATUS][STATUS_SWITCHED] != 0) {
        info->event = true;
        info->event_converged = s->model->type->event(s->model, t, s->x, &s->info) == EVAL_OK;
        compute(s, t);
    }
    const double *next = s->at[MEMORY_NEXT];
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += next[i] * 0;
    info->held = !(sum == 0); /* NaN where one is not finite */
    info->pivot = s->at[MEMORY_STATUS][STATUS_PIVOT];
    info->estimate = s->at[MEMORY_STATUS][STATUS_ESTIMATE];
    info->poor_pivot = !(info->pivot <= POOR_PIVOT);
    if (!info->held) memcpy(s->x, next, n * sizeof *next);
    for (size_t k = 0; k < s->options.output_count; k++)
        if (s->output_state[k] >= 0) s->at[MEMORY_OUTPUTS][k] = s->signs[k] * s->x[s->output_state[k]];
    s->n++;
}

void stepper_run_part(RtStepper *s, RtPart part)
{
    const IrFun functions[] = { s->step, s->evaluate, s->factor, s->solve, s->factor_solve };
    run(s, stepper_time(s), functions[part]);
}

/* ---- counting -------------------------------------------------------------------------------- */

static void count_function(const IrModule *module, IrFun f, RtOperations *o)
{
    const IrFunction *function = module->functions.at[f];
    for (uint32_t i = 0; i < function->code.n; i++) {
        switch ((IrOp)function->code.at[i].op) {
        case IR_ADD:
        case IR_SUB:
        case IR_NEG:
        case IR_ABS: o->adds++; break;
        case IR_MUL: o->products++; break;
        case IR_DIV: o->divisions++; break;
        case IR_SQRT: o->roots++; break;
        case IR_FLOOR:
        case IR_CEIL:
        case IR_TRUNC:
        case IR_MATH1:
        case IR_MATH2: o->functions++; break;
        case IR_LOAD: o->loads++; break;
        case IR_STORE: o->stores++; break;
        case IR_CALL:
        case IR_EXTERN: o->calls++; break;
        case IR_IF:
        case IR_LOOP:
        case IR_FOR: o->branches++; break;
        case IR_KREAL:
        case IR_KINT:
        case IR_KSTR:
        case IR_ELSE:
        case IR_END: break;
        default: o->comparisons++; break;
        }
    }
}

static void add_times(RtOperations *sum, const IrModule *module, IrFun f, long times)
{
    for (long k = 0; k < times; k++) count_function(module, f, sum);
}

long operations_total(const RtOperations *o)
{
    return o->adds + o->products + o->divisions + o->roots + o->functions + o->comparisons + o->loads +
           o->stores + o->branches + o->calls;
}

RtOperations stepper_operations(const RtStepper *s)
{
    const IrModule *m = gen_straight_module(s->code);
    RtOperations o = { 0 };
    long order = s->options.order, n = s->system.n, steps = order * (order + 1) / 2;
    if (order == 1) {
        count_function(m, s->step, &o);
        return o;
    }
    count_function(m, s->evaluate, &o);
    add_times(&o, m, s->f, steps - order);
    add_times(&o, m, s->factor, order);
    add_times(&o, m, s->solve, steps);
    long combinations = order * (order - 1) / 2;
    o.adds += n * (steps + 2 * combinations);
    o.products += n * (steps + combinations);
    return o;
}

RtOperations stepper_matrix_operations(const RtStepper *s)
{
    RtOperations o = { 0 };
    count_function(gen_straight_module(s->code), s->factor_solve, &o);
    return o;
}

const RtMatrix *stepper_matrix(const RtStepper *s) { return &s->matrix; }
const LuPlan *stepper_block(const RtStepper *s, size_t i) { return gen_straight_block(s->code, i); }
IrBackend stepper_backend(const RtStepper *s) { return gen_straight_backend(s->code); }
size_t stepper_code_size(const RtStepper *s) { return gen_straight_size(s->code); }
