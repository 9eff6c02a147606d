// SPDX-License-Identifier: MIT

// A peer is silent if no valid packet of its own comes, directly or carried. Reports of other peers
// about it do not count.

#include "session/inputs/liveness.h"

#include "base/mutant.h"
#include "base/report.h"
#include "net/repeat.h"

/// Least silence, beyond a round trip, after which a peer is lost, in ns and in packets, because
/// lines lose several packets in a row.
#define SILENCE_MIN_NS      NS_PER_SECOND
#define SILENCE_MIN_PACKETS 40u

/// Least silence before the start: 20 gaps between packets. In the lobby they are that far apart
/// until the last two seconds.
#define LOBBY_SILENCE_MIN_NS (20 * BKSI_REPEAT_GAP_MAX_NS)

/// Time without an echo after which a peer may not hear us. Echoes come with every few packets, and
/// at least 10 packets come per second.
#define ECHO_PATIENCE_NS NS_PER_SECOND

/// Time after its last packet for which a peer counts as heard well: FINE_TICKS ticks, but at least
/// FINE_MIN_NS. It is at least two of the longest gaps between packets.
#define FINE_TICKS  6u
#define FINE_MIN_NS (200 * NS_PER_MS)

static uint64_t drop_after_ns(const session_common *common)
{
    return common->config.tuning.drop_after_ms * NS_PER_MS;
}

void bksi_liveness_init(session_liveness *liveness, uint32_t tick_rate_hz)
{
    const uint64_t ticks_ns = FINE_TICKS * NS_PER_SECOND / tick_rate_hz;
    liveness->fine_ns = ticks_ns > FINE_MIN_NS ? ticks_ns : FINE_MIN_NS;
}

void bksi_liveness_start(session_liveness *liveness, const session_common *common)
{
    EACH_PEER (i, common->seats.all) {
        session_liveness_peer *peer = &liveness->peers[i];
        peer->heard_ns = common->awake_ns;
        peer->came_ns = common->now_ns;
        peer->is_told = false; // the line needs less than before the start
        peer->is_new = true;
        peer->hears_us = true;
        peer->echo_ns = common->awake_ns;
    }
    EACH_PEER (i, bksi_seats_others(&common->seats)) {
        bksi_liveness_tell_raised(liveness, common, i);
    }
}

void bksi_liveness_forget(session_liveness *liveness, uint32_t index)
{
    liveness->peers[index] = (session_liveness_peer){0};
}

void bksi_liveness_greeted(session_liveness *liveness, const session_common *common, uint32_t index)
{
    liveness->peers[index].heard_ns = common->awake_ns;
}

void bksi_liveness_heard(session_liveness *liveness, session_events *events,
                         const session_common *common, uint32_t index)
{
    session_liveness_peer *peer = &liveness->peers[index];
    if (peer->breaks_rules) {
        return;
    }
    peer->heard_ns = common->awake_ns;
    peer->came_ns = common->now_ns;
    peer->is_new = false;
    peer->is_lost = false;
    if (!peer->is_silent) {
        return;
    }
    peer->is_silent = false;
    (void)bksi_events_raise(events, BKS_EVENT_BACK, index, bksi_rollback_front(&common->engine));
}

void bksi_liveness_accuse(session_liveness *liveness, session_events *events,
                          const session_common *common, uint32_t index, const char *what)
{
    session_liveness_peer *peer = &liveness->peers[index];
    if (peer->breaks_rules) {
        return;
    }
    peer->breaks_rules = peer->is_silent = peer->is_lost = true;
    const bks_event *event =
        bksi_events_report(events, BKS_EVENT_LOST, index, bksi_rollback_front(&common->engine),
                           "peer %u %s: it is about to be dropped", index, what);
    bksi_log(BKS_LOG_ERROR, "session.rules", "%s", event->text);
}

uint32_t bksi_liveness_find_accused(const session_liveness *liveness, const session_common *common,
                                    uint32_t peers)
{
    const bool is_host = bksi_membership_host(&common->membership) == common->seats.self;
    uint32_t accused = 0;
    EACH_PEER (i, is_host ? peers : 0) {
        accused |= liveness->peers[i].breaks_rules ? PEER_BIT(i) : 0;
    }
    return accused;
}

void bksi_liveness_echo(session_liveness *liveness, const session_common *common, uint32_t index,
                        const bksi_echo *echo)
{
    session_liveness_peer *peer = &liveness->peers[index];
    if (echo != NULL) {
        peer->hears_us = echo->hold != BKSI_HOLD_NONE;
        peer->echo_ns = common->awake_ns;
    } else if (common->awake_ns - peer->echo_ns > ECHO_PATIENCE_NS) {
        peer->hears_us = false; // a peer that never heard us has nothing to echo
    }
}

void bksi_liveness_end_excuses(session_liveness *liveness, const session_common *common,
                               uint32_t peers)
{
    EACH_PEER (i, peers) {
        liveness->peers[i].heard_ns = common->awake_ns;
    }
}

void bksi_liveness_drop(session_liveness *liveness, uint32_t index)
{
    liveness->peers[index].is_silent = false;
}

/// Get the least silence in the match, without a round trip. A wide line carries a packet for each
/// tick, but at least 20 a second, as in a pause.
static uint64_t least_silence_ns(const session_common *common)
{
    const uint64_t tick_ns = (uint64_t)bksi_common_tick_ns(common);
    const bool is_often = tick_ns < SEND_GAP_MAX_NS && !common->game_speed.is_paused;
    const uint64_t gap_ns = is_often ? tick_ns : SEND_GAP_MAX_NS;
    const uint64_t packets_ns = SILENCE_MIN_PACKETS * gap_ns;
    return packets_ns > SILENCE_MIN_NS ? packets_ns : SILENCE_MIN_NS;
}

uint64_t bksi_liveness_line_needs_ns(const session_common *common, uint32_t index)
{
    const uint64_t line_ns =
        least_silence_ns(common) + bksi_links_assumed_trip_ns(&common->links, index);
    const bool is_sparse =
        bksi_phase_is_in_lobby(&common->phase) && !bksi_mutated(BKSI_MUTANT_LOBBY);
    return is_sparse && line_ns < LOBBY_SILENCE_MIN_NS ? LOBBY_SILENCE_MIN_NS : line_ns;
}

/// Get the longest silence of a peer outside pauses.
static uint64_t usual_patience_ns(const session_liveness *liveness, const session_common *common,
                                  uint32_t index)
{
    const uint64_t drop_ns = drop_after_ns(common);
    uint64_t needs_ns = bksi_liveness_line_needs_ns(common, index);
    if (liveness->peers[index].is_new) {
        // The peer may start when our first packet could have reached it, and its first packet then
        // takes as long again.
        needs_ns += bksi_links_assumed_trip_ns(&common->links, index);
    }
    return drop_ns > needs_ns ? drop_ns : needs_ns;
}

uint64_t bksi_liveness_patience_ns(const session_liveness *liveness, const session_common *common,
                                   uint32_t index)
{
    const uint64_t usual_ns = usual_patience_ns(liveness, common, index);
    const uint64_t pause_ns = BKS_PAUSE_MS_MAX * NS_PER_MS;
    return bksi_game_speed_excuses(common, index) && usual_ns < pause_ns ? pause_ns : usual_ns;
}

uint32_t bksi_liveness_unheard(const session_liveness *liveness, const session_common *common)
{
    uint32_t unheard = 0;
    EACH_PEER (i, bksi_common_others(common)) {
        const uint64_t silence_ns = bksi_liveness_silence_ns(liveness, common, i);
        unheard |= silence_ns >= usual_patience_ns(liveness, common, i) ? PEER_BIT(i) : 0;
    }
    return unheard;
}

uint64_t bksi_liveness_longest_patience_ns(const session_liveness *liveness,
                                           const session_common *common)
{
    uint64_t longest_ns = 0;
    EACH_PEER (i, bksi_common_others(common)) {
        const uint64_t patience_ns = bksi_liveness_patience_ns(liveness, common, i);
        longest_ns = patience_ns > longest_ns ? patience_ns : longest_ns;
    }
    return longest_ns;
}

void bksi_liveness_tell_raised(session_liveness *liveness, const session_common *common,
                               uint32_t index)
{
    session_liveness_peer *peer = &liveness->peers[index];
    const uint64_t needs_ns = bksi_liveness_line_needs_ns(common, index);
    const bool is_in_lobby = bksi_phase_is_in_lobby(&common->phase);
    const bool is_measured = common->links.peers[index].link.has_round_trip || !is_in_lobby;
    if (peer->is_told || !is_measured || needs_ns <= drop_after_ns(common)) {
        return;
    }
    peer->is_told = true;
    bksi_log(BKS_LOG_WARNING, "session.patience",
             "drop_after_ms is %u, too short for the line to peer %u, which needs %u%s: that is "
             "used",
             common->config.tuning.drop_after_ms, index,
             (unsigned)((needs_ns + NS_PER_MS - 1) / NS_PER_MS),
             is_in_lobby ? " before the start" : "");
}

/// Return true if a peer was silent for too long. If only drop_after_ms has passed, log that its
/// line needs longer.
static bool is_overdue(session_liveness *liveness, const session_common *common, uint32_t index,
                       uint64_t silence_ns)
{
    if (silence_ns < drop_after_ns(common)) {
        return false; // saves time: this is nearly always so
    }
    bksi_liveness_tell_raised(liveness, common, index);
    return silence_ns >= bksi_liveness_patience_ns(liveness, common, index);
}

/// Report a peer that has fallen silent.
/// @return true if the peer was silent for bksi_liveness_patience_ns()
static bool watch(session_liveness *liveness, session_events *events, const session_common *common,
                  uint32_t index)
{
    session_liveness_peer *peer = &liveness->peers[index];
    const uint64_t silence_ns = bksi_liveness_silence_ns(liveness, common, index);
    if (!peer->is_silent && silence_ns >= common->config.tuning.notify_after_ms * NS_PER_MS) {
        peer->is_silent = true;
        (void)bksi_events_report(
            events, BKS_EVENT_SILENT, index, bksi_rollback_front(&common->engine),
            "nothing heard from peer %u for %u ms", index, common->config.tuning.notify_after_ms);
    }
    return is_overdue(liveness, common, index, silence_ns);
}

uint32_t bksi_liveness_update(session_liveness *liveness, session_events *events,
                              const session_common *common, uint32_t awaited)
{
    uint32_t given_up = 0;
    EACH_PEER (i, common->seats.all & awaited) {
        if (watch(liveness, events, common, i)) {
            given_up |= PEER_BIT(i);
        }
    }
    return given_up;
}

uint32_t bksi_liveness_here(const session_liveness *liveness, const session_common *common,
                            uint32_t peers)
{
    uint32_t here = 0;
    EACH_PEER (i, peers & ~(common->goodbyes.done | common->goodbyes.quit)) {
        const uint64_t patience_ns = bksi_liveness_patience_ns(liveness, common, i);
        here |= bksi_liveness_silence_ns(liveness, common, i) < patience_ns / 2 ? PEER_BIT(i) : 0;
    }
    return here;
}

uint32_t bksi_liveness_find_lost(session_liveness *liveness, session_events *events,
                                 const session_common *common, uint32_t peers, uint32_t known)
{
    uint32_t lost = 0;
    EACH_PEER (i, common->seats.all & peers) {
        session_liveness_peer *peer = &liveness->peers[i];
        uint64_t silence_ns = bksi_liveness_silence_ns(liveness, common, i);
        if (bksi_mutated(BKSI_MUTANT_EAGER)) {
            silence_ns *= 4;
        }
        if (!is_overdue(liveness, common, i, silence_ns)) {
            continue;
        }
        lost |= PEER_BIT(i);
        if (peer->is_lost || (known & PEER_BIT(i)) != 0) {
            continue;
        }
        peer->is_lost = true;
        (void)bksi_events_report(
            events, BKS_EVENT_LOST, i, bksi_rollback_front(&common->engine),
            "nothing heard from peer %u for %u ms, it is about to be dropped", i,
            (unsigned)(bksi_liveness_patience_ns(liveness, common, i) / NS_PER_MS));
    }
    return lost;
}
