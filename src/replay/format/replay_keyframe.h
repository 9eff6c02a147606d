// SPDX-License-Identifier: MIT

/// @file replay_keyframe.h
/// The record `keyf`: the state at a tick, whole or coded against the previous keyframe. See
/// docs/spec/replay.md.

#ifndef BKSI_REPLAY_KEYFRAME_H
#define BKSI_REPLAY_KEYFRAME_H

#include "backstitch/base.h"
#include "replay/format/packer.h"

/// Return the most bytes that the delta of a state of `count` bytes takes.
static inline size_t bksi_delta_bytes_max(size_t count)
{
    // 16 more bytes suffice for the first pair. The numbers of each later pair never take more
    // bytes than the run of unchanged bytes before the pair, which is left out.
    return count + 16;
}

/// Write the delta that turns `before` into `now`. The shorter state counts as if zeros followed
/// its end.
/// @param capacity  at least bksi_delta_bytes_max(now_bytes)
/// @return bytes written to `out`
size_t bksi_delta_write(uint8_t *out, size_t capacity, const uint8_t *before, size_t before_bytes,
                        const uint8_t *now, size_t now_bytes);

/// Return true if the bytes are a delta that makes a state of `now_bytes` bytes. The check takes
/// time in proportion to delta_bytes, however large the state is.
bool bksi_delta_is_right(const uint8_t *delta, size_t delta_bytes, size_t now_bytes);

/// Turn `state` into the state that the delta was written for.
/// @param state        the earlier state, in the first `before_bytes` bytes; receives the later
///                     state of `now_bytes` bytes
/// @param capacity     bytes of `state`, at least before_bytes and now_bytes
/// @return false when the bytes are wrong or a state does not fit; the contents of `state` are then
///         undefined
bool bksi_delta_apply(const uint8_t *delta, size_t delta_bytes, uint8_t *state, size_t before_bytes,
                      size_t now_bytes, size_t capacity);

/// Number of keyframes from one whole keyframe to the next.
#define BKSI_KEYFRAMES_PER_WHOLE 16u

/// A keyframe as stored in a file. Its pointers point into the file's bytes.
typedef struct bksi_keyframe {
    bks_tick tick;
    size_t state_bytes; ///< size of the unpacked state
    uint64_t before;    ///< offset of the keyframe against which this one is coded; 0: it is whole
    /// Offset from which on the records hold the newest whole keyframe and all inputs since then.
    uint64_t start;
    uint64_t hash;       ///< XXH3 of the state's bytes
    bksi_packed content; ///< the packed state, or its packed delta
} bksi_keyframe;

/// Packer of states. All memory is allocated at create.
typedef struct bksi_keyframe_packer bksi_keyframe_packer;

/// Create a packer for states of up to `state_bytes_max` bytes.
/// @return NULL when there is no memory
bksi_keyframe_packer *bksi_keyframe_packer_create(size_t state_bytes_max,
                                                  const bks_allocator *allocator);
void bksi_keyframe_packer_destroy(bksi_keyframe_packer *packer);

/// Write the payload of a keyframe. A keyframe that is not whole is coded against the state of the
/// last bksi_keyframe_taken().
/// @param keyframe  tick, before and start; the other fields are ignored
/// @return bytes of the payload, from bksi_keyframe_record() + BKSI_RECORD_HEAD_BYTES on
size_t bksi_keyframe_pack(bksi_keyframe_packer *packer, const bksi_keyframe *keyframe,
                          const void *state, size_t state_bytes);

/// Note that the packed keyframe is written to the file, so the next keyframe can be coded against
/// its state.
void bksi_keyframe_taken(bksi_keyframe_packer *packer, const void *state, size_t state_bytes);

/// Return the record that holds the payload, with room for its head and check. The record is valid
/// until the next bksi_keyframe_pack().
uint8_t *bksi_keyframe_record(bksi_keyframe_packer *packer);

/// Read the payload of a keyframe without unpacking anything.
/// @return false when the bytes are not those of a keyframe
bool bksi_keyframe_read(bksi_keyframe *keyframe, const uint8_t *bytes, size_t count);

/// Return the bytes of scratch memory that bksi_keyframe_apply() needs.
size_t bksi_keyframe_scratch_bytes(const bksi_keyframe *keyframe);

/// Turn `state` into the state of the keyframe.
/// @param state         for a keyframe that is not whole: the state against which the keyframe is
///                      coded
/// @param before_bytes  size of the state against which the keyframe is coded, 0 for a whole
///                      keyframe
/// @param capacity      bytes of `state`, at least before_bytes
/// @param scratch       memory of bksi_keyframe_scratch_bytes() bytes
/// @return false when the bytes are wrong or the state does not fit; the contents of `state` are
///         then undefined
bool bksi_keyframe_apply(const bksi_keyframe *keyframe, uint8_t *state, size_t before_bytes,
                         size_t capacity, uint8_t *scratch);

#endif
