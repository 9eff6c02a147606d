// SPDX-License-Identifier: MIT

/// @file replay_delta.h
/// A state coded by what differs from another: both XORed, runs of zeros counted. What is left is
/// packed by zstd (replay_keyframe.c).

#ifndef BKSI_REPLAY_DELTA_H
#define BKSI_REPLAY_DELTA_H

#include "backstitch/base.h"

/// Most bytes that a coded state of `count` bytes takes.
static inline size_t bksi_delta_bytes_max(size_t count)
{
    return count + 16; // every break in the bytes written saves at least what it takes
}

/// Code `now` by `before`. Where one is longer than the other, the other counts as zeros there.
/// @param capacity  at least bksi_delta_bytes_max(now_bytes)
/// @return bytes written to `out`
size_t bksi_delta_write(uint8_t *out, size_t capacity, const uint8_t *before, size_t before_bytes,
                        const uint8_t *now, size_t now_bytes);

/// Whether the bytes make a state of `now_bytes` of any other. It takes no longer than they are
/// many.
bool bksi_delta_is_right(const uint8_t *delta, size_t delta_bytes, size_t now_bytes);

/// Turn `state` into the one that was coded by it.
/// @param state        the one before in its first `before_bytes` bytes; gets `now_bytes`
/// @param capacity     at least both
/// @return false when the bytes do not make a state of `now_bytes`; `state` is spoilt then
bool bksi_delta_apply(const uint8_t *delta, size_t delta_bytes, uint8_t *state, size_t before_bytes,
                      size_t now_bytes, size_t capacity);

#endif
