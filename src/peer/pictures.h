// SPDX-License-Identifier: MIT

/// @file pictures.h
/// Pictures between ticks: when the newest tick was due, and a second state to draw from. What is
/// drawn is a copy: the game's own state is only read.

#ifndef BKSI_PICTURES_H
#define BKSI_PICTURES_H

#include "backstitch/game.h"
#include "game/runner.h"

/// Start from {0}.
typedef struct bksi_pictures {
    bks_pictures kind;
    bks_allocator allocator;
    bksi_region region; ///< EXTRAPOLATE: the picture; INTERPOLATE: the state of `before`
    bks_tick before;    ///< at whose start that is; BKS_TICK_NONE: there is none
    bks_tick present;   ///< at whose start the newest state is
    bool has_ticks;     ///< it was stepped to, not made
    bool is_last;       ///< no tick follows
    uint64_t begin_ns;  ///< when the newest tick was due
    double length_ns;   ///< of a tick, from then on
    bool is_corrected;  ///< since the last frame
} bksi_pictures;

/// Take the memory of one state, anew where the game was made anew with another size. Nothing for
/// BKS_PICTURES_NONE.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_BAD_CONFIG
bks_status bksi_pictures_fit(bksi_pictures *pictures, bksi_runner *runner, bks_error *error);
void bksi_pictures_destroy(bksi_pictures *pictures);

/// The state is about to be stepped, maybe again.
void bksi_pictures_step(bksi_pictures *pictures, const bksi_runner *runner, bks_tick tick);
/// An earlier state was put back.
void bksi_pictures_loaded(bksi_pictures *pictures);

/// All of an update is stepped.
/// @param next_ns      when the next tick is due
/// @param interval_ns  length of a tick
/// @param is_last      no tick follows
void bksi_pictures_update(bksi_pictures *pictures, bks_tick present, uint64_t next_ns,
                          double interval_ns, bool is_last);

/// What to draw at a time.
/// @param inputs  players * field_count values of the newest tick; NULL: not known
void bksi_pictures_frame(bksi_pictures *pictures, bksi_runner *runner, const int32_t *inputs,
                         uint64_t now_ns, bks_frame *out);

#endif
