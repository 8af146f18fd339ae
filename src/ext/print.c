/* print.c: what a model prints goes to the instance (Rt.print), never to a stream of this process;
 * with the name of a file, to that file.
 *
 * unit/system.c has the same two names for exported FMUs. They stand apart from files.c so that a
 * program which links both archives takes one of the two files, whatever its linker's order. Tests:
 * tests/ext/files_test.c. */
#include "ext/inside.h"

#include <errno.h>
#include <stdio.h>

static RtStatus cannot_write(Rt *rt, const char *file)
{
    char text[1000];
    snprintf(text, sizeof text, "cannot write '%s': %s", file, strerror(errno));
    return rt_fail_external(rt, text);
}

RtStatus ext_print(Rt *rt, RtCell *cells)
{
    const char *text = cells[0].s ? cells[0].s : "", *file = cells[1].s ? cells[1].s : "";
    if (!*file) {
        if (rt->print) rt->print(rt->user, text);
        return RT_OK;
    }
    FILE *f = fopen(file, "a");
    if (!f) return cannot_write(rt, file);
    bool ok = fputs(text, f) >= 0 && fputc('\n', f) != EOF;
    ok = !fclose(f) && ok;
    return ok ? RT_OK : cannot_write(rt, file);
}

RtStatus ext_close(Rt *rt, RtCell *cells) /* nothing stays open */
{
    (void)rt, (void)cells;
    return RT_OK;
}
