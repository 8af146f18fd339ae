/* dap.c: the Debug Adapter Protocol: an editor's requests become commands of the debugger.
 *
 * In: messages with a Content-Length, in JSON. Out: responses and events. There is one thread and
 * one frame, whose line is that of the equation or relation the run stopped for; scopes are states,
 * all variables and parameters. Breakpoints are lines of relations; those on other lines are not
 * verified. While the run goes on nothing is read: it cannot be paused. Tests:
 * tests/explain/dap.py. */
#include "explain/debug.h"

#include <stdio.h>
#include <stdlib.h>

enum { LONGEST_MESSAGE = 1 << 20, SCOPE_STATES = 1, SCOPE_ALL = 2, SCOPE_PARAMETERS = 3 };

/* ---- reading JSON ---------------------------------------------------------------------------- */

static size_t skip_space(Str s, size_t at)
{
    while (at < s.n && (s.at[at] == ' ' || s.at[at] == '\n' || s.at[at] == '\t' || s.at[at] == '\r')) at++;
    return at;
}

/* Where the value that begins here ends. */
static size_t skip_value(Str s, size_t at)
{
    int open = 0;
    bool in_text = false;
    for (; at < s.n; at++) {
        char c = s.at[at];
        if (in_text) {
            if (c == '\\')
                at++;
            else if (c == '"')
                in_text = false;
        } else if (c == '"') {
            in_text = true;
        } else if (c == '{' || c == '[') {
            open++;
        } else if (c == '}' || c == ']') {
            if (open-- == 0) return at;
        } else if (c == ',' && open == 0) {
            return at;
        }
    }
    return at;
}

/* The value of a member of an object; n == 0: it has none. */
static Str member(Str object, const char *name)
{
    size_t at = skip_space(object, 0), length = strlen(name);
    if (at >= object.n || object.at[at] != '{') return (Str){ 0 };
    for (at = skip_space(object, at + 1); at < object.n && object.at[at] == '"';) {
        size_t key = at + 1, end = key;
        while (end < object.n && object.at[end] != '"') end++;
        at = skip_space(object, end + 1);
        if (at >= object.n || object.at[at] != ':') return (Str){ 0 };
        size_t from = skip_space(object, at + 1), to = skip_value(object, from);
        if (end - key == length && !memcmp(object.at + key, name, length))
            return (Str){ object.at + from, to - from };
        at = to < object.n && object.at[to] == ',' ? skip_space(object, to + 1) : object.n;
    }
    return (Str){ 0 };
}

/* Element k of an array; n == 0: there are fewer. */
static Str element(Str array, int k)
{
    size_t at = skip_space(array, 0);
    if (at >= array.n || array.at[at] != '[') return (Str){ 0 };
    for (at = skip_space(array, at + 1); at < array.n && array.at[at] != ']'; k--) {
        size_t to = skip_value(array, at);
        if (k == 0) return (Str){ array.at + at, to - at };
        if (to >= array.n || array.at[to] != ',') break;
        at = skip_space(array, to + 1);
    }
    return (Str){ 0 };
}

static const char *text_value(Debug *d, Str value)
{
    Text text = { .arena = d->what->arena };
    text_add_literal(&text, "");
    for (size_t k = 1; k + 1 < value.n && value.at[0] == '"' && value.at[k] != '"'; k++) {
        bool is_escape = value.at[k] == '\\' && k + 2 < value.n;
        char c = value.at[is_escape ? ++k : k];
        text_add_char(&text, is_escape && c == 'n' ? '\n' : is_escape && c == 't' ? '\t' : c);
    }
    return text.at;
}

static long whole_value(Str value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%.*s", (int)(value.n < 20 ? value.n : 20), value.n ? value.at : "");
    return strtol(digits, NULL, 10);
}

/* A message; n == 0: there are no more. */
static Str read_message(Debug *d)
{
    size_t length = 0;
    char line[200];
    for (;;) {
        size_t n = 0;
        int c;
        while ((c = debug_byte(d)) >= 0 && c != '\n')
            if (c != '\r' && n + 1 < sizeof line) line[n++] = (char)c;
        line[n] = 0;
        if (c < 0) return (Str){ 0 };
        if (!strncmp(line, "Content-Length:", 15)) length = (size_t)strtoul(line + 15, NULL, 10);
        if (!n && length) break;
    }
    if (length > LONGEST_MESSAGE) return (Str){ 0 };
    char *body = NEW_ARRAY(d->what->arena, char, length + 1);
    for (size_t k = 0; k < length; k++) {
        int c = debug_byte(d);
        if (c < 0) return (Str){ 0 };
        body[k] = (char)c;
    }
    return (Str){ body, length };
}

/* ---- answering ------------------------------------------------------------------------------- */

static void send(Debug *d, const Text *body)
{
    debug_say(d, "Content-Length: %zu\r\n\r\n%s", body->n, body->at);
}

static void respond(Debug *d, Str request, bool success, const char *message, const char *body)
{
    Text out = { .arena = d->what->arena };
    text_printf(&out, "{\"seq\":%ld,\"type\":\"response\",\"request_seq\":%ld,\"success\":%s,\"command\":",
                ++d->sent, whole_value(member(request, "seq")), success ? "true" : "false");
    text_add_json(&out, str_of(text_value(d, member(request, "command"))));
    if (message) text_add_literal(&out, ",\"message\":");
    if (message) text_add_json(&out, str_of(message));
    if (body) text_printf(&out, ",\"body\":%s", body);
    text_add_literal(&out, "}");
    send(d, &out);
}

static void tell(Debug *d, const char *event, const char *body)
{
    Text out = { .arena = d->what->arena };
    text_printf(&out, "{\"seq\":%ld,\"type\":\"event\",\"event\":\"%s\",\"body\":%s}", ++d->sent, event,
                body);
    send(d, &out);
}

static void add_member(Text *out, const char *key, const char *value)
{
    text_printf(out, "\"%s\":", key);
    text_add_json(out, str_of(value));
}

static bool initialise(Debug *d, Str request, Text *body)
{
    (void)d, (void)request;
    text_add_literal(body, "{\"supportsConfigurationDoneRequest\":true,\"supportsStepBack\":true,"
                           "\"supportsSetVariable\":true,\"supportsEvaluateForHovers\":true}");
    return true;
}

static bool answer_threads(Debug *d, Str request, Text *body)
{
    (void)d, (void)request;
    text_add_literal(body, "{\"threads\":[{\"id\":1,\"name\":\"run\"}]}");
    return true;
}

/* Breakpoints of lines replace those that were there. */
static bool set_breakpoints(Debug *d, Str request, Text *body)
{
    Str list = member(member(request, "arguments"), "breakpoints");
    for (int k = 0; k < DEBUG_BREAKS; k++)
        if (d->breaks[k].kind == BREAK_RELATION) d->breaks[k].kind = BREAK_NONE;
    text_add_literal(body, "{\"breakpoints\":[");
    for (int k = 0;; k++) {
        Str one = element(list, k);
        if (!one.n) break;
        long line = whole_value(member(one, "line"));
        Text said = { .arena = d->what->arena };
        debug_command(d, arena_printf(d->what->arena, "break relation %ld", line), &said);
        bool ok = said.n && !strncmp(said.at, "breakpoint", 10);
        text_printf(body, "%s{\"verified\":%s,\"line\":%ld", k ? "," : "", ok ? "true" : "false", line);
        if (!ok) text_add_literal(body, ",\"message\":\"no relation that makes events begins here\"");
        text_add_literal(body, "}");
    }
    text_add_literal(body, "]}");
    return true;
}

static bool stack(Debug *d, Str request, Text *body)
{
    Place place = { 0 };
    Span span = { 0 };
    (void)request;
    for (uint32_t r = 0; r < d->m->relation_count && !span.n; r++) {
        const char *words = words_of_place(d->what, d->s->relations.at[r].span);
        if (*words && strstr(d->reason, words)) span = d->s->relations.at[r].span;
    }
    if (!span.n) span = d->s->flat->span;
    bool ok = d->what->sources && source_place(d->what->sources, span, &place);
    text_add_literal(body, "{\"stackFrames\":[{\"id\":1,");
    add_member(body, "name", arena_printf(d->what->arena, "t = %.9g: %s", d->t, d->reason));
    text_printf(body, ",\"line\":%u,\"column\":%u", ok ? (unsigned)place.line : 0,
                ok ? (unsigned)place.column : 0);
    if (ok) text_add_literal(body, ",\"source\":{");
    if (ok) add_member(body, "path", place.path);
    text_printf(body, "%s}],\"totalFrames\":1}", ok ? "}" : "");
    return true;
}

static bool scopes(Debug *d, Str request, Text *body)
{
    (void)d, (void)request;
    text_printf(body,
                "{\"scopes\":[{\"name\":\"States\",\"variablesReference\":%d,\"expensive\":false},"
                "{\"name\":\"Variables\",\"variablesReference\":%d,\"expensive\":true},"
                "{\"name\":\"Parameters\",\"variablesReference\":%d,\"expensive\":true}]}",
                SCOPE_STATES, SCOPE_ALL, SCOPE_PARAMETERS);
    return true;
}

static bool variables(Debug *d, Str request, Text *body)
{
    const ModelShape *shape = gen_shape(d->what->compiled);
    long scope = whole_value(member(member(request, "arguments"), "variablesReference"));
    const char *comma = "";
    text_add_literal(body, "{\"variables\":[");
    for (int i = 0; i < shape->variable_count; i++) {
        const ModelVariable *v = &shape->variables[i];
        bool is_parameter = v->kind <= VARIABLE_PARAMETER;
        if (scope == SCOPE_STATES ? !v->is_state : is_parameter != (scope == SCOPE_PARAMETERS)) continue;
        if (v->type == VARIABLE_STRING) continue;
        text_printf(body, "%s{", comma);
        add_member(body, "name", v->name);
        text_add_literal(body, ",");
        add_member(body, "value",
                   arena_printf(d->what->arena, "%.9g%s%s", debug_value(d, (uint32_t)v->slot, v->negated),
                                *v->unit ? " " : "", v->unit));
        text_add_literal(body, ",\"variablesReference\":0}");
        comma = ",";
    }
    text_add_literal(body, "]}");
    return true;
}

/* A name is printed; anything else is a command. */
static bool evaluate(Debug *d, Str request, Text *body)
{
    const char *line = text_value(d, member(member(request, "arguments"), "expression"));
    Text said = { .arena = d->what->arena };
    bool is_negated;
    uint32_t var = debug_find(d, str_of(line), &is_negated);
    if (var != NONE)
        text_printf(&said, "%.9g", debug_value(d, var, is_negated));
    else if (debug_command(d, line, &said))
        text_add_literal(&said, "use the buttons of the editor to go on");
    d->quits = false;
    text_add_literal(body, "{");
    add_member(body, "result", said.n ? said.at : "");
    text_add_literal(body, ",\"variablesReference\":0}");
    return true;
}

static bool set_variable(Debug *d, Str request, Text *body)
{
    Str arguments = member(request, "arguments");
    const char *name = text_value(d, member(arguments, "name")),
               *value = text_value(d, member(arguments, "value"));
    Text said = { .arena = d->what->arena };
    bool is_negated;
    debug_command(d, arena_printf(d->what->arena, "set %s %s", name, value), &said);
    uint32_t var = debug_find(d, str_of(name), &is_negated);
    bool ok = said.n && strstr(said.at, "from here on") && var != NONE;
    text_add_literal(body, "{");
    add_member(body, "value",
               ok ? arena_printf(d->what->arena, "%.9g", debug_value(d, var, is_negated)) : said.at);
    text_add_literal(body, "}");
    return ok;
}

static bool nothing(Debug *d, Str request, Text *body) { return (void)d, (void)request, (void)body, true; }

static const struct {
    const char *name;
    bool (*answer)(Debug *d, Str request, Text *body);
} answers[] = {
    { "initialize", initialise },
    { "launch", nothing },
    { "attach", nothing },
    { "threads", answer_threads },
    { "setBreakpoints", set_breakpoints },
    { "setExceptionBreakpoints", nothing },
    { "stackTrace", stack },
    { "scopes", scopes },
    { "variables", variables },
    { "evaluate", evaluate },
    { "setVariable", set_variable },
};

static const struct {
    const char *name, *command;
} moves[] = {
    { "configurationDone", "continue" },
    { "continue", "continue" },
    { "next", "step" },
    { "stepIn", "step" },
    { "stepOut", "continue" },
    { "reverseContinue", "back 1" },
    { "stepBack", "back 1" },
    { "disconnect", "quit" },
    { "terminate", "quit" },
};

static void tell_stop(Debug *d, const char *reason)
{
    Text body = { .arena = d->what->arena };
    text_printf(&body, "{\"reason\":\"%s\",\"threadId\":1,\"allThreadsStopped\":true,", reason);
    add_member(&body, "description", d->reason);
    text_add_literal(&body, "}");
    tell(d, "stopped", body.at);
}

/* True: the run goes on. */
static bool move(Debug *d, Str request, const char *command)
{
    Text said = { .arena = d->what->arena };
    bool goes = debug_command(d, command, &said);
    respond(d, request, true, NULL, NULL);
    if (!goes) snprintf(d->reason, sizeof d->reason, "%.*s", (int)strcspn(said.at, "\n"), said.at);
    if (!goes) tell_stop(d, "step");
    return goes;
}

void debug_serve(Debug *d, DebugStop stop)
{
    static const char *const reasons[] = { "entry", "step", "breakpoint", "pause", "exception" };
    if (stop == STOP_END) tell(d, "terminated", "{}");
    if (stop != STOP_START && stop != STOP_END) tell_stop(d, reasons[stop]);
    for (;;) {
        Str request = read_message(d);
        const char *command = request.n ? text_value(d, member(request, "command")) : "disconnect";
        Text body = { .arena = d->what->arena }, none = { .arena = d->what->arena };
        bool is_known = false;
        if (!request.n) {
            debug_command(d, "quit", &none);
            return;
        }
        for (size_t k = 0; k < COUNT_OF(moves); k++)
            if (!strcmp(command, moves[k].name)) {
                if (move(d, request, moves[k].command)) return;
                is_known = true;
            }
        for (size_t k = 0; k < COUNT_OF(answers) && !is_known; k++) {
            if (strcmp(command, answers[k].name) != 0) continue;
            bool ok = answers[k].answer(d, request, &body);
            respond(d, request, ok, ok ? NULL : "this cannot be done", body.n ? body.at : NULL);
            if (!strcmp(command, "initialize")) tell(d, "initialized", "{}");
            is_known = true;
        }
        if (!is_known) respond(d, request, false, "this request is not supported", NULL);
    }
}
