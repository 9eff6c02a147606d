// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "diagnose/variants/float_catch.h"

#include <stddef.h>
#include <string.h>

#include "diagnose/variants/float_instruction.h"

#if defined(__x86_64__) && defined(__linux__)

#include <execinfo.h>
#include <signal.h>
#include <ucontext.h>
#include <x86intrin.h>

enum {
    SSE_MASK_INVALID = 0x80,
    SSE_CONTROL = 0xffc0, // all but the flags
    X87_MASKS = 0x3f,
    X87_FLAGS = 0x80ff, // of exceptions, with their summary
    X87_SUMMARY = 0x80,
    TRAP_FLAG = 0x100, // of the processor's flags: a signal after each instruction
    FRAMES_MAX = 48,
    VECTOR_BYTES = 16,
    // What the kernel saves of a thread: which parts, and the upper halves of 256-bit registers.
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
    (void)backtrace(frames, 2); // loads what it needs when it is first called
}

// The stack from the instruction on, without the frames of the handler.
// @param now  where the thread is: the instruction, or the one behind
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

// ---- invalid operations ----

// The instruction that a thread finishes without its trap.
static _Thread_local struct {
    bool is_known;
    float_instruction what;
    void *place;
    uint8_t before[2 * VECTOR_BYTES]; // of its target
    double numbers[FLOAT_LANES_MAX];  // that it converts
} pending;

static greg_t *general(ucontext_t *at, uint32_t number)
{
    static const int places[FLOAT_NO_REGISTER] = {
        REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
        REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    return &at->uc_mcontext.gregs[places[number]];
}

// A part of a vector register.
// @return NULL: the kernel saved no such part
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

// What the instruction converts, or NULL.
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

// Remember what its result depends on.
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

// What another processor makes of a number that x86 cannot convert.
// @return false: the same
static bool convert_elsewhere(double number, uint64_t *lane)
{
    const float_instruction *what = &pending.what;
    const bool is_wide = what->target_bytes == sizeof(uint64_t);
    const uint64_t least = is_wide ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    // clang converts to an unsigned integer by the sign of what does not fit into the signed one.
    const bool fits_unsigned = number < 2.0 * (double)least && (is_wide || !what->is_general);
    if (*lane != least || number < 0 || (number > 0 && fits_unsigned)) {
        return false;
    }
    *lane = number > 0 ? least - 1 : 0;
    return true;
}

// @return false: the same
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

// Replace the result of the instruction that was finished.
// @return whether there was something to replace
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
        (void)signal(number, SIG_DFL); // a crash as any other
        return;
    }
    if ((floats->swd & X87_SUMMARY) != 0) {
        if (invalid->count == 0 && replaced_max > 0) {
            write_stack(invalid, place_of(at), place_of(at));
            invalid->is_x87 = true;
        }
        // What the flags of exceptions in the step say is not its caller's concern.
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

// ---- changes ----

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
