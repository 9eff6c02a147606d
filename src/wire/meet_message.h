// SPDX-License-Identifier: MIT

/// @file meet_message.h
/// MEET: the states of peers differ, and the peers agree on one state at a tick. The host names the
/// tick. Then each peer reports its state at the tick, and later that its state is the majority's.

#ifndef BKSI_MEET_MESSAGE_H
#define BKSI_MEET_MESSAGE_H

#include "base/bytes.h"

/// Stage of a meeting that the sender of a MEET has reached.
typedef enum bksi_meet_stage {
    BKSI_MEET_HEARD = 0,  ///< the sender knows the tick of the meeting
    BKSI_MEET_STATED = 1, ///< the sender reports its state at the tick
    BKSI_MEET_DONE = 2,   ///< the sender's state at the tick is that of the majority
    BKSI_MEET_FAILED = 3, ///< the sender cannot get the majority's state
    BKSI_MEET_ENDED = 4,  ///< all have the same state: the host decides that, the others follow
} bksi_meet_stage;

/// Repair of a peer's state, as the sender reports it.
typedef struct bksi_meet_repair {
    bks_tick since; ///< first wrong tick, at most the tick of the message
    uint32_t from;  ///< peer whose bytes replaced the wrong ones
    uint64_t bytes; ///< number of bytes that were replaced
} bksi_meet_repair;

typedef struct bksi_meet_message {
    bks_tick tick;
    bksi_meet_stage stage;
    uint32_t seen; ///< 1 + the receiver's newest stage that the sender knows; 0: none

    /// Fields of the stages STATED, DONE and ENDED:
    uint64_t state;  ///< hash of the sender's state at the tick, before repairs
    uint64_t inputs; ///< hash of all inputs before the tick
    uint64_t before; ///< hash of all hashes of the states before the tick
    bool is_refused; ///< the sender's game would refuse the sender's own state if a peer sent it
    uint32_t known;  ///< bits: peers whose hashes the sender compares with its own
    /// For each peer in `known`: newest tick up to which its hashes equal the sender's.
    bks_tick same[BKS_PEERS_MAX];
    uint32_t differing; ///< bits: peers whose hashes differ from the sender's
    /// For each peer in `differing`: first tick at which it differs, at most `tick`.
    bks_tick since[BKS_PEERS_MAX];

    /// Fields of the stages DONE and ENDED:
    uint64_t now;   ///< hash of the sender's state at the tick, after repairs
    uint32_t from;  ///< peer whose bytes the sender has adopted; the sender itself: none
    uint64_t bytes; ///< number of bytes that the sender has adopted

    /// Fields of the stage ENDED:
    uint32_t repaired; ///< bits: peers whose states were repaired
    bksi_meet_repair repairs[BKS_PEERS_MAX];
} bksi_meet_message;

void bksi_meet_write(bksi_byte_writer *writer, const bksi_meet_message *message);
bool bksi_meet_read(bksi_byte_reader *reader, bksi_meet_message *message);

#endif
