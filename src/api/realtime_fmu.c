/* realtime_fmu.c: a stepper as an FMU file: texts of realtime/, compiled by the system's compiler
 * and packed.
 *
 * In: a stepper that was started. Out: an FMU with description, sources and, where there is a
 * compiler, the binary for this machine. How: in a directory of its own, which is gone afterwards;
 * no shell. Always: the file is there whole or not at all. Cost: that of the compiler, seconds for
 * large steps. Tests: tests/cli/realtime.sh. */
#include "api/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_SOURCE, FILE_HEADER, FILE_LAYER, FILE_BINARY, FILE_DESCRIPTION, FILE_COUNT };

typedef struct {
    AcausalSession *s;
    Arena *arena;
    const char *name, *directory;
    const char *inside[FILE_COUNT]; /* names in the archive */
    const char *path[FILE_COUNT];   /* in the directory */
    Text text[FILE_COUNT];
} Stage;

static bool write_text(Stage *p, int file)
{
    FILE *out = fopen(p->path[file], "w");
    bool ok = out && fwrite(p->text[file].at, 1, p->text[file].n, out) == p->text[file].n;
    if (out && fclose(out)) ok = false;
    return ok || wrong(p->s, E_OUTPUT, "cannot write '%s': %s", p->path[file], strerror(errno));
}

/* Whether the compiler made the binary. */
static bool compile(Stage *p)
{
    const char *compiler = getenv("CC");
    char *arguments[] = { (char *)(uintptr_t)(compiler && *compiler ? compiler : "cc"),
                          "-std=c99",
                          "-O1",
                          "-ffp-contract=off",
                          "-fPIC",
                          "-fvisibility=hidden",
                          "-shared",
                          "-w",
                          "-o",
                          (char *)(uintptr_t)p->path[FILE_BINARY],
                          (char *)(uintptr_t)p->path[FILE_SOURCE],
                          (char *)(uintptr_t)p->path[FILE_LAYER],
                          "-lm",
                          NULL };
    return process_run(arguments, "/dev/null") == PROCESS_OK;
}

static bool pack(Stage *p, const char *to)
{
    Package files = { 0 };
    size_t bytes;
    for (int k = 0; k < FILE_COUNT; k++) {
        Str content = { p->text[k].at, p->text[k].n };
        if (!p->inside[k]) continue;
        if (k == FILE_BINARY && !export_read_file(p->arena, p->path[k], &content))
            return wrong(p->s, E_OUTPUT, "cannot read '%s': %s", p->path[k], strerror(errno));
        PackedFile f = { p->inside[k], content.at, content.n };
        vec_push(p->arena, &files, f);
    }
    return export_pack(&files, to, &p->s->diag, &bytes);
}

static void name_files(Stage *p)
{
    static const char *const ends[FILE_COUNT] = { "%s.c", "%s.h", "%s_fmi2.c", "%s.so",
                                                  "modelDescription.xml" };
    static const char *const folders[FILE_COUNT] = { "sources/", "sources/", "sources/", "binaries/linux64/",
                                                     "" };
    for (int k = 0; k < FILE_COUNT; k++) {
        Text file = { .arena = p->arena };
        for (const char *c = ends[k]; *c; c++) {
            if (*c == '%' && c[1] == 's')
                text_add(&file, str_of(p->name)), c++;
            else
                text_add_char(&file, *c);
        }
        p->path[k] = path_join(p->arena, p->directory, file.at);
        p->inside[k] = arena_printf(p->arena, "%s%s", folders[k], file.at);
        p->text[k] = (Text){ .arena = p->arena };
    }
}

bool realtime_fmu(AcausalSession *s, RtStepper *stepper, const char *name, double stop, const char *to)
{
    char why[300], directory[] = "/tmp/acausal-fmu-XXXXXX";
    if (!mkdtemp(directory)) return wrong(s, E_OUTPUT, "no directory for the compiler: %s", strerror(errno));
    Stage p = { .s = s, .arena = s->arena, .name = name, .directory = directory };
    name_files(&p);
    bool ok = stepper_export(stepper, name, &p.text[FILE_SOURCE], &p.text[FILE_HEADER], why, sizeof why) ||
              wrong(s, E_REALTIME, "%s", why);
    char *guid =
        ok ? arena_printf(s->arena, "{acausal-%s-%08x%08x}", name,
                          (unsigned)name_hash((Str){ p.text[FILE_SOURCE].at, p.text[FILE_SOURCE].n }),
                          (unsigned)p.text[FILE_SOURCE].n)
           : NULL;
    if (ok) stepper_layer_fmu(stepper, name, guid, &p.text[FILE_LAYER]);
    if (ok) stepper_describe_fmu(stepper, name, guid, stop, &p.text[FILE_DESCRIPTION]);
    for (int k = 0; k < FILE_COUNT && ok; k++) ok = k == FILE_BINARY || write_text(&p, k);
    if (ok && !compile(&p)) {
        p.inside[FILE_BINARY] = NULL;
        diag_add_file(&s->diag, W_REALTIME, to, "no C compiler made a binary: the FMU holds sources only");
    }
    ok = ok && pack(&p, to);
    for (int k = 0; k < FILE_COUNT; k++) unlink(p.path[k]);
    rmdir(directory);
    return ok;
}
