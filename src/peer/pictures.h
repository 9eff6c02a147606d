// SPDX-License-Identifier: MIT

/// @file pictures.h
/// Pictures between ticks: the time when the newest tick was due, and a second state to draw from.
/// The picture is a copy; the game's own state is only read.

#ifndef BKSI_PICTURES_H
#define BKSI_PICTURES_H

#include "backstitch/game.h"
#include "game/runner.h"

/// State of the pictures. Start from {0}.
typedef struct bksi_pictures {
    bks_pictures kind;
    bks_allocator allocator;
    /// With BKS_PICTURES_EXTRAPOLATE the picture, with BKS_PICTURES_INTERPOLATE the state of the
    /// tick `before`.
    bksi_region region;
    bks_tick before;   ///< tick of the second newest state; BKS_TICK_NONE: there is none
    bks_tick present;  ///< tick of the newest state
    bool has_ticks;    ///< a tick was stepped since the game was started
    bool is_last;      ///< no tick follows the newest one
    uint64_t begin_ns; ///< time when the newest tick was due
    double length_ns;  ///< length of a tick from begin_ns on, in ns
    bool is_corrected; ///< a tick was corrected since the last picture
} bksi_pictures;

/// Allocate one state. Call it again if the game was restarted with a state of another size. Do
/// nothing for BKS_PICTURES_NONE.
/// @return BKS_OK, BKS_ERR_OUT_OF_MEMORY, BKS_ERR_BAD_CONFIG
bks_status bksi_pictures_fit(bksi_pictures *pictures, bksi_runner *runner, bks_error *error);
void bksi_pictures_destroy(bksi_pictures *pictures);

/// Register that the present state is about to be stepped, perhaps again.
void bksi_pictures_step(bksi_pictures *pictures, const bksi_runner *runner, bks_tick tick);
/// Register that an earlier state was loaded.
void bksi_pictures_loaded(bksi_pictures *pictures);

/// Register that all steps of an update are done.
/// @param next_ns      time when the next tick is due
/// @param interval_ns  length of a tick
/// @param is_last      true if no tick follows
void bksi_pictures_update(bksi_pictures *pictures, bks_tick present, uint64_t next_ns,
                          double interval_ns, bool is_last);

/// Fill in the states to draw at a time.
/// @param inputs  players * field_count values of the newest tick; NULL if unknown
void bksi_pictures_frame(bksi_pictures *pictures, bksi_runner *runner, const int32_t *inputs,
                         uint64_t now_ns, bks_frame *out);

#endif
