/* Names are found by what they were added with, the first of equal ones counts, and many do not get
 * in each other's way. */
#include "base/base.h"
#include "test.h"

int main(void)
{
    enum { MANY = 20000 };
    Arena *arena = arena_new();
    NameIndex index = { 0 };
    uint32_t value = 7, found = 0;
    CHECK(!index_find(&index, "a", &value) && value == 7);
    CHECK(index_add(&index, arena, "a", 1) && !index_add(&index, arena, "a", 2));
    CHECK(index_find(&index, "a", &value) && value == 1);
    for (uint32_t k = 0; k < MANY; k++)
        index_add(&index, arena, arena_printf(arena, "name %u", (unsigned)k), k);
    for (uint32_t k = 0; k < MANY; k++)
        found += index_find(&index, arena_printf(arena, "name %u", (unsigned)k), &value) && value == k;
    CHECK(found == MANY);
    CHECK(index.names.n == MANY + 1 && !strcmp(index.names.at[1].name, "name 0"));
    CHECK(!index_find(&index, "name", &value));
    arena_free(arena);
    return test_end();
}
