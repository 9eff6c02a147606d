// SPDX-License-Identifier: MIT

#include "lab/lab_link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/net.h"
#include "support/counting_allocator.h"
#include "support/seed.h"

#define MILLISECOND UINT64_C(1000000)
#define SECOND      UINT64_C(1000000000)
#define TICK        (SECOND / 60)

/// Packets of a statistic, and how far it may be off: over five standard deviations of a share.
enum { MANY = 100000 };

static bksi_lab_link *make(const char *text)
{
    bks_lab_link_spec spec;
    bks_error error = {0};
    if (bks_lab_link_spec_parse(text, &spec, &error) != BKS_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    bksi_lab_link *link = NULL;
    const bks_allocator allocator = {0};
    assert_int_equal(bksi_lab_link_create(&spec, 0, seed_next(), 1, &allocator, &link, &error),
                     BKS_OK);
    return link;
}

static void assert_share(const char *what, uint64_t count, uint64_t of, double wanted)
{
    const double share = (double)count / (double)of;
    if (share < wanted - 0.005 || share > wanted + 0.005) {
        fail_msg("%s: %.4f of the packets, wanted %.4f", what, share, wanted);
    }
}

/// Send one packet a tick and take out what has arrived.
static const bks_lab_link_counters *send_many(bksi_lab_link *link, uint32_t count)
{
    bksi_lab_link_delivery delivery;
    for (uint32_t i = 0; i < count; i++) {
        bksi_lab_link_push(link, i * TICK, &i, sizeof(i));
        while (bksi_lab_link_pop(link, i * TICK, &delivery)) {
        }
    }
    while (bksi_lab_link_pop(link, UINT64_MAX - 1, &delivery)) {
    }
    return bksi_lab_link_get_counters(link);
}

static void a_perfect_link_delivers_at_once_and_in_order(void **state)
{
    (void)state;
    bksi_lab_link *link = make("");
    assert_true(bksi_lab_link_next_time(link) == UINT64_MAX);
    for (uint32_t i = 0; i < 10; i++) {
        bksi_lab_link_push(link, 5, &i, sizeof(i));
    }
    for (uint32_t i = 0; i < 10; i++) {
        bksi_lab_link_delivery delivery;
        assert_true(bksi_lab_link_next_time(link) == 5);
        assert_false(bksi_lab_link_pop(link, 4, &delivery));
        assert_true(bksi_lab_link_pop(link, 5, &delivery));
        assert_int_equal(delivery.count, sizeof(i));
        assert_memory_equal(delivery.bytes, &i, sizeof(i));
    }
    assert_true(bksi_lab_link_next_time(link) == UINT64_MAX);
    bksi_lab_link_destroy(link);
}

static void the_asked_share_of_packets_is_lost(void **state)
{
    (void)state;
    static const char *const specs[] = {"loss=2%", "loss=30%", "loss=2%,burst=3",
                                        "loss=30%,burst=8"};
    static const double shares[] = {0.02, 0.3, 0.02, 0.3};
    for (uint32_t i = 0; i < 4; i++) {
        bksi_lab_link *link = make(specs[i]);
        const bks_lab_link_counters *counters = send_many(link, 4 * MANY);
        // Runs of lost packets multiply the variance of the count by their mean length.
        const double share = (double)counters->lost / (4.0 * MANY);
        if (share < shares[i] * 0.9 || share > shares[i] * 1.1) {
            fail_msg("%s: lost %.4f", specs[i], share);
        }
        assert_int_equal(counters->sent, counters->lost + counters->delivered);
        bksi_lab_link_destroy(link);
    }
}

static double mean_run_of_lost(const char *spec)
{
    bksi_lab_link *link = make(spec);
    uint64_t runs = 0;
    uint64_t lost_before = 0;
    bool was_lost = false;
    for (uint32_t i = 0; i < 4 * MANY; i++) {
        bksi_lab_link_delivery delivery;
        bksi_lab_link_push(link, i * TICK, &i, sizeof(i));
        const uint64_t lost = bksi_lab_link_get_counters(link)->lost;
        runs += lost > lost_before && !was_lost;
        was_lost = lost > lost_before;
        lost_before = lost;
        (void)bksi_lab_link_pop(link, i * TICK, &delivery);
    }
    bksi_lab_link_destroy(link);
    return (double)lost_before / (double)runs;
}

static void bursts_have_the_asked_mean_length(void **state)
{
    (void)state;
    const double single = mean_run_of_lost("loss=5%,burst=1");
    const double alone = mean_run_of_lost("loss=5%");
    const double three = mean_run_of_lost("loss=2%,burst=3");
    const double ten = mean_run_of_lost("loss=10%,burst=10");
    printf("mean runs %.3f %.3f %.3f %.3f\n", single, alone, three, ten);
    assert_true(single == 1.0); // exactly: never two together
    assert_true(alone > 1.03 && alone < 1.08);
    assert_true(three > 2.8 && three < 3.2);
    assert_true(ten > 9.2 && ten < 10.8);
}

static void jitter_stays_within_its_bounds_and_reaches_them(void **state)
{
    (void)state;
    bksi_lab_link *link = make("delay=50ms,jitter=10ms");
    uint64_t least = UINT64_MAX;
    uint64_t greatest = 0;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        bksi_lab_link_delivery delivery;
        bksi_lab_link_push(link, i * SECOND, &i, sizeof(i));
        assert_true(bksi_lab_link_pop(link, (i + 1) * SECOND, &delivery));
        const uint64_t travel = delivery.time_ns - i * SECOND;
        least = travel < least ? travel : least;
        greatest = travel > greatest ? travel : greatest;
        sum += travel;
    }
    assert_in_range(least, 40 * MILLISECOND, 40 * MILLISECOND + 100000);
    assert_in_range(greatest, 60 * MILLISECOND - 100000, 60 * MILLISECOND);
    assert_in_range(sum / MANY, 50 * MILLISECOND - 200000, 50 * MILLISECOND + 200000);
    bksi_lab_link_destroy(link);
}

static void jitter_above_the_delay_never_delivers_before_the_sending(void **state)
{
    (void)state;
    bksi_lab_link *link = make("delay=1ms,jitter=10ms");
    for (uint32_t i = 0; i < 1000; i++) {
        bksi_lab_link_delivery delivery;
        bksi_lab_link_push(link, i * SECOND, &i, sizeof(i));
        assert_true(bksi_lab_link_pop(link, (i + 1) * SECOND, &delivery));
        assert_in_range(delivery.time_ns - i * SECOND, 0, 11 * MILLISECOND);
    }
    bksi_lab_link_destroy(link);
}

static void duplicates_reorders_and_corruptions_are_as_frequent_as_asked(void **state)
{
    (void)state;
    bksi_lab_link *link = make("delay=5ms,dup=10%,reorder=5%,corrupt=3%");
    const bks_lab_link_counters *counters = send_many(link, MANY);
    assert_share("dup", counters->duplicated, MANY, 0.1);
    assert_int_equal(counters->delivered, MANY + counters->duplicated);
    assert_share("reorder", counters->reordered, counters->delivered, 0.05);
    assert_share("corrupt", counters->corrupted, counters->delivered, 0.03);
    bksi_lab_link_destroy(link);
}

static void check_reordered(const char *spec, uint64_t most_ms)
{
    bksi_lab_link *link = make(spec);
    uint32_t overtaken = 0;
    uint32_t newest = 0;
    uint64_t longest = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        bksi_lab_link_delivery delivery;
        bksi_lab_link_push(link, i * TICK, &i, sizeof(i));
        while (bksi_lab_link_pop(link, i * TICK, &delivery)) {
            uint32_t number;
            memcpy(&number, delivery.bytes, sizeof(number));
            const uint64_t travel = delivery.time_ns - number * TICK;
            assert_true(travel == 0 || travel >= 20 * MILLISECOND);
            assert_true(travel <= most_ms * MILLISECOND);
            longest = travel > longest ? travel : longest;
            overtaken += number < newest;
            newest = number > newest ? number : newest;
        }
    }
    assert_true(longest > most_ms * MILLISECOND * 9 / 10);
    // Each packet is held for more than a tick, so the next one overtakes it, unless it is held,
    // too.
    const uint64_t reordered = bksi_lab_link_get_counters(link)->reordered;
    assert_in_range(overtaken, reordered * 8 / 10, reordered);
    assert_in_range(reordered, 350, 650);
    assert_int_equal(bksi_lab_link_get_counters(link)->over_queue, 0);
    bksi_lab_link_destroy(link);
}

static void a_reordered_packet_is_overtaken(void **state)
{
    (void)state;
    check_reordered("reorder=5%", 120);
    check_reordered("reorder=5%,hold=3s", 3000);
}

static uint32_t bits_that_differ(const uint8_t *a, const uint8_t *b, size_t count)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            bits += ((a[i] ^ b[i]) >> bit & 1u) != 0;
        }
    }
    return bits;
}

static void corruption_flips_one_to_three_bits_and_keeps_the_length(void **state)
{
    (void)state;
    bksi_lab_link *link = make("corrupt=100%");
    uint32_t seen[4] = {0};
    for (uint32_t i = 0; i < 3000; i++) {
        bksi_lab_link_delivery delivery;
        uint8_t packet[40];
        memset(packet, (int)(i & 0xff), sizeof(packet));
        bksi_lab_link_push(link, i, packet, sizeof(packet));
        assert_true(bksi_lab_link_pop(link, i, &delivery));
        assert_int_equal(delivery.count, sizeof(packet));
        const uint32_t bits = bits_that_differ(packet, delivery.bytes, sizeof(packet));
        assert_in_range(bits, 1, 3);
        seen[bits]++;
    }
    assert_true(seen[1] > 800 && seen[2] > 800 && seen[3] > 800);
    bksi_lab_link_destroy(link);
}

static void a_packet_of_one_byte_can_be_corrupted(void **state)
{
    (void)state;
    bksi_lab_link *link = make("corrupt=100%");
    for (uint32_t i = 0; i < 100; i++) {
        bksi_lab_link_delivery delivery;
        bksi_lab_link_push(link, i, "x", 1);
        assert_true(bksi_lab_link_pop(link, i, &delivery));
        assert_int_not_equal(delivery.bytes[0], 'x');
    }
    bksi_lab_link_destroy(link);
}

static void a_rate_spaces_packets_and_drops_what_waits_too_long(void **state)
{
    (void)state;
    bksi_lab_link *link = make("rate=80kbit"); // 10 bytes a millisecond
    uint8_t packet[172] = {0};                 // with the headers 200 bytes: 20 ms
    for (uint32_t i = 0; i < 100; i++) {
        bksi_lab_link_push(link, 0, packet, sizeof(packet));
    }
    const bks_lab_link_counters *counters = bksi_lab_link_get_counters(link);
    assert_int_equal(counters->over_rate, 100 - 26); // packets that would wait for over 500 ms are
                                                     // dropped
    for (uint32_t i = 1; i <= 26; i++) {
        assert_true(bksi_lab_link_next_time(link) == (uint64_t)i * 20 * MILLISECOND);
        bksi_lab_link_delivery delivery;
        assert_true(bksi_lab_link_pop(link, SECOND, &delivery));
    }
    bksi_lab_link_destroy(link);
}

static void a_link_holds_what_its_rate_and_queue_allow(void **state)
{
    (void)state;
    // 10 Mbit hold 560 long packets: 500 ms before the line and 50 ms on it.
    bksi_lab_link *link = make("delay=50ms,rate=10mbit");
    uint8_t packet[BKS_PACKET_BYTES_MAX] = {0};
    bksi_lab_link_delivery delivery;
    for (uint32_t i = 0; i < 20000; i++) {
        const uint64_t now_ns = i * MILLISECOND / 2; // twice the rate of the link
        bksi_lab_link_push(link, now_ns, packet, sizeof(packet));
        while (bksi_lab_link_pop(link, now_ns, &delivery)) {
        }
    }
    const bks_lab_link_counters *counters = bksi_lab_link_get_counters(link);
    assert_int_equal(counters->over_queue, 0);
    assert_in_range(counters->delivered, 9640, 10240); // 10 s of the rate less 550 ms
    assert_int_equal(counters->sent, 20000);
    assert_true(counters->over_rate > 9000);
    bksi_lab_link_destroy(link);
}

static void a_rate_that_changes_holds_for_what_is_sent_from_then_on(void **state)
{
    (void)state;
    const bks_lab_link_spec spec = {.rate_bits_per_s = 80000}; // 10 bytes a millisecond
    const bks_allocator allocator = {0};
    bksi_lab_link *link = NULL;
    assert_int_equal(bksi_lab_link_create(&spec, 800000, 1, 1, &allocator, &link, NULL), BKS_OK);
    uint8_t packet[172] = {0}; // with the headers 200 bytes: 20 ms
    bksi_lab_link_delivery delivery;
    bksi_lab_link_push(link, 0, packet, sizeof(packet));
    assert_true(bksi_lab_link_set_rate(link, 800000));
    assert_false(bksi_lab_link_set_rate(link, 800000));
    bksi_lab_link_push(link, 0, packet, sizeof(packet));
    assert_true(bksi_lab_link_pop(link, SECOND, &delivery));
    assert_true(delivery.time_ns == 20 * MILLISECOND);
    assert_true(bksi_lab_link_pop(link, SECOND, &delivery));
    assert_true(delivery.time_ns == 22 * MILLISECOND);
    bksi_lab_link_heal(link);
    assert_false(bksi_lab_link_set_rate(link, 80000));
    assert_true(bksi_lab_link_get_spec(link)->rate_bits_per_s == 0);
    bksi_lab_link_destroy(link);
}

static void a_filled_queue_delays_and_then_drops(void **state)
{
    (void)state;
    bksi_lab_link *link = make("rate=80kbit");
    uint8_t packet[172] = {0}; // 20 ms
    bksi_lab_link_delivery delivery;
    assert_true(bksi_lab_link_fill(link, SECOND, 300 * MILLISECOND));
    assert_true(
        bksi_lab_link_fill(link, SECOND, 100 * MILLISECOND)); // the queue is fuller than that
    bksi_lab_link_push(link, SECOND, packet, sizeof(packet));
    assert_true(bksi_lab_link_next_time(link) == SECOND + 320 * MILLISECOND);
    assert_true(bksi_lab_link_fill(link, SECOND, BKSI_LAB_LINK_QUEUE_NS));
    bksi_lab_link_push(link, SECOND, packet, sizeof(packet));
    bksi_lab_link_push(link, SECOND, packet, sizeof(packet));
    assert_int_equal(bksi_lab_link_get_counters(link)->over_rate, 1);
    assert_true(bksi_lab_link_pop(link, 2 * SECOND, &delivery));
    assert_true(bksi_lab_link_pop(link, 2 * SECOND, &delivery));
    assert_true(delivery.time_ns == SECOND + 520 * MILLISECOND);
    bksi_lab_link_destroy(link);
    link = make("delay=1ms");
    assert_false(bksi_lab_link_fill(link, SECOND, 300 * MILLISECOND));
    bksi_lab_link_destroy(link);
}

static void packets_above_the_mtu_are_dropped(void **state)
{
    (void)state;
    bksi_lab_link *link = make("mtu=600");
    uint8_t packet[BKS_PACKET_BYTES_MAX] = {0};
    bksi_lab_link_push(link, 0, packet, 600 - BKSI_LAB_LINK_HEADER_BYTES);
    bksi_lab_link_push(link, 0, packet, 601 - BKSI_LAB_LINK_HEADER_BYTES);
    bksi_lab_link_delivery delivery;
    assert_true(bksi_lab_link_pop(link, 0, &delivery));
    assert_false(bksi_lab_link_pop(link, 0, &delivery));
    assert_int_equal(bksi_lab_link_get_counters(link)->over_mtu, 1);
    bksi_lab_link_destroy(link);
}

static void a_flood_fills_the_queue_and_no_more(void **state)
{
    (void)state;
    bksi_lab_link *link = make("delay=1s");
    uint8_t packet[BKS_PACKET_BYTES_MAX] = {0};
    for (uint32_t i = 0; i < 100000; i++) {
        bksi_lab_link_push(link, 0, packet, sizeof(packet));
    }
    bksi_lab_link_push(link, 0, packet, 0);
    const bks_lab_link_counters *counters = bksi_lab_link_get_counters(link);
    assert_true(counters->over_queue > 90000);
    bksi_lab_link_delivery delivery;
    while (bksi_lab_link_pop(link, SECOND, &delivery)) {
    }
    assert_int_equal(counters->delivered + counters->over_queue, 100000);
    bksi_lab_link_destroy(link);
}

static void the_same_seed_gives_the_same_packets(void **state)
{
    (void)state;
    bks_lab_link_spec spec;
    assert_int_equal(bks_lab_link_spec_parse("delay=50ms,jitter=40ms,loss=20%,burst=2,dup=10%,"
                                             "reorder=10%,corrupt=10%,rate=100kbit",
                                             &spec, NULL),
                     BKS_OK);
    const bks_allocator allocator = {0};
    bksi_lab_link *links[3] = {NULL};
    const uint64_t seed = seed_next();
    for (uint32_t i = 0; i < 3; i++) { // the third one has another stream
        assert_int_equal(bksi_lab_link_create(&spec, 0, seed, i / 2, &allocator, &links[i], NULL),
                         BKS_OK);
    }
    bool has_differed = false;
    for (uint32_t i = 0; i < 5000; i++) {
        bksi_lab_link_delivery got[3];
        bool has[3] = {false};
        for (uint32_t k = 0; k < 3; k++) {
            bksi_lab_link_push(links[k], i * TICK, &i, sizeof(i));
            has[k] = bksi_lab_link_pop(links[k], i * TICK, &got[k]);
        }
        assert_int_equal(has[0], has[1]);
        if (has[0]) {
            assert_true(got[0].time_ns == got[1].time_ns);
            assert_memory_equal(got[0].bytes, got[1].bytes, sizeof(i));
        }
        has_differed |= has[0] != has[2];
    }
    assert_true(has_differed);
    for (uint32_t i = 0; i < 3; i++) {
        bksi_lab_link_destroy(links[i]);
    }
}

static void memory_is_taken_at_create_only_and_given_back(void **state)
{
    (void)state;
    counting_allocator counter;
    const bks_allocator allocator = counting_allocator_hooks(&counter);
    bks_lab_link_spec spec = {.delay_ns = 100 * MILLISECOND};
    bksi_lab_link *link = NULL;
    for (uint32_t fail_after = 0; fail_after < 4; fail_after++) {
        counter.fail_after = fail_after;
        assert_int_equal(bksi_lab_link_create(&spec, 0, 1, 1, &allocator, &link, NULL),
                         BKS_ERR_OUT_OF_MEMORY);
        assert_null(link);
        assert_int_equal(counter.live_bytes, 0);
    }
    counter.fail_after = UINT32_MAX;
    assert_int_equal(bksi_lab_link_create(&spec, 0, 1, 1, &allocator, &link, NULL), BKS_OK);
    const uint32_t allocs = counter.allocs;
    (void)send_many(link, 1000);
    assert_int_equal(counter.allocs, allocs);
    bksi_lab_link_destroy(link);
    bksi_lab_link_destroy(NULL);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
}

static void a_healed_link_loses_and_delays_nothing_more(void **state)
{
    (void)state;
    const bks_lab_link_spec spec = {
        .delay_ns = 50000000, .loss_ppm = 1000000, .rate_bits_per_s = 1000, .mtu_bytes = 68};
    const bks_allocator allocator = {0};
    bksi_lab_link *link = NULL;
    assert_int_equal(bksi_lab_link_create(&spec, 0, 1, 1, &allocator, &link, NULL), BKS_OK);
    uint8_t packet[100] = {0};
    bksi_lab_link_delivery delivery;
    bksi_lab_link_push(link, 0, packet, 40);
    assert_false(bksi_lab_link_pop(link, 1000000000, &delivery));
    bksi_lab_link_heal(link);
    bksi_lab_link_push(link, 1000000000, packet, sizeof(packet));
    assert_true(bksi_lab_link_pop(link, 1000000000, &delivery));
    assert_true(delivery.time_ns == 1000000000 && delivery.count == sizeof(packet));
    bksi_lab_link_destroy(link);
}

int main(int argc, char **argv)
{
    seed_from(argc, argv, 20261120);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_perfect_link_delivers_at_once_and_in_order),
        cmocka_unit_test(the_asked_share_of_packets_is_lost),
        cmocka_unit_test(bursts_have_the_asked_mean_length),
        cmocka_unit_test(jitter_stays_within_its_bounds_and_reaches_them),
        cmocka_unit_test(jitter_above_the_delay_never_delivers_before_the_sending),
        cmocka_unit_test(duplicates_reorders_and_corruptions_are_as_frequent_as_asked),
        cmocka_unit_test(a_reordered_packet_is_overtaken),
        cmocka_unit_test(corruption_flips_one_to_three_bits_and_keeps_the_length),
        cmocka_unit_test(a_packet_of_one_byte_can_be_corrupted),
        cmocka_unit_test(a_rate_spaces_packets_and_drops_what_waits_too_long),
        cmocka_unit_test(a_link_holds_what_its_rate_and_queue_allow),
        cmocka_unit_test(a_rate_that_changes_holds_for_what_is_sent_from_then_on),
        cmocka_unit_test(a_filled_queue_delays_and_then_drops),
        cmocka_unit_test(packets_above_the_mtu_are_dropped),
        cmocka_unit_test(a_flood_fills_the_queue_and_no_more),
        cmocka_unit_test(a_healed_link_loses_and_delays_nothing_more),
        cmocka_unit_test(the_same_seed_gives_the_same_packets),
        cmocka_unit_test(memory_is_taken_at_create_only_and_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
