/* names.h: interned names, hash maps, and indices of names. */
#ifndef ACAUSAL_BASE_NAMES_H
#define ACAUSAL_BASE_NAMES_H

#include "base/arena.h"

/* ---- name.c: interned names ------------------------------------------------------------------ */

/* Equal names are one pointer. `id` counts from 0 in order of appearance, for dense tables. */
typedef struct NameText NameText;
struct NameText {
    uint32_t id, hash, n;
    char text[]; /* terminated */
};
typedef const NameText *Name;
typedef struct Names Names; /* may be used by several threads */

Names *names_new(void);
void names_free(Names *names);
Name name_of(Names *names, Str text);
Name name_of_hashed(Names *names, Str text, uint32_t hash); /* where hash == name_hash(text) */
uint32_t names_count(const Names *names);
uint32_t name_hash(Str text);
static inline const char *name_text(Name name) { return name->text; }
static inline Str name_str(Name name) { return (Str){ name->text, name->n }; }

/* ---- map.c: hash maps ------------------------------------------------------------------------ */

/* From a 64-bit key to a 64-bit value (an index or a pointer). Starts as all zeros but for the
 * arena. */
typedef struct {
    Arena *arena;
    struct MapSlot *slots;
    uint32_t n, room;
} Map;

bool map_get(const Map *map, uint64_t key, uint64_t *value);
/* The place of the value of `key`, made with value 0 if the key is new. Valid until the next
 * map_put. */
uint64_t *map_put(Map *map, uint64_t key, bool *is_new);
static inline uint64_t map_key(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }
void *map_pointer(const Map *map, const void *key); /* NULL if there is none */
void map_set_pointer(Map *map, const void *key, void *value);

/* ---- index.c: names and what they stand for -------------------------------------------------- */

typedef struct {
    const char *name;
    uint32_t value;
} IndexedName;

/* Starts as all zeros. `names` are in the order in which they were added; the texts are the
 * caller's. */
typedef struct {
    Map map;
    VEC(IndexedName) names;
} NameIndex;

bool index_add(NameIndex *index, Arena *arena, const char *name,
               uint32_t value); /* false: it is there already */
bool index_find(const NameIndex *index, const char *name, uint32_t *value);

#endif
