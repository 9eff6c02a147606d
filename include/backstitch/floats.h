// SPDX-License-Identifier: MIT

/// @file floats.h
/// The floating-point environment of a step: how results are rounded, and whether denormals are
/// kept. The library sets it around every call of a game; this is for code that steps by itself and
/// for threads of a step.
///
/// Thread rule: the environment is the calling thread's own.

#ifndef BACKSTITCH_FLOATS_H
#define BACKSTITCH_FLOATS_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What of a thread's floating-point environment changes results. Bits.
typedef enum bks_float_fault {
    BKS_FLOAT_ROUNDS = 1,    ///< rounds otherwise than to nearest, ties to even
    BKS_FLOAT_FLUSHES = 2,   ///< takes denormal operands or results for zero
    BKS_FLOAT_PRECISION = 4, ///< the x87 keeps fewer digits than a long double has
    BKS_FLOAT_TRAPS = 8,     ///< an exception ends the program instead of giving a result
    BKS_FLOAT_NANS = 16,     ///< every NaN becomes the default one (Arm)
} bks_float_fault;

/// A thread's floating-point environment, as the processor has it. Plain data.
typedef struct bks_float_environment {
    uint64_t control; ///< x86: MXCSR; AArch64: FPCR; 32-bit Arm: FPSCR; elsewhere 0
    uint32_t x87;     ///< x86: the x87's control word; elsewhere 0
} bks_float_environment;

/// What is wrong with the calling thread's floating-point environment. A known one rounds to
/// nearest, keeps denormals, masks all exceptions, and has the x87 keep 64 bits. Other than on x86
/// and Arm nothing is known of it.
/// @return bits of bks_float_fault, 0 when it is the known one
BKS_API uint32_t bks_float_faults(void);

/// What faults are, in words: "flushes denormals to zero, rounds otherwise than to nearest".
/// @param faults  bits of bks_float_fault; the first two of them are named
/// @return a static text of at most 100 bytes; "" when there is none
BKS_API const char *bks_float_faults_text(uint32_t faults);

/// Begin what must calculate as other machines do: the calling thread gets the known environment.
/// The library does so around all that it calls of a game; an engine that steps for itself, or a
/// step that has threads of its own, does it around its work:
///
///     const bks_float_environment before = bks_float_enter();
///     step_everything(state);
///     const uint32_t changed = bks_float_leave(&before);
///
/// Takes a few nanoseconds; registers are written only where they differ.
/// @return the environment that was, for bks_float_leave()
BKS_API bks_float_environment bks_float_enter(void);

/// End it on the same thread: the environment that was is back, on x86 and Arm with its exception
/// flags, but for those of the x87.
/// @param before  what bks_float_enter() returned, not NULL
/// @return what the work in between changed and did not undo: bits of bks_float_fault, 0 for
///         nothing. Its own results from that change on may differ from those of other machines
BKS_API uint32_t bks_float_leave(const bks_float_environment *before);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_FLOATS_H
