// SPDX-License-Identifier: MIT

#include "backstitch/math.h"
#include "backstitch/present.h"
#include "base/report.h"

#define LOUDNESS 0.3
#define TWO_PI   6.283185307179586

static bool is_tone(float hz)
{
    return hz >= 1.0f && hz <= 20000.0f; // the comparison is false for a NaN
}

/// Check the arguments of a call, and log the first wrong one.
static bool check(const float *samples, uint32_t frames, float from_hz, float to_hz)
{
    static const char call[] = "bks_tone";
    if (samples == NULL) {
        (void)bksi_fail_null(NULL, call, "samples");
        return false;
    }
    if (frames < 1 || frames > BKS_SOUND_FRAMES_MAX) {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "frames", "frames is %u, must be 1..%u",
                        frames, BKS_SOUND_FRAMES_MAX);
        return false;
    }
    if (!is_tone(from_hz) || !is_tone(to_hz)) {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, is_tone(from_hz) ? "to_hz" : "from_hz",
                        "%s is %g, must be 1..20000", is_tone(from_hz) ? "to_hz" : "from_hz",
                        (double)(is_tone(from_hz) ? to_hz : from_hz));
        return false;
    }
    return true;
}

bks_sound bks_tone(float *samples, uint32_t frames, float from_hz, float to_hz)
{
    if (!check(samples, frames, from_hz, to_hz)) {
        return (bks_sound){0};
    }
    double turns = 0.0;
    for (uint32_t i = 0; i < frames; i++) {
        const double share = (double)i / (double)frames;
        const double hz = (double)from_hz + ((double)to_hz - (double)from_hz) * share;
        samples[i] = (float)(LOUDNESS * (1.0 - share) * bks_sin(TWO_PI * turns));
        turns += hz / (double)BKS_SOUND_RATE_HZ;
        turns -= bks_floor(turns);
    }
    return (bks_sound){.samples = samples, .frames = frames};
}
