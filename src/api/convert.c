/* convert.c: a user's files by the conversion script of a library's newer version (specification
 * 18.8.2).
 *
 * In: a file or a directory. How: the version that it uses chooses the script, by the `conversion`
 * annotation of the new version; each file is read by itself, changed in place by edit/convert.c,
 * and written only if it changed and is still well formed. Tests: tests/cli/convert.sh. */
#include "api/libraries.h"
#include "edit/edit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    AcausalSession *s;
    const AcausalConvertOptions *options;
    const char *target; /* directory of the new version */
    ConvertRules *rules;
    AcausalConvertReport report;
} Conversion;

static bool names_version(const Expr *e, const char *version)
{
    if (e && e->kind == EXPR_STRING) return str_is((Str){ e->text, e->n }, version);
    for (uint32_t i = 0; e && e->kind == EXPR_ARRAY && i < e->n; i++)
        if (names_version(e->items[i], version)) return true;
    return false;
}

static const Expr *value_of(const Modification *m, const char *name)
{
    const Argument *a = modification_find(m, name);
    return a && a->modification ? a->modification->value : NULL;
}

/* The URI of the script for a version; "" where none is needed; NULL: there is none. */
static const char *script_for(AcausalSession *s, const Class *head, const char *version)
{
    const Argument *conversion = modification_find(class_annotation(head), "conversion");
    const Modification *m = conversion ? conversion->modification : NULL;
    for (uint32_t i = 0; m && i < m->n; i++) {
        const Argument *a = m->arguments[i];
        if (a->kind != ARGUMENT_MODIFY || !a->modification) continue;
        if (str_is(name_str(a->names[0]), "noneFromVersion") &&
            names_version(a->modification->value, version))
            return "";
        if (!str_is(name_str(a->names[0]), "from") ||
            !names_version(value_of(a->modification, "version"), version))
            continue;
        Str script = modification_string(a->modification, "script");
        return script.n ? arena_copy(s->arena, script) : "";
    }
    return NULL;
}

/* "modelica://Modelica/Resources/x.mos" below the new version's own directory. */
static const char *script_path(const Conversion *c, const char *uri)
{
    static const char *const starts[] = { "modelica://", "modelica:/" };
    for (size_t i = 0; i < COUNT_OF(starts); i++) {
        size_t n = strlen(starts[i]);
        const char *slash = strncmp(uri, starts[i], n) ? NULL : strchr(uri + n, '/');
        if (slash) return path_join(c->s->arena, c->target, slash + 1);
    }
    return path_join(c->s->arena, c->target, uri);
}

static Tree *parse_text(AcausalSession *s, const char *label, const Text *text, Diag *diag)
{
    const Source *source = source_add_text(s->sources, label, (Str){ text->at, text->n });
    Reader *reader = source ? reader_new(s->names) : NULL;
    Tree *tree = reader ? syntax_parse(reader, source, s->arena, diag) : NULL;
    reader_free(reader);
    return tree;
}

/* The calls of a script, each with a semicolon behind it, which scripts may leave out. */
static void add_calls(Text *out, Str script)
{
    uint32_t depth = 0;
    for (size_t i = 0; i < script.n; i++) {
        size_t from = i;
        char c = script.at[i], next = i + 1 < script.n ? script.at[i + 1] : 0;
        if (c == '"') {
            for (i++; i < script.n && script.at[i] != '"'; i++) i += script.at[i] == '\\';
        } else if (c == '/' && next == '/') {
            while (i + 1 < script.n && script.at[i + 1] != '\n') i++;
        } else if (c == '/' && next == '*') {
            for (i += 3; i < script.n && !(script.at[i - 1] == '*' && script.at[i] == '/');) i++;
        }
        if (c == ';' && !depth) continue;
        text_add(out, (Str){ script.at + from, (i < script.n ? i + 1 : script.n) - from });
        depth += c == '(';
        if (c == ')' && depth && !--depth) text_add_char(out, ';');
    }
}

static bool read_script(Conversion *c, const char *path)
{
    AcausalSession *s = c->s;
    const Source *script;
    int why = 0;
    Text text = { .arena = s->arena };
    if (source_open(s->sources, path, &script, &why) != SOURCE_OK)
        return wrong(s, E_FILE_UNREADABLE, "the conversion script %s: %s", path, strerror(why));
    text_add_literal(&text, "model Script algorithm ");
    add_calls(&text, script->text);
    text_add_literal(&text, "\nend Script;\n");
    uint32_t errors = s->diag.errors;
    const Tree *tree = parse_text(s, path, &text, &s->diag);
    if (!tree || !tree->n || s->diag.errors > errors) return false;
    c->rules = convert_rules(s->arena, s->names, tree->classes[0]);
    return true;
}

/* The new text must still be one. */
static bool is_well_formed(AcausalSession *s, const char *path, Text *text)
{
    Diag own;
    diag_init(&own, s->arena);
    return (parse_text(s, path, text, &own) && !own.errors) ||
           wrong(s, E_OUTPUT, "%s: the converted text would not be well formed; it is left as it is", path);
}

static bool write_text(AcausalSession *s, const char *path, const Text *text)
{
    const char *new_path = arena_printf(s->arena, "%s.converted", path);
    FILE *file = fopen(new_path, "wb");
    bool ok = file && fwrite(text->at, 1, text->n, file) == text->n;
    if (file && fclose(file)) ok = false;
    if (ok && !rename(new_path, path)) return true;
    wrong(s, E_OUTPUT, "%s: %s", path, strerror(errno));
    if (file) remove(new_path);
    return false;
}

static void convert_file(Conversion *c, const char *path)
{
    AcausalSession *s = c->s;
    uint32_t errors = s->diag.errors;
    Text out = { .arena = s->arena };
    const Tree *tree = libraries_parse_file(s->libraries, path, &s->diag);
    c->report.files++;
    if (!tree || s->diag.errors > errors) return;
    bool changed =
        convert_text(c->rules, tree, c->options->library, c->options->to, s->arena, &out, &s->diag);
    if (!changed || !is_well_formed(s, path, &out)) return;
    if (!c->options->look_only && !write_text(s, path, &out)) return;
    c->report.changed++;
    if (c->options->each) c->options->each(c->options->arg, path);
}

static void convert_all(Conversion *c, const char *path)
{
    Dir dir;
    int why = 0;
    if (file_kind(path) == FILE_DIRECTORY) {
        if (!dir_read(c->s->arena, path, &dir, &why))
            wrong(c->s, E_FILE_UNREADABLE, "%s: %s", path, strerror(why));
        for (uint32_t i = 0; !why && i < dir.n; i++) {
            const char *name = dir.at[i].name;
            size_t n = strlen(name);
            bool is_text = dir.at[i].kind == FILE_REGULAR && n > 3 && !strcmp(name + n - 3, ".mo");
            if (is_text || dir.at[i].kind == FILE_DIRECTORY)
                convert_all(c, path_join(c->s->arena, path, name));
        }
        return;
    }
    convert_file(c, path);
}

/* The version that the user's library says it uses. */
static const char *used_version(AcausalSession *s, const char *path, const char *library)
{
    const Class *head = library_head(s, path);
    const Argument *uses = head ? modification_find(class_annotation(head), "uses") : NULL;
    const Argument *use = uses ? modification_find(uses->modification, library) : NULL;
    Str version = use ? modification_string(use->modification, "version") : (Str){ 0 };
    return version.n ? arena_copy(s->arena, version) : NULL;
}

AcausalStatus acausal_convert(AcausalSession *s, const char *path, const AcausalConvertOptions *options,
                              AcausalConvertReport *report)
{
    AcausalConvertOptions own = { 0 };
    if (!TAKE(s, own, options)) return ACAUSAL_USAGE;
    if (!own.library) own.library = "Modelica";
    if (!own.to) return wrong(s, E_OPTION, "the version to convert to is missing"), ACAUSAL_USAGE;
    Conversion c = { .s = s, .options = &own, .report = { .size = sizeof c.report } };
    if (file_kind(path) == FILE_NONE)
        return wrong(s, E_FILE_UNREADABLE, "%s: no such file", path), ACAUSAL_WRONG;
    c.target = libraries_locate(s->libraries, name_of(s->names, str_of(own.library)), str_of(own.to));
    const Class *head = c.target ? library_head(s, c.target) : NULL;
    const char *version = head ? library_version(s, head, c.target) : "";
    if (!head || strcmp(version, own.to) != 0)
        return wrong(s, E_LIBRARY_MISSING, "version %s of '%s' is not among the libraries", own.to,
                     own.library),
               ACAUSAL_WRONG;
    if (!own.from) own.from = used_version(s, path, own.library);
    if (!own.from)
        return wrong(s, E_OPTION, "%s does not say in 'uses' which version of '%s' it is written for", path,
                     own.library),
               ACAUSAL_WRONG;
    const char *uri = !strcmp(own.from, own.to) ? "" : script_for(s, head, own.from);
    if (!uri)
        return wrong(s, E_LIBRARY_VERSION, "'%s' %s has no conversion from version %s", own.library, own.to,
                     own.from),
               ACAUSAL_WRONG;
    c.rules = convert_rules(s->arena, s->names, &(Class){ 0 });
    if (*uri && !read_script(&c, script_path(&c, uri))) return ACAUSAL_WRONG;
    convert_all(&c, path);
    GIVE(report, c.report);
    return session_status(s);
}
