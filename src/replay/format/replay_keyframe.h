// SPDX-License-Identifier: MIT

/// @file replay_keyframe.h
/// The record `keyf`: the state at a tick, whole or coded by the keyframe before it. See
/// docs/spec/replay.md.

#ifndef BKSI_REPLAY_KEYFRAME_H
#define BKSI_REPLAY_KEYFRAME_H

#include "backstitch/base.h"
#include "replay/format/packer.h"

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

/// One keyframe in this many is whole.
#define BKSI_KEYFRAMES_PER_WHOLE 16u

/// A keyframe as it lies in a file. Pointers go into its bytes.
typedef struct bksi_keyframe {
    bks_tick tick;
    size_t state_bytes;  ///< unpacked
    uint64_t before;     ///< offset of the record of the keyframe that it is coded by; 0: whole
    uint64_t start;      ///< offset from which the records are enough to play on from a whole one
    uint64_t hash;       ///< XXH3 of the state's bytes
    bksi_packed content; ///< the state, or its delta
} bksi_keyframe;

/// Packs states. All memory is taken at create.
typedef struct bksi_keyframe_packer bksi_keyframe_packer;

/// @return NULL when there is no memory
bksi_keyframe_packer *bksi_keyframe_packer_create(size_t state_bytes_max,
                                                  const bks_allocator *allocator);
void bksi_keyframe_packer_destroy(bksi_keyframe_packer *packer);

/// Write the payload of a keyframe, coded by the state that was last taken if it is not whole.
/// @param keyframe  tick, before, start; all else is worked out
/// @return its bytes, from bksi_keyframe_record() + BKSI_RECORD_HEAD_BYTES on
size_t bksi_keyframe_pack(bksi_keyframe_packer *packer, const bksi_keyframe *keyframe,
                          const void *state, size_t state_bytes);

/// The packed keyframe goes into the file: the next one may be coded by its state.
void bksi_keyframe_taken(bksi_keyframe_packer *packer, const void *state, size_t state_bytes);

/// Room for a record with the payload in it, valid until the next bksi_keyframe_pack().
uint8_t *bksi_keyframe_record(bksi_keyframe_packer *packer);

/// Read the payload without unpacking anything.
/// @return false when the bytes are not those of a keyframe
bool bksi_keyframe_read(bksi_keyframe *keyframe, const uint8_t *bytes, size_t count);

/// Bytes of scratch memory that bksi_keyframe_apply() needs.
size_t bksi_keyframe_scratch_bytes(const bksi_keyframe *keyframe);

/// Turn `state` into the keyframe's.
/// @param state         unless it is whole, the state of the keyframe that it is coded by
/// @param before_bytes  of that, 0 for a whole one
/// @param capacity      of `state`, at least before_bytes and keyframe->state_bytes
/// @param scratch       bksi_keyframe_scratch_bytes()
/// @return false when the bytes are wrong; `state` is spoilt then
bool bksi_keyframe_apply(const bksi_keyframe *keyframe, uint8_t *state, size_t before_bytes,
                         size_t capacity, uint8_t *scratch);

#endif
