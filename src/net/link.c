// SPDX-License-Identifier: MIT

#include "net/link.h"

#include "net/line.h"
#include "net/path_state.h"
#include "net/units.h"

/// Minimum time between echoes, a little less than three ticks at 60 Hz. If at most
/// ECHO_SLOW_PACKETS packets arrive in this time, the line counts as slow.
#define ECHO_GAP_NS       (45 * MS)
#define ECHO_SLOW_PACKETS 2u

/// RECENT_PACKETS: number of the newest packets over which the loss is averaged. LOSSES_MAX:
/// longest run of missing packets that counts as losses; if more are missing, the line did not work
/// at all for a while.
#define RECENT_PACKETS 64u
#define LOSSES_MAX     16u

/// Time after which `mark` is set to the newest packet again.
#define MARK_NS (500 * MS)

static void note_way(bksi_link *link, uint64_t number, uint32_t way, uint64_t now_ns)
{
    if (way != link->way && !link->owes_other) {
        link->owes_other = true;
        link->other = (bksi_link_arrival){number, now_ns, link->received};
    }
    link->way = way;
}

/// Remember an arrived packet if the next echo should report it.
static void note_arrival(bksi_link *link, uint64_t number, uint32_t way, uint64_t now_ns)
{
    if (way == BKSI_ROUTE_OF_OTHERS) {
        return;
    }
    note_way(link, number, way, now_ns);
    if (number > link->newest.number) {
        link->newest = (bksi_link_arrival){number, now_ns, link->received};
    }
}

/// Return how many of the missing packets count as lost probes of the direct route. The peer sends
/// such probes while it uses a detour.
static uint64_t count_probes(bksi_link *link, uint64_t missing, uint32_t way, uint64_t now_ns)
{
    if (way == 0 || way == BKSI_ROUTE_OF_OTHERS) {
        return 0;
    }
    // Count at most two missing packets as lost probes of the direct route: after a pause the
    // detour itself may have lost the others.
    const uint64_t least_ns =
        now_ns - (now_ns < 2 * BKSI_PATH_PROBE_GAP_NS ? now_ns : 2 * BKSI_PATH_PROBE_GAP_NS);
    link->probed_ns = link->probed_ns < least_ns ? least_ns : link->probed_ns;
    const uint64_t due = (now_ns - link->probed_ns) / BKSI_PATH_PROBE_GAP_NS;
    const uint64_t probes = missing < due ? missing : due;
    link->probed_ns += probes * BKSI_PATH_PROBE_GAP_NS;
    return probes;
}

/// Update the recent loss with a packet that arrived and with the lost packets before it.
static void note_losses(bksi_link *link, uint64_t lost)
{
    if (lost > LOSSES_MAX) {
        return;
    }
    const uint32_t packets = (uint32_t)lost + 1;
    link->recent =
        link->recent + packets < RECENT_PACKETS ? link->recent + packets : RECENT_PACKETS;
    link->recent_loss += ((double)lost - link->recent_loss * packets) / link->recent;
}

/// Subtract a loss that was counted, because the packet arrived after all, later than newer ones.
static void forgive_loss(bksi_link *link)
{
    const double less = link->recent > 0 ? link->recent_loss - 1.0 / link->recent : 0.0;
    link->recent_loss = less > 0.0 ? less : 0.0;
}

void bksi_link_received(bksi_link *link, uint64_t number, bool is_first, uint32_t way,
                        uint64_t now_ns)
{
    link->received++;
    if (!link->any_received || is_first) {
        link->any_received = true;
        link->expected = link->received;
        link->newest_number = number;
        link->newest = (bksi_link_arrival){number, now_ns, link->received};
        link->way = way;
        link->owes_other = false;
        link->mark = (bksi_link_arrival){number, now_ns, link->received};
        link->stale_below = 0;
        return;
    }
    note_arrival(link, number, way, now_ns);
    if (now_ns - link->mark.came_ns >= MARK_NS) {
        link->stale_below = link->mark.number;
        link->mark = (bksi_link_arrival){link->newest_number, now_ns, link->received};
    }
    if (number <= link->newest_number) {
        forgive_loss(link);
        return;
    }
    const uint64_t missing = number - link->newest_number - 1;
    const uint64_t lost = missing - count_probes(link, missing, way, now_ns);
    link->expected += lost + 1;
    note_losses(link, lost);
    link->newest_number = number;
}

bool bksi_link_owes_echo(const bksi_link *link, uint64_t now_ns)
{
    uint64_t since_ns = now_ns - link->echoed_ns;
    bool is_slow = link->received - link->echoed_came <= ECHO_SLOW_PACKETS;
    return link->any_received && (!link->any_echoed || link->owes_other ||
                                  since_ns >= (is_slow ? ECHO_GAP_NS : 2 * ECHO_GAP_NS));
}

void bksi_link_owe_echo(bksi_link *link)
{
    link->other = link->newest;
    link->owes_other = true;
}

bksi_echo bksi_link_echo(bksi_link *link, uint64_t now_ns)
{
    const bksi_link_arrival *arrival = link->owes_other ? &link->other : &link->newest;
    const uint64_t received = link->owes_other ? arrival->received : link->received;
    uint64_t held = (now_ns - arrival->came_ns) / BKSI_HOLD_UNIT_NS;
    link->owes_other = false;
    link->any_echoed = true;
    link->echoed_ns = now_ns;
    link->echoed_came = link->received;
    return (bksi_echo){.number = (uint16_t)arrival->number,
                       .stamp = bksi_line_stamp(arrival->came_ns),
                       .came = (uint8_t)received,
                       .hold = (uint8_t)(held < BKSI_HOLD_NONE ? held : BKSI_HOLD_NONE)};
}

void bksi_link_measured(bksi_link *link, double round_trip_ns)
{
    if (!link->has_round_trip) {
        link->has_round_trip = true;
        link->round_trip_ns = round_trip_ns;
        link->deviation_ns = 0.0;
        link->least_trip_ns = round_trip_ns;
        return;
    }
    link->least_trip_ns = round_trip_ns < link->least_trip_ns ? round_trip_ns : link->least_trip_ns;
    double off = round_trip_ns - link->round_trip_ns;
    link->round_trip_ns += off / 8.0;
    link->deviation_ns += ((off < 0.0 ? -off : off) - link->deviation_ns) / 4.0;
}

double bksi_link_loss(const bksi_link *link)
{
    if (link->expected == 0 || link->received >= link->expected) {
        return 0.0;
    }
    return 1.0 - (double)link->received / (double)link->expected;
}
