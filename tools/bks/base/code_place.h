// SPDX-License-Identifier: MIT

/// @file code_place.h
/// Where the system maps the next library, and a stack at an address of our choice, for calls of
/// the game.

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

/// Make a stack. Once in a process.
/// @param end  one past its highest address, a multiple of 16
/// @return false: something lies there already, or the C library cannot change stacks
bool other_stack_make(uint64_t end);

/// Call a function on it. Not from within such a call.
void other_stack_call(void (*function)(void *context), void *context);

#endif
