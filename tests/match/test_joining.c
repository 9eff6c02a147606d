// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "match/joining.h"
#include "match/system.h"
#include "support/catch_log.h"
#include "support/says.h"

#define START_NS UINT64_C(77000000000)

/// An address of no UDP, which nothing is sent to.
static const bks_address custom = {.length = 2, .bytes = {0xab, 0xcd}};

static catch_log caught;
static bksi_joining joining;
static bks_event event;

static uint64_t at_ms(uint64_t ms)
{
    return START_NS + ms * BKSI_NS_PER_MS;
}

static void begin(uint32_t timeout_ms)
{
    bksi_joining_begin(&joining, &custom, false, timeout_ms, START_NS);
    catch_log_begin(&caught);
}

static void a_second_without_a_seat_is_reported_once_with_the_address(void **state)
{
    (void)state;
    begin(10000);
    assert_false(bksi_joining_update(&joining, at_ms(0), false, &event));
    assert_false(bksi_joining_update(&joining, at_ms(999), false, &event));
    assert_int_equal(caught.count, 0);
    assert_true(bksi_joining_update(&joining, at_ms(1000), false, &event));
    assert_int_equal(event.kind, BKS_EVENT_WAITING);
    assert_int_equal(event.tick, BKS_TICK_NONE);
    assert_string_equal(event.text,
                        "no answer from the host at abcd: does it run, does your transport reach "
                        "it?");
    assert_int_equal(caught.level, BKS_LOG_WARNING);
    assert_says(caught.text, event.text);
    assert_says(caught.text, "we continue to ask");
    assert_false(bksi_joining_update(&joining, at_ms(9999), false, &event));
    assert_int_equal(caught.count, 1);
    bks_log_clear_sink();
}

static void a_guest_of_less_patience_reports_after_half_of_it(void **state)
{
    (void)state;
    begin(300);
    assert_false(bksi_joining_update(&joining, at_ms(149), false, &event));
    assert_true(bksi_joining_update(&joining, at_ms(150), false, &event));
    bks_log_clear_sink();
}

static void packets_without_a_seat_are_another_matter(void **state)
{
    (void)state;
    begin(10000);
    assert_true(bksi_joining_update(&joining, at_ms(1000), true, &event));
    assert_says(event.text, "no seat from the host at abcd: packets come, but none gives a seat");
    assert_int_equal(bksi_joining_check(&joining, at_ms(10000), true), BKS_ERR_TIMEOUT);
    assert_says(caught.text,
                "gave no seat within 10000 ms: packets came but no seat; join with its "
                "newest invitation");
    bks_log_clear_sink();
}

static void the_end_of_its_patience_says_what_to_do_next(void **state)
{
    (void)state;
    begin(10000);
    assert_int_equal(bksi_joining_check(&joining, at_ms(9999), false), BKS_OK);
    assert_int_equal(caught.count, 0);
    assert_int_equal(bksi_joining_check(&joining, at_ms(10000), false), BKS_ERR_TIMEOUT);
    assert_string_equal(caught.text,
                        "the host at abcd did not answer within 10000 ms: check that it runs, your "
                        "transport reaches it and both have the same key");
    assert_int_equal(bksi_joining_check(&joining, at_ms(10001), false), BKS_OK); // logged once
    bks_log_clear_sink();
}

static void without_a_timeout_it_reports_and_waits_for_good(void **state)
{
    (void)state;
    begin(0);
    assert_true(bksi_joining_update(&joining, at_ms(1000), false, &event));
    assert_int_equal(bksi_joining_check(&joining, at_ms(86400000), false), BKS_OK);
    bks_log_clear_sink();
}

static void a_guest_with_its_seat_reports_nothing(void **state)
{
    (void)state;
    begin(10000);
    bksi_joining_end(&joining);
    assert_false(bksi_joining_update(&joining, at_ms(1000), false, &event));
    assert_int_equal(bksi_joining_check(&joining, at_ms(10000), false), BKS_OK);
    bksi_joining_end(&joining);
    assert_int_equal(caught.count, 0);
    bks_log_clear_sink();
}

static void what_the_network_says_of_the_address_is_in_the_report(void **state)
{
    (void)state;
    bks_udp *udp = NULL, *sleeper = NULL;
    bks_address closed;
    assert_int_equal(bks_udp_open("127.0.0.1:0", &udp, NULL), BKS_OK);
    assert_int_equal(bks_udp_open("127.0.0.1:0", &sleeper, NULL), BKS_OK);
    assert_int_equal(bks_udp_local_address(udp, &closed), BKS_OK);
    bks_udp_close(udp);
    bksi_joining_begin(&joining, &closed, true, 10000, START_NS);
    catch_log_begin(&caught);
    assert_false(bksi_joining_update(&joining, at_ms(499), false, &event));
    assert_false(joining.has_tried); // a host that answers in time gets no packet more
    assert_false(bksi_joining_update(&joining, at_ms(500), false, &event));
    (void)bks_udp_wait(sleeper, 100000000);
    assert_true(bksi_joining_update(&joining, at_ms(1000), false, &event));
    assert_says(event.text, ": no program listens on that port");
    assert_int_equal(bksi_joining_check(&joining, at_ms(10000), false), BKS_ERR_TIMEOUT);
    assert_says(caught.text, "no program listens there; start it, then join");
    assert_int_equal(joining.probe.socket, -1);
    bks_log_clear_sink();
    bks_udp_close(sleeper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_without_a_seat_is_reported_once_with_the_address),
        cmocka_unit_test(a_guest_of_less_patience_reports_after_half_of_it),
        cmocka_unit_test(packets_without_a_seat_are_another_matter),
        cmocka_unit_test(the_end_of_its_patience_says_what_to_do_next),
        cmocka_unit_test(without_a_timeout_it_reports_and_waits_for_good),
        cmocka_unit_test(a_guest_with_its_seat_reports_nothing),
        cmocka_unit_test(what_the_network_says_of_the_address_is_in_the_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
