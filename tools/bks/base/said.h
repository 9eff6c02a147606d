// SPDX-License-Identifier: MIT

/// @file said.h
/// Which lines of a log were there before. One thread at a time asks.

#ifndef BKS_TOOL_SAID_H
#define BKS_TOOL_SAID_H

#include <stdbool.h>

/// Whether a line is among the last of those that differ; from now on it is.
bool said_before(const char *text);

#endif
