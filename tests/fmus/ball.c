/* A ball: h' = v, v' = -g, bounces with restitution e until it rests. References: 1 h, 2 v, 3 and 4
 * their derivatives, 5 e, 6 g; Boolean 7 flying. */
enum { STATES = 2, INDICATORS = 1 };
static void start(Data *d)
{
    d->r[1] = 1;
    d->r[5] = 0.7;
    d->r[6] = 9.81;
    d->b[7] = true;
    d->next = INFINITY;
}
static int evaluate(Data *d)
{
    d->r[3] = d->r[2];
    d->r[4] = d->b[7] ? -d->r[6] : 0;
    return OK;
}
static void indicators(Data *d, double *g)
{
    g[0] = d->b[7] ? d->r[1] + (d->r[1] == 0 && d->r[2] > 0 ? 1e-300 : 0) : 1;
}
static void event(Data *d, Change *change)
{
    if (d->r[1] > 0 || d->r[2] >= 0) return;
    d->r[1] = 0;
    d->r[2] *= -d->r[5];
    if (d->r[2] < 0.05) d->r[2] = 0, d->b[7] = false;
    change->states_changed = true;
}
static bool directional(Data *d, int j, double *out) { return (void)d, (void)j, (void)out, false; }
