/* Counts the ticks of three clocks: clock 1 ticks every 0.5 from 0.25 on, clock 2 as the FMU counts
 * down, 0.3 after each tick of clock 1, clock 3 every 0.4 as the FMU says. References: clocks 1, 2,
 * 3; integers 4, 5, 6 count their ticks. */
enum { STATES = 0, INDICATORS = 0 };
#define HAS_CLOCKS
static void start(Data *d) { d->next = INFINITY; }
static int evaluate(Data *d) { return (void)d, OK; }
static void indicators(Data *d, double *g) { (void)d, (void)g; }
static void event(Data *d, Change *change)
{
    (void)change;
    for (int k = 1; k <= 3; k++) d->i[3 + k] += d->b[k];
    if (d->b[1]) d->r[2] = 1; /* the countdown begins */
    d->b[1] = d->b[2] = d->b[3] = false;
}
static bool directional(Data *d, int j, double *out) { return (void)d, (void)j, (void)out, false; }
/* The interval of a clock: 2 if it is new, 1 if it is as before, 0 if it is not known. */
static int interval(Data *d, unsigned vr, double *seconds)
{
    bool counts = vr == 2 && d->r[2] == 1;
    *seconds = vr == 2 ? 0.3 : 0.4;
    if (counts) d->r[2] = 0;
    return counts || vr == 3 ? 2 : 0;
}
