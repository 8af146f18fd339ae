/* provenance.c: how a result came to be, in a file beside it, and what a result is.
 *
 * In: a model and its run. Out: RESULT.info.json: program, model and libraries with digests, times,
 * integrator, values, machine, how it ended. It is written when the run begins and again at its
 * end, so that a killed run has it, too. A library's digest is over the files of it that were read,
 * by path. Tests: tests/cli/provenance.sh. */
#include "api/resume.h"
#include "data/data.h"
#include "store/store.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- digests --------------------------------------------------------------------------------- */

typedef struct {
    const char *root, *path; /* of the library; of the file within it */
    Str text;
} Piece;

typedef VEC(Piece) Pieces;

typedef struct {
    Arena *arena;
    Pieces pieces;
} FileReader;

/* The topmost directory with a package.mo, or the file itself. */
static const char *root_of(Arena *arena, const char *path)
{
    const char *root = path;
    for (const char *slash = strrchr(path, '/'); slash && slash > path;) {
        const char *directory = arena_copy(arena, (Str){ path, (size_t)(slash - path) });
        if (file_kind(path_join(arena, directory, "package.mo")) != FILE_REGULAR) break;
        root = directory;
        while (--slash > path && *slash != '/') continue;
    }
    return root;
}

static void take_source(void *arg, const Source *source)
{
    FileReader *r = arg;
    size_t n = strlen(source->path);
    if (n < 3 || strcmp(source->path + n - 3, ".mo") != 0) return;
    const char *root = root_of(r->arena, source->path);
    vec_push(r->arena, &r->pieces, ((Piece){ root, source->path + strlen(root), source->text }));
}

static int compare_pieces(const void *a, const void *b)
{
    const Piece *x = a, *y = b;
    int order = strcmp(x->root, y->root);
    return order ? order : strcmp(x->path, y->path);
}

static void print_digest(const unsigned char *digest, Text *out)
{
    text_add_char(out, '"');
    for (int k = 0; k < SHA256_BYTES; k++) text_printf(out, "%02x", digest[k]);
    text_add_char(out, '"');
}

static void print_libraries(AcausalSession *s, Arena *arena, Text *out)
{
    FileReader r = { .arena = arena };
    sources_each(s->sources, take_source, &r);
    if (r.pieces.n) qsort(r.pieces.at, r.pieces.n, sizeof *r.pieces.at, compare_pieces);
    text_printf(out, "\"libraries\":[");
    for (uint32_t i = 0, from = 0; i < r.pieces.n; i = from) {
        Sha256 hash;
        unsigned char digest[SHA256_BYTES];
        const char *root = r.pieces.at[i].root;
        sha256_begin(&hash);
        for (; from < r.pieces.n && !strcmp(r.pieces.at[from].root, root); from++) {
            const Piece *p = &r.pieces.at[from];
            sha256_add(&hash, p->path, strlen(p->path) + 1);
            sha256_add(&hash, p->text.at, p->text.n);
        }
        sha256_end(&hash, digest);
        if (i) text_add_char(out, ',');
        text_printf(out, "{\"path\":");
        text_add_json(out, str_of(root));
        text_printf(out, ",\"files\":%u,\"sha256\":", (unsigned)(from - i));
        print_digest(digest, out);
        text_add_char(out, '}');
    }
    text_add_char(out, ']');
}

/* ---- writing --------------------------------------------------------------------------------- */

static void print_list(const char *name, const char *const *list, size_t n, Text *out)
{
    text_printf(out, "\"%s\":[", name);
    for (size_t i = 0; i < n; i++) {
        if (i) text_add_char(out, ',');
        text_add_json(out, str_of(list[i]));
    }
    text_printf(out, "],");
}

static void print_text(const char *name, const char *value, Text *out)
{
    text_printf(out, "\"%s\":", name);
    text_add_json(out, str_of(value ? value : ""));
    text_add_char(out, ',');
}

static void print_number(const char *name, double value, Text *out)
{
    text_printf(out, "\"%s\":", name);
    if (isfinite(value))
        text_add_real(out, value);
    else
        text_printf(out, "null");
    text_add_char(out, ',');
}

static void print_machine(Text *out)
{
    struct utsname name;
    char when[40] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts)) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &parts);
    print_text("when", when, out);
    if (uname(&name)) return;
    text_printf(out, "\"machine\":{");
    print_text("name", name.nodename, out);
    print_text("system", name.sysname, out);
    print_text("release", name.release, out);
    print_text("processor", name.machine, out);
    text_printf(out, "\"processors\":%u},", cpu_count());
}

static void print_run(AcausalModel *m, const AcausalSimulation *a, const SimOptions *o, Text *out)
{
    print_text("program", "acausal", out);
    print_text("version", acausal_version(), out);
    print_machine(out);
    print_text("source", m->source, out);
    print_text("class", m->class_name ? m->class_name : m->t.cls ? name_text(m->t.cls->name) : "", out);
    if (m->t.flat) {
        unsigned char digest[SHA256_BYTES];
        digest_flat(m->t.flat, m->texts, digest);
        text_printf(out, "\"model_sha256\":");
        print_digest(digest, out);
        text_add_char(out, ',');
    }
    print_number("start", o->t0, out);
    print_number("stop", o->t_end, out);
    print_number("tolerance", o->tol, out);
    if (o->interval > 0)
        print_number("interval", o->interval, out);
    else
        print_number("points", (double)o->points, out);
    print_text("solver_asked", a->solver ? a->solver : "auto", out);
    print_text("input", a->inputs, out);
    print_text("init", a->init, out);
    print_text("resumed_from", a->resume, out);
    print_list("set", a->set, a->set_count, out);
    print_list("options", a->solver_options, a->solver_option_count, out);
}

bool provenance_write(AcausalModel *m, const AcausalSimulation *a, const SimOptions *o, const SimReport *sim)
{
    char path[4200];
    AcausalSession *s = m->session;
    Text out = { .arena = m->texts };
    struct SimReport none = { .stats = { .solver = "" } };
    if (!a->output || file_kind(a->output) == FILE_OTHER) return true;
    if (snprintf(path, sizeof path, "%s.info.json", a->output) >= (int)sizeof path) return true;
    text_add_char(&out, '{');
    print_run(m, a, o, &out);
    print_text("state",
               !sim                                                 ? "running"
               : sim->end == SIM_DONE || sim->end == SIM_TERMINATED ? "done"
                                                                    : "failed",
               &out);
    if (!sim) sim = &none;
    print_text("message", sim->message, &out);
    print_number("reached", sim->t, &out);
    print_text("solver", sim->stats.solver, &out);
    text_printf(&out, "\"rows\":%ld,\"steps\":%ld,", sim->stats.rows, sim->stats.work.steps);
    print_number("seconds", sim->stats.total_s, &out);
    print_libraries(s, m->texts, &out);
    text_printf(&out, "}\n");
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(out.at, 1, out.n, file) == out.n;
    if (file && fclose(file)) ok = false;
    return ok || wrong(s, E_OUTPUT, "'%s' cannot be written: %s", path, strerror(errno));
}

/* ---- reading --------------------------------------------------------------------------------- */

static void print_leaf(void *arg, const char *name, const char *value)
{
    Text *out = arg;
    if (*value) text_printf(out, "%-28s %s\n", name, value);
}

static void print_node(Arena *arena, const DataNode *node, Text *out)
{
    for (uint32_t i = 0; i < node->items.n; i++) {
        const DataNode *item = node->items.at[i];
        bool is_libraries = item->kind == DATA_LIST && !strcmp(item->key, "libraries");
        for (uint32_t k = 0; is_libraries && k < item->items.n; k++) {
            const DataNode *library = item->items.at[k];
            const DataNode *path = data_find(library, "path"), *digest = data_find(library, "sha256");
            if (path && digest)
                text_printf(out, "%-28s %s (%.16s...)\n", "read from", path->text, digest->text);
        }
        if (is_libraries || (item->kind == DATA_LIST && !item->items.n)) continue;
        if (item->kind == DATA_TABLE)
            data_flatten(arena, item, print_leaf, out);
        else
            print_leaf(out, item->key, data_text(arena, item));
    }
}

/* What is beside the result, as JSON; NULL: nothing is. */
static const char *read_beside(AcausalSession *s, const char *path)
{
    const Source *source;
    int why;
    const char *beside = arena_printf(s->arena, "%s.info.json", path);
    if (file_kind(beside) != FILE_REGULAR || source_open(s->sources, beside, &source, &why) != SOURCE_OK)
        return NULL;
    const char *text = arena_copy(s->arena, source->text);
    return text;
}

static bool is_store(const char *path)
{
    char head[16] = "";
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(head, 1, sizeof head, file) : 0;
    if (file) fclose(file);
    return n == sizeof head && !memcmp(head, "SQLite format 3", sizeof head);
}

static AcausalStatus store_info(AcausalSession *s, const char *path, AcausalFormat format, Text *out)
{
    char why[400];
    static const char *const names[] = { "program", "total", "shard", "directory", "settings" };
    AcausalStudyStatus status = { .size = sizeof status };
    if (acausal_study_status(s, path, &status) != ACAUSAL_DONE) return ACAUSAL_WRONG;
    Store *store = store_open(path, false, why, sizeof why);
    if (!store) return wrong(s, E_OUTPUT, "%s", why), ACAUSAL_WRONG;
    bool json = format == ACAUSAL_JSON;
    text_printf(out,
                json ? "{\"kind\":\"study\",\"done\":%zu,\"failed\":%zu,\"total\":%zu"
                     : "study: %zu runs done, %zu failed, of %zu\n",
                status.done, status.failed, status.total);
    for (size_t k = 0; k < COUNT_OF(names); k++) {
        const char *value = store_get(store, s->arena, names[k]);
        if (!value || (json && !strcmp(names[k], "total"))) continue;
        bool is_settings = !strcmp(names[k], "settings");
        if (!json) {
            text_printf(out, "%-28s %s\n", names[k], value);
        } else {
            text_printf(out, ",\"%s\":", names[k]);
            is_settings ? text_add(out, str_of(value)) : text_add_json(out, str_of(value));
        }
    }
    if (json) text_printf(out, "}\n");
    store_close(store);
    return ACAUSAL_DONE;
}

static AcausalStatus result_info(AcausalSession *s, const char *path, AcausalFormat format, Text *out)
{
    char why[400];
    ResultTable *table = result_read(path, why, sizeof why);
    if (!table) return wrong(s, E_OUTPUT, "%s", why), ACAUSAL_WRONG;
    const char *beside = read_beside(s, path);
    const DataNode *node = beside ? data_read_json(s->arena, str_of(beside), why, sizeof why) : NULL;
    double from = table->rows ? signal_at(&table->time, 0) : NAN;
    double to = table->rows ? signal_at(&table->time, table->rows - 1) : NAN;
    if (format == ACAUSAL_JSON) {
        text_printf(out, "{\"kind\":\"result\",\"rows\":%zu,\"signals\":%zu,\"cut\":%s,", table->rows,
                    table->count, table->truncated ? "true" : "false");
        print_number("from", from, out);
        print_number("to", to, out);
        text_printf(out, "\"provenance\":%s}\n", node ? beside : "null");
    } else {
        text_printf(out, "result: %zu rows of %zu signals, t = %.9g to %.9g%s\n", table->rows, table->count,
                    from, to, table->truncated ? "; the last row is cut off and left out" : "");
        if (node)
            print_node(s->arena, node, out);
        else
            text_printf(out, "how it came to be is not known: there is no '%s.info.json'\n", path);
    }
    result_free(table);
    return ACAUSAL_DONE;
}

AcausalStatus acausal_result_info(AcausalSession *s, const char *path, AcausalFormat format,
                                  AcausalWrite write, void *arg)
{
    Text out = { .arena = s->arena };
    AcausalStatus status = (is_store(path) ? store_info : result_info)(s, path, format, &out);
    if (status == ACAUSAL_DONE) write(arg, out.at, out.n);
    return status;
}
