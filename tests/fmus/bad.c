/* x' = -x until t = 1, then what parameter 3 says goes wrong: 1 not a number, 2 an error, 3 a fatal
 * error, 4 discarded, 5 a crash, 6 it hangs, 7 events without end, 8 steps longer than 0.01 are
 * discarded and leave it in ruins, 9 steps are asynchronous, 10 it writes to the file that the
 * variable EVIL of its environment names, 11 it opens a socket: both are errors where they succeed.
 * References: 1 x, 2 der(x), 3 what. */
#include <sys/socket.h>
#define WHAT(d) ((int)(d)->r[3])
enum { STATES = 1, INDICATORS = 1 };
static void start(Data *d)
{
    d->r[1] = 1;
    d->next = INFINITY;
}
static int evaluate(Data *d)
{
    d->r[2] = -d->r[1];
    if (d->t < 1 || !d->initialised) return OK;
    switch ((int)d->r[3]) {
    case 1: d->r[2] = NAN; return OK;
    case 2: d->log(d->environment, "something went wrong on purpose"); return ERROR;
    case 3: return FATAL;
    case 4: return DISCARD;
    case 5: abort();
    case 10:
        if (getenv("EVIL") && fopen(getenv("EVIL"), "w")) d->log(d->environment, "written outside");
        return getenv("EVIL") && fopen(getenv("EVIL"), "r") ? ERROR : OK;
    case 11:
        if (socket(AF_INET, SOCK_STREAM, 0) < 0) return OK;
        d->log(d->environment, "there is a network");
        return ERROR;
    case 6:
        for (volatile int k = 0; k >= 0;) k = 0;
        return OK;
    default: return OK;
    }
}
static void indicators(Data *d, double *g) { g[0] = (int)d->r[3] == 7 ? 1 - d->t : 1; }
static void event(Data *d, Change *change) { change->again = (int)d->r[3] == 7 && d->t >= 1; }
static bool directional(Data *d, int j, double *out) { return (void)d, (void)j, (void)out, false; }
