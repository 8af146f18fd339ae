/* A parallel loop does each item once, whatever the number of threads. */
#include "base/base.h"
#include "test.h"

#include <stdatomic.h>

enum { ITEMS = 10000 };

typedef struct {
    atomic_int done[ITEMS];
    atomic_bool worker_too_large;
    unsigned threads;
} Work;

static void count(void *arg, size_t i, unsigned worker)
{
    Work *work = arg;
    atomic_fetch_add(&work->done[i], 1);
    if (worker >= work->threads) atomic_store(&work->worker_too_large, true);
}

int main(void)
{
    static const unsigned threads[] = { 1, 2, 3, 16, 1000 };
    for (size_t t = 0; t < COUNT_OF(threads); t++) {
        static Work work;
        memset(&work, 0, sizeof work);
        work.threads = threads[t];
        pool_each(threads[t], ITEMS, count, &work);
        bool once = true;
        for (size_t i = 0; i < ITEMS; i++) once &= atomic_load(&work.done[i]) == 1;
        CHECK(once);
        CHECK(!atomic_load(&work.worker_too_large));
    }
    Work none = { .threads = 2 };
    pool_each(2, 0, count, &none);
    CHECK(atomic_load(&none.done[0]) == 0);
    CHECK(cpu_count() >= 1);
    double wall = clock_wall();
    CHECK(clock_wall() >= wall && clock_cpu() > 0 && memory_peak() > 0);
    return test_end();
}
