// SPDX-License-Identifier: MIT

/// @file duel_sounds.h
/// What duel sounds like. All sounds are made by code, with the same bits everywhere.

#ifndef DUEL_DUEL_SOUNDS_H
#define DUEL_DUEL_SOUNDS_H

#include "backstitch/game.h"
#include "backstitch/present.h"
#include "duel/duel_cues.h"

/// The first DUEL_CUES are those of the cues.
typedef enum duel_sound {
    DUEL_SOUND_CALM = DUEL_CUES, ///< a loop: the music
    DUEL_SOUND_FIGHT,            ///< a loop as long, which joins it
    DUEL_SOUND_FLIPS,            ///< a loop: tiles change their colour
    DUEL_SOUND_CHARGE,           ///< as long as a charge
    DUEL_SOUNDS,
} duel_sound;

/// By duel_sound.
extern const uint32_t duel_sound_frames[DUEL_SOUNDS];

/// Make a sound.
/// @param sound    a duel_sound
/// @param samples  receives duel_sound_frames[sound]
void duel_sound_make(uint32_t sound, float *samples);

/// How a cue sounds.
/// @param state  the newest
bool duel_hear(const void *state, const bks_cue_event *event, bks_cue_sound *out);

/// Copy the voices of a state.
/// @param out  receives DUEL_VOICES
void duel_voices(const void *state, bks_voice *out);

#endif
