/* serve.c: `acausal serve [DIR]`: the studio, a page in a browser of this machine. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a process whose parent has ended, so that nobody has to wait for it. */
static void open_browser(const char *address)
{
    pid_t child = fork();
    if (child > 0) waitpid(child, NULL, 0);
    if (child) return;
    if (fork()) _exit(0);
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(127);
    execlp("xdg-open", "xdg-open", address, (char *)NULL);
    _exit(127);
}

static void show_address(void *arg, const char *address)
{
    const Args *args = arg;
    if (args->json)
        printf("{\"address\":\"%s\"}\n", address);
    else
        printf("%s\n", address);
    fflush(stdout);
    if (!args->quiet && !args->json)
        fputs("Open this address in a browser of this machine; Ctrl-C ends.\n", stderr);
    if (args_has(args, "--open")) open_browser(address);
}

static AcausalStatus run_serve(const Args *args)
{
    char why[400];
    size_t port = 0, n = 0, trusted = 0;
    const char *path = getenv("MODELICAPATH");
    const char **libraries = calloc(args->given_count + 2, sizeof *libraries);
    const char **trust = collect_values(args, "--trust", &trusted);
    if (!libraries || !trust) {
        free(libraries);
        free(trust);
        return ACAUSAL_BUG;
    }
    for (size_t i = 0; i < args->given_count; i++)
        if (!strcmp(args->given[i]->name, "--lib")) libraries[n++] = args->values[i];
    if (path) libraries[n++] = path;
    AcausalStatus status = ACAUSAL_USAGE;
    if (args->word_count > 2)
        status = usage_error(args->command, "expected a directory or a source and, perhaps, a class");
    else if (args_size(args, "--port", 0, &port) && port > 65535)
        status = usage_error(args->command, "'--port %zu' should be below 65536", port);
    else if (args_size(args, "--port", 0, &port)) {
        AcausalServe serve = { .size = sizeof serve,
                               .directory = args->word_count ? args->words[0] : ".",
                               .class_name = args->word_count > 1 ? args->words[1] : NULL,
                               .libraries = libraries,
                               .library_count = n,
                               .trusted = trust,
                               .trusted_count = trusted,
                               .port = (unsigned)port,
                               .read_only = args_has(args, "--read-only"),
                               .interrupt = catch_interrupts(),
                               .ready = show_address,
                               .ready_arg = (void *)(uintptr_t)args };
        AcausalSession *session = acausal_session_new();
        status = session ? acausal_serve(session, &serve) : ACAUSAL_BUG;
        take_reason(session, why, sizeof why);
        if (status != ACAUSAL_DONE) fprintf(stderr, "acausal serve: %s\n", why);
    }
    free(libraries);
    free(trust);
    return status;
}

static const Option options[] = {
    OPTION_LIB,
    { "--port", "N", "where it listens, on this machine only; a free one if not given" },
    { "--open", NULL, "opens the page in the browser of this desktop" },
    { "--read-only", NULL, "no source can be changed from the page" },
};

const Command command_serve = {
    .name = "serve",
    .usage = "[DIR | SOURCE [CLASS]]",
    .summary = "Opens the studio: models, sources, runs and curves as a page in a browser",
    .about = "Shows the models in DIR, or in the present directory. The server listens on this machine only, "
             "and the\n"
             "address holds a token that is new each time: keep it to yourself.\n\n"
             "  acausal serve models\n"
             "  acausal serve models/Clutch.mo Clutch.Start --open\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_serve,
};
