// SPDX-License-Identifier: MIT

/// @file picture_meter.h
/// Measures the rate of pictures, the time to draw one, and whether ticks come in time, so that a
/// slow display can show its cause.

#ifndef BKS_TOOL_PICTURE_METER_H
#define BKS_TOOL_PICTURE_METER_H

#include "backstitch/base.h"
#include "screen/window/frame_pace.h"

/// Rates of pictures and ticks over one second.
typedef struct picture_rate {
    double pictures_hz; ///< pictures a second; 0: not known
    double draw_ms;     ///< mean time to draw a picture, in ms
    double show_ms;     ///< mean time to present a picture, in ms
    double ticks_hz;    ///< ticks stepped a second
} picture_rate;

/// Counts pictures. Start from {0}.
typedef struct picture_meter {
    uint64_t since_ns; ///< time at which the present second began; 0: nothing is counted
    uint64_t draw_ns;
    uint64_t show_ns;
    uint32_t pictures;
    bks_tick tick;     ///< tick of the match at the time `since_ns`
    picture_rate rate; ///< rates of the last whole second
} picture_meter;

enum { PICTURE_LINE_BYTES = 96 }; ///< size of a line of text about pictures

/// Count a picture that begins.
/// @param before  times of the picture before this one
/// @param tick    present tick
void picture_meter_take(picture_meter *meter, uint64_t now_ns, const frame_pace *before,
                        bks_tick tick);

/// Write the rate of pictures, and the cost of a picture if they are slow.
/// @param wanted_hz  wanted pictures a second; 0: not known
/// @param out        receives the line, "" if nothing was measured
void picture_line(const picture_rate *rate, double wanted_hz, char out[PICTURE_LINE_BYTES]);

/// Write how late ticks are.
/// @param wanted_hz  wanted ticks a second
/// @param out        receives the line, "" if ticks are in time
void picture_late_line(const picture_rate *rate, double wanted_hz, char out[PICTURE_LINE_BYTES]);

#endif
