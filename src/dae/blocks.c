/* blocks.c: sorts equations into blocks (block lower triangular form) and tears the blocks that
 * have to be solved together. The result is a Sequence that computes one block after the other.
 *
 * Blocks are the strong components of a perfect matching. Cost: O(edges * sqrt(n)) for matching,
 * O(edges log n) for tearing. Tests: tests/dae/system_test.c. */
#include "dae/inside.h"

#include <math.h>

/* Tearing is greedy. An equation with one unknown left becomes an assignment if the factor of that
 * unknown is a number, or is made of parameters whose values are known and not zero. When there is
 * none, the unknown that most open equations contain, and fewest can be solved for, becomes a
 * tearing variable. In nonlinear blocks, results of formulas are computed by them, where that takes
 * no more tearing variables. If the user gave start values to a few unknowns, and choosing these
 * first halves the number of tearing variables, these are chosen. Assignments read only earlier
 * assignments and tearing variables.
 *
 * In a long chain of assignments errors grow where small factors are divided by: in blocks of more
 * equations than this, one only gives unknowns whose factor is near its largest. */
enum { LONG_CHAIN = 8 };
static const double GROWTH = 0.5;
/* A factor made of parameters may well be zero, such as the sine of a winding's angle. */
static const double NO_FACTOR = 1e-10;
/* In large blocks errors may grow all the same, by every term that is added: where the bound for
 * that passes a limit, an unknown becomes a tearing variable instead of being computed. A grid of
 * resistors, torn along one side, would multiply errors by six with every line. Where there are so
 * many equations that the tearing variables are solved with sparse factors, short chains keep them
 * so. */
enum { LARGE_BLOCK = 60, HUGE_BLOCK = 200 };
/* There an assignment depends on so many tearing variables at most, too: a chain of bodies has its
 * angular accelerations as tearing variables, and what is computed along the chain depends on all
 * before it, so that code and entries would grow with the square of its length. */
enum { MOST_DEPEND = 10 };
/* Added to the weight of an unknown: more than all equations; and how many times fewer tearing
 * variables pay for longer chains. */
enum { STARTED = 1 << 20, FEWER = 2 };
static const double MOST_GROWTH = 1e8, MOST_GROWTH_SPARSE = 10;
/* What grows is curved more strongly, too: a grid whose currents are cubes, torn so that voltages
 * grow by 5 with each line, takes tens of Newton's steps, and three if hardly anything grows and no
 * cube is made of cubes. So it is where more than a MESHED-th of the unknowns are tearing variables
 * anyway. */
enum { CURVED_BLOCK = 150, MESHED = 4, MOST_CURVES = 1 };
static const double MOST_GROWTH_CURVED = 2;

typedef struct {
    Build *b;
    System *s;
    SymPool *pool;
    Arena *scratch; /* of this sort */
    const uint32_t *eqs;
    const uint8_t *is_unknown;
    Sequence *out;
    uint32_t *column_of_var; /* by variable; NONE */
    uint32_t *unknowns;      /* by column */
    Graph needs;             /* all unknowns that an equation reads */
    uint32_t *in_block;      /* by variable: the block it is in, counted from 1 */
    uint32_t block;
    double *estimates; /* by variable; made when first needed */
} Sorter;

/* Rows of equations over columns of unknowns; `all`: also those that only conditions read. */
static Graph make_graph(const Sorter *o, uint32_t n, uint32_t columns, bool all)
{
    Graph g = { n, columns, NEW_ARRAY(o->scratch, uint32_t, n + 1), NULL };
    for (int pass = 0; pass < 2; pass++) {
        uint32_t edges = 0;
        for (uint32_t r = 0; r < n; r++) {
            const Gradient *d = &o->s->eqs.at[o->eqs[r]].gradient;
            g.start[r] = edges;
            for (uint32_t k = 0; k < d->n; k++) {
                if (!o->is_unknown[d->at[k].var] || (!all && d->at[k].value == SYM_ZERO)) continue;
                if (pass) g.column[edges] = o->column_of_var[d->at[k].var];
                edges++;
            }
        }
        g.start[n] = edges;
        if (!pass) g.column = NEW_ARRAY(o->scratch, uint32_t, edges);
    }
    return g;
}

static Sym partial_of(const DaeEq *eq, uint32_t var)
{
    for (uint32_t k = 0; k < eq->gradient.n; k++)
        if (eq->gradient.at[k].var == var) return eq->gradient.at[k].value;
    return SYM_ZERO;
}

/* Whether partial derivatives in the unknowns of this block are free of them. */
static bool is_linear(Sorter *o, const uint32_t *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const Gradient *d = &o->s->eqs.at[o->eqs[rows[i]]].gradient;
        for (uint32_t k = 0; k < d->n; k++) {
            if (o->in_block[d->at[k].var] != o->block) continue;
            if (d->at[k].value == SYM_ZERO) return false;
            sym_walk(o->pool, d->at[k].value);
            for (uint32_t j = 0; j < o->pool->seen.n; j++) {
                const SymNode *node = sym_node(o->pool, o->pool->seen.at[j]);
                if (node->op == SYM_VAR && o->in_block[node->index] == o->block) return false;
            }
        }
    }
    return true;
}

/* ---- tearing one component ------------------------------------------------------------------- */

typedef struct {
    uint32_t var, eq; /* local numbers */
    bool is_solvable, is_constant, is_owned;
} TearEdge;

/* Local numbers of tearing variables, ascending in their time. */
typedef struct {
    uint32_t *at, n;
} TearSet;

/* PLAIN: an unknown may come from any equation that is linear in it. STARTS: those with start
 * values become tearing variables first. OWNED: what is the result of a formula, as a density of a
 * pressure and an enthalpy, comes from that formula and not from a sum in which it stands, too.
 * CURVED: next to nothing grows. */
typedef enum { TEAR_PLAIN, TEAR_STARTS, TEAR_OWNED, TEAR_CURVED } TearRule;

typedef struct {
    uint32_t n;
    bool is_linear;
    TearRule rule;
    const uint32_t *rows;
    uint32_t *vars;     /* local unknown: variable */
    TearEdge *edges;    /* by equation */
    uint32_t *eq_start; /* n + 1 */
    uint32_t *by_var;   /* places in edges, by unknown */
    uint32_t *var_start;
    uint32_t *open;   /* unknowns left in an equation */
    uint32_t *weight; /* open equations of an unknown; those that cannot give it count twice */
    uint8_t *var_done, *eq_done, *has_start;
    uint32_t *queue, head, tail; /* equations with one unknown left */
    /* unknowns, the one in most open equations first; entries may be outdated */
    uint32_t *heap, heap_n;
    uint32_t *heap_place; /* by unknown */
    double *size;         /* by edge: of its coefficient, in large blocks */
    /* by unknown: bound for the factor by which errors of tearing variables are multiplied in it */
    double *growth;
    uint8_t *curves; /* by unknown: nonlinear assignments that it comes through */
    double *scale;   /* by unknown: what is known of its size; 0: nothing. NULL: of no concern */
    TearSet *sets;   /* by unknown that has a value: the tearing variables in it; NULL: of no concern */
    uint32_t *seen, round;
} Tear;

static bool heap_before(const Tear *t, uint32_t a, uint32_t b)
{
    if (t->weight[a] != t->weight[b]) return t->weight[a] > t->weight[b];
    return t->has_start[a] != t->has_start[b] ? t->has_start[a] : a < b;
}

static void heap_swap(Tear *t, uint32_t i, uint32_t j)
{
    uint32_t a = t->heap[i], b = t->heap[j];
    t->heap[i] = b, t->heap[j] = a;
    t->heap_place[a] = j, t->heap_place[b] = i;
}

static void heap_sink(Tear *t, uint32_t i)
{
    for (;;) {
        uint32_t best = i, left = 2 * i + 1;
        for (uint32_t k = left; k < left + 2 && k < t->heap_n; k++)
            if (heap_before(t, t->heap[k], t->heap[best])) best = k;
        if (best == i) return;
        heap_swap(t, i, best);
        i = best;
    }
}

static uint32_t heap_pop(Tear *t)
{
    uint32_t top = t->heap[0];
    heap_swap(t, 0, --t->heap_n);
    heap_sink(t, 0);
    return top;
}

/* Parameters that come from calls, as the axis of a joint does, count as unknown here, and so does
 * what is made of them: the zeros they have now are none when they are set to something else. */
static double *make_estimates(const Sorter *o)
{
    double *values = dae_estimates(o->s, o->scratch);
    for (uint32_t i = 0; i < o->s->parameters.assigns.n; i++) {
        const DaeAssign *p = &o->s->parameters.assigns.at[i];
        values[p->var] = dae_evaluate(o->pool, p->value, values);
        sym_walk(o->pool, p->value);
        for (uint32_t k = 0; k < o->pool->seen.n; k++)
            if (sym_node(o->pool, o->pool->seen.at[k])->op == SYM_PICK) values[p->var] = NAN;
    }
    return values;
}

/* An equation with one unknown in it that it is solvable for, and others, owns that one. */
static void keep_owners(Sorter *o, Tear *t)
{
    uint8_t *is_owned = NEW_ARRAY(o->scratch, uint8_t, o->s->vars.n + 1);
    uint32_t *owned = NEW_ARRAY(o->scratch, uint32_t, t->n + 1);
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t solvable = 0, edges = t->eq_start[i + 1] - t->eq_start[i];
        owned[i] = NONE;
        for (uint32_t k = t->eq_start[i]; k < t->eq_start[i + 1]; k++)
            if (t->edges[k].is_constant && solvable++ == 0) owned[i] = t->edges[k].var;
        if (solvable != 1 || edges < 2) owned[i] = NONE;
        if (owned[i] != NONE) is_owned[owned[i]] = 1;
    }
    for (uint32_t i = 0; i < t->n; i++)
        for (uint32_t k = t->eq_start[i]; k < t->eq_start[i + 1]; k++)
            if (is_owned[t->edges[k].var]) {
                t->edges[k].is_owned = true;
                if (owned[i] != t->edges[k].var) t->edges[k].is_solvable = false;
            }
}

static Tear *tear_new(Sorter *o, const uint32_t *rows, uint32_t n, TearRule rule, Arena *a)
{
    Tear *t = NEW(a, Tear);
    *t = (Tear){ .n = n,
                 .rule = rule,
                 .rows = rows,
                 .vars = NEW_ARRAY(a, uint32_t, n),
                 .eq_start = NEW_ARRAY(a, uint32_t, n + 1),
                 .var_start = NEW_ARRAY(a, uint32_t, n + 2),
                 .open = NEW_ARRAY(a, uint32_t, n),
                 .weight = NEW_ARRAY(a, uint32_t, n),
                 .var_done = NEW_ARRAY(a, uint8_t, n),
                 .eq_done = NEW_ARRAY(a, uint8_t, n),
                 .has_start = NEW_ARRAY(a, uint8_t, n),
                 .queue = NEW_ARRAY(a, uint32_t, n),
                 .heap = NEW_ARRAY(a, uint32_t, n),
                 .heap_place = NEW_ARRAY(a, uint32_t, n) };
    VEC(TearEdge) edges = { 0 };
    VEC(double) sizes = { 0 };
    if (!o->estimates) o->estimates = make_estimates(o);
    for (uint32_t i = 0; i < n; i++) {
        const Gradient *d = &o->s->eqs.at[o->eqs[rows[i]]].gradient;
        double largest = 0;
        t->eq_start[i] = edges.n;
        for (uint32_t k = 0; k < d->n; k++) {
            if (o->in_block[d->at[k].var] != o->block) continue;
            double c;
            Sym p = d->at[k].value;
            bool solvable = sym_is_real(o->pool, p, &c) ? c != 0 : sym_is_fixed(o->pool, o->s, p, false);
            double size = fabs(dae_evaluate(o->pool, p, o->estimates));
            solvable &= isfinite(size) != 0;
            TearEdge e = { o->column_of_var[d->at[k].var], i, solvable, solvable, false };
            vec_push(a, &edges, e);
            vec_push(a, &sizes, isfinite(size) ? size : 1);
            if (solvable && size > largest) largest = size;
        }
        double least = (n > LONG_CHAIN && rule != TEAR_STARTS ? GROWTH : NO_FACTOR) * largest;
        for (uint32_t k = t->eq_start[i]; k < edges.n; k++)
            if (sizes.at[k] < least || sizes.at[k] == 0) edges.at[k].is_solvable = false;
        t->open[i] = edges.n - t->eq_start[i];
    }
    t->eq_start[n] = edges.n;
    t->edges = edges.at;
    t->size = sizes.at;
    t->growth = NEW_ARRAY(a, double, n);
    t->curves = NEW_ARRAY(a, uint8_t, n);
    if (n > HUGE_BLOCK) {
        t->sets = NEW_ARRAY(a, TearSet, n);
        t->seen = NEW_ARRAY(a, uint32_t, n);
    }
    if (rule == TEAR_OWNED) keep_owners(o, t);
    return t;
}

static uint32_t weight_of(const TearEdge *e) { return e->is_owned ? 0 : e->is_solvable ? 1 : 2; }

/* What nominal and start values say. */
static void find_scales(const Sorter *o, Tear *t, Arena *a)
{
    t->scale = NEW_ARRAY(a, double, t->n);
    for (uint32_t v = 0; v < t->n; v++) {
        const DaeVar *var = &o->s->vars.at[t->vars[v]];
        double nominal = fabs(dae_evaluate(o->pool, var->nominal, o->estimates));
        double start = var->has_start ? fabs(o->estimates[t->vars[v]]) : 0;
        t->scale[v] = isfinite(nominal) && nominal > 0 && nominal != 1 ? nominal
                      : isfinite(start)                                ? start
                                                                       : 0;
    }
}

/* Whether a start value says more than that there is none, which is zero too. */
static bool is_guided(const Sorter *o, uint32_t var)
{
    const DaeVar *v = &o->s->vars.at[var];
    return v->has_start && v->start != SYM_ZERO;
}

/* Numbers the unknowns of the block from 0 and sorts edges by them. */
static void tear_index(Sorter *o, Tear *t, Arena *a)
{
    uint32_t edges = t->eq_start[t->n], next = 0;
    Map local = { .arena = a };
    for (uint32_t k = 0; k < edges; k++) {
        bool is_new;
        uint64_t *at = map_put(&local, t->edges[k].var, &is_new);
        if (is_new) {
            *at = next;
            t->vars[next++] = o->unknowns[t->edges[k].var];
        }
        t->edges[k].var = (uint32_t)*at;
        t->weight[*at] += weight_of(&t->edges[k]);
        t->var_start[*at + 1]++;
    }
    for (uint32_t v = 0; v < t->n; v++) t->var_start[v + 1] += t->var_start[v];
    uint32_t *fill = NEW_ARRAY(a, uint32_t, t->n);
    t->by_var = NEW_ARRAY(a, uint32_t, edges);
    for (uint32_t k = 0; k < edges; k++) {
        uint32_t v = t->edges[k].var;
        t->by_var[t->var_start[v] + fill[v]++] = k;
    }
    for (uint32_t v = 0; v < t->n; v++) {
        t->has_start[v] = o->s->vars.at[t->vars[v]].has_start;
        if (is_guided(o, t->vars[v]) && t->rule == TEAR_STARTS) t->weight[v] += STARTED;
    }
    if (!t->is_linear) find_scales(o, t, a);
    for (uint32_t v = 0; v < t->n; v++) t->heap[v] = t->heap_place[v] = v;
    t->heap_n = t->n;
    for (uint32_t v = t->n; v-- > 0;) heap_sink(t, v);
    for (uint32_t i = 0; i < t->n; i++)
        if (t->open[i] == 1) t->queue[t->tail++] = i;
}

/* An unknown is known from here on. */
static void tear_know(Tear *t, uint32_t v)
{
    t->var_done[v] = 1;
    for (uint32_t k = t->var_start[v]; k < t->var_start[v + 1]; k++) {
        uint32_t i = t->edges[t->by_var[k]].eq;
        if (--t->open[i] == 1 && !t->eq_done[i]) t->queue[t->tail++] = i;
    }
}

/* An equation is used up: its unknowns have one open equation less. */
static void tear_close(Tear *t, uint32_t i)
{
    t->eq_done[i] = 1;
    for (uint32_t k = t->eq_start[i]; k < t->eq_start[i + 1]; k++) {
        uint32_t v = t->edges[k].var;
        t->weight[v] -= weight_of(&t->edges[k]);
        if (!t->var_done[v] && t->heap_place[v] < t->heap_n) heap_sink(t, t->heap_place[v]);
    }
}

/* The largest of the other terms of an equation, in units of the unknown that it is to give. */
static double largest_term(const Tear *t, uint32_t i, uint32_t own)
{
    double largest = 0;
    for (uint32_t k = t->eq_start[i]; k < t->eq_start[i + 1]; k++)
        if (k != own) largest = fmax(largest, t->size[k] / t->size[own] * t->scale[t->edges[k].var]);
    return largest;
}

/* What the assignment of unknown v by equation i would multiply errors with; `own` is the edge
 * between them. In nonlinear blocks errors count relative to the sizes of unknowns, and changes
 * grow faster than in proportion through a factor that is no constant. */
static double growth_of(Tear *t, uint32_t i, uint32_t own)
{
    double sum = 0, *scale = t->scale ? &t->scale[t->edges[own].var] : NULL;
    if (scale && !(*scale > 0)) *scale = largest_term(t, i, own);
    if (scale && !(*scale > 0)) *scale = 1;
    for (uint32_t k = t->eq_start[i]; k < t->eq_start[i + 1]; k++) {
        double growth = t->growth[t->edges[k].var], factor = t->size[k] / t->size[own];
        if (scale) factor *= t->scale[t->edges[k].var] / *scale;
        if (k != own) sum += factor * (t->is_linear || t->edges[k].is_constant ? growth : growth * growth);
    }
    return sum;
}

/* Whether unknown v, given by equation i, would depend on too many tearing variables; else these
 * are noted. */
static bool depends_on_many(const Sorter *o, Tear *t, uint32_t i, uint32_t v)
{
    uint32_t all[MOST_DEPEND], n = 0;
    t->round++;
    for (uint32_t k = t->eq_start[i]; k < t->eq_start[i + 1]; k++) {
        const TearSet *set = &t->sets[t->edges[k].var];
        for (uint32_t q = 0; q < set->n && t->edges[k].var != v; q++) {
            if (t->seen[set->at[q]] == t->round) continue;
            t->seen[set->at[q]] = t->round;
            if (n == MOST_DEPEND) return true;
            all[n++] = set->at[q];
        }
    }
    t->sets[v] = (TearSet){ NEW_ARRAY(o->scratch, uint32_t, n + 1), n };
    memcpy(t->sets[v].at, all, n * sizeof *all);
    return false;
}

static uint8_t curves_of(const Tear *t, uint32_t i, uint32_t own)
{
    uint8_t most = 0;
    for (uint32_t k = t->eq_start[i]; k < t->eq_start[i + 1]; k++) {
        uint8_t curves = t->curves[t->edges[k].var] + !t->edges[k].is_constant;
        if (k != own && curves > most) most = curves;
    }
    return most;
}

/* Whether unknown v, to be computed by equation i, becomes a tearing variable instead. */
static bool is_risky(const Sorter *o, Tear *t, uint32_t i, uint32_t own)
{
    uint32_t v = t->edges[own].var;
    if (t->n <= LARGE_BLOCK) return false;
    bool is_curved = t->rule == TEAR_CURVED;
    double most = is_curved ? MOST_GROWTH_CURVED : t->n > HUGE_BLOCK ? MOST_GROWTH_SPARSE : MOST_GROWTH;
    if (is_curved) t->curves[v] = curves_of(t, i, own);
    return t->growth[v] > most || t->curves[v] > MOST_CURVES || (t->sets && depends_on_many(o, t, i, v));
}

static void tear_choose(Sorter *o, Tear *t, uint32_t v)
{
    t->growth[v] = 1;
    t->curves[v] = 0;
    if (t->sets) {
        t->sets[v] = (TearSet){ NEW_ARRAY(o->scratch, uint32_t, 1), 1 };
        t->sets[v].at[0] = v;
    }
    if (t->scale && !(t->scale[v] > 0)) t->scale[v] = 1;
    vec_push(o->s->arena, &o->out->tears, t->vars[v]);
    tear_know(t, v);
}

/* Turns the equation into an assignment of its only open unknown, if that is safe. */
static void tear_assign(Sorter *o, Tear *t, uint32_t i)
{
    for (uint32_t k = t->eq_start[i]; k < t->eq_start[i + 1]; k++) {
        uint32_t v = t->edges[k].var;
        if (t->var_done[v]) continue;
        if (!t->edges[k].is_solvable) return;
        uint32_t eq = o->eqs[t->rows[i]], var = t->vars[v];
        t->growth[v] = growth_of(t, i, k);
        if (t->edges[k].is_owned) t->growth[v] = fmin(t->growth[v], 1);
        if (is_risky(o, t, i, k)) {
            tear_choose(o, t, v);
            return;
        }
        Sym value = sym_solve(o->pool, o->s, &o->s->eqs.at[eq], var, partial_of(&o->s->eqs.at[eq], var));
        if (value == NONE) return;
        DaeAssign assign = { var, eq, value };
        vec_push(o->s->arena, &o->out->assigns, assign);
        tear_close(t, i);
        tear_know(t, v);
        return;
    }
}

/* Adds assignments and tearing variables of a block whose equations begin at `block`. */
static const Tear *tear_rows(Sorter *o, const DaeBlock *block, const uint32_t *rows, uint32_t n,
                             TearRule rule)
{
    Arena *a = o->scratch;
    Tear *t = tear_new(o, rows, n, rule, a);
    t->is_linear = block->kind == BLOCK_LINEAR;
    tear_index(o, t, a);
    for (;;) {
        while (t->head < t->tail) {
            uint32_t i = t->queue[t->head++];
            if (!t->eq_done[i]) tear_assign(o, t, i);
        }
        while (t->heap_n && t->var_done[t->heap[0]]) heap_pop(t);
        if (!t->heap_n) return t;
        tear_choose(o, t, heap_pop(t));
    }
}

static void take_back(Sorter *o, const DaeBlock *block)
{
    o->out->assigns.n = block->first;
    o->out->tears.n = block->tear_first;
}

static uint32_t count_starts(const Sorter *o, const Tear *t)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < t->n; v++) count += is_guided(o, t->vars[v]);
    return count;
}

/* Several rules, and the one with the fewest tearing variables; OWNED where it is as good as
 * others. */
static const Tear *tear_nonlinear(Sorter *o, const DaeBlock *block, const uint32_t *rows, uint32_t n)
{
    const Tear *t = tear_rows(o, block, rows, n, TEAR_OWNED);
    uint32_t tears = o->out->tears.n - block->tear_first, starts = count_starts(o, t);
    TearRule best = TEAR_OWNED, last = best;
    if (tears > 1) {
        take_back(o, block);
        t = tear_rows(o, block, rows, n, last = TEAR_PLAIN);
        uint32_t plain = o->out->tears.n - block->tear_first;
        if (plain < tears) tears = plain, best = TEAR_PLAIN;
    }
    if (starts > 0 && n <= LARGE_BLOCK && FEWER * starts <= tears) {
        take_back(o, block);
        t = tear_rows(o, block, rows, n, last = TEAR_STARTS);
        if (FEWER * (o->out->tears.n - block->tear_first) <= tears) best = TEAR_STARTS;
    }
    if (n > CURVED_BLOCK && tears > n / MESHED) best = TEAR_CURVED;
    if (best == last) return t;
    take_back(o, block);
    return tear_rows(o, block, rows, n, best);
}

static void add_component(Sorter *o, const uint32_t *rows, uint32_t n, const uint32_t *column_of)
{
    o->block++;
    for (uint32_t i = 0; i < n; i++) o->in_block[o->unknowns[column_of[rows[i]]]] = o->block;
    DaeBlock block = { .first = o->out->assigns.n, .tear_first = o->out->tears.n };
    block.kind = is_linear(o, rows, n) ? BLOCK_LINEAR : BLOCK_NONLINEAR;
    const Tear *t = block.kind == BLOCK_LINEAR ? tear_rows(o, &block, rows, n, TEAR_PLAIN)
                                               : tear_nonlinear(o, &block, rows, n);
    for (uint32_t i = 0; i < n; i++)
        if (!t->eq_done[i]) vec_push(o->s->arena, &o->out->residuals, o->eqs[rows[i]]);
    block.n = o->out->assigns.n - block.first;
    block.tear_n = o->out->tears.n - block.tear_first;
    vec_push(o->s->arena, &o->out->blocks, block);
}

static void add_single(Sorter *o, uint32_t row, const uint32_t *column_of)
{
    uint32_t eq = o->eqs[row], var = o->unknowns[column_of[row]];
    Sym value = sym_solve(o->pool, o->s, &o->s->eqs.at[eq], var, partial_of(&o->s->eqs.at[eq], var));
    if (value == NONE) {
        add_component(o, &row, 1, column_of);
        return;
    }
    DaeAssign assign = { var, eq, value };
    DaeBlock block = {
        .kind = BLOCK_ASSIGN, .first = o->out->assigns.n, .n = 1, .tear_first = o->out->tears.n
    };
    vec_push(o->s->arena, &o->out->assigns, assign);
    vec_push(o->s->arena, &o->out->blocks, block);
}

bool dae_sort(Build *b, const uint32_t *eqs, uint32_t n, const uint8_t *is_unknown, Sequence *out,
              const char *phase)
{
    Arena *scratch = arena_part(b->s->arena);
    Sorter o = { .b = b,
                 .s = b->s,
                 .pool = b->s->pool,
                 .scratch = scratch,
                 .eqs = eqs,
                 .is_unknown = is_unknown,
                 .out = out };
    uint32_t vars = b->s->vars.n, columns = 0;
    o.column_of_var = NEW_ARRAY(scratch, uint32_t, vars);
    o.unknowns = NEW_ARRAY(scratch, uint32_t, vars);
    o.in_block = NEW_ARRAY(scratch, uint32_t, vars);
    for (uint32_t v = 0; v < vars; v++) {
        o.column_of_var[v] = is_unknown[v] ? columns : NONE;
        if (is_unknown[v]) o.unknowns[columns++] = v;
    }
    Graph g = make_graph(&o, n, columns, false);
    uint32_t *column_of = NEW_ARRAY(scratch, uint32_t, n + 1),
             *row_of = NEW_ARRAY(scratch, uint32_t, columns + 1);
    memset(column_of, 0xff, n * sizeof *column_of);
    memset(row_of, 0xff, columns * sizeof *row_of);
    bool ok = graph_match(&g, column_of, row_of, scratch) == n && n == columns;
    if (ok) {
        o.needs = make_graph(&o, n, columns, true);
        uint32_t *order = NEW_ARRAY(scratch, uint32_t, n + 1), *first = NEW_ARRAY(scratch, uint32_t, n + 1);
        uint32_t components = graph_sort(&o.needs, row_of, order, first, scratch);
        for (uint32_t k = 0; k < components; k++) {
            const uint32_t *rows = order + first[k];
            uint32_t size = first[k + 1] - first[k];
            if (size == 1)
                add_single(&o, rows[0], column_of);
            else
                add_component(&o, rows, size, column_of);
        }
    } else {
        dae_explain_singular(b, eqs, &g, o.unknowns, column_of, row_of, phase);
    }
    arena_free(scratch);
    return ok;
}

bool dae_sort_assigns(Build *b, DaeAssign *assigns, uint32_t n)
{
    Arena *scratch = arena_part(b->s->arena);
    uint32_t *row_of = NEW_ARRAY(scratch, uint32_t, b->s->vars.n + 1);
    memset(row_of, 0xff, b->s->vars.n * sizeof *row_of);
    for (uint32_t i = 0; i < n; i++) row_of[assigns[i].var] = i;
    VEC(uint32_t) columns = { 0 };
    Graph g = { n, b->s->vars.n, NEW_ARRAY(scratch, uint32_t, n + 1), NULL };
    for (uint32_t i = 0; i < n; i++) {
        g.start[i] = columns.n;
        sym_walk_variables(b->s->pool, assigns[i].value);
        for (uint32_t k = 0; k < b->s->pool->seen.n; k++)
            vec_push(scratch, &columns, sym_node(b->s->pool, b->s->pool->seen.at[k])->index);
    }
    g.start[n] = columns.n;
    g.column = columns.at;
    uint32_t *order = NEW_ARRAY(scratch, uint32_t, n + 1), *first = NEW_ARRAY(scratch, uint32_t, n + 1);
    uint32_t components = graph_sort(&g, row_of, order, first, scratch);
    DaeAssign *sorted = NEW_ARRAY(scratch, DaeAssign, n);
    for (uint32_t i = 0; i < n; i++) sorted[i] = assigns[order[i]];
    bool ok = true;
    for (uint32_t k = 0; k < components; k++) {
        if (first[k + 1] - first[k] < 2) continue;
        const DaeVar *v = &b->s->vars.at[sorted[first[k]].var];
        Note *note = diag_add(b->diag, E_LOOP, v->span, "'%s' depends on itself", v->name);
        for (uint32_t i = first[k] + 1; i < first[k + 1] && i < first[k] + 8; i++)
            diag_label(b->diag, note, b->s->vars.at[sorted[i].var].span, "by way of this");
        ok = false;
    }
    if (n) memcpy(assigns, sorted, n * sizeof *assigns);
    arena_free(scratch);
    return ok;
}
