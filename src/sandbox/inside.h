/* inside.h: what the files of the sandbox room share. */
#ifndef ACAUSAL_SANDBOX_INSIDE_H
#define ACAUSAL_SANDBOX_INSIDE_H

#include "sandbox/sandbox.h"

/* Each returns the layers that could not be had. The order is that of the calls. */
unsigned layers_of_session(void);
unsigned layers_of_namespaces(void);                            /* before the process that works is made */
unsigned layers_of_process(const Sandbox *s, unsigned missing); /* in it: proc, files, limits */
unsigned layer_of_syscalls(void);                               /* filter.c: the last of all */

#endif
