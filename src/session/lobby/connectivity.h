// SPDX-License-Identifier: MIT

/// @file connectivity.h
/// Connectivity before the match: the peers that we reach. Each peer is sent LINK until it reports
/// that it hears us. Only connectivity.c changes session_connectivity; other files use its
/// functions.

#ifndef BKSI_CONNECTIVITY_H
#define BKSI_CONNECTIVITY_H

#include "session/common/common.h"
#include "session/inputs/liveness.h"
#include "wire/small_messages.h"

typedef struct session_connectivity_peer {
    uint64_t renewed_ns; ///< time at which the peer was last greeted anew
    bool heard;          ///< a LINK of the peer came
    bool heard_us;       ///< the peer had heard a LINK of ours
    bool has_stamp;      ///< a LINK came that did not wait while our process was frozen, so its
                         ///< stamp can be echoed
    uint32_t stamp_us;   ///< stamp of the newest LINK that did not wait while our process was
                         ///< frozen
    uint64_t stamp_ns;   ///< time at which the LINK with that stamp came
    bool has_roster;     ///< true if the other peer is a guest, and its roster is known to us as a
                         ///< guest
    uint32_t change;     ///< number of the newest change in the peer's roster
    uint64_t roster;     ///< hash of the peer's roster
    uint64_t roster_ns;  ///< time since when the peer has this roster
    bool is_reported;    ///< the player was told that the peer's roster is not ours
} session_connectivity_peer;

typedef struct session_connectivity {
    uint64_t begun_ns; ///< time since when all peers are known
    uint64_t ours;     ///< hash of our roster at the last bksi_connectivity_report(), if we are a
                       ///< guest
    uint64_t ours_ns;  ///< time since when our roster has that hash
    session_connectivity_peer peers[BKS_PEERS_MAX];
} session_connectivity;

void bksi_connectivity_begin(session_connectivity *connectivity, uint64_t now_ns);
/// Reset the entry of a peer number that another peer gets.
void bksi_connectivity_forget(session_connectivity *connectivity, uint32_t peer);
/// Process a LINK of a peer.
/// @param has_waited  true if the LINK waited an unknown time while our process was frozen, so its
/// stamp is not echoed
/// @return true if the LINK must be answered
bool bksi_connectivity_hear(session_connectivity *connectivity, uint32_t peer,
                            const bksi_link_message *message, bool has_waited, uint64_t now_ns);
/// Guest: store the roster that another guest names in a LINK that is proven to be its own.
void bksi_connectivity_hear_roster(session_connectivity *connectivity, uint32_t peer,
                                   const bksi_link_message *message, uint64_t now_ns);
/// Guest: find the guests that are known to have another roster than ours, as bits. One of the two
/// rosters may just be out of date.
uint32_t bksi_connectivity_contradicted(const session_connectivity *connectivity,
                                        const session_common *common);
/// Guest: report each guest with another roster to the player, once. Report it at once if both
/// rosters have the same number, because the host must have sent different ones. Otherwise report
/// it if the rosters differ for drop_after_ms.
/// @param change  number of our roster's newest change
void bksi_connectivity_report(session_connectivity *connectivity, session_events *events,
                              const session_common *common, uint32_t change);
/// Return true if we reach all other peers, or have tried for LINK_PATIENCE_NS.
bool bksi_connectivity_is_done(const session_connectivity *connectivity,
                               const session_common *common);
/// Greet anew the peers that have been silent for long. A peer that lost our keys, for example
/// because it was dropped and comes again, hears nothing that we send. In the match only peers
/// without any input yet are greeted.
/// @param peers  bits: peers that may be greeted
void bksi_connectivity_renew(session_connectivity *connectivity, bksi_guard *guard,
                             const session_common *common, const session_liveness *liveness,
                             uint32_t peers);
/// Return true if a peer has been silent for drop_after_ms before the start.
bool bksi_connectivity_has_lost(const session_common *common, const session_liveness *liveness,
                                uint32_t peer);
/// Get the time that a packet takes to the farthest peer.
uint64_t bksi_connectivity_farthest_ns(const session_common *common);
/// Get the round trip that a LINK of a peer measured, in microseconds; negative: it measured none.
int32_t bksi_connectivity_trip_us(const session_common *common, uint32_t index,
                                  const bksi_link_message *message);
/// Write a LINK to a peer.
/// @param change  number of the roster's newest change
void bksi_connectivity_write(const session_connectivity *connectivity, const session_common *common,
                             uint32_t change, uint32_t peer, bksi_byte_writer *writer);

#endif
