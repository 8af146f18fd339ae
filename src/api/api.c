/* api.c: what of acausal.h needs no session. Tests: tests/cli/help.sh, tests/base/text_test.c. */
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
