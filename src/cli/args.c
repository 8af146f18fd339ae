/* args.c: sorts the words of a command line into options and the rest. */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const Option common_options[] = {
    { "--quiet", NULL, "say nothing but results and errors" },
    { "--color", "=auto|always|never", "auto is: on a terminal" },
    { "--json", NULL, "diagnostics and reports for machines" },
    { "--help", NULL, "this page" },
};
const size_t common_option_count = sizeof common_options / sizeof common_options[0];

AcausalStatus usage_error(const Command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "acausal%s%s: ", command ? " " : "", command ? command->name : "");
    vfprintf(stderr, format, args);
    fprintf(stderr, " (see 'acausal help%s%s')\n", command ? " " : "", command ? command->name : "");
    va_end(args);
    return ACAUSAL_USAGE;
}

AcausalStatus unknown_word(const Command *command, const char *kind, const char *word,
                           const char *(*known)(size_t i))
{
    const char *names[256], *near;
    size_t n = 0;
    while (n < sizeof names / sizeof names[0] && (names[n] = known(n))) n++;
    near = acausal_nearest(word, names, n);
    if (near) return usage_error(command, "there is no %s '%s'; did you mean '%s'?", kind, word, near);
    return usage_error(command, "there is no %s '%s'", kind, word);
}

static const Option *option_at(const Command *command, size_t i)
{
    if (i < command->option_count) return &command->options[i];
    i -= command->option_count;
    return i < common_option_count ? &common_options[i] : NULL;
}

static const Option *find_option(const Command *command, const char *word, size_t n)
{
    const Option *option;
    for (size_t i = 0; (option = option_at(command, i)); i++)
        if (strlen(option->name) == n && !strncmp(option->name, word, n)) return option;
    return NULL;
}

static void unknown_option(const Command *command, const char *word, size_t n)
{
    const char *names[64], *near;
    char *name = strndup(word, n);
    const Option *option;
    size_t count = 0;
    for (size_t i = 0; count < 64 && (option = option_at(command, i)); i++) names[count++] = option->name;
    near = name ? acausal_nearest(name, names, count) : NULL;
    if (near)
        usage_error(command, "there is no option '%.*s'; did you mean '%s'?", (int)n, word, near);
    else
        usage_error(command, "there is no option '%.*s'", (int)n, word);
    free(name);
}

/* Reads the option in argv[*i], and its value from there or the next word. */
static bool take_option(Args *args, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *equal = strncmp(word, "--", 2) ? NULL : strchr(word, '=');
    size_t n = equal ? (size_t)(equal - word) : strlen(word);
    const Option *option = find_option(args->command, word, n);
    const char *value = equal ? equal + 1 : "";
    if (!option) {
        unknown_option(args->command, word, n);
        return false;
    }
    if (equal && !option->value) {
        usage_error(args->command, "option '%s' takes no value", option->name);
        return false;
    }
    if (!equal && option->value && option->value[0] != '=') {
        if (*i + 1 >= argc) {
            usage_error(args->command, "option '%s' needs a value: %s", option->name, option->value);
            return false;
        }
        value = argv[++*i];
    }
    args->given[args->given_count] = option;
    args->values[args->given_count++] = value;
    return true;
}

static bool choose_colour(Args *args)
{
    const char *when = args_value(args, "--color");
    if (!when || !strcmp(when, "auto"))
        args->colour = isatty(STDERR_FILENO) && !getenv("NO_COLOR");
    else if (!strcmp(when, "always") || !*when)
        args->colour = true;
    else if (strcmp(when, "never") != 0) {
        usage_error(args->command, "'--color=%s' should be auto, always or never", when);
        return false;
    }
    return true;
}

bool args_parse(const Command *command, int argc, char **argv, Args *args)
{
    size_t room = (size_t)argc + 1;
    bool only_words = false;
    *args = (Args){ .command = command };
    args->words = calloc(room, sizeof *args->words);
    args->given = calloc(room, sizeof *args->given);
    args->values = calloc(room, sizeof *args->values);
    if (!args->words || !args->given || !args->values) {
        fputs("acausal: out of memory\n", stderr);
        exit(ACAUSAL_BUG);
    }
    for (int i = 0; i < argc; i++) {
        if (only_words || argv[i][0] != '-' || !argv[i][1])
            args->words[args->word_count++] = argv[i];
        else if (!strcmp(argv[i], "--"))
            only_words = true;
        else if (!take_option(args, argc, argv, &i))
            return false;
    }
    const char *strict = args_value(args, "--strict");
    if (strict && *strict && strcmp(strict, "language") != 0) {
        usage_error(command, "'--strict=%s' should be language", strict);
        return false;
    }
    args->quiet = args_has(args, "--quiet");
    args->json = args_has(args, "--json");
    return choose_colour(args);
}

void args_free(Args *args)
{
    free(args->words);
    free(args->given);
    free(args->values);
    acausal_session_free(args->files);
}

const char *args_value(const Args *args, const char *name)
{
    for (size_t i = args->given_count; i > 0; i--)
        if (!strcmp(args->given[i - 1]->name, name)) return args->values[i - 1];
    return NULL;
}

bool args_has(const Args *args, const char *name) { return args_value(args, name) != NULL; }

bool args_real(const Args *args, const char *name, double *number)
{
    const char *value = args_value(args, name);
    char *end;
    if (!value) return true;
    double x = strtod(value, &end);
    if (*value && !*end && isfinite(x)) {
        *number = x;
        return true;
    }
    usage_error(args->command, "'%s %s' should be a number", name, value);
    return false;
}

bool args_size(const Args *args, const char *name, size_t least, size_t *number)
{
    const char *value = args_value(args, name);
    char *end;
    if (!value) return true;
    errno = 0;
    unsigned long long x = strtoull(value, &end, 10);
    if (*value >= '0' && *value <= '9' && !*end && !errno && x >= least) {
        *number = (size_t)x;
        return true;
    }
    usage_error(args->command, "'%s %s' should be a whole number of at least %zu", name, value, least);
    return false;
}

/* ---- values from files ----------------------------------------------------------------------- */

typedef struct {
    const Option **given;
    const char **values;
    size_t n, room;
    const Option *set;
    bool failed;
} Expanded;

static void add_given(Expanded *e, const Option *option, const char *value)
{
    if (e->n == e->room) {
        size_t room = 2 * e->room + 16;
        const Option **given = realloc(e->given, room * sizeof *given);
        if (given) e->given = given;
        const char **values = given ? realloc(e->values, room * sizeof *values) : NULL;
        if (values) e->values = values;
        if (!values) {
            e->failed = true;
            return;
        }
        e->room = room;
    }
    e->given[e->n] = option;
    e->values[e->n++] = value;
}

/* The session of the file keeps the text. */
static void add_value(void *arg, const char *name_and_value)
{
    Expanded *e = arg;
    add_given(e, e->set, name_and_value);
}

/* `fit --params` is a list of names, unless it looks like a file. */
static bool is_file(const char *value)
{
    const char *suffix = strrchr(value, '.');
    return suffix && (!strcmp(suffix, ".toml") || !strcmp(suffix, ".json") || !strcmp(suffix, ".csv"));
}

bool args_expand(Args *args)
{
    Expanded e = { .set = find_option(args->command, "--set", 5) };
    bool ok = true;
    if (!e.set || !args_has(args, "--params")) return true;
    const Option *params = find_option(args->command, "--params", 8);
    bool takes_names = strcmp(params->value, "FILE") != 0;
    args->files = acausal_session_new();
    for (size_t i = 0; i < args->given_count && ok && args->files; i++) {
        bool expands = args->given[i] == params && (!takes_names || is_file(args->values[i]));
        if (!expands)
            add_given(&e, args->given[i], args->values[i]);
        else
            ok = acausal_read_values(args->files, args->values[i], add_value, &e) == ACAUSAL_DONE;
    }
    if (!ok) fprintf(stderr, "acausal %s: %s\n", args->command->name, acausal_first_error(args->files));
    if (ok && (e.failed || !args->files)) fputs("acausal: out of memory\n", stderr);
    if (ok && !e.failed && args->files) {
        free(args->given);
        free(args->values);
        args->given = e.given;
        args->values = e.values;
        args->given_count = e.n;
        return true;
    }
    free(e.given);
    free(e.values);
    return false;
}
