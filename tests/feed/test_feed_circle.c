// SPDX-License-Identifier: MIT

// Sources that have the key and lie, in turns: each gives a watcher a record, names strangers as
// members, and leaves, so that the watcher asks the strangers and then the next liar.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "feed/feed_end.h"
#include "feed/feed_match.h"
#include "replay/format/replay_format.h"
#include "support/counting_allocator.h"

#define STEP_NS   UINT64_C(5000000)
#define LIARS     2u
#define STRANGERS 6u

typedef struct circle {
    feed_end liars[LIARS];
    bksi_feed_receiver receiver;
    uint64_t now_ns;
    uint32_t rounds; ///< times that a liar gave a record and left
    uint64_t to_strangers_bytes, to_strangers, from_liars_bytes;
    uint32_t calls[STRANGERS]; ///< packets to each
} circle;

static uint32_t liar_at(const bks_address *address)
{
    return address->bytes[0] == 77 ? address->bytes[1] : LIARS;
}

static void deliver(circle *c, uint32_t liar, const uint8_t *packet, size_t count)
{
    const bks_address from = {.length = 2, .bytes = {77, (uint8_t)liar}};
    c->from_liars_bytes += count;
    bksi_feed_receiver_receive(&c->receiver, c->now_ns, &from, packet, count);
}

static void say(circle *c, uint32_t liar, uint32_t type, const uint8_t *body, size_t bytes)
{
    feed_end *end = &c->liars[liar];
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    const size_t count = bksi_feed_send(&end->link, &end->guard, end->channel, type, body, bytes,
                                        &to, packet, c->now_ns);
    if (count > 0) {
        deliver(c, liar, packet, count);
    }
}

/// Hear the watcher.
static void hear(circle *c, uint32_t liar, const uint8_t *packet, size_t count)
{
    feed_end *end = &c->liars[liar];
    const bks_address from = {.length = 2, .bytes = {99}};
    bksi_guard_message message;
    bksi_feed_receive(&end->guard, c->now_ns, &from, packet, count);
    while (bksi_guard_take(&end->guard, &message)) {
        if (message.is_proven && message.channel != end->channel) {
            end->channel = message.channel;
            end->is_sealed = true;
            bksi_feed_link_begin(&end->link, c->now_ns);
            uint8_t bytes[BKSI_FEED_COUNT_BYTES + 100 + BKSI_RECORD_EXTRA_BYTES + 32] = {0};
            size_t at = BKSI_FEED_COUNT_BYTES;
            bksi_put_u64(bytes, 0);
            // A record that every reader passes over: a type that is not known.
            at += bksi_record_finish(bytes + at, 77, 4, 0);
            (void)bksi_bulk_write(&end->link.bulk, bytes, at);
            uint8_t list[3 * (STRANGERS + 1)];
            for (uint8_t i = 0; i <= STRANGERS; i++) {
                const uint8_t entry[] = {2, i < STRANGERS ? 88 : 77,
                                         i < STRANGERS ? i : (uint8_t)(1 - liar)};
                memcpy(list + 3 * i, entry, 3);
            }
            say(c, liar, BKSI_FEED_MEMBERS, list, sizeof(list));
        }
        bksi_feed_link_came(&end->link, &message, c->now_ns);
        if (message.type == BKSI_FEED_STREAM) {
            (void)bksi_feed_link_take(&end->link, &message, c->now_ns);
        }
    }
}

static void step_liar(circle *c, uint32_t liar)
{
    feed_end *end = &c->liars[liar];
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    while ((count = bksi_feed_flush(&end->guard, &to, packet, c->now_ns)) > 0 ||
           (end->is_sealed && (count = bksi_feed_link_send(&end->link, &end->guard, end->channel,
                                                           &to, packet, c->now_ns)) > 0)) {
        deliver(c, liar, packet, count);
    }
    if (end->is_sealed && bksi_bulk_unfinished(&end->link.bulk) == 0) {
        const uint8_t leaves = BKSI_FEED_LEAVES;
        say(c, liar, BKSI_FEED_BYE, &leaves, 1);
        end->is_sealed = false;
        bksi_guard_release(&end->guard, end->channel);
        end->channel = 0;
        c->rounds++;
    }
}

static void run(circle *c, uint64_t seconds)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    for (const uint64_t until_ns = c->now_ns + seconds * 1000000000; c->now_ns < until_ns;
         c->now_ns += STEP_NS) {
        (void)!bksi_feed_receiver_update(&c->receiver, c->now_ns);
        while ((count = bksi_feed_receiver_send(&c->receiver, &to, packet, c->now_ns)) > 0) {
            if (liar_at(&to) < LIARS) {
                hear(c, liar_at(&to), packet, count);
            } else {
                c->to_strangers_bytes += count;
                c->to_strangers++;
                c->calls[to.bytes[1]]++;
            }
        }
        for (uint32_t i = 0; i < LIARS; i++) {
            step_liar(c, i);
        }
    }
}

static void liars_in_a_circle_have_strangers_asked_no_more_than_one_liar(void **state)
{
    (void)state;
    circle *c = test_calloc(1, sizeof(*c));
    uint8_t key[BKS_KEY_BYTES] = {1, 2, 3};
    bksi_feed_receiver_config config = {.source = {.length = 2, .bytes = {77, 0}},
                                        .timeout_ns = 10000000000u,
                                        .bytes_max = (size_t)1 << 28};
    memcpy(config.key, key, sizeof(key));
    memset(config.identity, 7, sizeof(config.identity));
    memset(config.entropy, 8, sizeof(config.entropy));
    for (uint32_t i = 0; i < LIARS; i++) {
        feed_end_open(&c->liars[i], key, false);
    }
    c->now_ns = 1000000000;
    assert_int_equal(bksi_feed_receiver_create(&c->receiver, &config), BKS_OK);
    c->receiver.progress.can_continue = true; // as after any beginning
    run(c, 120);
    print_message("120 s: %u rounds, %u packets and %u bytes to %u strangers (%u to the first), %u "
                  "bytes from the liars; watcher: status %d, %u bytes\n",
                  c->rounds, (unsigned)c->to_strangers, (unsigned)c->to_strangers_bytes, STRANGERS,
                  c->calls[0], (unsigned)c->from_liars_bytes, (int)c->receiver.status,
                  (unsigned)c->receiver.count);
    for (uint32_t i = 0; i < LIARS; i++) {
        feed_end_close(&c->liars[i]);
    }
    bksi_feed_receiver_destroy(&c->receiver);
    const uint64_t packets = c->to_strangers;
    test_free(c);
    assert_true(packets < 16 * 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(liars_in_a_circle_have_strangers_asked_no_more_than_one_liar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
