/* direct.c: all entries of df/dx in one pass, or the changes of some variables in one direction:
 * gradients of assignments, one after the other.
 *
 * In: the sorted equations that derivatives need, the pattern of df/dx. Out: functions that write
 * the entries to MEM_ENTRIES, and which block is solved after each. Cost: linear in the products
 * of all rows. Tests: tests/gen/jacobian_test.c, direct_test.c. */
#include "gen/inside.h"

/* Each variable has a sparse gradient in the states, whose numbers are registers; what another
 * function needs of it goes through MEM_GRADIENT. Before a block the gradients of its residuals
 * with the tearing variables held are a matrix there; the factors of the torn Jacobian turn it into
 * gradients of those, and assignments inside follow after. In the residual form tearing variables
 * are unknowns as states are, and residuals are rows of the system. A direction is the same with
 * one seed: states and inputs carry their changes, from MEM_TANGENT, in place of 1, and only what
 * the targets need is computed. What depends on parameters alone is in functions of its own, which
 * need not run again while those stay; others read what they need of it in MEM_GRADIENT. Invariant:
 * entries that are zero by structure are never written; a direction along one state gives the
 * entries of its column. No plan is made where code would grow beyond MOST times the partial
 * derivatives: there one direction a colour is cheaper to have. */

enum {
    MOST = 8,       /* products a partial derivative */
    ALWAYS = 1000,  /* products that are never too many */
    LONGEST = 10000 /* products in one function */
};

typedef struct {
    Sym partial;
    uint32_t slope;
    bool varies; /* the partial derivative does */
} Term;

typedef struct {
    uint32_t column;
    bool varies; /* this number of the gradient is not made of parameters alone */
} Seed;

#define NOT_YET (IR_NONE - 1) /* a number of a gradient that is in no register */

/* A gradient: of a state, of an assignment's target, of a tearing variable or of a residual. */
typedef struct {
    uint32_t first_term, terms, first_seed, seeds;
    uint32_t eq;
    uint32_t part;   /* the function that computes it; NONE: a state */
    uint32_t place;  /* in MEM_GRADIENT; NONE: no other function needs it */
    uint32_t stride; /* between places */
    uint32_t var;    /* of a state or an input */
    IrReg *regs;     /* in function `at`, by seed; IR_NONE: zero; NOT_YET */
    uint32_t at;
} Slope;

typedef enum { OP_ROW, OP_RESIDUAL, OP_OUTPUT } OpKind;

typedef struct {
    OpKind kind;
    uint32_t slope, row; /* row: of its block, of the system, or a target */
} Op;

typedef struct {
    uint32_t first, n; /* ops */
    uint32_t tears;    /* tearing variables of the block that is solved after it; 0: none is */
    uint32_t place, columns;
    uint32_t first_column; /* seeds of its columns, in `seeds` */
    uint32_t block;        /* of the sequence */
} PartOf;

struct Direct {
    Compiled *c;
    System *s;
    Arena *a;
    const Pattern *pattern; /* NULL: one direction */
    bool is_open;           /* the residual form */
    VEC(Term) terms;
    VEC(Seed) seeds;
    VEC(Slope) slopes;
    VEC(Op) ops;
    VEC(PartOf) parts;
    uint32_t *slope_of; /* by variable; NONE: does not depend on states */
    uint32_t *next;     /* by state: another one with the same rate; NONE */
    uint32_t *first;    /* by variable: a state whose rate it is; NONE */
    uint32_t *seen, round;
    uint32_t *found;            /* by column that was seen: its place in `seeds`, or in a block */
    bool splits;                /* what depends on parameters alone is kept */
    bool needs_values;          /* of what varies: those that equations compute */
    const uint8_t *is_constant; /* by variable: equations make it of parameters alone */
    uint32_t function;          /* the one that is being made: two of each part */
    bool lowers_constants;      /* it is the one of what does not vary */
    IrReg *sum;                 /* by seed, while a row is lowered */
    uint8_t *is_used;           /* by assignment: its variable is, outside of its block */
    uint8_t *is_needed;         /* by block; NULL: all that derivatives need */
    uint8_t *is_target;         /* by variable, of a direction */
    uint32_t unknowns, memory;
    uint64_t products, partials, begun; /* begun: products before the present part */
};

/* ---- what there is to do --------------------------------------------------------------------- */

static uint32_t add_slope(Direct *d, uint32_t eq)
{
    Slope s = { .first_term = d->terms.n,
                .first_seed = d->seeds.n,
                .eq = eq,
                .part = d->parts.n,
                .place = NONE,
                .stride = 1,
                .at = NONE };
    vec_push(d->a, &d->slopes, s);
    return d->slopes.n - 1;
}

/* Joins a column to the seeds that the present round found; true if it is new. */
static bool join_seed(Direct *d, uint32_t column, bool varies)
{
    if (d->seen[column] == d->round) {
        d->seeds.at[d->found[column]].varies |= varies;
        return false;
    }
    d->seen[column] = d->round;
    d->found[column] = d->seeds.n;
    Seed seed = { column, varies };
    vec_push(d->a, &d->seeds, seed);
    return true;
}

static void add_seed(Direct *d, uint32_t slope, uint32_t column, bool varies)
{
    d->slopes.at[slope].seeds += join_seed(d, column, varies);
}

/* An unknown of the system: its gradient is 1 in itself. */
static void add_unknown(Direct *d, uint32_t var, uint32_t number)
{
    uint32_t slope = add_slope(d, NONE);
    d->round++;
    add_seed(d, slope, number, !d->splits);
    d->slopes.at[slope].part = NONE;
    d->slopes.at[slope].var = var;
    d->slope_of[var] = slope;
}

static bool is_zero(const Direct *d, Sym s)
{
    const SymNode *n = sym_node(d->s->pool, s);
    return n->op == SYM_REAL && n->real == 0;
}

/* What another function computed has to have a place. */
static void place(Direct *d, Slope *s)
{
    if (s->part == NONE || s->place != NONE) return;
    s->place = d->memory;
    d->memory += s->seeds;
}

static void need(Direct *d, uint32_t slope)
{
    Slope *s = &d->slopes.at[slope];
    if (s->part != d->parts.n) place(d, s);
}

/* What varies is computed by another function than the constants it needs. */
static void need_constants(Direct *d, const Slope *s)
{
    for (uint32_t k = s->first_term; k < s->first_term + s->terms; k++) {
        Slope *of = &d->slopes.at[d->terms.at[k].slope];
        for (uint32_t j = of->first_seed; j < of->first_seed + of->seeds; j++) {
            const Seed *to = &d->seeds.at[d->found[d->seeds.at[j].column]];
            if (to->varies && !d->seeds.at[j].varies) place(d, of);
            if (to->varies && d->terms.at[k].varies && !d->needs_values)
                d->needs_values = dae_reads_computed(d->s, d->terms.at[k].partial, d->is_constant);
        }
    }
}

/* always_varies: it is written each time, whatever it is made of. */
static uint32_t add_row(Direct *d, const Gradient *g, uint32_t eq, bool always_varies)
{
    uint32_t slope = add_slope(d, eq);
    d->round++;
    for (uint32_t k = 0; k < g->n; k++) {
        uint32_t of = d->slope_of[g->at[k].var];
        if (of == NONE || is_zero(d, g->at[k].value)) continue;
        bool varies = !d->splits || !dae_is_constant(d->s, g->at[k].value, d->is_constant);
        Term term = { g->at[k].value, of, varies };
        vec_push(d->a, &d->terms, term);
        d->slopes.at[slope].terms++;
        need(d, of);
        for (uint32_t j = 0; j < d->slopes.at[of].seeds; j++) {
            Seed seed = d->seeds.at[d->slopes.at[of].first_seed + j];
            add_seed(d, slope, seed.column, always_varies || varies || seed.varies);
        }
        d->products += d->slopes.at[of].seeds;
        d->partials++;
    }
    if (d->splits) need_constants(d, &d->slopes.at[slope]);
    return slope;
}

static void add_op(Direct *d, OpKind kind, uint32_t slope, uint32_t row)
{
    Op op = { kind, slope, row };
    vec_push(d->a, &d->ops, op);
}

/* Ends the present function. */
static void cut(Direct *d, PartOf part)
{
    part.first = d->parts.n ? d->parts.at[d->parts.n - 1].first + d->parts.at[d->parts.n - 1].n : 0;
    part.n = d->ops.n - part.first;
    vec_push(d->a, &d->parts, part);
    d->begun = d->products;
}

static void add_outputs(Direct *d, uint32_t var)
{
    uint32_t slope = d->slope_of[var];
    if (!d->pattern) {
        if (d->is_target[var]) {
            if (slope != NONE) need(d, slope);
            add_op(d, OP_OUTPUT, slope, var);
        }
        return;
    }
    for (uint32_t k = d->first[var]; k != NONE && slope != NONE; k = d->next[k]) {
        need(d, slope);
        add_op(d, OP_OUTPUT, slope, k);
    }
}

static void add_assign(Direct *d, const DaeAssign *a, bool is_final)
{
    Gradient g = dae_gradient(d->s, a->value);
    uint32_t slope = add_row(d, &g, a->eq, false);
    bool is_some = d->slopes.at[slope].seeds;
    d->slope_of[a->var] = is_some ? slope : NONE;
    if (is_some) add_op(d, OP_ROW, slope, 0);
    if (is_final) add_outputs(d, a->var);
    if (d->products - d->begun > LONGEST) cut(d, (PartOf){ 0 });
}

static bool is_too_much(const Direct *d) { return d->products > ALWAYS + MOST * d->partials; }

/* Tearing variables have a column of the block's matrix each; all depend on all that residuals
 * depend on. */
static void solve(Direct *d, const uint32_t *tears, uint32_t n, uint32_t first_residual, uint32_t block)
{
    PartOf part = { .tears = n, .place = d->memory, .first_column = d->seeds.n, .block = block };
    d->round++;
    for (uint32_t r = first_residual; r < d->slopes.n; r++)
        for (uint32_t j = 0; j < d->slopes.at[r].seeds; j++)
            join_seed(d, d->seeds.at[d->slopes.at[r].first_seed + j].column, true);
    part.columns = d->seeds.n - part.first_column;
    d->memory += part.columns * n;
    d->products += (uint64_t)part.columns * n;
    d->needs_values = true; /* for the factors */
    cut(d, part);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t slope = add_slope(d, NONE);
        Slope *s = &d->slopes.at[slope];
        s->first_seed = part.first_column;
        s->seeds = part.columns;
        s->part = d->parts.n - 1;
        s->place = part.place + j;
        s->stride = n;
        d->slope_of[tears[j]] = part.columns ? slope : NONE;
    }
}

static void add_residuals(Direct *d, const Sequence *q, const DaeBlock *b)
{
    for (uint32_t i = 0; i < b->tear_n; i++) {
        uint32_t e = q->residuals.at[b->tear_first + i];
        uint32_t slope = add_row(d, &d->s->eqs.at[e].gradient, e, true);
        if (d->slopes.at[slope].seeds) add_op(d, OP_ROW, slope, 0);
        if (!d->slopes.at[slope].seeds) continue;
        if (d->is_open)
            add_op(d, OP_OUTPUT, slope, d->unknowns + i);
        else
            add_op(d, OP_RESIDUAL, slope, i);
    }
}

static void add_block(Direct *d, const Sequence *q, uint32_t number)
{
    const DaeBlock *b = &q->blocks.at[number];
    const uint32_t *tears = q->tears.at + b->tear_first;
    for (uint32_t j = 0; j < b->tear_n && d->is_open; j++) add_unknown(d, tears[j], d->unknowns + j);
    for (uint32_t j = 0; j < b->tear_n && !d->is_open; j++) d->slope_of[tears[j]] = NONE;
    for (uint32_t i = 0; i < b->n && !is_too_much(d); i++)
        add_assign(d, &q->assigns.at[b->first + i], d->is_open);
    uint32_t first_residual = d->slopes.n;
    add_residuals(d, q, b);
    if (d->is_open) {
        d->unknowns += b->tear_n;
    } else {
        solve(d, tears, b->tear_n, first_residual, number);
        for (uint32_t j = 0; j < b->tear_n; j++) add_outputs(d, tears[j]);
        for (uint32_t i = 0; i < b->n && !is_too_much(d); i++)
            if (d->is_used[b->first + i]) add_assign(d, &q->assigns.at[b->first + i], true);
    }
}

static uint32_t *variables(Direct *d)
{
    uint32_t *at = NEW_ARRAY(d->a, uint32_t, d->s->vars.n + 1);
    memset(at, 0xff, d->s->vars.n * sizeof *at);
    return at;
}

static void mark(uint8_t *wanted, const Gradient *g)
{
    for (uint32_t k = 0; k < g->n; k++) wanted[g->at[k].var] = 1;
}

static bool is_inside(const Direct *d, const Sequence *q, uint32_t k)
{
    const unsigned both = BLOCK_FOR_DERIVATIVES | BLOCK_CONSTANT;
    if (d->is_needed) return d->is_needed[k];
    return (q->blocks.at[k].flags & both) == BLOCK_FOR_DERIVATIVES;
}

/* A direction leaves out blocks whose unknowns nobody wants. */
static bool look_at(Direct *d, const Sequence *q, uint32_t k, const uint8_t *wanted)
{
    const DaeBlock *b = &q->blocks.at[k];
    for (uint32_t i = b->first; d->is_needed && i < b->first + b->n; i++)
        d->is_needed[k] |= wanted[q->assigns.at[i].var];
    for (uint32_t i = 0; d->is_needed && i < b->tear_n; i++)
        d->is_needed[k] |= wanted[q->tears.at[b->tear_first + i]];
    if (d->is_needed && b->flags & BLOCK_CONSTANT) d->is_needed[k] = 0;
    return is_inside(d, q, k);
}

/* Backward from what is wanted: what each assignment of a block is needed for besides solving
 * it. */
static void find_used(Direct *d, const Sequence *q, uint8_t *wanted)
{
    d->is_used = NEW_ARRAY(d->a, uint8_t, q->assigns.n + 1);
    for (uint32_t k = q->blocks.n; k-- > 0;) {
        const DaeBlock *b = &q->blocks.at[k];
        if (!look_at(d, q, k, wanted)) continue;
        for (uint32_t i = b->first + b->n; i-- > b->first;) {
            Gradient g = dae_gradient(d->s, q->assigns.at[i].value);
            d->is_used[i] = wanted[q->assigns.at[i].var];
            if (d->is_used[i]) mark(wanted, &g);
        }
        for (uint32_t i = b->first; i < b->first + b->n && b->tear_n; i++) {
            Gradient g = dae_gradient(d->s, q->assigns.at[i].value);
            mark(wanted, &g);
        }
        for (uint32_t i = 0; i < b->tear_n; i++)
            mark(wanted, &d->s->eqs.at[q->residuals.at[b->tear_first + i]].gradient);
    }
}

static Direct *begin_plan(Compiled *c, Arena *scratch, const Pattern *pattern, bool is_open)
{
    Direct *d = NEW(scratch, Direct);
    size_t seeds = pattern ? (size_t)pattern->columns : 1;
    *d = (Direct){ .c = c, .s = c->s, .a = scratch, .pattern = pattern, .is_open = is_open };
    d->splits = pattern && !is_open;
    d->is_constant = dae_constants(c->s, scratch);
    d->slope_of = variables(d);
    d->seen = NEW_ARRAY(scratch, uint32_t, seeds + 1);
    d->found = NEW_ARRAY(scratch, uint32_t, seeds + 1);
    d->sum = NEW_ARRAY(scratch, IrReg, seeds + 1);
    memset(d->sum, 0xff, seeds * sizeof *d->sum);
    return d;
}

static void add_all(Direct *d, const Sequence *q)
{
    for (uint32_t k = 0; k < q->blocks.n && !is_too_much(d); k++) {
        if (!is_inside(d, q, k)) continue;
        if (q->blocks.at[k].kind == BLOCK_ASSIGN)
            add_assign(d, &q->assigns.at[q->blocks.at[k].first], true);
        else
            add_block(d, q, k);
    }
}

Direct *gen_direct_plan(Compiled *c, Arena *scratch, const Pattern *pattern, bool is_open)
{
    if (!pattern) return NULL;
    System *s = c->s;
    Direct *d = begin_plan(c, scratch, pattern, is_open);
    uint8_t *wanted = NEW_ARRAY(scratch, uint8_t, s->vars.n + 1);
    d->first = variables(d);
    d->next = NEW_ARRAY(scratch, uint32_t, s->states.n + 1);
    for (uint32_t k = s->states.n; k-- > 0;) {
        uint32_t rate = s->vars.at[s->states.at[k]].der;
        wanted[rate] = 1;
        d->next[k] = d->first[rate];
        d->first[rate] = k;
    }
    find_used(d, &s->continuous, wanted);
    for (uint32_t k = 0; k < s->states.n; k++) add_unknown(d, s->states.at[k], k);
    d->unknowns = s->states.n;
    for (uint32_t k = 0; k < s->states.n; k++) add_outputs(d, s->states.at[k]);
    add_all(d, &s->continuous);
    if (is_too_much(d)) return NULL;
    cut(d, (PartOf){ 0 });
    return d;
}

Direct *gen_direction_plan(Compiled *c, Arena *scratch, const uint32_t *targets, uint32_t n)
{
    System *s = c->s;
    Direct *d = begin_plan(c, scratch, NULL, false);
    d->memory = c->gradient_memory; /* what the Jacobian keeps there stays */
    uint8_t *wanted = NEW_ARRAY(scratch, uint8_t, s->vars.n + 1);
    d->is_target = NEW_ARRAY(scratch, uint8_t, s->vars.n + 1);
    d->is_needed = NEW_ARRAY(scratch, uint8_t, s->continuous.blocks.n + 1);
    for (uint32_t k = 0; k < n; k++) wanted[targets[k]] = d->is_target[targets[k]] = 1;
    find_used(d, &s->continuous, wanted);
    for (uint32_t v = 0; v < s->vars.n; v++)
        if (gen_is_seed(&s->vars.at[v])) add_unknown(d, v, 0);
    add_all(d, &s->continuous);
    cut(d, (PartOf){ 0 });
    return d;
}

uint32_t gen_direct_memory(const Direct *d) { return d ? d->memory : 0; }

/* ---- code ------------------------------------------------------------------------------------ */

static void need_regs(Direct *d, Slope *s)
{
    if (!s->regs) s->regs = NEW_ARRAY(d->a, IrReg, s->seeds + 1);
    for (uint32_t j = 0; s->at != d->function && j < s->seeds; j++) s->regs[j] = NOT_YET;
    s->at = d->function;
}

/* Number j of a gradient, whoever computed it. */
static IrReg number_of(Direct *d, Lower *l, uint32_t slope, uint32_t j)
{
    Slope *s = &d->slopes.at[slope];
    need_regs(d, s);
    if (s->regs[j] == NOT_YET)
        s->regs[j] = s->part != NONE ? lower_load(l, MEM_GRADIENT, s->place + j * s->stride)
                     : d->pattern    ? ir_real(&l->b, 1)
                                     : lower_load(l, MEM_TANGENT, s->var);
    return s->regs[j];
}

/* Whether the present function is the one for this number. */
static bool is_ours(const Direct *d, const Seed *seed) { return seed->varies != d->lowers_constants; }

static void lower_row(Direct *d, Lower *l, uint32_t slope)
{
    Slope *s = &d->slopes.at[slope];
    l->b.source = s->eq;
    d->round++;
    for (uint32_t j = s->first_seed; j < s->first_seed + s->seeds; j++)
        if (is_ours(d, &d->seeds.at[j])) d->seen[d->seeds.at[j].column] = d->round;
    for (uint32_t k = s->first_term; k < s->first_term + s->terms; k++) {
        uint32_t other = d->terms.at[k].slope;
        const Slope *of = &d->slopes.at[other];
        for (uint32_t j = 0; j < of->seeds; j++) {
            uint32_t column = d->seeds.at[of->first_seed + j].column;
            if (d->seen[column] != d->round) continue;
            IrReg product =
                lower_product(&l->b, lower_real(l, d->terms.at[k].partial), number_of(d, l, other, j));
            d->sum[column] = lower_plus(&l->b, d->sum[column], product);
        }
    }
    need_regs(d, s);
    for (uint32_t j = 0; j < s->seeds; j++) {
        const Seed *seed = &d->seeds.at[s->first_seed + j];
        if (!is_ours(d, seed)) continue;
        IrReg *sum = &d->sum[seed->column];
        s->regs[j] = *sum;
        if (*sum != IR_NONE && s->place != NONE) lower_store(l, MEM_GRADIENT, s->place + j * s->stride, *sum);
        *sum = IR_NONE;
    }
}

static void lower_output(Direct *d, Lower *l, const Op *op)
{
    const Slope *s = op->slope == NONE ? NULL : &d->slopes.at[op->slope];
    if (!d->pattern) {
        IrReg value = s ? number_of(d, l, op->slope, 0) : IR_NONE;
        lower_store(l, MEM_TANGENT, op->row, value != IR_NONE ? value : ir_real(&l->b, 0));
        return;
    }
    for (uint32_t j = 0; j < s->seeds; j++) {
        const Seed *seed = &d->seeds.at[s->first_seed + j];
        IrReg value = is_ours(d, seed) ? number_of(d, l, op->slope, j) : IR_NONE;
        if (value != IR_NONE)
            lower_store(l, MEM_ENTRIES, (uint32_t)pattern_find(d->pattern, (int)op->row, (int)seed->column),
                        value);
    }
}

/* A row of the matrix of a block, which comes cleared. `found` says the column of a seed here. */
static void lower_residual(Direct *d, Lower *l, const Op *op, const PartOf *part)
{
    const Slope *s = &d->slopes.at[op->slope];
    for (uint32_t j = 0; j < s->seeds; j++) {
        const Seed *seed = &d->seeds.at[s->first_seed + j];
        IrReg value = is_ours(d, seed) ? number_of(d, l, op->slope, j) : IR_NONE;
        if (value != IR_NONE)
            lower_store(l, MEM_GRADIENT, part->place + d->found[seed->column] * part->tears + op->row, value);
    }
}

/* Whether a function has to be made for the numbers that vary, or for the others. */
static bool has_work(const Direct *d, const PartOf *part)
{
    if (!d->lowers_constants && part->tears) return true;
    for (uint32_t k = part->first; k < part->first + part->n; k++) {
        if (d->ops.at[k].slope == NONE) return !d->lowers_constants;
        const Slope *s = &d->slopes.at[d->ops.at[k].slope];
        for (uint32_t j = s->first_seed; j < s->first_seed + s->seeds; j++)
            if (is_ours(d, &d->seeds.at[j])) return true;
    }
    return false;
}

static IrFun lower_part(Direct *d, Lower *l, uint32_t number)
{
    const PartOf *part = &d->parts.at[number];
    d->function = 2 * number + d->lowers_constants;
    lower_begin(l, "gradients");
    for (uint32_t k = 0; k < part->columns; k++) d->found[d->seeds.at[part->first_column + k].column] = k;
    for (uint32_t k = part->first; k < part->first + part->n; k++) {
        const Op *op = &d->ops.at[k];
        if (op->kind == OP_ROW)
            lower_row(d, l, op->slope);
        else if (op->kind == OP_OUTPUT)
            lower_output(d, l, op);
        else
            lower_residual(d, l, op, part);
    }
    return lower_end(l);
}

/* By block of the sequence: its number when it runs. Programs take the blocks of the sequence in
 * its order. */
static uint32_t *number_blocks(Direct *d)
{
    const Sequence *q = &d->s->continuous;
    const GenProgram *programs[] = { &d->c->rest, &d->c->derivatives };
    uint32_t next[] = { 0, 0 }, *numbers = NEW_ARRAY(d->a, uint32_t, q->blocks.n + 1);
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        int which = (b->flags & BLOCK_FOR_DERIVATIVES) != 0;
        const GenProgram *p = programs[which];
        if (b->kind == BLOCK_ASSIGN || b->flags & BLOCK_CONSTANT) continue;
        while (next[which] < p->n && p->at[next[which]].block == NONE) next[which]++;
        if (next[which] < p->n) numbers[k] = p->at[next[which]++].block;
    }
    return numbers;
}

bool gen_direct_needs_values(const Direct *d) { return d->needs_values; }

void gen_direct_lower(Direct *d, Lower *l, GenGradients *constant, GenGradients *out)
{
    const uint32_t *numbers = number_blocks(d);
    for (uint32_t k = 0; k < d->parts.n; k++) {
        const PartOf *part = &d->parts.at[k];
        d->lowers_constants = true;
        if (d->splits && has_work(d, part)) {
            RunGradient step = { .run = lower_part(d, l, k), .block = NONE };
            vec_push(l->c->arena, constant, step);
        }
        d->lowers_constants = false;
        if (!has_work(d, part) && (out->n || k + 1 < d->parts.n)) continue;
        RunGradient step = {
            .run = lower_part(d, l, k), .block = NONE, .place = part->place, .columns = part->columns
        };
        if (part->tears) step.block = numbers[part->block];
        vec_push(l->c->arena, out, step);
    }
}
