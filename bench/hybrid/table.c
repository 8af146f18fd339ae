/* table.c: all hybrid problems. */
#include "bench/hybrid/problems.h"

const HybridProblem *const hybrid_problems[] = {
    &hybrid_ball,   &hybrid_rectifier, &hybrid_rectifier_dae, &hybrid_buck,
    &hybrid_clutch, &hybrid_friction,  &hybrid_thermostats,   &hybrid_neurons,
    &hybrid_valve,  &hybrid_sampled,   &hybrid_sampled_stiff,
};
const size_t hybrid_problem_count = COUNT_OF(hybrid_problems);
