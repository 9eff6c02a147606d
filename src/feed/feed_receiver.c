// SPDX-License-Identifier: MIT

#include "feed/feed_receiver.h"

#include <sodium.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_format.h"

/// Sizes of the streams' buffers. Our own stream carries nothing.
#define SEND_BYTES    ((size_t)1 << 10)
#define RECEIVE_BYTES ((size_t)128 << 10)

/// Rate of our own stream, which carries nothing.
#define RATE_BYTES_PER_S 10000.0

bks_status bksi_feed_receiver_create(bksi_feed_receiver *receiver,
                                     const bksi_feed_receiver_config *config)
{
    memset(receiver, 0, sizeof(*receiver));
    receiver->allocator = config->allocator;
    receiver->timeout_ns = config->timeout_ns;
    receiver->bytes_max = config->bytes_max;
    receiver->reason = BKSI_FEED_REASONS;
    receiver->want = BKSI_FEED_COUNT_BYTES;
    BKSI_TRY(bksi_feed_link_create(&receiver->link, SEND_BYTES, RECEIVE_BYTES, RATE_BYTES_PER_S,
                                   &config->allocator));
    bksi_guard_init(&receiver->guard, config->key, config->identity, config->entropy);
    receiver->channel = bksi_guard_bind(&receiver->guard, &config->source, NULL, true);
    return BKS_OK;
}

void bksi_feed_receiver_destroy(bksi_feed_receiver *receiver)
{
    bksi_feed_link_destroy(&receiver->link);
    bksi_free(&receiver->allocator, receiver->bytes, receiver->capacity);
    bksi_guard_wipe(&receiver->guard);
    receiver->bytes = NULL;
}

static void end(bksi_feed_receiver *receiver, bks_status status)
{
    if (receiver->status == BKS_OK) {
        receiver->status = status;
    }
}

// ---- the recording ----

/// Make room for `count` bytes in all. The room grows with what has come, not with what the source
/// says will come.
static bool make_room(bksi_feed_receiver *receiver, size_t count)
{
    if (count <= receiver->capacity) {
        return true;
    }
    const size_t least = count > RECEIVE_BYTES ? count : RECEIVE_BYTES;
    uint8_t *bytes = bksi_alloc(&receiver->allocator, 2 * least, 64);
    if (bytes == NULL) {
        return false;
    }
    if (receiver->bytes != NULL) {
        memcpy(bytes, receiver->bytes, receiver->count + receiver->got);
    }
    bksi_free(&receiver->allocator, receiver->bytes, receiver->capacity);
    receiver->bytes = bytes;
    receiver->capacity = 2 * least;
    return true;
}

static void want(bksi_feed_receiver *receiver, bksi_feed_part part, uint64_t bytes)
{
    receiver->part = part;
    receiver->want = (size_t)bytes;
    receiver->got = 0;
    if (bytes > receiver->bytes_max || receiver->count > receiver->bytes_max - bytes) {
        end(receiver, BKS_ERR_DAMAGED);
    }
}

/// Put a whole record at its place in our recording. The checks of a record depend on its place, so
/// they are made anew. An index has places in the source's recording, so it is left out.
static void keep_record(bksi_feed_receiver *receiver)
{
    uint8_t *record = receiver->bytes + receiver->count;
    const uint32_t type = bksi_get_u32(record);
    const uint32_t payload_bytes = bksi_get_u32(record + 4);
    if (type == BKSI_RECORD_INDEX) {
        return;
    }
    if (type == BKSI_RECORD_DONE && payload_bytes == BKSI_DONE_BYTES) {
        bksi_put_u64(record + BKSI_RECORD_HEAD_BYTES + BKSI_DONE_BYTES - 8, 0); // there is no index
        end(receiver, BKS_OVER);
    }
    receiver->count += bksi_record_finish(record, type, payload_bytes, receiver->count);
}

/// Process a part of the stream that has come as a whole.
static void take_part(bksi_feed_receiver *receiver)
{
    switch (receiver->part) {
    case BKSI_FEED_PART_COUNT: {
        const uint64_t count = bksi_get_u64(receiver->number);
        if (count > 0) {
            want(receiver, BKSI_FEED_PART_BEGINNING, count);
        } else { // there is no byte to make room for
            want(receiver, BKSI_FEED_PART_HEAD, BKSI_RECORD_HEAD_BYTES);
        }
        break;
    }
    case BKSI_FEED_PART_BEGINNING:
        receiver->count = receiver->got;
        want(receiver, BKSI_FEED_PART_HEAD, BKSI_RECORD_HEAD_BYTES);
        break;
    case BKSI_FEED_PART_HEAD: {
        const size_t got = receiver->got;
        const uint64_t payload_bytes = bksi_get_u32(receiver->bytes + receiver->count + 4);
        want(receiver, BKSI_FEED_PART_RECORD, payload_bytes + BKSI_RECORD_EXTRA_BYTES);
        receiver->got = got;
        break;
    }
    case BKSI_FEED_PART_RECORD:
        keep_record(receiver);
        want(receiver, BKSI_FEED_PART_HEAD, BKSI_RECORD_HEAD_BYTES);
        break;
    }
}

/// Get where the next `count` bytes of a part go, NULL: there is no memory.
static uint8_t *place_for(bksi_feed_receiver *receiver, size_t count)
{
    if (receiver->part == BKSI_FEED_PART_COUNT) {
        return receiver->number + receiver->got;
    }
    return make_room(receiver, receiver->count + receiver->got + count)
               ? receiver->bytes + receiver->count + receiver->got
               : NULL;
}

/// Read what has come of the stream, at most the bytes of its buffer.
static void read_stream(bksi_feed_receiver *receiver, uint64_t now_ns)
{
    for (size_t left = RECEIVE_BYTES; left > 0 && receiver->status == BKS_OK;) {
        size_t part = receiver->want - receiver->got;
        part = part < left ? part : left;
        uint8_t *to = place_for(receiver, part);
        if (to == NULL) {
            end(receiver, BKS_ERR_OUT_OF_MEMORY);
            return;
        }
        const size_t count = bksi_bulk_read(&receiver->link.bulk, to, part, now_ns);
        receiver->got += count;
        left -= count;
        if (receiver->got == receiver->want) {
            take_part(receiver);
        } else if (count == 0) {
            return;
        }
    }
}

// ---- packets that arrive ----

static void take_message(bksi_feed_receiver *receiver, const bksi_guard_message *message,
                         uint64_t now_ns)
{
    // Under early keys a message could be from somebody who only has the feed's key and recorded
    // our first message.
    if (message->channel != receiver->channel || !message->is_sealed) {
        return;
    }
    receiver->is_answered = true;
    bksi_feed_link_came(&receiver->link, message, now_ns);
    if (message->type == BKSI_FEED_STREAM) {
        (void)bksi_feed_link_take(&receiver->link, message, now_ns);
    } else if (message->type == BKSI_FEED_REFUSE || message->type == BKSI_FEED_BYE) {
        const uint32_t reason = message->body_bytes == 1 ? message->body[0] : BKSI_FEED_REASONS;
        read_stream(receiver, now_ns); // what came before counts
        receiver->reason = reason < BKSI_FEED_REASONS ? reason : BKSI_FEED_REASONS;
        end(receiver, receiver->count > 0 ? BKS_ERR_PEER_LOST : BKS_ERR_REFUSED);
    }
}

void bksi_feed_receiver_receive(bksi_feed_receiver *receiver, uint64_t now_ns,
                                const bks_address *from, const uint8_t *packet, size_t count)
{
    receiver->received_bytes += count;
    (void)bksi_guard_receive(&receiver->guard, now_ns, from, packet + BKSI_FEED_MARK_BYTES,
                             count - BKSI_FEED_MARK_BYTES);
    bksi_guard_message message;
    while (bksi_guard_take(&receiver->guard, &message)) {
        take_message(receiver, &message, now_ns);
    }
}

bks_status bksi_feed_receiver_update(bksi_feed_receiver *receiver, uint64_t now_ns)
{
    if (receiver->begun_ns == 0) {
        receiver->begun_ns = now_ns;
    }
    read_stream(receiver, now_ns);
    if (!receiver->is_answered && now_ns - receiver->begun_ns > receiver->timeout_ns) {
        end(receiver, BKS_ERR_TIMEOUT);
    }
    if (receiver->is_answered && now_ns - receiver->link.heard_ns > BKSI_FEED_SILENCE_NS) {
        end(receiver, BKS_ERR_PEER_LOST);
    }
    return receiver->status;
}

// ---- packets to send ----

/// Say that we watch: as part of the handshake, and then from time to time.
static size_t watch(bksi_feed_receiver *receiver, bks_address *to, uint8_t *packet, uint64_t now_ns)
{
    if (receiver->has_keys && now_ns - receiver->watched_ns < BKSI_FEED_ALIVE_NS) {
        return 0;
    }
    const bool has_begun = receiver->link.bulk.in.floor > 0;
    const size_t count = bksi_feed_send(
        &receiver->link, &receiver->guard, receiver->channel, BKSI_FEED_WATCH,
        (uint8_t)(BKSI_FEED_VERSION | (has_begun ? BKSI_FEED_HAS_BEGUN : 0)), to, packet, now_ns);
    if (count > 0) {
        receiver->has_keys = true;
        receiver->watched_ns = now_ns;
    }
    return count;
}

size_t bksi_feed_receiver_send(bksi_feed_receiver *receiver, bks_address *to, uint8_t *packet,
                               uint64_t now_ns)
{
    if (receiver->status < BKS_OK) {
        return 0;
    }
    size_t count = watch(receiver, to, packet, now_ns);
    if (count == 0) {
        count = bksi_feed_flush(&receiver->guard, to, packet, now_ns);
    }
    if (count == 0 && receiver->has_keys) {
        count = bksi_feed_link_send(&receiver->link, &receiver->guard, receiver->channel, to,
                                    packet, now_ns);
    }
    return count;
}

size_t bksi_feed_receiver_leave(bksi_feed_receiver *receiver, bks_address *to, uint8_t *packet,
                                uint64_t now_ns)
{
    return receiver->has_keys ? bksi_feed_send(&receiver->link, &receiver->guard, receiver->channel,
                                               BKSI_FEED_BYE, BKSI_FEED_LEAVES, to, packet, now_ns)
                              : 0;
}
