// SPDX-License-Identifier: MIT

/// @file code_place.h
/// Where the system maps the next library.

#ifndef BKS_TOOL_CODE_PLACE_H
#define BKS_TOOL_CODE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/// From now on the system finds room below an address alone: what is free above it is taken.
/// @param end  a multiple of the size of a page; what is mapped next ends there
/// @return false: something lies just below it
bool code_place_begin(uint64_t end);

/// Give back what was taken.
void code_place_end(void);

#endif
