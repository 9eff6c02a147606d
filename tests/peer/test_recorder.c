// SPDX-License-Identifier: MIT

// A match into a recording while it happens.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "peer/peer_inspect.h"
#include "peer/some_records.h"
#include "support/catch_log.h"

#define TICKS 300

static void assert_verifies(bks_replay *replay)
{
    const bks_playback_config config = {.replay = replay, .game = &some_game};
    bks_verify_result result;
    bks_error error = {0};
    if (bks_replay_verify(&config, NULL, &result, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    assert_true(result.is_same);
    assert_int_equal(result.stepped, bks_replay_info(replay)->confirmed);
    assert_true(result.compared >= bks_replay_info(replay)->confirmed);
    assert_int_equal(result.keyframes, bks_replay_info(replay)->keyframes);
}

static void assert_same_inputs(bks_replay *a, bks_replay *b, bks_tick ticks, uint32_t players)
{
    for (bks_tick t = 0; t < ticks; t++) {
        int32_t of_a[2 * NET_PEERS_MAX];
        int32_t of_b[2 * NET_PEERS_MAX];
        assert_int_equal(bks_replay_inputs(a, t, of_a), BKS_OK);
        assert_int_equal(bks_replay_inputs(b, t, of_b), BKS_OK);
        assert_memory_equal(of_a, of_b, players * 2 * sizeof(int32_t));
    }
}

/// What player `player`'s monkey plays: asked anew, apart from the match.
static void assert_monkeys_inputs(bks_replay *replay, bks_tick ticks, uint32_t players)
{
    for (uint32_t p = 0; p < players; p++) {
        bks_monkey monkey;
        assert_int_equal(bks_monkey_init(&monkey, some_fields, 2, 9, p, 1, 12, NULL), BKS_OK);
        bks_source source = bks_monkey_source(&monkey);
        for (bks_tick t = 0; t < ticks; t++) {
            bks_sample sample = {.tick = t, .player = p, .field_count = 2};
            int32_t wanted[2] = {0};
            int32_t values[2 * NET_PEERS_MAX];
            source.sample(source.context, &sample, wanted);
            assert_int_equal(bks_replay_inputs(replay, t, values), BKS_OK);
            assert_memory_equal(values + (size_t)p * 2, wanted, sizeof(wanted));
        }
    }
}

static void every_tick_is_recorded_with_its_inputs_and_hash(void **context)
{
    (void)context;
    net_create(&network, 3, NULL);
    network.loss_percent = 10;
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_replay *replays[3];
    for (uint32_t i = 0; i < 3; i++) {
        replays[i] = open_record(i);
        const bks_recording *info = bks_replay_info(replays[i]);
        assert_int_equal(info->ticks, TICKS);
        assert_int_equal(info->confirmed, TICKS);
        assert_true(info->is_complete);
        assert_int_equal(info->ending, BKS_REPLAY_COMPLETE);
        assert_string_equal(info->game, "some");
        assert_string_equal(info->build, "test");
        assert_int_equal(info->players, 3);
        assert_int_equal(info->tick_rate_hz, 60);
        assert_true(info->seed == 42);
        assert_int_equal(info->option_count, 2);
        assert_verifies(replays[i]);
        assert_monkeys_inputs(replays[i], TICKS, 3);
        for (bks_tick t = TICKS - 100; t <= TICKS; t++) {
            uint64_t hash = 0;
            assert_int_equal(bks_session_hash(net_session(&network, i), t, &hash), BKS_OK);
            assert_true(bks_replay_hash_agrees(replays[i], t, hash));
            assert_false(bks_replay_hash_agrees(replays[i], t, ~hash));
        }
    }
    assert_same_inputs(replays[0], replays[1], TICKS, 3);
    assert_same_inputs(replays[0], replays[2], TICKS, 3);
    for (uint32_t i = 0; i < 3; i++) {
        bks_replay_close(replays[i]);
    }
    net_destroy(&network);
}

static void tune_lockstep(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->session.tuning.window_ticks = 0;
    config->session.tuning.delay_ticks = 4;
}

static void lockstep_is_recorded_too(void **context)
{
    (void)context;
    net_create(&network, 2, tune_lockstep);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    for (uint32_t i = 0; i < 2; i++) {
        bks_replay *replay = open_record(i);
        assert_true(bks_replay_info(replay)->is_complete);
        assert_monkeys_inputs(replay, TICKS, 2);
        const bks_playback_config config = {.replay = replay, .game = &some_game};
        bks_verify_result result;
        assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
        assert_int_equal(result.compared, 6); // a hash a second, and the last
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

static void tune_wide(bks_peer_config *config, uint32_t peer)
{
    config->session.tuning.window_ticks = 64;
    config->session.tuning.save = peer == 0 ? BKS_SAVE_ONE : BKS_SAVE_EVERY;
}

static void the_widest_window_and_every_policy_are_recorded(void **context)
{
    (void)context;
    net_create(&network, 2, tune_wide);
    network.delay_ns = 400 * NET_MS;
    network.loss_percent = 20;
    assert_true(net_run_to_end(&network, 60000 * NET_MS));
    for (uint32_t i = 0; i < 2; i++) {
        bks_replay *replay = open_record(i);
        assert_true(bks_replay_info(replay)->is_complete);
        assert_verifies(replay);
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

/// At any moment of the match: what is confirmed, and what was stepped with guesses.
static void the_file_holds_every_tick_stepped_at_any_moment(void **context)
{
    (void)context;
    net_create(&network, 2, NULL);
    bks_tick guessed = 0;
    for (uint64_t ms = 500; ms < 4000; ms += 97) {
        net_run_until(&network, ms * NET_MS);
        for (uint32_t i = 0; i < 2; i++) {
            const net_peer *peer = &network.peers[i];
            bks_replay *replay = open_record(i);
            const bks_recording *info = bks_replay_info(replay);
            assert_int_equal(info->ticks, peer->tick);
            // That a tick is final is written with the next step.
            assert_in_range(info->confirmed, peer->confirmed_before, peer->confirmed);
            assert_false(info->is_complete);
            assert_false(info->is_damaged);
            assert_monkeys_inputs(replay, peer->confirmed, 2);
            guessed += info->ticks - peer->confirmed;
            for (bks_tick t = peer->confirmed; t < info->ticks; t++) {
                int32_t recorded[4];
                assert_int_equal(bks_replay_inputs(replay, t, recorded), BKS_OK);
                assert_memory_equal(recorded, peer->newest[t - peer->confirmed], sizeof(recorded));
            }
            bks_replay_close(replay);
        }
    }
    assert_true(guessed > 50);
    net_destroy(&network);
}

/// All that is under way to a peer reaches it, and it is not updated any more.
static void deliver_without_update(uint32_t peer)
{
    for (size_t i = 0; i < network.packet_count; i++) {
        const net_packet *packet = &network.packets[i];
        bks_address from = net_address(packet->from);
        if (packet->to == peer) {
            (void)bks_peer_receive(network.peers[peer].peer, network.now_ns, &from, packet->bytes,
                                   packet->count);
        }
    }
}

static bool find_event(bks_replay *replay, bks_replay_event_kind kind, bks_replay_event *event)
{
    for (uint32_t i = 0; i < bks_replay_info(replay)->event_count; i++) {
        assert_int_equal(bks_replay_event_at(replay, i, event), BKS_OK);
        if (event->kind == kind) {
            return true;
        }
    }
    return false;
}

/// A recording that was closed before the match's end: it holds what the peer was stepped with, as
/// far as that is final, and says why.
static void assert_closed_early(uint32_t peer, bks_tick ticks, bks_replay_closed why)
{
    bks_replay *replay = open_record(peer);
    const bks_recording *info = bks_replay_info(replay);
    bks_replay_event event;
    assert_true(info->is_complete);
    assert_int_equal(info->ending, BKS_REPLAY_LEFT_EARLY);
    assert_int_equal(info->ticks, ticks);
    assert_int_equal(info->confirmed, ticks);
    assert_true(find_event(replay, BKS_REPLAY_CLOSED, &event));
    assert_int_equal(event.a, why);
    assert_int_equal(event.peer, peer);
    assert_int_equal(event.tick, ticks);
    assert_true(strlen(event.text) > 10);
    assert_monkeys_inputs(replay, ticks, 2);
    assert_verifies(replay);
    bks_replay_close(replay);
}

static void tune_to_close(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->record_detail = (bks_replay_detail){.keyframe_ticks = 1,
                                                .keyframe_bytes = UINT64_C(1) << 30,
                                                .page_hashes = true,
                                                .rollbacks = true};
}

/// Whatever came since the last update: inputs that show that a guess was wrong are among it.
static void a_peer_that_ends_at_any_moment_appends_no_guess(void **context)
{
    (void)context;
    bks_tick later = 0; // confirmed by what came since
    for (uint64_t ms = 1500; ms < 2500; ms += 37) {
        const bks_replay_closed why = ms % 2 == 0 ? BKS_CLOSED_QUIT : BKS_CLOSED_LEFT;
        net_create(&network, 2, tune_to_close);
        network.delay_ns = 90 * NET_MS;
        network.loss_percent = 20;
        net_run_until(&network, ms * NET_MS);
        const bks_tick settled = network.peers[0].confirmed;
        assert_true(settled > 30);
        deliver_without_update(0);
        later += bks_session_confirmed(net_session(&network, 0)) - settled;
        if (why == BKS_CLOSED_LEFT) {
            assert_int_equal(bks_peer_leave(network.peers[0].peer), BKS_OK);
            assert_int_equal(bks_peer_update(network.peers[0].peer, network.now_ns), BKS_OVER);
        } else {
            bks_peer_destroy(network.peers[0].peer);
            network.peers[0].peer = NULL;
        }
        assert_closed_early(0, settled, why);
        net_destroy(&network);
    }
    assert_true(later > 50);
}

static void tune_to_stop(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->session.tuning.on_desync = BKS_ON_DESYNC_STOP;
}

static void a_match_that_stops_closes_its_recording_with_the_reason(void **context)
{
    (void)context;
    net_create(&network, 2, tune_to_stop);
    network.delay_ns = 40 * NET_MS;
    const bksi_flip flip = {.tick = 100, .offset = 8};
    bksi_peer_flip(network.peers[1].peer, &flip);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    const bks_tick ticks = bks_session_tick(net_session(&network, 0));
    assert_in_range(ticks, 165, 200);
    assert_int_equal(bks_session_status(net_session(&network, 0)), BKS_ERR_DESYNC);
    assert_closed_early(0, ticks, BKS_CLOSED_STOPPED);
    net_destroy(&network);
}

static void a_killed_peer_leaves_its_recording_as_it_stands(void **context)
{
    (void)context;
    net_create(&network, 2, NULL);
    network.delay_ns = 90 * NET_MS;
    net_run_until(&network, 2500 * NET_MS);
    const bks_tick settled = network.peers[0].confirmed;
    const bks_tick stepped = network.peers[0].tick;
    assert_true(stepped > settled);
    const uint32_t writes = network.peers[0].record.writes;
    deliver_without_update(0);
    bksi_peer_close_recording(network.peers[0].peer, true);
    bks_peer_destroy(network.peers[0].peer);
    network.peers[0].peer = NULL;
    assert_int_equal(network.peers[0].record.writes, writes);
    bks_replay *replay = open_record(0);
    assert_int_equal(bks_replay_info(replay)->ending, BKS_REPLAY_CUT_OFF);
    assert_false(bks_replay_info(replay)->is_complete);
    assert_int_equal(bks_replay_info(replay)->confirmed, settled);
    assert_int_equal(bks_replay_info(replay)->ticks, stepped);
    assert_monkeys_inputs(replay, settled, 2);
    bks_replay_close(replay);
    net_destroy(&network);
}

static void tune_endless(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->session.ticks = 0;
}

static bks_replay_ending ending_of(uint32_t peer)
{
    bks_replay *replay = open_record(peer);
    const bks_replay_ending ending = bks_replay_info(replay)->ending;
    assert_true(bks_replay_info(replay)->is_complete);
    bks_replay_close(replay);
    return ending;
}

static void an_endless_match_is_complete_when_its_last_player_closes_it(void **context)
{
    (void)context;
    net_create(&network, 2, tune_endless);
    net_run_until(&network, 2000 * NET_MS);
    assert_int_equal(bks_peer_leave(network.peers[0].peer), BKS_OK);
    net_run_until(&network, 5000 * NET_MS);
    assert_int_equal(network.peers[1].events[BKS_EVENT_LEFT], 1);
    bks_peer_destroy(network.peers[1].peer);
    network.peers[1].peer = NULL;
    assert_int_equal(ending_of(0), BKS_REPLAY_LEFT_EARLY);
    assert_int_equal(ending_of(1), BKS_REPLAY_COMPLETE);
    net_destroy(&network);
}

static void a_sink_that_fails_ends_the_recording_and_not_the_match(void **context)
{
    (void)context;
    catch_log caught;
    static const uint32_t moments[] = {0, 1, 2, 30, 200};
    for (uint32_t m = 0; m < sizeof(moments) / sizeof(moments[0]); m++) {
        catch_log_begin(&caught);
        net_create(&network, 2, NULL);
        network.peers[0].record.fail_from = moments[m];
        assert_true(net_run_to_end(&network, 20000 * NET_MS));
        bks_log_clear_sink();
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(network.peers[i].status, BKS_OVER);
            assert_int_equal(network.peers[i].events[BKS_EVENT_ENDED], 1);
            assert_int_equal(network.peers[i].events[BKS_EVENT_DESYNC], 0);
        }
        // Nothing more is tried after the write that failed.
        assert_int_equal(network.peers[0].record.writes, moments[m] + 1);
        assert_in_range(caught.count, 1, 3); // once, not with every tick
        assert_string_equal(caught.id, moments[m] == 0 ? "replay.create" : "replay.write");
        assert_int_equal(caught.level, BKS_LOG_ERROR);
        bks_replay *replay = open_record(1);
        assert_true(bks_replay_info(replay)->is_complete);
        bks_replay_close(replay);
        net_destroy(&network);
    }
}

static void tune_keyframes(bks_peer_config *config, uint32_t peer)
{
    static const bks_save_policy policies[] = {BKS_SAVE_EVERY, BKS_SAVE_TWO, BKS_SAVE_ONE};
    config->session.tuning.save = policies[peer];
    config->record_detail =
        (bks_replay_detail){.keyframe_ticks = 1, .keyframe_bytes = UINT64_C(1) << 30};
}

/// Each keyframe must be the state of its tick, whatever was guessed and rolled back around it.
static void keyframes_are_true_under_every_policy(void **context)
{
    (void)context;
    net_create(&network, 3, tune_keyframes);
    network.delay_ns = 80 * NET_MS;
    network.loss_percent = 10;
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    for (uint32_t i = 0; i < 3; i++) {
        bks_stats stats;
        assert_int_equal(bks_session_stats(net_session(&network, i), &stats), BKS_OK);
        assert_true(stats.rollbacks > 50);
        bks_replay *replay = open_record(i);
        assert_in_range(bks_replay_info(replay)->keyframes, 60, TICKS);
        assert_verifies(replay);
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

static void tune_lockstep_keyframes(bks_peer_config *config, uint32_t peer)
{
    tune_lockstep(config, peer);
    config->record_detail =
        (bks_replay_detail){.keyframe_ticks = 50, .keyframe_bytes = UINT64_C(1) << 30};
}

static void lockstep_has_every_keyframe_when_it_is_due(void **context)
{
    (void)context;
    net_create(&network, 2, tune_lockstep_keyframes);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_replay *replay = open_record(0);
    assert_int_equal(bks_replay_info(replay)->keyframes, TICKS / 50);
    for (uint32_t i = 0; i < TICKS / 50; i++) {
        bks_replay_keyframe key;
        assert_int_equal(bks_replay_keyframe_at(replay, i, &key), BKS_OK);
        assert_int_equal(key.tick, 50 * (i + 1));
    }
    bks_replay_close(replay);
    net_destroy(&network);
}

/// A clock on which each look takes 3 ms, so a step takes some 10.
static uint64_t slow_clock(void *context)
{
    uint64_t *now_ns = context;
    *now_ns += 3 * NET_MS;
    return *now_ns;
}

static void tune_costly(bks_peer_config *config, uint32_t peer)
{
    config->game = &own_game;
    config->clock_ns = slow_clock;
    config->clock_context = &network.peers[peer].clock_ns;
    config->session.tuning.budget_us = 0; // no peer must be slowed down
}

static void seek_steps_for_a_second_of_what_the_clock_says_also_by_callbacks(void **context)
{
    (void)context;
    const bks_tick most = 1000 / 9;
    net_create(&network, 2, tune_costly);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_replay *replay = open_record(0);
    assert_true(bks_replay_info(replay)->keyframes >= 2);
    const bks_playback_config config = {.replay = replay, .game = &own_game};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    bks_playback_counts before;
    assert_int_equal(bks_playback_costs(playback, &before), BKS_OK);
    for (bks_tick tick = TICKS; tick > 0; tick -= 7) {
        assert_int_equal(bks_playback_seek(playback, tick, NULL), BKS_OK);
        assert_true(bks_replay_hash_agrees(replay, tick, bks_playback_hash(playback)));
        bks_playback_counts after;
        assert_int_equal(bks_playback_costs(playback, &after), BKS_OK);
        assert_in_range(after.steps - before.steps, 0, most + 10);
        before = after;
    }
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    net_destroy(&network);
}

#define POINTING_TICK 120

/// From some tick on the state holds its own address.
static void step_pointing(void *state, const bks_step *step)
{
    some_state *some = state;
    some_game.step(state, step);
    if (step->tick >= POINTING_TICK) {
        void *address = &some->x[0];
        memcpy(&some->x[BKS_PLAYERS_MAX - 1], &address, sizeof(address));
    }
}

static void hash_players(const void *state, bks_hasher *hasher)
{
    const some_state *some = state;
    bks_hash_add(hasher, some->x, 2 * sizeof(some->x[0]));
}

static bks_game pointing_game;
static uint32_t pointers_warned;

static void tune_pointing(bks_peer_config *config, uint32_t peer)
{
    tune_lockstep_keyframes(config, peer);
    pointing_game = some_game;
    pointing_game.step = step_pointing;
    pointing_game.hash = hash_players;
    config->game = &pointing_game;
}

static void count_pointers(void *context, bks_log_level level, const char *id, const char *text)
{
    (void)context;
    if (strcmp(id, "game.pointers") == 0) {
        assert_int_equal(level, BKS_LOG_WARNING);
        assert_non_null(strstr(text, "raw pointers"));
        pointers_warned++;
    }
}

static void pointers_that_are_found_end_the_keyframes_with_one_warning(void **context)
{
    (void)context;
    if (UINTPTR_MAX <= UINT32_MAX) {
        skip();
    }
    pointers_warned = 0;
    const bks_log_sink sink = {.write = count_pointers};
    assert_int_equal(bks_log_set_sink(&sink), BKS_OK);
    net_create(&network, 2, tune_pointing);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_log_clear_sink();
    assert_int_equal(pointers_warned, 2);
    bks_replay *replay = open_record(0);
    assert_int_equal(bks_replay_info(replay)->keyframes, POINTING_TICK / 50);
    assert_true(bks_replay_info(replay)->is_complete);
    bks_replay_close(replay);
    net_destroy(&network);
}

static void no_match_begins_with_a_state_of_raw_pointers(void **context)
{
    (void)context;
    memset(&network, 0, sizeof(network));
    network.peer_count = 2;
    bks_peer_config config = net_config(&network, 0);
    pointing_game = some_game;
    pointing_game.hash = hash_players;
    pointing_game.pointers = true;
    config.game = &pointing_game;
    config.start_state = "state";
    config.start_state_bytes = 5;
    bks_peer *peer = NULL;
    bks_error error;
    assert_int_equal(bks_peer_create(&config, &peer, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "start_state");
    assert_non_null(strstr(error.text, "raw pointers"));
    config.start_state = NULL, config.start_state_bytes = 0;
    assert_int_equal(bks_peer_create(&config, &peer, &error), BKS_OK);
    bks_peer_destroy(peer);
}

/// The first event of a kind.
static void events_are_recorded(void **context)
{
    (void)context;
    net_create(&network, 3, NULL);
    network.delay_ns = 60 * NET_MS;
    net_run_until(&network, 1500 * NET_MS);
    assert_int_equal(bks_peer_note(network.peers[0].peer, "the boss is gone"), BKS_OK);
    char too_long[129];
    memset(too_long, 'x', sizeof(too_long));
    too_long[128] = '\0';
    assert_int_equal(bks_peer_note(network.peers[0].peer, too_long), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_peer_note(network.peers[0].peer, "a\nb"), BKS_ERR_BAD_ARGUMENT);
    bks_tick noted = bks_session_tick(net_session(&network, 0));
    assert_int_equal(bks_peer_leave(network.peers[2].peer), BKS_OK);
    const bksi_flip flip = {.tick = 200, .offset = 8};
    bksi_peer_flip(network.peers[1].peer, &flip);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    bks_replay *replay = open_record(0);
    bks_replay_event event;
    for (uint32_t peer = 0; peer < 3; peer++) {
        assert_int_equal(bks_replay_event_at(replay, peer, &event), BKS_OK);
        assert_int_equal(event.kind, BKS_REPLAY_JOINED);
        assert_int_equal(event.tick, 0);
        assert_int_equal(event.peer, peer);
    }
    assert_true(find_event(replay, BKS_REPLAY_NOTE, &event));
    assert_string_equal(event.text, "the boss is gone");
    assert_int_equal(event.tick, noted);
    assert_true(find_event(replay, BKS_REPLAY_LEFT, &event));
    assert_int_equal(event.peer, 2);
    assert_int_equal(event.tick, network.peers[0].last[BKS_EVENT_LEFT].tick);
    assert_true(find_event(replay, BKS_REPLAY_DELAY, &event));
    assert_int_equal(event.tick, 0);
    assert_true(find_event(replay, BKS_REPLAY_DESYNC, &event));
    assert_int_equal(event.peer, 1);
    assert_int_equal(event.tick, 200);
    assert_true(event.a == network.peers[0].last[BKS_EVENT_DESYNC].own_hash);
    assert_true(event.b == network.peers[0].last[BKS_EVENT_DESYNC].peer_hash);
    bks_replay_close(replay);
    net_destroy(&network);
}

static void samples_of_every_tick_and_every_rollback_are_recorded(void **context)
{
    (void)context;
    net_create(&network, 3, tune_everything);
    network.delay_ns = 60 * NET_MS;
    network.loss_percent = 5;
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    for (uint32_t i = 0; i < 3; i++) {
        bks_replay *replay = open_record(i);
        assert_rows_true(replay);
        bks_stats stats;
        assert_int_equal(bks_session_stats(net_session(&network, i), &stats), BKS_OK);
        uint32_t count = bks_replay_info(replay)->rollback_count;
        assert_int_equal(count, stats.rollbacks);
        assert_true(count > 50);
        uint64_t depth_sum = 0;
        for (uint32_t r = 0; r < count; r++) {
            bks_replay_rollback rollback;
            int32_t guess[6];
            int32_t truth[6];
            assert_int_equal(bks_replay_rollback_at(replay, r, &rollback), BKS_OK);
            depth_sum += (uint64_t)(rollback.present - rollback.from);
            assert_int_equal(bks_replay_rollback_inputs(replay, r, rollback.from, guess), BKS_OK);
            assert_int_equal(bks_replay_inputs(replay, rollback.from, truth), BKS_OK);
            assert_memory_equal(guess + 2 * i, truth + 2 * i, 2 * sizeof(int32_t)); // our own
            assert_memory_not_equal(guess, truth, sizeof(guess));
        }
        assert_int_equal(depth_sum, stats.rollback_depth_sum);
        assert_played_as_recorded(replay, count, depth_sum);
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

static void tune_marks(bks_peer_config *config, uint32_t peer)
{
    static const bks_save_policy policies[] = {BKS_SAVE_EVERY, BKS_SAVE_TWO, BKS_SAVE_ONE};
    config->session.tuning.save = policies[peer];
    config->record_detail = (bks_replay_detail){.marks = true, .chunk_ticks = 50};
}

/// The states of a tick, by hash.
typedef struct mark_states {
    uint32_t count;
    char names[8][16];
    uint64_t hashes[8];
    char notes[512];
    bks_playback *playback; ///< whose states they are, NULL: the recording's
} mark_states;

static bool add_mark(void *context, const char *mark, const void *state, size_t count)
{
    mark_states *all = context;
    assert_in_range(all->count, 0, 7);
    (void)snprintf(all->names[all->count], sizeof(all->names[0]), "%s", mark);
    all->hashes[all->count++] = bks_hash64(state, count, 0);
    return true;
}

static void reach_mark(void *context, bks_tick tick, const char *name)
{
    (void)tick;
    mark_states *all = context;
    static uint8_t bytes[1 << 16];
    const size_t count = bks_playback_export(all->playback, bytes, sizeof(bytes));
    assert_true(count > 0);
    (void)add_mark(all, name, bytes, count);
}

/// Of a tick, with what stood before it.
static void add_text(mark_states *all, const char *text)
{
    const size_t used = strlen(all->notes);
    (void)snprintf(all->notes + used, sizeof(all->notes) - used, "%u: %s\n", all->count, text);
}

static void note_text(void *context, bks_tick tick, const char *text)
{
    (void)tick;
    add_text(context, text);
}

static bool add_note(void *context, uint32_t states_before, const char *text)
{
    mark_states *all = context;
    all->count = states_before;
    add_text(all, text);
    return true;
}

/// As a straight run has them, though most ticks were stepped with guesses at first.
static void assert_marks_true(bks_replay *replay)
{
    const bks_playback_config config = {.replay = replay, .game = &some_game};
    mark_states stepped = {0};
    assert_int_equal(bks_playback_create(&config, &stepped.playback, NULL), BKS_OK);
    const bks_playback_listener listener = {
        .reached = reach_mark, .note = note_text, .context = &stepped};
    size_t notes = 0;
    assert_int_equal(bks_playback_listen(stepped.playback, &listener), BKS_OK);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        mark_states read = {0};
        stepped.count = 0;
        stepped.notes[0] = '\0';
        reach_mark(&stepped, tick, "");
        assert_int_equal(bks_playback_step(stepped.playback), BKS_OK);
        assert_int_equal(bks_replay_marks(replay, tick, add_mark, &read), BKS_OK);
        assert_int_equal(read.count, stepped.count);
        for (uint32_t i = 0; i < read.count; i++) {
            assert_string_equal(read.names[i], stepped.names[i]);
            assert_true(read.hashes[i] == stepped.hashes[i]);
        }
        assert_int_equal(bks_replay_notes(replay, tick, add_note, &read), BKS_OK);
        assert_string_equal(read.notes, stepped.notes);
        notes += strlen(read.notes);
    }
    assert_true(notes > 100);
    bks_playback_destroy(stepped.playback);
}

static void states_at_marks_are_true_under_every_policy(void **context)
{
    (void)context;
    net_create(&network, 3, tune_marks);
    network.delay_ns = 80 * NET_MS;
    network.loss_percent = 10;
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    for (uint32_t i = 0; i < 3; i++) {
        bks_stats stats;
        assert_int_equal(bks_session_stats(net_session(&network, i), &stats), BKS_OK);
        assert_true(stats.rollbacks > 50);
        bks_replay *replay = open_record(i);
        assert_int_equal(bks_replay_info(replay)->mark_ticks, TICKS);
        assert_marks_true(replay);
        bks_replay_close(replay);
    }
    net_destroy(&network);
}

static void tune_no_record(bks_peer_config *config, uint32_t peer)
{
    (void)peer;
    config->record.write = NULL;
}

static void without_a_sink_nothing_is_recorded(void **context)
{
    (void)context;
    net_create(&network, 2, tune_no_record);
    assert_true(net_run_to_end(&network, 20000 * NET_MS));
    assert_int_equal(network.peers[0].record.writes, 0);
    assert_int_equal(network.peers[0].status, BKS_OVER);
    net_destroy(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tick_is_recorded_with_its_inputs_and_hash),
        cmocka_unit_test(lockstep_is_recorded_too),
        cmocka_unit_test(the_widest_window_and_every_policy_are_recorded),
        cmocka_unit_test(the_file_holds_every_tick_stepped_at_any_moment),
        cmocka_unit_test(a_peer_that_ends_at_any_moment_appends_no_guess),
        cmocka_unit_test(a_match_that_stops_closes_its_recording_with_the_reason),
        cmocka_unit_test(a_killed_peer_leaves_its_recording_as_it_stands),
        cmocka_unit_test(an_endless_match_is_complete_when_its_last_player_closes_it),
        cmocka_unit_test(a_sink_that_fails_ends_the_recording_and_not_the_match),
        cmocka_unit_test(keyframes_are_true_under_every_policy),
        cmocka_unit_test(seek_steps_for_a_second_of_what_the_clock_says_also_by_callbacks),
        cmocka_unit_test(lockstep_has_every_keyframe_when_it_is_due),
        cmocka_unit_test(pointers_that_are_found_end_the_keyframes_with_one_warning),
        cmocka_unit_test(no_match_begins_with_a_state_of_raw_pointers),
        cmocka_unit_test(events_are_recorded),
        cmocka_unit_test(samples_of_every_tick_and_every_rollback_are_recorded),
        cmocka_unit_test(states_at_marks_are_true_under_every_policy),
        cmocka_unit_test(without_a_sink_nothing_is_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
