/* bridge.c: C code that comes with a model (annotation Include), and functions that take
 * structures.
 *
 * In: calls, whose declarations hold C text or have records among their arguments. Out: one C text
 * for all of them, made of what was to be included, each text once, and of one visible function for
 * each call, which takes numbers, strings and arrays only, puts structures together (as bytes,
 * since code of the model knows them by types of its own) and calls the function that is meant; the
 * system's compiler makes a shared library of it, and it stays loaded. So functions may be static,
 * and what they share they do share. Always: nothing is compiled before it is called for, and no
 * shell reads names. Cost: a run of the compiler, some 50 ms. Tests: tests/api/extern_test.c. */
#include "ext/inside.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    const char *name; /* of the visible function */
    const char *text;
} Bridge;

struct ExtUnit {
    Arena *arena;
    VEC(const char *) includes, directories, libraries, library_directories;
    VEC(Bridge) bridges;
    VEC(void *) handles;
    uint32_t built; /* bridges that are compiled */
};

ExtUnit *ext_unit_new(Arena *arena)
{
    ExtUnit *u = NEW(arena, ExtUnit);
    u->arena = arena;
    return u;
}

typedef VEC(const char *) Texts;

static void add_once(ExtUnit *u, void *list, const char *text)
{
    Texts *texts = list;
    if (!text) return;
    for (uint32_t i = 0; i < texts->n; i++)
        if (!strcmp(texts->at[i], text)) return;
    vec_push(u->arena, texts, arena_copy(u->arena, str_of(text)));
}

/* ---- one call -------------------------------------------------------------------------------- */

bool ext_needs_bridge(const ExtRequest *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->params[i].record) return true;
    return r->include != NULL;
}

/* The members of one structure, of which the first is params[first]; the names of inner ones are
 * before the dots. */
static uint32_t print_structure(const ExtRequest *r, uint32_t first, Text *out)
{
    static const char *const types[] = { "double", "int", "const char *", "void *" };
    const char *open = "";
    size_t open_length = 0;
    uint32_t i = first;
    for (; i < r->n && r->params[i].record == r->params[first].record; i++) {
        if (r->params[i].is_count) continue;
        const char *field = r->params[i].field, *last = strrchr(field, '.');
        size_t length = last ? (size_t)(last - field) + 1 : 0, common = 0;
        for (size_t k = 0; k < length && k < open_length && field[k] == open[k]; k++)
            if (field[k] == '.') common = k + 1;
        for (size_t k = open_length; k > common;) {
            size_t end = --k;
            while (k > common && open[k - 1] != '.') k--;
            text_printf(out, "} %.*s; ", (int)(end - k), open + k);
        }
        for (size_t k = common; k < length; k++)
            if (field[k] == '.') text_add_literal(out, "struct { ");
        text_printf(out, "%s %s", types[r->params[i].type], last ? last + 1 : field);
        if (r->params[i].count) text_printf(out, "[%u]", (unsigned)r->params[i].count);
        text_add_literal(out, "; ");
        open = field;
        open_length = length;
    }
    for (size_t k = open_length; k > 0;) {
        size_t end = --k;
        while (k > 0 && open[k - 1] != '.') k--;
        text_printf(out, "} %.*s; ", (int)(end - k), open + k);
    }
    return i;
}

/* The parameter that says how many structures there are; NONE: there is one. */
static uint32_t count_of(const ExtRequest *r, uint32_t record)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->params[i].record == record && r->params[i].is_count) return i;
    return UINT32_MAX;
}

/* Copies between arguments and members of structures. */
static void print_members(const ExtRequest *r, bool is_after, Text *out)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const ExtParam *p = &r->params[i];
        if (!p->record || p->is_output != is_after || p->is_count) continue;
        uint32_t n = count_of(r, p->record);
        bool is_list = n != UINT32_MAX;
        char member[400], argument[60];
        snprintf(member, sizeof member, is_list ? "l%u[i].%s" : "r%u.%s", (unsigned)p->record, p->field);
        if (p->count)
            snprintf(argument, sizeof argument, is_list ? "a%u + i * %u" : "a%u", (unsigned)i,
                     (unsigned)p->count);
        else
            snprintf(argument, sizeof argument, is_list ? "a%u[i]" : is_after ? "*a%u" : "a%u", (unsigned)i);
        const char *to = is_after ? argument : member, *from = is_after ? member : argument;
        text_add_literal(out, "    ");
        if (is_list) text_printf(out, "for (size_t i = 0; i < (size_t)a%u; i++) ", (unsigned)n);
        if (p->count)
            text_printf(out, "memcpy(%s, %s, sizeof %s);\n", to, from, member);
        else
            text_printf(out, "%s = %s;\n", to, from);
    }
}

/* The arguments of the function that is meant, or their types. */
static void print_arguments(const ExtRequest *r, const IrExternal *e, const char *name, bool types, Text *out)
{
    bool is_first = true;
    for (uint32_t i = 0; i < r->n; i++) {
        const ExtParam *p = &r->params[i];
        if (p->is_result || (p->record && i && r->params[i - 1].record == p->record)) continue;
        if (!is_first) text_add_literal(out, ", ");
        is_first = false;
        if (p->record && types)
            text_printf(out, "struct %s_%u *", name, (unsigned)p->record);
        else if (p->record)
            text_printf(out, count_of(r, p->record) == UINT32_MAX ? "(void *)&b%u" : "(void *)l%u",
                        (unsigned)p->record);
        else if (types)
            ir_print_c_parameter(out, &e->params[i]);
        else
            text_printf(out, "a%u", (unsigned)i);
    }
    if (is_first && types) text_add_literal(out, "void");
}

/* struct NAME_1 { ... }; ... and the prototype of a function that nothing declares. */
static const ExtParam *print_types(const ExtRequest *r, const IrExternal *e, const char *name, Text *out)
{
    const ExtParam *result = NULL;
    for (uint32_t i = 0; i < r->n;) {
        if (r->params[i].is_result) result = &r->params[i];
        if (!r->params[i].record) {
            i++;
            continue;
        }
        text_printf(out, "struct %s_%u { ", name, (unsigned)r->params[i].record);
        i = print_structure(r, i, out);
        text_add_literal(out, "};\n");
    }
    if (r->include) return result;
    text_add_literal(out, "extern ");
    if (!result)
        text_add_literal(out, "void ");
    else if (result->record)
        text_printf(out, "struct %s_%u ", name, (unsigned)result->record);
    else
        ir_print_c_parameter(out, &e->params[result - r->params]);
    text_printf(out, "%s(", r->symbol);
    print_arguments(r, e, name, true, out);
    text_add_literal(out, ");\n");
    return result;
}

static const char *bridge_text(ExtUnit *u, const ExtRequest *r, const IrExternal *e, const char *name)
{
    Text out = { .arena = u->arena };
    const ExtParam *result = print_types(r, e, name, &out);
    bool returns = result && !result->record;
    uint32_t most = 0;
    if (returns)
        ir_print_c_parameter(&out, &e->params[result - r->params]);
    else
        text_add_literal(&out, "void ");
    text_printf(&out, "%s(", name);
    const char *comma = "";
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->params[i].record > most) most = r->params[i].record;
        if (&r->params[i] == result && returns) continue;
        text_add(&out, str_of(comma));
        ir_print_c_parameter(&out, &e->params[i]);
        text_printf(&out, "a%u", (unsigned)i);
        comma = ", ";
    }
    text_printf(&out, "%s)\n{\n", *comma ? "" : "void");
    for (uint32_t k = 1; k <= most; k++) {
        uint32_t n = count_of(r, k);
        if (n != UINT32_MAX)
            text_printf(&out, "    struct %s_%u *l%u = calloc((size_t)a%u + 1, sizeof *l%u);\n", name,
                        (unsigned)k, (unsigned)k, (unsigned)n, (unsigned)k);
        else
            text_printf(
                &out,
                "    struct %s_%u r%u = { 0 };\n    union { double align; char bytes[sizeof r%u]; } b%u;\n",
                name, (unsigned)k, (unsigned)k, (unsigned)k, (unsigned)k);
    }
    print_members(r, false, &out);
    for (uint32_t k = 1; k <= most; k++)
        if (count_of(r, k) == UINT32_MAX)
            text_printf(&out, "    memcpy(&b%u, &r%u, sizeof r%u);\n", (unsigned)k, (unsigned)k, (unsigned)k);
    text_add_literal(&out, "    ");
    if (returns) {
        ir_print_c_parameter(&out, &e->params[result - r->params]);
        text_add_literal(&out, "result = ");
    } else if (result) {
        text_printf(&out, "__auto_type result = ");
    }
    text_printf(&out, "%s(", r->symbol);
    print_arguments(r, e, name, false, &out);
    text_add_literal(&out, ");\n");
    for (uint32_t k = 1; k <= most; k++)
        if (count_of(r, k) == UINT32_MAX)
            text_printf(&out, "    memcpy(&r%u, &%s, sizeof r%u);\n", (unsigned)k,
                        result && result->record == k ? "result" : arena_printf(u->arena, "b%u", (unsigned)k),
                        (unsigned)k);
    print_members(r, true, &out);
    for (uint32_t k = 1; k <= most; k++)
        if (count_of(r, k) != UINT32_MAX) text_printf(&out, "    free(l%u);\n", (unsigned)k);
    text_printf(&out, "%s}\n\n", returns ? "    return result;\n" : "");
    return out.at;
}

void ext_bridge(const ExtRequest *r, IrExternal *out)
{
    ExtUnit *u = r->unit;
    for (uint32_t number = 0;; number++) {
        const char *name = number ? arena_printf(u->arena, "acausal_%s_%u", r->symbol, (unsigned)number)
                                  : arena_printf(u->arena, "acausal_%s", r->symbol);
        const char *text = bridge_text(u, r, out, name);
        const Bridge *known = NULL;
        for (uint32_t i = 0; i < u->bridges.n; i++)
            if (!strcmp(u->bridges.at[i].name, name)) known = &u->bridges.at[i];
        if (known && strcmp(known->text, text) != 0) continue;
        out->name = name;
        out->around = rt_guard;
        if (known) break;
        vec_push(u->arena, &u->bridges, ((Bridge){ name, text }));
        break;
    }
    add_once(u, &u->includes, r->include);
    add_once(u, &u->directories, r->include_directory);
    add_once(u, &u->library_directories, r->directory);
    for (uint32_t i = 0; i < r->library_count; i++) add_once(u, &u->libraries, r->libraries[i]);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static const char utilities[] =
    "#ifndef MODELICA_UTILITIES_H\n"
    "#define MODELICA_UTILITIES_H\n"
    "#include <stdarg.h>\n"
    "#include <stddef.h>\n"
    "void ModelicaMessage(const char *);\n"
    "void ModelicaFormatMessage(const char *, ...);\n"
    "void ModelicaVFormatMessage(const char *, va_list);\n"
    "void ModelicaWarning(const char *);\n"
    "void ModelicaFormatWarning(const char *, ...);\n"
    "void ModelicaVFormatWarning(const char *, va_list);\n"
    "void ModelicaError(const char *) __attribute__((noreturn));\n"
    "void ModelicaFormatError(const char *, ...) __attribute__((noreturn));\n"
    "void ModelicaVFormatError(const char *, va_list) __attribute__((noreturn));\n"
    "char *ModelicaAllocateString(size_t);\n"
    "char *ModelicaAllocateStringWithErrorReturn(size_t);\n"
    "char *ModelicaDuplicateString(const char *);\n"
    "char *ModelicaDuplicateStringWithErrorReturn(const char *);\n"
    "#endif\n";

bool ext_unit_makes(const ExtUnit *u, const char *name)
{
    for (uint32_t i = 0; i < u->bridges.n; i++)
        if (!strcmp(u->bridges.at[i].name, name)) return true;
    return false;
}

const char *ext_unit_text(const ExtUnit *u, uint32_t first, Arena *arena)
{
    Text out = { .arena = arena };
    if (first >= u->bridges.n) return NULL;
    text_add_literal(&out, "#include <stddef.h>\n#include <stdlib.h>\n#include <string.h>\n");
    for (uint32_t i = 0; i < u->includes.n; i++) text_printf(&out, "%s\n", u->includes.at[i]);
    for (uint32_t i = first; i < u->bridges.n; i++) text_add(&out, str_of(u->bridges.at[i].text));
    return out.at;
}

const char *ext_unit_header(void) { return utilities; }

uint32_t ext_unit_directories(const ExtUnit *u, const char *const **out)
{
    *out = u->directories.at;
    return u->directories.n;
}

static bool write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    bool ok = f && fputs(text, f) >= 0;
    return f && !fclose(f) && ok;
}

/* The first line with an error, without the directory, or the first line. */
static const char *first_error(Arena *arena, const char *log, const char *directory)
{
    char line[400], kept[400] = "";
    FILE *f = fopen(log, "r");
    while (f && fgets(line, sizeof line, f)) {
        bool is_error = strstr(line, "error:") || strstr(line, "undefined");
        if (!*kept || is_error) memcpy(kept, line, sizeof kept);
        if (is_error) break;
    }
    if (f) fclose(f);
    kept[strcspn(kept, "\n")] = 0;
    size_t n = strlen(directory);
    return arena_copy(arena, str_of(strncmp(kept, directory, n) ? kept : kept + n + (kept[n] == '/')));
}

/* The words of the compiler's command. */
static void print_command(const ExtUnit *u, Arena *arena, const char *directory, void *list)
{
    VEC(char *) *words = list;
    /* the text calls its own functions, also where the process has others of the same name */
    static const char *const always[] = { "-std=gnu11", "-shared",           "-fPIC",         "-O2",
                                          "-w",         "-ffp-contract=off", "-Wl,-Bsymbolic" };
    const char *said = getenv("CC");
    char *rest, *text = arena_copy(arena, str_of(said && *said ? said : "cc"));
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        vec_push(arena, words, word);
    for (size_t i = 0; i < COUNT_OF(always); i++)
        vec_push(arena, words, arena_copy(arena, str_of(always[i])));
    for (uint32_t i = 0; i < u->directories.n; i++)
        vec_push(arena, words, arena_printf(arena, "-I%s", u->directories.at[i]));
    vec_push(arena, words, arena_printf(arena, "-I%s", directory));
    vec_push(arena, words, arena_printf(arena, "-o%s/unit.so", directory));
    vec_push(arena, words, arena_printf(arena, "%s/Include.c", directory));
    for (uint32_t i = 0; i < u->library_directories.n; i++)
        for (int deeper = 0; deeper < 2; deeper++) {
            const char *at = path_join(arena, u->library_directories.at[i], deeper ? "linux64" : ".");
            vec_push(arena, words, arena_printf(arena, "-L%s", at));
            vec_push(arena, words, arena_printf(arena, "-Wl,-rpath,%s", at));
        }
    for (uint32_t i = 0; i < u->libraries.n; i++)
        vec_push(arena, words, arena_printf(arena, "-l%s", u->libraries.at[i]));
    vec_push(arena, words, arena_copy(arena, STR("-lm")));
    vec_push(arena, words, NULL);
}

static bool compile(ExtUnit *u, const char *directory, Arena *arena, const char **why)
{
    VEC(char *) words = { 0 };
    const char *log = path_join(arena, directory, "log");
    if (!write_text(path_join(arena, directory, "Include.c"), ext_unit_text(u, u->built, arena)) ||
        !write_text(path_join(arena, directory, "ModelicaUtilities.h"), utilities)) {
        *why = arena_printf(u->arena, "the C code of 'Include' cannot be written to '%s'", directory);
        return false;
    }
    print_command(u, arena, directory, &words);
    ProcessEnd end = process_run(words.at, log);
    if (end == PROCESS_NOT_STARTED)
        *why = arena_printf(u->arena, "it needs a C compiler, and there is no '%s' (set CC, or install gcc)",
                            words.at[0]);
    else if (end != PROCESS_OK)
        *why =
            arena_printf(u->arena, "its C code cannot be compiled: %s", first_error(arena, log, directory));
    if (end != PROCESS_OK) return false;
    void *handle = dlopen(path_join(arena, directory, "unit.so"), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        *why = arena_printf(u->arena, "its C code cannot be loaded: %s", dlerror());
        return false;
    }
    vec_push(u->arena, &u->handles, handle);
    return true;
}

bool ext_unit_build(ExtUnit *u, const char **why)
{
    static const char *const files[] = { "Include.c", "ModelicaUtilities.h", "log", "unit.so" };
    if (u->built == u->bridges.n) return true;
    const char *temporary = getenv("TMPDIR");
    Arena *arena = arena_new();
    if (!arena) return *why = "out of memory", false;
    char *directory = arena_printf(arena, "%s/acausal-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    bool made = mkdtemp(directory) != NULL;
    if (!made) *why = arena_printf(u->arena, "no directory for the compiler: %s", strerror(errno));
    bool ok = made && compile(u, directory, arena, why);
    for (size_t i = 0; made && i < COUNT_OF(files); i++) unlink(path_join(arena, directory, files[i]));
    if (made) rmdir(directory);
    arena_free(arena);
    if (ok) u->built = u->bridges.n;
    return ok;
}

bool ext_unit_resolve(const ExtUnit *u, IrExternal *e)
{
    for (uint32_t i = 0; i < u->handles.n; i++) {
        void *address = dlsym(u->handles.at[i], e->name);
        if (!address) continue;
        memcpy(&e->address, &address, sizeof address);
        return true;
    }
    return false;
}
