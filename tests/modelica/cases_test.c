/* cases_test.c: runs the models of this directory and compares with what they say is expected.
 *
 * A line `//! NAME` begins a case: the class NAME of the file is flattened. `//! NAME E0401 E0501`
 * expects exactly these diagnostic codes from a check, in this order, and that the diagnostics'
 * text holds what each line `//~ ...` says. Otherwise the lines `//= ...` up to the next case are
 * the flat text without its first and last line, or the lines `//+ ...` are lines that it holds
 * among others; and the flat text must flatten to itself. `//! NAME balanced N` expects N unknowns
 * and as many equations, `//! NAME ok` a check without diagnostics; then, too, the flat text must
 * flatten to itself. */
#include "acausal.h"

#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    char *at;
    size_t n, room;
} Buffer;

static void append(void *arg, const char *text, size_t n)
{
    Buffer *b = arg;
    if (b->n + n + 1 > b->room) {
        b->room = 2 * (b->n + n + 1);
        b->at = realloc(b->at, b->room);
        if (!b->at) abort();
    }
    memcpy(b->at + b->n, text, n);
    b->n += n;
    b->at[b->n] = 0;
}

static void append_text(Buffer *b, const char *text) { append(b, text, strlen(text)); }

/* The codes of all diagnostics, separated by spaces. */
static void add_codes(const AcausalSession *session, Buffer *out, Buffer *messages)
{
    Buffer json = { 0 };
    append_text(out, "");
    append_text(&json, "");
    acausal_write_diagnostics(session, ACAUSAL_JSON, append, &json);
    for (const char *p = json.at; (p = strstr(p, "\"code\":\"")); p += 8) {
        if (out->n) append_text(out, " ");
        append(out, p + 8, 5);
    }
    free(json.at);
    append_text(messages, "");
    acausal_write_diagnostics(session, ACAUSAL_TEXT, append, messages);
}

/* The lines between the first and the last. */
static void cut_frame(Buffer *text)
{
    char *first = text->n ? strchr(text->at, '\n') : NULL;
    if (!first) return;
    memmove(text->at, first + 1, text->n - (size_t)(first + 1 - text->at) + 1);
    char *last = strstr(text->at, "end ");
    for (char *next; last && (next = strstr(last + 1, "\nend "));) last = next + 1;
    if (last && (last == text->at || last[-1] == '\n')) *last = 0;
    text->n = strlen(text->at);
}

static void flatten(const char *path, const char *name, Buffer *flat, Buffer *codes)
{
    AcausalSession *session = acausal_session_new();
    Buffer messages = { 0 };
    append_text(flat, "");
    acausal_flatten(session, path, name, append, flat);
    add_codes(session, codes, &messages);
    acausal_session_free(session);
    free(messages.at);
}

static void check(const char *path, const char *name, Buffer *codes, Buffer *messages)
{
    AcausalSession *session = acausal_session_new();
    AcausalCheckReport report = { .size = sizeof report };
    acausal_check(session, path, name, &report);
    add_codes(session, codes, messages);
    acausal_session_free(session);
}

static void check_round_trip(const char *label, const Buffer *flat)
{
    char path[] = "/tmp/acausal_case_XXXXXX.mo";
    int file = mkstemps(path, 3);
    Buffer again = { 0 }, codes = { 0 };
    if (file < 0 || write(file, flat->at, flat->n) != (ssize_t)flat->n) abort();
    close(file);
    flatten(path, NULL, &again, &codes);
    unlink(path);
    if (!test_same_text(again.at, flat->at, __FILE__, __LINE__, "the flat text flattens to itself"))
        printf("  in case %s (%s)\n", label, codes.at);
    free(again.at);
    free(codes.at);
}

static void check_balance(const char *path, const char *name, const char *label, size_t want)
{
    AcausalSession *session = acausal_session_new();
    AcausalCheckReport r = { .size = sizeof r };
    acausal_check(session, path, name, &r);
    CHECK_ROW(r.unknowns == want && r.equations == want, label);
    acausal_session_free(session);
}

/* The text of a line that begins with `mark`; NULL if it does not. */
static char *marked(const char *line, const char *mark)
{
    if (strncmp(line, mark, 3)) return NULL;
    const char *text = line + 3 + (line[3] == ' ');
    return strndup(text, strcspn(text, "\n"));
}

static const char *next_line(const char *line)
{
    line = strchr(line, '\n');
    return line && line[1] ? line + 1 : NULL;
}

/* Whether each line of the body with this mark is part of `text`. Counts them. */
static int check_parts(const char *label, const char *body, const char *mark, const char *text)
{
    int n = 0;
    for (const char *line = *body ? body : NULL; line; line = next_line(line)) {
        char *part = marked(line, mark);
        if (!part) continue;
        n++;
        if (!CHECK(strstr(text, part)))
            printf("  in case %s\n  this is missing: %s\n  in: %s\n", label, part, text);
        free(part);
    }
    return n;
}

/* The diagnostics are as the head says; "ok" and nothing stand for none. */
static bool check_wrong(const char *path, const char *name, const char *want, const char *label,
                        const char *body)
{
    Buffer codes = { 0 }, messages = { 0 };
    check(path, name, &codes, &messages);
    bool ok = test_same_text(codes.at, want, __FILE__, __LINE__, "the diagnostics");
    if (!ok) printf("%s", messages.at);
    check_parts(label, body, "//~", messages.at);
    free(codes.at);
    free(messages.at);
    return ok;
}

/* The flat text is as the body says, and flattens to itself. */
static bool check_right(const char *path, const char *name, const char *label, const char *body, bool whole)
{
    Buffer flat = { 0 }, codes = { 0 }, want = { 0 };
    flatten(path, name, &flat, &codes);
    bool ok = test_same_text(codes.at, "", __FILE__, __LINE__, "the diagnostics");
    check_round_trip(label, &flat);
    cut_frame(&flat);
    append_text(&want, "");
    for (const char *line = *body ? body : NULL; line; line = next_line(line)) {
        char *text = marked(line, "//=");
        if (!text) continue;
        append_text(&want, text);
        append_text(&want, "\n");
        free(text);
    }
    if (!check_parts(label, body, "//+", flat.at) && whole)
        ok = test_same_text(flat.at, want.at, __FILE__, __LINE__, "the flat model") && ok;
    free(flat.at);
    free(codes.at);
    free(want.at);
    return ok;
}

/* Runs one case: its head is "NAME ...", its body the lines up to the next one. */
static void run_case(const char *path, char *head, const char *body)
{
    char label[2048], *rest = strchr(head, ' ');
    if (rest) *rest++ = 0;
    snprintf(label, sizeof label, "%s: %s", path, head);
    bool ok = true;
    if (rest && !strncmp(rest, "balanced ", 9))
        check_balance(path, head, label, strtoul(rest + 9, NULL, 10));
    else if (rest && strcmp(rest, "ok"))
        ok = check_wrong(path, head, rest, label, body);
    else if (rest)
        ok = check_wrong(path, head, "", label, body);
    if (!rest || !strncmp(rest, "balanced ", 9) || !strcmp(rest, "ok"))
        ok = check_right(path, head, label, body, !rest) && ok;
    if (!ok) printf("  in case %s\n", label);
}

static char *read_file(const char *path)
{
    Buffer text = { 0 };
    char piece[4096];
    FILE *file = fopen(path, "r");
    if (!file) abort();
    append_text(&text, "");
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;) append(&text, piece, n);
    fclose(file);
    return text.at;
}

static int run_file(const char *path)
{
    int count = 0;
    char *text = read_file(path), *at = strstr(text, "//! ");
    while (at) {
        char *head = at + 4, *end = strchr(head, '\n'), *next = end ? strstr(end, "\n//! ") : NULL;
        if (end) *end = 0;
        if (next) *next = 0;
        run_case(path, head, end ? end + 1 : "");
        count++;
        at = next ? next + 1 : NULL;
    }
    free(text);
    return count;
}

/* Sums that are long, written and from connections, are no matter of the stack. */
static void check_long_sums(void)
{
    enum { TERMS = 100000 };
    char path[] = "/tmp/acausal_case_XXXXXX.mo";
    int fd = mkstemps(path, 3);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    Buffer flat = { 0 }, codes = { 0 };
    if (!file) abort();
    fputs("model Long connector Pin Real v; flow Real i; end Pin;\n"
          "model Load Pin p; equation p.i = p.v; end Load; Load a[20000]; Load b; parameter Real k = 0",
          file);
    for (int i = 0; i < TERMS; i++) fputs(" + 1", file);
    fputs("; Real x = time", file);
    for (int i = 0; i < TERMS; i++) fputs(" + time", file);
    fputs(
        "; Real s = sum(a.p.v);\nequation\nfor i in 1:20000 loop connect(a[i].p, b.p); end for;\nend Long;\n",
        file);
    fclose(file);
    flatten(path, NULL, &flat, &codes);
    CHECK_TEXT(codes.at, "");
    CHECK(flat.n > TERMS * 7);
    unlink(path);
    free(flat.at);
    free(codes.at);
}

static int is_model(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 3 && !strcmp(entry->d_name + n - 3, ".mo");
}

int main(int argc, char **argv)
{
    struct dirent **files;
    int cases = 0, n = scandir(TEST_SOURCE_DIR "/modelica", &files, is_model, alphasort);
    for (int i = 0; i < n; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/modelica/%s", TEST_SOURCE_DIR, files[i]->d_name);
        if (argc < 2 || !strcmp(argv[1], files[i]->d_name)) cases += run_file(path);
        free(files[i]);
    }
    free(files);
    CHECK(cases > 0);
    check_long_sums();
    printf("%d cases\n", cases);
    return test_end();
}
