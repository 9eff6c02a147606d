// SPDX-License-Identifier: MIT

// Channels of the guard: allocation, look-up, holding and release; identities, and the random
// numbers drawn from the guard's entropy.

#include <sodium.h>
#include <string.h>

#include "base/bytes.h"
#include "net/guard_parts.h"

/// Time for which a caller keeps its channel while it completes its handshake.
#define YOUNG_NS UINT64_C(300000000)
_Static_assert(YOUNG_NS *BKSI_HELLOS_PER_SECOND <= BKSI_YOUNG_MAX * UINT64_C(1000000000),
               "callers who never complete a handshake take BKSI_YOUNG_MAX channels");

void bksi_guard_draw(bksi_guard *guard, uint8_t out[BKSI_NOISE_KEY_BYTES])
{
    uint8_t counter[8];
    bksi_put_u64(counter, guard->drawn++);
    (void)crypto_generichash(out, BKSI_NOISE_KEY_BYTES, counter, sizeof(counter), guard->entropy,
                             sizeof(guard->entropy));
}

void bksi_guard_identity_of(const uint8_t *open, uint8_t identity[BKSI_IDENTITY_BYTES])
{
    (void)crypto_generichash(identity, BKSI_IDENTITY_BYTES, open, BKSI_NOISE_KEY_BYTES, NULL, 0);
}

bksi_guard_channel *bksi_guard_channel_of(const bksi_guard *guard, bksi_channel id)
{
    const uint32_t number = id % BKSI_CHANNELS_WIDE;
    if (id == 0 || number >= guard->channel_count) {
        return NULL;
    }
    bksi_guard_channel *channel = bksi_guard_channel_at(guard, number);
    return channel->id == id ? channel : NULL;
}

bksi_guard_channel *bksi_guard_channel_named(const bksi_guard *guard, const bksi_guard_place *from,
                                             const uint8_t *packet)
{
    const uint32_t number = from->group * BKSI_CHANNELS + packet[0] % BKSI_CHANNELS;
    if (number >= guard->channel_count) {
        return NULL;
    }
    bksi_guard_channel *channel = bksi_guard_channel_at(guard, number);
    return channel->id != 0 ? channel : NULL;
}

bksi_guard_channel *bksi_guard_channel_by_identity(bksi_guard *guard, const uint8_t *identity)
{
    for (uint32_t i = 0; i < guard->used; i++) {
        bksi_guard_channel *channel = bksi_guard_channel_at(guard, i);
        if (channel->id != 0 && channel->has_identity &&
            memcmp(channel->identity, identity, BKSI_IDENTITY_BYTES) == 0) {
            return channel;
        }
    }
    return NULL;
}

/// Return true if channel `a` should be given away before `b`: a channel without keys before one
/// with keys; if both have keys or neither has, the channel that was silent for longer.
static bool is_worth_less(const bksi_guard_channel *a, const bksi_guard_channel *b)
{
    if (a->is_open != b->is_open) {
        return !a->is_open;
    }
    return a->heard_ns < b->heard_ns;
}

/// Return true if a peer that called us has had too little time to complete its handshake. Its
/// first message counts once, so if its channel were given away it could not go on.
static bool is_young(const bksi_guard_channel *channel, uint64_t now_ns)
{
    return !channel->is_open && bksi_guard_is_at(channel, BKSI_GUARD_ANSWERING) &&
           now_ns - channel->called_ns < YOUNG_NS;
}

bksi_guard_channel *bksi_guard_channel_new(bksi_guard *guard, uint64_t now_ns)
{
    bksi_guard_channel *best = NULL;
    uint32_t number = 0;
    for (uint32_t i = 0; i < guard->channel_count; i++) {
        bksi_guard_channel *channel = bksi_guard_channel_at(guard, i);
        const bool is_free = !channel->is_held && !is_young(channel, now_ns);
        if (channel->id == 0 || (is_free && (best == NULL || is_worth_less(channel, best)))) {
            best = channel;
            number = i;
        }
        if (channel->id == 0) {
            break;
        }
    }
    if (best == NULL) {
        return NULL;
    }
    sodium_memzero(best, sizeof(*best));
    guard->generation++;
    best->id = guard->generation * BKSI_CHANNELS_WIDE + number;
    guard->used = guard->used > number ? guard->used : number + 1;
    return best;
}

bksi_channel bksi_guard_bind(bksi_guard *guard, const bks_address *address, const uint8_t *identity,
                             bool calls)
{
    bksi_guard_channel *channel =
        identity != NULL ? bksi_guard_channel_by_identity(guard, identity) : NULL;
    if (channel == NULL) {
        channel = bksi_guard_channel_new(guard, UINT64_MAX);
        if (channel == NULL) {
            return 0;
        }
        channel->has_identity = identity != NULL;
        if (identity != NULL) {
            memcpy(channel->identity, identity, BKSI_IDENTITY_BYTES);
        }
    }
    channel->is_held = true;
    channel->calls = calls;
    if (!channel->is_open) {
        channel->address = *address;
        channel->called = *address;
        channel->has_proven_address = false;
    }
    return channel->id;
}

void bksi_guard_hold(bksi_guard *guard, bksi_channel id)
{
    bksi_guard_channel *channel = bksi_guard_channel_of(guard, id);
    if (channel != NULL) {
        channel->is_held = true;
    }
}

void bksi_guard_unhold(bksi_guard *guard, bksi_channel id)
{
    bksi_guard_channel *channel = bksi_guard_channel_of(guard, id);
    if (channel != NULL) {
        channel->is_held = false;
    }
}

void bksi_guard_release(bksi_guard *guard, bksi_channel id)
{
    bksi_guard_channel *channel = bksi_guard_channel_of(guard, id);
    if (channel != NULL) {
        sodium_memzero(channel, sizeof(*channel));
    }
}

void bksi_guard_renew(bksi_guard *guard, bksi_channel id)
{
    bksi_guard_channel *channel = bksi_guard_channel_of(guard, id);
    if (channel == NULL || !channel->calls || !channel->is_open) {
        return;
    }
    const uint32_t attempts = channel->handshakes[BKSI_GUARD_STRAIGHT].attempts;
    sodium_memzero(channel->handshakes, sizeof(channel->handshakes));
    channel->handshakes[BKSI_GUARD_STRAIGHT].stage = BKSI_GUARD_CALLING;
    channel->handshakes[BKSI_GUARD_STRAIGHT].attempts = attempts;
}

void bksi_guard_set_detour(bksi_guard *guard, bksi_channel id, uint32_t peer, bool is_on)
{
    bksi_guard_channel *channel = bksi_guard_channel_of(guard, id);
    if (channel != NULL) {
        channel->is_named = true;
        channel->peer = peer;
        channel->has_detour = is_on;
    }
}

const uint8_t *bksi_guard_identity(const bksi_guard *guard, bksi_channel id)
{
    const bksi_guard_channel *channel = bksi_guard_channel_of(guard, id);
    return channel != NULL && channel->has_identity ? channel->identity : NULL;
}

bks_address bksi_guard_address(const bksi_guard *guard, bksi_channel id)
{
    const bksi_guard_channel *channel = bksi_guard_channel_of(guard, id);
    if (channel == NULL) {
        return (bks_address){0};
    }
    const bksi_guard_handshake *handshake = &channel->handshakes[BKSI_GUARD_STRAIGHT];
    bool is_called = !channel->is_open && handshake->stage == BKSI_GUARD_ANSWERING;
    return is_called ? handshake->address : channel->address;
}

bks_address bksi_guard_proven_address(const bksi_guard *guard, bksi_channel id)
{
    const bksi_guard_channel *channel = bksi_guard_channel_of(guard, id);
    return channel != NULL && channel->has_proven_address ? channel->address : (bks_address){0};
}

uint64_t bksi_guard_heard_ns(const bksi_guard *guard, bksi_channel id)
{
    const bksi_guard_channel *channel = bksi_guard_channel_of(guard, id);
    return channel != NULL ? channel->heard_ns : 0;
}

uint64_t bksi_guard_answered_ns(const bksi_guard *guard, bksi_channel id)
{
    const bksi_guard_channel *channel = bksi_guard_channel_of(guard, id);
    return channel != NULL ? channel->answered_ns : 0;
}

uint64_t bksi_guard_answer_took_ns(const bksi_guard *guard, bksi_channel id)
{
    const bksi_guard_channel *channel = bksi_guard_channel_of(guard, id);
    return channel != NULL ? channel->answer_took_ns : 0;
}

// Received messages that the session has not taken yet: the message of a sealed packet, or the
// messages enclosed in a handshake.

void bksi_guard_offer(bksi_guard *guard, bksi_channel channel, bool is_proven, size_t at,
                      size_t end)
{
    guard->single.channel = 0;
    guard->many_channel = channel;
    guard->many_is_proven = is_proven;
    guard->many_at = at;
    guard->many_end = end;
    guard->many_age_ns = 0;
}

bool bksi_guard_take(bksi_guard *guard, bksi_guard_message *message)
{
    if (guard->single.channel != 0) {
        *message = guard->single;
        guard->single.channel = 0;
        return true;
    }
    size_t left = guard->many_end - guard->many_at;
    const uint8_t *at = guard->plain + guard->many_at;
    uint32_t type = left > BKSI_ENCLOSED_HEAD_BYTES ? at[0] : 0;
    size_t bytes = type != 0 ? bksi_get_u16(at + 1) : 0;
    if (type == 0 || type > BKSI_PACKET_LOBBY_LAST || bytes > left - BKSI_ENCLOSED_HEAD_BYTES) {
        guard->many_at = guard->many_end; // the rest is padding, or not allowed in a handshake
        return false;
    }
    guard->many_at += BKSI_ENCLOSED_HEAD_BYTES + bytes;
    *message = (bksi_guard_message){.channel = guard->many_channel,
                                    .type = type,
                                    .body = at + BKSI_ENCLOSED_HEAD_BYTES,
                                    .body_bytes = bytes,
                                    .is_proven = guard->many_is_proven,
                                    .is_carried = guard->many_is_carried,
                                    .age_ns = guard->many_age_ns};
    return true;
}
