/* base.h: the ground that every room stands on: memory, names, arrays, maps, text, files,
 * diagnostics, clocks, threads, SIMD. Nothing here knows what Modelica or an integrator is. Nothing
 * here prints. */
#ifndef ACAUSAL_BASE_H
#define ACAUSAL_BASE_H

#include "base/arena.h"
#include "base/common.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/names.h"
#include "base/source.h"
#include "base/text.h"

#include <stdarg.h>

#endif
