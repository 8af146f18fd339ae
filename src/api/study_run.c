/* study_run.c: the runs of a study, on several threads, into its store.
 *
 * In: a plan, a store, the numbers of runs that are done. Out: a row for each other run of the
 * shard. How: this thread makes chunks of points, translates variants that they need, and writes
 * rows; workers take chunks, make an instance a run and run it. Chunks grow until one takes
 * CHUNK_SECONDS, so that neither locks nor waiting counts. Always: memory does not grow with the
 * number of runs, but for a bit each; a run that was interrupted leaves no row; rows of one run
 * never depend on others. Tests: tests/cli/study.sh. */
#include "api/study.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_CHUNK = 256, MESSAGE = 240, MOST_WORKERS = 64, CHUNKS_A_WORKER = 3 };
static const double CHUNK_SECONDS = 0.02, MOST_CHUNK_BYTES = 8e6, TELL_SECONDS = 0.2, LOOK_SECONDS = 0.1;

typedef enum { CHUNK_FREE, CHUNK_READY, CHUNK_BUSY, CHUNK_DONE } ChunkState;

typedef struct {
    double t, seconds;
    long steps, events;
    bool failed, interrupted;
    char message[MESSAGE];
} Outcome;

typedef struct {
    ChunkState state;
    StudyVariant *variant;
    size_t n;
    uint64_t *runs; /* from 0 */
    double *p, *y, *curves;
    Outcome *outcomes;
} Chunk;

typedef struct {
    StudyPlan *plan;
    Store *store;
    const AcausalStudyWork *work;
    size_t outputs, curve_values; /* a run */
    Chunk *chunks;
    size_t chunk_count, chunk_room, chunk_size;
    pthread_mutex_t lock;
    pthread_cond_t for_workers, for_writer;
    bool closing;
    unsigned char *seen;                              /* a bit a run of the shard */
    uint64_t next, shard_total, done, failed, before; /* next: within the shard */
    const char **p_text;
    double began, told;
    bool broken; /* the store could not be written */
    char first[MESSAGE + 40];
} Crew;

uint64_t study_shard_total(uint64_t runs, uint64_t shard, uint64_t shards)
{
    return shard > runs ? 0 : (runs - shard) / shards + 1;
}

static bool is_interrupted(const Crew *c) { return c->work->interrupt && *c->work->interrupt; }

/* ---- one run --------------------------------------------------------------------------------- */

typedef struct {
    const StudyPlan *plan;
    const StudyVariant *variant;
    double *y, *curve;
    double t0;
    size_t next; /* time of the curves */
} Watch;

static double value_of(const Watch *w, int variable, const double *values)
{
    const ModelVariable *v = &w->variant->m->model->shape.variables[variable];
    return v->negated ? -values[v->slot] : values[v->slot];
}

static void take_curves(Watch *w, double t, const double *values)
{
    const StudyPlan *plan = w->plan;
    double slack = 1e-9 * (plan->times[plan->time_count - 1] - plan->times[0]);
    while (w->next < plan->time_count && plan->times[w->next] < t - slack) w->next++;
    if (w->next == plan->time_count || plan->times[w->next] > t + slack) return;
    double *row = w->curve + w->next * plan->curve_count; /* of two rows at an event, the later */
    for (size_t k = 0; k < plan->output_count; k++)
        if (plan->outputs[k].kind == OUTPUT_CURVE) *row++ = value_of(w, w->variant->of[k], values);
}

static void take_row(void *arg, double t, const double *values)
{
    Watch *w = arg;
    double *y = w->y;
    for (size_t k = 0; k < w->plan->output_count; k++) {
        OutputKind kind = w->plan->outputs[k].kind;
        if (kind == OUTPUT_CURVE) continue;
        double value = value_of(w, w->variant->of[k], values);
        if (kind == OUTPUT_MIN)
            *y = fmin(*y, value);
        else if (kind == OUTPUT_MAX)
            *y = fmax(*y, value);
        else if (kind == OUTPUT_MEAN)
            *y = t > w->t0 ? value / (t - w->t0) : NAN;
        else if (kind == OUTPUT_SINCE)
            *y = value_of(w, w->variant->seen[k], values) > 0.5 ? value : NAN;
        else
            *y = value;
        y++;
    }
    if (w->curve) take_curves(w, t, values);
}

static Model *make_instance(const StudyPlan *plan, StudyVariant *v, const double *p, char *why)
{
    const Compiled *compiled = v->m->t.compiled;
    Model *model = v->vary.is_residual ? gen_residual_instance(compiled) : gen_instance(compiled);
    const char *reason = NULL;
    int wrong_one = -1;
    if (!model) return snprintf(why, MESSAGE, "no memory for an instance of the model"), NULL;
    for (size_t i = 0; i < v->vary.set_count && wrong_one < 0; i++)
        if (!model->type->set(model, v->vary.set[i].variable, v->vary.set[i].value, &reason))
            wrong_one = v->vary.set[i].variable;
    for (size_t j = 0; j < plan->count && wrong_one < 0; j++)
        if (v->parameters[j] >= 0 && !model->type->set(model, v->parameters[j], p[j], &reason))
            wrong_one = v->parameters[j];
    if (wrong_one < 0) return model;
    snprintf(why, MESSAGE, "'%s' cannot be set: %s", model->shape.variables[wrong_one].name,
             reason ? reason : "the model gives it no choice");
    gen_instance_free(model);
    return NULL;
}

/* Rows are made where outputs look at them. */
static void plan_rows(const StudyPlan *plan, SimOptions *o)
{
    bool looks = false;
    for (size_t k = 0; k < plan->output_count; k++)
        looks |= plan->outputs[k].kind == OUTPUT_MIN || plan->outputs[k].kind == OUTPUT_MAX;
    if (plan->curve_count) {
        long rows = (long)plan->time_count - 1;
        double wanted = !looks              ? 1.0
                        : o->interval > 0.0 ? (o->t_end - o->t0) / o->interval
                                            : (double)o->points;
        o->points = rows * (long)fmax(1.0, ceil(fmin(wanted, 1e7) / (double)rows));
        o->interval = 0.0;
    } else if (!looks) {
        o->points = 1;
        o->interval = 0.0;
    }
}

static void run_one(Crew *c, Chunk *chunk, size_t i)
{
    StudyPlan *plan = c->plan;
    StudyVariant *v = chunk->variant;
    Outcome *out = &chunk->outcomes[i];
    SimOptions o = v->vary.options;
    SimReport report;
    Watch watch = { .plan = plan, .variant = v, .t0 = o.t0, .y = chunk->y + i * c->outputs };
    *out = (Outcome){ .t = o.t0, .failed = true };
    for (size_t k = 0; k < c->outputs; k++) watch.y[k] = NAN;
    if (c->curve_values) {
        watch.curve = chunk->curves + i * c->curve_values;
        for (size_t k = 0; k < c->curve_values; k++) watch.curve[k] = NAN;
    }
    if (v->why[0]) {
        snprintf(out->message, MESSAGE, "%.*s", MESSAGE - 1, v->why);
        return;
    }
    double start = clock_wall();
    Model *model = make_instance(plan, v, chunk->p + i * plan->count, out->message);
    if (!model) return;
    RowSink sink = row_sink(take_row, &watch);
    o.sink = &sink.sink;
    o.inputs = plan->inputs;
    o.interrupt = c->work->interrupt;
    plan_rows(plan, &o);
    out->failed = !sim_run(model, &o, &report);
    out->seconds = clock_wall() - start;
    out->interrupted = report.end == SIM_INTERRUPTED;
    out->t = report.t;
    out->steps = report.stats.work.steps;
    out->events = report.stats.state_events + report.stats.time_events;
    for (size_t k = 0; k < c->outputs && out->failed; k++) watch.y[k] = NAN;
    snprintf(out->message, MESSAGE, "%.*s", MESSAGE - 1, report.message);
    gen_instance_free(model);
}

/* ---- workers --------------------------------------------------------------------------------- */

static Chunk *find_chunk(Crew *c, ChunkState state)
{
    for (size_t k = 0; k < c->chunk_count; k++)
        if (c->chunks[k].state == state) return &c->chunks[k];
    return NULL;
}

static void *work(void *arg)
{
    Crew *c = arg;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        Chunk *chunk = find_chunk(c, CHUNK_READY);
        if (!chunk && c->closing) break;
        if (!chunk) {
            pthread_cond_wait(&c->for_workers, &c->lock);
            continue;
        }
        chunk->state = CHUNK_BUSY;
        pthread_mutex_unlock(&c->lock);
        double start = clock_wall();
        for (size_t i = 0; i < chunk->n; i++) {
            if (is_interrupted(c))
                chunk->outcomes[i].interrupted = true;
            else
                run_one(c, chunk, i);
        }
        double seconds = clock_wall() - start;
        pthread_mutex_lock(&c->lock);
        chunk->state = CHUNK_DONE;
        if (seconds < 0.5 * CHUNK_SECONDS && chunk->n == c->chunk_size && c->chunk_size < c->chunk_room)
            c->chunk_size *= 2;
        else if (seconds > 2.0 * CHUNK_SECONDS && c->chunk_size > 1)
            c->chunk_size = (c->chunk_size + 1) / 2;
        pthread_cond_signal(&c->for_writer);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- the thread that makes chunks and writes ------------------------------------------------- */

static void note_seen(void *arg, uint64_t run)
{
    Crew *c = arg;
    uint64_t shards = c->work->shards, place = (run - 1) / shards;
    if ((run - 1) % shards == c->work->shard - 1 && place < c->shard_total)
        c->seen[place / 8] |= (unsigned char)(1u << place % 8);
}

static bool is_seen(const Crew *c, uint64_t place) { return c->seen[place / 8] >> place % 8 & 1u; }

/* Runs that follow in the shard, are not there, and share a variant. False: none is left. */
static bool fill_chunk(Crew *c, Chunk *chunk)
{
    StudyPlan *plan = c->plan;
    size_t wanted;
    pthread_mutex_lock(&c->lock);
    wanted = c->chunk_size;
    pthread_mutex_unlock(&c->lock);
    chunk->n = 0;
    chunk->variant = NULL;
    for (; c->next < c->shard_total && chunk->n < wanted; c->next++) {
        if (is_seen(c, c->next)) continue;
        uint64_t run = c->next * c->work->shards + c->work->shard - 1;
        double *p = chunk->p + chunk->n * plan->count;
        design_point(&plan->design, run, p);
        if (chunk->variant) chunk->variant->users++; /* so that it is not the one that makes room */
        StudyVariant *v = plan_variant(plan, p);
        if (chunk->variant) chunk->variant->users--;
        if (!v) {
            c->broken = true;
            wrong(plan->session, E_OUT_OF_MEMORY, "out of memory");
            return false;
        }
        if (chunk->variant && v != chunk->variant) break;
        chunk->variant = v;
        chunk->runs[chunk->n++] = run;
    }
    if (chunk->variant) chunk->variant->users++;
    return chunk->n > 0;
}

static void write_chunk(Crew *c, Chunk *chunk)
{
    StudyPlan *plan = c->plan;
    chunk->variant->users--;
    for (size_t i = 0; i < chunk->n && !c->broken; i++) {
        const Outcome *out = &chunk->outcomes[i];
        const double *p = chunk->p + i * plan->count;
        if (out->interrupted) continue;
        for (size_t j = 0; j < plan->count; j++)
            c->p_text[j] = plan->each[j].texts ? plan->each[j].texts[(size_t)p[j]] : NULL;
        StoreRow row = { .run = chunk->runs[i] + 1,
                         .failed = out->failed,
                         .message = out->message,
                         .t = out->t,
                         .seconds = out->seconds,
                         .steps = out->steps,
                         .events = out->events,
                         .p = p,
                         .p_text = c->p_text,
                         .y = chunk->y + i * c->outputs,
                         .curve = c->curve_values ? chunk->curves + i * c->curve_values : NULL };
        c->broken = !store_add(c->store, &row);
        if (c->broken) wrong(plan->session, E_OUTPUT, "%s", store_why(c->store));
        ++*(out->failed ? &c->failed : &c->done);
        if (out->failed && !c->first[0])
            snprintf(c->first, sizeof c->first, "run %llu: %s", (unsigned long long)row.run, out->message);
    }
}

static void tell(Crew *c, bool at_end)
{
    double now = clock_wall(), seconds = now - c->began;
    uint64_t here = c->done + c->failed - c->before;
    if (!c->work->progress || (!at_end && now - c->told < TELL_SECONDS)) return;
    c->told = now;
    AcausalStudyStatus status = { .size = sizeof status,
                                  .done = (size_t)c->done,
                                  .failed = (size_t)c->failed,
                                  .total = (size_t)c->shard_total,
                                  .message = c->first };
    status.runs_a_second = seconds > 0.0 ? (double)here / seconds : 0.0;
    status.seconds_left =
        here ? seconds / (double)here * (double)(c->shard_total - c->done - c->failed) : NAN;
    c->work->progress(c->work->progress_arg, &status);
}

static void wait_for_chunk(Crew *c)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(1e9 * LOOK_SECONDS);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&c->lock);
    if (!find_chunk(c, CHUNK_DONE)) pthread_cond_timedwait(&c->for_writer, &c->lock, &until);
    pthread_mutex_unlock(&c->lock);
}

static Chunk *take_chunk(Crew *c, ChunkState state)
{
    pthread_mutex_lock(&c->lock);
    Chunk *chunk = find_chunk(c, state);
    pthread_mutex_unlock(&c->lock);
    return chunk;
}

static void set_state(Crew *c, Chunk *chunk, ChunkState state)
{
    pthread_mutex_lock(&c->lock);
    chunk->state = state;
    if (state == CHUNK_READY) pthread_cond_signal(&c->for_workers);
    pthread_mutex_unlock(&c->lock);
}

static void manage(Crew *c)
{
    size_t under_way = 0;
    bool more = true;
    while (more || under_way) {
        Chunk *chunk = take_chunk(c, CHUNK_DONE);
        if (chunk) {
            write_chunk(c, chunk);
            set_state(c, chunk, CHUNK_FREE);
            under_way--;
        } else if (more && (chunk = take_chunk(c, CHUNK_FREE))) {
            more = !c->broken && !is_interrupted(c) && fill_chunk(c, chunk);
            if (!more) continue;
            set_state(c, chunk, CHUNK_READY);
            under_way++;
        } else
            wait_for_chunk(c);
        tell(c, false);
    }
}

static bool make_chunks(Crew *c, unsigned workers)
{
    Arena *arena = c->plan->arena;
    size_t bytes = (c->plan->count + c->outputs + c->curve_values + 4) * sizeof(double) + sizeof(Outcome);
    c->chunk_room = (size_t)fmax(1.0, fmin(MOST_CHUNK, MOST_CHUNK_BYTES / (double)bytes));
    c->chunk_size = 1;
    c->chunk_count = (size_t)workers * CHUNKS_A_WORKER;
    c->chunks = NEW_ARRAY(arena, Chunk, c->chunk_count);
    for (size_t k = 0; k < c->chunk_count; k++) {
        Chunk *chunk = &c->chunks[k];
        chunk->runs = NEW_ARRAY(arena, uint64_t, c->chunk_room);
        chunk->p = NEW_ARRAY(arena, double, c->chunk_room * c->plan->count + 1);
        chunk->y = NEW_ARRAY(arena, double, c->chunk_room * c->outputs + 1);
        chunk->curves = NEW_ARRAY(arena, double, c->chunk_room * c->curve_values + 1);
        chunk->outcomes = NEW_ARRAY(arena, Outcome, c->chunk_room);
    }
    c->p_text = NEW_ARRAY(arena, const char *, c->plan->count + 1);
    return true;
}

AcausalStatus study_run_pending(StudyPlan *plan, Store *store, const AcausalStudyWork *options)
{
    unsigned workers = options->threads ? options->threads : cpu_count(), started = 0;
    pthread_t ids[MOST_WORKERS];
    StoreCounts counts;
    Crew crew = { .plan = plan, .store = store, .work = options }, *c = &crew;
    if (workers > MOST_WORKERS) workers = MOST_WORKERS;
    c->outputs = plan->output_count - plan->curve_count;
    c->curve_values = plan->curve_count * plan->time_count;
    c->shard_total = study_shard_total(plan->design.count, options->shard, options->shards);
    c->seen = NEW_ARRAY(plan->arena, unsigned char, c->shard_total / 8 + 1);
    if (!store_counts(store, &counts) || !store_each_number(store, note_seen, c))
        return wrong(plan->session, E_OUTPUT, "%s", store_why(store)), ACAUSAL_WRONG;
    c->done = counts.done;
    c->failed = counts.failed;
    c->before = counts.done + counts.failed;
    make_chunks(c, workers);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->for_workers, NULL);
    pthread_cond_init(&c->for_writer, NULL);
    c->began = c->told = clock_wall();
    while (started < workers && !pthread_create(&ids[started], NULL, work, c)) started++;
    if (started)
        manage(c);
    else
        c->broken = !wrong(plan->session, E_OUT_OF_MEMORY, "no thread could be made");
    pthread_mutex_lock(&c->lock);
    c->closing = true;
    pthread_cond_broadcast(&c->for_workers);
    pthread_mutex_unlock(&c->lock);
    for (unsigned k = 0; k < started; k++) pthread_join(ids[k], NULL);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->for_workers);
    pthread_cond_destroy(&c->for_writer);
    if (!c->broken && !store_flush(store))
        c->broken = !wrong(plan->session, E_OUTPUT, "%s", store_why(store));
    tell(c, true);
    return c->broken ? ACAUSAL_WRONG : is_interrupted(c) ? ACAUSAL_FAILED : ACAUSAL_DONE;
}
