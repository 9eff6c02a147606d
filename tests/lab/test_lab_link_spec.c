// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lab/lab_link.h"
#include "support/says.h"

static void every_part_is_read(void **state)
{
    (void)state;
    bks_lab_link_spec spec;
    assert_int_equal(bks_lab_link_spec_parse("delay=50ms,jitter=10ms,loss=2%,burst=3,dup=1%,"
                                             "reorder=1.5%,hold=2s,corrupt=0.1%,rate=256kbit,"
                                             "mtu=600",
                                             &spec, NULL),
                     BKS_OK);
    assert_true(spec.delay_ns == UINT64_C(50000000));
    assert_true(spec.jitter_ns == UINT64_C(10000000));
    assert_int_equal(spec.loss_ppm, 20000);
    assert_true(spec.burst_packets == 3.0);
    assert_int_equal(spec.duplicate_ppm, 10000);
    assert_int_equal(spec.reorder_ppm, 15000);
    assert_int_equal(spec.hold_ns, 2000000000);
    assert_int_equal(spec.corrupt_ppm, 1000);
    assert_true(spec.rate_bits_per_s == 256000);
    assert_int_equal(spec.mtu_bytes, 600);
}

static void an_empty_text_is_a_perfect_link(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "perfect", "delay=0", "loss=0%"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        bks_lab_link_spec spec;
        assert_int_equal(bks_lab_link_spec_parse(texts[i], &spec, NULL), BKS_OK);
        assert_true(spec.delay_ns == 0);
        assert_int_equal(spec.loss_ppm, 0);
        assert_int_equal(spec.mtu_bytes, 0);
    }
}

static void units_and_fractions_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t ns;
    } cases[] = {
        {"delay=1ns", 1},
        {"delay=7us", 7000},
        {"delay=0.000000001s", 1},
        {"delay=16.666667ms", 16666667},
        {"delay=1.5s", UINT64_C(1500000000)},
        {"delay=60s", UINT64_C(60000000000)},
        {"delay=60000000000ns", UINT64_C(60000000000)},
        {"delay=60000000001ns", 0},
        {"delay=99999999999999999999999s", 0}, // beyond 64 bits
        {"delay=0.1ms", 100000},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bks_lab_link_spec spec = {0};
        const bks_status status = bks_lab_link_spec_parse(cases[i].text, &spec, NULL);
        if (status != (cases[i].ns > 0 ? BKS_OK : BKS_ERR_BAD_ARGUMENT) ||
            spec.delay_ns != cases[i].ns) {
            fail_msg("%s gave %d, %llu ns", cases[i].text, status,
                     (unsigned long long)spec.delay_ns);
        }
    }
}

static void a_wrong_setting_is_named_with_value_and_range(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *wanted[2];
    } cases[] = {
        {"delay=61s", {"delay is '61s'", "0..60s"}},
        {"jitter=11s", {"jitter is '11s'", "0..10s"}},
        {"loss=101%", {"loss is '101%'", "0..100%"}},
        {"loss=2", {"loss is '2'", "0..100%"}},
        {"loss=-1%", {"loss is '-1%'", "0..100%"}},
        {"loss=", {"loss is ''", "0..100%"}},
        {"loss=.5%", {"loss is '.5%'", "0..100%"}},
        {"loss=5.%", {"loss is '5.%'", "0..100%"}},
        {"burst=0.5,loss=1%", {"burst is '0.5'", "1..1000"}},
        {"burst=1001", {"burst is '1001'", "1..1000"}},
        {"loss=60%,burst=1", {"burst is 1,", "at least 1.5"}},
        {"dup=200%", {"dup is '200%'", "0..100%"}},
        {"hold=19ms", {"hold is '19ms'", "20ms..60s"}},
        {"reorder=x", {"reorder is 'x'", "0..100%"}},
        {"corrupt=1ms", {"corrupt is '1ms'", "0..100%"}},
        {"rate=999bit", {"rate is '999bit'", "1kbit..1000gbit"}},
        {"rate=0", {"rate is '0'", "1kbit..1000gbit"}},
        {"rate=99999999999gbit", {"rate is", "1kbit..1000gbit"}},
        {"mtu=67", {"mtu is '67'", "68..65535"}},
        {"mtu=65536", {"mtu is '65536'", "68..65535"}},
        {"delay=50 ms", {"delay is '50 ms'", "0..60s"}},
        {"lag=5ms", {"'lag=5ms'", "delay, jitter, loss"}},
        {"delay", {"'delay'", "NAME=VALUE"}},
        {"delay=1ms,", {"''", "NAME=VALUE"}},
        {"delay=1ms,delay=2ms", {"delay is there twice", "once"}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bks_error error = {0};
        bks_lab_link_spec spec = {.mtu_bytes = 77};
        assert_int_equal(bks_lab_link_spec_parse(cases[i].text, &spec, &error),
                         BKS_ERR_BAD_ARGUMENT);
        for (size_t k = 0; k < 2; k++) {
            if (strstr(error.text, cases[i].wanted[k]) == NULL) {
                fail_msg("%s: \"%s\" does not say \"%s\"", cases[i].text, error.text,
                         cases[i].wanted[k]);
            }
        }
        assert_int_equal(spec.mtu_bytes, 77); // untouched
    }
}

static void a_route_names_two_peers(void **state)
{
    (void)state;
    uint32_t from = 0;
    uint32_t to = 0;
    bks_lab_link_spec spec;
    assert_int_equal(bks_lab_link_route_parse("2>1:loss=5%", &from, &to, &spec, NULL), BKS_OK);
    assert_int_equal(from, 2);
    assert_int_equal(to, 1);
    assert_int_equal(spec.loss_ppm, 50000);
    assert_int_equal(bks_lab_link_route_parse("loss=5%", &from, &to, &spec, NULL), BKS_OK);
    assert_true(from == BKS_LAB_LINK_ALL);
    assert_true(to == BKS_LAB_LINK_ALL);
}

static void a_wrong_route_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"1>1:loss=5%", "0>8:loss=5%", "0-1:loss=5%", ">1:loss=5%",
                                        "0>:loss=5%",  "0>1>2:",      ":loss=5%",    "a>b:loss=5%"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        uint32_t from = 0;
        uint32_t to = 0;
        bks_lab_link_spec spec;
        bks_error error = {0};
        assert_int_equal(bks_lab_link_route_parse(texts[i], &from, &to, &spec, &error),
                         BKS_ERR_BAD_ARGUMENT);
        if (strstr(error.text, "two different peers of 0..7") == NULL) {
            fail_msg("%s: \"%s\"", texts[i], error.text);
        }
    }
}

static void null_is_refused(void **state)
{
    (void)state;
    bks_lab_link_spec spec;
    uint32_t peer = 0;
    assert_int_equal(bks_lab_link_spec_parse(NULL, &spec, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_link_spec_parse("", NULL, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_link_route_parse(NULL, &peer, &peer, &spec, NULL),
                     BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_lab_link_route_parse("", &peer, NULL, &spec, NULL), BKS_ERR_BAD_ARGUMENT);
}

static void assert_no_spec(bks_lab_link_spec spec, const char *says)
{
    bks_error error = {0};
    assert_int_equal(bksi_lab_link_spec_check(&spec, "send", "test", BKS_ERR_BAD_CONFIG, &error),
                     BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "send");
    assert_says(error.text, says);
}

static void a_spec_made_by_hand_is_refused_where_no_text_could_give_it(void **state)
{
    (void)state;
    const bks_lab_link_spec perfect = {0};
    const bks_lab_link_spec most = {.delay_ns = UINT64_C(60000000000),
                                    .jitter_ns = UINT64_C(10000000000),
                                    .loss_ppm = 1000000,
                                    .burst_packets = 1000,
                                    .duplicate_ppm = 1000000,
                                    .reorder_ppm = 1000000,
                                    .corrupt_ppm = 1000000,
                                    .rate_bits_per_s = UINT64_C(1000000000000),
                                    .mtu_bytes = 65535};
    assert_int_equal(bksi_lab_link_spec_check(&perfect, "send", "test", BKS_ERR_BAD_CONFIG, NULL),
                     BKS_OK);
    assert_int_equal(bksi_lab_link_spec_check(&most, "send", "test", BKS_ERR_BAD_CONFIG, NULL),
                     BKS_OK);
    assert_no_spec((bks_lab_link_spec){.delay_ns = most.delay_ns + 1},
                   "send.delay_ns is 60000000001, must be 0..60000000000");
    assert_no_spec((bks_lab_link_spec){.jitter_ns = most.jitter_ns + 1}, "send.jitter_ns");
    assert_no_spec((bks_lab_link_spec){.loss_ppm = 1000001}, "loss_ppm is 1000001, must be 0..");
    assert_no_spec((bks_lab_link_spec){.duplicate_ppm = 1000001}, "duplicate_ppm");
    assert_no_spec((bks_lab_link_spec){.reorder_ppm = 1000001}, "reorder_ppm");
    assert_no_spec((bks_lab_link_spec){.hold_ns = 1000000}, "hold_ns");
    assert_no_spec((bks_lab_link_spec){.corrupt_ppm = 1000001}, "corrupt_ppm");
    assert_no_spec((bks_lab_link_spec){.rate_bits_per_s = 999},
                   "rate_bits_per_s is 999, must be 0 or 1000..1000000000000");
    assert_no_spec((bks_lab_link_spec){.mtu_bytes = 67}, "mtu_bytes is 67, must be 0 or 68..65535");
    assert_no_spec((bks_lab_link_spec){.burst_packets = 0.5}, "burst_packets is 0.5, must be 0 or");
    assert_no_spec((bks_lab_link_spec){.burst_packets = 2, .loss_ppm = 900000}, "at least loss");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_read),
        cmocka_unit_test(an_empty_text_is_a_perfect_link),
        cmocka_unit_test(units_and_fractions_are_exact),
        cmocka_unit_test(a_wrong_setting_is_named_with_value_and_range),
        cmocka_unit_test(a_route_names_two_peers),
        cmocka_unit_test(a_wrong_route_is_refused),
        cmocka_unit_test(null_is_refused),
        cmocka_unit_test(a_spec_made_by_hand_is_refused_where_no_text_could_give_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
