// SPDX-License-Identifier: MIT

// A watcher of a source that has the key and lies.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "feed/feed_end.h"
#include "replay/format/replay_format.h"
#include "support/counting_allocator.h"

#define BYTES_MAX ((size_t)100000)

typedef struct lie {
    feed_end end;
    bksi_feed_receiver receiver;
    counting_allocator counter;
} lie;

static lie *begin(void)
{
    lie *l = test_calloc(1, sizeof(*l));
    uint8_t key[BKS_KEY_BYTES] = {1, 2, 3};
    bksi_feed_receiver_config config = {.source = feed_end_address(),
                                        .timeout_ns = 10000000000u,
                                        .bytes_max = BYTES_MAX,
                                        .allocator = counting_allocator_hooks(&l->counter)};
    memcpy(config.key, key, sizeof(key));
    memset(config.identity, 7, sizeof(config.identity));
    memset(config.entropy, 8, sizeof(config.entropy));
    feed_end_open(&l->end, key, false);
    assert_int_equal(bksi_feed_receiver_create(&l->receiver, &config), BKS_OK);
    feed_end_feed(&l->end, &l->receiver, 100);
    assert_true(l->end.is_sealed);
    return l;
}

static void end(lie *l)
{
    feed_end_close(&l->end);
    bksi_feed_receiver_destroy(&l->receiver);
    assert_int_equal(l->counter.live_bytes, 0);
    test_free(l);
}

static void send(lie *l, const void *bytes, size_t count)
{
    for (size_t at = 0; at < count && l->receiver.status == BKS_OK;) {
        at += bksi_bulk_write(&l->end.link.bulk, (const uint8_t *)bytes + at, count - at);
        feed_end_feed(&l->end, &l->receiver, 50);
    }
    feed_end_feed(&l->end, &l->receiver, 500);
}

static void send_count(lie *l, uint64_t count)
{
    uint8_t bytes[BKSI_FEED_COUNT_BYTES];
    bksi_put_u64(bytes, count);
    send(l, bytes, sizeof(bytes));
}

static void time_in_which_a_watcher_did_not_run_is_no_silence_of_its_source(void **state)
{
    (void)state;
    lie *l = begin();
    uint64_t now_ns = l->end.now_ns;
    for (uint32_t i = 0; i < 4; i++) {
        now_ns += 60000000000u;
        assert_int_equal(bksi_feed_receiver_update(&l->receiver, now_ns), BKS_OK);
    }
    for (uint32_t i = 0; i < 20 && l->receiver.status == BKS_OK; i++) {
        now_ns += 500000000u;
        (void)bksi_feed_receiver_update(&l->receiver, now_ns);
    }
    assert_int_equal(l->receiver.status, BKS_ERR_TIMEOUT);
    end(l);
}

static void a_beginning_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    const uint64_t counts[] = {BYTES_MAX + 1, UINT64_MAX, UINT64_C(1) << 32};
    for (size_t i = 0; i < 3; i++) {
        lie *l = begin();
        send_count(l, counts[i]);
        assert_int_equal(l->receiver.status, BKS_ERR_DAMAGED);
        assert_null(l->receiver.bytes);
        end(l);
    }
}

static void memory_grows_with_what_comes_not_with_what_is_claimed(void **state)
{
    (void)state;
    lie *l = begin();
    const uint64_t before = l->counter.live_bytes;
    send_count(l, BYTES_MAX);
    assert_int_equal(l->receiver.status, BKS_OK);
    assert_true(l->counter.live_bytes - before <= (size_t)256 << 10);
    assert_int_equal(l->receiver.count, 0);
    end(l);
}

static void records_are_put_where_they_stand(void **state)
{
    (void)state;
    lie *l = begin();
    uint8_t beginning[100] = {9};
    uint8_t record[BKSI_RECORD_EXTRA_BYTES + 32] = {0};
    send_count(l, sizeof(beginning));
    send(l, beginning, 60);
    assert_int_equal(l->receiver.count, 0); // no half of it shows
    send(l, beginning + 60, 40);
    assert_int_equal(l->receiver.count, 100);
    const size_t count = bksi_record_finish(record, BKSI_RECORD_EVENT, 10, 123456);
    send(l, record, count);
    const size_t index = bksi_record_finish(record, BKSI_RECORD_INDEX, 10, 123456);
    send(l, record, index);
    bksi_put_u64(record + BKSI_RECORD_HEAD_BYTES + 13, 777);
    const size_t done = bksi_record_finish(record, BKSI_RECORD_DONE, BKSI_DONE_BYTES, 99);
    send(l, record, done - 1);
    assert_int_equal(l->receiver.count, 100 + count);
    send(l, record + done - 1, 1);
    assert_int_equal(l->receiver.count, 100 + count + done); // the index is left out
    assert_int_equal(l->receiver.status, BKS_OVER);
    const bks_replay_piece piece = {.bytes = l->receiver.bytes, .count = l->receiver.count};
    bksi_record read;
    assert_int_equal(bksi_record_read(&piece, 100, &read), BKSI_RECORD_OK);
    assert_int_equal(bksi_record_read(&piece, 100 + count, &read), BKSI_RECORD_OK);
    assert_int_equal(bksi_get_u64(read.payload + 13), 0);
    end(l);
}

static void a_record_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    lie *l = begin();
    uint8_t head[BKSI_RECORD_HEAD_BYTES];
    memset(head, 255, sizeof(head));
    send_count(l, 0);
    send(l, head, sizeof(head));
    assert_int_equal(l->receiver.status, BKS_ERR_DAMAGED);
    end(l);
}

static void an_endless_recording_ends_at_the_limit(void **state)
{
    (void)state;
    lie *l = begin();
    uint8_t record[BKSI_RECORD_EXTRA_BYTES + 3000] = {0};
    const size_t count = bksi_record_finish(record, BKSI_RECORD_EVENT, 3000, 0);
    send_count(l, 0);
    for (int i = 0; i < 60; i++) {
        send(l, record, count);
    }
    assert_int_equal(l->receiver.status, BKS_ERR_DAMAGED);
    assert_true(l->receiver.count <= BYTES_MAX);
    end(l);
}

static void what_came_before_a_goodbye_counts(void **state)
{
    (void)state;
    lie *l = begin();
    const uint8_t bytes[50] = {0};
    send_count(l, sizeof(bytes));
    (void)bksi_bulk_write(&l->end.link.bulk, bytes, sizeof(bytes));
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    const bks_address from = feed_end_address();
    for (int i = 0; i < 50; i++, l->end.now_ns += 1000000) {
        const size_t count = bksi_feed_link_send(&l->end.link, &l->end.guard, l->end.channel, &to,
                                                 packet, l->end.now_ns);
        if (count > 0) {
            bksi_feed_receiver_receive(&l->receiver, l->end.now_ns, &from, packet, count);
        }
    }
    assert_int_equal(l->receiver.count, 0); // it has come, and nobody has looked
    const uint8_t leaves = BKSI_FEED_LEAVES;
    feed_end_say(&l->end, &l->receiver, NULL, BKSI_FEED_BYE, &leaves, 1);
    assert_int_equal(bksi_feed_receiver_update(&l->receiver, l->end.now_ns), BKS_ERR_PEER_LOST);
    assert_int_equal(l->receiver.count, 50);
    end(l);
}

static void reasons_are_kept_and_unknown_ones_are_known_as_such(void **state)
{
    (void)state;
    const uint8_t given[] = {BKSI_FEED_FULL, 200};
    for (size_t i = 0; i < 2; i++) {
        lie *l = begin();
        feed_end_say(&l->end, &l->receiver, NULL, BKSI_FEED_REFUSE, &given[i], 1);
        assert_int_equal(bksi_feed_receiver_update(&l->receiver, l->end.now_ns), BKS_ERR_REFUSED);
        assert_int_equal(l->receiver.reason, i == 0 ? BKSI_FEED_FULL : BKSI_FEED_REASONS);
        end(l);
    }
}

/// Count the packets that a watcher sends to each address while nobody answers.
static uint32_t count_packets(lie *l, uint64_t ms, uint8_t strangers, uint32_t *out_bytes)
{
    uint8_t packet[BKS_PACKET_BYTES_MAX];
    bks_address to;
    size_t count;
    uint32_t seen = 0;
    for (uint64_t i = 0; i < ms; i += 5, l->end.now_ns += 5000000) {
        (void)!bksi_feed_receiver_update(&l->receiver, l->end.now_ns);
        while ((count = bksi_feed_receiver_send(&l->receiver, &to, packet, l->end.now_ns)) > 0) {
            assert_true(to.bytes[0] == 88 && to.bytes[1] < strangers);
            seen |= UINT32_C(1) << to.bytes[1];
            *out_bytes += (uint32_t)count;
        }
    }
    return seen;
}

static void a_source_that_names_strangers_costs_them_little(void **state)
{
    (void)state;
    lie *l = begin();
    uint8_t list[5 + 7 * 3] = {0};
    for (uint8_t i = 0; i < 7; i++) {
        const uint8_t entry[] = {2, 88, i};
        memcpy(list + 5 + 3 * i, entry, 3);
    }
    const uint8_t leaves = BKSI_FEED_LEAVES;
    feed_end_say(&l->end, &l->receiver, NULL, BKSI_FEED_MEMBERS, list, sizeof(list));
    assert_int_equal(l->receiver.members.count, 7);
    feed_end_say(&l->end, &l->receiver, NULL, BKSI_FEED_BYE, &leaves, 1);
    uint32_t bytes = 0;
    assert_int_equal(count_packets(l, 16000, 7, &bytes), 0x7f);
    assert_int_equal(l->receiver.status, BKS_ERR_REFUSED);
    print_message("%u bytes to 7 strangers in 14 s\n", bytes);
    assert_true(bytes < 7 * 20000);
    end(l);
}

/// Have a watcher told of a stranger.
static void name_a_stranger(lie *l)
{
    const uint8_t list[] = {0, 0, 0, 0, 0, 2, 88, 0};
    feed_end_say(&l->end, &l->receiver, NULL, BKSI_FEED_MEMBERS, list, sizeof(list));
    assert_int_equal(l->receiver.members.count, 1);
}

static void nobody_is_asked_once_the_feed_has_ended(void **state)
{
    (void)state;
    for (int is_over = 0; is_over < 2; is_over++) {
        lie *l = begin();
        const uint8_t reason = is_over != 0 ? BKSI_FEED_LEAVES : BKSI_FEED_VERSIONS;
        if (is_over != 0) {
            uint8_t record[BKSI_RECORD_EXTRA_BYTES + BKSI_DONE_BYTES] = {0};
            (void)bksi_record_finish(record, BKSI_RECORD_DONE, BKSI_DONE_BYTES, 0);
            send_count(l, 0);
            send(l, record, sizeof(record));
            assert_int_equal(l->receiver.status, BKS_OVER);
            l->receiver.progress.can_continue = true; // as after any beginning
        }
        name_a_stranger(l);
        feed_end_say(&l->end, &l->receiver, NULL, BKSI_FEED_BYE, &reason, 1);
        for (int i = 0; i < 2000; i++, l->end.now_ns += 5000000) {
            assert_int_equal(bksi_feed_receiver_update(&l->receiver, l->end.now_ns),
                             is_over != 0 ? BKS_OVER : BKS_ERR_REFUSED);
        }
        assert_int_equal(l->receiver.source.bytes[0], feed_end_address().bytes[0]);
        assert_int_equal(l->receiver.reason, is_over != 0 ? BKSI_FEED_REASONS : BKSI_FEED_VERSIONS);
        end(l);
    }
}

static void wrong_lists_of_members_are_passed_over(void **state)
{
    (void)state;
    const struct {
        uint8_t bytes[30];
        size_t count;
    } lists[] = {{{0}, 0},
                 {{0}, 4},
                 {{0, 0, 0, 0, 0, 2, 1}, 7},
                 {{0}, 6},
                 {{0, 0, 0, 0, 0, 200, 1, 2}, 8},
                 {{0, 0, 0, 0, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 1, 8, 1, 9}, 23}};
    for (size_t i = 0; i < 6; i++) {
        lie *l = begin();
        feed_end_say(&l->end, &l->receiver, NULL, BKSI_FEED_MEMBERS, lists[i].bytes,
                     lists[i].count);
        assert_int_equal(l->receiver.members.count, 0);
        end(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_in_which_a_watcher_did_not_run_is_no_silence_of_its_source),
        cmocka_unit_test(a_beginning_beyond_the_limit_is_refused),
        cmocka_unit_test(memory_grows_with_what_comes_not_with_what_is_claimed),
        cmocka_unit_test(records_are_put_where_they_stand),
        cmocka_unit_test(a_record_beyond_the_limit_is_refused),
        cmocka_unit_test(an_endless_recording_ends_at_the_limit),
        cmocka_unit_test(what_came_before_a_goodbye_counts),
        cmocka_unit_test(a_source_that_names_strangers_costs_them_little),
        cmocka_unit_test(nobody_is_asked_once_the_feed_has_ended),
        cmocka_unit_test(wrong_lists_of_members_are_passed_over),
        cmocka_unit_test(reasons_are_kept_and_unknown_ones_are_known_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
