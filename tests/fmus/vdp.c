/* Van der Pol's oscillator, mu = 5. References: 1 x0, 2 x1, 3 and 4 their derivatives, 5 mu. */
enum { STATES = 2, INDICATORS = 0 };
static void start(Data *d)
{
    d->r[1] = 2;
    d->r[5] = 5;
    d->next = INFINITY;
}
static int evaluate(Data *d)
{
    d->r[3] = d->r[2];
    d->r[4] = d->r[5] * (1 - d->r[1] * d->r[1]) * d->r[2] - d->r[1];
    return OK;
}
static void indicators(Data *d, double *g) { (void)d, (void)g; }
static void event(Data *d, Change *change) { (void)d, (void)change; }
static bool directional(Data *d, int j, double *out)
{
    out[0] = j == 1;
    out[1] = j == 0 ? -2 * d->r[5] * d->r[1] * d->r[2] - 1 : d->r[5] * (1 - d->r[1] * d->r[1]);
    return true;
}
