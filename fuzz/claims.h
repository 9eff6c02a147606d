// SPDX-License-Identifier: MIT

/// @file claims.h
/// Messages of a hostile member about where states differ. All are well formed, and are drawn from
/// the bytes that `take` gives. `to` is the session that receives the message.

#ifndef FUZZ_CLAIMS_H
#define FUZZ_CLAIMS_H

#include "session/inside.h"

/// Write a HASHES that claims another state of one tick, which makes the session ask for the
/// difference.
/// @param body  room for BKSI_BODY_BYTES_MAX
/// @return size of the body; 0: no tick can have such a claim
size_t claim_a_difference(const bks_session *to, uint32_t (*take)(void), uint8_t *body);

/// Write a HASHES with made-up hashes.
/// @param body  room for BKSI_BODY_BYTES_MAX
/// @return size of the body
size_t claim_some_hashes(const bks_session *to, uint32_t (*take)(void), uint8_t *body);

/// Draw the name of a view: mostly the view that the session is in, else one like it.
bksi_view_name claim_a_view(const bks_session *to, uint32_t (*take)(void));

/// Draw a tick at which the match is to stop: near, far or in the past.
/// @return the tick; mostly 0: the message names none
bks_tick claim_a_stop(const bks_session *to, uint32_t (*take)(void));

/// Draw a log of views, mostly without the receiver.
bksi_gone claim_a_log(const bks_session *to, uint32_t (*take)(void), uint32_t receiver,
                      uint32_t peers);

/// Draw a decision on pause and speed; number 0: none is claimed.
/// @param may_decide  true: the liar may be the host, so nothing is claimed
bksi_speed_decision claim_a_speed(const bks_session *to, uint32_t (*take)(void), bool may_decide);

/// Draw a wish for a pause or a speed.
bksi_speed_wish claim_a_wish(uint32_t (*take)(void));

/// Draw a distance in ticks from the true value: mostly a small one.
bks_tick claim_a_distance(uint32_t (*take)(void));

/// Draw a number for a ballot of peer `of`: mostly the next one.
uint32_t claim_a_number(const bks_session *to, uint32_t (*take)(void), uint32_t of);

/// Draw the heads of some peers: for each the first tick whose input is claimed to be unknown.
/// @param peers  peers whose heads are drawn, as bits
/// @param ticks  heads by peer; only those of `peers` are set
void claim_heads(const bks_session *to, uint32_t (*take)(void), uint32_t peers, bks_tick *ticks);

/// Write the next proposal of peer `of`, in the view that the session is in, that peers leave.
/// @param leavers  peers, as bits; only those in the view count
/// @param body     room for BKSI_BODY_BYTES_MAX
/// @return size of the body; 0: none of them is in the view
size_t claim_that_some_left(const bks_session *to, uint32_t of, uint32_t leavers, uint8_t *body);

/// Draw a set of peers: mostly one or two.
/// @param peers  number of peers in the match
/// @return peers, as bits
uint32_t claim_peers(uint32_t (*take)(void), uint32_t peers);

/// Write a run of inputs of peer `about` that no peer sampled, with commands if the game has some.
/// The run may be empty.
void claim_a_run(const bks_session *to, uint32_t (*take)(void), uint32_t about,
                 bksi_bit_writer *writer);

/// Write a COMPARE with a question.
/// @param body  room for BKSI_BODY_BYTES_MAX
/// @return size of the body
size_t claim_a_question(const bks_session *to, uint32_t (*take)(void), uint8_t *body);

/// Write a MEET of the meeting that the session is in, or of another.
/// @param body  room for BKSI_BODY_BYTES_MAX
/// @return size of the body
size_t claim_a_meeting(const bks_session *to, uint32_t (*take)(void), uint8_t *body);

/// Write a COMPARE with an answer: mostly to a question that the session asks.
/// @param body  room for BKSI_BODY_BYTES_MAX
/// @return size of the body
size_t claim_an_answer(const bks_session *to, uint32_t (*take)(void), uint8_t *body);

#endif
