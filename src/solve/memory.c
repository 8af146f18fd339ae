/* memory.c: how long the errors of steps live, and so how many of them add up.
 *
 * In: after every few accepted steps the factors of c L - J, c = gamma/h, and the step's estimated error e. Out: how many times an error counts. How: with
 * F = c (c L - J)^-1 L a Cayley step 1 - 2 (1 - F) keeps the size of what oscillates, however fast, and shrinks what decays. Three of them carry the
 * errors of past steps along; (1 - F)^6 added to them takes away what is stiff: on the imaginary axis a low-pass filter of size 1 - sin^6. Phases are not
 * known, so errors are added up with random signs: then the square of the sum v over that of one error is the number that is alive, and if they all had one sign,
 * so many times one error had come together. A solution that its equations damp has forgotten errors after a few steps, and nothing changes for it; an
 * oscillation keeps them. Where the result has `gap` orders more than the estimate, its error is about (1 - F)^gap e: small in smooth solutions. Always: no more
 * errors live than there were; all that is found out is state, so runs repeat. Cost: 8 + gap solves in so many steps. Tests: tests/solve/delivered_test.c. */
#include "solve/inside.h"

enum { POWERS = 6, LOOKS_OF_MULTISTEP = 20 };

static const double CARRY[POWERS + 1] = { 1.0, -6.0, 12.0, -8.0, 0.0, 0.0, 1.0 }; /* (1 - 2u)^3 + u^6 */
static const double MEAN = 0.1;    /* weight of the last look in means */
static const double ALLOWED = 1.5; /* live errors together, in units of what a step may err by */
static const double MOST_COUNT = 100.0;

void memory_setup(Memory *m, Solver *s, int every, int gap, double worth)
{
    m->every = every;
    m->gap = gap;
    m->worth = worth;
    m->most = larger(1.0, smaller(MOST_COUNT, s->options.rtol / FINEST_RTOL));
    m->state.sign = 1;
    m->state.count = 1.0;
    m->is_there = s->model->shape.copies <= 1 && s->options.rtol > 0.0 && !(s->options.fixed_step > 0.0);
    if (!m->is_there) return;
    m->live = solver_kept_vector(s);
    double **scratch[] = { &m->source, &m->power, &m->damped };
    for (size_t i = 0; i < COUNT_OF(scratch); i++) *scratch[i] = solver_vector(s);
    solver_keep(s, &m->state, sizeof m->state);
}

/* Here the estimate is the error, and 1 - F says something else: errors add up over the turns of the solution that they live through. */
void memory_setup_multistep(Memory *m, Solver *s, double worth)
{
    memory_setup(m, s, LOOKS_OF_MULTISTEP, 1, worth);
}

double memory_worth(double error, double estimate, double gamma, int gap)
{
    double z = gamma * MEMORY_TEST, f = 1.0 / hypot(1.0, z);
    return error / (estimate * pow(z * f, gap) * f * f);
}

/* u becomes (1 - F)^k u. */
static void undamped(Memory *m, Solver *s, const Damping *f, int k, double *u)
{
    vector_scale(s->n, f->c, u, m->damped);
    for (; k > 0; k--) {
        damp_scaled(s, f, u, m->damped);
        damping_take(s->n, f->c, u, u, m->damped, 0.0, NULL);
    }
}

/* The live errors three Cayley steps later. */
static void carry(Memory *m, Solver *s, const Damping *f)
{
    const double *u = m->live;
    vector_scale(s->n, f->c, u, m->damped);
    for (int k = 1; k <= POWERS; k++, u = m->power) {
        damp_scaled(s, f, u, m->damped);
        damping_take(s->n, f->c, u, m->power, m->damped, CARRY[k], CARRY[k] != 0.0 ? m->live : NULL);
    }
}

/* Their square, made no larger than `most`: frozen Jacobians let them grow where the solution turns sharply. */
static double bounded_square(Memory *m, const Solver *s, const double *weight, double most)
{
    double square = norm_square(s->n, m->live, weight);
    if (square <= most) return square;
    double scale = isfinite(square) ? sqrt(most / square) : 0.0;
    for (int i = 0; i < s->n; i++) m->live[i] = scale > 0.0 ? scale * m->live[i] : 0.0;
    return scale > 0.0 ? most : 0.0;
}

static double mean(double old, double now, int looks)
{
    return old + larger(MEAN, 1.0 / (1 + looks)) * (now - old);
}

void memory_note(Memory *m, Solver *s, const Damping *f, const double *error, const double *weight)
{
    int n = s->n;
    if (!m->is_there || solver_replay(s) || m->state.wait-- > 0) return;
    m->state.wait = m->every - 1;
    vector_copy(n, error, m->source);
    undamped(m, s, f, m->gap, m->source);
    damp(s, f, m->source, m->power);
    damp(s, f, m->power, m->damped);
    int looks = m->state.looks++;
    m->state.slow = mean(m->state.slow, norm_square(n, m->damped, weight), looks);
    m->state.whole = mean(m->state.whole, norm_square(n, error, weight), looks);
    carry(m, s, f);
    double square = bounded_square(m, s, weight, looks * m->state.slow);
    m->state.sign = m->state.sign * 1664525u + 1013904223u;
    double sign = m->state.sign >> 31 ? 1.0 : -1.0;
    vector_add(n, sign, m->source, m->live);
    double one = sqrt(m->state.slow * m->state.whole);
    double sum = one > 0.0 ? m->every * m->worth * square / one : 0.0;
    double count = log(larger(1.0, smaller(m->most, sum / ALLOWED)));
    m->state.logarithm += MEAN * (count - m->state.logarithm);
    m->state.count = exp(m->state.logarithm);
}
