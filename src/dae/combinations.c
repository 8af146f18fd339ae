/* combinations.c: finds constraints between states that no single equation states, but a linear
 * combination of equations with integer coefficients does, and replaces an equation by it.
 *
 * Example: the currents of a winding add up to five times its zero current, whose inductance makes
 * it a state. Where the star point is open they also add up to 0. Both equations can be solved for
 * some current, so the structure shows no constraint, yet the equations for the currents are
 * singular. The passes below explain each step. The index is reduced afterwards, as if the
 * combination had been written. Cost: linear, and at worst cubic in clusters, which have at most
 * LARGEST equations. Tests: tests/gen/index_test.c. */
#include "dae/inside.h"

#include <math.h>
#include <stdlib.h>

enum {
    LARGEST = 500,
    MOST_NUMBER = 1 << 30 /* so that a sum of two products is no overflow */
};

/* A term, and the whole number that it is taken times. In clusters, equations come as numbers after
 * those of terms. */
typedef struct {
    uint32_t at;
    int64_t number;
} Term;
typedef VEC(Term) Terms;

typedef struct {
    Terms terms;
    uint32_t pivot; /* the term that it takes out of others, and its number */
    int64_t factor;
} Row;

/* Equations connected by common terms. */
typedef struct {
    VEC(uint32_t) eqs, terms;
    VEC(Row) pivots, sums; /* sums: without terms */
    uint32_t width;        /* of a row: terms and equations */
    int64_t *row;          /* the one that is worked on */
} Cluster;

typedef struct {
    Build *b;
    System *s;
    Arena *a;
    uint8_t *is_highest; /* by variable: it has no derivative */
    /* by equation, as a place in b->equations, and one more: where its terms are in */
    uint32_t *start;
    Terms terms;
    VEC(uint32_t) unknown;   /* by term: its variable */
    uint32_t *first, *users; /* by term, and one more: where its equations are in users */
    uint32_t *count;         /* by term: equations with it that are still there */
    uint32_t *place;         /* by term: its number in its cluster */
    uint8_t *is_out;         /* by equation */
    VEC(uint32_t) lonely;    /* terms of one equation */
} Combinations;

/* How: an equation is a sum of terms, each an integer times a factor times a highest derivative.
 * Terms are alike if factor and unknown are, so what cancels does so for all values. An equation
 * that alone has some term is in no combination and is left out, repeatedly. What stays falls into
 * small clusters without common terms. Each is eliminated in integers, so that a zero is exact.
 *
 * The set of solutions stays the same. A cluster stays as it is written if its constraints are
 * visible to the structure as well, and all equations do if a variable would be left without one.
 * Combinations without states are left alone: they say that equations depend on each other, which
 * rank.c explains. */

/* ---- equations as sums of terms -------------------------------------------------------------- */

static void find_highest(Combinations *h)
{
    const System *s = h->s;
    h->is_highest = NEW_ARRAY(h->a, uint8_t, s->vars.n + 1);
    for (uint32_t v = 0; v < s->vars.n; v++)
        h->is_highest[v] = s->vars.at[v].role >= ROLE_STATE && s->vars.at[v].der == NONE;
}

static bool is_whole(const SymPool *pool, Sym e)
{
    double real;
    return sym_is_real(pool, e, &real) && real == floor(real) && fabs(real) <= MOST_NUMBER;
}

/* Takes a whole number out of a factor: of k, -k, 3, -3, -0.5, 3*k, -(3*k). */
static Sym take_number(SymPool *pool, Sym factor, int64_t *number)
{
    double real;
    *number = 1;
    if (sym_is(pool, factor, SYM_NEG)) *number = -1, factor = sym_node(pool, factor)->arg[0];
    Sym whole = factor, rest = SYM_ONE;
    for (int k = 0; k < 2 && sym_is(pool, factor, SYM_MUL) && rest == SYM_ONE; k++)
        if (is_whole(pool, sym_node(pool, factor)->arg[k]))
            whole = sym_node(pool, factor)->arg[k], rest = sym_node(pool, factor)->arg[1 - k];
    if (!is_whole(pool, whole)) {
        if (!sym_is_real(pool, factor, &real) || real >= 0) return factor;
        *number = -*number;
        return sym_real(pool, -real);
    }
    *number *= (int64_t)sym_node(pool, whole)->real;
    return rest;
}

static void collect_terms(Combinations *h)
{
    const System *s = h->s;
    uint32_t n = h->b->equations.n;
    Map map = { .arena = h->a };
    h->start = NEW_ARRAY(h->a, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const Gradient *g = &s->eqs.at[h->b->equations.at[i]].gradient;
        h->start[i] = h->terms.n;
        for (uint32_t k = 0; k < g->n; k++) {
            if (!h->is_highest[g->at[k].var]) continue;
            Term t;
            bool is_new;
            Sym factor = take_number(s->pool, g->at[k].value, &t.number);
            if (!t.number) continue;
            uint64_t *place = map_put(&map, (uint64_t)g->at[k].var << 32 | factor, &is_new);
            if (is_new) {
                *place = h->unknown.n;
                vec_push(h->a, &h->unknown, g->at[k].var);
            }
            t.at = (uint32_t)*place;
            vec_push(h->a, &h->terms, t);
        }
    }
    h->start[n] = h->terms.n;
}

static void index_users(Combinations *h)
{
    uint32_t n = h->b->equations.n, term_n = h->unknown.n;
    h->first = NEW_ARRAY(h->a, uint32_t, term_n + 2);
    h->count = NEW_ARRAY(h->a, uint32_t, term_n + 1);
    h->users = NEW_ARRAY(h->a, uint32_t, h->terms.n + 1);
    for (uint32_t k = 0; k < h->terms.n; k++) h->first[h->terms.at[k].at + 2]++;
    for (uint32_t t = 0; t < term_n; t++) {
        h->count[t] = h->first[t + 2];
        h->first[t + 2] += h->first[t + 1];
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = h->start[i]; k < h->start[i + 1]; k++)
            h->users[h->first[h->terms.at[k].at + 1]++] = i;
}

/* ---- which of them may be in a sum ----------------------------------------------------------- */

static void take_out(Combinations *h, uint32_t eq)
{
    h->is_out[eq] = 1;
    for (uint32_t k = h->start[eq]; k < h->start[eq + 1]; k++)
        if (--h->count[h->terms.at[k].at] == 1) vec_push(h->a, &h->lonely, h->terms.at[k].at);
}

/* Takes out what alone has some term, until there is nothing such. */
static void peel(Combinations *h)
{
    while (h->lonely.n) {
        uint32_t t = h->lonely.at[--h->lonely.n], k = h->first[t];
        while (k < h->first[t + 1] && h->is_out[h->users[k]]) k++;
        if (k < h->first[t + 1]) take_out(h, h->users[k]);
    }
}

/* Of a node in what could be solved for, by those below it: 0, 1, or 2 for all that is not
 * linear. */
static uint8_t degree_of(const Combinations *h, const SymNode *n, const uint8_t *degrees)
{
    const uint32_t *place = h->s->pool->place;
    uint8_t d[3] = { 0 };
    for (uint32_t k = 0; k < sym_arity((SymOp)n->op); k++) d[k] = degrees[place[n->arg[k]]];
    uint8_t most = d[0] > d[1] ? d[0] : d[1];
    if (d[2] > most) most = d[2];
    switch ((SymOp)n->op) {
    case SYM_VAR: return h->is_highest[n->index];
    case SYM_NEG:
    case SYM_ADD:
    case SYM_SUB: return most;
    case SYM_MUL: return d[0] && d[1] ? 2 : most;
    case SYM_DIV: return d[1] ? 2 : most;
    case SYM_IF: return d[0] ? 2 : most;
    default: return most ? 2 : 0;
    }
}

/* Partial derivatives do not tell: they know nothing of what only a condition reads. */
static bool is_linear(const Combinations *h, Sym e)
{
    SymPool *pool = h->s->pool;
    ArenaMark mark = arena_mark(h->a);
    sym_walk(pool, e);
    uint8_t *degrees = NEW_ARRAY(h->a, uint8_t, pool->seen.n);
    for (uint32_t i = 0; i < pool->seen.n; i++)
        degrees[i] = degree_of(h, sym_node(pool, pool->seen.at[i]), degrees);
    bool is_linear = degrees[pool->seen.n - 1] < 2;
    arena_rewind(h->a, mark);
    return is_linear;
}

static bool may_be_summed(const Combinations *h, const DaeEq *eq)
{
    return eq->blend == NONE && is_linear(h, eq->left) && is_linear(h, eq->right);
}

static void choose_equations(Combinations *h)
{
    uint32_t n = h->b->equations.n;
    h->is_out = NEW_ARRAY(h->a, uint8_t, n + 1);
    for (uint32_t t = 0; t < h->unknown.n; t++)
        if (h->count[t] == 1) vec_push(h->a, &h->lonely, t);
    peel(h);
    for (uint32_t i = 0; i < n; i++)
        if (!h->is_out[i] && !may_be_summed(h, &h->s->eqs.at[h->b->equations.at[i]])) take_out(h, i);
    peel(h);
}

/* ---- one cluster ----------------------------------------------------------------------------- */

/* The cluster of an equation. */
static Cluster gather(Combinations *h, uint32_t first)
{
    Cluster p = { 0 };
    vec_push(h->a, &p.eqs, first);
    h->is_out[first] = 1;
    for (uint32_t i = 0; i < p.eqs.n; i++)
        for (uint32_t k = h->start[p.eqs.at[i]]; k < h->start[p.eqs.at[i] + 1]; k++) {
            uint32_t t = h->terms.at[k].at;
            if (h->place[t] != NONE) continue;
            h->place[t] = p.terms.n;
            vec_push(h->a, &p.terms, t);
            for (uint32_t j = h->first[t]; j < h->first[t + 1]; j++) {
                if (h->is_out[h->users[j]]) continue;
                h->is_out[h->users[j]] = 1;
                vec_push(h->a, &p.eqs, h->users[j]);
            }
        }
    return p;
}

static uint32_t length_of(const Combinations *h, uint32_t eq) { return h->start[eq + 1] - h->start[eq]; }

/* Short equations first: what replaces a long one makes the system simpler. */
static void order_by_length(const Combinations *h, Cluster *p)
{
    for (uint32_t i = 1; i < p->eqs.n; i++) {
        uint32_t eq = p->eqs.at[i], k = i;
        for (; k > 0 && length_of(h, p->eqs.at[k - 1]) > length_of(h, eq); k--)
            p->eqs.at[k] = p->eqs.at[k - 1];
        p->eqs.at[k] = eq;
    }
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return llabs(a);
}

/* Divides by what all numbers have in common; false: they are too large even so. */
static bool shorten(int64_t *row, uint32_t n)
{
    int64_t divisor = 0, most = 0;
    for (uint32_t i = 0; i < n && divisor != 1; i++) divisor = common_divisor(divisor, row[i]);
    for (uint32_t i = 0; i < n; i++) {
        if (divisor > 1) row[i] /= divisor;
        if (llabs(row[i]) > most) most = llabs(row[i]);
    }
    return most <= MOST_NUMBER;
}

/* A kept row has no term that an earlier one takes out, so that one pass through all of them
 * does. */
static bool reduce(Cluster *p)
{
    for (uint32_t k = 0; k < p->pivots.n; k++) {
        const Row *by = &p->pivots.at[k];
        int64_t times = p->row[by->pivot];
        if (!times) continue;
        for (uint32_t i = 0; i < p->width; i++) p->row[i] *= by->factor;
        for (uint32_t i = 0; i < by->terms.n; i++)
            p->row[by->terms.at[i].at] -= times * by->terms.at[i].number;
        if (!shorten(p->row, p->width)) return false;
    }
    return true;
}

static void keep(Combinations *h, Cluster *p)
{
    Row row = { .pivot = NONE };
    for (uint32_t i = 0; i < p->width; i++) {
        if (!p->row[i]) continue;
        vec_push(h->a, &row.terms, ((Term){ i, p->row[i] }));
        if (i < p->terms.n && (row.pivot == NONE || llabs(p->row[i]) < llabs(row.factor)))
            row.pivot = i, row.factor = p->row[i];
    }
    if (row.pivot == NONE)
        vec_push(h->a, &p->sums, row);
    else
        vec_push(h->a, &p->pivots, row);
}

static void eliminate(Combinations *h, Cluster *p)
{
    p->width = p->terms.n + p->eqs.n;
    p->row = NEW_ARRAY(h->a, int64_t, p->width);
    for (uint32_t i = 0; i < p->eqs.n; i++) {
        memset(p->row, 0, p->width * sizeof *p->row);
        p->row[p->terms.n + i] = 1;
        for (uint32_t k = h->start[p->eqs.at[i]]; k < h->start[p->eqs.at[i] + 1]; k++)
            p->row[h->place[h->terms.at[k].at]] = h->terms.at[k].number;
        if (reduce(p)) keep(h, p);
    }
}

/* Whether there are more combinations than constraints that the structure shows, which are
 * equations that cannot all be matched to different unknowns. */
static bool adds_constraints(Combinations *h, const Cluster *p)
{
    uint32_t n = p->eqs.n, edges = 0, most = 0;
    for (uint32_t i = 0; i < n; i++) edges += length_of(h, p->eqs.at[i]);
    Map map = { .arena = h->a };
    Graph g = { n, 0, NEW_ARRAY(h->a, uint32_t, n + 1), NEW_ARRAY(h->a, uint32_t, edges + 1) };
    for (uint32_t i = 0; i < n; i++) {
        g.start[i] = most;
        for (uint32_t k = h->start[p->eqs.at[i]]; k < h->start[p->eqs.at[i] + 1]; k++) {
            bool is_new;
            uint64_t *column = map_put(&map, h->unknown.at[h->terms.at[k].at], &is_new);
            if (is_new) *column = g.columns++;
            g.column[most++] = (uint32_t)*column;
        }
    }
    g.start[n] = most;
    uint32_t *column_of = NEW_ARRAY(h->a, uint32_t, n + 1),
             *row_of = NEW_ARRAY(h->a, uint32_t, g.columns + 1);
    memset(column_of, 0xff, n * sizeof *column_of);
    memset(row_of, 0xff, g.columns * sizeof *row_of);
    return p->sums.n > n - graph_match(&g, column_of, row_of, h->a);
}

/* ---- what was found becomes an equation ------------------------------------------------------ */

/* What is left of a sum of equations. */
static Sym rest_of(const Combinations *h, const Cluster *p, const Row *sum)
{
    SymPool *pool = h->s->pool;
    Sym all = SYM_ZERO;
    double number;
    for (uint32_t i = 0; i < sum->terms.n; i++) {
        const Term *t = &sum->terms.at[i];
        const DaeEq *eq = &h->s->eqs.at[h->b->equations.at[p->eqs.at[t->at - p->terms.n]]];
        Sym rest = sym_without(pool, sym_two(pool, SYM_SUB, eq->left, eq->right), h->is_highest);
        if (sym_is_real(pool, rest, &number) && number == 0) continue; /* of either sign */
        Sym times = sym_two(pool, SYM_MUL, sym_real(pool, (double)t->number), rest);
        all = sym_two(pool, SYM_ADD, all, times);
    }
    return all;
}

static bool has_state(const System *s, const Gradient *g)
{
    for (uint32_t k = 0; k < g->n; k++)
        if (s->vars.at[g->at[k].var].role >= ROLE_STATE && g->at[k].value != SYM_ZERO) return true;
    return false;
}

/* The last equation of a sum is in no other one: it gives way. */
static void replace(Combinations *h, const Cluster *p, const Row *sum)
{
    System *s = h->s;
    uint32_t *place = &h->b->equations.at[p->eqs.at[sum->terms.at[sum->terms.n - 1].at - p->terms.n]];
    uint32_t made = dae_add_eq(s, rest_of(h, p, sum), SYM_ZERO, s->eqs.at[*place].span);
    if (has_state(s, &s->eqs.at[made].gradient)) *place = made;
}

static void replace_in(Combinations *h, Cluster *p)
{
    order_by_length(h, p);
    eliminate(h, p);
    if (!p->sums.n || !adds_constraints(h, p)) return;
    for (uint32_t k = 0; k < p->sums.n; k++) replace(h, p, &p->sums.at[k]);
}

void dae_show_combinations(Build *b)
{
    Arena *a = arena_part(b->s->arena);
    Combinations h = { .b = b, .s = b->s, .a = a };
    uint32_t n = b->equations.n, *before = NEW_ARRAY(a, uint32_t, n + 1);
    if (n) memcpy(before, b->equations.at, n * sizeof *before);
    find_highest(&h);
    collect_terms(&h);
    index_users(&h);
    choose_equations(&h);
    h.place = NEW_ARRAY(a, uint32_t, h.unknown.n + 1);
    memset(h.place, 0xff, h.unknown.n * sizeof *h.place);
    for (uint32_t i = 0; i < n; i++) {
        if (h.is_out[i]) continue;
        ArenaMark mark = arena_mark(a);
        Cluster cluster = gather(&h, i);
        if (cluster.eqs.n > 1 && cluster.eqs.n <= LARGEST) replace_in(&h, &cluster);
        arena_rewind(a, mark);
    }
    if (n && memcmp(before, b->equations.at, n * sizeof *before) && !dae_is_regular(b, a))
        memcpy(b->equations.at, before, n * sizeof *before);
    arena_free(a);
}
