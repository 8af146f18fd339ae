/* classes.c: requests about classes: the tree of libraries, icons and diagrams, documentation, and
 * changes of a class in its file.
 *
 * Always: libraries are only read; a change goes to a file of the directory, and only if that is as
 * the page has seen it. Tests: tests/serve/studio.py. */
#include "serve/inside.h"

#include <stdio.h>
#include <sys/stat.h>

enum { MOST_ICONS = 200, MOST_PICTURE = 400 * 1024 };

/* ---- which class ----------------------------------------------------------------------------- */

typedef struct {
    AcausalSession *session;
    const char *source, *class_name; /* as functions of acausal.h take them */
} Wanted;

/* A class of a source of the directory, or of the libraries. False: answered. */
static bool take_class(Server *s, const Request *q, Response *r, Wanted *w)
{
    const char *source = http_value(q, "source", 0), *name = class_of(q);
    const char *path = source ? directory_find(&s->directory, q->arena, source) : NULL;
    if ((source && !path) || (!source && !name)) {
        answer(r, 404, "there is no such source");
        return false;
    }
    if (!source && (strchr(name, '/') || (strlen(name) > 3 && !strcmp(name + strlen(name) - 3, ".mo")))) {
        answer(r, 400, "a class is meant by its name");
        return false;
    }
    w->session = looks_take(s->looks);
    w->source = path ? path : name;
    w->class_name = path ? name : NULL;
    if (!w->session) answer(r, 500, "out of memory");
    return w->session != NULL;
}

static void add_diagnostics(const Wanted *w, Text *out)
{
    text_add_literal(out, ",\"diagnostics\":");
    diagnostics_json(w->session, out);
    text_add_char(out, '}');
}

/* ---- looking --------------------------------------------------------------------------------- */

typedef struct {
    const Server *server;
    Arena *arena;
    Text *out;
    size_t n;
} Tree;

static void add_class(void *arg, const AcausalClass *c)
{
    Tree *t = arg;
    const char *real = c->library ? path_real(t->arena, c->library) : NULL;
    size_t n = strlen(t->server->directory.path);
    bool own = real && !strncmp(real, t->server->directory.path, n) && (!real[n] || real[n] == '/');
    text_add(t->out, t->n++ ? STR(",[") : STR("["));
    text_add_json(t->out, str_of(c->name));
    text_add_char(t->out, ',');
    text_add_json(t->out, str_of(c->kind));
    text_add_char(t->out, ',');
    text_add_json(t->out, str_of(c->description));
    text_printf(t->out, ",\"%s%s%s%s%s\"]", c->is_example ? "e" : "", c->is_partial ? "p" : "",
                c->has_experiment ? "x" : "", c->has_classes ? "c" : "", own ? "w" : "");
}

void get_tree(Server *s, const Request *q, Response *r)
{
    AcausalSession *session = looks_take(s->looks);
    Tree t = { s, q->arena, &r->body, 0 };
    if (!session) {
        answer(r, 500, "out of memory");
        return;
    }
    text_add_char(&r->body, '[');
    acausal_inner_classes(session, class_of(q), add_class, &t);
    text_add_char(&r->body, ']');
    looks_give(s->looks);
}

static bool is_set(const Request *q, const char *name)
{
    const char *value = http_value(q, name, 0);
    return value && *value && strcmp(value, "0") != 0;
}

void get_drawing(Server *s, const Request *q, Response *r)
{
    Wanted w;
    Text svg = { .arena = q->arena };
    AcausalDrawing d = { .size = sizeof d, .icon = is_set(q, "icon"), .live = true };
    if (!take_class(s, q, r, &w)) return;
    text_add_literal(&svg, "");
    acausal_draw(w.session, w.source, w.class_name, &d, ACAUSAL_SVG, add_piece, &svg);
    text_add_literal(&r->body, "{\"svg\":");
    text_add_json(&r->body, (Str){ svg.at, svg.n });
    add_diagnostics(&w, &r->body);
    looks_give(s->looks);
}

/* Of classes of the libraries, by name; large ones are left out. */
void post_icons(Server *s, const Request *q, Response *r)
{
    AcausalSession *session = looks_take(s->looks);
    AcausalDrawing d = { .size = sizeof d, .icon = true, .live = true, .framed = true };
    const char *name;
    size_t shown = 0;
    if (!session) {
        answer(r, 500, "out of memory");
        return;
    }
    text_add_char(&r->body, '{');
    for (size_t i = 0; i < MOST_ICONS && (name = http_value(q, "name", i)); i++) {
        Text svg = { .arena = q->arena };
        text_add_literal(&svg, "");
        if (strchr(name, '/')) continue;
        acausal_draw(session, name, NULL, &d, ACAUSAL_SVG, add_piece, &svg);
        if (!svg.n || svg.n > MOST_PICTURE) continue;
        if (shown++) text_add_char(&r->body, ',');
        text_add_json(&r->body, str_of(name));
        text_add_char(&r->body, ':');
        text_add_json(&r->body, (Str){ svg.at, svg.n });
    }
    text_add_char(&r->body, '}');
    looks_give(s->looks);
}

void get_description(Server *s, const Request *q, Response *r)
{
    Wanted w;
    const char *component = http_value(q, "component", 0);
    if (!take_class(s, q, r, &w)) return;
    text_add_literal(&r->body, "{\"described\":");
    size_t before = r->body.n;
    acausal_describe(w.session, w.source, w.class_name, component && *component ? component : NULL,
                     ACAUSAL_JSON, add_piece, &r->body);
    if (r->body.n == before) text_add_literal(&r->body, "null");
    add_diagnostics(&w, &r->body);
    looks_give(s->looks);
}

void get_documentation(Server *s, const Request *q, Response *r)
{
    static const char *const parts[] = { "{\"info\":", ",\"revisions\":" };
    Wanted w;
    if (!take_class(s, q, r, &w)) return;
    for (int i = 0; i < 2; i++) {
        Text html = { .arena = q->arena };
        text_add_literal(&html, "");
        acausal_documentation(w.session, w.source, w.class_name, i == 1, add_piece, &html);
        text_add(&r->body, str_of(parts[i]));
        text_add_json(&r->body, (Str){ html.at, html.n });
    }
    text_add_char(&r->body, '}');
    looks_give(s->looks);
}

void get_search(Server *s, const Request *q, Response *r)
{
    const char *query = http_value(q, "q", 0);
    looks_search(s->looks, query ? query : "", &r->body);
}

void get_why_not(Server *s, const Request *q, Response *r)
{
    Wanted w;
    const char *from = http_value(q, "from", 0), *to = http_value(q, "to", 0);
    if (!from || !to) {
        answer(r, 400, "two connectors are needed");
        return;
    }
    if (!take_class(s, q, r, &w)) return;
    const char *why = acausal_why_not_connect(w.session, w.source, w.class_name, from, to);
    text_add_literal(&r->body, "{\"why\":");
    if (why)
        text_add_json(&r->body, str_of(why));
    else
        text_add_literal(&r->body, "null");
    text_add_char(&r->body, '}');
    looks_give(s->looks);
}

/* ---- files of libraries ---------------------------------------------------------------------- */

typedef struct {
    const char *path; /* real */
    bool is_inside;
    Arena *arena;
} Inside;

/* Whether a file is in a library: in its directory, or beside its file. */
static void ask_library(void *arg, const AcausalClass *c)
{
    Inside *inside = arg;
    const char *real = c->library ? path_real(inside->arena, c->library) : NULL;
    size_t n = real ? strlen(real) : 0;
    if (real && file_kind(real) == FILE_DIRECTORY && !strncmp(inside->path, real, n) &&
        inside->path[n] == '/')
        inside->is_inside = true;
}

/* A shape for animations: a file of a library that a modelica:// URI names. */
void get_shape(Server *s, const Request *q, Response *r)
{
    static const char *const suffixes[] = { ".stl", ".obj", ".dxf" };
    const char *uri = http_value(q, "uri", 0), *dot = uri ? strrchr(uri, '.') : NULL;
    bool known = false;
    for (size_t i = 0; dot && i < COUNT_OF(suffixes); i++) known |= !strcasecmp(dot, suffixes[i]);
    AcausalSession *session = known ? looks_take(s->looks) : NULL;
    const char *path = session ? acausal_resolve_uri(session, uri) : NULL;
    Inside inside = { .path = path ? path_real(q->arena, path) : NULL, .arena = q->arena };
    if (inside.path) acausal_inner_classes(session, NULL, ask_library, &inside);
    if (session) looks_give(s->looks);
    r->type = "application/octet-stream";
    if (!inside.is_inside || file_kind(inside.path) != FILE_REGULAR || !add_file_text(inside.path, &r->body))
        answer(r, 404, "there is no such shape in a library, or it is too large");
}

/* ---- changing -------------------------------------------------------------------------------- */

const char *file_stamp(Arena *arena, const char *path)
{
    struct stat s;
    if (stat(path, &s)) return "";
    return arena_printf(arena, "%llx-%llx-%llx-%llx", (unsigned long long)s.st_ino,
                        (unsigned long long)s.st_size, (unsigned long long)s.st_mtim.tv_sec,
                        (unsigned long long)s.st_mtim.tv_nsec);
}

bool is_changed(const Request *q, const char *path)
{
    const char *seen = http_value(q, "stamp", 0);
    return seen && *seen && strcmp(seen, file_stamp(q->arena, path)) != 0;
}

static bool find_kind(const char *word, AcausalEditKind *kind)
{
    static const char *const words[] = { [ACAUSAL_EDIT_ADD] = "add",
                                         [ACAUSAL_EDIT_REMOVE] = "remove",
                                         [ACAUSAL_EDIT_PLACE] = "place",
                                         [ACAUSAL_EDIT_CONNECT] = "connect",
                                         [ACAUSAL_EDIT_DISCONNECT] = "disconnect",
                                         [ACAUSAL_EDIT_ROUTE] = "route",
                                         [ACAUSAL_EDIT_SET] = "set",
                                         [ACAUSAL_EDIT_RENAME] = "rename",
                                         [ACAUSAL_EDIT_ANNOTATE] = "annotate" };
    for (size_t i = 0; word && i < COUNT_OF(words); i++)
        if (!strcmp(word, words[i])) return *kind = (AcausalEditKind)i, true;
    return false;
}

/* All changes of a request, one after the other; false: answered. */
static bool change_text(const Request *q, Response *r, AcausalSession *session, Text *text)
{
    const char *kind;
    for (size_t i = 0; (kind = http_value(q, "kind", i)); i++) {
        AcausalEdit edit = { .size = sizeof edit,
                             .name = http_value(q, "name", i),
                             .other = http_value(q, "other", i),
                             .text = http_value(q, "text", i),
                             .annotation = http_value(q, "annotation", i) };
        Text changed = { .arena = q->arena };
        if (!find_kind(kind, &edit.kind) || !edit.name) {
            answer(r, 400, "there is no such change");
            return false;
        }
        if (acausal_edit(session, text->at, class_of(q), &edit, add_piece, &changed) != ACAUSAL_DONE) {
            const char *why = acausal_first_error(session);
            answer(r, 409, "%s", why ? why : "this cannot be changed");
            return false;
        }
        *text = changed;
    }
    return true;
}

void post_edit(Server *s, const Request *q, Response *r)
{
    char why[300];
    Text text = { .arena = q->arena };
    if (s->directory.read_only) {
        answer(r, 403, "this studio changes no files");
        return;
    }
    const char *file = source_file(s, q, r);
    if (!file) return;
    AcausalSession *session = acausal_session_new();
    text_add_literal(&text, "");
    if (!session || !class_of(q) || !add_file_text(file, &text))
        answer(r, 404, "the source cannot be read, or is too large");
    else if (is_changed(q, file))
        answer(r, 409, "another program has changed this file; look at it first");
    else if (change_text(q, r, session, &text)) {
        if (!directory_save(file, (Str){ text.at, text.n }, why, sizeof why)) {
            answer(r, 409, "%s", why);
        } else {
            text_printf(&r->body, "{\"stamp\":\"%s\",\"text\":", file_stamp(q->arena, file));
            text_add_json(&r->body, (Str){ text.at, text.n });
            text_add_char(&r->body, '}');
        }
    }
    acausal_session_free(session);
}
