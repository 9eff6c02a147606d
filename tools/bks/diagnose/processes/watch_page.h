// SPDX-License-Identifier: MIT

/// @file watch_page.h A watchpoint without debug registers, for machines on which hardware
/// watchpoints never fire, such as many virtual ones. The page of the watched bytes cannot be
/// written. Each store to it faults, and is then executed as a single step. Linux on x86-64 only.

#ifndef BKS_TOOL_WATCH_PAGE_H
#define BKS_TOOL_WATCH_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "diagnose/processes/watch_registers.h"

/// Watched values of a process, of which those on the first one's page count. All calls need a
/// stopped thread of it.
typedef struct watch_page {
    uint64_t gate;                ///< watch_page_gate() of the process
    const watched_bytes *watched; ///< CHECK_WATCHED_MAX values
    bool stays_open; ///< true while a system call may write to the page: watch_page_close() waits
} watch_page;

/// Return the address of two instructions in this process: `syscall`, then a breakpoint. A process
/// that watches this one lets it change the page's protection there.
uint64_t watch_page_gate(void);

/// Make stores to the page fault (watch_page_close), or let them pass again (watch_page_open).
/// @return false if the thread is not stopped, or the page cannot be protected
bool watch_page_close(const watch_page *page, pid_t thread);
bool watch_page_open(const watch_page *page, pid_t thread);

/// Let stores to the page pass again, for a thread that is stopped at the beginning of a system
/// call, which would fail if it wrote to the closed page. The thread is stopped there again after.
/// @return false if the page cannot be opened
bool watch_page_open_for_call(const watch_page *page, pid_t thread);

/// Return the address and the size of the page.
uint64_t watch_page_begin(const watch_page *page);
uint64_t watch_page_bytes(void);

/// Return true if a value lies on the page.
bool watch_page_has(const watch_page *page, uint32_t index);

/// Handle a thread that SIGSEGV has stopped: if it wants to store to the page, let it do so.
/// @param status      status of the stop; receives the status of a stop that came instead, which is
///                    still to be handled
/// @param out_signal  receives the signal to pass on to the thread, 0: none
/// @param out_values  receives bit i if the store wrote value i
/// @return false if the stop is not a store to the page, or another stop came instead
bool watch_page_take(const watch_page *page, pid_t thread, int *status, int *out_signal,
                     uint32_t *out_values);

#endif
