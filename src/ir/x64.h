/* x64.h: machine code of x86-64, one instruction a call. */
#ifndef ACAUSAL_IR_X64_H
#define ACAUSAL_IR_X64_H

#include "base/base.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, NOWHERE = 255 };
enum {
    CC_O = 0,
    CC_B = 2,
    CC_AE,
    CC_E,
    CC_NE,
    CC_BE,
    CC_A,
    CC_S,
    CC_NS,
    CC_P,
    CC_NP,
    CC_L,
    CC_GE,
    CC_LE,
    CC_G
};

/* What an instruction works on: a register, memory at base + 8*index + disp, or memory of the code
 * at `disp`. */
typedef struct {
    enum { IN_REG, IN_MEM, IN_CODE } kind;
    uint8_t reg, base, index;
    int32_t disp;
} Place64;
static inline Place64 in_reg(uint8_t reg) { return (Place64){ IN_REG, reg, NOWHERE, NOWHERE, 0 }; }
static inline Place64 in_mem(uint8_t base, int32_t disp)
{
    return (Place64){ IN_MEM, 0, base, NOWHERE, disp };
}
static inline Place64 in_code(uint32_t at) { return (Place64){ IN_CODE, 0, NOWHERE, NOWHERE, (int32_t)at }; }

typedef struct {
    Arena *arena;
    uint8_t *at;
    uint32_t n, room;
} Asm;

void x64_bytes(Asm *as, const void *bytes, uint32_t n);
void x64_patch(Asm *as, uint32_t at); /* the jump whose distance is at `at` comes here */
void x64_patch_to(Asm *as, uint32_t at, uint32_t target);
uint32_t x64_jump(Asm *as); /* returns the place of the distance */
uint32_t x64_jump_if(Asm *as, int cc);
void x64_jump_back(Asm *as, int cc, uint32_t target); /* cc < 0: always */
uint32_t x64_call(Asm *as);
void x64_call_at(Asm *as, Place64 place);
void x64_push(Asm *as, uint8_t reg);
void x64_pop(Asm *as, uint8_t reg);
void x64_ret(Asm *as);
/* `op` of SSE2 with a prefix 0xF2, 0x66 or 0 (none): x op= place */
void x64_sse(Asm *as, uint8_t prefix, uint8_t op, uint8_t x, Place64 place);
/* with a 64-bit GPR */
void x64_sse_wide(Asm *as, uint8_t prefix, uint8_t op, uint8_t reg, Place64 place);
void x64_round(Asm *as, uint8_t x, Place64 place, uint8_t mode); /* SSE 4.1 */
void x64_op(Asm *as, uint8_t op, uint8_t reg, Place64 place);    /* 64-bit, one byte of opcode */
void x64_op2(Asm *as, uint8_t op, uint8_t reg, Place64 place);   /* 0F op */
void x64_group(Asm *as, uint8_t op, uint8_t extension, Place64 place);
void x64_alu_imm(Asm *as, uint8_t extension, Place64 place,
                 int32_t imm); /* ADD 0, OR 1, AND 4, SUB 5, XOR 6, CMP 7 */
void x64_store_imm(Asm *as, Place64 place, int32_t imm);
void x64_set(Asm *as, int cc, uint8_t reg);      /* 0 or 1 in the whole register; flags stay */
void x64_imm(Asm *as, uint8_t reg, int64_t imm); /* flags stay */
void x64_lea(Asm *as, uint8_t reg, Place64 place);
void x64_mul_imm(Asm *as, uint8_t reg, Place64 place, int32_t imm); /* reg := place * imm */
/* by instructions that do nothing */
void x64_align(Asm *as, uint32_t to);

/* Copies code to where it can run and no longer be written; NULL where the system denies that. */
void *ir_map_code(const Asm *as, size_t *size);
void ir_unmap_code(void *at, size_t size);

#endif
