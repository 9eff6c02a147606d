// SPDX-License-Identifier: MIT

/// @file inspect_view.h
/// All that an inspector knows of a match at one moment.

#ifndef BKS_TOOL_INSPECT_VIEW_H
#define BKS_TOOL_INSPECT_VIEW_H

#include "backstitch/toolkit/inspector.h"
#include "screen/overlay/figure_rows.h"

enum { INSPECT_PARTS_MAX = 64 };

/// How new a value is. Packets get lost.
typedef enum inspect_age {
    INSPECT_MISSING, ///< it never came: what stands in its place means nothing
    INSPECT_OLD,     ///< it is of an earlier look
    INSPECT_FRESH,
} inspect_age;

/// What was seen. Zero it before the first look.
typedef struct inspect_view {
    bks_inspect_summary summary;
    bks_figures figures; ///< where the summary says there are some
    inspect_age figure_ages[BKS_PEERS_MAX + 1][BKS_INSPECT_MATCH_FIGURES]; ///< by peer and index
    bks_memory_part parts[INSPECT_PARTS_MAX];
    inspect_age part_ages[INSPECT_PARTS_MAX];
    uint32_t part_count;
    uint32_t unanswered; ///< requests of the newest look
} inspect_view;

/// Whether a peer has left: its figures are of a time that is gone.
static inline bool inspect_has_left(const bks_inspect_summary *summary, uint32_t peer)
{
    return summary->phase != BKS_PHASE_GATHERING && (summary->peers_in >> peer & 1) == 0;
}

#endif
