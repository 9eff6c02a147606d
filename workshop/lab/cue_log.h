// SPDX-License-Identifier: MIT

/// @file cue_log.h
/// What a peer heard of cues, to be held against the same inputs played straight.

#ifndef BKSI_CUE_LOG_H
#define BKSI_CUE_LOG_H

#include "backstitch/present.h"

/// Room for what is wrong, its zero included.
#define BKSI_CUE_WHY_BYTES 200

/// One that was started.
typedef struct bksi_reported_cue {
    bks_cue_event event; ///< as it was reported last
    uint64_t update;     ///< that changed or cancelled it
    bool is_cancelled;
    bool is_matched; ///< by one of the straight run
} bksi_reported_cue;

typedef struct bksi_cue_log {
    const bks_game *game;
    bks_allocator allocator;
    bksi_reported_cue *reported; ///< in the order in which they were reported
    size_t count;
    size_t capacity;
    uint64_t update;              ///< number of updates that have reported cues
    char why[BKSI_CUE_WHY_BYTES]; ///< what was reported makes no sense; "": it does
} bksi_cue_log;

void bksi_cue_log_begin(bksi_cue_log *log, const bks_game *game, const bks_allocator *allocator);
void bksi_cue_log_end(bksi_cue_log *log);

/// Note an event; NULL: the update has reported all. What makes no sense, such as a second cancel,
/// is kept in `why`.
void bksi_cue_log_add(bksi_cue_log *log, const bks_cue_event *event);

/// Compare with the straight run: of confirmed cues each once, in order, and nothing else; of those
/// reported at once each one live, no further away than it may move, and no other one live.
/// @param until  of ticks before it all is known
/// @return NULL: all is right; else what is wrong, in reported->why
const char *bksi_cue_log_compare(bksi_cue_log *reported, const bksi_cue_log *straight,
                                 bks_tick until);

#endif
