/* An arena aligns, grows in place, gives back to a mark, and escapes when memory is out. */
#include "base/base.h"
#include "test.h"

static void check_alignment(void)
{
    Arena *arena = arena_new();
    bool aligned = true;
    for (size_t size = 0; size < 5000; size += 7) aligned &= (uintptr_t)arena_alloc(arena, size) % 8 == 0;
    CHECK(aligned);
    CHECK(*(long *)NEW(arena, long) == 0);
    arena_free(arena);
}

static void check_marks(void)
{
    Arena *arena = arena_new();
    char *kept = arena_copy(arena, STR("kept"));
    size_t total = arena->total;
    ArenaMark mark = arena_mark(arena);
    for (int i = 0; i < 100; i++) memset(arena_alloc(arena, 100000), i, 100000);
    CHECK(arena->total > total);
    arena_rewind(arena, mark);
    CHECK(arena->total == total);
    CHECK_TEXT(kept, "kept");
    CHECK((char *)arena_alloc(arena, 8) == mark.at);
    arena_free(arena);
}

static void check_growth(void)
{
    Arena *arena = arena_new();
    char *first = arena_alloc(arena, 8);
    CHECK(arena_grow(arena, first, 8, 64) == first);
    char *second = arena_alloc(arena, 8);
    memset(first, 'x', 64);
    char *moved = arena_grow(arena, first, 64, 128);
    CHECK(moved != first && moved != second && moved[63] == 'x');
    VEC(uint32_t) v = { 0 };
    for (uint32_t i = 0; i < 100000; i++) vec_push(arena, &v, i);
    CHECK(v.n == 100000 && v.at[0] == 0 && v.at[99999] == 99999);
    arena_free(arena);
}

/* Every allocation past the limit jumps to the escape: the caller can free all and report. */
static void check_escape(void)
{
    Arena *volatile arena = arena_new();
    jmp_buf out;
    volatile int jumps = 0;
    arena->escape = &out;
    arena->limit = 100000;
    if (setjmp(out)) jumps++;
    if (jumps == 0)
        for (;;) arena_alloc(arena, 1000);
    CHECK(jumps == 1 && arena->total <= 100000);
    if (setjmp(out)) jumps++;
    if (jumps == 1) arena_zero_array(arena, SIZE_MAX / 4, 16);
    CHECK(jumps == 2);
    arena_free(arena);
}

/* Parts count against the limit of their whole, go where it goes when memory is out, and are freed
 * with it, or before it. */
static void check_parts(void)
{
    Arena *volatile whole = arena_new();
    Arena *volatile inner = NULL;
    jmp_buf out;
    volatile int jumps = 0;
    whole->escape = &out;
    whole->limit = 100000;
    Arena *first = arena_part(whole), *second = arena_part(whole);
    arena_alloc(first, 20000);
    arena_alloc(second, 20000);
    CHECK(whole->parts_total == first->total + second->total && whole->parts_total >= 40000);
    arena_free(first);
    CHECK(whole->parts_total == second->total && whole->parts == second);
    inner = arena_part(second);
    if (setjmp(out)) jumps++;
    if (jumps == 0)
        for (;;) arena_alloc(inner, 1000);
    CHECK(jumps == 1 && whole->total + whole->parts_total <= 100000 && inner->total > 50000);
    ArenaMark mark = arena_mark(second);
    arena_alloc(second, 5);
    arena_rewind(second, mark);
    arena_free(inner);
    CHECK(whole->parts_total == second->total);
    arena_free(whole);
}

int main(void)
{
    check_alignment();
    check_marks();
    check_growth();
    check_escape();
    check_parts();
    return test_end();
}
