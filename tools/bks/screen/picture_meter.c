// SPDX-License-Identifier: MIT

#include "screen/picture_meter.h"

#include <stdio.h>

#define PERIOD_NS UINT64_C(1000000000)

static const double SLOW = 0.93;      // of the pictures that there should be
static const double LATE = 0.97;      // of the ticks
static const double MOST_SHARE = 0.6; // of the time; frame_pace.h gives drawing two thirds

void picture_meter_take(picture_meter *meter, uint64_t now_ns, uint64_t cost_ns, bks_tick tick)
{
    if (meter->since_ns == 0) {
        meter->since_ns = now_ns;
        meter->tick = tick;
        return;
    }
    meter->pictures++;
    meter->drawing_ns += cost_ns;
    const uint64_t span_ns = now_ns - meter->since_ns;
    if (span_ns < PERIOD_NS) {
        return;
    }
    const double seconds = (double)span_ns * 1e-9;
    const picture_rate rate = {
        .pictures_hz = (double)meter->pictures / seconds,
        .drawing_ms = (double)meter->drawing_ns * 1e-6 / (double)meter->pictures,
        .ticks_hz = (double)(tick - meter->tick) / seconds,
    };
    *meter = (picture_meter){.since_ns = now_ns, .tick = tick, .rate = rate};
}

void picture_line(const picture_rate *rate, double wanted_hz, char out[PICTURE_LINE_BYTES])
{
    const double hz = rate->pictures_hz;
    out[0] = '\0';
    if (hz <= 0.0) {
        return;
    }
    const bool is_slow = hz < SLOW * wanted_hz;
    const bool is_by_drawing = rate->drawing_ms * 1e-3 * hz > MOST_SHARE;
    if (!is_slow) {
        snprintf(out, PICTURE_LINE_BYTES, "%.0f pictures/s, drawing takes %.1f ms", hz,
                 rate->drawing_ms);
    } else {
        snprintf(out, PICTURE_LINE_BYTES, "%.0f pictures/s, not %.0f: drawing takes %.1f ms%s", hz,
                 wanted_hz, rate->drawing_ms, is_by_drawing ? ", slow" : "");
    }
}

void picture_late_line(const picture_rate *rate, double wanted_hz, char out[PICTURE_LINE_BYTES])
{
    out[0] = '\0';
    if (rate->pictures_hz > 0.0 && rate->ticks_hz < LATE * wanted_hz) {
        snprintf(out, PICTURE_LINE_BYTES, "ticks are late: %.0f/s, not %.0f", rate->ticks_hz,
                 wanted_hz);
    }
}
