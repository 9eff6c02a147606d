// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/variants/float_catch.h"

#include <stddef.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__)
#include <execinfo.h>
#include <signal.h>
#include <ucontext.h>
#include <x86intrin.h>
#endif

enum { VECTOR_BYTES = 16 };

// ---- decoding an instruction ----

/// Type of an instruction's operands, chosen by its prefixes.
typedef enum form { SINGLES = 0, DOUBLES = 1, ONE_SINGLE = 2, ONE_DOUBLE = 3 } form;

enum { MAP_PLAIN = 1, MAP_FMA = 2 };

/// Decoded prefixes of an instruction.
typedef struct prefix {
    form form;
    uint32_t map;
    bool is_vex;
    bool is_wide;   // bit W of the prefix: 64-bit operands
    bool is_256;    // bit L of the prefix: vectors of 256 bits
    uint32_t reg;   // 0 or 8, added to the 3-bit number of the target register
    uint32_t index; // 0 or 8, added to the 3-bit number of the index register
    uint32_t base;  // 0 or 8, added to the 3-bit number of the base register
} prefix;

static const uint8_t *read_vex(const uint8_t *at, prefix *out)
{
    const bool is_long = *at++ == 0xC4;
    out->is_vex = true;
    out->reg = (*at & 0x80) == 0 ? 8 : 0;
    out->map = MAP_PLAIN;
    if (is_long) {
        out->index = (*at & 0x40) == 0 ? 8 : 0;
        out->base = (*at & 0x20) == 0 ? 8 : 0;
        out->map = *at++ & 0x1F;
        out->is_wide = (*at & 0x80) != 0;
    }
    out->is_256 = (*at & 4) != 0;
    out->form = *at & 3;
    return at + 1;
}

static const uint8_t *read_legacy(const uint8_t *at, prefix *out)
{
    for (;; at++) {
        if (*at == 0xF2 || *at == 0xF3) {
            out->form = *at == 0xF2 ? ONE_DOUBLE : ONE_SINGLE;
        } else if (*at == 0x66) {
            out->form = out->form == SINGLES ? DOUBLES : out->form;
        } else {
            break;
        }
    }
    if ((*at & 0xF0) == 0x40) { // a REX prefix
        out->is_wide = (*at & 8) != 0;
        out->reg = (*at & 4) != 0 ? 8 : 0;
        out->index = (*at & 2) != 0 ? 8 : 0;
        out->base = (*at & 1) != 0 ? 8 : 0;
        at++;
    }
    out->map = *at == 0x0F ? MAP_PLAIN : 0;
    return at + 1;
}

// Describe a result that consists of floating-point numbers, in all lanes or only in the lowest.
static bool set_numbers(const prefix *p, bool is_double, bool is_one, float_instruction *out)
{
    out->source_bytes = is_double ? 8 : 4;
    out->target_bytes = out->source_bytes;
    out->lanes = is_one ? 1 : VECTOR_BYTES * (p->is_256 ? 2u : 1u) / out->target_bytes;
    return true;
}

static bool set_integers(const prefix *p, uint8_t code, float_instruction *out)
{
    const bool is_one = p->form == ONE_SINGLE || p->form == ONE_DOUBLE;
    out->gives_integers = true;
    if ((code == 0x2C || code == 0x2D) && is_one) {
        out->is_general = true;
        out->lanes = 1;
        out->source_bytes = p->form == ONE_DOUBLE ? 8 : 4;
        out->target_bytes = p->is_wide ? 8 : 4;
        return true;
    }
    const bool is_of_singles = code == 0x5B && (p->form == DOUBLES || p->form == ONE_SINGLE);
    const bool is_of_doubles = code == 0xE6 && (p->form == DOUBLES || p->form == ONE_DOUBLE);
    out->source_bytes = is_of_doubles ? 8 : 4;
    out->target_bytes = 4;
    out->lanes = VECTOR_BYTES * (p->is_256 ? 2u : 1u) / out->source_bytes;
    return is_of_singles || is_of_doubles;
}

static bool set_kind(const prefix *p, uint8_t code, float_instruction *out)
{
    if (p->map == MAP_FMA && p->is_vex && p->form == DOUBLES) {
        const uint8_t low = code & 0xF;
        return code >= 0x96 && code <= 0xBF && low >= 6 &&
               set_numbers(p, p->is_wide, low >= 9 && low % 2 == 1, out);
    }
    if (p->map != MAP_PLAIN) {
        return false;
    }
    switch (code) {
    case 0x51: // sqrtps and its other widths: square root
    case 0x58: // addps and its other widths: addition
    case 0x59: // mulps and its other widths: multiplication
    case 0x5C: // subps and its other widths: subtraction
    case 0x5E: // divps and its other widths: division
        return set_numbers(p, p->form == DOUBLES || p->form == ONE_DOUBLE, p->form >= ONE_SINGLE,
                           out);
    case 0x7C: // haddps, hsubps and their other widths: horizontal addition and subtraction
    case 0x7D:
    case 0xD0:
        return set_numbers(p, p->form == DOUBLES, false, out);
    case 0x2C:
    case 0x2D:
    case 0x5B:
    case 0xE6:
        return set_integers(p, code, out);
    default:
        return false;
    }
}

static const uint8_t *read_displacement(const uint8_t *at, uint32_t bytes, float_instruction *out)
{
    if (bytes == 1) {
        out->displacement = (int8_t)*at;
    } else if (bytes == 4) {
        memcpy(&out->displacement, at, sizeof(out->displacement));
    }
    return at + bytes;
}

static const uint8_t *read_operands(const uint8_t *at, const prefix *p, float_instruction *out)
{
    const uint32_t mode = *at >> 6;
    const uint32_t low = *at & 7;
    out->target = (*at++ >> 3 & 7) + p->reg;
    out->source = low + p->base;
    out->is_in_memory = mode != 3;
    out->base = out->source;
    out->index = FLOAT_NO_REGISTER;
    if (!out->is_in_memory) {
        return at;
    }
    bool is_bare = mode == 0 && low == 5; // the address is a displacement without a base register
    out->is_relative = is_bare;
    if (low == 4) {
        const uint32_t index = (*at >> 3 & 7) + p->index;
        // The number of the stack pointer stands for no index register.
        out->index = index != 4 ? index : FLOAT_NO_REGISTER;
        out->scale = UINT32_C(1) << (*at >> 6);
        out->base = (*at & 7) + p->base;
        is_bare = mode == 0 && (*at & 7) == 5;
        at++;
    }
    out->base = is_bare ? FLOAT_NO_REGISTER : out->base;
    return read_displacement(at, mode == 1 ? 1 : mode == 2 || is_bare ? 4 : 0, out);
}

bool float_instruction_read(const uint8_t *code, float_instruction *out)
{
    prefix p = {0};
    *out = (float_instruction){0};
    const bool is_vex = *code == 0xC4 || *code == 0xC5;
    const uint8_t *at = is_vex ? read_vex(code, &p) : read_legacy(code, &p);
    if (!set_kind(&p, *at, out)) {
        return false;
    }
    out->length = (uint32_t)(read_operands(at + 1, &p, out) - code);
    return true;
}

// ---- handling floating-point traps ----

#if defined(__x86_64__) && defined(__linux__)

enum {
    SSE_MASK_INVALID = 0x80,
    SSE_CONTROL = 0xffc0, // all bits of MXCSR except the exception flags
    X87_MASKS = 0x3f,
    X87_FLAGS = 0x80ff, // exception flags in the x87 status word, and their summary bits
    X87_SUMMARY = 0x80,
    TRAP_FLAG = 0x100, // flag TF of the processor: trap after each instruction
    FRAMES_MAX = 48,
    // Offsets in the memory in which the kernel saves registers for a signal handler: of a magic
    // number, of the bits that tell which parts are saved, and of the upper halves of the 256-bit
    // registers.
    SOFTWARE_AT = 464,
    PARTS_AT = 512,
    UPPER_AT = 576,
    PART_UPPER = 4,
};

static float_catch *invalid;
static uint32_t replaced_max;
static uint32_t traps;
static float_catch *change;
static uint32_t control_before;
static uint16_t word_before;
static void *newest; // instruction that was executed last

bool float_catch_is_possible(void)
{
    return true;
}

void float_catch_prepare(void)
{
    void *frames[2];
    (void)backtrace(frames, 2); // the first call of backtrace() loads a library
}

// Record the stack, beginning with the trapped instruction and without the frames of the signal
// handler.
// @param now  address at which the signal interrupted the thread: the trapped instruction or the
//             next one
static void write_stack(float_catch *out, void *instruction, const void *now)
{
    void *frames[FRAMES_MAX];
    const int count = backtrace(frames, FRAMES_MAX);
    int first = 0;
    while (first < count && frames[first] != now) {
        first++;
    }
    out->frames[0] = instruction;
    out->count = 1;
    const int most = (int)(sizeof(out->frames) / sizeof(out->frames[0]));
    for (int i = first + 1; i < count && out->count < most; i++) {
        out->frames[out->count++] = frames[i];
    }
}

static void *place_of(const ucontext_t *at)
{
    return (void *)(uintptr_t)at->uc_mcontext.gregs[REG_RIP];
}

// ---- replacing results of invalid operations ----

// Instruction whose invalid operation trapped. The thread executes it again without a trap, then
// its result is replaced.
static _Thread_local struct {
    bool is_known;
    float_instruction what;
    void *place;
    uint8_t before[2 * VECTOR_BYTES]; // bytes of the target register before the instruction
    double numbers[FLOAT_LANES_MAX];  // numbers that the instruction converts to integers
} pending;

static greg_t *general(ucontext_t *at, uint32_t number)
{
    static const int places[FLOAT_NO_REGISTER] = {
        REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
        REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return &at->uc_mcontext.gregs[places[number]];
}

// Return the bytes of a vector register from offset `from` on, NULL if the kernel did not save
// them.
static uint8_t *vector(ucontext_t *at, uint32_t number, uint32_t from)
{
    uint8_t *saved = (uint8_t *)at->uc_mcontext.fpregs;
    uint32_t magic = 0;
    uint64_t parts = 0;
    if (from < VECTOR_BYTES) {
        return (uint8_t *)at->uc_mcontext.fpregs->_xmm[number].element + from;
    }
    memcpy(&magic, saved + SOFTWARE_AT, sizeof(magic));
    if (magic != FP_XSTATE_MAGIC1) {
        return NULL;
    }
    memcpy(&parts, saved + PARTS_AT, sizeof(parts));
    return (parts & PART_UPPER) != 0
               ? saved + UPPER_AT + (size_t)number * VECTOR_BYTES + (from - VECTOR_BYTES)
               : NULL;
}

// Return the address of a number that the instruction converts, NULL if its register was not saved.
static const uint8_t *operand(ucontext_t *at, const float_instruction *what, uint32_t from)
{
    if (!what->is_in_memory) {
        return vector(at, what->source, from);
    }
    uint64_t address = (uint64_t)(int64_t)what->displacement + from;
    address += what->is_relative ? (uint64_t)(uintptr_t)place_of(at) + what->length : 0;
    address += what->base < FLOAT_NO_REGISTER ? (uint64_t)*general(at, what->base) : 0;
    address +=
        what->index < FLOAT_NO_REGISTER ? (uint64_t)*general(at, what->index) * what->scale : 0;
    return (const uint8_t *)(uintptr_t)address;
}

// Decode the instruction that trapped, and store the values that decide its result.
static void read_instruction(ucontext_t *at)
{
    const float_instruction *what = &pending.what;
    pending.place = place_of(at);
    pending.is_known = float_instruction_read(pending.place, &pending.what);
    for (uint32_t i = 0; pending.is_known && i < what->lanes; i++) {
        const uint8_t *number =
            what->gives_integers ? operand(at, what, i * what->source_bytes) : NULL;
        const uint8_t *old =
            what->is_general ? NULL : vector(at, what->target, i * what->target_bytes);
        float single = 0;
        if (number != NULL && what->source_bytes == sizeof(double)) {
            memcpy(&pending.numbers[i], number, sizeof(double));
        } else if (number != NULL) {
            memcpy(&single, number, sizeof(single));
            pending.numbers[i] = (double)single;
        }
        if (old != NULL) {
            memcpy(pending.before + (size_t)i * what->target_bytes, old, what->target_bytes);
        }
    }
}

// If x86 cannot convert a number to an integer, replace the result by that of another processor.
// @return false if the result stays the same
static bool convert_elsewhere(double number, uint64_t *lane)
{
    const float_instruction *what = &pending.what;
    const bool is_wide = what->target_bytes == sizeof(uint64_t);
    const uint64_t least = is_wide ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    // Leave numbers alone that fit into an unsigned integer: clang's code for conversions to
    // unsigned integers relies on the result that x86 gives for numbers above the signed range.
    const bool fits_unsigned = number < 2.0 * (double)least && (is_wide || !what->is_general);
    if (*lane != least || number < 0 || (number > 0 && fits_unsigned)) {
        return false;
    }
    *lane = number > 0 ? least - 1 : 0;
    return true;
}

// If the instruction produced a NaN, flip its sign, as other processors give it.
// @return false if the result stays the same
static bool calculate_elsewhere(uint64_t before, uint64_t *lane)
{
    const bool is_double = pending.what.target_bytes == sizeof(uint64_t);
    const uint64_t nothing = is_double ? UINT64_C(0xFFF8000000000000) : 0xFFC00000u;
    if (*lane != nothing || before == nothing) {
        return false;
    }
    *lane ^= is_double ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    return true;
}

// Replace the result of the finished instruction by the result that another processor gives.
// @return true if that result is different
static bool replace_result(ucontext_t *at)
{
    const float_instruction *what = &pending.what;
    bool is_other = false;
    for (uint32_t i = 0; i < what->lanes; i++) {
        uint64_t lane = 0;
        uint64_t before = 0;
        uint8_t *out = what->is_general ? (uint8_t *)general(at, what->target)
                                        : vector(at, what->target, i * what->target_bytes);
        if (out == NULL) {
            continue;
        }
        memcpy(&lane, out, what->target_bytes);
        memcpy(&before, pending.before + (size_t)i * what->target_bytes, what->target_bytes);
        if (what->gives_integers ? convert_elsewhere(pending.numbers[i], &lane)
                                 : calculate_elsewhere(before, &lane)) {
            is_other = true;
            memcpy(out, &lane, what->target_bytes);
        }
    }
    return is_other;
}

static void hear_finished(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    ucontext_t *at = context;
    const bool is_more = invalid->replaced < replaced_max;
    at->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    at->uc_mcontext.fpregs->mxcsr &= ~(uint32_t)SSE_MASK_INVALID;
    if (pending.is_known && is_more && replace_result(at)) {
        invalid->replaced++;
        if (invalid->replaced == (replaced_max == UINT32_MAX ? 1 : replaced_max)) {
            write_stack(invalid, pending.place, place_of(at));
        }
    }
}

static void hear_invalid(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    struct _libc_fpstate *floats = at->uc_mcontext.fpregs;
    if (info->si_code == FPE_INTDIV || info->si_code == FPE_INTOVF) {
        // An integer division by zero must crash, as it does without this handler.
        (void)signal(number, SIG_DFL);
        return;
    }
    if ((floats->swd & X87_SUMMARY) != 0) {
        if (invalid->count == 0 && replaced_max > 0) {
            write_stack(invalid, place_of(at), place_of(at));
            invalid->is_x87 = true;
        }
        // Mask further x87 exceptions of this step, and clear their flags.
        floats->cwd |= X87_MASKS;
        floats->swd &= (uint16_t)~X87_FLAGS;
        return;
    }
    floats->mxcsr |= SSE_MASK_INVALID;
    if (traps++ < FLOAT_TRAPS_MAX) {
        read_instruction(at);
        at->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    }
}

static void hear(int number, void (*action)(int, siginfo_t *, void *))
{
    struct sigaction how = {.sa_flags = SA_SIGINFO};
    how.sa_sigaction = action;
    (void)sigaction(number, &how, NULL);
}

void float_catch_invalid(float_catch *out, uint32_t most)
{
    invalid = out;
    replaced_max = most;
    traps = 0;
    hear(SIGFPE, hear_invalid);
    hear(SIGTRAP, hear_finished);
}

// ---- catching changes of the floating-point environment ----

static void hear_instruction(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    ucontext_t *at = context;
    const struct _libc_fpstate *floats = at->uc_mcontext.fpregs;
    if (((floats->mxcsr ^ control_before) & SSE_CONTROL) != 0 || floats->cwd != word_before) {
        write_stack(change, newest, place_of(at));
        at->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    }
    newest = place_of(at);
}

void float_catch_changes(float_catch *out)
{
    change = out;
    control_before = _mm_getcsr();
    __asm__ volatile("fnstcw %0" : "=m"(word_before));
    newest = NULL;
    hear(SIGTRAP, hear_instruction);
    __writeeflags(__readeflags() | TRAP_FLAG);
}

void float_catch_changes_end(void)
{
    __writeeflags(__readeflags() & ~(unsigned long long)TRAP_FLAG);
    (void)signal(SIGTRAP, SIG_DFL);
}

#else

bool float_catch_is_possible(void)
{
    return false;
}

void float_catch_prepare(void)
{
}

void float_catch_invalid(float_catch *out, uint32_t most)
{
    (void)out;
    (void)most;
}

void float_catch_changes(float_catch *out)
{
    (void)out;
}

void float_catch_changes_end(void)
{
}

#endif
