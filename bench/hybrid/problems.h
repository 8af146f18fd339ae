/* problems.h: the rows of hybrid.h. */
#ifndef ACAUSAL_BENCH_HYBRID_PROBLEMS_H
#define ACAUSAL_BENCH_HYBRID_PROBLEMS_H

#include "bench/hybrid/hybrid.h"

extern const HybridProblem hybrid_ball, hybrid_clutch, hybrid_friction, hybrid_valve;
extern const HybridProblem hybrid_rectifier, hybrid_rectifier_dae, hybrid_buck, hybrid_sampled,
    hybrid_sampled_stiff;
extern const HybridProblem hybrid_thermostats, hybrid_neurons;
extern const HybridProblem hybrid_cradle, hybrid_gap, hybrid_relay, hybrid_boost, hybrid_reactor,
    hybrid_tanks;

#endif
