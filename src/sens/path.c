/* path.c: a run is remembered, so that it can be walked back.
 *
 * In: a hybrid model that is run as a model of its own through this one. Out: all steps, cut at events into smooth pieces,
 * and the state of the model at the end of each piece. Of a step the integrator's dense output is kept, at the points
 * of Chebyshev and Lobatto, as the polynomial through them: slopes would not do, for in stiff equations they hold
 * nothing but amplified errors. Always: the model is in the state of the piece that is walked. Cost: 4 to 8 n
 * numbers a step. Tests: tests/sens/adjoint_test.c. */
#include "sens/inside.h"

#include <math.h>
#include <stdio.h>

static Path *of_model(const Model *model) { return model->data; }

/* ---- recording ---- */

/* As many points of Chebyshev and Lobatto as the polynomial of the step has coefficients. */
static int nodes_for(const Solver *solver)
{
    int nodes = solver_stats(solver).order_last + 1;
    return nodes < PATH_LEAST_NODES ? PATH_LEAST_NODES : nodes > PATH_NODES ? PATH_NODES : nodes;
}

void path_stepped(void *arg, const Solver *solver, double from, double to)
{
    Path *w = arg;
    size_t n = (size_t)w->n;
    if (w->is_walking || to <= from) return;
    int nodes = nodes_for(solver);
    const double *at = w->nodes[nodes];
    PathStep step = { from, to, nodes, arena_alloc(w->arena, (n * (size_t)nodes + 1) * sizeof(double)) };
    for (int k = 0; k < nodes; k++) {
        double t = k == 0 ? from : k + 1 == nodes ? to : from + at[k] * (to - from);
        solver_interpolate(solver, t, step.y + (size_t)k * n);
    }
    vec_push(w->arena, &w->steps, step);
}

static void *save(Path *w)
{
    void *bytes = arena_alloc(w->arena, w->save_size + 1);
    w->inner->type->save(w->inner, bytes);
    return bytes;
}

/* Ends the piece that goes on now. */
static void end_piece(Path *w, double t, const double *y, void *saved, bool is_timed,
                      const signed char *roots)
{
    double *copy = NEW_ARRAY(w->arena, double, (size_t)w->n + 1);
    memcpy(copy, y, (size_t)w->n * sizeof *y);
    signed char *found = roots ? arena_alloc(w->arena, (size_t)w->inner->shape.indicators + 1) : NULL;
    if (found) memcpy(found, roots, (size_t)w->inner->shape.indicators);
    PathPiece piece = { w->first, w->steps.n, t, copy, saved, is_timed, found };
    vec_push(w->arena, &w->pieces, piece);
    w->first = w->steps.n;
}

static EvalStatus path_initialise(Model *model, double t, double *y, EventInfo *info)
{
    Path *w = of_model(model);
    EvalStatus status = w->inner->type->initialise(w->inner, t, y, info);
    w->next_time = info->next_time;
    w->y_end = NEW_ARRAY(w->arena, double, (size_t)w->n + 1);
    memcpy(w->y_end, y, (size_t)w->n * sizeof *y);
    return status;
}

static bool path_accepted(Model *model, double t, const double *y)
{
    Path *w = of_model(model);
    return w->inner->type->accepted && w->inner->type->accepted(w->inner, t, y);
}

static EvalStatus path_event(Model *model, double t, double *y, EventInfo *info)
{
    Path *w = of_model(model);
    bool is_timed = t >= w->next_time;
    const signed char *roots = info->roots;
    ArenaMark mark = arena_mark(w->arena);
    void *saved = save(w);
    double *before = w->spare;
    memcpy(before, y, (size_t)w->n * sizeof *y);
    EvalStatus status = w->inner->type->event(w->inner, t, y, info);
    if (status != EVAL_OK) return status;
    w->next_time = info->next_time;
    if (!info->y_changed && !info->rhs_changed) {
        arena_rewind(w->arena, mark);
        return status;
    }
    end_piece(w, t, before, saved, is_timed, roots);
    memcpy(w->y_end, y, (size_t)w->n * sizeof *y);
    return status;
}

static EvalStatus path_derivatives(Model *model, double t, const double *y, double *f)
{
    Path *w = of_model(model);
    return w->inner->type->derivatives(w->inner, t, y, f);
}

static EvalStatus path_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                double *values)
{
    Path *w = of_model(model);
    return w->inner->type->jacobian(w->inner, t, y, order, values);
}

static EvalStatus path_indicators(Model *model, double t, const double *y, double *g)
{
    Path *w = of_model(model);
    return w->inner->type->indicators(w->inner, t, y, g);
}

static EvalStatus path_values(Model *model, double t, const double *y, double *values)
{
    Path *w = of_model(model);
    return w->inner->type->values(w->inner, t, y, values);
}

static const char *path_failure(const Model *model)
{
    Path *w = of_model(model);
    return w->inner->type->failure ? w->inner->type->failure(w->inner) : NULL;
}

bool path_init(Path *w, Arena *arena, Model *inner, const char **why)
{
    *w = (Path){
        .arena = arena, .inner = inner, .n = inner->shape.n, .next_time = INFINITY, .at = UINT32_MAX
    };
    w->save_size = inner->type->save_size ? inner->type->save_size(inner) : 0;
    if (!w->save_size) {
        *why = "the model keeps more than numbers (delays, external objects, strings): it cannot be run back";
        return false;
    }
    w->spare = NEW_ARRAY(arena, double, (size_t)w->n + 1);
    for (int nodes = PATH_LEAST_NODES; nodes <= PATH_NODES; nodes++)
        for (int k = 0; k < nodes; k++) w->nodes[nodes][k] = 0.5 - 0.5 * cos(M_PI * k / (nodes - 1));
    w->type = (ModelType){ .derivatives = path_derivatives,
                           .jacobian = inner->type->jacobian ? path_jacobian : NULL,
                           .indicators = inner->type->indicators ? path_indicators : NULL,
                           .accepted = path_accepted,
                           .initialise = path_initialise,
                           .event = path_event,
                           .values = path_values,
                           .failure = path_failure };
    return model_init(&w->model, &w->type, &inner->shape, w, why);
}

void path_end(Path *w, double t)
{
    const PathStep *last = w->steps.n ? &w->steps.at[w->steps.n - 1] : NULL;
    size_t end = last ? (size_t)w->n * (size_t)(last->nodes - 1) : 0;
    w->is_walking = true;
    end_piece(w, t, last && last->t1 >= t ? last->y + end : w->y_end, save(w), false, NULL);
}

/* ---- walking ---- */

void path_enter(Path *w, uint32_t piece)
{
    w->inner->type->restore(w->inner, w->pieces.at[piece].saved);
    w->piece = &w->pieces.at[piece];
    w->at = w->piece->end ? w->piece->end - 1 : 0;
}

uint32_t path_step_at(Path *w, double t)
{
    uint32_t low = w->piece->first, high = w->piece->end;
    if (w->at >= low && w->at < high && t >= w->steps.at[w->at].t0 && t <= w->steps.at[w->at].t1)
        return w->at;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (w->steps.at[middle].t0 <= t)
            low = middle;
        else
            high = middle;
    }
    return w->at = low;
}

/* Barycentric form: weights of these points are 1/2, -1, 1, ..., -1/2. */
void path_at(Path *w, double t, double *y)
{
    size_t n = (size_t)w->n;
    if (w->piece->first == w->piece->end) {
        memcpy(y, w->piece->y, n * sizeof *y);
        return;
    }
    const PathStep *step = &w->steps.at[path_step_at(w, t)];
    const double *at = w->nodes[step->nodes];
    double x = (t - step->t0) / (step->t1 - step->t0), weight[PATH_NODES], sum = 0.0;
    for (int k = 0; k < step->nodes; k++) {
        double way = x - at[k];
        if (fabs(way) < 1e-14) {
            memcpy(y, step->y + (size_t)k * n, n * sizeof *y);
            return;
        }
        weight[k] = (k == 0 || k + 1 == step->nodes ? 0.5 : 1.0) * (k % 2 ? -1.0 : 1.0) / way;
        sum += weight[k];
    }
    const double *from[PATH_NODES];
    for (int k = 0; k < PATH_NODES; k++) {
        bool is_there = k < step->nodes;
        weight[k] = is_there ? weight[k] / sum : 0.0;
        from[k] = step->y + (is_there ? (size_t)k * n : 0);
    }
    for (size_t i = 0; i < n; i++) { /* in one pass: the vectors are longer than the cache */
        double value = 0.0;
        for (int k = 0; k < PATH_NODES; k++) value += weight[k] * from[k][i];
        y[i] = value;
    }
}
