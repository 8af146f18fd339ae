/* stats.c: what a run did, as lines for people or as JSON. One table holds both. Tests:
 * tests/sim/driver_test.c. */
#include "sim/inside.h"

#include <stddef.h>

typedef struct {
    const char *key, *about;
    size_t at; /* in SimStats */
    enum { FIGURE_COUNT, FIGURE_REAL, FIGURE_SECONDS } kind;
} Figure;

#define COUNTED(key, about, field)                          \
    {                                                       \
        key, about, offsetof(SimStats, field), FIGURE_COUNT \
    }
static const Figure figures[] = {
    COUNTED("steps", "steps", work.steps),
    COUNTED("rejected_error", "  rejected for their error", work.rejected_error),
    COUNTED("rejected_newton", "  rejected by Newton", work.rejected_newton),
    COUNTED("rejected_model", "  rejected by the model", work.rejected_model),
    COUNTED("evaluations", "evaluations", work.f),
    COUNTED("jacobian_evaluations", "  for Jacobians", work.f_jacobian),
    COUNTED("jacobians", "Jacobians", work.jacobians),
    COUNTED("curvature_learnt", "  with second differences", work.learnt),
    COUNTED("factorisations", "factorisations", work.factors),
    COUNTED("indicator_evaluations", "indicator evaluations", work.indicators),
    { "smallest_step", "smallest step", offsetof(SimStats, work.h_least), FIGURE_REAL },
    { "largest_step", "largest step", offsetof(SimStats, work.h_most), FIGURE_REAL },
    COUNTED("state_events", "state events", state_events),
    COUNTED("time_events", "time events", time_events),
    COUNTED("input_events", "input jumps", input_events),
    COUNTED("event_iterations", "event iterations", event_iterations),
    COUNTED("restarts", "restarts", restarts),
    COUNTED("kept", "  events that kept the history", work.kept),
    COUNTED("starters", "  steps of starters", work.starters),
    COUNTED("order_restarts", "  steps at order 1 after events", work.low_restarts),
    COUNTED("state_selections", "other states selected", state_selections),
    COUNTED("rows", "rows", rows),
    { "initialise_s", "seconds to initialise", offsetof(SimStats, initialise_s), FIGURE_SECONDS },
    { "integrate_s", "seconds to integrate", offsetof(SimStats, integrate_s), FIGURE_SECONDS },
    { "event_s", "seconds in events", offsetof(SimStats, event_s), FIGURE_SECONDS },
    { "output_s", "seconds for output", offsetof(SimStats, output_s), FIGURE_SECONDS },
    { "total_s", "seconds in all", offsetof(SimStats, total_s), FIGURE_SECONDS },
};

static const char *const ends[] = { "done", "terminated", "interrupted", "time limit", "failed", "wrong" };

static void add_figure(const Figure *f, const SimStats *stats, bool json, Text *out)
{
    const char *at = (const char *)stats + f->at;
    long count;
    double real;
    if (f->kind == FIGURE_COUNT) {
        memcpy(&count, at, sizeof count);
        text_printf(out, json ? ",\"%s\":%ld" : "%-28s %ld\n", json ? f->key : f->about, count);
        return;
    }
    memcpy(&real, at, sizeof real);
    text_printf(out, json ? ",\"%s\":%.9g" : "%-28s %.3g\n", json ? f->key : f->about, real);
}

static void add_source(const SolverStats *work, Text *out)
{
    text_printf(out, "%-28s %s", "Jacobian values", work->jacobian_source);
    if (work->colours > 0)
        text_printf(out, ", in %d evaluation%s", work->colours, work->colours == 1 ? "" : "s");
    if (*work->increment) text_printf(out, ", increments by the rule %s", work->increment);
    text_add_literal(out, "\n");
}

void sim_write_stats(const SimReport *report, bool json, Text *out)
{
    const SimStats *stats = &report->stats;
    if (json) {
        text_printf(out, "{\"end\":\"%s\",\"t\":", ends[report->end]);
        text_add_real(out, report->t);
        text_printf(out, ",\"solver\":\"%s\",\"choice\":", stats->solver);
        text_add_json(out, str_of(stats->choice));
        text_add_literal(out, ",\"message\":");
        text_add_json(out, str_of(report->message));
        text_printf(out, ",\"jacobian_source\":\"%s\",\"jacobian_colours\":%d,\"increment\":\"%s\"",
                    stats->work.jacobian_source, stats->work.colours, stats->work.increment);
    } else {
        text_printf(out, "%-28s %s at t = %.9g\n", "run", ends[report->end], report->t);
        text_printf(out, "%-28s %s (%s)\n", "integrator", stats->solver, stats->choice);
        if (*stats->work.jacobian_source) add_source(&stats->work, out);
    }
    for (size_t i = 0; i < COUNT_OF(figures); i++) add_figure(&figures[i], stats, json, out);
    if (json) text_add_literal(out, "}\n");
}
