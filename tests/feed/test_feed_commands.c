// SPDX-License-Identifier: MIT

// A match with commands is watched: large ones, and so many that a source or a watcher is too slow.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/det.h"
#include "backstitch/replay.h"
#include "backstitch/toolkit/recording.h"
#include "feed/feed_match.h"
#include "game/some_game.h"

/// Sizes of two commands of a player. The second begins in the blob of the first's last bytes, so
/// the tick that steps both has as many bytes of commands as it can have.
#define FIRST_BYTES  65535u
#define SECOND_BYTES 32764u

/// Give a command that does not get smaller when it is packed.
static void give(feed_network *network, uint32_t peer, uint32_t player, uint32_t count)
{
    static uint8_t bytes[BKS_COMMAND_BYTES_MAX];
    bks_random random;
    bks_random_seed(&random, player, count);
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)bks_random_below(&random, 256);
    }
    assert_int_equal(bks_peer_command(network->net.peers[peer].peer, player, bytes, count), BKS_OK);
}

/// Return the most bytes of commands that a tick of a recording has.
static size_t most_of(bks_replay *replay)
{
    size_t most = 0;
    const bks_recording *info = bks_replay_info(replay);
    for (bks_tick t = info->first; t < info->end; t++) {
        bks_commands commands[BKS_PLAYERS_MAX];
        bool has_any;
        assert_int_equal(bks_replay_commands(replay, t, commands, &has_any), BKS_OK);
        size_t count = 0;
        for (uint32_t p = 0; has_any && p < info->players; p++) {
            count += commands[p].count;
        }
        most = count > most ? count : most;
    }
    return most;
}

static void the_largest_commands_of_a_tick_reach_a_watcher(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.players_max = BKS_PLAYERS_MAX;
    game.command_bytes_max = BKS_COMMAND_BYTES_MAX;
    bksi_feed_source_config config = feed_config(1);
    config.bytes_per_s = 4000000;
    const feed_match match = {
        .peers = 1, .ticks = 900, .game = &game, .local_players = BKS_PLAYERS_MAX};
    feed_network *network = feed_open_as(&match, &config);
    network->watchers[0].delay_ns = NET_MS;
    feed_come(network, 0);
    feed_run_until(network, 5 * SECOND_NS);
    for (uint32_t p = 1; p < BKS_PLAYERS_MAX; p++) { // the first is a monkey
        give(network, 0, p, FIRST_BYTES);
        give(network, 0, p, SECOND_BYTES);
    }
    feed_run_until(network, 20 * SECOND_NS);
    const feed_watcher *watcher = &network->watchers[0];
    assert_int_equal(watcher->status, BKS_OVER);
    feed_assert_is_true(network, watcher, true);
    assert_int_equal(most_of(watcher->replay),
                     (BKS_PLAYERS_MAX - 1) * (FIRST_BYTES + SECOND_BYTES + 2 * 2));
    feed_close(network);
}

#define SLOW_TICKS 3600

/// Play a match of three, whose commands are 30 kB a second, and watch it from the last.
/// @param bytes_per_s  rates of the sources
static feed_network *watch_slowly(const bks_game *game, const uint32_t bytes_per_s[3])
{
    bksi_feed_source_config config = feed_config(1);
    config.bytes_per_s = bytes_per_s[2];
    const feed_match match = {
        .peers = 3, .at = 2, .ticks = SLOW_TICKS, .window_ticks = 20, .game = game};
    feed_network *network = feed_open_as(&match, &config);
    for (uint32_t i = 0; i < 2; i++) {
        config.bytes_per_s = bytes_per_s[i];
        feed_create(network, i, &config);
    }
    feed_run_until(network, 2 * SECOND_NS);
    feed_come(network, 0);
    for (uint64_t ms = 2000; ms < 75000; ms += 50) {
        feed_run_until(network, ms * NET_MS);
        for (uint32_t i = 0; i < 3 && ms < 59000; i++) {
            give(network, i, 0, 500);
        }
    }
    return network;
}

/// Size of objects that do not get smaller when they are packed, and their number.
#define OBJECT_BYTES 1024u
#define OBJECTS      900u

static void init_large(void *state, const bks_start *start)
{
    some_init(state, start);
    bks_pool *pool =
        bks_pool_create(bks_arena_of(state, sizeof(some_state)), "large", OBJECT_BYTES, OBJECTS);
    bks_random random;
    bks_random_seed(&random, 5, 5);
    void *object;
    while (bks_pool_add(pool, &object) != 0) {
        for (uint32_t i = 0; i < OBJECT_BYTES; i++) {
            ((uint8_t *)object)[i] = (uint8_t)bks_random_below(&random, 256);
        }
    }
}

static bks_game game_with_commands(void)
{
    bks_game game = some_game;
    game.command_bytes_max = 500;
    return game;
}

static void a_watcher_of_a_slow_source_goes_on_with_another_member(void **state)
{
    (void)state;
    const bks_game game = game_with_commands();
    const uint32_t rates[] = {400000, 400000, 8000};
    feed_network *network = watch_slowly(&game, rates);
    const feed_watcher *watcher = &network->watchers[0];
    assert_int_equal(watcher->status, BKS_OVER);
    assert_true(watcher->receiver.continues);
    assert_int_equal(watcher->end, SLOW_TICKS);
    feed_assert_is_true(network, watcher, true);
    feed_close(network);
}

static void a_watcher_that_is_slow_itself_asks_each_member_and_ends(void **state)
{
    (void)state;
    const bks_game game = game_with_commands();
    const uint32_t rates[] = {8000, 8000, 8000}; // as much as the watcher's line takes
    feed_network *network = watch_slowly(&game, rates);
    const feed_watcher *watcher = &network->watchers[0];
    assert_int_equal(watcher->status, BKS_ERR_PEER_LOST);
    assert_int_equal(watcher->receiver.reason, BKSI_FEED_TOO_SLOW);
    assert_true(watcher->receiver.continues);
    feed_assert_is_true(network, watcher, false);
    feed_close(network);
}

static void a_newcomer_that_is_far_behind_after_a_large_state_catches_up(void **state)
{
    (void)state;
    bks_game game = game_with_commands();
    game.configure = feed_configure_large;
    game.init = init_large;
    const uint32_t rates[] = {400000, 400000, 37000};
    feed_network *network = watch_slowly(&game, rates);
    const feed_watcher *watcher = &network->watchers[0];
    assert_int_equal(watcher->status, BKS_OVER);
    const bks_address source = net_address(2);
    assert_true(bks_address_equal(&watcher->receiver.source, &source)); // it went nowhere else
    assert_int_equal(watcher->end, SLOW_TICKS);
    feed_assert_is_true(network, watcher, true);
    feed_close(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_commands_of_a_tick_reach_a_watcher),
        cmocka_unit_test(a_watcher_of_a_slow_source_goes_on_with_another_member),
        cmocka_unit_test(a_watcher_that_is_slow_itself_asks_each_member_and_ends),
        cmocka_unit_test(a_newcomer_that_is_far_behind_after_a_large_state_catches_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
