/* profile.h: what a profiled run counted and sampled; shared by those who collect and who tell. */
#ifndef ACAUSAL_EXPLAIN_PROFILE_H
#define ACAUSAL_EXPLAIN_PROFILE_H

#include "explain/inside.h"

#include <pthread.h>
#include <stdatomic.h>

typedef enum {
    PHASE_STEPS, /* the integrator itself, output, everything else */
    PHASE_DERIVATIVES,
    PHASE_JACOBIAN,
    PHASE_INDICATORS,
    PHASE_VALUES,
    PHASE_EVENTS,
    PHASE_START,
    PHASE_COUNT
} Phase;
extern const char *const profile_phases[PHASE_COUNT];

/* After a function, until the next one: Newton's method, factors, bookkeeping. */
#define PROFILE_AFTER UINT32_C(0x80000000)

enum { PROFILE_CAUSES = 4, PROFILE_MOMENTS = 400, PROFILE_KINDS = 4 };

/* A step or an event, for time lines. */
typedef struct {
    double t, h;
    int state; /* that limited the step; -1: none is known */
} ProfileStep;

struct Profile {
    ModelType type; /* first: the model's, with what is counted before and after */
    const ModelType *inner;
    const ExplainModel *what;
    const RunModel *run; /* as it was compiled */
    RunModel watched;    /* the same, with calls that are told */
    Model *model;
    SimReport report; /* of the first run */
    int runs;
    bool counts; /* in the first run */
    /* written by the run, read by the sampler */
    atomic_uint phase, at;
    atomic_bool ends;
    pthread_t sampler;
    bool is_sampling;
    atomic_bool is_running; /* else nothing is counted */
    double began;
    /* by phase; by function, of those in it and of those after it */
    uint64_t samples, phase_samples[PHASE_COUNT];
    uint64_t *function_samples, *after_samples, *calls;
    uint32_t functions;
    /* by state, by indicator, by kind of event */
    uint64_t *limits, *crossings, kinds[PROFILE_KINDS], steps;
    uint64_t *failures; /* block_count times PROFILE_CAUSES */
    double *past[3], past_t[3], *now;
    int past_n;
    double tol;
    VEC(ProfileStep) trail;
    VEC(double) events;
    double *weight; /* 1 / (size of a state) */
};

/* profile_share.c: samples by equation, from those of functions by the instructions in them. */
typedef struct {
    uint32_t source; /* an equation, SOURCE_VARIABLE...: as words_of_source takes it */
    double share;    /* of all samples */
} ProfileShare;
typedef struct {
    ProfileShare *at;
    uint32_t n;
    double *by_function; /* of the module: Modelica functions that equations call */
    double *by_extern;
    double *by_block; /* in its equations, and in its solution */
    double *solving;  /* of by_block: Newton's method and factors */
} ProfileShares;
ProfileShares profile_shares(const Profile *p);

/* profile_advice.c: what is most worth changing; sorted, best first. */
typedef struct {
    double gain; /* share of the time that it may save, roughly */
    const char *text;
    Span span;
} ProfileAdvice;
uint32_t profile_advice(const Profile *p, const ProfileShares *shares, ProfileAdvice *advice, uint32_t most);

#endif
