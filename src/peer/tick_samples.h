// SPDX-License-Identifier: MIT

/// @file tick_samples.h
/// Samples of the state at every tick for a recording. A sample is kept from the step of its tick,
/// perhaps with guesses, until the tick is final.

#ifndef BKSI_TICK_SAMPLES_H
#define BKSI_TICK_SAMPLES_H

#include <stdint.h>

#include "backstitch/record.h"
#include "backstitch/toolkit/peer.h"
#include "backstitch/toolkit/writer.h"
#include "game/runner.h"

typedef struct bksi_tick_samples {
    const bks_state_range *ranges; ///< named ranges of the game's state
    uint32_t range_count;
    uint32_t capacity_ticks;
    size_t values_bytes; ///< size of the values of a tick, 0: none are kept
    uint8_t *values;     ///< values of the ticks, by tick modulo capacity_ticks
    size_t pages_max;    ///< maximum number of pages of a state; 0: no hashes are kept
    uint64_t *pages;     ///< page hashes of the ticks, by tick modulo capacity_ticks
    uint32_t *page_counts;
    uint8_t *state; ///< memory for the state of a game without a region
    size_t state_bytes_max;
} bksi_tick_samples;

/// Allocate samples for `capacity_ticks` ticks, as `detail` asks for.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_tick_samples_create(bksi_tick_samples *samples, const bksi_runner *runner,
                                    const bks_replay_detail *detail, uint32_t capacity_ticks,
                                    const bks_allocator *allocator);
void bksi_tick_samples_destroy(bksi_tick_samples *samples, const bks_allocator *allocator);

/// Sample the present state, at the start of `tick`.
void bksi_tick_samples_take(bksi_tick_samples *samples, bksi_runner *runner, bks_tick tick);

/// Pass the samples of one of the newest capacity_ticks ticks to a writer.
/// @return the status of bks_replay_writer_values()
bks_status bksi_tick_samples_give(const bksi_tick_samples *samples, bks_tick tick,
                                  bks_replay_writer *writer);

/// State that tells the operations of a rollback, which step ticks again, from operations that step
/// new ticks. Start from {0}.
typedef struct bksi_again {
    bool is_again;
    bks_tick end; ///< one past the newest tick that was stepped
} bksi_again;

/// Add the duration of an update that stepped at least one tick.
void bksi_costs_add_update(bks_costs *costs, uint64_t cost_ns);
/// Add the duration of a call of the game.
void bksi_costs_add_game(bks_costs *costs, uint64_t cost_ns);
/// Add the duration of an operation, if it is part of going back and stepping again.
void bksi_costs_add_op(bks_costs *costs, bksi_again *again, const bks_op *op, uint64_t cost_ns);

#endif
