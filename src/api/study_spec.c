/* study_spec.c: the settings of a study, from a call, a file or a store, and as JSON.
 *
 * In: AcausalStudy, or a tree of TOML or JSON. Out: a StudySpec; JSON that reads back as the same.
 * Always: a key that nothing reads is a mistake, told with the nearest one. Tests:
 * tests/cli/study.sh. */
#include "api/study.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- keys ------------------------------------------------------------------------------------ */

typedef enum { KEY_TEXT, KEY_NUMBER, KEY_LIST, KEY_PAIRS, KEY_VALUES } KeyKind;

typedef struct {
    const char *name;
    KeyKind kind;
    size_t at; /* in StudySpec */
} Key;

#define AT(field) offsetof(StudySpec, field)
static const Key keys[] = {
    { "model", KEY_TEXT, AT(source) },
    { "class", KEY_TEXT, AT(class_name) },
    { "store", KEY_TEXT, AT(store) },
    { "design", KEY_TEXT, AT(design) },
    { "table", KEY_TEXT, AT(table) },
    { "samples", KEY_NUMBER, AT(samples) },
    { "seed", KEY_NUMBER, AT(seed) },
    { "rows", KEY_NUMBER, AT(rows) },
    { "libraries", KEY_LIST, AT(libraries) },
    { "of", KEY_LIST, AT(of) },
    { "vary", KEY_VALUES, AT(vary) },
    { "correlation", KEY_PAIRS, AT(correlate) },
    { "set", KEY_PAIRS, AT(set) },
    { "solver", KEY_TEXT, AT(solver) },
    { "input", KEY_TEXT, AT(inputs) },
    { "start", KEY_NUMBER, AT(start) },
    { "stop", KEY_NUMBER, AT(stop) },
    { "tolerance", KEY_NUMBER, AT(tolerance) },
    { "interval", KEY_NUMBER, AT(interval) },
    { "points", KEY_NUMBER, AT(points) },
    { "option", KEY_PAIRS, AT(options) },
    { "time-limit", KEY_NUMBER, AT(time_limit) },
};
#undef AT

static const Key *find_key(const char *name)
{
    for (size_t k = 0; k < COUNT_OF(keys); k++)
        if (!strcmp(keys[k].name, name)) return &keys[k];
    return NULL;
}

static bool unknown_key(AcausalSession *s, const char *name)
{
    const char *known[COUNT_OF(keys)];
    for (size_t k = 0; k < COUNT_OF(keys); k++) known[k] = keys[k].name;
    return unknown(s, "setting of a study", name, text_nearest(str_of(name), known, COUNT_OF(keys)));
}

static void clear(StudySpec *spec)
{
    *spec = (StudySpec){ 0 };
    for (size_t k = 0; k < COUNT_OF(keys); k++)
        if (keys[k].kind == KEY_NUMBER) *(double *)((char *)spec + keys[k].at) = NAN;
}

/* ---- from a tree ----------------------------------------------------------------------------- */

typedef struct {
    Arena *arena;
    Strings *into;
} Pairs;

static void add_pair(void *arg, const char *name, const char *value)
{
    Pairs *pairs = arg;
    vec_push(pairs->arena, pairs->into, arena_printf(pairs->arena, "%s=%s", name, value));
}

/* {1, 2} as 1,2: a list of values. */
static void add_values(void *arg, const char *name, const char *value)
{
    Pairs *pairs = arg;
    size_t n = strlen(value);
    bool is_list = *value == '{' && n > 1;
    vec_push(pairs->arena, pairs->into,
             arena_printf(pairs->arena, "%s=%.*s", name, (int)(is_list ? n - 2 : n), value + is_list));
}

static bool take_node(AcausalSession *s, const Key *key, const DataNode *node, StudySpec *spec)
{
    void *at = (char *)spec + key->at;
    Pairs pairs = { s->arena, at };
    switch (key->kind) {
    case KEY_TEXT:
        if (node->kind != DATA_TEXT) break;
        *(const char **)at = node->text;
        return true;
    case KEY_NUMBER:
        if (node->kind != DATA_NUMBER) break;
        *(double *)at = node->number;
        return true;
    case KEY_LIST:
        if (node->kind != DATA_LIST) break;
        for (uint32_t i = 0; i < node->items.n; i++) {
            if (node->items.at[i]->kind != DATA_TEXT)
                return wrong(s, E_OPTION, "'%s' should be a list of texts", key->name);
            vec_push(s->arena, pairs.into, node->items.at[i]->text);
        }
        return true;
    case KEY_PAIRS:
    case KEY_VALUES:
        if (node->kind != DATA_TABLE) break;
        data_flatten(s->arena, node, key->kind == KEY_PAIRS ? add_pair : add_values, &pairs);
        return true;
    }
    static const char *const wants[] = { "a text", "a number", "a list", "a table", "a table" };
    return wrong(s, E_OPTION, "line %d: '%s' should be %s", node->line, key->name, wants[key->kind]);
}

bool spec_from_node(AcausalSession *s, const DataNode *node, StudySpec *spec)
{
    bool ok = true;
    clear(spec);
    if (node->kind != DATA_TABLE) return wrong(s, E_OPTION, "a study is a table of settings");
    for (uint32_t i = 0; i < node->items.n; i++) {
        const DataNode *item = node->items.at[i];
        const Key *key = find_key(item->key);
        ok = (key ? take_node(s, key, item, spec) : unknown_key(s, item->key)) && ok;
    }
    if (ok && !spec->source) return wrong(s, E_OPTION, "'model' says which model is run");
    return ok;
}

/* ---- from a call ----------------------------------------------------------------------------- */

static void take_list(AcausalSession *s, const char *const *from, size_t n, Strings *to)
{
    for (size_t i = 0; i < n; i++) vec_push(s->arena, to, arena_copy(s->arena, str_of(from[i])));
}

static const char *kept(AcausalSession *s, const char *text)
{
    return text ? arena_copy(s->arena, str_of(text)) : NULL;
}

/* What a run can do and the runs of a study do not is no silent nothing. */
static bool has_no_more(AcausalSession *s, const AcausalSimulation *run)
{
    const struct {
        const char *name;
        bool given;
    } others[] = { { "output", run->output }, { "variables", run->variables },
                   { "init", run->init },     { "save_state", run->save_state },
                   { "kind", run->kind },     { "checkpoint", run->checkpoint },
                   { "resume", run->resume } };
    for (size_t k = 0; k < COUNT_OF(others); k++)
        if (others[k].given)
            return wrong(s, E_OPTION, "'%s' is for single runs: the runs of a study do not have it",
                         others[k].name);
    return true;
}

bool spec_from_study(AcausalSession *s, const char *source, const char *class_name, const AcausalStudy *study,
                     StudySpec *spec)
{
    const AcausalSimulation *run = study->run;
    if (!has_no_more(s, run)) return false;
    clear(spec);
    spec->source = kept(s, source);
    spec->class_name = kept(s, class_name);
    spec->design = kept(s, study->design);
    spec->table = kept(s, study->table);
    spec->solver = kept(s, run->solver);
    spec->inputs = kept(s, run->inputs);
    if (study->samples) spec->samples = (double)study->samples;
    if (study->seed) spec->seed = study->seed;
    if (study->rows) spec->rows = (double)study->rows;
    spec->start = run->start;
    spec->stop = run->stop;
    spec->tolerance = run->tolerance;
    spec->interval = run->interval;
    if (run->points >= 0) spec->points = (double)run->points;
    if (run->time_limit > 0) spec->time_limit = run->time_limit;
    take_list(s, run->set, run->set_count, &spec->set);
    take_list(s, run->solver_options, run->solver_option_count, &spec->options);
    take_list(s, study->vary, study->vary_count, &spec->vary);
    take_list(s, study->correlate, study->correlate_count, &spec->correlate);
    take_list(s, study->of, study->of_count, &spec->of);
    for (uint32_t i = 0; i < s->named.n; i++) {
        const char *real = path_real(s->arena, s->named.at[i]);
        if (real) vec_push(s->arena, &spec->libraries, real);
    }
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A path in a study file is seen from its directory where there is such a file. */
static const char *beside(AcausalSession *s, const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    if (!path || *path == '/' || !slash) return path;
    const char *directory = arena_copy(s->arena, (Str){ file, (size_t)(slash - file) });
    const char *there = path_join(s->arena, directory, path);
    return file_kind(there) == FILE_NONE ? path : there;
}

bool spec_from_file(AcausalSession *s, const char *path, StudySpec *spec)
{
    char why[400];
    DataNode *node = data_read_file(s->arena, path, why, sizeof why);
    if (!node) return wrong(s, E_OPTION, "%s", why);
    if (!spec_from_node(s, node, spec)) return false;
    spec->source = beside(s, path, spec->source);
    spec->table = beside(s, path, spec->table);
    spec->inputs = beside(s, path, spec->inputs);
    for (uint32_t i = 0; i < spec->libraries.n; i++)
        spec->libraries.at[i] = beside(s, path, spec->libraries.at[i]);
    return true;
}

bool spec_read_table(AcausalSession *s, StudySpec *spec)
{
    if (!spec->table || spec->table_text) return true;
    Text text = { .arena = s->arena };
    char block[4096];
    FILE *file = fopen(spec->table, "rb");
    if (!file) return wrong(s, E_OPTION, "'%s' cannot be read: %s", spec->table, strerror(errno));
    text_printf(&text, "%s", "");
    for (size_t n; (n = fread(block, 1, sizeof block, file));) text_add(&text, (Str){ block, n });
    bool failed = ferror(file) != 0;
    fclose(file);
    spec->table_text = text.at;
    return !failed || wrong(s, E_OPTION, "'%s' cannot be read to its end", spec->table);
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static void print_pairs(const Strings *pairs, Text *out)
{
    text_add_char(out, '{');
    for (uint32_t i = 0; i < pairs->n; i++) {
        const char *equal = strchr(pairs->at[i], '=');
        size_t n = equal ? (size_t)(equal - pairs->at[i]) : strlen(pairs->at[i]);
        if (i) text_add_char(out, ',');
        text_add_json(out, (Str){ pairs->at[i], n });
        text_add_char(out, ':');
        text_add_json(out, str_of(equal ? equal + 1 : ""));
    }
    text_add_char(out, '}');
}

static void print_list(const Strings *list, Text *out)
{
    text_add_char(out, '[');
    for (uint32_t i = 0; i < list->n; i++) {
        if (i) text_add_char(out, ',');
        text_add_json(out, str_of(list->at[i]));
    }
    text_add_char(out, ']');
}

static bool is_given(const Key *key, const void *at)
{
    if (key->kind == KEY_TEXT) return *(const char *const *)at != NULL;
    if (key->kind == KEY_NUMBER) return !isnan(*(const double *)at);
    return ((const Strings *)at)->n > 0;
}

void spec_print(const StudySpec *spec, Text *out)
{
    bool first = true;
    text_add_char(out, '{');
    for (size_t k = 0; k < COUNT_OF(keys); k++) {
        const void *at = (const char *)spec + keys[k].at;
        if (!is_given(&keys[k], at)) continue;
        if (!first) text_add_char(out, ',');
        first = false;
        text_add_json(out, str_of(keys[k].name));
        text_add_char(out, ':');
        if (keys[k].kind == KEY_TEXT)
            text_add_json(out, str_of(*(const char *const *)at));
        else if (keys[k].kind == KEY_NUMBER)
            text_add_real(out, *(const double *)at);
        else if (keys[k].kind == KEY_LIST)
            print_list(at, out);
        else
            print_pairs(at, out);
    }
    text_add_char(out, '}');
}
