// SPDX-License-Identifier: MIT

/// @file answers.h
/// Our answers to peers that differ from us and ask for our state of a tick. Our owner looks each
/// answer up. Each peer gets at most one answer per update, and the number of its answers is
/// limited, so that a peer that asks without end costs little. Only answers.c changes
/// session_answers.

#ifndef BKSI_ANSWERS_H
#define BKSI_ANSWERS_H

#include "session/common/common.h"
#include "wire/compare_message.h"

/// Maximum number of questions of one peer that wait for an answer.
#define ANSWERS_WAITING_MAX 16u

typedef struct session_answers_peer {
    bksi_compare_question waiting[ANSWERS_WAITING_MAX]; ///< waiting questions, the oldest first
    uint32_t waiting_count;
    /// Answer to the peer's question that was taken from the queue last.
    bksi_compare_answer answer;
    uint32_t spent; ///< number of recent answers to the peer, for its limit

    /// Time up to which `spent` has been lowered, by one for each ANSWER_EVERY_NS.
    uint64_t spent_ns;
} session_answers_peer;

typedef struct session_answers {
    session_answers_peer peers[BKS_PEERS_MAX];
    uint32_t asked;     ///< bits: peers that have a question to look up in our kept states
    uint32_t ready;     ///< bits: peers whose answer must be sent
    uint32_t current;   ///< peer whose question is being looked up
    bool is_looking_up; ///< our owner is carrying out `look`
    bool is_reading;    ///< the next look-up reads the bytes of blocks that differ
    bks_look look;      ///< look-up in our kept states that is under way
    uint32_t blocks[BKSI_COMPARE_BLOCKS_MAX]; ///< blocks of our state to read for the answer
} session_answers;

/// Queue a peer's question. Questions beyond the limit are dropped, because the peer may ask again.
/// @param is_let  true if the peer may fetch a whole state now, so its questions do not count for
///   its limit
void bksi_answers_ask(session_answers *answers, const session_common *common, uint32_t peer,
                      const bksi_compare_question *question, bool is_let);

/// Get the look-up in our kept states that our owner must do next.
/// @return false if no look-up is due
bool bksi_answers_next(session_answers *answers, const session_common *common, bks_op *op);
/// Return true if the last operation handed out is a look-up for a peer.
static inline bool bksi_answers_wait(const session_answers *answers)
{
    return answers->is_looking_up;
}
void bksi_answers_done(session_answers *answers, const bks_op *op, const bks_op_result *result);

/// Get the peers to which an answer of ours must be sent, as bits.
static inline uint32_t bksi_answers_peers(const session_answers *answers)
{
    return answers->ready;
}
void bksi_answers_write(session_answers *answers, uint32_t peer, bksi_byte_writer *writer);

#endif
