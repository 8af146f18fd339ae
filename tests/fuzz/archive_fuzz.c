/* archive_fuzz.c: the libFuzzer target for archives of FMUs.
 *
 * Any bytes are opened as an archive whose limits are small, listed, read and unpacked. What was
 * unpacked must be gone when it is closed. Run by scripts/fuzz. */
#include "fmi/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(Archive *archive, Arena *arena)
{
    Str bytes;
    for (size_t k = 0; k < archive_count(archive); k++)
        archive_read(archive, archive_name(archive, k), arena, &bytes);
    const char *directory = archive_unpack(archive, arena);
    char *kept = directory ? arena_copy(arena, str_of(directory)) : NULL;
    archive_close(archive);
    if (kept && file_kind(kept) != FILE_NONE) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1;
    char path[64];
    Sources *sources = sources_new();
    Arena *arena = arena_new();
    Diag diag;
    FmuLimits limits = { .bytes = 1 << 20, .entries = 64, .ratio = 100 };
    diag_init(&diag, arena);
    if (file < 0) file = memfd_create("archive", 0);
    if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    Archive *archive = archive_open(path, &limits, &diag);
    if (archive) use(archive, arena);
    Fmu *fmu = fmu_open(path, &limits, sources, &diag);
    if (fmu) {
        Text text = { .arena = arena };
        fmu_validate(fmu, &diag);
        fmu_print(fmu, &text);
        fmu_close(fmu);
    }
    arena_free(arena);
    sources_free(sources);
    return 0;
}
