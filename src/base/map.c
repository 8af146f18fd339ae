/* map.c: an open-addressing hash map from 64-bit keys to 64-bit values, in an arena.
 *
 * Linear probing, at most three quarters full, sizes are powers of two. Nothing is ever removed.
 * Slots of an old size stay in the arena until that is freed: at most as much again. Tests:
 * tests/base/map_test.c. */
#include "base/base.h"

typedef struct MapSlot {
    uint64_t key, value;
    bool used;
} MapSlot;

static uint32_t first_slot(uint64_t key, uint32_t room)
{
    key ^= key >> 32;
    return (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 32) & (room - 1);
}

static MapSlot *find_slot(MapSlot *slots, uint32_t room, uint64_t key)
{
    uint32_t at = first_slot(key, room);
    while (slots[at].used && slots[at].key != key) at = (at + 1) & (room - 1);
    return &slots[at];
}

bool map_get(const Map *map, uint64_t key, uint64_t *value)
{
    if (map->n == 0) return false;
    const MapSlot *slot = find_slot(map->slots, map->room, key);
    if (slot->used) *value = slot->value;
    return slot->used;
}

static void grow(Map *map)
{
    uint32_t room = map->room ? 2 * map->room : 16;
    MapSlot *slots = NEW_ARRAY(map->arena, MapSlot, room);
    for (uint32_t i = 0; i < map->room; i++)
        if (map->slots[i].used) *find_slot(slots, room, map->slots[i].key) = map->slots[i];
    map->slots = slots;
    map->room = room;
}

uint64_t *map_put(Map *map, uint64_t key, bool *is_new)
{
    if (4 * (map->n + 1) > 3 * map->room) grow(map);
    MapSlot *slot = find_slot(map->slots, map->room, key);
    if (is_new) *is_new = !slot->used;
    if (!slot->used) {
        *slot = (MapSlot){ .key = key, .used = true };
        map->n++;
    }
    return &slot->value;
}

void *map_pointer(const Map *map, const void *key)
{
    uint64_t value;
    return map_get(map, map_key(key), &value) ? (void *)(uintptr_t)value : NULL;
}

void map_set_pointer(Map *map, const void *key, void *value)
{
    *map_put(map, map_key(key), NULL) = map_key(value);
}
