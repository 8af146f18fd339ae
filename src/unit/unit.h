/* unit.h: the door of the unit room: what an exported FMU is made of besides rt/, run/ and the C
 * text of its model: one instance between the interface of FMI and the running model, and the
 * integrators of co-simulation. C99, libc and libm only.
 *
 * The functions of FMI 2.0 are in fmi2.c, those of FMI 3.0 in fmi3.c; an FMU links one of them.
 * Both are thin: a Unit does the work. There is no global state: UnitModel is constant, everything
 * else belongs to an instance.
 *
 * In co-simulation the front of the integrator may be ahead of the communication point: values
 * there are interpolated and, after a stiff method, sharpened (unit/sharpen.c, as
 * solve/core/sharpen.c does), and only an input that changes takes it back. An event is bracketed
 * on the interpolant and taken at its right end, as solve/ does; after a stiff method that only
 * says where to look first, and sharpened values decide.
 *
 * What delay() looks up has to be noted between the ends of steps, too. The walk is rt/between.c:
 * sim/ gives it the integrator's interpolant, co-simulation its own method's, and model exchange
 * the cubic through the two ends that the importer showed (unit/between.c). */
#ifndef ACAUSAL_UNIT_H
#define ACAUSAL_UNIT_H

#include "run/run.h"

/* ---- what the C text of a model defines ------------------------------------------------------ */

typedef enum { UNIT_REAL, UNIT_INTEGER, UNIT_BOOLEAN, UNIT_STRING, UNIT_ENUMERATION, UNIT_CLOCK } UnitType;

enum {                        /* what may be done with a variable, besides reading it */
       UNIT_PARAMETER = 1,    /* set before the start */
       UNIT_TUNABLE = 2,      /* and in event mode */
       UNIT_START = 4,        /* its start value is set before the start */
       UNIT_INPUT = 8,        /* set at any time; discrete ones at events */
       UNIT_DISCRETE = 16,    /* an input that is */
       UNIT_IS_STATE = 32,    /* in the order of states */
       UNIT_INDEPENDENT = 64, /* time */
       UNIT_INDICATOR = 128   /* its elements are numbers of event indicators */
};

/* A variable of the description, by value reference: one or, in FMI 3.0, more elements. */
typedef struct {
    uint8_t type, flags;
    uint32_t first, n; /* in `elements` */
} UnitVariable;

/* A file that the FMU brings along in its resources: a matrix, as a MAT file of version 4, or
 * text. */
typedef struct {
    const char *file, *name; /* as the model says them; no name: text */
    const char *resource;
} UnitResource;

typedef struct {
    const RunModel *run;
    const char *name, *token;
    const UnitVariable *variables; /* by value reference */
    uint32_t variable_count;
    const uint32_t *elements; /* variables of the running model */
    const UnitResource *resources;
    uint32_t resource_count;
    const char *solver;     /* of co-simulation */
    double tolerance, step; /* where nobody says; the step of fixed-step methods */
    uint8_t has_objects;    /* external: what they know is not saved, parameters cannot be tuned */
} UnitModel;

extern const UnitModel unit_model;

/* ---- an instance ----------------------------------------------------------------------------- */

typedef enum { UNIT_OK, UNIT_WARNING, UNIT_DISCARD, UNIT_ERROR, UNIT_FATAL } UnitStatus;

/* Categories of messages: one a status, and what the model says. Errors are always told. */
enum { UNIT_LOG_EVENTS = UNIT_FATAL + 1, UNIT_LOG_COUNT, UNIT_LOG_ALL = (1 << UNIT_LOG_COUNT) - 1 };
extern const char *const unit_categories[UNIT_LOG_COUNT];

typedef enum {
    MODE_INSTANTIATED = 1,
    MODE_INITIALIZATION = 2,
    MODE_EVENT_MODE = 4,
    MODE_CONTINUOUS = 8,
    MODE_STEP = 16, /* between steps of co-simulation */
    MODE_TERMINATED = 32,
    MODE_BROKEN = 64
} UnitMode;

typedef struct UnitInstance UnitInstance;
typedef void (*UnitLog)(UnitInstance *unit, UnitStatus status, const char *category, const char *text);
typedef struct UnitIntegrator UnitIntegrator;

/* What a list of value references means, element by element: products.c. */
typedef struct {
    double sign;    /* 0: time */
    uint32_t var;   /* of the running model */
    uint32_t state; /* its number + 1; 0: none */
    uint32_t rate;  /* a state whose derivative it is + 1; 0: none */
    int variable;   /* or what else it is, below 0; var is the number of an indicator then */
} UnitElement;

typedef struct {
    uint32_t *references;
    UnitElement *elements;
    size_t n, count, reference_room, element_room;
    uint8_t is_made, are_states, are_derivatives;
    uint8_t are_seeds;   /* states and inputs */
    uint8_t are_targets; /* of straight code, or what nothing changes */
    uint8_t targets;     /* of which: bits 1 << RunTargets */
    uint8_t has_indicators, has_others;
} UnitPlan;

struct UnitInstance {
    RunInstance *run;
    UnitMode mode;
    uint8_t is_slave;
    uint8_t wants_events,
        /* event mode of co-simulation, FMI 3.0; a step may end at an event inside of it */
        may_stop;
    unsigned logged; /* categories that are told: bits in the order of unit_categories */
    char *name, *resources;
    UnitLog log;
    void *environment; /* and what the interface needs for its log */
    void *logger;
    double t, start, stop, tolerance;
    double *y;    /* states */
    double *past; /* see between.c */
    /* in initialisation: the initial equations were solved for what is set now */
    uint8_t is_begun;
    uint8_t is_current; /* all values belong to t and y */
    /* since the last event or step; 2: by jumps that events may follow from */
    uint8_t inputs_moved;
    RunEvent event;             /* of the last one */
    UnitIntegrator *integrator; /* NULL: model exchange */
    uint8_t is_terminated;      /* the model ended its run */
    char end_message[300];
    /* For products with derivatives: */
    double *work;                 /* by variable of the running model, or by state, twice */
    double *seeds;                /* of states, of derivatives, of variables */
    int *seeded;                  /* variables that are given */
    UnitPlan unknowns, knowns;    /* of the last product */
    uint32_t *state_of, *rate_of; /* by variable of the running model: number of the state + 1; 0 */
    uint8_t *target_of;           /* by variable: bits 1 << RunTargets */
    uint8_t is_linear;            /* RunMap + 1 that was linearised at the present point; 0 */
    uint8_t prepared;             /* for straight code there: bits 1 << RunTargets */
    uint8_t has_entries;          /* those of the Jacobian are there */
    uint32_t asked;               /* directions along states that were asked for there */
};

/* NULL: it said why. `resources` is a path or NULL. */
UnitInstance *unit_new(const char *name, const char *token, const char *resources, int is_slave, UnitLog log,
                       void *environment, void *logger, int is_logging);
void unit_free(UnitInstance *unit);
UnitStatus unit_reset(UnitInstance *unit);
/* No categories: all of them. */
UnitStatus unit_set_logging(UnitInstance *unit, int on, size_t n, const char *const *categories);
/* Whether a call may be made now; says so if not. */
int unit_may(UnitInstance *unit, unsigned modes, const char *function);
void unit_outdate(UnitInstance *unit); /* the point, or what is given there, is another one */
UnitStatus unit_fail(UnitInstance *unit, UnitStatus status, const char *format, ...) RUN_PRINTF(3, 4);

UnitStatus unit_enter_initialization(UnitInstance *unit, int has_tolerance, double tolerance, double start,
                                     int has_stop, double stop);
UnitStatus unit_exit_initialization(UnitInstance *unit);
UnitStatus unit_terminate(UnitInstance *unit);

/* The variable of a value reference, if it is of one of the types in the mask. NULL: it said so. */
const UnitVariable *unit_variable(UnitInstance *unit, uint32_t reference, unsigned types,
                                  const char *function);
UnitStatus unit_prepare_get(UnitInstance *unit); /* makes all values current */
/* Whether its value is known without that: of time, states, and what changes at events only. */
int unit_is_at_hand(const UnitInstance *unit, const UnitVariable *v);
double unit_get(const UnitInstance *unit, const UnitVariable *v, uint32_t element);
const char *unit_get_string(UnitInstance *unit, const UnitVariable *v, uint32_t element);
UnitStatus unit_set(UnitInstance *unit, const UnitVariable *v, uint32_t element, double value);
UnitStatus unit_set_string(UnitInstance *unit, const UnitVariable *v, uint32_t element, const char *text);

/* Model exchange. */
UnitStatus unit_set_time(UnitInstance *unit, double t);
UnitStatus unit_set_states(UnitInstance *unit, const double *y, size_t n);
UnitStatus unit_derivatives(UnitInstance *unit, double *f, size_t n);
UnitStatus unit_indicators(UnitInstance *unit, double *g, size_t n);
UnitStatus unit_nominals(UnitInstance *unit, double *nominal, size_t n);
UnitStatus unit_completed(UnitInstance *unit, int *wants_event, int *wants_end);
UnitStatus unit_update_discrete(UnitInstance *unit); /* leaves what it did in unit->event */

/* Derivatives of unknowns in the direction of knowns, and weights the other way. Both by value
 * references; values of arrays one after the other. */
UnitStatus unit_directional(UnitInstance *unit, const uint32_t *unknowns, size_t n, const uint32_t *knowns,
                            size_t m, const double *seed, size_t seeds, double *out, size_t outs);
int unit_list_targets(UnitInstance *unit);       /* what variables are to them; 0: no memory */
void unit_forget_directions(UnitInstance *unit); /* something else was computed */
UnitStatus unit_adjoint(UnitInstance *unit, const uint32_t *unknowns, size_t n, const uint32_t *knowns,
                        size_t m, const double *seed, size_t seeds, double *out, size_t outs);

/* Co-simulation: from unit->t to `to`. Stops early at an event where the importer wants event mode,
 * or where the model ends: unit->t says; it may be a rounding error after, where an event is.
 * Where a step may not end early, events inside of it are handled as without event mode. */
UnitStatus unit_step(UnitInstance *unit, double to, int *event_needed);

/* The whole state. */
size_t unit_save_size(const UnitInstance *unit);
void unit_save(const UnitInstance *unit, void *to);
/* 0: it is none of this model */
int unit_restore(UnitInstance *unit, const void *from, size_t size);

/* ---- resources.c ----------------------------------------------------------------------------- */

/* Rt.find_file and Rt.read_matrix over what the FMU brings along. */
const char *unit_find_file(Rt *rt, const char *name, char *path, size_t room);
RtStatus unit_read_matrix(Rt *rt, const char *file, const char *name, const char *delimiter,
                          int64_t header_lines, double **at, int64_t *rows, int64_t *columns);

/* ---- between.c: what histories note of the time between two points --------------------------- */

typedef void (*UnitWay)(const void *arg, double t, double *y); /* states between them */
/* `y` has room for states; `step` is kept from one call to the next. */
void unit_note_between(RunInstance *run, double tolerance, double span, double from, double to, UnitWay way,
                       const void *arg, double *y, double *step);
size_t unit_past_room(void);              /* doubles of UnitInstance.past */
void unit_keep_point(UnitInstance *unit); /* where the next step begins */
/* the step from there to the present point, in model exchange */
void unit_note_step(UnitInstance *unit);

/* ---- system.c: adapters by the names that code calls them ------------------------------------ */

RtStatus ext_print(Rt *rt, RtCell *cells);
RtStatus ext_close(Rt *rt, RtCell *cells);

/* ---- integrate.c, sharpen.c, erk.c, radau.c, euler.c: integrators of co-simulation ----------- */

typedef struct {
    RunInstance *run;
    int n;
    double tolerance, rtol; /* of the result; of a step */
    const double *scale;    /* n: absolute tolerances */
} UnitProblem;

/* A method takes one step from (t, y) by *h at most, with error control where it has one: shorter
 * until it fits. On success t_new and y_new are the end, *h the step it would like next. It can
 * interpolate within its last step. */
typedef struct {
    const char *name;
    size_t (*room)(int n); /* doubles */
    RunStatus (*step)(const UnitProblem *p, double *room, double t, const double *y, double *h, double limit,
                      double *t_new, double *y_new);
    void (*interpolate)(const UnitProblem *p, const double *room, double t, double *y);
    void (*restart)(const UnitProblem *p, double *room); /* what was known of f counts no more */
    /* v = (c - J)^-1 v with the factors of the last step; returns c, 0 if there are none. NULL: an
     * explicit method. */
    double (*filter)(const UnitProblem *p, double *room, double *v);
    int is_fixed;
} UnitMethod;

/* that still moves time; two events may be nearer to each other */
double unit_least_step(double t);
/* y(t), as interpolated inside of a step, with slopes that are right: sharpen.c. `work` has 3 n
 * doubles. */
void unit_sharpen(const UnitProblem *p, const UnitMethod *m, double *room, double t, double step, double *y,
                  double *work);
extern const UnitMethod unit_erk, unit_radau, unit_euler;
const UnitMethod *unit_method(const char *name); /* NULL: there is none of that name */

UnitIntegrator *unit_integrator_new(RunInstance *run, double tolerance, const char *method, double step);
void unit_integrator_free(UnitIntegrator *i);
double *unit_integrator_store(UnitIntegrator *i, size_t *count); /* its state, to be saved */
/* Begins anew at (t, y): at the start, and after something jumped. */
void unit_integrator_restart(UnitIntegrator *i, double t, const double *y, const RunEvent *event);
/* Inputs have changed at t: it goes on from there. Nonzero: an indicator left its side by that. */
int unit_integrator_input(UnitIntegrator *i, double t, const double *y);
typedef enum { ADVANCED, ADVANCED_EVENT, ADVANCED_FAILED } Advance;
/* To `to`, or to the next event before it: *t and y say where. Never looks beyond `end`. */
Advance unit_integrator_advance(UnitIntegrator *i, double to, double end, double *t, double *y);

#endif
