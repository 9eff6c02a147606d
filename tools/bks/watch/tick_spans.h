// SPDX-License-Identifier: MIT

/// @file tick_spans.h
/// Which ticks of a recording were played so far, by a user who goes where he likes.

#ifndef BKS_TOOL_TICK_SPANS_H
#define BKS_TOOL_TICK_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "backstitch/base.h"

enum { TICK_SPANS_MAX = 64 };

/// A set of ticks. Start from {0}.
typedef struct tick_spans {
    struct {
        bks_tick begin;
        bks_tick end;        ///< behind the last one
    } spans[TICK_SPANS_MAX]; ///< in order, with a gap between any two
    uint32_t count;
} tick_spans;

/// Add one tick.
/// @return whether it was not there before; false, too, when it would begin a span more than there
///         is room for
bool tick_spans_add(tick_spans *set, bks_tick tick);

#endif
