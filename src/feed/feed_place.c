// SPDX-License-Identifier: MIT

#include "feed/feed_place.h"

#include "base/bytes.h"

/// Sizes of a place's streams. A watcher's own stream carries nothing.
#define SEND_BYTES    ((size_t)128 << 10)
#define RECEIVE_BYTES ((size_t)1 << 10)

/// Bytes that go to a watcher before its first report, so that a small state is there a round trip
/// earlier. A watcher's buffer is larger.
#define FIRST_WINDOW_BYTES ((size_t)8 << 10)

bks_status bksi_feed_place_create(bksi_feed_place *place, double bytes_per_s,
                                  const bks_allocator *allocator)
{
    memset(place, 0, sizeof(*place));
    const bks_status status =
        bksi_feed_link_create(&place->link, SEND_BYTES, RECEIVE_BYTES, bytes_per_s, allocator);
    if (status != BKS_OK) {
        memset(&place->link, 0, sizeof(place->link));
    }
    return status;
}

void bksi_feed_place_destroy(bksi_feed_place *place)
{
    bksi_feed_link_destroy(&place->link);
}

void bksi_feed_place_open(bksi_feed_place *place, const bksi_guard_message *watch, uint64_t now_ns)
{
    bksi_feed_link_begin(&place->link, now_ns);
    bksi_bulk_presume(&place->link.bulk, FIRST_WINDOW_BYTES, now_ns);
    bksi_byte_reader reader = bksi_byte_reader_over(watch->body, watch->body_bytes);
    (void)bksi_read_u8(&reader);
    const bool continues = watch->body_bytes == BKSI_FEED_WATCH_BYTES_MORE;
    place->from = continues ? (bks_tick)bksi_read_u32(&reader) : BKS_TICK_NONE;
    place->seed = continues ? bksi_read_u64(&reader) : 0;
    place->stage = continues ? BKSI_FEED_CONTINUES : BKSI_FEED_WAITS;
    place->channel = watch->channel;
    place->begun = 0;
    place->has_caught_up = false;
    place->alive_ns = 0;
    place->told_ns = 0;
    place->bytes = 0;
}

void bksi_feed_place_free(bksi_feed_place *place)
{
    place->stage = BKSI_FEED_FREE;
}

void bksi_feed_place_take(bksi_feed_place *place, const bksi_guard_message *message,
                          uint64_t now_ns)
{
    bksi_feed_link_came(&place->link, message, now_ns);
    if (message->type == BKSI_FEED_STREAM) {
        uint8_t nothing[64];
        (void)bksi_feed_link_take(&place->link, message, now_ns);
        while (bksi_bulk_read(&place->link.bulk, nothing, sizeof(nothing), now_ns) > 0) {
        }
    }
}

// ---- the stream ----

/// Write the next bytes of the beginning's size, 0 for a watcher that continues.
static void write_count(bksi_feed_place *place, uint64_t value)
{
    uint8_t count[BKSI_FEED_COUNT_BYTES];
    bksi_put_u64(count, value);
    if (place->begun < sizeof(count)) {
        place->begun +=
            bksi_bulk_write(&place->link.bulk, count + place->begun, sizeof(count) - place->begun);
    }
}

/// Write the next bytes of the beginning.
static void write_beginning(bksi_feed_place *place, const bksi_feed_beginning *beginning)
{
    write_count(place, beginning->count);
    if (place->begun >= BKSI_FEED_COUNT_BYTES) {
        const size_t at = place->begun - BKSI_FEED_COUNT_BYTES;
        place->begun +=
            bksi_bulk_write(&place->link.bulk, beginning->bytes + at, beginning->count - at);
    }
    if (place->begun == BKSI_FEED_COUNT_BYTES + beginning->count) {
        place->stage = BKSI_FEED_RECORDS;
    }
}

static void write_records(bksi_feed_place *place, const bksi_feed_offer *offer)
{
    uint8_t bytes[1024];
    size_t count = 0;
    size_t taken = 0;
    const bksi_feed_ring *ring = &offer->tape->ring;
    const uint64_t until_ns = offer->now_ns > offer->delay_ns ? offer->now_ns - offer->delay_ns : 0;
    do {
        count = bksi_feed_ring_peek(ring, &place->cursor, until_ns, bytes, sizeof(bytes));
        taken = bksi_bulk_write(&place->link.bulk, bytes, count);
        bksi_feed_ring_pass(ring, &place->cursor, taken);
    } while (taken > 0 && taken == count);
}

/// Find the records that follow the watcher's recording.
static bksi_feed_reason continue_recording(bksi_feed_place *place, const bksi_feed_offer *offer)
{
    const bksi_feed_stretch stretch =
        offer->seed == place->seed ? bksi_feed_tape_find(offer->tape, place->from, &place->cursor)
                                   : BKSI_FEED_STRETCH_LOST;
    if (stretch == BKSI_FEED_STRETCH_LOST) {
        return BKSI_FEED_NOT_HELD;
    }
    if (stretch == BKSI_FEED_STRETCH_HELD) {
        write_count(place, 0);
        place->stage = BKSI_FEED_RECORDS;
    }
    return offer->tape->is_finished && place->stage == BKSI_FEED_CONTINUES ? BKSI_FEED_OVER
                                                                           : BKSI_FEED_REASONS;
}

/// Return true if a watcher that had caught up lacks so much that other members, whose rings are as
/// large, will soon not hold it either. One that came with as much to read may go on for as long as
/// the ring has what it needs: it catches up, or nobody can serve it.
static bool falls_behind(bksi_feed_place *place, const bksi_feed_ring *ring)
{
    const bksi_bulk *bulk = &place->link.bulk;
    if (place->stage != BKSI_FEED_RECORDS || bulk->out.floor < place->begun) {
        return false; // without the whole beginning it could not go on elsewhere
    }
    const uint64_t lacked = ring->end - place->cursor.place + bksi_bulk_unfinished(bulk);
    place->has_caught_up |= lacked + 2 * BKSI_FEED_RESERVE_BYTES <= ring->room;
    return place->has_caught_up && lacked + BKSI_FEED_RESERVE_BYTES > ring->room;
}

/// Write the beginning and the records after it.
static bksi_feed_reason write_stream(bksi_feed_place *place, const bksi_feed_offer *offer)
{
    const bksi_feed_tape *tape = offer->tape;
    if (!bksi_feed_ring_holds(&tape->ring, &place->cursor) || falls_behind(place, &tape->ring)) {
        return BKSI_FEED_TOO_SLOW;
    }
    if (place->stage == BKSI_FEED_BEGINNING) {
        if (tape->beginning.count == 0) {
            return BKSI_FEED_TOO_SLOW;
        }
        if (offer->now_ns - tape->made_ns >= offer->delay_ns) {
            write_beginning(place, &tape->beginning);
        }
    }
    if (place->stage == BKSI_FEED_RECORDS && offer->has_turn) {
        write_records(place, offer);
    }
    return BKSI_FEED_REASONS;
}

bksi_feed_reason bksi_feed_place_write(bksi_feed_place *place, const bksi_feed_offer *offer)
{
    bksi_feed_reason reason = BKSI_FEED_REASONS;
    if (place->stage == BKSI_FEED_WAITS && offer->can_begin) {
        place->stage = BKSI_FEED_BEGINNING;
        place->cursor = offer->tape->records;
    } else if (place->stage == BKSI_FEED_WAITS && offer->tape->is_finished &&
               !offer->tape->is_passing) {
        reason = BKSI_FEED_OVER;
    } else if (place->stage == BKSI_FEED_WAITS &&
               (offer->tape->is_by_history || offer->tape->has_pointers)) {
        reason = BKSI_FEED_TOO_LONG;
    } else if (place->stage == BKSI_FEED_CONTINUES) {
        reason = continue_recording(place, offer);
    }
    return reason == BKSI_FEED_REASONS && place->stage >= BKSI_FEED_BEGINNING
               ? write_stream(place, offer)
               : reason;
}

bool bksi_feed_place_lacks(const bksi_feed_place *place, const bksi_feed_tape *tape)
{
    return place->stage >= BKSI_FEED_BEGINNING &&
           (place->cursor.place < tape->ring.end || bksi_bulk_unfinished(&place->link.bulk) > 0);
}

// ---- packets ----

void bksi_feed_place_retell(bksi_feed_place *place)
{
    place->told_ns = 0;
}

/// Tell the members.
static size_t tell(bksi_feed_place *place, bksi_guard *guard, const bksi_feed_members *members,
                   bks_address *to, uint8_t *packet, uint64_t now_ns)
{
    uint8_t body[BKSI_FEED_MEMBERS_BYTES_MAX];
    if (place->told_ns > 0 && now_ns - place->told_ns < BKSI_FEED_MEMBERS_NS) {
        return 0;
    }
    place->told_ns = now_ns;
    return bksi_feed_send(&place->link, guard, place->channel, BKSI_FEED_MEMBERS, body,
                          bksi_feed_members_write(members, body), to, packet, now_ns);
}

size_t bksi_feed_place_send(bksi_feed_place *place, bksi_guard *guard,
                            const bksi_feed_members *members, bool is_held, bks_address *to,
                            uint8_t *packet, uint64_t now_ns)
{
    const uint64_t alive_ns = (is_held ? 4 : 1) * BKSI_FEED_ALIVE_NS;
    const uint8_t none = 0;
    size_t count = is_held ? 0 : tell(place, guard, members, to, packet, now_ns);
    if (count == 0 && !is_held) {
        count = bksi_feed_link_send(&place->link, guard, place->channel, to, packet, now_ns);
    }
    if (count == 0 && now_ns - place->alive_ns >= alive_ns) {
        place->alive_ns = now_ns;
        count = bksi_feed_send(&place->link, guard, place->channel, BKSI_FEED_ALIVE, &none, 1, to,
                               packet, now_ns);
    } else if (count > 0) {
        place->alive_ns = now_ns;
    }
    place->bytes += count > 0 ? count + BKSI_DATAGRAM_HEAD_BYTES : 0;
    return count;
}
