/* save.c: what an instance of the run-time remembers, as bytes: numbers of strings, the past of
 * signals, the impure generator.
 *
 * Objects are not saved: they belong to the system. Always: restoring checks all sizes before
 * anything is changed, so bytes that are no state leave the instance as it was. Tests:
 * tests/run/save_test.c. */
#include "rt/inside.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    char *at;
    size_t used;
} Out;

static void put(Out *out, const void *from, size_t n)
{
    if (out->at && n) memcpy(out->at + out->used, from, n);
    out->used += n;
}

enum { HEAD = 5, NUMBERS = 4 }; /* of a history */

static void write_all(const Rt *rt, Out *out)
{
    const struct RtInstance *i = (const struct RtInstance *)rt;
    int64_t place = i->random_place;
    put(out, i->random, sizeof i->random);
    put(out, &place, sizeof place);
    put(out, &i->names.n, sizeof i->names.n);
    put(out, &rt->history_count, sizeof rt->history_count);
    for (uint32_t k = 0; k < rt->history_count; k++) {
        const RtHistory *d = &rt->histories[k];
        int64_t head[HEAD] = { d->n, d->from, d->to, d->flags, d->is_down };
        double numbers[NUMBERS] = { d->largest, d->key, d->time, d->rate };
        put(out, head, sizeof head);
        put(out, numbers, sizeof numbers);
        put(out, d->t, (size_t)d->n * sizeof *d->t);
        put(out, d->v, (size_t)d->n * sizeof *d->v);
        put(out, d->jumps, (size_t)d->n);
    }
    for (uint32_t k = 0; k < i->names.n; k++) put(out, i->names.at[k], strlen(i->names.at[k]) + 1);
}

size_t rt_save_size(const Rt *rt)
{
    Out out = { NULL, 0 };
    write_all(rt, &out);
    return out.used;
}

void rt_save(const Rt *rt, void *to)
{
    Out out = { to, 0 };
    write_all(rt, &out);
}

typedef struct {
    const char *at;
    size_t left;
    int is_bad;
} In;

static const void *get(In *in, size_t n)
{
    const char *at = in->at;
    if (in->is_bad || in->left < n) {
        in->is_bad = 1;
        return NULL;
    }
    in->at += n;
    in->left -= n;
    return at;
}

static void get_to(In *in, void *to, size_t n)
{
    const void *from = get(in, n);
    if (from && n) memcpy(to, from, n);
}

static int make_room(RtHistory *d, int64_t n)
{
    while (d->room < n)
        if (!rt_history_grow(d)) return 0;
    return 1;
}

/* Reads the histories; with `takes`, into the instance, whose rooms are large enough then. */
static int read_histories(Rt *rt, In *in, int takes)
{
    for (uint32_t k = 0; k < rt->history_count && !in->is_bad; k++) {
        RtHistory *d = &rt->histories[k];
        int64_t head[HEAD] = { 0 };
        double numbers[NUMBERS] = { 0 };
        get_to(in, head, sizeof head);
        get_to(in, numbers, sizeof numbers);
        if (head[0] < 0 || (uint64_t)head[0] > in->left / 17) in->is_bad = 1;
        for (int j = 1; j <= 2; j++) /* from, to */
            if (head[j] < 0 || (head[j] > 0 && head[j] >= head[0])) in->is_bad = 1;
        if (in->is_bad) return 0;
        size_t n = (size_t)head[0];
        const void *t = get(in, n * sizeof *d->t), *v = get(in, n * sizeof *d->v), *jumps = get(in, n);
        if (in->is_bad || !make_room(d, head[0])) return 0;
        if (!takes) continue;
        if (n)
            memcpy(d->t, t, n * sizeof *d->t), memcpy(d->v, v, n * sizeof *d->v), memcpy(d->jumps, jumps, n);
        d->n = head[0], d->from = head[1], d->to = head[2], d->flags = (int)head[3],
        d->is_down = head[4] != 0;
        d->largest = numbers[0], d->key = numbers[1], d->time = numbers[2], d->rate = numbers[3];
    }
    return !in->is_bad;
}

static int is_list(const char *at, size_t n, uint32_t count)
{
    uint32_t found = 0;
    for (size_t k = 0; k < n; k++) found += at[k] == 0;
    return found == count && (n == 0 || at[n - 1] == 0);
}

int rt_restore(Rt *rt, const void *from, size_t size)
{
    struct RtInstance *i = (struct RtInstance *)rt;
    In in = { from, size, 0 };
    uint64_t random[16];
    int64_t place = 0;
    uint32_t names = 0, histories = 0;
    get_to(&in, random, sizeof random);
    get_to(&in, &place, sizeof place);
    get_to(&in, &names, sizeof names);
    get_to(&in, &histories, sizeof histories);
    if (in.is_bad || histories != rt->history_count || place < 0 || place > 15) return 0;
    In second = in;
    if (!read_histories(rt, &in, 0) || !is_list(in.at, in.left, names)) return 0;
    read_histories(rt, &second, 1);
    memcpy(i->random, random, sizeof random);
    i->random_place = (int)place;
    rt_forget_names(rt);
    for (uint32_t k = 0; k < names; k++) {
        RtCell cells[2] = { { .s = in.at }, { .r = 0 } };
        if (rt_string_id(rt, cells) != RT_OK) return 0;
        in.at += strlen(in.at) + 1;
    }
    return 1;
}
