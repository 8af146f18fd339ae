/* restart.c: how a multistep method on Nordsieck arrays goes on after an event.
 *
 * In: the history before the event, y and y' after it. Out: a history, or the proposal of a
 * starter's step (starter.c). Cost: O(n) an event. Tests: tests/solve/starter_test.c. */
#include "solve/core/start.h"
#include "solve/core/vectors.h"
#include "solve/history/history.h"

/* If y and h y' changed by less than a part of the tolerance the history is kept and the next step
 * tried; when that fails, or the change is larger, a starter makes a new history. Which one, and
 * how long its step is, comes from events that looked alike: an event is marked by the sizes of y',
 * of its jump and of the jump of y, in tolerances and logarithms; the nearest of the last
 * EVENT_MEMORY kinds knows how far starters could go and when the next event came. The short
 * starter is taken where it reaches that far or to the limit of the step. Without memory the last
 * step, or the usual first guess, is the measure. A rejected step shrinks as its error says; after
 * MOST_FAILURES, or if an explicit step cannot be stable (H ||J|| > 1 where Newton iterates, or H
 * times the rate of f), the method begins at order 1. Invariant: all that is decided here shows in
 * the records of steps, so replay needs none of it. */

static const double SAFETY = 0.8, LEAST = 0.01, MOST = 10.0;
/* growth of the step that is worth the evaluations of another starter */
static const double AGAIN = 7.0;
static const double STABLE =
    1.0; /* H times the norm of the Jacobian up to which an explicit step makes sense */
/* changes of y and h y', in tolerances, over which a history may be kept */
static const double SMALL = 0.25;
/* largest distance of the marks, in powers of two, of events of one kind */
static const double ALIKE = 1.0;
static const double SHORT_WAY =
    1.5; /* reaches of the short starter up to which it and a step cost less than the long one */
static const double LEAST_REACH = 1e-3; /* of the smallest step so far: less is not believed */
/* share of the reach that an estimate without its stages leaves */
static const double UNSEEN = 0.7;
/* after a first step rejected, accepted */
static const double LESS_TRUST = 0.85, MORE_TRUST = 1.05;
static const double COST_FADES = 0.8; /* of what is known of the cost of phases, with each */
static const double SPAN_FADES = 0.8; /* of the longest time between events, with each */
static const double FAINT = 1e-3;     /* sizes below count as this, in tolerances */
static const double NORDSIECK_SHARE =
    0.25; /* of the step with state values: Euler's method has larger errors */
static const double AGAIN_IMPLICIT = 2.0; /* AGAIN where steps grow out of a fast transient */
/* work of a starter over that of order 1 that its smaller errors are worth */
static const double WORTH = 1.5;
enum { RESPONSE_REST = 100 }; /* events of a kind until a response that failed is tried again */
enum { MOST_FAILURES = 5, MOST_STIFF_FAILURES = 2 };
enum {
    LEAST_MOST = 5
}; /* highest order of BDF: of its order errors are larger, so that it goes on one lower */

bool restart_setup(Restart *r, MultiStep *multi, const Jacobian *jacobian, double *const *w,
                   double *const *scratch, bool stiff)
{
    Solver *s = &multi->base;
    r->multi = multi;
    r->jacobian = jacobian;
    r->state.present = -1;
    r->radius.size = -1.0;
    r->jacobian_weight = solver_kept_vector(s);
    for (int j = 0; j < STARTER_COLUMNS; j++) r->w[j] = w[j];
    for (int j = 0; j < 3; j++) r->scratch[j] = scratch[j];
    solver_keep(s, &r->state, sizeof r->state);
    solver_keep(s, &r->radius, sizeof r->radius);
    starter_setup(r);
    return !stiff || !implicit_wanted(s) || implicit_setup(s, &r->implicit);
}

void restart_destroy(Restart *r) { implicit_destroy(&r->implicit); }

void restart_note_jacobian(Restart *r, bool is_good)
{
    const MatrixShape *shape = r->jacobian->shape;
    if (r->multi->base.options.starter == STARTER_CLASSIC) return;
    r->radius.due = is_good ? shape->systems : 0;
    vector_copy(shape->n * shape->systems, r->multi->weight, r->jacobian_weight);
}

void restart_make_radius(Restart *r)
{
    if (!r->radius.due || r->algebraic) return;
    MatrixShape shape = *r->jacobian->shape; /* it may have had fewer systems then */
    shape.systems = r->radius.due;
    r->radius.due = 0;
    r->radius.size =
        matrix_radius(&shape, r->jacobian->values, r->jacobian_weight, r->scratch[0], r->scratch[1]);
}

void restart_measure(Restart *r, const double *y, const double *slope, double per)
{
    const Solver *s = &r->multi->base;
    const double *w = r->multi->weight;
    double jump = 0.0, bend = 0.0;
    r->state.recalled = false;
    for (int i = 0; i < s->n && y; i++) {
        double d = (s->y[i] - y[i]) * w[i], e = (r->slope[i] - per * slope[i]) * w[i];
        jump += d * d;
        bend += e * e;
    }
    r->state.jump = sqrt(jump / s->n);
    r->state.bend = sqrt(bend / s->n);
}

bool restart_small(const Restart *r, double h) { return r->state.jump + fabs(h) * r->state.bend <= SMALL; }

/* About the logarithm to base 2, on straight lines between powers of two: that tells kinds of
 * events. */
static double rough_log(double size)
{
    int64_t bits;
    size = size > FAINT ? size : FAINT;
    memcpy(&bits, &size, sizeof bits);
    return 0x1p-52 * (double)bits;
}

static double distance(const double *a, const double *b)
{
    double most = 0.0;
    for (int k = 0; k < EVENT_MARKS; k++) {
        double d = fabs(a[k] - b[k]);
        most = d > most ? d : most;
    }
    return most;
}

/* In right-hand sides. */
static double work_so_far(const Solver *s)
{
    const SolverStats *w = &s->stats;
    return (double)(w->f + w->f_jacobian) + (double)w->factors * (1.0 + 0.1 * s->n);
}

/* The time since the last event is over. */
static void note_phase(const Restart *r, EventMemory *entry)
{
    const Solver *s = &r->multi->base;
    double span = fabs(s->core.t - r->state.t_event);
    if (!(span > 0.0)) return;
    PhaseCost *cost = &entry->cost[r->state.way];
    cost->work = COST_FADES * cost->work + work_so_far(s) - r->state.work_event;
    cost->time = COST_FADES * cost->time + span;
    entry->span = fmax(span, SPAN_FADES * entry->span);
}

/* Work over time after such events, begun in this way; 0: not known. */
static double cost_of(const EventMemory *entry, RestartWay way)
{
    const PhaseCost *cost = &entry->cost[way];
    return cost->time > 0.0 ? cost->work / cost->time : 0.0;
}

/* The entry of events like this one. One of a new kind begins with what the nearest known so far
 * tells. */
static EventMemory *find_kind(Restart *r, const double *mark)
{
    EventMemory *memory = r->state.memory;
    int nearest = 0, kinds = r->state.remembered < EVENT_MEMORY ? r->state.remembered : EVENT_MEMORY;
    double least = INFINITY;
    for (int k = 0; k < kinds; k++) {
        double away = distance(memory[k].mark, mark);
        if (away < least) least = away, nearest = k;
    }
    r->state.present = nearest;
    if (least <= ALIKE) return &memory[nearest];
    r->state.present = r->state.remembered++ % EVENT_MEMORY;
    EventMemory *entry = &memory[r->state.present];
    *entry = kinds > 0 ? memory[nearest] : (EventMemory){ .trust = 1.0 };
    entry->span = 0.0;
    return entry;
}

/* Notes the event, once; returns what is known of such ones. */
static EventMemory *recall(Restart *r)
{
    const Solver *s = &r->multi->base;
    if (r->state.recalled) return &r->state.memory[r->state.present];
    if (r->state.present >= 0) note_phase(r, &r->state.memory[r->state.present]);
    r->state.t_event = s->core.t;
    r->state.work_event = work_so_far(s);
    const double mark[EVENT_MARKS] = { rough_log(norm_rms(s->n, r->slope, r->multi->weight)),
                                       rough_log(r->state.bend), rough_log(r->state.jump) };
    EventMemory *entry = find_kind(r, mark);
    if (entry->unresponsive > 0) entry->unresponsive--;
    memcpy(entry->mark, mark, sizeof mark);
    r->state.recalled = true;
    return entry;
}

bool restart_carries_jacobian(const Restart *r)
{
    const Solver *s = &r->multi->base;
    bool known_bad = r->state.present >= 0 && r->state.memory[r->state.present].renew;
    return s->core.restarted && !r->algebraic && s->options.starter != STARTER_CLASSIC && !known_bad;
}

void restart_blame_jacobian(Restart *r)
{
    if (r->state.present >= 0) r->state.memory[r->state.present].renew = true;
}

/* From SHORT_STARTER on: the order of the estimate. */
static const int estimate_order[STARTERS] = { 3, 5, 4, 4 };

static double root_of(double x, int order)
{
    x = x > 1e-10 ? x : 1e-10;
    return order == 4 ? sqrt(sqrt(x)) : pow(x, 1.0 / order);
}

static double factor_of(double error, int starter)
{
    double factor = SAFETY / root_of(error, estimate_order[starter - SHORT_STARTER]);
    return fmax(LEAST, fmin(MOST, factor));
}

/* The first step of the multistep method: of order top - 1, by the last column, w_top, of the array
 * with step h. */
static double first_of_multistep(const Restart *r, double h, int top)
{
    double factorial = 1.0, norm = norm_rms(r->multi->base.n, r->w[top], r->multi->weight);
    for (int k = 2; k <= top; k++) factorial *= k;
    double size = factorial * r->family->error_constant[top - 1] * norm;
    return h / (1.2 * root_of(size, top));
}

double restart_doubt(const Restart *r, double quarter, double error)
{
    const EventMemory *entry = r->state.present >= 0 ? &r->state.memory[r->state.present] : NULL;
    if (!entry || !(entry->ratio > 0.0) || r->state.failures > 0) return 0.0;
    double reach3 = SAFETY * quarter / root_of(error, 3);
    return 4.0 * quarter / (reach3 * entry->ratio);
}

static double *reach_of(EventMemory *entry, int starter) { return &entry->reach[starter - SHORT_STARTER]; }

/* What an accepted starter says about those to come. */
static void learn(Restart *r, int starter, double reach, bool cut)
{
    if (r->state.present < 0) return;
    EventMemory *entry = &r->state.memory[r->state.present];
    int n = r->multi->base.n;
    double unit = fabs(r->state.h), *longest = reach_of(entry, STARTER_ORDER);
    *reach_of(entry, starter) = reach;
    if (r->state.failures == 0 && !cut) entry->trust = fmin(1.0, entry->trust * MORE_TRUST);
    if (starter == IMPLICIT_STARTER) return;
    if (starter != STARTER_ORDER) *longest = fmax(*longest, reach);
    /* estimates of the others: 1/48 H^3 of the third derivative, 1/75 H^4 of the fourth (as for y'
     * = c y) */
    double third = norm_rms(n, r->w[3], r->multi->weight);
    if (starter != SHORT_STARTER) *reach_of(entry, SHORT_STARTER) = UNSEEN * unit * 2.0 / root_of(third, 3);
    if (starter != STARTER_ORDER) return;
    double fourth = norm_rms(n, r->w[4], r->multi->weight);
    *reach_of(entry, MIDDLE_STARTER) = UNSEEN * unit * root_of(3.0, 4) / root_of(fourth, 4);
    entry->ratio = cut ? 0.0 : *longest / *reach_of(entry, SHORT_STARTER);
}

void restart_accept(Restart *r, double H, int starter, double error)
{
    MultiStep *multi = r->multi;
    const SolverOptions *o = &multi->base.options;
    starter_accept(r, H, starter);
    int columns = r->state.columns, most = r->family->most;
    /* a step cut by a limit tells only that a longer one may do */
    double next = fabs(H) * factor_of(error, starter), asked = fabs(multi->state.h);
    double reach = asked > fabs(H) ? fmax(next, asked) : next;
    learn(r, starter, reach, asked > fabs(H));
    /* where something else than its error bounds the step a longer one is of no use */
    bool bound = asked > fabs(H) || (o->max_step > 0.0 && fabs(H) >= 0.99 * o->max_step) ||
                 (r->longest > 0.0 && fabs(H) >= 0.99 * r->longest);
    double again = starter == IMPLICIT_STARTER ? AGAIN_IMPLICIT : AGAIN;
    r->state.starting = !bound && next >= again * fabs(H);
    if (r->state.starting) {
        multi->state.h = copysign(r->longest > 0.0 ? fmin(reach, r->longest) : reach, H);
        multi->state.order = starter == IMPLICIT_STARTER ? starter : STARTER_ORDER;
        return;
    }
    double unit = fabs(r->state.h), h = first_of_multistep(r, unit, columns);
    multi->state.h = copysign(fmax(0.25 * unit, fmin(4.0 * unit, h)), H);
    multi->state.order = most == LEAST_MOST && starter == STARTER_ORDER ? columns - 1 : columns;
    if (o->max_order > 0 && o->max_order < most) most = o->max_order;
    if (multi->state.order > most) multi->state.order = most;
}

bool restart_reject(Restart *r, TryResult result, double H, double error)
{
    int starter = r->multi->state.order;
    double factor = result == TRY_OK ? fmin(0.8, factor_of(error, starter)) : 0.25;
    if (r->state.present >= 0) {
        EventMemory *entry = &r->state.memory[r->state.present];
        *reach_of(entry, starter) = fabs(H) * factor;
        if (r->state.failures == 0) entry->trust *= LESS_TRUST;
    }
    if (++r->state.failures > (r->newton ? MOST_STIFF_FAILURES : MOST_FAILURES)) {
        r->state.starting = r->state.begun = false;
        return false;
    }
    r->multi->state.h = H * factor;
    return true;
}

/* Where nothing is known of such events: from the step before, or as at the beginning of a run. */
static double first_guess(Restart *r, int starter)
{
    Solver *s = &r->multi->base;
    if (s->stats.steps > 0 && (starter != IMPLICIT_STARTER || r->algebraic)) return 2.0 * s->stats.h_last;
    return start_step(s, STARTER_ORDER, r->slope, r->multi->weight, r->multi->y_new, r->scratch[0]);
}

/* The shortest starter that, with a step after it, reaches to the limit of the step, or to where
 * the next event is expected. */
static int explicit_starter(const Restart *r, EventMemory *told)
{
    const SolverOptions *o = &r->multi->base.options;
    int asked = o->starter_order;
    if (asked > 0) return asked <= SHORT_STARTER ? SHORT_STARTER : STARTER_ORDER;
    if (o->max_order == SHORT_STARTER) return SHORT_STARTER;
    double way = fabs(r->multi->t_limit - r->multi->base.core.t);
    if (told->span > 0.0) way = fmin(way, told->span);
    if (way <= SHORT_WAY * *reach_of(told, SHORT_STARTER)) return SHORT_STARTER;
    /* its cubic is less exact than its result, and roots are looked for on the cubic */
    bool middle = r->multi->base.roots.m == 0 && way <= SHORT_WAY * *reach_of(told, MIDDLE_STARTER);
    return middle ? MIDDLE_STARTER : STARTER_ORDER;
}

/* How far an explicit step may go where Newton iterates. At the start of a run the rate of f is the
 * only hint, later. */
static double stable_step(Restart *r)
{
    if (r->algebraic) return 0.0;
    if (!r->newton || r->multi->base.stats.steps == 0) return INFINITY;
    restart_make_radius(r);
    double radius = r->radius.size;
    return radius > 0.0 ? STABLE / radius : radius < 0.0 ? 0.0 : INFINITY;
}

/* Where Newton iterates: an explicit starter if stability does not make its step shorter than
 * another's, the implicit one, or none if order 1 has cost less after such events. */
static int stiff_starter(Restart *r, EventMemory *told)
{
    const Solver *s = &r->multi->base;
    double H = *reach_of(told, STARTER_ORDER), implicit = *reach_of(told, IMPLICIT_STARTER);
    if (!(H > 0.0)) H = 2.0 * s->stats.h_last;
    if (implicit > 0.0) H = fmin(H, implicit);
    bool stable = stable_step(r) >= fmin(H, fabs(r->multi->t_limit - s->core.t));
    if (stable && !r->algebraic) return explicit_starter(r, told);
    if (!r->implicit.inner || s->stats.steps == 0) return 0;
    double cost = cost_of(told, BEGIN_BY_STARTER), other = cost_of(told, BEGIN_AT_ONE);
    if (cost == 0.0) return IMPLICIT_STARTER;
    return other > 0.0 && cost <= WORTH * other ? IMPLICIT_STARTER : 0;
}

/* If y jumped the Jacobian is that of another place. Else both ways are tried, then the cheaper one
 * is taken. */
bool restart_may_respond(Restart *r)
{
    const EventMemory *told = recall(r);
    double cost = cost_of(told, BEGIN_BY_RESPONSE), other = cost_of(told, BEGIN_BY_STARTER);
    r->state.way = BEGIN_BY_RESPONSE;
    return r->state.jump <= SMALL && told->unresponsive == 0 &&
           (cost == 0.0 || (other > 0.0 && cost <= other));
}

void restart_blame_response(Restart *r)
{
    if (r->state.present >= 0) r->state.memory[r->state.present].unresponsive = RESPONSE_REST;
}

RestartWay restart_begin(Restart *r)
{
    MultiStep *multi = r->multi;
    Solver *s = &multi->base;
    const SolverOptions *o = &s->options;
    r->state.failures = 0;
    r->state.begun = r->state.starting = false;
    r->state.way = BEGIN_AT_ONE;
    if (o->starter == STARTER_CLASSIC || (o->max_order > 0 && o->max_order < SHORT_STARTER))
        return BEGIN_AT_ONE;
    EventMemory *told = recall(r);
    int starter = r->newton || r->algebraic ? stiff_starter(r, told) : explicit_starter(r, told);
    if (!starter) return BEGIN_AT_ONE;
    double H = told->trust * *reach_of(told, starter);
    if (!(H > LEAST_REACH * s->stats.h_least)) H = first_guess(r, starter);
    if (starter != IMPLICIT_STARTER) H = fmin(H, stable_step(r));
    /* at the start of a run the rate of f is the only hint */
    if (s->stats.steps == 0 && H * s->start_rate > STABLE) return BEGIN_AT_ONE;
    r->state.way = BEGIN_BY_STARTER;
    if (o->starter == STARTER_RK_NORDSIECK && starter != IMPLICIT_STARTER) {
        int most = r->family->most, p = o->starter_order > 0 ? o->starter_order : STARTER_ORDER;
        multi->state.order = p < 2 ? 2 : p > most ? most : p;
        multi->state.h = NORDSIECK_SHARE * H * s->core.direction;
        return BEGIN_BY_EXTRAPOLATION;
    }
    r->state.starting = true;
    multi->state.h = H * s->core.direction;
    multi->state.order = starter;
    return BEGIN_BY_STARTER;
}
