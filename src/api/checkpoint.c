/* checkpoint.c: the state of an FMU at the end of a run in a file, to go on from in another run.
 *
 * The file is four lines, a mark, the FMU's token, its kind, the time, and then the bytes that the
 * FMU made of its state. Only FMUs that can serialise their state have one. Always: a state is only
 * given back to an FMU with the same token. Tests: tests/cli/fmu.sh. */
#include "api/inside.h"

#include <stdio.h>
#include <stdlib.h>

static const char mark[] = "acausal state of an FMU, 1\n";

static bool save_bytes(AcausalModel *m, const char *path, double t, Str bytes)
{
    const FmuDescription *d = fmu_description(m->fmu);
    FILE *file = fopen(path, "wb");
    if (!file) return wrong(m->session, E_OUTPUT, "'%s' cannot be written", path);
    const char *kind = m->model->type->step ? "cs" : "me";
    bool ok = fprintf(file, "%s%s\n%s\n%.17g\n", mark, d->token, kind, t) > 0 &&
              fwrite(bytes.at, 1, bytes.n, file) == bytes.n;
    ok &= fclose(file) == 0;
    return ok || wrong(m->session, E_OUTPUT, "'%s' cannot be written", path);
}

bool checkpoint_save(AcausalModel *m, const char *path, double t)
{
    Str bytes;
    if (!m->fmu || !fmu_serialise(m->model, m->texts, &bytes))
        return wrong(m->session, E_OPTION, "the state cannot be saved: %s",
                     m->fmu ? "the FMU offers no bytes for it" : "this is not an FMU");
    return save_bytes(m, path, t, bytes);
}

bool checkpoint_is(const char *path)
{
    char head[sizeof mark];
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(head, 1, sizeof mark - 1, file) : 0;
    if (file) fclose(file);
    return n == sizeof mark - 1 && !memcmp(head, mark, n);
}

/* The next line of the file, without its end; false at the end of the file. */
static bool next_line(Str *rest, Str *line)
{
    const char *end = memchr(rest->at, '\n', rest->n);
    if (!end) return false;
    *line = (Str){ rest->at, (size_t)(end - rest->at) };
    *rest = (Str){ end + 1, rest->n - line->n - 1 };
    return true;
}

bool checkpoint_load(AcausalModel *m, const char *path, double *t)
{
    AcausalSession *s = m->session;
    const Source *source;
    Str line, token, kind, time;
    int why = 0;
    if (!m->fmu) return wrong(s, E_OPTION, "'%s' is the state of an FMU, and this is none", path);
    if (source_open(s->sources, path, &source, &why) != SOURCE_OK)
        return wrong(s, E_OUTPUT, "'%s' cannot be read", path);
    Str rest = source->text;
    if (!next_line(&rest, &line) || !next_line(&rest, &token) || !next_line(&rest, &kind) ||
        !next_line(&rest, &time))
        return wrong(s, E_OUTPUT, "'%s' is cut off", path);
    if (!str_is(token, fmu_description(m->fmu)->token))
        return wrong(s, E_OPTION, "'%s' is the state of another FMU", path);
    if (!str_is(kind, m->model->type->step ? "cs" : "me"))
        return wrong(s, E_OPTION, "'%s' is from a run with --kind %.*s", path, (int)kind.n, kind.at);
    *t = strtod(arena_copy(m->texts, time), NULL);
    fmu_resume(m->model, rest);
    return true;
}
