/* table.c: all hybrid problems. */
#include "bench/hybrid/problems.h"

const HybridProblem *const hybrid_problems[] = {
    &hybrid_ball,   &hybrid_rectifier, &hybrid_rectifier_dae, &hybrid_buck,
    &hybrid_clutch, &hybrid_friction,  &hybrid_thermostats,   &hybrid_neurons,
    &hybrid_valve,  &hybrid_sampled,   &hybrid_sampled_stiff,
};
const size_t hybrid_problem_count = COUNT_OF(hybrid_problems);

const HybridProblem *const hybrid_held_out[] = {
    &hybrid_cradle, &hybrid_gap, &hybrid_relay, &hybrid_boost, &hybrid_reactor, &hybrid_tanks,
};
const size_t hybrid_held_out_count = COUNT_OF(hybrid_held_out);
