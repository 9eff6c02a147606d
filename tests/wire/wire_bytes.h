// SPDX-License-Identifier: MIT

/// @file wire_bytes.h
/// Messages against the bytes of docs/spec/wire.md, and copies that end where their bytes do, so
/// that the address sanitizer sees a read behind them.

#ifndef TESTS_WIRE_BYTES_H
#define TESTS_WIRE_BYTES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Compare bytes with their spelling in hex, printing both.
static inline void assert_bytes(const uint8_t *bytes, size_t count, const char *hex)
{
    char spelled[2 * 1200 + 1] = "";
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(spelled + 2 * i, 3, "%02x", bytes[i]);
    }
    assert_string_equal(spelled, hex);
}

/// Return a copy on the heap of exactly these bytes. The caller frees it.
static inline uint8_t *exact_copy(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = malloc(count > 0 ? count : 1);
    assert_non_null(copy);
    if (count > 0) {
        memcpy(copy, bytes, count);
    }
    return copy;
}

#endif
