/* module.h: instructions, functions, modules: the data. */
#ifndef ACAUSAL_IR_MODULE_H
#define ACAUSAL_IR_MODULE_H

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
    bool string_lengths; /* FORTRAN 77: after all arguments come the lengths of the strings */
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

#endif
