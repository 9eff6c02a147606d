// SPDX-License-Identifier: MIT

/// @file known_inputs.h
/// Comparison of the inputs, fields and commands, that two peers know of a player.

#ifndef FUZZ_KNOWN_INPUTS_H
#define FUZZ_KNOWN_INPUTS_H

#include <string.h>

#include "session/common/common.h"

typedef enum known_inputs {
    KNOWN_SAME,    ///< all inputs are the same
    KNOWN_DIFFER,  ///< an input differs
    KNOWN_NO_MORE, ///< the newest inputs are the same, older ones are no longer held
} known_inputs;

static inline bool are_same_blobs(const bksi_blob *a, const bksi_blob *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->bytes, b->bytes, a->count) == 0);
}

/// Compare the inputs of a player at the ticks before `head`, which both peers know.
/// @param ahead  counts the ticks whose commands travelled ahead of them
static inline known_inputs compare_known_inputs(const session_common *a, const session_common *b,
                                                uint32_t player, bks_tick head, uint64_t *ahead)
{
    for (bks_tick tick = head - 1; tick >= 0; tick--) {
        if (!bksi_known_holds_all(&a->engine.known, player, tick) ||
            !bksi_known_holds_all(&b->engine.known, player, tick)) {
            return KNOWN_NO_MORE;
        }
        if (memcmp(bksi_rollback_known(&a->engine, player, tick),
                   bksi_rollback_known(&b->engine, player, tick), a->layout.bytes) != 0) {
            return KNOWN_DIFFER;
        }
        if (bksi_rollback_has_commands(&a->engine)) {
            const bksi_blob blob = bksi_rollback_blob(&a->engine, player, tick);
            const bksi_blob other = bksi_rollback_blob(&b->engine, player, tick);
            *ahead += blob.is_ahead;
            if (!are_same_blobs(&blob, &other)) {
                return KNOWN_DIFFER;
            }
        }
    }
    return KNOWN_SAME;
}

#endif
