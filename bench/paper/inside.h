/* inside.h: what figures are made with: parameters, paragraphs, tables, charts, runs. */
#ifndef ACAUSAL_BENCH_PAPER_INSIDE_H
#define ACAUSAL_BENCH_PAPER_INSIDE_H

#include "bench/paper/paper.h"

#include "api/inside.h"
#include "result/chart.h"

typedef struct Paper Paper;

struct PaperFigure {
    const char *name;    /* "figure-2", which is the name of its files */
    const char *section; /* of the document */
    const char *title;
    bool (*make)(Paper *p); /* false: paper_fail said why */
};

Arena *paper_arena(Paper *p);
const PaperRequest *paper_request(const Paper *p);
bool paper_fail(Paper *p, const char *format, ...) PRINTF_LIKE(2, 3); /* returns false */
/* A value that the figure depends on. */
void paper_parameter(Paper *p, const char *name, const char *format, ...) PRINTF_LIKE(3, 4);
/* A paragraph. */
void paper_text(Paper *p, const char *format, ...) PRINTF_LIKE(2, 3);
/* A table; rows follow. Columns and cells are separated by bars; name: "" or a suffix of the
 * file. */
void paper_table(Paper *p, const char *name, const char *columns);
void paper_row(Paper *p, const char *format, ...) PRINTF_LIKE(2, 3);
/* A picture, also as numbers. The chart and all it has is in the arena or static. */
void paper_chart(Paper *p, const char *name, const Chart *chart);

/* Numbers that grow. */
typedef VEC(double) Numbers;
#define NUMBER_PUSH(p, numbers, value) vec_push(paper_arena(p), numbers, (double)(value))
ChartSeries paper_series(ChartKind kind, const char *label, const Numbers *x, const Numbers *y);

/* ---- models.c: runs
 * --------------------------------------------------------------------------- */

/* A model from text or from a file of the models' directory, in a session of its own. */
typedef struct {
    AcausalSession *session;
    AcausalModel *model;
} PaperModel;

/* False: paper_fail said why. */
bool paper_open_text(Paper *p, PaperModel *m, const char *name, const char *text);
bool paper_open_file(Paper *p, PaperModel *m, const char *file, const char *class_name);
void paper_close(PaperModel *m);

typedef struct {
    const char *solver;
    double stop, tolerance; /* 0: as the model says */
    long points;
    const char *options[8], *set[8];
    double seconds; /* of processor time; 0: no limit */
    bool keep, keep_steps;
} PaperRun;

typedef struct {
    AcausalSimulationReport report; /* with its results, which paper_free_run frees */
    SolverStats work;
    bool finished;
} PaperOutcome;

void paper_run(PaperModel *m, const PaperRun *run, PaperOutcome *out);
void paper_free_run(PaperOutcome *out);
/* A signal of a result, or "time"; false: paper_fail said why. */
bool paper_signal(Paper *p, const AcausalResult *result, const char *name, Numbers *values);

#endif
