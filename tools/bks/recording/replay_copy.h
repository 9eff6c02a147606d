// SPDX-License-Identifier: MIT

/// @file replay_copy.h
/// Writes a part of a recording as one of its own. Everything is carried over as it was recorded,
/// hashes too, so that what was wrong in it is still wrong; no game is needed.

#ifndef BKS_TOOL_REPLAY_COPY_H
#define BKS_TOOL_REPLAY_COPY_H

#include "recording/replay_file.h"

/// Which part, and what it begins and ends with.
typedef struct replay_part {
    bks_tick from;               ///< its first tick
    bks_tick until;              ///< one past its last tick, above `from`; all between are there
    const void *state;           ///< at the start of `from`, as bytes
    size_t state_bytes;          ///< of it
    const uint64_t *page_hashes; ///< of it; NULL: not known
    size_t page_count;           ///< length of page_hashes
    bool has_final_hash;         ///< of the state behind the last tick
    uint64_t final_hash;         ///< that
} replay_part;

/// Write it: header, inputs, hashes, facts, keyframes, events, values, pages and rollbacks.
/// @param file  the whole recording
/// @param sink  where the part goes
/// @param name  of that, for what is said on stderr
/// @return TOOL_OK, TOOL_NO (it cannot be written), TOOL_DAMAGED
int replay_copy_part(replay_file *file, const replay_part *part, const bks_sink *sink,
                     const char *name);

#endif
