// SPDX-License-Identifier: MIT

/// @file repeat.h
/// When to say again what is not answered: often at first, so that a lost packet costs little even
/// where the answer takes long, then ever more seldom, so that a narrow line is not filled.
///
///     bksi_repeat_begin(&repeat, now_ns);                          // it goes for the first time
///     if (bksi_repeat_is_due(&repeat, now_ns)) {
///         bksi_repeat_went(&repeat, now_ns);                       // it goes again
///     }

#ifndef BKSI_REPEAT_H
#define BKSI_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

/// The first gaps, and how many of them there are.
#define BKSI_REPEAT_GAP_NS UINT64_C(20000000)
#define BKSI_REPEAT_OFTEN  5u

/// Each later gap is half as long again as the one before it, up to this.
#define BKSI_REPEAT_GAP_MAX_NS UINT64_C(250000000)

/// All zero: it never went and is due.
typedef struct bksi_repeat {
    uint64_t next_ns; ///< when it is to go again
    uint64_t gap_ns;  ///< from the last time to the next
    uint32_t count;   ///< how often it went
} bksi_repeat;

static inline bool bksi_repeat_is_due(const bksi_repeat *repeat, uint64_t now_ns)
{
    return now_ns >= repeat->next_ns;
}

/// It goes now.
static inline void bksi_repeat_went(bksi_repeat *repeat, uint64_t now_ns)
{
    uint64_t gap_ns = BKSI_REPEAT_GAP_NS;
    if (repeat->count >= BKSI_REPEAT_OFTEN) {
        gap_ns = repeat->gap_ns + repeat->gap_ns / 2;
    }
    repeat->count++;
    repeat->gap_ns = gap_ns < BKSI_REPEAT_GAP_MAX_NS ? gap_ns : BKSI_REPEAT_GAP_MAX_NS;
    repeat->next_ns = now_ns + repeat->gap_ns;
}

/// Something new goes now.
static inline void bksi_repeat_begin(bksi_repeat *repeat, uint64_t now_ns)
{
    *repeat = (bksi_repeat){0};
    bksi_repeat_went(repeat, now_ns);
}

#endif
