/* inside.h: what integrators are made of: the common part of a Solver, norms, step control,
 * Newton's rate, Jacobians, the driver of one-step methods, roots. Each is here once; a method
 * brings its formulas only.
 *
 * To write a method: a struct that begins with `Solver base` (or `OneStep one`), a row in
 * registry.c, and the five functions of SolverType. In setup allocate from s->arena and name
 * everything that must survive save and restore with solver_keep / solver_keep_lu: all that changes
 * from step to step, scalars included (put them in one sub-struct). Evaluate through solver_f and
 * solver_residual, which count and turn NaN into EVAL_RETRY. Report failures with solver_fail. When
 * a step is accepted call solver_accept. */
#ifndef ACAUSAL_SOLVE_INSIDE_H
#define ACAUSAL_SOLVE_INSIDE_H

#include "solve/solve.h"

#include <float.h>
#include <math.h>

#define UROUND DBL_EPSILON
#define ROOT_U 0x1p-26 /* its root */

typedef struct {
    void *at;
    double **vector; /* or where the vector is; then: */
    size_t size;
    Lu *lu;               /* or factors; then: */
    const bool *factored; /* false: nothing to save yet */
} KeptSpan;

static inline void *kept_at(const KeptSpan *span) { return span->vector ? *span->vector : span->at; }

/* ---- roots.c --------------------------------------------------------------------------------- */

enum { ROOT_POINTS = 8, ROOT_DEPTH = 32 };

typedef struct {
    int m;
    double *low, *high, *middle; /* indicator values at the ends of the bracket and between */
    double *past[ROOT_POINTS];   /* the last values, newest first, that interpolation may use */
    double *near[ROOT_POINTS];   /* the same of the search for one root */
    double t_near[ROOT_POINTS];
    int near_points;
    double *later[ROOT_DEPTH]; /* at the ends of parts of a step that are still to be searched */
    double *y;
    signed char *side; /* the sign an indicator has for us; 0 before it was seen to differ from 0 */
    signed char *found;
    struct {
        double t_low; /* up to here all roots are known */
        double t_root;
        double t_past[ROOT_POINTS];
        int points;
        bool started, pending; /* pending: [t_low, t] of the last step is still to be searched */
        bool kept;             /* the rest of a step goes on after an event that changed nothing */
    } at;
} Roots;

/* For SolverType.tolerance_power: an estimate O(h^(q+1)) makes errors follow the tolerance where
 * the solution has order q + 1, and its power q/(q+1) where it has order q only: half way
 * between. */
#define BETWEEN_ORDERS(q) (2.0 * ((q) + 1) / (2.0 * (q) + 1))
/* Where it has order q and no more. */
#define AT_ORDER(q) (((q) + 1.0) / (q))

/* ---- the common part of every integrator ----------------------------------------------------- */

struct Solver {
    const SolverType *type;
    Arena *arena;
    Model *model;
    int n;
    SolverOptions options;
    double *atol;       /* n */
    double calibration; /* what rtol and atol were multiplied with, by the type's tolerance_power */
    double *y;          /* n, the solution at core.t */
    double *yp;         /* n, derivatives for residual forms; else may be unused */
    struct {
        double t, t_old; /* the last step; equal before the first */
        double t_end;
        double direction; /* +1 or -1 */
        long attempts;
        uint32_t replayed; /* records used */
        int restarted;     /* set until the next accepted step */
    } core;
    SolverStats stats;
    SolverFailure failure;
    Roots roots;
    /* for the log, where a method solves stages one by one */
    unsigned char stage_iterations[RECORD_STAGES];
    double start_rate; /* ||f(y + h f) - f(y)|| / (h ||f||) as start_step saw it */
    int blamed;        /* the component that made the last trial fail, -1 if unknown */
    VEC(KeptSpan) kept;
    double *sharp[5]; /* scratch of solver_sharp */
};

/* Names memory that save and restore must carry. */
void solver_keep(Solver *s, void *at, size_t size);
void solver_keep_lu(Solver *s, Lu *lu, const bool *factored);
/* n doubles that are kept, and n that are not; both begin as zeros, with more zeros up to a
 * multiple of four. */
double *solver_kept_vector(Solver *s);
double *solver_vector(Solver *s);
/* Makes *vector, and keeps whatever vector that is when state is saved or restored: it may change
 * places with another one, which saves copies. */
void solver_keep_place(Solver *s, double **vector);
static inline void vector_swap(double **a, double **b)
{
    double *other = *a;
    *a = *b;
    *b = other;
}

/* F(t, y, y'), counted; NaN and infinities become EVAL_RETRY with the component blamed. */
EvalStatus solver_residual(Solver *s, double t, const double *y, const double *yp, double *r);

/* Fills s->failure and returns STEP_FAILED. The text gets t, h and, if component >= 0, its name
 * added. */
StepStatus solver_fail(Solver *s, FailKind kind, double h, int component, const char *what, ...)
    PRINTF_LIKE(5, 6);
/* Books an accepted step: s->core.t_old, t, statistics, the log. `done` holds what Newton did. */
void solver_accept(Solver *s, double t_new, double h, int order, int iterations, unsigned flags);
/* The step to repeat, or NULL when none is recorded (any more). */
static inline const StepRecord *solver_replay(const Solver *s)
{
    const StepLog *log = s->options.replay;
    return log && s->core.replayed < log->steps.n ? &log->steps.at[s->core.replayed] : NULL;
}
/* The part of the tolerance asked for that (tolerance / 1e-6)^power 1e-6 is; at most 1. */
double solver_calibration(const Solver *s, double power);
/* that steps are held to beyond what is asked for: rounding errors of steps are as large */
#define FINEST_RTOL 5e-14
/* The smallest step that still moves t. */
double solver_least_step(const Solver *s);
/* Counts an attempt; false (failure set) when there were too many. */
bool solver_count_attempt(Solver *s, double h);

/* ---- norm.c ---------------------------------------------------------------------------------- */

/* w[i] = 1 / (rtol |y[i]| + atol[i]). False, and s->failure set, when a weight is not finite. */
bool solver_weights(Solver *s, const double *y, double *w);
/* the same times scale */
bool solver_weights_scaled(Solver *s, const double *y, double scale, double *w);
/* Weights from the larger of two vectors, as error tests of one-step methods want them. */
bool solver_weights_of_two(Solver *s, const double *a, const double *b, double *w);
/* After a step that is not much longer than the spacing of time: a component that passes through 0
 * is as large as it was a step ago, or will be. Else a value that happens to lie near 0 would ask
 * for steps that time cannot take. Does nothing after other steps. `scale`: as above. */
bool solver_weights_of_tiny_step(Solver *s, double h, const double *change, double scale, double *w);
bool is_tiny_step(double t, double h);
/* sqrt(1/n sum (v w)^2), its square, and the component with the largest term. */
double norm_rms(int n, const double *v, const double *w);
double norm_square(int n, const double *v, const double *w);
int norm_worst(int n, const double *v, const double *w);
/* out = a - b, and the square of that; out may be a or b. */
double norm_square_of_difference(int n, const double *a, const double *b, const double *w, double *out);
int vector_first_bad(int n, const double *v); /* -1 if all are finite */
enum { FEW = 8 }; /* unknowns for which loops are where they are used: a call costs more */
/* 0 times a finite number is 0, times anything else NaN. Few are read one by one, as they were
 * written just before. */
bool many_are_finite(int n, const double *v);
static inline bool vector_is_finite(int n, const double *v)
{
    double sum = 0.0;
    if (n > FEW) return many_are_finite(n, v);
    for (int i = 0; i < n; i++) sum += v[i] * 0.0;
    return sum == 0.0;
}

/* Blames the component that is not finite; EVAL_RETRY. */
EvalStatus solver_blame(Solver *s, const double *v);
/* f(t, y), counted; who calls this looks at the numbers. */
static inline EvalStatus solver_f_unseen(Solver *s, double t, const double *y, double *f)
{
    s->stats.f++;
    return s->model->type->derivatives(s->model, t, y, f);
}
/* The same, looked at. */
static inline EvalStatus solver_f(Solver *s, double t, const double *y, double *f)
{
    EvalStatus status = solver_f_unseen(s, t, y, f);
    return status != EVAL_OK || vector_is_finite(s->n, f) ? status : solver_blame(s, f);
}

/* v = from + c u; whether all of v are numbers then. */
bool many_add(int n, const double *from, double c, const double *u, double *v);
static inline bool vector_sum(int n, const double *from, double c, const double *u, double *v)
{
    double sum = 0.0;
    if (n > FEW) return many_add(n, from, c, u, v);
    for (int i = 0; i < n; i++) sum += (v[i] = from[i] + c * u[i]) * 0.0;
    return sum == 0.0;
}
static inline bool vector_add(int n, double c, const double *u, double *v)
{
    return vector_sum(n, v, c, u, v);
}

/* v = c u */
void many_scale(int n, double c, const double *u, double *v);
static inline void vector_scale(int n, double c, const double *u, double *v)
{
    if (n > FEW)
        many_scale(n, c, u, v);
    else
        for (int i = 0; i < n; i++) v[i] = c * u[i];
}

/* Few numbers are copied where they are. */
static inline void vector_copy(int n, const double *from, double *to)
{
    if (n > FEW)
        memcpy(to, from, (size_t)n * sizeof *to);
    else
        for (int i = 0; i < n; i++) to[i] = from[i];
}

static inline double vector_largest(size_t n, const double *v)
{
    double most = 0.0;
    for (size_t k = 0; k < n; k++) most = most > fabs(v[k]) ? most : fabs(v[k]);
    return most;
}
static inline void vector_clear(int n, double *v)
{
    if (n > FEW)
        memset(v, 0, (size_t)n * sizeof *v);
    else
        for (int i = 0; i < n; i++) v[i] = 0.0;
}

/* Of numbers that are not NaN; fmax and fmin are calls. */
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }
/* c x^k; pow would be slower. */
static inline double times_power(double c, double x, int k)
{
    for (; k > 0; k--) c *= x;
    return c;
}

/* ---- combine.c: sums of stages with weights -------------------------------------------------- */

/* Up to so many unknowns, what was written one by one just before is read so, too
 * (fresh_four_at). */
enum { FRESH_UNKNOWNS = 16 };

enum { TERMS = 16 };

typedef struct {
    double weight, second;
    const double *k;
} Term;

/* Without those of weight zero; filled up with one to an odd number. */
typedef struct {
    int count;
    Term term[TERMS + 1], *end; /* end: the last one, which is the newest */
} Terms;

/* m vectors k with weights w, and for a second sum v (NULL: there is none); filler: a vector that
 * always holds numbers. */
void terms_make(Terms *terms, int m, const double *w, const double *v, double *const *k,
                const double *filler);
/* out = y + h sum w_j k_j, y NULL: without it. For vectors of solver_vector, since it works on
 * whole groups of four components. */
void terms_combine(int n, const double *y, double h, const Terms *terms, double *out);
/* The same, and second = sum v_j k_j. */
void terms_combine_two(int n, const double *y, double h, const Terms *terms, double *out, double *second);

/* ---- control.c ------------------------------------------------------------------------------- */

/* Step size control. With k the order of the error estimate plus one and e the weighted error norm
 * (accepted if e <= 1), the factor for the next step is
 *   CONTROL_INTEGRAL    safety e^(-1/k)
 *   CONTROL_PI          safety e^(-(1/k - 0.75 beta)) e_old^beta                      (Gustafsson,
 *   Hairer)
 *   CONTROL_PREDICTIVE  min of integral and safety h/h_old (e_old/e^2)^(1/k)          (Gustafsson)
 *   CONTROL_FILTER      e^(-1/4k) e_old^(-1/4k) (h/h_old)^(-1/4): H211b               (Soederlind)
 * held in [least, most], and set to 1 between hold_low and hold_high to save factorisations. */
typedef enum { CONTROL_INTEGRAL, CONTROL_PI, CONTROL_PREDICTIVE, CONTROL_FILTER } ControlKind;

typedef struct {
    ControlKind kind;
    double k; /* exponent: order of the estimate + 1 */
    double safety, beta;
    double least, most;         /* bounds of the factor */
    double hold_low, hold_high; /* factors in between become 1; both 1: never */
    /* history: */
    double error_old, h_old;
    bool has_history, after_reject;
} Control;

/* The next step size after an accepted step of size h; `safety` replaces the controller's own
 * (Newton's work may lower it) if it is > 0. */
double control_accepted(Control *c, double h, double error, double safety);
double control_rejected(Control *c, double h, double error, double safety);
void control_restart(Control *c);

/* ---- start.c --------------------------------------------------------------------------------- */

/* A first step for a method of this order: f0 = f(t, y), weights as above. Two vectors of scratch.
 * Positive; at most the way to t_end. One evaluation of f. Hairer, Norsett, Wanner, II.4. */
double start_step(Solver *s, int order, const double *f0, const double *w, double *scratch1,
                  double *scratch2);

/* ---- newton.c -------------------------------------------------------------------------------- */

/* Watches the norms of successive Newton updates d_1, d_2, ...: theta = d_m / d_(m-1); converged
 * when eta d_m <= kappa with eta = theta / (1 - theta); given up when theta >= 1 or when d_m
 * theta^(left)/(1 - theta) > kappa says that the iterations left will not do. */
typedef enum { NEWTON_GO_ON, NEWTON_DONE, NEWTON_SLOW, NEWTON_DIVERGES } NewtonVerdict;

typedef struct {
    double kappa;  /* share of the tolerance that iteration errors may take */
    int most;      /* iterations */
    double enough; /* updates of this norm are rounding errors: done, whatever their rate */
    /* iterations before it is given up: derivatives follow the solution one behind */
    int patience;
    double stalled; /* so are those up to this norm that shrink no more */
    /* since newton_start: */
    int iterations;
    double theta, eta, norm_old, theta_old;
    /* theta_old / norm_old: the next ratio times theta_old is the next norm times this */
    double pace;
    double suggestion; /* after SLOW: the factor on h that would have converged in time */
} Newton;

#define NEWTON_NO_GAIN 0.9     /* a slow rate is no standstill */
#define NEWTON_LEAST_REST 1e-6 /* of 1 - theta */

/* eta starts from the last step's to the power 0.8 (as in RADAU5), since the first update alone has
 * no rate. */
static inline void newton_start(Newton *newton)
{
    newton->iterations = 0;
    newton->theta = newton->theta_old = newton->norm_old = 0.0;
}
/* Ends of newton_watch that are rarer: an update that is no number; one that is enough by the rate
 * of the last solve, which fades, or is made of rounding errors; one after which it is not clear
 * that the iterations left will do. */
NewtonVerdict newton_lost(Newton *newton);
NewtonVerdict newton_fade(Newton *newton);
NewtonVerdict newton_doubt(Newton *newton, double ratio);

/* The first update is judged by the rate of the last solve, faded: eta^0.8 norm <= kappa, to the
 * tenth power, which needs neither a root nor a power to wait for. */
static inline NewtonVerdict newton_watch_first(Newton *newton, double square)
{
    double eta = larger(newton->eta, UROUND), eta2 = eta * eta, eta4 = eta2 * eta2;
    double kappa2 = newton->kappa * newton->kappa, kappa4 = kappa2 * kappa2, fourth = square * square;
    bool done = fourth * fourth * (square * (eta4 * eta4)) <= kappa4 * kappa4 * kappa2;
    newton->norm_old = sqrt(square);
    if (done | (square <= newton->enough * newton->enough)) return newton_fade(newton);
    return newton->most > 1 ? NEWTON_GO_ON : NEWTON_SLOW;
}

/* Whether eta norm <= kappa after the second update, d^2 <= kappa (d_old - d), without a root or a
 * quotient to wait for. */
static inline bool newton_is_done_at_two(const Newton *newton, double square)
{
    double spare = newton->kappa * newton->norm_old - square;
    return (spare >= 0.0) & (spare * spare >= newton->kappa * newton->kappa * square);
}

/* The same later: theta norm <= kappa (1 - theta), of which theta^2 is norm times the pace. */
static inline bool newton_is_done_later(const Newton *newton, double norm)
{
    double sum = norm + newton->kappa;
    return norm * newton->pace * (sum * sum) <= newton->kappa * newton->kappa;
}

/* With the square of the norm. All that is made of it is made before it is asked whether it is
 * enough: that cannot be foreseen, and what is done between a wrong guess and the next evaluation
 * is waited for. */
static inline NewtonVerdict newton_watch_square(Newton *newton, double square)
{
    int m = ++newton->iterations;
    if (!(square <= DBL_MAX)) return newton_lost(newton);
    if (m == 1) return newton_watch_first(newton, square);
    double norm = sqrt(square), ratio = norm / larger(newton->norm_old, DBL_MIN);
    bool done = m == 2 ? newton_is_done_at_two(newton, square) : newton_is_done_later(newton, norm);
    double theta = m == 2 ? ratio : sqrt(ratio * newton->theta_old), rest = 1.0 - theta;
    double eta = theta / larger(rest, NEWTON_LEAST_REST), square_of_theta = theta * theta;
    bool is_rounding = square <= newton->enough * newton->enough;
    /* four more would do, and there are as many */
    bool is_clear = (norm * (square_of_theta * square_of_theta) <= newton->kappa * rest) &
                    (larger(theta, ratio) < NEWTON_NO_GAIN) & (m + 4 <= newton->most);
    newton->theta = theta;
    newton->theta_old = ratio;
    newton->norm_old = norm;
    newton->pace = ratio / larger(norm, DBL_MIN);
    newton->suggestion = 0.5;
    if (is_rounding) return m == 2 ? newton_fade(newton) : NEWTON_DONE;
    newton->eta = eta;
    return done ? NEWTON_DONE : is_clear ? NEWTON_GO_ON : newton_doubt(newton, ratio);
}
static inline NewtonVerdict newton_watch(Newton *newton, double norm)
{
    return newton_watch_square(newton, norm * norm);
}

/* With fixed steps there are no tolerances: Newton goes nearly to rounding, in weights
 * 1/(FIXED_RTOL (|y|
 * + 1)). */
#define FIXED_RTOL 1e-13
#define FIXED_KAPPA 0.05
#define FIXED_ENOUGH (20.0 * UROUND / FIXED_RTOL)
enum { FIXED_NEWTON = 50 };
void fixed_weights(const Solver *s, double *w);
/* How many unknowns the error test looks at: they come first. */
static inline int solver_counted(const Solver *s)
{
    return s->options.error_test == ERRORS_OF_FIRST ? model_block(s->model) : s->n;
}
/* Derivatives of the solution carry its rounding errors amplified. */
static inline int newton_patience(const Solver *s)
{
    return s->model->shape.copies <= 1 ? 0 : s->options.fixed_step > 0.0 ? 15 : 4;
}
static inline double fixed_stalled(const Solver *s)
{
    return (s->model->shape.copies > 1 ? 1e-4 : 1e-8) / FIXED_RTOL;
}

/* ---- jacobian.c, ladder.c, noise.c, increment.c ---------------------------------------------- */

typedef struct Extrapolation Extrapolation; /* extrapolate.c */
typedef struct Ladder Ladder;               /* ladder.c */
typedef struct Jump Jump;                   /* jump.c */
typedef struct Noise Noise;                 /* noise.c */

/* df/dy (or of a residual) in the best storage for the model, with the mass matrix scattered into
 * the same storage. */
typedef struct {
    MatrixShape *shape;
    double *values;
    double *mass; /* NULL: identity */
    Colouring *colouring;
    bool exact;
    double *delta, *y, *f, *weight, *moved, *size; /* scratch */
    /* what differences with the default rule learnt, by component; else NULL */
    double *typical, *curvature;
    Ladder *ladder;               /* and by entry; NULL: one difference an entry, always */
    Jump *jump;                   /* NULL: jumps of f are not looked for */
    Noise *noise;                 /* of f; there where the ladder is */
    Extrapolation *extrapolation; /* NULL: plain differences */
    /* indicators here, there, and their largest sizes; NULL: none to be guarded */
    double *g0, *g, *g_most;
    struct {
        long count, steps, rejected, newton; /* at the last one: to see whether it served */
        /* count at which several increments were compared; 0: never */
        long learnt;
        long extra; /* evaluations beyond one a colour */
        bool remembers;
        bool is_careful; /* the last one was by several increments */
        /* f had rounding errors that its terms do not tell of, when they were measured */
        bool is_noisy;
    } at;
    bool have;
} Jacobian;

/* Where a difference is taken: f(t, y), or F(t, y, y' + c (y - y0)). */
typedef struct {
    double t, c;
    const double *y, *yp; /* yp NULL: f */
} DifferencePoint;

/* Columns that are moved together: group *k; a column of its own where there are no colours. */
typedef struct {
    const int *column;
    int n;
} Group;

int group_count(const Jacobian *jacobian);
Group group_of(const Jacobian *jacobian, const int *k);
void group_move(Jacobian *jacobian, const DifferencePoint *p, Group g, const double *delta);
void group_back(Jacobian *jacobian, const DifferencePoint *p, Group g);
/* f with a group moved by jacobian->delta, into jacobian->f; a trial that fails is repeated on the
 * other side. near: an indicator is near a root, so that increments that cross it are turned or
 * shortened. */
EvalStatus group_trial(Solver *s, Jacobian *jacobian, const DifferencePoint *p, Group g, bool near);
/* Fills the columns of a group from that. */
EvalStatus group_differences(Solver *s, Jacobian *jacobian, const DifferencePoint *p, Group g,
                             const double *f0, bool near);
/* f or the residual at jacobian->y; counted. */
EvalStatus difference_f(Solver *s, Jacobian *jacobian, const DifferencePoint *p, double *out);
/* Whether jacobian->y lies beyond a root of an indicator, as seen from the point. */
bool difference_crosses(Solver *s, Jacobian *jacobian, const DifferencePoint *p);

/* Differences of the default rule, which compare several increments now and then and remember what
 * suits each entry. */
Jump *jump_new(Solver *s);
EvalStatus jump_mend(Solver *s, Jacobian *jacobian, const DifferencePoint *p, const double *f0);
/* Rounding errors of f at a point, by row; false, and nothing, where f cannot be evaluated. */
Noise *noise_new(Solver *s);
bool noise_measure(Solver *s, Jacobian *jacobian, const DifferencePoint *p, const double *f0, double *noise);
Ladder *ladder_new(Solver *s, Jacobian *jacobian);
void ladder_remember(Jacobian *jacobian); /* before values are overwritten */
EvalStatus ladder_differences(Solver *s, Jacobian *jacobian, const DifferencePoint *p, const double *f0,
                              const IncrementInput *in, bool near);

/* Chooses storage (pattern of f joined with that of L) and source; the values are kept by save. */
bool jacobian_setup(Solver *s, Jacobian *jacobian);
/* df/dy at (t, y), where f = f(t, y) is known. h is for increment rules. */
EvalStatus jacobian_f(Solver *s, Jacobian *jacobian, double t, const double *y, const double *f, double h);
/* df/dy by differences with these increments; where f is not defined there, with the opposite
 * ones. */
EvalStatus jacobian_by(Solver *s, Jacobian *jacobian, double t, const double *y, const double *f,
                       const double *delta);
/* df/dy by extrapolated central differences, for a Jacobian that was set up so. */
Extrapolation *extrapolation_new(Solver *s);
EvalStatus jacobian_extrapolated(Solver *s, Jacobian *jacobian, double t, const double *y, const double *f);
/* The entries of a column: how many, and the place of each with its row. */
int column_length(const MatrixShape *shape, int j);
size_t column_entry(const MatrixShape *shape, int j, int k, int *row);
/* What rules look at, at a point; the default rule's memory takes notice of it. */
IncrementInput jacobian_point(Solver *s, Jacobian *jacobian, const double *y, const double *f, double h);
/* dF/dy + c dF/dy' at (t, y, y'), where r = F is known. Differences need one evaluation a colour,
 * since y and y' are moved together. For models without a residual it is c L - df/dy. */
EvalStatus jacobian_residual(Solver *s, Jacobian *jacobian, double t, const double *y, const double *yp,
                             const double *r, double c, double h);
/* e = c L - J, and the complex (c + i d) L - J as pairs. */
void jacobian_shift(const Jacobian *jacobian, double c, double *e);
/* Corrects d, which solves (c L - J) d = b by these factors, where sums of c L and J lose digits of
 * c; high, low: scratch. False: too large to be corrected, and left as it was. */
bool refine_solution(const Jacobian *jacobian, double c, Lu *lu, const double *b, double *d, double *high,
                     double *low);
/* How exact f was by row when it was measured, 0 where its terms tell; NULL where they do
 * everywhere, or the last Jacobian does not suffer from it. */
const double *jacobian_noise(const Jacobian *jacobian);

/* What is added to a Jacobian by plain differences of an f that loses digits. */
typedef struct {
    double *row, *column;               /* an entry of the pattern gets row[i] column[j] */
    double *ahead, *behind, *way, *sum; /* scratch */
    bool active;
} Secant;

void secant_setup(Solver *s, Secant *secant);
/* v = f(t, y), for a step of size h. */
EvalStatus secant_measure(Solver *s, Jacobian *jacobian, Secant *secant, double t, const double *y,
                          const double *v, double h);
void secant_apply(const Secant *secant, const Jacobian *jacobian, double *e); /* to c L - J */
void jacobian_shift_complex(const Jacobian *jacobian, double c, double d, double *e);

/* What the default rule takes for the size of a component: |y|, or a floor below. f_norm: |h|
 * ||f||, weighted. */
/* The largest that an unknown may be thought to become. */
double increment_reach(const IncrementInput *in, int i);
double increment_size(const IncrementInput *input, int i, double f_norm);

/* ---- algebra.c: systems of equations --------------------------------------------------------- */

/* F(x) = 0. RETRY of `matrix`: it is singular, or not defined here. */
struct AlgebraicSystem {
    int n;
    void *data;
    EvalStatus (*residual)(void *data, const double *x, double *r);
    EvalStatus (*matrix)(void *data, const double *x); /* makes `values` and the factors of it */
    const MatrixShape *shape;
    const double *values;
    Lu *lu;
    /* 1/weight is a change of an unknown that counts */
    const double *weight;
    void (*rescale)(void *data, const double *x); /* makes weights anew; may be NULL */
    double enough;                                /* size of a correction that rounding may leave */
    double *x;                                    /* guess, and solution */
    double *r, *d, *first, *trial;                /* F, M^-1 F, scratch */
    SolverStats *stats;
    int blamed;
};

/* Makes its vectors. */
void algebraic_setup(Solver *s, AlgebraicSystem *system);
/* r = F(x) and d = M^-1 r with the last factors; *size: of d. */
EvalStatus algebraic_correct(AlgebraicSystem *system, const double *x, double *size);
extern const AlgebraicType algebraic_kinsol;

/* ---- consistent.c: initial values of index-1 equations --------------------------------------- */

typedef struct {
    Solver *s;
    Jacobian *jacobian;
    AlgebraicSystem system;
    unsigned char *algebraic;
    int algebraic_count;
    bool slopes;      /* y' is wanted, too */
    bool euler;       /* the unknowns are y after a tiny step */
    bool singular;    /* the last matrix was */
    bool is_singular; /* L may be */
    bool is_known;    /* df/dy is that of `known`: after a solution, of y */
    double *weight;
    double *y, *yp; /* as the unknowns say */
    double *known;  /* where df/dy was made */
    double *matrix; /* for L y' = f */
    double h, c;    /* the tiny step, and 1/h; c = 0: not known yet */
} Consistent;

void consistent_setup(Solver *s, Jacobian *jacobian, Lu *lu, bool slopes, Consistent *work);
/* Changes s->y where it is algebraic and, with slopes, s->yp, until the equations hold to a small
 * part of the tolerances. False: s->failure is set. The Jacobian is left without a value, or,
 * without slopes and for L y' = f, with that of y or nearly so; the factors are overwritten. */
bool consistent_solve(Consistent *work, const double *weight);

/* ---- onestep.c: the driver of one-step methods ----------------------------------------------- */

typedef enum {
    TRY_OK,
    TRY_NEWTON,   /* no convergence: again with one->retry_factor * h */
    TRY_MODEL,    /* f failed or gave NaN */
    TRY_SINGULAR, /* iteration matrix */
    TRY_FATAL     /* the model gave up */
} TryResult;

static inline TryResult of_eval(EvalStatus status)
{
    return status == EVAL_OK ? TRY_OK : status == EVAL_FATAL ? TRY_FATAL : TRY_MODEL;
}

/* Size and end of the next attempt. */
typedef struct {
    double h, t_new;
    bool last;    /* ends at the limit */
    bool clipped; /* smaller than proposed because of the limit */
} StepPlan;

/* Cuts or stretches the proposal h to the limit, for all drivers. */
StepPlan solver_plan(const Solver *s, double h, double t_limit);
/* The failure in words when trials end like `result` down to the smallest step; error and weight
 * find the blame. */
StepStatus solver_collapse(Solver *s, TryResult result, double h, const double *error, const double *weight);
/* Counts a trial that was not accepted. */
void solver_reject(Solver *s, TryResult result);

typedef struct OneStep OneStep;

/* What a one-step method brings. `attempt` computes y_new and the weighted error for a step h from
 * (t, y); `accept` is told that y_new is right, before y is overwritten, and may prepare dense
 * output; `begin` is called after setup and restarts with (t, y) in place. */
typedef struct {
    EvalStatus (*begin)(OneStep *one);
    TryResult (*attempt)(OneStep *one, double h, double *error);
    TryResult (*accept)(OneStep *one, double h);
    const double *(*slope)(
        const OneStep *one); /* f where begin was called; NULL: it was not evaluated there */
} OneStepOps;

/* What first steps after events of one kind could be. */
enum { STEP_MEMORY = 8 };
typedef struct {
    RestartHint hint;
    double mark;  /* the logarithm of ||f||, in tolerances */
    double reach; /* the step that would have been right; 0: not known */
    double trust; /* less after rejections */
} StepMemory;

struct OneStep {
    Solver base;
    const OneStepOps *ops;
    double *y_new, *error, *weight; /* error and weight: for the blame when a step fails */
    double *y_start;                /* where the last accepted step began, for dense output */
    double retry_factor;            /* after TRY_NEWTON; set by attempt */
    /* set by attempt: the next step size, signed; 0: by the controller */
    double proposal;
    double safety;         /* for the controller, set by attempt; 0: its own */
    int order, iterations; /* what attempt did, for the log */
    unsigned flags;
    struct {
        Control control;
        double h;     /* proposal for the next step, signed; 0: none yet */
        bool started; /* begin was called */
        int failures_in_a_row;
        RestartHint hint; /* of the last restart */
        StepMemory memory[STEP_MEMORY];
        int remembered, present; /* entries; that of the last event */
        double t_event, span;    /* of the last event; time between events, the longest of late */
    } state;
};

/* Fills the common part; call first in setup. */
bool onestep_setup(OneStep *one, const OneStepOps *ops, Control control);
StepStatus onestep_step(Solver *s, double t_limit);
/* What the first step does before it steps: evaluates, and chooses its size. */
StepStatus onestep_begin(OneStep *one);
/* y_new becomes y, and y what y_start says. */
void onestep_move_on(OneStep *one);
bool onestep_restart(Solver *s, RestartHint hint);
/* A first step where f is not the slope: with a mass matrix, or of a residual. */
double onestep_first_of_mass(const Solver *s);

/* ---- damping.c ------------------------------------------------------------------------------- */

/* F = c (c L - J)^-1 L: 1 where problems are not stiff, 0 where they are. */
typedef struct {
    Lu *lu;
    double c;
    const MatrixShape *shape; /* of mass */
    const double *mass;       /* L as a matrix; NULL: the model's */
} Damping;

void damp(Solver *s, const Damping *f, const double *u, double *v); /* v = F u */
/* Of few unknowns, where L is the identity: (1 - F)^k u for k = 1 .. rounds, one behind the other;
 * else false, and it is to be done in parts, with what follows. */
static inline bool damping_powers(Solver *s, const Damping *f, int rounds, const double *u, double *out)
{
    if (f->mass || s->model->can & MODEL_MASS || !lu_is_few(f->lu)) return false;
    lu_damp(f->lu, f->c, rounds, u, out);
    s->stats.solves += rounds;
    return true;
}
/* v = c L u, where L is not the identity. */
void damping_mass(const Solver *s, const Damping *f, const double *u, double *v);
/* The same where v is c u. */
static inline void damp_scaled(Solver *s, const Damping *f, const double *u, double *v)
{
    if (f->mass || s->model->can & MODEL_MASS) damping_mass(s, f, u, v);
    lu_solve(f->lu, v);
    s->stats.solves++;
}
/* From v = F from: u = (1 - F) from, v = c u, sum += weight u. `from` may be u or sum; sum NULL:
 * there is none. */
void damping_take_many(int n, double c, const double *from, double *u, double *v, double weight, double *sum);
static inline void damping_take(int n, double c, const double *from, double *u, double *v, double weight,
                                double *sum)
{
    if (n > FEW) {
        damping_take_many(n, c, from, u, v, weight, sum);
        return;
    }
    for (int i = 0; i < n; i++) {
        double x = from[i] - v[i];
        if (sum) sum[i] += weight * x;
        u[i] = x;
        v[i] = c * x;
    }
}
/* Without the sum; returns the square of u, as norm_square does. */
double damping_take_square_many(int n, double c, const double *from, const double *w, double *u, double *v);
static inline double damping_take_square(int n, double c, const double *from, const double *w, double *u,
                                         double *v)
{
    double share = n ? 1.0 / n : 0.0, sum = 0.0;
    if (n >= FEW) return damping_take_square_many(n, c, from, w, u, v);
    for (int i = 0; i < n; i++) {
        double x = from[i] - v[i], size = x * w[i];
        u[i] = x;
        v[i] = c * x;
        sum += size * size;
    }
    return share * sum;
}

/* ---- memory.c: how long errors live ---------------------------------------------------------- */

typedef struct {
    bool is_there;
    int every; /* steps between looks */
    int gap;   /* orders that the result is better by than the estimate */
    /* of unknowns, where it is more than 1: so often errors are damped at first */
    int index;
    double most;  /* count */
    double worth; /* its error over (1 - F)^gap of the estimate */
    double *live; /* errors of past steps in units of their estimates, carried along */
    /* of multistep methods: how large y was lately, and weights from that */
    double *largest, *weight;
    double *source, *power, *damped, *damped_source; /* scratch */
    struct {
        int wait, looks;
        /* the sum of the sizes of all errors that were taken in, and their mean lately */
        double all, lately;
        double logarithm, count; /* how many times errors count: mean, and its power of e */
    } state;
} Memory;

void memory_setup(Memory *m, Solver *s, int every, int gap, double worth);
void memory_setup_collocation(Memory *m, Solver *s, int gap, int index);
void memory_setup_multistep(Memory *m, Solver *s);
/* The sizes of error and estimate of a step of y' = i z y, y = 1, h = 1; orders and `worth` follow
 * from them. */
typedef struct {
    double error, estimate;
} MemorySizes;
typedef MemorySizes MemoryTest(const void *method, double z);
void memory_setup_tested(Memory *m, Solver *s, double gamma, MemoryTest *test, const void *method);
/* After an accepted step; most of them are not looked at. */
void memory_look(Memory *m, Solver *s, const Damping *f, const double *error, const double *weight);
static inline void memory_note(Memory *m, Solver *s, const Damping *f, const double *error,
                               const double *weight)
{
    if (m->is_there && !solver_replay(s) && m->state.wait-- <= 0) memory_look(m, s, f, error, weight);
}
/* Where the model has no value the solution is about to leap: what was before it tells nothing, and
 * shorter steps would look for what is not there. */
void memory_forget(Memory *m, const Solver *s);
/* How many times an error counts, at least once: once only where so many failures in a row show
 * that shorter steps do not make it less. */
enum { VAIN_FAILURES = 4 };
INLINE double memory_count(const Memory *m, int failures)
{
    return failures > VAIN_FAILURES ? 1.0 : m->state.count;
}

/* ---- hermite.c ------------------------------------------------------------------------------- */

/* Dense output from values and slopes at the ends of steps. bend and twist are y and y' at the
 * start of the step before until someone asks. */
typedef struct {
    double *f_start, *f_end, *bend, *twist;
    struct {
        double t, h, h_before; /* the last step, and the one before; 0: none */
        bool is_bent;          /* bend and twist are what they are called */
    } at;
} Hermite;

/* f_end: a kept vector. */
void hermite_setup(Hermite *dense, Solver *s, double *f_end);
/* Before s->y and s->core.t move on: a step of size h from the slope in f_end to f1, which will be
 * there. */
void hermite_accept(Hermite *dense, OneStep *one, const double *f1, double h);
/* The same to y1, with second derivatives at both ends. f0 may be the f_end of the last step. */
void hermite_accept_curved(Hermite *dense, const Solver *s, const double *y1, const double *f0,
                           const double *f1, const double *curve0, const double *curve1, double h);
/* Makes what is missing; that is no part of what a caller of the solver can see. */
void hermite_at(Hermite *dense, const Solver *s, double t, double *y);
void hermite_restart(Hermite *dense);

/* ---- erk.c: explicit Runge-Kutta methods from tableaux --------------------------------------- */

enum { ERK_STAGES = TERMS, ERK_DENSE = 4 };

/* Stages 1 to `stages` make the step; further ones, up to `dense_stages`, are computed only when
 * dense output is asked for. With `fsal` the last stage is f at the new point. Dense output, with x
 * in [0, 1]:
 *   y(x) = y0 + x (F1 + (1-x) (F2 + x (F3 + (1-x) (F4 + x (F5 + ...)))))
 *   F1 = y1 - y0, F2 = h f0 - F1, F3 = 2 F1 - h (f0 + f1), F4.. = h sum d[.][i] k_i,
 * so `dense_rows` = 0 is Hermite's cubic. */
typedef struct ErkTableau {
    const char *name;
    int stages, dense_stages, dense_rows;
    bool fsal;
    double k; /* exponent of the controller: order of the estimate + 1 */
    double beta;
    double stable; /* reach of the stability region on the negative axis; 0: not known */
    /* row i (from the second) holds i entries, one row after the other; dense stages included */
    const double *a;
    const double *b; /* stages */
    const double *c; /* dense_stages */
    const double *e; /* stages: y1 - y1_hat = h sum e_i k_i */
    /* a second, lower estimate; NULL: none. error = e^2 / sqrt(e^2 + 0.01 e2^2) */
    const double *e2;
    const double *d; /* dense_rows x dense_stages */
    /* what takes fixed steps instead, where this one makes more of a step for its estimate */
    const struct ErkTableau *fixed;
} ErkTableau;

extern const ErkTableau erk_euler, erk_rk4, erk_rkf45, erk_dopri5, erk_dop853;

/* ---- dirk.c: diagonally implicit methods from tableaux --------------------------------------- */

enum { DIRK_STAGES = 8 };

/* Rows of `a` are complete up to the diagonal, whose numbers are positive, or 0 where a stage is
 * explicit; with a mass matrix only the first may be. */
typedef struct {
    const char *name;
    int stages;
    double gamma; /* the last of the diagonal that is not 0; of most methods all that are not */
    double k;     /* exponent of the controller */
    const double *a, *c;
    const double *b_hat;
    bool filter; /* the estimate needs (I - h gamma J)^-1 to be small for stiff components */
    /* of the estimate, where it is smaller than errors of non-stiff problems turn out to be */
    double scale;
    const double *b; /* NULL: the last row of `a` (stiffly accurate) */
} DirkTableau;

/* A tableau as ARKODE takes it; rows of `a` are complete. */
typedef struct {
    const char *name;
    int stages, order, embedded;
    bool implicit;
    double *a, *b, *b_hat, *c;
} ForeignTableau;

/* Fills the rest of a type that has its name. */
void arkode_of_tableau(Arena *arena, const ForeignTableau *tableau, SolverType *type);

extern const DirkTableau dirk_trbdf2, dirk_sdirk4, dirk_esdirk3, dirk_esdirk4, dirk_esdirk5;

/* ---- trees.c: order conditions --------------------------------------------------------------- */

enum { TREES_ORDER = 9, TREES_MOST = 600, TREES_CHILDREN = 8, TREES_STAGES = 17 };

/* A rooted tree: its subtrees as indices into the list, not rising; density gamma. */
typedef struct {
    int order, children, child[TREES_CHILDREN];
    long double gamma;
} Tree;

typedef struct {
    Tree tree[TREES_MOST];
    int n, first[TREES_ORDER + 2]; /* trees of order r: first[r] .. first[r+1]-1 */
} Forest;

/* A method as a full matrix, with the elementary weights of its stages. */
typedef struct {
    int n;
    long double a[TREES_STAGES][TREES_STAGES], phi[TREES_MOST][TREES_STAGES];
} TreeMethod;

/* All rooted trees up to TREES_ORDER. */
void trees_plant(Forest *forest);
/* Fills phi. */
void trees_weigh(const Forest *forest, TreeMethod *method);
/* The largest violation by weights w at the point x of the step over trees of this order. */
double trees_violation(const Forest *forest, const TreeMethod *method, const long double *w, int order,
                       long double x);
double trees_violation_up_to(const Forest *forest, const TreeMethod *method, const long double *w, int order,
                             long double x);

/* ---- collocation.c, irk.c: implicit Runge-Kutta methods of collocation type ------------------ */

enum { COLLOCATION_STAGES = 7, COLLOCATION_PAIRS = 3 };
typedef enum { COLLOCATION_RADAU, COLLOCATION_GAUSS } CollocationFamily;

/* T^-1 A^-1 T = diag(gamma, (alpha beta; -beta alpha), ...); gamma only for odd s. With z_i = Y_i -
 * y0: y1 = y0 + sum d_i z_i, and y1_hat - y1 = h/gamma f(t0, y0) + sum e_i z_i is of order s.
 * Without a real eigenvalue gamma is a free choice and its matrix an extra one. */
typedef struct {
    CollocationFamily family;
    int s, pairs;
    bool has_real;
    double c[COLLOCATION_STAGES], b[COLLOCATION_STAGES], d[COLLOCATION_STAGES], e[COLLOCATION_STAGES];
    double a[COLLOCATION_STAGES][COLLOCATION_STAGES], inverse[COLLOCATION_STAGES][COLLOCATION_STAGES];
    double t[COLLOCATION_STAGES][COLLOCATION_STAGES], ti[COLLOCATION_STAGES][COLLOCATION_STAGES];
    double gamma, alpha[COLLOCATION_PAIRS], beta[COLLOCATION_PAIRS];
    double lagrange[COLLOCATION_STAGES]; /* 1 / (c_i product of c_i - c_j) */
    double ahead[COLLOCATION_STAGES]
                [COLLOCATION_STAGES]; /* z(1 + x) - z(1) = sum_p x^(p+1) sum_j ahead_pj z_j */
    struct {
        Four inverse[COLLOCATION_STAGES][COLLOCATION_STAGES], ahead[COLLOCATION_STAGES][COLLOCATION_STAGES],
            t[COLLOCATION_STAGES][COLLOCATION_STAGES], ti[COLLOCATION_STAGES][COLLOCATION_STAGES];
        Four shift_re,
            /* eigenvalues of A^-1 side by side, the real one first; gamma where there are no
             * more */
            shift_im;
        /* each number four times, as loops over groups of four components take it; those that make
         * or take imaginary parts, which have the other sign in the complex systems, with the other
         * sign */
    } four;
} Collocation;

void collocation_make(CollocationFamily family, int s, Collocation *method);
/* Weights of z_1..z_s in the polynomial through (0, 0), (c_i, z_i) at x. */
void collocation_weights(const Collocation *method, double x, double *w);

/* ---- transform.c: loops of Newton's iteration of collocation methods ------------------------- */

/* Vectors by stage, and the right-hand sides and solutions of the systems: one real, if the number
 * of stages is odd, and pairs. All have room for whole groups of four components; what is behind
 * the n-th of z is left as it is, of the others it may be overwritten. */
typedef struct {
    Collocation *method;
    int n;
    double *const *z, *const *r, *const *stage, *real, *const *pairs;
} TransformWork;

/* v = A^-1 z, by component. */
void transform_slopes(const TransformWork *work, double *const *v);
/* z at c_i h behind the end of a step of another method, whose z is given, as the polynomial goes
 * on; ratio: of the steps. Stages are y + z. */
void transform_predict(const TransformWork *work, const Collocation *old, double *const *z_old, double ratio,
                       const double *y);
/* out = from + scale sum_i weight_i z_i; from NULL: without it. */
void transform_sum(const TransformWork *work, const double *weight, double scale, const double *from,
                   double *out);
/* Right-hand sides from f(stages) in r, whose defects are r - A^-1 z / h; with 0 for 1/h the
 * defects are in r. False: a number of r is not finite; then that component of `real` is not
 * either. */
bool transform_project(const TransformWork *work, double inverse_h);
/* From the solutions: z moves, the stages are y + z; returns the mean square of the change,
 * weighted. */
double transform_apply(const TransformWork *work, const double *y, const double *weight);
/* By how much that of the last stage moves; out may be any r. */
void transform_change_of_end(const TransformWork *work, double *out);

/* row . v, s of them. */
INLINE Four four_row_times(bool is_wide, int s, const Four *row, const Four *v)
{
    if (is_wide) {
        Four sum = row[0] * v[0];
        for (int j = 1; j < s; j++) sum += row[j] * v[j];
        return sum;
    }
    Two low = four_low(row) * four_low(v), high = four_high(row) * four_high(v);
    for (int j = 1; j < s; j++) {
        low += four_low(row + j) * four_low(v + j);
        high += four_high(row + j) * four_high(v + j);
    }
    return four_of_twos(low, high);
}
/* All bits of the first n of four numbers. */
INLINE Bits four_in_range(int n)
{
    static const long long bits[8] = { -1, -1, -1, -1, 0, 0, 0, 0 };
    return *(const Bits *)(bits + (n < 4 ? 4 - n : 0));
}

/* ---- transform_few.c: a whole iteration of few unknowns -------------------------------------- */

/* Inverses of the systems as of Collocation.four's shifts; r are right-hand sides at the stages;
 * change: by how much the last stage moved. */
typedef struct {
    const Collocation *method;
    int n;
    double inverse_h;
    FewInverse *inverse; /* NULL: unknowns are not so few */
    double *const *z, *const *r, *const *stage;
    const double *y, *weight;
    double *change;
} FewWork;

/* Where an estimate and what is left of it after so many rounds of 1 - F go; squares of the norms
 * of all of them. */
typedef struct {
    const double *f0;
    int rounds;
    double *error, *rest, *square;
} FewEstimate;

/* Whether there are iterations with so many stages. */
bool transform_has_few(int stages);
/* The place of the inverse of gamma/h - J. */
static inline int few_real(const Collocation *method) { return method->has_real ? 0 : method->pairs; }
/* z and the stages move; returns the mean square of the change, weighted. r is left as it is. */
double transform_iterate(const FewWork *work);
/* (gamma/h - J)^-1 (f0 + gamma/h sum e_i z_i). */
void transform_estimate(const FewWork *work, const FewEstimate *to);

/* ---- seulex_few.c: rows of few unknowns, side by side ---------------------------------------- */

enum { SEULEX_ROWS = 12, SEULEX_FIRST = 2 };
static inline int seulex_substeps(int row) { return SEULEX_FIRST + row - 1; }
/* The weight of row j where rows 1 to k are extrapolated. */
double seulex_limit(int k, int j);

/* A row at work: where it is, how far from the start; f there, and all of its differences. */
typedef struct {
    double y[4], moved[4], f[4], d[SEULEX_FIRST + SEULEX_ROWS][4];
    double h; /* of its substeps */
    TryResult result;
} SeulexFewRow;

/* All at multiples of 32 bytes. What is made of row j of an attempt is at [j]; inverses begin with
 * that of row 1. */
typedef struct {
    FewInverse inverse[SEULEX_ROWS];
    double table[SEULEX_ROWS + 1][4];                   /* columns of the last row */
    double way[SEULEX_ROWS + 1][4];                     /* from the start, extrapolated */
    double error[SEULEX_ROWS + 1][4];                   /* distance of the last two columns */
    double weight[SEULEX_ROWS + 1][SEULEX_ROWS + 1][4]; /* of row, column, four times */
    double slope[SEULEX_ROWS + 1][SEULEX_ROWS + 1][4];  /* of rows, row: of h y' */
    double curve[SEULEX_ROWS + 1][SEULEX_ROWS + 1][4];  /* of h^2 y'' */
    SeulexFewRow row[SEULEX_ROWS + 1];
    double square[SEULEX_ROWS + 1]; /* of errors, weighted */
    Solver *s;
    const double *J, *error_weight;
    double h;
    int inverted; /* rows that have inverses */
    int singular,
        /* the first row that has none, and the column to blame; beyond the last row: all have */
        column;
    bool is_refined; /* inverses are */
} SeulexFew;

SeulexFew *seulex_few_new(Solver *s);
void seulex_few_begin(SeulexFew *w, double h, bool is_refined);
/* Rows from `first` to `last`, and what they extrapolate to. What goes wrong with one is its
 * result, and ends those behind it; TRY_FATAL: the model gave up. */
TryResult seulex_few_take(SeulexFew *w, int first, int last);
/* Slope and curvature at the end, or at the start, as rows up to `done` see them. */
void seulex_few_limits(const SeulexFew *w, int done, bool at_start, double *slope, double *curve);

/* ---- spectral.c: the largest eigenvalue of df/dy by evaluations of f ------------------------- */

/* |lambda|, or 0; f0 = f(t, y), weights w; three vectors of scratch. */
double spectral_radius(Solver *s, const double *f0, const double *w, double *v, double *y, double *f);

/* ---- variation.c: vectors that are linear once the first one is known ------------------------ */

typedef struct {
    Solver *s;
    Jacobian *jac;
    Model *whole;   /* while narrow */
    bool is_there;  /* the model has such vectors, and can say so */
    bool from_zero; /* iterations need no guess: the last ones ended at once */
    int n, m;       /* of a vector; vectors beside the first */
    double *values[COLLOCATION_STAGES], *g[COLLOCATION_STAGES]; /* by stage: J, and m vectors */
    /* a group of vectors */
    double *z[COLLOCATION_STAGES], *r[COLLOCATION_STAGES], *own[COLLOCATION_STAGES];
    double *start, *weight, *x, *slope, *pairs;
    /* by number of stages: of all of them; NULL: too many unknowns */
    Lu *at_once[COLLOCATION_STAGES + 1];
    double *matrix, *together; /* likewise */
    int *places;               /* of the entries of J in `values`, by columns; -1: none */
} Variation;

/* A step of a collocation method from (t, y), all vectors; the first one's part of z is right. */
typedef struct {
    const Collocation *method;
    double t, h;
    const double *y, *weight;
    double *const *z;
    Lu *real, *const *pair;
    Newton *newton;
} VariationStep;

void variation_setup(Variation *v, Solver *s, Jacobian *jac, int stages);
/* The first vector is worked on as if it were all; or all of them are again. */
void variation_narrow(Variation *v, bool to_first);
/* J and g at a point of the first vector. */
EvalStatus variation_at(Variation *v, int stage, double t, const double *y);
TryResult variation_solve(Variation *v, const VariationStep *step);
/* For methods with one stage at a time: c L y - J y = g + L from, with J and g of stage 0 and
 * factors of its own. */
TryResult variation_direct(Variation *v, Lu *lu, double *matrix, double c, const double *from, double *y);
/* f of all vectors but the first, with J and g of a stage. */
void variation_slopes(Variation *v, int stage, const double *y, double *f);

/* Radau IIA and Gauss methods: irk.c, their estimates: irk_estimate.c, and where steps end:
 * irk_end.c. */
/* A method: stages from `first` to `last` in steps of 2. */
typedef struct {
    CollocationFamily family;
    int first, last;
} IrkSpec;

/* Of Gauss methods with algebraic equations. */
typedef struct {
    bool is_there;
    Lu *lu;
    double *bend;  /* what algebraic equations add to the polynomial at the end of the last step */
    double *slope; /* there */
} IrkEnd;

typedef struct {
    OneStep one;
    const IrkSpec *spec;
    Collocation *method[COLLOCATION_STAGES + 1];                         /* by number of stages */
    double inner[COLLOCATION_STAGES + 1], kappa[COLLOCATION_STAGES + 1]; /* likewise: tolerances */
    Jacobian jac;
    Variation variation;
    bool residual;
    int index_most; /* of an unknown */
    Lu *real, *pair[COLLOCATION_PAIRS];
    FewWork few;
    Consistent consistent;
    double *matrix; /* pairs */
    double *z[COLLOCATION_STAGES], *r[COLLOCATION_STAGES], *z_old[COLLOCATION_STAGES],
        *stages[COLLOCATION_STAGES];
    double *slopes[COLLOCATION_STAGES]; /* of the stages; not where L is the identity */
    double *f0, *stage, *slope, *pairs[COLLOCATION_PAIRS];
    double first_error;       /* of the first vector */
    Newton newton, following; /* following: of the vectors that depend on the first one */
    Memory memory;
    IrkEnd end;
    struct {
        int s, s_old;        /* stages now, and of the polynomial z_old */
        double h_old, t_old; /* step of that polynomial; 0: none */
        double h_factored;   /* 0: no factors for the next step */
        double c_real;       /* c of the factors of c - J in `real`; 0: none */
        double eta, theta, theta_mean;
        double h_accepted;
        double eta_following;
        bool have_f0, jacobian_fresh, want_jacobian, factored;
        bool at_end;    /* the last stage of `variation` is the present point */
        unsigned flags; /* what was done since the last accepted step */
        int since_change;
        bool newton_failed;
        double second, t_second, h_second; /* estimate of the last attempt, and where it began */
        double first, first_accepted;      /* of the last attempt, and of the last step */
        double rough_end;                  /* up to here f is not smooth */
    } state;
} Irk;

static inline bool irk_is_plain(const Irk *irk)
{
    return !irk->residual && !(irk->one.base.model->can & MODEL_MASS);
}
static inline bool irk_is_fixed(const Irk *irk) { return irk->one.base.options.fixed_step > 0.0; }
static inline TransformWork irk_work(Irk *irk)
{
    return (TransformWork){
        irk->method[irk->state.s], irk->one.base.n, irk->z, irk->r, irk->stages, irk->r[0], irk->pairs
    };
}
/* After matrices and `consistent`. */
void irk_end_setup(Irk *irk);
double irk_end_shift(const Irk *irk, double h); /* c of the factors of c L - J in end.lu */
TryResult irk_end_step(Irk *irk, double h);     /* y_new */
/* y' of residual models, when the step is accepted */
void irk_end_slope(Irk *irk, double h);
/* What dense output of the last step gets at x of it, 0 to 1. */
void irk_end_bend(const Irk *irk, double x, double *y);
/* f(t, y), or the residual at (t, y, y') for residual models, if it is not known. */
EvalStatus irk_evaluate_start(Irk *irk);
/* Whether there is a second estimate with so many stages. */
bool irk_refines(const Irk *irk, int stages);
Damping irk_damping(const Irk *irk, double c);
/* The weighted error of the step that was solved for; the controller learns which power of h it
 * follows. */
TryResult irk_estimate(Irk *irk, double h, double *error);

/* How many times the stable step the last step was (explicit Runge-Kutta, once watched): above 1
 * stability limits it. */
void erk_watch_stiffness(Solver *s);
double erk_stiffness(const Solver *s);
/* How many times the step that stability allows error control asks for, of a method with both
 * families; 5 where it goes on with BDF. */
double nordsieck_stiffness(const Solver *s);
/* Goes on with Adams after all, with this step if it was about to change. */
/* Before the first step: what the largest eigenvalue is about. */
void nordsieck_know_radius(Solver *s, double radius);
void nordsieck_stay_plain(Solver *s, double h);
/* |h| times a norm of the Jacobian that bounds its eigenvalues. */
double irk_stiffness(const Solver *s);
double rosenbrock_stiffness(const Solver *s);
/* The Jacobian from before a restart is tried before a new one is made. */
void irk_trust_jacobian(Solver *s);
/* The collocation polynomial of the last step at t, with the next term as the error estimate shows
 * it: one order more. */
void irk_sample(const Solver *s, double t, double *y);
const Jacobian *irk_jacobian(const Solver *s);
void irk_coefficients(const SolverType *type, Collocation *method);

/* ---- the rows of registry.c ------------------------------------------------------------------ */

extern const SolverType solver_euler, solver_rk4, solver_rkf45, solver_dopri5, solver_dop853;
extern const SolverType solver_auto;
extern const SolverType solver_rodas, solver_seulex;
extern const SolverType solver_trbdf2, solver_sdirk4, solver_esdirk3, solver_esdirk4, solver_esdirk5;
extern const SolverType solver_implicit_euler, solver_radau3, solver_radau5, solver_radau, solver_gauss2,
    solver_gauss4, solver_gauss6;
extern const SolverType solver_adams, solver_adams_newton, solver_bdf, solver_switching, solver_dassl;
extern const SolverType solver_cvode_adams, solver_cvode_bdf, solver_ida, solver_arkode_erk,
    solver_arkode_esdirk, solver_arkode_imex;

/* ---- roots.c --------------------------------------------------------------------------------- */

void roots_setup(Solver *s);
/* Looks at the part of the last step that is not yet searched. TAKEN: no root; ROOT; FAILED. */
StepStatus roots_search(Solver *s);
/* After a trial of size h that failed: the step to shortly behind the first root that the solution
 * so far foretells inside of it; 0: none is. f may change its law there, so that no step over it
 * can succeed. */
double roots_aim(Solver *s, double h);
/* The search begins anew at t, where indicators may have other values. */
void roots_restart(Solver *s, double t);

#endif
