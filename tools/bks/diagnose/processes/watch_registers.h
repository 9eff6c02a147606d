// SPDX-License-Identifier: MIT

/// @file watch_registers.h A hardware watchpoint in the debug registers of a traced thread. Linux
/// on x86-64 only.

#ifndef BKS_TOOL_WATCH_REGISTERS_H
#define BKS_TOOL_WATCH_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// Set the watchpoint in a stopped thread.
/// @param bytes  number of watched bytes: 1, 2, 4 or 8
/// @return false on failure; errno has the reason
bool watch_registers_set(pid_t thread, uint64_t address, uint32_t bytes);

/// Remove the watchpoint from a stopped thread.
/// @return false on failure; errno has the reason
bool watch_registers_clear(pid_t thread);

/// Return true if the watchpoint has stopped a thread that SIGTRAP stopped. Then clear the
/// watchpoint's status.
bool watch_registers_take(pid_t thread);

#endif
