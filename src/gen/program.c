/* program.c: a sorted sequence as a program: functions of assignments, and blocks to be solved
 * between them.
 *
 * For each block: its residuals, its exact torn Jacobian (tangents of the assignments inside, one
 * tearing variable after the other) and its tangent in a direction. Cost: linear in the
 * expressions; the Jacobian of a block costs its assignments times its tearing variables at most.
 * Tests: tests/gen. */
#include "gen/inside.h"

/* states from which on a pattern that is more than half full is not kept */
enum { SMALL = 200 };
enum { LONGEST = 4000 };   /* assignments in one function */
#define SEED (IR_NONE - 1) /* the tangent 1 of the unknown that a column belongs to */

static bool has_tangent(const Compiled *c, uint32_t var) { return c->s->vars.at[var].role >= ROLE_STATE; }

/* The sum of partial derivatives times tangents in memory. */
static IrReg directional(Lower *l, const Gradient *g)
{
    IrReg sum = IR_NONE;
    for (uint32_t k = 0; k < g->n; k++) {
        double zero;
        IrReg partial;
        if (!has_tangent(l->c, g->at[k].var)) continue;
        partial = lower_real(l, g->at[k].value);
        if (ir_is_real(&l->b, partial, &zero) && zero == 0) continue;
        IrReg term = ir_two(&l->b, IR_MUL, partial, lower_load(l, MEM_TANGENT, g->at[k].var));
        sum = sum == IR_NONE ? term : ir_two(&l->b, IR_ADD, sum, term);
    }
    return sum == IR_NONE ? ir_real(&l->b, 0) : sum;
}

static void tangent_assigns(Lower *l, const DaeAssign *a, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        Gradient g = dae_gradient(l->c->s, a[i].value);
        l->b.source = a[i].eq;
        lower_store(l, MEM_TANGENT, a[i].var, directional(l, &g));
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static IrFun residual_of(Lower *l, const Sequence *q, const DaeBlock *d)
{
    lower_begin(l, "residual");
    for (uint32_t i = 0; i < d->n; i++) lower_assign(l, &q->assigns.at[d->first + i]);
    for (uint32_t i = 0; i < d->tear_n; i++) {
        uint32_t e = q->residuals.at[d->tear_first + i];
        const DaeEq *eq = &l->c->s->eqs.at[e];
        l->b.source = e;
        lower_store(l, MEM_RESIDUAL, i,
                    ir_two(&l->b, IR_SUB, lower_real(l, eq->left), lower_real(l, eq->right)));
    }
    return lower_end(l);
}

/* The sum of partial derivatives times tangents in registers; IR_NONE is zero. */
static IrReg chain(Lower *l, const Gradient *g)
{
    IrReg sum = IR_NONE;
    for (uint32_t k = 0; k < g->n; k++) {
        IrReg t = l->tangent[g->at[k].var];
        double zero;
        if (t == IR_NONE) continue;
        IrReg p = lower_real(l, g->at[k].value);
        if (ir_is_real(&l->b, p, &zero) && zero == 0) continue;
        IrReg term = t == SEED ? p : ir_two(&l->b, IR_MUL, p, t);
        sum = sum == IR_NONE ? term : ir_two(&l->b, IR_ADD, sum, term);
    }
    return sum;
}

/* Writes what is not zero; the memory comes cleared. */
static IrFun jacobian_of(Lower *l, const Sequence *q, const DaeBlock *d)
{
    System *s = l->c->s;
    Gradient *inside = NEW_ARRAY(l->scratch, Gradient, d->n + 1);
    for (uint32_t i = 0; i < d->n; i++) inside[i] = dae_gradient(s, q->assigns.at[d->first + i].value);
    lower_begin(l, "jacobian");
    for (uint32_t j = 0; j < d->tear_n; j++) {
        l->tangent[q->tears.at[d->tear_first + j]] = SEED;
        for (uint32_t i = 0; i < d->n; i++)
            l->tangent[q->assigns.at[d->first + i].var] = chain(l, &inside[i]);
        for (uint32_t i = 0; i < d->tear_n; i++) {
            const DaeEq *eq = &s->eqs.at[q->residuals.at[d->tear_first + i]];
            IrReg entry = chain(l, &eq->gradient);
            if (entry != IR_NONE) lower_store(l, MEM_JACOBIAN, i * d->tear_n + j, entry);
        }
        l->tangent[q->tears.at[d->tear_first + j]] = IR_NONE;
    }
    for (uint32_t i = 0; i < d->n; i++) l->tangent[q->assigns.at[d->first + i].var] = IR_NONE;
    return lower_end(l);
}

/* The same for a sparse one: of the assignments only those that a tearing variable touches. */
static IrFun sparse_jacobian_of(Lower *l, const Sequence *q, const DaeBlock *d, const GenTorn *torn)
{
    System *s = l->c->s;
    Gradient *inside = NEW_ARRAY(l->scratch, Gradient, d->n + 1);
    for (uint32_t i = 0; i < d->n; i++) inside[i] = dae_gradient(s, q->assigns.at[d->first + i].value);
    lower_begin(l, "jacobian");
    for (uint32_t j = 0; j < d->tear_n; j++) {
        l->tangent[q->tears.at[d->tear_first + j]] = SEED;
        for (int k = torn->touched_start[j]; k < torn->touched_start[j + 1]; k++)
            l->tangent[q->assigns.at[d->first + (uint32_t)torn->touched[k]].var] =
                chain(l, &inside[torn->touched[k]]);
        for (int k = torn->pattern.start[j]; k < torn->pattern.start[j + 1]; k++) {
            const DaeEq *eq = &s->eqs.at[q->residuals.at[d->tear_first + (uint32_t)torn->pattern.row[k]]];
            IrReg entry = chain(l, &eq->gradient);
            if (entry != IR_NONE)
                lower_store(l, MEM_JACOBIAN, (uint32_t)k, entry == SEED ? ir_real(&l->b, 1) : entry);
        }
        for (int k = torn->touched_start[j]; k < torn->touched_start[j + 1]; k++)
            l->tangent[q->assigns.at[d->first + (uint32_t)torn->touched[k]].var] = IR_NONE;
        l->tangent[q->tears.at[d->tear_first + j]] = IR_NONE;
    }
    return lower_end(l);
}

static IrFun tangent_of(Lower *l, const Sequence *q, const DaeBlock *d)
{
    lower_begin(l, "tangent");
    tangent_assigns(l, &q->assigns.at[d->first], d->n);
    for (uint32_t i = 0; i < d->tear_n; i++)
        lower_store(l, MEM_RESIDUAL, i,
                    directional(l, &l->c->s->eqs.at[q->residuals.at[d->tear_first + i]].gradient));
    return lower_end(l);
}

static void add_block(Lower *l, const Sequence *q, uint32_t number, bool tangents, GenProgram *out)
{
    Compiled *c = l->c;
    const DaeBlock *d = &q->blocks.at[number];
    GenTorn *torn = c->torn[q == &c->s->continuous][number];
    RunBlock block = { .is_linear = d->kind == BLOCK_LINEAR,
                       .n = (int)d->tear_n,
                       .vars = q->tears.at + d->tear_first,
                       .eqs = q->residuals.at + d->tear_first,
                       .tangent = IR_NONE,
                       .tearing = c->tearing_count,
                       .lu = c->lus,
                       .pattern = torn ? &torn->pattern : NULL,
                       .sparse = c->sparse_count };
    block.residual = residual_of(l, q, d);
    block.jacobian = torn ? sparse_jacobian_of(l, q, d, torn) : jacobian_of(l, q, d);
    if (tangents) block.tangent = tangent_of(l, q, d);
    c->tearing_count += d->tear_n;
    if (torn)
        c->sparse_count++;
    else
        c->lus += d->tear_n * d->tear_n;
    if (d->tear_n > c->largest) c->largest = d->tear_n;
    RunStep step = { IR_NONE, IR_NONE, c->blocks.n };
    vec_push(c->arena, &c->blocks, block);
    vec_push(c->arena, out, step);
}

/* ---- programs -------------------------------------------------------------------------------- */

typedef VEC(DaeAssign) Assigns;

static void add_segment(Lower *l, Assigns *assigns, bool tangents, GenProgram *out)
{
    if (!assigns->n) return;
    RunStep step = { IR_NONE, IR_NONE, NONE };
    lower_begin(l, "assign");
    for (uint32_t i = 0; i < assigns->n; i++) lower_assign(l, &assigns->at[i]);
    step.run = lower_end(l);
    if (tangents) {
        lower_begin(l, "tangent");
        tangent_assigns(l, assigns->at, assigns->n);
        step.tangent = lower_end(l);
    }
    vec_push(l->c->arena, out, step);
    assigns->n = 0;
}

void gen_program(Lower *l, const Sequence *q, unsigned mask, unsigned want, bool tangents, GenProgram *out)
{
    Assigns assigns = { 0 };
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *d = &q->blocks.at[k];
        if ((d->flags & mask) != want) continue;
        if (d->kind == BLOCK_ASSIGN) {
            vec_push(l->scratch, &assigns, q->assigns.at[d->first]);
            if (assigns.n == LONGEST) add_segment(l, &assigns, tangents, out);
            continue;
        }
        add_segment(l, &assigns, tangents, out);
        add_block(l, q, k, tangents, out);
    }
    add_segment(l, &assigns, tangents, out);
}

/* ---- the pattern of df/dx -------------------------------------------------------------------- */

typedef struct {
    uint32_t *at;
    uint32_t n;
} Set; /* of states, ascending */

typedef struct {
    Compiled *c;
    Arena *a;
    Set *of; /* by variable */
    uint32_t *seen, round;
    VEC(uint32_t) found;
    Set largest; /* of those joined to `found`: if it is all of it, it is shared and not copied */
} Dependence;

static void add_set(Dependence *d, const Set *s)
{
    if (s->n > d->largest.n) d->largest = *s;
    for (uint32_t i = 0; i < s->n; i++) {
        if (d->seen[s->at[i]] == d->round) continue;
        d->seen[s->at[i]] = d->round;
        vec_push(d->a, &d->found, s->at[i]);
    }
}

static void add_gradient(Dependence *d, const Gradient *g)
{
    for (uint32_t k = 0; k < g->n; k++) add_set(d, &d->of[g->at[k].var]);
}

static void close_sets(Dependence *d)
{
    if (d->largest.n == d->found.n) return;
    d->largest.n = d->found.n;
    d->largest.at = NEW_ARRAY(d->a, uint32_t, d->found.n);
    memcpy(d->largest.at, d->found.at, d->found.n * sizeof(uint32_t));
}

static void depend_block(Dependence *d, const Sequence *q, const DaeBlock *block)
{
    System *s = d->c->s;
    d->round++;
    d->found.n = 0;
    d->largest = (Set){ 0 };
    for (uint32_t i = 0; i < block->n; i++) {
        Gradient g = dae_gradient(s, q->assigns.at[block->first + i].value);
        add_gradient(d, &g);
    }
    for (uint32_t i = 0; i < block->tear_n; i++)
        add_gradient(d, &s->eqs.at[q->residuals.at[block->tear_first + i]].gradient);
    close_sets(d);
    for (uint32_t i = 0; i < block->n; i++) d->of[q->assigns.at[block->first + i].var] = d->largest;
    for (uint32_t i = 0; i < block->tear_n; i++) d->of[q->tears.at[block->tear_first + i]] = d->largest;
}

Pattern *gen_pattern(Compiled *c, Arena *scratch)
{
    System *s = c->s;
    Dependence d = { .c = c,
                     .a = scratch,
                     .of = NEW_ARRAY(scratch, Set, s->vars.n + 1),
                     .seen = NEW_ARRAY(scratch, uint32_t, s->states.n + 1) };
    for (uint32_t i = 0; i < s->states.n; i++) {
        Set *own = &d.of[s->states.at[i]];
        *own = (Set){ NEW_ARRAY(scratch, uint32_t, 1), 1 };
        own->at[0] = i;
    }
    const Sequence *q = &s->continuous;
    for (uint32_t k = 0; k < q->blocks.n; k++)
        if (q->blocks.at[k].flags & BLOCK_FOR_DERIVATIVES) depend_block(&d, q, &q->blocks.at[k]);
    VEC(Entry) entries = { 0 };
    size_t total = 0, n = s->states.n;
    for (uint32_t i = 0; i < n; i++) total += d.of[s->vars.at[s->states.at[i]].der].n;
    if (n > SMALL && total > n * n / 2) return NULL;
    for (uint32_t i = 0; i < s->states.n; i++) {
        const Set *set = &d.of[s->vars.at[s->states.at[i]].der];
        for (uint32_t k = 0; k < set->n; k++) {
            Entry e = { (int)i, (int)set->at[k] };
            vec_push(scratch, &entries, e);
        }
    }
    return pattern_of_entries(c->arena, (int)s->states.n, (int)s->states.n, entries.at, entries.n);
}
