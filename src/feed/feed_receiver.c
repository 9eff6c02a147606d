// SPDX-License-Identifier: MIT

#include "feed/feed_receiver.h"

#include <sodium.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "base/report.h"
#include "replay/format/replay_format.h"

/// Sizes of the streams' buffers. Our own stream carries nothing.
#define SEND_BYTES    ((size_t)1 << 10)
#define RECEIVE_BYTES ((size_t)128 << 10)

/// Rate of our own stream, which carries nothing.
#define RATE_BYTES_PER_S 10000.0

/// Least time from a checkpoint to the question for a second opinion, and by how much more a
/// watcher may wait.
#define OPINION_NS        UINT64_C(500000000)
#define OPINION_SPREAD_NS UINT64_C(4000000000)

/// Bytes that a reader holds for each record, whose bytes may be 25: an event, in a list that grows
/// by doubling.
#define BESIDE_BYTES (2 * sizeof(bks_replay_event))

/// Longest time between two updates that counts as silence of the source. If it is longer, our
/// process was frozen.
#define AWAKE_GAP_MAX_NS UINT64_C(1000000000)

bks_status bksi_feed_receiver_create(bksi_feed_receiver *receiver,
                                     const bksi_feed_receiver_config *config)
{
    memset(receiver, 0, sizeof(*receiver));
    receiver->allocator = config->allocator;
    receiver->timeout_ns = config->timeout_ns;
    receiver->bytes_max = config->bytes_max;
    receiver->reason = BKSI_FEED_REASONS;
    receiver->want = BKSI_FEED_COUNT_BYTES;
    receiver->source = config->source;
    BKSI_TRY(bksi_feed_link_create(&receiver->link, SEND_BYTES, RECEIVE_BYTES, RATE_BYTES_PER_S,
                                   &config->allocator));
    bksi_guard_init(&receiver->guard, config->key, config->identity, config->entropy);
    bksi_guard_widen(&receiver->guard, NULL, 0);
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

/// Put a record at the end of the recording. The checks of a record depend on its place, so they
/// are made anew.
/// @param payload  may be at its place already
/// @return false if there is no memory
static bool put_record(bksi_feed_receiver *receiver, uint32_t type, const uint8_t *payload,
                       size_t payload_bytes)
{
    receiver->got = 0;
    if (!make_room(receiver, receiver->count + payload_bytes + BKSI_RECORD_EXTRA_BYTES)) {
        return false;
    }
    uint8_t *record = receiver->bytes + receiver->count;
    memmove(record + BKSI_RECORD_HEAD_BYTES, payload, payload_bytes);
    receiver->ticks_at = type == BKSI_RECORD_TICKS ? receiver->count : receiver->ticks_at;
    receiver->beside += BESIDE_BYTES;
    receiver->count += bksi_record_finish(record, type, payload_bytes, receiver->count);
    return true;
}

/// Close the recording as the source that left has closed its own.
static bool put_closing(bksi_feed_receiver *receiver)
{
    const bksi_feed_closing *closing = &receiver->closing;
    return put_record(receiver, BKSI_RECORD_EVENT, closing->event, closing->event_bytes) &&
           put_record(receiver, BKSI_RECORD_DONE, closing->done, sizeof(closing->done));
}

static void end(bksi_feed_receiver *receiver, bks_status status)
{
    if (receiver->status != BKS_OK) {
        return;
    }
    receiver->status = status;
    if (status == BKS_OVER && receiver->closing.is_done && !put_closing(receiver)) {
        receiver->status = BKS_ERR_OUT_OF_MEMORY;
    }
}

static void want(bksi_feed_receiver *receiver, bksi_feed_part part, uint64_t bytes)
{
    receiver->part = part;
    receiver->want = (size_t)bytes;
    receiver->got = 0;
    const size_t used = receiver->count + receiver->beside;
    if (bytes > receiver->bytes_max || used > receiver->bytes_max - bytes) {
        end(receiver, BKS_ERR_DAMAGED);
    }
}

// ---- another source ----

/// Ask a member for the rest of the recording, or for a beginning if we have none.
static void ask(bksi_feed_receiver *receiver, const bks_address *member, uint64_t now_ns)
{
    bksi_guard_release(&receiver->guard, receiver->channel);
    bksi_feed_opinions_leave(&receiver->opinions, &receiver->guard, member);
    receiver->source = *member;
    receiver->channel = bksi_guard_bind(&receiver->guard, member, NULL, true);
    bksi_feed_link_begin(&receiver->link, now_ns);
    receiver->silent_ns = 0;
    receiver->watched_ns = 0;
    receiver->has_keys = false;
    receiver->is_answered = false;
    receiver->continues = receiver->count > 0;
    receiver->must_join = receiver->ticks_at > 0;
    receiver->joint = receiver->count;
    bksi_feed_progress_turn(&receiver->progress);
    receiver->at_joint = receiver->progress;
    want(receiver, BKSI_FEED_PART_COUNT, BKSI_FEED_COUNT_BYTES);
}

/// Drop what came from a source of which it is not known that it played the same ticks.
static void drop_unjoined(bksi_feed_receiver *receiver)
{
    if (receiver->must_join) {
        receiver->must_join = false;
        receiver->count = receiver->joint;
        receiver->progress = receiver->at_joint;
    }
}

/// Return true if another source, or the same anew, can continue what has come.
static bool can_continue(const bksi_feed_receiver *receiver)
{
    return receiver->count == 0 || receiver->progress.can_continue;
}

/// Turn to another member, because the source is lost or has no place for us.
/// @param status  with `reason`: status of the feed if nobody goes on
static void turn(bksi_feed_receiver *receiver, bks_status status, uint32_t reason, uint64_t now_ns)
{
    if (!receiver->search.is_on) {
        receiver->search.is_on = true;
        receiver->lost = status;
        receiver->lost_reason = reason;
        bksi_feed_search_asked(&receiver->search, &receiver->source);
    } else if (!receiver->is_answered) {
        bksi_feed_search_unanswered(&receiver->search, &receiver->source);
    }
    drop_unjoined(receiver);
    bks_address next;
    if (can_continue(receiver) &&
        bksi_feed_search_next(&receiver->search, &receiver->members, receiver->guard.run, &next)) {
        ask(receiver, &next, now_ns);
        return;
    }
    receiver->reason = receiver->lost_reason;
    end(receiver, receiver->lost);
}

// ---- records ----

/// Keep the new ticks of a TICK record, from `first` on.
static void keep_part(bksi_feed_receiver *receiver, bks_tick first, const uint8_t *payload,
                      size_t payload_bytes)
{
    uint8_t *part = NULL;
    size_t room = 0;
    const size_t count = bksi_feed_progress_cut(&receiver->progress, first, payload, payload_bytes,
                                                &part, &room, &receiver->allocator);
    if (count == 0) {
        end(receiver, BKS_ERR_DAMAGED);
    } else if (!put_record(receiver, BKSI_RECORD_TICKS, part, count)) {
        end(receiver, BKS_ERR_OUT_OF_MEMORY);
    }
    bksi_free(&receiver->allocator, part, room);
}

/// Take the last record of a complete recording. If the source only leaves, look for another one.
static void take_done(bksi_feed_receiver *receiver, uint8_t *payload, uint64_t now_ns)
{
    bksi_put_u64(payload + BKSI_DONE_BYTES - 8, 0); // there is no index
    if (receiver->closing.event_bytes > 0) {
        memcpy(receiver->closing.done, payload, BKSI_DONE_BYTES);
        receiver->closing.is_done = true;
        turn(receiver, BKS_OVER, BKSI_FEED_LEAVES, now_ns);
        return;
    }
    (void)put_record(receiver, BKSI_RECORD_DONE, payload, BKSI_DONE_BYTES); // it fits
    end(receiver, BKS_OVER);
}

static void hold_back_event(bksi_feed_receiver *receiver, const uint8_t *payload, size_t count)
{
    if (count <= sizeof(receiver->closing.event)) {
        memcpy(receiver->closing.event, payload, count);
        receiver->closing.event_bytes = count;
    }
}

/// Have a second opinion asked for the hash of a checkpoint, if a TICK record has one. Watchers ask
/// at different times, so that a member never gets the questions of all at once.
static void note_checkpoint(bksi_feed_receiver *receiver, const uint8_t *payload,
                            size_t payload_bytes, uint64_t now_ns)
{
    bks_tick tick;
    uint64_t hash;
    if (receiver->progress.can_continue &&
        bksi_feed_progress_checkpoint(&receiver->progress, payload, payload_bytes, &tick, &hash,
                                      &receiver->allocator)) {
        const uint64_t wait_ns = OPINION_NS + receiver->guard.run % OPINION_SPREAD_NS;
        bksi_feed_opinions_want(&receiver->opinions, tick, hash, &receiver->source,
                                now_ns + wait_ns);
    }
}

/// Compare the ticks of a new source with ours where they meet.
/// @return false if it played other ones
static bool join(bksi_feed_receiver *receiver, const uint8_t *payload, size_t payload_bytes)
{
    const uint8_t *own = receiver->bytes + receiver->ticks_at;
    const bksi_feed_joint joint = bksi_feed_progress_join(
        &receiver->progress, own + BKSI_RECORD_HEAD_BYTES, bksi_get_u32(own + 4), payload,
        payload_bytes, &receiver->allocator);
    receiver->must_join = joint != BKSI_FEED_JOINT_SAME;
    return joint != BKSI_FEED_JOINT_OTHER;
}

/// Keep what is new of a whole record that lies behind our recording. An index has places in the
/// source's recording, so it is left out.
static void keep_record(bksi_feed_receiver *receiver, uint64_t now_ns)
{
    uint8_t *record = receiver->bytes + receiver->count;
    uint8_t *payload = record + BKSI_RECORD_HEAD_BYTES;
    const uint32_t type = bksi_get_u32(record);
    const uint32_t payload_bytes = bksi_get_u32(record + 4);
    bks_tick first = 0;
    if (type == BKSI_RECORD_INDEX) {
        return;
    }
    if (type == BKSI_RECORD_DONE && payload_bytes != BKSI_DONE_BYTES) {
        end(receiver, BKS_ERR_DAMAGED);
        return;
    }
    if (type == BKSI_RECORD_DONE && !receiver->must_join) {
        take_done(receiver, payload, now_ns);
        return;
    }
    const bool is_other = receiver->must_join &&
                          (type == BKSI_RECORD_DONE ||
                           (type == BKSI_RECORD_TICKS && !join(receiver, payload, payload_bytes)));
    if (is_other) {
        turn(receiver, receiver->lost, receiver->lost_reason, now_ns);
        return;
    }
    const size_t before = receiver->count;
    if (type == BKSI_RECORD_TICKS) {
        note_checkpoint(receiver, payload, payload_bytes, now_ns);
    }
    switch (bksi_feed_progress_take(&receiver->progress, type, payload, payload_bytes, &first)) {
    case BKSI_FEED_NEWS_ALL:
        (void)put_record(receiver, type, payload, payload_bytes); // it is at its place
        break;
    case BKSI_FEED_NEWS_PART:
        keep_part(receiver, first, payload, payload_bytes);
        break;
    case BKSI_FEED_NEWS_LEAVES:
        if (!receiver->must_join) {
            hold_back_event(receiver, payload, payload_bytes);
        }
        break;
    case BKSI_FEED_NEWS_WRONG:
        end(receiver, BKS_ERR_DAMAGED);
        break;
    case BKSI_FEED_NEWS_NONE:
        break;
    }
    if (receiver->count > before && !receiver->must_join) {
        bksi_feed_search_end(&receiver->search); // this source goes on
        receiver->closing = (bksi_feed_closing){0};
    }
}

/// Process a part of the stream that has come as a whole.
static void take_part(bksi_feed_receiver *receiver, uint64_t now_ns)
{
    switch (receiver->part) {
    case BKSI_FEED_PART_COUNT: {
        const uint64_t count = bksi_get_u64(receiver->number);
        if (count > 0 && receiver->continues) {
            end(receiver, BKS_ERR_DAMAGED); // there is a beginning already
        } else if (count > 0) {
            want(receiver, BKSI_FEED_PART_BEGINNING, count);
        } else { // there is no byte to make room for
            want(receiver, BKSI_FEED_PART_HEAD, BKSI_RECORD_HEAD_BYTES);
        }
        break;
    }
    case BKSI_FEED_PART_BEGINNING:
        receiver->count = receiver->got;
        receiver->begun = receiver->got;
        bksi_feed_search_end(&receiver->search);
        bksi_feed_progress_begin(&receiver->progress, receiver->bytes, receiver->count,
                                 &receiver->allocator);
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
        want(receiver, BKSI_FEED_PART_HEAD, BKSI_RECORD_HEAD_BYTES);
        keep_record(receiver, now_ns); // may ask another source
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
            take_part(receiver, now_ns);
        } else if (count == 0) {
            return;
        }
    }
}

// ---- packets that arrive ----

/// Process that the source has no place for us, or ends the feed.
static void take_refusal(bksi_feed_receiver *receiver, const bksi_guard_message *message,
                         uint64_t now_ns)
{
    const uint32_t named = message->body_bytes > 0 ? message->body[0] : BKSI_FEED_REASONS;
    const uint32_t reason = named < BKSI_FEED_REASONS ? named : BKSI_FEED_REASONS;
    read_stream(receiver, now_ns); // what came before counts
    if (message->channel != receiver->channel || receiver->status != BKS_OK) {
        return; // the source had left already, or the recording is complete
    }
    bksi_feed_members more;
    if (message->body_bytes > 1 &&
        bksi_feed_members_read(&more, message->body + 1, message->body_bytes - 1)) {
        bksi_feed_members_add(&receiver->members, &more); // one near may know fewer than a relay
    }
    const bks_status status = receiver->count > 0 ? BKS_ERR_PEER_LOST : BKS_ERR_REFUSED;
    if (bksi_feed_others_may_serve(reason) || receiver->search.is_on) {
        turn(receiver, status, reason, now_ns);
        return;
    }
    receiver->reason = reason;
    end(receiver, status);
}

static void take_message(bksi_feed_receiver *receiver, const bksi_guard_message *message,
                         uint64_t now_ns)
{
    // Under early keys a message could be from somebody who only has the feed's key and recorded
    // our first message.
    if (message->is_sealed && message->channel == receiver->opinions.channel) {
        bksi_feed_opinions_take(&receiver->opinions, message);
    }
    if (message->channel != receiver->channel || !message->is_sealed) {
        return;
    }
    receiver->is_answered = true;
    receiver->silent_ns = 0;
    bksi_feed_link_came(&receiver->link, message, now_ns);
    if (message->type == BKSI_FEED_STREAM) {
        (void)bksi_feed_link_take(&receiver->link, message, now_ns);
    } else if (message->type == BKSI_FEED_MEMBERS) {
        (void)bksi_feed_members_read(&receiver->members, message->body, message->body_bytes);
    } else if (message->type == BKSI_FEED_REFUSE || message->type == BKSI_FEED_BYE) {
        take_refusal(receiver, message, now_ns);
    }
}

void bksi_feed_receiver_receive(bksi_feed_receiver *receiver, uint64_t now_ns,
                                const bks_address *from, const uint8_t *packet, size_t count)
{
    receiver->received_bytes += count;
    bksi_feed_receive(&receiver->guard, now_ns, from, packet, count);
    bksi_guard_message message;
    while (bksi_guard_take(&receiver->guard, &message)) {
        take_message(receiver, &message, now_ns);
    }
}

/// Call the source anew: it has given us up, because our process did not run for so long.
static void call_anew(bksi_feed_receiver *receiver, uint64_t now_ns)
{
    const bks_address source = receiver->source;
    read_stream(receiver, now_ns);
    receiver->search.is_on = true;
    receiver->lost = BKS_ERR_PEER_LOST;
    receiver->lost_reason = BKSI_FEED_REASONS;
    bksi_feed_search_asked(&receiver->search, &source);
    drop_unjoined(receiver);
    ask(receiver, &source, now_ns);
}

/// Count the time since the last update, but not that in which our process did not run.
static void count_silence(bksi_feed_receiver *receiver, uint64_t now_ns)
{
    const uint64_t gap_ns = receiver->updated_ns > 0 ? now_ns - receiver->updated_ns : 0;
    if (gap_ns > BKSI_FEED_SILENCE_NS && receiver->is_answered && !receiver->search.is_on &&
        can_continue(receiver)) {
        call_anew(receiver, now_ns);
    }
    receiver->silent_ns += gap_ns < AWAKE_GAP_MAX_NS ? gap_ns : AWAKE_GAP_MAX_NS;
    receiver->updated_ns = now_ns;
}

bks_status bksi_feed_receiver_update(bksi_feed_receiver *receiver, uint64_t now_ns)
{
    if (receiver->status != BKS_OK) {
        return receiver->status;
    }
    count_silence(receiver, now_ns);
    read_stream(receiver, now_ns);
    bksi_feed_opinions_update(&receiver->opinions, &receiver->guard, &receiver->members,
                              &receiver->source, receiver->guard.run, now_ns);
    const bool searches = receiver->search.is_on;
    const uint64_t patience_ns = searches ? BKSI_FEED_MEMBER_NS : receiver->timeout_ns;
    if (!receiver->is_answered && receiver->silent_ns > patience_ns) {
        if (searches) {
            turn(receiver, receiver->lost, receiver->lost_reason, now_ns);
        } else {
            end(receiver, BKS_ERR_TIMEOUT);
        }
    } else if (receiver->is_answered && receiver->silent_ns > BKSI_FEED_SILENCE_NS &&
               !bksi_mutated(BKSI_MUTANT_FEED_WAITS)) {
        turn(receiver, BKS_ERR_PEER_LOST, BKSI_FEED_REASONS, now_ns);
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
    uint8_t body[BKSI_FEED_WATCH_BYTES_MORE];
    bksi_byte_writer writer = bksi_byte_writer_over(body, sizeof(body));
    bksi_write_u8(&writer, BKSI_FEED_VERSION | (has_begun ? BKSI_FEED_HAS_BEGUN : 0));
    if (receiver->continues) {
        // The newest tick that we have shows if the source played the same ones.
        bksi_write_u32(&writer,
                       (uint32_t)(receiver->progress.next - (receiver->ticks_at > 0 ? 1 : 0)));
        bksi_write_u64(&writer, receiver->progress.seed);
    }
    const size_t count = bksi_feed_send(&receiver->link, &receiver->guard, receiver->channel,
                                        BKSI_FEED_WATCH, body, writer.at, to, packet, now_ns);
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
        count = bksi_feed_opinions_send(&receiver->opinions, &receiver->guard,
                                        receiver->progress.seed, to, packet, now_ns);
    }
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
    const uint8_t leaves = BKSI_FEED_LEAVES;
    return receiver->has_keys ? bksi_feed_send(&receiver->link, &receiver->guard, receiver->channel,
                                               BKSI_FEED_BYE, &leaves, 1, to, packet, now_ns)
                              : 0;
}
