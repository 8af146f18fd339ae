/* rules.c: what each kind of class may hold, extend and be prefixed with, and where equations and
 * statements may stand (specification 4.4 to 4.7, 7.1.3, 8.3, 9.3.1, 11.2, 12.2, 12.9).
 *
 * In: texts of classes, once for each class; components, when their types are known. Out: reports
 * only; elaboration goes on. Cost: O(elements) a class. Tests: tests/modelica/kinds.mo,
 * statements.mo, calls.mo. */
#include "sema/inside.h"

/* ---- what a class may extend ----------------------------------------------------------------- */

#define KIND(k) (1u << CLASS_##k)

/* An icon: it holds annotations only, and so do the classes that it extends. */
static bool is_hollow(Sema *s, Scope *scope)
{
    const Class *cls = scope->cls;
    if (cls->form == FORM_ENUMERATION || scope->outer == s->builtins || cls->section_count || cls->external)
        return false;
    for (uint32_t i = 0; i < cls->element_count; i++)
        if (cls->elements[i]->kind != ELEMENT_EXTENDS) return false;
    scope_expand(s, scope);
    for (uint32_t i = 0; i < scope->n; i++)
        if (!scope->bases[i] || !is_hollow(s, scope->bases[i])) return false;
    return true;
}

/* "expandable " and "operator " are kinds of their own in what they may extend (4.7, 7.1.3). */
static const char *class_variant(const Class *cls)
{
    if (cls->kind == CLASS_CONNECTOR && cls->flags & CLASS_EXPANDABLE) return "expandable ";
    return cls->kind == CLASS_RECORD && cls->flags & CLASS_IS_OPERATOR ? "operator " : "";
}

/* An operator record goes on as one, or as a connector, by a short class only. */
static bool same_variant(const Class *cls, const Class *base)
{
    const char *of = class_variant(cls), *to = class_variant(base);
    bool is_simple = base->kind == CLASS_CLASS;
    if (is_simple || cls->kind == CLASS_CLASS) return true;
    if (*to == 'o')
        return cls->form == FORM_SHORT &&
               (*of == 'o' || cls->kind == CLASS_CONNECTOR || cls->kind == CLASS_RECORD);
    return *of == *to || (cls->form == FORM_SHORT && *of != 'e' && *to != 'e');
}

/* What is extended must not be exchanged below: neither the class nor a package on the way to it
 * (7.1.4). */
static void replaceable_base(Sema *s, const Scope *scope, const Inst *base, Span span)
{
    const Entry *e = base->entry;
    bool is_replaceable = e && e->kind == ENTRY_CLASS && e->flags & IS_REPLACEABLE;
    if (!is_replaceable || scope->cls->form == FORM_SHORT) return;
    /* of a class around it can be exchanged where that is used; of a package elsewhere hardly */
    bool reachable = false;
    for (const Scope *p = scope; p && !reachable; p = p->outer) reachable = p->inst == e->owner;
    Note *note = (reachable ? sema_error : sema_lenient)(s, scope, E_REPLACEABLE_BASE, span,
                                                         "'%s' is replaceable, and cannot be extended",
                                                         name_text(base->own->cls->name));
    diag_label(s->diag, note, e->decl->cls->name_span, "declared here");
    diag_hint(s->diag, note, "extend a class that cannot be redeclared, or write 'redeclare model extends'");
}

bool base_fits(Sema *s, const Scope *scope, const Inst *offered, Span span)
{
    const Class *base = offered->own->cls;
    static const unsigned bases[] = {
        [CLASS_CLASS] = ~0u,
        [CLASS_MODEL] = KIND(MODEL) | KIND(BLOCK) | KIND(RECORD) | KIND(CLASS),
        [CLASS_BLOCK] = KIND(BLOCK) | KIND(RECORD) | KIND(CLASS),
        [CLASS_RECORD] = KIND(RECORD) | KIND(CLASS),
        [CLASS_CONNECTOR] = KIND(CONNECTOR) | KIND(RECORD) | KIND(TYPE) | KIND(CLASS),
        [CLASS_TYPE] = KIND(TYPE) | KIND(CLASS),
        [CLASS_PACKAGE] = KIND(PACKAGE) | KIND(CLASS),
        [CLASS_FUNCTION] = KIND(FUNCTION) | KIND(CLASS),
        [CLASS_OPERATOR] = ~0u,
    };
    uint8_t kind = scope->cls->kind;
    bool fits = bases[kind] & 1u << base->kind;
    const char *of = class_variant(scope->cls), *to = class_variant(base);
    if (fits && same_variant(scope->cls, base)) {
        replaceable_base(s, scope, offered, span);
        return true;
    }
    bool hollow = is_hollow(s, offered->own);
    if (fits && hollow) return true;
    Note *note = (hollow ? sema_lenient : sema_error)(
        s, scope, E_BASE_KIND, span, "a%s %s%s cannot extend '%s', which is a%s %s%s", *of ? "n" : "", of,
        class_kind_text(kind), name_text(base->name), *to ? "n" : "", to, class_kind_text(base->kind));
    diag_label(s->diag, note, base->name_span, "declared here");
    return hollow;
}

/* ---- what a class may hold ------------------------------------------------------------------- */

typedef Note *Report(Sema *s, const Scope *scope, Code code, Span span, const char *format, ...);

static void excluded_by(Report *report, Sema *s, const Scope *scope, Span span, const char *what,
                        const char *name)
{
    Note *note =
        report(s, scope, E_CLASS_KIND, span, "a %s may not have %s%s%s%s", class_kind_text(scope->cls->kind),
               what, name ? " '" : "", name ? name : "", name ? "'" : "");
    diag_label(s->diag, note, scope->cls->name_span, "in this %s", class_kind_text(scope->cls->kind));
}

static void excluded(Sema *s, const Scope *scope, Span span, const char *what, const char *name)
{
    excluded_by(sema_error, s, scope, span, what, name);
}

static void section_rules(Sema *s, const Scope *scope)
{
    const Class *cls = scope->cls;
    bool no_sections = (KIND(RECORD) | KIND(CONNECTOR) | KIND(TYPE) | KIND(PACKAGE)) & 1u << cls->kind;
    uint32_t algorithms = 0;
    for (uint32_t i = 0; i < cls->section_count; i++) {
        const Section *section = cls->sections[i];
        if (no_sections)
            excluded(s, scope, section->span, section->is_algorithm ? "algorithms" : "equations", NULL);
        if (cls->kind != CLASS_FUNCTION || !section->is_algorithm) continue;
        if (section->is_initial) excluded(s, scope, section->span, "an initial algorithm", NULL);
        if (++algorithms == 2) excluded(s, scope, section->span, "a second algorithm section", NULL);
        if (cls->external)
            excluded(s, scope, section->span, "an algorithm section besides its external clause", NULL);
    }
}

/* Prefixes that exclude each other (4.4.2.2). */
static void exclusive_prefixes(Sema *s, const Scope *scope, const Clause *clause, const Declaration *d)
{
    static const char *const flows[] = { "", "flow", "stream" };
    static const char *const varies[] = { "", "discrete", "parameter", "constant" };
    static const char *const causes[] = { "", "input", "output" };
    bool fixed = clause->variability >= VARIABILITY_PARAMETER;
    const char *a = NULL, *b = NULL;
    bool passes = false;
    if (clause->flow && fixed) {
        a = flows[clause->flow];
        b = varies[clause->variability];
    } else if (clause->flow && clause->causality) {
        a = flows[clause->flow];
        b = causes[clause->causality];
    } else if (clause->causality == CAUSALITY_INPUT && fixed) {
        a = causes[clause->causality];
        b = varies[clause->variability];
        passes = true;
    }
    if (a)
        (passes ? sema_lenient : sema_error)(
            s, scope, E_PREFIX, d->span, "'%s' cannot be '%s' and '%s' at once", name_text(d->name), a, b);
}

/* Operators belong into operator records, and hold functions only (4.7). */
static void inner_class_rules(Sema *s, const Scope *scope, const Class *cls)
{
    const char *name = name_text(cls->name);
    bool is_operator =
        cls->kind == CLASS_OPERATOR || (cls->kind == CLASS_FUNCTION && cls->flags & CLASS_IS_OPERATOR);
    bool in_record = scope->cls->kind == CLASS_RECORD && scope->cls->flags & CLASS_IS_OPERATOR;
    if (is_operator && !in_record)
        excluded(s, scope, cls->name_span, "an operator, which belongs into an operator record:", name);
    Scope operator= { .inst = scope->inst, .cls = cls };
    for (uint32_t i = 0; cls->kind == CLASS_OPERATOR && i < cls->element_count; i++)
        if (cls->elements[i]->kind == ELEMENT_COMPONENT)
            excluded(s, &operator, cls->elements[i]->span, "components, but functions only", NULL);
    if (scope->cls->kind == CLASS_OPERATOR && cls->kind != CLASS_FUNCTION)
        excluded(s, scope, cls->name_span, "anything but functions:", name);
}

/* A class that is a simple type in the end has no elements and sections besides (7.1.3, 4.6). */
static void simple_class_rules(Sema *s, Scope *scope)
{
    const Class *cls = scope->cls;
    const Scope *base = NULL;
    for (uint32_t i = 0; i < scope->n && !base; i++)
        if (scope->bases[i] &&
            (scope->bases[i]->outer == s->builtins || scope->bases[i]->cls->form == FORM_ENUMERATION ||
             scope->bases[i]->cls->kind == CLASS_TYPE))
            base = scope->bases[i];
    if (!base || str_is(name_str(base->cls->name), "ExternalObject")) return;
    if (scope->index->components.n)
        excluded(s, scope, scope->index->components.at[0]->declaration->span,
                 "elements besides the simple type that it extends:",
                 name_text(scope->index->components.at[0]->name));
    else if (cls->section_count)
        excluded(s, scope, cls->sections[0]->span, "sections besides the simple type that it extends", NULL);
}

static void element_rules(Sema *s, const Scope *scope, const Element *e, const Declaration *d)
{
    const char *name = name_text(d->name);
    bool is_protected = e->flags & IS_PROTECTED;
    uint8_t causality = e->clause->causality, kind = scope->cls->kind;
    bool is_constant = e->clause->variability == VARIABILITY_CONSTANT;
    if (kind == CLASS_PACKAGE && !is_constant)
        excluded(s, scope, d->span, "a component that is not constant:", name);
    if (kind == CLASS_TYPE) excluded(s, scope, d->span, "a component:", name);
    if (kind == CLASS_RECORD && is_protected)
        excluded_by(sema_lenient, s, scope, d->span, "the protected component", name);
    if (kind == CLASS_CONNECTOR && is_protected) excluded(s, scope, d->span, "the protected component", name);
    if (kind == CLASS_RECORD && causality) excluded(s, scope, d->span, "the input or output", name);
    if (kind == CLASS_RECORD && e->clause->flow) excluded(s, scope, d->span, "the flow or stream", name);
    bool no_scopes = (KIND(RECORD) | KIND(CONNECTOR) | KIND(FUNCTION) | KIND(TYPE)) & 1u << kind;
    if (no_scopes && e->flags & (IS_INNER | IS_OUTER))
        excluded(s, scope, d->span, e->flags & IS_INNER ? "the inner" : "the outer", name);
    if (kind == CLASS_CONNECTOR && scope->cls->flags & CLASS_EXPANDABLE && e->clause->flow == FLOW_FLOW)
        excluded(s, scope, d->span, "a flow if it is expandable:", name);
    if (kind == CLASS_OPERATOR) excluded(s, scope, d->span, "a component:", name);
    exclusive_prefixes(s, scope, e->clause, d);
    if (kind == CLASS_FUNCTION && causality && is_protected)
        excluded(s, scope, d->span, "the protected input or output", name);
    if (kind == CLASS_FUNCTION && !causality && !is_protected && !is_constant)
        excluded(s, scope, d->span, "a public variable that is neither input nor output:", name);
}

static bool extends_external_object(Sema *s, const Scope *scope)
{
    for (uint32_t i = 0; i < scope->n; i++)
        if (scope->bases[i] && scope->bases[i]->outer == s->builtins &&
            str_is(name_str(scope->bases[i]->cls->name), "ExternalObject"))
            return true;
    return false;
}

static void object_rules(Sema *s, Scope *scope)
{
    static const char *const functions[] = { "constructor", "destructor" };
    const Class *cls = scope->cls;
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        const Decl *decl = class_decl(s, scope->index, name_of(s->names, str_of(functions[i])));
        if (decl && decl->cls && decl->cls->kind == CLASS_FUNCTION) continue;
        sema_error(s, scope, E_EXTERNAL_OBJECT, cls->name_span, "'%s' has no function '%s'",
                   name_text(cls->name), functions[i]);
    }
    for (uint32_t i = 0; i < scope->index->components.n; i++)
        sema_error(s, scope, E_EXTERNAL_OBJECT, scope->index->components.at[i]->declaration->span,
                   "an external object has no components, as '%s'",
                   name_text(scope->index->components.at[i]->name));
}

static bool is_ref(const Expr *e) { return e->kind == EXPR_REF; }

static bool is_external_argument(const Expr *e)
{
    if (e->kind == EXPR_CALL)
        return e->callee->n == 1 && str_is(name_str(e->callee->parts[0].name), "size") && e->n == 2;
    if (e->kind == EXPR_UNARY) return e->left->kind <= EXPR_INTEGER;
    return is_ref(e) || e->kind <= EXPR_STRING;
}

static void external_rules(Sema *s, Scope *scope)
{
    static const char *const languages[] = { "C", "FORTRAN 77", "builtin", "C99", "C11", "C90" };
    const External *x = scope->cls->external;
    bool known = false;
    for (size_t i = 0; i < COUNT_OF(languages); i++) known |= str_is(x->language, languages[i]);
    if (!known)
        sema_error(s, scope, E_EXTERNAL_CALL, x->span, "\"%.*s\" is not a language that can be called",
                   (int)x->language.n, x->language.at);
    for (uint32_t i = 0; i < x->arguments.n; i++)
        if (!is_external_argument(x->arguments.at[i]))
            sema_error(s, scope, E_EXTERNAL_CALL, x->arguments.at[i]->span,
                       "an argument of an external function is a variable, a constant or size()");
    if (!x->result || !is_ref(x->result)) return;
    Entry *e = lookup_name(s, scope, x->result->parts[0].name);
    if (!e || e->kind != ENTRY_COMPONENT || !comp_make(s, e)) return;
    const char *name = name_text(e->name);
    if (e->causes == CAUSALITY_INPUT)
        sema_error(s, scope, E_EXTERNAL_CALL, x->result->span, "what is returned cannot go to the input '%s'",
                   name);
    else if (comp_sizes(s, e) && e->type.rank && x->result->n == 1 && !x->result->parts[0].subscripts.n)
        sema_error(s, scope, E_EXTERNAL_CALL, x->result->span,
                   "what is returned is a scalar, but '%s' is an array: pass it as an argument", name);
}

/* What extends an impure function says so itself (12.3). */
static void purity_rules(Sema *s, const Scope *scope)
{
    if (scope->cls->form == FORM_SHORT || scope->cls->flags & CLASS_IMPURE) return;
    for (uint32_t i = 0; i < scope->n; i++) {
        if (!scope->bases[i] || !(scope->bases[i]->cls->flags & CLASS_IMPURE)) continue;
        Note *note = sema_error(s, scope, E_IMPURE, scope->cls->name_span,
                                "'%s' extends an impure function, and has to say 'impure' as well",
                                name_text(scope->cls->name));
        diag_label(s->diag, note, scope->bases[i]->cls->name_span, "the impure function");
    }
}

void class_rules(Sema *s, Scope *scope)
{
    ClassIndex *index = scope->index;
    if (index->is_ruled || scope->outer == s->builtins) return;
    index->is_ruled = true;
    section_rules(s, scope);
    for (uint32_t i = 0; i < index->components.n; i++)
        element_rules(s, scope, index->components.at[i]->element, index->components.at[i]->declaration);
    for (uint32_t i = 0; i < scope->cls->element_count; i++)
        if (scope->cls->elements[i]->kind == ELEMENT_CLASS)
            inner_class_rules(s, scope, scope->cls->elements[i]->cls);
    if (scope->cls->form == FORM_LONG && scope->n) simple_class_rules(s, scope);
    if (scope->cls->kind == CLASS_FUNCTION) purity_rules(s, scope);
    if (extends_external_object(s, scope) && scope->cls->element_count > 1) object_rules(s, scope);
    if (scope->cls->external && scope->cls->kind != CLASS_FUNCTION && scope->cls->kind != CLASS_CLASS)
        excluded(s, scope, scope->cls->external->span, "an external clause", NULL);
    else if (scope->cls->external)
        external_rules(s, scope);
}

/* ---- components ------------------------------------------------------------------------------ */

static void prefix_error(Sema *s, const Entry *e, const char *why)
{
    sema_error(s, e->scope, E_PREFIX, e->decl->declaration->span, "'%s' %s", name_text(e->name), why);
}

/* Whether a connector has a variable that is neither input nor output. */
static bool has_acausal(Sema *s, Inst *connector)
{
    inst_list(s, connector);
    for (uint32_t i = 0; i < connector->comps.n; i++) {
        Entry *e = connector->comps.at[i];
        const Clause *clause = e->decl->element->clause;
        if (clause->flow) return true;
        if (!comp_make(s, e) || clause->causality || e->causes || e->varies <= VARIES_PARAMETER) continue;
        if (e->cls->root || (e->cls->base == BASE_CLASS && e->cls->is_connector && has_acausal(s, e->cls)))
            return true;
    }
    return false;
}

static void prefix_rules(Sema *s, const Entry *e, const Clause *clause)
{
    const Inst *owner = e->owner, *cls = e->cls;
    const Entry *around = owner->container ? owner->entry : NULL;
    bool is_component = cls->base == BASE_CLASS && !cls->is_connector && cls->kind != CLASS_TYPE &&
                        cls->own->outer != s->builtins;
    if (clause->flow && cls->base != BASE_REAL && cls->base <= BASE_ENUM)
        prefix_error(s, e, "cannot be a flow or stream: that is for Real");
    if (clause->flow && !owner->is_connector && owner->kind != CLASS_RECORD && !owner->root)
        prefix_error(s, e, "cannot be a flow or stream outside of a connector");
    if (clause->flow && around && around->flow)
        sema_error(s, e->scope, E_PREFIX, around->decl->declaration->span,
                   "'%s' is a flow, so its member '%s' may not be one again", name_text(around->name),
                   name_text(e->name));
    if (clause->causality && around && around->decl->element->clause->causality)
        sema_error(s, e->scope, E_PREFIX, around->decl->declaration->span,
                   "'%s' is input or output, so its member '%s' may not be one again",
                   name_text(around->name), name_text(e->name));
    if ((clause->variability || clause->causality || clause->flow) && is_component &&
        cls->kind != CLASS_OPERATOR)
        prefix_error(
            s, e,
            "is a whole component: flow, stream, parameter, constant, discrete, input and output are "
            "not for it");
    if (clause->variability >= VARIABILITY_PARAMETER && cls->is_connector)
        prefix_error(s, e, "is a connector, and cannot be a parameter or constant");
}

void component_rules(Sema *s, Entry *e, const Clause *clause)
{
    const Inst *owner = e->owner, *cls = e->cls;
    const char *name = name_text(e->name);
    if (owner->index) return;
    prefix_rules(s, e, clause);
    bool is_model = cls->base == BASE_CLASS && cls->own->outer != s->builtins;
    Scope scope = { .inst = e->owner, .cls = owner->own->cls };
    Span span = e->decl->declaration->span;
    if (is_model && (owner->kind == CLASS_RECORD || owner->kind == CLASS_FUNCTION))
        excluded(s, &scope, span, "a model or connector as a component:", name);
    if (is_model && owner->kind == CLASS_CONNECTOR && (cls->kind == CLASS_MODEL || cls->kind == CLASS_BLOCK))
        excluded(s, &scope, span, "a model or block as a component:", name);
    bool open = owner->kind == CLASS_BLOCK && cls->is_connector && cls->base == BASE_CLASS &&
                !(e->flags & IS_PROTECTED) && !(cls->flags & CLASS_EXPANDABLE);
    if (open && has_acausal(s, e->cls))
        excluded(s, &scope, span, "a connector that is neither input nor output:", name);
    bool only_outer = e->flags & IS_OUTER && !(e->flags & IS_INNER);
    const Modification *m = e->decl->declaration->modification;
    if (only_outer && m && (m->n || m->value))
        sema_lenient(s, e->scope, E_OUTER_MODIFIED, m->span, "'%s' is outer, and cannot be modified here",
                     name);
    if (only_outer && clause->causality == CAUSALITY_INPUT)
        sema_lenient(s, e->scope, E_PREFIX, span,
                     "'%s' is outer, and cannot be an input: it is only a reference", name);
}

/* Counts the scalars of a connector: flows, and potentials without a direction. */
static void count_members(Sema *s, Inst *inst, uint32_t *flows, uint32_t *potentials, bool *known)
{
    inst_list(s, inst);
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        Entry *e = inst->comps.at[i];
        if (!comp_sizes(s, e)) {
            *known = false;
            continue;
        }
        bool outer = e->flags & IS_OUTER && !(e->flags & IS_INNER);
        if (e->disabled || outer || e->varies <= VARIES_PARAMETER || e->causes) continue;
        Name constraint = name_of(s->names, STR("equalityConstraint"));
        if (e->elements[0]->flags & CLASS_EXPANDABLE || inst_entry(s, e->cls, constraint)) *known = false;
        if (e->cls->root) {
            if (e->flow == FLOW_STREAM) *known = false; /* stream.c has its own rule */
            if (e->flow == FLOW_NONE) *potentials += type_count(&e->type);
            if (e->flow == FLOW_FLOW) *flows += type_count(&e->type);
            continue;
        }
        for (uint32_t k = 0; k < e->count; k++) count_members(s, e->elements[k], flows, potentials, known);
    }
}

/* A connector of a component: as many flows as potentials. An overdetermined one has more, by an
 * equation constraint. */
void connector_rules(Sema *s, Entry *e)
{
    uint32_t flows = 0, potentials = 0;
    Inst *inst = e->count ? e->elements[0] : NULL;
    if (!inst || !inst->is_connector || inst->base != BASE_CLASS || inst->own->index->is_balanced ||
        inst->flags & (CLASS_EXPANDABLE | CLASS_PARTIAL))
        return;
    bool known = !s->diag->errors;
    inst->own->index->is_balanced = true;
    count_members(s, inst, &flows, &potentials, &known);
    if (flows == potentials || !known || !flows) return;
    Note *note = sema_lenient(s, e->scope, E_CONNECTOR_BALANCE, inst->own->cls->name_span,
                              "the connector '%s' has %u flow%s and %u potential%s",
                              name_text(inst->own->cls->name), (unsigned)flows, flows == 1 ? "" : "s",
                              (unsigned)potentials, potentials == 1 ? "" : "s");
    diag_label(s->diag, note, e->decl->declaration->span, "used here");
}

/* ---- where statements may stand -------------------------------------------------------------- */

static bool misplaced(const Env *env, const Stmt *st, const char *why)
{
    sema_error(env->s, env->scope, E_STATEMENT, st->span, "%s", why);
    return false;
}

static bool is_call_of(const Stmt *st, const char *name)
{
    const Expr *callee = st->left->callee;
    return callee && callee->n == 1 && str_is(name_str(callee->parts[0].name), name);
}

static bool when_may_stand(const Env *env, const Stmt *st)
{
    if (env->function) return misplaced(env, st, "'when' cannot stand in a function");
    if (env->place & PLACE_WHEN) return misplaced(env, st, "'when' cannot stand inside of another 'when'");
    if (env->place & PLACE_INITIAL) return misplaced(env, st, "'when' cannot stand in an initial section");
    if (env->place & PLACE_WHILE) return misplaced(env, st, "'when' cannot stand inside of a 'while'");
    if (env->place & PLACE_ALGORITHM && env->place & PLACE_IF)
        return misplaced(env, st, "'when' cannot stand inside of an 'if' of an algorithm");
    if (env->place & PLACE_ALGORITHM && env->place & PLACE_LOOP)
        sema_lenient(env->s, env->scope, E_STATEMENT, st->span,
                     "'when' cannot stand inside of a 'for' of an algorithm");
    if (env->place & PLACE_IF && !(env->place & PLACE_ALGORITHM))
        return misplaced(env, st, "'when' cannot stand inside of an 'if' whose condition changes with time");
    return true;
}

static bool connect_may_stand(const Env *env, const Stmt *st)
{
    if (env->place & PLACE_WHEN) return misplaced(env, st, "'connect' cannot stand inside of a 'when'");
    if (env->place & PLACE_INITIAL) return misplaced(env, st, "'connect' cannot stand in an initial section");
    if (env->place & PLACE_IF)
        return misplaced(env, st,
                         "'connect' cannot stand inside of an 'if' whose condition changes with time");
    return true;
}

bool stmt_may_stand(const Env *env, const Stmt *st)
{
    switch ((StmtKind)st->kind) {
    case STMT_WHEN: return when_may_stand(env, st);
    case STMT_CONNECT: return connect_may_stand(env, st);
    case STMT_BREAK:
        return env->place & PLACE_LOOP || misplaced(env, st, "'break' leaves a loop, and there is none here");
    case STMT_RETURN:
        return env->function || misplaced(env, st, "'return' leaves a function, and this is none");
    case STMT_CALL:
        if (!is_call_of(st, "reinit")) return true;
        return (env->place & PLACE_WHEN && !(env->place & PLACE_ALGORITHM)) ||
               misplaced(env, st, "'reinit' stands in when-equations only");
    default: return true;
    }
}

/* A when-clause begins at an event, so its condition changes at events only (8.3.5). */
bool check_when_condition(const Env *env, const TExpr *c)
{
    if (c->varies < VARIES_CONTINUOUS || c->type.base != BASE_BOOLEAN) return true;
    Note *note = sema_error(env->s, env->scope, E_VARIABILITY, c->span,
                            "the condition of a when-clause changes at events only, and this without one");
    diag_hint(env->s->diag, note, "leave out noEvent() or smooth() around it");
    return false;
}

/* ---- functions ------------------------------------------------------------------------------- */

static void mark_targets(const TExpr *e, uint8_t *seen)
{
    if (e->kind == X_LOCAL) seen[e->index] = 1;
    uint32_t deep = e->kind == X_SUBSCRIPT || e->kind == X_FIELD ? 1 : e->n;
    for (uint32_t i = 0; i < deep; i++) mark_targets(e->args[i], seen);
}

static void mark_body(TStmt *const *at, uint32_t n, uint8_t *seen)
{
    for (uint32_t i = 0; i < n; i++) {
        if (at[i]->kind == S_ASSIGN) mark_targets(at[i]->left, seen);
        for (uint32_t k = 0; k < at[i]->n; k++) mark_body(at[i]->branches[k].at, at[i]->branches[k].n, seen);
    }
}

static bool is_external(const Scope *scope)
{
    if (scope->cls->external) return true;
    for (uint32_t i = 0; i < scope->n; i++)
        if (scope->bases[i] && is_external(scope->bases[i])) return true;
    return false;
}

/* ---- values in the declarations of functions ------------------------------------------------- */

typedef struct {
    Sema *s;
    const Function *f;
    uint8_t *state; /* by local: STATE_... */
} LocalCycle;

static void visit_local(LocalCycle *c, uint32_t local);

static void visit_binding(LocalCycle *c, const TExpr *e, uint32_t of)
{
    if (e->kind == X_LOCAL && e->index < c->f->locals.n) {
        if (of < c->f->inputs.n && e->index >= c->f->inputs.n)
            sema_error(c->s, c->f->inst->own, E_ARGUMENTS, e->span,
                       "the value of an input cannot depend on '%s', which is none",
                       name_text(c->f->locals.at[e->index]->name));
        else
            visit_local(c, e->index);
    }
    for (uint32_t i = 0; i < e->n; i++) visit_binding(c, e->args[i], of);
}

static void visit_local(LocalCycle *c, uint32_t local)
{
    Entry *e = c->f->locals.at[local];
    TExpr *binding = e->state == STATE_DONE ? comp_binding(c->s, e) : NULL;
    if (!binding || tx_is_poison(binding) || c->state[local] == STATE_DONE) return;
    if (c->state[local] == STATE_BUSY) {
        sema_error(c->s, e->scope, E_CYCLIC_VALUE, e->decl->declaration->span,
                   "the value of '%s' depends on itself", name_text(e->name));
        return;
    }
    c->state[local] = STATE_BUSY;
    visit_binding(c, binding, local);
    c->state[local] = STATE_DONE;
}

/* They do not depend on themselves, and those of inputs only on inputs (12.4.1, 12.4.4). */
bool bindings_are_ordered(Sema *s, const Function *f)
{
    LocalCycle c = { s, f, NEW_ARRAY(s->arena, uint8_t, f->locals.n + 1) };
    uint32_t errors = s->diag->errors;
    for (uint32_t i = 0; i < f->locals.n; i++) visit_local(&c, i);
    return errors == s->diag->errors;
}

/* A value of a record whose members all have one needs no assignment. */
static bool has_own_value(Sema *s, Entry *e)
{
    if (e->bind_state == STATE_DONE && e->binding) return true;
    if (e->type.rank || e->type.base != BASE_RECORD) return type_is_known(&e->type) && !type_count(&e->type);
    inst_list(s, e->type.def);
    for (uint32_t i = 0; i < e->type.def->comps.n; i++) {
        Entry *member = e->type.def->comps.at[i];
        if (!comp_sizes(s, member) || (!comp_binding(s, member) && member->varies != VARIES_CONSTANT))
            return false;
    }
    return true;
}

void function_rules(Sema *s, const Function *f)
{
    uint8_t *seen = NEW_ARRAY(s->arena, uint8_t, f->locals.n + f->loop_names.n + 1);
    if (is_external(f->inst->own) || f->inst->flags & CLASS_PARTIAL) return;
    mark_body(f->body.at, f->body.n, seen);
    for (uint32_t i = 0; i < f->outputs.n; i++) {
        Entry *e = f->outputs.at[i];
        if (seen[e->local] || e->size_state != STATE_DONE || has_own_value(s, e)) continue;
        sema_lenient(s, e->scope, E_NOT_ASSIGNED, e->decl->declaration->span,
                     "the output '%s' of '%s' never gets a value", name_text(e->name),
                     name_text(f->inst->own->cls->name));
    }
}
