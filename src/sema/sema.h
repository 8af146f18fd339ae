/* sema.h: the door of the sema room: a class of a library in, a flat model out. */
#ifndef ACAUSAL_SEMA_H
#define ACAUSAL_SEMA_H

#include "flat/flat.h"
#include "syntax/syntax.h"

/* Elaborates a class as the model to simulate. What is wrong is reported; the model is NULL when
 * nothing could be made of the class, and incomplete when there were errors. It lives in `arena`.
 * `permit` says whose foreign code may run for it, now and in its runs. */
Flat *sema_flatten(Libraries *libraries, Class *cls, Arena *arena, Sources *sources, Permit *permit,
                   Diag *diag);

#endif
