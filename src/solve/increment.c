/* increment.c: increments of difference quotients. A rule is a pure function; the table of named rules
 * belongs to the Jacobian issue.
 *
 * The default takes the power of two nearest below sqrt(u) max(|y|, floor), with the sign of y. The floor
 * is a part of |y| + atol/rtol, the size below which tolerances call a component small (or of its nominal
 * value, where rtol is 0): an increment much below it would drown in the noise of f. Then y + delta has
 * the exponent of y or the next one, delta is a multiple of the spacing there unless y is far below the
 * floor, and delta = (y + delta) - y holds exactly. Tests: tests/solve/doors_test.c. */
#include "solve/inside.h"

static const double FLOOR_SHARE = 1e-2;

void increment_default(const IncrementInput *in, double *delta)
{
    const double root = sqrt(UROUND);
    for (int i = 0; i < in->n; i++) {
        double y = in->y[i], nominal = in->nominal ? fabs(in->nominal[i]) : 1.0;
        double floor_ = in->rtol > 0.0 ? FLOOR_SHARE / (in->weight[i] * in->rtol) : 0.0;
        if (!(floor_ > 0.0) || !isfinite(floor_))
            floor_ = FLOOR_SHARE * (isfinite(nominal) && nominal > 0.0 ? nominal : 1.0);
        double size = root * fmax(fabs(y), floor_);
        int exponent;
        frexp(fmax(size, 1e-290), &exponent);
        double d = copysign(ldexp(1.0, exponent - 1), y);
        /* volatile: the sum must be rounded to a double before the difference is taken */
        volatile double moved = y + d;
        d = moved - y;
        delta[i] = d != 0.0 ? d : copysign(fmax(size, 1e-290), y);
    }
}
