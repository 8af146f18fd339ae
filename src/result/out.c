/* out.c: output files that are buffered, flushed in whole rows, and say why they fail; and the
 * doors of all sinks.
 *
 * Always: what is in the file ends with a whole row, as long as the system takes all bytes of a
 * write; a run that ends before its first row leaves no file behind, and an older one as it was.
 * Files larger than 4 GB are no different. A device that cannot seek (a pipe) takes formats that
 * only append. Cost: one write a megabyte or half second. Tests: tests/result/files_test.c. */
#include "result/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 1 << 18 };
static const double FLUSH_SECONDS = 0.5;

/* Seconds to within some milliseconds: asked for at every row, so it must cost next to nothing. */
static double clock_rough(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool sink_fail(ResultSink *sink, const char *format, ...)
{
    va_list args;
    if (sink->failed) return false;
    va_start(args, format);
    vsnprintf(sink->why, sizeof sink->why, format, args);
    va_end(args);
    sink->failed = true;
    return false;
}

bool out_open(Out *out, const char *path, char *why, size_t room)
{
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
    *out = (Out){ .file = open(path, flags | O_EXCL, 0666) };
    out->is_new = out->file >= 0;
    if (!out->is_new) out->file = open(path, flags, 0666);
    if (out->file < 0) {
        snprintf(why, room, "'%s' cannot be written: %s", path, strerror(errno));
        return false;
    }
    out->path = strdup(path);
    out->buffer = malloc(out->room = BUFFER);
    out->flushed = clock_rough();
    out->seekable = lseek(out->file, 0, SEEK_CUR) == 0;
    size_t n = strlen(path);
    bool deflated = n > 3 && !strcmp(path + n - 3, ".gz");
    if (deflated) out->deflater = deflater_new();
    if (out->path && out->buffer && (!deflated || out->deflater)) return true;
    snprintf(why, room, "no memory to write '%s'", path);
    out_close(out);
    return false;
}

char *out_reserve(Out *out, ResultSink *sink, size_t more)
{
    if (sink->failed) return NULL;
    if (out->room - out->n < more) {
        size_t room = size_max(2 * out->room, out->n + more);
        char *grown = realloc(out->buffer, room);
        if (!grown) {
            sink_fail(sink, "no memory to write '%s'", out->path);
            return NULL;
        }
        out->buffer = grown;
        out->room = room;
    }
    return out->buffer + out->n;
}

static bool write_failed(Out *out, ResultSink *sink)
{
    return sink_fail(sink, "'%s' could not be written: %s", out->path, strerror(errno));
}

/* An older result ends where the new one begins. */
static bool clear_old(const Out *out)
{
    return out->written || !out->n || !out->seekable || ftruncate(out->file, 0) == 0 || errno == EINVAL;
}

static bool write_bytes(void *arg, const char *bytes, size_t size)
{
    const Out *out = arg;
    for (size_t done = 0; done < size;) {
        ssize_t n = write(out->file, bytes + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        done += (size_t)n;
    }
    return true;
}

static bool flush(Out *out, ResultSink *sink, bool last)
{
    if (!clear_old(out)) return write_failed(out, sink);
    bool ok = out->deflater ? deflater_write(out->deflater, out->buffer, out->n, last, write_bytes, out)
                            : write_bytes(out, out->buffer, out->n);
    if (!ok) return write_failed(out, sink);
    out->written += out->n;
    out->n = 0;
    out->flushed = clock_rough();
    return !sink->failed;
}

bool out_flush(Out *out, ResultSink *sink) { return flush(out, sink, false); }

bool out_end(Out *out, ResultSink *sink)
{
    bool last = out->deflater && (out->written || out->n);
    bool ok = flush(out, sink, last);
    if (last) deflater_free(out->deflater), out->deflater = NULL;
    return ok;
}

bool out_patch(Out *out, ResultSink *sink, uint64_t at, const void *bytes, size_t n)
{
    ssize_t done = pwrite(out->file, bytes, n, (off_t)at);
    return done == (ssize_t)n ? true : write_failed(out, sink);
}

bool out_is_due(const Out *out)
{
    return out->n >= BUFFER / 2 || clock_rough() - out->flushed > FLUSH_SECONDS;
}

void out_close(Out *out)
{
    if (out->file >= 0) {
        close(out->file);
        if (out->is_new && out->path && !out->written) unlink(out->path);
    }
    deflater_free(out->deflater);
    out->deflater = NULL;
    free(out->buffer);
    free((char *)out->path);
    out->file = -1;
    out->buffer = NULL;
    out->path = NULL;
}

/* ---- doors ----------------------------------------------------------------------------------- */

bool sink_begin(ResultSink *sink, const Column *columns, size_t n, const double *values)
{
    return !sink->failed && sink->type->begin(sink, columns, n, values);
}

bool sink_row(ResultSink *sink, double t, const double *values)
{
    return !sink->failed && sink->type->row(sink, t, values);
}

bool sink_end(ResultSink *sink) { return sink->type->end(sink) && !sink->failed; }

void sink_free(ResultSink *sink)
{
    if (sink) sink->type->free(sink);
}

static const struct {
    const char *suffix;
    ResultSink *(*open)(const char *path, char *why, size_t room);
} formats[] = {
    { ".csv", csv_sink },
    { ".csv.gz", csv_sink },
    { ".mat", mat_sink },
};

const char *sink_formats(void) { return ".csv, .csv.gz, .mat"; }

static size_t format_of(const char *path)
{
    size_t n = strlen(path), i;
    for (i = 0; i < COUNT_OF(formats); i++) {
        size_t k = strlen(formats[i].suffix);
        if (n >= k && !strcmp(path + n - k, formats[i].suffix)) break;
    }
    return i;
}

ResultSink *sink_open_file(const char *path, char *why, size_t room)
{
    size_t format = format_of(path);
    if (format < COUNT_OF(formats)) return formats[format].open(path, why, room);
    snprintf(why, room, "'%s' has none of the suffixes of results: %s", path, sink_formats());
    return NULL;
}

/* ---- two at once ----------------------------------------------------------------------------- */

typedef struct {
    ResultSink sink;
    ResultSink *each[2];
} Tee;

static bool tee_check(Tee *tee, bool ok, int i)
{
    return ok ? true : sink_fail(&tee->sink, "%s", tee->each[i]->why);
}

static bool tee_begin(ResultSink *sink, const Column *columns, size_t n, const double *values)
{
    Tee *tee = (Tee *)sink;
    bool ok = true;
    for (int i = 0; i < 2; i++) {
        tee->each[i]->texts = sink->texts;
        ok &= tee_check(tee, sink_begin(tee->each[i], columns, n, values), i);
    }
    return ok;
}

static bool tee_row(ResultSink *sink, double t, const double *values)
{
    Tee *tee = (Tee *)sink;
    bool ok = true;
    for (int i = 0; i < 2; i++) ok &= tee_check(tee, sink_row(tee->each[i], t, values), i);
    return ok;
}

static bool tee_end(ResultSink *sink)
{
    Tee *tee = (Tee *)sink;
    bool ok = true;
    for (int i = 0; i < 2; i++) ok &= tee_check(tee, sink_end(tee->each[i]), i);
    return ok;
}

static void tee_free(ResultSink *sink)
{
    for (int i = 0; i < 2; i++) sink_free(((Tee *)sink)->each[i]);
    free(sink);
}

ResultSink *sink_tee(ResultSink *first, ResultSink *second)
{
    static const SinkType type = { tee_begin, tee_row, tee_end, tee_free };
    Tee *tee = calloc(1, sizeof *tee);
    if (!tee) {
        sink_free(first);
        sink_free(second);
        return NULL;
    }
    *tee = (Tee){ .sink = { .type = &type }, .each = { first, second } };
    return &tee->sink;
}
