/* Work that does not ask whether it shall end is cut short by another thread; what ends in time is
 * left alone, and after overtime_end nothing is called. */
#include "base/base.h"
#include "test.h"

#include <stdatomic.h>

typedef struct {
    atomic_bool is_over;
    atomic_int cuts;
} Work;

static bool is_over(void *arg) { return ((Work *)arg)->is_over; }
static void cut(void *arg) { ((Work *)arg)->cuts++; }

int main(void)
{
    static Work late, calm;
    Overtime of_late = { .is_over = is_over, .cut = cut, .arg = &late },
             of_calm = { .is_over = is_over, .cut = cut, .arg = &calm }, never = of_calm;
    overtime_begin(&of_late);
    overtime_begin(&of_calm);
    late.is_over = true;
    while (late.cuts < 3) continue;
    CHECK(calm.cuts == 0);
    overtime_end(&of_late);
    int cuts = late.cuts;
    calm.is_over = true;
    while (calm.cuts < 1) continue;
    CHECK(late.cuts == cuts);
    overtime_end(&of_calm);
    overtime_end(&never);
    return test_end();
}
