// SPDX-License-Identifier: MIT

/// @file replay_rollback.h
/// The record `roll`: rollbacks in the order in which they happened, with the guessed inputs that
/// they replaced. See docs/spec/replay.md.

#ifndef BKSI_REPLAY_ROLLBACK_H
#define BKSI_REPLAY_ROLLBACK_H

#include "replay/format/replay_run.h"

#define BKSI_ROLLBACK_TICKS_MAX 512u

/// Packer that gathers rollbacks until they are written. All memory is allocated at create.
typedef struct bksi_rollback_packer {
    const bksi_run_shape *shape;
    uint8_t *record; ///< room for a record; NULL: rollbacks are not recorded
    size_t capacity; ///< size of `record` in bytes
    size_t bytes;    ///< bytes of the gathered rollbacks so far
} bksi_rollback_packer;

/// Create a packer of rollbacks.
/// @param ticks_max  most ticks of one rollback
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_rollback_packer_create(bksi_rollback_packer *packer, const bksi_run_shape *shape,
                                       uint32_t ticks_max, const bks_allocator *allocator);
void bksi_rollback_packer_destroy(bksi_rollback_packer *packer, const bks_allocator *allocator);

/// Add a rollback.
/// @param present  tick at whose start the game was when it rolled back
/// @param from     first tick that was stepped with a wrong guess, before `present`
/// @param inputs   packed inputs with which the ticks from `from` on had been stepped
/// @return false when there is no room: write the gathered rollbacks first
bool bksi_rollback_packer_add(bksi_rollback_packer *packer, bks_tick present, bks_tick from,
                              const uint8_t *inputs);

/// A rollback as stored in a file.
typedef struct bksi_rollback {
    bks_tick present;
    bks_tick from;
    const uint8_t *inputs;
    size_t input_bytes;
    size_t end; ///< offset of the next rollback, in the same payload
} bksi_rollback;

/// Read the rollback at `at` of a payload and check all its inputs.
/// @return false when the bytes are wrong
bool bksi_rollback_read(bksi_rollback *rollback, const bksi_run_shape *shape, const uint8_t *bytes,
                        size_t count, size_t at);

/// Return the inputs of a rollback as a run.
bksi_run bksi_rollback_run(const bksi_rollback *rollback);

#endif
