/* Event iteration converges in mixed blocks from every pattern of relations at the start, ties
 * included, and the pattern found is the right one by physics: a bridge of six diodes passes the
 * largest difference of three voltages; a chain of five clutches sticks where it can. Solutions
 * that pass zero, and factors that are zero, are no failures. */
#include "gen/world.h"

#include <stdio.h>

static double value_of(Model *m, const double *y, const char *name)
{
    double values[256], found = NAN;
    if (m->type->values(m, 0, y, values) != EVAL_OK) return NAN;
    for (int i = 0; i < m->shape.variable_count; i++) {
        const ModelVariable *v = &m->shape.variables[i];
        if (!strcmp(v->name, name)) found = v->negated ? -values[v->slot] : values[v->slot];
    }
    return found;
}

static void set(const Run *r, Model *m, const char *name, double value)
{
    const char *why;
    if (!CHECK(m->type->set(m, run_find(r, name), value, &why))) printf("  %s: %s\n", name, why);
}

/* ---- six diodes ------------------------------------------------------------------------------ */

static void bridge_text(char *text, size_t room)
{
    size_t n = (size_t)snprintf(text, room, "parameter Real e1=1, e2=0, e3=-1, G=1e-6, R=1e-6; Real a, b, u");
    for (int k = 1; k <= 6; k++) n += (size_t)snprintf(text + n, room - n, ", s%d, v%d, i%d", k, k, k);
    n += (size_t)snprintf(text + n, room - n, "; equation u = a - b; i1 + i2 + i3 = u; i4 + i5 + i6 = u; ");
    for (int k = 1; k <= 6; k++) {
        n += (size_t)snprintf(text + n, room - n,
                              "v%d = s%d*(if s%d < 0 then 1 else R); i%d = s%d*(if s%d < 0 then G else 1); ",
                              k, k, k, k, k, k);
        n += (size_t)snprintf(text + n, room - n, k <= 3 ? "v%d = e%d - a; " : "v%d = b - e%d; ", k,
                              (k - 1) % 3 + 1);
    }
}

static void test_bridge(void)
{
    static const double e[][3] = { { 1, 0, -1 }, { 0, 1, 0.3 }, { 1, 1, -2 }, { 0, 0, 0 }, { -1, 2, -1 } };
    static const double want[] = { 2, 1, 3, 0, 3 };
    char text[4000], name[8];
    Run r;
    bridge_text(text, sizeof text);
    if (!CHECK(run_open(&r, text, IR_AUTO))) return;
    for (int pattern = 0; pattern < 64; pattern++)
        for (size_t k = 0; k < COUNT_OF(want); k++) {
            Model *m = gen_instance(r.compiled);
            for (int j = 0; j < 6; j++) {
                snprintf(name, sizeof name, "s%d", j + 1);
                set(&r, m, name, pattern >> j & 1 ? 1 : -1);
            }
            set(&r, m, "e1", e[k][0]);
            set(&r, m, "e2", e[k][1]);
            set(&r, m, "e3", e[k][2]);
            if (!CHECK(m->type->initialise(m, 0, r.y, &r.info) == EVAL_OK))
                printf("  pattern %d, voltages %zu: %s\n", pattern, k, m->type->failure(m));
            CHECK_NEAR(value_of(m, r.y, "u"), want[k], 1e-4);
            gen_instance_free(m);
        }
    run_close(&r);
}

/* ---- one diode ------------------------------------------------------------------------------- */

/* At the end of the knee both sides of the diode's equations are rounding errors, and so is its
 * only unknown. */
static void test_knee(void)
{
    static const double rows[][3] = {
        { 5, 0.1, 1e-3 }, { 5, 1e-5, 1 }, { 0.7, 1e-5, 1e-3 }, { 3.3, 0.1, 1 }
    };
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        Run r;
        char text[600];
        snprintf(text, sizeof text,
                 "parameter Real V=%g, R=%g, G=R, L=%g; Real s, v, i, e, x(start=0, fixed=true); equation "
                 "v = s*(if s < 0 then 1 else R) + V; i = s*(if s < 0 then G else 1) + G*V; "
                 "e = 10*sin(6.283185307179586*time); e - v = L*i; der(x) = i;",
                 rows[k][0], rows[k][1], rows[k][2]);
        if (!CHECK(run_open(&r, text, IR_AUTO))) continue;
        CHECK(run_start(&r, 0));
        if (!CHECK(run_to(&r, 4))) printf("  row %zu: %s\n", k, r.model->type->failure(r.model));
        run_close(&r);
    }
}

/* ---- a winding ------------------------------------------------------------------------------- */

/* Factors made of parameters that are zero give no unknown, in whatever order equations and
 * unknowns are found, and whether a call gives them or not: three windings at 0, 120 and 240
 * degrees. */
static void test_winding(void)
{
    static const int order[][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                    { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    static const char *const names[] = { "x", "y", "z" };
    static const char *const sums[] = { "s3*z + s2*y + s1*x = 1;", "c3*z + c2*y + c1*x = 2;",
                                        "z + y + x = 0;" };
    static const char *const by_call =
        "function f input Real x; output Real y; algorithm y := 0; while y < x loop y := y + 1; end while; "
        "end f; ";
    for (size_t k = 0; k < 72; k++) {
        const int *n = order[k / 6 % 6], *e = order[k % 6];
        char text[800];
        Run r;
        snprintf(
            text, sizeof text,
            "%sparameter Real a=2.0943951023931953, b=0, c1=cos(b), c2=cos(a), c3=cos(2*a), s1=%s(sin(b)), "
            "s2=sin(a), s3=sin(2*a); Real %s, %s, %s; equation %s %s %s",
            k < 36 ? "" : by_call, k < 36 ? "" : "f", names[n[0]], names[n[1]], names[n[2]], sums[e[0]],
            sums[e[1]], sums[e[2]]);
        if (!CHECK(run_open(&r, text, IR_AUTO))) continue;
        if (CHECK_ROW(r.model->type->initialise(r.model, 0, r.y, &r.info) == EVAL_OK, text)) {
            double y = value_of(r.model, r.y, "y"), z = value_of(r.model, r.y, "z");
            CHECK_NEAR(value_of(r.model, r.y, "x"), 4.0 / 3, 1e-12);
            CHECK_NEAR(y - z, 2 / sqrt(3.0), 1e-12);
        }
        run_close(&r);
    }
}

/* ---- five clutches --------------------------------------------------------------------------- */

/* Inertias 0 to 5 in a row, a clutch between each two; a torque T on the first. Clutch k sticks (r
 * = 0) up to a torque of 1, and slides with a torque of 0.8. */
static void clutch_text(char *text, size_t room)
{
    size_t n = (size_t)snprintf(text, room, "parameter Real T=0.5");
    for (int k = 0; k <= 5; k++) n += (size_t)snprintf(text + n, room - n, ", b%d=0", k);
    n += (size_t)snprintf(text + n, room - n, "; Real P, w0(start=b0, fixed=true)");
    for (int k = 1; k <= 5; k++)
        n += (size_t)snprintf(text + n, room - n,
                              ", w%d(start=b%d, fixed=true), r%d, d%d, s%d, t%d; Boolean f%d(start=false), "
                              "g%d(start=false), k%d; Integer m%d(start=9, fixed=true); Real x%d",
                              k, k, k, k, k, k, k, k, k, k, k);
    n += (size_t)snprintf(text + n, room - n,
                          "; equation P = w0 + w1 + w2 + w3 + w4 + w5; der(w0) = T - t1; ");
    for (int k = 1; k <= 5; k++) {
        n += (size_t)snprintf(text + n, room - n,
                              "der(w%d) = t%d - %s%.0d; r%d = w%d - w%d; d%d = der(w%d) - der(w%d); ", k, k,
                              k < 5 ? "t" : "0", k < 5 ? k + 1 : 0, k, k - 1, k, k, k - 1, k);
        n += (size_t)snprintf(
            text + n, room - n,
            "f%d = pre(m%d) == 0 and (s%d > 1 or pre(f%d) and s%d > 0.8) or pre(m%d) == 9 and r%d > 0; "
            "g%d = pre(m%d) == 0 and (s%d < -1 or pre(g%d) and s%d < -0.8) or pre(m%d) == 9 and r%d < 0; "
            "k%d = not (pre(m%d) == 1 or f%d or pre(m%d) == -1 or g%d); ",
            k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k);
        n += (size_t)snprintf(text + n, room - n,
                              "d%d = if k%d then 0 else if f%d then s%d - 1 else if g%d then s%d + 1 else if "
                              "pre(m%d) == 1 then "
                              "s%d - 0.8 else s%d + 0.8; t%d = if k%d then s%d else if pre(m%d) == 1 or f%d "
                              "then 0.8 else -0.8; ",
                              k, k, k, k, k, k, k, k, k, k, k, k, k, k);
        n += (size_t)snprintf(
            text + n, room - n,
            "m%d = if (pre(m%d) == 1 or f%d) and r%d > 0 then 1 else if (pre(m%d) == -1 or g%d) "
            "and r%d < 0 then -1 else 0; x%d = 0; ",
            k, k, k, k, k, k, k, k);
    }
}

static void test_clutches(void)
{
    char text[8000], name[8];
    Run r;
    clutch_text(text, sizeof text);
    if (!CHECK(run_open(&r, text, IR_AUTO))) return;
    gen_instance_free(r.model);
    for (int pattern = 0; pattern < 32; pattern++) {
        double w = 0, sum = 0;
        r.model = gen_instance(r.compiled);
        r.events = 0;
        for (int k = 0; k <= 5; k++) {
            if (k) w += pattern >> (k - 1) & 1 ? 0.5 + 0.1 * k : 0;
            snprintf(name, sizeof name, "b%d", k);
            set(&r, r.model, name, w);
            sum += w;
        }
        if (!CHECK(run_start(&r, 0))) printf("  pattern %d\n", pattern);
        for (int k = 1; k <= 5; k++) {
            /* a clutch sticks or pulls with what it has while it slides */
            snprintf(name, sizeof name, "t%d", k);
            double t = value_of(r.model, r.y, name);
            bool slides = pattern >> (k - 1) & 1;
            if (!CHECK(slides ? fabs(fabs(t) - 0.8) < 1e-12 : fabs(t) <= 1 + 1e-12))
                printf("  pattern %d, %s %g\n", pattern, name, t);
        }
        if (!CHECK(run_to(&r, 12))) printf("  pattern %d\n", pattern);
        CHECK_NEAR(run_value(&r, "P"), sum + 12 * 0.5, 1e-7);
        CHECK_NEAR(run_value(&r, "w0") - run_value(&r, "w5"), 0, 1e-7); /* all stick in the end */
        if (pattern < 31) gen_instance_free(r.model);
    }
    run_close(&r);
}

int main(void)
{
    test_bridge();
    test_knee();
    test_winding();
    test_clutches();
    return test_end();
}
