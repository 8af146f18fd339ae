/* Work-precision studies: costs at equal digits are interpolated between neighbouring tolerances; a
 * method whose loosest run is better than asked for costs what that run cost; what no run reaches
 * has no cost; failed runs do not count; files with missing columns or words for numbers are
 * refused, columns may come in any order. */
#include "bench/ivp/study.h"
#include "test.h"

static const char runs[] = "digits,problem,n,solver,rtol,nfev,njev,nlu,cpu_ms\n"
                           "2,p,20,bdf,1e-3,80,10,5,1\n"
                           "4,p,20,bdf,1e-5,9900,50,25,4\n"
                           "FAIL,p,20,bdf,1e-7,9,9,9,1\n"
                           "4.5,p,20,radau,1e-3,970,10,10,1\r\n";

static const struct {
    double digits, want[2]; /* of bdf, of radau; -1: not reached */
} cases[] = { { 2.0, { 100.0, 1000.0 } },
              { 3.0, { 1000.0, 1000.0 } },
              { 4.0, { 10000.0, 1000.0 } },
              { 4.5, { -1.0, 1000.0 } },
              { 5.0, { -1.0, -1.0 } } };

static const struct {
    const char *text, *says;
} bad[] = { { "problem,n,solver,rtol,nfev,njev,nlu\n", "column" },
            { "", "column" },
            { "problem,n,solver,rtol,nfev,njev,nlu,digits\np,3,bdf,1e-3,many,1,1,4\n", "number" } };

int main(void)
{
    Arena *arena = arena_new();
    Study study = { .arena = arena };
    StudyCurve curve[2] = { { 0, 0 }, { 0, 0 } };
    const char *why;
    CHECK(study_read(&study, str_of(runs), false, &why) && study.rows.n == 4);
    CHECK(study_next(&study, 0, &curve[0]) && curve[0].last == 3);
    CHECK(study_next(&study, curve[0].last, &curve[1]) && !study_next(&study, curve[1].last, &curve[1]));
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int k = 0; k < 2; k++) {
            double got = study_at_digits(&study, curve[k], cases[i].digits, study_cost_work),
                   want = cases[i].want[k];
            CHECK(want < 0.0 ? isnan(got) : fabs(got - want) < 1e-9 * want);
        }
    CHECK(study.rows.at[0].side == SIDE_OURS && study_side("cvode-bdf") == SIDE_SUNDIALS);
    Text out = { .arena = arena };
    CHECK(study_read(&study, STR("problem,n,solver,rtol,nfev,njev,nlu,digits\np,20,X,1e-3,1980,10,5,5\n"),
                     true, &why));
    study_report(&study, &out);
    CHECK(strstr(out.at, "work of our best over the best peer's: geometric mean 0.50 over 1 problems"));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        CHECK(!study_read(&study, str_of(bad[i].text), true, &why) && strstr(why, bad[i].says));
    arena_free(arena);
    return test_end();
}
