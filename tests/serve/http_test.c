/* Requests are read as they are meant, whole or in pieces, and refused when they are not what they
 * should be; values are decoded. */
#include "serve/inside.h"
#include "test.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct {
    const char *text;
    int status;
} requests[] = {
    { "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 0 },
    { "GET /a?b=c HTTP/1.0\r\n\r\n", 0 },
    { "POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", 0 },
    { "POST /a HTTP/1.1\r\nContent-Length: 4\r\n\r\nabc", -1 },
    { "GET / HTTP/1.1\r\nHost: x\r\n", -1 },
    { "", -1 },
    { "GET /\r\n\r\n", 400 },
    { "GET  HTTP/1.1\r\n\r\n", 400 },
    { "GET / HTTP/2\r\n\r\n", 505 },
    { "PUT / HTTP/1.1\r\n\r\n", 405 },
    { "GET / HTTP/1.1\r\n: x\r\n\r\n", 400 },
    { "GET / HTTP/1.1\r\nno colon\r\n\r\n", 400 },
    { "GET / HTTP/1.1\nHost: x\r\n\r\n", 400 },
    { "GET / HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nContent-Length: 4194305\r\n\r\n", 413 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501 },
};

static int read_text(const char *text, size_t piece, Request *q)
{
    int pair[2];
    static char buffer[HEAD_MOST + BODY_MOST + 16];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 999;
    Connection c = { .socket = pair[0], .buffer = buffer };
    size_t n = strlen(text);
    for (size_t at = 0; at < n; at += piece)
        if (send(pair[1], text + at, size_min(piece, n - at), 0) < 0) break;
    close(pair[1]);
    int status = http_read(&c, q);
    close(pair[0]);
    return status;
}

int main(void)
{
    Arena *arena = arena_new();
    for (size_t i = 0; i < COUNT_OF(requests); i++)
        for (size_t piece = 1; piece < 2000; piece += 998) {
            Request q = { .arena = arena };
            CHECK_ROW(read_text(requests[i].text, piece, &q) == requests[i].status, requests[i].text);
        }
    Request q = { .arena = arena };
    CHECK(read_text("POST /p?set=a%3D1&x=%zz&e=&plus=a+b HTTP/1.1\r\nX-Acausal-Token:  t \r\nContent-Length: "
                    "22\r\n\r\n"
                    "set=b%3d%C3%A9&last=%4",
                    7, &q) == 0);
    CHECK(str_is(q.method, "POST") && str_is(q.path, "/p") && str_is(q.token, "t") && q.keep);
    CHECK_TEXT(http_value(&q, "set", 0), "a=1");
    CHECK_TEXT(http_value(&q, "set", 1), "b=é");
    CHECK(!http_value(&q, "set", 2) && !http_value(&q, "se", 0));
    CHECK_TEXT(http_value(&q, "x", 0), "%zz");
    CHECK_TEXT(http_value(&q, "e", 0), "");
    CHECK_TEXT(http_value(&q, "plus", 0), "a b");
    CHECK_TEXT(http_value(&q, "last", 0), "%4");
    CHECK(http_size(&q, "plus", 7) == 7);
    arena_free(arena);
    return test_end();
}
