/* x' = -x, as decay, from a tool that behaves as some do: it changes the locale and the direction
 * of rounding, prints to the console, writes a file where it is, has a function that is called as
 * one of its host, returns no text for a text, has nominal values of zero, and in version 1 insists
 * on a time before it initialises and on an event update after it. At t = 1 its slope doubles
 * without a word. References: 1 x, 2 der(x), 3 k. */
#include <fenv.h>
#include <locale.h>
enum { STATES = 1, INDICATORS = 0 };
#define NOMINAL 0
#define IS_WILD
double arena_new(void) { return -1; } /* a function of the host has this name */
static void start(Data *d)
{
    d->r[1] = d->r[3] = 1;
    d->next = 1;
    d->t = NAN;
    setlocale(LC_ALL, "C.UTF-8");
    fesetround(FE_UPWARD);
    printf("the FMU prints this\n");
    FILE *file = fopen("left-behind.txt", "w");
    if (file) fclose(file);
}
static int evaluate(Data *d)
{
    d->r[2] = arena_new() * d->r[3] * d->r[1];
    return OK;
}
static void indicators(Data *d, double *g) { (void)d, (void)g; }
static void event(Data *d, Change *change)
{
    (void)change;
    if (d->t < d->next - 1e-12) return;
    d->r[3] *= 2;
    d->next = INFINITY;
}
static bool directional(Data *d, int j, double *out)
{
    (void)j;
    out[0] = -d->r[3];
    return true;
}
