/* native.c: a module as machine code in memory that is never writable and executable at once.
 *
 * In: a verified module. Out: entries of its functions. How: constants and addresses come first,
 * then the functions; all is built in ordinary memory, copied into a mapping that can be written,
 * and the mapping then becomes one that can only be read and run. Where the system denies that, or
 * the machine is another one, there is no native code and the caller uses the interpreter. Cost:
 * linear. Tests: tests/ir/run_test.c. */
#include "ir/emit.h"

#include <math.h>
#include <stdlib.h>

#if defined(__x86_64__) && defined(__unix__)

#include <sys/mman.h>

struct Native {
    uint8_t *at; /* mapped */
    size_t size, used;
    uint32_t frame;      /* cells of the largest one */
    uint32_t *functions; /* offsets */
};

/* Functions of different types pass through one table of addresses. */
static void add_address(Asm *as, void (*function)(void)) { x64_bytes(as, &function, sizeof function); }
#define ADDRESS(function) ((void (*)(void))(function))

static Pools add_pools(Asm *as, const IrModule *module, const RtEntry *externals)
{
    static const uint64_t masks[] = { UINT64_C(1) << 63, 0, ~(UINT64_C(1) << 63), ~UINT64_C(0) };
    static void (*const helpers[HELPER_COUNT])(void) = {
        [HELPER_FAIL] = ADDRESS(rt_fail),
        [HELPER_FAIL_TEXT] = ADDRESS(rt_fail_text),
        [HELPER_FAILED_AT] = ADDRESS(rt_failed_at),
        [HELPER_VIEW] = ADDRESS(ir_make_view),
        [HELPER_COPY] = ADDRESS(ir_copy_array),
        [HELPER_NEW] = ADDRESS(ir_make_array),
        [HELPER_FILL] = ADDRESS(ir_fill_array),
        [HELPER_MARK] = ADDRESS(rt_mark),
        [HELPER_REWIND] = ADDRESS(rt_rewind),
        [HELPER_FLOOR] = ADDRESS(floor),
        [HELPER_CEIL] = ADDRESS(ceil),
        [HELPER_TRUNC] = ADDRESS(trunc),
    };
    Pools pools = { 0 };
    pools.sign_mask = as->n;
    pools.abs_mask = as->n + 16;
    x64_bytes(as, masks, sizeof masks);
    pools.reals = as->n;
    x64_bytes(as, module->reals.at, (uint32_t)(module->reals.n * sizeof(double)));
    pools.math = as->n;
    for (int k = 0; k < IR_MATH_COUNT; k++)
        add_address(as, ir_maths[k].one ? ADDRESS(ir_maths[k].one) : ADDRESS(ir_maths[k].two));
    pools.helpers = as->n;
    for (int k = 0; k < HELPER_COUNT; k++) add_address(as, helpers[k]);
    pools.externals = as->n;
    for (IrExt e = 0; e < module->externals.n; e++) add_address(as, ADDRESS(externals[e]));
    pools.has_rounding = __builtin_cpu_supports("sse4.1");
    return pools;
}

void *ir_map_code(const Asm *as, size_t *size)
{
    enum { PAGE = 4096 };
    *size = ((size_t)as->n + PAGE - 1) & ~(size_t)(PAGE - 1);
    void *at = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return NULL;
    memcpy(at, as->at, as->n);
    if (mprotect(at, *size, PROT_READ | PROT_EXEC) == 0) return at;
    munmap(at, *size);
    return NULL;
}

void ir_unmap_code(void *at, size_t size)
{
    if (at) munmap(at, size);
}

/* Distances in code are 32 bits, so a module that could grow beyond them is left to the
 * interpreter. */
static bool fits(const IrModule *module)
{
    enum { BYTES_AN_INSTRUCTION = 256, BYTES_AN_OPERAND = 48, BYTES_A_REGISTER = 16, BYTES_AN_ARRAY = 48 };
    uint64_t bytes = 0;
    for (IrFun k = 0; k < module->functions.n; k++) {
        const IrFunction *f = module->functions.at[k];
        bytes += (uint64_t)f->code.n * BYTES_AN_INSTRUCTION + (uint64_t)f->operands.n * BYTES_AN_OPERAND +
                 (uint64_t)f->regs.n * BYTES_A_REGISTER + (uint64_t)f->arrays.n * BYTES_AN_ARRAY;
    }
    return bytes < UINT64_C(1) << 30 && module->reals.n < 1u << 26;
}

Native *native_new(const IrModule *module, const RtEntry *externals)
{
    Native *native = calloc(1, sizeof *native);
    Arena *arena = arena_new(), *scratch = arena_new();
    bool ok = native && arena && scratch && fits(module);
    if (ok) native->functions = calloc((size_t)module->functions.n + 1, sizeof *native->functions);
    if (ok && native->functions) {
        Asm as = { .arena = arena };
        CallSites calls = { 0 };
        Pools pools = add_pools(&as, module, externals);
        for (IrFun f = 0; f < module->functions.n; f++) {
            while (as.n % 16) x64_bytes(&as, "\xCC", 1);
            native->functions[f] = as.n;
            ArenaMark mark = arena_mark(scratch);
            uint32_t frame = ir_emit(module, f, &pools, &as, &calls, scratch);
            if (frame > native->frame) native->frame = frame;
            arena_rewind(scratch, mark);
        }
        for (uint32_t k = 0; k < calls.n; k++)
            x64_patch_to(&as, calls.at[k].at, native->functions[calls.at[k].to]);
        native->used = as.n;
        native->at = ir_map_code(&as, &native->size);
    }
    arena_free(arena);
    arena_free(scratch);
    if (ok && native->at) return native;
    native_free(native);
    return NULL;
}

void native_free(Native *native)
{
    if (!native) return;
    ir_unmap_code(native->at, native->size);
    free(native->functions);
    free(native);
}

RtEntry native_entry(const Native *native, IrFun f)
{
    RtEntry entry;
    uint8_t *at = native->at + native->functions[f];
    memcpy(&entry, &at, sizeof entry);
    return entry;
}

size_t native_size(const Native *native) { return native->used; }
uint32_t native_frame(const Native *native) { return native->frame; }

#else

void *ir_map_code(const Asm *as, size_t *size)
{
    (void)as;
    (void)size;
    return NULL;
}
void ir_unmap_code(void *at, size_t size)
{
    (void)at;
    (void)size;
}
Native *native_new(const IrModule *module, const RtEntry *externals)
{
    (void)module;
    (void)externals;
    return NULL;
}
void native_free(Native *native) { (void)native; }
RtEntry native_entry(const Native *native, IrFun f)
{
    (void)native;
    (void)f;
    return NULL;
}
size_t native_size(const Native *native)
{
    (void)native;
    return 0;
}
uint32_t native_frame(const Native *native)
{
    (void)native;
    return 0;
}

#endif
