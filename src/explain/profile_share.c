/* profile_share.c: samples of functions as shares of blocks, equations and called functions.
 *
 * The samples of a piece of code are divided among its equations by the costs of their
 * instructions, which are estimates: what calls need, by their bodies. Cost: that of the module.
 * Tests: tests/cli/profile.sh. */
#include "explain/profile.h"

#include "ir/ir.h"

#include <stdlib.h>

enum { COST_PLAIN = 1, COST_DIVISION = 6, COST_MATH = 25, COST_CALL = 10, COST_EXTERN = 200, DEEPEST = 30 };

typedef struct {
    const IrModule *m;
    double *cost; /* by function; < 0: not known yet */
} Costs;

static double cost_of_function(Costs *c, IrFun f, int depth);

static double cost_of(Costs *c, const IrInsn *insn, int depth)
{
    switch (insn->op) {
    case IR_DIV:
    case IR_SQRT: return COST_DIVISION;
    case IR_MATH1:
    case IR_MATH2: return COST_MATH;
    case IR_CALL: return COST_CALL + cost_of_function(c, insn->a, depth + 1);
    case IR_EXTERN: return COST_EXTERN;
    default: return COST_PLAIN;
    }
}

/* As it was before equal code became loops. */
static const IrFunction *body_of(const Costs *c, IrFun f)
{
    const IrFunction *body = c->m->functions.at[f];
    return body->plain ? body->plain : body;
}

static double cost_of_function(Costs *c, IrFun f, int depth)
{
    if (f >= c->m->functions.n || depth > DEEPEST) return COST_CALL;
    if (c->cost[f] >= 0) return c->cost[f];
    const IrFunction *body = body_of(c, f);
    double sum = 0, factor = 1, factors[DEEPEST];
    int open = 0;
    for (uint32_t k = 0; k < body->code.n; k++) {
        uint8_t op = body->code.at[k].op;
        if (op == IR_END && open > 0) factor = factors[--open];
        sum += factor * cost_of(c, &body->code.at[k], depth);
        if ((op == IR_IF || op == IR_LOOP || op == IR_FOR) && open < DEEPEST) {
            factors[open++] = factor;
            factor *= op == IR_IF ? 1 : 10; /* rounds of a loop, as a guess */
        }
    }
    return c->cost[f] = sum;
}

static void add_share(const Profile *p, ProfileShares *s, Map *known, uint32_t source, double share)
{
    bool is_new;
    uint64_t *place = map_put(known, source, &is_new);
    if (is_new) {
        *place = s->n;
        s->at[s->n++] = (ProfileShare){ source, 0 };
    }
    s->at[*place].share += share;
    (void)p;
}

/* One function's samples, to the sources of its instructions. */
static void divide(const Profile *p, Costs *c, IrFun f, double share, ProfileShares *s, Map *known)
{
    const IrFunction *body = body_of(c, f);
    double whole = cost_of_function(c, f, 0);
    for (uint32_t k = 0; k < body->code.n && whole > 0; k++) {
        const IrInsn *insn = &body->code.at[k];
        double part = share * cost_of(c, insn, 0) / whole;
        uint32_t source = k < body->sources.n ? body->sources.at[k] : RUN_NONE;
        if (insn->op == IR_CALL && insn->a < c->m->functions.n) s->by_function[insn->a] += part;
        if (insn->op == IR_EXTERN && insn->a < c->m->externals.n) s->by_extern[insn->a] += part;
        if (source != RUN_NONE) add_share(p, s, known, source, part);
    }
}

static int descending(const void *a, const void *b)
{
    double x = ((const ProfileShare *)a)->share, y = ((const ProfileShare *)b)->share;
    return (x < y) - (x > y);
}

ProfileShares profile_shares(const Profile *p)
{
    Arena *a = p->what->arena;
    const IrModule *m = gen_module(p->what->compiled);
    Costs c = { m, NEW_ARRAY(a, double, m->functions.n + 1) };
    ProfileShares s = { .by_function = NEW_ARRAY(a, double, m->functions.n + 1),
                        .by_extern = NEW_ARRAY(a, double, m->externals.n + 1),
                        .by_block = NEW_ARRAY(a, double, p->run->block_count + 1),
                        .solving = NEW_ARRAY(a, double, p->run->block_count + 1) };
    Map known = { .arena = a };
    size_t sources = 1;
    for (uint32_t f = 0; f < m->functions.n; f++) {
        c.cost[f] = -1;
        sources += body_of(&c, f)->code.n;
    }
    s.at = NEW_ARRAY(a, ProfileShare, sources);
    for (uint32_t f = 0; f < p->functions && p->samples; f++)
        if (p->function_samples[f])
            divide(p, &c, f, (double)p->function_samples[f] / (double)p->samples, &s, &known);
    for (uint32_t k = 0; k < p->run->block_count && p->samples; k++) {
        const RunBlock *b = &p->run->blocks[k];
        const uint32_t parts[] = { b->residual, b->jacobian, b->tangent };
        for (size_t j = 0; j < COUNT_OF(parts); j++) {
            if (parts[j] == RUN_NONE || parts[j] >= p->functions) continue;
            double after = (double)p->after_samples[parts[j]] / (double)p->samples;
            s.solving[k] += after;
            s.by_block[k] += after + (double)p->function_samples[parts[j]] / (double)p->samples;
        }
    }
    qsort(s.at, s.n, sizeof *s.at, descending);
    return s;
}
