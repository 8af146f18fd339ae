/* x64.c: encodes instructions of x86-64.
 *
 * In: operations on registers and places. Out: bytes at the end of a buffer that grows in an arena.
 * How: REX, opcode, ModRM, SIB, displacement, as the manuals of the processor say. Always: room for
 * the longest instruction is there before a byte is written. Cost: a few nanoseconds an
 * instruction. Tests: through tests/ir/random_test.c. */
#include "ir/x64.h"

#include <assert.h>

enum { LONGEST = 32 };

static void byte(Asm *as, unsigned value) { as->at[as->n++] = (uint8_t)value; }

static void room(Asm *as, uint32_t n)
{
    if (as->room - as->n < n) as->at = vec_grow(as->arena, as->at, 1, &as->room, as->n + n);
}

static void word32(Asm *as, int32_t value)
{
    memcpy(as->at + as->n, &value, 4);
    as->n += 4;
}

void x64_bytes(Asm *as, const void *bytes, uint32_t n)
{
    room(as, n);
    if (n) memcpy(as->at + as->n, bytes, n);
    as->n += n;
}

void x64_patch_to(Asm *as, uint32_t at, uint32_t target)
{
    int32_t distance = (int32_t)(target - (at + 4));
    memcpy(as->at + at, &distance, 4);
}
void x64_patch(Asm *as, uint32_t at) { x64_patch_to(as, at, as->n); }

static void rex(Asm *as, bool wide, uint8_t reg, Place64 place)
{
    unsigned bits = (wide ? 8u : 0u) | (reg >= 8 ? 4u : 0u);
    if (place.kind == IN_REG && place.reg >= 8) bits |= 1;
    if (place.kind == IN_MEM && place.base >= 8) bits |= 1;
    if (place.kind == IN_MEM && place.index != NOWHERE && place.index >= 8) bits |= 2;
    if (bits) byte(as, 0x40 | bits);
}

/* ModRM and what follows it; `tail` bytes of immediate come after, which matters to places in the
 * code. */
static void modrm(Asm *as, uint8_t reg, Place64 place, int32_t tail)
{
    unsigned field = (unsigned)(reg & 7) << 3;
    if (place.kind == IN_REG) {
        byte(as, 0xC0 | field | (place.reg & 7u));
        return;
    }
    if (place.kind == IN_CODE) {
        byte(as, field | 5);
        word32(as, place.disp - (int32_t)(as->n + 4) - tail);
        return;
    }
    bool has_sib = place.index != NOWHERE || (place.base & 7) == RSP;
    unsigned mod = place.disp == 0 && (place.base & 7) != RBP ? 0x00u
                   : place.disp >= -128 && place.disp < 128   ? 0x40u
                                                              : 0x80u;
    byte(as, mod | field | (has_sib ? 4u : place.base & 7u));
    assert(place.index != RSP);
    if (has_sib)
        byte(as, place.index == NOWHERE ? 0x20u | (place.base & 7u)
                                        : 0xC0u | ((place.index & 7u) << 3) | (place.base & 7u));
    if (mod == 0x40u) byte(as, (uint8_t)place.disp);
    if (mod == 0x80u) word32(as, place.disp);
}

uint32_t x64_jump(Asm *as)
{
    room(as, LONGEST);
    byte(as, 0xE9);
    word32(as, 0);
    return as->n - 4;
}

uint32_t x64_jump_if(Asm *as, int cc)
{
    room(as, LONGEST);
    byte(as, 0x0F);
    byte(as, 0x80u | (unsigned)cc);
    word32(as, 0);
    return as->n - 4;
}

void x64_jump_back(Asm *as, int cc, uint32_t target)
{
    int32_t distance = (int32_t)(target - (as->n + 2));
    if (distance < -128) {
        x64_patch_to(as, cc < 0 ? x64_jump(as) : x64_jump_if(as, cc), target);
        return;
    }
    room(as, LONGEST);
    byte(as, cc < 0 ? 0xEBu : 0x70u | (unsigned)cc);
    byte(as, (uint8_t)distance);
}

uint32_t x64_call(Asm *as)
{
    room(as, LONGEST);
    byte(as, 0xE8);
    word32(as, 0);
    return as->n - 4;
}

void x64_call_at(Asm *as, Place64 place)
{
    room(as, LONGEST);
    rex(as, false, 2, place);
    byte(as, 0xFF);
    modrm(as, 2, place, 0);
}

void x64_push(Asm *as, uint8_t reg)
{
    room(as, LONGEST);
    if (reg >= 8) byte(as, 0x41);
    byte(as, 0x50u | (reg & 7u));
}

void x64_pop(Asm *as, uint8_t reg)
{
    room(as, LONGEST);
    if (reg >= 8) byte(as, 0x41);
    byte(as, 0x58u | (reg & 7u));
}

void x64_ret(Asm *as)
{
    room(as, LONGEST);
    byte(as, 0xC3);
}

static void encode(Asm *as, uint8_t prefix, bool wide, bool is_two_bytes, uint8_t op, uint8_t reg,
                   Place64 place, int32_t tail)
{
    room(as, LONGEST);
    if (prefix) byte(as, prefix);
    rex(as, wide, reg, place);
    if (is_two_bytes) byte(as, 0x0F);
    byte(as, op);
    modrm(as, reg, place, tail);
}

void x64_sse(Asm *as, uint8_t prefix, uint8_t op, uint8_t x, Place64 place)
{
    encode(as, prefix, false, true, op, x, place, 0);
}
void x64_sse_wide(Asm *as, uint8_t prefix, uint8_t op, uint8_t reg, Place64 place)
{
    encode(as, prefix, true, true, op, reg, place, 0);
}

void x64_round(Asm *as, uint8_t x, Place64 place, uint8_t mode)
{
    room(as, LONGEST);
    byte(as, 0x66);
    rex(as, false, x, place);
    byte(as, 0x0F);
    byte(as, 0x3A);
    byte(as, 0x0B);
    modrm(as, x, place, 1);
    byte(as, mode);
}

void x64_op(Asm *as, uint8_t op, uint8_t reg, Place64 place)
{
    encode(as, 0, true, false, op, reg, place, 0);
}
void x64_op2(Asm *as, uint8_t op, uint8_t reg, Place64 place)
{
    encode(as, 0, true, true, op, reg, place, 0);
}
void x64_group(Asm *as, uint8_t op, uint8_t extension, Place64 place)
{
    encode(as, 0, true, false, op, extension, place, 0);
}

void x64_alu_imm(Asm *as, uint8_t extension, Place64 place, int32_t imm)
{
    bool is_short = imm >= -128 && imm < 128;
    encode(as, 0, true, false, is_short ? 0x83 : 0x81, extension, place, is_short ? 1 : 4);
    if (is_short)
        byte(as, (uint8_t)imm);
    else
        word32(as, imm);
}

void x64_store_imm(Asm *as, Place64 place, int32_t imm)
{
    encode(as, 0, true, false, 0xC7, 0, place, 4);
    word32(as, imm);
}

void x64_set(Asm *as, int cc, uint8_t reg)
{
    room(as, LONGEST);
    byte(as, 0x40u | (reg >= 8 ? 1u : 0u)); /* so that the low bytes of RSI and RDI are meant */
    byte(as, 0x0F);
    byte(as, 0x90u | (unsigned)cc);
    byte(as, 0xC0u | (reg & 7u));
    encode(as, 0, true, true, 0xB6, reg, in_reg(reg), 0);
}

void x64_imm(Asm *as, uint8_t reg, int64_t imm)
{
    if (imm == (int32_t)imm) {
        x64_store_imm(as, in_reg(reg), (int32_t)imm);
        return;
    }
    room(as, LONGEST);
    byte(as, 0x48u | (reg >= 8 ? 1u : 0u));
    byte(as, 0xB8u | (reg & 7u));
    memcpy(as->at + as->n, &imm, 8);
    as->n += 8;
}

void x64_lea(Asm *as, uint8_t reg, Place64 place) { x64_op(as, 0x8D, reg, place); }

void x64_mul_imm(Asm *as, uint8_t reg, Place64 place, int32_t imm)
{
    encode(as, 0, true, false, 0x69, reg, place, 4);
    word32(as, imm);
}

void x64_align(Asm *as, uint32_t to)
{
    static const char *const idle[] = { "", "\x90", "\x66\x90", "\x0F\x1F\x00", "\x0F\x1F\x40\x00" };
    while (as->n % to) {
        uint32_t left = to - as->n % to, n = left < 4 ? left : 4;
        x64_bytes(as, idle[n], n);
    }
}
