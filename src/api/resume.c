/* resume.c: checkpoints of a run, and runs that go on from one.
 *
 * In: the bytes of sim/. Out: a file with a mark, digests of the program, the model and the
 * options, the bytes, and a digest of it all. Always: the file is whole or the one before it; it
 * only resumes the same program, model and options; rows of the result that were there are written
 * again from the old file, which stays until they are. Tests: tests/cli/resume.sh. */
#include "api/resume.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char mark[] = "acausal state of a run, 1\n";
static const double USUAL_SECONDS = 60;

typedef struct {
    unsigned char program[SHA256_BYTES], model[SHA256_BYTES], options[SHA256_BYTES];
    double t;
    uint64_t size;
} Head;

enum { MARK = sizeof mark - 1 };

/* ---- digests --------------------------------------------------------------------------------- */

static bool add_file(Sha256 *hash, const char *path)
{
    char block[65536];
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    for (size_t n; (n = fread(block, 1, sizeof block, file));) sha256_add(hash, block, n);
    fclose(file);
    return true;
}

/* Of the file that this code is from, the program or the shared library. */
static void digest_program(unsigned char *digest)
{
    Sha256 hash;
    Dl_info info = { 0 };
    void (*here)(void) = (void (*)(void))resume_open;
    void *at;
    memcpy(&at, &here, sizeof at);
    sha256_begin(&hash);
    bool is_library = dladdr(at, &info) && info.dli_fname && strstr(info.dli_fname, ".so");
    if (!is_library || !add_file(&hash, info.dli_fname)) add_file(&hash, "/proc/self/exe");
    sha256_end(&hash, digest);
}

static void add_text(Sha256 *hash, const char *text)
{
    sha256_add(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void digest_options(const AcausalSimulation *a, const SimOptions *o, unsigned char *digest)
{
    Sha256 hash;
    double numbers[] = { o->t0, o->t_end, o->tol, o->interval, (double)o->points };
    sha256_begin(&hash);
    sha256_add(&hash, numbers, sizeof numbers);
    add_text(&hash, a->solver);
    add_text(&hash, a->variables);
    for (size_t i = 0; i < a->set_count; i++) add_text(&hash, a->set[i]);
    for (size_t i = 0; i < a->solver_option_count; i++) add_text(&hash, a->solver_options[i]);
    if (a->inputs) add_file(&hash, a->inputs);
    sha256_end(&hash, digest);
}

/* The first and last line name classes that are made for values. */
void digest_flat(const Flat *flat, Arena *arena, unsigned char digest[SHA256_BYTES])
{
    Sha256 hash;
    Text text = { .arena = arena };
    flat_print(flat, &text);
    sha256_begin(&hash);
    for (const char *at = text.at, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        if (*at == ' ' || !memchr(at, ' ', (size_t)(end - at))) sha256_add(&hash, at, (size_t)(end - at) + 1);
    }
    sha256_end(&hash, digest);
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool write_whole(const char *path, const Head *head, const void *bytes)
{
    unsigned char digest[SHA256_BYTES];
    char next[1100];
    Sha256 hash;
    if (snprintf(next, sizeof next, "%s.new", path) >= (int)sizeof next) return false;
    FILE *file = fopen(next, "wb");
    if (!file) return false;
    sha256_begin(&hash);
    sha256_add(&hash, head, sizeof *head);
    sha256_add(&hash, bytes, head->size);
    sha256_end(&hash, digest);
    bool ok = fwrite(mark, 1, MARK, file) == MARK && fwrite(head, sizeof *head, 1, file) == 1 &&
              fwrite(bytes, 1, head->size, file) == head->size &&
              fwrite(digest, sizeof digest, 1, file) == 1 && !fflush(file) && !fsync(fileno(file));
    ok &= fclose(file) == 0;
    return ok && !rename(next, path);
}

static void take_state(void *arg, double t, const void *bytes, size_t n, const char *why)
{
    Resume *c = arg;
    AcausalSession *s = c->m->session;
    if (n) {
        Head head;
        memset(&head, 0, sizeof head);
        memcpy(head.program, c->program, SHA256_BYTES);
        memcpy(head.model, c->model, SHA256_BYTES);
        memcpy(head.options, c->options, SHA256_BYTES);
        head.t = t;
        head.size = n;
        if (write_whole(c->path, &head, bytes)) return;
    }
    if (c->told) return;
    c->told = true;
    if (why)
        wrong(s, E_OUTPUT, "there is no checkpoint: %s", why);
    else
        wrong(s, E_OUTPUT, "the checkpoint '%s' cannot be written: %s", c->path, strerror(errno));
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_state(Resume *c, const char *path, Head *head)
{
    AcausalSession *s = c->m->session;
    char begin[MARK];
    unsigned char digest[SHA256_BYTES], want[SHA256_BYTES];
    Sha256 hash;
    FILE *file = fopen(path, "rb");
    if (!file) return wrong(s, E_OUTPUT, "'%s' cannot be read: %s", path, strerror(errno));
    bool ok = fread(begin, 1, MARK, file) == MARK && !memcmp(begin, mark, MARK) &&
              fread(head, sizeof *head, 1, file) == 1 && head->size < SIZE_MAX / 4;
    if (ok && (c->bytes = malloc(head->size + 1)))
        ok = fread(c->bytes, 1, head->size, file) == head->size && fread(want, sizeof want, 1, file) == 1;
    fclose(file);
    if (!ok || !c->bytes) return wrong(s, E_OUTPUT, "'%s' is no checkpoint of a run, or is cut off", path);
    sha256_begin(&hash);
    sha256_add(&hash, head, sizeof *head);
    sha256_add(&hash, c->bytes, head->size);
    sha256_end(&hash, digest);
    return !memcmp(digest, want, sizeof want) || wrong(s, E_OUTPUT, "'%s' is damaged", path);
}

static bool check_state(Resume *c, const char *path, const Head *head)
{
    AcausalSession *s = c->m->session;
    if (memcmp(head->model, c->model, SHA256_BYTES) != 0)
        return wrong(s, E_OPTION, "'%s' is a checkpoint of another model, or the model changed since", path);
    if (memcmp(head->options, c->options, SHA256_BYTES) != 0)
        return wrong(s, E_OPTION,
                     "'%s' is of a run with other values, times, tolerance, integrator, rows or inputs",
                     path);
    if (memcmp(head->program, c->program, SHA256_BYTES) != 0)
        return wrong(s, E_OPTION, "'%s' was written by another build of Acausal", path);
    return true;
}

/* The rows that were there: from a resumed run that was killed early, or from the result. */
static bool read_rows(Resume *c, const AcausalSimulation *a)
{
    AcausalSession *s = c->m->session;
    char why[400];
    c->aside = arena_printf(c->m->texts, "%s.before", a->output);
    bool is_aside = file_kind(c->aside) == FILE_REGULAR;
    const char *from = is_aside ? c->aside : a->output;
    if (!is_aside && file_kind(a->output) != FILE_REGULAR)
        return wrong(s, E_OUTPUT, "'%s', whose rows the run goes on with, is not there", a->output);
    const char *suffix = strrchr(a->output, '.');
    if (!is_aside && rename(a->output, c->aside))
        return wrong(s, E_OUTPUT, "'%s' cannot be put aside: %s", a->output, strerror(errno));
    (void)suffix, (void)from;
    c->rows = result_read(c->aside, why, sizeof why);
    return c->rows || wrong(s, E_OUTPUT, "%s", why);
}

/* Slots that the rows of the file say, so that the sink writes them again as they were. */
static bool write_again(void *arg, ResultSink *sink, long rows)
{
    Resume *c = arg;
    const Model *model = c->m->model;
    const ModelShape *shape = &model->shape;
    if (!c->rows) return true;
    if ((size_t)rows > c->rows->rows) {
        snprintf(sink->why, sizeof sink->why, "the result has %zu rows, and the checkpoint is at row %ld",
                 c->rows->rows, rows);
        return false;
    }
    double *values = NEW_ARRAY(c->m->texts, double, (size_t)shape->value_count + 1);
    const Signal **signals = NEW_ARRAY(c->m->texts, const Signal *, (size_t)shape->variable_count + 1);
    for (int i = 0; i < shape->variable_count; i++)
        signals[i] = result_find(c->rows, shape->variables[i].name);
    const NameIndex *texts = sink->texts;
    bool ok = true;
    sink->texts = c->rows->texts;
    for (size_t row = 0; row < (size_t)rows && ok; row++) {
        for (int i = 0; i < shape->variable_count; i++) {
            const ModelVariable *v = &shape->variables[i];
            if (!signals[i]) continue;
            double value = signal_at(signals[i], row);
            values[v->slot] = v->negated ? -value : value;
        }
        ok = sink_row(sink, signal_at(&c->rows->time, row), values);
    }
    sink->texts = texts;
    if (ok) unlink(c->aside);
    return ok;
}

/* ---- a run ----------------------------------------------------------------------------------- */

bool resume_open(Resume *c, AcausalModel *m, const AcausalSimulation *a, SimOptions *o)
{
    AcausalSession *s = m->session;
    Head head;
    *c = (Resume){ .m = m, .path = a->checkpoint };
    if (!a->checkpoint && !a->resume) return true;
    if (m->fmu || m->couple)
        return wrong(s, E_OPTION,
                     "runs of FMUs have no checkpoints; --save-state keeps the state at the end");
    if (flat_has_foreign_code(m->t.flat))
        return wrong(s, E_OPTION, "the model has foreign code, whose state no checkpoint can hold");
    digest_program(c->program);
    digest_flat(m->t.flat, m->texts, c->model);
    digest_options(a, o, c->options);
    if (a->checkpoint) {
        o->checkpoint = take_state;
        o->checkpoint_arg = c;
        o->checkpoint_seconds = a->checkpoint_seconds > 0.0 ? a->checkpoint_seconds : USUAL_SECONDS;
    }
    if (!a->resume) return true;
    if (!read_state(c, a->resume, &head) || !check_state(c, a->resume, &head)) return false;
    if (a->output && !read_rows(c, a)) return false;
    o->resume = c->bytes;
    o->resume_size = head.size;
    o->again = write_again;
    o->again_arg = c;
    return true;
}

bool resume_close(Resume *c)
{
    result_free(c->rows);
    free(c->bytes);
    return !c->told;
}
