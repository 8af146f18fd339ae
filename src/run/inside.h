/* inside.h: what the files of run/ share. */
#ifndef ACAUSAL_RUN_INSIDE_H
#define ACAUSAL_RUN_INSIDE_H

#include "run/run.h"

#include <stddef.h>
#include <string.h>

#define MOST_INTEGER 9007199254740992.0 /* 2^53: doubles hold whole numbers exactly up to it */

#define NONE RUN_NONE

enum {
    LARGEST_PATH = 60
}; /* unknowns of a block up to which paths are followed where Newton's method fails */

/* What a point of the tape needs besides the tape. */
typedef struct {
    double *partial, *lu;
    int *pivot;
} TapePoint;

/* All that equations read, as it was at some moment of an event. */
typedef struct {
    double *memory[MEM_COUNT]; /* NULL: not kept */
    uint8_t *fired;            /* by reinit */
} Snapshot;

/* Directions that one pass over the tape serves; rounds of an event that are remembered. */
enum { RUN_LANES = 8, RUN_ROUNDS = 6 };

/* Of an instance whose model has a tape. */
typedef struct {
    TapePoint at;        /* where the map is linearised */
    double *d, *waiting; /* by column */
    /* by column, lanes, interleaved: directions. Zero where nothing is computed */
    double *wide;
    uint32_t wide_lanes;                      /* that it is laid out for; 0: it has to be cleared */
    double *torn, *work;                      /* of a block */
    double *residuals;                        /* of all blocks that derivatives need */
    Snapshot before, rounds[RUN_ROUNDS], now; /* of the last event */
} Products;

/* What an instance remembers besides its arrays. */
typedef struct {
    bool is_started;
    /* Where a branch of solutions ends, another one is taken; but the integrator first has to come
     * near to that end, or it would mix both: only at accepted points, and within LEAST_LEAP of its
     * longest step from the last of them. */
    bool must_stay;
    double t_kept, longest_step;
    bool is_open; /* the last event iteration did not converge, and another round must follow */
    /* event iteration gives up where it would try all patterns of relations: there are cheaper ways
     * left */
    bool is_quick;
    bool is_trying; /* patterns of relations, most of which fail: nobody reads why */
    /* in this event, relations do not follow the sign of rounding errors any more */
    bool ties_hold;
    double t_event; /* of the last one; NAN: none yet */
    bool repeats;   /* the present event is within rounding of it */
    int crowd;      /* events before the present one, each next to the one after it */
    /* which unknown to hold where equations leave one open; another one after a crowd of events */
    uint32_t held;
    RunMap map;     /* that was linearised */
    bool has_event; /* snapshots of the last one are there */
    int rounds;     /* of the last event */
    /* what it was due to: a relation, or relation_count + 2 k for sample k; NONE */
    uint32_t timed;
    double timed_count; /* how often that sample had fired */
    bool reselected;
} Moment;

/* derivatives and all they need; all values */
enum { COMPUTED_NOTHING, COMPUTED_DERIVATIVES, COMPUTED_ALL };

struct RunInstance {
    const RunModel *m;
    Rt *rt;
    RunInterrupt interrupt; /* see run_set_interrupt; NULL: nobody asks for it */
    void *interrupt_arg;
    Moment now;
    double *memory[MEM_COUNT];
    RtArray arrays[MEM_COUNT];
    double *tearing; /* tearing variables at the last accepted step: initial guesses */
    double *lu;      /* factors of all blocks */
    int *pivot;
    RtSparse **sparse;    /* and of those that are sparse */
    double *sample_count; /* how often each sample has fired */
    double *reach;        /* by relation: the largest difference of its sides so far */
    double *bias;         /* by indicator: what a tie adds to it until the next event */
    double *before;       /* by relation: its value when the present event began */
    uint8_t *moved;       /* by relation: it changed during the present event */
    double *kept;         /* by variable: before that */
    double *sided;        /* by relation: what the values at the event said first */
    uint8_t *warned;      /* by check: a warning that holds now */
    double *unknowns, *block_nominal, *low, *high, *work; /* of the block being solved */
    /* for a block of LARGEST_PATH unknowns at most */
    double *path_room;
    int *path_pivot;
    double *set_work; /* the matrix of one dynamic state set */
    uint8_t *set_dropped;
    /* variables that are no constants or parameters, from each even entry up to the odd one after
     * it; sets of many */
    uint32_t *varying, varying_count;
    Products *products;         /* NULL: no tape */
    uint8_t computed;           /* Computed: what belongs to the present time and states */
    bool entries_stand;         /* those of the Jacobian that depend on parameters alone */
    char *store;                /* where all these arrays are */
    size_t store_size, persist; /* bytes; those that belong to its state come first */
    long newton_iterations;
    RunFailure failure;
    uint32_t failing;                             /* the block that the next failure is of; NONE */
    bool keeps_failure;                           /* what fails from here on is a try that nobody reads of */
    double *failed_values, *failed_guess, *guess; /* guess: of the block being solved */
    char notice[200];                             /* a warning from inside of a function; "" */
    char message[900];
    void (*say)(void *arg, const char *text); /* may be NULL */
    void *say_arg;
};

/* ---- block.c --------------------------------------------------------------------------------- */

/* from_values: initial guesses are the present values instead of those of the last accepted
 * step. */
RunStatus run_program(RunInstance *i, const RunProgram *p, bool from_values);
RunStatus run_everything(RunInstance *i, bool from_values);
void run_keep_initial_guesses(RunInstance *i);
/* maps.c: all that derivatives need at a point, unless it is there already. */
RunStatus run_compute(RunInstance *i, double t, const double *y);
RunStatus run_complete(RunInstance *i, double t, const double *y); /* all values */
/* Changes of all variables for the changes of states in MEM_TANGENT; the blocks' Jacobians at this
 * point factored. */
RunStatus run_factor_blocks(RunInstance *i, const RunProgram *p);
RunStatus run_tangents(RunInstance *i);
/* Entries of the Jacobian by one pass, or changes in one direction; as above. */
RunStatus run_gradients(RunInstance *i, const void *code, const RunGradient *steps, uint32_t n);

/* ---- report.c: what goes wrong, in the user's words. run_add_* append to the message where it
 * did. */

RunStatus run_fail_code(RunInstance *i);
void run_add_source(RunInstance *i, uint32_t source);
/* The source that is added next is of this block, which was not solved. */
void run_note_block(RunInstance *i, const RunBlock *b, RtSolve why, int iterations);
/* of what is not finite; in that function, or NONE: in any */
bool run_add_cause(RunInstance *i, uint32_t f);    /* false: it was not found */
RunStatus run_check(RunInstance *i, RunStatus as); /* asserts that do not hold; needs all values */
RunStatus run_check_event(RunInstance *i);
RunStatus run_check_parameters(RunInstance *i); /* computed ones that are no numbers */
/* whether an equation divides by a parameter that is zero */
RunStatus run_check_divisors(RunInstance *i);
RunStatus run_check_values(RunInstance *i, RunStatus as);   /* values that are no numbers */
const char *run_check_text(RunInstance *i, uint32_t check); /* of an assert or terminate */
void run_warn(void *run, const char *message, uint32_t source);

/* ---- sets.c: dynamic state selection. Both need all values at the present point. ------------- */

bool run_states_are_poor(RunInstance *i);
/* Selects other states where the present ones are poor; true if there was such a set. */
bool run_select_states(RunInstance *i);

/* ---- event_iteration.c: relations and discrete variables ------------------------------------- */

/* Continuous variables, relations and discrete ones until they agree; pre values stay. */
RunStatus run_iterate_event(RunInstance *i, bool is_initial, bool *changed);
RunStatus run_not_converged(RunInstance *i);
RunStatus run_set_relations(RunInstance *i); /* as the present values say */
/* Whether a discrete variable differs from `kept`; takes the values over. */
bool run_take_discrete(RunInstance *i, double *kept);
/* At the end of an event: indicators of relations that are held within a tie start on the side that
 * is held. */
RunStatus run_set_bias(RunInstance *i);
void run_note_reach(RunInstance *i); /* needs the indicators at an accepted point */

/* ---- sweep.c: passes over the tape ----------------------------------------------------------- */

typedef struct {
    const RunTape *t;
    const TapePoint *at;
    const double *is_set; /* by variable: its binding or start value does not count */
    uint32_t pre;
    double *d, *torn;
    uint32_t lanes; /* 1 or RUN_LANES; backward 1 */
} Sweep;

void sweep_forward(const Sweep *s, TapeSection section);
void sweep_back(const Sweep *s, TapeSection section);
void sweep_rows_forward(const Sweep *s, const TapeStep *step);
double sweep_row_sum(const Sweep *s, const TapeRow *row);
/* A block whose tearing variables are given: its rows, and tear_n residuals of all lanes; and back
 * from their weights. */
void sweep_given(const Sweep *s, const TapeStep *step, double *residuals);
void sweep_given_back(const Sweep *s, const TapeStep *step, const double *weights);

/* ---- products.c ------------------------------------------------------------------------------ */

/* What the instance has to remember as it goes. */
RunStatus run_note_initial(RunInstance *i);
void run_note_event(RunInstance *i, uint32_t timed, double count);
void run_note_round(RunInstance *i);
extern const uint8_t run_snapshot_memories[];
enum { SNAPSHOT_MEMORIES = 5 };

/* ---- history.c: the past of signals begins, goes on, and what follows for the time to come --- */

RunStatus run_histories_start(RunInstance *i);
RunStatus run_histories_note(RunInstance *i, RtNote what);
double run_histories_deviation(RunInstance *i);
bool run_histories_pass(RunInstance *i); /* jumps that come out now; whether there were any */
void run_histories_plan(const RunInstance *i, RunEvent *info);

void run_destroy_objects(RunInstance *i);

#endif
