// SPDX-License-Identifier: MIT

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backstitch/toolkit/recording.h"
#include "backstitch/toolkit/writer.h"
#include "recording.h"

#define TICKS 300

static memory_file file;
static bks_replay *replay;

static int record_all(void **state)
{
    (void)state;
    memory_file_init(&file);
    walk_record(&file, TICKS, true);
    return bks_replay_open(file.bytes, file.count, NULL, &replay, NULL) == BKS_OK ? 0 : -1;
}

static int forget(void **state)
{
    (void)state;
    bks_replay_close(replay);
    memory_file_free(&file);
    return 0;
}

static bks_playback_config perspective_of(const bks_game *game, uint32_t player,
                                          uint32_t late_ticks)
{
    return (bks_playback_config){.replay = replay,
                                 .game = game,
                                 .perspective = BKS_PERSPECTIVE_PLAYER,
                                 .player = player,
                                 .late_ticks = late_ticks};
}

/// Play to the end.
/// @return the hash of the last state
static uint64_t play(const bks_playback_config *config, bks_playback_counts *costs)
{
    bks_playback *playback = NULL;
    bks_error error = {0};
    if (bks_playback_create(config, &playback, &error) != BKS_OK) {
        fail_msg("%s", error.text);
    }
    bks_tick tick = 0;
    bks_status status = BKS_OK;
    while (status == BKS_OK) {
        assert_int_equal(bks_playback_tick(playback), tick);
        assert_true(bks_playback_confirmed(playback) <= tick);
        status = bks_playback_step(playback);
        tick += status == BKS_OK;
    }
    assert_int_equal(status, BKS_OVER);
    assert_int_equal(tick, TICKS);
    assert_int_equal(bks_playback_confirmed(playback), TICKS);
    assert_int_equal(bks_playback_step(playback), BKS_OVER);
    const uint64_t hash = bks_playback_hash(playback);
    assert_int_equal(bks_playback_costs(playback, costs), BKS_OK);
    bks_playback_destroy(playback);
    return hash;
}

static void guessing_as_any_player_comes_out_the_same(void **state)
{
    (void)state;
    static const uint32_t late[] = {1, 2, 0, 20, 64, 250};
    for (size_t l = 0; l < sizeof(late) / sizeof(late[0]); l++) {
        for (uint32_t player = 0; player < WALK_PLAYERS; player++) {
            const bks_playback_config config = perspective_of(&walk_game, player, late[l]);
            bks_playback_counts costs;
            assert_true(play(&config, &costs) == walk_what_happened()->hashes[TICKS]);
            assert_true(costs.rollbacks > (late[l] > 100 ? 10 : 100));
            assert_true(costs.steps >= TICKS + costs.rollbacks);
            bks_verify_result result;
            assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
            assert_int_equal(result.compared, TICKS + 1);
            assert_int_equal(result.stepped, TICKS);
        }
    }
}

static void state_is_what_that_player_saw(void **state)
{
    (void)state;
    const bks_playback_config config = perspective_of(&walk_game, 0, 5);
    bks_playback *playback = NULL;
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    const walk_truth *truth = walk_what_happened();
    uint32_t guessed = 0;
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        const walk_state *seen = bks_playback_state(playback);
        assert_int_equal(seen->x[0], truth->states[tick].x[0]); // its own ship never jumps
        guessed += seen->x[1] != truth->states[tick].x[1];
        assert_int_equal(bks_playback_step(playback), BKS_OK);
        const bks_tick confirmed = tick - 5 + 1 > 0 ? tick - 5 + 1 : 0;
        assert_int_equal(bks_playback_confirmed(playback), confirmed);
        uint64_t hash = 0;
        assert_int_equal(bks_playback_confirmed_hash(playback, confirmed, &hash), BKS_OK);
        assert_true(hash == truth->hashes[confirmed]);
        assert_int_equal(bks_playback_confirmed_hash(playback, confirmed + 1, &hash),
                         BKS_ERR_NOT_CONFIRMED);
    }
    uint64_t hash = 1;
    assert_int_equal(bks_playback_confirmed_hash(playback, 0, &hash), BKS_ERR_TICK_TOO_OLD);
    assert_int_equal(hash, 1);
    assert_true(guessed > TICKS / 4);
    bks_playback_destroy(playback);
}

/// Hash of the state before the newest step of each tick, and number of all steps.
typedef struct begun_ticks {
    bks_playback *playback;
    uint64_t hashes[TICKS];
    uint64_t count;
} begun_ticks;

static void hear_begun(void *context, bks_tick tick)
{
    begun_ticks *begun = context;
    assert_in_range(tick, 0, TICKS - 1);
    begun->hashes[tick] = bks_playback_hash(begun->playback);
    begun->count++;
}

static void begun_is_called_before_each_step_and_last_with_the_final_state(void **state)
{
    (void)state;
    bks_playback_config config = perspective_of(&walk_game, 0, 5);
    for (int i = 0; i < 2; i++) {
        begun_ticks begun = {0};
        bks_playback *playback = NULL;
        bks_playback_counts costs;
        assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
        begun.playback = playback;
        const bks_playback_listener listener = {.begun = hear_begun, .context = &begun};
        assert_int_equal(bks_playback_listen(playback, &listener), BKS_OK);
        while (bks_playback_step(playback) == BKS_OK) {
        }
        assert_int_equal(bks_playback_costs(playback, &costs), BKS_OK);
        assert_true(begun.count == costs.steps);
        assert_true((costs.rollbacks > 0) == (i == 0));
        for (bks_tick tick = 0; tick < TICKS; tick++) {
            assert_true(begun.hashes[tick] == walk_what_happened()->hashes[tick]);
        }
        bks_playback_destroy(playback);
        config.perspective = BKS_PERSPECTIVE_REFERENCE;
    }
}

/// A game that hides something outside its state: how often it was stepped. This shows only if a
/// tick is stepped more than once.
static uint32_t steps_taken;

static void leaky_init(void *state, const bks_start *start)
{
    steps_taken = 0;
    walk_game.init(state, start);
}

static void leaky_step(void *state, const bks_step *step)
{
    walk_state *walk = state;
    walk_game.step(state, step);
    steps_taken++;
    walk->trail[0] = (uint8_t)(steps_taken - (uint32_t)step->tick);
}

static void a_game_that_behaves_differently_while_it_guesses_is_caught(void **state)
{
    (void)state;
    bks_game leaky = walk_game;
    leaky.init = leaky_init;
    leaky.step = leaky_step;
    memory_file recorded;
    memory_file_init(&recorded);
    bks_replay_config config = walk_replay_config(memory_file_sink(&recorded));
    config.game = &leaky;
    config.page_hashes = NULL;
    const bks_playback_config straight = {.replay = replay, .game = &leaky};
    bks_playback *playback = NULL;
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    assert_int_equal(bks_playback_create(&straight, &playback, NULL), BKS_OK);
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        const uint64_t hash = bks_playback_hash(playback);
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, walk_what_happened()->inputs[tick], &hash),
            BKS_OK);
        assert_int_equal(bks_playback_step(playback), BKS_OK);
    }
    const uint64_t last = bks_playback_hash(playback);
    assert_int_equal(bks_replay_writer_finish(writer, &last), BKS_OK);
    bks_replay_writer_destroy(writer);
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    assert_int_equal(bks_replay_open(recorded.bytes, recorded.count, NULL, &replay, NULL), BKS_OK);

    bks_verify_result result;
    bks_playback_counts costs;
    const bks_playback_config again = {.replay = replay, .game = &leaky};
    assert_int_equal(bks_replay_verify(&again, NULL, &result, NULL), BKS_OK);
    uint64_t hashes[2];
    for (uint32_t player = 0; player < WALK_PLAYERS; player++) {
        const bks_playback_config perspective = perspective_of(&leaky, player, 4);
        bks_error error = {0};
        assert_int_equal(bks_replay_verify(&perspective, NULL, &result, &error), BKS_ERR_DESYNC);
        assert_in_range(result.first_different, 1, 30);
        hashes[player] = play(&perspective, &costs);
        assert_true(hashes[player] != last);
    }
    assert_true(hashes[0] != hashes[1]);
    memory_file_free(&recorded);
}

/// A game with its own guess: all players always aim at 7.
static void predict_seven(const void *state, uint32_t player, bks_tick tick, bks_tick last_tick,
                          const int32_t *last, int32_t *guess)
{
    (void)state, (void)player;
    assert_true(last_tick < tick);
    if (last_tick == BKS_TICK_NONE) {
        assert_int_equal(last[2], 90); // neutral
    }
    guess[2] = 7;
}

static void games_own_guesses_are_asked_for(void **state)
{
    (void)state;
    bks_game guessing = walk_game;
    guessing.predict = predict_seven;
    const bks_playback_config config = perspective_of(&guessing, 1, 3);
    bks_playback_counts costs;
    assert_true(play(&config, &costs) == walk_what_happened()->hashes[TICKS]);
    assert_true(costs.rollbacks > TICKS * 9 / 10); // the guess is hardly ever right
}

static void predict_four_ticks_late(const void *state, uint32_t player, bks_tick tick,
                                    bks_tick last_tick, const int32_t *last, int32_t *guess)
{
    (void)state, (void)last, (void)guess;
    assert_int_not_equal(player, 1);
    assert_true(last_tick == BKS_TICK_NONE ? tick < 100 + 4 : tick - last_tick <= 4);
    assert_true(last_tick == BKS_TICK_NONE || last_tick >= 100);
}

static void guessing_begins_anew_in_a_part(void **state)
{
    (void)state;
    bks_replay_close(replay);
    memory_file_free(&file);
    memory_file_init(&file);
    const bks_replay_detail detail = {.rollbacks = true};
    walk_record_part(&file, 100, TICKS, true, &detail);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    bks_game guessing = walk_game;
    guessing.predict = predict_four_ticks_late;
    bks_playback_config config = perspective_of(&guessing, 1, 4);
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
    assert_int_equal(result.compared, TICKS - 100 + 1);
    config.perspective = BKS_PERSPECTIVE_RECORDER;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
    assert_int_equal(result.compared, TICKS - 100 + 1);
}

static void lost_ticks_end_it(void **state)
{
    (void)state;
    file.bytes[file.count * 3 / 4] ^= 1;
    bks_replay_close(replay);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_ERR_DAMAGED);
    const bks_tick ticks = bks_replay_info(replay)->ticks;
    assert_true(ticks < TICKS);
    const bks_playback_config config = perspective_of(&walk_game, 0, 3);
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_ERR_DAMAGED);
    assert_true(result.is_same);
    assert_int_equal(result.stepped, ticks);
}

static void views_that_cannot_be_are_refused(void **state)
{
    (void)state;
    bks_playback *playback = NULL;
    bks_error error = {0};
    bks_playback_config config = perspective_of(&walk_game, 2, 3);
    assert_int_equal(bks_playback_create(&config, &playback, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "player");
    config = perspective_of(&walk_game, 0, 251);
    assert_int_equal(bks_playback_create(&config, &playback, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "late_ticks");
    config.perspective = (bks_playback_perspective)3;
    assert_int_equal(bks_playback_create(&config, &playback, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "perspective");
    config = perspective_of(&walk_game, 0, 3);
    assert_int_equal(bks_playback_create(&config, &playback, &error), BKS_OK);
    assert_int_equal(bks_playback_seek(playback, 0, &error), BKS_ERR_BAD_ARGUMENT);
    bks_playback_destroy(playback);
    assert_int_equal(bks_playback_confirmed(NULL), 0);
}

static void recording_without_rollbacks_is_played_straight(void **state)
{
    (void)state;
    const bks_playback_config config = {
        .replay = replay, .game = &walk_game, .perspective = BKS_PERSPECTIVE_RECORDER};
    bks_playback_counts costs;
    assert_true(play(&config, &costs) == walk_what_happened()->hashes[TICKS]);
    assert_int_equal(costs.rollbacks, 0);
    assert_int_equal(costs.steps, TICKS);
}

/// Inputs with which each tick was stepped, repeated steps included.
static struct {
    bks_tick tick;
    int32_t inputs[WALK_VALUES];
} heard[2 * TICKS];
static size_t heard_count;

static void listening_step(void *state, const bks_step *step)
{
    assert_true(heard_count < 2 * TICKS);
    heard[heard_count].tick = step->tick;
    memcpy(heard[heard_count++].inputs, step->inputs, sizeof(heard[0].inputs));
    walk_game.step(state, step);
}

static void recorded_rollbacks_step_what_was_guessed_and_then_the_truth(void **state)
{
    (void)state;
    bks_replay_close(replay);
    memory_file_free(&file);
    const bks_replay_detail detail = {.rollbacks = true};
    memory_file_init(&file);
    walk_record_with(&file, TICKS, true, &detail);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    bks_game game = walk_game;
    game.step = listening_step;
    const bks_playback_config config = {
        .replay = replay, .game = &game, .perspective = BKS_PERSPECTIVE_RECORDER};
    bks_playback_counts costs;
    heard_count = 0;
    assert_true(play(&config, &costs) == walk_what_happened()->hashes[TICKS]);
    // At every fifth tick, the three ticks before it had been stepped with guesses.
    size_t at = 0;
    for (bks_tick tick = 0; tick < TICKS; tick++) {
        for (bks_tick again = tick > 0 && tick % 5 == 0 ? tick - 3 : tick; again <= tick; again++) {
            int32_t wanted[WALK_VALUES];
            const bks_tick next = tick / 5 * 5 + 5;
            walk_guess(again, again == tick && tick >= next - 3 && next < TICKS ? next - 3 : TICKS,
                       wanted);
            assert_int_equal(heard[at].tick, again);
            assert_memory_equal(heard[at++].inputs, wanted, sizeof(wanted));
        }
    }
    assert_int_equal(at, heard_count);
    assert_int_equal(costs.rollbacks, (TICKS - 1) / 5);
}

/// Record a rollback from `from` at `present`, with a wrong guess for every tick.
typedef struct one_rollback {
    bks_tick present;
    bks_tick from;
} one_rollback;

static const one_rollback deep[] = {{10, 8},  {20, 13}, {30, 27},   {31, 28},
                                    {31, 30}, {60, 52}, {299, 291}, {300, 297}};
#define DEEP (sizeof(deep) / sizeof(deep[0]))

static void record_deep(bks_tick first)
{
    const walk_truth *truth = walk_what_happened();
    memory_file_init(&file);
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    config.detail = (bks_replay_detail){.rollbacks = true};
    config.first_tick = first;
    config.state = &truth->states[first];
    config.page_hashes = truth->pages[first];
    bks_replay_writer *writer = NULL;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    for (bks_tick tick = first; tick < TICKS; tick++) {
        assert_int_equal(
            bks_replay_writer_confirm(writer, tick, truth->inputs[tick], &truth->hashes[tick]),
            BKS_OK);
        for (size_t i = 0; i < DEEP; i++) {
            int32_t guesses[8][WALK_VALUES];
            if (deep[i].present != tick + 1) {
                continue;
            }
            memcpy(guesses, truth->inputs[deep[i].from],
                   (size_t)(deep[i].present - deep[i].from) * sizeof(guesses[0]));
            for (bks_tick t = deep[i].from; t < deep[i].present; t++) {
                guesses[t - deep[i].from][2] ^= 1;
            }
            assert_int_equal(
                bks_replay_writer_rollback(writer, deep[i].present, deep[i].from, guesses[0]),
                BKS_OK);
        }
    }
    assert_int_equal(bks_replay_writer_finish(writer, &truth->hashes[TICKS]), BKS_OK);
    bks_replay_writer_destroy(writer);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
}

static void rollbacks_of_any_depth_happen_where_they_did(void **state)
{
    (void)state;
    bks_replay_close(replay);
    memory_file_free(&file);
    record_deep(0);
    bks_game game = walk_game;
    game.step = listening_step;
    const bks_playback_config config = {
        .replay = replay, .game = &game, .perspective = BKS_PERSPECTIVE_RECORDER};
    bks_playback_counts costs;
    heard_count = 0;
    assert_true(play(&config, &costs) == walk_what_happened()->hashes[TICKS]);
    assert_int_equal(costs.rollbacks, DEEP);
    uint64_t wrong = 0;
    for (size_t i = 0; i < heard_count; i++) {
        const int32_t *truth = walk_what_happened()->inputs[heard[i].tick];
        wrong += memcmp(heard[i].inputs, truth, sizeof(heard[i].inputs)) != 0;
    }
    for (size_t i = 0; i < DEEP; i++) {
        wrong -= (uint64_t)(deep[i].present - deep[i].from); // each guess was stepped once
    }
    assert_int_equal(wrong, 0);
    heard_count = 0;
    bks_verify_result result;
    assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
}

static void rollback_to_before_the_beginning_begins_there(void **state)
{
    (void)state;
    for (bks_tick first = 10; first <= 20; first++) {
        bks_replay_close(replay);
        memory_file_free(&file);
        record_deep(first);
        const bks_playback_config config = {
            .replay = replay, .game = &walk_game, .perspective = BKS_PERSPECTIVE_RECORDER};
        bks_verify_result result;
        assert_int_equal(bks_replay_verify(&config, NULL, &result, NULL), BKS_OK);
        assert_int_equal(result.compared, TICKS + 1 - first);
    }
}

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, record_all, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FILE(guessing_as_any_player_comes_out_the_same),
        WITH_FILE(state_is_what_that_player_saw),
        WITH_FILE(begun_is_called_before_each_step_and_last_with_the_final_state),
        WITH_FILE(a_game_that_behaves_differently_while_it_guesses_is_caught),
        WITH_FILE(games_own_guesses_are_asked_for),
        WITH_FILE(guessing_begins_anew_in_a_part),
        WITH_FILE(lost_ticks_end_it),
        WITH_FILE(views_that_cannot_be_are_refused),
        WITH_FILE(recording_without_rollbacks_is_played_straight),
        WITH_FILE(recorded_rollbacks_step_what_was_guessed_and_then_the_truth),
        WITH_FILE(rollbacks_of_any_depth_happen_where_they_did),
        WITH_FILE(rollback_to_before_the_beginning_begins_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
