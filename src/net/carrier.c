// SPDX-License-Identifier: MIT

// Turns by bytes as in start-time fair queueing [Goyal].

#include "net/carrier.h"

#include <string.h>

#include "base/assert.h"

void bksi_carrier_init(bksi_carrier *carrier)
{
    memset(carrier, 0, sizeof(*carrier));
}

static void drop(bksi_carrier *carrier, bksi_carrier_slot *slot)
{
    uint32_t *waiting = &carrier->turns[slot->hop].waiting;
    *waiting -= 1;
    carrier->waiting &= *waiting > 0 ? UINT32_MAX : ~(1u << slot->hop);
    slot->count = 0;
}

// ---- in ----

static bool is_of(const bksi_carrier_slot *slot, uint32_t origin, uint32_t target)
{
    return slot->count > 0 && slot->origin == origin && slot->target == target;
}

/// The INPUT that gives way to one more of its pair: the oldest of the same route, else the oldest;
/// NULL: there is room.
static bksi_carrier_slot *older_input(bksi_carrier *carrier, const bksi_routed *routed)
{
    bksi_carrier_slot *oldest = NULL;
    uint32_t count = 0;
    bool is_same = false;
    for (uint32_t i = 0; i < BKSI_CARRIER_SLOTS; i++) {
        bksi_carrier_slot *slot = &carrier->slots[i];
        if (!slot->is_input || !is_of(slot, routed->origin, routed->target)) {
            continue;
        }
        count++;
        bool is_route = slot->bits == bksi_routed_bits(routed);
        if (oldest == NULL || (is_route && !is_same) ||
            (is_route == is_same && slot->order < oldest->order)) {
            oldest = slot;
            is_same = is_route;
        }
    }
    return count < BKSI_CARRIER_INPUTS_OF_PAIR ? NULL : oldest;
}

/// An origin with nothing to come to this peer begins where the others are.
static void begin_turns(bksi_carrier *carrier, uint32_t hop, uint32_t origin)
{
    bksi_carrier_turns *turns = &carrier->turns[hop];
    for (uint32_t i = 0; i < BKSI_CARRIER_SLOTS; i++) {
        const bksi_carrier_slot *slot = &carrier->slots[i];
        if (slot->count > 0 && slot->hop == hop && slot->origin == origin) {
            return;
        }
    }
    uint64_t *bytes = &turns->bytes[origin];
    *bytes = *bytes > turns->now_bytes ? *bytes : turns->now_bytes;
}

/// The newest packet, not an INPUT, of the origin that has the most of them.
static bksi_carrier_slot *newest_of_most(bksi_carrier *carrier, const uint32_t *others)
{
    bksi_carrier_slot *found = NULL;
    for (uint32_t i = 0; i < BKSI_CARRIER_SLOTS; i++) {
        bksi_carrier_slot *slot = &carrier->slots[i];
        if (slot->count == 0 || slot->is_input) {
            continue;
        }
        uint32_t more = found != NULL ? others[found->origin] : 0;
        if (others[slot->origin] > more ||
            (others[slot->origin] == more && slot->order > found->order)) {
            found = slot;
        }
    }
    return found;
}

/// Whether there is room for a packet that is no INPUT; an origin that has more gives way.
static bool make_room(bksi_carrier *carrier, const bksi_routed *routed)
{
    uint32_t others[BKS_PEERS_MAX] = {0};
    uint32_t all = 0;
    uint32_t of_pair = 0;
    for (uint32_t i = 0; i < BKSI_CARRIER_SLOTS; i++) {
        const bksi_carrier_slot *slot = &carrier->slots[i];
        if (slot->count > 0 && !slot->is_input) {
            all++;
            others[slot->origin]++;
            of_pair += is_of(slot, routed->origin, routed->target) ? 1 : 0;
        }
    }
    if (of_pair >= BKSI_CARRIER_OTHERS_OF_PAIR) {
        return false;
    }
    if (all < BKSI_CARRIER_OTHERS) {
        return true;
    }
    bksi_carrier_slot *slot = newest_of_most(carrier, others);
    if (others[slot->origin] <= others[routed->origin] + 1) {
        return false;
    }
    drop(carrier, slot);
    carrier->dropped++;
    return true;
}

static bksi_carrier_slot *free_slot(bksi_carrier *carrier)
{
    for (uint32_t i = 0; i < BKSI_CARRIER_SLOTS; i++) {
        if (carrier->slots[i].count == 0) {
            return &carrier->slots[i];
        }
    }
    return NULL;
}

void bksi_carrier_put(bksi_carrier *carrier, const bksi_routed *routed, const uint8_t *packet,
                      size_t count, uint64_t now_ns)
{
    BKS_ASSERT(count > 0 && count <= BKSI_CARRIED_PACKET_BYTES_MAX);
    bool is_input = packet[0] >> 4 == BKSI_PACKET_INPUT;
    uint32_t hop = bksi_route_next(&routed->route, routed->passed, routed->target);
    begin_turns(carrier, hop, routed->origin);
    bksi_carrier_slot *slot = is_input ? older_input(carrier, routed) : NULL;
    if (slot != NULL) {
        drop(carrier, slot);
    } else if (is_input || make_room(carrier, routed)) {
        slot = free_slot(carrier);
    }
    if (slot == NULL) {
        carrier->dropped++;
        return;
    }
    carrier->turns[hop].waiting++;
    carrier->waiting |= 1u << hop;
    slot->count = (uint32_t)count;
    slot->hop = hop;
    slot->origin = routed->origin;
    slot->target = routed->target;
    slot->is_input = is_input;
    slot->bits = bksi_routed_bits(routed);
    slot->order = carrier->came++;
    slot->since_ns = now_ns;
    memcpy(slot->packet, packet, count);
}

// ---- out ----

uint64_t bksi_carrier_since_ns(const bksi_carrier *carrier, uint32_t hop)
{
    uint64_t since_ns = UINT64_MAX;
    for (uint32_t i = 0; i < BKSI_CARRIER_SLOTS && bksi_carrier_waits(carrier, hop); i++) {
        const bksi_carrier_slot *slot = &carrier->slots[i];
        if (slot->count > 0 && slot->hop == hop && slot->since_ns < since_ns) {
            since_ns = slot->since_ns;
        }
    }
    return since_ns;
}

/// Whose turn it is, and its oldest packet, of those that fit.
static bksi_carrier_slot *next_slot(bksi_carrier *carrier, uint32_t hop, size_t room)
{
    const uint64_t *bytes = carrier->turns[hop].bytes;
    bksi_carrier_slot *best = NULL;
    for (uint32_t i = 0; i < BKSI_CARRIER_SLOTS; i++) {
        bksi_carrier_slot *slot = &carrier->slots[i];
        if (slot->count == 0 || slot->hop != hop || slot->count > room) {
            continue;
        }
        uint64_t mine = bytes[slot->origin];
        if (best == NULL || mine < bytes[best->origin] ||
            (mine == bytes[best->origin] && slot->order < best->order)) {
            best = slot;
        }
    }
    return best;
}

uint32_t bksi_carrier_fill(bksi_carrier *carrier, uint32_t hop, bksi_byte_writer *writer)
{
    bksi_carrier_turns *turns = &carrier->turns[hop];
    const bksi_carrier_slot *taken[BKSI_CARRIER_SLOTS];
    size_t bytes[BKSI_CARRIER_SLOTS];
    uint32_t count = 0;
    size_t left = writer->capacity - writer->at;
    size_t head = BKSI_CARRIED_LAST_BYTES;
    while (turns->waiting > 0 && left > head) {
        bksi_carrier_slot *slot = next_slot(carrier, hop, left - head);
        if (slot == NULL) {
            break;
        }
        uint64_t *origin = &turns->bytes[slot->origin];
        turns->now_bytes = *origin > turns->now_bytes ? *origin : turns->now_bytes;
        *origin += slot->count;
        left -= head + slot->count;
        head = BKSI_CARRIED_NEXT_BYTES; // the one before gets a length
        taken[count] = slot;
        bytes[count++] = slot->count;
        drop(carrier, slot);
    }
    for (uint32_t i = 0; i < count; i++) {
        bksi_carried_write_packet(writer, taken[i]->bits, i + 1 == count, taken[i]->packet,
                                  bytes[i]);
    }
    BKS_ASSERT(!writer->failed);
    return count;
}
