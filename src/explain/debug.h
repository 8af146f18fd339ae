/* debug.h: a run that is stopped, looked at, and goes on; shared by its parts. */
#ifndef ACAUSAL_EXPLAIN_DEBUG_H
#define ACAUSAL_EXPLAIN_DEBUG_H

#include "explain/inside.h"

enum { DEBUG_BREAKS = 64, DEBUG_KEPT = 256, DEBUG_LINE = 1000 };

typedef enum { BREAK_NONE, BREAK_TIME, BREAK_EVENT, BREAK_RELATION, BREAK_BOUND } BreakKind;

typedef struct {
    BreakKind kind;
    double value;    /* a time, a bound */
    uint32_t var;    /* of a bound */
    bool is_negated; /* it is an alias with the other sign */
    bool is_above;   /* stops where the variable rises above the bound */
    bool holds;      /* it is beyond the bound already */
    uint32_t line;   /* of relations */
    char text[80];   /* as it was given */
} Breakpoint;

/* An accepted point to go back to. */
typedef struct {
    double t;
    double *y, *values;
    void *state; /* of the instance */
} DebugPoint;

/* A value that is given when the run goes on. */
typedef struct {
    uint32_t variable;
    double value;
} DebugSetting;

typedef enum { STOP_START, STOP_STEP, STOP_BREAK, STOP_END, STOP_FAILED } DebugStop;

typedef struct Debug Debug;
struct Debug {
    const ExplainModel *what;
    const DebugIo *io;
    const System *s;
    const RunModel *m;
    Model *model;
    SimOptions *options;
    RunInstance *run;
    double t, *y, *values; /* where it is stopped; by variable */
    double *run_y;         /* of the part of the run under way */
    DebugPoint here;       /* the stop, to go on from with other values */
    const void *restore;   /* the state that the next part begins with */
    DebugSetting settings[DEBUG_BREAKS];
    int setting_count;
    Breakpoint breaks[DEBUG_BREAKS];
    DebugPoint kept[DEBUG_KEPT];
    long points;                  /* all that were kept; those before the last DEBUG_KEPT are lost */
    long steps_wanted;            /* steps to take until it stops; 0: until a breakpoint */
    volatile sig_atomic_t leaves; /* the run is to be left: for another one from d->t, or for good */
    bool quits, restarts, has_ended, failed;
    const char *message; /* of a failure */
    char in[4096];       /* bytes that were read */
    size_t in_from, in_to;
    char reason[400]; /* why it stopped */
    long sent;        /* messages to an editor */
};

void debug_say(Debug *d, const char *format, ...) PRINTF_LIKE(2, 3);
/* One byte of the input; -1 at its end. */
int debug_byte(Debug *d);
/* Does a command; what it says goes to `out`. True: the run goes on, or ends. */
bool debug_command(Debug *d, const char *line, Text *out);
/* A variable as the user knows it: its number among the system's; NONE. */
uint32_t debug_find(const Debug *d, Str name, bool *is_negated);
double debug_value(const Debug *d, uint32_t var, bool is_negated);
/* debug_why.c: what computes a variable, from what, upward. */
void debug_why(Debug *d, uint32_t var, int depth, Text *out);
/* dap.c: answers an editor until the run goes on. */
void debug_serve(Debug *d, DebugStop stop);

#endif
