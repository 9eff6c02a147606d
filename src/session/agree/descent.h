// SPDX-License-Identifier: MIT

/// @file descent.h
/// What our state and that of a peer differ in: from the hash of a tick down to the bytes of
/// blocks, one question after the other, with one peer at a time and once with each. The match does
/// not wait for it. Stands on checking, which knows who differs. descent.c alone writes this.

#ifndef BKSI_DESCENT_H
#define BKSI_DESCENT_H

#include "session/agree/checking.h"
#include "session/agree/retry.h"
#include "session/common/common.h"
#include "wire/compare_message.h"

typedef enum session_descent_stage {
    DESCENT_RESTS = 0,
    DESCENT_MEASURES, ///< the owner is to say how long our state is
    DESCENT_HASHES,   ///< the owner is to hash the parts that are asked for next
    DESCENT_ASKS,     ///< the question goes until it is answered
    DESCENT_NAMES,    ///< the owner is to say what the bytes are called
} session_descent_stage;

typedef struct session_descent {
    session_descent_stage stage;
    uint32_t peer; ///< that differs
    bksi_compare_question question;
    session_retry retry;
    bks_look look;                            ///< what the owner is to do
    uint32_t blocks[BKSI_COMPARE_BLOCKS_MAX]; ///< of the bytes that differ, to be named
    uint64_t own_bytes;                       ///< size of our state
    bksi_compare_answer answer;               ///< the newest
    uint64_t until_ns;                        ///< when the peer has taken too long
    uint32_t done;                            ///< bits: peers with which that is done
    uint32_t alone; ///< the peer that stands alone, as far as was known while it went on
    bool has_found;
    bks_difference found; ///< the newest
} session_descent;

/// Begin with a peer that was found to differ, or give up one that does not answer.
void bksi_descent_update(session_descent *descent, const session_checking *checking,
                         session_common *common);

/// What the owner of the state must do next.
/// @return false: nothing
bool bksi_descent_next(session_descent *descent, const session_common *common, bks_op *op);
void bksi_descent_done(session_descent *descent, const session_checking *checking,
                       const session_common *common, session_events *events,
                       const bks_op_result *result);

/// A peer answers.
void bksi_descent_heard(session_descent *descent, const session_checking *checking,
                        session_common *common, uint32_t peer, const bksi_compare_answer *answer);

/// Bits of the peer that is to be asked now.
static inline uint32_t bksi_descent_peers(const session_descent *descent,
                                          const session_common *common)
{
    return descent->stage == DESCENT_ASKS && bksi_retry_is_due(&descent->retry, common)
               ? PEER_BIT(descent->peer)
               : 0;
}
void bksi_descent_write(session_descent *descent, const session_common *common,
                        bksi_byte_writer *writer);

/// The newest difference that was looked up.
/// @return NULL: there is none
static inline const bks_difference *bksi_descent_found(const session_descent *descent)
{
    return descent->has_found ? &descent->found : NULL;
}

#endif
