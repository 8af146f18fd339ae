/* output.c: what commands share in talking to people: files as sinks, diagnostics, the last
 * line. */
#include "cli/cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const Option option_lib = { "--lib", "DIR",
                            "a library, or a directory of libraries; may be given several times" };

void write_to_file(void *file, const char *text, size_t n) { fwrite(text, 1, n, file); }

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    interrupted = 1;
    signal(number, SIG_DFL);
}

const volatile sig_atomic_t *catch_interrupts(void)
{
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    return &interrupted;
}

/* On a terminal the person decides, and may decide for good. */
static bool ask_for_trust(void *arg, const char *origin)
{
    char answer[16], why[300];
    (void)arg;
    fprintf(stderr,
            "acausal: '%s' has code of its own (C or a library), which can do what you can.\n"
            "Run it? [n]o, [o]nce, [a]lways as it is now: ",
            origin);
    if (!fgets(answer, sizeof answer, stdin)) return false;
    if (*answer == 'a') {
        AcausalSession *store = acausal_session_new(); /* the session that asks goes on all the same */
        bool kept = store && acausal_trust_store(store, origin, true) == ACAUSAL_DONE;
        take_reason(store, why, sizeof why);
        if (!kept) fprintf(stderr, "acausal: this cannot be kept: %s\n", why);
    }
    return *answer == 'a' || *answer == 'o' || *answer == 'y';
}

AcausalSession *session_for(const Args *args)
{
    AcausalSession *session = acausal_session_new();
    const char *path = getenv("MODELICAPATH");
    if (!session) {
        fputs("acausal: out of memory\n", stderr);
        return NULL;
    }
    for (size_t i = 0; i < args->given_count; i++)
        if (!strcmp(args->given[i]->name, "--lib")) acausal_add_library_path(session, args->values[i]);
    if (path) acausal_add_library_path_list(session, path);
    const char *folder = acausal_library_folder(session);
    if (folder && access(folder, R_OK) == 0) acausal_add_library_path_list(session, folder);
    for (size_t i = 0; i < args->given_count; i++)
        if (!strcmp(args->given[i]->name, "--trust")) acausal_trust(session, args->values[i]);
    if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) acausal_ask_trust(session, ask_for_trust, NULL);
    acausal_switch(session, ACAUSAL_TRUST_ARCHIVES, args_has(args, "--large"));
    acausal_switch(session, ACAUSAL_STRICT_LANGUAGE, args_has(args, "--strict"));
    return session;
}

void set_values(const Args *args, AcausalSession *session)
{
    for (size_t i = 0; i < args->given_count; i++)
        if (!strcmp(args->given[i]->name, "--set")) acausal_set(session, args->values[i]);
}

void show_diagnostics(const Args *args, const AcausalSession *session)
{
    AcausalFormat format = args->json ? ACAUSAL_JSON : args->colour ? ACAUSAL_COLOUR : ACAUSAL_TEXT;
    if (args->quiet && !acausal_error_count(session)) return;
    acausal_write_diagnostics(session, format, write_to_file, stderr);
}

double wall_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void take_reason(AcausalSession *session, char *why, size_t room)
{
    const char *reason = session ? acausal_first_error(session) : "out of memory";
    snprintf(why, room, "%s", reason ? reason : "");
    acausal_session_free(session);
}

AcausalStatus draw_picture(const AcausalResult *result, const AcausalPlot *plot, AcausalPicture as,
                           FILE *file, char *why, size_t room)
{
    AcausalSession *session = acausal_session_new();
    AcausalStatus status =
        session ? acausal_plot(session, result, plot, as, write_to_file, file) : ACAUSAL_BUG;
    take_reason(session, why, room);
    return status;
}

AcausalResult *read_result(const Args *args, const char *path)
{
    char why[400];
    AcausalSession *session = acausal_session_new();
    AcausalResult *result = session ? acausal_result_read(session, path) : NULL;
    take_reason(session, why, sizeof why);
    if (!result) {
        fprintf(stderr, "acausal %s: %s\n", args->command->name, why);
    } else if (!acausal_result_rows(result) && !args->quiet) {
        fprintf(stderr, "acausal %s: '%s' has no rows\n", args->command->name, path);
    } else if (acausal_result_is_cut(result) && !args->quiet) {
        fprintf(stderr, "acausal %s: '%s' ends inside a row; all rows before it are taken\n",
                args->command->name, path);
    }
    return result;
}

void show_outcome(const Args *args, AcausalSession *session)
{
    size_t errors = acausal_error_count(session);
    if (errors)
        fprintf(stderr, "acausal %s: %zu error%s; the first: %s\n", args->command->name, errors,
                errors == 1 ? "" : "s", acausal_first_error(session));
}

AcausalStatus run_on_model(const Args *args, ModelWork work)
{
    if (args->word_count < 1 || args->word_count > 2)
        return usage_error(args->command, "expected a source and, perhaps, a class");
    AcausalSession *session = session_for(args);
    if (!session) return ACAUSAL_BUG;
    if (args_has(args, "--isolate")) {
        AcausalStatus end = run_isolated(args, session, work);
        acausal_session_free(session);
        return end;
    }
    AcausalStatus status = work(args, session, args->words[0], args->word_count == 2 ? args->words[1] : NULL);
    fflush(stdout);
    show_outcome(args, session);
    acausal_session_free(session);
    return status;
}

AcausalStatus dump_pass(const Args *args, AcausalSession *session, const char *source, const char *class_name)
{
    const char *pass = args_value(args, "--dump");
    set_values(args, session);
    AcausalStatus status = acausal_dump(session, source, class_name, pass, write_to_file, stdout);
    if (status == ACAUSAL_USAGE)
        return usage_error(args->command, "'--dump=%s' should be ast, flat, system, blt, ir or c", pass);
    show_diagnostics(args, session);
    return status;
}
