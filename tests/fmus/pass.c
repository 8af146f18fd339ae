/* Every type from an input to an output: reals 1 to 2, 3 (discrete) to 4, integers 5 to 6, Booleans
 * 7 to 8, strings 9 to 10; version 3 only: binaries 11 to 12, 64-bit integers 13 to 14, small ones
 * 15 to 16. The string 17 is never there. */
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
    d->i[14] = d->i[13];
    d->i[16] = d->i[15];
    d->size[12] = d->size[11];
    memcpy(d->s[10], d->s[9], LETTERS);
    memcpy(d->s[12], d->s[11], LETTERS);
}
static bool directional(Data *d, int j, double *out) { return (void)d, (void)j, (void)out, false; }
