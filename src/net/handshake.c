// SPDX-License-Identifier: MIT

// Handshakes of the guard. Cheap checks come first. A first message is opened by the match key
// alone before anything is stored or computed for it. A second message carries a check under a key
// that only the match key gives. A third message carries a check under a key that only the two
// peers have. Curve multiplications come last, and only BKSI_HELLOS_PER_SECOND times.
//
// A sealed handshake packet is repeated unchanged: sealing another text under the same key and
// number would reveal both texts. Only the age of a second or third message changes. The age
// follows the sealed bytes and is checked by a key that only the two peers have.

#include "net/guard_parts.h"

#include <sodium.h>
#include <string.h>

#include "base/bytes.h"
#include "net/units.h"
#include "wire/carried.h"

/// Time without an answer after which a new first message is made. The time doubles with each
/// attempt, ATTEMPT_DOUBLED_MAX times at most. The time is long because an answer to an older first
/// message is useless.
#define ATTEMPT_NS          (5000 * MS)
#define ATTEMPT_DOUBLED_MAX 2u

/// If a peer calls us although we should call it, and then is silent for this time, we call it: the
/// caller was somebody else, or is gone. If a peer that answered our call is silent for this time
/// plus two round trips, we begin a new call.
#define ANSWERED_NS (3000 * MS)

/// Capacity of a rate limit: time in which the allowed number of handshakes may begin.
#define RATE_NS (1000 * MS)

/// Size of a message's head: type and channel in a byte, message number in a byte.
#define HEAD_BYTES  2u
#define CHECK_BYTES BKSI_NOISE_TAG_BYTES
#define HELLO       1u
#define ANSWER      2u
#define FINISH      3u
/// Offset of a first message's order in its payload: after channel and identity.
#define HELLO_ORDER (1 + BKSI_IDENTITY_BYTES)
/// Bytes before the enclosed messages: channel, identity and order.
#define HELLO_PREFIX (HELLO_ORDER + 8)
#define AGE_BYTES    2u
#define HALF_BYTES   (CHECK_BYTES / 2) ///< size of each of the two checks in a second message
/// Size of the end of a second or third message: age and check.
#define TAIL_BYTES   (AGE_BYTES + CHECK_BYTES)
#define ANSWER_BYTES (HEAD_BYTES + BKSI_NOISE_SECOND_BYTES + TAIL_BYTES)
#define FINISH_BYTES (HEAD_BYTES + BKSI_NOISE_THIRD_BYTES + TAIL_BYTES)

/// Unit in which a handshake packet carries its age.
#define AGE_UNIT_NS (100 * US)

/// Maximum size of an answer. We send a caller no more bytes than it has sent, and an answer is
/// shorter than a first message. So each repeated first message allows one answer, and some bytes
/// of messages after it.
#define ANSWER_BYTES_MAX (BKSI_HELLO_BYTES - 150)

/// Payload of a first message, padding included.
#define HELLO_PAYLOAD (BKSI_HELLO_BYTES - HEAD_BYTES - BKSI_NOISE_FIRST_BYTES - CHECK_BYTES)

/// Make the check at the end of a handshake message. Verifying it costs little, so a receiver does
/// that before anything that costs more. The check of a first message covers the ephemeral key;
/// only the match key makes it. The check of a second message covers everything; only a peer that
/// made or opened the first message can make it. The check of a third message covers everything;
/// only the two peers can make it.
static void make_check(const uint8_t chain[BKSI_NOISE_HASH_BYTES], const uint8_t *packet,
                       size_t count, uint8_t check[CHECK_BYTES])
{
    (void)crypto_generichash(check, CHECK_BYTES, packet, count, chain, BKSI_NOISE_HASH_BYTES);
}

/// Copy the messages to enclose in the handshake, as many as fit. Return the number of bytes.
static size_t enclose(const bksi_guard_channel *channel, uint8_t *out, size_t capacity)
{
    size_t out_bytes = 0;
    size_t bytes = 0;
    for (size_t at = 0; at < channel->enclosed_bytes; at += bytes) {
        bytes = BKSI_ENCLOSED_HEAD_BYTES + bksi_get_u16(channel->enclosed + at + 1);
        if (out_bytes + bytes <= capacity) {
            memcpy(out + out_bytes, channel->enclosed + at, bytes);
            out_bytes += bytes;
        }
    }
    return out_bytes;
}

/// Open a channel with the keys of a complete handshake, and end the channel's other handshake
/// (direct or carried).
static void open_channel(bksi_guard *guard, bksi_guard_channel *channel, uint32_t way)
{
    bksi_guard_handshake *handshake = &channel->handshakes[way];
    uint8_t send_key[BKSI_SEAL_KEY_BYTES];
    uint8_t receive_key[BKSI_SEAL_KEY_BYTES];
    bksi_noise_split(&handshake->noise, send_key, receive_key);
    bksi_seal_begin(&channel->seal, send_key, receive_key);
    sodium_memzero(send_key, sizeof(send_key));
    sodium_memzero(receive_key, sizeof(receive_key));
    sodium_memzero(&handshake->noise, sizeof(handshake->noise));
    handshake->credit_bytes = 0;
    handshake->attempts = 0;
    memset(&channel->challenge, 0, sizeof(channel->challenge));
    channel->owes_reply = false;
    channel->is_open = true;
    channel->is_fresh = true;
    if (way == BKSI_GUARD_STRAIGHT) {
        channel->address = handshake->address;
        channel->called = handshake->address;
        channel->has_proven_address = true;
    }
    channel->remote_channel = handshake->remote_channel;
    sodium_memzero(&channel->handshakes[1 - way], sizeof(channel->handshakes[1 - way]));
    guard->counts.handshakes++;
}

/// Return the cost in ns of recent handshakes that still counts against a rate.
static uint64_t used_ns(const bksi_guard_rate *rate, uint64_t now_ns)
{
    uint64_t since_ns = now_ns - rate->at_ns;
    return rate->used_ns > since_ns ? rate->used_ns - since_ns : 0;
}

// ---- handshake packets to send ----

static size_t head(uint8_t *packet, uint32_t channel, uint32_t message)
{
    packet[0] = (uint8_t)(BKSI_PACKET_HANDSHAKE << 4 | channel % BKSI_CHANNELS);
    packet[1] = (uint8_t)message;
    return HEAD_BYTES;
}

/// Count a handshake that we begin; return false if the allowed rate of such handshakes is used up.
/// Their rate is limited because the host names the addresses to call, and may name new ones all
/// the time.
static bool take_call(bksi_guard *guard, uint64_t now_ns)
{
    const uint64_t wanted_ns = used_ns(&guard->calls, now_ns) + RATE_NS / BKSI_CALLS_PER_SECOND;
    if (wanted_ns > RATE_NS) {
        return false;
    }
    guard->calls = (bksi_guard_rate){wanted_ns, now_ns};
    return true;
}

static void write_hello(bksi_guard *guard, bksi_guard_channel *channel, uint32_t way,
                        uint64_t now_ns)
{
    bksi_guard_handshake *handshake = &channel->handshakes[way];
    uint8_t payload[HELLO_PAYLOAD] = {0};
    payload[0] = (uint8_t)bksi_guard_number(channel);
    memcpy(payload + 1, guard->identity, BKSI_IDENTITY_BYTES);
    bksi_put_u64(payload + HELLO_ORDER, (uint64_t)guard->run << 32 | (uint32_t)guard->drawn);
    (void)enclose(channel, payload + HELLO_PREFIX, sizeof(payload) - HELLO_PREFIX);
    uint8_t ephemeral[BKSI_NOISE_KEY_BYTES];
    bksi_guard_draw(guard, ephemeral);
    handshake->noise = guard->start;
    handshake->packet_bytes = head(handshake->packet, 0, HELLO);
    handshake->packet_bytes += bksi_noise_write(&handshake->noise, &guard->own, ephemeral, payload,
                                                sizeof(payload), handshake->packet + HEAD_BYTES);
    make_check(guard->start.chain, handshake->packet, HEAD_BYTES + BKSI_NOISE_KEY_BYTES,
               handshake->packet + handshake->packet_bytes);
    handshake->packet_bytes += CHECK_BYTES;
    // Every second call goes to the address before the peer moved: somebody between us may have
    // made it look so, and the peer answers no question at the other address.
    handshake->address = handshake->attempts % 2 == 0 ? channel->address : channel->called;
    handshake->attempts++;
    handshake->begun_ns = now_ns;
    sodium_memzero(ephemeral, sizeof(ephemeral));
}

/// Make one of the two half-length checks of a second message.
static void make_half(const uint8_t chain[BKSI_NOISE_HASH_BYTES], const uint8_t *packet,
                      size_t count, uint8_t half[HALF_BYTES])
{
    uint8_t check[CHECK_BYTES];
    make_check(chain, packet, count, check);
    memcpy(half, check, HALF_BYTES);
}

/// Reserve the bytes of age and check at the end of a new second or third message.
static void begin_tail(bksi_guard_handshake *handshake, uint64_t now_ns)
{
    memcpy(handshake->check_chain, handshake->noise.chain, BKSI_NOISE_HASH_BYTES);
    handshake->made_ns = now_ns;
}

/// Write the age of a packet each time it is sent, so that a time stamp in an enclosed message
/// gives the round trip. In a second message two half-length checks follow the age: one that only
/// the two peers can make, then one that every peer with the match key can make. The receiver
/// verifies the last one first, because the other needs the curve multiplications.
static void write_tail(bksi_guard_handshake *handshake, uint64_t now_ns)
{
    const uint64_t age = (now_ns - handshake->made_ns) / AGE_UNIT_NS;
    uint8_t *packet = handshake->packet;
    size_t at = handshake->packet_bytes - TAIL_BYTES;
    bksi_put_u16(packet + at, (uint16_t)(age < UINT16_MAX ? age : UINT16_MAX));
    at += AGE_BYTES;
    if (handshake->stage == BKSI_GUARD_ANSWERING) {
        make_half(handshake->noise.chain, packet, at, packet + at);
        at += HALF_BYTES;
        make_half(handshake->check_chain, packet, at, packet + at);
    } else {
        make_check(handshake->check_chain, packet, at, packet + at);
    }
}

static uint64_t age_ns(const uint8_t *packet, size_t count)
{
    return bksi_get_u16(packet + count - TAIL_BYTES) * AGE_UNIT_NS;
}

/// Set the early keys. They serve one direction, so the other key is never used.
static void begin_early(bksi_guard_handshake *handshake)
{
    uint8_t key[BKSI_SEAL_KEY_BYTES];
    bksi_noise_early(&handshake->noise, key);
    bksi_seal_begin(&handshake->early, key, key);
    sodium_memzero(key, sizeof(key));
}

/// Write the second message.
/// @return false if the peer's key is invalid
static bool write_answer(bksi_guard *guard, bksi_guard_channel *channel, uint32_t way,
                         uint64_t now_ns)
{
    bksi_guard_handshake *handshake = &channel->handshakes[way];
    begin_tail(handshake, now_ns);
    uint8_t payload[BKS_PACKET_BYTES_MAX];
    payload[0] = (uint8_t)bksi_guard_number(channel);
    size_t payload_bytes = 1 + enclose(channel, payload + 1, ANSWER_BYTES_MAX - ANSWER_BYTES - 1);
    uint8_t ephemeral[BKSI_NOISE_KEY_BYTES];
    bksi_guard_draw(guard, ephemeral);
    size_t at = head(handshake->packet, handshake->remote_channel, ANSWER);
    size_t bytes = bksi_noise_write(&handshake->noise, &guard->own, ephemeral, payload,
                                    payload_bytes, handshake->packet + at);
    at += bytes;
    handshake->packet_bytes = at + TAIL_BYTES;
    if (bytes > 0) {
        begin_early(handshake);
    }
    sodium_memzero(ephemeral, sizeof(ephemeral));
    return bytes > 0;
}

/// Write the third message.
/// @return false if the peer's key is invalid
static bool write_finish(bksi_guard *guard, bksi_guard_channel *channel, uint32_t way,
                         uint64_t now_ns)
{
    bksi_guard_handshake *handshake = &channel->handshakes[way];
    begin_tail(handshake, now_ns);
    uint8_t payload[BKS_PACKET_BYTES_MAX];
    size_t packet_bytes_max =
        way == BKSI_GUARD_CARRIED ? BKSI_CARRIED_PACKET_BYTES_MAX : BKS_PACKET_BYTES_MAX;
    size_t payload_bytes = enclose(channel, payload, packet_bytes_max - FINISH_BYTES);
    size_t at = head(handshake->packet, handshake->remote_channel, FINISH);
    size_t bytes = bksi_noise_write(&handshake->noise, &guard->own, NULL, payload, payload_bytes,
                                    handshake->packet + at);
    handshake->packet_bytes = at + bytes + TAIL_BYTES;
    if (bytes > 0) {
        open_channel(guard, channel, way);
    }
    return bytes > 0;
}

/// Discard our first message if it was not answered in time, so that a new one is made.
static void renew_call(bksi_guard_handshake *handshake, uint64_t now_ns)
{
    uint32_t doubled = handshake->attempts - 1;
    doubled = doubled < ATTEMPT_DOUBLED_MAX ? doubled : ATTEMPT_DOUBLED_MAX;
    if (now_ns - handshake->begun_ns >= ATTEMPT_NS << doubled) {
        handshake->packet_bytes = 0;
        handshake->repeat = (bksi_repeat){0};
    }
}

/// Call the peer, unless it has answered, or it is calling us and we hear it.
static void call(bksi_guard_channel *channel, uint64_t now_ns)
{
    for (uint32_t way = 0; way < BKSI_GUARD_WAYS; way++) {
        bksi_guard_handshake *handshake = &channel->handshakes[way];
        if (handshake->stage == BKSI_GUARD_ANSWERING &&
            now_ns - handshake->begun_ns >= ANSWERED_NS) {
            sodium_memzero(handshake, sizeof(*handshake));
        }
    }
    if (bksi_guard_is_at(channel, BKSI_GUARD_ANSWERING) ||
        bksi_guard_is_at(channel, BKSI_GUARD_FINISHING)) {
        return;
    }
    channel->handshakes[BKSI_GUARD_STRAIGHT].stage = BKSI_GUARD_CALLING;
    if (channel->has_detour) {
        channel->handshakes[BKSI_GUARD_CARRIED].stage = BKSI_GUARD_CALLING;
    }
}

void bksi_handshake_renew(bksi_guard_channel *channel, uint64_t now_ns)
{
    for (uint32_t way = 0; way < BKSI_GUARD_WAYS; way++) {
        bksi_guard_handshake *handshake = &channel->handshakes[way];
        if (handshake->stage == BKSI_GUARD_FINISHING &&
            now_ns - channel->answered_ns >= ANSWERED_NS + 2 * channel->answer_took_ns) {
            handshake->stage = BKSI_GUARD_CALLING;
            handshake->packet_bytes = 0;
            handshake->repeat = (bksi_repeat){0};
        }
    }
}

void bksi_handshake_wanted(bksi_guard_channel *channel, uint64_t now_ns)
{
    if (channel->calls) {
        call(channel, now_ns);
    }
    for (uint32_t way = 0; way < BKSI_GUARD_WAYS; way++) {
        bksi_guard_handshake *handshake = &channel->handshakes[way];
        if (handshake->stage == BKSI_GUARD_CALLING && handshake->packet_bytes > 0) {
            renew_call(handshake, now_ns);
        }
        if (bksi_handshake_repeats_at(channel, way) <= now_ns) {
            handshake->owes = true;
        }
    }
}

uint64_t bksi_handshake_repeats_at(const bksi_guard_channel *channel, uint32_t way)
{
    const bksi_guard_handshake *handshake = &channel->handshakes[way];
    bool is_straight = way == BKSI_GUARD_STRAIGHT;
    bool knocks = is_straight && handshake->stage == BKSI_GUARD_IDLE && !channel->is_open &&
                  channel->address.length > 0;
    bool calls = handshake->stage == BKSI_GUARD_CALLING && (is_straight || channel->has_detour);
    bool speaks = calls || handshake->stage == BKSI_GUARD_FINISHING;
    return knocks || speaks ? handshake->repeat.next_ns : UINT64_MAX;
}

/// Write one byte to a peer that is to call us, so that a NAT on our side lets its call in.
static size_t write_knock(bksi_guard_handshake *handshake, const bks_address *address,
                          uint8_t *packet)
{
    handshake->address = *address;
    packet[0] = 0;
    return 1;
}

/// Jitter added to the time of repetitions. The rate limit of the receiver admits one call every 50
/// ms. Repetitions exactly 250 ms apart would keep step with that limit, so another caller that
/// calls all the time could always use up the limit just before we repeat.
#define SPREAD_NS (20 * MS)

/// Record that a handshake packet was sent, and vary the time of the next one at random.
static void went(bksi_guard_handshake *handshake, uint64_t now_ns)
{
    bksi_repeat *repeat = &handshake->repeat;
    bksi_repeat_went(repeat, now_ns);
    if (repeat->gap_ns == BKSI_REPEAT_GAP_MAX_NS && handshake->packet_bytes > 0) {
        const uint8_t drawn = handshake->packet[HEAD_BYTES + repeat->count % BKSI_NOISE_KEY_BYTES];
        repeat->next_ns -= drawn * (SPREAD_NS / 255);
    }
}

size_t bksi_handshake_write(bksi_guard *guard, bksi_guard_channel *channel, uint32_t way,
                            uint64_t now_ns, uint8_t *packet)
{
    bksi_guard_handshake *handshake = &channel->handshakes[way];
    handshake->owes = false;
    went(handshake, now_ns);
    if (handshake->stage == BKSI_GUARD_IDLE) {
        return write_knock(handshake, &channel->address, packet);
    }
    bool is_made = true;
    if (handshake->packet_bytes == 0) {
        if (handshake->stage == BKSI_GUARD_CALLING && !take_call(guard, now_ns)) {
            return 0; // the call is tried again when its repetition is due
        }
        if (handshake->stage == BKSI_GUARD_CALLING) {
            write_hello(guard, channel, way, now_ns);
        } else if (handshake->stage == BKSI_GUARD_ANSWERING) {
            is_made = write_answer(guard, channel, way, now_ns);
        } else {
            is_made = write_finish(guard, channel, way, now_ns);
        }
    }
    if (!is_made) {
        handshake->stage = BKSI_GUARD_IDLE;
        handshake->packet_bytes = 0;
        return 0;
    }
    if (handshake->stage != BKSI_GUARD_CALLING) {
        write_tail(handshake, now_ns);
    }
    handshake->credit_bytes -=
        handshake->stage == BKSI_GUARD_ANSWERING ? handshake->packet_bytes : 0;
    memcpy(packet, handshake->packet, handshake->packet_bytes);
    return handshake->packet_bytes;
}

// ---- handshake packets that arrive ----

static bksi_guard_verdict forged(bksi_guard *guard)
{
    guard->counts.forged++;
    return BKSI_GUARD_REFUSED;
}

static bksi_guard_verdict repeated(bksi_guard *guard)
{
    guard->counts.repeated++;
    return BKSI_GUARD_REFUSED;
}

/// Return true if the other end of a channel's handshakes is the sender of a packet.
static bool is_there(const bksi_guard_channel *channel, const bksi_guard_place *from)
{
    if (from->is_carried) {
        return channel->is_named && channel->peer == from->peer;
    }
    const bksi_guard_handshake *handshake = &channel->handshakes[BKSI_GUARD_STRAIGHT];
    return bks_address_equal(&handshake->address, &from->address);
}

/// Find the channel that already answers the first message in `packet`. Return NULL if none does.
static bksi_guard_channel *channel_answering(bksi_guard *guard, const bksi_guard_place *from,
                                             const uint8_t *packet, const uint8_t *tag)
{
    for (uint32_t i = 0; i < guard->used; i++) {
        bksi_guard_channel *channel = bksi_guard_channel_at(guard, i);
        const bksi_guard_handshake *handshake = &channel->handshakes[from->is_carried];
        if (channel->id != 0 && handshake->stage == BKSI_GUARD_ANSWERING &&
            is_there(channel, from) &&
            memcmp(handshake->noise.remote_ephemeral, packet + HEAD_BYTES, BKSI_NOISE_KEY_BYTES) ==
                0 &&
            memcmp(handshake->hello_tag, tag, BKSI_NOISE_TAG_BYTES) == 0) {
            return channel;
        }
    }
    return NULL;
}

static bool was_here(const bksi_guard *guard, const uint8_t *ephemeral)
{
    uint64_t mark = bksi_get_u64(ephemeral);
    for (uint32_t i = 0; i < BKSI_HELLOS_KEPT; i++) {
        if (guard->hellos[i] == mark && mark != 0) {
            return true;
        }
    }
    for (uint32_t i = 0; i < guard->used; i++) {
        if (bksi_guard_channel_at(guard, i)->opener == mark && mark != 0) {
            return true;
        }
    }
    return false;
}

/// Count a handshake against the rate of all handshakes and against its carrier's share; return
/// false if either is used up.
static bool take_rate(bksi_guard *guard, const bksi_guard_place *from, uint64_t now_ns)
{
    bksi_guard_rate *rates[] = {&guard->rate, &guard->carriers[from->carrier]};
    const uint64_t costs_ns[] = {RATE_NS / BKSI_HELLOS_PER_SECOND,
                                 RATE_NS / BKSI_HELLOS_PER_CARRIER};
    uint32_t count = from->is_carried ? 2 : 1;
    for (uint32_t i = 0; i < count; i++) {
        if (used_ns(rates[i], now_ns) + costs_ns[i] > RATE_NS) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        *rates[i] = (bksi_guard_rate){used_ns(rates[i], now_ns) + costs_ns[i], now_ns};
    }
    return true;
}

/// Find the channel for a peer's first message: the peer's own if it has one. Return NULL if no
/// channel is free, if both peers called each other and our call takes precedence, or if a carried
/// message is not from the peer that it names.
static bksi_guard_channel *channel_for(bksi_guard *guard, const bksi_guard_place *from,
                                       const uint8_t *identity, uint64_t now_ns)
{
    bksi_guard_channel *channel = bksi_guard_channel_by_identity(guard, identity);
    if (channel == NULL && !from->is_carried) {
        channel = bksi_guard_channel_new(guard, now_ns);
        if (channel != NULL) {
            memcpy(channel->identity, identity, BKSI_IDENTITY_BYTES);
            channel->has_identity = true;
        }
        return channel;
    }
    if (channel == NULL || (from->is_carried && !is_there(channel, from))) {
        return NULL;
    }
    bool is_crossed = bksi_guard_is_at(channel, BKSI_GUARD_CALLING) &&
                      memcmp(guard->identity, identity, BKSI_IDENTITY_BYTES) < 0;
    return is_crossed ? NULL : channel;
}

/// Return true if a first message is older than the one from which the keys in use came: its sender
/// no longer knows it. Only a third message proves an order, so nobody can call in a peer's name
/// with a high one and shut the peer out.
static bool is_overtaken(bksi_guard *guard, const uint8_t *identity, uint64_t order)
{
    const bksi_guard_channel *channel = bksi_guard_channel_by_identity(guard, identity);
    return channel != NULL && order >> 32 == channel->order >> 32 &&
           (uint32_t)order < (uint32_t)channel->order;
}

/// End our call on the other path, direct or carried, because it is no longer needed.
static void end_other_call(bksi_guard_channel *channel, const bksi_guard_place *from)
{
    bksi_guard_handshake *other = &channel->handshakes[1 - from->is_carried];
    if (other->stage == BKSI_GUARD_CALLING) {
        sodium_memzero(other, sizeof(*other));
    }
}

/// Answer the peer's call instead of calling it.
static bksi_guard_handshake *begin_answer(bksi_guard_channel *channel, const bksi_guard_place *from)
{
    end_other_call(channel, from);
    bksi_guard_handshake *handshake = &channel->handshakes[from->is_carried];
    memset(handshake, 0, sizeof(*handshake));
    handshake->stage = BKSI_GUARD_ANSWERING;
    handshake->owes = true;
    handshake->address = from->address;
    return handshake;
}

static bksi_guard_verdict receive_hello(bksi_guard *guard, uint64_t now_ns,
                                        const bksi_guard_place *from, const uint8_t *packet,
                                        size_t count)
{
    if (count != BKSI_HELLO_BYTES) {
        return forged(guard);
    }
    const uint8_t *check = packet + count - CHECK_BYTES;
    const uint8_t *tag = check - BKSI_NOISE_TAG_BYTES;
    bksi_guard_channel *channel = channel_answering(guard, from, packet, tag);
    if (channel != NULL) {
        bksi_guard_handshake *handshake = &channel->handshakes[from->is_carried];
        channel->heard_ns = now_ns;
        handshake->credit_bytes += handshake->owes ? 0 : count;
        handshake->owes = true;
        handshake->begun_ns = now_ns;
        return BKSI_GUARD_QUIET;
    }
    if (was_here(guard, packet + HEAD_BYTES)) {
        return repeated(guard);
    }
    uint8_t wanted[CHECK_BYTES];
    make_check(guard->start.chain, packet, HEAD_BYTES + BKSI_NOISE_KEY_BYTES, wanted);
    bksi_noise noise = guard->start;
    size_t plain_bytes = 0;
    if (sodium_memcmp(check, wanted, CHECK_BYTES) != 0 ||
        !bksi_noise_read(&noise, packet + HEAD_BYTES, count - HEAD_BYTES - CHECK_BYTES,
                         guard->plain, &plain_bytes) ||
        guard->plain[0] >= guard->channels_named ||
        memcmp(guard->plain + 1, guard->identity, BKSI_IDENTITY_BYTES) == 0) {
        return forged(guard);
    }
    const uint64_t order = bksi_get_u64(guard->plain + HELLO_ORDER);
    if (is_overtaken(guard, guard->plain + 1, order)) {
        return repeated(guard);
    }
    if (!take_rate(guard, from, now_ns)) {
        guard->counts.limited++;
        return BKSI_GUARD_REFUSED;
    }
    channel = channel_for(guard, from, guard->plain + 1, now_ns);
    if (channel == NULL) {
        return BKSI_GUARD_QUIET;
    }
    guard->hellos[guard->hello_next++ % BKSI_HELLOS_KEPT] = bksi_get_u64(packet + HEAD_BYTES);
    bksi_guard_handshake *handshake = begin_answer(channel, from);
    handshake->begun_ns = now_ns;
    handshake->noise = noise;
    handshake->remote_channel = guard->plain[0];
    handshake->order = order;
    handshake->credit_bytes = count;
    memcpy(handshake->hello_tag, tag, BKSI_NOISE_TAG_BYTES);
    channel->heard_ns = now_ns;
    channel->called_ns = now_ns;
    channel->enclosed_bytes = 0;
    bksi_guard_offer(guard, channel->id, false, HELLO_PREFIX, plain_bytes);
    return BKSI_GUARD_TAKEN;
}

/// Return true if the check of a third message is right.
static bool is_checked(const bksi_noise *noise, const uint8_t *packet, size_t count)
{
    uint8_t wanted[CHECK_BYTES];
    make_check(noise->chain, packet, count - CHECK_BYTES, wanted);
    return sodium_memcmp(packet + count - CHECK_BYTES, wanted, CHECK_BYTES) == 0;
}

/// Return true if the half check that ends at `end` is right.
static bool is_half_checked(const bksi_noise *noise, const uint8_t *packet, size_t end)
{
    uint8_t wanted[HALF_BYTES];
    make_half(noise->chain, packet, end - HALF_BYTES, wanted);
    return sodium_memcmp(packet + end - HALF_BYTES, wanted, HALF_BYTES) == 0;
}

static bksi_guard_verdict receive_answer(bksi_guard *guard, bksi_guard_channel *channel,
                                         uint64_t now_ns, const bksi_guard_place *from,
                                         const uint8_t *packet, size_t count)
{
    bksi_guard_handshake *handshake = &channel->handshakes[from->is_carried];
    if (count < ANSWER_BYTES + 1 || !is_there(channel, from)) {
        return forged(guard);
    }
    const uint8_t *tag = packet + count - TAIL_BYTES - BKSI_NOISE_TAG_BYTES;
    if (handshake->stage == BKSI_GUARD_FINISHING &&
        memcmp(tag, handshake->answer_tag, BKSI_NOISE_TAG_BYTES) == 0) {
        channel->heard_ns = now_ns;
        return repeated(guard);
    }
    if (handshake->stage != BKSI_GUARD_CALLING || handshake->packet_bytes == 0) {
        return forged(guard);
    }
    size_t plain_bytes = 0;
    bksi_noise noise = handshake->noise;
    if (!is_half_checked(&noise, packet, count) ||
        !bksi_noise_read(&noise, packet + HEAD_BYTES, count - HEAD_BYTES - TAIL_BYTES, guard->plain,
                         &plain_bytes) ||
        !is_half_checked(&noise, packet, count - HALF_BYTES) ||
        guard->plain[0] >= guard->channels_named) {
        return forged(guard);
    }
    uint8_t identity[BKSI_IDENTITY_BYTES];
    bksi_guard_identity_of(noise.remote_static, identity);
    if (channel->has_identity && memcmp(identity, channel->identity, BKSI_IDENTITY_BYTES) != 0) {
        return forged(guard);
    }
    memcpy(channel->identity, identity, BKSI_IDENTITY_BYTES);
    channel->has_identity = true;
    memcpy(handshake->answer_tag, tag, BKSI_NOISE_TAG_BYTES);
    handshake->noise = noise;
    begin_early(handshake);
    handshake->remote_channel = guard->plain[0];
    handshake->stage = BKSI_GUARD_FINISHING;
    handshake->packet_bytes = 0;
    handshake->repeat = (bksi_repeat){0};
    handshake->owes = true;
    end_other_call(channel, from);
    channel->heard_ns = now_ns;
    channel->answered_ns = now_ns;
    channel->answer_took_ns = now_ns - handshake->begun_ns;
    channel->enclosed_bytes = 0;
    bksi_guard_offer(guard, channel->id, true, 1, plain_bytes);
    guard->many_age_ns = age_ns(packet, count);
    return BKSI_GUARD_TAKEN;
}

static bksi_guard_verdict receive_finish(bksi_guard *guard, bksi_guard_channel *channel,
                                         uint64_t now_ns, const bksi_guard_place *from,
                                         const uint8_t *packet, size_t count)
{
    bksi_guard_handshake *handshake = &channel->handshakes[from->is_carried];
    if (from->is_carried && !is_there(channel, from)) {
        return forged(guard);
    }
    if (handshake->stage != BKSI_GUARD_ANSWERING) {
        return channel->is_open ? repeated(guard) : forged(guard);
    }
    size_t plain_bytes = 0;
    bksi_noise noise = handshake->noise;
    if (handshake->packet_bytes == 0 || count < FINISH_BYTES ||
        !is_checked(&noise, packet, count) ||
        !bksi_noise_read(&noise, packet + HEAD_BYTES, count - HEAD_BYTES - TAIL_BYTES, guard->plain,
                         &plain_bytes)) {
        return forged(guard);
    }
    uint8_t identity[BKSI_IDENTITY_BYTES];
    bksi_guard_identity_of(noise.remote_static, identity);
    // The third message must prove the identity that the caller named in the first.
    if (memcmp(identity, channel->identity, BKSI_IDENTITY_BYTES) != 0) {
        return forged(guard);
    }
    channel->opener = bksi_get_u64(noise.remote_ephemeral);
    channel->order = handshake->order;
    handshake->noise = noise;
    open_channel(guard, channel, from->is_carried);
    handshake->stage = BKSI_GUARD_IDLE;
    handshake->packet_bytes = 0;
    handshake->owes = false;
    sodium_memzero(handshake->check_chain, sizeof(handshake->check_chain));
    channel->heard_ns = now_ns;
    bksi_guard_offer(guard, channel->id, true, 0, plain_bytes);
    guard->many_age_ns = age_ns(packet, count);
    return BKSI_GUARD_TAKEN;
}

/// Process a second or third message.
static bksi_guard_verdict receive_later(bksi_guard *guard, bksi_guard_channel *channel,
                                        uint64_t now_ns, const bksi_guard_place *from,
                                        const uint8_t *packet, size_t count)
{
    return packet[1] == ANSWER ? receive_answer(guard, channel, now_ns, from, packet, count)
                               : receive_finish(guard, channel, now_ns, from, packet, count);
}

bksi_guard_verdict bksi_handshake_receive(bksi_guard *guard, uint64_t now_ns,
                                          const bksi_guard_place *from, const uint8_t *packet,
                                          size_t count)
{
    if (count == 1) {
        return packet[0] == 0 ? BKSI_GUARD_QUIET : forged(guard);
    }
    if (packet[1] == HELLO && packet[0] == 0 && from->group == 0) {
        return receive_hello(guard, now_ns, from, packet, count);
    }
    bksi_guard_channel *channel = bksi_guard_channel_named(guard, from, packet);
    if (channel == NULL || (packet[1] != ANSWER && packet[1] != FINISH)) {
        return forged(guard);
    }
    const bksi_guard_counts counts = guard->counts;
    bksi_guard_verdict verdict = receive_later(guard, channel, now_ns, from, packet, count);
    // A handshake that began through carriers may continue on the direct path, once its sender's
    // route is direct.
    if (verdict == BKSI_GUARD_REFUSED && !from->is_carried && channel->is_named &&
        channel->handshakes[BKSI_GUARD_CARRIED].stage != BKSI_GUARD_IDLE) {
        guard->counts = counts;
        const bksi_guard_place carried = {.is_carried = true, .peer = channel->peer};
        verdict = receive_later(guard, channel, now_ns, &carried, packet, count);
    }
    return verdict;
}
