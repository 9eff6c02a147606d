// SPDX-License-Identifier: MIT

/// @file float_environment.h
/// The floating-point guard of the runner and of jobs. The runner may instead leave the caller's
/// environment in force, or have invalid operations trapped. A job takes the environment of its
/// step.
///
/// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 8.1.5 (x87
/// control word) and 10.2.3 (MXCSR); Arm Architecture Reference Manual, FPCR and FPSCR. The known
/// x87 word 0x37f and MXCSR 0x1f80 are those with which the System V ABI begins a process.

#ifndef BKSI_FLOAT_ENVIRONMENT_H
#define BKSI_FLOAT_ENVIRONMENT_H

#include "backstitch/det.h"

/// Enter the known environment, as bks_float_enter() does.
/// @param traps_invalid  an invalid operation raises SIGFPE until bksi_float_leave(); has an effect
///                       on x86 alone
bks_float_environment bksi_float_enter(bool traps_invalid);

/// Return the environment of the calling thread.
bks_float_environment bksi_float_here(void);

/// Set the environment of the calling thread to another thread's.
/// @return the environment that the calling thread had before, for bksi_float_leave()
bks_float_environment bksi_float_take(const bks_float_environment *wanted);

/// Restore the environment, as bks_float_leave() does.
uint32_t bksi_float_leave(const bks_float_environment *before);

#endif
