// SPDX-License-Identifier: MIT

/// @file connectivity.h
/// Peers that we reach before the match. Each is sent LINK until it reports that it hears us.
/// connectivity.c alone writes this; others ask.

#ifndef BKSI_CONNECTIVITY_H
#define BKSI_CONNECTIVITY_H

#include "session/common/common.h"
#include "session/inputs/liveness.h"
#include "wire/small_messages.h"

typedef struct session_connectivity_peer {
    uint64_t renewed_ns; ///< time at which the peer was last greeted anew
    bool heard;          ///< a LINK of the peer came
    bool heard_us;       ///< the peer had heard a LINK of ours
    bool has_stamp;      ///< a LINK came that had not waited for us, so its stamp counts
    uint32_t stamp_us;   ///< newest stamp of such LINKs
    uint64_t stamp_ns;   ///< time at which that LINK came
    bool has_roster;     ///< guest, about a guest: its roster is known
    uint32_t change;     ///< number of the change of its roster
    uint64_t roster;     ///< hash of its roster
    uint64_t roster_ns;  ///< time since when it has that roster
    bool is_reported;    ///< the player was told that its roster is not ours
} session_connectivity_peer;

typedef struct session_connectivity {
    uint64_t begun_ns; ///< time since when all peers are known
    uint64_t ours;     ///< guest: hash of our roster at the last bksi_connectivity_report()
    uint64_t ours_ns;  ///< time since when our roster has that hash
    session_connectivity_peer peers[BKS_PEERS_MAX];
} session_connectivity;

void bksi_connectivity_begin(session_connectivity *connectivity, uint64_t now_ns);
/// Reset a number that passes to another peer.
void bksi_connectivity_forget(session_connectivity *connectivity, uint32_t peer);
/// Take a LINK.
/// @param has_waited  true if it waited for us for an unknown time: its stamp is not echoed
/// @return true if it must be answered
bool bksi_connectivity_hear(session_connectivity *connectivity, uint32_t peer,
                            const bksi_link_message *message, bool has_waited, uint64_t now_ns);
/// Guest: take the roster that a guest names in a LINK proved to be its own.
void bksi_connectivity_hear_roster(session_connectivity *connectivity, uint32_t peer,
                                   const bksi_link_message *message, uint64_t now_ns);
/// Guest: find the guests that are known to have another roster than ours, as bits. One of them may
/// not have the newest yet.
uint32_t bksi_connectivity_contradicted(const session_connectivity *connectivity,
                                        const session_common *common);
/// Guest: report each guest with another roster to the player, once: if its roster has the number
/// of ours, because the host must have sent it to both of us; or if it stays so for drop_after_ms.
/// @param change  number of our roster's newest change
void bksi_connectivity_report(session_connectivity *connectivity, session_events *events,
                              const session_common *common, uint32_t change);
/// Return true if we reach all others, or have tried for long.
bool bksi_connectivity_is_done(const session_connectivity *connectivity,
                               const session_common *common);
/// Greet peers anew that have been silent for long. A peer that lost our keys, such as one that was
/// dropped and comes again, hears nothing that we send. In the match only peers without any input
/// yet are greeted.
/// @param peers  bits: peers that may be greeted
void bksi_connectivity_renew(session_connectivity *connectivity, bksi_guard *guard,
                             const session_common *common, const session_liveness *liveness,
                             uint32_t peers);
/// Return true if a peer has been silent for drop_after_ms before the start.
bool bksi_connectivity_has_lost(const session_common *common, const session_liveness *liveness,
                                uint32_t peer);
/// Get the time that a packet takes to the farthest peer.
uint64_t bksi_connectivity_farthest_ns(const session_common *common);
/// Get the round trip that a LINK of a peer measured, in microseconds; negative: none.
int32_t bksi_connectivity_trip_us(const session_common *common, uint32_t index,
                                  const bksi_link_message *message);
/// @param change  number of the roster's newest change
void bksi_connectivity_write(const session_connectivity *connectivity, const session_common *common,
                             uint32_t change, uint32_t peer, bksi_byte_writer *writer);

#endif
