/* looks.c: a session that looks at classes, and the search through all of them.
 *
 * In: libraries and the studio's directory. Out: one session for one request at a time, which keeps
 * the files that it has read until one of the directory changes; and an index of names and
 * descriptions, made by a thread when the server begins. No foreign code runs. Cost: a search is
 * linear in the classes: some milliseconds for MSL. Tests: tests/serve/studio.py. */
#include "serve/inside.h"

#include <ctype.h>
#include <stdlib.h>

enum { MOST_USES = 1000, MOST_FOUND = 80, MOST_WORDS = 8 };

typedef struct {
    const char *name, *kind, *description;
    const char *search; /* name and description in small letters, with a line end between them */
    uint16_t last;      /* where the last part of the name begins */
    bool is_example, is_partial, has_experiment;
} Known;

typedef struct {
    Arena *arena;
    VEC(Known) classes;
} Index;

struct Looks {
    Workshop *workshop;
    const Directory *directory;
    pthread_mutex_t lock; /* of the session */
    AcausalSession *session;
    uint64_t stamp;
    unsigned uses;
    pthread_mutex_t search_lock; /* of all that follows */
    Index libraries, own;
    bool libraries_known;
    uint64_t own_stamp;
    pthread_t thread;
    bool has_thread;
};

/* ---- the session ----------------------------------------------------------------------------- */

static uint64_t stamp_now(const Looks *l)
{
    Arena *arena = arena_new();
    uint64_t stamp = arena ? directory_stamp(l->directory, arena) : 0;
    arena_free(arena);
    return stamp;
}

AcausalSession *looks_take(Looks *l)
{
    pthread_mutex_lock(&l->lock);
    uint64_t stamp = stamp_now(l);
    if (l->session && (stamp != l->stamp || l->uses > MOST_USES)) {
        acausal_session_free(l->session);
        l->session = NULL;
    }
    if (!l->session) {
        l->session = workshop_session(l->workshop);
        l->stamp = stamp;
        l->uses = 0;
    }
    l->uses++;
    if (l->session) acausal_clear_diagnostics(l->session);
    if (!l->session) pthread_mutex_unlock(&l->lock);
    return l->session;
}

void looks_give(Looks *l) { pthread_mutex_unlock(&l->lock); }

/* ---- the index ------------------------------------------------------------------------------- */

static void add_known(void *arg, const AcausalClass *c)
{
    Index *index = arg;
    Text search = { .arena = index->arena };
    const char *dot = strrchr(c->name, '.');
    size_t last = dot ? (size_t)(dot - c->name) + 1 : 0;
    if (last > UINT16_MAX) return;
    text_printf(&search, "%s\n%s", c->name, c->description);
    for (size_t i = 0; i < search.n; i++) search.at[i] = (char)tolower((unsigned char)search.at[i]);
    Known known = { .name = arena_copy(index->arena, str_of(c->name)),
                    .kind = arena_copy(index->arena, str_of(c->kind)),
                    .description = arena_copy(index->arena, str_of(c->description)),
                    .search = search.at,
                    .last = (uint16_t)last,
                    .is_example = c->is_example,
                    .is_partial = c->is_partial,
                    .has_experiment = c->has_experiment };
    vec_push(index->arena, &index->classes, known);
}

typedef struct {
    const Looks *looks;
    Arena *arena;
    bool own; /* roots in the directory, or the others */
    VEC(const char *) paths;
} Roots;

static void add_root(void *arg, const AcausalClass *c)
{
    Roots *roots = arg;
    const char *real = c->library ? path_real(roots->arena, c->library) : NULL;
    size_t n = strlen(roots->looks->directory->path);
    bool inside = real && !strncmp(real, roots->looks->directory->path, n) && (!real[n] || real[n] == '/');
    if (real && inside == roots->own) vec_push(roots->arena, &roots->paths, real);
}

static void build(const Looks *l, Index *index, bool own)
{
    AcausalSession *session = workshop_session(l->workshop);
    arena_free(index->arena);
    *index = (Index){ .arena = arena_new() };
    Roots roots = { .looks = l, .arena = index->arena, .own = own };
    if (!session || !index->arena) {
        acausal_session_free(session);
        return;
    }
    acausal_inner_classes(session, NULL, add_root, &roots);
    for (uint32_t i = 0; i < roots.paths.n; i++)
        acausal_classes(session, roots.paths.at[i], add_known, index);
    acausal_session_free(session);
}

static void *build_libraries(void *arg)
{
    Looks *l = arg;
    pthread_mutex_lock(&l->search_lock);
    if (!l->libraries_known) build(l, &l->libraries, false);
    l->libraries_known = true;
    pthread_mutex_unlock(&l->search_lock);
    return NULL;
}

/* ---- searching ------------------------------------------------------------------------------- */

typedef struct {
    const Known *known;
    unsigned score; /* less is better */
} Found;

/* Where a word was found says how likely this class is meant. UINT_MAX: not at all. */
static unsigned word_score(const Known *k, const char *word)
{
    const char *last = k->search + k->last, *at = strstr(last, word), *line = strchr(last, '\n');
    size_t n = strlen(word);
    if (at == last && at + n == line) return 0;
    if (at == last) return 1;
    if (at && at < line) return 2;
    at = strstr(k->search, word);
    return !at ? UINT32_MAX : at < line ? 3 : 4;
}

static unsigned score_of(const Known *k, char *const *words, size_t n)
{
    unsigned score = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned own = word_score(k, words[i]);
        if (own == UINT32_MAX) return own;
        score += own;
    }
    return score * 1000 + (unsigned)size_min(strlen(k->name), 999);
}

static size_t search_in(const Index *index, char *const *words, size_t n, Found *found, size_t count)
{
    for (uint32_t i = 0; i < index->classes.n; i++) {
        Found f = { &index->classes.at[i], score_of(&index->classes.at[i], words, n) };
        if (f.score == UINT32_MAX) continue;
        if (count == MOST_FOUND && found[count - 1].score <= f.score) continue;
        size_t at = count < MOST_FOUND ? count++ : count - 1;
        for (; at && found[at - 1].score > f.score; at--) found[at] = found[at - 1];
        found[at] = f;
    }
    return count;
}

static void add_found(const Found *f, Text *out)
{
    text_add_literal(out, "[");
    text_add_json(out, str_of(f->known->name));
    text_add_char(out, ',');
    text_add_json(out, str_of(f->known->kind));
    text_add_char(out, ',');
    text_add_json(out, str_of(f->known->description));
    text_printf(out, ",\"%s%s%s\"]", f->known->is_example ? "e" : "", f->known->is_partial ? "p" : "",
                f->known->has_experiment ? "x" : "");
}

void looks_search(Looks *l, const char *query, Text *out)
{
    char copy[200], *words[MOST_WORDS], *rest = NULL;
    Found found[MOST_FOUND];
    size_t n = 0, count = 0;
    for (n = 0; query[n] && n + 1 < sizeof copy; n++) copy[n] = (char)tolower((unsigned char)query[n]);
    copy[n] = 0;
    n = 0;
    for (char *w = strtok_r(copy, " \t", &rest); w && n < MOST_WORDS; w = strtok_r(NULL, " \t", &rest))
        words[n++] = w;
    pthread_mutex_lock(&l->search_lock);
    uint64_t stamp = stamp_now(l);
    if (!l->own.arena || stamp != l->own_stamp) build(l, &l->own, true);
    l->own_stamp = stamp;
    if (n) count = search_in(&l->own, words, n, found, count);
    if (n) count = search_in(&l->libraries, words, n, found, count);
    text_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) text_add_char(out, ',');
        add_found(&found[i], out);
    }
    text_add_char(out, ']');
    pthread_mutex_unlock(&l->search_lock);
}

/* ---- from start to end ----------------------------------------------------------------------- */

Looks *looks_new(Workshop *workshop, const Directory *directory)
{
    Looks *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->workshop = workshop;
    l->directory = directory;
    pthread_mutex_init(&l->lock, NULL);
    pthread_mutex_init(&l->search_lock, NULL);
    return l;
}

void looks_begin(Looks *l) { l->has_thread = !pthread_create(&l->thread, NULL, build_libraries, l); }

void looks_free(Looks *l)
{
    if (!l) return;
    if (l->has_thread) pthread_join(l->thread, NULL);
    acausal_session_free(l->session);
    arena_free(l->libraries.arena);
    arena_free(l->own.arena);
    pthread_mutex_destroy(&l->lock);
    pthread_mutex_destroy(&l->search_lock);
    free(l);
}
