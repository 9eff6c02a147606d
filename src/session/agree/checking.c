// SPDX-License-Identifier: MIT

// Comparison of our hashes of final ticks with the hashes that peers sent of the same ticks. Two
// peers that differ send each other their hashes of many ticks, so that both name the first tick
// that differs.

#include "session/agree/checking.h"

#include <inttypes.h>

#include "base/bits.h"
#include "base/mutant.h"
#include "base/report.h"

/// Number of copies of message HASHES to a peer that differs, and the time between two copies. The
/// first HASHES_SOON copies follow one another after HASHES_SOON_NS, because the search for the
/// difference and the repair wait for them. On a narrow line at most one packet in HASHES_SHARE is
/// HASHES.
#define HASHES_REPEATS 8u
#define HASHES_GAP_NS  (100 * NS_PER_MS)
#define HASHES_SOON    3u
#define HASHES_SOON_NS (30 * NS_PER_MS)
#define HASHES_SHARE   4u

/// Time to wait for HASHES from a peer that differs; then its difference is reported without them.
#define REPORT_AFTER_NS NS_PER_SECOND

/// Get the full hash that a peer sent of a tick; NULL: none is kept.
static const bksi_input_hash *full_hash(const session_checking_peer *peer, bks_tick tick)
{
    const bksi_input_hash *hash = &peer->hashes[(uint32_t)tick % REMOTE_HASHES_KEPT];
    return hash->kind == BKSI_HASH_FULL && hash->tick == tick ? hash : NULL;
}

/// Report a difference between a peer's states and ours as an event.
/// @param remote  the peer's full hash of the tick; NULL: it never came
static void report_difference(session_checking *checking, const session_common *common,
                              session_events *events, uint32_t index, bks_tick tick,
                              const bksi_tick_hash *own, const bksi_input_hash *remote)
{
    session_checking_peer *peer = &checking->peers[index];
    if (peer->is_reported) {
        return;
    }
    peer->is_reported = true;
    checking->has_desynced = true;
    bks_event *event = bksi_events_raise(events, BKS_EVENT_DESYNC, index, tick);
    event->found_tick = bksi_rollback_front(&common->engine);
    event->own_hash = own->state;
    event->peer_hash = remote != NULL ? remote->state : 0;
    event->inputs_differ = remote != NULL && remote->inputs != own->inputs;
    peer->inputs_differ = event->inputs_differ;
    peer->differs_tick = tick;
    if (remote == NULL) {
        bksi_event_describe(event,
                            "peer %u differs from us at tick %d or before: ours is %016" PRIx64,
                            index, (int)tick, own->state);
    } else {
        bksi_event_describe(
            event,
            "the %s of peer %u differ%s from ours first at tick %d: hash %016" PRIx64
            ", ours %016" PRIx64,
            event->inputs_differ ? "inputs" : "state", index, event->inputs_differ ? "" : "s",
            (int)tick, remote->state, own->state);
    }
    bksi_log(BKS_LOG_WARNING, "session.desync", "%s", event->text);
}

static void found_difference(session_checking *checking, const session_common *common,
                             uint32_t index, bks_tick tick)
{
    session_checking_peer *peer = &checking->peers[index];
    if (peer->differs) {
        return;
    }
    peer->differs = true;
    peer->differs_tick = tick;
    peer->differs_ns = common->now_ns;
    peer->next_hash = tick;
    peer->hashes_left = HASHES_REPEATS;
    peer->hashes_next_ns = common->now_ns;
    checking->owes_hashes |= PEER_BIT(index);
}

/// Get 16 bits of the hash of all states and inputs so far. This hash also reveals a lie that
/// changes no state, and a difference that ended before a packet with its hash came.
static uint64_t short_hash(const bksi_tick_hash *own)
{
    return (own->states ^ own->inputs) & 0xFFFF;
}

bool bksi_checking_is_same(const bksi_tick_hash *own, const bksi_input_hash *remote)
{
    if (remote->kind == BKSI_HASH_SHORT) {
        return short_hash(own) == remote->state;
    }
    return own->state == remote->state && own->inputs == remote->inputs;
}

/// Compare a peer's hash of a tick with our own final hash, if both are known.
static void compare(session_checking *checking, const session_common *common, uint32_t index,
                    bks_tick tick)
{
    const bksi_tick_hash *own = bksi_rollback_hash(&common->engine, tick);
    const bksi_input_hash *remote =
        &checking->peers[index].hashes[(uint32_t)tick % REMOTE_HASHES_KEPT];
    session_checking_peer *peer = &checking->peers[index];
    if (own == NULL || tick < checking->begin || remote->kind == BKSI_HASH_NONE ||
        remote->tick != tick || peer->is_liar) {
        return;
    }
    if (!bksi_checking_is_same(own, remote)) {
        found_difference(checking, common, index, tick);
        return;
    }
    peer->agreed = tick > peer->agreed ? tick : peer->agreed;
    if (remote->kind == BKSI_HASH_SHORT && !peer->differs && tick > peer->same_tick) {
        peer->same_tick = tick;
    }
}

void bksi_checking_heard(session_checking *checking, const session_common *common, uint32_t index,
                         const bksi_input_hash *hash)
{
    session_checking_peer *peer = &checking->peers[index];
    if (hash->tick < 0) {
        return;
    }
    if (full_hash(peer, hash->tick) != NULL) {
        return;
    }
    peer->hashes[(uint32_t)hash->tick % REMOTE_HASHES_KEPT] = *hash;
    if (!bksi_mutated(BKSI_MUTANT_UNSEEN)) {
        compare(checking, common, index, hash->tick);
    }
}

/// Go back from a tick at which a peer differs to the first one, over full hashes that came.
/// @return the first tick; BKS_TICK_NONE: hashes before it are missing
static bks_tick find_first(const session_checking *checking, const session_common *common,
                           uint32_t index, bks_tick tick, bks_tick step)
{
    for (; tick - step >= checking->begin && tick > common->seats.first_tick; tick -= step) {
        const bksi_input_hash *before = full_hash(&checking->peers[index], tick - step);
        const bksi_tick_hash *own = bksi_rollback_hash(&common->engine, tick - step);
        if (own == NULL || before == NULL) {
            return BKS_TICK_NONE;
        }
        if (bksi_checking_is_same(own, before)) {
            return tick;
        }
    }
    return tick;
}

void bksi_checking_heard_many(session_checking *checking, const session_common *common,
                              session_events *events, uint32_t index,
                              const bksi_hashes_message *message)
{
    for (uint32_t i = 0; i < message->count && !checking->peers[index].is_liar; i++) {
        bks_tick tick = message->first + (bks_tick)(i * message->step_ticks);
        bksi_input_hash remote = {tick, BKSI_HASH_FULL, message->state[i], message->inputs[i]};
        bksi_checking_heard(checking, common, index, &remote);
        const bksi_tick_hash *own = bksi_rollback_hash(&common->engine, tick);
        if (own == NULL || tick < checking->begin || bksi_checking_is_same(own, &remote)) {
            continue;
        }
        found_difference(checking, common, index, tick);
        const bks_tick first =
            find_first(checking, common, index, tick, (bks_tick)message->step_ticks);
        if (first != BKS_TICK_NONE) {
            report_difference(checking, common, events, index, first,
                              bksi_rollback_hash(&common->engine, first),
                              full_hash(&checking->peers[index], first));
            return;
        }
    }
}

void bksi_checking_published(session_checking *checking, const session_common *common,
                             bks_tick tick)
{
    EACH_PEER (i, common->seats.all) {
        if (i != common->seats.self && bksi_common_has(common, i)) {
            compare(checking, common, i, tick);
        }
    }
}

bks_tick bksi_checking_same(const session_checking *checking, const session_common *common,
                            uint32_t peer, bks_tick most)
{
    const bks_tick same = checking->peers[peer].same_tick;
    const bks_tick first = common->seats.first_tick;
    return same > most ? most : same > first ? same : first;
}

void bksi_checking_agree(const session_checking *checking, const session_common *common,
                         bksi_rollback *engine)
{
    bks_tick agreed = bksi_rollback_published(&common->engine);
    EACH_PEER (i, bksi_common_others(common)) {
        const session_checking_peer *peer = &checking->peers[i];
        agreed = peer->agreed < agreed && !peer->is_liar ? peer->agreed : agreed;
    }
    bksi_rollback_agree(engine, agreed);
}

void bksi_checking_forget(session_checking *checking, const session_common *common)
{
    uint32_t before = common->membership.view - 1;
    EACH_PEER (i, common->seats.all) {
        session_checking_peer *peer = &checking->peers[i];
        for (uint32_t k = 0; k < REMOTE_HASHES_KEPT; k++) {
            if (!bksi_membership_agrees_on(&common->membership, before, peer->hashes[k].tick)) {
                peer->hashes[k].kind = BKSI_HASH_NONE;
            }
        }
    }
}

bksi_input_hash bksi_checking_fill(session_checking *checking, const session_common *common,
                                   uint32_t index, bks_tick until)
{
    bksi_input_hash hash = {.tick = BKS_TICK_NONE, .kind = BKSI_HASH_NONE};
    bks_tick published = bksi_rollback_published(&common->engine);
    if (published == BKS_TICK_NONE || published > until) {
        return hash;
    }
    const bksi_tick_hash *own = bksi_rollback_newest_hash(&common->engine);
    if (own == NULL) {
        return hash;
    }
    session_checking_peer *peer = &checking->peers[index];
    bool is_full = peer->full_hash_countdown == 0;
    uint32_t rate = common->config.tick_rate_hz;
    rate = rate < 20 ? 20 : rate > 120 ? 120 : rate;
    peer->full_hash_countdown = is_full ? rate : peer->full_hash_countdown - 1;
    hash.tick = own->tick;
    hash.kind = is_full ? BKSI_HASH_FULL : BKSI_HASH_SHORT;
    hash.state = is_full ? own->state : short_hash(own);
    hash.inputs = own->inputs;
    return hash;
}

void bksi_checking_write_hashes(session_checking *checking, const session_common *common,
                                uint32_t index, bksi_byte_writer *writer)
{
    session_checking_peer *peer = &checking->peers[index];
    peer->hashes_left--;
    checking->owes_hashes &= peer->hashes_left > 0 ? UINT32_MAX : ~PEER_BIT(index);
    const uint64_t gap_ns = HASHES_SHARE * bksi_links_gap_ns(&common->links, index);
    const bool is_soon = peer->hashes_left + HASHES_SOON >= HASHES_REPEATS;
    const uint64_t usual_ns = is_soon ? HASHES_SOON_NS : HASHES_GAP_NS;
    peer->hashes_next_ns = common->now_ns + (gap_ns > usual_ns ? gap_ns : usual_ns);
    bks_tick step = (bks_tick)common->seats.hash_every;
    // Each message continues the one before to earlier ticks, so that all are sent in turn.
    bks_tick last = peer->next_hash > peer->same_tick ? peer->next_hash : peer->differs_tick;
    bks_tick first = last;
    bksi_hashes_message message = {.step_ticks = (uint32_t)step, .count = 1};
    while (message.count < BKSI_HASHES_MAX && first > peer->same_tick &&
           bksi_rollback_hash(&common->engine, first - step) != NULL) {
        first -= step;
        message.count++;
    }
    message.first = first;
    const bool is_last = bksi_rollback_hash(&common->engine, first - step) == NULL;
    peer->next_hash = is_last ? 0 : first - step;
    for (uint32_t i = 0; i < message.count; i++) {
        const bksi_tick_hash *own = bksi_rollback_hash(&common->engine, first + (bks_tick)i * step);
        message.state[i] = own != NULL ? own->state : 0;
        message.inputs[i] = own != NULL ? own->inputs : 0;
    }
    bksi_hashes_write(writer, &message);
}

/// Report differences that were seen at least `age_ns` ago, although the first differing tick may
/// not be known.
static void report_older_than(session_checking *checking, const session_common *common,
                              session_events *events, uint64_t age_ns)
{
    EACH_PEER (i, common->seats.all) {
        session_checking_peer *peer = &checking->peers[i];
        if (!peer->differs || peer->is_reported || common->now_ns < peer->differs_ns + age_ns) {
            continue;
        }
        const bksi_tick_hash *own = bksi_rollback_hash(&common->engine, peer->differs_tick);
        const bksi_input_hash *remote = full_hash(peer, peer->differs_tick);
        // If the full hashes of this tick are equal, only the short hashes differed. They cover all
        // ticks so far, so the states differed at an earlier tick.
        bool is_whole = own != NULL && remote != NULL && !bksi_checking_is_same(own, remote);
        if (own != NULL) {
            report_difference(checking, common, events, i, peer->differs_tick, own,
                              is_whole ? remote : NULL);
        }
    }
}

/// Ignore the hashes of all members that differ from us from now on. One report for each of them is
/// enough.
static void disbelieve(session_checking *checking, const session_common *common)
{
    EACH_PEER (i, bksi_checking_seen(checking, common)) {
        checking->peers[i].is_liar = true;
        bksi_log(
            BKS_LOG_WARNING, "session.desync",
            "peer %u sends false hashes: its states are those of all others, so its hashes are "
            "ignored from now on",
            i);
    }
}

void bksi_checking_repaired(session_checking *checking, const session_common *common, bks_tick tick,
                            bool never_differed)
{
    if (never_differed) {
        disbelieve(checking, common);
    }
    checking->begin = tick;
    checking->has_desynced = false;
    checking->owes_hashes = 0;
    EACH_PEER (i, common->seats.all) {
        session_checking_peer *peer = &checking->peers[i];
        peer->differs = peer->is_reported = peer->inputs_differ = false;
        peer->hashes_left = 0;
        peer->same_tick = peer->agreed = tick;
    }
}

uint32_t bksi_checking_seen(const session_checking *checking, const session_common *common)
{
    uint32_t seen = 0;
    EACH_PEER (i, bksi_common_others(common)) {
        seen |= checking->peers[i].differs ? PEER_BIT(i) : 0;
    }
    return seen;
}

uint32_t bksi_checking_reported(const session_checking *checking, const session_common *common)
{
    uint32_t reported = 0;
    EACH_PEER (i, bksi_common_others(common)) {
        reported |= checking->peers[i].is_reported ? PEER_BIT(i) : 0;
    }
    return reported;
}

uint32_t bksi_checking_differing(const session_checking *checking, const session_common *common)
{
    uint32_t differing = 0;
    EACH_PEER (i, bksi_checking_reported(checking, common)) {
        differing |= checking->peers[i].inputs_differ ? 0 : PEER_BIT(i);
    }
    return differing;
}

/// Return true if the peers of a mask, which all differ from us, sent the same full hash of one
/// tick. That tick is the first one at which the lowest of these peers differs from us.
static bool are_alike(const session_checking *checking, uint32_t peers)
{
    const bksi_input_hash *first = NULL;
    EACH_PEER (i, peers) {
        const session_checking_peer *peer = &checking->peers[i];
        const bks_tick tick = first != NULL ? first->tick : peer->differs_tick;
        const bksi_input_hash *hash = full_hash(peer, tick);
        if (hash == NULL) {
            return false;
        }
        first = first != NULL ? first : hash;
        if (hash->state != first->state) {
            return false;
        }
    }
    return true;
}

bool bksi_checking_hash_of(const session_checking *checking, uint32_t peers, bks_tick tick,
                           uint64_t *out_hash)
{
    const bksi_input_hash *found = NULL;
    EACH_PEER (i, peers) {
        const bksi_input_hash *hash = full_hash(&checking->peers[i], tick);
        if (hash == NULL) {
            continue;
        }
        if (found != NULL && found->state != hash->state) {
            return false;
        }
        found = hash;
    }
    if (found != NULL) {
        *out_hash = found->state;
    }
    return found != NULL;
}

uint32_t bksi_checking_alone(const session_checking *checking, const session_common *common)
{
    uint32_t differing = 0;
    const uint32_t others = bksi_common_others(common);
    EACH_PEER (i, others) {
        differing |= checking->peers[i].differs ? PEER_BIT(i) : 0;
    }
    if ((others & (others - 1)) == 0 || differing == 0) {
        // no peer differs, or there are two peers and it is unknown whose state is wrong
        return BKS_PEERS_MAX;
    }
    if (differing == others && are_alike(checking, differing)) {
        return common->seats.self;
    }
    const uint32_t one = bksi_lowest_bit(differing);
    EACH_PEER (i, others) {
        const session_checking_peer *peer = &checking->peers[i];
        if (i != one && (peer->differs || peer->agreed < checking->peers[one].differs_tick)) {
            return BKS_PEERS_MAX; // another peer differs too, or its state is not known
        }
    }
    return one;
}

void bksi_checking_update(session_checking *checking, const session_common *common,
                          session_events *events)
{
    report_older_than(checking, common, events, REPORT_AFTER_NS);
}

void bksi_checking_end(session_checking *checking, const session_common *common,
                       session_events *events)
{
    report_older_than(checking, common, events, 0);
}
