/* Every type from an input to an output: reals 1 to 2, 3 (discrete) to 4, integers 5 to 6, Booleans 7 to 8. */
enum { STATES = 0, INDICATORS = 0 };
static void start(Data *d) { d->next = INFINITY; }
static int evaluate(Data *d)
{
    d->r[2] = d->r[1];
    return OK;
}
static void indicators(Data *d, double *g) { (void)d, (void)g; }
static void event(Data *d, Change *change)
{
    (void)change;
    d->r[4] = d->r[3];
    d->i[6] = d->i[5];
    d->b[8] = d->b[7];
}
static bool directional(Data *d, int j, double *out) { return (void)d, (void)j, (void)out, false; }
