/* Whether a problem's own growth excuses a method is decided by a number, and the number in the table is what ivp_growth measures, up
 * to a factor of 3 (directions are those of errors, which change with any detail of a method); none in the table is less than 1. With ACAUSAL_GROWTH set for all problems, else for those that take a moment. */
#include "bench/ivp/ivp.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { FEW = 20 };

static bool is_quick(const IvpProblem *p)
{
    static const char *const slow[] = { "ringmod", "transamp" };
    for (size_t k = 0; k < COUNT_OF(slow); k++)
        if (!strcmp(p->name, slow[k])) return false;
    return p->n <= FEW;
}

int main(void)
{
    bool all = getenv("ACAUSAL_GROWTH") != NULL;
    for (size_t i = 0; i < ivp_problem_count; i++) {
        const IvpProblem *p = ivp_problems[i];
        if (!all && !is_quick(p)) continue;
        double growth = ivp_growth(p), want = fmax(1.0, p->growth);
        CHECK(p->growth == 0.0 ? growth < 3.0 : growth < 3.0 * want && growth > want / 3.0);
    }
    return test_end();
}
