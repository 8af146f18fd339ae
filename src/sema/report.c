/* report.c: what diagnostics of the sema room have in common: the chain of components that led to
 * the place, types in words, the nearest name. Tests: tests/modelica. */
#include "sema/inside.h"

enum { LONGEST_CHAIN = 4 };

/* What is wrong in a class is said once, not for each of its instances. */
static bool was_said(const Sema *s, Code code, Span span)
{
    for (uint32_t i = 0; span.n && i < s->diag->notes.n; i++) {
        const Note *note = s->diag->notes.at[i];
        if (note->code == code && note->span.at == span.at && note->span.n == span.n) return true;
    }
    return false;
}

static Note *add_note(Sema *s, const Scope *scope, Code code, Span span, const char *format, va_list args)
{
    Text text = { .arena = s->arena };
    text_vprintf(&text, format, args);
    Note *note = diag_add(s->diag, code, span, "%s", text.at);
    const Inst *inst = scope ? scope->inst : NULL;
    if (inst && inst->container)
        for (int i = 0; i < LONGEST_CHAIN && inst && inst->container; i++, inst = inst->container)
            diag_label(s->diag, note, inst->entry->decl->declaration->span, "in the component '%s'",
                       inst_path(s, inst));
    return note;
}

Note *sema_error(Sema *s, const Scope *scope, Code code, Span span, const char *format, ...)
{
    if (was_said(s, code, span)) {
        s->diag->errors++;
        return NEW(s->arena, Note);
    }
    va_list args;
    va_start(args, format);
    Note *note = add_note(s, scope, code, span, format, args);
    va_end(args);
    return note;
}

/* A rule that libraries break and other tools let pass: a warning, unless the user asks for the
 * language as it is written. */
Note *sema_lenient(Sema *s, const Scope *scope, Code code, Span span, const char *format, ...)
{
    if (was_said(s, code, span)) return NEW(s->arena, Note);
    va_list args;
    va_start(args, format);
    Note *note = add_note(s, scope, code, span, format, args);
    va_end(args);
    diag_lower(s->diag, note);
    return note;
}

const char *type_text(Sema *s, const Type *t)
{
    static const char *const names[] = { "Real", "Integer", "Boolean", "String" };
    Text text = { .arena = s->arena };
    if (t->base <= BASE_STRING)
        text_add(&text, str_of(names[t->base]));
    else if (t->def)
        text_add(&text, name_str(t->def->own->cls->name));
    else
        text_add(&text, STR("something wrong"));
    for (uint32_t i = 0; i < t->rank; i++) {
        text_add(&text, i ? STR(", ") : STR("["));
        if (t->sizes[i] == SIZE_UNKNOWN)
            text_add_char(&text, ':');
        else
            text_printf(&text, "%d", (int)t->sizes[i]);
    }
    if (t->rank) text_add_char(&text, ']');
    return text.at;
}

typedef VEC(const char *) Words;

/* that are looked at for a hint; that are listed; letters that are no chance */
enum { MOST_NAMES = 100000, MOST_LISTED = 12, LEAST_SAME = 3 };

static void collect_names(Sema *s, const Scope *scope, Words *words)
{
    const Class *cls = scope->cls;
    if (words->n > MOST_NAMES) return;
    for (uint32_t i = 0; i < cls->element_count; i++) {
        const Element *e = cls->elements[i];
        if (e->kind == ELEMENT_CLASS) vec_push(s->arena, words, name_text(e->cls->name));
        for (uint32_t k = 0; e->kind == ELEMENT_COMPONENT && k < e->clause->n; k++)
            vec_push(s->arena, words, name_text(e->clause->declarations[k].name));
    }
    for (uint32_t i = 0; cls->unit && i < cls->unit->children.n; i++)
        vec_push(s->arena, words, name_text(cls->unit->children.at[i]->name));
    for (uint32_t i = 0; i < scope->n; i++)
        if (scope->bases[i]) collect_names(s, scope->bases[i], words);
}

static size_t common_start(Str word, const char *other)
{
    size_t n = 0;
    while (n < word.n && other[n] && (word.at[n] | 32) == (other[n] | 32)) n++;
    return n;
}

/* A name that begins like the word, most of the shorter one. */
static const char *related_name(Str word, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        size_t same = common_start(word, names[i]), length = strlen(names[i]);
        size_t shorter = word.n < length ? word.n : length;
        if (same <= most || same < LEAST_SAME || 2 * same <= shorter) continue;
        best = names[i], most = same;
    }
    return best;
}

/* Where there are few names, all of them. */
static void hint_all(Sema *s, Note *note, const Words *words)
{
    Text text = { .arena = s->arena };
    if (!words->n || words->n > MOST_LISTED) return;
    for (uint32_t i = 0; i < words->n; i++) text_printf(&text, "%s'%s'", i ? ", " : "", words->at[i]);
    diag_hint(s->diag, note, "there %s %s", words->n == 1 ? "is only" : "are", text.at);
}

void hint_nearest(Sema *s, Note *note, Scope *scope, Name name)
{
    Words words = { 0 };
    if (!note->text) return; /* nobody will read it */
    collect_names(s, scope, &words);
    const char *near = text_nearest(name_str(name), words.at, words.n);
    if (!near) near = related_name(name_str(name), words.at, words.n);
    if (near)
        diag_hint(s->diag, note, "did you mean '%s'?", near);
    else
        hint_all(s, note, &words);
}

/* Taking diagnostics back: for what is tried and need not succeed. */
DiagMark sema_mark(const Sema *s)
{
    const Diag *d = s->diag;
    DiagMark m = { d->notes.n, d->errors, d->warnings, d->dropped, s->poisons, { 0 } };
    memcpy(m.counts, d->counts, sizeof m.counts);
    return m;
}

/* Rules that a text breaks whatever is done with it; its class is looked at once, so that it would
 * not be said again. */
static bool is_about_text(Code code)
{
    static const Code codes[] = { E_CLASS_KIND,    E_BASE_KIND,      E_PREFIX,    E_EXTERNAL_OBJECT,
                                  E_EXTERNAL_CALL, E_NOT_ASSIGNED,   E_IMPURE,    E_DOUBLE_ELEMENT,
                                  E_STATEMENT,     E_OPERATOR_PLACE, E_AMBIGUOUS, E_UNKNOWN_IMPORT };
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        if (codes[i] == code) return true;
    return false;
}

void sema_rewind(Sema *s, const DiagMark *m)
{
    Diag *d = s->diag;
    uint32_t end = d->notes.n;
    d->notes.n = m->notes;
    d->errors = m->errors;
    d->warnings = m->warnings;
    d->dropped = m->dropped;
    s->poisons = m->poisons;
    memcpy(d->counts, m->counts, sizeof m->counts);
    for (uint32_t i = m->notes; i < end; i++) {
        Note *note = d->notes.at[i];
        if (!is_about_text(note->code) && !note->stays) continue;
        d->notes.at[d->notes.n++] = note;
        d->errors += note->severity == SEVERITY_ERROR;
        d->warnings += note->severity == SEVERITY_WARNING;
        d->counts[note->code]++;
    }
}
