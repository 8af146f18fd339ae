/* Models with a closed solution come out right, by machine code and by the interpreter alike. */
#include "gen/world.h"

static const struct {
    const char *text;
    double t_end;
    const char *name;
    double want, tolerance;
    int states;
} rows[] = {
    { "Real x(start=1, fixed=true); equation der(x) = -x;", 1, "x", 0.36787944117144233, 1e-8, 1 },
    { "parameter Real k = 2; Real x(start=1, fixed=true); Real y; equation der(x) = -k*y; y = x/2;", 1, "y",
      0.18393972058572117, 1e-8, 1 },
    /* harmonic oscillator with an alias */
    { "Real x(start=0, fixed=true); Real v(start=1, fixed=true); Real w; equation der(x) = w; w = v; der(v) "
      "= -x;",
      2, "x", 0.90929742682568171, 1e-7, 2 },
    /* a linear loop: two resistors in a divider */
    { "parameter Real R1=1, R2=3; Real i1, i2, u(start=1, fixed=true), um; equation u - um = R1*i1; um = "
      "R2*i2; "
      "i1 = i2; der(u) = -i1;",
      4, "u", 0.36787944117144233, 1e-8, 1 },
    /* a linear block that cannot be solved by hand: factors are unknowns of time */
    { "Real x(start=1, fixed=true), a, b; equation a + x*b = 2; a - b = 1; der(x) = 0;", 1, "b", 0.5, 1e-12,
      1 },
    /* a nonlinear block: y^3 + y = x */
    { "Real x(start=2, fixed=true); Real y(start=1); equation der(x) = 3*y^2*1 + 1; y^3 + y = x;", 1, "y", 2,
      1e-8, 1 },
    /* a node without flow leaves its enthalpy open: it stays where it was, until there is a flow */
    { "Real m(start=0, fixed=true), h(start=5); equation der(m) = 0; m*h = m*2;", 1, "h", 5, 1e-12, 1 },
    { "Real m(start=0, fixed=true), h(start=5); equation der(m) = 1; m*h = m*2;", 1, "h", 2, 1e-12, 1 },
    /* time alone */
    { "Real x; equation x = sin(time)^2 + cos(time)^2 + time;", 3, "x", 4, 1e-14, 0 },
};

/* Open is not the same as contradictory: 0 h = 1 has no solution. */
static void check_contradiction(void)
{
    Run r;
    if (!CHECK(
            run_open(&r, "Real m(start=0, fixed=true), h(start=5); equation der(m) = 0; m*h = 1;", IR_AUTO)))
        return;
    CHECK(!run_start(&r, 0));
    run_close(&r);
}

int main(void)
{
    static const IrBackend backends[] = { IR_AUTO, IR_INTERPRETER };
    for (size_t b = 0; b < COUNT_OF(backends); b++)
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            Run r;
            if (!CHECK_ROW(run_open(&r, rows[i].text, backends[b]), rows[i].text)) continue;
            CHECK_ROW(r.model->shape.n == rows[i].states, rows[i].text);
            CHECK_ROW(run_start(&r, 0) && run_to(&r, rows[i].t_end), rows[i].text);
            if (!CHECK_NEAR(run_value(&r, rows[i].name), rows[i].want, rows[i].tolerance)) {
                Text out = { .arena = r.mini->arena };
                dae_print(r.system, &out);
                printf("  in row: %s\n%s", rows[i].text, out.at);
            }
            run_close(&r);
        }
    check_contradiction();
    return test_end();
}
