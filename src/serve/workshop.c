/* workshop.c: translated models that wait for their next run.
 *
 * In: a source and a class. Out: a session with its model, for one user at a time. A model that is
 * given back waits until it is asked for again, until a file of the directory changes, or until
 * MOST_WAITING others came after it. Always: a bench is in one hand only, so that a session belongs
 * to one thread. Tests: tests/serve/serve.py. */
#include "serve/inside.h"

#include <stdlib.h>

enum { MOST_WAITING = 6 };

struct Workshop {
    const Directory *directory;
    const char *const *libraries, *const *trusted;
    size_t library_count, trusted_count;
    pthread_mutex_t lock;
    Bench *waiting[MOST_WAITING]; /* the oldest first */
    size_t n;
};

Workshop *workshop_new(const Directory *d, const AcausalServe *o)
{
    Workshop *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    *w = (Workshop){ .directory = d,
                     .libraries = o->libraries,
                     .library_count = o->library_count,
                     .trusted = o->trusted,
                     .trusted_count = o->trusted_count };
    pthread_mutex_init(&w->lock, NULL);
    return w;
}

static void bench_free(Bench *b)
{
    if (!b) return;
    acausal_model_free(b->model);
    acausal_session_free(b->session);
    free(b->key);
    free(b);
}

void workshop_free(Workshop *w)
{
    if (!w) return;
    for (size_t i = 0; i < w->n; i++) bench_free(w->waiting[i]);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

AcausalSession *workshop_session(Workshop *w)
{
    AcausalSession *s = acausal_session_new();
    if (s) acausal_switch(s, ACAUSAL_TRUST_SOURCE, false);
    for (size_t i = 0; s && i < w->trusted_count; i++) acausal_trust(s, w->trusted[i]);
    for (size_t i = 0; s && i < w->library_count; i++) acausal_add_library_path_list(s, w->libraries[i]);
    if (s) acausal_add_library_path(s, w->directory->libraries);
    return s;
}

static Bench *take_at(Workshop *w, size_t i)
{
    Bench *b = w->waiting[i];
    memmove(w->waiting + i, w->waiting + i + 1, (w->n - i - 1) * sizeof *w->waiting);
    w->n--;
    return b;
}

static Bench *bench_new(Workshop *w, Arena *arena, const char *source, const char *class_name, char *key,
                        uint64_t stamp)
{
    const char *path = directory_find(w->directory, arena, source);
    Bench *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    *b = (Bench){ .session = workshop_session(w), .key = key, .stamp = stamp };
    if (b->session && path)
        b->model = acausal_compile(b->session, path, directory_is_fmu(source) ? NULL : class_name);
    return b;
}

Bench *workshop_take(Workshop *w, const char *source, const char *class_name)
{
    Arena *arena = arena_new();
    if (!arena) return NULL;
    uint64_t stamp = directory_stamp(w->directory, arena);
    char *key = strdup(arena_printf(arena, "%s\n%s", source, class_name ? class_name : ""));
    Bench *found = NULL;
    pthread_mutex_lock(&w->lock);
    for (size_t i = w->n; key && !found && i > 0; i--)
        if (!strcmp(w->waiting[i - 1]->key, key) && w->waiting[i - 1]->stamp == stamp)
            found = take_at(w, i - 1);
    pthread_mutex_unlock(&w->lock);
    if (found) {
        free(key);
        acausal_clear_diagnostics(found->session);
    } else if (key) {
        found = bench_new(w, arena, source, class_name, key, stamp);
    }
    arena_free(arena);
    return found;
}

void workshop_give(Workshop *w, Bench *b)
{
    Bench *old = NULL;
    if (!b) return;
    if (!b->model) {
        bench_free(b);
        return;
    }
    pthread_mutex_lock(&w->lock);
    if (w->n == MOST_WAITING) old = take_at(w, 0);
    w->waiting[w->n++] = b;
    pthread_mutex_unlock(&w->lock);
    bench_free(old);
}
