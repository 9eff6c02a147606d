// SPDX-License-Identifier: MIT

#include "session/lobby/connectivity.h"

#include <string.h>

#include "base/mutant.h"
#include "base/report.h"
#include "session/lobby/lobby_clock.h"

/// Time after which a match starts although guests do not reach each other, as behind some NATs.
/// Packets between such guests take a detour.
#define LINK_PATIENCE_NS (2 * NS_PER_SECOND)

/// Silence after which a peer is lost while it loads, that is, makes the state of the first tick,
/// because loading may take that long. A peer that crashed while it loaded is dropped after this
/// time, too.
#define LOADING_PATIENCE_NS (120 * NS_PER_SECOND)

/// Silence after which a peer is lost if it may be loading but no LINK of it said so. The LINK may
/// have been lost, or the peer may have vanished just before it sent the LINK.
#define UNTOLD_PATIENCE_NS (12 * NS_PER_SECOND)

/// Silence, beyond two round trips, after which a guest begins a new handshake with a peer before
/// the start. New keys need one round trip after the first answer.
#define RENEW_NS NS_PER_SECOND

/// Largest error of a measured hold, in microseconds.
#define HOLD_ERROR_US_MAX 1000

/// Round trip that is assumed before the start for a peer without a measured round trip.
#define TRIP_UNKNOWN_NS (TRIP_US_MAX / 2 * UINT64_C(1000))

void bksi_connectivity_begin(session_connectivity *connectivity, const session_common *common)
{
    connectivity->begun_ns = common->awake_ns;
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        session_connectivity_peer *peer = &connectivity->peers[i];
        peer->linked_ns = peer->has_linked ? peer->linked_ns : common->awake_ns;
        peer->has_linked = true;
    }
}

void bksi_connectivity_forget(session_connectivity *connectivity, uint32_t peer)
{
    memset(&connectivity->peers[peer], 0, sizeof(connectivity->peers[peer]));
}

bool bksi_connectivity_hear(session_connectivity *connectivity, uint32_t index,
                            const bksi_link_message *message, bool has_waited, uint64_t now_ns)
{
    session_connectivity_peer *peer = &connectivity->peers[index];
    bool is_answered = peer->heard && peer->heard_us;
    peer->heard = true;
    peer->heard_us |= message->has_echo;
    if (!has_waited) {
        peer->has_stamp = true;
        peer->stamp_us = message->stamp_us;
        peer->stamp_ns = now_ns;
    }
    return !is_answered;
}

static void hear_roster(session_connectivity_peer *peer, const session_common *common,
                        const bksi_link_message *message)
{
    if (peer->has_roster && message->change < peer->change) {
        return; // an older LINK arrived late
    }
    const bool is_same = peer->has_roster && peer->roster == message->roster;
    peer->roster_ns = is_same ? peer->roster_ns : common->awake_ns;
    peer->named_ns = common->awake_ns;
    peer->has_roster = true;
    peer->change = message->change;
    peer->roster = message->roster;
}

void bksi_connectivity_hear_standing(session_connectivity *connectivity, uint32_t index,
                                     const session_common *common, const bksi_link_message *message)
{
    session_connectivity_peer *peer = &connectivity->peers[index];
    peer->is_known = true;
    peer->has_state |= !message->is_loading; // never cleared, because an older LINK may come late
    if (message->has_roster) {
        hear_roster(peer, common, message);
    }
}

void bksi_connectivity_take_roster(session_connectivity *connectivity, const session_common *common,
                                   uint32_t change)
{
    const uint64_t ours = bksi_membership_roster(&common->membership);
    const bool is_same = connectivity->ours == ours;
    connectivity->ours_ns = is_same ? connectivity->ours_ns : common->awake_ns;
    connectivity->ours = ours;
    connectivity->change = change;
    connectivity->roster_ns = common->awake_ns;
}

uint32_t bksi_connectivity_contradicted(const session_connectivity *connectivity,
                                        const session_common *common)
{
    uint32_t peers = 0;
    EACH_PEER (i, bksi_seats_others(&common->seats) & ~PEER_BIT(0)) {
        const session_connectivity_peer *peer = &connectivity->peers[i];
        const bool is_newest = peer->change >= connectivity->change ||
                               common->awake_ns - peer->named_ns < LINK_PATIENCE_NS;
        const bool differs = peer->has_roster && peer->roster != connectivity->ours;
        peers |= differs && is_newest ? PEER_BIT(i) : 0;
    }
    return peers;
}

/// Return true if another guest's roster differs from ours and only a lie explains it. Compare the
/// numbers of the newest change in both rosters. If they are equal, the host sent two different
/// rosters. If the guest's number is higher, an honest host no longer sends ours after
/// drop_after_ms and the longest round trip. As the longest round trip is included, drop_after_ms
/// need not be raised to what the line needs. If the guest's number is lower, that guest finds the
/// lie instead.
static bool is_proof(const session_connectivity *connectivity, const session_common *common,
                     const session_connectivity_peer *peer)
{
    const uint64_t since_ns =
        peer->roster_ns > connectivity->ours_ns ? peer->roster_ns : connectivity->ours_ns;
    const uint64_t longest_ns =
        common->config.tuning.drop_after_ms * NS_PER_MS + TRIP_US_MAX * UINT64_C(1000);
    return peer->change == connectivity->change ||
           (peer->change > connectivity->change &&
            connectivity->roster_ns >= since_ns + longest_ns);
}

void bksi_connectivity_report(session_connectivity *connectivity, session_events *events,
                              const session_common *common)
{
    EACH_PEER (i, bksi_connectivity_contradicted(connectivity, common)) {
        session_connectivity_peer *peer = &connectivity->peers[i];
        if (!peer->is_reported && is_proof(connectivity, common, peer)) {
            peer->is_reported = true;
            bksi_events_raise_other_roster(events, i, BKS_TICK_NONE);
        }
    }
}

bool bksi_connectivity_is_loading(const session_connectivity *connectivity,
                                  const session_common *common, const session_liveness *liveness,
                                  uint32_t index)
{
    const session_connectivity_peer *peer = &connectivity->peers[index];
    // A peer that has begun to load goes on when another guest leaves and a seat is free again.
    const bool was_here = peer->has_linked && liveness->peers[index].heard_ns +
                                                      bksi_liveness_line_needs_ns(common, index) >=
                                                  peer->linked_ns;
    return !peer->has_state && (peer->is_known || was_here) && !bksi_mutated(BKSI_MUTANT_LOADING);
}

void bksi_connectivity_report_loading(session_connectivity *connectivity, session_events *events,
                                      const session_common *common,
                                      const session_liveness *liveness)
{
    const uint64_t patience_ns = common->config.tuning.notify_after_ms * NS_PER_MS;
    const bool is_late = common->awake_ns - connectivity->begun_ns >= patience_ns;
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        session_connectivity_peer *peer = &connectivity->peers[i];
        if (!peer->is_told && bksi_connectivity_is_loading(connectivity, common, liveness, i) &&
            ((is_late && peer->is_known) ||
             bksi_liveness_silence_ns(liveness, common, i) >= patience_ns)) {
            peer->is_told = true;
            const bks_event *event = bksi_events_raise(events, BKS_EVENT_LOADING, i, BKS_TICK_NONE);
            bksi_log(BKS_LOG_INFO, "session.loading", "%s", event->text);
        }
    }
}

bool bksi_connectivity_has_heard(const session_connectivity *connectivity, uint32_t peers)
{
    bool has_heard = true;
    EACH_PEER (i, peers) {
        has_heard &= connectivity->peers[i].heard;
    }
    return has_heard;
}

bool bksi_connectivity_is_done(const session_connectivity *connectivity,
                               const session_common *common)
{
    if (common->awake_ns - connectivity->begun_ns >= LINK_PATIENCE_NS) {
        return true;
    }
    EACH_PEER (i, common->seats.all & ~PEER_BIT(0)) {
        const session_connectivity_peer *peer = &connectivity->peers[i];
        // If a guest calls us, it is enough that a LINK of it came. A guest that we call must also
        // have echoed a LINK of ours, which proves that the link works both ways. Only the caller
        // waits for this proof, because it gets the proof first.
        bool is_called = common->seats.self > i;
        if (i != common->seats.self && !(peer->heard && (peer->heard_us || is_called))) {
            return false;
        }
    }
    return true;
}

uint64_t bksi_connectivity_farthest_ns(const session_common *common)
{
    const uint32_t others = bksi_seats_others(&common->seats);
    return (uint64_t)(bksi_links_longest_trip_ns(&common->links, others) / 2.0);
}

/// Get the silence after which we begin a new handshake with a peer: RENEW_NS and two round trips
/// to it.
static uint64_t renew_after_ns(const session_common *common, uint32_t index)
{
    const bool is_unknown =
        !common->links.peers[index].link.has_round_trip && bksi_phase_is_in_lobby(&common->phase);
    const uint64_t trip_ns =
        is_unknown ? TRIP_UNKNOWN_NS : bksi_links_assumed_trip_ns(&common->links, index);
    return 2 * trip_ns + RENEW_NS;
}

void bksi_connectivity_renew(session_connectivity *connectivity, bksi_guard *guard,
                             const session_common *common, const session_liveness *liveness,
                             uint32_t peers)
{
    const bool is_in_lobby = bksi_phase_is_in_lobby(&common->phase);
    EACH_PEER (i, bksi_common_members(common) & peers) {
        if (!is_in_lobby && bksi_common_head(common, i) > common->seats.first_tick) {
            continue; // the peer was heard since the start
        }
        session_connectivity_peer *peer = &connectivity->peers[i];
        uint64_t longest_ns = renew_after_ns(common, i);
        if (i == common->seats.self || bksi_liveness_silence_ns(liveness, common, i) < longest_ns ||
            common->now_ns - peer->renewed_ns < longest_ns) {
            continue;
        }
        peer->renewed_ns = common->now_ns;
        bksi_guard_renew(guard, common->seats.peers[i].channel);
    }
}

uint64_t bksi_connectivity_patience_ns(const session_connectivity *connectivity,
                                       const session_common *common,
                                       const session_liveness *liveness, uint32_t index)
{
    const uint64_t longest_ns = bksi_liveness_patience_ns(liveness, common, index);
    const uint64_t loading_ns =
        connectivity->peers[index].is_known ? LOADING_PATIENCE_NS : UNTOLD_PATIENCE_NS;
    const bool is_loading = bksi_connectivity_is_loading(connectivity, common, liveness, index);
    return is_loading && longest_ns < loading_ns ? loading_ns : longest_ns;
}

bool bksi_connectivity_has_lost(const session_connectivity *connectivity,
                                const session_common *common, const session_liveness *liveness,
                                uint32_t index)
{
    const uint64_t longest_ns =
        bksi_connectivity_patience_ns(connectivity, common, liveness, index);
    const uint64_t unheard_ns = bksi_liveness_silence_ns(liveness, common, index);
    // `guard_ns` counts from repeated handshake packets, too: for a round trip, a peer that is
    // alive may send nothing else.
    uint64_t guard_ns =
        common->now_ns - bksi_guard_heard_ns(&common->guard, common->seats.peers[index].channel);
    return unheard_ns >= longest_ns &&
           (guard_ns >= longest_ns || unheard_ns >= longest_ns + TRIP_US_MAX * UINT64_C(1000));
}

/// Return true if the LINK whose stamp a peer echoes may have been sent within the first message of
/// a handshake. Then the echo does not tell which copy of this message arrived.
static bool is_of_a_call(const session_common *common, uint32_t index,
                         const bksi_link_message *message)
{
    const uint64_t answered_ns =
        bksi_guard_answered_ns(&common->guard, common->seats.peers[index].channel);
    const uint32_t ago_us = bksi_common_now_us(common) - message->echo_us;
    return ago_us > common->now_ns / 1000 - answered_ns / 1000;
}

int32_t bksi_connectivity_trip_us(const session_common *common, uint32_t index,
                                  const bksi_link_message *message)
{
    if (!message->has_echo || is_of_a_call(common, index, message)) {
        return -1;
    }
    int32_t trip_us = (int32_t)(bksi_common_now_us(common) - message->echo_us - message->hold_us);
    // Round a small negative result up to 0: the peer measures the hold by its own clock, which may
    // be fast.
    trip_us = trip_us < 0 && trip_us > -HOLD_ERROR_US_MAX ? 0 : trip_us;
    return trip_us < TRIP_US_MAX ? trip_us : -1;
}

void bksi_connectivity_write(const session_connectivity *connectivity, const session_common *common,
                             uint32_t change, bool is_loading, uint32_t index,
                             bksi_byte_writer *writer)
{
    const session_connectivity_peer *peer = &connectivity->peers[index];
    bksi_link_message message = {
        .stamp_us = bksi_common_now_us(common),
        .has_echo = peer->has_stamp,
        .is_loading = is_loading,
        .echo_us = peer->stamp_us,
        .hold_us = peer->has_stamp ? (uint32_t)((common->now_ns - peer->stamp_ns) / 1000) : 0,
        .has_roster = bksi_seats_are_guests(&common->seats, index),
        .change = change,
        .roster = bksi_membership_roster(&common->membership),
    };
    bksi_link_message_write(writer, &message);
}
