/* options.c: options of a run by their names: what `--option KEY=VALUE` and `--vars REGEX` mean.
 *
 * One table holds keys, places and ranges. Always: options stay as they were when a value is
 * refused. Tests: tests/sim/driver_test.c. */
#include "sim/inside.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <regex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum {
    OPTION_REAL,
    OPTION_CONSTANT, /* a real number that may be 0, which is kept as DBL_MIN: 0 is the default */
    OPTION_LONG,
    OPTION_INT,
    OPTION_WORD,
    OPTION_INCREMENT,
    OPTION_ALGEBRAIC
} OptionKind;

/* The words of options that are one of several, in the order of their enumerations. */
static const char *const jacobian_words[] = { "auto",  "exact",  "directional", "mixed",        "differences",
                                              "dense", "banded", "coloured",    "extrapolated", NULL };
static const char *const restart_words[] = { "auto", "classic", "rk-state", "rk-nordsieck", NULL };
static const char *const post_words[] = { "none", "1", "2", "3", NULL };
static const char *const corrector_words[] = { "staggered", "simultaneous", NULL };
static const char *const controller_words[] = { "auto", "integral", "pi", "predictive", "filter", NULL };
static const char *const error_words[] = { "on", "off", NULL };

static const struct {
    const char *key;
    OptionKind kind;
    size_t at; /* in SolverOptions */
    const char *const *words;
} keys[] = {
    { "rtol", OPTION_REAL, offsetof(SolverOptions, rtol), NULL },
    { "atol", OPTION_REAL, offsetof(SolverOptions, atol), NULL },
    { "initial-step", OPTION_REAL, offsetof(SolverOptions, initial_step), NULL },
    { "max-step", OPTION_REAL, offsetof(SolverOptions, max_step), NULL },
    { "min-step", OPTION_REAL, offsetof(SolverOptions, min_step), NULL },
    { "fixed-step", OPTION_REAL, offsetof(SolverOptions, fixed_step), NULL },
    { "max-steps", OPTION_LONG, offsetof(SolverOptions, max_steps), NULL },
    { "max-order", OPTION_INT, offsetof(SolverOptions, max_order), NULL },
    { "jacobian", OPTION_WORD, offsetof(SolverOptions, jacobian), jacobian_words },
    { "increment", OPTION_INCREMENT, offsetof(SolverOptions, increment), NULL },
    { "increment-c0", OPTION_CONSTANT, offsetof(SolverOptions, increment_c0), NULL },
    { "increment-share", OPTION_REAL, offsetof(SolverOptions, increment_share), NULL },
    { "increment-post", OPTION_WORD, offsetof(SolverOptions, increment_post), post_words },
    { "algebraic", OPTION_ALGEBRAIC, offsetof(SolverOptions, algebraic), NULL },
    { "restart", OPTION_WORD, offsetof(SolverOptions, starter), restart_words },
    { "sensitivity-corrector", OPTION_WORD, offsetof(SolverOptions, corrector), corrector_words },
    { "sensitivity-errors", OPTION_WORD, offsetof(SolverOptions, error_test), error_words },
    { "controller", OPTION_WORD, offsetof(SolverOptions, controller), controller_words },
    { "restart-order", OPTION_INT, offsetof(SolverOptions, starter_order), NULL },
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

/* The enumeration of a word in a list that NULL ends. */
static bool put_word(const char *const *words, const char *word, void *place)
{
    for (unsigned i = 0; words[i]; i++)
        if (!strcmp(words[i], word)) {
            memcpy(place, &i, sizeof i);
            return true;
        }
    return false;
}

/* False: the value is no positive number of the kind. */
static bool put_number(OptionKind kind, void *place, const char *value)
{
    char *end;
    errno = 0;
    if (kind == OPTION_REAL || kind == OPTION_CONSTANT) {
        double real = strtod(value, &end);
        bool may_be_zero = kind == OPTION_CONSTANT && real == 0.0;
        if (end == value || *end || !isfinite(real) || !(real > 0.0 || may_be_zero)) return false;
        *(double *)place = may_be_zero ? DBL_MIN : real;
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

/* A row of a table by its name. */
static bool put_row(OptionKind kind, void *place, const char *name)
{
    const void *row =
        kind == OPTION_INCREMENT ? (const void *)increment_find(name) : (const void *)algebraic_find(name);
    if (row) memcpy(place, &row, sizeof row);
    return row;
}

/* Its names; how many. */
static size_t row_names(OptionKind kind, const char **names, size_t most)
{
    size_t n = kind == OPTION_INCREMENT ? increment_type_count : algebraic_type_count;
    if (n > most) n = most;
    for (size_t i = 0; i < n; i++)
        names[i] = kind == OPTION_INCREMENT ? increment_types[i].name : algebraic_types[i]->name;
    return n;
}

/* "'key=value' should be a, b or c", with the nearest of the words. */
static bool refuse_word(const char *key, const char *value, const char *const *words, size_t n, char *why,
                        size_t room)
{
    int at = snprintf(why, room, "'%s=%s' should be ", key, value);
    for (size_t i = 0; i < n && at > 0 && (size_t)at < room; i++)
        at += snprintf(why + at, room - (size_t)at, "%s%s",
                       i == 0      ? ""
                       : i + 1 < n ? ", "
                                   : " or ",
                       words[i]);
    const char *near = text_nearest(str_of(value), words, n);
    if (near && at > 0 && (size_t)at < room)
        snprintf(why + at, room - (size_t)at, "; did you mean '%s'?", near);
    return false;
}

bool sim_set_option(SimOptions *options, const char *key, const char *value, char *why, size_t room)
{
    static const char *const wanted[] = { [OPTION_REAL] = "a positive number",
                                          [OPTION_CONSTANT] = "a number that is not negative",
                                          [OPTION_LONG] = "a positive whole number",
                                          [OPTION_INT] = "a whole number from 1 to 100" };
    const char *names[64];
    size_t i = 0, n = 0;
    while (i < COUNT_OF(keys) && strcmp(keys[i].key, key) != 0) i++;
    if (i == COUNT_OF(keys)) return refuse_key(key, why, room);
    void *place = (char *)&options->solver_options + keys[i].at;
    if (keys[i].kind == OPTION_WORD) {
        if (put_word(keys[i].words, value, place)) return true;
        while (keys[i].words[n]) n++;
        return refuse_word(key, value, keys[i].words, n, why, room);
    }
    if (keys[i].kind == OPTION_INCREMENT || keys[i].kind == OPTION_ALGEBRAIC) {
        if (put_row(keys[i].kind, place, value)) return true;
        n = row_names(keys[i].kind, names, COUNT_OF(names));
        return refuse_word(key, value, names, n, why, room);
    }
    if (put_number(keys[i].kind, place, value)) return true;
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
