/* overtime.c: one thread that looks now and then whether work of others takes too long.
 *
 * In: questions and what to do about them. How: a list under a lock; the thread begins with the
 * first entry and sleeps while there is none. Always: after overtime_end returns neither
 * function of the entry is called again. Cost: two locks an entry, ten questions a second.
 * Tests: tests/base/overtime_test.c, tests/cli/limits.sh. */
#include "base/base.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

static const long TICK = 100000000; /* nanoseconds */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    Overtime *first;
    bool is_running;
} looker = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, false };

/* It has to be so twice in a row: work that looks by itself has stopped by then. */
static void ask(Overtime *w)
{
    w->times = w->is_over(w->arg) ? w->times + 1 : 0;
    if (w->times > 1) w->cut(w->arg);
}

static void *look(void *unused)
{
    struct timespec tick = { 0, TICK };
    pthread_mutex_lock(&looker.lock);
    for (;;) {
        while (!looker.first) pthread_cond_wait(&looker.filled, &looker.lock);
        for (Overtime *w = looker.first; w; w = w->next) ask(w);
        pthread_mutex_unlock(&looker.lock);
        nanosleep(&tick, NULL);
        pthread_mutex_lock(&looker.lock);
    }
    return unused;
}

/* Signals are for the threads of the program. */
static void start(void)
{
    pthread_t id;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (looker.is_running || pthread_attr_init(&attributes)) return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    looker.is_running = !pthread_create(&id, &attributes, look, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

void overtime_begin(Overtime *w)
{
    pthread_mutex_lock(&looker.lock);
    w->times = 0;
    w->next = looker.first;
    looker.first = w;
    start();
    pthread_cond_signal(&looker.filled);
    pthread_mutex_unlock(&looker.lock);
}

void overtime_end(Overtime *w)
{
    pthread_mutex_lock(&looker.lock);
    Overtime **at = &looker.first;
    while (*at && *at != w) at = &(*at)->next;
    if (*at) *at = w->next;
    pthread_mutex_unlock(&looker.lock);
}
