// SPDX-License-Identifier: MIT

/// @file sound.h
/// What a game says of sounds. There are two kinds. Short ones that must be heard from their
/// beginning are cues (cues.h): bks_cue_sound says how one sounds. Loops and long ones that the
/// game changes while they sound are **voices**: bks_voice lies in the region, is rolled back with
/// it, and commands to it are plain writes:
///
///     void step(void *state, const bks_step *step)
///     {
///         game *g = state;
///         bks_voices_step(&g->hum, 1, step); // first
///         if (begins_to_charge) {
///             g->hum = (bks_voice){.sound = SOUND_HUM, .volume = BKS_VOICE_FULL,
///                                  .is_on = 1, .is_loop = 1};
///         }
///         g->hum.pan = pan_of(g->ship);
///     }
///
/// All of a voice are integers, so a state with voices is the same on every machine. Nothing here
/// plays: a mixer does (mixer.h), from a copy. The two kinds: [INVERSUS, Audio Segregation]
/// (docs/sources.md).
///
/// Thread rule: as game.h.

#ifndef BACKSTITCH_SOUND_H
#define BACKSTITCH_SOUND_H

#include "backstitch/game.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Frames a second, of sounds, cursors and what a mixer gives.
#define BKS_SOUND_RATE_HZ 48000u

/// A voice as loud as its sound.
#define BKS_VOICE_FULL 32768u

/// A voice all on the right; on the left it is the same below 0.
#define BKS_VOICE_RIGHT 32767

/// A sound: one sample for each frame, the same for both ears.
typedef struct bks_sound {
    const float *samples; ///< `frames` of them, -1..1
    uint32_t frames;      ///< 1..BKS_SOUND_FRAMES_MAX
} bks_sound;

/// Longest sound, an hour.
#define BKS_SOUND_FRAMES_MAX (3600u * BKS_SOUND_RATE_HZ)

/// A sound that is part of the state. Plain data without holes; {0} is silent.
typedef struct bks_voice {
    uint64_t cursor; ///< frames since its beginning, also of a loop, and when it has ended
    uint16_t sound;  ///< an index of the mixer's sounds; one that it has not is silent, and lost
    uint16_t volume; ///< 0..65535, BKS_VOICE_FULL: as loud as the sound
    int16_t pan;     ///< -BKS_VOICE_RIGHT..BKS_VOICE_RIGHT, 0: the middle
    uint8_t is_on;   ///< 0: silent, whatever the others are
    uint8_t is_loop; ///< 0: it ends with its sound, and its cursor counts on
} bks_voice;

/// A tick has passed: move the cursors of voices that are on. Call it first in `step`, so that what
/// the step starts begins at 0. Where a tick is no whole number of frames, the ticks differ by one
/// frame and add up exactly.
/// @param voices  not NULL unless count is 0
/// @param step    not NULL, with its tick and its tick_rate_hz, 1..1000
BKS_API void bks_voices_step(bks_voice *voices, uint32_t count, const bks_step *step);

/// How a cue sounds. Start from {0}.
typedef struct bks_cue_sound {
    uint32_t sound;            ///< an index of the mixer's sounds
    float volume;              ///< 0..2, 1: as loud as the sound
    float pan;                 ///< -1..1: left to right
    uint32_t drop_after_ticks; ///< of a cue that is later than that nothing is heard, 0 (default):
                               ///< it is heard however late
    bool is_inside; ///< when it is late: it begins as far inside, with a fade-in; false (default):
                    ///< its beginning is heard, late
} bks_cue_sound;

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_SOUND_H
