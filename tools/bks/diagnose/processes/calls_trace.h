// SPDX-License-Identifier: MIT

/// @file calls_trace.h Finds out which of the functions that a loaded plug-in imports it calls.

#ifndef BKS_TOOL_CALLS_TRACE_H
#define BKS_TOOL_CALLS_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/// From now on, note each call of the functions that check_imports_names() lists and the plug-in
/// imports, and each read of the processor's counter of cycles. A function whose address the
/// plug-in keeps in data counts as called. This works on Linux on x86-64, and once in a process.
/// @param plugin  any address in the plug-in
/// @return false if nothing can be noted
bool calls_trace_begin(const void *plugin);

/// Forget the calls noted so far.
void calls_trace_forget(void);

/// Return the notes: by index of check_imports_names(), true if the function was called. NULL:
/// there are none, because calls_trace_begin() failed.
const bool *calls_trace_notes(void);

/// Return the address to which the newest call of a function returns, 0 if none was noted.
/// @param name  index of check_imports_names()
uint64_t calls_trace_site(uint32_t name);

#endif
