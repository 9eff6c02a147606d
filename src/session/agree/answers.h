// SPDX-License-Identifier: MIT

/// @file answers.h
/// Peers that differ from us ask what our state of a tick is; the owner of the state looks it up.
/// Each gets one answer an update, and its answers are bounded, so that a peer that asks without
/// end costs little. answers.c alone writes this.

#ifndef BKSI_ANSWERS_H
#define BKSI_ANSWERS_H

#include "session/common/common.h"
#include "wire/compare_message.h"

/// Questions of a peer that wait.
#define ANSWERS_WAITING_MAX 8u

typedef struct session_answers_peer {
    bksi_compare_question waiting[ANSWERS_WAITING_MAX]; ///< the oldest first
    uint32_t waiting_count;
    bksi_compare_answer answer; ///< to the one before
    uint32_t spent;             ///< answers that were given lately
    uint64_t spent_ns;          ///< up to when that is counted
} session_answers_peer;

typedef struct session_answers {
    session_answers_peer peers[BKS_PEERS_MAX];
    uint32_t asked;                           ///< bits: peers whose question is to be looked up
    uint32_t ready;                           ///< bits: peers whose answer is to be sent
    uint32_t current;                         ///< the peer whose question is being looked up
    bool is_looking_up;                       ///< the owner does it
    bool is_reading;                          ///< what differs is known, and the bytes are next
    bks_look look;                            ///< what
    uint32_t blocks[BKSI_COMPARE_BLOCKS_MAX]; ///< of the bytes
} session_answers;

/// A peer asks. What is too much is dropped: it may ask again.
/// @param is_let  it may ask for all of a state now, so it does not count
void bksi_answers_ask(session_answers *answers, const session_common *common, uint32_t peer,
                      const bksi_compare_question *question, bool is_let);

/// What the owner of the state must look up next.
/// @return false: nothing
bool bksi_answers_next(session_answers *answers, const session_common *common, bks_op *op);
/// Whether that is what it has done now; then take it.
static inline bool bksi_answers_wait(const session_answers *answers)
{
    return answers->is_looking_up;
}
void bksi_answers_done(session_answers *answers, const bks_op *op, const bks_op_result *result);

/// Bits of the peers to which an answer is to be sent.
static inline uint32_t bksi_answers_peers(const session_answers *answers)
{
    return answers->ready;
}
void bksi_answers_write(session_answers *answers, uint32_t peer, bksi_byte_writer *writer);

#endif
