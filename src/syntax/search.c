/* search.c: where libraries, classes and resources are found.
 *
 * A library is looked for by name in the directories of the path, as "Name", "Name VERSION",
 * "Name.mo". The version that the asking library's `uses` annotation wants decides; then one
 * without a version, then the newest. Tests: tests/syntax/library_test.c. */
#include "syntax/inside.h"

#include <ctype.h>
#include <stdio.h>

void libraries_add_path(Libraries *libs, const char *directory)
{
    vec_push(libs->arena, &libs->path, arena_copy(libs->arena, str_of(directory)));
}

void libraries_add_path_list(Libraries *libs, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, ":");
        if (n) libraries_add_path(libs, arena_copy(libs->arena, (Str){ list, n }));
        list += n + (list[n] == ':');
    }
}

const char *libraries_path(const Libraries *libs, size_t i)
{
    return i < libs->path.n ? libs->path.at[i] : NULL;
}

/* ---- versions -------------------------------------------------------------------------------- */

void split_version(Str base, Str *name, Str *version)
{
    const char *space = memchr(base.at, ' ', base.n);
    *name = base;
    *version = (Str){ 0 };
    if (!space || space + 1 >= base.at + base.n || !isdigit((unsigned char)space[1])) return;
    name->n = (size_t)(space - base.at);
    *version = (Str){ space + 1, base.n - name->n - 1 };
}

/* Compares "4.0.10" and "4.1": numbers as numbers, the rest as text. */
static int compare_versions(Str a, Str b)
{
    size_t i = 0, k = 0;
    while (i < a.n && k < b.n) {
        if (isdigit((unsigned char)a.at[i]) && isdigit((unsigned char)b.at[k])) {
            uint64_t x = 0, y = 0;
            for (; i < a.n && isdigit((unsigned char)a.at[i]); i++) x = 10 * x + (uint64_t)(a.at[i] - '0');
            for (; k < b.n && isdigit((unsigned char)b.at[k]); k++) y = 10 * y + (uint64_t)(b.at[k] - '0');
            if (x != y) return x < y ? -1 : 1;
        } else {
            if (a.at[i] != b.at[k]) return a.at[i] < b.at[k] ? -1 : 1;
            i++;
            k++;
        }
    }
    return (i < a.n) - (k < b.n);
}

/* ---- opening --------------------------------------------------------------------------------- */

static Unit *add_root(Libraries *libs, UnitKind kind, Str name, const char *path)
{
    Unit *unit =
        library_new_unit(libs, kind, NULL, name_of(libs->names, name), arena_copy(libs->arena, str_of(path)));
    vec_push(libs->arena, &libs->roots, unit);
    return unit;
}

static Unit *find_root(const Libraries *libs, Name name)
{
    for (uint32_t i = 0; i < libs->roots.n; i++)
        if (libs->roots.at[i]->name == name) return libs->roots.at[i];
    return NULL;
}

Unit *libraries_open_directory(Libraries *libs, const char *path, Diag *diag)
{
    Str name, version;
    const char *real = path_real(libs->arena, path);
    split_version(path_base(real ? real : path), &name, &version);
    if (file_kind(path_join(libs->arena, path, "package.mo")) != FILE_REGULAR) {
        Note *note = diag_add_file(diag, E_NO_PACKAGE_FILE, path, "this directory has no package.mo");
        diag_hint(diag, note, "name a library's directory, or a .mo file");
        return NULL;
    }
    Unit *known = find_root(libs, name_of(libs->names, name));
    if (known) return known;
    Unit *unit = add_root(libs, UNIT_DIRECTORY, name, path);
    unit->version = version;
    return unit;
}

/* The root directory of the library that a file or directory inside it belongs to. */
static const char *enclosing_root(Libraries *libs, const char *path)
{
    const char *real = path_real(libs->arena, path), *root = NULL;
    if (!real) return NULL;
    char *at = arena_copy(libs->arena, str_of(real));
    for (char *slash; (slash = strrchr(at, '/')) && slash != at;) {
        *slash = 0;
        if (file_kind(path_join(libs->arena, at, "package.mo")) != FILE_REGULAR) break;
        root = arena_copy(libs->arena, str_of(at));
    }
    return root;
}

/* A file inside of a library's directories: opens the library and goes down to the class. */
static Class *open_inside(Libraries *libs, const Path *within, Name name, const char *path, Diag *diag)
{
    const char *directory = enclosing_root(libs, path);
    Unit *unit = directory ? libraries_open_directory(libs, directory, diag) : NULL;
    if (!unit || unit->name != within->at[0]) {
        Note *note =
            diag_add(diag, E_WITHIN, within->span, "this file is not in the directory of such a package");
        diag_hint(diag, note, "leave out the 'within' clause to use the file alone");
        return NULL;
    }
    Class *cls = unit_class(libs, unit, diag);
    for (uint32_t i = 1; cls && i <= within->n; i++)
        cls = class_child(libs, cls, i < within->n ? within->at[i] : name, diag);
    return cls;
}

/* Each class of a text becomes a root. Returns the first. */
static Class *add_classes(Libraries *libs, Tree *tree, const char *path)
{
    Class *first = NULL;
    for (uint32_t i = 0; i < tree->n; i++) {
        Class *cls = tree->classes[i];
        Unit *unit = add_root(libs, UNIT_FILE, name_str(cls->name), path);
        unit->tree = tree;
        unit->cls = cls;
        unit->loaded = true;
        cls->unit = unit;
        if (!first) first = cls;
    }
    return first;
}

static Class *open_file(Libraries *libs, const char *path, Diag *diag)
{
    uint32_t errors = diag->errors;
    Tree *tree = libraries_parse_file(libs, path, diag);
    if (!tree) return NULL;
    if (tree->n && tree->within.n)
        return open_inside(libs, &tree->within, tree->classes[0]->name, path, diag);
    if (!tree->n && diag->errors == errors)
        diag_add_file(diag, E_CLASS_FILE_NAME, path, "there is no class in this file");
    return add_classes(libs, tree, path);
}

Class *libraries_open_text(Libraries *libs, const char *label, Str text, Diag *diag)
{
    const Source *source = source_add_text(libs->sources, label, text);
    uint32_t errors = diag->errors;
    Tree *tree = source ? syntax_parse(libs->reader, source, libs->arena, diag) : NULL;
    return tree && diag->errors == errors ? add_classes(libs, tree, label) : NULL;
}

Class *libraries_open(Libraries *libs, const char *path, Diag *diag)
{
    switch (file_kind(path)) {
    case FILE_DIRECTORY: {
        Unit *unit = libraries_open_directory(libs, path, diag);
        return unit ? unit_class(libs, unit, diag) : NULL;
    }
    case FILE_NONE:
    case FILE_REGULAR:
        if (file_is_modelica(path_base(path)) && str_is(path_base(path), "package.mo")) {
            const char *real = path_real(libs->arena, path);
            Str base = path_base(path);
            if (real)
                return libraries_open(libs, arena_copy(libs->arena, (Str){ real, strlen(real) - base.n - 1 }),
                                      diag);
        }
        return open_file(libs, path, diag);
    case FILE_OTHER: diag_add_file(diag, E_FILE_KIND, path, "neither a file nor a directory"); break;
    }
    return NULL;
}

/* ---- looking for a library ------------------------------------------------------------------- */

typedef struct {
    const char *path;
    UnitKind kind;
    Str version;
    int fit; /* 3 the wanted version, 2 no version in the name, 1 another version */
} Candidate;

static void consider(Candidate *best, Candidate c, Str wanted)
{
    c.fit = wanted.n && str_equal(c.version, wanted) ? 3 : c.version.n == 0 ? 2 : 1;
    bool newer = c.fit == 1 && best->fit == 1 && compare_versions(c.version, best->version) > 0;
    if (c.fit > best->fit || newer) *best = c;
}

/* Looks at one directory of the path: is it the library itself, or does it hold it? */
static void look_in(Libraries *libs, const char *directory, Name name, Str wanted, Candidate *best)
{
    Dir dir;
    int why;
    Str base, version;
    const char *real = path_real(libs->arena, directory);
    split_version(path_base(real ? real : directory), &base, &version);
    if (str_equal(base, name_str(name)) &&
        file_kind(path_join(libs->arena, directory, "package.mo")) == FILE_REGULAR) {
        consider(best, (Candidate){ directory, UNIT_DIRECTORY, version, 0 }, wanted);
        return;
    }
    if (!dir_read(libs->arena, directory, &dir, &why)) return;
    for (uint32_t i = 0; i < dir.n; i++) {
        Str entry = str_of(dir.at[i].name);
        UnitKind kind = dir.at[i].kind == FILE_DIRECTORY ? UNIT_DIRECTORY : UNIT_FILE;
        if (kind == UNIT_FILE && (dir.at[i].kind != FILE_REGULAR || !file_is_modelica(entry))) continue;
        if (kind == UNIT_FILE) entry.n -= 3;
        split_version(entry, &base, &version);
        if (!str_equal(base, name_str(name))) continue;
        const char *path = path_join(libs->arena, directory, dir.at[i].name);
        if (kind == UNIT_DIRECTORY && file_kind(path_join(libs->arena, path, "package.mo")) != FILE_REGULAR)
            continue;
        consider(best, (Candidate){ path, kind, version, 0 }, wanted);
    }
}

/* The version of a library that the one around `from` says it uses. */
static Str wanted_version(Libraries *libs, Name name, const Unit *from, Diag *diag)
{
    const Class *root = from ? unit_class(libs, (Unit *)(uintptr_t)unit_root(from), diag) : NULL;
    const Argument *uses = root ? modification_find(class_annotation(root), "uses") : NULL;
    const Argument *use = uses ? modification_find(uses->modification, name_text(name)) : NULL;
    return use ? modification_string(use->modification, "version") : (Str){ 0 };
}

/* Whether a library says that it takes the place of an older version without conversion. */
static bool replaces_version(const Modification *annotation, Str wanted)
{
    const Argument *conversion = modification_find(annotation, "conversion");
    const Modification *m = conversion ? conversion->modification : NULL;
    for (uint32_t i = 0; m && i < m->n; i++) {
        const Argument *a = m->arguments[i];
        const Expr *value = a->kind == ARGUMENT_MODIFY && a->modification ? a->modification->value : NULL;
        if (!value || !str_is(name_str(a->names[0]), "noneFromVersion") || value->kind != EXPR_STRING)
            continue;
        if (str_equal((Str){ value->text, value->n }, wanted)) return true;
    }
    return false;
}

static void check_version(Libraries *libs, Unit *unit, Str wanted, Diag *diag)
{
    const Class *cls = unit_class(libs, unit, diag);
    if (!cls || !wanted.n) return;
    Str version = modification_string(class_annotation(cls), "version");
    if (!version.n) version = unit->version;
    if (str_equal(version, wanted) || replaces_version(class_annotation(cls), wanted)) return;
    diag_add(diag, E_LIBRARY_VERSION, cls->name_span, "version %.*s of '%s' is wanted, and %.*s is here",
             (int)wanted.n, wanted.at, name_text(unit->name), (int)version.n, version.at);
}

static Candidate best_of_path(Libraries *libs, Name name, Str wanted)
{
    Candidate best = { 0 };
    for (uint32_t i = 0; i < libs->path.n; i++) look_in(libs, libs->path.at[i], name, wanted, &best);
    return best;
}

const char *libraries_locate(Libraries *libs, Name name, Str wanted)
{
    Candidate best = best_of_path(libs, name, wanted);
    return best.fit ? best.path : NULL;
}

Unit *libraries_root(Libraries *libs, Name name, const Unit *from, Diag *diag)
{
    Unit *unit = find_root(libs, name);
    if (unit) return unit;
    Str wanted = wanted_version(libs, name, from, diag);
    Candidate best = best_of_path(libs, name, wanted);
    if (!best.fit) return NULL;
    unit = add_root(libs, best.kind, name_str(name), best.path);
    unit->version = best.version;
    check_version(libs, unit, wanted, diag);
    return unit;
}

/* ---- looking for a class --------------------------------------------------------------------- */

/* The class of the package that is spelt most nearly like `word`. */
static const char *nearest_child(Libraries *libs, const Class *cls, Str word)
{
    VEC(const char *) names = { 0 };
    for (uint32_t i = 0; i < cls->element_count; i++)
        if (cls->elements[i]->kind == ELEMENT_CLASS)
            vec_push(libs->arena, &names, name_text(cls->elements[i]->cls->name));
    for (uint32_t i = 0; cls->unit && i < cls->unit->children.n; i++)
        vec_push(libs->arena, &names, name_text(cls->unit->children.at[i]->name));
    return text_nearest(word, names.at, names.n);
}

static Str next_part(const char **dotted)
{
    const char *start = *dotted, *p = start;
    if (*p == '\'') {
        for (p++; *p && *p != '\''; p++) p += *p == '\\' && p[1];
        if (*p) p++;
    }
    while (*p && *p != '.') p++;
    *dotted = *p ? p + 1 : p;
    return (Str){ start, (size_t)(p - start) };
}

static void report_no_library(Libraries *libs, Str name, Diag *diag)
{
    Note *note = diag_add_file(diag, E_LIBRARY_MISSING, NULL, "there is no library or class '%.*s'",
                               (int)name.n, name.at);
    char file[300];
    snprintf(file, sizeof file, "%.*s.mo", (int)name.n, name.at);
    bool is_here = file_kind(file) == FILE_REGULAR;
    VEC(const char *) open = { 0 };
    for (uint32_t i = 0; i < libs->roots.n; i++)
        vec_push(libs->arena, &open, name_text(libs->roots.at[i]->name));
    const char *near = text_nearest(name, open.at, open.n);
    if (near) diag_hint(diag, note, "did you mean '%s'?", near);
    if (is_here) diag_hint(diag, note, "there is a file %s here: name it with its suffix", file);
    for (uint32_t i = 0; i < libs->path.n; i++) diag_hint(diag, note, "looked in %s", libs->path.at[i]);
    if (!libs->path.n && !is_here && !near)
        diag_hint(diag, note, "say where libraries are with --lib DIR or in the variable MODELICAPATH");
}

Class *libraries_find(Libraries *libs, const char *dotted, Diag *diag)
{
    const char *rest = dotted + (*dotted == '.');
    Str part = next_part(&rest);
    Unit *unit = libraries_root(libs, name_of(libs->names, part), NULL, diag);
    if (!unit) {
        report_no_library(libs, part, diag);
        return NULL;
    }
    Class *cls = unit_class(libs, unit, diag);
    while (cls && *rest) {
        part = next_part(&rest);
        uint32_t errors = diag->errors;
        Class *child = class_child(libs, cls, name_of(libs->names, part), diag);
        if (!child && diag->errors == errors) { /* or its file is there and cannot be read */
            Note *note = diag_add(diag, E_CLASS_MISSING, cls->name_span, "there is no class '%.*s' in '%s'",
                                  (int)part.n, part.at, name_text(cls->name));
            const char *near = nearest_child(libs, cls, part);
            if (near) diag_hint(diag, note, "did you mean '%s'?", near);
        }
        cls = child;
    }
    return cls;
}

/* ---- resources ------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* %20 and the like. */
static char *decode_percent(Arena *arena, const char *text)
{
    char *out = arena_alloc(arena, strlen(text) + 1), *to = out;
    for (; *text; text++) {
        int high = *text == '%' ? hex_digit(text[1]) : -1, low = high >= 0 ? hex_digit(text[2]) : -1;
        if (low > 0 || (low == 0 && high > 0)) {
            *to++ = (char)(16 * high + low);
            text += 2;
        } else {
            *to++ = *text;
        }
    }
    *to = 0;
    return out;
}

/* The directory that resources of a class are relative to: its own, or that of the nearest unit
 * around it. */
static const char *resource_directory(Arena *arena, const Class *cls)
{
    const Unit *unit = class_unit(cls);
    if (unit->kind == UNIT_DIRECTORY) return unit->path;
    if (unit->parent) return unit->parent->path;
    Str base = path_base(unit->path);
    size_t n = (size_t)(base.at - unit->path);
    return n ? arena_copy(arena, (Str){ unit->path, n }) : ".";
}

char *libraries_resolve_uri(Libraries *libs, const char *uri, Arena *arena, Diag *diag)
{
    static const char scheme[] = "modelica:/";
    const char *class_name = uri + sizeof scheme - 1;
    if (strncasecmp(uri, scheme, sizeof scheme - 1)) {
        diag_add_file(diag, E_URI, uri, "not a modelica:// URI");
        return NULL;
    }
    class_name += *class_name == '/';
    size_t n = strcspn(class_name, "/#?");
    char *dotted = decode_percent(arena, arena_copy(arena, (Str){ class_name, n }));
    if (!n) {
        diag_add_file(diag, E_URI, uri, "the URI names no library");
        return NULL;
    }
    const Class *cls = libraries_find(libs, dotted, diag);
    if (!cls) return NULL;
    const char *rest = class_name + n + (class_name[n] == '/');
    return path_join(arena, resource_directory(arena, cls), decode_percent(arena, rest));
}
