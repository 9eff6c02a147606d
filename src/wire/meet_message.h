// SPDX-License-Identifier: MIT

/// @file meet_message.h
/// MEET: states of peers differ, and all are to have the same state at a tick. The host names it;
/// then each says what it has there, and when it has what the most have.

#ifndef BKSI_MEET_MESSAGE_H
#define BKSI_MEET_MESSAGE_H

#include "base/bytes.h"

/// How far the sender is.
typedef enum bksi_meet_stage {
    BKSI_MEET_HEARD = 0,  ///< it knows of the tick
    BKSI_MEET_STATED = 1, ///< it says what it has there
    BKSI_MEET_DONE = 2,   ///< its state there is that of the most
    BKSI_MEET_FAILED = 3, ///< it cannot
    BKSI_MEET_ENDED = 4,  ///< all have it: the host decides that, the others follow it
} bksi_meet_stage;

/// A repair as the sender lists it.
typedef struct bksi_meet_repair {
    bks_tick since; ///< at most the tick of the message
    uint32_t from;  ///< whose bytes were taken
    uint64_t bytes; ///< 0: none
} bksi_meet_repair;

typedef struct bksi_meet_message {
    bks_tick tick;
    bksi_meet_stage stage;
    uint32_t seen; ///< of the receiver's stages the newest that came, plus 1; 0: none

    /// STATED, DONE and ENDED:
    uint64_t state;                ///< hash of the state it had there
    uint64_t inputs;               ///< chain over all inputs before
    uint64_t before;               ///< chain over the hashes of the states before
    bool is_refused;               ///< its game would not take the state it had there from a peer
    uint32_t known;                ///< bits: peers whose hashes it compares with its own
    bks_tick same[BKS_PEERS_MAX];  ///< of those: up to which tick it found all the same
    uint32_t differing;            ///< bits: peers that it has found to differ from it
    bks_tick since[BKS_PEERS_MAX]; ///< of those: from which tick on, at most `tick`

    /// DONE and ENDED:
    uint64_t now;   ///< hash of the state that it has there now
    uint32_t from;  ///< whose bytes it has now; itself: it has written none
    uint64_t bytes; ///< how many it has written

    /// ENDED:
    uint32_t repaired; ///< bits: whose states were repaired
    bksi_meet_repair repairs[BKS_PEERS_MAX];
} bksi_meet_message;

void bksi_meet_write(bksi_byte_writer *writer, const bksi_meet_message *message);
bool bksi_meet_read(bksi_byte_reader *reader, bksi_meet_message *message);

#endif
