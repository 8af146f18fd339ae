/* arena.h: memory with a lifetime, and arrays that grow in it. */
#ifndef ACAUSAL_BASE_ARENA_H
#define ACAUSAL_BASE_ARENA_H

#include "base/common.h"

#include <setjmp.h>

/* ---- arena.c: memory with a lifetime --------------------------------------------------------- */

/* An arena hands out memory that is freed all at once. When the system has no more, it jumps to
 * `escape` if that is set (the caller then frees the arena and reports); otherwise it says so and
 * aborts. Not for several threads. */
typedef struct Arena Arena;
struct ArenaBlock;
struct Arena {
    struct ArenaBlock *block; /* the one in use; older ones are linked after it */
    char *at, *end;
    size_t total;    /* bytes taken from the system */
    size_t limit;    /* at most this many; 0 is no limit */
    jmp_buf *escape; /* where to go when memory is out; of a part: NULL is where its whole goes */
    /* a part shares the limit of its whole, and goes when that goes, at the latest */
    Arena *whole, *parts, *next;
    size_t parts_total; /* bytes of all parts, and of theirs */
};

typedef struct {
    struct ArenaBlock *block;
    char *at;
} ArenaMark;

_Noreturn void memory_give_up(void); /* where nobody can go on: says so and aborts */
Arena *arena_new(void);              /* NULL when memory is out */
Arena *arena_scratch(void);          /* never NULL: gives up, as its allocations would */
Arena *arena_part(Arena *whole);     /* never NULL; for what is freed before it, or not */
void arena_free(Arena *arena);
void *arena_slow_alloc(Arena *arena, size_t size);
ArenaMark arena_mark(const Arena *arena);
void arena_rewind(Arena *arena, ArenaMark mark); /* gives back all that was taken since the mark */
char *arena_copy(Arena *arena, Str text);        /* terminated */
char *arena_printf(Arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
/* Makes the block of `old_size` bytes at `old` larger; in place where it was the last one. */
void *arena_grow(Arena *arena, void *old, size_t old_size, size_t new_size);

/* `size` bytes, aligned to 8, not cleared. */
static inline void *arena_alloc(Arena *arena, size_t size)
{
    /* so that nothing is a place of its own, too */
    size_t rounded = ((size ? size : 1) + 7) & ~(size_t)7;
    if (rounded < size || rounded > (size_t)(arena->end - arena->at)) return arena_slow_alloc(arena, size);
    char *at = arena->at;
    arena->at += rounded;
    return at;
}

static inline void *arena_zero(Arena *arena, size_t size)
{
    return memset(arena_alloc(arena, size), 0, size);
}

/* `n` items of a type, cleared; an overflow of the product counts as memory that is out. */
void *arena_zero_array(Arena *arena, size_t n, size_t size);
#define NEW(arena, T) ((T *)arena_zero((arena), sizeof(T)))
#define NEW_ARRAY(arena, T, n) ((T *)arena_zero_array((arena), (n), sizeof(T)))

/* ---- typed dynamic arrays -------------------------------------------------------------------- */

/* VEC(T) is a struct that starts as all zeros; its items live in the arena given to vec_push. */
#define VEC(T)            \
    struct {              \
        T *at;            \
        uint32_t n, room; \
    }
#define vec_push(arena, v, item)                                                            \
    do {                                                                                    \
        if ((v)->n == (v)->room)                                                            \
            (v)->at = vec_grow((arena), (v)->at, sizeof(*(v)->at), &(v)->room, (v)->n + 1); \
        (v)->at[(v)->n++] = (item);                                                         \
    } while (0)
/* Room for at least `want` items. */
#define vec_reserve(arena, v, want)                                                                         \
    do {                                                                                                    \
        if ((v)->room < (want)) (v)->at = vec_grow((arena), (v)->at, sizeof(*(v)->at), &(v)->room, (want)); \
    } while (0)
void *vec_grow(Arena *arena, void *at, size_t item, uint32_t *room, uint32_t want);

#endif
