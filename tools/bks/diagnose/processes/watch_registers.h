// SPDX-License-Identifier: MIT

/// @file watch_registers.h Hardware watchpoints in the debug registers of a traced thread. Linux on
/// x86-64 only.

#ifndef BKS_TOOL_WATCH_REGISTERS_H
#define BKS_TOOL_WATCH_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "diagnose/processes/check_writes.h"

/// Bytes to watch.
typedef struct watched_bytes {
    uint64_t address;
    uint32_t bytes; ///< number of watched bytes: 1, 2, 4 or 8; 0: none
} watched_bytes;

/// Set a watchpoint on each value in a stopped thread.
/// @return false on failure; errno has the reason
bool watch_registers_set(pid_t thread, const watched_bytes watched[CHECK_WATCHED_MAX]);

/// Remove the watchpoints from a stopped thread.
/// @return false on failure; errno has the reason
bool watch_registers_clear(pid_t thread);

/// Find the watchpoints that have stopped a thread that SIGTRAP stopped, and clear their status.
/// @param out_is_lost  receives true if a watchpoint has stopped it, but not which one is known
/// @return bit i: watchpoint i
uint32_t watch_registers_take(pid_t thread, bool *out_is_lost);

#endif
