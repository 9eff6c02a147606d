// SPDX-License-Identifier: MIT

// Streams of bytes beside a match in the lab: their begin, their end, and their specs.

#include "some_lab.h"

#include "lab/lab_internal.h"

static bks_lab_config bulk_config(uint32_t peers, bks_tick ticks)
{
    bks_lab_config config = some_lab_config(5, peers, ticks);
    config.tuning.bulk_bytes = 65536;
    return config;
}

static bks_lab *with_streams(const bks_lab_config *config, const char *link, const char *fault,
                             const char *first, const char *second)
{
    bks_error error = {0};
    bks_lab *lab = some_lab(config, link, fault);
    const char *const specs[] = {first, second};
    for (uint32_t i = 0; i < 2; i++) {
        if (specs[i] != NULL && bks_lab_bulk(lab, specs[i], &error) != BKS_OK) {
            fail_msg("%s", error.text);
        }
    }
    return lab;
}

static bks_lab_result run(bks_lab *lab)
{
    bks_lab_result result;
    while (bks_lab_advance(lab, bks_lab_now(lab) + SOME_SECOND_NS)) {
    }
    assert_int_equal(bks_lab_outcome(lab, &result), BKS_OK);
    bks_lab_destroy(lab);
    return result;
}

static void streams_are_timed_from_their_beginning_to_the_last_byte(void **state)
{
    (void)state;
    const bks_lab_config config = bulk_config(3, 900);
    const bks_lab_result result =
        run(with_streams(&config, "delay=20ms,rate=2mbit", NULL, "0>1:200KiB@5s", "2>0:1000@3s"));
    assert_agreed(&result, 900);
    assert_int_equal(result.bulk_count, 2);
    assert_int_equal(result.bulk[0].arrived, 204800);
    assert_int_equal(result.bulk[0].rate_bits_per_s, 2000000);
    // The stream takes 0.82 s at the full rate.
    assert_in_range(result.bulk[0].took_ns, SOME_SECOND_NS * 8 / 10, 4 * SOME_SECOND_NS);
    assert_int_equal(result.bulk[1].from, 2);
    assert_int_equal(result.bulk[1].to, 0);
    assert_in_range(result.bulk[1].took_ns, SOME_SECOND_NS / 100, SOME_SECOND_NS);
}

static void a_stream_that_does_not_finish_takes_no_time(void **state)
{
    (void)state;
    const bks_lab_config config = bulk_config(2, 600);
    const bks_lab_result result =
        run(with_streams(&config, "delay=20ms,rate=64kbit", NULL, "0>1:1MiB@5s", "1>0:10@11s"));
    assert_agreed(&result, 600);
    assert_int_equal(result.bulk[0].took_ns, 0);
    assert_in_range(result.bulk[0].arrived, 2000, 50000);
    assert_int_equal(result.bulk[1].arrived, 0); // the match ended before the stream began
    assert_int_equal(result.bulk[1].took_ns, 0);
}

static void a_stream_of_a_crashed_peer_stops(void **state)
{
    (void)state;
    const bks_lab_config config = bulk_config(3, 900);
    const bks_lab_result result = run(
        with_streams(&config, "delay=20ms,rate=1mbit", "crash=1@4s", "0>1:1MiB@2s", "0>2:1KiB@2s"));
    assert_agreed(&result, 900);
    assert_int_equal(result.bulk[0].took_ns, 0);
    assert_true(result.bulk[0].arrived < 250000);
    assert_int_equal(result.bulk[1].arrived, 1024);
}

static void a_stream_without_a_limit_loses_nothing_to_the_links_memory(void **state)
{
    (void)state;
    bks_lab_config config = bulk_config(2, 900);
    config.tuning.bulk_bytes = 1u << 20;
    const bks_lab_result result =
        run(with_streams(&config, "delay=100ms", NULL, "0>1:4MiB@1s", NULL));
    assert_agreed(&result, 900);
    assert_true(result.bulk[0].took_ns > 0);
    assert_int_equal(result.bulk[0].rate_bits_per_s, 0);
    assert_int_equal(fault_count(&result, "queue"), 0);
}

static void specs_are_read_or_refused_with_what_they_must_be(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint64_t bytes;
        uint64_t at_ms;
    } good[] = {{"0>1:1@0ms", 1, 0},
                {"2>0:3KiB@1.5s", 3072, 1500},
                {"1>2:2MiB@5s", 2097152, 5000},
                {"1>2:1024GiB@1000s", UINT64_C(1) << 40, 1000000}};
    static const char *const bad[] = {
        "",          "0>1",         "0>1:16MiB",  "0>0:1KiB@1s",    "3>0:1KiB@1s",
        "0-1:1@1s",  "0>1:0@1s",    "0>1:1kB@1s", "0>1:1025GiB@1s", "0>1:1099511627777@1s",
        "0>1:1@1s ", "0>1:1@1001s", "0>1:KiB@1s", "0>1:1@",         "0>1:99999999999999999999@1s"};
    const bks_lab_config config = bulk_config(3, 60);
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        bks_lab_bulk_spec spec;
        assert_int_equal(bks_lab_bulk_parse(&config, good[i].spec, &spec, NULL), BKS_OK);
        assert_int_equal(spec.bytes, good[i].bytes);
        assert_int_equal(spec.at_ns, good[i].at_ms * 1000000);
        assert_int_equal(spec.from, good[i].spec[0] - '0');
        assert_int_equal(spec.to, good[i].spec[2] - '0');
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        bks_lab_bulk_spec spec;
        bks_error error = {0};
        assert_int_equal(bks_lab_bulk_parse(&config, bad[i], &spec, &error), BKS_ERR_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, "must be PEER>PEER:BYTES@TIME"));
    }
}

static void a_direction_has_one_stream_and_buffers_for_it(void **state)
{
    (void)state;
    bks_lab_config config = bulk_config(2, 60);
    bks_error error = {0};
    bks_lab *lab = with_streams(&config, NULL, NULL, "0>1:1@0ms", "1>0:1@0ms");
    assert_int_equal(bks_lab_bulk(lab, "0>1:1@0ms", &error), BKS_ERR_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "0>1 twice"));
    bks_lab_destroy(lab);
    config.tuning.bulk_bytes = 0;
    lab = some_lab(&config, NULL, NULL);
    assert_int_equal(bks_lab_bulk(lab, "0>1:1@0ms", &error), BKS_ERR_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "bulk_bytes is 0"));
    bks_lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_are_timed_from_their_beginning_to_the_last_byte),
        cmocka_unit_test(a_stream_that_does_not_finish_takes_no_time),
        cmocka_unit_test(a_stream_of_a_crashed_peer_stops),
        cmocka_unit_test(a_stream_without_a_limit_loses_nothing_to_the_links_memory),
        cmocka_unit_test(specs_are_read_or_refused_with_what_they_must_be),
        cmocka_unit_test(a_direction_has_one_stream_and_buffers_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
