/* hidden.c: finds constraints between states that no equation says by itself, but sums of equations do.
 *
 * The currents of a winding add up to five times its zero current, whose inductance makes it a state; where its star point is open they
 * add up to 0, too. Both equations can be solved for some current, so that structure sees no constraint, and the equations for the
 * currents are singular. In: equations. Out: the same, with one of those replaced (the longest) whose sum, times whole numbers, is left with nothing
 * that could be solved for, by that sum; the index is then reduced as if it had been written. How: equations are sums of terms, whole numbers times
 * a factor times a highest derivative; terms are alike if factor and unknown are, so that what cancels does so whatever values there are. Equations
 * that alone have some term are in no such sum and are left out, again and again. What
 * stays falls into parts without common terms, few and small; each is eliminated in whole numbers, so that a zero is one. Parts whose constraints structure sees as well are left as they are written, and sums without states are, too: they say of equations that they depend on each other, which rank.c explains. Cost: linear, and cubic at worst in parts, which are at most
 * LARGEST. Tests: tests/gen/index_test.c. */
#include "dae/inside.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = 1000 };
static const double MOST_FACTOR = 1e6;

/* A term and its number in an equation, or an equation and its number in a sum. */
typedef struct {
    uint32_t at;
    int64_t factor;
} Term;
typedef VEC(Term) Terms;

typedef struct {
    Terms terms;
    Terms members;  /* equations it is the sum of, as places in the part */
    uint32_t pivot; /* the term that it takes out of others, and its number */
    int64_t factor;
} Row;

typedef struct {
    Build *b;
    System *s;
    Arena *a;
    uint32_t *start; /* by equation, as a place in b->equations, and one more: where its terms are in */
    Terms terms;
    uint32_t term_n;            /* different ones */
    VEC(uint32_t) unknown;      /* by term: its variable */
    uint32_t *first, *users;    /* by term, and one more: where its equations are in users */
    uint32_t *count;            /* by term: equations with it that are still there */
    uint8_t *is_out;            /* by equation */
    VEC(uint32_t) lonely;       /* terms of one equation */
    int64_t *numbers, *members; /* by term and by place in the part: a row while it is worked on */
} Hidden;

static bool is_highest(const System *s, uint32_t var)
{
    return s->vars.at[var].role >= ROLE_STATE && s->vars.at[var].der == NONE;
}

/* Takes the whole number out of a factor. */
static Sym take_number(SymPool *pool, Sym factor, int64_t *number)
{
    double real;
    *number = 1;
    if (sym_is(pool, factor, SYM_NEG)) {
        *number = -1;
        factor = sym_node(pool, factor)->arg[0];
    }
    if (!sym_is_real(pool, factor, &real)) return factor;
    if (real == floor(real) && fabs(real) <= MOST_FACTOR) {
        *number *= (int64_t)real;
        return SYM_ONE;
    }
    if (real < 0.0) *number = -*number;
    return sym_real(pool, fabs(real));
}

static void collect_terms(Hidden *h)
{
    const System *s = h->s;
    uint32_t n = h->b->equations.n;
    Map map = { .arena = h->a };
    h->start = NEW_ARRAY(h->a, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const Gradient *g = &s->eqs.at[h->b->equations.at[i]].gradient;
        h->start[i] = h->terms.n;
        for (uint32_t k = 0; k < g->n; k++) {
            if (!is_highest(s, g->at[k].var)) continue;
            Term t;
            bool is_new;
            Sym factor = take_number(s->pool, g->at[k].value, &t.factor);
            uint64_t *place = map_put(&map, (uint64_t)g->at[k].var << 32 | factor, &is_new);
            if (is_new) {
                *place = h->term_n++;
                vec_push(h->a, &h->unknown, g->at[k].var);
            }
            t.at = (uint32_t)*place;
            vec_push(h->a, &h->terms, t);
        }
    }
    h->start[n] = h->terms.n;
}

static void index_users(Hidden *h)
{
    uint32_t n = h->b->equations.n;
    h->first = NEW_ARRAY(h->a, uint32_t, h->term_n + 2);
    h->count = NEW_ARRAY(h->a, uint32_t, h->term_n + 1);
    h->users = NEW_ARRAY(h->a, uint32_t, h->terms.n + 1);
    for (uint32_t k = 0; k < h->terms.n; k++) h->first[h->terms.at[k].at + 2]++;
    for (uint32_t t = 0; t < h->term_n; t++) {
        h->count[t] = h->first[t + 2];
        h->first[t + 2] += h->first[t + 1];
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = h->start[i]; k < h->start[i + 1]; k++)
            h->users[h->first[h->terms.at[k].at + 1]++] = i;
}

static void take_out(Hidden *h, uint32_t eq)
{
    h->is_out[eq] = 1;
    for (uint32_t k = h->start[eq]; k < h->start[eq + 1]; k++)
        if (--h->count[h->terms.at[k].at] == 1) vec_push(h->a, &h->lonely, h->terms.at[k].at);
}

/* Takes out what alone has some term, until there is nothing such. */
static void peel(Hidden *h)
{
    while (h->lonely.n) {
        uint32_t t = h->lonely.at[--h->lonely.n], k = h->first[t];
        while (k < h->first[t + 1] && h->is_out[h->users[k]]) k++;
        if (k < h->first[t + 1]) take_out(h, h->users[k]);
    }
}

/* Whether an equation is linear in all that it could be solved for. */
static bool is_linear(const System *s, const DaeEq *eq)
{
    if (eq->blend != NONE) return false;
    for (uint32_t k = 0; k < eq->gradient.n; k++) {
        const Partial *p = &eq->gradient.at[k];
        if (!is_highest(s, p->var)) continue;
        if (p->value == SYM_ZERO) return false; /* a condition reads it */
        sym_walk_variables(s->pool, p->value);
        for (uint32_t i = 0; i < s->pool->seen.n; i++)
            if (is_highest(s, sym_node(s->pool, s->pool->seen.at[i])->index)) return false;
    }
    return true;
}

/* What may be in a sum stays. */
static void choose_equations(Hidden *h)
{
    uint32_t n = h->b->equations.n;
    h->is_out = NEW_ARRAY(h->a, uint8_t, n + 1);
    for (uint32_t t = 0; t < h->term_n; t++)
        if (h->count[t] == 1) vec_push(h->a, &h->lonely, t);
    peel(h);
    for (uint32_t i = 0; i < n; i++)
        if (!h->is_out[i] && !is_linear(h->s, &h->s->eqs.at[h->b->equations.at[i]])) take_out(h, i);
    peel(h);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return a < 0 ? -a : a;
}

/* to * x - by * y, both lists; false: the numbers are too large. */
static bool combine(int64_t *x, uint32_t n, const Term *y, uint32_t y_n, int64_t to, int64_t by)
{
    for (uint32_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(x[i], to, &x[i])) return false;
    for (uint32_t i = 0; i < y_n; i++) {
        int64_t product;
        if (__builtin_mul_overflow(y[i].factor, by, &product) ||
            __builtin_sub_overflow(x[y[i].at], product, &x[y[i].at]))
            return false;
    }
    return true;
}

/* Equations that hang together, and their terms numbered from 0. */
typedef struct {
    VEC(uint32_t) eqs, terms;
    VEC(Row) pivots, sums; /* sums: without terms */
    uint32_t *number;      /* by term: its number here */
} Part;

/* All that hangs together with an equation. */
static void gather(Hidden *h, Part *p, uint32_t first)
{
    p->eqs.n = p->terms.n = p->pivots.n = p->sums.n = 0;
    vec_push(h->a, &p->eqs, first);
    h->is_out[first] = 1;
    for (uint32_t i = 0; i < p->eqs.n; i++)
        for (uint32_t k = h->start[p->eqs.at[i]]; k < h->start[p->eqs.at[i] + 1]; k++) {
            uint32_t t = h->terms.at[k].at;
            if (p->number[t] != NONE) continue;
            p->number[t] = p->terms.n;
            vec_push(h->a, &p->terms, t);
            for (uint32_t j = h->first[t]; j < h->first[t + 1]; j++) {
                if (h->is_out[h->users[j]]) continue;
                h->is_out[h->users[j]] = 1;
                vec_push(h->a, &p->eqs, h->users[j]);
            }
        }
}

static uint32_t length_of(const Hidden *h, uint32_t eq) { return h->start[eq + 1] - h->start[eq]; }

/* Short equations first: what replaces a long one makes the system simpler. */
static void order_by_length(const Hidden *h, Part *p)
{
    for (uint32_t i = 1; i < p->eqs.n; i++) {
        uint32_t eq = p->eqs.at[i], k = i;
        for (; k > 0 && length_of(h, p->eqs.at[k - 1]) > length_of(h, eq); k--)
            p->eqs.at[k] = p->eqs.at[k - 1];
        p->eqs.at[k] = eq;
    }
}

static void scatter(Hidden *h, const Part *p, uint32_t i)
{
    memset(h->numbers, 0, p->terms.n * sizeof *h->numbers);
    memset(h->members, 0, p->eqs.n * sizeof *h->members);
    h->members[i] = 1;
    for (uint32_t k = h->start[p->eqs.at[i]]; k < h->start[p->eqs.at[i] + 1]; k++)
        h->numbers[p->number[h->terms.at[k].at]] += h->terms.at[k].factor;
}

/* Whole numbers without a common divisor. */
static void shorten(Hidden *h, const Part *p)
{
    int64_t divisor = 0;
    for (uint32_t i = 0; i < p->terms.n && divisor != 1; i++)
        divisor = common_divisor(divisor, h->numbers[i]);
    for (uint32_t i = 0; i < p->eqs.n && divisor != 1; i++) divisor = common_divisor(divisor, h->members[i]);
    if (divisor <= 1) return;
    for (uint32_t i = 0; i < p->terms.n; i++) h->numbers[i] /= divisor;
    for (uint32_t i = 0; i < p->eqs.n; i++) h->members[i] /= divisor;
}

static void keep(Hidden *h, Part *p)
{
    Row row = { .pivot = NONE };
    for (uint32_t i = 0; i < p->terms.n; i++) {
        if (!h->numbers[i]) continue;
        vec_push(h->a, &row.terms, ((Term){ i, h->numbers[i] }));
        if (row.pivot == NONE || llabs(h->numbers[i]) < llabs(row.factor))
            row.pivot = i, row.factor = h->numbers[i];
    }
    for (uint32_t i = 0; i < p->eqs.n; i++)
        if (h->members[i]) vec_push(h->a, &row.members, ((Term){ i, h->members[i] }));
    if (row.pivot == NONE)
        vec_push(h->a, &p->sums, row);
    else
        vec_push(h->a, &p->pivots, row);
}

/* A kept row has no term that an earlier one takes out, so that one pass through all of them does. */
static bool reduce(Hidden *h, const Part *p)
{
    for (uint32_t k = 0; k < p->pivots.n; k++) {
        const Row *row = &p->pivots.at[k];
        int64_t by = h->numbers[row->pivot], to = row->factor;
        if (!by) continue;
        if (!combine(h->numbers, p->terms.n, row->terms.at, row->terms.n, to, by) ||
            !combine(h->members, p->eqs.n, row->members.at, row->members.n, to, by))
            return false;
        shorten(h, p);
    }
    return true;
}

static void eliminate(Hidden *h, Part *p)
{
    for (uint32_t i = 0; i < p->eqs.n; i++) {
        scatter(h, p, i);
        if (reduce(h, p)) keep(h, p);
    }
}

/* Whether structure sees fewer constraints than there are sums: equations of the part that cannot all be solved for different unknowns. */
static bool is_hidden(const Hidden *h, const Part *p)
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

/* ---- what was found becomes an equation ---- */

/* left - right of an equation without what it could be solved for. */
static Sym rest_of(Hidden *h, const DaeEq *eq)
{
    SymPool *pool = h->s->pool;
    Sym rest = sym_two(pool, SYM_SUB, eq->left, eq->right);
    for (uint32_t k = 0; k < eq->gradient.n; k++)
        if (is_highest(h->s, eq->gradient.at[k].var))
            rest = sym_replace_one(pool, rest, eq->gradient.at[k].var, SYM_ZERO);
    return rest;
}

static Sym sum_of(Hidden *h, const Part *p, const Row *row)
{
    SymPool *pool = h->s->pool;
    Sym sum = SYM_ZERO;
    for (uint32_t i = 0; i < row->members.n; i++) {
        const Term *t = &row->members.at[i];
        Sym rest = rest_of(h, &h->s->eqs.at[h->b->equations.at[p->eqs.at[t->at]]]);
        Sym times = sym_two(pool, SYM_MUL, sym_real(pool, (double)t->factor), rest);
        sum = sym_two(pool, SYM_ADD, sum, times);
    }
    return sum;
}

/* Whether it says something of states, and of nothing else. */
static bool is_constraint(const System *s, const Gradient *g)
{
    bool any = false;
    for (uint32_t k = 0; k < g->n; k++) {
        if (is_highest(s, g->at[k].var)) return false;
        any |= s->vars.at[g->at[k].var].role >= ROLE_STATE && g->at[k].value != SYM_ZERO;
    }
    return any;
}

/* The last equation of a sum is in no other one: it gives way, if each variable still has an equation of its own then. */
static void replace(Hidden *h, const Part *p, const Row *row)
{
    System *s = h->s;
    uint32_t *place = &h->b->equations.at[p->eqs.at[row->members.at[row->members.n - 1].at]], old = *place;
    uint32_t made = dae_add_eq(s, sum_of(h, p, row), SYM_ZERO, s->eqs.at[old].span);
    if (!is_constraint(s, &s->eqs.at[made].gradient)) return;
    *place = made;
    if (!dae_is_regular(h->b, h->a)) *place = old;
}

void dae_show_hidden(Build *b)
{
    Arena *a = arena_new();
    if (!a) return;
    Hidden h = { .b = b, .s = b->s, .a = a };
    collect_terms(&h);
    index_users(&h);
    choose_equations(&h);
    Part part = { .number = NEW_ARRAY(a, uint32_t, h.term_n + 1) };
    memset(part.number, 0xff, h.term_n * sizeof *part.number);
    for (uint32_t i = 0; i < b->equations.n; i++) {
        if (h.is_out[i]) continue;
        gather(&h, &part, i);
        if (part.eqs.n < 2 || part.eqs.n > LARGEST) continue;
        h.numbers = NEW_ARRAY(a, int64_t, part.terms.n + 1);
        h.members = NEW_ARRAY(a, int64_t, part.eqs.n);
        order_by_length(&h, &part);
        eliminate(&h, &part);
        if (!part.sums.n || !is_hidden(&h, &part)) continue;
        for (uint32_t k = 0; k < part.sums.n; k++) replace(&h, &part, &part.sums.at[k]);
    }
    arena_free(a);
}
