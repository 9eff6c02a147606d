// SPDX-License-Identifier: MIT

// Single rules of the pace. What they come to on a line is in test_bulk.c.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/bulk_pace.h"

#define MS     UINT64_C(1000000)
#define SECOND (1000 * MS)

static bksi_line line;
static bksi_bulk_pace pace;

/// A line with a round trip of 40 ms and no queue, and a stream at 100 kB a second.
static void begin(void)
{
    bksi_line_init(&line);
    line.any_echo = true;
    line.round_trip_ns = 40e6;
    bksi_bulk_pace_init(&pace,
                        &(bksi_bulk_pace_config){.most = 1e6,
                                                 .first = 3000.0,
                                                 .blind_growth = 1.05,
                                                 .probe_every_ns = SECOND,
                                                 .cuts_to_capacity = true},
                        0);
    pace.rate = 100e3;
}

/// An echo shows a queue.
static void show_queue(uint64_t queue_ns, uint64_t now_ns)
{
    line.newest_queue_ns = queue_ns;
    line.sample_count++;
    bksi_bulk_pace_update(&pace, &line, false, now_ns);
}

static void a_queue_that_stands_cuts_and_a_deep_one_deeper(void **context)
{
    (void)context;
    const struct {
        uint64_t queue_ms;
        double rate;
    } queues[] = {{11, 100e3}, {13, 80e3}, {29, 80e3}, {31, 60e3}};
    for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
        begin();
        show_queue(queues[i].queue_ms * MS, SECOND);
        assert_true(pace.rate == queues[i].rate);
    }
    show_queue(31 * MS, SECOND + 139 * MS); // the cut has to show first
    assert_true(pace.rate == 60e3);
    show_queue(31 * MS, SECOND + 140 * MS);
    assert_true(pace.rate == 36e3);
}

/// Jitter of 60 ms looks like queues of up to twice as much. A player must not wait for long, so
/// there the rate falls; a watcher can.
static void jitter_cuts_the_rate_only_beside_a_match(void **context)
{
    (void)context;
    for (uint32_t i = 0; i < 2; i++) {
        begin();
        pace.config.bears_jitter = i == 1;
        line.deviation_ns = 40e6;
        show_queue(110 * MS, SECOND);
        assert_true(pace.rate == (i == 1 ? 100e3 : 60e3));
    }
    show_queue(140 * MS, 2 * SECOND);
    assert_true(pace.rate == 60e3);
}

static void after_a_pause_it_begins_with_half_of_the_rate(void **context)
{
    (void)context;
    begin();
    bksi_bulk_pace_sent(&pace, 1000, 1, SECOND);
    bksi_bulk_pace_sent(&pace, 1000, 2, 2 * SECOND);
    assert_true(pace.rate == 100e3);
    bksi_bulk_pace_sent(&pace, 1000, 3, 3 * SECOND + 1);
    assert_true(pace.rate == 50e3);
    pace.rate = 4000.0;
    bksi_bulk_pace_sent(&pace, 1000, 4, 5 * SECOND);
    assert_true(pace.rate == 3000.0); // but no less than at the very beginning
}

/// What a probe shows is shared with the match, so its bytes are known: those of the line that are
/// not the stream's.
static void bytes_of_the_match_are_those_that_the_stream_did_not_send(void **context)
{
    (void)context;
    begin();
    bksi_bulk_pace_update(&pace, &line, false, SECOND);
    for (uint64_t i = 1; i <= 10; i++) {
        bksi_line_sent(&line, 2 * i, 1000, 0, SECOND);
        bksi_bulk_pace_sent(&pace, 1000, 2 * i, SECOND);
        bksi_line_sent(&line, 2 * i + 1, 200, 0, SECOND);
    }
    bksi_bulk_pace_update(&pace, &line, false, SECOND + 499 * MS);
    assert_true(pace.others == 0.0); // measured over half a second
    bksi_bulk_pace_update(&pace, &line, false, SECOND + 500 * MS);
    assert_true(pace.others == 4000.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_that_stands_cuts_and_a_deep_one_deeper),
        cmocka_unit_test(jitter_cuts_the_rate_only_beside_a_match),
        cmocka_unit_test(after_a_pause_it_begins_with_half_of_the_rate),
        cmocka_unit_test(bytes_of_the_match_are_those_that_the_stream_did_not_send),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
