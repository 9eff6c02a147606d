// SPDX-License-Identifier: MIT

// Watchers that serve on what they watch, through the public face, over the loopback address.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/replay.h"
#include "backstitch/session.h"
#include "match/some_match.h"

/// Turns that no test needs. A machine that is busy with other work may need many.
#define PATIENCE 10000000

#define FEEDS_MAX 7
#define TICKS     2000

/// A match of two, and those who watch it: feeds that are NULL are not there.
typedef struct company {
    bks_tick ticks;       ///< of the match, 0: TICKS
    bool has_no_guest;    ///< it waits for its guest
    const bks_game *game; ///< of the match, NULL: some_game
    bks_match *host;
    bks_match *guest;
    bks_feed *feeds[FEEDS_MAX];
    bks_status status[FEEDS_MAX];
    bool is_over; ///< a match has ended
} company;

static bks_match_config config_of(const company *all)
{
    bks_match_config config = some_config();
    config.game = all->game;
    config.ticks = all->ticks;
    return config;
}

/// @param watchers  watchers that the guest takes
static void open_guest(company *all, uint32_t watchers)
{
    bks_match_config config = config_of(all);
    config.watchers = watchers;
    config.invitation = bks_match_invitation(all->host);
    all->guest = some_open(&config);
}

/// @param of_guest  watchers that the guest takes
static void open_match(company *all, uint32_t of_guest)
{
    all->game = all->game != NULL ? all->game : &some_game;
    all->ticks = all->ticks > 0 ? all->ticks : TICKS;
    bks_match_config config = config_of(all);
    config.watchers = 1;
    all->host = some_open(&config);
    if (!all->has_no_guest) {
        open_guest(all, of_guest);
    }
}

/// Open a feed of what somebody else has: an invitation, or with NULL that of the feed before.
static void open_feed(company *all, size_t at, const char *invitation, const bks_game *game)
{
    const bks_feed_config config = {
        .invitation = invitation != NULL ? invitation : bks_feed_invitation(all->feeds[at - 1]),
        .timeout_ms = 5000,
        .serve_address = game != NULL ? "127.0.0.1:0" : NULL,
        .game = game};
    bks_error error = {0};
    if (bks_feed_open(&config, &all->feeds[at], &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
}

static void turn(company *all)
{
    bks_match *matches[] = {all->host, all->guest};
    for (size_t i = 0; i < 2; i++) {
        if (matches[i] != NULL) {
            if (!all->is_over) { // else there is nothing that it waits for
                (void)bks_match_wait(matches[i]);
            }
            all->is_over |= bks_match_update(matches[i]) != BKS_OK;
        }
    }
    for (size_t i = 0; i < FEEDS_MAX; i++) {
        all->status[i] = all->feeds[i] != NULL ? bks_feed_update(all->feeds[i]) : BKS_OK;
    }
}

static void close_feed(company *all, size_t at)
{
    bks_feed_close(all->feeds[at]);
    all->feeds[at] = NULL;
}

static void close_all(company *all)
{
    for (size_t i = FEEDS_MAX; i > 0; i--) {
        close_feed(all, i - 1);
    }
    bks_match_close(all->guest);
    bks_match_close(all->host);
}

static void wait_for_first_bytes(company *all, size_t at)
{
    size_t count = 0;
    for (int i = 0; i < PATIENCE && count == 0; i++) {
        turn(all);
        (void)bks_feed_bytes(all->feeds[at], &count);
    }
    assert_true(count > 0);
}

static void wait_for_end(company *all, size_t at)
{
    for (int i = 0; i < PATIENCE && all->status[at] == BKS_OK; i++) {
        turn(all);
    }
}

/// Check that a feed has the match to its end, with the states that the host has.
/// @return first tick of the recording
static bks_tick assert_whole(const company *all, size_t at)
{
    size_t count = 0;
    const void *bytes = bks_feed_bytes(all->feeds[at], &count);
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(bytes, count, NULL, &replay, NULL), BKS_OK);
    assert_true(bks_replay_info(replay)->is_complete);
    assert_int_equal(bks_replay_info(replay)->end, all->ticks);
    const bks_tick first = bks_replay_info(replay)->first;
    const bks_playback_config config = {.replay = replay, .game = all->game};
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
    bks_tick tick = 0;
    const uint64_t wanted = some_final_hash(all->host, &tick);
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    assert_int_equal(bks_playback_seek(playback, all->ticks, NULL), BKS_OK);
    assert_int_equal(bks_playback_hash(playback), wanted);
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    return first;
}

static void four_relays_in_a_row_pass_a_match_on_to_its_end(void **state)
{
    (void)state;
    company all = {0};
    open_match(&all, 2);
    open_feed(&all, 0, bks_match_invitation(all.host), &some_game);
    assert_non_null(strstr(bks_feed_invitation(all.feeds[0]), "/watch#"));
    for (size_t i = 1; i < 5; i++) {
        open_feed(&all, i, NULL, i < 4 ? &some_game : NULL);
    }
    assert_string_equal(bks_feed_invitation(all.feeds[4]), "");
    wait_for_end(&all, 4);
    assert_int_equal(all.status[4], BKS_OVER);
    (void)assert_whole(&all, 4);
    close_all(&all);
}

static void a_fifth_relay_in_a_row_sends_its_watchers_nearer_to_the_match(void **state)
{
    (void)state;
    company all = {0};
    open_match(&all, 0);
    open_feed(&all, 0, bks_match_invitation(all.host), &some_game);
    for (size_t i = 1; i < 5; i++) {
        open_feed(&all, i, NULL, &some_game);
    }
    wait_for_first_bytes(&all, 4);
    open_feed(&all, 5, NULL, NULL); // the players have no place: it is served by the fourth
    wait_for_end(&all, 5);
    assert_int_equal(all.status[5], BKS_OVER);
    (void)assert_whole(&all, 5);
    close_all(&all);
}

static void a_newcomer_begins_with_a_late_state_of_the_relay(void **state)
{
    (void)state;
    company all = {0};
    open_match(&all, 2);
    open_feed(&all, 0, bks_match_invitation(all.host), &some_game);
    wait_for_first_bytes(&all, 0);
    for (bks_tick tick = 0; tick < TICKS / 2;) {
        turn(&all);
        tick = bks_session_confirmed(bks_peer_session(bks_match_peer(all.host)));
    }
    open_feed(&all, 1, NULL, NULL);
    wait_for_end(&all, 1);
    assert_int_equal(all.status[1], BKS_OVER);
    assert_in_range(assert_whole(&all, 1), TICKS / 4, TICKS);
    close_all(&all);
}

static void a_watcher_whose_relay_is_closed_goes_on_with_a_member(void **state)
{
    (void)state;
    company all = {0};
    open_match(&all, 2);
    open_feed(&all, 0, bks_match_invitation(all.host), &some_game);
    open_feed(&all, 1, NULL, NULL);
    wait_for_first_bytes(&all, 1);
    close_feed(&all, 0);
    wait_for_end(&all, 1);
    assert_int_equal(all.status[1], BKS_OVER);
    (void)assert_whole(&all, 1);
    close_all(&all);
}

static void other_step(void *state, const bks_step *step)
{
    some_game.step(state, step);
    ((some_state *)state)->mixed++;
}

static void run_to(company *all, bks_tick wanted)
{
    for (bks_tick tick = 0; tick < wanted;) {
        turn(all);
        tick = bks_session_confirmed(bks_peer_session(bks_match_peer(all->host)));
    }
}

static void a_relay_with_another_game_gives_no_wrong_state(void **state)
{
    (void)state;
    company all = {0};
    bks_game other = some_game;
    other.step = other_step;
    open_match(&all, 2);
    open_feed(&all, 0, bks_match_invitation(all.host), &other);
    run_to(&all, TICKS / 2);
    open_feed(&all, 1, NULL, NULL);
    wait_for_end(&all, 1);
    assert_int_equal(all.status[1], BKS_OVER); // the guest serves it
    (void)assert_whole(&all, 1);
    wait_for_end(&all, 0);
    assert_int_equal(all.status[0], BKS_OVER); // what the relay itself watches is right
    close_all(&all);
}

static void a_relay_with_another_game_refuses_newcomers_after_the_end(void **state)
{
    (void)state;
    company all = {0};
    bks_game other = some_game;
    other.step = other_step;
    open_match(&all, 0);
    open_feed(&all, 0, bks_match_invitation(all.host), &other);
    wait_for_end(&all, 0);
    open_feed(&all, 1, NULL, NULL);
    wait_for_end(&all, 1);
    assert_int_equal(all.status[1], BKS_ERR_REFUSED);
    close_all(&all);
}

static void a_relay_that_has_another_game_sends_its_watchers_to_the_match(void **state)
{
    (void)state;
    company all = {0};
    bks_game other = some_game;
    other.name = "other";
    open_match(&all, 2);
    open_feed(&all, 0, bks_match_invitation(all.host), &other);
    open_feed(&all, 1, NULL, NULL); // waits before the relay knows what is played
    wait_for_end(&all, 1);
    assert_int_equal(all.status[1], BKS_OVER);
    (void)assert_whole(&all, 1);
    close_all(&all);
}

static void those_who_wait_at_a_relay_that_is_refused_are_refused(void **state)
{
    (void)state;
    company all = {0};
    open_match(&all, 0);
    open_feed(&all, 0, bks_match_invitation(all.host), NULL);
    wait_for_first_bytes(&all, 0);
    open_feed(&all, 1, bks_match_invitation(all.host), &some_game); // all places are taken
    open_feed(&all, 2, NULL, NULL);
    wait_for_end(&all, 2);
    assert_int_equal(all.status[1], BKS_ERR_REFUSED);
    assert_int_equal(all.status[2], BKS_ERR_REFUSED);
    close_all(&all);
}

/// Let a process stand still: the feeds are not updated meanwhile.
static void stand_still(company *all, size_t at, uint64_t ms)
{
    bks_feed *feed = all->feeds[at];
    all->feeds[at] = NULL;
    for (const uint64_t until_ns = some_clock_ns() + ms * SOME_MS; some_clock_ns() < until_ns;) {
        turn(all);
    }
    all->feeds[at] = feed;
}

static void a_watcher_and_a_relay_that_stood_still_go_on_with_their_only_source(void **state)
{
    (void)state;
    for (size_t still = 0; still < 2; still++) {
        company all = {.ticks = 5000};
        open_match(&all, 0);
        open_feed(&all, 0, bks_match_invitation(all.host), &some_game);
        open_feed(&all, 1, NULL, NULL);
        wait_for_first_bytes(&all, 1);
        stand_still(&all, still, 6500); // the source gives up one that is silent for 5 s
        wait_for_end(&all, 1);
        assert_int_equal(all.status[1], BKS_OVER);
        (void)assert_whole(&all, 1);
        close_all(&all);
    }
}

static void a_watcher_of_a_relay_that_is_closed_before_the_start_asks_the_match(void **state)
{
    (void)state;
    company all = {.has_no_guest = true};
    open_match(&all, 1);
    open_feed(&all, 0, bks_match_invitation(all.host), &some_game);
    open_feed(&all, 1, NULL, NULL);
    for (const uint64_t until_ns = some_clock_ns() + 1500 * SOME_MS; some_clock_ns() < until_ns;) {
        turn(&all);
    }
    assert_string_equal(bks_feed_text(all.feeds[1]), "waiting for the first state");
    close_feed(&all, 0);
    open_guest(&all, 1);
    wait_for_end(&all, 1);
    assert_int_equal(all.status[1], BKS_OVER);
    (void)assert_whole(&all, 1);
    close_all(&all);
}

static void a_newcomer_at_a_relay_gets_the_end_of_a_match_that_is_over(void **state)
{
    (void)state;
    company all = {0};
    open_match(&all, 0);
    open_feed(&all, 0, bks_match_invitation(all.host), &some_game);
    wait_for_end(&all, 0);
    open_feed(&all, 1, NULL, NULL);
    wait_for_end(&all, 1);
    assert_int_equal(all.status[1], BKS_OVER);
    (void)assert_whole(&all, 1);
    close_all(&all);
}

static void slow_step(void *state, const bks_step *step)
{
    some_game.step(state, step);
    const uint64_t until_ns = some_clock_ns() + 20 * SOME_MS;
    while (some_clock_ns() < until_ns) {
    }
}

static void a_relay_that_cannot_keep_up_sends_newcomers_on(void **state)
{
    (void)state;
    company all = {.ticks = 4500};
    bks_game slow = some_game;
    slow.step = slow_step;
    open_match(&all, 1);
    open_feed(&all, 0, bks_match_invitation(all.host), &slow);
    for (bks_tick tick = 0; tick < 3500;) { // it is more than 5 s behind then
        turn(&all);
        tick = bks_session_confirmed(bks_peer_session(bks_match_peer(all.host)));
    }
    open_feed(&all, 1, NULL, NULL);
    wait_for_end(&all, 1);
    assert_int_equal(all.status[1], BKS_OVER);
    (void)assert_whole(&all, 1);
    close_all(&all);
}

static void hash_all(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(some_state));
}

static void a_match_whose_states_cannot_be_sent_is_passed_on_from_its_first_tick(void **state)
{
    (void)state;
    company all = {0};
    bks_game game = some_game;
    game.pointers = true;
    game.hash = hash_all;
    all.game = &game;
    open_match(&all, 0);
    open_feed(&all, 0, bks_match_invitation(all.host), &game);
    for (bks_tick tick = 0; tick < TICKS / 4;) {
        turn(&all);
        tick = bks_session_confirmed(bks_peer_session(bks_match_peer(all.host)));
    }
    open_feed(&all, 1, NULL, NULL);
    wait_for_end(&all, 1);
    assert_int_equal(all.status[1], BKS_OVER);
    assert_int_equal(assert_whole(&all, 1), 0);
    close_all(&all);
}

static void a_relay_without_a_game_is_refused_by_name(void **state)
{
    (void)state;
    company all = {0};
    open_match(&all, 2);
    const struct {
        const char *address;
        const bks_game *game;
        uint32_t rate;
        const char *field;
    } wrong[] = {{"127.0.0.1:0", NULL, 0, "game"},
                 {"here", &some_game, 0, "serve_address"},
                 {"127.0.0.1:0", &some_game, 999, "serve_bytes_per_s"},
                 {"127.0.0.1:0", &some_game, 12500001, "serve_bytes_per_s"}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const bks_feed_config config = {.invitation = bks_match_invitation(all.host),
                                        .serve_address = wrong[i].address,
                                        .game = wrong[i].game,
                                        .serve_bytes_per_s = wrong[i].rate};
        bks_error error = {0};
        assert_int_equal(bks_feed_open(&config, &all.feeds[0], &error), BKS_ERR_BAD_CONFIG);
        assert_null(all.feeds[0]);
        assert_string_equal(error.field, wrong[i].field);
    }
    const bks_feed_config huge = {.invitation = bks_match_invitation(all.host),
                                  .bytes_max = ((size_t)1 << 30) + 1};
    bks_error error = {0};
    assert_int_equal(bks_feed_open(&huge, &all.feeds[0], &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "bytes_max");
    close_all(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_relays_in_a_row_pass_a_match_on_to_its_end),
        cmocka_unit_test(a_fifth_relay_in_a_row_sends_its_watchers_nearer_to_the_match),
        cmocka_unit_test(a_newcomer_begins_with_a_late_state_of_the_relay),
        cmocka_unit_test(a_watcher_whose_relay_is_closed_goes_on_with_a_member),
        cmocka_unit_test(a_relay_with_another_game_gives_no_wrong_state),
        cmocka_unit_test(a_relay_with_another_game_refuses_newcomers_after_the_end),
        cmocka_unit_test(a_relay_that_has_another_game_sends_its_watchers_to_the_match),
        cmocka_unit_test(those_who_wait_at_a_relay_that_is_refused_are_refused),
        cmocka_unit_test(a_watcher_and_a_relay_that_stood_still_go_on_with_their_only_source),
        cmocka_unit_test(a_watcher_of_a_relay_that_is_closed_before_the_start_asks_the_match),
        cmocka_unit_test(a_newcomer_at_a_relay_gets_the_end_of_a_match_that_is_over),
        cmocka_unit_test(a_relay_that_cannot_keep_up_sends_newcomers_on),
        cmocka_unit_test(a_match_whose_states_cannot_be_sent_is_passed_on_from_its_first_tick),
        cmocka_unit_test(a_relay_without_a_game_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
