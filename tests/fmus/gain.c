/* y = a u + b, without delay: for algebraic loops. References: 1 u, 2 y, 3 a, 4 b. */
enum { STATES = 0, INDICATORS = 0 };
static void start(Data *d)
{
    d->r[3] = 1;
    d->next = INFINITY;
}
static int evaluate(Data *d)
{
    d->r[2] = d->r[3] * d->r[1] + d->r[4];
    return OK;
}
static void indicators(Data *d, double *g) { (void)d, (void)g; }
static void event(Data *d, Change *change) { (void)d, (void)change; }
static bool directional(Data *d, int j, double *out) { return (void)d, (void)j, (void)out, false; }
