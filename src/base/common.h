/* common.h: what every file needs: counts of arrays, pieces of text, words to compilers. */
#ifndef ACAUSAL_BASE_COMMON_H
#define ACAUSAL_BASE_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
/* For functions whose arguments are constants where they are called, so that their loops are
 * unrolled. */
#define INLINE static inline __attribute__((always_inline))

static inline size_t size_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t size_max(size_t a, size_t b) { return a > b ? a : b; }

/* A piece of text that someone else owns; not terminated. */
typedef struct {
    const char *at;
    size_t n;
} Str;

#define STR(literal) ((Str){ (literal), sizeof(literal) - 1 })
static inline Str str_of(const char *text) { return (Str){ text, strlen(text) }; }
static inline bool str_equal(Str a, Str b) { return a.n == b.n && (a.n == 0 || !memcmp(a.at, b.at, a.n)); }
static inline bool str_is(Str a, const char *text) { return str_equal(a, str_of(text)); }

#endif
