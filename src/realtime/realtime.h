/* realtime.h: the door of realtime/: a compiled model becomes a stepper whose cost is known
 * beforehand.
 *
 * The method is the linearly implicit Euler method x + tau (L - tau J)^-1 f(x, t) with an inexact
 * J: entries of the Jacobian Df that stability and accuracy do not need are left out ("sparsing",
 * Schiela and Bornemann 2003). Before the run: linearisations along a scenario, a first-order
 * estimate of what each entry does to each cluster of eigenvalues, a choice that is checked
 * afterwards. Then straight code with one pattern and one pivot order for the whole run, and a loop
 * that keeps deadlines.
 *
 * scenario.c runs a model offline and keeps linearisations; schur.c and criterion.c say what each
 * entry of the Jacobian does to the eigenvalues of a step; sparsing.c chooses and checks;
 * stepper.c makes one function of the IR of f, kept entries, factors and solve; deadline.c keeps
 * time, channel.c talks to others, measure.c compares, export.c and fmu.c print the stepper as C,
 * draw.c draws (methods.md). What the code is made of comes from two rooms below: gen/straight.c
 * gives f and chosen entries of its Jacobian in registers, row by row backward, with the model's
 * blocks factored in all their unknowns along a plan; linalg/plan.c chooses pivots once, on
 * matrices of the whole run side by side, and linalg/straight.c writes LU and solves for them. The
 * stepper works on the memories of an ordinary instance, so events, outputs and inputs are those
 * of any run. */
#ifndef ACAUSAL_REALTIME_H
#define ACAUSAL_REALTIME_H

#include "realtime/scenario.h"

#include <signal.h>

/* ---- sparsing.c: which entries to leave out -------------------------------------------------- */

typedef struct {
    /* share of their scales that sums of eigenvalues may move by, to first order */
    double threshold;
    unsigned char *kept; /* by entry of the pattern */
    int entries;         /* that are kept */
    int count, count_lu; /* nonzeros of L - tau J, of its factors */
    double radius;       /* largest eigenvalue of the step, over all linearisations */
    double deviation;    /* how far eigenvalues that are not stiff moved at most */
    bool stable;
    double growth;     /* of the factors, over all linearisations */
    RtOutcome outcome; /* of a run; only where it is stable */
} RtPoint;

typedef struct {
    RtPoint exact;  /* nothing left out */
    RtPoint *curve; /* by rising threshold */
    int count;
    int recommended;   /* in curve; -1: leave nothing out */
    RtPoint *refined;  /* from there, what could be left out one by one; NULL: nothing */
    RtPoint magnitude; /* for comparison: as many left out by size as stability allows */
    double magnitude_limit;
    /* largest eigenvalue of the step with the choice, at points all over the run */
    double verified;
    double verified_exact;             /* with the exact Jacobian */
    int verified_points, verified_bad; /* where it is larger than is allowed */
    RtOffline offline[2];              /* seulex with all entries, and with the choice */
    RtOutcome extrapolated[2];         /* runs with the choice, of order 2 and 3 */
    RtOutcome dynamic;                 /* the same limit in every step anew (Nowak) */
} RtSparsing;

RtSparsing *sparsing_new(RtScenario *scenario);
/* The choice for one threshold, checked on all linearisations, without a run. */
void sparsing_choose(RtScenario *scenario, double threshold, RtPoint *point);
const RtPoint *sparsing_choice(const RtSparsing *sparsing);
/* The plan of L - tau J for the kept entries, its pattern and where its entries come from. */
typedef struct {
    Pattern *pattern;
    LuPlan *plan;
    int *entry; /* by place in the pattern: the entry of Df; -1: none, only L */
} RtMatrix;
bool sparsing_matrix(Arena *arena, const RtScenario *scenario, const unsigned char *kept, RtMatrix *matrix);

/* ---- stepper.c: the step as straight code ---------------------------------------------------- */

/* What code does, at most: its cost known beforehand. Calls are of functions of the model, whose
 * loops are not counted. */
typedef struct {
    long adds, products, divisions, roots, functions, comparisons, loads, stores, branches, calls;
} RtOperations;

long operations_total(const RtOperations *operations);

typedef struct RtStepper RtStepper;

/* What a step said. */
typedef struct {
    bool event;           /* relations changed or a time came; handled before the step */
    bool event_converged; /* the event iteration converged within its bounded rounds */
    /* a pivot is far smaller than on any linearisation of the analysis, or no number */
    bool poor_pivot;
    bool held;       /* the result was no number: the states stayed where they were */
    double estimate; /* of the local error, as a share of the largest range or nominal value */
    double pivot;    /* how many times smaller the worst pivot is than the smallest seen */
} RtStepInfo;

typedef struct {
    int order; /* 1, or 2 and 3 by extrapolation */
    IrBackend backend;
    const int *outputs; /* variables of the model that are computed in each step */
    size_t output_count;
} RtStepperOptions;

/* For the entries `kept` of the scenario's pattern. NULL: `why` says why not. */
RtStepper *stepper_new(const RtScenario *scenario, const unsigned char *kept, const RtStepperOptions *options,
                       char *why, size_t room);
void stepper_free(RtStepper *stepper);
/* Initial values at t. False: see stepper_failure. */
bool stepper_start(RtStepper *stepper, double t);
const char *stepper_failure(const RtStepper *stepper);
/* One step from t_n = t0 + n tau to the next; it cannot fail. */
void stepper_step(RtStepper *stepper, RtStepInfo *info);
double stepper_time(const RtStepper *stepper);
const double *stepper_states(const RtStepper *stepper);
/* The outputs: states as they are now, others at the time of the last step's beginning. */
const double *stepper_outputs(const RtStepper *stepper);
size_t stepper_output_count(const RtStepper *stepper);
double stepper_tau(const RtStepper *stepper);
bool stepper_set_input(RtStepper *stepper, int variable, double value);
Model *stepper_model(RtStepper *stepper);
RtOperations stepper_operations(const RtStepper *stepper); /* of a whole step */
/* of factors and one solve alone */
RtOperations stepper_matrix_operations(const RtStepper *stepper);
const RtMatrix *stepper_matrix(const RtStepper *stepper);
const LuPlan *stepper_block(const RtStepper *stepper,
                            size_t i); /* of the model's block i; NULL past the last */
IrBackend stepper_backend(const RtStepper *stepper);
size_t stepper_code_size(const RtStepper *stepper);
/* For measuring: the parts of a step alone, at the present point. */
typedef enum { RT_STEP, RT_EVALUATE, RT_FACTOR, RT_SOLVE, RT_FACTOR_SOLVE } RtPart;
void stepper_run_part(RtStepper *stepper, RtPart part);

/* ---- measure.c: how long a step takes, this way and others ----------------------------------- */

typedef struct {
    const char *variant;
    int count, count_lu; /* nonzeros of the matrix, of its factors */
    /* the least of several means; both: factors and one solve */
    double factor_s, solve_s, both_s, step_s;
    long operations; /* of a step; 0: not known beforehand */
    double error;
} RtMeasurement;

enum { RT_VARIANTS = 5 };
/* "sparsed", "straight" (all entries), "klu" (refactor), "dense" (LAPACK), "dense-straight"
 * (LAPACK, but f and J by straight code). False: `why` says why not. */
bool measure_variants(RtScenario *scenario, const RtSparsing *sparsing, RtMeasurement rows[RT_VARIANTS],
                      char *why, size_t room);

/* ---- channel.c: inputs and outputs of a run -------------------------------------------------- */

/* A packet of UDP, and the shared memory: little endian, no gaps.
 *     magic "ACRT", version 1 (u32), sequence (u64), time (f64), count (u32), flags (u32: 1 = the
 *     last step was late),
 *     count values (f64).
 * Shared memory holds two such records of 64 KiB each: outputs first, then inputs. Its sequence is
 * odd while a record is written and even when it can be read: read it before and after. */
enum { RT_PACKET_HEAD = 32, RT_RECORD = 65536, RT_MOST_VALUES = (RT_RECORD - RT_PACKET_HEAD) / 8 };

typedef struct RtChannel RtChannel;

/* `where` is "udp:HOST:PORT" (sends there and listens on a port of its own), "udp:HOST:PORT:LOCAL",
 * or "shm:/NAME". NULL: `why` says why not. `is_peer`: the other side, which reads outputs and
 * writes inputs. */
RtChannel *channel_open(const char *where, bool is_peer, char *why, size_t room);
void channel_close(RtChannel *channel);
void channel_send(RtChannel *channel, double t, unsigned flags, const double *values, size_t n);
/* The newest record since the last call; returns how many values came, 0 if none. Never waits. */
size_t channel_receive(RtChannel *channel, double *t, unsigned *flags, double *values, size_t room);
int channel_port(const RtChannel *channel); /* of UDP: the one it listens on */

/* ---- deadline.c: the loop -------------------------------------------------------------------- */

typedef enum { OVERRUN_CATCH_UP, OVERRUN_SKIP, OVERRUN_STOP, OVERRUN_KINDS } OverrunPolicy;
extern const char *const overrun_policies[OVERRUN_KINDS];

typedef struct {
    double seconds, deadline;
    bool priority; /* SCHED_FIFO and locked memory, where permitted */
    int cpu;       /* -1: any */
    OverrunPolicy policy;
    RtChannel *channel; /* may be NULL */
    const int *inputs;  /* variables of the model, in the order of the channel */
    size_t input_count;
    const volatile sig_atomic_t *interrupt; /* may be NULL */
} RtRun;

enum { RT_BUCKETS = 40, RT_PLACES = 16 };
enum { RT_FLAG_LATE = 1, RT_FLAG_EVENT = 2, RT_FLAG_PIVOT = 4, RT_FLAG_HELD = 8, RT_FLAG_NOT_CONVERGED = 16 };

typedef struct {
    float busy, response,
        estimate; /* seconds from waking up, and from when it should have; share of a range */
    unsigned flags;
} RtStepLog;

typedef struct {
    long steps, overruns, skipped, events, poor_pivots, held, not_converged, received;
    double worst, mean, median, p99, p999; /* seconds a step was busy */
    /* from when it should have begun: to its end, to its beginning */
    double worst_response, worst_latency;
    double worst_estimate;
    long histogram[RT_BUCKETS]; /* of busy: bucket k is below 2^((k+1)/2) * 100 ns */
    long place[RT_PLACES];      /* steps of the first overruns */
    bool has_priority, has_lock, has_cpu, is_stopped, is_interrupted;
    RtStepLog *log; /* by step */
    Arena *arena;   /* holds it */
} RtRunReport;

/* False only when memory is out. */
bool deadline_run(RtStepper *stepper, const RtRun *run, RtRunReport *report);
void deadline_free(RtRunReport *report);

/* ---- draw.c, export.c ------------------------------------------------------------------------ */

/* Jacobian, factors and eigenvalues before and after, as SVG; what leaving out costs. */
void draw_sparsing(const RtScenario *scenario, const RtSparsing *sparsing, Text *out);
void draw_trade_off(const RtScenario *scenario, const RtSparsing *sparsing, Text *out);

/* The stepper, just started, as C: `name` is that of its type and files. False: `why` says why
 * not. */
bool stepper_export(RtStepper *stepper, const char *name, Text *source, Text *header, char *why, size_t room);

/* fmu.c: what makes a co-simulation FMU of that: modelDescription.xml, and the functions of FMI 2.0
 * around it. */
void stepper_describe_fmu(const RtStepper *stepper, const char *name, const char *guid, double stop,
                          Text *out);
void stepper_layer_fmu(const RtStepper *stepper, const char *name, const char *guid, Text *out);

#endif
