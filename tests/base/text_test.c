/* Text grows, escapes for JSON, writes numbers that read back, and finds the nearest word. */
#include "base/base.h"
#include "test.h"

#include <float.h>
#include <stdlib.h>

static const struct {
    const char *from, *json;
} json_cases[] = {
    { "plain", "\"plain\"" },
    { "a\"b\\c", "\"a\\\"b\\\\c\"" },
    { "line\nbreak", "\"line\\nbreak\"" },
    { "\x01\x7F", "\"\\u0001\\u007f\"" },
    { "ü", "\"ü\"" },
    { "\xFF\xC0", "\"\\ufffd\\ufffd\"" },
};

static const double numbers[] = { 0,   1, 0.1, 1.0 / 3, 1e300, DBL_MIN, DBL_MAX, 5e-324, 123456789012345680.0,
                                  -2.5 };

static const struct {
    const char *word, *want;
} words[] = {
    { "simulat", "simulate" }, { "pares", "parse" },  { "parse", "parse" }, { "zzzzzz", NULL },
    { "hlep", "help" },        { "sim", "simulate" }, { "si", NULL },
};

static const struct {
    const char *bytes;
    size_t n;
    uint32_t code;
} utf8_cases[] = {
    { "a", 1, 'a' },
    { "\xC3\xBC", 2, 0xFC },
    { "\xE2\x82\xAC", 3, 0x20AC },
    { "\xF0\x9F\x98\x80", 4, 0x1F600 },
    { "\xC0\x80", 0, 0 },
    { "\x80", 0, 0 },
    { "\xE2\x82", 0, 0 },
    { "\xED\xA0\x80", 0, 0 },
    { "\xF4\x90\x80\x80", 0, 0 },
};

int main(void)
{
    static const char *const commands[] = { "parse", "simulate", "help" };
    Arena *arena = arena_new();
    for (size_t i = 0; i < COUNT_OF(json_cases); i++) {
        Text text = { .arena = arena };
        text_add_json(&text, str_of(json_cases[i].from));
        CHECK_TEXT(text.at, json_cases[i].json);
    }
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        Text text = { .arena = arena };
        text_add_real(&text, numbers[i]);
        CHECK_ROW(strtod(text.at, NULL) == numbers[i], text.at);
    }
    for (size_t i = 0; i < COUNT_OF(words); i++)
        CHECK_TEXT(text_nearest(str_of(words[i].word), commands, COUNT_OF(commands)), words[i].want);
    for (size_t i = 0; i < COUNT_OF(utf8_cases); i++) {
        uint32_t code = 0;
        CHECK_ROW(utf8_next(str_of(utf8_cases[i].bytes), 0, &code) == utf8_cases[i].n, utf8_cases[i].bytes);
        CHECK_ROW(code == utf8_cases[i].code, utf8_cases[i].bytes);
    }
    Text long_text = { .arena = arena };
    for (int i = 0; i < 10000; i++) text_printf(&long_text, "%d,", i % 10);
    CHECK(long_text.n == 20000 && strlen(long_text.at) == 20000);
    arena_free(arena);
    return test_end();
}
