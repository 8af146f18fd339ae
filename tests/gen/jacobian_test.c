/* The exact sparse Jacobian agrees with central differences, entry by entry, through explicit
 * assignments, linear and nonlinear blocks and reduced index; entries outside of the pattern are
 * zero. */
#include "gen/world.h"

static const char *const rows[] = {
    "Real x(start=1, fixed=true), y(start=2, fixed=true); equation der(x) = sin(x)*y + time; der(y) = x^3/(1 "
    "+ y^2);",
    "Real x(start=1.5, fixed=true), y(start=0.7, fixed=true), a, b; equation a + x*b = y; a - y*b = exp(-x); "
    "der(x) = a; "
    "der(y) = b*x;",
    "Real x(start=1.5, fixed=true), y(start=0.7, fixed=true), a(start=1), b(start=1); equation a^3 + b = x; "
    "b^3 + a*y = 2; "
    "der(x) = a*b; der(y) = a - b;",
    "Real x(start=0.3, fixed=true), y(start=0.7, fixed=true), z(start=1.1, fixed=true); equation der(x) = "
    "tan(x)+atan(y)+sqrt(z); der(y) = asin(x)+acos(y)+atan2(x, z); der(z) = "
    "tanh(x)+sinh(y)*cosh(z)+log(z)+log10(y)+abs(x - y)+x^y+min(x, y)*max(y, z)-x/y;",
    "Real x(start=0.3, fixed=true), y(start=0.7, fixed=true); equation der(x) = if x < 0.5 then x*y else y; "
    "der(y) = "
    "noEvent(if x < 0.5 then x^2 else y);",
    "Real x(start=0.8), y(start=0.6), vx, vy, F; equation der(x) = vx; der(y) = vy; der(vx) = -F*x; der(vy) "
    "= -F*y - "
    "9.81; x^2 + y^2 = 1;",
    /* a rate that is a state, one that two states share, one that a block gives, one that does not
     * depend on states */
    "Real x(start=1, fixed=true), y(start=2, fixed=true), z(start=0.3, fixed=true), w(start=1, fixed=true); "
    "Real a, b; "
    "equation der(x) = y; der(y) = a; der(z) = a; der(w) = time; a + x*b = y*z; a - y*b = exp(-x)*w;",
    /* two blocks in a row: the second takes what the first one gives, and what is assigned inside
     * of it */
    "Real x(start=1.5, fixed=true), y(start=0.7, fixed=true), a(start=1), b(start=1), c, e(start=1), "
    "g(start=0.5); equation "
    "a^3 + b = x; b^3 + a*y = 2; c = a*b; e^3 + g*c = y + 1; g^3 + e*b = a + 1; der(x) = e*c; der(y) = g*a - "
    "b;",
};

int main(void)
{
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        Run r;
        if (!CHECK_ROW(run_open(&r, rows[row], IR_AUTO), rows[row])) continue;
        if (!CHECK_ROW(run_start(&r, 0.25), rows[row])) continue;
        Model *m = r.model;
        int n = m->shape.n;
        MatrixShape *shape = matrix_shape_as(r.mini->arena, MATRIX_DENSE, n, NULL);
        double J[64] = { 0 }, up[8], down[8];
        CHECK_ROW(m->type->jacobian(m, r.t, r.y, shape, J) == EVAL_OK, rows[row]);
        for (int j = 0; j < n; j++) {
            double keep = r.y[j], h = 1e-5;
            r.y[j] = keep + h;
            m->type->derivatives(m, r.t, r.y, up);
            r.y[j] = keep - h;
            m->type->derivatives(m, r.t, r.y, down);
            r.y[j] = keep;
            for (int i = 0; i < n; i++) {
                double difference = (up[i] - down[i]) / (2 * h);
                if (!CHECK_NEAR(J[j * n + i], difference, 1e-7 * (1 + fabs(difference))))
                    printf("  entry %d %d of %s\n", i, j, rows[row]);
                CHECK_ROW(pattern_find(m->shape.pattern, i, j) >= 0 || difference == 0, rows[row]);
            }
        }
        run_close(&r);
    }
    return test_end();
}
