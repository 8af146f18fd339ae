/* objective.c: an expression over the names of a model as a variable of a model made from it.
 *
 * In: a class, the text of an expression; integral(e) in it is the integral of e over the run. Out:
 * a class that extends it with a variable for the value, and with a state for each integral, so
 * that nothing else has to know of integrals. Always: what is wrong in the expression is told by
 * the front end, with its place. Tests: tests/cli/sensitivity.sh. */
#include "api/made.h"

static const char INTEGRAL[] = "integral(";

/* The end of what the parenthesis before `at` opens; NULL if nothing closes it. */
static const char *closing(const char *at)
{
    int open = 1;
    for (; *at; at++) {
        open += (*at == '(') - (*at == ')');
        if (!open) return at;
    }
    return NULL;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* The expression with names of states in the place of integrals, whose declarations and equations
 * go elsewhere. */
static bool take_integrals(AcausalSession *s, const char *from, Text *value, Text *declared, Text *equations)
{
    int count = 0;
    for (const char *at = from; *at;) {
        bool begins = !strncmp(at, INTEGRAL, sizeof INTEGRAL - 1) && (at == from || !is_word(at[-1]));
        if (!begins) {
            text_add_char(value, *at++);
            continue;
        }
        const char *inner = at + sizeof INTEGRAL - 1, *end = closing(inner);
        if (!end) return wrong(s, E_OPTION, "in the objective '%s' nothing closes 'integral('", from);
        text_printf(value, "integral_%d", ++count);
        text_printf(declared, " Real integral_%d(start = 0, fixed = true);", count);
        text_printf(equations, " der(integral_%d) = %.*s;", count, (int)(end - inner), inner);
        at = end + 1;
    }
    return true;
}

Class *class_with_objective(AcausalSession *s, const Class *cls, const char *expression)
{
    Text text = { .arena = s->arena }, base = { .arena = s->arena }, value = { .arena = s->arena },
         declared = { .arena = s->arena }, equations = { .arena = s->arena };
    text_printf(&declared, "%s", "");
    text_printf(&equations, "%s", "");
    if (!take_integrals(s, expression, &value, &declared, &equations)) return NULL;
    class_full_name(cls, &base);
    text_printf(&text, "model WithObjective%u extends .%s;%s Real %s = %s; equation%s end WithObjective%u;",
                s->set_classes, base.at, declared.at, OBJECTIVE_NAME, value.n ? value.at : "0", equations.at,
                s->set_classes);
    s->set_classes++;
    Class *made = libraries_open_text(s->libraries, "--objective", (Str){ text.at, text.n }, &s->diag);
    bool is_driven = false;
    for (uint32_t i = 0; i < s->driven.n; i++) is_driven |= s->driven.at[i] == cls;
    if (made && is_driven) vec_push(s->arena, &s->driven, made);
    return made;
}

AcausalModel *model_with_objective(AcausalSession *s, const char *source, const char *class_name,
                                   const char *expression)
{
    if (!expression) return acausal_compile(s, source, class_name);
    Class *cls = session_find_class(s, source, class_name);
    Class *made = cls ? class_with_objective(s, cls, expression) : NULL;
    AcausalModel *m = made ? model_of_class(s, made) : NULL;
    if (m) m->suggests = cls;
    return m;
}
