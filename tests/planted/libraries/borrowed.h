// SPDX-License-Identifier: MIT

/// @file borrowed.h
/// A library that a planted game needs.

#ifndef PLANTED_BORROWED_H
#define PLANTED_BORROWED_H

#include <stdint.h>

/// Sum up sines and powers of the C library.
__attribute__((visibility("default"))) uint32_t borrowed_turn(void);

#endif
