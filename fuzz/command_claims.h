// SPDX-License-Identifier: MIT

/// @file command_claims.h
/// Messages of a hostile member with made-up commands, drawn from the bytes that `take` gives. `to`
/// is the session that receives the message, in a match of a game with commands.

#ifndef FUZZ_COMMAND_CLAIMS_H
#define FUZZ_COMMAND_CLAIMS_H

#include "session/inside.h"

/// Counts of made-up commands that sessions took, and of liars that they found.
typedef struct told_commands {
    uint64_t ticks;      ///< ticks with made-up commands
    uint64_t found;      ///< liars of whom a session takes no more ticks, because of their commands
    uint64_t lane_bytes; ///< made-up bytes of lanes
    uint64_t lane_taken; ///< bytes of lanes that ticks with made-up commands took
} told_commands;

/// Give a session an INPUT of the liar with up to 8 ticks that the session does not know. They
/// have the fields of the tick before and made-up blobs: well-formed packed ones, damaged ones, and
/// blobs of the lane, with right and wrong sizes. Some messages are cut short.
/// @param from  session of the liar; nothing happens before it has a seat
/// @param is_lane  true: give a BULK first, with pieces of the liar's lane, whole or damaged, a
///                 report of the other lane, or both. In half of the cases an INPUT follows, whose
///                 first tick takes bytes of the lane
/// @param told  counts what is taken
void tell_made_up_commands(bks_session *to, const bks_session *from, uint32_t (*take)(void),
                           bool is_lane, told_commands *told);

/// Let the first player of a peer give a burst of commands, which is longer than an INPUT.
/// @param most  size of the largest command of the game; 0: it has none
void give_burst(bks_session *session, uint32_t most);

/// Write a made-up plain blob after an input of a leaver's run.
void claim_a_plain_blob(uint32_t (*take)(void), bksi_bit_writer *writer);

#endif
