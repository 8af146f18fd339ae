/* files.c: the files of src/page/files as part of the program, and pages put together from them.
 *
 * The assembler takes the files in as they are: no generator, nothing to install. CMake names their
 * directory, and knows that this file depends on them. Tests: tests/page/page_test.c. */
#include "page/page.h"

#define FILE_AT(symbol, path)                                                                            \
    __asm__(".section .rodata\n"                                                                         \
            ".global " #symbol "\n.global " #symbol "_end\n" #symbol ":\n.incbin \"" path "\"\n" #symbol \
            "_end:\n"                                                                                    \
            ".byte 0\n.previous\n");                                                                     \
    extern const char symbol[], symbol##_end[]
#define FILE_OF_PAGE(symbol, name) FILE_AT(symbol, PAGE_DIR "/" name)

FILE_OF_PAGE(acausal_page_plot_js, "plot.js");
FILE_OF_PAGE(acausal_page_structure_js, "structure.js");
FILE_OF_PAGE(acausal_page_style_css, "style.css");
FILE_OF_PAGE(acausal_page_report_html, "report.html");
FILE_OF_PAGE(acausal_page_report_js, "report.js");
FILE_OF_PAGE(acausal_page_analyze_html, "analyze.html");
FILE_OF_PAGE(acausal_page_analyze_css, "analyze.css");
FILE_OF_PAGE(acausal_page_analyze_js, "analyze.js");
FILE_OF_PAGE(acausal_page_studio_css, "studio.css");
FILE_OF_PAGE(acausal_page_studio_html, "studio.html");
FILE_OF_PAGE(acausal_page_studio_js, "studio.js");
FILE_OF_PAGE(acausal_page_begin_js, "begin.js");
FILE_OF_PAGE(acausal_page_animation_js, "animation.js");
#ifdef PAGE_THREE
FILE_AT(acausal_page_three_js, PAGE_THREE);
#endif
FILE_OF_PAGE(acausal_page_diagram_js, "diagram.js");
FILE_OF_PAGE(acausal_page_dialog_js, "dialog.js");
FILE_OF_PAGE(acausal_page_documentation_js, "documentation.js");
FILE_OF_PAGE(acausal_page_tree_js, "tree.js");
FILE_OF_PAGE(acausal_page_expression_js, "expression.js");
FILE_OF_PAGE(acausal_page_words_js, "words.js");

static const struct {
    const char *name, *at, *end;
} files[] = {
    { "plot.js", acausal_page_plot_js, acausal_page_plot_js_end },
    { "structure.js", acausal_page_structure_js, acausal_page_structure_js_end },
    { "style.css", acausal_page_style_css, acausal_page_style_css_end },
    { "report.html", acausal_page_report_html, acausal_page_report_html_end },
    { "report.js", acausal_page_report_js, acausal_page_report_js_end },
    { "analyze.html", acausal_page_analyze_html, acausal_page_analyze_html_end },
    { "analyze.css", acausal_page_analyze_css, acausal_page_analyze_css_end },
    { "analyze.js", acausal_page_analyze_js, acausal_page_analyze_js_end },
    { "studio.css", acausal_page_studio_css, acausal_page_studio_css_end },
    { "studio.html", acausal_page_studio_html, acausal_page_studio_html_end },
    { "studio.js", acausal_page_studio_js, acausal_page_studio_js_end },
    { "begin.js", acausal_page_begin_js, acausal_page_begin_js_end },
    { "animation.js", acausal_page_animation_js, acausal_page_animation_js_end },
#ifdef PAGE_THREE
    { "three.js", acausal_page_three_js, acausal_page_three_js_end },
#endif
    { "diagram.js", acausal_page_diagram_js, acausal_page_diagram_js_end },
    { "dialog.js", acausal_page_dialog_js, acausal_page_dialog_js_end },
    { "documentation.js", acausal_page_documentation_js, acausal_page_documentation_js_end },
    { "tree.js", acausal_page_tree_js, acausal_page_tree_js_end },
    { "expression.js", acausal_page_expression_js, acausal_page_expression_js_end },
    { "words.js", acausal_page_words_js, acausal_page_words_js_end },
};

static Str file_text(Str name)
{
    for (size_t i = 0; i < COUNT_OF(files); i++)
        if (str_is(name, files[i].name)) return (Str){ files[i].at, (size_t)(files[i].end - files[i].at) };
    return (Str){ "", 0 };
}

Str page_three(void) { return file_text(STR("three.js")); }

static Str part_text(Str name, const PagePart *parts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(name, parts[i].name)) return parts[i].text;
    return file_text(name);
}

void page_write(const char *file, const PagePart *parts, size_t n, Text *out)
{
    Str page = file_text(str_of(file));
    const char *at = page.at, *end = page.at + page.n;
    while (at < end) {
        const char *open = memmem(at, (size_t)(end - at), "<!--", 4);
        const char *close = open ? memmem(open, (size_t)(end - open), "-->", 3) : NULL;
        if (!close) break;
        text_add(out, (Str){ at, (size_t)(open - at) });
        text_add(out, part_text((Str){ open + 4, (size_t)(close - open - 4) }, parts, n));
        at = close + 3;
    }
    text_add(out, (Str){ at, (size_t)(end - at) });
}
