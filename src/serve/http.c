/* http.c: HTTP/1.1 as far as a page on the same machine needs it: requests are read with limits,
 * responses written.
 *
 * Always: a request that is too large, cut short or not HTTP gets one answer and no second chance;
 * nothing of it is believed before it is complete. Bodies have a length; chunks are refused. Tests:
 * tests/serve/serve.py, http_test.c. */
#include "serve/inside.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

static bool same_word(Str a, const char *word)
{
    return a.n == strlen(word) && !strncasecmp(a.at, word, a.n);
}

static Str trimmed(Str s)
{
    while (s.n && (s.at[0] == ' ' || s.at[0] == '\t')) s.at++, s.n--;
    while (s.n && (s.at[s.n - 1] == ' ' || s.at[s.n - 1] == '\t')) s.n--;
    return s;
}

/* More bytes into the buffer; false: the other side is gone, silent, too slow, or sends too
 * much. A byte now and then does not hold a connection: the request as a whole has a deadline. */
static bool receive(Connection *c, size_t room)
{
    double left = c->deadline - clock_wall();
    struct pollfd input = { .fd = c->socket, .events = POLLIN };
    ssize_t n = -1;
    if (c->n >= room || left <= 0.0 || poll(&input, 1, (int)(1e3 * left) + 1) <= 0) return false;
    do n = recv(c->socket, c->buffer + c->n, room - c->n, 0);
    while (n < 0 && errno == EINTR);
    if (n <= 0) return false;
    c->n += (size_t)n;
    return true;
}

/* "GET /path?query HTTP/1.1" */
static int read_first_line(Str line, Request *r)
{
    const char *space = memchr(line.at, ' ', line.n), *end = line.at + line.n;
    const char *second = space ? memchr(space + 1, ' ', (size_t)(end - space - 1)) : NULL;
    if (!second) return 400;
    Str target = { space + 1, (size_t)(second - space - 1) },
        version = { second + 1, (size_t)(end - second - 1) };
    r->method = (Str){ line.at, (size_t)(space - line.at) };
    if (!str_is(version, "HTTP/1.1") && !str_is(version, "HTTP/1.0")) return 505;
    r->keep = str_is(version, "HTTP/1.1");
    if (!str_is(r->method, "GET") && !str_is(r->method, "POST")) return 405;
    const char *mark = memchr(target.at, '?', target.n);
    r->path = (Str){ target.at, mark ? (size_t)(mark - target.at) : target.n };
    r->query = mark ? (Str){ mark + 1, (size_t)(target.at + target.n - mark - 1) } : (Str){ "", 0 };
    return r->path.n && r->path.at[0] == '/' ? 0 : 400;
}

/* A header twice could be read one way here and another way elsewhere. */
static bool take_header(Str *place, Str value)
{
    if (place->at) return false;
    *place = value;
    return true;
}

static int read_header(Str line, Request *r, Str *length)
{
    const char *colon = memchr(line.at, ':', line.n);
    if (!colon || colon == line.at) return 400;
    Str name = { line.at, (size_t)(colon - line.at) };
    Str value = trimmed((Str){ colon + 1, (size_t)(line.at + line.n - colon - 1) });
    const struct {
        const char *name;
        Str *place;
    } known[] = { { "host", &r->host },
                  { "origin", &r->origin },
                  { "x-acausal-token", &r->token },
                  { "sec-fetch-site", &r->fetch_site },
                  { "content-length", length } };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (same_word(name, known[i].name) && !take_header(known[i].place, value)) return 400;
    if (same_word(name, "transfer-encoding")) return 501;
    if (same_word(name, "connection") && same_word(value, "close")) r->keep = false;
    return 0;
}

static int read_head(Str head, Request *r, Str *length)
{
    const char *at = head.at, *end = head.at + head.n;
    int status = -1;
    while (at < end) {
        const char *newline = memmem(at, (size_t)(end - at), "\r\n", 2);
        Str line = { at, (size_t)((newline ? newline : end) - at) };
        if (memchr(line.at, 0, line.n) || memchr(line.at, '\n', line.n)) return 400;
        status = status < 0 ? read_first_line(line, r) : read_header(line, r, length);
        if (status) return status;
        at = newline ? newline + 2 : end;
    }
    return status < 0 ? 400 : 0;
}

/* The length of the body; SIZE_MAX: not a number that may be. */
static size_t body_length(Str length)
{
    size_t n = 0;
    if (!length.at) return 0;
    if (!length.n || length.n > 12) return SIZE_MAX;
    for (size_t i = 0; i < length.n; i++) {
        if (length.at[i] < '0' || length.at[i] > '9') return SIZE_MAX;
        n = 10 * n + (size_t)(length.at[i] - '0');
    }
    return n;
}

int http_read(Connection *c, Request *r)
{
    const char *end;
    c->deadline = clock_wall() + REQUEST_SECONDS;
    while (!(end = memmem(c->buffer, c->n, "\r\n\r\n", 4)))
        if (!receive(c, HEAD_MOST)) return c->n >= HEAD_MOST ? 431 : -1;
    size_t head = (size_t)(end - c->buffer);
    if (head > HEAD_MOST) return 431;
    char *copy = arena_copy(r->arena, (Str){ c->buffer, head });
    Str length = { NULL, 0 };
    int status = read_head((Str){ copy, head }, r, &length);
    if (status) return status;
    size_t n = body_length(length), total = head + 4 + n;
    if (n == SIZE_MAX) return 400;
    if (n > BODY_MOST) return 413;
    while (c->n < total)
        if (!receive(c, HEAD_MOST + BODY_MOST + 8)) return -1;
    r->body = (Str){ arena_copy(r->arena, (Str){ c->buffer + head + 4, n }), n };
    memmove(c->buffer, c->buffer + total, c->n - total);
    c->n -= total;
    return 0;
}

static bool send_all(int socket, const char *at, size_t n)
{
    while (n) {
        ssize_t sent = send(socket, at, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        n -= (size_t)sent;
    }
    return true;
}

static const char *reason_of(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = { { 200, "OK" },
                    { 400, "Bad Request" },
                    { 403, "Forbidden" },
                    { 404, "Not Found" },
                    { 405, "Method Not Allowed" },
                    { 409, "Conflict" },
                    { 413, "Content Too Large" },
                    { 429, "Too Many Requests" },
                    { 431, "Request Header Fields Too Large" },
                    { 500, "Internal Server Error" },
                    { 501, "Not Implemented" },
                    { 503, "Service Unavailable" },
                    { 505, "HTTP Version Not Supported" } };
    for (size_t i = 0; i < COUNT_OF(reasons); i++)
        if (reasons[i].status == status) return reasons[i].reason;
    return "Error";
}

bool http_write(const Connection *c, const Response *r, bool keep)
{
    Text head = { .arena = r->body.arena };
    text_printf(
        &head,
        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: %s\r\n"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n",
        r->status, reason_of(r->status), r->type, r->body.n, keep ? "keep-alive" : "close");
    if (r->policy) text_printf(&head, "Content-Security-Policy: %s\r\n", r->policy);
    if (r->file) text_printf(&head, "Content-Disposition: attachment; filename=\"%s\"\r\n", r->file);
    text_add_literal(&head, "\r\n");
    return send_all(c->socket, head.at, head.n) && send_all(c->socket, r->body.at, r->body.n);
}

/* ---- values ---------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static char *decoded(Arena *arena, Str s)
{
    char *out = arena_alloc(arena, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        int high = s.at[i] == '%' && i + 2 < s.n ? hex_digit(s.at[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(s.at[i + 2]) : -1;
        if (low >= 0) i += 2;
        out[n++] = low >= 0 ? (char)(16 * high + low) : s.at[i] == '+' ? ' ' : s.at[i];
    }
    out[n] = 0;
    return out;
}

static const char *find_value(const Request *r, Str pairs, const char *name, size_t *n)
{
    const char *at = pairs.at, *end = pairs.at + pairs.n;
    while (at < end) {
        const char *stop = memchr(at, '&', (size_t)(end - at));
        Str pair = { at, (size_t)((stop ? stop : end) - at) };
        const char *equal = memchr(pair.at, '=', pair.n);
        Str key = { pair.at, equal ? (size_t)(equal - pair.at) : pair.n };
        if (equal && str_is(key, name) && (*n)-- == 0)
            return decoded(r->arena, (Str){ equal + 1, (size_t)(pair.at + pair.n - equal - 1) });
        at = stop ? stop + 1 : end;
    }
    return NULL;
}

const char *http_value(const Request *r, const char *name, size_t n)
{
    const char *value = find_value(r, r->query, name, &n);
    return value ? value : find_value(r, r->body, name, &n);
}

size_t http_size(const Request *r, const char *name, size_t otherwise)
{
    const char *value = http_value(r, name, 0);
    char *end;
    if (!value || *value < '0' || *value > '9') return otherwise;
    unsigned long long n = strtoull(value, &end, 10);
    return *end ? otherwise : (size_t)n;
}
