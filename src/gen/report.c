/* report.c: what messages of a running model say about its source: the equation as it was written,
 * where, and of what.
 *
 * Every instruction knows what it came from: an equation, a variable's declaration, a statement of
 * a function, an assertion. A value that is not finite is traced to the first operation that made
 * it, by running the code once more. Tests: tests/cli/failures.sh. */
#include "gen/inside.h"

#include <stdio.h>

enum { LONGEST_TEXT = 160 };

/* The text of a span on one line, and its place. Lines are counted here, not looked up: instances
 * may fail in several threads at once. */
static int describe_span(const Compiled *c, Span span, char *out, size_t room)
{
    const Source *source = c->sources && span.n ? source_of(c->sources, span) : NULL;
    if (!source) return 0;
    char words[LONGEST_TEXT + 4];
    size_t at = span.at - source->base, n = 0, line = 1;
    for (size_t k = 0; k < at; k++) line += source->text.at[k] == '\n';
    for (size_t k = at; k < at + span.n && k < source->text.n && n < LONGEST_TEXT; k++) {
        char letter = source->text.at[k];
        bool is_space = letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
        if (is_space && n && words[n - 1] == ' ') continue;
        words[n++] = is_space ? ' ' : letter;
    }
    words[n] = 0;
    return snprintf(out, room, " in `%s%s` (%s:%zu)", words, n == LONGEST_TEXT ? "..." : "", source->path,
                    line);
}

/* The variable that an equation is about: the first that it solves for, or reads. */
static const char *variable_of(const System *s, const DaeEq *eq)
{
    const char *found = NULL;
    for (uint32_t k = 0; k < eq->gradient.n; k++) {
        const DaeVar *v = &s->vars.at[eq->gradient.at[k].var];
        bool is_solved = v->role >= ROLE_DERIVATIVE, is_known = v->flat != NONE || v->role == ROLE_DERIVATIVE;
        if (is_known && (!found || is_solved)) found = v->name;
        if (is_known && is_solved) break;
    }
    return found;
}

void gen_place(const RunModel *model, uint32_t source, char *out, size_t room)
{
    const Compiled *c = model->owner;
    const System *s = c->s;
    Span span = { 0 };
    const char *name = NULL;
    uint32_t id = source & 0x0fffffff;
    if (source & SOURCE_VARIABLE) {
        if (id < s->vars.n) span = dae_definition(s, id), name = s->vars.at[id].name;
    } else if (source & SOURCE_STATEMENT) {
        if (id < s->flat->stmts.n) span = s->flat->stmts.at[id].span;
    } else if (source & SOURCE_CHECK) {
        if (id < s->checks.n) span = s->checks.at[id].span;
    } else if (source < s->eqs.n) {
        span = s->eqs.at[source].span;
        name = variable_of(s, &s->eqs.at[source]);
    }
    int n = describe_span(c, span, out, room);
    if (name && n >= 0 && (size_t)n < room) snprintf(out + n, room - (size_t)n, ", for '%s'", name);
}

bool gen_cause(RunInstance *run, uint32_t function, uint32_t *source)
{
    const Compiled *c = run_model(run)->owner;
    RtCell none = { 0 };
    IrFault fault;
    if (!ir_explain(c->module, function, run_rt(run), &none, &fault)) return false;
    *source = fault.source;
    return true;
}

/* Divisions by a parameter, of equations; a value that is infinite by a parameter's own division is
 * found when it is computed. */
static void keep_divisor(void *arg, const DaeDivision *d)
{
    Compiled *c = arg;
    const SymNode *by = sym_node(c->s->pool, d->divisor);
    if (d->eq != NONE && by->op == SYM_VAR && c->s->vars.at[by->index].role <= ROLE_PARAMETER)
        vec_push(c->arena, &c->divisors, ((RunDivisor){ by->index, d->eq }));
}

void gen_find_divisors(Compiled *c, Arena *scratch) { dae_each_division(c->s, scratch, keep_divisor, c); }

void gen_lower_texts(Lower *l)
{
    Compiled *c = l->c;
    const System *s = c->s;
    c->check_text = NEW_ARRAY(c->arena, IrFun, s->checks.n + 1);
    for (uint32_t k = 0; k < s->checks.n; k++) {
        c->check_text[k] = IR_NONE;
        if (s->checks.at[k].text == NONE) continue;
        lower_begin(l, "text");
        IrReg text = lower_real(l, s->checks.at[k].text);
        if (l->b.f->regs.at[text].type == IR_STR) {
            ir_assert(&l->b, ir_int(&l->b, 0), text);
            c->check_text[k] = lower_end(l);
        } else {
            lower_end(l);
        }
    }
}
