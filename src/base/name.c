/* name.c: interned names, shared by all threads of a session.
 *
 * The table is split into shards by the top bits of the hash; each has its own lock, arena and
 * open-addressing slots, so that two parsers seldom meet. Always: one text, one pointer, for the
 * life of the table. Cost: O(1) expected. The lexer keeps a small cache in front of this
 * (syntax/lex.c). Tests: tests/base/name_test.c. */
#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SHARD_BITS = 5, SHARDS = 1 << SHARD_BITS, FIRST_ROOM = 256 };

typedef struct {
    pthread_mutex_t lock;
    Arena *arena;
    NameText **slots;
    uint32_t n, room;
} Shard;

struct Names {
    Shard shards[SHARDS];
    atomic_uint count;
};

/* FNV-1a. Slots use its low bits; shards the top ones of a product, which depend on all of them. */
uint32_t name_hash(Str text)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < text.n; i++) h = (h ^ (unsigned char)text.at[i]) * 16777619u;
    return h;
}

Names *names_new(void)
{
    Names *names = calloc(1, sizeof *names);
    if (!names) return NULL;
    bool whole = true;
    for (size_t i = 0; i < SHARDS; i++) {
        Shard *s = &names->shards[i];
        pthread_mutex_init(&s->lock, NULL);
        s->room = FIRST_ROOM;
        s->arena = arena_new();
        s->slots = calloc(FIRST_ROOM, sizeof(NameText *));
        whole &= s->arena && s->slots;
    }
    if (whole) return names;
    names_free(names);
    return NULL;
}

void names_free(Names *names)
{
    if (!names) return;
    for (size_t i = 0; i < SHARDS; i++) {
        arena_free(names->shards[i].arena);
        free(names->shards[i].slots);
        pthread_mutex_destroy(&names->shards[i].lock);
    }
    free(names);
}

uint32_t names_count(const Names *names) { return atomic_load(&names->count); }

static void grow_shard(Shard *s)
{
    uint32_t room = 2 * s->room;
    NameText **slots = calloc(room, sizeof(NameText *));
    if (!slots && s->n + 1 < s->room) return; /* it is full later */
    if (!slots) memory_give_up();
    for (uint32_t i = 0; i < s->room; i++) {
        if (!s->slots[i]) continue;
        uint32_t at = s->slots[i]->hash & (room - 1);
        while (slots[at]) at = (at + 1) & (room - 1);
        slots[at] = s->slots[i];
    }
    free(s->slots);
    s->slots = slots;
    s->room = room;
}

static Name find_or_add(Names *names, Shard *s, Str text, uint32_t hash)
{
    uint32_t at = hash & (s->room - 1);
    for (; s->slots[at]; at = (at + 1) & (s->room - 1))
        if (s->slots[at]->hash == hash && str_equal(name_str(s->slots[at]), text)) return s->slots[at];
    NameText *name = arena_alloc(s->arena, sizeof *name + text.n + 1);
    *name = (NameText){ .id = atomic_fetch_add(&names->count, 1), .hash = hash, .n = (uint32_t)text.n };
    if (text.n) memcpy(name->text, text.at, text.n);
    name->text[text.n] = 0;
    s->slots[at] = name;
    if (++s->n * 4 > s->room * 3) grow_shard(s);
    return name;
}

Name name_of_hashed(Names *names, Str text, uint32_t hash)
{
    Shard *s = &names->shards[(hash * 0x9E3779B1u) >> (32 - SHARD_BITS)];
    pthread_mutex_lock(&s->lock);
    Name name = find_or_add(names, s, text, hash);
    pthread_mutex_unlock(&s->lock);
    return name;
}

Name name_of(Names *names, Str text) { return name_of_hashed(names, text, name_hash(text)); }
