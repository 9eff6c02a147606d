// SPDX-License-Identifier: MIT

/// @file crash_windows.h
/// By which exit status a process of Windows ends that crashes.

#ifndef BKS_TOOL_CRASH_WINDOWS_H
#define BKS_TOOL_CRASH_WINDOWS_H

#include <stdint.h>

/// Of one that abort() ends, as newer run-times do it; the older one's is 3, an answer of ours.
#define CRASH_ABORTED 0xc0000409u

/// Of one that another one ends, as by Ctrl-C.
#define CRASH_ENDED 0xc000013au

/// What an exception's code means.
const char *crash_name(uint32_t code);

#endif
