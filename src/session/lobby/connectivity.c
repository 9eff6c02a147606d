// SPDX-License-Identifier: MIT

#include "session/lobby/connectivity.h"

#include <string.h>

#include "session/lobby/lobby_clock.h"

/// Time after which a match starts although guests do not reach each other, as behind some NATs.
/// Packets between such guests take a detour.
#define LINK_PATIENCE_NS (2 * NS_PER_SECOND)

/// Silence, beyond two round trips, after which a guest greets a peer anew before the start. New
/// keys need one round trip after the first answer.
#define RENEW_NS NS_PER_SECOND

/// Largest error of a measured hold, in microseconds.
#define HOLD_ERROR_US_MAX 1000

/// Round trip that is assumed if none was measured.
#define TRIP_UNKNOWN_NS (TRIP_US_MAX / 2 * UINT64_C(1000))

void bksi_connectivity_begin(session_connectivity *connectivity, uint64_t now_ns)
{
    connectivity->begun_ns = now_ns;
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

void bksi_connectivity_hear_roster(session_connectivity *connectivity, uint32_t index,
                                   const bksi_link_message *message, uint64_t now_ns)
{
    session_connectivity_peer *peer = &connectivity->peers[index];
    if (!peer->has_roster || message->change >= peer->change) { // otherwise an older LINK came late
        const bool is_same = peer->has_roster && peer->roster == message->roster;
        peer->roster_ns = is_same ? peer->roster_ns : now_ns;
        peer->has_roster = true;
        peer->change = message->change;
        peer->roster = message->roster;
    }
}

uint32_t bksi_connectivity_contradicted(const session_connectivity *connectivity,
                                        const session_common *common)
{
    const uint64_t ours = bksi_membership_roster(&common->membership);
    uint32_t peers = 0;
    EACH_PEER (i, bksi_seats_others(&common->seats) & ~PEER_BIT(0)) {
        const session_connectivity_peer *peer = &connectivity->peers[i];
        peers |= peer->has_roster && peer->roster != ours ? PEER_BIT(i) : 0;
    }
    return peers;
}

void bksi_connectivity_report(session_connectivity *connectivity, session_events *events,
                              const session_common *common, uint32_t change)
{
    const uint64_t ours = bksi_membership_roster(&common->membership);
    connectivity->ours_ns = ours == connectivity->ours ? connectivity->ours_ns : common->now_ns;
    connectivity->ours = ours;
    const uint64_t patience_ns = common->config.tuning.drop_after_ms * NS_PER_MS;
    EACH_PEER (i, bksi_connectivity_contradicted(connectivity, common)) {
        session_connectivity_peer *peer = &connectivity->peers[i];
        const uint64_t since_ns =
            peer->roster_ns > connectivity->ours_ns ? peer->roster_ns : connectivity->ours_ns;
        const bool is_long = common->now_ns - since_ns >= patience_ns;
        // If the rosters have different change numbers, perhaps one peer just lacks the newest
        // roster.
        const bool may_be_late = peer->change != change && !is_long;
        if (!may_be_late && !peer->is_reported) {
            peer->is_reported = true;
            bksi_events_raise_other_roster(events, i, BKS_TICK_NONE);
        }
    }
}

bool bksi_connectivity_is_done(const session_connectivity *connectivity,
                               const session_common *common)
{
    if (common->now_ns - connectivity->begun_ns >= LINK_PATIENCE_NS) {
        return true;
    }
    EACH_PEER (i, common->seats.all & ~PEER_BIT(0)) {
        const session_connectivity_peer *peer = &connectivity->peers[i];
        // The caller learns before the other peer that their link works both ways, so the caller
        // must know it before it is ready.
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

/// Get the silence after which a peer is greeted anew. In the match, a peer without a measured
/// round trip is assumed to be twice as far as the farthest measured peer.
static uint64_t patience_ns(const session_common *common, uint32_t index)
{
    uint64_t trip_ns = bksi_phase_is_in_lobby(&common->phase)
                           ? TRIP_UNKNOWN_NS
                           : 4 * bksi_connectivity_farthest_ns(common);
    if (common->links.peers[index].link.has_round_trip) {
        trip_ns = (uint64_t)bksi_links_round_trip_ns(&common->links, index);
    }
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
        uint64_t longest_ns = patience_ns(common, i);
        if (i == common->seats.self || bksi_liveness_unheard_ns(liveness, common, i) < longest_ns ||
            common->now_ns - peer->renewed_ns < longest_ns) {
            continue;
        }
        peer->renewed_ns = common->now_ns;
        bksi_guard_renew(guard, common->seats.peers[i].channel);
    }
}

bool bksi_connectivity_has_lost(const session_common *common, const session_liveness *liveness,
                                uint32_t index)
{
    uint64_t longest_ns = common->config.tuning.drop_after_ms * NS_PER_MS;
    uint64_t unheard_ns = bksi_liveness_unheard_ns(liveness, common, index);
    // A peer whose handshake is repeated is alive, though no new message comes for a round trip.
    uint64_t guard_ns =
        common->now_ns - bksi_guard_heard_ns(&common->guard, common->seats.peers[index].channel);
    return unheard_ns >= longest_ns &&
           (guard_ns >= longest_ns || unheard_ns >= longest_ns + TRIP_US_MAX * UINT64_C(1000));
}

/// Return true if the stamp that a peer echoes may have been sent in a first message of ours.
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
                             uint32_t change, uint32_t index, bksi_byte_writer *writer)
{
    const session_connectivity_peer *peer = &connectivity->peers[index];
    bksi_link_message message = {
        .stamp_us = bksi_common_now_us(common),
        .has_echo = peer->has_stamp,
        .echo_us = peer->stamp_us,
        .hold_us = peer->has_stamp ? (uint32_t)((common->now_ns - peer->stamp_ns) / 1000) : 0,
        .has_roster = bksi_seats_are_guests(&common->seats, index),
        .change = change,
        .roster = bksi_membership_roster(&common->membership),
    };
    bksi_link_message_write(writer, &message);
}
