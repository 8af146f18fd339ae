/* A map finds what was put into it, and nothing else, while it grows. */
#include "base/base.h"
#include "test.h"

int main(void)
{
    Arena *arena = arena_new();
    Map map = { .arena = arena };
    uint64_t value;
    bool is_new;
    CHECK(!map_get(&map, 1, &value));
    for (uint64_t i = 0; i < 10000; i++) *map_put(&map, i * 8, NULL) = i;
    CHECK(map.n == 10000);
    bool all = true, none = true;
    for (uint64_t i = 0; i < 10000; i++) {
        all &= map_get(&map, i * 8, &value) && value == i;
        none &= !map_get(&map, i * 8 + 1, &value);
    }
    CHECK(all);
    CHECK(none);
    *map_put(&map, 16, &is_new) = 7;
    CHECK(!is_new && map.n == 10000);
    CHECK(map_get(&map, 16, &value) && value == 7);
    map_put(&map, UINT64_MAX, &is_new);
    CHECK(is_new);
    int here = 0;
    map_set_pointer(&map, &map, &here);
    CHECK(map_pointer(&map, &map) == &here);
    CHECK(map_pointer(&map, &here) == NULL);
    arena_free(arena);
    return test_end();
}
