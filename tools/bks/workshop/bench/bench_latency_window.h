// SPDX-License-Identifier: MIT

/// @file bench_latency_window.h
/// The same in a real window, with keys that the X server makes (XTest), for information.

#ifndef BKS_BENCH_LATENCY_WINDOW_H
#define BKS_BENCH_LATENCY_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/// What was seen.
typedef struct latency_seen {
    uint64_t mean_ns; ///< from the key until presenting returned
    uint64_t worst_ns;
    uint32_t pictures_hz;
    bool is_synced; ///< presenting waits for the screen
} latency_seen;

/// Measure it; errors go to stderr.
/// @return TOOL_OK, TOOL_NO when there is no window or no XTest
int latency_window(uint32_t presses, latency_seen *out);

#endif
