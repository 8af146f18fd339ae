/* arena.c: memory that is freed all at once.
 *
 * An arena is a list of blocks; each new block is twice as large as the last, from 4 KiB up to 1
 * MiB, or as large as a single request needs. A mark remembers the place in the newest block;
 * rewinding frees the blocks made since. Always: what arena_alloc returned is aligned to 8 bytes.
 * Cost: O(1) an allocation. Growing an array in place works for the last allocation only, which is
 * the common case while a list is being read. Tests: tests/base/arena_test.c. */
#include "base/base.h"

#include <stdlib.h>
#include <unistd.h>

enum { FIRST_BLOCK = 4 << 10, LARGEST_BLOCK = 1 << 20 };

typedef struct ArenaBlock ArenaBlock;
struct ArenaBlock {
    ArenaBlock *before;
    char *end;
    char data[];
};

Arena *arena_new(void) { return calloc(1, sizeof(Arena)); }

/* To its wholes, which count their parts. */
static void count_part(Arena *arena, size_t taken, size_t given_back)
{
    while ((arena = arena->whole)) arena->parts_total += taken - given_back;
}

static void free_blocks_until(Arena *arena, const ArenaBlock *last)
{
    while (arena->block != last) {
        ArenaBlock *before = arena->block->before;
        size_t bytes = (size_t)(arena->block->end - (char *)arena->block);
        arena->total -= bytes;
        count_part(arena, 0, bytes);
        free(arena->block);
        arena->block = before;
    }
}

void arena_free(Arena *arena)
{
    if (!arena) return;
    while (arena->parts) arena_free(arena->parts);
    free_blocks_until(arena, NULL);
    for (Arena **at = arena->whole ? &arena->whole->parts : NULL; at && *at; at = &(*at)->next)
        if (*at == arena) {
            *at = arena->next;
            break;
        }
    free(arena);
}

void memory_give_up(void)
{
    static const char last_words[] = "acausal: out of memory\n";
    if (write(STDERR_FILENO, last_words, sizeof last_words - 1) < 0) abort();
    abort();
}

static void memory_is_out(const Arena *arena)
{
    for (; arena; arena = arena->whole)
        if (arena->escape) longjmp(*arena->escape, 1);
    memory_give_up();
}

Arena *arena_part(Arena *whole)
{
    Arena *arena = arena_new();
    if (!arena) memory_is_out(whole);
    arena->whole = whole;
    arena->next = whole->parts;
    whole->parts = arena;
    return arena;
}

static bool has_room(const Arena *arena, size_t want)
{
    for (; arena; arena = arena->whole)
        if (arena->limit && arena->total + arena->parts_total + want > arena->limit) return false;
    return true;
}

Arena *arena_scratch(void)
{
    Arena *arena = arena_new();
    if (!arena) memory_give_up();
    return arena;
}

void *arena_slow_alloc(Arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4) memory_is_out(arena);
    size_t last = arena->block ? (size_t)(arena->block->end - (char *)arena->block) : FIRST_BLOCK / 2;
    size_t want = size_max(size_min(last * 2, LARGEST_BLOCK), size + sizeof(ArenaBlock) + 8);
    if (!has_room(arena, want)) memory_is_out(arena);
    ArenaBlock *block = malloc(want);
    if (!block) memory_is_out(arena);
    block->before = arena->block;
    block->end = (char *)block + want;
    arena->block = block;
    arena->total += want;
    count_part(arena, want, 0);
    arena->at = block->data;
    arena->end = block->end;
    return arena_alloc(arena, size);
}

void *arena_zero_array(Arena *arena, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / 4 / size) memory_is_out(arena);
    return arena_zero(arena, n * size);
}

ArenaMark arena_mark(const Arena *arena) { return (ArenaMark){ arena->block, arena->at }; }

void arena_rewind(Arena *arena, ArenaMark mark)
{
    free_blocks_until(arena, mark.block);
    arena->at = mark.at;
    arena->end = mark.block ? mark.block->end : NULL;
}

char *arena_copy(Arena *arena, Str text)
{
    char *copy = arena_alloc(arena, text.n + 1);
    if (text.n) memcpy(copy, text.at, text.n);
    copy[text.n] = 0;
    return copy;
}

char *arena_printf(Arena *arena, const char *format, ...)
{
    Text text = { .arena = arena };
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    return text.at;
}

void *arena_grow(Arena *arena, void *old, size_t old_size, size_t new_size)
{
    size_t old_rounded = (old_size + 7) & ~(size_t)7, new_rounded = (new_size + 7) & ~(size_t)7;
    if (old && (char *)old + old_rounded == arena->at && new_rounded >= new_size &&
        new_rounded - old_rounded <= (size_t)(arena->end - arena->at)) {
        arena->at += new_rounded - old_rounded;
        return old;
    }
    void *larger = arena_alloc(arena, new_size);
    if (old_size) memcpy(larger, old, old_size);
    return larger;
}

void *vec_grow(Arena *arena, void *at, size_t item, uint32_t *room, uint32_t want)
{
    uint64_t larger = *room ? 2 * (uint64_t)*room : 4;
    if (larger < want) larger = want;
    if (larger > UINT32_MAX) memory_is_out(arena);
    at = arena_grow(arena, at, *room * item, (size_t)larger * item);
    *room = (uint32_t)larger;
    return at;
}
