/* Equal expressions are one node; simplification keeps every value and never fills a gap in a
 * domain; derivatives agree with differences. */
#include "dae/inside.h"
#include "test.h"

static SymPool *p;
static Sym var(uint32_t i) { return sym_leaf(p, SYM_VAR, i); }
static Sym num(double x) { return sym_real(p, x); }
static Sym two(SymOp op, Sym a, Sym b) { return sym_two(p, op, a, b); }
static Sym one(SymOp op, Sym a) { return sym_one(p, op, a); }

static void test_simplify(void)
{
    Sym x = var(0), y = var(1), quotient = two(SYM_DIV, num(1), x);
    CHECK(two(SYM_ADD, x, y) == two(SYM_ADD, x, y));
    CHECK(two(SYM_MUL, x, y) == two(SYM_MUL, y, x));
    CHECK(two(SYM_ADD, x, SYM_ZERO) == x && two(SYM_MUL, x, SYM_ONE) == x && two(SYM_DIV, x, SYM_ONE) == x);
    CHECK(two(SYM_MUL, x, SYM_ZERO) == SYM_ZERO && two(SYM_SUB, x, x) == SYM_ZERO);
    CHECK(one(SYM_NEG, one(SYM_NEG, x)) == x);
    CHECK(two(SYM_ADD, num(2), num(3)) == num(5));
    /* 0/x, x/x and 0*(1/x) have no value at x = 0 */
    CHECK(two(SYM_MUL, SYM_ZERO, quotient) != SYM_ZERO);
    CHECK(two(SYM_SUB, quotient, quotient) != SYM_ZERO);
    CHECK(two(SYM_DIV, x, x) != SYM_ONE);
    CHECK(two(SYM_DIV, num(1), SYM_ZERO) != num(INFINITY));
    CHECK(two(SYM_POW, one(SYM_LOG, x), SYM_ZERO) != SYM_ONE);
    CHECK(sym_if(p, SYM_ONE, x, y) == x && sym_if(p, y, x, x) == x);
}

static void test_gradient(void)
{
    Sym x = var(0), y = var(1);
    static const uint8_t ones[] = { SYM_NEG,  SYM_ABS,  SYM_SQRT, SYM_SIN,  SYM_COS,
                                    SYM_TAN,  SYM_ASIN, SYM_ACOS, SYM_ATAN, SYM_SINH,
                                    SYM_COSH, SYM_TANH, SYM_EXP,  SYM_LOG,  SYM_LOG10 };
    static const uint8_t twos[] = {
        SYM_ADD, SYM_SUB, SYM_MUL, SYM_DIV, SYM_POW, SYM_ATAN2, SYM_MIN, SYM_MAX
    };
    Sym roots[64];
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(ones); i++)
        roots[n++] = one((SymOp)ones[i], two(SYM_MUL, x, one(SYM_SIN, y)));
    for (size_t i = 0; i < COUNT_OF(twos); i++)
        roots[n++] = two((SymOp)twos[i], two(SYM_ADD, x, y), two(SYM_MUL, x, y));
    roots[n++] = sym_if(p, two(SYM_LT, x, y), two(SYM_MUL, x, y), y);
    for (size_t i = 0; i < n; i++) {
        double at[2] = { 0.6, 0.9 };
        Gradient g = sym_gradient(p, roots[i], false);
        CHECK(g.n == 2);
        for (uint32_t k = 0; k < g.n; k++) {
            uint32_t v = g.at[k].var;
            double h = 1e-5, keep = at[v], exact = dae_evaluate(p, g.at[k].value, at);
            at[v] = keep + h;
            double up = dae_evaluate(p, roots[i], at);
            at[v] = keep - h;
            double down = dae_evaluate(p, roots[i], at);
            at[v] = keep;
            if (!CHECK_NEAR(exact, (up - down) / (2 * h), 1e-8))
                printf("  expression %zu, variable %u\n", i, (unsigned)v);
        }
        /* the rate along (2, -1) is the gradient times it */
        Sym rate[2] = { num(2), num(-1) };
        double along = dae_evaluate(p, sym_rate(p, roots[i], rate, SYM_ONE), at), sum = 0;
        for (uint32_t k = 0; k < g.n; k++) sum += dae_evaluate(p, g.at[k].value, at) * (g.at[k].var ? -1 : 2);
        CHECK_NEAR(along, sum, 1e-12);
    }
}

/* What a branch that is not taken would give, infinite or not a number, does not spoil the
 * derivative; a node that two branches share counts when either is taken. */
static void test_branches(void)
{
    Sym x = var(0), root = one(SYM_SQRT, x), below = two(SYM_LT, x, num(0)), at_zero = two(SYM_LE, x, num(0));
    Sym inner = sym_if(p, at_zero, num(7), two(SYM_MUL, root, x));
    Sym cases[] = {
        sym_if(p, below, root, two(SYM_MUL, num(3), x)),
        sym_if(p, two(SYM_LT, num(1), x), root, sym_if(p, two(SYM_LT, num(0.5), x), one(SYM_EXP, root), x)),
        two(SYM_ADD, x, inner),
        sym_if(p, at_zero, x, two(SYM_DIV, inner, x)),
    };
    static const double want[][2] = { { 3, 3 }, { 1, 1 }, { 1, 1 + 1.5 * 0.5 }, { 1, 1 } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Gradient g = sym_gradient(p, cases[i], false);
        CHECK(g.n == 1);
        double at[2] = { 0, 0.25 };
        for (size_t k = 0; k < 2; k++)
            if (!CHECK_NEAR(dae_evaluate(p, g.at[0].value, &at[k]), want[i][k], 1e-12))
                printf("  expression %zu at %g\n", i, at[k]);
    }
}

/* A sum of 100,000 terms: no recursion, no square of its length. */
static void test_long(void)
{
    enum { TERMS = 100000 };
    Sym sum = SYM_ZERO;
    for (uint32_t i = 0; i < TERMS; i++) sum = two(SYM_ADD, sum, two(SYM_MUL, num(i + 1.0), var(i)));
    Gradient g = sym_gradient(p, sum, false);
    CHECK(g.n == TERMS);
    double last = 0;
    for (uint32_t k = 0; k < g.n; k++)
        if (g.at[k].var == TERMS - 1) CHECK(sym_is_real(p, g.at[k].value, &last) && last == TERMS);
}

int main(void)
{
    Arena *arena = arena_new();
    p = sym_pool_new(arena);
    test_simplify();
    test_gradient();
    test_branches();
    test_long();
    arena_free(arena);
    return test_end();
}
