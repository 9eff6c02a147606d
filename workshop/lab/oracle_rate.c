// SPDX-License-Identifier: MIT

#include "lab/oracle_internal.h"

#include "lab/lab_internal.h"

#define MS_NS     UINT64_C(1000000)
#define SECOND_NS UINT64_C(1000000000)

/// Shortest time between two packets of a session.
#define PACKET_GAP_NS (SECOND_NS / 120)

/// Longest time between two packets over narrow lines. Peers that waited for a packet may be this
/// far apart afterwards; slew brings them together by 20 ms per second.
#define PACKET_GAP_MAX_NS (100 * MS_NS)

/// Greatest share of lost packets, in ppm, with which a link can carry a match at its tick rate.
#define LOSS_MAX_PPM 60000u

/// NEED_BITS_PER_S: rate that a peer with one player needs. PLAYER_BITS_PER_S: rate that each
/// further player adds. COMMAND_BITS_PER_S: rate that commands add. On a narrower line the first
/// packets of a burst of commands delay inputs.
#define NEED_BITS_PER_S    UINT64_C(14000)
#define PLAYER_BITS_PER_S  UINT64_C(6000)
#define COMMAND_BITS_PER_S UINT64_C(50000)

/// Time that a fixed window and delay together must cover in addition to the travel time of a
/// packet, because lost inputs come with later packets.
#define SPARE_NS (150 * MS_NS)

/// RATE_SHARE: minimum share of the tick rate over a whole match. SETTLE_NS: time until pace and
/// delay have adapted.
#define RATE_SHARE 0.95
#define SETTLE_NS  (2 * SECOND_NS)

/// Longest time that a meeting takes, not counting the time after which a silent peer is dropped.
#define MEETING_NS (4 * SECOND_NS)

/// Time until the match has caught up after a queue was filled.
#define SETTLE_QUEUE_NS (1 * SECOND_NS)

static uint64_t tick_ns_of(const bks_lab *lab)
{
    return SECOND_NS / lab->config.game->tick_rate_hz;
}

static uint64_t needed_bits_per_s(const bks_lab *lab, uint32_t from)
{
    return NEED_BITS_PER_S + (lab->config.players_on[from] - 1) * PLAYER_BITS_PER_S +
           (lab->config.game->command_bytes_max > 0 ? COMMAND_BITS_PER_S : 0);
}

// ---- matches whose window and delay are too short even for perfect links ----

/// Return true if the line from one peer to another was so narrow that packets may still be rarer
/// than usual. They reach their usual number within a minute.
static bool was_narrow(const bks_lab *lab, uint32_t from, uint32_t to)
{
    const bksi_lab_link *link = lab->links[from][to];
    const uint64_t rate = link != NULL ? bksi_lab_link_get_worst(link)->rate_bits_per_s : 0;
    return rate > 0 && rate < 2 * needed_bits_per_s(lab, from);
}

/// Return the longest time that an input takes from one peer to another over perfect links. It may
/// wait for the next round of both game loops and for the next packet, and may go through a third
/// peer.
static uint64_t longest_input_ns(const bks_lab *lab, const bks_lab_expectation *expected,
                                 uint32_t from, uint32_t to)
{
    const uint64_t tick_ns = tick_ns_of(lab);
    uint64_t long_ns = lab->peers[from].frame_ns + lab->peers[to].frame_ns;
    long_ns += tick_ns < PACKET_GAP_NS ? PACKET_GAP_NS : 0;
    long_ns += was_narrow(lab, from, to) ? 2 * PACKET_GAP_MAX_NS : 0;
    if ((expected->apart[from] >> to & 1u) == 0) {
        return long_ns;
    }
    uint64_t third_ns = 0;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const uint64_t frame_ns = lab->peers[i].frame_ns;
        third_ns = i != from && i != to && frame_ns > third_ns ? frame_ns : third_ns;
    }
    return long_ns + third_ns + (tick_ns > PACKET_GAP_NS ? tick_ns : PACKET_GAP_NS);
}

bool bksi_oracle_is_tight(const bks_lab *lab, const bks_lab_expectation *expected, uint32_t index,
                          uint32_t playing)
{
    const bks_tuning tuning = bksi_lab_tuning_of(&lab->config, index);
    if (tuning.delay_ticks == BKS_AUTO || (playing >> index & 1u) == 0) {
        return false;
    }
    const uint64_t tick_ns = tick_ns_of(lab);
    const uint64_t room_ns = (tuning.window_ticks + tuning.delay_ticks) * tick_ns;
    for (uint32_t i = 0; i < lab->config.peers; i++) {
        const uint64_t input_ns = longest_input_ns(lab, expected, i, index);
        if (i != index && (playing >> i & 1u) != 0 && input_ns > 0 &&
            room_ns < input_ns + tick_ns) {
            return true;
        }
    }
    return false;
}

// ---- matches that must keep their tick rate over the links they were given ----

/// Return true if the link from one peer to another could carry all its packets at all times.
static bool carries(const bks_lab *lab, uint32_t from, uint32_t to)
{
    const bks_lab_link_spec *spec = bksi_lab_link_get_worst(lab->links[from][to]);
    const uint64_t need = needed_bits_per_s(lab, from);
    // Count packets that are held back as lost packets.
    const uint32_t held_ppm = spec->hold_ns > 0 ? spec->reorder_ppm : 0;
    return spec->mtu_bytes == 0 && spec->loss_ppm + spec->corrupt_ppm + held_ppm <= LOSS_MAX_PPM &&
           (spec->rate_bits_per_s == 0 || spec->rate_bits_per_s >= need);
}

/// Return true if inputs over a link reach a peer in time. On a narrow line a session sends fewer
/// packets, so the queue of such a line is soon short and does not count.
static bool is_in_time(const bks_lab *lab, uint32_t from, uint32_t to)
{
    const bks_tuning tuning = bksi_lab_tuning_of(&lab->config, to);
    const uint64_t tick_ns = tick_ns_of(lab);
    bks_lab_link_spec spec = *bksi_lab_link_get_worst(lab->links[from][to]);
    const uint64_t rare_ns = spec.rate_bits_per_s > 0 ? PACKET_GAP_MAX_NS : 0;
    spec.rate_bits_per_s = 0;
    const uint64_t way_ns = bks_lab_link_longest_ns(&spec) + rare_ns + lab->peers[from].frame_ns +
                            lab->peers[to].frame_ns + SPARE_NS;
    const uint32_t delay = tuning.delay_ticks == BKS_AUTO ? BKS_DELAY_MAX : tuning.delay_ticks;
    return (tuning.window_ticks + delay) * tick_ns >= way_ns;
}

bool bksi_oracle_is_calm(const bks_lab *lab)
{
    const uint32_t harmless = 1u << BKS_LAB_HEAL | 1u << BKS_LAB_DRIFT | 1u << BKS_LAB_CLOCK |
                              1u << BKS_LAB_RATE | 1u << BKS_LAB_FILL | 1u << BKS_LAB_LOAD;
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        if ((harmless >> lab->faults.timed[i].kind & 1u) == 0) {
            return false;
        }
    }
    for (uint32_t from = 0; from < lab->config.peers; from++) {
        for (uint32_t to = 0; to < lab->config.peers; to++) {
            if (from != to && (!carries(lab, from, to) || !is_in_time(lab, from, to))) {
                return false;
            }
        }
    }
    return lab->config.step_ns == 0;
}

/// Return the time that a match may last beyond its ticks: until pace and delay have adapted, until
/// filled queues are gone, and for meetings, because the end of the match waits for them.
static uint64_t settle_ns(const bks_lab *lab)
{
    uint64_t sum_ns = SETTLE_NS;
    for (uint32_t i = 0; i < lab->faults.timed_count; i++) {
        const bks_lab_fault_kind kind = lab->faults.timed[i].kind;
        sum_ns += kind == BKS_LAB_RATE || kind == BKS_LAB_FILL ? SETTLE_QUEUE_NS : 0;
    }
    for (uint32_t i = 0; i < lab->repair_count; i++) {
        sum_ns += MEETING_NS + lab->config.tuning.drop_after_ms * MS_NS;
    }
    return sum_ns;
}

void bksi_oracle_judge_rate(const bks_lab *lab, const bks_lab_result *result,
                            bks_oracle_verdict *verdict)
{
    const bks_tick end = bksi_lab_end(lab);
    if (!lab->is_over || !bksi_oracle_is_calm(lab) || result->compared + result->in_spans < end) {
        return;
    }
    const bks_tick ticks = end - lab->config.first_tick;
    const uint64_t match_ns = (uint64_t)ticks * tick_ns_of(lab);
    const uint64_t most_ns =
        (uint64_t)((double)match_ns / RATE_SHARE) + settle_ns(lab) + 2 * tick_ns_of(lab);
    if (result->match_ns > most_ns) {
        bksi_oracle_fail(verdict, BKS_ORACLE_DEAD, BKS_TICK_NONE,
                         "%d ticks took %u ms over links that can carry them, must be at most %u",
                         ticks, (unsigned)(result->match_ns / MS_NS), (unsigned)(most_ns / MS_NS));
    }
}
