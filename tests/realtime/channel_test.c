/* Records pass as the layout says, over UDP and shared memory; the newest counts; what is no record
 * of ours is not taken. */
#include "test.h"

#include "realtime/realtime.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static size_t wait_for(RtChannel *c, double *t, unsigned *flags, double *values, size_t room)
{
    for (int k = 0; k < 200; k++) {
        size_t n = channel_receive(c, t, flags, values, room);
        if (n) return n;
        usleep(500);
    }
    return 0;
}

static void pass(RtChannel *a, RtChannel *b)
{
    const double sent[] = { 1.5, -2, 1e300 };
    double got[4] = { 0 }, t;
    unsigned flags;
    CHECK(channel_receive(b, &t, &flags, got, 4) == 0);
    channel_send(a, 0.25, 0, sent, 2);
    channel_send(a, 0.5, 1, sent, 3);
    usleep(2000);
    CHECK(wait_for(b, &t, &flags, got, 4) == 3);
    CHECK(t == 0.5 && flags == 1 && got[0] == 1.5 && got[1] == -2 && got[2] == 1e300);
    CHECK(channel_receive(b, &t, &flags, got, 4) == 0);
    channel_send(a, 1, 0, sent, 3);
    usleep(2000);
    CHECK(channel_receive(b, &t, &flags, got, 2) == 0); /* more than there is room for */
}

static void test_udp(void)
{
    char why[200] = "", where[64];
    int base = 20000 + (int)(getpid() % 20000);
    snprintf(where, sizeof where, "udp:127.0.0.1:%d:%d", base + 1, base);
    RtChannel *a = channel_open(where, false, why, sizeof why);
    snprintf(where, sizeof where, "udp:127.0.0.1:%d:%d", base, base + 1);
    RtChannel *b = channel_open(where, true, why, sizeof why);
    if (!CHECK(a && b)) printf("  %s\n", why);
    if (a && b) {
        CHECK(channel_port(a) == base);
        pass(a, b);
        pass(b, a);
    }
    channel_close(a);
    channel_close(b);
}

/* A stranger's bytes on the port of a run. */
static void test_strangers(void)
{
    char why[200] = "", where[64];
    int base = 20000 + (int)((getpid() + 7) % 20000);
    snprintf(where, sizeof where, "udp:127.0.0.1:%d:%d", base + 1, base);
    RtChannel *a = channel_open(where, false, why, sizeof why);
    struct sockaddr_in from = { .sin_family = AF_INET, .sin_port = htons((uint16_t)(base + 1)) };
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)base) };
    from.sin_addr.s_addr = to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    if (!CHECK(a && s >= 0 && bind(s, (struct sockaddr *)&from, sizeof from) == 0)) return;
    const unsigned char junk[][40] = { "short", "ACRT\x02",
                                       "ACRT\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff" };
    for (size_t k = 0; k < 3; k++)
        CHECK(sendto(s, junk[k], k ? 40 : 5, 0, (struct sockaddr *)&to, sizeof to) > 0);
    usleep(2000);
    double t, values[8];
    unsigned flags;
    CHECK(channel_receive(a, &t, &flags, values, 8) == 0);
    close(s);
    channel_close(a);
}

static void test_shared(void)
{
    char why[200] = "", where[64];
    snprintf(where, sizeof where, "shm:/acausal-test-%d", (int)getpid());
    CHECK(channel_open(where, true, why, sizeof why) == NULL); /* no run made it */
    RtChannel *a = channel_open(where, false, why, sizeof why),
              *b = channel_open(where, true, why, sizeof why);
    if (CHECK(a && b)) {
        pass(a, b);
        pass(b, a);
    }
    channel_close(b);
    channel_close(a);
}

static void test_bad(void)
{
    static const char *const wheres[] = { "udp:", "udp:host", "udp:127.0.0.1:", "shm:name", "tcp:1:2", "" };
    for (size_t k = 0; k < sizeof wheres / sizeof wheres[0]; k++) {
        char why[200] = "";
        CHECK_ROW(channel_open(wheres[k], false, why, sizeof why) == NULL && why[0], wheres[k]);
    }
}

int main(void)
{
    test_udp();
    test_strangers();
    test_shared();
    test_bad();
    return test_end();
}
