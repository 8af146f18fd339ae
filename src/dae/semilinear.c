/* semilinear.c: chains of equations y = semiLinear(x, s1, s2) that share x and y are solved for
 * what lies between.
 *
 * Where a fluid flows from one volume through a node into another, both sides say how y, the flow
 * of heat, follows from x, the flow of mass: y = semiLinear(x, sa, s) and y = semiLinear(x, s, sb).
 * They give s while x is not 0, and leave it open when x is 0. The language (specification, 3.7.4)
 * has such a chain replaced: s = if x >= 0 then sa else sb, and y = semiLinear(x, sa, sb); which is
 * the same for every x but 0, and continues it there. In: equations after intake. Out: the same
 * number of them. Cost: linear. Tests: tests/api/language_test.c. */
#include "dae/inside.h"

/* Equation eq, read as y = semiLinear(x, upstream, downstream). */
typedef struct {
    uint32_t eq;
    Sym y, x, relation, upstream, downstream;
    bool is_turned; /* written as -y = semiLinear(-x, downstream, upstream) */
} Link;

static Sym without_sign(const SymPool *p, Sym e, bool *minus)
{
    if (!sym_is(p, e, SYM_NEG)) return e;
    *minus = !*minus;
    return sym_node(p, e)->arg[0];
}

/* Whether an expression chooses one of two slopes by the sign of x, or of -x. */
static bool is_choice(const System *s, Sym choice, Sym x, bool *minus)
{
    const SymPool *p = s->pool;
    if (!sym_is(p, choice, SYM_IF)) return false;
    Sym condition = sym_node(p, choice)->arg[0];
    if (!sym_is(p, condition, SYM_RELATION)) return false;
    const DaeRelation *r = &s->relations.at[sym_node(p, condition)->index];
    *minus = false;
    return r->op == SYM_LE && r->left == SYM_ZERO && without_sign(p, r->right, minus) == x;
}

static bool read_link(const System *s, uint32_t eq, Sym y, Sym product, Link *link)
{
    SymPool *p = s->pool;
    bool minus = false;
    y = without_sign(p, y, &minus);
    product = without_sign(p, product, &minus);
    if (!sym_is(p, y, SYM_VAR) || !sym_is(p, product, SYM_MUL)) return false;
    const Sym factors[2] = { sym_node(p, product)->arg[0], sym_node(p, product)->arg[1] };
    for (int k = 0; k < 2; k++) {
        bool x_minus = false, test_minus;
        Sym x = without_sign(p, factors[!k], &x_minus);
        if (!is_choice(s, factors[k], x, &test_minus)) continue;
        const Sym *choice = sym_node(p, factors[k])->arg;
        bool turned = minus ^ x_minus ^ test_minus;
        *link = (Link){ .eq = eq,
                        .y = y,
                        .relation = choice[0],
                        .upstream = choice[turned ? 2 : 1],
                        .downstream = choice[turned ? 1 : 2],
                        .is_turned = turned };
        link->x = minus ^ x_minus ? sym_one(p, SYM_NEG, x) : x;
        return true;
    }
    return false;
}

typedef struct {
    System *s;
    VEC(Link) at;
    Map from, to; /* by y, x and slope: the link + 1 that leads from or to it */
} Links;

/* Hashes, so what is found is compared again. */
static uint64_t place_of(const Link *l, Sym slope)
{
    return ((uint64_t)l->y * 0x9e3779b97f4a7c15u ^ (uint64_t)l->x * 0xbf58476d1ce4e5b9u) + slope;
}

static Link *neighbour(const Links *l, const Map *map, const Link *of, Sym slope)
{
    uint64_t at;
    if (!map_get(map, place_of(of, slope), &at)) return NULL;
    Link *found = &l->at.at[at - 1];
    bool same = found->y == of->y && found->x == of->x &&
                (map == &l->from ? found->upstream : found->downstream) == slope;
    return same && found != of ? found : NULL;
}

/* A slope is between two links only if it is an unknown that they may give. */
static bool is_open(const System *s, Sym slope)
{
    return sym_is(s->pool, slope, SYM_VAR) &&
           s->vars.at[sym_node(s->pool, slope)->index].role == ROLE_ALGEBRAIC;
}

static Link *next(const Links *l, const Link *of)
{
    return is_open(l->s, of->downstream) ? neighbour(l, &l->from, of, of->downstream) : NULL;
}

static bool is_first(const Links *l, const Link *of)
{
    return !is_open(l->s, of->upstream) || !neighbour(l, &l->to, of, of->upstream);
}

static void set_equation(System *s, uint32_t eq, Sym left, Sym right)
{
    DaeEq *e = &s->eqs.at[eq];
    e->left = left;
    e->right = right;
    e->gradient = sym_gradient(s->pool, sym_two(s->pool, SYM_SUB, left, right), false);
}

static void join_chain(const Links *l, const Link *first)
{
    SymPool *p = l->s->pool;
    const Link *last = first, *link;
    uint32_t length = 1;
    for (; (link = next(l, last)) && length <= l->at.n; length++) last = link;
    if (last == first || length > l->at.n)
        return; /* one equation alone, or a circle, which is left to fail */
    Sym slope = first->is_turned ? sym_if(p, first->relation, last->downstream, first->upstream)
                                 : sym_if(p, first->relation, first->upstream, last->downstream);
    for (link = first; link != last; link = next(l, link))
        set_equation(l->s, link->eq, link->downstream, link == first ? slope : link->upstream);
    set_equation(l->s, last->eq, last->y, sym_two(p, SYM_MUL, slope, last->x));
}

void dae_join_semilinear(Build *b)
{
    Links l = { .s = b->s, .from.arena = b->scratch, .to.arena = b->scratch };
    for (uint32_t i = 0; i < b->equations.n; i++) {
        const DaeEq *eq = &b->s->eqs.at[b->equations.at[i]];
        Link link;
        if (!read_link(b->s, b->equations.at[i], eq->left, eq->right, &link) &&
            !read_link(b->s, b->equations.at[i], eq->right, eq->left, &link))
            continue;
        bool is_new;
        vec_push(b->scratch, &l.at, link);
        *map_put(&l.from, place_of(&link, link.upstream), &is_new) = l.at.n;
        *map_put(&l.to, place_of(&link, link.downstream), &is_new) = l.at.n;
    }
    for (uint32_t i = 0; i < l.at.n; i++)
        if (is_first(&l, &l.at.at[i])) join_chain(&l, &l.at.at[i]);
}
