// SPDX-License-Identifier: MIT

// The peers whose packets we pass on take turns, so that all send about the same number of bytes:
// start-time fair queueing [Goyal].

#include "net/carrier.h"

#include <string.h>

#include "base/report.h"

void bksi_carrier_init(bksi_carrier *carrier)
{
    memset(carrier, 0, sizeof(*carrier));
}

/// Return the offset of a packet's bytes in its queue.
static uint32_t begin_of(const bksi_carrier_queue *queue, uint32_t index)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < index; i++) {
        at += queue->packets[i].count;
    }
    return at;
}

static uint32_t cost_of(const bksi_carrier_packet *packet)
{
    return packet->count > BKSI_CARRIER_SHORT_BYTES ? packet->count : BKSI_CARRIER_SHORT_BYTES;
}

static void drop(bksi_carrier *carrier, bksi_carrier_queue *queue, uint32_t index)
{
    bksi_carrier_packet *packet = &queue->packets[index];
    uint32_t *waiting = &carrier->turns[packet->hop].waiting;
    *waiting -= 1;
    carrier->waiting &= *waiting > 0 ? UINT32_MAX : ~(1u << packet->hop);
    const uint32_t at = begin_of(queue, index);
    const uint32_t next = at + packet->count;
    memmove(&queue->bytes[at], &queue->bytes[next], queue->used - next);
    queue->used -= packet->count;
    queue->cost -= cost_of(packet);
    queue->count--;
    memmove(packet, packet + 1, (queue->count - index) * sizeof(*packet));
}

// ---- packets that arrive ----

/// Return the peer that held a packet `steps` hops before us: 0 steps is ourselves, 1 step is the
/// peer that handed the packet to us. Return BKS_PEERS_MAX if the packet has passed fewer peers.
static uint32_t holder(const bksi_routed *routed, uint32_t steps)
{
    if (steps > routed->passed) {
        return BKS_PEERS_MAX;
    }
    const uint32_t place = routed->passed - steps;
    return place == 0 ? routed->origin : routed->route.peers[place - 1];
}

/// Return the peer that handed a packet to us; for our own packets return ourselves.
static uint32_t hander(const bksi_routed *routed)
{
    return holder(routed, routed->passed > 0 ? 1 : 0);
}

/// If no packet of peer `from` waits for peer `hop`, raise the byte count of `from` to that of the
/// last turn. Otherwise the peer would get extra turns for the time in which it sent nothing.
static void begin_turns(bksi_carrier *carrier, uint32_t hop, uint32_t from)
{
    bksi_carrier_turns *turns = &carrier->turns[hop];
    const bksi_carrier_queue *queue = &carrier->queues[from];
    for (uint32_t i = 0; i < queue->count; i++) {
        if (queue->packets[i].hop == hop) {
            return;
        }
    }
    uint64_t *bytes = &turns->bytes[from];
    *bytes = *bytes > turns->now_bytes ? *bytes : turns->now_bytes;
}

/// Return true if one more packet may wait on a route; drop the oldest INPUT to make room.
static bool make_room_on_route(bksi_carrier *carrier, bksi_carrier_queue *queue, uint32_t bits,
                               bool is_input, bool is_narrow)
{
    uint32_t oldest = 0;
    uint32_t count = 0;
    for (uint32_t i = queue->count; i-- > 0;) {
        const bksi_carrier_packet *packet = &queue->packets[i];
        if (packet->is_input == is_input && packet->bits == bits) {
            oldest = i;
            count++;
        }
    }
    if (!is_input) {
        return count < BKSI_CARRIER_OTHERS_OF_ROUTE;
    }
    if (count >= (is_narrow ? 1 : BKSI_CARRIER_INPUTS_OF_ROUTE)) {
        drop(carrier, queue, oldest);
    }
    return true;
}

/// Group the packets in `some` (bits by index) by the peer that held them `steps` hops before us.
/// Packets that have passed fewer peers form one group.
/// @return packets of the group that takes the most room, as bits
static uint64_t of_greediest(const bksi_carrier_queue *queue, uint64_t some, uint32_t steps)
{
    uint32_t bytes[BKS_PEERS_MAX + 1] = {0};
    uint64_t of[BKS_PEERS_MAX + 1] = {0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < queue->count; i++) {
        if ((some >> i & 1) != 0) {
            const uint32_t peer = holder(&queue->packets[i].routed, steps);
            bytes[peer] += cost_of(&queue->packets[i]);
            of[peer] |= UINT64_C(1) << i;
        }
    }
    for (uint32_t peer = 1; peer <= BKS_PEERS_MAX; peer++) {
        most = bytes[peer] > bytes[most] ? peer : most;
    }
    return of[most];
}

_Static_assert(BKSI_CARRIER_PACKETS <= 64, "a bit for each");

/// Choose the packet to drop from a full queue. Its room is shared among the peers from which the
/// peer that handed us these packets had got them, itself included. Each share is divided in the
/// same way at the previous hop, back to the origin. So forged packets use up the share of the peer
/// that forged them.
static uint32_t find_least_due(const bksi_carrier_queue *queue)
{
    uint64_t some = (UINT64_C(1) << queue->count) - 1;
    uint32_t steps = 1;
    uint32_t oldest = 0;
    do {
        some = of_greediest(queue, some, ++steps);
        for (oldest = 0; (some >> oldest & 1) == 0; oldest++) {
        }
        // Stop when the remaining packets have no earlier holder: all have the same origin.
    } while (queue->packets[oldest].routed.passed >= steps);
    return oldest;
}

void bksi_carrier_put(bksi_carrier *carrier, const bksi_routed *routed, const uint8_t *packet,
                      size_t count, bool is_narrow, uint64_t now_ns)
{
    BKS_ASSERT(count > 0 && count <= BKSI_CARRIED_PACKET_BYTES_MAX);
    const bool is_input = packet[0] >> 4 == BKSI_PACKET_INPUT;
    const uint32_t hop = bksi_route_next(&routed->route, routed->passed, routed->target);
    const uint32_t from = hander(routed);
    bksi_carrier_queue *queue = &carrier->queues[from];
    begin_turns(carrier, hop, from);
    const uint32_t bits = bksi_routed_bits(routed);
    if (!make_room_on_route(carrier, queue, bits, is_input, is_narrow)) {
        carrier->dropped++;
        return;
    }
    memcpy(&queue->bytes[queue->used], packet, count);
    bksi_carrier_packet *waits = &queue->packets[queue->count++];
    *waits = (bksi_carrier_packet){.since_ns = now_ns,
                                   .count = (uint32_t)count,
                                   .hop = hop,
                                   .routed = *routed,
                                   .bits = bits,
                                   .is_input = is_input};
    queue->used += waits->count;
    queue->cost += cost_of(waits);
    carrier->turns[hop].waiting++;
    carrier->waiting |= 1u << hop;
    while (queue->cost > BKSI_CARRIER_BYTES) {
        drop(carrier, queue, find_least_due(queue));
        carrier->dropped++;
    }
}

// ---- packets to send ----

uint64_t bksi_carrier_since_ns(const bksi_carrier *carrier, uint32_t hop)
{
    uint64_t since_ns = UINT64_MAX;
    for (uint32_t from = 0; from < BKS_PEERS_MAX && bksi_carrier_waits(carrier, hop); from++) {
        const bksi_carrier_queue *queue = &carrier->queues[from];
        for (uint32_t i = 0; i < queue->count; i++) {
            const bksi_carrier_packet *packet = &queue->packets[i];
            if (packet->hop == hop && packet->since_ns < since_ns) {
                since_ns = packet->since_ns;
            }
        }
    }
    return since_ns;
}

/// Find the oldest packet to a peer that fits and is not selected yet. Return NULL if there is
/// none.
static bksi_carrier_packet *oldest_that_fits(bksi_carrier_queue *queue, uint32_t hop, size_t room)
{
    for (uint32_t i = 0; i < queue->count; i++) {
        bksi_carrier_packet *packet = &queue->packets[i];
        if (packet->hop == hop && packet->count <= room && !packet->is_taken) {
            return packet;
        }
    }
    return NULL;
}

/// Packet that is selected for sending, and its bytes.
typedef struct taken_packet {
    const bksi_carrier_packet *packet;
    const uint8_t *bytes;
} taken_packet;

/// Select the packet that is next in turn, among those that fit.
/// @return false if no waiting packet fits
static bool take_next(bksi_carrier *carrier, uint32_t hop, size_t room, taken_packet *taken)
{
    bksi_carrier_turns *turns = &carrier->turns[hop];
    bksi_carrier_packet *best = NULL;
    uint32_t best_from = 0;
    for (uint32_t from = 0; from < BKS_PEERS_MAX; from++) {
        bksi_carrier_packet *packet = oldest_that_fits(&carrier->queues[from], hop, room);
        if (packet == NULL) {
            continue;
        }
        if (best == NULL || turns->bytes[from] < turns->bytes[best_from] ||
            (turns->bytes[from] == turns->bytes[best_from] && packet->since_ns < best->since_ns)) {
            best = packet;
            best_from = from;
        }
    }
    if (best == NULL) {
        return false;
    }
    uint64_t *bytes = &turns->bytes[best_from];
    turns->now_bytes = *bytes > turns->now_bytes ? *bytes : turns->now_bytes;
    *bytes += best->count;
    best->is_taken = true;
    const bksi_carrier_queue *queue = &carrier->queues[best_from];
    *taken =
        (taken_packet){best, &queue->bytes[begin_of(queue, (uint32_t)(best - queue->packets))]};
    return true;
}

static void drop_taken(bksi_carrier *carrier)
{
    for (uint32_t from = 0; from < BKS_PEERS_MAX; from++) {
        bksi_carrier_queue *queue = &carrier->queues[from];
        for (uint32_t i = queue->count; i-- > 0;) {
            if (queue->packets[i].is_taken) {
                drop(carrier, queue, i);
            }
        }
    }
}

uint32_t bksi_carrier_fill(bksi_carrier *carrier, uint32_t hop, bksi_byte_writer *writer)
{
    taken_packet taken[BKSI_BODY_BYTES_MAX / BKSI_CARRIED_NEXT_BYTES];
    uint32_t count = 0;
    size_t left = writer->capacity - writer->at;
    size_t head = BKSI_CARRIED_LAST_BYTES;
    while (bksi_carrier_waits(carrier, hop) && left > head &&
           take_next(carrier, hop, left - head, &taken[count])) {
        left -= head + taken[count++].packet->count;
        // Each packet after the first needs room for one more length field: that of the packet
        // before it.
        head = BKSI_CARRIED_NEXT_BYTES;
    }
    for (uint32_t i = 0; i < count; i++) {
        const bksi_carrier_packet *packet = taken[i].packet;
        bksi_carried_write_packet(writer, packet->bits, i + 1 == count, taken[i].bytes,
                                  packet->count);
    }
    BKS_ASSERT(!writer->failed);
    drop_taken(carrier);
    return count;
}
