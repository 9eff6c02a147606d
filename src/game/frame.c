// SPDX-License-Identifier: MIT

#include "backstitch/game.h"

#include "backstitch/math.h"
#include "base/report.h"

/// Return the value at which a movement is when `share` (0..1) of it is done. The movement is `way`
/// long and ends at `now`.
static float go_back(float now, float way, float share)
{
    // Return exactly `now` at a share of 1, because an infinite `way` times 0 is a NaN.
    return share == 1.0f ? now : now - way * (1.0f - share);
}

float bks_blend(float before, float now, float share, float most)
{
    const float way = now - before;
    const bool has_jumped = most > 0.0f && (way > most || way < -most);
    return has_jumped ? now : go_back(now, way, share);
}

float bks_blend_angle(float before, float now, float share, float turn)
{
    if (!(turn > 0.0f)) {
        (void)bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, "bks_blend_angle", "turn",
                        "turn is %g, must be above 0", (double)turn);
        return now;
    }
    float way = now - before;
    way -= turn * bks_roundf(way / turn);
    return go_back(now, way, share);
}
