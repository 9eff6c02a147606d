// SPDX-License-Identifier: MIT

/// @file inspect_view.h
/// All that an inspector knows of a match at one moment.

#ifndef BKS_TOOL_INSPECT_VIEW_H
#define BKS_TOOL_INSPECT_VIEW_H

#include "backstitch/inspector.h"

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

/// How a figure is shown.
typedef struct inspect_name {
    const char *name;
    const char *key; ///< in JSON
    const char *unit;
    float scale; ///< from the figure to that unit
    float least; ///< a graph reaches from 0 up to this at the least, in the figure's own unit
} inspect_name;

/// A figure's name.
/// @param peer   BKS_PEERS_MAX: of the match
/// @param index  as in a request
const inspect_name *inspect_name_of(uint32_t peer, uint32_t index);

/// How many figures there are of a match, or of a link.
uint32_t inspect_figure_count(uint32_t peer);

/// A figure in its place.
bks_figure *inspect_figure_of(bks_figures *figures, uint32_t peer, uint32_t index);

#endif
