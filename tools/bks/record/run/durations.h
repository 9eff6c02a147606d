// SPDX-License-Identifier: MIT

/// @file durations.h
/// How long one kind of work took, each time it was done: mean, median, 99th percentile, longest.

#ifndef BKS_TOOL_DURATIONS_H
#define BKS_TOOL_DURATIONS_H

#include "base/json.h"

/// Durations of one kind of work. Start from {0}, end with durations_free().
typedef struct durations {
    uint64_t *ns;    ///< up to DURATIONS_MAX of them
    size_t count;    ///< of ns
    size_t capacity; ///< of ns
    uint64_t calls;  ///< also those that are not kept
    uint64_t sum_ns; ///< of all calls
    bool is_sorted;  ///< ns is, which the shares need
} durations;

/// Most that are kept of one kind.
#define DURATIONS_MAX ((size_t)1 << 20)

/// Add one. Memory that cannot be had is done without: the sum and the calls still count.
void durations_add(durations *d, uint64_t ns);

/// Mean of all, in microseconds; 0 when there are none.
double durations_mean_us(const durations *d);

/// What `share` of them did not exceed, in microseconds; 0 when there are none.
/// @param share  0..1: 0.5 is the median, 1 the longest
double durations_share_us(durations *d, double share);

/// An object "mean", "p50", "p99", "max", in microseconds.
void durations_json(json *j, const char *key, durations *d);

/// Release what is kept.
void durations_free(durations *d);

#endif
