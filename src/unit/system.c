/* system.c: the external functions of the system that make sense inside of an FMU: what a model
 * prints goes to the importer's log. The names are those of the adapters in ext/, which an FMU does
 * not have. Tests: tests/cli/export.sh. */
#include "unit/unit.h"

RtStatus ext_print(Rt *rt, RtCell *cells)
{
    const char *text = cells[0].s ? cells[0].s : "", *file = cells[1].s ? cells[1].s : "";
    if (*file) return rt_fail_external(rt, "an FMU writes no files");
    if (rt->print) rt->print(rt->user, text);
    return RT_OK;
}

RtStatus ext_close(Rt *rt, RtCell *cells)
{
    (void)rt, (void)cells;
    return RT_OK;
}
