// SPDX-License-Identifier: MIT

/// @file samples.h Numbers of one kind, such as the times of all steps, and their quantiles.

#ifndef BKS_TOOL_SAMPLES_H
#define BKS_TOOL_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Maximum number of values that one `samples` stores.
#define SAMPLES_MAX ((size_t)1 << 20)

/// Samples. Start from {0}, end with samples_free().
typedef struct samples {
    double *values;  ///< the first values, in order until samples_share() sorts them
    size_t count;    ///< number of values in `values`
    size_t capacity; ///< number of values for which there is room
    uint64_t added;  ///< number of all values, including those that are not stored
    double sum;      ///< sum of all values
    bool is_sorted;
} samples;

/// Add a value. If there is no memory for it, it still counts for the mean.
void samples_add(samples *s, double value);

/// Return the mean, 0 if there are no values.
double samples_mean(const samples *s);

/// Return the value that a share of the values does not exceed, 0 if there are none. This sorts the
/// values.
/// @param share  0..1: 0.5 is the median, 1 the largest
double samples_share(samples *s, double share);

/// Release the memory of the values.
void samples_free(samples *s);

#endif
