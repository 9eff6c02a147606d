// SPDX-License-Identifier: MIT

/// @file mark_samples.h
/// The state at every mark of every tick of a window, and its notes, from when the tick is stepped,
/// with guesses perhaps, until it is final: a row for each tick (replay_marks.h).

#ifndef BKSI_MARK_SAMPLES_H
#define BKSI_MARK_SAMPLES_H

#include "backstitch/record.h"
#include "backstitch/toolkit/writer.h"
#include "game/runner.h"

typedef struct bksi_mark_samples {
    bksi_runner *runner; ///< NULL: nothing is kept
    uint8_t *saved;      ///< what `save` wrote last; NULL: the state is in a region
    uint32_t capacity_ticks;
    size_t row_bytes_max;
    uint8_t *rows;       ///< by tick modulo capacity_ticks
    size_t *row_bytes;   ///< of them; 0: nothing is known of the tick
    size_t *start_bytes; ///< of them, the state at the start of the tick
    uint8_t *base;       ///< the state that the next one is coded against
    size_t base_bytes;   ///< 0: there is none
    size_t base_room;
    uint8_t *delta; ///< room for one that is coded
    size_t delta_room;
    uint64_t states_bytes; ///< of all states of the row at hand
    bks_tick first;        ///< tick of the window
    bks_tick last;         ///< tick of the window, itself included
    bool is_stepping;      ///< the step at hand is kept
    bool is_warned;        ///< that a tick is not kept
    bks_tick tick;         ///< of that step
} bksi_mark_samples;

/// Room for this many ticks, and hear the runner's marks, if `detail` asks for it. Of a state that
/// is not in a region, what `save` writes at the start of each tick is kept: a game may not be
/// asked for it within a step. One that is too large, or holds raw pointers, is not kept. Both are
/// logged as a warning.
/// @param has_pointers  the state holds raw pointers
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY
bks_status bksi_mark_samples_create(bksi_mark_samples *samples, bksi_runner *runner,
                                    const bks_replay_detail *detail, bool has_pointers,
                                    uint32_t capacity_ticks, const bks_allocator *allocator);
void bksi_mark_samples_destroy(bksi_mark_samples *samples, const bks_allocator *allocator);

/// Take the state as it is, which is that at the start of `tick`, if that is in the window.
void bksi_mark_samples_take(bksi_mark_samples *samples, bks_tick tick);

/// The game was taken back to a slot.
void bksi_mark_samples_loaded(bksi_mark_samples *samples);

/// A tick is about to be stepped, perhaps again.
/// @param is_kept  false: its row is in the recording already
void bksi_mark_samples_step(bksi_mark_samples *samples, bks_tick tick, bool is_kept);

/// The recording ends: say it where none of its ticks is in the window that was asked for.
/// @param begin, end  its ticks, `end` not included
void bksi_mark_samples_finish(const bksi_mark_samples *samples, bks_tick begin, bks_tick end);

/// Hand over the row of a tick of the newest capacity_ticks.
/// @return as bks_replay_writer_marks()
bks_status bksi_mark_samples_give(const bksi_mark_samples *samples, bks_tick tick,
                                  bks_replay_writer *writer);

#endif
