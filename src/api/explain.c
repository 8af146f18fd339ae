/* explain.c: why a model does not start. In: a compiled model. Out: a report. Tests:
 * tests/cli/explain.sh. */
#include "api/inside.h"

#include <math.h>

static const double SEARCH_SECONDS = 20;

ExplainModel explain_model(AcausalModel *m)
{
    return (ExplainModel){ .compiled = m->t.compiled, .sources = m->session->sources, .arena = m->texts };
}

AcausalStatus acausal_explain_start(AcausalModel *m, const AcausalExplainStart *options, AcausalFormat format,
                                    AcausalWrite write, void *arg)
{
    AcausalExplainStart own = { .size = sizeof own, .start = NAN };
    if (!TAKE(m->session, own, options)) return ACAUSAL_USAGE;
    if (m->fmu || m->couple) {
        wrong(m->session, E_OPTION, "an FMU does not show its equations: only Modelica can be explained");
        return ACAUSAL_WRONG;
    }
    Experiment e = model_experiment(m);
    ExplainModel what = explain_model(m);
    ExplainStart start = { .t = !isnan(own.start) ? own.start
                                : !isnan(e.start) ? e.start
                                                  : 0,
                           .time_limit = own.time_limit > 0 ? own.time_limit : SEARCH_SECONDS,
                           .interrupt = own.interrupt };
    Text text = { .arena = m->texts };
    bool ok = explain_start(&what, &start, format == ACAUSAL_JSON, &text);
    write(arg, text.at, text.n);
    return ok ? ACAUSAL_DONE : ACAUSAL_FAILED;
}
