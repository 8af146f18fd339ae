/* check_fuzz.c: takes mutations of valid models through the whole front end: a libFuzzer target
 * with a mutator that knows the shape of a text. It never crashes and never hangs; what is said of
 * the models does not matter.
 *
 * A seed is a file of tests/modelica. The mutator works on words and on what stands between
 * semicolons: it exchanges names and numbers for others of the text, leaves elements out, doubles,
 * swaps and moves them. One of the classes of the text is checked, chosen by its bytes. Run:
 * check_fuzz -rss_limit_mb=8192 CORPUS SEEDS. */
#include "acausal.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 60000, MOST_CLASSES = 400 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* The word around a random place; an empty one if there is none. */
static size_t pick_word(const char *text, size_t n, uint64_t *random, size_t *length)
{
    for (int i = 0; i < 50; i++) {
        size_t at = next_random(random) % n, end = at;
        if (!is_word(text[at])) continue;
        while (at > 0 && is_word(text[at - 1])) at--;
        while (end < n && is_word(text[end])) end++;
        *length = end - at;
        return at;
    }
    *length = 0;
    return 0;
}

/* What stands between two semicolons around a random place, the last one with it. */
static size_t pick_piece(const char *text, size_t n, uint64_t *random, size_t *length)
{
    size_t at = next_random(random) % n, end = at;
    while (at > 0 && text[at - 1] != ';') at--;
    while (end < n && text[end] != ';') end++;
    *length = (end < n ? end + 1 : end) - at;
    return at;
}

/* Puts `piece` in place of `length` bytes at `at`; the new size. */
static size_t replace(char *text, size_t n, size_t most, size_t at, size_t length, const char *piece,
                      size_t piece_n)
{
    if (n - length + piece_n > most) return n;
    memmove(text + at + piece_n, text + at + length, n - at - length);
    memcpy(text + at, piece, piece_n);
    return n - length + piece_n;
}

static size_t mutate_once(char *text, size_t n, size_t most, uint64_t *random)
{
    static const char *const words[] = { "Real",
                                         "Integer",
                                         "Boolean",
                                         "String",
                                         "parameter ",
                                         "constant ",
                                         "0",
                                         "1",
                                         "-1",
                                         "2.5",
                                         "1e300",
                                         "time",
                                         "true",
                                         "flow ",
                                         "input ",
                                         "each ",
                                         "final ",
                                         "redeclare ",
                                         "replaceable ",
                                         "{1, 2}",
                                         "[1, 2; 3, 4]",
                                         "size(x, 1)",
                                         "1:3",
                                         "x",
                                         "der(x)",
                                         "if time > 1 then 1 else 2",
                                         "inner ",
                                         "outer ",
                                         "end",
                                         "fill(1, 2, 3)",
                                         "sum({1, 2})" };
    char copy[4096];
    size_t length, other_length, at, other;
    switch (next_random(random) % 6) {
    case 0: /* a word for another one of the text */
        at = pick_word(text, n, random, &length);
        other = pick_word(text, n, random, &other_length);
        if (other_length > sizeof copy || !length) return n;
        memcpy(copy, text + other, other_length);
        return replace(text, n, most, at, length, copy, other_length);
    case 1: { /* a word for one that is known to matter */
        const char *word = words[next_random(random) % (sizeof words / sizeof words[0])];
        at = pick_word(text, n, random, &length);
        return replace(text, n, most, at, next_random(random) % 2 ? length : 0, word, strlen(word));
    }
    case 2: /* an element less */
        at = pick_piece(text, n, random, &length);
        return length < n ? replace(text, n, most, at, length, "", 0) : n;
    case 3: /* an element twice, or at another place */
        at = pick_piece(text, n, random, &length);
        other = pick_piece(text, n, random, &other_length);
        if (length > sizeof copy) return n;
        memcpy(copy, text + at, length);
        return replace(text, n, most, other, next_random(random) % 2 ? other_length : 0, copy, length);
    case 4: /* a subscript, an argument, a modifier more */
        at = pick_word(text, n, random, &length);
        return next_random(random) % 2 ? replace(text, n, most, at + length, 0, "[2]", 3)
                                       : replace(text, n, most, at + length, 0, "(start = 1)", 11);
    default: /* one of two operators for the other */
        for (at = next_random(random) % n; at < n && !strchr("+-*/=<>(){}[],", text[at]);) at++;
        if (at >= n) return n;
        text[at] = "+-*/=<>(){}[],"[next_random(random) % 14];
        return n;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint64_t random = seed * 2654435761u + 88172645463325252u;
    if (most > LARGEST) most = LARGEST;
    for (uint64_t left = 1 + next_random(&random) % 4; left > 0 && size; left--)
        size = mutate_once((char *)data, size, most, &random);
    return size;
}

/* The name of one of the classes that the text defines at its outermost level. */
static int choose_class(const char *text, size_t n, char *name, size_t room)
{
    const char *starts[MOST_CLASSES];
    size_t count = 0;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ (uint8_t)text[i]) * 1099511628211u;
        if (text[i] == '\n' && n - i > 8 && !memcmp(text + i + 1, "model ", 6) && count < MOST_CLASSES)
            starts[count++] = text + i + 7;
    }
    if (!count) return 0;
    const char *start = starts[hash % count];
    size_t length = 0;
    while (start + length < text + n && is_word(start[length]) && length + 1 < room) length++;
    memcpy(name, start, length);
    name[length] = 0;
    return length > 0;
}

static void ignore(void *arg, const char *text, size_t n)
{
    (void)arg;
    (void)text;
    (void)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], name[256];
    snprintf(path, sizeof path, "/tmp/acausal_check_fuzz_%d.mo", (int)getpid());
    FILE *file = fopen(path, "w");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file)) abort();
    AcausalSession *session = acausal_session_new();
    AcausalCheckReport report = { .size = sizeof report };
    bool named = choose_class((const char *)data, size, name, sizeof name);
    if (acausal_check(session, path, named ? name : NULL, &report) == ACAUSAL_BUG) abort();
    acausal_write_diagnostics(session, ACAUSAL_TEXT, ignore, NULL);
    acausal_session_free(session);
    unlink(path);
    return 0;
}
