/* install.c: puts libraries into a folder where they are found, each as "Name VERSION".
 *
 * In: a library's directory or file, a directory of libraries, an archive (.zip, .tar, .tar.gz,
 * .tar.xz), or a git directory with a revision. Out: copies, and where they are. How: archives and
 * git directories are unpacked by unzip, tar and git into a directory of their own; a library is
 * copied beside its place and renamed. Always: links are not copied, so nothing points outside; a
 * library is there as a whole or not at all; foreign code in it is not trusted by this. Cost: the
 * copies. Tests: tests/cli/library.sh. */
#include "api/libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { DEEPEST = 4 }; /* directories of an archive around its libraries */

typedef struct {
    AcausalSession *s;
    Arena *arena;
    const AcausalInstall *want;
    const char *into;
    const char *unpacked; /* a directory of our own; NULL: none */
    size_t links;         /* that were left out */
    size_t n;             /* libraries that were installed */
    void (*each)(void *arg, const char *path);
    void *arg;
} Install;

/* ---- files ----------------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static void remove_all(const char *path) { nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

static bool make_directories(Install *in, const char *path)
{
    char *at = arena_copy(in->arena, str_of(path));
    for (char *p = at + 1;; p++) {
        if (*p && *p != '/') continue;
        char kept = *p;
        *p = 0;
        if (mkdir(at, 0777) && errno != EEXIST)
            return wrong(in->s, E_INSTALL, "'%s' cannot be made: %s", at, strerror(errno));
        *p = kept;
        if (!kept) return true;
    }
}

static bool copy_file(Install *in, const char *from, const char *to)
{
    char chunk[65536];
    FILE *a = fopen(from, "rbe"), *b = a ? fopen(to, "wbxe") : NULL;
    bool ok = a && b;
    for (size_t n; ok && (n = fread(chunk, 1, sizeof chunk, a)) > 0;) ok = fwrite(chunk, 1, n, b) == n;
    ok = ok && !ferror(a);
    if (b && fclose(b)) ok = false;
    if (a) fclose(a);
    return ok || wrong(in->s, E_INSTALL, "'%s' cannot be copied: %s", from, strerror(errno));
}

static bool copy_tree(Install *in, const char *from, const char *to)
{
    struct stat st;
    Dir dir;
    int why;
    if (lstat(from, &st)) return wrong(in->s, E_INSTALL, "'%s': %s", from, strerror(errno));
    if (S_ISLNK(st.st_mode)) return in->links++, true;
    if (S_ISREG(st.st_mode)) return copy_file(in, from, to);
    if (!S_ISDIR(st.st_mode)) return true;
    if (mkdir(to, 0777)) return wrong(in->s, E_INSTALL, "'%s' cannot be made: %s", to, strerror(errno));
    if (!dir_read(in->arena, from, &dir, &why))
        return wrong(in->s, E_INSTALL, "'%s' cannot be read: %s", from, strerror(why));
    for (uint32_t i = 0; i < dir.n; i++)
        if (!copy_tree(in, path_join(in->arena, from, dir.at[i].name),
                       path_join(in->arena, to, dir.at[i].name)))
            return false;
    return true;
}

/* ---- libraries ------------------------------------------------------------------------------- */

static bool install_library(Install *in, const char *path, const Class *head)
{
    const char *version = library_version(in->s, head, path), *name = name_text(head->name);
    bool is_file = file_kind(path) == FILE_REGULAR;
    const char *folder =
        arena_printf(in->arena, "%s%s%s%s", name, *version ? " " : "", version, is_file ? ".mo" : "");
    const char *to = path_join(in->arena, in->into, folder);
    const char *partial = arena_printf(in->arena, "%s/.%s.%ld", in->into, folder, (long)getpid());
    bool is_there = file_kind(to) != FILE_NONE;
    if (strchr(folder, '/') || (is_there && !in->want->replace))
        return wrong(in->s, E_INSTALL, "'%s' is there already", to);
    bool ok = copy_tree(in, path, partial);
    if (ok && is_there) remove_all(to);
    if (ok && rename(partial, to))
        ok = wrong(in->s, E_INSTALL, "'%s' cannot be made: %s", to, strerror(errno));
    if (!ok) {
        remove_all(partial);
        return false;
    }
    in->n++;
    if (in->each) in->each(in->arg, arena_copy(in->s->arena, str_of(to)));
    return true;
}

/* Installs the libraries in a directory, or those of its directories if it holds none. */
static bool install_from(Install *in, const char *path, unsigned depth)
{
    const Class *head = NULL;
    Dir dir;
    int why;
    size_t before = in->n;
    if (file_kind(path_join(in->arena, path, "package.mo")) == FILE_REGULAR) head = library_head(in->s, path);
    if (head && (!in->want->name || str_is(name_str(head->name), in->want->name)))
        return install_library(in, path, head);
    if (head || !dir_read(in->arena, path, &dir, &why)) return true;
    for (uint32_t i = 0; i < dir.n; i++) {
        const char *at = path_join(in->arena, path, dir.at[i].name);
        Str base = str_of(dir.at[i].name);
        bool is_text =
            dir.at[i].kind == FILE_REGULAR && base.n > 3 && !memcmp(base.at + base.n - 3, ".mo", 3);
        const Class *alone = is_text ? library_head(in->s, at) : NULL;
        bool wanted = alone && alone->kind == CLASS_PACKAGE &&
                      (!in->want->name || str_is(name_str(alone->name), in->want->name));
        if (wanted && !install_library(in, at, alone)) return false;
        bool is_library = dir.at[i].kind == FILE_DIRECTORY &&
                          file_kind(path_join(in->arena, at, "package.mo")) == FILE_REGULAR;
        if (is_library && !install_from(in, at, depth)) return false;
    }
    for (uint32_t i = 0; in->n == before && depth < DEEPEST && i < dir.n; i++)
        if (dir.at[i].kind == FILE_DIRECTORY &&
            !install_from(in, path_join(in->arena, path, dir.at[i].name), depth + 1))
            return false;
    return true;
}

/* ---- archives -------------------------------------------------------------------------------- */

/* Runs a program of the system; what it says is kept for the report. */
static bool run_program(Install *in, char *const *words)
{
    const char *log = path_join(in->arena, in->unpacked, ".log");
    posix_spawn_file_actions_t actions;
    char said[300] = "";
    int status = 0;
    pid_t pid;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    int error = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        return wrong(in->s, E_INSTALL, "the program '%s', which this needs, cannot be started: %s", words[0],
                     strerror(error));
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return wrong(in->s, E_INSTALL, "the program '%s', which this needs, is not here", words[0]);
    if (WIFEXITED(status) && !WEXITSTATUS(status)) return true;
    FILE *file = fopen(log, "re");
    if (file && !fgets(said, sizeof said, file)) *said = 0;
    if (file) fclose(file);
    said[strcspn(said, "\n")] = 0;
    return wrong(in->s, E_INSTALL, "'%s' failed: %s", words[0], said);
}

static bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && !strcmp(path + n - m, end);
}

static bool is_git_directory(Install *in, const char *path)
{
    return file_kind(path_join(in->arena, path, "HEAD")) == FILE_REGULAR &&
           file_kind(path_join(in->arena, path, "objects")) == FILE_DIRECTORY;
}

static bool unpack(Install *in, const char *from)
{
    char *to = path_join(in->arena, in->unpacked, "tree"), *path = path_real(in->arena, from);
    const char *revision = in->want->revision ? in->want->revision : "HEAD";
    if (!path || mkdir(to, 0777)) return wrong(in->s, E_INSTALL, "'%s': %s", from, strerror(errno));
    if (file_kind(path) == FILE_DIRECTORY) {
        char *tar = path_join(in->arena, in->unpacked, "tree.tar");
        char *of = arena_printf(in->arena, "--git-dir=%s", path);
        char *output = arena_printf(in->arena, "--output=%s", tar);
        char *archive[] = { "git", of, "archive", "--format=tar", output, (char *)(uintptr_t)revision, NULL };
        char *extract[] = { "tar", "-xf", tar, "-C", to, "--no-same-owner", NULL };
        return run_program(in, archive) && run_program(in, extract) && install_from(in, to, 0);
    }
    char *unzip[] = { "unzip", "-q", "-o", path, "-d", to, NULL };
    char *tar[] = { "tar", "-xf", path, "-C", to, "--no-same-owner", NULL };
    return run_program(in, ends_in(path, ".zip") ? unzip : tar) && install_from(in, to, 0);
}

static bool install_unpacked(Install *in, const char *from)
{
    char *directory = path_join(in->arena, in->into, ".unpack.XXXXXX");
    if (!mkdtemp(directory))
        return wrong(in->s, E_INSTALL, "'%s' cannot be written to: %s", in->into, strerror(errno));
    in->unpacked = directory;
    bool ok = unpack(in, from);
    remove_all(directory);
    return ok;
}

static bool install(Install *in, const char *from)
{
    static const char *const archives[] = { ".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2" };
    const char *inner = path_join(in->arena, from, ".git");
    FileKind kind = file_kind(from);
    if (kind == FILE_NONE) return wrong(in->s, E_INSTALL, "there is no '%s'", from);
    if (kind == FILE_DIRECTORY && is_git_directory(in, from)) return install_unpacked(in, from);
    if (kind == FILE_DIRECTORY && in->want->revision)
        return is_git_directory(in, inner) ? install_unpacked(in, inner)
                                           : wrong(in->s, E_INSTALL, "'%s' is no git directory", from);
    if (kind == FILE_DIRECTORY) return install_from(in, from, 0);
    for (size_t i = 0; i < COUNT_OF(archives); i++)
        if (ends_in(from, archives[i])) return install_unpacked(in, from);
    const Class *head = ends_in(from, ".mo") ? library_head(in->s, from) : NULL;
    return head ? install_library(in, from, head)
                : wrong(in->s, E_INSTALL,
                        "'%s' is neither a library nor an archive (.zip, .tar, .tar.gz, .tar.xz)", from);
}

AcausalStatus acausal_library_install(AcausalSession *s, const AcausalInstall *given,
                                      void (*each)(void *arg, const char *path), void *arg)
{
    AcausalInstall want = { .size = sizeof want };
    Arena *arena = arena_new();
    if (!arena || !TAKE(s, want, given)) {
        if (!arena) tell_memory(s);
        arena_free(arena);
        return arena ? ACAUSAL_USAGE : ACAUSAL_BUG;
    }
    Install in = { .s = s, .arena = arena, .want = &want, .each = each, .arg = arg };
    in.into = want.into ? want.into : acausal_library_folder(s);
    if (!in.into)
        wrong(s, E_INSTALL, "neither XDG_DATA_HOME nor HOME says where your libraries are");
    else if (make_directories(&in, in.into) && install(&in, want.from) && !in.n)
        wrong(s, E_INSTALL, "there is no library%s%s%s in '%s'", want.name ? " '" : "",
              want.name ? want.name : "", want.name ? "'" : "", want.from);
    if (in.links)
        diag_add_file(&s->diag, E_LEFT_OUT, want.from, "%zu link%s left out", in.links,
                      in.links == 1 ? " is" : "s are");
    arena_free(arena);
    return session_status(s);
}
