// SPDX-License-Identifier: MIT

#define _GNU_SOURCE

#include "check/float_catch.h"

#include <stddef.h>

#if defined(__x86_64__) && defined(__linux__)

#include <execinfo.h>
#include <fenv.h>
#include <signal.h>
#include <ucontext.h>
#include <x86intrin.h>

enum {
    SSE_FLUSHES = 0x8040, // FTZ and DAZ
    SSE_MASKS = 0x1f80,
    SSE_CONTROL = 0xffc0, // all but the flags
    X87_MASKS = 0x3f,
    X87_FLAGS = 0x80ff, // of exceptions, with their summary
    X87_24_BITS = 0x007f,
    TRAP_FLAG = 0x100, // of the processor's flags: a signal after each instruction
    FRAMES_MAX = 48,
};

static float_catch *invalid;
static float_catch *change;
static uint32_t control_before;
static uint16_t word_before;
static void *newest; // instruction that was executed last

bool float_catch_is_possible(void)
{
    return true;
}

void float_setting_choose(uint32_t which)
{
    static const int roundings[FLOAT_SETTINGS] = {FE_UPWARD,    FE_DOWNWARD,  FE_TOWARDZERO,
                                                  FE_TONEAREST, FE_TONEAREST, FE_UPWARD};
    const uint32_t setting = which % FLOAT_SETTINGS;
    (void)fesetround(roundings[setting]);
    if (setting == 3 || setting == 5) {
        _mm_setcsr(_mm_getcsr() | SSE_FLUSHES);
    }
    if (setting == 4) {
        const uint16_t word = X87_24_BITS;
        __asm__ volatile("fldcw %0" : : "m"(word));
    }
}

void float_setting_clear(void)
{
    (void)fesetenv(FE_DFL_ENV);
}

// The stack from the instruction on, without the frames of the handler.
static void write_stack(float_catch *out, void *instruction)
{
    void *frames[FRAMES_MAX];
    const int count = backtrace(frames, FRAMES_MAX);
    int first = 0;
    while (first < count && frames[first] != instruction) {
        first++;
    }
    out->frames[0] = instruction;
    out->count = 1;
    const int most = (int)(sizeof(out->frames) / sizeof(out->frames[0]));
    for (int i = first + 1; i < count && out->count < most; i++) {
        out->frames[out->count++] = frames[i];
    }
}

static void hear_invalid(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    if (info->si_code == FPE_INTDIV || info->si_code == FPE_INTOVF) {
        (void)signal(number, SIG_DFL); // a crash as any other
        return;
    }
    if (invalid->count == 0) {
        write_stack(invalid, (void *)(uintptr_t)at->uc_mcontext.gregs[REG_RIP]);
    }
    // What the flags of exceptions in the step say is not its caller's concern.
    at->uc_mcontext.fpregs->mxcsr |= SSE_MASKS;
    at->uc_mcontext.fpregs->cwd |= X87_MASKS;
    at->uc_mcontext.fpregs->swd &= (uint16_t)~X87_FLAGS;
}

void float_catch_invalid(float_catch *out)
{
    void *frames[2];
    (void)backtrace(frames, 2); // loads what it needs
    invalid = out;
    struct sigaction action = {.sa_flags = SA_SIGINFO};
    action.sa_sigaction = hear_invalid;
    (void)sigaction(SIGFPE, &action, NULL);
}

static void hear_instruction(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    ucontext_t *at = context;
    const struct _libc_fpstate *floats = at->uc_mcontext.fpregs;
    if (((floats->mxcsr ^ control_before) & SSE_CONTROL) != 0 || floats->cwd != word_before) {
        write_stack(change, newest);
        at->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    }
    newest = (void *)(uintptr_t)at->uc_mcontext.gregs[REG_RIP];
}

void float_catch_changes(float_catch *out)
{
    void *frames[2];
    (void)backtrace(frames, 2);
    change = out;
    control_before = _mm_getcsr();
    __asm__ volatile("fnstcw %0" : "=m"(word_before));
    newest = NULL;
    struct sigaction action = {.sa_flags = SA_SIGINFO};
    action.sa_sigaction = hear_instruction;
    (void)sigaction(SIGTRAP, &action, NULL);
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

void float_setting_choose(uint32_t which)
{
    (void)which;
}

void float_setting_clear(void)
{
}

void float_catch_invalid(float_catch *out)
{
    (void)out;
}

void float_catch_changes(float_catch *out)
{
    (void)out;
}

void float_catch_changes_end(void)
{
}

#endif
