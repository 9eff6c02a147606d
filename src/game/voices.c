// SPDX-License-Identifier: MIT

#include "backstitch/game.h"

#include "base/report.h"

_Static_assert(sizeof(bks_voice) == 16, "no holes");

/// Frames from the start of the match to the start of a tick.
static uint64_t frames_until(uint64_t tick, uint32_t tick_rate_hz)
{
    return tick * BKS_SOUND_RATE_HZ / tick_rate_hz;
}

void bks_voices_step(bks_voice *voices, uint32_t count, const bks_step *step)
{
    if (step == NULL || (voices == NULL && count > 0)) {
        (void)bksi_fail_null(NULL, "bks_voices_step", step == NULL ? "step" : "voices");
        return;
    }
    if (step->tick_rate_hz == 0) {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_voices_step", "step",
                        "step has tick_rate_hz 0, must be that of the match, 1..1000");
        return;
    }
    const uint64_t tick = (uint64_t)step->tick;
    const uint64_t frames =
        frames_until(tick + 1, step->tick_rate_hz) - frames_until(tick, step->tick_rate_hz);
    for (uint32_t i = 0; i < count; i++) {
        voices[i].cursor += voices[i].is_on != 0 ? frames : 0;
    }
}
