/* export.c: `acausal export`. */
#include "cli/cli.h"

#include <string.h>

static bool read_kinds(const Args *args, AcausalExport *o)
{
    const char *kinds = args_value(args, "--kind");
    if (!kinds) return true;
    o->model_exchange = !strcmp(kinds, "me") || !strcmp(kinds, "me,cs") || !strcmp(kinds, "cs,me");
    o->co_simulation = !strcmp(kinds, "cs") || !strcmp(kinds, "me,cs") || !strcmp(kinds, "cs,me");
    if (o->model_exchange || o->co_simulation) return true;
    usage_error(args->command, "--kind is me, cs or me,cs, not '%s'", kinds);
    return false;
}

/* By the names of both versions of the standard. */
static bool is_this_machine(const char *platform)
{
#if defined(__x86_64__) && defined(__linux__)
    if (!strcmp(platform, "linux64") || !strcmp(platform, "x86_64-linux")) return true;
#endif
    return !strcmp(platform, "host");
}

static bool read_options(const Args *args, AcausalExport *o)
{
    const char *fmi = args_value(args, "--fmi"), *platform = args_value(args, "--platform");
    *o = acausal_export_options();
    if (fmi)
        o->fmi = !strcmp(fmi, "2") || !strcmp(fmi, "2.0")   ? 2
                 : !strcmp(fmi, "3") || !strcmp(fmi, "3.0") ? 3
                                                            : 0;
    if (!o->fmi) {
        usage_error(args->command, "--fmi is 2 or 3, not '%s'", fmi);
        return false;
    }
    o->sources = args_has(args, "--sources");
    o->solver = args_value(args, "--solver");
    if (platform && strcmp(platform, "none") != 0 && !is_this_machine(platform)) {
        usage_error(args->command,
                    "--platform is host (this machine) or none, not '%s'; --sources lets others compile",
                    platform);
        return false;
    }
    o->binary = !platform || strcmp(platform, "none") != 0;
    return read_kinds(args, o);
}

static void show_report(const Args *args, const char *path, const AcausalExport *o,
                        const AcausalExportReport *r)
{
    const char *kinds = !o->co_simulation ? "me" : !o->model_exchange ? "cs" : "me,cs";
    if (args->json) {
        printf("{\"fmu\":\"%s\",\"fmi\":%d,\"kinds\":\"%s\",\"identifier\":\"%s\",\"variables\":%zu,"
               "\"states\":%zu,"
               "\"inputs\":%zu,\"outputs\":%zu,\"tables\":%zu,\"solver\":\"%s\",\"bytes\":%zu,\"binary_"
               "bytes\":%zu,"
               "\"translate_s\":%.6f,\"describe_s\":%.6f,\"compile_s\":%.6f,\"pack_s\":%.6f}\n",
               path, o->fmi, kinds, r->identifier, r->variables, r->states, r->inputs, r->outputs, r->tables,
               r->solver, r->bytes, r->binary_bytes, r->translate_seconds, r->describe_seconds,
               r->compile_seconds, r->pack_seconds);
        return;
    }
    if (args->quiet) return;
    printf("%s: FMI %d.0, %s%s%s\n", path, o->fmi, kinds, o->co_simulation ? ", solver " : "",
           o->co_simulation ? r->solver : "");
    printf("  variables   %zu (%zu states, %zu inputs, %zu outputs)\n", r->variables, r->states, r->inputs,
           r->outputs);
    if (r->tables) printf("  resources   %zu data file%s\n", r->tables, r->tables == 1 ? "" : "s");
    printf("  size        %zu kB%s", (r->bytes + 500) / 1000, r->binary_bytes ? "" : ", no binary\n");
    if (r->binary_bytes) printf(", binary %zu kB\n", (r->binary_bytes + 500) / 1000);
    printf("  seconds     translate %.3f, describe %.3f, compile %.3f, pack %.3f\n", r->translate_seconds,
           r->describe_seconds, r->compile_seconds, r->pack_seconds);
}

static AcausalStatus export_model(const Args *args, AcausalSession *session, const char *source,
                                  const char *class_name)
{
    AcausalExport options = acausal_export_options();
    AcausalExportReport report = { .size = sizeof report };
    const char *path = args_value(args, "-o");
    if (!path) return usage_error(args->command, "say where to: -o M.fmu");
    if (!read_options(args, &options)) return ACAUSAL_USAGE;
    set_values(args, session);
    AcausalStatus status = acausal_export(session, source, class_name, path, &options, &report);
    show_diagnostics(args, session);
    if (status == ACAUSAL_DONE) show_report(args, path, &options, &report);
    return status;
}

static AcausalStatus run_export(const Args *args) { return run_on_model(args, export_model); }

static const Option options[] = {
    { "-o", "M.fmu", "the FMU to write" },
    { "--fmi", "2|3", "the version of the standard: 2 (default) or 3" },
    { "--kind", "me,cs", "model exchange, co-simulation or both (default)" },
    { "--sources", NULL, "puts the C sources into it" },
    { "--platform", "host|none", "the binary: for this machine (default), or none" },
    { "--solver", "NAME", "of co-simulation: dopri5 (explicit), radau5 (stiff), euler-li (fixed step)" },
    OPTION_LIB,
    OPTION_SET,
};

const Command command_export = {
    .name = "export",
    .usage = "SOURCE [CLASS] -o M.fmu",
    .summary = "Writes a model as an FMU, for FMI 2.0 or 3.0",
    .about =
        "SOURCE is a .mo file, a library's directory, or a class found in the libraries. The binary is "
        "made by the C compiler of\n"
        "the system ($CC, or cc); it needs libc and libm only. `acausal simulate M.fmu` runs it.\n\n"
        "  acausal export models/Pendulum.mo -o Pendulum.fmu\n"
        "  acausal export models/Circuit.mo Circuit.RLC -o RLC.fmu --fmi 3 --sources\n"
        "  acausal export models/Robertson.mo Robertson.ODE -o Robertson.fmu --kind cs --solver radau5\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_export,
};
