/* survey.c: parses everything there is at some paths: the work of `acausal parse`.
 *
 * First all files are collected, library by library, then parsed on several threads, each with an
 * arena and a reader of its own; packages are compared with their package.order there, too.
 * Diagnostics are gathered in the order of the files. A directory without package.mo is taken as a
 * folder of libraries and files; below a library, files in a folder that is no package are parsed
 * too, but belong to no class. Tests: tests/syntax/library_test.c, tests/cli/parse.sh. */
#include "syntax/inside.h"

#include <errno.h>
#include <sys/stat.h>

enum { DEEPEST_FOLDER = 64 };

typedef struct {
    const char *path;
    Unit *unit; /* NULL for a file that is not part of a library */
    Tree *tree;
    Diag diag;
} Task;

typedef struct {
    Libraries *libs;
    VEC(Task *) tasks;
    VEC(Unit *) roots;
    Diag *diag;
    Reader **readers; /* one a thread */
    Arena **arenas;
} Survey;

static void add_task(Survey *s, const char *path, Unit *unit)
{
    Task *task = NEW(s->libs->arena, Task);
    task->path = path;
    task->unit = unit;
    vec_push(s->libs->arena, &s->tasks, task);
}

/* A folder on the way down, to notice links that lead back up. */
typedef struct Folder Folder;
struct Folder {
    uint64_t device, inode;
    int depth;
    const Folder *outer; /* NULL: none */
};

static void collect_folder(Survey *s, const char *path, const Folder *outer, bool in_library);

static void collect_units(Survey *s, Unit *unit, const Folder *outer)
{
    Folder here = { unit->device, unit->inode, outer ? outer->depth + 1 : 0, outer };
    unit_list(s->libs, unit, s->diag);
    add_task(s, unit_file(s->libs->arena, unit), unit);
    for (uint32_t i = 0; i < unit->children.n; i++)
        collect_units(s, unit->children.at[i], unit->kind == UNIT_DIRECTORY ? &here : outer);
    /* Files in folders that are no packages are reached by nobody, but they are text too. */
    for (uint32_t i = 0; i < unit->beside.n; i++)
        collect_folder(s, unit->beside.at[i], &here, !str_is(path_base(unit->beside.at[i]), "Resources"));
}

static void collect_library(Survey *s, const char *path, const Folder *outer)
{
    Unit *root = libraries_open_directory(s->libs, path, s->diag);
    if (!root) return;
    for (uint32_t i = 0; i < s->roots.n; i++)
        if (s->roots.at[i] == root) {
            if (strcmp(root->path, path) != 0)
                diag_add_file(s->diag, E_DOUBLE_CLASS, path, "the library '%s' is also in %s",
                              name_text(root->name), root->path);
            return;
        }
    vec_push(s->libs->arena, &s->roots, root);
    collect_units(s, root, outer);
}

/* Whether a folder may be entered: it is not one of those around it, and not too deep. */
static bool enter_folder(Survey *s, const char *path, Folder *here)
{
    struct stat status;
    if (here->depth > DEEPEST_FOLDER) {
        diag_add_file(s->diag, E_TOO_MANY_LEVELS, path, "more than %d levels deep", DEEPEST_FOLDER);
        return false;
    }
    if (stat(path, &status)) return true; /* reading it will say why */
    here->device = (uint64_t)status.st_dev;
    here->inode = (uint64_t)status.st_ino;
    for (const Folder *f = here->outer; f; f = f->outer)
        if (f->device == here->device && f->inode == here->inode) {
            diag_add_file(s->diag, E_LINK_LOOP, path, "this is a link to a directory around it");
            return false;
        }
    return true;
}

static void collect_folder(Survey *s, const char *path, const Folder *outer, bool in_library)
{
    Arena *arena = s->libs->arena;
    Folder here = { .depth = outer ? outer->depth + 1 : 0, .outer = outer };
    Dir dir;
    int why;
    bool reported = false;
    if (!enter_folder(s, path, &here)) return;
    if (!dir_read(arena, path, &dir, &why)) {
        diag_add_file(s->diag, E_FILE_UNREADABLE, path, "%s", strerror(why));
        return;
    }
    for (uint32_t i = 0; i < dir.n; i++) {
        const char *entry = path_join(arena, path, dir.at[i].name);
        if (dir.at[i].kind == FILE_DIRECTORY) {
            if (file_kind(path_join(arena, entry, "package.mo")) == FILE_REGULAR)
                collect_library(s, entry, &here);
            else
                collect_folder(s, entry, &here, in_library);
        } else if (dir.at[i].kind == FILE_REGULAR && file_is_modelica(str_of(dir.at[i].name))) {
            if (in_library && !reported)
                diag_add_file(s->diag, E_NO_PACKAGE_FILE, path,
                              "Modelica files in a directory without package.mo, inside a library: nothing "
                              "can refer to them");
            reported = true;
            add_task(s, entry, NULL);
        }
    }
}

static void collect(Survey *s, const char *path)
{
    uint32_t before = s->tasks.n, errors = s->diag->errors;
    switch (file_kind(path)) {
    case FILE_DIRECTORY:
        if (file_kind(path_join(s->libs->arena, path, "package.mo")) == FILE_REGULAR)
            collect_library(s, path, NULL);
        else
            collect_folder(s, path, NULL, false);
        if (s->tasks.n == before && s->diag->errors == errors) {
            Note *note = diag_add_file(s->diag, E_NO_PACKAGE_FILE, path,
                                       "there is no package.mo and no other Modelica file here");
            diag_hint(s->diag, note, "name a library's directory, or a .mo file");
        }
        break;
    case FILE_OTHER: diag_add_file(s->diag, E_FILE_KIND, path, "neither a file nor a directory"); break;
    case FILE_NONE:
    case FILE_REGULAR: add_task(s, path, NULL); break;
    }
}

/* ---- package.order --------------------------------------------------------------------------- */

static void collect_own_names(const Class *cls, Map *names)
{
    for (uint32_t i = 0; i < cls->element_count; i++) {
        const Element *e = cls->elements[i];
        if (e->kind == ELEMENT_CLASS) map_set_pointer(names, e->cls->name, e->cls);
        for (uint32_t k = 0; e->kind == ELEMENT_COMPONENT && k < e->clause->n; k++)
            map_set_pointer(names, e->clause->declarations[k].name, &e->clause->declarations[k]);
    }
}

/* A package's names, in its text and in its directory, against its package.order. */
static void check_order(Libraries *libs, const Unit *unit, Arena *arena, Diag *diag)
{
    Map own = { .arena = arena }, listed = { .arena = arena };
    if (!unit->cls || unit->kind != UNIT_DIRECTORY) return;
    collect_own_names(unit->cls, &own);
    Str order = unit_order(libs, arena, unit, diag);
    const char *file = path_join(arena, unit->path, "package.order");
    bool has_order = order.n > 0;
    while (order.n) {
        Str line = text_next_line(&order);
        Name name = line.n ? name_of(libs->names, line) : NULL;
        if (!name) continue;
        map_set_pointer(&listed, name, (void *)(uintptr_t)unit);
        if (!map_pointer(&own, name) && !map_pointer(&unit->by_name, name))
            diag_add_file(diag, E_ORDER_UNKNOWN, file, "the package has no '%s'", name_text(name));
    }
    for (uint32_t i = 0; i < unit->children.n; i++) {
        const Unit *child = unit->children.at[i];
        if (has_order && !map_pointer(&listed, child->name))
            diag_add_file(diag, E_ORDER_MISSING, file, "'%s' is not listed", name_text(child->name));
        if (map_pointer(&own, child->name))
            diag_add_file(diag, E_DOUBLE_CLASS, child->path,
                          "the name '%s' is also declared in the text of its package",
                          name_text(child->name));
    }
}

/* On any thread. */
static void run_task(void *arg, size_t i, unsigned worker)
{
    Survey *s = arg;
    Task *task = s->tasks.at[i];
    Arena *arena = s->arenas[worker];
    diag_init(&task->diag, arena);
    const Source *source = library_open_source(s->libs, task->path, &task->diag);
    if (!source) return;
    task->tree = syntax_parse(s->readers[worker], source, arena, &task->diag);
    if (!task->unit) return;
    unit_adopt(task->unit, task->tree, &task->diag);
    check_order(s->libs, task->unit, arena, &task->diag);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool make_workers(Survey *s, unsigned threads)
{
    s->readers = NEW_ARRAY(s->libs->arena, Reader *, threads);
    s->arenas = NEW_ARRAY(s->libs->arena, Arena *, threads);
    for (unsigned i = 0; i < threads; i++) {
        s->readers[i] = reader_new(s->libs->names);
        s->arenas[i] = arena_new();
        if (!s->readers[i] || !s->arenas[i]) return false;
        vec_push(s->libs->arena, &s->libs->tree_arenas, s->arenas[i]);
    }
    return true;
}

void libraries_survey(Libraries *libs, const char *const *paths, size_t n, unsigned threads, Diag *diag,
                      SurveyReport *report)
{
    Survey s = { .libs = libs, .diag = diag };
    if (threads < 1) threads = 1;
    for (size_t i = 0; i < n; i++) collect(&s, paths[i]);
    if (make_workers(&s, threads))
        pool_each(threads, s.tasks.n, run_task, &s);
    else
        diag_add_file(diag, E_OUT_OF_MEMORY, n ? paths[0] : "", "no memory to begin with");
    *report = (SurveyReport){ 0 };
    for (uint32_t i = 0; i < s.tasks.n; i++) {
        const Task *task = s.tasks.at[i];
        if (task->diag.arena) diag_merge(diag, &task->diag);
        if (!task->tree) continue;
        report->files++;
        report->classes += task->tree->class_count;
        report->lines += task->tree->line_count;
        report->bytes += task->tree->source->text.n;
    }
    for (unsigned i = 0; i < threads; i++) reader_free(s.readers[i]);
}
