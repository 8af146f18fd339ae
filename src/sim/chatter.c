/* chatter.c: notices state events that repeat without end, and names what repeats.
 *
 * How: the last CHATTER_EVENTS events are kept; when all of them lie within a billionth of the run,
 * going on at this pace would take a thousand billion events. Sliding modes without hysteresis are
 * found so. The window is that long because a ball that bounces ever shorter, and is then put to
 * rest by its model, has some hundred events in the last billionth, which are fine. Cost: O(1) an
 * event. Tests: tests/sim/hybrid_test.c. */
#include "sim/inside.h"

#include <math.h>
#include <stdio.h>

static const double SHARE_OF_RUN = 1e-9;

bool chatter_note(Chatter *c, double t, int indicator, double span)
{
    long place = c->n++ % CHATTER_EVENTS;
    double before = c->t[place];
    c->t[place] = t;
    c->indicator[place] = indicator;
    return c->n > CHATTER_EVENTS && t - before <= SHARE_OF_RUN * fmax(span, 1e-3 * fabs(t));
}

/* The indicator that appears most often in the window. */
static int worst_of(const Chatter *c, int *times)
{
    int worst = 0;
    *times = 0;
    for (int i = 0; i < CHATTER_EVENTS; i++) {
        int n = 0;
        for (int j = 0; j < CHATTER_EVENTS; j++) n += c->indicator[j] == c->indicator[i];
        if (n > *times) *times = n, worst = c->indicator[i];
    }
    return worst;
}

int chatter_explain(const Chatter *c, const Model *model, char *text, size_t room)
{
    int times, worst = worst_of(c, &times);
    char name[64];
    const char *relation = name;
    snprintf(name, sizeof name, "indicator %d", worst + 1);
    if (model->shape.indicator_names) relation = model->shape.indicator_names[worst];
    snprintf(
        text, room,
        "events repeat without end at t = %.9g: '%s' changed %d times in the last %d events; it switches "
        "what makes it switch back. Give it a hysteresis, or write noEvent() or smooth() around an "
        "expression that is continuous",
        c->t[(c->n - 1) % CHATTER_EVENTS], relation, times, CHATTER_EVENTS);
    return worst;
}
