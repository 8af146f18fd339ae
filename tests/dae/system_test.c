/* What the passes make of small systems: states, index, blocks, tearing; and how wrong systems are
 * explained. */
#include "test.h"

#include "dae/dae.h"
#include "dae/mini.h"

static const struct {
    const char *text;
    uint32_t states, index, aliases, torn, largest;
} shapes[] = {
    { "Real x; equation der(x) = -x;", 1, 1, 0, 0, 1 },
    { "Real x, y; equation der(x) = y; 0 = x + y + y^3;", 1, 1, 0, 1, 1 },
    /* what a number is divided by needs no iteration */
    { "Real x, y; equation der(x) = y; 2 + x = 3/y;", 1, 1, 0, 0, 1 },
    { "Real x, y, u, v; equation der(x) = u; der(y) = v; x = 2*y; u + v = time;", 1, 2, 0, 1, 4 },
    /* the circuit of the lecture: source, R, L, C: everything becomes explicit assignments */
    { "parameter Real R=1, L=1, C=1; Real u0, uR, uL, uC, iR, iL, iC; equation u0 = sin(time); uR = R*iR; "
      "L*der(iL) = uL; "
      "C*der(uC) = iC; u0 = uR + uC; iC = iR; uL = u0; ",
      2, 1, 2, 0, 1 },
    /* three resistors: a loop of five equations without the alias, torn with one variable */
    { "parameter Real R1=1, R2=2, R3=3; Real u1, u2, u3, i1, i2, i3, u0, iL; equation u0 = 1; u1 = R1*i1; u2 "
      "= R2*i2; u3 = "
      "R3*i3; u2 = u3; i1 = i2 + i3; u0 = u1 + u3; der(iL) = u0;",
      1, 1, 1, 1, 5 },
    /* a capacitor of no capacity is no state, by way of a variable too */
    { "parameter Real C=0, R=2; Real v, i; equation C*der(v) = i; R*i = sin(time) - v;", 0, 1, 0, 0, 1 },
    { "parameter Real C=0; Real v, i, q, x(start=1); equation q = C*exp(v); q*der(v) + i = 0; i = sin(time) "
      "- v; "
      "der(x) = -x;",
      1, 1, 0, 0, 1 },
    /* by a condition of parameters, or a value that is zero only as a whole */
    { "parameter Real on=0, f=1; Real v, i, q; equation q = if on > 0.5 then v/on else 0; (q + (1 - "
      "f)*v)*der(v) = i; 2*i = sin(time) - v;",
      0, 1, 0, 0, 1 },
    /* a resistor of no resistance between capacitors is a constraint */
    { "parameter Real R=0; Real v(start=1), w, i; equation der(v) = -i; der(w) = i - w; R*i = v - w;", 1, 2,
      0, 1, 3 },
    /* three springs that meet: where they do was given a start value, and forces follow from
     * that */
    { "parameter Real c=20; Real x, y, p1(start=0.2), q1(start=-0.2), p2, q2, p3, q3, s1, s2, s3, e1, g1, "
      "e2, g2, e3, g3, f1, f2, f3; equation p1 = x + 0.3; q1 = y; p2 = x - 0.3; q2 = y; p3 = x - "
      "0.5*sin(time); q3 = y + 1; s1 = sqrt(p1^2 + q1^2); s2 = sqrt(p2^2 + q2^2); s3 = sqrt(p3^2 + q3^2); "
      "e1 = p1/s1; g1 = q1/s1; e2 = p2/s2; g2 = q2/s2; e3 = p3/s3; g3 = q3/s3; f1 = c*(s1 - 0.1); f2 = "
      "c*(s2 - 0.1); f3 = c*(s3 - 0.1); e1*f1 + e2*f2 + e3*f3 = 0; g1*f1 + g2*f2 + g3*f3 = 0;",
      0, 1, 2, 2, 18 },
    /* start values of zero are none */
    { "parameter Real c=20; Real x, y, p1(start=0.2), q1(start=-0.2), p2, q2, p3, q3, s1(start=0), "
      "s2(start=0), s3(start=0), e1, g1, "
      "e2, g2, e3, g3, f1, f2, f3; equation p1 = x + 0.3; q1 = y; p2 = x - 0.3; q2 = y; p3 = x - "
      "0.5*sin(time); q3 = y + 1; s1 = sqrt(p1^2 + q1^2); s2 = sqrt(p2^2 + q2^2); s3 = sqrt(p3^2 + q3^2); "
      "e1 = p1/s1; g1 = q1/s1; e2 = p2/s2; g2 = q2/s2; e3 = p3/s3; g3 = q3/s3; f1 = c*(s1 - 0.1); f2 = "
      "c*(s2 - 0.1); f3 = c*(s3 - 0.1); e1*f1 + e2*f2 + e3*f3 = 0; g1*f1 + g2*f2 + g3*f3 = 0;",
      0, 1, 2, 2, 18 },
    /* the Cartesian pendulum: two tearing variables for each dynamic state set, one for the
     * force */
    { "Real x(start=0.8), y(start=0.6), vx, vy, F; equation der(x) = vx; der(y) = vy; der(vx) = -F*x; "
      "der(vy) = -F*y - "
      "9.81; x^2 + y^2 = 1;",
      2, 3, 0, 5, 5 },
};

/* Where initial equations say that derivatives are zero, what is in proportion to them is gone from
 * the equations at the start: two volumes are solved one after the other. */
static void test_at_rest(void)
{
    static const char *const texts[] = {
        "Real p(start=1, stateSelect=StateSelect.prefer), q(start=1, stateSelect=StateSelect.prefer), m, n, "
        "V, "
        "f, g; equation V = 2; m = V*p^2; n = q^3; der(m) = 2 - f; der(n) = f - g; f = sqrt(p - q); g = "
        "sqrt(q); initial equation der(p) = 0; der(q) = 0;",
        "function d input Real p; output Real r; algorithm r := p^3 + p; annotation(derivative=d1); end d; "
        "function d1 input Real p; input Real p1; output Real r1; algorithm r1 := (3*p^2 + 1)*p1; end d1; "
        "Real p(start=1, stateSelect=StateSelect.prefer), q(start=1, stateSelect=StateSelect.prefer), m, n, "
        "f, g; equation m = d(p); n = d(q); der(m) = 2 - f; der(n) = f - g; f = sqrt(p - q); g = sqrt(q); "
        "initial equation der(p) = 0; der(q) = 0;"
    };
    for (size_t k = 0; k < COUNT_OF(texts); k++) {
        Mini *m = mini_new(texts[k]);
        System *s = dae_build(m->flat, m->arena, &m->diag);
        uint32_t largest = 0;
        for (uint32_t b = 0; s && b < s->initial.blocks.n; b++)
            if (s->initial.blocks.at[b].n > largest) largest = s->initial.blocks.at[b].n;
        if (!CHECK(largest == 1)) printf("  %u: %s\n", largest, texts[k]);
        mini_free(m);
    }
}

/* Sizes of blocks in this table are those that came out once they were confirmed by hand. */
static void test_shapes(void)
{
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        Mini *m = mini_new(shapes[i].text);
        System *s = dae_build(m->flat, m->arena, &m->diag);
        if (!CHECK_ROW(s, shapes[i].text)) {
            printf("%s\n", mini_errors(m));
            continue;
        }
        bool ok = CHECK_ROW(s->states.n == shapes[i].states, "states") &&
                  CHECK_ROW(s->stats.index == shapes[i].index, "index");
        ok &= CHECK_ROW(s->stats.aliases == shapes[i].aliases, "aliases");
        ok &= CHECK_ROW(s->stats.torn == shapes[i].torn, "torn");
        ok &= CHECK_ROW(s->stats.largest == shapes[i].largest, "largest");
        if (!ok) {
            Text out = { .arena = m->arena };
            dae_print(s, &out);
            printf("  in row: %s\n%s", shapes[i].text, out.at);
        }
        mini_free(m);
    }
}

/* Parameters whose zeros made the structure cannot be set any more; others can, whatever their
 * value. */
static void test_held(void)
{
    static const struct {
        const char *text;
        bool is_held;
    } rows[] = {
        { "parameter Real R=0; Real v(start=1), w, i; equation der(v) = -i; der(w) = i - w; R*i = v - w;",
          true },
        { "parameter Real R=0.1; Real v(start=1), w, i; equation der(v) = -i; der(w) = i - w; R*i = v - w;",
          false },
        { "parameter Real R=0; Real v, i; equation der(i) = sin(time) - v; R*i = v;", false },
        /* nothing else would give i: as it is, whatever that means */
        { "parameter Real R=0; Real v, i; equation der(v) = -v; R*i = v;", false },
    };
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        Mini *m = mini_new(rows[k].text);
        System *s = dae_build(m->flat, m->arena, &m->diag);
        for (uint32_t v = 0; CHECK_ROW(s, rows[k].text) && v < s->vars.n; v++)
            if (!strcmp(s->vars.at[v].name, "R"))
                CHECK_ROW((s->vars.at[v].role == ROLE_CONSTANT) == rows[k].is_held, rows[k].text);
        mini_free(m);
    }
}

static const struct {
    const char *text;
    Code code;
    const char *says;
} wrong[] = {
    { "Real x, y; equation der(x) = y;", E_SINGULAR, "2 unknowns, but 1 equation for them: 'x', 'y'" },
    { "Real x, y; equation der(x) = 1;", E_SINGULAR, "nothing determines 'y'" },
    { "Real x, y; equation x = 1; x = time; y = 2*x;", E_SINGULAR, "2 equations for 1 unknown" },
    { "Real x, y, z; equation x + y = 1; x - y = 2; 2*x + y = 3; z = z*2 + 1;", E_SINGULAR,
      "3 equations for 2 unknowns" },
    { "parameter Real a = b; parameter Real b = a; Real x; equation x = a;", E_LOOP, "depends on itself" },
    { "Real x(start=1, fixed=true), y(start=2, fixed=true); equation der(x) = -x; y = 2*x;", E_REDUNDANT,
      "at the start" },
    { "Boolean b; Real x; equation x = if b then 1 else 2;", E_SINGULAR, "nothing determines 'b'" },
    { "Boolean b, c; equation b = not c; c = b and time > 1;", E_LOOP, "depends on itself" },
    { "parameter Real p; Real x; equation x = p;", E_PARAMETER_VALUE, "has no value" },
    { "Real x, y; equation x + y = 1; x + y = time;", E_CONTRADICTION, "contradict each other" },
    /* unknowns that conditions read do not cancel in a sum of equations, though their factors do:
     * no constraint between x and y */
    { "Real x, y, a, b; equation a + b = x + noEvent(if a > 0.5 then 1 else 2); "
      "a + b = y + noEvent(if a > 0.5 then 0 else 3); der(x) = a; der(y) = b;",
      E_CONTRADICTION, "contradict each other" },
    /* contradictory only once the constraint is differentiated: no number of derivatives helps */
    { "Real x, y; equation der(x) + der(y) = 1; x + y = sin(time);", E_CONTRADICTION,
      "'der(y)', 'der(x)' open" },
    { "parameter Real p = 2; Real x, y; equation p*x + y = time; 2*x + y = time;", E_DEPENDENT,
      "depend on each other" },
    { "Real x, y, a; equation a + sin(a) = time; x + y = a; x + y = 2*a - a;", E_DEPENDENT,
      "depend on each other" },
    { "parameter Real p(fixed=false); Real x(start=1, fixed=true); equation der(x) = -p*x;", E_INITIAL,
      "2 unknowns, but 1 equation for them at the start" },
    { "Real x(start=1, fixed=true); initial equation x = 2; equation der(x) = -x;", E_INITIAL,
      "contradict each other: 1 here, 2 from the others" },
    { "Real x; equation x = time/0;", E_ZERO_DIVISOR, "division by a constant that is zero" },
    { "constant Real c = 0; parameter Real p = 1/c; Real x; equation x = p;", E_ZERO_DIVISOR, "of 'p'" },
    { "Real x(start=1); equation der(x) = x;", E_START_USED, "start values are used for 1" },
};

static void test_wrong(void)
{
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Mini *m = mini_new(wrong[i].text);
        System *s = dae_build(m->flat, m->arena, &m->diag);
        CHECK_ROW(!s == (m->diag.errors > 0), wrong[i].text);
        bool found = false;
        for (uint32_t k = 0; k < m->diag.notes.n; k++)
            found |= m->diag.notes.at[k]->code == wrong[i].code &&
                     strstr(m->diag.notes.at[k]->text, wrong[i].says);
        if (!CHECK_ROW(found, wrong[i].text)) printf("%s\n", mini_errors(m));
        mini_free(m);
    }
}

/* The R-L-C circuit of the lecture, with all names of its connectors: sorted, it is seven explicit
 * assignments. */
static void test_lecture(void)
{
    Mini *m = mini_new(
        "parameter Real R=1, L=1, C=1; Real u0, uR, uL, uC(start=0, fixed=true), i0, iR, iL(start=0, "
        "fixed=true), iC; equation u0 = sin(time); uR = R*iR; L*der(iL) = uL; C*der(uC) = iC; u0 = uR "
        "+ uC; uL = uR + uC; iC = iR; i0 = iR + iL;");
    System *s = dae_build(m->flat, m->arena, &m->diag);
    if (CHECK(s)) {
        CHECK(s->states.n == 2 && s->stats.index == 1 && s->stats.aliases == 1);
        CHECK(s->continuous.blocks.n == 7 && s->continuous.assigns.n == 7 && s->continuous.tears.n == 0);
    }
    mini_free(m);
}

/* What is the result of a formula is computed by it: of a heat exchanger of eleven cells nothing is
 * guessed but the pressure and the enthalpies, and no density comes out of an average. */
static void test_formulas(void)
{
    enum { CELLS = 11 };
    Text text = { .arena = arena_new() };
    text_printf(&text, "Real p(start=1e5), y(start=0, fixed=true), dM0");
    for (int i = 0; i <= CELLS; i++)
        text_printf(&text, ", h%d(start=2e5), d%d, T%d, mu%d, w%d(start=1)", i, i, i, i, i);
    for (int i = 1; i <= CELLS; i++)
        text_printf(&text, ", r%d, g%d, Q%d, Tw%d(start=400), dM%d", i, i, i, i, i);
    text_printf(&text,
                "; equation der(y) = w0; h0 = 1e5; w0 = 1e-5*(2e5 - p); w%d = 1e-5*(p - 1e5); dM0 = 0;",
                CELLS);
    for (int i = 0; i <= CELLS; i++)
        text_printf(&text, "d%d = p/(287*T%d); T%d = h%d/1000 + 5*log(h%d/1e5); mu%d = sqrt(T%d)*d%d^0.1;", i,
                    i, i, i, i, i, i, i);
    for (int i = 1; i <= CELLS; i++)
        text_printf(
            &text,
            "r%d = (d%d + d%d)/2; g%d = 300*((w%d^2 + 1e-4)/mu%d)^0.4; dM%d = dM%d + 1e-9*r%d*(h%d - h%d); "
            "w%d = w0 - dM%d; w%d*(h%d - h%d) = Q%d; Q%d = g%d*(Tw%d - T%d); Q%d = 2000*(900 - Tw%d);",
            i, i - 1, i, i, i, i, i, i - 1, i, i, i - 1, i, i, i - 1, i, i - 1, i, i, i, i, i, i, i);
    Mini *m = mini_new(text.at);
    System *s = dae_build(m->flat, m->arena, &m->diag);
    if (CHECK(s)) {
        CHECK(s->continuous.tears.n == CELLS + 1);
        for (uint32_t k = 0; k < s->continuous.tears.n; k++) {
            const char *name = s->vars.at[s->continuous.tears.at[k]].name;
            CHECK_ROW(*name == 'h' || *name == 'p', name);
        }
    }
    mini_free(m);
    arena_free(text.arena);
}

/* Aliases: the fixed start value counts, signs are followed, and results know them. */
static void test_alias(void)
{
    Mini *m =
        mini_new("Real a(start=1), b(start=2, fixed=true), c; equation a = -b; b + c = 0; der(a) = -a;");
    System *s = dae_build(m->flat, m->arena, &m->diag);
    if (CHECK(s)) {
        CHECK(s->stats.aliases == 2 && s->states.n == 1);
        const DaeVar *state = &s->vars.at[s->states.at[0]];
        CHECK(state->is_fixed);
        CHECK(s->alias[0].is_negated != s->alias[1].is_negated &&
              s->alias[0].is_negated == s->alias[2].is_negated);
    }
    mini_free(m);
}

/* stateSelect decides which of two equal candidates becomes the state. */
static void test_select(void)
{
    static const struct {
        const char *x, *y, *state;
    } rows[] = { { "prefer", "default", "x" },
                 { "default", "prefer", "y" },
                 { "avoid", "default", "y" },
                 { "always", "prefer", "x" },
                 { "never", "avoid", "y" } };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Arena *a = arena_new();
        Mini *m = mini_new(
            arena_printf(a,
                         "Real x(stateSelect=StateSelect.%s), y(stateSelect=StateSelect.%s), u, v; equation "
                         "der(x) = u; der(y) = v; x = 2*y; u + v = time;",
                         rows[i].x, rows[i].y));
        System *s = dae_build(m->flat, m->arena, &m->diag);
        if (CHECK(s && s->states.n == 1)) CHECK_TEXT(s->vars.at[s->states.at[0]].name, rows[i].state);
        mini_free(m);
        arena_free(a);
    }
}

/* The verifier sees what a wrong pass would leave: an order, a link, an equation used twice. */
static void test_verifier(void)
{
    for (int k = 0; k < 4; k++) {
        Mini *m = mini_new("Real x, y, z; equation y = 2*x + time; z = y^2 + y; der(x) = z;");
        System *s = dae_build(m->flat, m->arena, &m->diag);
        if (CHECK(s)) {
            CHECK_TEXT(dae_verify(s), NULL);
            DaeAssign *a = s->continuous.assigns.at, first = a[0];
            if (k == 0) a[0] = a[2], a[2] = first;
            if (k == 1) a[1].eq = a[0].eq;
            if (k == 2) s->vars.at[s->states.at[0]].state = 7;
            if (k == 3) a[2].var = a[1].var;
            CHECK(dae_verify(s) != NULL);
        }
        mini_free(m);
    }
}

int main(void)
{
    test_shapes();
    test_at_rest();
    test_held();
    test_wrong();
    test_lecture();
    test_formulas();
    test_verifier();
    test_alias();
    test_select();
    return test_end();
}
