// SPDX-License-Identifier: MIT

// Choice of routes, and HEARS. All packets take the direct route until one link is measured,
// because until then a missing echo proves nothing. While all members hear each other directly, no
// HEARS is sent. After a change every peer sends HEARS three times, and then once a second until
// all members hear each other.

#include "session/inputs/routes.h"

#include "base/mutant.h"
#include "net/repeat.h"

/// Longest time between two updates that counts as awake: no packet can come while our process is
/// frozen. Before the match LOBBY_GAP_MAX_NS counts instead, because updates are then as rare as
/// repeated messages.
#define ROUTES_GAP_MAX_NS (50 * NS_PER_MS)
#define LOBBY_GAP_MAX_NS  (BKSI_REPEAT_GAP_MAX_NS + ROUTES_GAP_MAX_NS)

/// Shortest round trip that is assumed for a peer without a measured round trip.
#define TRIP_UNKNOWN_NS (100 * NS_PER_MS)

/// Shortest round trip assumed before the match, when echoes come seldom.
#define TRIP_IN_LOBBY_NS (300 * NS_PER_MS)

/// Time between two checks of the routes during the match. It is short, because a route counts as
/// failed after as little as 100 ms without an expected echo.
#define LOOK_GAP_NS (10 * NS_PER_MS)

/// If a direct packet of a peer that is out of the view comes after this much silence, the next
/// message to that peer takes the direct route.
#define UNHEARD_NS NS_PER_SECOND

/// Number of HEARS after a change, time between them, and time between repeats while some peer is
/// not heard by all.
#define HEARS_PER_CHANGE 3u
#define HEARS_GAP_NS     (50 * NS_PER_MS)
#define HEARS_AGAIN_NS   NS_PER_SECOND

/// Get the awake time, by which paths are timed.
static uint64_t awake_ns(const session_routes *routes, const session_common *common)
{
    const uint64_t gap_ns = common->now_ns - routes->updated_ns;
    const uint64_t most_ns =
        bksi_phase_is_in_lobby(&common->phase) ? LOBBY_GAP_MAX_NS : ROUTES_GAP_MAX_NS;
    return routes->awake_ns + (gap_ns < most_ns ? gap_ns : most_ns);
}

// ---- members ----

static bool is_any_measured(const session_common *common)
{
    EACH_PEER (i, bksi_common_others(common)) {
        if (common->links.peers[i].link.has_round_trip) {
            return true;
        }
    }
    return false;
}

/// Set the number of HEARS that must still be sent to a peer.
static void owe(session_routes *routes, uint32_t peer, uint32_t count)
{
    routes->peers[peer].hears_owed = count;
    routes->owes_hears &= ~PEER_BIT(peer);
    routes->owes_hears |= count > 0 ? PEER_BIT(peer) : 0;
}

static void set_members(session_routes *routes, uint32_t members)
{
    EACH_PEER (i, routes->paths.members & ~members) {
        owe(routes, i, 0);
    }
    if (members != routes->paths.members) {
        bksi_paths_set_members(&routes->paths, members, routes->awake_ns);
    }
}

/// Find the peers with a new channel, as bits: another peer got the number, or the number had no
/// channel before.
static uint32_t find_new(session_routes *routes, const session_common *common)
{
    uint32_t found = 0;
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        const bksi_channel channel = common->seats.peers[i].channel;
        found |= channel != routes->peers[i].channel ? PEER_BIT(i) : 0;
        routes->peers[i].channel = channel;
    }
    return found;
}

/// Handle changes of the members. Peers join and leave the lobby, and a new view has fewer members.
/// @return the peers with a new channel, as bits
static uint32_t follow_members(session_routes *routes, const session_common *common)
{
    const uint32_t self = common->seats.self;
    const bool is_on = common->phase.outcome == OUTCOME_OPEN &&
                       bksi_phase_has_roster(&common->phase) && is_any_measured(common);
    if (!routes->is_known || routes->paths.self != self) {
        bksi_paths_init(&routes->paths, self, PEER_BIT(self), routes->awake_ns);
        routes->is_known = true;
    }
    const uint32_t found = find_new(routes, common);
    set_members(routes, routes->paths.members & ~found);
    set_members(routes, is_on ? bksi_common_members(common) : PEER_BIT(self));
    return found;
}

// ---- HEARS ----

/// Return true if a member does not hear every member directly.
/// @param hears  bits: members that this member hears
static bool is_uneven(const session_routes *routes, uint32_t hears)
{
    return (routes->paths.members & ~hears) != 0;
}

/// Hash the masks of the members that do not hear all others. With two peers nobody can carry
/// packets, so nothing is hashed.
static uint64_t digest(const session_routes *routes, bool *is_any_uneven)
{
    uint64_t sum = 0;
    *is_any_uneven = false;
    if (bksi_peers_count(routes->paths.members) <= 2) {
        return sum;
    }
    EACH_PEER (about, routes->paths.members) {
        uint16_t number = 0;
        uint32_t hears = 0;
        if (bksi_paths_known(&routes->paths, about, &number, &hears) && is_uneven(routes, hears)) {
            *is_any_uneven = true;
            sum = (sum + number) * 31 + about + 1;
        }
    }
    return sum;
}

static void owe_hears(session_routes *routes, const session_common *common)
{
    bool is_any_uneven;
    const uint64_t now = digest(routes, &is_any_uneven);
    const bool is_change = now != routes->sent_digest;
    routes->sent_digest = now;
    EACH_PEER (i, routes->paths.members & ~PEER_BIT(routes->paths.self)) {
        session_routes_peer *peer = &routes->peers[i];
        const bool is_new_route = peer->path != bksi_paths_id(&routes->paths, i) &&
                                  !bksi_phase_is_in_lobby(&common->phase);
        peer->path = bksi_paths_id(&routes->paths, i);
        if (is_change || (is_any_uneven && is_new_route)) {
            owe(routes, i, HEARS_PER_CHANGE);
        } else if (is_any_uneven && peer->hears_owed == 0 &&
                   common->now_ns - peer->hears_ns >= HEARS_AGAIN_NS) {
            owe(routes, i, 1);
        }
    }
}

bool bksi_routes_owe_hears(const session_routes *routes, const session_common *common,
                           uint32_t index)
{
    const session_routes_peer *peer = &routes->peers[index];
    return peer->hears_owed > 0 && common->now_ns - peer->hears_ns >= HEARS_GAP_NS;
}

bool bksi_routes_write_hears(session_routes *routes, const session_common *common, uint32_t index,
                             bksi_bit_writer *writer)
{
    session_routes_peer *peer = &routes->peers[index];
    owe(routes, index, peer->hears_owed > 0 ? peer->hears_owed - 1 : 0);
    peer->hears_ns = common->now_ns;
    bksi_hears message = {0};
    EACH_PEER (about, routes->paths.members) {
        bksi_hears_entry *entry = &message.of[about];
        entry->is_there = bksi_paths_known(&routes->paths, about, &entry->number, &entry->hears) &&
                          (about == routes->paths.self || is_uneven(routes, entry->hears));
    }
    bksi_hears_write(writer, &message);
    peer->hears_is_straight = !peer->hears_is_straight;
    return peer->hears_is_straight;
}

bool bksi_routes_receive_hears(session_routes *routes, const session_common *common, uint32_t index,
                               bksi_bit_reader *reader)
{
    bksi_hears message;
    if (!bksi_hears_read(reader, &message)) {
        return false;
    }
    const uint64_t now_ns = awake_ns(routes, common);
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        const bksi_hears_entry *entry = &message.of[i];
        if (!entry->is_there) {
            continue;
        }
        if (i == routes->paths.self) {
            // Send HEARS again if the peer holds an old report of ours.
            bool is_old = entry->number != routes->paths.reports[i].number;
            bool is_owed = routes->peers[index].hears_owed > 0;
            if (is_old && !is_owed && (routes->paths.members & PEER_BIT(index)) != 0) {
                owe(routes, index, 1);
            }
        } else {
            bksi_paths_report(&routes->paths, index, i, entry->number, entry->hears, now_ns);
        }
    }
    return true;
}

// ---- packets that arrive ----

void bksi_routes_heard(session_routes *routes, const session_common *common, uint32_t peer,
                       uint32_t route)
{
    const uint64_t now_ns = awake_ns(routes, common);
    const bool is_straight = route == 0 || route == BKSI_ROUTE_OF_OTHERS;
    bksi_paths_heard(&routes->paths, peer, is_straight, now_ns);
    bksi_routed routed;
    if (!is_straight && bksi_routed_read(route, common->seats.all, &routed)) {
        bksi_paths_came_by(&routes->paths, peer, &routed.route, now_ns);
    }
    if (bksi_mutated(BKSI_MUTANT_ECHO)) {
        bksi_routes_echoed(routes, common, peer, bksi_paths_id(&routes->paths, peer));
    }
    session_routes_peer *one = &routes->peers[peer];
    if (is_straight && now_ns - one->heard_ns > UNHEARD_NS) {
        one->turn = 0; // the peer is heard again, and may hear us on the direct route
    }
    one->heard_ns = is_straight ? now_ns : one->heard_ns;
}

void bksi_routes_echoed(session_routes *routes, const session_common *common, uint32_t peer,
                        uint32_t id)
{
    bksi_paths_echoed(&routes->paths, peer, id, awake_ns(routes, common));
}

void bksi_routes_linked(session_routes *routes, const session_common *common, uint32_t peer,
                        const bksi_link_message *message, bool is_straight)
{
    const uint64_t now_ns = awake_ns(routes, common);
    const uint64_t ago_ns = (bksi_common_now_us(common) - message->echo_us) * UINT64_C(1000);
    if (!message->has_echo || ago_ns > now_ns) {
        return;
    }
    if (routes->paths.peers[peer].since_ns + ago_ns <= now_ns) {
        bksi_paths_echoed(&routes->paths, peer, bksi_paths_id(&routes->paths, peer), now_ns);
    } else if (is_straight) {
        bksi_paths_echoed_straight(&routes->paths, peer, now_ns - ago_ns, now_ns);
    }
}

// ---- packets to send ----

/// Choose the route to a peer that is out of the view, or to any peer after the match: direct at
/// first, then through each member in turn.
static session_route this_turn(const session_routes *routes, const session_common *common,
                               uint32_t peer)
{
    const uint32_t carriers = bksi_common_others(common) & ~PEER_BIT(peer);
    const uint32_t turns = bksi_peers_count(carriers) + 1;
    uint32_t turn = routes->peers[peer].turn % turns;
    session_route chosen = {.route.carriers = turn > 0 ? 1 : 0};
    for (uint32_t left = carriers; turn > 0; left &= left - 1) {
        chosen.route.peers[0] = (uint8_t)bksi_lowest_bit(left);
        turn--;
    }
    return chosen;
}

session_route bksi_routes_to(const session_routes *routes, const session_common *common,
                             uint32_t peer)
{
    if ((routes->paths.members >> peer & 1) != 0) {
        return (session_route){*bksi_paths_route(&routes->paths, peer),
                               bksi_paths_id(&routes->paths, peer)};
    }
    return bksi_phase_is_in_lobby(&common->phase) ? (session_route){0}
                                                  : this_turn(routes, common, peer);
}

bool bksi_routes_probe(session_routes *routes, const session_common *common, uint32_t peer,
                       bksi_route *route, uint32_t *id)
{
    const bool is_due = bksi_paths_probe(&routes->paths, peer, awake_ns(routes, common), route, id);
    if (is_due && bksi_mutated(BKSI_MUTANT_ECHO)) {
        bksi_routes_echoed(routes, common, peer, *id);
    }
    return is_due;
}

// ---- each update ----

static uint32_t find_detours(const session_routes *routes)
{
    uint32_t detours = 0;
    EACH_PEER (i, routes->paths.members) {
        detours |= bksi_route_is_direct(bksi_paths_route(&routes->paths, i)) ? 0 : PEER_BIT(i);
    }
    return detours;
}

/// Get the round trip to assume for a peer without a measured one: the larger of the longest
/// measured round trip and the time until the peer answered our call.
static uint64_t unmeasured_trip_ns(const session_common *common, uint32_t peer)
{
    const uint64_t longest_ns =
        (uint64_t)bksi_links_longest_trip_ns(&common->links, bksi_common_others(common));
    const uint64_t took_ns =
        bksi_guard_answer_took_ns(&common->guard, common->seats.peers[peer].channel);
    return took_ns > longest_ns ? took_ns : longest_ns;
}

/// Get the measured or assumed round trips to all members, by peer, as bksi_paths_update() needs
/// them.
static void gather_trips(const session_common *common, uint32_t members, bool is_in_lobby,
                         uint64_t round_trips_ns[BKS_PEERS_MAX])
{
    EACH_PEER (i, members) {
        const bksi_link *link = &common->links.peers[i].link;
        const bool is_known = link->has_round_trip;
        const uint64_t trip_ns =
            is_known ? (uint64_t)link->round_trip_ns : unmeasured_trip_ns(common, i);
        const uint64_t least_ns = !is_known ? TRIP_UNKNOWN_NS : is_in_lobby ? TRIP_IN_LOBBY_NS : 0;
        round_trips_ns[i] = trip_ns < least_ns ? least_ns : trip_ns;
    }
}

/// Check all routes, and replace those that do not work.
/// @param has_woken  true if our process did not run for a while before this update
/// @return true if a detour was begun or left
static bool check_routes(session_routes *routes, const session_common *common, bool is_in_lobby,
                         bool has_woken)
{
    // Do nothing with two peers: there is no third one to carry packets.
    if (bksi_peers_count(routes->paths.members) <= 2 && routes->detours == 0) {
        return false;
    }
    uint64_t round_trips_ns[BKS_PEERS_MAX];
    gather_trips(common, routes->paths.members & ~PEER_BIT(routes->paths.self), is_in_lobby,
                 round_trips_ns);
    EACH_PEER (i, routes->paths.members) {
        bksi_paths_set_loss(&routes->paths, i, common->links.peers[i].link.recent_loss);
    }
    bksi_paths_set_calm(&routes->paths, is_in_lobby);
    if (has_woken) {
        bksi_paths_woke(&routes->paths, round_trips_ns, routes->awake_ns);
    }
    bksi_paths_update(&routes->paths, round_trips_ns, routes->awake_ns);
    const uint32_t before = routes->detours;
    routes->detours = find_detours(routes);
    owe_hears(routes, common);
    return routes->detours != before;
}

/// Return true if the routes were checked recently and the members have not changed.
static bool is_recent(const session_routes *routes, const session_common *common)
{
    return routes->awake_ns - routes->checked_ns < LOOK_GAP_NS &&
           routes->paths.members == bksi_common_members(common);
}

bool bksi_routes_update(session_routes *routes, const session_common *common)
{
    routes->awake_ns = awake_ns(routes, common);
    // After a freeze of our process others may have given up their direct paths to us.
    const bool has_woken = common->now_ns - routes->updated_ns >= AWAKE_GAP_MAX_NS;
    routes->updated_ns = common->now_ns;
    const bool is_in_lobby = bksi_phase_is_in_lobby(&common->phase);
    if (!is_in_lobby && !has_woken && is_recent(routes, common)) {
        return false;
    }
    routes->checked_ns = routes->awake_ns;
    const bool is_any_new = follow_members(routes, common) != 0;
    return check_routes(routes, common, is_in_lobby, has_woken) || is_any_new;
}

uint32_t bksi_routes_heard_by_others(const session_routes *routes, const session_common *common)
{
    uint32_t heard = 0;
    EACH_PEER (i, bksi_common_others(common)) {
        uint16_t number = 0;
        uint32_t hears = 0;
        if (bksi_paths_known(&routes->paths, i, &number, &hears)) {
            heard |= hears & ~PEER_BIT(i);
        }
    }
    return heard;
}
