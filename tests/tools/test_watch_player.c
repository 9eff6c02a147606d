// SPDX-License-Identifier: MIT

// The player on a clock of the test's own, and the scrubber's places.

#define _GNU_SOURCE

#include "watch/watch_player.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/match.h"
#include "base/tool.h"
#include "cli.h"
#include "growing.h"
#include "screen/overlay/scrubber.h"
#include "watch/watch_take.h"
#include "watch/watch_view.h"

static bks_tick place(const watch_player *player)
{
    return bks_playback_tick(player->playback);
}

static void it_goes_as_fast_as_its_speed_says(void **state)
{
    (void)state;
    uint64_t now_ns;
    growing_feed feed;
    watch_player player;
    growing_open(&feed, growing_count);
    growing_play(&player, &feed, &now_ns);
    growing_pass(&player, &now_ns, SECOND_NS);
    assert_in_range(place(&player), 59, 60);
    player.speed = 2;
    growing_pass(&player, &now_ns, SECOND_NS / 2);
    assert_in_range(place(&player), 178, 180);
    player.speed = -3;
    const bks_tick before = place(&player);
    growing_pass(&player, &now_ns, 2 * SECOND_NS);
    assert_in_range(place(&player) - before, 14, 16);
    player.is_paused = true;
    const bks_tick paused = place(&player);
    growing_pass(&player, &now_ns, SECOND_NS);
    assert_int_equal(place(&player), paused);
    // A machine that slept does not make up for it.
    player.is_paused = false;
    player.speed = 0;
    now_ns += 100 * SECOND_NS;
    watch_player_advance(&player, now_ns);
    assert_in_range(place(&player) - paused, 1, RATE_HZ / 4);
    growing_close(&player, &feed);
}

static void any_tick_is_reached_either_way_with_the_state_it_has(void **state)
{
    (void)state;
    uint64_t now_ns;
    growing_feed feed;
    watch_player player;
    growing_open(&feed, growing_count);
    growing_play(&player, &feed, &now_ns);
    static const int64_t ticks[] = {300, 299, 298, 301, 5, 600, 0, 450};
    for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
        watch_player_seek(&player, ticks[i]);
        assert_int_equal(place(&player), ticks[i]);
        assert_true(player.has_hash);
    }
    assert_int_equal(player.first_different, BKS_TICK_NONE);
    assert_int_equal(player.compared, 0); // nothing was played
    watch_player_seek(&player, -1);
    assert_int_equal(place(&player), 0);
    watch_player_seek(&player, INT32_MAX);
    assert_int_equal(place(&player), TICKS);
    assert_true(watch_player_has_ended(&player));
    growing_close(&player, &feed);
}

static void step_slowly(void *context, const bks_step *step)
{
    const uint64_t until_ns = tool_clock_ns(NULL) + 1000000;
    while (tool_clock_ns(NULL) < until_ns) {
    }
    growing_game.game->step(context, step);
}

static void a_far_tick_of_a_slow_game_leaves_time_for_pictures(void **state)
{
    (void)state;
    uint64_t now_ns = SECOND_NS;
    growing_feed feed;
    watch_player player;
    bks_game slow = *growing_game.game;
    slow.step = step_slowly;
    growing_open(&feed, growing_count);
    assert_int_equal(watch_player_open(&player, &feed.feed, &slow, "test", NULL, true), TOOL_OK);
    watch_player_advance(&player, now_ns);
    watch_player_go(&player, TICKS - 1);           // at its end it has a keyframe
    assert_in_range(place(&player), 1, TICKS / 2); // a fifth of a second at most
    assert_int_equal(watch_player_idle_ns(&player), 0);
    uint32_t pictures = 0;
    for (bks_tick before = 0; player.wanted != BKS_TICK_NONE; pictures++) {
        assert_true(place(&player) > before);
        before = place(&player);
        watch_player_advance(&player, now_ns);
    }
    assert_true(pictures > 1);
    assert_int_equal(place(&player), TICKS - 1);
    assert_int_equal(player.compared, 0);
    assert_int_equal(player.first_different, BKS_TICK_NONE);
    watch_player_go(&player, 0);
    assert_int_equal(place(&player), 0);
    growing_close(&player, &feed);
}

static void a_slow_game_is_taken_over_with_time_for_pictures(void **state)
{
    (void)state;
    growing_feed feed;
    bks_game slow = *growing_game.game;
    slow.step = step_slowly;
    growing_open(&feed, growing_count);
    const args_list inputs = {.items = {"*=idle"}, .count = 1};
    watch_take_config config = {
        .game = growing_game, .replay = feed.feed.replay, .tick = TICKS - 1, .inputs = &inputs};
    config.game.game = &slow;
    watch_take *take = NULL;
    assert_int_equal(watch_take_begin(&config, &take), TOOL_OK);
    bool is_there = false;
    uint32_t pictures = 0;
    for (; !is_there; pictures++) {
        const bks_tick before = watch_take_tick(take);
        assert_int_equal(watch_take_catch_up(take, &is_there), TOOL_OK);
        assert_in_range(watch_take_tick(take) - before, 1, TICKS / 2);
    }
    assert_true(pictures > 1);
    assert_int_equal(watch_take_tick(take), TICKS - 1);
    watch_take_end(take);
    bks_replay_close(feed.feed.replay);
}

static void a_hash_counts_once_however_often_it_is_passed(void **state)
{
    (void)state;
    uint64_t now_ns;
    growing_feed feed;
    watch_player player;
    growing_open(&feed, growing_count);
    growing_play(&player, &feed, &now_ns);
    growing_pass(&player, &now_ns, SECOND_NS);
    const bks_tick compared = player.compared;
    assert_int_equal(compared, place(&player));
    watch_player_seek(&player, 0);
    growing_pass(&player, &now_ns, SECOND_NS / 2);
    assert_int_equal(player.compared, compared);
    growing_close(&player, &feed);
}

static void hashes_of_what_was_passed_over_count_when_it_is_played(void **state)
{
    (void)state;
    uint64_t now_ns;
    growing_feed feed;
    watch_player player;
    growing_open(&feed, growing_count);
    growing_play(&player, &feed, &now_ns);
    watch_player_seek(&player, TICKS - 30);
    growing_pass(&player, &now_ns, SECOND_NS);
    assert_int_equal(player.compared, 30);
    watch_player_seek(&player, 0);
    growing_pass(&player, &now_ns, SECOND_NS / 2);
    assert_int_equal(player.compared, 30 + place(&player));
    growing_close(&player, &feed);
}

// The second half of the recording as one of its own.
static void record_half(const char *path)
{
    bks_replay *replay = NULL;
    bks_playback *playback = NULL;
    assert_int_equal(bks_replay_open(growing_bytes, growing_count, NULL, &replay, NULL), BKS_OK);
    const bks_playback_config from = {.replay = replay, .game = growing_game.game};
    assert_int_equal(bks_playback_create(&from, &playback, NULL), BKS_OK);
    assert_int_equal(bks_playback_seek(playback, TICKS / 2, NULL), BKS_OK);
    const size_t most = bks_playback_export(playback, NULL, 0);
    uint8_t *begun = malloc(most);
    assert_non_null(begun);
    bks_match_config config = bks_match_config_default();
    config.game = growing_game.game;
    config.players = config.local_players = bks_replay_info(replay)->players;
    config.seed = bks_replay_info(replay)->seed;
    config.tick_per_update = true;
    config.ticks = TICKS / 2;
    config.start_tick = TICKS / 2;
    config.start_state = begun;
    config.start_state_bytes = bks_playback_export(playback, begun, most);
    config.record_path = path;
    bks_replay_player players[BKS_PLAYERS_MAX];
    for (uint32_t i = 0; i < config.players; i++) {
        assert_int_equal(bks_replay_player_init(&players[i], replay, i, growing_game.game->fields,
                                                growing_game.game->field_count, NULL),
                         BKS_OK);
        config.sources[i] = bks_replay_player_source(&players[i]);
    }
    bks_match *match = NULL;
    assert_int_equal(bks_match_open(&config, &match, NULL), BKS_OK);
    while (bks_match_update(match) == BKS_OK) {
    }
    bks_match_close(match);
    free(begun);
    bks_playback_destroy(playback);
    bks_replay_close(replay);
}

static void a_part_is_taken_over_as_the_whole_is(void **state)
{
    (void)state;
    record_half("half.bks");
    char hashes[2][64];
    const char *const names[] = {"whole", "half"};
    for (size_t i = 0; i < 2; i++) {
        char line[256];
        snprintf(line, sizeof(line),
                 "play duel --take-over %s.bks --from 400 --ticks 460 --input '*=idle' "
                 "--headless --json --record of_%s.bks",
                 names[i], names[i]);
        const cli_run *run = cli(line);
        assert_int_equal(run->status, TOOL_OK);
        cli_value(run->out, "final_hash", hashes[i], sizeof(hashes[i]));
    }
    assert_string_equal(hashes[0], hashes[1]);
    const cli_run *run = cli("replay verify of_half.bks");
    assert_int_equal(run->status, TOOL_OK);
}

static void a_place_on_the_scrubber_is_a_tick(void **state)
{
    (void)state;
    const scrubber line = {.first = 0, .end = 1000};
    const float width = 1000.0F;
    const float height = 700.0F;
    bks_tick found = BKS_TICK_NONE;
    float y = height;
    while (found == BKS_TICK_NONE && y > 0.0F) {
        y -= 1.0F;
        found = scrubber_at(&line, width, height, width / 2.0F, y, false);
    }
    assert_in_range(found, 499, 501);
    assert_true(y > height * 0.8F);
    assert_int_equal(scrubber_at(&line, width, height, 0.0F, y, false), 0);
    assert_int_equal(scrubber_at(&line, width, height, width, y, false), 1000);
    assert_int_equal(scrubber_at(&line, width, height, width / 2.0F, 10.0F, false), BKS_TICK_NONE);
    assert_in_range(scrubber_at(&line, width, height, width / 2.0F, 10.0F, true), 499, 501);
}

static void every_key_that_is_shown_gives_an_order(void **state)
{
    (void)state;
    static const uint8_t keys[] = {' ',       '.',      ',',     '[', ']', KEY_LEFT,
                                   KEY_RIGHT, KEY_HOME, KEY_END, 't', 'q'};
    watch_order order;
    for (size_t i = 0; i < sizeof(keys); i++) {
        assert_true(watch_view_key(keys[i], &order));
    }
    assert_false(watch_view_key('x', &order));
    assert_true(watch_view_key(',', &order));
    assert_int_equal(order.wish, WATCH_WISH_STEP);
    assert_int_equal(order.amount, -1);
}

static void a_tick_that_is_not_recorded_yet_is_waited_for(void **state)
{
    (void)state;
    uint64_t now_ns;
    growing_feed feed;
    watch_player player;
    growing_open(&feed, growing_count * 3 / 4);
    growing_play(&player, &feed, &now_ns);
    watch_player_seek(&player, 10);
    const bks_tick there_are = player.info->end;
    assert_in_range(there_are, 20, TICKS - 100);
    watch_player_wait_for(&player, TICKS - 50);
    growing_pass(&player, &now_ns, SECOND_NS);
    assert_int_equal(place(&player), 10);
    assert_string_equal(player.message, "tick 550 is not recorded yet, waiting");
    feed.wanted = growing_count;
    growing_pass(&player, &now_ns, SECOND_NS / 2);
    assert_in_range(place(&player), TICKS - 50 + 25, TICKS - 50 + 30);
    growing_close(&player, &feed);

    // A viewer that seeks waits no more.
    growing_open(&feed, growing_count * 3 / 4);
    growing_play(&player, &feed, &now_ns);
    watch_player_wait_for(&player, TICKS - 50);
    watch_player_seek(&player, 5);
    feed.wanted = growing_count;
    growing_pass(&player, &now_ns, SECOND_NS / 10);
    assert_in_range(place(&player), 5, 5 + RATE_HZ / 10);
    growing_close(&player, &feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tick_that_is_not_recorded_yet_is_waited_for),
        cmocka_unit_test(it_goes_as_fast_as_its_speed_says),
        cmocka_unit_test(any_tick_is_reached_either_way_with_the_state_it_has),
        cmocka_unit_test(a_far_tick_of_a_slow_game_leaves_time_for_pictures),
        cmocka_unit_test(a_slow_game_is_taken_over_with_time_for_pictures),
        cmocka_unit_test(a_hash_counts_once_however_often_it_is_passed),
        cmocka_unit_test(hashes_of_what_was_passed_over_count_when_it_is_played),
        cmocka_unit_test(a_part_is_taken_over_as_the_whole_is),
        cmocka_unit_test(a_place_on_the_scrubber_is_a_tick),
        cmocka_unit_test(every_key_that_is_shown_gives_an_order),
    };
    return cmocka_run_group_tests(tests, growing_record, cli_teardown);
}
