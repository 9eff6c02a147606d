// SPDX-License-Identifier: MIT

/// @file synth.h
/// Parts that sounds are made of. Times are in seconds. All use the library's mathematics, so a
/// sound has the same bits everywhere.

#ifndef DUEL_SYNTH_H
#define DUEL_SYNTH_H

#include <stdint.h>

/// A sine that glides from a frequency to another.
typedef struct synth_tone {
    float from_hz;
    float to_hz;
    float seconds; ///< length of the glide
    float volume;
    float decay;  ///< after so long it is about a third as loud
    float attack; ///< seconds from silence to full loudness
} synth_tone;

/// Add a tone that begins somewhere in a sound. What reaches beyond the end is left out.
void synth_add_tone(float *samples, uint32_t frames, float begin, const synth_tone *tone);

/// Add dull noise.
/// @param dull   0..1: how much of it is low
/// @param decay  as of a tone
void synth_add_noise(float *samples, uint32_t frames, float volume, float dull, float decay);

/// Let the last 5 ms fade, so that the end is silent.
void synth_end(float *samples, uint32_t frames);

#endif
