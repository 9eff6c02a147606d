// SPDX-License-Identifier: MIT

/// @file bench_det_run.h
/// How long a function of the library's mathematics takes, and the C library's of the same name.

#ifndef BKS_BENCH_DET_RUN_H
#define BKS_BENCH_DET_RUN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct det_timed {
    const char *name;
    const char *arguments; ///< the range they are drawn from, in words
    double own_ns;         ///< a call
    double libm_ns;        ///< likewise
    double goal;           ///< of own_ns, in libm_ns; 0 for a path that is known to be slow
} det_timed;

uint32_t det_timed_count(void);

/// Takes about 50 ms.
/// @param index  below det_timed_count()
det_timed det_time(uint32_t index);

#endif
