/* x' = -k x + u, y = 2 x; count counts whole seconds. References: 1 x, 2 der(x), 3 k, 4 u, 5 y;
 * integer 6 count. */
enum { STATES = 1, INDICATORS = 0 };
static void start(Data *d)
{
    d->r[1] = d->r[3] = 1;
    d->next = 1;
}
static int evaluate(Data *d)
{
    d->r[2] = -d->r[3] * d->r[1] + d->r[4];
    d->r[5] = 2 * d->r[1];
    return OK;
}
static void indicators(Data *d, double *g) { (void)d, (void)g; }
static void event(Data *d, Change *change)
{
    (void)change;
    if (d->t < d->next - 1e-12) return;
    d->i[6]++;
    d->next += 1;
}
static bool directional(Data *d, int j, double *out)
{
    (void)j;
    out[0] = -d->r[3];
    return true;
}
