// SPDX-License-Identifier: MIT

/// @file mark_samples.h
/// For each tick that the config names, one row with the states at all marks, and notes. A row is
/// kept from the step of its tick (perhaps with guesses) until the tick is final. replay_marks.h
/// has its format.

#ifndef BKSI_MARK_SAMPLES_H
#define BKSI_MARK_SAMPLES_H

#include "backstitch/record.h"
#include "backstitch/toolkit/writer.h"
#include "game/runner.h"

typedef struct bksi_mark_samples {
    bksi_runner *runner; ///< runner whose states are sampled; NULL: no rows are kept
    uint8_t *saved;      ///< bytes that `save` wrote last; NULL: states are read from the region
    uint32_t capacity_ticks;
    size_t row_bytes_max;
    uint8_t *rows;     ///< rows by tick modulo capacity_ticks
    size_t *row_bytes; ///< sizes of the rows; 0: the tick has no row
    /// By row: number of bytes up to the end of the state at the start of the tick.
    size_t *start_bytes;
    uint8_t *base;     ///< state against which the next state of the row is coded
    size_t base_bytes; ///< size of `base`; 0: there is none
    size_t base_room;
    uint8_t *delta; ///< scratch memory for a coded state
    size_t delta_room;
    uint64_t states_bytes; ///< sum of the sizes of all states in the present row
    bks_tick first;        ///< first tick for which a row is wanted
    bks_tick last;         ///< last tick for which a row is wanted, included
    bool is_stepping;      ///< the present step is sampled
    bool is_warned;        ///< a warning was logged that the row of a tick did not fit
    bks_tick tick;         ///< tick of the present step
} bksi_mark_samples;

/// Allocate rows for `capacity_ticks` ticks, and listen to the runner's marks, if `detail` asks for
/// it. If the state is not in a region, a row has only the bytes that the game's `save` writes at
/// the start of the tick, because a game may not be asked to save within a step. Keep no rows if
/// states are too large or hold raw pointers; a warning in the log says so.
/// @param has_pointers  the state holds raw pointers
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_mark_samples_create(bksi_mark_samples *samples, bksi_runner *runner,
                                    const bks_replay_detail *detail, bool has_pointers,
                                    uint32_t capacity_ticks, const bks_allocator *allocator);
void bksi_mark_samples_destroy(bksi_mark_samples *samples, const bks_allocator *allocator);

/// Sample the present state, at the start of `tick`, if a row is wanted for the tick.
void bksi_mark_samples_take(bksi_mark_samples *samples, bks_tick tick);

/// Register that the runner loaded a slot.
void bksi_mark_samples_loaded(bksi_mark_samples *samples);

/// Register that a tick is about to be stepped, perhaps again.
/// @param is_kept  false if the row of the tick is in the recording already
void bksi_mark_samples_step(bksi_mark_samples *samples, bks_tick tick, bool is_kept);

/// Warn at the end of a recording if it has none of the ticks for which rows were wanted.
/// @param begin, end  ticks of the recording, `end` not included
void bksi_mark_samples_finish(const bksi_mark_samples *samples, bks_tick begin, bks_tick end);

/// Pass the row of one of the newest capacity_ticks ticks to a writer.
/// @return the status of bks_replay_writer_marks()
bks_status bksi_mark_samples_give(const bksi_mark_samples *samples, bks_tick tick,
                                  bks_replay_writer *writer);

#endif
