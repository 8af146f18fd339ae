/* deflate.c: results that are written deflated (gzip), and read so.
 *
 * Out: a gzip stream that is brought to a byte after each flush, so that a killed run leaves a file
 * whose rows up to there can be read. In: the same, and what gzip makes; a stream that is cut short
 * gives what is there. Cost: about 15 ns a byte written, 3 ns read. Tests:
 * tests/result/files_test.c, tests/cli/result.sh. */
#include "result/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { CHUNK = 1 << 16, GZIP = 16, LEVEL = 4 /* of 9: most of what 6 saves in half of its time */ };

struct Deflater {
    z_stream stream;
    unsigned char chunk[CHUNK];
};

Deflater *deflater_new(void)
{
    Deflater *d = calloc(1, sizeof *d);
    const int window = MAX_WBITS + GZIP, memory = 8;
    const int how = Z_DEFAULT_STRATEGY;
    if (d && deflateInit2(&d->stream, LEVEL, Z_DEFLATED, window, memory, how) == Z_OK) return d;
    free(d);
    return NULL;
}

void deflater_free(Deflater *d)
{
    if (d) deflateEnd(&d->stream);
    free(d);
}

bool deflater_write(Deflater *d, const char *bytes, size_t n, bool last, DeflatedBytes write, void *arg)
{
    /* zlib counts in unsigned ints */
    do {
        size_t part = size_min(n, 1u << 30);
        d->stream.next_in = (unsigned char *)(uintptr_t)bytes;
        d->stream.avail_in = (unsigned)part;
        bytes += part;
        n -= part;
        do {
            d->stream.next_out = d->chunk;
            d->stream.avail_out = CHUNK;
            deflate(&d->stream, n ? Z_NO_FLUSH : last ? Z_FINISH : Z_SYNC_FLUSH);
            if (!write(arg, (const char *)d->chunk, CHUNK - d->stream.avail_out)) return false;
        } while (!d->stream.avail_out);
    } while (n);
    return true;
}

bool is_deflated(Str bytes) { return bytes.n > 2 && !memcmp(bytes.at, "\x1f\x8b\x08", 3); }

/* More of `text` when it is full: it is never larger than a thousandth of what it came from. */
static bool grow(Str *text, size_t *room, Str bytes)
{
    size_t most = bytes.n > SIZE_MAX / 1100 ? SIZE_MAX : 1100 * bytes.n + CHUNK;
    size_t more = *room ? 2 * *room : 8 * bytes.n + CHUNK;
    if (more > most) more = most;
    char *grown = more > *room ? realloc((char *)(uintptr_t)text->at, more) : NULL;
    if (!grown) return false;
    text->at = grown;
    *room = more;
    return true;
}

bool inflate_all(Str bytes, Str *text, bool *is_cut, char *why, size_t room)
{
    z_stream s = { .next_in = (unsigned char *)(uintptr_t)bytes.at };
    size_t size = 0, left = bytes.n;
    int status = Z_OK;
    *text = (Str){ 0 };
    snprintf(why, room, "no memory to inflate it");
    if (inflateInit2(&s, MAX_WBITS + GZIP) != Z_OK) return false;
    while (status == Z_OK) {
        if (text->n == size && !grow(text, &size, bytes)) break;
        if (!s.avail_in) left -= s.avail_in = (unsigned)size_min(left, 1u << 30);
        size_t part = size_min(size - text->n, 1u << 30);
        s.next_out = (unsigned char *)(uintptr_t)text->at + text->n;
        s.avail_out = (unsigned)part;
        status = inflate(&s, Z_NO_FLUSH);
        text->n += part - s.avail_out;
        bool more_members = status == Z_STREAM_END && (s.avail_in || left) && inflateReset(&s) == Z_OK;
        if (more_members) status = Z_OK;
    }
    inflateEnd(&s);
    *is_cut = status == Z_BUF_ERROR;
    if (status == Z_STREAM_END || *is_cut) return true;
    if (status != Z_OK) snprintf(why, room, "the compressed data are damaged");
    free((char *)(uintptr_t)text->at);
    return false;
}
