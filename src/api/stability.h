/* stability.h: where integrators are stable, as a picture (stability.c). */
#ifndef ACAUSAL_API_STABILITY_H
#define ACAUSAL_API_STABILITY_H

#include "api/inside.h"
#include "result/chart.h"

/* simulate.c: an integrator by its name, or by a file with a tableau. NULL after an error. */
const SolverType *session_solver(AcausalSession *session, Arena *arena, const char *name);
/* The chart is in the arena. order 0: all that the method has. False: *why says why not. */
bool stability_chart(Arena *arena, const SolverType *type, int order, Chart *chart, const char **why);

#endif
