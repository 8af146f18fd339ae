/* names.c: strings and external objects as numbers.
 *
 * A variable of a model is a Real in memory, whatever its type. A string is the number under which
 * the instance knows its text: equal texts have equal numbers, so that comparing numbers is
 * comparing strings. An external object is the place in the instance's list. Always: number 0 is
 * the empty string and no object. Cost: O(1) expected; a new text allocates, so strings are
 * assigned at events only. Tests: tests/rt/scan_test.c. */
#include "rt/inside.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash(const char *text)
{
    uint32_t h = 2166136261u;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

static RtNames *names_of(Rt *rt) { return &((struct RtInstance *)rt)->names; }

static void put(RtNames *names, uint32_t id)
{
    uint32_t k = hash(names->at[id]) & (names->slot_count - 1);
    while (names->slots[k]) k = (k + 1) & (names->slot_count - 1);
    names->slots[k] = id + 1;
}

/* Room for one more text; 0 when memory is out. */
static int make_room(RtNames *names)
{
    if (names->n < names->room) return 1;
    uint32_t room = names->room ? names->room * 2 : 16;
    char **at = realloc(names->at, room * sizeof *at);
    if (!at) return 0;
    names->at = at;
    uint32_t *slots = calloc((size_t)room * 2, sizeof *slots);
    if (!slots) return 0;
    free(names->slots);
    names->slots = slots;
    names->slot_count = room * 2;
    names->room = room;
    for (uint32_t i = 0; i < names->n; i++) put(names, i);
    return 1;
}

RtStatus rt_string_id(Rt *rt, RtCell *cells)
{
    RtNames *names = names_of(rt);
    const char *text = cells[0].s ? cells[0].s : "";
    if (!*text) {
        cells[1].r = 0;
        return RT_OK;
    }
    if (!make_room(names)) return rt_fail(rt, RT_MEMORY, RT_NOWHERE, 0, 0, 0);
    for (uint32_t k = hash(text);; k++) {
        uint32_t slot = names->slots[k & (names->slot_count - 1)];
        if (!slot) break;
        if (strcmp(names->at[slot - 1], text) != 0) continue;
        cells[1].r = slot;
        return RT_OK;
    }
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (!copy) return rt_fail(rt, RT_MEMORY, RT_NOWHERE, 0, 0, 0);
    memcpy(copy, text, size);
    names->at[names->n++] = copy;
    put(names, names->n - 1);
    cells[1].r = names->n;
    return RT_OK;
}

RtStatus rt_string_at(Rt *rt, RtCell *cells)
{
    const RtNames *names = names_of(rt);
    double id = cells[0].r;
    cells[1].s = id >= 1 && id <= names->n ? names->at[(uint32_t)id - 1] : "";
    return RT_OK;
}

RtStatus rt_object_id(Rt *rt, RtCell *cells)
{
    RtNames *names = names_of(rt);
    void *object = cells[0].p;
    cells[1].r = 0;
    if (!object) return RT_OK;
    if (names->object_count == names->object_room) {
        uint32_t room = names->object_room ? names->object_room * 2 : 16;
        void **objects = realloc(names->objects, room * sizeof *objects);
        if (!objects) return rt_fail(rt, RT_MEMORY, RT_NOWHERE, 0, 0, 0);
        names->objects = objects;
        names->object_room = room;
    }
    names->objects[names->object_count++] = object;
    cells[1].r = names->object_count;
    return RT_OK;
}

RtStatus rt_object_at(Rt *rt, RtCell *cells)
{
    const RtNames *names = names_of(rt);
    double id = cells[0].r;
    cells[1].p = id >= 1 && id <= names->object_count ? names->objects[(uint32_t)id - 1] : NULL;
    return RT_OK;
}

void rt_forget_objects(Rt *rt) { names_of(rt)->object_count = 0; }

void rt_forget_names(Rt *rt)
{
    RtNames *names = names_of(rt);
    for (uint32_t k = 0; k < names->n; k++) free(names->at[k]);
    names->n = 0;
    if (names->slots) memset(names->slots, 0, names->slot_count * sizeof *names->slots);
}
