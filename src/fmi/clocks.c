/* clocks.c: input clocks of version 3 that time makes tick: periodic ones, and those whose next
 * interval the FMU tells.
 *
 * In: the description's clocks. Out: the time of the next tick, and ticks told to the FMU in event
 * mode. A clock that is triggered is not one of them. Always: the ticks of a clock with a constant
 * interval are multiples of it, so nothing drifts. Tests: tests/cli/fmu.sh. */
#include "fmi/inside.h"

typedef enum {
    VARIES_CONSTANT,
    VARIES_FIXED,
    VARIES_CALCULATED,
    VARIES_TUNABLE,
    VARIES_CHANGING,
    VARIES_COUNTDOWN
} ClockVaries;

static const char *const varieties[] = {
    "constant", "fixed", "calculated", "tunable", "changing", "countdown"
};
static const double SAME_TICK = 1e-12; /* of the time: ticks this near are due */

typedef int (*GetInterval)(void *c, const uint32_t *vr, size_t n, double *intervals, int *qualifiers);
typedef int (*GetShift)(void *c, const uint32_t *vr, size_t n, double *shifts);
typedef int (*SetClock)(void *c, const uint32_t *vr, size_t n, const bool *ticks);

void clocks_make(ClockTable *clocks, const FmuDescription *d, Arena *arena)
{
    VEC(FmuClock) found = { 0 };
    for (uint32_t k = 0; k < d->variables.n; k++) {
        const FmuVariable *v = &d->variables.at[k];
        if (v->base != FMU_CLOCK || v->causality != FMU_INPUT || v->is_alias_entry) continue;
        for (uint8_t kind = 0; kind < COUNT_OF(varieties); kind++) {
            FmuClock clock = {
                .vr = v->vr, .varies = kind, .interval = v->interval, .from = v->shift, .next = INFINITY
            };
            if (!strcmp(v->interval_variability, varieties[kind])) vec_push(arena, &found, clock);
        }
    }
    *clocks = (ClockTable){ found.at, found.n };
}

/* What the FMU says of a clock's interval: whether there is a new one. */
static CallStatus ask_interval(Instance *i, FmuClock *clock, bool *is_new)
{
    enum { CHANGED = 2 };
    int qualifier = 0;
    double interval = NAN;
    FMU_FUNCTION(GetInterval, f, i, FN_INTERVAL);
    CallStatus status = f ? (CallStatus)f(i->component, &clock->vr, 1, &interval, &qualifier) : CALL_ERROR;
    *is_new = status <= CALL_WARNING && qualifier == CHANGED && interval >= 0;
    if (*is_new) clock->interval = interval;
    return status;
}

static double tick_time(const FmuClock *clock)
{
    return clock->from + (double)clock->ticks * clock->interval;
}

CallStatus clocks_start(ClockTable *clocks, Instance *i, double t)
{
    for (size_t k = 0; k < clocks->n; k++) {
        FmuClock *clock = &clocks->at[k];
        bool is_new;
        double shift = isnan(clock->from) ? 0 : clock->from;
        CallStatus status = CALL_OK;
        clock->ticks = 0;
        if (clock->varies == VARIES_COUNTDOWN) continue;
        if (clock->varies >= VARIES_CALCULATED || isnan(clock->interval)) {
            status = ask_interval(i, clock, &is_new);
            FMU_FUNCTION(GetShift, f, i, FN_SHIFT);
            if (f && status <= CALL_WARNING && f(i->component, &clock->vr, 1, &shift) > CALL_WARNING)
                shift = 0;
        }
        if (status > CALL_WARNING) return status;
        clock->from = t + shift;
        clock->next = clock->interval > 0 ? tick_time(clock) : INFINITY;
    }
    return CALL_OK;
}

static bool is_due(const FmuClock *clock, double t)
{
    return clock->next <= t + SAME_TICK * fmax(1, fabs(t));
}

CallStatus clocks_tick(ClockTable *clocks, Instance *i, double t)
{
    bool tick = true;
    for (size_t k = 0; k < clocks->n; k++) {
        FmuClock *clock = &clocks->at[k];
        if (!is_due(clock, t)) continue;
        FMU_FUNCTION(SetClock, f, i, FN_SET_CLOCK);
        CallStatus status = f ? (CallStatus)f(i->component, &clock->vr, 1, &tick) : CALL_ERROR;
        if (status > CALL_WARNING) return status;
        clock->ticks++;
        clock->next = clock->varies == VARIES_COUNTDOWN ? INFINITY : tick_time(clock);
    }
    return CALL_OK;
}

CallStatus clocks_renew(ClockTable *clocks, Instance *i, double t)
{
    for (size_t k = 0; k < clocks->n; k++) {
        FmuClock *clock = &clocks->at[k];
        bool is_new = false;
        if (clock->varies < VARIES_TUNABLE) continue;
        CallStatus status = ask_interval(i, clock, &is_new);
        if (status > CALL_WARNING) return status;
        if (!is_new) continue;
        /* counted from the last tick, or for a countdown from now */
        clock->from = clock->varies == VARIES_COUNTDOWN || clock->ticks ? t : clock->from;
        clock->ticks = 1;
        clock->next = tick_time(clock);
    }
    return CALL_OK;
}

double clocks_next(const ClockTable *clocks)
{
    double next = INFINITY;
    for (size_t k = 0; k < clocks->n; k++) next = fmin(next, clocks->at[k].next);
    return next;
}
