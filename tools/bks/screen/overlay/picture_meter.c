// SPDX-License-Identifier: MIT

#include "screen/overlay/picture_meter.h"

#include <stdio.h>

#define PERIOD_NS UINT64_C(1000000000)

// Share of the wanted pictures below which drawing counts as slow.
static const double SLOW = 0.93;
// Share of the wanted ticks below which ticks count as late.
static const double LATE = 0.97;

void picture_meter_take(picture_meter *meter, uint64_t now_ns, const frame_pace *before,
                        bks_tick tick)
{
    if (meter->since_ns == 0) {
        meter->since_ns = now_ns;
        meter->tick = tick;
        return;
    }
    meter->pictures++;
    meter->draw_ns += before->draw_ns;
    meter->show_ns += before->show_ns;
    const uint64_t span_ns = now_ns - meter->since_ns;
    if (span_ns < PERIOD_NS) {
        return;
    }
    const double seconds = (double)span_ns * 1e-9;
    const double pictures = (double)meter->pictures;
    const picture_rate rate = {
        .pictures_hz = pictures / seconds,
        .draw_ms = (double)meter->draw_ns * 1e-6 / pictures,
        .show_ms = (double)meter->show_ns * 1e-6 / pictures,
        .ticks_hz = (double)(tick - meter->tick) / seconds,
    };
    *meter = (picture_meter){.since_ns = now_ns, .tick = tick, .rate = rate};
}

static int digits(double ms)
{
    return ms < 9.95 ? 1 : 0;
}

void picture_line(const picture_rate *rate, double wanted_hz, char out[PICTURE_LINE_BYTES])
{
    const double hz = rate->pictures_hz;
    const double draw_ms = rate->draw_ms;
    const double show_ms = rate->show_ms;
    out[0] = '\0';
    if (hz > 0.0 && hz < SLOW * wanted_hz) {
        snprintf(out, PICTURE_LINE_BYTES, "%.0f of %.0f pictures/s: %.*f ms to draw, %.*f to show",
                 hz, wanted_hz, digits(draw_ms), draw_ms, digits(show_ms), show_ms);
    } else if (hz > 0.0) { // leave out the time to show, which includes waiting for the screen
        snprintf(out, PICTURE_LINE_BYTES, "%.0f pictures/s: %.*f ms to draw", hz, digits(draw_ms),
                 draw_ms);
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
