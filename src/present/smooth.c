// SPDX-License-Identifier: MIT

#include "backstitch/present.h"

#include <float.h>

#include "backstitch/math.h"
#include "base/mutant.h"

/// Return an error as it is, or for an angle along the shorter way round.
static float shortest_error(const bks_smooth *smooth, float error)
{
    return smooth->turn > 0.0f ? error - smooth->turn * bks_roundf(error / smooth->turn) : error;
}

/// Return the share of an error that is left after `passed_ms`.
static float remaining_share(const bks_smooth *smooth, float passed_ms)
{
    const float ms = bksi_mutated(BKSI_MUTANT_EASE_BY_PICTURES) ? 16.0f : passed_ms;
    return smooth->half_life_ms > 0.0f ? bks_exp2f(-ms / smooth->half_life_ms) : 0.0f;
}

/// Note the error of a corrected value: the difference between the value and where its motion would
/// have led it. The error is shown on top of the value and decays.
static void take_error(bks_smooth *smooth, float value, float passed_ms)
{
    const float expected = smooth->value + smooth->speed * passed_ms / 1000.0f;
    const float error = shortest_error(smooth, smooth->error + expected - value);
    // Drop a NaN or infinity, which would never decay.
    const float most = smooth->most > 0.0f && smooth->most < FLT_MAX ? smooth->most : FLT_MAX;
    smooth->error = error >= -most && error <= most ? error : 0.0f;
}

float bks_smooth_show(bks_smooth *smooth, float value, float speed, bool is_corrected,
                      uint64_t now_ns)
{
    if (smooth == NULL) {
        return value;
    }
    const uint64_t passed_ns = now_ns > smooth->at_ns ? now_ns - smooth->at_ns : 0;
    const float passed_ms = (float)passed_ns / 1e6f;
    if (!smooth->is_shown) {
        smooth->is_shown = true;
        smooth->error = 0.0f;
    } else {
        smooth->error *= remaining_share(smooth, passed_ms);
        if (is_corrected) {
            take_error(smooth, value, passed_ms);
        }
    }
    smooth->value = value;
    smooth->speed = speed;
    smooth->at_ns = now_ns;
    return value + smooth->error;
}
