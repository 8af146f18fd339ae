/* terminals.c: terminalsAndIcons.xml: which variables of an FMU belong together, as plugs that fit
 * each other.
 *
 * In: the file of the archive, if there is one. Out: terminals with their members, those inside of
 * others after them. A member whose variable is not there is a warning. Nothing of it matters for
 * running. Tests: tests/cli/fmu.sh. */
#include "fmi/inside.h"

static const char *text_of(const XmlNode *n, const char *name)
{
    const char *value = xml_attribute(n, name);
    return value ? value : "";
}

typedef struct {
    Fmu *fmu;
    NameIndex variables;
} Terminating;

static void read_terminal(Terminating *r, const XmlNode *n, const char *prefix)
{
    FmuDescription *d = r->fmu->d;
    uint32_t at;
    const char *name = arena_printf(r->fmu->arena, "%s%s", prefix, text_of(n, "name"));
    FmuTerminal terminal = { .name = name,
                             .kind = text_of(n, "terminalKind"),
                             .rule = text_of(n, "matchingRule"),
                             .description = text_of(n, "description"),
                             .first = d->members.n };
    for (const XmlNode *c = n->first; c; c = c->next) {
        bool is_stream = !strcmp(c->name, "TerminalStreamMemberVariable");
        const char *variable = text_of(c, is_stream ? "inStreamVariableName" : "variableName");
        if (!is_stream && strcmp(c->name, "TerminalMemberVariable") != 0) continue;
        if (!index_find(&r->variables, variable, &at))
            diag_add(r->fmu->diag, W_FMU_RULE, c->span, "the terminal '%s' names '%s', which is no variable",
                     name, variable);
        FmuMember member = { text_of(c, is_stream ? "inStreamMemberName" : "memberName"), variable,
                             is_stream ? "stream" : text_of(c, "variableKind") };
        vec_push(r->fmu->arena, &d->members, member);
        terminal.count++;
    }
    vec_push(r->fmu->arena, &d->terminals, terminal);
    for (const XmlNode *c = n->first; c; c = c->next)
        if (!strcmp(c->name, "Terminal")) read_terminal(r, c, arena_printf(r->fmu->arena, "%s.", name));
}

void terminals_read(Fmu *fmu, Sources *sources)
{
    static const char file[] = "terminalsAndIcons/terminalsAndIcons.xml";
    Str bytes;
    Terminating r = { .fmu = fmu };
    fmu->d->has_icon = archive_has(fmu->archive, "terminalsAndIcons/icon.png") ||
                       archive_has(fmu->archive, "terminalsAndIcons/icon.svg") ||
                       archive_has(fmu->archive, "icon.png") || archive_has(fmu->archive, "model.png");
    if (!archive_has(fmu->archive, file) || !archive_read(fmu->archive, file, fmu->arena, &bytes)) return;
    const Source *source =
        source_add_text(sources, arena_printf(fmu->arena, "%s/%s", fmu->path, file), bytes);
    XmlNode *root = source ? xml_read(source, fmu->arena, fmu->diag) : NULL;
    const XmlNode *list = root ? xml_child(root, "Terminals") : NULL;
    for (uint32_t k = 0; k < fmu->d->variables.n; k++)
        index_add(&r.variables, fmu->arena, fmu->d->variables.at[k].name, k);
    for (const XmlNode *n = list ? list->first : NULL; n; n = n->next)
        if (!strcmp(n->name, "Terminal")) read_terminal(&r, n, "");
}
