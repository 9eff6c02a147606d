// SPDX-License-Identifier: MIT

// A game that cannot continue: its save or load fails, or a step says so.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "backstitch/replay.h"
#include "game/some_game.h"
#include "peer/peer_network.h"
#include "support/says.h"

#define TICKS   300
#define PLAYERS 3
#define FIELDS  2

static peer_network network;

/// What player p really does at a tick.
static int32_t truth[TICKS][PLAYERS][FIELDS];

static void draw_truth(void)
{
    for (uint32_t p = 0; p < PLAYERS; p++) {
        bks_monkey monkey;
        assert_int_equal(bks_monkey_init(&monkey, some_fields, FIELDS, 9, p, 1, 12, NULL), BKS_OK);
        bks_source source = bks_monkey_source(&monkey);
        for (bks_tick t = 0; t < TICKS; t++) {
            bks_sample sample = {.tick = t, .player = p, .field_count = FIELDS};
            memset(truth[t][p], 0, sizeof(truth[t][p]));
            source.sample(source.context, &sample, truth[t][p]);
        }
    }
}

/// One peer ended because of its game, and said so; the others played to the end without it.
static void assert_only_one_failed(uint32_t failed, const char *why)
{
    assert_int_equal(network.peers[failed].status, BKS_ERR_GAME);
    assert_int_equal(network.peers[failed].events[BKS_EVENT_FAILED], 1);
    assert_says(network.peers[failed].last[BKS_EVENT_FAILED].text, why);
    for (uint32_t i = 0; i < network.peer_count; i++) {
        if (i == failed) {
            continue;
        }
        assert_int_equal(network.peers[i].status, BKS_OVER);
        assert_int_equal(network.peers[i].events[BKS_EVENT_FAILED], 0);
        assert_int_equal(network.peers[i].events[BKS_EVENT_SILENT], 0); // it said goodbye
        assert_int_equal(network.peers[i].events[BKS_EVENT_LEFT], 1);
        assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
    }
}

/// A peer's recording is whole, says why it ends, and holds what the players did up to there.
static void assert_recorded(uint32_t peer, const char *why, bks_tick *out_ticks)
{
    const memory_sink *record = &network.peers[peer].record;
    bks_replay *replay = NULL;
    bks_error error = {0};
    assert_int_equal(bks_replay_open(record->bytes, record->count, NULL, &replay, &error), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    assert_true(info->is_complete);
    bool is_reported = false;
    for (uint32_t i = 0; i < info->event_count; i++) {
        bks_replay_event event;
        assert_int_equal(bks_replay_event_at(replay, i, &event), BKS_OK);
        if (event.kind == BKS_REPLAY_CLOSED) {
            assert_int_equal(event.a, BKS_CLOSED_FAILED);
            assert_int_equal(event.tick, info->ticks);
            assert_int_equal(event.peer, peer);
            assert_says(event.text, why);
            is_reported = true;
        }
    }
    assert_true(is_reported);
    for (bks_tick t = 0; t < info->ticks; t++) {
        int32_t inputs[PLAYERS][FIELDS];
        assert_int_equal(bks_replay_inputs(replay, t, &inputs[0][0]), BKS_OK);
        assert_memory_equal(inputs, truth[t], sizeof(inputs));
    }
    *out_ticks = info->ticks;
    bks_replay_close(replay);
}

// ---- save and load ----

static bks_game bad_own;
static bks_game good_own;
static uint32_t loads;

static bool load_but_the_20th(void *state, const void *bytes, size_t count_bytes)
{
    return ++loads != 20 && own_load(state, bytes, count_bytes);
}

static void tune_own(bks_peer_config *config, uint32_t peer)
{
    good_own = own_game;
    good_own.players_max = PLAYERS;
    config->game = &good_own;
    config->session.tuning.save = BKS_SAVE_EVERY;
    if (peer != 1) {
        return;
    }
    bad_own = good_own;
    config->game = &bad_own;
}

static void tune_bad_load(bks_peer_config *config, uint32_t peer)
{
    tune_own(config, peer);
    if (peer == 1) {
        bad_own.load = load_but_the_20th;
    }
}

static void a_load_that_fails_ends_the_match_for_its_peer_alone(void **context)
{
    (void)context;
    loads = 0;
    net_create(&network, PLAYERS, tune_bad_load);
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    assert_int_equal(loads, 20);
    assert_only_one_failed(1, "own could not load");
    net_run_until(&network, network.now_ns + 500 * NET_MS);
    assert_int_equal(loads, 20);
    bks_tick ticks = 0;
    assert_recorded(1, "own could not load", &ticks);
    assert_in_range(ticks, 10, TICKS - 1);
    net_destroy(&network);
}

static void tune_small_save(bks_peer_config *config, uint32_t peer)
{
    tune_own(config, peer);
    if (peer != 1) {
        return;
    }
    bad_own.save_bytes_max = 3; // the sum gets to four letters
}

static void a_save_that_finds_no_room_ends_the_match_for_its_peer_alone(void **context)
{
    (void)context;
    net_create(&network, PLAYERS, tune_small_save);
    assert_true(net_run_to_end(&network, 30000 * NET_MS));
    assert_only_one_failed(1, "save of own returned 0, must be 1..3");
    bks_tick ticks = 0;
    assert_recorded(1, "save of own returned 0", &ticks);
    net_destroy(&network);
}

// ---- bks_fail() ----

typedef struct frail_state {
    int64_t x[PLAYERS];
    bool is_broken; ///< a step failed: no other may see it
} frail_state;

static bks_tick fails_at;     ///< whatever the inputs are; BKS_TICK_NONE: nowhere
static bool fails_when_wrong; ///< stepped with what was not done
static const void *bad_state; ///< the only one to fail there; NULL: all do
static uint32_t wrong_steps;

static void frail_init(void *state, const bks_start *start)
{
    (void)start;
    ((frail_state *)state)->x[0] = 1;
}

static void frail_step(void *state, const bks_step *step)
{
    frail_state *frail = state;
    assert_false(frail->is_broken);
    const size_t bytes = (size_t)step->players * step->field_count * sizeof(int32_t);
    const bool is_wrong = step->tick < TICKS && memcmp(step->inputs, truth[step->tick], bytes) != 0;
    for (uint32_t p = 0; p < step->players; p++) {
        frail->x[p] += *(const int32_t *)bks_step_input(step, p);
    }
    wrong_steps += is_wrong;
    if (fails_when_wrong && is_wrong) {
        frail->is_broken = true;
        bks_fail(step, "not enough memory");
        bks_fail(step, "and more of it");
    }
    if (step->tick == fails_at && (bad_state == NULL || state == bad_state)) {
        frail->is_broken = true;
        bks_fail(step, "not enough memory\nfor a script");
    }
}

static uint64_t hashes_of_broken;

static void frail_hash(const void *state, bks_hasher *hasher)
{
    hashes_of_broken += ((const frail_state *)state)->is_broken;
    bks_hash_add(hasher, state, sizeof(frail_state));
}

static const bks_game frail_game = {
    .name = "frail",
    .tick_rate_hz = 60,
    .players_max = PLAYERS,
    .fields = some_fields,
    .field_count = FIELDS,
    .state_bytes = sizeof(frail_state),
    .init = frail_init,
    .step = frail_step,
    .hash = frail_hash,
};

static bks_save_policy policy;
static uint32_t window_ticks;

static void tune_frail(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->game = &frail_game;
    config->session.tuning.save = policy;
    config->session.tuning.window_ticks = window_ticks;
    config->session.tuning.delay_ticks = 1;
}

static void create_frail(bks_save_policy save, uint32_t window)
{
    fails_at = BKS_TICK_NONE;
    fails_when_wrong = false;
    bad_state = NULL;
    wrong_steps = 0;
    hashes_of_broken = 0;
    policy = save;
    window_ticks = window;
    net_create(&network, PLAYERS, tune_frail);
}

static void a_step_that_fails_on_a_guess_is_forgotten_with_it(void **context)
{
    (void)context;
    for (bks_save_policy save = BKS_SAVE_EVERY; save <= BKS_SAVE_AUTO; save++) {
        create_frail(save, 20);
        fails_when_wrong = true;
        network.loss_percent = 20;
        assert_true(net_run_to_end(&network, 60000 * NET_MS));
        assert_true(wrong_steps > 50); // or it says little
        assert_int_equal(hashes_of_broken, 0);
        for (uint32_t i = 0; i < PLAYERS; i++) {
            const frail_state *frail = bks_peer_state(network.peers[i].peer);
            assert_int_equal(network.peers[i].status, BKS_OVER);
            assert_int_equal(network.peers[i].events[BKS_EVENT_FAILED], 0);
            assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
            assert_false(frail->is_broken);
            for (uint32_t p = 0; p < PLAYERS; p++) {
                int64_t x = p == 0;
                for (bks_tick t = 0; t < TICKS; t++) {
                    x += truth[t][p][0];
                }
                assert_int_equal(frail->x[p], x);
            }
        }
        net_destroy(&network);
    }
}

static void a_step_that_fails_in_truth_ends_the_match_at_its_tick(void **context)
{
    (void)context;
    const uint32_t windows[] = {20, 0};
    for (uint32_t i = 0; i < 2; i++) {
        create_frail(BKS_SAVE_AUTO, windows[i]);
        fails_at = 100;
        assert_true(net_run_to_end(&network, 60000 * NET_MS));
        for (uint32_t k = 0; k < PLAYERS; k++) {
            bks_tick ticks = 0;
            assert_int_equal(network.peers[k].status, BKS_ERR_GAME);
            const bks_event *event = &network.peers[k].last[BKS_EVENT_FAILED];
            assert_int_equal(event->tick, 100);
            assert_string_equal(event->text,
                                "the game failed at tick 100: not enough memory?for a script");
            assert_recorded(k, "not enough memory", &ticks);
            assert_int_equal(ticks, 101); // with the inputs that it failed on
        }
        assert_int_equal(hashes_of_broken, 0);
        net_destroy(&network);
    }
}

static void a_step_that_fails_on_one_machine_ends_the_match_there(void **context)
{
    (void)context;
    create_frail(BKS_SAVE_AUTO, 20);
    fails_at = 100;
    bad_state = bks_peer_state(network.peers[0].peer); // the host's
    assert_true(net_run_to_end(&network, 60000 * NET_MS));
    assert_only_one_failed(0, "at tick 100: not enough memory");
    bks_tick ticks = 0;
    assert_recorded(0, "not enough memory", &ticks);
    assert_int_equal(ticks, 101);
    net_destroy(&network);
}

// ---- played again ----

static bks_replay *open_record(uint32_t peer)
{
    const memory_sink *record = &network.peers[peer].record;
    bks_replay *replay = NULL;
    assert_int_equal(bks_replay_open(record->bytes, record->count, NULL, &replay, NULL), BKS_OK);
    return replay;
}

static void a_recording_whose_game_failed_verifies_when_it_fails_there_again(void **context)
{
    (void)context;
    create_frail(BKS_SAVE_AUTO, 20);
    fails_at = 100;
    assert_true(net_run_to_end(&network, 60000 * NET_MS));
    bks_replay *replay = open_record(0);
    bks_playback_config config = {.replay = replay, .game = &frail_game};
    bks_verify_result result;
    bks_error error = {0};
    assert_int_equal(bks_replay_verify(&config, NULL, &result, &error), BKS_OK);
    fails_at = 50;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, &error), BKS_ERR_GAME);
    assert_string_equal(error.text, "the game failed at tick 50: not enough memory\nfor a script");
    config.perspective = BKS_PERSPECTIVE_PLAYER;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, &error), BKS_ERR_GAME);
    assert_says(error.text, "the game failed at tick 50");
    bks_replay_close(replay);
    net_destroy(&network);
}

static void a_playback_stops_where_the_game_fails_and_seeks_back_from_there(void **context)
{
    (void)context;
    create_frail(BKS_SAVE_AUTO, 20);
    assert_true(net_run_to_end(&network, 60000 * NET_MS));
    bks_replay *replay = open_record(0);
    const bks_playback_config config = {.replay = replay, .game = &frail_game};
    bks_playback *playback = NULL;
    bks_error error = {0};
    assert_int_equal(bks_playback_create(&config, &playback, &error), BKS_OK);
    fails_at = 50;
    assert_int_equal(bks_playback_seek(playback, 80, &error), BKS_ERR_GAME);
    assert_says(error.text, "the game failed at tick 50");
    assert_int_equal(bks_playback_tick(playback), 50);
    assert_int_equal(bks_playback_step(playback), BKS_ERR_GAME);
    assert_int_equal(bks_playback_seek(playback, 50, &error), BKS_OK); // not from the broken state
    assert_int_equal(bks_playback_step(playback), BKS_ERR_GAME);
    fails_at = BKS_TICK_NONE;
    assert_int_equal(bks_playback_seek(playback, 80, &error), BKS_OK);
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    net_destroy(&network);
}

static void a_view_that_guesses_forgets_what_fails_on_a_guess(void **context)
{
    (void)context;
    create_frail(BKS_SAVE_AUTO, 20);
    assert_true(net_run_to_end(&network, 60000 * NET_MS));
    bks_replay *replay = open_record(0);
    const bks_playback_config config = {.replay = replay,
                                        .game = &frail_game,
                                        .perspective = BKS_PERSPECTIVE_PLAYER,
                                        .late_ticks = 7};
    bks_verify_result result;
    bks_error error = {0};
    fails_when_wrong = true;
    wrong_steps = 0;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, &error), BKS_OK);
    assert_true(result.is_same && result.compared > 200);
    assert_true(wrong_steps > 50);
    bks_replay_close(replay);
    net_destroy(&network);
}

// ---- names ----

static void recorded_events_are_called_what_the_sessions_are(void **context)
{
    (void)context;
    const struct {
        bks_event_kind live;
        bks_replay_event_kind recorded;
        const char *name;
    } both[] = {{BKS_EVENT_JOINED, BKS_REPLAY_JOINED, "joined"},
                {BKS_EVENT_LEFT, BKS_REPLAY_LEFT, "left"},
                {BKS_EVENT_DESYNC, BKS_REPLAY_DESYNC, "desync"}};
    for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++) {
        assert_string_equal(bks_event_kind_name(both[i].live), both[i].name);
        assert_string_equal(bks_replay_event_kind_name(both[i].recorded), both[i].name);
    }
    for (uint32_t a = 0; a <= BKS_EVENT_SPEED; a++) {
        const char *name = bks_event_kind_name((bks_event_kind)a);
        assert_string_not_equal(name, "unknown");
        for (uint32_t b = 0; b < a; b++) {
            assert_string_not_equal(name, bks_event_kind_name((bks_event_kind)b));
        }
    }
    assert_string_equal(bks_event_kind_name((bks_event_kind)(BKS_EVENT_SPEED + 1)), "unknown");
    assert_string_equal(bks_event_kind_name((bks_event_kind)-1), "unknown");
    assert_string_equal(bks_replay_event_kind_name((bks_replay_event_kind)-1), "unknown");
}

static int set_up(void **context)
{
    (void)context;
    draw_truth();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_that_fails_ends_the_match_for_its_peer_alone),
        cmocka_unit_test(a_save_that_finds_no_room_ends_the_match_for_its_peer_alone),
        cmocka_unit_test(a_step_that_fails_on_a_guess_is_forgotten_with_it),
        cmocka_unit_test(a_step_that_fails_in_truth_ends_the_match_at_its_tick),
        cmocka_unit_test(a_step_that_fails_on_one_machine_ends_the_match_there),
        cmocka_unit_test(a_recording_whose_game_failed_verifies_when_it_fails_there_again),
        cmocka_unit_test(a_playback_stops_where_the_game_fails_and_seeks_back_from_there),
        cmocka_unit_test(a_view_that_guesses_forgets_what_fails_on_a_guess),
        cmocka_unit_test(recorded_events_are_called_what_the_sessions_are),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
