/* description_fuzz.c: the libFuzzer target for descriptions of FMUs.
 *
 * Any bytes are read as a modelDescription.xml. What can be read is checked against the rules,
 * printed both ways, and its variables are laid out, as a run would. The archive around it is
 * empty. Run by scripts/fuzz. */
#include "fmi/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An archive without entries, made once. */
static Archive *empty_archive(Diag *diag)
{
    static const unsigned char bytes[22] = { 'P', 'K', 5, 6 };
    static char path[64];
    int file = memfd_create("empty", 0);
    if (file < 0 || write(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    FmuLimits limits = fmu_limits();
    return archive_open(path, &limits, diag);
}

static void use(Fmu *fmu, Diag *diag)
{
    Text text = { .arena = fmu->arena };
    VariableTable table;
    fmu_print(fmu, &text);
    fmu_print_json(fmu, &text);
    fmu_validate(fmu, diag);
    variables_make(&table, fmu->d, fmu->arena);
}

static void render(const Diag *diag, const Sources *sources, Arena *arena)
{
    Text text = { .arena = arena };
    for (uint32_t i = 0; i < diag->notes.n; i++)
        diag_render(diag->notes.at[i], sources, (RenderStyle){ .colour = true }, &text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Archive *archive;
    Sources *sources = sources_new();
    Arena *arena = arena_new();
    Diag diag;
    diag_init(&diag, arena);
    diag.limit_per_code = 20;
    if (!archive && !(archive = empty_archive(&diag))) abort();
    const Source *source =
        source_add_text(sources, "modelDescription.xml", (Str){ (const char *)data, size });
    Fmu fmu = { .arena = arena, .archive = archive, .source = source, .path = "fuzz.fmu", .diag = &diag };
    fmu.d = fmu_describe(source, arena, &diag);
    if (fmu.d) use(&fmu, &diag);
    render(&diag, sources, arena);
    arena_free(arena);
    sources_free(sources);
    return 0;
}
