/* Documentation of others passes with its words, lists, tables, pictures and links, and without
 * anything that runs, asks, or is fetched from elsewhere. */
#include "page/page.h"
#include "test.h"

static const struct {
    const char *rule, *given, *want;
} cases[] = {
    { "words", "<html><body><p>One <b>two</b></p></body></html>", "<p>One <b>two</b></p>" },
    { "capital letters", "<P ALIGN=left>x</P>", "<p align=\"left\">x</p>" },
    { "scripts", "a<script>alert(1)</script>b", "ab" },
    { "scripts that do not end", "a<script>alert(1)", "a" },
    { "scripts with spaces in their end", "a<script>x</script >b", "ab" },
    { "styles", "<style>p { }</style><p style=\"position:fixed\">x</p>", "<p>x</p>" },
    { "handlers", "<img src=x onerror=alert(1)><p onclick='y'>z</p>", "<img data-missing=\"x\"><p>z</p>" },
    { "handlers behind strange spaces", "<p/onclick=alert(1)>z</p>", "<p>z</p>" },
    { "frames and forms", "<iframe src=x>y</iframe><form action=x><input name=a>q</form>z", "z" },
    { "unknown tags", "<blink>x</blink><input><button>y</button>", "xy" },
    { "links to classes", "<a href=\"modelica://Modelica.Blocks.Math\">x</a>",
      "<a data-class=\"Modelica.Blocks.Math\">x</a>" },
    { "with anchors", "<a href='Modelica://A.B#c'>x</a>", "<a data-class=\"A.B\">x</a>" },
    { "to files", "<a href=\"modelica://A/Resources/x.pdf\">x</a>",
      "<a title=\"modelica://A/Resources/x.pdf\">x</a>" },
    { "to other places", "<a href=\"https://a.org/?x=1&y=2\">x</a>",
      "<a href=\"https://a.org/?x=1&amp;y=2\" target=\"_blank\" rel=\"noopener noreferrer\">x</a>" },
    { "to scripts", "<a href=\"javascript:alert(1)\">x</a>", "<a>x</a>" },
    { "to scripts, hidden",
      "<a href=\" \tjavascript:alert(1)\">x</a><a href=\"java&#115;cript:alert(1)\">y</a>",
      "<a>x</a><a>y</a>" },
    { "to data", "<a href=\"data:text/html,<script>\">x</a>", "<a>x</a>" },
    { "inside of the page", "<a href=\"#p\">x</a><a name=\"p\">y</a>",
      "<a data-anchor=\"p\">x</a><a data-name=\"p\">y</a>" },
    { "pictures", "<img src=\"modelica://A/x.png\" alt=\"a\">",
      "<img src=\"data:image/png;base64,UE5H\" alt=\"a\">" },
    { "pictures from elsewhere", "<img src=\"http://a.org/x.png\">",
      "<img data-missing=\"http://a.org/x.png\">" },
    { "quotes cannot leave an attribute", "<p title='a\" onclick=\"b'>x</p>",
      "<p title=\"a&quot; onclick=&quot;b\">x</p>" },
    { "text that looks like tags", "a < b && c <5> d", "a &lt; b &amp;&amp; c &lt;5&gt; d" },
    { "entities", "&alpha; &#945; &nbsp &", "&alpha; &#945; &amp;nbsp &amp;" },
    { "comments", "a<!-- <script> -->b<!DOCTYPE x>c<?php d?>e", "abce" },
    { "comments that do not end", "a<!-- b", "a" },
    { "what is open is closed", "<ul><li>x<table><tr><td>y",
      "<ul><li>x<table><tr><td>y</td></tr></table></li></ul>" },
    { "ends without beginnings", "</div></p>x</b>", "x" },
    { "nested wrongly", "<b><i>x</b>y</i>", "<b><i>x</i></b>y" },
    { "an end in an attribute", "<p title=\">\">x</p>", "<p title=\"&gt;\">x</p>" },
    { "foreign content", "<svg><script>x</script></svg><math><mtext></math>y", "y" },
    { "cut in a tag", "x<p title=\"", "x<p title=\"\"></p>" },
};

static const char *picture(void *arg, Str address, Text *bytes)
{
    (void)arg;
    if (address.n < 11 || memcmp(address.at, "modelica://", 11) != 0) return NULL;
    text_add_literal(bytes, "PNG");
    return "image/png";
}

static void only_what_is_harmless_passes(Arena *arena)
{
    const PageLinks links = { picture, NULL };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Text out = { .arena = arena };
        page_clean_html(str_of(cases[i].given), &links, &out);
        if (!CHECK_TEXT(out.at, cases[i].want)) printf("  in row: %s\n", cases[i].rule);
    }
}

/* Texts put together at random never leave a script or a handler, and close what they open. */
static void random_texts_stay_harmless(Arena *arena)
{
    static const char *const pieces[] = {
        "<script", ">",    "<",     "</script>", "<img src=",   "\"",       "'",   " onerror=x ",
        "<p ",     "</p>", "<!--",  "-->",       "javascript:", "<a href=", "=",   "/",
        "x",       "&lt;", "<svg>", "<style>",   "\n",          "<b>",      "</b>"
    };
    unsigned seed = test_seed(7);
    for (int turn = 0; turn < 3000; turn++) {
        Text given = { .arena = arena }, out = { .arena = arena };
        ArenaMark mark = arena_mark(arena);
        text_add_literal(&given, "");
        for (int k = 0; k < 12; k++) {
            seed = seed * 1103515245u + 12345u;
            text_add(&given, str_of(pieces[(seed >> 16) % (sizeof pieces / sizeof pieces[0])]));
        }
        page_clean_html((Str){ given.at, given.n }, NULL, &out);
        bool safe = !strstr(out.at, "<script") && !strstr(out.at, "<svg") && !strstr(out.at, "<style") &&
                    !strstr(out.at, "href=\"java");
        size_t opens = 0, closes = 0;
        for (const char *at = out.at; (at = strstr(at, "<p")); at++) opens++;
        for (const char *at = out.at; (at = strstr(at, "</p")); at++) closes++;
        if (!CHECK_ROW(safe && opens == closes, given.at)) printf("  gives: %s\n", out.at);
        arena_rewind(arena, mark);
    }
}

int main(void)
{
    Arena *arena = arena_new();
    only_what_is_harmless_passes(arena);
    random_texts_stay_harmless(arena);
    arena_free(arena);
    return test_end();
}
