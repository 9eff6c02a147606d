// SPDX-License-Identifier: MIT

// Checks invariants after every update of every peer, whatever the network does, and counts moments
// of the match.

#include "lab/lab_internal.h"
#include "session/inspect.h"

/// Maximum number of updates in a row after each of which a peer asks for another one at once. A
/// peer that asks more often would never rest on a real machine.
enum { IMMEDIATE_UPDATES_MAX = 4 };

lab_before bksi_lab_watch_before(const lab_peer *peer)
{
    const bks_session *session = peer->session;
    return (lab_before){.tick = bks_session_tick(session),
                        .confirmed = bks_session_confirmed(session),
                        .published = bks_session_published(session),
                        .delay = bksi_inspect_delay(session)};
}

static void check(bks_lab *lab, bool holds, uint32_t index, const char *what, bks_tick is,
                  bks_tick wanted)
{
    if (!holds) {
        bksi_lab_fail(lab, "peer %u at tick %d: %s is %d, must be at most %d", index,
                      bks_session_tick(lab->peers[index].session), what, is, wanted);
    }
}

/// Compare the view of a peer with those of the other members. A leaver must have the same end in
/// both views. If a peer has left only in the other's view, this peer must not have published a
/// tick beyond the leaver's end, because it stops there until it enters that view.
static void check_ends(bks_lab *lab, uint32_t index)
{
    const lab_peer *peer = &lab->peers[index];
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const bks_session *other = lab->peers[i].session;
        if (i == index || lab->peers[i].liar.is_forging || !bksi_inspect_has(peer->session, i) ||
            !bksi_inspect_has(other, index)) {
            continue;
        }
        for (uint32_t k = 0; k < lab->config.peers; k++) {
            const bks_tick end = bksi_inspect_end(other, k);
            const bks_tick own = bksi_inspect_end(peer->session, k);
            if (own == BKS_TICK_NONE && end != BKS_TICK_NONE) {
                check(lab, bks_session_published(peer->session) <= end, index,
                      "confirmed beyond a leaver's end, the newest published hash",
                      bks_session_published(peer->session), end);
            } else if (end != BKS_TICK_NONE) {
                check(lab, own == end, index, "the end of a leaver, another for another member,",
                      own, end);
            }
        }
    }
}

static bool somebody_left(const bks_lab *lab)
{
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (bksi_inspect_view(lab->peers[i].session) > 0) {
            return true;
        }
    }
    return false;
}

/// Return true if a peer and some other living peer are in views without each other.
static bool splits(const bks_lab *lab, uint32_t index)
{
    const lab_peer *peer = &lab->peers[index];
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const lab_peer *other = &lab->peers[i];
        if (!bksi_lab_is_gone(other) && !other->is_out && !bksi_inspect_has(peer->session, i) &&
            !bksi_inspect_has(other->session, index)) {
            return true;
        }
    }
    return false;
}

static void check_promises(bks_lab *lab, uint32_t index, const lab_before *before)
{
    const bks_session *session = lab->peers[index].session;
    const bks_tick confirmed = bks_session_confirmed(session);
    const bks_tick front = bks_session_tick(session);
    const bks_tick published = bks_session_published(session);
    const bks_tick window = (bks_tick)bksi_lab_tuning_of(&lab->config, index).window_ticks;
    const bks_tick known = confirmed < front ? confirmed : front;
    check(lab, front - confirmed <= window, index, "ticks ahead of what is confirmed",
          front - confirmed, window);
    check(lab, published <= known, index, "the newest published hash", published, known);
    check(lab, before->tick <= front, index, "the tick before", before->tick, front);
    check(lab, before->confirmed <= confirmed, index, "what was confirmed before",
          before->confirmed, confirmed);
    check(lab, before->published <= published, index, "the hash published before",
          before->published, published);
    check(lab, front <= lab->config.ticks, index, "the tick", front, lab->config.ticks);
}

static bool has_forger(const bks_lab *lab)
{
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (lab->peers[i].liar.is_forging) {
            return true;
        }
    }
    return false;
}

/// Check that a peer does not pass the tick of a pause that it knows, and that others which know
/// the same decision pause at the same tick.
static void check_pause(bks_lab *lab, uint32_t index)
{
    const bks_session *session = lab->peers[index].session;
    const bksi_speed_decision own = bksi_inspect_speed(session);
    if (own.number == 0 || !own.is_paused || lab->peers[index].stop_tick > 0 || has_forger(lab)) {
        return;
    }
    check(lab, bks_session_tick(session) <= own.tick, index,
          "beyond the tick of a pause, the present tick", bks_session_tick(session), own.tick);
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const bks_session *other = lab->peers[i].session;
        const bksi_speed_decision theirs = bksi_inspect_speed(other);
        if (bksi_inspect_same_view(session, other) && theirs.number == own.number) {
            check(lab, own.tick == theirs.tick && theirs.is_paused, index,
                  "the tick of a pause, another for another member,", own.tick, theirs.tick);
        }
    }
}

/// Copy the new hashes of states, and for each tick the hash over all inputs before it. The session
/// retains both for the same time.
static void take_hashes(const bks_lab *lab, lab_peer *peer)
{
    bks_tick at = peer->hash_count;
    bksi_lab_collect_hashes(peer->session, lab->config.ticks, peer->hashes, &peer->hash_count);
    for (; at < peer->hash_count; at++) {
        peer->chains[at] = bksi_inspect_inputs_hash(peer->session, at);
    }
}

void bksi_lab_watch_after(bks_lab *lab, uint32_t index, const lab_before *before)
{
    lab_peer *peer = &lab->peers[index];
    const bks_session *session = peer->session;
    check_promises(lab, index, before);
    check_pause(lab, index);
    take_hashes(lab, peer);
    bksi_lab_findings_watch(lab, index);
    bksi_lab_policy_watch(lab, index);
    if (somebody_left(lab) && !peer->liar.is_forging) {
        check_ends(lab, index);
    }
    if (bksi_inspect_view(session) > peer->view && splits(lab, index)) {
        lab->moments[LAB_MOMENT_SPLIT]++;
    }
    peer->view = bksi_inspect_view(session);
    const bks_tick stepped = bks_session_tick(session) - before->tick;
    if (before->tick > 0) { // the first delay that is chosen does not count as a change
        lab->moments[LAB_MOMENT_DELAY_RAISED] +=
            bksi_inspect_delay(session) > before->delay ? 1 : 0;
        lab->moments[LAB_MOMENT_DELAY_LOWERED] +=
            bksi_inspect_delay(session) < before->delay ? 1 : 0;
    }
    lab->moments[LAB_MOMENT_CATCH_UP] += stepped > 1 ? 1 : 0;
}

void bksi_lab_watch_wake(bks_lab *lab, uint32_t index)
{
    lab_peer *peer = &lab->peers[index];
    peer->immediate_updates = peer->wake_ns <= lab->now_ns ? peer->immediate_updates + 1 : 0;
    check(lab, peer->immediate_updates <= IMMEDIATE_UPDATES_MAX, index,
          "updates in a row after which it wants the next at once",
          (bks_tick)peer->immediate_updates, IMMEDIATE_UPDATES_MAX);
}

/// Return true if two peers differ at some tick between the newest repair and a given tick.
static bool differ_before(const bks_lab *lab, const bks_lab_story *a, const bks_lab_story *b,
                          bks_tick tick)
{
    const uint32_t repairs = lab->repair_count;
    const bks_tick from = repairs > 0 ? lab->repairs[repairs - 1].tick : 0;
    for (; tick >= from; tick--) {
        if (a->hashes[tick] != b->hashes[tick] || a->chains[tick] != b->chains[tick]) {
            return true;
        }
    }
    return false;
}

/// Check that a reported desync exists between two peers that must have the same state. A report
/// without the other's hash means that the peers differ at the reported tick or before.
static void check_alarm(bks_lab *lab, uint32_t index, const bks_event *event)
{
    const bks_lab_story own = bksi_lab_story_of(lab, index);
    const bks_lab_story other = bksi_lab_story_of(lab, event->peer);
    const bks_tick tick = event->tick;
    const bool is_true =
        tick < own.count && tick < other.count &&
        tick <= bksi_lab_same_until(&own.roster, &other.roster) &&
        (own.hashes[tick] != other.hashes[tick] || own.chains[tick] != other.chains[tick] ||
         (event->peer_hash == 0 && differ_before(lab, &own, &other, tick)));
    if (!is_true) {
        bksi_lab_fail(lab, "a false alarm: peer %u reports a desync with peer %u at tick %d", index,
                      event->peer, tick);
    }
}

static void count_dropped(bks_lab *lab, uint32_t index, const bks_event *event)
{
    lab->moments[LAB_MOMENT_DROPPED]++;
    if (!bksi_inspect_has(lab->peers[index].session, event->peer)) {
        lab->moments[LAB_MOMENT_REUNION]++;
    }
}

static void count_speed(bks_lab *lab, uint32_t index)
{
    bks_roster roster;
    (void)bks_session_roster(lab->peers[index].session, &roster);
    lab->moments[roster.is_paused ? LAB_MOMENT_PAUSED : LAB_MOMENT_SPEED]++;
}

void bksi_lab_watch_event(bks_lab *lab, uint32_t index, const bks_event *event)
{
    static const struct {
        bks_event_kind kind;
        lab_moment moment;
    } counted[] = {
        {BKS_EVENT_STARVED, LAB_MOMENT_STARVED}, {BKS_EVENT_RESUMED, LAB_MOMENT_RESUMED},
        {BKS_EVENT_SILENT, LAB_MOMENT_SILENT},   {BKS_EVENT_BACK, LAB_MOMENT_BACK},
        {BKS_EVENT_SLOW, LAB_MOMENT_SLOW},       {BKS_EVENT_NARROW, LAB_MOMENT_NARROW},
    };
    for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
        lab->moments[counted[i].moment] += event->kind == counted[i].kind ? 1 : 0;
    }
    switch (event->kind) {
    case BKS_EVENT_DESYNC:
        if (!lab->peers[index].liar.is_forging && !lab->peers[event->peer].liar.is_forging) {
            lab->moments[LAB_MOMENT_DESYNC]++;
            check_alarm(lab, index, event);
        }
        break;
    case BKS_EVENT_STOPPING:
        lab->moments[LAB_MOMENT_STOPPED] += event->peer == index ? 1 : 0;
        bksi_lab_policy_watch_stop(lab, index, event);
        break;
    case BKS_EVENT_SPEED:
        count_speed(lab, index);
        break;
    case BKS_EVENT_DROPPED:
        count_dropped(lab, index, event);
        break;
    default:
        break;
    }
}

/// Return the round trip between two peers without its random part.
static uint64_t round_trip_ns(const bks_lab *lab, uint32_t a, uint32_t b)
{
    return bksi_lab_link_get_spec(lab->links[a][b])->delay_ns +
           bksi_lab_link_get_spec(lab->links[b][a])->delay_ns;
}

void bksi_lab_watch_crash(bks_lab *lab, uint32_t index)
{
    const bks_session *session = lab->peers[index].session;
    if (bksi_inspect_host(session) == index) {
        lab->moments[LAB_MOMENT_HOST_CRASH]++;
    }
    bool has_twin = false;
    bool has_ballot = false;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const lab_peer *other = &lab->peers[i];
        has_twin |=
            other->is_crashed && lab->now_ns - other->crashed_ns <= round_trip_ns(lab, index, i);
        has_ballot |= !bksi_lab_is_gone(other) && !other->is_out && bksi_inspect_has(session, i) &&
                      bksi_inspect_is_voting(other->session);
    }
    lab->moments[LAB_MOMENT_TWIN_CRASH] += has_twin ? 1 : 0;
    lab->moments[LAB_MOMENT_BALLOT_CRASH] += has_ballot ? 1 : 0;
}

uint64_t bksi_lab_moment(const bks_lab *lab, lab_moment moment)
{
    uint64_t count = lab->moments[moment];
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        bks_stats now = {0};
        if (!lab->is_over) {
            (void)bks_session_stats(lab->peers[i].session, &now);
        }
        const bks_stats *stats = lab->is_over ? &lab->peers[i].end.stats : &now;
        count += moment == LAB_MOMENT_ROLLBACK ? stats->rollbacks : 0;
        count += moment == LAB_MOMENT_EARLY_END ? stats->early_ends : 0;
        count += moment == LAB_MOMENT_STALL ? stats->stalled_ticks : 0;
        count += moment == LAB_MOMENT_RELAYED ? stats->relayed : 0;
        count += moment == LAB_MOMENT_HANDOVER ? stats->handovers : 0;
        count += moment == LAB_MOMENT_VIEW ? stats->views : 0;
        count += moment == LAB_MOMENT_REBIND ? stats->address_changes : 0;
    }
    count += moment == LAB_MOMENT_REPAIRED ? lab->repair_count : 0;
    return count;
}
