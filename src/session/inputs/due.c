// SPDX-License-Identifier: MIT

#include "session/inputs/due.h"

#include <stdio.h>

#include "base/report.h"

/// Between 20 and 120 packets a second, whatever the tick rate, where lines carry them.
#define SEND_GAP_MIN_NS (NS_PER_SECOND / 120)

/// After a second without a word from a peer only four packets a second go to it [INVERSUS]; but in
/// the last second before it is dropped the usual rate goes again: each packet may be the one that
/// comes through.
#define THROTTLE_AFTER_NS NS_PER_SECOND
#define THROTTLE_GAP_NS   (250 * NS_PER_MS)
#define LAST_CALLS_NS     NS_PER_SECOND

/// Half of the packets go by a detour until its first echo: to each carrier all detours begin at
/// one time, and its line may be too narrow for them.
#define UNPROVEN_GAP_NS (30 * NS_PER_MS)

void bksi_due_start(session_common *common)
{
    const double ticks = common->config.tick_rate_hz;
    const double least = (double)NS_PER_SECOND / SEND_GAP_MAX_NS;
    const double most = (double)NS_PER_SECOND / SEND_GAP_MIN_NS;
    const double rate = ticks < least ? least : ticks > most ? most : ticks;
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        bksi_links_begin(&common->links, i, rate, common->now_ns);
    }
}

bool bksi_due_begin(session_due *due, const session_common *common, bool tick_passed)
{
    const uint64_t now_ns = common->now_ns;
    if (!(tick_passed && now_ns >= due->from_ns) && now_ns < bksi_due_wake(due)) {
        return false;
    }
    // Counted from when a packet could have gone, so that ticks a little shorter than the gap do
    // not lose every other packet; but no burst after a pause.
    uint64_t earliest_ns = now_ns > SEND_GAP_MIN_NS ? now_ns - SEND_GAP_MIN_NS : 0;
    due->from_ns = (due->from_ns > earliest_ns ? due->from_ns : earliest_ns) + SEND_GAP_MIN_NS;
    due->went_ns = now_ns;
    return true;
}

/// The least gap between two packets to a peer that was not heard for so long.
static uint64_t gap_ns(const session_common *common, uint64_t unheard_ns)
{
    if (unheard_ns < THROTTLE_AFTER_NS) {
        return 0;
    }
    const uint64_t drop_ns = common->config.tuning.drop_after_ms * NS_PER_MS;
    bool is_last = unheard_ns < drop_ns && unheard_ns + LAST_CALLS_NS >= drop_ns;
    return is_last ? SEND_GAP_MAX_NS : THROTTLE_GAP_NS;
}

/// Whether a peer may be sent to now.
static bool is_due(const session_due *due, session_common *common, const session_liveness *liveness,
                   const session_ways *ways, uint32_t index)
{
    if (bksi_goodbyes_has_quit(&common->goodbyes, index)) {
        return false;
    }
    bool is_new_way = common->links.peers[index].path != bksi_paths_id(&ways->paths, index);
    uint64_t unheard_ns = bksi_liveness_unheard_ns(liveness, common, index);
    return is_new_way || (common->now_ns - due->peer_ns[index] >= gap_ns(common, unheard_ns) &&
                          bksi_links_is_due(&common->links, index, common->now_ns));
}

/// Bits of the peers to which nothing goes now, by the detour in use: it would wait for the line to
/// the first carrier.
static uint32_t find_held(const session_due *due, session_common *common, const session_ways *ways)
{
    uint32_t held = 0;
    EACH_PEER (i, ways->detours) {
        const session_link *link = &common->links.peers[i];
        const bksi_route *route = bksi_paths_route(&ways->paths, i);
        if (link->path != bksi_paths_id(&ways->paths, i) || bksi_route_is_direct(route)) {
            continue; // a new way
        }
        const uint32_t hop = route->peers[0];
        const bool is_early =
            !link->line.any_echo && common->now_ns - due->peer_ns[i] < UNPROVEN_GAP_NS;
        const bool is_full = !common->links.peers[hop].is_detour &&
                             !bksi_links_is_due(&common->links, hop, common->now_ns);
        held |= is_early || is_full ? PEER_BIT(i) : 0;
    }
    return held;
}

/// Tell the players which line is too narrow, and what it lacks.
static void report_narrow(session_common *common, uint32_t index)
{
    const session_link *link = &common->links.peers[index];
    const double carries = (double)bksi_line_capacity_bits_per_s(&link->line) / 1000.0;
    const double needs = bksi_line_rate_least_bits_per_s(&link->rate) / 1000.0;
    bks_event *event = bksi_events_raise(&common->events, BKS_EVENT_NARROW, index,
                                         bksi_rollback_front(&common->engine));
    (void)snprintf(event->text, sizeof(event->text),
                   "the line to peer %u is too narrow: it carries %.1f kbit a second, the match "
                   "needs %.1f at least",
                   index, carries, needs);
    bksi_log(BKS_LOG_WARNING, "session.narrow", "%s", event->text);
}

uint32_t bksi_due_inputs(session_due *due, session_common *common, const session_liveness *liveness,
                         const session_ways *ways)
{
    uint32_t peers = 0;
    const uint32_t held = ways->detours != 0 ? find_held(due, common, ways) : 0;
    EACH_PEER (i, bksi_common_others(common) & ~held) {
        if (is_due(due, common, liveness, ways, i)) {
            due->peer_ns[i] = common->now_ns;
            peers |= PEER_BIT(i);
        }
        if (bksi_links_is_narrow(&common->links, i, common->now_ns)) {
            report_narrow(common, i);
        }
    }
    return peers;
}
