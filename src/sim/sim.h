/* sim.h: one run of a model: initial values, integration, events, rows of the result.
 *
 *     SimOptions options = sim_options(0.0, 1.0, 1e-6);
 *     options.sink = sink;
 *     SimReport report;
 *     if (!sim_run(model, &options, &report)) show(report.message);
 *
 * The model has to be a hybrid one (MODEL_HYBRID); its parameters and start values are set before.
 * However the run ends, the rows so far are in the sink, and the sink's end was called. */
#ifndef ACAUSAL_SIM_H
#define ACAUSAL_SIM_H

#include "model/model.h"
#include "result/result.h"
#include "solve/solve.h"

#include <signal.h>

/* A point of the solution that becomes a row. */
typedef struct {
    Model *model; /* as the integrator sees it; f is pure, so it may be evaluated */
    double t, h;  /* h: size of the last step */
    const double *y;
    const SolverOptions *options; /* tolerances among them */
} SimPoint;

/* What an event was due to: an indicator, its time, a jump of an input, another choice of
 * states. */
typedef enum { EVENT_STATE, EVENT_TIME, EVENT_INPUT, EVENT_STEP } EventKind;

typedef struct SimReport SimReport;

typedef struct {
    double t0, t_end, tol;
    /* time_count of them, ascending: where rows are wanted, instead of equal intervals; may be
     * NULL */
    const double *times;
    size_t time_count;
    /* output intervals of equal size; 0: the integrator's own steps */
    long points;
    double interval; /* > 0: size of the output intervals, instead of `points` */
    /* For runs in parts: unknowns of the model (at least one), which the run changes, and there
     * is no terminal event. goes_on: they are those at t0, where an event is handled instead of
     * solving initial equations. NULL: one run. */
    double *y;
    bool goes_on;
    const SolverType *solver; /* NULL: chosen by what the model looks like */
    /* where rtol and atol are 0, they follow from tol and nominal values */
    SolverOptions solver_options;
    ResultSink *sink; /* NULL: no result, only statistics */
    /* what goes into the result; NULL: everything */
    bool (*wants)(void *arg, const ModelVariable *variable);
    void *wants_arg;
    /* values of inputs over time, by name; NULL: they stay as they are */
    const ResultTable *inputs;
    double time_limit;                      /* seconds of wall time; 0: none */
    const volatile sig_atomic_t *interrupt; /* not 0: stop; may be NULL */
    void (*progress)(void *arg, double t);  /* about ten times a second; may be NULL */
    void *progress_arg;
    void (*visit)(void *arg, const SimPoint *point); /* while the integrator works; may be NULL */
    void *visit_arg;
    void (*on_step)(void *arg, const Solver *solver, double from,
                    /* the solution from..to holds, and can be interpolated; may be NULL */
                    double to);
    void (*on_event)(void *arg, EventKind kind, double t,
                     const EventInfo *info); /* an event, when it is over; may be NULL */
    void *on_step_arg;                       /* of both */
    /* it failed, and the model is as it was then; may be NULL */
    void (*on_failure)(void *arg, const SimReport *report);
    void *on_failure_arg;
    /* a warning of the model, when it is given; may be NULL */
    void (*notice)(void *arg, const char *text);
    void *notice_arg;
    /* Takes the whole state of the run as bytes, every so many seconds, and where it is interrupted
     * or late; n 0: it has none, `why` says why. May be NULL. */
    void (*checkpoint)(void *arg, double t, const void *bytes, size_t n, const char *why);
    void *checkpoint_arg;
    double checkpoint_seconds;
    /* Such a state, of the same model and options: the run goes on from there, with the same bits.
     * NULL: from the start. */
    const void *resume;
    size_t resume_size;
    /* then, before any other row: writes the rows that were there again; false: the sink says why
     */
    bool (*again)(void *arg, ResultSink *sink, long rows);
    void *again_arg;
} SimOptions;

typedef enum {
    SIM_DONE,
    SIM_TERMINATED, /* by the model's own wish, which is fine */
    SIM_INTERRUPTED,
    SIM_TIME_LIMIT,
    SIM_FAILED, /* numerically: see message */
    SIM_WRONG   /* options, inputs, or a model that cannot be run */
} SimEnd;

typedef struct {
    const char *solver;
    char choice[160]; /* why this one, in a line */
    SolverStats work; /* of all integrators used in the run, together */
    long rows, state_events, time_events, input_events, step_events, event_iterations, restarts,
        state_selections;
    double initialise_s, integrate_s, event_s, output_s, total_s; /* wall time */
} SimStats;

struct SimReport {
    SimEnd end;
    double t;          /* how far it came */
    char message[640]; /* one line; empty if there is nothing to say */
    /* of a failure: whether the model itself could not be evaluated; the unknown or the indicator
     * to blame, -1: none */
    bool in_model;
    int component, indicator;
    SimStats stats;
};

SimOptions sim_options(double t0, double t_end, double tol);
/* Tolerances that a run uses; atol_each is in the arena. */
SolverOptions sim_solver_options(const Model *model, const SimOptions *options, Arena *arena);
/* True for SIM_DONE and SIM_TERMINATED. */
bool sim_run(Model *model, const SimOptions *options, SimReport *report);
/* Inputs of a table, for those who step a model themselves: as a run does, they change their piece
 * of the table where they are told to, and set what the model gets at a time. NULL: `why` says
 * which input is missing or wrong. */
typedef struct SimInputs SimInputs;
SimInputs *sim_inputs_new(Arena *arena, Model *model, const ResultTable *table, char *why, size_t room);
void sim_inputs_enter(SimInputs *inputs, double t);
void sim_inputs_set(SimInputs *inputs, double t);
/* Takes an option of integrators by name ("max-step", "0.1"). False: `why` says what is wrong, with
 * the nearest name. */
bool sim_set_option(SimOptions *options, const char *key, const char *value, char *why, size_t room);
/* Restricts the result to variables whose whole name fits an extended regular expression. The
 * filter lives in the caller's memory until sim_filter_free. */
typedef struct {
    void *compiled;
} SimFilter;
bool sim_filter(SimOptions *options, SimFilter *filter, const char *regex, char *why, size_t room);
void sim_filter_free(SimFilter *filter);
/* Before a run: gives the settable variables and states that a result holds the values they had
 * there at t. Returns how many were set; 0 with a reason in `why` if the result has no rows, a
 * value is no number, or the model takes none. */
size_t sim_start_from(Model *model, const ResultTable *result, double t, char *why, size_t room);
/* Statistics as lines for people, or as one JSON object. */
void sim_write_stats(const SimReport *report, bool json, Text *out);

#endif
