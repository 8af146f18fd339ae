/* load.c: the binary of an FMU: found for this platform, loaded, its functions looked up when first
 * used.
 *
 * Always: symbols of this program are not seen by the FMU (local, deep binding; sanitizers refuse
 * the latter and do without). What the FMU logs comes to the instance. Tests: tests/cli/fmu.sh. */
#include "fmi/inside.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#if defined __x86_64__
#define TUPLE_1 "linux64"
#define TUPLE_3 "x86_64-linux"
#elif defined __aarch64__
#define TUPLE_1 "aarch64-linux"
#define TUPLE_3 "aarch64-linux"
#elif defined __i386__
#define TUPLE_1 "linux32"
#define TUPLE_3 "x86-linux"
#else
#define TUPLE_1 "unknown"
#define TUPLE_3 "unknown"
#endif

static const char *platform_tuple(FmiVersion version) { return version < FMI_3 ? TUPLE_1 : TUPLE_3; }

void instance_log(Instance *i, const char *category, const char *text)
{
    size_t n = strlen(text);
    while (n && (text[n - 1] == '\n' || text[n - 1] == ' ')) n--;
    snprintf(i->message, sizeof i->message, "%.*s", (int)size_min(n, sizeof i->message - 1), text);
    if (!i->options.log || !i->options.logging) return;
    char line[700];
    snprintf(line, sizeof line, "%s%s%s", category, *category ? ": " : "", i->message);
    i->options.log(i->options.log_arg, line);
}

void instance_explain(const Instance *i, CallStatus status, const char *call, char *text, size_t room)
{
    const char *how = status == CALL_DISCARD ? "a discarded call"
                      : status == CALL_FATAL ? "a fatal error"
                                             : "an error";
    snprintf(text, room, "the FMU ended %s with %s%s%s", call, how, *i->message ? ": " : "", i->message);
}

static _Thread_local Instance *calling;

Instance *instance_calling(void) { return calling; }

static void *look_up(Instance *i, CallId id)
{
    const char *name = call_name(i, id);
    char full[512];
    i->looked_up[id] = true;
    snprintf(full, sizeof full, "%s%s%s", i->d->version == FMI_1 ? i->kind->identifier : "",
             i->d->version == FMI_1 ? "_" : "", name);
    if (*name) i->symbols[id] = dlsym(i->library, full);
    if (*name && !i->symbols[id]) i->symbols[id] = dlsym(i->library, name);
    return i->symbols[id];
}

void *instance_symbol(Instance *i, CallId id)
{
    calling = i;
    void *symbol = i->looked_up[id] ? i->symbols[id] : look_up(i, id);
    if (!symbol) snprintf(i->message, sizeof i->message, "its binary has no function %s", call_name(i, id));
    return symbol;
}

/* ---- what an FMU may change of the process --------------------------------------------------- */

void surroundings_check(const Surroundings *before)
{
    const char *locale = setlocale(LC_ALL, NULL);
    fesetenv(&before->numbers);
    if (locale && strcmp(locale, before->locale) != 0) setlocale(LC_ALL, before->locale);
}

/* The current directory becomes this thread's own first, so that others do not see it change. */
Surroundings surroundings_enter(const Instance *i)
{
    Surroundings before = { .directory = -1 };
    const char *locale = setlocale(LC_ALL, NULL);
    fegetenv(&before.numbers);
    snprintf(before.locale, sizeof before.locale, "%s", locale ? locale : "C");
    if (!i->directory || unshare(CLONE_FS)) return before;
    before.directory = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (before.directory >= 0 && chdir(i->directory)) {
        close(before.directory);
        before.directory = -1;
    }
    return before;
}

void surroundings_leave(const Surroundings *before)
{
    surroundings_check(before);
    if (before->directory < 0) return;
    int back = fchdir(before->directory);
    (void)back; /* it was open before, so it can be gone back to */
    close(before->directory);
}

/* ---- finding the binary ---------------------------------------------------------------------- */

void fmu_list_platforms(const Fmu *fmu, Text *out)
{
    const char *last = "";
    for (size_t k = 0; k < archive_count(fmu->archive); k++) {
        const char *name = archive_name(fmu->archive, k);
        if (strncmp(name, "binaries/", 9) != 0) continue;
        size_t n = strcspn(name + 9, "/");
        if (!n || name[9 + n] != '/' || !name[9 + n + 1] || (!strncmp(last, name + 9, n) && last[n] == '/'))
            continue;
        text_add(out, (Str){ name + 9, n });
        text_add_char(out, '\n');
        last = name + 9;
    }
}

static bool no_binary(Instance *i, Diag *diag, const char *wanted)
{
    Text platforms = { .arena = i->arena };
    fmu_list_platforms(i->fmu, &platforms);
    Note *note = diag_add_file(diag, E_FMU_BINARY, i->fmu->path,
                               "there is no %s in it, the binary for this machine", wanted);
    for (size_t k = 0; k < platforms.n; k++)
        if (platforms.at[k] == '\n') platforms.at[k] = ' ';
    if (platforms.n) diag_hint(diag, note, "there are binaries for: %s", platforms.at);
    if (build_has_sources(i))
        diag_hint(diag, note, "it holds sources: --compile builds the binary from them");
    return false;
}

static const char *find_binary(Instance *i, const char *directory, Diag *diag)
{
    const char *name =
        arena_printf(i->arena, "binaries/%s/%s.so", platform_tuple(i->d->version), i->kind->identifier);
    const char *path = path_join(i->arena, directory, name);
    if (archive_has(i->fmu->archive, name)) return path;
    if (!i->options.compile) return no_binary(i, diag, name), NULL;
    path = path_join(i->arena, directory, "compiled.so");
    return build_binary(i, directory, path, diag) ? path : NULL;
}

/* A missing library deserves its name; the loader's message has it up to the first colon. */
static void explain_loader(Instance *i, Diag *diag, const char *text)
{
    const char *missing = strstr(text, ": cannot open shared object file");
    Note *note = diag_add_file(diag, E_FMU_BINARY, i->fmu->path, "its binary cannot be loaded: %s", text);
    if (missing)
        diag_hint(diag, note, "install the library '%.*s' that the FMU was linked with",
                  (int)(missing - text), text);
}

static int open_flags(void)
{
#if defined RTLD_DEEPBIND && !defined ACAUSAL_SANITIZED
    return RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#else
    return RTLD_NOW | RTLD_LOCAL;
#endif
}

bool instance_load(Instance *i, Diag *diag)
{
    static const Calls *const versions[] = { NULL, &fmi1_calls, &fmi2_calls, &fmi3_calls };
    const char *directory = archive_unpack(i->fmu->archive, i->arena);
    const char *binary = directory ? find_binary(i, directory, diag) : NULL;
    if (!binary) return false;
    i->calls = versions[i->d->version];
    i->directory = directory;
    /* version 3 wants a separator at the end */
    i->resources = path_join(i->arena, directory, i->d->version == FMI_3 ? "resources/" : "resources");
    i->resources_uri = arena_printf(i->arena, "file://%s", i->d->version == FMI_1 ? directory : i->resources);
    Surroundings before = surroundings_enter(i);
    i->library = dlopen(binary, open_flags());
    bool made = i->library && i->calls->instantiate(i, i->d->model_name);
    const char *loader = i->library ? NULL : dlerror();
    surroundings_leave(&before);
    if (loader) {
        explain_loader(i, diag, loader);
        return false;
    }
    if (i->kind->needs_tool)
        diag_add_file(diag, W_FMU_RULE, i->fmu->path,
                      "it says that it needs another program to run; trying without");
    if (made) return true;
    diag_add_file(diag, E_FMU_BINARY, i->fmu->path, "it cannot be instantiated%s%s", *i->message ? ": " : "",
                  i->message);
    return false;
}

void instance_unload(Instance *i)
{
    if (i->component) call_free(i);
    if (i->library) dlclose(i->library);
    i->component = i->library = NULL;
}
