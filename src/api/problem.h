/* problem.h: a problem of the caller on its way: what problem.c makes and problem_run.c runs. */
#ifndef ACAUSAL_API_PROBLEM_H
#define ACAUSAL_API_PROBLEM_H

#include "api/inside.h"

/* Numbers that grow by a factor; `n` bytes are in use. */
typedef struct {
    void *at;
    size_t n, room;
} Heap;

/* What a run keeps. */
typedef struct {
    Heap times, values;
    Heap event_times, event_values, event_of;
    Heap piece_times, piece_values, piece_nodes;
    bool no_memory;
    char message[320];
} Course;

struct AcausalIntegrator {
    AcausalSession *session;
    AcausalProblem problem; /* pointers of it that are used later are the arena's, or the caller's */
    Arena *arena;
    size_t width; /* n (parameter_count + 1) */
    Model model;
    ModelType type;
    SolverOptions options;
    const SolverType *solver_type;
    Solver *solver;
    size_t value_count;
    double *values;          /* value_count: of the caller's Jacobian; NULL: there is none */
    double *moved, *f_moved; /* n */
    double *row;             /* width */
    long *seen;              /* indicators: events of each so far */
    long extra_calls, events;
    double t;      /* the last row's, or an event's */
    bool is_fresh; /* no step since the beginning or a restart */
    double from;   /* where the piece on its way begins */
    Course path;
    char choice[120], warning[200]; /* what acausal_integrator_work told */
};

void course_free(Course *path);

#endif
