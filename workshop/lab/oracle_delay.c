// SPDX-License-Identifier: MIT

// Input delays and hitches of lockstep matches. A peer that is not heard makes the others wait, and
// a longer input delay does not help against that. So a silence must not leave the delays longer:
// some time after the last fault they must be what they were before the faults, or what the lines
// need. Once the delays have adapted to the lines, hardly a tick may be late. A delay covers a
// time, so at twice the speed of the match it may be twice as many ticks. At a low speed packets go
// less often, so a lost one costs more time, as in a match with that tick rate.

#include "lab/oracle_internal.h"

#include <string.h>

#include "session/inspect.h"

#define MS_NS     UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)

/// Time after the last fault within which an input delay that is too long must have become shorter
/// again.
#define GIVE_BACK_NS (5 * SECOND_NS)

/// Share and ticks by which an input delay may be longer than before the faults, or without them.
#define LONGER_SHARE 0.2
#define LONGER_TICKS 1.0

/// LOST_IN_A_ROW: number of packets that a line with losses may lose one after the other, as a
/// multiple of the mean run of losses. PACKET_GAP_NS: time between two packets.
#define LOST_IN_A_ROW 6.0
#define PACKET_GAP_NS (50 * MS_NS)

/// Time after the last fault from which on hitches are counted. By then the delays have adapted to
/// the lines.
#define LEARNT_NS (10 * SECOND_NS)

/// Greatest mean number of hitches of a peer: HITCHES_MOST, and HITCHES_PER_MINUTE more for each
/// minute. The worst of 800 steady matches had 72 % of this.
#define HITCHES_MOST       4.0
#define HITCHES_PER_MINUTE 4.0

/// Greatest jitter of a line with which hitches are judged. With more jitter a session sometimes
/// takes the jitter for a queue, and sends fewer packets.
#define JITTER_MAX_NS (20 * MS_NS)

/// Return the speed of the match on a peer; 1: that of the game.
static double speed_of(const bks_lab *lab, uint32_t peer)
{
    bks_roster roster;
    (void)bks_session_roster(lab->peers[peer].session, &roster);
    return roster.speed_percent / 100.0;
}

/// Return the length of a tick on a peer in ns.
static double tick_ns_of(const bks_lab *lab, uint32_t peer)
{
    return (double)SECOND_NS / lab->config.game->tick_rate_hz / speed_of(lab, peer);
}

/// Return true if the delays of a match are chosen by its lines alone: it is lockstep with
/// automatic delays everywhere, no machine is slow, no line is narrow and no peer forges. With the
/// pace policy `none` a peer keeps the lead that a fault gave it, and with it the longer delay.
static bool is_judged(const bks_lab *lab)
{
    const uint32_t others = 1u << BKS_LAB_SLOW | 1u << BKS_LAB_RATE | 1u << BKS_LAB_FILL |
                            1u << BKS_LAB_FORGE | 1u << BKS_LAB_DRIFT;
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        if ((others >> lab->faults.timed[i].kind & 1u) != 0) {
            return false;
        }
    }
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const bks_tuning tuning = bksi_lab_tuning_of(&lab->config, i);
        if (tuning.window_ticks > 0 || tuning.delay_ticks != BKS_AUTO ||
            tuning.pace == BKS_PACE_NONE) {
            return false;
        }
        for (uint32_t k = 0; k < lab->config.peers; k++) {
            const bksi_lab_link *link = lab->links[i][k];
            if (link != NULL && (bksi_lab_link_get_worst(link)->rate_bits_per_s > 0 ||
                                 bksi_lab_link_get_worst(link)->mtu_bytes > 0)) {
                return false;
            }
        }
    }
    return lab->config.step_ns == 0;
}

/// Return the longest time that an input takes over a line, including likely losses.
static uint64_t line_ns(const bks_lab_link_spec *spec)
{
    const double run = spec->burst_packets > 1.0 ? spec->burst_packets : 1.0;
    const bool loses = spec->loss_ppm + spec->corrupt_ppm > 0;
    const double lost_ns = loses ? LOST_IN_A_ROW * run * (double)PACKET_GAP_NS : 0.0;
    return bks_lab_link_longest_ns(spec) + (uint64_t)lost_ns;
}

/// Return the input delay that the lines of a match may need, in ns. Inputs may take a path through
/// a third peer.
static uint64_t needed_ns(const bks_lab *lab)
{
    uint64_t longest_ns = 0;
    uint64_t frame_ns = 0;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        frame_ns = lab->peers[i].frame_ns > frame_ns ? lab->peers[i].frame_ns : frame_ns;
        for (uint32_t k = 0; k < lab->config.peers; k++) {
            const bksi_lab_link *link = lab->links[i][k];
            const uint64_t ns = link != NULL ? line_ns(bksi_lab_link_get_worst(link)) : 0;
            longest_ns = ns > longest_ns ? ns : longest_ns;
        }
    }
    const uint64_t lines = lab->config.peers > 2 ? 2 : 1;
    return lines * (longest_ns + frame_ns + PACKET_GAP_NS) + frame_ns;
}

/// Return true if no line of a match has runs of losses, reordered packets or much jitter.
static bool are_lines_even(const bks_lab *lab)
{
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        for (uint32_t k = 0; k < lab->config.peers; k++) {
            const bks_lab_link_spec line =
                i != k ? *bksi_lab_link_get_worst(lab->links[i][k]) : (bks_lab_link_spec){0};
            if (line.burst_packets > 1.0 || line.reorder_ppm > 0 ||
                line.jitter_ns > JITTER_MAX_NS) {
                return false;
            }
        }
    }
    return true;
}

/// Return true if the only fault of a match is a silence of some time, over even lines.
static bool is_one_silence(const bks_lab *lab)
{
    const bks_lab_timed *fault = &lab->faults.timed[0];
    return lab->faults.timed_count == 1 && !fault->in_lobby && are_lines_even(lab) &&
           (fault->kind == BKS_LAB_PAUSE || fault->kind == BKS_LAB_CUT ||
            fault->kind == BKS_LAB_FULL);
}

/// Return true if the only faults of a match are changes of its speed, over even lines.
static bool has_speeds_alone(const bks_lab *lab)
{
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        if (lab->faults.timed[i].kind != BKS_LAB_SPEED) {
            return false;
        }
    }
    return are_lines_even(lab);
}

/// Return the input delay of a peer in the same match without faults, with neutral inputs, and with
/// the tick rate that its speed gives.
/// @param since_ns  time after the first tick
static uint32_t calm_delay(const bks_lab *lab, const bks_oracle_match *match, uint32_t peer,
                           uint64_t since_ns)
{
    bks_lab_config config = lab->config;
    memset(config.sources, 0, sizeof(config.sources));
    memset(config.records, 0, sizeof(config.records));
    config.cue = NULL;
    bks_game game = *config.game;
    game.tick_rate_hz = (uint32_t)(game.tick_rate_hz * speed_of(lab, peer));
    game.tick_rate_hz = game.tick_rate_hz > 0 ? game.tick_rate_hz : 1;
    config.game = &game;
    bks_lab *calm = NULL;
    bks_status status = bks_lab_create(&config, &calm, NULL);
    for (uint32_t i = 0; status == BKS_OK && i < match->link_count; i++) {
        status = bks_lab_link(calm, match->links[i], NULL);
    }
    if (status != BKS_OK) {
        bks_lab_destroy(calm);
        return BKS_DELAY_MAX;
    }
    bool is_on = true;
    while (is_on &&
           (calm->first_tick_ns == UINT64_MAX || calm->now_ns < calm->first_tick_ns + since_ns)) {
        is_on = bks_lab_advance(calm, calm->now_ns + PACKET_GAP_NS);
    }
    const uint32_t delay = bksi_inspect_delay(calm->peers[peer].session);
    bks_lab_destroy(calm);
    return delay;
}

static double with_spare(double delay)
{
    const double spare = delay * LONGER_SHARE;
    return delay + (spare > LONGER_TICKS ? spare : LONGER_TICKS);
}

/// Return the longest input delay that a peer may have some time after the last fault.
static double longest_delay(const oracle_delays *delays, const bks_lab *lab,
                            const bks_oracle_match *match, uint32_t peer, uint64_t since_ns)
{
    const double most = with_spare(delays->before[peer] * speed_of(lab, peer));
    if (bksi_inspect_delay(lab->peers[peer].session) <= most) {
        return most; // saves a second match in nearly all cases
    }
    const double needed = is_one_silence(lab) || has_speeds_alone(lab)
                              ? with_spare(calm_delay(lab, match, peer, since_ns))
                              : (double)needed_ns(lab) / tick_ns_of(lab, peer) + 2.0;
    return most > needed ? most : needed;
}

void bksi_oracle_watch_delay(oracle_delays *delays, const bks_lab *lab,
                             const bks_oracle_match *match, const bks_lab_expectation *expected,
                             uint32_t playing, bks_oracle_verdict *verdict)
{
    if (lab->first_tick_ns == UINT64_MAX || lab->faults.timed_count == 0 || delays->is_done ||
        !is_judged(lab)) {
        return;
    }
    const uint64_t since_ns = lab->now_ns - lab->first_tick_ns;
    const bool is_early = since_ns < lab->faults.timed[0].at_ns;
    delays->is_done = !is_early && since_ns >= expected->over_ns + GIVE_BACK_NS;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const uint32_t now = bksi_inspect_delay(lab->peers[i].session);
        delays->before[i] = is_early ? now : delays->before[i];
        if (!delays->is_done || (playing >> i & 1u) == 0) {
            continue;
        }
        const double most = longest_delay(delays, lab, match, i, since_ns);
        if (now > most) {
            bksi_oracle_fail(verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                             "peer %u has an input delay of %u ticks %.1f s after the last fault, "
                             "before the faults it was %u, must be at most %.1f",
                             i, now, (double)GIVE_BACK_NS / (double)SECOND_NS, delays->before[i],
                             most);
        }
    }
}

/// Return true if the lines are even and any two peers reach each other. Then half a minute shows
/// how many packets the lines lose.
static bool are_losses_plain(const bks_lab *lab, const bks_lab_expectation *expected)
{
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        if (expected->apart[i] != 0) {
            return false;
        }
    }
    return are_lines_even(lab);
}

/// Return the mean number of hitches of a peer so far.
static double mean_hitches(const bks_lab *lab)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        bks_stats stats;
        (void)bks_session_stats(lab->peers[i].session, &stats);
        sum += stats.hitches;
    }
    return (double)sum / lab->config.peers;
}

void bksi_oracle_watch_hitches(oracle_hitches *hitches, const bks_lab *lab,
                               const bks_lab_expectation *expected, uint32_t playing,
                               bks_oracle_verdict *verdict)
{
    if (lab->first_tick_ns == UINT64_MAX ||
        lab->now_ns < lab->first_tick_ns + expected->over_ns + LEARNT_NS || !is_judged(lab) ||
        !are_losses_plain(lab, expected)) {
        return;
    }
    if (hitches->begun_ns == 0) {
        *hitches = (oracle_hitches){lab->now_ns, mean_hitches(lab), playing};
    }
    // Do not judge any more after a desync, because a repair holds ticks back, or after a peer
    // left, because the others wait for it.
    if (playing != hitches->playing || lab->moments[LAB_MOMENT_DESYNC] > 0) {
        return;
    }
    const double seconds = (double)(lab->now_ns - hitches->begun_ns) / (double)SECOND_NS;
    const double mean = mean_hitches(lab) - hitches->before;
    const double most = HITCHES_MOST + HITCHES_PER_MINUTE * seconds / 60.0;
    if (mean > most) {
        bksi_oracle_fail(verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                         "peers hitched %.1f times each in %.0f s over lines that do not change, "
                         "must be at most %.1f",
                         mean, seconds, most);
    }
}
