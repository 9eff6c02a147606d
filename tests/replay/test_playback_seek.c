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

#define TICKS 400

static memory_file file;
static bks_replay *replay;
static bks_playback *playback;
static uint32_t random_state;

static bks_tick draw(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (bks_tick)((random_state >> 8) % (TICKS + 1));
}

static void begin(uint32_t keyframe_ticks, size_t memory_bytes)
{
    const bks_replay_detail detail = {.keyframe_ticks = keyframe_ticks,
                                      .keyframe_bytes = UINT64_C(1) << 40};
    memory_file_init(&file);
    walk_record_with(&file, TICKS, true, &detail);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    const bks_playback_config config = {
        .replay = replay, .game = &walk_game, .memory_bytes = memory_bytes};
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    random_state = 1;
}

static void end(void)
{
    bks_playback_destroy(playback);
    bks_replay_close(replay);
    memory_file_free(&file);
}

/// Seek to a tick and return the cost.
static bks_playback_counts seek(bks_tick tick)
{
    bks_playback_counts before;
    bks_playback_counts after;
    assert_int_equal(bks_playback_costs(playback, &before), BKS_OK);
    assert_int_equal(bks_playback_seek(playback, tick, NULL), BKS_OK);
    assert_int_equal(bks_playback_tick(playback), tick);
    assert_true(bks_playback_hash(playback) == walk_what_happened()->hashes[tick]);
    assert_memory_equal(bks_playback_state(playback), &walk_what_happened()->states[tick],
                        sizeof(walk_state));
    assert_int_equal(bks_playback_costs(playback, &after), BKS_OK);
    return (bks_playback_counts){.steps = after.steps - before.steps,
                                 .keyframes = after.keyframes - before.keyframes,
                                 .starts = after.starts - before.starts};
}

static void any_tick_costs_a_spacing_of_steps_and_16_keyframes_at_most(void **state)
{
    (void)state;
    begin(11, 0);
    for (uint32_t i = 0; i < 500; i++) {
        const bks_playback_counts costs = seek(draw());
        assert_true(costs.steps < 11);
        assert_true(costs.keyframes <= 16);
        assert_true(costs.starts <= 1);
    }
    end();
}

static void without_keyframes_it_starts_again_unless_it_continues(void **state)
{
    (void)state;
    begin(0, 0);
    bks_tick here = 0;
    for (uint32_t i = 0; i < 100; i++) {
        const bks_tick tick = draw();
        const bks_playback_counts costs = seek(tick);
        assert_int_equal(costs.starts, tick < here);
        assert_int_equal(costs.steps, tick < here ? tick : tick - here);
        assert_int_equal(costs.keyframes, 0);
        here = tick;
    }
    end();
}

static void a_seek_in_parts_steps_no_more_than_it_may_and_ends_where_a_whole_one_does(void **state)
{
    (void)state;
    begin(100, 0);
    for (uint32_t i = 0; i < 20; i++) {
        const bks_tick tick = draw();
        uint64_t steps = 0;
        for (bool is_there = false; !is_there; is_there = bks_playback_tick(playback) == tick) {
            bks_playback_counts costs[2];
            assert_int_equal(bks_playback_costs(playback, &costs[0]), BKS_OK);
            assert_int_equal(bks_playback_approach(playback, tick, 7, NULL), BKS_OK);
            assert_int_equal(bks_playback_costs(playback, &costs[1]), BKS_OK);
            assert_in_range(costs[1].steps - costs[0].steps, 0, 7);
            steps += costs[1].steps - costs[0].steps;
        }
        assert_in_range(steps, 0, 100); // it begins at a keyframe, as a whole one
        assert_int_equal(seek(tick).steps, 0);
    }
    end();
}

static void kept_states_stand_in_for_keyframes(void **state)
{
    (void)state;
    begin(0, 64 * sizeof(walk_state));
    assert_int_equal(seek(TICKS).steps, TICKS);
    for (uint32_t i = 0; i < 500; i++) {
        const bks_tick tick = draw();
        const bks_playback_counts costs = seek(tick);
        assert_true(costs.steps < WALK_TICK_RATE_HZ); // a second of what plays in time
        assert_true(costs.starts == 0 ||
                    tick < (bks_tick)WALK_TICK_RATE_HZ); // before the first kept one: init
    }
    bks_playback_counts costs;
    assert_int_equal(bks_playback_costs(playback, &costs), BKS_OK);
    assert_true(costs.kept > 6);
    end();
}

static void stepping_back_tick_by_tick_is_cheap(void **state)
{
    (void)state;
    begin(50, 100 * sizeof(walk_state));
    (void)seek(TICKS);
    uint64_t steps = 0;
    for (bks_tick tick = TICKS - 1; tick >= 0; tick--) {
        steps += seek(tick).steps;
    }
    // A seek back keeps 32 states, so 33 ticks cost the steps of one spacing.
    assert_true(steps < 2 * TICKS);
    end();
}

static void less_memory_than_a_state_keeps_none(void **state)
{
    (void)state;
    begin(0, sizeof(walk_state) - 1);
    (void)seek(TICKS);
    assert_int_equal(seek(100).starts, 1);
    end();
}

static uint32_t heard;

static void hear_mark(void *context, bks_tick tick, const char *name, uint64_t hash)
{
    (void)context, (void)name, (void)hash;
    assert_int_equal(tick, 200);
    heard++;
}

static void steps_of_a_search_are_not_heard(void **state)
{
    (void)state;
    begin(0, 0);
    const bks_playback_listener listener = {.mark = hear_mark};
    assert_int_equal(bks_playback_listen(playback, &listener), BKS_OK);
    (void)seek(200);
    assert_int_equal(heard, 0);
    assert_int_equal(bks_playback_step(playback), BKS_OK);
    assert_int_equal(heard, 1);
    end();
}

static void exported_state_is_that_of_the_tick(void **state)
{
    (void)state;
    begin(25, 0);
    static walk_state bytes;
    (void)seek(123);
    assert_int_equal(bks_playback_export(playback, NULL, 0), sizeof(bytes));
    assert_int_equal(bks_playback_export(playback, &bytes, sizeof(bytes)), sizeof(bytes));
    assert_memory_equal(&bytes, &walk_what_happened()->states[123], sizeof(bytes));
    assert_int_equal(bks_playback_export(playback, &bytes, sizeof(bytes) - 1), 0);
    assert_int_equal(bks_playback_export(NULL, &bytes, sizeof(bytes)), 0);
    end();
}

static void going_nowhere_is_refused(void **state)
{
    (void)state;
    begin(25, 0);
    assert_int_equal(bks_playback_seek(playback, -1, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_playback_seek(playback, TICKS + 1, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_playback_seek(NULL, 0, NULL), BKS_ERR_BAD_ARGUMENT);
    bks_playback_counts costs;
    assert_int_equal(bks_playback_costs(NULL, &costs), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_playback_costs(playback, NULL), BKS_ERR_BAD_ARGUMENT);
    assert_int_equal(bks_playback_tick(playback), 0);
    end();
}

/// A game that keeps its own state.
static void *own_create(const bks_start *start)
{
    (void)start;
    return calloc(1, sizeof(walk_state));
}
static void own_destroy(void *state)
{
    free(state);
}
static void own_init(void *state, const bks_start *start)
{
    memset(state, 0, sizeof(walk_state));
    walk_game.init(state, start);
}
static void own_hash(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(walk_state));
}
static size_t own_save(const void *state, void *bytes, size_t capacity)
{
    if (capacity < sizeof(walk_state)) {
        return 0;
    }
    memcpy(bytes, state, sizeof(walk_state));
    return sizeof(walk_state);
}
static bool own_load(void *state, const void *bytes, size_t count)
{
    memcpy(state, bytes, sizeof(walk_state));
    return count == sizeof(walk_state);
}

static void game_that_keeps_its_state_to_itself_goes_back_too(void **state)
{
    (void)state;
    bks_game own = walk_game;
    own.state_bytes = 0;
    own.create = own_create;
    own.destroy = own_destroy;
    own.init = own_init;
    own.hash = own_hash;
    own.save_bytes_max = sizeof(walk_state);
    own.save = own_save;
    own.load = own_load;
    begin(0, 0);
    const bks_playback_config config = {
        .replay = replay, .game = &own, .memory_bytes = 20 * sizeof(walk_state)};
    bks_playback *other = NULL;
    bks_playback_destroy(playback);
    assert_int_equal(bks_playback_create(&config, &other, NULL), BKS_OK);
    for (uint32_t i = 0; i < 100; i++) {
        const bks_tick tick = draw();
        assert_int_equal(bks_playback_seek(other, tick, NULL), BKS_OK);
        assert_memory_equal(bks_playback_state(other), &walk_what_happened()->states[tick],
                            sizeof(walk_state));
    }
    playback = other;
    end();
}

static void hash_walk(const void *state, bks_hasher *hasher)
{
    bks_hash_add(hasher, state, sizeof(walk_state));
}

static bks_game pointing_game(void)
{
    bks_game game = walk_game;
    game.pointers = true;
    game.hash = hash_walk;
    return game;
}

static void raw_pointers_take_no_state_from_a_file(void **state)
{
    (void)state;
    begin(11, 0);
    bks_playback_destroy(playback);
    const bks_game game = pointing_game();
    bks_playback_config config = {.replay = replay, .game = &game};
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    assert_int_equal(bks_playback_seek(playback, TICKS, NULL), BKS_OK);
    bks_playback_counts before;
    assert_int_equal(bks_playback_costs(playback, &before), BKS_OK);
    assert_int_equal(before.steps, TICKS);
    for (uint32_t i = 1; i <= 100; i++) {
        const bks_tick tick = draw();
        bks_playback_counts costs;
        assert_int_equal(bks_playback_seek(playback, tick, NULL), BKS_OK);
        assert_memory_equal(bks_playback_state(playback), &walk_what_happened()->states[tick],
                            sizeof(walk_state));
        assert_int_equal(bks_playback_costs(playback, &costs), BKS_OK);
        assert_in_range(costs.steps - before.steps, 0, 64 * i); // from states kept in memory
        assert_int_equal(costs.keyframes, 0);
    }
    uint8_t bytes[sizeof(walk_state)];
    assert_int_equal(bks_playback_export(playback, bytes, sizeof(bytes)), 0);
    bks_playback *other = NULL;
    bks_error error;
    config.from_recorded_state = true;
    assert_int_equal(bks_playback_create(&config, &other, &error), BKS_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "raw pointers"));
    end();
}

static void raw_pointers_put_no_state_into_a_file(void **state)
{
    (void)state;
    memory_file_init(&file);
    const bks_game game = pointing_game();
    bks_replay_config config = walk_replay_config(memory_file_sink(&file));
    config.game = &game;
    config.state = &walk_what_happened()->states[0];
    config.state_bytes = sizeof(walk_state);
    config.detail.keyframe_ticks = 1;
    bks_replay_writer *writer = NULL;
    bks_error error;
    config.first_tick = 1;
    assert_int_equal(bks_replay_writer_create(&config, &writer, &error), BKS_ERR_BAD_CONFIG);
    assert_string_equal(error.field, "first_tick");
    config.first_tick = 0;
    assert_int_equal(bks_replay_writer_create(&config, &writer, NULL), BKS_OK);
    const int32_t inputs[WALK_VALUES] = {0};
    for (bks_tick tick = 0; tick < 300; tick++) {
        assert_int_equal(bks_replay_writer_confirm(writer, tick, inputs, NULL), BKS_OK);
        assert_int_equal(bks_replay_writer_keyframe_due(writer), BKS_TICK_NONE);
    }
    assert_int_equal(bks_replay_writer_finish(writer, NULL), BKS_OK);
    bks_replay_writer_destroy(writer);
    assert_int_equal(bks_replay_open(file.bytes, file.count, NULL, &replay, NULL), BKS_OK);
    const bks_recording *info = bks_replay_info(replay);
    assert_true(info->has_pointers);
    assert_true(info->is_complete);
    assert_int_equal(info->keyframes, 0);
    assert_int_equal(info->state_bytes, sizeof(walk_state));
    walk_state read;
    assert_int_equal(bks_replay_state(replay, &read, sizeof(read), &error), BKS_ERR_UNSUPPORTED);
    bks_replay_close(replay);
    memory_file_free(&file);
}

#define FAILING_TICK 200

static void step_failing(void *state, const bks_step *step)
{
    walk_game.step(state, step);
    if (step->tick == FAILING_TICK) {
        memset(state, 0x55, sizeof(walk_state)); // as a failure may leave it
        bks_fail(step, "no memory for the script");
    }
}

static void a_step_that_fails_is_as_far_as_it_goes(void **state)
{
    (void)state;
    begin(0, 64 * sizeof(walk_state));
    bks_playback_destroy(playback);
    bks_game game = walk_game;
    game.step = step_failing;
    const bks_playback_config config = {
        .replay = replay, .game = &game, .memory_bytes = 64 * sizeof(walk_state)};
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    for (uint32_t again = 0; again < 3; again++) {
        bks_error error = {0};
        assert_int_equal(bks_playback_seek(playback, FAILING_TICK + 50, &error), BKS_ERR_GAME);
        assert_int_equal(error.code, BKS_ERR_GAME);
        assert_non_null(strstr(error.text, "failed at tick 200: no memory for the script"));
        assert_int_equal(bks_playback_tick(playback), FAILING_TICK);
        assert_int_equal(bks_playback_step(playback), BKS_ERR_GAME);
        (void)seek(FAILING_TICK); // whose state is there
        (void)seek(FAILING_TICK - 30);
    }
    bks_playback_destroy(playback);
    for (int32_t player = 0; player < 2; player++) {
        bks_playback_config guessing = {.replay = replay,
                                        .game = &game,
                                        .perspective = BKS_PERSPECTIVE_PLAYER,
                                        .player = (uint32_t)player,
                                        .late_ticks = 7};
        assert_int_equal(bks_playback_create(&guessing, &playback, NULL), BKS_OK);
        bks_status status = BKS_OK;
        while (status == BKS_OK) {
            status = bks_playback_step(playback);
        }
        assert_int_equal(status, BKS_ERR_GAME);
        assert_int_equal(bks_playback_confirmed(playback), FAILING_TICK);
        bks_playback_destroy(playback);
    }
    bks_verify_result result;
    bks_error error;
    const bks_playback_config verified = {.replay = replay, .game = &game};
    assert_int_equal(bks_replay_verify(&verified, NULL, &result, &error), BKS_ERR_GAME);
    assert_non_null(strstr(error.text, "no memory for the script"));
    playback = NULL;
    end();
}

/// Fail for an input that player 1 never gave, so only a guess leads there.
static void step_failing_on_a_guess(void *state, const bks_step *step)
{
    int32_t inputs[WALK_VALUES];
    assert_int_equal(bks_replay_inputs(replay, step->tick, inputs), BKS_OK);
    walk_game.step(state, step);
    if (memcmp(inputs, step->inputs, sizeof(inputs)) != 0) {
        memset(state, 0x55, sizeof(walk_state));
        bks_fail(step, "a guess");
    }
}

static void a_failure_on_a_guess_is_taken_back_with_it(void **state)
{
    (void)state;
    begin(0, 0);
    bks_playback_destroy(playback);
    bks_game game = walk_game;
    game.step = step_failing_on_a_guess;
    const bks_playback_config config = {.replay = replay,
                                        .game = &game,
                                        .perspective = BKS_PERSPECTIVE_PLAYER,
                                        .player = 0,
                                        .late_ticks = 5};
    assert_int_equal(bks_playback_create(&config, &playback, NULL), BKS_OK);
    bks_status status = BKS_OK;
    while (status == BKS_OK) {
        status = bks_playback_step(playback);
    }
    assert_int_equal(status, BKS_OVER);
    assert_int_equal(bks_playback_confirmed(playback), TICKS);
    assert_true(bks_playback_hash(playback) == walk_what_happened()->hashes[TICKS]);
    bks_playback_counts costs;
    assert_int_equal(bks_playback_costs(playback, &costs), BKS_OK);
    assert_true(costs.rollbacks > 20);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_tick_costs_a_spacing_of_steps_and_16_keyframes_at_most),
        cmocka_unit_test(without_keyframes_it_starts_again_unless_it_continues),
        cmocka_unit_test(a_seek_in_parts_steps_no_more_than_it_may_and_ends_where_a_whole_one_does),
        cmocka_unit_test(kept_states_stand_in_for_keyframes),
        cmocka_unit_test(stepping_back_tick_by_tick_is_cheap),
        cmocka_unit_test(less_memory_than_a_state_keeps_none),
        cmocka_unit_test(steps_of_a_search_are_not_heard),
        cmocka_unit_test(exported_state_is_that_of_the_tick),
        cmocka_unit_test(going_nowhere_is_refused),
        cmocka_unit_test(game_that_keeps_its_state_to_itself_goes_back_too),
        cmocka_unit_test(a_step_that_fails_is_as_far_as_it_goes),
        cmocka_unit_test(a_failure_on_a_guess_is_taken_back_with_it),
        cmocka_unit_test(raw_pointers_take_no_state_from_a_file),
        cmocka_unit_test(raw_pointers_put_no_state_into_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
