/* Dynamic state selection: where every fixed choice of states becomes singular somewhere on the
 * way, another one is made in time, the number of states stays, and nothing of it shows in the
 * trajectory. */
#include "gen/world.h"

#define PENDULUM(x, y, vx, vy, F)                                                                   \
    "der(" x ") = " vx "; der(" y ") = " vy "; der(" vx ") = -" F "*" x "; der(" vy ") = -" F "*" y \
    " - 9.81; " x "^2 + " y "^2 = 1; "

static const struct {
    const char *text;
    double t_end;
    const char *name;
    double want, tolerance;
    int states, selections_least, selections_most;
} rows[] = {
    /* rotates: about 10.1 rad/s on average, so 3.2 turns in 2 s with four changes each */
    { "Real x(start=0, fixed=true), y(start=-1), vx(start=11, fixed=true), vy, F, E; equation " PENDULUM(
          "x", "y", "vx", "vy", "F") "E = (vx^2 + vy^2)/2 + 9.81*y;",
      2, "E", 11. * 11 / 2 - 9.81, 2e-6, 2, 7, 40 },
    { "Real x(start=0, fixed=true), y(start=-1), vx(start=11, fixed=true), vy, F, L; equation " PENDULUM(
          "x", "y", "vx", "vy", "F") "L = x^2 + y^2;",
      2, "L", 1, 1e-13, 2, 7, 40 },
    /* swings a little: one choice does */
    { "Real x(start=0.1, fixed=true), y(start=-1), vx(start=0, fixed=true), vy, F; equation " PENDULUM(
          "x", "y", "vx", "vy", "F"),
      3, "x", 0.1, 1, 2, 0, 1 },
    /* what is eliminated before is divided by e, which the start makes zero: the choice is held,
     * not made again and again */
    { "parameter Real e(fixed=false, start=50); Real x(start=0.1, fixed=true), y(start=-1), vx(start=0, "
      "fixed=true), vy, F, u, w, E; equation der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y - "
      "9.81; e*u + exp(x)*w = exp(x)*(x^2 + y^2); exp(y)*u + e*w = exp(y)*x; w = 1; E = (vx^2 + vy^2)/2 + "
      "9.81*y; initial equation e = 0;",
      3, "E", -9.760826758015943, 2e-6, 2, 0, 3 },
    /* begins where the derivative of the constraint in y is zero */
    { "Real x(start=1, fixed=true), y(start=0), vx, vy(start=0, fixed=true), F, E; equation " PENDULUM(
          "x", "y", "vx", "vy", "F") "E = (vx^2 + vy^2)/2 + 9.81*y;",
      2, "E", 0, 2e-6, 2, 2, 40 },
    /* two of them, of different rhythm, know nothing of each other */
    { "Real x(start=0, fixed=true), y(start=-1), vx(start=11, fixed=true), vy, F, p(start=0, fixed=true), "
      "q(start=-1), vp(start=-8, fixed=true), vq, G, E; equation " PENDULUM("x", "y", "vx", "vy", "F")
          PENDULUM("p", "q", "vp", "vq", "G") "E = (vx^2 + vy^2 + vp^2 + vq^2)/2 + 9.81*(y + q);",
      2, "E", (11. * 11 + 64) / 2 - 2 * 9.81, 4e-6, 4, 9, 80 },
    /* a spherical pendulum: two of three */
    { "Real x(start=0, fixed=true), y(start=0, fixed=true), z(start=-1), vx(start=9, fixed=true), "
      "vy(start=4, fixed=true), vz, F, E; equation der(x) = vx; der(y) = vy; der(z) = vz; der(vx) = -F*x; "
      "der(vy) = -F*y; der(vz) = -F*z - 9.81; x^2 + y^2 + z^2 = 1; E = (vx^2 + vy^2 + vz^2)/2 + 9.81*z;",
      2, "E", 97. / 2 - 9.81, 2e-6, 4, 5, 80 },
    /* stateSelect: what is never a state is not, and what is always one stays it */
    { "Real x(start=0.6, fixed=true, stateSelect=StateSelect.always), y(start=-0.8), vx(start=0, fixed=true, "
      "stateSelect=StateSelect.always), vy, F, E; equation " PENDULUM("x", "y", "vx", "vy",
                                                                      "F") "E = (vx^2 + vy^2)/2 + 9.81*y;",
      2, "E", -9.81 * 0.8, 1e-6, 2, 0, 0 },
    { "Real x(start=0.6, fixed=true), y(start=-0.8, stateSelect=StateSelect.never), vx(start=0, fixed=true), "
      "vy(stateSelect=StateSelect.avoid), F, E; equation " PENDULUM("x", "y", "vx", "vy",
                                                                    "F") "E = (vx^2 + vy^2)/2 + 9.81*y;",
      2, "E", -9.81 * 0.8, 1e-6, 2, 0, 0 },
    /* a choice that holds for ever is not made at run time: the pivot of h is a number */
    { "Real T(start=2, fixed=true), h; equation der(h) = -h; h = T^2 + T;", 1, "h", 2.2072766470286540, 1e-8,
      1, 0, 0 },
};

/* A thousand periods of the pendulum of models/, which swings up to 161 degrees and so through all
 * positions where a fixed choice is singular. The error of 1e-9 a step allows 1e-9 times the steps,
 * some 60 a period; four changes a period. */
static void test_long(void)
{
    Run r;
    const char *text =
        "Real x(start=0, fixed=true), y(start=-1), vx(start=6.178, fixed=true), vy, F, E, L; "
        "equation " PENDULUM("x", "y", "vx", "vy", "F") "E = (vx^2 + vy^2)/2 + 9.81*y; L = sqrt(x^2 + y^2);";
    if (!CHECK(run_open(&r, text, IR_AUTO))) return;
    r.solver = "dop853";
    CHECK(run_start(&r, 0) && run_to(&r, 4100));
    CHECK_NEAR(run_value(&r, "E"), 6.178 * 6.178 / 2 - 9.81, 6e-5 * 29);
    CHECK_NEAR(run_value(&r, "L"), 1, 1e-13);
    CHECK(r.selections >= 3900 && r.selections <= 4200);
    run_close(&r);
}

/* What only differentiating has given a derivative, as the matrix of a rotation, is no state where
 * there is something else, be it to be avoided. */
static void test_made(void)
{
    Run r;
    static const char text[] =
        "parameter Real L=1; Real c(start=0.99, stateSelect=StateSelect.avoid), s(start=0.1, fixed=true, "
        "stateSelect=StateSelect.avoid), w(start=11, fixed=true), T1, T2, x(stateSelect=StateSelect.avoid), "
        "y(stateSelect=StateSelect.avoid), vx(stateSelect=StateSelect.avoid), "
        "vy(stateSelect=StateSelect.avoid), F, E; equation c^2 + s^2 = 1; w = 2*(c*der(s) - s*der(c)); T1 = "
        "c^2 - s^2; T2 = 2*c*s; x = L*T1; y = L*T2; der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) = -F*y "
        "- 9.81; E = (vx^2 + vy^2)/2 + 9.81*y;";
    if (!CHECK(run_open(&r, text, IR_AUTO))) return;
    for (uint32_t k = 0; k < r.system->sets.n; k++)
        for (uint32_t j = 0; j < r.system->sets.at[k].columns; j++)
            CHECK(r.system->vars.at[r.system->sets.at[k].vars[j]].name[0] != 'T');
    CHECK(r.system->sets.n == 2 && run_start(&r, 0) && run_to(&r, 2));
    /* w^2/2 + 9.81 sin(2 asin s) at the start */
    CHECK_NEAR(run_value(&r, "E"), 62.45216535160319, 2e-6);
    run_close(&r);
}

int main(void)
{
    test_long();
    test_made();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Run r;
        if (!CHECK_ROW(run_open(&r, rows[i].text, IR_AUTO), rows[i].text)) continue;
        bool ok = CHECK_ROW(r.model->shape.n == rows[i].states, rows[i].text);
        ok &= CHECK_ROW(run_start(&r, 0) && run_to(&r, rows[i].t_end), rows[i].text);
        ok &= CHECK_NEAR(run_value(&r, rows[i].name), rows[i].want, rows[i].tolerance);
        ok &= CHECK_ROW(r.selections >= rows[i].selections_least && r.selections <= rows[i].selections_most,
                        rows[i].text);
        if (!ok) {
            Text out = { .arena = r.mini->arena };
            dae_print(r.system, &out);
            printf("  %d selections in row: %s\n%s", r.selections, rows[i].text, out.at);
        }
        run_close(&r);
    }
    return test_end();
}
