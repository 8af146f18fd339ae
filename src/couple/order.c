/* order.c: in which order values go from FMU to FMU, and what to do where they go round in a
 * circle.
 *
 * In: links, and which outputs of an FMU depend on which of its inputs (on all of them where it
 * does not say). Out: blocks of links, each after those that it needs. How: Tarjan's strong
 * components over links. A loop of real values is solved by Newton's method with a Jacobian of
 * differences; a loop that holds others is passed round until nothing changes. A loop that has no
 * solution is reported with the variables that are in it. Always: nothing is allocated while
 * passing. Cost: quadratic in the links to order; a loop of k links takes k + 1 rounds an
 * iteration. Tests: tests/cli/system.sh. */
#include "couple/inside.h"

#include <float.h>
#include <stdio.h>

enum { MOST_ITERATIONS = 30, MOST_ROUNDS = 50 };
static const double LOOP_TOLERANCE = 1e-11; /* of a value's size: at least this good is solved */
static const double LOOP_LENIENCE = 1e-7;   /* and this good when nothing gets better any more */

EvalStatus couple_fail(Couple *c, int component, const char *what)
{
    const Component *p = &c->components[component];
    const char *why = p->model->type->failure ? p->model->type->failure(p->model) : NULL;
    char inner[700];
    snprintf(inner, sizeof inner, "%s", why && *why ? why : what);
    snprintf(c->failure, sizeof c->failure, "in '%s': %s", p->name, inner);
    return EVAL_FATAL;
}

/* ---- ordering -------------------------------------------------------------------------------- */

/* Whether an output of a component depends on one of its inputs without delay. */
static bool depends(const Component *p, int output, int input)
{
    const FmuDescription *d = fmu_model_description(p->model);
    uint32_t out = fmu_described(p->model, output), in = fmu_described(p->model, input);
    if (d->version == FMI_1) return !p->is_cs;
    for (uint32_t k = 0; k < d->outputs.n; k++) {
        const FmuUnknown *u = &d->outputs.at[k];
        if (u->variable != out) continue;
        for (uint32_t e = 0; e < u->count && u->has_dependencies; e++)
            if (d->dependencies.at[u->first + e] == in) return true;
        return !u->has_dependencies;
    }
    return true;
}

/* A link whose value has to be known before that of another. */
static bool comes_before(const Couple *c, const Link *first, const Link *second)
{
    return first->to == second->from && depends(&c->components[first->to], second->source, first->target);
}

typedef struct {
    /* next: how far the search of each link's followers has come */
    int *index, *low, *stack, *path, *next;
    bool *on_stack, *wanted;
    int counter, height;
} Search;

/* One strong component search from `root`, with a path instead of recursion. Components come in
 * reverse order. */
static void search_from(const Couple *c, Search *s, int root, Order *order, int *filled)
{
    int depth = 0;
    s->path[0] = root;
    s->index[root] = s->low[root] = ++s->counter;
    s->stack[s->height++] = root;
    s->on_stack[root] = true;
    while (depth >= 0) {
        int v = s->path[depth], w = s->next[v];
        if (w < c->link_count) {
            s->next[v]++;
            /* v needs w */
            if (!s->wanted[w] || !comes_before(c, &c->links[w], &c->links[v])) continue;
            if (!s->index[w]) {
                s->index[w] = s->low[w] = ++s->counter;
                s->stack[s->height++] = w;
                s->on_stack[w] = true;
                s->path[++depth] = w;
            } else if (s->on_stack[w] && s->index[w] < s->low[v])
                s->low[v] = s->index[w];
            continue;
        }
        if (depth && s->low[v] < s->low[s->path[depth - 1]]) s->low[s->path[depth - 1]] = s->low[v];
        depth--;
        if (s->low[v] != s->index[v]) continue;
        int first = *filled, w_out;
        do {
            w_out = s->stack[--s->height];
            s->on_stack[w_out] = false;
            order->links[(*filled)++] = w_out;
        } while (w_out != v);
        order->is_loop[order->count] = *filled - first > 1 || comes_before(c, &c->links[v], &c->links[v]);
        order->start[++order->count] = *filled;
    }
}

static void make_room(Couple *c, const Order *order)
{
    LoopRoom *room = &c->room;
    int most = 0;
    for (int b = 0; b < order->count; b++)
        if (order->is_loop[b] && order->start[b + 1] - order->start[b] > most)
            most = order->start[b + 1] - order->start[b];
    if (most <= room->most) return;
    size_t n = (size_t)most;
    *room = (LoopRoom){ .most = most, .arena = c->run };
    room->z = NEW_ARRAY(c->run, double, n);
    room->r = NEW_ARRAY(c->run, double, n);
    room->r_moved = NEW_ARRAY(c->run, double, n);
    room->step = NEW_ARRAY(c->run, double, n);
    room->jacobian = NEW_ARRAY(c->run, double, n *n);
}

bool order_make(Couple *c, bool inner, Order *order)
{
    size_t n = (size_t)c->link_count + 1;
    Arena *a = c->run;
    Search s = { .index = NEW_ARRAY(a, int, n),
                 .low = NEW_ARRAY(a, int, n),
                 .stack = NEW_ARRAY(a, int, n),
                 .path = NEW_ARRAY(a, int, n),
                 .next = NEW_ARRAY(a, int, n),
                 .on_stack = NEW_ARRAY(a, bool, n),
                 .wanted = NEW_ARRAY(a, bool, n) };
    int filled = 0;
    *order = (Order){ .links = NEW_ARRAY(a, int, n),
                      .start = NEW_ARRAY(a, int, n),
                      .is_loop = NEW_ARRAY(a, bool, n) };
    for (int k = 0; k < c->link_count; k++) {
        const Link *l = &c->links[k];
        s.wanted[k] =
            !inner || (l->from >= 0 && !c->components[l->from].is_cs && !c->components[l->to].is_cs);
    }
    for (int k = 0; k < c->link_count; k++)
        if (s.wanted[k] && !s.index[k]) search_from(c, &s, k, order, &filled);
    make_room(c, order);
    return true;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static EvalStatus read_link(Couple *c, Link *l, double *value)
{
    if (l->from < 0)
        *value = c->ports[l->source];
    else if (!fmu_real(c->components[l->from].model, l->source, value))
        return couple_fail(c, l->from, "an output cannot be read");
    *value = l->factor * *value + l->offset;
    return EVAL_OK;
}

static EvalStatus write_link(Couple *c, const Link *l, double value)
{
    const char *why = "";
    Model *to = c->components[l->to].model;
    return to->type->set(to, l->target, value, &why) ? EVAL_OK : couple_fail(c, l->to, why);
}

/* r = what the outputs of a loop make of its inputs z, less z. */
static EvalStatus loop_residual(Couple *c, const int *links, int n, const double *z, double *r)
{
    for (int k = 0; k < n; k++) {
        EvalStatus status = write_link(c, &c->links[links[k]], z[k]);
        if (status != EVAL_OK) return status;
    }
    for (int k = 0; k < n; k++) {
        EvalStatus status = read_link(c, &c->links[links[k]], &r[k]);
        if (status != EVAL_OK) return status;
        r[k] -= z[k];
    }
    return EVAL_OK;
}

static double loop_error(const double *z, const double *r, int n)
{
    double worst = 0;
    for (int k = 0; k < n; k++) {
        double error = fabs(r[k]) / fmax(1, fabs(z[k]));
        if (!(error <= worst)) worst = isnan(error) ? INFINITY : error;
    }
    return worst;
}

/* Gaussian elimination with pivots; the matrix is small and is lost. False: it is singular. */
static bool solve_small(double *a, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
        if (!(fabs(a[pivot * n + k]) > DBL_MIN)) return false;
        for (int j = k; j < n && pivot != k; j++) {
            double kept = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = kept;
        }
        double kept = b[k];
        b[k] = b[pivot];
        b[pivot] = kept;
        for (int i = k + 1; i < n; i++) {
            double share = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= share * a[k * n + j];
            b[i] -= share * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
    return true;
}

static EvalStatus loop_jacobian(Couple *c, const int *links, int n)
{
    LoopRoom *room = &c->room;
    for (int j = 0; j < n; j++) {
        double kept = room->z[j], moved = kept + sqrt(DBL_EPSILON) * fmax(1, fabs(kept)),
               delta = moved - kept;
        room->z[j] = moved;
        EvalStatus status = loop_residual(c, links, n, room->z, room->r_moved);
        room->z[j] = kept;
        if (status != EVAL_OK) return status;
        for (int i = 0; i < n; i++) room->jacobian[i * n + j] = (room->r_moved[i] - room->r[i]) / delta;
    }
    return EVAL_OK;
}

static EvalStatus no_solution(Couple *c, const int *links, int n, double t, const char *why)
{
    int used = snprintf(c->failure, sizeof c->failure, "the algebraic loop of");
    for (int k = 0; k < n && k < 4 && used < 600; k++) {
        const Link *l = &c->links[links[k]];
        used += snprintf(c->failure + used, sizeof c->failure - (size_t)used, "%s %s", k ? "," : "",
                         c->variables[c->components[l->to].variable_first + l->target].name);
    }
    snprintf(c->failure + used, sizeof c->failure - (size_t)used, "%s %s at t = %.9g", n > 4 ? ", ..." : "",
             why, t);
    return EVAL_RETRY;
}

static EvalStatus solve_loop(Couple *c, const int *links, int n, double t)
{
    LoopRoom *room = &c->room;
    double last = INFINITY;
    c->stats.loops++;
    for (int k = 0; k < n; k++) room->z[k] = c->links[links[k]].now;
    for (int it = 0; it < MOST_ITERATIONS; it++) {
        EvalStatus status = loop_residual(c, links, n, room->z, room->r);
        if (status != EVAL_OK) return status;
        double error = loop_error(room->z, room->r, n);
        bool stuck = it > 2 && error >= 0.5 * last;
        if (error <= LOOP_TOLERANCE || (stuck && error <= LOOP_LENIENCE)) {
            for (int k = 0; k < n; k++) c->links[links[k]].now = room->z[k];
            return EVAL_OK;
        }
        last = error;
        c->stats.loop_iterations++;
        status = loop_jacobian(c, links, n);
        if (status != EVAL_OK) return status;
        for (int k = 0; k < n; k++) room->step[k] = -room->r[k];
        if (!solve_small(room->jacobian, room->step, n)) return no_solution(c, links, n, t, "is singular");
        for (int k = 0; k < n; k++) room->z[k] += room->step[k];
    }
    return no_solution(c, links, n, t, "has no solution that could be found");
}

/* ---- passing --------------------------------------------------------------------------------- */

static EvalStatus pass_one(Couple *c, Link *l, bool all, bool *changed)
{
    bool is_other = false;
    if (l->is_continuous) {
        EvalStatus status = read_link(c, l, &l->now);
        return status == EVAL_OK ? write_link(c, l, l->now) : status;
    }
    if (!all) return EVAL_OK;
    if (l->from < 0) {
        is_other = l->now != c->ports[l->source];
        l->now = c->ports[l->source];
        *changed |= is_other && c->components[l->to].has_events;
        return write_link(c, l, l->factor * l->now + l->offset);
    }
    if (!fmu_pass(c->components[l->from].model, l->source, c->components[l->to].model, l->target, l->factor,
                  l->offset, &is_other))
        return couple_fail(c, l->to, "a value cannot be passed");
    *changed |= is_other && c->components[l->to].has_events;
    return EVAL_OK;
}

/* A loop that holds values that are no real numbers: round and round. */
static EvalStatus pass_round(Couple *c, const int *links, int n, double t, bool all, bool *changed)
{
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool again = false;
        for (int k = 0; k < n; k++) {
            double before = c->links[links[k]].now;
            bool is_other = false;
            EvalStatus status = pass_one(c, &c->links[links[k]], all, &is_other);
            if (status != EVAL_OK) return status;
            *changed |= is_other;
            again |= is_other || c->links[links[k]].now != before;
        }
        if (!again) return EVAL_OK;
    }
    return no_solution(c, links, n, t, "does not converge");
}

EvalStatus order_pass(Couple *c, const Order *order, double t, bool all, bool *changed)
{
    for (int b = 0; b < order->count; b++) {
        const int *links = order->links + order->start[b];
        int n = order->start[b + 1] - order->start[b];
        bool is_real = true;
        for (int k = 0; k < n; k++) is_real &= c->links[links[k]].is_continuous;
        EvalStatus status = !order->is_loop[b] ? pass_one(c, &c->links[links[0]], all, changed)
                            : is_real          ? solve_loop(c, links, n, t)
                                               : pass_round(c, links, n, t, all, changed);
        if (status != EVAL_OK) return status;
    }
    return EVAL_OK;
}
