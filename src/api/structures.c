/* structures.c: the structures of acausal.h, which programs of other ages share with the library.
 *
 * A structure begins with the size that its program knows. What the program gives is copied over
 * the defaults, as far as both know it; what it gets is copied as far as it has room. Always: a
 * byte that the library does not know has to be zero, so that nothing asked for is passed over.
 * Tests: tests/python/abi_test.py. */
#include "api/inside.h"

enum { LARGEST_STRUCTURE = 1 << 16 };

bool is_sized(AcausalSession *s, const void *structure)
{
    size_t size = structure ? *(const size_t *)structure : 0;
    if (size >= 2 * sizeof size && size <= LARGEST_STRUCTURE) return true;
    if (s) wrong(s, E_OPTION, "a structure of the call does not begin with its size");
    return false;
}

bool take_structure(AcausalSession *s, void *own, size_t size, const void *given)
{
    if (!given) return true;
    if (!is_sized(s, given)) return false;
    size_t theirs = *(const size_t *)given;
    for (size_t i = size; i < theirs; i++)
        if (((const char *)given)[i])
            return wrong(s, E_OPTION, "the program sets what this library, version %s, does not know",
                         acausal_version());
    memcpy(own, given, size_min(theirs, size));
    memcpy(own, &size, sizeof size);
    return true;
}

void give_structure(void *to, const void *own, size_t size)
{
    size_t theirs = *(size_t *)to;
    memset(to, 0, theirs);
    memcpy(to, own, size_min(theirs, size));
    memcpy(to, &theirs, sizeof theirs);
}

void init_structure(void *to, size_t theirs, const void *own, size_t size)
{
    memcpy(to, &theirs, sizeof theirs);
    give_structure(to, own, size);
}
