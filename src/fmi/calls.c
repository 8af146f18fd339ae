/* calls.c: calls whose functions look the same in all versions of FMI: the table of names says what
 * they are called in each.
 *
 * A function that a version does not have does nothing and is fine; one that the binary should have
 * and lacks is an error of the call, and the instance's message names it. Tests:
 * tests/cli/fmu.sh. */
#include "fmi/inside.h"

#include <time.h>

typedef int (*Plain)(void *c);
typedef int (*Time)(void *c, double t);
typedef int (*Put)(void *c, const double *x, size_t n);
typedef int (*Take)(void *c, double *x, size_t n);
typedef int (*StateOut)(void *c, void **state);
typedef int (*StateIn)(void *c, void *state);
typedef int (*StateSize)(void *c, void *state, size_t *size);
typedef int (*StateBytes)(void *c, void *state, char *bytes, size_t size);
typedef int (*StateFrom)(void *c, const char *bytes, size_t size, void **state);
typedef int (*Ask)(void *c, int kind, int *value);
typedef int (*AskReal)(void *c, int kind, double *value);
typedef int (*Slopes)(void *c, const uint32_t *vr, size_t n, const int *order, const double *values);

const char *call_name(const Instance *i, CallId id)
{
    static const char *const names[CALL_COUNT][4] = {
#define CALL(id, me_1, cs_1, v_2, v_3) [id] = { me_1, cs_1, v_2, v_3 },
#include "fmi/calls.def"
#undef CALL
    };
    return names[id][i->d->version == FMI_1 ? i->which : (int)i->d->version];
}

CallStatus call_plain(Instance *i, CallId id)
{
    if (!*call_name(i, id)) return CALL_OK;
    FMU_FUNCTION(Plain, f, i, id);
    return f ? (CallStatus)f(i->component) : CALL_ERROR;
}

CallStatus call_time(Instance *i, CallId id, double t)
{
    FMU_FUNCTION(Time, f, i, id);
    return f ? (CallStatus)f(i->component, t) : CALL_ERROR;
}

CallStatus call_put(Instance *i, CallId id, const double *x, size_t n)
{
    FMU_FUNCTION(Put, f, i, id);
    return f ? (CallStatus)f(i->component, x, n) : CALL_ERROR;
}

CallStatus call_take(Instance *i, CallId id, double *x, size_t n)
{
    FMU_FUNCTION(Take, f, i, id);
    return f ? (CallStatus)f(i->component, x, n) : CALL_ERROR;
}

void call_free(Instance *i)
{
    typedef void (*Free)(void *c);
    FMU_FUNCTION(Free, f, i, FN_FREE);
    if (f) f(i->component);
    i->component = NULL;
}

/* ---- the state of an FMU --------------------------------------------------------------------- */

CallStatus call_state_out(Instance *i, CallId id, void **state)
{
    FMU_FUNCTION(StateOut, f, i, id);
    return f ? (CallStatus)f(i->component, state) : CALL_ERROR;
}

CallStatus call_restore(Instance *i, void *state)
{
    FMU_FUNCTION(StateIn, f, i, FN_RESTORE);
    return f ? (CallStatus)f(i->component, state) : CALL_ERROR;
}

CallStatus call_serialise(Instance *i, void *state, Arena *arena, Str *bytes)
{
    size_t n = 0;
    FMU_FUNCTION(StateSize, ask, i, FN_SERIALIZED_SIZE);
    FMU_FUNCTION(StateBytes, f, i, FN_SERIALIZE);
    CallStatus status = ask && f ? (CallStatus)ask(i->component, state, &n) : CALL_ERROR;
    if (status > CALL_WARNING) return status;
    char *at = arena_zero(arena, n);
    *bytes = (Str){ at, n };
    return (CallStatus)f(i->component, state, at, n);
}

CallStatus call_deserialise(Instance *i, Str bytes, void **state)
{
    FMU_FUNCTION(StateFrom, f, i, FN_DESERIALIZE);
    return f ? (CallStatus)f(i->component, bytes.at, bytes.n, state) : CALL_ERROR;
}

/* ---- co-simulation of versions 1 and 2 ------------------------------------------------------- */

CallStatus call_slopes(Instance *i, const uint32_t *vr, size_t n, const double *values)
{
    int *order = i->scratch;
    for (size_t k = 0; k < n; k++) order[k] = 1;
    FMU_FUNCTION(Slopes, f, i, FN_INPUT_DERIVATIVES);
    return f ? (CallStatus)f(i->component, vr, n, order, values) : CALL_ERROR;
}

/* Asks until a step that goes on by itself has ended, at first often, then a thousand times a
 * second. */
static CallStatus wait_for_step(Instance *i)
{
    enum { DO_STEP_STATUS = 0, MOST_NANOSECONDS = 1000000 };
    int value = CALL_PENDING;
    FMU_FUNCTION(Ask, ask, i, FN_STATUS);
    for (long pause = 1000; value == CALL_PENDING; pause = pause < MOST_NANOSECONDS ? 2 * pause : pause) {
        if (!ask || ask(i->component, DO_STEP_STATUS, &value) > CALL_WARNING) return CALL_ERROR;
        if (value == CALL_PENDING) nanosleep(&(struct timespec){ .tv_nsec = pause }, NULL);
    }
    return (CallStatus)value;
}

CallStatus call_end_of_step(Instance *i, CallStatus status, double t, CallStep *out)
{
    enum { LAST_TIME = 2, TERMINATED = 3 };
    int wants_end = 0;
    if (status == CALL_PENDING) status = wait_for_step(i);
    if (status != CALL_DISCARD) return status;
    FMU_FUNCTION(AskReal, last, i, FN_REAL_STATUS);
    if (!last || last(i->component, LAST_TIME, &out->last_time) > CALL_WARNING) out->last_time = t;
    if (!*call_name(i, FN_BOOLEAN_STATUS)) return status;
    FMU_FUNCTION(Ask, ended, i, FN_BOOLEAN_STATUS);
    if (ended && ended(i->component, TERMINATED, &wants_end) <= CALL_WARNING) out->terminate = wants_end != 0;
    return status;
}
