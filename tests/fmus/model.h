/* model.h: what the FMUs of the tests have in common, whatever their version: a model with reals,
 * integers and Booleans by reference, written for the tests. A model file defines the numbers and
 * functions below; fmi1.c, fmi2.c and fmi3.c make an FMU of it. MODEL names the file, TOKEN its
 * guid, FMU_ID its identifier (version 1). */
#ifndef FMUS_MODEL_H
#define FMUS_MODEL_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    REALS = 32,
    INTEGERS = 32,
    LETTERS = 64,
    OK = 0,
    WARNING = 1,
    DISCARD = 2,
    ERROR = 3,
    FATAL = 4,
    PENDING = 5
};

typedef struct {
    double t, r[REALS]; /* reference k is r[k] */
    int64_t i[INTEGERS];
    bool b[INTEGERS];
    char s[INTEGERS][LETTERS];                /* strings and binaries */
    size_t size[INTEGERS];                    /* of binaries */
    double slope[REALS], base[REALS], t_base; /* inputs that are straight lines over a step */
    void (*ask)(void *environment, double t); /* for inputs inside of a step; may be NULL */
    char resources[512];
    bool initialised;
    int misbehaviour; /* what it was told to do wrong */
    double next;      /* time event; INFINITY: none */
    void (*log)(void *environment, const char *text);
    void *environment;
} Data;

typedef struct {
    bool again, terminate, states_changed;
} Change;

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#include TEXT(MODEL)

#ifndef ELEMENTS
#define ELEMENTS(vr) 1 /* of the array with this reference */
#endif
#ifndef NOMINAL
#define NOMINAL 1
#endif
#ifndef WHAT
#define WHAT(d) 0 /* that goes wrong */
#endif

/* A model file defines:
 *   enum { STATES, INDICATORS }; states are r[1..STATES], derivatives r[STATES+1..2 STATES]
 *   start(d): start values; evaluate(d): everything that follows from time, states and inputs;
 *   returns a status
 *   indicators(d, g); event(d, change): event iteration; directional(d, j, out): column j of the
 *   Jacobian, or false */

/* Whether the call of this function is to fail: the variable FAIL_AT of the environment names
 * it. */
static bool fails(const char *function)
{
    const char *at = getenv("FAIL_AT");
    return at && !strcmp(at, function);
}

/* Inputs as they are at this time of a step. */
static void move_inputs(Data *d)
{
    for (int k = 0; k < REALS; k++)
        if (d->slope[k] != 0) d->r[k] = d->base[k] + d->slope[k] * (d->t - d->t_base);
    if (d->ask) d->ask(d->environment, d->t);
}

static void set_slope(Data *d, unsigned vr, double slope)
{
    d->slope[vr % REALS] = slope;
    d->base[vr % REALS] = d->r[vr % REALS];
    d->t_base = d->t;
}

/* The same for all: an explicit integration with events at the ends of small steps, for
 * co-simulation. */
static int integrate(Data *d, double to, bool leaves_events, bool *terminate)
{
    enum { PIECES = 200 };
    double h = (to - d->t) / PIECES, before[8], after[8];
    *terminate = false;
    for (int k = 0; k < PIECES && !*terminate; k++) {
        double x[8], f[8];
        move_inputs(d);
        int status = evaluate(d);
        if (status > WARNING) return status;
        indicators(d, before);
        for (int j = 0; j < STATES; j++) {
            x[j] = d->r[1 + j];
            f[j] = d->r[1 + STATES + j];
            d->r[1 + j] = x[j] + h / 2 * f[j];
        }
        d->t += h / 2;
        move_inputs(d);
        evaluate(d);
        for (int j = 0; j < STATES; j++) d->r[1 + j] = x[j] + h * d->r[1 + STATES + j];
        d->t = k + 1 == PIECES ? to : d->t + h / 2;
        evaluate(d);
        indicators(d, after);
        /* inputs may have jumped before the step */
        bool crossed = d->next <= d->t + 1e-12 || k == 0;
        for (int j = 0; j < INDICATORS; j++) crossed |= (before[j] > 0) != (after[j] > 0);
        for (Change change = { .again = crossed && !leaves_events }; change.again;) {
            change = (Change){ 0 };
            event(d, &change);
            *terminate |= change.terminate;
        }
    }
    move_inputs(d);
    memset(d->slope, 0, sizeof d->slope);
    return evaluate(d);
}

#endif
