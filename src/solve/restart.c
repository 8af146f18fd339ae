/* restart.c: how a multistep method on Nordsieck arrays goes on after an event.
 *
 * In: the history before the event, y and y' after it. Out: a history, or the proposal of a starter's step (starter.c).
 * How: if y and h y' changed by less than a part of the tolerance the history is kept and the next step tried; when that
 * fails, or the change is larger, a starter makes a new history. Which one, and how long its step is, comes from events that
 * looked alike: an event is marked by the sizes of y', of its jump and of the jump of y, in tolerances and logarithms;
 * the nearest of the last EVENT_MEMORY kinds knows how far starters could go and when the next event came. The short
 * starter is taken where it reaches that far or to the limit of the step. Without memory the last step, or the usual
 * first guess, is the measure. A rejected step shrinks as its error says; after MOST_FAILURES, or if an explicit step cannot
 * be stable (H ||J|| > 1 where Newton iterates, or H times the rate of f), the method begins at order 1. Always: all that is
 * decided here shows in the records of steps, so replay needs none of it. Cost: O(n) an event. Tests:
 * tests/solve/starter_test.c. */
#include "solve/inside.h"

static const double SAFETY = 0.9, LEAST = 0.1, MOST = 10.0;
static const double AGAIN = 7.0; /* growth of the step that is worth the evaluations of another starter */
static const double STABLE =
    1.0; /* H times the norm of the Jacobian up to which an explicit step makes sense */
static const double SMALL = 0.25; /* changes of y and h y', in tolerances, over which a history may be kept */
static const double ALIKE = 0.7;  /* largest distance of the marks, in logarithms, of events of one kind */
static const double SHORT_WAY =
    1.5; /* reaches of the short starter up to which it and a step cost less than the long one */
static const double LEAST_REACH = 1e-3; /* of the smallest step so far: less is not believed */
static const double UNSEEN = 0.7;       /* share of the reach that an estimate without its stages leaves */
static const double LESS_TRUST = 0.85, MORE_TRUST = 1.05; /* after a first step rejected, accepted */
static const double FAINT = 1e-3;                         /* sizes below count as this, in tolerances */
static const double NORDSIECK_SHARE =
    0.25; /* of the step with state values: Euler's method has larger errors */
static const double AGAIN_IMPLICIT = 2.0; /* AGAIN where steps grow out of a fast transient */
static const double WORTH =
    1.5; /* work of a starter over that of order 1 that its smaller errors are worth */
enum { MOST_FAILURES = 2 };

static bool uses_newton(const Nordsieck *m)
{
    return m->state.family_next == FAMILY_BDF || m->choice->newton;
}

bool restart_move(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    double x = (s->core.t - m->state.t) / m->state.h;
    if (!m->multi.state.started || !(fabs(x) <= 4.0) || m->state.keeping) return false;
    nordsieck_shift(s->n, m->z, m->state.order, x);
    m->state.t = s->core.t;
    return true;
}

/* How far y and y' are from where the history, moved to the event, has them. */
static void measure_jump(Nordsieck *m, double *of_y, double *of_slope)
{
    Solver *s = &m->multi.base;
    double *d = m->update;
    for (int i = 0; i < s->n; i++) d[i] = s->y[i] - m->z[0][i];
    *of_y = norm_rms(s->n, d, m->multi.weight);
    for (int i = 0; i < s->n; i++) d[i] = m->slope[i] - m->z[1][i] / m->state.h;
    *of_slope = norm_rms(s->n, d, m->multi.weight);
}

bool restart_keep(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    const StepRecord *record = solver_replay(s);
    bool moved = s->core.restarted && m->state.t == s->core.t && m->state.order > 1;
    m->state.jump = m->state.bend = 0.0;
    if (!moved || s->options.fixed_step > 0.0) return false;
    measure_jump(m, &m->state.jump, &m->state.bend);
    if (s->options.starter == STARTER_CLASSIC || m->mass) return false;
    bool keep = m->state.jump + fabs(m->multi.state.h) * m->state.bend <= SMALL;
    if (record) keep = record->flags & RECORD_KEPT;
    if (!keep) return false;
    memcpy(m->z[0], s->y, (size_t)s->n * sizeof(double));
    for (int i = 0; i < s->n; i++) m->z[1][i] = m->state.h * m->slope[i];
    m->state.keeping = true;
    s->stats.kept++;
    return true;
}

static double distance(const double *a, const double *b)
{
    double most = 0.0;
    for (int k = 0; k < EVENT_MARKS; k++) most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

/* In right-hand sides. */
static double work_so_far(const Solver *s)
{
    const SolverStats *w = &s->stats;
    return (double)(w->f + w->f_jacobian) + (double)w->factors * (1.0 + 0.1 * s->n);
}

/* The time since the last event is over. */
static void note_phase(const Nordsieck *m, EventMemory *entry)
{
    const Solver *s = &m->multi.base;
    double span = fabs(s->core.t - m->state.t_event);
    if (!(span > 0.0)) return;
    double cost = (work_so_far(s) - m->state.work_event) / span, *known = &entry->cost[m->state.by_starter];
    entry->span = span;
    *known = *known > 0.0 ? 0.5 * (*known + cost) : cost;
}

/* Finds or makes the entry of events like this one; returns what the nearest known so far tells. */
static EventMemory recall(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    EventMemory *memory = m->state.memory, now = { .trust = 1.0 };
    double t = s->core.t, least = INFINITY;
    int nearest = -1, kinds = m->state.remembered < EVENT_MEMORY ? m->state.remembered : EVENT_MEMORY;
    if (m->state.present >= 0) note_phase(m, &memory[m->state.present]);
    m->state.t_event = t;
    m->state.work_event = work_so_far(s);
    const double sizes[EVENT_MARKS] = { norm_rms(s->n, m->slope, m->multi.weight), m->state.bend,
                                        m->state.jump };
    for (int k = 0; k < EVENT_MARKS; k++) now.mark[k] = log(fmax(sizes[k], FAINT));
    for (int k = 0; k < kinds; k++)
        if (distance(memory[k].mark, now.mark) < least) {
            least = distance(memory[k].mark, now.mark);
            nearest = k;
        }
    EventMemory told = nearest >= 0 ? memory[nearest] : now;
    m->state.present = nearest;
    if (least > ALIKE) {
        m->state.present = m->state.remembered++ % EVENT_MEMORY;
        told.span = 0.0;
    }
    EventMemory *entry = &memory[m->state.present];
    *entry = told;
    memcpy(entry->mark, now.mark, sizeof now.mark);
    return told;
}

bool restart_carries_jacobian(const Nordsieck *m)
{
    const Solver *s = &m->multi.base;
    bool known_bad = m->state.present >= 0 && m->state.memory[m->state.present].renew;
    return s->core.restarted && !m->mass && s->options.starter != STARTER_CLASSIC && m->jacobian.have &&
           !m->state.strange && !known_bad;
}

void restart_blame_jacobian(Nordsieck *m)
{
    if (m->state.present >= 0) m->state.memory[m->state.present].renew = true;
    m->state.carried = false;
}

static double factor_of(double error, int order)
{
    double exponent = order == SHORT_STARTER ? 1.0 / 3.0 : order == IMPLICIT_STARTER ? 0.25 : 0.2;
    return fmax(LEAST, fmin(MOST, SAFETY * pow(fmax(error, 1e-10), -exponent)));
}

/* The first step of the multistep method: of order top - 1, by the last column, z_top, of the array with step h. */
static double first_of_multistep(Nordsieck *m, double h, int top)
{
    const NordsieckFamily *family = &m->family[m->state.family_next];
    double factorial = 1.0;
    for (int k = 2; k <= top; k++) factorial *= k;
    double size =
        factorial * family->error_constant[top - 1] * norm_rms(m->multi.base.n, m->z[top], m->multi.weight);
    return h / (1.2 * pow(fmax(size, 1e-10), 1.0 / top));
}

double restart_doubt(const Nordsieck *m, double quarter, double error)
{
    const EventMemory *entry = m->state.present >= 0 ? &m->state.memory[m->state.present] : NULL;
    if (!entry || !(entry->ratio > 0.0) || m->state.starter_failures > 0) return 0.0;
    double reach3 = SAFETY * quarter / cbrt(fmax(error, 1e-10));
    return 4.0 * quarter / (reach3 * entry->ratio);
}

static double *reach_of(EventMemory *entry, int order)
{
    return order == SHORT_STARTER      ? &entry->reach3
           : order == IMPLICIT_STARTER ? &entry->reach_implicit
                                       : &entry->reach5;
}

/* What an accepted starter says about those to come. */
static void learn(Nordsieck *m, int order, double reach, bool cut)
{
    if (m->state.present < 0) return;
    EventMemory *entry = &m->state.memory[m->state.present];
    *reach_of(entry, order) = reach;
    if (m->state.starter_failures == 0 && !cut) entry->trust = fmin(1.0, entry->trust * MORE_TRUST);
    if (order == SHORT_STARTER) entry->reach5 = fmax(entry->reach5, reach);
    if (order != STARTER_ORDER) return;
    /* the estimate of the short starter would be 1/48 of the third derivative times the cube of its step */
    double third = norm_rms(m->multi.base.n, m->z[3], m->multi.weight);
    entry->reach3 = UNSEEN * fabs(m->state.h) * cbrt(8.0 / fmax(third, 1e-10));
    entry->ratio = cut ? 0.0 : entry->reach5 / entry->reach3;
}

void restart_accept(Nordsieck *m, double H, int order, double error)
{
    Solver *s = &m->multi.base;
    int columns = starter_accept(m, H, order), most = m->family[m->state.family_next].most;
    memset(m->e_old, 0, (size_t)s->n * sizeof(double));
    /* a step cut by a limit tells only that a longer one may do */
    double next = fabs(H) * factor_of(error, order), asked = fabs(m->multi.state.h);
    double reach = asked > fabs(H) ? fmax(next, asked) : next;
    learn(m, order, reach, asked > fabs(H));
    /* where something else than its error bounds the step a longer one is of no use */
    bool bound = asked > fabs(H) || (s->options.max_step > 0.0 && fabs(H) >= 0.99 * s->options.max_step);
    double again = order == IMPLICIT_STARTER ? AGAIN_IMPLICIT : AGAIN;
    m->state.starting = !bound && next >= again * fabs(H);
    if (m->state.starting) {
        m->multi.state.h = copysign(reach, H);
        m->multi.state.order = order == IMPLICIT_STARTER ? order : STARTER_ORDER;
        return;
    }
    double unit = fabs(m->state.h), h = first_of_multistep(m, unit, columns);
    m->multi.state.h = copysign(fmax(0.25 * unit, fmin(4.0 * unit, h)), H);
    m->multi.state.order =
        m->state.family_next == FAMILY_BDF && order == STARTER_ORDER ? columns - 1 : columns;
    if (s->options.max_order > 0 && s->options.max_order < most) most = s->options.max_order;
    if (m->multi.state.order > most) m->multi.state.order = most;
}

bool restart_reject(Nordsieck *m, TryResult result, double H, double error)
{
    int order = m->multi.state.order;
    double factor = result == TRY_OK ? fmin(0.8, factor_of(error, order)) : 0.25;
    if (m->state.present >= 0) {
        EventMemory *entry = &m->state.memory[m->state.present];
        *reach_of(entry, order) = fabs(H) * factor;
        if (m->state.starter_failures == 0) entry->trust *= LESS_TRUST;
    }
    if (++m->state.starter_failures > MOST_FAILURES) {
        m->state.starting = m->state.begun = false;
        return false;
    }
    m->multi.state.h = H * factor;
    return true;
}

/* The array of the order asked for; the first step is the test of it. */
static bool begin_nordsieck(Nordsieck *m, double H)
{
    Solver *s = &m->multi.base;
    int most = m->family[m->state.family_next].most, p = s->options.starter_order;
    if (p <= 0) p = STARTER_ORDER;
    p = p < 2 ? 2 : p > most ? most : p;
    H *= s->core.direction;
    if (starter_fill(m, p, H) != EVAL_OK) {
        /* z_1 is still f */
        m->state.h = 1.0;
        m->state.order = m->multi.state.order = 1;
        return false;
    }
    m->state.wait = p + 1;
    m->multi.state.h = 0.5 * H;
    return true;
}

/* Where nothing is known of such events: from the step before, or as at the beginning of a run. */
static double first_guess(Nordsieck *m, int starter)
{
    Solver *s = &m->multi.base;
    if (s->stats.steps > 0 && (starter != IMPLICIT_STARTER || m->mass)) return 2.0 * s->stats.h_last;
    return start_step(s, STARTER_ORDER, m->z[1], m->multi.weight, m->multi.y_new, m->f);
}

/* Whether the short starter, with a step after it, reaches to the limit of the step, or to where the next event is expected. */
static bool short_one_will_do(const Nordsieck *m, const EventMemory *told)
{
    const Solver *s = &m->multi.base;
    if (s->options.starter_order > 0) return s->options.starter_order <= SHORT_STARTER;
    if (s->options.max_order == SHORT_STARTER) return true;
    double way = fabs(m->multi.t_limit - s->core.t);
    if (told->span > 0.0) way = fmin(way, told->span);
    return way <= SHORT_WAY * told->reach3;
}

/* Where Newton iterates: the starter that is stable for the step, or none if order 1 has cost less after such events. */
static int stiff_starter(Nordsieck *m, const EventMemory *told)
{
    const Solver *s = &m->multi.base;
    double H = told->reach5 > 0.0 ? told->reach5 : 2.0 * s->stats.h_last;
    double way = fabs(m->multi.t_limit - s->core.t);
    if (!m->mass && m->state.jacobian_norm > 0.0 && fmin(H, way) * m->state.jacobian_norm <= STABLE)
        return short_one_will_do(m, told) ? SHORT_STARTER : STARTER_ORDER;
    if (!m->implicit.inner || s->stats.steps == 0) return 0;
    if (told->cost[1] == 0.0) return IMPLICIT_STARTER;
    return told->cost[0] > 0.0 && told->cost[1] <= WORTH * told->cost[0] ? IMPLICIT_STARTER : 0;
}

bool restart_begin(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    const SolverOptions *o = &s->options;
    EventMemory told = recall(m);
    m->state.starter_failures = 0;
    m->state.begun = m->state.by_starter = false;
    if (o->starter == STARTER_CLASSIC || (o->max_order > 0 && o->max_order < SHORT_STARTER)) return false;
    int starter = uses_newton(m)                ? stiff_starter(m, &told)
                  : short_one_will_do(m, &told) ? SHORT_STARTER
                                                : STARTER_ORDER;
    if (!starter) return false;
    double H = told.trust * *reach_of(&told, starter);
    if (!(H > LEAST_REACH * s->stats.h_least)) H = first_guess(m, starter);
    /* at the start of a run the rate of f is the only hint */
    if (!uses_newton(m) && s->stats.steps == 0 && H * s->start_rate > STABLE) return false;
    m->state.by_starter = true;
    if (o->starter == STARTER_RK_NORDSIECK && starter != IMPLICIT_STARTER)
        return begin_nordsieck(m, NORDSIECK_SHARE * H);
    m->state.starting = true;
    m->multi.state.h = H * s->core.direction;
    m->multi.state.order = starter;
    return true;
}
