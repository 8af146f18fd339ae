/* model.h: `Model`, the one interface of everything that can be simulated: compiled Modelica, FMUs,
 * and problems written by hand in C.
 *
 * A model has n unknowns y: states x and, in implicit forms, algebraic variables z. It offers one
 * or both of
 *     L y' = f(t, y)       L constant, the identity if not given; rows of zeros make algebraic
 *     equations
 *     0 = F(t, y, y')
 * Inputs u and parameters p belong to the instance, so that every map below is a function of what
 * is passed. f is pure: between two calls of `accepted` it gives the same values for the same
 * arguments, rejected trials leave no trace. The mask `can` says which functions may be called; a
 * ModelType leaves NULL what it does not have. */
#ifndef ACAUSAL_MODEL_H
#define ACAUSAL_MODEL_H

#include "base/base.h"
#include "linalg/linalg.h"

typedef enum {
    EVAL_OK,
    /* not defined here (log of a negative number, no convergence): try a smaller step */
    EVAL_RETRY,
    EVAL_FATAL /* give up */
} EvalStatus;

enum {
    MODEL_DERIVATIVES = 1u << 0, /* derivatives() is there */
    MODEL_RESIDUAL = 1u << 1,    /* residual() is there */
    MODEL_MASS = 1u << 2,        /* shape.mass is not the identity */
    MODEL_JACOBIAN = 1u << 3,    /* jacobian() is there: exact df/dy */
    MODEL_RESIDUAL_JACOBIAN = 1u << 4,
    MODEL_PATTERN = 1u << 5,    /* shape.pattern is there */
    MODEL_INDICATORS = 1u << 6, /* shape.indicators > 0 */
    MODEL_SAVE = 1u << 7,       /* the instance holds no state of its own, or can save it */
    MODEL_HYBRID = 1u << 8,     /* initialise, event and values are there */
    MODEL_STEPS = 1u << 9,      /* step() is there: the model integrates itself */
    MODEL_PRODUCTS = 1u << 10,  /* linearise, jvp and vjp are there, and exact */
    MODEL_SPLIT = 1u << 11      /* split() is there */
};

typedef struct Model Model;

/* ---- hybrid models: what the driver in sim/ uses beyond what integrators do ------------------ */

typedef enum {
    VARIABLE_REAL,
    VARIABLE_INTEGER,
    VARIABLE_BOOLEAN,
    VARIABLE_ENUMERATION,
    VARIABLE_STRING
} VariableType;
typedef enum { VARIABLE_CONSTANT, VARIABLE_PARAMETER, VARIABLE_DISCRETE, VARIABLE_CONTINUOUS } VariableKind;

/* A variable as the user knows it. Aliases share a slot. */
typedef struct {
    const char *name, *unit, *display_unit, *description; /* "" if there is none */
    VariableType type;
    VariableKind kind;
    int slot;     /* where its value is in the array of `values` */
    bool negated; /* an alias with the opposite sign */
    bool is_input, is_output, is_state, is_protected;
    bool is_settable; /* before `initialise`: a parameter, or a start value */
    bool is_tunable;  /* a parameter that may be set while the model runs, at events */
} ModelVariable;

/* What an event did. */
typedef struct {
    bool y_changed; /* reinit, or another choice of states: the integrator has to restart */
    /* y_changed is for another choice of states: no value of the model jumped */
    bool states_selected;
    bool rhs_changed; /* a discrete variable or a relation has another value */
    bool terminate;   /* the model wants to end; `message` says why */
    /* given by the caller: indicators that rose (+1) or fell (-1) through zero; NULL: it is another
     * kind of event */
    const signed char *roots;
    double next_time;    /* the next time event; INFINITY if there is none */
    double max_step;     /* no step until the next event may be longer; 0: no limit */
    int iterations;      /* until nothing changed any more */
    const char *message; /* valid until the next call; NULL if there is none */
} EventInfo;

/* ---- derivatives ----------------------------------------------------------------------------- */

/* The maps that can be differentiated, and the length of their results. That of the residual
 * follows: F = L y' - f. */
typedef enum {
    MAP_INITIAL,     /* y at the start, then discrete Reals, n + discrete_count */
    MAP_DERIVATIVES, /* f, n */
    MAP_VALUES,      /* all values, value_count */
    MAP_INDICATORS,  /* indicators */
    /* y after the last event and discrete Reals, from those before it, n + discrete_count */
    MAP_RESET,
    MAP_EVENT_TIME, /* the time of the last event if it was a time event; else constant; 1 */
    MAP_COUNT
} ModelMap;

/* A change of all that a map depends on; or the gradient in it. */
typedef struct {
    double t;
    double *y; /* n; NULL: none */
    /* of parameters, inputs, discrete values that are held; of MAP_INITIAL: start values, too */
    int count;
    const int *variables; /* count: which of shape.variables */
    double *p;            /* count */
} ModelChange;
/* What a step of a model that integrates itself did. */
typedef struct {
    double t;            /* how far it came */
    bool event;          /* it stopped there for an event: event() has to be called */
    bool terminate;      /* the model wants to end; `message` says why */
    const char *message; /* valid until the next call; NULL if there is none */
} StepInfo;

/* How `jacobian` gets its values. */
typedef enum {
    MODEL_EXACT,       /* by rules of differentiation */
    MODEL_DIRECTIONAL, /* by calls that give directional derivatives */
    MODEL_MIXED        /* exact but for calls without a derivative, where differences are taken */
} ModelJacobian;

/* Everything that stays. Arrays of length n may be NULL where a default is said. */
typedef struct {
    const char *name;
    int n; /* unknowns */
    /* simultaneous systems: unknowns come as this many vectors of n / systems, such as the states
     * and their sensitivities. Each has the same Jacobian in its own unknowns, which is what
     * pattern and jacobian give, and the same mass matrix (mass, mass_pattern, algebraic). 0 and 1:
     * one vector */
    int systems;
    /* with several systems: a model of the first vector alone, which the others depend on; may be
     * NULL */
    struct Model *first;
    int indicators;           /* root functions */
    const char *const *names; /* n; for messages; default: none */
    const double *nominal;    /* n; default: 1. Valid from `initialise` on */
    /* of the first vector: how often it is a derivative in time of what its nominal value is of;
     * default: never */
    const unsigned char *rates;
    const double *low, *high; /* n; where the unknowns stay; default: anywhere. So too */
    ModelJacobian jacobian_kind;
    int jacobian_colours;    /* sweeps of `jacobian`; 0: not known */
    bool pattern_is_claimed; /* by others: it is checked before it is used */
    /* n; 1 where no derivative of the unknown appears; default: from the mass matrix */
    const unsigned char *algebraic;
    /* n; differential index of the unknown: 1 (also for states), 2, 3; default: 1 */
    const unsigned char *index;
    /* entries of df/dy (of dF/dy and dF/dy' together for residuals); default: full */
    const Pattern *pattern;
    const Pattern *mass_pattern; /* of L; NULL with mass given: L is diagonal */
    /* values of L in the order of mass_pattern, or n of them; default: identity */
    const double *mass;
    const ModelVariable *variables;  /* variable_count; everything that a result may hold */
    int variable_count, value_count; /* of variables; of slots */
    /* values of strings are places in it; NULL: strings have no values here */
    const NameIndex *texts;
    /* discrete_count: variables; the Reals among discrete ones, whose changes products carry */
    const int *discrete;
    int discrete_count;
    /* indicators: -1 only falling, +1 only rising, 0 both; default: 0 */
    const signed char *directions;
    /* indicators; the relation in the user's words; default: none */
    const char *const *indicator_names;
} ModelShape;

/* Values of Jacobians are written in the order of `order`, the storage of the caller; matrix_place
 * finds entries, and a model with a pattern may precompute its places. The array comes cleared. */
typedef struct ModelType {
    EvalStatus (*derivatives)(Model *model, double t, const double *y, double *f);
    EvalStatus (*residual)(Model *model, double t, const double *y, const double *yp, double *r);
    /* f = slow + fast, where methods that treat both differently need them: what an explicit method
     * may do, and what is stiff. Either may be NULL: not wanted. */
    EvalStatus (*split)(Model *model, double t, const double *y, double *slow, double *fast);
    EvalStatus (*jacobian)(Model *model, double t, const double *y, const MatrixShape *order, double *values);
    /* dF/dy + c dF/dy' */
    EvalStatus (*residual_jacobian)(Model *model, double t, const double *y, const double *yp, double c,
                                    const MatrixShape *order, double *values);
    /* With several systems: the equations of all vectors but the first, which is y, are linear: L
     * y_j' = J y_j + g_j. J as by jacobian; g: systems - 1 vectors. May be NULL. */
    EvalStatus (*variation)(Model *model, double t, const double *y, const MatrixShape *order, double *values,
                            double *g);
    EvalStatus (*indicators)(Model *model, double t, const double *y, double *g);
    /* A step ended here. True asks for event mode now, though no indicator crossed zero: another
     * choice of states is better from here on. May be NULL. */
    bool (*accepted)(Model *model, double t, const double *y);
    /* How far signals that `accepted` remembers are, at (t, y), from what the points so far
     * predict, as a share of their largest value. A model without memory leaves it NULL. */
    double (*extrapolation_error)(Model *model, double t, const double *y);

    /* The rest is for hybrid models; a problem that integrators alone can solve leaves it NULL. */
    /* Solves the initial equations at t, writes y. */
    EvalStatus (*initialise)(Model *model, double t, double *y, EventInfo *info);
    /* Lets initialise and event ask now and then whether to give up, which is FATAL then; NULL: no
     * more. May be NULL. */
    void (*set_interrupt)(Model *model, bool (*interrupt)(void *arg), void *arg);
    /* Called from another thread: what the model is computing, however long its loops are, fails
     * soon, and so does everything until the next initialise. May be NULL. */
    void (*cut_short)(Model *model);
    /* Event mode at (t, y): relations take the value of the side that y is on, discrete equations
     * are iterated until nothing changes. Between events relations and discrete variables are
     * constant for all other functions. */
    EvalStatus (*event)(Model *model, double t, double *y, EventInfo *info);
    /* All values at (t, y). */
    EvalStatus (*values)(Model *model, double t, const double *y, double *values);
    /* Sets a parameter or a start value before `initialise`, an input at any time. False: *why says
     * why not. */
    bool (*set)(Model *model, int variable, double value, const char **why);
    /* The same from text, for strings and for whole numbers that no double holds. May be NULL. */
    bool (*set_text)(Model *model, int variable, const char *text, const char **why);
    /* Products with the Jacobian of a map at a point: linearise once, then J d (for several d, all
     * of the same variables) and w' J as often as wanted, until something else is evaluated.
     * MAP_INITIAL is differentiated where initialise ended, MAP_RESET where the last event was:
     * both ignore t and y. Relations and discrete values are held. */
    EvalStatus (*linearise)(Model *model, ModelMap map, double t, const double *y);
    /* The derivatives at the point where MAP_DERIVATIVES was linearised last; false: to be computed
     * as usual. May be NULL. */
    bool (*slopes)(const Model *model, double *f);
    EvalStatus (*jvp)(Model *model, int count, const ModelChange *changes, double *const *results);
    EvalStatus (*vjp)(Model *model, const double *weights, ModelChange *gradient);
    /* Goes from t, where the model is, by at most h. A model that has this has no unknowns for
     * integrators: co-simulation. */
    EvalStatus (*step)(Model *model, double t, double h, StepInfo *info);
    /* Before a step: how an input that has this value changes over it. False: it is held over the
     * step. May be NULL. */
    bool (*set_slope)(Model *model, int variable, double value, double slope);
    /* The last event of a run, in which terminal() holds; rhs_changed says whether there was
     * anything to do. May be NULL. */
    EvalStatus (*terminal)(Model *model, double t, double *y, EventInfo *info);
    /* A warning that has not been told yet, at the point evaluated last; valid until the next call.
     * NULL: none. To be asked after initialise, event and accepted steps, until there is none. May
     * be NULL. */
    const char *(*notice)(Model *model);
    /* The whole state of the instance as bytes, for this process. 0 bytes: it cannot be saved. May
     * be NULL. */
    size_t (*save_size)(const Model *model);
    void (*save)(const Model *model, void *to);
    void (*restore)(Model *model, const void *from);
    /* How many bytes `save` writes that another process of this build can `load`, after initialise;
     * 0: none. load: false: they are of another model. May be NULL. */
    size_t (*portable_size)(const Model *model);
    bool (*load)(Model *model, const void *from, size_t n);
    /* What the last RETRY or FATAL was about, in the user's words: equation, place, values. NULL if
     * unknown. */
    const char *(*failure)(const Model *model);
} ModelType;

/* An instance. A hand-written problem fills `data` with what its functions need. */
struct Model {
    const ModelType *type;
    ModelShape shape;
    unsigned can;
    void *data;
};

/* Fills `can` from what type and shape offer. Returns false, and says why in *why, if they
 * contradict each other. */
bool model_init(Model *model, const ModelType *type, const ModelShape *shape, void *data, const char **why);

/* F(t, y, y'), whichever form the model has: L y' - f where it has no residual. */
EvalStatus model_residual(Model *model, double t, const double *y, const double *yp, double *r);
/* The unknowns of one vector. */
static inline int model_system_size(const Model *model)
{
    return model->shape.systems > 1 ? model->shape.n / model->shape.systems : model->shape.n;
}
/* r += c L v */
void model_add_mass(const Model *model, double c, const double *v, double *r);
/* Writes 1 for unknowns without a derivative, 0 for others. */
void model_algebraic(const Model *model, unsigned char *algebraic);
/* Adds one value to a Jacobian; entries that the storage lacks are dropped. For hand-written
 * Jacobians. */
void model_put(const MatrixShape *order, double *values, int i, int j, double value);
/* The name of an unknown for messages, "y[3]" if it has none. */
const char *model_name(const Model *model, int i, char *buffer, size_t room);

#endif
