/* models.c: models of figures, and their runs.
 *
 * In: text or a file, settings. Out: results in memory, the work. A run may be limited in processor
 * time, since the machine may be busy with other things; it is then not finished. */
#include "bench/paper/inside.h"

#include <math.h>

static bool opened(Paper *p, PaperModel *m, const char *what)
{
    if (m->model) return true;
    const char *why = m->session ? acausal_first_error(m->session) : NULL;
    paper_fail(p, "%s: %s", what, why ? why : "no memory");
    paper_close(m);
    return false;
}

bool paper_open_text(Paper *p, PaperModel *m, const char *name, const char *text)
{
    *m = (PaperModel){ .session = acausal_session_new() };
    AcausalSession *s = m->session;
    Class *cls = s ? libraries_open_text(s->libraries, name, str_of(text), &s->diag) : NULL;
    if (cls) m->model = model_of_class(s, cls);
    return opened(p, m, name);
}

bool paper_open_file(Paper *p, PaperModel *m, const char *file, const char *class_name)
{
    const char *path = path_join(paper_arena(p), paper_request(p)->models, file);
    *m = (PaperModel){ .session = acausal_session_new() };
    if (file_kind(path) != FILE_REGULAR) {
        paper_close(m);
        return paper_fail(p, "there is no '%s'; --models says where the models are", path);
    }
    if (m->session) m->model = acausal_compile(m->session, path, class_name);
    return opened(p, m, path);
}

void paper_close(PaperModel *m)
{
    acausal_model_free(m->model);
    acausal_session_free(m->session);
    *m = (PaperModel){ 0 };
}

typedef struct {
    double end;
    volatile sig_atomic_t over;
} Deadline;

static void watch(void *arg, double t, double start, double stop)
{
    Deadline *d = arg;
    (void)t, (void)start, (void)stop;
    if (clock_thread() > d->end) d->over = 1;
}

void paper_run(PaperModel *m, const PaperRun *run, PaperOutcome *out)
{
    AcausalSimulation s = acausal_simulation();
    Deadline deadline = { .end = clock_thread() + run->seconds };
    *out = (PaperOutcome){ .report = { .size = sizeof out->report } };
    s.solver = run->solver;
    if (run->stop > 0.0) s.stop = run->stop;
    if (run->tolerance > 0.0) s.tolerance = run->tolerance;
    s.points = run->points;
    s.solver_options = run->options;
    while (s.solver_option_count < COUNT_OF(run->options) && run->options[s.solver_option_count])
        s.solver_option_count++;
    s.set = run->set;
    while (s.set_count < COUNT_OF(run->set) && run->set[s.set_count]) s.set_count++;
    s.keep = run->keep;
    s.keep_steps = run->keep_steps;
    if (run->seconds > 0.0) {
        s.interrupt = &deadline.over;
        s.progress = watch;
        s.progress_arg = &deadline;
    }
    AcausalStatus status = acausal_run(m->model, &s, &out->report);
    out->work = m->model->last.work;
    out->finished = status == ACAUSAL_DONE && !deadline.over;
}

void paper_free_run(PaperOutcome *out)
{
    acausal_result_free(out->report.result);
    acausal_result_free(out->report.steps);
    out->report.result = out->report.steps = NULL;
}

bool paper_signal(Paper *p, const AcausalResult *result, const char *name, Numbers *values)
{
    size_t rows = result ? acausal_result_rows(result) : 0;
    *values = (Numbers){ 0 };
    double *at = NEW_ARRAY(paper_arena(p), double, rows + 1);
    if (!result || !acausal_result_values(result, name, at))
        return paper_fail(p, "the result has no signal '%s'", name);
    values->at = at;
    values->n = values->room = (uint32_t)rows;
    return true;
}
