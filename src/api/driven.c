/* driven.c: a model whose inputs follow a table, as a model without inputs: the values of the table
 * are parameters of it, so that whatever differentiates in parameters differentiates in inputs.
 *
 * In: a class, its model, a table of inputs. Out: a class that extends it, in which each input of
 * the table is a straight line between two rows, or for inputs that are held the row before; each
 * row is a time event. So kinks and jumps are met, and state events that inputs move have their
 * derivatives. Cost: a parameter a value. Tests: tests/cli/sensitivity.sh, tests/python. */
#include "api/made.h"

#include <math.h>

typedef struct {
    AcausalSession *s;
    const ResultTable *table;
    Text modifiers, declared;
    size_t count; /* of inputs so far */
    const ModelVariable **inputs;
} Driven;

static double row_time(const ResultTable *table, size_t i) { return signal_at(&table->time, i); }

static void add_list(Text *text, const char *type, const char *name, size_t n)
{
    text_printf(text, " parameter %s inputs_%s[%zu] = {", type, name, n);
}

/* Values of one input, and how it follows from them. */
static void add_input(Driven *d, const ModelVariable *v, const Signal *signal)
{
    static const char *const types[] = { "Real", "Integer", "Boolean" };
    bool is_held = v->type != VARIABLE_REAL || v->kind == VARIABLE_DISCRETE;
    const char *type = types[v->type < VARIABLE_ENUMERATION ? v->type : VARIABLE_REAL];
    char name[32];
    snprintf(name, sizeof name, "%zu", ++d->count);
    d->inputs[d->count - 1] = v;
    add_list(&d->declared, type, name, d->table->rows);
    for (size_t i = 0; i < d->table->rows; i++) {
        double value = signal_at(signal, i);
        const char *comma = i ? "," : "";
        if (v->type == VARIABLE_BOOLEAN)
            text_printf(&d->declared, "%s%s", comma, value != 0.0 ? "true" : "false");
        else
            text_printf(&d->declared, "%s%.17g", comma, value);
    }
    text_printf(&d->declared, "};");
    text_printf(&d->modifiers, "%s%s = inputs_%s[inputs_left]", d->count > 1 ? ", " : "", v->name, name);
    if (!is_held)
        text_printf(&d->modifiers, " + (inputs_%s[inputs_right] - inputs_%s[inputs_left]) * inputs_share",
                    name, name);
}

/* The pieces between rows with different times, with what is before and behind them. */
static void add_pieces(Driven *d, double start)
{
    const ResultTable *t = d->table;
    size_t n = 0, first = 1;
    Text left = { .arena = d->s->arena }, right = left, from = left, length = left, until = left;
    for (size_t k = 0; k <= t->rows; k++) {
        double begin = k ? row_time(t, k - 1) : -INFINITY, end = k < t->rows ? row_time(t, k) : INFINITY;
        bool is_flat = k == 0 || k == t->rows;
        if (!(end > begin)) continue;
        const char *comma = n++ ? "," : "";
        text_printf(&left, "%s%zu", comma, k ? k : 1);
        text_printf(&right, "%s%zu", comma, k < t->rows ? k + 1 : k);
        text_printf(&from, "%s%.17g", comma, is_flat ? 0.0 : begin);
        text_printf(&length, "%s%.17g", comma, is_flat ? 1.0 : end - begin);
        text_printf(&until, "%s%.17g", comma, isfinite(end) ? end : 1e60);
        if (start >= begin) first = n;
    }
    text_printf(&d->declared,
                " final parameter Integer inputs_lefts[%zu] = {%s}, inputs_rights[%zu] = {%s};"
                " final parameter Real inputs_froms[%zu] = {%s}, inputs_lengths[%zu] = {%s},"
                " inputs_untils[%zu] = {%s};"
                " Integer inputs_piece(start = %zu, fixed = true); discrete Real inputs_until;"
                " Integer inputs_left, inputs_right; Real inputs_share;",
                n, left.at, n, right.at, n, from.at, n, length.at, n, until.at, first);
}

Class *class_with_inputs(AcausalSession *s, const Class *cls, const Model *model, const ResultTable *table,
                         double start, const ModelVariable **inputs, size_t *count)
{
    Driven d = { s, table, { .arena = s->arena }, { .arena = s->arena }, 0, inputs };
    Text text = { .arena = s->arena }, base = { .arena = s->arena };
    if (!table->rows) return wrong(s, E_OPTION, "the file of inputs has no rows"), NULL;
    for (size_t k = 0; k < table->count; k++) {
        const ModelVariable *v = model_find_variable(model, str_of(table->signals[k].name));
        if (!v || !v->is_input || v->type == VARIABLE_STRING) continue;
        for (size_t i = 0; i < table->rows; i++)
            if (!isfinite(signal_at(&table->signals[k], i)))
                return wrong(s, E_OPTION, "the input '%s' is no number in row %zu", v->name, i + 1), NULL;
        add_input(&d, v, &table->signals[k]);
    }
    *count = d.count;
    if (!d.count) return wrong(s, E_OPTION, "the file of inputs holds no input of the model"), NULL;
    add_pieces(&d, start);
    class_full_name(cls, &base);
    text_printf(&text,
                "model WithInputs%u extends .%s(%s);%s equation"
                " when time >= pre(inputs_until) then inputs_piece = pre(inputs_piece) + 1; end when;"
                " inputs_until = inputs_untils[inputs_piece];"
                " inputs_left = inputs_lefts[inputs_piece]; inputs_right = inputs_rights[inputs_piece];"
                " inputs_share = (time - inputs_froms[inputs_piece]) / inputs_lengths[inputs_piece];"
                " end WithInputs%u;",
                s->set_classes, base.at, d.modifiers.at, d.declared.at, s->set_classes);
    s->set_classes++;
    Class *made = libraries_open_text(s->libraries, "--input", (Str){ text.at, text.n }, &s->diag);
    if (made) vec_push(s->arena, &s->driven, made);
    return made;
}

void driven_inputs_are_local(const AcausalSession *s, const Class *cls, Flat *flat)
{
    bool is_driven = false;
    for (uint32_t i = 0; i < s->driven.n; i++) is_driven |= s->driven.at[i] == cls;
    for (uint32_t v = 0; v < flat->vars.n && is_driven; v++) {
        FlatVar *var = &flat->vars.at[v];
        if (var->causes == CAUSES_INPUT && var->binding != NONE) var->causes = CAUSES_LOCAL;
    }
}
