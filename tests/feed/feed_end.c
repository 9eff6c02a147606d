// SPDX-License-Identifier: MIT

#include "feed/feed_end.h"

#include <string.h>

#define END_MS UINT64_C(1000000)

bks_address feed_end_address(void)
{
    return (bks_address){.length = 2, .bytes = {3, 4}};
}

void feed_end_open(feed_end *end, const uint8_t key[BKS_KEY_BYTES], bool calls)
{
    uint8_t identity[BKS_KEY_BYTES];
    uint8_t entropy[BKS_KEY_BYTES];
    memset(end, 0, sizeof(*end));
    memset(identity, 61, sizeof(identity));
    memset(entropy, 62, sizeof(entropy));
    bksi_guard_init(&end->guard, key, identity, entropy);
    const bks_allocator none = {0};
    (void)!bksi_feed_link_create(&end->link, 4096, 4096, 1e7, &none);
    const bks_address to = feed_end_address();
    end->channel = calls ? bksi_guard_bind(&end->guard, &to, NULL, true) : 0;
    end->now_ns = 1000 * END_MS;
}

void feed_end_close(feed_end *end)
{
    bksi_feed_link_destroy(&end->link);
    bksi_guard_wipe(&end->guard);
}

static void take(feed_end *end, const uint8_t *packet, size_t count)
{
    const bks_address from = feed_end_address();
    bksi_guard_message message;
    bksi_feed_receive(&end->guard, end->now_ns, &from, packet, count);
    while (bksi_guard_take(&end->guard, &message)) {
        end->is_sealed |= message.is_proven;
        end->channel = end->channel == 0 ? message.channel : end->channel;
        bksi_feed_link_came(&end->link, &message, end->now_ns);
        if (message.type == BKSI_FEED_STREAM) {
            (void)bksi_feed_link_take(&end->link, &message, end->now_ns);
        }
    }
}

static void deliver(bksi_feed_receiver *receiver, bksi_feed_source *source, uint64_t now_ns,
                    const uint8_t *packet, size_t count)
{
    const bks_address from = feed_end_address();
    if (receiver != NULL) {
        bksi_feed_receiver_receive(receiver, now_ns, &from, packet, count);
    } else {
        bksi_feed_source_receive(source, now_ns, &from, packet, count);
    }
}

void feed_end_feed(feed_end *end, bksi_feed_receiver *receiver, uint64_t ms)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    for (const uint64_t until_ns = end->now_ns + ms * END_MS; end->now_ns < until_ns;
         end->now_ns += END_MS) {
        while ((count = bksi_feed_receiver_send(receiver, &to, packet, end->now_ns)) > 0) {
            take(end, packet, count);
        }
        while (
            (count = bksi_feed_flush(&end->guard, &to, packet, end->now_ns)) > 0 ||
            (end->is_sealed && (count = bksi_feed_link_send(&end->link, &end->guard, end->channel,
                                                            &to, packet, end->now_ns)) > 0)) {
            deliver(receiver, NULL, end->now_ns, packet, count);
        }
        (void)!bksi_feed_receiver_update(receiver, end->now_ns);
    }
}

void feed_end_say(feed_end *end, bksi_feed_receiver *receiver, bksi_feed_source *source,
                  uint32_t type, const uint8_t *body, size_t count)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX] = {BKSI_FEED_MARK_0, BKSI_FEED_MARK_1};
    bksi_guard_place place;
    uint64_t number;
    bool is_sealed;
    const size_t bytes =
        bksi_guard_send(&end->guard, end->now_ns, end->channel, type, body, count, &place,
                        packet + BKSI_FEED_MARK_BYTES, &number, &is_sealed);
    if (bytes > 0) {
        packet[BKSI_FEED_MARK_BYTES - 1] = (uint8_t)place.group;
        end->is_sealed |= is_sealed;
        deliver(receiver, source, end->now_ns, packet, bytes + BKSI_FEED_MARK_BYTES);
    }
}

void feed_end_call(feed_end *end, bksi_feed_source *source)
{
    const uint8_t version = BKSI_FEED_VERSION;
    feed_end_call_with(end, source, &version, 1);
}

void feed_end_call_with(feed_end *end, bksi_feed_source *source, const uint8_t *watch, size_t bytes)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    for (int i = 0; i < 200 && !end->is_sealed; i++, end->now_ns += END_MS) {
        feed_end_say(end, NULL, source, BKSI_FEED_WATCH, watch, bytes);
        while ((count = bksi_feed_flush(&end->guard, &to, packet, end->now_ns)) > 0) {
            deliver(NULL, source, end->now_ns, packet, count);
        }
        while ((count = bksi_feed_source_send(source, &to, packet, end->now_ns)) > 0) {
            take(end, packet, count);
        }
    }
}
