// SPDX-License-Identifier: MIT

/// @file replay_run.h
/// A run of consecutive ticks as bytes: their inputs by the input codec, the first told against
/// neutral so that a run stands alone, and the hashes of the confirmed ones. The payload of a TICK
/// record, and what the tail holds. See docs/spec/replay.md.

#ifndef BKSI_REPLAY_RUN_H
#define BKSI_REPLAY_RUN_H

#include "base/bits.h"
#include "input/layout.h"

#define BKSI_RUN_TICKS_MAX      4096u
#define BKSI_RUN_HEAD_BYTES_MAX 32u ///< four numbers of at most 5 bytes, and some room

/// A run as it lies in a file. Pointers go into its bytes.
typedef struct bksi_run {
    bks_tick first;
    uint32_t confirmed; ///< ticks that are final
    uint32_t used;      ///< ticks behind them that were stepped with a guess
    const uint8_t *inputs;
    size_t input_bytes;
    const uint8_t *hashes;
    size_t hash_bytes;
} bksi_run;

/// How a match's runs are coded.
typedef struct bksi_run_shape {
    const bksi_layout *layout;
    uint32_t players;
    uint32_t tick_rate_hz;
} bksi_run_shape;

/// Bytes of all players' packed inputs of one tick.
static inline size_t bksi_run_tick_bytes(const bksi_run_shape *shape)
{
    return (size_t)shape->players * shape->layout->bytes;
}

/// Write one tick's inputs, told against the tick before.
/// @param packed  players * layout->bytes, before and now; `before` NULL is neutral
void bksi_run_write_inputs(bksi_bit_writer *writer, const bksi_run_shape *shape,
                           const uint8_t *before, const uint8_t *packed);

/// Write one tick's hash: all of it once a second, else 16 bits. NULL: it was not hashed.
void bksi_run_write_hash(bksi_bit_writer *writer, const bksi_run_shape *shape, bks_tick tick,
                         const uint64_t *hash);

/// Most bytes a run of so many ticks takes.
size_t bksi_run_bytes_max(const bksi_run_shape *shape, uint32_t confirmed, uint32_t used);

/// Put a run together.
/// @return its bytes, 0 when they do not fit
size_t bksi_run_write(uint8_t *out, size_t capacity, const bksi_run *run);

/// Read the numbers at the head of a run.
/// @return false when the bytes are not those of a run
bool bksi_run_read(const uint8_t *bytes, size_t count, bksi_run *run);

/// Reads a run tick by tick.
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

/// Read the next tick, which must be there.
/// @param packed     receives players * layout->bytes; NULL throws them away
/// @param hash       receives the recorded bits
/// @param hash_bits  receives 0 (not hashed, not confirmed), 16 or 64
/// @return false when the bytes are wrong
bool bksi_run_next(bksi_run_cursor *cursor, uint8_t *packed, uint64_t *hash, uint32_t *hash_bits);

/// After the last tick: whether nothing but zero bits in the last bytes is left.
bool bksi_run_is_used_up(const bksi_run_cursor *cursor);

#endif
