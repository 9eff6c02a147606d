// SPDX-License-Identifier: MIT

// Following a recording that grows, on a clock of the test's own.

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli.h"
#include "growing.h"

// Ticks that a follower is behind at first, beyond a chunk: 0.5 s to fetch it, 0.1 s because
// nothing is measured yet, and a tick.
enum { START_TICKS = 37 };

static uint64_t now_ns;
static growing_feed feed;
static watch_player player;

/// Get the tick that the player shows.
static bks_tick place(void)
{
    return bks_playback_tick(player.playback);
}

/// Open the player of the first chunks, and its feed.
/// @return one past the last tick that is there
static bks_tick open_live(bks_tick least)
{
    growing_open(&feed, growing_part(least));
    growing_play(&player, &feed, &now_ns);
    assert_true(feed.feed.is_growing);
    assert_int_equal(player.info->chunk_ticks, CHUNK_TICKS);
    return watch_player_end(&player);
}

/// Open the player as open_live() does, and let it follow the match.
static bks_tick follow_live(bks_tick least)
{
    const bks_tick end = open_live(least);
    watch_player_follow(&player, now_ns);
    return end;
}

/// Let the player go on for a time.
static void pass(uint64_t duration_ns)
{
    growing_pass(&player, &now_ns, duration_ns);
}

static void behind_the_newest_tick_it_waits_and_keeps_the_delay(void **state)
{
    (void)state;
    const bks_tick end = open_live(1);
    assert_int_equal(end, CHUNK_TICKS);
    watch_player_seek(&player, end);
    pass(4 * SECOND_NS);
    assert_true(player.is_waiting);
    assert_true(player.is_following);
    assert_false(watch_player_has_ended(&player));
    feed.wanted = growing_part(end + 1); // the next chunk, in time
    pass(SECOND_NS / 20);
    assert_int_equal(watch_player_end(&player), 2 * CHUNK_TICKS);
    assert_int_equal(place(), end);
    pass(SECOND_NS);
    assert_in_range(place() - end, RATE_HZ - START_TICKS, RATE_HZ);
    assert_int_equal(player.playout.misses, 0); // the user went there
    feed.wanted = growing_count;
    pass(12 * SECOND_NS);
    assert_true(watch_player_has_ended(&player));
    assert_int_equal(place(), TICKS);
    assert_int_equal(player.first_different, BKS_TICK_NONE);
    assert_int_equal(player.compared, TICKS - end);
    growing_close(&player, &feed);
}

static void a_follower_begins_where_the_next_chunk_comes_in_time(void **state)
{
    (void)state;
    const bks_tick end = follow_live(CHUNK_TICKS + 1);
    assert_in_range(place(), end - CHUNK_TICKS - START_TICKS - 1, end - CHUNK_TICKS - START_TICKS);
    pass(4 * SECOND_NS); // a chunk takes as long
    assert_false(player.is_waiting);
    feed.wanted = growing_count - 10;
    pass(SECOND_NS / 2);
    assert_false(player.is_waiting);
    assert_int_equal(player.playout.misses, 0);
    assert_in_range(player.depth_max, CHUNK_TICKS, CHUNK_TICKS + START_TICKS + 1);
    growing_close(&player, &feed);
}

static void an_early_viewer_waits_until_the_delay_is_reached(void **state)
{
    (void)state;
    follow_live(1);
    pass(SECOND_NS / 2);
    assert_int_equal(place(), 0);
    assert_true(player.is_waiting);
    pass(SECOND_NS);
    assert_in_range(place(), 3 * RATE_HZ / 2 - START_TICKS - 1, RATE_HZ);
    assert_int_equal(player.playout.misses, 0);
    growing_close(&player, &feed);
}

/// A follower does not know how old the first chunk is. It learns that when the next one arrives.
static void a_follower_that_began_too_far_behind_catches_up_over_each_tick(void **state)
{
    (void)state;
    const bks_tick end = follow_live(CHUNK_TICKS + 1);
    const bks_tick begun = place();
    feed.wanted = growing_count - 10;
    pass(SECOND_NS / 10);
    const bks_tick came = watch_player_end(&player) - end;
    assert_int_equal(came, TICKS - 2 * CHUNK_TICKS);
    assert_in_range(place() - begun, came - 6, came + 6);
    assert_int_equal(player.counted.count, 1); // none was passed over
    assert_int_equal(player.counted.spans[0].end, place());
    watch_player_seek(&player, 6); // where the user wants to be it stays
    pass(SECOND_NS / 10);
    assert_in_range(place(), 6, 6 + RATE_HZ / 10);
    growing_close(&player, &feed);
}

static void a_chunk_that_is_late_is_missed_once_and_waited_for(void **state)
{
    (void)state;
    const bks_tick end = follow_live(1);
    pass(6 * SECOND_NS);
    assert_int_equal(place(), end);
    assert_true(player.is_waiting);
    assert_int_equal(player.playout.misses, 1);
    feed.wanted = growing_part(end + 1);
    pass(SECOND_NS);
    assert_in_range(place() - end, RATE_HZ - 4, RATE_HZ);
    assert_int_equal(player.playout.misses, 1);
    growing_close(&player, &feed);
}

static void nothing_of_a_running_match_is_missed_while_the_machine_sleeps(void **state)
{
    (void)state;
    follow_live(CHUNK_TICKS + 1);
    const bks_tick begun = place();
    pass(SECOND_NS / 2);
    now_ns += 3 * SECOND_NS;
    for (uint32_t i = 0; i < 1000; i++) { // a call does not do more work than a picture waits for
        watch_player_advance(&player, now_ns);
    }
    assert_in_range(place() - begun, 7 * RATE_HZ / 2 - 1, 7 * RATE_HZ / 2);
    assert_int_equal(player.counted.count, 1); // none was passed over
    player.is_paused = true;                   // as the user wished
    pass(SECOND_NS);
    assert_in_range(place() - begun, 7 * RATE_HZ / 2 - 1, 7 * RATE_HZ / 2);
    player.is_paused = false;
    pass(SECOND_NS / 4);
    assert_false(player.is_following);
    growing_close(&player, &feed);
}

static void before_the_first_chunk_nothing_is_missed(void **state)
{
    (void)state;
    growing_open(&feed, growing_part(0));
    growing_play(&player, &feed, &now_ns);
    assert_int_equal(player.info->chunk_ticks, 0);
    watch_player_follow(&player, now_ns);
    pass(4 * SECOND_NS);
    assert_true(player.is_waiting);
    feed.wanted = growing_part(1);
    pass(SECOND_NS / 2);
    assert_true(player.is_waiting);
    pass(SECOND_NS);
    assert_in_range(place(), RATE_HZ / 2, RATE_HZ);
    assert_int_equal(player.playout.misses, 0);
    growing_close(&player, &feed);
}

static void a_follower_steps_all_ticks_of_a_long_picture(void **state)
{
    (void)state;
    follow_live(CHUNK_TICKS + 1);
    watch_player_advance(&player, now_ns);
    const bks_tick begun = place();
    now_ns += SECOND_NS / 5;
    watch_player_advance(&player, now_ns);
    assert_in_range(place() - begun, 11, 12);
    // A viewer who plays more slowly than the match does not follow it.
    player.speed = -1;
    pass(SECOND_NS);
    assert_false(player.is_following);
    assert_in_range(place() - begun, 41, 43);
    // Arrivals are measured even in a pause.
    player.is_paused = true;
    feed.wanted = growing_count - 10;
    pass(SECOND_NS);
    assert_int_equal(player.playout.newest, player.info->end);
    growing_close(&player, &feed);
}

static void from_the_newest_tick_it_goes_back_to_the_one_that_is_due(void **state)
{
    (void)state;
    const bks_tick end = follow_live(CHUNK_TICKS + 1);
    const bks_tick begun = place();
    watch_player_seek(&player, end);
    pass(SECOND_NS);
    assert_int_equal(place(), end);
    watch_player_follow(&player, now_ns);
    assert_in_range(place() - begun, RATE_HZ - 1, RATE_HZ);
    pass(SECOND_NS);
    assert_in_range(place() - begun, 2 * RATE_HZ - 2, 2 * RATE_HZ);
    growing_close(&player, &feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(behind_the_newest_tick_it_waits_and_keeps_the_delay),
        cmocka_unit_test(a_follower_begins_where_the_next_chunk_comes_in_time),
        cmocka_unit_test(an_early_viewer_waits_until_the_delay_is_reached),
        cmocka_unit_test(a_follower_that_began_too_far_behind_catches_up_over_each_tick),
        cmocka_unit_test(a_chunk_that_is_late_is_missed_once_and_waited_for),
        cmocka_unit_test(nothing_of_a_running_match_is_missed_while_the_machine_sleeps),
        cmocka_unit_test(before_the_first_chunk_nothing_is_missed),
        cmocka_unit_test(a_follower_steps_all_ticks_of_a_long_picture),
        cmocka_unit_test(from_the_newest_tick_it_goes_back_to_the_one_that_is_due),
    };
    return cmocka_run_group_tests(tests, growing_record, cli_teardown);
}
