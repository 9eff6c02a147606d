// SPDX-License-Identifier: MIT

// Two peers that confirmed a tick with different states or inputs must find the difference, however
// bad their links are. A peer can compare the hash of a tick as soon as it has the tick itself. So
// it finds the difference at the latest with the first INPUT message that the other sent after both
// had the tick. That is why the limit is a number of received packets. The peer must report the
// difference within a second.

#include "lab/lab_internal.h"

#include "session/inspect.h"

/// Maximum number of packets under way that were sent before both peers had the tick: as many as a
/// peer sends in a second.
#define UNDER_WAY_MAX 128u

/// Longest time from finding a difference to reporting it: a second and the next update.
#define FOUND_WITHIN_NS UINT64_C(1100000000)

/// Return true if two peers are in one view and both play.
static bool are_together(const bks_lab *lab, uint32_t a, uint32_t b)
{
    const bks_session *one = lab->peers[a].session;
    const bks_session *other = lab->peers[b].session;
    return !bksi_lab_is_gone(&lab->peers[a]) && !bksi_lab_is_gone(&lab->peers[b]) &&
           bks_session_phase(one) == BKS_PHASE_RUNNING &&
           bks_session_phase(other) == BKS_PHASE_RUNNING && bksi_inspect_same_view(one, other) &&
           bksi_inspect_has(one, b) && bksi_inspect_has(other, a);
}

static uint64_t packets_received(const bks_lab *lab, uint32_t by, uint32_t from)
{
    return bksi_inspect_packets(lab->peers[by].session, from);
}

/// Return the tick of a peer's newest repair, or BKS_TICK_NONE. It comes from the session's list,
/// because the event of the repair may not be read yet.
static bks_tick newest_repair(const lab_peer *peer)
{
    bks_repair repairs[BKS_REPAIRS_MAX];
    const uint32_t count = bks_session_repairs(peer->session, repairs, BKS_REPAIRS_MAX);
    return count > 0 ? repairs[count - 1].tick : BKS_TICK_NONE;
}

/// Forget a difference if one of the two peers knows that it was repaired.
static void forget_repaired(bks_lab *lab, uint32_t a, uint32_t b)
{
    lab_finding *finding = &lab->findings[a < b ? a : b][a < b ? b : a];
    const bks_tick one = newest_repair(&lab->peers[a]);
    const bks_tick other = newest_repair(&lab->peers[b]);
    const bks_tick repaired = one > other ? one : other;
    if (finding->compared < repaired || (finding->is_there && finding->tick < repaired)) {
        finding->is_there = false;
        finding->compared = repaired;
    }
}

/// Compare the ticks that both peers have and that were not compared yet.
static void compare_new_ticks(bks_lab *lab, uint32_t a, uint32_t b)
{
    lab_finding *finding = &lab->findings[a < b ? a : b][a < b ? b : a];
    const lab_peer *one = &lab->peers[a];
    const lab_peer *other = &lab->peers[b];
    const bks_tick count = bksi_lab_shared_ticks(one, other);
    while (!finding->is_there && finding->compared < count) {
        const bks_tick tick = finding->compared++;
        finding->is_there =
            one->chains[tick] != other->chains[tick] || one->hashes[tick] != other->hashes[tick];
        finding->tick = tick;
    }
}

static void fail_pair(bks_lab *lab, uint32_t index, uint32_t from, const char *what)
{
    bksi_lab_fail(lab, "peer %u differs from peer %u and %s", index, from, what);
}

/// Return true if two peers agree again at the newest tick that both have, because the game
/// overwrote the bytes that differed.
static bool is_healed(const bks_lab *lab, uint32_t a, uint32_t b)
{
    const lab_peer *one = &lab->peers[a];
    const lab_peer *other = &lab->peers[b];
    const bks_tick newest = bksi_lab_shared_ticks(one, other) - 1;
    return one->hashes[newest] == other->hashes[newest] &&
           one->chains[newest] == other->chains[newest];
}

static void check_finding(bks_lab *lab, uint32_t index, uint32_t from, lab_finding *finding)
{
    const bksi_inspected_difference known =
        bksi_inspect_difference(lab->peers[index].session, from);
    if (known.is_seen) {
        if (known.since_ns > FOUND_WITHIN_NS && !known.is_reported) {
            fail_pair(lab, index, from, "does not say so");
        }
        return;
    }
    if (known.is_heard) {
        fail_pair(lab, index, from, "received a packet that shows it, and does not report it");
    } else if (packets_received(lab, index, from) - finding->packets_before[index] >
                   UNDER_WAY_MAX &&
               !is_healed(lab, index, from)) {
        fail_pair(lab, index, from, "received a hundred packets since, and does not report it");
    }
}

void bksi_lab_findings_watch(bks_lab *lab, uint32_t index)
{
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (i == index) {
            continue;
        }
        lab_finding *finding = &lab->findings[i < index ? i : index][i < index ? index : i];
        forget_repaired(lab, index, i);
        const bool were_different = finding->is_there;
        if (!were_different && are_together(lab, index, i)) {
            compare_new_ticks(lab, index, i);
        }
        if (!finding->is_there) {
            continue;
        }
        if (!were_different || !are_together(lab, index, i)) {
            finding->packets_before[index] = packets_received(lab, index, i);
            finding->packets_before[i] = packets_received(lab, i, index);
        } else {
            check_finding(lab, index, i, finding);
        }
    }
}

/// Return the first tick before which two peers confirmed different inputs although they must have
/// the same; BKS_TICK_NONE: there is none. A peer may confirm its last ticks after the other left.
static bks_tick parted_at(const bks_lab *lab, uint32_t a, uint32_t b)
{
    const lab_peer *one = &lab->peers[a];
    const lab_peer *other = &lab->peers[b];
    const bks_lab_story first = bksi_lab_story_of(lab, a);
    const bks_lab_story second = bksi_lab_story_of(lab, b);
    const bks_tick last = bksi_lab_same_until(&first.roster, &second.roster);
    const bks_tick count = bksi_lab_shared_ticks(one, other);
    for (bks_tick tick = 0; tick < count && tick <= last; tick++) {
        if (one->chains[tick] != other->chains[tick]) {
            return tick;
        }
    }
    return BKS_TICK_NONE;
}

/// Return true if the first tick whose inputs differ on two peers is one of `from` to `to`.
static bool have_parted(const bks_lab *lab, bks_tick from, bks_tick to)
{
    for (uint32_t a = 0; a < lab->config.peers; a++) {
        for (uint32_t b = a + 1; b < lab->config.peers; b++) {
            const bks_tick tick = parted_at(lab, a, b);
            if (tick != BKS_TICK_NONE && tick > from && tick <= to + 1) {
                return true;
            }
        }
    }
    return false;
}

bool bksi_lab_lie_mattered(const bks_lab *lab, uint32_t liar)
{
    const bksi_lab_liar *lies = &lab->peers[liar].liar;
    return lies->packets > 0 && have_parted(lab, lies->tick, lies->tick);
}

bool bksi_lab_forgery_mattered(const bks_lab *lab, uint32_t forger)
{
    const bksi_lab_liar *liar = &lab->peers[forger].liar;
    bool is_another_gone = false;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        is_another_gone |=
            i != forger && (bksi_lab_is_gone(&lab->peers[i]) || lab->peers[i].is_out);
    }
    return bksi_lab_forges_inputs(liar, is_another_gone) &&
           have_parted(lab, liar->forged_from, INT32_MAX - 1);
}
