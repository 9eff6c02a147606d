// SPDX-License-Identifier: MIT

#include "duel/synth.h"

#include "backstitch/game.h"
#include "backstitch/math.h"

static const float RATE = (float)BKS_SOUND_RATE_HZ;
static const float TURN = 6.28318531f;

enum { END_FRAMES = 240 };

static float loudness(const synth_tone *tone, float t)
{
    const float rise = t < tone->attack ? t / tone->attack : 1.0f;
    return tone->volume * rise * bks_expf(-t / tone->decay);
}

/// Return the turns of a tone up to a time.
static float turns(const synth_tone *tone, float t)
{
    if (t >= tone->seconds) {
        return (tone->from_hz + tone->to_hz) / 2.0f * tone->seconds +
               tone->to_hz * (t - tone->seconds);
    }
    return tone->from_hz * t + (tone->to_hz - tone->from_hz) * t * t / (2.0f * tone->seconds);
}

void synth_add_tone(float *samples, uint32_t frames, float begin, const synth_tone *tone)
{
    const uint32_t first = (uint32_t)(begin * RATE);
    for (uint32_t i = first; i < frames; i++) {
        const float t = (float)(i - first) / RATE;
        if (t > 6.0f * tone->decay) {
            return; // quieter than 1/400
        }
        const float turn = turns(tone, t);
        samples[i] += loudness(tone, t) * bks_sinf(TURN * (turn - bks_floorf(turn)));
    }
}

void synth_add_noise(float *samples, uint32_t frames, float volume, float dull, float decay)
{
    uint32_t noise = 0x9e3779b9u;
    float low = 0.0f;
    for (uint32_t i = 0; i < frames; i++) {
        noise = noise * 1664525u + 1013904223u;
        const float white = (float)(noise >> 8) / 8388608.0f - 1.0f;
        low = low * dull + white * (1.0f - dull);
        const float t = (float)i / RATE;
        const float rise = i < 96 ? (float)i / 96.0f : 1.0f;
        samples[i] += volume * rise * low * bks_expf(-t / decay);
    }
}

void synth_end(float *samples, uint32_t frames)
{
    for (uint32_t i = 0; i < END_FRAMES && i < frames; i++) {
        samples[frames - 1 - i] *= (float)i / (float)END_FRAMES;
    }
}
