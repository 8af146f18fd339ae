/* problems.h: the rows of the table, by file. */
#ifndef ACAUSAL_BENCH_IVP_PROBLEMS_H
#define ACAUSAL_BENCH_IVP_PROBLEMS_H

#include "bench/ivp/ivp.h"

#include <math.h>

extern const IvpProblem ivp_robertson, ivp_robertson_dae, ivp_orego, ivp_hires, ivp_pollution, ivp_e5,
    ivp_bruss1d, ivp_bruss2d, ivp_medakzo, ivp_chemakzo;                   /* chemistry.c */
extern const IvpProblem ivp_arenstorf, ivp_pleiades, ivp_lorenz, ivp_beam; /* mechanics.c */
extern const IvpProblem ivp_vdpol, ivp_ringmod, ivp_transamp;              /* circuits.c */

extern const IvpProblem ivp_squeezer, ivp_squeezer1, ivp_squeezer0; /* squeezer.c */
extern const IvpProblem ivp_emep;                                   /* emep.c */
extern const IvpProblem ivp_plate, ivp_fekete;                      /* surfaces.c */
extern const IvpProblem ivp_kepler, ivp_duffing, ivp_top, ivp_nerve, ivp_b5, ivp_robinson, ivp_cusp,
    ivp_axis; /* unseen.c */

#endif
