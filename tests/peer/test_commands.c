// SPDX-License-Identifier: MIT

// Tests commands of the game pad: from the public calls to the step, into a recording and back.

#include "backstitch/toolkit/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/runner.h"
#include "backstitch/toolkit/writer.h"
#include "pad/pad.h"
#include "peer/peer_network.h"
#include "replay/read/reader.h"

enum { PLAYERS = 2, TICKS = 400, LONGEST = 3000 };

static memory_sink record;
static memory_sink cut;
static bks_game game;
static uint32_t answered; ///< number of calls of on_command
static bks_command answered_last;
static char answered_bytes[8];

static void answer_at_once(const void *state, const bks_command *command)
{
    assert_non_null(state);
    answered++;
    answered_last = *command;
    memcpy(answered_bytes, command->bytes, command->count < 8 ? command->count : 8);
}

static int begin(void **state)
{
    (void)state;
    game = pad_game;
    game.command_bytes_max = LONGEST;
    game.on_command = answer_at_once;
    answered = 0;
    record = cut = (memory_sink){.fail_from = UINT32_MAX};
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(record.bytes);
    free(cut.bytes);
    return 0;
}

static bks_peer_config alone(void)
{
    bks_peer_config config = bks_peer_config_default();
    config.game = &game;
    config.session.is_host = true;
    config.session.players = config.session.local_players = PLAYERS;
    config.session.seed = 7;
    config.session.ticks = TICKS;
    config.session.tuning.window_ticks = 0;
    config.session.tuning.hash_every_ticks = 1;
    config.session.key[0] = config.session.identity[0] = config.session.entropy[0] = 1;
    config.record = (bks_sink){.write = memory_sink_write, .context = &record};
    config.record_detail = (bks_replay_detail){.keyframe_ticks = 50, .keyframe_bytes = 1 << 30};
    return config;
}

/// Size of the command that a player gives at a tick; 0: none.
static uint32_t count_at(bks_tick tick, uint32_t player)
{
    const uint32_t drawn = (uint32_t)tick * 7919u + player * 104729u;
    return drawn % 3 != 0 ? 0 : drawn % 50 == 0 ? LONGEST : 1 + drawn % 40;
}

static void fill(uint8_t *bytes, uint32_t count, bks_tick tick)
{
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)((uint32_t)tick * 31 + i) & 0x7F;
    }
}

/// Give two commands of player 1 in each tick for which count_at() is not 0.
static size_t give(void *context, const bks_sample *sample, void *bytes, size_t capacity)
{
    bks_tick *given = context; // 2 * newest tick + number of commands given in it
    assert_int_equal(capacity, LONGEST);
    *given = *given / 2 < sample->tick ? 2 * sample->tick : *given;
    const uint32_t count = count_at(sample->tick, 1);
    if (count == 0 || *given >= 2 * sample->tick + 2) {
        return 0;
    }
    fill(bytes, count, (*given)++);
    return count;
}

/// Play a match, and return the hash of its last tick.
static uint64_t play(const bks_peer_config *config)
{
    bks_peer *peer = NULL;
    bks_error error = {0};
    if (bks_peer_create(config, &peer, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    bks_session *session = bks_peer_session(peer);
    bks_tick last = BKS_TICK_NONE;
    bks_status status = BKS_OK;
    for (uint64_t now = 0; status == BKS_OK; now += 5 * NET_MS) {
        const bks_tick tick = bks_session_tick(session);
        const uint32_t count = count_at(tick, 0);
        uint8_t bytes[LONGEST];
        if (tick != last && count > 0 && config->sources[0].command == NULL) {
            fill(bytes, count, tick);
            assert_int_equal(bks_peer_command(peer, 0, bytes, count), BKS_OK);
        }
        last = tick;
        status = bks_peer_update(peer, now);
    }
    assert_int_equal(status, BKS_OVER);
    uint64_t hash = 0;
    assert_int_equal(bks_session_hash(session, TICKS, &hash), BKS_OK);
    bks_peer_destroy(peer);
    return hash;
}

static uint64_t play_commands(uint32_t sync_test_ticks)
{
    bks_tick given = 0;
    bks_peer_config config = alone();
    config.sources[1] = (bks_source){.command = give, .context = &given};
    config.sync_test_ticks = sync_test_ticks;
    return play(&config);
}

static bks_replay *open_replay(const memory_sink *file)
{
    bks_replay *replay = NULL;
    bks_error error = {0};
    if (bks_replay_open(file->bytes, file->count, NULL, &replay, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    return replay;
}

static bks_status verify(bks_replay *replay, bks_verify_result *result)
{
    const bks_playback_config config = {.replay = replay, .game = &game};
    return bks_replay_verify(&config, NULL, result, NULL);
}

static void a_recording_with_commands_verifies_and_has_every_byte(void **state)
{
    (void)state;
    (void)play_commands(0);
    bks_replay *replay = open_replay(&record);
    bks_verify_result result;
    assert_int_equal(verify(replay, &result), BKS_OK);
    assert_true(bks_replay_info(replay)->command_ticks > TICKS / 4);
    uint32_t seen = 0;
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        bks_commands commands[BKS_PLAYERS_MAX];
        bool has_any = false;
        assert_int_equal(bks_replay_commands(replay, tick, commands, &has_any), BKS_OK);
        const uint32_t count = count_at(tick, 1);
        assert_int_equal(commands[1].count, count > 0 ? 2 * (2 + count) : 0);
        for (uint32_t i = 0; count > 0 && i < 2; i++) {
            uint8_t bytes[LONGEST];
            fill(bytes, count, 2 * tick + (bks_tick)i);
            assert_memory_equal(commands[1].bytes + i * (2 + count) + 2, bytes, count);
        }
        seen += commands[0].count > 0;
    }
    assert_true(seen > TICKS / 5);
    bks_replay_close(replay);
}

static void a_changed_command_comes_to_another_state(void **state)
{
    (void)state;
    const uint64_t plain = play_commands(0);
    free(record.bytes);
    record = (memory_sink){.fail_from = UINT32_MAX};
    bks_peer_config config = alone();
    assert_true(play(&config) != plain); // a match without player 1's commands
}

static void recordings_that_differ_in_a_command_alone_are_told_apart(void **state)
{
    (void)state;
    bks_peer_config config = alone();
    config.record.context = &cut;
    (void)play(&config);
    (void)play_commands(0);
    bks_replay *a = open_replay(&record);
    bks_replay *b = open_replay(&cut);
    bks_replay_comparison found;
    assert_int_equal(bks_replay_compare(a, b, &found, NULL), BKS_OK);
    bks_tick first = 0; // first tick with commands of player 1
    while (count_at(first, 1) == 0) {
        first++;
    }
    assert_int_equal(found.input.tick, first);
    assert_int_equal(found.input.player, 1);
    assert_int_equal(found.input.field, game.field_count);
    assert_int_equal(found.input.a, 2 * (2 + count_at(first, 1)));
    assert_int_equal(found.input.b, 0);
    assert_int_equal(bks_replay_compare(a, a, &found, NULL), BKS_OK);
    assert_int_equal(found.input.tick, BKS_TICK_NONE);
    bks_replay_close(a);
    bks_replay_close(b);
}

static void the_sync_test_steps_again_with_the_commands_of_each_tick(void **state)
{
    (void)state;
    const uint64_t plain = play_commands(0);
    for (uint32_t ticks = 8; ticks <= BKS_SYNC_TEST_TICKS_MAX; ticks += 26) {
        free(record.bytes);
        record = (memory_sink){.fail_from = UINT32_MAX};
        assert_true(play_commands(ticks) == plain);
    }
}

static void recorded_players_give_their_commands_to_another_match(void **state)
{
    (void)state;
    const uint64_t plain = play_commands(0);
    bks_replay *replay = open_replay(&record);
    bks_replay_player players[PLAYERS];
    bks_peer_config config = alone();
    config.record = (bks_sink){0};
    for (uint32_t p = 0; p < PLAYERS; p++) {
        assert_int_equal(
            bks_replay_player_init(&players[p], replay, p, game.fields, game.field_count, NULL),
            BKS_OK);
        config.sources[p] = bks_replay_player_source(&players[p]);
    }
    assert_true(play(&config) == plain);
    bks_replay_close(replay);
}

static void a_cut_has_the_commands_of_its_ticks(void **state)
{
    (void)state;
    (void)play_commands(0);
    bks_replay *replay = open_replay(&record);
    bks_replay_keyframe key;
    assert_int_equal(bks_replay_keyframe_at(replay, 0, &key), BKS_OK);
    assert_in_range(key.tick, 1, 100);
    const bks_replay_copy_config config = {
        .replay = replay,
        .from = key.tick,
        .until = key.tick + 200,
        .sink = {.write = memory_sink_write, .context = &cut},
    };
    bks_error error = {0};
    if (bks_replay_copy(&config, NULL, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    bks_replay *part = open_replay(&cut);
    bks_verify_result result;
    assert_int_equal(verify(part, &result), BKS_OK);
    assert_true(bks_replay_info(part)->command_ticks > 40);
    assert_true(bks_replay_info(part)->command_ticks < 200);
    bks_replay_close(part);
    bks_replay_close(replay);
}

static void a_seek_steps_with_the_commands_of_each_tick(void **state)
{
    (void)state;
    (void)play_commands(0);
    bks_replay *replay = open_replay(&record);
    const bks_playback_config config = {.replay = replay, .game = &game, .memory_bytes = 1 << 20};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    static const bks_tick ticks[] = {399, 1, 149, 150, 151, 51, 49, 0, 400, 250, 100};
    for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
        uint64_t hash = 0;
        assert_int_equal(bks_playback_seek(playback, ticks[i], NULL), BKS_OK);
        assert_int_equal(bks_playback_tick(playback), ticks[i]);
        assert_int_equal(bks_playback_confirmed_hash(playback, ticks[i], &hash), BKS_OK);
        assert_true(bks_replay_hash_agrees(replay, ticks[i], hash));
        uint32_t bits = 0;
        assert_int_equal(bks_replay_hash(replay, ticks[i], &hash, &bits), BKS_OK);
        assert_true(bits >= 16);
    }
    bks_playback_destroy(playback);
    bks_replay_close(replay);
}

static void a_recording_whose_match_broke_off_has_its_commands(void **state)
{
    (void)state;
    bks_tick given = 0;
    bks_peer_config config = alone();
    config.sources[1] = (bks_source){.command = give, .context = &given};
    bks_peer *peer = NULL;
    assert_int_equal(bks_peer_create(&config, &peer, NULL), BKS_OK);
    for (uint64_t now = 0; bks_session_tick(bks_peer_session(peer)) < 150; now += 5 * NET_MS) {
        assert_int_equal(bks_peer_update(peer, now), BKS_OK);
    }
    cut.bytes = malloc(record.count); // the recording as kill -9 leaves it
    cut.count = record.count;
    memcpy(cut.bytes, record.bytes, record.count);
    bks_peer_destroy(peer);
    bks_replay *replay = open_replay(&cut);
    bks_verify_result result;
    assert_int_equal(verify(replay, &result), BKS_OK);
    assert_true(bks_replay_info(replay)->end >= 149);
    for (bks_tick tick = 0; tick < 149; tick++) {
        bks_commands commands[BKS_PLAYERS_MAX];
        bool has_any = false;
        assert_int_equal(bks_replay_commands(replay, tick, commands, &has_any), BKS_OK);
        assert_int_equal(commands[1].count > 0, count_at(tick, 1) > 0);
    }
    bks_replay_close(replay);
}

static void any_damaged_byte_of_a_recording_is_found_or_does_no_harm(void **state)
{
    (void)state;
    (void)play_commands(0);
    for (size_t at = 0; at < record.count; at += 97) {
        record.bytes[at] ^= 0x55;
        bks_replay *replay = NULL;
        const bks_status opened = bks_replay_open(record.bytes, record.count, NULL, &replay, NULL);
        bks_verify_result result;
        assert_true(replay != NULL || opened != BKS_OK);
        if (replay != NULL) {
            const bks_status status = verify(replay, &result);
            assert_true(status != BKS_OK || result.is_same);
            bks_replay_close(replay);
        }
        record.bytes[at] ^= 0x55;
    }
}

static void a_guess_of_players_is_refused_in_a_recording_with_commands(void **state)
{
    (void)state;
    (void)play_commands(0);
    bks_replay *replay = open_replay(&record);
    const bks_playback_config config = {
        .replay = replay, .game = &game, .perspective = BKS_PERSPECTIVE_PLAYER};
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_ERR_UNSUPPORTED);
    bks_replay_close(replay);
}

static void a_game_whose_commands_are_smaller_refuses_larger_ones(void **state)
{
    (void)state;
    (void)play_commands(0);
    game.command_bytes_max = LONGEST - 1;
    bks_replay *replay = open_replay(&record);
    bks_verify_result result;
    assert_int_equal(verify(replay, &result), BKS_ERR_UNSUPPORTED);
    bks_replay_close(replay);
}

static void a_command_is_answered_at_once_and_a_refusal_comes_once(void **state)
{
    (void)state;
    bks_peer_config config = alone();
    config.cues_per_tick = 4;
    config.record = (bks_sink){0};
    bks_peer *peer = NULL;
    assert_int_equal(bks_peer_create(&config, &peer, NULL), BKS_OK);
    bks_session *session = bks_peer_session(peer);
    uint64_t now = 0;
    for (; bks_session_tick(session) < 5; now += NET_MS) {
        assert_int_equal(bks_peer_update(peer, now), BKS_OK);
    }
    assert_int_equal(bks_peer_command(peer, 1, "yes", 3), BKS_OK);
    assert_int_equal(answered, 1);
    assert_int_equal(answered_last.player, 1);
    assert_memory_equal(answered_bytes, "yes", 3);
    assert_int_equal(bks_peer_command(peer, 1, "\xff no", 4), BKS_OK);
    assert_int_equal(bks_peer_command(peer, 2, "x", 1), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(answered, 2); // a command that was not taken is not answered
    uint32_t refused = 0;
    for (; bks_session_tick(session) < 20; now += NET_MS) {
        assert_int_equal(bks_peer_update(peer, now), BKS_OK);
        bks_cue_event event;
        while (bks_peer_cue(peer, &event)) {
            if (event.id == BKS_CUE_REFUSED) {
                refused++;
                assert_int_equal(event.kind, BKS_CUE_STARTED);
                // The key names player 1 and command 1 of its tick.
                assert_true(event.key == (UINT64_C(1) << 32 | 1));
                assert_in_range(event.tick, 5, 7);
                assert_int_equal(event.bytes, 4);
                assert_memory_equal(event.payload, "\xff no", 4);
            }
        }
    }
    assert_int_equal(refused, 1);
    bks_peer_destroy(peer);
}

/// Write a recording with correct checks, in which `bytes` are player 1's commands of tick 3.
static void write_hostile(const char *bytes, uint32_t count)
{
    bks_replay_writer *writer = NULL;
    const uint8_t state[8] = {0};
    bks_replay_config wanted = {.game = &game,
                                .players = PLAYERS,
                                .tick_rate_hz = game.tick_rate_hz,
                                .unconfirmed_ticks_max = 1,
                                .state = state,
                                .state_bytes = sizeof(state),
                                .state_bytes_max = sizeof(state),
                                .sink = {.write = memory_sink_write, .context = &cut}};
    assert_int_equal(bks_replay_writer_create(&wanted, &writer, NULL), BKS_OK);
    const bks_commands commands[PLAYERS] = {{0}, {(const uint8_t *)bytes, count}};
    assert_int_equal(bks_replay_writer_commands(writer, 3, commands), BKS_OK);
    assert_int_equal(bks_replay_writer_commands(writer, 3, commands), BKS_ERR_BAD_ARGUMENT);
    bks_replay_writer_destroy(writer);
}

static void wrong_lengths_in_a_file_whose_checks_are_right_are_damage(void **state)
{
    (void)state;
    static const char *const contents[] = {"\2\0ab", "\3\0ab", "\0\0ab"};
    for (uint32_t i = 0; i < 3; i++) {
        free(cut.bytes);
        cut = (memory_sink){.fail_from = UINT32_MAX};
        write_hostile(contents[i], 4);
        bks_replay *replay = NULL;
        const bks_status opened = bks_replay_open(cut.bytes, cut.count, NULL, &replay, NULL);
        assert_true(opened == BKS_OK || opened == BKS_ERR_INCOMPLETE);
        assert_int_equal(bks_replay_check(replay, NULL), i > 0 ? BKS_ERR_DAMAGED : opened);
        bks_commands commands[BKS_PLAYERS_MAX];
        bool has_any = false;
        assert_int_equal(bks_replay_commands(replay, 3, commands, &has_any),
                         i == 0 ? BKS_OK : BKS_ERR_DAMAGED);
        assert_int_equal(bksi_replay_damage(replay, NULL), i > 0 ? BKS_ERR_DAMAGED : opened);
        bks_replay_close(replay);
    }
}

#define WITH_GAME(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_GAME(a_recording_with_commands_verifies_and_has_every_byte),
        WITH_GAME(a_changed_command_comes_to_another_state),
        WITH_GAME(recordings_that_differ_in_a_command_alone_are_told_apart),
        WITH_GAME(the_sync_test_steps_again_with_the_commands_of_each_tick),
        WITH_GAME(recorded_players_give_their_commands_to_another_match),
        WITH_GAME(a_cut_has_the_commands_of_its_ticks),
        WITH_GAME(a_seek_steps_with_the_commands_of_each_tick),
        WITH_GAME(a_recording_whose_match_broke_off_has_its_commands),
        WITH_GAME(any_damaged_byte_of_a_recording_is_found_or_does_no_harm),
        WITH_GAME(a_guess_of_players_is_refused_in_a_recording_with_commands),
        WITH_GAME(a_game_whose_commands_are_smaller_refuses_larger_ones),
        WITH_GAME(wrong_lengths_in_a_file_whose_checks_are_right_are_damage),
        WITH_GAME(a_command_is_answered_at_once_and_a_refusal_comes_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
