/* library.c: `acausal library`: what libraries there are, what they use, how others get here. */
#include "cli/cli.h"

#include <string.h>

typedef struct {
    const Args *args;
    size_t n, missing;
} Shown;

static void print_json(const AcausalLibrary *l)
{
    fputs("{\"name\":", stdout);
    print_json_text(l->name);
    fputs(",\"version\":", stdout);
    print_json_text(l->version);
    fputs(",\"path\":", stdout);
    print_json_text(l->path);
    printf(",\"chosen\":%s,\"description\":", l->is_chosen ? "true" : "false");
    print_json_text(l->description);
    fputs(",\"uses\":[", stdout);
    for (size_t i = 0; i < l->use_count; i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", stdout);
        print_json_text(l->uses[i]->name);
        fputs(",\"version\":", stdout);
        print_json_text(l->uses[i]->version);
        fputs(",\"found\":", stdout);
        print_json_text(l->uses[i]->found);
        fputs(",\"path\":", stdout);
        if (l->uses[i]->path)
            print_json_text(l->uses[i]->path);
        else
            fputs("null", stdout);
        putchar('}');
    }
    puts("]}");
}

static void show_row(void *arg, const AcausalLibrary *l)
{
    Shown *shown = arg;
    size_t missing = 0;
    shown->n++;
    for (size_t i = 0; i < l->use_count; i++) missing += !l->uses[i]->path;
    shown->missing += missing;
    if (shown->args->json) {
        print_json(l);
        return;
    }
    printf("%-24s %-12s %s %s", l->name, *l->version ? l->version : "-", l->is_chosen ? "*" : " ", l->path);
    for (size_t i = 0, k = 0; i < l->use_count; i++)
        if (!l->uses[i]->path)
            printf("%s%s %s", k++ ? ", " : "  (missing: ", l->uses[i]->name, l->uses[i]->version);
    puts(missing ? ")" : "");
}

static void show_info(void *arg, const AcausalLibrary *l)
{
    Shown *shown = arg;
    if (shown->args->json) {
        show_row(arg, l);
        return;
    }
    if (shown->n++) putchar('\n');
    printf("%s %s%s\n", l->name, *l->version ? l->version : "(no version)",
           l->is_chosen ? "" : "  (only where this version is wanted)");
    if (*l->description) printf("  %s\n", l->description);
    printf("  in %s\n", l->path);
    for (size_t i = 0; i < l->use_count; i++) {
        const AcausalUse *use = l->uses[i];
        bool other = use->path && strcmp(use->found, use->version) != 0;
        printf("  uses %s %s: %s", use->name, use->version, use->path ? use->path : "missing");
        if (other) printf(" (version %s)", *use->found ? use->found : "unknown");
        putchar('\n');
        shown->missing += !use->path;
    }
}

static void show_path(void *arg, const AcausalLibrary *l)
{
    Shown *shown = arg;
    if (!l->is_chosen) return;
    shown->n++;
    puts(l->path);
}

static void show_directories(AcausalSession *session, FILE *out)
{
    const char *at;
    for (size_t i = 0; (at = acausal_library_directory(session, i)); i++)
        fprintf(out, "  looked in %s\n", at);
    if (!acausal_library_directory(session, 0))
        fputs("  no directory is given: --lib DIR, or the variable MODELICAPATH\n", out);
}

static AcausalStatus look(const Args *args, AcausalSession *session, const char *verb)
{
    const char *name = args->word_count > 1 ? args->words[1] : NULL;
    Shown shown = { .args = args };
    bool info = !strcmp(verb, "info"), path = !strcmp(verb, "path");
    if ((info || path) && args->word_count != 2)
        return usage_error(args->command, "expected the name of a library after '%s'", verb);
    AcausalStatus status = acausal_libraries(session, name,
                                             info   ? show_info
                                             : path ? show_path
                                                    : show_row,
                                             &shown);
    if (status != ACAUSAL_DONE) return status;
    if (!shown.n && name) {
        fprintf(stderr, "acausal library: there is no library '%s'\n", name);
        show_directories(session, stderr);
        return ACAUSAL_WRONG;
    }
    if ((!shown.n || shown.missing) && !args->json && !args->quiet) show_directories(session, stderr);
    return ACAUSAL_DONE;
}

static void say_installed(void *arg, const char *path)
{
    const Args *args = arg;
    if (!args->quiet) printf("%s\n", path);
}

static AcausalStatus install(const Args *args, AcausalSession *session)
{
    if (args->word_count != 2)
        return usage_error(args->command, "expected what to install: a library, an archive, a git directory");
    AcausalInstall want = { .size = sizeof want,
                            .from = args->words[1],
                            .revision = args_value(args, "--revision"),
                            .name = args_value(args, "--name"),
                            .into = args_value(args, "--into"),
                            .replace = args_has(args, "--replace") };
    return acausal_library_install(session, &want, say_installed, (void *)(uintptr_t)args);
}

static AcausalStatus run_library(const Args *args)
{
    static const char *const verbs[] = { "list", "info", "path" };
    const char *verb = args->word_count ? args->words[0] : "list";
    AcausalSession *session = session_for(args);
    AcausalStatus status = ACAUSAL_USAGE;
    bool known = !strcmp(verb, "install");
    if (!session) return ACAUSAL_BUG;
    if (known) status = install(args, session);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(verb, verbs[i])) known = true, status = look(args, session, verb);
    if (!known) usage_error(args->command, "expected 'list', 'info NAME', 'path NAME' or 'install FROM'");
    show_diagnostics(args, session);
    acausal_session_free(session);
    return status;
}

static const char *verb_at(size_t i)
{
    static const char *const verbs[] = { "list", "info", "path", "install" };
    return i < sizeof verbs / sizeof *verbs ? verbs[i] : NULL;
}

static const Option options[] = {
    OPTION_LIB,
    { "--into", "DIR", "where to install; ~/.local/share/acausal/libraries if not given" },
    { "--name", "NAME", "install only this library of those that there are" },
    { "--revision", "NAME", "of a git directory: a branch, a tag or a commit; HEAD if not given" },
    { "--replace", NULL, "install over what is there already" },
};

const Command command_library = {
    .name = "library",
    .usage = "[list] [NAME] | info NAME | path NAME | install FROM",
    .summary = "Shows the libraries that are found and what they use; installs others",
    .about =
        "Libraries are looked for in the directories of --lib, of MODELICAPATH, and in your own folder, in "
        "this order;\nversions may lie side by side, as 'NAME VERSION'. A star marks what a name means where "
        "no "
        "version is wanted.\nFROM is a library's directory or file, a directory or an archive of libraries "
        "(.zip, "
        ".tar, .tar.gz, .tar.xz),\nor a git directory. Foreign code of an installed library has to be "
        "trusted: "
        "see 'acausal help trust'.\n\n"
        "  acausal library list --lib models\n"
        "  acausal library info Circuit --lib models\n"
        "  acausal library install models/Circuit.mo --into libraries --replace\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_library,
    .word = verb_at,
};
