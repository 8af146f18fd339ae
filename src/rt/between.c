/* between.c: where, between the two ends of a step, signals are noted that operators with a
 * history look up later.
 *
 * In: a way to the values between (an integrator's own, or a polynomial through both ends). Out:
 * notes, as near to each other as the signals ask for: a point that the notes before it do not
 * predict within the tolerance is noted sooner. Signals that do not depend on states do not make
 * steps short, however steep they are. Always: notes ascend, none is at the end itself. Cost: one
 * evaluation a note, and one for each that came too late. Tests: tests/rt/history_test.c. */
#include "rt/rt.h"

#include <math.h>

enum { NOTES_A_STEP = 4 };              /* at least */
static const double SMALL_ERROR = 0.02; /* of the tolerance: then points may be twice as far */

void rt_note_between(const RtBetween *b, double from, double to, double *note_step)
{
    double most = (to - from) / NOTES_A_STEP, t = from;
    int is_end = 0;
    while (!is_end) {
        double step = fmin(fmax(*note_step, b->least), most), next = t + step;
        if (!(next > t)) return; /* nothing is between two neighbouring times */
        is_end = next >= to - 0.5 * step;
        if (is_end) next = to;
        double error = b->extrapolation_error(b->arg, next) / b->tolerance;
        *note_step = step * (error > 1.0 ? 0.5 : error < SMALL_ERROR ? 2.0 : 1.0);
        if (error > 1.0 && step > b->least) {
            is_end = 0;
        } else if (!is_end) {
            b->note(b->arg, next);
            t = next;
        }
    }
}
