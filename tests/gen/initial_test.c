/* Initial values: fixed start values, initial equations, free parameters, guesses, and what is
 * wrong with them. */
#include "gen/world.h"

static const struct {
    const char *text, *name;
    double want;
} rows[] = {
    { "Real x(start=3); equation der(x) = -x;", "x", 3 },
    { "Real x(start=0); equation der(x) = 4 - x^2; initial equation der(x) = 0;", "der(x)", 0 },
    { "Real x(start=1); equation der(x) = 4 - x^2; initial equation der(x) = 0;", "x", 2 },
    { "Real x(start=-1); equation der(x) = 4 - x^2; initial equation der(x) = 0;", "x", -2 },
    { "parameter Real p(fixed=false, start=1); Real x(start=2, fixed=true); equation der(x) = p - x^2; "
      "initial equation "
      "der(x) = 0;",
      "p", 4 },
    { "Real x, y(start=5, fixed=true); equation der(x) = -x; y = 2*x + 1;", "x", 2 },
    { "Boolean b(start=true), c; Real x(start=0, fixed=true); equation der(x) = 1; c = pre(b); when x > 3 "
      "then b = false; "
      "end when;",
      "c", 1 },
    { "discrete Real d; Real x(start=0, fixed=true); equation der(x) = d; when x > 3 then d = 2; end when; "
      "initial "
      "equation pre(d) = 7;",
      "d", 7 },
    /* a discrete variable that begins with what a continuous one is */
    { "discrete Real d; Real x(start=0, fixed=true), u; equation der(x) = 1; u = cos(x) + 4; when x > 3 then "
      "d = "
      "u; end when; initial equation d = u;",
      "d", 5 },
    /* a free parameter without a condition keeps its start value */
    { "parameter Real p(fixed=false, start=4); Real x(start=0, fixed=true); equation der(x) = p;", "p", 4 },
    /* one that others are computed from, which are in the equations */
    { "parameter Real p(fixed=false, start=1), q = 2*p, r = q + 1; Real x(start=2, fixed=true); equation "
      "der(x) = r - x^2; initial equation der(x) = 0;",
      "p", 1.5 },
    { "parameter Real p(fixed=false, start=4), q(start=9) = p + 1; Real x(start=0, fixed=true); equation "
      "der(x) = q;",
      "der(x)", 5 },
    { "Real x; equation der(x) = -x; initial algorithm x := 2; x := 3*x;", "x", 6 },
    { "Integer k; Real x(start=0, fixed=true); equation der(x) = k; when x > 9 then k = 1; end when; initial "
      "algorithm k := "
      "4;",
      "k", 4 },
    { "Real x(start=2, fixed=true), y(start=1); equation der(x) = y; y^2 = x;", "y", 1.4142135623730951 },
    /* what follows from derivatives that are zero; and where two of them say the same */
    { "Real p(start=1, stateSelect=StateSelect.prefer), m, f; equation m = p^2; der(m) = 2 - f; f = p^3/4; "
      "initial equation der(p) = 0;",
      "p", 2 },
    { "Real x(start=3), y, u; equation x = 2*y; der(y) = u - y; u = 3; initial equation der(x) = 0; der(y) = "
      "0;",
      "x", 6 },
    /* the start value of what is to stand still is a guess */
    { "Real x(start=1), y(start=5); equation der(x) = y - x; der(y) = -y; initial equation der(x) = 0;", "x",
      5 },
    /* an initial algorithm that asks for what is known only once a free parameter is */
    { "function pick input Integer k; output Real y; protected Real t[3]; algorithm t := {10, 20, 30}; y := "
      "t[k]; end pick; parameter Real off(fixed=false); Real u = time + off; Integer k(start=0); discrete "
      "Real z; initial algorithm off := 2.5; initial algorithm for i in 1:3 loop if u < i + 1 and u >= i "
      "then k := i; end if; end for; z := pick(k); equation when time > 9 then k = pre(k) - 1; z = pick(k); "
      "end when;",
      "z", 20 },
    /* a product that is flat in one factor while the other has no guess */
    { "Real a, b, c; equation a*b = 6; c = b - 1; c = 2 + 0*a;", "a", 2 },
    /* one equation that is flat around its guess */
    { "Real h(start=1, min=0), x; equation x = if noEvent(h < 400) then 0 else if noEvent(h > 2400) then 1 "
      "else "
      "(h - 400)/2000; x = 0.95;",
      "h", 2300 },
    { "Real h(start=90, min=0, max=100), x; equation x = if noEvent(h < 4) then 0 else if noEvent(h > 24) "
      "then "
      "1 else (h - 4)/20; x = 0.95;",
      "h", 23 },
    /* a frame that is larger than the usual stack */
    { "function f input Real x; output Real y; protected Real a[150000]; algorithm a[1] := x; a[150000] := "
      "2*x; y := a[1] + a[150000]; end f; Real z(start=1); equation z^2 + f(z) = 10;",
      "z", 2 },
};

/* Relations that are known only once what is before a block is solved: five blocks one after the
 * other, each with more of them than are tried, and without a solution while they are wrong. */
static void test_learn(void)
{
    enum { STAGES = 5, RELATIONS = 14 };
    Text text = { 0 };
    Arena *arena = arena_new();
    text.arena = arena;
    text_printf(&text, "Real y0(start=1, fixed=true)");
    for (int k = 1; k <= STAGES; k++) {
        text_printf(&text, ", y%d(start=1)", k);
        for (int j = 0; j < RELATIONS; j++) text_printf(&text, ", c%d_%d", k, j);
    }
    text_printf(&text, "; equation der(y0) = 0;");
    for (int k = 1; k <= STAGES; k++) {
        for (int j = 0; j < RELATIONS; j++) text_printf(&text, " c%d_%d = y%d + %d;", k, j, k - 1, j);
        text_printf(&text, " (if true");
        for (int j = 0; j < RELATIONS; j++) text_printf(&text, " and c%d_%d > 0.5", k, j);
        text_printf(&text, " then y%d^3 + y%d else 0*y%d - 1) = 10;", k, k, k);
    }
    Run r;
    if (CHECK(run_open(&r, text.at, IR_AUTO)) && CHECK(run_start(&r, 0)))
        CHECK_NEAR(run_value(&r, "y5"), 2, 1e-12);
    run_close(&r);
    arena_free(arena);
}

/* More conditions than unknowns: what the others imply is checked, and what contradicts them is
 * named with both numbers. */
static void test_redundant(void)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "Real x(start=1, fixed=true), y(start=2, fixed=true); equation der(x) = -x; y = 2*x;", NULL },
        { "parameter Real p=2; Real x(start=1, fixed=true), y(start=3, fixed=true); equation der(x) = -x; y "
          "= p*x;",
          "the fixed start value of 'y' asks for 3, the others give 2" },
        { "Real x(start=1, fixed=true); equation der(x) = -x; initial equation x = 1;", NULL },
        { "parameter Real p=1; Real x(start=1, fixed=true); equation der(x) = -x; initial equation x = 2*p;",
          "the fixed start value of 'x' asks for 1, the others give 2" },
        { "parameter Real p=3; Real x; equation der(x) = -x; initial equation x = 2; x = p;",
          "the initial equation with 'x'" },
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Run r;
        if (!CHECK_ROW(run_open(&r, cases[i].text, IR_AUTO), cases[i].text)) continue;
        EvalStatus status = r.model->type->initialise(r.model, 0, r.y, &r.info);
        CHECK_ROW((status == EVAL_OK) == !cases[i].says, cases[i].text);
        if (cases[i].says)
            if (!CHECK_ROW(strstr(r.model->type->failure(r.model), cases[i].says), cases[i].text))
                printf("  %s\n", r.model->type->failure(r.model));
        run_close(&r);
    }
}

static bool at_once(void *arg)
{
    ++*(int *)arg;
    return true;
}

/* Who watches is asked while equations are solved together, initial ones and those of an event, and
 * may end that. */
static void test_watch(void)
{
    static const char text[] = "Real x(start=2, fixed=true), y(start=1); equation der(x) = y; y^3 + y = x;";
    Run r;
    int asked = 0;
    if (!CHECK(run_open(&r, text, IR_AUTO))) return;
    const ModelType *type = r.model->type;
    type->set_interrupt(r.model, at_once, &asked);
    CHECK(type->initialise(r.model, 0, r.y, &r.info) == EVAL_FATAL && asked > 0);
    type->set_interrupt(r.model, NULL, NULL);
    asked = 0;
    CHECK(run_start(&r, 0) && asked == 0);
    type->set_interrupt(r.model, at_once, &asked);
    CHECK(type->event(r.model, 0, r.y, &r.info) == EVAL_FATAL && asked > 0);
    run_close(&r);
}

static void test_set(void)
{
    Run r;
    if (!CHECK(run_open(
            &r,
            "parameter Real a = 2; parameter Real b = 3*a; input Real u; Real x(start=a, fixed=true), y; "
            "equation der(x) = b; y = x + u;",
            IR_AUTO)))
        return;
    const char *why;
    Model *m = r.model;
    CHECK(m->type->set(m, run_find(&r, "a"), 5, &why));
    CHECK(m->type->set(m, run_find(&r, "u"), 0.5, &why));
    CHECK(run_start(&r, 0));
    CHECK_NEAR(run_value(&r, "b"), 15, 0);
    CHECK_NEAR(run_value(&r, "y"), 5.5, 0);
    CHECK(!m->type->set(m, run_find(&r, "a"), 6, &why) && why);
    CHECK(m->type->set(m, run_find(&r, "u"), 1.5, &why));
    CHECK_NEAR(run_value(&r, "y"), 6.5, 0);
    Model *other = gen_instance(r.compiled);
    double y[1];
    CHECK(other->type->initialise(other, 0, y, &r.info) == EVAL_OK && y[0] == 2);
    gen_instance_free(other);
    other = gen_instance(r.compiled);
    CHECK(other->type->set(other, run_find(&r, "x"), 9, &why));
    CHECK(other->type->initialise(other, 0, y, &r.info) == EVAL_OK && y[0] == 9);
    gen_instance_free(other);
    run_close(&r);
}

/* f is pure: the same arguments give the same bits, whatever was evaluated between; and instances
 * do not share. */
static void test_pure(void)
{
    Run r;
    const char *text = "Real x(start=2, fixed=true), y(start=1); equation der(x) = y; y^3 + y = x;";
    if (!CHECK(run_open(&r, text, IR_AUTO)) || !CHECK(run_start(&r, 0))) return;
    double f[3], y;
    static const double at[] = { 2, 500, 2 };
    for (int k = 0; k < 3; k++) CHECK(r.model->type->derivatives(r.model, 0, &at[k], &f[k]) == EVAL_OK);
    CHECK(f[0] == f[2] && fabs(f[1] * f[1] * f[1] + f[1] - 500) < 1e-10);
    Model *other = gen_instance(r.compiled);
    CHECK(other->type->initialise(other, 0, &y, &r.info) == EVAL_OK);
    CHECK(other->type->derivatives(other, 0, &at[1], &f[0]) == EVAL_OK);
    CHECK(r.model->type->derivatives(r.model, 0, &at[0], &f[1]) == EVAL_OK && f[1] == f[2]);
    gen_instance_free(other);
    run_close(&r);
}

int main(void)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Run r;
        if (!CHECK_ROW(run_open(&r, rows[i].text, IR_AUTO), rows[i].text)) continue;
        CHECK_ROW(run_start(&r, 0), rows[i].text);
        if (!CHECK_NEAR(run_value(&r, rows[i].name), rows[i].want, 1e-12))
            printf("  in row: %s\n", rows[i].text);
        run_close(&r);
    }
    test_learn();
    test_redundant();
    test_watch();
    test_set();
    test_pure();
    return test_end();
}
