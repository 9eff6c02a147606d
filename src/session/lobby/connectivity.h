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
    uint64_t renewed_ns; ///< time at which the last new handshake with the peer began
    bool heard;          ///< a LINK of the peer came
    bool heard_us;       ///< a LINK of the peer echoed a LINK of ours
    bool has_stamp;      ///< a LINK came that did not wait while our process was frozen
    /// Stamp of the newest LINK that did not wait while our process was frozen.
    uint32_t stamp_us;
    uint64_t stamp_ns;  ///< time at which the LINK with the stamp `stamp_us` came
    bool has_linked;    ///< the peer had a seat when all seats were taken, so it may load
    uint64_t linked_ns; ///< awake time at which all seats were taken first, with the peer in one
    bool is_known;      ///< a LINK that is proven to be the peer's own came
    bool has_state;     ///< the peer has made the state of the first tick
    bool is_told;       ///< the player was told that the peer loads
    bool has_roster;    ///< a LINK of the peer named its roster; only between two guests
    uint32_t change;    ///< number of the newest change in the peer's roster
    uint64_t roster;    ///< hash of the peer's roster
    /// Awake time at which the peer first named the roster with the hash `roster`.
    uint64_t roster_ns;
    uint64_t named_ns; ///< awake time of the newest LINK of the peer that named its roster
    bool is_reported;  ///< the player was told that the peer's roster differs from ours
} session_connectivity_peer;

typedef struct session_connectivity {
    uint64_t begun_ns; ///< awake time at which the last seat was taken
    uint32_t change;   ///< guest: number of the newest change in our roster
    uint64_t ours;     ///< guest: hash of our roster
    uint64_t ours_ns; ///< guest: awake time at which our roster became the one with the hash `ours`
    uint64_t roster_ns; ///< guest: awake time at which the host last sent our roster
    session_connectivity_peer peers[BKS_PEERS_MAX];
} session_connectivity;

void bksi_connectivity_begin(session_connectivity *connectivity, const session_common *common);
/// Reset the entry of a peer's number that passes to another peer.
void bksi_connectivity_forget(session_connectivity *connectivity, uint32_t peer);
/// Return true if a LINK was sent before another LINK of the peer that has arrived already. It has
/// waited somewhere, perhaps at a third peer that was frozen, so it measures no line.
static inline bool bksi_connectivity_is_overtaken(const session_connectivity *connectivity,
                                                  uint32_t peer, const bksi_link_message *message)
{
    const session_connectivity_peer *sender = &connectivity->peers[peer];
    return sender->has_stamp && (int32_t)(message->stamp_us - sender->stamp_us) < 0;
}
/// Process a LINK of a peer.
/// @param has_waited  true if the LINK waited an unknown time, so its stamp is not echoed
/// @return true if the LINK must be answered
bool bksi_connectivity_hear(session_connectivity *connectivity, uint32_t peer,
                            const bksi_link_message *message, bool has_waited, uint64_t now_ns);
/// Store what a peer says of itself in a LINK that is proven to be its own: whether it has made the
/// state, and, between guests, its roster.
void bksi_connectivity_hear_standing(session_connectivity *connectivity, uint32_t peer,
                                     const session_common *common,
                                     const bksi_link_message *message);
/// Guest: note that the host sent the roster that we have now.
/// @param change  number of the roster's newest change
void bksi_connectivity_take_roster(session_connectivity *connectivity, const session_common *common,
                                   uint32_t change);
/// Guest: find the other guests whose roster differs from ours, as bits. One of the two rosters may
/// only be out of date. An older roster that a guest has not named for LINK_PATIENCE_NS does not
/// count, because that guest may have our roster by now.
uint32_t bksi_connectivity_contradicted(const session_connectivity *connectivity,
                                        const session_common *common);
/// Guest: report each guest with another roster to the player, once, if no lost or late packet can
/// explain the difference. If the newest changes in both rosters have the same number, the host
/// sent two different rosters. If the guest's number is higher, the host should have sent us that
/// roster, too, but still sends ours after a long time.
void bksi_connectivity_report(session_connectivity *connectivity, session_events *events,
                              const session_common *common);
/// Return true if a peer may be silent because it makes the state of the first tick. It said in a
/// LINK that it is about to do so, or it was heard when the last seat was taken and its LINK may be
/// lost.
bool bksi_connectivity_is_loading(const session_connectivity *connectivity,
                                  const session_common *common, const session_liveness *liveness,
                                  uint32_t peer);
/// Report each peer that loads and has been silent for notify_after_ms to the player, once.
void bksi_connectivity_report_loading(session_connectivity *connectivity, session_events *events,
                                      const session_common *common,
                                      const session_liveness *liveness);
/// Return true if a LINK of each of `peers` has come.
bool bksi_connectivity_has_heard(const session_connectivity *connectivity, uint32_t peers);
/// Return true if we reach all other peers, or have tried for LINK_PATIENCE_NS.
bool bksi_connectivity_is_done(const session_connectivity *connectivity,
                               const session_common *common);
/// Begin new handshakes with the peers that have been silent for long. A peer that lost our keys,
/// for example because it was dropped and joins again, cannot read what we send. During the match
/// this is only done for peers of which we have no input yet.
/// @param peers  bits: peers with which a new handshake may begin
void bksi_connectivity_renew(session_connectivity *connectivity, bksi_guard *guard,
                             const session_common *common, const session_liveness *liveness,
                             uint32_t peers);
/// Get the silence after which a peer is lost before the start: bksi_liveness_patience_ns(). While
/// the peer loads it is at least the time that loading may take.
uint64_t bksi_connectivity_patience_ns(const session_connectivity *connectivity,
                                       const session_common *common,
                                       const session_liveness *liveness, uint32_t peer);
/// Return true if a peer is lost before the start.
bool bksi_connectivity_has_lost(const session_connectivity *connectivity,
                                const session_common *common, const session_liveness *liveness,
                                uint32_t peer);
/// Get the time that a packet takes to the farthest peer.
uint64_t bksi_connectivity_farthest_ns(const session_common *common);
/// Get the round trip that a LINK of a peer measured, in microseconds; negative: it measured none.
int32_t bksi_connectivity_trip_us(const session_common *common, uint32_t index,
                                  const bksi_link_message *message);
/// Write a LINK to a peer.
/// @param change      number of the roster's newest change
/// @param is_loading  true if we have not made the state of the first tick yet
void bksi_connectivity_write(const session_connectivity *connectivity, const session_common *common,
                             uint32_t change, bool is_loading, uint32_t peer,
                             bksi_byte_writer *writer);

#endif
