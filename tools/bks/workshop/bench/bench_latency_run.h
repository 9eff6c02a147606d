// SPDX-License-Identifier: MIT

/// @file bench_latency_run.h
/// How long it takes from a key to the picture that shows it, in the loop of `bks play`, on a
/// virtual clock: no key, screen or machine is slow but as it is said here.

#ifndef BKS_BENCH_LATENCY_RUN_H
#define BKS_BENCH_LATENCY_RUN_H

#include <stdbool.h>
#include <stdint.h>

/// A screen and who plays before it.
typedef struct latency_case {
    uint32_t pictures_hz;
    bool is_synced;     ///< presenting waits for the screen
    uint64_t draw_ns;   ///< what drawing takes
    uint32_t presses;   ///< 1..65535
    bool samples_early; ///< the devices are read before the wait: an order that is wrong
} latency_case;

/// From the key, over all presses.
typedef struct latency_found {
    uint64_t mean_ns;    ///< until the picture is handed to the screen
    uint64_t worst_ns;   ///< the same
    uint64_t seen_ns;    ///< until the screen shows it, at most
    uint64_t promise_ns; ///< a tick, a picture and the drawing: worst_ns is no longer
    uint64_t lead_ns;    ///< presenting that waits: longest from handing over to the screen
} latency_found;

/// Measure it. The same arguments give the same figures.
/// @return false: the match could not be made
bool latency_run(const latency_case *c, latency_found *out);

#endif
