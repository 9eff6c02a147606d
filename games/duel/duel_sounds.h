// SPDX-License-Identifier: MIT

/// @file duel_sounds.h
/// Sounds of duel. Code generates all of them, with the same bits on every machine.

#ifndef DUEL_DUEL_SOUNDS_H
#define DUEL_DUEL_SOUNDS_H

#include "backstitch/game.h"
#include "backstitch/present.h"
#include "duel/duel_cues.h"

/// Sounds. The first DUEL_CUES are the sounds of the cues, in their order.
typedef enum duel_sound {
    DUEL_SOUND_CALM = DUEL_CUES, ///< loop: the music
    DUEL_SOUND_FIGHT,            ///< loop of the same length, played with the music
    DUEL_SOUND_FLIPS,            ///< loop: tiles change their colour
    DUEL_SOUND_CHARGE,           ///< sound that lasts as long as a charge
    DUEL_SOUNDS,
} duel_sound;

/// Number of frames of each duel_sound.
extern const uint32_t duel_sound_frames[DUEL_SOUNDS];

/// Generate a sound.
/// @param sound    a duel_sound
/// @param samples  receives duel_sound_frames[sound] samples
void duel_sound_make(uint32_t sound, float *samples);

/// Find the sound of a cue.
/// @param state  the newest state
/// @return false if the cue is silent
bool duel_hear(const void *state, const bks_cue_event *event, bks_cue_sound *out);

/// Copy the voices of a state.
/// @param out  receives DUEL_VOICES
void duel_voices(const void *state, bks_voice *out);

#endif
