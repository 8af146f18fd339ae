/* external.c: external functions: how they are called, in the flat model and while the model is
 * built; destructors of external objects.
 *
 * The arguments of the C function are expressions over the function's variables. One that names an
 * output or a protected variable may be written by the C function. Calls while the model is built
 * go through the same table of functions as those of a running model. Tests:
 * tests/api/extern_test.c. */
#include "sema/inside.h"

static Scope *external_scope(Scope *scope)
{
    if (scope->cls->external) return scope;
    for (uint32_t i = 0; i < scope->n; i++) {
        Scope *found = scope->bases[i] ? external_scope(scope->bases[i]) : NULL;
        if (found) return found;
    }
    return NULL;
}

bool function_is_external(const Function *f) { return external_scope(f->inst->own) != NULL; }

/* ---- the call -------------------------------------------------------------------------------- */

/* As the clause has it, typed; or the one that it leaves out: result = name(inputs, outputs). */
typedef struct {
    const char *symbol;
    Str language;
    TExpr *result; /* may be NULL */
    TExpr **args;
    uint32_t n;
    const External *clause;
    Scope *scope;
} ExternalCall;

/* An array is followed by its sizes. */
static void default_call(Sema *s, const Function *f, ExternalCall *c)
{
    bool result =
        f->outputs.n == 1 && !f->outputs.at[0]->type.rank && f->outputs.at[0]->type.base != BASE_RECORD;
    uint32_t room = f->locals.n + 1;
    for (uint32_t i = 0; i < f->locals.n; i++) room += f->locals.at[i]->type.rank;
    c->args = NEW_ARRAY(s->arena, TExpr *, room);
    for (uint32_t i = 0; i < f->locals.n; i++) {
        Entry *e = f->locals.at[i];
        TExpr *x = tx_local(s, e->local, e->type, (Span){ 0 });
        if (e->causes == CAUSALITY_OUTPUT && result)
            c->result = x;
        else if (e->causes != CAUSALITY_NONE)
            c->args[c->n++] = x;
        for (uint32_t k = 0; e->causes != CAUSALITY_NONE && k < e->type.rank; k++) {
            TExpr *size[] = { x, tx_integer(s, k + 1, (Span){ 0 }) };
            c->args[c->n++] = tx_builtin(s, BUILTIN_SIZE, type_scalar(BASE_INTEGER), VARIES_CONTINUOUS,
                                         (Span){ 0 }, size, 2);
        }
    }
}

static bool external_call(Sema *s, Function *f, ExternalCall *c)
{
    Scope *scope = external_scope(f->inst->own);
    if (!scope) return false;
    const External *external = scope->cls->external;
    Env env = { .s = s, .scope = scope, .function = f };
    *c = (ExternalCall){ .language = external->language, .clause = external, .scope = scope };
    c->symbol = name_text(external->function ? external->function : f->inst->own->cls->name);
    if (!external->function) {
        default_call(s, f, c);
        return true;
    }
    if (external->result) c->result = type_expr(&env, external->result);
    c->args = NEW_ARRAY(s->arena, TExpr *, external->arguments.n + 1);
    c->n = external->arguments.n;
    for (uint32_t i = 0; i < c->n; i++) c->args[i] = type_expr(&env, external->arguments.at[i]);
    return true;
}

/* ---- libraries ------------------------------------------------------------------------------- */

typedef VEC(const char *) LibraryNames;

static void add_library(Sema *s, const Expr *e, LibraryNames *out)
{
    if (e->kind == EXPR_STRING) vec_push(s->arena, out, arena_copy(s->arena, (Str){ e->text, e->n }));
    for (uint32_t i = 0; e->kind == EXPR_ARRAY && i < e->n; i++) add_library(s, e->items[i], out);
}

/* The annotation of the external clause, or, in old libraries, that of the class. */
static const Modification *annotation_with(const ExternalCall *c, const char *name)
{
    if (modification_find(c->clause->annotation, name)) return c->clause->annotation;
    return class_annotation(c->scope->cls);
}

/* The directory that an annotation names, or that of this name in Resources of the library that the
 * class is in. */
static const char *resources(Sema *s, const ExternalCall *c, const char *annotation, const char *otherwise)
{
    Str said = modification_string(annotation_with(c, annotation), annotation);
    Diag quiet;
    diag_init(&quiet, s->arena);
    if (said.n && said.n > 10 && !memcmp(said.at, "modelica:/", 10))
        return libraries_resolve_uri(s->libraries, arena_copy(s->arena, said), s->arena, &quiet);
    if (said.n > 7 && !memcmp(said.at, "file://", 7))
        return arena_copy(s->arena, (Str){ said.at + 7, said.n - 7 });
    if (said.n) return arena_copy(s->arena, said);
    Text top = { .arena = s->arena };
    class_full_name(c->scope->cls, &top);
    const char *uri =
        arena_printf(s->arena, "modelica://%.*s/Resources/%s", (int)strcspn(top.at, "."), top.at, otherwise);
    return libraries_resolve_uri(s->libraries, uri, s->arena, &quiet);
}

static const Expr *said_in(const ExternalCall *c, const char *annotation)
{
    const Argument *a = modification_find(annotation_with(c, annotation), annotation);
    return a && a->modification ? a->modification->value : NULL;
}

/* What a declaration says about where its function is. */
typedef struct {
    LibraryNames libraries;
    const char *directory, *include, *include_directory; /* NULL: not said */
    const char *path; /* of the library or file that says so; NULL: it has none */
} Origin;

static Origin find_origin(Sema *s, const ExternalCall *c)
{
    const Unit *unit = class_unit(c->scope->cls);
    Origin o = { .path = unit ? unit_root(unit)->path : NULL };
    if (ext_is_standard(c->symbol)) return o;
    const Expr *library = said_in(c, "Library"), *include = said_in(c, "Include");
    if (library) {
        add_library(s, library, &o.libraries);
        o.directory = resources(s, c, "LibraryDirectory", "Library");
    }
    if (include && !ext_is_fortran(c->language)) {
        LibraryNames texts = { 0 };
        Text all = { .arena = s->arena };
        add_library(s, include, &texts);
        for (uint32_t i = 0; i < texts.n; i++) text_printf(&all, i ? "\n%s" : "%s", texts.at[i]);
        o.include = texts.n ? all.at : NULL;
        o.include_directory = resources(s, c, "IncludeDirectory", "Include");
    }
    return o;
}

static const char *kept(Flat *flat, const char *text)
{
    return text ? arena_copy(flat->arena, str_of(text)) : NULL;
}

/* ---- into the flat model --------------------------------------------------------------------- */

void emit_external(Sema *s, Flat *flat, Function *f, FlatFunction *x)
{
    ExternalCall c;
    if (!external_call(s, f, &c)) return;
    x->external = true;
    x->language = c.language;
    x->symbol = c.symbol;
    if (c.result) x->result = emit_whole(s, flat, c.result);
    ExprId *args = NEW_ARRAY(s->arena, ExprId, c.n + 1);
    for (uint32_t i = 0; i < c.n; i++) args[i] = emit_whole(s, flat, c.args[i]);
    x->args_first = flat_list(flat, args, c.n);
    x->args_n = c.n;
    Origin o = find_origin(s, &c);
    for (uint32_t i = 0; i < o.libraries.n; i++)
        vec_push(flat->arena, &x->libraries, kept(flat, o.libraries.at[i]));
    x->library_directory = kept(flat, o.directory);
    x->include = kept(flat, o.include);
    x->include_directory = kept(flat, o.include_directory);
    x->origin = kept(flat, o.path);
}

FuncId emit_destructor(Sema *s, Flat *flat, Inst *def)
{
    Entry *e = find_in(s, def, name_of(s->names, STR("destructor")));
    Inst *inst = e && e->kind == ENTRY_CLASS ? inst_resolved(s, entry_class(s, e)) : NULL;
    return inst && inst->base == BASE_FUNCTION ? emit_function(s, flat, function_of(s, inst)) : NONE;
}

/* ---- while the model is built ---------------------------------------------------------------- */

typedef struct {
    Sema *s;
    Function *f;
    Value **locals;
    const Scope *scope;
    Span span;
    bool fortran;
} RunExternal;

static bool ir_type_of(uint8_t base, uint8_t *type)
{
    static const uint8_t types[] = { [BASE_REAL] = IR_REAL,
                                     [BASE_INTEGER] = IR_INT,
                                     [BASE_BOOLEAN] = IR_INT,
                                     [BASE_STRING] = IR_STR,
                                     [BASE_ENUM] = IR_INT };
    if (base > BASE_ENUM) return false;
    *type = types[base];
    return true;
}

/* Place k of an array, where the C function has its element i: columns come first in FORTRAN 77. */
static uint32_t place(const RunExternal *x, const Value *v, uint32_t i)
{
    if (!x->fortran || v->rank != 2) return i;
    uint32_t rows = (uint32_t)v->sizes[0], columns = (uint32_t)v->sizes[1];
    return i % rows * columns + i / rows;
}

static void to_cells(const RunExternal *x, const Value *v, ExtValue *out)
{
    out->n = v->n;
    out->at = NEW_ARRAY(x->s->arena, RtCell, v->n + 1);
    for (uint32_t i = 0; i < v->n; i++) {
        const Cell *c = &v->at[place(x, v, i)];
        if (v->base == BASE_REAL)
            out->at[i].r = c->real;
        else if (v->base == BASE_STRING)
            out->at[i].s = arena_copy(x->s->arena, c->text);
        else
            out->at[i].i = c->integer;
    }
}

static void from_cells(const RunExternal *x, const ExtValue *from, Value *v)
{
    for (uint32_t i = 0; i < v->n; i++) {
        Cell *c = &v->at[place(x, v, i)];
        if (v->base == BASE_REAL)
            c->real = from->at[i].r;
        else if (v->base == BASE_STRING)
            c->text = str_of(from->at[i].s);
        else
            c->integer = v->base == BASE_BOOLEAN ? from->at[i].i != 0 : from->at[i].i;
    }
}

static bool run_failed(const RunExternal *x, Code code, const char *symbol, const char *why)
{
    Note *note = sema_error(x->s, x->scope, code, x->span, "%s", why);
    diag_label(x->s->diag, note, x->f->inst->own->cls->name_span, "the external function that calls '%s'",
               symbol);
    return false;
}

/* modelica://Library/file: the tool knows where libraries are. */
static bool resolve_uri(const RunExternal *x, const ExternalCall *c)
{
    Value *uri = c->n == 1 && c->result && !strcmp(c->symbol, "ModelicaInternal_fullPathName")
                     ? eval(x->s, c->args[0], x->locals, x->scope)
                     : NULL;
    if (!uri || uri->at[0].text.n < 10 || strncasecmp(uri->at[0].text.at, "modelica:/", 10) != 0)
        return false;
    const char *text = arena_copy(x->s->arena, uri->at[0].text);
    const char *path = libraries_resolve_uri(x->s->libraries, text, x->s->arena, x->s->diag);
    if (path) x->locals[c->result->index]->at[0].text = str_of(path);
    return path != NULL;
}

bool run_external(Sema *s, Function *f, Value **locals, const Scope *scope, Span span)
{
    ExternalCall c;
    if (!external_call(s, f, &c)) return false;
    RunExternal x = { s, f, locals, scope, span, ext_is_fortran(c.language) };
    if (resolve_uri(&x, &c)) return true;
    ExtRequest request = { .symbol = c.symbol, .language = c.language, .n = c.n + (c.result != NULL) };
    ExtParam *params = NEW_ARRAY(s->arena, ExtParam, request.n + 1);
    ExtValue *values = NEW_ARRAY(s->arena, ExtValue, request.n + 1);
    for (uint32_t i = 0; i < request.n; i++) {
        TExpr *e = i < c.n ? c.args[i] : c.result;
        Value *v = tx_is_poison(e) ? NULL : eval(s, e, locals, scope);
        Entry *local = e->kind == X_LOCAL && e->index < f->locals.n ? f->locals.at[e->index] : NULL;
        bool is_work = local && local->causes == CAUSALITY_NONE && (e->type.rank || !comp_binding(s, local));
        bool is_out = local && (local->causes == CAUSALITY_OUTPUT || is_work);
        if (!v) return false;
        params[i] = (ExtParam){ .is_array = e->type.rank > 0, .is_output = is_out, .is_result = i == c.n };
        params[i].is_size = e->kind == X_BUILTIN && e->op == BUILTIN_SIZE;
        if (!ir_type_of(v->base, &params[i].type))
            return run_failed(
                &x, E_NOT_EVALUABLE, c.symbol,
                "an external function with records or objects cannot be called while the model is built");
        to_cells(&x, v, &values[i]);
    }
    request.params = params;
    Origin o = find_origin(s, &c);
    request.libraries = o.libraries.at;
    request.library_count = o.libraries.n;
    request.directory = o.directory;
    bool is_plain = !o.include && !o.libraries.n && !ext_is_fortran(c.language);
    request.include = is_plain ? ext_of_c(c.symbol) : o.include;
    request.include_directory = o.include_directory;
    request.origin = o.path;
    request.permit = s->permit;
    IrExternal function;
    const char *why;
    if (ext_needs_bridge(&request)) request.unit = f->unit = f->unit ? f->unit : ext_unit_new(s->arena);
    if (!ext_may_run(&request, s->arena, &why) || !ext_find(&request, s->arena, &function, &why) ||
        (request.unit && (!ext_unit_build(f->unit, &why) || !ext_unit_resolve(f->unit, &function))))
        return run_failed(&x, E_EXTERNAL, c.symbol, why);
    if (!ext_call(&request, &function, values, s->arena, &why))
        return run_failed(&x, E_EVALUATION, c.symbol, why);
    for (uint32_t i = 0; i < request.n; i++) {
        const TExpr *e = i < c.n ? c.args[i] : c.result;
        if (params[i].is_output) from_cells(&x, &values[i], locals[e->index]);
    }
    return true;
}
