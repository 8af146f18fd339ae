/* study.h: what runs of integrators say when they are laid side by side: work and time at equal
 * digits, against the best of other programs, and how true errors follow tolerances. */
#ifndef ACAUSAL_BENCH_IVP_STUDY_H
#define ACAUSAL_BENCH_IVP_STUDY_H

#include "bench/ivp/ivp.h"
#include "solve/solve.h"

/* Who took part: ours; SUNDIALS in the same run; other programs, as a file tells. */
typedef enum { SIDE_OURS, SIDE_SUNDIALS, SIDE_PEERS } Side;

typedef struct {
    const char *problem, *solver;
    Side side;
    int n;
    /* work = nfev + njev + nlu max(1, n/10); cpu_ms 0: not known */
    double rtol, work, cpu_ms, digits;
    double error; /* in tolerances; NAN: not known */
    bool finished;
} StudyRow;

typedef struct {
    Arena *arena;
    /* those of one problem and solver follow each other, by falling tolerance */
    VEC(StudyRow) rows;
} Study;

double study_work(int n, long nfev, long njev, long nlu);
/* Which side a method of the registry is on. */
Side study_side(const char *solver);
void study_add(Study *study, StudyRow row);
/* Rows of a CSV file with the columns problem, n, solver, rtol, nfev, njev, nlu, digits and maybe
 * cpu_ms and error, in any order. Everything in it is on side PEERS if `peers`. False: *why says
 * what is wrong. */
bool study_read(Study *study, Str text, bool peers, const char **why);

/* Rows first..last-1 of one method on one problem. */
typedef struct {
    uint32_t first, last;
} StudyCurve;
/* The curve that begins at or after `from`; false if there is none. */
bool study_next(const Study *study, uint32_t from, StudyCurve *curve);

/* What `cost` says at so many digits, interpolated between neighbouring tolerances in log cost over
 * digits; where the loosest tolerance has more digits, its cost. NAN: not reached. */
typedef double (*StudyCost)(const StudyRow *row);
double study_cost_work(const StudyRow *row);
double study_cost_time(const StudyRow *row);
double study_at_digits(const Study *study, StudyCurve curve, double digits, StudyCost cost);

/* All tables, as text. */
void study_report(const Study *study, Text *out);

#endif
