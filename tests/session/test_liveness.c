// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/inputs/liveness.h"
#include "support/catch_log.h"

#define SILENT_MS 100u
#define DROP_MS   1200u

static session_common common;
static session_liveness liveness;

static void begin(void)
{
    common = (session_common){.now_ns = 10 * NS_PER_SECOND};
    common.seats = (session_seats){.all = 0xf, .self = 1};
    common.phase.stage = STAGE_RUNNING;
    bksi_membership_begin(&common.membership, 0, 0, common.seats.all);
    common.config.tick_rate_hz = 60;
    common.config.tuning.notify_after_ms = SILENT_MS;
    common.config.tuning.drop_after_ms = DROP_MS;
    liveness = (session_liveness){0};
    bksi_liveness_init(&liveness, 60);
    bksi_liveness_start(&liveness, &common);
}

static void pass(uint64_t ns)
{
    common.now_ns += ns;
    common.awake_ns += ns;
}

/// An update after some time.
static uint32_t update_after(uint32_t ms, uint32_t awaited)
{
    pass(ms * NS_PER_MS);
    return bksi_liveness_update(&liveness, &common.events, &common, awaited);
}

static void expect_event(bks_event_kind kind, uint32_t peer)
{
    bks_event event;
    assert_true(bksi_events_take(&common.events, &event));
    assert_int_equal(event.kind, kind);
    assert_int_equal(event.peer, peer);
}

static void expect_no_event(void)
{
    bks_event event;
    assert_false(bksi_events_take(&common.events, &event));
}

static void silence_is_reported_once_and_so_is_its_end(void **state)
{
    (void)state;
    begin();
    assert_int_equal(update_after(SILENT_MS - 1, 0x4), 0);
    expect_no_event();
    assert_int_equal(update_after(1, 0x4), 0);
    expect_event(BKS_EVENT_SILENT, 2);
    assert_int_equal(update_after(1, 0x4), 0);
    expect_no_event();
    bksi_liveness_heard(&liveness, &common.events, &common, 2);
    expect_event(BKS_EVENT_BACK, 2);
    bksi_liveness_heard(&liveness, &common.events, &common, 2);
    expect_no_event();
}

static void a_peer_that_is_not_awaited_may_be_silent(void **state)
{
    (void)state;
    begin();
    assert_int_equal(update_after(200, 0x8), 0);
    expect_event(BKS_EVENT_SILENT, 3);
    expect_no_event();
    assert_int_equal(update_after(DROP_MS - 200, 0x8), 0x8);
    bksi_liveness_drop(&liveness, 3);
    assert_false(liveness.peers[3].is_silent);
}

static void while_we_stood_still_no_one_was_silent(void **state)
{
    (void)state;
    begin();
    common.now_ns += 60 * NS_PER_SECOND;
    assert_int_equal(update_after(0, 0x4), 0);
    expect_no_event();
    assert_true(bksi_liveness_is_fine(&liveness, &common, 2));
    assert_int_equal(update_after(DROP_MS, 0x4), 0x4);
}

static void a_lost_peer_is_reported_once_unless_it_was_known(void **state)
{
    (void)state;
    begin();
    (void)update_after(200, 0);
    bksi_liveness_heard(&liveness, &common.events, &common, 3);
    assert_int_equal(bksi_liveness_find_lost(&liveness, &common.events, &common, 0xd, 0), 0);
    (void)update_after(DROP_MS - 200, 0);
    assert_int_equal(bksi_liveness_find_lost(&liveness, &common.events, &common, 0xc, 0x4), 0x4);
    expect_no_event();
    assert_int_equal(bksi_liveness_find_lost(&liveness, &common.events, &common, 0xd, 0x4), 0x5);
    expect_event(BKS_EVENT_LOST, 0);
    assert_int_equal(bksi_liveness_find_lost(&liveness, &common.events, &common, 0xd, 0x4), 0x5);
    expect_no_event();
}

static void a_link_is_fine_while_both_hear(void **state)
{
    (void)state;
    begin();
    assert_true(bksi_liveness_is_fine(&liveness, &common, 2));
    pass(200 * NS_PER_MS); // two gaps of a narrow line
    assert_true(bksi_liveness_is_fine(&liveness, &common, 2));
    pass(1);
    assert_false(bksi_liveness_is_fine(&liveness, &common, 2));
    assert_true(bksi_liveness_silence_ns(&liveness, &common, 2) == 200 * NS_PER_MS + 1);
    bksi_liveness_heard(&liveness, &common.events, &common, 2);
    assert_true(bksi_liveness_is_fine(&liveness, &common, 2));
    bksi_liveness_init(&liveness, 20);
    pass(300 * NS_PER_MS);
    assert_true(bksi_liveness_is_fine(&liveness, &common, 2));
    pass(1);
    assert_false(bksi_liveness_is_fine(&liveness, &common, 2));
    bksi_liveness_greeted(&liveness, &common, 2);
    assert_true(bksi_liveness_is_fine(&liveness, &common, 2));
}

static void echoes_say_whether_we_are_heard(void **state)
{
    (void)state;
    begin();
    const bksi_echo of_nothing = {.hold = BKSI_HOLD_NONE};
    const bksi_echo of_ours = {.hold = 3};
    bksi_liveness_echo(&liveness, &common, 2, &of_nothing);
    assert_false(bksi_liveness_is_fine(&liveness, &common, 2));
    pass(500 * NS_PER_MS);
    bksi_liveness_heard(&liveness, &common.events, &common, 2);
    bksi_liveness_echo(&liveness, &common, 2, &of_ours);
    assert_true(bksi_liveness_is_fine(&liveness, &common, 2));
    pass(NS_PER_SECOND);
    bksi_liveness_heard(&liveness, &common.events, &common, 2);
    bksi_liveness_echo(&liveness, &common, 2, NULL);
    assert_true(bksi_liveness_is_fine(&liveness, &common, 2));
    pass(1);
    bksi_liveness_echo(&liveness, &common, 2, NULL);
    assert_false(bksi_liveness_is_fine(&liveness, &common, 2));
}

static void begin_on_a_slow_line(uint32_t drop_ms, uint32_t trip_ms)
{
    begin();
    common.config.tuning.drop_after_ms = drop_ms;
    bksi_links_measured(&common.links, 2, trip_ms * 1e6);
    bksi_liveness_start(&liveness, &common);
}

static void a_drop_after_too_short_for_the_line_is_raised(void **state)
{
    (void)state;
    begin_on_a_slow_line(100, 150);
    // The first packet of a peer may need a round trip more.
    assert_int_equal(update_after(1299, 0x4), 0);
    assert_int_equal(bksi_liveness_find_lost(&liveness, &common.events, &common, 0x4, 0), 0);
    assert_int_equal(update_after(1, 0x4), 0x4);
    bksi_liveness_heard(&liveness, &common.events, &common, 2);
    assert_int_equal(update_after(574, 0x4), 0);
    assert_int_equal(bksi_liveness_here(&liveness, &common, 0x4), 0x4);
    assert_int_equal(update_after(1, 0x4), 0);
    assert_int_equal(bksi_liveness_here(&liveness, &common, 0x4), 0);
    assert_int_equal(update_after(574, 0x4), 0);
    assert_int_equal(update_after(1, 0x4), 0x4);
    // A line that is not measured may be twice as long as the longest one that is.
    assert_true(bksi_liveness_patience_ns(&liveness, &common, 3) == 1600 * NS_PER_MS);
    begin_on_a_slow_line(1300, 150);
    assert_int_equal(update_after(1299, 0x4), 0);
    assert_int_equal(update_after(1, 0x4), 0x4);
}

/// A match sends a packet for each tick, but at least 20 a second.
static void at_a_low_tick_rate_40_packets_must_be_missing(void **state)
{
    (void)state;
    static const struct {
        uint32_t hz;
        uint32_t needs_ms;
    } rows[] = {{3, 2150}, {20, 2150}, {25, 1750}, {40, 1150}, {120, 1150}};
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        begin_on_a_slow_line(250, 150);
        common.config.tick_rate_hz = rows[row].hz;
        assert_int_equal(bksi_liveness_line_needs_ns(&common, 2) / NS_PER_MS, rows[row].needs_ms);
    }
}

/// A lobby sends 4 packets a second.
static void a_lobby_needs_5_seconds_of_silence(void **state)
{
    (void)state;
    begin();
    common.phase.stage = STAGE_LINKING;
    common.config.tuning.drop_after_ms = 2000;
    bksi_liveness_forget(&liveness, 2);
    bksi_links_measured(&common.links, 2, 150.0 * 1e6);
    assert_true(bksi_liveness_patience_ns(&liveness, &common, 2) == 5 * NS_PER_SECOND);
    catch_log log;
    catch_log_begin(&log);
    for (uint32_t i = 0; i < 2; i++) {
        bksi_liveness_tell_raised(&liveness, &common, 2);
        assert_int_equal(log.count, 1);
    }
    assert_string_equal(log.text, "drop_after_ms is 2000, too short for the line to peer 2, which "
                                  "needs 5000 before the start: that is used");
    // A longer line and a longer drop_after_ms keep their longer patience.
    bksi_links_measured(&common.links, 2, 36000.0 * 1e6);
    assert_true(bksi_liveness_patience_ns(&liveness, &common, 2) > 5 * NS_PER_SECOND);
    common.config.tuning.drop_after_ms = 60000;
    assert_true(bksi_liveness_patience_ns(&liveness, &common, 2) == 60 * NS_PER_SECOND);
    bks_log_clear_sink();
    begin_on_a_slow_line(2000, 150);
    bksi_liveness_heard(&liveness, &common.events, &common, 2);
    assert_true(bksi_liveness_patience_ns(&liveness, &common, 2) == 2 * NS_PER_SECOND);
}

static void a_raised_drop_after_is_said_once_per_peer(void **state)
{
    (void)state;
    catch_log log;
    catch_log_begin(&log);
    begin_on_a_slow_line(1150, 150);
    assert_int_equal(log.count, 2); // peers 0 and 3 are not measured, and count as 300 ms away
    catch_log_begin(&log);
    begin_on_a_slow_line(1300, 150);
    bksi_links_measured(&common.links, 2, 1650.0 * 1e6);
    pass(1299 * NS_PER_MS);
    (void)bksi_liveness_update(&liveness, &common.events, &common, 0x4);
    assert_int_equal(log.count, 0);
    for (uint32_t i = 0; i < 3; i++) {
        pass(NS_PER_MS);
        (void)bksi_liveness_update(&liveness, &common.events, &common, 0x4);
        assert_int_equal(log.count, 1);
    }
    bks_log_clear_sink();
    assert_string_equal(log.id, "session.patience");
    assert_int_equal(log.level, BKS_LOG_WARNING);
    assert_string_equal(log.text, "drop_after_ms is 1300, too short for the line to peer 2, which "
                                  "needs 1338: that is used");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silence_is_reported_once_and_so_is_its_end),
        cmocka_unit_test(a_peer_that_is_not_awaited_may_be_silent),
        cmocka_unit_test(while_we_stood_still_no_one_was_silent),
        cmocka_unit_test(a_lost_peer_is_reported_once_unless_it_was_known),
        cmocka_unit_test(a_link_is_fine_while_both_hear),
        cmocka_unit_test(echoes_say_whether_we_are_heard),
        cmocka_unit_test(a_drop_after_too_short_for_the_line_is_raised),
        cmocka_unit_test(at_a_low_tick_rate_40_packets_must_be_missing),
        cmocka_unit_test(a_lobby_needs_5_seconds_of_silence),
        cmocka_unit_test(a_raised_drop_after_is_said_once_per_peer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
