// SPDX-License-Identifier: MIT

#include "session/inputs/carriage.h"

#include <string.h>

#include "base/mutant.h"

/// Longest time that a packet on a detour waits to be sent along with the next message to the next
/// peer of its route. Then the packet is sent alone. If the line is too narrow for a message a
/// tick, the packet waits one gap between two packets longer.
#define WAIT_MAX_NS (20 * NS_PER_MS)

/// Minimum number of free bytes in a message that can carry a packet.
#define ROOM_MIN_BYTES (BKSI_CARRIED_NEXT_BYTES + BKSI_PACKET_SEAL_BYTES)

static void put(session_carriage *carriage, const session_common *common, const bksi_routed *routed,
                const uint8_t *packet, size_t count)
{
    const uint32_t hop = bksi_route_next(&routed->route, routed->passed, routed->target);
    bksi_carrier_put(&carriage->carrier, routed, packet, count,
                     bksi_links_gap_ns(&common->links, hop) > 0, common->now_ns);
}

// ---- packets that arrive ----

bool bksi_carriage_has_own(const uint8_t *body, size_t count)
{
    return count >= BKSI_CARRIED_OWN_BYTES && (bksi_get_u16(body) & BKSI_CARRIED_IS_OWN) != 0;
}

bool bksi_carriage_open(session_carriage_bundle *bundle, const uint8_t *body, size_t count)
{
    if (count > sizeof(bundle->body) || !bksi_carried_is_sound(body, count)) {
        return false;
    }
    memcpy(bundle->body, body, count);
    bundle->reader = bksi_byte_reader_over(bundle->body, count);
    bundle->is_bad = false;
    return true;
}

/// Get the route of a packet as bits, without the part that tells how far the packet has come.
static uint32_t route_bits_of(bksi_routed routed)
{
    routed.passed = 0;
    return bksi_routed_bits(&routed);
}

/// Process one packet of a CARRIED: return it if it is for us, otherwise queue it for the next peer
/// of its route.
/// @return true if the packet is for us
static bool take_packet(session_carriage *carriage, const session_common *common, uint32_t from,
                        const bksi_carried_piece *carried, session_carriage_bundle *bundle,
                        session_carriage_piece *piece)
{
    const uint32_t self = common->seats.self;
    bksi_routed routed;
    if (!bksi_routed_read(carried->route, common->seats.all, &routed) ||
        !bksi_routed_goes(&routed, from, self) || carried->count > BKSI_CARRIED_PACKET_BYTES_MAX) {
        bundle->is_bad = true;
        return false;
    }
    if (routed.target == self) {
        *piece = (session_carriage_piece){.origin = routed.origin,
                                          .route = route_bits_of(routed),
                                          .bytes = carried->bytes,
                                          .count = carried->count};
        return true;
    }
    if (!bksi_mutated(BKSI_MUTANT_CARRIED)) {
        routed.passed++;
        carriage->relayed++;
        put(carriage, common, &routed, carried->bytes, carried->count);
    }
    return false;
}

bool bksi_carriage_next(session_carriage *carriage, const session_common *common, uint32_t from,
                        session_carriage_bundle *bundle, session_carriage_piece *piece)
{
    bksi_carried_piece carried;
    while (bksi_carried_read(&bundle->reader, &carried)) {
        if (carried.is_own) {
            *piece = (session_carriage_piece){.is_own = true,
                                              .type = carried.type,
                                              .bytes = carried.bytes,
                                              .count = carried.count};
            return true;
        }
        if (take_packet(carriage, common, from, &carried, bundle, piece)) {
            return true;
        }
    }
    return false;
}

// ---- packets to send ----

void bksi_carriage_put(session_carriage *carriage, const session_common *common, uint32_t peer,
                       const bksi_route *route, const uint8_t *packet, size_t count)
{
    const bksi_routed routed = {.route = *route, .origin = common->seats.self, .target = peer};
    if (count <= BKSI_CARRIED_PACKET_BYTES_MAX) {
        put(carriage, common, &routed, packet, count);
    }
}

size_t bksi_carriage_bundle(session_carriage *carriage, uint32_t hop, uint32_t *type, uint8_t *body,
                            size_t count)
{
    if (!bksi_carrier_waits(&carriage->carrier, hop) ||
        count + BKSI_CARRIED_OWN_BYTES + ROOM_MIN_BYTES > BKSI_PATH_BODY_BYTES_MAX) {
        return count;
    }
    uint8_t bundle[BKSI_BODY_BYTES_MAX];
    bksi_byte_writer writer = bksi_byte_writer_over(bundle, BKSI_PATH_BODY_BYTES_MAX);
    if (count > 0) {
        bksi_carried_write_own(&writer, *type, body, count);
    }
    uint32_t packets = bksi_carrier_fill(&carriage->carrier, hop, &writer);
    if (packets == 0 && count == 0) {
        // A packet of a handshake or with BULK may be longer than the packets that every path
        // carries.
        writer = bksi_byte_writer_over(bundle, sizeof(bundle));
        packets = bksi_carrier_fill(&carriage->carrier, hop, &writer);
    }
    if (packets == 0) {
        return count; // no packet fits beside the message
    }
    *type = BKSI_PACKET_CARRIED;
    memcpy(body, bundle, writer.at);
    return writer.at;
}

/// Get the deadline of packets queued for a peer.
static uint64_t limit_ns(const session_carriage *carriage, const session_common *common,
                         uint32_t hop)
{
    const uint64_t since_ns = bksi_carrier_since_ns(&carriage->carrier, hop);
    if (bksi_phase_is_in_lobby(&common->phase)) {
        return since_ns; // in the lobby no other message to that peer follows soon
    }
    const uint64_t tick_ns = NS_PER_SECOND / common->config.tick_rate_hz;
    const uint64_t wait_ns = tick_ns < WAIT_MAX_NS ? tick_ns : WAIT_MAX_NS;
    return since_ns + wait_ns + bksi_links_gap_ns(&common->links, hop);
}

uint32_t bksi_carriage_due(const session_carriage *carriage, const session_common *common)
{
    uint32_t due = 0;
    EACH_PEER (hop, bksi_carrier_hops(&carriage->carrier)) {
        due |= limit_ns(carriage, common, hop) <= common->now_ns ? PEER_BIT(hop) : 0;
    }
    return due;
}

uint64_t bksi_carriage_wake(const session_carriage *carriage, const session_common *common)
{
    uint64_t wake_ns = UINT64_MAX;
    EACH_PEER (hop, bksi_carrier_hops(&carriage->carrier)) {
        const uint64_t until_ns = limit_ns(carriage, common, hop);
        wake_ns = until_ns < wake_ns ? until_ns : wake_ns;
    }
    return wake_ns;
}
