// SPDX-License-Identifier: MIT

/// @file track.h
/// One sound that is being heard, from a frame on, with its loudness and its fade.

#ifndef BKSI_TRACK_H
#define BKSI_TRACK_H

#include "backstitch/game.h"

/// Frames that a fade takes, and the loudness to change by the whole: 20 ms.
#define BKSI_FADE_FRAMES 960u

typedef struct bksi_track {
    const bks_sound *sound; ///< NULL: free
    uint64_t cursor;        ///< the next frame, counted as in bks_voice
    uint64_t serial;        ///< of the cue, 0: it is a voice
    float level;            ///< of the fade, 0..1
    float level_step;       ///< what a frame adds to it
    float gain[2];          ///< left and right
    float wanted[2];        ///< where they go
    bool is_loop;
    bool is_leaving; ///< free once it has faded out or ended
} bksi_track;

/// Begin in a free track; inside a sound with a fade-in.
void bksi_track_begin(bksi_track *track, const bks_sound *sound, uint64_t cursor, float volume,
                      float pan);

/// Let the loudness become another one.
void bksi_track_loudness(bksi_track *track, float volume, float pan);

/// Fade out.
void bksi_track_leave(bksi_track *track);

/// Add its next frames. It is free afterwards when it has faded out, or has ended: that of a voice
/// only once it leaves, since the voice stays where its end is.
void bksi_track_mix(bksi_track *track, float *out, uint32_t frames);

/// A number on its way to another by no more than `most`.
static inline float bksi_approach(float value, float wanted, float most)
{
    const float way = wanted - value;
    return way > most ? value + most : way < -most ? value - most : wanted;
}

#endif
