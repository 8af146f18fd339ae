/* stiffness.c: when a method that has both families goes over from Adams to BDF, and back.
 *
 * In: after each accepted step its error, and what is known of the size of df/dy: with Adams a
 * Lipschitz constant from the rate of the functional iteration, with BDF the weighted norm of the
 * Jacobian. Out: the family, order and size of the next step. Tests: tests/solve/multistep_test.c,
 * delivered_test.c. */
#include "solve/methods/adams_bdf/inside.h"

/* Each family is asked for the step it could take, Adams' also bound by its stability; BDF is
 * chosen when its step is RATIO times larger, Adams when its step is as large (a step of it costs
 * less). After a change SWITCH_WAIT steps pass before the next is thought of. A rate needs a second
 * iteration, which doubles the cost of a step: it is asked for now and then, and in each step where
 * Adams is near to its bound. Adams' own step is held back to its stability bound too, which is
 * better than to find out by failing. That bound is for what is damped: orders 3 and 4 let
 * oscillations grow inside of it, by little a step, unseen by error control until they are
 * thousands of tolerances large. So where iterations show that nothing is damped, that growth is
 * added up, and BDF takes over before it matters. Source: Petzold, SIAM J. Sci. Stat. Comp. 4
 * (1983). */

static const double RATIO = 5.0;
static const double BIAS = 1.2;
static const double NEAR_BOUND = 0.8;
/* What is known of the largest eigenvalue from the beginning of a run: how far an explicit starter
 * goes with it, and what is left of it each time that size and order are thought over (0.6 and 0.9
 * do as well). */
static const double STARTER_REACH = 1.0, FADING = 0.8;
/* Mean cosine above which errors are not damped: it was -0.5 to -1 on stiff problems of the bench,
 * -0.25 to 0.2 on oscillators and orbits. */
static const double SWINGING = -0.3;
/* logarithm of what Adams methods may make of oscillations */
static const double MOST_GROWN = 0.15;
enum { TURNS_IN_MEAN = 10, FEW_TURNS = 4 };
enum { SWITCH_WAIT = 20, ASK_EVERY = 5, SUSPICION = 10, STIFF_ORDER = 5 };

/* h times the Lipschitz constant up to which Adams methods of order q are stable under functional
 * iteration.
 */
static const double stability[NORDSIECK_MOST + 1] = { 0.0,  0.5,  0.575, 0.55,  0.45, 0.35, 0.25,
                                                      0.20, 0.15, 0.10,  0.075, 0.05, 0.025 };

static double size_of_solution(const Nordsieck *m)
{
    return norm_rms(m->multi.base.n, m->multi.base.y, m->multi.weight);
}

static double step_factor(double error, int order)
{
    return nordsieck_step_factor(BIAS, error, 1.0 / (order + 1));
}

double nordsieck_stiffness(const Solver *s)
{
    const Nordsieck *m = (const Nordsieck *)s;
    if (m->state.family_next == FAMILY_BDF) return RATIO;
    return fmin(m->state.wanted[0], m->state.wanted[1]);
}

/* Rates of an iteration tell nothing of eigenvalues that the solution does not show, until steps
 * are so long that errors in their directions have grown. By then an undamped oscillation has tens
 * of tolerances that it keeps. */
void nordsieck_know_radius(Solver *s, double radius) { ((Nordsieck *)s)->state.radius = radius; }

double stiffness_first(const Nordsieck *m, int order)
{
    if (m->state.family_next != FAMILY_ADAMS || !(m->state.radius > 0.0)) return 0.0;
    return (order ? stability[order] : STARTER_REACH) / m->state.radius;
}

void nordsieck_stay_plain(Solver *s, double h)
{
    Nordsieck *m = (Nordsieck *)s;
    m->state.radius = 0.0;
    if (m->state.family_next == FAMILY_BDF) m->multi.state.h = h;
    m->state.family_next = FAMILY_ADAMS;
    m->state.wanted[0] = m->state.wanted[1] = m->state.grown = 0.0;
}

void stiffness_begin(Nordsieck *m)
{
    m->state.switch_wait = SWITCH_WAIT;
    m->state.lipschitz = m->state.lipschitz_last = 0.0;
    m->state.held = false;
    m->state.suspicion = m->state.turns = 0;
    m->state.grown = 0.0;
    m->state.wanted[0] = m->state.wanted[1] = 0.0;
}

/* A second iteration is asked for now and then, and in each step for a while after one whose rate
 * was near to what Adams' stability allows. In a run that was interrupted it is worth its cost:
 * slopes are then good enough for histories to be kept over small changes. */
int stiffness_least_iterations(const Nordsieck *m, int order)
{
    int wait = m->state.switch_wait;
    if (m->state.family_next != FAMILY_ADAMS || order > STIFF_ORDER || wait > order + 1) return 1;
    bool is_interrupted = m->multi.base.stats.restarts > 0;
    return is_interrupted || m->state.suspicion > 0 || wait % ASK_EVERY == 0 ? 2 : 1;
}

/* By which logarithm a step with two iterations changes the size of a solution of y' = i y, z =
 * |h|: the largest eigenvalue of the step, as a polynomial that has it to a fifth where stability
 * lets steps be. Orders 1, 2, 5 and 6 damp it; those from 7 on do next to nothing there. */
static double growth_of_swings(int order, double z)
{
    double square = z * z, fourth = square * square;
    if (order == 3) return (0.042 + 0.06 * square) * fourth;
    return order == 4 ? (0.02 + 0.25 * square) * square * fourth : 0.0;
}

/* The second update is h l_0 J times the first: the cosine between them is that between an error
 * and what the equations make of it. One that decays by itself has -1; one that swings has
 * anything, by its phase, and 0 in the mean. Rates above the bound of stability are single ones, or
 * rounding, and count as if they were there. */
static void note_turn(Nordsieck *m, int order, double z, double turn)
{
    if (m->state.turns < TURNS_IN_MEAN) m->state.turns++;
    m->state.turn += (turn - m->state.turn) / m->state.turns;
    bool swings = m->state.turns > FEW_TURNS && m->state.turn > SWINGING;
    if (swings) m->state.grown += growth_of_swings(order, smaller(z, stability[order]));
}

void stiffness_note_rate(Nordsieck *m, double h, int order, double rate, double turn)
{
    if (m->state.family_next != FAMILY_ADAMS) return;
    double l0 = m->family[FAMILY_ADAMS].l[order][0], here = rate / fabs(h * l0);
    m->state.lipschitz = fmax(m->state.lipschitz, here);
    if (m->state.lipschitz > 0.0) m->state.lipschitz_last = m->state.lipschitz;
    if (rate > 0.0) note_turn(m, order, fabs(h) * here, turn);
    bool is_near = fabs(h) * here > NEAR_BOUND * stability[order];
    m->state.suspicion = is_near ? SUSPICION : m->state.suspicion - (m->state.suspicion > 0);
}

bool stiffness_hold(Nordsieck *m, double h, int order, double *down, double *same, double *up)
{
    m->state.held = false;
    if (m->state.family != FAMILY_ADAMS) return false;
    double reach = fmax(fabs(h) * fmax(m->state.lipschitz_last, m->state.radius), 1e-6),
           free = fmax(*same, fmax(*down, *up));
    if (order > 1) *down = fmin(*down, stability[order - 1] / reach);
    if (order < NORDSIECK_MOST) *up = fmin(*up, stability[order + 1] / reach);
    *same = fmin(*same, stability[order] / reach);
    m->state.lipschitz = 0.0;
    m->state.radius *= FADING;
    double best = fmax(*same, fmax(*down, *up));
    int chosen = best == *same ? order : best == *up ? order + 1 : order - 1;
    m->state.held = best * reach * 1.00001 >= stability[chosen];
    m->state.wanted[1] = m->state.wanted[0];
    m->state.wanted[0] = m->state.held ? free / best : 0.0;
    return m->state.held;
}

/* Whether step_factor(error, order) is at least this: decisions of nearly every step, for which
 * powers by pow would be dear. */
static bool step_factor_reaches(double factor, double error, int order)
{
    double root = 1.0 / (BIAS * factor) - NORDSIECK_LEAST;
    return root > 0.0 && times_power(1.0, root, order + 1) >= error;
}

/* What iteration and stability allow Adams as a factor on h. */
static double stable_factor(double h, int order, double lipschitz)
{
    return stability[order] / (lipschitz * fabs(h));
}

/* Errors of BDF are never smaller than those of Adams, so it is stability alone that can make its
 * step longer. */
static bool to_bdf(Nordsieck *m, double h, int order, double error, double *factor)
{
    const NordsieckFamily *adams = &m->family[FAMILY_ADAMS], *bdf = &m->family[FAMILY_BDF];
    if (order > STIFF_ORDER || m->multi.iterations < 2) return false;
    if (error <= 100.0 * UROUND * size_of_solution(m) || m->state.lipschitz == 0.0) {
        *factor = 2.0;
        return m->state.held;
    }
    double stable = stable_factor(h, order, m->state.lipschitz_last);
    double error_there = error * bdf->error_constant[order] / adams->error_constant[order];
    if (!step_factor_reaches(RATIO * stable, error_there, order) && !(m->state.grown > MOST_GROWN))
        return false;
    *factor = step_factor(error_there, order);
    return true;
}

static bool to_adams(Nordsieck *m, double h, int order, double error, double *factor)
{
    const NordsieckFamily *adams = &m->family[FAMILY_ADAMS], *bdf = &m->family[FAMILY_BDF];
    double stable = stable_factor(h, order, m->state.jacobian_norm);
    if (step_factor_reaches(stable, error, order)) return false;
    double error_there = error * adams->error_constant[order] / bdf->error_constant[order];
    *factor = smaller(step_factor(error_there, order), stable);
    /* the estimate must not be rounding */
    return pow(fmax(0.001, *factor), 1.0 / (order + 1)) * error_there > 1000.0 * UROUND * size_of_solution(m);
}

bool stiffness_switch(Nordsieck *m, double h, int order, double error)
{
    double factor;
    if (--m->state.switch_wait >= 0) return false;
    bool adams = m->state.family == FAMILY_ADAMS;
    if (!(adams ? to_bdf : to_adams)(m, h, order, error, &factor)) return false;
    m->state.family_next = adams ? FAMILY_BDF : FAMILY_ADAMS;
    m->state.switch_wait = SWITCH_WAIT;
    m->state.lipschitz_last = m->state.lipschitz = m->state.grown = 0.0;
    m->state.turns = 0;
    m->state.factored = m->jacobian.have = false;
    m->state.rate = 0.7;
    m->multi.state.h = h * fmin(factor, m->state.growth);
    return true;
}
