/* export.c: a model as an FMU. Tests: tests/cli/export.sh. */
#include "api/inside.h"

#include <math.h>

static AcausalExport defaults(void)
{
    return (AcausalExport){ .fmi = 2, .model_exchange = true, .co_simulation = true, .binary = true };
}

void acausal_export_init(AcausalExport *options, size_t size)
{
    AcausalExport own = defaults();
    init_structure(options, size, &own, sizeof own);
}

static bool is_fmu(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && !strcmp(path + n - 4, ".fmu");
}

static bool check(AcausalSession *s, const char *path, const AcausalExport *o)
{
    const char *names;
    if (o->fmi != 2 && o->fmi != 3)
        return wrong(s, E_OPTION, "FMUs are written for FMI 2.0 and 3.0, not %d", o->fmi);
    if (!o->model_exchange && !o->co_simulation)
        return wrong(s, E_OPTION, "an FMU is for model exchange or co-simulation");
    if (!o->binary && !o->sources)
        return wrong(s, E_OPTION, "an FMU without binary and sources is of no use; ask for one of them");
    if (o->solver && !export_has_solver(o->solver, &names))
        return wrong(s, E_OPTION, "there is no solver '%s' for co-simulation; it is %s", o->solver, names);
    if (!is_fmu(path)) return wrong(s, E_OPTION, "the name of an FMU ends with .fmu, '%s' does not", path);
    return true;
}

static AcausalStatus export_model(AcausalSession *s, const char *source, const char *class_name,
                                  const char *path, const AcausalExport *o, AcausalExportReport *report)
{
    Translation t;
    ExportReport made = { 0 };
    if (!check(s, path, o)) return ACAUSAL_USAGE;
    if (is_fmu(source)) {
        wrong(s, E_OPTION, "'%s' is an FMU already; models of Modelica become one", source);
        return ACAUSAL_USAGE;
    }
    double begin = clock_wall();
    bool ok = translate(s, source, class_name, o->set, o->set_count, &t);
    report->translate_seconds = clock_wall() - begin;
    Arena *arena = arena_new();
    if (ok && arena) {
        Experiment e = class_experiment(t.cls);
        ExportOptions options = { .version = o->fmi,
                                  .exchange = o->model_exchange,
                                  .cosimulation = o->co_simulation,
                                  .sources = o->sources,
                                  .binary = o->binary,
                                  .solver = o->solver,
                                  .start = e.start,
                                  .stop = e.stop,
                                  .tolerance = e.tolerance,
                                  .interval = e.interval,
                                  .about = t.cls->comment && t.cls->comment->text.n
                                               ? arena_copy(s->arena, t.cls->comment->text)
                                               : "" };
        if (export_fmu(t.compiled, path, &options, arena, &s->diag, &made)) {
            report->variables = made.variables, report->states = made.states, report->inputs = made.inputs;
            report->outputs = made.outputs, report->tables = made.resources, report->bytes = made.bytes;
            report->binary_bytes = made.binary_bytes, report->c_bytes = made.source_bytes;
            report->describe_seconds = made.describe_seconds, report->compile_seconds = made.compile_seconds;
            report->pack_seconds = made.pack_seconds;
            report->identifier = arena_copy(s->arena, str_of(made.identifier));
            report->solver = arena_copy(s->arena, str_of(made.solver));
        }
    }
    if (arena) arena_free(arena);
    translation_free(&t);
    return session_status(s);
}

AcausalStatus acausal_export(AcausalSession *s, const char *source, const char *class_name, const char *path,
                             const AcausalExport *options, AcausalExportReport *report)
{
    AcausalExport own = defaults();
    AcausalExportReport r = { 0 };
    if (!is_sized(s, report) || !TAKE(s, own, options)) return ACAUSAL_USAGE;
    AcausalStatus status = export_model(s, source, class_name, path, &own, &r);
    GIVE(report, r);
    return status;
}
