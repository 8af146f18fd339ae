/* diag.c: collects diagnostics, and renders them for people and for machines.
 *
 * A collector belongs to one thread and one arena; those of several files are merged in order. Of
 * each code a collector keeps `limit_per_code` notes and counts the rest. Rendered lines are
 * clipped to a window around the place, and control characters are shown as dots, so that a hostile
 * file can neither flood nor steer a terminal. Tests: tests/base/diag_test.c. */
#include "base/base.h"

#include <stdio.h>

static const struct {
    const char *text;
    Severity severity;
    const char *about;
} codes[] = {
#define CODE(id, text, severity, about) { text, severity, about },
#include "base/codes.def"
#undef CODE
};

const char *code_text(Code code) { return codes[code].text; }
const char *code_about(Code code) { return codes[code].about; }

bool code_find(Str text, Code *code)
{
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        if (str_is(text, codes[i].text)) {
            *code = (Code)i;
            return true;
        }
    return false;
}

void diag_init(Diag *diag, Arena *arena) { *diag = (Diag){ .arena = arena, .limit_per_code = 20 }; }

static char *format_text(Arena *arena, const char *format, va_list args)
{
    Text text = { .arena = arena };
    text_vprintf(&text, format, args);
    return text.at;
}

static void count_and_keep(Diag *diag, Note *note)
{
    if (note->severity == SEVERITY_ERROR) diag->errors++;
    if (note->severity == SEVERITY_WARNING) diag->warnings++;
    if (diag->limit_per_code && ++diag->counts[note->code] > diag->limit_per_code)
        diag->dropped++;
    else
        vec_push(diag->arena, &diag->notes, note);
}

static Note *add_note(Diag *diag, Code code, const char *format, va_list args)
{
    Note *note = NEW(diag->arena, Note);
    note->code = code;
    note->severity = codes[code].severity;
    note->text = format_text(diag->arena, format, args);
    count_and_keep(diag, note);
    return note;
}

Note *diag_add(Diag *diag, Code code, Span span, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    Note *note = add_note(diag, code, format, args);
    va_end(args);
    note->span = span;
    return note;
}

Note *diag_add_file(Diag *diag, Code code, const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    Note *note = add_note(diag, code, format, args);
    va_end(args);
    if (path) note->path = arena_copy(diag->arena, str_of(path));
    return note;
}

void diag_lower(Diag *diag, Note *note)
{
    if (diag->strict_language || note->severity != SEVERITY_ERROR) return;
    note->severity = SEVERITY_WARNING;
    diag->errors--;
    diag->warnings++;
}

bool diag_raise(Diag *diag, Code code)
{
    bool found = false;
    for (uint32_t i = 0; i < diag->notes.n; i++) {
        Note *note = diag->notes.at[i];
        if (note->code != code || note->severity != SEVERITY_WARNING) continue;
        note->severity = SEVERITY_ERROR;
        diag->errors++;
        diag->warnings--;
        found = true;
    }
    return found;
}

void diag_label(Diag *diag, Note *note, Span span, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    Label label = { span, format_text(diag->arena, format, args) };
    va_end(args);
    vec_push(diag->arena, &note->labels, label);
}

void diag_hint(Diag *diag, Note *note, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vec_push(diag->arena, &note->hints, format_text(diag->arena, format, args));
    va_end(args);
}

void diag_merge(Diag *into, const Diag *from)
{
    Arena *arena = into->arena;
    for (uint32_t i = 0; i < from->notes.n; i++) {
        const Note *old = from->notes.at[i];
        Note *note = NEW(arena, Note);
        *note = *old;
        note->text = arena_copy(arena, str_of(old->text));
        if (old->path) note->path = arena_copy(arena, str_of(old->path));
        memset(&note->labels, 0, sizeof note->labels);
        memset(&note->hints, 0, sizeof note->hints);
        for (uint32_t k = 0; k < old->labels.n; k++)
            diag_label(into, note, old->labels.at[k].span, "%s", old->labels.at[k].text);
        for (uint32_t k = 0; k < old->hints.n; k++) diag_hint(into, note, "%s", old->hints.at[k]);
        vec_push(arena, &into->notes, note);
    }
    into->errors += from->errors;
    into->warnings += from->warnings;
    into->dropped += from->dropped;
}

/* ---- for people ------------------------------------------------------------------------------ */

typedef struct {
    const char *error, *warning, *note, *place, *strong, *off;
} Colours;

static const Colours no_colours = { "", "", "", "", "", "" };
static const Colours ansi_colours = { "\033[1;31m", "\033[1;33m", "\033[1;36m",
                                      "\033[34m",   "\033[1m",    "\033[0m" };

enum { WINDOW_BEFORE = 60, WINDOW = 120 };

static size_t safe_length(Str text, size_t i, bool *shown)
{
    uint32_t code;
    size_t n = utf8_next(text, i, &code);
    *shown = n && code >= 0x20 && code != 0x7F && !(code >= 0x80 && code < 0xA0);
    return n ? n : 1;
}

/* Writes the part of a line around [from, to) and below it the carets. */
static void render_line(Text *out, const Place *place, size_t margin, const char *colour, const Colours *c,
                        const char *label)
{
    Str text = place->text;
    size_t start = place->from > WINDOW_BEFORE ? place->from - WINDOW_BEFORE : 0;
    while (start > 0 && ((unsigned char)text.at[start] & 0xC0) == 0x80) start--;
    size_t end = size_min(text.n, start + WINDOW);
    Text carets = { .arena = out->arena };
    text_printf(out, "%s%*u |%s ", c->place, (int)margin, (unsigned)place->line, c->off);
    if (start) {
        text_add_literal(out, "…");
        text_add_char(&carets, ' ');
    }
    for (size_t i = start, n; i < end; i += n) {
        bool shown;
        n = safe_length(text, i, &shown);
        if (text.at[i] == '\t')
            text_add_literal(out, "    ");
        else if (shown)
            text_add(out, (Str){ text.at + i, n });
        else
            text_add_literal(out, "·");
        char mark = i >= place->from && (i < place->to || i == place->from) ? '^' : ' ';
        text_add_repeat(&carets, mark, text.at[i] == '\t' ? 4 : 1);
    }
    if (end < text.n) text_add_literal(out, "…");
    if (place->from >= end) text_add_char(&carets, '^');
    while (carets.n && carets.at[carets.n - 1] == ' ') carets.n--;
    text_printf(out, "\n%s%*s |%s %s", c->place, (int)margin, "", c->off, colour);
    text_add(out, (Str){ carets.at, carets.n });
    text_printf(out, "%s%s%s\n", *label ? " " : "", label, c->off);
}

static size_t digits(uint32_t n) { return (size_t)snprintf(NULL, 0, "%u", (unsigned)n); }

static void render_place(Text *out, const Sources *sources, Span span, size_t margin, const char *arrow,
                         const char *colour, const Colours *c, const char *label)
{
    Place place;
    if (!source_place(sources, span, &place)) return;
    text_printf(out, "%s%*s%s%s %s:%u:%u\n", c->place, (int)margin, "", arrow, c->off, place.path,
                (unsigned)place.line, (unsigned)place.column);
    render_line(out, &place, margin, colour, c, label);
}

static size_t margin_of(const Note *note, const Sources *sources)
{
    Place place;
    size_t margin = source_place(sources, note->span, &place) ? digits(place.line) : 1;
    for (uint32_t i = 0; i < note->labels.n; i++)
        if (source_place(sources, note->labels.at[i].span, &place))
            margin = size_max(margin, digits(place.line));
    return margin;
}

static const char *severity_text(Severity severity)
{
    return severity == SEVERITY_ERROR ? "error" : severity == SEVERITY_WARNING ? "warning" : "note";
}

void diag_render(const Note *note, const Sources *sources, RenderStyle style, Text *out)
{
    const Colours *c = style.colour ? &ansi_colours : &no_colours;
    const char *colour = note->severity == SEVERITY_ERROR     ? c->error
                         : note->severity == SEVERITY_WARNING ? c->warning
                                                              : c->note;
    size_t margin = margin_of(note, sources);
    text_printf(out, "%s%s[%s]%s%s: ", colour, severity_text(note->severity), code_text(note->code), c->off,
                c->strong);
    if (note->path) text_printf(out, "%s: ", note->path);
    text_printf(out, "%s%s\n", note->text, c->off);
    render_place(out, sources, note->span, margin, "-->", colour, c, "");
    for (uint32_t i = 0; i < note->labels.n; i++)
        render_place(out, sources, note->labels.at[i].span, margin, ":::", c->note, c,
                     note->labels.at[i].text);
    for (uint32_t i = 0; i < note->hints.n; i++)
        text_printf(out, "%s%*s = hint:%s %s\n", c->place, (int)margin, "", c->off, note->hints.at[i]);
}

/* ---- for machines ---------------------------------------------------------------------------- */

static void json_place(Text *out, const Sources *sources, Span span, const char *path)
{
    Place p;
    if (source_place(sources, span, &p)) {
        text_add_literal(out, "\"file\":");
        text_add_json(out, str_of(p.path));
        text_printf(out, ",\"line\":%u,\"column\":%u,\"end_line\":%u,\"end_column\":%u", (unsigned)p.line,
                    (unsigned)p.column, (unsigned)p.end_line, (unsigned)p.end_column);
    } else {
        text_add_literal(out, "\"file\":");
        if (path)
            text_add_json(out, str_of(path));
        else
            text_add_literal(out, "null");
    }
}

void diag_render_json(const Note *note, const Sources *sources, Text *out)
{
    text_printf(out, "{\"severity\":\"%s\",\"code\":\"%s\",\"message\":", severity_text(note->severity),
                code_text(note->code));
    text_add_json(out, str_of(note->text));
    text_add_char(out, ',');
    json_place(out, sources, note->span, note->path);
    text_add_literal(out, ",\"labels\":[");
    for (uint32_t i = 0; i < note->labels.n; i++) {
        text_add(out, i ? STR(",{") : STR("{"));
        json_place(out, sources, note->labels.at[i].span, NULL);
        text_add_literal(out, ",\"message\":");
        text_add_json(out, str_of(note->labels.at[i].text));
        text_add_char(out, '}');
    }
    text_add_literal(out, "],\"hints\":[");
    for (uint32_t i = 0; i < note->hints.n; i++) {
        if (i) text_add_char(out, ',');
        text_add_json(out, str_of(note->hints.at[i]));
    }
    text_add_literal(out, "]}");
}
