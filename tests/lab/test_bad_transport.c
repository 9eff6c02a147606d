// SPDX-License-Identifier: MIT

#include "backstitch/toolkit/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "support/counting_allocator.h"

#define MILLISECOND UINT64_C(1000000)

/// A transport that stores sent packets, delivers given ones, and has a clock.
typedef struct toy {
    uint64_t now_ns;
    uint32_t sent_count;
    bks_address sent_to;
    uint8_t sent[64];
    size_t sent_bytes;
    uint32_t waiting; ///< packets of one byte to deliver
    bks_address waiting_from;
    bks_status answer;
} toy;

static bks_status toy_send(void *context, const bks_address *to, const void *bytes, size_t count)
{
    toy *t = context;
    t->sent_count++;
    t->sent_to = *to;
    t->sent_bytes = count;
    memcpy(t->sent, bytes, count);
    return t->answer;
}

static size_t toy_receive(void *context, bks_address *from, void *bytes, size_t capacity)
{
    toy *t = context;
    (void)capacity;
    if (t->waiting == 0) {
        return 0;
    }
    t->waiting--;
    *from = t->waiting_from;
    *(uint8_t *)bytes = (uint8_t)t->waiting;
    return 1;
}

static uint64_t toy_clock(void *context)
{
    return ((toy *)context)->now_ns;
}

static const bks_address first = {.length = 1, .bytes = {1}};
static const bks_address second = {.length = 1, .bytes = {2}};

static bks_bad_transport *make(toy *t, const char *send, const char *receive)
{
    bks_bad_transport_config config = {
        .inner = {.send = toy_send, .receive = toy_receive, .context = t},
        .seed = 1,
        .clock_ns = toy_clock,
        .clock_context = t,
    };
    assert_int_equal(bks_lab_link_spec_parse(send, &config.send, NULL), BKS_OK);
    assert_int_equal(bks_lab_link_spec_parse(receive, &config.receive, NULL), BKS_OK);
    bks_bad_transport *bad = NULL;
    assert_int_equal(bks_bad_transport_create(&config, &bad, NULL), BKS_OK);
    return bad;
}

static void a_packet_goes_out_after_its_delay(void **state)
{
    (void)state;
    toy t = {.now_ns = 7};
    bks_bad_transport *bad = make(&t, "delay=50ms", "");
    const bks_transport transport = bks_bad_transport_transport(bad);
    bks_address from;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    assert_true(bks_bad_transport_wake(bad) == UINT64_MAX);
    assert_int_equal(transport.send(transport.context, &second, "hello", 5), BKS_OK);
    assert_int_equal(t.sent_count, 0);
    assert_true(bks_bad_transport_wake(bad) == 7 + 50 * MILLISECOND);
    t.now_ns = 6 + 50 * MILLISECOND;
    assert_int_equal(transport.receive(transport.context, &from, bytes, sizeof(bytes)), 0);
    assert_int_equal(t.sent_count, 0);
    t.now_ns++;
    assert_int_equal(transport.receive(transport.context, &from, bytes, sizeof(bytes)), 0);
    assert_int_equal(t.sent_count, 1);
    assert_true(bks_address_equal(&t.sent_to, &second));
    assert_int_equal(t.sent_bytes, 5);
    assert_memory_equal(t.sent, "hello", 5);
    bks_bad_transport_destroy(bad);
}

static void a_packet_comes_in_after_its_delay(void **state)
{
    (void)state;
    toy t = {.waiting = 1, .waiting_from = first};
    bks_bad_transport *bad = make(&t, "", "delay=20ms");
    const bks_transport transport = bks_bad_transport_transport(bad);
    bks_address from = {0};
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    assert_int_equal(transport.receive(transport.context, &from, bytes, sizeof(bytes)), 0);
    assert_true(bks_bad_transport_wake(bad) == 20 * MILLISECOND);
    t.now_ns = 20 * MILLISECOND;
    assert_int_equal(transport.receive(transport.context, &from, bytes, sizeof(bytes)), 1);
    assert_true(bks_address_equal(&from, &first));
    assert_int_equal(transport.receive(transport.context, &from, bytes, sizeof(bytes)), 0);
    bks_bad_transport_destroy(bad);
}

static void perfect_links_change_nothing(void **state)
{
    (void)state;
    toy t = {.waiting = 3, .waiting_from = first, .answer = BKS_ERR_IO};
    bks_bad_transport *bad = make(&t, "", "");
    const bks_transport transport = bks_bad_transport_transport(bad);
    bks_address from;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    assert_int_equal(transport.send(transport.context, &first, "x", 1), BKS_ERR_IO);
    assert_int_equal(t.sent_count, 1);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(transport.receive(transport.context, &from, bytes, sizeof(bytes)), 1);
        assert_int_equal(bytes[0], 2 - i);
    }
    assert_int_equal(transport.receive(transport.context, &from, bytes, sizeof(bytes)), 0);
    bks_bad_transport_destroy(bad);
}

static void one_address_can_have_links_of_its_own(void **state)
{
    (void)state;
    toy t = {0};
    bks_bad_transport *bad = make(&t, "loss=100%", "");
    const bks_transport transport = bks_bad_transport_transport(bad);
    const bks_lab_link_spec perfect = {0};
    assert_int_equal(bks_bad_transport_route(bad, &second, &perfect, &perfect, NULL), BKS_OK);
    assert_int_equal(transport.send(transport.context, &first, "x", 1), BKS_OK);
    assert_int_equal(t.sent_count, 0);
    assert_int_equal(transport.send(transport.context, &second, "x", 1), BKS_OK);
    assert_int_equal(t.sent_count, 1);
    const bks_lab_link_counters counters = bks_bad_transport_counters(bad);
    assert_int_equal(counters.sent, 2);
    assert_int_equal(counters.lost, 1);
    bks_bad_transport_destroy(bad);
}

static void addresses_beyond_the_last_way_pass_untouched(void **state)
{
    (void)state;
    toy t = {.waiting_from = {.length = 2}};
    bks_bad_transport *bad = make(&t, "loss=100%", "loss=100%");
    const bks_transport transport = bks_bad_transport_transport(bad);
    const bks_lab_link_spec perfect = {0};
    bks_address to = {.length = 1};
    for (uint32_t i = 0; i < BKS_BAD_TRANSPORT_WAYS_MAX; i++) {
        to.bytes[0] = (uint8_t)i;
        assert_int_equal(transport.send(transport.context, &to, "x", 1), BKS_OK);
    }
    assert_int_equal(t.sent_count, 0);
    to.bytes[0] = BKS_BAD_TRANSPORT_WAYS_MAX;
    assert_int_equal(bks_bad_transport_route(bad, &to, &perfect, &perfect, NULL), BKS_ERR_FULL);
    assert_int_equal(transport.send(transport.context, &to, "x", 1), BKS_OK);
    assert_int_equal(t.sent_count, 1);
    bks_address from;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    t.waiting = 1;
    assert_int_equal(transport.receive(transport.context, &from, bytes, sizeof(bytes)), 1);
    bks_bad_transport_destroy(bad);
}

static void memory_that_is_missing_is_said_and_all_is_given_back(void **state)
{
    (void)state;
    counting_allocator counter;
    toy t = {0};
    bks_bad_transport_config config = {
        .inner = {.send = toy_send, .receive = toy_receive, .context = &t},
        .clock_ns = toy_clock,
        .clock_context = &t,
        .allocator = counting_allocator_hooks(&counter),
    };
    bks_bad_transport *bad = NULL;
    counter.fail_after = 0;
    assert_int_equal(bks_bad_transport_create(&config, &bad, NULL), BKS_ERR_OUT_OF_MEMORY);
    assert_null(bad);
    counter.fail_after = UINT32_MAX;
    assert_int_equal(bks_bad_transport_create(&config, &bad, NULL), BKS_OK);
    const bks_lab_link_spec perfect = {0};
    counter.fail_after = 5; // fails at the second of the two links
    assert_int_equal(bks_bad_transport_route(bad, &first, &perfect, &perfect, NULL),
                     BKS_ERR_OUT_OF_MEMORY);
    counter.fail_after = UINT32_MAX;
    assert_int_equal(bks_bad_transport_route(bad, &first, &perfect, &perfect, NULL), BKS_OK);
    bks_bad_transport_destroy(bad);
    bks_bad_transport_destroy(NULL);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
    config.clock_ns = NULL;
    assert_int_equal(bks_bad_transport_create(&config, &bad, NULL), BKS_ERR_BAD_ARGUMENT);
}

static void links_that_cannot_be_are_refused_before_a_packet_is_lost_by_them(void **state)
{
    (void)state;
    toy t = {0};
    bks_error error = {0};
    bks_bad_transport *bad = NULL;
    bks_bad_transport_config config = {
        .inner = {.send = toy_send, .receive = toy_receive, .context = &t}, .clock_ns = toy_clock};
    const bks_lab_link_spec wrong = {.loss_ppm = 1000001}, perfect = {0};
    config.send = wrong;
    assert_int_equal(bks_bad_transport_create(&config, &bad, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "send");
    config.send = perfect, config.receive = wrong;
    assert_int_equal(bks_bad_transport_create(&config, &bad, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "receive");
    bad = make(&t, "", "");
    assert_int_equal(bks_bad_transport_route(bad, &first, &wrong, &perfect, &error),
                     BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(error.field, "send");
    assert_int_equal(bks_bad_transport_route(bad, &first, &perfect, &wrong, &error),
                     BKS_ERR_BAD_ARGUMENT);
    assert_string_equal(error.field, "receive");
    bks_bad_transport_destroy(bad);
}

static void a_change_holds_from_now_on_and_the_counts_stay(void **state)
{
    (void)state;
    toy t = {.now_ns = 7};
    bks_bad_transport *bad = make(&t, "loss=100%", "");
    const bks_transport transport = bks_bad_transport_transport(bad);
    const uint8_t byte = 1;
    assert_int_equal(transport.send(transport.context, &first, &byte, 1), BKS_OK);
    assert_int_equal(t.sent_count, 0);
    const bks_lab_link_spec perfect = {0};
    assert_int_equal(bks_bad_transport_change(bad, &perfect, &perfect, NULL), BKS_OK);
    assert_int_equal(transport.send(transport.context, &first, &byte, 1), BKS_OK);
    assert_int_equal(transport.send(transport.context, &second, &byte, 1),
                     BKS_OK); // a new address has the changed
                              // links, too
    assert_int_equal(t.sent_count, 2);
    assert_int_equal(bks_bad_transport_counters(bad).lost, 1);
    assert_int_equal(bks_bad_transport_counters(bad).sent, 3);
    bks_bad_transport_destroy(bad);
}

static void what_is_under_way_at_a_change_arrives_as_it_would_have(void **state)
{
    (void)state;
    toy t = {.now_ns = 7};
    bks_bad_transport *bad = make(&t, "delay=50ms", "delay=50ms");
    const bks_transport transport = bks_bad_transport_transport(bad);
    bks_address from;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
    assert_int_equal(transport.send(transport.context, &first, "old", 3), BKS_OK);
    t.waiting = 1;
    t.waiting_from = first;
    assert_int_equal(transport.receive(transport.context, &from, bytes, sizeof(bytes)), 0);
    bks_lab_link_spec far = {.delay_ns = 60 * MILLISECOND};
    for (uint32_t i = 0; i < 40; i++) { // as often as a held key changes them
        far.delay_ns += MILLISECOND;
        assert_int_equal(bks_bad_transport_change(bad, &far, &far, NULL), BKS_OK);
    }
    assert_int_equal(transport.send(transport.context, &first, "newer", 5), BKS_OK);
    t.now_ns = 6 + 50 * MILLISECOND;
    assert_int_equal(transport.receive(transport.context, &from, bytes, sizeof(bytes)), 0);
    assert_int_equal(t.sent_count, 0);
    t.now_ns++;
    assert_int_equal(transport.receive(transport.context, &from, bytes, sizeof(bytes)), 1);
    assert_int_equal(t.sent_count, 1);
    assert_int_equal(t.sent_bytes, 3);
    t.now_ns = 7 + 100 * MILLISECOND;
    assert_int_equal(transport.receive(transport.context, &from, bytes, sizeof(bytes)), 0);
    assert_int_equal(t.sent_count, 2);
    assert_int_equal(bks_bad_transport_counters(bad).delivered, 3);
    bks_bad_transport_destroy(bad);
}

static void a_change_without_memory_changes_nothing(void **state)
{
    (void)state;
    toy t = {.now_ns = 7};
    counting_allocator counter = {.fail_after = UINT32_MAX};
    const bks_bad_transport_config config = {
        .inner = {.send = toy_send, .receive = toy_receive, .context = &t},
        .clock_ns = toy_clock,
        .clock_context = &t,
        .allocator = {counting_alloc, counting_release, &counter},
    };
    bks_bad_transport *bad = NULL;
    assert_int_equal(bks_bad_transport_create(&config, &bad, NULL), BKS_OK);
    const bks_transport transport = bks_bad_transport_transport(bad);
    const uint8_t byte = 1;
    (void)transport.send(transport.context, &first, &byte, 1);
    (void)transport.send(transport.context, &second, &byte, 1);
    const bks_lab_link_spec lossy = {.loss_ppm = 1000000};
    bks_status status = BKS_ERR_OUT_OF_MEMORY;
    for (uint32_t allowed = 0; status != BKS_OK; allowed++) {
        assert_int_equal(status, BKS_ERR_OUT_OF_MEMORY);
        counter.fail_after = allowed;
        const size_t live = counter.live_bytes;
        status = bks_bad_transport_change(bad, &lossy, &lossy, NULL);
        assert_true(status == BKS_OK || counter.live_bytes == live);
        counter.fail_after = UINT32_MAX;
        (void)transport.send(transport.context, &first, &byte, 1);
    }
    assert_int_equal(bks_bad_transport_counters(bad).lost, 1);
    bks_bad_transport_destroy(bad);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.is_wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_goes_out_after_its_delay),
        cmocka_unit_test(a_packet_comes_in_after_its_delay),
        cmocka_unit_test(perfect_links_change_nothing),
        cmocka_unit_test(one_address_can_have_links_of_its_own),
        cmocka_unit_test(addresses_beyond_the_last_way_pass_untouched),
        cmocka_unit_test(memory_that_is_missing_is_said_and_all_is_given_back),
        cmocka_unit_test(links_that_cannot_be_are_refused_before_a_packet_is_lost_by_them),
        cmocka_unit_test(a_change_holds_from_now_on_and_the_counts_stay),
        cmocka_unit_test(what_is_under_way_at_a_change_arrives_as_it_would_have),
        cmocka_unit_test(a_change_without_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
