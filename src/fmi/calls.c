/* calls.c: calls whose functions look the same in all versions of FMI: the version says which by its place in its table of names.
 *
 * A function that the binary does not have is an error of the call; the instance's message names it. Tests: tests/cli/fmu.sh. */
#include "fmi/inside.h"

typedef int (*Plain)(void *c);
typedef int (*Time)(void *c, double t);
typedef int (*Put)(void *c, const double *x, size_t n);
typedef int (*Take)(void *c, double *x, size_t n);
typedef int (*StateOut)(void *c, void **state);
typedef int (*StateIn)(void *c, void *state);

CallStatus call_plain(Instance *i, int which)
{
    FMU_FUNCTION(Plain, f, i, which);
    return f ? (CallStatus)f(i->component) : CALL_ERROR;
}

CallStatus call_time(Instance *i, int which, double t)
{
    FMU_FUNCTION(Time, f, i, which);
    return f ? (CallStatus)f(i->component, t) : CALL_ERROR;
}

CallStatus call_put(Instance *i, int which, const double *x, size_t n)
{
    FMU_FUNCTION(Put, f, i, which);
    return f ? (CallStatus)f(i->component, x, n) : CALL_ERROR;
}

CallStatus call_take(Instance *i, int which, double *x, size_t n)
{
    FMU_FUNCTION(Take, f, i, which);
    return f ? (CallStatus)f(i->component, x, n) : CALL_ERROR;
}

CallStatus call_state_out(Instance *i, int which, void **state)
{
    FMU_FUNCTION(StateOut, f, i, which);
    return f ? (CallStatus)f(i->component, state) : CALL_ERROR;
}

CallStatus call_state_in(Instance *i, int which, void *state)
{
    FMU_FUNCTION(StateIn, f, i, which);
    return f ? (CallStatus)f(i->component, state) : CALL_ERROR;
}
