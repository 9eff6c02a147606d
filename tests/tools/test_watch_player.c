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
#include "game/loader.h"
#include "screen/overlay/scrubber.h"
#include "watch/watch_view.h"

// START_TICKS: ticks that a follower is behind at first, beyond a chunk: 0.5 s to fetch it, 0.1 s
// because nothing is measured yet, and a tick.
enum {
    TICKS = 600,
    RATE_HZ = 60,
    BYTES_MAX = 1 << 20,
    CHUNK_TICKS = 4 * RATE_HZ,
    START_TICKS = 37
};

static const uint64_t SECOND_NS = UINT64_C(1000000000);

static uint8_t bytes[BYTES_MAX];
static size_t byte_count;
static loaded_game duel;

/// A feed that gives as much of the file as the test says.
typedef struct test_feed {
    watch_feed feed;
    size_t given;
    size_t wanted;
} test_feed;

static watch_news poll_given(watch_feed *feed, uint64_t now_ns)
{
    (void)now_ns;
    test_feed *f = (test_feed *)feed;
    if (f->wanted == f->given) {
        return WATCH_NEWS_NONE;
    }
    f->given = f->wanted;
    const bks_replay_piece piece = {.bytes = bytes, .count = f->given};
    assert_int_equal(bks_replay_refresh(feed->replay, &piece, 1, NULL), BKS_OK);
    feed->is_growing = f->given < byte_count;
    return WATCH_NEWS_MORE;
}

static void open_feed(test_feed *f, size_t count)
{
    *f = (test_feed){.feed = {.poll = poll_given}, .given = count, .wanted = count};
    const bks_replay_piece piece = {.bytes = bytes, .count = count};
    assert_int_equal(bks_replay_open_growing(&piece, 1, NULL, &f->feed.replay, NULL), BKS_OK);
    f->feed.is_growing = count < byte_count;
}

static int record(void **state)
{
    if (cli_setup(state) != 0 || setenv("BKS_GAME_PATH", BKS_TEST_BINARY_DIR, 1) != 0 ||
        loader_open("duel", &duel) != TOOL_OK ||
        cli("monkey duel --ticks 600 --record whole.bks")->status != TOOL_OK) {
        return -1;
    }
    FILE *file = fopen("whole.bks", "rb");
    byte_count = file != NULL ? fread(bytes, 1, sizeof(bytes), file) : 0;
    return file != NULL ? fclose(file) : -1;
}

static bks_tick place(const watch_player *player)
{
    return bks_playback_tick(player->playback);
}

// So that the work that one call may do never ends it.
static void pass(watch_player *player, uint64_t *now_ns, uint64_t duration_ns)
{
    const uint64_t part_ns = SECOND_NS / 100;
    for (uint64_t passed = 0; passed < duration_ns; passed += part_ns) {
        *now_ns += part_ns;
        watch_player_advance(player, *now_ns);
    }
}

static void open_player(watch_player *player, test_feed *feed, uint64_t *now_ns)
{
    assert_int_equal(watch_player_open(player, &feed->feed, duel.game, "test", NULL, true),
                     TOOL_OK);
    *now_ns = SECOND_NS;
    watch_player_advance(player, *now_ns);
}

static void close_all(watch_player *player, test_feed *feed)
{
    watch_player_close(player);
    bks_replay_close(feed->feed.replay);
}

static void it_goes_as_fast_as_its_speed_says(void **state)
{
    (void)state;
    uint64_t now_ns;
    test_feed feed;
    watch_player player;
    open_feed(&feed, byte_count);
    open_player(&player, &feed, &now_ns);
    pass(&player, &now_ns, SECOND_NS);
    assert_in_range(place(&player), 59, 60);
    player.speed = 2;
    pass(&player, &now_ns, SECOND_NS / 2);
    assert_in_range(place(&player), 178, 180);
    player.speed = -3;
    const bks_tick before = place(&player);
    pass(&player, &now_ns, 2 * SECOND_NS);
    assert_in_range(place(&player) - before, 14, 16);
    player.is_paused = true;
    const bks_tick paused = place(&player);
    pass(&player, &now_ns, SECOND_NS);
    assert_int_equal(place(&player), paused);
    // A machine that slept does not make up for it.
    player.is_paused = false;
    player.speed = 0;
    now_ns += 100 * SECOND_NS;
    watch_player_advance(&player, now_ns);
    assert_in_range(place(&player) - paused, 1, RATE_HZ / 4);
    close_all(&player, &feed);
}

static void any_tick_is_reached_either_way_with_the_state_it_has(void **state)
{
    (void)state;
    uint64_t now_ns;
    test_feed feed;
    watch_player player;
    open_feed(&feed, byte_count);
    open_player(&player, &feed, &now_ns);
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
    close_all(&player, &feed);
}

static void a_hash_counts_once_however_often_it_is_passed(void **state)
{
    (void)state;
    uint64_t now_ns;
    test_feed feed;
    watch_player player;
    open_feed(&feed, byte_count);
    open_player(&player, &feed, &now_ns);
    pass(&player, &now_ns, SECOND_NS);
    const bks_tick compared = player.compared;
    assert_int_equal(compared, place(&player));
    watch_player_seek(&player, 0);
    pass(&player, &now_ns, SECOND_NS / 2);
    assert_int_equal(player.compared, compared);
    close_all(&player, &feed);
}

static void hashes_of_what_was_passed_over_count_when_it_is_played(void **state)
{
    (void)state;
    uint64_t now_ns;
    test_feed feed;
    watch_player player;
    open_feed(&feed, byte_count);
    open_player(&player, &feed, &now_ns);
    watch_player_seek(&player, TICKS - 30);
    pass(&player, &now_ns, SECOND_NS);
    assert_int_equal(player.compared, 30);
    watch_player_seek(&player, 0);
    pass(&player, &now_ns, SECOND_NS / 2);
    assert_int_equal(player.compared, 30 + place(&player));
    close_all(&player, &feed);
}

/// As much of the file as has some ticks appended and many not.
static size_t appended_part(bks_tick least)
{
    for (size_t count = 1000; count < byte_count; count += 20) {
        const bks_replay_piece piece = {.bytes = bytes, .count = count};
        bks_replay *replay = NULL;
        const bks_status status = bks_replay_open_growing(&piece, 1, NULL, &replay, NULL);
        const bks_tick end = status == BKS_OK ? bks_replay_info(replay)->end : 0;
        bks_replay_close(replay);
        if (end >= least) {
            return count;
        }
    }
    return byte_count;
}

/// Open a player of the first chunks, and the feed of it.
/// @return one past the last tick that is there
static bks_tick open_live(watch_player *player, test_feed *feed, bks_tick least, uint64_t *now_ns)
{
    open_feed(feed, appended_part(least));
    open_player(player, feed, now_ns);
    assert_true(feed->feed.is_growing);
    assert_int_equal(player->info->chunk_ticks, CHUNK_TICKS);
    return watch_player_end(player);
}

static void behind_the_newest_tick_it_waits_and_keeps_the_delay(void **state)
{
    (void)state;
    uint64_t now_ns;
    test_feed feed;
    watch_player player;
    const bks_tick end = open_live(&player, &feed, 1, &now_ns);
    assert_int_equal(end, CHUNK_TICKS);
    watch_player_seek(&player, end);
    pass(&player, &now_ns, 4 * SECOND_NS);
    assert_true(player.is_waiting);
    assert_true(player.is_following);
    assert_false(watch_player_has_ended(&player));
    feed.wanted = appended_part(end + 1); // the next chunk, in time
    pass(&player, &now_ns, SECOND_NS / 20);
    assert_int_equal(watch_player_end(&player), 2 * CHUNK_TICKS);
    assert_int_equal(place(&player), end);
    pass(&player, &now_ns, SECOND_NS);
    assert_in_range(place(&player) - end, RATE_HZ - START_TICKS, RATE_HZ);
    assert_int_equal(player.playout.misses, 0); // the user went there
    feed.wanted = byte_count;
    pass(&player, &now_ns, 12 * SECOND_NS);
    assert_true(watch_player_has_ended(&player));
    assert_int_equal(place(&player), TICKS);
    assert_int_equal(player.first_different, BKS_TICK_NONE);
    assert_int_equal(player.compared, TICKS - end);
    close_all(&player, &feed);
}

// The second half of the recording as one of its own.
static void record_half(const char *path)
{
    bks_replay *replay = NULL;
    bks_playback *playback = NULL;
    assert_int_equal(bks_replay_open(bytes, byte_count, NULL, &replay, NULL), BKS_OK);
    const bks_playback_config from = {.replay = replay, .game = duel.game};
    assert_int_equal(bks_playback_create(&from, &playback, NULL), BKS_OK);
    assert_int_equal(bks_playback_seek(playback, TICKS / 2, NULL), BKS_OK);
    const size_t most = bks_playback_export(playback, NULL, 0);
    uint8_t *begun = malloc(most);
    assert_non_null(begun);
    bks_match_config config = bks_match_config_default();
    config.game = duel.game;
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
        assert_int_equal(bks_replay_player_init(&players[i], replay, i, duel.game->fields,
                                                duel.game->field_count, NULL),
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
                 "play duel --watch %s.bks --take-over 400 --ticks 460 --input '*=idle' "
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

static void a_follower_begins_where_the_next_chunk_comes_in_time(void **state)
{
    (void)state;
    uint64_t now_ns;
    test_feed feed;
    watch_player player;
    const bks_tick end = open_live(&player, &feed, CHUNK_TICKS + 1, &now_ns);
    watch_player_follow(&player, now_ns);
    assert_in_range(place(&player), end - CHUNK_TICKS - START_TICKS - 1,
                    end - CHUNK_TICKS - START_TICKS);
    pass(&player, &now_ns, 4 * SECOND_NS); // a chunk takes as long
    assert_false(player.is_waiting);
    feed.wanted = byte_count - 10;
    pass(&player, &now_ns, SECOND_NS / 2);
    assert_false(player.is_waiting);
    assert_int_equal(player.playout.misses, 0);
    assert_in_range(player.depth_max, CHUNK_TICKS, CHUNK_TICKS + START_TICKS + 1);
    close_all(&player, &feed);
}

static void an_early_viewer_waits_until_the_delay_is_reached(void **state)
{
    (void)state;
    uint64_t now_ns;
    test_feed feed;
    watch_player player;
    open_live(&player, &feed, 1, &now_ns);
    watch_player_follow(&player, now_ns);
    pass(&player, &now_ns, SECOND_NS / 2);
    assert_int_equal(place(&player), 0);
    assert_true(player.is_waiting);
    pass(&player, &now_ns, SECOND_NS);
    assert_in_range(place(&player), 3 * RATE_HZ / 2 - START_TICKS - 1, RATE_HZ);
    assert_int_equal(player.playout.misses, 0);
    close_all(&player, &feed);
}

/// Its first chunk came just before it began, or long before: the next one says.
static void a_follower_that_began_too_far_behind_catches_up_over_each_tick(void **state)
{
    (void)state;
    uint64_t now_ns;
    test_feed feed;
    watch_player player;
    const bks_tick end = open_live(&player, &feed, CHUNK_TICKS + 1, &now_ns);
    watch_player_follow(&player, now_ns);
    const bks_tick begun = place(&player);
    feed.wanted = byte_count - 10;
    pass(&player, &now_ns, SECOND_NS / 10);
    const bks_tick came = watch_player_end(&player) - end;
    assert_int_equal(came, TICKS - 2 * CHUNK_TICKS);
    assert_in_range(place(&player) - begun, came - 6, came + 6);
    assert_int_equal(player.counted.count, 1); // none was passed over
    assert_int_equal(player.counted.spans[0].end, place(&player));
    watch_player_seek(&player, 6); // where the user wants to be it stays
    pass(&player, &now_ns, SECOND_NS / 10);
    assert_in_range(place(&player), 6, 6 + RATE_HZ / 10);
    close_all(&player, &feed);
}

static void a_chunk_that_is_late_is_missed_once_and_waited_for(void **state)
{
    (void)state;
    uint64_t now_ns;
    test_feed feed;
    watch_player player;
    const bks_tick end = open_live(&player, &feed, 1, &now_ns);
    watch_player_follow(&player, now_ns);
    pass(&player, &now_ns, 6 * SECOND_NS);
    assert_int_equal(place(&player), end);
    assert_true(player.is_waiting);
    assert_int_equal(player.playout.misses, 1);
    feed.wanted = appended_part(end + 1);
    pass(&player, &now_ns, SECOND_NS);
    assert_in_range(place(&player) - end, RATE_HZ - 4, RATE_HZ);
    assert_int_equal(player.playout.misses, 1);
    close_all(&player, &feed);
}

static void nothing_of_a_running_match_is_missed_while_the_machine_sleeps(void **state)
{
    (void)state;
    uint64_t now_ns;
    test_feed feed;
    watch_player player;
    open_live(&player, &feed, CHUNK_TICKS + 1, &now_ns);
    watch_player_follow(&player, now_ns);
    const bks_tick begun = place(&player);
    pass(&player, &now_ns, SECOND_NS / 2);
    now_ns += 3 * SECOND_NS;
    for (uint32_t i = 0; i < 1000; i++) { // a call does not do more work than a picture waits for
        watch_player_advance(&player, now_ns);
    }
    assert_in_range(place(&player) - begun, 7 * RATE_HZ / 2 - 1, 7 * RATE_HZ / 2);
    assert_int_equal(player.counted.count, 1); // none was passed over
    player.is_paused = true;                   // as the user wished
    pass(&player, &now_ns, SECOND_NS);
    assert_in_range(place(&player) - begun, 7 * RATE_HZ / 2 - 1, 7 * RATE_HZ / 2);
    player.is_paused = false;
    pass(&player, &now_ns, SECOND_NS / 4);
    assert_false(player.is_following);
    close_all(&player, &feed);
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
    test_feed feed;
    watch_player player;
    open_feed(&feed, byte_count * 3 / 4);
    open_player(&player, &feed, &now_ns);
    watch_player_seek(&player, 10);
    const bks_tick there_are = player.info->end;
    assert_in_range(there_are, 20, TICKS - 100);
    watch_player_wait_for(&player, TICKS - 50);
    pass(&player, &now_ns, SECOND_NS);
    assert_int_equal(place(&player), 10);
    assert_string_equal(player.message, "tick 550 is not recorded yet, waiting");
    feed.wanted = byte_count;
    pass(&player, &now_ns, SECOND_NS / 2);
    assert_in_range(place(&player), TICKS - 50 + 25, TICKS - 50 + 30);
    close_all(&player, &feed);

    // A viewer that seeks waits no more.
    open_feed(&feed, byte_count * 3 / 4);
    open_player(&player, &feed, &now_ns);
    watch_player_wait_for(&player, TICKS - 50);
    watch_player_seek(&player, 5);
    feed.wanted = byte_count;
    pass(&player, &now_ns, SECOND_NS / 10);
    assert_in_range(place(&player), 5, 5 + RATE_HZ / 10);
    close_all(&player, &feed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tick_that_is_not_recorded_yet_is_waited_for),
        cmocka_unit_test(it_goes_as_fast_as_its_speed_says),
        cmocka_unit_test(any_tick_is_reached_either_way_with_the_state_it_has),
        cmocka_unit_test(a_hash_counts_once_however_often_it_is_passed),
        cmocka_unit_test(hashes_of_what_was_passed_over_count_when_it_is_played),
        cmocka_unit_test(behind_the_newest_tick_it_waits_and_keeps_the_delay),
        cmocka_unit_test(a_part_is_taken_over_as_the_whole_is),
        cmocka_unit_test(a_follower_begins_where_the_next_chunk_comes_in_time),
        cmocka_unit_test(an_early_viewer_waits_until_the_delay_is_reached),
        cmocka_unit_test(a_follower_that_began_too_far_behind_catches_up_over_each_tick),
        cmocka_unit_test(a_chunk_that_is_late_is_missed_once_and_waited_for),
        cmocka_unit_test(nothing_of_a_running_match_is_missed_while_the_machine_sleeps),
        cmocka_unit_test(a_place_on_the_scrubber_is_a_tick),
        cmocka_unit_test(every_key_that_is_shown_gives_an_order),
    };
    return cmocka_run_group_tests(tests, record, cli_teardown);
}
