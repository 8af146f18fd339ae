/* debug.c: a run that is stopped, looked at, and goes on. In: a compiled model, commands. Out:
 * answers. Tests: tests/cli/debug.sh. */
#include "api/inside.h"

typedef struct {
    const AcausalDebug *own;
    AcausalWrite write;
    void *arg;
} Ends;

static size_t pass_read(void *arg, char *to, size_t n)
{
    const Ends *ends = arg;
    return ends->own->read(ends->own->read_arg, to, n);
}

static void pass_write(void *arg, const char *text, size_t n)
{
    const Ends *ends = arg;
    ends->write(ends->arg, text, n);
}

AcausalStatus acausal_debug(AcausalModel *m, const AcausalDebug *options, AcausalWrite write, void *arg)
{
    AcausalDebug own = { .size = sizeof own };
    AcausalSimulation run;
    SimOptions sim;
    if (!TAKE(m->session, own, options) || !take_simulation(m->session, &run, own.run)) return ACAUSAL_USAGE;
    if (!own.read) return wrong(m->session, E_OPTION, "nobody gives commands"), ACAUSAL_USAGE;
    if (m->fmu || m->couple || wants_residual_form(&run) || run.inputs || run.output) {
        wrong(m->session, E_OPTION,
              "only equations of Modelica in their usual form, without files of inputs and outputs, can be "
              "debugged");
        return ACAUSAL_WRONG;
    }
    if (!model_begin(m, &run, false, &sim)) return ACAUSAL_WRONG;
    Arena *arena = arena_new();
    if (!arena) return tell_memory(m->session), ACAUSAL_BUG;
    ExplainModel what = { .compiled = m->t.compiled, .sources = m->session->sources, .arena = arena };
    Ends ends = { &own, write, arg };
    DebugIo io = { pass_read, pass_write, &ends, own.echoes, own.protocol };
    bool ok = explain_debug(&what, m->model, &sim, &io);
    model_detach_handlers(m);
    arena_free(arena);
    return ok ? ACAUSAL_DONE : ACAUSAL_FAILED;
}
