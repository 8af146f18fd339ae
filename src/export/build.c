/* build.c: the binary of an FMU, and its sources.
 *
 * The C text is compiled by the system's compiler in a directory of its own and linked with the
 * archive of rt/, run/ and unit/ that is part of this library. Only the functions of FMI are
 * visible in it, so that several FMUs, and the program itself, can be in one process. Sources are
 * the same files in one directory. Always: no shell is involved, and the directory is gone
 * afterwards. Tests: tests/cli/export.sh. */
#include "export/inside.h"

#include "ext/ext.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *export_platform(int version)
{
#if defined(__x86_64__) && defined(__linux__)
    return version == 2 ? "linux64" : "x86_64-linux";
#elif defined(__aarch64__) && defined(__linux__)
    return version == 2 ? "aarch64-linux" : "aarch64-linux";
#else
    (void)version;
    return NULL;
#endif
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool write_file(Arena *arena, const char *directory, const char *name, const void *at, size_t n)
{
    char *path = path_join(arena, directory, name);
    for (char *slash = strchr(path + strlen(directory) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(at, 1, n, file) == n;
    if (file) ok &= fclose(file) == 0;
    return ok;
}

bool export_read_file(Arena *arena, const char *path, Str *out)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    if (!file) return false;
    bool ok = fstat(fileno(file), &info) == 0;
    char *at = ok ? arena_alloc(arena, (size_t)info.st_size + 1) : NULL;
    ok = ok && fread(at, 1, (size_t)info.st_size, file) == (size_t)info.st_size;
    fclose(file);
    if (ok) at[info.st_size] = 0;
    if (ok) *out = (Str){ at, (size_t)info.st_size };
    return ok;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info, (void)kind, (void)where;
    return remove(path);
}

static bool is_header(const char *name) { return strlen(name) > 2 && !strcmp(name + strlen(name) - 2, ".h"); }

/* ---- the compiler ---------------------------------------------------------------------------- */

typedef struct {
    pid_t pid;
    int started; /* 0, or why not */
} Job;

/* Starts a program in the directory; what it says goes to the file `log`. */
static Job start(char *const *words, const char *log)
{
    Job job = { 0 };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    job.started = posix_spawnp(&job.pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return job;
}

static bool end(const Job *job)
{
    int status = 0;
    if (job->started) return false;
    while (waitpid(job->pid, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum { MOST_WORDS = 200 };
const char *const export_files[FILE_COUNT] = { "model", "derivatives", "externals" };

typedef struct {
    char *at[MOST_WORDS];
    int n;
} Words;

static void add_word(Arena *arena, Words *w, const char *word)
{
    if (w->n < MOST_WORDS - 1) w->at[w->n++] = arena_copy(arena, str_of(word));
    w->at[w->n] = NULL;
}

/* The compiler may be several words, as "ccache gcc". */
static Words compiler(Exporting *x)
{
    Words w = { .n = 0 };
    const char *said = x->options->compiler ? x->options->compiler : getenv("CC");
    char *text = arena_copy(x->arena, str_of(said && *said ? said : "cc"));
    char *rest;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        add_word(x->arena, &w, word);
    return w;
}

static void add_words(Arena *arena, Words *w, const char *const *words, size_t n)
{
    for (size_t k = 0; k < n; k++) add_word(arena, w, words[k]);
}

/* C text that came with a model is compiled as it is when the model runs in process. */
static Job compile(Exporting *x, const char *directory, int file, size_t size)
{
    static const char *const always[] = { "-fPIC", "-ffp-contract=off", "-w", "-fvisibility=hidden", "-c" };
    const char *const *includes, *name = export_files[file];
    Words w = compiler(x);
    add_words(x->arena, &w, always, COUNT_OF(always));
    if (file == FILE_EXTERNALS) {
        uint32_t n = ext_unit_directories(gen_externals(x->compiled), &includes);
        add_word(x->arena, &w, "-std=gnu11");
        for (uint32_t k = 0; k < n; k++) add_word(x->arena, &w, arena_printf(x->arena, "-I%s", includes[k]));
    } else {
        add_word(x->arena, &w, "-std=c99");
        add_word(x->arena, &w, "-fno-builtin");
    }
    /* Compilers take more than linear time for large functions. */
    bool is_worth_it = size < (file == FILE_DERIVATIVES ? 100000 : 2000000);
    add_word(x->arena, &w, is_worth_it ? "-O2" : size < 8000000 ? "-O1" : "-O0");
    add_word(x->arena, &w, arena_printf(x->arena, "-I%s", directory));
    add_word(x->arena, &w, "-o");
    add_word(x->arena, &w, arena_printf(x->arena, "%s/%s.o", directory, name));
    add_word(x->arena, &w, arena_printf(x->arena, "%s/%s.c", directory, name));
    return start(w.at, path_join(x->arena, directory, "log"));
}

/* Compiles all files at the same time; *bad is the first that failed. */
static bool compile_all(Exporting *x, const char *directory, const ExportText *text, Job *bad)
{
    Job jobs[FILE_COUNT];
    bool ok = true;
    for (int k = 0; k < FILE_COUNT; k++)
        if (text->of[k].n) jobs[k] = compile(x, directory, k, text->of[k].n);
    for (int k = 0; k < FILE_COUNT; k++) {
        if (!text->of[k].n || end(&jobs[k]) || !ok) continue;
        *bad = jobs[k];
        ok = false;
    }
    return ok;
}

/* Where the compiler finds an archive; NULL: nowhere. */
static const char *find_archive(Exporting *x, const char *directory, const char *name)
{
    Words w = compiler(x);
    Str said = { "", 0 };
    const char *answer = path_join(x->arena, directory, "answer");
    add_word(x->arena, &w, arena_printf(x->arena, "-print-file-name=%s", name));
    remove(answer);
    Job job = start(w.at, answer);
    if (!end(&job) || !export_read_file(x->arena, answer, &said)) return NULL;
    while (said.n && said.at[said.n - 1] <= ' ') said.n--;
    const char *path = arena_copy(x->arena, said);
    return *path == '/' && file_kind(path) == FILE_REGULAR ? path : NULL;
}

/* Archives of LAPACK: the first set that is there. The reference is small; OpenBLAS brings code for
 * all processors. */
static bool find_lapack(Exporting *x, const char *directory)
{
    static const char *const sets[][2] = { { "liblapack_pic.a", "blas/libblas.a" },
                                           { "libopenblas.a", NULL } };
    for (size_t s = 0; s < COUNT_OF(sets); s++) {
        const char *first = find_archive(x, directory, sets[s][0]);
        const char *second = first && sets[s][1] ? find_archive(x, directory, sets[s][1]) : NULL;
        if (!first || (sets[s][1] && !second)) continue;
        vec_push(x->arena, &x->archives, first);
        if (second) vec_push(x->arena, &x->archives, second);
        return true;
    }
    Note *note = diag_add_file(x->diag, E_EXPORT_MODEL, NULL,
                               "the model calls LAPACK, and there is no static archive of it to link");
    diag_hint(x->diag, note, "install liblapack-dev and libblas-dev, or libopenblas-dev");
    return false;
}

static Job link_all(Exporting *x, const char *directory, const ExportText *text)
{
    static const char *const last[] = { "-Wl,--end-group", "-lm", "-Wl,--gc-sections", "-Wl,--no-undefined",
                                        "-s" };
    Words w = compiler(x);
    add_word(x->arena, &w, "-shared");
    add_word(x->arena, &w, "-o");
    add_word(x->arena, &w, path_join(x->arena, directory, "unit.so"));
    for (int k = 0; k < FILE_COUNT; k++)
        if (text->of[k].n)
            add_word(x->arena, &w, arena_printf(x->arena, "%s/%s.o", directory, export_files[k]));
    /* The functions of the version are what is asked for; all else is there for them. */
    add_word(x->arena, &w, x->options->version == 2 ? "-Wl,-u,fmi2GetVersion" : "-Wl,-u,fmi3GetVersion");
    /* ours, before LAPACK's own is found */
    if (x->needs_lapack) add_word(x->arena, &w, "-Wl,-u,xerbla_");
    add_word(x->arena, &w, "-Wl,--start-group");
    add_word(x->arena, &w, path_join(x->arena, directory, "unit.a"));
    for (uint32_t k = 0; k < x->archives.n; k++) {
        const char *path = x->archives.at[k], *slash = strrchr(path, '/');
        add_word(x->arena, &w, path);
        add_word(x->arena, &w, arena_printf(x->arena, "-Wl,--exclude-libs,%s", slash ? slash + 1 : path));
    }
    add_words(x->arena, &w, last, COUNT_OF(last));
    return start(w.at, path_join(x->arena, directory, "log"));
}

/* What the compiler said first. */
static bool failed(Exporting *x, const char *directory, const Job *job)
{
    Words w = compiler(x);
    Str log = { "", 0 };
    if (job->started) {
        Note *note =
            diag_add_file(x->diag, E_EXPORT_COMPILER, NULL, "the C compiler '%s' could not be started: %s",
                          w.at[0], strerror(job->started));
        diag_hint(x->diag, note,
                  "set CC to a compiler, or write an FMU without a binary: --platform none --sources");
        return false;
    }
    export_read_file(x->arena, path_join(x->arena, directory, "log"), &log);
    size_t n = 0;
    while (n < log.n && n < 300 && log.at[n] != '\n') n++;
    diag_add_file(x->diag, E_EXPORT_COMPILER, NULL, "the C compiler '%s' failed: %.*s", w.at[0], (int)n,
                  log.at);
    return false;
}

static bool write_inputs(Exporting *x, const char *directory, const ExportText *text)
{
    const char *header = ext_unit_header();
    bool ok = write_file(x->arena, directory, "unit.a", embedded_archive.at, embedded_archive.n) &&
              write_file(x->arena, directory, "ModelicaUtilities.h", header, strlen(header));
    for (int k = 0; k < FILE_COUNT && ok; k++)
        ok =
            !text->of[k].n || write_file(x->arena, directory, arena_printf(x->arena, "%s.c", export_files[k]),
                                         text->of[k].at, text->of[k].n);
    for (size_t k = 0; k < embedded_count && ok; k++)
        if (is_header(embedded_files[k].name))
            ok = write_file(x->arena, directory, embedded_files[k].name, embedded_files[k].at,
                            embedded_files[k].n);
    return ok;
}

bool export_build(Exporting *x, const ExportText *text, Str *out)
{
    const char *base = getenv("TMPDIR");
    char *directory = arena_printf(x->arena, "%s/acausal-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(directory)) {
        diag_add_file(x->diag, E_EXPORT_COMPILER, directory, "no directory to compile in: %s",
                      strerror(errno));
        return false;
    }
    bool ok = write_inputs(x, directory, text);
    if (!ok)
        diag_add_file(x->diag, E_EXPORT_COMPILER, directory, "the C text could not be written: %s",
                      strerror(errno));
    if (ok) {
        Job job;
        ok = compile_all(x, directory, text, &job) || failed(x, directory, &job);
        if (ok && x->needs_lapack) ok = find_lapack(x, directory);
        if (ok) job = link_all(x, directory, text);
        if (ok) ok = end(&job) || failed(x, directory, &job);
        if (ok && !(ok = export_read_file(x->arena, path_join(x->arena, directory, "unit.so"), out)))
            diag_add_file(x->diag, E_EXPORT_COMPILER, NULL, "the compiler left no binary");
    }
    nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return ok;
}

/* ---- sources --------------------------------------------------------------------------------- */

/* "rt/newton.c" becomes "rt_newton.c": one directory, so that no compiler needs to be told where to
 * look. */
static char *flat_name(Exporting *x, const char *name)
{
    char *copy = arena_copy(x->arena, str_of(name));
    for (char *at = copy; *at; at++)
        if (*at == '/') *at = '_';
    return copy;
}

static bool belongs(const Exporting *x, const char *name)
{
    const char *other = x->options->version == 2 ? "unit/fmi3.c" : "unit/fmi2.c";
    return strcmp(name, other) != 0;
}

static PackedFile flat_file(Exporting *x, const char *name, const char *at, size_t n)
{
    static const char *const rooms[] = { "rt/", "run/", "unit/" };
    Text out = { .arena = x->arena };
    for (size_t k = 0; k < n;) {
        size_t length = 0;
        while (k + length < n && at[k + length] != '\n') length++;
        Str line = { at + k, length + (k + length < n) };
        bool is_include = line.n > 10 && !strncmp(line.at, "#include \"", 10);
        for (size_t r = 0; is_include && r < COUNT_OF(rooms); r++) {
            size_t room = strlen(rooms[r]);
            if (line.n < 10 + room || strncmp(line.at + 10, rooms[r], room) != 0) continue;
            text_printf(&out, "#include \"%.*s_", (int)room - 1, rooms[r]);
            text_add(&out, (Str){ line.at + 10 + room, line.n - 10 - room });
            line.n = 0;
        }
        text_add(&out, line);
        k += length + 1;
    }
    return (PackedFile){ arena_printf(x->arena, "sources/%s", flat_name(x, name)), out.at, out.n };
}

/* What text of external functions may include: all C files and headers of the directories that they
 * name. */
static void add_included(Exporting *x, Package *out)
{
    const char *const *directories, *header = ext_unit_header();
    uint32_t n = ext_unit_directories(gen_externals(x->compiled), &directories);
    vec_push(x->arena, out, ((PackedFile){ "sources/ModelicaUtilities.h", header, strlen(header) }));
    for (uint32_t k = 0; k < n; k++) {
        DIR *open = opendir(directories[k]);
        for (const struct dirent *e; open && (e = readdir(open));) {
            size_t length = strlen(e->d_name);
            Str content;
            if (length < 3 || (strcmp(e->d_name + length - 2, ".h") && strcmp(e->d_name + length - 2, ".c")))
                continue;
            if (!export_read_file(x->arena, path_join(x->arena, directories[k], e->d_name), &content))
                continue;
            PackedFile f = { arena_printf(x->arena, "sources/%s", e->d_name), content.at, content.n };
            vec_push(x->arena, out, f);
        }
        if (open) closedir(open);
    }
}

void export_add_sources(Exporting *x, const ExportText *text, Package *out)
{
    for (int k = 0; k < FILE_COUNT; k++)
        if (text->of[k].n)
            vec_push(
                x->arena, out,
                flat_file(x, arena_printf(x->arena, "%s.c", export_files[k]), text->of[k].at, text->of[k].n));
    if (text->of[FILE_EXTERNALS].n) add_included(x, out);
    for (size_t k = 0; k < embedded_count; k++) {
        const EmbeddedFile *f = &embedded_files[k];
        if (belongs(x, f->name)) vec_push(x->arena, out, flat_file(x, f->name, (const char *)f->at, f->n));
    }
}

uint32_t export_source_files(Exporting *x, const char **names, uint32_t room)
{
    uint32_t n = 0;
    for (int k = 0; k < FILE_COUNT; k++)
        if (k == FILE_MODEL || (k == FILE_DERIVATIVES && x->has_products) ||
            (k == FILE_EXTERNALS && ext_unit_text(gen_externals(x->compiled), 0, x->arena)))
            names[n++] = arena_printf(x->arena, "%s.c", export_files[k]);
    for (size_t k = 0; k < embedded_count && n < room; k++)
        if (!is_header(embedded_files[k].name) && belongs(x, embedded_files[k].name))
            names[n++] = flat_name(x, embedded_files[k].name);
    return n;
}
