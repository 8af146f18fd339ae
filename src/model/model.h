/* model.h: `Model`, the one interface of everything that can be simulated: compiled Modelica, FMUs, and
 * problems written by hand in C.
 *
 * A model has n unknowns y: states x and, in implicit forms, algebraic variables z. It offers one or both
 * of
 *     L y' = f(t, y)       L constant, the identity if not given; rows of zeros make algebraic equations
 *     0 = F(t, y, y')
 * Inputs u and parameters p belong to the instance, so that every map below is a function of what is
 * passed. f is pure: between two calls of `accepted` it gives the same values for the same arguments,
 * rejected trials leave no trace. The mask `can` says which functions may be called; a ModelType leaves
 * NULL what it does not have. */
#ifndef ACAUSAL_MODEL_H
#define ACAUSAL_MODEL_H

#include "base/base.h"
#include "linalg/linalg.h"

typedef enum {
    EVAL_OK,
    EVAL_RETRY, /* not defined here (log of a negative number, no convergence): try a smaller step */
    EVAL_FATAL  /* give up */
} EvalStatus;

enum {
    MODEL_DERIVATIVES = 1u << 0, /* derivatives() is there */
    MODEL_RESIDUAL = 1u << 1,    /* residual() is there */
    MODEL_MASS = 1u << 2,        /* shape.mass is not the identity */
    MODEL_JACOBIAN = 1u << 3,    /* jacobian() is there: exact df/dy */
    MODEL_RESIDUAL_JACOBIAN = 1u << 4,
    MODEL_PATTERN = 1u << 5,    /* shape.pattern is there */
    MODEL_INDICATORS = 1u << 6, /* shape.indicators > 0 */
    MODEL_SAVE = 1u << 7        /* the instance holds no state of its own, or can save it */
};

typedef struct Model Model;

/* Everything that stays. Arrays of length n may be NULL where a default is said. */
typedef struct {
    const char *name;
    int n;                    /* unknowns */
    int indicators;           /* root functions */
    const char *const *names; /* n; for messages; default: none */
    const double *nominal;    /* n; default: 1 */
    const unsigned char
        *algebraic; /* n; 1 where no derivative of the unknown appears; default: from the mass matrix */
    const unsigned char
        *index;             /* n; differential index of the unknown: 1 (also for states), 2, 3; default: 1 */
    const Pattern *pattern; /* entries of df/dy (of dF/dy and dF/dy' together for residuals); default: full */
    const Pattern *mass_pattern; /* of L; NULL with mass given: L is diagonal */
    const double *mass; /* values of L in the order of mass_pattern, or n of them; default: identity */
    const signed char *directions; /* indicators: -1 only falling, +1 only rising, 0 both; default: 0 */
} ModelShape;

/* Values of Jacobians are written in the order of `order`, the storage of the caller; matrix_place finds
 * entries, and a model with a pattern may precompute its places. The array comes cleared. */
typedef struct ModelType {
    EvalStatus (*derivatives)(Model *model, double t, const double *y, double *f);
    EvalStatus (*residual)(Model *model, double t, const double *y, const double *yp, double *r);
    EvalStatus (*jacobian)(Model *model, double t, const double *y, const MatrixShape *order, double *values);
    /* dF/dy + c dF/dy' */
    EvalStatus (*residual_jacobian)(Model *model, double t, const double *y, const double *yp, double c,
                                    const MatrixShape *order, double *values);
    EvalStatus (*indicators)(Model *model, double t, const double *y, double *g);
    void (*accepted)(Model *model, double t, const double *y); /* a step ended here; may be NULL */
} ModelType;

/* An instance. A hand-written problem fills `data` with what its functions need. */
struct Model {
    const ModelType *type;
    ModelShape shape;
    unsigned can;
    void *data;
};

/* Fills `can` from what type and shape offer. Returns false, and says why in *why, if they contradict each
 * other. */
bool model_init(Model *model, const ModelType *type, const ModelShape *shape, void *data, const char **why);

/* F(t, y, y'), whichever form the model has: L y' - f where it has no residual. */
EvalStatus model_residual(Model *model, double t, const double *y, const double *yp, double *r);
/* r += c L v */
void model_add_mass(const Model *model, double c, const double *v, double *r);
/* Writes 1 for unknowns without a derivative, 0 for others. */
void model_algebraic(const Model *model, unsigned char *algebraic);
/* Adds one value to a Jacobian; entries that the storage lacks are dropped. For hand-written Jacobians. */
void model_put(const MatrixShape *order, double *values, int i, int j, double value);
/* The name of an unknown for messages, "y[3]" if it has none. */
const char *model_name(const Model *model, int i, char *buffer, size_t room);

#endif
