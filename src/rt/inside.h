/* inside.h: what the files of rt/ share and nobody else sees. */
#ifndef ACAUSAL_RT_INSIDE_H
#define ACAUSAL_RT_INSIDE_H

#include "rt/rt.h"

struct RtInstance {
    Rt rt; /* first, so that an Rt is its instance */
    RtChunk *first;
    RtChunk *kept; /* one for each string that lives as long as the instance */
};

char *rt_keep(Rt *rt, const char *text, size_t n);

#endif
