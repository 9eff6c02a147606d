// SPDX-License-Identifier: MIT

// The time before the first tick: goodbyes that must be heard, peers that must not be given up, and
// the time until the match starts.

#include "lab/oracle_internal.h"

#include <inttypes.h>

#define MS_NS     UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)

/// Share of lost and damaged packets, in ppm, and mean number lost in a row. If no link exceeds
/// them, no running peer may be given up before the start.
#define LOBBY_LOSS_PPM 100000u
#define LOBBY_BURST    4.0

/// Time in which a match must start once all its peers run and have made their states: START_NS,
/// and START_WAYS times the longest way of a packet with the waits of two game loops.
#define START_NS   (6 * SECOND_NS)
#define START_WAYS 8u

uint64_t bksi_oracle_longest_way_ns(const bks_lab *lab)
{
    uint64_t longest_ns = 0;
    for (uint32_t i = 0; i < lab->config.peers * lab->config.peers; i++) {
        const bksi_lab_link *link = lab->links[i / lab->config.peers][i % lab->config.peers];
        const uint64_t way_ns =
            link != NULL ? bks_lab_link_longest_ns(bksi_lab_link_get_worst(link)) : 0;
        longest_ns = way_ns > longest_ns ? way_ns : longest_ns;
    }
    return longest_ns;
}

/// Return true if the match never started because a peer left or crashed, or a guest gave up on the
/// host.
bool bksi_oracle_has_no_match(const bks_lab *lab)
{
    bool is_one_short = false;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const lab_peer *peer = &lab->peers[i];
        is_one_short |= peer->has_left || peer->is_crashed || (i > 0 && peer->is_out);
    }
    return is_one_short && lab->first_tick_ns == UINT64_MAX;
}

/// Return the time from which on peer `by` must know that peer `leaver` said goodbye; UINT64_MAX:
/// it need not know. Only host and guests must know of each other: a guest hears of other guests
/// from the host.
static uint64_t heard_since(const bks_lab *lab, uint32_t leaver, uint32_t by)
{
    const lab_peer *peer = &lab->peers[leaver];
    const lab_peer *guest = &lab->peers[leaver == 0 ? by : leaver];
    if (!peer->has_left || lab->peers[by].has_left || leaver == by || (leaver != 0 && by != 0) ||
        guest->seated_ns == 0) {
        return UINT64_MAX;
    }
    return peer->goodbye_ns > guest->seated_ns ? peer->goodbye_ns : guest->seated_ns;
}

/// Return true if no fault except goodbyes was planned for the time before the start.
static bool is_quiet_lobby(const bks_lab *lab)
{
    const bks_lab_faults *faults = &lab->faults;
    for (uint32_t i = 0; i < faults->timed_count; i++) {
        const bks_lab_timed *fault = &faults->timed[i];
        if (fault->kind == BKS_LAB_LOAD || (fault->in_lobby && fault->kind != BKS_LAB_LEAVE)) {
            return false;
        }
    }
    return true;
}

/// Check that the others received a goodbye that keeps a match from starting. It is not enough that
/// they noticed a silence.
static void check_goodbyes(const bks_lab *lab, bks_oracle_verdict *verdict)
{
    const uint64_t patience_ns = lab->config.tuning.drop_after_ms * MS_NS * 9 / 10;
    if (!bksi_oracle_has_no_match(lab) || 6 * bksi_oracle_longest_way_ns(lab) > patience_ns ||
        !is_quiet_lobby(lab)) {
        return;
    }
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        for (uint32_t k = 0; k < lab->config.peers; k++) {
            const uint64_t since_ns = heard_since(lab, i, k);
            const uint64_t missed_ns = lab->peers[i].missed_ns[k];
            const uint64_t until_ns = missed_ns != 0 ? missed_ns : bks_lab_now(lab);
            if (since_ns != UINT64_MAX && until_ns > since_ns + patience_ns) {
                bksi_oracle_fail(
                    verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                    "peer %u left before the start, and peer %u did not receive its goodbye", i, k);
            }
        }
    }
}

/// Return true if no fault before the start can stop a packet of a running peer: the only faults
/// are peers that begin late, crash or leave.
static bool is_open_lobby(const bks_lab *lab)
{
    const bks_lab_faults *faults = &lab->faults;
    bool is_open = true;
    for (uint32_t i = 0; i < faults->timed_count; i++) {
        const bks_lab_timed *fault = &faults->timed[i];
        const bool is_harmless = fault->kind == BKS_LAB_LEAVE || fault->kind == BKS_LAB_CRASH ||
                                 (fault->kind == BKS_LAB_PAUSE && fault->at_ns == 0);
        is_open &= !fault->in_lobby || is_harmless;
    }
    return is_open;
}

/// Return true if links lose so few packets that silence in the lobby proves that a peer does not
/// run.
static bool are_links_good(const bks_lab *lab)
{
    bool are_good = bksi_oracle_longest_way_ns(lab) <= SECOND_NS;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        for (uint32_t k = 0; k < lab->config.peers; k++) {
            const bks_lab_link_spec spec =
                i != k ? *bksi_lab_link_get_worst(lab->links[i][k]) : (bks_lab_link_spec){0};
            are_good &= spec.loss_ppm + spec.corrupt_ppm <= LOBBY_LOSS_PPM &&
                        spec.burst_packets <= LOBBY_BURST && spec.rate_bits_per_s == 0 &&
                        spec.mtu_bytes == 0;
        }
    }
    return are_good;
}

/// Check that no peer that ran was given up before the start, even if it was late or took long to
/// load.
static void check_lobby(const bks_lab *lab, bks_oracle_verdict *verdict)
{
    if (!is_open_lobby(lab) || !are_links_good(lab)) {
        return;
    }
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        for (uint32_t k = 0; k < lab->config.peers; k++) {
            const lab_peer *peer = &lab->peers[i];
            if (peer->missed_ns[k] != 0 && !peer->has_left && !peer->is_crashed) {
                bksi_oracle_fail(verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                                 "peer %u gave peer %u up before the start, but it runs", k, i);
            }
        }
    }
}

/// Return the time in ns by which a match in an open lobby must have started.
static uint64_t start_due_ns(const bks_lab *lab)
{
    uint64_t late_ns = 0;
    uint64_t loads_ns = 0;
    uint64_t frame_ns = 0;
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        const bks_lab_timed *fault = &lab->faults.timed[i];
        const bool is_late = fault->kind == BKS_LAB_PAUSE && fault->in_lobby;
        const uint64_t value_ns = fault->kind == BKS_LAB_LOAD ? (uint64_t)fault->value : 0;
        late_ns = is_late && fault->span_ns > late_ns ? fault->span_ns : late_ns;
        loads_ns = value_ns > loads_ns ? value_ns : loads_ns;
    }
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        frame_ns = lab->peers[i].frame_ns > frame_ns ? lab->peers[i].frame_ns : frame_ns;
    }
    // The first tick is stepped at the end of its time.
    return late_ns + loads_ns + START_NS + SECOND_NS / lab->config.game->tick_rate_hz +
           START_WAYS * (bksi_oracle_longest_way_ns(lab) + 2 * frame_ns);
}

/// Check that a match for which all peers are there starts in time.
static void check_start(const bks_lab *lab, bks_oracle_verdict *verdict)
{
    if (!is_open_lobby(lab) || !are_links_good(lab) || bksi_oracle_has_no_match(lab)) {
        return;
    }
    const uint64_t due_ns = start_due_ns(lab);
    const uint64_t first_ns = lab->first_tick_ns < lab->now_ns ? lab->first_tick_ns : lab->now_ns;
    if (first_ns > due_ns) {
        bksi_oracle_fail(verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                         "%" PRIu64 " ms passed before the first tick, must be at most %" PRIu64,
                         first_ns / MS_NS, due_ns / MS_NS);
    }
}

void bksi_oracle_judge_lobby(const bks_lab *lab, bks_oracle_verdict *verdict)
{
    check_goodbyes(lab, verdict);
    check_lobby(lab, verdict);
    check_start(lab, verdict);
}
