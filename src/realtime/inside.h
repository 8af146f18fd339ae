/* inside.h: what the files of the realtime room share. */
#ifndef ACAUSAL_REALTIME_INSIDE_H
#define ACAUSAL_REALTIME_INSIDE_H

#include "realtime/realtime.h"

#include <complex.h>

typedef double complex Complex;

/* ---- schur.c: matrix pairs, by LAPACK -------------------------------------------------------- */

/* The generalised Schur form Q^H A Z = S, Q^H B Z = T of a pair; eigenvalues are S_ii / T_ii. All n
 * x n by columns. */
typedef struct {
    int n;
    Complex *s, *t, *q, *z, *lambda;
} Schur;

/* Of A - lambda B; NULL: QZ did not converge, or B is singular. */
Schur *schur_of(Arena *arena, int n, const double *a, const double *b);
/* Orthonormal bases of the deflating subspaces of the m eigenvalues with chosen[i]: X spans the
 * right one, Y the left one (both n x m by columns). Each by a reordering of its own. False: two
 * eigenvalues are too close to be parted. */
bool schur_bases(const Schur *schur, const unsigned char *chosen, int m, Complex *x, Complex *y,
                 Arena *scratch);
/* Solves the m x m system C W = R for k columns, in place; false if C is singular. Overwrites C. */
bool complex_solve(int m, int k, Complex *c, Complex *r, Arena *scratch);
/* Eigenvalues of the pair (A, B) with regular B, by B^-1 A; false if B is singular. Overwrites
 * both. */
bool pair_eigenvalues(int n, double *a, double *b, Complex *lambda, Arena *scratch);

/* ---- stepper.c, export.c --------------------------------------------------------------------- */

enum { STEPPER_MOST_ORDER = 3 };
enum { STATUS_SWITCHED, STATUS_PIVOT, STATUS_ESTIMATE, STATUS_COUNT };

typedef enum {
    MEMORY_NEXT,
    MEMORY_PREVIOUS,
    MEMORY_STATUS,
    MEMORY_F,
    MEMORY_ENTRIES,
    MEMORY_LU,
    MEMORY_TAU,
    MEMORY_D,
    MEMORY_OUTPUTS,
    MEMORY_KINDS
} MemoryKind;

struct RtStepper {
    Arena *arena;
    RtSystem system;
    const char *const *names;
    const ModelShape *shape;
    RtStepperOptions options;
    RtMatrix matrix;
    Entry *entries; /* of Df that are kept */
    int *entry_of;  /* by entry of the whole pattern: among those; -1 */
    size_t entry_count;
    const double *weight; /* n: 1 over the range of each state */
    int *slots;
    double *signs;
    int *output_state; /* by output: the state that it is; -1: none */
    GenStraight *code;
    Model *model;
    IrMem memory[MEMORY_KINDS];
    double *at[MEMORY_KINDS];
    uint32_t size[MEMORY_KINDS];
    double *x, *column[STEPPER_MOST_ORDER];
    IrFun step, evaluate, f, factor, solve, factor_solve;
    IrFun relations; /* sets them to what they are; for exports */
    RtArray arrays[GEN_STRAIGHT_MEMORIES];
    double t0;
    long n;
    EventInfo info;
};

#endif
