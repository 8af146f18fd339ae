/* path.c: a run is remembered, so that it can be walked back.
 *
 * Cost: 4 to 8 n numbers a step, n a mark, the state of the model an event; a run more where steps
 * were dropped, another one each time that marks were thinned. Source: CVODES, Serban and Hindmarsh
 * 2005; Griewank 1992. Tests: tests/sens/derivatives_test.c, dae_test.c. */
#include "sens/inside.h"

#include <math.h>
#include <stdio.h>

/* In: a hybrid model that is run as a model of its own through this one; how much may be
 * remembered. Out: steps, cut at events into smooth pieces, and the state of the model at the end
 * of each piece. Of a step the integrator's dense output is kept, at the points of Chebyshev and
 * Lobatto, as the polynomial through them: slopes would not do, for in stiff equations they hold
 * nothing but amplified errors. Where steps are too many a mark is set, those before it are
 * dropped, and on the way back the run goes again from mark to mark; marks that are too many are
 * thinned, and set anew then. Invariant: the model is in the state of the piece that is walked. */

enum { LEAST_STEPS = 4, MARKS_A_STEP = PATH_NODES };

static RunPath *of_model(const Model *model) { return model->data; }

/* ---- recording ------------------------------------------------------------------------------- */

/* Fewer points of Chebyshev and Lobatto by two than the polynomial of a step has coefficients:
 * these are the smallest, and what the points lose of them is less than a fifth of what a step may
 * err by. */
static int nodes_for(const Solver *solver)
{
    int nodes = solver_stats(solver).order_last - 1;
    return nodes < PATH_LEAST_NODES ? PATH_LEAST_NODES : nodes > PATH_NODES ? PATH_NODES : nodes;
}

/* The values of a new mark; those of one that is gone serve again. */
static double *mark_room(RunPath *w)
{
    return w->spare_marks.n ? w->spare_marks.at[--w->spare_marks.n]
                            : NEW_ARRAY(w->arena, double, (size_t)w->n + 1);
}

/* Every second one goes, but those where pieces begin: then the way between two is longer, and
 * marks are set on it anew when it is gone again. */
static void thin_marks(RunPath *w)
{
    uint32_t kept = 0;
    bool drop = false;
    for (uint32_t k = 0; k < w->marks.n; k++) {
        if (w->marks.at[k].is_first || !(drop = !drop))
            w->marks.at[kept++] = w->marks.at[k];
        else
            vec_push(w->arena, &w->spare_marks, w->marks.at[k].y);
    }
    w->marks.n = kept;
}

static void set_mark(RunPath *w, double t, const double *y, double h, uint32_t piece, bool is_first)
{
    if (w->most && w->marks.n >= MARKS_A_STEP * w->most && !w->is_walking) thin_marks(w);
    PathMark mark = { t, h, mark_room(w), piece, is_first };
    memcpy(mark.y, y, (size_t)w->n * sizeof *y);
    vec_push(w->arena, &w->marks, mark);
    if (w->marks.n > w->most_marks) w->most_marks = w->marks.n;
}

static void drop_steps(RunPath *w)
{
    arena_rewind(w->store, w->empty);
    w->steps.n = w->steps.room = 0;
    w->steps.at = NULL;
}

/* One step of a piece; where there are too many a mark is set before it, and those before that are
 * dropped. */
static void record(RunPath *w, uint32_t piece, const Solver *solver, double from, double to)
{
    size_t n = (size_t)w->n;
    int nodes = nodes_for(solver);
    const double *at = w->nodes[nodes];
    if (w->most && w->steps.n >= w->most) {
        solver_interpolate(solver, from, w->spare);
        drop_steps(w);
        if (w->marks.at[w->marks.n - 1].t != from)
            set_mark(w, from, w->spare, solver_stats(solver).h_last, piece, false);
    }
    const PathStep *before = w->steps.n ? &w->steps.at[w->steps.n - 1] : NULL;
    bool goes_on = before && before->piece == piece && before->t1 == from;
    size_t own = (size_t)nodes - goes_on;
    PathStep step = { from, to, piece, nodes, { NULL } };
    double *room = arena_alloc(w->store, (n * own + 1) * sizeof(double));
    for (int k = goes_on; k < nodes; k++) step.y[k] = room + (size_t)(k - goes_on) * n;
    if (goes_on) step.y[0] = before->y[before->nodes - 1];
    for (int k = goes_on; k < nodes; k++) {
        double t = k == 0 ? from : k + 1 == nodes ? to : from + at[k] * (to - from);
        if (t == solver_t(solver))
            memcpy(step.y[k], solver_y(solver), n * sizeof(double));
        else
            solver_interpolate(solver, t, step.y[k]);
    }
    vec_push(w->store, &w->steps, step);
}

void path_stepped(void *arg, const Solver *solver, double from, double to)
{
    RunPath *w = arg;
    if (!w->is_walking && to > from) record(w, w->pieces.n, solver, from, to);
}

static void *save(RunPath *w)
{
    void *bytes = arena_alloc(w->arena, w->save_size + 1);
    w->inner->type->save(w->inner, bytes);
    return bytes;
}

static const double *copy_of(RunPath *w, const double *y)
{
    double *copy = NEW_ARRAY(w->arena, double, (size_t)w->n + 1);
    memcpy(copy, y, (size_t)w->n * sizeof *y);
    return copy;
}

/* Ends the piece that goes on now. */
static void end_piece(RunPath *w, double t, const double *y, void *saved, bool is_timed,
                      const signed char *roots)
{
    const PathStep *last = w->steps.n ? &w->steps.at[w->steps.n - 1] : NULL;
    bool has_steps = last && last->piece == w->pieces.n;
    signed char *found = roots ? arena_alloc(w->arena, (size_t)w->inner->shape.indicators + 1) : NULL;
    if (found) memcpy(found, roots, (size_t)w->inner->shape.indicators);
    PathPiece piece = { .t0 = has_steps ? w->t_begin : t,
                        .t = t,
                        .y = copy_of(w, y),
                        .t_before = has_steps ? last->t0 : t,
                        .saved = saved,
                        .is_timed = is_timed,
                        .roots = found };
    piece.y_before = roots && has_steps ? copy_of(w, last->y[0]) : piece.y;
    vec_push(w->arena, &w->pieces, piece);
}

/* At the start, and after an event. */
static void begin_piece(RunPath *w, double t, const double *y)
{
    w->t_begin = t;
    memcpy(w->y_end, y, (size_t)w->n * sizeof *y);
    set_mark(w, t, y, 0.0, w->pieces.n, true);
}

static EvalStatus path_initialise(Model *model, double t, double *y, EventInfo *info)
{
    RunPath *w = of_model(model);
    EvalStatus status = w->inner->type->initialise(w->inner, t, y, info);
    w->next_time = info->next_time;
    begin_piece(w, t, y);
    return status;
}

static bool path_accepted(Model *model, double t, const double *y)
{
    RunPath *w = of_model(model);
    return w->inner->type->accepted && w->inner->type->accepted(w->inner, t, y);
}

static EvalStatus path_event(Model *model, double t, double *y, EventInfo *info)
{
    RunPath *w = of_model(model);
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
    begin_piece(w, t, y);
    return status;
}

static EvalStatus path_derivatives(Model *model, double t, const double *y, double *f)
{
    RunPath *w = of_model(model);
    return w->inner->type->derivatives(w->inner, t, y, f);
}

static EvalStatus path_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                double *values)
{
    RunPath *w = of_model(model);
    return w->inner->type->jacobian(w->inner, t, y, order, values);
}

static EvalStatus path_indicators(Model *model, double t, const double *y, double *g)
{
    RunPath *w = of_model(model);
    return w->inner->type->indicators(w->inner, t, y, g);
}

static EvalStatus path_values(Model *model, double t, const double *y, double *values)
{
    RunPath *w = of_model(model);
    return w->inner->type->values(w->inner, t, y, values);
}

static const char *path_failure(const Model *model)
{
    RunPath *w = of_model(model);
    return w->inner->type->failure ? w->inner->type->failure(w->inner) : NULL;
}

bool path_init(RunPath *w, Arena *arena, Model *inner, size_t memory, const char **why)
{
    *w = (RunPath){ .arena = arena, .inner = inner, .n = inner->shape.n, .next_time = INFINITY };
    w->save_size = inner->type->save_size ? inner->type->save_size(inner) : 0;
    if (!w->save_size) {
        *why = "the model keeps more than numbers (delays, other histories, external objects, strings): it "
               "cannot be run back";
        return false;
    }
    *why = "no memory";
    if (!(w->store = arena_new())) return false;
    w->empty = arena_mark(w->store);
    double steps = (double)memory / ((double)(w->n + 1) * PATH_NODES * sizeof(double));
    w->most = steps < LEAST_STEPS ? LEAST_STEPS : steps < 1e9 ? (uint32_t)steps : 0;
    w->spare = NEW_ARRAY(arena, double, (size_t)w->n + 1);
    w->y_end = NEW_ARRAY(arena, double, (size_t)w->n + 1);
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
    w->quiet_type = (ModelType){ .derivatives = w->type.derivatives,
                                 .jacobian = w->type.jacobian,
                                 .failure = path_failure };
    ModelShape quiet = inner->shape;
    quiet.indicators = 0;
    return model_init(&w->model, &w->type, &inner->shape, w, why) &&
           model_init(&w->quiet, &w->quiet_type, &quiet, w, why);
}

void path_free(RunPath *w)
{
    if (w->store) arena_free(w->store);
}

void path_end(RunPath *w, double t)
{
    const PathStep *last = w->steps.n ? &w->steps.at[w->steps.n - 1] : NULL;
    w->is_walking = true;
    end_piece(w, t, last && last->t1 >= t ? last->y[last->nodes - 1] : w->y_end, save(w), false, NULL);
}

/* ---- walking --------------------------------------------------------------------------------- */

void path_enter(RunPath *w, uint32_t piece)
{
    w->inner->type->restore(w->inner, w->pieces.at[piece].saved);
    w->at_piece = piece;
    w->first = w->end = 0;
}

/* Goes from the last mark to t again. */
static bool go_again(RunPath *w, const SimOptions *options, double t, SolverFailure *failure)
{
    const PathMark mark = w->marks.at[w->marks.n - 1];
    ArenaMark before = arena_mark(w->arena);
    SolverOptions o = sim_solver_options(&w->quiet, options, w->arena);
    o.record = NULL;
    o.initial_step = mark.h;
    o.in_pieces = true; /* as the whole model is, so that the same method is chosen */
    Problem problem = { &w->quiet, mark.t, t, mark.y, NULL };
    const SolverType *type = options->solver ? options->solver : solver_default(&w->quiet, &o);
    Solver *s = solver_create(type, &problem, &o, failure);
    arena_rewind(w->arena, before);
    if (!s) return false;
    StepStatus status = STEP_TAKEN;
    drop_steps(w);
    while (status == STEP_TAKEN) {
        status = solver_step(s, t);
        if (status == STEP_FAILED) break;
        record(w, mark.piece, s, solver_t_old(s), solver_t(s));
        w->recomputed++;
        if (w->inner->type->accepted) w->inner->type->accepted(w->inner, solver_t(s), solver_y(s));
    }
    *failure = *solver_failure(s);
    solver_destroy(s);
    return status != STEP_FAILED;
}

/* Steps that are held and belong to the present piece. */
static void find_segment(RunPath *w)
{
    w->end = w->steps.n;
    while (w->end && w->steps.at[w->end - 1].piece > w->at_piece) w->end--;
    for (w->first = w->end; w->first && w->steps.at[w->first - 1].piece == w->at_piece;) w->first--;
    w->at = w->end ? w->end - 1 : 0;
}

bool path_load(RunPath *w, const SimOptions *options, double t, double *from, SolverFailure *failure)
{
    while (w->marks.n &&
           (w->marks.at[w->marks.n - 1].piece > w->at_piece || w->marks.at[w->marks.n - 1].t >= t)) {
        vec_push(w->arena, &w->spare_marks, w->marks.at[w->marks.n - 1].y);
        w->marks.n--;
    }
    find_segment(w);
    while (w->end > w->first && w->steps.at[w->end - 1].t0 >= t) w->end--;
    if (w->first == w->end || w->steps.at[w->end - 1].t1 < t) {
        if (!go_again(w, options, t, failure)) return false;
        find_segment(w);
    }
    *from = w->steps.at[w->first].t0;
    return true;
}

uint32_t path_step_at(RunPath *w, double t)
{
    uint32_t low = w->first, high = w->end;
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
void path_at(RunPath *w, double t, double *y)
{
    size_t n = (size_t)w->n;
    if (w->first == w->end) {
        memcpy(y, w->pieces.at[w->at_piece].y, n * sizeof *y);
        return;
    }
    const PathStep *step = &w->steps.at[path_step_at(w, t)];
    const double *at = w->nodes[step->nodes];
    double x = (t - step->t0) / (step->t1 - step->t0), weight[PATH_NODES], sum = 0.0;
    for (int k = 0; k < step->nodes; k++) {
        double way = x - at[k];
        if (fabs(way) < 1e-14) {
            memcpy(y, step->y[k], n * sizeof *y);
            return;
        }
        weight[k] = (k == 0 || k + 1 == step->nodes ? 0.5 : 1.0) * (k % 2 ? -1.0 : 1.0) / way;
        sum += weight[k];
    }
    const double *from[PATH_NODES];
    for (int k = 0; k < PATH_NODES; k++) {
        bool is_there = k < step->nodes;
        weight[k] = is_there ? weight[k] / sum : 0.0;
        from[k] = step->y[is_there ? k : 0];
    }
    for (size_t i = 0; i < n; i++) { /* in one pass: the vectors are longer than the cache */
        double value = 0.0;
        for (int k = 0; k < PATH_NODES; k++) value += weight[k] * from[k][i];
        y[i] = value;
    }
}
