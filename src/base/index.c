/* index.c: names and what they stand for, found in constant time.
 *
 * The first one of equal names counts. How: a map from hashes; names whose hashes are equal take
 * the next keys. Tests: tests/base/index_test.c. */
#include "base/base.h"

static uint64_t key_of(const char *name, uint32_t attempt)
{
    return (uint64_t)name_hash(str_of(name)) << 32 | attempt;
}

bool index_add(NameIndex *x, Arena *arena, const char *name, uint32_t value)
{
    x->map.arena = arena;
    for (uint32_t attempt = 0;; attempt++) {
        bool is_new;
        uint64_t *at = map_put(&x->map, key_of(name, attempt), &is_new);
        if (is_new) {
            *at = x->names.n;
            vec_push(arena, &x->names, ((IndexedName){ name, value }));
            return true;
        }
        if (!strcmp(x->names.at[*at].name, name)) return false;
    }
}

bool index_find(const NameIndex *x, const char *name, uint32_t *value)
{
    uint64_t at;
    for (uint32_t attempt = 0; map_get(&x->map, key_of(name, attempt), &at); attempt++)
        if (!strcmp(x->names.at[at].name, name)) {
            *value = x->names.at[at].value;
            return true;
        }
    return false;
}
