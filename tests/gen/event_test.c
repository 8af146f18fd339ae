/* Events: relations, when-clauses, samples, reinit, if-equations, algorithms, whole-number
 * functions. */
#include "gen/world.h"

static const struct {
    const char *text;
    double t_end;
    const char *name;
    double want, tolerance;
    int events; /* -1: not counted */
} rows[] = {
    /* a relation with time is a time event, stepped to exactly */
    { "Real x(start=0, fixed=true); equation der(x) = if time < 0.5 then 1 else 3;", 1, "x", 2, 1e-12, 1 },
    /* a relation with a state is found as a root */
    { "Real x(start=0, fixed=true); equation der(x) = if x < 1 then 1 else 2;", 2, "x", 3, 1e-9, 1 },
    /* noEvent makes no event */
    { "Real x(start=0, fixed=true); equation der(x) = noEvent(if x < -1 then 1 else 2);", 1, "x", 2, 1e-9,
      0 },
    /* the bouncing ball: the first three flights without loss; the height after a time between
     * bounces */
    { "Real h(start=1, fixed=true), v(start=0, fixed=true); equation der(h) = v; der(v) = -9.81; when h < 0 "
      "then "
      "reinit(v, -0.5*pre(v)); end when;",
      0.8, "v", 9.81 * 0.4515236409857309 * 0.5 - 9.81 * (0.8 - 0.4515236409857309), 1e-7, -1 },
    /* sample counts; pre holds the value before */
    { "Integer n(start=0, fixed=true); Real x(start=0, fixed=true); equation der(x) = n; when sample(0.25, "
      "0.5) then n "
      "= pre(n) + 1; end when;",
      2, "n", 4, 0, 4 },
    { "Integer n(start=0, fixed=true); equation when sample(0, 1) then n = pre(n) + 1; end when;", 3.5, "n",
      4, 0, -1 },
    /* elsewhen: only the first that fires acts */
    { "Real x(start=0, fixed=true); Integer k(start=0); equation der(x) = 1; when x > 0.5 then k = 1; "
      "elsewhen x > 0.7 "
      "then k = 2; end when;",
      1, "k", 2, 0, 2 },
    /* a when-clause does not fire at the start for a condition that holds from there on */
    { "Real x(start=1, fixed=true); Integer k(start=7); equation der(x) = 1; when x > 0.5 then k = 1; end "
      "when;",
      1, "k", 7, 0, -1 },
    { "Real x(start=1, fixed=true); Integer k(start=7); equation der(x) = 1; when initial() then k = 1; end "
      "when;",
      1, "k", 1, 0, -1 },
    { "Real x(start=1, fixed=true); Integer k(start=7); equation der(x) = 1; when {initial(), x > 1.5} then "
      "k = "
      "pre(k) + 1; end when;",
      1, "k", 9, 0, -1 },
    /* a discrete equation follows its relation */
    { "Real x(start=0, fixed=true); Boolean b; equation der(x) = 1; b = x > 0.5;", 1, "b", 1, 0, 1 },
    /* if-equations */
    { "parameter Boolean p = false; Real x(start=1, fixed=true), y; equation der(x) = y; if p then y = x; "
      "else y = -x; "
      "end if;",
      1, "x", 0.36787944117144233, 1e-8, -1 },
    { "Real x(start=0, fixed=true), y; equation der(x) = 1; if x < 0.5 then y = 1; else 2*y = x; end if;", 1,
      "y", 0.5, 1e-9, 1 },
    /* an algorithm: later assignments replace earlier ones */
    { "Real x(start=0, fixed=true), y, z; equation der(x) = 1; algorithm y := x; y := y*2; if y > 1 then z "
      ":= 5; else z "
      ":= y; end if; z := z + 1;",
      1, "z", 6, 1e-12, -1 },
    { "Real x(start=0, fixed=true); Integer n(start=3); equation der(x) = 1; algorithm when x > 0.5 then n "
      ":= n + 2; "
      "end when;",
      1, "n", 5, 0, -1 },
    /* loops of an algorithm are unrolled */
    { "Real x(start=1, fixed=true), y; equation der(x) = 1; algorithm y := 0; for i in 1:4 loop if i < 4 "
      "then y := y + x*i; "
      "end if; end for;",
      1, "y", 12, 1e-8, -1 },
    /* whole-number functions hold between events */
    { "Real x(start=0, fixed=true), y; equation der(x) = 1; y = floor(x);", 2.5, "y", 2, 0, 2 },
    { "Real x(start=0, fixed=true), y; equation der(x) = 1; y = mod(x, 0.75);", 2.5, "y", 0.25, 1e-9, 3 },
    { "Real x(start=2.5, fixed=true), y; equation der(x) = -1; y = ceil(x);", 2, "y", 1, 0, 2 },
    { "Integer i(start=7), q, r; equation i = 7; q = div(-i, 2); r = mod(-i, 2);", 1, "q", -3, 0, -1 },
    /* edge and change */
    { "Real x(start=0, fixed=true); Boolean b; Integer n(start=0); equation der(x) = 1; b = x > 0.5; when "
      "edge(b) then "
      "n = pre(n) + 1; end when;",
      1, "n", 1, 0, -1 },
    /* two events at one time: the iteration goes on until pre values are the values */
    { "Real x(start=0, fixed=true); Boolean a(start=false), b(start=false); equation der(x) = 1; when x > "
      "0.5 then a = "
      "true; end when; when a then b = true; end when;",
      1, "b", 1, 0, 1 },
    /* terminate ends the run */
    { "Real x(start=0, fixed=true); equation der(x) = 1; when x > 0.5 then terminate(\"far enough\"); end "
      "when;",
      1, "x", 0.5, 1e-9, 1 },
    /* what is equal but for rounding does not cross */
    { "Real a(start=1, fixed=true), b(start=1, fixed=true); Boolean p; equation der(a) = -0.3*a; der(b) = "
      "-(0.1*b + 0.2*b); p = a > b;",
      9, "p", 0, 0, 0 },
    { "Real x(start=0, fixed=true); Boolean p; equation der(x) = cos(time); p = x > 0;", 4, "p", 0, 0, 2 },
    /* an ideal diode: relation and linear block are one mixed block */
    { "Real s, u, i, e; Boolean off; equation e = sin(time); off = s < 0; u = if off then s else 0; i = if "
      "off then 0 "
      "else s; e = u + 2*i;",
      1, "i", 0.42073549240394825, 1e-12, -1 },
    /* breaks loose: stuck at 1.2, sliding at 1, so that no pattern agrees until what it was has
     * moved on */
    { "Real w(start=0, fixed=true), s, t, f; Boolean go, stuck(start=true, fixed=true), locked; equation f = "
      "2*time; 2*der(w) = f - t; go = pre(stuck) and (s > 1.2 or pre(go) and s > 1); locked = pre(stuck) and "
      "not "
      "go; der(w) = if locked then 0 else s - 1; t = if locked then s else 1; stuck = locked or w <= 0;",
      1, "w", 0.12, 1e-8, -1 },
};

/* The diode blocks in the negative half wave. */
static void test_diode(void)
{
    Run r;
    const char *text = "Real s, u, i, e, q(start=0, fixed=true); Boolean off; equation e = sin(time); off = "
                       "s < 0; u = if off then "
                       "s else 0; i = if off then 0 else s; e = u + 2*i; der(q) = i;";
    if (!CHECK(run_open(&r, text, IR_AUTO))) return;
    CHECK(run_start(&r, 0) && run_to(&r, 4));
    /* half of the integral of sin over its first half wave */
    CHECK_NEAR(run_value(&r, "q"), 1, 1e-8);
    CHECK_NEAR(run_value(&r, "i"), 0, 0);
    CHECK_NEAR(run_value(&r, "u"), sin(4), 1e-12);
    run_close(&r);
}

/* Three coupled ideal diodes, a complementarity problem w - M z = q with a P-matrix on which
 * changing all relations at once goes round in circles for some q: the solution is found for every
 * q. */
static void test_complementarity(void)
{
    Run r;
    const char *text =
        "parameter Real q1=-1, q2=-1, q3=-1; Real s1, s2, s3, z1, z2, z3, w1, w2, w3; "
        "equation z1 = if s1 < 0 then 0 else s1; "
        "w1 = if s1 < 0 then -s1 else 0; z2 = if s2 < 0 then 0 else s2; w2 = if s2 < 0 then "
        "-s2 else 0; z3 = if s3 < 0 then 0 "
        "else s3; w3 = if s3 < 0 then -s3 else 0; w1 - 2*z1 - 2*z2 + 3*z3 = q1; w2 - z1 - 2*z2 + 3*z3 = q2; "
        "w3 - 2*z1 - 3*z3 = q3;";
    if (!CHECK(run_open(&r, text, IR_AUTO))) return;
    for (int k = 0; k < 125; k++) {
        static const double some[] = { -3.5, -1.2, 0.4, 1.5, 3.5 };
        static const double M[3][3] = { { 2, 2, -3 }, { 1, 2, -3 }, { 2, 0, 3 } };
        double q[3] = { some[k % 5], some[k / 5 % 5], some[k / 25] }; /* ties too */
        static const char *const names[] = { "q1", "q2", "q3", "z1", "z2", "z3", "w1", "w2", "w3" };
        Model *m = gen_instance(r.compiled);
        const char *why;
        double values[64], v[9];
        for (int i = 0; i < 3; i++) m->type->set(m, run_find(&r, names[i]), q[i], &why);
        if (!CHECK(m->type->initialise(m, 0, r.y, &r.info) == EVAL_OK))
            printf("  q %g %g %g: %s\n", q[0], q[1], q[2], m->type->failure(m));
        CHECK(m->type->values(m, 0, r.y, values) == EVAL_OK);
        for (int i = 0; i < 9; i++) {
            const ModelVariable *mv = &m->shape.variables[run_find(&r, names[i])];
            v[i] = mv->negated ? -values[mv->slot] : values[mv->slot];
        }
        for (int i = 0; i < 3; i++) {
            if (!CHECK(v[3 + i] >= -1e-14 && v[6 + i] >= -1e-14 && fabs(v[3 + i] * v[6 + i]) < 1e-14))
                printf("  q %g %g %g: z%d %g, w %g\n", q[0], q[1], q[2], i + 1, v[3 + i], v[6 + i]);
            CHECK_NEAR(v[6 + i] - M[i][0] * v[3] - M[i][1] * v[4] - M[i][2] * v[5], q[i], 1e-12);
        }
        gen_instance_free(m);
    }
    run_close(&r);
}

/* What leaves a tie crosses once: at the event that makes it leave, if rounding errors of the tie
 * had that side already, or by an event of its own. */
static void test_tie(void)
{
    Run r;
    const char *text =
        "Real a(start=1, fixed=true), b(start=1, fixed=true); Boolean p; Integer n(start=0, fixed=true); "
        "equation der(a) = -0.3*a; der(b) = -(0.1*b + 0.2*b) - (if time > 1 then 1e-6 else 0); p = a > b; "
        "when change(p) then n = pre(n) + 1; end when;";
    if (!CHECK(run_open(&r, text, IR_AUTO))) return;
    CHECK(run_start(&r, 0) && run_to(&r, 2));
    CHECK(run_value(&r, "p") == 1.0 && run_value(&r, "n") == 1.0);
    CHECK(r.events == 1 || r.events == 2);
    run_close(&r);
}

/* A failing assertion is reported in the user's words; at a trial step it asks for a smaller
 * one. */
static void test_assert(void)
{
    Run r;
    if (!CHECK(run_open(
            &r, "Real x(start=1, fixed=true); equation der(x) = -1; assert(x > 0, \"x is gone\");", IR_AUTO)))
        return;
    CHECK(run_start(&r, 0));
    double y = -1, f;
    CHECK(r.model->type->derivatives(r.model, 0, &y, &f) == EVAL_RETRY);
    CHECK(strstr(r.model->type->failure(r.model), "x is gone") != NULL);
    run_close(&r);
}

int main(void)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Run r;
        if (!CHECK_ROW(run_open(&r, rows[i].text, IR_AUTO), rows[i].text)) continue;
        CHECK_ROW(run_start(&r, 0) && run_to(&r, rows[i].t_end), rows[i].text);
        bool ok = CHECK_NEAR(run_value(&r, rows[i].name), rows[i].want, rows[i].tolerance);
        if (rows[i].events >= 0) ok &= CHECK_ROW(r.events == rows[i].events, "events");
        if (!ok) {
            Text out = { .arena = r.mini->arena };
            dae_print(r.system, &out);
            printf("  events %d in row: %s\n%s", r.events, rows[i].text, out.at);
        }
        run_close(&r);
    }
    test_diode();
    test_complementarity();
    test_tie();
    test_assert();
    return test_end();
}
