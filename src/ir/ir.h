/* ir.h: the door of ir/: one linear code for everything that is evaluated: Modelica functions at
 * compile time, the equations of a model at run time. It is built here, checked, optimised, printed
 * as text and as C, run by an interpreter or as machine code; all ways of running give the same
 * bits and the same failures.
 *
 * A module holds memories (arrays of the instance: states, parameters, ...), functions and external
 * functions. A function is a dense list of instructions with structured control flow (IF ELSE END,
 * LOOP END, FOR END) over
 *
 *   registers  of four types: REAL (a double) and three kinds of 64-bit words: INT (also Boolean,
 *   enumeration,
 *              loop counter), STR, PTR (external object). A register is either a *temporary*,
 *              written by exactly one
 *              instruction and read only after it in the same or an inner block; or a *variable*,
 *              which may be
 *              assigned (ir_set) and read anywhere and is 0 (0.0, empty, NULL) on entry. Inputs are
 *              temporaries.
 *              Outputs are variables.
 *   arrays     one-dimensional, of one type, in one of these places:
 *                FRAME    fixed length, cleared on entry          MEMORY   a memory of the module
 *                TABLE    fixed, constant, Reals of the module    PARAM    given by the caller:
 *                inputs, outputs
 *                DYNAMIC  made by NEW at run time                 VIEW     part of another array,
 *                made by VIEW
 *              Every access is checked against the length unless ir_optimize proved the check
 *              superfluous.
 *              Matrices are arrays with an index computed by the lowering (row by row), each
 *              subscript
 *              checked by CHECK_INDEX; records are several registers and arrays.
 *
 * What is a failure: see RtStatus. An instruction that fails ends the run; the instance then holds
 * the source id that the lowering gave (IrBuilder.source) and the figures. Overflow to infinity and
 * NaN are no failures: they travel as IEEE 754 says; where a value must be finite say CHECK_FINITE,
 * or ask ir_explain afterwards which source made the first one. Rounds of loops and calls count
 * against the step limit of the instance (Rt.steps): a FOR pays for all its rounds on entry, a LOOP
 * for each round, a function that calls others one on entry.
 *
 * Not to be relied on: two PARAM arrays of one call may overlap only if the callee writes none of
 * them. Memories never overlap. A string lives until the outermost run that made it is followed by
 * another; one to be stored in a memory must be made to last by `string_keep`.
 *
 * How to build:
 *
 *     IrBuilder b = ir_begin(module, "square_sum");
 *     IrArr x = ir_in_array(&b, IR_REAL, "x");
 *     IrReg s = ir_out(&b, IR_REAL, "s");
 *     IrReg i = ir_for(&b, ir_int(&b, 1), ir_length(&b, x), 1);
 *     IrReg e = ir_load(&b, x, i, -1);
 *     ir_set(&b, s, ir_two(&b, IR_ADD, s, ir_two(&b, IR_MUL, e, e)));
 *     ir_end(&b);
 *     ir_optimize(module, b.id);
 *
 * and how to run:
 *
 *     IrCode *code = ir_code_new(module, IR_AUTO);
 *     RtCell cells[] = { { .p = values }, { .i = 3 }, { .r = 0 } };
 *     if (ir_run(code, b.id, rt, cells) == RT_OK) use(cells[2].r);
 */
#ifndef ACAUSAL_IR_H
#define ACAUSAL_IR_H

#include "ir/build.h"
#include "ir/module.h"

/* ---- what passes share ----------------------------------------------------------------------- */

/* The type of an operand and the array flag, whether of a call's function or external. */
typedef struct {
    uint8_t type;
    bool is_array, is_output;
} IrOperand;
IrOperand ir_operand(const IrModule *module, const IrInsn *call, uint32_t k);

/* Calls see(arg, reg, is_def) for every register an instruction names, reads first. */
typedef void (*IrSee)(void *arg, IrReg reg, bool is_def);
void ir_each_reg(const IrModule *module, const IrFunction *f, const IrInsn *insn, IrSee see, void *arg);

/* ---- verify.c, dump.c, optimize.c, differentiate.c ------------------------------------------- */

/* NULL if the function keeps all rules of this header; else what is wrong, in the arena of the
 * module. Everything below takes only functions that verify. */
const char *ir_verify(const IrModule *module, IrFun f);
const char *ir_verify_module(const IrModule *module);

void ir_dump(const IrModule *module, IrFun f, Text *out);
void ir_dump_module(const IrModule *module, Text *out);
/* parse.c: adds what the text of a module holds; NULL, or the first mistake. Verify before
 * running. */
const char *ir_parse(IrModule *module, Str text);

/* Forwards stores to loads, merges equal loads and constants, removes what nobody reads, and marks
 * checks that cannot fail. Values, failures and their order stay the same. */
void ir_optimize(IrModule *module, IrFun f);

/* roll.c: loops in place of straight code that does the same for many elements, where that is most
 * of an optimised function. Values stay the same; ir_explain still tells which element's source
 * made the first one that is not finite. */
void ir_roll(IrModule *module, IrFun f);

/* Derivatives already made or given (from `derivative` annotations), and directions of memories.
 * Starts as all zeros. */
typedef struct {
    /* for each function its derivative, or IR_NONE; may be shorter than the list of functions */
    VEC(IrFun)
    of;
    /* for each memory the memory that holds its direction, or IR_NONE; NULL: all constant */
    const IrMem *memories;
} IrDerivatives;

/* The directional derivative of a function: a new one that takes the inputs of f, then a direction
 * for each REAL input (scalar or array, in order), and gives the outputs of f, then the derivative
 * of each REAL output. It can be differentiated again. At kinks it is the derivative of the branch
 * that is taken. IR_NONE if there is none: *why says so. A given derivative must have this form. */
IrFun ir_differentiate(IrModule *module, IrFun f, IrDerivatives *known, const char **why);

/* ---- code.c: running ------------------------------------------------------------------------- */

typedef enum { IR_AUTO, IR_INTERPRETER, IR_NATIVE } IrBackend;

/* A module made ready to run. Immutable: many instances may use it in many threads. The module must
 * outlive it. */
typedef struct IrCode IrCode;

/* IR_AUTO is native code where the machine and the system allow it, and the interpreter otherwise;
 * IR_NATIVE is NULL where they do not. NULL also when an external function has no way to be
 * called. */
IrCode *ir_code_new(const IrModule *module, IrBackend backend);
/* Takes over the functions and externals that were added to the module since, so that a compiler
 * can evaluate as it goes. Only for the interpreter, and only while nothing runs; false otherwise,
 * and for an external that cannot be called. Functions that were there already must not have
 * changed. */
bool ir_code_extend(IrCode *code);
void ir_code_free(IrCode *code);
IrBackend ir_code_backend(const IrCode *code);
size_t ir_code_size(const IrCode *code); /* bytes of machine code, or of prepared code */
/* Cells of a stack on which each function can be run: the usual ones for what it calls, and those
 * of the largest. */
size_t ir_code_stack(const IrCode *code);

/* Runs a function on an instance. `cells` are its arguments, inputs then outputs, arrays by address
 * and length; results are left there. Arrays made by the callee live until the next run on the
 * instance. */
RtStatus ir_run(const IrCode *code, IrFun f, Rt *rt, RtCell *cells);

/* Whether the instance brings what the module's memories need; to be asked once, when memories are
 * set. */
bool ir_memories_fit(const IrModule *module, const Rt *rt, uint32_t count);

typedef struct {
    IrFun function;
    uint32_t source, insn;
} IrFault;

/* Runs the function again by the interpreter and looks for the first operation that makes NaN or
 * infinity from finite operands. False if there is none. Writes to memories as the function
 * does. */
bool ir_explain(const IrModule *module, IrFun f, Rt *rt, RtCell *cells, IrFault *fault);

/* ---- print_c.c ------------------------------------------------------------------------------- */

typedef struct {
    const char *prefix; /* of every symbol; "" for none */
    /* The words to be printed as a comment where the source changes; may be NULL. */
    const char *(*source_text)(void *user, uint32_t source);
    void *user;
} IrCStyle;

/* The module as C99 that includes "rt/rt.h". Function NAME becomes `prefix`NAME and an RtEntry
 * `prefix`NAME_entry; `prefix`entries[] lists the latter by id, for Rt.code with rt_enter_table. */
void ir_print_c(const IrModule *module, const IrCStyle *style, Text *out);
/* The type, in C, of a parameter or result of an external function, with what separates it from a
 * name. */
void ir_print_c_parameter(Text *out, const IrExtParam *param);

#endif
