/* api.c: what of acausal.h needs no session. */
#include "acausal.h"

#include "base/base.h"

const char *acausal_version(void) { return ACAUSAL_VERSION; }

const char *acausal_nearest(const char *word, const char *const *candidates, size_t n)
{
    return text_nearest(str_of(word), candidates, n);
}

const char *acausal_explain(const char *code)
{
    Code found;
    return code_find(str_of(code), &found) ? code_about(found) : NULL;
}

double acausal_wall_seconds(void) { return clock_wall(); }
double acausal_cpu_seconds(void) { return clock_cpu(); }
size_t acausal_peak_bytes(void) { return memory_peak(); }
unsigned acausal_processors(void) { return cpu_count(); }
