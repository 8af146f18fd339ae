/* library.c: libraries on disk: directories with package.mo, single files, and when they are read.
 *
 * A unit is a class with a file or a directory of its own. A directory is listed when a child is
 * first asked for, a file is parsed when its class is; both once. Always: a unit's class has `unit`
 * set, and no directory is a unit twice on one path from the root (links that loop are reported).
 * Cost: one readdir a directory, one parse a file. Where libraries are found is in search.c. Tests:
 * tests/syntax/library_test.c. */
#include "syntax/inside.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { DEEPEST_DIRECTORY = 64 };

Libraries *libraries_new(Names *names, Sources *sources)
{
    Libraries *libs = calloc(1, sizeof *libs);
    Arena *arena = arena_new();
    Reader *reader = reader_new(names);
    if (!libs || !arena || !reader) {
        free(libs);
        arena_free(arena);
        reader_free(reader);
        return NULL;
    }
    *libs = (Libraries){ .names = names, .sources = sources, .arena = arena, .reader = reader };
    return libs;
}

void libraries_free(Libraries *libs)
{
    if (!libs) return;
    for (uint32_t i = 0; i < libs->tree_arenas.n; i++) arena_free(libs->tree_arenas.at[i]);
    arena_free(libs->arena);
    reader_free(libs->reader);
    free(libs);
}

Names *libraries_names(const Libraries *libs) { return libs->names; }

/* ---- files ----------------------------------------------------------------------------------- */

/* A file of a similar name beside the one that is not there. */
static void hint_nearest_file(Libraries *libs, const char *path, Diag *diag, Note *note)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *directory = slash ? arena_copy(libs->arena, (Str){ path, (size_t)(slash - path) + 1 }) : ".";
    VEC(const char *) names = { 0 };
    DIR *open = opendir(directory);
    for (struct dirent *e; open && (e = readdir(open));)
        vec_push(libs->arena, &names, arena_copy(libs->arena, str_of(e->d_name)));
    if (open) closedir(open);
    const char *near = text_nearest(str_of(name), names.at, names.n);
    if (near) diag_hint(diag, note, "did you mean '%s%s'?", slash ? directory : "", near);
}

const Source *library_open_source(Libraries *libs, const char *path, Diag *diag)
{
    const Source *source;
    Note *note;
    int why;
    switch (source_open(libs->sources, path, &source, &why)) {
    case SOURCE_OK: return source;
    case SOURCE_UNREADABLE:
        note = diag_add_file(diag, E_FILE_UNREADABLE, path, "%s", why ? strerror(why) : "cannot be read");
        if (why == ENOENT) hint_nearest_file(libs, path, diag, note);
        break;
    case SOURCE_NOT_A_FILE: diag_add_file(diag, E_FILE_KIND, path, "not a regular file"); break;
    case SOURCE_TOO_LARGE:
        note = diag_add_file(diag, E_FILE_SIZE, path, "larger than 64 MiB: not read");
        diag_hint(diag, note, "a large package can be a directory with a file for each class");
        break;
    case SOURCE_SPACE_FULL:
        diag_add_file(diag, E_FILE_SIZE, path, "all sources together are larger than 4 GiB");
        break;
    }
    return NULL;
}

Tree *libraries_parse_file(Libraries *libs, const char *path, Diag *diag)
{
    const Source *source = library_open_source(libs, path, diag);
    if (!source) return NULL;
    Diag own;
    diag_init(&own, libs->arena);
    own.strict_language = diag->strict_language;
    Tree *tree = syntax_parse(libs->reader, source, libs->arena, &own);
    diag_merge(diag, &own);
    return tree;
}

const char *unit_file(Arena *arena, const Unit *unit)
{
    return unit->kind == UNIT_DIRECTORY ? path_join(arena, unit->path, "package.mo") : unit->path;
}

/* ---- units ----------------------------------------------------------------------------------- */

Unit *library_new_unit(Libraries *libs, UnitKind kind, Unit *parent, Name name, const char *path)
{
    Unit *unit = NEW(libs->arena, Unit);
    *unit =
        (Unit){ .name = name, .kind = kind, .parent = parent, .path = path, .by_name.arena = libs->arena };
    struct stat s;
    if (kind == UNIT_DIRECTORY && !stat(path, &s)) {
        unit->device = (uint64_t)s.st_dev;
        unit->inode = (uint64_t)s.st_ino;
    }
    return unit;
}

const Unit *unit_root(const Unit *unit)
{
    while (unit->parent) unit = unit->parent;
    return unit;
}

/* Whether a directory may be a unit below `parent`: not one of those around it, and not too
 * deep. */
static bool is_sound_place(const Unit *unit, Diag *diag)
{
    int depth = 0;
    for (const Unit *u = unit->parent; u; u = u->parent) {
        if (u->device == unit->device && u->inode == unit->inode) {
            diag_add_file(diag, E_LINK_LOOP, unit->path, "this is %s again: the library would contain itself",
                          u->path);
            return false;
        }
        if (++depth > DEEPEST_DIRECTORY) {
            diag_add_file(diag, E_TOO_MANY_LEVELS, unit->path, "more than %d levels deep", DEEPEST_DIRECTORY);
            return false;
        }
    }
    return true;
}

static void add_child(Libraries *libs, Unit *parent, UnitKind kind, Str name, const char *path, Diag *diag)
{
    Unit *unit = library_new_unit(libs, kind, parent, name_of(libs->names, name), path);
    Unit *other = map_pointer(&parent->by_name, unit->name);
    if (kind == UNIT_DIRECTORY && !is_sound_place(unit, diag)) return;
    if (other) {
        diag_add_file(diag, E_DOUBLE_CLASS, path, "the class '%s' is also in %s", name_text(unit->name),
                      other->path);
        return;
    }
    map_set_pointer(&parent->by_name, unit->name, unit);
    vec_push(libs->arena, &parent->children, unit);
}

bool file_is_modelica(Str name) { return name.n > 3 && !memcmp(name.at + name.n - 3, ".mo", 3); }

static void list_entry(Libraries *libs, Unit *unit, const DirEntry *entry, Diag *diag)
{
    Str name = str_of(entry->name);
    bool is_file = entry->kind == FILE_REGULAR && file_is_modelica(name) && !str_is(name, "package.mo");
    if (!is_file && entry->kind != FILE_DIRECTORY) return;
    const char *path = path_join(libs->arena, unit->path, entry->name);
    if (is_file)
        add_child(libs, unit, UNIT_FILE, (Str){ name.at, name.n - 3 }, path, diag);
    else if (file_kind(path_join(libs->arena, path, "package.mo")) == FILE_REGULAR)
        add_child(libs, unit, UNIT_DIRECTORY, name, path, diag);
    else
        vec_push(libs->arena, &unit->beside, path);
}

Str text_next_line(Str *rest)
{
    const char *end = memchr(rest->at, '\n', rest->n);
    Str line = { rest->at, end ? (size_t)(end - rest->at) : rest->n };
    size_t taken = end ? line.n + 1 : line.n;
    *rest = (Str){ rest->at + taken, rest->n - taken };
    while (line.n && (unsigned char)line.at[line.n - 1] <= ' ') line.n--;
    while (line.n && (unsigned char)line.at[0] <= ' ') line = (Str){ line.at + 1, line.n - 1 };
    return line;
}

/* The text of package.order, or nothing. */
Str unit_order(Libraries *libs, Arena *arena, const Unit *unit, Diag *diag)
{
    const char *path = path_join(arena, unit->path, "package.order");
    if (file_kind(path) != FILE_REGULAR) return (Str){ 0 };
    const Source *source = library_open_source(libs, path, diag);
    return source ? source->text : (Str){ 0 };
}

/* Brings the children into the order of package.order; those it does not name come last. */
static void sort_children(Libraries *libs, Unit *unit, Diag *diag)
{
    Str order = unit_order(libs, libs->arena, unit, diag);
    Map taken = { .arena = libs->arena };
    VEC(Unit *) sorted = { 0 };
    bool is_new;
    while (order.n) {
        Str line = text_next_line(&order);
        Unit *child = line.n ? map_pointer(&unit->by_name, name_of(libs->names, line)) : NULL;
        if (!child) continue;
        map_put(&taken, map_key(child), &is_new);
        if (is_new) vec_push(libs->arena, &sorted, child);
    }
    for (uint32_t i = 0; i < unit->children.n; i++) {
        map_put(&taken, map_key(unit->children.at[i]), &is_new);
        if (is_new) vec_push(libs->arena, &sorted, unit->children.at[i]);
    }
    for (uint32_t i = 0; i < sorted.n; i++) unit->children.at[i] = sorted.at[i];
}

void unit_list(Libraries *libs, Unit *unit, Diag *diag)
{
    Dir dir;
    int why;
    if (unit->listed || unit->kind != UNIT_DIRECTORY) return;
    unit->listed = true;
    if (!dir_read(libs->arena, unit->path, &dir, &why)) {
        diag_add_file(diag, E_FILE_UNREADABLE, unit->path, "%s", strerror(why));
        return;
    }
    for (uint32_t i = 0; i < dir.n; i++) list_entry(libs, unit, &dir.at[i], diag);
    sort_children(libs, unit, diag);
}

Unit *unit_child(Libraries *libs, Unit *unit, Name name, Diag *diag)
{
    unit_list(libs, unit, diag);
    return map_pointer(&unit->by_name, name);
}

size_t libraries_index(Libraries *libs, Unit *root, Diag *diag)
{
    VEC(Unit *) open = { 0 };
    size_t count = 0;
    vec_push(libs->arena, &open, root);
    while (open.n) {
        Unit *unit = open.at[--open.n];
        count++;
        unit_list(libs, unit, diag);
        for (uint32_t i = unit->children.n; i > 0; i--)
            vec_push(libs->arena, &open, unit->children.at[i - 1]);
    }
    return count;
}

/* ---- what a file must say -------------------------------------------------------------------- */

static bool within_fits(const Unit *unit, const Path *within)
{
    uint32_t i = within->n;
    for (const Unit *u = unit->parent; u; u = u->parent)
        if (i == 0 || within->at[--i] != u->name) return false;
    return i == 0;
}

static void unit_full_name(const Unit *unit, Text *out)
{
    if (unit->parent) {
        unit_full_name(unit->parent, out);
        text_add_char(out, '.');
    }
    text_add(out, name_str(unit->name));
}

static void check_within(const Unit *unit, const Tree *tree, Diag *diag)
{
    if (within_fits(unit, &tree->within)) return;
    Text want = { .arena = diag->arena };
    if (unit->parent) unit_full_name(unit->parent, &want);
    Span span = tree->within.n ? tree->within.span : (Span){ tree->source->base, 0 };
    diag_add(diag, E_WITHIN, span, "expected 'within%s%s;' in a file of this directory", want.n ? " " : "",
             want.n ? want.at : "");
}

/* Takes the class that the unit is for from its tree, and says what is wrong with the file. */
void unit_adopt(Unit *unit, Tree *tree, Diag *diag)
{
    unit->tree = tree;
    unit->loaded = true;
    for (uint32_t i = 0; i < tree->n; i++)
        if (tree->classes[i]->name == unit->name) unit->cls = tree->classes[i];
    if (!unit->cls && tree->n == 1) unit->cls = tree->classes[0];
    if (unit->cls) unit->cls->unit = unit;
    if (diag->errors) return;
    if (tree->n != 1 || unit->cls->name != unit->name) {
        Span span = tree->n ? tree->classes[0]->name_span : (Span){ tree->source->base, 0 };
        diag_add(diag, E_CLASS_FILE_NAME, span, "expected this file to define one class, '%s'",
                 name_text(unit->name));
    }
    check_within(unit, tree, diag);
}

Class *unit_class(Libraries *libs, Unit *unit, Diag *diag)
{
    if (unit->loaded) return unit->cls;
    unit->loaded = true;
    const Source *source = library_open_source(libs, unit_file(libs->arena, unit), diag);
    if (!source) return NULL;
    Diag own;
    diag_init(&own, libs->arena);
    own.strict_language = diag->strict_language;
    unit_adopt(unit, syntax_parse(libs->reader, source, libs->arena, &own), &own);
    diag_merge(diag, &own);
    return unit->cls;
}

/* ---- classes --------------------------------------------------------------------------------- */

Unit *class_unit(const Class *cls)
{
    while (cls->outer) cls = cls->outer;
    return cls->unit;
}

Class *class_parent(Libraries *libs, const Class *cls, Diag *diag)
{
    if (cls->outer) return cls->outer;
    return cls->unit && cls->unit->parent ? unit_class(libs, cls->unit->parent, diag) : NULL;
}

static Class *find_element_class(const Class *cls, Name name)
{
    for (uint32_t i = 0; i < cls->element_count; i++)
        if (cls->elements[i]->kind == ELEMENT_CLASS && cls->elements[i]->cls->name == name)
            return cls->elements[i]->cls;
    return NULL;
}

Class *class_stored_child(Libraries *libs, const Class *cls, Name name, Diag *diag)
{
    Unit *unit = cls->unit ? unit_child(libs, cls->unit, name, diag) : NULL;
    return unit ? unit_class(libs, unit, diag) : NULL;
}

Class *class_child(Libraries *libs, const Class *cls, Name name, Diag *diag)
{
    Class *child = find_element_class(cls, name);
    return child ? child : class_stored_child(libs, cls, name, diag);
}

void class_full_name(const Class *cls, Text *out)
{
    if (cls->outer)
        class_full_name(cls->outer, out);
    else if (cls->unit && cls->unit->parent)
        unit_full_name(cls->unit->parent, out);
    if (out->n) text_add_char(out, '.');
    text_add(out, name_str(cls->name));
}
