// SPDX-License-Identifier: MIT

/// @file descent.h
/// Search for the difference between our state of a tick and a peer's, from the hashes of large
/// parts down to the bytes of blocks. Only one question waits for an answer at a time. If several
/// peers differ, search with one after the other, and once with each. The match does not wait for
/// the search. Only descent.c changes session_descent.

#ifndef BKSI_DESCENT_H
#define BKSI_DESCENT_H

#include "session/agree/checking.h"
#include "session/agree/retry.h"
#include "session/common/common.h"
#include "wire/compare_message.h"

typedef enum session_descent_stage {
    DESCENT_RESTS = 0,
    DESCENT_MEASURES, ///< the owner finds out the size of our state
    DESCENT_HASHES,   ///< the owner hashes the parts that the next question names
    DESCENT_ASKS,     ///< the question is repeated until it is answered
    DESCENT_NAMES,    ///< the owner finds names for the differing bytes
} session_descent_stage;

typedef struct session_descent {
    session_descent_stage stage;
    uint32_t peer; ///< peer with which we search, or searched last
    bksi_compare_question question;
    session_retry retry;
    /// Look-up in our kept state that the owner must carry out.
    bks_look look;
    uint32_t blocks[BKSI_COMPARE_BLOCKS_MAX]; ///< blocks with differing bytes, to be named
    uint64_t own_bytes;                       ///< size of our state in bytes
    bksi_compare_answer answer;               ///< newest answer
    uint64_t until_ns;                        ///< deadline for all answers of the peer
    /// Bits: peers with which the search is over, whether it found the difference or not.
    uint32_t done;
    uint32_t alone; ///< peer whose state differs from all others; BKS_PEERS_MAX: none is known
    bool has_found;
    bks_difference found; ///< newest difference that has been looked up
} session_descent;

/// Begin a search with a peer that was found to differ, or give up on a peer that does not answer.
void bksi_descent_update(session_descent *descent, const session_checking *checking,
                         session_common *common);

/// Get the look-up in our kept state that our owner must do next.
/// @return false if no look-up is due
bool bksi_descent_next(session_descent *descent, const session_common *common, bks_op *op);
void bksi_descent_done(session_descent *descent, const session_checking *checking,
                       const session_common *common, session_events *events,
                       const bks_op_result *result);

/// Handle a peer's answer to the newest question.
void bksi_descent_heard(session_descent *descent, const session_checking *checking,
                        session_common *common, uint32_t peer, const bksi_compare_answer *answer);

/// Get the peer that must be asked now, as a bit.
static inline uint32_t bksi_descent_peers(const session_descent *descent,
                                          const session_common *common)
{
    return descent->stage == DESCENT_ASKS && bksi_retry_is_due(&descent->retry, common)
               ? PEER_BIT(descent->peer)
               : 0;
}
void bksi_descent_write(session_descent *descent, const session_common *common,
                        bksi_byte_writer *writer);

/// Get the newest difference that has been looked up.
/// @return the difference, or NULL if none has been looked up
static inline const bks_difference *bksi_descent_found(const session_descent *descent)
{
    return descent->has_found ? &descent->found : NULL;
}

#endif
