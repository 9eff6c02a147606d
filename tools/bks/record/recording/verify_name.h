// SPDX-License-Identifier: MIT

/// @file verify_name.h
/// What this machine steps differently than a recording says: the mark, the value, and both.

#ifndef BKS_TOOL_VERIFY_NAME_H
#define BKS_TOOL_VERIFY_NAME_H

#include "game/loader.h"
#include "map/state_names.h"
#include "record/recording/replay_file.h"

/// What differs. Start from {0}.
typedef struct verify_difference {
    bool is_known;          ///< and so is what follows
    bks_tick tick;          ///< of the step, or at whose start they differ
    char mark[64];          ///< "(start)": the start of the tick; "": not known
    state_difference value; ///< a: recorded, b: stepped here
} verify_difference;

/// Name it by what the recording holds: states at marks, the first state, or a keyframe.
/// @param first_different  the first tick whose state at its start differs
/// @param out              left alone when the recording holds no state there
void verify_name(const replay_file *file, const loaded_game *game, bks_tick first_different,
                 verify_difference *out);

#endif
