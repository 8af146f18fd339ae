/* slave.c: a step of co-simulation: the integrator, events, what an importer set before it.
 *
 * Tests: tests/cli/export.sh. */
#include "unit/unit.h"

#include <math.h>

enum { MOST_EVENTS = 100000 }; /* in one step: a model that chatters does not come further */

/* Inputs moved since the last step: an event if a relation says so, or if they are discrete. */
static UnitStatus take_inputs(UnitInstance *u)
{
    int has_event = unit_integrator_input(u->integrator, u->t, u->y) || u->inputs_moved > 1;
    u->inputs_moved = 0;
    if (!has_event) return UNIT_OK;
    UnitStatus status = unit_update_discrete(u);
    if (status == UNIT_OK) unit_integrator_restart(u->integrator, u->t, u->y, &u->event);
    return status;
}

UnitStatus unit_step(UnitInstance *u, double to, int *event_needed)
{
    long events = 0;
    *event_needed = 0;
    if (!isfinite(to)) return unit_fail(u, UNIT_ERROR, "there is no step to time %g", to);
    if (u->is_terminated) return unit_fail(u, UNIT_DISCARD, "the model has ended: %s", u->end_message);
    UnitStatus status = u->inputs_moved ? take_inputs(u) : UNIT_OK;
    while (status == UNIT_OK && u->t < to && !u->is_terminated) {
        unit_outdate(u);
        Advance way = unit_integrator_advance(u->integrator, to, u->stop, &u->t, u->y);
        if (way == ADVANCED_FAILED) {
            const char *why = run_message(u->run);
            return unit_fail(u, UNIT_DISCARD, "no step at time %.10g%s%s", u->t, *why ? ": " : "", why);
        }
        if (way == ADVANCED) continue;
        if (++events > MOST_EVENTS)
            return unit_fail(u, UNIT_DISCARD, "at time %.10g: more than %d events in one step", u->t,
                             MOST_EVENTS);
        if (u->wants_events && (u->may_stop || u->t >= to)) {
            *event_needed = 1;
            return UNIT_OK;
        }
        status = unit_update_discrete(u);
        if (status == UNIT_OK) unit_integrator_restart(u->integrator, u->t, u->y, &u->event);
    }
    if (status == UNIT_OK && u->is_terminated) return UNIT_DISCARD;
    return status;
}
