// SPDX-License-Identifier: MIT

/// @file connectivity.h
/// Which other peers we reach before the match: each is sent LINK until it says that it hears us.
/// connectivity.c alone writes this; others ask.

#ifndef BKSI_CONNECTIVITY_H
#define BKSI_CONNECTIVITY_H

#include "session/common/common.h"
#include "session/inputs/liveness.h"
#include "wire/small_messages.h"

typedef struct session_connectivity_peer {
    uint64_t renewed_ns; ///< when it was last greeted anew
    bool heard;          ///< a LINK of it came
    bool heard_us;       ///< and it had heard one of ours
    bool has_stamp;      ///< and one did not wait for us
    uint32_t stamp_us;   ///< the newest stamp of such LINKs
    uint64_t stamp_ns;   ///< when it came
    bool has_roster;     ///< guest, of a guest: it has said which roster it has
    uint32_t change;     ///< number of it
    uint64_t roster;     ///< hash of it
    uint64_t roster_ns;  ///< since when it has that
    bool is_reported;    ///< to the player: it is not ours
} session_connectivity_peer;

typedef struct session_connectivity {
    uint64_t begun_ns; ///< since when all are known
    uint64_t ours;     ///< guest: hash of our roster at the last bksi_connectivity_report()
    uint64_t ours_ns;  ///< since when it is that
    session_connectivity_peer peers[BKS_PEERS_MAX];
} session_connectivity;

void bksi_connectivity_begin(session_connectivity *connectivity, uint64_t now_ns);
/// A number passes to another peer.
void bksi_connectivity_forget(session_connectivity *connectivity, uint32_t peer);
/// A LINK came.
/// @param has_waited  for us, for an unknown time: its stamp is not echoed
/// @return whether to answer it
bool bksi_connectivity_hear(session_connectivity *connectivity, uint32_t peer,
                            const bksi_link_message *message, bool has_waited, uint64_t now_ns);
/// Guest: a LINK of a guest is proved to be its own: it has that roster.
void bksi_connectivity_hear_roster(session_connectivity *connectivity, uint32_t peer,
                                   const bksi_link_message *message, uint64_t now_ns);
/// Guest: bits of the guests that have another roster than ours, as far as is known. One of them
/// may not have the newest yet.
uint32_t bksi_connectivity_contradicted(const session_connectivity *connectivity,
                                        const session_common *common);
/// Guest: report each whose roster is another to the player, once: if it has our number, for the
/// host has to have sent that to both of us; or if it stays so for drop_after_ms.
/// @param change  number of our roster's newest change
void bksi_connectivity_report(session_connectivity *connectivity, session_events *events,
                              const session_common *common, uint32_t change);
/// Whether we reach all others, or have tried for long.
bool bksi_connectivity_is_done(const session_connectivity *connectivity,
                               const session_common *common);
/// Greet anew the peers that have been silent for long: one that lost our keys, as one does that
/// was dropped and comes again, hears nothing we say. In the match, those of which no input came
/// yet.
/// @param peers  bits: no others
void bksi_connectivity_renew(session_connectivity *connectivity, bksi_guard *guard,
                             const session_common *common, const session_liveness *liveness,
                             uint32_t peers);
/// Whether a peer has been silent for drop_after_ms before the start.
bool bksi_connectivity_has_lost(const session_common *common, const session_liveness *liveness,
                                uint32_t peer);
/// How long a packet takes to the farthest peer.
uint64_t bksi_connectivity_farthest_ns(const session_common *common);
/// The round trip that a LINK of a peer measured, in microseconds; negative: none.
int32_t bksi_connectivity_trip_us(const session_common *common, uint32_t index,
                                  const bksi_link_message *message);
/// @param change  number of the roster's newest change
void bksi_connectivity_write(const session_connectivity *connectivity, const session_common *common,
                             uint32_t change, uint32_t peer, bksi_byte_writer *writer);

#endif
