/* memory.c: how long the errors of steps last, and so how many of them accumulate.
 *
 * In: after every few accepted steps the factors of c L - J, c = gamma/h, and the step's estimated
 * error e. Out: how many times an error counts. Cost: 6 + gap solves in so many steps. Tests:
 * tests/solve/memory_test.c, delivered_test.c. */
#include "solve/core/memory.h"

/* With F = c (c L - J)^-1 L a Cayley step 1 - 2 (1 - F) keeps the size of what oscillates,
 * however fast, and shrinks what decays. Three of them carry the errors of past steps along; (1
 * - F)^6 added to them takes away what is stiff: on the imaginary axis a low-pass filter of size
 * 1 - sin^6. Where the result has `gap` orders more than the estimate, its error is about g = (1
 * - F)^gap e: small in smooth solutions. Each g is taken in units of |e|, so that the sum v of
 * all that accumulate says how many times the error of a step has come together, whatever the
 * size of errors was. Phases are not known: of two signs each g gets the one that makes v
 * larger. A solution that its equations damp has forgotten errors after a few steps, and nothing
 * changes for it; an oscillation keeps them. Invariant: v is no larger than the sum of all g;
 * all that is found out is state, so runs repeat. */

enum { POWERS = 6, CAYLEY_STEPS = 3, SAMPLES_OF_ONE_STEP = 3, SAMPLES_OF_MULTISTEP = 20 };

/* (1 - 2u)^3 + u^6 */
static const double CARRY[POWERS + 1] = { 1.0, -6.0, 12.0, -8.0, 0.0, 0.0, 1.0 };
static const double FADE = 0.97;      /* what is left after a sample of how large y has been */
static const double MEAN = 0.1;       /* weight of the last sample in means */
static const double LATELY = 0.25;    /* the same, of what was taken in */
static const double MUCH_LESS = 10.0; /* than usual: what varies from sample to sample is not */
static const double IN_PHASE =
    1.570796326795; /* 1 over the share of errors at all angles that comes together */
/* Of one-step and multistep methods: no error counts more often at rtol 1e-3, and at finer
 * tolerances, where steps are more, than this power of them lets. */
static const double MOST[] = { 100.0, 200.0 }, POWER[] = { 1.0 / 6.0, 1.0 / 4.0 }, ROUGH = 1e-3;
/* z of the oscillation that errors are compared with their estimates for: of steps that hardly
 * follow it, and where orders show. */
static const double WIDE_TURN = 1.5, SMALL_TURN = 0.1;
/* Of one-step and multistep methods: samples after which half of what they say of others is
 * believed. */
static const double DOUBT[] = { 10.0, 40.0 };
/* Of the second estimate of Radau methods: the error is 0.6 of it at WIDE_TURN, and it is held to
 * half of a tolerance; the rest was chosen with the beam, that of multistep methods with a pendulum
 * and the ring modulator. */
static const double WORTH_OF_COLLOCATION = 0.23, WORTH_OF_MULTISTEP = 2.25;

void memory_setup(Memory *m, Solver *s, int every, int gap, double worth)
{
    m->every = every;
    m->gap = gap;
    m->worth = worth;
    bool is_multistep = every == SAMPLES_OF_MULTISTEP;
    double rtol = s->options.rtol, most = MOST[is_multistep] * pow(ROUGH / rtol, POWER[is_multistep]);
    m->most = larger(1.0, smaller(most, rtol / FINEST_RTOL));
    m->state.count = 1.0;
    m->is_there = s->model->shape.systems <= 1 && s->options.rtol > 0.0 && !(s->options.fixed_step > 0.0);
    if (!m->is_there) return;
    m->accumulated = solver_kept_vector(s);
    if (is_multistep) m->largest = solver_kept_vector(s), m->weight = solver_vector(s);
    double **scratch[] = { &m->source, &m->power, &m->damped, &m->damped_source };
    for (size_t i = 0; i < COUNT_OF(scratch); i++) *scratch[i] = solver_vector(s);
    solver_keep(s, &m->state, sizeof m->state);
}

/* The estimate is the error here, and 1 - F says something else: errors add up over the turns of
 * the solution that they last through. */
void memory_setup_multistep(Memory *m, Solver *s)
{
    memory_setup(m, s, SAMPLES_OF_MULTISTEP, 1, WORTH_OF_MULTISTEP);
}

void memory_setup_collocation(Memory *m, Solver *s, int gap, int index)
{
    memory_setup(m, s, SAMPLES_OF_ONE_STEP, gap, WORTH_OF_COLLOCATION);
    m->index = index;
}

/* Orders are those for oscillations: estimates may have more there than their formula says. */
void memory_setup_tested(Memory *m, Solver *s, double gamma, MemoryTest *test, const void *method)
{
    MemorySizes a = test(method, SMALL_TURN), b = test(method, 2.0 * SMALL_TURN), c = test(method, WIDE_TURN);
    double gap = round(log2(b.error / a.error) - log2(b.estimate / a.estimate));
    double z = gamma * WIDE_TURN, f = 1.0 / hypot(1.0, z);
    double worth = c.error / (c.estimate * pow(z * f, gap) * f * f);
    /* an estimate that is 0 for all oscillations does not */
    bool tells = isfinite(worth) && isfinite(gap);
    memory_setup(m, s, SAMPLES_OF_ONE_STEP, tells ? (int)gap : 0, tells ? worth : 0.0);
}

void memory_forget(Memory *m, const Solver *s)
{
    if (!m->is_there) return;
    memset(m->accumulated, 0, (size_t)s->n * sizeof(double));
    m->state.all = m->state.lately = m->state.logarithm = 0.0;
    m->state.samples = 0;
    m->state.count = 1.0;
}

/* What constraints say of unknowns of index 2 and 3 does not accumulate: F makes of it something
 * that grows with 1/h, and nothing as often as the index says. */
static void clean(Memory *m, Solver *s, const Damping *f)
{
    for (int k = 0; k < m->index; k++) {
        damp(s, f, m->source, m->damped);
        vector_swap(&m->source, &m->damped);
    }
}

/* The accumulated errors three Cayley steps later, and the source times (1 - F)^gap: together, as
 * neither waits for the other. */
static void carry(Memory *m, Solver *s, const Damping *f)
{
    const double *u = m->accumulated;
    double *source = m->source;
    vector_scale(s->n, f->c, u, m->damped);
    if (m->gap > 0) vector_scale(s->n, f->c, source, m->damped_source);
    for (int k = 1; k <= POWERS || k <= m->gap; k++) {
        if (k <= POWERS) {
            damp_scaled(s, f, u, m->damped);
            damping_take(s->n, f->c, u, m->power, m->damped, CARRY[k],
                         CARRY[k] != 0.0 ? m->accumulated : NULL);
            u = m->power;
        }
        if (k <= m->gap) {
            damp_scaled(s, f, source, m->damped_source);
            damping_take(s->n, f->c, source, source, m->damped_source, 0.0, NULL);
        }
    }
}

/* The size of the accumulated errors, made no larger than `most`: frozen Jacobians let them grow
 * where the solution turns sharply. */
static double bounded_size(Memory *m, const Solver *s, const double *weight, double most)
{
    double size = norm_rms(s->n, m->accumulated, weight);
    if (size <= most) return size;
    double scale = isfinite(size) ? most / size : 0.0;
    if (scale > 0.0)
        vector_scale(s->n, scale, m->accumulated, m->accumulated);
    else
        memset(m->accumulated, 0, (size_t)s->n * sizeof(double));
    return scale > 0.0 ? most : 0.0;
}

/* Takes in the source, with the sign that makes accumulated errors larger. */
static void take_in(Memory *m, const Solver *s, const double *weight, double size)
{
    double own = norm_square(s->n, m->source, weight);
    double apart = norm_square_of_difference(s->n, m->accumulated, m->source, weight, m->damped);
    if (apart > size * size + own)
        vector_copy(s->n, m->damped, m->accumulated);
    else
        vector_add(s->n, 1.0, m->source, m->accumulated);
    own = sqrt(own);
    m->state.all += own;
    m->state.lately += larger(LATELY, 1.0 / m->state.samples) * (own - m->state.lately);
}

/* How much of what is alive errors of the moment would add to: nothing where they are unlike
 * those that accumulate, as in a decay that has left behind what they were made of. One-step
 * methods carry errors along over all steps, so that what is alive tells it. */
static double share_of_moment(const Memory *m)
{
    if (!m->largest || !(m->state.all > 0.0)) return 1.0;
    return smaller(1.0, MUCH_LESS * m->state.lately * m->state.samples / m->state.all);
}

/* The steps that a sample stands for. Errors are carried over a few steps only: if all of them are
 * alive, those of all steps are; if many have died, as many are as come together in the time over
 * which they were carried. Few samples say little. */
static double steps_of_sample(const Memory *m, double accumulated)
{
    double alive = m->state.all > 0.0 ? smaller(1.0, accumulated / m->state.all) : 0.0;
    double few = m->every < CAYLEY_STEPS ? m->every : CAYLEY_STEPS;
    return (few + (m->every - few) * alive) * m->state.samples /
           (m->state.samples + DOUBT[m->largest != NULL]);
}

/* The size of an error as its test sees it: by the size of y at the moment. Multistep methods may
 * test with finer tolerances than those asked for. */
static double unit_of(Memory *m, const Solver *s, const double *error, const double *weight)
{
    for (int i = 0; i < s->n && m->largest; i++)
        m->weight[i] = 1.0 / (s->options.rtol * fabs(s->y[i]) + s->atol[i]);
    return norm_rms(s->n, error, m->largest ? m->weight : weight);
}

/* Between samples of multistep methods solutions change by more than errors are carried along: the
 * size of y lately is the measure, since that of the moment would make old errors grow where y gets
 * less. */
static const double *lasting_weights(Memory *m, const Solver *s)
{
    for (int i = 0; i < s->n; i++) {
        m->largest[i] = larger(fabs(s->y[i]), FADE * m->largest[i]);
        m->weight[i] = 1.0 / (s->options.rtol * m->largest[i] + s->atol[i]);
    }
    return m->weight;
}

void memory_look(Memory *m, Solver *s, const Damping *f, const double *error, const double *weight)
{
    m->state.wait = m->every - 1;
    m->state.samples++;
    double unit = unit_of(m, s, error, weight);
    if (m->largest) weight = lasting_weights(m, s);
    if (!(unit > 0.0)) return;
    vector_scale(s->n, 1.0 / unit, error, m->source);
    clean(m, s, f);
    carry(m, s, f);
    double size = bounded_size(m, s, weight, m->state.all), accumulated = IN_PHASE * size;
    double count =
        smaller(m->most, m->worth * steps_of_sample(m, accumulated) * share_of_moment(m) * accumulated);
    take_in(m, s, weight, size);
    if (count <= 1.0 && m->state.logarithm == 0.0) return;
    m->state.logarithm += MEAN * (log(larger(1.0, count)) - m->state.logarithm);
    m->state.count = exp(m->state.logarithm);
}
