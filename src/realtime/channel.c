/* channel.c: values to and from another process or machine, over UDP or shared memory, in a fixed
 * layout.
 *
 * In and out: records as realtime.h says them. How: UDP packets, one record each, of which the
 * newest counts; or a region of shared memory with a sequence number that is odd while it is
 * written. Always: nothing waits, nothing is allocated after opening; what is not a record of ours,
 * or has more values than wanted, is not taken. Cost: one system call a record, none for shared
 * memory. Tests: tests/realtime/channel_test.c. */
#include "realtime/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT32_C(0x54524341) /* "ACRT" in little endian */
enum { VERSION = 1, LONGEST_NAME = 200 };

struct RtChannel {
    int socket;
    int port;
    unsigned char *shared;   /* two records; NULL: UDP */
    size_t out, in;          /* their offsets for this side */
    char name[LONGEST_NAME]; /* of shared memory that this side made */
    uint64_t sequence, seen;
    unsigned char record[RT_RECORD];
};

static void put(unsigned char *at, uint64_t value, int bytes)
{
    for (int k = 0; k < bytes; k++) at[k] = (unsigned char)(value >> 8 * k);
}

static uint64_t get(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int k = 0; k < bytes; k++) value |= (uint64_t)at[k] << 8 * k;
    return value;
}

static void put_real(unsigned char *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(at, bits, 8);
}

static double get_real(const unsigned char *at)
{
    uint64_t bits = get(at, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool fail(char *why, size_t room, const char *what, const char *reason)
{
    snprintf(why, room, "%s: %s", what, reason);
    return false;
}

/* HOST:PORT or HOST:PORT:LOCAL. */
static bool open_udp(RtChannel *c, const char *where, char *why, size_t room)
{
    char text[LONGEST_NAME];
    snprintf(text, sizeof text, "%s", where);
    char *port = strchr(text, ':'), *local = port ? strchr(port + 1, ':') : NULL;
    if (!port || port == text || !port[1]) return fail(why, room, where, "expected udp:HOST:PORT");
    *port++ = 0;
    if (local) *local++ = 0;
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM }, *found = NULL, *own = NULL;
    int code = getaddrinfo(text, port, &hints, &found);
    if (code) return fail(why, room, where, gai_strerror(code));
    hints.ai_family = found->ai_family;
    hints.ai_flags = AI_PASSIVE;
    code = getaddrinfo(NULL, local ? local : "0", &hints, &own);
    c->socket = code ? -1 : socket(found->ai_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool ok = c->socket >= 0 && bind(c->socket, own->ai_addr, own->ai_addrlen) == 0 &&
              connect(c->socket, found->ai_addr, found->ai_addrlen) == 0;
    if (!ok) fail(why, room, where, code ? gai_strerror(code) : strerror(errno));
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    char service[16] = "0";
    if (ok && getsockname(c->socket, (struct sockaddr *)&name, &size) == 0 &&
        getnameinfo((struct sockaddr *)&name, size, NULL, 0, service, sizeof service, NI_NUMERICSERV) == 0)
        c->port = atoi(service);
    freeaddrinfo(found);
    if (own) freeaddrinfo(own);
    return ok;
}

static bool open_shared(RtChannel *c, const char *name, bool is_peer, char *why, size_t room)
{
    if (name[0] != '/' || strlen(name) >= LONGEST_NAME) return fail(why, room, name, "expected shm:/NAME");
    int file = shm_open(name, is_peer ? O_RDWR : O_RDWR | O_CREAT, 0600);
    if (file < 0) return fail(why, room, name, strerror(errno));
    struct stat info = { 0 };
    bool ok = is_peer ? fstat(file, &info) == 0 && info.st_size >= 2 * RT_RECORD
                      : ftruncate(file, 2 * RT_RECORD) == 0;
    void *at = ok ? mmap(NULL, 2 * RT_RECORD, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (at == MAP_FAILED) fail(why, room, name, ok ? strerror(errno) : "not a region of a run");
    close(file);
    if (at == MAP_FAILED) return false;
    c->shared = at;
    c->out = is_peer ? RT_RECORD : 0;
    c->in = is_peer ? 0 : RT_RECORD;
    if (!is_peer) snprintf(c->name, sizeof c->name, "%s", name);
    if (!is_peer) memset(at, 0, 2 * RT_RECORD);
    return true;
}

RtChannel *channel_open(const char *where, bool is_peer, char *why, size_t room)
{
    RtChannel *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->socket = -1;
    bool ok = !strncmp(where, "udp:", 4)   ? open_udp(c, where + 4, why, room)
              : !strncmp(where, "shm:", 4) ? open_shared(c, where + 4, is_peer, why, room)
                                           : fail(why, room, where, "expected udp:HOST:PORT or shm:/NAME");
    if (ok) return c;
    channel_close(c);
    return NULL;
}

void channel_close(RtChannel *c)
{
    if (!c) return;
    if (c->socket >= 0) close(c->socket);
    if (c->shared) munmap(c->shared, 2 * RT_RECORD);
    if (c->name[0]) shm_unlink(c->name);
    free(c);
}

int channel_port(const RtChannel *c) { return c->port; }

/* ---- records --------------------------------------------------------------------------------- */

static size_t write_record(unsigned char *at, uint64_t sequence, double t, unsigned flags,
                           const double *values, size_t n)
{
    put(at, MAGIC, 4);
    put(at + 4, VERSION, 4);
    put(at + 8, sequence, 8);
    put_real(at + 16, t);
    put(at + 24, n, 4);
    put(at + 28, flags, 4);
    for (size_t k = 0; k < n; k++) put_real(at + RT_PACKET_HEAD + 8 * k, values[k]);
    return RT_PACKET_HEAD + 8 * n;
}

/* The values of a record of `size` bytes; 0 if it is none of ours. */
static size_t read_record(const unsigned char *at, size_t size, double *t, unsigned *flags, double *values,
                          size_t room)
{
    if (size < RT_PACKET_HEAD || get(at, 4) != MAGIC || get(at + 4, 4) != VERSION) return 0;
    size_t n = (size_t)get(at + 24, 4);
    if (n > RT_MOST_VALUES || n > room || RT_PACKET_HEAD + 8 * n > size) return 0;
    *t = get_real(at + 16);
    *flags = (unsigned)get(at + 28, 4);
    for (size_t k = 0; k < n; k++) values[k] = get_real(at + RT_PACKET_HEAD + 8 * k);
    return n;
}

static void send_shared(RtChannel *c, double t, unsigned flags, const double *values, size_t n)
{
    unsigned char *at = c->shared + c->out;
    c->sequence += 2;
    put(at + 8, c->sequence - 1, 8);
    atomic_thread_fence(memory_order_seq_cst);
    write_record(at, c->sequence - 1, t, flags, values, n);
    atomic_thread_fence(memory_order_seq_cst);
    put(at + 8, c->sequence, 8);
}

void channel_send(RtChannel *c, double t, unsigned flags, const double *values, size_t n)
{
    if (n > RT_MOST_VALUES) n = RT_MOST_VALUES;
    if (c->shared) {
        send_shared(c, t, flags, values, n);
        return;
    }
    size_t size = write_record(c->record, ++c->sequence, t, flags, values, n);
    ssize_t sent = send(c->socket, c->record, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)sent; /* a packet that is lost is lost: the next one follows in a step */
}

static size_t receive_shared(RtChannel *c, double *t, unsigned *flags, double *values, size_t room)
{
    const unsigned char *at = c->shared + c->in;
    uint64_t before = get(at + 8, 8);
    if (before % 2 || before == c->seen) return 0;
    atomic_thread_fence(memory_order_seq_cst);
    memcpy(c->record, at, RT_RECORD);
    atomic_thread_fence(memory_order_seq_cst);
    if (get(at + 8, 8) != before) return 0;
    c->seen = before;
    return read_record(c->record, RT_RECORD, t, flags, values, room);
}

size_t channel_receive(RtChannel *c, double *t, unsigned *flags, double *values, size_t room)
{
    enum { MOST_PACKETS = 8 }; /* a step must not be kept busy by a flood */
    if (c->shared) return receive_shared(c, t, flags, values, room);
    size_t newest = 0;
    for (int k = 0; k < MOST_PACKETS; k++) {
        ssize_t size = recv(c->socket, c->record, sizeof c->record, MSG_DONTWAIT);
        if (size < 0) break;
        size_t n = read_record(c->record, (size_t)size, t, flags, values, room);
        if (n) newest = n;
    }
    return newest;
}
