// SPDX-License-Identifier: MIT

/// @file cue_log.h
/// Cues that a peer reported, to be compared with those of the reference.

#ifndef BKSI_CUE_LOG_H
#define BKSI_CUE_LOG_H

#include "backstitch/present.h"

/// Size of a description of what is wrong, including its terminating zero.
#define BKSI_CUE_WHY_BYTES 200

/// A cue that a peer has started.
typedef struct bksi_reported_cue {
    bks_cue_event event; ///< newest event that reported the cue
    uint64_t update;     ///< number of the update that last changed or cancelled the cue
    bool is_cancelled;
    bool is_matched; ///< true if a cue of the reference corresponds to this cue
} bksi_reported_cue;

typedef struct bksi_cue_log {
    const bks_game *game;
    bks_allocator allocator;
    bksi_reported_cue *reported; ///< cues in the order in which they were reported
    size_t count;
    size_t capacity;
    uint64_t update;              ///< number of updates that have reported cues
    char why[BKSI_CUE_WHY_BYTES]; ///< description of the first report that makes no sense; "": none
} bksi_cue_log;

void bksi_cue_log_begin(bksi_cue_log *log, const bks_game *game, const bks_allocator *allocator);
void bksi_cue_log_end(bksi_cue_log *log);

/// Record an event about a cue. NULL: the update has reported all its events. `why` gets a
/// description of the first report that makes no sense, such as a second cancel.
void bksi_cue_log_add(bksi_cue_log *log, const bks_cue_event *event);

/// Compare reported cues with the cues of the reference. Confirmed cues must be the same, in the
/// same order. Cues that are reported at once and were not cancelled must be the same, too, but the
/// tick of each may differ by as many ticks as the cue may move.
/// @param until  tick before which all cues are known
/// @return NULL if all is right; else reported->why, which describes the difference
const char *bksi_cue_log_compare(bksi_cue_log *reported, const bksi_cue_log *straight,
                                 bks_tick until);

#endif
