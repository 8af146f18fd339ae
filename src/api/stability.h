/* stability.h: where integrators are stable, as a picture (stability.c). */
#ifndef ACAUSAL_API_STABILITY_H
#define ACAUSAL_API_STABILITY_H

#include "result/chart.h"
#include "solve/solve.h"

/* The chart is in the arena. order 0: all that the method has. False: *why says why not. */
bool stability_chart(Arena *arena, const SolverType *type, int order, Chart *chart, const char **why);

#endif
