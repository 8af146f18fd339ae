/* One text is one name, whichever thread asked first. */
#include "base/base.h"
#include "test.h"

#include <stdio.h>

enum { THREADS = 4, WORDS = 20000 };

typedef struct {
    Names *names;
    Name seen[THREADS][WORDS];
} Work;

static void intern_all(void *arg, size_t i, unsigned worker)
{
    Work *work = arg;
    (void)worker;
    for (size_t k = 0; k < WORDS; k++) {
        char word[32];
        size_t number = (k * 7919 + i * 13) % WORDS;
        int n = snprintf(word, sizeof word, "name%zu", number);
        work->seen[i][number] = name_of(work->names, (Str){ word, (size_t)n });
    }
}

int main(void)
{
    static Work work;
    work.names = names_new();
    pool_each(THREADS, THREADS, intern_all, &work);
    bool same = true, distinct = true, right = true;
    static bool ids[WORDS];
    for (size_t k = 0; k < WORDS; k++) {
        char word[32];
        snprintf(word, sizeof word, "name%zu", k);
        for (size_t i = 1; i < THREADS; i++) same &= work.seen[i][k] == work.seen[0][k];
        right &= !strcmp(name_text(work.seen[0][k]), word);
        uint32_t id = work.seen[0][k]->id;
        distinct &= id < WORDS && !ids[id < WORDS ? id : 0];
        if (id < WORDS) ids[id] = true;
    }
    CHECK(same);
    CHECK(right);
    CHECK(distinct);
    CHECK(names_count(work.names) == WORDS);
    CHECK(name_of(work.names, STR("")) == name_of(work.names, STR("")));
    names_free(work.names);
    return test_end();
}
