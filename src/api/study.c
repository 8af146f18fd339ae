/* study.c: studies as acausal.h has them: made, run, looked at, merged, exported.
 *
 * In: settings, or the path of a store. Out: a store with a row a run. Always: a store only takes
 * runs of the model that it was made with; runs that failed are rows, with a reason. Tests:
 * tests/cli/study.sh. */
#include "api/study.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SHOWN_MODEL = 1 << 24 };

/* ---- making ---------------------------------------------------------------------------------- */

static bool set_all(AcausalSession *s, Store *store, const char *const (*pairs)[2], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pairs[i][1] && !store_set(store, pairs[i][0], pairs[i][1]))
            return wrong(s, E_OUTPUT, "%s", store_why(store));
    return store_flush(store) || wrong(s, E_OUTPUT, "%s", store_why(store));
}

static bool write_store(AcausalSession *s, StudyPlan *plan, const char *path)
{
    char why[400], total[40];
    size_t n;
    StoreColumn *columns = plan_columns(plan, &n);
    Text settings = { .arena = s->arena };
    spec_print(&plan->spec, &settings);
    snprintf(total, sizeof total, "%llu", (unsigned long long)plan->design.count);
    const char *directory = path_real(s->arena, ".");
    const char *const pairs[][2] = { { "settings", settings.at },           { "directory", directory },
                                     { "table", plan->spec.table_text },    { "total", total },
                                     { "model", plan_model_text(plan) },    { "program", acausal_version() },
                                     { "inputs", plan_inputs_digest(plan) } };
    Store *store = store_create(path, columns, n, plan->times, plan->time_count, why, sizeof why);
    if (!store) return wrong(s, E_OUTPUT, "%s", why);
    bool ok = set_all(s, store, pairs, COUNT_OF(pairs));
    ok &= store_close(store);
    if (!ok) unlink(path);
    return ok;
}

static AcausalStatus make_study(AcausalSession *s, const StudySpec *spec, const char *path)
{
    Arena *arena = arena_new();
    StudyPlan plan = { 0 };
    if (!arena) return tell_memory(s), ACAUSAL_WRONG;
    bool ok = plan_open(&plan, s, arena, spec) && write_store(s, &plan, path);
    plan_close(&plan);
    arena_free(arena);
    return ok ? ACAUSAL_DONE : ACAUSAL_WRONG;
}

AcausalStatus acausal_study_new(AcausalSession *s, const char *source, const char *class_name,
                                const AcausalStudy *study, const char *path)
{
    AcausalStudy own = { 0 };
    AcausalSimulation run;
    StudySpec spec;
    if (!TAKE(s, own, study) || !take_simulation(s, &run, own.run)) return ACAUSAL_USAGE;
    own.run = &run;
    return spec_from_study(s, source, class_name, &own, &spec) ? make_study(s, &spec, path) : ACAUSAL_WRONG;
}

AcausalStatus acausal_study_from_file(AcausalSession *s, const char *file, const char *path,
                                      const char **made)
{
    StudySpec spec;
    if (!spec_from_file(s, file, &spec)) return ACAUSAL_WRONG;
    if (!path) path = spec.store;
    if (!path)
        return wrong(s, E_OPTION, "nothing says where the runs go: 'store' in '%s', or -o", file),
               ACAUSAL_WRONG;
    *made = arena_copy(s->arena, str_of(path));
    return make_study(s, &spec, path);
}

/* ---- running --------------------------------------------------------------------------------- */

/* The next line, without its end. */
static Str line_at(const char **at)
{
    Str line = { *at, strcspn(*at, "\n") };
    *at += line.n + ((*at)[line.n] != 0);
    return line;
}

/* Names of classes that are made for values differ from run to run. */
static bool is_frame(Str line) { return line.n && line.at[0] != ' ' && memchr(line.at, ' ', line.n); }

static bool same_model(AcausalSession *s, const char *path, const char *was, const char *is)
{
    size_t changed = 0;
    Str first_was = { "", 0 }, first_is = { "", 0 };
    while (*was || *is) {
        Str a = line_at(&was), b = line_at(&is);
        if (str_equal(a, b) || (is_frame(a) && is_frame(b))) continue;
        if (!changed++) first_was = a, first_is = b;
    }
    if (!changed) return true;
    return wrong(s, E_OPTION,
                 "the model is not the one that '%s' was made with: '%.*s' is now '%.*s' (%zu lines differ); "
                 "go on with "
                 "the old model, or make a new study",
                 path, (int)size_min(first_was.n, 200), first_was.at, (int)size_min(first_is.n, 200),
                 first_is.at, changed);
}

bool study_read_spec(AcausalSession *s, Store *store, const char *path, StudySpec *spec)
{
    char why[300];
    const char *text = store_get(store, s->arena, "settings"),
               *directory = store_get(store, s->arena, "directory");
    DataNode *node = text ? data_read_json(s->arena, str_of(text), why, sizeof why) : NULL;
    if (!node) return wrong(s, E_OUTPUT, "'%s' has no settings of a study", path);
    if (!spec_from_node(s, node, spec)) return false;
    spec->table_text = store_get(store, s->arena, "table");
    /* the study may be resumed from elsewhere */
    const char **const files[] = { &spec->source, &spec->inputs };
    for (size_t k = 0; k < COUNT_OF(files) && directory; k++) {
        const char *here = *files[k];
        if (!here || *here == '/' || file_kind(here) != FILE_NONE) continue;
        const char *there = path_join(s->arena, directory, here);
        if (file_kind(there) != FILE_NONE) *files[k] = there;
    }
    return true;
}

/* A store keeps which values its runs follow. */
static bool same_inputs(StudyPlan *plan, Store *store, const char *path)
{
    AcausalSession *s = plan->session;
    const char *was = store_get(store, s->arena, "inputs"), *is = plan_inputs_digest(plan);
    if (is && !was)
        return wrong(s, E_OPTION,
                     "the runs of '%s' were made without its inputs, which versions before this one did not "
                     "apply: make a new study",
                     path);
    return !is || !strcmp(was, is) ||
           wrong(s, E_OPTION,
                 "the inputs in '%s' are not those that '%s' was made with: go on with those, or make a new "
                 "study",
                 plan->spec.inputs, path);
}

/* A store belongs to one shard, or to all. */
static bool check_shard(AcausalSession *s, Store *store, const AcausalStudyWork *work)
{
    char text[60];
    const char *was = store_get(store, s->arena, "shard");
    snprintf(text, sizeof text, "%zu/%zu", work->shard, work->shards);
    if (was && strcmp(was, text) != 0)
        return wrong(s, E_OPTION, "this store is for shard %s: give another shard a file of its own", was);
    if (was || work->shards == 1) return true;
    return (store_set(store, "shard", text) && store_flush(store)) ||
           wrong(s, E_OUTPUT, "%s", store_why(store));
}

static AcausalStatus run_store(AcausalSession *s, Arena *arena, const char *path,
                               const AcausalStudyWork *work)
{
    char why[400];
    StudySpec spec;
    StudyPlan plan = { 0 };
    AcausalStatus status = ACAUSAL_WRONG;
    Store *store = store_open(path, true, why, sizeof why);
    if (!store) return wrong(s, E_OUTPUT, "%s", why), ACAUSAL_WRONG;
    bool ok = check_shard(s, store, work) && study_read_spec(s, store, path, &spec);
    if (ok && plan_open(&plan, s, arena, &spec)) {
        const char *was = store_get(store, s->arena, "model"),
                   *program = store_get(store, s->arena, "program");
        if (program && strcmp(program, acausal_version()) != 0)
            diag_add(&s->diag, E_MODEL_WARNING, (Span){ 0 },
                     "'%s' was begun by version %s of Acausal, this is %s: numbers may differ in their last "
                     "digits",
                     path, program, acausal_version());
        ok = same_model(s, path, was ? was : "", plan_model_text(&plan)) && same_inputs(&plan, store, path);
        if (ok && work->retry && !store_forget_failed(store)) ok = wrong(s, E_OUTPUT, "%s", store_why(store));
        if (ok) status = study_run_pending(&plan, store, work);
    }
    plan_close(&plan);
    if (!store_close(store)) status = ACAUSAL_WRONG;
    return status;
}

AcausalStatus acausal_study_run(AcausalSession *s, const char *path, const AcausalStudyWork *work)
{
    AcausalStudyWork own = { 0 };
    if (!TAKE(s, own, work)) return ACAUSAL_USAGE;
    bool shards_given = own.shards > 0;
    if (!own.shards) own.shard = own.shards = 1;
    if (own.shard < 1 || own.shard > own.shards)
        return wrong(s, E_OPTION, "shard %zu of %zu: the first is 1", own.shard, own.shards), ACAUSAL_USAGE;
    if (!shards_given) { /* the one that the store is for */
        AcausalStudyStatus status = { .size = sizeof status };
        if (acausal_study_status(s, path, &status) != ACAUSAL_DONE) return ACAUSAL_WRONG;
        own.shard = status.shard;
        own.shards = status.shards;
    }
    Arena *arena = arena_new();
    if (!arena) return tell_memory(s), ACAUSAL_WRONG;
    AcausalStatus status = run_store(s, arena, path, &own);
    arena_free(arena);
    return status;
}

/* ---- looking --------------------------------------------------------------------------------- */

typedef struct {
    AcausalSession *s;
    const char *message;
} FirstFailure;

static bool find_failure(void *arg, const StoreRow *row)
{
    FirstFailure *f = arg;
    if (row->failed)
        f->message = arena_printf(f->s->arena, "run %llu: %s", (unsigned long long)row->run, row->message);
    return !row->failed;
}

AcausalStatus acausal_study_status(AcausalSession *s, const char *path, AcausalStudyStatus *status)
{
    char why[400];
    StoreCounts counts;
    unsigned long long shard = 1, shards = 1;
    FirstFailure failure = { s, "" };
    if (!is_sized(s, status)) return ACAUSAL_USAGE;
    Store *store = store_open(path, false, why, sizeof why);
    if (!store) return wrong(s, E_OUTPUT, "%s", why), ACAUSAL_WRONG;
    const char *total = store_get(store, s->arena, "total"), *part = store_get(store, s->arena, "shard");
    bool ok =
        store_counts(store, &counts) && (!counts.failed || store_each(store, false, find_failure, &failure));
    if (!ok) wrong(s, E_OUTPUT, "%s", store_why(store));
    if (part && sscanf(part, "%llu/%llu", &shard, &shards) != 2) shard = shards = 1;
    AcausalStudyStatus own = { .done = (size_t)counts.done,
                               .failed = (size_t)counts.failed,
                               .shard = (size_t)shard,
                               .shards = (size_t)shards,
                               .message = failure.message,
                               .seconds_left = NAN,
                               .settings = store_get(store, s->arena, "settings") };
    own.total = (size_t)study_shard_total(total ? strtoull(total, NULL, 10) : 0, shard, shards);
    if (!own.settings) own.settings = "{}";
    store_close(store);
    GIVE(status, own);
    return ok ? ACAUSAL_DONE : ACAUSAL_WRONG;
}

/* ---- merging --------------------------------------------------------------------------------- */

static const char *const identity[] = { "settings", "table", "model", "total", "inputs" };

/* A new file with the study of another, without its runs. */
static Store *store_like(AcausalSession *s, const char *path, const char *like)
{
    char why[400];
    size_t n, times;
    Store *from = store_open(like, false, why, sizeof why), *to = NULL;
    if (from) {
        const StoreColumn *columns = store_columns(from, &n);
        const double *at = store_times(from, &times);
        to = store_create(path, columns, n, at, times, why, sizeof why);
    }
    if (!to) wrong(s, E_OUTPUT, "%s", why);
    const char *const more[] = { "directory", "program" };
    bool ok = to != NULL;
    for (size_t k = 0; k < COUNT_OF(identity) + COUNT_OF(more) && ok; k++) {
        const char *name = k < COUNT_OF(identity) ? identity[k] : more[k - COUNT_OF(identity)];
        const char *value = store_get(from, s->arena, name);
        ok = !value || store_set(to, name, value) || wrong(s, E_OUTPUT, "%s", store_why(to));
    }
    store_close(from);
    return to;
}

static bool same_study(AcausalSession *s, Store *a, const char *path)
{
    char why[400];
    Store *b = store_open(path, false, why, sizeof why);
    bool ok = b || wrong(s, E_OUTPUT, "%s", why);
    for (size_t k = 0; k < COUNT_OF(identity) && ok; k++) {
        const char *x = store_get(a, s->arena, identity[k]), *y = store_get(b, s->arena, identity[k]);
        bool same = !strcmp(x ? x : "", y ? y : "");
        if (!same && !strcmp(identity[k], "model"))
            ok = same_model(s, path, y ? y : "", x ? x : "");
        else if (!same)
            ok = wrong(s, E_OPTION, "'%s' is of another study: its %s differs", path, identity[k]);
    }
    store_close(b);
    return ok;
}

AcausalStatus acausal_study_merge(AcausalSession *s, const char *path, const char *const *parts, size_t n)
{
    char why[400];
    bool is_new = file_kind(path) == FILE_NONE;
    if (!n) return wrong(s, E_OPTION, "nothing to merge"), ACAUSAL_USAGE;
    Store *store = is_new ? store_like(s, path, parts[0]) : store_open(path, true, why, sizeof why);
    if (!store) return is_new ? ACAUSAL_WRONG : (wrong(s, E_OUTPUT, "%s", why), ACAUSAL_WRONG);
    bool ok = store_flush(store);
    for (size_t k = 0; k < n && ok; k++)
        ok = same_study(s, store, parts[k]) &&
             (store_take(store, parts[k]) || wrong(s, E_OUTPUT, "'%s': %s", parts[k], store_why(store)));
    ok &= store_close(store);
    if (!ok && is_new) unlink(path);
    return ok ? ACAUSAL_DONE : ACAUSAL_WRONG;
}

/* ---- exporting ------------------------------------------------------------------------------- */

typedef struct {
    FILE *out;
    const StoreColumn *columns;
    const double *times;
    size_t n, time_count, curves;
} Table;

static void write_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\n\r")]) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"') putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void write_number(FILE *out, double value)
{
    char text[REAL_ROOM];
    putc(',', out);
    if (isnan(value)) return;
    real_write(value, text);
    fputs(text, out);
}

static void write_head(const Table *t)
{
    fputs("run", t->out);
    for (size_t k = 0; k < t->n; k++) {
        if (t->columns[k].kind == STORE_CURVE) continue;
        putc(',', t->out);
        write_text(t->out, t->columns[k].name);
    }
    for (size_t i = 0; i < t->time_count; i++)
        for (size_t k = 0; k < t->n; k++) {
            char name[400];
            if (t->columns[k].kind != STORE_CURVE) continue;
            snprintf(name, sizeof name, "%.300s@%.9g", t->columns[k].name, t->times[i]);
            putc(',', t->out);
            write_text(t->out, name);
        }
    fputs(",time,seconds,steps,events,state,message\n", t->out);
}

static bool write_row(void *arg, const StoreRow *row)
{
    const Table *t = arg;
    size_t j = 0, i = 0;
    fprintf(t->out, "%llu", (unsigned long long)row->run);
    for (size_t k = 0; k < t->n; k++) {
        const StoreColumn *c = &t->columns[k];
        if (c->kind == STORE_OUTPUT) write_number(t->out, row->y[i++]);
        if (c->kind == STORE_PARAMETER && c->is_text) {
            putc(',', t->out);
            write_text(t->out, row->p_text[j] ? row->p_text[j] : "");
        } else if (c->kind == STORE_PARAMETER)
            write_number(t->out, row->p[j]);
        j += c->kind == STORE_PARAMETER;
    }
    for (size_t k = 0; k < t->time_count * t->curves; k++) write_number(t->out, row->curve[k]);
    write_number(t->out, row->t);
    fprintf(t->out, ",%.6g,%ld,%ld,%s,", row->seconds, row->steps, row->events,
            row->failed ? "failed" : "done");
    write_text(t->out, row->message);
    putc('\n', t->out);
    return !ferror(t->out);
}

AcausalStatus acausal_study_export(AcausalSession *s, const char *path, const char *to)
{
    char why[400];
    const char *suffix = strrchr(to, '.');
    if (!suffix || strcmp(suffix, ".csv") != 0)
        return wrong(s, E_OPTION, "'%s' should end in .csv", to), ACAUSAL_USAGE;
    Store *store = store_open(path, false, why, sizeof why);
    if (!store) return wrong(s, E_OUTPUT, "%s", why), ACAUSAL_WRONG;
    Table table = { .out = fopen(to, "wb") };
    table.columns = store_columns(store, &table.n);
    table.times = store_times(store, &table.time_count);
    for (size_t k = 0; k < table.n; k++) table.curves += table.columns[k].kind == STORE_CURVE;
    bool ok = table.out || wrong(s, E_OUTPUT, "'%s' cannot be written: %s", to, strerror(errno));
    if (ok) {
        write_head(&table);
        ok = store_each(store, true, write_row, &table) || wrong(s, E_OUTPUT, "%s", store_why(store));
        bool bad = ferror(table.out) != 0;
        if ((fclose(table.out) || bad) && ok)
            ok = wrong(s, E_OUTPUT, "'%s' cannot be written: %s", to, strerror(errno));
    }
    store_close(store);
    return ok ? ACAUSAL_DONE : ACAUSAL_WRONG;
}
