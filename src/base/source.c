/* source.c: the texts of a session and the places in them.
 *
 * Each source gets a range of one 32-bit space of positions, in the order of opening, one position
 * longer than its text so that its end is a place too; position 0 belongs to none. Files are mapped
 * so that a NUL follows the text: an anonymous mapping one byte larger lies below the file's. Line
 * starts are searched for when a place is first asked for. Cost: O(log sources) a look-up, O(size)
 * the first place in a file. Tests: tests/base/source_test.c. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* a hundred times the largest file of the Modelica Standard Library */
enum { LARGEST_FILE = 64 << 20 };

struct Sources {
    pthread_mutex_t lock;
    Arena *arena;
    VEC(Source *) all; /* by rising base */
    uint32_t next;     /* first free position */
};

Sources *sources_new(void)
{
    Sources *sources = calloc(1, sizeof *sources);
    Arena *arena = arena_new();
    if (!sources || !arena) {
        free(sources);
        arena_free(arena);
        return NULL;
    }
    pthread_mutex_init(&sources->lock, NULL);
    sources->arena = arena;
    sources->next = 1;
    return sources;
}

void sources_free(Sources *sources)
{
    if (!sources) return;
    for (uint32_t i = 0; i < sources->all.n; i++)
        if (sources->all.at[i]->mapped)
            munmap((void *)(uintptr_t)sources->all.at[i]->text.at, sources->all.at[i]->mapped);
    arena_free(sources->arena);
    pthread_mutex_destroy(&sources->lock);
    free(sources);
}

/* Copies the path, gives the text its range of positions. NULL when the space is full. */
static const Source *add_source(Sources *sources, const char *path, Source source, bool copy)
{
    Source *added = NULL;
    pthread_mutex_lock(&sources->lock);
    if (source.text.n < UINT32_MAX - sources->next) {
        added = NEW(sources->arena, Source);
        *added = source;
        added->path = arena_copy(sources->arena, str_of(path));
        if (copy) added->text.at = arena_copy(sources->arena, source.text);
        added->base = sources->next;
        sources->next += (uint32_t)source.text.n + 1;
        vec_push(sources->arena, &sources->all, added);
    }
    pthread_mutex_unlock(&sources->lock);
    return added;
}

const Source *source_add_text(Sources *sources, const char *path, Str text)
{
    if (text.n > LARGEST_FILE) return NULL;
    return add_source(sources, path, (Source){ .text = text }, true);
}

/* Maps `size` bytes of the file with at least one NUL after them. NULL on failure. */
static char *map_text(int fd, size_t size, size_t *mapped)
{
    *mapped = size + 1;
    char *at = mmap(NULL, *mapped, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return NULL;
    if (size == 0 || mmap(at, size, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, fd, 0) != MAP_FAILED)
        return at;
    munmap(at, *mapped);
    return NULL;
}

static SourceStatus open_regular(Sources *sources, const char *path, int fd, const Source **source, int *why)
{
    struct stat s;
    if (fstat(fd, &s)) {
        *why = errno;
        return SOURCE_UNREADABLE;
    }
    if (!S_ISREG(s.st_mode)) return SOURCE_NOT_A_FILE;
    if (s.st_size > LARGEST_FILE) return SOURCE_TOO_LARGE;
    Source new = { .text.n = (size_t)s.st_size };
    new.text.at = map_text(fd, new.text.n, &new.mapped);
    if (!new.text.at) {
        *why = errno;
        return SOURCE_UNREADABLE;
    }
    *source = add_source(sources, path, new, false);
    if (*source) return SOURCE_OK;
    munmap((void *)(uintptr_t) new.text.at, new.mapped);
    return SOURCE_SPACE_FULL;
}

SourceStatus source_open(Sources *sources, const char *path, const Source **source, int *why)
{
    *why = 0;
    *source = NULL;
    /* a pipe without writer must not block */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        *why = errno;
        return SOURCE_UNREADABLE;
    }
    SourceStatus status = open_regular(sources, path, fd, source, why);
    close(fd);
    return status;
}

static Source *find_source(const Sources *sources, uint32_t at)
{
    /* the first source whose base is above `at` is in [low, high] */
    uint32_t low = 0, high = sources->all.n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (sources->all.at[middle]->base <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || at == 0) return NULL;
    Source *source = sources->all.at[low - 1];
    return at - source->base <= source->text.n ? source : NULL;
}

void sources_each(const Sources *sources, void (*each)(void *arg, const Source *source), void *arg)
{
    for (uint32_t i = 0; i < sources->all.n; i++) each(arg, sources->all.at[i]);
}

const Source *source_of(const Sources *sources, Span span) { return find_source(sources, span.at); }

static void find_lines(Arena *arena, Source *source)
{
    VEC(uint32_t) lines = { 0 };
    vec_push(arena, &lines, 0);
    for (const char *p = source->text.at, *end = p + source->text.n;
         (p = memchr(p, '\n', (size_t)(end - p)));)
        vec_push(arena, &lines, (uint32_t)(++p - source->text.at));
    source->lines = lines.at;
    source->line_count = lines.n;
}

static uint32_t line_of(const Source *source, uint32_t offset)
{
    uint32_t low = 0, high = source->line_count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (source->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t characters(Str text)
{
    uint32_t n = 0;
    for (size_t i = 0; i < text.n; i++) n += ((unsigned char)text.at[i] & 0xC0) != 0x80;
    return n;
}

bool source_place(const Sources *sources, Span span, Place *place)
{
    Source *source = find_source(sources, span.at);
    if (!source) return false;
    if (!source->lines) find_lines(sources->arena, source);
    uint32_t from = span.at - source->base;
    uint32_t to = (uint32_t)size_min((size_t)from + span.n, source->text.n);
    uint32_t line = line_of(source, from), end_line = line_of(source, to);
    uint32_t start = source->lines[line];
    size_t end = line + 1 < source->line_count ? source->lines[line + 1] - 1 : source->text.n;
    if (end > start && source->text.at[end - 1] == '\r') end--;
    Str text = { source->text.at + start, end - start };
    *place = (Place){ .path = source->path, .line = line + 1, .end_line = end_line + 1, .text = text };
    place->from = (uint32_t)size_min(from - start, text.n);
    place->to = (uint32_t)size_min(to - start, text.n);
    place->column = characters((Str){ text.at, from - start }) + 1;
    uint32_t last = source->lines[end_line];
    place->end_column = characters((Str){ source->text.at + last, to - last }) + 1;
    return true;
}
