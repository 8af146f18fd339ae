/* inside.h: what the files of ext/ share. */
#ifndef ACAUSAL_EXT_INSIDE_H
#define ACAUSAL_EXT_INSIDE_H

#include "ext/ext.h"

/* bridge.c: takes a call into its unit; gives it the name of the function there. */
void ext_bridge(const ExtRequest *request, IrExternal *out);

/* The adapters of ext/; those of rt/ are in rt.h. Cells are said in functions.def. */
#define FUNCTION(symbol, adapter, cells) RtStatus adapter(Rt *rt, RtCell *cell);
#define EFFECT FUNCTION
#include "ext/functions.def"
#undef EFFECT
#undef FUNCTION

#endif
