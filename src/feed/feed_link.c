// SPDX-License-Identifier: MIT

#include "feed/feed_link.h"

#include <sodium.h>

/// Rate at which a stream begins: no packets of a match are on a watcher's line.
#define FIRST_BYTES_PER_S 16000.0

void bksi_feed_key(const uint8_t match_key[BKS_KEY_BYTES], uint8_t out[BKS_KEY_BYTES])
{
    static const char purpose[] = "backstitch feed";
    (void)crypto_generichash(out, BKS_KEY_BYTES, (const uint8_t *)purpose, sizeof(purpose) - 1,
                             match_key, BKS_KEY_BYTES);
}

void bksi_feed_receive(bksi_guard *guard, uint64_t now_ns, const bks_address *from,
                       const uint8_t *packet, size_t count)
{
    const uint32_t group = packet[BKSI_FEED_MARK_BYTES - 1];
    (void)bksi_guard_receive_wide(guard, now_ns, from, group, packet + BKSI_FEED_MARK_BYTES,
                                  count - BKSI_FEED_MARK_BYTES);
}

bks_status bksi_feed_link_create(bksi_feed_link *link, size_t send_bytes, size_t receive_bytes,
                                 double most, const bks_allocator *allocator)
{
    const bksi_bulk_config config = {.send_bytes = send_bytes,
                                     .receive_bytes = receive_bytes,
                                     .most = most,
                                     .bears_jitter = true,
                                     .first = most < FIRST_BYTES_PER_S ? most : FIRST_BYTES_PER_S};
    memset(link, 0, sizeof(*link));
    return bksi_bulk_create(&link->bulk, &config, allocator);
}

void bksi_feed_link_destroy(bksi_feed_link *link)
{
    bksi_bulk_destroy(&link->bulk);
}

void bksi_feed_link_begin(bksi_feed_link *link, uint64_t now_ns)
{
    bksi_bulk_restart(&link->bulk, now_ns);
    link->link = (bksi_link){0};
    bksi_line_init(&link->line);
    link->heard_ns = now_ns;
}

void bksi_feed_link_came(bksi_feed_link *link, const bksi_guard_message *message, uint64_t now_ns)
{
    link->heard_ns = now_ns;
    if (message->is_sealed) {
        bksi_link_received(&link->link, message->number, message->is_first, 0, now_ns);
    }
}

static void take_echo(bksi_feed_link *link, const bksi_echo *echo, uint64_t now_ns)
{
    const bksi_line_echo arrival = {.number = bksi_line_number(&link->line, echo->number),
                                    .stamp = echo->stamp,
                                    .came = echo->came,
                                    .hold_ns = echo->hold * (uint64_t)BKSI_HOLD_UNIT_NS};
    uint32_t path = 0;
    if (echo->hold != BKSI_HOLD_NONE && bksi_line_path_of(&link->line, arrival.number, &path)) {
        const uint64_t samples = link->line.sample_count;
        bksi_line_echoed(&link->line, &arrival, now_ns);
        if (link->line.sample_count != samples) {
            bksi_link_measured(&link->link, link->line.newest_round_trip_ns);
        }
    }
}

bool bksi_feed_link_take(bksi_feed_link *link, const bksi_guard_message *message, uint64_t now_ns)
{
    bksi_byte_reader reader = bksi_byte_reader_over(message->body, message->body_bytes);
    const bksi_echo echo = bksi_echo_read(&reader);
    const bool was_asked = bksi_bulk_is_asked(&link->bulk);
    if (reader.failed || !bksi_bulk_receive(&link->bulk, message->body + BKSI_ECHO_BYTES,
                                            message->body_bytes - BKSI_ECHO_BYTES, now_ns)) {
        return false;
    }
    if (!was_asked && bksi_bulk_is_asked(&link->bulk)) {
        bksi_link_owe_echo(&link->link); // the sender measures the line by this packet
    }
    take_echo(link, &echo, now_ns);
    return true;
}

/// Count a packet that was sent under the channel's keys.
static void note_sent(bksi_feed_link *link, uint64_t number, size_t bytes, uint64_t now_ns)
{
    if (link->line.any_sent && number <= link->line.newest_sent) {
        // Numbers fall only with new keys, so measure the line anew.
        bksi_line_init(&link->line);
        bksi_line_know_trip(&link->line, link->link.least_trip_ns);
    }
    bksi_line_sent(&link->line, number, bytes + BKSI_DATAGRAM_HEAD_BYTES, 0, now_ns);
}

/// Put the mark in front of a guard's packet.
static size_t mark(const bksi_guard_place *place, size_t count, bks_address *to, uint8_t *packet)
{
    *to = place->address;
    packet[0] = BKSI_FEED_MARK_0;
    packet[1] = BKSI_FEED_MARK_1;
    packet[2] = (uint8_t)place->group;
    return BKSI_FEED_MARK_BYTES + count;
}

size_t bksi_feed_link_send(bksi_feed_link *link, bksi_guard *guard, bksi_channel channel,
                           bks_address *to, uint8_t *packet, uint64_t now_ns)
{
    uint8_t body[BKSI_FEED_BODY_BYTES_MAX];
    bksi_bulk_update(&link->bulk, &link->line, false, now_ns);
    if (bksi_bulk_due_ns(&link->bulk, now_ns) > now_ns) {
        return 0;
    }
    const size_t count =
        bksi_bulk_send(&link->bulk, body + BKSI_ECHO_BYTES, sizeof(body) - BKSI_ECHO_BYTES, now_ns);
    if (count == 0) {
        return 0;
    }
    const bksi_echo echo = bksi_link_echo(&link->link, now_ns);
    bksi_byte_writer writer = bksi_byte_writer_over(body, BKSI_ECHO_BYTES);
    bksi_echo_write(&writer, &echo);
    bksi_guard_place place;
    uint64_t number = 0;
    bool is_sealed = false;
    const size_t bytes =
        bksi_guard_send(guard, now_ns, channel, BKSI_FEED_STREAM, body, BKSI_ECHO_BYTES + count,
                        &place, packet + BKSI_FEED_MARK_BYTES, &number, &is_sealed);
    if (bytes == 0) {
        return 0;
    }
    const size_t all = mark(&place, bytes, to, packet);
    note_sent(link, number, all, now_ns);
    bksi_bulk_sent(&link->bulk, all + BKSI_DATAGRAM_HEAD_BYTES, number, now_ns);
    return all;
}

size_t bksi_feed_send(bksi_feed_link *link, bksi_guard *guard, bksi_channel channel, uint32_t type,
                      const uint8_t *body, size_t body_bytes, bks_address *to, uint8_t *packet,
                      uint64_t now_ns)
{
    bksi_guard_place place;
    uint64_t number = 0;
    bool is_sealed = false;
    const size_t bytes = bksi_guard_send(guard, now_ns, channel, type, body, body_bytes, &place,
                                         packet + BKSI_FEED_MARK_BYTES, &number, &is_sealed);
    if (bytes == 0) {
        return 0;
    }
    const size_t all = mark(&place, bytes, to, packet);
    if (link != NULL && is_sealed) {
        note_sent(link, number, all, now_ns);
    }
    return all;
}

size_t bksi_feed_flush(bksi_guard *guard, bks_address *to, uint8_t *packet, uint64_t now_ns)
{
    bksi_guard_place place = {0};
    uint8_t *at = packet + BKSI_FEED_MARK_BYTES;
    size_t bytes = bksi_guard_repeat(guard, now_ns, &place, at);
    if (bytes == 0) {
        bytes = bksi_guard_flush(guard, now_ns, &place, at);
    }
    return bytes > 0 ? mark(&place, bytes, to, packet) : 0;
}
