/* trust.c: `acausal trust`: whose foreign code may run. */
#include "cli/cli.h"

#include <string.h>

static void show_row(void *arg, const char *path, const char *digest, bool changed)
{
    const Args *args = arg;
    if (args->json) {
        fputs("{\"path\":\"", stdout);
        for (; *path; path++) {
            if (*path == '"' || *path == '\\') putchar('\\');
            putchar(*path);
        }
        printf("\",\"digest\":\"%s\",\"changed\":%s}\n", digest, changed ? "true" : "false");
    } else {
        printf("%.12s  %s%s\n", digest, path, changed ? "  (changed since: not trusted any more)" : "");
    }
}

static AcausalStatus run_trust(const Args *args)
{
    char why[400];
    AcausalStatus status = ACAUSAL_DONE;
    AcausalSession *session = acausal_session_new();
    if (!session) return fprintf(stderr, "acausal trust: out of memory\n"), ACAUSAL_BUG;
    const char *verb = args->word_count ? args->words[0] : "list";
    bool adds = !strcmp(verb, "add");
    if (!strcmp(verb, "list") && args->word_count <= 1)
        status = acausal_trust_list(session, show_row, (void *)(uintptr_t)args);
    else if ((adds || !strcmp(verb, "remove")) && args->word_count > 1)
        for (size_t i = 1; i < args->word_count && status == ACAUSAL_DONE; i++)
            status = acausal_trust_store(session, args->words[i], adds);
    else
        status = usage_error(args->command, "expected 'list', 'add PATH' or 'remove PATH'");
    take_reason(session, why, sizeof why);
    if (status != ACAUSAL_DONE && *why) fprintf(stderr, "acausal trust: %s\n", why);
    return status;
}

static const char *verb_at(size_t i)
{
    static const char *const verbs[] = { "list", "add", "remove" };
    return i < sizeof verbs / sizeof *verbs ? verbs[i] : NULL;
}

const Command command_trust = {
    .name = "trust",
    .usage = "list | add PATH... | remove PATH...",
    .summary = "Says whose foreign code may run: C and shared libraries that models bring along",
    .about =
        "Commands that only look at a model (check, flatten, analyze) run none of its foreign code. Runs "
        "may\n"
        "use that of their source and of the libraries named by --lib; that of other libraries, as those on\n"
        "MODELICAPATH, has to be trusted. Trust is kept by content: what changed has to be trusted again.\n\n"
        "  acausal trust add models\n"
        "  acausal trust list\n",
    .run = run_trust,
    .word = verb_at,
};
