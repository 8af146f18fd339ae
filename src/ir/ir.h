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
 *              instruction and read only behind it in the same or an inner block; or a *variable*,
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

#include "base/base.h"
#include "rt/rt.h"

typedef uint32_t IrReg; /* a register of one function */
typedef uint32_t IrArr; /* an array of one function */
typedef uint32_t IrFun, IrMem, IrExt;
#define IR_NONE UINT32_MAX

typedef enum { IR_REAL, IR_INT, IR_STR, IR_PTR, IR_TYPE_COUNT } IrType;

typedef enum {
#define OP(id, text, dst, a, b, c, flags) IR_##id,
#include "ir/ops.def"
#undef OP
    IR_OP_COUNT
} IrOp;

typedef enum {
#define MATH(id, symbol, arguments) IR_MATH_##id,
#include "ir/math.def"
#undef MATH
    IR_MATH_COUNT
} IrMath;

enum { /* flags of operations */
       IR_PURE = 1,
       IR_COMMUTES = 2,
       IR_FAILS = 4,
       IR_WRITES = 8, /* arrays */
       IR_FLOW = 16,
       IR_CALLS = 32
};

typedef struct {
    const char *name;
    char fields[4]; /* dst, a, b, c: see ops.def */
    uint8_t flags;
} IrOpInfo;
extern const IrOpInfo ir_ops[IR_OP_COUNT];

typedef struct {
    const char *name;
    int arguments;
    double (*one)(double);
    double (*two)(double, double);
} IrMathInfo;
extern const IrMathInfo ir_maths[IR_MATH_COUNT];

enum { IR_SAFE = 1 }; /* flag of an instruction: proved not to fail; set by ir_optimize only */

typedef struct {
    uint8_t op;     /* IrOp */
    uint8_t flags;  /* IR_SAFE */
    uint16_t count; /* operands of a call */
    uint32_t dst, a, b, c;
    int32_t imm; /* offset of an element, step of FOR, IrMath */
} IrInsn;

typedef struct {
    uint8_t type;
    bool is_variable;
    uint32_t def;     /* the defining instruction of a temporary; IR_NONE for inputs */
    const char *name; /* NULL: none */
} IrRegInfo;

typedef enum { IR_FRAME, IR_MEMORY, IR_TABLE, IR_PARAM, IR_DYNAMIC, IR_VIEW_OF } IrPlace;

typedef struct {
    uint8_t type, place;
    bool is_constant; /* may not be written: inputs, tables, views made for reading */
    uint32_t n;       /* length of FRAME, MEMORY, TABLE; 0 otherwise */
    uint32_t index;   /* which memory or table */
    const char *name;
} IrArrayInfo;

typedef struct {
    bool is_array;
    uint32_t id;   /* register or array */
    uint32_t cell; /* its place in the list of cells */
} IrParam;

typedef struct IrFunction IrFunction;
struct IrFunction {
    const char *name;
    VEC(IrRegInfo) regs;
    VEC(IrArrayInfo) arrays;
    VEC(IrParam) params; /* inputs, then outputs */
    uint32_t input_count;
    uint32_t cell_count; /* of all params together */
    VEC(IrInsn) code;
    VEC(uint32_t) sources; /* one for each instruction */
    VEC(uint32_t) operands;
    uint32_t open;           /* blocks not closed yet */
    const IrFunction *plain; /* what it was before ir_roll; NULL: the same */
};

typedef struct {
    const char *name;
    uint8_t type;
    uint32_t n;
} IrMemory;

typedef struct {
    const char *name;
    const double *at;
    uint32_t n;
} IrTable;

/* How a C function wants an argument. Scalars come from or go to one cell, arrays are given by
 * address. */
typedef enum {
    IR_BY_VALUE,     /* double, int, const char *, void * */
    IR_BY_REFERENCE, /* FORTRAN 77: the address of a double or int */
    IR_BY_OUTPUT,    /* the address where the function leaves a result */
    IR_AS_SIZE,      /* an INT as size_t */
    IR_AS_ARRAY,     /* double *, int * (copied in and out), const char ** */
    IR_AS_RESULT     /* what the function returns; the last output */
} IrPass;

typedef struct {
    uint8_t type;
    uint8_t pass;
    bool is_array, is_output;
} IrExtParam;

/* An external function. Either `entry` is set (an adapter that takes cells), or `address` is that
 * of a C function whose arguments are `params` in their order. As operands and cells inputs come
 * first, then outputs. An adapter may call functions of the module back (rt_call): their ids are
 * given to it as Integers. */
typedef struct {
    const char *name;
    /* what it is called in C, where another declaration of the same has that name; NULL: `name` */
    const char *symbol;
    IrExtParam *params;
    uint32_t param_count;
    RtEntry entry;
    void (*address)(void);
    bool string_lengths; /* FORTRAN 77: behind all arguments come the lengths of the strings */
    /* Makes the call of a C function that may leave by other ways than returning; NULL: it always
     * returns. */
    RtStatus (*around)(Rt *rt, void (*call)(void *arg), void *arg);
} IrExternal;

typedef struct {
    Arena *arena;
    VEC(IrFunction *) functions;
    VEC(IrMemory) memories;
    VEC(IrTable) tables;
    VEC(IrExternal) externals;
    VEC(double) reals; /* constants; equal bits are one */
    VEC(int64_t) ints;
    VEC(const char *) strings;
    Map real_ids, int_ids, string_ids, external_ids;
} IrModule;

/* ---- build.c: making modules and functions --------------------------------------------------- */

IrModule *ir_module_new(Arena *arena);
/* A memory with room for n elements; instances bring at least that many (Rt.memory). */
IrMem ir_add_memory(IrModule *module, const char *name, IrType type, uint32_t n);
/* copies */
uint32_t ir_add_table(IrModule *module, const char *name, const double *values, uint32_t n);
/* Both return the same id when asked for the same name again. */
IrExt ir_add_external(IrModule *module, const IrExternal *external);
const char *ir_symbol(const IrExternal *external); /* the C function or adapter */
/* A function of rt/ by its name without "rt_": "string_concat", "string_of_real", "warning", ... */
IrExt ir_builtin(IrModule *module, const char *name);

enum { IR_LARGEST_ARRAY = 1 << 27 }; /* elements of a FRAME, MEMORY or TABLE */

typedef struct {
    IrModule *module;
    IrFunction *f;
    IrFun id;
    uint32_t source; /* given to every instruction that follows; set it as you go */
} IrBuilder;

/* Starts a function. Declare its inputs, then its outputs, before others call it or code is
 * added. */
IrBuilder ir_begin(IrModule *module, const char *name);
IrReg ir_in(IrBuilder *b, IrType type, const char *name);
IrArr ir_in_array(IrBuilder *b, IrType type, const char *name);
IrReg ir_out(IrBuilder *b, IrType type, const char *name);
IrArr ir_out_array(IrBuilder *b, IrType type, const char *name); /* the caller brings it */
/* the callee makes it by NEW */
IrArr ir_out_array_dynamic(IrBuilder *b, IrType type, const char *name);

IrReg ir_variable(IrBuilder *b, IrType type, const char *name);
IrArr ir_array(IrBuilder *b, IrType type, uint32_t n, const char *name);
IrArr ir_array_dynamic(IrBuilder *b, IrType type, const char *name);
IrArr ir_array_view(IrBuilder *b, IrType type, const char *name, bool is_constant);
IrArr ir_array_memory(IrBuilder *b, IrMem memory);
IrArr ir_array_table(IrBuilder *b, uint32_t table);

/* Values. Constants are folded where all operands are constant and the operation is exact IEEE. */
IrReg ir_real(IrBuilder *b, double value);
IrReg ir_int(IrBuilder *b, int64_t value);
IrReg ir_str(IrBuilder *b, const char *text);
IrReg ir_one(IrBuilder *b, IrOp op, IrReg x);          /* NEG, ABS, ..., TO_INT */
IrReg ir_two(IrBuilder *b, IrOp op, IrReg x, IrReg y); /* ADD, ..., IMOD, LT, AND, ... */
IrReg ir_select(IrBuilder *b, IrReg condition, IrReg yes, IrReg no);
IrReg ir_math(IrBuilder *b, IrMath function, IrReg x, IrReg y); /* y is IR_NONE for one argument */
/* whether a register is a constant */
bool ir_is_real(const IrBuilder *b, IrReg r, double *value);
bool ir_is_int(const IrBuilder *b, IrReg r, int64_t *value);

/* What Modelica's functions mean, spelled out in instructions. */
IrReg ir_power(IrBuilder *b, IrReg x, int32_t n); /* products by squaring; 1/x^-n for n < 0 */
/* ir_power for small whole constants, else pow */
IrReg ir_pow(IrBuilder *b, IrReg x, IrReg y);
IrReg ir_real_div(IrBuilder *b, IrReg x, IrReg y); /* div(x, y) of Reals: cut towards zero */
IrReg ir_real_mod(IrBuilder *b, IrReg x, IrReg y); /* x - floor(x/y)*y */
IrReg ir_real_rem(IrBuilder *b, IrReg x, IrReg y); /* x - div(x, y)*y */
IrReg ir_integer(IrBuilder *b, IrReg x);           /* integer(x): the largest Integer not above x */
IrReg ir_sign(IrBuilder *b, IrReg x);              /* of a Real or an Integer; an Integer */

void ir_set(IrBuilder *b, IrReg variable, IrReg value);
IrReg ir_load(IrBuilder *b, IrArr array, IrReg index, int32_t offset);
void ir_store(IrBuilder *b, IrArr array, IrReg index, int32_t offset, IrReg value);
IrReg ir_length(IrBuilder *b, IrArr array);
void ir_new(IrBuilder *b, IrArr array, IrReg n);
/* IR_NONE, IR_NONE: all of it */
void ir_view(IrBuilder *b, IrArr view, IrArr of, IrReg offset, IrReg n);
void ir_fill(IrBuilder *b, IrArr array, IrReg value);
void ir_copy(IrBuilder *b, IrArr to, IrArr from);

void ir_if(IrBuilder *b, IrReg condition);
void ir_else(IrBuilder *b);
void ir_loop(IrBuilder *b);
IrReg ir_for(IrBuilder *b, IrReg from, IrReg to, int32_t step);
void ir_end(IrBuilder *b);
void ir_break(IrBuilder *b);
void ir_break_unless(IrBuilder *b, IrReg condition);
void ir_return(IrBuilder *b);

/* Operands are registers and arrays, inputs then outputs. A scalar output given as IR_NONE becomes
 * a new temporary, which is written back to `operands`. */
void ir_call(IrBuilder *b, IrFun f, uint32_t *operands, uint32_t n);
void ir_extern(IrBuilder *b, IrExt e, uint32_t *operands, uint32_t n);
/* A builtin with n inputs and one output, which is returned. */
IrReg ir_builtin_call(IrBuilder *b, const char *name, const IrReg *inputs, uint32_t n);

void ir_assert(IrBuilder *b, IrReg condition, IrReg message);
void ir_check_index(IrBuilder *b, IrReg index, IrReg bound);
void ir_check_size(IrBuilder *b, IrReg n, IrReg want);
void ir_check_finite(IrBuilder *b, IrReg x);

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
