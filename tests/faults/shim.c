/* shim.c: loaded before a program, lets one allocation fail: the ACAUSAL_FAULT_AT-th after the
 * program's start. With ACAUSAL_FAULT_COUNT=FILE it writes there how many there were. Of glibc it
 * needs the names of the functions that it stands in for. Used by tests/faults/faults.py. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *at, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong seen;
static unsigned long at;
static int is_counting;

static int fails(void)
{
    if (!is_counting) return 0;
    if (atomic_fetch_add(&seen, 1) + 1 != at) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }
void *memalign(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **to, size_t alignment, size_t size)
{
    void *got = memalign(alignment, size);
    if (got) *to = got;
    return got ? 0 : ENOMEM;
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("ACAUSAL_FAULT_AT");
    at = text ? strtoul(text, NULL, 10) : 0;
    is_counting = 1;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("ACAUSAL_FAULT_COUNT");
    char text[24];
    int n = path ? snprintf(text, sizeof text, "%lu", atomic_load(&seen)) : 0;
    int file = n > 0 ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file < 0) return;
    if (write(file, text, (size_t)n) != n) _exit(99);
    close(file);
}
