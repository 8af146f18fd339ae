/* structure.c: which FMUs make a system, and how they are connected. */
#include "fmi/inside.h"

#include <stdio.h>
#include <stdlib.h>

/* In: SystemStructure.ssd of SSP 1.0, alone or in an .ssp archive, or a plain list, whose lines are
 *
 *     fmu NAME = FILE [me|cs]
 *     connect NAME.OUTPUT -> NAME.INPUT
 *     set NAME.VARIABLE = VALUE
 *     stop 10
 *     # a remark
 *
 * Out: a SystemDescription. How: systems inside of systems are flattened; a connector of a system
 * is a place where connections are joined, so a link goes from the variable of an FMU, or from a
 * connector of the whole, to the variable of an FMU. Files are looked for beside the description.
 * Parameter sets may be inside, or in files of their own; mappings of parameters are not read, and
 * that is told. Always: components of links are indices of components. Cost: linear. Tests:
 * tests/cli/system.sh. */

/* An end of a connection, by its full name: that of a variable of an FMU, or of a connector of a
 * system. */
typedef struct {
    const char *from, *to;
    double factor, offset;
    Span span;
} Wire;

typedef struct {
    Arena *arena;
    Diag *diag;
    Sources *sources;
    const char *directory;
    SystemDescription *d;
    NameIndex components, systems; /* full names; systems inside of the whole */
    VEC(Wire) wires;
    NameIndex wire_to; /* where a wire ends: which wire */
} Structuring;

static const char *local_name(const XmlNode *node)
{
    const char *colon = strchr(node->name, ':');
    return colon ? colon + 1 : node->name;
}

static bool is_named(const XmlNode *node, const char *name) { return !strcmp(local_name(node), name); }

static const XmlNode *child_of(const XmlNode *node, const char *name)
{
    const XmlNode *c = node ? node->first : NULL;
    while (c && !is_named(c, name)) c = c->next;
    return c;
}

static const char *text_of(const XmlNode *node, const char *name)
{
    const char *value = xml_attribute(node, name);
    return value ? value : "";
}

static double real_of(const XmlNode *node, const char *name, double otherwise)
{
    const char *value = node ? xml_attribute(node, name) : NULL;
    char *end;
    double number = value ? strtod(value, &end) : otherwise;
    return value && (end == value || *end) ? otherwise : number;
}

static const char *file_beside(const Structuring *r, const char *name)
{
    if (!strncmp(name, "file://", 7)) name += 7;
    return *name == '/' ? arena_copy(r->arena, str_of(name)) : path_join(r->arena, r->directory, name);
}

static void add_part(Structuring *r, const char *name, const char *source, int kind, Span span)
{
    SystemComponent component = { name, file_beside(r, source), kind, span };
    if (!index_add(&r->components, r->arena, name, r->d->components.n))
        diag_add(r->diag, E_FMU_SYSTEM, span, "two components of the system are called '%s'", name);
    vec_push(r->arena, &r->d->components, component);
}

static void add_wire(Structuring *r, Wire wire)
{
    if (!index_add(&r->wire_to, r->arena, wire.to, r->wires.n))
        diag_add(r->diag, E_FMU_SYSTEM, wire.span, "two connections end at '%s'", wire.to);
    vec_push(r->arena, &r->wires, wire);
}

/* ---- SSP ------------------------------------------------------------------------------------- */

static XmlNode *read_file(Structuring *r, const char *path)
{
    const Source *source;
    int why = 0;
    if (source_open(r->sources, path, &source, &why) == SOURCE_OK) return xml_read(source, r->arena, r->diag);
    diag_add_file(r->diag, E_FMU_SYSTEM, path, "cannot be read: %s",
                  why ? strerror(why) : "it is not a file");
    return NULL;
}

static void read_parameters(Structuring *r, const XmlNode *set, const char *prefix)
{
    const XmlNode *list = child_of(set, "Parameters");
    for (const XmlNode *p = list ? list->first : NULL; p; p = p->next) {
        const char *value = p->first ? xml_attribute(p->first, "value") : NULL;
        if (!is_named(p, "Parameter") || !value) continue;
        const char *name = arena_printf(r->arena, "%s%s", prefix, text_of(p, "name"));
        vec_push(r->arena, &r->d->values, ((SystemValue){ name, value, p->span }));
    }
}

static void read_bindings(Structuring *r, const XmlNode *element, const char *prefix)
{
    const XmlNode *list = child_of(element, "ParameterBindings");
    for (const XmlNode *b = list ? list->first : NULL; b; b = b->next) {
        const char *source = xml_attribute(b, "source"), *more = text_of(b, "prefix");
        const XmlNode *values = child_of(b, "ParameterValues");
        const XmlNode *set = source ? read_file(r, file_beside(r, source)) : child_of(values, "ParameterSet");
        if (child_of(b, "ParameterMapping"))
            diag_add(r->diag, W_FMU_RULE, b->span,
                     "the mapping of these parameters is not read: names count as they are");
        if (set) read_parameters(r, set, arena_printf(r->arena, "%s%s", prefix, more));
    }
}

/* The full name of an end: of an element's connector, or of the system's own. */
static const char *end_name(Structuring *r, const XmlNode *n, const char *element, const char *connector,
                            const char *prefix)
{
    const char *of = text_of(n, element), *name = text_of(n, connector);
    return arena_printf(r->arena, "%s%s%s%s", prefix, of, *of ? "." : "", name);
}

static void read_connections(Structuring *r, const XmlNode *system, const char *prefix)
{
    const XmlNode *list = child_of(system, "Connections");
    for (const XmlNode *n = list ? list->first : NULL; n; n = n->next) {
        if (!is_named(n, "Connection")) continue;
        const XmlNode *linear = child_of(n, "LinearTransformation");
        for (const XmlNode *c = n->first; c; c = c->next)
            if (strstr(c->name, "Transformation") && c != linear)
                diag_add(r->diag, E_FMU_SYSTEM, c->span, "of transformations only linear ones are known");
        Wire wire = { end_name(r, n, "startElement", "startConnector", prefix),
                      end_name(r, n, "endElement", "endConnector", prefix), real_of(linear, "factor", 1),
                      real_of(linear, "offset", 0), n->span };
        add_wire(r, wire);
    }
}

static void read_component(Structuring *r, const XmlNode *n, const char *name)
{
    const char *source = text_of(n, "source"), *how = text_of(n, "implementation"),
               *type = text_of(n, "type");
    int kind = !strcmp(how, "ModelExchange") ? FMU_ME : !strcmp(how, "CoSimulation") ? FMU_CS : -1;
    if (*type && strcmp(type, "application/x-fmu-sharedlibrary") != 0)
        diag_add(r->diag, E_FMU_SYSTEM, n->span, "'%s' is no FMU but '%s'", name, type);
    add_part(r, name, source, kind, n->span);
    read_bindings(r, n, arena_printf(r->arena, "%s.", name));
}

static void read_system(Structuring *r, const XmlNode *system, const char *prefix, int depth)
{
    enum { DEEPEST_SYSTEM = 20 };
    const XmlNode *elements = child_of(system, "Elements");
    for (const XmlNode *n = elements ? elements->first : NULL; n; n = n->next) {
        const char *name = arena_printf(r->arena, "%s%s", prefix, text_of(n, "name"));
        if (is_named(n, "Component"))
            read_component(r, n, name);
        else if (is_named(n, "System") && depth < DEEPEST_SYSTEM && index_add(&r->systems, r->arena, name, 0))
            read_system(r, n, arena_printf(r->arena, "%s.", name), depth + 1);
        else if (!is_named(n, "Annotations"))
            diag_add(r->diag, E_FMU_SYSTEM, n->span, "<%s> is not known as an element of a system", n->name);
    }
    read_connections(r, system, prefix);
    read_bindings(r, system, prefix);
}

static void read_ports(Structuring *r, const XmlNode *system)
{
    const XmlNode *list = child_of(system, "Connectors");
    for (const XmlNode *n = list ? list->first : NULL; n; n = n->next) {
        const char *kind = text_of(n, "kind"), *name = text_of(n, "name");
        SystemPort port = { name, !strcmp(kind, "input") };
        if (is_named(n, "Connector") && (port.is_input || !strcmp(kind, "output")))
            vec_push(r->arena, &r->d->ports, port);
    }
}

static bool read_ssd(Structuring *r, const Source *source)
{
    XmlNode *root = xml_read(source, r->arena, r->diag);
    const XmlNode *system =
        root && is_named(root, "SystemStructureDescription") ? child_of(root, "System") : NULL;
    if (root && !system)
        diag_add(r->diag, E_FMU_SYSTEM, root->span, "this is not a description of a system of version 1.0");
    if (!system) return false;
    const XmlNode *experiment = child_of(root, "DefaultExperiment");
    r->d->name = text_of(root, "name");
    r->d->start = real_of(experiment, "startTime", NAN);
    r->d->stop = real_of(experiment, "stopTime", NAN);
    read_ports(r, system);
    read_system(r, system, "", 0);
    return true;
}

/* ---- the plain list -------------------------------------------------------------------------- */

/* The next word of a line; "" at its end. Ends of words are blanks. */
static Str next_word(Str *line)
{
    while (line->n && (*line->at == ' ' || *line->at == '\t')) line->at++, line->n--;
    size_t n = 0;
    while (n < line->n && line->at[n] != ' ' && line->at[n] != '\t') n++;
    Str word = { line->at, n };
    line->at += n;
    line->n -= n;
    return word;
}

static Str rest_of_line(Str line)
{
    while (line.n && (*line.at == ' ' || *line.at == '\t')) line.at++, line.n--;
    while (line.n && strchr(" \t\r", line.at[line.n - 1])) line.n--;
    return line;
}

static bool read_fmu_line(Structuring *r, Str line, Span span)
{
    Str name = next_word(&line), equal = next_word(&line), file = next_word(&line), kind = next_word(&line);
    if (!name.n || !str_is(equal, "=") || !file.n) return false;
    if (kind.n && !str_is(kind, "me") && !str_is(kind, "cs")) return false;
    add_part(r, arena_copy(r->arena, name), arena_copy(r->arena, file),
             !kind.n              ? -1
             : str_is(kind, "me") ? FMU_ME
                                  : FMU_CS,
             span);
    return true;
}

static bool read_connect_line(Structuring *r, Str line, Span span)
{
    Str from = next_word(&line), arrow = next_word(&line), to = next_word(&line);
    if (!from.n || !str_is(arrow, "->") || !to.n) return false;
    add_wire(r, (Wire){ arena_copy(r->arena, from), arena_copy(r->arena, to), 1, 0, span });
    return true;
}

static bool read_set_line(Structuring *r, Str line, Span span)
{
    Str name = next_word(&line), equal = next_word(&line), value = rest_of_line(line);
    if (!name.n || !str_is(equal, "=") || !value.n) return false;
    SystemValue v = { arena_copy(r->arena, name), arena_copy(r->arena, value), span };
    vec_push(r->arena, &r->d->values, v);
    return true;
}

static bool read_stop_line(Structuring *r, Str line, Span span)
{
    char *end, *text = arena_copy(r->arena, rest_of_line(line));
    (void)span;
    r->d->stop = strtod(text, &end);
    return end != text && !*end;
}

static bool read_list(Structuring *r, const Source *source)
{
    static const struct {
        const char *word, *form;
        bool (*read)(Structuring *, Str, Span);
    } lines[] = { { "fmu", "fmu NAME = FILE [me|cs]", read_fmu_line },
                  { "connect", "connect NAME.OUTPUT -> NAME.INPUT", read_connect_line },
                  { "set", "set NAME.VARIABLE = VALUE", read_set_line },
                  { "stop", "stop TIME", read_stop_line } };
    const char *at = source->text.at, *end = at + source->text.n;
    for (const char *next; at < end; at = next + 1) {
        next = memchr(at, '\n', (size_t)(end - at));
        if (!next) next = end;
        Str line = rest_of_line((Str){ at, (size_t)(next - at) });
        Span span = { source->base + (uint32_t)(line.at - source->text.at), (uint32_t)line.n };
        Str word = next_word(&line);
        size_t k = 0;
        if (!word.n || *word.at == '#') continue;
        while (k < COUNT_OF(lines) && !str_is(word, lines[k].word)) k++;
        if (k == COUNT_OF(lines))
            diag_add(r->diag, E_FMU_SYSTEM, span, "a line begins with fmu, connect, set or stop");
        else if (!lines[k].read(r, line, span))
            diag_add(r->diag, E_FMU_SYSTEM, span, "this should be: %s", lines[k].form);
    }
    return true;
}

/* ---- links ----------------------------------------------------------------------------------- */

/* The component that a full name begins with: the longest one, as names of components may hold
 * dots. NONE_VARIABLE: none. */
static uint32_t component_of(const Structuring *r, const char *name, const char **variable)
{
    uint32_t component;
    char *copy = arena_copy(r->arena, str_of(name));
    for (char *dot = strrchr(copy, '.'); dot; dot = strrchr(copy, '.')) {
        *dot = 0;
        *variable = name + (dot - copy) + 1;
        if (index_find(&r->components, copy, &component)) return component;
    }
    *variable = name;
    return NONE_VARIABLE;
}

/* From where a value comes, back through connectors of systems. */
static void trace(Structuring *r, const Wire *wire, SystemLink *link)
{
    uint32_t before, hops = 0;
    *link = (SystemLink){ .factor = wire->factor, .offset = wire->offset, .span = wire->span };
    link->from = component_of(r, wire->from, &link->from_name);
    const char *at = wire->from;
    while (link->from == NONE_VARIABLE && index_find(&r->wire_to, at, &before) && hops++ < r->wires.n) {
        const Wire *inner = &r->wires.at[before];
        link->offset += link->factor * inner->offset;
        link->factor *= inner->factor;
        at = inner->from;
        link->from = component_of(r, at, &link->from_name);
    }
}

static bool is_port(const SystemDescription *d, const char *name, bool is_input)
{
    for (uint32_t k = 0; k < d->ports.n; k++)
        if (d->ports.at[k].is_input == is_input && !strcmp(d->ports.at[k].name, name)) return true;
    return false;
}

/* Whether this is a connector of a system inside of the whole. */
static bool is_of_system(const Structuring *r, const char *name)
{
    const char *dot = strrchr(name, '.');
    uint32_t at;
    return dot && index_find(&r->systems, arena_copy(r->arena, (Str){ name, (size_t)(dot - name) }), &at);
}

static void make_links(Structuring *r)
{
    for (uint32_t k = 0; k < r->wires.n; k++) {
        const Wire *wire = &r->wires.at[k];
        SystemLink link;
        const char *name;
        uint32_t to = component_of(r, wire->to, &name);
        bool to_port = to == NONE_VARIABLE && is_port(r->d, wire->to, false);
        if (to == NONE_VARIABLE && is_of_system(r, wire->to))
            continue; /* what comes of it is traced from its end */
        trace(r, wire, &link);
        link.to = to;
        link.to_name = name;
        if (to == NONE_VARIABLE && !to_port)
            diag_add(r->diag, E_FMU_SYSTEM, wire->span, "there is no '%s' for a connection to end at",
                     wire->to);
        else if (link.from == NONE_VARIABLE && !is_port(r->d, link.from_name, true))
            diag_add(r->diag, E_FMU_SYSTEM, wire->span, "there is no '%s' for a connection to begin at",
                     wire->from);
        else
            vec_push(r->arena, &r->d->links, link);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool has_suffix(const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);
    return n > m && !strcmp(path + n - m, suffix);
}

bool system_is(const char *path)
{
    return has_suffix(path, ".ssd") || has_suffix(path, ".ssp") || has_suffix(path, ".system");
}

static const char *directory_of(Arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? arena_copy(arena, (Str){ path, slash == path ? 1 : (size_t)(slash - path) }) : ".";
}

SystemDescription *system_read(const char *path, const FmuLimits *limits, Sources *sources, Arena *arena,
                               Diag *diag)
{
    Structuring r = {
        .arena = arena, .diag = diag, .sources = sources, .directory = directory_of(arena, path)
    };
    const Source *source = NULL;
    uint32_t errors = diag->errors;
    int why = 0;
    r.d = NEW(arena, SystemDescription);
    *r.d = (SystemDescription){ .name = "", .start = NAN, .stop = NAN };
    if (has_suffix(path, ".ssp")) {
        r.d->archive = archive_open(path, limits, diag);
        r.directory = r.d->archive ? archive_unpack(r.d->archive, arena) : NULL;
        if (!r.directory) return system_close(r.d), NULL;
        path = path_join(arena, r.directory, "SystemStructure.ssd");
    }
    if (source_open(sources, path, &source, &why) != SOURCE_OK)
        diag_add_file(diag, E_FMU_SYSTEM, path, "cannot be read: %s",
                      why ? strerror(why) : "it is not a file");
    else if (has_suffix(path, ".ssd") ? read_ssd(&r, source) : read_list(&r, source))
        make_links(&r);
    if (diag->errors == errors && r.d->components.n) return r.d;
    if (diag->errors == errors) diag_add_file(diag, E_FMU_SYSTEM, path, "there are no FMUs in this system");
    system_close(r.d);
    return NULL;
}

void system_close(SystemDescription *d)
{
    if (d) archive_close(d->archive);
}
