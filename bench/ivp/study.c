/* study.c: work and precision of many runs: reading them, and costs at equal digits.
 *
 * In: rows of runs, made here or read from CSV files. Out: what a method costs for 3, 5, 7 digits.
 * Always: a run that failed counts as not having happened. Tests: tests/solve/study_test.c. */
#include "bench/ivp/study.h"

#include <math.h>
#include <stdlib.h>

double study_work(int n, long nfev, long njev, long nlu)
{
    return (double)nfev + (double)njev + (double)nlu * fmax(1.0, n / 10.0);
}

Side study_side(const char *solver)
{
    for (size_t i = 0; i < solver_type_count; i++)
        if (!strcmp(solver, solver_types[i]->name))
            return solver_types[i]->can & SOLVE_FOREIGN ? SIDE_SUNDIALS : SIDE_OURS;
    return SIDE_PEERS;
}

void study_add(Study *study, StudyRow row) { vec_push(study->arena, &study->rows, row); }

bool study_next(const Study *study, uint32_t from, StudyCurve *curve)
{
    if (from >= study->rows.n) return false;
    const StudyRow *row = &study->rows.at[from];
    uint32_t last = from + 1;
    while (last < study->rows.n && !strcmp(study->rows.at[last].problem, row->problem) &&
           !strcmp(study->rows.at[last].solver, row->solver) && study->rows.at[last].side == row->side)
        last++;
    *curve = (StudyCurve){ from, last };
    return true;
}

double study_cost_work(const StudyRow *row) { return row->work; }
double study_cost_time(const StudyRow *row) { return row->cpu_ms > 0.0 ? row->cpu_ms : NAN; }

double study_at_digits(const Study *study, StudyCurve curve, double digits, StudyCost cost)
{
    const StudyRow *before = NULL;
    double best = NAN;
    for (uint32_t k = curve.first; k < curve.last; k++) {
        const StudyRow *row = &study->rows.at[k];
        if (!row->finished) continue;
        double here = NAN;
        if (!before && row->digits >= digits)
            here = cost(row);
        else if (before && (before->digits - digits) * (row->digits - digits) <= 0.0) {
            double gap = row->digits - before->digits;
            double share = gap != 0.0 ? (digits - before->digits) / gap : 0.0;
            here = exp(log(cost(before)) + share * (log(cost(row)) - log(cost(before))));
        }
        if (!isnan(here) && !(best <= here)) best = here;
        before = row;
    }
    return best;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

typedef enum {
    CELL_PROBLEM,
    CELL_N,
    CELL_SOLVER,
    CELL_RTOL,
    CELL_NFEV,
    CELL_NJEV,
    CELL_NLU,
    CELL_DIGITS,
    CELL_CPU,
    CELL_ERROR,
    CELL_KINDS
} CellKind;
static const char *const cell_names[CELL_KINDS] = { "problem", "n",   "solver", "rtol",   "nfev",
                                                    "njev",    "nlu", "digits", "cpu_ms", "error" };
enum { MOST_COLUMNS = 32 };

/* Cuts the next piece that ends with `end` (or at the end of the text) off. */
static Str cut(Str *text, char end)
{
    const char *at = text->n ? memchr(text->at, end, text->n) : NULL;
    Str piece = { text->at, at ? (size_t)(at - text->at) : text->n };
    size_t used = piece.n + (at ? 1 : 0);
    text->at += used;
    text->n -= used;
    if (piece.n && piece.at[piece.n - 1] == '\r') piece.n--;
    return piece;
}

static double number(Str cell, bool *ok)
{
    char room[40], *end;
    if (cell.n == 0 || cell.n >= sizeof room) {
        *ok = false;
        return 0.0;
    }
    memcpy(room, cell.at, cell.n);
    room[cell.n] = '\0';
    double value = strtod(room, &end);
    *ok &= *end == '\0';
    return value;
}

static bool read_line(Study *study, Str line, const int *kinds, bool peers, const char **why)
{
    Str cell[CELL_KINDS] = { { 0 } };
    for (int column = 0; line.n && column < MOST_COLUMNS; column++) {
        Str piece = cut(&line, ',');
        if (kinds[column] >= 0) cell[kinds[column]] = piece;
    }
    bool ok = true, finished = true;
    double digits = number(cell[CELL_DIGITS], &finished);
    double value[CELL_KINDS];
    for (int k = CELL_N; k < CELL_DIGITS; k++) value[k] = k == CELL_SOLVER ? 0.0 : number(cell[k], &ok);
    *why = "a row with a cell that is no number";
    if (!ok) return false;
    bool timed = true, judged = true;
    double cpu = number(cell[CELL_CPU], &timed), error = number(cell[CELL_ERROR], &judged);
    int n = (int)value[CELL_N];
    const char *solver = arena_copy(study->arena, cell[CELL_SOLVER]);
    study_add(study, (StudyRow){ .problem = arena_copy(study->arena, cell[CELL_PROBLEM]),
                                 .solver = solver,
                                 .side = peers ? SIDE_PEERS : study_side(solver),
                                 .n = n,
                                 .rtol = value[CELL_RTOL],
                                 .work = study_work(n, (long)value[CELL_NFEV], (long)value[CELL_NJEV],
                                                    (long)value[CELL_NLU]),
                                 .cpu_ms = timed ? cpu : 0.0,
                                 .digits = digits,
                                 .error = judged ? error : NAN,
                                 .finished = finished && isfinite(digits) });
    return true;
}

bool study_read(Study *study, Str text, bool peers, const char **why)
{
    int kinds[MOST_COLUMNS];
    unsigned seen = 0;
    Str header = cut(&text, '\n');
    for (int column = 0; column < MOST_COLUMNS; column++) {
        Str name = cut(&header, ',');
        kinds[column] = -1;
        for (int k = 0; k < CELL_KINDS; k++)
            if (str_is(name, cell_names[k])) kinds[column] = k, seen |= 1u << k;
    }
    *why = "a column is missing: problem, n, solver, rtol, nfev, njev, nlu and digits are needed";
    if ((seen | 1u << CELL_CPU | 1u << CELL_ERROR) != (1u << CELL_KINDS) - 1) return false;
    while (text.n) {
        Str line = cut(&text, '\n');
        if (line.n && !read_line(study, line, kinds, peers, why)) return false;
    }
    return true;
}
