/* x' = A x, y = 2 x with arrays: A turns x, which has two elements. References: 1 x (states), 3
 * der(x), 5 y, 7 A by rows, 20 n. */
enum { STATES = 2, INDICATORS = 0 };
#define ELEMENTS(vr) ((vr) == 7 ? 4 : (vr) < 7 ? 2 : 1)
static void start(Data *d)
{
    d->r[1] = 1;
    d->r[8] = -1;
    d->r[9] = 1;
    d->i[20] = 2;
    d->next = INFINITY;
}
static int evaluate(Data *d)
{
    for (int k = 0; k < 2; k++) {
        d->r[3 + k] = d->r[7 + 2 * k] * d->r[1] + d->r[8 + 2 * k] * d->r[2];
        d->r[5 + k] = 2 * d->r[1 + k];
    }
    return OK;
}
static void indicators(Data *d, double *g) { (void)d, (void)g; }
static void event(Data *d, Change *change) { (void)d, (void)change; }
static bool directional(Data *d, int j, double *out) { return (void)d, (void)j, (void)out, false; }
