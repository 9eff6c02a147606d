// SPDX-License-Identifier: MIT

/// @file track.h
/// Track of the mixer: one sound that is playing, with its position, gain and fade.

#ifndef BKSI_TRACK_H
#define BKSI_TRACK_H

#include "backstitch/game.h"

/// Frames of a fade, and of a change of gain by 1: 20 ms.
#define BKSI_FADE_FRAMES 960u

typedef struct bksi_track {
    const bks_sound *sound; ///< sound that is playing, NULL: the track is free
    uint64_t cursor;        ///< next frame to play, counted as in bks_voice
    uint64_t serial;        ///< number of the cue, 0: the track plays a voice
    float level;            ///< level of the fade, 0..1
    float level_step;       ///< change of `level` per frame
    float gain[2];          ///< current gain, left and right
    float wanted[2];        ///< gain that `gain` moves towards
    bool is_loop;
    bool is_leaving; ///< the track becomes free once it has faded out or ended
} bksi_track;

/// Begin to play a sound in a free track. It fades in unless it begins at its start.
void bksi_track_begin(bksi_track *track, const bks_sound *sound, uint64_t cursor, float volume,
                      float pan);

/// Change the gain of a track gradually, over some frames.
void bksi_track_loudness(bksi_track *track, float volume, float pan);

/// Let a track fade out and become free.
void bksi_track_leave(bksi_track *track);

/// Add the next frames of a track to `out`. A track that has faded out or ended becomes free. A
/// voice that has reached its end keeps its track until bksi_track_leave().
void bksi_track_mix(bksi_track *track, float *out, uint32_t frames);

/// Return `value`, moved towards `wanted` by at most `most`.
static inline float bksi_approach(float value, float wanted, float most)
{
    const float way = wanted - value;
    return way > most ? value + most : way < -most ? value - most : wanted;
}

#endif
