/* straight.c: the right-hand side and chosen entries of its Jacobian as one piece of straight code.
 *
 * In: a compiled model, and which entries. Out: functions of a module of their own over the
 * memories of instances. How: assignments in their order, in registers, nothing stored but what the
 * next step starts from. A block is one sparse linear system in all its unknowns, factored along a
 * plan that suits some points of a run. Entries come row by row, backward: the weight of a row's
 * derivative is handed to what it was computed from, through blocks by one solve with the
 * transposed factors; ways that lead to no wanted unknown are not gone. Always: no branch but those
 * of the model, no loop but those of its functions, no allocation. Cost of making: linear in the
 * code; of running: what the code says. Tests: tests/gen/straight_test.c. */
#include "gen/function.h"
#include "gen/inside.h"

#include <stdio.h>

/* target = value; or, as residual of a block, 0 = left - right */
typedef struct {
    uint32_t target; /* NONE: a residual */
    uint32_t eq;
    Sym value, left, right;
    Gradient gradient;
} Row;

typedef struct {
    uint32_t first, n, tear_n; /* rows: of assignments, then of residuals */
    const uint32_t *tears;
    bool is_linear;
    Pattern *pattern; /* of all its rows in all its unknowns: targets, then tears */
    LuPlan *plan;
    StraightLu *lu;          /* while a function is made */
    uint32_t first_residual; /* in the residual form: the row of the system */
} Step;

struct GenStraight {
    Arena *arena;
    Compiled other; /* the model with the module of straight code */
    System *s;
    IrCode *code;
    Lower l;
    bool residual_form;
    int rounds, n;
    IrMem x;
    VEC(Row) rows;
    VEC(Step) steps;
    uint8_t *needed;   /* by variable */
    uint32_t *local;   /* by variable: its place among the unknowns of the block at hand */
    uint32_t *unknown; /* by variable: its number; NONE */
    uint64_t *reach;   /* by variable: the unknowns it depends on */
    uint32_t words;
    IrReg *weight; /* by variable, while a row of the Jacobian is made */
};

/* ---- what there is --------------------------------------------------------------------------- */

static void need_gradient(GenStraight *g, const Gradient *gradient)
{
    for (uint32_t k = 0; k < gradient->n; k++) g->needed[gradient->at[k].var] = 1;
}

static void need(GenStraight *g, Sym s)
{
    Gradient gradient = dae_gradient(g->s, s);
    need_gradient(g, &gradient);
}

static bool block_is_needed(const GenStraight *g, const Sequence *q, const DaeBlock *d)
{
    bool is = false;
    for (uint32_t i = 0; i < d->n; i++) is |= g->needed[q->assigns.at[d->first + i].var];
    for (uint32_t i = 0; i < d->tear_n; i++) is |= g->needed[q->tears.at[d->tear_first + i]];
    return is;
}

/* Backward through the sequence: what derivatives, relations and wanted values are computed from.
 * Blocks that derivatives need belong to the residual form in any case. */
static void find_needed(GenStraight *g, const int *slots, size_t n)
{
    const Sequence *q = &g->s->continuous;
    for (size_t k = 0; k < n; k++) g->needed[slots[k]] = 1;
    for (uint32_t k = 0; k < g->s->states.n; k++) g->needed[g->s->vars.at[g->s->states.at[k]].der] = 1;
    for (uint32_t k = 0; k < g->s->relations.n; k++) {
        need(g, g->s->relations.at[k].left);
        need(g, g->s->relations.at[k].right);
    }
    for (uint32_t k = q->blocks.n; k-- > 0;) {
        const DaeBlock *d = &q->blocks.at[k];
        if (!(d->flags & BLOCK_FOR_DERIVATIVES) && !block_is_needed(g, q, d)) continue;
        for (uint32_t i = 0; i < d->n; i++) need(g, q->assigns.at[d->first + i].value);
        for (uint32_t i = 0; i < d->tear_n; i++)
            need_gradient(g, &g->s->eqs.at[q->residuals.at[d->tear_first + i]].gradient);
    }
}

static void add_assign_row(GenStraight *g, const DaeAssign *a)
{
    Row row = { a->var, a->eq, a->value, NONE, NONE, dae_gradient(g->s, a->value) };
    vec_push(g->arena, &g->rows, row);
}

static void add_steps(GenStraight *g)
{
    const Sequence *q = &g->s->continuous;
    uint32_t residual = g->s->states.n;
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *d = &q->blocks.at[k];
        if (d->flags & BLOCK_CONSTANT) continue;
        bool is_inner = d->flags & BLOCK_FOR_DERIVATIVES;
        if (!is_inner && !block_is_needed(g, q, d)) continue;
        Step step = { .first = g->rows.n,
                      .n = d->n,
                      .tear_n = d->tear_n,
                      .tears = d->tear_n ? q->tears.at + d->tear_first : NULL,
                      .is_linear = d->kind == BLOCK_LINEAR,
                      .first_residual = NONE };
        for (uint32_t i = 0; i < d->n; i++) add_assign_row(g, &q->assigns.at[d->first + i]);
        for (uint32_t i = 0; i < d->tear_n; i++) {
            uint32_t e = q->residuals.at[d->tear_first + i];
            const DaeEq *eq = &g->s->eqs.at[e];
            Row row = { NONE, e, NONE, eq->left, eq->right, eq->gradient };
            vec_push(g->arena, &g->rows, row);
        }
        if (d->tear_n && is_inner && g->residual_form) {
            step.first_residual = residual;
            residual += d->tear_n;
        }
        vec_push(g->arena, &g->steps, step);
    }
    g->n = (int)residual;
}

static uint64_t *reach_of(const GenStraight *g, uint32_t var) { return g->reach + (size_t)var * g->words; }

static void join(const GenStraight *g, uint64_t *set, const Gradient *gradient)
{
    for (uint32_t k = 0; k < gradient->n; k++)
        for (uint32_t w = 0; w < g->words; w++) set[w] |= reach_of(g, gradient->at[k].var)[w];
}

static void number_unknown(GenStraight *g, uint32_t var, uint32_t number)
{
    g->unknown[var] = number;
    reach_of(g, var)[number / 64] |= UINT64_C(1) << number % 64;
}

static void find_reach(GenStraight *g)
{
    for (uint32_t k = 0; k < g->s->states.n; k++) number_unknown(g, g->s->states.at[k], k);
    for (uint32_t k = 0; k < g->steps.n; k++) {
        const Step *step = &g->steps.at[k];
        bool is_open = step->first_residual != NONE;
        for (uint32_t i = 0; i < step->tear_n && is_open; i++)
            number_unknown(g, step->tears[i], step->first_residual + i);
        uint64_t *all = NEW_ARRAY(g->arena, uint64_t, g->words);
        for (uint32_t r = step->first; r < step->first + step->n + step->tear_n; r++) {
            const Row *row = &g->rows.at[r];
            if (row->target != NONE) join(g, reach_of(g, row->target), &row->gradient);
            join(g, all, &row->gradient);
        }
        if (!step->tear_n || is_open) continue;
        for (uint32_t i = 0; i < step->n; i++)
            memcpy(reach_of(g, g->rows.at[step->first + i].target), all, g->words * sizeof *all);
        for (uint32_t i = 0; i < step->tear_n; i++)
            memcpy(reach_of(g, step->tears[i]), all, g->words * sizeof *all);
    }
}

static bool is_block(const Step *step) { return step->tear_n && step->first_residual == NONE; }

static void number_locals(GenStraight *g, const Step *step, bool set)
{
    for (uint32_t i = 0; i < step->n; i++) g->local[g->rows.at[step->first + i].target] = set ? i : NONE;
    for (uint32_t i = 0; i < step->tear_n; i++) g->local[step->tears[i]] = set ? step->n + i : NONE;
}

static void find_pattern(GenStraight *g, Step *step)
{
    VEC(Entry) entries = { 0 };
    uint32_t n = step->n + step->tear_n;
    number_locals(g, step, true);
    for (uint32_t i = 0; i < n; i++) {
        const Row *row = &g->rows.at[step->first + i];
        Entry own = { (int)i, (int)i };
        if (i < step->n) vec_push(g->arena, &entries, own);
        for (uint32_t k = 0; k < row->gradient.n; k++) {
            Entry e = { (int)i, (int)g->local[row->gradient.at[k].var] };
            const SymNode *value = sym_node(g->s->pool, row->gradient.at[k].value);
            bool is_zero = value->op == SYM_REAL && value->real == 0;
            if (g->local[row->gradient.at[k].var] != NONE && !is_zero) vec_push(g->arena, &entries, e);
        }
    }
    number_locals(g, step, false);
    step->pattern = pattern_of_entries(g->arena, (int)n, (int)n, entries.at, entries.n);
}

/* ---- code ------------------------------------------------------------------------------------ */

/* The matrix of a block, in the order of its pattern. */
static IrReg *block_entries(GenStraight *g, const Step *step)
{
    IrBuilder *b = &g->l.b;
    IrReg *a = NEW_ARRAY(g->arena, IrReg, (size_t)pattern_count(step->pattern) + 1);
    memset(a, 0xff, (size_t)pattern_count(step->pattern) * sizeof *a);
    number_locals(g, step, true);
    for (uint32_t i = 0; i < step->n + step->tear_n; i++) {
        const Row *row = &g->rows.at[step->first + i];
        if (i < step->n) a[pattern_find(step->pattern, (int)i, (int)i)] = ir_real(b, 1);
        for (uint32_t k = 0; k < row->gradient.n; k++) {
            uint32_t j = g->local[row->gradient.at[k].var];
            int e = j == NONE ? -1 : pattern_find(step->pattern, (int)i, (int)j);
            if (e < 0) continue;
            IrReg partial = lower_real(&g->l, row->gradient.at[k].value);
            a[e] = lower_plus(b, a[e], i < step->n ? ir_one(b, IR_NEG, partial) : partial);
        }
    }
    number_locals(g, step, false);
    return a;
}

static void assign_rows(GenStraight *g, const Step *step)
{
    for (uint32_t i = 0; i < step->n; i++) {
        const Row *row = &g->rows.at[step->first + i];
        g->l.b.source = row->eq != NONE ? row->eq : SOURCE_VARIABLE | row->target;
        g->l.known[row->target] = lower_number(&g->l, lower_real(&g->l, row->value));
    }
}

static IrReg residual(GenStraight *g, const Row *row)
{
    g->l.b.source = row->eq;
    return ir_two(&g->l.b, IR_SUB, lower_real(&g->l, row->left), lower_real(&g->l, row->right));
}

/* One round of Newton's method in all unknowns of the block; assignments hold before, so only
 * residuals are not zero. */
static void solve_round(GenStraight *g, Step *step)
{
    IrBuilder *b = &g->l.b;
    uint32_t n = step->n + step->tear_n;
    IrReg *d = NEW_ARRAY(g->arena, IrReg, n + 1);
    assign_rows(g, step);
    memset(d, 0xff, n * sizeof *d);
    for (uint32_t i = step->n; i < n; i++)
        d[i] = ir_one(b, IR_NEG, residual(g, &g->rows.at[step->first + i]));
    step->lu = straight_factor(g->arena, b, step->plan, block_entries(g, step));
    straight_solve(b, step->lu, d);
    for (uint32_t i = 0; i < n; i++) {
        IrReg *known =
            &g->l.known[i < step->n ? g->rows.at[step->first + i].target : step->tears[i - step->n]];
        *known = lower_plus(b, *known, d[i]);
    }
    lower_forget(&g->l);
}

static void solve_step(GenStraight *g, Step *step)
{
    for (uint32_t i = 0; i < step->tear_n; i++)
        g->l.known[step->tears[i]] = lower_load(&g->l, MEM_VALUE, step->tears[i]);
    for (int round = 0; round < (step->is_linear ? 1 : g->rounds); round++) solve_round(g, step);
    if (!step->is_linear) assign_rows(g, step);
    for (uint32_t i = 0; i < step->tear_n; i++)
        lower_store(&g->l, MEM_VALUE, step->tears[i], g->l.known[step->tears[i]]);
}

static void run_steps(GenStraight *g, IrReg *x, IrReg *f)
{
    IrBuilder *b = &g->l.b;
    IrArr from = ir_array_memory(b, g->x);
    memset(g->l.known, 0xff, g->s->vars.n * sizeof *g->l.known);
    for (uint32_t v = 0; v < g->s->vars.n; v++)
        if (g->unknown[v] != NONE)
            g->l.known[v] = x[g->unknown[v]] = ir_load(b, from, IR_NONE, (int32_t)g->unknown[v]);
    for (uint32_t k = 0; k < g->steps.n; k++) {
        Step *step = &g->steps.at[k];
        if (is_block(step)) {
            solve_step(g, step);
            continue;
        }
        assign_rows(g, step);
        for (uint32_t i = 0; i < step->tear_n; i++)
            f[step->first_residual + i] = residual(g, &g->rows.at[step->first + step->n + i]);
    }
    for (uint32_t k = 0; k < g->s->states.n; k++) {
        uint32_t der = g->s->vars.at[g->s->states.at[k]].der;
        f[k] = g->l.known[der] != IR_NONE ? g->l.known[der] : lower_load(&g->l, MEM_VALUE, der);
    }
}

/* ---- the Jacobian, backward ------------------------------------------------------------------ */

static bool meets(const GenStraight *g, uint32_t var, const uint64_t *wanted)
{
    for (uint32_t w = 0; w < g->words; w++)
        if (reach_of(g, var)[w] & wanted[w]) return true;
    return false;
}

/* Hands a weight to what a row was computed from; `inside`: unknowns of its block are not among
 * that. */
static void hand_on(GenStraight *g, const Row *row, IrReg weight, bool is_inside, const uint64_t *wanted)
{
    for (uint32_t k = 0; k < row->gradient.n && weight != IR_NONE; k++) {
        uint32_t var = row->gradient.at[k].var;
        if (!meets(g, var, wanted) || (is_inside && g->local[var] != NONE)) continue;
        IrReg partial = lower_real(&g->l, row->gradient.at[k].value);
        g->weight[var] = lower_plus(&g->l.b, g->weight[var], lower_product(&g->l.b, weight, partial));
    }
}

static void back_through_block(GenStraight *g, const Step *step, const uint64_t *wanted)
{
    IrBuilder *b = &g->l.b;
    uint32_t n = step->n + step->tear_n;
    IrReg *w = NEW_ARRAY(g->arena, IrReg, n + 1);
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t var = i < step->n ? g->rows.at[step->first + i].target : step->tears[i - step->n];
        w[i] = meets(g, var, wanted) ? g->weight[var] : IR_NONE;
        any |= w[i] != IR_NONE;
        g->weight[var] = IR_NONE;
    }
    if (!any) return;
    straight_solve_transposed(b, step->lu, w);
    number_locals(g, step, true);
    for (uint32_t i = 0; i < n; i++) {
        IrReg weight = i < step->n || w[i] == IR_NONE ? w[i] : ir_one(b, IR_NEG, w[i]);
        hand_on(g, &g->rows.at[step->first + i], weight, true, wanted);
    }
    number_locals(g, step, false);
}

static void back_through(GenStraight *g, const Step *step, const uint64_t *wanted)
{
    if (is_block(step)) {
        back_through_block(g, step, wanted);
        return;
    }
    for (uint32_t i = step->n; i-- > 0;) {
        const Row *row = &g->rows.at[step->first + i];
        IrReg weight = g->weight[row->target];
        g->weight[row->target] = IR_NONE;
        if (weight != IR_NONE && meets(g, row->target, wanted)) hand_on(g, row, weight, false, wanted);
    }
}

/* The row of the system whose derivatives are wanted; returns the step after the last that it was
 * computed by. */
static uint32_t seed(GenStraight *g, int row, const uint64_t *wanted)
{
    if (row < (int)g->s->states.n) {
        g->weight[g->s->vars.at[g->s->states.at[row]].der] = ir_real(&g->l.b, 1);
        return g->steps.n;
    }
    for (uint32_t k = 0; k < g->steps.n; k++) {
        const Step *step = &g->steps.at[k];
        uint32_t at = (uint32_t)row - step->first_residual;
        if (step->first_residual == NONE || (uint32_t)row < step->first_residual || at >= step->tear_n)
            continue;
        hand_on(g, &g->rows.at[step->first + step->n + at], ir_real(&g->l.b, 1), false, wanted);
        return k + 1;
    }
    return 0;
}

static void jacobian_row(GenStraight *g, int row, const Entry *entries, size_t n, IrReg *out)
{
    uint64_t *wanted = NEW_ARRAY(g->arena, uint64_t, g->words);
    bool any = false;
    for (size_t e = 0; e < n; e++) {
        if (entries[e].row != row) continue;
        wanted[entries[e].column / 64] |= UINT64_C(1) << entries[e].column % 64;
        any = true;
    }
    if (!any) return;
    memset(g->weight, 0xff, g->s->vars.n * sizeof *g->weight);
    for (uint32_t k = seed(g, row, wanted); k-- > 0;) back_through(g, &g->steps.at[k], wanted);
    for (uint32_t v = 0; v < g->s->vars.n; v++) {
        if (g->unknown[v] == NONE || g->weight[v] == IR_NONE) continue;
        for (size_t e = 0; e < n; e++)
            if (entries[e].row == row && (uint32_t)entries[e].column == g->unknown[v]) out[e] = g->weight[v];
    }
}

/* ---- relations ------------------------------------------------------------------------------- */

static IrReg switched(GenStraight *g, IrReg *live)
{
    IrBuilder *b = &g->l.b;
    IrReg any = IR_NONE;
    for (uint32_t k = 0; k < g->s->relations.n; k++) {
        const DaeRelation *r = &g->s->relations.at[k];
        live[k] = ir_two(b, r->op == SYM_LT ? IR_LT : IR_LE, lower_real(&g->l, r->left),
                         lower_real(&g->l, r->right));
        IrReg held = ir_two(b, IR_NE, lower_load(&g->l, MEM_RELATION, k), ir_real(b, 0));
        IrReg differs = ir_two(b, IR_INE, live[k], held);
        any = any == IR_NONE ? differs : ir_two(b, IR_OR, any, differs);
    }
    return any;
}

IrFun gen_straight_function(GenStraight *g, const char *name, const Entry *entries, size_t n,
                            void (*finish)(void *arg, const GenParts *parts), void *arg)
{
    IrReg *x = NEW_ARRAY(g->arena, IrReg, (size_t)g->n + 1),
          *f = NEW_ARRAY(g->arena, IrReg, (size_t)g->n + 1);
    IrReg *out = NEW_ARRAY(g->arena, IrReg, n + 1);
    memset(out, 0xff, n * sizeof *out);
    lower_begin(&g->l, name);
    run_steps(g, x, f);
    for (int row = 0; row < g->n && n; row++) jacobian_row(g, row, entries, n, out);
    IrReg *live = NEW_ARRAY(g->arena, IrReg, g->s->relations.n + 1);
    GenParts parts = { &g->l.b, x, f, out, switched(g, live), live, g->l.known };
    finish(arg, &parts);
    return lower_end(&g->l);
}

/* ---- plans of blocks: their matrices at some points of a run --------------------------------- */

static IrFun probe_function(GenStraight *g, const Step *step, IrMem to)
{
    lower_begin(&g->l, "probe");
    IrReg *entries = block_entries(g, step);
    IrArr array = ir_array_memory(&g->l.b, to);
    for (int e = 0; e < pattern_count(step->pattern); e++)
        if (entries[e] != IR_NONE) ir_store(&g->l.b, array, IR_NONE, e, entries[e]);
    return lower_end(&g->l);
}

static bool plan_block(GenStraight *g, Step *step, const GenWish *wish)
{
    RunInstance *run = ((Instance *)wish->probe->data)->run;
    Rt *rt = run_rt(run);
    size_t count = (size_t)pattern_count(step->pattern);
    GenStraight other = *g;
    other.other.module = ir_module_new(g->arena);
    gen_add_memories(&other.other);
    IrMem to = ir_add_memory(other.other.module, "entries", IR_REAL, (uint32_t)count);
    Diag diag;
    diag_init(&diag, g->arena);
    other.l = (Lower){ .c = &other.other, .scratch = g->arena };
    other.l.functions = gen_functions(&other.other, g->arena, &diag);
    IrFun f = probe_function(&other, step, to);
    IrCode *code = gen_code(&other.other, IR_INTERPRETER, &diag);
    double **samples = NEW_ARRAY(g->arena, double *, wish->point_count + 1);
    RtArray memory[MEM_COUNT + 1], *kept = rt->memory;
    memcpy(memory, run_memories(run), MEM_COUNT * sizeof *memory);
    size_t good = 0;
    for (size_t k = 0; k < wish->point_count && code; k++) {
        samples[good] = NEW_ARRAY(g->arena, double, count + 1);
        if (run_values(run, wish->points[k].t, wish->points[k].y) != RUN_OK) continue;
        memory[to] = (RtArray){ samples[good], (int64_t)count };
        rt->memory = memory;
        RtCell none;
        good += ir_run(code, f, rt, &none) == RT_OK;
        rt->memory = kept;
    }
    ir_code_free(code);
    step->plan = lu_plan(g->arena, step->pattern, (const double *const *)samples, good, 0.05);
    return step->plan;
}

/* ---- the door -------------------------------------------------------------------------------- */

static bool refuse(char *why, size_t room, const char *text)
{
    snprintf(why, room, "%s", text);
    return false;
}

static bool is_possible(const System *s, char *why, size_t room)
{
    if (s->sets.n)
        return refuse(
            why, room,
            "the model chooses its states while it runs; give stateSelect to the ones it shall have");
    if (s->histories.n)
        return refuse(why, room,
                      "the model has delays or other histories, whose cost is not known beforehand");
    if (!s->states.n) return refuse(why, room, "the model has no states");
    return true;
}

static void *variable_array(GenStraight *g, size_t item)
{
    return arena_zero_array(g->arena, g->s->vars.n + 1, item);
}

static bool plan_blocks(GenStraight *g, const GenWish *wish, char *why, size_t room)
{
    for (uint32_t k = 0; k < g->steps.n; k++) {
        Step *step = &g->steps.at[k];
        if (!is_block(step)) continue;
        find_pattern(g, step);
        if (plan_block(g, step, wish)) continue;
        snprintf(why, room,
                 "the equations for '%s' and others have no order of pivots that suits the whole run",
                 g->s->vars.at[step->tears[0]].name);
        return false;
    }
    return true;
}

GenStraight *gen_straight_new(Compiled *c, const GenWish *wish, char *why, size_t room)
{
    if (!is_possible(c->s, why, room)) return NULL;
    Arena *arena = arena_new();
    if (!arena) return NULL;
    GenStraight *g = NEW(arena, GenStraight);
    *g = (GenStraight){
        .arena = arena, .other = *c, .s = c->s, .residual_form = wish->residual_form, .rounds = wish->rounds
    };
    g->needed = variable_array(g, sizeof *g->needed);
    g->local = variable_array(g, sizeof *g->local);
    g->unknown = variable_array(g, sizeof *g->unknown);
    g->weight = variable_array(g, sizeof *g->weight);
    memset(g->local, 0xff, g->s->vars.n * sizeof *g->local);
    memset(g->unknown, 0xff, g->s->vars.n * sizeof *g->unknown);
    find_needed(g, wish->slots, wish->slot_count);
    add_steps(g);
    g->words = ((uint32_t)g->n + 63) / 64;
    g->reach = NEW_ARRAY(arena, uint64_t, (size_t)g->words * (g->s->vars.n + 1));
    find_reach(g);
    Diag diag;
    diag_init(&diag, arena);
    g->other.arena = arena;
    g->other.module = ir_module_new(arena);
    gen_add_memories(&g->other);
    g->x = ir_add_memory(g->other.module, "x", IR_REAL, (uint32_t)g->n);
    g->l = (Lower){ .c = &g->other, .scratch = arena };
    g->l.functions = gen_functions(&g->other, arena, &diag);
    bool ok = plan_blocks(g, wish, why, room);
    g->l.known = variable_array(g, sizeof *g->l.known);
    if (ok) return g;
    arena_free(arena);
    return NULL;
}

void gen_straight_free(GenStraight *g)
{
    if (!g) return;
    ir_code_free(g->code);
    arena_free(g->arena);
}

IrMem gen_straight_memory(GenStraight *g, const char *name, uint32_t n)
{
    return ir_add_memory(g->other.module, name, IR_REAL, n ? n : 1);
}

IrMem gen_straight_x(const GenStraight *g) { return g->x; }
IrModule *gen_straight_module(const GenStraight *g) { return g->other.module; }

GenStraightPlace gen_straight_time(const GenStraight *g)
{
    return (GenStraightPlace){ g->other.memory[MEM_MODE], MODE_TIME };
}

IrMem gen_straight_values(const GenStraight *g) { return g->other.memory[MEM_VALUE]; }
uint32_t gen_straight_relations(const GenStraight *g) { return g->s->relations.n; }
IrMem gen_straight_relation_memory(const GenStraight *g) { return g->other.memory[MEM_RELATION]; }

bool gen_straight_is_plain(const GenStraight *g)
{
    const System *s = g->s;
    return !s->discrete.n && !s->samples.n && !s->reinits.n && !s->effects.n;
}

const LuPlan *gen_straight_block(const GenStraight *g, size_t i)
{
    for (uint32_t k = 0; k < g->steps.n; k++)
        if (is_block(&g->steps.at[k]) && i-- == 0) return g->steps.at[k].plan;
    return NULL;
}

bool gen_straight_compile(GenStraight *g, IrBackend backend)
{
    if (gen_functions_failed(g->l.functions)) return false;
    ir_code_free(g->code);
    return (g->code = ir_code_new(g->other.module, backend)) != NULL;
}

void gen_straight_bind(Model *model, RtArray memory[GEN_STRAIGHT_MEMORIES])
{
    memcpy(memory, run_memories(((Instance *)model->data)->run), MEM_COUNT * sizeof *memory);
}

RtStatus gen_straight_run(const GenStraight *g, Model *model, RtArray *memory, double t, IrFun f)
{
    Rt *rt = run_rt(((Instance *)model->data)->run);
    RtArray *kept = rt->memory;
    RT_REALS(memory[MEM_MODE])[MODE_TIME] = t;
    run_forget(((Instance *)model->data)->run);
    rt->memory = memory;
    RtCell none;
    RtStatus status = ir_run(g->code, f, rt, &none);
    rt->memory = kept;
    return status;
}

IrBackend gen_straight_backend(const GenStraight *g) { return ir_code_backend(g->code); }
size_t gen_straight_size(const GenStraight *g) { return ir_code_size(g->code); }
