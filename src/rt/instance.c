/* instance.c: the state of one running instance: its stack, its failure, its memory.
 *
 * Memory is a list of chunks that are filled in order. A mark is a place in the list; rewinding to
 * it keeps the chunks after it for the next use, so that code which ran once allocates nothing the
 * second time. Chunks that strings are kept in for the life of the instance are never rewound past:
 * rt_string_keep has its own list. Cost: O(1) an allocation. Tests: tests/rt/string_test.c,
 * tests/ir/external_test.c. */
#include "rt/inside.h"
#include "rt/rt.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 64 << 10 };

struct RtChunk {
    RtChunk *next;
    size_t size;
};
enum { CHUNK_HEAD = 16 };

static const char *const status_texts[] = {
    [RT_OK] = "done",
    [RT_ASSERT] = "assertion failed",
    [RT_INDEX] = "index out of range",
    [RT_SIZE] = "array sizes do not fit",
    [RT_OVERFLOW] = "Integer overflow",
    [RT_DIVISION] = "Integer division by zero",
    [RT_CONVERSION] = "Real has no Integer value",
    [RT_NOT_FINITE] = "value is not finite",
    [RT_STEPS] = "step limit reached",
    [RT_DEPTH] = "calls nested too deeply",
    [RT_MEMORY] = "out of memory",
    [RT_EXTERNAL] = "external function failed",
};

const char *rt_status_text(RtStatus status)
{
    return (unsigned)status <= RT_EXTERNAL ? status_texts[status] : "unknown";
}

static RtChunk *chunk_new(size_t size)
{
    RtChunk *chunk = malloc(CHUNK_HEAD + size);
    if (!chunk) return NULL;
    chunk->next = NULL;
    chunk->size = size;
    return chunk;
}

Rt *rt_new(size_t cells)
{
    struct RtInstance *instance = calloc(1, sizeof *instance);
    if (!instance) return NULL;
    Rt *rt = &instance->rt;
    if (cells == 0) cells = RT_STACK_CELLS;
    rt->stack = cells <= SIZE_MAX / sizeof *rt->stack ? malloc(cells * sizeof *rt->stack) : NULL;
    instance->first = chunk_new(CHUNK_SIZE);
    if (!rt->stack || !instance->first) {
        rt_free(rt);
        return NULL;
    }
    rt->stack_end = rt->stack + cells;
    rt->heap.chunk = instance->first;
    rt->heap_total = CHUNK_SIZE;
    rt->heap_limit = (size_t)1 << 32;
    rt->steps = RT_STEP_LIMIT;
    rt->depth = RT_DEPTH_LIMIT;
    return rt;
}

static void free_chunks(RtChunk *chunk)
{
    while (chunk) {
        RtChunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

void rt_free(Rt *rt)
{
    if (!rt) return;
    struct RtInstance *instance = (struct RtInstance *)rt;
    free_chunks(instance->first);
    free_chunks(instance->kept);
    for (uint32_t i = 0; i < instance->names.n; i++) free(instance->names.at[i]);
    free(instance->names.at);
    free(instance->names.slots);
    free(instance->names.objects);
    free(rt->stack);
    free(instance);
}

RtStatus rt_fail(Rt *rt, RtStatus status, uint32_t function, uint32_t source, int64_t value, int64_t bound)
{
    rt->error = (RtError){ status, function, source, value, bound, NULL };
    return status;
}

RtStatus rt_fail_text(Rt *rt, RtStatus status, uint32_t function, uint32_t source, const char *message)
{
    rt->error = (RtError){ status, function, source, 0, 0, message };
    return status;
}

RtStatus rt_fail_external(Rt *rt, const char *message)
{
    size_t n = strlen(message) + 1;
    char *copy = rt_alloc(rt, n);
    if (copy) memcpy(copy, message, n);
    return rt_fail_text(rt, RT_EXTERNAL, RT_NOWHERE, 0, copy);
}

RtStatus rt_failed_at(Rt *rt, RtStatus status, uint32_t function, uint32_t source)
{
    if (rt->error.status != status) return rt_fail(rt, status, function, source, 0, 0);
    /* a function that was called back has failed */
    if (rt->error.function != RT_NOWHERE) return status;
    rt->error.function = function;
    rt->error.source = source;
    return status;
}

RtStatus rt_call(Rt *rt, int64_t function, RtCell *cells)
{
    if (function < 0 || function >= rt->function_count || rt->depth <= 0)
        return rt_fail(rt, RT_DEPTH, RT_NOWHERE, 0, function, rt->function_count);
    rt->depth--;
    RtStatus status = rt->enter(rt->code, (uint32_t)function, rt, cells);
    rt->depth++;
    return status;
}

int rt_room(const Rt *rt, const RtCell *cells, size_t count)
{
    return cells <= rt->stack_end && (size_t)(rt->stack_end - cells) >= count;
}

RtStatus rt_enter_table(const void *table, uint32_t function, Rt *rt, RtCell *cells)
{
    return ((const RtEntry *)table)[function](rt, cells);
}

void *rt_alloc(Rt *rt, size_t size)
{
    if (size > SIZE_MAX / 4) return NULL;
    size = (size + 15) & ~(size_t)15;
    while (rt->heap.chunk->size - rt->heap.used < size) {
        RtChunk *next = rt->heap.chunk->next;
        if (!next || next->size < size) {
            size_t want = size > CHUNK_SIZE ? size : CHUNK_SIZE;
            if (rt->heap_total + want > rt->heap_limit) return NULL;
            RtChunk *chunk = chunk_new(want);
            if (!chunk) return NULL;
            chunk->next = next;
            rt->heap.chunk->next = chunk;
            rt->heap_total += want;
            next = chunk;
        }
        rt->heap.chunk = next;
        rt->heap.used = 0;
    }
    char *at = (char *)rt->heap.chunk + CHUNK_HEAD + rt->heap.used;
    rt->heap.used += size;
    return at;
}

void rt_mark(const Rt *rt, RtMark *mark) { *mark = rt->heap; }
void rt_rewind(Rt *rt, const RtMark *mark) { rt->heap = *mark; }

void rt_rewind_all(Rt *rt)
{
    rt->heap.chunk = ((struct RtInstance *)rt)->first;
    rt->heap.used = 0;
}

RtStatus rt_array_new(Rt *rt, RtArray *array, int64_t n)
{
    if (n < 0) return RT_SIZE;
    if (n > INT64_MAX / 64) return RT_MEMORY;
    size_t size = (size_t)n * 8;
    void *at = rt_alloc(rt, size ? size : 1);
    if (!at) return RT_MEMORY;
    memset(at, 0, size);
    *array = (RtArray){ at, n };
    return RT_OK;
}

char *rt_keep(Rt *rt, const char *text, size_t n)
{
    struct RtInstance *instance = (struct RtInstance *)rt;
    RtChunk *chunk = chunk_new(n + 1);
    if (!chunk) return NULL;
    chunk->next = instance->kept;
    instance->kept = chunk;
    char *at = (char *)chunk + CHUNK_HEAD;
    memcpy(at, text, n);
    at[n] = '\0';
    return at;
}

RtStatus rt_array_view(RtArray *view, RtArray of, int64_t offset, int64_t n)
{
    if (offset < 0 || n < 0 || offset > of.n || n > of.n - offset) return RT_SIZE;
    *view = (RtArray){ n ? (char *)of.at + 8 * offset : of.at, n };
    return RT_OK;
}

void rt_array_copy(RtArray to, RtArray from)
{
    if (to.n) memmove(to.at, from.at, (size_t)to.n * 8);
}

RtStatus rt_int_of(int64_t value, int *result)
{
    *result = (int)value;
    return value == *result ? RT_OK : RT_OVERFLOW;
}

RtStatus rt_ints_of(Rt *rt, const RtCell *array, int **copy)
{
    const int64_t *from = array[0].p;
    *copy = rt_alloc(rt, (size_t)array[1].i * sizeof **copy + 1);
    if (!*copy) return RT_MEMORY;
    for (int64_t k = 0; k < array[1].i; k++)
        if (rt_int_of(from[k], &(*copy)[k])) return RT_OVERFLOW;
    return RT_OK;
}

void rt_ints_back(const int *copy, RtCell *array)
{
    int64_t *to = array[0].p;
    for (int64_t k = 0; k < array[1].i; k++) to[k] = copy[k];
}
