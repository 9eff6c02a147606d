// SPDX-License-Identifier: MIT

/// @file claims.h
/// What a hostile member may say to a session of where states differ. All is well formed, and drawn
/// from bytes that `take` gives.

#ifndef FUZZ_CLAIMS_H
#define FUZZ_CLAIMS_H

#include "session/inside.h"

/// That its state of a tick is another one, which the session then asks for: a HASHES.
/// @param body  room for BKSI_BODY_BYTES_MAX
/// @return its bytes, 0: there is no such tick
size_t claim_a_difference(const bks_session *to, uint32_t (*take)(void), uint8_t *body);

/// A HASHES of nothing that is so.
size_t claim_some_hashes(const bks_session *to, uint32_t (*take)(void), uint8_t *body);

/// The view that the session is in, or something like it.
bksi_view_name claim_a_view(const bks_session *to, uint32_t (*take)(void));

/// Where the match is to end: near, far, in the past.
/// @return the tick, mostly 0: it says nothing of that
bks_tick claim_a_stop(const bks_session *to, uint32_t (*take)(void));

/// A distance from what is so: mostly small.
bks_tick claim_a_distance(uint32_t (*take)(void));

/// A number for a ballot of a peer.
uint32_t claim_a_number(const bks_session *to, uint32_t (*take)(void), uint32_t of);

/// Up to which tick peers are known.
/// @param ticks  by peer: those of `peers` are set
void claim_heads(const bks_session *to, uint32_t (*take)(void), uint32_t peers, bks_tick *ticks);

/// Mostly one peer, or two.
/// @param peers  how many there are
/// @return bits
uint32_t claim_peers(uint32_t (*take)(void), uint32_t peers);

/// Inputs that no peer sampled, or nothing.
void claim_a_run(const bks_session *to, uint32_t (*take)(void), uint32_t about,
                 bksi_bit_writer *writer);

/// A COMPARE that asks. Parameters and result as above.
size_t claim_a_question(const bks_session *to, uint32_t (*take)(void), uint8_t *body);

/// A MEET: of the meeting that the session is in, or of another. Parameters and result as above.
size_t claim_a_meeting(const bks_session *to, uint32_t (*take)(void), uint8_t *body);

/// A COMPARE that answers what the session asks, to name a difference or to repair it, or anything.
size_t claim_an_answer(const bks_session *to, uint32_t (*take)(void), uint8_t *body);

#endif
