// SPDX-License-Identifier: MIT

/// @file meet_message.h
/// MEET: states of peers differ, and all are to agree on one state at a tick. The host names the
/// tick; then each peer reports its state there, and when its state is that of the majority.

#ifndef BKSI_MEET_MESSAGE_H
#define BKSI_MEET_MESSAGE_H

#include "base/bytes.h"

/// Stage of the sender.
typedef enum bksi_meet_stage {
    BKSI_MEET_HEARD = 0,  ///< it knows the tick
    BKSI_MEET_STATED = 1, ///< it reports its state there
    BKSI_MEET_DONE = 2,   ///< its state there is that of the majority
    BKSI_MEET_FAILED = 3, ///< it cannot get the majority's state
    BKSI_MEET_ENDED = 4,  ///< all have the same state: the host decides that, the others follow
} bksi_meet_stage;

/// Repair of a peer's state, as the sender reports it.
typedef struct bksi_meet_repair {
    bks_tick since; ///< first wrong tick, at most the tick of the message
    uint32_t from;  ///< peer whose bytes were taken
    uint64_t bytes; ///< bytes that were taken
} bksi_meet_repair;

typedef struct bksi_meet_message {
    bks_tick tick;
    bksi_meet_stage stage;
    uint32_t seen; ///< 1 + newest stage of the receiver that arrived; 0: none

    /// Fields of STATED, DONE and ENDED:
    uint64_t state;                ///< hash of the sender's state at the tick, as it was
    uint64_t inputs;               ///< chain over all inputs before the tick
    uint64_t before;               ///< chain over the hashes of the states before the tick
    bool is_refused;               ///< the sender's game would refuse that state from a peer
    uint32_t known;                ///< bits: peers whose hashes it compares with its own
    bks_tick same[BKS_PEERS_MAX];  ///< for these: tick up to which all hashes are the same
    uint32_t differing;            ///< bits: peers whose hashes differ from its own
    bks_tick since[BKS_PEERS_MAX]; ///< for these: first tick that differs, at most `tick`

    /// Fields of DONE and ENDED:
    uint64_t now;   ///< hash of the sender's state at the tick now
    uint32_t from;  ///< peer whose bytes it has taken; itself: none
    uint64_t bytes; ///< number of bytes it has taken

    /// Fields of ENDED:
    uint32_t repaired; ///< bits: peers whose states were repaired
    bksi_meet_repair repairs[BKS_PEERS_MAX];
} bksi_meet_message;

void bksi_meet_write(bksi_byte_writer *writer, const bksi_meet_message *message);
bool bksi_meet_read(bksi_byte_reader *reader, bksi_meet_message *message);

#endif
