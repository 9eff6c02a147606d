// SPDX-License-Identifier: MIT

/// @file repeat.h
/// Schedule of repetitions until an answer arrives: often at first, so that a lost packet costs
/// little even if answers take long, then ever more rarely, so that a narrow line is not filled.
///
///     bksi_repeat_begin(&repeat, now_ns);                          // first sending
///     if (bksi_repeat_is_due(&repeat, now_ns)) {
///         bksi_repeat_went(&repeat, now_ns);                       // sent again
///     }

#ifndef BKSI_REPEAT_H
#define BKSI_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

/// Length and number of the short gaps at the beginning.
#define BKSI_REPEAT_GAP_NS UINT64_C(20000000)
#define BKSI_REPEAT_OFTEN  5u

/// Longest gap. Each gap after the first ones is 1.5 times as long as the previous one.
#define BKSI_REPEAT_GAP_MAX_NS UINT64_C(250000000)

/// Schedule of one message. All zero: it was never sent and is due.
typedef struct bksi_repeat {
    uint64_t next_ns; ///< time of the next sending
    uint64_t gap_ns;  ///< time from the last sending to the next
    uint32_t count;   ///< number of sendings
} bksi_repeat;

static inline bool bksi_repeat_is_due(const bksi_repeat *repeat, uint64_t now_ns)
{
    return now_ns >= repeat->next_ns;
}

/// Record that a message is sent now.
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

/// Start over with a new message that is sent now.
static inline void bksi_repeat_begin(bksi_repeat *repeat, uint64_t now_ns)
{
    *repeat = (bksi_repeat){0};
    bksi_repeat_went(repeat, now_ns);
}

#endif
