/* library.c: what libraries there are, what they use, and where libraries are looked for.
 *
 * In: the directories of the session. Out: one entry a library and version, with the libraries
 * that its `uses` annotation names and where these are. How: package.mo is parsed by itself, so
 * that versions side by side do not meet. Cost: parsing of these files. Tests:
 * tests/cli/library.sh. */
#include "api/libraries.h"

#include <stdlib.h>

typedef struct {
    AcausalSession *session;
    const char *name; /* NULL: all */
    void (*each)(void *arg, const AcausalLibrary *library);
    void *arg;
} Walk;

static const char *text_of(AcausalSession *s, Str text) { return text.n ? arena_copy(s->arena, text) : ""; }

const Class *library_head(AcausalSession *s, const char *path)
{
    Diag quiet; /* what is wrong in it is told when it is used */
    diag_init(&quiet, s->arena);
    bool is_directory = file_kind(path) == FILE_DIRECTORY;
    const char *file = is_directory ? path_join(s->arena, path, "package.mo") : path;
    const Tree *tree = libraries_parse_file(s->libraries, file, &quiet);
    return tree && tree->n && !tree->within.n ? tree->classes[0] : NULL;
}

const char *library_version(AcausalSession *s, const Class *head, const char *path)
{
    Str version = head ? modification_string(class_annotation(head), "version") : (Str){ 0 }, base = { 0 };
    if (!version.n) split_version(path_base(path), &base, &version);
    return text_of(s, version);
}

/* The libraries that one says it uses, and where they are. */
static size_t add_uses(AcausalSession *s, const Class *head, const AcausalUse ***out)
{
    const Argument *uses = modification_find(class_annotation(head), "uses");
    const Modification *m = uses ? uses->modification : NULL;
    size_t n = 0;
    *out = NEW_ARRAY(s->arena, const AcausalUse *, (m ? m->n : 0) + 1);
    for (uint32_t i = 0; m && i < m->n; i++) {
        const Argument *a = m->arguments[i];
        if (a->kind != ARGUMENT_MODIFY || a->name_count != 1) continue;
        Str wanted = modification_string(a->modification, "version");
        AcausalUse *use = NEW(s->arena, AcausalUse);
        (*out)[n++] = use;
        use->size = sizeof *use;
        use->name = name_text(a->names[0]);
        use->version = text_of(s, wanted);
        use->path = libraries_locate(s->libraries, a->names[0], wanted);
        use->found = use->path ? library_version(s, library_head(s, use->path), use->path) : "";
    }
    return n;
}

static void give_library(void *arg, const Found *found)
{
    const Walk *w = arg;
    AcausalSession *s = w->session;
    if (w->name && !str_is(found->name, w->name)) return;
    const Class *head = library_head(s, found->path);
    if (!head) return; /* a .mo file that is none of a library's own */
    const char *chosen = libraries_locate(s->libraries, name_of(s->names, found->name), (Str){ 0 });
    const char *real = chosen ? path_real(s->arena, chosen) : NULL;
    const AcausalUse **uses;
    AcausalLibrary library = { .size = sizeof library,
                               .name = text_of(s, found->name),
                               .path = found->path,
                               .version = library_version(s, head, found->path),
                               .description = head->comment ? text_of(s, head->comment->text) : "",
                               .is_chosen = real && !strcmp(real, found->path) };
    library.use_count = add_uses(s, head, &uses);
    library.uses = uses;
    w->each(w->arg, &library);
}

AcausalStatus acausal_libraries(AcausalSession *s, const char *name,
                                void (*each)(void *arg, const AcausalLibrary *library), void *arg)
{
    Walk w = { s, name, each, arg };
    libraries_each_found(s->libraries, give_library, &w);
    return session_status(s);
}

const char *acausal_library_directory(AcausalSession *s, size_t i) { return libraries_path(s->libraries, i); }

const char *acausal_library_folder(AcausalSession *s)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && *data == '/') return path_join(s->arena, data, "acausal/libraries");
    return home && *home == '/' ? path_join(s->arena, home, ".local/share/acausal/libraries") : NULL;
}
