/* set.c: values that a user gives by name.
 *
 * In: "NAME=VALUE" for a model whose flat form is known. Out: a class that extends the model's with
 * the value as a modifier, one class a value, so that nothing has to be merged: N=10 becomes
 * extends M(N = 10), for a variable extends M(x(start = 10)). So structural parameters and arrays
 * can be set, and what may not be set is told by the rules of the language. Cost: a search of the
 * flat variables a value. Tests: tests/cli/simulate.sh. */
#include "api/inside.h"
#include "data/data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

bool wrong(AcausalSession *s, Code code, const char *format, ...)
{
    Text text = { .arena = s->arena };
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    diag_add_file(&s->diag, code, NULL, "%s", text.at);
    return false;
}

bool write_into(AcausalSession *s, const char *directory, const char *name, const Text *text)
{
    const char *path = path_join(s->arena, directory, name);
    if (mkdir(directory, 0777) && errno != EEXIST)
        return wrong(s, E_OUTPUT, "'%s' cannot be made: %s", directory, strerror(errno));
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(text->at, 1, text->n, file) == text->n;
    if (file && fclose(file)) ok = false;
    return ok || wrong(s, E_OUTPUT, "'%s' cannot be written: %s", path, strerror(errno));
}

bool unknown(AcausalSession *s, const char *what, const char *name, const char *near)
{
    Note *note = diag_add_file(&s->diag, E_OPTION, NULL, "there is no %s '%s'", what, name);
    if (near) diag_hint(&s->diag, note, "did you mean '%s'?", near);
    return false;
}

bool read_value(const char *text, double *value)
{
    char *end;
    if (!strcmp(text, "true") || !strcmp(text, "false")) {
        *value = text[0] == 't';
        return true;
    }
    *value = strtod(text, &end);
    return *text && !*end;
}

/* Splits NAME=VALUE. False if there is no '='. */
static bool split(const char *text, Str *name, const char **value)
{
    const char *equal = strchr(text, '=');
    *name = (Str){ text, equal ? (size_t)(equal - text) : strlen(text) };
    *value = equal ? equal + 1 : "";
    return equal && name->n && **value;
}

/* The variable of this name, or the first element of the array of this name; NULL if there is
 * none. */
static const FlatVar *find_flat(const Flat *flat, Str name)
{
    for (VarId v = 0; v < flat->vars.n; v++) {
        const FlatVar *var = &flat->vars.at[v];
        const char *rest = var->name + name.n;
        if (!strncmp(var->name, name.at, name.n) && (*rest == 0 || *rest == '[')) return var;
    }
    return NULL;
}

static const char *nearest_flat(AcausalSession *s, const Flat *flat, Str name)
{
    VEC(const char *) names = { 0 };
    for (VarId v = 0; v < flat->vars.n; v++) vec_push(s->arena, &names, flat->vars.at[v].name);
    return text_nearest(name, names.at, names.n);
}

/* a.b.c = 3 as a(b(c = 3)); quoted names may hold dots. False if the name has a subscript outside
 * of quotes. */
static bool add_modifier(Text *out, Str name, bool is_start, const char *value)
{
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.at[i];
        if (c == '\'') quoted = !quoted;
        if (c == '[' && !quoted) return false;
        if (c == '.' && !quoted) {
            text_add_char(out, '(');
            depth++;
        } else
            text_add_char(out, c);
    }
    text_printf(out, is_start ? "(start = %s)" : " = %s", value);
    while (depth--) text_add_char(out, ')');
    return true;
}

Class *class_with_values(AcausalSession *s, const Class *cls, const Flat *flat, const char *const *set,
                         size_t n)
{
    Class *changed = NULL;
    for (size_t i = 0; i < n; i++) {
        Str name;
        const char *value;
        Text text = { .arena = s->arena }, base = { .arena = s->arena };
        if (!split(set[i], &name, &value))
            return wrong(s, E_OPTION, "'%s' should be NAME=VALUE", set[i]), NULL;
        const FlatVar *var = find_flat(flat, name);
        const char *shown = arena_copy(s->arena, name);
        if (!var) return unknown(s, "variable", shown, nearest_flat(s, flat, name)), NULL;
        class_full_name(changed ? changed : cls, &base);
        text_printf(&text, "model SetValue%u extends .%s(", s->set_classes, base.at);
        if (!add_modifier(&text, name, var->varies > VARIES_PARAMETER, value))
            return wrong(s, E_OPTION, "'%s' cannot be set alone: give the whole array", shown), NULL;
        text_printf(&text, "); end SetValue%u;", s->set_classes++);
        changed = libraries_open_text(s->libraries, "--set", (Str){ text.at, text.n }, &s->diag);
        if (!changed) return NULL;
    }
    return changed;
}

size_t take_structural(const Flat *flat, const char **set, size_t n)
{
    size_t taken = 0;
    for (size_t i = 0; i < n; i++) {
        Str name;
        const char *value;
        double number;
        if (!split(set[i], &name, &value)) continue;
        const FlatVar *var = find_flat(flat, name);
        bool is_element = var && strlen(var->name) == name.n;
        if (!var || (is_element && !(var->flags & VAR_STRUCTURAL) && read_value(value, &number))) continue;
        const char *moved = set[i];
        memmove(set + taken + 1, set + taken, (i - taken) * sizeof *set);
        set[taken++] = moved;
    }
    return taken;
}

/* ---- files of values ------------------------------------------------------------------------- */

typedef struct {
    Arena *arena;
    void (*each)(void *arg, const char *name_and_value);
    void *arg;
} Values;

static void give_value(void *arg, const char *name, const char *value)
{
    const Values *v = arg;
    v->each(v->arg, arena_printf(v->arena, "%s=%s", name, value));
}

AcausalStatus acausal_read_values(AcausalSession *s, const char *path,
                                  void (*each)(void *arg, const char *name_and_value), void *arg)
{
    char why[400];
    Values values = { s->arena, each, arg };
    const DataNode *table = data_read_file(s->arena, path, why, sizeof why);
    if (!table) return wrong(s, E_OPTION, "%s", why), ACAUSAL_WRONG;
    if (table->kind != DATA_TABLE)
        return wrong(s, E_OPTION, "'%s' should hold names with values", path), ACAUSAL_WRONG;
    data_flatten(s->arena, table, give_value, &values);
    return ACAUSAL_DONE;
}
