/* increment.c: increments of difference quotients. A rule is a pure function; the table of named rules belongs to the
 * Jacobian issue.
 *
 * The default takes the power of two nearest below sqrt(u) max(|y|, floor), where the floor is what the tolerances
 * call small (1/weight) or a part of the nominal value, with the sign of y: then y + delta has the exponent of y or the
 * next one, the low bits of y are not lost (delta is a multiple of the spacing there, unless y is far below the floor),
 * and delta = (y + delta) - y holds exactly. Tests: tests/solve/doors_test.c. */
#include "solve/inside.h"

void increment_default(const IncrementInput *in, double *delta)
{
    const double root = sqrt(UROUND);
    for (int i = 0; i < in->n; i++) {
        double y = in->y[i], nominal = in->nominal ? fabs(in->nominal[i]) : 1.0;
        double floor_ = 1.0 / in->weight[i];
        if (!(floor_ > 0.0) || !isfinite(floor_))
            floor_ = isfinite(nominal) && nominal > 0.0 ? 1e-5 * nominal : 1e-5;
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
