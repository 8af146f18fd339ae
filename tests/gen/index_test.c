/* Systems of higher index: reduced, initialised consistently and integrated; constraints hold,
 * closed forms come out. */
#include "gen/world.h"

static const struct {
    const char *text;
    double t_end;
    const char *name;
    double want, tolerance;
    int states;
} rows[] = {
    /* the Cartesian pendulum keeps its energy and its length */
    { "Real x(start=0.6), y(start=-0.8), vx, vy, F, E; equation der(x) = vx; der(y) = vy; der(vx) = -F*x; "
      "der(vy) = -F*y - "
      "9.81; x^2 + y^2 = 1; E = (vx^2 + vy^2)/2 + 9.81*y;",
      3, "E", -9.81 * 0.8, 1e-6, 2 },
    { "Real x(start=0.6), y(start=-0.8), vx, vy, F, L; equation der(x) = vx; der(y) = vy; der(vx) = -F*x; "
      "der(vy) = -F*y - "
      "9.81; x^2 + y^2 = 1; L = x^2 + y^2;",
      3, "L", 1, 1e-13, 2 },
    /* two inertias on one shaft: index 3 in this form */
    { "parameter Real J1=1, J2=3; Real p1(start=0, fixed=true), w1(start=0, fixed=true), p2, w2, tau; "
      "equation der(p1) = w1; "
      "der(p2) = w2; J1*der(w1) = 4 - tau; J2*der(w2) = tau; p1 = p2;",
      2, "p2", 2, 1e-9, 2 },
    /* through a gear: the constraint is no alias */
    { "parameter Real J1=1, J2=2; Real p1(start=0, fixed=true), w1(start=0, fixed=true), p2, w2, t1; "
      "equation der(p1) = w1; "
      "der(p2) = w2; J1*der(w1) = 3 - t1; J2*der(w2) = 2*t1; p1 = 2*p2;",
      2, "p2", 2, 1e-9, 2 },
    /* two capacitors in parallel: index 2 */
    { "Real u1(start=1, fixed=true), u2, i1, i2, i; equation der(u1) = i1; 2*der(u2) = i2; u1 = u2; i1 + i2 "
      "= -i; i = u1;",
      3, "u2", 0.36787944117144233, 1e-8, 1 },
    /* a prescribed motion: no state is left, the force follows from two derivatives of it */
    { "Real x, v, F; equation x = sin(2*time); der(x) = v; 3*der(v) = F;", 1, "F", -12 * 0.90929742682568171,
      1e-12, 0 },
    /* what two sums say together: the state is 0, though each of them could be solved for something
     * else */
    { "parameter Real L=2; Real i0, a, b, c, v; equation 3*i0 = a + b + c; a + b + c = 0; v = L*der(i0); "
      "a = sin(time) + v; b = cos(time) - 3*v;",
      1, "c", -0.84147098480789651 - 0.54030230586813972, 1e-12, 0 },
    /* with factors, and two of them that share equations: x = time, y = 2*time */
    { "Real x, y, p, q, r, s; equation p + 2*q - r = x; 3*p + 6*q - 3*r + x = 4*time; p - r + s = y; "
      "2*p - 2*r + 2*s = 4*time; q = 3*der(x) + s; r = der(y);",
      2, "s", -8, 1e-9, 0 },
    /* factors cancel by what they are, not by their values: x = 0 even where k is 0 */
    { "parameter Real k=0; Real x, y(start=1, fixed=true), a, b; equation k*a + b = x + y; "
      "2*k*a + 2*b = 2*y; der(x) = a - 2; der(y) = -y;",
      1, "a", 2, 1e-9, 1 },
    /* under a condition that changes: x = y before and after the event */
    { "Real x, y(start=1, fixed=true), a, b; equation (if time < 0.5 then 1 else 2)*a + b = x; "
      "(if time < 0.5 then 1 else 2)*a + b = y; der(y) = -y; der(x) = a - 1;",
      1, "a", 1 - 0.36787944117144233, 1e-6, 1 },
    /* a start value that the sum implies is checked, no condition too many */
    { "Real i0(start=0, fixed=true), a, b; equation 2*i0 = a + b; a + b = 0; a = sin(time) + der(i0);", 1,
      "b", -0.84147098480789651, 1e-12, 0 },
    /* large whole numbers cancel, and where elimination makes them too large, nothing is done */
    { "Real x, a, b; equation 1000000007*a + 998244353*b = x; 1000000007*a + 998244353*b = sin(time); "
      "der(x) = a;",
      1, "a", 0.54030230586813972, 1e-9, 0 },
    { "Real x(start=1e9, fixed=true), a, b, c; equation der(x) = -x; 1000000007*a + 998244353*b = x; "
      "998244353*a - 1000000007*b + 536870909*c = 2*x; 999999937*a + 536870909*b + 999999937*c = 0;",
      1, "a", 0.6909794621043831, 1e-6, 1 },
    /* a sum without states hides nothing: of open potentials only differences are known */
    { "Real x(start=1, fixed=true), a, b, c; equation der(x) = -a; a - b = x; b - c = 2*x; c = a - 3*x + b;",
      1, "a", 0.36787944117144233, 1e-6, 1 },
};

int main(void)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Run r;
        if (!CHECK_ROW(run_open(&r, rows[i].text, IR_AUTO), rows[i].text)) continue;
        bool ok = CHECK_ROW(r.model->shape.n == rows[i].states, rows[i].text);
        ok &= CHECK_ROW(run_start(&r, 0) && run_to(&r, rows[i].t_end), rows[i].text);
        ok &= CHECK_NEAR(run_value(&r, rows[i].name), rows[i].want, rows[i].tolerance);
        if (!ok) {
            Text out = { .arena = r.mini->arena };
            dae_print(r.system, &out);
            printf("  in row: %s\n%s", rows[i].text, out.at);
        }
        run_close(&r);
    }
    return test_end();
}
