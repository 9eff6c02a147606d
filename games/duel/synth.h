// SPDX-License-Identifier: MIT

/// @file synth.h
/// Building blocks of sounds. Times are in seconds. They use the library's mathematics only, so a
/// sound has the same bits on every machine.

#ifndef DUEL_SYNTH_H
#define DUEL_SYNTH_H

#include <stdint.h>

/// A sine that glides from one frequency to another.
typedef struct synth_tone {
    float from_hz;
    float to_hz;
    float seconds; ///< length of the glide
    float volume;
    float decay;  ///< seconds until the tone has about a third of its loudness
    float attack; ///< seconds from silence to full loudness
} synth_tone;

/// Add a tone that begins at a time in the sound. The part after the end is left out.
void synth_add_tone(float *samples, uint32_t frames, float begin, const synth_tone *tone);

/// Add noise.
/// @param dull   share of low frequencies, 0..1
/// @param decay  as in synth_tone
void synth_add_noise(float *samples, uint32_t frames, float volume, float dull, float decay);

/// Fade out the last 5 ms, so that the sound ends silently.
void synth_end(float *samples, uint32_t frames);

#endif
