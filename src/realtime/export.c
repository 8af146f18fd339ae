/* export.c: a stepper of order 1 as stand-alone C: one .c, one .h, libm and nothing else, no heap.
 *
 * In: a stepper. Out: C99 text. How: straight code is printed instruction by instruction; memories
 * that it uses are arrays of one struct, which `start` fills with the values they had at the start
 * of the run. Relations are set to what they are where a step finds one changed, at most ROUNDS
 * times. Always: compiled with -ffp-contract=off it computes the bits of the stepper. Refused:
 * functions with loops, and discrete variables, whose events are not straight. Cost: linear. Tests:
 * tests/realtime/export_test.c. */
#include "realtime/inside.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { EVENT_ROUNDS = 4, NUMBERS_A_LINE = 6 };

typedef struct {
    const RtStepper *s;
    const IrModule *module;
    const char *name;
    bool *used; /* by memory */
    Text *out;
} Printer;

typedef VEC(int) Inputs; /* variables of the model */

/* How operations look; 1, 2 and 3 stand for the operands, $ for a function of libm. */
static const char *const patterns[IR_OP_COUNT] = {
    [IR_ADD] = "1 + 2",      [IR_SUB] = "1 - 2",         [IR_MUL] = "1 * 2",
    [IR_DIV] = "1 / 2",      [IR_MIN] = "1 < 2 ? 1 : 2", [IR_MAX] = "1 > 2 ? 1 : 2",
    [IR_NEG] = "-1",         [IR_ABS] = "fabs(1)",       [IR_SQRT] = "sqrt(1)",
    [IR_FLOOR] = "floor(1)", [IR_CEIL] = "ceil(1)",      [IR_TRUNC] = "trunc(1)",
    [IR_MATH1] = "$(1)",     [IR_MATH2] = "$(1, 2)",     [IR_LT] = "1 < 2",
    [IR_LE] = "1 <= 2",      [IR_EQ] = "1 == 2",         [IR_NE] = "1 != 2",
    [IR_ILT] = "1 < 2",      [IR_ILE] = "1 <= 2",        [IR_IEQ] = "1 == 2",
    [IR_INE] = "1 != 2",     [IR_AND] = "1 & 2",         [IR_OR] = "1 | 2",
    [IR_NOT] = "1 == 0",     [IR_TO_REAL] = "(double)1", [IR_SELECT] = "1 ? 2 : 3",
};

static void add_real(Text *out, double x)
{
    if (isnan(x))
        text_add_literal(out, "NAN");
    else if (isinf(x))
        text_add(out, x < 0 ? STR("-HUGE_VAL") : STR("HUGE_VAL"));
    else if (x == floor(x) && fabs(x) < 1e15)
        text_printf(out, "%.1f", x);
    else
        text_printf(out, "%a", x);
}

static void add_field(Printer *p, uint32_t memory)
{
    for (const char *c = p->module->memories.at[memory].name; *c; c++)
        text_add_char(p->out, isalnum((unsigned char)*c) ? *c : '_');
    text_printf(p->out, "_%" PRIu32, memory);
}

static bool is_printable(const IrFunction *f, const IrInsn *insn)
{
    if (insn->op == IR_KREAL || insn->op == IR_KINT) return true;
    if (insn->op == IR_LOAD || insn->op == IR_STORE)
        return insn->b == IR_NONE && f->arrays.at[insn->a].place == IR_MEMORY;
    return patterns[insn->op] != NULL;
}

/* Whether it can be printed; notes the memories it uses. */
static bool look_at(Printer *p, IrFun id)
{
    const IrFunction *f = p->module->functions.at[id];
    for (uint32_t i = 0; i < f->code.n; i++) {
        const IrInsn *insn = &f->code.at[i];
        if (!is_printable(f, insn)) return false;
        if (insn->op == IR_LOAD || insn->op == IR_STORE) p->used[f->arrays.at[insn->a].index] = true;
    }
    return true;
}

static void add_operation(Printer *p, const IrFunction *f, const IrInsn *insn)
{
    Text *out = p->out;
    if (insn->op == IR_KREAL) {
        add_real(out, p->module->reals.at[insn->a]);
        return;
    }
    if (insn->op == IR_KINT) {
        text_printf(out, "%" PRId64, p->module->ints.at[insn->a]);
        return;
    }
    if (insn->op == IR_LOAD) {
        text_add_literal(out, "m->");
        add_field(p, f->arrays.at[insn->a].index);
        text_printf(out, "[%" PRId32 "]", insn->imm);
        return;
    }
    for (const char *c = patterns[insn->op]; *c; c++) {
        if (*c >= '1' && *c <= '3')
            text_printf(out, "t%" PRIu32, *c == '1' ? insn->a : *c == '2' ? insn->b : insn->c);
        else if (*c == '$')
            text_add(out, str_of(ir_maths[insn->imm].name));
        else
            text_add_char(out, *c);
    }
}

static void print_function(Printer *p, IrFun id, const char *name)
{
    const IrFunction *f = p->module->functions.at[id];
    text_printf(p->out, "static void %s(%s *m)\n{\n", name, p->name);
    for (uint32_t i = 0; i < f->code.n; i++) {
        const IrInsn *insn = &f->code.at[i];
        if (insn->op == IR_STORE) {
            text_add_literal(p->out, "    m->");
            add_field(p, f->arrays.at[insn->a].index);
            text_printf(p->out, "[%" PRId32 "] = t%" PRIu32 ";\n", insn->imm, insn->c);
            continue;
        }
        text_printf(p->out, "    const %s t%" PRIu32 " = ",
                    f->regs.at[insn->dst].type == IR_REAL ? "double" : "int64_t", insn->dst);
        add_operation(p, f, insn);
        text_add_literal(p->out, ";\n");
    }
    text_add_literal(p->out, "}\n\n");
}

/* ---- the header ------------------------------------------------------------------------------ */

static void print_names(Printer *p, const char *what, const char *const *names, size_t n)
{
    text_printf(p->out, "const char *const %s_%s_names[] = {", p->name, what);
    for (size_t k = 0; k < n; k++) {
        text_add(p->out, k % 4 ? STR(" ") : STR("\n    "));
        text_add_json(p->out, str_of(names[k]));
        text_add_char(p->out, ',');
    }
    text_printf(p->out, "%s\n};\n", n ? "" : "\n    0");
}

static void print_header(Printer *p, size_t inputs)
{
    const RtStepper *s = p->s;
    Text *out = p->out;
    RtOperations worst = stepper_operations(s);
    long operations = operations_total(&worst);
    text_printf(out,
                "/* %s.h: steps of %g s of the model %s, %ld operations each. Made by acausal realtime.\n *\n"
                " *     %s model;\n *     %s_start(&model);\n *     for (;;) flags = %s_step(&model);\n *\n"
                " * After a step: time, states x and outputs y (those that are no states: of the step's "
                "beginning); error is an "
                "estimate of its local error as\n"
                " * a share of a range, pivot how many times smaller the worst pivot was than any in the "
                "analysis. */\n",
                p->name, s->system.tau, s->shape->name, operations, p->name, p->name, p->name);
    text_printf(out, "#ifndef %s_H\n#define %s_H\n\n", p->name, p->name);
    text_printf(out, "enum { %s_STATES = %d, %s_INPUTS = %zu, %s_OUTPUTS = %zu };\n", p->name, s->system.n,
                p->name, inputs, p->name, s->options.output_count);
    text_printf(out, "enum { %s_EVENT = 1, %s_NOT_CONVERGED = 2, %s_POOR_PIVOT = 4, %s_HELD = 8 };\n\n",
                p->name, p->name, p->name, p->name);
    text_printf(out,
                "typedef struct {\n    double time, error, pivot;\n    long steps;\n    double x[%d], "
                "u[%zu], y[%zu];\n",
                s->system.n, inputs ? inputs : 1, s->options.output_count ? s->options.output_count : 1);
    text_add_literal(out, "    /* inside: */\n");
    for (uint32_t k = 0; k < p->module->memories.n; k++) {
        if (!p->used[k]) continue;
        text_add_literal(out, "    double ");
        add_field(p, k);
        text_printf(out, "[%" PRIu32 "];\n", p->module->memories.at[k].n);
    }
    text_printf(out,
                "} %s;\n\nextern const char *const %s_state_names[], *const %s_input_names[], *const "
                "%s_output_names[];\n",
                p->name, p->name, p->name, p->name);
    text_printf(out, "void %s_start(%s *model);\nvoid %s_set_input(%s *model, int input, double value);\n",
                p->name, p->name, p->name, p->name);
    text_printf(out, "int %s_step(%s *model); /* flags as above; 0: nothing special */\n\n#endif\n", p->name,
                p->name);
}

/* ---- the body -------------------------------------------------------------------------------- */

static void print_start_values(Printer *p)
{
    for (uint32_t k = 0; k < p->module->memories.n; k++) {
        const double *at = p->s->arrays[k].at;
        if (!p->used[k]) continue;
        text_add_literal(p->out, "static const double start_");
        add_field(p, k);
        text_add_literal(p->out, "[] = {");
        for (uint32_t i = 0; i < p->module->memories.at[k].n; i++) {
            text_add(p->out, i % NUMBERS_A_LINE ? STR(" ") : STR("\n    "));
            add_real(p->out, at[i]);
            text_add_char(p->out, ',');
        }
        text_add_literal(p->out, "\n};\n");
    }
}

static void print_start(Printer *p, const Inputs *inputs)
{
    Text *out = p->out;
    text_printf(out, "void %s_start(%s *m)\n{\n    memset(m, 0, sizeof *m);\n", p->name, p->name);
    for (uint32_t k = 0; k < p->module->memories.n; k++) {
        if (!p->used[k]) continue;
        text_add_literal(out, "    memcpy(m->");
        add_field(p, k);
        text_add_literal(out, ", start_");
        add_field(p, k);
        text_add_literal(out, ", sizeof m->");
        add_field(p, k);
        text_add_literal(out, ");\n");
    }
    text_add_literal(out, "    m->time = ");
    add_real(out, p->s->t0);
    text_add_literal(out, ";\n    memcpy(m->x, m->");
    add_field(p, gen_straight_x(p->s->code));
    text_add_literal(out, ", sizeof m->x);\n");
    for (uint32_t k = 0; k < inputs->n; k++) {
        const double *values = p->s->arrays[gen_straight_values(p->s->code)].at;
        text_printf(out, "    m->u[%" PRIu32 "] = ", k);
        add_real(out, values[p->s->shape->variables[inputs->at[k]].slot]);
        text_add_literal(out, ";\n");
    }
    text_add_literal(out, "}\n\n");
}

/* Text in which @N, @X, @F, @S, @Y, @T and @R stand for names and numbers. */
static const char step_text[] = "int @N_step(@N *m)\n"
                                "{\n"
                                "    int flags = 0;\n"
                                "    double sum = 0;\n"
                                "    m->@T[@t] = m->time;\n"
                                "    step(m);\n"
                                "@E"
                                "    for (int i = 0; i < @n; i++) sum += m->@F[i] * 0;\n"
                                "    if (sum == 0)\n"
                                "        memcpy(m->@X, m->@F, sizeof m->@X);\n"
                                "    else\n"
                                "        flags |= @N_HELD;\n"
                                "    m->pivot = m->@S[1];\n"
                                "    m->error = m->@S[2];\n"
                                "    if (!(m->pivot <= 1e3)) flags |= @N_POOR_PIVOT;\n"
                                "    memcpy(m->x, m->@X, sizeof m->x);\n"
                                "@Y"
                                "    m->steps++;\n"
                                "    m->time = @0 + (double)m->steps * @h;\n"
                                "    return flags;\n"
                                "}\n";
static const char event_text[] = "    for (int round = 0; m->@S[0] != 0; round++) {\n"
                                 "        flags |= @N_EVENT;\n"
                                 "        if (round == @r) {\n"
                                 "            flags |= @N_NOT_CONVERGED;\n"
                                 "            break;\n"
                                 "        }\n"
                                 "        relations(m);\n"
                                 "        step(m);\n"
                                 "    }\n";
static const char output_text[] = "    memcpy(m->y, m->@O, sizeof m->y);\n";

static void print_state_outputs(Printer *p)
{
    for (size_t k = 0; k < p->s->options.output_count; k++)
        if (p->s->output_state[k] >= 0)
            text_printf(p->out, "    m->y[%zu] = %sm->x[%d];\n", k, p->s->signs[k] < 0 ? "-" : "",
                        p->s->output_state[k]);
}

static void print_step(Printer *p, const char *text)
{
    const RtStepper *s = p->s;
    for (const char *c = text; *c; c++) {
        if (*c != '@') {
            text_add_char(p->out, *c);
            continue;
        }
        switch (*++c) {
        case 'N': text_add(p->out, str_of(p->name)); break;
        case 'X': add_field(p, gen_straight_x(s->code)); break;
        case 'F': add_field(p, s->memory[MEMORY_NEXT]); break;
        case 'S': add_field(p, s->memory[MEMORY_STATUS]); break;
        case 'O': add_field(p, s->memory[MEMORY_OUTPUTS]); break;
        case 'T': add_field(p, gen_straight_time(s->code).memory); break;
        case 't': text_printf(p->out, "%" PRIu32, gen_straight_time(s->code).index); break;
        case 'n': text_printf(p->out, "%d", s->system.n); break;
        case 'r': text_printf(p->out, "%d", EVENT_ROUNDS); break;
        case '0': add_real(p->out, s->t0); break;
        case 'h': add_real(p->out, s->system.tau); break;
        case 'E':
            if (gen_straight_relations(s->code)) print_step(p, event_text);
            break;
        case 'Y':
            if (p->used[s->memory[MEMORY_OUTPUTS]]) print_step(p, output_text);
            print_state_outputs(p);
            break;
        default: break;
        }
    }
}

static void print_inputs(Printer *p, const Inputs *inputs)
{
    const ModelShape *shape = p->s->shape;
    Text *out = p->out;
    text_printf(out, "void %s_set_input(%s *m, int input, double value)\n{\n", p->name, p->name);
    uint32_t values = gen_straight_values(p->s->code);
    if (!inputs->n || !p->used[values]) {
        text_add_literal(out, "    (void)m, (void)input, (void)value;\n}\n\n");
        return;
    }
    text_add_literal(out, "    static const int place[] = {");
    for (uint32_t k = 0; k < inputs->n; k++) text_printf(out, " %d,", shape->variables[inputs->at[k]].slot);
    text_printf(out, " };\n    if (input < 0 || input >= %" PRIu32 ") return;\n    m->u[input] = m->",
                inputs->n);
    add_field(p, values);
    text_add_literal(out, "[place[input]] = value;\n}\n\n");
}

static void print_all_names(Printer *p, const Inputs *inputs, Arena *arena)
{
    const RtStepper *s = p->s;
    size_t most = size_max(inputs->n, s->options.output_count);
    const char **names = NEW_ARRAY(arena, const char *, most + 1);
    print_names(p, "state", s->names, (size_t)s->system.n);
    for (uint32_t k = 0; k < inputs->n; k++) names[k] = s->shape->variables[inputs->at[k]].name;
    print_names(p, "input", names, inputs->n);
    for (size_t k = 0; k < s->options.output_count; k++)
        names[k] = s->shape->variables[s->options.outputs[k]].name;
    print_names(p, "output", names, s->options.output_count);
    text_add_char(p->out, '\n');
}

bool stepper_export(RtStepper *s, const char *name, Text *source, Text *header, char *why, size_t room)
{
    Printer p = { .s = s, .module = gen_straight_module(s->code), .name = name, .out = header };
    p.used = NEW_ARRAY(header->arena, bool, p.module->memories.n + 1);
    bool has_relations = gen_straight_relations(s->code) > 0;
    Inputs inputs = { 0 };
    for (int k = 0; k < s->shape->variable_count; k++)
        if (s->shape->variables[k].is_input) vec_push(header->arena, &inputs, k);
    const char *reason = s->options.order != 1 ? "only steps of order 1 are exported"
                         : !gen_straight_is_plain(s->code)
                             ? "its events change more than relations: discrete variables, samples or reinit"
                         : !look_at(&p, s->step) || (has_relations && !look_at(&p, s->relations))
                             ? "it calls functions that are not straight code"
                             : NULL;
    if (reason) {
        snprintf(why, room, "the stepper cannot be exported: %s", reason);
        return false;
    }
    p.used[gen_straight_time(s->code).memory] = true;
    print_header(&p, inputs.n);
    p.out = source;
    text_printf(source,
                "/* %s.c: see %s.h. To be compiled with -ffp-contract=off for the same bits everywhere. "
                "*/\n#include \"%s.h\"\n\n"
                "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n",
                name, name, name);
    print_all_names(&p, &inputs, source->arena);
    print_start_values(&p);
    text_add_char(source, '\n');
    print_function(&p, s->step, "step");
    if (has_relations) print_function(&p, s->relations, "relations");
    print_start(&p, &inputs);
    print_inputs(&p, &inputs);
    print_step(&p, step_text);
    return true;
}
