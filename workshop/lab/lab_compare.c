// SPDX-License-Identifier: MIT

// Two peers must have the same states and inputs up to the first tick at which their views differ:
// at this tick a third peer has left in one of the views, but not in the other. So the two sides of
// a split must agree up to the tick at which the split began. A peer that crashed, left or was
// dropped must agree with the others up to the tick at which it left.

#include "lab/lab_internal.h"

#include "base/report.h"

static bks_tick end_of(const bks_roster *roster, uint32_t peer)
{
    return peer < roster->peers && !roster->is_in[peer] ? roster->end[peer] : INT32_MAX;
}

bks_tick bksi_lab_same_until(const bks_roster *a, const bks_roster *b)
{
    bks_tick until = INT32_MAX;
    for (uint32_t i = 0; i < BKS_PEERS_MAX; i++) {
        const bks_tick one = end_of(a, i);
        const bks_tick other = end_of(b, i);
        const bks_tick earlier = one < other ? one : other;
        until = one != other && earlier < until ? earlier : until;
    }
    return until;
}

/// Return the first tick at which two rows of `count` hashes differ; `count` if they are equal.
static bks_tick first_difference(const uint64_t *a, const uint64_t *b, bks_tick count)
{
    bks_tick tick = 0;
    while (tick < count && a[tick] == b[tick]) {
        tick++;
    }
    return tick;
}

/// Return true if the state of a peer at a tick was wrong until its repair.
static bool is_in_span(const bks_lab_story *peers, uint32_t index, bks_tick tick)
{
    const bks_lab_story *story = &peers[index];
    for (uint32_t i = 0; i < story->repair_count; i++) {
        const bks_repair *repair = &story->repairs[i];
        if (repair->peer == index && tick >= repair->since && tick < repair->tick) {
            return true;
        }
    }
    return false;
}

/// Return the first tick, not before `from`, at which two peers differ although neither state was
/// repaired later.
static bks_tick first_open(const bks_lab_story *peers, uint32_t a, uint32_t b, bks_tick from,
                           bks_tick count)
{
    bks_tick tick = from;
    while (tick < count && (peers[a].hashes[tick] == peers[b].hashes[tick] ||
                            is_in_span(peers, a, tick) || is_in_span(peers, b, tick))) {
        tick++;
    }
    return tick;
}

/// Return the number of ticks, from 0 on, that both peers have and at which they must agree.
static bks_tick shared_count(const bks_lab_story *a, const bks_lab_story *b, bks_tick ticks)
{
    const bks_tick until = bksi_lab_same_until(&a->roster, &b->roster);
    bks_tick count = until < ticks ? until + 1 : ticks + 1;
    count = a->count < count ? a->count : count;
    return b->count < count ? b->count : count;
}

static void note_earlier(bks_tick tick, bks_tick count, bks_tick *first)
{
    if (tick < count && (*first == BKS_TICK_NONE || tick < *first)) {
        *first = tick;
    }
}

static void compare_pair(const bks_lab_story *peers, uint32_t first, uint32_t second,
                         bks_tick ticks, bks_lab_comparison *out)
{
    const bks_lab_story *a = &peers[first];
    const bks_lab_story *b = &peers[second];
    const bks_tick count = shared_count(a, b, ticks);
    const bks_tick differs = first_difference(a->hashes, b->hashes, count);
    note_earlier(differs, count, &out->desync_tick);
    note_earlier(first_open(peers, first, second, differs, count), count, &out->open_tick);
    if (a->chains != NULL && b->chains != NULL) {
        note_earlier(first_difference(a->chains, b->chains, count), count, &out->inputs_tick);
    }
}

/// Peers that must have the same state as a given peer at a tick, and those that have it.
typedef struct group {
    uint32_t all;   ///< peers that must have the same state, one bit for each
    uint32_t alike; ///< peers of `all` that do have the same state, one bit for each
} group;

static group group_of(const bks_lab_story *peers, uint32_t peer_count, uint32_t index,
                      bks_tick tick)
{
    group found = {0, 0};
    for (uint32_t i = 0; i < peer_count; i++) {
        if (shared_count(&peers[index], &peers[i], tick) > tick) {
            found.all |= 1u << i;
            found.alike |= peers[i].hashes[tick] == peers[index].hashes[tick] ? 1u << i : 0;
        }
    }
    return found;
}

static uint32_t count_bits(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

/// Return the peers that are outside the largest group of equal hashes, one bit for each. If groups
/// have equal size, the group with the lowest peer counts as the largest.
static uint32_t find_odd_peers(const bks_lab_story *peers, uint32_t peer_count, bks_tick tick)
{
    uint32_t odd = 0;
    for (uint32_t i = 0; i < peer_count; i++) {
        const group own = group_of(peers, peer_count, i, tick);
        uint32_t best = own.alike;
        for (uint32_t k = 0; k < peer_count; k++) {
            const uint32_t other =
                (own.all >> k & 1u) != 0 ? group_of(peers, peer_count, k, tick).alike : 0;
            const uint32_t count = count_bits(other);
            const uint32_t most = count_bits(best);
            if (count > most || (count == most && (other & -other) < (best & -best))) {
                best = other;
            }
        }
        odd |= (best & 1u << i) == 0 && own.all != 0 ? 1u << i : 0;
    }
    return odd;
}

/// Group the peers by match: two peers whose views agree to the end play the same match.
static void find_sides(const bks_lab_story *peers, uint32_t peer_count, bks_tick ticks,
                       bks_lab_comparison *out)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i < peer_count; i++) {
        if (peers[i].has_ended || (done >> i & 1u) != 0) {
            continue;
        }
        uint32_t side = 0;
        for (uint32_t k = i; k < peer_count; k++) {
            const bool is_same = bksi_lab_same_until(&peers[i].roster, &peers[k].roster) >= ticks;
            side |= !peers[k].has_ended && is_same ? 1u << k : 0;
        }
        side &= ~done;
        done |= side;
        out->sides[out->side_count++] = side;
    }
}

/// Count the ticks 1 to `last` at which the state of some peer was repaired later.
static bks_tick count_in_spans(const bks_lab_story *peers, uint32_t peer_count, bks_tick last)
{
    bks_tick count = 0;
    for (bks_tick tick = 1; tick <= last; tick++) {
        bool is_in = false;
        for (uint32_t i = 0; i < peer_count; i++) {
            is_in |= is_in_span(peers, i, tick);
        }
        count += is_in ? 1 : 0;
    }
    return count;
}

bks_lab_comparison bksi_lab_compare_stories(const bks_lab_story *peers, uint32_t peer_count,
                                            bks_tick ticks)
{
    bks_lab_comparison result = {
        .desync_tick = BKS_TICK_NONE, .open_tick = BKS_TICK_NONE, .inputs_tick = BKS_TICK_NONE};
    bks_tick fewest = ticks + 1;
    bool has_member = false;
    for (uint32_t i = 0; i < peer_count; i++) {
        has_member |= !peers[i].has_ended;
        fewest = !peers[i].has_ended && peers[i].count < fewest ? peers[i].count : fewest;
        for (uint32_t k = i + 1; k < peer_count; k++) {
            compare_pair(peers, i, k, ticks, &result);
        }
    }
    find_sides(peers, peer_count, ticks, &result);
    // Do not count hash 0, that of the state before the first step.
    result.compared = has_member && fewest > 0 ? fewest - 1 : 0;
    result.in_spans = count_in_spans(peers, peer_count, result.compared);
    result.compared -= result.in_spans;
    if (result.desync_tick != BKS_TICK_NONE) {
        result.desync_peers = find_odd_peers(peers, peer_count, result.desync_tick);
    }
    return result;
}

bks_status bks_lab_compare(const bks_lab_story *peers, uint32_t peer_count, bks_tick ticks,
                           bks_lab_comparison *out)
{
    static const char call[] = "bks_lab_compare";
    BKSI_REFUSE_NULL(NULL, peers);
    BKSI_REFUSE_NULL(NULL, out);
    if (peer_count < 1 || peer_count > BKS_PEERS_MAX || ticks < 0) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "peer_count",
                         "%u peers and %d ticks, must be 1..%d peers and at least 0 ticks",
                         peer_count, ticks, BKS_PEERS_MAX);
    }
    for (uint32_t i = 0; i < peer_count; i++) {
        if (peers[i].count < 0 || (peers[i].count > 0 && peers[i].hashes == NULL)) {
            return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "peers",
                             "peers[%u] has %d hashes at %s, must have them", i, peers[i].count,
                             peers[i].hashes == NULL ? "NULL" : "an address");
        }
    }
    *out = bksi_lab_compare_stories(peers, peer_count, ticks);
    return BKS_OK;
}

void bksi_lab_collect_hashes(const bks_session *session, bks_tick ticks, uint64_t *hashes,
                             bks_tick *count)
{
    const bks_tick published = bks_session_published(session);
    while (*count <= published && *count <= ticks) {
        if (bks_session_hash(session, *count, &hashes[*count]) != BKS_OK) {
            break;
        }
        ++*count;
    }
}
