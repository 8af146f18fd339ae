/* Modelica functions run on expressions: conditions, loops, return and break, arrays, several
 * results, recursion. */
#include "gen/world.h"

static const struct {
    const char *text, *name;
    double t_end, want, tolerance;
} rows[] = {
    { "function f input Real x; output Real y; algorithm y := x^2 + 1; end f; Real y; equation y = f(time);",
      "y", 2, 5, 0 },
    { "function f input Real x; output Real y; algorithm if x < 1 then y := x; elseif x < 2 then y := 10*x; "
      "else y := -x; "
      "end if; end f; Real a, b, c; equation a = f(0.5) + f(1.5) + f(time); b = 0; c = 0;",
      "a", 3, 12.5, 0 },
    { "function f input Real x; output Real y; algorithm y := 1; for i in 1:5 loop y := y*x + i; end for; "
      "end f; Real y; "
      "equation y = f(time);",
      "y", 1, 16, 0 },
    { "function f input Real x; output Real y; algorithm y := 5; if x > 0 then return; end if; y := 7; end "
      "f; Real y, z; "
      "equation y = f(time); z = f(-1 - time);",
      "y", 1, 5, 0 },
    { "function f input Real x; output Real y; algorithm y := 5; if x > 0 then return; end if; y := 7; end "
      "f; Real z; "
      "equation z = f(-1 - time);",
      "z", 1, 7, 0 },
    { "function f input Real x; output Real y; algorithm y := 0; for i in 1:10 loop if i > x then break; end "
      "if; y := y + "
      "i; end for; y := y + 0.5; end f; Real y; equation y = f(3 + 0*time);",
      "y", 1, 6.5, 0 },
    { "function f input Real x; output Real a; output Real b; algorithm a := sin(x); b := cos(x); end f; "
      "Real a, b, c; "
      "equation (a, b) = f(time); c = a^2 + b^2;",
      "c", 1, 1, 1e-15 },
    { "function f input Real v[3]; output Real y; Real w[3]; algorithm for i in 1:3 loop w[i] := v[i]*i; end "
      "for; y := "
      "sum(w) + size(v, 1); end f; Real y; equation y = f({time, 2, 3});",
      "y", 1, 17, 0 },
    { "function f input Real n; output Real y; algorithm if n < 2 then y := 1; else y := n*f(n - 1); end if; "
      "end f; Real y; "
      "equation y = f(5) + 0*time;",
      "y", 1, 120, 0 },
    { "function f input Real n; output Real y; Real k; algorithm k := 0; y := 1; while k < n loop k := k + "
      "1; y := 2*y; end "
      "while; end f; Real y; equation y = f(6) + 0*time;",
      "y", 1, 64, 0 },
    { "function f input Real i; output Real y; Real v[3]; algorithm v := {10, 20, 30}; y := v[i]; end f; "
      "Real y; equation y "
      "= f(if time > 0.5 then 3 else 1);",
      "y", 1, 30, 0 },
    { "function f input Real x; output Real a; output Real b; algorithm a := 2*x; b := 3*x; end f; Real a, "
      "b; algorithm (a, "
      "b) := f(time); b := a + b;",
      "b", 2, 10, 0 },
    /* a function in a nonlinear block is differentiated exactly */
    { "function f input Real x; output Real y; algorithm y := x; for i in 1:3 loop y := y + y^3/10; end for; "
      "end f; Real "
      "x(start=1, fixed=true), z(start=1); equation der(x) = 0; f(z) = f(x);",
      "z", 1, 1, 1e-12 },
};

/* Statements under a condition that take many results of a call make it once: code stays linear in
 * the results. */
static void calls_of_many_results(void)
{
    char list[600] = "", text[1200];
    for (size_t i = 1, n = 0; i <= 12; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%zu*time", i > 1 ? ", " : "", i);
    snprintf(
        text, sizeof text,
        "function f input Real v[12]; output Real a, b, c, d, e, g, h, k; algorithm assert(v[1] > -1e9, "
        "\"no\"); a := sum(v); b := v[2]; c := v[3]; d := v[4]; e := v[5]; g := v[6]; h := v[7]; k := v[8]; "
        "end f; Real a(start=3), b, c, d, e, g, h, k(start=1); "
        "algorithm when time > 0.5 then (a, b, c, d, e, g, h, k) := f({%s}); end when;",
        list);
    static const struct {
        const char *name;
        double early, want;
    } values[] = { { "a", 3, 39 }, { "k", 1, 4 } };
    Run r;
    if (!CHECK(run_open(&r, text, IR_AUTO))) return;
    CHECK(gen_stats(r.compiled).instructions < 160);
    CHECK(run_start(&r, 0));
    for (size_t i = 0; i < COUNT_OF(values); i++)
        CHECK_NEAR(run_value(&r, values[i].name), values[i].early, 0);
    CHECK(run_to(&r, 1));
    for (size_t i = 0; i < COUNT_OF(values); i++)
        CHECK_NEAR(run_value(&r, values[i].name), values[i].want, 1e-12);
    run_close(&r);
}

int main(void)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Run r;
        if (!CHECK_ROW(run_open(&r, rows[i].text, IR_AUTO), rows[i].text)) continue;
        CHECK_ROW(run_start(&r, 0) && run_to(&r, rows[i].t_end), rows[i].text);
        if (!CHECK_NEAR(run_value(&r, rows[i].name), rows[i].want, rows[i].tolerance))
            printf("  in row: %s\n", rows[i].text);
        run_close(&r);
    }
    calls_of_many_results();
    return test_end();
}
