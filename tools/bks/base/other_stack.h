// SPDX-License-Identifier: MIT

/// @file other_stack.h
/// A stack at an address of our choice, for calls of the game.

#ifndef BKS_TOOL_OTHER_STACK_H
#define BKS_TOOL_OTHER_STACK_H

#include <stdbool.h>
#include <stdint.h>

/// Make the stack. Once in a process.
/// @param end  one past its highest address, a multiple of 16
/// @return false: something lies there already, or the C library cannot change stacks
bool other_stack_make(uint64_t end);

/// Call a function on it. Not from within such a call.
void other_stack_call(void (*function)(void *context), void *context);

#endif
