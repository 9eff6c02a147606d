// SPDX-License-Identifier: MIT

/// @file picture_meter.h
/// How fast pictures come, what drawing one takes, and whether ticks come in time: so that a slow
/// display explains itself.

#ifndef BKS_TOOL_PICTURE_METER_H
#define BKS_TOOL_PICTURE_METER_H

#include "backstitch/base.h"
#include "screen/window/frame_pace.h"

/// Rates of pictures and ticks over one second.
typedef struct picture_rate {
    double pictures_hz; ///< pictures a second; 0: not known yet
    double draw_ms;     ///< mean time that drawing one took
    double show_ms;     ///< mean time that presenting one took
    double ticks_hz;    ///< ticks stepped a second
} picture_rate;

/// Counts pictures. Start from {0}.
typedef struct picture_meter {
    uint64_t since_ns; ///< 0: nothing is counted yet
    uint64_t draw_ns;
    uint64_t show_ns;
    uint32_t pictures;
    bks_tick tick;     ///< at that time
    picture_rate rate; ///< rates of the last whole second
} picture_meter;

enum { PICTURE_LINE_BYTES = 96 }; ///< room for a line

/// Count a picture that begins.
/// @param before  times of the picture before
/// @param tick    the present one
void picture_meter_take(picture_meter *meter, uint64_t now_ns, const frame_pace *before,
                        bks_tick tick);

/// Write how fast pictures come, and what they cost when they are slow.
/// @param wanted_hz  pictures a second there should be; 0: not known
/// @param out        receives the line, "" while nothing was measured
void picture_line(const picture_rate *rate, double wanted_hz, char out[PICTURE_LINE_BYTES]);

/// Write that ticks are late.
/// @param wanted_hz  ticks a second there should be
/// @param out        receives the line, "" when ticks are in time
void picture_late_line(const picture_rate *rate, double wanted_hz, char out[PICTURE_LINE_BYTES]);

#endif
