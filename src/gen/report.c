/* report.c: failures and warnings of a running model in the user's words: the equation as it was written, where, and of what.
 *
 * Every instruction knows what it came from: an equation, a variable's declaration, a statement of a function. A value that
 * is no number is traced to the first operation that made it, by running the code once more. Tests: tests/cli/failures.sh. */
#include "gen/inside.h"

#include <math.h>
#include <stdio.h>

enum { LONGEST_TEXT = 160 };

/* The text of a span on one line, and its place. Lines are counted here, not looked up: instances may fail in several
 * threads at once. */
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

void gen_add_source(Instance *i, uint32_t source)
{
    const System *s = i->c->s;
    size_t used = strlen(i->message);
    char *out = i->message + used;
    size_t room = sizeof i->message - used;
    Span span = { 0 };
    const char *name = NULL;
    if (source == NONE) return;
    if (source & SOURCE_VARIABLE) {
        uint32_t v = source & ~(uint32_t)SOURCE_VARIABLE;
        if (v < s->vars.n) span = s->vars.at[v].span, name = s->vars.at[v].name;
    } else if (source & SOURCE_STATEMENT) {
        uint32_t id = source & ~(uint32_t)SOURCE_STATEMENT;
        if (id < s->flat->stmts.n) span = s->flat->stmts.at[id].span;
    } else if (source < s->eqs.n) {
        span = s->eqs.at[source].span;
        name = variable_of(s, &s->eqs.at[source]);
    }
    int n = describe_span(i->c, span, out, room);
    if (name && n >= 0 && (size_t)n < room) snprintf(out + n, room - (size_t)n, ", for '%s'", name);
}

/* The first operation of a function that makes something that is no number. */
static bool trace(Instance *i, IrFun f, uint32_t *source)
{
    RtCell none = { 0 };
    IrFault fault;
    if (f == IR_NONE || !ir_explain(i->c->module, f, i->rt, &none, &fault)) return false;
    *source = fault.source;
    return true;
}

static bool trace_program(Instance *i, const GenProgram *p, uint32_t *source)
{
    for (uint32_t k = 0; k < p->n; k++) {
        const GenStep *step = &p->at[k];
        IrFun f = step->block == NONE ? step->run : i->c->blocks.at[step->block].residual;
        if (trace(i, f, source)) return true;
    }
    return false;
}

void gen_add_cause(Instance *i, IrFun f)
{
    uint32_t source = NONE;
    const GenProgram *programs[] = { &i->c->constants, &i->c->derivatives, &i->c->rest };
    bool found = f != IR_NONE ? trace(i, f, &source) : trace(i, i->c->parameters, &source);
    for (size_t k = 0; f == IR_NONE && !found && k < COUNT_OF(programs); k++)
        found = trace_program(i, programs[k], &source);
    if (found) gen_add_source(i, source);
}

/* ---- values that are no numbers ---- */

static const char *what_it_is(double value) { return isnan(value) ? "not a number" : "infinite"; }

/* A parameter that is computed from numbers is one: else 1/(1/p) with p = 0 would be 0 without a word. What was set by hand,
 * and what follows from that, may be infinite. */
EvalStatus gen_check_parameters(Instance *i)
{
    const System *s = i->c->s;
    for (uint32_t k = 0; k < s->parameters.assigns.n; k++) {
        uint32_t v = s->parameters.assigns.at[k].var, source;
        double value = i->memory[MEM_VALUE][v];
        if (isfinite(value) || s->vars.at[v].type != BASE_REAL || i->memory[MEM_SET][v] != 0) continue;
        if (!trace(i, i->c->parameters, &source)) return EVAL_OK;
        gen_fail(i, EVAL_FATAL, "the parameter '%s' is %s", s->vars.at[v].name, what_it_is(value));
        gen_add_source(i, source);
        return EVAL_FATAL;
    }
    return EVAL_OK;
}

/* Divisions by a parameter that are computed whatever happens. What has a value wherever its variables have is not looked into,
 * so this is cheap. */
void gen_find_divisors(Compiled *c, Arena *scratch)
{
    const System *s = c->s;
    Map seen = { .arena = scratch };
    VEC(Sym) stack = { 0 };
    for (uint32_t e = 0; e < s->eqs.n; e++) {
        vec_push(scratch, &stack, s->eqs.at[e].left);
        vec_push(scratch, &stack, s->eqs.at[e].right);
        while (stack.n) {
            Sym sym = stack.at[--stack.n];
            const SymNode *n = sym_node(s->pool, sym);
            bool is_new, is_lazy = n->op == SYM_IF || n->op == SYM_AND || n->op == SYM_OR;
            if (n->is_total) continue;
            map_put(&seen, sym, &is_new);
            if (!is_new) continue;
            const SymNode *by = n->op == SYM_DIV ? sym_node(s->pool, n->arg[1]) : NULL;
            if (by && by->op == SYM_VAR && s->vars.at[by->index].role <= ROLE_PARAMETER)
                vec_push(c->arena, &c->divisors, ((GenDivisor){ by->index, e }));
            for (uint32_t k = 0; k < (is_lazy ? 1 : sym_arity((SymOp)n->op)); k++)
                vec_push(scratch, &stack, n->arg[k]);
        }
    }
}

EvalStatus gen_check_divisors(Instance *i)
{
    for (uint32_t k = 0; k < i->c->divisors.n; k++) {
        const GenDivisor *d = &i->c->divisors.at[k];
        if (i->memory[MEM_VALUE][d->var] != 0) continue;
        gen_fail(i, EVAL_FATAL, "division by the parameter '%s', which is zero,",
                 i->c->s->vars.at[d->var].name);
        gen_add_source(i, d->eq);
        return EVAL_FATAL;
    }
    return EVAL_OK;
}

EvalStatus gen_check_values(Instance *i, EvalStatus as)
{
    const System *s = i->c->s;
    for (uint32_t v = 0; v < s->vars.n; v++) {
        if (isfinite(i->memory[MEM_VALUE][v]) || s->vars.at[v].role < ROLE_STATE) continue;
        gen_fail(i, as, "at time %.10g: '%s' is %s", i->memory[MEM_MODE][MODE_TIME], s->vars.at[v].name,
                 what_it_is(i->memory[MEM_VALUE][v]));
        gen_add_cause(i, IR_NONE);
        return as;
    }
    return EVAL_OK;
}

/* ---- assertions ---- */

const char *gen_check_text(Instance *i, uint32_t check)
{
    RtCell none;
    IrFun f = i->c->check_text[check];
    if (f == IR_NONE) return i->c->s->checks.at[check].message;
    RtStatus status = ir_run(i->c->code, f, i->rt, &none);
    return status == RT_ASSERT && i->rt->error.message ? i->rt->error.message
                                                       : "(its text cannot be computed)";
}

EvalStatus gen_check(Instance *i, EvalStatus as)
{
    const System *s = i->c->s;
    if (!i->c->asserts) return EVAL_OK;
    EvalStatus status = gen_call(i, i->c->fire);
    for (uint32_t k = 0; k < s->checks.n && status == EVAL_OK; k++) {
        const DaeCheck *check = &s->checks.at[k];
        if (!check->is_assert || check->is_warning || i->memory[MEM_FIRE][2 * s->reinits.n + k] != 0)
            continue;
        double t = i->memory[MEM_MODE][MODE_TIME];
        status = gen_fail(i, as, "at time %.10g: assertion failed: %s;", t, gen_check_text(i, k));
        size_t used = strlen(i->message);
        describe_span(i->c, check->span, i->message + used, sizeof i->message - used);
    }
    return status;
}

void gen_warn(void *instance, const char *message, uint32_t source)
{
    Instance *i = instance;
    (void)source;
    if (!i->notice[0]) snprintf(i->notice, sizeof i->notice, "%s", message);
}

/* A warning is given once each time it becomes true, at steps that count. MEM_FIRE holds what they are. */
const char *gen_notice(Model *model)
{
    Instance *i = model->data;
    const System *s = i->c->s;
    if (i->notice[0]) { /* from inside of a function */
        snprintf(i->message, sizeof i->message, "at time %.10g: warning: %s", i->memory[MEM_MODE][MODE_TIME],
                 i->notice);
        i->notice[0] = 0;
        return i->message;
    }
    if (!i->c->warnings || gen_call(i, i->c->fire) != EVAL_OK) return NULL;
    for (uint32_t k = 0; k < s->checks.n; k++) {
        const DaeCheck *check = &s->checks.at[k];
        if (!check->is_assert || !check->is_warning) continue;
        bool fails = i->memory[MEM_FIRE][2 * s->reinits.n + k] == 0, is_new = fails && !i->warned[k];
        i->warned[k] = fails;
        if (!is_new) continue;
        gen_fail(i, EVAL_OK, "at time %.10g: warning: %s;", i->memory[MEM_MODE][MODE_TIME],
                 gen_check_text(i, k));
        size_t used = strlen(i->message);
        describe_span(i->c, check->span, i->message + used, sizeof i->message - used);
        return i->message;
    }
    return NULL;
}

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
