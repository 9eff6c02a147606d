// SPDX-License-Identifier: MIT

/// @file replay_run.h
/// A run of consecutive ticks as bytes: the inputs of the ticks, by the input codec, and the hashes
/// of the confirmed ticks. The first tick is coded against neutral inputs, so that a run can be
/// read alone. The tail holds a run. In files of version 1 a TICK record holds a run, too. See
/// docs/spec/replay.md.

#ifndef BKSI_REPLAY_RUN_H
#define BKSI_REPLAY_RUN_H

#include "base/bits.h"
#include "input/layout.h"

#define BKSI_RUN_TICKS_MAX      4096u
#define BKSI_RUN_HEAD_BYTES_MAX 32u ///< size of a run's head: four varints and spare room

/// A run as stored in a file. Pointers point into the file's bytes.
typedef struct bksi_run {
    bks_tick first;
    uint32_t confirmed; ///< number of confirmed ticks
    uint32_t used;      ///< number of ticks stepped with guesses, after the confirmed ones
    const uint8_t *inputs;
    size_t input_bytes;
    const uint8_t *hashes;
    size_t hash_bytes;
} bksi_run;

/// Parameters with which the runs of a match are coded.
typedef struct bksi_run_shape {
    const bksi_layout *layout;
    uint32_t players;
    uint32_t hash_bits;       ///< recorded bits of a hash, 1..64
    uint32_t full_hash_ticks; ///< the hash of a tick that is a multiple of this has all 64 bits
} bksi_run_shape;

/// Destination of unpacked ticks. Each pointer may be NULL.
typedef struct bksi_tick_arrays {
    uint8_t *inputs;    ///< packed inputs, bksi_run_tick_bytes() for each tick
    uint64_t *hashes;   ///< recorded bits of the hash of each tick
    uint8_t *hash_bits; ///< number of recorded bits of each hash; 0: the tick has no hash
} bksi_tick_arrays;

/// Return pointers to the same arrays, moved `count` ticks further.
bksi_tick_arrays bksi_tick_arrays_behind(const bksi_tick_arrays *arrays,
                                         const bksi_run_shape *shape, size_t count);

/// Return the number of bits that are recorded of a tick's hash.
static inline uint32_t bksi_run_hash_bits(const bksi_run_shape *shape, bks_tick tick)
{
    return (uint32_t)tick % shape->full_hash_ticks == 0 ? 64 : shape->hash_bits;
}

/// Return the size of all players' packed inputs of one tick.
static inline size_t bksi_run_tick_bytes(const bksi_run_shape *shape)
{
    return (size_t)shape->players * shape->layout->bytes;
}

/// Write one tick's inputs, coded against those of the previous tick.
/// @param packed  players * layout->bytes bytes, as in `before`; a `before` of NULL stands for
///                neutral inputs
void bksi_run_write_inputs(bksi_bit_writer *writer, const bksi_run_shape *shape,
                           const uint8_t *before, const uint8_t *packed);

/// Write one tick's hash: all 64 bits at multiples of shape->full_hash_ticks, otherwise only the
/// lowest bits.
/// @param hash  NULL: the tick was not hashed
void bksi_run_write_hash(bksi_bit_writer *writer, const bksi_run_shape *shape, bks_tick tick,
                         const uint64_t *hash);

/// Return the most bytes of a run of `confirmed` confirmed ticks and `used` guessed ticks.
size_t bksi_run_bytes_max(const bksi_run_shape *shape, uint32_t confirmed, uint32_t used);

/// Write a run.
/// @return bytes of the run, 0 when they do not fit
size_t bksi_run_write(uint8_t *out, size_t capacity, const bksi_run *run);

/// Read the numbers at the head of a run.
/// @return false when the bytes are not those of a run
bool bksi_run_read(const uint8_t *bytes, size_t count, bksi_run *run);

/// Position in a run that is read tick by tick.
typedef struct bksi_run_cursor {
    bksi_run_shape shape;
    bksi_bit_reader inputs;
    bksi_bit_reader hashes;
    bks_tick tick;
    bks_tick confirmed_end;
    bks_tick end;
    uint8_t before[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
} bksi_run_cursor;

void bksi_run_begin(bksi_run_cursor *cursor, const bksi_run_shape *shape, const bksi_run *run);

/// Read the next tick of a run.
/// @param packed     receives players * layout->bytes bytes; may be NULL
/// @param hash       receives the recorded bits
/// @param hash_bits  receives the number of recorded bits; 0: the tick has no hash
/// @return false when the bytes are wrong
bool bksi_run_next(bksi_run_cursor *cursor, uint8_t *packed, uint64_t *hash, uint32_t *hash_bits);

/// Return true if fewer than 8 bits follow the last tick of a run, and all of them are zero.
bool bksi_run_is_used_up(const bksi_run_cursor *cursor);

/// Unpack all ticks of a run.
/// @return false when the bytes are wrong
bool bksi_run_unpack(const bksi_run_shape *shape, const bksi_run *run,
                     const bksi_tick_arrays *arrays);

/// Return true if a reader has fewer than 8 bits left, and all of them are zero.
bool bksi_run_has_zeros_left(bksi_bit_reader reader);

#endif
