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

static void write_all(const Rt *rt, Out *out)
{
    const struct RtInstance *i = (const struct RtInstance *)rt;
    int64_t place = i->random_place;
    put(out, i->random, sizeof i->random);
    put(out, &place, sizeof place);
    put(out, &i->names.n, sizeof i->names.n);
    put(out, &rt->delay_count, sizeof rt->delay_count);
    for (uint32_t k = 0; k < rt->delay_count; k++) {
        const RtDelay *d = &rt->delays[k];
        int64_t head[3] = { d->n, d->from, d->is_free };
        put(out, head, sizeof head);
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

static int make_room(RtDelay *d, int64_t n)
{
    while (d->room < n)
        if (!rt_delay_grow(d)) return 0;
    return 1;
}

/* Reads the delays; with `takes`, into the instance, whose rooms are large enough then. */
static int read_delays(Rt *rt, In *in, int takes)
{
    for (uint32_t k = 0; k < rt->delay_count && !in->is_bad; k++) {
        RtDelay *d = &rt->delays[k];
        int64_t head[3] = { 0 };
        get_to(in, head, sizeof head);
        if (head[0] < 0 || (uint64_t)head[0] > in->left / 17 || head[1] < 0 || head[1] > head[0])
            in->is_bad = 1;
        if (in->is_bad) return 0;
        size_t n = (size_t)head[0];
        const void *t = get(in, n * sizeof *d->t), *v = get(in, n * sizeof *d->v), *jumps = get(in, n);
        if (in->is_bad || !make_room(d, head[0])) return 0;
        if (!takes) continue;
        if (n)
            memcpy(d->t, t, n * sizeof *d->t), memcpy(d->v, v, n * sizeof *d->v), memcpy(d->jumps, jumps, n);
        d->n = head[0], d->from = head[1], d->is_free = head[2] != 0;
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
    uint32_t names = 0, delays = 0;
    get_to(&in, random, sizeof random);
    get_to(&in, &place, sizeof place);
    get_to(&in, &names, sizeof names);
    get_to(&in, &delays, sizeof delays);
    if (in.is_bad || delays != rt->delay_count || place < 0 || place > 15) return 0;
    In second = in;
    if (!read_delays(rt, &in, 0) || !is_list(in.at, in.left, names)) return 0;
    read_delays(rt, &second, 1);
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
