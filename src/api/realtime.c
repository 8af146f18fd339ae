/* realtime.c: `acausal realtime` as a function: from a source to an analysis, a stepper, a run
 * against the clock.
 *
 * In: a model and what is asked for. Out: a report, files. Cost: see realtime/. Tests:
 * tests/cli/realtime.sh. */
#include "api/inside.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

static AcausalRealtime defaults(void)
{
    RtOptions d = rt_options(NAN, NAN, NAN);
    return (AcausalRealtime){ .step = NAN,
                              .start = NAN,
                              .stop = NAN,
                              .order = 1,
                              .margin = d.margin,
                              .error = d.error,
                              .tries = d.tries,
                              .deadline = NAN,
                              .cpu = -1,
                              .overrun = "catch-up" };
}

void acausal_realtime_init(AcausalRealtime *options, size_t size)
{
    AcausalRealtime own = defaults();
    init_structure(options, size, &own, sizeof own);
}

static void say(const AcausalRealtime *o, const char *line)
{
    if (o->say) o->say(o->say_arg, line);
}

static bool find_policy(AcausalSession *s, const char *name, OverrunPolicy *policy)
{
    for (int k = 0; k < OVERRUN_KINDS; k++) {
        if (strcmp(overrun_policies[k], name) != 0) continue;
        *policy = (OverrunPolicy)k;
        return true;
    }
    return unknown(s, "policy for overruns", name,
                   text_nearest(str_of(name), overrun_policies, OVERRUN_KINDS));
}

static bool check_options(AcausalSession *s, const AcausalRealtime *o)
{
    OverrunPolicy policy;
    if (!(o->step > 0) || !isfinite(o->step))
        return wrong(s, E_OPTION, "the step has to be a positive number of seconds");
    if (o->order < 1 || o->order > 3)
        return wrong(s, E_OPTION, "the order can be 1, 2 or 3, not %d", o->order);
    if (o->run < 0 || (!isnan(o->deadline) && !(o->deadline > 0)))
        return wrong(s, E_OPTION, "times have to be positive");
    if (!(o->margin >= 0 && o->margin < 1)) return wrong(s, E_OPTION, "the margin has to be between 0 and 1");
    return find_policy(s, o->overrun, &policy);
}

/* ---- analysis -------------------------------------------------------------------------------- */

static bool set_span(AcausalSession *s, const Translation *t, RtOptions *o, const AcausalRealtime *a)
{
    Experiment e = class_experiment(t->cls);
    o->start = !isnan(a->start) ? a->start : isnan(e.start) ? 0 : e.start;
    o->stop = !isnan(a->stop) ? a->stop : isnan(e.stop) ? o->start + 1 : e.stop;
    if (o->stop - o->start >= 2 * o->step) return true;
    return wrong(s, E_OPTION, "the scenario from %g to %g s has room for less than two steps of %g s",
                 o->start, o->stop, o->step);
}

static bool analyse(RealtimeReport *r, RtOptions *options)
{
    AcausalSession *s = r->session;
    double start = clock_wall();
    say(r->options, "running the scenario");
    r->scenario = scenario_new(r->t->compiled, options);
    if (!r->scenario) return wrong(s, E_REALTIME, "memory is out");
    if (r->scenario->message[0]) return wrong(s, E_REALTIME, "%s", r->scenario->message);
    say(r->options, "choosing entries");
    r->sparsing = sparsing_new(r->scenario);
    if (!r->sparsing) return wrong(s, E_REALTIME, "memory is out");
    r->choice = r->options->full ? &r->sparsing->exact : sparsing_choice(r->sparsing);
    for (uint32_t k = 0; k < r->scenario->warnings.n; k++)
        diag_add_file(&s->diag, W_REALTIME, NULL, "%s", r->scenario->warnings.at[k]);
    if (!r->options->full && r->choice == &r->sparsing->exact)
        diag_add_file(&s->diag, W_REALTIME, NULL,
                      "no entry can be left out within these limits; all are kept");
    r->analysis_seconds = clock_wall() - start;
    return true;
}

typedef VEC(int) Variables;

/* What the pattern fits; without one the model's outputs, and where it has none its states. */
static Variables find_outputs(const RealtimeReport *r, Arena *arena)
{
    const ModelShape *shape = r->scenario->shape;
    Variables found = { 0 };
    for (int pass = 0; pass < 2 && !found.n; pass++)
        for (int k = 0; k < shape->variable_count && found.n < RT_MOST_VALUES; k++) {
            const ModelVariable *v = &shape->variables[k];
            bool fits = r->options->outputs ? result_name_fits(r->options->outputs, v->name)
                        : pass              ? v->is_state
                                            : v->is_output;
            if (fits && v->kind == VARIABLE_CONTINUOUS && v->type == VARIABLE_REAL)
                vec_push(arena, &found, k);
        }
    return found;
}

static bool make_stepper(RealtimeReport *r, Arena *arena)
{
    char why[400] = "";
    Variables outputs = find_outputs(r, arena);
    if (r->options->outputs && !outputs.n)
        return unknown(r->session, "continuous variable that fits", r->options->outputs, NULL);
    RtStepperOptions options = { r->options->order, IR_AUTO, outputs.at, outputs.n };
    r->stepper = stepper_new(r->scenario, r->choice->kept, &options, why, sizeof why);
    return r->stepper || wrong(r->session, E_REALTIME, "%s", why);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool write_pictures(const RealtimeReport *r)
{
    Text sparsing = { .arena = r->session->arena }, trade_off = { .arena = r->session->arena };
    draw_sparsing(r->scenario, r->sparsing, &sparsing);
    draw_trade_off(r->scenario, r->sparsing, &trade_off);
    return write_into(r->session, r->options->svg, "sparsing.svg", &sparsing) &&
           write_into(r->session, r->options->svg, "trade-off.svg", &trade_off);
}

/* The last part of the class's name, as C can have it. */
static char *c_name(Arena *arena, const char *class_name)
{
    const char *dot = strrchr(class_name, '.');
    char *name = arena_copy(arena, str_of(dot ? dot + 1 : class_name));
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    return name;
}

static bool write_code(RealtimeReport *r)
{
    AcausalSession *s = r->session;
    Text source = { .arena = s->arena }, header = { .arena = s->arena };
    char why[300], *name = c_name(s->arena, r->scenario->shape->name);
    if (!stepper_start(r->stepper, r->scenario->options.start))
        return wrong(s, E_REALTIME, "%s", stepper_failure(r->stepper));
    if (r->options->fmu && !realtime_fmu(s, r->stepper, name, r->scenario->options.stop, r->options->fmu))
        return false;
    if (!r->options->code) return true;
    if (!stepper_export(r->stepper, name, &source, &header, why, sizeof why))
        return wrong(s, E_REALTIME, "%s", why);
    return write_into(s, r->options->code, arena_printf(s->arena, "%s.c", name), &source) &&
           write_into(s, r->options->code, arena_printf(s->arena, "%s.h", name), &header);
}

/* ---- the run --------------------------------------------------------------------------------- */

static bool write_log(AcausalSession *s, const char *path, const RtRunReport *run)
{
    FILE *file = fopen(path, "w");
    if (!file) return wrong(s, E_OUTPUT, "cannot write '%s': %s", path, strerror(errno));
    fputs("step,busy_us,response_us,estimate,late,event,poor_pivot,held,not_converged\n", file);
    for (long k = 0; k < run->steps; k++) {
        const RtStepLog *l = &run->log[k];
        fprintf(file, "%ld,%.3f,%.3f,%.4g,%d,%d,%d,%d,%d\n", k, 1e6 * (double)l->busy,
                1e6 * (double)l->response, (double)l->estimate, (l->flags & RT_FLAG_LATE) != 0,
                (l->flags & RT_FLAG_EVENT) != 0, (l->flags & RT_FLAG_PIVOT) != 0,
                (l->flags & RT_FLAG_HELD) != 0, (l->flags & RT_FLAG_NOT_CONVERGED) != 0);
    }
    return fclose(file) == 0 || wrong(s, E_OUTPUT, "cannot write '%s': %s", path, strerror(errno));
}

static bool run_against_clock(RealtimeReport *r, RtRunReport *report, Arena *arena)
{
    const AcausalRealtime *o = r->options;
    const ModelShape *shape = r->scenario->shape;
    Variables inputs = { 0 };
    char why[300] = "";
    for (int k = 0; k < shape->variable_count; k++)
        if (shape->variables[k].is_input) vec_push(arena, &inputs, k);
    RtRun run = { .seconds = o->run,
                  .deadline = isnan(o->deadline) ? o->step : o->deadline,
                  .priority = o->priority,
                  .cpu = o->cpu,
                  .inputs = inputs.at,
                  .input_count = inputs.n,
                  .interrupt = o->interrupt };
    find_policy(r->session, o->overrun, &run.policy);
    if (o->channel && !(run.channel = channel_open(o->channel, false, why, sizeof why)))
        return wrong(r->session, E_OPTION, "%s", why);
    bool ok = stepper_start(r->stepper, r->scenario->options.start) ||
              wrong(r->session, E_REALTIME, "%s", stepper_failure(r->stepper));
    say(o, "running against the clock");
    ok = ok && (deadline_run(r->stepper, &run, report) || wrong(r->session, E_REALTIME, "memory is out"));
    channel_close(run.channel);
    if (ok) r->run = report;
    return ok && (!o->log || write_log(r->session, o->log, report));
}

/* ---- the door -------------------------------------------------------------------------------- */

static bool do_all(RealtimeReport *r, RtRunReport *run, Arena *arena)
{
    const AcausalRealtime *o = r->options;
    RtOptions options = rt_options(o->step, 0, 0);
    char why[400] = "";
    options.residual_form = o->dae;
    options.margin = o->margin;
    options.error = o->error;
    options.watch = o->watch;
    options.tries = o->full ? 0 : o->tries;
    if (!set_span(r->session, r->t, &options, o)) return false;
    if (o->dae && !gen_add_residual_form(r->t->compiled, &r->session->diag)) return false;
    if (!analyse(r, &options) || !make_stepper(r, arena)) return false;
    if (o->svg && !write_pictures(r)) return false;
    if ((o->code || o->fmu) && !write_code(r)) return false;
    if (o->measure) say(o, "measuring");
    r->has_rows = o->measure && measure_variants(r->scenario, r->sparsing, r->rows, why, sizeof why);
    return !(o->run > 0) || run_against_clock(r, run, arena);
}

AcausalStatus acausal_realtime(AcausalSession *s, const char *source, const char *class_name,
                               const AcausalRealtime *given, AcausalFormat format, AcausalWrite write,
                               void *arg)
{
    AcausalRealtime own = defaults(), *options = &own;
    Translation t;
    if (!TAKE(s, own, given)) return ACAUSAL_USAGE;
    RtRunReport run = { 0 };
    if (!check_options(s, options)) return ACAUSAL_USAGE;
    bool ok = translate(s, source, class_name, NULL, 0, &t);
    RealtimeReport r = { .session = s, .t = &t, .options = options };
    bool translated = ok;
    ok = ok && do_all(&r, &run, t.arena);
    Text text = { .arena = s->arena };
    if (r.sparsing && r.stepper) (format == ACAUSAL_JSON ? realtime_json : realtime_text)(&r, &text);
    if (text.n) write(arg, text.at, text.n);
    bool is_bad_run = r.run && (run.is_stopped || run.is_interrupted);
    stepper_free(r.stepper);
    scenario_free(r.scenario);
    if (run.arena) deadline_free(&run);
    translation_free(&t);
    if (ok) return is_bad_run ? ACAUSAL_FAILED : ACAUSAL_DONE;
    return translated && s->diag.counts[E_REALTIME] ? ACAUSAL_FAILED : ACAUSAL_WRONG;
}

AcausalStatus acausal_realtime_peer(AcausalSession *session, const char *where, double seconds, long *records)
{
    char why[300] = "";
    RtChannel *channel = channel_open(where, true, why, sizeof why);
    if (!channel) wrong(session, E_REALTIME, "%s", why);
    Arena *arena = channel ? arena_new() : NULL;
    *records = 0;
    if (!arena) {
        channel_close(channel);
        return channel ? ACAUSAL_BUG : ACAUSAL_WRONG;
    }
    double *values = NEW_ARRAY(arena, double, RT_MOST_VALUES), end = clock_wall() + seconds, t;
    unsigned flags;
    while (clock_wall() < end) {
        size_t n = channel_receive(channel, &t, &flags, values, RT_MOST_VALUES);
        if (n) channel_send(channel, t, 0, values, n);
        *records += n > 0;
    }
    channel_close(channel);
    arena_free(arena);
    return ACAUSAL_DONE;
}
