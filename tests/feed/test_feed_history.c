// SPDX-License-Identifier: MIT

// Matches whose states cannot be sent: they are watched from their first tick.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "feed/feed_match.h"
#include "game/some_game.h"
#include "session/queries.h"

static feed_network *open_match(const bks_game *game, bks_tick ticks)
{
    const bksi_feed_source_config config = feed_config(2);
    const feed_match match = {.peers = 2,
                              .at = 1,
                              .ticks = ticks,
                              .window_ticks = bks_tuning_default().window_ticks,
                              .save = BKS_SAVE_AUTO,
                              .game = game};
    return feed_open_as(&match, &config);
}

static void hash_places(const void *state, bks_hasher *hasher)
{
    const some_state *some = state;
    bks_hash_add(hasher, some->x, sizeof(some->x));
}

static bks_game with_pointers(void)
{
    bks_game game = some_game;
    game.pointers = true;
    game.hash = hash_places;
    return game;
}

static void a_newcomer_gets_the_match_from_its_first_tick(void **state)
{
    (void)state;
    const bks_game game = with_pointers();
    feed_network *network = open_match(&game, 1200);
    feed_watcher *early = &network->watchers[0];
    feed_watcher *late = &network->watchers[1];
    feed_come(network, 0);
    feed_run_until(network, 10 * SECOND_NS);
    feed_come(network, 1);
    feed_run_until(network, 11 * SECOND_NS);
    // The newcomer learns at once how far it has to go.
    assert_in_range(late->receiver.members.newest, 500, 700);
    feed_run_until(network, 30 * SECOND_NS);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(network->watchers[i].status, BKS_OVER);
        feed_assert_is_true(network, &network->watchers[i], true);
        assert_int_equal(bks_replay_info(network->watchers[i].replay)->first, 0);
    }
    assert_int_equal(early->receiver.count, late->receiver.count);
    feed_close(network);
}

static void a_match_that_is_too_long_for_that_says_so(void **state)
{
    (void)state;
    const bks_game game = with_pointers();
    feed_network *network = open_match(&game, 1200);
    feed_come(network, 0);
    feed_run_until(network, 12 * SECOND_NS);
    feed_source(network)->tape.tick_rate_hz = 1; // as if each tick took a second
    feed_come(network, 1);
    feed_run_until(network, 30 * SECOND_NS);
    assert_int_equal(network->watchers[0].status, BKS_OVER); // it came in time
    feed_assert_is_true(network, &network->watchers[0], true);
    assert_int_equal(network->watchers[1].status, BKS_ERR_REFUSED);
    assert_int_equal(network->watchers[1].receiver.reason, BKSI_FEED_TOO_LONG);
    feed_close(network);
}

static bks_status configure_huge(const bks_start *start, size_t *out_state_bytes, bks_error *error)
{
    const bks_status status = some_configure(start, out_state_bytes, error);
    *out_state_bytes = (size_t)(BKSI_FEED_STATE_BYTES_MAX + 4096);
    return status;
}

static void a_state_that_is_too_large_to_be_sent_is_computed(void **state)
{
    (void)state;
    bks_game game = some_game;
    game.configure = configure_huge;
    feed_network *network = open_match(&game, 120);
    feed_run_until(network, 1 * SECOND_NS);
    feed_come(network, 0);
    feed_run_until(network, 5 * SECOND_NS);
    assert_int_equal(network->watchers[0].status, BKS_OVER);
    feed_assert_is_true(network, &network->watchers[0], true);
    assert_int_equal(bks_replay_info(network->watchers[0].replay)->first, 0);
    feed_close(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_newcomer_gets_the_match_from_its_first_tick),
        cmocka_unit_test(a_match_that_is_too_long_for_that_says_so),
        cmocka_unit_test(a_state_that_is_too_large_to_be_sent_is_computed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
