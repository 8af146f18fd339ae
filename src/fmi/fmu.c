/* fmu.c: an FMU as a whole: opened, described, shown. Tests: tests/cli/fmu.sh. */
#include "fmi/inside.h"

#include <stdlib.h>

/* What failed without a word failed since memory is out. */
static Fmu *give_up(const char *path, unsigned errors_before, Diag *diag)
{
    if (diag->errors == errors_before) diag_add_file(diag, E_OUT_OF_MEMORY, path, "no memory to read this");
    return NULL;
}

Fmu *fmu_open(const char *path, const FmuLimits *limits, Sources *sources, Diag *diag)
{
    Str bytes;
    Arena *arena = arena_new();
    unsigned errors = (unsigned)diag->errors;
    if (!arena) return give_up(path, errors, diag);
    Fmu *fmu = NEW(arena, Fmu);
    *fmu = (Fmu){ .arena = arena, .path = arena_copy(arena, str_of(path)), .diag = diag };
    fmu->archive = archive_open(fmu->path, limits, diag);
    if (fmu->archive && archive_read(fmu->archive, "modelDescription.xml", arena, &bytes)) {
        fmu->source = source_add_text(sources, arena_printf(arena, "%s/modelDescription.xml", path), bytes);
        if (fmu->source) fmu->d = fmu_describe(fmu->source, arena, diag);
    }
    if (fmu->d) {
        terminals_read(fmu, sources);
        return fmu;
    }
    fmu_close(fmu);
    return give_up(path, errors, diag);
}

void fmu_close(Fmu *fmu)
{
    if (!fmu) return;
    archive_close(fmu->archive);
    arena_free(fmu->arena);
}

const FmuDescription *fmu_description(const Fmu *fmu) { return fmu->d; }

/* ---- for people ------------------------------------------------------------------------------ */

static void add_line(Text *out, const char *name, const char *value)
{
    if (*value) text_printf(out, "%-16s %s\n", name, value);
}

static const struct {
    const char *name;
    size_t at;
} capabilities[] = {
    { "needs another program", offsetof(FmuInterface, needs_tool) },
    { "one instance a process", offsetof(FmuInterface, only_once) },
    { "state can be saved", offsetof(FmuInterface, can_save) },
    { "state can be serialised", offsetof(FmuInterface, can_serialize) },
    { "directional derivatives", offsetof(FmuInterface, directional) },
    { "adjoint derivatives", offsetof(FmuInterface, adjoint) },
    { "steps of any length", offsetof(FmuInterface, variable_step) },
    { "interpolates inputs", offsetof(FmuInterface, interpolates_inputs) },
    { "asynchronous steps", offsetof(FmuInterface, asynchronous) },
    { "event mode", offsetof(FmuInterface, event_mode) },
    { "may return early", offsetof(FmuInterface, early_return) },
};

static void print_kind(const FmuInterface *kind, const char *name, Text *out)
{
    if (!kind->there) return;
    text_printf(out, "%-16s %s", name, kind->identifier);
    const char *separator = ": ";
    for (size_t k = 0; k < COUNT_OF(capabilities); k++)
        if (*((const bool *)kind + capabilities[k].at)) {
            text_printf(out, "%s%s", separator, capabilities[k].name);
            separator = ", ";
        }
    text_add_char(out, '\n');
}

static void print_experiment(const FmuDescription *d, Text *out)
{
    if (isnan(d->start) && isnan(d->stop) && isnan(d->tolerance) && isnan(d->step)) return;
    text_printf(out, "%-16s", "experiment");
    if (!isnan(d->start)) text_printf(out, " from %g", d->start);
    if (!isnan(d->stop)) text_printf(out, " to %g", d->stop);
    if (!isnan(d->step)) text_printf(out, " by %g", d->step);
    if (!isnan(d->tolerance)) text_printf(out, ", tolerance %g", d->tolerance);
    text_add_char(out, '\n');
}

static void print_variable(const FmuDescription *d, const FmuVariable *v, Text *out)
{
    static const char *const causality[] = { "parameter", "calculated", "structural", "input",
                                             "output",    "local",      "time" };
    text_printf(out, "  %-10s %-10s %-11s ", causality[v->causality], fmu_variabilities[v->variability],
                fmu_base_name((FmuBase)v->base, d->version));
    text_printf(out, "%s", v->name);
    if (v->dimension_count) text_printf(out, " (%u elements)", (unsigned)v->elements);
    if (v->start) text_printf(out, " = %.60s", v->start);
    if (*v->unit) text_printf(out, " [%s]", v->unit);
    if (*v->description) text_printf(out, "  %s", v->description);
    text_add_char(out, '\n');
}

static void print_terminal(const FmuDescription *d, const FmuTerminal *t, Text *out)
{
    text_printf(out, "%-16s %s", "terminal", t->name);
    if (*t->kind) text_printf(out, " (%s)", t->kind);
    for (uint32_t k = 0; k < t->count; k++) {
        const FmuMember *m = &d->members.at[t->first + k];
        text_printf(out, "%s %s%s%s", k ? "," : ":", m->name, *m->name ? " = " : "", m->variable);
    }
    if (*t->description) text_printf(out, "  %s", t->description);
    text_add_char(out, '\n');
}

void fmu_print(const Fmu *fmu, Text *out)
{
    const FmuDescription *d = fmu->d;
    Text platforms = { .arena = fmu->arena };
    uint32_t counts[7] = { 0 };
    add_line(out, "model", d->model_name);
    add_line(out, "FMI version", d->fmi_version);
    add_line(out, "description", d->description);
    add_line(out, "version", d->model_version);
    add_line(out, "author", d->author);
    add_line(out, "copyright", d->copyright);
    add_line(out, "license", d->license);
    add_line(out, "made by", d->tool);
    add_line(out, "made at", d->date);
    add_line(out, d->version < FMI_3 ? "GUID" : "token", d->token);
    print_kind(&d->kind[FMU_ME], "model exchange", out);
    print_kind(&d->kind[FMU_CS], "co-simulation", out);
    print_kind(&d->kind[FMU_SE], "scheduled", out);
    fmu_list_platforms(fmu, &platforms);
    for (size_t k = 0; k + 1 < platforms.n; k++)
        if (platforms.at[k] == '\n') platforms.at[k] = ' ';
    text_printf(out, "%-16s %s", "platforms", platforms.n ? platforms.at : "none: sources only\n");
    print_experiment(d, out);
    add_line(out, "icon", d->has_icon ? "yes" : "");
    for (uint32_t k = 0; k < d->terminals.n; k++) print_terminal(d, &d->terminals.at[k], out);
    for (uint32_t k = 0; k < d->variables.n; k++) counts[d->variables.at[k].causality]++;
    text_printf(out, "%-16s %ld states, %ld event indicators\n", "continuous", d->states < 0 ? 0 : d->states,
                d->indicators < 0 ? 0 : d->indicators);
    text_printf(out, "%-16s %u: %u parameters, %u inputs, %u outputs, %u local\n", "variables",
                (unsigned)d->variables.n, (unsigned)(counts[0] + counts[1] + counts[2]), (unsigned)counts[3],
                (unsigned)counts[4], (unsigned)counts[5]);
    for (uint32_t k = 0; k < d->variables.n; k++) print_variable(d, &d->variables.at[k], out);
}

static void add_member(Text *out, const char *name, const char *value, const char *separator)
{
    text_printf(out, "%s\"%s\":", separator, name);
    text_add_json(out, str_of(value));
}

void fmu_print_json(const Fmu *fmu, Text *out)
{
    const FmuDescription *d = fmu->d;
    add_member(out, "model", d->model_name, "{");
    add_member(out, "fmi_version", d->fmi_version, ",");
    add_member(out, "description", d->description, ",");
    add_member(out, "tool", d->tool, ",");
    add_member(out, "token", d->token, ",");
    text_printf(out, ",\"model_exchange\":%s,\"co_simulation\":%s,\"scheduled_execution\":%s",
                d->kind[FMU_ME].there ? "true" : "false", d->kind[FMU_CS].there ? "true" : "false",
                d->kind[FMU_SE].there ? "true" : "false");
    text_printf(out, ",\"states\":%ld,\"indicators\":%ld,\"variables\":[", d->states < 0 ? 0 : d->states,
                d->indicators < 0 ? 0 : d->indicators);
    for (uint32_t k = 0; k < d->variables.n; k++) {
        const FmuVariable *v = &d->variables.at[k];
        add_member(out, "name", v->name, k ? ",{" : "{");
        add_member(out, "type", fmu_base_name((FmuBase)v->base, d->version), ",");
        add_member(out, "causality", fmu_causalities[v->causality], ",");
        add_member(out, "variability", fmu_variabilities[v->variability], ",");
        add_member(out, "unit", v->unit, ",");
        add_member(out, "description", v->description, ",");
        if (v->start) add_member(out, "start", v->start, ",");
        text_printf(out, ",\"reference\":%u}", (unsigned)v->vr);
    }
    text_printf(out, "],\"terminals\":[");
    for (uint32_t k = 0; k < d->terminals.n; k++) {
        const FmuTerminal *t = &d->terminals.at[k];
        add_member(out, "name", t->name, k ? ",{" : "{");
        add_member(out, "kind", t->kind, ",");
        add_member(out, "rule", t->rule, ",");
        text_printf(out, ",\"members\":{");
        for (uint32_t e = 0; e < t->count; e++) {
            text_add_json(out, str_of(d->members.at[t->first + e].name));
            text_add_char(out, ':');
            text_add_json(out, str_of(d->members.at[t->first + e].variable));
            if (e + 1 < t->count) text_add_char(out, ',');
        }
        text_printf(out, "}}");
    }
    text_printf(out, "]}\n");
}
