/* rt.h: what compiled code calls while it runs, in process and inside exported FMUs alike: the
 * state of one instance, failures, memory for arrays and strings of sizes known only at run time,
 * checked arithmetic of Integers, strings. C99 with libc and libm only, so that it can be shipped
 * as source.
 *
 * One `Rt` is one instance: all that changes while code runs. Several may run in several threads at
 * once. */
#ifndef ACAUSAL_RT_H
#define ACAUSAL_RT_H

#include "rt/adapters.h"
#include "rt/history.h"
#include "rt/instance.h"
#include "rt/integer.h"
#include "rt/newton.h"

#endif
