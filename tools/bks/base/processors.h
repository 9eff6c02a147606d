// SPDX-License-Identifier: MIT

/// @file processors.h
/// On which processors the process runs, for each kind of system in a file of its own.

#ifndef BKS_TOOL_PROCESSORS_H
#define BKS_TOOL_PROCESSORS_H

#include <stdbool.h>

/// Keep in mind which there are. Once.
void processors_keep(void);

/// Put this thread, those that it will make and, with `others`, all others of the process onto one
/// processor, or onto all of those that were there.
/// @return whether there are several, and it was done
bool processors_use(bool is_one, bool others);

#endif
