// SPDX-License-Identifier: MIT

// Sealed packets in and out, and new addresses of peers. A packet is checked and authenticated
// before any state changes.

#include "net/guard.h"

#include <sodium.h>
#include <string.h>

#include "base/bytes.h"
#include "base/report.h"
#include "net/units.h"
#include "wire/carried.h"

/// Prologue of the handshake, mixed in by both sides so that a handshake of another protocol fails.
static const char prologue[] = "backstitch";

/// Time after a message of the session during which handshakes are repeated.
#define WANTED_NS (1000 * MS)

/// An ADDRESS packet: size of its body (a kind and a token), size of the whole packet, and its two
/// kinds.
#define ADDRESS_BODY_BYTES 9u
#define ADDRESS_BYTES      (ADDRESS_BODY_BYTES + BKSI_PACKET_SEAL_BYTES)
#define ADDRESS_ASKS       0u
#define ADDRESS_ANSWERS    1u

// ---- keys ----

void bksi_guard_init(bksi_guard *guard, const uint8_t key[BKSI_NOISE_KEY_BYTES],
                     const uint8_t identity[BKSI_NOISE_KEY_BYTES],
                     const uint8_t entropy[BKSI_NOISE_KEY_BYTES])
{
    // Select the fastest code for this processor. Everything works even if this fails.
    int picked = sodium_init();
    (void)picked;
    memset(guard, 0, sizeof(*guard));
    guard->channel_count = BKSI_CHANNELS;
    guard->channels_named = BKSI_CHANNELS;
    memcpy(guard->entropy, entropy, sizeof(guard->entropy));
    bksi_noise_make_pair(&guard->own, identity);
    bksi_guard_identity_of(guard->own.open, guard->identity);
    bksi_noise_begin(&guard->start, prologue, sizeof(prologue) - 1, key);
    uint8_t drawn[BKSI_NOISE_KEY_BYTES];
    bksi_guard_draw(guard, drawn);
    guard->run = bksi_get_u32(drawn);
}

void bksi_guard_widen(bksi_guard *guard, bksi_guard_channel *more, uint32_t count)
{
    BKS_ASSERT(count <= BKSI_CHANNELS_WIDE - BKSI_CHANNELS);
    guard->more = more;
    guard->channel_count = BKSI_CHANNELS + count;
    guard->channels_named = BKSI_CHANNELS_WIDE;
}

void bksi_guard_wipe(bksi_guard *guard)
{
    if (guard->more != NULL) {
        sodium_memzero(guard->more,
                       (guard->channel_count - BKSI_CHANNELS) * sizeof(guard->more[0]));
    }
    sodium_memzero(guard, sizeof(*guard));
}

// ---- packets that arrive ----

/// Verify the address that a checked packet came from, if it is not the known address of the peer.
/// Do so only for the newest packet: an older one may have been sent before the peer moved.
static void note_address(bksi_guard *guard, bksi_guard_channel *channel, uint64_t now_ns,
                         const bks_address *from, uint64_t number, size_t count)
{
    bksi_guard_challenge *challenge = &channel->challenge;
    if (number + 1 != channel->seal.highest) {
        return;
    }
    if (bks_address_equal(from, &channel->address)) {
        challenge->is_open = false;
        return;
    }
    if (!challenge->is_open || !bks_address_equal(from, &challenge->address)) {
        uint8_t drawn[BKSI_NOISE_KEY_BYTES];
        bksi_guard_draw(guard, drawn);
        *challenge =
            (bksi_guard_challenge){.is_open = true, .address = *from, .token = bksi_get_u64(drawn)};
    }
    challenge->credit_bytes += count;
    if (challenge->credit_bytes < ADDRESS_BYTES ||
        (challenge->sent_ns > 0 && now_ns - challenge->sent_ns < BKSI_CHALLENGE_REPEAT_NS)) {
        return;
    }
    challenge->credit_bytes = 0;
    challenge->sent_ns = now_ns;
    challenge->owes = true;
}

/// Handle an ADDRESS packet, which only guards send to each other to verify an address.
static void receive_address(bksi_guard *guard, bksi_guard_channel *channel, const bks_address *from,
                            size_t count)
{
    if (count != ADDRESS_BODY_BYTES) {
        return;
    }
    uint64_t token = bksi_get_u64(guard->plain + 1);
    if (guard->plain[0] == ADDRESS_ASKS) {
        channel->owes_reply = true;
        channel->reply_token = token;
        channel->reply_to = *from;
        return;
    }
    bksi_guard_challenge *challenge = &channel->challenge;
    if (!challenge->is_open || challenge->token != token ||
        !bks_address_equal(from, &challenge->address)) {
        return;
    }
    channel->address = *from;
    channel->has_proven_address = true;
    challenge->is_open = false;
    challenge->owes = false;
    guard->counts.address_changes++;
}

static bksi_guard_verdict refuse(bksi_guard *guard, bksi_seal_result why)
{
    guard->counts.forged += why == BKSI_SEAL_FORGED ? 1 : 0;
    guard->counts.repeated += why == BKSI_SEAL_REPEATED ? 1 : 0;
    return BKSI_GUARD_REFUSED;
}

/// Process a packet under early keys: the peer that we called sent it before our third message
/// arrived.
static bksi_guard_verdict receive_early(bksi_guard *guard, bksi_guard_channel *channel,
                                        uint64_t now_ns, const bksi_guard_place *from,
                                        const uint8_t *packet, size_t count)
{
    uint64_t number = 0;
    bksi_seal_result result = BKSI_SEAL_FORGED;
    // A handshake that began through carriers may continue on the direct path.
    for (uint32_t way = from->is_carried; way < BKSI_GUARD_WAYS && result == BKSI_SEAL_FORGED;
         way++) {
        bksi_guard_handshake *handshake = &channel->handshakes[way];
        if (handshake->stage == BKSI_GUARD_FINISHING) {
            result = bksi_seal_open(&handshake->early, packet, count, guard->plain, &number);
        }
    }
    if (result != BKSI_SEAL_TAKEN || packet[0] >> 4 == BKSI_PACKET_ADDRESS) {
        return refuse(guard, result);
    }
    channel->heard_ns = now_ns;
    guard->single = (bksi_guard_message){.channel = channel->id,
                                         .type = packet[0] >> 4,
                                         .body = guard->plain,
                                         .body_bytes = count - BKSI_PACKET_SEAL_BYTES,
                                         .is_proven = true,
                                         .is_carried = from->is_carried};
    return BKSI_GUARD_TAKEN;
}

/// Return true if a packet is allowed on the path that it took. Every packet is allowed on the
/// direct path. A carried packet must be from the peer that it names as its origin; it may not
/// carry other packets, nor verify an address.
static bool may_come(const bksi_guard_channel *channel, const bksi_guard_place *from, uint32_t type)
{
    bool is_origin = channel->is_named && channel->peer == from->peer;
    return !from->is_carried ||
           (is_origin && type != BKSI_PACKET_CARRIED && type != BKSI_PACKET_ADDRESS);
}

/// End a handshake, because a sealed packet shows that our third message arrived.
static void finish(bksi_guard_handshake *handshake)
{
    if (handshake->stage == BKSI_GUARD_FINISHING && handshake->packet_bytes > 0) {
        handshake->stage = BKSI_GUARD_IDLE;
        handshake->packet_bytes = 0;
        handshake->owes = false;
        sodium_memzero(handshake->check_chain, sizeof(handshake->check_chain));
    }
}

static bksi_guard_verdict receive_sealed(bksi_guard *guard, uint64_t now_ns,
                                         const bksi_guard_place *from, const uint8_t *packet,
                                         size_t count)
{
    bksi_guard_channel *channel = bksi_guard_channel_named(guard, from, packet);
    uint32_t type = packet[0] >> 4;
    if (channel == NULL || count < BKSI_PACKET_SEAL_BYTES || !may_come(channel, from, type)) {
        return refuse(guard, BKSI_SEAL_FORGED);
    }
    uint64_t number = 0;
    bksi_seal_result result = BKSI_SEAL_FORGED;
    if (channel->is_open) {
        result = bksi_seal_open(&channel->seal, packet, count, guard->plain, &number);
    }
    if (result == BKSI_SEAL_FORGED && bksi_guard_is_at(channel, BKSI_GUARD_FINISHING)) {
        return receive_early(guard, channel, now_ns, from, packet, count);
    }
    if (result != BKSI_SEAL_TAKEN) {
        return refuse(guard, result);
    }
    channel->heard_ns = now_ns;
    finish(&channel->handshakes[BKSI_GUARD_STRAIGHT]);
    finish(&channel->handshakes[BKSI_GUARD_CARRIED]);
    size_t body_bytes = count - BKSI_PACKET_SEAL_BYTES;
    // Do not remember this address: challenging it would send more bytes than the packet had.
    if (type == BKSI_PACKET_ADDRESS) {
        receive_address(guard, channel, &from->address, body_bytes);
        return BKSI_GUARD_QUIET;
    }
    if (!from->is_carried) {
        note_address(guard, channel, now_ns, &from->address, number, count);
    }
    guard->single = (bksi_guard_message){.channel = channel->id,
                                         .type = type,
                                         .body = guard->plain,
                                         .body_bytes = body_bytes,
                                         .is_proven = true,
                                         .is_sealed = true,
                                         .is_first = channel->is_fresh,
                                         .is_carried = from->is_carried,
                                         .number = number};
    channel->is_fresh = false;
    return BKSI_GUARD_TAKEN;
}

static bksi_guard_verdict receive(bksi_guard *guard, uint64_t now_ns, const bksi_guard_place *from,
                                  const uint8_t *packet, size_t count)
{
    bksi_guard_offer(guard, 0, false, 0, 0);
    guard->many_is_carried = from->is_carried;
    if (count == 0 || count > BKS_PACKET_BYTES_MAX) {
        guard->counts.forged++;
        return BKSI_GUARD_REFUSED;
    }
    if (packet[0] >> 4 == BKSI_PACKET_HANDSHAKE) {
        return bksi_handshake_receive(guard, now_ns, from, packet, count);
    }
    return receive_sealed(guard, now_ns, from, packet, count);
}

bksi_guard_verdict bksi_guard_receive(bksi_guard *guard, uint64_t now_ns, const bks_address *from,
                                      const uint8_t *packet, size_t count)
{
    return bksi_guard_receive_wide(guard, now_ns, from, 0, packet, count);
}

bksi_guard_verdict bksi_guard_receive_wide(bksi_guard *guard, uint64_t now_ns,
                                           const bks_address *from, uint32_t group,
                                           const uint8_t *packet, size_t count)
{
    const bksi_guard_place place = {.address = *from, .group = group};
    return receive(guard, now_ns, &place, packet, count);
}

bksi_guard_verdict bksi_guard_receive_carried(bksi_guard *guard, uint64_t now_ns, uint32_t origin,
                                              uint32_t carrier, const uint8_t *packet, size_t count)
{
    BKS_ASSERT(origin < BKS_PEERS_MAX && carrier < BKS_PEERS_MAX);
    const bksi_guard_place place = {.is_carried = true, .peer = origin, .carrier = carrier};
    return receive(guard, now_ns, &place, packet, count);
}

// ---- messages to send ----

static void keep_for_handshake(bksi_guard_channel *channel, uint32_t type, const uint8_t *body,
                               size_t body_bytes)
{
    if (body_bytes + BKSI_ENCLOSED_HEAD_BYTES >
        sizeof(channel->enclosed) - channel->enclosed_bytes) {
        return;
    }
    uint8_t *at = channel->enclosed + channel->enclosed_bytes;
    at[0] = (uint8_t)type;
    bksi_put_u16(at + 1, (uint16_t)body_bytes);
    memcpy(at + BKSI_ENCLOSED_HEAD_BYTES, body, body_bytes);
    channel->enclosed_bytes += BKSI_ENCLOSED_HEAD_BYTES + body_bytes;
}

/// Return the other end of a handshake: an address, or a peer reached through carriers.
static bksi_guard_place place_of(const bksi_guard_channel *channel, uint32_t way)
{
    if (way == BKSI_GUARD_CARRIED) {
        return (bksi_guard_place){.is_carried = true, .peer = channel->peer};
    }
    const bksi_guard_handshake *handshake = &channel->handshakes[way];
    const bool is_named =
        handshake->stage != BKSI_GUARD_CALLING; // a first message names no channel
    return (bksi_guard_place){.address = handshake->address,
                              .group = is_named ? handshake->remote_channel / BKSI_CHANNELS : 0};
}

/// Return the place of a packet under the keys of an open channel.
static bksi_guard_place sealed_place(const bksi_guard_channel *channel, const bks_address *address)
{
    return (bksi_guard_place){.address = *address,
                              .group = channel->remote_channel / BKSI_CHANNELS};
}

static bool has_answered(const bksi_guard_handshake *handshake)
{
    return handshake->stage == BKSI_GUARD_ANSWERING && handshake->packet_bytes > 0;
}

/// Return the number of bytes that may be sent to a caller: no more than the caller has sent to us.
static size_t early_room(const bksi_guard_handshake *handshake)
{
    // Bytes reserved for repeating the answer.
    size_t owed = handshake->owes ? handshake->packet_bytes : 0;
    return has_answered(handshake) && handshake->credit_bytes > owed
               ? handshake->credit_bytes - owed
               : 0;
}

/// Send a message before the caller's third message arrives. If the caller called both directly and
/// through carriers, the answer may be lost on one of the two paths, so use the path that allows
/// more bytes.
static size_t send_early(bksi_guard_channel *channel, uint32_t type, const uint8_t *body,
                         size_t body_bytes, bksi_guard_place *to, uint8_t *packet)
{
    size_t straight = early_room(&channel->handshakes[BKSI_GUARD_STRAIGHT]);
    size_t carried = early_room(&channel->handshakes[BKSI_GUARD_CARRIED]);
    uint32_t way = carried > straight ? BKSI_GUARD_CARRIED : BKSI_GUARD_STRAIGHT;
    bksi_guard_handshake *handshake = &channel->handshakes[way];
    size_t count = body_bytes + BKSI_PACKET_SEAL_BYTES;
    if (count > (carried > straight ? carried : straight) ||
        (way == BKSI_GUARD_CARRIED && count > BKSI_CARRIED_PACKET_BYTES_MAX)) {
        return 0;
    }
    handshake->credit_bytes -= count;
    *to = place_of(channel, way);
    return bksi_seal_close(&handshake->early, (bksi_packet_type)type,
                           handshake->remote_channel % BKSI_CHANNELS, body, body_bytes, packet);
}

/// Return true if a handshake that we began is under way and will replace the channel's keys.
static bool is_calling(const bksi_guard_channel *channel)
{
    for (uint32_t way = 0; way < BKSI_GUARD_WAYS; way++) {
        const bksi_guard_handshake *handshake = &channel->handshakes[way];
        if (handshake->stage == BKSI_GUARD_CALLING ||
            (handshake->stage == BKSI_GUARD_FINISHING && handshake->packet_bytes == 0)) {
            return true;
        }
    }
    return false;
}

size_t bksi_guard_send(bksi_guard *guard, uint64_t now_ns, bksi_channel id, uint32_t type,
                       const uint8_t *body, size_t body_bytes, bksi_guard_place *to,
                       uint8_t *packet, uint64_t *number, bool *is_sealed)
{
    BKS_ASSERT(type > BKSI_PACKET_HANDSHAKE && type < BKSI_PACKET_ADDRESS);
    *is_sealed = false;
    bksi_guard_channel *channel = bksi_guard_channel_of(guard, id);
    if (channel == NULL) {
        return 0;
    }
    channel->wanted_ns = now_ns;
    bksi_handshake_renew(channel, now_ns);
    // A caller that claims to be a connected peer must get nothing that is meant for that peer.
    bool has_answer = has_answered(&channel->handshakes[BKSI_GUARD_STRAIGHT]) ||
                      has_answered(&channel->handshakes[BKSI_GUARD_CARRIED]);
    if (!channel->is_open || is_calling(channel)) {
        bksi_handshake_wanted(channel, now_ns);
        if (type > BKSI_PACKET_LOBBY_LAST) {
            return 0;
        }
        if (has_answer) {
            return send_early(channel, type, body, body_bytes, to, packet);
        }
        keep_for_handshake(channel, type, body, body_bytes);
        return 0;
    }
    *to = sealed_place(channel, &channel->address);
    *number = channel->seal.next;
    *is_sealed = true;
    return bksi_seal_close(&channel->seal, (bksi_packet_type)type,
                           channel->remote_channel % BKSI_CHANNELS, body, body_bytes, packet);
}

static size_t write_address(bksi_guard_channel *channel, uint8_t what, uint64_t token,
                            uint8_t *packet)
{
    uint8_t body[ADDRESS_BODY_BYTES];
    body[0] = what;
    bksi_put_u64(body + 1, token);
    return bksi_seal_close(&channel->seal, BKSI_PACKET_ADDRESS,
                           channel->remote_channel % BKSI_CHANNELS, body, sizeof(body), packet);
}

/// Return true if a channel has nothing to send by itself: it has keys, and no handshake of ours is
/// under way.
static bool is_at_rest(const bksi_guard_channel *channel)
{
    return channel->id == 0 ||
           (channel->is_open && !bksi_guard_is_at(channel, BKSI_GUARD_CALLING) &&
            !bksi_guard_is_at(channel, BKSI_GUARD_FINISHING));
}

/// Return when a channel's handshake packet must be repeated; UINT64_MAX if it must not be
/// repeated.
static uint64_t repeats_at(const bksi_guard_channel *channel, uint32_t way)
{
    uint64_t at_ns = bksi_handshake_repeats_at(channel, way);
    // Return no time before the packet was sent once: bksi_guard_flush() sends it the first time.
    bool is_first = channel->handshakes[way].repeat.count == 0;
    return is_first || at_ns > channel->wanted_ns + WANTED_NS ? UINT64_MAX : at_ns;
}

uint64_t bksi_guard_wake(const bksi_guard *guard)
{
    uint64_t wake_ns = UINT64_MAX;
    for (uint32_t i = 0; i < guard->used; i++) {
        const bksi_guard_channel *channel = bksi_guard_channel_at(guard, i);
        for (uint32_t way = 0; way < BKSI_GUARD_WAYS && !is_at_rest(channel); way++) {
            uint64_t at_ns = repeats_at(channel, way);
            wake_ns = at_ns < wake_ns ? at_ns : wake_ns;
        }
    }
    return wake_ns;
}

size_t bksi_guard_repeat(bksi_guard *guard, uint64_t now_ns, bksi_guard_place *to, uint8_t *packet)
{
    for (uint32_t i = 0; i < guard->used; i++) {
        bksi_guard_channel *channel = bksi_guard_channel_at(guard, i);
        for (uint32_t way = 0; way < BKSI_GUARD_WAYS && !is_at_rest(channel); way++) {
            if (repeats_at(channel, way) <= now_ns) {
                size_t count = bksi_handshake_write(guard, channel, way, now_ns, packet);
                *to = place_of(channel, way);
                return count;
            }
        }
    }
    return 0;
}

static size_t flush_channel(bksi_guard *guard, bksi_guard_channel *channel, uint64_t now_ns,
                            bksi_guard_place *to, uint8_t *packet)
{
    if (channel->owes_reply) {
        channel->owes_reply = false;
        *to = sealed_place(channel, &channel->reply_to);
        return write_address(channel, ADDRESS_ANSWERS, channel->reply_token, packet);
    }
    if (channel->challenge.owes) {
        channel->challenge.owes = false;
        *to = sealed_place(channel, &channel->challenge.address);
        return write_address(channel, ADDRESS_ASKS, channel->challenge.token, packet);
    }
    size_t count = 0;
    for (uint32_t way = 0; way < BKSI_GUARD_WAYS && count == 0; way++) {
        if (channel->handshakes[way].owes) {
            count = bksi_handshake_write(guard, channel, way, now_ns, packet);
            *to = place_of(channel, way);
        }
    }
    return count;
}

size_t bksi_guard_flush(bksi_guard *guard, uint64_t now_ns, bksi_guard_place *to, uint8_t *packet)
{
    for (uint32_t i = 0; i < guard->used; i++) {
        bksi_guard_channel *channel = bksi_guard_channel_at(guard, i);
        size_t count = channel->id != 0 ? flush_channel(guard, channel, now_ns, to, packet) : 0;
        if (count > 0) {
            return count;
        }
        channel->enclosed_bytes = 0;
    }
    return 0;
}
