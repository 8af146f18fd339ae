/* inside.h: what the files of the fmi room share. */
#ifndef ACAUSAL_FMI_INSIDE_H
#define ACAUSAL_FMI_INSIDE_H

#include "fmi/calls.h"
#include "fmi/describe.h"
#include <math.h>

/* ---- fmu.c ----------------------------------------------------------------------------------- */

struct Fmu {
    Arena *arena;
    Archive *archive;
    const Source *source;
    FmuDescription *d;
    const char *path;
    Diag *diag;
};

/* ---- variables.c: the variables of an FMU as those of a Model: names, slots, groups by type -- */

typedef struct {
    uint32_t n, m;  /* references, values */
    uint32_t *vr;   /* n */
    uint32_t first; /* slot of the first value; the others follow */
} ValueGroup;

typedef struct {
    ModelVariable *variables; /* as shown: elements of arrays are variables of their own */
    uint32_t *from, *element; /* the description's variable, and which element of it */
    Raw *given;               /* values that the user gave, in the FMU's own types */
    bool *is_given;
    uint32_t count, slots, largest; /* largest: values of the largest array or group */
    ValueGroup groups[FMU_TYPES];
    void *row;            /* values of a group or an array */
    VEC(uint32_t) inputs; /* those that are */
    NameIndex texts;      /* values of strings and binaries are places in it */
    Arena *arena;
} VariableTable;

/* What an input was given, in a saved state. */
typedef struct {
    Raw value;
    bool is_given;
} GivenInput;

void variables_make(VariableTable *v, const FmuDescription *d, Arena *arena);
/* All values, by slot. */
CallStatus variables_get(VariableTable *v, Instance *i, double *values);
/* Sets one value now. */
CallStatus variables_put(VariableTable *v, Instance *i, uint32_t shown, const Raw *value);
CallStatus variables_take(VariableTable *v, Instance *i, uint32_t shown, Raw *value);
/* Remembers a value for the start. False: *why says why not. */
bool variables_give(VariableTable *v, const FmuDescription *d, uint32_t shown, const Raw *value,
                    const char **why);
/* Sets what was given: parameters and start values before initialisation, inputs in it; later on
 * inputs and tunable parameters. */
typedef enum { APPLY_START, APPLY_INPUTS, APPLY_CHANGES } Apply;
CallStatus variables_apply(VariableTable *v, Instance *i, Apply what);
void variables_of_real(const VariableTable *v, const FmuDescription *d, uint32_t shown, double value,
                       Raw *raw);
bool variables_of_text(const VariableTable *v, const FmuDescription *d, uint32_t shown, const char *text,
                       Arena *arena, Raw *raw);

/* ---- clocks.c: the input clocks of version 3 that time ticks --------------------------------- */

typedef struct {
    uint32_t vr;
    uint8_t varies; /* ClockVaries */
    double interval, from, next;
    uint64_t ticks; /* since `from` */
} FmuClock;

typedef struct {
    FmuClock *at;
    size_t n;
} ClockTable;

void clocks_make(ClockTable *clocks, const FmuDescription *d, Arena *arena);
CallStatus clocks_start(ClockTable *clocks, Instance *i, double t); /* in the first event mode */
/* those that are due, in event mode */
CallStatus clocks_tick(ClockTable *clocks, Instance *i, double t);
CallStatus clocks_renew(ClockTable *clocks, Instance *i, double t); /* at the end of event mode */
double clocks_next(const ClockTable *clocks);

/* ---- common.c: what model exchange and co-simulation share ----------------------------------- */

typedef struct {
    Model model;
    Instance i;
    VariableTable table;
    ClockTable clocks;
    Surroundings surroundings;
    char failure[800];
    bool is_placed; /* model exchange: time and states that were set last hold still */
    bool is_begun;  /* in initialisation mode */
    bool is_initialised, wants_end;
    VEC(FmuState *) states; /* that were asked for */
    Str resume;             /* a serialised state to go on from; empty: none */
} FmuModel;

#define TRY(m, call, what)                                                    \
    do {                                                                      \
        CallStatus status_ = (call);                                          \
        if (status_ > CALL_WARNING) return common_fail((m), status_, (what)); \
    } while (0)

/* An instance of `size` bytes, which begins with an FmuModel; NULL after an error. */
FmuModel *common_new(Fmu *fmu, int which, size_t size, const FmuOptions *options, Diag *diag);
/* Loads the binary and makes it a Model; frees it and returns NULL after an error. */
Model *common_finish(FmuModel *m, const ModelType *type, const ModelShape *shape, Diag *diag);
EvalStatus common_fail(FmuModel *m, CallStatus status, const char *call);
/* From instantiated to the end of initialisation. */
EvalStatus common_initialise(FmuModel *m, double t, CallEvent *event, EventInfo *info);
/* Event iteration in event mode until nothing changes, then back to continuous time or to steps. */
EvalStatus common_iterate_event(FmuModel *m, double t, bool again, EventInfo *info, bool *nominals_changed);
/* A value before initialisation, or of an input. */
bool common_give(FmuModel *m, int variable, const Raw *raw, const char **why);
/* At the end of initialisation: the state to go on from, if there is one. */
EvalStatus common_resume(FmuModel *m, double t, EventInfo *info, bool *nominals_changed);
bool common_set(Model *model, int variable, double value, const char **why);
bool common_set_text(Model *model, int variable, const char *text, const char **why);
const char *common_failure(const Model *model);

#endif
