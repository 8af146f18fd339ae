/* options.c: options of a run by their names: what `--option KEY=VALUE` and `--vars REGEX` mean.
 *
 * One table holds keys, places and ranges. Always: options stay as they were when a value is refused.
 * Tests: tests/sim/driver_test.c. */
#include "sim/inside.h"

#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum { OPTION_REAL, OPTION_LONG, OPTION_INT, OPTION_JACOBIAN, OPTION_RESTART } OptionKind;

/* The words of options that are one of several, in the order of their enumerations. */
static const char *const jacobian_words[] = { "auto", "exact", "differences", NULL };
static const char *const restart_words[] = { "auto", "classic", "rk-state", "rk-nordsieck", NULL };

static const struct {
    const char *key;
    OptionKind kind;
    size_t at; /* in SolverOptions */
} keys[] = {
    { "rtol", OPTION_REAL, offsetof(SolverOptions, rtol) },
    { "atol", OPTION_REAL, offsetof(SolverOptions, atol) },
    { "initial-step", OPTION_REAL, offsetof(SolverOptions, initial_step) },
    { "max-step", OPTION_REAL, offsetof(SolverOptions, max_step) },
    { "min-step", OPTION_REAL, offsetof(SolverOptions, min_step) },
    { "fixed-step", OPTION_REAL, offsetof(SolverOptions, fixed_step) },
    { "max-steps", OPTION_LONG, offsetof(SolverOptions, max_steps) },
    { "max-order", OPTION_INT, offsetof(SolverOptions, max_order) },
    { "jacobian", OPTION_JACOBIAN, offsetof(SolverOptions, jacobian) },
    { "restart", OPTION_RESTART, offsetof(SolverOptions, starter) },
    { "restart-order", OPTION_INT, offsetof(SolverOptions, starter_order) },
};

static bool refuse_key(const char *key, char *why, size_t room)
{
    const char *names[COUNT_OF(keys)];
    for (size_t i = 0; i < COUNT_OF(keys); i++) names[i] = keys[i].key;
    const char *near = text_nearest(str_of(key), names, COUNT_OF(keys));
    if (near)
        snprintf(why, room, "there is no option '%s'; did you mean '%s'?", key, near);
    else
        snprintf(why, room, "there is no option '%s'", key);
    return false;
}

/* The place of a word in a list that NULL ends; -1 if it is not there. */
static int find_word(const char *const *words, const char *word)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], word)) return i;
    return -1;
}

/* False: the value is no positive number, or none of the words, of the kind. */
static bool put_value(OptionKind kind, void *place, const char *value)
{
    char *end;
    if (kind == OPTION_JACOBIAN || kind == OPTION_RESTART) {
        int word = find_word(kind == OPTION_JACOBIAN ? jacobian_words : restart_words, value);
        if (word < 0) return false;
        if (kind == OPTION_JACOBIAN)
            *(JacobianSource *)place = (JacobianSource)word;
        else
            *(Starter *)place = (Starter)word;
        return true;
    }
    errno = 0;
    if (kind == OPTION_REAL) {
        double real = strtod(value, &end);
        if (end == value || *end || !isfinite(real) || !(real > 0.0)) return false;
        *(double *)place = real;
        return true;
    }
    long whole = strtol(value, &end, 10);
    if (end == value || *end || errno || whole <= 0 || (kind == OPTION_INT && whole > 100)) return false;
    if (kind == OPTION_LONG)
        *(long *)place = whole;
    else
        *(int *)place = (int)whole;
    return true;
}

bool sim_set_option(SimOptions *options, const char *key, const char *value, char *why, size_t room)
{
    static const char *const wanted[] = { "a positive number", "a positive whole number",
                                          "a whole number from 1 to 100", "auto, exact or differences",
                                          "auto, classic, rk-state or rk-nordsieck" };
    size_t i = 0;
    while (i < COUNT_OF(keys) && strcmp(keys[i].key, key) != 0) i++;
    if (i == COUNT_OF(keys)) return refuse_key(key, why, room);
    if (put_value(keys[i].kind, (char *)&options->solver_options + keys[i].at, value)) return true;
    snprintf(why, room, "'%s=%s' should be %s", key, value, wanted[keys[i].kind]);
    return false;
}

static bool name_matches(void *compiled, const ModelVariable *variable)
{
    regmatch_t match;
    return !regexec(compiled, variable->name, 1, &match, 0) && match.rm_so == 0 &&
           !variable->name[match.rm_eo];
}

bool sim_filter(SimOptions *options, SimFilter *filter, const char *regex, char *why, size_t room)
{
    char said[120];
    size_t length = strlen(regex) + 5;
    regex_t *compiled = calloc(1, sizeof *compiled);
    char *whole = malloc(length);
    int status = REG_ESPACE;
    if (compiled && whole) {
        snprintf(whole, length, "^(%s)$", regex);
        status = regcomp(compiled, whole, REG_EXTENDED);
    }
    free(whole);
    *filter = (SimFilter){ NULL };
    if (status) {
        regerror(status, compiled, said, sizeof said);
        snprintf(why, room, "'%s' is not a regular expression: %s", regex, said);
        free(compiled);
        return false;
    }
    filter->compiled = compiled;
    options->wants = name_matches;
    options->wants_arg = compiled;
    return true;
}

void sim_filter_free(SimFilter *filter)
{
    if (filter->compiled) regfree(filter->compiled);
    free(filter->compiled);
    filter->compiled = NULL;
}
