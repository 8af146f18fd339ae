/* pool.c: one parallel loop. Threads live as long as the call; the caller's thread works too, as
 * worker 0. If a thread cannot be made, the others do its share. Tests: tests/base/pool_test.c. */
#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MOST_THREADS = 64 };

typedef struct {
    atomic_size_t next;
    size_t count;
    void (*work)(void *arg, size_t i, unsigned worker);
    void *arg;
} Loop;

typedef struct {
    Loop *loop;
    unsigned number;
} Worker;

static void *run_worker(void *pointer)
{
    const Worker *worker = pointer;
    Loop *loop = worker->loop;
    for (size_t i; (i = atomic_fetch_add(&loop->next, 1)) < loop->count;)
        loop->work(loop->arg, i, worker->number);
    return NULL;
}

void pool_each(unsigned threads, size_t count, void (*work)(void *arg, size_t i, unsigned worker), void *arg)
{
    Loop loop = { .count = count, .work = work, .arg = arg };
    Worker workers[MOST_THREADS];
    pthread_t ids[MOST_THREADS];
    unsigned started = 1, wanted = threads < MOST_THREADS ? threads : MOST_THREADS;
    workers[0] = (Worker){ &loop, 0 };
    for (; started < wanted && started < count; started++) {
        workers[started] = (Worker){ &loop, started };
        if (pthread_create(&ids[started], NULL, run_worker, &workers[started])) break;
    }
    run_worker(&workers[0]);
    for (unsigned i = 1; i < started; i++) pthread_join(ids[i], NULL);
}
