// SPDX-License-Identifier: MIT

/// @file smooth.h
/// Eases what a correction moves on the screen. A past that is stepped again puts a ship elsewhere;
/// drawn as it is, it jumps. Here it stays where it was and slides to where it belongs: the error
/// lies beside the state and falls off with time, at every picture rate alike. For what others
/// steer; the own ship is corrected less, and a hit is where the state says.
///
///     static bks_smooth x = {.half_life_ms = 40.0f, .most = 64.0f};
///     draw_ship(bks_smooth_show(&x, ship->x, ship->speed_x, frame.is_corrected, now_ns), …);
///
/// The error is counted from where the motion shown before would have led.
///
/// Thread rule: one thread at a time.

#ifndef BACKSTITCH_SMOOTH_H
#define BACKSTITCH_SMOOTH_H

#include "backstitch/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One number on the screen, such as the x of a ship. Start from {0} with the first three set; set
/// is_shown to false where it belongs to something else from now on.
typedef struct bks_smooth {
    float half_life_ms; ///< the error is halved in that time, above 0; 30 to 100 is usual
    float most;         ///< a larger error is a jump and not eased; 0: every error is eased
    float turn;         ///< of an angle: a whole turn in its unit; 0 (default): it is no angle
    bool is_shown;      ///< the rest belongs to bks_smooth_show()
    float value;        ///< of the newest picture
    float speed;        ///< likewise
    float error;        ///< what is shown, less the value
    uint64_t at_ns;     ///< when the newest picture was
} bks_smooth;

/// What to draw in a picture, once for each.
/// @param smooth        NULL is allowed: nothing is eased, `value` is returned
/// @param value         as it is in the state of the picture
/// @param speed         what the state moves it by in a second: where it is looked for in the next
///                      picture; without one every correction shows a lag of the motion too
/// @param is_corrected  bks_frame.is_corrected
/// @param now_ns        when the picture is seen
/// @return where to draw it
BKS_API float bks_smooth_show(bks_smooth *smooth, float value, float speed, bool is_corrected,
                              uint64_t now_ns);

#ifdef __cplusplus
}
#endif

#endif // BACKSTITCH_SMOOTH_H
