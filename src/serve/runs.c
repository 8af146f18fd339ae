/* runs.c: runs of models, each in a thread of its own, and what is known of them.
 *
 * In: orders. Out: numbers of runs; their state, rows and results while they go on and afterwards.
 * Rows are kept twice for the time of the run only: here, to be looked at at once, and in the
 * result that the library makes. Of very long runs the rows beyond LIVE_BYTES appear at the end.
 * Always: what several threads see is changed under one lock; a run that is forgotten while it goes
 * on is stopped, and freed by its own thread. At most MOST_ACTIVE go on at a time, at most
 * MOST_KEPT are remembered. Cost: a lock a row. Tests: tests/serve/serve.py. */
#include "serve/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_ACTIVE = 12, MOST_KEPT = 24, MOST_SAID = 64 * 1024 };
static const size_t LIVE_BYTES = 96u << 20;

typedef enum { RUN_TRANSLATING, RUN_GOING, RUN_DONE, RUN_FAILED, RUN_WRONG, RUN_CANCELLED } RunState;
static const char *const state_texts[] = { "translating", "running", "done", "failed", "wrong", "cancelled" };

typedef struct Run Run;
struct Run {
    Runs *runs;
    Run *next; /* older */
    unsigned id;
    Arena *arena; /* of the order, names and texts; used under the lock */
    RunOrder order;
    volatile sig_atomic_t interrupt;
    RunState state;
    bool is_forgotten;
    double t, start, stop, translate_seconds, simulate_seconds;
    AcausalSignal *signals;
    size_t signal_count;
    double *live; /* rows of time and all signals */
    size_t rows, room;
    const char *message, *stats, *diagnostics;
    Text said;
    AcausalResult *result, *steps;
};

struct Runs {
    Workshop *workshop;
    pthread_mutex_t lock;
    pthread_cond_t idle;
    Run *newest;
    unsigned last_id, active;
};

Runs *runs_new(Workshop *workshop)
{
    Runs *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->workshop = workshop;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->idle, NULL);
    return r;
}

static void run_free(Run *run)
{
    acausal_result_free(run->result);
    acausal_result_free(run->steps);
    free(run->live);
    arena_free(run->arena);
    free(run);
}

static bool is_active(const Run *run) { return run->state <= RUN_GOING; }

static Run *find_run(Runs *runs, unsigned id)
{
    for (Run *run = runs->newest; run; run = run->next)
        if (run->id == id && !run->is_forgotten) return run;
    return NULL;
}

static void unlink_run(Runs *runs, Run *run)
{
    Run **at = &runs->newest;
    while (*at && *at != run) at = &(*at)->next;
    if (*at) *at = run->next;
}

void runs_free(Runs *runs)
{
    if (!runs) return;
    pthread_mutex_lock(&runs->lock);
    for (Run *run = runs->newest; run; run = run->next) run->interrupt = 1;
    while (runs->active) pthread_cond_wait(&runs->idle, &runs->lock);
    pthread_mutex_unlock(&runs->lock);
    while (runs->newest) {
        Run *run = runs->newest;
        runs->newest = run->next;
        run_free(run);
    }
    pthread_mutex_destroy(&runs->lock);
    pthread_cond_destroy(&runs->idle);
    free(runs);
}

/* ---- while it goes on ------------------------------------------------------------------------ */

static void on_begin(void *arg, const AcausalSignal *const *signals, size_t n)
{
    Run *run = arg;
    pthread_mutex_lock(&run->runs->lock);
    AcausalSignal *copy = NEW_ARRAY(run->arena, AcausalSignal, n + 1);
    for (size_t i = 0; i < n; i++)
        copy[i] = (AcausalSignal){ .name = arena_copy(run->arena, str_of(signals[i]->name)),
                                   .unit = arena_copy(run->arena, str_of(signals[i]->unit)),
                                   .description = arena_copy(run->arena, str_of(signals[i]->description)),
                                   .kind = signals[i]->kind };
    run->signals = copy;
    run->signal_count = n;
    run->state = RUN_GOING;
    pthread_mutex_unlock(&run->runs->lock);
}

static void on_row(void *arg, double t, const double *values, size_t n)
{
    Run *run = arg;
    size_t width = n + 1;
    pthread_mutex_lock(&run->runs->lock);
    run->t = t;
    if (run->rows == run->room && 2 * (run->room + 64) * width * sizeof(double) <= LIVE_BYTES) {
        double *grown = realloc(run->live, 2 * (run->room + 64) * width * sizeof(double));
        if (grown) run->live = grown, run->room = 2 * (run->room + 64);
    }
    if (run->rows < run->room) {
        double *row = run->live + run->rows++ * width;
        row[0] = t;
        memcpy(row + 1, values, n * sizeof(double));
    }
    pthread_mutex_unlock(&run->runs->lock);
}

static void on_progress(void *arg, double t, double start, double stop)
{
    Run *run = arg;
    pthread_mutex_lock(&run->runs->lock);
    run->t = t;
    run->start = start;
    run->stop = stop;
    pthread_mutex_unlock(&run->runs->lock);
}

static void on_say(void *arg, const char *line)
{
    Run *run = arg;
    pthread_mutex_lock(&run->runs->lock);
    if (run->said.n < MOST_SAID) text_printf(&run->said, "%s\n", line);
    pthread_mutex_unlock(&run->runs->lock);
}

static AcausalStatus simulate(Run *run, Bench *bench, AcausalSimulationReport *report)
{
    AcausalSimulation s = acausal_simulation();
    AcausalExperiment e = { .size = sizeof e };
    acausal_model_experiment(bench->model, &e);
    const RunOrder *o = &run->order;
    s.start = o->start;
    s.stop = o->stop;
    s.tolerance = o->tolerance;
    s.points = o->points;
    s.solver = o->solver;
    s.set = o->set;
    s.set_count = o->set_count;
    s.keep = s.keep_steps = true;
    s.interrupt = &run->interrupt;
    s.progress = on_progress;
    s.progress_arg = run;
    s.say = on_say;
    s.say_arg = run;
    s.begin = on_begin;
    s.row = on_row;
    s.row_arg = run;
    double start = !isnan(s.start) ? s.start : !isnan(e.start) ? e.start : 0.0;
    on_progress(run, start, start, !isnan(s.stop) ? s.stop : !isnan(e.stop) ? e.stop : start + 1.0);
    return acausal_run(bench->model, &s, report);
}

/* Takes over all that the run gave, under the lock. */
static void finish(Run *run, const Bench *bench, AcausalStatus status, const AcausalSimulationReport *report)
{
    Text diagnostics = { .arena = run->arena };
    if (bench && bench->session)
        diagnostics_json(bench->session, &diagnostics);
    else
        text_add_literal(&diagnostics, "[]");
    run->diagnostics = diagnostics.at;
    run->message = arena_copy(run->arena, str_of(report->message ? report->message : ""));
    run->stats = arena_copy(run->arena, str_of(report->stats ? report->stats : ""));
    run->translate_seconds += report->translate_seconds;
    run->simulate_seconds = report->simulate_seconds;
    run->result = report->result;
    run->steps = report->steps;
    if (run->result && acausal_result_count(run->result) == run->signal_count) {
        free(run->live);
        run->live = NULL;
        run->rows = acausal_result_rows(run->result);
    }
    run->state = run->interrupt            ? RUN_CANCELLED
                 : status == ACAUSAL_DONE  ? RUN_DONE
                 : status == ACAUSAL_WRONG ? RUN_WRONG
                                           : RUN_FAILED;
}

static void *run_thread(void *arg)
{
    Run *run = arg;
    Runs *runs = run->runs;
    double began = clock_wall();
    Bench *bench = workshop_take(runs->workshop, run->order.source, run->order.class_name);
    AcausalSimulationReport report = { .size = sizeof report, .message = "", .stats = "" };
    AcausalStatus status = ACAUSAL_WRONG;
    double seconds = clock_wall() - began;
    if (bench && bench->model && !run->interrupt) status = simulate(run, bench, &report);
    pthread_mutex_lock(&runs->lock);
    run->translate_seconds = seconds;
    finish(run, bench, status, &report);
    if (run->is_forgotten) {
        unlink_run(runs, run);
        run_free(run);
    }
    pthread_mutex_unlock(&runs->lock);
    workshop_give(runs->workshop, bench);
    pthread_mutex_lock(&runs->lock);
    runs->active--;
    pthread_cond_broadcast(&runs->idle);
    pthread_mutex_unlock(&runs->lock);
    return NULL;
}

/* ---- orders ---------------------------------------------------------------------------------- */

static const char *copy_of(Arena *arena, const char *text)
{
    return text ? arena_copy(arena, str_of(text)) : NULL;
}

static Run *run_new(Runs *runs, const RunOrder *order)
{
    Run *run = calloc(1, sizeof *run);
    if (!run || !(run->arena = arena_new())) {
        free(run);
        return NULL;
    }
    run->runs = runs;
    run->said.arena = run->arena;
    run->order = *order;
    run->order.source = copy_of(run->arena, order->source);
    run->order.class_name = copy_of(run->arena, order->class_name);
    run->order.solver = copy_of(run->arena, order->solver);
    const char **set = NEW_ARRAY(run->arena, const char *, order->set_count + 1);
    for (size_t i = 0; i < order->set_count; i++) set[i] = copy_of(run->arena, order->set[i]);
    run->order.set = set;
    return run;
}

/* The oldest runs that have ended make room. */
static void forget_old(Runs *runs)
{
    size_t n = 0;
    for (Run *run = runs->newest; run; run = run->next) n++;
    while (n-- > MOST_KEPT) {
        Run *oldest = NULL;
        for (Run *run = runs->newest; run; run = run->next)
            if (!is_active(run)) oldest = run;
        if (!oldest) return;
        unlink_run(runs, oldest);
        run_free(oldest);
    }
}

unsigned runs_start(Runs *runs, const RunOrder *order)
{
    pthread_t thread;
    unsigned id = 0;
    Run *run = run_new(runs, order);
    if (!run) return 0;
    pthread_mutex_lock(&runs->lock);
    if (runs->active < MOST_ACTIVE) {
        run->id = runs->last_id + 1;
        run->next = runs->newest;
        runs->newest = run;
        runs->active++;
        if (!pthread_create(&thread, NULL, run_thread, run)) {
            pthread_detach(thread);
            id = runs->last_id = run->id;
            forget_old(runs);
        } else {
            runs->active--;
            unlink_run(runs, run);
        }
    }
    pthread_mutex_unlock(&runs->lock);
    if (!id) run_free(run);
    return id;
}

/* Whether there was such a run. A page may still ask for what it has just forgotten: that is no
 * mistake. */
static bool was_there(const Runs *runs, unsigned id) { return id && id <= runs->last_id; }

bool runs_cancel(Runs *runs, unsigned id)
{
    pthread_mutex_lock(&runs->lock);
    Run *run = find_run(runs, id);
    if (run && is_active(run)) run->interrupt = 1;
    bool known = was_there(runs, id);
    pthread_mutex_unlock(&runs->lock);
    return known;
}

bool runs_forget(Runs *runs, unsigned id)
{
    pthread_mutex_lock(&runs->lock);
    Run *run = find_run(runs, id);
    if (run && is_active(run)) {
        run->interrupt = 1;
        run->is_forgotten = true;
    } else if (run) {
        unlink_run(runs, run);
        run_free(run);
    }
    bool known = was_there(runs, id);
    pthread_mutex_unlock(&runs->lock);
    return known;
}

/* ---- what is known of them ------------------------------------------------------------------- */

static void add_real(Text *out, const char *key, double value)
{
    text_printf(out, ",\"%s\":", key);
    if (isfinite(value))
        text_add_real(out, value);
    else
        text_add_literal(out, "null");
}

static void add_text(Text *out, const char *key, const char *value)
{
    text_printf(out, ",\"%s\":", key);
    text_add_json(out, str_of(value ? value : ""));
}

static void tell_run(const Run *run, Text *out)
{
    text_printf(out, "{\"id\":%u,\"state\":\"%s\",\"rows\":%zu", run->id, state_texts[run->state], run->rows);
    add_text(out, "source", run->order.source);
    add_text(out, "class", run->order.class_name);
    text_add_literal(out, ",\"set\":[");
    for (size_t i = 0; i < run->order.set_count; i++) {
        if (i) text_add_char(out, ',');
        text_add_json(out, str_of(run->order.set[i]));
    }
    text_add_char(out, ']');
    add_real(out, "t", run->t);
    add_real(out, "start", run->start);
    add_real(out, "stop", run->stop);
    add_real(out, "translate_ms", 1e3 * run->translate_seconds);
    add_real(out, "simulate_ms", 1e3 * run->simulate_seconds);
    if (is_active(run)) return;
    add_text(out, "message", run->message);
    add_text(out, "stats", run->stats);
    text_printf(out, ",\"diagnostics\":%s", run->diagnostics);
}

static void tell_signals(const Run *run, Text *out)
{
    text_add_literal(out, ",\"signals\":[");
    for (size_t i = 0; i < run->signal_count; i++) {
        const AcausalSignal *s = &run->signals[i];
        text_add(out, i ? STR(",[") : STR("["));
        text_add_json(out, str_of(s->name));
        text_add_char(out, ',');
        text_add_json(out, str_of(s->unit));
        text_add_char(out, ',');
        text_add_json(out, str_of(s->description));
        text_printf(out, ",%d]", (int)s->kind);
    }
    text_add_char(out, ']');
}

bool runs_tell(Runs *runs, unsigned id, bool with_names, Text *out)
{
    pthread_mutex_lock(&runs->lock);
    const Run *run = find_run(runs, id);
    if (run) {
        tell_run(run, out);
        add_text(out, "said", run->said.at);
        if (with_names) tell_signals(run, out);
        text_add_char(out, '}');
    }
    bool known = was_there(runs, id);
    pthread_mutex_unlock(&runs->lock);
    if (known && !run) text_printf(out, "{\"id\":%u,\"state\":\"forgotten\",\"rows\":0}", id);
    return known;
}

void runs_list(Runs *runs, Text *out)
{
    bool is_first = true;
    text_add_char(out, '[');
    pthread_mutex_lock(&runs->lock);
    for (const Run *run = runs->newest; run; run = run->next) {
        if (run->is_forgotten) continue;
        if (!is_first) text_add_char(out, ',');
        is_first = false;
        tell_run(run, out);
        text_add_char(out, '}');
    }
    pthread_mutex_unlock(&runs->lock);
    text_add_char(out, ']');
}

/* Column 0 is time, column k signal k - 1. */
static void add_column(const Run *run, size_t column, size_t from, size_t n, double *scratch, Text *out)
{
    if (run->live) {
        size_t width = run->signal_count + 1;
        for (size_t i = 0; i < n; i++) scratch[i] = run->live[(from + i) * width + column];
        text_add(out, (Str){ (const char *)scratch, n * sizeof(double) });
        return;
    }
    AcausalSignal signal = { .size = sizeof signal };
    if (column) acausal_result_signal(run->result, column - 1, &signal);
    if (acausal_result_values(run->result, column ? signal.name : "time", scratch))
        text_add(out, (Str){ (const char *)(scratch + from), n * sizeof(double) });
}

bool runs_rows(Runs *runs, unsigned id, size_t from, const size_t *columns, size_t n, Text *out)
{
    pthread_mutex_lock(&runs->lock);
    const Run *run = find_run(runs, id);
    if (run) {
        bool known = run->live || run->result;
        size_t rows = known && run->rows > from ? run->rows - from : 0;
        double *scratch = NEW_ARRAY(out->arena, double, run->rows + 1), count = (double)rows;
        text_add(out, (Str){ (const char *)&count, sizeof count });
        if (rows) add_column(run, 0, from, rows, scratch, out);
        for (size_t i = 0; rows && i < n; i++)
            if (columns[i] < run->signal_count) add_column(run, columns[i] + 1, from, rows, scratch, out);
    }
    bool known = was_there(runs, id);
    pthread_mutex_unlock(&runs->lock);
    double none = 0;
    if (known && !run) text_add(out, (Str){ (const char *)&none, sizeof none });
    return known;
}

/* ---- comparison ------------------------------------------------------------------------------ */

typedef struct {
    Text *out;
    size_t n;
} Comparison;

static void tell_signal(void *arg, const AcausalSignalReport *r)
{
    Comparison *c = arg;
    text_add(c->out, c->n++ ? STR(",{\"name\":") : STR("{\"name\":"));
    text_add_json(c->out, str_of(r->name));
    add_text(c->out, "verdict", r->verdict);
    add_real(c->out, "deviation", r->deviation);
    add_real(c->out, "t", r->t);
    add_real(c->out, "a", r->a);
    add_real(c->out, "b", r->b);
    text_add_char(c->out, '}');
}

bool runs_compare(Runs *runs, unsigned a, unsigned b, Text *out)
{
    pthread_mutex_lock(&runs->lock);
    const Run *run_a = find_run(runs, a), *run_b = find_run(runs, b);
    bool ok = run_a && run_b && run_a->result && run_b->result;
    if (ok) {
        Comparison c = { .out = out };
        AcausalCompareReport report = { .size = sizeof report };
        AcausalSession *session = acausal_session_new();
        text_add_literal(out, "{\"signals\":[");
        acausal_compare(session, run_a->result, run_b->result, NULL, tell_signal, &c, &report);
        acausal_session_free(session);
        text_printf(out, "],\"same\":%s}", report.same ? "true" : "false");
    }
    pthread_mutex_unlock(&runs->lock);
    return ok;
}

/* ---- export ---------------------------------------------------------------------------------- */

/* A file that the library writes, as bytes. */
static bool add_file(AcausalSession *session, const AcausalResult *result, const char *suffix, Text *out)
{
    char path[] = "/tmp/acausal-XXXXXX.csv", chunk[65536];
    memcpy(path + sizeof path - 5, suffix, 4);
    int file = mkstemps(path, 4);
    if (file < 0) return false;
    bool ok = acausal_result_write(session, result, path) == ACAUSAL_DONE;
    for (ssize_t n; ok && (n = read(file, chunk, sizeof chunk)) > 0;)
        text_add(out, (Str){ chunk, (size_t)n });
    close(file);
    unlink(path);
    return ok;
}

static void add_report(AcausalSession *session, Runs *runs, const Run *run, Text *out)
{
    Bench *bench = workshop_take(runs->workshop, run->order.source, run->order.class_name);
    AcausalReport page = { .size = sizeof page,
                           .result = run->result,
                           .steps = run->steps,
                           .title = run->order.class_name ? run->order.class_name : run->order.source,
                           .stats = run->stats,
                           .message = run->message,
                           .model = bench ? bench->model : NULL };
    acausal_report(session, &page, add_piece, out);
    workshop_give(runs->workshop, bench);
}

bool runs_export(Runs *runs, unsigned id, const char *format, const char *const *names, size_t n, Text *out,
                 char *why, size_t room)
{
    pthread_mutex_lock(&runs->lock);
    const Run *run = find_run(runs, id);
    bool ok = run && run->result;
    snprintf(why, room, run ? "the run has no result" : "there is no such run");
    AcausalSession *session = ok ? acausal_session_new() : NULL;
    ok = ok && session;
    AcausalPlot plot = {
        .size = sizeof plot, .names = names, .count = n, .title = run ? run->order.class_name : NULL
    };
    if (ok && !strcmp(format, "html"))
        add_report(session, runs, run, out);
    else if (ok && (!strcmp(format, "svg") || !strcmp(format, "png")))
        ok = acausal_plot(session, run->result, &plot, *format == 's' ? ACAUSAL_SVG : ACAUSAL_PNG, add_piece,
                          out) == ACAUSAL_DONE;
    else if (ok && (!strcmp(format, "csv") || !strcmp(format, "mat")))
        ok = add_file(session, run->result, !strcmp(format, "mat") ? ".mat" : ".csv", out);
    else if (ok) {
        snprintf(why, room, "a result can be exported as csv, mat, html, svg or png");
        ok = false;
    }
    if (session && acausal_first_error(session)) snprintf(why, room, "%s", acausal_first_error(session));
    acausal_session_free(session);
    pthread_mutex_unlock(&runs->lock);
    return ok;
}
