// SPDX-License-Identifier: MIT

// Measures the time from a key press to the first picture that shows it.

#include <stdio.h>

#include "base/args.h"
#include "base/json.h"
#include "base/tool.h"
#include "workshop/bench/bench.h"
#include "workshop/bench/bench_latency_run.h"

enum { PRESSES = 5000, WINDOW_PRESSES = 200 };

static const uint32_t rates_hz[] = {30, 60, 75, 144, 240};

static double ms(uint64_t ns)
{
    return (double)ns * 1e-6;
}

static void print_row(const latency_case *c, const latency_found *found)
{
    printf("  %8u  %-5s  %7.1f  %6.2f  %6.2f  %8.2f  %6.2f%s\n", c->pictures_hz,
           c->is_synced ? "waits" : "-", ms(c->draw_ns), ms(found->mean_ns), ms(found->worst_ns),
           ms(found->promise_ns), ms(found->seen_ns),
           found->worst_ns > found->promise_ns ? "  missed" : "");
}

static void json_case(json *out, const latency_case *c, const latency_found *found)
{
    json_object(out, NULL);
    json_int(out, "pictures_hz", c->pictures_hz);
    json_bool(out, "waits", c->is_synced);
    json_number(out, "draw_ms", ms(c->draw_ns), 3);
    json_number(out, "mean_ms", ms(found->mean_ns), 3);
    json_number(out, "worst_ms", ms(found->worst_ns), 3);
    json_number(out, "promise_ms", ms(found->promise_ns), 3);
    json_number(out, "seen_ms", ms(found->seen_ns), 3);
    json_close(out);
}

/// Measure the latency of all cases, and report each.
/// @return exit status
static int measure(uint32_t presses, json *out)
{
    int status = TOOL_OK;
    for (uint32_t i = 0; i < 4 * ARGS_COUNT(rates_hz); i++) {
        const latency_case c = {.pictures_hz = rates_hz[i / 4],
                                .is_synced = (i & 1u) != 0,
                                .draw_ns = (i & 2u) != 0 ? 2000000 : 0,
                                .presses = presses};
        latency_found found;
        if (!latency_run(&c, &found)) {
            tool_complain("latency", "there is no memory");
            return TOOL_DAMAGED;
        }
        status = found.worst_ns > found.promise_ns ? TOOL_NO : status;
        if (out != NULL) {
            json_case(out, &c, &found);
        } else {
            print_row(&c, &found);
        }
    }
    return status;
}

static int measure_virtual(uint32_t presses, bool is_json)
{
    if (is_json) {
        json out;
        json_begin(&out, stdout);
        json_text(&out, "bench", "latency");
        json_int(&out, "ticks_hz", LATENCY_TICKS_HZ);
        json_int(&out, "presses", presses);
        json_array(&out, "screens");
        const int status = measure(presses, &out);
        json_close(&out);
        return json_end(&out) ? status : TOOL_DAMAGED;
    }
    printf("%u keys on a virtual clock, %d ticks a second; ms, until the picture is handed to the\n"
           "screen, and at most until the screen shows it\n\n"
           "  pictures  screen  draws     mean   worst  promised   shown\n",
           presses, LATENCY_TICKS_HZ);
    return measure(presses, NULL);
}

static int measure_window(uint32_t presses, bool is_json)
{
    latency_seen seen;
    const int status = latency_window(presses, &seen);
    if (status != TOOL_OK) {
        return status;
    }
    if (is_json) {
        json out;
        json_begin(&out, stdout);
        json_text(&out, "bench", "latency");
        json_int(&out, "presses", presses);
        json_int(&out, "pictures_hz", seen.pictures_hz);
        json_bool(&out, "waits", seen.is_synced);
        json_number(&out, "mean_ms", ms(seen.mean_ns), 3);
        json_number(&out, "worst_ms", ms(seen.worst_ns), 3);
        return json_end(&out) ? TOOL_OK : TOOL_DAMAGED;
    }
    printf("%u keys by XTest in a window, %d ticks and %u pictures a second: mean %.2f ms, worst "
           "%.2f ms\nuntil presenting returned. Presenting %s.\nXvfb has no screen and no real "
           "vsync: what they add is missing there.\n",
           presses, LATENCY_TICKS_HZ, seen.pictures_hz, ms(seen.mean_ns), ms(seen.worst_ns),
           seen.is_synced ? "waits for the screen, or SDL for a timer in its place"
                          : "does not wait");
    return TOOL_OK;
}

int bench_latency(int argc, char **argv)
{
    bool is_json = false;
    bool has_window = false;
    int64_t presses = 0;
    const args_option options[] = {
        ARGS_FLAG("--window", &has_window, "in a real window, with keys by XTest: X11 alone"),
        ARGS_INT("--keys", "N", &presses, 1, 60000, "keys (default 5000, in a window 200)"),
        ARGS_JSON(&is_json),
    };
    const args_spec spec = {
        .command = "bench latency",
        .usage = "[options]",
        .about =
            "Print how long it takes from a key to the first picture that shows it, in the loop\n"
            "of 'bks play', with keys at random times: on a virtual clock for several screens,\n"
            "where it is a tick, a picture and the drawing at most, else it exits 1; or in a\n"
            "window here.",
        ARGS_OPTIONS(options),
    };
    const int status = args_parse(&spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    if (has_window) {
        return measure_window(presses > 0 ? (uint32_t)presses : WINDOW_PRESSES, is_json);
    }
    return measure_virtual(presses > 0 ? (uint32_t)presses : PRESSES, is_json);
}
