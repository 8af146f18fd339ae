/* Variables that are preferred as states become states though nothing is said about their
 * derivatives, where other states determine them and nothing that jumps lies between; the others
 * stay what they are. Trajectories are those of the equations in any case, and start values of what
 * became a state count. */
#include "gen/world.h"

#include <math.h>

#define PREFERRED "stateSelect=StateSelect.prefer"

static const struct {
    const char *text, *states;
    const char *name;
    double want; /* at 1 */
} rows[] = {
    /* a volume by its pressure; without the wish by its mass */
    { "Real m, d, p(start=1, fixed=true, " PREFERRED "); equation m = 2*d; d = 1 + 0.5*log(p); der(m) = 1;",
      "p", "p", 2.718281828459045 },
    { "Real m(start=2, fixed=true), d, p; equation m = 2*d; d = 1 + 0.5*log(p); der(m) = 1;", "m", "p",
      2.718281828459045 },
    /* mass and energy of an ideal gas; one of both only */
    { "Real m, U, u, p(start=1, fixed=true, " PREFERRED "), T(start=1, fixed=true, " PREFERRED
      "); equation m = p/T; u = 2.5*T; U = m*u; der(m) = 1; der(U) = 3;",
      "p T", "p", 2.2 },
    { "Real m(start=1, fixed=true), U, u, p, T(start=1, fixed=true, " PREFERRED
      "); equation m = p/T; u = 2.5*T; U = m*u; der(m) = 1; der(U) = 3;",
      "m T", "T", 1.1 },
    { "Real m, p(start=1, fixed=true, stateSelect=StateSelect.always); equation m = p^2; der(m) = 3;", "p",
      "p", 2 },
    /* functions, and conditions without events */
    { "function f input Real x; output Real y; algorithm y := x^2; end f; Real m, p(start=1, "
      "fixed=true, " PREFERRED "); equation m = f(p); der(m) = 3;",
      "p", "p", 2 },
    { "Real m, p(start=1, fixed=true, " PREFERRED
      "); equation m = noEvent(if p > 1.5 then 2*p - 1.5 else p); der(m) = 2;",
      "p", "p", 2.25 },
    /* an Integer says which of two formulas holds that meet where it changes */
    { "function f input Real x; input Integer k; output Real y; algorithm assert(x > -9, \"\"); y := if k == "
      "1 then x^2 else 2*x - 1; "
      "end f; Integer k; Real m, p(start=0.5, fixed=true, " PREFERRED
      "); equation k = if p > 1 then 2 else 1; m = f(p, k); der(m) = 1;",
      "p", "p", 1.125 },
    /* what has a start value starts there */
    { "Real m, p(start=3, " PREFERRED "); equation m = p^2; der(m) = 0;", "p", "p", 3 },
    { "Real m(start=4), p(" PREFERRED "); equation m = p + 1; der(m) = 0;", "m", "p", 3 },
    /* nothing gained: no state, a state as good, its derivative, time alone */
    { "Real x(start=0, fixed=true), p(" PREFERRED "); equation p = sin(time); der(x) = p;", "x", "p",
      0.8414709848078965 },
    { "Real x(start=1, fixed=true, " PREFERRED "), p(" PREFERRED "); equation p = x^2; der(x) = 1;", "x", "p",
      4 },
    { "Real x(start=1, fixed=true), p(" PREFERRED "); equation p = der(x); der(x) = x;", "x", "p",
      2.718281828459045 },
    /* p jumps where m does not, so m stays the state */
    { "discrete Real k(start=1, fixed=true); Real m(start=1, fixed=true), p(" PREFERRED
      "); equation when time > 0.5 then k = 2; end when; m = k*p; der(m) = 1;",
      "m", "p", 1 },
    { "Real m(start=1, fixed=true), p(" PREFERRED
      "); equation m = if time > 0.5 then 2*p else p; der(m) = 1;",
      "m", "p", 1 },
    { "function r input Integer k; output Real y; algorithm assert(k < 9, \"\"); y := k^2; end r; Integer k; "
      "Real "
      "m(start=1, fixed=true), p(" PREFERRED
      "); equation k = if time > 0.5 then 2 else 1; m = r(k)*p; der(m) = 1;",
      "m", "p", 0.5 },
    /* a function that searches for its result is not differentiated without need */
    { "function root input Real a; output Real x; algorithm x := a; while abs(x^2 - a) > 1e-14*a loop x := "
      "0.5*(x + a/x); end "
      "while; end root; Real m(start=1, fixed=true), p(start=1, " PREFERRED
      "); equation m = root(p); der(m) = 1;",
      "m", "p", 4 },
};

static const char *state_names(const Run *r)
{
    Text out = { .arena = r->mini->arena };
    for (uint32_t k = 0; k < r->system->states.n; k++)
        text_printf(&out, "%s%s", k ? " " : "", r->system->vars.at[r->system->states.at[k]].name);
    return out.at;
}

int main(void)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Run r;
        if (!CHECK_ROW(run_open(&r, rows[i].text, IR_AUTO), rows[i].text)) continue;
        bool ok = CHECK_TEXT(state_names(&r), rows[i].states);
        /* derivatives of functions are linear in rates: nothing is left to iterate */
        if (rows[i].states[0] == 'p') ok &= CHECK_ROW(r.system->stats.nonlinear == 0, rows[i].text);
        ok &= CHECK_ROW(run_start(&r, 0) && run_to(&r, 1), rows[i].text);
        ok &= CHECK_NEAR(run_value(&r, rows[i].name), rows[i].want, 1e-7);
        if (!ok) printf("  in row: %s\n", rows[i].text);
        run_close(&r);
    }
    return test_end();
}
