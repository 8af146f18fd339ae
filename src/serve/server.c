/* server.c: the studio: a server for pages of this machine.
 *
 * In: a directory, a port. Out: answers to requests. It listens on 127.0.0.1 only. Every request
 * has to name this server as its host, may not come from another origin, and has to know the token,
 * which is new each time: in the address of the page, in a header of all others. So neither another
 * machine nor a page of another place that the same browser has open can use it. Each connection
 * has a thread; at most MOST_CONNECTIONS. Always: what a request can make the server do is in the
 * table of routes; files are reached through directory.c only. Tests: tests/serve/serve.py,
 * tests/browser/studio.mjs. */
#include "page/page.h"
#include "serve/inside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---- answers --------------------------------------------------------------------------------- */

void answer(Response *r, int status, const char *format, ...)
{
    Text text = { .arena = r->body.arena };
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    r->status = status;
    r->type = "application/json";
    r->body.n = 0;
    text_add_literal(&r->body, "{\"error\":");
    text_add_json(&r->body, (Str){ text.at, text.n });
    text_add_char(&r->body, '}');
}

void add_piece(void *text, const char *piece, size_t n) { text_add(text, (Str){ piece, n }); }

void diagnostics_json(const AcausalSession *session, Text *out)
{
    size_t from = out->n;
    text_add_char(out, '[');
    acausal_write_diagnostics(session, ACAUSAL_JSON, add_piece, out);
    for (size_t i = from; i < out->n; i++)
        if (out->at[i] == '\n') out->at[i] = i + 1 < out->n ? ',' : ' ';
    text_add_char(out, ']');
}

static double real_value(const Request *q, const char *name)
{
    const char *value = http_value(q, name, 0);
    char *end;
    if (!value || !*value) return NAN;
    double x = strtod(value, &end);
    return *end || !isfinite(x) ? NAN : x;
}

/* The class that a request names; an empty one is none. */
const char *class_of(const Request *q)
{
    const char *name = http_value(q, "class", 0);
    return name && *name ? name : NULL;
}

/* ---- routes ---------------------------------------------------------------------------------- */

static void get_models(Server *s, const Request *q, Response *r)
{
    directory_list(&s->directory, q->arena, &r->body);
}

typedef struct {
    Text *out;
    Arena *arena;
    size_t n;
    /* a class to begin with: one that can be run, best one that says from when to when */
    const char *first;
    bool has_experiment;
} ClassList;

static bool can_run(const AcausalClass *c)
{
    return !c->is_partial &&
           (!strcmp(c->kind, "model") || !strcmp(c->kind, "block") || !strcmp(c->kind, "class"));
}

static void add_class(void *arg, const AcausalClass *c)
{
    ClassList *list = arg;
    text_add(list->out, list->n++ ? STR(",{\"name\":") : STR("{\"name\":"));
    text_add_json(list->out, str_of(c->name));
    text_add_literal(list->out, ",\"kind\":");
    text_add_json(list->out, str_of(c->kind));
    text_add_literal(list->out, ",\"description\":");
    text_add_json(list->out, str_of(c->description));
    text_printf(list->out, ",\"partial\":%s,\"experiment\":%s}", c->is_partial ? "true" : "false",
                c->has_experiment ? "true" : "false");
    if (!can_run(c) || (list->first && (list->has_experiment || !c->has_experiment))) return;
    list->first = arena_copy(list->arena, str_of(c->name));
    list->has_experiment = c->has_experiment;
}

/* The classes of a source as JSON. Returns the one to begin with, or NULL. */
static const char *list_classes(Server *s, Arena *arena, const char *source, Text *out)
{
    const char *path = directory_find(&s->directory, arena, source);
    AcausalSession *session = path ? workshop_session(s->workshop) : NULL;
    ClassList list = { .out = out, .arena = arena };
    text_add_literal(out, "{\"source\":");
    text_add_json(out, str_of(source));
    text_add_literal(out, ",\"classes\":[");
    if (session && directory_is_fmu(source))
        add_class(&list, &(AcausalClass){ .name = arena_copy(arena, path_base(source)),
                                          .kind = "model",
                                          .description = "an FMU: its own code runs inside of this server",
                                          .has_experiment = true });
    else if (session)
        acausal_classes(session, path, add_class, &list);
    text_printf(out, "],\"errors\":%zu}", session ? acausal_error_count(session) : 1);
    acausal_session_free(session);
    return list.first;
}

/* Of all sources that are asked for at once. */
static void get_classes(Server *s, const Request *q, Response *r)
{
    const char *source;
    text_add_char(&r->body, '[');
    for (size_t i = 0; i < MOST_SET && (source = http_value(q, "source", i)); i++) {
        if (i) text_add_char(&r->body, ',');
        list_classes(s, q->arena, source, &r->body);
    }
    text_add_char(&r->body, ']');
}

bool add_file_text(const char *path, Text *out)
{
    char chunk[65536];
    FILE *file = fopen(path, "rb");
    size_t n, from = out->n;
    while (file && (n = fread(chunk, 1, sizeof chunk, file)) > 0 && out->n - from <= BODY_MOST)
        text_add(out, (Str){ chunk, n });
    bool ok = file && !ferror(file) && out->n - from <= BODY_MOST;
    if (file) fclose(file);
    return ok;
}

/* The file, and where it is relative to the directory. */
const char *source_file(Server *s, const Request *q, Response *r)
{
    const char *source = http_value(q, "source", 0);
    const char *file = source ? directory_file_of(&s->directory, q->arena, source, class_of(q)) : NULL;
    size_t n = file ? strlen(file) : 0;
    if (n > 3 && !strcmp(file + n - 3, ".mo") && file_kind(file) == FILE_REGULAR) return file;
    answer(r, 404, "there is no such source");
    return NULL;
}

static void get_source(Server *s, const Request *q, Response *r)
{
    const char *file = source_file(s, q, r);
    Text text = { .arena = q->arena };
    if (!file) return;
    text_add_literal(&text, "");
    if (!add_file_text(file, &text)) {
        answer(r, 404, "the source cannot be read, or is too large");
        return;
    }
    text_add_literal(&r->body, "{\"file\":");
    text_add_json(&r->body, str_of(file));
    text_printf(&r->body, ",\"stamp\":\"%s\"", file_stamp(q->arena, file));
    text_add_literal(&r->body, ",\"text\":");
    text_add_json(&r->body, (Str){ text.at, text.n });
    text_add_char(&r->body, '}');
}

static void post_save(Server *s, const Request *q, Response *r)
{
    char why[300];
    const char *text = http_value(q, "text", 0);
    if (s->directory.read_only) {
        answer(r, 403, "this studio changes no files");
        return;
    }
    const char *file = source_file(s, q, r);
    if (!file) return;
    if (!text)
        answer(r, 400, "there is no text to save");
    else if (is_changed(q, file))
        answer(r, 409, "another program has changed this file; it was not saved");
    else if (!directory_save(file, str_of(text), why, sizeof why))
        answer(r, 409, "%s", why);
    else
        text_printf(&r->body, "{\"saved\":true,\"stamp\":\"%s\"}", file_stamp(q->arena, file));
}

static void post_new(Server *s, const Request *q, Response *r)
{
    char why[300];
    const char *file = NULL;
    if (!s->directory.read_only)
        file = directory_new(&s->directory, q->arena, http_value(q, "name", 0), http_value(q, "base", 0), why,
                             sizeof why);
    if (s->directory.read_only)
        answer(r, 403, "this studio changes no files");
    else if (!file)
        answer(r, 409, "%s", why);
    else
        list_classes(s, q->arena, file, &r->body);
}

static void post_check(Server *s, const Request *q, Response *r)
{
    const char *source = http_value(q, "source", 0);
    const char *path = source ? directory_find(&s->directory, q->arena, source) : NULL;
    AcausalSession *session = path ? workshop_session(s->workshop) : NULL;
    AcausalCheckReport report = { .size = sizeof report };
    if (!session) {
        answer(r, 404, "there is no such source");
        return;
    }
    if (directory_is_fmu(source))
        acausal_fmu_validate(session, path);
    else
        acausal_check(session, path, class_of(q), &report);
    text_printf(&r->body,
                "{\"unknowns\":%zu,\"equations\":%zu,\"parameters\":%zu,\"states\":%zu,\"diagnostics\":",
                report.unknowns, report.equations, report.parameters, report.states);
    diagnostics_json(session, &r->body);
    text_add_char(&r->body, '}');
    acausal_session_free(session);
}

static void add_number(Text *out, double value)
{
    text_add_char(out, ',');
    if (isfinite(value))
        text_add_real(out, value);
    else
        text_add_literal(out, "null");
}

static void take_start_value(void *values, size_t i, const AcausalStartValue *value)
{
    ((AcausalStartValue *)values)[i] = *value;
}

/* Parameters that may be changed: name, unit, description, type, value, least, largest, built
 * in. */
static void add_parameters(AcausalModel *model, Arena *arena, Text *out)
{
    size_t n = acausal_model_variables(model), shown = 0;
    AcausalStartValue *values = NEW_ARRAY(arena, AcausalStartValue, n + 1);
    acausal_model_start_values(model, take_start_value, values);
    text_add_literal(out, ",\"parameters\":[");
    for (size_t i = 0; i < n; i++) {
        AcausalVariable v = { .size = sizeof v };
        if (!acausal_model_variable(model, i, &v) || v.is_protected || values[i].is_final) continue;
        bool may_be = !strcmp(v.kind, "parameter") && (v.is_settable || values[i].is_structural);
        if (!may_be || !strcmp(v.type, "String")) continue;
        text_add(out, shown++ ? STR(",[") : STR("["));
        text_add_json(out, str_of(v.name));
        text_add_char(out, ',');
        text_add_json(out, str_of(v.unit));
        text_add_char(out, ',');
        text_add_json(out, str_of(v.description));
        text_add_char(out, ',');
        text_add_json(out, str_of(v.type));
        add_number(out, values[i].value);
        add_number(out, values[i].low);
        add_number(out, values[i].high);
        text_printf(out, ",%s]", values[i].is_structural ? "true" : "false");
    }
    text_add_literal(out, "],\"states\":[");
    const char *state;
    for (size_t i = 0; i < MOST_STATES && (state = acausal_model_state(model, i)); i++) {
        if (i) text_add_char(out, ',');
        text_add_json(out, str_of(state));
    }
    text_add_literal(out, "]");
}

/* What there is to know of a model before it is run. False: there is no such source. */
static bool tell_model(Server *s, Arena *arena, const char *source, const char *class_name, Text *out)
{
    bool known = source && directory_find(&s->directory, arena, source);
    Bench *bench = known ? workshop_take(s->workshop, source, class_name) : NULL;
    bool ok = bench && bench->session;
    if (ok) {
        text_printf(out, "{\"translated\":%s", bench->model ? "true" : "false");
        if (bench->model) {
            AcausalExperiment e = { .size = sizeof e };
            acausal_model_experiment(bench->model, &e);
            add_parameters(bench->model, arena, out);
            text_add_literal(out, ",\"experiment\":[0");
            add_number(out, e.start);
            add_number(out, e.stop);
            add_number(out, e.tolerance);
            text_add_char(out, ']');
        }
        text_add_literal(out, ",\"diagnostics\":");
        diagnostics_json(bench->session, out);
        text_add_char(out, '}');
    }
    workshop_give(s->workshop, bench);
    return ok;
}

static void post_model(Server *s, const Request *q, Response *r)
{
    if (!tell_model(s, q->arena, http_value(q, "source", 0), class_of(q), &r->body))
        answer(r, 404, "there is no such source");
}

static void post_structure(Server *s, const Request *q, Response *r)
{
    const char *source = http_value(q, "source", 0);
    Bench *bench = source ? workshop_take(s->workshop, source, class_of(q)) : NULL;
    if (!bench || !bench->model || acausal_structure(bench->model, add_piece, &r->body) != ACAUSAL_DONE)
        answer(r, 409,
               bench && bench->model ? "of an FMU no structure is known" : "the model cannot be translated");
    workshop_give(s->workshop, bench);
}

static void post_run(Server *s, const Request *q, Response *r)
{
    const char *set[MOST_SET];
    RunOrder order = { .source = http_value(q, "source", 0),
                       .class_name = class_of(q),
                       .solver = http_value(q, "solver", 0),
                       .set = set,
                       .start = real_value(q, "start"),
                       .stop = real_value(q, "stop"),
                       .tolerance = real_value(q, "tolerance"),
                       .points = -1 };
    size_t points = http_size(q, "points", SIZE_MAX), before = http_size(q, "instead", 0);
    if (points != SIZE_MAX) order.points = (long)size_min(points, 1000000);
    if (order.solver && !*order.solver) order.solver = NULL;
    while (order.set_count < MOST_SET && (set[order.set_count] = http_value(q, "set", order.set_count)))
        order.set_count++;
    if (!order.source || !directory_find(&s->directory, q->arena, order.source)) {
        answer(r, 404, "there is no such source");
        return;
    }
    if (order.solver && (strchr(order.solver, '/') || strchr(order.solver, '.'))) {
        answer(r, 400, "a solver is chosen by its name here");
        return;
    }
    if (before && before <= UINT32_MAX) runs_cancel(s->runs, (unsigned)before);
    unsigned id = runs_start(s->runs, &order);
    if (!id)
        answer(r, 429, "too many runs are under way");
    else
        text_printf(&r->body, "{\"id\":%u}", id);
}

/* ---- the page -------------------------------------------------------------------------------- */

/* All that the page would ask for first, and a run that is under way: what is drawn first waits for
 * nobody. */
static void add_start(Server *s, Arena *arena, Text *out)
{
    const char *first = NULL;
    text_add_literal(out, "{\"models\":");
    directory_list(&s->directory, arena, out);
    if (s->first_source) {
        text_add_literal(out, ",\"classes\":");
        first = list_classes(s, arena, s->first_source, out);
    }
    if (s->first_class) first = s->first_class;
    if (first) {
        RunOrder order = { .source = s->first_source,
                           .class_name = first,
                           .start = NAN,
                           .stop = NAN,
                           .tolerance = NAN,
                           .points = -1 };
        text_add_literal(out, ",\"model\":");
        if (!tell_model(s, arena, s->first_source, first, out)) text_add_literal(out, "null");
        text_printf(out, ",\"run\":%u", runs_start(s->runs, &order));
    }
    text_add_literal(out, ",\"source\":");
    text_add_json(out, str_of(s->first_source ? s->first_source : ""));
    text_add_literal(out, ",\"class\":");
    text_add_json(out, str_of(first ? first : ""));
    text_add_literal(out, ",\"version\":");
    text_add_json(out, str_of(acausal_version()));
    text_add_char(out, '}');
}

static void get_page(Server *s, const Request *q, Response *r)
{
    unsigned char random[12];
    char nonce[2 * sizeof random + 1];
    if (getrandom(random, sizeof random, 0) != sizeof random) {
        answer(r, 500, "no random numbers");
        return;
    }
    for (size_t i = 0; i < sizeof random; i++) snprintf(nonce + 2 * i, 3, "%02x", random[i]);
    Text start = { .arena = q->arena };
    add_start(s, q->arena, &start);
    const PagePart parts[] = { { "nonce", str_of(nonce) },
                               { "start", page_in_script(q->arena, (Str){ start.at, start.n }) } };
    r->type = "text/html; charset=utf-8";
    r->policy = arena_printf(q->arena,
                             "default-src 'none'; script-src 'nonce-%s'; style-src 'unsafe-inline'; "
                             "connect-src 'self'; img-src data: "
                             "blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                             nonce);
    page_write("studio.html", parts, COUNT_OF(parts), &r->body);
}

static void get_three(Server *s, const Request *q, Response *r)
{
    (void)s, (void)q;
    Str three = page_three();
    r->type = "text/javascript";
    if (three.n)
        text_add(&r->body, three);
    else
        answer(r, 404, "this program was built without animations in 3-D: npm was not there");
}

static unsigned id_of(const Request *q)
{
    size_t id = http_size(q, "id", 0);
    return id <= UINT32_MAX ? (unsigned)id : 0;
}

static void get_run(Server *s, const Request *q, Response *r)
{
    if (!runs_tell(s->runs, id_of(q), http_value(q, "names", 0) != NULL, &r->body))
        answer(r, 404, "there is no such run");
}

static void get_runs(Server *s, const Request *q, Response *r)
{
    (void)q;
    runs_list(s->runs, &r->body);
}

static void get_rows(Server *s, const Request *q, Response *r)
{
    size_t columns[MOST_COLUMNS], n = 0;
    for (const char *c; n < MOST_COLUMNS && (c = http_value(q, "c", n)); n++)
        columns[n] = (size_t)strtoul(c, NULL, 10);
    r->type = "application/octet-stream";
    if (!runs_rows(s->runs, id_of(q), http_size(q, "from", 0), columns, n, &r->body))
        answer(r, 404, "there is no such run");
}

static void post_cancel(Server *s, const Request *q, Response *r)
{
    if (runs_cancel(s->runs, id_of(q)))
        text_add_literal(&r->body, "{}");
    else
        answer(r, 404, "there is no such run");
}

static void post_forget(Server *s, const Request *q, Response *r)
{
    if (runs_forget(s->runs, id_of(q)))
        text_add_literal(&r->body, "{}");
    else
        answer(r, 404, "there is no such run");
}

static void get_compare(Server *s, const Request *q, Response *r)
{
    size_t a = http_size(q, "a", 0), b = http_size(q, "b", 0);
    if (a > UINT32_MAX || b > UINT32_MAX || !runs_compare(s->runs, (unsigned)a, (unsigned)b, &r->body))
        answer(r, 404, "one of the runs has no result");
}

static void get_export(Server *s, const Request *q, Response *r)
{
    char why[400];
    const char *format = http_value(q, "format", 0), *names[MOST_COLUMNS];
    size_t n = 0;
    while (n < MOST_COLUMNS && (names[n] = http_value(q, "name", n))) n++;
    if (!format) format = "csv";
    r->type = "application/octet-stream";
    if (runs_export(s->runs, id_of(q), format, names, n, &r->body, why, sizeof why))
        r->file = arena_printf(q->arena, "run-%u.%s", id_of(q), format);
    else
        answer(r, 404, "%s", why);
}

/* All bytes of a file. */
static bool add_bytes(const char *path, Text *out)
{
    char chunk[65536];
    FILE *file = fopen(path, "rb");
    for (size_t n; file && (n = fread(chunk, 1, sizeof chunk, file)) > 0;) text_add(out, (Str){ chunk, n });
    bool ok = file && !ferror(file);
    if (file) fclose(file);
    return ok;
}

/* The model as an FMU, with the values that are set. */
static void post_fmu(Server *s, const Request *q, Response *r)
{
    char path[] = "/tmp/acausal-XXXXXX.fmu";
    const char *source = http_value(q, "source", 0), *set[MOST_SET];
    const char *model = source ? directory_find(&s->directory, q->arena, source) : NULL;
    AcausalSession *session = model ? workshop_session(s->workshop) : NULL;
    AcausalExport o = acausal_export_options();
    AcausalExportReport report = { .size = sizeof report };
    int file = session ? mkstemps(path, 4) : -1;
    o.fmi = http_size(q, "fmi", 2) == 3 ? 3 : 2;
    o.set = set;
    while (o.set_count < MOST_SET && (set[o.set_count] = http_value(q, "set", o.set_count))) o.set_count++;
    r->type = "application/octet-stream";
    if (file < 0)
        answer(r, 404, "there is no such source");
    else if (acausal_export(session, model, class_of(q), path, &o, &report) != ACAUSAL_DONE ||
             !add_bytes(path, &r->body))
        answer(r, 409, "%s",
               acausal_first_error(session) ? acausal_first_error(session) : "no FMU could be made");
    else
        r->file = "model.fmu";
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    acausal_session_free(session);
}

static void get_solvers(Server *s, const Request *q, Response *r)
{
    (void)s, (void)q;
    text_add_char(&r->body, '[');
    for (size_t i = 0; i < acausal_solver_count(); i++) {
        AcausalSolverInfo info = { .size = sizeof info };
        acausal_solver_info(i, &info);
        text_add(&r->body, i ? STR(",[") : STR("["));
        text_add_json(&r->body, str_of(info.name));
        text_add_char(&r->body, ',');
        text_add_json(&r->body, str_of(info.summary));
        text_add_char(&r->body, ']');
    }
    text_add_char(&r->body, ']');
}

static const struct {
    const char *method, *path;
    void (*handle)(Server *s, const Request *q, Response *r);
} routes[] = {
    { "GET", "/api/three", get_three },
    { "GET", "/api/tree", get_tree },
    { "POST", "/api/icons", post_icons },
    { "GET", "/api/draw", get_drawing },
    { "GET", "/api/describe", get_description },
    { "GET", "/api/documentation", get_documentation },
    { "GET", "/api/search", get_search },
    { "GET", "/api/whynot", get_why_not },
    { "GET", "/api/shape", get_shape },
    { "POST", "/api/edit", post_edit },
    { "GET", "/", get_page },
    { "GET", "/api/models", get_models },
    { "POST", "/api/classes", get_classes },
    { "GET", "/api/source", get_source },
    { "GET", "/api/solvers", get_solvers },
    { "POST", "/api/new", post_new },
    { "POST", "/api/save", post_save },
    { "POST", "/api/check", post_check },
    { "POST", "/api/model", post_model },
    { "POST", "/api/structure", post_structure },
    { "POST", "/api/run", post_run },
    { "GET", "/api/run", get_run },
    { "GET", "/api/runs", get_runs },
    { "GET", "/api/rows", get_rows },
    { "POST", "/api/fmu", post_fmu },
    { "POST", "/api/cancel", post_cancel },
    { "POST", "/api/forget", post_forget },
    { "GET", "/api/compare", get_compare },
    { "GET", "/api/export", get_export },
};

/* ---- who may ask ----------------------------------------------------------------------------- */

/* In a time that does not depend on where they differ. */
static bool same_token(const Server *s, Str token)
{
    unsigned difference = token.n != TOKEN;
    for (size_t i = 0; i < TOKEN && i < token.n; i++)
        difference |= (unsigned char)token.at[i] ^ (unsigned char)s->token[i];
    return !difference;
}

static bool is_own_host(const Server *s, Str host)
{
    return str_is(host, s->hosts[0]) || str_is(host, s->hosts[1]);
}

static bool is_own_origin(const Server *s, Str origin)
{
    return origin.n > 7 && !memcmp(origin.at, "http://", 7) &&
           is_own_host(s, (Str){ origin.at + 7, origin.n - 7 });
}

/* Why a request is refused; NULL if it is not. */
static const char *refusal(const Server *s, const Request *q)
{
    if (!q->host.at || !is_own_host(s, q->host)) return "this server answers to its own address only";
    if (q->origin.at && !is_own_origin(s, q->origin)) return "pages of other places may not ask here";
    if (q->fetch_site.at && !str_is(q->fetch_site, "same-origin") && !str_is(q->fetch_site, "none"))
        return "pages of other places may not ask here";
    const char *in_address = str_is(q->path, "/") ? http_value(q, "token", 0) : NULL;
    if (in_address ? !same_token(s, str_of(in_address)) : !same_token(s, q->token))
        return "the token is missing or wrong; open the address that acausal serve printed";
    return NULL;
}

static void handle(Server *s, const Request *q, Response *r)
{
    const char *why = refusal(s, q);
    bool known = false;
    if (why) {
        answer(r, 403, "%s", why);
        return;
    }
    for (size_t i = 0; i < COUNT_OF(routes); i++) {
        if (!str_is(q->path, routes[i].path)) continue;
        known = true;
        if (!str_is(q->method, routes[i].method)) continue;
        routes[i].handle(s, q, r);
        return;
    }
    answer(r, known ? 405 : 404, known ? "not in this way" : "there is nothing at this address");
}

/* ---- connections ----------------------------------------------------------------------------- */

static void set_waiting(Server *s, size_t place, double since)
{
    pthread_mutex_lock(&s->lock);
    s->waits_since[place] = since;
    pthread_mutex_unlock(&s->lock);
}

/* One request and its answer; false: the connection ends. */
static bool serve_request(Server *s, size_t place, Connection *c)
{
    bool keep = false;
    Arena *arena = arena_new();
    if (!arena) return false;
    Request q = { .arena = arena };
    set_waiting(s, place, clock_wall());
    int status = http_read(c, &q);
    set_waiting(s, place, 0.0);
    Response r = { .status = 200, .type = "application/json", .body = { .arena = arena } };
    text_add_literal(&r.body, "");
    if (status == 0)
        handle(s, &q, &r);
    else if (status > 0)
        answer(&r, status, "the request cannot be read");
    if (status >= 0) keep = http_write(c, &r, status == 0 && q.keep) && status == 0 && q.keep;
    arena_free(arena);
    return keep;
}

typedef struct {
    Server *server;
    size_t place;
} Visit;

static void leave(Server *s, size_t place)
{
    pthread_mutex_lock(&s->lock);
    close(s->sockets[place]);
    s->sockets[place] = -1;
    s->connections--;
    pthread_cond_broadcast(&s->closed);
    pthread_mutex_unlock(&s->lock);
}

static void *connection_thread(void *arg)
{
    Visit visit = *(Visit *)arg;
    free(arg);
    Connection c = { .socket = visit.server->sockets[visit.place],
                     .buffer = malloc(HEAD_MOST + BODY_MOST + 16) };
    while (c.buffer && serve_request(visit.server, visit.place, &c)) {
    }
    set_waiting(visit.server, visit.place, clock_wall());
    /* what was not read would reset the connection, and with it take the answer away */
    shutdown(c.socket, SHUT_WR);
    char rest[4096];
    double end = clock_wall() + IDLE_SECONDS;
    for (int i = 0; i < 2048 && clock_wall() < end && recv(c.socket, rest, sizeof rest, 0) > 0; i++) {
    }
    free(c.buffer);
    leave(visit.server, visit.place);
    return NULL;
}

/* A place for a connection, under the lock. Where there is none, the one that has waited longest
 * for its client goes: those that work stay. MOST_CONNECTIONS: all of them do. */
static size_t find_place(Server *s)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    for (bool timed_out = false;;) {
        size_t place = 0, oldest = MOST_CONNECTIONS;
        while (place < MOST_CONNECTIONS && s->sockets[place] >= 0) place++;
        if (place < MOST_CONNECTIONS || timed_out) return place;
        for (size_t i = 0; i < MOST_CONNECTIONS; i++)
            if (s->waits_since[i] > 0.0 &&
                (oldest == MOST_CONNECTIONS || s->waits_since[i] < s->waits_since[oldest]))
                oldest = i;
        if (oldest == MOST_CONNECTIONS) return oldest;
        s->waits_since[oldest] = 0.0;
        shutdown(s->sockets[oldest], SHUT_RDWR);
        timed_out = pthread_cond_timedwait(&s->closed, &s->lock, &until) != 0;
    }
}

static void accept_one(Server *s)
{
    int socket = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC), one = 1;
    struct timeval idle = { .tv_sec = IDLE_SECONDS };
    pthread_t thread;
    if (socket < 0) return;
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof idle);
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &idle, sizeof idle);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    pthread_mutex_lock(&s->lock);
    size_t place = find_place(s);
    Visit *visit = place < MOST_CONNECTIONS ? malloc(sizeof *visit) : NULL;
    if (visit) {
        *visit = (Visit){ s, place };
        s->sockets[place] = socket;
        s->waits_since[place] = clock_wall();
        s->connections++;
    }
    pthread_mutex_unlock(&s->lock);
    if (!visit) {
        close(socket);
    } else if (pthread_create(&thread, NULL, connection_thread, visit)) {
        free(visit);
        leave(s, place);
    } else {
        pthread_detach(thread);
    }
}

/* ---- from start to end ----------------------------------------------------------------------- */

static bool open_listener(Server *s, unsigned port, char *why, size_t room)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    socklen_t size = sizeof address;
    int one = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->listener >= 0) setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&address, size) || listen(s->listener, 64) ||
        getsockname(s->listener, (struct sockaddr *)&address, &size)) {
        snprintf(why, room, "port %u cannot be opened: %s", port, strerror(errno));
        return false;
    }
    snprintf(s->hosts[0], sizeof s->hosts[0], "127.0.0.1:%u", (unsigned)ntohs(address.sin_port));
    snprintf(s->hosts[1], sizeof s->hosts[1], "localhost:%u", (unsigned)ntohs(address.sin_port));
    return true;
}

static bool make_token(Server *s)
{
    unsigned char random[TOKEN / 2];
    if (getrandom(random, sizeof random, 0) != sizeof random) return false;
    for (size_t i = 0; i < sizeof random; i++) snprintf(s->token + 2 * i, 3, "%02x", random[i]);
    return true;
}

/* DIR, or a source in it that is opened first. */
static bool open_directory(Server *s, const char *given, Arena *arena, char *why, size_t room)
{
    char *real = path_real(arena, given);
    if (!real) return snprintf(why, room, "'%s': %s", given, strerror(errno)), false;
    if (file_kind(real) == FILE_REGULAR) {
        char *slash = strrchr(real, '/');
        s->first_source = slash + 1;
        *slash = 0;
        if (!*real) real = "/";
    }
    s->directory = directory_of(arena, real, s->directory.read_only);
    return file_kind(real) == FILE_DIRECTORY ||
           (snprintf(why, room, "'%s' is not a directory", given), false);
}

static void listen_until(Server *s, const AcausalServe *o)
{
    struct pollfd poll_on = { .fd = s->listener, .events = POLLIN };
    while (!o->interrupt || !*o->interrupt)
        if (poll(&poll_on, 1, LEAST_POLL_MS) > 0) accept_one(s);
}

static void close_server(Server *s)
{
    if (s->listener >= 0) close(s->listener);
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < MOST_CONNECTIONS; i++)
        if (s->sockets[i] >= 0) shutdown(s->sockets[i], SHUT_RDWR);
    while (s->connections) pthread_cond_wait(&s->closed, &s->lock);
    pthread_mutex_unlock(&s->lock);
    runs_free(s->runs);
    looks_free(s->looks);
    workshop_free(s->workshop);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->closed);
}

bool serve_pages(const AcausalServe *o, char *why, size_t room)
{
    Arena *arena = arena_new();
    Server *s = calloc(1, sizeof *s);
    bool ok = arena && s;
    snprintf(why, room, "no memory for a server");
    if (ok) {
        s->listener = -1;
        for (size_t i = 0; i < MOST_CONNECTIONS; i++) s->sockets[i] = -1;
        pthread_mutex_init(&s->lock, NULL);
        pthread_cond_init(&s->closed, NULL);
        s->directory.read_only = o->read_only;
        s->first_class = o->class_name;
        s->workshop = workshop_new(&s->directory, o);
        s->runs = s->workshop ? runs_new(s->workshop) : NULL;
        s->looks = s->workshop ? looks_new(s->workshop, &s->directory) : NULL;
        ok = s->runs && s->looks && make_token(s) &&
             open_directory(s, o->directory ? o->directory : ".", arena, why, room) &&
             open_listener(s, o->port, why, room);
        if (ok) {
            char address[200];
            snprintf(address, sizeof address, "http://%s/?token=%s", s->hosts[0], s->token);
            if (o->ready) o->ready(o->ready_arg, address);
            looks_begin(s->looks);
            listen_until(s, o);
        }
        close_server(s);
    }
    free(s);
    arena_free(arena);
    return ok;
}
