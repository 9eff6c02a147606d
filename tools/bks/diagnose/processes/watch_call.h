// SPDX-License-Identifier: MIT

/// @file watch_call.h System calls of a traced thread. They write to memory without an instruction
/// that a watchpoint sees, and fail if the memory is write-protected. Linux on x86-64 only.

#ifndef BKS_TOOL_WATCH_CALL_H
#define BKS_TOOL_WATCH_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// Signal of a stop at a system call, with PTRACE_O_TRACESYSGOOD.
enum { WATCH_CALL_SIGNAL = 5 | 0x80 };

/// Reason of a stop at a system call.
typedef enum watch_call_stage {
    WATCH_CALL_UNKNOWN = 0, ///< this system does not say
    WATCH_CALL_BEGINS,
    WATCH_CALL_ENDS,
} watch_call_stage;

/// Return why a thread has stopped at a system call.
watch_call_stage watch_call_at(pid_t thread);

/// Return true if the system call that a thread begins may write to some memory of its process. It
/// may if an argument points into the memory or not far before it, or if the call finds the
/// addresses in other memory, as recvmsg() does.
bool watch_call_may_write(pid_t thread, uint64_t address, uint64_t bytes);

#endif
