/* open.c: an elaboration before anything is elaborated: its memory, the predefined types and
 * functions. Tests: tests/modelica. */
#include "sema/inside.h"

static const double LARGEST_SHARE = 0.8; /* of the memory that is free */

/* A predefined function where it is passed as a value. */
#define AS_VALUE(name)                                                                 \
    "  function 'function " name "' input Real u; output Real y; algorithm y := " name \
    "(u); end 'function " name "';\n"

static const char prelude[] =
    "package Predefined\n"
    "  type Real end Real; type Integer end Integer; type Boolean end Boolean; type String end String;\n"
    "  type StateSelect = enumeration(never, avoid, default, prefer, always);\n"
    "  type AssertionLevel = enumeration(warning, error);\n"
    "  partial class ExternalObject end ExternalObject; type Clock end Clock;\n" AS_VALUE("sin")
        AS_VALUE("cos") AS_VALUE("tan") AS_VALUE("asin") AS_VALUE("acos") AS_VALUE("atan") AS_VALUE("sinh")
            AS_VALUE("cosh") AS_VALUE("tanh") AS_VALUE("exp") AS_VALUE("log") AS_VALUE("log10")
                AS_VALUE("sqrt") AS_VALUE("abs") "end Predefined;\n";

static bool open_prelude(Sema *s)
{
    const Source *source = source_add_text(s->sources, "predefined types", STR(prelude));
    Reader *reader = source ? reader_new(s->names) : NULL;
    if (!reader) return false;
    Tree *tree = syntax_parse(reader, source, s->arena, s->diag);
    reader_free(reader);
    if (!tree->n) return false; /* memory was out, which was said */
    Class *top = NEW(s->arena, Class);
    top->name = name_of(s->names, STR(""));
    top->kind = CLASS_PACKAGE;
    s->top = inst_new(s, top, NULL, (Mods){ 0 }, NULL);
    s->builtins = inst_new(s, tree->classes[0], NULL, (Mods){ 0 }, NULL)->own;
    return true;
}

static void name_builtins(Sema *s)
{
    for (int b = 0; b < BUILTIN_COUNT; b++) {
        if (b == BUILTIN_TO_REAL || b == BUILTIN_CLOCK_SAMPLE) continue;
        *map_put(&s->builtin_names, map_key(name_of(s->names, str_of(builtin_text((Builtin)b)))), NULL) =
            (uint64_t)b;
    }
}

bool sema_open(Sema *s, Libraries *libraries, Sources *sources, Permit *permit, Diag *diag)
{
    *s = (Sema){ .libraries = libraries,
                 .names = libraries_names(libraries),
                 .sources = sources,
                 .permit = permit,
                 .diag = diag };
    s->arena = arena_new();
    if (!s->arena) return false;
    s->flat_calls.arena = s->flat_names.arena = s->indexes.arena = s->builtin_names.arena = s->absent.arena =
        s->defs.arena = s->arena;
    s->arena->limit = (size_t)(LARGEST_SHARE * (double)memory_available());
    return true;
}

bool sema_begin(Sema *s)
{
    name_builtins(s);
    return open_prelude(s);
}
