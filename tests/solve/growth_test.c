/* Whether a problem's own growth excuses a method is decided by a number. Where it does, the number
 * in the table is what ivp_growth measures, up to a factor of 3; where it does not, what is
 * measured is far from doing so: directions are those of errors, which change with any detail of a
 * method and with rounding. With ACAUSAL_GROWTH set for all problems, else for those that take a
 * moment. */
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
        bool excuses = want > IVP_MOST_GROWTH;
        if (!CHECK_ROW(growth < (excuses ? 3.0 * want : 0.7 * IVP_MOST_GROWTH), p->name) ||
            !CHECK_ROW(!excuses || growth > want / 3.0, p->name))
            printf("  measured %.3g, in the table %.3g\n", growth, p->growth);
    }
    return test_end();
}
