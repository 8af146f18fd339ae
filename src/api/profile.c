/* profile.c: where the time of a run goes. In: a compiled model. Out: a report. Tests:
 * tests/cli/profile.sh. */
#include "api/inside.h"

static void begin(void *arg, Model *model, SimOptions *options)
{
    explain_profile_begin(arg, model, options);
}
static void end(void *arg, const SimReport *report) { explain_profile_end(arg, report); }

AcausalStatus acausal_profile(AcausalModel *m, const AcausalProfile *options, AcausalFormat format,
                              AcausalWrite write, void *arg)
{
    AcausalProfile own = { .size = sizeof own };
    AcausalSimulation run;
    AcausalSimulationReport report;
    if (!TAKE(m->session, own, options) || !take_simulation(m->session, &run, own.run)) return ACAUSAL_USAGE;
    if (m->fmu || m->couple || wants_residual_form(&run)) {
        wrong(m->session, E_OPTION, "only equations of Modelica in their usual form can be profiled");
        return ACAUSAL_WRONG;
    }
    size_t structural = 0;
    const char **set = NEW_ARRAY(m->texts, const char *, run.set_count + 1);
    for (size_t i = 0; i < run.set_count; i++) set[i] = run.set[i];
    if (!model_build_for(m, set, run.set_count, &structural)) return ACAUSAL_WRONG;
    Arena *arena = arena_new();
    if (!arena) return tell_memory(m->session), ACAUSAL_BUG;
    ExplainModel what = { .compiled = m->t.compiled, .sources = m->session->sources, .arena = arena };
    Profile *profile = explain_profile(&what);
    m->watch = begin, m->watched = end, m->watch_arg = profile;
    AcausalStatus status = model_run(m, &run, &report);
    AcausalStatus more = status;
    while (more == ACAUSAL_DONE && !explain_profile_is_enough(profile)) {
        AcausalSimulationReport again;
        more = model_run(m, &run, &again);
    }
    explain_profile_stop(profile);
    m->watch = NULL, m->watched = NULL;
    Text text = { .arena = arena };
    if (status != ACAUSAL_WRONG) {
        explain_profile_write(profile,
                              own.page                 ? PROFILE_HTML
                              : format == ACAUSAL_JSON ? PROFILE_JSON
                                                       : PROFILE_TEXT,
                              &text);
        write(arg, text.at, text.n);
    }
    arena_free(arena);
    return status;
}
