/* parse_base.c: what Base Modelica (MCP-0031) has that Modelica has not.
 *
 * In: a file that begins with "//! base". Its package holds types, functions, global constants and
 * one model of its own name; out comes that model, with all of these inside of it. Guess values,
 * `parameter equation guess(x) = 1`, become the start value of the variable. Clock partitions,
 * priorities of equations and decorations are refused. Tests: tests/cli/base.sh. */
#include "syntax/inside.h"

static Declaration *find_declaration(Element *const *elements, uint32_t n, Name name)
{
    for (uint32_t i = 0; i < n; i++) {
        if (elements[i]->kind != ELEMENT_COMPONENT) continue;
        Clause *clause = elements[i]->clause;
        for (uint32_t k = 0; k < clause->n; k++)
            if (clause->declarations[k].name == name) return &clause->declarations[k];
    }
    return NULL;
}

/* start = value, among the modifications of the declaration. */
static void set_start(Parser *p, Declaration *d, Expr *value)
{
    Modification *old = d->modification, *m = NEW(p->arena, Modification);
    Modification *inner = NEW(p->arena, Modification);
    Argument *argument = NEW(p->arena, Argument);
    *inner = (Modification){ .value = value, .span = value->span };
    *argument = (Argument){ .kind = ARGUMENT_MODIFY,
                            .name_count = 1,
                            .span = value->span,
                            .names = NEW(p->arena, Name),
                            .modification = inner };
    argument->names[0] = name_of(p->reader->names, STR("start"));
    *m = old ? *old : (Modification){ .span = value->span };
    m->has_arguments = true;
    m->n++;
    m->arguments = NEW_ARRAY(p->arena, Argument *, m->n);
    if (old && old->n) memcpy(m->arguments, old->arguments, old->n * sizeof *m->arguments);
    m->arguments[m->n - 1] = argument;
    d->modification = m;
}

/* guess-value: guess "(" IDENT ")" */
static Name parse_guess(Parser *p)
{
    if (!parser_is(p, T_IDENT) || p->token.name != name_of(p->reader->names, STR("guess"))) {
        parser_expected(p, "'guess(...)' in an equation of parameters");
        return NULL;
    }
    parser_advance(p);
    parser_expect(p, T_OPEN, "'(' after 'guess'");
    Name name = parse_ident(p, "the name of a variable");
    parser_expect(p, T_CLOSE, "')' after the name");
    return name;
}

/* parameter equation guess-value "=" expression description, or a partition, which is refused */
bool base_element(Parser *p, Element *const *elements, uint32_t n)
{
    if (parser_is(p, T_IDENT) && (p->token.name == name_of(p->reader->names, STR("partition")) ||
                                  p->token.name == name_of(p->reader->names, STR("subpartition")))) {
        parser_fail(p, E_BASE_MODELICA, p->token.span, "clock partitions of Base Modelica are not read");
        return true;
    }
    if (!parser_is(p, T_PARAMETER) || parser_peek(p)->kind != T_EQUATION) return false;
    parser_advance(p);
    parser_advance(p);
    Span span = p->token.span;
    Name name = parse_guess(p);
    Declaration *d = name ? find_declaration(elements, n, name) : NULL;
    if (name && !d && !parser_is(p, T_BAD))
        parser_fail(p, E_BASE_MODELICA, span, "there is no variable '%s' before its guess value",
                    name_text(name));
    parser_expect(p, T_EQUALS, "'=' after the guess value");
    Expr *value = parse_expression(p);
    parse_description(p);
    if (d && !parser_is(p, T_BAD)) set_start(p, d, value);
    return true;
}

/* What is neither input nor output of a function is its own. */
void base_local(const Class *cls, Element *element)
{
    if (cls->kind == CLASS_FUNCTION && element->kind == ELEMENT_COMPONENT &&
        element->clause->causality == CAUSALITY_NONE)
        element->flags |= IS_PROTECTED;
}

/* The model of a package that has its name, with what stands before it in front of its elements. */
Class *base_model(Parser *p, Class *package)
{
    Class *model = NULL;
    if (package->kind != CLASS_PACKAGE || package->form != FORM_LONG) return package;
    for (uint32_t i = 0; i < package->element_count; i++) {
        Element *e = package->elements[i];
        if (e->kind == ELEMENT_CLASS && e->cls->kind == CLASS_MODEL) model = e->cls;
    }
    if (!model || model->name != package->name) {
        diag_add(p->diag, E_BASE_MODELICA, package->name_span,
                 "this package has no model of its own name, as one of Base Modelica should");
        return package;
    }
    Element **all = NEW_ARRAY(p->arena, Element *, package->element_count + model->element_count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < package->element_count; i++) {
        Element *e = package->elements[i];
        if (e->kind == ELEMENT_CLASS && e->cls == model) continue;
        if (e->kind == ELEMENT_CLASS) e->cls->outer = model;
        all[n++] = e;
    }
    if (model->element_count) memcpy(all + n, model->elements, model->element_count * sizeof *all);
    model->elements = all;
    model->element_count += n;
    model->outer = NULL;
    return model;
}
