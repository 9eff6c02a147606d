// SPDX-License-Identifier: MIT

/// @file crash_windows.h
/// By which exit status a process of Windows ends that crashes.

#ifndef BKS_TOOL_CRASH_WINDOWS_H
#define BKS_TOOL_CRASH_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

/// Of one that abort() ends, as newer run-times do it; the older one's is 3, an answer of ours.
#define CRASH_ABORTED 0xc0000409u

/// Of one that another one ends, as by Ctrl-C.
#define CRASH_ENDED 0xc000013au

enum { CRASH_NAME_BYTES = 32 };

/// Whether an exit status is the code of an exception that ended the process: such a code has the
/// highest bit, for a warning or an error, and never bit 28, which small negative numbers have.
bool crash_is(uint32_t status);

/// What an exception's code means; of one without a name, the code.
/// @param out  room for the text
/// @return it, or a name
const char *crash_name(uint32_t code, char out[CRASH_NAME_BYTES]);

#endif
