/* describe_json.c: what describe.h knows of a class as JSON: `acausal describe --json`, and what
 * the studio's tree, dialogs and diagrams are made of. Tests: tests/cli/describe.sh. */
#include "sema/draft.h"

typedef struct {
    Describer *d;
    Text *out;
} Json;

static void add_key(const Json *j, const char *key) { text_printf(j->out, ",\"%s\":", key); }

static void add_text(const Json *j, const char *key, Str text)
{
    add_key(j, key);
    text_add_json(j->out, text.at ? text : STR(""));
}

/* What is empty is left out. */
static void add_if(const Json *j, const char *key, Str text)
{
    if (text.n) add_text(j, key, text);
}

static void add_flag(const Json *j, const char *key, bool value)
{
    if (!value) return;
    add_key(j, key);
    text_add_literal(j->out, "true");
}

/* `from` and `to` count bytes from the file's beginning. */
static void add_place(const Json *j, const char *key, Span span)
{
    Place place;
    const Source *source = source_of(j->d->sema.sources, span);
    if (!source || !source_place(j->d->sema.sources, span, &place)) return;
    add_key(j, key);
    text_add_literal(j->out, "{\"file\":");
    text_add_json(j->out, str_of(place.path));
    text_printf(j->out, ",\"line\":%u,\"column\":%u,\"from\":%u,\"to\":%u}", (unsigned)place.line,
                (unsigned)place.column, (unsigned)(span.at - source->base),
                (unsigned)(span.at - source->base + span.n));
}

static void add_datum(const Json *j, const char *key, const Datum *datum)
{
    if (!datum) return;
    add_key(j, key);
    datum_json(datum, j->out);
}

static const char *full_name(const Json *j, const Class *cls)
{
    Text name = { .arena = j->d->arena };
    class_full_name(cls, &name);
    return name.at;
}

/* ---- components ------------------------------------------------------------------------------ */

static void add_sizes(const Json *j, const DescribedComponent *c)
{
    if (!c->rank) return;
    add_key(j, "sizes");
    for (uint32_t i = 0; i < c->rank; i++) {
        text_add_char(j->out, i ? ',' : '[');
        if (c->sizes[i] < 0)
            text_add_literal(j->out, "null");
        else
            text_printf(j->out, "%d", (int)c->sizes[i]);
    }
    text_add_char(j->out, ']');
}

static void add_literals(const Json *j, const DescribedComponent *c)
{
    const Class *e = describe_enumeration(j->d, (DescribedComponent *)(uintptr_t)c);
    if (!e) return;
    add_key(j, "literals");
    text_add_char(j->out, '[');
    for (uint32_t i = 0; i < e->literal_count; i++) {
        if (i) text_add_char(j->out, ',');
        text_add_json(j->out, name_str(e->literals[i].name));
    }
    text_add_char(j->out, ']');
    add_text(j, "enumeration", str_of(full_name(j, e)));
}

static void add_prefixes(const Json *j, const DescribedComponent *c)
{
    static const char *const flows[] = { "", "flow", "stream" };
    static const char *const variabilities[] = { "", "discrete", "parameter", "constant" };
    static const char *const causes[] = { "", "input", "output" };
    add_if(j, "flow", str_of(flows[c->flow]));
    add_if(j, "variability", str_of(variabilities[c->variability]));
    add_if(j, "causality", str_of(causes[c->causality]));
    static const struct {
        unsigned flag;
        const char *key;
    } prefixes[] = { { IS_PROTECTED, "protected" },
                     { IS_INNER, "inner" },
                     { IS_OUTER, "outer" },
                     { IS_FINAL, "final" },
                     { IS_REPLACEABLE, "replaceable" } };
    for (size_t i = 0; i < COUNT_OF(prefixes); i++) add_flag(j, prefixes[i].key, c->flags & prefixes[i].flag);
    add_flag(j, "connector", c->is_connector);
    add_flag(j, "expandable", c->is_expandable);
    add_flag(j, "redeclared", c->is_redeclared);
}

static void add_component(const Json *j, const Described *of, DescribedComponent *c)
{
    static const char *const attributes[] = { "unit", "displayUnit", "quantity", "min",
                                              "max",  "start",       "fixed" };
    text_add_literal(j->out, "{\"name\":");
    text_add_json(j->out, str_of(c->name));
    add_text(j, "type", str_of(c->type_name));
    add_flag(j, "missing", !c->type);
    add_text(j, "basis", str_of(c->basis));
    add_if(j, "kind", c->type ? str_of(class_kind_text(c->type->kind)) : (Str){ 0 });
    add_if(j, "description", c->description);
    add_prefixes(j, c);
    add_sizes(j, c);
    add_if(j, "condition", c->condition);
    add_flag(j, "disabled", !c->is_enabled);
    add_if(j, "binding", c->binding);
    add_flag(j, "own_binding", c->is_own_binding);
    bool simple = c->type && c->entry->cls->base <= BASE_ENUM;
    if (simple && c->variability >= VARIABILITY_PARAMETER) add_datum(j, "value", describe_value(j->d, c));
    for (size_t i = 0; simple && i < COUNT_OF(attributes); i++)
        add_datum(j, attributes[i], describe_attribute(j->d, c, attributes[i]));
    add_literals(j, c);
    if (c->declaration->modification)
        add_if(j, "modifiers", described_text(j->d, c->declaration->modification->span));
    if (c->element->constraint)
        add_text(j, "constraint", described_text(j->d, c->element->constraint->type.span));
    add_datum(j, "annotation", describe_annotation(j->d, c->scope, c->annotation, NULL));
    if (of->layers[c->layer].depth) add_text(j, "from", str_of(full_name(j, of->layers[c->layer].cls)));
    add_place(j, "place", c->element->span);
    add_place(j, "declared", c->declaration->span);
    text_add_char(j->out, '}');
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void add_connection(const Json *j, const Described *of, const DescribedConnection *c)
{
    text_add_literal(j->out, "{\"from\":");
    text_add_json(j->out, str_of(c->from));
    add_text(j, "to", str_of(c->to));
    add_flag(j, "transition", c->is_transition);
    add_datum(j, "annotation", describe_annotation(j->d, of->layers[c->layer].scope, c->annotation, NULL));
    if (of->layers[c->layer].depth) add_text(j, "inherited", str_of(full_name(j, of->layers[c->layer].cls)));
    add_place(j, "place", c->span);
    text_add_char(j->out, '}');
}

static void add_bases(const Json *j, const Described *of)
{
    bool any = false;
    add_key(j, "bases");
    text_add_char(j->out, '[');
    for (uint32_t i = 0; i < of->layer_count; i++) {
        if (!of->layers[i].depth) continue;
        if (any) text_add_char(j->out, ',');
        any = true;
        text_add_literal(j->out, "{\"class\":");
        text_add_json(j->out, str_of(full_name(j, of->layers[i].cls)));
        text_printf(j->out, ",\"depth\":%u", (unsigned)of->layers[i].depth);
        add_flag(j, "protected", of->layers[i].is_protected);
        text_add_char(j->out, '}');
    }
    text_add_char(j->out, ']');
}

static void add_equations(const Json *j, const Class *cls)
{
    bool any = false;
    add_key(j, "sections");
    text_add_char(j->out, '[');
    for (uint32_t i = 0; i < cls->section_count; i++) {
        const Section *section = cls->sections[i];
        Str text = described_text(j->d, section->span);
        if (!text.n) continue;
        if (any) text_add_char(j->out, ',');
        any = true;
        text_printf(j->out,
                    "{\"algorithm\":%s,\"initial\":%s,\"text\":", section->is_algorithm ? "true" : "false",
                    section->is_initial ? "true" : "false");
        text_add_json(j->out, text);
        add_place(j, "place", section->span);
        text_add_char(j->out, '}');
    }
    text_add_char(j->out, ']');
}

static void add_classes(const Json *j, const Class *cls)
{
    bool any = false;
    add_key(j, "classes");
    text_add_char(j->out, '[');
    for (uint32_t i = 0; i < cls->element_count; i++) {
        const Element *e = cls->elements[i];
        if (e->kind != ELEMENT_CLASS) continue;
        if (any) text_add_char(j->out, ',');
        any = true;
        text_add_literal(j->out, "{\"name\":");
        text_add_json(j->out, name_str(e->cls->name));
        add_text(j, "kind", str_of(class_kind_text(e->cls->kind)));
        if (e->cls->comment) add_if(j, "description", e->cls->comment->text);
        add_flag(j, "replaceable", e->flags & IS_REPLACEABLE);
        add_flag(j, "protected", e->flags & IS_PROTECTED);
        if (e->constraint) add_text(j, "constraint", described_text(j->d, e->constraint->type.span));
        text_add_char(j->out, '}');
    }
    text_add_char(j->out, ']');
}

void describe_json(Describer *d, Described *of, Text *out)
{
    Json j = { d, out };
    const Class *cls = of->cls;
    text_add_literal(out, "{\"class\":");
    text_add_json(out, str_of(full_name(&j, cls)));
    add_text(&j, "kind", str_of(class_kind_text(cls->kind)));
    add_if(&j, "description", cls->comment ? cls->comment->text : (Str){ 0 });
    add_flag(&j, "partial", cls->flags & CLASS_PARTIAL);
    add_flag(&j, "connector", of->inst->is_connector);
    add_flag(&j, "expandable", cls->flags & CLASS_EXPANDABLE);
    add_flag(&j, "encapsulated", cls->flags & CLASS_ENCAPSULATED);
    add_place(&j, "place", cls->span);
    add_bases(&j, of);
    add_datum(&j, "annotation", describe_annotation(d, of->inst->own, class_annotation(cls), NULL));
    add_key(&j, "components");
    text_add_char(out, '[');
    for (uint32_t i = 0; i < of->component_count; i++) {
        if (i) text_add_char(out, ',');
        add_component(&j, of, &of->components[i]);
    }
    text_add_char(out, ']');
    add_key(&j, "connections");
    text_add_char(out, '[');
    for (uint32_t i = 0; i < of->connection_count; i++) {
        if (i) text_add_char(out, ',');
        add_connection(&j, of, &of->connections[i]);
    }
    text_add_char(out, ']');
    add_equations(&j, cls);
    add_classes(&j, cls);
    text_add_char(out, '}');
}
